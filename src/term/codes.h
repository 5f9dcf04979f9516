/* codes.h - what a terminal understands, from its description; curses must have loaded that (newterm).
 *
 * codes_can_move, then codes_read if it can, codes_done. */
#ifndef POSVIZ_TERM_CODES_H
#define POSVIZ_TERM_CODES_H

#include "term/frame.h"
#include "term/kind.h"

/* A string of the description by its name in terminfo ("smcup"); NULL: it has none. The caller frees it. */
char *codes_capability(const char *name);
/* Can the cursor be moved? Nothing can be shown otherwise. */
bool codes_can_move(void);
void codes_read(struct codes *codes, enum color_depth depth, const struct kind *kind);
void codes_done(struct codes *codes);
/* Appends what moves the cursor. */
void codes_move(struct buf *out, int y, int x);

#endif
