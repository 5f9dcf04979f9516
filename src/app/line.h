/* line.h - a line of text being typed: UTF-8, edited by keys as in a shell. */
#ifndef POSVIZ_APP_LINE_H
#define POSVIZ_APP_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINE_MAX_BYTES = 512 };
struct line {
    char text[LINE_MAX_BYTES];
    size_t at;                      /* bytes before the cursor, at a character's boundary */
};
void line_set(struct line *l, const char *text);        /* cut to fit, cursor at the end */
/* Is the key a character to put in? */
bool line_types(uint32_t key);
/* Characters, Backspace, Delete, arrows, Home, End, Ctrl-A E B F D H K U W. False if the key is none of these, or has no room. */
bool line_key(struct line *l, uint32_t key);
/* Replaces the bytes from..cursor by text. */
void line_replace(struct line *l, size_t from, const char *text);

#endif
