/* layer.h - a layer: encodings applied in turn (Ministral: rope + attn_temperature; BERT relative_key: learned +
 * relative; a layer without position: none). Opened for one shape; immutable, so any thread may read it. */
#ifndef POSVIZ_CORE_LAYER_H
#define POSVIZ_CORE_LAYER_H

#include "core/encoding.h"

enum { LAYER_MAX = 4 };

struct layer {
    size_t n;
    struct enc *enc[LAYER_MAX];
    struct shape shape;
    double scale;               /* the last enc whose init changed it decides; that of the shape for an empty layer */
    int axes;                   /* the largest of its encodings; at least 1 */
};

/* An encoding with its parameters, not yet opened: what a scenario and a model file's facts hold. */
struct item {
    const struct encoding *kind;
    struct value param[ENC_MAX_PARAMS];
};
void item_init(struct item *item, const struct encoding *kind);        /* defaults, no references */
void item_copy(struct item *to, const struct item *from);               /* takes references; to is uninitialised storage */
void item_done(struct item *item);

/* Opens the items for a shape. NULL and a message if a parameter does not fit. n may be 0. */
struct layer *layer_open(const struct item *items, size_t n, const struct shape *shape, struct err *err);
void layer_close(struct layer *l);                                      /* NULL is allowed */
/* The first encoding with the hook, or NULL. */
const struct enc *layer_row(const struct layer *l);
const struct enc *layer_rotate(const struct layer *l);
const struct enc *layer_bias(const struct layer *l);
const struct enc *layer_spectrum(const struct layer *l);

/* Which (query, key) pairs attend. Positions are token indices. */
enum mask_type { MASK_NONE, MASK_CAUSAL, MASK_SLIDING, MASK_CHUNKED, MASK_WINDOW, MASK_TYPE_COUNT };
struct mask {
    enum mask_type type;
    double size;                /* SLIDING: keys within 0 <= i - j < size; CHUNKED: floor(i/size) = floor(j/size), causal;
                                   WINDOW: |i - j| <= size, both sides (local layers of encoders) */
};
extern const char *const mask_names[];          /* none, causal, sliding, chunked, window, NULL */
bool mask_allows(struct mask m, double query, double key);
/* How many (query, key) pairs of n tokens are allowed. */
double mask_pairs(struct mask m, double n);
/* The most keys of n, itself and earlier ones, that a query is allowed. */
double mask_keys_back(struct mask m, double n);
/* The allowed keys of a query among 0..n-1 are one run [*from, *to). */
void mask_run(struct mask m, double query, double n, double *from, double *to);

#endif
