/* gguf_file.h - writes small GGUF files (version 3) for tests: keys, then tensors of float32.
 *
 * struct gguf_file g = {0}; gguf_text / gguf_uint / gguf_float / gguf_uints ...; gguf_floats for tensors; gguf_write. */
#ifndef POSVIZ_TESTS_GGUF_FILE_H
#define POSVIZ_TESTS_GGUF_FILE_H

#include "files.h"

struct gguf_file { struct buf keys, tensors, data; unsigned long long n_keys, n_tensors; };

enum { FILE_U8, FILE_I8, FILE_U16, FILE_I16, FILE_U32, FILE_I32, FILE_F32, FILE_BOOL, FILE_STRING, FILE_ARRAY, FILE_U64, FILE_I64, FILE_F64 };

static inline void gguf_name(struct buf *b, const char *name)
{
    put_uint(b, strlen(name), 8);
    buf_put(b, name, strlen(name));
}

static inline void gguf_key(struct gguf_file *g, const char *key, unsigned type)
{
    gguf_name(&g->keys, key);
    put_uint(&g->keys, type, 4);
    g->n_keys++;
}

static inline void gguf_text(struct gguf_file *g, const char *key, const char *text)
{
    gguf_key(g, key, FILE_STRING);
    gguf_name(&g->keys, text);
}

static inline void gguf_uint(struct gguf_file *g, const char *key, unsigned long long x)
{
    gguf_key(g, key, FILE_U32);
    put_uint(&g->keys, x, 4);
}

static inline void gguf_float(struct gguf_file *g, const char *key, double x)
{
    gguf_key(g, key, FILE_F32);
    put_float(&g->keys, x);
}

static inline void gguf_bool(struct gguf_file *g, const char *key, int x)
{
    gguf_key(g, key, FILE_BOOL);
    put_uint(&g->keys, (unsigned)x, 1);
}

static inline void gguf_list(struct gguf_file *g, const char *key, unsigned type, const int *x, size_t n)
{
    gguf_key(g, key, FILE_ARRAY);
    put_uint(&g->keys, type, 4);
    put_uint(&g->keys, n, 8);
    for (size_t i = 0; i < n; i++)
        put_uint(&g->keys, (unsigned)x[i], type == FILE_BOOL ? 1 : 4);
}

/* A tensor with `columns` numbers a row; type 0 is float32. values may be NULL: zeros. */
static inline void gguf_typed(struct gguf_file *g, const char *name, unsigned type, size_t rows, size_t columns, const double *values, size_t bytes)
{
    gguf_name(&g->tensors, name);
    put_uint(&g->tensors, rows > 1 ? 2 : 1, 4);
    put_uint(&g->tensors, columns, 8);
    if (rows > 1)
        put_uint(&g->tensors, rows, 8);
    put_uint(&g->tensors, type, 4);
    put_uint(&g->tensors, g->data.n, 8);
    g->n_tensors++;
    size_t start = g->data.n;
    for (size_t i = 0; values && i < rows * columns; i++)
        put_float(&g->data, values[i]);
    while (g->data.n < start + bytes)
        put_uint(&g->data, 0, 1);
    while (g->data.n % 32)
        put_uint(&g->data, 0, 1);
}

static inline void gguf_floats(struct gguf_file *g, const char *name, size_t rows, size_t columns, const double *values)
{
    gguf_typed(g, name, 0, rows, columns, values, rows * columns * 4);
}

static inline struct buf gguf_bytes(const struct gguf_file *g)
{
    struct buf b = {0};
    buf_put(&b, "GGUF", 4);
    put_uint(&b, 3, 4);
    put_uint(&b, g->n_tensors, 8);
    put_uint(&b, g->n_keys, 8);
    buf_put(&b, g->keys.data, g->keys.n);
    buf_put(&b, g->tensors.data, g->tensors.n);
    while (g->n_tensors && b.n % 32)
        put_uint(&b, 0, 1);
    buf_put(&b, g->data.data, g->data.n);
    return b;
}

static inline void gguf_free(struct gguf_file *g)
{
    buf_done(&g->keys);
    buf_done(&g->tensors);
    buf_done(&g->data);
    *g = (struct gguf_file){0};
}

/* Writes the file below the scratch folder and frees g. */
static inline const char *gguf_write(struct gguf_file *g, const char *name)
{
    struct buf b = gguf_bytes(g);
    const char *path = scratch_write(name, b.data, b.n);
    buf_done(&b);
    gguf_free(g);
    return path;
}

/* The keys that every language model's file has. */
static inline struct gguf_file gguf_model(const char *arch, unsigned layers, unsigned width, unsigned heads, unsigned context)
{
    struct gguf_file g = {0};
    char key[120];
    const struct { const char *name; unsigned x; } counts[] = {{"block_count", layers}, {"embedding_length", width}, {"attention.head_count", heads},
                                                               {"context_length", context}};
    gguf_text(&g, "general.architecture", arch);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        snprintf(key, sizeof key, "%s.%s", arch, counts[i].name);
        gguf_uint(&g, key, counts[i].x);
    }
    return g;
}

#endif
