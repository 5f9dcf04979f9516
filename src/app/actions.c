/* actions.c - what the framework's keys do, one small function each, and the table of keys last. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/copy.h"
#include "app/keys.h"
#include "app/navigate.h"
#include "app/panel.h"
#include "app/state.h"
#include "base/mem.h"

/* ---- moving --------------------------------------------------------------------------------------------- */

static void move(struct app *app, uint32_t key)
{
    switch (key) {
    case 'h': case KEY_CODE_LEFT:  navigate_move(app, -1, 0); break;
    case 'l': case KEY_CODE_RIGHT: navigate_move(app, 1, 0); break;
    case 'k': case KEY_CODE_UP:    navigate_move(app, 0, -1); break;
    case 'j': case KEY_CODE_DOWN:  navigate_move(app, 0, 1); break;
    }
}

static void pan(struct app *app, uint32_t key)
{
    switch (key) {
    case KEY_CODE_SHIFT_LEFT:  navigate_pan_step(app, -1, 0); break;
    case KEY_CODE_SHIFT_RIGHT: navigate_pan_step(app, 1, 0); break;
    case KEY_CODE_SHIFT_UP:    navigate_pan_step(app, 0, -1); break;
    case KEY_CODE_SHIFT_DOWN:  navigate_pan_step(app, 0, 1); break;
    }
}

static void to_edge(struct app *app, uint32_t key)
{
    navigate_edge(app, key == KEY_CODE_END ? 1 : -1);
}

static void zoom_in(struct app *app, uint32_t key)
{
    (void)key;
    navigate_zoom(app, 0.5);
}

static void zoom_out(struct app *app, uint32_t key)
{
    (void)key;
    navigate_zoom(app, 2);
}

static void fit(struct app *app, uint32_t key)
{
    (void)key;
    app->s.zoom = (struct zoom){NAN, NAN, NAN, NAN};
}

static void next_panel(struct app *app, uint32_t key)
{
    (void)key;
    navigate_next_panel(app);
}

static void panel_alone(struct app *app, uint32_t key)
{
    (void)key;
    app->only_panel = app->only_panel >= 0 ? -1 : navigate_pointer(app).panel;
}

/* PageDown and PageUp: what a presenter's remote sends. Lessons claim them; elsewhere a step of time, or a page. */
static void page(struct app *app, uint32_t key)
{
    bool next = key == KEY_CODE_PAGE_DOWN;
    if (app_in_lesson(app))
        lesson_step(app, next ? 1 : -1);
    else if (!views[app->s.view]->plays || !app_input(app, next ? ACTION_TICK : ACTION_TICK_BACK))
        navigate_page(app, next ? 1 : -1);
}

/* ---- views ---------------------------------------------------------------------------------------------- */

static void show_view(struct app *app, int view)
{
    scenario_set_view(&app->s, views[view]->id, NULL);
}

static void next_view(struct app *app, uint32_t key)
{
    (void)key;
    show_view(app, ((int)app->s.view + 1) % VIEW_COUNT);
}

static void previous_view(struct app *app, uint32_t key)
{
    (void)key;
    show_view(app, ((int)app->s.view + VIEW_COUNT - 1) % VIEW_COUNT);
}

static void pick_view(struct app *app, uint32_t key)
{
    int view = (int)(key - '1');
    if (app_in_lesson(app) && lesson_answer(app, view))
        return;
    if (view < VIEW_COUNT)
        show_view(app, view);
    else
        app_say(app, ROLE_WARNING, N_("there is no tab %d; there are %d"), view + 1, (int)VIEW_COUNT);
}

static void find(struct app *app, uint32_t key)
{
    (void)key;
    finder_open(app);
}

/* ---- parameters ----------------------------------------------------------------------------------------- */

static void choose(struct app *app, uint32_t key)
{
    panel_choose(app, key == ']' ? 1 : -1);
}

static void change(struct app *app, uint32_t key)
{
    panel_change(app, key == '>' ? 1 : -1);
}

static void change_much(struct app *app, uint32_t key)
{
    panel_change(app, key == '}' ? 10 : -10);
}

/* Enter: a value for the chosen parameter; in a view with nothing to show, what it is best shown with. */
static void enter(struct app *app, uint32_t key)
{
    (void)key;
    const struct view *v = views[app->s.view];
    struct err err = {.lang = app->s.lang};
    if (!v->suits || !v->suits(&app->s) || !v->preset) {
        panel_type(app);
        return;
    }
    history_push(&app->jumps, &app->s);
    if (!scenario_load_preset(&app->s, v->preset, &err) || !scenario_set_view(&app->s, v->id, &err))
        app_fail(app, &err);
}

static void open_panel(struct app *app, uint32_t key)
{
    (void)key;
    app->panel_open = !app->panel_open;
}

