/* Figures in words. If these fail, somebody who listens to a figure hears a number that is not in it, a place that is not where it is, or nothing of
 * what the picture shows. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure/describe.h"

/* ---- helpers ------------------------------------------------------------------------------------------------- */

struct told { char *text; size_t message; };

static struct told tell(const struct panel *p, enum lang lang)
{
    struct buf out = {0};
    struct told t = {NULL, describe_panel(p, NULL, lang, &out)};
    t.text = buf_string(&out);
    return t;
}

static void expect(const char *text, const char *line)
{
    char *whole = malloc(strlen(text) + 2), *wanted = malloc(strlen(line) + 3);
    sprintf(whole, "\n%s", text);
    sprintf(wanted, "\n%s\n", line);
    if (!strstr(whole, wanted))
        print_error("missing: %s\nin:\n%s", line, text);
    assert_non_null(strstr(whole, wanted));
    free(whole);
    free(wanted);
}

/* Tells a panel and finds the lines in it. */
static void expect_lines(struct figure *f, const char *const *lines)
{
    struct told t = tell(&f->panel[0], LANG_EN);
    for (; *lines; lines++)
        expect(t.text, *lines);
    free(t.text);
    figure_free(f);
}

static struct figure *one(enum panel_kind kind, const char *title)
{
    struct figure *f = figure_new();
    figure_add(f, kind, title);
    return f;
}

/* ---- heatmaps ------------------------------------------------------------------------------------------------- */

/* Bias -slope (i - j), causal, of n positions in w samples. */
static struct figure *lines_of_alibi(int n, double slope)
{
    struct figure *f = one(PANEL_HEATMAP, "bias");
    struct panel *p = &f->panel[0];
    axis_set(&p->x, "key", "position", 0, n, false);
    axis_set(&p->y, "query", "position", 0, n, false);
    p->by_distance = p->exact = true;
    snprintf(p->unit, sizeof p->unit, "logit");
    figure_layout_words(f);
    p->reduce = p->w < n ? REDUCE_MEAN : REDUCE_NONE;
    panel_heatmap(p);
    for (int r = 0; r < p->h; r++)
        for (int c = 0; c < p->w; c++)
            p->data[r * p->w + c] = c > r ? -INFINITY : -slope * (r - c) * n / p->w;
    return f;
}

static void a_heatmap_says_where_it_is_largest(void **state)
{
    (void)state;
    expect_lines(lines_of_alibi(8, 0.5), (const char *const[]){
        "heatmap: bias.", "Values: logit, exact.", "Largest: 0, wherever query and key are the same.", "Smallest: -3.5, at query 7, key 0.",
        "43.8 percent of the samples are masked: every one has its key after its query.",
        "By distance (query less key), mean of the samples: 0: 0; 1: -0.5; 2: -1; 4: -2; 7: -3.5.",
        "The distance alone decides: samples at the same distance have the same value.", "Rows, downwards: query (position), 0 to 7.",
        "Columns: key (position), 0 to 7.", "At query 2, along key: 0: -1; 1: -0.5; 2: 0.", NULL});
}

static void blocks_are_called_blocks(void **state)
{
    (void)state;
    struct figure *f = lines_of_alibi(512, 0.5);
    assert_int_equal(f->panel[0].w, 64);
    expect_lines(f, (const char *const[]){
        "Values: logit, mean of 8 x 8.", "Largest: 0, in every block where query and key meet.", "Smallest: -252, at query 504 to 511, key 0 to 7.",
        "By distance of the blocks (query less key), mean of the samples: 0: 0; 8: -4; 16: -8; 32: -16; 64: -32; 128: -64; 256: -128; 504: -252.", NULL});
}

static void what_differs_at_one_distance_is_said(void **state)
{
    (void)state;
    struct figure *f = lines_of_alibi(4, 1);
    f->panel[0].data[3 * 4 + 2] = 5;            /* query 3, key 2 */
    f->panel[0].data[0 * 4 + 1] = 7;            /* a key after its query */
    expect_lines(f, (const char *const[]){
        "Largest: 7, at query 0, key 1.", "31.2 percent of the samples are masked: every one has its key after its query.",
        "Samples at the same distance differ by up to 6 (distance 1).", "With key after query: 0: 0; 1: 7.", NULL});
}

