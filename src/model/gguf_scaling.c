/* gguf_scaling.c - the scaling of a GGUF file: its keys, and the tensors of factors, from which the parameters of a known scaling are
 * fitted back where there is one. */
#include "model/gguf_translation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/rotary.h"

void gguf_put_type(struct translation *t, const char *type, const char *from)
{
    gguf_put(t, GGUF_SCALING_TYPE, json_new_string(type));
    snprintf(t->from[GGUF_SCALING], sizeof *t->from, "%s", from);
    snprintf(t->from[GGUF_SCALING_TYPE], sizeof *t->from, "%s", from);
}

static void put_list(struct translation *t, enum gguf_key key, const struct table *values)
{
    struct json *list = json_array();
    for (size_t i = 0; i < values->n; i++)
        json_push_number(list, values->v[i]);
    gguf_put(t, key, list);
}

/* The numbers of a tensor of factors; NULL if there is none, and after a finding if it cannot be read. */
static struct table *factors_of(struct translation *t, const char *name)
{
    enum { FACTORS_MAX = 65536 };
    const struct gguf_tensor *tensor = gguf_find_tensor(t->g, name);
    struct err err = {.lang = t->r->lang};
    struct table *values = tensor ? gguf_values(t->g, tensor, FACTORS_MAX, &err) : NULL;
    if (tensor && !values)
        finding_add(t->r, "tensor-unread", name, N_("%s. The factors of the frequencies are in it, so they are shown without it."), err.text);
    return values;
}

/* LongRoPE's two lists: the model has it where the tensors are, whatever the key of the kind says. */
static bool put_longrope(struct translation *t)
{
    struct table *brief = factors_of(t, "rope_factors_short.weight"), *wide = factors_of(t, "rope_factors_long.weight");
    bool has = brief && wide;
    char from[160];
    if (has) {
        double attn = gguf_number_of(t, "rope.scaling.attn_factor");
        gguf_put_type(t, "longrope", "rope_factors_long.weight");
        put_list(t, GGUF_SHORT, brief);
        put_list(t, GGUF_LONG, wide);
        gguf_copy(t, GGUF_ORIGINAL);
        if (isnan(attn))
            gguf_put_number(t, GGUF_ATTN_FACTOR, 1, gguf_without(t, "rope.scaling.attn_factor", from));
        else
            gguf_copy(t, GGUF_ATTN_FACTOR);
    }
    table_unref(brief);
    table_unref(wide);
    return has;
}

/* The band that llama3 scaling blends gives back its parameters: with x = L/wavelength, 1/factor_k = 1/s + (1 - 1/s)(x - low)/(high - low)
 * is a line in the unscaled frequency. low 1 is the choice of all published models, since low, high and L matter by their ratios alone. */
static bool fit_llama3(const struct table *factors, double base, double width, double *s, double *high, double *original)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0, n = 0;
    *s = 1;
    for (size_t k = 0; k < factors->n; k++)
        *s = fmax(*s, factors->v[k]);
    for (size_t k = 0; k < factors->n; k++) {
        double f = factors->v[k], x = pow(base, -2 * (double)k / width) / (2 * M_PI), y = (1 / f - 1 / *s) / (1 - 1 / *s);
        if (!(f > 1 + 1e-5 && f < *s * (1 - 1e-5)))
            continue;
        n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
    double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx), intercept = (sy - slope * sx) / n;
    *high = 1 - 1 / intercept;                  /* intercept = -low/(high - low) */
    *original = round(slope * (*high - 1));
    *high = round(*high * 1000) / 1000;
    return n >= 2 && isfinite(*original) && *original >= 1 && *high > 1;
}

/* Does the encoding, with these parameters, divide the frequencies as the file does? */
static bool makes_factors(const struct translation *t, struct item *item, const struct table *factors)
{
    struct shape shape = {.length = 1, .n_heads = 1, .d_head = (int)factors->n * 2, .d_model = (int)factors->n * 2};
    item_number(item, "rope_theta", t->base);
    struct enc *e = enc_open(item->kind, &shape, item->param, NULL);
    const struct spectrum *s = e ? e->kind->spectrum(e) : NULL;
    bool same = s && s->n == factors->n;
    for (size_t k = 0; same && k < s->n; k++) {
        double computed = s->inv_freq[k] == 0 ? INFINITY : (s->unscaled ? s->unscaled[k] : s->inv_freq[k]) / s->inv_freq[k];
        same = isinf(computed) ? factors->v[k] >= 1e30 : fabs(factors->v[k] / computed - 1) <= 1e-4;
    }
    enc_close(e);
    return same;
}

