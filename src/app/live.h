/* live.h - the model file on the screen follows its changes on disk: the view, the cursor and what can be undone stay. */
#ifndef POSVIZ_APP_LIVE_H
#define POSVIZ_APP_LIVE_H

#include "base/watch.h"
#include "scenario/scenario.h"

struct app;

struct live {
    struct watch *watch;        /* NULL: nothing to follow, or it cannot be */
    char path[SCENARIO_PATH_MAX];       /* the model that it is for */
};
void live_done(struct live *l);
/* In every turn of the loop: follows the model that is shown now, and reads it again if it has changed. */
void live_take(struct app *app);
int live_fd(const struct live *l);      /* to poll for reading; -1: none */

#endif
