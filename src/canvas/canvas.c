#include "canvas/canvas.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"

/* Cells. The rule that everything here keeps: a cell of width 2 is followed by one of width 0, and no cell of
 * width 0 stands anywhere else. */

static struct cell *cell_at(const struct canvas *c, int y, int x)
{
    return y >= 0 && y < c->rows && x >= 0 && x < c->cols ? &c->cell[(size_t)y * (size_t)c->cols + (size_t)x] : NULL;
}

struct canvas *canvas_new(int rows, int cols, const struct theme *theme, enum color_depth depth, bool ascii)
{
    assert(rows > 0 && cols > 0);
    struct canvas *c = xmalloc(sizeof *c);
    *c = (struct canvas){.rows = rows, .cols = cols, .theme = theme, .depth = depth, .ascii = ascii};
    c->cell = xcalloc((size_t)rows * (size_t)cols, sizeof *c->cell);
    canvas_clear(c);
    return c;
}

struct canvas *canvas_copy(const struct canvas *c)
{
    size_t n = (size_t)c->rows * (size_t)c->cols;
    struct canvas *copy = xmalloc(sizeof *copy);
    *copy = *c;
    copy->cell = xreallocarray(NULL, n, sizeof *copy->cell);
    memcpy(copy->cell, c->cell, n * sizeof *copy->cell);
    return copy;
}

void canvas_free(struct canvas *c)
{
    if (c)
        free(c->cell);
    free(c);
}

void canvas_clear(struct canvas *c)
{
    struct cell blank = {.ch = ' ', .fg = c->theme->role[ROLE_TEXT].fg, .bg = c->theme->role[ROLE_TEXT].bg, .width = 1};
    for (size_t i = 0; i < (size_t)c->rows * (size_t)c->cols; i++)
        c->cell[i] = blank;
}

/* Where colours cannot carry a role, brightness and inversion do. */
static const int mono_attr[ROLE_COUNT] = {
    [ROLE_DIM] = ATTR_DIM, [ROLE_TITLE] = ATTR_BOLD, [ROLE_ACCENT] = ATTR_BOLD, [ROLE_SELECTED] = ATTR_REVERSE,
    [ROLE_WARNING] = ATTR_BOLD, [ROLE_ERROR] = ATTR_BOLD | ATTR_UNDERLINE, [ROLE_MASKED] = ATTR_DIM,
};

/* Blanks the other half of a wide character that is about to lose this half. */
static void split_wide(struct canvas *c, int y, int x)
{
    struct cell *cell = cell_at(c, y, x);
    if (cell && cell->width != 1) {
        struct cell *other = cell_at(c, y, cell->width == 2 ? x + 1 : x - 1);
        other->ch = ' ';
        other->width = 1;
    }
}

/* Writes one cell, and the right half behind a wide one. */
static void set_cell(struct canvas *c, int y, int x, struct cell cell)
{
    split_wide(c, y, x);
    if (cell.width == 2) {
        split_wide(c, y, x + 1);
        *cell_at(c, y, x + 1) = (struct cell){.fg = cell.fg, .bg = cell.bg, .attr = cell.attr};
    }
    *cell_at(c, y, x) = cell;
}

/* Must be drawn as its ASCII look. */
static bool only_ascii(const struct canvas *c, uint32_t ch)
{
    return c->ascii && (!c->certain || utf8_is_ambiguous(ch));
}

