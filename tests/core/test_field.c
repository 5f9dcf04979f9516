/* Fields: the numbers under every heatmap. If these fail, a picture at length ten million or at a mask's edge shows values that
 * are not the mean of what it claims to average, and nobody could see it.
 *
 * The encodings here are written for the test, one a form, so that each closed form meets the plain sum over its hook. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "core/field.h"

enum { D = 16, PAIRS = 7 };

/* ---- encodings, one a form ----------------------------------------------------------------------------- */

static const double frequency[PAIRS] = {1, 0.31, 0.1, 0.011, 1.7e-3, 1e-5, 0};
static const int first[PAIRS] = {0, 1, 2, 3, 4, 5, 6}, second[PAIRS] = {7, 8, 9, 10, 11, 12, 13};     /* 14 and 15 stand still */
static const double growth[PAIRS] = {0.997, 0.999, 0.9999, 1, 1, 1.0001, 0.99};

static const struct spectrum plain_spectrum = {.n = PAIRS, .inv_freq = frequency, .a = first, .b = second, .attention_factor = 1.2};
static const struct spectrum growing_spectrum = {.n = PAIRS, .inv_freq = frequency, .a = first, .b = second, .growth = growth,
                                                 .attention_factor = 1};
static const struct spectrum *plain(const struct enc *e)
{
    (void)e;
    return &plain_spectrum;
}
static const struct spectrum *growing(const struct enc *e)
{
    (void)e;
    return &growing_spectrum;
}

static void rotate(const struct enc *e, enum side side, int head, const double *pos, size_t n, double *x)
{
    (void)head;
    const struct spectrum *s = e->kind->spectrum(e);
    for (size_t i = 0; i < n; i++, x += D)
        for (size_t k = 0; k < PAIRS; k++) {
            double c = cos(pos[i] * frequency[k]), t = sin(pos[i] * frequency[k]), a = x[first[k]], b = x[second[k]];
            double factor = s->attention_factor * (s->growth ? pow(s->growth[k], side == SIDE_QUERY ? pos[i] : -pos[i]) : 1);
            x[first[k]] = factor * (a * c - b * t);
            x[second[k]] = factor * (a * t + b * c);
        }
}

static void waves_row(const struct enc *e, const double *pos, size_t n, double *out)
{
    (void)e;
    memset(out, 0, n * D * sizeof *out);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < PAIRS; k++) {
            out[i * D + (size_t)first[k]] = sin(pos[i] * frequency[k]);
            out[i * D + (size_t)second[k]] = cos(pos[i] * frequency[k]);
            out[i * D + 15] = 0.5;
        }
}

/* A table of 300 rows. */
static void table_row(const struct enc *e, const double *pos, size_t n, double *out)
{
    (void)e;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < D; c++)
            out[i * D + c] = pos[i] < 300 ? rng_normal(3, (uint64_t)pos[i] * D + c) : NAN;
}

static bool waves(const struct enc *e, int head, struct profile *p)
{
    (void)e, (void)head;
    profile_init(p, PROFILE_WAVES);
    for (size_t k = 0; k < PAIRS; k++)
        profile_add_wave(p, frequency[k], 1 + (double)k, 2 - (double)k);
    return true;
}

static bool pieces(const struct enc *e, int head, struct profile *p)
{
    (void)e, (void)head;
    profile_init(p, PROFILE_PIECES);
    profile_add_piece(p, -INFINITY, -3, 0.25);
    profile_add_piece(p, -8, -2, 0);
    profile_add_piece(p, -2.5, 4, -1);
    profile_add_piece(p, 0, 1, -0.5);
    profile_add_piece(p, 16, -30, 0);
    return true;
}

static double log_kernel(const struct enc *e, int head, double d)
{
    (void)e, (void)head;
    return -1.5 * log1p(0.7 * fabs(d)) + (d > 0 ? 0.2 * sqrt(d) : 0);
}

