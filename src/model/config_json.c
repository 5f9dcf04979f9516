/* config_json.c - the text of a config.json: other kinds of files in its place, JSON, keys that stand twice, control characters,
 * what-if edits. What the keys mean is config_model.c's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "model/reader.h"

/* Files that are met in place of a config.json. */
static const struct alien { const char *magic; size_t n; const char *code, *what; } aliens[] = {
    {"version https://git-lfs", 23, "lfs-pointer", N_("this is a Git LFS pointer, not the file itself: run `git lfs pull`, or download the file from its page.")},
    {"PK\3\4", 4, "wrong-format", N_("this is a zip archive (PK), probably a PyTorch .bin or .pt file, not a configuration.")},
    {"\x80\x02", 2, "wrong-format", N_("this is a Python pickle, probably a PyTorch file, not a configuration. It is not opened, since pickles can run code.")},
    {"\x80\x04", 2, "wrong-format", N_("this is a Python pickle, not a configuration. It is not opened, since pickles can run code.")},
    {"\x1f\x8b", 2, "wrong-format", N_("this is a gzip archive: unpack it first.")},
    {"\x89HDF", 4, "wrong-format", N_("this is an HDF5 file (Keras weights), not a configuration.")},
    {"\xff\xfe", 2, "wrong-format", N_("this text is UTF-16, JSON must be UTF-8: save it again as UTF-8.")},
    {"\xfe\xff", 2, "wrong-format", N_("this text is UTF-16, JSON must be UTF-8: save it again as UTF-8.")},
    {"<!DOCTYPE", 9, "wrong-format", N_("this is a web page (HTML), not the file: the download gave an error or login page.")},
    {"<!doctype", 9, "wrong-format", N_("this is a web page (HTML), not the file: the download gave an error or login page.")},
    {"<html", 5, "wrong-format", N_("this is a web page (HTML), not the file: the download gave an error or login page.")},
    {"GGUF", 4, "wrong-format", N_("this is a GGUF file: it is read where it lies, not through a pipe.")},
    {"<?xml", 5, "wrong-format", N_("this is XML, not JSON.")},
};

bool recognise_alien(struct reader *r, const char *text, size_t n)
{
    size_t blank = 0;
    while (blank < n && strchr(" \t\r\n", text[blank]) && text[blank])
        blank++;
    if (blank == n) {
        finding_add(r, "empty-file", "", N_("the file is empty: a download that was interrupted leaves such a file."));
        return true;
    }
    for (size_t i = 0; i < sizeof aliens / sizeof *aliens; i++) {
        const struct alien *a = &aliens[i];
        if ((n >= a->n && !memcmp(text, a->magic, a->n)) || (n - blank >= a->n && !memcmp(text + blank, a->magic, a->n))) {
            finding_add_at(r, a->code, "", (struct json_place){1, 1}, "%s", lang_text(r->lang, a->what));
            return true;
        }
    }
    return false;
}

/* The values of one key in the order of the file, "10000, 500000". */
static const char *values_of(const struct json *root, const char *path, char *out, size_t size)
{
    const char *last = strrchr(path, '.');
    char parent[KEY_PATH_MAX] = "";
    snprintf(parent, sizeof parent, "%.*s", last ? (int)(last - path) : 0, path);
    const struct part whole = {.object = root};
    const struct json *object = last ? key_find(&whole, parent, NULL) : root;
    enum { SHOWN = 6 };
    size_t n = 0;
    *out = '\0';
    for (const struct json *m = json_first(object); m && n < SHOWN; m = json_next(m)) {
        size_t at = strlen(out);
        if (strcmp(json_key(m), last ? last + 1 : path))
            continue;
        n++;
        char *text = json_print(m, false);
        snprintf(out + at, size - at, "%s%.40s", at ? ", " : "", text);
        free(text);
    }
    return out;
}

struct duplicates { struct reader *r; size_t n; char last[KEY_PATH_MAX]; };

static void duplicate(const char *path, void *context)
{
    enum { SHOWN = 20 };
    struct duplicates *d = context;
    char values[200];
    if (!strcmp(d->last, path) || d->n++ >= SHOWN)
        return;
    snprintf(d->last, sizeof d->last, "%s", path);
    finding_add(d->r, "duplicate-key", path, N_("%s appears twice (%s): the last value is used, as by most JSON readers, while some take the first. Keep one."), path,
                    values_of(d->r->root, path, values, sizeof values));
}

