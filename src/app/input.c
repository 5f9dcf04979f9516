/* input.c - events: what keys and the mouse do to the scenario. */
#include "app/keys.h"
#include "app/panel.h"
#include "app/screen.h"
#include "app/state.h"
#include "app/words.h"

/* ---- keys ------------------------------------------------------------------------------------------------ */

/* The framework's own keys and the lesson's first, then the view's, then those that a view may claim. */
static void view_key(struct app *app, uint32_t key)
{
    const struct app_action *framework = keys_framework(key);
    bool claimed = framework && (!framework->yields || lesson_claims(app, key));
    const struct action *action = claimed ? NULL : keys_view(views[app->s.view], key);
    char name[24];
    if (action) {
        app_play(app, false);
        app_input(app, action->id);
    } else if (framework) {
        framework->run(app, key);
    } else if (key) {
        app_say(app, ROLE_WARNING, N_("%s does nothing here; ? lists the keys"), key_name(key, app->canvas->ascii, name, sizeof name));
    }
}

static void handle_key(struct app *app, uint32_t key)
{
    app->message[0] = '\0';
    app->hovering = app->drag_edited = false;
    app->slider.cols = 0;
    if (app->test_clock && key == TICK_KEY) {
        if (app->playing)
            app_tick(app);
    } else if (app->overlay && key != KEY_CTRL_L && (app->overlay->typing || key != 'Q')) {
        app->overlay->key(app, key);
    } else {
        view_key(app, key);
    }
}

/* ---- mouse ----------------------------------------------------------------------------------------------- */

static const struct hit *hit_at(const struct app *app, int y, int x)
{
    for (size_t i = app->n_hits; i-- > 0;)
        if (app->hit[i].y == y && x >= app->hit[i].x && x < app->hit[i].x + app->hit[i].cols)
            return &app->hit[i];
    return NULL;
}

/* To where the mouse holds the slider. */
static void slide(struct app *app, int x)
{
    const struct hit *held = &app->slider;
    panel_slide(app, held->index, held->cols > 1 ? (double)(x - held->x) / (held->cols - 1) : 0);
}

static void click(struct app *app, const struct hit *hit, int x)
{
    switch (hit->kind) {
    case HIT_VIEW:   scenario_set_view(&app->s, views[hit->index]->id, NULL); break;
    case HIT_KEY:    handle_key(app, (uint32_t)hit->index); break;
    case HIT_SLIDER:
        app->slider = *hit;
        slide(app, x);
        break;
    case HIT_PARAM:
        if (app->s.chosen == hit->index)
            panel_type(app);
        app->s.chosen = hit->index;
        break;
    case HIT_ENTRY:                 /* of what is open alone */
        break;
    }
}

/* Drags the picture along, or the slider that was pressed. */
static void drag(struct app *app, int y, int x)
{
    struct place at = navigate_pointer(app);
    if (app->slider.cols) {
        slide(app, x);
        return;
    }
    if (!app->dragging || at.panel < 0)
        return;
    struct rect_cells area = app->figure->panel[at.panel].area;
    if (navigate_pan(app, (double)(app->drag_x - x) / area.cols, (double)(app->drag_y - y) / area.rows)) {
        app->drag_y = y;
        app->drag_x = x;
    }
}

static void press(struct app *app, int y, int x)
{
    const struct hit *hit = hit_at(app, y, x);
    struct place at;
    app->message[0] = '\0';
    app->dragging = app->drag_edited = false;
    app->slider.cols = 0;
    if (hit) {
        click(app, hit, x);
    } else if (navigate_to_cell(app, y, x, &at)) {
        app->hovering = false;
        navigate_put(app, at);
        app->dragging = true;
        app->drag_y = y;
        app->drag_x = x;
        if (views[app->s.view]->takes_clicks)
            app_input(app, ACTION_CLICK);
    }
}

