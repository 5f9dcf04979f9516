/* term_headless.c - a terminal in memory: render and the tests draw on it and feed it events. */
#include <stdlib.h>

#include "base/mem.h"
#include "term/backend.h"

struct headless {
    struct term term;
    struct event *queue;                /* events [next, n) are unread */
    size_t next, n, size;
    struct canvas *shown;
};

static void headless_close(struct term *t)
{
    struct headless *h = (struct headless *)t;
    canvas_free(h->shown);
    free(h->queue);
    free(h);
}

static void headless_feed(struct term *t, struct event event)
{
    struct headless *h = (struct headless *)t;
    if (h->n == h->size) {
        h->size = 2 * h->size + 16;
        h->queue = xreallocarray(h->queue, h->size, sizeof *h->queue);
    }
    h->queue[h->n++] = event;
}

static struct event headless_read(struct term *t)
{
    struct headless *h = (struct headless *)t;
    if (h->next == h->n)
        return (struct event){.type = EVENT_NONE};
    struct event event = h->queue[h->next++];
    if (event.type == EVENT_RESIZE) {
        t->rows = event.rows;
        t->cols = event.cols;
    }
    return event;
}

static bool headless_present(struct term *t, const struct canvas *c, int cursor_y, int cursor_x)
{
    struct headless *h = (struct headless *)t;
    (void)cursor_y;
    (void)cursor_x;
    canvas_free(h->shown);
    h->shown = canvas_copy(c);
    return true;
}

static const struct canvas *headless_shown(const struct term *t)
{
    return ((const struct headless *)t)->shown;
}

static bool headless_set_mouse(struct term *t, bool ours)
{
    t->mouse = ours;
    return true;
}

static const struct backend headless = {
    .close = headless_close,
    .read = headless_read,
    .feed = headless_feed,
    .present = headless_present,
    .shown = headless_shown,
    .set_mouse = headless_set_mouse,
};

struct term *term_open_headless(int rows, int cols, enum color_depth depth, bool ascii, const struct theme *theme)
{
    struct headless *h = xcalloc(1, sizeof *h);
    h->term = (struct term){.backend = &headless, .rows = rows, .cols = cols, .depth = depth, .ascii = ascii, .mouse = true,
                            .theme = theme};
    return &h->term;
}
