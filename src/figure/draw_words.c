/* draw_words.c - tables whose columns are aligned and fit, and text wrapped by cells. Both start at y.from and say how much is left
 * below. */
#include "figure/draw_panel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "figure/wrap.h"

/* Formats of our own catalogue, checked by msgfmt. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* On the title's rule where it is free, else at the end of the last row. */
void draw_more(struct drawing *d, size_t left)
{
    const struct panel *p = d->p;
    char text[64];
    snprintf(text, sizeof text, lang_text(d->o->lang, N_(" %zu more below ")), left);
    bool on_rule = p->area.row > p->row && !p->note[0] && utf8_width(p->title) + utf8_width(text) + 6 <= p->cols;
    int w = min_int(utf8_width(text), p->area.cols), y = on_rule ? p->row : p->area.row + p->area.rows - 1;
    canvas_text(d->c, y, p->area.col + p->area.cols - w - on_rule, w, text, ROLE_ACCENT, 0);
}

static size_t first_of(const struct panel *p)
{
    return p->y.from > 0 ? (size_t)p->y.from : 0;
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */

static const char *cell_text(const struct panel *p, size_t row, size_t col)
{
    const char *text = p->cell[row * p->table_cols + col].text;
    return text ? text : "";
}

static void natural_widths(const struct panel *p, int *width)
{
    for (size_t r = 0; r < p->table_rows; r++)
        for (size_t c = 0; c < p->table_cols; c++)
            width[c] = max_int(width[c], utf8_width(cell_text(p, r, c)));
}

static bool is_number_column(const struct panel *p, size_t col)
{
    return p->table_rows > 1 && p->cell[p->table_cols + col].right;
}

static int body_width(const struct panel *p, size_t col)
{
    int w = 0;
    for (size_t r = 1; r < p->table_rows; r++)
        w = max_int(w, utf8_width(cell_text(p, r, col)));
    return w;
}

/* The column to take a cell from: the one whose heading is much too long for what stands below it; then the widest of words; then
 * the widest of numbers. */
static int *column_to_shrink(const struct panel *p, int *width)
{
    enum { LEAST = 4, TOO_LONG = 4 };
    int *best = NULL, most = TOO_LONG;
    for (size_t c = 0; c < p->table_cols; c++)
        if (width[c] > LEAST && width[c] - body_width(p, c) > most) {
            most = width[c] - body_width(p, c);
            best = &width[c];
        }
    for (int numbers = 0; numbers < 2 && !best; numbers++)
        for (size_t c = 0; c < p->table_cols; c++)
            if (is_number_column(p, c) == numbers && width[c] > LEAST && (!best || width[c] > *best))
                best = &width[c];
    return best;
}

static void shrink_widths(const struct panel *p, int *width, int room)
{
    int total = 2 * ((int)p->table_cols - 1);
    for (size_t c = 0; c < p->table_cols; c++)
        total += width[c];
    for (; total > room; total--) {
        int *column = column_to_shrink(p, width);
        if (!column)
            return;
        --*column;
    }
}

static void draw_row(struct drawing *d, int y, size_t row, const int *width, bool here)
{
    const struct panel *p = d->p;
    int x = p->area.col, right = p->area.col + p->area.cols;
    if (here)
        canvas_fill(d->c, (struct rect){y, x, 1, p->area.cols}, ' ', ROLE_SELECTED, 0);
    for (size_t c = 0; c < p->table_cols && x < right; c++) {
        const struct text_cell *cell = &p->cell[row * p->table_cols + c];
        int w = min_int(width[c], right - x), attr = row == 0 ? ATTR_BOLD : 0;
        bool to_the_right = cell->right || (row == 0 && is_number_column(p, c));
        enum role role = here ? ROLE_SELECTED : row == 0 ? ROLE_DIM : cell->role;
        if (to_the_right)
            canvas_text_right(d->c, y, x, w, cell_text(p, row, c), role, attr);
        else
            canvas_text(d->c, y, x, w, cell_text(p, row, c), role, attr);
        x += w + 2;
    }
}

void draw_table(struct drawing *d)
{
    const struct panel *p = d->p;
    if (!p->cell || p->table_cols == 0 || p->table_rows == 0)
        return;
    int *width = xcalloc(p->table_cols, sizeof *width);
    natural_widths(p, width);
    shrink_widths(p, width, p->area.cols);
    size_t here = d->focused && d->y >= 0 ? (size_t)d->y : (size_t)-1;
    draw_row(d, p->area.row, 0, width, here == 0);
    size_t row = 1 + first_of(p);
    for (int y = 1; y < p->area.rows && row < p->table_rows; y++, row++)
        draw_row(d, p->area.row + y, row, width, here == row);
    if (row < p->table_rows && p->area.rows > 2)
        draw_more(d, p->table_rows - row);
    free(width);
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

static void draw_line(struct drawing *d, int y, int x, int cells, const struct text_line *line)
{
    char text[1024];
    snprintf(text, sizeof text, "%.*s", (int)line->size, line->text);
    if (line->item)
        canvas_put(d->c, y, x, 0x2022, ROLE_DIM, 0);
    canvas_text(d->c, y, x + line->indent, cells - line->indent, text, line->heading ? ROLE_TITLE : ROLE_TEXT, line->heading ? ATTR_BOLD : 0);
}

void draw_text(struct drawing *d)
{
    const struct panel *p = d->p;
    if (!p->text)
        return;
    int margin, cells = panel_text_cells(p, &margin);
    size_t n, i = first_of(p);
    struct text_line *lines = wrap_text(p->text, cells, &n);
    for (int y = 0; y < p->area.rows && i < n; y++, i++)
        draw_line(d, p->area.row + y, p->area.col + margin, cells, &lines[i]);
    if (i < n)
        draw_more(d, n - i);
    free(lines);
}
