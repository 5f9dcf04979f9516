/* waves.h - sinusoids of the distance (Sandwich, Transformer-XL), evaluated over many keys. */
#ifndef POSVIZ_CORE_WAVES_H
#define POSVIZ_CORE_WAVES_H

#include <stddef.h>

/* out[j] += sum over k < n_waves of c[k] cos(w[k] d[j]) + s[k] sin(w[k] d[j]). Where the distances d go in equal steps, as for
 * consecutive keys, each wave is turned from key to key instead of evaluated anew; it starts afresh every few hundred keys, so
 * that the turning adds 1e-13 of the amplitude at most to the rounding of the angle w d, which is 1e-16 of that angle. */
void waves_add(const double *w, const double *c, const double *s, size_t n_waves, const double *d, size_t n, double *out);

/* out[j] = [sin(w[0] d[j]) ... sin(w[n_waves - 1] d[j]), cos(w[0] d[j]) ...], n rows of 2 n_waves, in the same way. */
void waves_rows(const double *w, size_t n_waves, const double *d, size_t n, double *out);

#endif
