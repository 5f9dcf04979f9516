/* draw_heatmap.c - samples as colours, with axes, colour bar, cursor, marks; the values themselves where a sample is wide enough. */
#include "figure/draw_panel.h"

#include <math.h>
#include <stdio.h>

#include "base/utf8.h"
#include "figure/legend.h"

int heatmap_col(const struct panel *p, double x)
{
    return (int)((axis_sample(&p->x, p->w, x) + 0.5) * p->area.cols / p->w);
}

/* The middle row of a sample, the upper of two. */
int heatmap_row(const struct panel *p, double y)
{
    int halves = max_int(2 * p->area.rows / p->h, 1), sample = axis_sample(&p->y, p->h, y);
    return min_int(sample * halves / 2 + (halves >= 2 ? (halves / 2 - 1) / 2 : 0), p->area.rows - 1);
}

static const struct colormap *map_of(const struct drawing *d)
{
    return d->p->centred ? colormap_diverging(d->c->theme) : d->o->map;
}

static double scaled(const struct panel *p, double value)
{
    return isfinite(value) ? fmin(fmax((value - p->lo) / (p->hi - p->lo), 0), 1) : value;
}

/* The sample of half a cell: half counts from the top of the area; -1 below the last sample. */
static int sample_of_half(const struct panel *p, int half, int heat_rows)
{
    int per_cell = heat_rows > 1 ? 2 : 1, pixels = per_cell * p->area.rows, pixel = half * per_cell / 2;
    int size = max_int(pixels / p->h, 1), sample = size * p->h > pixels ? pixel * p->h / pixels : pixel / size;
    return sample < p->h ? sample : -1;
}

static double value_at(const struct panel *p, int row, int cell)
{
    return scaled(p, p->data[(size_t)row * (size_t)p->w + (size_t)(cell * p->w / p->area.cols)]);
}

/* The lower half of the last row is no sample where the number of rows is odd: it keeps the background. */
static void upper_half_only(struct canvas *c, int y, int x)
{
    if (y < 0 || y >= c->rows || x < 0 || x >= c->cols)
        return;
    struct cell *cell = &c->cell[y * c->cols + x];
    cell->ch = 0x2580;
    cell->fg = cell->bg;
    cell->bg = c->theme->role[ROLE_TEXT].bg;
}

static void draw_samples(struct drawing *d)
{
    const struct panel *p = d->p;
    const struct colormap *map = map_of(d);
    int heat_rows = canvas_heat_rows(d->c);
    for (int r = 0; r < p->area.rows; r++) {
        int top = sample_of_half(p, 2 * r, heat_rows), bottom = sample_of_half(p, 2 * r + 1, heat_rows);
        for (int x = 0; x < p->area.cols && top >= 0; x++) {
            double upper = value_at(p, top, x), lower = bottom < 0 ? upper : value_at(p, bottom, x);
            canvas_heat(d->c, p->area.row + r, p->area.col + x, map, upper, lower);
            if (bottom < 0 && isfinite(upper))
                upper_half_only(d->c, p->area.row + r, p->area.col + x);
        }
    }
}

/* Text over samples keeps their colour. */
static void overlay(struct drawing *d, int y, int x, uint32_t ch)
{
    struct canvas *c = d->c;
    if (y < 0 || y >= c->rows || x < 0 || x >= c->cols)
        return;
    struct cell *cell = &c->cell[y * c->cols + x];
    bool colored = c->depth > DEPTH_16 && cell->attr & ATTR_HEAT;
    if (!colored) {
        canvas_put(c, y, x, ch, ROLE_ACCENT, ATTR_BOLD);
        return;
    }
    uint32_t under = cell->ch == 0x2580 ? color_mix(cell->fg, cell->bg, 0.5) : cell->bg;
    *cell = (struct cell){.ch = c->ascii ? glyph_ascii(ch) : ch, .fg = color_readable_on(under), .bg = under,
                          .attr = ATTR_HEAT | ATTR_BOLD, .width = 1};
}

/* Numbers in the samples, where each is at least six cells wide and a whole cell high. */
static void draw_values(struct drawing *d)
{
    enum { WIDTH = 6 };
    const struct panel *p = d->p;
    int w = p->area.cols / p->w, h = p->area.rows / p->h;
    if (w < WIDTH || h < 1 || p->area.rows % p->h != 0 || p->map)
        return;
    for (int r = 0; r < p->h; r++)
        for (int i = 0; i < p->w; i++) {
            char text[40];
            double value = p->data[r * p->w + i];
            if (!isfinite(value))
                continue;
            format_number(text, sizeof text, value, 2);
            int size = utf8_width(text), x = p->area.col + i * w + (w - size) / 2;
            for (int k = 0; k < size && size < w; k++)
                overlay(d, p->area.row + r * h + (h - 1) / 2, x + k, (uint32_t)text[k]);
        }
}

static void draw_marks(struct drawing *d)
{
    const struct panel *p = d->p;
    for (size_t i = 0; i < p->n_marks; i++) {
        const struct mark *m = &p->mark[i];
        const struct axis *a = m->vertical ? &p->x : &p->y;
        double share = axis_share(a, m->at);
        if (!(share >= 0 && share < 1))
            continue;
        int row = m->vertical ? 0 : heatmap_row(p, m->at), col = m->vertical ? heatmap_col(p, m->at) : 0;
        for (int k = 0; k < (m->vertical ? p->area.rows : p->area.cols); k++)
            overlay(d, p->area.row + row + (m->vertical ? k : 0), p->area.col + col + (m->vertical ? 0 : k), m->vertical ? 0x250a : 0x2508);
        canvas_text(d->c, p->area.row + row, p->area.col + min_int(col + 1, max_int(p->area.cols - utf8_width(m->label), 0)),
                    p->area.cols, m->label, m->role, 0);
    }
}

