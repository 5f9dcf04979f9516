/* gguf_config.c - the keys of a GGUF file under Hugging Face's names. What llama.cpp takes where a key is absent is written out, so that
 * no default of a transformers class slips in; null stands for "none". */
#include "model/gguf_config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* ---- sizes ------------------------------------------------------------------------------------------------------------- */

/* Layers that predict further tokens stand behind the others and are none of the model's own. */
static void put_layers(struct translation *t)
{
    double blocks = gguf_number_of(t, "block_count"), extra = gguf_number_of(t, "nextn_predict_layers");
    char from[160];
    t->layers = extra > 0 ? blocks - extra : blocks;
    snprintf(from, sizeof from, "%.40s.block_count - %.40s.nextn_predict_layers", t->name, t->name);
    gguf_put_number(t, GGUF_LAYERS, t->layers, extra > 0 ? from : NULL);
    if (!(t->layers >= 1 && t->layers <= FACTS_MAX_LAYERS))
        t->layers = 0;
}

/* Heads by layer: the largest is the model's; where they differ, the reading says so. */
static void put_heads(struct translation *t, enum gguf_key key)
{
    const struct gguf_value *v = gguf_value_of(t, gguf_key_names[key].gguf);
    double least = INFINITY, most = gguf_largest(v);
    char name[160];
    if (most == 0)
        gguf_put(t, key, json_new_null());   /* no layer attends */
    else
        gguf_copy(t, key);
    for (size_t l = 0; v && v->list && l < v->list->n; l++)
        if (v->list->v[l] > 0)
            least = fmin(least, v->list->v[l]);
    if (least < most)
        finding_add(t->r, "heads-by-layer", gguf_key_name(t, key, name, sizeof name),
                    N_("%s differs from layer to layer, from %.10g to %.10g: the largest is shown."), name, least, most);
}

/* What multiplies q.k; null where it is 1/sqrt(head_dim), so that no key of a family is asked for its default. */
static void put_scale(struct translation *t)
{
    double width = gguf_number_of(t, "embedding_length"), heads = gguf_largest(gguf_value_of(t, "attention.head_count")), scale = NAN;
    double stated = gguf_number_of(t, "attention.scale");
    char from[160];
    say(t->r, from, sizeof from, N_("llama.cpp's code for the architecture %s"), t->name);
    if ((gguf_rule(t, GGUF_SCALE_46_LAYERS) && t->layers == 46) || (gguf_rule(t, GGUF_SCALE_62_LAYERS) && t->layers == 62))
        scale = 1 / sqrt(floor(width / heads));
    else if (gguf_rule(t, GGUF_SCALE_INVERSE))
        scale = 1 / t->head_dim;
    else if (gguf_rule(t, GGUF_SCALE_KEY) && stated != 0)
        scale = stated;
    gguf_put_number(t, GGUF_SCALE, isfinite(scale) ? scale : NAN, gguf_rule(t, GGUF_SCALE_KEY) ? NULL : from);
}

static void put_sizes(struct translation *t)
{
    double width = gguf_number_of(t, "embedding_length"), heads = gguf_largest(gguf_value_of(t, "attention.head_count"));
    put_layers(t);
    gguf_copy(t, GGUF_CONTEXT);
    gguf_copy(t, GGUF_WIDTH);
    put_heads(t, GGUF_HEADS);
    put_heads(t, GGUF_KV_HEADS);
    t->context = gguf_number_of(t, "context_length");
    t->head_dim = gguf_number_of(t, "attention.key_length");
    if (isnan(t->head_dim) && heads > 0)
        t->head_dim = floor(width / heads);
    gguf_copy(t, GGUF_HEAD_DIM);
    if (gguf_value_of(t, "attention.key_length_swa"))
        gguf_copy(t, GGUF_HEAD_DIM_SWA);
    json_set_null(t->config, "global_head_dim");
    put_scale(t);
}

/* ---- which layers -------------------------------------------------------------------------------------------------------- */

