/* dialogue_figure.c - the page of a view: its figure described, and the exact value at a place of it. */
#include "app/dialogue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/panel.h"
#include "app/reopen.h"
#include "base/mem.h"
#include "figure/describe.h"

/* Formats of our own catalogue, checked by msgfmt. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* ---- the figure ---------------------------------------------------------------------------------------------- */

/* Beside a lesson's text, the figure alone. Borrows all of the scenario. */
static struct scenario figure_scenario(const struct dialogue *d)
{
    struct scenario s = d->app->s;
    memset(&s.lesson, 0, sizeof s.lesson);
    return s;
}

static bool compute(struct dialogue *d, struct err *err)
{
    struct scenario s = figure_scenario(d);
    struct picture_room room = {.only_panel = -1, .words = true};
    struct figure *f = picture_plan(&s, &room, err);
    struct job *job = job_new_alone(d->threads);
    bool good = f && picture_compute(&s, f, job, err);
    job_free_alone(job);
    if (!good)
        figure_free(f);
    shown_figure(d->app, good ? f : NULL);
    d->app->complete = good;
    return good;
}

/* The first sentence of a paragraph. */
static size_t sentence(const char *text)
{
    const char *chinese = strstr(text, "。"), *english = strstr(text, ". ");
    if (chinese)
        return (size_t)(chinese - text) + strlen("。");
    return english ? (size_t)(english - text) + 1 : strlen(text);
}

void dialogue_append_param(const struct dialogue *d, const struct param_ref *ref, const char *between, struct buf *out)
{
    char value[80];
    panel_value(&d->app->s, ref, value, sizeof value, NULL);
    buf_format(out, "%s%s %s", between, dialogue_text(d, ref->param->title ? ref->param->title : ref->param->name), value);
    if (ref->param->unit)
        buf_format(out, " %s", dialogue_text(d, ref->param->unit));
}

/* The view's own parameters in a line; the others stand in the caption where they are not as usual, and behind `params`. */
static void add_parameters(const struct dialogue *d, struct buf *out)
{
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    size_t n = scenario_params(&d->app->s, refs, SCENARIO_MAX_PARAMS);
    struct buf list = {0};
    for (size_t i = 0; i < n; i++)
        if (refs[i].owner == OWNER_VIEW)
            dialogue_append_param(d, &refs[i], list.n ? "; " : "", &list);
    char *text = buf_string(&list), *line = xasprintf(dialogue_text(d, N_("Parameters of the view: %s.")), text);
    if (*text)
        describe_numbers_line(out, line);
    free(line);
    free(text);
}

static void say_head(struct dialogue *d)
{
    struct buf head = {0};
    describe_head(d->app->figure, d->app->s.lang, &head);
    add_parameters(d, &head);
    dialogue_part(d, buf_string(&head), 99);
}

static void say_panels(struct dialogue *d)
{
    const struct figure *f = d->app->figure;
    for (size_t i = 0; i < f->n; i++) {
        struct buf out = {0};
        if (f->n > 1)
            buf_format(&out, dialogue_text(d, N_("Panel %zu of %zu, ")), i + 1, f->n);
        size_t message = describe_panel(&f->panel[i], i ? &f->panel[i - 1] : NULL, d->app->s.lang, &out);
        dialogue_part(d, buf_string(&out), message);
    }
}

void dialogue_figure(struct dialogue *d)
{
    const struct view *v = views[d->app->s.view];
    struct err err = {.lang = d->app->s.lang};
    const char *help = dialogue_text(d, v->help);
    if (d->kind != PAGE_CHANGED)
        dialogue_say(d, N_("View %s. %.*s"), dialogue_text(d, v->title), (int)sentence(help), help);
    if (!compute(d, &err)) {
        dialogue_say(d, "%s", err.text);
        return;
    }
    say_head(d);
    say_panels(d);
}

/* ---- writing it ------------------------------------------------------------------------------------------------ */

/* As `posviz render` writes it: there is no screen whose size it could have. */
void dialogue_export(struct dialogue *d, const char *path, bool force)
{
    struct err err = {.lang = d->app->s.lang};
    struct scenario s = figure_scenario(d);
    const struct export_format *format = export_format_of(path, NULL);
    struct picture_room room = {.rows = drawn_rows(format), .cols = DRAWN_COLS, .only_panel = -1};
    struct export_options o = save_options(&s, &(struct drawn){room.cols, room.rows, -1, 0});
    o.force = force;
    if (save_figure(&s, &room, path, &o, d->threads, &err))
        dialogue_say(d, N_("written: %s"), path);
    else
        dialogue_say(d, "%s", err.text);
}

/* ---- reading a value ------------------------------------------------------------------------------------------- */

/* The place on an axis that a word names: a number, or the first of the axis' words that is it; NAN: neither. */
static double place_on(const struct axis *a, const char *word)
{
    char *end;
    double x = strtod(word, &end);
    for (size_t i = 0; i < a->n_ticks; i++)
        if (!strcmp(a->tick[i], word))
            return a->from + (double)i;
    return *word && !*end && isfinite(x) ? x : NAN;
}

