/* locate.c - JSON texts without a tree: where a key path stands (cJSON keeps no positions, so this scanner walks the text a second time), and
 * the members of an object that is too large for one. Any bytes are survived. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "json/json.h"

enum { PATH_MAX_BYTES = 1024, KEY_MAX_BYTES = 256 };

/* A key of an object that is being scanned, as it stands in the text between its quotes. */
struct span { const char *at; size_t n; };

struct scan {
    const char *text, *end, *at;
    char path[PATH_MAX_BYTES];          /* of the value about to be read */
    size_t path_length;
    const char *wanted;                 /* NULL: none */
    const char *found;
    void (*duplicate)(const char *path, void *context);
    void *context;
    struct span *key; size_t n_keys, keys_capacity;     /* of the objects around, outermost first; for duplicates alone */
    int depth;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool ends_value(char c)
{
    return c == ',' || c == ']' || c == '}';
}

static void skip_space(struct scan *s)
{
    while (s->at < s->end && is_space(*s->at))
        s->at++;
}

/* Reads a quoted string at s->at into out (cut); \u escapes are kept as they stand, which serves for keys. */
static bool string(struct scan *s, char *out, size_t size)
{
    size_t n = 0;
    if (s->at >= s->end || *s->at != '"')
        return false;
    for (s->at++; s->at < s->end && *s->at != '"'; s->at++) {
        if (*s->at == '\\' && s->at + 1 < s->end && s->at[1] != 'u')
            s->at++;
        if (n + 1 < size)
            out[n++] = *s->at;
    }
    if (size)
        out[n] = '\0';
    if (s->at >= s->end)
        return false;
    s->at++;
    return true;
}

static bool value(struct scan *s);

/* Goes one step down: appends ".key" or "[index]" to the path, cut where it is too long; returns the length to go back to. */
static size_t step_into(struct scan *s, const char *key, size_t index)
{
    char number[32];
    size_t length = s->path_length;
    if (!key)
        snprintf(number, sizeof number, "[%zu]", index);
    else if (length && length + 1 < PATH_MAX_BYTES)
        s->path[s->path_length++] = '.';
    const char *step = key ? key : number;
    size_t n = strlen(step), room = PATH_MAX_BYTES - 1 - s->path_length;
    n = n < room ? n : room;
    memcpy(s->path + s->path_length, step, n);
    s->path_length += n;
    s->path[s->path_length] = '\0';
    return length;
}

static void step_back(struct scan *s, size_t length)
{
    s->path_length = length;
    s->path[length] = '\0';
}

static void note_key(struct scan *s, const char *from, const char *to)
{
    if (s->n_keys == s->keys_capacity) {
        s->keys_capacity = s->keys_capacity ? 2 * s->keys_capacity : 64;
        s->key = xreallocarray(s->key, s->keys_capacity, sizeof *s->key);
    }
    s->key[s->n_keys++] = (struct span){from, (size_t)(to - from)};
}

static int by_name(const void *va, const void *vb)
{
    const struct span *a = va, *b = vb;
    size_t n = a->n < b->n ? a->n : b->n;
    int order = memcmp(a->at, b->at, n);
    return order ? order : (a->n > b->n) - (a->n < b->n);
}

/* Reports the keys noted since first that stand twice, and forgets them. Sorted, since an object may have any number of keys and a
 * hash can be made to collide. */
static void report_duplicates(struct scan *s, size_t first)
{
    size_t n = s->n_keys - first;
    struct span *key = s->key + first;
    if (n > 1)
        qsort(key, n, sizeof *key, by_name);
    for (size_t i = 1; i < n; i++) {
        bool again = !by_name(&key[i - 1], &key[i]), reported = again && i > 1 && !by_name(&key[i - 2], &key[i]);
        if (!again || reported)
            continue;
        char name[KEY_MAX_BYTES];
        struct scan inner = {.at = key[i].at - 1, .end = s->end};
        string(&inner, name, sizeof name);
        size_t length = step_into(s, name, 0);
        s->duplicate(s->path, s->context);
        step_back(s, length);
    }
    s->n_keys = first;
}

/* One "key": value; at is moved behind it. */
static bool member(struct scan *s)
{
    char key[KEY_MAX_BYTES];
    const char *from = s->at;
    if (!string(s, key, sizeof key))
        return false;
    if (s->duplicate)
        note_key(s, from + 1, s->at - 1);
    size_t length = step_into(s, key, 0);
    skip_space(s);
    if (s->at >= s->end || *s->at++ != ':' || !value(s))
        return false;
    step_back(s, length);
    return true;
}

static bool object(struct scan *s)
{
    size_t first = s->n_keys;
    s->at++;
    skip_space(s);
    while (s->at < s->end && *s->at != '}') {
        if (!member(s))
            return false;
        skip_space(s);
        if (s->at < s->end && *s->at == ',')
            s->at++;
        else if (s->at >= s->end || *s->at != '}')
            return false;
        skip_space(s);
    }
    if (s->duplicate)
        report_duplicates(s, first);
    return s->at++ < s->end;
}

static bool pass_over(struct scan *s);

/* Does the wanted path lead into entry i of the array at s->path? */
static bool wants_entry(const struct scan *s, size_t i)
{
    const char *step = s->wanted + s->path_length;
    return *step == '[' && strtoull(step + 1, NULL, 10) == i;
}

static bool array(struct scan *s)
{
    s->at++;
    for (size_t i = 0;; i++) {
        skip_space(s);
        if (s->at < s->end && *s->at == ']') {
            s->at++;
            return true;
        }
        bool named = s->wanted ? wants_entry(s, i) : s->at < s->end && (*s->at == '{' || *s->at == '[');    /* plain entries have no keys */
        size_t length = named ? step_into(s, NULL, i) : s->path_length;
        if (!(s->wanted && !named ? pass_over : value)(s))
            return false;
        step_back(s, length);
        skip_space(s);
        if (s->at < s->end && *s->at == ',')
            s->at++;
        else if (s->at >= s->end || *s->at != ']')
            return false;
    }
}

/* Is the value at s->path the wanted one, or around it? */
static bool leads_to_wanted(const struct scan *s)
{
    size_t n = s->path_length;
    return !n || (!strncmp(s->path, s->wanted, n) && strchr(".[", s->wanted[n]));       /* strchr finds the NUL too */
}

/* Moves past a value without looking at its paths. */
static bool pass_over(struct scan *s)
{
    char ignored[4];
    int depth = 0;
    while (s->at < s->end) {
        if (*s->at == '"') {
            if (!string(s, ignored, sizeof ignored))
                return false;
        } else if (*s->at == '{' || *s->at == '[') {
            depth++;
            s->at++;
        } else if (depth && (*s->at == '}' || *s->at == ']')) {
            depth--;
            s->at++;
        } else if (!depth && ends_value(*s->at)) {
            return true;
        } else {
            s->at++;
            continue;
        }
        if (!depth)
            return true;
    }
    return !depth;
}

static bool value(struct scan *s)
{
    char ignored[4];
    skip_space(s);
    if (s->at >= s->end || s->depth > JSON_MAX_DEPTH)
        return false;
    if (s->wanted && !leads_to_wanted(s))
        return pass_over(s);
    if (s->wanted && !strcmp(s->path, s->wanted)) {
        s->found = s->at;
        return pass_over(s);
    }
    bool good;
    s->depth++;
    if (*s->at == '{')
        good = object(s);
    else if (*s->at == '[')
        good = array(s);
    else if (*s->at == '"')
        good = string(s, ignored, sizeof ignored);
    else {
        const char *from = s->at;
        while (s->at < s->end && !ends_value(*s->at) && !is_space(*s->at))
            s->at++;
        good = s->at > from;
    }
    s->depth--;
    return good;
}

static struct scan scan_new(const char *text, size_t size)
{
    size_t mark = size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
    return (struct scan){.text = text, .end = text + size, .at = text + mark};
}

static struct json_place place_of(const char *text, const char *at)
{
    struct json_place place = {1, 1};
    for (const char *p = text; p < at; p++) {
        if (*p == '\n') {
            place.line++;
            place.column = 1;
        } else if ((*p & 0xc0) != 0x80) {
            place.column++;
        }
    }
    return place;
}

bool json_locate(const char *text, size_t size, const char *path, struct json_place *place)
{
    struct scan s = scan_new(text, size);
    s.wanted = path;
    value(&s);
    if (!s.found)
        return false;
    *place = place_of(text, s.found);
    return true;
}

void json_duplicates(const char *text, size_t size, void (*fn)(const char *path, void *context), void *context)
{
    struct scan s = scan_new(text, size);
    s.duplicate = fn;
    s.context = context;
    value(&s);
    free(s.key);
}

/* ---- members -------------------------------------------------------------------------------------- */

/* The quoted string at s->at, its escapes taken away; the caller frees it. NULL if there is none. */
static char *key_of(struct scan *s)
{
    const char *from = s->at;
    if (!string(s, NULL, 0))
        return NULL;
    size_t n = (size_t)(s->at - from);
    if (!memchr(from, '\\', n))
        return memcpy(xcalloc(n - 1, 1), from + 1, n - 2);
    struct json *key = json_parse(from, n, NULL);
    char *text = json_string(key) ? xstrdup(json_string(key)) : NULL;
    json_free(key);
    return text;
}

enum step { STEP_ON, STEP_LAST, STEP_STOPPED, STEP_BAD };

/* One member and what follows it: a comma, or the end. */
static enum step give_member(struct scan *s, json_member_fn fn, void *context)
{
    skip_space(s);
    char *key = key_of(s);
    skip_space(s);
    bool good = key && s->at < s->end && *s->at++ == ':';
    skip_space(s);
    const char *from = s->at;
    enum step step = good && s->at < s->end && pass_over(s) && s->at > from ? STEP_ON : STEP_BAD;
    if (step == STEP_ON && !fn(key, from, (size_t)(s->at - from), context))
        step = STEP_STOPPED;
    free(key);
    skip_space(s);
    if (step == STEP_ON && (s->at >= s->end || !strchr(",}", *s->at) || !*s->at))
        step = STEP_BAD;
    return step == STEP_ON && *s->at++ == '}' ? STEP_LAST : step;
}

bool json_members(const char *text, size_t size, json_member_fn fn, void *context, struct err *err)
{
    struct scan s = scan_new(text, size);
    char near[24], line[24];
    enum step step = STEP_BAD;
    skip_space(&s);
    if (s.at < s.end && *s.at == '{') {
        s.at++;
        skip_space(&s);
        step = s.at < s.end && *s.at == '}' ? s.at++, STEP_LAST : STEP_ON;
    }
    while (step == STEP_ON)
        step = give_member(&s, fn, context);
    skip_space(&s);
    if (step == STEP_LAST && s.at != s.end)
        step = STEP_BAD;
    if (step != STEP_BAD)
        return step == STEP_LAST;
    struct json_place place = place_of(text, s.at);
    snprintf(line, sizeof line, "%.*s", (int)(s.end - s.at < 23 ? s.end - s.at : 23), s.at);
    return err_set(err, N_("not valid JSON, line %d, column %d, at '%s'"), place.line, place.column, utf8_sanitise(near, sizeof near, line));
}
