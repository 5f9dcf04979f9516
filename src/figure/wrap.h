/* wrap.h - text broken into lines of cells. Chinese breaks between any two characters, but no line begins with a closing mark or
 * ends with an opening one; other text breaks at spaces, but not at those within a number (131 072); a word longer than
 * a line is parted, after a point, slash or underscore if it has one.
 *
 * Marks of the plain text: a line that starts with "# " is a heading, one that starts with "- " an item, whose further lines are
 * indented; an empty line is kept. */
#ifndef POSVIZ_FIGURE_WRAP_H
#define POSVIZ_FIGURE_WRAP_H

#include <stdbool.h>
#include <stddef.h>

struct text_line {
    const char *text; size_t size;      /* a run of the wrapped text, without its marks; not NUL-ended */
    int indent;                         /* cells before it */
    bool heading, item;                 /* item: the first line of one */
};
/* All lines of a text, at most cells wide with their indent; the caller frees the array. text must outlive it. */
struct text_line *wrap_text(const char *text, int cells, size_t *n);

/* Cells of the longest part of a text that no line break divides. */
int wrap_longest_word(const char *text);

struct panel;
/* Cells of a line in a text panel's area, and the margin before it. */
int panel_text_cells(const struct panel *p, int *margin);

#endif
