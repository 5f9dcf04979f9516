/* file.h - files read whole, written whole or not at all, and opened without waiting for what is none. */
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
/* Opens a file to read, -1 with a message if that cannot be: a regular file, or with pipes also a pipe, which is waited for until somebody writes.
 * Pipes are for what the user has named; one that lies where a file should be would keep the program for ever. */
int file_open(const char *path, bool pipes, struct err *err);
/* Reads a whole regular file of at most max_bytes into NUL-terminated memory that the caller frees; NULL with a message if it cannot be read or
 * is larger. *size is its length. */
char *file_read(const char *path, size_t max_bytes, size_t *size, struct err *err);
/* The same for a path that the user has named: "-" is standard input, and it may be a pipe. */
char *file_read_named(const char *path, size_t max_bytes, size_t *size, struct err *err);
/* What is called when a pipe must be waited for: one to read after a second, one that nobody reads at once. NULL: nothing. */
void file_on_wait(void (*tell)(const char *path));
/* "-" or a pipe: what comes once, and only when somebody writes it. A running screen must not wait for it. */
bool file_is_stream(const char *path);

#endif
