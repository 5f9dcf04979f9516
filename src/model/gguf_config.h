/* gguf_config.h - a GGUF file as a configuration with Hugging Face's names, so that one reading serves both; and the way back, from
 * those names to the file's, in origins and findings.
 *
 * gguf_translate, then read_model on r->root, then gguf_names. */
#ifndef POSVIZ_MODEL_GGUF_CONFIG_H
#define POSVIZ_MODEL_GGUF_CONFIG_H

#include "model/gguf.h"
#include "model/gguf_arch.h"
#include "model/reader.h"

/* The keys that both sides have. */
enum gguf_key {
    GGUF_ARCHITECTURE, GGUF_CONTEXT, GGUF_WIDTH, GGUF_LAYERS, GGUF_HEADS, GGUF_KV_HEADS, GGUF_HEAD_DIM, GGUF_HEAD_DIM_SWA, GGUF_WINDOW,
    GGUF_PATTERN, GGUF_CHUNK, GGUF_NOPE, GGUF_LAYOUT, GGUF_ROTARY_DIM, GGUF_ROPE_DIM_MLA, GGUF_NOPE_DIM_MLA, GGUF_BASE, GGUF_BASE_SWA,
    GGUF_SCALING_TYPE, GGUF_FACTOR, GGUF_ORIGINAL, GGUF_ATTN_FACTOR, GGUF_LOG_MULTIPLIER, GGUF_MSCALE, GGUF_BETA_FAST, GGUF_BETA_SLOW,
    GGUF_ALPHA, GGUF_SECTION, GGUF_LOW_FREQ, GGUF_HIGH_FREQ, GGUF_SHORT, GGUF_LONG, GGUF_SCALING, GGUF_PARTIAL, GGUF_TEMPERATURE_SCALE,
    GGUF_TEMPERATURE_LENGTH, GGUF_ALIBI, GGUF_BUCKETS, GGUF_DISTANCE, GGUF_KEY_COUNT
};

struct translation {
    struct reader *r;
    const struct gguf *g;
    const struct architecture *arch;            /* NULL: not known */
    char name[64];                              /* general.architecture */
    struct json *config;
    struct json *scaling;                       /* the object rope_scaling in it, NULL until one is needed */
    double layers, head_dim, base, context;     /* NAN: not said */
    struct table *factors;                      /* of rope_freqs.weight, where no known scaling makes them */
    double factors_scale;                       /* the linear factor beside them */
    char from[GGUF_KEY_COUNT][160];             /* where a value comes from, "": the key of its name */
};

/* Fills r->root and the translation, with findings about what the keys alone tell. */
void gguf_translate(struct translation *t, struct reader *r, const struct gguf *g);
void gguf_translation_done(struct translation *t);
/* The name in the file: "llama.rope.freq_base". Returns out. */
char *gguf_key_name(const struct translation *t, enum gguf_key key, char *out, size_t size);
/* "llama.rope.freq_base=1e6" or "rope.freq_base=1e6" with the name of the configuration; other edits as they are. */
char *gguf_edit(const struct translation *t, const char *edit);
/* Names of the file in r->f's origins and findings. */
void gguf_names(const struct translation *t);

#endif
