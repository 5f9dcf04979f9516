/* draw_dials.c - dials as circles of braille dots, twice as wide as high in cells and so round, with one or two hands. The second hand
 * is dotted, and so is the rim of a flagged dial: no meaning rests on colour alone. */
#include "figure/draw_panel.h"

#include <math.h>

#include "base/utf8.h"

enum { ACROSS = 2, DOWN = 4 };          /* dots of a cell */

struct circle { int y, x, rows, cols; double cy, cx, radius; };     /* cells; centre and radius in dots */

static struct circle circle_at(int y, int x, int rows, int cols)
{
    int side = min_int(DOWN * rows, ACROSS * cols);
    return (struct circle){y, x, rows, cols, (DOWN * rows - 1) / 2.0, (ACROSS * cols - 1) / 2.0, (side - 1) / 2.0};
}

static void set(struct dots *dots, const struct circle *c, double angle, double radius)
{
    dots_set(dots, (int)lround(c->cy - radius * sin(angle)), (int)lround(c->cx + radius * cos(angle)));
}

static void draw_rim(struct canvas *canvas, const struct circle *c, bool dotted, uint32_t color)
{
    struct dots *dots = dots_new(c->rows, c->cols);
    int n = (int)(2 * M_PI * c->radius * (dotted ? 0.4 : 1.5));
    for (int i = 0; i < n; i++)
        set(dots, c, 2 * M_PI * i / n, c->radius);
    dots_draw(dots, canvas, c->y, c->x, color);
    dots_free(dots);
}

static void draw_hand(struct canvas *canvas, const struct circle *c, double angle, double length, bool dotted, uint32_t color)
{
    if (!isfinite(angle))
        return;
    struct dots *dots = dots_new(c->rows, c->cols);
    double reach = c->radius * fmin(fmax(length, 0), 1);
    for (double r = 0; r <= reach + 1e-9; r += dotted ? 2 : 0.5)
        set(dots, c, angle, r);
    dots_draw(dots, canvas, c->y, c->x, color);
    dots_free(dots);
}

static void line(struct drawing *d, int y, int x, int cells, const char *text, enum role role, int attr)
{
    int w = min_int(utf8_width(text), cells - 1);
    canvas_text(d->c, y, x + (cells - w) / 2, w, text, role, attr);
}

static void draw_dial(struct drawing *d, const struct dial *dial, int y, int x, bool here)
{
    const struct panel *p = d->p;
    const struct theme *theme = d->c->theme;
    int cols = p->item_cols, lines = p->item_rows >= 6 ? 3 : p->item_rows >= 4 ? 1 : 0, rows = p->item_rows - lines;
    int wide = min_int(2 * rows, cols - 1);
    if (lines >= 1)
        line(d, y++, x, cols, dial->label, here ? ROLE_SELECTED : ROLE_TITLE, 0);
    if (lines == 3)
        line(d, y++, x, cols, dial->above, ROLE_DIM, 0);
    struct circle c = circle_at(y, x + (cols - wide) / 2, rows, wide);
    draw_rim(d->c, &c, dial->flagged, theme->role[dial->flagged ? ROLE_WARNING : ROLE_DIM].fg);
    draw_hand(d->c, &c, dial->angle[1], dial->length[1], true, theme->role[ROLE_SERIES_1].fg);
    draw_hand(d->c, &c, dial->angle[0], dial->length[0], false, theme->role[ROLE_SERIES_0].fg);
    if (lines == 3)
        line(d, y + rows, x, cols, dial->below, dial->flagged ? ROLE_WARNING : ROLE_TEXT, 0);
}

void draw_dials(struct drawing *d)
{
    const struct panel *p = d->p;
    size_t room = (size_t)p->w * (size_t)p->h;
    for (size_t i = 0; i < p->n_dials && i < room; i++) {
        int row = (int)i / p->w, col = (int)i % p->w;
        draw_dial(d, &p->dial[i], p->area.row + row * p->item_rows, p->area.col + col * p->item_cols,
                  (d->focused || (d->linked && !isnan(d->x))) && (size_t)panel_dial(p, d->x) == i);
    }
    int below = p->row + p->rows - 1;
    if (p->note[0] && !d->note_shown && below >= p->area.row + p->h * p->item_rows)
        canvas_text(d->c, below, p->area.col, p->area.cols, p->note, ROLE_TEXT, 0);
}
