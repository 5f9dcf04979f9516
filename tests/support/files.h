/* files.h - folders and files that a test makes for itself and removes again; bytes put together, little-endian. */
#ifndef POSVIZ_TESTS_FILES_H
#define POSVIZ_TESTS_FILES_H

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

static char scratch[256];       /* the folder of the test that runs */

static inline int scratch_open(void **state)
{
    (void)state;
    const char *tmp = getenv("TMPDIR");
    snprintf(scratch, sizeof scratch, "%s/posviz-test-%s", tmp && *tmp ? tmp : "/tmp", "XX" "XX" "XX");
    return mkdtemp(scratch) ? 0 : -1;
}

static inline int scratch_remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)where;
    if (type == FTW_DNR)
        chmod(path, 0700);
    return remove(path);
}

static inline int scratch_close(void **state)
{
    (void)state;
    return nftw(scratch, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* A path below the scratch folder, in one of a few buffers. */
static inline const char *scratch_path(const char *name)
{
    static char path[8][600];
    static int next;
    char *out = path[next++ % 8];
    snprintf(out, sizeof path[0], "%s/%s", scratch, name);
    return out;
}

/* Writes a file below the scratch folder, making the folders on the way. */
static inline const char *scratch_write(const char *name, const void *bytes, size_t n)
{
    const char *path = scratch_path(name);
    char folder[600];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *at = folder + strlen(scratch) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            abort();
        *at = '/';
    }
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
        abort();
    return path;
}

static inline const char *scratch_text(const char *name, const char *text)
{
    return scratch_write(name, text, strlen(text));
}

/* What such a file holds, with a zero behind it; the caller frees it. NULL if it is not there. */
static inline char *scratch_read(const char *name)
{
    enum { MOST = 1 << 20 };
    FILE *f = fopen(scratch_path(name), "rb");
    if (!f)
        return NULL;
    char *text = xcalloc(1, MOST);
    size_t n = fread(text, 1, MOST - 1, f);
    fclose(f);
    return n < MOST - 1 ? text : (abort(), NULL);
}

/* How many things the scratch folder holds. */
static inline int scratch_count(void)
{
    DIR *d = opendir(scratch);
    int n = -2;                     /* . and .. */
    while (d && readdir(d))
        n++;
    if (!d || closedir(d) != 0)
        abort();
    return n;
}

static inline void put_uint(struct buf *b, unsigned long long x, int bytes)
{
    for (int i = 0; i < bytes; i++)
        buf_put(b, &(unsigned char){(unsigned char)(x >> 8 * i)}, 1);
}

static inline void put_float(struct buf *b, double x)
{
    float f = (float)x;
    unsigned bits;
    memcpy(&bits, &f, sizeof bits);
    put_uint(b, bits, 4);
}

#endif
