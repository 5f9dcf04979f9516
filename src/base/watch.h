/* watch.h - has a file changed? Tells of writes in place, of a new file moved over it (as editors and git do), of one that comes back or can be read again, and for a link of
 * its target and of another target. Linux's inotify; elsewhere watch_new says that it cannot. watch_new, poll watch_fd for reading, watch_changed, watch_free. */
#ifndef POSVIZ_BASE_WATCH_H
#define POSVIZ_BASE_WATCH_H

#include <stdbool.h>
#include "base/err.h"

struct watch;
/* path: a file, there or not yet, or a folder (any file in it). */
struct watch *watch_new(const char *path, struct err *err);
void watch_free(struct watch *w);               /* NULL is allowed */
int watch_fd(const struct watch *w);
/* Since the last call, without waiting. Half-written files do not count: only what was closed or moved there. */
bool watch_changed(struct watch *w);

#endif
