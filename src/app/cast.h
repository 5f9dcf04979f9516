/* cast.h - a recording of the screen in the format asciicast v2: a header, then one line an event. The frames are composed for a
 * terminal that knows nothing but ECMA-48, so that every player shows the cells that the canvas had.
 *
 * cast_new, then cast_frame and cast_marker as time goes on (seconds from the start), cast_write, cast_free. */
#ifndef POSVIZ_APP_CAST_H
#define POSVIZ_APP_CAST_H

#include "base/err.h"
#include "canvas/canvas.h"

struct cast;
struct cast *cast_new(const char *title);
void cast_free(struct cast *cast);                      /* NULL is allowed */
/* What changed since the last frame; another size first says so. cursor_y < 0: hidden. */
void cast_frame(struct cast *cast, double seconds, const struct canvas *c, int cursor_y, int cursor_x);
void cast_marker(struct cast *cast, double seconds, const char *label);
/* Lets the last frame stand until then. */
void cast_end(struct cast *cast, double seconds);
bool cast_write(const struct cast *cast, const char *path, bool force, struct err *err);

#endif
