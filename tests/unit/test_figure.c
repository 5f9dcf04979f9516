/* Figures as data: axes, layout, cursor, difference. If these are wrong, ticks name other positions than the picture shows, the cursor
 * reads a sample that is not under it, panels cover each other, or a difference compares what does not belong together. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/utf8.h"
#include "figure/legend.h"
#include "figure/table.h"
#include "figure/wrap.h"

static struct axis axis_of(double from, double to, bool log)
{
    struct axis a = {.from = from, .to = to, .log = log};
    return a;
}

/* ---- axes ---------------------------------------------------------------------------------------------------- */

static void samples_tile_the_axis(void **state)
{
    (void)state;
    const double counts[] = {1, 2, 7, 96, 512, 10000000};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int n = 1; n <= 97 && n <= counts[c]; n += 4) {
            struct axis a = axis_of(100, 100 + counts[c], false);
            assert_true(axis_edge(&a, n, 0) == 100 && axis_edge(&a, n, n) == 100 + counts[c]);
            for (int i = 0; i < n; i++) {
                double from = axis_edge(&a, n, i), to = axis_edge(&a, n, i + 1);
                assert_true(from == 100 + floor(i * counts[c] / n));      /* the blocks of field_pool */
                assert_true(to > from);
                assert_int_equal(axis_sample(&a, n, from), i);
                assert_int_equal(axis_sample(&a, n, to - 0.5), i);
            }
        }
}

static void ticks_are_round(void **state)
{
    (void)state;
    struct tick t[TICKS_MAX];
    struct axis a = axis_of(0, 128, false);
    assert_int_equal(axis_ticks(&a, 9, false, false, t), 8);              /* no position 128 in a heatmap of 128 */
    assert_string_equal(t[1].label, "16");
    assert_int_equal(axis_ticks(&a, 9, true, false, t), 9);
    a = axis_of(0, 131072, false);
    axis_ticks(&a, 4, true, false, t);
    assert_string_equal(t[1].label, "32 768");
    a = axis_of(0, 1000, false);
    axis_ticks(&a, 6, true, false, t);
    assert_string_equal(t[1].label, "200");
    a = axis_of(-1, 1, false);
    a.continuous = true;
    assert_int_equal(axis_ticks(&a, 5, true, false, t), 5);
    assert_string_equal(t[0].label, "-1.0");
    assert_string_equal(t[2].label, "0.0");                               /* never -0.0 */
    assert_string_equal(t[3].label, "0.5");
}

static void counting_axes_have_whole_ticks(void **state)
{
    (void)state;
    struct tick t[TICKS_MAX];
    for (int n = 2; n < 40; n++) {
        struct axis a = axis_of(0, n, false);
        size_t k = axis_ticks(&a, 30, true, false, t);
        assert_true(k > 0);
        for (size_t i = 0; i < k; i++)
            assert_true(t[i].at == floor(t[i].at));
    }
}

static void tick_labels_are_their_values(void **state)
{
    (void)state;
    struct tick t[TICKS_MAX];
    static const double spans[][2] = {{0, 2.06e19}, {0, 2e-5}, {0, 1.7e9}, {-3e12, 4e12}, {0, 8589934592}, {1e10, 1.0000004e10}, {0, 1e300}, {-1.5e-7, 2.5e-7}};
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        for (size_t most = 2; most <= 12; most++) {
            struct axis a = axis_of(spans[i][0], spans[i][1], false);
            for (size_t k = 0, n = axis_ticks(&a, most, true, false, t); k < n; k++) {
                char plain[64], *to = plain;
                for (const char *c = t[k].label; *c; c++)           /* without the spaces between thousands */
                    if (*c != ' ')
                        *to++ = *c;
                *to = '\0';
                if (fabs(strtod(plain, NULL) - t[k].at) > 1e-9 * (fabs(spans[i][0]) + fabs(spans[i][1])))
                    fail_msg("%g to %g, at most %zu: the tick at %.17g is called %s", spans[i][0], spans[i][1], most, t[k].at, t[k].label);
            }
        }
}

