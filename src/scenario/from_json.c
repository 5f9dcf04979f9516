/* from_json.c - a scenario read from JSON, as presets and saved states have it (to_json.c writes it).
 *
 *     {
 *       "title": {"en": "...", "zh": "..."},
 *       "view": "rotation",
 *       "model": {"config": {...}} | {"file": "PATH"} | {"preset": "models/ID"}, "layer": 5,
 *       "encodings": [{"id": "rope", "rope_theta": 500000}],
 *       "n": 512, "num_heads": 8, ...                 every general parameter by its name
 *       "views": {"rotation": {"position": 4096}},    parameters of views
 *       "text": "...", "walk": "start=new arch=decoder", "q": "q.npy", "k": "k.npy",
 *       "zoom": [x0, x1, y0, y1], "cursor": [panel, x, y, ...],
 *       "lang": "en", "colormap": "viridis", "theme": "dark", "large": false,
 *       "lesson": {"id": "waves", "step": 3, "answer": -1},
 *       "compare": "difference", "other": {...}       a second scenario
 *     }
 *
 * An unknown key is an error with its path: a preset that says something we do not understand is not half-loaded. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "scenario/parts.h"

enum { INLINE_MAX = 65536 };

static bool wrong_type(const char *path, const struct json *v, const char *wanted, struct err *err)
{
    enum lang lang = err ? err->lang : LANG_EN;
    return err_set(err, N_("%s: must be %s, got %s"), path, lang_text(lang, wanted), lang_text(lang, json_type_name(v)));
}

/* ---- values of parameters ------------------------------------------------------------------------ */

static bool list_value(const struct param *p, const struct json *v, struct value *out, struct err *err)
{
    size_t n = json_size(v), i = 0;
    if (n > INLINE_MAX)
        return err_set(err, N_("%s: %zu entries, allowed are at most %d"), p->name, n, INLINE_MAX);
    out->t = table_new(1, &n);
    out->x = NAN;
    for (const struct json *e = json_first(v); e; e = json_next(e)) {
        if (json_type(e) != JSON_NUMBER)
            return wrong_type(p->name, e, N_("a number"), err);
        out->t->v[i++] = json_number(e, NAN);
    }
    return true;
}

static bool value_from_json(const struct param *p, const struct json *v, struct value *out, struct err *err)
{
    *out = VALUE_ABSENT;
    switch (json_type(v)) {
    case JSON_NULL:   return param_check(p, *out, err);
    case JSON_NUMBER: out->x = json_number(v, NAN); break;
    case JSON_BOOL:   out->x = json_bool(v, false); break;
    case JSON_STRING: return scenario_read_value(p, json_string(v), out, err);
    case JSON_ARRAY:
        if (!list_value(p, v, out, err))
            return false;
        break;
    case JSON_OBJECT: return wrong_type(p->name, v, N_("a value"), err);
    }
    return param_check(p, *out, err);
}

/* ---- parts --------------------------------------------------------------------------------------- */

static bool load_item(struct item *item, const struct json *v, const char *path, struct err *err)
{
    const char *id = json_string(json_get(v, "id"));
    if (!id)
        return err_set(err, N_("%s: needs \"id\", the name of an encoding"), path);
    const struct encoding *kind = encoding_find(id, err);
    if (!kind)
        return err_prefix(err, "%s.id", path);
    item_init(item, kind);
    for (const struct json *m = json_first(v); m; m = json_next(m)) {
        if (!strcmp(json_key(m), "id"))
            continue;
        int i = param_index(kind->params, kind->n_params, json_key(m));
        if (i < 0)
            return err_set(err, N_("%s.%s: is no parameter of %s"), path, json_key(m), kind->id);
        table_unref(item->param[i].t);
        if (!value_from_json(&kind->params[i], m, &item->param[i], err))
            return err_prefix(err, "%s.%s", path, json_key(m));
    }
    return true;
}

