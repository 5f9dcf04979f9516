/* reader.c - see reader.h. */
#include "wizard/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"

struct place enter(struct reader *r, const char *key, long index)
{
    struct place before = {strlen(r->path)};
    char *end = r->path + before.length;
    size_t room = sizeof r->path - before.length;
    if (key)
        snprintf(end, room, "%s%s", before.length ? "." : "", key);
    else
        snprintf(end, room, "[%ld]", index);
    return before;
}

void leave(struct reader *r, struct place before)
{
    r->path[before.length] = '\0';
}

void fault(struct reader *r, const char *key, const char *fmt, ...)
{
    if (r->failed)
        return;
    r->failed = true;
    char text[300];
    va_list args;
    va_start(args, fmt);
    message_format(text, sizeof text, r->err ? r->err->lang : LANG_EN, fmt, args);
    va_end(args);
    struct place before = {0};
    if (key)
        before = enter(r, key, 0);
    err_set(r->err, N_("wizard data: %s: %s"), r->path[0] ? r->path : "/", text);
    if (key)
        leave(r, before);
}

void wrong_type(struct reader *r, const char *key, const struct json *found, const char *wanted)
{
    enum lang lang = r->err ? r->err->lang : LANG_EN;
    fault(r, key, N_("is %s, must be %s"), lang_text(lang, json_type_name(found)), lang_text(lang, wanted));
}

const struct json *member(struct reader *r, const struct json *object, const char *key, enum json_type type)
{
    const struct json *found = json_get(object, key);
    if (found && json_type(found) == type)
        return found;
    static const char *const wanted[] = {N_("null"), N_("true or false"), N_("a number"), N_("a text"), N_("a list"),
                                         N_("an object")};
    if (found)
        wrong_type(r, key, found, wanted[type]);
    else
        fault(r, key, N_("is missing"));
    return NULL;
}

const char *text_of(struct reader *r, const struct json *object, const char *key)
{
    const struct json *found = member(r, object, key, JSON_STRING);
    if (found && !json_string(found)[0])
        fault(r, key, N_("is empty"));
    return found ? json_string(found) : "";
}

double number_of(struct reader *r, const struct json *object, const char *key, double min, double max)
{
    const struct json *found = member(r, object, key, JSON_NUMBER);
    double x = json_number(found, min);
    if (found && !(x >= min && x <= max))
        fault(r, key, N_("%g: must be between %g and %g"), x, min, max);
    return x;
}

const char *optional_text(const struct json *object, const char *key)
{
    return json_string(json_get(object, key));
}

/* KEY_en or KEY, and KEY_zh. */
struct words words_of(struct reader *r, const struct json *object, const char *key, bool same_in_chinese)
{
    char en[48], zh[48];
    snprintf(en, sizeof en, "%s_en", key);
    snprintf(zh, sizeof zh, "%s_zh", key);
    struct words w;
    w.in[LANG_EN] = text_of(r, object, json_get(object, en) ? en : key);
    bool absent = same_in_chinese && !json_get(object, zh);
    w.in[LANG_ZH] = absent ? w.in[LANG_EN] : text_of(r, object, zh);
    return w;
}

struct words optional_words(struct reader *r, const struct json *object, const char *key)
{
    char en[48];
    snprintf(en, sizeof en, "%s_en", key);
    return json_get(object, en) ? words_of(r, object, key, false) : (struct words){{NULL, NULL}};
}

/* Reads every element of the list at key into array; each element begins with its id or another text that stands once. */
void fill(struct reader *r, const struct json *object, const char *key, void *array, size_t size, size_t *n,
                 void (*read)(struct reader *r, const struct json *element, void *out))
{
    struct place before = enter(r, key, 0);
    for (const struct json *j = json_first(json_get(object, key)); j && !r->failed; j = json_next(j)) {
        struct place list = enter(r, NULL, (long)*n);
        char *out = (char *)array + *n * size;
        read(r, j, out);
        if (find_id(array, *n, size, *(const char *const *)(void *)out) >= 0)
            fault(r, NULL, N_("\"%s\" stands twice"), *(const char *const *)(void *)out);
        (*n)++;
        leave(r, list);
    }
    leave(r, before);
}

size_t count_of(struct reader *r, const struct json *object, const char *key, size_t min, size_t max)
{
    size_t n = json_size(member(r, object, key, JSON_ARRAY));
    if (!r->failed && (n < min || n > max))
        fault(r, key, N_("%zu entries: must be %zu to %zu"), n, min, max);
    return r->failed ? 0 : n;
}

int known(struct reader *r, const char *key, const char *id, int index)
{
    if (index >= 0)
        return index;
    fault(r, key, N_("\"%s\" is not known"), id);
    return 0;
}

/* ---- what many parts have ----------------------------------------------------------------------------- */

int scheme_of(struct reader *r, const struct json *j, const char *key)
{
    const char *id = text_of(r, j, key);
    return known(r, key, id, book_scheme(r->book, id));
}

const struct via *via_named(struct reader *r, const struct json *j)
{
    const char *id = text_of(r, j, "verified_via");
    int i = known(r, "verified_via", id, FIND(r->book->via, r->book->n_vias, id));
    return r->book->n_vias ? &r->book->via[i] : NULL;
}

struct evidence evidence_of(struct reader *r, const struct json *j, const char *key)
{
    struct evidence e = {0};
    count_of(r, j, key, 1, BOOK_MAX_CITES);
    for (const struct json *c = json_first(json_get(j, key)); c && !r->failed; c = json_next(c)) {
        const char *id = json_string(c) ? json_string(c) : "";
        int i = known(r, key, id, FIND(r->book->source, r->book->n_sources, id));
        if (r->failed)
            break;
        const struct source *s = e.source[e.n++] = &r->book->source[i];
        if (!e.via || s->via->weakness > e.via->weakness)
            e.via = s->via;
    }
    if (json_get(j, "verified_via"))
        e.via = via_named(r, j);
    e.unverified = json_bool(json_get(j, "unverified"), false) || (e.via && strcmp(e.via->id, "unverified") == 0);
    return e;
}

size_t claims_of(struct reader *r, const struct json *object, const char *key, const struct claim **out)
{
    size_t n = 0;
    count_of(r, object, key, 0, BOOK_MAX_CLAIMS);
    for (const struct json *j = json_first(json_get(object, key)); j && !r->failed; j = json_next(j)) {
        const char *id = json_string(j) ? json_string(j) : "";
        out[n] = book_claim(r->book, id);
        known(r, key, id, out[n++] ? 0 : -1);
    }
    return n;
}
