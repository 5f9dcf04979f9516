/* Bytes for terminals that the virtual one is not: without automatic margins, without colours, moved by other codes. If this
 * fails: a screen that scrolls by a line, or cursor movements that a terminal does not understand. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "term/frame.h"

static void move_strangely(struct buf *out, int y, int x)
{
    char text[32];
    snprintf(text, sizeof text, "<%d,%d>", y, x);
    buf_text(out, text);
}

static const struct codes plain = {.depth = DEPTH_MONO, .clear = "<clear>", .plain = "<plain>", .bold = "<bold>", .reverse = "<rev>",
                                   .hide_cursor = "<hide>", .show_cursor = "<show>", .move = move_strangely};

static void assert_frame(struct frame *f, const struct canvas *c, int rows, int cols, int y, int x, const char *expected)
{
    struct buf out = {0};
    frame_compose(f, &out, c, rows, cols, y, x);
    char *text = buf_string(&out);
    assert_string_equal(text, expected);
    struct buf done = {.data = text};
    buf_done(&done);
}

static struct canvas *lines(const char *first, const char *second, enum color_depth depth)
{
    struct canvas *c = canvas_new(2, 3, themes[0], depth, false);
    canvas_text(c, 0, 0, 3, first, ROLE_TEXT, 0);
    canvas_text(c, 1, 0, 3, second, ROLE_TEXT, 0);
    return c;
}

static void only_what_changed_is_sent(void **state)
{
    (void)state;
    struct frame *f = frame_new(&plain);
    struct canvas *a = lines("abc", "def", DEPTH_MONO), *b = lines("abx", "d f", DEPTH_MONO);
    assert_frame(f, a, 2, 3, -1, 0, "<plain><clear><0,0>abc<1,0>def<hide>");
    assert_frame(f, a, 2, 3, -1, 0, "");
    assert_frame(f, b, 2, 3, -1, 0, "<0,2>x<1,1> ");
    assert_frame(f, b, 2, 3, 1, 2, "<show>");                   /* the cursor stands there already */
    assert_frame(f, b, 2, 3, 0, 1, "<0,1>");
    assert_frame(f, a, 2, 3, 0, 1, "<hide><0,2>c<1,1>e<0,1><show>");
    frame_invalidate(f);
    assert_frame(f, a, 2, 3, -1, 0, "<hide><plain><clear><0,0>abc<1,0>def<hide>");
    canvas_free(a);
    canvas_free(b);
    frame_free(f);
}

static void the_last_cell_may_be_forbidden(void **state)
{
    (void)state;
    struct codes codes = plain;
    codes.scrolls_at_end = true;
    struct frame *f = frame_new(&codes);
    struct canvas *a = lines("abc", "def", DEPTH_MONO);
    assert_frame(f, a, 2, 3, -1, 0, "<plain><clear><0,0>abc<1,0>de<hide>");
    canvas_free(a);
    frame_free(f);
}

static void attributes_end_where_they_end(void **state)
{
    (void)state;
    struct frame *f = frame_new(&plain);
    struct canvas *a = lines("a c", "def", DEPTH_MONO);
    canvas_put(a, 0, 0, 'a', ROLE_TITLE, 0);
    canvas_put(a, 0, 2, 'c', ROLE_SELECTED, 0);
    canvas_put(a, 1, 0, 'd', ROLE_SELECTED, 0);
    assert_frame(f, a, 2, 3, -1, 0, "<plain><clear><0,0><bold>a<0,2><plain><rev>c<1,0>d<plain>ef<hide>");
    canvas_free(a);
    frame_free(f);
}

/* A canvas drawn for another size, as while a resize is on its way. */
static void other_sizes_are_cut_and_filled(void **state)
{
    (void)state;
    struct frame *f = frame_new(&plain);
    struct canvas *a = lines("ab位", "def", DEPTH_MONO);        /* the wide one has no room: "ab" */
    canvas_text(a, 0, 1, 2, "位", ROLE_TEXT, 0);
    assert_frame(f, a, 1, 2, -1, 0, "<plain><clear><0,0>a<hide>");
    assert_frame(f, a, 3, 4, -1, 0, "<plain><clear><0,0>a位<1,0>def<hide>");
    canvas_free(a);
    frame_free(f);
}

/* In an entry of direct colours the values below 8 are palette entries for curses; here each is what it is. */
static void near_black_is_no_palette_entry(void **state)
{
    (void)state;
    static const struct codes codes = {.depth = DEPTH_TRUECOLOR, .clear = "C", .plain = "P", .move = move_strangely};
    struct frame *f = frame_new(&codes);
    struct canvas *a = canvas_new(1, 1, themes[0], DEPTH_TRUECOLOR, false);
    a->cell[0] = (struct cell){.ch = 'x', .fg = 0x000005, .bg = 0x000100, .width = 1};
    assert_frame(f, a, 1, 1, -1, 0, "PC<0,0>\033[38;2;0;0;5;48;2;0;1;0mx");
    canvas_free(a);
    frame_free(f);
}

static void eight_colours_keep_text_visible(void **state)
{
    (void)state;
    struct codes codes = {.depth = DEPTH_16, .clear = "C", .plain = "P", .bold = "B", .dim = "D", .move = move_strangely};
    char names[16][16], back[16][16];
    for (int i = 0; i < 16; i++) {
        snprintf(names[i], sizeof names[i], "[f%d]", i);
        snprintf(back[i], sizeof back[i], "[b%d]", i);
        codes.fore[i] = names[i];
        codes.back[i] = back[i];
    }
    struct frame *f = frame_new(&codes);
    struct canvas *a = canvas_new(1, 4, theme_find("light"), DEPTH_16, false);
    canvas_put(a, 0, 0, 'a', ROLE_DIM, 0);                      /* dark grey would be white on white */
    canvas_put(a, 0, 1, 'b', ROLE_TEXT, 0);
    canvas_put(a, 0, 2, 'c', ROLE_SELECTED, 0);
    assert_frame(f, a, 1, 4, -1, 0, "PC<0,0>D[f0][b7]aP[f0][b7]bB[f7][b1]c[b7] ");
    canvas_free(a);
    frame_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_changed_is_sent),
        cmocka_unit_test(the_last_cell_may_be_forbidden),
        cmocka_unit_test(attributes_end_where_they_end),
        cmocka_unit_test(other_sizes_are_cut_and_filled),
        cmocka_unit_test(near_black_is_no_palette_entry),
        cmocka_unit_test(eight_colours_keep_text_visible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
