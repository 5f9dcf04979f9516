/* Rounding to the formats that models compute in. If this fails, the view of precision blames a format for an error that it does not
 * make, or misses one. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "core/rounding.h"

/* The processor rounds to float32 itself. */
static void float32_is_the_processors(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        double x = ldexp(2 * rng_uniform(1, i) - 1, (int)(rng_bits(2, i) % 300) - 160);
        assert_true(round_to(FORMAT_FLOAT32, x) == (double)(float)x);
    }
}

/* bfloat16 is the upper half of a float32: to the nearer of two, to the even one from the middle. */
static void bfloat16_is_half_a_float32(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 200000; i++) {
        uint32_t bits = (uint32_t)rng_bits(3, i), kept;
        float x, y;
        if (i % 5 == 0)
            bits = (bits & 0xffff0000u) | 0x8000u;      /* the middle */
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x))
            continue;
        kept = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u;
        memcpy(&y, &kept, sizeof y);
        assert_true(round_to(FORMAT_BFLOAT16, (double)x) == (double)y);
    }
}

static void float16_and_the_ends_of_ranges(void **state)
{
    (void)state;
    static const struct { double x, rounded; } cases[] = {
        {1 + 0x1p-11, 1}, {1 + 0x1.8p-10, 1 + 0x1p-9}, {1 + 0x1.0001p-11, 1 + 0x1p-10}, {2049, 2048}, {2051, 2052}, {-0.1, -0.0999755859375},
        {65504, 65504}, {65519.9, 65504}, {65520, INFINITY}, {-70000, -INFINITY}, {0x1p-24, 0x1p-24}, {0x1.8p-24, 0x1p-23}, {0x1p-25, 0},
        {0x1.0001p-25, 0x1p-24}, {0, 0}, {INFINITY, INFINITY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(round_to(FORMAT_FLOAT16, cases[i].x) == cases[i].rounded);
    assert_true(isnan(round_to(FORMAT_FLOAT16, NAN)));
    assert_true(round_to(FORMAT_DOUBLE, 0.1) == 0.1);
    assert_true(round_to(FORMAT_FLOAT32, 0x1p-1060) == 0 && round_to(FORMAT_FLOAT32, 1e300) == INFINITY);
}

/* The first whole number that a format has not. */
static void first_unheld_is_the_first(void **state)
{
    (void)state;
    static const enum number_format some[] = {FORMAT_FLOAT16, FORMAT_BFLOAT16};
    for (size_t f = 0; f < 2; f++) {
        double n = 1;
        while (round_to(some[f], n) == n)
            n++;
        assert_true(first_unheld(some[f]) == n);
    }
    assert_true(first_unheld(FORMAT_FLOAT32) == 16777217);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float32_is_the_processors),
        cmocka_unit_test(bfloat16_is_half_a_float32),
        cmocka_unit_test(float16_and_the_ends_of_ranges),
        cmocka_unit_test(first_unheld_is_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