static bool load_encodings(struct scenario *s, const struct json *v, struct err *err)
{
    if (json_type(v) != JSON_ARRAY)
        return wrong_type("encodings", v, N_("a list"), err);
    if (json_size(v) > LAYER_MAX)
        return err_set(err, N_("encodings: %zu entries, a layer takes at most %d"), json_size(v), LAYER_MAX);
    for (size_t i = 0; i < s->n_items; i++)
        item_done(&s->item[i]);
    memset(s->item, 0, sizeof s->item);
    s->n_items = 0;
    for (const struct json *e = json_first(v); e; e = json_next(e)) {
        char path[40];
        snprintf(path, sizeof path, "encodings[%zu]", s->n_items);
        struct item *item = &s->item[s->n_items];
        bool good = load_item(item, e, path, err);
        s->n_items += item->kind != NULL;
        if (!good)
            return false;
    }
    return true;
}

static struct facts *config_facts(const struct json *config, const char *name, struct err *err)
{
    char *text = json_print(config, true);
    struct facts *facts = facts_from_config(name, text, strlen(text), err);
    free(text);
    return facts;
}

static struct facts *preset_facts(const char *name, struct err *err)
{
    struct json *json;
    const char *id;
    if (preset_find(name, &json, &id, err) && !json)
        return NULL;
    const struct json *config = json_get(json_get(json, "model"), "config");
    struct facts *facts = NULL;
    if (config)
        facts = config_facts(config, id, err);
    else
        err_set(err, N_("there is no preset '%s' with a model"), name);
    json_free(json);
    return facts;
}

static bool load_model(struct scenario *s, const struct json *v, const char *preset, int layer, struct err *err)
{
    const char *file = json_string(json_get(v, "file")), *id = json_string(json_get(v, "preset"));
    char given[SCENARIO_PATH_MAX];
    const char *from = file ? file : given;
    struct facts *facts;
    if (file && file_is_stream(file)) {
        return err_set(err, N_("model: %s is no file but a pipe"), file);
    } else if (file) {
        facts = facts_read(file, err);
    } else if (id) {
        facts = preset_facts(id, err);
        snprintf(given, sizeof given, "preset:%s", id);
    } else if (json_get(v, "config")) {
        facts = config_facts(json_get(v, "config"), *preset ? preset : "config.json", err);
        snprintf(given, sizeof given, *preset ? "preset:%s" : "config%s", preset);
    } else {
        return err_set(err, N_("model: needs \"config\", \"file\" or \"preset\""));
    }
    return facts && scenario_set_model(s, facts, from, layer, err);
}

static bool load_view_params(struct scenario *s, const struct json *v, struct err *err)
{
    for (const struct json *m = json_first(v); m; m = json_next(m)) {
        int view = 0;
        while (view < VIEW_COUNT && strcmp(view_ids[view], json_key(m)))
            view++;
        if (view == VIEW_COUNT)
            return err_set(err, N_("views.%s: there is no such view"), json_key(m));
        const struct param *params;
        size_t n;
        view_params((enum view_id)view, &params, &n);
        for (const struct json *e = json_first(m); e; e = json_next(e)) {
            int i = param_index(params, n, json_key(e));
            if (i < 0)
                return err_set(err, N_("views.%s.%s: is no parameter of this view"), json_key(m), json_key(e));
            struct value *slot = &s->view_param[view][i];
            table_unref(slot->t);
            if (!value_from_json(&params[i], e, slot, err))
                return err_prefix(err, "views.%s", json_key(m));
        }
    }
    return true;
}

static bool numbers(const struct json *v, const char *path, double *out, size_t n, struct err *err)
{
    if (json_type(v) != JSON_ARRAY || json_size(v) != n)
        return err_set(err, N_("%s: must be a list of %zu numbers"), path, n);
    for (const struct json *e = json_first(v); e; e = json_next(e))
        *out++ = json_number(e, NAN);
    return true;
}

static bool word(const struct json *v, const char *path, const char *const *allowed, int *out, struct err *err)
{
    const char *text = json_string(v);
    for (int i = 0; text && allowed[i]; i++) {
        if (!strcmp(allowed[i], text)) {
            *out = i;
            return true;
        }
    }
    return text ? err_set(err, N_("%s: '%s' is none of the allowed words"), path, text) : wrong_type(path, v, N_("a string"), err);
}

