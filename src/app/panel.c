#include "app/panel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/screen.h"
#include "app/state.h"
#include "base/utf8.h"

/* ---- values -------------------------------------------------------------------------------------------- */

static bool is_number(const struct param *p)
{
    return p->type == PARAM_INT || p->type == PARAM_REAL;
}

/* Of an absent parameter: what its view takes for it, or its encoding. "": nothing. */
static char *derived_value(const struct scenario *s, const struct param_ref *ref, char *out, size_t size)
{
    const struct view *v = views[s->view];
    if (ref->owner != OWNER_VIEW)
        return scenario_derived(s, ref, out, size);
    double x = v->derived ? v->derived(s, ref->index) : NAN;
    *out = '\0';
    return isnan(x) ? out : format_number(out, size, x, 10);
}

/* The same as a number: where steps start. */
static double derived_number(const struct scenario *s, const struct param_ref *ref)
{
    char text[64];
    if (ref->owner == OWNER_VIEW)
        return views[s->view]->derived ? views[s->view]->derived(s, ref->index) : NAN;
    return *scenario_derived(s, ref, text, sizeof text) ? strtod(text, NULL) : NAN;
}

char *panel_value(const struct scenario *s, const struct param_ref *ref, char *out, size_t size, bool *derived)
{
    const struct param *p = ref->param;
    struct value v = scenario_get(s, ref);
    bool absent = value_absent(v);
    if (derived)
        *derived = absent;
    if (absent) {
        char text[64];
        derived_value(s, ref, text, sizeof text);
        snprintf(out, size, "%s", *text ? text : lang_text(s->lang, N_("none")));
    } else if (is_number(p) && v.x == floor(v.x)) {
        format_number(out, size, v.x, 10);
    } else if (p->type == PARAM_CHOICE) {
        snprintf(out, size, "%s", lang_text(s->lang, param_choice_title(p, (size_t)v.x)));
    } else if (p->type == PARAM_BOOL) {
        snprintf(out, size, "%s", lang_text(s->lang, v.x != 0 ? N_("yes") : N_("no")));
    } else if (v.t) {
        snprintf(out, size, lang_text(s->lang, N_("%zu values")), v.t->n);
    } else {
        param_format(p, v, out, size);
    }
    return out;
}

static const char *title_of(const struct scenario *s, const struct param *p)
{
    return lang_text(s->lang, p->title ? p->title : p->name);
}

/* What "encoding.key" is called: unique where two encodings have the same parameter. */
static void full_name(const struct scenario *s, const struct param_ref *ref, char *out, size_t size)
{
    if (ref->owner == OWNER_ENCODING && s->n_items > 1)
        snprintf(out, size, "%s.%s", s->item[ref->item].kind->id, ref->param->name);
    else
        snprintf(out, size, "%s", ref->param->name);
}

/* Sliders: over decades where steps multiply, nearly so where a range holds very many steps (0 to 10^9 tokens), else even. */
enum { MANY_STEPS = 10000 };

static bool spans_decades(const struct param *p)
{
    return p->step <= 0 || p->max - p->min > MANY_STEPS * p->step;
}

static double share_of(const struct param *p, double x)
{
    double share = p->max > p->min ? (x - p->min) / (p->max - p->min) : 0;      /* a single head has no range */
    if (spans_decades(p))
        share = p->min > 0 ? log(x / p->min) / log(p->max / p->min) : log1p(x - p->min) / log1p(p->max - p->min);
    return fmin(fmax(share, 0), 1);
}

static double value_at(const struct param *p, double share)
{
    double x = p->min + share * (p->max - p->min);
    if (spans_decades(p))
        x = p->min > 0 ? p->min * pow(p->max / p->min, share) : p->min + expm1(share * log1p(p->max - p->min));
    if (p->step > 0)
        x = p->min + round((x - p->min) / p->step) * p->step;
    return p->type == PARAM_INT ? round(x) : x;
}

/* ---- choosing and changing ------------------------------------------------------------------------------ */

