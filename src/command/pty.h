/* pty.h - this program on a terminal of its own, driven and timed from outside, as a user's terminal drives it. */
#ifndef POSVIZ_COMMAND_PTY_H
#define POSVIZ_COMMAND_PTY_H

#include <stdbool.h>
#include <sys/types.h>

struct pty {
    int master;
    pid_t pid;
    long bytes, frames, pings, answers;     /* received so far, by what the program sent; pings were sent to it */
    char tail[32];                          /* of what came last: marks may come in two pieces */
    int n_tail;
};

/* Starts this executable with args (NULL-terminated; the first is its name, and one must be --test-sync) in 24-bit colours. */
bool pty_start(struct pty *p, int rows, int cols, const char *const *args);
void pty_stop(struct pty *p);                       /* closes the terminal under it and waits for its end */
void pty_type(struct pty *p, const char *bytes);
/* Reads for some seconds, or until something has come. False when the program is gone. */
bool pty_read(struct pty *p, double seconds);
bool pty_wait(struct pty *p, double seconds);
void pty_ping(struct pty *p);                       /* it answers once it is idle, with all drawn */
bool pty_settle(struct pty *p);                     /* a ping and its answer */

/* What the kernel counts of the program, all its threads; NAN if it does not tell. */
double pty_cpu_seconds(const struct pty *p);
double pty_writes(const struct pty *p);             /* calls of write to the terminal */
double pty_wakeups(const struct pty *p);            /* times that a thread has been given a processor */

#endif
