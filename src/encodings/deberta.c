/* deberta.c - disentangled attention (He et al. 2021, arXiv 2006.03654; v3: He et al. 2023, arXiv 2111.09543).
 *
 *     delta = i - j (query minus key);  span = position_buckets if > 0 else max_relative_positions
 *     x = clip(b(delta) + span, 0, 2 span - 1),  b = identity, or with buckets the logarithmic one
 *     logit = (q_i . k_j + q_i . Kr[x] + k_j . Qr[x]) / sqrt(d_head scale_factor),  scale_factor = 1 + number of terms
 *     b(r) = r if |r| <= mid, else sign(r) (ceil(ln(|r|/mid) / ln((M-1)/mid) (mid-1)) + mid);  mid = floor(buckets/2)
 *
 * M is max_relative_positions, below 1 max_position_embeddings. Kr and Qr are key and query projection of the table
 * rel_embeddings: with share_att_key those of the content, else projections of their own. Both terms use the same x, as both code
 * bases do; equation 4 of the paper, read literally, has the opposite sign in the second.
 *
 * v1: span = min(length, max_relative_positions), and of the table's rows the 2 span in the middle are used; no buckets.
 * Without rel_embeddings the projected tables are seeded with variance 1: terms of the content's size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/blas.h"
#include "core/linear.h"
#include "core/logits.h"
#include "core/quantity.h"
#include "core/rounding.h"

enum { VERSION, POSITION_BUCKETS, MAX_RELATIVE_POSITIONS, MAX_POSITION_EMBEDDINGS, POS_ATT_TYPE, SCALE_FACTOR,
       SHARE_ATT_KEY, NORM_REL_EBD, SEED, REL_EMBEDDINGS, QUERY_PROJ_WEIGHT, QUERY_PROJ_BIAS, KEY_PROJ_WEIGHT, KEY_PROJ_BIAS,
       POS_QUERY_PROJ_WEIGHT, POS_QUERY_PROJ_BIAS, POS_KEY_PROJ_WEIGHT, POS_KEY_PROJ_BIAS, POS_PROJ_WEIGHT,
       POS_Q_PROJ_WEIGHT, POS_Q_PROJ_BIAS, NORM_WEIGHT, NORM_BIAS };
enum { VERSION_1, VERSION_2 };
enum { BOTH, C2P, P2C, NEITHER, BOTH_REVERSED };
enum { NORM_NONE, NORM_LAYER };
enum { TERM_C2P, TERM_P2C };

static const char *const versions[] = {"v1", "v2", NULL};
static const char *const types[] = {"c2p|p2c", "c2p", "p2c", "none", "p2c|c2p", NULL};
static const char *const type_titles[] = {"c2p + p2c", "c2p", "p2c", N_("none"), "p2c + c2p"};
static const char *const norms[] = {"none", "layer_norm", NULL};
static const char *const norm_titles[] = {N_("none"), N_("layer norm")};
#define WEIGHTS(n, h) {.name = (n), .help = (h), .type = PARAM_TABLE, .def = NAN}
static const struct param params[] = {
    [VERSION] = {.name = "version", .help = N_("v2 stands for v2 and v3"), .type = PARAM_CHOICE, .def = VERSION_2,
                 .choices = versions},
    [POSITION_BUCKETS] = {.name = "position_buckets",
                          .help = N_("distances share this many buckets each way; -1 or 0: each has its own"),
                          .type = PARAM_INT, .def = 256, .min = -1, .max = 65536},
    [MAX_RELATIVE_POSITIONS] = {.name = "max_relative_positions", .unit = N_("tokens"),
                                .help = N_("largest distance told apart; below 1: max_position_embeddings"),
                                .type = PARAM_INT, .def = -1, .min = -1, .max = 1e9},
    [MAX_POSITION_EMBEDDINGS] = {.name = "max_position_embeddings", .unit = N_("tokens"),
                                 .help = N_("length the model was made for"),
                                 .type = PARAM_INT, .def = 512, .min = 1, .max = 1e9},
    [POS_ATT_TYPE] = {.name = "pos_att_type",
                      .help = N_("which terms are added: content to position, position to content; their order means nothing"),
                      .type = PARAM_CHOICE, .def = BOTH, .choices = types, .titles = type_titles},
    [SCALE_FACTOR] = {.name = "scale_factor",
                      .help = N_("logits are divided by the root of d_head times this; absent: 1 + number of terms"),
                      .type = PARAM_REAL, .def = NAN, .min = 0.01, .max = 100},
    [SHARE_ATT_KEY] = {.name = "share_att_key", .help = N_("the content's projections serve the relative table too"),
                       .type = PARAM_BOOL, .def = 1},
    [NORM_REL_EBD] = {.name = "norm_rel_ebd", .help = N_("whether the relative table is layer-normalised first"),
                      .type = PARAM_CHOICE, .def = NORM_NONE, .choices = norms, .titles = norm_titles},
    [SEED] = LINEAR_SEED,
    [REL_EMBEDDINGS] = WEIGHTS("rel_embeddings", N_("relative table, 2 span x d_model")),
    [QUERY_PROJ_WEIGHT] = WEIGHTS("query_proj_weight", N_("query projection")),
    [QUERY_PROJ_BIAS] = WEIGHTS("query_proj_bias", N_("offsets of the query projection")),
    [KEY_PROJ_WEIGHT] = WEIGHTS("key_proj_weight", N_("key projection")),
    [KEY_PROJ_BIAS] = WEIGHTS("key_proj_bias", N_("offsets of the key projection")),
    [POS_QUERY_PROJ_WEIGHT] = WEIGHTS("pos_query_proj_weight", N_("query projection of the relative table, if not shared")),
    [POS_QUERY_PROJ_BIAS] = WEIGHTS("pos_query_proj_bias", N_("offsets of the query projection of the relative table")),
    [POS_KEY_PROJ_WEIGHT] = WEIGHTS("pos_key_proj_weight", N_("key projection of the relative table, if not shared")),
    [POS_KEY_PROJ_BIAS] = WEIGHTS("pos_key_proj_bias", N_("offsets of the key projection of the relative table")),
    [POS_PROJ_WEIGHT] = WEIGHTS("pos_proj_weight", N_("v1: key projection of the relative table, without offsets")),
    [POS_Q_PROJ_WEIGHT] = WEIGHTS("pos_q_proj_weight", N_("v1: query projection of the relative table")),
    [POS_Q_PROJ_BIAS] = WEIGHTS("pos_q_proj_bias", N_("v1: offsets of the query projection of the relative table")),
    [NORM_WEIGHT] = WEIGHTS("rel_norm_weight", N_("gains of the layer normalisation; 1 if absent")),
    [NORM_BIAS] = WEIGHTS("rel_norm_bias", N_("offsets of the layer normalisation; 0 if absent")),
};

struct projection { struct table *weight, *offset; };      /* [n_heads * d_head, d_model], and one a row or NULL */
struct state {
    double span, max_distance;      /* M */
    double scale_factor;
    double log_range;               /* ln((M - 1) / mid); unused without buckets */
    struct table *rows;             /* of rel_embeddings, [2 span, d_model]; NULL: Kr and Qr are seeded */
    struct projection keys, queries;
    struct linear_heads heads;      /* Kr, then Qr, [2 span, d_head] each */
};

