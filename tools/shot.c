/* shot - a picture of what a program shows in a terminal: the real program in a virtual terminal, drawn with cairo and pango.
 *
 *   shot [-o OUT.png] [-t OUT.txt] [-c OUT.cells] [-s COLSxROWS] [-k KEYS] [-e NAME=VALUE]... [-x SCALE] -- COMMAND [ARGUMENT]...
 *
 * KEYS are separated by spaces: names as in vt.h, click@ROW,COL and move@ROW,COL; any other word is typed. The program must
 * answer pings (--test-sync), or end. The text and the cells (row column glyph foreground background attributes, one a line) are
 * for comparing, since fonts differ between machines.
 *
 * Blocks, lines and braille are drawn as geometry, so that cells meet without seams; everything else is a glyph, squeezed into
 * its cells where a font's is wider. Backgrounds first, then glyphs, since a glyph may reach into its neighbour. */
#include <pango/pangocairo.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "vt.h"

enum { MAX_ENV = 32 };

struct options {
    const char *png, *text, *cells;
    char *keys;
    const char *env[MAX_ENV + 1];
    int n_env, rows, cols, scale;
    char **command;
};

struct pen {
    cairo_t *cairo;
    PangoLayout *layout;
    PangoFontDescription *font;
    int w, h, baseline;             /* a cell in pixels */
};

static const uint32_t default_fg = 0xd5d9e0, default_bg = 0x12151b;

static void set_rgb(cairo_t *cairo, uint32_t rgb)
{
    cairo_set_source_rgb(cairo, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0);
}

static void colors(const struct vt_cell *cell, uint32_t *fg, uint32_t *bg)
{
    *fg = cell->fg == VT_DEFAULT ? default_fg : (uint32_t)cell->fg;
    *bg = cell->bg == VT_DEFAULT ? default_bg : (uint32_t)cell->bg;
    if (cell->reverse) {
        uint32_t swap = *fg;
        *fg = *bg;
        *bg = swap;
    }
}

/* Geometry. All of these draw into the cell whose corner is at x, y. */

static void box(const struct pen *p, double x, double y, double w, double h)
{
    cairo_rectangle(p->cairo, x, y, w, h);
    cairo_fill(p->cairo);
}

static double eighth(int size, int n)
{
    return (double)((size * n + 4) / 8);
}

static void block(const struct pen *p, uint32_t ch, double x, double y)
{
    static const uint8_t quadrants[] = {4, 8, 1, 13, 9, 7, 11, 2, 6, 14};   /* U+2596..259F; 1, 2 above, 4, 8 below */
    int w = p->w, h = p->h;
    if (ch == 0x2580) {
        box(p, x, y, w, h / 2);
    } else if (ch <= 0x2588) {
        double part = eighth(h, (int)ch - 0x2580);
        box(p, x, y + h - part, w, part);
    } else if (ch <= 0x258f) {
        box(p, x, y, eighth(w, 0x2590 - (int)ch), h);
    } else if (ch == 0x2590) {
        box(p, x + eighth(w, 4), y, w - eighth(w, 4), h);
    } else if (ch <= 0x2593) {
        cairo_push_group(p->cairo);
        box(p, x, y, w, h);
        cairo_pop_group_to_source(p->cairo);
        cairo_paint_with_alpha(p->cairo, 0.25 * (ch - 0x2590));
    } else if (ch == 0x2594) {
        box(p, x, y, w, eighth(h, 1));
    } else if (ch == 0x2595) {
        box(p, x + w - eighth(w, 1), y, eighth(w, 1), h);
    } else {
        for (int i = 0; i < 4; i++)
            if (quadrants[ch - 0x2596] >> i & 1)
                box(p, x + (i & 1) * (w / 2), y + (i / 2) * (h / 2), i & 1 ? w - w / 2 : w / 2, h / 2);
    }
}

static void braille(const struct pen *p, uint32_t ch, double x, double y)
{
    static const uint8_t place[8][2] = {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {2, 1}, {3, 0}, {3, 1}};
    double radius = p->w / 6.0;
    for (int i = 0; i < 8; i++)
        if (ch >> i & 1) {
            cairo_arc(p->cairo, x + p->w * (0.25 + 0.5 * place[i][1]), y + p->h * (0.125 + 0.25 * place[i][0]), radius, 0, 7);
            cairo_fill(p->cairo);
        }
}

