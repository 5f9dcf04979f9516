/* history.h - a bounded stack of scenarios: undo, redo and the way back from jumps. */
#ifndef POSVIZ_APP_HISTORY_H
#define POSVIZ_APP_HISTORY_H

#include "scenario/scenario.h"

enum { HISTORY_MAX = 200 };
struct history {
    struct scenario *at;
    size_t n;
};
void history_push(struct history *h, const struct scenario *s);     /* a copy; the oldest is forgotten when full */
bool history_pop(struct history *h, struct scenario *out);          /* out is uninitialised storage; false if empty */
void history_clear(struct history *h);

#endif
