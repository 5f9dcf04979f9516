/* gguf_config.c - the keys of a GGUF file under Hugging Face's names. What llama.cpp takes where a key is absent is written out, so that
 * no default of a transformers class slips in; null stands for "none". */
#include "model/gguf_config.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "core/rotary.h"

/* Both names of each key. Those of the file stand behind the architecture's name; a leading '=' means they do not. */
static const struct { const char *gguf, *hf; } names[GGUF_KEY_COUNT] = {
    [GGUF_ARCHITECTURE] = {"=general.architecture", "model_type"},
    [GGUF_CONTEXT] = {"context_length", "max_position_embeddings"},
    [GGUF_WIDTH] = {"embedding_length", "hidden_size"},
    [GGUF_LAYERS] = {"block_count", "num_hidden_layers"},
    [GGUF_HEADS] = {"attention.head_count", "num_attention_heads"},
    [GGUF_KV_HEADS] = {"attention.head_count_kv", "num_key_value_heads"},
    [GGUF_HEAD_DIM] = {"attention.key_length", "head_dim"},
    [GGUF_HEAD_DIM_SWA] = {"attention.key_length_swa", "swa_head_dim"},
    [GGUF_WINDOW] = {"attention.sliding_window", "sliding_window"},
    [GGUF_PATTERN] = {"attention.sliding_window_pattern", "layer_types"},
    [GGUF_CHUNK] = {"attention.sliding_window", "attention_chunk_size"},
    [GGUF_NOPE] = {"=general.architecture", "no_rope_layers"},
    [GGUF_LAYOUT] = {"=general.architecture", "rope_interleave"},
    [GGUF_ROTARY_DIM] = {"rope.dimension_count", "rotary_dim"},
    [GGUF_ROPE_DIM_MLA] = {"rope.dimension_count", "qk_rope_head_dim"},
    [GGUF_NOPE_DIM_MLA] = {"attention.key_length", "qk_nope_head_dim"},
    [GGUF_BASE] = {"rope.freq_base", "rope_theta"},
    [GGUF_BASE_SWA] = {"rope.freq_base_swa", "rope_local_base_freq"},
    [GGUF_SCALING_TYPE] = {"rope.scaling.type", "rope_scaling.rope_type"},
    [GGUF_FACTOR] = {"rope.scaling.factor", "rope_scaling.factor"},
    [GGUF_ORIGINAL] = {"rope.scaling.original_context_length", "rope_scaling.original_max_position_embeddings"},
    [GGUF_ATTN_FACTOR] = {"rope.scaling.attn_factor", "rope_scaling.attention_factor"},
    [GGUF_LOG_MULTIPLIER] = {"rope.scaling.yarn_log_multiplier", "rope_scaling.mscale_all_dim"},
    [GGUF_MSCALE] = {"rope.scaling.yarn_log_multiplier", "rope_scaling.mscale"},
    [GGUF_BETA_FAST] = {"rope.scaling.yarn_beta_fast", "rope_scaling.beta_fast"},
    [GGUF_BETA_SLOW] = {"rope.scaling.yarn_beta_slow", "rope_scaling.beta_slow"},
    [GGUF_ALPHA] = {"rope.scaling.alpha", "rope_scaling.alpha"},
    [GGUF_SECTION] = {"rope.dimension_sections", "rope_scaling.mrope_section"},
    [GGUF_LOW_FREQ] = {"=rope_freqs.weight", "rope_scaling.low_freq_factor"},
    [GGUF_HIGH_FREQ] = {"=rope_freqs.weight", "rope_scaling.high_freq_factor"},
    [GGUF_SHORT] = {"=rope_factors_short.weight", "rope_scaling.short_factor"},
    [GGUF_LONG] = {"=rope_factors_long.weight", "rope_scaling.long_factor"},
    [GGUF_SCALING] = {"rope.scaling", "rope_scaling"},
    [GGUF_PARTIAL] = {"=rope_freqs.weight", "rope_scaling.partial_rotary_factor"},
    [GGUF_TEMPERATURE_SCALE] = {"attention.temperature_scale", "rope_scaling.llama_4_scaling_beta"},
    [GGUF_TEMPERATURE_LENGTH] = {"attention.temperature_length", "floor_scale"},
    [GGUF_ALIBI] = {"attention.max_alibi_bias", "alibi_bias_max"},
    [GGUF_BUCKETS] = {"attention.relative_buckets_count", "relative_attention_num_buckets"},
    [GGUF_DISTANCE] = {"=general.architecture", "relative_attention_max_distance"},
};

