/* decay.c - schemes on one axis: how the logit changes with distance, against distance 0.
 *
 *     +------------------------------------------------+
 *     |  logit(d) - logit(0) against d, a curve a scheme |
 *     +------------------------------------------------+
 *     |  scheme: change at chosen distances            |
 *     +------------------------------------------------+
 *
 * For q and k with entries of unit variance and the scheme's own scale: a bias changes by bias(d) - bias(0); a rotation by
 * scale (q.R(d)k - q.k); added rows by scale (p_i.p_j - p_i.p_i), the position term with projections left out. The claim that RoPE
 * decays over long distances (Su et al. 2021, 3.4.3) is about a bound: choose `vectors` and see q = k, q and k that share half of their
 * direction, and independent ones. Where terms depend on content (Shaw, Transformer-XL, DeBERTa, CoPE) the curve is the whole logit of
 * one such query over as many equal keys. The factor on the attention weight is e to the change. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/rng.h"
#include "core/attention.h"
#include "figure/draw.h"

enum { P_SET, P_VECTORS, P_SHOW, P_AXIS, P_REACH, P_HEAD, P_FLOOR };
enum { SET_CLASSIC, SET_THIS, SET_BIASES, SET_TURNS };
enum { VECTORS_EQUAL_ENERGY, VECTORS_EQUAL, VECTORS_SIMILAR, VECTORS_RANDOM };
static const char *const sets[] = {"classic", "this", "biases", "rotations", NULL};
static const char *const set_titles[] = {N_("classic"), N_("this one"), N_("biases"), N_("rotations")};
static const char *const vectors[] = {"even", "equal", "similar", "random", NULL};
static const char *const vector_titles[] = {N_("even energy"), N_("equal"), N_("similar"), N_("independent")};
static const char *const shows[] = {"logit", "factor", NULL};
static const char *const show_titles[] = {N_("logit"), N_("factor on the weight")};
static const char *const axes[] = {"linear", "log", NULL};
static const char *const axis_titles[] = {N_("linear"), N_("logarithmic")};
static const struct param params[] = {
    [P_FLOOR] = {.name = "floor", .title = N_("floor"), .help = N_("lowest logit drawn: a straight line would press all other curves flat"), .type = PARAM_REAL,
                 .def = -20, .min = -1e9, .max = -0.1, .step = 1},
    [P_SET] = {.name = "schemes", .title = N_("schemes"), .help = N_("which schemes are drawn beside the present one"), .type = PARAM_CHOICE, .def = SET_CLASSIC,
               .choices = sets, .titles = set_titles},
    [P_VECTORS] = {.name = "vectors", .title = N_("q and k"),
                   .help = N_("even: q = k with equal energy in every pair; equal: q = k drawn at random; similar: correlation one half; random: independent"),
                   .type = PARAM_CHOICE, .def = VECTORS_EQUAL_ENERGY, .choices = vectors, .titles = vector_titles},
    [P_SHOW] = {.name = "show", .title = N_("show"), .help = N_("change of the logit, or the factor on the weight, e to the change"), .type = PARAM_CHOICE,
                .def = 0, .choices = shows, .titles = show_titles},
    [P_AXIS] = {.name = "axis", .title = N_("axis"), .help = N_("scale of the distance axis"), .type = PARAM_CHOICE, .def = 1, .choices = axes, .titles = axis_titles},
    [P_REACH] = {.name = "reach", .title = N_("reach"), .unit = N_("tokens"), .help = N_("largest distance; absent: the length n"), .type = PARAM_INT, .def = NAN,
                 .min = 2, .max = 1e7},
    [P_HEAD] = {.name = "head", .title = N_("head"), .help = N_("head whose bias is drawn, from 0"), .type = PARAM_INT, .def = 0, .min = 0, .max = FACTS_MAX_HEADS - 1,
                .step = 1, .of_heads = true},
};

enum { A_SHOW, A_AXIS, A_VECTORS, A_SET };
static const struct action actions[] = {
    {A_SHOW, 'v', 0, "toggle-factor", N_("logit or factor on the weight"), true},
    {A_AXIS, 'a', 0, "toggle-axis", N_("linear or log distance"), true},
    {A_VECTORS, 'o', 0, "next-vectors", N_("which q and k"), true},
    {A_SET, 'n', 0, "next-set", N_("which schemes"), true},
};

static double num(const struct scenario *s, int param)
{
    return view_num(s, VIEW_decay, param);
}

static bool input(struct scenario *s, int action)
{
    struct value *v = s->view_param[VIEW_decay];
    switch (action) {
    case A_SHOW:    v[P_SHOW].x = !v[P_SHOW].x; return true;
    case A_AXIS:    v[P_AXIS].x = !v[P_AXIS].x; return true;
    case A_VECTORS: v[P_VECTORS].x = fmod(v[P_VECTORS].x + 1, 4); return true;
    case A_SET:     v[P_SET].x = fmod(v[P_SET].x + 1, 4); return true;
    }
    return false;
}

static double reach(const struct scenario *s)
{
    double r = isnan(num(s, P_REACH)) ? s->shape.length - 1 : num(s, P_REACH);
    return fmin(fmax(r, 2), 1e7);
}

static double derived(const struct scenario *s, int param)
{
    return param == P_REACH ? reach(s) : NAN;
}

/* ---- one scheme ---------------------------------------------------------------------------------- */