static bool has_term(const struct enc *e, int term)
{
    int type = (int)enc_num(e, POS_ATT_TYPE);
    return type == BOTH || type == BOTH_REVERSED || type == (term == TERM_C2P ? C2P : P2C);
}

static bool has_buckets(const struct enc *e)
{
    return enc_num(e, POSITION_BUCKETS) > 0 && enc_num(e, VERSION) == VERSION_2;
}

/* ---- opening --------------------------------------------------------------------------------------- */

static bool find_span(struct enc *e, struct err *err)
{
    struct state *s = e->state;
    double buckets = enc_num(e, POSITION_BUCKETS), mid = floor(buckets / 2);
    s->max_distance = enc_num(e, MAX_RELATIVE_POSITIONS);
    if (s->max_distance < 1)
        s->max_distance = enc_num(e, MAX_POSITION_EMBEDDINGS);
    s->span = enc_num(e, VERSION) == VERSION_1 ? fmin(floor(e->shape.length), s->max_distance) : s->max_distance;
    if (!has_buckets(e))
        return true;
    if (mid < 1)
        return err_set(err, N_("position_buckets = %g: must be at least 2, or -1 for none"), buckets);
    if (s->max_distance - 1 <= mid)
        return err_set(err, N_("%s = %g: must be at least %g with position_buckets = %g"),
                       params[enc_num(e, MAX_RELATIVE_POSITIONS) < 1 ? MAX_POSITION_EMBEDDINGS : MAX_RELATIVE_POSITIONS].name, s->max_distance,
                       mid + 2, buckets);
    s->span = buckets;
    s->log_range = log((s->max_distance - 1) / mid);
    return true;
}

