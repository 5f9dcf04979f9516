/* page.c - words, lines and axes on the page. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export/picture/pic.h"

const double SMALL = 6.8, NORMAL = 8, TITLE = 9;

/* ---- words ----------------------------------------------------------------------------------------------------- */

static PangoLayout *layout_of(struct pic *pic, struct words style, const char *text)
{
    PangoLayout *l = pango_layout_new(pic->pango);
    PangoFontDescription *font = pango_font_description_from_string("DejaVu Sans, Noto Sans CJK SC, sans-serif");
    pango_font_description_set_size(font, (int)lround(style.size * PANGO_SCALE));
    pango_font_description_set_weight(font, style.bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
    pango_font_description_set_style(font, style.italic ? PANGO_STYLE_ITALIC : PANGO_STYLE_NORMAL);
    pango_layout_set_font_description(l, font);
    pango_font_description_free(font);
    pango_layout_set_text(l, text, -1);
    if (style.width > 0) {
        pango_layout_set_width(l, (int)(style.width * PANGO_SCALE));
        if (style.wrap)
            pango_layout_set_wrap(l, PANGO_WRAP_WORD_CHAR);
        else
            pango_layout_set_ellipsize(l, PANGO_ELLIPSIZE_END);
    }
    return l;
}

static void size_of(PangoLayout *l, double *w, double *h)
{
    PangoRectangle r;
    pango_layout_get_extents(l, NULL, &r);
    *w = (double)r.width / PANGO_SCALE;
    *h = (double)r.height / PANGO_SCALE;
}

void pic_measure(struct pic *pic, struct words style, const char *text, double *w, double *h)
{
    PangoLayout *l = layout_of(pic, style, text);
    size_of(l, w, h);
    g_object_unref(l);
}

double pic_width(struct pic *pic, struct words style, const char *text)
{
    double w, h;
    pic_measure(pic, style, text, &w, &h);
    return w;
}

double pic_words(struct pic *pic, double x, double y, struct words style, const char *text)
{
    PangoLayout *l = layout_of(pic, style, text);
    double w, h;
    size_of(l, &w, &h);
    cairo_save(pic->cr);
    cairo_translate(pic->cr, x, y);
    cairo_rotate(pic->cr, style.turn);
    cairo_move_to(pic->cr, -style.ax * w, -style.ay * h);
    if (style.halo) {
        pango_cairo_layout_path(pic->cr, l);
        cairo_set_source_rgba(pic->cr, 1, 1, 1, 0.85);
        cairo_set_line_width(pic->cr, 2);
        cairo_set_line_join(pic->cr, CAIRO_LINE_JOIN_ROUND);
        cairo_stroke(pic->cr);
        cairo_move_to(pic->cr, -style.ax * w, -style.ay * h);
    }
    pic_rgb(pic, style.rgb);
    pango_cairo_show_layout(pic->cr, l);
    cairo_new_path(pic->cr);
    cairo_restore(pic->cr);
    g_object_unref(l);
    return h;
}

char *pic_number(char *out, size_t size, const char *plain)
{
    snprintf(out, size, "%s%s", *plain == '-' ? "\u2212" : "", *plain == '-' ? plain + 1 : plain);
    return out;
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

void pic_rgb(struct pic *pic, unsigned rgb)
{
    cairo_set_source_rgb(pic->cr, (rgb >> 16 & 0xff) / 255.0, (rgb >> 8 & 0xff) / 255.0, (rgb & 0xff) / 255.0);
}

void pic_line(struct pic *pic, double x0, double y0, double x1, double y1, double width, unsigned rgb)
{
    pic_rgb(pic, rgb);
    cairo_set_line_width(pic->cr, width);
    cairo_move_to(pic->cr, x0, y0);
    cairo_line_to(pic->cr, x1, y1);
    cairo_stroke(pic->cr);
}

void pic_rect(struct pic *pic, struct box b, unsigned rgb)
{
    pic_rgb(pic, rgb);
    cairo_rectangle(pic->cr, b.x, b.y, b.w, b.h);
    cairo_fill(pic->cr);
}

void pic_dash(struct pic *pic, size_t series)
{
    static const struct { double on_off[6]; int n; } dash[] = {
        {{0}, 0}, {{5, 2}, 2}, {{1.2, 1.6}, 2}, {{6, 1.6, 1.2, 1.6}, 4}, {{2.8, 1.8}, 2}, {{9, 2.4}, 2}, {{6, 1.5, 1.2, 1.5, 1.2, 1.5}, 6}, {{1.2, 3}, 2},
    };
    size_t i = series % (sizeof dash / sizeof *dash);
    cairo_set_dash(pic->cr, dash[i].on_off, dash[i].n, 0);
}

void pic_hatch(struct pic *pic, struct box b)
{
    enum { STEP = 4 };
    pic_rect(pic, b, 0xf4f4f2);
    cairo_save(pic->cr);
    cairo_rectangle(pic->cr, b.x, b.y, b.w, b.h);
    cairo_clip(pic->cr);
    pic_rgb(pic, 0xd9d9d5);
    cairo_set_line_width(pic->cr, 0.5);
    for (double x = b.x; x < b.x + b.w + b.h; x += STEP) {
        cairo_move_to(pic->cr, x, b.y);
        cairo_line_to(pic->cr, x - b.h, b.y + b.h);
    }
    cairo_stroke(pic->cr);
    cairo_restore(pic->cr);
}

/* ---- axes --------------------------------------------------------------------------------------------------------- */

static const double TICK = 2.5, LABEL_GAP = 1.5;
static const struct words tick_words = {.size = 6.8, .rgb = INK};

static double right_of_last(const struct axis *a, int n, const struct panel *p, struct box b, pic_place_fn *place, double at)
{
    return b.x + place(p, a, n, at) * b.w;
}

static bool labels_fit(struct pic *pic, const struct panel *p, struct box b, const struct tick *tick, size_t n, double gap, pic_place_fn *place)
{
    double free_from = -1e9;
    for (size_t i = 0; i < n; i++) {
        double w = pic_width(pic, tick_words, tick[i].label), x = right_of_last(&p->x, p->w, p, b, place, tick[i].at) - w / 2;
        if (x < free_from)
            return false;
        free_from = x + w + gap;
    }
    return true;
}

static size_t fitting_ticks(struct pic *pic, const struct panel *p, struct box b, bool with_end, pic_place_fn *place, struct tick *tick)
{
    double gap = p->x.n_ticks ? 3 : 12;
    for (size_t max = (size_t)fmax(1, b.w / 16); max > 0; max--) {
        size_t n = axis_ticks(&p->x, max, with_end, false, tick);
        if (labels_fit(pic, p, b, tick, n, gap, place))
            return n;
    }
    return 0;
}

double pic_x_axis_height(struct pic *pic, const struct panel *p, double width)
{
    (void)pic;
    (void)width;
    return TICK + LABEL_GAP + ROW + (p->x.label[0] || p->x.unit[0] ? ROW : 0);
}

double pic_x_axis(struct pic *pic, const struct panel *p, struct box b, bool with_end, bool grid, pic_place_fn *place)
{
    struct tick tick[TICKS_MAX];
    char label[64], name[96];
    double below = b.y + b.h;
    size_t n = fitting_ticks(pic, p, b, with_end, place, tick);
    for (size_t i = 0; i < n; i++) {
        double x = b.x + place(p, &p->x, p->w, tick[i].at) * b.w;
        if (x < b.x - 0.01 || x > b.x + b.w + 0.01)
            continue;
        if (grid)
            pic_line(pic, x, b.y, x, below, 0.5, GRID);
        pic_line(pic, x, below, x, below + TICK, 0.6, LINE);
        struct words style = tick_words;
        style.ax = 0.5;
        pic_words(pic, x, below + TICK + LABEL_GAP, style, p->x.n_ticks ? tick[i].label : pic_number(label, sizeof label, tick[i].label));
    }
    axis_title(name, sizeof name, &p->x);
    if (name[0])
        pic_words(pic, b.x + b.w / 2, below + TICK + LABEL_GAP + ROW - 1, (struct words){.size = 7.4, .rgb = INK, .ax = 0.5, .width = b.w + 40}, name);
    return pic_x_axis_height(pic, p, b.w);
}

static size_t y_ticks(const struct axis *y, double height, bool with_end, struct tick *tick)
{
    size_t most = (size_t)fmax(2, height / (y->n_ticks ? 7.6 : 20));
    return axis_ticks(y, y->n_ticks ? most : most < 9 ? most : 9, with_end, false, tick);
}

double pic_y_axis_width(struct pic *pic, const struct axis *y, double height, bool with_end)
{
    struct tick tick[TICKS_MAX];
    double widest = 0;
    char label[64];
    size_t n = y_ticks(y, height, with_end, tick);
    for (size_t i = 0; i < n; i++)
        widest = fmax(widest, pic_width(pic, tick_words, pic_number(label, sizeof label, tick[i].label)));
    return widest + TICK + LABEL_GAP + 1 + (y->label[0] || y->unit[0] ? ROW : 0);
}

void pic_y_axis(struct pic *pic, const struct panel *p, const struct axis *y, struct box b, bool with_end, bool grid, pic_place_fn *place)
{
    struct tick tick[TICKS_MAX];
    char label[64], name[96];
    size_t n = y_ticks(y, b.h, with_end, tick);
    for (size_t i = 0; i < n; i++) {
        double at = b.y + place(p, y, p->h, tick[i].at) * b.h;
        if (at < b.y - 0.01 || at > b.y + b.h + 0.01)
            continue;
        if (grid)
            pic_line(pic, b.x, at, b.x + b.w, at, 0.5, GRID);
        pic_line(pic, b.x - TICK, at, b.x, at, 0.6, LINE);
        struct words style = tick_words;
        style.ax = 1;
        style.ay = 0.5;
        pic_words(pic, b.x - TICK - LABEL_GAP, at, style, y->n_ticks ? tick[i].label : pic_number(label, sizeof label, tick[i].label));
    }
    struct axis bare = *y;
    axis_title(name, sizeof name, &bare);
    if (pic_width(pic, (struct words){.size = 7.4}, name) > b.h + 2 * ROW) {
        bare.unit[0] = '\0';
        axis_title(name, sizeof name, &bare);
    }
    if (name[0])
        pic_words(pic, b.x - pic_y_axis_width(pic, y, b.h, with_end), b.y + b.h / 2,
                  (struct words){.size = 7.4, .rgb = INK, .ax = 0.5, .turn = -M_PI / 2, .width = b.h + 2 * ROW}, name);
}
