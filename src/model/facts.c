/* facts.c - the facts of a model file: which reader a file belongs to, the reading put together, JSON. */
#include "model/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "model/reader.h"

/* Asked in turn; the last one takes every text. */
static const struct format *const formats[] = {&format_folder, &format_gguf, &format_safetensors, &format_config};
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
    f->base = f->factor = f->trained_context = f->context = NAN;
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

/* ---- reading a file ------------------------------------------------------------------------------------------ */

static size_t first_bytes(const char *path, unsigned char head[SNIFF_BYTES])
{
    struct stat st;
    /* A pipe is not even opened: to close it again would end its writer. */
    bool regular = strcmp(path, "-") && stat(path, &st) == 0 && S_ISREG(st.st_mode);
    int fd = regular ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    ssize_t n = fd >= 0 ? read(fd, head, SNIFF_BYTES) : 0;
    if (fd >= 0)
        close(fd);
    return n > 0 ? (size_t)n : 0;
}

static const struct format *format_of(const char *path)
{
    unsigned char head[SNIFF_BYTES];
    size_t n = first_bytes(path, head), last = sizeof formats / sizeof *formats - 1;
    for (size_t i = 0; i < last; i++)
        if (formats[i]->sniff(path, head, n))
            return formats[i];
    return formats[last];
}

static struct facts *examine(struct reader *r, const struct format *format, const char *name)
{
    r->f = facts_new(name, format->format);
    if (r->path)
        utf8_sanitise(r->f->path, sizeof r->f->path, r->path);
    r->f->lang = r->lang;
    r->f->unreadable = !format->read(r);
    json_free(r->root);
    return r->f;
}

/* A name that no store can make a file of. */
static struct facts *refused(struct reader *r, const char *name, const char *why)
{
    r->f = facts_new(name, FORMAT_CONFIG);
    r->f->unreadable = true;
    finding_add(r, "not-in-stores", "", "%s", why);
    return r->f;
}

struct facts *facts_examine(const char *path, const char *const *edits, size_t n_edits, enum lang lang)
{
    struct store_hit hit;
    struct err err = {.lang = lang};
    enum store_answer answer = store_find(path, &hit, &err);
    struct reader r = {.lang = lang, .path = answer == STORE_FOUND ? hit.source.path : path, .edits = edits, .n_edits = n_edits};
    struct facts *f = answer == STORE_REFUSED ? refused(&r, path, err.text) : examine(&r, format_of(r.path), path);
    f->source = hit.source;
    for (size_t i = 0; i < hit.n_notes && !f->unreadable; i++)
        finding_add(&r, "store-note", "", "%s", hit.note[i]);
    return f;
}

/* Unreadable facts become the message of their finding. */
static struct facts *or_message(struct facts *f, struct err *err)
{
    if (!f->unreadable)
        return f;
    const char *message = f->n_findings ? f->finding[0].message : "";
    if (!strncmp(message, f->file, strlen(f->file)))        /* what cannot be opened is named already */
        err_set(err, "%s", message);
    else
        err_set(err, "%s: %s", f->file, message);
    facts_unref(f);
    return NULL;
}

static enum lang lang_of(const struct err *err)
{
    return err ? err->lang : LANG_EN;
}

struct facts *facts_read_edited(const char *path, const char *const *edits, size_t n_edits, struct err *err)
{
    return or_message(facts_examine(path, edits, n_edits, lang_of(err)), err);
}

struct facts *facts_read(const char *path, struct err *err)
{
    return facts_read_edited(path, NULL, 0, err);
}

struct facts *facts_from_config(const char *name, const char *text, size_t size, struct err *err)
{
    struct reader r = {.lang = lang_of(err), .text = text, .size = size};
    struct facts *f = or_message(examine(&r, &format_config, name), err);
    if (f) {
        f->config = xcalloc(size + 1, 1);
        memcpy(f->config, text, size);
    }
    return f;
}

static bool same_reading(const struct facts *a, const struct facts *b)
{
    char *x = json_print(a->reading, false), *y = json_print(b->reading, false);
    bool same = !strcmp(x, y);
    free(x);
    free(y);
    return same;
}