/* ---- time ------------------------------------------------------------------------------------------------ */

static void play(struct app *app, uint32_t key)
{
    (void)key;
    if (!views[app->s.view]->plays)
        app_say(app, ROLE_WARNING, N_("nothing moves by itself in this view"));
    else
        app_play(app, !app->playing);
}

static void step(struct app *app, uint32_t key)
{
    app_play(app, false);
    if (!app_input(app, key == '.' ? ACTION_TICK : ACTION_TICK_BACK))
        app_say(app, ROLE_WARNING, N_("this view has no steps in that direction"));
}

/* ---- comparing ------------------------------------------------------------------------------------------- */

void app_compare(struct app *app, enum compare mode)
{
    struct scenario *s = &app->s;
    if (mode != COMPARE_OFF && !s->other) {
        struct scenario *copy = xmalloc(sizeof *copy);
        scenario_copy(copy, s);
        copy->compare = COMPARE_OFF;
        s->other = copy;
    }
    if (mode == COMPARE_OFF && s->other) {
        scenario_done(s->other);
        free(s->other);
        s->other = NULL;
    }
    s->compare = mode;
}

/* Side by side with a copy, then A alone, B alone (to blink between them), and back. */
static void compare(struct app *app, uint32_t key)
{
    (void)key;
    static const enum compare next[] = {[COMPARE_OFF] = COMPARE_SIDE, [COMPARE_SIDE] = COMPARE_A, [COMPARE_A] = COMPARE_B,
                                        [COMPARE_B] = COMPARE_OFF, [COMPARE_DIFFERENCE] = COMPARE_SIDE};
    app_compare(app, next[app->s.compare]);
    if (app->s.compare == COMPARE_SIDE)
        app_say(app, ROLE_TEXT, N_("A beside its copy B: parameters change A; d shows A − B, S swaps them, s goes on"));
}

static void difference(struct app *app, uint32_t key)
{
    (void)key;
    app_compare(app, app->s.compare == COMPARE_DIFFERENCE ? COMPARE_SIDE : COMPARE_DIFFERENCE);
}

/* B becomes the one that parameters change. */
static void swap(struct app *app, uint32_t key)
{
    (void)key;
    if (!app->s.other) {
        app_say(app, ROLE_WARNING, N_("nothing to swap: s compares with a copy first"));
        return;
    }
    struct scenario b = picture_other(&app->s), *other = app->s.other;
    memcpy(other, &app->s, sizeof *other);
    other->other = NULL;
    b.other = other;
    b.compare = app->s.compare;
    other->compare = COMPARE_OFF;
    app->s = b;
}

/* ---- the program ----------------------------------------------------------------------------------------- */

static void next_colormap(struct app *app, uint32_t key)
{
    (void)key;
    size_t i = 0;
    while (colormaps[i] && colormaps[i] != app->s.map)
        i++;
    app->s.map = colormaps[i] && colormaps[i + 1] ? colormaps[i + 1] : colormaps[0];
    app_say(app, ROLE_TEXT, N_("colour map %s"), app_text(app, app->s.map->title));
}

static void next_theme(struct app *app, uint32_t key)
{
    (void)key;
    size_t i = 0;
    while (themes[i] && themes[i] != app->s.theme)
        i++;
    app->s.theme = themes[i] && themes[i + 1] ? themes[i + 1] : themes[0];
    app_say(app, ROLE_TEXT, N_("theme %s"), app_text(app, app->s.theme->title));
}

static void next_lang(struct app *app, uint32_t key)
{
    (void)key;
    scenario_speak(&app->s, (enum lang)((app->s.lang + 1) % LANG_COUNT));
}

static void redraw(struct app *app, uint32_t key)
{
    (void)key;
    term_redraw(app->term);
}

static void mouse(struct app *app, uint32_t key)
{
    (void)key;
    bool ours = !term_mouse(app->term);
    if (!term_set_mouse(app->term, ours))
        app_say(app, ROLE_WARNING, N_("this terminal reports no mouse"));
    else
        app_say(app, ROLE_TEXT, ours ? N_("the mouse works in the program again") : N_("the mouse selects text, as the terminal does it; M takes it back"));
}

static void command(struct app *app, uint32_t key)
{
    (void)key;
    prompt_open(app, ":", "", "");
}

static void export(struct app *app, uint32_t key)
{
    (void)key;
    char text[80];
    snprintf(text, sizeof text, "export %s.png", views[app->s.view]->id);
    prompt_open(app, ":", "", text);
    app->prompt.suggested = strlen("export ");
}

static void copy(struct app *app, uint32_t key)
{
    if (key == 'y')
        copy_value(app);
    else
        copy_row(app);
}

static void mark(struct app *app, uint32_t key)
{
    marks_ask(app, key == '"');
}

