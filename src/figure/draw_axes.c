/* draw_axes.c - ticks, labels and names beside the data of a panel. */
#include "figure/draw_panel.h"

#include <math.h>
#include <stdio.h>

#include "base/utf8.h"
#include "figure/legend.h"

int rows_below(const struct drawing *d)
{
    return d->p->row + d->p->rows - d->p->area.row - d->p->area.rows;
}

void draw_column(struct drawing *d, int y, int x, int rows, uint32_t ch, enum role role)
{
    for (int i = 0; i < rows; i++)
        canvas_put(d->c, y + i, x, ch, role, 0);
}

/* The cursor's place on an axis: its word, or the number of the sample. */
static void place_label(char *out, size_t size, const struct axis *a, double at)
{
    size_t word = at >= a->from ? (size_t)(at - a->from) : 0;
    if (a->n_ticks)
        snprintf(out, size, "%s", word < a->n_ticks ? a->tick[word] : "");
    else if (isfinite(axis_count(a)))
        format_fixed(out, size, floor(at), 0);
    else
        format_number(out, size, at, 3);
}

static int labels_start(int center, int w, const struct panel *p)
{
    int last = p->col + p->cols - w;
    return max_int(p->col, min_int(center - (w - 1) / 2, last));
}

/* Do n labels, centred on their cells, leave gap cells between them? */
static bool labels_fit(const struct panel *p, const struct tick *tick, size_t n, cell_fn *column, int gap)
{
    int free_from = p->col;
    for (size_t i = 0; i < n; i++) {
        int w = utf8_width(tick[i].label), x = labels_start(p->area.col + column(p, tick[i].at), w, p);
        if (x < free_from)
            return false;
        free_from = x + w + gap;
    }
    return true;
}

/* Does the axis reach its end? A heatmap has no sample there. */
static bool has_end(const struct panel *p)
{
    return p->kind == PANEL_CURVES;
}

/* As many ticks as fit side by side. */
static size_t fitting_ticks(struct drawing *d, cell_fn *column, struct tick *tick)
{
    const struct panel *p = d->p;
    int gap = p->x.n_ticks ? 1 : 3;
    for (size_t max = (size_t)max_int(p->area.cols / 2, 1); max > 0; max = max > 12 ? max * 3 / 4 : max - 1) {
        size_t n = axis_ticks(&p->x, max, has_end(p), d->c->ascii, tick);
        if (labels_fit(p, tick, n, column, gap))
            return n;
    }
    return 0;
}

/* How many of n labels stay whole left of limit? */
static size_t labels_before(const struct panel *p, const struct tick *tick, size_t n, cell_fn *column, int limit)
{
    size_t kept = 0;
    while (kept < n) {
        int w = utf8_width(tick[kept].label), x = labels_start(p->area.col + column(p, tick[kept].at), w, p);
        if (x + w > limit)
            break;
        kept++;
    }
    return kept;
}

/* With its unit, or without, or none, so that most of the ticks stay. */
const char *x_axis_name(struct drawing *d, cell_fn *column, char *out, size_t size)
{
    const struct panel *p = d->p;
    struct tick tick[TICKS_MAX];
    size_t n = fitting_ticks(d, column, tick);
    struct axis bare = p->x;
    for (int i = 0; i < 2; i++) {
        axis_title(out, size, &bare);
        int limit = p->col + p->cols - utf8_width(out) - 2;
        size_t kept = labels_before(p, tick, n, column, limit);
        if (kept == n || (!p->x.n_ticks && kept >= 2 && 3 * kept >= 2 * n))
            return out;
        bare.unit[0] = '\0';
    }
    out[0] = '\0';
    return out;
}

void draw_x_ticks(struct drawing *d, int row, cell_fn *column)
{
    struct tick tick[TICKS_MAX];
    const struct panel *p = d->p;
    char name[96];
    int name_w = utf8_width(x_axis_name(d, column, name, sizeof name)), right = p->col + p->cols;
    size_t n = fitting_ticks(d, column, tick);
    n = labels_before(p, tick, n, column, name_w ? right - name_w - 2 : right);
    char place[64] = "";
    if (d->focused && !isnan(d->x))
        place_label(place, sizeof place, &p->x, d->x);
    int place_w = *place ? utf8_width(place) + 2 : 0, place_x = labels_start(p->area.col + column(p, d->x), place_w, p);
    for (size_t i = 0; i < n; i++) {
        int w = utf8_width(tick[i].label), x = labels_start(p->area.col + column(p, tick[i].at), w, p);
        if (!place_w || x + w <= place_x || x >= place_x + place_w)        /* no half of a label beside the cursor's */
            canvas_text(d->c, row, x, w, tick[i].label, ROLE_DIM, 0);
    }
    canvas_text_right(d->c, row, right - name_w, name_w, name, ROLE_DIM, 0);
    if (place_w)
        canvas_textf(d->c, row, place_x, place_w, ROLE_SELECTED, 0, " %s ", place);
}

void draw_y_ticks(struct drawing *d, const struct axis *y, cell_fn *row)
{
    struct tick tick[TICKS_MAX];
    const struct panel *p = d->p;
    int gutter = p->area.col - p->col;
    if (gutter < 1)
        return;
    draw_column(d, p->area.row, p->area.col - 1, p->area.rows, 0x2502, ROLE_DIM);
    size_t most = (size_t)max_int(y->n_ticks ? p->area.rows : min_int(p->area.rows / 2, 8), 2);
    size_t n = axis_ticks(y, most, has_end(p), d->c->ascii, tick);
    int last = -1;
    for (size_t i = 0; i < n; i++) {
        int at = row(p, tick[i].at);
        if (at == last || at < 0 || at >= p->area.rows)
            continue;
        last = at;
        canvas_put(d->c, p->area.row + at, p->area.col - 1, 0x2524, ROLE_DIM, 0);
        if (y->n_ticks || utf8_width(tick[i].label) < gutter)
            canvas_text_right(d->c, p->area.row + at, p->col, gutter - 1, tick[i].label, ROLE_DIM, 0);
    }
    if (!d->focused || isnan(d->y))
        return;
    char place[64];
    place_label(place, sizeof place, y, d->y);
    if (utf8_width(place) < gutter || y->n_ticks)
        canvas_text_right(d->c, p->area.row + row(p, d->y), p->col, gutter - 1, place, ROLE_SELECTED, 0);
}