static void both_directions_may_be_alike(void **state)
{
    (void)state;
    struct figure *f = lines_of_alibi(4, 1);
    for (int r = 0; r < 4; r++)
        for (int c = r + 1; c < 4; c++)
            f->panel[0].data[r * 4 + c] = r - c;
    expect_lines(f, (const char *const[]){"It is the same in both directions.", "Smallest: -3, at 2 places, the first at query 0, key 3.", NULL});
}

static void words_on_axes_are_named(void **state)
{
    (void)state;
    static const char *const words[] = {"the", "cat", "the"};
    struct figure *f = lines_of_alibi(3, 1);
    axis_set_ticks(&f->panel[0].x, words, 3);
    axis_set_ticks(&f->panel[0].y, words, 3);
    expect_lines(f, (const char *const[]){"Smallest: -2, at query the (no. 3), key the (no. 1).", "Columns: key (position), the (no. 1), cat, the (no. 3).",
                                          "At query cat, along key: the (no. 1): -1; cat: 0.", NULL});
}

static void heatmaps_without_differences(void **state)
{
    (void)state;
    struct figure *f = lines_of_alibi(3, 0);
    expect_lines(f, (const char *const[]){"Every value is 0.", NULL});
    f = lines_of_alibi(3, 1);
    for (int i = 0; i < 9; i++)
        f->panel[0].data[i] = i < 3 ? NAN : -INFINITY;
    expect_lines(f, (const char *const[]){"There is no value in it.", "66.7 percent of the samples are masked.", "33.3 percent of the samples have no value.",
                                          "At query 1, along key: all masked.", NULL});
}

/* Rows and columns of other things: no distance, but values along both axes. */
static void tables_of_numbers_are_told_along_their_axes(void **state)
{
    (void)state;
    struct figure *f = one(PANEL_HEATMAP, "rows");
    struct panel *p = &f->panel[0];
    axis_set(&p->x, "channel", "", 0, 20, false);
    axis_set(&p->y, "position", "tokens", 0, 30, false);
    figure_layout_words(f);
    panel_heatmap(p);
    for (int r = 0; r < p->h; r++)
        for (int c = 0; c < p->w; c++)
            p->data[r * p->w + c] = 100 * r + c;
    expect_lines(f, (const char *const[]){"Largest: 2919, at position 29, channel 19.", "At position 14, along channel: 0: 1400; 4: 1404; 9: 1409; 14: 1414; 19: 1419.",
                                          "At channel 9, along position: 0: 9; 7: 709; 14: 1409; 21: 2109; 29: 2909.", NULL});
}

static void blocks_are_of_equal_length_where_that_is_possible(void **state)
{
    (void)state;
    const struct { double n; int samples; } cases[] = {{1, 1}, {64, 64}, {128, 64}, {131072, 64}, {100, 50}, {127, 64}, {96, 48}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct figure *f = one(PANEL_HEATMAP, "");
        axis_set(&f->panel[0].x, "key", "", 0, cases[i].n, false);
        axis_set(&f->panel[0].y, "query", "", 0, cases[i].n, false);
        figure_layout_words(f);
        assert_int_equal(f->panel[0].w, cases[i].samples);
        assert_int_equal(f->panel[0].h, cases[i].samples);
        figure_free(f);
    }
}

/* ---- curves ---------------------------------------------------------------------------------------------------- */

static struct figure *curves(size_t n, double (*y)(double))
{
    struct figure *f = one(PANEL_CURVES, "decay");
    struct panel *p = &f->panel[0];
    axis_set(&p->x, "distance", "tokens", 0, (double)n - 1, false);
    axis_set(&p->y, "logit", "", NAN, NAN, false);
    figure_layout_words(f);
    panel_xs(p, n);
    for (size_t i = 0; i < n; i++)
        p->xs[i] = (double)i;
    struct series *s = panel_add_series(p, "first");
    for (size_t i = 0; i < n; i++)
        s->y[i] = y((double)i);
    return f;
}

