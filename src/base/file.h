/* file.h - files written whole or not at all; which of them are streams. */
#ifndef POSVIZ_BASE_FILE_H
#define POSVIZ_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"

/* Writes a file beside path and renames it, so that path is never half written; whatever goes wrong (no room, no permission),
 * nothing is left behind and what stood at path stays. An existing file is replaced only with force; devices and pipes are written
 * to as they are. */
bool file_write(const char *path, const void *data, size_t n, bool force, struct err *err);
/* Would file_write refuse path because it exists or is a folder? Asked before a long computation. */
bool file_may_write(const char *path, bool force, struct err *err);
/* "-" or a pipe: what comes once, and only when somebody writes it. A running screen must not wait for it. */
bool file_is_stream(const char *path);

#endif
