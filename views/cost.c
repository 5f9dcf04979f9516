/* cost.c - what each scheme costs: numbers to train, arithmetic, and time measured now on this machine.
 *
 *     +--------------------------------------+
 *     |  a bar a scheme                      |
 *     +--------------------------------------+
 *     |  scheme: weights, work a token, work a pair, time |
 *     +--------------------------------------+
 *
 * The work follows from the hooks alone: a row adds d_model numbers a token; a rotation takes 4 multiply-adds a pair of channels, for q
 * in every head and for k in every head of keys, and a factor on the query (a rotate hook without frequencies) one a channel; a bias adds one number a
 * (query, key) and head; a context term takes d_head multiply-adds there, or a key and head where it is the same for every query (Transformer-XL's
 * u . k), and nothing where the settings leave it out (Shaw's keys are not asked by default, DeBERTa's pos_att_type). Times are those of this program's double-precision hooks,
 * measured while you wait, so they are marked, and left out (`timing` off) where a screen must repeat. The guide's 6.1 says that
 * absolute encodings compute least. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/view.h"
#include "base/mem.h"
#include "base/rng.h"
#include "figure/draw.h"

enum { P_SHOW, P_TIMING };
enum { SHOW_WORK, SHOW_WEIGHTS, SHOW_TIME, SHOW_COUNT };
static const char *const shows[] = {"work", "weights", "time", NULL};
static const char *const show_titles[] = {N_("work"), N_("trained numbers"), N_("time")};
static const struct param params[] = {
    [P_SHOW] = {.name = "show", .title = N_("show"), .help = N_("multiply-adds of one layer at length n, trained numbers, or measured time"),
                .type = PARAM_CHOICE, .def = SHOW_WORK, .choices = shows, .titles = show_titles},
    [P_TIMING] = {.name = "timing", .title = N_("timing"), .help = N_("measure times on this machine; they differ from run to run"), .type = PARAM_BOOL, .def = 0},
};

enum { A_SHOW, A_TIMING };
static const struct action actions[] = {
    {A_SHOW, 'v', 0, "next-cost", N_("work, weights, time"), true},
    {A_TIMING, 'm', 0, "measure", N_("measure times, or leave them out"), true},
};

static bool timing(const struct scenario *s)
{
    return view_num(s, VIEW_cost, P_TIMING) != 0;
}

static bool input(struct scenario *s, int action)
{
    struct value *v = s->view_param[VIEW_cost];
    if (action == A_SHOW) {
        v[P_SHOW].x = fmod(v[P_SHOW].x + 1, SHOW_COUNT);
        if (v[P_SHOW].x == SHOW_TIME)
            v[P_TIMING].x = 1;
    } else if (action == A_TIMING) {
        v[P_TIMING].x = !v[P_TIMING].x;
        if (!timing(s) && v[P_SHOW].x == SHOW_TIME)
            v[P_SHOW].x = SHOW_WORK;
    }
    return true;
}

/* ---- cost of one scheme -------------------------------------------------------------------------- */

struct cost {
    char name[64];
    bool present;
    double weights;             /* trained numbers */
    double per_token;           /* multiply-adds */
    double per_pair;            /* multiply-adds a (query, key), all heads */
    double work;                /* of one layer over the allowed pairs at length n */
    double seconds;             /* measured; NAN */
};

static size_t n_terms(const struct encoding *kind)
{
    size_t n = 0;
    while (kind->terms && kind->terms[n])
        n++;
    return n;
}

/* Heads whose keys are turned: those of the model, where several heads share one (grouped queries, Ainslie et al. 2023; latent attention
 * turns one key for all, DeepSeek-AI 2024); else one a head. A number of heads that is not the model's is the user's own. */
static double key_heads(const struct scenario *s)
{
    const struct facts *f = s->model;
    if (!f || isnan(f->num_kv_heads) || f->num_heads != s->shape.n_heads)
        return s->shape.n_heads;
    return strstr(facts_origin(f, "rotary_dim"), "qk_rope_head_dim") ? 1 : f->num_kv_heads;
}

/* A context term of the first head, as of any. */
static void count_term(const struct enc *e, int term, struct cost *c)
{
    double work = (double)e->shape.n_heads * e->shape.d_head;
    enum relative side = e->kind->relative ? e->kind->relative(e, term, 0, NULL, 0, NULL) : RELATIVE_NO;
    if (side != RELATIVE_ZERO)
        *(side == RELATIVE_KEY_ALONE ? &c->per_token : &c->per_pair) += work;
}