/* [panel, x, y] of the panel that the cursor is in, then of others where it has been. */
static bool load_cursor(struct scenario *s, const struct json *v, struct err *err)
{
    size_t n = json_size(v);
    if (json_type(v) != JSON_ARRAY || n < 3 || n % 3)
        return err_set(err, N_("cursor: must be a list of panel, x, y"));
    scenario_reset_cursor(s);
    bool first = true;
    for (const struct json *e = json_first(v); e; e = json_next(e), first = false) {
        double panel = json_number(e, NAN), x = json_number(e = json_next(e), NAN), y = json_number(e = json_next(e), NAN);
        int i = panel >= 0 && panel < CURSOR_PANELS ? (int)panel : 0;
        s->focus = first ? i : s->focus;
        s->cursor[i] = (struct spot){x, y};
    }
    return true;
}

/* The one key-by-key table would need a function a key; the chain below is its plain form. */
static bool load_display(struct scenario *s, const char *key, const struct json *v, bool *known, struct err *err)
{
    const char *text = json_string(v);
    double x[4];
    *known = true;
    if (!strcmp(key, "lang"))
        return lang_from_name(text ? text : "", &s->lang) || err_set(err, N_("lang: must be en or zh"));
    if (!strcmp(key, "colormap")) {
        const struct colormap *map = colormap_find(text ? text : "");
        s->map = map ? map : s->map;
        return map || err_set(err, N_("colormap: there is no colour map '%s'"), text ? text : "");
    }
    if (!strcmp(key, "theme")) {
        const struct theme *theme = theme_find(text ? text : "");
        s->theme = theme ? theme : s->theme;
        return theme || err_set(err, N_("theme: there is no theme '%s'"), text ? text : "");
    }
    if (!strcmp(key, "large")) {
        s->large = json_bool(v, false);
        return json_type(v) == JSON_BOOL || wrong_type(key, v, N_("true or false"), err);
    }
    if (!strcmp(key, "zoom")) {
        if (!numbers(v, key, x, 4, err))
            return false;
        s->zoom = (struct zoom){x[0], x[1], x[2], x[3]};
        return true;
    }
    if (!strcmp(key, "cursor"))
        return load_cursor(s, v, err);
    if (!strcmp(key, "lesson")) {
        utf8_sanitise(s->lesson.id, sizeof s->lesson.id, json_string(json_get(v, "id")) ? json_string(json_get(v, "id")) : "");
        s->lesson.step = (int)fmin(fmax(json_number(json_get(v, "step"), 0), 0), 1e6);
        s->lesson.answer = (int)fmin(fmax(json_number(json_get(v, "answer"), -1), -1), 64);
        return *s->lesson.id || err_set(err, N_("lesson.id: a name is missing"));
    }
    if (!strcmp(key, "compare")) {
        int which = 0;
        bool good = word(v, key, scenario_compare_names, &which, err);
        s->compare = (enum compare)which;
        return good;
    }
    *known = false;
    return true;
}

static bool load_other(struct scenario *s, const struct json *v, struct err *err)
{
    struct scenario *other = xmalloc(sizeof *other);
    scenario_copy(other, s);
    if (other->other) {
        scenario_done(other->other);
        free(other->other);
        other->other = NULL;
    }
    other->compare = COMPARE_OFF;
    if (!scenario_from_json(other, v, err)) {
        scenario_done(other);
        free(other);
        return err_prefix(err, "other");
    }
    if (s->other) {
        scenario_done(s->other);
        free(s->other);
    }
    s->other = other;
    return true;
}

static bool load_general(struct scenario *s, const char *key, const struct json *v, bool *known, struct err *err)
{
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    size_t n = scenario_params(s, refs, SCENARIO_MAX_PARAMS);
    for (size_t i = 0; i < n; i++) {
        if (refs[i].owner != OWNER_SCENARIO || strcmp(refs[i].param->name, key))
            continue;
        struct value value;
        *known = true;
        bool good = value_from_json(refs[i].param, v, &value, err) && scenario_put(s, &refs[i], value, err);
        table_unref(value.t);
        return good;
    }
    *known = false;
    return true;
}

bool scenario_load_title(struct scenario *s, const struct json *v)
{
    const char *text = json_string(json_get(v, lang_name(s->lang)));
    if (!text)
        text = json_string(json_get(v, "en"));
    if (!text)
        text = json_string(v);
    utf8_sanitise(s->title, sizeof s->title, text ? text : "");
    return true;
}