/* A role on the plain background keeps the background that it is written on (a popup's, the bar of a selection). */
static void put_on(struct canvas *c, int y, int x, uint32_t ch, enum role role, int attr, bool own_background)
{
    int width = utf8_char_width(ch);
    if (only_ascii(c, ch)) {
        ch = glyph_ascii(ch);
        if (width == 2) {           /* takes its two cells all the same */
            put_on(c, y, x + 1, ch, role, attr, own_background);
            width = 1;
        }
    }
    if (width == 0)
        return;
    if (width == 2 && (!cell_at(c, y, x) || !cell_at(c, y, x + 1))) {
        x = cell_at(c, y, x) ? x : x + 1;
        ch = ' ';
        width = 1;
    }
    const struct cell *old = cell_at(c, y, x);
    if (!old)
        return;
    uint32_t plain = c->theme->role[ROLE_TEXT].bg, bg = c->theme->role[role].bg;
    if (c->depth == DEPTH_MONO)
        attr |= mono_attr[role];
    set_cell(c, y, x, (struct cell){.ch = ch, .fg = c->theme->role[role].fg, .bg = bg == plain && !own_background ? old->bg : bg,
                                    .attr = (uint8_t)attr, .width = (uint8_t)width});
}

void canvas_put(struct canvas *c, int y, int x, uint32_t ch, enum role role, int attr)
{
    put_on(c, y, x, ch, role, attr, false);
}

void canvas_fill(struct canvas *c, struct rect r, uint32_t ch, enum role role, int attr)
{
    int bottom = r.y + r.rows < c->rows ? r.y + r.rows : c->rows, right = r.x + r.cols < c->cols ? r.x + r.cols : c->cols;
    for (int y = r.y < 0 ? 0 : r.y; y < bottom; y++)
        for (int x = r.x < 0 ? 0 : r.x; x < right; x++)
            put_on(c, y, x, ch, role, attr, true);
}

/* Text. */

enum { TEXT_MAX = 4096 };

static int put_text(struct canvas *c, int y, int x, const char *text, enum role role, int attr)
{
    int start = x;
    for (uint32_t ch; (ch = utf8_next(&text)); x += utf8_char_width(ch))
        canvas_put(c, y, x, ch, role, attr);
    return x - start;
}

int canvas_text(struct canvas *c, int y, int x, int cells, const char *text, enum role role, int attr)
{
    char clean[TEXT_MAX];
    utf8_sanitise(clean, sizeof clean, text);
    if (cells <= 0)
        return 0;
    if (utf8_width(clean) <= cells)
        return put_text(c, y, x, clean, role, attr);
    clean[utf8_fit(clean, cells - 1)] = '\0';
    int used = put_text(c, y, x, clean, role, attr);
    canvas_put(c, y, x + used, 0x2026, role, attr);
    return used + 1;
}

int canvas_textf(struct canvas *c, int y, int x, int cells, enum role role, int attr, const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return canvas_text(c, y, x, cells, text, role, attr);
}

void canvas_text_right(struct canvas *c, int y, int x, int cells, const char *text, enum role role, int attr)
{
    int width = utf8_width(text);
    canvas_text(c, y, x + (width < cells ? cells - width : 0), cells, text, role, attr);
}

void canvas_rule(struct canvas *c, int y, int x, int cells, const char *title, enum role role)
{
    for (int i = 0; i < cells; i++)
        canvas_put(c, y, x + i, 0x2500, ROLE_DIM, 0);
    if (!title || !*title || cells < 5)
        return;
    canvas_put(c, y, x + 1, ' ', ROLE_DIM, 0);
    int used = canvas_text(c, y, x + 2, cells - 4, title, role, 0);
    canvas_put(c, y, x + 2 + used, ' ', ROLE_DIM, 0);
}

