/* config.h - options that a user keeps in a file: $XDG_CONFIG_HOME/posviz/config, else ~/.config/posviz/config. One a line, as on the command line,
 * '#' before a comment. They hold for the screen, not for reports and files, which must be the same for everybody; and what they choose to show
 * not where the command line chooses (options_prefer). */
#ifndef POSVIZ_APP_CONFIG_H
#define POSVIZ_APP_CONFIG_H

#include "app/start.h"

/* No such file is no error; a wrong line is one, with its file and number, also where there is no terminal and the options do not hold. */
bool config_options(struct start *start, struct err *err);
/* The --lang of that file, if it has a right one. */
void config_lang(enum lang *lang);

#endif
