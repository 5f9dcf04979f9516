#include "base/buf.h"

#include <stdlib.h>
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

void buf_put(struct buf *b, const void *bytes, size_t n)
{
    if (n == 0)
        return;
    if (b->n + n > b->size) {
        b->size = 2 * (b->n + n) + 64;
        b->data = xreallocarray(b->data, b->size, 1);
    }
    memcpy(b->data + b->n, bytes, n);
    b->n += n;
}

void buf_text(struct buf *b, const char *text)
{
    buf_put(b, text, strlen(text));
}

void buf_format(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = xvasprintf(fmt, ap);
    va_end(ap);
    buf_text(b, text);
    free(text);
}

void buf_escaped(struct buf *b, const char *text, const struct escape *escapes)
{
    for (; *text; text++) {
        const struct escape *e = escapes;
        while (e->to && e->from != *text)
            e++;
        if (e->to)
            buf_text(b, e->to);
        else
            buf_put(b, text, 1);
    }
}

void buf_utf8(struct buf *b, uint32_t ch)
{
    char bytes[5];
    buf_put(b, bytes, utf8_encode(ch, bytes));
}

void buf_number(struct buf *b, unsigned number)
{
    char digits[10];
    size_t n = 0;
    do
        digits[sizeof digits - ++n] = (char)('0' + number % 10);
    while (number /= 10);
    buf_put(b, digits + sizeof digits - n, n);
}

char *buf_string(struct buf *b)
{
    buf_put(b, "", 1);
    char *text = b->data;
    *b = (struct buf){0};
    return text;
}

void buf_done(struct buf *b)
{
    free(b->data);
    *b = (struct buf){0};
}
