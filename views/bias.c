/* bias.c - numbers added to a logit, from positions alone.
 *
 *     +--------------------------+-----------------+
 *     |  bias against distance,  |  queries x keys |
 *     |  a curve a head          |  of one head    |
 *     +--------------------------+-----------------+
 *     |  head: bias at distance 1, at n - 1; distance that keeps 50, 90, 99 % of the weight  |
 *     +--------------------------+-----------------+
 *
 * The effective window of a head is the distance at which flat content (all q.k equal) has given a share of the softmax weight to the keys
 * that the mask allows; measure_windows sums it exactly. Schemes with buckets show the staircase of buckets as well. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "base/mem.h"
#include "core/measure.h"
#include "core/quantity.h"
#include "figure/draw.h"

enum { P_HEAD, P_HEADS, P_SIDES, P_AXIS };
static const char *const sides[] = {"auto", "causal", "both", NULL};
static const char *const side_titles[] = {N_("auto"), N_("earlier keys"), N_("both sides")};
static const char *const axes[] = {"linear", "log", NULL};
static const char *const axis_titles[] = {N_("linear"), N_("logarithmic")};
static const struct param params[] = {
    [P_HEAD] = {.name = "head", .title = N_("head"), .help = N_("head of the heatmap, from 0"), .type = PARAM_INT, .def = 0, .min = 0, .max = FACTS_MAX_HEADS - 1, .step = 1, .of_heads = true},
    [P_HEADS] = {.name = "curves", .title = N_("curves"), .help = N_("how many heads are drawn as curves, spread over all heads"), .type = PARAM_INT,
                 .def = 8, .min = 1, .max = N_SERIES_ROLES, .step = 1},
    [P_SIDES] = {.name = "sides", .title = N_("sides"), .help = N_("distances to earlier keys alone, or to later ones too; auto follows the mask"),
                 .type = PARAM_CHOICE, .def = 0, .choices = sides, .titles = side_titles},
    [P_AXIS] = {.name = "axis", .title = N_("axis"), .help = N_("scale of the distance axis; log shows earlier keys alone"), .type = PARAM_CHOICE, .def = 0,
                .choices = axes, .titles = axis_titles},
};

enum { A_HEAD_NEXT, A_HEAD_BACK, A_AXIS, A_SIDES };
static const struct action actions[] = {
    {A_HEAD_NEXT, 'n', 0, "next-head", N_("next head"), true},
    {A_HEAD_BACK, 'b', 0, "previous-head", N_("head before"), false},
    {A_AXIS, 'v', 0, "toggle-axis", N_("linear or log distance"), true},
    {A_SIDES, 'o', 0, "next-sides", N_("earlier keys, or both sides"), true},
};

static double num(const struct scenario *s, int param)
{
    return view_num(s, VIEW_bias, param);
}

static int head_of(const struct scenario *s)
{
    return (int)fmin(num(s, P_HEAD), s->shape.n_heads - 1);
}

static bool input(struct scenario *s, int action)
{
    struct value *v = s->view_param[VIEW_bias];
    int H = s->shape.n_heads;
    switch (action) {
    case A_HEAD_NEXT: v[P_HEAD].x = (head_of(s) + 1) % H; return true;
    case A_HEAD_BACK: v[P_HEAD].x = (head_of(s) + H - 1) % H; return true;
    case A_AXIS:      v[P_AXIS].x = !v[P_AXIS].x; return true;
    case A_SIDES:     v[P_SIDES].x = fmod(v[P_SIDES].x + 1, 3); return true;
    }
    return false;
}

static const struct quantity *bucket_quantity(const struct encoding *kind)
{
    for (size_t i = 0; i < kind->n_quantities; i++)
        if (!strcmp(kind->quantities[i].name, "bucket") || !strcmp(kind->quantities[i].name, "log_bucket"))
            return &kind->quantities[i];
    return NULL;
}

static bool gives_bias(const struct encoding *kind)
{
    return kind->bias || bucket_quantity(kind);
}

static bool has_bias(const struct scenario *s)
{
    for (size_t i = 0; i < s->n_items; i++)
        if (s->item[i].kind->bias)
            return true;
    return false;
}

static const struct encoding *with_buckets(const struct scenario *s)
{
    for (size_t i = 0; i < s->n_items; i++)
        if (bucket_quantity(s->item[i].kind))
            return s->item[i].kind;
    return NULL;
}

static const char *suits(const struct scenario *s)
{
    if (has_bias(s) || with_buckets(s))
        return NULL;
    return N_("This encoding adds no bias to the logits. Choose one that does, for example with :encoding alibi, or look at this one in `similarity`.");
}

static bool both_sides(const struct scenario *s)
{
    int wanted = (int)num(s, P_SIDES);
    return num(s, P_AXIS) == 0 && (wanted == 2 || (wanted == 0 && s->mask.type == MASK_NONE));
}

/* ---- plan ---------------------------------------------------------------------------------------- */