/* The parameters that change this picture: their places in the list of all, and which of them is chosen (-1: there is none). */
struct offer { size_t n; int chosen, index[SCENARIO_MAX_PARAMS]; struct param_ref ref[SCENARIO_MAX_PARAMS]; };

static void offer(const struct app *app, struct offer *o)
{
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    size_t n = scenario_params(&app->s, refs, SCENARIO_MAX_PARAMS);
    o->n = 0;
    for (size_t i = 0; i < n; i++)
        if (view_depends(&app->s, &refs[i])) {
            o->index[o->n] = (int)i;
            o->ref[o->n++] = refs[i];
        }
    o->chosen = o->n ? 0 : -1;
    for (size_t i = 0; i < o->n; i++)
        if (o->index[i] == app->s.chosen)
            o->chosen = (int)i;
}

/* The chosen one; NULL, and a word about it: there is none. */
static const struct param_ref *take(struct app *app, struct offer *o)
{
    offer(app, o);
    if (o->n)
        return &o->ref[o->chosen];
    app_say(app, ROLE_WARNING, N_("no parameter changes this view"));
    return NULL;
}

bool panel_empty(const struct app *app)
{
    struct offer o;
    offer(app, &o);
    return o.n == 0;
}

void panel_choose(struct app *app, int step)
{
    struct offer o;
    if (take(app, &o))
        app->s.chosen = o.index[((o.chosen + step) % (int)o.n + (int)o.n) % (int)o.n];
}

bool panel_choose_name(struct app *app, const char *name, struct err *err)
{
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    size_t n = scenario_params(&app->s, refs, SCENARIO_MAX_PARAMS);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(refs[i].param->name, name))
            continue;
        if (!view_depends(&app->s, &refs[i]))
            return err_set(err, N_("%s changes nothing here; :set %s=VALUE sets it all the same"), name, name);
        app->s.chosen = (int)i;
        return true;
    }
    return err_set(err, N_("there is no parameter '%s' here"), name);
}

static void put(struct app *app, const struct param_ref *ref, struct value v)
{
    struct err err = {.lang = app->s.lang};
    struct value before = scenario_get(&app->s, ref);
    struct param p = scenario_bounds(&app->s, ref);
    char low[40], high[40];
    if (is_number(&p) && v.x == before.x)
        app_say(app, ROLE_WARNING, N_("%s = %.10g: the end of its range, %s to %s"), p.name, v.x,
                format_number(low, sizeof low, p.min, 6), format_number(high, sizeof high, p.max, 6));
    else if (!scenario_put(&app->s, ref, v, &err))
        app_fail(app, &err);
}

void panel_change(struct app *app, int steps)
{
    struct offer o;
    const struct param_ref *ref = take(app, &o);
    if (!ref)
        return;
    if (ref->param->type == PARAM_LIST || ref->param->type == PARAM_TABLE) {
        app_say(app, ROLE_WARNING, N_("%s is a list: type it"), ref->param->name);
        return;
    }
    double start = derived_number(&app->s, ref);
    struct param p = scenario_bounds(&app->s, ref);
    put(app, ref, param_step(&p, scenario_get(&app->s, ref), steps, start));
}

void panel_slide(struct app *app, int index, double share)
{
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    size_t n = scenario_params(&app->s, refs, SCENARIO_MAX_PARAMS);
    if (index >= 0 && (size_t)index < n && is_number(refs[index].param)) {
        struct param p = scenario_bounds(&app->s, &refs[index]);
        struct value v = {value_at(&p, fmin(fmax(share, 0), 1)), NULL};
        if (v.x != scenario_get(&app->s, &refs[index]).x)
            put(app, &refs[index], v);
    }
}

void panel_type(struct app *app)
{
    struct offer o;
    const struct param_ref *ref = take(app, &o);
    char name[100], label[96], before[128];
    if (!ref)
        return;
    full_name(&app->s, ref, name, sizeof name);
    snprintf(label, sizeof label, "%.90s = ", name);
    snprintf(before, sizeof before, "set %s=", name);
    prompt_open(app, label, before, "");
}

