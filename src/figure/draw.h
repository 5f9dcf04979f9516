/* draw.h - a figure on a canvas. The only place that draws figures in cells. */
#ifndef POSVIZ_FIGURE_DRAW_H
#define POSVIZ_FIGURE_DRAW_H

#include "canvas/canvas.h"
#include "figure/figure.h"

struct cursor { int panel; double x, y; };      /* real coordinates; panel -1: none */

struct draw_options {
    const struct colormap *map;                 /* for unsigned data; signed (centred) panels use the diverging map */
    struct cursor cursor;
    const struct cursor *linked; size_t n_linked;       /* places in other panels that share a coordinate with the cursor's */
    enum lang lang;                             /* for "masked", "mean of 16 x 16", ... */
};
/* Draws a figure that figure_layout has placed, with its top left corner at (y, x). Panels whose data is missing are drawn
 * with their axes only. */
void figure_draw(const struct figure *f, struct canvas *c, int y, int x, const struct draw_options *options);

#endif