static void log_ticks_are_powers(void **state)
{
    (void)state;
    struct tick t[TICKS_MAX];
    struct axis a = axis_of(6.28, 3e7, true);
    assert_int_equal(axis_ticks(&a, 10, true, false, t), 7);
    assert_string_equal(t[0].label, "10¹");
    assert_string_equal(t[6].label, "10⁷");
    axis_ticks(&a, 10, true, true, t);
    assert_string_equal(t[6].label, "1e7");
    assert_true(axis_ticks(&a, 3, true, false, t) <= 3);
    a = axis_of(1e-7, 1, true);
    axis_ticks(&a, 20, true, false, t);
    assert_string_equal(t[0].label, "10⁻⁷");
    a = axis_of(0, 10, true);                                             /* nothing to draw, nothing to crash on */
    assert_int_equal(axis_ticks(&a, 10, true, false, t), 0);
}

static void numbers_read_well(void **state)
{
    (void)state;
    const struct { double x; int digits; const char *text; } cases[] = {
        {12800, 3, "12 800"}, {131072, 3, "131 072"}, {-0.5, 3, "-0.500"}, {0.98765, 3, "0.988"}, {9.9996, 4, "10.00"}, {0, 3, "0"},
        {-0.0, 3, "0"}, {1.5e-7, 2, "1.5e-7"}, {2.5e11 + 0.5, 3, "2.50e11"}, {NAN, 3, "NaN"}, {-INFINITY, 3, "-inf"}, {999.96, 4, "1 000"},
        {1234.5, 5, "1 234.5"}, {-12345678, 3, "-12 345 678"}, {1e-320, 3, "1.00e-320"}, {1e300, 6, "1.00000e300"}, {999.9995, 6, "1 000.00"},
        {999999.5, 6, "1 000 000"}, {9.99999951, 7, "10.00000"}, {-1e-9, 3, "-1.00e-9"}, {-4.9e-324, 2, "-4.9e-324"}, {1e15, 6, "1.00000e15"},
        {999999999999999, 6, "999 999 999 999 999"}, {2147483648, 6, "2 147 483 648"}, {1e12, 6, "1 000 000 000 000"}, {INFINITY, 6, "inf"},
    };
    char out[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(format_number(out, sizeof out, cases[i].x, cases[i].digits), cases[i].text);
}

static void fixed_numbers_read_well(void **state)
{
    (void)state;
    const struct { double x; int decimals; const char *text; } cases[] = {
        {-0.0, 2, "0.00"}, {-0.004, 2, "0.00"}, {-0.005001, 2, "-0.01"}, {999.9995, 3, "1 000.000"}, {NAN, 3, "NaN"}, {-INFINITY, 3, "-inf"}, {1e300, 3, "1.00000e300"},
        {123456789.25, 1, "123 456 789.2"}, {1e-320, 4, "0.0000"}, {1e30, 2, "1 000 000 000 000 000 019 884 624 838 656.00"},
    };
    char out[80];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(format_fixed(out, sizeof out, cases[i].x, cases[i].decimals), cases[i].text);
    assert_string_equal(format_term(out, sizeof out, -0.0, 6), "0");
    assert_string_equal(format_term(out, sizeof out, -(double)NAN, 6), "NaN");
    assert_string_equal(format_term(out, sizeof out, -INFINITY, 6), "-inf");
    assert_string_equal(format_term(out, sizeof out, 1.5e-7, 6), "1.5e-07");
}

/* ---- layout -------------------------------------------------------------------------------------------------- */

static struct figure *zoo(uint64_t seed)
{
    struct figure *f = figure_new();
    size_t n = 1 + rng_bits(seed, 0) % 6;
    for (size_t i = 0; i < n; i++) {
        struct panel *p = figure_add(f, (enum panel_kind)(rng_bits(seed, 10 * i + 1) % PANEL_KIND_COUNT), "title");
        p->weight = 1 + (int)(rng_bits(seed, 10 * i + 2) % 4);
        p->beside = rng_bits(seed, 10 * i + 3) % 2;
        p->max_h = rng_bits(seed, 10 * i + 4) % 3 ? 0 : 9;
        axis_set(&p->x, "key", "position", 0, 1 + (double)(rng_bits(seed, 10 * i + 5) % 300), false);
        axis_set(&p->y, "query", "position", 0, 1 + (double)(rng_bits(seed, 10 * i + 6) % 300), false);
    }
    return f;
}

static bool overlap(const struct panel *a, const struct panel *b)
{
    return a->row < b->row + b->rows && b->row < a->row + a->rows && a->col < b->col + b->cols && b->col < a->col + a->cols;
}

static void check_panel(const struct figure *f, const struct panel *p)
{
    assert_true(p->row >= 0 && p->col >= 0 && p->cols >= 1);
    assert_true(p->row + p->rows <= f->rows && p->col + p->cols <= f->cols);
    assert_true(p->w >= 1 && p->h >= 1 && p->area.rows >= 1 && p->area.cols >= 1);
    assert_true(p->area.row >= p->row && p->area.row + p->area.rows <= p->row + p->rows);
    assert_true(p->area.col >= p->col && p->area.col + p->area.cols <= p->col + p->cols);
    if (p->kind == PANEL_HEATMAP)
        assert_true(p->w <= axis_count(&p->x) && p->h <= axis_count(&p->y));
}

static void panels_never_cover_each_other(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {2, 7}, {5, 20}, {12, 40}, {24, 80}, {40, 120}, {60, 200}};
    for (uint64_t seed = 0; seed < 60; seed++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            struct figure *f = zoo(seed);
            size_t shown = 0;
            figure_layout(f, sizes[k][0], sizes[k][1], 1 + (int)(seed % 2), -1, seed % 5 == 0);
            for (size_t i = 0; i < f->n; i++) {
                if (!f->panel[i].rows)
                    continue;
                shown++;
                check_panel(f, &f->panel[i]);
                for (size_t j = 0; j < i; j++)
                    assert_false(f->panel[j].rows && overlap(&f->panel[i], &f->panel[j]));
            }
            assert_true(shown >= 1);
            assert_int_equal(shown + f->dropped, f->n);
            figure_free(f);
        }
}

