/* Numbers that views state as facts about an encoding. If these fail, the program teaches something untrue in a sentence. The
 * expected ones are from the literature and from sums written out here. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "core/field.h"
#include "core/measure.h"

struct setting {
    const char *name, *value;
};

static struct layer *open_layer(const char *id, struct shape shape, struct setting a, struct setting b)
{
    struct item item;
    struct err err = {0};
    item_init(&item, encoding_find(id, &err));
    const struct setting all[] = {a, b};
    for (size_t i = 0; i < 2; i++)
        if (all[i].name) {
            int p = param_index(item.kind->params, item.kind->n_params, all[i].name);
            assert_true(p >= 0 && param_parse(&item.kind->params[p], all[i].value, &item.param[p], &err));
        }
    struct layer *l = layer_open(&item, 1, &shape, &err);
    if (!l)
        fail_msg("%s", err.text);
    item_done(&item);
    return l;
}

static const struct spectrum *spectrum_of(const struct layer *l)
{
    return l->enc[0]->kind->spectrum(l->enc[0]);
}

static const struct setting none = {NULL, NULL};

/* 2i/d with i already doubled: 42 of 64 pairs turn less than a tenth of a radian in 50 tokens, of the right ones 20. */
static void doubled_exponent_stands_still(void **state)
{
    (void)state;
    struct shape shape = {50, 1, 128, 128, 0};
    struct layer *right = open_layer("sinusoidal", shape, none, none);
    struct layer *wrong = open_layer("sinusoidal", shape, (struct setting){"variant", "doubled_exponent"}, none);
    assert_int_equal(spectrum_of(right)->n, 64);
    assert_int_equal(measure_slow(spectrum_of(right), 50, 0.1), 20);
    assert_int_equal(measure_slow(spectrum_of(wrong), 50, 0.1), 42);
    layer_close(right);
    layer_close(wrong);
}

static void pairs_that_never_finish_a_turn(void **state)
{
    (void)state;
    static const struct { const char *base; double length; size_t pairs; } cases[] = {
        {"10000", 2048, 23}, {"500000", 8192, 29}, {"1000000", 32768, 24}};
    for (size_t i = 0; i < 3; i++) {
        struct layer *l = open_layer("rope", (struct shape){cases[i].length, 1, 128, 128, 0}, (struct setting){"rope_theta", cases[i].base}, none);
        assert_int_equal(measure_unfinished(spectrum_of(l), cases[i].length), cases[i].pairs);
        layer_close(l);
    }
    struct layer *l = open_layer("rope", (struct shape){512, 1, 512, 512, 0}, (struct setting){"partial_rotary_factor", "0.25"},
                                 (struct setting){"rope_type", "proportional"});
    assert_int_equal(measure_unfinished(spectrum_of(l), 512), 192);     /* of 256, 64 turn, the last with a wave of 61 tokens */
    layer_close(l);
    assert_true(measure_wavelength(0) == INFINITY);
    assert_true(fabs(measure_turns(2 * acos(-1), 7) - 7) < 1e-12);
}

/* Position interpolation by the ratio of the lengths meets no new angle; without it every unfinished pair does. */
static void interpolation_meets_no_new_angle(void **state)
{
    (void)state;
    struct shape shape = {8192, 1, 128, 128, 0};
    struct layer *plain = open_layer("rope", shape, none, none);
    struct layer *linear = open_layer("rope", shape, (struct setting){"rope_type", "linear"}, (struct setting){"factor", "4"});
    assert_int_equal(measure_unseen(spectrum_of(plain), 2048, 8192), 23);
    assert_int_equal(measure_unseen(spectrum_of(linear), 2048, 8192), 0);
    assert_int_equal(measure_unseen(spectrum_of(linear), 2048, 8300), 23);
    assert_true(measure_rotation_cosine(spectrum_of(plain), spectrum_of(plain), 5000) == 1);
    double sum = 0;
    for (int k = 0; k < 64; k++)
        sum += cos(100 * 0.75 * pow(10000, -k / 64.0));
    assert_true(fabs(measure_rotation_cosine(spectrum_of(plain), spectrum_of(linear), 100) - sum / 64) < 1e-12);
    layer_close(plain);
    layer_close(linear);
}

/* ---- similarity of sinusoids -------------------------------------------------------------------------- */

/* The product of two rows falls until distance 12, and then nearly every second step goes up: no measure of distance. */
static void sinusoid_product_is_not_monotone(void **state)
{
    (void)state;
    enum { N = 1000 };
    struct layer *l = open_layer("sinusoidal", (struct shape){N, 1, 128, 128, 0}, none, none);
    struct field *f = field_open(l, &(struct field_options){.kind = FIELD_ROWS}, NULL);
    double d[N], y[N];
    int rises = 0, rise_at = 0;
    for (int i = 0; i < N; i++)
        d[i] = i;
    field_profile(f, 0, d, N, y);
    for (int i = 1; i < N; i++) {
        rises += y[i] > y[i - 1];
        if (!rise_at && y[i] > y[i - 1])
            rise_at = i;
    }
    assert_int_equal(rise_at, 12);
    assert_true(fabs((double)rises / (N - 1) - 0.48) < 0.005);
    field_close(f);
    layer_close(l);
}

static struct table *random_projection(uint64_t seed, size_t out, size_t in)
{
    struct table *w = table_new(2, (size_t[]){out, in});
    for (size_t i = 0; i < w->n; i++)
        w->v[i] = rng_normal(seed, i) / sqrt((double)in);
    return w;
}

