/* Tables and texts longer than their panel. If this fails, the cursor leaves the screen, or the end of a text cannot be reached. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "figure/figure.h"

/* A table of 30 rows below its heading, 9 of them visible. */
static struct figure *long_table(void)
{
    struct figure *f = figure_new();
    struct panel *p = figure_add(f, PANEL_TABLE, "");
    panel_table(p, 31, 1);
    figure_layout(f, 11, 40, 2, -1, false);
    return f;
}

static void the_row_of_the_cursor_is_always_shown(void **state)
{
    (void)state;
    struct figure *f = long_table();
    struct panel *p = &f->panel[0];
    int visible = p->area.rows - 1;
    assert_true(visible < 30);
    for (int row = 1; row <= 30; row++) {
        panel_follow(p, row + 0.5);
        assert_true(p->y.from >= 0 && p->y.from <= 30 - visible);
        assert_true(row > p->y.from && row <= p->y.from + visible);
    }
    panel_follow(p, 1.5);
    assert_true(p->y.from == 0);
    panel_follow(p, NAN);
    assert_true(p->y.from == 0);
    figure_free(f);
}

static void the_cursor_of_a_table_starts_below_the_heading(void **state)
{
    (void)state;
    struct figure *f = long_table();
    double x = NAN, y = NAN;
    panel_step(&f->panel[0], 0, 0, &x, &y);
    assert_true(y == 1.5);
    figure_free(f);
}

static void every_line_of_a_text_can_be_reached(void **state)
{
    (void)state;
    struct figure *f = figure_new();
    struct panel *p = figure_add(f, PANEL_TEXT, "");
    for (int i = 0; i < 40; i++)
        panel_text(p, "line %d\n", i);
    figure_layout(f, 11, 40, 2, -1, false);
    double x = NAN, y = NAN;
    int lines = panel_lines(p);
    assert_true(lines >= 40);
    for (int i = 0; i < 60; i++) {
        panel_step(p, 0, 1, &x, &y);
        panel_follow(p, y);
    }
    assert_true(p->y.from == lines - p->area.rows);
    figure_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_row_of_the_cursor_is_always_shown),
        cmocka_unit_test(the_cursor_of_a_table_starts_below_the_heading),
        cmocka_unit_test(every_line_of_a_text_can_be_reached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