/* Each row to mean 0 and variance 1, as torch's LayerNorm with the models' eps of 1e-7. */
static void normalise(double *x, size_t rows, size_t width, const struct table *gain, const struct table *offset)
{
    for (size_t r = 0; r < rows; r++, x += width) {
        double mean = 0, variance = 0;
        for (size_t c = 0; c < width; c++)
            mean += x[c] / (double)width;
        for (size_t c = 0; c < width; c++)
            variance += (x[c] - mean) * (x[c] - mean) / (double)width;
        for (size_t c = 0; c < width; c++)
            x[c] = (x[c] - mean) / sqrt(variance + 1e-7) * (gain ? gain->v[c] : 1) + (offset ? offset->v[c] : 0);
    }
}

/* The 2 span rows of rel_embeddings that are used, normalised if asked; NULL if it is wrong. */
static struct table *used_rows(const struct enc *e, struct err *err)
{
    const struct state *s = e->state;
    size_t D = (size_t)e->shape.d_model, span = (size_t)s->span;
    size_t all = enc_num(e, VERSION) == VERSION_1 ? (size_t)s->max_distance : span;
    struct table *given, *gain = NULL, *offset = NULL, *rows = NULL;
    if (linear_given(e, REL_EMBEDDINGS, 2, (size_t[]){2 * all, D}, &given, err) &&
        linear_given(e, NORM_WEIGHT, 1, &D, &gain, err) && linear_given(e, NORM_BIAS, 1, &D, &offset, err)) {
        rows = table_new(2, (size_t[]){2 * span, D});
        memcpy(rows->v, given->v + (all - span) * D, rows->n * sizeof *rows->v);
        if (enc_num(e, NORM_REL_EBD) == NORM_LAYER)
            normalise(rows->v, 2 * span, D, gain, offset);
    }
    table_unref(given);
    table_unref(gain);
    table_unref(offset);
    return rows;
}

static bool read_projection(const struct enc *e, int weight, int offset, struct projection *p, struct err *err)
{
    size_t all = (size_t)e->shape.n_heads * (size_t)e->shape.d_head;
    if (!linear_given(e, weight, 2, (size_t[]){all, (size_t)e->shape.d_model}, &p->weight, err) ||
        (offset >= 0 && !linear_given(e, offset, 1, &all, &p->offset, err)))
        return false;
    return p->weight || err_set(err, N_("%s: is needed with rel_embeddings"), params[weight].name);
}

