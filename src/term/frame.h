/* frame.h - what to send to a terminal so that it shows a canvas: only the cells that differ from what it shows, and only
 * the colours that differ from those in force. Knows neither curses nor a file descriptor; codes.c reads the
 * codes from terminfo, term_curses.c sends the bytes. */
#ifndef POSVIZ_TERM_FRAME_H
#define POSVIZ_TERM_FRAME_H

#include "base/buf.h"
#include "canvas/canvas.h"

/* What the terminal understands; strings may be NULL where it cannot do a thing. */
struct codes {
    enum color_depth depth;
    const char *clear, *plain;                  /* the whole screen blank; all attributes off */
    const char *bold, *dim, *underline, *reverse;
    const char *hide_cursor, *show_cursor;
    char *fore[16], *back[16];                  /* DEPTH_16 only */
    bool bright;                                /* the colours 8 to 15 exist; otherwise bold stands for them */
    int not_with_color;                         /* attributes that cannot be combined with colours */
    bool ansi;                                  /* moves the cursor as ECMA-48 says; otherwise move is asked */
    void (*move)(struct buf *out, int y, int x);
    bool clears_in_color;                       /* clear fills with the background colour in force */
    bool scrolls_at_end;                        /* the last cell of the screen must not be written */
    bool synchronized;                          /* takes the marks of DEC 2026 around a frame */
    bool console_font;                          /* the Linux console: 256 or 512 glyphs */
};

struct frame;
struct frame *frame_new(const struct codes *codes);
void frame_free(struct frame *f);
/* The terminal shows something unknown: the next frame repaints everything. */
void frame_invalidate(struct frame *f);
/* Appends to out what makes a terminal of rows x cols show the canvas, cut where it is larger, and the cursor
 * (cursor_y < 0: hidden). Appends nothing if it shows this already. */
void frame_compose(struct frame *f, struct buf *out, const struct canvas *c, int rows, int cols, int cursor_y, int cursor_x);

#endif
