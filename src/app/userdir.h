/* userdir.h - where a user's own files are (XDG base directories): presets, and the state for --resume. */
#ifndef POSVIZ_APP_USERDIR_H
#define POSVIZ_APP_USERDIR_H

#include <stdbool.h>

enum userdir { USERDIR_CONFIG, USERDIR_STATE };
/* The path of a file below the program's folder there, for example "presets/mine.json"; NULL if the user has no home. make: the
 * folders on the way are made. The caller frees it. */
char *userdir_file(enum userdir dir, const char *name, bool make);

#endif
