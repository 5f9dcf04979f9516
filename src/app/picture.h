/* picture.h - the figure of a scenario as the user sees it: its view's, or, while comparing, two figures side by side or their
 * difference. The screen, render and reports go through here.
 *
 * picture_plan on the main thread, picture_compute on the worker, then figure_draw; picture_probe for the read-out. */
#ifndef POSVIZ_APP_PICTURE_H
#define POSVIZ_APP_PICTURE_H

#include "app/view.h"

struct picture_room {
    int rows, cols;                 /* cells */
    int heat_rows;                  /* heatmap samples a cell vertically */
    int only_panel;                 /* this panel alone, or -1 */
    bool words;                     /* to be described, not drawn: rows, cols, heat_rows do not count */
};
/* Plans and lays out. NULL with a message on failure. */
struct figure *picture_plan(const struct scenario *s, const struct picture_room *room, struct err *err);
bool picture_compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err);
bool picture_probe(const struct scenario *s, int panel, double x, double y, struct readout *out);

/* A laid out figure of one text panel, which needs no computing: what went wrong, instead of a picture. */
struct figure *picture_text(const struct scenario *s, const struct picture_room *room, const char *text);

/* The scenario that B of a comparison is shown with: its own encodings and parameters, the rest (view, window, cursor, language,
 * colours) from A. Borrowed: never free it. s->other must be there. */
struct scenario picture_other(const struct scenario *s);

#endif
