#include "figure/table.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "figure/ints.h"
#include "figure/wrap.h"

const char *table_text(const struct panel *p, size_t row, size_t col)
{
    const char *text = p->cell[row * p->table_cols + col].text;
    return text ? text : "";
}

bool table_is_number_column(const struct panel *p, size_t col)
{
    return p->table_rows > 1 && p->cell[p->table_cols + col].right;
}

static int widest(const struct panel *p, size_t col, size_t from_row)
{
    int w = 0;
    for (size_t r = from_row == 0 && p->facts ? 1 : from_row; r < p->table_rows; r++)
        w = max_int(w, utf8_width(table_text(p, r, col)));
    return w;
}

/* The column to take a cell from: the one whose heading is much too long for what stands below it; then the widest of words; then
 * the widest of numbers. */
static int *column_to_shrink(const struct panel *p, int *width)
{
    enum { LEAST = 4, TOO_LONG = 4 };
    int *best = NULL, most = TOO_LONG;
    for (size_t c = 0; c < p->table_cols; c++)
        if (width[c] > LEAST && width[c] - widest(p, c, 1) > most) {
            most = width[c] - widest(p, c, 1);
            best = &width[c];
        }
    for (int numbers = 0; numbers < 2 && !best; numbers++)
        for (size_t c = 0; c < p->table_cols; c++)
            if (table_is_number_column(p, c) == numbers && width[c] > LEAST && (!best || width[c] > *best))
                best = &width[c];
    return best;
}

static void shrink_to(const struct panel *p, int *width, int room)
{
    int total = TABLE_GAP * ((int)p->table_cols - 1);
    for (size_t c = 0; c < p->table_cols; c++)
        total += width[c];
    for (; total > room; total--) {
        int *column = column_to_shrink(p, width);
        if (!column)
            return;
        --*column;
    }
}

const char *table_fitted(const struct panel *p, size_t row, size_t col, int width, char *out, size_t size)
{
    const char *text = table_text(p, row, col);
    double number = p->cell[row * p->table_cols + col].number;
    for (int digits = 6; isfinite(number) && utf8_width(text) > width && digits > 0; digits--)
        text = format_number(out, size, number, digits);
    return text;
}

static int lines_of(const struct panel *p, size_t row, const int *width)
{
    int lines = 1;
    for (size_t c = 0; c < p->table_cols; c++) {
        char fitted[48];
        const char *text = table_fitted(p, row, c, width[c], fitted, sizeof fitted);
        if (utf8_width(text) <= width[c])
            continue;
        size_t n;
        free(wrap_text(text, width[c], &n));
        lines = max_int(lines, (int)n);
    }
    return lines;
}

/* Takes lines from the tallest cells until all rows fit; where even one line a row is too many, the table is scrolled. */
static void shorten(const struct panel *p, int *lines, int total)
{
    while (total > p->area.rows) {
        size_t tallest = 0;
        for (size_t r = 1; r < p->table_rows; r++)
            tallest = lines[r] > lines[tallest] ? r : tallest;
        if (lines[tallest] <= 1)
            return;
        lines[tallest]--;
        total--;
    }
}

struct table_shape table_shape(const struct panel *p)
{
    struct table_shape s = {xcalloc(p->table_cols, sizeof *s.width), xcalloc(p->table_rows, sizeof *s.lines), 1};
    for (size_t c = 0; c < p->table_cols; c++)
        s.width[c] = widest(p, c, 0);
    shrink_to(p, s.width, p->area.cols);
    s.first = 1 + (p->y.from > 0 ? (size_t)p->y.from : 0);
    int total = 0;
    for (size_t r = 0; r < p->table_rows; r++)
        total += s.lines[r] = r == 0 && p->facts ? 0 : lines_of(p, r, s.width);
    shorten(p, s.lines, total);         /* all rows are worth more than the ends of a few cells */
    return s;
}

int table_height(const struct panel *p, int cols)
{
    struct panel roomy = *p;
    roomy.area = (struct rect_cells){0, 0, 1 << 20, cols};
    struct table_shape s = table_shape(&roomy);
    int rows = 0;
    for (size_t r = 0; r < p->table_rows; r++)
        rows += s.lines[r];
    table_shape_done(&s);
    return rows;
}

void table_shape_done(struct table_shape *s)
{
    free(s->width);
    free(s->lines);
}

size_t table_row_at(const struct panel *p, int line)
{
    if (p->table_rows == 0 || p->table_cols == 0)
        return 0;
    struct table_shape s = table_shape(p);
    size_t row = 0;
    for (int below = s.lines[0]; line >= below && row + 1 < p->table_rows; below += s.lines[row])
        row = row == 0 && s.first < p->table_rows ? s.first : row + 1;
    table_shape_done(&s);
    return row;
}
