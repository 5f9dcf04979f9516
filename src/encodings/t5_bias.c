/* t5_bias.c - a learned number for each bucket of distance (Raffel et al. 2020, section 2.1, arXiv 1910.10683).
 *
 *     r = j - i (key minus query)        bias[h, i, j] = table[bucket(r), h]
 *     bidirectional (encoder): n = floor(buckets / 2), base = n if r > 0 else 0, a = |r|
 *     causal (decoder):        n = buckets,            base = 0,                 a = max(-r, 0)
 *     exact = floor(n / 2)
 *     bucket = base + a                                                                       if a < exact
 *     bucket = base + min(n-1, exact + trunc(ln(a/exact) / ln(max_distance/exact) * (n-exact)))   otherwise
 *
 * The bias is added to raw scores: T5 does not divide q.k by sqrt(d_head), so the scale is 1. Everything from max_distance on
 * shares the last bucket, which is why the bias is defined at any length. Seeded tables have variance 1. */
#include <math.h>

#include "core/field.h"
#include "core/linear.h"
#include "core/quantity.h"
#include "core/rounding.h"

enum { BIDIRECTIONAL, NUM_BUCKETS, MAX_DISTANCE, TABLE, SEED };

static const struct param params[] = {
    [BIDIRECTIONAL] = {.name = "bidirectional", .help = N_("encoder: keys before and after the query have buckets of their own"),
                       .type = PARAM_BOOL, .def = 1},
    [NUM_BUCKETS] = {.name = "num_buckets", .help = N_("rows of the table, both directions together"),
                     .type = PARAM_INT, .def = 32, .min = 2, .max = 65536},
    [MAX_DISTANCE] = {.name = "max_distance", .unit = N_("tokens"),
                      .help = N_("distance from which on all keys share the last bucket"),
                      .type = PARAM_INT, .def = 128, .min = 2, .max = 1e9},
    [TABLE] = {.name = "table", .help = N_("bias of each bucket and head, num_buckets x num_heads"), .type = PARAM_TABLE,
               .def = NAN},
    [SEED] = LINEAR_SEED,
};

struct state {
    struct table *table;        /* [num_buckets, n_heads] */
    double n, exact;            /* buckets of one direction, and how many of them hold one distance each */
    double log_range;           /* ln(max_distance / exact) */
};

static bool init(struct enc *e, struct err *err)
{
    struct state *s = e->state;
    bool both = enc_num(e, BIDIRECTIONAL) != 0;
    double buckets = enc_num(e, NUM_BUCKETS), max = enc_num(e, MAX_DISTANCE);
    s->n = both ? floor(buckets / 2) : buckets;
    s->exact = floor(s->n / 2);
    if (s->exact < 1)
        return err_set(err, N_("num_buckets = %g: must be at least 4 in a bidirectional scheme, 2 in a causal one"), buckets);
    if (max <= s->exact)
        return err_set(err, N_("max_distance = %g: must be larger than the exact part of the buckets, %g here"), max, s->exact);
    s->log_range = log(max / s->exact);
    if (!(e->shape.scale > 0))
        e->scale = 1;
    s->table = linear_weights(e, TABLE, SEED, 1, 2, (size_t[]){(size_t)buckets, (size_t)e->shape.n_heads}, err);
    return s->table != NULL;
}

static void done(struct enc *e)
{
    struct state *s = e->state;
    table_unref(s->table);
}

/* Bucket within one direction of a distance a >= 0. */
static double side_bucket(const struct state *s, double a)
{
    if (a < s->exact)
        return trunc(a);
    return fmin(s->n - 1, s->exact + trunc(settled_steps(a / s->exact, s->log_range, s->n - s->exact)));
}

static size_t bucket(const struct enc *e, double r)
{
    const struct state *s = e->state;
    if (enc_num(e, BIDIRECTIONAL) == 0)
        return (size_t)side_bucket(s, fmax(-r, 0));
    return (size_t)((r > 0 ? s->n : 0) + side_bucket(s, fabs(r)));
}

static double entry(const struct enc *e, size_t row, int head)
{
    const struct state *s = e->state;
    return s->table->v[row * s->table->dim[1] + (size_t)head];
}

static void bias(const struct enc *e, int head, const double *q_pos, const double *k_pos, size_t n, double *out)
{
    for (size_t j = 0; j < n; j++)
        out[j] = entry(e, bucket(e, k_pos[j] - *q_pos), head);
}

/* The smallest whole distance whose bucket is b or a later one: from a step before the inverse of the formula, which is rounded. */
static double first_distance(const struct state *s, double b)
{
    if (b <= s->exact)
        return b;
    double a = ceil(s->exact * exp((b - s->exact) / (s->n - s->exact) * s->log_range)) - 1;
    while (side_bucket(s, a) < b)
        a++;
    return a;
}

/* A staircase: keys after the query from far to near, then keys before it from near to far. */
static bool distance(const struct enc *e, int head, struct profile *out)
{
    const struct state *s = e->state;
    size_t n = (size_t)s->n;
    bool both = enc_num(e, BIDIRECTIONAL) != 0;
    profile_init(out, PROFILE_PIECES);
    profile_add_piece(out, -INFINITY, entry(e, both ? 2 * n - 1 : 0, head), 0);
    for (size_t b = n - 1; both && b-- > 0;) {
        double near = fmax(first_distance(s, (double)b), 1), beyond = first_distance(s, (double)b + 1);
        if (near < beyond)
            profile_add_piece(out, 1 - beyond, entry(e, n + b, head), 0);
    }
    for (size_t b = 0; b < n; b++)
        if (b == n - 1 || first_distance(s, (double)b) < first_distance(s, (double)b + 1))
            profile_add_piece(out, first_distance(s, (double)b), entry(e, b, head), 0);
    return true;
}

static bool q_bucket(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    if (!r->positions)
        return err_set(err, N_("bucket: needs positions, each a key's position minus the query's"));
    double *v = answer_new(out, r->positions->rank, r->positions->dim, err);
    for (size_t i = 0; v && i < r->positions->n; i++)
        v[i] = (double)bucket(e, r->positions->v[i]);
    out->integer = true;
    return v != NULL;
}

static const struct quantity quantities[] = {
    {.name = "bucket", .help = N_("bucket of each relative position, key minus query"), .compute = q_bucket},
};

static double weights(const struct enc *e)
{
    const struct state *s = e->state;
    return (double)s->table->n;
}

const struct encoding encoding_t5_bias = {
    .id = "t5_bias",
    .title = N_("T5 bias"),
    .help = N_("A learned number is added to each logit, one for each bucket of distance and each head. Near distances "
               "have a bucket each, farther ones share buckets that widen logarithmically, and all beyond max_distance "
               "share the last, so any length is defined."),
    .year = 2020,
    .cite = "Raffel et al. 2020, section 2.1 (arXiv 1910.10683)",
    .scheme = "t5_relative_bias",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .axes = 1,
    .state_size = sizeof(struct state),
    .promises = PROMISE_RELATIVE | PROMISE_NEEDS_TABLE,
    .init = init,
    .done = done,
    .bias = bias,
    .distance = distance,
    .weights = weights,
};