/* The window; NAN: none. llama.cpp writes 0 for none. */
static double put_window(struct translation *t)
{
    double window = gguf_number_of(t, "attention.sliding_window");
    char from[160];
    if (gguf_rule(t, GGUF_CHUNKED)) {
        bool off = window == 0;
        gguf_put_number(t, GGUF_CHUNK, off ? NAN : 8192, say(t->r, from, sizeof from, N_("llama.cpp's code for the architecture %s"), t->name));
        json_set_null(t->config, "sliding_window");
        json_set_null(t->config, "no_rope_layer_interval");
        json_set_bool(t->config, "attn_temperature_tuning", !off);
        return off ? NAN : 8192;
    }
    if (isnan(window) && gguf_rule(t, GGUF_WINDOW_4096))
        gguf_put_number(t, GGUF_WINDOW, window = 4096, gguf_without(t, "attention.sliding_window", from));
    else
        gguf_put_number(t, GGUF_WINDOW, window > 0 ? window : NAN, NULL);
    return window > 0 ? window : NAN;
}

/* Does layer l slide? The file's pattern, by layer or as a period, before that of the code. */
static bool slides(const struct translation *t, size_t l, int *known)
{
    const struct gguf_value *v = gguf_value_of(t, "attention.sliding_window_pattern");
    double period = v && !v->list && v->number >= 1 && v->type != GGUF_BOOL ? v->number : t->arch ? t->arch->period : 0;
    *known = period > 0 || (v && v->list);
    if (v && v->list)
        return gguf_at_layer(v, l) > 0;
    if (!(period >= 1))
        return false;
    return gguf_rule(t, GGUF_FULL_FIRST) ? fmod((double)l, period) != 0 : fmod((double)l, period) < period - 1;
}

/* Mixed models write 0 key heads where a layer does not attend. */
static bool attends(const struct translation *t, size_t l)
{
    double interval = gguf_number_of(t, "full_attention_interval");
    const struct gguf_value *recurrent = gguf_value_of(t, "attention.recurrent_layers");
    if (recurrent && recurrent->list)
        return gguf_at_layer(recurrent, l) == 0;
    if (isnan(interval) && gguf_rule(t, GGUF_INTERVAL_4))
        interval = 4;
    if (interval >= 1)
        return fmod((double)l + 1, interval) == 0;
    return gguf_at_layer(gguf_value_of(t, "attention.head_count_kv"), l) != 0;
}

static const char *word_of(const struct translation *t, size_t l, bool windowed)
{
    int known;
    bool sliding = slides(t, l, &known);
    if (!attends(t, l))
        return "linear_attention";
    if (!windowed || (known && !sliding))
        return "full_attention";
    return gguf_rule(t, GGUF_CHUNKED) ? "chunked_attention" : "sliding_attention";
}

/* A list a layer, so that no pattern of a transformers class is asked. */
static void put_layer_types(struct translation *t, double window)
{
    struct json *types = json_array(), *rope = json_array();
    for (size_t l = 0; l < (size_t)t->layers; l++) {
        const char *word = word_of(t, l, !isnan(window));
        bool full = !strcmp(word, "full_attention");
        bool nope = (gguf_rule(t, GGUF_NOPE_FOURTH) && !(gguf_rule(t, GGUF_CHUNKED) && isnan(window)) && (l + 1) % 4 == 0) ||
                    (gguf_rule(t, GGUF_NOPE_FULL) && !isnan(window) && full);
        json_push_string(types, word);
        json_push_number(rope, nope ? 0 : 1);
    }
    gguf_put(t, GGUF_PATTERN, types);
    gguf_put(t, GGUF_NOPE, rope);
}

/* ---- rotation --------------------------------------------------------------------------------------------------------------- */

static void put_layout(struct translation *t)
{
    static const char *const shown[] = {"", "NORM", "NORM", "NEOX", "MROPE", "IMROPE"};
    enum gguf_rope type = gguf_rope_type(t);
    char from[160];
    if (!t->arch)
        return;
    say(t->r, from, sizeof from, N_("rope type %s of the architecture %s in llama.cpp"), shown[type], t->name);
    gguf_put(t, GGUF_LAYOUT, json_new_bool(type == GGUF_ROPE_NORM || type == GGUF_ROPE_PERMUTED));
    snprintf(t->from[GGUF_LAYOUT], sizeof *t->from, "%s", from);
}

