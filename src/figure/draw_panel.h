/* draw_panel.h - what the drawings of the several kinds of panels share. For src/figure only. */
#ifndef POSVIZ_FIGURE_DRAW_PANEL_H
#define POSVIZ_FIGURE_DRAW_PANEL_H

#include "figure/draw.h"
#include "figure/ints.h"

/* One panel to be drawn. p is placed on the canvas: its cells and its area are moved to where the figure stands. */
struct drawing {
    struct canvas *c;
    struct panel *p;
    const struct draw_options *o;
    bool focused;                       /* the cursor is here, at (x, y) */
    bool linked;                        /* or it is in another panel, and (x, y) is its place here */
    double x, y;
    bool note_shown;                    /* the note found room beside the title */
};

void draw_heatmap(struct drawing *d);
void draw_curves(struct drawing *d);
void draw_bars(struct drawing *d);
void draw_dials(struct drawing *d);
void draw_table(struct drawing *d);
void draw_text(struct drawing *d);

/* "12 more below", at the end of the last row (draw_words.c). */
void draw_more(struct drawing *d, size_t left);

/* The cell, counted from the area's corner, that shows a value of the axis. */
typedef int cell_fn(const struct panel *p, double at);
cell_fn heatmap_col, heatmap_row, curves_col;

/* ---- beside the data (draw_axes.c) --------------------------------------------------------------------------- */

/* Rows of the panel below its data area. */
int rows_below(const struct drawing *d);
/* A vertical line of glyphs. */
void draw_column(struct drawing *d, int y, int x, int rows, uint32_t ch, enum role role);
/* Tick labels under the area, each centred on its cell, with the axis' name at the right end; the cursor's place stands out. */
void draw_x_ticks(struct drawing *d, int row, cell_fn *column);
/* The name that the axis has room for at its right end; "" if none. Returns out. */
const char *x_axis_name(struct drawing *d, cell_fn *column, char *out, size_t size);
/* The y axis' line with ticks and labels left of the area. */
void draw_y_ticks(struct drawing *d, const struct axis *y, cell_fn *row);

#endif
