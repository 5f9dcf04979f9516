/* Cells, heat, dots, bars and colours. If this fails: torn Chinese text, drawing outside its place, heatmaps whose colours do
 * not rise with the values, or cells without a value that look as if they had one. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/utf8.h"
#include "canvas/canvas.h"

static struct canvas *make(int rows, int cols, enum color_depth depth, bool ascii)
{
    return canvas_new(rows, cols, themes[0], depth, ascii);
}

static struct cell at(const struct canvas *c, int y, int x)
{
    return c->cell[y * c->cols + x];
}

static void assert_text(const struct canvas *c, const char *expected)
{
    char *text = canvas_to_text(c, false);
    assert_string_equal(text, expected);
    free(text);
}

/* Wide characters. */

static void overwriting_half_a_wide_character_blanks_the_other(void **state)
{
    (void)state;
    struct canvas *c = make(1, 6, DEPTH_TRUECOLOR, false);
    canvas_text(c, 0, 0, 6, "位置编", ROLE_TEXT, 0);
    canvas_put(c, 0, 1, 'x', ROLE_TEXT, 0);             /* the right half of the first */
    canvas_put(c, 0, 2, 'y', ROLE_TEXT, 0);             /* the left half of the second */
    assert_text(c, " xy 编\n");
    canvas_put(c, 0, 3, 0x7801, ROLE_TEXT, 0);          /* over a blank and the left half of the third */
    assert_text(c, " xy码\n");
    assert_int_equal(at(c, 0, 3).width, 2);
    assert_int_equal(at(c, 0, 4).width, 0);
    assert_int_equal(at(c, 0, 5).width, 1);
    canvas_free(c);
}

static void a_wide_character_cut_by_an_edge_is_a_space(void **state)
{
    (void)state;
    struct canvas *c = make(1, 3, DEPTH_TRUECOLOR, false);
    canvas_fill(c, (struct rect){0, 0, 1, 3}, '.', ROLE_TEXT, 0);
    canvas_put(c, 0, 2, 0x4f4d, ROLE_TEXT, 0);
    assert_text(c, "..\n");
    canvas_put(c, 0, -1, 0x4f4d, ROLE_TEXT, 0);
    assert_text(c, " .\n");
    canvas_free(c);
}

/* Whatever is drawn, halves of wide characters stay together. */
static void halves_never_part(void **state)
{
    (void)state;
    static const uint32_t glyphs[] = {'a', ' ', 0x4f4d, 0x7f6e, 0x301, 0x1f600, 0x2500};
    struct canvas *c = make(3, 7, DEPTH_TRUECOLOR, false);
    for (uint64_t i = 0; i < 20000; i++) {
        int y = (int)(rng_bits(1, 3 * i) % 5) - 1, x = (int)(rng_bits(1, 3 * i + 1) % 11) - 2;
        uint64_t what = rng_bits(1, 3 * i + 2);
        if (what % 11 == 0)
            canvas_heat(c, y, x, colormaps[0], 0.5, 0.7);
        else if (what % 13 == 0)
            canvas_fill(c, (struct rect){y, x, 2, 3}, glyphs[what % 7], ROLE_POPUP, 0);
        else
            canvas_put(c, y, x, glyphs[what % 7], ROLE_TEXT, 0);
        for (int k = 0; k < 3 * 7; k++) {
            bool right_half = k % 7 > 0 && c->cell[k - 1].width == 2;
            assert_int_equal(c->cell[k].width == 0, right_half);
            assert_int_equal(c->cell[k].width, right_half ? 0 : utf8_char_width(c->cell[k].ch));
            assert_false(c->cell[k].width == 2 && k % 7 == 6);
        }
    }
    canvas_free(c);
}

static void text_is_cut_between_characters(void **state)
{
    (void)state;
    struct canvas *c = make(1, 10, DEPTH_TRUECOLOR, false);
    assert_int_equal(canvas_text(c, 0, 0, 5, "位置编码", ROLE_TEXT, 0), 5);
    assert_text(c, "位置…\n");
    canvas_clear(c);
    assert_int_equal(canvas_text(c, 0, 0, 6, "位置编码", ROLE_TEXT, 0), 5);     /* a cell stays free: half of 编 has no room */
    assert_int_equal(canvas_text(c, 0, 0, 0, "abc", ROLE_TEXT, 0), 0);
    assert_int_equal(canvas_text(c, 0, 0, 3, "abc", ROLE_TEXT, 0), 3);
    canvas_clear(c);
    canvas_text_right(c, 0, 2, 6, "编码", ROLE_TEXT, 0);
    assert_text(c, "    编码\n");
    canvas_free(c);
}

