/* transformer_xl.c - relative scores with sinusoids of the distance (Dai et al. 2019, section 3.3 and appendix B, arXiv
 * 1901.02860), also those of XLNet (Yang et al. 2019, arXiv 1906.08237).
 *
 *     (a) q_i . k_j           content                        (c) u . k_j            global content, term 1
 *     (b) q_i . Wr R(i-j)     content to position, term 0    (d) v . Wr R(i-j)      global position, the bias
 *     logit = (a + b + c + d) / sqrt(d_head)
 *     R(x) = [sin(x w_0) ... sin(x w_(D/2-1)), cos(x w_0) ...],  w_k = 10000^(-2k/D),  D = d_model
 *
 * u, v [H, d_head] are r_w_bias and r_r_bias of the published code. Keys of the memory are only smaller positions. clamp_len > 0
 * caps the distance before the sinusoid, on both sides as in XLNet. Transformer-XL masks keys after the query and so never meets
 * a negative distance; XLNet meets them and takes the same sinusoid: the formula is one, the mask is a separate thing.
 *
 * Published code computes AC = (q+u).k and BD = (q+v).(Wr R) with R in descending distance and shifts BD's rows into place; the
 * quantities give these by their names, unscaled. Here Wr is folded into v and q instead, which leaves a sum of waves of the
 * distance. XLNet's files hold Wr as [d_model, H, d_head]: turn it first. Seeded: Wr with variance 2/D, u and v with
 * variance 1, so that every term has the size of the content. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/blas.h"
#include "core/field.h"
#include "core/linear.h"
#include "core/logits.h"
#include "core/quantity.h"
#include "core/waves.h"

enum { CLAMP_LEN, R_WEIGHT, U, V, SEED };
enum { TERM_POSITION, TERM_GLOBAL };
enum { RUN = 256 };             /* keys and waves handled at once, on the stack */

static const struct param params[] = {
    [CLAMP_LEN] = {.name = "clamp_len", .unit = N_("tokens"), .help = N_("cap on the distance; -1 or 0: none"),
                   .type = PARAM_INT, .def = -1, .min = -1, .max = 1e9},
    [R_WEIGHT] = {.name = "r_weight", .help = N_("Wr, projection of the sinusoids, num_heads d_head x d_model"),
                  .type = PARAM_TABLE, .def = NAN},
    [U] = {.name = "u", .help = N_("global content vector, num_heads x d_head (r_w_bias)"), .type = PARAM_TABLE, .def = NAN},
    [V] = {.name = "v", .help = N_("global position vector, num_heads x d_head (r_r_bias)"), .type = PARAM_TABLE, .def = NAN},
    [SEED] = LINEAR_SEED,
};

struct state {
    struct table *wr, *u, *v;   /* wr NULL: seeded, head by head */
    size_t n_waves;             /* d_model / 2 */
    double *w;                  /* n_waves frequencies */
    struct linear_heads heads;  /* coefficients of cos [n_waves] and sin [n_waves] in the bias; then Wr's rows if seeded */
};

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* scale * a . Wr R(x) = sum of c cos(w x) + s sin(w x): coefficients of the waves from, from + 1, ... wr: the head's rows. */
static void fold(const struct enc *e, const double *wr, const double *a, size_t from, size_t n, double *c, double *s)
{
    const struct state *st = e->state;
    size_t d = (size_t)e->shape.d_head, D = 2 * st->n_waves;
    memset(c, 0, n * sizeof *c);
    memset(s, 0, n * sizeof *s);
    for (size_t r = 0; r < d; r++) {
        const double *row = wr + r * D + from, x = e->scale * a[r];
        for (size_t k = 0; k < n; k++) {
            s[k] += x * row[k];
            c[k] += x * row[st->n_waves + k];
        }
    }
}

static void make_head(const struct enc *e, int head, double *out)
{
    const struct state *s = e->state;
    size_t d = (size_t)e->shape.d_head, D = 2 * s->n_waves, from = (size_t)head * d * D;
    if (!s->wr)
        linear_seed(e, SEED, R_WEIGHT, sqrt(2 / (double)D), from, d * D, out + D);
    fold(e, s->wr ? s->wr->v + from : out + D, s->v->v + (size_t)head * d, 0, s->n_waves, out, out + s->n_waves);
}

static const double *bias_waves(const struct enc *e, int head)
{
    const struct state *s = e->state;
    return linear_heads_get(&s->heads, e, head, make_head);
}

static const double *head_rows(const struct enc *e, int head)
{
    const struct state *s = e->state;
    size_t D = 2 * s->n_waves;
    return s->wr ? s->wr->v + (size_t)head * (size_t)e->shape.d_head * D : bias_waves(e, head) + D;
}

