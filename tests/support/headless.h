/* headless.h - the whole program in a terminal in memory, for tests: open, press keys, read the screen. Nothing sleeps: settling waits
 * for the worker. */
#ifndef POSVIZ_TESTS_HEADLESS_H
#define POSVIZ_TESTS_HEADLESS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/state.h"
#include "base/mem.h"
#include "base/utf8.h"

struct screen {
    struct app app;
    char *text;                     /* of the last screen_text */
};

static inline void screen_open(struct screen *s, int rows, int cols, enum color_depth depth, const struct options *options)
{
    struct options plain;
    struct err err = {.lang = LANG_EN};
    options_init(&plain, LANG_EN);
    s->text = NULL;
    struct term *term = term_open_headless(rows, cols, depth, depth == DEPTH_MONO, themes[0]);
    struct scenario scenario;
    scenario_init(&scenario);
    options = options ? options : &plain;
    if (!options_scenario(options, &scenario, &err) || !app_open(&s->app, term, &scenario, options->threads, &err)) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    s->app.test_clock = true;
    app_settle(&s->app);
}

static inline void screen_close(struct screen *s)
{
    app_close(&s->app);
    free(s->text);
}

static inline void screen_event(struct screen *s, struct event event)
{
    term_feed(s->app.term, event);
    app_settle(&s->app);
}

static inline void screen_key(struct screen *s, uint32_t key)
{
    screen_event(s, (struct event){.type = EVENT_KEY, .key = key});
}

/* Each character a key; '\n' is Enter. */
static inline void screen_type(struct screen *s, const char *text)
{
    for (uint32_t c; (c = utf8_next(&text)) != 0;)
        screen_key(s, c == '\n' ? KEY_RETURN : c);
}

static inline void screen_resize(struct screen *s, int rows, int cols)
{
    screen_event(s, (struct event){.type = EVENT_RESIZE, .rows = rows, .cols = cols});
}

/* Small enough to be computed at once, so that a run can wait for every picture. */
static inline void screen_keep_small(struct screen *s)
{
    struct scenario *p = &s->app.s;
    p->shape.length = p->shape.length > 512 ? 64 : p->shape.length;
    p->shape.d_head = p->shape.d_head > 64 ? 16 : p->shape.d_head;
    p->shape.n_heads = p->shape.n_heads > 16 ? 4 : p->shape.n_heads;
    p->shape.d_model = p->shape.d_model > 128 ? 64 : p->shape.d_model;
    p->memory = p->memory > 64 ? 0 : p->memory;
}

/* What is on the screen, as text; valid until the next call. */
static inline const char *screen_text(struct screen *s)
{
    free(s->text);
    s->text = canvas_to_text(term_shown(s->app.term), false);
    return s->text;
}

static inline bool screen_has(struct screen *s, const char *text)
{
    bool has = strstr(screen_text(s), text) != NULL;
    if (!has)
        fprintf(stderr, "not on the screen: %s\n%s\n", text, s->text);
    return has;
}

#endif
