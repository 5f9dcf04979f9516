/* ggml_rope.c - RoPE as llama.cpp computes it, by its own arguments (ggml_rope_ext and ggml_rope_multi), in double.
 *
 *     theta_k = p freq_base^(-2k/n_dims) / freq_factors_k
 *     ext_factor = 0:  angle = freq_scale theta,                              magnitude = attn_factor
 *     else YaRN:       x = ext_factor (1 - clip((k - lo)/max(0.001, hi - lo), 0, 1))
 *                      angle = freq_scale theta (1 - x) + theta x,            magnitude = attn_factor (1 + 0.1 ln(1/freq_scale))
 *
 * lo and hi as in YaRN, always rounded outward (there is no truncate = false here). Modes mrope, imrope and vision
 * take four coordinates (t, y, x, extra), and sections count the pairs of each: imrope deals them out in turn, and
 * what is left goes to extra; vision turns channels k and k + n_dims, with frequencies that restart in each section.
 * ggml itself multiplies float32 powers, which costs up to 2e-2 at position 131 071. */
#include <math.h>
#include <stdlib.h>

#include "core/quantity.h"
#include "core/rotary.h"

enum { N_DIMS, MODE, N_CTX_ORIG, FREQ_BASE, FREQ_SCALE, EXT_FACTOR, ATTN_FACTOR, BETA_FAST, BETA_SLOW, FREQ_FACTORS, SECTIONS };
enum { MODE_NORMAL, MODE_NEOX, MODE_MROPE, MODE_IMROPE, MODE_VISION };

static const char *const modes[] = {"normal", "neox", "mrope", "imrope", "vision", NULL};
static const double OFF_FACTOR = 1e30;      /* stands for infinity in rope_freqs.weight: the pair does not turn */
static const struct param params[] = {
    [N_DIMS] = {.name = "n_dims", .unit = N_("channels"),
                .help = N_("channels that turn; vision counts half of them. Without it, the whole head"),
                .type = PARAM_INT, .def = NAN, .min = 2, .max = 65536, .step = 2},
    [MODE] = {.name = "mode",
              .help = N_("normal pairs 2k with 2k + 1, neox k with k + n_dims/2; the others take four coordinates"),
              .type = PARAM_CHOICE, .def = MODE_NORMAL, .choices = modes},
    [N_CTX_ORIG] = {.name = "n_ctx_orig", .unit = N_("tokens"), .help = N_("length trained on, for YaRN"),
                    .type = PARAM_REAL, .def = 0, .min = 0, .max = 1e12, .step = 1024},
    [FREQ_BASE] = {.name = "freq_base",
                   .help = N_("base B of the frequencies; a larger one makes all pairs but the first turn slower"),
                   .type = PARAM_REAL, .def = 10000, .min = 1, .max = 1e12},
    [FREQ_SCALE] = {.name = "freq_scale",
                    .help = N_("positions are multiplied by it: 1 / factor"),
                    .type = PARAM_REAL, .def = 1, .min = 1e-6, .max = 1e6},
    [EXT_FACTOR] = {.name = "ext_factor", .help = N_("how much of YaRN's blend is applied, 0 is none"),
                    .type = PARAM_REAL, .def = 0, .min = 0, .max = 10, .step = 0.1},
    [ATTN_FACTOR] = {.name = "attn_factor",
                     .help = N_("cos and sin are multiplied by it"),
                     .type = PARAM_REAL, .def = 1, .min = 1e-3, .max = 100, .step = 0.05},
    [BETA_FAST] = {.name = "beta_fast", .unit = N_("turns"),
                   .help = N_("yarn: pairs that turn more often within the trained length are kept"),
                   .type = PARAM_REAL, .def = 32, .min = 1e-3, .max = 1e6},
    [BETA_SLOW] = {.name = "beta_slow", .unit = N_("turns"),
                   .help = N_("yarn: pairs that turn less often within the trained length are divided by factor"),
                   .type = PARAM_REAL, .def = 1, .min = 1e-3, .max = 1e6},
    [FREQ_FACTORS] = {.name = "freq_factors", .help = N_("divisor of each pair's frequency; 1e30 stops the pair"),
                      .type = PARAM_LIST, .def = NAN, .min = 1e-6, .max = 1e38},
    [SECTIONS] = {.name = "sections", .unit = N_("pairs"), .help = N_("pairs of each of the four coordinates"),
                  .type = PARAM_LIST, .def = NAN, .min = 0, .max = 32768},
};

