/* Cursor, window and mouse. If this fails, the read-out names another place than the one looked at, zooming loses the place, or the
 * cursor is caught in a panel. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "../support/headless.h"

static int setup(void **state)
{
    static struct screen s;
    struct options o;
    options_init(&o, LANG_EN);
    o.view = "similarity";
    o.encoding = "alibi";
    o.set[o.n_sets++] = "n=1000";
    screen_open(&s, 36, 120, DEPTH_TRUECOLOR, &o);
    *state = &s;
    return 0;
}

static int teardown(void **state)
{
    screen_close(*state);
    return 0;
}

static const struct panel *panel(const struct screen *s, int i)
{
    return &s->app.figure->panel[i];
}

static void the_cursor_walks_by_samples(void **state)
{
    struct screen *s = *state;
    struct place before = navigate_pointer(&s->app);
    assert_int_equal(before.panel, 0);
    screen_key(s, KEY_CODE_RIGHT);
    struct place after = navigate_pointer(&s->app);
    assert_true(after.x > before.x && after.y == before.y);
    screen_key(s, 'h');
    after = navigate_pointer(&s->app);
    assert_int_equal(axis_sample(&panel(s, 0)->x, panel(s, 0)->w, after.x), axis_sample(&panel(s, 0)->x, panel(s, 0)->w, before.x));
    screen_key(s, KEY_CODE_HOME);
    assert_true(navigate_pointer(&s->app).x < 1000.0 / panel(s, 0)->w);
}

/* The exact value under the cursor is that of the place that the read-out names. */
static void the_readout_belongs_to_the_cursor(void **state)
{
    struct screen *s = *state;
    for (int i = 0; i < 12; i++) {
        screen_key(s, i % 3 ? KEY_CODE_LEFT : KEY_CODE_UP);
        double query, key;
        assert_int_equal(sscanf(s->app.readout.name, "query %lf, key %lf", &query, &key), 2);
        assert_true(query == floor(navigate_pointer(&s->app).y) && key == floor(navigate_pointer(&s->app).x));
        if (key <= query)
            assert_true(s->app.readout.value == -0.5 * (query - key));     /* head 0 of 8 */
    }
}

static void zooming_keeps_the_place(void **state)
{
    struct screen *s = *state;
    for (int i = 0; i < 5; i++)
        screen_key(s, KEY_CODE_RIGHT);
    struct place before = navigate_pointer(&s->app);
    double width = panel(s, 0)->x.to - panel(s, 0)->x.from;
    for (int i = 0; i < 4; i++) {
        screen_key(s, '+');
        double now = panel(s, 0)->x.to - panel(s, 0)->x.from;
        assert_true(now < width);
        width = now;
        assert_true(panel(s, 0)->x.from <= before.x && before.x < panel(s, 0)->x.to);
        assert_true(panel(s, 0)->y.from <= before.y && before.y < panel(s, 0)->y.to);
    }
    screen_key(s, '-');                                         /* out as far as in: to twice the width */
    assert_true(fabs(panel(s, 0)->x.to - panel(s, 0)->x.from - 2 * width) <= 2);
    for (int i = 0; i < 8; i++)
        screen_key(s, '-');
    assert_true(panel(s, 0)->x.from == 0 && panel(s, 0)->x.to == 1000);
    assert_int_equal(s->app.message_role, ROLE_WARNING);        /* all is shown: it says so */
}

static void zooming_ends_at_single_things(void **state)
{
    struct screen *s = *state;
    for (int i = 0; i < 40; i++)
        screen_key(s, '+');
    double width = panel(s, 0)->x.to - panel(s, 0)->x.from;
    assert_true(width >= 1 && width <= 2);
    assert_true(s->app.readout.known);
    screen_key(s, '0');
    assert_true(panel(s, 0)->x.to == 1000);
}

static void leaving_the_edge_pans_then_goes_to_the_next_panel(void **state)
{
    struct screen *s = *state;
    screen_key(s, '+');
    double from = panel(s, 0)->x.from;
    screen_key(s, KEY_CODE_END);
    screen_key(s, KEY_CODE_RIGHT);
    assert_true(panel(s, 0)->x.from > from);
    screen_key(s, '0');
    screen_key(s, KEY_CODE_END);
    screen_key(s, KEY_CODE_RIGHT);
    assert_int_equal(s->app.s.focus, 1);
    screen_key(s, KEY_CODE_HOME);
    screen_key(s, KEY_CODE_LEFT);
    assert_int_equal(s->app.s.focus, 0);
}

