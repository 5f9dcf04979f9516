/* app.c - the loop: events in, scenario edited, figure asked for, screen out.
 *
 * Everything on the screen follows from the scenario, so after each event the loop only asks: does the picture or the read-out
 * still belong to it? If not, the worker is asked anew. The loop sleeps in poll without a time-out unless something plays, a
 * computation is shown in progress, or the terminal has not taken all of a frame. */
#include "app/app.h"

#include <locale.h>
#include <math.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/keys.h"
#include "app/panel.h"
#include "app/screen.h"
#include "app/state.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "core/blas.h"

/* GRACE: how long a frame waits for a figure that may come at once; SHOW_PLAN: when an older picture gives way to the new one's
 * empty axes; PROGRESS: how often progress is drawn. All in ms. */
enum { GRACE = 5, SHOW_PLAN = 120, PROGRESS = 100, EVENTS_A_FRAME = 256 };

/* ---- messages -------------------------------------------------------------------------------------------- */

const char *app_text(const struct app *app, const char *msgid)
{
    return lang_text(app->s.lang, msgid);
}

void app_say(struct app *app, enum role role, const char *fmt, ...)
{
    char raw[MESSAGE_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(raw, sizeof raw, app_text(app, fmt), ap);
    va_end(ap);
    utf8_sanitise(app->message, sizeof app->message, raw);
    app->message_role = role;
}

void app_fail(struct app *app, const struct err *err)
{
    snprintf(app->message, sizeof app->message, "%s", err->text);
    app->message_role = ROLE_ERROR;
}

/* ---- edits and undo -------------------------------------------------------------------------------------- */

/* Two scenarios that differ only in where one looks, and in which language and colours, are no edit apart. shallow copies. */
static bool same_work(const struct scenario *a, const struct scenario *b)
{
    struct scenario x;
    memcpy(&x, a, sizeof x);
    x.view = b->view;
    x.zoom = b->zoom;
    x.focus = b->focus;
    x.cursor_x = b->cursor_x;
    x.cursor_y = b->cursor_y;
    x.chosen = b->chosen;
    x.compare = b->compare;
    x.lang = b->lang;
    x.map = b->map;
    x.theme = b->theme;
    x.large = b->large;
    return scenario_same(&x, b);
}

void app_replace(struct app *app, struct scenario *s)
{
    s->lang = app->s.lang;
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
    if (!v->input || (v->suits && v->suits(&app->s)))
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
        pace_init(&app->pace);
    }
    app->playing = on;
}

/* One frame of the animation; it is no edit of its own. */
static void tick(struct app *app)
{
    if (!views[app->s.view]->plays || !app_input(app, ACTION_TICK))
        app_play(app, false);
    app->dirty = true;
}

/* ---- keys ------------------------------------------------------------------------------------------------ */

