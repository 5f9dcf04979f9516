/* demo - what the terminal tests drive: text, wide characters, a heatmap and the last event, through term.h alone.
 *   demo [--color DEPTH] [--ascii] [--test-sync] [--map ID] [--theme ID] [--noise] [--ask]
 * Keys: q ends, a aborts, f faults, n the next frame of the heatmap, c shows the cursor, r paints anew, m gives the mouse away or takes it. */
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "term/term.h"

struct demo {
    struct term *term;
    const struct theme *theme;
    const struct colormap *map;
    bool noise, cursor, over;
    int frame;
    char last[128];
    unsigned sync;                  /* a ping to answer; 0: none */
};

/* Rows 0 and 1: text; row 2: a wide character in each pair of columns; from row 3: heat in both halves, whose value rises
 * along the columns, with the first column masked and the second without a value. */
static double value(const struct demo *d, int row, int col, int cols)
{
    if (d->noise)
        return rng_uniform((uint64_t)d->frame, (uint64_t)(row * cols + col));
    if (col < 2)
        return col == 0 ? -INFINITY : NAN;
    return fmod((double)(col - 2) / (cols > 3 ? cols - 3 : 1) + 0.01 * d->frame + 0.25 * (row & 1), 1.0);
}

static void draw(struct demo *d)
{
    int rows, cols;
    term_size(d->term, &rows, &cols);
    struct canvas *c = canvas_new(rows, cols, d->theme, term_depth(d->term), term_ascii(d->term));
    c->certain = term_certain(d->term);
    canvas_textf(c, 0, 0, cols, ROLE_TITLE, ATTR_BOLD, "demo %dx%d frame %d", cols, rows, d->frame);
    canvas_text(c, 1, 0, cols, d->last, ROLE_TEXT, 0);
    for (int x = 0; x < cols; x += 2)
        canvas_put(c, 2, x + (d->frame & 1), 0x4f4d, ROLE_ACCENT, 0);
    for (int y = 3; y < rows; y++)
        for (int x = 0; x < cols; x++)
            canvas_heat(c, y, x, d->map, value(d, 2 * y, x, cols), value(d, 2 * y + 1, x, cols));
    term_present(d->term, c, d->cursor ? 0 : -1, 5);
    canvas_free(c);
}

static void key(struct demo *d, uint32_t key)
{
    volatile int *nowhere = NULL;
    snprintf(d->last, sizeof d->last, "key %x", (unsigned)key);
    switch (key) {
    case 'q':
        d->over = true;
        break;
    case 'a':
        abort();
    case 'f':
        *nowhere = 1;
        break;
    case 'n':
        d->frame++;
        break;
    case 'r':
        term_redraw(d->term);
        break;
    case 'm':
        term_set_mouse(d->term, !term_mouse(d->term));
        break;
    case 'c':
        d->cursor = !d->cursor;
        break;
    }
}

static void handle(struct demo *d, struct event e)
{
    switch (e.type) {
    case EVENT_KEY:
        key(d, e.key);
        break;
    case EVENT_MOUSE:
        snprintf(d->last, sizeof d->last, "mouse %d at %d,%d button %d", (int)e.mouse, e.y, e.x, e.button);
        break;
    case EVENT_BACKGROUND:
        snprintf(d->last, sizeof d->last, "background %s", e.light ? "light" : "dark");
        break;
    case EVENT_GLYPHS:
        snprintf(d->last, sizeof d->last, "glyphs are wide");
        break;
    case EVENT_SUSPENDED:
        term_suspend(d->term);
        break;
    case EVENT_SYNC:
        d->sync = e.sync;
        break;
    case EVENT_QUIT:
    case EVENT_HANGUP:
        d->over = true;
        break;
    default:
        break;
    }
}

static void run(struct demo *d)
{
    draw(d);
    while (!d->over) {
        int fds[2];
        term_fds(d->term, fds);
        struct pollfd wait[3] = {{.fd = fds[0], .events = POLLIN}, {.fd = fds[1], .events = POLLIN},
                                 {.fd = term_write_fd(d->term), .events = POLLOUT}};
        poll(wait, 3, term_patience(d->term));
        term_flush(d->term);
        bool changed = false;
        for (struct event e; !d->over && (e = term_read(d->term)).type != EVENT_NONE; changed = changed || e.type != EVENT_SYNC)
            handle(d, e);
        if (changed && !d->over)
            draw(d);
        if (d->sync && !d->over)
            term_sync(d->term, d->sync);
        d->sync = 0;
    }
}

int main(int argc, char **argv)
{
    struct demo d = {.theme = themes[0], .map = colormaps[0], .last = "none"};
    struct term_options options = {.depth = -1, .mouse = true, .theme = d.theme};
    for (int i = 1; i < argc; i++) {
        enum color_depth depth;
        if (!strcmp(argv[i], "--color") && i + 1 < argc && color_depth_from_name(argv[++i], &depth))
            options.depth = (int)depth;
        else if (!strcmp(argv[i], "--ascii"))
            options.ascii = 1;
        else if (!strcmp(argv[i], "--test-sync"))
            options.test_sync = true;
        else if (!strcmp(argv[i], "--map") && i + 1 < argc)
            d.map = colormap_find(argv[++i]);
        else if (!strcmp(argv[i], "--theme") && i + 1 < argc)
            options.theme = d.theme = theme_find(argv[++i]);
        else if (!strcmp(argv[i], "--ask"))
            options.ask_background = true;
        else if (!strcmp(argv[i], "--noise"))
            d.noise = true;
    }
    struct err err = {.lang = LANG_EN};
    d.term = term_open(&options, &err);
    if (!d.term) {
        fprintf(stderr, "demo: %s\n", err.text);
        return 2;
    }
    run(&d);
    term_close(d.term);
    puts("demo: over");
    return 0;
}