static bool read_table(struct enc *e, struct err *err)
{
    struct state *s = e->state;
    s->rows = used_rows(e, err);
    if (!s->rows)
        return false;
    if (enc_num(e, VERSION) == VERSION_1)
        return read_projection(e, POS_PROJ_WEIGHT, -1, &s->keys, err) &&
               read_projection(e, POS_Q_PROJ_WEIGHT, POS_Q_PROJ_BIAS, &s->queries, err);
    if (enc_num(e, SHARE_ATT_KEY) != 0)
        return read_projection(e, KEY_PROJ_WEIGHT, KEY_PROJ_BIAS, &s->keys, err) &&
               read_projection(e, QUERY_PROJ_WEIGHT, QUERY_PROJ_BIAS, &s->queries, err);
    return read_projection(e, POS_KEY_PROJ_WEIGHT, POS_KEY_PROJ_BIAS, &s->keys, err) &&
           read_projection(e, POS_QUERY_PROJ_WEIGHT, POS_QUERY_PROJ_BIAS, &s->queries, err);
}

static bool init(struct enc *e, struct err *err)
{
    struct state *s = e->state;
    if (!find_span(e, err) || !linear_heads_init(&s->heads, e, "rel_embeddings", 4 * s->span * e->shape.d_head, err))
        return false;
    double terms = has_term(e, TERM_C2P) + has_term(e, TERM_P2C);
    s->scale_factor = enc_has(e, SCALE_FACTOR) ? enc_num(e, SCALE_FACTOR) : 1 + terms;
    e->scale = 1 / sqrt(e->shape.d_head * s->scale_factor);
    return !enc_has(e, REL_EMBEDDINGS) || read_table(e, err);
}

static void done(struct enc *e)
{
    struct state *s = e->state;
    linear_heads_done(&s->heads);
    table_unref(s->rows);
    table_unref(s->keys.weight);
    table_unref(s->keys.offset);
    table_unref(s->queries.weight);
    table_unref(s->queries.offset);
}

/* Kr or Qr of a head, [2 span, d_head]: projected, or seeded. */
static void make_side(const struct enc *e, int term, const struct projection *p, int head, double *out)
{
    const struct state *s = e->state;
    size_t n = 2 * (size_t)s->span, numbers = n * (size_t)e->shape.d_head;
    if (s->rows)
        linear_apply_head(e, head, p->weight, p->offset, s->rows->v, n, out);
    else
        linear_seed(e, SEED, (unsigned)term, 1, (size_t)head * numbers, numbers, out);
}

static void make_head(const struct enc *e, int head, double *out)
{
    const struct state *s = e->state;
    make_side(e, TERM_C2P, &s->keys, head, out);
    make_side(e, TERM_P2C, &s->queries, head, out + 2 * (size_t)s->span * (size_t)e->shape.d_head);
}

/* ---- scores ---------------------------------------------------------------------------------------- */

static double log_bucket(const struct enc *e, double r)
{
    const struct state *s = e->state;
    double mid = floor(enc_num(e, POSITION_BUCKETS) / 2), a = fabs(r);
    return a <= mid ? r : copysign(ceil(settled_steps(a / mid, s->log_range, mid - 1)) + mid, r);
}

static size_t row_index(const struct enc *e, double delta)
{
    const struct state *s = e->state;
    double b = has_buckets(e) ? log_bucket(e, delta) : delta;
    return (size_t)fmin(fmax(b + s->span, 0), 2 * s->span - 1);
}

static void context(const struct enc *e, int term, int head, const struct query *q, const struct keys *k, double *out)
{
    const struct state *s = e->state;
    size_t d = (size_t)e->shape.d_head;
    const double *table = linear_heads_get(&s->heads, e, head, make_head) + (term == TERM_C2P ? 0 : 2 * (size_t)s->span * d);
    bool on = has_term(e, term);
    for (size_t j = 0; j < k->n; j++) {
        const double *row = table + row_index(e, *q->pos - k->pos[j]) * d;
        out[j] = on ? e->scale * linear_dot(term == TERM_C2P ? q->vec : k->vec + j * d, row, d) : 0;
    }
}

static enum relative relative(const struct enc *e, int term, int head, const double *distance, size_t n, double *out)
{
    const struct state *s = e->state;
    size_t d = (size_t)e->shape.d_head;
    if (!has_term(e, term))
        return RELATIVE_ZERO;
    const double *table = linear_heads_get(&s->heads, e, head, make_head) + (term == TERM_C2P ? 0 : 2 * (size_t)s->span * d);
    for (size_t i = 0; out && i < n; i++) {
        const double *row = table + row_index(e, distance[i]) * d;
        for (size_t c = 0; c < d; c++)
            out[i * d + c] = e->scale * row[c];
    }
    return term == TERM_C2P ? RELATIVE_QUERY : RELATIVE_KEY;
}

