/* store_ollama.c - Ollama: manifests/HOST/NAMESPACE/MODEL/TAG is JSON that names layers by digest, blobs/sha256-HEX holds them. A GGUF model
 * is the layer of type model; models of safetensors have their config.json as a layer. Manifests are untrusted: a digest is checked before it
 * becomes a path. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "model/store_impl.h"

enum { MANIFEST_MAX_BYTES = 4 << 20, DIGEST = 64, PARTS = 4 };
static const char media[] = "application/vnd.ollama.image.";

/* Blanks and quotes around the variable's value are taken away, as Ollama does. */
static char *variable_root(void)
{
    const char *text = getenv("OLLAMA_MODELS");
    size_t from = text ? strspn(text, " \t\"'") : 0, n = text ? strlen(text) : 0;
    while (n > from && strchr(" \t\"'", text[n - 1]))
        n--;
    return n > from ? xasprintf("%.*s", (int)(n - from), text + from) : NULL;
}

/* The service gets its variable from systemd, so a user's shell may not know it. */
static void ollama_roots(struct roots *r)
{
    roots_add(r, variable_root());
    roots_add(r, home_path(".ollama/models"));
    roots_add(r, xstrdup("/usr/share/ollama/.ollama/models"));
}

/* ---- names --------------------------------------------------------------------------------------------------------------- */

/* [host/][namespace/]model[:tag] with the defaults of Ollama; false if it is no such name. */
static bool parts_of(const struct wanted *w, char part[PARTS][200])
{
    static const char *const defaults[PARTS] = {"registry.ollama.ai", "library", "", "latest"};
    const char *piece[3];
    size_t n = 0, length[3];
    for (const char *at = w->id; n < 3 && *at; at += *at == '/') {
        length[n] = strcspn(at, "/");
        piece[n++] = at;
        at += length[n - 1];
    }
    if (!n || *w->revision || !(is_plain_id(w->id, (int)n - 1)) || strchr(w->pick, '/') || *w->pick == '.')
        return false;
    for (size_t i = 0; i < PARTS; i++)
        snprintf(part[i], sizeof part[i], "%s", defaults[i]);
    for (size_t i = 0; i < n; i++)
        snprintf(part[3 - n + i], sizeof part[0], "%.*s", (int)(length[i] < 199 ? length[i] : 199), piece[i]);
    if (*w->pick)
        snprintf(part[3], sizeof part[3], "%s", w->pick);
    return true;
}

/* The entry of a folder with this name, whatever its case; NULL if there is none. */
static char *entry_of(const char *folder, const char *name)
{
    struct listing l = list_files(folder, "", 0);
    char *found = NULL;
    for (size_t i = 0; i < l.n && !found; i++)
        if (!strcasecmp(l.name[i], name))
            found = in_folder(folder, l.name[i]);
    listing_done(&l);
    return found;
}

static bool is_closed(const char *folder)
{
    DIR *dir = opendir(folder);
    bool closed = !dir && errno == EACCES;
    if (dir)
        closedir(dir);
    return closed;
}

/* ---- manifests -------------------------------------------------------------------------------------------------------------- */

static bool is_digest(const char *text)
{
    return text && !strncmp(text, "sha256", 6) && (text[6] == ':' || text[6] == '-') && strspn(text + 7, "0123456789abcdefABCDEF") == DIGEST && !text[7 + DIGEST];
}

/* "blobs/sha256-HEX" of the first layer of a type, with a name if one is asked for; NULL if there is none, and *bad where its digest is none. */
static char *blob_of(const struct json *manifest, const char *type, const char *name, bool *bad)
{
    for (const struct json *l = json_first(json_get(manifest, "layers")); l; l = json_next(l)) {
        const char *media_type = json_string(json_get(l, "mediaType")), *digest = json_string(json_get(l, "digest"));
        const char *layer_name = json_string(json_get(l, "name"));
        if (!media_type || strncmp(media_type, media, strlen(media)) || strcmp(media_type + strlen(media), type))
            continue;
        if (name && (!layer_name || strcmp(layer_name, name)))
            continue;
        *bad = !is_digest(digest);
        return *bad ? NULL : xasprintf("blobs/sha256-%s", digest + 7);
    }
    return NULL;
}

/* Parameters beside the model may set another context when it runs. */
static void note_parameters(const char *root, const struct json *manifest, struct store_hit *hit, enum lang lang)
{
    bool bad = false;
    char *blob = blob_of(manifest, "params", NULL, &bad), *path = blob ? in_folder(root, blob) : NULL;
    struct json *params = blob && has_file(root, blob) ? json_load(path, MANIFEST_MAX_BYTES, NULL) : NULL;
    double context = json_number(json_get(params, "num_ctx"), 0);
    if (context > 0)
        hit_note(hit, lang, N_("Ollama runs it with a context of %.10g (num_ctx in its parameters), whatever the file says."), context);
    json_free(params);
    free(path);
    free(blob);
}

