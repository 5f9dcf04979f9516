/* app.h - the screen: `posviz [VIEW] [options]`. */
#ifndef POSVIZ_APP_APP_H
#define POSVIZ_APP_APP_H

#include "base/lang.h"

/* Runs the program on the terminal until the user leaves. argv as main's, without --lang; returns the exit status. Without a
 * terminal on standard output it says so. */
int app_main(int argc, char **argv, enum lang lang);

#endif
