/* data.c - heatmaps and curves on the page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "export/picture/pic.h"

/* ---- heatmaps: one image, a pixel a sample; nothing smooths it ---------------------------------------------------- */

static const double BAR_GAP = 8, BAR = 7, LEGEND = 10;
enum { NO_VALUE = 0xd8c3a5 };

static const struct colormap *map_of(struct pic *pic, const struct panel *p)
{
    return p->centred ? colormap_find("diverging") : pic->o->map;
}

static double sample_x(const struct panel *p, const struct axis *a, int n, double at)
{
    (void)p;
    return (axis_sample(a, n, at) + 0.5) / n;
}

/* Pixels of a sample, across and down: viewers of svg and pdf may smooth between pixels, so few samples get many. */
static int pixels_of_sample(const struct panel *p)
{
    enum { ENOUGH = 256 };
    int longest = p->w > p->h ? p->w : p->h;
    return longest < ENOUGH ? ENOUGH / longest : 1;
}

static cairo_surface_t *image_of(struct pic *pic, const struct panel *p)
{
    int size = pixels_of_sample(p);
    cairo_surface_t *image = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, size * p->w, size * p->h);
    unsigned char *bytes = cairo_image_surface_get_data(image);
    int stride = cairo_image_surface_get_stride(image);
    const struct colormap *map = map_of(pic, p);
    cairo_surface_flush(image);
    for (int r = 0; r < size * p->h; r++) {
        uint32_t *row = (uint32_t *)(void *)(bytes + (size_t)r * (size_t)stride);
        for (int c = 0; c < size * p->w; c++) {
            double v = p->data[(size_t)(r / size) * (size_t)p->w + (size_t)(c / size)];
            row[c] = isinf(v) ? 0 : 0xff000000u | (isnan(v) ? NO_VALUE : colormap_rgb(map, (v - p->lo) / (p->hi - p->lo)));
        }
    }
    cairo_surface_mark_dirty(image);
    return image;
}

static void draw_image(struct pic *pic, const struct panel *p, struct box b)
{
    if (panel_has_masked(p))
        pic_hatch(pic, b);
    cairo_surface_t *image = image_of(pic, p);
    cairo_save(pic->cr);
    cairo_translate(pic->cr, b.x, b.y);
    int w = cairo_image_surface_get_width(image), h = cairo_image_surface_get_height(image);
    cairo_scale(pic->cr, b.w / w, b.h / h);
    cairo_set_source_surface(pic->cr, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(pic->cr), CAIRO_FILTER_NEAREST);
    cairo_rectangle(pic->cr, 0, 0, w, h);
    cairo_fill(pic->cr);
    cairo_restore(pic->cr);
    cairo_surface_destroy(image);
}

/* Numbers in the samples where each has room for one. */
static void draw_values(struct pic *pic, const struct panel *p, struct box b)
{
    double w = b.w / p->w, h = b.h / p->h;
    if (w < 24 || h < 9 || p->map)
        return;
    for (int i = 0; i < p->w * p->h; i++) {
        double v = p->data[i];
        char plain[40], text[48];
        if (!isfinite(v))
            continue;
        unsigned under = colormap_rgb(map_of(pic, p), (v - p->lo) / (p->hi - p->lo));
        pic_number(text, sizeof text, format_number(plain, sizeof plain, v, 2));
        pic_words(pic, b.x + (i % p->w + 0.5) * w, b.y + (i / p->w + 0.5) * h,
                  (struct words){.size = SMALL, .rgb = color_readable_on(under), .ax = 0.5, .ay = 0.5}, text);
    }
}

static struct axis range_of(const struct panel *p)
{
    return (struct axis){.from = p->lo, .to = p->hi, .continuous = true};
}

static size_t bar_ticks(const struct panel *p, double height, struct tick *tick)
{
    struct axis range = range_of(p);
    return axis_ticks(&range, (size_t)fmax(2, fmin(6, height / 24)), true, false, tick);
}

static double bar_labels_width(struct pic *pic, const struct panel *p, double height)
{
    struct tick tick[TICKS_MAX];
    char label[64];
    double widest = 0;
    size_t n = p->data && p->hi > p->lo ? bar_ticks(p, height, tick) : 0;
    for (size_t i = 0; i < n; i++)
        widest = fmax(widest, pic_width(pic, (struct words){.size = SMALL}, pic_number(label, sizeof label, tick[i].label)));
    return widest;
}