static enum found read_manifest(const char *root, const char *path, const struct wanted *w, struct store_hit *hit, struct err *err)
{
    struct json *manifest = json_load(path, MANIFEST_MAX_BYTES, err);
    bool bad = false;
    enum found found = FOUND_TROUBLE;
    char *blob = blob_of(manifest, "model", NULL, &bad);
    if (!blob && !bad)
        blob = blob_of(manifest, "json", "config.json", &bad);
    if (blob && has_file(root, blob)) {
        note_parameters(root, manifest, hit, err ? err->lang : LANG_EN);
        found = hit_path(hit, in_folder(root, blob), err);
    } else if (blob) {
        err_set(err, N_("%s: its blob %s is not there: the download was interrupted, or the folder is closed to you"), w->id, blob);
    } else if (bad) {
        err_set(err, N_("%s: the manifest %s names a blob by something that is no SHA-256 digest"), w->id, path);
    } else if (manifest) {
        err_set(err, N_("%s: the manifest %s has neither a model nor a config.json"), w->id, path);
    }
    free(blob);
    json_free(manifest);
    return found;
}

static enum found other_tags(const char *folder, const struct wanted *w, struct err *err)
{
    char names[300];
    struct listing l = list_files(folder, "", 0);
    err_set(err, N_("%s has no tag %s; there are: %s. Name one of them: %s:TAG"), w->id, *w->pick ? w->pick : "latest", listing_text(&l, names, sizeof names), w->id);
    listing_done(&l);
    return FOUND_TROUBLE;
}

/* A folder that is closed is said to be so where Ollama was asked for; other stores may have the model all the same. */
static enum found closed_or_nothing(const char *folder, const struct wanted *w, struct err *err)
{
    if (!w->store_named || !is_closed(folder))
        return FOUND_NOTHING;
    err_set(err, N_("%s: permission denied. Ollama's service keeps its models there for the group ollama: `sudo usermod -aG ollama $USER`, then log in again"), folder);
    return FOUND_TROUBLE;
}

/* The folder or file of the parts, one below the other; NULL and *deep how far it got. */
static char *descend(const char *manifests, char part[PARTS][200], int *deep, char **last)
{
    char *path = xstrdup(manifests);
    for (*deep = 0; *deep < PARTS; ++*deep) {
        char *next = entry_of(path, part[*deep]);
        if (!next) {
            *last = path;
            return NULL;
        }
        free(path);
        path = next;
    }
    return path;
}

static enum found ollama_find(const char *root, const struct wanted *w, struct store_hit *hit, struct err *err)
{
    char part[PARTS][200], *last = NULL;
    int deep;
    if (!has_folder(root, "manifests"))
        return closed_or_nothing(root, w, err);
    if (!parts_of(w, part))
        return FOUND_NOTHING;
    char *manifests = in_folder(root, "manifests"), *path = descend(manifests, part, &deep, &last);
    enum found found;
    if (path)
        found = read_manifest(root, path, w, hit, err);
    else if (deep == PARTS - 1 && !is_closed(last))
        found = other_tags(last, w, err);
    else
        found = closed_or_nothing(last, w, err);
    if (found == FOUND_ONE)
        snprintf(hit->source.revision, sizeof hit->source.revision, "%.71s", part[PARTS - 1]);
    free(manifests);
    free(path);
    free(last);
    return found;
}

/* ---- list ----------------------------------------------------------------------------------------------------------------------- */

/* Ollama takes parts of at most 80 bytes, hosts of more; what else lies there is no name, and no manifest can be read by its path. */
static bool is_named(const char *folder, const char *const part[PARTS])
{
    bool plain = strlen(part[0]) <= 60;
    for (size_t i = 0; i < PARTS; i++)
        plain = plain && is_plain_id(part[i], 0) && strlen(part[i]) <= (i == PARTS - 1 ? 70 : 80);
    return plain && has_file(folder, part[PARTS - 1]);
}

/* Shown as Ollama shows it: without the parts that are its defaults. */
static void list_tag(const char *folder, const char *const part[PARTS], store_list_fn fn, void *context)
{
    char name[1000];
    struct store_entry e = {.name = name};
    bool registry = !strcmp(part[0], "registry.ollama.ai"), library = !strcmp(part[1], "library");
    snprintf(e.source.store, sizeof e.source.store, "%s", store_ollama.name);
    if (!registry)
        snprintf(e.source.id, sizeof e.source.id, "%s/%s/%s", part[0], part[1], part[2]);
    else if (!library)
        snprintf(e.source.id, sizeof e.source.id, "%s/%s", part[1], part[2]);
    else
        snprintf(e.source.id, sizeof e.source.id, "%s", part[2]);
    snprintf(e.source.revision, sizeof e.source.revision, "%.70s", part[3]);
    snprintf(e.source.path, sizeof e.source.path, "%.900s/%.100s", folder, part[3]);
    snprintf(name, sizeof name, "ollama:%s:%s", e.source.id, e.source.revision);
    fn(&e, context);
}

static void list_level(const char *folder, const char *part[PARTS], int level, store_list_fn fn, void *context)
{
    struct listing l = list_files(folder, "", 0);
    for (size_t i = 0; i < l.n; i++) {
        part[level] = l.name[i];
        if (level == PARTS - 1) {
            if (is_named(folder, part))
                list_tag(folder, part, fn, context);
        } else if (has_folder(folder, l.name[i])) {
            char *inside = in_folder(folder, l.name[i]);
            list_level(inside, part, level + 1, fn, context);
            free(inside);
        }
    }
    listing_done(&l);
}

static void ollama_list(const char *root, store_list_fn fn, void *context)
{
    const char *part[PARTS];
    char *manifests = in_folder(root, "manifests");
    list_level(manifests, part, 0, fn, context);
    free(manifests);
}

const struct store_kind store_ollama = {
    .prefix = "ollama", .name = "ollama", .roots = ollama_roots, .find = ollama_find, .list = ollama_list,
};