/* Lines of the frame, by the arms that leave the middle: left 1, right 2, up 4, down 8; 16 heavy. */
static int arms(uint32_t ch)
{
    static const struct { uint32_t ch; int arms; } lines[] = {
        {0x2500, 3}, {0x2501, 3 + 16}, {0x2502, 12}, {0x2503, 12 + 16}, {0x250c, 10}, {0x2510, 9}, {0x2514, 6}, {0x2518, 5},
        {0x251c, 14}, {0x2524, 13}, {0x252c, 11}, {0x2534, 7}, {0x253c, 15}, {0x2574, 1}, {0x2575, 4}, {0x2576, 2}, {0x2577, 8},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (lines[i].ch == ch)
            return lines[i].arms;
    return 0;
}

static void frame_line(const struct pen *p, int arm, double x, double y)
{
    int thick = (p->w + 8) / 10 * (arm & 16 ? 2 : 1), left = (p->w - thick) / 2, top = (p->h - thick) / 2;
    if (arm & 1)
        box(p, x, y + top, left + thick, thick);
    if (arm & 2)
        box(p, x + left, y + top, p->w - left, thick);
    if (arm & 4)
        box(p, x + left, y, thick, top + thick);
    if (arm & 8)
        box(p, x + left, y + top, thick, p->h - top);
}

/* U+256D..2570 rounded corners, U+2571..2573 diagonals. */
static void curve(const struct pen *p, uint32_t ch, double x, double y)
{
    double cx = x + p->w / 2.0, cy = y + p->h / 2.0, r = p->w / 2.0;
    cairo_set_line_width(p->cairo, (p->w + 8) / 10);
    if (ch >= 0x2571) {
        if (ch != 0x2572) {
            cairo_move_to(p->cairo, x, y + p->h);
            cairo_line_to(p->cairo, x + p->w, y);
        }
        if (ch != 0x2571) {
            cairo_move_to(p->cairo, x, y);
            cairo_line_to(p->cairo, x + p->w, y + p->h);
        }
    } else {
        double side = ch == 0x256d || ch == 0x2570 ? 1 : -1, down = ch <= 0x256e ? 1 : -1;
        cairo_move_to(p->cairo, cx + side * p->w / 2.0, cy);
        cairo_curve_to(p->cairo, cx + side * r * 0.3, cy, cx, cy + down * r * 0.3, cx, cy + down * r);
        cairo_line_to(p->cairo, cx, cy + down * p->h / 2.0);
    }
    cairo_stroke(p->cairo);
}

/* Glyphs. */

static void glyph(struct pen *p, const struct vt_cell *cell, double x, double y)
{
    char text[5];
    PangoRectangle logical;
    double room = p->w * cell->width;
    utf8_encode(cell->ch, text);
    pango_font_description_set_weight(p->font, cell->bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    pango_layout_set_font_description(p->layout, p->font);
    pango_layout_set_text(p->layout, text, -1);
    pango_layout_get_pixel_extents(p->layout, NULL, &logical);
    double squeeze = logical.width > room ? room / logical.width : 1;
    int baseline = PANGO_PIXELS(pango_layout_get_baseline(p->layout));
    cairo_save(p->cairo);
    cairo_rectangle(p->cairo, x, y, room, p->h);
    cairo_clip(p->cairo);
    cairo_translate(p->cairo, x + (room - squeeze * logical.width) / 2, y + p->baseline - baseline);
    cairo_scale(p->cairo, squeeze, 1);
    pango_cairo_show_layout(p->cairo, p->layout);
    cairo_restore(p->cairo);
}

static void draw_cell(struct pen *p, const struct vt_cell *cell, double x, double y)
{
    uint32_t fg, bg, ch = cell->ch;
    colors(cell, &fg, &bg);
    set_rgb(p->cairo, fg);
    if (cell->underline)
        box(p, x, y + p->baseline + 2, p->w * cell->width, 1);
    if (ch == ' ')
        return;
    if (ch >= 0x2580 && ch <= 0x259f)
        block(p, ch, x, y);
    else if (ch >= 0x2800 && ch <= 0x28ff)
        braille(p, ch, x, y);
    else if (ch >= 0x256d && ch <= 0x2573)
        curve(p, ch, x, y);
    else if (arms(ch))
        frame_line(p, arms(ch), x, y);
    else
        glyph(p, cell, x, y);
}

static void open_font(struct pen *p, int scale)
{
    p->font = pango_font_description_from_string("DejaVu Sans Mono, Noto Sans Mono CJK SC 10.5");
    pango_font_description_set_size(p->font, (int)(10.5 * scale * PANGO_SCALE));
    PangoContext *context = pango_layout_get_context(p->layout);
    pango_context_set_language(context, pango_language_from_string("zh-cn"));
    PangoFontMetrics *m = pango_context_get_metrics(context, p->font, pango_language_from_string("en"));
    int height = PANGO_PIXELS_CEIL(pango_font_metrics_get_ascent(m) + pango_font_metrics_get_descent(m));
    p->w = PANGO_PIXELS(pango_font_metrics_get_approximate_char_width(m));
    p->h = (height + 1) / 2 * 2;    /* even, so that half blocks are halves */
    p->baseline = PANGO_PIXELS(pango_font_metrics_get_ascent(m));
    pango_font_metrics_unref(m);
}

static void draw_cursor(struct pen *p, const struct vt *vt, int margin)
{
    int y, x;
    if (!vt_cursor(vt, &y, &x))
        return;
    set_rgb(p->cairo, default_fg);
    box(p, margin + x * p->w, margin + (y + 1) * p->h - 2, p->w, 2);
}

static bool write_png(const struct vt *vt, const char *path, int scale)
{
    int rows, cols;
    vt_size(vt, &rows, &cols);
    cairo_surface_t *probe = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
    struct pen p = {.cairo = cairo_create(probe)};
    p.layout = pango_cairo_create_layout(p.cairo);
    open_font(&p, scale);
    g_object_unref(p.layout);
    cairo_destroy(p.cairo);
    cairo_surface_destroy(probe);

    int margin = p.w / 2;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, cols * p.w + 2 * margin, rows * p.h + 2 * margin);
    p.cairo = cairo_create(surface);
    p.layout = pango_cairo_create_layout(p.cairo);
    pango_context_set_language(pango_layout_get_context(p.layout), pango_language_from_string("zh-cn"));
    for (int pass = 0; pass < 2; pass++)
        for (int y = 0; y < rows; y++)
            for (int x = 0; x < cols; x++) {
                struct vt_cell cell = vt_cell(vt, y, x);
                uint32_t fg, bg;
                colors(&cell, &fg, &bg);
                if (pass == 0 && y == 0 && x == 0) {
                    set_rgb(p.cairo, bg);
                    cairo_paint(p.cairo);
                }
                set_rgb(p.cairo, bg);
                if (pass == 0)
                    box(&p, margin + x * p.w, margin + y * p.h, p.w, p.h);
                else if (cell.ch)
                    draw_cell(&p, &cell, margin + x * p.w, margin + y * p.h);
            }
    draw_cursor(&p, vt, margin);
    cairo_status_t status = cairo_surface_write_to_png(surface, path);
    g_object_unref(p.layout);
    pango_font_description_free(p.font);
    cairo_destroy(p.cairo);
    cairo_surface_destroy(surface);
    if (status != CAIRO_STATUS_SUCCESS)
        fprintf(stderr, "shot: %s: %s\n", path, cairo_status_to_string(status));
    return status == CAIRO_STATUS_SUCCESS;
}

/* Text and cells. */

static FILE *open_out(const char *path)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "w") : stdout;
    if (!f)
        perror(path);
    return f;
}