static bool init(struct enc *e, struct err *err)
{
    struct state *s = e->state;
    size_t H = (size_t)e->shape.n_heads, d = (size_t)e->shape.d_head, D = (size_t)e->shape.d_model;
    if (D % 2)
        return err_set(err, N_("d_model = %zu: must be even, half sines and half cosines"), D);
    if (!linear_given(e, R_WEIGHT, 2, (size_t[]){H * d, D}, &s->wr, err) ||
        !linear_heads_init(&s->heads, e, "r_weight", (double)D * (s->wr ? 1 : 1 + (double)d), err) ||
        !(s->u = linear_weights(e, U, SEED, 1, 2, (size_t[]){H, d}, err)) ||
        !(s->v = linear_weights(e, V, SEED, 1, 2, (size_t[]){H, d}, err)))
        return false;
    size_t n = s->n_waves = D / 2;
    s->w = xcalloc(n, sizeof *s->w);
    for (size_t k = 0; k < n; k++)
        s->w[k] = pow(10000, -(double)k / (double)n);
    return true;
}

static void done(struct enc *e)
{
    struct state *s = e->state;
    table_unref(s->wr);
    table_unref(s->u);
    table_unref(s->v);
    linear_heads_done(&s->heads);
    free(s->w);
}

static double clamp(const struct enc *e, double distance)
{
    double most = enc_num(e, CLAMP_LEN);
    return most > 0 ? fmin(fmax(distance, -most), most) : distance;
}

/* out += these waves at the distances of n keys. */
static void add_waves(const struct enc *e, const double *w, const double *c, const double *s, size_t n_waves,
                      const double *q_pos, const double *k_pos, size_t n, double *out)
{
    for (size_t from = 0; from < n; from += RUN) {
        double d[RUN];
        size_t m = least(RUN, n - from);
        for (size_t j = 0; j < m; j++)
            d[j] = clamp(e, *q_pos - k_pos[from + j]);
        waves_add(w, c, s, n_waves, d, m, out + from);
    }
}

static void bias(const struct enc *e, int head, const double *q_pos, const double *k_pos, size_t n, double *out)
{
    const struct state *s = e->state;
    const double *waves = bias_waves(e, head);
    memset(out, 0, n * sizeof *out);
    add_waves(e, s->w, waves, waves + s->n_waves, s->n_waves, q_pos, k_pos, n, out);
}

static void content_to_position(const struct enc *e, int head, const struct query *q, const struct keys *k, double *out)
{
    const struct state *s = e->state;
    memset(out, 0, k->n * sizeof *out);
    for (size_t from = 0; from < s->n_waves; from += RUN) {
        double cosines[RUN], sines[RUN];
        size_t m = least(RUN, s->n_waves - from);
        fold(e, head_rows(e, head), q->vec, from, m, cosines, sines);
        add_waves(e, s->w + from, cosines, sines, m, q->pos, k->pos, k->n, out);
    }
}

static void context(const struct enc *e, int term, int head, const struct query *q, const struct keys *k, double *out)
{
    const struct state *s = e->state;
    size_t d = (size_t)e->shape.d_head;
    if (term == TERM_POSITION) {
        content_to_position(e, head, q, k, out);
        return;
    }
    for (size_t j = 0; j < k->n; j++)
        out[j] = e->scale * linear_dot(s->u->v + (size_t)head * d, k->vec + j * d, d);
}

/* Wr R(x), the projected sinusoids of each distance, and u. */
static enum relative relative(const struct enc *e, int term, int head, const double *distance, size_t n, double *out)
{
    const struct state *s = e->state;
    size_t d = (size_t)e->shape.d_head, D = 2 * s->n_waves;
    if (term == TERM_GLOBAL) {
        for (size_t i = 0; out && i < n * d; i++)
            out[i] = e->scale * s->u->v[(size_t)head * d + i % d];
        return RELATIVE_KEY_ALONE;
    }
    double *R = out ? xmalloc(least(n, RUN) * (D + 1) * sizeof *R) : NULL, *x = out ? R + least(n, RUN) * D : NULL;
    for (size_t from = 0; out && from < n; from += RUN) {
        size_t m = least(RUN, n - from);
        for (size_t i = 0; i < m; i++)
            x[i] = clamp(e, distance[from + i]);
        waves_rows(s->w, s->n_waves, x, m, R);
        blas_dgemm_nt(m, d, D, e->scale, R, D, head_rows(e, head), D, 0, out + from * d, d);
    }
    free(R);
    return RELATIVE_QUERY;
}

