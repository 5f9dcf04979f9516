/* shaw.c - a learned vector for each clipped relative position (Shaw et al. 2018, section 3, arXiv 1803.02155).
 *
 *     index(i, j) = clip(j - i, -left, right) + left          relative position = key minus query
 *     logit = q_i . (k_j + aK[index]) / sqrt(d_head)
 *     output z_i = sum over j of weight_ij (v_j + aV[index])
 *
 * aK and aV [left + right + 1, d_head] are shared by the heads of a layer; the paper found aV unnecessary for translation.
 * Clips that differ by side are those of Wav2Vec2-BERT.
 *
 * BERT's relative_key (Huang et al. 2020, arXiv 2009.13658) has the opposite sign and no clip: index = i - j +
 * max_position_embeddings - 1, and no value beyond the table; relative_key_query adds k_j . a / sqrt(d_head).
 *
 * Seeded tables have variance 1, so that the term has the size of the content's q.k / sqrt(d_head). */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "core/linear.h"
#include "core/logits.h"
#include "core/quantity.h"

enum { TYPE, CLIP, CLIP_LEFT, CLIP_RIGHT, MAX_POSITION_EMBEDDINGS, KEY_TABLE, VALUE_TABLE, SEED };
enum { TYPE_SHAW, TYPE_RELATIVE_KEY, TYPE_RELATIVE_KEY_QUERY };
enum { TERM_QUERY, TERM_KEY };

static const char *const types[] = {"shaw", "relative_key", "relative_key_query", NULL};
static const struct param params[] = {
    [TYPE] = {.name = "position_embedding_type",
              .help = N_("clipped as by Shaw et al., or as in BERT, with or without the key's product"),
              .type = PARAM_CHOICE, .def = TYPE_SHAW, .choices = types},
    [CLIP] = {.name = "clip", .unit = N_("tokens"), .help = N_("distance from which on all keys share one vector, on both sides"),
              .type = PARAM_INT, .def = 16, .min = 0, .max = 65536},
    [CLIP_LEFT] = {.name = "clip_left", .unit = N_("tokens"), .help = N_("clip for keys before the query, if it differs"),
                   .type = PARAM_INT, .def = NAN, .min = 0, .max = 65536},
    [CLIP_RIGHT] = {.name = "clip_right", .unit = N_("tokens"), .help = N_("clip for keys after the query, if it differs"),
                    .type = PARAM_INT, .def = NAN, .min = 0, .max = 65536},
    [MAX_POSITION_EMBEDDINGS] = {.name = "max_position_embeddings", .unit = N_("tokens"),
                                 .help = N_("relative_key: the table ends at this distance"),
                                 .type = PARAM_INT, .def = 512, .min = 1, .max = 65536},
    [KEY_TABLE] = {.name = "key_table", .help = N_("vectors added to the keys, one a relative position"),
                   .type = PARAM_TABLE, .def = NAN},
    [VALUE_TABLE] = {.name = "value_table", .help = N_("vectors added to the values; none if absent"),
                     .type = PARAM_TABLE, .def = NAN},
    [SEED] = LINEAR_SEED,
};

struct state {
    double left, right;             /* the clips */
    struct table *keys, *values;    /* [rows, d_head]; values may be NULL */
};

static bool init(struct enc *e, struct err *err)
{
    struct state *s = e->state;
    s->left = enc_has(e, CLIP_LEFT) ? enc_num(e, CLIP_LEFT) : enc_num(e, CLIP);
    s->right = enc_has(e, CLIP_RIGHT) ? enc_num(e, CLIP_RIGHT) : enc_num(e, CLIP);
    if (enc_num(e, TYPE) != TYPE_SHAW)
        s->left = s->right = enc_num(e, MAX_POSITION_EMBEDDINGS) - 1;
    size_t dim[2] = {(size_t)(s->left + s->right) + 1, (size_t)e->shape.d_head};
    s->keys = linear_weights(e, KEY_TABLE, SEED, 1, 2, dim, err);
    return s->keys && linear_given(e, VALUE_TABLE, 2, dim, &s->values, err);
}

static void done(struct enc *e)
{
    struct state *s = e->state;
    table_unref(s->keys);
    table_unref(s->values);
}

/* Row of the tables for a query and a key, NAN beyond them. */
static double row_index(const struct enc *e, double query, double key)
{
    const struct state *s = e->state;
    double r = key - query;
    if (enc_num(e, TYPE) == TYPE_SHAW)
        return fmin(fmax(r, -s->left), s->right) + s->left;
    return fabs(r) <= s->left ? s->left - r : NAN;
}

/* scale * a . vector of a row. */
static double product(const struct enc *e, const double *a, double row)
{
    const struct state *s = e->state;
    size_t d = (size_t)e->shape.d_head;
    return isnan(row) ? NAN : e->scale * linear_dot(a, s->keys->v + (size_t)row * d, d);
}

/* Far keys share a row, so the product is kept while the row stays the same. */
static void query_term(const struct enc *e, const struct query *q, const struct keys *k, double *out)
{
    double known = NAN, value = NAN;
    for (size_t j = 0; j < k->n; j++) {
        double row = row_index(e, *q->pos, k->pos[j]);
        if (row != known)
            value = product(e, q->vec, row);
        known = row;
        out[j] = value;
    }
}

static void context(const struct enc *e, int term, int head, const struct query *q, const struct keys *k, double *out)
{
    (void)head;
    if (term == TERM_QUERY) {
        query_term(e, q, k, out);
        return;
    }
    bool has_key_term = enc_num(e, TYPE) == TYPE_RELATIVE_KEY_QUERY;
    for (size_t j = 0; j < k->n; j++)
        out[j] = has_key_term ? product(e, k->vec + j * (size_t)e->shape.d_head, row_index(e, *q->pos, k->pos[j])) : 0;
}