static void print_rows(struct vt *vt, FILE *f)
{
    int rows, cols;
    vt_size(vt, &rows, &cols);
    for (int y = 0; y < rows; y++)
        fprintf(f, "%s\n", vt_row(vt, y));
}

static bool write_text(struct vt *vt, const char *path)
{
    FILE *f = open_out(path);
    if (f)
        print_rows(vt, f);
    return f && (f == stdout ? fflush(f) : fclose(f)) == 0;
}

static bool write_cells(const struct vt *vt, const char *path)
{
    int rows, cols;
    FILE *f = open_out(path);
    vt_size(vt, &rows, &cols);
    for (int y = 0; f && y < rows; y++)
        for (int x = 0; x < cols; x++) {
            struct vt_cell c = vt_cell(vt, y, x);
            char glyph_text[5] = "";
            if (c.ch)
                utf8_encode(c.ch, glyph_text);
            uint32_t fg, bg;
            colors(&c, &fg, &bg);
            if (c.ch)
                fprintf(f, "%d %d %s %06x %06x %s%s%s\n", y, x, c.ch == ' ' ? "_" : glyph_text, (unsigned)fg, (unsigned)bg,
                        c.bold ? "b" : "", c.underline ? "u" : "", c.reverse ? "r" : "");
        }
    return f && (f == stdout ? fflush(f) : fclose(f)) == 0;
}