static bool has_controls(const char *text)
{
    for (uint32_t c; (c = utf8_next(&text));)
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || (c >= 0x7f && c <= 0x9f) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069))
            return true;
    return false;
}

/* How many keys and texts hold control characters. */
static size_t count_controls(const struct json *v)
{
    size_t n = json_string(v) && has_controls(json_string(v));
    for (const struct json *m = json_first(v); m; m = json_next(m))
        n += has_controls(json_key(m)) + count_controls(m);
    return n;
}

/* The path of the first text of an object (or of one inside) that holds some; false if there is none. */
static bool find_control(const struct json *v, const char *path, char out[KEY_PATH_MAX])
{
    if (json_string(v) && has_controls(json_string(v))) {
        snprintf(out, KEY_PATH_MAX, "%s", path);
        return true;
    }
    for (const struct json *m = json_first(v); m; m = json_next(m)) {
        char inner[KEY_PATH_MAX];
        path_join(inner, sizeof inner, path, json_key(m));
        if (find_control(m, json_type(v) == JSON_OBJECT ? inner : path, out))
            return true;
    }
    return false;
}

static void check_text(struct reader *r)
{
    char first[KEY_PATH_MAX] = "";
    size_t n = count_controls(r->root);
    if (n) {
        find_control(r->root, "", first);
        finding_add(r, "control-characters", first, N_("%zu names or texts hold control characters, which could change a terminal; they are shown as '?'."), n);
    }
    struct duplicates d = {.r = r};
    json_duplicates(r->text, r->size, duplicate, &d);
}

bool read_edits(struct reader *r)
{
    struct err err = {.lang = r->lang};
    if (!r->n_edits)
        return true;
    if (!edits_apply(r, &err)) {
        finding_add(r, "edit-refused", "", "%s", err.text);
        return false;
    }
    finding_add(r, "changed-by-you", "", N_("Values changed by you before reading: %zu. The file itself is as it was."), r->n_edits);
    return true;
}

enum { KEYS_MAX = 32768 };

/* Does an object hold more keys than any configuration (label maps are the longest)? Keys are looked up by walking them. */
static bool too_many_keys(const struct json *v)
{
    size_t n = 0;
    for (const struct json *m = json_first(v); m; m = json_next(m), n++)
        if (too_many_keys(m))
            return true;
    return json_type(v) == JSON_OBJECT && n > KEYS_MAX;
}

static bool parse(struct reader *r)
{
    struct err err = {.lang = r->lang};
    struct json_place bad = {0, 0};
    if (recognise_alien(r, r->text, r->size))
        return false;
    r->root = json_parse_place(r->text, r->size, &bad, &err);
    if (!r->root) {
        finding_add_at(r, "not-json", "", bad, "%s", err.text);
        return false;
    }
    if (json_type(r->root) != JSON_OBJECT) {
        finding_add(r, "not-an-object", "", N_("the file holds %s; a configuration is an object with keys like model_type."),
                    lang_text(r->lang, json_type_name(r->root)));
        return false;
    }
    if (too_many_keys(r->root)) {
        finding_add(r, "too-many-keys", "", N_("an object in this file has more than %d keys, which no configuration has: it is not read."), KEYS_MAX);
        return false;
    }
    return true;
}

static bool sniff(const char *path, const unsigned char *head, size_t n)
{
    (void)path;
    (void)head;
    (void)n;
    return true;
}

static bool read_config(struct reader *r)
{
    struct err err = {.lang = r->lang};
    char *own = NULL;
    if (!r->text) {
        own = file_read_named(r->path, CONFIG_MAX_BYTES, &r->size, &err);
        if (!own) {
            finding_add(r, "cannot-open", "", "%s", err.text);
            return false;
        }
        r->text = own;
    }
    bool good = parse(r) && read_edits(r);
    if (good) {
        check_text(r);
        read_model(r);
    }
    if (own && file_is_stream(r->path))
        r->f->config = own;             /* it cannot be read again */
    else
        free(own);
    r->text = NULL;
    return good;
}

const struct format format_config = {
    .name = "config",
    .format = FORMAT_CONFIG,
    .sniff = sniff,
    .read = read_config,
};
