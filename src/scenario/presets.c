/* presets.c - scenarios in JSON: loading, saving, and the presets that are part of the binary.
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
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "scenario/scenario.h"

enum { PRESET_MAX_BYTES = 4 << 20, INLINE_MAX = 65536 };

static const char *const compare_names[] = {"off", "a", "b", "side", "difference", NULL};

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

static const struct preset *find_embedded(const char *name)
{
    for (const struct preset *p = presets; p->id; p++) {
        const char *last = strrchr(p->id, '/');
        if (!strcmp(p->id, name) || (last && !strcmp(last + 1, name)))
            return p;
    }
    return NULL;
}

static struct facts *config_facts(const struct json *config, const char *name, struct err *err)
{
    char *text = json_print(config, true);
    struct facts *facts = facts_from_config(name, text, strlen(text), err);
    free(text);
    return facts;
}

static struct json *load_user_preset(const char *name, struct err *err, bool *there);

static struct facts *preset_facts(const char *id, struct err *err)
{
    bool there;
    struct json *json = load_user_preset(id, err, &there);
    const struct preset *p = there ? NULL : find_embedded(id);
    if (p)
        json = json_parse(p->text, p->size, err);
    const struct json *config = json_get(json_get(json, "model"), "config");
    struct facts *facts = NULL;
    if (config)
        facts = config_facts(config, p ? p->id : id, err);
    else
        err_set(err, N_("there is no preset '%s' with a model"), id);
    json_free(json);
    return facts;
}

static bool load_model(struct scenario *s, const struct json *v, const char *preset, int layer, struct err *err)
{
    const char *file = json_string(json_get(v, "file")), *id = json_string(json_get(v, "preset"));
    char from[256];
    struct facts *facts;
    snprintf(from, sizeof from, "%s", file ? file : "");
    if (file && file_is_stream(file)) {
        return err_set(err, N_("model: %s is no file but a pipe"), file);
    } else if (file) {
        facts = facts_read(file, err);
    } else if (id) {
        facts = preset_facts(id, err);
        snprintf(from, sizeof from, "preset:%s", id);
    } else if (json_get(v, "config")) {
        facts = config_facts(json_get(v, "config"), *preset ? preset : "config.json", err);
        snprintf(from, sizeof from, *preset ? "preset:%s" : "config%s", preset);
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
        bool good = word(v, key, compare_names, &which, err);
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
    struct param_ref refs[160];
    size_t n = scenario_params(s, refs, 160);
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

static bool load_title(struct scenario *s, const struct json *v)
{
    const char *text = json_string(json_get(v, lang_name(s->lang)));
    if (!text)
        text = json_string(json_get(v, "en"));
    if (!text)
        text = json_string(v);
    utf8_sanitise(s->title, sizeof s->title, text ? text : "");
    return true;
}

static bool title_is(const struct json *titles, const char *text)
{
    const struct json *one = json_first(titles);
    while (one && !(json_string(one) && !strcmp(json_string(one), text)))
        one = json_next(one);
    return one != NULL;
}

/* The built-in preset that gave a scenario its title says it in the other language; an encoding by itself has its own. */
static void translate_title(struct scenario *s)
{
    const char *only = s->n_items == 1 ? s->item[0].kind->title : NULL;
    for (enum lang l = LANG_EN; only && l < LANG_COUNT; l++)
        if (!strcmp(s->title, lang_text(l, only))) {
            utf8_sanitise(s->title, sizeof s->title, lang_text(s->lang, only));
            return;
        }
    bool found = false;
    for (size_t i = 0; presets[i].id && !found; i++) {
        struct json *json = json_parse(presets[i].text, presets[i].size, NULL);
        found = title_is(json_get(json, "title"), s->title) && load_title(s, json_get(json, "title"));
        json_free(json);
    }
}

/* The words of a model were made when it was read. */
static void translate_model(struct scenario *s)
{
    struct facts *facts = s->model ? facts_in_lang(s->model, s->model_from, s->lang) : NULL;
    if (!facts)
        return;
    facts_unref(s->model);
    s->model = facts;
}

