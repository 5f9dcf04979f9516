/* vt.h - a terminal in memory with a program in it: libvterm behind a pseudo-terminal. For the screen tests and for
 * screenshots.
 *
 * vt_start, then keys and mouse, then vt_settle: it sends the private ping key, which queues behind them, and reads until the
 * program (started with --test-sync) has answered, so what the screen shows then is what the keys did. Nothing sleeps; what
 * does not come within a minute has failed. */
#ifndef POSVIZ_TESTS_VT_H
#define POSVIZ_TESTS_VT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

struct vt;

/* argv ends with NULL. env: NULL, or "NAME=value" and "NAME" (unset) ending with NULL, on top of TERM=xterm-256color,
 * COLORTERM=truecolor, LC_ALL=C.UTF-8 and nothing else that concerns terminals. */
struct vt *vt_start(int rows, int cols, const char *const *argv, const char *const *env);
/* Ends the program if it still runs, and frees. */
void vt_stop(struct vt *vt);

void vt_type(struct vt *vt, const char *bytes);         /* as they are: text, control characters, sequences */
bool vt_type_read(struct vt *vt, const char *bytes);    /* the same to a program that is idle, and waits until it has read them */
bool vt_key(struct vt *vt, const char *name);           /* Up Down Left Right Home End PageUp PageDown Insert Delete Backspace
                                                           Enter Tab BackTab Escape Space F1..F12, S-Up.., C-a..C-z, or one character */
void vt_mouse_move(struct vt *vt, int y, int x);
void vt_mouse_button(struct vt *vt, int button, bool pressed);          /* 1 to 3; 4, 5 wheel */
void vt_resize(struct vt *vt, int rows, int cols);
/* A size that no terminal has is told to the program, and its screen stays as it is. True when the program has answered to it. */
bool vt_tell_size(struct vt *vt, unsigned short rows, unsigned short cols);
void vt_signal(struct vt *vt, int sig);

/* What kind of terminal it is; to be said before the first wait. It answers for its cursor, and for its background if told what to. */
void vt_background(struct vt *vt, const char *answer);  /* as it is sent, with its end */
void vt_mute(struct vt *vt);                            /* it answers nothing */
void vt_wide(struct vt *vt);                            /* it draws ambiguous characters in two cells */
void vt_scribble(struct vt *vt, const char *bytes);     /* another program writes on it */

bool vt_settle(struct vt *vt);                          /* false: no answer, or the program ended */
bool vt_answers(struct vt *vt);                         /* the same, whatever size the program believes in */
bool vt_wait_text(struct vt *vt, const char *text);     /* until the screen contains it */
bool vt_wait_bytes(struct vt *vt, const char *bytes);   /* until the program has sent them since the last vt_forget */
bool vt_wait_exit(struct vt *vt, int *status);          /* as waitpid gives it */
bool vt_read(struct vt *vt, size_t most);               /* so many bytes at most, of what is there; false: nothing is */
bool vt_wait_quiet(struct vt *vt);                      /* until the program has done nothing for a while, though nobody reads */
void vt_hang_up(struct vt *vt);                         /* closes the terminal under the program */
int vt_pid(const struct vt *vt);

/* What the screen shows. Colours are 0xRRGGBB, or VT_DEFAULT; palette entries are also known by number (-1: none). */
enum { VT_DEFAULT = -1 };
struct vt_cell {
    uint32_t ch;                    /* first character; ' ' if empty, 0 in the right half of a wide one */
    int width;
    int32_t fg, bg;
    int fg_index, bg_index;
    bool bold, underline, reverse;
};
void vt_size(const struct vt *vt, int *rows, int *cols);
struct vt_cell vt_cell(const struct vt *vt, int y, int x);
/* The colours of the upper and lower half of a cell, whichever way it is drawn; false if it is no block or blank. */
bool vt_halves(const struct vt *vt, int y, int x, int32_t *top, int32_t *bottom);
const char *vt_row(struct vt *vt, int y);               /* UTF-8 without trailing spaces; valid until the next call */
bool vt_contains(struct vt *vt, const char *text);      /* in one row */
bool vt_cursor(const struct vt *vt, int *y, int *x);    /* true: visible */
bool vt_alternate(const struct vt *vt);
int vt_mouse_mode(const struct vt *vt);                 /* 0 none, 1 clicks, 2 drags, 3 every movement */
void vt_termios(const struct vt *vt, struct termios *out);

/* What the program sent since vt_start or the last vt_forget. */
const char *vt_bytes(const struct vt *vt, size_t *n);
void vt_forget(struct vt *vt);
/* Writes that the program made so far, of any kind, as the kernel counts them; -1 if it does not tell. */
long vt_writes(const struct vt *vt);
long vt_memory(const struct vt *vt);                    /* of the program, KiB */

#endif
