/* families.h - what a model's code does that its file does not say: which encoding a family uses, in which layout, with
 * which defaults. One data table (families.c); a new family is a row there. */
#ifndef POSVIZ_MODEL_FAMILIES_H
#define POSVIZ_MODEL_FAMILIES_H

#include <stdbool.h>
#include <stddef.h>

enum scheme {
    SCHEME_UNKNOWN, SCHEME_NONE, SCHEME_ROPE, SCHEME_ALIBI, SCHEME_LEARNED, SCHEME_SINUSOIDAL, SCHEME_T5, SCHEME_TRANSFORMER_XL,
    SCHEME_DEBERTA, SCHEME_SHAW, SCHEME_RELATIVE_2D, SCHEME_CONVOLUTIONAL, SCHEME_COUNT
};
extern const char *const scheme_names[SCHEME_COUNT];    /* as in the reading: "rope", "t5_relative_bias", ... */

enum family_rule {
    FAMILY_KEYED = 1 << 0,              /* position_embedding_type and its like decide over the family's scheme */
    FAMILY_ALIBI_FLAG = 1 << 1,         /* a key alibi (Falcon; MPT inside attn_config) decides */
    FAMILY_ALIBI_BY_SIZE = 1 << 2,      /* Baichuan: the 13B model (hidden 5120) is ALiBi, the 7B is RoPE; no key says so */
    FAMILY_ENCODER = 1 << 3,            /* every token sees both sides */
    FAMILY_PAD_OFFSET = 1 << 4,         /* learned rows begin at pad_token_id + 1 (RoBERTa) */
    FAMILY_EXTRA_ROWS = 1 << 5,         /* the table has @offset rows more than the length says (OPT, BART) */
    FAMILY_GRID = 1 << 6,               /* tokens are image patches */
    FAMILY_T2T = 1 << 7,                /* sinusoids of tensor2tensor: the exponent divides by d/2 - 1 */
    FAMILY_NOPE_FULL = 1 << 8,          /* where some layers slide, the full ones have no encoding (Cohere 2, EXAONE 4) */
    FAMILY_LOCAL_UNSCALED = 1 << 9,     /* the scaling is for the full layers alone (Gemma 3, OLMo 3) */
    FAMILY_OUTER_ORIGINAL = 1 << 10,    /* original_max_position_embeddings at the top level comes before the one inside (Phi-3) */
    FAMILY_DECLARED_EXTENDED = 1 << 11, /* max_position_embeddings already holds the extended length (Gemma 3) */
    FAMILY_BASE_FIXED = 1 << 12,        /* the file format has no key for the base */
    FAMILY_CONTEXT_FIXED = 1 << 13,     /* the file format has no key for the length, or often leaves it out */
    FAMILY_NO_LIMIT = 1 << 14,          /* no length belongs to the design: none is missed */
    FAMILY_NTK_OWN = 1 << 15,           /* scaling type ntk means a formula of this family's own, which is not computed here */
    FAMILY_LOCAL_ONLY = 1 << 17,        /* every layer that attends is a sliding one (recurrent Gemma) */
    FAMILY_NOT_COMPUTED = 1 << 18,      /* the scheme is named, its form is none of those computed here */
    FAMILY_NONE_IF_KEYLESS = 1 << 19,   /* without a base or scaling in the file nothing turns (OLMo Hybrid) */
    FAMILY_BY_LAYER = 1 << 20,          /* rope_theta and partial_rotary_factors may be lists, one entry a layer (Step 3.5) */
    FAMILY_BASE_KEPT = 1 << 21,         /* published models of long contexts have the default base too (GLM-4, AFMoE) */
    FAMILY_ALIBI_SCALED = 1 << 22,      /* the biases are added before the dot products are scaled, and so scaled with them (Falcon) */
    FAMILY_QWEN1 = 1 << 16              /* use_dynamic_ntk and use_logn_attn stand for a scaling object; seq_length is the original */
};

struct family {
    const char *names;          /* model types, blanks between them; - and _ and case do not matter */
    enum scheme scheme;
    const char *layout;         /* "half", "interleaved", "sin_then_cos"; NULL: none */
    const char *style;          /* of encodings that come in several: "dinov3", "mae", "swin", "v1", ... */
    enum scheme decoder;        /* of an encoder-decoder, where it differs; SCHEME_UNKNOWN: the same */
    unsigned rules;             /* enum family_rule */
    const char *defaults;       /* "KEY=NUMBER ...": what the code takes where the file is silent; @names are no file keys:
                                   @offset row of the first token, @extra class and other tokens before the patches,
                                   @pattern every n-th layer is full, @global_first 1: the first of them, not the last,
                                   @last_full, @first_full 1: so is this one whatever the pattern, @all_full 1: layers without a
                                   list do not slide, @attention_factor of yarn where the file has none, @sections 1:
                                   mrope_section is needed, @proportional share of the pairs
                                   that turn in full layers if no scaling is written, @published base of every published
                                   model where the code's default is another, @even_clip 1: of clipped distances
                                   the farthest before the query has no vector, @reach: a window of both sides reaches so
                                   much further than its length to each, not half of it, @scale what q.k is multiplied by,
                                   @scale_share of a head's width whose root it is divided by */
};

/* NULL: no family of ours. */
const struct family *family_find(const char *model_type);
/* From an architecture's class name, "LlamaForCausalLM". */
const struct family *family_of_architecture(const char *name);
/* "KEY=VALUE ..." of the first of the keys (blanks between them) that has a default, NULL if none; and its number, NAN if none. */
const char *family_default_entry(const struct family *f, const char *keys);
double family_default(const struct family *f, const char *keys);
/* The first of its names, for messages. */
const char *family_name(const struct family *f, char *out, size_t size);

#endif