static bool has_sections(const struct enc *e)
{
    return enc_num(e, MODE) >= MODE_MROPE;
}

static double n_dims(const struct enc *e)
{
    if (enc_has(e, N_DIMS))
        return enc_num(e, N_DIMS);
    return enc_num(e, MODE) == MODE_VISION ? e->shape.d_head / 2 : e->shape.d_head;
}

/* Which coordinate turns pair k, and how many pairs stand before it in its section. */
static int axis_of_pair(const struct enc *e, size_t k, double *within)
{
    const double *s = e->param[SECTIONS].t->v;
    double j = fmod((double)k, s[0] + s[1] + s[2] + s[3]), from = 0;
    int axis = 0;
    if (enc_num(e, MODE) == MODE_IMROPE) {
        axis = (int)fmod(j, 3);
        return j < 3 * s[axis] ? axis : 3;
    }
    while (axis < 3 && j >= from + s[axis])
        from += s[axis++];
    *within = j - from;
    return axis;
}

static bool sections_fit(const struct enc *e, struct err *err)
{
    const struct table *s = e->param[SECTIONS].t;
    double sum = 0;
    if (!s || s->n != 4)
        return err_set(err, N_("mode = %s: needs sections, 4 numbers of pairs"), modes[(int)enc_num(e, MODE)]);
    for (size_t i = 0; i < 4; i++) {
        if (s->v[i] != floor(s->v[i]))
            return err_set(err, N_("sections: %g is no whole number of pairs"), s->v[i]);
        sum += s->v[i];
    }
    return sum >= 1 || err_set(err, N_("sections: their sum is 0, must be at least 1"));
}

static bool fits(const struct enc *e, struct err *err)
{
    double dims = n_dims(e), head = e->shape.d_head;
    bool vision = enc_num(e, MODE) == MODE_VISION, good = vision ? 2 * dims == head : dims >= 2 && dims <= head && fmod(dims, 2) == 0;
    if (!good && !enc_has(e, N_DIMS))
        return err_set(err, N_("head_dim = %d: must be an even number from 2, for pairs of channels to turn"), e->shape.d_head);
    if (vision && !good)
        return err_set(err, N_("n_dims = %g: mode vision needs half of head_dim = %g"), dims, head);
    if (!good)
        return err_set(err, N_("n_dims = %g: must be an even number from 2 to head_dim = %g"), dims, head);
    if (enc_num(e, EXT_FACTOR) != 0 && enc_num(e, N_CTX_ORIG) < 1)
        return err_set(err, N_("n_ctx_orig = %g: must be at least 1 where ext_factor is not 0"), enc_num(e, N_CTX_ORIG));
    if (enc_num(e, EXT_FACTOR) != 0 && enc_num(e, FREQ_BASE) <= 1)
        return err_set(err, N_("freq_base = %g: YaRN needs more than 1"), enc_num(e, FREQ_BASE));
    if (enc_num(e, BETA_FAST) < enc_num(e, BETA_SLOW))
        return err_set(err, N_("beta_fast = %g: must be at least beta_slow = %g"), enc_num(e, BETA_FAST), enc_num(e, BETA_SLOW));
    return !has_sections(e) || sections_fit(e, err);
}

