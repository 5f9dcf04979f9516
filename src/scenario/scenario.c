/* scenario.c - the life of a scenario, and the edits that change much at once: its view, its encodings, its model. */
#include "scenario/scenario.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "model/npy.h"

const char *const view_ids[] = {
#define VIEW(name) #name,
#include "views.def"
#undef VIEW
};

/* ---- life ---------------------------------------------------------------------------------------- */

static const char first_preset[] = "models/llama-3.1-8b";

static void set_view_defaults(struct scenario *s)
{
    for (int v = 0; v < VIEW_COUNT; v++) {
        const struct param *params;
        size_t n;
        view_params((enum view_id)v, &params, &n);
        for (size_t i = 0; i < VIEW_MAX_PARAMS; i++)
            s->view_param[v][i] = i < n ? (struct value){params[i].def, NULL} : VALUE_ABSENT;
    }
}

void scenario_init(struct scenario *s)
{
    memset(s, 0, sizeof *s);
    set_view_defaults(s);
    s->zoom = (struct zoom){NAN, NAN, NAN, NAN};
    scenario_reset_cursor(s);
    s->shape = (struct shape){.length = 512, .n_heads = 8, .d_head = 64, .d_model = 512};
    s->mask = (struct mask){MASK_CAUSAL, 256};
    s->content = CONTENT_TOKENS;
    s->seed = 1;
    s->model_layer = -1;
    s->lesson.answer = -1;
    s->trained = s->target = NAN;
    s->map = colormaps[0];
    s->theme = themes[0];
    snprintf(s->text, sizeof s->text, "the cat sat on the mat");
    struct err ignored = {0};       /* the tests load every preset */
    scenario_load_preset(s, first_preset, &ignored);
}

void scenario_done(struct scenario *s)
{
    for (int v = 0; v < VIEW_COUNT; v++)
        for (int i = 0; i < VIEW_MAX_PARAMS; i++)
            table_unref(s->view_param[v][i].t);
    for (size_t i = 0; i < s->n_items; i++)
        item_done(&s->item[i]);
    table_unref(s->q);
    table_unref(s->k);
    facts_unref(s->model);
    if (s->other) {
        scenario_done(s->other);
        free(s->other);
    }
    memset(s, 0, sizeof *s);
}

void scenario_copy(struct scenario *to, const struct scenario *from)
{
    memcpy(to, from, sizeof *to);
    for (int v = 0; v < VIEW_COUNT; v++)
        for (int i = 0; i < VIEW_MAX_PARAMS; i++)
            table_ref(to->view_param[v][i].t);
    for (size_t i = 0; i < to->n_items; i++)
        item_copy(&to->item[i], &from->item[i]);
    table_ref(to->q);
    table_ref(to->k);
    if (to->model)
        facts_ref(to->model);
    if (from->other) {
        to->other = xmalloc(sizeof *to->other);
        scenario_copy(to->other, from->other);
    }
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool same_values(const struct value *a, const struct value *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!same_number(a[i].x, b[i].x) || a[i].t != b[i].t)
            return false;
    return true;
}

static bool same_view(const struct scenario *a, const struct scenario *b)
{
    for (int v = 0; v < VIEW_COUNT; v++)
        if (!same_values(a->view_param[v], b->view_param[v], VIEW_MAX_PARAMS))
            return false;
    for (int p = 0; p < CURSOR_PANELS; p++)
        if (!same_number(a->cursor[p].x, b->cursor[p].x) || !same_number(a->cursor[p].y, b->cursor[p].y))
            return false;
    return a->view == b->view && a->focus == b->focus && a->chosen == b->chosen && same_number(a->zoom.x0, b->zoom.x0) &&
           same_number(a->zoom.x1, b->zoom.x1) && same_number(a->zoom.y0, b->zoom.y0) && same_number(a->zoom.y1, b->zoom.y1);
}

static bool same_layer(const struct scenario *a, const struct scenario *b)
{
    if (a->n_items != b->n_items)
        return false;
    for (size_t i = 0; i < a->n_items; i++)
        if (a->item[i].kind != b->item[i].kind || !same_values(a->item[i].param, b->item[i].param, a->item[i].kind->n_params))
            return false;
    const struct shape *p = &a->shape, *q = &b->shape;
    return same_number(p->length, q->length) && p->n_heads == q->n_heads && p->d_head == q->d_head && p->d_model == q->d_model && same_number(p->scale, q->scale) &&
           a->mask.type == b->mask.type && same_number(a->mask.size, b->mask.size) && same_number(a->memory, b->memory);
}

