/* locate.c - where a key path stands in a JSON text. cJSON keeps no positions, so this scanner walks the text a
 * second time. It is only used on texts that have been parsed, but survives any bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "json/json.h"

enum { PATH_MAX_BYTES = 1024, KEY_MAX_BYTES = 256, KEYS_MAX = 4096 };

struct scan {
    const char *text, *end, *at;
    char path[PATH_MAX_BYTES];          /* of the value about to be read */
    const char *wanted;                 /* NULL: none */
    const char *found;
    void (*duplicate)(const char *path, void *context);
    void *context;
    int depth;
};

static void skip_space(struct scan *s)
{
    while (s->at < s->end && strchr(" \t\r\n", *s->at) && *s->at)
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

/* Goes one step down: appends ".key" or "[index]" to the path; returns the length to cut back to. */
static size_t step_into(struct scan *s, const char *key, size_t index)
{
    size_t length = strlen(s->path);
    if (key)
        snprintf(s->path + length, sizeof s->path - length, "%s%s", length ? "." : "", key);
    else
        snprintf(s->path + length, sizeof s->path - length, "[%zu]", index);
    return length;
}

struct keys_seen {
    char (*key)[KEY_MAX_BYTES];
    size_t n, capacity;
};

static bool seen_before(struct keys_seen *seen, const char *key)
{
    if (seen->n == KEYS_MAX)            /* an object of so many keys is searched no further: it would take the square of them */
        return false;
    for (size_t i = 0; i < seen->n; i++)
        if (!strcmp(seen->key[i], key))
            return true;
    if (seen->n == seen->capacity) {
        seen->capacity = seen->capacity ? 2 * seen->capacity : 16;
        seen->key = xreallocarray(seen->key, seen->capacity, sizeof *seen->key);
    }
    snprintf(seen->key[seen->n++], KEY_MAX_BYTES, "%s", key);
    return false;
}

static bool object(struct scan *s)
{
    struct keys_seen seen = {0};
    bool good = false;
    for (s->at++;; s->at++) {
        char key[KEY_MAX_BYTES];
        skip_space(s);
        if (s->at < s->end && *s->at == '}') {
            s->at++;
            good = true;
            break;
        }
        if (!string(s, key, sizeof key))
            break;
        size_t length = step_into(s, key, 0);
        if (s->duplicate && seen_before(&seen, key))
            s->duplicate(s->path, s->context);
        skip_space(s);
        if (s->at >= s->end || *s->at++ != ':' || !value(s))
            break;
        s->path[length] = '\0';
        skip_space(s);
        if (s->at < s->end && *s->at == '}') {
            s->at++;
            good = true;
            break;
        }
        if (s->at >= s->end || *s->at != ',')
            break;
    }
    free(seen.key);
    return good;
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
        bool named = s->wanted || (s->at < s->end && strchr("{[", *s->at));         /* plain entries need no path to look for keys in */
        size_t length = named ? step_into(s, NULL, i) : strlen(s->path);
        if (!value(s))
            return false;
        s->path[length] = '\0';
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
    size_t n = strlen(s->path);
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
        } else if (!depth && strchr(",]}", *s->at)) {
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
        while (s->at < s->end && !strchr(",]} \t\r\n", *s->at))
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
    place->line = place->column = 1;
    for (const char *p = text; p < s.found; p++) {
        if (*p == '\n') {
            place->line++;
            place->column = 1;
        } else if ((*p & 0xc0) != 0x80) {
            place->column++;
        }
    }
    return true;
}

void json_duplicates(const char *text, size_t size, void (*fn)(const char *path, void *context), void *context)
{
    struct scan s = scan_new(text, size);
    s.duplicate = fn;
    s.context = context;
    value(&s);
}