/* The ASCII look of what the program draws; one letter for what has none. */
static const struct { uint32_t from, to; char ascii; } ascii_look[] = {
    {0x00b0, 0x00b0, 'o'}, {0x00b1, 0x00b1, '+'}, {0x00b5, 0x00b5, 'u'}, {0x00b7, 0x00b7, '.'}, {0x00d7, 0x00d7, 'x'},
    {0x00f7, 0x00f7, '/'}, {0x03bb, 0x03bb, 'L'}, {0x03c0, 0x03c0, 'p'}, {0x03c9, 0x03c9, 'w'}, {0x2010, 0x2015, '-'}, {0x2018, 0x2019, '\''},
    {0x201c, 0x201d, '"'}, {0x2022, 0x2022, '*'}, {0x2026, 0x2026, '~'}, {0x2039, 0x2039, '<'}, {0x203a, 0x203a, '>'},
    {0x2190, 0x2190, '<'}, {0x2191, 0x2191, '^'}, {0x2192, 0x2192, '>'}, {0x2193, 0x2193, 'v'}, {0x2212, 0x2212, '-'},
    {0x2248, 0x2248, '~'}, {0x2260, 0x2260, '#'}, {0x2500, 0x2501, '-'}, {0x2502, 0x2503, '|'}, {0x2504, 0x2505, '-'},
    {0x2506, 0x2507, '|'}, {0x2508, 0x2509, '-'}, {0x250a, 0x250b, '|'}, {0x250c, 0x254b, '+'}, {0x2550, 0x2550, '='},
    {0x2551, 0x2551, '|'}, {0x2552, 0x256c, '+'}, {0x256d, 0x2570, '+'}, {0x2571, 0x2571, '/'}, {0x2572, 0x2572, '\\'},
    {0x2580, 0x2590, '#'}, {0x2591, 0x2591, '.'}, {0x2592, 0x2592, ':'}, {0x2593, 0x2593, '#'},
    {0x2594, 0x259f, '#'}, {0x25a0, 0x25a1, '#'}, {0x25b2, 0x25b3, '^'}, {0x25b6, 0x25b8, '>'}, {0x25bc, 0x25be, 'v'},
    {0x25c0, 0x25c2, '<'}, {0x25cb, 0x25cf, 'o'}, {0x2713, 0x2714, 'v'}, {0x2717, 0x2718, 'x'},
};

static char dots_ascii(unsigned bits)
{
    enum { UPPER = 0x1b, LOWER = 0xe4 };
    return bits & UPPER ? bits & LOWER ? ':' : '\'' : bits & LOWER ? '.' : ' ';
}

uint32_t glyph_ascii(uint32_t ch)
{
    if (ch < 0x7f)
        return ch;
    if (ch >= 0x2800 && ch <= 0x28ff)
        return (uint32_t)dots_ascii(ch & 0xff);
    for (size_t i = 0; i < sizeof ascii_look / sizeof *ascii_look; i++)
        if (ch >= ascii_look[i].from && ch <= ascii_look[i].to)
            return (uint32_t)ascii_look[i].ascii;
    return utf8_char_width(ch) ? '?' : ch;
}

/* Heatmaps. */

int canvas_heat_rows(const struct canvas *c)
{
    return c->depth >= DEPTH_256 && !c->ascii ? 2 : 1;
}

static double quantised(double t)
{
    return round(fmin(fmax(t, 0), 1) * (HEAT_LEVELS - 1)) / (HEAT_LEVELS - 1);
}

static bool has_value(double t)
{
    return !isnan(t) && t != -INFINITY;
}

static uint32_t heat_rgb(const struct theme *theme, const struct colormap *map, double t)
{
    if (has_value(t))
        return colormap_rgb(map, quantised(t));
    return theme->role[isnan(t) ? ROLE_NAN : ROLE_MASKED].bg;
}

/* A cell without any value: hatched if masked, marked if there is none. No colour map has such a look. */
static void put_absent(struct canvas *c, int y, int x, double t)
{
    if (isnan(t))
        canvas_put(c, y, x, c->depth >= DEPTH_256 ? 'x' : '?', ROLE_NAN, 0);
    else
        canvas_put(c, y, x, 0x2571, ROLE_MASKED, 0);
}

static struct cell half_blocks(uint32_t top, uint32_t bottom)
{
    if (top == bottom)
        return (struct cell){.ch = ' ', .fg = top, .bg = top, .attr = ATTR_HEAT, .width = 1};
    return (struct cell){.ch = 0x2580, .fg = top, .bg = bottom, .attr = ATTR_HEAT, .width = 1};
}

