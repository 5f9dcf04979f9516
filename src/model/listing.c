/* listing.c - names of files in a folder. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "model/folder.h"

enum { FILES_MAX = 4096, SHOWN = 12 };

bool has_ending(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n >= m && !strcasecmp(name + n - m, ending);
}

char *in_folder(const char *folder, const char *name)
{
    size_t n = strlen(folder);
    return xasprintf("%s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/", name);
}

static bool is_mode(const char *folder, const char *name, mode_t mode)
{
    struct stat st;
    char *path = in_folder(folder, name);
    bool is = stat(path, &st) == 0 && (st.st_mode & S_IFMT) == mode;
    free(path);
    return is;
}

bool has_file(const char *folder, const char *name)
{
    return is_mode(folder, name, S_IFREG);
}

bool has_folder(const char *folder, const char *name)
{
    return is_mode(folder, name, S_IFDIR);
}

bool is_dangling(const char *folder, const char *name)
{
    struct stat st;
    char *path = in_folder(folder, name);
    bool dangling = lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && stat(path, &st) != 0;
    free(path);
    return dangling;
}

bool is_odd(const char *folder, const char *name)
{
    struct stat st;
    char *path = in_folder(folder, name);
    bool there = lstat(path, &st) == 0;
    free(path);
    return there && !has_file(folder, name);
}

static void add(struct listing *l, char *name)
{
    l->name = xreallocarray(l->name, l->n + 1, sizeof *l->name);
    l->name[l->n++] = name;
}

static void collect(struct listing *l, const char *folder, const char *inside, const char *ending, int depth)
{
    char *path = *inside ? in_folder(folder, inside) : xstrdup(folder);
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && l->n < FILES_MAX && (e = readdir(dir));) {
        if (*e->d_name == '.')
            continue;
        char *name = *inside ? xasprintf("%s/%s", inside, e->d_name) : xstrdup(e->d_name);
        if (depth > 0 && has_folder(folder, name))
            collect(l, folder, name, ending, depth - 1);
        else if (has_ending(name, ending))
            add(l, xstrdup(name));
        free(name);
    }
    if (dir)
        closedir(dir);
    free(path);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct listing list_files(const char *folder, const char *ending, int depth)
{
    struct listing l = {0};
    collect(&l, folder, "", ending, depth);
    if (l.n)
        qsort(l.name, l.n, sizeof *l.name, by_name);
    return l;
}

void listing_done(struct listing *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->name[i]);
    free(l->name);
    *l = (struct listing){0};
}

/* "model-00002-of-00004.gguf": a part that is none of its own. */
static bool is_later_part(const char *name)
{
    const char *of = strstr(name, "-of-");
    return of && of - name >= 5 && strncmp(of - 5, "00001", 5) != 0;
}

void keep_models(struct listing *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (is_later_part(l->name[i]) || strcasestr(l->name[i], "mmproj") || strcasestr(l->name[i], "imatrix"))
            free(l->name[i]);
        else
            l->name[kept++] = l->name[i];
    }
    l->n = kept;
}

char *listing_text(const struct listing *l, char *out, size_t size)
{
    char name[200];
    *out = '\0';
    for (size_t i = 0; i < l->n && i < SHOWN; i++) {
        size_t at = strlen(out);
        utf8_sanitise(name, sizeof name, l->name[i]);
        snprintf(out + at, size - at, "%s%s", i ? ", " : "", name);
    }
    if (l->n > SHOWN) {
        size_t at = strlen(out);
        snprintf(out + at, size - at, ", ...");
    }
    return out;
}
