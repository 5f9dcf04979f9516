#include "scenario/scenario.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "core/quantity.h"
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

/* Copies are made with memcpy and start zeroed, so equal scenarios have equal bytes; NaN is always the same NaN. */
bool scenario_same(const struct scenario *a, const struct scenario *b)
{
    if (!a->other != !b->other || (a->other && !scenario_same(a->other, b->other)))
        return false;
    struct scenario x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    x.other = y.other = NULL;
    return memcmp(&x, &y, sizeof x) == 0;
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
    drop_items(s);
    for (size_t i = 0; i < n; i++)
        item_init(&s->item[i], kind[i]);
    s->n_items = n;
    facts_unref(s->model);
    s->model = NULL;
    s->model_from[0] = '\0';
    s->model_layer = -1;
    s->title[0] = '\0';
    fit_view(s);
    return true;
}

bool scenario_set_model_layer(struct scenario *s, int layer, struct err *err)
{
    const struct facts *f = s->model;
    if (!f || !f->n_kinds)
        return err_set(err, N_("layer = %d: no model with layers is loaded"), layer);
    if (layer >= 0 && (size_t)layer >= f->n_layers)
        return err_set(err, N_("layer = %d: allowed is 0 to %zu"), layer, f->n_layers ? f->n_layers - 1 : 0);
    const struct layer_facts *kind = &f->kind[layer < 0 ? 0 : f->kind_of_layer[layer]];
    drop_items(s);
    for (size_t i = 0; i < kind->n_items; i++)
        item_copy(&s->item[i], &kind->item[i]);
    s->n_items = kind->n_items;
    s->shape = kind->shape;
    scenario_keep_heads(s);
    s->mask = kind->mask;
    if (s->mask.size < 1)
        s->mask.size = 256;
    s->model_layer = layer;
    return true;
}

bool scenario_set_model(struct scenario *s, struct facts *facts, const char *from, int layer, struct err *err)
{
    if (!facts->n_kinds) {
        err_set(err, N_("%s: no position encoding can be read from it"), facts->file);
        facts_unref(facts);
        return false;
    }
    facts_unref(s->model);
    s->model = facts;
    snprintf(s->model_from, sizeof s->model_from, "%s", from);
    s->trained = facts->trained_context;
    s->target = facts->context;
    s->title[0] = '\0';
    fit_view(s);
    return scenario_set_model_layer(s, layer, err) || scenario_set_model_layer(s, -1, NULL);
}

bool scenario_load_model(struct scenario *s, const char *path, struct err *err)
{
    struct facts *facts = facts_read(path, err);
    return facts && scenario_set_model(s, facts, path, -1, err);
}

bool scenario_load_content(struct scenario *s, const char *q_path, const char *k_path, struct err *err)
{
    struct table *q = npy_load(q_path, err), *k = q ? npy_load(k_path, err) : NULL;
    bool fits = q && k && (q->rank == 2 || q->rank == 3) && k->rank == q->rank && k->dim[k->rank - 1] == q->dim[q->rank - 1];
    if (q && k && !fits)
        err_set(err, N_("%s and %s: both must be [n, d] or [heads, n, d] with the same d"), q_path, k_path);
    if (fits && q->dim[q->rank - 1] > 65536)
        fits = err_set(err, N_("%s: d = %zu: allowed is 1 to 65536"), q_path, q->dim[q->rank - 1]);
    if (!fits) {
        table_unref(q);
        table_unref(k);
        return false;
    }
    table_unref(s->q);
    table_unref(s->k);
    s->q = q;
    s->k = k;
    snprintf(s->q_path, sizeof s->q_path, "%s", q_path);
    snprintf(s->k_path, sizeof s->k_path, "%s", k_path);
    s->content = CONTENT_TABLES;
    s->shape.d_head = (int)q->dim[q->rank - 1];
    s->shape.length = (double)q->dim[q->rank - 2];
    if (q->rank == 3)
        s->shape.n_heads = (int)q->dim[0];
    scenario_keep_heads(s);
    return true;
}

/* ---- parameters ---------------------------------------------------------------------------------- */

