/* sandwich.c - the inner product of two sinusoidal rows used as a bias (Chi et al. 2023, arXiv 2212.10356).
 *
 *     bias[h, i, j] = sum over D/2 terms of cos((i-j) / 10000^(2k/D)), divided by h 8/H for h = 1..H
 *
 * D (bar_d) is free, not the width of the model. Whether k runs from 1 to D/2 or from 0 to D/2 - 1 is open in the sources, so
 * index_start chooses. Taking D/2 off first, so that distance 0 has bias 0, is a constant a head and leaves the softmax as it is.
 * A copy without the cosine circulates in a framework; it is linear in distance and is not this scheme. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "core/field.h"
#include "core/quantity.h"
#include "core/waves.h"

enum { BAR_D, INDEX_START, VARIANT };
enum { VARIANT_SUM, VARIANT_SHIFTED };

static const char *const variants[] = {"sum/(h*8/H)", "(sum - D/2)/(h*8/H)", NULL};
static const struct param params[] = {
    [BAR_D] = {.name = "bar_d", .help = N_("twice the number of cosines; free, not the width of the model"),
               .type = PARAM_INT, .def = 128, .min = 2, .max = 65536, .step = 2},
    [INDEX_START] = {.name = "index_start", .help = N_("number of the first cosine: 1, or 0 with a cosine of wavelength 2 pi"),
                     .type = PARAM_INT, .def = 1, .min = 0, .max = 1, .step = 1},
    [VARIANT] = {.name = "variant", .help = N_("as published, or shifted to 0 at distance 0: equal after softmax"),
                 .type = PARAM_CHOICE, .def = VARIANT_SUM, .choices = variants},
};

enum { RUN = 256 };     /* keys handled at once, on the stack */

struct state {
    size_t n;                   /* cosines */
    double *w, *one, *zero;     /* n each: frequency, and the coefficients of cos and sin */
};

static bool init(struct enc *e, struct err *err)
{
    struct state *s = e->state;
    double D = enc_num(e, BAR_D);
    if (fmod(D, 2) != 0)
        return err_set(err, N_("bar_d = %g: must be even"), D);
    s->n = (size_t)D / 2;
    s->w = xcalloc(3 * s->n, sizeof *s->w);
    s->one = s->w + s->n;
    s->zero = s->one + s->n;
    for (size_t k = 0; k < s->n; k++) {
        s->w[k] = pow(10000, -2 * ((double)k + enc_num(e, INDEX_START)) / D);
        s->one[k] = 1;
    }
    return true;
}

static void done(struct enc *e)
{
    struct state *s = e->state;
    free(s->w);
}

static double divisor(const struct enc *e, int head)
{
    return (head + 1) * 8.0 / e->shape.n_heads;
}

static double shift(const struct enc *e)
{
    return enc_num(e, VARIANT) == VARIANT_SHIFTED ? enc_num(e, BAR_D) / 2 : 0;
}

/* Sum of the cosines of n distances. */
static void sum_cos(const struct enc *e, const double *d, size_t n, double *out)
{
    const struct state *s = e->state;
    for (size_t j = 0; j < n; j++)
        out[j] = 0;
    waves_add(s->w, s->one, s->zero, s->n, d, n, out);
}

static void bias(const struct enc *e, int head, const double *q_pos, const double *k_pos, size_t n, double *out)
{
    for (size_t from = 0; from < n; from += RUN) {
        size_t m = n - from < RUN ? n - from : RUN;
        double d[RUN];
        for (size_t j = 0; j < m; j++)
            d[j] = *q_pos - k_pos[from + j];
        sum_cos(e, d, m, out + from);
    }
    for (size_t j = 0; j < n; j++)
        out[j] = (out[j] - shift(e)) / divisor(e, head);
}

static bool distance(const struct enc *e, int head, struct profile *out)
{
    const struct state *s = e->state;
    profile_init(out, PROFILE_WAVES);
    for (size_t k = 0; k < s->n; k++)
        profile_add_wave(out, s->w[k], 1 / divisor(e, head), 0);
    if (shift(e) != 0)
        profile_add_wave(out, 0, -shift(e) / divisor(e, head), 0);
    return true;
}

static bool q_sum_cos(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    size_t n = (size_t)e->shape.length;
    double *v = answer_new(out, 2, (size_t[]){n, n}, err);
    for (size_t i = 0; v && i < n; i++)
        for (size_t j = 0; j < n; j++)
            sum_cos(e, (double[]){(double)i - (double)j}, 1, v + i * n + j);
    return v != NULL;
}

static const struct quantity quantities[] = {
    {.name = "sum_cos", .help = N_("sum of the cosines before it is divided for each head, for n x n pairs"),
     .compute = q_sum_cos},
};

const struct encoding encoding_sandwich = {
    .id = "sandwich",
    .title = N_("Sandwich"),
    .help = N_("The similarity of two sinusoidal rows, a sum of cosines of the distance, is added to the logit with a "
               "strength of its own for each head. There is nothing to learn; near keys gain and far ones lose, with "
               "ripples."),
    .year = 2023,
    .cite = "Chi et al. 2023 (arXiv 2212.10356)",
    .scheme = "func_bias",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .axes = 1,
    .state_size = sizeof(struct state),
    .promises = PROMISE_RELATIVE | PROMISE_SYMMETRIC,
    .init = init,
    .done = done,
    .bias = bias,
    .distance = distance,
};
