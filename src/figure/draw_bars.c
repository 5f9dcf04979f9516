/* draw_bars.c - one bar a row: label, bar in eighths of a cell, value, note. */
#include "figure/draw_panel.h"

#include <math.h>
#include <stdio.h>

#include "base/utf8.h"

struct columns {
    int label, bar, value, note;        /* cells */
    int decimals;                       /* of every value; -1: three digits each, where the values differ too much */
    struct axis scale;
};

/* Decimals that show three digits of the largest value. */
static int common_decimals(const struct panel *p)
{
    double largest = 0, smallest = INFINITY;
    bool whole = true;
    for (size_t i = 0; i < p->n_bars; i++) {
        double v = fabs(p->bar[i].value);
        if (!isfinite(v))
            continue;
        largest = fmax(largest, v);
        smallest = v > 0 ? fmin(smallest, v) : smallest;
        whole = whole && v == floor(v);
    }
    if (largest >= 1e7 || largest / smallest > 1e4)
        return whole && largest < 1e12 ? 0 : -1;
    return whole || largest == 0 ? 0 : max_int(0, 2 - (int)floor(log10(largest)));
}

static char *value_text(char *out, size_t size, const struct panel *p, double value, int decimals)
{
    char number[48];
    if (isnan(value))
        out[0] = '\0';
    else
        snprintf(out, size, "%s%s%s", decimals < 0 ? format_number(number, sizeof number, value, 3)
                                                   : format_fixed(number, sizeof number, value, decimals), p->unit[0] ? " " : "", p->unit);
    return out;
}

static struct columns columns_of(const struct panel *p)
{
    struct columns c = {.decimals = common_decimals(p), .scale = panel_bar_scale(p)};
    char text[96];
    for (size_t i = 0; i < p->n_bars; i++) {
        c.label = max_int(c.label, utf8_width(p->bar[i].label));
        c.note = max_int(c.note, utf8_width(p->bar[i].note));
        c.value = max_int(c.value, utf8_width(value_text(text, sizeof text, p, p->bar[i].value, c.decimals)));
    }
    enum { ANY_VALUE = 7, WIDE = 50 };  /* where there is room, bars do not move when a value gets a digit more */
    int cols = p->area.cols;
    if (cols >= WIDE && c.value)
        c.value = max_int(c.value, ANY_VALUE + (p->unit[0] ? 1 + utf8_width(p->unit) : 0));
    c.label = min_int(c.label, cols / 2);
    c.note = min_int(c.note, max_int(cols - c.label - c.value - 12, 0));
    c.bar = cols - c.label - 1 - (c.value ? c.value + 1 : 0) - (c.note ? c.note + 2 : 0);
    return c;
}

static double length_of(const struct axis *scale, double value, int cells)
{
    double share = scale->log && value <= 0 ? 0 : axis_share(scale, value);
    return cells * fmin(fmax(share, 0), 1);
}

/* From zero to the value; a bar to the left of zero ends at a whole cell. */
static void draw_bar(struct drawing *d, int y, int x, const struct columns *c, const struct bar *b)
{
    uint32_t color = d->c->theme->role[b->role].fg;
    if (c->bar < 1 || !isfinite(b->value) || !(c->scale.to > c->scale.from))
        return;
    double zero = c->scale.log || c->scale.from >= 0 ? 0 : length_of(&c->scale, 0, c->bar), end = length_of(&c->scale, b->value, c->bar);
    int axis = (int)floor(zero + 0.5);
    if (zero > 0)
        canvas_put(d->c, y, x + axis, 0x2502, ROLE_DIM, 0);
    if (end >= zero)
        canvas_bar(d->c, y, x + axis + (zero > 0), c->bar - axis - (zero > 0), end - zero, color);
    else {
        int first = (int)floor(end + 0.5);
        canvas_bar(d->c, y, x + first, axis - first, axis - first, color);
    }
}

void draw_bars(struct drawing *d)
{
    const struct panel *p = d->p;
    struct columns c = columns_of(p);
    int shown = min_int((int)p->n_bars, p->area.rows);
    for (int i = 0; i < shown; i++) {
        const struct bar *b = &p->bar[i];
        int y = p->area.row + i, x = p->area.col;
        char text[96];
        bool here = d->focused && (int)d->y == i;
        canvas_text(d->c, y, x, c.label, b->label, here ? ROLE_SELECTED : ROLE_TEXT, 0);
        x += c.label + 1;
        draw_bar(d, y, x, &c, b);
        x += max_int(c.bar, 0) + 1;
        if (c.bar >= 0)
            canvas_text_right(d->c, y, x, c.value, value_text(text, sizeof text, p, b->value, c.decimals), ROLE_TEXT, 0);
        canvas_text(d->c, y, x + c.value + 2, c.note, b->note, ROLE_DIM, 0);
    }
    if ((size_t)shown < p->n_bars && shown > 0)
        draw_more(d, p->n_bars - (size_t)shown);
}
