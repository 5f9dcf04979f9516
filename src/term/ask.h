/* ask.h - what a terminal is asked about itself when the program starts, and what its answers mean: is its background light, and does it
 * draw ambiguous characters (UAX #11) in two cells? Knows neither curses nor a file descriptor.
 *
 * An answer may be late, or never come. It counts for ASK_MS; whenever it comes it is kept from the keys (decode.h). */
#ifndef POSVIZ_TERM_ASK_H
#define POSVIZ_TERM_ASK_H

#include "base/buf.h"
#include "term/term.h"

enum { ASK_MS = 100 };

struct ask {
    long until;                     /* ms of ask_clock: answers count; 0: no longer */
    bool background, cursor;        /* asked, and not answered */
};

/* Appends the questions to out. The last is one that every terminal answers which answers at all, so that nothing is waited for behind it.
 * The second row is used, hidden, and blank again afterwards. until: when answers no longer count. */
void ask_begin(struct ask *a, struct buf *out, bool background, bool width, long until);
/* ms for which an answer that is still open would count; 0: nothing is worth waiting for. */
int ask_patience(const struct ask *a);
bool ask_open(const struct ask *a);                 /* an answer may still come, even if it no longer counts */

/* The text of an operating system command, and a report of where the cursor stands (from 1). False: it says nothing new. */
bool ask_string(struct ask *a, const char *text, struct event *event);
bool ask_cursor(struct ask *a, int row, int col, struct event *event);

long ask_clock(void);               /* ms, monotonic */

#endif