static bool same_content(const struct scenario *a, const struct scenario *b)
{
    return a->content == b->content && a->seed == b->seed && !strcmp(a->text, b->text) && !strcmp(a->q_path, b->q_path) &&
           !strcmp(a->k_path, b->k_path) && a->q == b->q && a->k == b->k;
}

static bool same_model(const struct scenario *a, const struct scenario *b)
{
    return a->model == b->model && !strcmp(a->model_from, b->model_from) && a->model_layer == b->model_layer &&
           same_number(a->trained, b->trained) && same_number(a->target, b->target) && !strcmp(a->walk, b->walk);
}

static bool same_look(const struct scenario *a, const struct scenario *b)
{
    return a->lang == b->lang && a->map == b->map && a->theme == b->theme && a->large == b->large && !strcmp(a->title, b->title) &&
           !strcmp(a->lesson.id, b->lesson.id) && a->lesson.step == b->lesson.step && a->lesson.answer == b->lesson.answer &&
           a->compare == b->compare;
}

/* Field by field: bytes between fields and behind the end of a text say nothing. */
bool scenario_same(const struct scenario *a, const struct scenario *b)
{
    if (!a->other != !b->other || (a->other && !scenario_same(a->other, b->other)))
        return false;
    return same_view(a, b) && same_layer(a, b) && same_content(a, b) && same_model(a, b) && same_look(a, b);
}

void scenario_look_like(struct scenario *to, const struct scenario *from)
{
    to->view = from->view;
    to->zoom = from->zoom;
    to->focus = from->focus;
    memcpy(to->cursor, from->cursor, sizeof to->cursor);
    to->lang = from->lang;
    to->map = from->map;
    to->theme = from->theme;
    to->large = from->large;
}

struct layer *scenario_layer(const struct scenario *s, struct err *err)
{
    return layer_open(s->item, s->n_items, &s->shape, err);
}

/* ---- whole edits --------------------------------------------------------------------------------- */

struct spot scenario_spot(const struct scenario *s, int panel)
{
    return panel >= 0 && panel < CURSOR_PANELS ? s->cursor[panel] : (struct spot){NAN, NAN};
}

void scenario_reset_cursor(struct scenario *s)
{
    s->focus = 0;
    for (int i = 0; i < CURSOR_PANELS; i++)
        s->cursor[i] = (struct spot){NAN, NAN};
}

static void fit_view(struct scenario *s)
{
    s->zoom = (struct zoom){NAN, NAN, NAN, NAN};
    scenario_reset_cursor(s);
    s->chosen = 0;
}

bool scenario_set_view(struct scenario *s, const char *id, struct err *err)
{
    char list[400] = "";
    for (int v = 0; v < VIEW_COUNT; v++) {
        if (!strcmp(view_ids[v], id)) {
            if (s->view != (enum view_id)v)
                fit_view(s);
            s->view = (enum view_id)v;
            return true;
        }
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", v ? ", " : "", view_ids[v]);
    }
    return err_set(err, N_("there is no view '%s'; there are %s"), id, list);
}

static void drop_items(struct scenario *s)
{
    for (size_t i = 0; i < s->n_items; i++)
        item_done(&s->item[i]);
    memset(s->item, 0, sizeof s->item);
    s->n_items = 0;
    s->chosen = 0;
}

bool scenario_set_encoding(struct scenario *s, const char *ids, struct err *err)
{
    const struct encoding *kind[LAYER_MAX];
    size_t n = 0;
    char copy[256], *save = NULL;
    snprintf(copy, sizeof copy, "%s", ids);
    bool empty = !strcmp(ids, "none");
    for (char *id = strtok_r(copy, "+", &save); id && !empty; id = strtok_r(NULL, "+", &save)) {
        if (n == LAYER_MAX)
            return err_set(err, N_("'%s': a layer takes at most %d encodings"), ids, LAYER_MAX);
        kind[n] = encoding_find(id, err);
        if (!kind[n++])
            return false;
    }
    if (!n && !empty)
        return encoding_find("", err) != NULL;
    drop_items(s);
    for (size_t i = 0; i < n; i++)
        item_init(&s->item[i], kind[i]);
    s->n_items = n;
    s->shape.scale = 0;                         /* it was the model's */
    facts_unref(s->model);
    s->model = NULL;
    s->model_from[0] = '\0';
    s->model_layer = -1;
    s->title[0] = '\0';
    fit_view(s);
    return true;
}

static bool has_layer(const struct facts *f, int layer, struct err *err)
{
    if (!f || !f->n_kinds)
        return err_set(err, N_("layer = %d: no model with layers is loaded"), layer);
    if (layer >= 0 && (size_t)layer >= f->n_layers)
        return err_set(err, N_("layer = %d: allowed is 0 to %zu"), layer, f->n_layers ? f->n_layers - 1 : 0);
    return true;
}

