/* rescue.h - the terminal put back on every way out, and signals as bytes in a pipe. Nothing here knows curses.
 *
 * rescue_open, rescue.out, rescue_signals and rescue.taken = 1 before anything touches the terminal, so that no signal finds it
 * changed and nobody to put it back; rescue.bytes when it is known what restores it. term_restore (term.h) is what every way out
 * calls; rescue_close ends it. */
#ifndef POSVIZ_TERM_RESCUE_H
#define POSVIZ_TERM_RESCUE_H

#include <signal.h>
#include <stdbool.h>
#include <termios.h>

struct rescue {
    volatile sig_atomic_t taken;    /* the terminal is ours and must be put back */
    volatile sig_atomic_t ended;    /* a signal has come that ends the program */
    volatile sig_atomic_t cut;      /* a frame is half sent */
    int in, out;                    /* keys come from, frames go to */
    int signals;                    /* the pipe: a byte for each signal, its number */
    struct termios original;
    char bytes[512];                /* what puts the terminal back */
};
extern struct rescue rescue;        /* one: signal handlers have no arguments */

/* Remembers the modes of in and every signal's action. False if there is no pipe to be had (errno). */
bool rescue_open(int in);
void rescue_signals(void);          /* from now on, but for what was ignored before */
void rescue_close(void);            /* the old actions and modes again; closes the pipe, not in and out */
/* Keeps what is written to a standard output and error that are terminals until the terminal is put back. */
void rescue_hush(void);
/* Sets the modes of in. Who does that in the background is stopped until it comes to the front, or is ended: false then. */
bool rescue_modes(const struct termios *modes);
/* Stops the program as Ctrl-Z does, and returns when it is continued. */
void rescue_stop(void);

#endif