static void the_lightest_panel_goes_first(void **state)
{
    (void)state;
    struct figure *f = figure_new();
    for (int i = 0; i < 3; i++)
        figure_add(f, PANEL_CURVES, "c")->weight = i == 1 ? 1 : 3;
    figure_layout(f, 16, 80, 2, -1, false);
    assert_int_equal(f->dropped, 1);
    assert_int_equal(f->panel[1].rows, 0);
    assert_true(f->panel[0].rows >= 7 && f->panel[2].rows >= 7);
    figure_layout(f, 16, 80, 2, 1, false);                                /* alone on request */
    assert_int_equal(f->panel[1].rows, 15);
    assert_int_equal(f->panel[0].rows, 0);
    figure_free(f);
}

static void few_samples_are_whole_cells(void **state)
{
    (void)state;
    struct figure *f = figure_new();
    struct panel *p = figure_add(f, PANEL_HEATMAP, "attention");
    axis_set(&p->x, "key", "", 0, 6, false);
    axis_set(&p->y, "query", "", 0, 6, false);
    for (int large = 0; large < 2; large++)
        for (int heat_rows = 1; heat_rows <= 2; heat_rows++) {
            figure_layout(f, 24, 80, heat_rows, -1, large);
            assert_int_equal(p->w, 6);
            assert_int_equal(p->h, 6);
            assert_int_equal(p->area.cols % 6, 0);
            assert_int_equal(p->area.rows % 6, 0);
            assert_true(!large || (p->area.cols / 6 >= 4 && p->area.rows / 6 >= 2));
        }
    figure_free(f);
}

/* ---- cursor -------------------------------------------------------------------------------------------------- */

static struct figure *heatmap_of(double queries, double keys, int rows, int cols, int heat_rows)
{
    struct figure *f = figure_new();
    struct panel *p = figure_add(f, PANEL_HEATMAP, "similarity");
    axis_set(&p->x, "key", "", 0, keys, false);
    axis_set(&p->y, "query", "", 10, 10 + queries, false);
    figure_layout(f, rows, cols, heat_rows, -1, false);
    return f;
}

