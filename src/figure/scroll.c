/* scroll.c - tables and texts that are longer than their area: how long they are, and which part is shown. */
#include "figure/figure.h"

#include <math.h>
#include <stdlib.h>

#include "figure/ints.h"
#include "figure/table.h"
#include "figure/wrap.h"

int panel_text_cells(const struct panel *p, int *margin)
{
    enum { READABLE = 84 };             /* longer lines are hard to read */
    *margin = p->area.cols >= 30 ? 1 : 0;
    return min_int(p->area.cols - 2 * *margin, READABLE);
}

int panel_lines(const struct panel *p)
{
    int margin;
    size_t n = 0;
    if (p->kind == PANEL_TABLE)
        return max_int((int)p->table_rows - 1, 0);
    if (p->kind == PANEL_TEXT && p->text)
        free(wrap_text(p->text, panel_text_cells(p, &margin), &n));
    return (int)n;
}

/* A table moves when its cursor would leave it; a text keeps its cursor, which is not drawn, in the middle. */
void panel_follow(struct panel *p, double y)
{
    if (p->kind != PANEL_TABLE && p->kind != PANEL_TEXT)
        return;
    if (p->kind == PANEL_TABLE) {
        size_t row = y >= 2 ? (size_t)fmin(y, fmax((double)p->table_rows - 1, 1)) : 1;
        p->y.from = p->cell ? (double)table_first_for(p, row) - 1 : 0;
    } else {
        int shown = p->area.rows, hidden = panel_lines(p) - shown, line = isnan(y) ? 0 : (int)y;
        p->y.from = min_int(max_int(line - shown / 2, 0), max_int(hidden, 0));
    }
}
