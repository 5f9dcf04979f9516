/* navigate.h - the cursor and the window: both are real coordinates in the scenario, so they survive a resize, undo and comparing. */
#ifndef POSVIZ_APP_NAVIGATE_H
#define POSVIZ_APP_NAVIGATE_H

#include <stdbool.h>

struct app;
struct place { int panel; double x, y; };       /* real coordinates; panel -1: nowhere */

/* Where keys and read-out point: the mouse, else the cursor, put on the nearest sample. */
struct place navigate_pointer(const struct app *app);
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