static void fill_axes(const struct enc *e, struct rotary *r)
{
    for (size_t k = 0; k < r->n; k++) {
        double within = (double)k;
        r->axis[k] = axis_of_pair(e, k, &within);
        if (enc_num(e, MODE) == MODE_VISION)
            r->unscaled[k] = pow(enc_num(e, FREQ_BASE), -2 * within / n_dims(e));
    }
}

static void fill_frequencies(const struct enc *e, struct rotary *r)
{
    double scale = enc_num(e, FREQ_SCALE), ext = enc_num(e, EXT_FACTOR), low = 0, high = 0;
    const struct table *factors = e->param[FREQ_FACTORS].t;
    struct rope_scaling yarn = {.base = enc_num(e, FREQ_BASE), .width = n_dims(e), .original = enc_num(e, N_CTX_ORIG),
                                .beta_fast = enc_num(e, BETA_FAST), .beta_slow = enc_num(e, BETA_SLOW), .truncate = true};
    if (ext != 0)
        rope_yarn_ramp(&yarn, &low, &high);
    for (size_t k = 0; k < r->n; k++) {
        double y = fmin(fmax(((double)k - low) / fmax(0.001, high - low), 0), 1), x = ext * (1 - y);
        double factor = factors ? factors->v[k] : 1, w = factor >= OFF_FACTOR ? 0 : r->unscaled[k] / factor;
        r->inv_freq[k] = scale * w * (1 - x) + w * x;
        r->band[k] = w == 0                              ? BAND_OFF
                     : r->inv_freq[k] == r->unscaled[k] ? BAND_KEPT
                     : x > 0 && x < 1                   ? BAND_BLENDED
                                                        : BAND_DIVIDED;
    }
    r->magnitude = enc_num(e, ATTN_FACTOR) * (ext != 0 ? 1 + 0.1 * log(1 / scale) : 1);
    r->trained = enc_num(e, N_CTX_ORIG) > 0 ? enc_num(e, N_CTX_ORIG) : NAN;
}

static bool init(struct enc *e, struct err *err)
{
    if (!fits(e, err))
        return false;
    struct rotary *r = e->state;
    size_t pairs = (size_t)n_dims(e) / (enc_num(e, MODE) == MODE_VISION ? 1 : 2);
    const struct table *factors = e->param[FREQ_FACTORS].t;
    if (factors && factors->n != pairs)
        return err_set(err, N_("%s has %zu entries, must be %zu, one for each pair"), "freq_factors", factors->n, pairs);
    rotary_init(r, pairs);
    rotary_set_layout(r, enc_num(e, MODE) == MODE_NORMAL ? ROTARY_INTERLEAVED : ROTARY_HALF, 0);
    rotary_geometric(r, enc_num(e, FREQ_BASE), n_dims(e));
    if (has_sections(e)) {
        e->axes = 4;
        fill_axes(e, r);
    }
    fill_frequencies(e, r);
    rotary_spectrum(r);
    return true;
}

static bool q_n_dims(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    return answer_list(out, &(double){n_dims(e)}, 1, err);
}

static const struct quantity quantities[] = {
    {.name = "n_dims", .help = N_("the channels that turn"), .compute = q_n_dims},
};

const struct encoding encoding_ggml_rope = {
    .id = "ggml_rope",
    .title = N_("RoPE in llama.cpp"),
    .help = N_("The rotation by the arguments of llama.cpp and its GGUF files, for comparing with what a configuration "
               "asks for. All scaling types can be written with them, but YaRN without rounding (truncate = false) cannot."),
    .year = 2021,
    .cite = "ggml, ggml_rope_ext; Su et al. 2021 (arXiv 2104.09864); Peng et al. 2024 (arXiv 2309.00071)",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .axes = 1,
    .state_size = sizeof(struct rotary),
    .promises = PROMISE_RELATIVE | PROMISE_ISOMETRIC,
    .init = init,
    .done = rotary_hook_done,
    .rotate = rotary_hook_rotate,
    .spectrum = rotary_hook_spectrum,
};