static void draw_color_bar(struct pic *pic, const struct panel *p, struct box b)
{
    const struct colormap *map = map_of(pic, p);
    cairo_pattern_t *ramp = cairo_pattern_create_linear(0, b.y + b.h, 0, b.y);
    for (size_t i = 0; i < map->n_stops; i++)
        cairo_pattern_add_color_stop_rgb(ramp, (double)i / (double)(map->n_stops - 1), (map->stop[i] >> 16 & 0xff) / 255.0,
                                         (map->stop[i] >> 8 & 0xff) / 255.0, (map->stop[i] & 0xff) / 255.0);
    cairo_rectangle(pic->cr, b.x, b.y, b.w, b.h);
    cairo_set_source(pic->cr, ramp);
    cairo_fill(pic->cr);
    cairo_pattern_destroy(ramp);
    struct tick tick[TICKS_MAX];
    struct axis range = range_of(p);
    size_t n = bar_ticks(p, b.h, tick);
    for (size_t i = 0; i < n; i++) {
        char label[64];
        double y = b.y + (1 - axis_share(&range, tick[i].at)) * b.h;
        pic_line(pic, b.x + b.w, y, b.x + b.w + 2, y, 0.6, LINE);
        pic_words(pic, b.x + b.w + 3.5, y, (struct words){.size = SMALL, .rgb = INK, .ay = 0.5}, pic_number(label, sizeof label, tick[i].label));
    }
    double widest = bar_labels_width(pic, p, b.h);
    if (p->unit[0])
        pic_words(pic, b.x + b.w + 5 + widest, b.y + b.h / 2,
                  (struct words){.size = SMALL, .rgb = INK, .ax = 0.5, .turn = -M_PI / 2, .width = fmax(b.h, 20)}, p->unit);
}

/* Range in words, reduction, and the looks of masked and absent samples. */
static void draw_legend(struct pic *pic, const struct panel *p, double x, double y, double right)
{
    char reduction[256];
    struct words style = {.size = SMALL, .rgb = GREY};
    legend_reduction(reduction, sizeof reduction, p, pic->o->lang);
    style.width = fmax(right - x, 20);
    pic_words(pic, x, y, style, reduction);
    x += pic_width(pic, style, reduction) + 10;
    style.width = 0;
    const char *const word[] = {lang_text(pic->o->lang, N_("masked")), lang_text(pic->o->lang, N_("no value"))};
    const bool present[] = {panel_has_masked(p), panel_has_nan(p)};
    for (int i = 0; i < 2; i++) {
        if (!present[i] || x + 12 + pic_width(pic, style, word[i]) > right)
            continue;
        struct box b = {x, y + 1.5, 9, 6};
        if (i == 0)
            pic_hatch(pic, b);
        else
            pic_rect(pic, b, NO_VALUE);
        pic_words(pic, x + 12, y, style, word[i]);
        x += 22 + pic_width(pic, style, word[i]);
    }
}

static void draw_heatmap_marks(struct pic *pic, const struct panel *p, struct box b)
{
    for (size_t i = 0; i < p->n_marks; i++) {
        const struct mark *m = &p->mark[i];
        double share = axis_share(m->vertical ? &p->x : &p->y, m->at);
        if (!(share >= 0 && share <= 1))
            continue;
        double x = m->vertical ? b.x + share * b.w : b.x, y = m->vertical ? b.y : b.y + share * b.h;
        cairo_set_dash(pic->cr, (double[]){3, 2}, 2, 0);
        pic_line(pic, x, y, m->vertical ? x : b.x + b.w, m->vertical ? b.y + b.h : y, 0.8, INK);
        pic_dash(pic, 0);
        pic_words(pic, x + 2, y + 1, (struct words){.size = SMALL, .rgb = INK, .halo = true}, m->label);
    }
}

/* Few things keep the squares that the layout gave them. */
static struct box keep_aspect(const struct panel *p, struct box b)
{
    if (axis_count(&p->x) > p->w || axis_count(&p->y) > p->h || p->area.cols < 1 || p->area.rows < 1)
        return b;
    double aspect = (double)p->area.cols / (2.0 * p->area.rows);
    if (b.w / b.h > aspect)
        b.w = b.h * aspect;
    else
        b.h = b.w / aspect;
    return b;
}