/* Driving. */

static void press(struct vt *vt, const char *word)
{
    int y, x;
    if (sscanf(word, "click@%d,%d", &y, &x) == 2) {
        vt_mouse_move(vt, y, x);
        vt_mouse_button(vt, 1, true);
        vt_mouse_button(vt, 1, false);
    } else if (sscanf(word, "move@%d,%d", &y, &x) == 2) {
        vt_mouse_move(vt, y, x);
    } else if (!vt_key(vt, word)) {
        vt_type(vt, word);
    }
}

/* Presses the keys one after the other, each when the one before has been answered. False if the program neither answers
 * nor ends well. */
static bool drive(struct vt *vt, char *keys)
{
    int status;
    bool alive = vt_settle(vt);
    for (char *word = strtok(keys, " "); word && alive; word = strtok(NULL, " ")) {
        press(vt, word);
        alive = vt_settle(vt);
    }
    return alive || (vt_wait_exit(vt, &status) && status == 0);
}

static bool parse(int argc, char **argv, struct options *o)
{
    static char no_keys[] = "";
    *o = (struct options){.keys = no_keys, .rows = 36, .cols = 120, .scale = 2};
    for (int c; (c = getopt(argc, argv, "+o:t:c:s:k:e:x:")) != -1;)
        switch (c) {
        case 'o': o->png = optarg; break;
        case 't': o->text = optarg; break;
        case 'c': o->cells = optarg; break;
        case 'k': o->keys = optarg; break;
        case 'x': o->scale = atoi(optarg); break;
        case 's':
            if (sscanf(optarg, "%dx%d", &o->cols, &o->rows) != 2)
                return false;
            break;
        case 'e':
            if (o->n_env == MAX_ENV)
                return false;
            o->env[o->n_env++] = optarg;
            break;
        default:
            return false;
        }
    o->command = argv + optind;
    return optind < argc && o->scale >= 1 && o->scale <= 8 && o->rows >= 1 && o->cols >= 1 && o->rows <= 1000 && o->cols <= 1000;
}

int main(int argc, char **argv)
{
    struct options o;
    if (!parse(argc, argv, &o)) {
        fputs("usage: shot [-o OUT.png] [-t OUT.txt] [-c OUT.cells] [-s COLSxROWS] [-k KEYS] [-e NAME=VALUE]... [-x SCALE] -- "
              "COMMAND [ARGUMENT]...\n", stderr);
        return 2;
    }
    struct vt *vt = vt_start(o.rows, o.cols, (const char *const *)o.command, o.env);
    bool ok = drive(vt, o.keys);
    if (!ok) {
        fprintf(stderr, "shot: %s does not answer, or failed:\n", o.command[0]);
        print_rows(vt, stderr);
    }
    ok = (!o.png || write_png(vt, o.png, o.scale)) && ok;
    ok = (!o.text || write_text(vt, o.text)) && ok;
    ok = (!o.cells || write_cells(vt, o.cells)) && ok;
    vt_stop(vt);
    return ok ? 0 : 1;
}