static void steps_visit_every_sample(void **state)
{
    (void)state;
    struct figure *f = heatmap_of(37, 500, 24, 80, 2);
    const struct panel *p = &f->panel[0];
    double x = 0, y = 10.5;
    for (int i = 0; i < p->w; i++) {
        assert_int_equal(axis_sample(&p->x, p->w, x), i);
        panel_step(p, 1, 0, &x, &y);
    }
    assert_int_equal(axis_sample(&p->x, p->w, x), p->w - 1);              /* stays inside */
    for (int i = 0; i < p->h; i++) {
        assert_int_equal(axis_sample(&p->y, p->h, y), i);
        panel_step(p, 0, 1, &x, &y);
    }
    x = y = NAN;
    panel_step(p, 0, 0, &x, &y);
    assert_int_equal(axis_sample(&p->x, p->w, x), p->w / 2);
    figure_free(f);
}

static void curves_step_from_point_to_point(void **state)
{
    (void)state;
    struct figure *f = figure_new();
    struct panel *p = figure_add(f, PANEL_CURVES, "decay");
    axis_set(&p->x, "distance", "", 1, 1000, true);
    figure_layout(f, 20, 60, 2, -1, false);
    size_t n = panel_spread_xs(p, (size_t)p->w, true);
    for (size_t i = 1; i < n; i++)
        assert_true(p->xs[i] > p->xs[i - 1] && p->xs[i] == floor(p->xs[i]));
    assert_true(p->xs[0] == 1 && p->xs[n - 1] == 1000);
    double x = 1, y = NAN;
    for (size_t i = 0; i < n; i++) {
        assert_true(x == p->xs[i]);
        panel_step(p, 1, 0, &x, &y);
    }
    figure_free(f);
}

static void outside_is_no_panel(void **state)
{
    (void)state;
    struct figure *f = heatmap_of(8, 8, 24, 80, 2);
    double x, y;
    struct rect_cells a = f->panel[0].area;
    assert_int_equal(figure_locate(f, a.row, a.col, &x, &y), 0);
    assert_true(x == 0.5 && y == 10.5);
    assert_int_equal(figure_locate(f, a.row + a.rows - 1, a.col + a.cols - 1, &x, &y), 0);
    assert_true(x == 7.5 && y == 17.5);
    assert_int_equal(figure_locate(f, a.row, a.col - 1, &x, &y), -1);
    assert_int_equal(figure_locate(f, a.row + a.rows, a.col, &x, &y), -1);
    figure_free(f);
}

/* ---- data ---------------------------------------------------------------------------------------------------- */

static void ranges_ignore_what_is_no_number(void **state)
{
    (void)state;
    struct figure *f = heatmap_of(2, 2, 24, 80, 2);
    struct panel *p = &f->panel[0];
    double *v = panel_heatmap(p);
    assert_true(isnan(v[0]));
    panel_autorange(p);
    assert_true(isnan(p->lo));
    v[0] = -3;
    v[1] = 2;
    v[2] = -INFINITY;
    panel_autorange(p);
    assert_true(p->lo == -3 && p->hi == 2);
    p->centred = true;
    panel_autorange(p);
    assert_true(p->lo == -3 && p->hi == 3);
    v[1] = -3;
    p->centred = false;
    panel_autorange(p);
    assert_true(p->lo < -3 && p->hi > -3);                                /* constant data has a range too */
    figure_free(f);
}

static void differences_are_sample_by_sample(void **state)
{
    (void)state;
    struct figure *a = heatmap_of(2, 2, 24, 80, 2), *b = heatmap_of(2, 2, 24, 80, 2);
    const double av[] = {1, 5, -INFINITY, -INFINITY}, bv[] = {4, 3, -INFINITY, 1};
    memcpy(panel_heatmap(&a->panel[0]), av, sizeof av);
    memcpy(panel_heatmap(&b->panel[0]), bv, sizeof bv);
    struct figure *d = figure_subtract(a, b, NULL);
    const double *v = d->panel[0].data;
    assert_true(v[0] == -3 && v[1] == 2 && v[2] == -INFINITY && isnan(v[3]));
    assert_true(d->panel[0].centred && d->panel[0].lo == -3 && d->panel[0].hi == 3);
    assert_true(a->panel[0].data[0] == 1);
    figure_free(d);
    struct err err = {.lang = LANG_EN};
    b->panel[0].x.to = 3;                                                 /* other axes */
    assert_null(figure_subtract(a, b, &err));
    assert_non_null(strstr(err.text, "same axes"));
    figure_free(a);
    figure_free(b);
}

