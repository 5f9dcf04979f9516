/* command_line.c - what differs between a scenario and what its options alone would give, as options. Every -s is tried on that other scenario with
 * the code that the command line runs, in the order in which it is written, so a line is right or known not to be. */
#include "app/command_line.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/options.h"
#include "app/view.h"
#include "base/buf.h"
#include "base/digits.h"
#include "base/mem.h"
#include "base/shell.h"
#include "json/preset.h"
#include "scenario/tour.h"

enum { PASSES = 4 };

struct line {
    const struct scenario *wanted;
    struct scenario now;                /* what the words so far give */
    struct buf text;
    size_t n_sets;
};

/* ---- words ------------------------------------------------------------------------------------------------------------------ */

static void add_word(struct line *l, const char *word)
{
    buf_text(&l->text, " ");
    shell_word(&l->text, word);
}

static void add_option(struct line *l, const char *option, const char *argument)
{
    add_word(l, option);
    add_word(l, argument);
}

static bool add_set(struct line *l, const char *key, const char *value)
{
    struct err err = {.lang = LANG_EN};
    if (l->n_sets == OPTIONS_MAX_SETS || !scenario_set(&l->now, key, value, &err))
        return false;
    char *pair = xasprintf("%s=%s", key, value);
    add_option(l, "-s", pair);
    free(pair);
    l->n_sets++;
    return true;
}

/* ---- values ------------------------------------------------------------------------------------------------------------------- */

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_value(struct value a, struct value b)
{
    if (!a.t || !b.t || a.t == b.t)
        return a.t == b.t && same_number(a.x, b.x);
    if (a.t->n != b.t->n || a.t->rank != b.t->rank)
        return false;
    for (size_t i = 0; i < a.t->n; i++)
        if (!same_number(a.t->v[i], b.t->v[i]))
            return false;
    return true;
}

static void put_number(struct buf *out, double x)
{
    char text[DIGITS_TEXT];
    digits_write(text, x, 6);
    buf_text(out, text);
}

/* The value as scenario_read_value reads it; the caller frees it. A table is named by its file; NULL: it has none. */
static char *value_words(const struct param *p, struct value v)
{
    struct buf out = {0};
    char text[200];
    if (p->type == PARAM_TABLE && v.t)
        return *v.t->name ? xstrdup(v.t->name) : NULL;
    for (size_t i = 0; v.t && i < v.t->n; i++) {
        buf_text(&out, i ? "," : "");
        put_number(&out, v.t->v[i]);
    }
    if (!v.t && !value_absent(v) && (p->type == PARAM_INT || p->type == PARAM_REAL))
        put_number(&out, v.x);
    else if (!v.t)
        buf_text(&out, param_format(p, v, text, sizeof text));
    return buf_string(&out);
}

/* ---- parameters --------------------------------------------------------------------------------------------------------------- */

/* "encoding.key" where the key alone could mean another one. */
static char *name_of(const struct line *l, const struct param_ref *refs, size_t n, size_t at)
{
    for (size_t i = 0; i < n; i++)
        if (i != at && refs[at].owner == OWNER_ENCODING && !strcmp(refs[i].param->name, refs[at].param->name))
            return xasprintf("%s.%s", l->now.item[refs[at].item].kind->id, refs[at].param->name);
    return xstrdup(refs[at].param->name);
}

/* Says what still differs; false if nothing was said. A value may be refused until another one is there, so this is done again. */
static bool add_params(struct line *l)
{
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    size_t n = scenario_params(&l->now, refs, SCENARIO_MAX_PARAMS);
    bool added = false;
    for (size_t i = 0; i < n; i++) {
        struct value v = scenario_get(l->wanted, &refs[i]);
        if (same_value(v, scenario_get(&l->now, &refs[i])))
            continue;
        char *value = value_words(refs[i].param, v), *name = name_of(l, refs, n, i);
        added = (value && add_set(l, name, value)) || added;
        free(name);
        free(value);
    }
    return added;
}

