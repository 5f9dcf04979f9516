/* table.h - the shape of a table in its panel: widths of the columns and lines of the rows. Drawing and cursor share it. */
#ifndef POSVIZ_FIGURE_TABLE_H
#define POSVIZ_FIGURE_TABLE_H

#include "figure/figure.h"

enum { TABLE_GAP = 2 };                 /* blank columns between columns */

struct table_shape {
    int *width;                         /* of table_cols columns */
    int *lines;                         /* of table_rows rows: 1, or more where cells are wrapped */
    size_t first, end;                  /* the rows below the heading that are shown, end excluded */
};
struct table_shape table_shape(const struct panel *p);
/* Cells that a cell may fill: those of its column, and of empty ones on its right if none of them has words. */
int table_cell_width(const struct panel *p, const struct table_shape *s, size_t row, size_t col);
/* The first row to be shown below the heading so that a row, from 1, is in sight, with a line below it unless it is the last. */
size_t table_first_for(const struct panel *p, size_t row);
/* Lines that the whole table takes in so many columns, headings and wrapped cells included. */
int table_height(const struct panel *p, int cols);
void table_shape_done(struct table_shape *s);

const char *table_text(const struct panel *p, size_t row, size_t col);
/* The same in so many cells: a number that is too long for them is rounded, never cut within its digits. */
const char *table_fitted(const struct panel *p, size_t row, size_t col, int width, char *out, size_t size);
/* Does the column hold numbers, right-aligned? Its heading is aligned likewise. */
bool table_is_number_column(const struct panel *p, size_t col);
/* The row of the table at a line of its area, the heading being row 0; the last one for lines below it. */
size_t table_row_at(const struct panel *p, int line);

#endif