static struct figure *curves_of(const char *quantity, const char *first, const char *second, double x, double y)
{
    struct figure *f = figure_new();
    struct panel *p = figure_add(f, PANEL_CURVES, "curves");
    axis_set(&p->x, "distance", "", 0, 1, false);
    axis_set(&p->y, quantity, "", NAN, NAN, false);
    double *xs = panel_xs(p, 2);
    xs[0] = 0, xs[1] = 1;
    struct series *s = panel_add_series(p, first);
    s->y[0] = s->y[1] = x;
    s = panel_add_series(p, second);
    s->y[0] = s->y[1] = y;
    panel_add_mark(p, false, 3, "a level", ROLE_WARNING);
    panel_add_mark(p, true, 1, "a place", ROLE_WARNING);
    return f;
}

/* The first curves are what A and B are; the others are subtracted from those of their names, and a level of values is none of differences. */
static void curves_are_subtracted_by_name(void **state)
{
    (void)state;
    struct figure *a = curves_of("logit", "RoPE", "xPos", 5, 7), *b = curves_of("logit", "ALiBi", "Sinusoidal", 2, 1);
    struct figure *c = curves_of("logit", "RoPE", "xPos", 2, 1), *other = curves_of("cosine", "RoPE", "xPos", 2, 1);
    struct figure *d = figure_subtract(a, b, NULL), *e = figure_subtract(a, c, NULL);
    assert_int_equal(d->panel[0].n_series, 1);
    assert_string_equal(d->panel[0].series[0].label, "RoPE − ALiBi");
    assert_true(d->panel[0].series[0].y[1] == 3);
    assert_true(d->panel[0].n_marks == 1 && d->panel[0].mark[0].vertical);
    assert_int_equal(e->panel[0].n_series, 2);
    assert_string_equal(e->panel[0].series[0].label, "RoPE");
    assert_true(e->panel[0].series[1].y[0] == 6);
    assert_null(figure_subtract(a, other, NULL));                         /* a logit less a cosine is nothing */
    struct figure *const all[] = {a, b, c, d, e, other};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        figure_free(all[i]);
}

static void other_quantities_have_a_scale_of_their_own(void **state)
{
    (void)state;
    struct figure *a = heatmap_of(2, 2, 24, 80, 2), *b = heatmap_of(2, 2, 24, 80, 2);
    snprintf(a->panel[0].unit, sizeof a->panel[0].unit, "logit");
    snprintf(b->panel[0].unit, sizeof b->panel[0].unit, "cosine");
    a->panel[0].lo = b->panel[0].lo = 0;
    a->panel[0].hi = 100;
    b->panel[0].hi = 1;
    figure_share_range((struct figure *[]){a, b}, 2);
    assert_true(b->panel[0].hi == 1);
    figure_free(a);
    figure_free(b);
}

static struct figure *table_of(const char *name, double x, double y)
{
    struct figure *f = figure_new();
    struct panel *p = figure_add(f, PANEL_TABLE, "in numbers");
    panel_table(p, 3, 2);
    panel_cell(p, 0, 0, ROLE_DIM, false, "head");
    panel_cell(p, 0, 1, ROLE_DIM, true, "bias");
    for (size_t r = 1; r < 3; r++) {
        panel_cell(p, r, 0, ROLE_TEXT, false, "%s", r == 1 ? "0" : name);
        panel_cell(p, r, 1, ROLE_TEXT, true, "%.3g", r == 1 ? x : y);
        panel_number(p, r, 1, r == 1 ? x : y);
    }
    return f;
}