void scenario_speak(struct scenario *s, enum lang lang)
{
    bool other = s->lang != lang && *s->title;
    s->lang = lang;
    if (other)
        translate_title(s);
    translate_model(s);
    if (s->other)
        scenario_speak(s->other, lang);
}

/* The lengths of a model go with it; those that were set stay. */
static void forget_lengths(struct scenario *s)
{
    if (s->model && s->trained == s->model->trained_context)
        s->trained = NAN;
    if (s->model && s->target == s->model->context)
        s->target = NAN;
}

/* What must stand before the rest: the model decides the encodings, the encodings decide which lengths are allowed. */
static bool load_first(struct scenario *s, const struct json *json, const char *preset, struct err *err)
{
    const struct json *v;
    const char *view = json_string(json_get(json, "view"));
    if (json_get(json, "view") && !view)
        return wrong_type("view", json_get(json, "view"), N_("a string"), err);
    if (view && !scenario_set_view(s, view, err))
        return false;
    int layer = (int)json_number(json_get(json, "layer"), -1);
    if ((v = json_get(json, "model")) && !load_model(s, v, preset, layer, err))
        return false;
    if (!json_get(json, "encodings"))
        return true;
    if (!json_get(json, "model")) {
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
        return load_title(s, m);
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
    bool known;
    if (!load_display(s, key, m, &known, err) || known)
        return known && !(err && *err->text);
    if (!load_general(s, key, m, &known, err))
        return false;
    return known || err_set(err, N_("%s: unknown key"), key);
}

static bool from_json(struct scenario *s, const struct json *json, const char *preset, struct err *err)
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
    return from_json(s, json, "", err);
}

/* ---- saving -------------------------------------------------------------------------------------- */

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
    struct json *config = !strcmp(s->model_from, "config") && s->model->config ? json_parse(s->model->config, strlen(s->model->config), NULL) : NULL;
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
    struct param_ref refs[160];
    size_t n = scenario_params(s, refs, 160);
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
        json_set_string(json, "compare", compare_names[s->compare]);
        json_set(json, "other", scenario_to_json(s->other));
    }
    return json;
}

/* ---- presets ------------------------------------------------------------------------------------- */

static struct json *load_user_preset(const char *name, struct err *err, bool *there)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char *path = config && *config ? xasprintf("%s/posviz/presets/%s.json", config, name)
                                   : xasprintf("%s/.config/posviz/presets/%s.json", home ? home : "", name);
    if (strstr(name, "..") || access(path, R_OK) != 0) {
        free(path);
        path = strchr(name, '.') && access(name, R_OK) == 0 ? xstrdup(name) : NULL;
    }
    *there = path != NULL;
    struct json *json = path ? json_load(path, PRESET_MAX_BYTES, err) : NULL;
    free(path);
    return json;
}

/* An encoding without a preset of its own has its defaults for one. */
static bool load_plain_encoding(struct scenario *s, const char *name)
{
    const char *id = strncmp(name, "encodings/", 10) ? name : name + 10;
    const struct encoding *kind = encoding_find(id, NULL);
    if (!kind || strcmp(kind->id, id) || !scenario_set_encoding(s, id, NULL))
        return false;
    snprintf(s->title, sizeof s->title, "%s", lang_text(s->lang, kind->title));
    return true;
}

bool scenario_load_preset(struct scenario *s, const char *name, struct err *err)
{
    bool there;
    struct json *json = load_user_preset(name, err, &there);
    const struct preset *p = there ? NULL : find_embedded(name);
    if (p)
        json = json_parse(p->text, p->size, err);
    else if (!there && load_plain_encoding(s, name))
        return true;
    else if (!there)
        return err_set(err, N_("there is no preset '%s'; `posviz list presets` names them"), name);
    bool good = json && from_json(s, json, p ? p->id : name, err);
    if (json && !good)
        err_prefix(err, N_("preset %s"), name);
    json_free(json);
    return good;
}
