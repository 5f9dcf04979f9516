/* npy.c - NumPy's .npy format, as its format description (numpy.lib.format) fixes it: the magic "\x93NUMPY", two version bytes, the
 * header's length (2 bytes in version 1, 4 in 2 and 3), a Python dictionary as text, then the numbers. */
#include "model/npy.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "model/floats.h"

enum { HEADER_MAX = 65536, MAX_NUMBERS = 1 << 28 };

struct npy {
    const unsigned char *data;
    char header[HEADER_MAX];
    enum float_type type;
    bool fortran;
    int rank;
    size_t dim[TABLE_MAX_RANK];
};

/* The text behind 'key': in the header's dictionary, or NULL. */
static const char *entry(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    at = at ? strchr(at + strlen(key), ':') : NULL;
    return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

static bool read_shape(struct npy *a, const char *text)
{
    if (!text || *text != '(')
        return false;
    for (text++; *text && *text != ')';) {
        char *end;
        errno = 0;
        unsigned long long x = strtoull(text, &end, 10);
        if (end == text || errno || a->rank == TABLE_MAX_RANK || x > MAX_NUMBERS)
            return false;
        a->dim[a->rank++] = (size_t)x;
        text = end + strspn(end, ", L");
    }
    return *text == ')';
}

static bool read_header(struct npy *a, const char *path, const unsigned char *file, size_t size, struct err *err)
{
    if (size < 10 || memcmp(file, "\x93NUMPY", 6))
        return err_set(err, N_("%s: is not a .npy file"), path);
    size_t prefix = file[6] == 1 ? 10 : 12;
    size_t length = file[8] | (size_t)file[9] << 8;
    if (prefix == 12 && size >= 12)
        length |= (size_t)file[10] << 16 | (size_t)file[11] << 24;
    if (file[6] < 1 || file[6] > 3 || size < prefix || length >= HEADER_MAX || length > size - prefix)
        return err_set(err, N_("%s: its header is damaged"), path);
    memcpy(a->header, file + prefix, length);
    a->header[length] = '\0';
    a->data = file + prefix + length;
    const char *type = entry(a->header, "'descr'"), *order = entry(a->header, "'fortran_order'");
    char shown[24];
    utf8_sanitise(shown, sizeof shown, type ? type : "?");
    if (!type || !(!strncmp(type, "'<f2'", 5) ? (a->type = FLOAT_F16, true) : !strncmp(type, "'<f4'", 5) ? (a->type = FLOAT_F32, true)
                   : !strncmp(type, "'<f8'", 5) ? (a->type = FLOAT_F64, true) : false))
        return err_set(err, N_("%s: holds %s; float16, float32 and float64 (little-endian) can be read"), path, shown);
    a->fortran = order && !strncmp(order, "True", 4);
    return read_shape(a, entry(a->header, "'shape'")) || err_set(err, N_("%s: its shape cannot be read (at most %d axes)"), path, TABLE_MAX_RANK);
}

/* Row-major index of the i-th number in column-major order. */
static size_t from_fortran(const struct npy *a, size_t i)
{
    size_t index[TABLE_MAX_RANK], at = 0;
    for (int r = 0; r < a->rank; r++) {
        index[r] = i % a->dim[r];
        i /= a->dim[r];
    }
    for (int r = 0; r < a->rank; r++)
        at = at * a->dim[r] + index[r];
    return at;
}

static struct table *read_numbers(const struct npy *a, const char *path, size_t room, struct err *err)
{
    size_t n = 1;
    for (int r = 0; r < a->rank; r++) {
        if (a->dim[r] && n > MAX_NUMBERS / a->dim[r])
            return err_set(err, N_("%s: has more than %d numbers"), path, MAX_NUMBERS), NULL;
        n *= a->dim[r];
    }
    if (n == 0 || room / float_size(a->type) < n)
        return err_set(err, N_("%s: %zu numbers are promised, the file holds %zu"), path, n, room / float_size(a->type)), NULL;
    struct table *t = table_new(a->rank ? a->rank : 1, a->rank ? a->dim : (size_t[]){1});
    float_read(t->v, a->data, a->type, n);
    if (a->fortran && a->rank > 1) {
        struct table *c = table_new(a->rank, a->dim);
        for (size_t i = 0; i < n; i++)
            c->v[from_fortran(a, i)] = t->v[i];
        table_unref(t);
        t = c;
    }
    utf8_sanitise(t->name, sizeof t->name, path);
    return t;
}

struct table *npy_load(const char *path, struct err *err)
{
    int fd = file_open(path, false, err);
    struct stat st = {0};
    if (fd < 0)
        return NULL;
    fstat(fd, &st);
    size_t size = (size_t)st.st_size;
    if (size > (size_t)MAX_NUMBERS * 8 + HEADER_MAX) {
        close(fd);
        return err_set(err, N_("%s: is larger than the %zu bytes that are allowed here"), path, (size_t)MAX_NUMBERS * 8), NULL;
    }
    /* Read rather than mapped: a file cut while we look at it must not end the program with SIGBUS. */
    unsigned char *file = xmalloc(size + 1);
    size_t got = 0;
    for (ssize_t n = 1; got < size && n > 0; got += n > 0 ? (size_t)n : 0)
        n = read(fd, file + got, size - got);
    close(fd);
    struct npy *a = xcalloc(1, sizeof *a);
    struct table *t = read_header(a, path, file, got, err) ? read_numbers(a, path, got - (size_t)(a->data - file), err) : NULL;
    free(a);
    free(file);
    return t;
}