static void text_from_files_is_harmless(void **state)
{
    (void)state;
    struct canvas *c = make(1, 20, DEPTH_TRUECOLOR, false);
    canvas_text(c, 0, 0, 20, "a\033[2Jb\nc\xff", ROLE_TEXT, 0);
    assert_text(c, "a?[2Jb?c?\n");
    canvas_free(c);
}

static void nothing_is_drawn_outside(void **state)
{
    (void)state;
    struct canvas *c = make(2, 3, DEPTH_TRUECOLOR, false);
    canvas_text(c, -1, 0, 9, "above", ROLE_TEXT, 0);
    canvas_text(c, 2, 0, 9, "below", ROLE_TEXT, 0);
    canvas_text(c, 0, -2, 9, "left of it", ROLE_TEXT, 0);
    canvas_fill(c, (struct rect){1, 1, 100, 100}, '#', ROLE_TEXT, 0);
    canvas_heat(c, 5, 5, colormaps[0], 0, 1);
    canvas_bar(c, 0, -4, 20, 2, 0xffffff);
    canvas_rule(c, 9, -3, 100, "title", ROLE_TITLE);
    assert_text(c, "ft\n ##\n");
    canvas_free(c);
}

static void rules_carry_titles(void **state)
{
    (void)state;
    struct canvas *c = make(3, 12, DEPTH_TRUECOLOR, false);
    canvas_rule(c, 0, 0, 12, "bias", ROLE_TITLE);
    canvas_rule(c, 1, 0, 12, NULL, ROLE_TITLE);
    canvas_rule(c, 2, 0, 12, "a title that is too long", ROLE_TITLE);
    assert_text(c, "─ bias ─────\n────────────\n─ a title… ─\n");
    canvas_free(c);
}

static void text_on_a_popup_keeps_its_background(void **state)
{
    (void)state;
    struct canvas *c = make(1, 4, DEPTH_TRUECOLOR, false);
    canvas_fill(c, (struct rect){0, 0, 1, 3}, ' ', ROLE_POPUP, 0);
    canvas_put(c, 0, 1, 'x', ROLE_DIM, 0);
    assert_int_equal(at(c, 0, 1).bg, c->theme->role[ROLE_POPUP].bg);
    assert_int_equal(at(c, 0, 1).fg, c->theme->role[ROLE_DIM].fg);
    canvas_put(c, 0, 1, 'x', ROLE_SELECTED, 0);
    assert_int_equal(at(c, 0, 1).bg, c->theme->role[ROLE_SELECTED].bg);
    canvas_fill(c, (struct rect){0, 0, 1, 4}, ' ', ROLE_TEXT, 0);
    assert_int_equal(at(c, 0, 1).bg, c->theme->role[ROLE_TEXT].bg);
    canvas_free(c);
}

static void without_colours_a_selection_is_reversed(void **state)
{
    (void)state;
    struct canvas *c = make(1, 2, DEPTH_MONO, false);
    canvas_put(c, 0, 0, 'x', ROLE_SELECTED, 0);
    canvas_put(c, 0, 1, 'x', ROLE_TEXT, 0);
    assert_true(at(c, 0, 0).attr & ATTR_REVERSE);
    assert_false(at(c, 0, 1).attr & ATTR_REVERSE);
    canvas_free(c);
}

/* A line of each thing that has glyphs of its own. */
static void draw_all_kinds(struct canvas *c, const char *text, double lower)
{
    canvas_rule(c, 0, 0, 12, "位 → × …", ROLE_TITLE);
    canvas_text(c, 1, 0, 12, text, ROLE_TEXT, 0);
    canvas_bar(c, 2, 0, 12, 3.5, 0xffffff);
    canvas_heat(c, 3, 0, colormaps[0], 0.2, lower);
    canvas_heat(c, 3, 1, colormaps[0], -INFINITY, -INFINITY);
}