static double clamp(double x, double fallback, double lo, double hi)
{
    return fmin(fmax(isnan(x) ? fallback : x, lo), hi);
}

enum { COORD_DISTANCE = 1 };

static void distance_axis(const struct scenario *s, struct axis *a)
{
    double n = fmax(2, s->shape.length);
    struct span keys = view_window(s->zoom.x0, s->zoom.x1, 0, s->shape.length, true);
    struct span queries = view_window(s->zoom.y0, s->zoom.y1, 0, s->shape.length, true);
    double farthest = fmin(fmax(fmax(queries.to - 1 - keys.from, keys.to - 1 - queries.from), 2), n - 1);
    bool log = num(s, P_AXIS) != 0;
    axis_set(a, lang_text(s->lang, N_("query − key")), lang_text(s->lang, N_("tokens")), both_sides(s) ? -farthest : log ? 1 : 0, farthest, log);
    a->coord = COORD_DISTANCE;
}

static void plan_bias(const struct scenario *s, struct figure *f)
{
    enum lang l = s->lang;
    double n = s->shape.length, x0 = clamp(floor(s->zoom.x0), 0, 0, n - 1), x1 = clamp(ceil(s->zoom.x1), n, x0 + 1, n),
           y0 = clamp(floor(s->zoom.y0), 0, 0, n - 1), y1 = clamp(ceil(s->zoom.y1), n, y0 + 1, n);
    struct panel *p = figure_add(f, PANEL_HEATMAP, "");
    snprintf(p->title, sizeof p->title, lang_text(l, N_("bias of head %d of %d")), head_of(s), s->shape.n_heads);
    axis_set(&p->x, lang_text(l, N_("key")), lang_text(l, N_("position")), x0, x1, false);
    axis_set(&p->y, lang_text(l, N_("query")), lang_text(l, N_("position")), y0, y1, false);
    p->weight = 2;
    p->centred = true;
    p->by_distance = true;
    snprintf(p->unit, sizeof p->unit, "%s", lang_text(l, N_("logit")));
    p = figure_add(f, PANEL_CURVES, lang_text(l, N_("bias against distance")));
    distance_axis(s, &p->x);
    axis_set(&p->y, lang_text(l, N_("logit")), "", NAN, NAN, false);
    p->weight = 2;
    p->beside = true;
    p = figure_add(f, PANEL_TABLE, lang_text(l, N_("how far a share of the weight lies")));
    p->weight = 1;
    p->min_h = 5;
    p->max_h = s->shape.n_heads < 32 ? s->shape.n_heads + 4 : 36;
}

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    (void)err;
    if (has_bias(s))
        plan_bias(s, f);
    if (with_buckets(s)) {
        struct panel *p = figure_add(f, PANEL_CURVES, lang_text(s->lang, N_("bucket of each distance")));
        distance_axis(s, &p->x);
        axis_set(&p->y, lang_text(s->lang, N_("bucket")), "", NAN, NAN, false);
        p->weight = has_bias(s) ? 1 : 3;
        p->beside = has_bias(s);
    }
    view_sources(s, gives_bias, f->source, sizeof f->source);
    return true;
}

/* ---- compute ------------------------------------------------------------------------------------- */

static struct field *bias_field(const struct scenario *s, const struct layer *layer, int head, bool masked, struct err *err)
{
    struct field_options options = {.kind = FIELD_BIAS, .head = head};
    if (masked)
        options.mask = s->mask;
    return field_open(layer, &options, err);
}

static bool fill_heatmap(const struct scenario *s, const struct layer *layer, struct panel *p, struct job *job, struct err *err)
{
    struct field *field = bias_field(s, layer, head_of(s), true, err);
    struct pooled how = {0};
    struct window win = {p->y.from, p->y.to, p->x.from, p->x.to};
    bool good = field && (p->w < 1 || p->h < 1 || field_pool(field, win, REDUCE_MEAN, p->h, p->w, panel_heatmap(p), &how, job_tick_fn, job));
    p->reduce = how.reduce;
    p->exact = how.exact;
    p->error = how.error;
    if (good && p->data)
        panel_autorange(p);
    field_close(field);
    return good;
}

/* Head i of the n that are shown: spread over all heads, the first, the last and the chosen one among them. */
static int head_shown(const struct scenario *s, int i, int n)
{
    int last = s->shape.n_heads - 1, chosen = head_of(s);
    if (n < 2)
        return chosen;
    int place = (int)lround((double)chosen * (n - 1) / last);
    if (n > 2 && chosen > 0 && chosen < last)
        place = place < 1 ? 1 : place > n - 2 ? n - 2 : place;
    return i == place ? chosen : (int)lround((double)i * last / (n - 1));
}

