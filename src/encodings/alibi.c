/* alibi.c - attention with linear biases (Press et al. 2022, arXiv 2108.12409, section 3).
 *
 *     bias[h, i, j] = -m_h (i - j),  j <= i
 *     H a power of two: m_h = 2^(-b (h+1) / H), b = alibi_bias_max = 8
 *     otherwise, n = 2^floor(log2 H): the first n heads as for n heads, head n + g has m = 2^(-b (2g+1) / (2n))
 *
 * BLOOM and Falcon add m * (running key index) and MPT m * (j - (n-1)): a constant a query away from the causal form, so equal
 * after softmax under a causal mask, and unequal to the symmetric form -m|i-j| that encoders need. Falcon rounds the slope
 * to bfloat16 and each product once more, and adds it before the dot products are scaled: in a logit it is 1/sqrt(d_head) of the others'
 * (form scaled). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/field.h"
#include "core/quantity.h"
#include "core/rounding.h"

enum { ALIBI_BIAS_MAX, FORM };
enum { FORM_CAUSAL, FORM_SYMMETRIC, FORM_BLOOM, FORM_FALCON, FORM_MPT, FORM_SCALED };

static const char *const forms[] = {"causal", "symmetric", "bloom", "falcon", "mpt", "scaled", NULL};
static const char *const form_titles[] = {N_("causal"), N_("symmetric"), "BLOOM", "Falcon", "MPT", N_("causal, scaled with the dot product")};
static const struct param params[] = {
    [ALIBI_BIAS_MAX] = {.name = "alibi_bias_max",
                        .help = N_("exponent range of the slopes: the last of a power of two of heads has 2^-max"),
                        .type = PARAM_REAL, .def = 8, .min = 0.125, .max = 64, .step = 0.5},
    [FORM] = {.name = "form", .help = N_("how the bias is written: by distance, or by key index as some models do"),
              .type = PARAM_CHOICE, .def = FORM_CAUSAL, .choices = forms, .titles = form_titles},
};

static double slope(const struct enc *e, int head)
{
    double H = e->shape.n_heads, n = exp2(floor(log2(H))), b = enc_num(e, ALIBI_BIAS_MAX);
    return head < n ? exp2(-b * (head + 1) / n) : exp2(-b * (2 * (head - n) + 1) / (2 * n));
}

static double bfloat16(double x)
{
    return round_to(FORMAT_BFLOAT16, x);
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
        case FORM_SCALED:    out[j] = d > 0 ? -m * e->scale * d : 0; break;
        }
    }
}

/* The forms by key index are no function of the distance. */
static bool distance(const struct enc *e, int head, struct profile *out)
{
    int form = (int)enc_num(e, FORM);
    if (form != FORM_CAUSAL && form != FORM_SYMMETRIC && form != FORM_SCALED)
        return false;
    double m = slope(e, head) * (form == FORM_SCALED ? e->scale : 1);
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

/* How published code writes its biases: BLOOM, Falcon and MPT one row for all queries, by key. */
static const struct style { const char *name; int form; bool by_key; } written[] = {
    {"bloom", FORM_BLOOM, true}, {"falcon", FORM_FALCON, true}, {"mpt full (symmetric)", FORM_SYMMETRIC, false},
    {"mpt", FORM_MPT, true}, {"neox causal", FORM_CAUSAL, false}, {"ggml", FORM_CAUSAL, true},
};
enum { N_STYLES = sizeof written / sizeof *written };

static const struct style *find_style(const char *name, struct err *err)
{
    for (size_t i = 0; i < N_STYLES; i++)
        if (!strcmp(written[i].name, name))
            return &written[i];
    err_set(err, N_("style = %s: allowed are bloom, falcon, mpt, mpt full (symmetric), neox causal, ggml"), name);
    return NULL;
}

/* A copy of the instance whose biases have another form. */
static struct enc in_form(const struct enc *e, int form)
{
    struct enc f = *e;
    f.param[FORM].x = form;
    return f;
}

/* BLOOM: [batch, head, key] with key indices that count the tokens of the mask; padding gets 0. */
static bool bloom(const struct enc *e, const struct table *mask, struct answer *out, struct err *err)
{
    size_t batch = mask->dim[0], n = mask->dim[1], H = (size_t)e->shape.n_heads;
    double *v = answer_new(out, 3, (size_t[]){batch, H, n}, err), *index = xcalloc(n + 1, sizeof *index), zero = 0;
    for (size_t b = 0; v && b < batch; b++) {
        double count = 0;
        for (size_t j = 0; j < n; j++) {
            count += mask->v[b * n + j];
            index[j] = (count - 1) * mask->v[b * n + j];
        }
        for (size_t h = 0; h < H; h++)
            bias(e, (int)h, &zero, index, n, v + (b * H + h) * n);
    }
    free(index);
    return v != NULL;
}

/* [head, key] for a query at the last position. */
static bool last_row(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    size_t H = (size_t)e->shape.n_heads, n;
    double *keys = request_positions(r, 1, &n, err), *v = keys ? answer_new(out, 2, (size_t[]){H, n}, err) : NULL;
    for (size_t h = 0; v && n && h < H; h++)
        bias(e, (int)h, &keys[n - 1], keys, n, v + h * n);
    free(keys);
    return v != NULL;
}

static bool q_bias(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    const char *name = request_text(r, "style", NULL);
    if (!name)
        return quantity_general("bias", e, r, out, err);
    const struct style *style = find_style(name, err);
    if (!style)
        return false;
    struct enc f = in_form(e, style->form);
    if (style->form == FORM_BLOOM && request_input(r, "attention_mask")) {
        const struct table *mask = request_need(r, "attention_mask", 2, (size_t[]){0, 0}, err);
        return mask && bloom(&f, mask, out, err);
    }
    return style->by_key ? last_row(&f, r, out, err) : quantity_general("bias", &f, r, out, err);
}

/* Softmax of the biases alone for a query at the last position: [head, key]. ggml calls the exponent range max_bias. */
static bool q_probs(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    struct enc f = in_form(e, FORM_CAUSAL);
    f.param[ALIBI_BIAS_MAX].x = request_number(r, "max_bias", enc_num(e, ALIBI_BIAS_MAX));
    if (!param_check(&params[ALIBI_BIAS_MAX], f.param[ALIBI_BIAS_MAX], err) || !last_row(&f, r, out, err))
        return false;
    size_t n = out->values->dim[1];
    for (size_t h = 0; h < out->values->dim[0]; h++) {
        double *p = out->values->v + h * n, sum = 0;
        for (size_t j = 0; j < n; j++)
            sum += p[j] = exp(p[j]);
        for (size_t j = 0; j < n; j++)
            p[j] /= sum;
    }
    return true;
}

static const struct quantity quantities[] = {
    {.name = "slopes", .help = N_("slope of each head"), .compute = q_slopes},
    {.name = "bias", .help = N_("the number added to each logit, in the form of the style"), .compute = q_bias},
    {.name = "probs", .help = N_("weights by the biases alone, query at the last position: [head, key]"), .compute = q_probs},
};

const struct encoding encoding_alibi = {
    .id = "alibi",
    .title = N_("ALiBi"),
    .help = N_("Attention with linear biases: a penalty on each logit that grows with distance, with a slope of its own "
               "for each head. There is no table and no rotation, so it is defined at any length; steep heads see only "
               "near keys."),
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