static void panning_stays_inside(void **state)
{
    struct screen *s = *state;
    screen_key(s, '+');
    screen_key(s, '+');
    double width = panel(s, 0)->x.to - panel(s, 0)->x.from;
    for (int i = 0; i < 40; i++)
        screen_key(s, KEY_CODE_SHIFT_RIGHT);
    assert_true(panel(s, 0)->x.to == 1000);
    for (int i = 0; i < 40; i++)
        screen_key(s, KEY_CODE_SHIFT_UP);
    assert_true(panel(s, 0)->y.from == 0);
    assert_true(fabs(panel(s, 0)->x.to - panel(s, 0)->x.from - width) <= 2);
}

static void a_panel_can_stand_alone(void **state)
{
    struct screen *s = *state;
    screen_key(s, ';');
    screen_key(s, 'Z');
    assert_int_equal(panel(s, 0)->rows, 0);
    assert_true(panel(s, 1)->rows > 0);
    screen_key(s, 's');                                     /* two alone, side by side */
    assert_int_equal(s->app.figure->n, 4);
    assert_true(panel(s, 1)->rows > 0 && panel(s, 3)->rows > 0 && panel(s, 2)->rows == 0);
    screen_type(s, "qq");
    assert_true(panel(s, 0)->rows > 0);
}

/* ---- one cursor for the coordinates of a figure ---------------------------------------------------------- */

static void show(struct screen *s, const char *view, const char *preset)
{
    struct err err = {.lang = LANG_EN};
    assert_true(scenario_load_preset(&s->app.s, preset, &err) && scenario_set_view(&s->app.s, view, &err));
    s->app.dirty = true;
    app_settle(&s->app);
}

static double labelled(const struct panel *p)
{
    double number = -1;
    assert_true(p->n_series > 0 && sscanf(p->series[0].label, "%*s %lf", &number) == 1);
    return number;
}

/* The profile beside a matrix stays that of the chosen row when the cursor goes there to read it, and a place along the positions is the
 * same in the matrix. */
static void a_profile_keeps_the_row_of_the_matrix(void **state)
{
    struct screen *s = *state;
    show(s, "table", "encodings/sinusoidal");
    for (int i = 0; i < 9; i++)
        screen_key(s, KEY_CODE_DOWN);
    double row = floor(navigate_pointer(&s->app).y);
    assert_true(row != 25 && labelled(panel(s, 1)) == row);
    for (int focus = 1; focus <= 2; focus++) {
        screen_key(s, ';');
        assert_int_equal(s->app.s.focus, focus);
        assert_true(labelled(panel(s, 1)) == row);
    }
    double column = labelled(panel(s, 2));
    for (int i = 0; i < 5; i++)
        screen_key(s, KEY_CODE_LEFT);
    assert_true(navigate_pointer(&s->app).x == row - 5);
    assert_true(labelled(panel(s, 1)) == row - 5 && labelled(panel(s, 2)) == column);
    screen_key(s, ';');
    screen_key(s, ';');
    assert_int_equal(s->app.s.focus, 0);
    assert_true(floor(navigate_pointer(&s->app).y) == row - 5);
}