static bool fill_curves(const struct scenario *s, const struct layer *layer, struct panel *p, struct err *err)
{
    int n = (int)fmin(num(s, P_HEADS), s->shape.n_heads);
    panel_spread_xs(p, (size_t)(p->w > 2 ? p->w : 2), true);
    for (int i = 0; i < n; i++) {
        int head = head_shown(s, i, n);
        struct field *field = bias_field(s, layer, head, false, err);
        if (!field)
            return false;
        char label[40];
        snprintf(label, sizeof label, lang_text(s->lang, N_("head %d")), head);
        struct series *y = panel_add_series(p, label);
        field_profile(field, s->shape.length - 1, p->xs, p->n_xs, y->y);
        field_close(field);
    }
    panel_autorange(p);
    return true;
}

enum { WINDOWS = 3 };
static const double shares[WINDOWS] = {0.5, 0.9, 0.99};

static void add_number(struct panel *p, size_t row, size_t col, double x, enum lang l)
{
    char text[32];
    if (x == floor(x))
        format_number(text, sizeof text, x, 7);
    else
        snprintf(text, sizeof text, "%.6g", x);
    panel_cell(p, row, col, ROLE_TEXT, true, "%s", isnan(x) ? lang_text(l, N_("none")) : text);
    panel_number(p, row, col, x);
}

/* The share of the whole view that a share of one head's work is. */
struct of_head { struct job *job; int row, rows; };

static bool tick_of_head(void *ctx, double share)
{
    const struct of_head *of = ctx;
    return job_tick(of->job, 0.5 + 0.5 * (of->row + share) / of->rows);
}

static bool fill_windows(const struct scenario *s, const struct layer *layer, struct panel *p, struct job *job)
{
    enum lang l = s->lang;
    int heads = s->shape.n_heads, rows = (int)fmin(heads, fmax(1, p->rows - 2));       /* below the title and the heading */
    struct field *field;
    double n = s->shape.length, keys = n;
    panel_table(p, (size_t)rows + 1, 3 + WINDOWS);
    const char *const heading[] = {N_("head"), N_("bias at distance 1"), N_("at n − 1"), "50 %", "90 %", "99 %"};
    for (size_t c = 0; c < 3 + WINDOWS; c++)
        panel_cell(p, 0, c, ROLE_DIM, true, "%s", lang_text(l, heading[c]));
    for (int r = 0; r < rows; r++) {
        int head = head_shown(s, r, rows);
        field = bias_field(s, layer, head, false, NULL);
        if (!field)
            return true;
        panel_cell(p, (size_t)r + 1, 0, head == head_of(s) ? ROLE_ACCENT : ROLE_TEXT, true, "%d", head);
        add_number(p, (size_t)r + 1, 1, n > 1 ? field_at(field, n - 1, n - 2) : NAN, l);
        add_number(p, (size_t)r + 1, 2, field_at(field, n - 1, 0), l);
        field_close(field);
        struct of_head of = {job, r, rows};
        double at[WINDOWS];
        keys = measure_window_keys(layer, head, mask_keys_back(s->mask, n));
        if (!measure_windows(layer, head, keys, shares, WINDOWS, at, tick_of_head, &of))
            return false;
        for (int c = 0; c < WINDOWS; c++)
            add_number(p, (size_t)r + 1, 3 + (size_t)c, at[c], l);
        if (!job_tick(job, 0.5 + 0.5 * (r + 1) / rows))
            return false;
    }
    char count[32], some[64] = "", sampled[128] = "";
    if (rows < heads)
        snprintf(some, sizeof some, lang_text(l, N_("%d of %d heads")), rows, heads);
    if (keys < n)
        snprintf(sampled, sizeof sampled, lang_text(l, N_("windows for a query with %s keys")), format_number(count, sizeof count, keys, 7));
    snprintf(p->note, sizeof p->note, "%.60s%s%.90s", some, *some && *sampled ? "; " : "", sampled);
    if (!*p->note)
        snprintf(p->note, sizeof p->note, "%s", lang_text(l, N_("if all content is equal")));
    return true;
}

/* The buckets of n distances query - key; the caller unrefs them. NULL: they cannot be had. */
static struct table *buckets_of(const struct layer *layer, const double *distance, size_t n, struct err *err)
{
    const struct enc *e = NULL;
    for (size_t i = 0; i < layer->n && !e; i++)
        if (bucket_quantity(layer->enc[i]->kind))
            e = layer->enc[i];
    const struct quantity *quantity = bucket_quantity(e->kind);
    bool from_key = !strcmp(quantity->name, "bucket");                      /* T5 counts key - query, DeBERTa query - key */
    struct table *positions = table_new(1, &n);
    for (size_t i = 0; i < n; i++)
        positions->v[i] = from_key ? -distance[i] : distance[i];
    struct request request = {.output = quantity->name, .positions = positions};
    struct answer answer = {0};
    bool good = quantity->compute(e, &request, &answer, err) && answer.values->n >= n;
    table_unref(positions);
    if (!good)
        table_unref(answer.values);
    return good ? answer.values : NULL;
}

