/* gguf_translation.h - a GGUF file on its way to a configuration with Hugging Face's names: the keys of both sides, the values of the
 * file, and how they are put. Shared by gguf_config.c (sizes, layers, rotation), gguf_scaling.c and gguf_names.c (the way back).
 * Inside src/model only. */
#ifndef POSVIZ_MODEL_GGUF_TRANSLATION_H
#define POSVIZ_MODEL_GGUF_TRANSLATION_H

#include "model/gguf.h"
#include "model/gguf_arch.h"
#include "model/reader.h"

/* The keys that both sides have. */
enum gguf_key {
#define GGUF_KEY(key, gguf, hf) GGUF_##key,
#include "model/gguf_keys.def"
#undef GGUF_KEY
    GGUF_KEY_COUNT
};
extern const struct gguf_key_names { const char *gguf, *hf; } gguf_key_names[GGUF_KEY_COUNT];

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

/* The name in the file: "llama.rope.freq_base". Returns out. */
char *gguf_key_name(const struct translation *t, enum gguf_key key, char *out, size_t size);

/* ---- values of the file: key stands behind the architecture's name -------------------------------------------------- */

const struct gguf_value *gguf_value_of(const struct translation *t, const char *key);      /* NULL: absent */
double gguf_number_of(const struct translation *t, const char *key);                       /* NAN: absent, or no finite number */
/* Entry l of a list by layer, or the number that holds for all; NAN: absent. */
double gguf_at_layer(const struct gguf_value *v, size_t l);
double gguf_largest(const struct gguf_value *v);                                           /* of a list, or the number; NAN: absent */
/* Has the architecture one of these rules? */
bool gguf_rule(const struct translation *t, unsigned rules);
/* How its pairs are formed; sections in the file make it multi-axis where the architecture allows both. */
enum gguf_rope gguf_rope_type(const struct translation *t);

/* ---- putting them into the configuration ---------------------------------------------------------------------------- */

void gguf_put(struct translation *t, enum gguf_key key, struct json *value);               /* takes value */
/* A number with the words that tell where it comes from; NULL: the key itself. NAN: null, that is none. */
void gguf_put_number(struct translation *t, enum gguf_key key, double x, const char *from);
/* Any value as it stands; a wrong type is found by the reader. Absent: nothing inside an object, else null. */
void gguf_copy(struct translation *t, enum gguf_key key);
/* Says that llama.cpp's code takes a value where the key is absent. Returns out. */
const char *gguf_without(const struct translation *t, const char *key, char out[160]);
/* rope_scaling, made at the first call. */
struct json *gguf_scaling_object(struct translation *t);

/* ---- scaling (gguf_scaling.c) --------------------------------------------------------------------------------------- */

void gguf_put_type(struct translation *t, const char *type, const char *from);
/* The kind of scaling and its numbers, or t->factors; t->base is known. */
void gguf_put_scaling(struct translation *t);
/* Sections count pairs of time, row, column and a fourth coordinate that texts and pictures leave at 0. */
void gguf_put_sections(struct translation *t);

#endif