static enum relative relative(const struct enc *e, int term, int head, const double *distance, size_t n, double *out)
{
    (void)head;
    const struct state *s = e->state;
    size_t d = (size_t)e->shape.d_head;
    if (term == TERM_KEY && enc_num(e, TYPE) != TYPE_RELATIVE_KEY_QUERY)
        return RELATIVE_ZERO;
    for (size_t i = 0; out && i < n; i++) {
        double row = row_index(e, distance[i], 0);
        for (size_t c = 0; c < d; c++)
            out[i * d + c] = isnan(row) ? NAN : e->scale * s->keys->v[(size_t)row * d + c];
    }
    return term == TERM_QUERY ? RELATIVE_QUERY : RELATIVE_KEY;
}

static bool q_index(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    size_t n = (size_t)e->shape.length;
    double *v = answer_new(out, 2, (size_t[]){n, n}, err);
    for (size_t i = 0; v && i < n; i++)
        for (size_t j = 0; j < n; j++)
            v[i * n + j] = row_index(e, (double)i, (double)j);
    out->integer = true;
    return v != NULL;
}

static void scores(const struct enc *e, const double *q, const double *k, size_t n, double *out)
{
    double *pos = logits_positions(0, n);
    logits_compute(e, 0, LOGITS_ALL, (struct logits_side){n, pos, q}, (struct logits_side){n, pos, k}, out);
    free(pos);
}

static bool q_scores(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    size_t d = (size_t)e->shape.d_head;
    const struct table *q = request_need(r, "q", 2, (size_t[]){0, d}, err);
    const struct table *k = q ? request_need(r, "k", 2, q->dim, err) : NULL;
    double *v = k ? answer_new(out, 2, (size_t[]){q->dim[0], q->dim[0]}, err) : NULL;
    if (v)
        scores(e, q->v, k->v, q->dim[0], v);
    return v != NULL;
}

/* z_i = sum over j of weight_ij (v_j + aV[index]) */
static void weigh_values(const struct enc *e, const double *weights, const struct table *v, double *z)
{
    const struct state *s = e->state;
    size_t n = v->dim[0], d = v->dim[1];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double row = row_index(e, (double)i, (double)j), w = weights[i * n + j];
            for (size_t c = 0; c < d; c++)
                z[i * d + c] += w * (v->v[j * d + c] + (s->values && !isnan(row) ? s->values->v[(size_t)row * d + c] : 0));
        }
    }
}

static bool q_output(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    struct answer weights = {0};
    const struct table *v = NULL;
    double *z = NULL;
    if (q_scores(e, r, &weights, err) &&
        (v = request_need(r, "v", 2, (size_t[]){weights.values->dim[0], (size_t)e->shape.d_head}, err)) != NULL)
        z = answer_new(out, 2, v->dim, err);
    if (z) {
        for (size_t i = 0; i < v->dim[0]; i++)
            linear_softmax(weights.values->v + i * v->dim[0], v->dim[0]);
        weigh_values(e, weights.values->v, v, z);
    }
    table_unref(weights.values);
    return z != NULL;
}

/* Self-attention of x without projections: q = k = x, split into heads. */
static bool q_probs(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    size_t H = (size_t)e->shape.n_heads, d = (size_t)e->shape.d_head;
    const struct table *x = request_need(r, "x", 2, (size_t[]){0, H * d}, err);
    double *p = x ? answer_new(out, 3, (size_t[]){H, x->dim[0], x->dim[0]}, err) : NULL;
    if (!p)
        return false;
    size_t n = x->dim[0];
    double *part = xcalloc(n * d + 1, sizeof *part);
    for (size_t h = 0; h < H; h++) {
        logits_head(e, (int)h, x->v, n, part);
        scores(e, part, part, n, p + h * n * n);
    }
    for (size_t i = 0; i < H * n; i++)
        linear_softmax(p + i * n, n);
    free(part);
    return true;
}

static bool q_clip_left(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    const struct state *s = e->state;
    return answer_list(out, &s->left, 1, err);
}

static bool q_clip_right(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    const struct state *s = e->state;
    return answer_list(out, &s->right, 1, err);
}

static const struct quantity quantities[] = {
    {.name = "clip_left", .help = N_("clip in use for keys before the query"), .compute = q_clip_left},
    {.name = "clip_right", .help = N_("clip in use for keys after the query"), .compute = q_clip_right},
    {.name = "index", .help = N_("row of the table for each pair: [query, key]"), .compute = q_index},
    {.name = "scores", .help = N_("logits of inputs q and k, one head: [query, key]"), .compute = q_scores},
    {.name = "output", .help = N_("weighted values of inputs q, k and v, one head: [query, channel]"), .compute = q_output},
    {.name = "probs", .help = N_("attention of input x with itself: [head, query, key]"), .compute = q_probs},
};

static const char *const terms[] = {N_("query to relative position"), N_("key to relative position"), NULL};

static double weights(const struct enc *e)
{
    const struct state *s = e->state;
    return (double)(s->keys->n + (s->values ? s->values->n : 0));
}

const struct encoding encoding_shaw = {
    .id = "shaw",
    .title = N_("Shaw relative positions"),
    .help = N_("Each relative position, clipped at some distance, has a learned vector that is added to the key. The "
               "logit so depends on how far apart two tokens are, and all keys beyond the clip look equally far."),
    .year = 2018,
    .cite = "Shaw et al. 2018, section 3 (arXiv 1803.02155)",
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
