/* app.h - the interactive program. */
#ifndef POSVIZ_APP_APP_H
#define POSVIZ_APP_APP_H

#include "command/command.h"

/* Opens the screen as the options ask; without a terminal prints the view as text. Returns the exit status. */
int app_main(int argc, char **argv, enum lang lang);

/* Its options, for the help of the whole program. */
extern const struct command app_command;

#endif
