/* sender.h - frames and other bytes on their way to a terminal, which is never waited for: what it does not take is kept, and of the frames
 * that wait only the newest is ever sent. Knows no curses; the terminal is the one of rescue.h. */
#ifndef POSVIZ_TERM_SENDER_H
#define POSVIZ_TERM_SENDER_H

#include "term/frame.h"

struct sender {
    struct frame *frame;
    int rows, cols;                 /* of the terminal */
    struct canvas *waiting;         /* the newest canvas, if its frame has not begun */
    int cursor_y, cursor_x;
    struct buf tail;                /* goes out after the waiting frame */
    struct buf out;                 /* going out: bytes [sent, n) are left */
    size_t sent;
    bool gone;                      /* hung up: nothing is written any more */
};

void sender_done(struct sender *s);
/* Both keep a copy, and send what the terminal takes. True when nothing is left. */
bool sender_frame(struct sender *s, const struct canvas *c, int cursor_y, int cursor_x);
bool sender_bytes(struct sender *s, const char *bytes, size_t n);
bool sender_flush(struct sender *s);
bool sender_waits(const struct sender *s);      /* for the terminal to take more */
void sender_drop(struct sender *s);             /* what is half sent is lost */

#endif
