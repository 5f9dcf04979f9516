/* save.h - the figure of a scenario as a file: what `posviz render` and the key for export do. */
#ifndef POSVIZ_APP_SAVE_H
#define POSVIZ_APP_SAVE_H

#include "app/reopen.h"

/* Options as the scenario has them: its theme, colour map and language, all colours, and the dots an inch of d (NULL: as usual), with the command that
 * shows it again. */
struct export_options save_options(const struct scenario *s, const struct drawn *d);
/* The view's own report, if it has one for this kind of file. *done: there was one, or it failed. */
bool save_report(const struct scenario *s, const char *path, const struct export_options *o, bool *done, struct err *err);
/* Plans, computes and writes; room->heat_rows is the format's own. Waits until all is computed. */
bool save_figure(const struct scenario *s, const struct picture_room *room, const char *path, const struct export_options *o, int threads,
                 struct err *err);

#endif