static bool smooth(const struct enc *e, int head, struct profile *p)
{
    profile_init(p, PROFILE_SMOOTH);
    p->smooth = log_kernel;
    p->enc = e;
    p->head = head;
    return true;
}

static void distance_bias(const struct enc *e, int head, const double *q_pos, const double *k_pos, size_t n, double *out)
{
    struct profile p;
    e->kind->distance(e, head, &p);
    for (size_t j = 0; j < n; j++)
        out[j] = profile_at(&p, *q_pos - k_pos[j]);
    profile_done(&p);
}

static void ratio_bias(const struct enc *e, int head, const double *q_pos, const double *k_pos, size_t n, double *out)
{
    (void)e, (void)head;
    for (size_t j = 0; j < n; j++)
        out[j] = sin(0.1 * k_pos[j]) * (*q_pos - k_pos[j]) / (1 + *q_pos);
}

static const struct encoding turn = {.id = "turn", .axes = 1, .rotate = rotate, .spectrum = plain};
static const struct encoding turn_growing = {.id = "turn_growing", .axes = 1, .rotate = rotate, .spectrum = growing};
static const struct encoding added_waves = {.id = "added_waves", .axes = 1, .row = waves_row, .spectrum = plain};
static const struct encoding added_table = {.id = "added_table", .axes = 1, .row = table_row};
static const struct encoding bias_waves = {.id = "bias_waves", .axes = 1, .bias = distance_bias, .distance = waves};
static const struct encoding bias_pieces = {.id = "bias_pieces", .axes = 1, .bias = distance_bias, .distance = pieces};
static const struct encoding bias_smooth = {.id = "bias_smooth", .axes = 1, .bias = distance_bias, .distance = smooth};
static const struct encoding bias_ratio = {.id = "bias_ratio", .axes = 1, .bias = ratio_bias};

/* ---- against the plain sum ------------------------------------------------------------------------------- */

static struct layer *layer_of(const struct encoding *kind, double length)
{
    struct item item;
    struct err err = {0};
    item_init(&item, kind);
    struct layer *l = layer_open(&item, 1, &(struct shape){length, 1, D, D, 0}, &err);
    assert_non_null(l);
    return l;
}

static struct field *open_field(const struct layer *l, const struct field_options *o)
{
    struct err err = {0};
    struct field *f = field_open(l, o, &err);
    if (!f)
        fail_msg("%s", err.text);
    return f;
}

/* Mean and maximum over the allowed pairs of sample (r, c), pair by pair. */
static double plain_mean(const struct field *f, struct window win, int h, int w, int r, int c, double *max)
{
    double sum = 0, n = 0, rows = win.q1 - win.q0, cols = win.k1 - win.k0;
    *max = -INFINITY;
    for (double i = floor(r * rows / h); i < floor((r + 1) * rows / h); i++)
        for (double j = floor(c * cols / w); j < floor((c + 1) * cols / w); j++) {
            double v = field_at(f, win.q0 + i, win.k0 + j);
            if (v == -INFINITY)
                continue;
            sum += v;
            n++;
            *max = fmax(*max, v);
        }
    return n > 0 ? sum / n : -INFINITY;
}

static void compare(const struct field *f, struct window win, int h, int w, double tolerance)
{
    double *mean = xcalloc((size_t)(h * w), sizeof *mean), *largest = xcalloc((size_t)(h * w), sizeof *largest);
    struct pooled how, how_max;
    assert_true(field_pool(f, win, REDUCE_MEAN, h, w, mean, &how, NULL, NULL));
    assert_true(field_pool(f, win, REDUCE_MAX, h, w, largest, &how_max, NULL, NULL));
    assert_int_equal(how.reduce, REDUCE_MEAN);
    assert_int_equal(how_max.reduce, REDUCE_MAX);
    assert_false(isnan(how.error));
    for (int r = 0; r < h; r++)
        for (int c = 0; c < w; c++) {
            double max, expected = plain_mean(f, win, h, w, r, c, &max), got = mean[r * w + c];
            if (expected == -INFINITY ? got != expected
                                      : !(fabs(got - expected) <= how.error + tolerance * fmax(1, fabs(expected))))
                fail_msg("window %g..%g %g..%g, sample %d %d: %.17g, plain sum %.17g", win.q0, win.q1, win.k0, win.k1, r, c, got,
                         expected);
            if (!(fabs(largest[r * w + c] - max) <= tolerance * fmax(1, fabs(max))) && largest[r * w + c] != max)
                fail_msg("maximum of sample %d %d: %.17g, plain %.17g", r, c, largest[r * w + c], max);
        }
    free(mean);
    free(largest);
}

