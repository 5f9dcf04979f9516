/* marks.h - places to come back to: `"` and a letter keeps the scenario under it, `'` and the letter goes there. */
#ifndef POSVIZ_APP_MARKS_H
#define POSVIZ_APP_MARKS_H

#include <stdbool.h>
#include <stdint.h>
#include "scenario/scenario.h"

struct app;

enum { MARKS = 26 };
struct marks {
    struct scenario *at[MARKS];     /* NULL: not set */
    bool setting;                   /* the letter asked for is one to set */
};
void marks_done(struct marks *m);
/* Asks for the letter. */
void marks_ask(struct app *app, bool setting);
/* name is a letter from a to z; false with a message if it is none, or nothing is kept there. */
bool marks_set(struct app *app, const char *name, struct err *err);
bool marks_go(struct app *app, const char *name, struct err *err);

#endif