static bool fill_buckets(const struct scenario *s, const struct layer *layer, struct panel *p, struct err *err)
{
    panel_spread_xs(p, (size_t)(p->w > 2 ? p->w : 2), true);
    struct table *bucket = buckets_of(layer, p->xs, p->n_xs, err);
    if (bucket) {
        struct series *y = panel_add_series(p, lang_text(s->lang, N_("bucket")));
        y->steps = true;
        memcpy(y->y, bucket->v, p->n_xs * sizeof *y->y);
        panel_autorange(p);
    }
    table_unref(bucket);
    return bucket != NULL;
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    struct layer *layer = scenario_layer(s, err);
    bool good = layer != NULL;
    size_t at = 0;
    if (good && has_bias(s)) {
        good = fill_heatmap(s, layer, &f->panel[0], job, err) && fill_curves(s, layer, &f->panel[1], err) && fill_windows(s, layer, &f->panel[2], job);
        at = 3;
    }
    if (good && with_buckets(s))
        good = fill_buckets(s, layer, &f->panel[at], err);
    layer_close(layer);
    return good;
}

/* ---- read-out ------------------------------------------------------------------------------------ */

/* What the staircase is: distances of one bucket share a learned vector or number. */
static bool probe_bucket(const struct scenario *s, double x, struct readout *out)
{
    struct layer *layer = scenario_layer(s, NULL);
    double distance = round(x);
    struct table *bucket = layer ? buckets_of(layer, &distance, 1, NULL) : NULL;
    out->known = bucket != NULL;
    if (bucket) {
        out->value = bucket->v[0];
        snprintf(out->name, sizeof out->name, lang_text(s->lang, N_("bucket of distance %.0f")), distance);
        snprintf(out->formula, sizeof out->formula, "%s", lang_text(s->lang, has_bias(s) ? N_("distances of one bucket share one learned bias")
                                                                  : N_("distances of one bucket share one learned vector; its score needs q and k: see attention")));
        view_sources(s, gives_bias, out->source, sizeof out->source);
    }
    table_unref(bucket);
    layer_close(layer);
    return out->known;
}

static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    if (with_buckets(s) && panel == (has_bias(s) ? 3 : 0))
        return probe_bucket(s, x, out);
    bool bias = has_bias(s) && panel <= 1;
    struct layer *layer = bias ? scenario_layer(s, NULL) : NULL;
    struct field *field = layer ? bias_field(s, layer, head_of(s), panel == 0, NULL) : NULL;
    out->known = field != NULL;
    if (field) {
        double last = s->shape.length - 1, query = panel == 0 ? floor(y) : last, key = panel == 0 ? floor(x) : last - round(x);
        if (panel == 1 && key > last)
            query = last - round(-x), key = last;           /* later keys */
        out->value = field_at(field, query, key);
        snprintf(out->name, sizeof out->name, lang_text(s->lang, N_("head %d, query %.0f, key %.0f")), head_of(s), query, key);
        if (isnan(out->value))
            snprintf(out->formula, sizeof out->formula, lang_text(s->lang, N_("no bias at distance %.0f: it is beyond the table")), query - key);
        else
            snprintf(out->formula, sizeof out->formula, lang_text(s->lang, N_("bias at distance %.0f; factor on the weight e^bias = %.6g")), query - key,
                     exp(out->value));
        view_sources(s, gives_bias, out->source, sizeof out->source);
    }
    field_close(field);
    layer_close(layer);
    return out->known;
}

static const char *const idle[] = {"deberta.pos_att_type", "deberta.scale_factor", "deberta.share_att_key",
    "deberta.norm_rel_ebd", "deberta.table_seed", "deberta.max_position_embeddings", NULL};

const struct view view_bias = {
    .id = "bias",
    .title = N_("bias"),
    .help = N_("A bias is a number added to a logit that depends on positions alone: straight lines for ALiBi, a staircase of learned numbers for T5, "
               "curves for KERPLE, FIRE and Sandwich. Each head has its own. The table says how far a head still looks when all content is equal: the "
               "distance within which it has given 50, 90 and 99 percent of its weight."),
    .params = params, .n_params = sizeof params / sizeof *params,
    .uses = USES_N | USES_HEADS | USES_HEAD_DIM | USES_MASK | USES_ENCODING,
    .idle = idle,
    .actions = actions, .n_actions = sizeof actions / sizeof *actions,
    .preset = "encodings/alibi",
    .suits = suits,
    .input = input,
    .plan = plan,
    .compute = compute,
    .probe = probe,
};
