#include "app/userdir.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

static const struct { const char *variable, *below_home; } base[] = {
    [USERDIR_CONFIG] = {"XDG_CONFIG_HOME", ".config"},
    [USERDIR_STATE] = {"XDG_STATE_HOME", ".local/state"},
};

/* Every folder on the way to path, from its byte `from` on; what cannot be made shows when the file is written. */
static void make_folders(char *path, size_t from)
{
    for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

char *userdir_file(enum userdir dir, const char *name, bool make)
{
    const char *given = getenv(base[dir].variable), *home = getenv("HOME");
    char *path = NULL;
    size_t from = 1;
    if (given && *given == '/')
        path = xasprintf("%s/posviz/%s", given, name);
    else if (home && *home == '/') {
        path = xasprintf("%s/%s/posviz/%s", home, base[dir].below_home, name);
        from = strlen(home) + 1;            /* a home that is not there is not made */
    }
    if (path && make)
        make_folders(path, from);
    return path;
}