/* q and k of the chosen kind, unit variance an entry. */
static void draw_vectors(const struct scenario *s, double *q, double *k, size_t d)
{
    int how = (int)num(s, P_VECTORS);
    for (size_t i = 0; i < d; i++) {
        double a = rng_normal(s->seed, 2 * i), b = rng_normal(s->seed + 1, 2 * i);
        q[i] = how == VECTORS_EQUAL_ENERGY ? 1 : a;
        k[i] = how == VECTORS_EQUAL_ENERGY ? 1 : how == VECTORS_EQUAL ? a : how == VECTORS_SIMILAR ? a / 2 + b * sqrt(0.75) : b;
    }
}

/* Keys of a logit that depends on content: all are looked at, since CoPE counts over them. */
enum { CONTENT_REACH = 1024 };

/* Of every curve, table and read-out the same: FIRE asks where the query stands. */
static size_t content_keys(const struct scenario *s)
{
    return (size_t)fmin(reach(s) + 1, CONTENT_REACH);
}

static bool depends_on_content(const struct layer *layer)
{
    bool depends = false;
    for (size_t i = 0; i < layer->n; i++)
        depends = depends || layer->enc[i]->kind->context;
    return depends;
}

static struct table *repeated(const double *vector, size_t n, size_t d)
{
    struct table *t = table_new(2, (size_t[]){n, d});
    for (size_t i = 0; i < n; i++)
        memcpy(t->v + i * d, vector, d * sizeof *vector);
    return t;
}

/* Logits of the last of n tokens over all of them, every key alike; term (may be NULL): each term apart, [terms][n]. The caller frees
 * both. NULL: they cannot be had. */
static double *content_row(const struct scenario *s, const struct layer *layer, size_t n, double **term)
{
    size_t d = (size_t)layer->shape.d_head;
    const char *names[TERMS_MAX];
    size_t n_terms = attention_terms(layer, names);
    double *q = xmalloc(2 * d * sizeof *q), *row = NULL;
    draw_vectors(s, q, q + d, d);
    struct table *queries = repeated(q, n, d), *keys = repeated(q + d, n, d);
    struct attention_options options = {
        .head = (int)fmin(num(s, P_HEAD), layer->shape.n_heads - 1), .mask = {MASK_CAUSAL, 0}, .terms = (1u << n_terms) - 1, .show = SHOW_LOGIT,
        .content = {.type = CONTENT_TABLES, .q = queries, .k = keys}, .threads = 1,
    };
    struct attention *a = attention_open(layer, (double)n, &options, NULL);
    if (a) {
        row = xmalloc(n * sizeof *row);
        if (term)
            *term = xmalloc(n_terms * n * sizeof **term);
        attention_row(a, (double)n - 1, row, term ? *term : NULL);
    }
    attention_close(a);
    table_unref(queries);
    table_unref(keys);
    free(q);
    return row;
}

