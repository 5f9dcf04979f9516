/* preset_find.c - where presets are: in the user's folder, in a file, in the binary. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "scenario/parts.h"

enum { PRESET_MAX_BYTES = 4 << 20 };

static const struct preset *find_embedded(const char *name)
{
    for (const struct preset *p = presets; p->id; p++) {
        const char *last = strrchr(p->id, '/');
        if (!strcmp(p->id, name) || (last && !strcmp(last + 1, name)))
            return p;
    }
    return NULL;
}

/* A preset of the user's, or a file; there: false if there is none. */
static struct json *load_user_preset(const char *name, struct err *err, bool *there)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    char *path = config && *config ? xasprintf("%s/posviz/presets/%s.json", config, name)
                                   : xasprintf("%s/.config/posviz/presets/%s.json", home ? home : "", name);
    if (strstr(name, "..") || access(path, R_OK) != 0) {
        free(path);
        path = strchr(name, '.') && access(name, R_OK) == 0 ? xstrdup(name) : NULL;
    }
    *there = path != NULL;
    bool named = path && !strcmp(path, name);
    struct json *json = named ? json_load_named(path, PRESET_MAX_BYTES, err) : path ? json_load(path, PRESET_MAX_BYTES, err) : NULL;
    free(path);
    return json;
}

bool preset_find(const char *name, struct json **json, const char **id, struct err *err)
{
    bool there;
    *json = load_user_preset(name, err, &there);
    const struct preset *p = there ? NULL : find_embedded(name);
    *id = p ? p->id : name;
    if (p)
        *json = json_parse(p->text, p->size, err);
    return there || p;
}
