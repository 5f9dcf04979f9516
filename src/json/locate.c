/* locate.c - JSON texts without a tree: where a key path stands (cJSON keeps no positions, so this scanner walks the text a second time), and
 * the members of an object that is too large for one. Any bytes are survived. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "json/impl.h"

enum { PATH_MAX_BYTES = 1024, KEY_MAX_BYTES = 256 };

/* A key of an object that is being scanned, as it stands in the text between its quotes. */
struct span { const char *at; size_t n; };

struct scan {
    const char *text, *end, *at;
    char path[PATH_MAX_BYTES];          /* of the value about to be read */
    size_t path_length;
    const char *wanted;                 /* NULL: none */
    const char *found, *found_end; size_t n_found;      /* the last one */
    void (*duplicate)(const char *path, void *context);
    void *context;
    struct span *key; size_t n_keys, keys_capacity;     /* of the objects around, outermost first; for duplicates alone */
    int depth;
};

static bool ends_value(char c)
{
    return c == ',' || c == ']' || c == '}';
}

static void skip_space(struct scan *s)
{
    while (s->at < s->end && json_blank(*s->at))
        s->at++;
}

/* The next character of a string, an escape decoded; what is none stands for itself, or is U+FFFD. */
static uint32_t next_character(const char **at, const char *end)
{
    char bytes[5] = "";
    const char *from = bytes;
    uint32_t c;
    if (**at != '\\' || !json_escape(at, end, &c)) {
        memcpy(bytes, *at, end - *at < 4 ? (size_t)(end - *at) : 4);
        c = utf8_next(&from);
        *at += from > bytes ? from - bytes : 1;
    }
    return c ? c : JSON_NO_CHARACTER;
}

/* Reads a quoted string at s->at into out (cut). */
static bool string(struct scan *s, char *out, size_t size)
{
    size_t at = 0;
    char bytes[5];
    if (s->at >= s->end || *s->at != '"')
        return false;
    for (s->at++; s->at < s->end && *s->at != '"';) {
        size_t n = utf8_encode(next_character(&s->at, s->end), bytes);
        if (at + n < size) {
            memcpy(out + at, bytes, n);
            at += n;
        }
    }
    if (size)
        out[at] = '\0';
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

/* By what they mean: "a" and "\\u0061" are the same. */
static int by_name(const void *va, const void *vb)
{
    const struct span *a = va, *b = vb;
    const char *x = a->at, *y = b->at, *x_end = x + a->n, *y_end = y + b->n;
    while (x < x_end && y < y_end) {
        uint32_t p = next_character(&x, x_end), q = next_character(&y, y_end);
        if (p != q)
            return p < q ? -1 : 1;
    }
    return (x < x_end) - (y < y_end);
}

/* Reports the keys noted since first that stand twice, and forgets them. Sorted, since an object may have any number of keys and a
 * hash can be made to collide. */
static void report_duplicates(struct scan *s, size_t first)
{
    size_t n = s->n_keys - first;
    struct span *key = n ? s->key + first : NULL;
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
        s->n_found++;
        bool good = pass_over(s);
        s->found_end = s->at;
        return good;
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
        while (s->at < s->end && !ends_value(*s->at) && !json_blank(*s->at))
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

bool json_locate(const char *text, size_t size, const char *path, struct json_place *place)
{
    struct scan s = scan_new(text, size);
    s.wanted = path;
    value(&s);
    if (!s.found)
        return false;
    *place = json_place_of(text, s.found);
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

/* ---- requests ------------------------------------------------------------------------------------- */

static bool is_whole(const char *text, size_t size)
{
    struct json_check check = {0};
    return json_check(&check, text, size, NULL, NULL) == JSON_WHOLE;
}

const char *json_salvage(const char *text, size_t size, const char *key, size_t *value_size)
{
    struct scan s = scan_new(text, size);
    s.wanted = key;
    skip_space(&s);
    if (s.at >= s.end || *s.at != '{')
        return NULL;
    value(&s);
    if (s.n_found != 1)
        return NULL;
    *value_size = (size_t)(s.found_end - s.found);
    s.at = s.found_end;
    skip_space(&s);
    bool cut = s.at >= s.end || !ends_value(*s.at);
    return !cut && is_whole(s.found, *value_size) ? s.found : NULL;
}

struct first { bool any; char path[PATH_MAX_BYTES]; };

static void keep_first(const char *path, void *context)
{
    struct first *first = context;
    if (!first->any)
        snprintf(first->path, sizeof first->path, "%s", path);
    first->any = true;
}

bool json_unique(const char *text, size_t size, struct err *err)
{
    struct first first = {.any = false};
    json_duplicates(text, size, keep_first, &first);
    return !first.any || err_set(err, N_("\"%s\" stands there twice; write it once"), first.path);
}

void json_entries(const char *text, size_t size, json_entry_fn fn, void *context)
{
    struct scan s = scan_new(text, size);
    skip_space(&s);
    if (s.at >= s.end || *s.at++ != '[')
        return;
    for (skip_space(&s); s.at < s.end && *s.at != ']'; skip_space(&s)) {
        const char *from = s.at;
        if (!pass_over(&s) || !fn(from, (size_t)(s.at - from), context))
            return;
        skip_space(&s);
        s.at += s.at < s.end && *s.at == ',';
    }
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
    if (!is_whole(from, n))
        return NULL;
    char *text = xmalloc(n);
    struct scan again = {.at = from, .end = s->at};
    string(&again, text, n);
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
    struct json_place place = json_place_of(text, s.at);
    snprintf(line, sizeof line, "%.*s", (int)(s.end - s.at < 23 ? s.end - s.at : 23), s.at);
    return err_set(err, N_("not valid JSON, line %d, column %d, at '%s'"), place.line, place.column, utf8_sanitise(near, sizeof near, line));
}
