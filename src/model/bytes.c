#include "model/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

enum { BUFFER = 1 << 16 };

bool bytes_open(struct bytes *b, const char *path, struct err *err)
{
    struct stat st = {0};
    *b = (struct bytes){.fd = file_open(path, false, err)};
    if (b->fd < 0)
        return false;
    fstat(b->fd, &st);
    b->size = (uint64_t)st.st_size;
    b->id = (struct file_id){(uint64_t)st.st_dev, (uint64_t)st.st_ino, b->size, (uint64_t)st.st_mtim.tv_sec, (uint64_t)st.st_mtim.tv_nsec};
    b->buffer = xmalloc(BUFFER);
    return true;
}

bool bytes_open_again(struct bytes *b, const char *path, const struct file_id *id, struct err *err)
{
    if (!bytes_open(b, path, err))
        return false;
    if (!memcmp(&b->id, id, sizeof *id))
        return true;
    bytes_close(b);
    return err_set(err, N_("%s: was changed while it was read"), path);
}

void bytes_close(struct bytes *b)
{
    if (b->fd >= 0)
        close(b->fd);
    free(b->buffer);
    *b = (struct bytes){.fd = -1};
}

uint64_t bytes_left(const struct bytes *b)
{
    return b->bad || b->at > b->size ? 0 : b->size - b->at;
}

/* Makes the buffer hold the byte at b->at; a file that was cut meanwhile ends early. */
static bool fill(struct bytes *b)
{
    if (b->at >= b->start && b->at < b->start + b->filled)
        return true;
    ssize_t n;
    do
        n = pread(b->fd, b->buffer, BUFFER, (off_t)b->at);
    while (n < 0 && errno == EINTR);
    b->start = b->at;
    b->filled = n > 0 ? (size_t)n : 0;
    return n > 0;
}

void bytes_copy(struct bytes *b, void *out, size_t n)
{
    unsigned char *to = out;
    while (n && bytes_left(b) >= n && fill(b)) {
        size_t offset = (size_t)(b->at - b->start), part = b->filled - offset < n ? b->filled - offset : n;
        memcpy(to, b->buffer + offset, part);
        b->at += part;
        to += part;
        n -= part;
    }
    if (n) {
        memset(to, 0, n);
        b->bad = true;
    }
}

uint64_t bytes_number(struct bytes *b, int n)
{
    unsigned char raw[8] = {0};
    uint64_t x = 0;
    bytes_copy(b, raw, (size_t)n);
    for (int i = 0; i < n; i++)
        x |= (uint64_t)raw[i] << 8 * i;
    return x;
}

void bytes_skip(struct bytes *b, uint64_t n)
{
    if (bytes_left(b) < n)
        b->bad = true;
    else
        b->at += n;
}

void bytes_seek(struct bytes *b, uint64_t at)
{
    if (at > b->size)
        b->bad = true;
    else
        b->at = at;
}
