/* measure.h - numbers about an encoding that pictures and read-outs state: windows, turns, unseen angles, shares of variance. */
#ifndef POSVIZ_CORE_MEASURE_H
#define POSVIZ_CORE_MEASURE_H

#include "core/encoding.h"
#include "core/layer.h"

/* The frequency of pair k in training: scaling for longer inputs comes after it; a pair that does not turn never did (p-RoPE). */
double measure_when_trained(const struct spectrum *s, size_t k);
/* Full turns of a pair over length positions: length * inv_freq / (2 pi). */
double measure_turns(double inv_freq, double length);
double measure_wavelength(double inv_freq);             /* 2 pi / inv_freq; INFINITY for 0 */
/* Pairs whose wavelength in training is longer than length (they never finish a turn); 23 of 64 at base 10 000, d 128, 2 048. */
size_t measure_unfinished(const struct spectrum *s, double length);
/* Pairs that turn less than angle radians over positions 0..length-1: 42 (doubled exponent) against 20 of 64 at 50 x 128, 0.1. */
size_t measure_slow(const struct spectrum *s, double length, double angle);
/* Pairs that meet angles at target that they never met in training at trained: unfinished there and further turned here. */
size_t measure_unseen(const struct spectrum *s, double trained, double target);

/* Smallest distance at which a causal head with flat content has given share of its weight to the keys up to there, for a query
 * with n keys; sums exactly, without an array of n. NAN if the head has no bias. */
double measure_window(const struct layer *layer, int head, double n, double share);
/* So many of n keys that their window is summed in about a second: a million, fewer where a bias has thousands of waves. */
double measure_window_keys(const struct layer *layer, int head, double n);
/* The same for several shares, which cost hardly more than one. tick, if given, is asked on the way; false where it ended the work. */
bool measure_windows(const struct layer *layer, int head, double n, const double *share, size_t n_shares, double *at, bool (*tick)(void *ctx, double share),
                     void *ctx);

/* Share of the variance of x[n][n] (query, key) that the distance i - j explains: 1 - within/total; NAN of equal values. */
double measure_distance_share(const double *x, size_t n);

/* Cosine of two rotations at a position: sum cos(p (w_k - v_k)) / pairs; both spectra must have as many pairs. */
double measure_rotation_cosine(const struct spectrum *a, const struct spectrum *b, double position);

#endif