static const char mono_ramp[] = " .:-=+*#%@";

static char ramp_glyph(double t)
{
    return mono_ramp[lround(fmin(fmax(t, 0), 1) * (sizeof mono_ramp - 2))];
}

/* Sixteen colours: from one of the map's ANSI colours to the next in quarters. */
static struct cell shades(const struct colormap *map, double t, bool ascii)
{
    static const uint32_t shade[] = {' ', 0x2591, 0x2592, 0x2593};
    long steps = 4 * ((long)map->n_ansi - 1), k = lround(fmin(fmax(t, 0), 1) * (double)steps);
    long from = k / 4 < (long)map->n_ansi - 1 ? k / 4 : (long)map->n_ansi - 2, part = k - 4 * from;
    uint32_t under = color_from_16(map->ansi[from]), over = color_from_16(map->ansi[from + 1]);
    struct cell cell = {.ch = part == 4 ? ' ' : shade[part], .fg = over, .bg = part == 4 ? over : under,
                        .attr = ATTR_HEAT, .width = 1};
    if (ascii)
        cell = (struct cell){.ch = (uint32_t)ramp_glyph(t), .fg = part >= 2 ? over : under, .bg = color_from_16(0),
                             .attr = ATTR_HEAT, .width = 1};
    return cell;
}

void canvas_heat(struct canvas *c, int y, int x, const struct colormap *map, double top, double bottom)
{
    if (!cell_at(c, y, x))
        return;
    if (!has_value(top) && !has_value(bottom)) {
        put_absent(c, y, x, isnan(top) ? top : bottom);
        return;
    }
    double mean = !has_value(top) ? bottom : !has_value(bottom) ? top : (top + bottom) / 2;
    struct cell cell;
    if (c->depth == DEPTH_MONO)
        cell = (struct cell){.ch = (uint32_t)ramp_glyph(mean), .fg = c->theme->role[ROLE_TEXT].fg,
                             .bg = c->theme->role[ROLE_TEXT].bg, .attr = ATTR_HEAT, .width = 1};
    else if (c->depth == DEPTH_16)
        cell = shades(map, mean, c->ascii);
    else if (c->ascii)
        cell = half_blocks(heat_rgb(c->theme, map, mean), heat_rgb(c->theme, map, mean));
    else
        cell = half_blocks(heat_rgb(c->theme, map, top), heat_rgb(c->theme, map, bottom));
    set_cell(c, y, x, cell);
}

/* Dots: a bit of the braille pattern for each of the 4 x 2 dots of a cell. */

struct dots {
    int rows, cols;
    uint8_t *bits;
};

struct dots *dots_new(int rows, int cols)
{
    struct dots *d = xmalloc(sizeof *d);
    *d = (struct dots){.rows = rows > 0 ? rows : 0, .cols = cols > 0 ? cols : 0};
    d->bits = xcalloc((size_t)d->rows * (size_t)d->cols + 1, 1);
    return d;
}

void dots_free(struct dots *d)
{
    if (d)
        free(d->bits);
    free(d);
}

void dots_set(struct dots *d, int y, int x)
{
    static const uint8_t bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (y >= 0 && y < 4 * d->rows && x >= 0 && x < 2 * d->cols)
        d->bits[y / 4 * d->cols + x / 2] |= bit[y % 4][x % 2];
}

/* Where another curve has dots already, both stay and the cell takes the later colour. */
static void draw_dots_cell(struct canvas *c, int y, int x, unsigned bits, uint32_t color)
{
    const struct cell *old = cell_at(c, y, x);
    if (!bits || !old)
        return;
    if (old->ch >= 0x2800 && old->ch <= 0x28ff)
        bits |= old->ch & 0xff;
    uint32_t ch = only_ascii(c, 0x2800) ? (uint32_t)dots_ascii(bits) : 0x2800 + bits;
    set_cell(c, y, x, (struct cell){.ch = ch, .fg = color, .bg = old->bg, .width = 1});
}

