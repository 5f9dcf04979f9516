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

/* Words whose cells on the right are all empty take their room. */
static bool reaches_over(const struct panel *p, size_t row, size_t col)
{
    if (col + 1 >= p->table_cols || p->cell[row * p->table_cols + col].right || !*table_text(p, row, col))
        return false;
    for (size_t c = col + 1; c < p->table_cols; c++)
        if (*table_text(p, row, c))
            return false;
    return true;
}

int table_cell_width(const struct panel *p, const struct table_shape *s, size_t row, size_t col)
{
    int w = s->width[col];
    for (size_t c = col + 1; c < p->table_cols && reaches_over(p, row, col); c++)
        w += TABLE_GAP + s->width[c];
    return w;
}

/* Of the cells from a row on, but for those that reach over others. */
static int widest(const struct panel *p, size_t col, size_t from_row)
{
    int w = 0;
    for (size_t r = from_row == 0 && p->facts ? 1 : from_row; r < p->table_rows; r++)
        if (!reaches_over(p, r, col))
            w = max_int(w, utf8_width(table_text(p, r, col)));
    return w;
}

static int longest_word(const struct panel *p, size_t col)
{
    int w = 0;
    for (size_t r = p->facts ? 1 : 0; r < p->table_rows; r++)
        if (!reaches_over(p, r, col))
            w = max_int(w, wrap_longest_word(table_text(p, r, col)));
    return w;
}

/* What a column needs: of its cells, of those below the heading, and of their longest word. */
struct column { int width, body, least; bool numbers; };

/* The column to take a cell from, of those wider than least: the one whose heading is much too long for what stands below it; then the
 * widest of words; then the widest of numbers. */
static struct column *column_to_shrink(struct column *column, size_t n)
{
    enum { TOO_LONG = 4 };
    struct column *best = NULL;
    int most = TOO_LONG;
    for (size_t c = 0; c < n; c++)
        if (column[c].width > column[c].least && column[c].width - column[c].body > most) {
            most = column[c].width - column[c].body;
            best = &column[c];
        }
    for (int numbers = 0; numbers < 2 && !best; numbers++)
        for (size_t c = 0; c < n; c++)
            if (column[c].numbers == numbers && column[c].width > column[c].least && (!best || column[c].width > best->width))
                best = &column[c];
    return best;
}

/* Returns what is still missing. */
static int shrink(struct column *column, size_t n, int excess)
{
    for (; excess > 0; excess--) {
        struct column *next = column_to_shrink(column, n);
        if (!next)
            break;
        next->width--;
    }
    return excess;
}

/* What is left goes to cells that reach over others and are still too long. */
static void grow_to(const struct panel *p, struct table_shape *s, int left)
{
    for (size_t r = 0; r < p->table_rows; r++)
        for (size_t c = 0; c + 1 < p->table_cols && left > 0; c++) {
            int more = min_int(utf8_width(table_text(p, r, c)) - table_cell_width(p, s, r, c), left);
            if (reaches_over(p, r, c) && more > 0) {
                s->width[c] += more;
                left -= more;
            }
        }
}

/* Natural widths; what is too much is taken where no word is broken but the very long, and then from others too. */
static void fit_columns(const struct panel *p, struct table_shape *s, int room)
{
    enum { LEAST = 4, VERY_LONG = 20 };
    size_t n = p->table_cols;
    struct column *column = xcalloc(n, sizeof *column);
    int excess = TABLE_GAP * ((int)n - 1) - room;
    for (size_t c = 0; c < n; c++) {
        column[c] = (struct column){widest(p, c, 0), widest(p, c, 1), max_int(min_int(longest_word(p, c), VERY_LONG), LEAST), table_is_number_column(p, c)};
        excess += column[c].width;
    }
    if (excess > 0 && (excess = shrink(column, n, excess)) > 0) {
        for (size_t c = 0; c < n; c++)
            column[c].least = LEAST;
        excess = shrink(column, n, excess);
    }
    for (size_t c = 0; c < n; c++)
        s->width[c] = column[c].width;
    grow_to(p, s, -excess);
    free(column);
}

const char *table_fitted(const struct panel *p, size_t row, size_t col, int width, char *out, size_t size)
{
    const char *text = table_text(p, row, col);
    double number = p->cell[row * p->table_cols + col].number;
    for (int digits = 6; isfinite(number) && utf8_width(text) > width && digits > 0; digits--)
        text = format_number(out, size, number, digits);
    return text;
}

static int lines_of(const struct panel *p, const struct table_shape *s, size_t row)
{
    int lines = 1;
    for (size_t c = 0; c < p->table_cols; c++) {
        char fitted[48];
        int width = table_cell_width(p, s, row, c);
        const char *text = table_fitted(p, row, c, width, fitted, sizeof fitted);
        if (utf8_width(text) <= width)
            continue;
        size_t n;
        free(wrap_text(text, width, &n));
        lines = max_int(lines, (int)n);
    }
    return lines;
}

/* Cells are wrapped, so that they can be read whole; rows that find no room are reached by scrolling. Only a row that is higher than the
 * area, and a heading higher than half of it, are cut. */
static void measure_rows(const struct panel *p, struct table_shape *s)
{
    int most = max_int(p->area.rows / 2, 1);
    for (size_t r = 0; r < p->table_rows; r++) {
        s->lines[r] = r == 0 && p->facts ? 0 : min_int(lines_of(p, s, r), most);
        most = r == 0 ? max_int(p->area.rows - s->lines[0], 1) : most;
    }
}

/* One past the last row that has room below the heading. */
static size_t end_of(const struct panel *p, const struct table_shape *s)
{
    size_t end = s->first;
    for (int used = s->lines[0]; end < p->table_rows && (used += s->lines[end]) <= p->area.rows;)
        end++;
    return end;
}

struct table_shape table_shape(const struct panel *p)
{
    struct table_shape s = {xcalloc(p->table_cols, sizeof *s.width), xcalloc(p->table_rows, sizeof *s.lines), 1, 1};
    if (p->table_rows == 0)
        return s;
    fit_columns(p, &s, p->area.cols);
    measure_rows(p, &s);
    s.first = 1 + (p->y.from > 0 ? (size_t)p->y.from : 0);
    s.end = end_of(p, &s);
    return s;
}

size_t table_first_for(const struct panel *p, size_t row)
{
    struct table_shape s = table_shape(p);
    int room = p->area.rows - (p->table_rows ? s.lines[0] : 0), used = 0;
    size_t last = p->table_rows, first = row;
    while (last > 1 && used + s.lines[last - 1] <= room)
        used += s.lines[--last];
    for (used = row < p->table_rows ? s.lines[row] + 1 : 1; first > 1 && used + s.lines[first - 1] <= room;)
        used += s.lines[--first];
    table_shape_done(&s);
    return first < last ? first : last;
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