static void count_work(const struct scenario *s, const struct enc *e, struct cost *c)
{
    const struct encoding *kind = e->kind;
    double H = e->shape.n_heads, d = e->shape.d_head, turned = kind->spectrum ? 4 * (double)kind->spectrum(e)->n * (H + key_heads(s)) : H * d;
    c->weights += kind->weights ? kind->weights(e) : 0;
    c->per_token += kind->row ? e->shape.d_model : 0;
    c->per_token += kind->rotate ? turned : 0;
    c->per_pair += kind->bias ? H : 0;
    for (size_t t = 0; t < n_terms(kind); t++)
        count_term(e, (int)t, c);
    c->work = c->per_token * s->shape.length + c->per_pair * mask_pairs(s->mask, s->shape.length);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds that the hooks of e need for one head and n tokens (rows, turns) and n keys of one query (biases, terms). */
enum { TIMED_TOKENS = 256, REPEATS = 5 };

static double time_once(const struct enc *e)
{
    size_t n = TIMED_TOKENS, d = (size_t)e->shape.d_head, wide = (size_t)e->shape.d_model > d ? (size_t)e->shape.d_model : d, axes = (size_t)e->axes;
    double *pos = xcalloc(n * axes, sizeof *pos), *x = xcalloc(n * wide, sizeof *x), *content = xcalloc(n, sizeof *content), *out = xcalloc(n, sizeof *out);
    for (size_t i = 0; i < n * axes; i++)
        pos[i] = (double)(i / axes % 7);
    for (size_t i = 0; i < n * d; i++)
        x[i] = rng_normal(3, i);
    struct query q = {pos, x};
    struct keys k = {n, pos, x, content};
    double from = now();
    if (e->kind->row)
        e->kind->row(e, pos, n, x);
    if (e->kind->rotate)
        e->kind->rotate(e, SIDE_QUERY, 0, pos, n, x);
    if (e->kind->bias)
        e->kind->bias(e, 0, pos, pos, n, out);
    for (size_t t = 0; t < n_terms(e->kind); t++)
        e->kind->context(e, (int)t, 0, &q, &k, out);
    double seconds = now() - from;
    free(pos);
    free(x);
    free(content);
    free(out);
    return seconds;
}

static double time_hooks(const struct enc *e)
{
    double best = INFINITY;
    for (int i = 0; i < REPEATS; i++)
        best = fmin(best, time_once(e));
    return best;
}

static bool measure_layer(const struct scenario *s, const struct item *items, size_t n, const char *name, bool timed, struct cost *c)
{
    struct layer *layer = layer_open(items, n, &s->shape, NULL);
    if (!layer)
        return false;
    *c = (struct cost){.seconds = timed ? 0 : NAN};
    snprintf(c->name, sizeof c->name, "%s", name);
    for (size_t i = 0; i < layer->n; i++) {
        count_work(s, layer->enc[i], c);
        if (timed)
            c->seconds += time_hooks(layer->enc[i]);
    }
    layer_close(layer);
    return true;
}

enum { MAX_SCHEMES = 40 };

/* The present layer first, then every other encoding by itself. job: NULL for a read-out, which does not wait for times. */
static size_t all_costs(const struct scenario *s, struct cost *out, struct job *job)
{
    size_t n = 0;
    bool timed = timing(s) && job;
    const char *name = lang_text(s->lang, s->n_items ? s->item[0].kind->title : N_("no position encoding"));
    if (measure_layer(s, s->item, s->n_items, name, timed, &out[n]))
        out[n++].present = true;
    for (size_t i = 0; encodings[i] && n < MAX_SCHEMES; i++) {
        struct item item;
        if (s->n_items == 1 && s->item[0].kind == encodings[i])
            continue;
        item_init(&item, encodings[i]);
        n += measure_layer(s, &item, 1, lang_text(s->lang, encodings[i]->title), timed, &out[n]);
        item_done(&item);
        if (job && !job_tick(job, (double)n / MAX_SCHEMES))
            return 0;
    }
    return n;
}

/* ---- figure -------------------------------------------------------------------------------------- */

static double shown(const struct scenario *s, const struct cost *c)
{
    switch ((int)view_num(s, VIEW_cost, P_SHOW)) {
    case SHOW_WEIGHTS: return c->weights;
    case SHOW_TIME:    return c->seconds * 1e6;
    default:           return c->work;
    }
}

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    (void)err;
    static const char *const titles[] = {N_("multiply-adds of one layer"), N_("trained numbers"), N_("microseconds, measured now on this machine")};
    enum lang l = s->lang;
    struct panel *p = figure_add(f, PANEL_BARS, lang_text(l, titles[(int)view_num(s, VIEW_cost, P_SHOW)]));
    p->weight = 1;
    p->min_h = 6;
    p = figure_add(f, PANEL_TABLE, lang_text(l, N_("in numbers")));
    p->weight = 1;
    p->min_h = 6;
    snprintf(f->source, sizeof f->source, "%s", lang_text(l, N_("counted from the hooks; the guide, 6.1, for the claim")));
    return true;
}