void pic_heatmap(struct pic *pic, const struct panel *p, struct box b)
{
    if (p->w < 1 || p->h < 1)
        return;
    double left = pic_y_axis_width(pic, &p->y, b.h, false), below = pic_x_axis_height(pic, p, b.w) + LEGEND;
    double right = BAR_GAP + BAR + 5 + bar_labels_width(pic, p, b.h) + (p->unit[0] ? ROW : 0);
    struct box area = keep_aspect(p, (struct box){b.x + left, b.y + 2, b.w - left - right, b.h - below - 2});
    if (area.w < 8 || area.h < 8)
        return;
    bool drawable = p->data && p->hi > p->lo;
    if (drawable) {
        draw_image(pic, p, area);
        draw_values(pic, p, area);
    }
    draw_heatmap_marks(pic, p, area);
    cairo_rectangle(pic->cr, area.x, area.y, area.w, area.h);
    pic_rgb(pic, LINE);
    cairo_set_line_width(pic->cr, 0.6);
    cairo_stroke(pic->cr);
    pic_y_axis(pic, p, &p->y, area, false, false, sample_x);
    double used = pic_x_axis(pic, p, area, false, false, sample_x);
    if (!drawable)
        return;
    if (!p->map)
        draw_color_bar(pic, p, (struct box){area.x + area.w + BAR_GAP, area.y, BAR, area.h});
    draw_legend(pic, p, area.x, area.y + area.h + used, b.x + b.w);
}

/* ---- curves ------------------------------------------------------------------------------------------------------- */

static double curve_x(const struct panel *p, const struct axis *a, int n, double at)
{
    (void)p;
    (void)n;
    return axis_share(a, at);
}

static double curve_y(const struct panel *p, const struct axis *a, int n, double at)
{
    (void)p;
    (void)n;
    return 1 - axis_share(a, at);
}

/* A little air above and below the data, where the range is the data's. */
static struct axis airy(const struct panel *p)
{
    enum { PERCENT = 4 };
    struct axis y = panel_y_axis(p), wide = y;
    double air = PERCENT / 100.0;
    if (isnan(p->y.from))
        wide.from = axis_at(&y, -air);
    if (isnan(p->y.to))
        wide.to = axis_at(&y, 1 + air);
    return wide;
}

static bool has_point(const struct axis *y, double v)
{
    return isfinite(v) && !(y->log && v <= 0);
}

static void draw_points(struct pic *pic, const struct panel *p, const struct series *s, const struct axis *y, struct box b)
{
    for (size_t i = 0; i < p->n_xs; i++) {
        if (!has_point(y, s->y[i]))
            continue;
        cairo_arc(pic->cr, b.x + axis_share(&p->x, p->xs[i]) * b.w, b.y + (1 - axis_share(y, s->y[i])) * b.h, 1.4, 0, 2 * M_PI);
        cairo_fill(pic->cr);
    }
}

static void draw_line(struct pic *pic, const struct panel *p, const struct series *s, const struct axis *y, struct box b)
{
    bool down = false;
    double last = 0;
    for (size_t i = 0; i < p->n_xs; i++) {
        if (!has_point(y, s->y[i])) {
            down = false;
            continue;
        }
        double px = b.x + axis_share(&p->x, p->xs[i]) * b.w, py = b.y + fmin(fmax(1 - axis_share(y, s->y[i]), -1), 2) * b.h;
        if (!down)
            cairo_move_to(pic->cr, px, py);
        else if (s->steps)
            cairo_line_to(pic->cr, px, last);
        cairo_line_to(pic->cr, px, py);
        last = py;
        down = true;
    }
    cairo_stroke(pic->cr);
}

static void draw_series(struct pic *pic, const struct panel *p, size_t i, const struct axis *y, struct box b)
{
    const struct series *s = &p->series[i];
    cairo_save(pic->cr);
    cairo_rectangle(pic->cr, b.x - 1, b.y - 1, b.w + 2, b.h + 2);
    cairo_clip(pic->cr);
    pic_rgb(pic, pic->paper->role[s->role].fg);
    cairo_set_line_width(pic->cr, 1.2);
    cairo_set_line_join(pic->cr, CAIRO_LINE_JOIN_ROUND);
    pic_dash(pic, i);
    if (s->points)
        draw_points(pic, p, s, y, b);
    else
        draw_line(pic, p, s, y, b);
    cairo_restore(pic->cr);
}

