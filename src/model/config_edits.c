/* config_edits.c - what-if edits: a configuration as if a key had another value. */
#include <stdio.h>
#include <string.h>

#include "model/reader.h"

/* The object that holds the last step of the path, made where it is missing; NULL if a step is no object. */
static struct json *object_for(struct json *root, const char *path, const char **last)
{
    struct json *at = root;
    for (*last = path; strchr(*last, '.'); *last += strcspn(*last, ".") + 1) {
        char step[KEY_PATH_MAX];
        snprintf(step, sizeof step, "%.*s", (int)strcspn(*last, "."), *last);
        struct json *next = (struct json *)json_get(at, step);
        if (next && json_type(next) == JSON_NULL)
            json_free(json_detach(at, step)), next = NULL;
        if (!next)
            next = json_set(at, step, json_object());
        if (json_type(next) != JSON_OBJECT)
            return NULL;
        at = next;
    }
    return at;
}

/* A key without dots means the place where it stands now: the main object or its scaling object, else the main object. */
static void edit_path(const struct json *root, const struct json *main_object, const char *main_path, const char *key, char out[KEY_PATH_MAX])
{
    static const char *const inner[] = {"rope_parameters", "rope_scaling", "attn_config"};
    char first[KEY_PATH_MAX];
    snprintf(first, sizeof first, "%.*s", (int)strcspn(key, "."), key);
    if (json_get(main_object, first)) {
        path_join(out, KEY_PATH_MAX, main_path, key);
        return;
    }
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
        if (json_get(json_get(main_object, inner[i]), first)) {
            char path[KEY_PATH_MAX];
            path_join(out, KEY_PATH_MAX, path_join(path, sizeof path, main_path, inner[i]), key);
            return;
        }
    }
    if (json_get(root, first))
        snprintf(out, KEY_PATH_MAX, "%s", key);
    else
        path_join(out, KEY_PATH_MAX, main_path, key);
}

static bool edit_one(struct reader *r, const char *edit, struct err *err)
{
    char main_path[64];
    const struct json *main_object = config_main(r->root, main_path, sizeof main_path);
    const char *equals = strchr(edit, '=');
    if (!equals || equals == edit || equals - edit >= KEY_PATH_MAX / 2)
        return err_set(err, N_("-s %s: must be KEY=VALUE, for example rope_theta=1000000"), edit);
    char key[KEY_PATH_MAX], path[KEY_PATH_MAX];
    snprintf(key, sizeof key, "%.*s", (int)(equals - edit), edit);
    edit_path(r->root, main_object, main_path, key, path);
    const char *last;
    struct json *object = object_for(r->root, path, &last);
    if (!object || !*last)
        return err_set(err, N_("-s %s: %s does not lead to a place in the file"), edit, path);
    struct json *value = json_parse(equals + 1, strlen(equals + 1), NULL);
    json_free(json_detach(object, last));
    json_set(object, last, value ? value : json_new_string(equals + 1));
    if (r->n_edited < EDITS_MAX)
        snprintf(r->edited[r->n_edited++], KEY_PATH_MAX, "%s", path);
    return true;
}

bool edits_apply(struct reader *r, struct err *err)
{
    for (size_t i = 0; i < r->n_edits; i++)
        if (!edit_one(r, r->edits[i], err))
            return false;
    r->f->changed = r->n_edits > 0;
    return true;
}