char *gguf_key_name(const struct translation *t, enum gguf_key key, char *out, size_t size)
{
    const char *name = names[key].gguf;
    if (*name == '=')
        snprintf(out, size, "%s", name + 1);
    else
        snprintf(out, size, "%s.%s", t->name, name);
    return out;
}

/* ---- values of the file -------------------------------------------------------------------------------------------- */

static const struct gguf_value *value_of(const struct translation *t, const char *key)
{
    char full[160];
    snprintf(full, sizeof full, "%s.%s", t->name, key);
    return gguf_get(t->g, full);
}

static double number_of(const struct translation *t, const char *key)
{
    const struct gguf_value *v = value_of(t, key);
    return v && isfinite(v->number) ? v->number : NAN;
}

/* Entry l of a list by layer, or the number that holds for all; NAN: absent. */
static double at_layer(const struct gguf_value *v, size_t l)
{
    if (!v)
        return NAN;
    return !v->list ? v->number : l < v->list->n ? v->list->v[l] : NAN;
}

static double largest(const struct gguf_value *v)
{
    double most = v ? v->number : NAN;
    for (size_t i = 0; v && v->list && i < v->list->n; i++)
        most = fmax(most, v->list->v[i]);       /* fmax passes over NAN */
    return most;
}

static bool rule(const struct translation *t, unsigned rules)
{
    return t->arch && (t->arch->rules & rules) != 0;
}

/* ---- the configuration ----------------------------------------------------------------------------------------------- */

static struct json *scaling_object(struct translation *t)
{
    if (!t->scaling)
        t->scaling = json_set(t->config, "rope_scaling", json_object());
    return t->scaling;
}

static void put(struct translation *t, enum gguf_key key, struct json *value)
{
    const char *name = names[key].hf, *inner = strchr(name, '.');
    if (inner)
        json_set(scaling_object(t), inner + 1, value);
    else
        json_set(t->config, name, value);
}

/* A number with the words that tell where it comes from; fmt NULL: the key itself. NAN: null, that is none. */
static void put_number(struct translation *t, enum gguf_key key, double x, const char *from)
{
    put(t, key, isnan(x) ? json_new_null() : json_new_number(x));
    snprintf(t->from[key], sizeof t->from[key], "%s", from ? from : "");
}

/* What llama.cpp takes without the key. */
static const char *without(struct translation *t, const char *key, char out[160])
{
    return say(t->r, out, 160, N_("llama.cpp's code where %s.%s is absent"), t->name, key);
}

/* Any value as it stands; a wrong type is found by the reader. Absent: nothing inside an object, else null. */
static void copy(struct translation *t, enum gguf_key key)
{
    const struct gguf_value *v = value_of(t, names[key].gguf);
    char name[160];
    if (v && !v->text && !v->list && v->type != GGUF_ARRAY && !isfinite(v->number))
        finding_add(t->r, "not-finite", gguf_key_name(t, key, name, sizeof name), N_("%s is not a finite number: nothing can be computed with it."), name);
    if (v && v->text)
        put(t, key, json_new_string(v->text));
    else if (v && v->type == GGUF_BOOL)
        put(t, key, json_new_bool(v->number != 0));
    else if (v && isfinite(largest(v)))
        put(t, key, json_new_number(largest(v)));
    else if (!strchr(names[key].hf, '.'))
        put(t, key, json_new_null());
}

/* ---- sizes ------------------------------------------------------------------------------------------------------------- */

/* Layers that predict further tokens stand behind the others and are none of the model's own. */
static void put_layers(struct translation *t)
{
    double blocks = number_of(t, "block_count"), extra = number_of(t, "nextn_predict_layers");
    char from[160];
    t->layers = extra > 0 ? blocks - extra : blocks;
    snprintf(from, sizeof from, "%.40s.block_count - %.40s.nextn_predict_layers", t->name, t->name);
    put_number(t, GGUF_LAYERS, t->layers, extra > 0 ? from : NULL);
    if (!(t->layers >= 1 && t->layers <= FACTS_MAX_LAYERS))
        t->layers = 0;
}