static const char *const mask_titles[] = {N_("none"), N_("causal"), N_("sliding"), N_("in chunks"), N_("window, both ways")};
static const char *const content_titles[] = {N_("none"), N_("random"), N_("the sentence"), N_("from files")};
static const struct param general[GENERAL_COUNT] = {
    [GENERAL_N] = {.name = "n", .title = N_("length n"), .unit = N_("tokens"), .help = N_("number of tokens in the sequence"),
                   .type = PARAM_INT, .def = 512, .min = 1, .max = 1e9},
    [GENERAL_HEADS] = {.name = "num_heads", .title = N_("heads"), .help = N_("number of attention heads"), .type = PARAM_INT, .def = 8,
                       .min = 1, .max = 1024, .step = 1},
    [GENERAL_HEAD_DIM] = {.name = "head_dim", .title = N_("head width"), .help = N_("width of a head's queries and keys"),
                          .type = PARAM_INT, .def = 64, .min = 1, .max = 4096, .step = 2},
    [GENERAL_D_MODEL] = {.name = "d_model", .title = N_("model width"), .help = N_("width of the input vectors"), .type = PARAM_INT,
                         .def = 512, .min = 1, .max = 65536, .step = 4},
    [GENERAL_MASK] = {.name = "mask", .title = N_("mask"), .help = N_("which keys a query may attend to"), .type = PARAM_CHOICE,
                      .def = MASK_CAUSAL, .choices = mask_names, .titles = mask_titles},
    [GENERAL_WINDOW] = {.name = "window", .title = N_("window"), .unit = N_("tokens"), .help = N_("length of the sliding window or of a chunk"),
                        .type = PARAM_INT, .def = 256, .min = 1, .max = 1e9, .when = "mask=sliding|chunked|window"},
    [GENERAL_MEMORY] = {.name = "memory", .title = N_("memory"), .unit = N_("tokens"),
                        .help = N_("keys kept from earlier segments, before the first query"), .type = PARAM_INT, .def = 0, .min = 0,
                        .max = 1e6, .step = 1},
    [GENERAL_CONTENT] = {.name = "content", .title = N_("content"), .help = N_("where queries and keys come from"), .type = PARAM_CHOICE,
                         .def = CONTENT_TOKENS, .choices = content_names, .titles = content_titles},
    [GENERAL_SEED] = {.name = "seed", .title = N_("seed"), .help = N_("seed of random queries, keys and tables"), .type = PARAM_INT,
                      .def = 1, .min = 0, .max = 1e9, .step = 1},
    [GENERAL_TRAINED] = {.name = "trained", .title = N_("trained length"), .unit = N_("tokens"), .help = N_("length the model was trained on"),
                         .type = PARAM_INT, .def = NAN, .min = 1, .max = 1e9},
    [GENERAL_TARGET] = {.name = "target", .title = N_("target length"), .unit = N_("tokens"), .help = N_("length the model is wanted for"),
                        .type = PARAM_INT, .def = NAN, .min = 1, .max = 1e9},
};

static double general_get(const struct scenario *s, int index)
{
    const double all[GENERAL_COUNT] = {
        [GENERAL_N] = s->shape.length, [GENERAL_HEADS] = s->shape.n_heads, [GENERAL_HEAD_DIM] = s->shape.d_head,
        [GENERAL_D_MODEL] = s->shape.d_model, [GENERAL_MASK] = s->mask.type, [GENERAL_WINDOW] = s->mask.size,
        [GENERAL_MEMORY] = s->memory, [GENERAL_CONTENT] = s->content, [GENERAL_SEED] = (double)s->seed,
        [GENERAL_TRAINED] = s->trained, [GENERAL_TARGET] = s->target,
    };
    return all[index];
}

