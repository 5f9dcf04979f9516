/* similarity.c - how alike two positions are to this encoding.
 *
 *     +-------------------------+-----------+
 *     |  queries x keys         |  against  |
 *     |  heatmap                |  distance |
 *     +-------------------------+-----------+
 *
 * rows: dot product or cosine of the added vectors; rotation: q.R(i-j)k, by default with equal energy in every pair, so that the
 * score is the mean of cos(w_k (i-j)); bias: the number added to the logit. With a projection (guide 2.1) the rows go through
 * random Wq, Wk first, and the share of variance that distance explains is stated. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "base/mem.h"
#include "base/rng.h"
#include "core/linear.h"
#include "core/measure.h"

enum { P_SCORE, P_HEAD, P_PROJECTION, P_DRAW };
enum { SCORE_AUTO, SCORE_DOT, SCORE_COSINE, SCORE_ROTATION, SCORE_BIAS };
static const char *const scores[] = {"auto", "dot", "cosine", "rotation", "bias", NULL};
static const char *const score_titles[] = {N_("auto"), N_("dot product"), N_("cosine"), N_("rotation"), N_("bias")};
static const char *const projections[] = {"none", "random", NULL};
static const char *const projection_titles[] = {N_("none"), N_("random")};

static const struct param params[] = {
    [P_SCORE] = {.name = "score", .title = N_("score"), .help = N_("what is compared: rows by dot product or cosine, rotations, or biases"),
                 .type = PARAM_CHOICE, .def = SCORE_AUTO, .choices = scores, .titles = score_titles},
    [P_HEAD] = {.name = "head", .title = N_("head"), .help = N_("head whose bias is shown, from 0"), .type = PARAM_INT, .def = 0, .min = 0,
                .max = FACTS_MAX_HEADS - 1, .step = 1, .of_heads = true},
    [P_PROJECTION] = {.name = "projection", .title = N_("projection"), .help = N_("put the rows through random query and key projections first"),
                      .type = PARAM_CHOICE, .def = 0, .choices = projections, .titles = projection_titles},
    [P_DRAW] = {.name = "draw", .title = N_("draw"), .when = "projection=random", .help = N_("which random projection"), .type = PARAM_INT, .def = 1, .min = 1,
                .max = 1e6, .step = 1},
};

static bool item_has(const struct scenario *s, bool (*has)(const struct encoding *))
{
    for (size_t i = 0; i < s->n_items; i++)
        if (has(s->item[i].kind))
            return true;
    return false;
}
static bool has_row(const struct encoding *k) { return k->row != NULL; }
static bool has_rotate(const struct encoding *k) { return k->spectrum && k->rotate; }
static bool has_bias(const struct encoding *k) { return k->bias != NULL; }

static const char *suits(const struct scenario *s)
{
    if (!s->n_items)
        return N_("This layer has no position encoding, so all positions are alike. Choose an encoding, for example with :encoding rope.");
    if (item_has(s, has_row) || item_has(s, has_rotate) || item_has(s, has_bias))
        return NULL;
    return N_("The scores of this encoding depend on the content of queries and keys. The view `attention` shows them.");
}

/* The score in use: what was chosen if the layer has it, else the first that it has. */
static int score_of(const struct scenario *s)
{
    int wanted = (int)view_num(s, VIEW_similarity, P_SCORE);
    bool row = item_has(s, has_row), rotate = item_has(s, has_rotate), bias = item_has(s, has_bias);
    if ((row && (wanted == SCORE_DOT || wanted == SCORE_COSINE)) || (rotate && wanted == SCORE_ROTATION) || (bias && wanted == SCORE_BIAS))
        return wanted;
    return row ? SCORE_DOT : rotate ? SCORE_ROTATION : SCORE_BIAS;
}

/* What an encoding has that gives the score. */
static bool (*giver_of(const struct scenario *s))(const struct encoding *)
{
    return score_of(s) <= SCORE_COSINE ? has_row : score_of(s) == SCORE_ROTATION ? has_rotate : has_bias;
}

static int head_of(const struct scenario *s)
{
    return (int)fmin(view_num(s, VIEW_similarity, P_HEAD), s->shape.n_heads - 1);
}