/* Latent attention: the block that turns stands behind the one that does not. Newer files say the width of the uncompressed key apart. */
static void put_latent_dims(struct translation *t)
{
    double apart = gguf_number_of(t, "attention.key_length_mla"), rope = gguf_number_of(t, "rope.dimension_count");
    double key = isnan(apart) ? t->head_dim : apart;
    char from[160];
    snprintf(from, sizeof from, "%.40s.attention.key_length%s - %.40s.rope.dimension_count", t->name, isnan(apart) ? "" : "_mla", t->name);
    gguf_copy(t, GGUF_ROPE_DIM_MLA);
    gguf_put_number(t, GGUF_NOPE_DIM_MLA, key >= rope ? key - rope : NAN, from);
}

static void put_rotary_dims(struct translation *t)
{
    double full = gguf_number_of(t, "rope.dimension_count"), own = gguf_number_of(t, "attention.key_length_swa");
    char from[160];
    if (gguf_rule(t, GGUF_MLA) && full > 0 && full < t->head_dim) {
        put_latent_dims(t);
        return;
    }
    json_set_null(t->config, "qk_rope_head_dim");
    if (!isnan(own) && own != t->head_dim)
        return;                         /* each kind of layer turns its whole head */
    if (isnan(full))
        gguf_put_number(t, GGUF_ROTARY_DIM, t->head_dim, gguf_without(t, "rope.dimension_count", from));
    else
        gguf_copy(t, GGUF_ROTARY_DIM);
}

static void put_bases(struct translation *t)
{
    char from[160];
    t->base = gguf_number_of(t, "rope.freq_base");
    if (gguf_value_of(t, "rope.freq_base"))
        gguf_copy(t, GGUF_BASE);
    else
        gguf_put_number(t, GGUF_BASE, t->base = 10000, gguf_without(t, "rope.freq_base", from));
    if (gguf_value_of(t, "rope.freq_base_swa"))
        gguf_copy(t, GGUF_BASE_SWA);
    else if (gguf_rule(t, GGUF_LOCAL_10000))
        gguf_put_number(t, GGUF_BASE_SWA, 10000, gguf_without(t, "rope.freq_base_swa", from));
    else
        json_set_null(t->config, "local_rope_theta");
}

/* ---- all of it ------------------------------------------------------------------------------------------------------------------- */

static double largest_bias(const struct translation *t)
{
    double bias = gguf_number_of(t, "attention.max_alibi_bias");
    bool fixed = gguf_rule(t, GGUF_ALIBI_8) || (gguf_rule(t, GGUF_ALIBI_40_LAYERS) && t->layers == 40);
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
        return gguf_rule(t, GGUF_BOTH_SIDES) ? "bert" : "bloom";
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
        gguf_put_number(t, GGUF_ALIBI, bias, isnan(gguf_number_of(t, "attention.max_alibi_bias")) ? gguf_without(t, "attention.max_alibi_bias", from) : NULL);
    }
    if (strcmp(family, "t5"))
        return;
    if (gguf_value_of(t, "decoder_block_count"))
        gguf_copy(t, GGUF_DECODER_LAYERS);
    gguf_copy(t, GGUF_BUCKETS);
    gguf_put_number(t, GGUF_DISTANCE, 128, say(t->r, from, sizeof from, N_("llama.cpp's code for the architecture %s"), t->name));
}

static void put_rotation(struct translation *t)
{
    put_layout(t);
    put_bases(t);
    gguf_put_scaling(t);
    gguf_put_sections(t);
    if (!t->scaling && t->arch && !strcmp(t->arch->family, "gemma4"))
        gguf_put_type(t, "default", "");     /* without the tensor every pair turns */
    if (!t->scaling || strcmp(json_string(json_get(t->scaling, "rope_type")), "proportional"))
        put_rotary_dims(t);
    if (gguf_number_of(t, "attention.temperature_length") > 0 && gguf_rule(t, GGUF_CHUNKED))
        gguf_copy(t, GGUF_TEMPERATURE_LENGTH);
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
    if (gguf_rope_type(t) != GGUF_ROPE_NONE ? !(largest_bias(t) > 0) : !t->arch && !isnan(gguf_number_of(t, "rope.dimension_count")))
        put_rotation(t);
}

void gguf_translation_done(struct translation *t)
{
    table_unref(t->factors);
}
