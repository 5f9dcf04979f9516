/* draw_words.c - tables whose columns are aligned and fit, and text wrapped by cells. Both start at y.from and say how much is left
 * below. */
#include "figure/draw_panel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "figure/table.h"
#include "figure/wrap.h"

/* Formats of our own catalogue, checked by msgfmt. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static bool is_digit(const struct cell *cell)
{
    return cell->ch >= '0' && cell->ch <= '9';
}

/* Blanks part words, but for those that group digits. */
static bool in_word(const struct cell *row, int x, int cols)
{
    return row[x].width == 1 && (row[x].ch != ' ' || (x > 0 && x + 1 < cols && is_digit(&row[x - 1]) && is_digit(&row[x + 1])));
}

/* A note that covers a row from x on may leave the beginning of a word or number, which reads as another: a mark stands in its place. */
static void drop_cut_word(struct canvas *c, int y, int x, int from)
{
    if (y < 0 || y >= c->rows || from < 0 || x >= c->cols)
        return;
    const struct cell *row = &c->cell[y * c->cols];
    int start = x;
    while (start > from && in_word(row, start - 1, c->cols))
        start--;
    for (int i = start; i < x && in_word(row, x, c->cols); i++)
        canvas_put(c, y, i, i == start ? 0x2026 : ' ', ROLE_DIM, 0);
}

static void words_of_more(const struct drawing *d, size_t left, char *out, size_t size)
{
    snprintf(out, size, lang_text(d->o->lang, N_(" %zu more below ")), left);
}

/* Is the title's rule free for so many words? */
static bool more_on_rule(const struct drawing *d, const char *text)
{
    const struct panel *p = d->p;
    int note = d->note_shown ? utf8_width(p->note) + 2 : 0;
    return p->area.row > p->row && utf8_width(p->title) + utf8_width(text) + note + 6 <= p->cols;
}

/* On the title's rule where it is free, else at the end of the last row. */
void draw_more(struct drawing *d, size_t left)
{
    const struct panel *p = d->p;
    char text[64];
    words_of_more(d, left, text, sizeof text);
    bool on_rule = more_on_rule(d, text);
    int note = d->note_shown ? utf8_width(p->note) + 2 : 0;
    int w = min_int(utf8_width(text), p->area.cols), y = on_rule ? p->row : p->area.row + p->area.rows - 1;
    int x = p->area.col + p->area.cols - w - (on_rule ? 1 + note : 0);
    if (!on_rule)
        drop_cut_word(d->c, y, x, p->area.col);
    canvas_text(d->c, y, x, w, text, ROLE_ACCENT, 0);
}

static size_t first_of(const struct panel *p)
{
    return p->y.from > 0 ? (size_t)p->y.from : 0;
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */

static void draw_cell(struct drawing *d, struct rect r, const char *text, bool to_the_right, enum role role, int attr)
{
    size_t n;
    struct text_line *lines = wrap_text(text, r.cols, &n);
    for (int y = 0; y < r.rows && (size_t)y < n; y++) {
        bool last = y == r.rows - 1 && (size_t)y + 1 < n;           /* what does not fit is cut with a mark */
        char line[512];
        snprintf(line, sizeof line, "%.*s", last ? (int)strlen(lines[y].text) : (int)lines[y].size, lines[y].text);
        if (to_the_right)
            canvas_text_right(d->c, r.y + y, r.x, r.cols, line, role, attr);
        else
            canvas_text(d->c, r.y + y, r.x, r.cols, line, role, attr);
    }
    free(lines);
}

static void draw_row(struct drawing *d, int y, size_t row, const struct table_shape *shape, bool here)
{
    const struct panel *p = d->p;
    int x = p->area.col, right = p->area.col + p->area.cols, rows = min_int(shape->lines[row], p->area.row + p->area.rows - y);
    if (here)
        canvas_fill(d->c, (struct rect){y, x, rows, p->area.cols}, ' ', ROLE_SELECTED, 0);
    for (size_t c = 0; c < p->table_cols && x < right; c++) {
        const struct text_cell *cell = &p->cell[row * p->table_cols + c];
        int w = min_int(table_cell_width(p, shape, row, c), right - x);
        char fitted[48];
        const char *text = table_fitted(p, row, c, w, fitted, sizeof fitted);
        bool to_the_right = cell->right || (row == 0 && table_is_number_column(p, c));
        enum role role = here ? ROLE_SELECTED : row == 0 ? ROLE_DIM : cell->role;
        draw_cell(d, (struct rect){y, x, rows, w}, text, to_the_right, role, row == 0 ? ATTR_BOLD : 0);
        x += shape->width[c] + TABLE_GAP;
    }
}

/* The rows that are shown, one fewer where the words of what is below would stand on the last one's. */
static size_t shown_end(const struct drawing *d, const struct table_shape *s)
{
    char text[64];
    int used = 0;
    for (size_t r = s->first; r < s->end; r++)
        used += s->lines[r];
    words_of_more(d, d->p->table_rows - s->end + 1, text, sizeof text);
    bool below = s->end < d->p->table_rows && !more_on_rule(d, text), full = s->lines[0] + used == d->p->area.rows;
    return s->end - (below && full && s->end > s->first + 1);
}

void draw_table(struct drawing *d)
{
    const struct panel *p = d->p;
    if (!p->cell || p->table_cols == 0 || p->table_rows == 0)
        return;
    struct table_shape shape = table_shape(p);
    size_t here = d->focused && d->y >= 0 ? (size_t)d->y : (size_t)-1, end = shown_end(d, &shape);
    int y = p->area.row;
    draw_row(d, y, 0, &shape, here == 0);
    y += shape.lines[0];
    for (size_t row = shape.first; row < end; y += shape.lines[row++])
        draw_row(d, y, row, &shape, here == row);
    if (end < p->table_rows && p->area.rows > 2)
        draw_more(d, p->table_rows - end);
    table_shape_done(&shape);
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
