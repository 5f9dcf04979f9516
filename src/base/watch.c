#include "base/watch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#ifdef __linux__
#include <sys/inotify.h>

struct watch {
    int fd, folder, file;       /* file: the watch on the file itself, which follows a link; -1: none */
    char *path, *name;          /* name: in its folder; "": any */
};

enum { IN_FOLDER = IN_CLOSE_WRITE | IN_MOVED_TO };

static void split(struct watch *w, char **folder)
{
    struct stat st;
    const char *slash = strrchr(w->path, '/');
    if (stat(w->path, &st) == 0 && S_ISDIR(st.st_mode)) {
        *folder = xstrdup(w->path);
        w->name = xstrdup("");
    } else {
        *folder = !slash ? xstrdup(".") : slash == w->path ? xstrdup("/") : xasprintf("%.*s", (int)(slash - w->path), w->path);
        w->name = xstrdup(slash ? slash + 1 : w->path);
    }
}

/* A file moved over the old one is another file. */
static void follow(struct watch *w)
{
    if (w->file >= 0)
        inotify_rm_watch(w->fd, w->file);
    w->file = *w->name ? inotify_add_watch(w->fd, w->path, IN_CLOSE_WRITE) : -1;
}

struct watch *watch_new(const char *path, struct err *err)
{
    struct watch *w = xcalloc(1, sizeof *w);
    char *folder;
    w->path = xstrdup(path);
    w->file = -1;
    split(w, &folder);
    w->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    w->folder = w->fd >= 0 ? inotify_add_watch(w->fd, folder, IN_FOLDER) : -1;
    if (w->folder < 0) {
        err_set(err, N_("%s: its changes cannot be followed: %s"), path, strerror(errno));
        watch_free(w);
        w = NULL;
    } else {
        follow(w);
    }
    free(folder);
    return w;
}

void watch_free(struct watch *w)
{
    if (!w)
        return;
    if (w->fd >= 0)
        close(w->fd);
    free(w->path);
    free(w->name);
    free(w);
}

int watch_fd(const struct watch *w)
{
    return w->fd;
}

static bool concerns(const struct watch *w, const struct inotify_event *e)
{
    if (e->mask & IN_Q_OVERFLOW)
        return true;
    return e->wd == w->folder ? !*w->name || (e->len && !strcmp(e->name, w->name)) : e->wd == w->file && e->mask & IN_CLOSE_WRITE;
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
    err_set(err, N_("%s: its changes cannot be followed: %s"), path, strerror(ENOTSUP));
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
