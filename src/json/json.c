#include "json/impl.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"

/* struct json is cJSON under another name, so that cJSON.h stays in this file. */
static const cJSON *in(const struct json *json)
{
    return (const cJSON *)(const void *)json;
}

static cJSON *mut(struct json *json)
{
    return (cJSON *)(void *)json;
}

static struct json *out(cJSON *json)
{
    if (!json) {            /* cJSON returns NULL only when memory is exhausted; end as xmalloc does */
        free(xmalloc(SIZE_MAX / 2));
    }
    return (struct json *)(void *)json;
}

/* ---- reading ------------------------------------------------------------------------------------- */

struct json *json_parse(const char *text, size_t size, struct err *err)
{
    return json_parse_place(text, size, NULL, err);
}

/* A NUL inside would end a string of C: "alibi\\u0000x" is not alibi. The text keeps its length. */
static void replace_nul(char *text, size_t size)
{
    for (char *at = text; (at = memchr(at, '\\', (size_t)(text + size - at))); at += 2)
        if (!strncmp(at, "\\u0000", 6))
            memcpy(at, "\\ufffd", 6);
}

struct json *json_parse_place(const char *text, size_t size, struct json_place *bad, struct err *err)
{
    struct json_check check = {0};
    struct json *json = NULL;
    if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
        text += 3;
        size -= 3;
    }
    char *copy = xmalloc(size + 1);
    memcpy(copy, text, size);
    copy[size] = '\0';
    if (json_check(&check, copy, size, bad, err) == JSON_WHOLE) {
        replace_nul(copy, size);
        json = out(cJSON_ParseWithLength(copy, size));     /* reads all that the check lets pass */
    }
    free(copy);
    return json;
}

static struct json *load_from(const char *path, bool named, size_t max_bytes, struct err *err)
{
    size_t size;
    char *text = named ? file_read_named(path, max_bytes, &size, err) : file_read(path, max_bytes, &size, err);
    if (!text)
        return NULL;
    struct json *json = json_parse(text, size, err);
    if (json && !json_unique(text, size, err)) {
        json_free(json);
        json = NULL;
    }
    if (!json)
        err_prefix(err, N_("%s"), path);
    free(text);
    return json;
}

struct json *json_load(const char *path, size_t max_bytes, struct err *err)
{
    return load_from(path, false, max_bytes, err);
}

struct json *json_load_named(const char *path, size_t max_bytes, struct err *err)
{
    return load_from(path, true, max_bytes, err);
}

void json_free(struct json *json)
{
    cJSON_Delete(mut(json));
}

enum json_type json_type(const struct json *json)
{
    const cJSON *c = in(json);
    return cJSON_IsObject(c)   ? JSON_OBJECT
           : cJSON_IsArray(c)  ? JSON_ARRAY
           : cJSON_IsString(c) ? JSON_STRING
           : cJSON_IsNumber(c) ? JSON_NUMBER
           : cJSON_IsBool(c)   ? JSON_BOOL
                               : JSON_NULL;
}

const char *json_type_name(const struct json *json)
{
    static const char *const names[] = {N_("null"), N_("true or false"), N_("a number"), N_("a string"), N_("a list"),
                                        N_("an object")};
    return names[json_type(json)];
}

const struct json *json_get(const struct json *object, const char *key)
{
    const struct json *found = NULL;
    if (json_type(object) != JSON_OBJECT)
        return NULL;
    for (const struct json *m = json_first(object); m; m = json_next(m))
        if (!strcmp(json_key(m), key))
            found = m;
    return found;
}

const struct json *json_at(const struct json *array, size_t index)
{
    const struct json *v = json_first(array);
    while (v && index--)
        v = json_next(v);
    return v;
}

size_t json_size(const struct json *array_or_object)
{
    size_t n = 0;
    for (const struct json *v = json_first(array_or_object); v; v = json_next(v))
        n++;
    return n;
}

const struct json *json_first(const struct json *array_or_object)
{
    enum json_type type = json_type(array_or_object);
    if (type != JSON_ARRAY && type != JSON_OBJECT)
        return NULL;
    return (const struct json *)(const void *)in(array_or_object)->child;
}

const struct json *json_next(const struct json *sibling)
{
    return (const struct json *)(const void *)in(sibling)->next;
}

const char *json_key(const struct json *member)
{
    return in(member)->string ? in(member)->string : "";
}

double json_number(const struct json *json, double fallback)
{
    return json_type(json) == JSON_NUMBER ? in(json)->valuedouble : fallback;
}

const char *json_string(const struct json *json)
{
    return json_type(json) == JSON_STRING ? in(json)->valuestring : NULL;
}

bool json_bool(const struct json *json, bool fallback)
{
    return json_type(json) == JSON_BOOL ? cJSON_IsTrue(in(json)) : fallback;
}

struct json *json_copy(const struct json *json)
{
    return out(cJSON_Duplicate(in(json), 1));
}

struct json *json_detach(struct json *object, const char *key)
{
    const struct json *member = json_get(object, key);
    return member ? out(cJSON_DetachItemViaPointer(mut(object), mut((struct json *)member))) : NULL;
}

/* ---- writing ------------------------------------------------------------------------------------- */

struct json *json_object(void)
{
    return out(cJSON_CreateObject());
}

struct json *json_array(void)
{
    return out(cJSON_CreateArray());
}

struct json *json_set(struct json *object, const char *key, struct json *value)
{
    cJSON_AddItemToObject(mut(object), key, mut(value));
    return value;
}

void json_set_number(struct json *object, const char *key, double value)
{
    json_set(object, key, json_new_number(value));
}

void json_set_string(struct json *object, const char *key, const char *value)
{
    json_set(object, key, json_new_string(value));
}

void json_set_bool(struct json *object, const char *key, bool value)
{
    json_set(object, key, json_new_bool(value));
}

void json_set_null(struct json *object, const char *key)
{
    json_set(object, key, json_new_null());
}

struct json *json_push(struct json *array, struct json *value)
{
    cJSON_AddItemToArray(mut(array), mut(value));
    return value;
}

void json_push_number(struct json *array, double value)
{
    json_push(array, json_new_number(value));
}

void json_push_string(struct json *array, const char *value)
{
    json_push(array, json_new_string(value));
}

struct json *json_new_number(double value)
{
    return isfinite(value) ? out(cJSON_CreateNumber(value)) : json_new_null();
}

/* Malformed bytes become U+FFFD, so that the output is always valid UTF-8; control characters stay, JSON
 * escapes them. */
static char *repaired(const char *text)
{
    char *copy = xmalloc(3 * strlen(text) + 1), *at = copy;
    while (*text) {
        char bytes[5];
        size_t n = utf8_encode(utf8_next(&text), bytes);
        memcpy(at, bytes, n);
        at += n;
    }
    *at = '\0';
    return copy;
}

struct json *json_new_string(const char *value)
{
    if (!value)
        return json_new_null();
    char *text = repaired(value);
    struct json *json = out(cJSON_CreateString(text));
    free(text);
    return json;
}

struct json *json_new_bool(bool value)
{
    return out(cJSON_CreateBool(value));
}

struct json *json_new_null(void)
{
    return out(cJSON_CreateNull());
}

char *json_print(const struct json *json, bool pretty)
{
    char *text = pretty ? cJSON_Print(in(json)) : cJSON_PrintUnformatted(in(json));
    if (!text)
        free(xmalloc(SIZE_MAX / 2));
    return text;
}