struct facts *facts_in_lang(const struct facts *f, const char *path, enum lang lang)
{
    struct err err = {.lang = lang};
    if (f->lang == lang)
        return facts_ref(f);
    struct facts *read = f->config ? facts_from_config(f->file, f->config, strlen(f->config), &err) : f->changed ? NULL : facts_read(path, &err);
    if (read && f->reading && read->reading && same_reading(f, read))
        return read;
    facts_unref(read);
    return NULL;
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

/* ---- one sentence ---------------------------------------------------------------------------------------------------- */

/* fmt is one of our own messages or its checked translation (msgfmt --check-format). */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static void more(char *out, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void more(char *out, size_t size, const char *fmt, ...)
{
    size_t at = strlen(out);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(out + at, size - at, fmt, ap);
    va_end(ap);
}

static const char *const scheme_titles[SCHEME_COUNT] = {
    [SCHEME_UNKNOWN] = N_("position encoding unknown"),
    [SCHEME_NONE] = N_("no position encoding"),
    [SCHEME_ROPE] = N_("RoPE"),
    [SCHEME_ALIBI] = N_("ALiBi"),
    [SCHEME_LEARNED] = N_("learned absolute table"),
    [SCHEME_SINUSOIDAL] = N_("fixed sinusoids"),
    [SCHEME_T5] = N_("T5 relative bias"),
    [SCHEME_TRANSFORMER_XL] = N_("Transformer-XL relative encoding"),
    [SCHEME_DEBERTA] = N_("DeBERTa disentangled attention"),
    [SCHEME_SHAW] = N_("relative vectors (Shaw)"),
    [SCHEME_RELATIVE_2D] = N_("two-dimensional relative bias"),
    [SCHEME_CONVOLUTIONAL] = N_("convolution as position encoding"),
};

static const char *scheme_title(const char *scheme, enum lang lang)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        if (!strcmp(scheme, scheme_names[i]))
            return lang_text(lang, scheme_titles[i]);
    return scheme;
}

static void sum_up_rope(const struct facts *f, enum lang lang, char *out, size_t size)
{
    if (*f->layout)
        more(out, size, ", %s", f->layout);
    if (!isnan(f->rotary_dim) && !isnan(f->head_dim))
        more(out, size, lang_text(lang, N_(", %g of %g dimensions of a head")), f->rotary_dim, f->head_dim);
    if (!isnan(f->base))
        more(out, size, lang_text(lang, N_(", base %.10g")), f->base);
    if (*f->scaling_type && strcmp(f->scaling_type, "default")) {
        more(out, size, lang_text(lang, N_("; scaling %s")), f->scaling_type);
        if (!isnan(f->factor))
            more(out, size, lang_text(lang, N_(", factor %.6g")), f->factor);
        if (!strcmp(f->scaling_type, "dynamic") && !isnan(f->trained_context) && f->context > f->trained_context)
            more(out, size, lang_text(lang, N_(" (up to %.10g as without scaling, beyond it the base grows)")), f->trained_context);
    }
    const struct json *sections = json_get(json_get(f->reading, "checks"), "sections");
    if (sections) {
        more(out, size, "%s", lang_text(lang, N_("; multi-axis, sections")));
        for (const struct json *v = json_first(sections); v; v = json_next(v))
            more(out, size, " %g", json_number(v, NAN));
    }
}

static void sum_up_layers(const struct facts *f, enum lang lang, char *out, size_t size)
{
    for (size_t k = 0; k < f->n_kinds; k++) {
        const struct layer_facts *kind = &f->kind[k];
        if (!kind->count || kind->count == f->n_layers)
            continue;
        if (!strncmp(kind->name, "nope", 4))
            more(out, size, lang_text(lang, N_("; %zu of %zu layers without RoPE")), kind->count, f->n_layers);
        else if (kind->mask.type == MASK_SLIDING || kind->mask.type == MASK_WINDOW)
            more(out, size, lang_text(lang, N_("; %zu of %zu layers with a window of %.10g")), kind->count, f->n_layers,
                 kind->mask.type == MASK_WINDOW ? 2 * kind->mask.size : kind->mask.size);
        else if (kind->mask.type == MASK_CHUNKED)
            more(out, size, lang_text(lang, N_("; %zu of %zu layers in chunks of %.10g")), kind->count, f->n_layers, kind->mask.size);
    }
}

const char *layer_facts_without(const struct layer_facts *k)
{
    return k->unread ? N_("not computed") : N_("no position encoding");
}

char *facts_summary(const struct facts *f, enum lang lang, char *out, size_t size)
{
    *out = '\0';
    if (f->unreadable)
        return out;
    more(out, size, "%s", scheme_title(f->scheme, lang));
    if (!strcmp(f->scheme, scheme_names[SCHEME_ROPE]))
        sum_up_rope(f, lang, out, size);
    else if (!strcmp(f->scheme, scheme_names[SCHEME_ALIBI]) && !isnan(f->num_heads))
        more(out, size, lang_text(lang, N_(", %g heads")), f->num_heads);
    if (!isnan(f->trained_context) && f->trained_context != f->context)
        more(out, size, lang_text(lang, N_("; original length %.10g")), f->trained_context);
    if (!isnan(f->context))
        more(out, size, lang_text(lang, N_("; context %.10g")), f->context);
    sum_up_layers(f, lang, out, size);
    return out;
}
