/* facts.c - the facts of a model file put together: origins, the reading, JSON. */
#include "model/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "model/reader.h"

static const char *const format_names[FORMAT_COUNT] = {"config", "gguf", "safetensors"};

struct facts *facts_new(const char *file, enum file_format format)
{
    struct facts *f = xcalloc(1, sizeof *f);
    atomic_init(&f->refs, 1);
    utf8_sanitise(f->file, sizeof f->file, file);
    utf8_sanitise(f->path, sizeof f->path, file);
    f->format = format;
    snprintf(f->scheme, sizeof f->scheme, "%s", scheme_names[SCHEME_UNKNOWN]);
    f->rotary_dim = f->head_dim = f->num_heads = f->num_kv_heads = f->num_layers = f->hidden_size = NAN;
    f->base = f->factor = f->trained_context = f->context = f->softmax_scale = NAN;
    return f;
}

struct facts *facts_ref(const struct facts *f)
{
    struct facts *shared = (struct facts *)f;       /* the count is the only thing that changes */
    if (shared)
        atomic_fetch_add(&shared->refs, 1);
    return shared;
}

void facts_unref(struct facts *f)
{
    if (!f || atomic_fetch_sub(&f->refs, 1) != 1)
        return;
    for (size_t i = 0; i < f->n_findings; i++)
        free(f->finding[i].message);
    for (size_t k = 0; k < f->n_kinds; k++)
        for (size_t i = 0; i < f->kind[k].n_items; i++)
            item_done(&f->kind[k].item[i]);
    json_free(f->reading);
    free(f->finding);
    free(f->origin);
    free(f->kind_of_layer);
    free(f->config);
    free(f);
}

/* ---- origins and findings -------------------------------------------------------------------------------------- */

void origin_set(struct facts *f, const char *field, const char *from)
{
    size_t i = 0;
    char clean[sizeof f->origin->from];         /* from may stand in the array that grows below */
    utf8_sanitise(clean, sizeof clean, from);
    while (i < f->n_origins && strcmp(f->origin[i].field, field))
        i++;
    if (i == f->n_origins) {
        f->origin = xreallocarray(f->origin, f->n_origins + 1, sizeof *f->origin);
        f->n_origins++;
    }
    snprintf(f->origin[i].field, sizeof f->origin[i].field, "%s", field);
    memcpy(f->origin[i].from, clean, sizeof clean);
}

const char *facts_origin(const struct facts *f, const char *field)
{
    for (size_t i = 0; i < f->n_origins; i++)
        if (!strcmp(f->origin[i].field, field))
            return f->origin[i].from;
    return "";
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------- */

static void set_text(struct json *o, const char *key, const char *text)
{
    json_set_string(o, key, *text ? text : NULL);
}

void reading_finish(struct facts *f, struct json *checks, struct json *per_layer)
{
    struct json *o = f->reading = json_object();
    set_text(o, "scheme", f->scheme);
    set_text(o, "layout", f->layout);
    json_set_number(o, "rotary_dim", f->rotary_dim);
    json_set_number(o, "head_dim", f->head_dim);
    if (!isnan(f->softmax_scale))
        json_set_number(o, "softmax_scale", f->softmax_scale);
    if (f->scale_by_layer)
        json_set_bool(o, "scale_by_layer", true);
    json_set_number(o, "num_heads", f->num_heads);
    json_set_number(o, "num_kv_heads", f->num_kv_heads);
    json_set_number(o, "num_layers", f->num_layers);
    json_set_number(o, "hidden_size", f->hidden_size);
    json_set_number(o, "base", f->base);
    set_text(o, "scaling_type", f->scaling_type);
    json_set_number(o, "factor", f->factor);
    json_set_number(o, "trained_context", f->trained_context);
    json_set_number(o, "context", f->context);
    json_set(o, "per_layer", per_layer ? per_layer : json_new_null());
    json_set(o, "checks", checks ? checks : json_object());
}

void reading_flatten(struct json *reading)
{
    struct json *checks = json_detach(reading, "checks");
    for (const struct json *v = json_first(checks); v; v = json_first(checks)) {
        char key[KEY_PATH_MAX];
        snprintf(key, sizeof key, "%s", json_key(v));
        json_set(reading, key, json_detach(checks, key));
    }
    json_free(checks);
}

/* FNV-1a, 64 bits. */
static uint64_t fnv(uint64_t hash, const void *bytes, size_t n)
{
    for (const unsigned char *b = bytes; n; n--, b++)
        hash = (hash ^ *b) * 0x100000001b3;
    return hash;
}

uint64_t facts_fingerprint(const struct facts *f)
{
    char *reading = json_print(f->reading, false);
    uint64_t hash = fnv(0xcbf29ce484222325, reading, strlen(reading));
    free(reading);
    for (size_t k = 0; k < f->n_kinds; k++)
        for (size_t i = 0; i < f->kind[k].n_items; i++)
            for (size_t p = 0; p < f->kind[k].item[i].kind->n_params; p++) {
                const struct table *t = f->kind[k].item[i].param[p].t;
                hash = t ? fnv(hash, t->v, t->n * sizeof *t->v) : hash;
            }
    return hash;
}

static struct json *findings_json(const struct facts *f)
{
    struct json *list = json_array();
    for (size_t i = 0; i < f->n_findings; i++) {
        const struct finding *x = &f->finding[i];
        struct json *o = json_push(list, json_object());
        json_set_string(o, "severity", severity_names[x->severity]);
        json_set_string(o, "code", x->code);
        json_set_string(o, "field", x->field);
        json_set_number(o, "line", x->line ? x->line : NAN);
        json_set_number(o, "column", x->line ? x->column : NAN);
        json_set_string(o, "message", x->message);
    }
    return list;
}

struct json *facts_source_json(const struct facts *f)
{
    const struct model_source *s = &f->source;
    if (!*s->store)
        return json_new_null();
    struct json *o = json_object();
    char path[sizeof s->path];
    json_set_string(o, "store", s->store);
    set_text(o, "id", s->id);
    set_text(o, "revision", s->revision);
    json_set_string(o, "path", utf8_sanitise(path, sizeof path, s->path));
    return o;
}

struct json *facts_to_json(const struct facts *f)
{
    char summary[512];
    struct json *o = json_object();
    json_set_number(o, "schema", 1);
    json_set_string(o, "file", f->file);
    json_set_string(o, "path", f->path);
    json_set(o, "source", facts_source_json(f));
    json_set_string(o, "format", format_names[f->format]);
    set_text(o, "model_type", f->model_type);
    set_text(o, "summary", facts_summary(f, LANG_EN, summary, sizeof summary));
    json_set(o, "reading", f->reading ? json_copy(f->reading) : json_new_null());
    struct json *origin = json_set(o, "origin", json_object());
    for (size_t i = 0; i < f->n_origins; i++)
        json_set_string(origin, f->origin[i].field, f->origin[i].from);
    if (f->changed)
        json_set_bool(o, "changed", true);
    json_set(o, "findings", findings_json(f));
    return o;
}