/* The numbers are subtracted, not what their texts round them to; the names of the rows stay. */
static void tables_are_subtracted_cell_by_cell(void **state)
{
    (void)state;
    struct figure *a = table_of("7", -0.5, 1.0001), *b = table_of("7", -0.5, 1.00005), *c = table_of("6", 1, 2);
    struct figure *d = figure_subtract(a, b, NULL);
    const struct panel *p = &d->panel[0];
    assert_true(p->difference);
    assert_string_equal(p->cell[0].text, "head");
    assert_string_equal(p->cell[2].text, "0");
    assert_string_equal(p->cell[3].text, "0");
    assert_string_equal(p->cell[4].text, "7");
    assert_string_equal(p->cell[5].text, "5.00000e-5");
    assert_string_equal(a->panel[0].cell[3].text, "-0.5");
    assert_null(figure_subtract(a, c, NULL));                             /* rows of other heads */
    figure_free(d);
    figure_free(a);
    figure_free(b);
    a = table_of("7", 0.1 + 0.2, 1), b = table_of("7", 0.3, 1);
    d = figure_subtract(a, b, NULL);
    assert_string_equal(d->panel[0].cell[3].text, "0");                   /* what rounding leaves is no difference */
    figure_free(d);
    figure_free(a);
    figure_free(b);
    figure_free(c);
}

/* "-0.0039062" is what is left of -0.00390625 when it is cut: a wrong last digit. */
static void numbers_too_long_for_a_cell_are_rounded(void **state)
{
    (void)state;
    char out[48];
    struct figure *f = table_of("7", -0.00390625, 123456.7);
    const struct panel *p = &f->panel[0];
    assert_string_equal(table_fitted(p, 1, 1, 11, out, sizeof out), "-0.00391");       /* its own text has three digits */
    panel_cell(&f->panel[0], 1, 1, ROLE_TEXT, true, "%.6g", -0.00390625);
    panel_number(&f->panel[0], 1, 1, -0.00390625);
    assert_string_equal(table_fitted(p, 1, 1, 11, out, sizeof out), "-0.00390625");
    assert_string_equal(table_fitted(p, 1, 1, 10, out, sizeof out), "-0.0039062");     /* ties to even, as printf has it */
    assert_string_equal(table_fitted(p, 1, 1, 9, out, sizeof out), "-0.003906");
    assert_string_equal(table_fitted(p, 0, 1, 2, out, sizeof out), "bias");            /* words are wrapped or cut with a mark */
    figure_free(f);
}

static void shared_ranges_cover_both(void **state)
{
    (void)state;
    struct figure *f[2] = {heatmap_of(1, 2, 24, 80, 2), heatmap_of(1, 2, 24, 80, 2)};
    for (int i = 0; i < 2; i++) {
        double *v = panel_heatmap(&f[i]->panel[0]);
        v[0] = i ? -7 : 1;
        v[1] = i ? 0 : 5;
        panel_autorange(&f[i]->panel[0]);
    }
    figure_share_range(f, 2);
    for (int i = 0; i < 2; i++) {
        assert_true(f[i]->panel[0].lo == -7 && f[i]->panel[0].hi == 5);
        figure_free(f[i]);
    }
}

static void copies_are_deep(void **state)
{
    (void)state;
    static const char *const words[] = {"a", "b"};
    struct figure *f = heatmap_of(2, 2, 24, 80, 2);
    axis_set_ticks(&f->panel[0].x, words, 2);
    panel_heatmap(&f->panel[0])[0] = 1;
    struct panel *c = figure_add(f, PANEL_CURVES, "curves");
    axis_set(&c->x, "x", "", 0, 1, false);
    panel_spread_xs(c, 3, false);
    panel_add_series(c, "s")->y[2] = 9;
    panel_add_mark(c, true, 0.5, "m", ROLE_DIM);
    c = figure_add(f, PANEL_TABLE, "table");
    panel_table(c, 1, 1);
    panel_cell(c, 0, 0, ROLE_TEXT, false, "%d", 42);
    panel_text(figure_add(f, PANEL_TEXT, "text"), "one %s", "two");
    panel_text(&f->panel[3], ", three");
    struct figure *copy = figure_copy(f);
    figure_free(f);                                                       /* the sanitizer sees what is shared */
    assert_string_equal(copy->panel[0].x.tick[1], "b");
    assert_true(copy->panel[0].data[0] == 1 && copy->panel[1].series[0].y[2] == 9);
    assert_string_equal(copy->panel[2].cell[0].text, "42");
    assert_string_equal(copy->panel[3].text, "one two, three");
    figure_free(copy);
}

