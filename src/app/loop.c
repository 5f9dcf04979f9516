/* loop.c - the program's loop: events in, worker asked, screen out. It sleeps in poll without a time-out unless something plays, a
 * computation is shown in progress, or the terminal has not taken all of a frame. */
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "app/screen.h"
#include "app/state.h"
#include "base/mem.h"
#include "core/blas.h"

/* GRACE: how long a frame waits for a figure that may come at once; SHOW_PLAN: when an older picture gives way to the new one's
 * empty axes; PROGRESS: how often progress is drawn. All in ms. */
enum { GRACE = 5, SHOW_PLAN = 120, PROGRESS = 100, EVENTS_A_FRAME = 256 };

void app_make_canvas(struct app *app)
{
    term_size(app->term, &app->rows, &app->cols);
    app->rows = app->rows > 0 ? app->rows : 1;
    app->cols = app->cols > 0 ? app->cols : 1;
    canvas_free(app->canvas);
    app->canvas = canvas_new(app->rows, app->cols, app->s.theme, term_depth(app->term), term_ascii(app->term));
    app->canvas->certain = term_certain(app->term);
}

/* ---- the loop ---------------------------------------------------------------------------------------------- */

/* The terminal has taken a frame, after ms. A test's clock is its keys: there the rate follows from nothing that a busy machine changes. */
static void wrote(struct app *app, long ms)
{
    if (app->playing && !app->test_clock)
        pace_wrote(&app->pace, ms);
}

static void draw(struct app *app)
{
    mem_words(app_text(app, N_("out of memory")));
    screen_draw(app);
    app->dirty = false;
    app->drawn_at = pace_now();
    app->writing = !term_present(app->term, app->canvas, app->caret_y, app->caret_x);
    lecture_frame(app);
    if (!app->writing)
        wrote(app, 0);                  /* at once, however long a busy machine needed to draw it */
}

static void flush(struct app *app)
{
    if (!term_flush(app->term) || !app->writing)
        return;
    app->writing = false;
    wrote(app, pace_now() - app->drawn_at);
}

/* A figure or read-out that has just been asked for may come within the grace: then one frame shows it with the key's effect. While a
 * long picture is computed the key's effect alone is shown at once. */
static bool worth_waiting(struct app *app, long now)
{
    bool long_picture = now - app->asked_at >= GRACE && worker_computing(app->worker);
    return !long_picture && now - app->wanted_at < GRACE && worker_busy(app->worker);
}

/* Of two points in time, of which one below 0 never comes. */
static long earlier(long a, long b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* ms for which the first frame waits for what the terminal says about its colours and glyphs; 0: it need not. */
static int awaits_terminal(const struct app *app)
{
    return app->drawn_at ? 0 : term_asking(app->term);
}

/* ms that poll may sleep; -1: until something happens. */
static int patience(struct app *app)
{
    long now = pace_now(), until = -1;
    bool computing = worker_computing(app->worker);
    if (app->dirty && !app->writing)
        return worth_waiting(app, now) ? (int)(GRACE - (now - app->wanted_at)) : awaits_terminal(app);
    if (term_patience(app->term) >= 0)
        until = now + term_patience(app->term);
    if (computing && app->plan)
        until = earlier(until, app->asked_at + SHOW_PLAN);
    else if (computing)
        until = earlier(until, now - app->asked_at < 3 * PROGRESS ? app->asked_at + 3 * PROGRESS : app->drawn_at + PROGRESS);
    if (app->playing && !app->test_clock && !app->writing && !computing)
        until = earlier(until, (long)ceil(app->pace.due));
    until = earlier(until, lecture_due(app));
    return until < 0 ? -1 : until > now ? (int)(until - now) : 0;
}

static void sleep_until_news(struct app *app)
{
    int fds[2], n = term_fds(app->term, fds), out = term_write_fd(app->term);
    struct pollfd poll_fd[6];
    nfds_t k = 0;
    for (int i = 0; i < n; i++)
        poll_fd[k++] = (struct pollfd){.fd = fds[i], .events = POLLIN};
    poll_fd[k++] = (struct pollfd){.fd = worker_fd(app->worker), .events = POLLIN};
    if (live_fd(&app->live) >= 0)
        poll_fd[k++] = (struct pollfd){.fd = live_fd(&app->live), .events = POLLIN};
    if (copy_fd() >= 0)
        poll_fd[k++] = (struct pollfd){.fd = copy_fd(), .events = POLLIN};
    if (out >= 0)
        poll_fd[k++] = (struct pollfd){.fd = out, .events = POLLOUT};
    if (poll(poll_fd, k, patience(app)) > 0)
        for (int i = 0; i < n; i++)
            if (poll_fd[i].revents & (POLLHUP | POLLERR | POLLNVAL) && !(poll_fd[i].revents & POLLIN))
                app->quit = true;
}

static bool idle(struct app *app)
{
    return !app->dirty && !app->writing && !worker_busy(app->worker) && !app->copies.n && (!app->playing || app->test_clock);
}

/* What time brings: the clock's frame, progress, the empty axes of a picture that takes long. */
static void on_time(struct app *app)
{
    long now = pace_now();
    bool computing = worker_computing(app->worker);
    if (app->playing && !app->test_clock && !computing && !app->writing && pace_due(&app->pace, now))
        app_tick(app);
    if (computing && app->plan && now - app->asked_at >= SHOW_PLAN) {
        struct figure *plan = app->plan;
        app->plan = NULL;
        shown_figure(app, plan);
    }
    if (computing && now - app->asked_at >= 3 * PROGRESS && now - app->drawn_at >= PROGRESS)
        app->dirty = true;
}

void app_turn(struct app *app)
{
    struct event e;
    for (int i = 0; i < EVENTS_A_FRAME && !app->quit && (e = term_read(app->term)).type != EVENT_NONE; i++)
        app_handle(app, e);
    copy_take(app);
    live_take(app);
    shown_take_news(app);
    flush(app);
    on_time(app);
    lecture_turn(app);
    shown_refresh(app);
    if (app->dirty && !app->writing && !worth_waiting(app, pace_now()) && !awaits_terminal(app))
        draw(app);
    if (app->syncing && idle(app)) {
        app->syncing = false;
        term_sync(app->term, app->sync);
    }
}

void app_run(struct app *app)
{
    for (;;) {
        app_turn(app);
        if (app->quit)
            return;
        sleep_until_news(app);
    }
}

void app_settle(struct app *app)
{
    do {
        app_turn(app);
        if (!idle(app))
            sleep_until_news(app);
    } while (!idle(app) && !app->quit);
}

/* ---- open and close ------------------------------------------------------------------------------------------ */

static const struct worker_hooks hooks = {.compute = picture_compute, .probe = picture_probe, .warm_up = blas_warm_up};

bool app_open(struct app *app, struct term *term, const struct scenario *s, int threads, struct err *err)
{
    memset(app, 0, sizeof *app);
    app->term = term;
    app->only_panel = -1;
    app->s = *s;
    app->worker = worker_new(&hooks, threads);
    if (!app->worker) {
        app_close(app);
        return err_set(err, N_("no thread can be started"));
    }
    term_set_theme(term, app->s.theme);
    app_make_canvas(app);
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
    free(app->export_path);
    scenario_done(&app->s);
    history_clear(&app->undo);
    history_clear(&app->redo);
    history_clear(&app->jumps);
    prompt_done(&app->prompt);
    marks_done(&app->marks);
    live_done(&app->live);
    copy_done(&app->copies);
    finder_done(&app->finder);
    term_close(app->term);
}
