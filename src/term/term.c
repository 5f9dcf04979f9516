/* term.c - hands each call of term.h to the terminal at hand. */
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

void term_set_theme(struct term *t, const struct theme *theme)
{
    t->theme = theme;
}

size_t term_frame_bytes(const struct term *t)
{
    return t->frame_bytes;
}

int term_fds(const struct term *t, int fds[2])
{
    return t->backend->fds(t, fds);
}

struct event term_read(struct term *t)
{
    return t->backend->read(t);
}

void term_feed(struct term *t, struct event event)
{
    t->backend->feed(t, event);
}

bool term_present(struct term *t, const struct canvas *c, int cursor_y, int cursor_x)
{
    return t->backend->present(t, c, cursor_y, cursor_x);
}

bool term_flush(struct term *t)
{
    return t->backend->flush(t);
}

int term_write_fd(const struct term *t)
{
    return t->backend->write_fd(t);
}

void term_sync(struct term *t, unsigned number)
{
    t->backend->sync(t, number);
}

void term_write(struct term *t, const char *bytes, size_t n)
{
    t->backend->write(t, bytes, n);
}

void term_suspend(struct term *t)
{
    t->backend->suspend(t);
}

const struct canvas *term_shown(const struct term *t)
{
    return t->backend->shown(t);
}