static bool projected(const struct scenario *s)
{
    return score_of(s) <= SCORE_COSINE && view_num(s, VIEW_similarity, P_PROJECTION) != 0;
}

/* A random projection with entries of variance 1/d_model. */
static struct table *random_projection(const struct scenario *s, uint64_t side)
{
    size_t dim[2] = {(size_t)s->shape.d_head, (size_t)s->shape.d_model};
    struct table *w = table_new(2, dim);
    uint64_t seed = 1000003 * (uint64_t)view_num(s, VIEW_similarity, P_DRAW) + side;
    rng_normals(seed, w->n, w->v);
    for (size_t i = 0; i < w->n; i++)
        w->v[i] /= sqrt((double)dim[1]);
    return w;
}

struct opened {
    struct layer *layer;
    struct field *field;
    struct table *wq, *wk;
};

static bool open_field(const struct scenario *s, struct opened *o, struct err *err)
{
    static const enum field_kind kinds[] = {[SCORE_DOT] = FIELD_ROWS, [SCORE_COSINE] = FIELD_ROWS_COSINE, [SCORE_ROTATION] = FIELD_ROTATION,
                                            [SCORE_BIAS] = FIELD_BIAS};
    *o = (struct opened){.layer = scenario_layer(s, err)};
    if (!o->layer)
        return false;
    struct field_options options = {.kind = kinds[score_of(s)], .head = head_of(s)};
    if (projected(s)) {
        if (!linear_size_fits("projection", (double)s->shape.d_head * s->shape.d_model, err))
            return false;
        options.kind = FIELD_PROJECTED;
        options.wq = o->wq = random_projection(s, 1);
        options.wk = o->wk = random_projection(s, 2);
    }
    if (score_of(s) == SCORE_BIAS)
        options.mask = s->mask;
    o->field = field_open(o->layer, &options, err);
    return o->field != NULL;
}

static void close_field(struct opened *o)
{
    field_close(o->field);
    layer_close(o->layer);
    table_unref(o->wq);
    table_unref(o->wk);
}

static const char *unit_of(const struct scenario *s)
{
    switch (score_of(s)) {
    case SCORE_DOT:    return projected(s) ? N_("projected dot product") : N_("dot product");
    case SCORE_COSINE: return projected(s) ? N_("projected dot product") : N_("cosine");
    case SCORE_BIAS:   return N_("logit");
    default:           return N_("mean cosine");
    }
}

static void span(double lo, double hi, double n, double *from, double *to)
{
    *from = isnan(lo) ? 0 : fmax(0, floor(lo));
    *to = isnan(hi) ? n : fmin(n, ceil(hi));
    if (*to <= *from)
        *to = *from + 1;
}

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    (void)err;
    const char *(*t)(enum lang, const char *) = lang_text;
    double n = s->shape.length, x0, x1, y0, y1;
    span(s->zoom.x0, s->zoom.x1, n, &x0, &x1);
    span(s->zoom.y0, s->zoom.y1, n, &y0, &y1);
    struct panel *p = figure_add(f, PANEL_HEATMAP, t(s->lang, N_("similarity of positions")));
    axis_set(&p->x, t(s->lang, N_("key")), t(s->lang, N_("position")), x0, x1, false);
    axis_set(&p->y, t(s->lang, N_("query")), t(s->lang, N_("position")), y0, y1, false);
    p->weight = 3;
    p->min_w = 20;
    p->min_h = 6;
    p->centred = true;
    p->by_distance = true;
    snprintf(p->unit, sizeof p->unit, "%s", t(s->lang, unit_of(s)));
    struct panel *c = figure_add(f, PANEL_CURVES, t(s->lang, N_("against distance")));
    axis_set(&c->x, t(s->lang, N_("query − key")), t(s->lang, N_("tokens")), 0, fmax(1, fmin(n - 1, x1 - x0)), false);
    axis_set(&c->y, t(s->lang, unit_of(s)), "", NAN, NAN, false);
    c->weight = 2;
    c->min_w = 24;
    c->min_h = 6;
    c->beside = true;
    view_sources(s, giver_of(s), f->source, sizeof f->source);
    return true;
}