static void ascii_means_ascii(void **state)
{
    (void)state;
    struct canvas *c = make(4, 12, DEPTH_256, true);
    draw_all_kinds(c, "│┤·λ²", 0.2);
    struct dots *d = dots_new(1, 3);
    dots_set(d, 0, 0);
    dots_set(d, 3, 2);
    dots_set(d, 0, 4);
    dots_set(d, 3, 4);
    dots_draw(d, c, 3, 4, 0xffffff);
    dots_free(d);
    for (int k = 0; k < 4 * 12; k++)
        assert_in_range(c->cell[k].ch, ' ', '~');
    assert_text(c, "- ?? > x ~ -\n|+.L?\n####\n /  '.:\n");
    canvas_free(c);
}

/* Where ambiguous glyphs take two cells: frames in ASCII, Chinese and braille as they are. */
static void certain_means_of_one_width_everywhere(void **state)
{
    (void)state;
    struct canvas *c = make(4, 12, DEPTH_TRUECOLOR, true);
    c->certain = true;
    draw_all_kinds(c, "│┤·λ²“a”−", 0.8);
    struct dots *d = dots_new(1, 3);
    dots_set(d, 0, 4);
    dots_set(d, 3, 4);
    dots_draw(d, c, 3, 4, 0xffffff);
    dots_free(d);
    for (int k = 0; k < 4 * 12; k++)
        assert_false(utf8_is_ambiguous(c->cell[k].ch));
    assert_text(c, "- 位 > x ~ -\n|+.L?\"a\"−\n####\n /    ⡁\n");
    assert_int_equal(canvas_heat_rows(c), 1);
    canvas_free(c);
}

/* Heat. */

static void heat_carries_two_samples(void **state)
{
    (void)state;
    const enum color_depth depths[] = {DEPTH_TRUECOLOR, DEPTH_256};
    for (int i = 0; i < 2; i++) {
        struct canvas *c = make(1, 2, depths[i], false);
        assert_int_equal(canvas_heat_rows(c), 2);
        canvas_heat(c, 0, 0, colormaps[0], 0, 1);
        assert_int_equal(at(c, 0, 0).ch, 0x2580);
        assert_int_equal(at(c, 0, 0).fg, 0x440154);         /* viridis' published ends */
        assert_int_equal(at(c, 0, 0).bg, 0xfde725);
        canvas_heat(c, 0, 1, colormaps[0], 7, INFINITY);    /* above the range: its end */
        assert_int_equal(at(c, 0, 1).ch, ' ');
        assert_int_equal(at(c, 0, 1).bg, 0xfde725);
        canvas_free(c);
    }
}

static void colours_are_few(void **state)
{
    (void)state;
    struct canvas *c = make(1, 1, DEPTH_TRUECOLOR, false);
    uint32_t last = 0;
    int changes = 0;
    for (int i = 0; i <= 10000; i++) {
        canvas_heat(c, 0, 0, colormaps[0], i / 10000.0, i / 10000.0);
        changes += at(c, 0, 0).bg != last;
        last = at(c, 0, 0).bg;
    }
    assert_int_equal(changes, HEAT_LEVELS);
    canvas_free(c);
}

static double ink(struct cell cell)
{
    static const uint32_t glyph[] = {' ', 0x2591, 0x2592, 0x2593};
    for (int i = 0; i < 4; i++)
        if (cell.ch == glyph[i])
            return i / 4.0;
    return NAN;
}

static double luminance(uint32_t rgb)
{
    return 0.2126 * pow((rgb >> 16) / 255.0, 2.2) + 0.7152 * pow((rgb >> 8 & 255) / 255.0, 2.2) + 0.0722 * pow((rgb & 255) / 255.0, 2.2);
}

/* Of the eight ANSI colours and the shades between them. */
static void sixteen_colours_brighten_with_the_value(void **state)
{
    (void)state;
    struct canvas *c = make(1, 1, DEPTH_16, false);
    assert_int_equal(canvas_heat_rows(c), 1);
    for (int m = 0; colormaps[m]; m++) {
        double last = -1;
        for (int i = 0; i <= 100 && !colormaps[m]->diverging; i++) {
            canvas_heat(c, 0, 0, colormaps[m], i / 100.0, i / 100.0);
            struct cell cell = at(c, 0, 0);
            assert_int_equal(color_from_16(color_to_16(cell.fg)), cell.fg);
            double share = ink(cell), brightness = share * luminance(cell.fg) + (1 - share) * luminance(cell.bg);
            assert_true(brightness >= last - 1e-9);
            last = brightness;
        }
    }
    canvas_free(c);
}

