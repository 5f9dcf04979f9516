/* frame.c - from canvas to bytes.
 *
 * Each cell is first reduced to what this terminal can tell apart (struct drawn), then compared with what it shows, so that
 * two shades that fall on one palette entry cost nothing. The rest is a walk over the changed cells with the shortest
 * cursor movement and the fewest colour changes; a heatmap cell may be drawn in two ways, and the cheaper one is taken. */
#include "term/frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { NO_COLOR = -1, UNKNOWN_CELL = 0x7fffffff };

/* A cell as the terminal sees it. Colours are 0xRRGGBB, palette entries, or NO_COLOR (mono). */
struct drawn {
    uint32_t ch;                    /* UNKNOWN_CELL: whatever; 0: right half of a wide character */
    int32_t fg, bg;
    uint8_t attr;
};

struct frame {
    const struct codes *codes;
    int rows, cols;
    struct drawn *shown, *next;     /* rows x cols */
    bool valid;                     /* shown is what the terminal shows */
    bool cursor_known, cursor_shown;
    int y, x;                       /* where the terminal writes next; y < 0: unknown */
    struct drawn pen;               /* colours and attributes in force */
};

struct frame *frame_new(const struct codes *codes)
{
    struct frame *f = xcalloc(1, sizeof *f);
    f->codes = codes;
    return f;
}

void frame_free(struct frame *f)
{
    if (f) {
        free(f->shown);
        free(f->next);
    }
    free(f);
}

void frame_invalidate(struct frame *f)
{
    f->valid = false;
}

/* Reducing a cell. */

/* The Linux console's fonts have shades, half blocks and frames, but no braille, diagonals or eighths. */
static uint32_t console_glyph(uint32_t ch)
{
    bool missing = (ch >= 0x2800 && ch <= 0x28ff) || ch == 0x2571 || ch == 0x2572 || (ch >= 0x2581 && ch <= 0x2583) ||
                   (ch >= 0x2585 && ch <= 0x2587) || (ch >= 0x2589 && ch <= 0x258b) || (ch >= 0x258d && ch <= 0x258f);
    return missing ? glyph_ascii(ch) : ch;
}

/* For text that would vanish because its colour and its background's fall together. */
static int visible_on(int background, int on_dark)
{
    return background == 0 || background == 4 ? on_dark : 0;
}

/* Sixteen colours, or eight with bold and dim. */
static void reduce_to_16(const struct codes *codes, struct drawn *d)
{
    bool differ = d->fg != d->bg, heat = d->attr & ATTR_HEAT;
    int fg = color_to_16((uint32_t)d->fg), bg = color_to_16((uint32_t)d->bg);
    if (differ && fg == bg && !heat)
        fg = visible_on(bg, 8);
    if (!codes->bright) {
        if (fg >= 8 && !heat)
            d->attr |= fg == 8 ? ATTR_DIM : ATTR_BOLD;
        fg = fg == 8 ? 7 : fg & 7;
        bg = bg == 8 ? 0 : bg & 7;
    }
    d->fg = differ && fg == bg && !heat ? visible_on(bg, 7) : fg;
    d->bg = bg;
}

static struct drawn reduce(const struct codes *codes, const struct cell *cell)
{
    if (codes->depth == DEPTH_MONO)
        return (struct drawn){cell->ch, NO_COLOR, NO_COLOR, cell->attr & ~ATTR_HEAT};
    uint32_t fg, bg;
    cell_colors(cell, &fg, &bg);
    struct drawn d = {cell->ch, (int32_t)fg, (int32_t)bg, cell->attr & (ATTR_BOLD | ATTR_UNDERLINE | ATTR_HEAT)};
    if (codes->console_font)
        d.ch = console_glyph(d.ch);
    if (codes->depth == DEPTH_16)
        reduce_to_16(codes, &d);
    if (codes->depth == DEPTH_256) {
        d.fg = color_to_256(fg);
        d.bg = color_to_256(bg);
    }
    d.attr &= (uint8_t)~codes->not_with_color;
    if ((d.ch == ' ' && !(d.attr & ATTR_UNDERLINE)) || (d.ch == 0x2580 && d.fg == d.bg)) {
        d.ch = ' ';                 /* a blank shows its background alone */
        d.fg = d.bg;
        d.attr = 0;
    }
    return d;
}

static bool same(const struct drawn *a, const struct drawn *b)
{
    return a->ch == b->ch && a->fg == b->fg && a->bg == b->bg && a->attr == b->attr;
}

