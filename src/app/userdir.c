#include "app/userdir.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"

static const struct { const char *variable, *below_home; } base[] = {
    [USERDIR_CONFIG] = {"XDG_CONFIG_HOME", ".config"},
    [USERDIR_STATE] = {"XDG_STATE_HOME", ".local/state"},
};

/* Every folder on the way to path; what cannot be made shows when the file is written. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

char *userdir_file(enum userdir dir, const char *name, bool make)
{
    const char *given = getenv(base[dir].variable), *home = getenv("HOME");
    char *path = NULL;
    if (given && *given == '/')
        path = xasprintf("%s/posviz/%s", given, name);
    else if (home && *home == '/')
        path = xasprintf("%s/%s/posviz/%s", home, base[dir].below_home, name);
    if (path && make)
        make_folders(path);
    return path;
}