/* Heads by layer: the largest is the model's; where they differ, the reading says so. */
static void put_heads(struct translation *t, enum gguf_key key)
{
    const struct gguf_value *v = value_of(t, names[key].gguf);
    double least = INFINITY, most = largest(v);
    char name[160];
    if (most == 0)
        put(t, key, json_new_null());   /* no layer attends */
    else
        copy(t, key);
    for (size_t l = 0; v && v->list && l < v->list->n; l++)
        if (v->list->v[l] > 0)
            least = fmin(least, v->list->v[l]);
    if (least < most)
        finding_add(t->r, "heads-by-layer", gguf_key_name(t, key, name, sizeof name),
                    N_("%s differs from layer to layer, from %.10g to %.10g: the largest is shown."), name, least, most);
}

static void put_sizes(struct translation *t)
{
    double width = number_of(t, "embedding_length"), heads = largest(value_of(t, "attention.head_count"));
    put_layers(t);
    copy(t, GGUF_CONTEXT);
    copy(t, GGUF_WIDTH);
    put_heads(t, GGUF_HEADS);
    put_heads(t, GGUF_KV_HEADS);
    t->context = number_of(t, "context_length");
    t->head_dim = number_of(t, "attention.key_length");
    if (isnan(t->head_dim) && heads > 0)
        t->head_dim = floor(width / heads);
    copy(t, GGUF_HEAD_DIM);
    if (value_of(t, "attention.key_length_swa"))
        copy(t, GGUF_HEAD_DIM_SWA);
    json_set_null(t->config, "global_head_dim");
}

/* ---- which layers -------------------------------------------------------------------------------------------------------- */

/* The window; NAN: none. llama.cpp writes 0 for none. */
static double put_window(struct translation *t)
{
    double window = number_of(t, "attention.sliding_window");
    char from[160];
    if (rule(t, GGUF_CHUNKED)) {
        bool off = window == 0;
        put_number(t, GGUF_CHUNK, off ? NAN : 8192, say(t->r, from, sizeof from, N_("llama.cpp's code for the architecture %s"), t->name));
        json_set_null(t->config, "sliding_window");
        json_set_null(t->config, "no_rope_layer_interval");
        json_set_bool(t->config, "attn_temperature_tuning", !off);
        return off ? NAN : 8192;
    }
    if (isnan(window) && rule(t, GGUF_WINDOW_4096))
        put_number(t, GGUF_WINDOW, window = 4096, without(t, "attention.sliding_window", from));
    else
        put_number(t, GGUF_WINDOW, window > 0 ? window : NAN, NULL);
    return window > 0 ? window : NAN;
}

/* Does layer l slide? The file's pattern, by layer or as a period, before that of the code. */
static bool slides(const struct translation *t, size_t l, int *known)
{
    const struct gguf_value *v = value_of(t, "attention.sliding_window_pattern");
    double period = v && !v->list && v->number >= 1 && v->type != GGUF_BOOL ? v->number : t->arch ? t->arch->period : 0;
    *known = period > 0 || (v && v->list);
    if (v && v->list)
        return at_layer(v, l) > 0;
    if (!(period >= 1))
        return false;
    return rule(t, GGUF_FULL_FIRST) ? fmod((double)l, period) != 0 : fmod((double)l, period) < period - 1;
}

/* Mixed models write 0 key heads where a layer does not attend. */
static bool attends(const struct translation *t, size_t l)
{
    double interval = number_of(t, "full_attention_interval");
    const struct gguf_value *recurrent = value_of(t, "attention.recurrent_layers");
    if (recurrent && recurrent->list)
        return at_layer(recurrent, l) == 0;
    if (isnan(interval) && rule(t, GGUF_INTERVAL_4))
        interval = 4;
    if (interval >= 1)
        return fmod((double)l + 1, interval) == 0;
    return at_layer(value_of(t, "attention.head_count_kv"), l) != 0;
}

static const char *word_of(const struct translation *t, size_t l, bool windowed)
{
    int known;
    bool sliding = slides(t, l, &known);
    if (!attends(t, l))
        return "linear_attention";
    if (!windowed || (known && !sliding))
        return "full_attention";
    return rule(t, GGUF_CHUNKED) ? "chunked_attention" : "sliding_attention";
}