static void add_text(struct line *l, const char *key, const char *now, const char *wanted)
{
    if (strcmp(now, wanted))
        add_set(l, key, wanted);
}

static void add_zoom(struct line *l)
{
    const double now[] = {l->now.zoom.x0, l->now.zoom.x1, l->now.zoom.y0, l->now.zoom.y1};
    const double wanted[] = {l->wanted->zoom.x0, l->wanted->zoom.x1, l->wanted->zoom.y0, l->wanted->zoom.y1};
    struct buf out = {0};
    bool same = true;
    for (size_t i = 0; i < 4; i++) {
        same = same && same_number(now[i], wanted[i]);
        buf_text(&out, i ? "," : "");
        if (!isnan(wanted[i]))
            put_number(&out, wanted[i]);
    }
    char *value = buf_string(&out);
    if (!same)
        add_set(l, "zoom", value);
    free(value);
}

/* As in a saved scenario, with commas; NAN is nothing. */
static char *cursor_words(const struct scenario *s)
{
    struct json *json = scenario_to_json(s);
    struct buf out = {0};
    for (const struct json *x = json_first(json_get(json, "cursor")); x; x = json_next(x)) {
        buf_text(&out, out.n ? "," : "");
        if (json_type(x) == JSON_NUMBER)
            put_number(&out, json_number(x, NAN));
    }
    json_free(json);
    return buf_string(&out);
}

/* Where the picture depends on it. */
static void add_cursor(struct line *l)
{
    char *now = cursor_words(&l->now), *wanted = cursor_words(l->wanted);
    if (views[l->wanted->view]->follows_cursor && strcmp(now, wanted))
        add_set(l, "cursor", wanted);
    free(now);
    free(wanted);
}

/* ---- what to start from ---------------------------------------------------------------------------------------------------------- */

static char *encoding_ids(const struct scenario *s)
{
    struct buf out = {0};
    for (size_t i = 0; i < s->n_items; i++) {
        buf_text(&out, i ? "+" : "");
        buf_text(&out, s->item[i].kind->id);
    }
    if (!s->n_items)
        buf_text(&out, "none");
    return buf_string(&out);
}

static bool is_title(const struct json *titles, const char *title)
{
    for (const struct json *t = json_first(titles); t; t = json_next(t))
        if (json_string(t) && !strcmp(json_string(t), title))
            return true;
    return false;
}

/* The preset that gave the scenario its title, which stands in the caption; NULL: none that is built in. */
static const char *preset_of(const struct scenario *s)
{
    const char *found = NULL;
    for (size_t i = 0; presets[i].id && *s->title && !found; i++) {
        struct json *json = json_parse(presets[i].text, presets[i].size, NULL);
        if (is_title(json_get(json, "title"), s->title) && !tour_of(&presets[i]))
            found = presets[i].id;
        json_free(json);
    }
    const struct encoding *only = s->n_items == 1 ? s->item[0].kind : NULL;
    for (enum lang lang = LANG_EN; only && lang < LANG_COUNT && !found; lang++)      /* its defaults are a preset too */
        if (!strcmp(lang_text(lang, only->title), s->title))
            found = only->id;
    return found;
}

/* View and content, as the command line takes them; false: they cannot be had again, or what came through a pipe would have to come again. */
static bool add_start(struct line *l)
{
    const struct scenario *s = l->wanted;
    struct err err = {.lang = LANG_EN};
    struct options o;
    char *ids = encoding_ids(s);
    options_init(&o, s->lang);
    o.view = views[s->view]->id;
    if (s->model && strncmp(s->model_from, "preset:", 7))
        o.model = scenario_model_file(s) ? s->model_from : "-";
    else if (s->model)
        o.preset = s->model_from + 7;
    else if (!(o.preset = preset_of(s)))
        o.encoding = ids;
    bool verb = command_find(o.view);       /* that wins over a view of the same name, unless options stand before it */
    if (!verb)
        add_word(l, o.view);
    add_option(l, o.model ? "-m" : o.preset ? "-p" : "-e", o.model ? o.model : o.preset ? o.preset : ids);
    if (verb)
        add_word(l, o.view);
    bool good = (!o.model || scenario_model_file(s)) && options_scenario(&o, &l->now, &err);
    free(ids);
    return good;
}