/* The wheel is up and down; a press picks an entry, or closes what is open. */
static void mouse_on_overlay(struct app *app, const struct event *e)
{
    const struct hit *hit = hit_at(app, e->y, e->x);
    bool up = e->mouse == MOUSE_WHEEL_UP;
    if (up || e->mouse == MOUSE_WHEEL_DOWN)
        app->overlay->key(app, up ? KEY_CODE_UP : KEY_CODE_DOWN);
    else if (e->mouse == MOUSE_PRESS && app->overlay->pick && hit && hit->kind == HIT_ENTRY)
        app->overlay->pick(app, hit->index);
    else if (e->mouse == MOUSE_PRESS)
        app->overlay = NULL;
}

static void handle_mouse(struct app *app, const struct event *e)
{
    bool up = e->mouse == MOUSE_WHEEL_UP;
    if (app->overlay) {
        mouse_on_overlay(app, e);
        return;
    }
    switch (e->mouse) {
    case MOUSE_MOVE:
        app->hovering = navigate_to_cell(app, e->y, e->x, &app->hover);
        break;
    case MOUSE_PRESS:
        press(app, e->y, e->x);
        break;
    case MOUSE_DRAG:
        drag(app, e->y, e->x);
        break;
    case MOUSE_RELEASE:
        app->dragging = app->drag_edited = false;
        app->slider.cols = 0;
        break;
    case MOUSE_WHEEL_UP:
    case MOUSE_WHEEL_DOWN:
        app->hovering = navigate_to_cell(app, e->y, e->x, &app->hover);
        if (app->hovering)
            navigate_zoom(app, up ? 0.8 : 1.25);
        break;
    }
}

/* ---- events ------------------------------------------------------------------------------------------------ */

static void handle_input(struct app *app, const struct event *e)
{
    struct scenario before;
    scenario_copy(&before, &app->s);
    if (e->type == EVENT_KEY)
        handle_key(app, e->key);
    else
        handle_mouse(app, e);
    app_edited(app, &before);
    scenario_done(&before);
    app->dirty = true;
}

/* What is pasted is text and never keys: it goes into the line that is being typed, and nowhere else. Line ends and tabs are blanks there. */
static void paste(struct app *app, uint32_t character)
{
    bool typing = app->overlay && app->overlay->typing;
    if (typing && character)
        app->overlay->key(app, character < ' ' ? ' ' : character);
    else if (!typing && !character)
        app_say(app, ROLE_WARNING, N_("what is pasted is not taken for keys; : opens a line for it"));
    app->dirty = app->dirty || typing == (character != 0);
}

/* The terminal's background has become known; a theme that was asked for is never given up for it (app.c does not ask then). */
static void take_background(struct app *app, bool light)
{
    size_t i = 0;
    while (themes[i + 1] && themes[i]->light != light)
        i++;
    app->s.theme = themes[i];
    term_set_theme(app->term, app->s.theme);
    app_make_canvas(app);
    app->dirty = true;
}

bool app_line(struct app *app, const char *line, struct err *err)
{
    struct scenario before;
    scenario_copy(&before, &app->s);
    app->message[0] = '\0';
    bool good = words_run(app, line, err);
    app_edited(app, &before);
    scenario_done(&before);
    return good;
}

void app_handle(struct app *app, struct event event)
{
    switch (event.type) {
    case EVENT_KEY:
    case EVENT_MOUSE:
        handle_input(app, &event);
        break;
    case EVENT_PASTE:
        paste(app, event.key);
        break;
    case EVENT_BACKGROUND:
        take_background(app, event.light);
        break;
    case EVENT_GLYPHS:
    case EVENT_RESIZE:
        app_make_canvas(app);
        app->dirty = true;
        break;
    case EVENT_SUSPENDED:
        term_suspend(app->term);
        app_make_canvas(app);
        app->dirty = true;
        break;
    case EVENT_SYNC:
        app->syncing = true;
        app->sync = event.sync;
        break;
    case EVENT_HANGUP:
    case EVENT_QUIT:
        app->quit = true;
        break;
    case EVENT_NONE:
        break;
    }
}