/* A file may say any length; no more is shown than can be set, and saved. NAN stays. */
static double shown_length(double x)
{
    return x > FACTS_MAX_LENGTH ? FACTS_MAX_LENGTH : x;
}

bool scenario_set_model_layer(struct scenario *s, int layer, struct err *err)
{
    const struct facts *f = s->model;
    if (!has_layer(f, layer, err))
        return false;
    const struct layer_facts *kind = &f->kind[layer < 0 ? 0 : f->kind_of_layer[layer]];
    drop_items(s);
    for (size_t i = 0; i < kind->n_items; i++)
        item_copy(&s->item[i], &kind->item[i]);
    s->n_items = kind->n_items;
    s->shape = kind->shape;
    s->shape.length = shown_length(s->shape.length);
    if (f->scale_by_layer && layer > 0)
        s->shape.scale = shape_scale(&kind->shape) / (layer + 1);
    scenario_keep_heads(s);
    s->mask = kind->mask;
    s->mask.size = shown_length(s->mask.size);
    if (s->mask.size < 1)
        s->mask.size = 256;
    s->model_layer = layer;
    return true;
}

/* A path cut short would name another file when it is saved, copied or read again. */
static bool path_fits(const char *path, struct err *err)
{
    return strlen(path) < SCENARIO_PATH_MAX ||
           err_set(err, N_("%.80s…: the path has %zu bytes, allowed are at most %d"), path, strlen(path), SCENARIO_PATH_MAX - 1);
}

static void put_path(char to[SCENARIO_PATH_MAX], const char *path)
{
    size_t n = strlen(path);
    memmove(to, path, n);
    memset(to + n, 0, SCENARIO_PATH_MAX - n);           /* equal scenarios have equal bytes */
}

bool scenario_set_model(struct scenario *s, struct facts *facts, const char *from, int layer, struct err *err)
{
    bool fits = path_fits(from, err) && (facts->n_kinds ? has_layer(facts, layer, err)
                                                        : err_set(err, N_("%s: no position encoding can be read from it"), facts->file));
    if (!fits) {
        facts_unref(facts);
        return false;
    }
    facts_unref(s->model);
    s->model = facts;
    put_path(s->model_from, from);
    s->trained = shown_length(facts->trained_context);
    s->target = shown_length(facts->context);
    s->title[0] = '\0';
    fit_view(s);
    return scenario_set_model_layer(s, layer, err);
}

void scenario_set_walk(struct scenario *s, const char *walk)
{
    memset(s->walk, 0, sizeof s->walk);                 /* scenario_same compares every byte */
    utf8_sanitise(s->walk, sizeof s->walk, walk);
}

const char *scenario_model_file(const struct scenario *s)
{
    return s->model && !s->model->config ? s->model_from : NULL;
}

bool scenario_load_model(struct scenario *s, const char *path, struct err *err)
{
    struct facts *facts = facts_read(path, err);
    return facts && scenario_set_model(s, facts, path, -1, err);
}

bool scenario_load_content(struct scenario *s, const char *q_path, const char *k_path, struct err *err)
{
    if (!path_fits(q_path, err) || !path_fits(k_path, err))
        return false;
    struct table *q = npy_load(q_path, err), *k = q ? npy_load(k_path, err) : NULL;
    bool fits = q && k && (q->rank == 2 || q->rank == 3) && k->rank == q->rank && k->dim[k->rank - 1] == q->dim[q->rank - 1];
    if (q && k && !fits)
        err_set(err, N_("%s and %s: both must be [n, d] or [heads, n, d] with the same d"), q_path, k_path);
    if (fits && q->dim[q->rank - 1] > FACTS_MAX_HEAD_DIM)
        fits = err_set(err, N_("%s: d = %zu: allowed is 1 to %d"), q_path, q->dim[q->rank - 1], FACTS_MAX_HEAD_DIM);
    if (fits && q->rank == 3 && q->dim[0] > FACTS_MAX_HEADS)
        fits = err_set(err, N_("%s: %zu heads: allowed is 1 to %d"), q_path, q->dim[0], FACTS_MAX_HEADS);
    if (!fits) {
        table_unref(q);
        table_unref(k);
        return false;
    }
    table_unref(s->q);
    table_unref(s->k);
    s->q = q;
    s->k = k;
    put_path(s->q_path, q_path);
    put_path(s->k_path, k_path);
    s->content = CONTENT_TABLES;
    s->shape.d_head = (int)q->dim[q->rank - 1];
    s->shape.length = (double)q->dim[q->rank - 2];
    if (q->rank == 3)
        s->shape.n_heads = (int)q->dim[0];
    scenario_keep_heads(s);
    return true;
}