static bool change_with_content(const struct scenario *s, const struct layer *layer, const double *distance, size_t n, double *out)
{
    size_t keys = content_keys(s);
    double *row = content_row(s, layer, keys, NULL);
    for (size_t i = 0; row && i < n; i++)
        out[i] = distance[i] < (double)keys ? row[keys - 1 - (size_t)distance[i]] - row[keys - 1] : NAN;
    bool good = row != NULL;
    free(row);
    return good;
}

/* Change of the logit at n distances. */
static bool change(const struct scenario *s, const struct layer *layer, const double *distance, size_t n, double *out)
{
    size_t d = (size_t)layer->shape.d_head;
    double *q = xmalloc(2 * d * sizeof *q), *k = q + d, factor = layer->scale;
    struct field_options options = {.head = (int)fmin(num(s, P_HEAD), layer->shape.n_heads - 1)};
    if (depends_on_content(layer)) {
        free(q);
        return change_with_content(s, layer, distance, n, out);
    }
    draw_vectors(s, q, k, d);
    if (layer_bias(layer)) {
        options.kind = FIELD_BIAS;
        factor = 1;
    } else if (layer_rotate(layer)) {
        options.kind = FIELD_ROTATION;
        options.q = q;
        options.k = k;
    } else if (layer_row(layer)) {
        options.kind = FIELD_ROWS;
    } else {                                        /* no positions: nothing changes */
        memset(out, 0, n * sizeof *out);
        free(q);
        return true;
    }
    struct field *field = field_open(layer, &options, NULL);
    double zero = 0, at_zero = 0;
    if (field) {
        /* Rows of a sinusoid and biases by distance are the same from any key; FIRE also asks where the query stands. */
        field_profile(field, 0, &zero, 1, &at_zero);
        field_profile(field, 0, distance, n, out);
    }
    for (size_t i = 0; field && i < n; i++)
        out[i] = factor * (out[i] - at_zero);
    field_close(field);
    free(q);
    return field != NULL;
}

static double as_shown(const struct scenario *s, double change_of_logit)
{
    return num(s, P_SHOW) != 0 ? exp(change_of_logit) : change_of_logit;
}

/* ---- the schemes of the picture ------------------------------------------------------------------ */

static const char *const classic[] = {"sinusoidal", "rope", "alibi", "t5_bias", "kerple", "sandwich", "xpos", NULL};

static bool in_set(const struct scenario *s, const struct encoding *kind)
{
    switch ((int)num(s, P_SET)) {
    case SET_BIASES: return kind->bias && kind->axes == 1;
    case SET_TURNS:  return kind->rotate && kind->spectrum && kind->axes == 1;
    case SET_THIS:   return false;
    }
    return name_among(kind->id, classic);
}

static const char *present_title(const struct scenario *s)
{
    return lang_text(s->lang, s->n_items ? s->item[0].kind->title : N_("no position encoding"));
}

/* Calls fn for the present layer and each scheme of the set opened with its defaults, at most N_SERIES_ROLES. */
static void for_each_scheme(const struct scenario *s, void (*fn)(const struct scenario *, const struct layer *, const char *, void *), void *ctx)
{
    int count = 0;
    struct layer *present = scenario_layer(s, NULL);
    if (present) {
        fn(s, present, present_title(s), ctx);
        count++;
    }
    layer_close(present);
    for (size_t i = 0; encodings[i] && count < N_SERIES_ROLES; i++) {
        struct item item;
        if (!in_set(s, encodings[i]) || (s->n_items && s->item[0].kind == encodings[i]))
            continue;
        item_init(&item, encodings[i]);
        struct layer *layer = layer_open(&item, 1, &s->shape, NULL);
        if (layer) {
            fn(s, layer, lang_text(s->lang, encodings[i]->title), ctx);
            count++;
        }
        layer_close(layer);
        item_done(&item);
    }
}