void panel_keep_choice(struct scenario *s, const struct scenario *before)
{
    struct param_ref old[SCENARIO_MAX_PARAMS], now[SCENARIO_MAX_PARAMS];
    size_t n_old = scenario_params(before, old, SCENARIO_MAX_PARAMS), n = scenario_params(s, now, SCENARIO_MAX_PARAMS);
    const struct param *param = before->chosen >= 0 && (size_t)before->chosen < n_old ? old[before->chosen].param : NULL;
    s->chosen = 0;
    for (size_t i = 0; i < n; i++)
        if (now[i].param == param)
            s->chosen = (int)i;
}

/* ---- drawing -------------------------------------------------------------------------------------------- */

/* A line of the panel: a heading (param -1), or a parameter. */
struct row {
    int param;
    const char *heading;
};

static const char *heading_of(const struct app *app, const struct param_ref *ref)
{
    if (ref->owner == OWNER_VIEW)
        return app_text(app, views[app->s.view]->title);
    return ref->owner == OWNER_ENCODING ? app_text(app, app->s.item[ref->item].kind->title) : app_text(app, N_("general"));
}

static int make_rows(const struct app *app, const struct offer *o, struct row *rows)
{
    int at = 0;
    for (size_t i = 0; i < o->n; i++) {
        if (i == 0 || o->ref[i].owner != o->ref[i - 1].owner || o->ref[i].item != o->ref[i - 1].item)
            rows[at++] = (struct row){-1, heading_of(app, &o->ref[i])};
        rows[at++] = (struct row){(int)i, NULL};
    }
    return at;
}

static void draw_param(struct app *app, struct rect r, const struct param_ref *ref, int index, bool is_chosen)
{
    struct canvas *c = app->canvas;
    char value[64];
    bool derived;
    panel_value(&app->s, ref, value, sizeof value, &derived);
    const char *more = ref->param->type == PARAM_CHOICE ? "▾" : "";
    int width = utf8_width(value), room = r.cols - 3;
    width = width < room - 4 ? width : room - 4;
    int name = room - width - 1;
    canvas_text(c, r.y, r.x, 1, is_chosen ? "▸" : " ", ROLE_ACCENT, ATTR_BOLD);
    canvas_text(c, r.y, r.x + 1, name, title_of(&app->s, ref->param), is_chosen ? ROLE_ACCENT : ROLE_TEXT, is_chosen ? ATTR_BOLD : 0);
    canvas_text(c, r.y, r.x + 2 + name, width, value, derived ? ROLE_DIM : is_chosen ? ROLE_ACCENT : ROLE_TEXT, is_chosen ? ATTR_BOLD : 0);
    canvas_text(c, r.y, r.x + r.cols - 1, 1, more, ROLE_DIM, 0);
    screen_hit(app, r.y, r.x, r.cols, HIT_PARAM, index);
}

static void draw_slider(struct app *app, struct rect r, const struct param_ref *ref, int index)
{
    struct canvas *c = app->canvas;
    double x = scenario_get(&app->s, ref).x;
    struct param p = scenario_bounds(&app->s, ref);
    int at = isnan(x) ? -1 : (int)round(share_of(&p, x) * (r.cols - 1));
    for (int i = 0; i < r.cols; i++)
        canvas_put(c, r.y, r.x + i, i == at ? 0x25cf : 0x2500, i == at ? ROLE_ACCENT : ROLE_DIM, i == at ? ATTR_BOLD : 0);
    screen_hit(app, r.y, r.x, r.cols, HIT_SLIDER, index);
}

