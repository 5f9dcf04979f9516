/* utf8.h - text as terminals see it: cells, not bytes. Widths are those of wcwidth in a UTF-8 locale but do
 * not depend on the locale of the process. */
#ifndef POSVIZ_BASE_UTF8_H
#define POSVIZ_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decodes one character at *text, moves *text past it and returns it; 0 at the end. A malformed byte gives
 * U+FFFD and moves by one byte. */
uint32_t utf8_next(const char **text);

/* Encodes c into out (up to 4 bytes and a NUL); returns the number of bytes. */
size_t utf8_encode(uint32_t c, char out[5]);

/* Cells of a character: 0 combining, 1, or 2 (East Asian wide). Control characters: 0. */
int utf8_char_width(uint32_t c);
int utf8_width(const char *text);
/* Terminals disagree whether it takes one cell or two: frames, blocks, Greek, quotation marks, ... */
bool utf8_is_ambiguous(uint32_t c);

/* Bytes of the longest prefix of text that fits in cells. */
size_t utf8_fit(const char *text, int cells);

/* Copies text into out (size bytes with the NUL): control characters (C0, DEL, C1), bidirectional overrides
 * and malformed bytes become '?', cut at a character's boundary. Everything that comes from a file goes
 * through here before it reaches a screen or a message. Returns out. */
char *utf8_sanitise(char *out, size_t size, const char *text);
/* The same for text of several lines, whole, with its line ends and tabs: what leaves the program for a clipboard or a shell. The caller frees it. */
char *utf8_harmless(const char *text);

#endif