/* The names that the curves will have. */
static void name_schemes(const struct scenario *s, struct panel *p)
{
    int count = 1;
    panel_will_name(p, present_title(s));
    for (size_t i = 0; encodings[i] && count < N_SERIES_ROLES; i++)
        if (in_set(s, encodings[i]) && !(s->n_items && s->item[0].kind == encodings[i])) {
            panel_will_name(p, lang_text(s->lang, encodings[i]->title));
            count++;
        }
}

/* ---- figure -------------------------------------------------------------------------------------- */

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    (void)err;
    enum lang l = s->lang;
    bool log = num(s, P_AXIS) != 0;
    struct span distances = view_window(s->zoom.x0, s->zoom.x1, log ? 1 : 0, reach(s), false);
    struct panel *p = figure_add(f, PANEL_CURVES, lang_text(l, num(s, P_SHOW) != 0 ? N_("factor on the weight") : N_("change of the logit")));
    axis_set(&p->x, lang_text(l, N_("distance")), lang_text(l, N_("tokens")), distances.from, distances.to, log);
    axis_set(&p->y, lang_text(l, num(s, P_SHOW) != 0 ? N_("factor") : N_("logit")), "", NAN, NAN, false);
    p->weight = 3;
    p->min_h = 8;
    name_schemes(s, p);
    p = figure_add(f, PANEL_TABLE, lang_text(l, N_("in numbers")));
    p->weight = 2;
    p->min_h = 5;
    p->max_h = 12;
    view_sources(s, NULL, f->source, sizeof f->source);
    return true;
}

static void add_curve(const struct scenario *s, const struct layer *layer, const char *title, void *ctx)
{
    struct panel *p = ctx;
    double *y = xmalloc(p->n_xs * sizeof *y);
    if (change(s, layer, p->xs, p->n_xs, y)) {
        struct series *series = panel_add_series(p, title);
        for (size_t i = 0; i < p->n_xs; i++)
            series->y[i] = as_shown(s, y[i]);
    }
    free(y);
}

enum { COLUMNS = 5 };
struct rows {
    struct panel *p;
    size_t next;
    double distance[COLUMNS];
};

static void add_row(const struct scenario *s, const struct layer *layer, const char *title, void *ctx)
{
    struct rows *r = ctx;
    double y[COLUMNS];
    if (r->next >= r->p->table_rows || !change(s, layer, r->distance, COLUMNS, y))
        return;
    panel_cell(r->p, r->next, 0, ROLE_TEXT, false, "%s", title);
    for (size_t c = 0; c < COLUMNS; c++) {
        char text[32];
        panel_cell(r->p, r->next, c + 1, ROLE_TEXT, true, "%s", isnan(y[c]) ? "–" : format_number(text, sizeof text, as_shown(s, y[c]), 5));
        panel_number(r->p, r->next, c + 1, isnan(y[c]) ? NAN : as_shown(s, y[c]));
    }
    r->next++;
}

