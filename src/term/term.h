/* term.h - where canvases go and keys come from. Two implementations: term_curses.c (a terminal; with
 * codes.c the only files that include curses.h) and term_headless.c (memory; render, tests).
 *
 * term_open, then: term_fd to poll, term_read until it says no event, term_present for frames, term_close.
 * Only the main thread comes here. */
#ifndef POSVIZ_TERM_TERM_H
#define POSVIZ_TERM_TERM_H

#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"
#include "canvas/canvas.h"

enum event_type {
    EVENT_NONE, EVENT_KEY, EVENT_MOUSE, EVENT_RESIZE, EVENT_HANGUP, EVENT_SUSPENDED, EVENT_QUIT, EVENT_SYNC,
    EVENT_PASTE,                                    /* text is pasted: first without a character, then one by one in key */
    EVENT_BACKGROUND,                               /* the terminal has told whether its background is light */
    EVENT_GLYPHS                                    /* it has told its glyphs' widths: term_ascii, term_certain have changed */
};
/* Keys are Unicode characters, or one of these beyond Unicode. Ctrl-letter is the control character. */
enum key {
    KEY_CODE_BASE = 0x200000,
    KEY_CODE_UP, KEY_CODE_DOWN, KEY_CODE_LEFT, KEY_CODE_RIGHT, KEY_CODE_PAGE_UP, KEY_CODE_PAGE_DOWN,
    KEY_CODE_HOME, KEY_CODE_END, KEY_CODE_INSERT, KEY_CODE_DELETE, KEY_CODE_BACKSPACE, KEY_CODE_SHIFT_TAB,
    KEY_CODE_SHIFT_UP, KEY_CODE_SHIFT_DOWN, KEY_CODE_SHIFT_LEFT, KEY_CODE_SHIFT_RIGHT,
    KEY_CODE_F1, KEY_CODE_F2, KEY_CODE_F3, KEY_CODE_F4, KEY_CODE_F5, KEY_CODE_F6, KEY_CODE_F7, KEY_CODE_F8,
    KEY_CODE_F9, KEY_CODE_F10, KEY_CODE_F11, KEY_CODE_F12,
    KEY_TAB = 9, KEY_CTRL_L = 12, KEY_RETURN = 13, KEY_ESCAPE = 27
};
enum mouse_action { MOUSE_MOVE, MOUSE_PRESS, MOUSE_RELEASE, MOUSE_DRAG, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN };
struct event {
    enum event_type type;
    uint32_t key;                                   /* EVENT_KEY, EVENT_PASTE */
    enum mouse_action mouse; int y, x, button;      /* EVENT_MOUSE; button 1..3 */
    int rows, cols;                                 /* EVENT_RESIZE */
    bool light;                                     /* EVENT_BACKGROUND */
    unsigned sync;                                  /* EVENT_SYNC (--test-sync): the number to answer with */
};

struct term_options {
    int depth;                  /* enum color_depth, or -1: find out (TERM, COLORTERM, NO_COLOR, CLICOLOR, ...) */
    int ascii;                  /* 1: only ASCII, 0: find out from the locale and terminal */
    bool mouse;                 /* ours from the start; the terminal's otherwise */
    bool ask_background;        /* where the terminal may answer: EVENT_BACKGROUND */
    int ambiguous;              /* cells that it gives to an ambiguous character: 1, 2, or 0: ask it: EVENT_GLYPHS */
    bool test_sync;             /* answer the private ping key with a marker once idle (tests) */
    const struct theme *theme;
};

struct term;
/* Takes the terminal on stdin and stdout. NULL with a message naming TERM if it cannot be used. */
struct term *term_open(const struct term_options *options, struct err *err);
/* Memory of a fixed size; events come from term_feed. */
struct term *term_open_headless(int rows, int cols, enum color_depth depth, bool ascii, const struct theme *theme);
void term_close(struct term *t);                    /* restores the terminal; NULL is allowed */
void term_restore(void);                            /* the same from any exit path, also crashed; async-signal-safe */

void term_size(const struct term *t, int *rows, int *cols);
enum color_depth term_depth(const struct term *t);
bool term_ascii(const struct term *t);
bool term_certain(const struct term *t);            /* with term_ascii: glyphs of certain width are shown all the same */
void term_set_theme(struct term *t, const struct theme *theme);

/* Descriptors to poll for reading: keys, and signals (resize, stop, end). */
int term_fds(const struct term *t, int fds[2]);
/* ms after which term_read may say something though nothing has come; -1: it will not. */
int term_patience(const struct term *t);
/* ms for which a first frame does well to wait for what a terminal far away says about itself; 0: it need not. */
int term_asking(const struct term *t);
/* The next event without waiting; EVENT_NONE if there is none. */
struct event term_read(struct term *t);
void term_feed(struct term *t, struct event event);             /* headless only */

/* Shows a canvas of the terminal's size, one write, between synchronized-output marks. Never blocks: bytes
 * that the terminal does not take yet are kept, and a newer canvas replaces a frame not yet begun. cursor_y < 0
 * hides the cursor. Returns false while an older frame is still going out: then poll term_write_fd for writing
 * and call term_flush. */
bool term_present(struct term *t, const struct canvas *c, int cursor_y, int cursor_x);
bool term_flush(struct term *t);                    /* true when all is written; to be called whenever term_write_fd can be */
int term_write_fd(const struct term *t);            /* -1 if nothing waits */
/* Answers EVENT_SYNC in-band, after everything presented. */
void term_sync(struct term *t, unsigned number);
/* Writes bytes to the terminal outside a frame (clipboard). */
void term_write(struct term *t, const char *bytes, size_t n);
/* The next frame paints everything anew, whatever others have written to the terminal. */
void term_redraw(struct term *t);
/* Does the mouse report to the program, or select text as the terminal does? False: this terminal has none to report. */
bool term_set_mouse(struct term *t, bool ours);
bool term_mouse(const struct term *t);
/* Stops the program as Ctrl-Z asks, and takes the terminal again on return. */
void term_suspend(struct term *t);
const struct canvas *term_shown(const struct term *t);          /* headless: the last canvas presented, or NULL */
/* The colours for text that goes to no terminal: none, unless CLICOLOR_FORCE asks for them. */
enum color_depth term_depth_of_text(void);
/* The library behind a real terminal and its version. */
const char *term_library(void);

#endif