/* A list a layer, so that no pattern of a transformers class is asked. */
static void put_layer_types(struct translation *t, double window)
{
    char from[160];
    bool listed = value_of(t, "attention.sliding_window_pattern") != NULL;
    struct json *types = json_array(), *rope = json_array();
    for (size_t l = 0; l < (size_t)t->layers; l++) {
        const char *word = word_of(t, l, !isnan(window));
        bool full = !strcmp(word, "full_attention");
        bool nope = (rule(t, GGUF_NOPE_FOURTH) && !(rule(t, GGUF_CHUNKED) && isnan(window)) && (l + 1) % 4 == 0) ||
                    (rule(t, GGUF_NOPE_FULL) && !isnan(window) && full);
        json_push_string(types, word);
        json_push_number(rope, nope ? 0 : 1);
    }
    put(t, GGUF_PATTERN, types);
    put(t, GGUF_NOPE, rope);
    say(t->r, from, sizeof from, N_("llama.cpp's code for the architecture %s"), t->name);
    snprintf(t->from[GGUF_PATTERN], sizeof *t->from, "%s", listed ? "" : from);
    snprintf(t->from[GGUF_NOPE], sizeof *t->from, "%s", from);
}

/* ---- rotation --------------------------------------------------------------------------------------------------------------- */

static enum gguf_rope rope_type(const struct translation *t)
{
    const struct gguf_value *sections = value_of(t, "rope.dimension_sections");
    if (rule(t, GGUF_SECTIONS) && largest(sections) > 0)
        return GGUF_ROPE_MROPE;
    return t->arch ? t->arch->rope : GGUF_ROPE_NONE;
}

static void put_layout(struct translation *t)
{
    static const char *const shown[] = {"", "NORM", "NORM", "NEOX", "MROPE", "IMROPE"};
    enum gguf_rope type = rope_type(t);
    char from[160];
    if (!t->arch)
        return;
    say(t->r, from, sizeof from, N_("rope type %s of the architecture %s in llama.cpp"), shown[type], t->name);
    put(t, GGUF_LAYOUT, json_new_bool(type == GGUF_ROPE_NORM || type == GGUF_ROPE_PERMUTED));
    snprintf(t->from[GGUF_LAYOUT], sizeof *t->from, "%s", from);
}

/* Latent attention: the block that turns stands behind the one that does not. Newer files say the width of the uncompressed key apart. */
static void put_latent_dims(struct translation *t)
{
    double apart = number_of(t, "attention.key_length_mla"), rope = number_of(t, "rope.dimension_count");
    double key = isnan(apart) ? t->head_dim : apart;
    char from[160];
    snprintf(from, sizeof from, "%.40s.attention.key_length%s - %.40s.rope.dimension_count", t->name, isnan(apart) ? "" : "_mla", t->name);
    copy(t, GGUF_ROPE_DIM_MLA);
    put_number(t, GGUF_NOPE_DIM_MLA, key >= rope ? key - rope : NAN, from);
}

static void put_rotary_dims(struct translation *t)
{
    double full = number_of(t, "rope.dimension_count"), own = number_of(t, "attention.key_length_swa");
    char from[160];
    if (rule(t, GGUF_MLA) && full > 0 && full < t->head_dim) {
        put_latent_dims(t);
        return;
    }
    json_set_null(t->config, "qk_rope_head_dim");
    if (!isnan(own) && own != t->head_dim)
        return;                         /* each kind of layer turns its whole head */
    if (isnan(full))
        put_number(t, GGUF_ROTARY_DIM, t->head_dim, without(t, "rope.dimension_count", from));
    else
        copy(t, GGUF_ROTARY_DIM);
}

static void put_bases(struct translation *t)
{
    char from[160];
    t->base = number_of(t, "rope.freq_base");
    if (value_of(t, "rope.freq_base"))
        copy(t, GGUF_BASE);
    else
        put_number(t, GGUF_BASE, t->base = 10000, without(t, "rope.freq_base", from));
    if (value_of(t, "rope.freq_base_swa"))
        copy(t, GGUF_BASE_SWA);
    else if (rule(t, GGUF_LOCAL_10000))
        put_number(t, GGUF_BASE_SWA, 10000, without(t, "rope.freq_base_swa", from));
    else
        json_set_null(t->config, "local_rope_theta");
}

/* ---- scaling ------------------------------------------------------------------------------------------------------------------ */

static void put_type(struct translation *t, const char *type, const char *from)
{
    put(t, GGUF_SCALING_TYPE, json_new_string(type));
    snprintf(t->from[GGUF_SCALING], sizeof *t->from, "%s", from);
    snprintf(t->from[GGUF_SCALING_TYPE], sizeof *t->from, "%s", from);
}

