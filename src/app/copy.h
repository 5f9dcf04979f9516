/* copy.h - to the clipboard: the value under the cursor, its row as CSV, the command of the screen, citations, findings.
 *
 * Where a copy goes: to the user's own command (--copy-command), inside tmux to `tmux load-buffer -w -`, else to the terminal as OSC 52. A terminal
 * never answers, and tmux hands a plain OSC 52 on only if told to, so the line of messages says what was tried, never more.
 *
 * Nothing waits for a program that is given a copy: it reads a file, and SIGCHLD wakes the loop when it has ended. */
#ifndef POSVIZ_APP_COPY_H
#define POSVIZ_APP_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "base/err.h"

struct app;

/* Programs that were given a copy and have not ended. */
struct copies {
    size_t n;
    struct copy_run { pid_t pid; char *name, *said; size_t bytes; } *run;      /* said: the message of the moment when it began */
};

/* Nothing is read from text but its bytes. */
void copy_text(struct app *app, const char *text);
void copy_value(struct app *app);               /* under the cursor, with all digits */
void copy_row(struct app *app);                 /* the heatmap's row, the curves, the table's row under the cursor, as CSV */
extern const char *const copy_whats[];          /* "command", "citation", "finding"; NULL ends */
/* One of those words; false with a message if it is none, or there is nothing of it. */
bool copy_what(struct app *app, const char *what, struct err *err);

/* In every turn of the loop: says how the programs that have ended did. */
void copy_take(struct app *app);
int copy_fd(void);                              /* to poll for reading: a program has ended; -1: none was started */
void copy_done(struct copies *c);

/* Bytes in base64 (RFC 4648), NUL-terminated; the caller frees it. */
char *copy_base64(const void *bytes, size_t n);

#endif