/* ---- quantities ------------------------------------------------------------------------------------ */

static bool q_log_bucket(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    const struct state *s = e->state;
    bool clamp = !strcmp(request_text(r, "impl", ""), "microsoft");     /* whose code caps |r| before, not after */
    if (!has_buckets(e) || !r->positions)
        return err_set(err, N_("log_bucket: needs position_buckets above 0 and positions, each a query's position minus "
                               "the key's"));
    double *v = answer_new(out, r->positions->rank, r->positions->dim, err);
    for (size_t i = 0; v && i < r->positions->n; i++) {
        double x = r->positions->v[i], most = s->max_distance - 1;
        v[i] = log_bucket(e, clamp ? fmin(fmax(x, -most), most) : x);
    }
    out->integer = true;
    return v != NULL;
}

static bool q_rel_index(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    size_t n = (size_t)e->shape.length;
    double *v = answer_new(out, 2, (size_t[]){n, n}, err);
    for (size_t i = 0; v && i < n; i++)
        for (size_t j = 0; j < n; j++)
            v[i * n + j] = (double)row_index(e, (double)i - (double)j);
    out->integer = true;
    return v != NULL;
}

/* v1's in_proj_weight has rows grouped by head, in each the query's, the key's and the value's; only q and v have offsets. */
static bool project_v1(const struct enc *e, const struct request *r, const struct table *x, double *q, double *k, struct err *err)
{
    size_t H = (size_t)e->shape.n_heads, d = (size_t)e->shape.d_head, D = (size_t)e->shape.d_model, all = H * d;
    const struct table *w = request_need(r, "in_proj_weight", 2, (size_t[]){3 * all, D}, err);
    const struct table *b = w ? request_need(r, "q_bias", 1, &all, err) : NULL;
    for (size_t i = 0; b && i < x->dim[0]; i++)
        memcpy(q + i * all, b->v, all * sizeof *q);
    for (size_t h = 0; b && h < H; h++) {
        const double *rows = w->v + 3 * h * d * D;
        blas_dgemm_nt(x->dim[0], d, D, 1, x->v, D, rows, D, 1, q + h * d, all);
        blas_dgemm_nt(x->dim[0], d, D, 1, x->v, D, rows + d * D, D, 0, k + h * d, all);
    }
    return b != NULL;
}

static bool project_v2(const struct enc *e, const struct request *r, const struct table *x, double *q, double *k, struct err *err)
{
    size_t all = (size_t)e->shape.n_heads * (size_t)e->shape.d_head, dim[2] = {all, (size_t)e->shape.d_model};
    const struct table *wq = request_need(r, "query_proj_weight", 2, dim, err);
    const struct table *bq = wq ? request_need(r, "query_proj_bias", 1, dim, err) : NULL;
    const struct table *wk = bq ? request_need(r, "key_proj_weight", 2, dim, err) : NULL;
    const struct table *bk = wk ? request_need(r, "key_proj_bias", 1, dim, err) : NULL;
    if (!bk)
        return false;
    linear_apply(wq, bq, x->v, x->dim[0], q);
    linear_apply(wk, bk, x->v, x->dim[0], k);
    return true;
}

static void all_heads(const struct enc *e, unsigned parts, const double *q, const double *k, size_t n, double *out)
{
    size_t d = (size_t)e->shape.d_head;
    double *pos = logits_positions(0, n), *one = xcalloc(2 * n * d + 1, sizeof *one);
    for (int h = 0; h < e->shape.n_heads; h++) {
        logits_head(e, h, q, n, one);
        logits_head(e, h, k, n, one + n * d);
        logits_compute(e, h, parts, (struct logits_side){n, pos, one}, (struct logits_side){n, pos, one + n * d},
                       out + (size_t)h * n * n);
    }
    free(pos);
    free(one);
}

