/* screen.h - the whole screen from the program's state: tabs, figure, parameters, read-out, keys, and what is open above them. */
#ifndef POSVIZ_APP_SCREEN_H
#define POSVIZ_APP_SCREEN_H

#include "app/state.h"

/* Where the zones are; a zone without rows is left out. */
struct zones {
    bool tiny;                      /* too small for anything but a line that says so */
    struct rect tabs, figure, panel, folded, readout, keys;
};
struct zones screen_zones(int rows, int cols, bool panel);
/* Those of the screen as it is: a lesson has no panel, and where no parameter changes the view the figure takes its place. */
struct zones screen_zones_now(const struct app *app);

void screen_draw(struct app *app);

/* ---- for overlays and the panel --------------------------------------------------------------------------- */

/* A centred popup of at most cols x rows cells, kept off the line of keys. */
struct rect screen_popup(const struct app *app, int cols, int rows);
/* A line being typed, moved so that its cursor is in sight; puts the terminal's cursor there. */
void screen_line(struct app *app, int y, int x, int cells, const struct line *line, enum role role);
/* Marks cells as clickable. */
void screen_hit(struct app *app, int y, int x, int cols, enum hit_kind kind, int index);
/* Wraps text and draws its lines from first on; returns how many lines there are in all. */
int screen_paragraphs(struct app *app, struct rect r, const char *text, int first, enum role role);

#endif
