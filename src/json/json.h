/* json.h - JSON in and out: the only interface to cJSON (json.c is the only file that includes it).
 *
 * Reading: json_parse or json_load, then json_get / json_at / iteration, then json_free on the root.
 * Input is untrusted: it must be JSON to the letter, in UTF-8, at most JSON_MAX_DEPTH levels deep, a byte order mark is skipped, NaN, Infinity
 * and anything after the value are errors, errors name the line and column. A NUL in a text (\u0000) is read as U+FFFD, so that no text
 * is taken for a shorter one.
 * Writing: json_object / json_array, json_set_* and json_push_*, then json_print, then json_free.
 * A node belongs to the root it hangs in. */
#ifndef POSVIZ_JSON_JSON_H
#define POSVIZ_JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

struct json;
enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };
enum { JSON_MAX_DEPTH = 200 };

struct json *json_parse(const char *text, size_t size, struct err *err);
/* The same, and *bad is where the text stopped being JSON (may be NULL). */
struct json_place { int line, column; };
struct json *json_parse_place(const char *text, size_t size, struct json_place *bad, struct err *err);
/* Is a text JSON to the letter? It may be given in pieces that end where lines end, to one check that was zeroed before, and is followed by a
 * NUL or other bytes that may be looked at. Unless it is whole, *bad (may be NULL) is where it stopped being JSON, and err says why; after
 * JSON_BROKEN the check is of no more use. */
struct json_check {
    unsigned char want;
    int depth;
    bool object[JSON_MAX_DEPTH];
    int lines;                  /* that ended before the text given next: message and place count from the first of all */
};
enum json_state { JSON_WHOLE, JSON_OPEN, JSON_BROKEN };         /* open: right so far, and more is needed */
enum json_state json_check(struct json_check *c, const char *text, size_t size, struct json_place *bad, struct err *err);
/* Reads a whole regular file of at most max_bytes, where no key may stand twice in an object. */
struct json *json_load(const char *path, size_t max_bytes, struct err *err);
/* The same for a path that the user has named: "-" is standard input, and it may be a pipe (base/file.h). */
struct json *json_load_named(const char *path, size_t max_bytes, struct err *err);
/* Calls fn for every entry of the array that text holds, which is JSON to the letter: the text of each. fn returns false to stop. */
typedef bool (*json_entry_fn)(const char *value, size_t size, void *context);
void json_entries(const char *text, size_t size, json_entry_fn fn, void *context);
/* Calls fn for every member of the object that text holds, without a tree of the whole: the key, and the text of its value, which is bounded
 * but not checked. Memory for the longest key alone. fn returns false to stop. False, and a message where it was not fn that stopped, if the
 * text is no object. */
typedef bool (*json_member_fn)(const char *key, const char *value, size_t size, void *context);
bool json_members(const char *text, size_t size, json_member_fn fn, void *context, struct err *err);
void json_free(struct json *json);

enum json_type json_type(const struct json *json);            /* NULL gives JSON_NULL */
const char *json_type_name(const struct json *json);          /* "a number", "a string", ... for messages (N_) */
const struct json *json_get(const struct json *object, const char *key);  /* NULL if absent; last of duplicates; case matters */
const struct json *json_at(const struct json *array, size_t index);       /* O(index): iterate with json_next instead */
size_t json_size(const struct json *array_or_object);
const struct json *json_first(const struct json *array_or_object);
const struct json *json_next(const struct json *sibling);
const char *json_key(const struct json *member);              /* key of an object's member */
double json_number(const struct json *json, double fallback); /* may be infinite (1e999): check isfinite */
const char *json_string(const struct json *json);             /* NULL if it is no string */
bool json_bool(const struct json *json, bool fallback);
struct json *json_copy(const struct json *json);
struct json *json_detach(struct json *object, const char *key);           /* now the caller's; NULL if absent */

/* Where a value stands in the text it was parsed from: path like "rope_scaling.factor" or
 * "layers[3].base"; of duplicate keys the last. Lines and columns count from 1, columns in characters.
 * False if the path is not there. */
bool json_locate(const char *text, size_t size, const char *path, struct json_place *out);
/* The text of the value of a key of the object that text holds, though that may be broken or cut off elsewhere; NULL if it is not there, is no
 * JSON itself, or its key stands there twice. */
const char *json_salvage(const char *text, size_t size, const char *key, size_t *value_size);
/* Calls fn(path, context) for every key that stands twice in one object. */
void json_duplicates(const char *text, size_t size, void (*fn)(const char *path, void *context), void *context);
/* No key does, or a message that names one. */
bool json_unique(const char *text, size_t size, struct err *err);

struct json *json_object(void);
struct json *json_array(void);
/* The value is added to the object or array, which owns it from then on. Numbers that are not finite are
 * written as null. Text that is no valid UTF-8 is repaired. */
struct json *json_set(struct json *object, const char *key, struct json *value);      /* returns value */
void json_set_number(struct json *object, const char *key, double value);
void json_set_string(struct json *object, const char *key, const char *value);        /* NULL: null */
void json_set_bool(struct json *object, const char *key, bool value);
void json_set_null(struct json *object, const char *key);
struct json *json_push(struct json *array, struct json *value);
void json_push_number(struct json *array, double value);
void json_push_string(struct json *array, const char *value);
struct json *json_new_number(double value);
struct json *json_new_string(const char *value);
struct json *json_new_bool(bool value);
struct json *json_new_null(void);

/* The text of a value: numbers with as many of 17 digits as they need to read back equal, integers without
 * a point. The caller frees it. pretty: indented by two spaces. */
char *json_print(const struct json *json, bool pretty);

#endif