/* ---- words --------------------------------------------------------------------------------------------------- */

static void reductions_are_named(void **state)
{
    (void)state;
    char out[256];
    struct figure *f = heatmap_of(512, 512, 24, 80, 2);
    struct panel *p = &f->panel[0];
    p->w = p->h = 32;
    p->reduce = REDUCE_MEAN;
    assert_string_equal(legend_reduction(out, sizeof out, p, LANG_EN), "mean of 16 x 16");
    p->w = 100;
    assert_string_equal(legend_reduction(out, sizeof out, p, LANG_EN), "mean of 16 x 5-6");
    p->exact = false;
    p->error = NAN;
    assert_string_equal(legend_reduction(out, sizeof out, p, LANG_EN), "mean of 16 x 5-6, sampled");
    p->error = 2e-5;
    assert_string_equal(legend_reduction(out, sizeof out, p, LANG_EN), "mean of 16 x 5-6, error below 2e-5");
    p->error = 1.49e-2;                                                   /* a bound is never rounded down */
    assert_string_equal(legend_reduction(out, sizeof out, p, LANG_EN), "mean of 16 x 5-6, error below 0.02");
    p->error = 9.1e-5;
    assert_string_equal(legend_reduction(out, sizeof out, p, LANG_EN), "mean of 16 x 5-6, error below 0.0001");
    p->reduce = REDUCE_NEAREST;
    assert_string_equal(legend_reduction(out, sizeof out, p, LANG_EN), "sampled, 1 of 16 x 5-6");
    p->y.log = true;                                                      /* blocks of every size: none is named */
    p->y.from = 1;
    assert_string_equal(legend_reduction(out, sizeof out, p, LANG_EN), "sampled");
    p->y.log = false;
    p->y.from = 10;
    p->w = p->h = 512;
    p->exact = true;
    assert_string_equal(legend_reduction(out, sizeof out, p, LANG_EN), "exact");
    figure_free(f);
}

static bool starts_with_closing(const struct text_line *l)
{
    static const char *const closing[] = {"。", "，", "）", "」", "：", "？"};
    for (size_t i = 0; i < sizeof closing / sizeof *closing; i++)
        if (l->size >= strlen(closing[i]) && !memcmp(l->text, closing[i], strlen(closing[i])))
            return true;
    return false;
}

/* "2 / 049" would read as two numbers. */
static void a_number_stays_on_one_line(void **state)
{
    (void)state;
    const char *const texts[] = {"float16 misses 2 049 first", "base 500 000 is usual", "about 1 234 567 tokens", "基数 500 000，位置 131 072。"};
    const char *const numbers[] = {"2 049", "500 000", "1 234 567", "131 072"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++)
        for (int cells = 12; cells <= 30; cells++) {
            size_t n, whole = 0;
            struct text_line *l = wrap_text(texts[t], cells, &n);
            for (size_t i = 0; i < n; i++) {
                char line[200];
                snprintf(line, sizeof line, "%.*s", (int)l[i].size, l[i].text);
                whole += strstr(line, numbers[t]) != NULL;
            }
            assert_int_equal(whole, 1);
            free(l);
        }
}