static const struct mask masks[] = {{MASK_NONE, 0},     {MASK_CAUSAL, 0},    {MASK_SLIDING, 1},  {MASK_SLIDING, 13}, {MASK_SLIDING, 90},
                                    {MASK_CHUNKED, 9}, {MASK_CHUNKED, 64}, {MASK_CHUNKED, 500}, {MASK_WINDOW, 5},   {MASK_WINDOW, 70}};

static void compare_masks(const struct encoding *kind, struct field_options o, double tolerance)
{
    struct layer *l = layer_of(kind, 400);
    for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
        o.mask = masks[m];
        struct field *f = open_field(l, &o);
        compare(f, (struct window){0, 107, 0, 107}, 5, 7, tolerance);
        compare(f, (struct window){240, 299, 183, 299}, 11, 5, tolerance);
        compare(f, (struct window){100, 121, 0, 130}, 1, 10, tolerance);
        field_close(f);
    }
    layer_close(l);
}

static double q[D], k[D];

static void closed_forms_meet_the_plain_sum(void **state)
{
    (void)state;
    for (size_t i = 0; i < D; i++) {
        q[i] = rng_normal(1, i);
        k[i] = rng_normal(2, i);
    }
    compare_masks(&bias_pieces, (struct field_options){.kind = FIELD_BIAS}, 1e-12);
    compare_masks(&bias_waves, (struct field_options){.kind = FIELD_BIAS}, 1e-12);
    compare_masks(&bias_smooth, (struct field_options){.kind = FIELD_BIAS}, 1e-13);
    compare_masks(&bias_ratio, (struct field_options){.kind = FIELD_BIAS}, 1e-12);
    compare_masks(&turn, (struct field_options){.kind = FIELD_ROTATION}, 1e-12);
    compare_masks(&turn, (struct field_options){.kind = FIELD_ROTATION, .q = q, .k = k}, 1e-12);
    compare_masks(&turn_growing, (struct field_options){.kind = FIELD_ROTATION, .q = q, .k = k}, 1e-11);
    compare_masks(&added_waves, (struct field_options){.kind = FIELD_ROWS}, 1e-12);
    compare_masks(&added_waves, (struct field_options){.kind = FIELD_ROWS_COSINE}, 1e-12);
    compare_masks(&added_table, (struct field_options){.kind = FIELD_ROWS}, 1e-12);
    compare_masks(&added_table, (struct field_options){.kind = FIELD_ROWS_COSINE}, 1e-12);
}

/* The encodings that ship: T5's knots, Sandwich's waves, KERPLE's kinks, turned pairs of every layout. */
static void shipped_encodings_meet_the_plain_sum(void **state)
{
    (void)state;
    for (size_t i = 0; encodings[i]; i++) {
        struct layer *l = layer_of(encodings[i], 400);
        bool flat = l->axes == 1;
        layer_close(l);
        if (flat && encodings[i]->bias)
            compare_masks(encodings[i], (struct field_options){.kind = FIELD_BIAS}, 1e-11);
        if (flat && encodings[i]->rotate)
            compare_masks(encodings[i], (struct field_options){.kind = FIELD_ROTATION, .q = q, .k = k}, 1e-11);
        if (flat && encodings[i]->row)
            compare_masks(encodings[i], (struct field_options){.kind = FIELD_ROWS}, 1e-11);
    }
}