static void draw_curve_mark(struct pic *pic, const struct panel *p, const struct mark *m, const struct axis *y, struct box b)
{
    double share = m->vertical ? axis_share(&p->x, m->at) : 1 - axis_share(y, m->at);
    if (!(share >= 0 && share <= 1))
        return;
    unsigned rgb = pic->paper->role[m->role].fg;
    double x = b.x + (m->vertical ? share * b.w : 0), at = b.y + (m->vertical ? 0 : share * b.h);
    cairo_set_dash(pic->cr, (double[]){2, 2}, 2, 0);
    pic_line(pic, x, at, m->vertical ? x : b.x + b.w, m->vertical ? b.y + b.h : at, 0.8, rgb);
    pic_dash(pic, 0);
    struct words style = {.size = SMALL, .rgb = rgb, .halo = true};
    if (!m->vertical) {
        style.ax = 1;
        style.ay = share > 0.12 ? 1 : 0;
        pic_words(pic, b.x + b.w - 2, at, style, m->label);
        return;
    }
    style.ax = share > 0.8 ? 1 : 0;
    pic_words(pic, x + (share > 0.8 ? -3 : 3), b.y + 1, style, m->label);
}

/* A line of each curve with its name, in rows. Returns the height. */
static double draw_keys(struct pic *pic, const struct panel *p, struct box b)
{
    static const double SAMPLE = 18;
    struct words style = {.size = SMALL, .rgb = INK, .ay = 0.5};
    double x = b.x, y = b.y + ROW / 2.0;
    bool any = false;
    for (size_t i = 0; i < p->n_series; i++) {
        const struct series *s = &p->series[i];
        double w = SAMPLE + 4 + pic_width(pic, style, s->label);
        if (!s->label[0])
            continue;
        if (x > b.x && x + w > b.x + b.w) {
            x = b.x;
            y += ROW;
        }
        cairo_save(pic->cr);
        pic_dash(pic, i);
        if (s->points) {
            pic_rgb(pic, pic->paper->role[s->role].fg);
            cairo_arc(pic->cr, x + SAMPLE / 2, y, 1.6, 0, 2 * M_PI);
            cairo_fill(pic->cr);
        } else
            pic_line(pic, x, y, x + SAMPLE, y, 1.2, pic->paper->role[s->role].fg);
        cairo_restore(pic->cr);
        pic_words(pic, x + SAMPLE + 4, y, style, s->label);
        x += w + 12;
        any = true;
    }
    return any ? y + ROW / 2.0 - b.y + 2 : 0;
}

void pic_curves(struct pic *pic, const struct panel *p, struct box b)
{
    struct axis y = airy(p);
    double keys = draw_keys(pic, p, b), left = pic_y_axis_width(pic, &y, b.h, true), below = pic_x_axis_height(pic, p, b.w);
    struct box area = {b.x + left, b.y + keys + 3, b.w - left - 8, b.h - keys - below - 3};
    if (area.w < 8 || area.h < 8)
        return;
    bool drawable = isfinite(y.from) && isfinite(y.to) && y.from != y.to;
    if (drawable)
        pic_y_axis(pic, p, &y, area, true, true, curve_y);
    pic_x_axis(pic, p, area, true, true, curve_x);
    pic_line(pic, area.x, area.y, area.x, area.y + area.h, 0.6, LINE);
    pic_line(pic, area.x, area.y + area.h, area.x + area.w, area.y + area.h, 0.6, LINE);
    if (!drawable)
        return;
    if (!y.log && fmin(y.from, y.to) < 0 && fmax(y.from, y.to) > 0)
        pic_line(pic, area.x, area.y + curve_y(p, &y, 0, 0) * area.h, area.x + area.w, area.y + curve_y(p, &y, 0, 0) * area.h, 0.6, LINE);
    for (size_t i = 0; i < p->n_series; i++)
        draw_series(pic, p, i, &y, area);
    for (size_t i = 0; i < p->n_marks; i++)
        draw_curve_mark(pic, p, &p->mark[i], &y, area);
}
