/* command_line.h - the screen as a command: the `posviz ...` line that shows a scenario again. */
#ifndef POSVIZ_APP_COMMAND_LINE_H
#define POSVIZ_APP_COMMAND_LINE_H

#include "scenario/scenario.h"

/* "posviz VIEW -p models/x --lang en -s key=value ...", quoted for a shell; the caller frees it. What -p, -m, -e and the defaults give is left
 * out. *exact: the line shows the same figure; false where something cannot be said on a command line (a comparison, a table that came from no file). */
char *command_line(const struct scenario *s, bool *exact);

#endif