/* The lengths of a model go with it; those that were set stay. */
static void forget_lengths(struct scenario *s)
{
    if (s->model && s->trained == s->model->trained_context)
        s->trained = NAN;
    if (s->model && s->target == s->model->context)
        s->target = NAN;
}

/* -1: the main kind of layer. */
static bool layer_number(const struct json *v, int *out, struct err *err)
{
    double x = json_number(v, -1);
    *out = (int)fmin(fmax(x, -1), FACTS_MAX_LAYERS);
    return !v || json_type(v) == JSON_NUMBER || wrong_type("layer", v, N_("a number"), err);
}

/* What must stand before the rest: the model decides the encodings, the encodings decide which lengths are allowed. */
static bool load_first(struct scenario *s, const struct json *json, const char *preset, struct err *err)
{
    const char *view = json_string(json_get(json, "view"));
    if (json_get(json, "view") && !view)
        return wrong_type("view", json_get(json, "view"), N_("a string"), err);
    if (view && !scenario_set_view(s, view, err))
        return false;
    const struct json *model = json_get(json, "model");
    int layer;
    if (!layer_number(json_get(json, "layer"), &layer, err))
        return false;
    if (model ? !load_model(s, model, preset, layer, err) : json_get(json, "layer") && !scenario_set_model_layer(s, layer, err))
        return false;
    if (!json_get(json, "encodings"))
        return true;
    if (!model) {
        forget_lengths(s);
        if (!scenario_set_encoding(s, "none", err))
            return false;
    }
    return load_encodings(s, json_get(json, "encodings"), err);
}

static bool load_rest(struct scenario *s, const struct json *m, const struct json *json, struct err *err)
{
    static const char *const before[] = {"view", "model", "layer", "encodings", "version", "k", "about", "other"};
    const char *key = json_key(m);
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        if (!strcmp(key, before[i]))
            return true;
    if (!strcmp(key, "title"))
        return scenario_load_title(s, m);
    if (!strcmp(key, "views"))
        return load_view_params(s, m, err);
    if (!strcmp(key, "text")) {
        if (!json_string(m))
            return wrong_type(key, m, N_("a string"), err);
        utf8_sanitise(s->text, sizeof s->text, json_string(m));
        return true;
    }
    if (!strcmp(key, "walk")) {
        if (!json_string(m))
            return wrong_type(key, m, N_("a string"), err);
        scenario_set_walk(s, json_string(m));
        return true;
    }
    if (!strcmp(key, "q")) {
        const char *q = json_string(m), *k = json_string(json_get(json, "k"));
        return q ? scenario_load_content(s, q, k ? k : q, err) : wrong_type(key, m, N_("a string"), err);
    }
    bool known, good = load_display(s, key, m, &known, err);
    if (!known)
        good = load_general(s, key, m, &known, err);
    return known ? good : err_set(err, N_("%s: unknown key"), key);
}

bool scenario_from_preset(struct scenario *s, const struct json *json, const char *preset, struct err *err)
{
    struct err local = {.lang = err ? err->lang : s->lang};
    if (json_type(json) != JSON_OBJECT)
        return wrong_type("scenario", json, N_("an object"), err);
    struct scenario t;
    scenario_copy(&t, s);
    bool good = load_first(&t, json, preset, &local);
    for (const struct json *m = json_first(json); good && m; m = json_next(m))
        good = load_rest(&t, m, json, &local);
    if (good && json_get(json, "other"))
        good = load_other(&t, json_get(json, "other"), &local);
    struct layer *layer = good ? scenario_layer(&t, &local) : NULL;
    good = layer != NULL;
    layer_close(layer);
    scenario_keep_heads(&t);
    struct scenario old = *s;
    if (good) {
        memcpy(s, &t, sizeof t);
        scenario_done(&old);
    } else {
        scenario_done(&t);
        if (err)
            *err = local;
    }
    return good;
}

bool scenario_from_json(struct scenario *s, const struct json *json, struct err *err)
{
    return scenario_from_preset(s, json, "", err);
}
