/* backend.h - what term_curses.c and term_headless.c have in common; included by src/term/ alone. */
#ifndef POSVIZ_TERM_BACKEND_H
#define POSVIZ_TERM_BACKEND_H

#include "term/term.h"

struct term {
    const struct backend *backend;
    int rows, cols;
    enum color_depth depth;
    bool ascii, certain;
    bool mouse;
    const struct theme *theme;
};

/* The functions of term.h of the same names; NULL where a backend has nothing to do. */
struct backend {
    void (*close)(struct term *t);
    int (*fds)(const struct term *t, int fds[2]);
    struct event (*read)(struct term *t);
    void (*feed)(struct term *t, struct event event);
    bool (*present)(struct term *t, const struct canvas *c, int cursor_y, int cursor_x);
    bool (*flush)(struct term *t);
    int (*write_fd)(const struct term *t);
    void (*sync)(struct term *t, unsigned number);
    void (*write)(struct term *t, const char *bytes, size_t n);
    void (*suspend)(struct term *t);
    void (*redraw)(struct term *t);
    bool (*set_mouse)(struct term *t, bool ours);
    int (*patience)(const struct term *t);
    int (*asking)(const struct term *t);
    const struct canvas *(*shown)(const struct term *t);
};

#endif
