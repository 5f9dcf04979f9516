/* panel.h - the parameters: choosing, changing, typing them, and how they are shown: a panel on the right, a popup, or one folded
 * line. */
#ifndef POSVIZ_APP_PANEL_H
#define POSVIZ_APP_PANEL_H

#include "canvas/canvas.h"
#include "scenario/scenario.h"

struct app;
/* Only what changes the picture is offered (view_depends). Moves the choice; changes the chosen one by steps of its own; opens the prompt to type it. */
void panel_choose(struct app *app, int step);
bool panel_choose_name(struct app *app, const char *name, struct err *err);
bool panel_empty(const struct app *app);        /* nothing is offered */
void panel_change(struct app *app, int steps);
void panel_type(struct app *app);
/* Puts the parameter at a share 0..1 of its range (a click on its slider). */
void panel_slide(struct app *app, int index, double share);
/* After a change of view or encoding: keeps the choice on the same parameter where it still is, else on the first. */
void panel_keep_choice(struct scenario *s, const struct scenario *before);

void panel_draw(struct app *app, struct rect r);
void panel_draw_folded(struct app *app, struct rect r);

/* A parameter's value in words: number, translated choice, or what it is derived as. derived (may be NULL) says which. */
char *panel_value(const struct scenario *s, const struct param_ref *ref, char *out, size_t size, bool *derived);

#endif