/* The framework's own keys first, then the view's, then those that a view may claim. */
static void view_key(struct app *app, uint32_t key)
{
    const struct app_action *framework = keys_framework(key);
    const struct action *action = framework && !framework->yields ? NULL : keys_view(views[app->s.view], key);
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
    app->hovering = false;
    if (app->test_clock && key == TICK_KEY) {
        if (app->playing)
            tick(app);
    } else if (app->overlay) {
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

static void slide(struct app *app, const struct hit *hit, int x)
{
    panel_slide(app, hit->index, hit->cols > 1 ? (double)(x - hit->x) / (hit->cols - 1) : 0);
}

static void click(struct app *app, const struct hit *hit, int x)
{
    switch (hit->kind) {
    case HIT_VIEW:   scenario_set_view(&app->s, views[hit->index]->id, NULL); break;
    case HIT_KEY:    handle_key(app, (uint32_t)hit->index); break;
    case HIT_SLIDER: slide(app, hit, x); break;
    case HIT_PARAM:
        if (app->s.chosen == hit->index)
            panel_type(app);
        app->s.chosen = hit->index;
        break;
    }
}

/* Drags the picture along; on a slider its value. */
static void drag(struct app *app, int y, int x)
{
    struct place at = navigate_pointer(app);
    const struct hit *hit = hit_at(app, y, x);
    if (hit && hit->kind == HIT_SLIDER) {
        slide(app, hit, x);
        return;
    }
    if (!app->dragging || at.panel < 0)
        return;
    struct rect_cells area = panel_data_area(&app->figure->panel[at.panel]);
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
    app->dragging = false;
    if (hit) {
        click(app, hit, x);
    } else if (navigate_to_cell(app, y, x, &at)) {
        app->hovering = false;
        app->s.focus = at.panel;
        app->s.cursor_x = at.x;
        app->s.cursor_y = at.y;
        app->dragging = true;
        app->drag_y = y;
        app->drag_x = x;
    }
}

static void handle_mouse(struct app *app, const struct event *e)
{
    bool up = e->mouse == MOUSE_WHEEL_UP;
    if (app->overlay) {
        if (up || e->mouse == MOUSE_WHEEL_DOWN)
            app->overlay->key(app, up ? KEY_CODE_UP : KEY_CODE_DOWN);
        else if (e->mouse == MOUSE_PRESS)
            app->overlay = NULL;
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
        app->dragging = false;
        break;
    case MOUSE_WHEEL_UP:
    case MOUSE_WHEEL_DOWN:
        app->hovering = navigate_to_cell(app, e->y, e->x, &app->hover);
        if (app->hovering)
            navigate_zoom(app, up ? 0.8 : 1.25);
        break;
    }
}

/* ---- the figure ------------------------------------------------------------------------------------------- */

static struct picture_room room_of(const struct app *app)
{
    struct rect r = screen_zones(app->rows, app->cols).figure;
    return (struct picture_room){r.rows, r.cols, canvas_heat_rows(app->canvas), app->only_panel};
}

/* Does the figure depend on what differs between the two? The cursor only where the view follows it, colours never. */
static bool same_picture(const struct scenario *a, const struct scenario *b)
{
    struct scenario x;
    memcpy(&x, a, sizeof x);
    x.chosen = b->chosen;
    x.map = b->map;
    x.theme = b->theme;
    if (!views[b->view]->follows_cursor) {
        x.focus = b->focus;
        x.cursor_x = b->cursor_x;
        x.cursor_y = b->cursor_y;
    }
    return scenario_same(&x, b);
}

static bool same_room(const struct picture_room *a, const struct picture_room *b)
{
    return a->rows == b->rows && a->cols == b->cols && a->heat_rows == b->heat_rows && a->only_panel == b->only_panel;
}

static void show_figure(struct app *app, struct figure *f)
{
    figure_free(app->figure);
    app->figure = f;
    figure_free(app->plan);
    app->plan = NULL;
    app->dirty = true;
}

/* Remembers what the figure is for. */
static void note_asked(struct app *app, const struct picture_room *room)
{
    if (app->asking)
        scenario_done(&app->asked);
    scenario_copy(&app->asked, &app->s);
    app->asked_room = *room;
    app->asking = true;
    app->asked_at = pace_now();
}

/* The old picture stays until the new one comes, unless it belongs to another view or another room. */
static void ask(struct app *app, const struct picture_room *room)
{
    struct err err = {.lang = app->s.lang};
    bool other = !app->asking || app->asked.view != app->s.view || app->asked.compare != app->s.compare || !same_room(room, &app->asked_room);
    struct figure *f = picture_plan(&app->s, room, &err);
    note_asked(app, room);
    app->dirty = true;
    if (!f) {
        worker_cancel(app->worker);
        show_figure(app, picture_text(&app->s, room, err.text));
        return;
    }
    if (other)
        show_figure(app, figure_copy(f));
    figure_free(app->plan);
    app->plan = other ? NULL : figure_copy(f);
    worker_request(app->worker, &app->s, f);
}

static bool same_place(struct place a, struct place b)
{
    return a.panel == b.panel && (a.x == b.x || (isnan(a.x) && isnan(b.x))) && (a.y == b.y || (isnan(a.y) && isnan(b.y)));
}

/* Asks the worker for what no longer belongs to the scenario. */
static void refresh(struct app *app)
{
    struct picture_room room = room_of(app);
    if (room.rows <= 0)
        return;
    if (!app->asking || !same_picture(&app->asked, &app->s) || !same_room(&room, &app->asked_room)) {
        ask(app, &room);
        app->probe_stale = true;
    }
    struct place at = navigate_pointer(app);
    if (!app->probe_stale && same_place(at, app->probed))
        return;
    app->probed = at;
    app->probe_stale = false;
    app->dirty = true;
    app->readout.known = app->readout.known && at.panel >= 0;
    app->probe_waiting = at.panel >= 0;
    if (at.panel >= 0)
        worker_probe(app->worker, &app->s, at.panel, at.x, at.y);
}

static void take_news(struct app *app)
{
    struct worker_news news = worker_take(app->worker);
    if (news.figure)
        show_figure(app, news.figure);
    if (news.failed)
        show_figure(app, picture_text(&app->s, &app->asked_room, news.err.text));
    if (news.probed) {
        app->readout = news.readout;
        app->probe_waiting = false;
    }
    app->dirty = app->dirty || news.finished || news.probed;
}

/* ---- events ------------------------------------------------------------------------------------------------ */

static void make_canvas(struct app *app)
{
    term_size(app->term, &app->rows, &app->cols);
    app->rows = app->rows > 0 ? app->rows : 1;
    app->cols = app->cols > 0 ? app->cols : 1;
    canvas_free(app->canvas);
    app->canvas = canvas_new(app->rows, app->cols, app->s.theme, term_depth(app->term), term_ascii(app->term));
}

/* What follows from an edit wherever it came from: undo, the choice in the panel, the colours of the terminal. */
static void after_edit(struct app *app, struct scenario *before)
{
    if (app->replaced) {
        app->replaced = false;
    } else if (!same_work(before, &app->s)) {
        history_push(&app->undo, before);
        history_clear(&app->redo);
    }
    if (before->view != app->s.view) {
        app_play(app, false);
        app->only_panel = -1;
    }
    if (before->chosen == app->s.chosen)
        panel_keep_choice(&app->s, before);
    if (before->theme != app->s.theme) {
        term_set_theme(app->term, app->s.theme);
        make_canvas(app);
    }
}

static void handle_input(struct app *app, const struct event *e)
{
    struct scenario before;
    scenario_copy(&before, &app->s);
    if (e->type == EVENT_KEY)
        handle_key(app, e->key);
    else
        handle_mouse(app, e);
    after_edit(app, &before);
    scenario_done(&before);
    app->dirty = true;
}

void app_handle(struct app *app, struct event event)
{
    switch (event.type) {
    case EVENT_KEY:
    case EVENT_MOUSE:
        handle_input(app, &event);
        break;
    case EVENT_RESIZE:
        make_canvas(app);
        app->dirty = true;
        break;
    case EVENT_SUSPENDED:
        term_suspend(app->term);
        make_canvas(app);
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

/* ---- the loop ---------------------------------------------------------------------------------------------- */

static void draw(struct app *app)
{
    screen_draw(app);
    app->dirty = false;
    app->drawn_at = pace_now();
    app->writing = !term_present(app->term, app->canvas, app->caret_y, app->caret_x);
    if (!app->writing)
        pace_wrote(&app->pace, pace_now() - app->drawn_at);
}

static void flush(struct app *app)
{
    if (!app->writing || !term_flush(app->term))
        return;
    app->writing = false;
    pace_wrote(&app->pace, pace_now() - app->drawn_at);
}

/* A figure that has just been asked for may come within the grace: then one frame shows both the key's effect and the picture. */
static bool worth_waiting(struct app *app, long now)
{
    return worker_busy(app->worker) && now - app->asked_at < GRACE;
}

/* ms that poll may sleep; -1: until something happens. */
static int patience(struct app *app)
{
    long now = pace_now(), until = -1;
    bool computing = worker_computing(app->worker);
    if (app->dirty && !app->writing)
        return worth_waiting(app, now) ? (int)(GRACE - (now - app->asked_at)) : 0;
    if (computing && app->plan)
        until = app->asked_at + SHOW_PLAN;
    else if (computing)
        until = (now - app->asked_at < 3 * PROGRESS ? app->asked_at + 3 * PROGRESS : app->drawn_at + PROGRESS);
    if (app->playing && !app->test_clock && !app->writing && !computing && (until < 0 || app->pace.due < until))
        until = app->pace.due;
    return until < 0 ? -1 : until > now ? (int)(until - now) : 0;
}

static void sleep_until_news(struct app *app)
{
    int fds[2], n = term_fds(app->term, fds), out = term_write_fd(app->term);
    struct pollfd poll_fd[4];
    nfds_t k = 0;
    for (int i = 0; i < n; i++)
        poll_fd[k++] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    poll_fd[k++] = (struct pollfd){.fd = worker_fd(app->worker), .events = POLLIN};
    if (out >= 0)
        poll_fd[k++] = (struct pollfd){.fd = out, .events = POLLOUT};
    if (poll(poll_fd, k, patience(app)) > 0)
        for (int i = 0; i < n; i++)
            if (poll_fd[i].revents & (POLLHUP | POLLERR | POLLNVAL) && !(poll_fd[i].revents & POLLIN))
                app->quit = true;
}

static bool idle(struct app *app)
{
    return !app->dirty && !app->writing && !worker_busy(app->worker) && (!app->playing || app->test_clock);
}

/* What time brings: the clock's frame, progress, the empty axes of a picture that takes long. */
static void on_time(struct app *app)
{
    long now = pace_now();
    bool computing = worker_computing(app->worker);
    if (app->playing && !app->test_clock && !computing && !app->writing && pace_due(&app->pace, now))
        tick(app);
    if (computing && app->plan && now - app->asked_at >= SHOW_PLAN) {
        struct figure *plan = app->plan;
        app->plan = NULL;
        show_figure(app, plan);
    }
    if (computing && now - app->asked_at >= 3 * PROGRESS && now - app->drawn_at >= PROGRESS)
        app->dirty = true;
}

static void turn(struct app *app)
{
    struct event e;
    for (int i = 0; i < EVENTS_A_FRAME && !app->quit && (e = term_read(app->term)).type != EVENT_NONE; i++)
        app_handle(app, e);
    take_news(app);
    flush(app);
    on_time(app);
    refresh(app);
    if (app->dirty && !app->writing && !worth_waiting(app, pace_now()))
        draw(app);
    if (app->syncing && idle(app)) {
        app->syncing = false;
        term_sync(app->term, app->sync);
    }
}

void app_settle(struct app *app)
{
    do {
        turn(app);
        if (!idle(app))
            sleep_until_news(app);
    } while (!idle(app) && !app->quit);
}

/* ---- open and close ------------------------------------------------------------------------------------------ */

static const struct worker_hooks hooks = {.compute = picture_compute, .probe = picture_probe, .warm_up = blas_warm_up};

bool app_open(struct app *app, struct term *term, const struct options *options, struct err *err)
{
    memset(app, 0, sizeof *app);
    app->term = term;
    app->only_panel = -1;
    scenario_init(&app->s);
    app->worker = options_scenario(options, &app->s, err) ? worker_new(&hooks, options->threads) : NULL;
    if (!app->worker && !*err->text)
        err_set(err, N_("no thread can be started"));
    if (!app->worker) {
        app_close(app);
        return false;
    }
    term_set_theme(term, app->s.theme);
    make_canvas(app);
    pace_init(&app->pace);
    app->dirty = true;
    return true;
}

void app_close(struct app *app)
{
    worker_free(app->worker);
    figure_free(app->figure);
    figure_free(app->plan);
    canvas_free(app->canvas);
    if (app->asking)
        scenario_done(&app->asked);
    scenario_done(&app->s);
    history_clear(&app->undo);
    history_clear(&app->redo);
    history_clear(&app->jumps);
    prompt_done(&app->prompt);
    finder_done(&app->finder);
    term_close(app->term);
}

/* ---- the command line ----------------------------------------------------------------------------------------- */

enum { SCREEN_NO_MOUSE = OPTIONS_COUNT, SCREEN_TEST_SYNC, SCREEN_TEST_CLOCK };
static const struct command_option rows[] = {
    OPTIONS_ROWS,
    [SCREEN_NO_MOUSE] = {"--no-mouse", NULL, N_("leave the mouse to the terminal")},
    [SCREEN_TEST_SYNC] = {"--test-sync", NULL, N_("answer a test's ping once idle")},
    [SCREEN_TEST_CLOCK] = {"--test-clock", NULL, N_("play a frame for each Ctrl-T only")},
};

struct start {
    struct options options;
    bool no_mouse, test_sync, test_clock;
};

static bool take(struct start *start, int option, const char *argument, struct err *err)
{
    switch (option) {
    case COMMAND_OPERAND:   return !argument || options_operand(&start->options, argument, err);
    case SCREEN_NO_MOUSE:   return start->no_mouse = true;
    case SCREEN_TEST_SYNC:  return start->test_sync = true;
    case SCREEN_TEST_CLOCK: return start->test_clock = true;
    }
    return options_take(&start->options, option, argument, err);
}

static struct term *open_term(const struct start *start, const struct scenario *s, struct err *err)
{
    const struct theme *theme = start->options.theme ? start->options.theme : s->theme;
    struct term_options options = {.depth = start->options.depth, .ascii = start->options.ascii, .mouse = !start->no_mouse,
                                   .test_sync = start->test_sync, .theme = theme};
    return term_open(&options, err);
}

static int run_screen(const struct start *start, struct err *err)
{
    struct scenario s;
    struct app *app = xcalloc(1, sizeof *app);
    scenario_init(&s);
    bool good = options_scenario(&start->options, &s, err);         /* a wrong option is said before the screen is taken */
    struct term *term = good ? open_term(start, &s, err) : NULL;
    scenario_done(&s);
    good = term && app_open(app, term, &start->options, err);
    if (good) {
        app->test_clock = start->test_clock;
        mem_before_exit(term_restore);
        for (;;) {
            turn(app);
            if (app->quit)
                break;
            sleep_until_news(app);
        }
        app_close(app);
    }
    free(app);
    return good ? STATUS_DONE : command_fail(&app_command, err->text);
}

/* Without a terminal: the figure as text, and its caption and source. */
static int print_report(const struct start *start, struct err *err)
{
    const struct options *o = &start->options;
    struct scenario s;
    int rows_wanted = o->rows ? o->rows : 24, cols = o->cols ? o->cols : 80, status = STATUS_USAGE;
    scenario_init(&s);
    struct picture_room room = {.rows = rows_wanted, .cols = cols, .only_panel = -1};
    enum color_depth depth = o->depth < 0 ? DEPTH_MONO : (enum color_depth)o->depth;
    struct figure *f = NULL;
    struct canvas *c = canvas_new(room.rows, room.cols, themes[0], depth, o->ascii);
    room.heat_rows = canvas_heat_rows(c);
    if (options_scenario(o, &s, err))
        f = view_figure(&s, room.rows, room.cols, room.heat_rows, o->threads, err);
    if (f) {
        struct draw_options draw = {.map = s.map, .cursor = {.panel = -1}, .lang = s.lang};
        figure_draw(f, c, 0, 0, &draw);
        char *text = canvas_to_text(c, depth != DEPTH_MONO);
        status = command_print(&app_command, text, STATUS_DONE);
        free(text);
    } else {
        command_fail(&app_command, err->text);
    }
    figure_free(f);
    canvas_free(c);
    scenario_done(&s);
    return status;
}

const struct command app_command = {
    .name = "screen",
    .usage = "[VIEW]",
    .summary = N_("opens the screen"),
    .options = rows, .n_options = sizeof rows / sizeof *rows,
    .run = app_main,
};

int app_main(int argc, char **argv, enum lang lang)
{
    struct start start = {.no_mouse = false};
    struct err err = {.lang = lang};
    const char *argument;
    options_init(&start.options, lang);
    for (int i = 1; i < argc;) {
        int option = command_next(&app_command, argc, argv, &i, &argument, lang);
        if (option == COMMAND_HELP)
            return STATUS_DONE;
        if (option == COMMAND_WRONG)
            return STATUS_USAGE;
        if (!take(&start, option, argument, &err))
            return command_fail(&app_command, err.text);
    }
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) ? run_screen(&start, &err) : print_report(&start, &err);
}