static void without_colours_a_ramp(void **state)
{
    (void)state;
    struct canvas *c = make(1, 11, DEPTH_MONO, false);
    for (int i = 0; i < 10; i++)
        canvas_heat(c, 0, i, colormaps[0], i / 9.0, i / 9.0);
    canvas_heat(c, 0, 10, colormaps[0], 0.8, 1.2);
    assert_text(c, " .:-=+*#%@@\n");
    canvas_free(c);
}

/* In every depth, masked and absent cells look like each other and like no value. */
static void absent_values_have_their_own_look(void **state)
{
    (void)state;
    for (int depth = DEPTH_MONO; depth < DEPTH_COUNT; depth++)
        for (int ascii = 0; ascii < 2; ascii++)
            for (int m = 0; colormaps[m]; m++) {
                struct canvas *c = make(1, 3, (enum color_depth)depth, ascii);
                canvas_heat(c, 0, 0, colormaps[m], -INFINITY, -INFINITY);
                canvas_heat(c, 0, 1, colormaps[m], NAN, NAN);
                struct cell masked = at(c, 0, 0), none = at(c, 0, 1);
                assert_int_not_equal(masked.ch, none.ch);
                for (int i = 0; i <= 63; i++) {
                    canvas_heat(c, 0, 2, colormaps[m], i / 63.0, i / 63.0);
                    assert_int_not_equal(at(c, 0, 2).ch, masked.ch);
                    assert_int_not_equal(at(c, 0, 2).ch, none.ch);
                }
                canvas_free(c);
            }
}

static void half_a_mask_shows_the_other_half(void **state)
{
    (void)state;
    struct canvas *c = make(1, 2, DEPTH_TRUECOLOR, false);
    canvas_heat(c, 0, 0, colormaps[0], -INFINITY, 1);
    assert_int_equal(at(c, 0, 0).fg, c->theme->role[ROLE_MASKED].bg);
    assert_int_equal(at(c, 0, 0).bg, 0xfde725);
    canvas_free(c);
    c = make(1, 2, DEPTH_MONO, false);
    canvas_heat(c, 0, 0, colormaps[0], NAN, 1);
    assert_int_equal(at(c, 0, 0).ch, '@');
    canvas_free(c);
}

/* Dots and bars. */

static void dots_are_braille(void **state)
{
    (void)state;
    static const uint32_t bit[4][2] = {{1, 8}, {2, 16}, {4, 32}, {64, 128}};
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 2; x++) {
            struct canvas *c = make(2, 2, DEPTH_TRUECOLOR, false);
            struct dots *d = dots_new(2, 2);
            dots_set(d, 4 + y, 2 + x);
            dots_draw(d, c, 0, 0, 0x123456);
            assert_int_equal(at(c, 1, 1).ch, 0x2800 + bit[y][x]);
            assert_int_equal(at(c, 1, 1).fg, 0x123456);
            assert_int_equal(at(c, 0, 0).ch, ' ');
            dots_free(d);
            canvas_free(c);
        }
}

static void crossing_curves_keep_their_dots(void **state)
{
    (void)state;
    struct canvas *c = make(1, 1, DEPTH_TRUECOLOR, false);
    struct dots *a = dots_new(1, 1), *b = dots_new(1, 1);
    for (int y = 0; y < 4; y++) {
        dots_set(a, y, 0);
        dots_set(b, y, 1);
    }
    dots_draw(a, c, 0, 0, 1);
    dots_draw(b, c, 0, 0, 2);
    assert_int_equal(at(c, 0, 0).ch, 0x28ff);
    assert_int_equal(at(c, 0, 0).fg, 2);
    dots_free(a);
    dots_free(b);
    canvas_free(c);
}

static void dots_outside_are_left_out(void **state)
{
    (void)state;
    struct canvas *c = make(1, 4, DEPTH_TRUECOLOR, false);
    struct dots *d = dots_new(1, 4);
    dots_set(d, 0, 0);
    dots_set(d, -1, 0);
    dots_set(d, 4, 0);
    dots_set(d, 0, -1);
    dots_set(d, 0, 8);
    dots_draw(d, c, 0, 0, 1);
    assert_int_equal(at(c, 0, 0).ch, 0x2800 + 1);
    for (int x = 1; x < 4; x++)
        assert_int_equal(at(c, 0, x).ch, ' ');
    dots_free(d);
    dots_free(dots_new(0, 0));
    canvas_free(c);
}

