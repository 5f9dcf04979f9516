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

/* Numbers index and index + 1, index even. */
static void normal_pair(uint64_t seed, uint64_t index, double out[2])
{
    double u = rng_uniform(seed, index), v = rng_uniform(seed, index + 1);
    double r = sqrt(-2 * log(u)), t = 2 * acos(-1.0) * v;
    out[0] = r * cos(t);
    out[1] = r * sin(t);
}

double rng_normal(uint64_t seed, uint64_t index)
{
    double pair[2];
    normal_pair(seed, 2 * (index / 2), pair);
    return pair[index % 2];
}

void rng_normals(uint64_t seed, size_t n, double *out)
{
    for (size_t i = 0; i < n; i += 2) {
        double pair[2];
        normal_pair(seed, i, pair);
        out[i] = pair[0];
        if (i + 1 < n)
            out[i + 1] = pair[1];
    }
}
