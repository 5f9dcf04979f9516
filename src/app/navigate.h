/* navigate.h - the cursor and the window: both are real coordinates in the scenario, so they survive a resize, undo and comparing.
 *
 * Each panel keeps its place of the cursor. Axes that share a coordinate (axis.h) share it: to move along the positions of a curve
 * moves the matrix beside it to that position, and to leave a panel loses nothing. */
#ifndef POSVIZ_APP_NAVIGATE_H
#define POSVIZ_APP_NAVIGATE_H

#include <stdbool.h>
#include <stddef.h>

struct app;
struct cursor;
struct place { int panel; double x, y; };       /* real coordinates; panel -1: nowhere */

/* Where keys and read-out point: the mouse, else the cursor, put on the nearest sample. */
struct place navigate_pointer(const struct app *app);
/* Where the pointer is in the other panels that share a coordinate with its panel. Returns how many. */
size_t navigate_linked(const struct app *app, struct cursor *out, size_t max);
/* Puts the cursor there, and that of every axis which shares a coordinate with this panel's. */
void navigate_put(struct app *app, struct place at);
/* By samples; at the edge the window pans, and where it cannot, the cursor goes to the panel there. */
void navigate_move(struct app *app, int right, int down);
void navigate_page(struct app *app, int down);
void navigate_edge(struct app *app, int right);         /* 1: last, -1: first */
void navigate_next_panel(struct app *app);
/* Makes the window factor times as wide around the pointer; moves it by shares of its width. */
void navigate_zoom(struct app *app, double factor);
bool navigate_pan(struct app *app, double right, double down);
bool navigate_pan_step(struct app *app, int right, int down);           /* as the keys do */
/* From a cell of the screen; false if there is no data. */
bool navigate_to_cell(struct app *app, int y, int x, struct place *out);

#endif