static void fill_profile(const struct scenario *s, const struct field *field, struct panel *p)
{
    size_t n = panel_spread_xs(p, (size_t)(p->w > 2 ? p->w : 2), true);
    struct series *y = panel_add_series(p, lang_text(s->lang, projected(s) ? N_("from key 0") : N_("score")));
    field_profile(field, 0, p->xs, n, y->y);
    panel_autorange(p);
}

/* Guide 2.1: how much of the variance of the scores is a function of the distance. */
static void note_share(const struct scenario *s, const struct field *field, struct panel *p)
{
    size_t n = (size_t)fmin(96, s->shape.length);
    double *x = xmalloc(n * n * sizeof *x);
    struct pooled how;
    bool pooled = field_pool(field, (struct window){0, (double)n, 0, (double)n}, REDUCE_MEAN, (int)n, (int)n, x, &how, NULL, NULL);
    double share = pooled ? measure_distance_share(x, n) : NAN;
    if (!isnan(share))                      /* equal scores have no variance */
        snprintf(p->note, sizeof p->note, lang_text(s->lang, N_("distance explains %.2f of the variance (first %zu positions)")), share, n);
    free(x);
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    struct opened o;
    bool good = open_field(s, &o, err);
    if (good) {
        struct panel *p = &f->panel[0];
        struct window win = {p->y.from, p->y.to, p->x.from, p->x.to};
        struct pooled how = {0};
        if (p->h > 0 && p->w > 0) {
            good = field_pool(o.field, win, REDUCE_MEAN, p->h, p->w, panel_heatmap(p), &how, job_tick_fn, job);
            p->reduce = how.reduce;
            p->exact = how.exact;
            p->error = how.error;
            panel_autorange(p);
        }
        if (good && score_of(s) <= SCORE_COSINE)
            note_share(s, o.field, p);
        if (good)
            fill_profile(s, o.field, &f->panel[1]);
    }
    close_field(&o);
    return good;
}

static void write_formula(const struct scenario *s, double query, double key, char *out, size_t size)
{
    enum lang l = s->lang;
    if (projected(s))
        snprintf(out, size, lang_text(l, N_("(Wq p_%.0f) · (Wk p_%.0f)")), query, key);
    else if (score_of(s) == SCORE_DOT)
        snprintf(out, size, lang_text(l, N_("p_%.0f · p_%.0f")), query, key);
    else if (score_of(s) == SCORE_COSINE)
        snprintf(out, size, lang_text(l, N_("cos(p_%.0f, p_%.0f)")), query, key);
    else if (score_of(s) == SCORE_ROTATION)
        snprintf(out, size, lang_text(l, N_("mean over pairs of cos(ω (%.0f − %.0f))")), query, key);
    else
        snprintf(out, size, lang_text(l, N_("bias(%.0f, %.0f), head %d")), query, key, head_of(s));
}

static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    struct opened o;
    double query = panel == 1 ? round(x) : floor(y), key = panel == 1 ? 0 : floor(x);
    out->known = open_field(s, &o, NULL);
    if (out->known) {
        out->value = field_at(o.field, query, key);
        snprintf(out->name, sizeof out->name, lang_text(s->lang, N_("query %.0f, key %.0f (distance %.0f)")), query, key, query - key);
        write_formula(s, query, key, out->formula, sizeof out->formula);
        view_sources(s, giver_of(s), out->source, sizeof out->source);
    }
    close_field(&o);
    return out->known;
}

static const char *const idle[] = {"mrope_section", "mrope_interleaved", NULL};

const struct view view_similarity = {
    .id = "similarity",
    .title = N_("similarity"),
    .help = N_("Each cell compares a query's position with a key's. Bands along the diagonal mean that only the distance counts; the curve "
               "shows the score against the distance. For vectors that are added to the input it is their dot product or cosine, for "
               "rotations the mean cosine of the turned pairs, for biases the number added to the logit."),
    .params = params, .n_params = sizeof params / sizeof *params,
    .uses = USES_SHAPE | USES_MASK | USES_ENCODING,
    .idle = idle,
    .preset = "encodings/sinusoidal",
    .suits = suits,
    .plan = plan,
    .compute = compute,
    .probe = probe,
};
