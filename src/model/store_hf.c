/* store_hf.c - the cache of huggingface_hub, which transformers, vLLM, MLX and llama.cpp share (its layout is documented for reimplementation):
 * models--ORG--NAME/refs/REVISION holds a commit, snapshots/COMMIT/ the files, mostly links into blobs/. The snapshot's path is shown, never
 * the blob's, and formats are told by content and by the snapshot's names. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/shell.h"
#include "model/store_impl.h"

enum { COMMIT = 40, SHORT = 8, TREE_MAX_BYTES = 16 << 20 };
static const char prefix[] = "models--";

static void hf_roots(struct roots *r)
{
    char *home = expanded_variable("HF_HOME"), *xdg = expanded_variable("XDG_CACHE_HOME");
    char *first[] = {expanded_variable("HF_HUB_CACHE"), expanded_variable("HUGGINGFACE_HUB_CACHE"), home ? in_folder(home, "hub") : NULL,
                     xdg ? in_folder(xdg, "huggingface/hub") : NULL, home_path(".cache/huggingface/hub")};
    bool taken = false;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {         /* the first that is set is the cache */
        roots_add(r, taken ? NULL : first[i]);
        if (taken)
            free(first[i]);
        taken = taken || first[i];
    }
    roots_add(r, expanded_variable("LLAMA_CACHE"));             /* llama.cpp looks here before, in the same layout */
    free(home);
    free(xdg);
}

/* Ids have neither "--" nor "..", so "models--org--name" can only be "org/name". */
static bool is_id(const char *id)
{
    return (is_plain_id(id, 0) || is_plain_id(id, 1)) && !strstr(id, "--") && !strstr(id, "..");
}

static char *folder_of(const char *root, const char *id)
{
    const char *slash = strchr(id, '/');
    if (!is_id(id))
        return NULL;
    char *name = slash ? xasprintf("%s%.*s--%s", prefix, (int)(slash - id), id, slash + 1) : xasprintf("%s%s", prefix, id);
    char *path = has_folder(root, name) ? in_folder(root, name) : NULL;
    free(name);
    return path;
}

static bool is_commit(const char *text)
{
    return strspn(text, "0123456789abcdef") == COMMIT && !text[COMMIT];
}

/* One line, the commit; written without a newline, trimmed here all the same. */
static bool read_ref(const char *model, const char *ref, char commit[COMMIT + 1])
{
    size_t size;
    char *inside = xasprintf("refs/%s", ref), *path = in_folder(model, inside);
    char *text = has_file(model, inside) ? file_read(path, 256, &size, NULL) : NULL;
    size_t n = text ? strspn(text, "0123456789abcdef") : 0;
    bool unfinished = strlen(ref) > 4 && !strcmp(ref + strlen(ref) - 4, ".tmp");
    bool good = !unfinished && n == COMMIT && !text[n + strspn(text + n, " \t\r\n")];
    snprintf(commit, COMMIT + 1, "%.*s", good ? COMMIT : 0, text ? text : "");
    free(text);
    free(path);
    free(inside);
    return good;
}

static struct listing snapshots_of(const char *model)
{
    char *path = in_folder(model, "snapshots");
    struct listing all = list_files(path, "", 0), l = {0};
    for (size_t i = 0; i < all.n; i++) {
        if (is_commit(all.name[i]) && has_folder(path, all.name[i])) {
            l.name = xreallocarray(l.name, l.n + 1, sizeof *l.name);
            l.name[l.n++] = xstrdup(all.name[i]);
        }
    }
    listing_done(&all);
    free(path);
    return l;
}

static bool has_snapshot(const char *model, const char *commit)
{
    char *inside = xasprintf("snapshots/%s", commit);
    bool has = has_folder(model, inside);
    free(inside);
    return has;
}

static enum found not_cached(const struct wanted *w, const struct listing *l, struct err *err)
{
    char names[300];
    struct buf quoted = {0};
    const char *asked = *w->revision ? w->revision : "main";
    shell_word(&quoted, asked);
    char *word = buf_string(&quoted);
    err_set(err, N_("%s: revision %s is not in the cache, which has %s. posviz never downloads; `hf download %s --revision %s config.json` would fetch it"), w->id,
            asked, listing_text(l, names, sizeof names), w->id, word);
    free(word);
    return FOUND_TROUBLE;
}

/* A commit, a ref, the beginning of a commit; without a revision main, else the only snapshot there is. */
static enum found find_commit(const char *model, const struct wanted *w, char commit[COMMIT + 1], struct store_hit *hit, struct err *err)
{
    struct listing l = snapshots_of(model);
    const char *asked = *w->revision ? w->revision : "main";
    size_t fits = 0;
    bool found = is_commit(asked) || read_ref(model, asked, commit);
    if (is_commit(asked))
        snprintf(commit, COMMIT + 1, "%.40s", asked);
    for (size_t i = 0; i < l.n && !found && strlen(w->revision) >= 6; i++)
        if (!strncmp(l.name[i], w->revision, strlen(w->revision)) && !fits++)
            snprintf(commit, COMMIT + 1, "%s", l.name[i]);
    found = found || fits == 1;
    if (!found && !*w->revision && l.n == 1) {
        snprintf(commit, COMMIT + 1, "%s", l.name[0]);
        hit_note(hit, err ? err->lang : LANG_EN, N_("the cache does not say which revision main is; its only one, %.8s, is read."), commit);
        found = true;
    }
    enum found answer = found && has_snapshot(model, commit) ? FOUND_ONE : l.n ? not_cached(w, &l, err) : FOUND_NOTHING;
    listing_done(&l);
    return answer;
}

