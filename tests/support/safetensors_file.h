/* safetensors_file.h - writes small safetensors files for tests. struct tensors t = {0}; tensors_add...; tensors_write. */
#ifndef POSVIZ_TESTS_SAFETENSORS_FILE_H
#define POSVIZ_TESTS_SAFETENSORS_FILE_H

#include "files.h"

struct tensors { struct buf header, data; };

/* One number in a format of safetensors: "F64", "F32", "F16" (multiples of 2^-10 up to 32), "BF16" (8 significant bits). */
static inline void put_number(struct buf *b, const char *dtype, double x)
{
    float f = (float)x;
    unsigned bits;
    unsigned long long wide;
    memcpy(&bits, &f, sizeof bits);
    memcpy(&wide, &x, sizeof wide);
    if (!strcmp(dtype, "F64"))
        put_uint(b, wide, 8);
    else if (!strcmp(dtype, "F32"))
        put_uint(b, bits, 4);
    else if (!strcmp(dtype, "BF16"))
        put_uint(b, bits >> 16, 2);
    else
        put_uint(b, (bits & 0x7fffffff) ? (bits >> 16 & 0x8000) | ((((bits >> 23 & 255) - 112) & 31) << 10) | (bits >> 13 & 1023) : 0, 2);
}

/* shape: "[4,8]". values may be NULL: zeros. */
static inline void tensors_add(struct tensors *t, const char *name, const char *dtype, const char *shape, size_t n, const double *values)
{
    char entry[400];
    size_t begin = t->data.n;
    for (size_t i = 0; i < n; i++)
        put_number(&t->data, dtype, values ? values[i] : 0);
    snprintf(entry, sizeof entry, "%s\"%s\":{\"dtype\":\"%s\",\"shape\":%s,\"data_offsets\":[%zu,%zu]}", t->header.n ? "," : "{", name, dtype, shape, begin, t->data.n);
    buf_text(&t->header, entry);
}

static inline struct buf tensors_bytes(struct tensors *t)
{
    struct buf b = {0};
    if (!t->header.n)
        buf_text(&t->header, "{");
    buf_text(&t->header, "}");
    put_uint(&b, t->header.n, 8);
    buf_put(&b, t->header.data, t->header.n);
    buf_put(&b, t->data.data, t->data.n);
    buf_done(&t->header);
    buf_done(&t->data);
    return b;
}

static inline const char *tensors_write(struct tensors *t, const char *name)
{
    struct buf b = tensors_bytes(t);
    const char *path = scratch_write(name, b.data, b.n);
    buf_done(&b);
    return path;
}

#endif