static void add_display(struct line *l)
{
    const struct scenario *s = l->wanted;
    add_option(l, "--lang", lang_name(s->lang));
    l->now.lang = s->lang;
    if (s->theme != l->now.theme)
        add_option(l, "--theme", (l->now.theme = s->theme)->id);
    if (s->map != l->now.map)
        add_option(l, "--colormap", (l->now.map = s->map)->id);
}

/* ---- is it the same? -------------------------------------------------------------------------------------------------------------- */

/* What the figure depends on, as text. */
static char *essence(const struct scenario *s)
{
    static const char *const aside[] = {"title", "lesson", "theme", "cursor"};
    size_t n = sizeof aside / sizeof *aside - views[s->view]->follows_cursor;
    struct json *json = scenario_to_json(s);
    for (size_t i = 0; i < n; i++)
        json_free(json_detach(json, aside[i]));
    struct json *all = json_detach(json, "views"), *own = json_detach(all, view_ids[s->view]);
    if (own)
        json_set(json, "own", own);
    json_free(all);
    char *text = json_print(json, false);
    json_free(json);
    return text;
}

static bool is_exact(const struct line *l)
{
    char *a = essence(l->wanted), *b = essence(&l->now);
    bool same = !strcmp(a, b) && (!*l->wanted->title || preset_of(l->wanted) || !strcmp(l->wanted->title, l->now.title));
    for (size_t i = 0; i < l->now.n_items && same; i++)
        for (size_t p = 0; p < l->now.item[i].kind->n_params; p++)
            same = same && same_value(l->now.item[i].param[p], l->wanted->item[i].param[p]);
    free(a);
    free(b);
    return same;
}

/* A step of a lesson has a verb of its own. */
static char *lesson_line(const struct scenario *s, bool *exact)
{
    struct err err = {.lang = LANG_EN};
    struct tour *t = tour_load(s->lesson.id, &err);
    struct line l = {.wanted = s};
    char step[24];
    snprintf(step, sizeof step, "%d", s->lesson.step + 1);
    buf_text(&l.text, "posviz tour");
    add_word(&l, s->lesson.id);
    add_option(&l, "--step", step);
    add_option(&l, "--lang", lang_name(s->lang));
    *exact = t && tour_scenario(t, (size_t)s->lesson.step, -1, s, &l.now, &err);
    if (*exact) {
        *exact = is_exact(&l);
        scenario_done(&l.now);
    }
    tour_free(t);
    return buf_string(&l.text);
}

char *command_line(const struct scenario *s, bool *exact)
{
    if (*s->lesson.id)
        return lesson_line(s, exact);
    struct line l = {.wanted = s};
    scenario_init(&l.now);
    buf_text(&l.text, "posviz");
    bool good = add_start(&l);
    add_display(&l);
    if (good && s->model_layer != l.now.model_layer) {
        char *layer = xasprintf("%d", s->model_layer);
        add_set(&l, "layer", s->model_layer < 0 ? "main" : layer);
        free(layer);
    }
    if (s->q && *s->q_path && good) {
        add_set(&l, "q", s->q_path);
        add_set(&l, "k", s->k_path);
    }
    good = good && l.now.n_items == s->n_items;
    for (int i = 0; i < PASSES && good && add_params(&l); i++)
        continue;
    if (good) {
        add_text(&l, "text", l.now.text, s->text);
        add_text(&l, "walk", l.now.walk, s->walk);
        add_text(&l, "large", l.now.large ? "true" : "false", s->large ? "true" : "false");
        add_zoom(&l);
        add_cursor(&l);
    }
    *exact = good && is_exact(&l);
    scenario_done(&l.now);
    return buf_string(&l.text);
}
