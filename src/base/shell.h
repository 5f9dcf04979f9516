/* shell.h - words of a command line as a POSIX shell writes and reads them, without any expansion: nothing is ever run. */
#ifndef POSVIZ_BASE_SHELL_H
#define POSVIZ_BASE_SHELL_H

#include "base/buf.h"

/* Appends the word, in single quotes where a shell needs them. */
void shell_word(struct buf *out, const char *word);

/* Splits text in place into words: '...' as it stands, "..." with \ before " \ $ and `, \ before any other character. A word that begins with '#'
 * ends the line; *rest, if asked for, is what follows it, NULL where there is none. Returns the number of words, or -1: more than max,
 * or a quote that is not closed. */
int shell_split(char *text, char **words, int max, char **rest);

#endif