static void help(struct app *app, uint32_t key)
{
    (void)key;
    help_open(app);
}

static void undo(struct app *app, uint32_t key)
{
    bool back = key == 'u';
    struct scenario s;
    if (!history_pop(back ? &app->undo : &app->redo, &s)) {
        app_say(app, ROLE_WARNING, back ? N_("nothing to undo") : N_("nothing to redo"));
        return;
    }
    history_push(back ? &app->redo : &app->undo, &app->s);
    app_replace(app, &s);
}

/* Out of what was entered last: a comparison, a panel alone, a jump; at the first screen out of the program. */
static void back(struct app *app, uint32_t key)
{
    (void)key;
    struct scenario s;
    if (app->panel_open)
        app->panel_open = false;
    else if (app->s.other)
        app_compare(app, COMPARE_OFF);
    else if (app->only_panel >= 0)
        app->only_panel = -1;
    else if (history_pop(&app->jumps, &s))      /* a lesson was entered by a jump */
        app_replace(app, &s);
    else
        app->quit = true;
}

static void step_again(struct app *app, uint32_t key)
{
    (void)key;
    if (app_in_lesson(app))
        lesson_step(app, 0);
    else
        app_say(app, ROLE_WARNING, N_("no lesson is open"));
}

static void quit(struct app *app, uint32_t key)
{
    (void)key;
    app->quit = true;
}

static void cancel(struct app *app, uint32_t key)
{
    (void)key;
    if (app->panel_open)
        app->panel_open = false;
    else if (app->playing)
        app_play(app, false);
    else if (worker_computing(app->worker))
        app_cancel(app);
    else
        app->stale = !app->complete;
}

#define MOVE N_("Move and zoom")
#define VIEWS N_("Views")
#define PARAMETERS N_("Parameters")
#define TIME N_("Time")
#define COMPARE N_("Compare")
#define PROGRAM N_("Program")

