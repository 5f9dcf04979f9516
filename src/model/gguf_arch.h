/* gguf_arch.h - what llama.cpp's code does with an architecture that its GGUF files do not say: how it pairs dimensions, which layers
 * slide or have no rotation, which encoding it is. One data table; a new architecture is a row. */
#ifndef POSVIZ_MODEL_GGUF_ARCH_H
#define POSVIZ_MODEL_GGUF_ARCH_H

/* llama.cpp's rope types. PERMUTED is its NORM for models published as half-split: the converter permutes the rows of q and k. */
enum gguf_rope { GGUF_ROPE_NONE, GGUF_ROPE_NORM, GGUF_ROPE_PERMUTED, GGUF_ROPE_NEOX, GGUF_ROPE_MROPE, GGUF_ROPE_IMROPE };

enum gguf_rule {
    GGUF_FULL_FIRST = 1 << 0,           /* the first layer of a period is the full one, not the last */
    GGUF_NOPE_FULL = 1 << 1,            /* where some layers slide, the full ones have no rotation */
    GGUF_NOPE_FOURTH = 1 << 2,          /* every fourth layer has no rotation */
    GGUF_CHUNKED = 1 << 3,              /* layers that slide do so in chunks, of 8192 */
    GGUF_BOTH_SIDES = 1 << 4,           /* every token sees both sides, unless the file says otherwise */
    GGUF_MLA = 1 << 5,                  /* latent attention: a block of its own turns */
    GGUF_ALIBI_8 = 1 << 6,              /* ALiBi with a largest bias of 8, which the file does not say */
    GGUF_LOCAL_10000 = 1 << 7,          /* base 10000 in layers that slide, unless the file says otherwise */
    GGUF_INTERVAL_4 = 1 << 8,           /* every fourth layer attends, unless the file says otherwise */
    GGUF_LOG_MULTIPLIER_TENTH = 1 << 9, /* yarn_log_multiplier is written as a tenth of mscale_all_dim, and mscale equals it */
    GGUF_WINDOW_4096 = 1 << 10,         /* the window where the file has none */
    GGUF_SECTIONS = 1 << 11,            /* MROPE where the file has sections */
    GGUF_ALIBI_40_LAYERS = 1 << 12,     /* the model of 40 layers has ALiBi, with a largest bias of 8 */
    GGUF_SCALE_KEY = 1 << 13,           /* a key says what q.k is multiplied by */
    GGUF_SCALE_46_LAYERS = 1 << 14,     /* the model of 46 layers divides q.k by the root of embedding_length / head_count (27B) */
    GGUF_SCALE_62_LAYERS = 1 << 15,     /* so does this one of 62 */
    GGUF_SCALE_INVERSE = 1 << 16        /* q.k is divided by the width of a head, not its root */
};

struct architecture {
    const char *name;                   /* general.architecture */
    const char *family;                 /* of families.c: whose reading applies; widths and lengths never come from it */
    enum gguf_rope rope;
    int period;                         /* every n-th layer is full, the others slide; 0: no such rule */
    unsigned rules;
};

/* NULL: not known. */
const struct architecture *architecture_find(const char *name);

#endif