static void bars_count_eighths(void **state)
{
    (void)state;
    struct canvas *c = make(5, 4, DEPTH_TRUECOLOR, false);
    canvas_bar(c, 0, 0, 4, 2.5, 1);
    canvas_bar(c, 1, 0, 4, 0.125, 1);
    canvas_bar(c, 2, 0, 4, 99, 1);
    canvas_bar(c, 3, 0, 4, -1, 1);
    canvas_bar(c, 4, 0, 4, NAN, 1);
    assert_text(c, "██▌\n▏\n████\n\n\n");
    canvas_free(c);
}

/* Colours. */

static void palette_of_256_is_the_nearest(void **state)
{
    (void)state;
    static const int step[] = {0, 95, 135, 175, 215, 255};
    for (uint64_t i = 0; i < 3000; i++) {
        uint32_t rgb = (uint32_t)rng_bits(3, i) & 0xffffff;
        long best = 1L << 40, chosen = 0;
        int found = color_to_256(rgb);
        for (int k = 16; k < 256; k++) {
            int grey = 8 + 10 * (k - 232), r = k < 232 ? step[(k - 16) / 36] : grey;
            int g = k < 232 ? step[(k - 16) / 6 % 6] : grey, b = k < 232 ? step[(k - 16) % 6] : grey;
            long dr = (long)(rgb >> 16) - r, dg = (long)(rgb >> 8 & 255) - g, db = (long)(rgb & 255) - b;
            long distance = dr * dr + dg * dg + db * db;
            best = distance < best ? distance : best;
            chosen = k == found ? distance : chosen;
        }
        assert_in_range(found, 16, 255);
        assert_true(chosen <= best + 1);
    }
}

static void sixteen_colours_keep_the_meaning_of_roles(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++)
        assert_int_equal(color_to_16(color_from_16(i)), i);
    for (int i = 0; themes[i]; i++) {
        const struct theme *t = themes[i];
        assert_int_equal(color_to_16(t->role[ROLE_GOOD].fg) & 7, 2);
        assert_int_equal(color_to_16(t->role[ROLE_ERROR].fg) & 7, 1);
        for (int a = 0; a < N_SERIES_ROLES && !t->light; a++)
            for (int b = 0; b < a; b++)
                assert_int_not_equal(color_to_16(t->role[ROLE_SERIES_0 + a].fg), color_to_16(t->role[ROLE_SERIES_0 + b].fg));
        for (int role = 0; role < ROLE_COUNT; role++)
            if (role != ROLE_MASKED)
                assert_int_not_equal(color_to_16(t->role[role].fg), color_to_16(t->role[role].bg));
    }
}

