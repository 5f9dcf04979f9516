/* fire.c - functional interpolation of relative positions (Li et al. 2024, arXiv 2310.04418).
 *
 *     x = psi(i-j) / (psi(max(L, i)) + eps),  psi(d) = ln(c d + 1)        for j <= i
 *     bias[h, i, j] = w2[h] . relu(w1 x + b1) + b2[h]
 *
 * i counts from 0. The distance is taken as a share of the query's own position, so x stays within 0 and 1 at any length; up to
 * the threshold L it is a share of L, so that short sequences keep their differences. Because i itself enters, the bias is no
 * function of the distance alone. c, L and the small network are learned (start 0.1 and 512). Seeded weights have
 * variance 1, those of the second layer 1 / mlp_width: a function of the right form, not a trained one. */
#include <math.h>
#include <stdlib.h>

#include "core/linear.h"
#include "core/quantity.h"

enum { C, L, EPS, MLP_WIDTH, W1, B1, W2, B2, SEED };

static const struct param params[] = {
    [C] = {.name = "c", .help = N_("how soon the logarithm bends; learned, starts at 0.1"), .type = PARAM_REAL,
           .def = 0.1, .min = 1e-6, .max = 1e6},
    [L] = {.name = "L", .unit = N_("tokens"),
           .help = N_("queries before this position are measured against it; learned, starts at 512"),
           .type = PARAM_REAL, .def = 512, .min = 1e-3, .max = 1e9},
    [EPS] = {.name = "eps", .help = N_("added to the denominator"), .type = PARAM_REAL, .def = 1e-6, .min = 1e-12, .max = 1},
    [MLP_WIDTH] = {.name = "mlp_width", .help = N_("width of the network's hidden layer"), .type = PARAM_INT, .def = 32,
                   .min = 1, .max = 4096},
    [W1] = {.name = "w1", .help = N_("weights of the first layer, mlp_width x 1"), .type = PARAM_TABLE, .def = NAN},
    [B1] = {.name = "b1", .help = N_("offsets of the first layer, mlp_width"), .type = PARAM_TABLE, .def = NAN},
    [W2] = {.name = "w2", .help = N_("weights of the second layer, num_heads x mlp_width"), .type = PARAM_TABLE, .def = NAN},
    [B2] = {.name = "b2", .help = N_("offsets of the second layer, num_heads"), .type = PARAM_TABLE, .def = NAN},
    [SEED] = LINEAR_SEED,
};

struct state {
    struct table *w1, *b1, *w2, *b2;
    struct linear_heads heads;      /* the network of a head as the linear pieces that it is made of: see make_pieces */
};

static bool init(struct enc *e, struct err *err)
{
    struct state *s = e->state;
    size_t w = (size_t)enc_num(e, MLP_WIDTH), H = (size_t)e->shape.n_heads;
    return (s->w1 = linear_weights(e, W1, SEED, 1, 2, (size_t[]){w, 1}, err)) != NULL &&
           (s->b1 = linear_weights(e, B1, SEED, 1, 1, (size_t[]){w}, err)) != NULL &&
           (s->w2 = linear_weights(e, W2, SEED, 1 / sqrt((double)w), 2, (size_t[]){H, w}, err)) != NULL &&
           (s->b2 = linear_weights(e, B2, SEED, 1, 1, (size_t[]){H}, err)) != NULL &&
           linear_heads_init(&s->heads, e, "mlp_width", 3.0 * (double)w + 2, err);
}

static void done(struct enc *e)
{
    struct state *s = e->state;
    table_unref(s->w1);
    table_unref(s->b1);
    table_unref(s->w2);
    table_unref(s->b2);
    linear_heads_done(&s->heads);
}

static double psi(const struct enc *e, double d)
{
    return log1p(enc_num(e, C) * d);
}

/* What the network is given for query i and a key at distance d >= 0. */
static double normalized(const struct enc *e, double i, double d)
{
    return psi(e, d) / (psi(e, fmax(enc_num(e, L), i)) + enc_num(e, EPS));
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A unit w2 relu(w1 x + b1) bends at -b1/w1 and is linear on both sides, so their sum is linear between all bends: those in ascending
 * order, then the slope before the first, between each two and after the last, then what stands at x = 0 there. Units without a bend
 * are put beyond all x. */
static void make_pieces(const struct enc *e, int head, double *out)
{
    const struct state *s = e->state;
    size_t W = s->w1->n;
    const double *w2 = s->w2->v + (size_t)head * W;
    double *bend = out, *slope = out + W, *at_0 = slope + W + 1;
    for (size_t u = 0; u < W; u++)
        bend[u] = s->w1->v[u] != 0 ? -s->b1->v[u] / s->w1->v[u] : INFINITY;
    qsort(bend, W, sizeof *bend, by_size);
    for (size_t u = 0; u < W; u++) {
        double w1 = s->w1->v[u], b1 = s->b1->v[u], own = w1 != 0 ? -b1 / w1 : INFINITY;
        for (size_t k = 0; k <= W; k++) {
            bool right = k > 0 && bend[k - 1] >= own;           /* of this unit's bend */
            if (w1 != 0 ? right == (w1 > 0) : b1 > 0) {
                slope[k] += w2[u] * w1;
                at_0[k] += w2[u] * b1;
            }
        }
    }
    for (size_t k = 0; k <= W; k++)
        at_0[k] += s->b2->v[head];
}

static void bias(const struct enc *e, int head, const double *q_pos, const double *k_pos, size_t n, double *out)
{
    const struct state *s = e->state;
    size_t W = s->w1->n, k = 0;         /* the piece of the key before is where to look first */
    const double *bend = linear_heads_get(&s->heads, e, head, make_pieces), *slope = bend + W, *at_0 = slope + W + 1;
    double whole = psi(e, fmax(enc_num(e, L), *q_pos)) + enc_num(e, EPS);
    for (size_t j = 0; j < n; j++) {
        double d = *q_pos - k_pos[j], x = psi(e, d) / whole;
        while (k < W && x > bend[k])
            k++;
        while (k > 0 && x <= bend[k - 1])
            k--;
        out[j] = d < 0 ? 0 : slope[k] * x + at_0[k];
    }
}

static bool q_normalized_distance(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    size_t n = (size_t)e->shape.length;
    double *v = answer_new(out, 2, (size_t[]){n, n}, err);
    for (size_t i = 0; v && i < n; i++)
        for (size_t j = 0; j <= i; j++)
            v[i * n + j] = normalized(e, (double)i, (double)(i - j));
    return v != NULL;
}

static const struct quantity quantities[] = {
    {.name = "normalized_distance", .help = N_("what the network is given, for n x n pairs; 0 for keys after the query"),
     .compute = q_normalized_distance},
};

static double weights(const struct enc *e)
{
    const struct state *s = e->state;
    return (double)(s->w1->n + s->b1->n + s->w2->n + s->b2->n) + 2;       /* and c, L */
}

const struct encoding encoding_fire = {
    .id = "fire",
    .title = N_("FIRE"),
    .help = N_("A small learned network turns the distance, measured as a share of the query's own position, into a "
               "bias. Whatever the length, the network only meets numbers between 0 and 1, so it interpolates where "
               "others extrapolate."),
    .year = 2024,
    .cite = "Li et al. 2024 (arXiv 2310.04418)",
    .scheme = "func_bias",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .axes = 1,
    .state_size = sizeof(struct state),
    .promises = PROMISE_NEEDS_TABLE,
    .init = init,
    .done = done,
    .bias = bias,
    .weights = weights,
};
