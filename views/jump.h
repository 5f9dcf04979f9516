/* jump.h - from a row of one view into another view. */
#ifndef POSVIZ_VIEWS_JUMP_H
#define POSVIZ_VIEWS_JUMP_H

#include "scenario/scenario.h"

/* Shows an encoding (NULL: the present one) in a view (NULL: false). On failure the scenario is as before. */
bool jump_to(struct scenario *s, const char *view, const char *encoding);

#endif
