/* kerple.c - kernelised biases of the distance (Chi et al. 2022, arXiv 2205.09921).
 *
 *     power:  bias = -r1 |i-j|^r2        r1 >= 0.01, 0.01 <= r2 <= 2
 *     log:    bias = -r1 ln(1 + r2 |i-j|)    r1, r2 >= clamp_min
 *
 * r1 and r2 are learned, one pair a head. The published code calls them bias_p and bias_a under log, bias_a and bias_p under
 * power, clamps them as above and starts them uniform: r1 in (0, 2), r2 in (0, 1) under log, r1 in (0, 1), r2 in (0, 2) under
 * power; that start is what we show where no values are given. Power with r2 = 1 is ALiBi with a learned slope. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "core/field.h"
#include "core/linear.h"
#include "core/quantity.h"

enum { KERNEL, R1, R2, CLAMP_MIN, BIDIRECTIONAL, SEED };
enum { KERNEL_LOG, KERNEL_POWER };

static const char *const kernels[] = {"log", "power", NULL};
static const char *const kernel_titles[] = {N_("logarithmic"), N_("power")};
static const struct param params[] = {
    [KERNEL] = {.name = "kernel", .help = N_("logarithmic or power kernel"), .type = PARAM_CHOICE, .def = KERNEL_LOG,
                .choices = kernels, .titles = kernel_titles},
    [R1] = {.name = "r1", .help = N_("strength, one a head or one for all"), .type = PARAM_LIST, .def = NAN, .min = 0,
            .max = 1e6},
    [R2] = {.name = "r2", .help = N_("log: how soon the curve bends; power: exponent, at most 2; one a head or one for all"),
            .type = PARAM_LIST, .def = NAN, .min = 0, .max = 1e6},
    [CLAMP_MIN] = {.name = "clamp_min", .help = N_("smallest r1 and r2 that are used under log"),
                   .type = PARAM_REAL, .def = 0.01, .min = 1e-9, .max = 1},
    [BIDIRECTIONAL] = {.name = "bidirectional", .help = N_("also for keys after the query; as published they have none"),
                       .type = PARAM_BOOL, .def = 0},
    [SEED] = LINEAR_SEED,
};

struct state { double *r1, *r2; };      /* n_heads each, clamped */

/* The list given, or the uniform start of the published code below top; then clamped. */
static double *per_head(const struct enc *e, int param, double top, double min, double max, struct err *err)
{
    size_t H = (size_t)e->shape.n_heads;
    const struct table *given = e->param[param].t;
    if (given && given->n != H && given->n != 1) {
        err_set(err, N_("%s has %zu entries: must be 1 or num_heads = %zu"), params[param].name, given->n, H);
        return NULL;
    }
    double *r = xmalloc(H * sizeof *r);
    uint64_t stream = (uint64_t)enc_num(e, SEED) | (uint64_t)param << 32;
    for (size_t h = 0; h < H; h++)
        r[h] = fmin(fmax(given ? given->v[given->n == 1 ? 0 : h] : top * rng_uniform(stream, h), min), max);
    return r;
}

static bool init(struct enc *e, struct err *err)
{
    struct state *s = e->state;
    bool power = enc_num(e, KERNEL) == KERNEL_POWER;
    double min = power ? 0.01 : enc_num(e, CLAMP_MIN);
    s->r1 = per_head(e, R1, power ? 1 : 2, min, INFINITY, err);
    s->r2 = s->r1 ? per_head(e, R2, power ? 2 : 1, min, power ? 2 : INFINITY, err) : NULL;
    return s->r2 != NULL;
}

static void done(struct enc *e)
{
    struct state *s = e->state;
    free(s->r1);
    free(s->r2);
}

static double at_distance(const struct enc *e, int head, double d)
{
    const struct state *s = e->state;
    if (d < 0 && enc_num(e, BIDIRECTIONAL) == 0)
        return 0;
    double a = fabs(d), r1 = s->r1[head], r2 = s->r2[head];
    return enc_num(e, KERNEL) == KERNEL_POWER ? -r1 * pow(a, r2) : -r1 * log1p(r2 * a);
}

static void bias(const struct enc *e, int head, const double *q_pos, const double *k_pos, size_t n, double *out)
{
    for (size_t j = 0; j < n; j++)
        out[j] = at_distance(e, head, *q_pos - k_pos[j]);
}

static bool distance(const struct enc *e, int head, struct profile *out)
{
    profile_init(out, PROFILE_SMOOTH);
    out->smooth = at_distance;
    out->enc = e;
    out->head = head;
    return true;
}

static bool q_r1(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    const struct state *s = e->state;
    return answer_list(out, s->r1, (size_t)e->shape.n_heads, err);
}

static bool q_r2(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    const struct state *s = e->state;
    return answer_list(out, s->r2, (size_t)e->shape.n_heads, err);
}

static const struct quantity quantities[] = {
    {.name = "r1", .help = N_("r1 in use of each head, clamped"), .compute = q_r1},
    {.name = "r2", .help = N_("r2 in use of each head, clamped"), .compute = q_r2},
};

static double weights(const struct enc *e)
{
    return 2.0 * e->shape.n_heads;
}

const struct encoding encoding_kerple = {
    .id = "kerple",
    .title = N_("KERPLE"),
    .help = N_("A penalty that grows with distance along a learned curve, logarithmic or a power, with two numbers for "
               "each head. Like ALiBi it is defined at any length; the logarithm lets a head keep far keys in sight."),
    .year = 2022,
    .cite = "Chi et al. 2022 (arXiv 2205.09921)",
    .scheme = "func_bias",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .axes = 1,
    .state_size = sizeof(struct state),
    .promises = PROMISE_RELATIVE | PROMISE_DECAYS | PROMISE_NEEDS_TABLE,
    .init = init,
    .done = done,
    .bias = bias,
    .distance = distance,
    .weights = weights,
};