static void fill_table(const struct scenario *s, struct panel *p)
{
    struct rows rows = {.p = p, .next = 1};
    panel_table(p, N_SERIES_ROLES + 1, COLUMNS + 1);
    panel_cell(p, 0, 0, ROLE_DIM, false, "%s", lang_text(s->lang, N_("scheme, at distance")));
    for (size_t c = 0; c < COLUMNS; c++) {
        char text[24];
        rows.distance[c] = fmax(1, round(pow(reach(s), (double)(c + 1) / COLUMNS)));
        format_number(text, sizeof text, rows.distance[c], 8);
        panel_cell(p, 0, c + 1, ROLE_DIM, true, "%s", text);
    }
    for_each_scheme(s, add_row, &rows);
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    (void)err;
    panel_spread_xs(&f->panel[0], (size_t)(f->panel[0].w > 2 ? f->panel[0].w : 2), true);
    for_each_scheme(s, add_curve, &f->panel[0]);
    panel_autorange(&f->panel[0]);
    if (num(s, P_SHOW) == 0)
        f->panel[0].lo = fmax(f->panel[0].lo, num(s, P_FLOOR));
    struct layer *present = scenario_layer(s, NULL);
    if (present && depends_on_content(present) && f->panel[0].x.to >= CONTENT_REACH)
        snprintf(f->panel[0].note, sizeof f->panel[0].note, lang_text(s->lang, N_("terms of content: to distance %d")), CONTENT_REACH - 1);
    else if ((double)f->panel[0].n_xs < f->panel[0].x.to - f->panel[0].x.from)
        snprintf(f->panel[0].note, sizeof f->panel[0].note, lang_text(s->lang, N_("exact at %zu distances; waves shorter than their spacing are not drawn")),
                 f->panel[0].n_xs);
    layer_close(present);
    fill_table(s, &f->panel[1]);
    return job_tick(job, 1);
}

/* "content 1.20 + query to relative position -0.31" at a distance; "" without terms of content. */
static void write_terms(const struct scenario *s, const struct layer *layer, double distance, char *out, size_t size)
{
    const char *names[TERMS_MAX];
    size_t n_terms = attention_terms(layer, names), keys = content_keys(s), at = 0;
    double *term = NULL, *row = depends_on_content(layer) && distance < (double)keys ? content_row(s, layer, keys, &term) : NULL;
    char number[32];
    *out = '\0';
    for (size_t i = 0; row && i < n_terms && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%s %s", i ? " + " : "; ", lang_text(s->lang, names[i]),
                               format_term(number, sizeof number, term[i * keys + keys - 1 - (size_t)distance], 4));
    free(term);
    free(row);
}

static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    (void)y;
    struct layer *layer = panel == 0 ? scenario_layer(s, NULL) : NULL;
    double d = fmax(round(x), 0), logit;
    out->known = layer && change(s, layer, &d, 1, &logit);
    if (out->known) {
        char terms[160];
        out->value = as_shown(s, logit);
        write_terms(s, layer, d, terms, sizeof terms);
        snprintf(out->name, sizeof out->name, lang_text(s->lang, N_("%s at distance %.0f")), present_title(s), d);
        if (isnan(logit))
            snprintf(out->formula, sizeof out->formula, lang_text(s->lang, N_("terms of content: to distance %d")), CONTENT_REACH - 1);
        else if (*terms)
            snprintf(out->formula, sizeof out->formula, lang_text(s->lang, N_("logit(%.0f) − logit(0) = %.6g%s")), d, logit, terms);
        else
            snprintf(out->formula, sizeof out->formula, lang_text(s->lang, N_("logit(%.0f) − logit(0) = %.6g; factor on the weight %.6g")), d, logit,
                     exp(logit));
        view_sources(s, NULL, out->source, sizeof out->source);
    }
    layer_close(layer);
    return out->known;
}

static const char *const idle[] = {"mrope_section", "mrope_interleaved", "shaw.clip_right", "kerple.bidirectional",
    "sandwich.variant", "sinusoidal.layout", NULL};

const struct view view_decay = {
    .id = "decay",
    .title = N_("decay"),
    .help = N_("How much a key loses by being far away. Each curve is the change of the logit against distance 0 for one scheme, with q and k of unit "
               "variance; or the factor by which the attention weight changes. Biases fall for ever; rotations swing, and what falls is only their envelope."),
    .params = params, .n_params = sizeof params / sizeof *params,
    .uses = USES_SHAPE | USES_SEED | USES_ENCODING,
    .idle = idle,
    .actions = actions, .n_actions = sizeof actions / sizeof *actions,
    .preset = "encodings/rope",
    .input = input,
    .derived = derived,
    .plan = plan,
    .compute = compute,
    .probe = probe,
};