static bool take_place(const struct axis *a, const char *word, double last, double *out, struct err *err)
{
    char low[40], high[40];
    double x = place_on(a, word);
    if (isnan(x) || x < fmin(a->from, last) || x > fmax(a->from, last))
        return err_set(err, N_("%s = %s: allowed is %s to %s"), a->label, word, describe_number(low, sizeof low, a->from, err->lang),
                       describe_number(high, sizeof high, last, err->lang));
    *out = x;
    return true;
}

/* Of a heatmap's axis: the middle of what is counted there. */
static bool take_sample(const struct axis *a, const char *word, double *out, struct err *err)
{
    bool counts = isfinite(axis_count(a));
    if (!take_place(a, word, counts ? a->to - 1 : a->to, out, err))
        return false;
    *out += counts ? 0.5 : 0;
    return true;
}

/* Rows, bars and lines are counted from 1, as they are said: a table's heading is its row 0, the first bar or line lies from 0 to 1. */
static bool take_row(const struct panel *p, const char *word, double *out, struct err *err)
{
    bool table = p->kind == PANEL_TABLE;
    size_t n = table ? p->table_rows - 1 : p->kind == PANEL_BARS ? p->n_bars : (size_t)panel_lines(p);
    int row = dialogue_number(word);
    if (row < 1 || (size_t)row > n)
        return err_set(err, N_("row %s: allowed is 1 to %zu"), word, n);
    *out = table ? row + 0.5 : row - 0.5;
    return true;
}

static bool take_words(const struct dialogue *d, const struct panel *p, const char *first, const char *second, struct place *at, struct err *err)
{
    switch (p->kind) {
    case PANEL_HEATMAP:
        return take_sample(&p->x, first, &at->x, err) && (!*second || take_sample(&p->y, second, &at->y, err));
    case PANEL_CURVES:
    case PANEL_DIALS: {
        struct axis dials = p->x;
        if (p->kind == PANEL_DIALS)
            axis_set(&dials, dialogue_text(d, N_("dial")), "", 0, p->n_xs ? p->xs[p->n_xs - 1] : (double)p->n_dials - 1, false);
        return take_place(&dials, first, dials.to, &at->x, err);
    }
    default:
        return take_row(p, first, &at->y, err);
    }
}

static void say_readout(const struct dialogue *d, const struct readout *o)
{
    char value[sizeof o->value_text];
    snprintf(value, sizeof value, "%s", o->value_text);
    if (!*value)
        describe_number(value, sizeof value, o->value, d->app->s.lang);
    char *said = xasprintf("%s%s%s%s%s", o->name, *o->value_text ? ": " : " = ", value, *o->formula ? "; " : "", o->formula);
    char *line = xasprintf(dialogue_text(d, N_("%s.")), said);
    dialogue_say_numbers(line);
    free(said);
    if (*o->source)
        dialogue_say(d, N_("Source: %s."), o->source);
    free(line);
}

/* The row at the place, of a table that its view says nothing about. */
static bool say_row(const struct dialogue *d, struct place at)
{
    const struct figure *f = d->app->figure;
    struct buf out = {0};
    bool said = at.panel >= 0 && at.y >= 1 && describe_row(&f->panel[at.panel], (size_t)at.y, d->app->s.lang, &out);
    if (said)
        fwrite(out.data, 1, out.n, stdout);
    buf_done(&out);
    return said;
}

static void probe(struct dialogue *d, struct place at)
{
    struct app *app = d->app;
    struct scenario s = figure_scenario(d);
    struct readout out = {.known = false};
    if (at.panel >= 0)
        picture_probe(&s, at.panel, at.x, at.y, &out);
    app->readout = out;
    app->probe_waiting = false;
    if (out.known)
        say_readout(d, &out);
    else if (!say_row(d, at))
        dialogue_say(d, N_("There is no value to read there; `panel` and a number chooses another panel."));
}

/* Two words of rest; false: there are more. */
static bool two_words(const char *rest, char first[80], char second[80])
{
    char more[2] = "";
    first[0] = second[0] = '\0';
    return sscanf(rest, "%79s %79s %1s", first, second, more) < 3;
}

/* What some views show depends on the place: their figure is made anew, and only told when asked for. */
static void follow(struct dialogue *d)
{
    struct err err = {.lang = d->app->s.lang};
    if (views[d->app->s.view]->follows_cursor)
        compute(d, &err);
}

void dialogue_read(struct dialogue *d, const char *rest)
{
    struct err err = {.lang = d->app->s.lang};
    char first[80], second[80];
    const struct figure *f = d->app->figure;
    struct place at = navigate_pointer(d->app);
    if (!f || at.panel < 0) {
        dialogue_say(d, N_("There is nothing to read here."));
        return;
    }
    if (!two_words(rest, first, second)) {
        dialogue_say(d, N_("read takes one place, or two: the column and the row of a heatmap."));
        return;
    }
    if (*first && !take_words(d, &f->panel[at.panel], first, second, &at, &err)) {
        dialogue_say(d, "%s", err.text);
        return;
    }
    bool typed = *first && f->panel[at.panel].kind == PANEL_CURVES;     /* the pointer stands on the sample next to it */
    navigate_put(d->app, at);
    follow(d);
    probe(d, typed ? at : navigate_pointer(d->app));
}
