/* locate.c - from cells of the canvas to real coordinates, and steps between samples: what the cursor and the mouse need. */
#include "figure/figure.h"

#include <math.h>

#include "figure/table.h"

static int clamp(int i, int n)
{
    return i < 0 || n <= 0 ? 0 : i < n ? i : n - 1;
}

/* The middle of the sample of an axis divided in n. */
static double middle(const struct axis *a, int n, int i)
{
    double from = axis_edge(a, n, i), to = axis_edge(a, n, i + 1);
    return a->log ? sqrt(from * to) : (from + to) / 2;
}

/* Index of the nearest of the curves' x. */
static int nearest_x(const struct panel *p, double x)
{
    int best = 0;
    for (size_t i = 1; i < p->n_xs; i++)
        if (fabs(p->xs[i] - x) < fabs(p->xs[best] - x))
            best = (int)i;
    return best;
}

/* What dial i stands for: its x where the view gave them (pairs spread over many), else the middle of its number. */
static double dial_x(const struct panel *p, int i)
{
    i = clamp(i, (int)p->n_dials);
    return p->n_xs == p->n_dials && p->n_xs ? p->xs[i] : i + 0.5;
}

int panel_dial(const struct panel *p, double x)
{
    if (isnan(x))
        return 0;
    return p->n_xs == p->n_dials && p->n_xs ? nearest_x(p, x) : clamp((int)x, (int)p->n_dials);
}

static int first_row(const struct panel *p)
{
    return p->y.from > 0 ? (int)p->y.from : 0;
}

/* ---- a cell of the data area, counted from its corner, to a place ------------------------------------------ */

static void heatmap_place(const struct panel *p, int row, int col, double *x, double *y)
{
    *x = middle(&p->x, p->w, (int)((col + 0.5) / p->area.cols * p->w));
    *y = middle(&p->y, p->h, (int)((row + 0.5) / p->area.rows * p->h));
}

static void curves_place(const struct panel *p, int row, int col, double *x, double *y)
{
    struct axis value = panel_y_axis(p);
    *x = axis_at(&p->x, (col + 0.5) / p->area.cols);
    if (p->n_xs)
        *x = p->xs[nearest_x(p, *x)];
    *y = axis_at(&value, 1 - (row + 0.5) / p->area.rows);
}

static void dials_place(const struct panel *p, int row, int col, double *x, double *y)
{
    *x = dial_x(p, clamp(row / p->item_rows, p->h) * p->w + clamp(col / p->item_cols, p->w));
    *y = 0.5;
}

static void bars_place(const struct panel *p, int row, int col, double *x, double *y)
{
    (void)col;
    *x = 0.5;
    *y = clamp(row, (int)p->n_bars) + 0.5;
}

static void table_place(const struct panel *p, int row, int col, double *x, double *y)
{
    (void)col;
    *x = 0.5;
    *y = (double)table_row_at(p, row) + 0.5;
}

static void text_place(const struct panel *p, int row, int col, double *x, double *y)
{
    (void)col;
    *x = 0.5;
    *y = row + first_row(p) + 0.5;
}

typedef void place_fn(const struct panel *p, int row, int col, double *x, double *y);
static place_fn *const place_in[PANEL_KIND_COUNT] = {
    [PANEL_HEATMAP] = heatmap_place, [PANEL_CURVES] = curves_place, [PANEL_BARS] = bars_place,
    [PANEL_DIALS] = dials_place,     [PANEL_TABLE] = table_place,   [PANEL_TEXT] = text_place,
};

int figure_locate(const struct figure *f, int row, int col, double *x, double *y)
{
    for (size_t i = 0; i < f->n; i++) {
        const struct panel *p = &f->panel[i];
        int down = row - p->area.row, right = col - p->area.col;
        if (p->rows == 0 || down < 0 || down >= p->area.rows || right < 0 || right >= p->area.cols)
            continue;
        place_in[p->kind](p, down, right, x, y);
        return (int)i;
    }
    return -1;
}

/* ---- steps ------------------------------------------------------------------------------------------------- */

/* Starts in the middle of the axis. A place within a sample stays as it is until it moves to another one: to zoom keeps it, and other
 * panels may have set it. */
static double heatmap_moved(const struct axis *a, int n, double at, int by)
{
    double from = isnan(at) ? axis_at(a, 0.5) : at;
    int i = axis_sample(a, n, from), to = clamp(i + by, n);
    return to == i && axis_share(a, from) >= 0 && axis_share(a, from) < 1 ? from : middle(a, n, to);
}

static void heatmap_step(const struct panel *p, int right, int down, double *x, double *y)
{
    *x = heatmap_moved(&p->x, p->w, *x, right);
    *y = heatmap_moved(&p->y, p->h, *y, down);
}

/* Sideways from sample to sample; up and down by half a row of cells, for views whose cursor is a level. */
static void curves_step(const struct panel *p, int right, int down, double *x, double *y)
{
    struct axis value = panel_y_axis(p);
    double level = isnan(*y) ? 0.5 : axis_share(&value, *y) - 0.5 * down / p->area.rows;
    *y = axis_at(&value, fmin(fmax(level, 0), 1));
    if (p->n_xs) {
        int i = isnan(*x) ? (int)p->n_xs / 2 : nearest_x(p, *x) + right;
        *x = p->xs[clamp(i, (int)p->n_xs)];
    } else {
        double share = isnan(*x) ? 0.5 : axis_share(&p->x, *x) + (double)right / p->area.cols;
        *x = axis_at(&p->x, fmin(fmax(share, 0), 1));
    }
}

static void dials_step(const struct panel *p, int right, int down, double *x, double *y)
{
    *x = dial_x(p, panel_dial(p, *x) + right + down * p->w);
    *y = 0.5;
}

static void rows_step(int n, int start, int down, double *x, double *y)
{
    *y = clamp(isnan(*y) ? start : (int)*y + down, n) + 0.5;
    *x = 0.5;
}

static void bars_step(const struct panel *p, int right, int down, double *x, double *y)
{
    rows_step((int)p->n_bars, 0, down + right, x, y);
}

/* Starts below the heading and stays there. */
static void table_step(const struct panel *p, int right, int down, double *x, double *y)
{
    (void)right;
    rows_step((int)p->table_rows, 1, down, x, y);
    *y = p->table_rows > 1 && *y < 1 ? 1.5 : *y;
}

static void text_step(const struct panel *p, int right, int down, double *x, double *y)
{
    (void)right;
    rows_step(panel_lines(p), 0, down, x, y);
}

typedef void step_fn(const struct panel *p, int right, int down, double *x, double *y);
static step_fn *const step_in[PANEL_KIND_COUNT] = {
    [PANEL_HEATMAP] = heatmap_step, [PANEL_CURVES] = curves_step, [PANEL_BARS] = bars_step,
    [PANEL_DIALS] = dials_step,     [PANEL_TABLE] = table_step,   [PANEL_TEXT] = text_step,
};

void panel_step(const struct panel *p, int right, int down, double *x, double *y)
{
    if (p->rows > 0)
        step_in[p->kind](p, right, down, x, y);
}
