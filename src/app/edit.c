/* edit.c - edits of the scenario, and what every edit entails: undo, jumps, the choice in the panel. */
#include "app/state.h"

#include <string.h>

#include "app/panel.h"

/* Two scenarios that differ only in where one looks, and in which language and colours, are no edit apart. */
static bool same_work(const struct scenario *a, const struct scenario *b)
{
    struct scenario x;
    memcpy(&x, a, sizeof x);
    scenario_look_like(&x, b);
    x.chosen = b->chosen;
    x.compare = b->compare;
    memcpy(x.title, b->title, sizeof x.title);
    return scenario_same(&x, b);
}

void app_replace(struct app *app, struct scenario *s)
{
    scenario_speak(s, app->s.lang);
    s->map = app->s.map;
    s->theme = app->s.theme;
    s->large = app->s.large;
    scenario_done(&app->s);
    memcpy(&app->s, s, sizeof *s);
    app->replaced = true;
}

bool app_input(struct app *app, int action)
{
    const struct view *v = views[app->s.view];
    struct scenario before;
    if (!v->input || view_unsuited(&app->s))
        return false;
    scenario_copy(&before, &app->s);
    bool changed = v->input(&app->s, action);
    if (changed && before.view != app->s.view)
        history_push(&app->jumps, &before);
    scenario_done(&before);
    return changed;
}

void app_play(struct app *app, bool on)
{
    if (on && !app->playing) {
        history_push(&app->undo, &app->s);
        pace_init(&app->pace, views[app->s.view]->plays);
    }
    app->playing = on;
}

void app_tick(struct app *app)
{
    if (!views[app->s.view]->plays || !app_input(app, ACTION_TICK))
        app_play(app, false);
    app->dirty = true;
}

void app_edited(struct app *app, struct scenario *before)
{
    if (app->replaced) {
        app->replaced = false;
    } else if (!same_work(before, &app->s)) {
        if (!app->drag_edited)
            history_push(&app->undo, before);
        history_clear(&app->redo);
        app->drag_edited = app->slider.cols > 0;
    }
    if (before->view != app->s.view) {
        app_play(app, false);
        app->only_panel = -1;
    }
    if (before->chosen == app->s.chosen)
        panel_keep_choice(&app->s, before);
    if (before->theme != app->s.theme) {
        term_set_theme(app->term, app->s.theme);
        app_make_canvas(app);
    }
}