/* Zooming shows a part with its own labels, in every view with axes: where the axes end is where the read-out's places end. */
static void every_picture_with_axes_is_zoomed(void **state)
{
    static const struct { const char *view, *preset; int panel; } at[] = {
        {"table", "encodings/sinusoidal", 0}, {"table", "encodings/sinusoidal", 2}, {"similarity", "encodings/alibi", 0}, {"rotation", "encodings/rope", 1},
        {"spectrum", "encodings/rope", 0}, {"bias", "encodings/alibi", 0}, {"decay", "encodings/rope", 0}, {"attention", "encodings/alibi-attention", 0},
        {"precision", "encodings/rope", 0}, {"precision", "encodings/rope", 1}, {"segments", "encodings/transformer_xl", 0},
        {"segments", "encodings/transformer_xl", 1}, {"grid", "encodings/sinusoidal_2d", 0}, {"model", "models/gemma-3-1b", 2},
        {"compare", "models/llama-3.1-8b", 0},
    };
    struct screen *s = *state;
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        show(s, at[i].view, at[i].preset);
        screen_key(s, '0');
        for (int k = 0; k < at[i].panel; k++)
            screen_key(s, ';');
        struct axis before = panel(s, at[i].panel)->x;
        struct place place = navigate_pointer(&s->app);
        screen_key(s, '+');
        struct axis after = panel(s, at[i].panel)->x;
        if (!(after.to - after.from < before.to - before.from))
            fail_msg("%s, panel %d: %s", at[i].view, at[i].panel, s->app.message);
        if (place.x < after.from || place.x > after.to)
            fail_msg("%s, panel %d: %g is not in %g..%g", at[i].view, at[i].panel, place.x, after.from, after.to);
        screen_key(s, KEY_CODE_SHIFT_RIGHT);
        screen_key(s, KEY_CODE_SHIFT_LEFT);
        screen_key(s, '-');
        screen_key(s, '-');
        after = panel(s, at[i].panel)->x;
        if (fabs(after.from - before.from) > 1e-6 * fabs(before.to) || fabs(after.to - before.to) > 1e-6 * fabs(before.to))
            fail_msg("%s, panel %d: %g..%g is not %g..%g again", at[i].view, at[i].panel, after.from, after.to, before.from, before.to);
    }
}

/* Where there is nothing to zoom, the line says why. */
static void what_cannot_be_zoomed_says_why(void **state)
{
    struct screen *s = *state;
    show(s, "cost", "encodings/rope");
    screen_type(s, "+");
    assert_non_null(strstr(s->app.message, "bars"));
    screen_type(s, ";+");
    assert_non_null(strstr(s->app.message, "table"));
    show(s, "bias", "encodings/alibi");
    screen_type(s, ";+");
    assert_non_null(strstr(s->app.message, "follows the window"));
}

/* Numbers in tables and staircases are read out too, and schemes whose terms depend on content. */
static void tables_and_content_are_read_out(void **state)
{
    struct screen *s = *state;
    show(s, "precision", "encodings/rope");
    screen_type(s, ";;");
    assert_string_equal(s->app.readout.name, "float32, position not held");
    assert_string_equal(s->app.readout.value_text, "16 777 217");
    screen_key(s, KEY_CODE_DOWN);
    screen_key(s, KEY_CODE_DOWN);
    assert_string_equal(s->app.readout.value_text, "2 049");
    show(s, "bias", "encodings/deberta");
    assert_true(s->app.readout.known && strstr(s->app.readout.name, "bucket of distance"));
    show(s, "decay", "encodings/shaw");
    assert_true(s->app.readout.known && strstr(s->app.readout.formula, "query to relative position"));
    show(s, "decay", "encodings/cope");
    assert_true(s->app.readout.known && strstr(s->app.readout.formula, "query to counted position"));
}

/* Arrows into the panel beside and back, the mouse, and another language change nothing of it. */
static void leaving_a_panel_loses_no_place(void **state)
{
    struct screen *s = *state;
    show(s, "bias", "encodings/alibi");
    screen_key(s, KEY_CODE_UP);
    screen_key(s, KEY_CODE_END);
    struct place before = navigate_pointer(&s->app);
    screen_key(s, KEY_CODE_RIGHT);
    assert_int_equal(s->app.s.focus, 1);
    screen_key(s, 'L');
    screen_key(s, 'L');
    screen_key(s, KEY_CODE_HOME);
    screen_key(s, KEY_CODE_LEFT);
    struct place after = navigate_pointer(&s->app);
    assert_true(after.panel == 0 && after.x == before.x && after.y == before.y);
}

/* A, B and their difference are read at one place; two pictures side by side too. */
static void compared_pictures_have_one_cursor(void **state)
{
    struct screen *s = *state;
    show(s, "compare", "models/llama-3.1-8b");
    screen_key(s, KEY_CODE_UP);
    struct place a = navigate_pointer(&s->app);
    screen_key(s, ';');
    struct place b = navigate_pointer(&s->app);
    assert_true(b.panel == 1 && b.x == a.x && b.y == a.y);
    show(s, "similarity", "encodings/alibi");
    screen_key(s, 's');
    screen_key(s, KEY_CODE_UP);
    a = navigate_pointer(&s->app);
    screen_type(s, ";;");
    b = navigate_pointer(&s->app);
    assert_true(b.panel == 2 && b.x == a.x && b.y == a.y);
}

