/* rng.h - random numbers by counter: the value at (seed, index) can be computed alone, so any row of a
 * seeded table or sequence can be made without the rows before it, on any thread, and always the same. */
#ifndef POSVIZ_BASE_RNG_H
#define POSVIZ_BASE_RNG_H

#include <stdint.h>

uint64_t rng_bits(uint64_t seed, uint64_t index);
double rng_uniform(uint64_t seed, uint64_t index);     /* in (0, 1) */
double rng_normal(uint64_t seed, uint64_t index);      /* mean 0, variance 1 (Box and Muller 1958) */

#endif