static bool is_llama3(const struct translation *t, const struct table *factors, double s, double low, double high, double original)
{
    struct item item;
    item_init(&item, encoding_find("rope", NULL));
    item_choice(&item, "rope_type", "llama3");
    item_number(&item, "factor", s);
    item_number(&item, "low_freq_factor", low);
    item_number(&item, "high_freq_factor", high);
    item_number(&item, "original_max_position_embeddings", original);
    bool same = makes_factors(t, &item, factors);
    item_done(&item);
    return same;
}

static bool put_llama3(struct translation *t, const struct table *factors)
{
    double s, high, original;
    bool fits = fit_llama3(factors, t->base, (double)factors->n * 2, &s, &high, &original);
    if (!fits || !is_llama3(t, factors, s, 1, high, original)) {
        high = 1;                               /* no band between: Llama 4 */
        original = 8192;
        if (s == 1 || !is_llama3(t, factors, s, 1, high, original))
            return false;
    }
    char from[160];
    say(t->r, from, sizeof from, N_("fitted to %s"), "rope_freqs.weight");
    gguf_put_type(t, "llama3", "rope_freqs.weight");
    gguf_put_number(t, GGUF_FACTOR, s, from);
    gguf_put_number(t, GGUF_LOW_FREQ, 1, from);
    gguf_put_number(t, GGUF_HIGH_FREQ, high, from);
    gguf_put_number(t, GGUF_ORIGINAL, original, from);
    return true;
}

/* Ones, then pairs that do not turn. */
static bool put_proportional(struct translation *t, const struct table *factors)
{
    size_t turning = 0;
    while (turning < factors->n && factors->v[turning] == 1)
        turning++;
    for (size_t k = turning; k < factors->n; k++)
        if (!(factors->v[k] >= 1e30))
            return false;
    if (!turning || turning == factors->n)
        return false;
    gguf_put_type(t, "proportional", "rope_freqs.weight");
    gguf_put_number(t, GGUF_PARTIAL, nextafter((double)turning / (double)factors->n, 2), NULL);
    return true;
}

static bool only_ones(const struct table *factors)
{
    for (size_t k = 0; k < factors->n; k++)
        if (factors->v[k] != 1)
            return false;
    return true;
}

/* Factors that no known scaling makes are shown as they are: the encoding of llama.cpp's own arguments takes them. */
static bool put_frequency_factors(struct translation *t, double factor)
{
    struct table *factors = factors_of(t, "rope_freqs.weight");
    bool taken = factors && !only_ones(factors);
    if (taken && (factor > 1 || !(put_llama3(t, factors) || put_proportional(t, factors)))) {
        t->factors = table_ref(factors);
        t->factors_scale = factor > 1 ? factor : 1;
        gguf_put_type(t, "default", "rope_freqs.weight");
    }
    table_unref(factors);
    return taken;
}

/* attention_factor = (1 + 0.1 ln s) or the ratio of DeepSeek's two, times attn_factor. */
static void put_yarn(struct translation *t)
{
    double attn = gguf_number_of(t, "rope.scaling.attn_factor"), log_multiplier = gguf_number_of(t, "rope.scaling.yarn_log_multiplier");
    double s = gguf_number_of(t, "rope.scaling.factor");
    bool tenth = gguf_rule(t, GGUF_LOG_MULTIPLIER_TENTH);
    char from[160];
    gguf_copy(t, GGUF_ORIGINAL);
    gguf_copy(t, GGUF_BETA_FAST);
    gguf_copy(t, GGUF_BETA_SLOW);
    if (log_multiplier > 0) {
        double all = tenth ? log_multiplier / 0.1 : log_multiplier;
        snprintf(from, sizeof from, "%.40s.rope.scaling.yarn_log_multiplier%s", t->name, tenth ? " / 0.1" : "");
        gguf_put_number(t, GGUF_LOG_MULTIPLIER, all, from);
        gguf_put_number(t, GGUF_MSCALE, tenth ? all : 1, say(t->r, from, sizeof from, N_("llama.cpp's code for the architecture %s"), t->name));
    } else if (!isnan(attn) && attn != 1) {
        snprintf(from, sizeof from, "%.40s.rope.scaling.attn_factor x (0.1 ln %.6g + 1)", t->name, s);
        gguf_put_number(t, GGUF_ATTN_FACTOR, attn * rope_yarn_mscale(s, 1), from);
    }
    if (gguf_number_of(t, "attention.temperature_scale") > 0)
        gguf_copy(t, GGUF_TEMPERATURE_SCALE);
}