static void projected_rows_meet_the_plain_sum(void **state)
{
    (void)state;
    size_t dim[] = {5, D};
    struct table *wq = table_new(2, dim), *wk = table_new(2, dim);
    for (size_t i = 0; i < wq->n; i++) {
        wq->v[i] = rng_normal(4, i);
        wk->v[i] = rng_normal(5, i);
    }
    struct field_options o = {.kind = FIELD_PROJECTED, .wq = wq, .wk = wk};
    compare_masks(&added_waves, o, 1e-11);
    compare_masks(&added_table, o, 1e-11);
    table_unref(wq);
    table_unref(wk);
}

static void positions_replace_the_index(void **state)
{
    (void)state;
    size_t n = 300;
    struct table *pos = table_new(1, &n);
    for (size_t i = 0; i < n; i++)
        pos->v[i] = floor((double)i / 2) + (i > 100 ? 7.5 : 0);
    compare_masks(&turn, (struct field_options){.kind = FIELD_ROTATION, .q = q, .k = k, .positions = pos}, 1e-12);
    compare_masks(&bias_smooth, (struct field_options){.kind = FIELD_BIAS, .positions = pos}, 1e-12);
    struct layer *l = layer_of(&bias_pieces, 400);
    struct field *f = open_field(l, &(struct field_options){.kind = FIELD_BIAS, .positions = pos});
    assert_true(field_at(f, 10, 0) == 1 - 0.5 * 5);
    assert_true(isnan(field_at(f, 300, 0)));
    field_close(f);
    layer_close(l);
    l = layer_of(encoding_find("t5_bias", NULL), 400);          /* whose buckets would take any distance */
    f = open_field(l, &(struct field_options){.kind = FIELD_BIAS, .positions = pos});
    assert_true(isfinite(field_at(f, 299, 299)));
    assert_true(isnan(field_at(f, 300, 0)));
    assert_true(isnan(field_at(f, 0, 300)));
    field_close(f);
    layer_close(l);
    table_unref(pos);
}

/* ---- far away ------------------------------------------------------------------------------------------- */

static void far_blocks_meet_direct_values(void **state)
{
    (void)state;
    const struct encoding *kinds[] = {&bias_pieces, &bias_waves, &bias_smooth, &turn, &added_waves};
    for (size_t t = 0; t < sizeof kinds / sizeof *kinds; t++) {
        struct layer *l = layer_of(kinds[t], 1e7 + 1000);
        struct field_options o = {.kind = kinds[t]->bias ? FIELD_BIAS : kinds[t]->row ? FIELD_ROWS : FIELD_ROTATION,
                                  .mask = {MASK_CAUSAL, 0}};
        struct field *f = open_field(l, &o);
        compare(f, (struct window){1e7, 1e7 + 67, 5, 76}, 9, 8, 1e-9);
        compare(f, (struct window){1e7, 1e7 + 67, 1e7 - 40, 1e7 + 31}, 9, 8, 1e-9);
        field_close(f);
        layer_close(l);
    }
}

