/* carried.h - what a figure file says about itself: the program that wrote it and the command that shows it again. The other side of what
 * export.h's formats write: png an iTXt chunk, svg its metadata, pdf its document information, json a field, npy a second array, csv comments. */
#ifndef POSVIZ_EXPORT_CARRIED_H
#define POSVIZ_EXPORT_CARRIED_H

#include <stdbool.h>
#include "base/err.h"

struct carried {
    char command[4096];         /* as written; sanitised */
    char version[32];           /* "" if the file does not say */
};

/* Reads a file of any of the formats, told by its content. The file is untrusted: every length is checked, nothing is run. False with a
 * message that says which formats carry a command. */
bool carried_read(const char *path, struct carried *out, struct err *err);

#endif