static const struct { const char *name; unsigned parts; } sums[] = {
    {"c2c", LOGITS_CONTENT}, {"c2p", LOGITS_TERM_0}, {"p2c", LOGITS_TERM_1}, {"rel_bias", LOGITS_TERM_0 | LOGITS_TERM_1},
    {"scores", LOGITS_ALL},
};

/* x attends to itself; the output's name says which parts of the logit are wanted. */
static bool q_sum(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    size_t i = 0, H = (size_t)e->shape.n_heads, all = H * (size_t)e->shape.d_head;
    while (strcmp(sums[i].name, r->output))
        i++;
    const struct table *x = request_need(r, "x", 2, (size_t[]){0, (size_t)e->shape.d_model}, err);
    double *v = x ? answer_new(out, 3, (size_t[]){H, x->dim[0], x->dim[0]}, err) : NULL;
    if (!v)
        return false;
    double *q = xcalloc(2 * x->dim[0] * all + 1, sizeof *q), *k = q + x->dim[0] * all;
    bool fits = (enc_num(e, VERSION) == VERSION_1 ? project_v1 : project_v2)(e, r, x, q, k, err);
    if (fits)
        all_heads(e, sums[i].parts, q, k, x->dim[0], v);
    free(q);
    return fits;
}

static bool q_scale_factor(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    const struct state *s = e->state;
    return answer_list(out, &s->scale_factor, 1, err);
}

static const struct quantity quantities[] = {
    {.name = "scale_factor", .help = N_("the scale factor in use"), .compute = q_scale_factor},
    {.name = "log_bucket", .help = N_("logarithmic bucket of each relative position, query minus key"), .compute = q_log_bucket},
    {.name = "rel_index", .help = N_("row of the relative table for each pair: [query, key]"), .compute = q_rel_index},
    {.name = "c2c", .help = N_("content to content, scaled, of input x and its projections: [head, query, key]"),
     .compute = q_sum},
    {.name = "c2p", .help = N_("content to position, scaled"), .compute = q_sum},
    {.name = "p2c", .help = N_("position to content, scaled"), .compute = q_sum},
    {.name = "rel_bias", .help = N_("both position terms"), .compute = q_sum},
    {.name = "scores", .help = N_("the whole logits"), .compute = q_sum},
};

static const char *const terms[] = {N_("content to position"), N_("position to content"), NULL};

/* The table and its layer normalisation, and its own projections with their offsets where the content's are not shared. */
static double weights(const struct enc *e)
{
    const struct state *s = e->state;
    bool v1 = enc_num(e, VERSION) == VERSION_1;
    double hidden = (double)e->shape.n_heads * e->shape.d_head, D = e->shape.d_model;
    double table = 2 * (v1 ? s->max_distance : s->span) * D + (enc_num(e, NORM_REL_EBD) == NORM_LAYER ? 2 * D : 0);
    if (!v1 && enc_num(e, SHARE_ATT_KEY) != 0)
        return table;
    return table + (has_term(e, TERM_C2P) ? hidden * (D + !v1) : 0) + (has_term(e, TERM_P2C) ? hidden * (D + 1) : 0);
}

const struct encoding encoding_deberta = {
    .id = "deberta",
    .title = N_("DeBERTa"),
    .help = N_("Content and position have vectors of their own: to the product of query and key come the query's product "
               "with a vector of the relative position and the key's product with another. Far distances share "
               "logarithmic buckets."),
    .year = 2021,
    .cite = "He et al. 2021, equations 2 to 4 (arXiv 2006.03654)",
    .scheme = "deberta_disentangled",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .terms = terms,
    .axes = 1,
    .state_size = sizeof(struct state),
    .promises = PROMISE_RELATIVE | PROMISE_NEEDS_TABLE,
    .init = init,
    .done = done,
    .context = context,
    .relative = relative,
    .weights = weights,
};
