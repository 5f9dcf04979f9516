/* rng.h - random numbers by counter: the value at (seed, index) can be computed alone, so any row of a
 * seeded table or sequence can be made without the rows before it, on any thread, and always the same. */
#ifndef POSVIZ_BASE_RNG_H
#define POSVIZ_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

uint64_t rng_bits(uint64_t seed, uint64_t index);
double rng_uniform(uint64_t seed, uint64_t index);     /* in (0, 1) */
double rng_normal(uint64_t seed, uint64_t index);      /* mean 0, variance 1 (Box and Muller 1958) */
void rng_normals(uint64_t seed, size_t n, double *out); /* numbers 0 to n - 1 of rng_normal, two for the price of one */

#endif
