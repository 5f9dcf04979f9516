#include "app/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/state.h"

void live_done(struct live *l)
{
    watch_free(l->watch);
    *l = (struct live){0};
}

int live_fd(const struct live *l)
{
    return l->watch ? watch_fd(l->watch) : -1;
}

/* A preset and what came through a pipe cannot change. */
static void follow(struct live *l, const struct scenario *s)
{
    const char *file = scenario_model_file(s), *path = file ? file : "";
    struct err err = {.lang = s->lang};
    if (!strcmp(l->path, path))
        return;
    live_done(l);
    snprintf(l->path, sizeof l->path, "%s", path);
    char *real = store_path(path);
    l->watch = *path ? watch_new(real, &err) : NULL;
    free(real);
}

/* Do both say the same, word for word? */
static bool says_the_same(const struct facts *a, const struct facts *b)
{
    struct json *x = facts_to_json(a), *y = facts_to_json(b);
    char *s = json_print(x, false), *t = json_print(y, false);
    bool same = !strcmp(s, t) && facts_fingerprint(a) == facts_fingerprint(b);
    free(s);
    free(t);
    json_free(x);
    json_free(y);
    return same;
}

/* A file that cannot be read (it may be half done) leaves the screen as it was. */
static void read_again(struct app *app)
{
    struct scenario *s = &app->s, before;
    struct err err = {.lang = s->lang};
    struct facts *facts = facts_read(app->live.path, &err);
    if (!facts) {
        app_fail(app, &err);
        return;
    }
    if (says_the_same(s->model, facts)) {           /* written, and nothing is new: what the user has changed stays */
        facts_unref(facts);
        app->message[0] = app->message_role == ROLE_ERROR ? '\0' : app->message[0];
        return;
    }
    scenario_copy(&before, s);
    int layer = before.model_layer < (int)facts->n_layers ? before.model_layer : -1;        /* it may have fewer now */
    if (scenario_set_model(s, facts, app->live.path, layer, &err)) {
        history_push(&app->undo, &before);
        s->zoom = before.zoom;
        s->focus = before.focus;
        memcpy(s->cursor, before.cursor, sizeof s->cursor);
        s->chosen = before.chosen;
        app_say(app, ROLE_GOOD, N_("%s has changed: read again"), app->live.path);
    } else {
        struct scenario drop = *s;
        *s = before;
        before = drop;
        app_fail(app, &err);
    }
    scenario_done(&before);
}

void live_take(struct app *app)
{
    follow(&app->live, &app->s);
    if (!app->live.watch || !watch_changed(app->live.watch))
        return;
    app->dirty = true;
    read_again(app);
}
