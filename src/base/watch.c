#include "base/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#ifdef __linux__
#include <sys/inotify.h>

enum { PLACES_MAX = 3, WRITTEN = IN_CLOSE_WRITE | IN_MOVED_TO };

/* A folder, and the name in it that concerns; "" any. */
struct place { int wd; char *name; };
struct watch {
    int fd;
    char *path;
    bool readable;              /* when it was last looked for */
    struct place place[PLACES_MAX]; size_t n;
};

static void drop_places(struct watch *w)
{
    for (size_t i = 0; i < w->n; i++) {
        if (w->place[i].wd >= 0)
            inotify_rm_watch(w->fd, w->place[i].wd);
        free(w->place[i].name);
    }
    w->n = 0;
}

static bool add_folder(struct watch *w, const char *folder, const char *name)
{
    struct place p = {inotify_add_watch(w->fd, folder, WRITTEN | IN_CREATE | IN_ATTRIB), xstrdup(name)};
    w->place[w->n++] = p;
    return p.wd >= 0;
}

/* The folder that a path lies in, by the path's last name. */
static bool add_parent(struct watch *w, const char *path)
{
    char *whole = xstrdup(path);
    for (size_t n = strlen(whole); n > 1 && whole[n - 1] == '/'; n--)
        whole[n - 1] = '\0';
    char *slash = strrchr(whole, '/'), *name = slash ? slash + 1 : whole;
    char *folder = !slash ? xstrdup(".") : slash == whole ? xstrdup("/") : xasprintf("%.*s", (int)(slash - whole), whole);
    bool good = add_folder(w, folder, name);
    free(folder);
    free(whole);
    return good;
}

static bool may_read(const struct watch *w)
{
    return faccessat(AT_FDCWD, w->path, R_OK, AT_EACCESS) == 0;
}

/* Where news may come from: the folder that the path is in, that of the file behind a link, the path itself if it is a folder. What is there may be
 * another file or folder each time. */
static bool follow(struct watch *w)
{
    struct stat st;
    char *real = realpath(w->path, NULL);
    drop_places(w);
    bool good = add_parent(w, w->path);
    if (real && lstat(w->path, &st) == 0 && S_ISLNK(st.st_mode))
        add_parent(w, real);
    if (stat(w->path, &st) == 0 && S_ISDIR(st.st_mode))
        good = add_folder(w, w->path, "") || good;
    free(real);
    w->readable = may_read(w);
    return good;
}

struct watch *watch_new(const char *path, struct err *err)
{
    struct watch *w = xcalloc(1, sizeof *w);
    w->path = xstrdup(path);
    w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (w->fd < 0 || !follow(w)) {
        err_set(err, N_("%s: its changes cannot be followed: %s"), path, err_reason(err, errno));
        watch_free(w);
        w = NULL;
    }
    return w;
}

void watch_free(struct watch *w)
{
    if (!w)
        return;
    if (w->fd >= 0) {
        drop_places(w);
        close(w->fd);
    }
    free(w->path);
    free(w);
}

int watch_fd(const struct watch *w)
{
    return w->fd;
}

/* A file that is made is not written yet; a link or a folder is there at once. Of other permissions only reading matters. */
static bool is_whole(const struct watch *w, const struct inotify_event *e)
{
    struct stat st;
    return e->mask & WRITTEN || (e->mask & IN_CREATE && lstat(w->path, &st) == 0 && !S_ISREG(st.st_mode)) ||
           (e->mask & IN_ATTRIB && may_read(w) != w->readable);
}

static bool concerns(const struct watch *w, const struct inotify_event *e)
{
    bool named = e->mask & IN_Q_OVERFLOW;
    for (size_t i = 0; i < w->n && !named; i++) {
        const struct place *p = &w->place[i];
        named = e->wd == p->wd && (*p->name ? e->len && !strcmp(e->name, p->name) && is_whole(w, e) : (e->mask & WRITTEN) != 0);
    }
    return named;
}

bool watch_changed(struct watch *w)
{
    union { char bytes[16 * (sizeof(struct inotify_event) + NAME_MAX + 1)]; struct inotify_event aligned; } room;
    bool changed = false;
    for (ssize_t n; (n = read(w->fd, room.bytes, sizeof room.bytes)) > 0;) {
        const struct inotify_event *e;
        for (char *at = room.bytes; at < room.bytes + n; at += sizeof *e + e->len) {
            e = (const struct inotify_event *)(void *)at;
            changed = changed || concerns(w, e);
        }
    }
    if (changed)
        follow(w);
    return changed;
}

#else

struct watch *watch_new(const char *path, struct err *err)
{
    err_set(err, N_("%s: its changes cannot be followed: %s"), path, err_reason(err, ENOTSUP));
    return NULL;
}

void watch_free(struct watch *w)
{
    (void)w;
}

int watch_fd(const struct watch *w)
{
    (void)w;
    return -1;
}

bool watch_changed(struct watch *w)
{
    (void)w;
    return false;
}

#endif
