#include "core/rounding.h"

#include <math.h>
#include <stddef.h>

const char *const number_format_names[] = {"float64", "float32", "float16", "bfloat16", NULL};

/* Significand bits (with the leading one), smallest and largest exponent of a normal number. */
static const struct { int bits, least, most; } formats[] = {
    [FORMAT_DOUBLE] = {53, -1022, 1023},
    [FORMAT_FLOAT32] = {24, -126, 127},
    [FORMAT_FLOAT16] = {11, -14, 15},
    [FORMAT_BFLOAT16] = {8, -126, 127},
};

double round_to(enum number_format format, double x)
{
    if (format == FORMAT_DOUBLE || x == 0 || !isfinite(x))
        return x;
    int exponent = ilogb(x);
    if (exponent < formats[format].least)
        exponent = formats[format].least;           /* subnormal: a fixed unit */
    double unit = ldexp(1, exponent - formats[format].bits + 1), y = nearbyint(x / unit) * unit;
    double largest = ldexp(2 - ldexp(1, 1 - formats[format].bits), formats[format].most);
    return fabs(y) > largest ? copysign(INFINITY, x) : y;
}

double first_unheld(enum number_format format)
{
    return ldexp(1, formats[format].bits) + 1;
}