void dots_draw(const struct dots *d, struct canvas *c, int y, int x, uint32_t color)
{
    for (int i = 0; i < d->rows; i++)
        for (int j = 0; j < d->cols; j++)
            draw_dots_cell(c, y + i, x + j, d->bits[i * d->cols + j], color);
}

void canvas_bar(struct canvas *c, int y, int x, int cells, double length, uint32_t color)
{
    if (isnan(length))
        return;
    int eighths = (int)lround(8 * fmin(fmax(length, 0), cells));
    for (int i = 0; i < cells && eighths > 0; i++, eighths -= 8) {
        const struct cell *old = cell_at(c, y, x + i);
        uint32_t ch = c->ascii ? (eighths >= 4 ? '#' : ' ') : eighths >= 8 ? 0x2588 : 0x2590 - (uint32_t)eighths;
        if (old)
            set_cell(c, y, x + i, (struct cell){.ch = ch, .fg = color, .bg = old->bg, .width = 1});
    }
}

/* Text form. */

void cell_colors(const struct cell *cell, uint32_t *fg, uint32_t *bg)
{
    *fg = cell->attr & ATTR_DIM ? color_mix(cell->fg, cell->bg, 0.4) : cell->fg;
    *bg = cell->bg;
    if (cell->attr & ATTR_REVERSE) {
        uint32_t swap = *fg;
        *fg = *bg;
        *bg = swap;
    }
}

static void sgr_color(struct buf *b, enum color_depth depth, bool back, uint32_t rgb)
{
    char sgr[32] = "";
    int k = back ? 10 : 0;
    if (depth == DEPTH_TRUECOLOR)
        snprintf(sgr, sizeof sgr, ";%d;2;%u;%u;%u", 38 + k, rgb >> 16 & 0xffu, rgb >> 8 & 0xffu, rgb & 0xffu);
    else if (depth == DEPTH_256)
        snprintf(sgr, sizeof sgr, ";%d;5;%d", 38 + k, color_to_256(rgb));
    else if (depth == DEPTH_16) {
        int index = color_to_16(rgb);
        snprintf(sgr, sizeof sgr, ";%d", (index < 8 ? 30 + index : 82 + index) + k);
    }
    buf_text(b, sgr);
}

static void sgr(struct buf *b, enum color_depth depth, const struct cell *cell)
{
    uint32_t fg, bg;
    cell_colors(cell, &fg, &bg);
    buf_text(b, "\033[0");
    if (cell->attr & ATTR_BOLD)
        buf_text(b, ";1");
    if (cell->attr & ATTR_UNDERLINE)
        buf_text(b, ";4");
    if (depth == DEPTH_MONO && cell->attr & ATTR_DIM)
        buf_text(b, ";2");
    if (depth == DEPTH_MONO && cell->attr & ATTR_REVERSE)
        buf_text(b, ";7");
    sgr_color(b, depth, false, fg);
    sgr_color(b, depth, true, bg);
    buf_text(b, "m");
}

static bool same_look(const struct cell *a, const struct cell *b)
{
    return a && a->fg == b->fg && a->bg == b->bg && ((a->attr ^ b->attr) & ~ATTR_HEAT) == 0;
}

char *canvas_to_text(const struct canvas *c, bool ansi)
{
    struct buf b = {0};
    for (int y = 0; y < c->rows; y++) {
        const struct cell *row = cell_at(c, y, 0), *last = NULL;
        size_t kept = b.n;
        for (int x = 0; x < c->cols; x++) {
            if (row[x].width == 0)
                continue;
            if (ansi && !same_look(last, &row[x]))
                sgr(&b, c->depth, &row[x]);
            last = &row[x];
            buf_utf8(&b, row[x].ch);
            if (ansi || row[x].ch != ' ')
                kept = b.n;
        }
        b.n = kept;
        buf_text(&b, ansi ? "\033[0m\n" : "\n");
    }
    return buf_string(&b);
}
