/* keys.c - typed access to the keys of a configuration, with the origin of every value. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "model/reader.h"

enum { SPELLING_MAX = 64 };
static const double WHOLE_MAX = 9007199254740992;      /* 2^53: beyond it whole numbers are not exact */

char *path_join(char *out, size_t size, const char *path, const char *key)
{
    if (snprintf(out, size, "%s%s%s", path, *path ? "." : "", key) < 0)      /* a longer path is cut: it is for messages */
        *out = '\0';
    return out;
}

/* A dotted path, step by step: "attn_config.alibi". */
static const struct json *get_path(const struct json *object, const char *dotted)
{
    char step[KEY_PATH_MAX];
    for (const char *at = dotted; object && *at; at += *at == '.') {
        size_t length = strcspn(at, ".");
        if (length >= sizeof step)
            return NULL;
        snprintf(step, sizeof step, "%.*s", (int)length, at);
        object = json_get(object, step);
        at += length;
    }
    return object;
}

/* The first spelling with a value other than null; else the first null. */
static const struct json *find_in(const struct json *object, const char *object_path, const char *keys, char path[KEY_PATH_MAX])
{
    const struct json *null = NULL;
    char spelling[SPELLING_MAX];
    for (const char *at = keys; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        snprintf(spelling, sizeof spelling, "%.*s", (int)length, at);
        at += length;
        const struct json *found = get_path(object, spelling);
        bool is_null = found && json_type(found) == JSON_NULL;
        if (!found || (is_null && null))
            continue;
        path_join(path, KEY_PATH_MAX, object_path, spelling);
        if (!is_null)
            return found;
        null = found;
    }
    return null;
}

const struct json *key_find(const struct part *p, const char *keys, char path[KEY_PATH_MAX])
{
    char ignored[KEY_PATH_MAX], *out = path ? path : ignored;
    const struct json *found = find_in(p->object, p->path, keys, out);
    if (!found && p->outer)
        found = find_in(p->outer, "", keys, out);
    return found;
}

bool edited(const struct reader *r, const char *path)
{
    for (size_t i = 0; i < r->n_edited; i++)
        if (!strcmp(r->edited[i], path))
            return true;
    return false;
}

void origin_of(const struct part *p, const char *path, char out[KEY_PATH_MAX])
{
    if (edited(p->r, path))
        say(p->r, out, KEY_PATH_MAX, N_("%s (changed by you)"), path);
    else
        snprintf(out, KEY_PATH_MAX, "%s", path);
}

void part_origin(const struct part *p, const char *field, const char *from)
{
    char name[sizeof(((struct origin *)0)->field)];
    origin_set(p->r->f, path_join(name, sizeof name, p->name, field), from);
}

const char *part_origin_of(const struct part *p, const char *field)
{
    char name[sizeof(((struct origin *)0)->field)];
    return facts_origin(p->r->f, path_join(name, sizeof name, p->name, field));
}

void part_fact(struct part *p, double *fact, const char *field, const struct number *n)
{
    *fact = n->x;
    if (!isnan(n->x))
        part_origin(p, field, n->from);
}

/* ---- numbers -------------------------------------------------------------------------------------------------- */

static const char *wanted_name(enum want want)
{
    static const char *const names[] = {
        [WANT_COUNT] = N_("a whole number from 1"),
        [WANT_WHOLE] = N_("a whole number"),
        [WANT_POSITIVE] = N_("a number above 0"),
        [WANT_FINITE] = N_("a number"),
        [WANT_FLAG] = N_("true or false"),
        [WANT_COUNTS] = N_("a whole number from 1"),
    };
    return names[want];
}

static bool in_range(double x, enum want want)
{
    switch (want) {
    case WANT_COUNT:
    case WANT_COUNTS:
        return x >= 1 && x <= WHOLE_MAX && x == floor(x);
    case WANT_WHOLE:
        return fabs(x) <= WHOLE_MAX && x == floor(x);
    case WANT_POSITIVE:
        return x > 0;
    case WANT_FLAG:
        return x == 0 || x == 1;
    case WANT_FINITE:
        break;
    }
    return true;
}