/* The mean over a block is the mean over its quarters: blocks of 78 125 tokens against ones of 39 062 and 39 063. */
static void large_blocks_are_the_mean_of_their_parts(void **state)
{
    (void)state;
    enum { N = 16 };
    const struct encoding *kinds[] = {&bias_pieces, &bias_waves, &bias_smooth, &turn, &turn_growing, &added_waves};
    static double coarse[N * N], fine[4 * N * N];
    struct window win = {0, 1e7, 0, 1e7};
    struct pooled how;
    for (size_t t = 0; t < sizeof kinds / sizeof *kinds; t++) {
        struct layer *l = layer_of(kinds[t], 1e7);
        struct field_options o = {.kind = kinds[t]->bias ? FIELD_BIAS : kinds[t]->row ? FIELD_ROWS : FIELD_ROTATION};
        struct field *f = open_field(l, &o);
        assert_true(field_pool(f, win, REDUCE_MEAN, N, N, coarse, &how, NULL, NULL));
        assert_true(field_pool(f, win, REDUCE_MEAN, 2 * N, 2 * N, fine, &how, NULL, NULL));
        assert_true(how.exact || how.error < 1e-11);
        for (size_t r = 0; r < N; r++)
            for (size_t c = 0; c < N; c++) {
                const double *a = fine + 4 * N * r + 2 * c, *b = a + 2 * N;
                double mean = (a[0] + a[1] + b[0] + b[1]) / 4, got = coarse[r * N + c];
                if (!(fabs(mean - got) <= 1e-10 * fmax(1, fabs(got))) && !(isnan(mean) && isnan(got)))
                    fail_msg("%s, block %zu %zu: %.17g, parts %.17g", kinds[t]->id, r, c, got, mean);
            }
        field_close(f);
        layer_close(l);
    }
}

/* ---- what is said about a picture ------------------------------------------------------------------------ */

static void undefined_rows_have_no_value(void **state)
{
    (void)state;
    struct layer *l = layer_of(&added_table, 1e7);
    struct field *f = open_field(l, &(struct field_options){.kind = FIELD_ROWS, .mask = {MASK_CAUSAL, 0}});
    double out[16];
    struct pooled how;
    assert_true(isnan(field_at(f, 400, 3)));
    assert_true(field_pool(f, (struct window){0, 400, 0, 400}, REDUCE_MEAN, 4, 4, out, &how, NULL, NULL));
    assert_false(isnan(out[0]));
    assert_true(out[1] == -INFINITY);                   /* masked, whatever the table holds */
    assert_true(isnan(out[12]));
    assert_true(isnan(out[15]));
    assert_true(field_pool(f, (struct window){0, 1e7, 0, 1e7}, REDUCE_MEAN, 4, 4, out, &how, NULL, NULL));
    assert_true(isnan(out[0]));
    field_close(f);
    layer_close(l);
}

static void reductions_are_named(void **state)
{
    (void)state;
    struct layer *l = layer_of(&bias_ratio, 1e6), *turning = layer_of(&turn, 1e6);
    struct field *f = open_field(l, &(struct field_options){.kind = FIELD_BIAS, .mask = {MASK_CAUSAL, 0}});
    struct field *g = open_field(turning, &(struct field_options){.kind = FIELD_ROTATION});
    static double out[40 * 40];
    struct pooled how;
    field_pool(f, (struct window){0, 3000, 0, 3000}, REDUCE_MAX, 40, 40, out, &how, NULL, NULL);
    assert_int_equal(how.reduce, REDUCE_MEAN);          /* too many pairs to visit each */
    assert_false(how.exact);
    assert_true(isnan(how.error));
    assert_true(fabs(out[0]) < 1);
    assert_true(out[39] == -INFINITY);
    field_pool(f, (struct window){7, 47, 3, 43}, REDUCE_MEAN, 40, 40, out, &how, NULL, NULL);
    assert_int_equal(how.reduce, REDUCE_NONE);
    assert_true(how.exact && how.error == 0);
    assert_true(out[40 * 5 + 9] == field_at(f, 12, 12));
    field_pool(g, (struct window){0, 1e6, 0, 1e6}, REDUCE_NEAREST, 40, 40, out, &how, NULL, NULL);
    assert_int_equal(how.reduce, REDUCE_NEAREST);
    assert_true(fabs(out[1] - field_at(g, 12499, 37499)) < 1e-9);
    field_pool(g, (struct window){0, 1e6, 0, 1e6}, REDUCE_MAX, 40, 40, out, &how, NULL, NULL);
    assert_int_equal(how.reduce, REDUCE_MEAN);
    assert_true(how.exact);
    field_close(f);
    field_close(g);
    layer_close(l);
    layer_close(turning);
}