enum tree { TREE_UNKNOWN, TREE_HAS, TREE_LACKS };

/* Newer caches list all files of a commit, with sizes and hashes, in trees/COMMIT.json; a name stands there as a string, a key or a value. */
static enum tree in_tree(const char *model, const char *commit, const char *name)
{
    size_t size;
    char *inside = xasprintf("trees/%s.json", commit), *path = in_folder(model, inside), *quoted = xasprintf("\"%s\"", name);
    char *text = has_file(model, inside) ? file_read(path, TREE_MAX_BYTES, &size, NULL) : NULL;
    enum tree answer = !text ? TREE_UNKNOWN : strstr(text, quoted) ? TREE_HAS : TREE_LACKS;
    free(text);
    free(quoted);
    free(path);
    free(inside);
    return answer;
}

/* A snapshot may hold weights alone; was there no configuration, or is it only not fetched? */
static void say_if_config_is_missing(const char *model, const char *snapshot, const char *commit, const struct wanted *w, struct store_hit *hit, struct err *err)
{
    enum lang lang = err ? err->lang : LANG_EN;
    char *none = xasprintf(".no_exist/%s/config.json", commit);
    enum tree tree = in_tree(model, commit, "config.json");
    bool missing = !has_file(snapshot, "config.json") && !has_file(model, none) && !*w->pick;
    if (missing && tree == TREE_HAS)
        hit_note(hit, lang, N_("this revision has a config.json that is not in the cache; `hf download %s config.json` would fetch it."), w->id);
    else if (missing && tree == TREE_UNKNOWN)
        hit_note(hit, lang, N_("config.json is not in the cache, and whether this revision has one the cache does not say; `hf download %s config.json` would fetch it."), w->id);
    free(none);
}

static enum found hf_find(const char *root, const struct wanted *w, struct store_hit *hit, struct err *err)
{
    char commit[COMMIT + 1], *model = folder_of(root, w->id);
    enum found found = model ? find_commit(model, w, commit, hit, err) : FOUND_NOTHING;
    if (found == FOUND_ONE) {
        char *snapshot = xasprintf("%s/snapshots/%s", model, commit);
        found = pick_in(snapshot, w, hit, err);
        snprintf(hit->source.revision, sizeof hit->source.revision, "%s", commit);
        if (found == FOUND_ONE)
            say_if_config_is_missing(model, snapshot, commit, w, hit, err);
        free(snapshot);
    }
    free(model);
    return found;
}

/* ---- list --------------------------------------------------------------------------------------------------------------- */

static void id_of(const char *folder, char *out, size_t size)
{
    size_t at = 0;
    for (const char *c = folder + strlen(prefix); *c && at + 1 < size; c++, at++) {
        out[at] = *c;
        if (!strncmp(c, "--", 2)) {
            out[at] = '/';
            c++;
        }
    }
    out[at] = '\0';
}

static void list_model(const char *root, const char *folder, store_list_fn fn, void *context)
{
    char *model = in_folder(root, folder), main_commit[COMMIT + 1], name[sizeof (struct model_source){0}.path];
    struct listing l = snapshots_of(model);
    read_ref(model, "main", main_commit);
    for (size_t i = 0; i < l.n; i++) {
        struct store_entry e = {.name = name};
        snprintf(e.source.store, sizeof e.source.store, "%s", store_hf.name);
        id_of(folder, e.source.id, sizeof e.source.id);
        snprintf(e.source.revision, sizeof e.source.revision, "%s", l.name[i]);
        snprintf(e.source.path, sizeof e.source.path, "%.800s/snapshots/%s", model, l.name[i]);
        if (!is_id(e.source.id))                /* no name of the Hub's: it is read by its path */
            snprintf(name, sizeof name, "%s", e.source.path);
        else if (l.n == 1 || !strcmp(l.name[i], main_commit))
            snprintf(name, sizeof name, "%s", e.source.id);
        else
            snprintf(name, sizeof name, "%s@%.*s", e.source.id, SHORT, l.name[i]);
        fn(&e, context);
    }
    listing_done(&l);
    free(model);
}

static void hf_list(const char *root, store_list_fn fn, void *context)
{
    struct listing l = list_files(root, "", 0);
    for (size_t i = 0; i < l.n; i++)
        if (!strncmp(l.name[i], prefix, strlen(prefix)))
            list_model(root, l.name[i], fn, context);
    listing_done(&l);
}

const struct store_kind store_hf = {
    .prefix = "hf", .name = "huggingface", .roots = hf_roots, .find = hf_find, .list = hf_list,
};