/* Waves as long as nothing caps the distance. */
static bool distance(const struct enc *e, int head, struct profile *out)
{
    const struct state *s = e->state;
    if (enc_num(e, CLAMP_LEN) > 0)
        return false;
    const double *waves = bias_waves(e, head);
    profile_init(out, PROFILE_WAVES);
    for (size_t k = 0; k < s->n_waves; k++)
        profile_add_wave(out, s->w[k], waves[k], waves[s->n_waves + k]);
    return true;
}

/* ---- quantities ------------------------------------------------------------------------------------ */

static bool q_R(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    const struct state *s = e->state;
    size_t n, half = s->n_waves;
    double *x = request_positions(r, 1, &n, err);
    double *v = x ? answer_new(out, 2, (size_t[]){n, 2 * half}, err) : NULL;
    for (size_t i = 0; v && i < n; i++) {
        double distance_i = clamp(e, r->positions ? x[i] : (double)(n - 1 - i));
        for (size_t k = 0; k < half; k++) {
            v[i * 2 * half + k] = sin(distance_i * s->w[k]);
            v[i * 2 * half + half + k] = cos(distance_i * s->w[k]);
        }
    }
    free(x);
    return v != NULL;
}

/* The named matrices: which parts they add, and how they are laid out. */
static const struct matrix {
    const char *name;
    unsigned parts;
    bool by_distance;           /* column c at distance klen - 1 - c from every query: before the shift */
    bool masked, weights;
} matrices[] = {
    {.name = "AC", .parts = LOGITS_CONTENT | LOGITS_TERM_1},
    {.name = "BD_before_shift", .parts = LOGITS_TERM_0 | LOGITS_BIAS, .by_distance = true},
    {.name = "BD", .parts = LOGITS_TERM_0 | LOGITS_BIAS, .masked = true},
    {.name = "probs", .parts = LOGITS_ALL, .masked = true, .weights = true},
};

/* A layer's input and memory, projected; q [qlen], k [mem_len + qlen] rows of H * d_head. */
struct segment {
    size_t qlen, klen;
    double *x, *q, *k;
};

static bool segment_read(const struct enc *e, const struct request *r, struct segment *s, struct err *err)
{
    size_t D = (size_t)e->shape.d_model, all = (size_t)e->shape.n_heads * (size_t)e->shape.d_head;
    const struct table *mems = request_input(r, "mems");
    const struct table *w = request_need(r, "w", 2, (size_t[]){0, D}, err);
    const struct table *qkv = w ? request_need(r, "qkv_weight", 2, (size_t[]){3 * all, D}, err) : NULL;
    if (!qkv || (mems && !request_need(r, "mems", 2, (size_t[]){0, D}, err)))
        return false;
    size_t mem_len = mems ? mems->dim[0] : 0;
    s->qlen = w->dim[0];
    s->klen = mem_len + s->qlen;
    s->x = xcalloc(s->klen * D + 1, sizeof *s->x);
    s->q = xcalloc(s->qlen * all + 1, sizeof *s->q);
    s->k = xcalloc(s->klen * all + 1, sizeof *s->k);
    if (mems)
        memcpy(s->x, mems->v, mems->n * sizeof *s->x);
    memcpy(s->x + mem_len * D, w->v, w->n * sizeof *s->x);
    blas_dgemm_nt(s->qlen, all, D, 1, w->v, D, qkv->v, D, 0, s->q, all);
    blas_dgemm_nt(s->klen, all, D, 1, s->x, D, qkv->v + all * D, D, 0, s->k, all);
    return true;
}

static void segment_done(struct segment *s)
{
    free(s->x);
    free(s->q);
    free(s->k);
}

/* One head's matrix [qlen][klen]: unscaled sums of parts, or weights. */
static void head_matrix(const struct enc *e, const struct matrix *m, const struct segment *s, int head, double *out)
{
    size_t d = (size_t)e->shape.d_head;
    double *q = xcalloc((s->qlen + s->klen) * d + 1, sizeof *q), *k = q + s->qlen * d;
    double *q_pos = logits_positions((double)(s->klen - s->qlen), s->qlen), *k_pos = logits_positions(0, s->klen);
    if (m->by_distance)
        for (size_t i = 0; i < s->qlen; i++)
            q_pos[i] = (double)s->klen - 1;
    logits_head(e, head, s->q, s->qlen, q);
    logits_head(e, head, s->k, s->klen, k);
    logits_compute(e, head, m->parts, (struct logits_side){s->qlen, q_pos, q}, (struct logits_side){s->klen, k_pos, k}, out);
    for (size_t i = 0; i < s->qlen; i++) {
        for (size_t j = 0; j < s->klen; j++) {
            double *x = out + i * s->klen + j;
            if (m->masked && k_pos[j] > q_pos[i])
                *x = m->weights ? -INFINITY : 0;
            else if (!m->weights)
                *x /= e->scale;
        }
        if (m->weights)
            linear_softmax(out + i * s->klen, s->klen);
    }
    free(q);
    free(q_pos);
    free(k_pos);
}

