/* app.h - the interactive program. */
#ifndef POSVIZ_APP_APP_H
#define POSVIZ_APP_APP_H

#include "app/start.h"

/* The screen until the user leaves. Returns the exit status; false options are said before the screen is taken. */
int app_screen(const struct start *start, const struct command *command, struct err *err);
/* The figure of s as text, of the size and colours that the options ask for; the caller frees it. NULL with a message. */
char *app_report(const struct options *o, const struct scenario *s, struct err *err);

/* Opens the screen as the options ask; without a terminal prints the view as text. Returns the exit status. */
int app_main(int argc, char **argv, enum lang lang);

/* Its options, for the help of the whole program. */
extern const struct command app_command;

#endif