/* Writing. */

static void put_code(struct buf *out, const char *code)
{
    if (code)
        buf_text(out, code);
}

static void move(struct frame *f, struct buf *out, int y, int x)
{
    if (f->y == y && f->x == x)
        return;
    if (!f->codes->ansi) {
        f->codes->move(out, y, x);
    } else if (f->y == y && f->x < x) {
        buf_text(out, "\033[");
        if (x - f->x > 1)
            buf_number(out, (unsigned)(x - f->x));
        buf_text(out, "C");
    } else {
        buf_text(out, "\033[");
        buf_number(out, (unsigned)y + 1);
        if (x > 0) {
            buf_text(out, ";");
            buf_number(out, (unsigned)x + 1);
        }
        buf_text(out, "H");
    }
    f->y = y;
    f->x = x;
}

static void put_color(struct buf *out, enum color_depth depth, bool back, int32_t color)
{
    buf_text(out, back ? "48;" : "38;");
    if (depth == DEPTH_256) {
        buf_text(out, "5;");
        buf_number(out, (unsigned)color);
        return;
    }
    buf_text(out, "2;");
    buf_number(out, (unsigned)color >> 16);
    buf_text(out, ";");
    buf_number(out, (unsigned)color >> 8 & 0xff);
    buf_text(out, ";");
    buf_number(out, (unsigned)color & 0xff);
}

static void set_colors(struct frame *f, struct buf *out, bool fore, bool back, const struct drawn *d)
{
    enum color_depth depth = f->codes->depth;
    if (depth == DEPTH_16) {
        if (fore)
            put_code(out, f->codes->fore[d->fg]);
        if (back)
            put_code(out, f->codes->back[d->bg]);
    } else if (fore || back) {
        buf_text(out, "\033[");
        if (fore)
            put_color(out, depth, false, d->fg);
        if (fore && back)
            buf_text(out, ";");
        if (back)
            put_color(out, depth, true, d->bg);
        buf_text(out, "m");
    }
}

static void set_attributes(struct frame *f, struct buf *out, int attr)
{
    const struct codes *codes = f->codes;
    if (f->pen.attr & ~attr) {
        put_code(out, codes->plain);
        f->pen = (struct drawn){.fg = NO_COLOR, .bg = NO_COLOR};
    }
    int new = attr & ~f->pen.attr;
    if (new & ATTR_BOLD)
        put_code(out, codes->bold);
    if (new & ATTR_DIM)
        put_code(out, codes->dim);
    if (new & ATTR_UNDERLINE)
        put_code(out, codes->underline);
    if (new & ATTR_REVERSE)
        put_code(out, codes->reverse);
    f->pen.attr = (uint8_t)attr;
}

/* fore: the glyph shows its foreground. */
static void set_pen(struct frame *f, struct buf *out, const struct drawn *d, bool fore)
{
    set_attributes(f, out, d->attr & ~ATTR_HEAT);
    if (f->codes->depth == DEPTH_MONO)
        return;
    bool new_fore = fore && d->fg != f->pen.fg, new_back = d->bg != f->pen.bg;
    set_colors(f, out, new_fore, new_back, d);
    if (new_fore)
        f->pen.fg = d->fg;
    if (new_back)
        f->pen.bg = d->bg;
}

/* Upper half block, or lower half block in exchanged colours: the one that needs fewer changes. */
static struct drawn cheaper_half(const struct frame *f, struct drawn d)
{
    int as_is = (d.fg != f->pen.fg) + (d.bg != f->pen.bg), exchanged = (d.bg != f->pen.fg) + (d.fg != f->pen.bg);
    return exchanged < as_is ? (struct drawn){0x2584, d.bg, d.fg, d.attr} : d;
}

static void put_drawn(struct frame *f, struct buf *out, struct drawn d)
{
    if (d.ch == 0x2580 && d.attr & ATTR_HEAT)
        d = cheaper_half(f, d);
    bool blank = d.ch == ' ' && !((d.attr | f->pen.attr) & (ATTR_UNDERLINE | ATTR_REVERSE));
    if (blank)
        d.attr = f->pen.attr;       /* bold or not, it looks the same */
    set_pen(f, out, &d, !blank);
    buf_utf8(out, d.ch);
}

