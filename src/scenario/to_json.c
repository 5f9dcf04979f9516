/* to_json.c - a scenario as JSON; from_json.c describes the form. What equals its default is left out where the reader would put it back. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenario/parts.h"

const char *const scenario_compare_names[] = {[COMPARE_OFF] = "off", [COMPARE_A] = "a", [COMPARE_B] = "b", [COMPARE_SIDE] = "side",
                                               [COMPARE_DIFFERENCE] = "difference", NULL};

static struct json *value_to_json(const struct param *p, struct value v)
{
    if (value_absent(v))
        return json_new_null();
    if (v.t) {
        struct json *list = json_array();
        for (size_t i = 0; i < v.t->n; i++)
            json_push_number(list, v.t->v[i]);
        return list;
    }
    if (p->type == PARAM_BOOL)
        return json_new_bool(v.x != 0);
    return p->type == PARAM_CHOICE ? json_new_string(p->choices[(size_t)v.x]) : json_new_number(v.x);
}

static bool same_value(struct value a, struct value b)
{
    return a.t == b.t && (a.x == b.x || (isnan(a.x) && isnan(b.x)));
}

static bool is_npy(const struct table *t)
{
    size_t n = t ? strlen(t->name) : 0;
    return n > 4 && !strcmp(t->name + n - 4, ".npy");
}

static struct json *item_to_json(const struct item *item)
{
    struct json *v = json_object();
    json_set_string(v, "id", item->kind->id);
    for (size_t i = 0; i < item->kind->n_params; i++) {
        const struct param *p = &item->kind->params[i];
        if (p->type == PARAM_TABLE && is_npy(item->param[i].t))
            json_set_string(v, p->name, item->param[i].t->name);
        if (p->type == PARAM_TABLE || same_value(item->param[i], (struct value){p->def, NULL}))
            continue;       /* other tables come back with their model file */
        json_set(v, p->name, value_to_json(p, item->param[i]));
    }
    return v;
}

static void save_model(const struct scenario *s, struct json *json)
{
    if (!s->model)
        return;
    bool preset = !strncmp(s->model_from, "preset:", 7);
    struct json *model = json_set(json, "model", json_object());
    struct json *config = !preset && s->model->config ? json_parse(s->model->config, strlen(s->model->config), NULL) : NULL;
    if (config)
        json_set(model, "config", config);
    else
        json_set_string(model, preset ? "preset" : "file", s->model_from + (preset ? 7 : 0));
    json_set_number(json, "layer", s->model_layer);
}

static void save_views(const struct scenario *s, struct json *json)
{
    struct json *all = json_object();
    for (int v = 0; v < VIEW_COUNT; v++) {
        const struct param *params;
        size_t n;
        struct json *one = NULL;
        view_params((enum view_id)v, &params, &n);
        for (size_t i = 0; i < n; i++) {
            if (same_value(s->view_param[v][i], (struct value){params[i].def, NULL}))
                continue;
            if (!one)
                one = json_set(all, view_ids[v], json_object());
            json_set(one, params[i].name, value_to_json(&params[i], s->view_param[v][i]));
        }
    }
    json_set(json, "views", all);
}

static void save_numbers(struct json *json, const char *key, const double *x, size_t n)
{
    struct json *list = json_set(json, key, json_array());
    for (size_t i = 0; i < n; i++)
        json_push_number(list, x[i]);
}

static void save_cursor(const struct scenario *s, struct json *json)
{
    double x[3 * (CURSOR_PANELS + 1)];
    size_t n = 0;
    for (int i = -1; i < CURSOR_PANELS; i++) {
        int panel = i < 0 ? s->focus : i;
        struct spot at = scenario_spot(s, panel);
        if (i >= 0 && (i == s->focus || (isnan(at.x) && isnan(at.y))))
            continue;
        x[n++] = panel;
        x[n++] = at.x;
        x[n++] = at.y;
    }
    save_numbers(json, "cursor", x, n);
}

struct json *scenario_to_json(const struct scenario *s)
{
    struct json *json = json_object();
    if (*s->title)
        json_set_string(json, "title", s->title);
    json_set_string(json, "view", view_ids[s->view]);
    save_model(s, json);
    struct json *list = json_set(json, "encodings", json_array());
    for (size_t i = 0; i < s->n_items; i++)
        json_push(list, item_to_json(&s->item[i]));
    if (s->q && *s->q_path) {
        json_set_string(json, "q", s->q_path);
        json_set_string(json, "k", s->k_path);
    }
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    size_t n = scenario_params(s, refs, SCENARIO_MAX_PARAMS);
    for (size_t i = 0; i < n; i++)
        if (refs[i].owner == OWNER_SCENARIO)
            json_set(json, refs[i].param->name, value_to_json(refs[i].param, scenario_get(s, &refs[i])));
    save_views(s, json);
    json_set_string(json, "text", s->text);
    if (*s->walk)
        json_set_string(json, "walk", s->walk);
    save_numbers(json, "zoom", (double[]){s->zoom.x0, s->zoom.x1, s->zoom.y0, s->zoom.y1}, 4);
    save_cursor(s, json);
    json_set_string(json, "lang", lang_name(s->lang));
    json_set_string(json, "colormap", s->map->id);
    json_set_string(json, "theme", s->theme->id);
    json_set_bool(json, "large", s->large);
    if (*s->lesson.id) {
        struct json *lesson = json_set(json, "lesson", json_object());
        json_set_string(lesson, "id", s->lesson.id);
        json_set_number(lesson, "step", s->lesson.step);
        json_set_number(lesson, "answer", s->lesson.answer);
    }
    if (s->other) {
        json_set_string(json, "compare", scenario_compare_names[s->compare]);
        json_set(json, "other", scenario_to_json(s->other));
    }
    return json;
}