static double falling(double x)
{
    return -x / 2;
}

static double hill(double x)
{
    return 36 - (x - 6) * (x - 6);
}

static void a_curve_is_told_from_end_to_end(void **state)
{
    (void)state;
    expect_lines(curves(41, falling), (const char *const[]){"curves: decay.", "Along distance (tokens), 0 to 40.", "Values: logit.",
                                                            "first. 0: 0; 10: -5; 20: -10; 30: -15; 40: -20; never rising.", NULL});
    expect_lines(curves(5, falling), (const char *const[]){"first. 0: 0; 1: -0.5; 2: -1; 3: -1.5; 4: -2; never rising.", NULL});
}

static void turning_points_and_crossings(void **state)
{
    (void)state;
    struct figure *f = curves(13, hill);
    struct panel *p = &f->panel[0];
    panel_add_mark(p, false, 20, "trained", ROLE_DIM);
    panel_add_mark(p, false, 50, "target", ROLE_DIM);
    panel_add_mark(p, true, 3, "here", ROLE_DIM);
    struct series *s = panel_add_series(p, "second");
    for (int i = 0; i < 13; i++)
        s->y[i] = i == 5 ? NAN : 30.5;
    expect_lines(f, (const char *const[]){
        "first. 0: 0; 3: 27; 6: 36; 9: 27; 12: 0; smallest 0 at 0, largest 36 at 6; crosses trained (20) between 1 and 3, the first of 2 times; never "
        "crosses target (50).",
        "second. 0: 30.5; 3: 30.5; 6: 30.5; 9: 30.5; 12: 30.5; the same everywhere; no value at 1 of 13 places; never crosses trained (20); never crosses target "
        "(50).",
        "first and second cross between 3 and 4, the first of 2 times.", "Marked at 3: here.", NULL});
}

static void equal_curves_are_said_to_be_equal(void **state)
{
    (void)state;
    struct figure *f = curves(13, hill);
    struct series *s = panel_add_series(&f->panel[0], "second");
    for (int i = 0; i < 13; i++)
        s->y[i] = hill(i);
    panel_add_series(&f->panel[0], "third");
    expect_lines(f, (const char *const[]){"first and second are the same.", "third: no value.", NULL});
}

static void many_curves_are_details(void **state)
{
    (void)state;
    struct figure *f = curves(3, falling);
    for (int i = 0; i < 9; i++)
        panel_add_series(&f->panel[0], "more");
    struct told t = tell(&f->panel[0], LANG_EN);
    assert_int_equal(t.message, 3 + 4);         /* title, axes, and four of ten */
    free(t.text);
    figure_free(f);
}

/* ---- bars, dials, tables, text ------------------------------------------------------------------------------------ */

static void bars_row_by_row(void **state)
{
    (void)state;
    struct figure *f = one(PANEL_BARS, "cost");
    struct panel *p = &f->panel[0];
    snprintf(p->unit, sizeof p->unit, "%%");
    panel_add_bar(p, "RoPE", 1048576);
    panel_add_bar(p, "ALiBi", 0.25);
    struct bar *none = panel_add_bar(p, "learned", NAN);
    snprintf(none->note, sizeof none->note, "H1");
    expect_lines(f, (const char *const[]){"3 bars, %. Largest: RoPE, 1048576. Smallest: ALiBi, 0.25.", "RoPE: 1048576.", "learned: no value; H1.", NULL});
}

static void dials_say_their_angles_and_marks(void **state)
{
    (void)state;
    struct figure *f = one(PANEL_DIALS, "pairs");
    struct panel *p = &f->panel[0];
    snprintf(p->note, sizeof p->note, "2 of 3 never finished a turn within 8 192 tokens · marked");
    for (int i = 0; i < 3; i++) {
        struct dial *d = panel_add_dial(p);
        snprintf(d->label, sizeof d->label, "pair %d", i);
        snprintf(d->above, sizeof d->above, "λ 2 900");
        snprintf(d->below, sizeof d->below, "0.5 turns");
        d->angle[0] = i == 2 ? -acos(-1) / 2 : acos(-1) * (i + 0.5);
        d->angle[1] = i ? NAN : 0;
        d->flagged = i > 0;
    }
    expect_lines(f, (const char *const[]){"2 of 3 never finished a turn within 8192 tokens, marked.", "3 dials; 2 of them marked, pair 1 to pair 2.",
                                          "pair 0: λ 2900; 0.5 turns; long hand at 90 degrees, short hand at 0.",
                                          "pair 1: λ 2900; 0.5 turns; hand at 270 degrees; marked.", "pair 2: λ 2900; 0.5 turns; hand at 270 degrees; marked.", NULL});
}

