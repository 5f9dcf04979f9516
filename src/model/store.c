/* store.c - names taken apart, stores asked in turn, what to say where nothing is found, and lists of all that is there. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/shell.h"
#include "base/utf8.h"
#include "model/store_impl.h"

static const struct store_kind *const stores[] = {&store_hf, &store_modelscope, &store_ollama, &store_lmstudio};
enum { N_STORES = sizeof stores / sizeof *stores };

/* ---- names ---------------------------------------------------------------------------------------------------------------- */

static const struct store_kind *store_of(const char **name)
{
    for (size_t i = 0; i < N_STORES; i++) {
        size_t n = strlen(stores[i]->prefix);
        if (!strncmp(*name, stores[i]->prefix, n) && (*name)[n] == ':') {
            *name += n + 1;
            return stores[i];
        }
    }
    return NULL;
}

static bool is_file_name(const char *name)
{
    static const char *const endings[] = {".gguf", ".safetensors", ".json"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (has_ending(name, endings[i]) && strlen(name) > strlen(endings[i]))
            return true;
    return false;
}

static bool cut(char *out, size_t size, const char *text, size_t n)
{
    if (n >= size)
        return false;
    memcpy(out, text, n);
    out[n] = '\0';
    return true;
}

/* id[@revision][:part], or id/file. The file may lie in a folder: what follows the second slash. False if it cannot be a name. */
static bool take_apart(const char *name, struct wanted *w)
{
    *w = (struct wanted){0};
    const char *at = strchr(name, '@'), *colon = strrchr(name, ':'), *slash = strrchr(name, '/');
    if (colon && (colon < at || colon < slash))
        colon = NULL;
    size_t id = at ? (size_t)(at - name) : colon ? (size_t)(colon - name) : strlen(name);
    const char *end = colon ? colon : name + strlen(name);
    if ((at && !cut(w->revision, sizeof w->revision, at + 1, (size_t)(end - at - 1))) || (colon && !cut(w->pick, sizeof w->pick, colon + 1, strlen(colon + 1))))
        return false;
    if (!at && !colon && slash && is_file_name(slash + 1)) {
        const char *second = strchr(name, '/');
        second = second ? strchr(second + 1, '/') : NULL;
        const char *file = second ? second : slash;
        id = (size_t)(file - name);
        if (!cut(w->pick, sizeof w->pick, file + 1, strlen(file + 1)))
            return false;
    }
    return id && !strstr(name, "..") && cut(w->id, sizeof w->id, name, id);
}

/* Paths that do not exist are reported as paths where nobody would take them for a name. */
static bool looks_like_path(const char *name)
{
    size_t slashes = 0;
    for (const char *c = name; *c; c++)
        slashes += *c == '/';
    return *name == '/' || *name == '.' || *name == '~' || !*name || (is_file_name(name) && slashes < 2) || slashes > 4 || name[strlen(name) - 1] == '/';
}

/* ---- a path inside a store --------------------------------------------------------------------------------------------------- */

/* ".../models--org--name/snapshots/COMMIT/...": the cache's own layout says it all. */
static bool source_of_snapshot(const char *path, struct model_source *s)
{
    const char *models = strstr(path, "/models--"), *snapshots = models ? strstr(models, "/snapshots/") : NULL;
    if (!snapshots)
        return false;
    const char *id = models + strlen("/models--"), *commit = snapshots + strlen("/snapshots/");
    size_t n = strcspn(commit, "/"), at = 0;
    for (; id < snapshots && at + 1 < sizeof s->id; at++, id++) {
        s->id[at] = *id;
        if (!strncmp(id, "--", 2)) {
            s->id[at] = '/';
            id++;
        }
    }
    s->id[at] = '\0';
    snprintf(s->store, sizeof s->store, "%s", store_hf.name);
    snprintf(s->revision, sizeof s->revision, "%.*s", (int)(n < sizeof s->revision ? n : sizeof s->revision - 1), commit);
    return true;
}

/* `hf download --local-dir` leaves the commit beside the files: three lines, of which it is the first. */
static void source_of_folder(const char *path, struct model_source *s)
{
    struct stat st;
    size_t size;
    bool folder = stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    const char *slash = strrchr(path, '/');
    char *metadata = folder ? xasprintf("%s/.cache/huggingface/download/config.json.metadata", path)
                            : xasprintf("%.*s.cache/huggingface/download/%s.metadata", slash ? (int)(slash - path) + 1 : 0, path, slash ? slash + 1 : path);
    char *text = stat(metadata, &st) == 0 && S_ISREG(st.st_mode) ? file_read(metadata, 4096, &size, NULL) : NULL;
    size_t n = text ? strspn(text, "0123456789abcdef") : 0;
    if (n == 40) {
        snprintf(s->store, sizeof s->store, "folder");
        snprintf(s->revision, sizeof s->revision, "%.40s", text);
    }
    free(text);
    free(metadata);
}

static void source_of_path(const char *path, struct model_source *s)
{
    if (!source_of_snapshot(path, s))
        source_of_folder(path, s);
    if (*s->store)
        snprintf(s->path, sizeof s->path, "%s", path);
}

char *model_source_text(const struct model_source *s, enum lang lang, char *out, size_t size)
{
    *out = '\0';
    if (*s->store && *s->revision)
        snprintf(out, size, lang_text(lang, N_("%s, revision %.12s")), s->store, s->revision);
    else if (*s->store)
        snprintf(out, size, "%s", s->store);
    return out;
}

/* ---- asking -------------------------------------------------------------------------------------------------------------------- */

static enum found ask_store(const struct store_kind *store, const struct wanted *w, struct store_hit *hit, struct err *err)
{
    struct roots roots = {0};
    enum found found = FOUND_NOTHING;
    store->roots(&roots);
    for (size_t i = 0; i < roots.n && found == FOUND_NOTHING; i++)
        found = store->find(roots.path[i], w, hit, err);
    roots_done(&roots);
    if (found == FOUND_ONE) {
        snprintf(hit->source.store, sizeof hit->source.store, "%s", store->name);
        if (!*hit->source.id)
            snprintf(hit->source.id, sizeof hit->source.id, "%s", w->id);
    }
    return found;
}

static char *places_of(const struct store_kind *only, const char *between, enum lang lang);

struct nearest { const char *id, *refused; char name[3][200]; size_t far[3]; };

static void keep_nearest(const struct store_entry *entry, void *context)
{
    struct nearest *n = context;
    char clean[sizeof n->name[0]];
    if (!strcmp(entry->name, n->refused) || strcmp(utf8_sanitise(clean, sizeof clean, entry->name), entry->name))
        return;
    size_t far = edit_distance(n->id, entry->source.id, true), limit = strlen(n->id) / 2;
    if (strcasestr(entry->source.id, n->id))
        far = 1;
    for (size_t i = 0; i < 3 && far <= limit; i++) {
        if (!strcmp(n->name[i], entry->name))
            return;
        if (*n->name[i] && n->far[i] <= far)
            continue;
        memmove(n->name + i + 1, n->name + i, (2 - i) * sizeof *n->name);
        memmove(n->far + i + 1, n->far + i, (2 - i) * sizeof *n->far);
        snprintf(n->name[i], sizeof n->name[i], "%s", entry->name);
        n->far[i] = far;
        return;
    }
}

/* What would fetch it, for a shell; NULL: nothing could, it is no name of a model. The caller frees it. */
static char *fetch_command(const struct store_kind *only, const struct wanted *w)
{
    bool ollama = only == &store_ollama;
    struct buf out = {0};
    if (!is_plain_id(w->id, 0) && !is_plain_id(w->id, 1) && !(ollama && is_plain_id(w->id, 2)))
        return NULL;
    buf_text(&out, ollama ? "ollama pull " : only == &store_modelscope ? "modelscope download " : "hf download ");
    shell_word(&out, w->id);
    buf_text(&out, ollama ? "" : " config.json");
    return buf_string(&out);
}

static void nothing_found(const struct wanted *w, const struct store_kind *only, const char *name, struct err *err)
{
    struct nearest near = {.id = w->id, .refused = name};
    char *places = places_of(only, ", ", err ? err->lang : LANG_EN), names[260] = "", like[300] = "";
    enum lang lang = err ? err->lang : LANG_EN;
    store_list(keep_nearest, &near);
    for (size_t i = 0; i < 3 && *near.name[i]; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%.80s", i ? ", " : "", near.name[i]);
    if (*names)
        snprintf(like, sizeof like, lang_text(lang, N_(" Near it: %s.")), names);
    if (!only && !strpbrk(name, "/@:")) {       /* a word of a shell that may as well be a file's name */
        err_set(err, N_("%s: no such file, and no model of a local store has this name.%s `posviz models` lists them."), name, like);
        free(places);
        return;
    }
    char *fetch = fetch_command(only, w);
    char *old = getenv("TRANSFORMERS_CACHE");
    err_set(err, fetch ? N_("%s: no file, and no local store has it.%s posviz never downloads; `%s` would fetch it. Looked in %s%s")
                       : N_("%s: no file, and no local store has it.%s posviz never downloads.%s Looked in %s%s"), name, like, fetch ? fetch : "", places,
            old && *old ? lang_text(lang, N_(", not in TRANSFORMERS_CACHE, which transformers 5 does not read either")) : "");
    free(fetch);
    free(places);
}

enum store_answer store_find(const char *name, struct store_hit *hit, struct err *err)
{
    struct stat st;
    struct wanted w;
    struct err local = {.lang = err ? err->lang : LANG_EN};
    *hit = (struct store_hit){0};
    if (!strcmp(name, "-"))
        return STORE_PATH;
    if (stat(name, &st) == 0) {
        source_of_path(name, &hit->source);
        return STORE_PATH;
    }
    const char *rest = name;
    const struct store_kind *only = store_of(&rest);
    if (!take_apart(rest, &w) || (!only && looks_like_path(name)))
        return only ? (err_set(err, N_("%s: is no name of a model"), name), STORE_REFUSED) : STORE_PATH;
    w.store_named = only != NULL;
    enum found found = FOUND_NOTHING;
    for (size_t i = 0; i < N_STORES && found == FOUND_NOTHING; i++)
        if (!only || stores[i] == only)
            found = ask_store(stores[i], &w, hit, &local);
    if (found == FOUND_ONE)
        return STORE_FOUND;
    if (found == FOUND_NOTHING)
        nothing_found(&w, only, name, &local);
    if (err)
        *err = local;
    return STORE_REFUSED;
}

char *store_path(const char *name)
{
    struct store_hit hit;
    return xstrdup(store_find(name, &hit, NULL) == STORE_FOUND ? hit.source.path : name);
}

/* ---- lists ------------------------------------------------------------------------------------------------------------------------- */

void store_list(void (*fn)(const struct store_entry *entry, void *context), void *context)
{
    for (size_t i = 0; i < N_STORES; i++) {
        struct roots roots = {0};
        stores[i]->roots(&roots);
        for (size_t k = 0; k < roots.n; k++)
            stores[i]->list(roots.path[k], fn, context);
        roots_done(&roots);
    }
}

/* Layouts below a root that is named itself need no name of their own. */
static bool is_below_another(const struct roots *r, size_t k)
{
    for (size_t i = 0; i < r->n; i++)
        if (i != k && !strncmp(r->path[k], r->path[i], strlen(r->path[i])) && r->path[k][strlen(r->path[i])] == '/')
            return true;
    return false;
}

static char *places_of(const struct store_kind *only, const char *between, enum lang lang)
{
    struct buf out = {0};
    char line[1200], clean[1024];
    for (size_t i = 0; i < N_STORES; i++) {
        struct roots roots = {0};
        stores[i]->roots(&roots);
        for (size_t k = 0; k < roots.n && (!only || only == stores[i]); k++) {
            if (is_below_another(&roots, k))
                continue;
            DIR *dir = opendir(roots.path[k]);
            bool closed = !dir && errno == EACCES;
            if (dir)
                closedir(dir);
            utf8_sanitise(clean, sizeof clean, roots.path[k]);
            snprintf(line, sizeof line, "%s%s (%s%s)", out.n ? between : "", clean, stores[i]->name, closed ? lang_text(lang, N_(", permission denied")) : "");
            buf_text(&out, line);
        }
        roots_done(&roots);
    }
    return buf_string(&out);
}

char *store_places(enum lang lang)
{
    return places_of(NULL, "\n", lang);
}

static void add_json(const struct store_entry *entry, void *context)
{
    struct json *one = json_push(context, json_object());
    json_set_string(one, "name", entry->name);
    json_set_string(one, "store", entry->source.store);
    json_set_string(one, "id", entry->source.id);
    json_set_string(one, "revision", *entry->source.revision ? entry->source.revision : NULL);
    json_set_string(one, "path", entry->source.path);
}

struct json *store_list_json(void)
{
    struct json *o = json_object();
    char *places = store_places(LANG_EN), *save = NULL;
    json_set_number(o, "schema", 1);
    store_list(add_json, json_set(o, "models", json_array()));
    struct json *looked = json_set(o, "looked", json_array());
    for (char *line = strtok_r(places, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
        json_push_string(looked, line);
    free(places);
    return o;
}