static void text_wraps_by_cells(void **state)
{
    (void)state;
    const char *text = "# 标题 heading\n旋转位置编码（RoPE）把查询与键的每一对通道按位置旋转，注意力只取决于“相对距离”。\n\n- items hang, and "
                       "averylongwordthatfitsnowhereatall is cut\nlast";
    for (int cells = 1; cells <= 60; cells++) {
        size_t n, shown = 0, wanted = 0;
        struct text_line *l = wrap_text(text, cells, &n);
        for (size_t i = 0; i < n; i++) {
            char line[512];
            snprintf(line, sizeof line, "%.*s", (int)l[i].size, l[i].text);
            assert_true(utf8_width(line) + l[i].indent <= (cells < 2 ? 2 : cells));      /* one wide character is never cut */
            assert_false(cells >= 12 && starts_with_closing(&l[i]));       /* narrower, "（RoPE）" has to be cut */
            for (size_t k = 0; k < l[i].size; k++)
                shown += l[i].text[k] != ' ';
        }
        for (const char *c = text; *c; c++)
            wanted += *c != ' ' && *c != '\n';
        assert_int_equal(shown, wanted - 2);                              /* all but the marks # and - */
        assert_true(l[0].heading && !l[n - 1].heading);
        free(l);
    }
}

/* Chinese sets its units in brackets of its own. */
static void units_stand_in_the_brackets_of_their_script(void **state)
{
    (void)state;
    char out[96];
    assert_string_equal(axis_title(out, sizeof out, &(struct axis){.label = "key", .unit = "position"}), "key (position)");
    assert_string_equal(axis_title(out, sizeof out, &(struct axis){.label = "键", .unit = "位置"}), "键（位置）");
    assert_string_equal(axis_title(out, sizeof out, &(struct axis){.label = "λ", .unit = ""}), "λ");
    assert_string_equal(axis_title(out, sizeof out, &(struct axis){.label = "", .unit = "rad"}), "rad");
}

static void assert_sentence(const char *text, const char *wanted)
{
    char *out = format_sentence(text);
    assert_string_equal(out, wanted);
    free(out);
}

/* Six digits in a row are not read aloud, and a name that is changed is not found again. */
static void numbers_in_sentences_read_well(void **state)
{
    (void)state;
    assert_sentence("query 75173, key 7 (distance -1234567)", "query 75 173, key 7 (distance -1 234 567)");
    assert_sentence("λ = 35198.4; m ω = 4096 × 0.000178508", "λ = 35 198.4; m ω = 4096 × 0.000178508");
    assert_sentence("2.04736e+07, 3e-07, -1e-300", "2.04736e7, 3e-7, -1e-300");
    assert_sentence("第12345对，65536×2", "第12 345对，65 536×2");
    static const char *const stay[] = {"", "arXiv 2104.09864", "a/12345/b", "x12345", "12345e7f", "0e9e39f16976918", "rev_12345", "layers.12345.w", "0.123456789", "e+07"};
    for (size_t i = 0; i < sizeof stay / sizeof *stay; i++)
        assert_sentence(stay[i], stay[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_tile_the_axis),     cmocka_unit_test(ticks_are_round),
        cmocka_unit_test(counting_axes_have_whole_ticks), cmocka_unit_test(log_ticks_are_powers), cmocka_unit_test(tick_labels_are_their_values),
        cmocka_unit_test(numbers_read_well), cmocka_unit_test(fixed_numbers_read_well), cmocka_unit_test(panels_never_cover_each_other),
        cmocka_unit_test(the_lightest_panel_goes_first), cmocka_unit_test(few_samples_are_whole_cells),
        cmocka_unit_test(steps_visit_every_sample),  cmocka_unit_test(curves_step_from_point_to_point),
        cmocka_unit_test(outside_is_no_panel),       cmocka_unit_test(ranges_ignore_what_is_no_number),
        cmocka_unit_test(differences_are_sample_by_sample), cmocka_unit_test(tables_are_subtracted_cell_by_cell), cmocka_unit_test(curves_are_subtracted_by_name),
        cmocka_unit_test(other_quantities_have_a_scale_of_their_own),
        cmocka_unit_test(numbers_too_long_for_a_cell_are_rounded), cmocka_unit_test(shared_ranges_cover_both),
        cmocka_unit_test(copies_are_deep),           cmocka_unit_test(reductions_are_named),
        cmocka_unit_test(text_wraps_by_cells), cmocka_unit_test(numbers_in_sentences_read_well), cmocka_unit_test(units_stand_in_the_brackets_of_their_script), cmocka_unit_test(a_number_stays_on_one_line),
    };
    return cmocka_run_group_tests_name("figure", tests, NULL, NULL);
}