static void fill_bars(const struct scenario *s, struct panel *p, const struct cost *costs, size_t n)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < n; i++) {
        double value = shown(s, &costs[i]);
        struct bar *bar = panel_add_bar(p, costs[i].name, value);
        bar->role = costs[i].present ? ROLE_ACCENT : ROLE_SERIES_0;
        if (isfinite(value) && value > 0) {
            least = fmin(least, value);
            most = fmax(most, value);
        }
    }
    /* Work by the token and work by the pair lie decades apart. */
    p->x.log = most > 100 * least;
    p->lo = p->x.log ? pow(10, floor(log10(least)) - 1) : 0;
    p->hi = most > 0 ? most : 1;
    if (p->x.log)
        snprintf(p->note, sizeof p->note, "%s", lang_text(s->lang, N_("logarithmic")));
}

static void fill_table(const struct scenario *s, struct panel *p, const struct cost *costs, size_t n)
{
    const char *const heads[] = {N_("scheme"), N_("trained numbers"), N_("work a token"), N_("work a pair"), N_("µs (256 tokens)")};
    size_t columns = timing(s) ? 5 : 4;
    panel_table(p, n + 1, columns);
    for (size_t c = 0; c < columns; c++)
        panel_cell(p, 0, c, ROLE_DIM, c > 0, "%s", lang_text(s->lang, heads[c]));
    for (size_t i = 0; i < n; i++) {
        const double numbers[] = {costs[i].weights, costs[i].per_token, costs[i].per_pair, costs[i].seconds * 1e6};
        panel_cell(p, i + 1, 0, costs[i].present ? ROLE_ACCENT : ROLE_TEXT, false, "%s", costs[i].name);
        for (size_t c = 1; c < columns; c++) {
            char text[32];
            format_number(text, sizeof text, numbers[c - 1], 6);
            panel_cell(p, i + 1, c, ROLE_TEXT, true, "%s", text);
        }
    }
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    (void)err;
    struct cost *costs = xcalloc(MAX_SCHEMES, sizeof *costs);
    size_t n = all_costs(s, costs, job);
    if (n) {
        fill_bars(s, &f->panel[0], costs, n);
        fill_table(s, &f->panel[1], costs, n);
    }
    free(costs);
    return n > 0;
}

static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    (void)x;
    struct cost *costs = xcalloc(MAX_SCHEMES, sizeof *costs), c;
    size_t n = all_costs(s, costs, NULL), i = panel == 0 ? (size_t)fmax(y, 0) : (size_t)fmax(y - 1, 0);
    out->known = i < n;
    if (out->known) {
        bool weights = view_num(s, VIEW_cost, P_SHOW) == SHOW_WEIGHTS;
        c = costs[i];
        char number[40];
        out->value = weights ? c.weights : c.work;
        format_number(number, sizeof number, out->value, 9);
        snprintf(out->name, sizeof out->name, lang_text(s->lang, N_("%s, n = %.0f")), c.name, s->shape.length);
        snprintf(out->value_text, sizeof out->value_text,
                 lang_text(s->lang, weights ? N_("%s trained numbers") : N_("%s multiply-adds a layer")), number);
        out->worded = true;
        snprintf(out->formula, sizeof out->formula, lang_text(s->lang, N_("%.0f a token × %.0f + %.0f a pair × %.0f pairs")), c.per_token, s->shape.length,
                 c.per_pair, mask_pairs(s->mask, s->shape.length));
        if (key_heads(s) == s->shape.n_heads)
            snprintf(out->source, sizeof out->source, "%s", lang_text(s->lang, N_("counted from the hooks")));
        else
            snprintf(out->source, sizeof out->source, lang_text(s->lang, N_("counted from the hooks; heads of queries %d, of keys %.0f")), s->shape.n_heads, key_heads(s));
    }
    free(costs);
    return out->known;
}

static const char *const only[] = {"rotary_dim", "partial_rotary_factor", "rope_type", "learned.offset", "n_dims",
    "learned.max_position_embeddings", "learned.style", "target_grid", "table_grid", "num_buckets",
    "position_embedding_type", "clip", "clip_left", "clip_right", "shaw.max_position_embeddings", "version",
    "position_buckets", "max_relative_positions", "deberta.max_position_embeddings", "pos_att_type", "share_att_key",
    "norm_rel_ebd", "npos_max", "relpos_2d.style", "relpos_2d.window", "mlp_width", NULL};

const struct view view_cost = {
    .id = "cost",
    .title = N_("cost"),
    .help = N_("What a scheme adds to one layer: numbers to train, and multiply-adds for the present length, heads and mask. Rows and rotations cost by the "
               "token, biases and relative terms by the pair of tokens. Times, if you ask for them, are measured on this machine now."),
    .params = params, .n_params = sizeof params / sizeof *params,
    .uses = USES_SHAPE | USES_MASK | USES_ENCODING,
    .placeless = true,
    .only = only,
    .actions = actions, .n_actions = sizeof actions / sizeof *actions,
    .input = input,
    .plan = plan,
    .compute = compute,
    .probe = probe,
};
