/* shown.c - the figure and the read-out on the screen: do they still belong to the scenario? If not, the worker is asked anew. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/screen.h"
#include "app/state.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "figure/table.h"

/* ---- the figure ------------------------------------------------------------------------------------------- */

static struct picture_room room_of(const struct app *app)
{
    struct rect r = screen_zones_now(app).figure;
    return (struct picture_room){.rows = r.rows, .cols = r.cols, .heat_rows = canvas_heat_rows(app->canvas), .only_panel = app->only_panel};
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
        memcpy(x.cursor, b->cursor, sizeof x.cursor);
    }
    return scenario_same(&x, b);
}

static bool same_room(const struct picture_room *a, const struct picture_room *b)
{
    return a->rows == b->rows && a->cols == b->cols && a->heat_rows == b->heat_rows && a->only_panel == b->only_panel;
}

void shown_figure(struct app *app, struct figure *f)
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
    app->asked_at = app->wanted_at = pace_now();
}

/* ---- export ----------------------------------------------------------------------------------------------- */

bool app_export(struct app *app, const char *path, bool force, struct err *err)
{
    struct export_options options = save_options(&app->s, NULL);
    bool done;
    options.force = force;
    if (file_is_stream(path))           /* nobody may ever read it, and the screen would wait */
        return err_set(err, N_("%s: a pipe can be written only by posviz render"), path);
    bool good = save_report(&app->s, path, &options, &done, err);
    if (done) {
        if (good)
            app_say(app, ROLE_GOOD, N_("written: %s"), path);
        return good;
    }
    const struct export_format *format = export_format_of(path, err);
    if (!format || !file_may_write(path, force, err))
        return false;
    struct picture_room room = room_of(app);
    room.heat_rows = export_heat_rows(format, &options);
    struct figure *f = room.rows > 0 ? picture_plan(&app->s, &room, err) : NULL;
    if (!f)
        return false;
    free(app->export_path);
    app->export_path = xstrdup(path);
    app->export_force = force;
    app->asked_at = pace_now();
    worker_request(app->worker, &app->s, f);
    return true;
}

static void end_export(struct app *app)
{
    free(app->export_path);
    app->export_path = NULL;
    app->stale = !app->complete;        /* the screen's own request was given up for it */
}

void app_cancel(struct app *app)
{
    worker_cancel(app->worker);
    if (app->export_path) {
        app_say(app, ROLE_WARNING, N_("stopped: %s is not written"), app->export_path);
        end_export(app);
    } else {
        app_say(app, ROLE_WARNING, N_("stopped: the picture is not complete; Esc goes on"));
    }
}

/* The figure has come, or what prevented it. */
static void finish_export(struct app *app, const struct worker_news *news)
{
    struct err err = news->err;
    struct picture_room room = room_of(app);
    struct export_options options = save_options(&app->s, &(struct drawn){room.cols, room.rows, room.only_panel, 0});
    options.force = app->export_force;
    err.lang = app->s.lang;
    if (!news->failed && export_figure(news->figure, app->export_path, &options, &err))
        app_say(app, ROLE_GOOD, N_("written: %s"), app->export_path);
    else
        app_fail(app, &err);
    end_export(app);
}

/* The old picture stays until the new one comes, unless it belongs to another view or another room. */
static void ask(struct app *app, const struct picture_room *room)
{
    struct err err = {.lang = app->s.lang};
    bool other = !app->asking || app->asked.view != app->s.view || app->asked.compare != app->s.compare || !same_room(room, &app->asked_room);
    struct figure *f = picture_plan(&app->s, room, &err);
    if (app->export_path) {
        app_say(app, ROLE_WARNING, N_("%s is not written: something changed before it was done"), app->export_path);
        end_export(app);
    }
    note_asked(app, room);
    app->complete = app->stale = false;
    app->dirty = true;
    if (!f) {
        worker_cancel(app->worker);
        shown_figure(app, picture_text(&app->s, room, err.text));
        app->complete = true;
        return;
    }
    if (other)
        shown_figure(app, figure_copy(f));
    figure_free(app->plan);
    app->plan = other ? NULL : figure_copy(f);
    worker_request(app->worker, &app->s, f);
}

static bool same_place(struct place a, struct place b)
{
    return a.panel == b.panel && (a.x == b.x || (isnan(a.x) && isnan(b.x))) && (a.y == b.y || (isnan(a.y) && isnan(b.y)));
}

/* Asks the worker for what no longer belongs to the scenario. */
void shown_refresh(struct app *app)
{
    struct picture_room room = room_of(app);
    if (room.rows <= 0)
        return;
    if (!app->asking || app->stale || !same_picture(&app->asked, &app->s) || !same_room(&room, &app->asked_room)) {
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
    app->wanted_at = pace_now();
    if (at.panel >= 0)
        worker_probe(app->worker, &app->s, at.panel, at.x, at.y);
}

/* A row of a table that its view says nothing about: "bfloat16, first position not held  257   error at the end 1.98". */
static void read_row(const struct panel *p, double y, struct readout *out)
{
    size_t row = y >= 1 ? (size_t)y : 0, at = 0, cols = p->table_cols;
    if (row == 0 || row >= p->table_rows || cols < 2)
        return;
    const char *name = table_text(p, row, 0), *head = p->facts ? "" : table_text(p, 0, 1);
    memset(out, 0, sizeof *out);
    const char *kind = table_is_number_column(p, 0) ? table_text(p, 0, 0) : "";           /* "head 3" */
    char *whole = xasprintf("%s%s%s%s%s", kind, *kind ? " " : "", name, *name && *head ? ", " : "", head), formula[sizeof out->formula] = "";
    utf8_sanitise(out->name, sizeof out->name, whole);
    utf8_sanitise(out->value_text, sizeof out->value_text, table_text(p, row, 1));
    free(whole);
    for (size_t c = 2; c < cols && at < sizeof formula; c++)
        if (*table_text(p, row, c))
            at += (size_t)snprintf(formula + at, sizeof formula - at, "%s%s%s%s", at ? " · " : "", table_text(p, 0, c),
                                   *table_text(p, 0, c) ? " " : "", table_text(p, row, c));
    utf8_sanitise(out->formula, sizeof out->formula, formula);
    out->value = p->cell[row * cols + 1].number;
    out->worded = !isnan(out->value);
    out->known = *out->value_text || *out->formula;
}

/* Anew with each figure, which may come after the view's answer. */
static void read_table(struct app *app)
{
    int i = app->probed.panel;
    const struct panel *p = app->figure && i >= 0 && (size_t)i < app->figure->n ? &app->figure->panel[i] : NULL;
    if (!app->probe_silent || !p || p->kind != PANEL_TABLE || !p->cell)
        return;
    app->readout.known = false;         /* what was read from the figure before */
    read_row(p, app->probed.y, &app->readout);
}

/* ---- news ------------------------------------------------------------------------------------------------- */

static void take_figure(struct app *app, const struct worker_news *news)
{
    if (app->export_path) {
        if (news->finished)
            finish_export(app, news);
        figure_free(news->figure);
        return;
    }
    app->complete = app->complete || news->finished;
    if (news->figure)
        shown_figure(app, news->figure);
    if (news->failed)
        shown_figure(app, picture_text(&app->s, &app->asked_room, news->err.text));
}

void shown_take_news(struct app *app)
{
    struct worker_news news = worker_take(app->worker);
    take_figure(app, &news);
    if (news.probed) {
        app->readout = news.readout;
        app->probe_silent = !news.readout.known;
        app->probe_waiting = false;
    }
    read_table(app);
    app->dirty = app->dirty || news.finished || news.probed;
}
