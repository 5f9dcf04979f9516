/* sinusoidal.c - fixed sines and cosines added to the input (Vaswani et al. 2017, arXiv 1706.03762, section 3.5).
 *
 *     PE[p, 2k] = sin(p w_k),  PE[p, 2k+1] = cos(p w_k),  w_k = B^(-2k/d)                  interleaved, freq 2i/d
 *     half: all sines, then all cosines (Marian, RoFormer, Transformer-XL): a permutation of the same numbers
 *     freq i/(d/2-1): w_k = B^(-k/(d/2-1)), d/2 rounded down (tensor2tensor, fairseq, Whisper): NOT a permutation, only the first
 *     pair agrees; no value at d = 2 and 3
 *
 * Odd d: with freq 2i/d the last sine stands alone, with the other the last column is zero. fairseq gives the first token row
 * padding_idx + 1 and zeroes row padding_idx. variant doubled_exponent is a listing in circulation that takes 2i/d with i already
 * doubled: w_k = B^(-4k/d), so half of the pairs hardly turn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/quantity.h"
#include "core/rotary.h"

enum { LAYOUT, BASE, FREQ, VARIANT, PADDING_IDX };
enum { LAYOUT_INTERLEAVED, LAYOUT_HALF };
enum { FREQ_PAPER, FREQ_T2T };
enum { VARIANT_PAPER, VARIANT_DOUBLED };

static const char *const layouts[] = {"interleaved", "half", NULL};
static const char *const layout_titles[] = {N_("in turn"), N_("halves")};
static const char *const freqs[] = {"2i/d", "i/(d/2-1)", NULL};
static const char *const variants[] = {"paper", "doubled_exponent", NULL};
static const char *const variant_titles[] = {N_("as published"), N_("exponent doubled")};
static const struct param params[] = {
    [LAYOUT] = {.name = "layout", .help = N_("interleaved: sine and cosine in turn; half: all sines, then all cosines"),
                .type = PARAM_CHOICE, .def = LAYOUT_INTERLEAVED, .choices = layouts, .titles = layout_titles},
    [BASE] = {.name = "base", .help = N_("base B of the frequencies: the longest wavelength approaches 2 pi B"),
              .type = PARAM_REAL, .def = 10000, .min = 1, .max = 1e12},
    [FREQ] = {.name = "freq",
              .help = N_("exponent of the frequencies: 2i/d of the paper, or i/(d/2-1) of tensor2tensor and fairseq"),
              .type = PARAM_CHOICE, .def = FREQ_PAPER, .choices = freqs},
    [VARIANT] = {.name = "variant",
                 .help = N_("doubled_exponent: the fault of a listing in circulation, all wavelengths squared"),
                 .type = PARAM_CHOICE, .def = VARIANT_PAPER, .choices = variants, .titles = variant_titles},
    [PADDING_IDX] = {.name = "padding_idx", .help = N_("fairseq: this row is zero, and the first token takes the next one"),
                     .type = PARAM_INT, .def = NAN, .min = 0, .max = 1e6, .step = 1},
};

static double frequency(const struct enc *e, size_t k)
{
    double d = e->shape.d_model, base = enc_num(e, BASE), i = (double)k;
    if (enc_num(e, FREQ) == FREQ_T2T)
        return exp(-i * log(base) / (floor(d / 2) - 1));
    return pow(base, -(enc_num(e, VARIANT) == VARIANT_DOUBLED ? 4 : 2) * i / d);
}

/* Channel a of a pair is the sine's, b the cosine's: -1 for a sine alone. */
static bool init(struct enc *e, struct err *err)
{
    struct rotary *r = e->state;
    int d = e->shape.d_model;
    bool t2t = enc_num(e, FREQ) == FREQ_T2T, half = enc_num(e, LAYOUT) == LAYOUT_HALF;
    int sines = t2t ? d / 2 : (d + 1) / 2, cosines = d / 2;
    if (t2t && d < 4)
        return err_set(err, N_("d_model = %d: freq i/(d/2-1) needs at least 4, it divides by d/2 - 1"), d);
    if (t2t && enc_num(e, VARIANT) == VARIANT_DOUBLED)
        return err_set(err, N_("variant doubled_exponent: exists for freq 2i/d alone"));
    rotary_init(r, (size_t)sines);
    for (int k = 0; k < sines; k++) {
        r->a[k] = half ? k : 2 * k;
        r->b[k] = k >= cosines ? -1 : half ? sines + k : 2 * k + 1;
        r->inv_freq[k] = r->unscaled[k] = frequency(e, (size_t)k);
    }
    rotary_spectrum(r);
    return true;
}

static void one_row(const struct rotary *r, double p, double *out)
{
    for (size_t k = 0; k < r->n; k++) {
        out[r->a[k]] = sin(p * r->inv_freq[k]);
        if (r->b[k] >= 0)
            out[r->b[k]] = cos(p * r->inv_freq[k]);
    }
}

static void row(const struct enc *e, const double *pos, size_t n, double *out)
{
    size_t d = (size_t)e->shape.d_model;
    double first = enc_has(e, PADDING_IDX) ? enc_num(e, PADDING_IDX) + 1 : 0;
    memset(out, 0, n * d * sizeof *out);
    for (size_t i = 0; i < n; i++)
        if (!isnan(pos[i]))
            one_row(rotary_of(e), pos[i] + first, out + i * d);
}

/* The table by row number: positions are rows, and row padding_idx is zero. */
static bool q_table(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    size_t n, d = (size_t)e->shape.d_model;
    double *rows = request_positions(r, 1, &n, err);
    double *v = rows ? answer_new(out, 2, (size_t[]){n, d}, err) : NULL;
    for (size_t i = 0; v && i < n; i++)
        if (rows[i] != enc_num(e, PADDING_IDX))
            one_row(rotary_of(e), rows[i], v + i * d);
    free(rows);
    return v != NULL;
}

static const struct quantity quantities[] = {
    {.name = "table", .help = N_("rows by number, row padding_idx zero: [row, channel]"), .compute = q_table},
};

const struct encoding encoding_sinusoidal = {
    .id = "sinusoidal",
    .title = N_("Sinusoidal"),
    .help = N_("Sines and cosines of the position, at wavelengths from 2 pi up to thousands of tokens, are added to the "
               "token's vector. Nothing is learned, and any position has a row. The product of two rows depends on their "
               "distance alone, until projections mix the pairs."),
    .year = 2017,
    .cite = "Vaswani et al. 2017, section 3.5 (arXiv 1706.03762)",
    .scheme = "sinusoidal_absolute",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .axes = 1,
    .state_size = sizeof(struct rotary),
    .promises = PROMISE_RELATIVE | PROMISE_SYMMETRIC,
    .init = init,
    .done = rotary_hook_done,
    .row = row,
    .spectrum = rotary_hook_spectrum,
};