/* The sample under the cursor: brackets around a wide one, a cross on a narrow one. */
static void draw_cursor(struct drawing *d)
{
    const struct panel *p = d->p;
    if ((!d->focused && !d->linked) || isnan(d->x) || isnan(d->y))
        return;
    int w = p->area.cols / p->w, row = p->area.row + heatmap_row(p, d->y);
    int first = p->area.col + axis_sample(&p->x, p->w, d->x) * p->area.cols / p->w;
    if (w >= 3) {
        overlay(d, row, first, '[');
        overlay(d, row, first + w - 1, ']');
    } else
        overlay(d, row, p->area.col + heatmap_col(p, d->x), 0x253c);
}

/* ---- legend: range and colour bar, unit, reduction, looks of masked and absent samples --------------------------- */

/* "  xx no value" */
static int swatch_width(const char *text)
{
    return utf8_width(text) + 5;
}

static int swatch(struct drawing *d, int y, int x, int room, double sample, const char *text)
{
    if (swatch_width(text) > room)
        return 0;
    canvas_heat(d->c, y, x + 2, d->o->map, sample, sample);
    canvas_heat(d->c, y, x + 3, d->o->map, sample, sample);
    canvas_text(d->c, y, x + 5, utf8_width(text), text, ROLE_DIM, 0);
    return swatch_width(text);
}

static int word(struct drawing *d, int y, int x, int room, const char *text)
{
    int w = utf8_width(text);
    return *text && w + 1 <= room ? 1 + canvas_text(d->c, y, x + 1, w, text, ROLE_DIM, 0) : 0;
}

/* The range always; then, as there is room: what a sample is, the unit, and looks that occur; the longer bar last. */
static void draw_legend(struct drawing *d, int y)
{
    enum { NUMBER = 7, SHORTEST_BAR = 6, LONGEST_BAR = 24 };
    const struct panel *p = d->p;
    char lo[40], hi[40], reduction[256];
    int right = p->col + p->cols, x = right - p->area.col >= 48 ? p->area.col : p->col;
    int lo_w = max_int(utf8_width(format_number(lo, sizeof lo, p->lo, 3)), p->cols >= 40 ? NUMBER : 0);
    int hi_w = max_int(utf8_width(format_number(hi, sizeof hi, p->hi, 3)), lo_w), room = right - x - lo_w - hi_w - SHORTEST_BAR - 2;
    if (utf8_width(legend_reduction(reduction, sizeof reduction, p, d->o->lang)) + 1 > room + hi_w - utf8_width(hi))
        legend_reduction_short(reduction, sizeof reduction, p, d->o->lang);
    int words = utf8_width(reduction) + 1, unit = p->unit[0] ? utf8_width(p->unit) + 3 : 0;
    const char *masked = panel_has_masked(p) ? lang_text(d->o->lang, N_("masked")) : NULL;
    const char *absent = panel_has_nan(p) ? lang_text(d->o->lang, N_("no value")) : NULL;
    int looks = (masked ? swatch_width(masked) : 0) + (absent ? swatch_width(absent) : 0);
    int bar = SHORTEST_BAR + max_int(0, min_int(LONGEST_BAR - SHORTEST_BAR, room - words - unit - looks));
    canvas_text_right(d->c, y, x, lo_w, lo, ROLE_TEXT, 0);
    x += lo_w + 1;
    for (int i = 0; i < bar; i++)
        canvas_heat(d->c, y, x + i, map_of(d), (i + 0.5) / bar, (i + 0.5) / bar);
    x += bar + 1;
    canvas_text(d->c, y, x, hi_w, hi, ROLE_TEXT, 0);
    x += room >= words + unit ? hi_w : utf8_width(hi);
    if (unit && right - x >= words + unit) {
        x += word(d, y, x, right - x, p->unit);
        x += word(d, y, x, right - x, "·");
    }
    x += word(d, y, x, right - x, reduction);
    if (masked)
        x += swatch(d, y, x, right - x, -INFINITY, masked);
    if (absent)
        x += swatch(d, y, x, right - x, NAN, absent);
    if (p->note[0] && !d->note_shown && right - x > 12)
        canvas_textf(d->c, y, x, right - x, ROLE_TEXT, 0, "  %s", p->note);
}

void draw_heatmap(struct drawing *d)
{
    const struct panel *p = d->p;
    if (p->w < 1 || p->h < 1)
        return;
    if (p->data && p->hi > p->lo) {
        draw_samples(d);
        draw_values(d);
    }
    draw_marks(d);
    draw_y_ticks(d, &p->y, heatmap_row);
    int below = rows_below(d), y = p->area.row + p->area.rows;
    if (below >= 1)
        draw_x_ticks(d, y, heatmap_col);
    if (below >= 2 && p->data && p->hi > p->lo && p->unit[0])
        draw_legend(d, y + 1);
    draw_cursor(d);
}