static void general_put(struct scenario *s, int index, double x)
{
    switch (index) {
    case GENERAL_N:        s->shape.length = x; break;
    case GENERAL_HEADS:    s->shape.n_heads = (int)x; break;
    case GENERAL_HEAD_DIM: s->shape.d_head = (int)x; break;
    case GENERAL_D_MODEL:  s->shape.d_model = (int)x; break;
    case GENERAL_MASK:     s->mask.type = (enum mask_type)x; break;
    case GENERAL_WINDOW:   s->mask.size = x; break;
    case GENERAL_MEMORY:   s->memory = x; break;
    case GENERAL_CONTENT:  s->content = (enum content_type)x; break;
    case GENERAL_SEED:     s->seed = (unsigned long)x; break;
    case GENERAL_TRAINED:  s->trained = x; break;
    case GENERAL_TARGET:   s->target = x; break;
    }
}

static size_t add_refs(struct param_ref *out, size_t at, size_t max, const struct param *params, size_t n, enum param_owner owner, int item)
{
    for (size_t i = 0; i < n && at < max; i++)
        out[at++] = (struct param_ref){&params[i], owner, item, (int)i};
    return at;
}

size_t scenario_params(const struct scenario *s, struct param_ref *out, size_t max)
{
    const struct param *params;
    size_t n, at;
    view_params(s->view, &params, &n);
    at = add_refs(out, 0, max, params, n, OWNER_VIEW, 0);
    for (size_t i = 0; i < s->n_items; i++)
        at = add_refs(out, at, max, s->item[i].kind->params, s->item[i].kind->n_params, OWNER_ENCODING, (int)i);
    return add_refs(out, at, max, general, GENERAL_COUNT, OWNER_SCENARIO, 0);
}

struct value scenario_get(const struct scenario *s, const struct param_ref *ref)
{
    switch (ref->owner) {
    case OWNER_VIEW:     return s->view_param[s->view][ref->index];
    case OWNER_ENCODING: return s->item[ref->item].param[ref->index];
    case OWNER_SCENARIO: break;
    }
    return (struct value){general_get(s, ref->index), NULL};
}

bool scenario_param_applies(const struct scenario *s, const struct param_ref *ref)
{
    const struct param *params;
    size_t n;
    struct value values[GENERAL_COUNT];
    switch (ref->owner) {
    case OWNER_VIEW:
        view_params(s->view, &params, &n);
        return param_applies(params, n, (size_t)ref->index, s->view_param[s->view]);
    case OWNER_ENCODING:
        return param_applies(s->item[ref->item].kind->params, s->item[ref->item].kind->n_params, (size_t)ref->index, s->item[ref->item].param);
    case OWNER_SCENARIO:
        break;
    }
    for (int i = 0; i < GENERAL_COUNT; i++)
        values[i] = (struct value){general_get(s, i), NULL};
    return param_applies(general, GENERAL_COUNT, (size_t)ref->index, values);
}

static void replace(struct value *slot, struct value v)
{
    table_ref(v.t);
    table_unref(slot->t);
    *slot = v;
}

/* Sets and returns the value before, holding its reference. */
static struct value exchange(struct scenario *s, const struct param_ref *ref, struct value v)
{
    struct value old = scenario_get(s, ref);
    table_ref(old.t);
    if (ref->owner == OWNER_VIEW)
        replace(&s->view_param[s->view][ref->index], v);
    else if (ref->owner == OWNER_ENCODING)
        replace(&s->item[ref->item].param[ref->index], v);
    else
        general_put(s, ref->index, v.x);
    return old;
}

struct param scenario_bounds(const struct scenario *s, const struct param_ref *ref)
{
    struct param p = *ref->param;
    if (p.of_heads)
        p.max = fmin(p.max, s->shape.n_heads - 1);
    return p;
}

void scenario_keep_heads(struct scenario *s)
{
    for (int view = 0; view < VIEW_COUNT; view++) {
        const struct param *params;
        size_t n;
        view_params((enum view_id)view, &params, &n);
        for (size_t i = 0; i < n; i++)
            if (params[i].of_heads)
                s->view_param[view][i].x = fmin(s->view_param[view][i].x, s->shape.n_heads - 1);
    }
}