static void attn_factor_unused(struct translation *t, const char *type)
{
    double attn = gguf_number_of(t, "rope.scaling.attn_factor");
    char name[160];
    if (!isnan(attn) && attn != 1)
        finding_add(t->r, "scaling-not-computed", gguf_key_name(t, GGUF_ATTN_FACTOR, name, sizeof name),
                    N_("%s is %.6g beside scaling %s: llama.cpp multiplies queries and keys by it, which is not shown here."), name, attn, type);
}

void gguf_put_scaling(struct translation *t)
{
    const struct gguf_value *kind = gguf_value_of(t, "rope.scaling.type");
    double factor = gguf_number_of(t, "rope.scaling.factor"), legacy = gguf_number_of(t, "rope.scale_linear");
    char name[160];
    bool old = isnan(factor) && legacy > 0;
    factor = old ? legacy : factor;
    const char *type = kind && kind->text ? kind->text : "linear";
    if (put_longrope(t) || put_frequency_factors(t, strcmp(type, "none") ? factor : 1))
        return;
    if (gguf_number_of(t, "rope.scaling.alpha") > 0) {
        gguf_put_type(t, "dynamic", gguf_key_name(t, GGUF_ALPHA, name, sizeof name));
        gguf_copy(t, GGUF_ALPHA);
        return;
    }
    bool silent = !(kind && kind->text) && (isnan(factor) || factor == 1 || factor == 0);
    bool without_effect = !strcmp(type, "linear") && (factor == 1 || factor == 0);
    if (silent || without_effect || !strcmp(type, "none")) {
        attn_factor_unused(t, "none");
        return;
    }
    gguf_put_type(t, type, kind ? gguf_key_name(t, GGUF_SCALING_TYPE, name, sizeof name)
                           : say(t->r, name, sizeof name, N_("llama.cpp's code where %s.%s is absent"), t->name, "rope.scaling.type"));
    if (!isnan(factor))
        gguf_put_number(t, GGUF_FACTOR, factor, old ? path_join(name, sizeof name, t->name, "rope.scale_linear") : NULL);
    if (!strcmp(type, "yarn"))
        put_yarn(t);
    else
        attn_factor_unused(t, type);
    if (strcmp(type, "yarn") && strcmp(type, "longrope"))
        gguf_copy(t, GGUF_ORIGINAL);
}

/* Pairs that the fourth coordinate turns; a width that no head has is refused elsewhere and not counted through. */
static double left_by_sections(const struct table *sections, double pairs)
{
    enum { WIDEST = 65536 };
    double left = 0;
    for (size_t k = 0; pairs <= WIDEST / 2 && (double)k < pairs; k++)
        left += !((double)k < 3 * sections->v[k % 3]);
    return left;
}

void gguf_put_sections(struct translation *t)
{
    const struct gguf_value *v = gguf_value_of(t, "rope.dimension_sections");
    enum gguf_rope type = gguf_rope_type(t);
    char name[160];
    if (!v || !v->list || v->list->n < 3 || !(gguf_largest(v) > 0) || (type != GGUF_ROPE_MROPE && type != GGUF_ROPE_IMROPE))
        return;
    struct json *list = json_array();
    double dims = gguf_number_of(t, "rope.dimension_count"), pairs = floor((isnan(dims) ? t->head_dim : dims) / 2);
    for (size_t i = 0; i < 3; i++)
        json_push_number(list, v->list->v[i]);
    gguf_put(t, GGUF_SECTION, list);
    json_set_bool(gguf_scaling_object(t), "mrope_interleaved", type == GGUF_ROPE_IMROPE);
    if (!json_get(t->scaling, "rope_type"))
        gguf_put_type(t, "mrope", gguf_key_name(t, GGUF_SECTION, name, sizeof name));
    double left = type == GGUF_ROPE_IMROPE ? left_by_sections(v->list, pairs) : 0;
    if (left > 0)
        finding_add(t->r, "sections-left", gguf_key_name(t, GGUF_SECTION, name, sizeof name),
                    N_("%s: %.10g of %.10g pairs are left over by the three sections. llama.cpp turns them with a fourth coordinate, which is 0 for text, so they "
                       "stay still there; transformers turns them with the time, which is shown here."), name, left, pairs);
}