static bool q_matrix(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    const struct matrix *m = matrices;
    while (strcmp(m->name, r->output))
        m++;
    struct segment s = {0};
    size_t H = (size_t)e->shape.n_heads;
    if (!segment_read(e, r, &s, err))
        return false;
    double *v = answer_new(out, 3, (size_t[]){s.qlen, s.klen, H}, err);
    double *one = v ? xcalloc(s.qlen * s.klen + 1, sizeof *one) : NULL;
    for (size_t h = 0; v && h < H; h++) {
        head_matrix(e, m, &s, (int)h, one);
        for (size_t t = 0; t < s.qlen * s.klen; t++)
            v[t * H + h] = one[t];
    }
    free(one);
    segment_done(&s);
    return v != NULL;
}

/* The shift by reshaping: a zero column in front, read as [klen + 1, qlen], first row dropped, read as [qlen, klen] again. What
 * ends right of column i + klen - qlen is left over from the next row. */
static bool q_rel_shift(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)e;
    const struct table *x = request_need(r, "x", 2, (size_t[]){0, 0}, err);
    double *v = x ? answer_new(out, 2, x->dim, err) : NULL;
    if (!v)
        return false;
    size_t qlen = x->dim[0], klen = x->dim[1];
    for (size_t t = 0; t < x->n; t++) {
        size_t row = (t + qlen) / (klen + 1), column = (t + qlen) % (klen + 1);
        v[t] = column ? x->v[row * klen + column - 1] : 0;
    }
    return true;
}

/* XLNet: klen + qlen columns read as [klen + qlen, qlen], first row dropped, the first klen columns kept. */
static bool q_rel_shift_bidirectional(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)e;
    const struct table *x = request_need(r, "x", 2, (size_t[]){0, 0}, err);
    if (!x)
        return false;
    size_t qlen = x->dim[0];
    if (x->dim[1] <= qlen)
        return err_set(err, N_("inputs.x has %zu columns: must be more than its %zu rows"), x->dim[1], qlen);
    size_t klen = x->dim[1] - qlen;
    double *v = answer_new(out, 2, (size_t[]){qlen, klen}, err);
    for (size_t i = 0; v && i < qlen; i++)
        memcpy(v + i * klen, x->v + qlen + i * (klen + qlen - 1), klen * sizeof *v);
    return v != NULL;
}

static const struct quantity quantities[] = {
    {.name = "R", .help = N_("sinusoids of the distances klen - 1, ..., 0, capped: [klen, d_model]"), .compute = q_R},
    {.name = "AC", .help = N_("(q + u).k, not scaled: [query, key, head]"), .compute = q_matrix},
    {.name = "BD_before_shift", .help = N_("(q + v).(Wr R), columns in descending distance: [query, column, head]"),
     .compute = q_matrix},
    {.name = "BD", .help = N_("the same with each key in its place, 0 after the query"), .compute = q_matrix},
    {.name = "probs", .help = N_("attention weights under the causal mask: [query, key, head]"), .compute = q_matrix},
    {.name = "rel_shift", .help = N_("the relative shift of input x, leftovers included"), .compute = q_rel_shift,
     .no_instance = true},
    {.name = "rel_shift_bidirectional", .help = N_("XLNet's shift of input x, qlen x (klen + qlen)"),
     .compute = q_rel_shift_bidirectional, .no_instance = true},
};

static const char *const terms[] = {N_("content to position"), N_("global content"), NULL};

static double weights(const struct enc *e)
{
    return (double)e->shape.n_heads * e->shape.d_head * (e->shape.d_model + 2.0);        /* Wr, u, v */
}

const struct encoding encoding_transformer_xl = {
    .id = "transformer_xl",
    .title = N_("Transformer-XL"),
    .help = N_("The logit is a sum of four terms: content, content to position, and two that are the same for every "
               "query. Position enters as sinusoids of the distance, so keys remembered from earlier segments keep a "
               "meaning; XLNet uses the same scores in both directions."),
    .year = 2019,
    .cite = "Dai et al. 2019, section 3.3 (arXiv 1901.02860)",
    .scheme = "transformer_xl_relative",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .terms = terms,
    .axes = 1,
    .state_size = sizeof(struct state),
    .promises = PROMISE_RELATIVE | PROMISE_NEEDS_TABLE,
    .init = init,
    .done = done,
    .bias = bias,
    .context = context,
    .relative = relative,
    .distance = distance,
    .weights = weights,
};