static void tables_with_a_heading(void **state)
{
    (void)state;
    struct figure *f = one(PANEL_TABLE, "heads");
    struct panel *p = &f->panel[0];
    panel_table(p, 3, 3);
    panel_cell(p, 0, 0, ROLE_DIM, false, "head");
    panel_cell(p, 0, 1, ROLE_DIM, true, "at 1 176");
    panel_cell(p, 0, 2, ROLE_DIM, true, "99 %%");
    panel_cell(p, 1, 0, ROLE_TEXT, true, "0");
    panel_cell(p, 1, 1, ROLE_TEXT, true, "345");
    panel_cell(p, 1, 2, ROLE_TEXT, true, "12 800");
    panel_cell(p, 2, 0, ROLE_TEXT, true, "RoPE");
    panel_cell(p, 2, 2, ROLE_TEXT, true, "7");
    expect_lines(f, (const char *const[]){"2 rows. Columns: head; at 1176; 99 %.", "head 0. at 1176: 345; 99 %: 12800.", "RoPE; 99 %: 7.", NULL});
}

static void tables_of_facts(void **state)
{
    (void)state;
    struct figure *f = one(PANEL_TABLE, "in numbers");
    panel_facts(&f->panel[0], 2, "quantity", "value");
    panel_fact(&f->panel[0], 0, "longest wavelength", "20 473 564");
    panel_fact(&f->panel[0], 1, "unseen", "29 of 64");
    expect_lines(f, (const char *const[]){"longest wavelength: 20473564.", "unseen: 29 of 64.", NULL});
}

static void long_tables_begin_with_a_few_rows(void **state)
{
    (void)state;
    struct figure *f = one(PANEL_TABLE, "");
    panel_table(&f->panel[0], 21, 1);
    for (size_t i = 0; i < 21; i++)
        panel_cell(&f->panel[0], i, 0, ROLE_TEXT, false, "row %zu", i);
    struct told t = tell(&f->panel[0], LANG_EN);
    assert_int_equal(t.message, 1 + 4);
    expect(t.text, "row 20.");
    free(t.text);
    figure_free(f);
}

static void text_without_its_marks(void **state)
{
    (void)state;
    struct figure *f = one(PANEL_TEXT, "is it so?");
    panel_text(&f->panel[0], "# A heading\n\n- one\n- two\nin all 1 000 2 000 words\n");
    expect_lines(f, (const char *const[]){"text: is it so?", "A heading", "one", "two", "in all 1 000 2 000 words", NULL});
}

static void the_head_of_a_figure(void **state)
{
    (void)state;
    struct figure *f = figure_new();
    struct buf out = {0};
    snprintf(f->caption, sizeof f->caption, "Llama · RoPE · rope_theta 500 000");
    snprintf(f->source, sizeof f->source, "Su et al. 2021");
    describe_head(f, LANG_EN, &out);
    char *text = buf_string(&out);
    assert_string_equal(text, "Shown: Llama, RoPE, rope_theta 500000.\nSource: Su et al. 2021.\n");
    free(text);
    figure_free(f);
}

static void axes_already_said_are_details(void **state)
{
    (void)state;
    struct figure *a = lines_of_alibi(20, 1);
    struct buf out = {0};
    size_t first = describe_panel(&a->panel[0], NULL, LANG_EN, &out), again = describe_panel(&a->panel[0], &a->panel[0], LANG_EN, &out);
    assert_int_equal(first, again + 2);
    buf_done(&out);
    figure_free(a);
}

