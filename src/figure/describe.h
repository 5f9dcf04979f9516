/* describe.h - a figure in words: what a picture tells the eye, told one sentence a line, for a screen reader or a Braille line.
 *
 * Lines are whole paragraphs (whoever shows them breaks them), none is empty, and they hold no frames, no bars and no control characters.
 * What matters most comes first. Numbers are those of the figure, without spaces between their digits. Lay the figure out with
 * figure_layout_words and compute it; then describe_head, and describe_panel for every panel. */
#ifndef POSVIZ_FIGURE_DESCRIBE_H
#define POSVIZ_FIGURE_DESCRIBE_H

#include "base/buf.h"
#include "figure/figure.h"

/* The caption, the warning and the source. */
void describe_head(const struct figure *f, enum lang lang, struct buf *out);
/* A panel. Returns how many of its lines are the message; those after them are details (all rows of a table, every dial). before: the panel
 * said before it, or NULL: axes that are the same need not be said again. */
size_t describe_panel(const struct panel *p, const struct panel *before, enum lang lang, struct buf *out);

/* A row of a table by itself, as describe_panel says it; the heading is row 0, and is not said. False: there is no such row. */
bool describe_row(const struct panel *p, size_t row, enum lang lang, struct buf *out);

/* A number as it is said: 6 digits, whole ones in full: "131072", "1.5e-07", "minus infinity". Returns out. */
char *describe_number(char *out, size_t size, double x, enum lang lang);
/* Appends one line of any text: what is drawn (boxes, bars, dots, arrows of menus) and control characters are left out, and nothing is
 * appended if no letter or digit is left. True if a line was. */
bool describe_line(struct buf *out, const char *text);
/* The same for text in which numbers are written with spaces between their digits ("131 072"). */
bool describe_numbers_line(struct buf *out, const char *text);

#endif