bool scenario_put(struct scenario *s, const struct param_ref *ref, struct value v, struct err *err)
{
    struct param bounds = scenario_bounds(s, ref);
    if (!param_check(&bounds, v, err))
        return false;
    struct value old = exchange(s, ref, v);
    bool opens = true;
    if (ref->owner != OWNER_VIEW) {
        struct layer *layer = scenario_layer(s, err);
        opens = layer != NULL;
        layer_close(layer);
    }
    if (!opens) {
        /* A scenario that did not open before may be edited further: only a step from good to bad is refused. */
        struct value refused = exchange(s, ref, old);
        struct layer *before = scenario_layer(s, NULL);
        if (!before) {
            opens = true;
            table_unref(exchange(s, ref, refused).t);
            if (err)
                *err->text = '\0';
        }
        layer_close(before);
        table_unref(refused.t);
    }
    table_unref(old.t);
    scenario_keep_heads(s);
    return opens;
}

/* Edit distance, cut at short names (Levenshtein 1966). */
static int name_distance(const char *a, const char *b)
{
    int row[64], n = (int)strnlen(b, 63);
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 0; a[i] && i < 63; i++) {
        int corner = row[0];
        row[0] = i + 1;
        for (int j = 1; j <= n; j++) {
            int change = corner + (a[i] != b[j - 1]);
            corner = row[j];
            row[j] = corner + 1 < row[j - 1] + 1 ? corner + 1 : row[j - 1] + 1;
            row[j] = change < row[j] ? change : row[j];
        }
    }
    return row[n];
}

enum { MAX_REFS = 160, N_NEAR = 3 };

static bool unknown_name(const struct param_ref *refs, size_t n, const char *key, struct err *err)
{
    char near[200] = "";
    for (int limit = 1, found = 0; limit <= 4 && found < N_NEAR; limit++) {
        for (size_t i = 0; i < n && found < N_NEAR; i++) {
            const char *name = refs[i].param->name;
            bool part = limit == 4 && strlen(key) >= 3 && strstr(name, key) && name_distance(key, name) > 3;
            if (!part && name_distance(key, name) != limit)
                continue;
            size_t at = strlen(near);
            snprintf(near + at, sizeof near - at, "%s%s", found++ ? ", " : "", name);
        }
    }
    return *near ? err_set(err, N_("there is no parameter '%s' here; near it are %s"), key, near)
                 : err_set(err, N_("there is no parameter '%s' here"), key);
}

void scenario_set_walk(struct scenario *s, const char *walk)
{
    memset(s->walk, 0, sizeof s->walk);                 /* scenario_same compares every byte */
    utf8_sanitise(s->walk, sizeof s->walk, walk);
}

/* "x0,x1,y0,y1" in the axes' own units; an empty one is not cut. */
/* n numbers with commas between them; one left out is NAN. */
static bool read_numbers(const char *text, double *x, int n)
{
    for (int i = 0; i < n; i++) {
        char *end;
        x[i] = NAN;
        if (*text && *text != ',') {
            x[i] = strtod(text, &end);
            if (end == text || !isfinite(x[i]))
                return false;
            text = end;
        }
        if (*text != (i < n - 1 ? ',' : '\0'))
            return false;
        text++;
    }
    return true;
}

static bool set_zoom(struct scenario *s, const char *value, struct err *err)
{
    double x[4];
    if (!read_numbers(value, x, 4))
        return err_set(err, N_("zoom = %s: must be x0,x1,y0,y1 (numbers, or nothing for all)"), value);
    s->zoom = (struct zoom){x[0], x[1], x[2], x[3]};
    return true;
}

/* A panel and its place; of the panel that the cursor is in, then of others where it has been. */
static bool set_cursor(struct scenario *s, const char *value, struct err *err)
{
    double x[3 * (CURSOR_PANELS + 1)];
    int n = 1;
    for (const char *at = value; (at = strchr(at, ',')); at++)
        n++;
    bool good = n % 3 == 0 && n <= (int)(sizeof x / sizeof *x) && read_numbers(value, x, n);
    for (int i = 0; i < n && good; i += 3)
        good = x[i] >= 0 && x[i] < CURSOR_PANELS;
    if (!good)
        return err_set(err, N_("cursor = %s: must be PANEL,X,Y (the panel from 0; X and Y numbers, or nothing for the middle), and more of them"), value);
    scenario_reset_cursor(s);
    s->focus = (int)x[0];
    for (int i = 0; i < n; i += 3)
        s->cursor[(int)x[i]] = (struct spot){x[i + 1], x[i + 2]};
    return true;
}