/* The list of a page keeps its row while the text about it is read. */
static void a_list_keeps_its_row(void **state)
{
    struct screen *s = *state;
    screen_type(s, ":guide\n");
    for (int i = 0; i < 3; i++)
        screen_key(s, KEY_CODE_DOWN);
    double row = navigate_pointer(&s->app).y;
    char *text = xstrdup(screen_text(s));
    screen_key(s, ';');
    assert_int_equal(s->app.s.focus, (int)s->app.figure->n - 1);
    screen_key(s, ';');
    assert_true(navigate_pointer(&s->app).y == row);
    assert_string_equal(text, screen_text(s));
    free(text);
}

/* ---- mouse ---------------------------------------------------------------------------------------------- */

static void mouse(struct screen *s, enum mouse_action action, int y, int x)
{
    screen_event(s, (struct event){.type = EVENT_MOUSE, .mouse = action, .button = 1, .y = y, .x = x});
}

static const struct hit *hit(const struct screen *s, enum hit_kind kind, int index)
{
    for (size_t i = 0; i < s->app.n_hits; i++)
        if (s->app.hit[i].kind == kind && s->app.hit[i].index == index)
            return &s->app.hit[i];
    fail_msg("nothing to click");
    return NULL;
}

static void hovering_reads_out_and_a_key_ends_it(void **state)
{
    struct screen *s = *state;
    struct place cursor = navigate_pointer(&s->app);
    mouse(s, MOUSE_MOVE, 10, 20);
    struct place at = navigate_pointer(&s->app);
    assert_true(at.x != cursor.x || at.y != cursor.y);
    double query;
    assert_int_equal(sscanf(s->app.readout.name, "query %lf", &query), 1);
    assert_true(query == floor(at.y));
    screen_key(s, ']');
    assert_true(navigate_pointer(&s->app).x == cursor.x);
    mouse(s, MOUSE_PRESS, 10, 20);
    mouse(s, MOUSE_RELEASE, 10, 20);
    screen_key(s, ']');
    assert_true(navigate_pointer(&s->app).x == at.x);
}

static void the_wheel_zooms_where_it_points(void **state)
{
    struct screen *s = *state;
    mouse(s, MOUSE_MOVE, 8, 15);
    struct place at = navigate_pointer(&s->app);
    mouse(s, MOUSE_WHEEL_UP, 8, 15);
    assert_true(panel(s, 0)->x.to - panel(s, 0)->x.from < 1000);
    assert_true(panel(s, 0)->x.from <= at.x && at.x < panel(s, 0)->x.to);
}

/* Also from a single pair, where a small factor would round to nothing. */
static void the_wheel_comes_back_out(void **state)
{
    struct screen *s = *state;
    for (int i = 0; i < 60; i++)
        mouse(s, MOUSE_WHEEL_UP, 8, 15);
    assert_true(panel(s, 0)->x.to - panel(s, 0)->x.from == 1);
    for (int i = 0; i < 60; i++)
        mouse(s, MOUSE_WHEEL_DOWN, 8, 15);
    assert_true(panel(s, 0)->x.from == 0 && panel(s, 0)->x.to == 1000 && panel(s, 0)->y.to == 1000);
}

static void dragging_pans(void **state)
{
    struct screen *s = *state;
    screen_key(s, '+');
    screen_key(s, '+');
    double from = panel(s, 0)->x.from;
    mouse(s, MOUSE_PRESS, 15, 40);
    mouse(s, MOUSE_DRAG, 15, 30);
    mouse(s, MOUSE_RELEASE, 15, 30);
    assert_true(panel(s, 0)->x.from > from);
}

static void words_and_sliders_are_clicked(void **state)
{
    struct screen *s = *state;
    const struct hit *tab = hit(s, HIT_VIEW, VIEW_bias);
    mouse(s, MOUSE_PRESS, tab->y, tab->x + 1);
    assert_int_equal(s->app.s.view, VIEW_bias);
    const struct hit *help = hit(s, HIT_KEY, '?');
    mouse(s, MOUSE_PRESS, help->y, help->x);
    assert_ptr_equal(s->app.overlay, &help_overlay);
    mouse(s, MOUSE_PRESS, 1, 1);
    assert_null(s->app.overlay);
    screen_type(s, ":param num_heads\n");
    const struct hit *slider = hit(s, HIT_SLIDER, s->app.s.chosen);
    mouse(s, MOUSE_PRESS, slider->y, slider->x + slider->cols - 1);
    assert_int_equal(s->app.s.shape.n_heads, FACTS_MAX_HEADS);
    screen_key(s, 'u');
    assert_int_equal(s->app.s.shape.n_heads, 8);
}

