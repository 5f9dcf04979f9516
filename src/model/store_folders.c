/* store_folders.c - stores that keep plain folders OWNER/NAME: LM Studio and ModelScope. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/store_impl.h"

/* ---- owner/name below a root ------------------------------------------------------------------------------------------- */

static enum found find_below(const char *root, const char *inside, const struct wanted *w, struct store_hit *hit, struct err *err)
{
    if (!has_folder(root, inside))
        return FOUND_NOTHING;
    char *folder = in_folder(root, inside);
    enum found found = pick_in(folder, w, hit, err);
    free(folder);
    return found;
}

static bool holds_models(const char *folder)
{
    static const char *const endings[] = {"config.json", ".gguf", ".safetensors"};
    bool holds = false;
    for (size_t i = 0; i < 3 && !holds; i++) {
        struct listing l = list_files(folder, endings[i], 0);
        holds = l.n > 0;
        listing_done(&l);
    }
    return holds;
}

struct listing_of { const struct store_kind *store; store_list_fn fn; void *context; bool dots; };

/* ModelScope writes '.' as "___" in its folders. */
static void readable(const char *folder, bool dots, char *out, size_t size)
{
    size_t at = 0;
    for (const char *c = folder; *c && at + 1 < size; c++, at++) {
        out[at] = *c;
        if (dots && !strncmp(c, "___", 3)) {
            out[at] = '.';
            c += 2;
        }
    }
    out[at] = '\0';
}

static void list_below(const char *root, const struct listing_of *how)
{
    struct listing owners = list_files(root, "", 0);
    for (size_t i = 0; i < owners.n; i++) {
        char *owner = in_folder(root, owners.name[i]);
        struct listing models = list_files(owner, "", 0);
        for (size_t k = 0; k < models.n; k++) {
            char *path = in_folder(owner, models.name[k]), name[sizeof (struct model_source){0}.path], model[256];
            struct store_entry e = {.name = name};
            readable(models.name[k], how->dots, model, sizeof model);
            snprintf(e.source.store, sizeof e.source.store, "%s", how->store->name);
            snprintf(e.source.id, sizeof e.source.id, "%.110s/%.140s", owners.name[i], model);
            snprintf(e.source.path, sizeof e.source.path, "%s", path);
            if (is_plain_id(e.source.id, 1) && strlen(e.source.id) == strlen(owners.name[i]) + 1 + strlen(model))
                snprintf(name, sizeof name, "%s:%s", how->store->prefix, e.source.id);
            else
                snprintf(name, sizeof name, "%s", path);
            if (has_folder(owner, models.name[k]) && holds_models(path))
                how->fn(&e, how->context);
            free(path);
        }
        listing_done(&models);
        free(owner);
    }
    listing_done(&owners);
}

/* ---- LM Studio -------------------------------------------------------------------------------------------------------------- */

/* Its folder can be moved in the program itself, so we have a variable for it. */
static void lmstudio_roots(struct roots *r)
{
    roots_add(r, expanded_variable("POSVIZ_MODEL_PATH"));
    roots_add(r, home_path(".lmstudio/models"));
    roots_add(r, home_path(".cache/lm-studio/models"));
}

static enum found lmstudio_find(const char *root, const struct wanted *w, struct store_hit *hit, struct err *err)
{
    return is_plain_id(w->id, 1) && !*w->revision ? find_below(root, w->id, w, hit, err) : FOUND_NOTHING;
}

static void lmstudio_list(const char *root, store_list_fn fn, void *context)
{
    list_below(root, &(struct listing_of){&store_lmstudio, fn, context, false});
}

const struct store_kind store_lmstudio = {
    .prefix = "lmstudio", .name = "lmstudio", .roots = lmstudio_roots, .find = lmstudio_find, .list = lmstudio_list,
};

/* ---- ModelScope ----------------------------------------------------------------------------------------------------------------- */

static void modelscope_roots(struct roots *r)
{
    static const char *const layouts[] = {"models", "hub/models", "hub", ""};      /* the last two are those before 2025 */
    char *root = expanded_variable("MODELSCOPE_CACHE");
    if (!root)
        root = expanded_variable("MS_CACHE_HOME");
    if (!root)
        root = home_path(".cache/modelscope/hub");
    for (size_t i = 0; root && i < sizeof layouts / sizeof *layouts; i++)
        roots_add(r, *layouts[i] ? in_folder(root, layouts[i]) : xstrdup(root));
    free(root);
}

static char *with_underscores(const char *id)
{
    char *out = xcalloc(3 * strlen(id) + 1, 1), *at = out;
    for (const char *c = id; *c; c++) {
        memcpy(at, *c == '.' ? "___" : c, *c == '.' ? 3 : 1);
        at += *c == '.' ? 3 : 1;
    }
    return out;
}

static enum found modelscope_find(const char *root, const struct wanted *w, struct store_hit *hit, struct err *err)
{
    if (!is_plain_id(w->id, 1) || *w->revision)
        return FOUND_NOTHING;
    char *written = with_underscores(w->id);
    enum found found = find_below(root, written, w, hit, err);
    if (found == FOUND_NOTHING)
        found = find_below(root, w->id, w, hit, err);
    free(written);
    return found;
}

static void modelscope_list(const char *root, store_list_fn fn, void *context)
{
    list_below(root, &(struct listing_of){&store_modelscope, fn, context, true});
}

const struct store_kind store_modelscope = {
    .prefix = "modelscope", .name = "modelscope", .roots = modelscope_roots, .find = modelscope_find, .list = modelscope_list,
};
