/* xpos.c - RoPE with decay: extrapolatable position embedding (Sun et al. 2022, arXiv 2212.10554).
 *
 *     z_k = (2k + gamma d) / ((1 + gamma) d),  gamma = 0.4
 *     pair k of a query at m is turned and multiplied by z_k^(m/c), of a key at n by z_k^(-n/c),  c = scale_base
 *
 * so that the score of pair k carries z_k^((m-n)/c): it decays while m >= n, and grows without a causal mask. As
 * torchscale does it, the exponent counts from the middle of the text, floor(-(length + offset)/2) + position, so
 * that neither side leaves the range of numbers; in a score the middle cancels. Where it leaves the range even so (a
 * text much longer than scale_base), there is no value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/quantity.h"
#include "core/rotary.h"

enum { LAYOUT, ROPE_THETA, SCALE_BASE, GAMMA, OFFSET };

static const struct param params[] = {
    [LAYOUT] = {.name = "layout", .help = N_("which channels form a pair: half is k and k + d/2, interleaved is 2k and 2k + 1"),
                .type = PARAM_CHOICE, .def = ROTARY_INTERLEAVED, .choices = rotary_layouts,
                .titles = rotary_layout_titles},
    [ROPE_THETA] = {.name = "rope_theta",
                    .help = N_("base B of the frequencies; a larger one makes all pairs but the first turn slower"),
                    .type = PARAM_REAL, .def = 10000, .min = 1, .max = 1e12},
    [SCALE_BASE] = {.name = "scale_base", .unit = N_("tokens"), .help = N_("distance over which pair k decays by the factor z_k"),
                    .type = PARAM_REAL, .def = 512, .min = 1, .max = 1e9},
    [GAMMA] = {.name = "gamma",
               .help = N_("how far the slowest decay is from the fastest"),
               .type = PARAM_REAL, .def = 0.4, .min = 0.01, .max = 100},
    [OFFSET] = {.name = "offset", .unit = N_("tokens"), .help = N_("tokens before the first row (cached keys)"),
                .type = PARAM_INT, .def = 0, .min = 0, .max = 1e12},
};

static bool init(struct enc *e, struct err *err)
{
    struct rotary *r = e->state;
    double d = e->shape.d_head, gamma = enc_num(e, GAMMA);
    if (e->shape.d_head % 2)
        return err_set(err, N_("head_dim = %d: must be even"), e->shape.d_head);
    rotary_init(r, (size_t)d / 2);
    rotary_set_layout(r, (enum rotary_layout)enc_num(e, LAYOUT), 0);
    rotary_geometric(r, enc_num(e, ROPE_THETA), d);
    r->growth = xcalloc(r->n, sizeof *r->growth);
    for (size_t k = 0; k < r->n; k++)
        r->growth[k] = pow((2 * (double)k + gamma * d) / ((1 + gamma) * d), 1 / enc_num(e, SCALE_BASE));
    rotary_spectrum(r);
    return true;
}

static double in_range(double scale)
{
    return scale > 0 && isfinite(scale) ? scale : NAN;
}

static void rotate(const struct enc *e, enum side side, int head, const double *pos, size_t n, double *x)
{
    (void)head;
    const struct rotary *r = rotary_of(e);
    size_t d = (size_t)e->shape.d_head;
    double middle = floor(-(e->shape.length + enc_num(e, OFFSET)) / 2);
    rotary_turn(r, 1, pos, n, d, x);
    for (size_t i = 0; i < n; i++, x += d) {
        if (isnan(pos[i]))
            continue;
        double m = (side == SIDE_QUERY ? 1 : -1) * (middle + pos[i]);
        for (size_t k = 0; k < r->n; k++) {
            double scale = in_range(pow(r->growth[k], m));
            x[r->to_a[k]] *= scale;
            x[r->to_b[k]] *= scale;
        }
    }
}

/* Rows without positions stand at offset, offset + 1, ...; downscale makes them keys. */
static bool q_rotated(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    size_t d = (size_t)e->shape.d_head;
    const struct table *x = r->positions ? NULL : request_need(r, "x", 2, (size_t[]){0, d}, err);
    if (r->positions)
        return quantity_general("rotated", e, r, out, err);
    double *v = x ? answer_new(out, 2, x->dim, err) : NULL;
    enum side side = request_number(r, "downscale", 0) == 1 ? SIDE_KEY : SIDE_QUERY;
    for (size_t i = 0; v && i < x->dim[0]; i++) {
        double p = enc_num(e, OFFSET) + (double)i;
        memcpy(v + i * d, x->v + i * d, d * sizeof *v);
        rotate(e, side, 0, &p, 1, v + i * d);
    }
    return v != NULL;
}

static const struct quantity quantities[] = {
    {.name = "rotated",
     .help = N_("x turned and scaled, row by row from offset on, as queries or (downscale) as keys"), .compute = q_rotated},
};

const struct encoding encoding_xpos = {
    .id = "xpos",
    .title = N_("xPos"),
    .help = N_("RoPE whose pairs also shrink with distance, the fast ones most: queries are scaled up and keys down by a "
               "power of their position. Far keys are damped as in ALiBi while near ones keep RoPE's turning; it needs a "
               "causal mask."),
    .year = 2022,
    .cite = "Sun et al. 2022 (arXiv 2212.10554)",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .axes = 1,
    .state_size = sizeof(struct rotary),
    .promises = PROMISE_RELATIVE,
    .init = init,
    .done = rotary_hook_done,
    .rotate = rotate,
    .spectrum = rotary_hook_spectrum,
};
