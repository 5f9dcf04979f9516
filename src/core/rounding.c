#include "core/rounding.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Distance of the numbers from 1 to 2, of the subnormal ones, and the largest number. */
static const struct { double unit, least, largest; } formats[] = {
    [FORMAT_DOUBLE] = {0x1p-52, 0x1p-1074, 0x1.fffffffffffffp1023},
    [FORMAT_FLOAT32] = {0x1p-23, 0x1p-149, 0x1.fffffep127},
    [FORMAT_FLOAT16] = {0x1p-10, 0x1p-24, 0x1.ffcp15},
    [FORMAT_BFLOAT16] = {0x1p-7, 0x1p-133, 0x1.fep127},
};

/* The power of two at or below |x|: its exponent alone. 0 for numbers that are subnormal as double. */
static double power_of_two(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0x7ff0000000000000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double round_to(enum number_format format, double x)
{
    if (format == FORMAT_DOUBLE || x == 0 || !isfinite(x))
        return x;
    double unit = power_of_two(x) * formats[format].unit;
    if (unit < formats[format].least)
        unit = formats[format].least;               /* subnormal: a fixed unit */
    double y = nearbyint(x / unit) * unit;
    return fabs(y) > formats[format].largest ? copysign(INFINITY, x) : y;
}

double first_unheld(enum number_format format)
{
    return 2 / formats[format].unit + 1;
}

double settled_steps(double ratio, double log_range, double n)
{
    double steps = log(ratio) / log_range * n, whole = round(steps);
    double rounding = 4 * DBL_EPSILON * (steps + n / log_range);
    return fabs(steps - whole) <= rounding ? whole : steps;
}