/* WCAG's contrast of two colours, 1 to 21. */
static double channel(uint32_t v)
{
    double s = v / 255.0;
    return s <= 0.03928 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

static double relative_luminance(uint32_t rgb)
{
    return 0.2126 * channel(rgb >> 16) + 0.7152 * channel(rgb >> 8 & 255) + 0.0722 * channel(rgb & 255);
}

static double contrast(uint32_t a, uint32_t b)
{
    double la = relative_luminance(a), lb = relative_luminance(b);
    return (fmax(la, lb) + 0.05) / (fmin(la, lb) + 0.05);
}

static void themes_are_readable(void **state)
{
    (void)state;
    for (int i = 0; themes[i]; i++)
        for (int role = 0; role < ROLE_COUNT; role++) {
            double needed = role == ROLE_MASKED ? 1.2 : role >= ROLE_SERIES_0 || role == ROLE_NAN ? 3 : 4.5;
            assert_true(contrast(themes[i]->role[role].fg, themes[i]->role[role].bg) >= needed);
        }
}

static void maps_rise_in_brightness(void **state)
{
    (void)state;
    for (int m = 0; colormaps[m]; m++) {
        double last = -1;
        for (int i = 0; i < HEAT_LEVELS && !colormaps[m]->diverging; i++) {
            double l = relative_luminance(colormap_rgb(colormaps[m], i / (HEAT_LEVELS - 1.0)));
            assert_true(l > last);
            last = l;
        }
    }
}

/* Zero is the middle: both signs leave it alike, and it is nearer to the background than either end. */
static void diverging_maps_are_centred(void **state)
{
    (void)state;
    for (int i = 0; themes[i]; i++) {
        const struct colormap *d = colormap_diverging(themes[i]);
        uint32_t background = themes[i]->role[ROLE_TEXT].bg;
        assert_true(d->diverging);
        for (int k = 0; k < 32; k++) {
            double below = relative_luminance(colormap_rgb(d, k / 63.0)), above = relative_luminance(colormap_rgb(d, 1 - k / 63.0));
            assert_true(fabs(below - above) < 0.12);
        }
        assert_true(contrast(colormap_rgb(d, 0.5), background) < 1.2);
        assert_true(contrast(colormap_rgb(d, 0), background) > 7);
        assert_true(contrast(colormap_rgb(d, 1), background) > 7);
    }
}

static void names_find_what_they_name(void **state)
{
    (void)state;
    enum color_depth depth;
    for (int i = 0; themes[i]; i++)
        assert_ptr_equal(theme_find(themes[i]->id), themes[i]);
    for (int i = 0; colormaps[i]; i++)
        assert_ptr_equal(colormap_find(colormaps[i]->id), colormaps[i]);
    static const char *const depths[] = {[DEPTH_MONO] = "mono", [DEPTH_16] = "16", [DEPTH_256] = "256", [DEPTH_TRUECOLOR] = "truecolor"};
    for (int i = 0; i < DEPTH_COUNT; i++) {
        assert_true(color_depth_from_name(depths[i], &depth));
        assert_int_equal(depth, i);
    }
    assert_null(theme_find("no"));
    assert_null(colormap_find(""));
    assert_false(color_depth_from_name("8", &depth));
}

/* As text. */

static void ansi_text_in_each_depth(void **state)
{
    (void)state;
    static const char *const expected[DEPTH_COUNT] = {
        "\033[0;1mab\033[0m\n",
        "\033[0;1;97;40mab\033[0m\n",
        "\033[0;1;38;5;255;48;5;233mab\033[0m\n",
        "\033[0;1;38;2;242;244;247;48;2;18;21;27mab\033[0m\n",
    };
    for (int depth = 0; depth < DEPTH_COUNT; depth++) {
        struct canvas *c = make(1, 2, (enum color_depth)depth, false);
        canvas_text(c, 0, 0, 2, "ab", ROLE_TITLE, ATTR_BOLD);
        char *text = canvas_to_text(c, true);
        assert_string_equal(text, expected[depth]);
        free(text);
        canvas_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overwriting_half_a_wide_character_blanks_the_other),
        cmocka_unit_test(a_wide_character_cut_by_an_edge_is_a_space),
        cmocka_unit_test(halves_never_part),
        cmocka_unit_test(text_is_cut_between_characters),
        cmocka_unit_test(text_from_files_is_harmless),
        cmocka_unit_test(nothing_is_drawn_outside),
        cmocka_unit_test(rules_carry_titles),
        cmocka_unit_test(text_on_a_popup_keeps_its_background),
        cmocka_unit_test(without_colours_a_selection_is_reversed),
        cmocka_unit_test(ascii_means_ascii),
        cmocka_unit_test(certain_means_of_one_width_everywhere),
        cmocka_unit_test(heat_carries_two_samples),
        cmocka_unit_test(colours_are_few),
        cmocka_unit_test(sixteen_colours_brighten_with_the_value),
        cmocka_unit_test(without_colours_a_ramp),
        cmocka_unit_test(absent_values_have_their_own_look),
        cmocka_unit_test(half_a_mask_shows_the_other_half),
        cmocka_unit_test(dots_are_braille),
        cmocka_unit_test(crossing_curves_keep_their_dots),
        cmocka_unit_test(dots_outside_are_left_out),
        cmocka_unit_test(bars_count_eighths),
        cmocka_unit_test(palette_of_256_is_the_nearest),
        cmocka_unit_test(sixteen_colours_keep_the_meaning_of_roles),
        cmocka_unit_test(themes_are_readable),
        cmocka_unit_test(maps_rise_in_brightness),
        cmocka_unit_test(diverging_maps_are_centred),
        cmocka_unit_test(names_find_what_they_name),
        cmocka_unit_test(ansi_text_in_each_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