/* Reads the value into n, or says why it cannot be one. */
static void number_read(const struct part *p, const struct json *value, enum want want, struct number *n)
{
    struct reader *r = p->r;
    if (want == WANT_COUNTS && json_type(value) == JSON_ARRAY && json_size(value))
        value = json_first(value);
    enum json_type type = json_type(value);
    n->how = HOW_BAD;
    if (type == JSON_BOOL && want == WANT_FLAG) {
        n->x = json_bool(value, false);
    } else if (type != JSON_NUMBER) {
        char text[48] = "";
        if (json_string(value))
            utf8_sanitise(text, sizeof text, json_string(value));
        const char *got = lang_text(r->lang, json_type_name(value)), *wanted = lang_text(r->lang, wanted_name(want));
        const char *kind = want == WANT_FLAG ? wanted : lang_text(r->lang, N_("a number"));
        if (*text)
            finding_add(r, "wrong-type", n->path, N_("%s must be %s, got %s: \"%s\". Write it without quotation marks."), n->path, kind, got, text);
        else
            finding_add(r, "wrong-type", n->path, N_("%s must be %s, got %s."), n->path, kind, got);
        return;
    } else {
        n->x = json_number(value, NAN);
        if (want == WANT_FLAG && isfinite(n->x))
            n->x = n->x != 0;
    }
    if (!isfinite(n->x))
        finding_add(r, "not-finite", n->path, N_("%s is not a finite number: the value written is too large for one, so nothing can be computed with it."),
                    n->path);
    else if (!in_range(n->x, want))
        finding_add(r, "out-of-range", n->path, N_("%s is %g, but it must be %s."), n->path, n->x, lang_text(r->lang, wanted_name(want)));
    else
        n->how = HOW_STATED;
    if (n->how == HOW_BAD)
        n->x = NAN;
}

struct number number_at(const struct part *p, const struct json *value, const char *path, enum want want)
{
    struct number n = {.x = NAN, .how = HOW_ABSENT};
    if (!value)
        return n;
    snprintf(n.path, sizeof n.path, "%s", path);
    origin_of(p, path, n.from);
    if (json_type(value) == JSON_NULL)
        n.how = HOW_NULL;
    else
        number_read(p, value, want, &n);
    return n;
}

struct number key_number(const struct part *p, const char *keys, enum want want)
{
    char path[KEY_PATH_MAX] = "";
    const struct json *value = key_find(p, keys, path);
    return number_at(p, value, path, want);
}

struct number member_number(const struct part *p, const struct json *object, const char *path, const char *key, enum want want)
{
    char full[KEY_PATH_MAX];
    return number_at(p, json_get(object, key), path_join(full, sizeof full, path, key), want);
}

struct number key_number_or_default(const struct part *p, const char *keys, enum want want)
{
    struct number n = key_number(p, keys, want);
    const char *entry = family_default_entry(p->family, keys);      /* under the spelling of the family, not the first of all */
    if (n.how != HOW_ABSENT || !entry)
        return n;
    char name[32];
    n.x = family_default(p->family, keys);
    n.how = HOW_DEFAULT;
    snprintf(n.path, sizeof n.path, "%.*s", (int)strcspn(entry, "="), entry);
    say(p->r, n.from, sizeof n.from, N_("default of the family %s"), family_name(p->family, name, sizeof name));
    return n;
}

bool key_flag(const struct part *p, const char *keys, bool fallback)
{
    struct number n = key_number_or_default(p, keys, WANT_FLAG);
    return isnan(n.x) ? fallback : n.x != 0;
}

const char *key_text(const struct part *p, const char *keys, char *out, size_t size)
{
    char path[KEY_PATH_MAX];
    const struct json *value = key_find(p, keys, path);
    if (!value || json_type(value) == JSON_NULL)
        return NULL;
    if (!json_string(value)) {
        finding_add(p->r, "wrong-type", path, N_("%s must be %s, got %s."), path, lang_text(p->r->lang, N_("a string")),
                    lang_text(p->r->lang, json_type_name(value)));
        return NULL;
    }
    return utf8_sanitise(out, size, json_string(value));
}

struct number key_number_by_layer(struct part *p, const char *keys, enum want want, bool sliding)
{
    char path[KEY_PATH_MAX] = "", entry[KEY_PATH_MAX];
    const struct json *v = key_find(p, keys, path), *word = json_first(key_find(p, "layer_types", NULL));
    if (!p->family || !(p->family->rules & FAMILY_BY_LAYER) || json_type(v) != JSON_ARRAY)
        return key_number(p, keys, want);
    size_t i = 0;
    const struct json *x = json_first(v);
    for (; x && word && (json_string(word) && !strcmp(json_string(word), "sliding_attention")) != sliding; x = json_next(x), word = json_next(word))
        i++;
    if (!x)
        return (struct number){.x = NAN, .how = HOW_ABSENT};
    snprintf(entry, sizeof entry, "%.140s[%zu]", path, i);
    return number_at(p, x, entry, want);
}
