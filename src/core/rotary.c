#include "core/rotary.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const char *const rotary_layouts[] = {"half", "interleaved", "interleaved_in_half_out", NULL};
const char *const rotary_layout_titles[] = {N_("halves"), N_("in turn"), N_("in turn → halves")};

/* ---- pairs ----------------------------------------------------------------------------------------- */

void rotary_init(struct rotary *r, size_t pairs)
{
    *r = (struct rotary){.n = pairs, .magnitude = 1, .trained = NAN};
    r->inv_freq = xcalloc(pairs + 1, sizeof *r->inv_freq);
    r->unscaled = xcalloc(pairs + 1, sizeof *r->unscaled);
    int **const ints[] = {&r->a, &r->b, &r->to_a, &r->to_b, &r->axis, &r->band};
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
        *ints[i] = xcalloc(pairs + 1, sizeof **ints[i]);
}

void rotary_done(struct rotary *r)
{
    void *const arrays[] = {r->inv_freq, r->unscaled, r->growth, r->a, r->b, r->to_a, r->to_b, r->axis, r->band};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

void rotary_set_layout(struct rotary *r, enum rotary_layout layout, int from)
{
    int n = (int)r->n;
    bool half_in = layout == ROTARY_HALF, half_out = layout != ROTARY_INTERLEAVED;
    for (int k = 0; k < n; k++) {
        r->a[k] = from + (half_in ? k : 2 * k);
        r->b[k] = from + (half_in ? k + n : 2 * k + 1);
        r->to_a[k] = from + (half_out ? k : 2 * k);
        r->to_b[k] = from + (half_out ? k + n : 2 * k + 1);
    }
}

void rotary_geometric(struct rotary *r, double base, double width)
{
    for (size_t k = 0; k < r->n; k++)
        r->inv_freq[k] = r->unscaled[k] = pow(base, -2 * (double)k / width);
}

void rotary_spectrum(struct rotary *r)
{
    r->spectrum = (struct spectrum){
        .n = r->n, .inv_freq = r->inv_freq, .unscaled = r->unscaled, .a = r->a, .b = r->b, .axis = r->axis, .band = r->band,
        .growth = r->growth, .attention_factor = r->magnitude, .trained = r->trained,
    };
}

enum { RUN = 32 };      /* consecutive rows whose angles are turned on from row to row; then they are evaluated afresh, so that rounding
                           stays at 1e-14 */

/* cos and sin of every pair's angle at one position, and of its step to the next. */
struct angles {
    double *c, *s, *step_c, *step_s;
};

static void evaluate(const struct rotary *r, const double *pos, struct angles *t)
{
    for (size_t k = 0; k < r->n; k++) {
        t->c[k] = cos(pos[r->axis[k]] * r->inv_freq[k]);
        t->s[k] = sin(pos[r->axis[k]] * r->inv_freq[k]);
    }
}

static void step(size_t n, struct angles *t)
{
    for (size_t k = 0; k < n; k++) {
        double c = t->c[k] * t->step_c[k] - t->s[k] * t->step_s[k];
        t->s[k] = t->s[k] * t->step_c[k] + t->c[k] * t->step_s[k];
        t->c[k] = c;
    }
}

/* Is each coordinate one more than that of the row before? */
static bool follows(const double *pos, int axes)
{
    for (int a = 0; a < axes; a++)
        if (pos[a] != pos[a - axes] + 1)
            return false;
    return true;
}

void rotary_turn(const struct rotary *r, int axes, const double *pos, size_t n, size_t d, double *x)
{
    double *in = xmalloc((d + 4 * r->n) * sizeof *in), one[] = {1, 1, 1, 1};      /* channels read and written may differ */
    struct angles t = {in + d, in + d + r->n, in + d + 2 * r->n, in + d + 3 * r->n};
    evaluate(r, one, &(struct angles){t.step_c, t.step_s, NULL, NULL});
    for (size_t i = 0; i < n; i++, pos += axes, x += d) {
        if (isnan(*pos))
            continue;
        if (i % RUN && follows(pos, axes))
            step(r->n, &t);
        else
            evaluate(r, pos, &t);
        memcpy(in, x, d * sizeof *in);
        for (size_t k = 0; k < r->n; k++) {
            double c = r->magnitude * t.c[k], s = r->magnitude * t.s[k], a = in[r->a[k]], b = in[r->b[k]];
            x[r->to_a[k]] = a * c - b * s;
            x[r->to_b[k]] = a * s + b * c;
        }
    }
    free(in);
}

/* ---- hooks --------------------------------------------------------------------------------------------- */

const struct rotary *rotary_of(const struct enc *e)
{
    return e->state;
}

void rotary_hook_done(struct enc *e)
{
    rotary_done(e->state);
}

void rotary_hook_rotate(const struct enc *e, enum side side, int head, const double *pos, size_t n, double *x)
{
    (void)side;
    (void)head;
    rotary_turn(rotary_of(e), e->axes, pos, n, (size_t)e->shape.d_head, x);
}

const struct spectrum *rotary_hook_spectrum(const struct enc *e)
{
    return &rotary_of(e)->spectrum;
}

/* ---- scaling types --------------------------------------------------------------------------------- */

const char *const rope_types[] = {"default", "linear", "dynamic", "ntk", "qwen_ntk", "yarn", "longrope", "llama3",
                                  "proportional", "mrope", NULL};

/* L where it is given, else M. */
static double original(const struct rope_scaling *s)
{
    return isnan(s->original) ? s->maximum : s->original;
}

double rope_factor(const struct rope_scaling *s)
{
    return isnan(s->factor) ? s->maximum / original(s) : s->factor;
}

static bool need(const struct rope_scaling *s, double value, const char *key, struct err *err)
{
    return !isnan(value) || err_set(err, N_("rope_type %s needs %s"), rope_types[s->type], key);
}

/* NTK's exponent d/(d-2) makes the slowest pair turn exactly s times slower and leaves the fastest alone. */
static double ntk_base(const struct rope_scaling *s, double alpha)
{
    return s->base * pow(alpha, s->width / (s->width - 2));
}

/* Hunyuan writes its static alpha under the type "dynamic". */
static bool is_static(const struct rope_scaling *s)
{
    return s->type == ROPE_NTK || (s->type == ROPE_DYNAMIC && !isnan(s->alpha));
}

double rope_base(const struct rope_scaling *s)
{
    if (is_static(s))
        return ntk_base(s, s->alpha);
    if (s->type == ROPE_DYNAMIC)
        return ntk_base(s, s->factor * fmax(s->length, s->maximum) / s->maximum - (s->factor - 1));
    if (s->type == ROPE_QWEN_NTK)
        return ntk_base(s, fmax(1, exp2(ceil(log2(s->length / s->maximum) + 1)) - 1));
    return s->base;
}

static bool fill_default(const struct rope_scaling *s, struct rotary *r, struct err *err)
{
    (void)s;
    (void)r;
    (void)err;
    return true;
}

static bool fill_linear(const struct rope_scaling *s, struct rotary *r, struct err *err)
{
    if (!need(s, s->factor, "factor", err))
        return false;
    for (size_t k = 0; k < r->n; k++)
        r->inv_freq[k] /= s->factor;
    return true;
}

static bool fill_base(const struct rope_scaling *s, struct rotary *r, struct err *err)
{
    if (s->width <= 2)
        return err_set(err, N_("rope_type %s with rotary_dim = %g: must be at least 4, the exponent d/(d-2) has no value at 2"),
                       rope_types[s->type], s->width);
    if (is_static(s) ? !need(s, s->alpha, "alpha", err) : !need(s, s->maximum, "max_position_embeddings", err))
        return false;
    if (s->type == ROPE_DYNAMIC && !is_static(s) && !need(s, s->factor, "factor", err))
        return false;
    double base = rope_base(s);
    assert(isfinite(base));             /* the ranges of theta, factor, alpha and the lengths see to it */
    for (size_t k = 0; k < r->n; k++)
        r->inv_freq[k] = pow(base, -2 * (double)k / s->width);
    return true;
}

/* The pair, as a real number, whose wavelength fits `turns` times into L. */
static double yarn_pair(const struct rope_scaling *s, double turns)
{
    return s->width * log(original(s) / (2 * M_PI * turns)) / (2 * log(s->base));
}

void rope_yarn_ramp(const struct rope_scaling *s, double *low, double *high)
{
    *low = yarn_pair(s, s->beta_fast);
    *high = yarn_pair(s, s->beta_slow);
    if (s->truncate) {
        *low = floor(*low);
        *high = ceil(*high);
    }
    *low = fmax(*low, 0);
    *high = fmin(*high, s->width - 1);      /* not d/2 - 1: the published code does so, and it changes the slope */
    if (*low == *high)
        *high += 0.001;
}

double rope_yarn_mscale(double factor, double mscale)
{
    return factor > 1 ? 0.1 * mscale * log(factor) + 1 : 1;
}

static double yarn_magnitude(const struct rope_scaling *s, double factor)
{
    if (!isnan(s->attention_factor))
        return s->attention_factor;
    bool both = !isnan(s->mscale) && s->mscale != 0 && !isnan(s->mscale_all_dim) && s->mscale_all_dim != 0;
    return both ? rope_yarn_mscale(factor, s->mscale) / rope_yarn_mscale(factor, s->mscale_all_dim)
                : rope_yarn_mscale(factor, 1);
}

static bool fill_yarn(const struct rope_scaling *s, struct rotary *r, struct err *err)
{
    double factor = rope_factor(s), low, high;
    if (!need(s, original(s), "original_max_position_embeddings", err) || !need(s, factor, "factor", err))
        return false;
    if (s->base <= 1)
        return err_set(err, N_("rope_theta = %g: YaRN needs more than 1"), s->base);
    if (s->beta_fast < s->beta_slow)
        return err_set(err, N_("beta_fast = %g: must be at least beta_slow = %g"), s->beta_fast, s->beta_slow);
    rope_yarn_ramp(s, &low, &high);
    for (size_t k = 0; k < r->n; k++) {
        double w = r->unscaled[k], ramp = fmin(fmax(((double)k - low) / (high - low), 0), 1);
        r->inv_freq[k] = w / factor * ramp + w * (1 - ramp);
    }
    r->magnitude = yarn_magnitude(s, factor);
    return true;
}

static bool factors_fit(const struct table *t, const char *key, size_t n, struct err *err)
{
    return !t || t->n == n || err_set(err, N_("%s has %zu entries, must be %zu, one for each pair"), key, t->n, n);
}

static double longrope_magnitude(const struct rope_scaling *s, double factor, bool is_long)
{
    double given = is_long ? s->long_mscale : s->short_mscale;
    if (!isnan(s->attention_factor))
        return s->attention_factor;
    if (!isnan(given))
        return given;
    return factor > 1 ? sqrt(1 + log(factor) / log(original(s))) : 1;
}

/* The switch is by the length of the whole sequence: crossing L changes the angle of every cached key. */
static bool fill_longrope(const struct rope_scaling *s, struct rotary *r, struct err *err)
{
    double L = original(s), factor = rope_factor(s);
    if (!need(s, L, "original_max_position_embeddings", err) || !need(s, factor, "factor", err))
        return false;
    bool is_long = s->length > L;
    const struct table *f = is_long ? s->long_factor : s->short_factor;
    if (!f)
        return need(s, NAN, is_long ? "long_factor" : "short_factor", err);
    if (!factors_fit(s->short_factor, "short_factor", r->n, err) || !factors_fit(s->long_factor, "long_factor", r->n, err))
        return false;
    if (L <= 1)
        return err_set(err, N_("original_max_position_embeddings = %g: longrope needs more than 1"), L);
    for (size_t k = 0; k < r->n; k++)
        r->inv_freq[k] /= f->v[k];
    r->magnitude = longrope_magnitude(s, factor, is_long);
    return true;
}

/* Kept up to wavelength L/high, divided from L/low on, blended between; with low = high nothing is blended. */
static bool fill_llama3(const struct rope_scaling *s, struct rotary *r, struct err *err)
{
    double low = s->low_freq_factor, high = s->high_freq_factor, L = s->original;
    if (!need(s, s->factor, "factor", err) || !need(s, L, "original_max_position_embeddings", err))
        return false;
    if (high < low)
        return err_set(err, N_("high_freq_factor = %g: must be at least low_freq_factor = %g"), high, low);
    for (size_t k = 0; k < r->n; k++) {
        double w = r->unscaled[k], turns = L * w / (2 * M_PI);
        double g = high > low ? fmin(fmax((turns - low) / (high - low), 0), 1) : turns >= high;
        r->inv_freq[k] = (1 - g) * w / s->factor + g * w;
    }
    return true;
}

/* All d/2 pairs exist with the exponents of d; those past the share stand still. */
static bool fill_proportional(const struct rope_scaling *s, struct rotary *r, struct err *err)
{
    (void)err;
    double turning = trunc((isnan(s->partial) ? 1 : s->partial) * s->width / 2);
    for (size_t k = 0; k < r->n; k++)
        r->inv_freq[k] = (double)k < turning ? r->unscaled[k] / (isnan(s->factor) ? 1 : s->factor) : 0;
    return true;
}

static bool (*const fill[])(const struct rope_scaling *, struct rotary *, struct err *) = {
    [ROPE_DEFAULT] = fill_default, [ROPE_LINEAR] = fill_linear, [ROPE_DYNAMIC] = fill_base, [ROPE_NTK] = fill_base,
    [ROPE_QWEN_NTK] = fill_base, [ROPE_YARN] = fill_yarn, [ROPE_LONGROPE] = fill_longrope, [ROPE_LLAMA3] = fill_llama3,
    [ROPE_PROPORTIONAL] = fill_proportional, [ROPE_MROPE] = fill_default,
};

static enum band band_of(double w, double unscaled, double factor)
{
    if (w == 0)
        return BAND_OFF;
    if (fabs(w / unscaled - 1) < 1e-12)
        return BAND_KEPT;
    return fabs(w * factor / unscaled - 1) < 1e-12 ? BAND_DIVIDED : BAND_BLENDED;
}

bool rope_frequencies(const struct rope_scaling *s, struct rotary *r, struct err *err)
{
    rotary_geometric(r, s->base, s->width);
    if (!fill[s->type](s, r, err))
        return false;
    double factor = is_static(s) ? s->alpha : rope_factor(s);
    for (size_t k = 0; k < r->n; k++)
        r->band[k] = band_of(r->inv_freq[k], r->unscaled[k], factor);
    r->trained = original(s);
    return true;
}
