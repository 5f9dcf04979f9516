/* term.c - hands each call of term.h to the terminal at hand; what that one has nothing to do for is answered here. */
#include "term/backend.h"

void term_close(struct term *t)
{
    if (t)
        t->backend->close(t);
}

void term_size(const struct term *t, int *rows, int *cols)
{
    *rows = t->rows;
    *cols = t->cols;
}

enum color_depth term_depth(const struct term *t)
{
    return t->depth;
}

bool term_ascii(const struct term *t)
{
    return t->ascii;
}

bool term_certain(const struct term *t)
{
    return t->certain;
}

bool term_mouse(const struct term *t)
{
    return t->mouse;
}

void term_set_theme(struct term *t, const struct theme *theme)
{
    t->theme = theme;
}

int term_fds(const struct term *t, int fds[2])
{
    fds[0] = fds[1] = -1;
    return t->backend->fds ? t->backend->fds(t, fds) : 0;
}

int term_patience(const struct term *t)
{
    return t->backend->patience ? t->backend->patience(t) : -1;
}

int term_asking(const struct term *t)
{
    return t->backend->asking ? t->backend->asking(t) : 0;
}

struct event term_read(struct term *t)
{
    return t->backend->read(t);
}

void term_feed(struct term *t, struct event event)
{
    if (t->backend->feed)
        t->backend->feed(t, event);
}

bool term_present(struct term *t, const struct canvas *c, int cursor_y, int cursor_x)
{
    return t->backend->present(t, c, cursor_y, cursor_x);
}

bool term_flush(struct term *t)
{
    return !t->backend->flush || t->backend->flush(t);
}

int term_write_fd(const struct term *t)
{
    return t->backend->write_fd ? t->backend->write_fd(t) : -1;
}

void term_sync(struct term *t, unsigned number)
{
    if (t->backend->sync)
        t->backend->sync(t, number);
}

void term_write(struct term *t, const char *bytes, size_t n)
{
    if (t->backend->write)
        t->backend->write(t, bytes, n);
}

void term_suspend(struct term *t)
{
    if (t->backend->suspend)
        t->backend->suspend(t);
}

void term_redraw(struct term *t)
{
    if (t->backend->redraw)
        t->backend->redraw(t);
}

bool term_set_mouse(struct term *t, bool ours)
{
    return t->backend->set_mouse && t->backend->set_mouse(t, ours);
}

const struct canvas *term_shown(const struct term *t)
{
    return t->backend->shown ? t->backend->shown(t) : NULL;
}