/* Name as in configs, slider, range and one sentence about the chosen parameter. */
static void draw_details(struct app *app, struct rect r, const struct param_ref *ref, int index)
{
    struct canvas *c = app->canvas;
    struct param bounds = scenario_bounds(&app->s, ref), *p = &bounds;
    char name[100], low[40], high[40];
    full_name(&app->s, ref, name, sizeof name);
    canvas_rule(c, r.y, r.x, r.cols, name, ROLE_DIM);
    int y = r.y + 1;
    if (is_number(p) && y + 1 < r.y + r.rows) {
        draw_slider(app, (struct rect){y++, r.x + 1, 1, r.cols - 2}, ref, index);
        canvas_text(c, y, r.x + 1, r.cols - 2, format_number(low, sizeof low, p->min, 6), ROLE_DIM, 0);
        canvas_text_right(c, y++, r.x + 1, r.cols - 2, format_number(high, sizeof high, p->max, 6), ROLE_DIM, 0);
    }
    if (p->help)
        screen_paragraphs(app, (struct rect){y, r.x + 1, r.y + r.rows - y, r.cols - 2}, app_text(app, p->help), 0, ROLE_DIM);
}

void panel_draw(struct app *app, struct rect r)
{
    struct offer o;
    struct row rows[2 * SCENARIO_MAX_PARAMS];
    offer(app, &o);
    if (r.rows < 2)
        return;
    if (!o.n) {
        screen_paragraphs(app, (struct rect){r.y, r.x + 1, r.rows, r.cols - 1}, app_text(app, N_("no parameter changes this view")), 0, ROLE_DIM);
        return;
    }
    int n_rows = make_rows(app, &o, rows), which = o.chosen, details = r.rows >= 14 ? 7 : 0;
    int room = r.rows - details, at = 0, first = 0;
    while (rows[at].param != which)
        at++;
    if (at >= room - 1)
        first = at - room / 2 > n_rows - room ? n_rows - room : at - room / 2;
    for (int i = 0; i < room && first + i < n_rows; i++) {
        const struct row *row = &rows[first + i];
        struct rect line = {r.y + i, r.x, 1, r.cols};
        if (row->param < 0)
            canvas_text(app->canvas, line.y, line.x + 1, line.cols - 1, row->heading, ROLE_TITLE, 0);
        else
            draw_param(app, line, &o.ref[row->param], o.index[row->param], row->param == which);
    }
    if (first + room < n_rows && room > 1)
        canvas_text(app->canvas, r.y + room - 1, r.x + r.cols - 1, 1, "↓", ROLE_DIM, 0);
    if (details)
        draw_details(app, (struct rect){r.y + room, r.x, details, r.cols}, &o.ref[which], o.index[which]);
}

/* "‹ score auto  ▸rope_theta 500 000  factor 8 ›": the chosen one and what fits around it. */
void panel_draw_folded(struct app *app, struct rect r)
{
    struct offer o;
    offer(app, &o);
    if (!o.n)
        return;
    struct canvas *c = app->canvas;
    int which = o.chosen, x = r.x + 2, end = r.x + r.cols - 2, first = which > 0 ? which - 1 : 0;
    canvas_text(c, r.y, r.x, 1, first > 0 ? "‹" : " ", ROLE_DIM, 0);
    for (int i = first; i < (int)o.n; i++) {
        char value[64];
        bool derived;
        panel_value(&app->s, &o.ref[i], value, sizeof value, &derived);
        const char *title = title_of(&app->s, o.ref[i].param);
        int width = 3 + utf8_width(title) + utf8_width(value);
        if (x + width > end && i > which) {
            canvas_text(c, r.y, r.x + r.cols - 1, 1, "›", ROLE_DIM, 0);
            break;
        }
        enum role role = i == which ? ROLE_ACCENT : ROLE_DIM;
        int from = x;
        x += canvas_text(c, r.y, x, end - x, i == which ? "▸" : " ", role, ATTR_BOLD);
        x += canvas_text(c, r.y, x, end - x, title, role, 0) + 1;
        x += canvas_text(c, r.y, x, end - x, value, i == which ? ROLE_ACCENT : derived ? ROLE_DIM : ROLE_TEXT, i == which ? ATTR_BOLD : 0) + 1;
        screen_hit(app, r.y, from, x - from, HIT_PARAM, o.index[i]);
    }
}
