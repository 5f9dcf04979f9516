/* picture.h - the figure of a scenario as the user sees it: its view's, or, while comparing, two figures side by side or their
 * difference; a text panel with the reason where a view has nothing to show. The screen, render and reports go through here.
 *
 * picture_plan on the main thread, picture_compute on the worker, then figure_draw; picture_probe for the read-out. */
#ifndef POSVIZ_APP_PICTURE_H
#define POSVIZ_APP_PICTURE_H

#include "app/view.h"

struct picture_room {
    int rows, cols;                 /* cells */
    int heat_rows;                  /* heatmap samples a cell vertically */
    int only_panel;                 /* this panel alone, or -1 */
};
/* Plans and lays out. Never NULL; on an error err is set and the figure is a text panel that says it, which computes to itself. */
struct figure *picture_plan(const struct scenario *s, const struct picture_room *room, struct err *err);
bool picture_compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err);
bool picture_probe(const struct scenario *s, int panel, double x, double y, struct readout *out);

/* Why the scenario's view has nothing to show (translated), or NULL. */
const char *picture_unsuited(const struct scenario *s);

#endif