/* Fewer tokens than samples: each sample shows the pair that covers it. */
static void magnified_windows_repeat_pairs(void **state)
{
    (void)state;
    struct layer *l = layer_of(&bias_pieces, 100);
    struct field *f = open_field(l, &(struct field_options){.kind = FIELD_BIAS});
    double out[8 * 6];
    struct pooled how;
    field_pool(f, (struct window){20, 22, 5, 8}, REDUCE_MEAN, 8, 6, out, &how, NULL, NULL);
    for (size_t r = 0; r < 8; r++)
        for (size_t c = 0; c < 6; c++)
            assert_true(out[r * 6 + c] == field_at(f, 20 + (double)(r / 4), 5 + (double)(c / 2)));
    field_close(f);
    layer_close(l);
}

static void similarity_is_one_at_distance_zero(void **state)
{
    (void)state;
    struct layer *l = layer_of(&turn, 1e7);
    struct field *f = open_field(l, &(struct field_options){.kind = FIELD_ROTATION});
    double d[200], out[200];
    for (size_t i = 0; i < 200; i++)
        d[i] = (double)i * 3 - 100;
    field_profile(f, 1000, d, 200, out);
    for (size_t i = 0; i < 200; i++) {
        double sum = 0;
        for (size_t p = 0; p < PAIRS; p++)
            sum += cos(frequency[p] * d[i]) / PAIRS;
        assert_true(fabs(out[i] - sum) < 1e-12);
    }
    assert_true(fabs(field_at(f, 77, 77) - 1) < 1e-14);
    field_close(f);
    layer_close(l);
}

static void missing_hooks_are_told(void **state)
{
    (void)state;
    struct layer *l = layer_of(&turn, 100);
    struct err err = {0};
    assert_null(field_open(l, &(struct field_options){.kind = FIELD_BIAS}, &err));
    assert_non_null(strstr(err.text, "bias"));
    assert_null(field_open(l, &(struct field_options){.kind = FIELD_ROWS}, &err));
    assert_null(field_open(l, &(struct field_options){.kind = FIELD_ROTATION, .head = 1}, &err));
    assert_non_null(strstr(err.text, "head = 1"));
    layer_close(l);
}

static bool never(void *ctx, double share)
{
    ++*(int *)ctx;
    assert_true(share >= 0 && share <= 1);
    return false;
}

static void a_tick_ends_it(void **state)
{
    (void)state;
    const struct encoding *kinds[] = {&turn, &added_table, &bias_ratio};
    for (size_t t = 0; t < 3; t++) {
        struct layer *l = layer_of(kinds[t], 300);
        struct field_options o = {.kind = kinds[t]->bias ? FIELD_BIAS : kinds[t]->row ? FIELD_ROWS : FIELD_ROTATION};
        struct field *f = open_field(l, &o);
        double out[64];
        struct pooled how;
        int asked = 0;
        assert_false(field_pool(f, (struct window){0, 300, 0, 300}, REDUCE_MEAN, 8, 8, out, &how, never, &asked));
        assert_int_equal(asked, 1);
        field_close(f);
        layer_close(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_meet_the_plain_sum),
        cmocka_unit_test(shipped_encodings_meet_the_plain_sum),
        cmocka_unit_test(projected_rows_meet_the_plain_sum),
        cmocka_unit_test(positions_replace_the_index),
        cmocka_unit_test(far_blocks_meet_direct_values),
        cmocka_unit_test(large_blocks_are_the_mean_of_their_parts),
        cmocka_unit_test(undefined_rows_have_no_value),
        cmocka_unit_test(reductions_are_named),
        cmocka_unit_test(magnified_windows_repeat_pairs),
        cmocka_unit_test(similarity_is_one_at_distance_zero),
        cmocka_unit_test(missing_hooks_are_told),
        cmocka_unit_test(a_tick_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