static void compose_row(struct frame *f, struct buf *out, int y)
{
    const struct drawn *next = f->next + (size_t)y * (size_t)f->cols, *shown = f->shown + (size_t)y * (size_t)f->cols;
    int end = f->codes->scrolls_at_end && y == f->rows - 1 ? f->cols - 1 : f->cols;
    for (int x = 0, width; x < end; x += width) {
        width = x + 1 < f->cols && next[x + 1].ch == 0 ? 2 : 1;
        if (same(&next[x], &shown[x]) && (width == 1 || same(&next[x + 1], &shown[x + 1])))
            continue;
        move(f, out, y, x);
        put_drawn(f, out, next[x]);
        f->x += width;
        if (f->x >= f->cols)
            f->y = -1;              /* terminals differ in where the cursor stays behind the last column */
    }
}

/* Reduces the canvas to f->next; beyond its edges the terminal stays blank. */
static void reduce_canvas(struct frame *f, const struct canvas *c)
{
    struct cell blank = {.ch = ' ', .fg = c->theme->role[ROLE_TEXT].fg, .bg = c->theme->role[ROLE_TEXT].bg, .width = 1};
    struct drawn space = reduce(f->codes, &blank);
    for (int y = 0; y < f->rows; y++)
        for (int x = 0; x < f->cols; x++) {
            bool inside = y < c->rows && x < c->cols;
            const struct cell *cell = inside ? &c->cell[(size_t)y * (size_t)c->cols + (size_t)x] : &blank;
            bool cut = cell->width == 2 && x == f->cols - 1;
            f->next[(size_t)y * (size_t)f->cols + (size_t)x] = cut ? space : reduce(f->codes, cell);
        }
}

/* Blanks the screen, in the theme's background where the terminal does that. */
static void clear(struct frame *f, struct buf *out, const struct theme *theme)
{
    const struct codes *codes = f->codes;
    struct cell blank = {.ch = ' ', .fg = theme->role[ROLE_TEXT].fg, .bg = theme->role[ROLE_TEXT].bg, .width = 1};
    struct drawn space = reduce(codes, &blank);
    put_code(out, codes->plain);
    f->pen = (struct drawn){.fg = NO_COLOR, .bg = NO_COLOR};
    if (codes->clears_in_color)
        set_pen(f, out, &space, false);
    put_code(out, codes->clear);
    if (codes->depth != DEPTH_MONO && !codes->clears_in_color)
        space.ch = UNKNOWN_CELL;
    for (size_t i = 0; i < (size_t)f->rows * (size_t)f->cols; i++)
        f->shown[i] = space;
    f->y = -1;
    f->cursor_known = false;
    f->valid = true;
}

static void resize(struct frame *f, int rows, int cols)
{
    if (f->rows == rows && f->cols == cols)
        return;
    f->rows = rows;
    f->cols = cols;
    f->shown = xreallocarray(f->shown, (size_t)rows * (size_t)cols, sizeof *f->shown);
    f->next = xreallocarray(f->next, (size_t)rows * (size_t)cols, sizeof *f->next);
    f->valid = false;
}

static void place_cursor(struct frame *f, struct buf *out, int y, int x)
{
    bool show = y >= 0 && y < f->rows && x >= 0 && x < f->cols;
    if (show)
        move(f, out, y, x);
    if (!f->cursor_known || show != f->cursor_shown)
        put_code(out, show ? f->codes->show_cursor : f->codes->hide_cursor);
    f->cursor_known = true;
    f->cursor_shown = show;
}

void frame_compose(struct frame *f, struct buf *out, const struct canvas *c, int rows, int cols, int cursor_y, int cursor_x)
{
    static const char begin[] = "\033[?2026h", end[] = "\033[?2026l";
    bool marks = f->codes->synchronized, cursor_shown = f->cursor_known && f->cursor_shown;
    size_t start = out->n;
    resize(f, rows, cols);
    reduce_canvas(f, c);
    if (marks)
        buf_text(out, begin);
    if (cursor_shown)
        put_code(out, f->codes->hide_cursor);
    size_t before = out->n;
    if (!f->valid)
        clear(f, out, c->theme);
    for (int y = 0; y < rows; y++)
        compose_row(f, out, y);
    bool changed = out->n > before;
    f->cursor_shown = cursor_shown && !changed;
    if (!changed)
        out->n = start;
    place_cursor(f, out, cursor_y, cursor_x);
    if (marks && changed)
        buf_text(out, end);
    struct drawn *swap = f->shown;
    f->shown = f->next;
    f->next = swap;
}
