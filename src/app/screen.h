/* screen.h - the whole screen from the program's state: tabs, figure, parameters, read-out, keys, and what is open above them. */
#ifndef POSVIZ_APP_SCREEN_H
#define POSVIZ_APP_SCREEN_H

#include "app/state.h"

/* Where the zones are; a zone without rows is left out. */
struct zones {
    bool tiny;                      /* too small for anything but a line that says so */
    struct rect tabs, figure, panel, folded, readout, keys;
};
struct zones screen_zones(int rows, int cols);

void screen_draw(struct app *app);

/* ---- for overlays and the panel --------------------------------------------------------------------------- */

/* A centred popup of at most cols x rows cells, kept off the line of keys. */
struct rect screen_popup(const struct app *app, int cols, int rows);
/* A line being typed, moved so that its cursor is in sight; puts the terminal's cursor there. */
void screen_line(struct app *app, int y, int x, int cells, const struct line *line, enum role role);
/* Marks cells as clickable. */
void screen_hit(struct app *app, int y, int x, int cols, enum hit_kind kind, int index);
/* Copies as much of text as fits in cells, broken between words (or before a wide character); returns the rest. */
const char *screen_wrap(const char *text, int cells, char *out, size_t size);

#endif
