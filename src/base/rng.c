#include "base/rng.h"

#include <math.h>

/* Mixing of SplitMix64 (Steele, Lea, Flood 2014), applied to a counter. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t rng_bits(uint64_t seed, uint64_t index)
{
    return mix(mix(seed + 0x9e3779b97f4a7c15u) + (index + 1) * 0x9e3779b97f4a7c15u);
}

double rng_uniform(uint64_t seed, uint64_t index)
{
    return ((double)(rng_bits(seed, index) >> 12) + 0.5) * 0x1p-52;
}

double rng_normal(uint64_t seed, uint64_t index)
{
    double u = rng_uniform(seed, 2 * (index / 2)), v = rng_uniform(seed, 2 * (index / 2) + 1);
    double r = sqrt(-2 * log(u)), t = 2 * acos(-1.0) * v;
    return index % 2 ? r * sin(t) : r * cos(t);
}
