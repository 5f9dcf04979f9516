/* rotary.h - what the RoPE family shares: pairs of channels, their layouts, and the scaling types that stretch a trained length.
 *
 * Pair k of a rotation turns the vector (x[a_k], x[b_k]) by the angle t = p w_k at position p:
 *     (a, b) -> (a cos t - b sin t, a sin t + b cos t),    w_k = B^(-2k/d)
 * Angles are computed in double from p and w_k, each good to 2^-53 of itself: to 2e-9 at p = 1e7, 2e-7 at 1e9, 2e-4 at 1e12.
 *
 * Order: rotary_init, rotary_set_layout and frequencies (rotary_geometric, rope_frequencies or by hand), rotary_spectrum,
 * rotary_turn from any thread, rotary_done. */
#ifndef POSVIZ_CORE_ROTARY_H
#define POSVIZ_CORE_ROTARY_H

#include "core/encoding.h"

enum rotary_layout {
    ROTARY_HALF,                    /* pair k is channels k and k + d/2 (rotate_half) */
    ROTARY_INTERLEAVED,             /* 2k and 2k + 1 */
    ROTARY_INTERLEAVED_IN_HALF_OUT  /* read as interleaved, written as half: scores are the same, vectors permuted */
};
extern const char *const rotary_layout_titles[];
extern const char *const rotary_layouts[];      /* half, interleaved, interleaved_in_half_out, NULL */

struct rotary {
    size_t n;                       /* pairs; every array has n entries */
    double *inv_freq, *unscaled;
    double *growth;                 /* NULL: 1 */
    int *a, *b;                     /* channels read */
    int *to_a, *to_b;               /* channels written */
    int *axis;                      /* coordinate of the position that turns the pair; zero */
    int *band;                      /* enum band; zero = BAND_KEPT */
    double magnitude;               /* cos and sin are multiplied by it; 1 */
    double trained;                 /* length trained on, NAN */
    struct spectrum spectrum;       /* all of it, for the hook */
};
void rotary_init(struct rotary *r, size_t pairs);
void rotary_done(struct rotary *r);                 /* also of zeroed storage */
/* Channels of all pairs; the first is `from`. */
void rotary_set_layout(struct rotary *r, enum rotary_layout layout, int from);
/* unscaled and inv_freq = base^(-2k/width). */
void rotary_geometric(struct rotary *r, double base, double width);
/* Fills r->spectrum from the rest. Call it last. */
void rotary_spectrum(struct rotary *r);
/* Turns n rows of d channels at positions n x axes; a row whose first coordinate is NAN stays. */
void rotary_turn(const struct rotary *r, int axes, const double *pos, size_t n, size_t d, double *x);

/* Hooks of an encoding whose whole state is one struct rotary. */
const struct rotary *rotary_of(const struct enc *e);
void rotary_hook_done(struct enc *e);
void rotary_hook_rotate(const struct enc *e, enum side side, int head, const double *pos, size_t n, double *x);
const struct spectrum *rotary_hook_spectrum(const struct enc *e);

/* ---- scaling types (the keys of rope_scaling and rope_parameters) ---------------------------------- */

enum rope_type { ROPE_DEFAULT, ROPE_LINEAR, ROPE_DYNAMIC, ROPE_NTK, ROPE_QWEN_NTK, ROPE_YARN, ROPE_LONGROPE, ROPE_LLAMA3,
                 ROPE_PROPORTIONAL, ROPE_MROPE, ROPE_TYPE_COUNT };
extern const char *const rope_types[];              /* as in configs; NULL-terminated */

/* NAN and NULL: not given. */
struct rope_scaling {
    enum rope_type type;
    double base;                    /* B, rope_theta */
    double width;                   /* d: the rotated channels (of proportional: all channels) */
    double length;                  /* n: tokens of the sequence now */
    double factor;                  /* s */
    double original;                /* L, original_max_position_embeddings */
    double maximum;                 /* M, max_position_embeddings */
    double partial;                 /* proportional: share of the pairs that turn */
    double alpha, attention_factor;
    double beta_fast, beta_slow, mscale, mscale_all_dim;
    double low_freq_factor, high_freq_factor;
    double short_mscale, long_mscale;
    const struct table *short_factor, *long_factor;
    bool truncate;
};
/* inv_freq, unscaled, band, magnitude and trained of r, which has as many pairs as the type asks for. Message: what is missing or
 * out of range. */
bool rope_frequencies(const struct rope_scaling *s, struct rotary *r, struct err *err);
/* The base in use at the length, where the type changes it (dynamic, ntk, qwen_ntk), else B. */
double rope_base(const struct rope_scaling *s);
/* The factor in use: as given, or M/L where it is derived; NAN if neither is known. */
double rope_factor(const struct rope_scaling *s);
/* YaRN's blending band in pair indices: kept below *low, divided above *high. */
void rope_yarn_ramp(const struct rope_scaling *s, double *low, double *high);
/* YaRN's 0.1 m ln(s) + 1 for s > 1, else 1. */
double rope_yarn_mscale(double factor, double mscale);

#endif