/* From press to release it is one edit, wherever the mouse goes meanwhile; the picture never moves a slider. */
static void a_slider_is_dragged_as_one_edit(void **state)
{
    struct screen *s = *state;
    screen_type(s, ":param num_heads\n");
    struct hit slider = *hit(s, HIT_SLIDER, s->app.s.chosen);
    int heads = s->app.s.shape.n_heads;
    mouse(s, MOUSE_PRESS, slider.y, slider.x);
    assert_int_equal(s->app.s.shape.n_heads, 1);
    for (int i = 1; i < slider.cols; i++)
        mouse(s, MOUSE_DRAG, slider.y - i % 3, slider.x + i);
    assert_int_equal(s->app.s.shape.n_heads, FACTS_MAX_HEADS);
    mouse(s, MOUSE_DRAG, slider.y, 2);
    assert_int_equal(s->app.s.shape.n_heads, 1);
    mouse(s, MOUSE_DRAG, slider.y, slider.x + slider.cols / 2);
    int dragged = s->app.s.shape.n_heads;
    assert_true(dragged > 1 && dragged != heads);
    mouse(s, MOUSE_RELEASE, slider.y, slider.x);
    screen_key(s, 'u');
    assert_int_equal(s->app.s.shape.n_heads, heads);
    screen_key(s, 'U');
    assert_int_equal(s->app.s.shape.n_heads, dragged);
    mouse(s, MOUSE_PRESS, 15, 40);
    mouse(s, MOUSE_DRAG, slider.y, slider.x + 3);
    mouse(s, MOUSE_RELEASE, slider.y, slider.x + 3);
    assert_int_equal(s->app.s.shape.n_heads, dragged);
    mouse(s, MOUSE_PRESS, slider.y, slider.x + slider.cols - 1);        /* the next one is another */
    screen_key(s, 'u');
    assert_int_equal(s->app.s.shape.n_heads, dragged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_cursor_walks_by_samples, setup, teardown),
        cmocka_unit_test_setup_teardown(the_readout_belongs_to_the_cursor, setup, teardown),
        cmocka_unit_test_setup_teardown(zooming_keeps_the_place, setup, teardown),
        cmocka_unit_test_setup_teardown(zooming_ends_at_single_things, setup, teardown),
        cmocka_unit_test_setup_teardown(leaving_the_edge_pans_then_goes_to_the_next_panel, setup, teardown),
        cmocka_unit_test_setup_teardown(panning_stays_inside, setup, teardown),
        cmocka_unit_test_setup_teardown(a_panel_can_stand_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(a_profile_keeps_the_row_of_the_matrix, setup, teardown),
        cmocka_unit_test_setup_teardown(every_picture_with_axes_is_zoomed, setup, teardown),
        cmocka_unit_test_setup_teardown(what_cannot_be_zoomed_says_why, setup, teardown),
        cmocka_unit_test_setup_teardown(tables_and_content_are_read_out, setup, teardown),
        cmocka_unit_test_setup_teardown(leaving_a_panel_loses_no_place, setup, teardown),
        cmocka_unit_test_setup_teardown(compared_pictures_have_one_cursor, setup, teardown),
        cmocka_unit_test_setup_teardown(a_list_keeps_its_row, setup, teardown),
        cmocka_unit_test_setup_teardown(hovering_reads_out_and_a_key_ends_it, setup, teardown),
        cmocka_unit_test_setup_teardown(the_wheel_zooms_where_it_points, setup, teardown),
        cmocka_unit_test_setup_teardown(the_wheel_comes_back_out, setup, teardown),
        cmocka_unit_test_setup_teardown(dragging_pans, setup, teardown),
        cmocka_unit_test_setup_teardown(words_and_sliders_are_clicked, setup, teardown),
        cmocka_unit_test_setup_teardown(a_slider_is_dragged_as_one_edit, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
