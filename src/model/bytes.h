/* bytes.h - bounded reading of binary files: little-endian numbers at a moving place, through a buffer, never past the end. Once something
 * was missing, `bad` stays set and every further read gives zeros, so that a parser may check at the end of a record. */
#ifndef POSVIZ_MODEL_BYTES_H
#define POSVIZ_MODEL_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include "base/err.h"

/* What tells a file from the one that was there before. */
struct file_id { uint64_t device, inode, size, seconds, nanoseconds; };

struct bytes {
    int fd;
    struct file_id id;
    uint64_t size, at;              /* of the file; place of the next byte */
    unsigned char *buffer;
    uint64_t start; size_t filled;  /* part of the file that the buffer holds */
    bool bad;
};

/* A regular file; false and a message if it cannot be opened. */
bool bytes_open(struct bytes *b, const char *path, struct err *err);
/* The same file once more; false and a message if it was replaced or written to since id was taken. */
bool bytes_open_again(struct bytes *b, const char *path, const struct file_id *id, struct err *err);
void bytes_close(struct bytes *b);

uint64_t bytes_left(const struct bytes *b);
/* n bytes, at most 8, as an unsigned number. */
uint64_t bytes_number(struct bytes *b, int n);
/* n bytes into out; zeros if they are not there. */
void bytes_copy(struct bytes *b, void *out, size_t n);
/* Moves on without reading; bad if it leads past the end. */
void bytes_skip(struct bytes *b, uint64_t n);
void bytes_seek(struct bytes *b, uint64_t at);

#endif