/* Words that are no parameters: text and files. */
static bool set_word(struct scenario *s, const char *key, const char *value, bool *done, struct err *err)
{
    *done = true;
    if (!strcmp(key, "text")) {
        utf8_sanitise(s->text, sizeof s->text, value);
        s->content = CONTENT_TOKENS;
        return true;
    }
    if (!strcmp(key, "walk")) {
        scenario_set_walk(s, value);
        return true;
    }
    if (!strcmp(key, "zoom"))
        return set_zoom(s, value, err);
    if (!strcmp(key, "cursor"))
        return set_cursor(s, value, err);
    if (!strcmp(key, "large")) {
        s->large = !strcmp(value, "true");
        return s->large || !strcmp(value, "false") || err_set(err, N_("large = %s: allowed are true, false"), value);
    }
    if (!strcmp(key, "q") || !strcmp(key, "k")) {
        bool q = *key == 'q';
        const char *other = q ? s->k_path : s->q_path;
        other = *other ? other : value;
        return scenario_load_content(s, q ? value : other, q ? other : value, err);
    }
    if (!strcmp(key, "layer")) {
        char *end;
        long layer = !strcmp(value, "main") ? -1 : strtol(value, &end, 10);
        if (strcmp(value, "main") && (*end || end == value))
            return err_set(err, N_("layer = %s: must be a layer's number, or main"), value);
        return scenario_set_model_layer(s, (int)layer, err);
    }
    *done = false;
    return true;
}

bool scenario_read_value(const struct param *p, const char *text, struct value *out, struct err *err)
{
    if (p->type != PARAM_TABLE || !*text || !strcmp(text, "none"))
        return param_parse(p, text, out, err);
    *out = (struct value){NAN, npy_load(text, err)};
    return out->t != NULL;
}

bool scenario_set(struct scenario *s, const char *key, const char *value, struct err *err)
{
    struct param_ref refs[MAX_REFS];
    size_t n = scenario_params(s, refs, MAX_REFS), dot = strcspn(key, ".");
    for (size_t i = 0; i < n; i++) {
        const char *name = key;
        if (key[dot] && refs[i].owner == OWNER_ENCODING && strlen(s->item[refs[i].item].kind->id) == dot &&
            !strncmp(s->item[refs[i].item].kind->id, key, dot))
            name = key + dot + 1;
        if (strcmp(refs[i].param->name, name))
            continue;
        struct value v;
        if (!scenario_read_value(refs[i].param, value, &v, err))
            return false;
        bool good = scenario_put(s, &refs[i], v, err);
        table_unref(v.t);
        return good;
    }
    bool done;
    bool good = set_word(s, key, value, &done, err);
    return done ? good : unknown_name(refs, n, key, err);
}

/* The quantity of an encoding that has a parameter's name, or NULL. */
static const struct quantity *quantity_of(const struct encoding *kind, const char *name)
{
    for (size_t i = 0; i < kind->n_quantities; i++)
        if (!strcmp(kind->quantities[i].name, name) && !kind->quantities[i].no_instance)
            return &kind->quantities[i];
    return NULL;
}

char *scenario_derived(const struct scenario *s, const struct param_ref *ref, char *out, size_t size)
{
    *out = '\0';
    if (ref->owner != OWNER_ENCODING || !value_absent(scenario_get(s, ref)))
        return out;
    const struct item *item = &s->item[ref->item];
    const struct quantity *q = quantity_of(item->kind, ref->param->name);
    const struct request nothing = {.output = ref->param->name};
    struct enc *e = q ? enc_open(item->kind, &s->shape, item->param, NULL) : NULL;
    struct answer answer = {0};
    if (e && q->compute(e, &nothing, &answer, NULL) && answer.values->n == 1 && isfinite(answer.values->v[0]))
        snprintf(out, size, "%.6g", answer.values->v[0]);
    else if (answer.values)
        param_format(ref->param, (struct value){NAN, answer.values}, out, size);
    table_unref(answer.values);
    enc_close(e);
    return out;
}