static double share(const struct layer *l, const struct field_options *o, size_t n)
{
    struct field *f = field_open(l, o, NULL);
    double *x = xcalloc(n * n, sizeof *x), result;
    struct pooled how;
    assert_true(field_pool(f, (struct window){0, (double)n, 0, (double)n}, REDUCE_MEAN, (int)n, (int)n, x, &how, NULL, NULL));
    result = measure_distance_share(x, n);
    free(x);
    field_close(f);
    return result;
}

/* Projections destroy the relativity of the product: of all the variance, the distance explains a mean of about 0.12. */
static void projections_destroy_relativity(void **state)
{
    (void)state;
    enum { DRAWS = 400, N = 96 };
    struct layer *l = open_layer("sinusoidal", (struct shape){N, 1, 32, 64, 0}, none, none);
    double sum = 0, low = 1, high = 0;
    assert_true(fabs(share(l, &(struct field_options){.kind = FIELD_ROWS}, N) - 1) < 1e-12);
    for (uint64_t i = 0; i < DRAWS; i++) {
        struct table *wq = random_projection(2 * i, 32, 64), *wk = random_projection(2 * i + 1, 32, 64);
        double s = share(l, &(struct field_options){.kind = FIELD_PROJECTED, .wq = wq, .wk = wk}, N);
        sum += s;
        low = fmin(low, s);
        high = fmax(high, s);
        table_unref(wq);
        table_unref(wk);
    }
    if (fabs(sum / DRAWS - 0.12) > 0.02 || low < 0.005 || low > 0.04 || high < 0.3 || high > 0.6)
        fail_msg("mean %.3f, from %.3f to %.3f", sum / DRAWS, low, high);
    layer_close(l);
}

/* ---- windows ------------------------------------------------------------------------------------------ */

static double plain_window(const struct layer *l, int head, double n, double wanted)
{
    const struct enc *e = layer_bias(l);
    double total = 0, sum = 0, q = n - 1, *w = xcalloc((size_t)n, sizeof *w);
    for (size_t d = 0; d < (size_t)n; d++) {
        double key = q - (double)d;
        e->kind->bias(e, head, &q, &key, 1, &w[d]);
        total += w[d] = exp(w[d]);
    }
    size_t d = 0;
    while ((sum += w[d]) < wanted * total)
        d++;
    free(w);
    return (double)d;
}

static void windows_hold_their_share(void **state)
{
    (void)state;
    static const char *const ids[] = {"alibi", "t5_bias", "kerple"};
    for (size_t i = 0; i < 3; i++) {
        struct layer *l = open_layer(ids[i], (struct shape){5000, 8, 64, 512, 0}, none, none);
        for (int head = 0; head < 8; head++)
            for (int s = 0; s < 3; s++) {
                double wanted = (double[]){0.5, 0.9, 0.99}[s], got = measure_window(l, head, 5000, wanted);
                if (got != plain_window(l, head, 5000, wanted))
                    fail_msg("%s head %d share %g: %g, plain sum %g", ids[i], head, wanted, got, plain_window(l, head, 5000, wanted));
            }
        layer_close(l);
    }
    struct layer *l = open_layer("alibi", (struct shape){1e12, 8, 64, 512, 0}, none, none);
    assert_true(measure_window(l, 0, 1e12, 0.5) == 1);          /* 1 - e^-1/2 = 0.39, 1 - e^-1 = 0.63 */
    layer_close(l);
    l = open_layer("rope", (struct shape){100, 8, 64, 512, 0}, none, none);
    assert_true(isnan(measure_window(l, 0, 100, 0.5)));
    layer_close(l);
    l = open_layer("relpos_2d", (struct shape){512, 8, 64, 512, 0}, none, none);
    assert_true(isnan(measure_window(l, 0, 512, 0.5)));         /* its table ends before: no share is known */
    layer_close(l);
}

static bool twice(void *ctx, double share)
{
    (void)share;
    return ++*(int *)ctx < 2;
}

/* All shares at once are what each is alone, and the work ends where it is told to. */
static void windows_come_together_and_can_be_cancelled(void **state)
{
    (void)state;
    static const double shares[] = {0.99, 0.5, 0.9};
    struct layer *l = open_layer("sandwich", (struct shape){20000, 8, 64, 512, 0}, none, none);
    double at[3];
    int asked = 0;
    assert_true(measure_windows(l, 7, 20000, shares, 3, at, NULL, NULL));
    for (int k = 0; k < 3; k++)
        assert_true(at[k] == plain_window(l, 7, 20000, shares[k]));
    assert_false(measure_windows(l, 7, 20000, shares, 3, at, twice, &asked));
    assert_int_equal(asked, 2);
    layer_close(l);
}

static void variance_that_distance_explains(void **state)
{
    (void)state;
    double by_distance[9] = {1, 2, 3, 0, 1, 2, -5, 0, 1}, by_key[4] = {1, 2, 1, 2}, causal[4] = {1, -INFINITY, 5, 1};
    assert_true(fabs(measure_distance_share(by_distance, 3) - 1) < 1e-15);
    assert_true(fabs(measure_distance_share(by_key, 2) - 0.5) < 1e-15);
    assert_true(fabs(measure_distance_share(causal, 2) - 1) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubled_exponent_stands_still),
        cmocka_unit_test(pairs_that_never_finish_a_turn),
        cmocka_unit_test(interpolation_meets_no_new_angle),
        cmocka_unit_test(sinusoid_product_is_not_monotone),
        cmocka_unit_test(projections_destroy_relativity),
        cmocka_unit_test(windows_hold_their_share),
        cmocka_unit_test(windows_come_together_and_can_be_cancelled),
        cmocka_unit_test(variance_that_distance_explains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
