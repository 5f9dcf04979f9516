#include "model/floats.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

size_t float_size(enum float_type type)
{
    return type == FLOAT_F64 ? 8 : type == FLOAT_F32 ? 4 : 2;
}

static uint64_t little(const unsigned char *b, size_t n)
{
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++)
        x |= (uint64_t)b[i] << 8 * i;
    return x;
}

/* IEEE 754 binary16: 5 exponent bits with bias 15, 10 fraction bits. */
static double half(unsigned bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double x = exponent == 31 ? (fraction ? NAN : INFINITY) : exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    return bits >> 15 ? -x : x;
}

static double number(const unsigned char *b, enum float_type type)
{
    uint64_t bits = little(b, float_size(type));
    if (type == FLOAT_F16)
        return half((unsigned)bits);
    if (type == FLOAT_F64) {
        double x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    uint32_t word = (uint32_t)(type == FLOAT_BF16 ? bits << 16 : bits);
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

void float_read(double *out, const unsigned char *bytes, enum float_type type, size_t n)
{
    size_t size = float_size(type);
    for (size_t i = 0; i < n; i++)
        out[i] = number(bytes + i * size, type);
}