/* ---- lines ----------------------------------------------------------------------------------------------------------- */

static void lines_hold_nothing_that_is_drawn(void **state)
{
    (void)state;
    const struct { const char *text, *line; } cases[] = {
        {"a\033[1mb", "a?[1mb\n"},          {"▸ chosen ▾", "chosen\n"}, {"── title ──", "title\n"}, {"", ""},   {" · ", ""},
        {"⣿⣿ 3", "3\n"},                   {"so..", "so.\n"},          {"so...", "so...\n"},      {"so?.", "so?\n"}, {"a   b", "a b\n"},
        {"\xff\xfe ok", "?? ok\n"},        {"是。.", "是。\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf out = {0};
        assert_int_equal(describe_line(&out, cases[i].text), *cases[i].line != '\0');
        char *text = buf_string(&out);
        assert_string_equal(text, cases[i].line);
        free(text);
    }
}

static void numbers_lose_the_spaces_between_their_digits(void **state)
{
    (void)state;
    const struct { const char *text, *line; } cases[] = {
        {"n 131 072", "n 131072\n"},       {"8 192 → 131 072", "8192 → 131072\n"}, {"-12 800.5 x", "-12800.5 x\n"}, {"29 of 64", "29 of 64\n"},
        {"at 1176: 345", "at 1176: 345\n"}, {"0.1 234", "0.1 234\n"},               {"v1 234", "v1 234\n"},         {"12 34", "12 34\n"},
        {"1234 567", "1234 567\n"},         {"0 100", "0 100\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf out = {0};
        describe_numbers_line(&out, cases[i].text);
        char *text = buf_string(&out);
        assert_string_equal(text, cases[i].line);
        free(text);
    }
}

static void numbers_as_said(void **state)
{
    (void)state;
    const struct { double x; const char *text; } cases[] = {
        {131072, "131072"}, {-0.0, "0"}, {0.5, "0.5"}, {2.04736e7 + 0.4, "20473600"}, {1.5e-7, "1.5e-07"}, {-INFINITY, "minus infinity"}, {NAN, "no value"},
        {1e300, "1e+300"}, {999999.7, "1000000"}, {-999999.7, "-1000000"}, {999999.4, "999999"}, {-1e-320, "-9.99989e-321"}, {INFINITY, "infinity"},
    };
    char out[40];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(describe_number(out, sizeof out, cases[i].x, LANG_EN), cases[i].text);
}

static void chinese_is_chinese(void **state)
{
    (void)state;
    struct figure *f = lines_of_alibi(8, 0.5);
    struct told t = tell(&f->panel[0], LANG_ZH);
    expect(t.text, "最小：-3.5，在 query 7、key 0。");
    free(t.text);
    figure_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heatmap_says_where_it_is_largest), cmocka_unit_test(blocks_are_called_blocks),
        cmocka_unit_test(what_differs_at_one_distance_is_said), cmocka_unit_test(both_directions_may_be_alike),
        cmocka_unit_test(words_on_axes_are_named), cmocka_unit_test(heatmaps_without_differences),
        cmocka_unit_test(tables_of_numbers_are_told_along_their_axes), cmocka_unit_test(blocks_are_of_equal_length_where_that_is_possible),
        cmocka_unit_test(a_curve_is_told_from_end_to_end), cmocka_unit_test(turning_points_and_crossings),
        cmocka_unit_test(equal_curves_are_said_to_be_equal), cmocka_unit_test(many_curves_are_details), cmocka_unit_test(bars_row_by_row),
        cmocka_unit_test(dials_say_their_angles_and_marks), cmocka_unit_test(tables_with_a_heading), cmocka_unit_test(tables_of_facts),
        cmocka_unit_test(long_tables_begin_with_a_few_rows), cmocka_unit_test(text_without_its_marks), cmocka_unit_test(the_head_of_a_figure),
        cmocka_unit_test(axes_already_said_are_details), cmocka_unit_test(lines_hold_nothing_that_is_drawn),
        cmocka_unit_test(numbers_lose_the_spaces_between_their_digits), cmocka_unit_test(numbers_as_said), cmocka_unit_test(chinese_is_chinese),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
