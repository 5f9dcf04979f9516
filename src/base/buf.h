/* buf.h - bytes that grow: text and terminal output put together piece by piece. A zeroed struct buf is empty and ready;
 * buf_done frees it. */
#ifndef POSVIZ_BASE_BUF_H
#define POSVIZ_BASE_BUF_H

#include <stddef.h>
#include <stdint.h>

struct buf {
    char *data;             /* n bytes, and no NUL unless buf_string put one */
    size_t n, size;
};

void buf_put(struct buf *b, const void *bytes, size_t n);
void buf_text(struct buf *b, const char *text);
void buf_format(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Text in which some bytes are written in another way; escapes ends with {0, NULL}. */
struct escape { char from; const char *to; };
void buf_escaped(struct buf *b, const char *text, const struct escape *escapes);
void buf_utf8(struct buf *b, uint32_t ch);
void buf_number(struct buf *b, unsigned number);        /* decimal */
/* The bytes as a string, which now belongs to the caller; the buffer is empty again. */
char *buf_string(struct buf *b);
void buf_done(struct buf *b);

#endif