const struct app_action app_actions[] = {
    {'[', .name = "param-previous", .help = N_("choose a parameter"), .group = PARAMETERS, .footer = N_("parameter"), .pair = true, .needs_parameter = true, .run = choose},
    {']', .name = "param-next", .help = N_("choose the next parameter"), .group = PARAMETERS, .run = choose},
    {'<', .name = "param-less", .help = N_("change it"), .group = PARAMETERS, .footer = N_("change"), .pair = true, .needs_parameter = true, .run = change},
    {'>', .name = "param-more", .help = N_("one step more"), .group = PARAMETERS, .run = change},
    {'{', .name = "param-much-less", .help = N_("change it by ten steps"), .group = PARAMETERS, .pair = true, .run = change_much},
    {'}', .name = "param-much-more", .help = N_("ten steps more"), .group = PARAMETERS, .run = change_much},
    {KEY_RETURN, .name = "param-type", .help = N_("type its value"), .group = PARAMETERS, .yields = true, .run = enter},
    {'P', .name = "parameters", .help = N_("all parameters, on a narrow screen"), .group = PARAMETERS, .run = open_panel},

    {' ', .name = "play", .help = N_("play, stop"), .group = TIME, .footer = N_("play"), .needs_clock = true, .yields = true, .run = play},
    {'.', .name = "time-step", .help = N_("one step on, back"), .group = TIME, .pair = true, .needs_clock = true, .yields = true, .run = step},
    {',', .name = "time-back", .help = N_("one step back"), .group = TIME, .needs_clock = true, .yields = true, .run = step},
    {KEY_CODE_BACKSPACE, .name = "step-again", .help = N_("in a lesson: this step again, as it was"), .group = TIME, .yields = true, .run = step_again},

    {'s', .name = "compare-copy", .help = N_("compare with a copy: side by side, A, B"), .group = COMPARE, .footer = N_("compare"), .run = compare},
    {'d', .name = "difference", .help = N_("the difference A − B"), .group = COMPARE, .run = difference},
    {'S', .name = "swap", .help = N_("swap A and B"), .group = COMPARE, .yields = true, .run = swap},

    {KEY_TAB, .name = "next-view", .help = N_("next, previous view"), .group = VIEWS, .footer = N_("view"), .pair = true, .run = next_view},
    {KEY_CODE_SHIFT_TAB, .name = "previous-view", .help = N_("previous view"), .group = VIEWS, .run = previous_view},
    {'1', .last = '9', .name = "pick-view", .help = N_("pick a tab, where the view numbers nothing"), .group = VIEWS, .yields = true, .run = pick_view},
    {'/', .name = "find", .help = N_("find a view, encoding, model, parameter or key"), .group = VIEWS, .footer = N_("find"), .run = find},
    {'q', .name = "back", .help = N_("back; out at the first screen"), .group = VIEWS, .run = back},
    {'"', .name = "keep-screen", .help = N_("keep this screen under a letter, go back to one"), .group = VIEWS, .pair = true, .run = mark},
    {'\'', .name = "kept-screen", .help = N_("go to the screen kept under a letter"), .group = VIEWS, .run = mark},

    {KEY_CODE_LEFT, .key2 = 'h', .name = "left", .help = N_("move the cursor left, right"), .group = MOVE, .pair = true, .run = move},
    {KEY_CODE_RIGHT, .key2 = 'l', .name = "right", .help = N_("move the cursor right"), .group = MOVE, .run = move},
    {KEY_CODE_UP, .key2 = 'k', .name = "up", .help = N_("move the cursor up, down"), .group = MOVE, .pair = true, .run = move},
    {KEY_CODE_DOWN, .key2 = 'j', .name = "down", .help = N_("move the cursor down"), .group = MOVE, .run = move},
    {KEY_CODE_HOME, .name = "first", .help = N_("to the first, the last place"), .group = MOVE, .pair = true, .run = to_edge},
    {KEY_CODE_END, .name = "last", .help = N_("to the last place"), .group = MOVE, .run = to_edge},
    {KEY_CODE_PAGE_DOWN, .name = "next", .help = N_("next, back: a step, or a page"), .group = MOVE, .pair = true, .yields = true, .run = page},
    {KEY_CODE_PAGE_UP, .name = "previous", .help = N_("back a step, or a page"), .group = MOVE, .yields = true, .run = page},
    {'+', .key2 = '=', .name = "zoom-in", .help = N_("zoom in, out, around the cursor"), .group = MOVE, .footer = N_("zoom"), .pair = true, .run = zoom_in},
    {'-', .name = "zoom-out", .help = N_("zoom out"), .group = MOVE, .run = zoom_out},
    {'0', .name = "fit", .help = N_("show all again"), .group = MOVE, .yields = true, .run = fit},
    {KEY_CODE_SHIFT_LEFT, .name = "pan-left", .help = N_("pan left, right"), .group = MOVE, .pair = true, .run = pan},
    {KEY_CODE_SHIFT_RIGHT, .name = "pan-right", .help = N_("pan right"), .group = MOVE, .run = pan},
    {KEY_CODE_SHIFT_UP, .name = "pan-up", .help = N_("pan up, down"), .group = MOVE, .pair = true, .run = pan},
    {KEY_CODE_SHIFT_DOWN, .name = "pan-down", .help = N_("pan down"), .group = MOVE, .run = pan},
    {';', .name = "next-panel", .help = N_("cursor to the next panel"), .group = MOVE, .yields = true, .run = next_panel},
    {'Z', .name = "panel-alone", .help = N_("this panel alone, and back"), .group = MOVE, .run = panel_alone},

    {':', .name = "command", .help = N_("type a command; Tab completes"), .group = PROGRAM, .footer = N_("command"), .run = command},
    {'x', .name = "export-figure", .help = N_("write the figure to a file"), .group = PROGRAM, .footer = N_("export"), .run = export},
    {'y', .name = "copy-value", .help = N_("copy the value under the cursor, its row or curve as CSV"), .group = PROGRAM, .pair = true, .run = copy},
    {'Y', .name = "copy-row", .help = N_("copy the row or curve as CSV"), .group = PROGRAM, .run = copy},
    {'?', .key2 = KEY_CODE_F1, .name = "help", .help = N_("this help"), .group = PROGRAM, .footer = N_("help"), .run = help},
    {'u', .name = "undo", .help = N_("undo"), .group = PROGRAM, .run = undo},
    {'U', .name = "redo", .help = N_("redo"), .group = PROGRAM, .run = undo},
    {'c', .name = "next-colormap", .help = N_("next colour map"), .group = PROGRAM, .run = next_colormap},
    {'t', .key2 = 'T', .name = "next-theme", .help = N_("next theme: dark, light, high contrast"), .group = PROGRAM, .yields = true, .run = next_theme},
    {'M', .name = "mouse", .help = N_("the mouse to the terminal, to select text; back"), .group = PROGRAM, .yields = true, .run = mouse},
    {KEY_CTRL_L, .name = "redraw", .help = N_("paint the screen anew"), .group = PROGRAM, .run = redraw},
    {'L', .name = "next-language", .help = N_("English or 中文"), .group = PROGRAM, .run = next_lang},
    {KEY_ESCAPE, .name = "cancel", .help = N_("stop computing or playing, or go on; close what is open"), .group = PROGRAM, .run = cancel},
    {'Q', .name = "quit", .help = N_("leave the program"), .group = PROGRAM, .run = quit},
};
const size_t n_app_actions = sizeof app_actions / sizeof *app_actions;
