/* gguf.h - the header of a GGUF file (versions 2 and 3, little-endian): keys with values, and the list of tensors. The values of a tensor
 * are read only when asked for, so a file of 100 GB costs what its header costs. Format: ggml's docs/gguf.md.
 *
 * gguf_open, gguf_get / gguf_tensor, gguf_values, gguf_close. Names are as in the file: sanitise them before they are shown. */
#ifndef POSVIZ_MODEL_GGUF_H
#define POSVIZ_MODEL_GGUF_H

#include <stdint.h>
#include "base/err.h"
#include "core/table.h"
#include "model/bytes.h"
#include "model/names.h"

enum gguf_type {
    GGUF_U8, GGUF_I8, GGUF_U16, GGUF_I16, GGUF_U32, GGUF_I32, GGUF_F32, GGUF_BOOL, GGUF_STRING, GGUF_ARRAY, GGUF_U64, GGUF_I64, GGUF_F64,
    GGUF_TYPE_COUNT
};

/* What is kept of a value: scalars as a number, texts up to GGUF_TEXT_MAX bytes, arrays of numbers up to GGUF_LIST_MAX; longer ones and
 * arrays of texts (vocabularies) only by their length. */
enum { GGUF_TEXT_MAX = 4096, GGUF_LIST_MAX = 65536 };
struct gguf_value {
    char *key;
    enum gguf_type type, item;          /* item: of an array */
    double number;                      /* NAN: none */
    char *text;                         /* STRING, or NULL */
    struct table *list;                 /* ARRAY of numbers, or NULL */
    uint64_t n;                         /* entries of an array */
};

enum { GGUF_MAX_RANK = 4 };
struct gguf_tensor {
    char *name;
    int rank;
    uint64_t dim[GGUF_MAX_RANK];        /* fastest first, as ggml counts */
    uint32_t type;                      /* ggml_type: 0 f32, 1 f16, 30 bf16, 28 f64; others are quantised */
    uint64_t offset;                    /* from the start of the data */
};

struct gguf {
    char *path;
    unsigned version;
    uint64_t file_size, data_start, alignment;
    struct file_id id;
    struct gguf_value *value; size_t n_values;
    struct gguf_tensor *tensor; size_t n_tensors;
    struct name_at *by_key, *by_name;       /* values and tensors by name, then by place in the file */
};

/* NULL and a message that names the file, the place and what is wrong. */
struct gguf *gguf_open(const char *path, struct err *err);
void gguf_close(struct gguf *g);        /* NULL is allowed */

/* The last value with this key (llama.cpp refuses a file that has two); NULL if absent. */
const struct gguf_value *gguf_get(const struct gguf *g, const char *key);
const struct gguf_tensor *gguf_find_tensor(const struct gguf *g, const char *name);
/* Calls fn for every key that stands more than once. */
void gguf_duplicates(const struct gguf *g, void (*fn)(const char *key, size_t times, void *context), void *context);
/* Bytes of a tensor's data; 0 if its type is not known or the number too large. */
uint64_t gguf_tensor_bytes(const struct gguf_tensor *t);
/* Does its data lie inside the file? True where the size cannot be told. */
bool gguf_tensor_inside(const struct gguf *g, const struct gguf_tensor *t);
/* The numbers of a tensor of f32, f16, bf16 or f64, slowest axis first, at most max of them; NULL and a message otherwise. */
struct table *gguf_values(const struct gguf *g, const struct gguf_tensor *t, size_t max, struct err *err);

#endif
