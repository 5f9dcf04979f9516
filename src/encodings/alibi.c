/* alibi.c - attention with linear biases (Press et al. 2022, arXiv 2108.12409, section 3).
 *
 *     bias[h, i, j] = -m_h (i - j),  j <= i
 *     H a power of two: m_h = 2^(-b (h+1) / H), b = alibi_bias_max = 8
 *     otherwise, n = 2^floor(log2 H): the first n heads as for n heads, head n + g has m = 2^(-b (2g+1) / (2n))
 *
 * BLOOM and Falcon add m * (running key index) and MPT m * (j - (n-1)): a constant a query away from the causal form, so equal
 * after softmax under a causal mask, and unequal to the symmetric form -m|i-j| that encoders need. Falcon rounds the slope
 * to bfloat16 and each product once more. */
#include <math.h>
#include <string.h>

#include "core/field.h"
#include "core/quantity.h"

enum { ALIBI_BIAS_MAX, FORM };
enum { FORM_CAUSAL, FORM_SYMMETRIC, FORM_BLOOM, FORM_FALCON, FORM_MPT };

static const char *const forms[] = {"causal", "symmetric", "bloom", "falcon", "mpt", NULL};
static const struct param params[] = {
    [ALIBI_BIAS_MAX] = {.name = "alibi_bias_max", .help = N_("exponent range of the slopes: the last of a power of two of heads has 2^-max"),
                        .type = PARAM_REAL, .def = 8, .min = 0.125, .max = 64, .step = 0.5},
    [FORM] = {.name = "form", .help = N_("how the bias is written: by distance, or by key index as some models do"),
              .type = PARAM_CHOICE, .def = FORM_CAUSAL, .choices = forms},
};

static double slope(const struct enc *e, int head)
{
    double H = e->shape.n_heads, n = exp2(floor(log2(H))), b = enc_num(e, ALIBI_BIAS_MAX);
    return head < n ? exp2(-b * (head + 1) / n) : exp2(-b * (2 * (head - n) + 1) / (2 * n));
}

/* To bfloat16, ties to even. */
static double bfloat16(double x)
{
    float f = (float)x;
    unsigned bits;
    memcpy(&bits, &f, sizeof bits);
    bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static void bias(const struct enc *e, int head, const double *q_pos, const double *k_pos, size_t n, double *out)
{
    double m = slope(e, head), last = e->shape.length - 1;
    int form = (int)enc_num(e, FORM);
    for (size_t j = 0; j < n; j++) {
        double d = *q_pos - k_pos[j];
        switch (form) {
        case FORM_CAUSAL:    out[j] = d > 0 ? -m * d : 0; break;
        case FORM_SYMMETRIC: out[j] = -m * fabs(d); break;
        case FORM_BLOOM:     out[j] = m * k_pos[j]; break;
        case FORM_FALCON:    out[j] = bfloat16(bfloat16(m) * k_pos[j]); break;
        case FORM_MPT:       out[j] = m * (k_pos[j] - last); break;
        }
    }
}

/* The forms by key index are no function of the distance. */
static bool distance(const struct enc *e, int head, struct profile *out)
{
    int form = (int)enc_num(e, FORM);
    if (form > FORM_SYMMETRIC)
        return false;
    double m = slope(e, head);
    profile_init(out, PROFILE_PIECES);
    profile_add_piece(out, -INFINITY, 0, form == FORM_SYMMETRIC ? m : 0);
    profile_add_piece(out, 0, 0, -m);
    return true;
}

static bool q_slopes(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    size_t H = (size_t)e->shape.n_heads;
    double *v = answer_new(out, 1, (size_t[]){H}, err);
    for (size_t h = 0; v && h < H; h++)
        v[h] = slope(e, (int)h);
    return v != NULL;
}

static const struct quantity quantities[] = {
    {.name = "slopes", .help = N_("slope of each head"), .compute = q_slopes},
};

const struct encoding encoding_alibi = {
    .id = "alibi",
    .title = N_("ALiBi"),
    .help = N_("Attention with linear biases: a penalty on each logit that grows with distance, with a slope of its own for each head. "
               "There is no table and no rotation, so it is defined at any length; steep heads see only near keys."),
    .year = 2022,
    .cite = "Press et al. 2022, section 3 (arXiv 2108.12409)",
    .scheme = "alibi",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .axes = 1,
    .promises = PROMISE_RELATIVE | PROMISE_DECAYS,
    .bias = bias,
    .distance = distance,
};