static void put_list(struct translation *t, enum gguf_key key, const struct table *values)
{
    struct json *list = json_array();
    for (size_t i = 0; i < values->n; i++)
        json_push_number(list, values->v[i]);
    put(t, key, list);
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
        double attn = number_of(t, "rope.scaling.attn_factor");
        put_type(t, "longrope", "rope_factors_long.weight");
        put_list(t, GGUF_SHORT, brief);
        put_list(t, GGUF_LONG, wide);
        copy(t, GGUF_ORIGINAL);
        if (isnan(attn))
            put_number(t, GGUF_ATTN_FACTOR, 1, without(t, "rope.scaling.attn_factor", from));
        else
            copy(t, GGUF_ATTN_FACTOR);
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
    put_type(t, "llama3", "rope_freqs.weight");
    put_number(t, GGUF_FACTOR, s, from);
    put_number(t, GGUF_LOW_FREQ, 1, from);
    put_number(t, GGUF_HIGH_FREQ, high, from);
    put_number(t, GGUF_ORIGINAL, original, from);
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
    put_type(t, "proportional", "rope_freqs.weight");
    put_number(t, GGUF_PARTIAL, nextafter((double)turning / (double)factors->n, 2), NULL);
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
        put_type(t, "default", "rope_freqs.weight");
    }
    table_unref(factors);
    return taken;
}

/* attention_factor = (1 + 0.1 ln s) or the ratio of DeepSeek's two, times attn_factor. */
static void put_yarn(struct translation *t)
{
    double attn = number_of(t, "rope.scaling.attn_factor"), log_multiplier = number_of(t, "rope.scaling.yarn_log_multiplier");
    double s = number_of(t, "rope.scaling.factor");
    bool tenth = rule(t, GGUF_LOG_MULTIPLIER_TENTH);
    char from[160];
    copy(t, GGUF_ORIGINAL);
    copy(t, GGUF_BETA_FAST);
    copy(t, GGUF_BETA_SLOW);
    if (log_multiplier > 0) {
        double all = tenth ? log_multiplier / 0.1 : log_multiplier;
        snprintf(from, sizeof from, "%.40s.rope.scaling.yarn_log_multiplier%s", t->name, tenth ? " / 0.1" : "");
        put_number(t, GGUF_LOG_MULTIPLIER, all, from);
        put_number(t, GGUF_MSCALE, tenth ? all : 1, say(t->r, from, sizeof from, N_("llama.cpp's code for the architecture %s"), t->name));
    } else if (!isnan(attn) && attn != 1) {
        snprintf(from, sizeof from, "%.40s.rope.scaling.attn_factor x (0.1 ln %.6g + 1)", t->name, s);
        put_number(t, GGUF_ATTN_FACTOR, attn * rope_yarn_mscale(s, 1), from);
    }
    if (number_of(t, "attention.temperature_scale") > 0)
        copy(t, GGUF_TEMPERATURE_SCALE);
}

static void attn_factor_unused(struct translation *t, const char *type)
{
    double attn = number_of(t, "rope.scaling.attn_factor");
    char name[160];
    if (!isnan(attn) && attn != 1)
        finding_add(t->r, "scaling-not-computed", gguf_key_name(t, GGUF_ATTN_FACTOR, name, sizeof name),
                    N_("%s is %.6g beside scaling %s: llama.cpp multiplies queries and keys by it, which is not shown here."), name, attn, type);
}

static void put_scaling(struct translation *t)
{
    const struct gguf_value *kind = value_of(t, "rope.scaling.type");
    double factor = number_of(t, "rope.scaling.factor"), legacy = number_of(t, "rope.scale_linear");
    char name[160];
    bool old = isnan(factor) && legacy > 0;
    factor = old ? legacy : factor;
    const char *type = kind && kind->text ? kind->text : "linear";
    if (put_longrope(t) || put_frequency_factors(t, strcmp(type, "none") ? factor : 1))
        return;
    if (number_of(t, "rope.scaling.alpha") > 0) {
        put_type(t, "dynamic", gguf_key_name(t, GGUF_ALPHA, name, sizeof name));
        copy(t, GGUF_ALPHA);
        return;
    }
    bool silent = !(kind && kind->text) && (isnan(factor) || factor == 1 || factor == 0);
    bool without_effect = !strcmp(type, "linear") && (factor == 1 || factor == 0);
    if (silent || without_effect || !strcmp(type, "none")) {
        attn_factor_unused(t, "none");
        return;
    }
    put_type(t, type, kind ? gguf_key_name(t, GGUF_SCALING_TYPE, name, sizeof name)
                           : say(t->r, name, sizeof name, N_("llama.cpp's code where %s.%s is absent"), t->name, "rope.scaling.type"));
    if (!isnan(factor))
        put_number(t, GGUF_FACTOR, factor, old ? path_join(name, sizeof name, t->name, "rope.scale_linear") : NULL);
    if (!strcmp(type, "yarn"))
        put_yarn(t);
    else
        attn_factor_unused(t, type);
    if (strcmp(type, "yarn") && strcmp(type, "longrope"))
        copy(t, GGUF_ORIGINAL);
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

/* Sections count pairs of time, row, column and a fourth coordinate that texts and pictures leave at 0. */
static void put_sections(struct translation *t)
{
    const struct gguf_value *v = value_of(t, "rope.dimension_sections");
    enum gguf_rope type = rope_type(t);
    char name[160];
    if (!v || !v->list || v->list->n < 3 || !(largest(v) > 0) || (type != GGUF_ROPE_MROPE && type != GGUF_ROPE_IMROPE))
        return;
    struct json *list = json_array();
    double dims = number_of(t, "rope.dimension_count"), pairs = floor((isnan(dims) ? t->head_dim : dims) / 2);
    for (size_t i = 0; i < 3; i++)
        json_push_number(list, v->list->v[i]);
    put(t, GGUF_SECTION, list);
    json_set_bool(scaling_object(t), "mrope_interleaved", type == GGUF_ROPE_IMROPE);
    if (!json_get(t->scaling, "rope_type"))
        put_type(t, "mrope", gguf_key_name(t, GGUF_SECTION, name, sizeof name));
    double left = type == GGUF_ROPE_IMROPE ? left_by_sections(v->list, pairs) : 0;
    if (left > 0)
        finding_add(t->r, "sections-left", gguf_key_name(t, GGUF_SECTION, name, sizeof name),
                    N_("%s: %.10g of %.10g pairs are left over by the three sections. llama.cpp turns them with a fourth coordinate, which is 0 for text, so they "
                       "stay still there; transformers turns them with the time, which is shown here."), name, left, pairs);
}

/* ---- all of it ------------------------------------------------------------------------------------------------------------------- */

static double largest_bias(const struct translation *t)
{
    double bias = number_of(t, "attention.max_alibi_bias");
    bool fixed = rule(t, GGUF_ALIBI_8) || (rule(t, GGUF_ALIBI_40_LAYERS) && t->layers == 40);
    return isnan(bias) && fixed ? 8 : bias;
}

static bool has_rows(const struct translation *t)
{
    return gguf_find_tensor(t->g, "position_embd.weight") != NULL;
}

/* Whose reading applies: tensors and keys decide where the architecture leaves a choice. */
static const char *family_for(const struct translation *t)
{
    double bias = largest_bias(t);
    if (!t->arch)
        return t->name;
    if (bias > 0)
        return rule(t, GGUF_BOTH_SIDES) ? "bert" : "bloom";
    if (!strcmp(t->arch->family, "bloom"))
        return has_rows(t) ? "gpt2" : "mamba";
    return t->arch->family;
}

static void put_other_encodings(struct translation *t, const char *family)
{
    char from[160];
    double bias = largest_bias(t);
    if (bias > 0) {
        json_set_string(t->config, "position_embedding_type", "alibi");
        put_number(t, GGUF_ALIBI, bias, isnan(number_of(t, "attention.max_alibi_bias")) ? without(t, "attention.max_alibi_bias", from) : NULL);
    }
    if (strcmp(family, "t5"))
        return;
    copy(t, GGUF_BUCKETS);
    put_number(t, GGUF_DISTANCE, 128, say(t->r, from, sizeof from, N_("llama.cpp's code for the architecture %s"), t->name));
}

static void put_rotation(struct translation *t)
{
    put_layout(t);
    put_bases(t);
    put_scaling(t);
    put_sections(t);
    if (!t->scaling && t->arch && !strcmp(t->arch->family, "gemma4"))
        put_type(t, "default", "");     /* without the tensor every pair turns */
    if (!t->scaling || strcmp(json_string(json_get(t->scaling, "rope_type")), "proportional"))
        put_rotary_dims(t);
    if (number_of(t, "attention.temperature_length") > 0 && rule(t, GGUF_CHUNKED))
        copy(t, GGUF_TEMPERATURE_LENGTH);
}

void gguf_translate(struct translation *t, struct reader *r, const struct gguf *g)
{
    const struct gguf_value *name = gguf_get(g, "general.architecture");
    *t = (struct translation){.r = r, .g = g, .config = json_object(), .factors_scale = 1};
    utf8_sanitise(t->name, sizeof t->name, name && name->text ? name->text : "");
    t->arch = architecture_find(t->name);
    r->root = t->config;
    put_sizes(t);
    const char *family = family_for(t);
    json_set_string(t->config, "model_type", family);
    double window = put_window(t);
    if (t->layers > 0)
        put_layer_types(t, window);
    put_other_encodings(t, family);
    if (rope_type(t) != GGUF_ROPE_NONE ? !(largest_bias(t) > 0) : !t->arch && !isnan(number_of(t, "rope.dimension_count")))
        put_rotation(t);
}

void gguf_translation_done(struct translation *t)
{
    table_unref(t->factors);
}

/* ---- the way back ----------------------------------------------------------------------------------------------------------------- */

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* A name of the configuration, whole ("rope_scaling.factor") or as its last part where that is no plain word ("beta_fast"). */
static int key_of(const char *word, size_t n)
{
    for (int whole = 1; whole >= 0; whole--) {
        for (int key = 0; key < GGUF_KEY_COUNT; key++) {
            const char *last = strrchr(names[key].hf, '.'), *name = whole || !last ? names[key].hf : last + 1;
            if (strlen(name) == n && !strncmp(word, name, n) && (whole || strchr(name, '_')))
                return key;
        }
    }
    return -1;
}

/* Every such name in a text, replaced. The caller frees it. */
static char *renamed(const struct translation *t, const char *text)
{
    struct buf out = {0};
    while (*text) {
        size_t n = 0;
        while (in_name(text[n]))
            n++;
        size_t dots = n;
        while (dots && text[dots - 1] == '.')           /* the end of a sentence */
            dots--;
        char name[160];
        int key = dots ? key_of(text, dots) : -1;
        if (key >= 0)
            buf_text(&out, gguf_key_name(t, (enum gguf_key)key, name, sizeof name));
        else
            buf_put(&out, text, dots);
        text += dots;
        if (*text)
            buf_put(&out, text++, 1);
    }
    return buf_string(&out);
}

static char *origin_renamed(const struct translation *t, const char *from)
{
    if (!strcmp(from, "qk_nope_head_dim + qk_rope_head_dim")) {
        const char *own = value_of(t, "attention.key_length_mla") ? "key_length_mla" : "key_length";
        return xasprintf("%s.attention.%s", t->name, own);
    }
    int key = key_of(from, strlen(from));
    return key >= 0 && *t->from[key] ? xstrdup(t->from[key]) : renamed(t, from);
}

char *gguf_edit(const struct translation *t, const char *edit)
{
    size_t n = strcspn(edit, "="), prefix = strlen(t->name);
    const char *name = edit;
    if (n > prefix && !strncmp(name, t->name, prefix) && name[prefix] == '.') {
        name += prefix + 1;
        n -= prefix + 1;
    }
    for (int key = 0; key < GGUF_KEY_COUNT; key++)
        if (strlen(names[key].gguf) == n && !strncmp(name, names[key].gguf, n))
            return xasprintf("%s%s", names[key].hf, name + n);
    return xstrdup(edit);
}

void gguf_names(const struct translation *t)
{
    struct facts *f = t->r->f;
    for (size_t i = 0; i < f->n_origins; i++) {
        char *from = origin_renamed(t, f->origin[i].from);
        utf8_sanitise(f->origin[i].from, sizeof f->origin[i].from, from);
        free(from);
    }
    for (size_t i = 0; i < f->n_findings; i++) {
        char *field = renamed(t, f->finding[i].field), *message = renamed(t, f->finding[i].message);
        utf8_sanitise(f->finding[i].field, sizeof f->finding[i].field, field);
        free(f->finding[i].message);
        f->finding[i].message = message;
        free(field);
    }
}
