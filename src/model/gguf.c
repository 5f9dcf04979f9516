#include "model/gguf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "model/bytes.h"
#include "model/floats.h"

enum { KEY_MAX = 65535, NAME_MAX_BYTES = 1024, NESTED_MAX = 4, LEAST_KEY = 8 + 4 + 1, LEAST_TENSOR = 8 + 4 + 4 + 8, ALIGNMENT = 32 };

/* Bytes of a scalar; 0: no scalar. */
static const unsigned char widths[GGUF_TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

static double scalar(struct bytes *b, enum gguf_type type)
{
    uint64_t bits = bytes_number(b, widths[type]);
    float f;
    double d;
    uint32_t word = (uint32_t)bits;
    switch (type) {
    case GGUF_I8:  return (int8_t)bits;
    case GGUF_I16: return (int16_t)bits;
    case GGUF_I32: return (int32_t)bits;
    case GGUF_I64: return (double)(int64_t)bits;
    case GGUF_F32: memcpy(&f, &word, sizeof f); return f;
    case GGUF_F64: memcpy(&d, &bits, sizeof d); return d;
    default:       return (double)bits;
    }
}

/* A text of the file: its length, then its bytes; kept up to max, the rest skipped. A NUL inside ends it. NULL if it cannot be there. */
static char *text(struct bytes *b, uint64_t longest, size_t max)
{
    uint64_t n = bytes_number(b, 8);
    if (b->bad || n > longest || n > bytes_left(b)) {
        b->bad = true;
        return NULL;
    }
    size_t kept = n < max ? (size_t)n : max;
    char *out = xcalloc(kept + 1, 1);
    bytes_copy(b, out, kept);
    bytes_skip(b, n - kept);
    return out;
}

static void array(struct bytes *b, struct gguf_value *v, int depth)
{
    v->item = (enum gguf_type)bytes_number(b, 4);
    v->n = bytes_number(b, 8);
    if (b->bad || v->item >= GGUF_TYPE_COUNT || depth > NESTED_MAX) {
        b->bad = true;
        return;
    }
    if (widths[v->item]) {
        if (v->n > bytes_left(b) / widths[v->item]) {
            b->bad = true;
        } else if (v->n > GGUF_LIST_MAX || v->n == 0) {
            bytes_skip(b, v->n * widths[v->item]);
        } else {
            v->list = table_new(1, (size_t[]){(size_t)v->n});
            for (uint64_t i = 0; i < v->n; i++)
                v->list->v[i] = scalar(b, v->item);
        }
        return;
    }
    if (v->n > bytes_left(b) / 8) {
        b->bad = true;
        return;
    }
    for (uint64_t i = 0; i < v->n && !b->bad; i++) {
        if (v->item == GGUF_STRING) {
            bytes_skip(b, bytes_number(b, 8));
        } else {
            struct gguf_value inner = {.number = NAN};
            array(b, &inner, depth + 1);
            table_unref(inner.list);
        }
    }
}

static bool read_value(struct bytes *b, struct gguf_value *v)
{
    *v = (struct gguf_value){.number = NAN, .key = text(b, KEY_MAX, KEY_MAX)};
    v->type = (enum gguf_type)bytes_number(b, 4);
    if (b->bad || v->type >= GGUF_TYPE_COUNT) {
        b->bad = true;
        return v->key != NULL;          /* the caller frees a key that is there */
    }
    if (v->type == GGUF_STRING)
        v->text = text(b, UINT64_MAX, GGUF_TEXT_MAX);
    else if (v->type == GGUF_ARRAY)
        array(b, v, 0);
    else
        v->number = scalar(b, v->type);
    return true;
}

static bool read_tensor(struct bytes *b, struct gguf_tensor *t)
{
    *t = (struct gguf_tensor){.name = text(b, KEY_MAX, NAME_MAX_BYTES)};
    uint64_t rank = bytes_number(b, 4);
    if (!t->name)
        return false;
    if (rank > GGUF_MAX_RANK)
        b->bad = true;
    for (t->rank = 0; !b->bad && (uint64_t)t->rank < rank; t->rank++)
        t->dim[t->rank] = bytes_number(b, 8);
    t->type = (uint32_t)bytes_number(b, 4);
    t->offset = bytes_number(b, 8);
    return true;
}

static bool bad_count(const char *path, const char *what, uint64_t n, struct err *err)
{
    return err_set(err, N_("%s: says it has %llu %s, more than the file can hold"), path, (unsigned long long)n, what);
}

static bool read_header(struct gguf *g, struct bytes *b, struct err *err)
{
    char magic[4];
    bytes_copy(b, magic, 4);
    g->version = (unsigned)bytes_number(b, 4);
    if (b->bad || memcmp(magic, "GGUF", 4))
        return err_set(err, N_("%s: is not a GGUF file"), g->path);
    if (g->version == 0x02000000 || g->version == 0x03000000)
        return err_set(err, N_("%s: is a big-endian GGUF file, which cannot be read here"), g->path);
    if (g->version != 2 && g->version != 3)
        return err_set(err, N_("%s: is GGUF version %u; versions 2 and 3 can be read"), g->path, g->version);
    uint64_t n_tensors = bytes_number(b, 8), n_values = bytes_number(b, 8);
    if (n_values > bytes_left(b) / LEAST_KEY)
        return bad_count(g->path, lang_text(err ? err->lang : LANG_EN, N_("keys")), n_values, err);
    if (n_tensors > bytes_left(b) / LEAST_TENSOR)
        return bad_count(g->path, lang_text(err ? err->lang : LANG_EN, N_("tensors")), n_tensors, err);
    g->value = xcalloc((size_t)n_values, sizeof *g->value);
    for (uint64_t i = 0; i < n_values; i++) {
        if (read_value(b, &g->value[i]))
            g->n_values++;
        if (b->bad)
            return err_set(err, N_("%s: key %llu of %llu is damaged or cut off, at byte %llu"), g->path, (unsigned long long)i + 1,
                           (unsigned long long)n_values, (unsigned long long)b->at);
    }
    g->tensor = xcalloc((size_t)n_tensors, sizeof *g->tensor);
    for (uint64_t i = 0; i < n_tensors; i++) {
        if (read_tensor(b, &g->tensor[i]))
            g->n_tensors++;
        if (b->bad)
            return err_set(err, N_("%s: tensor %llu of %llu is damaged or cut off, at byte %llu"), g->path, (unsigned long long)i + 1,
                           (unsigned long long)n_tensors, (unsigned long long)b->at);
    }
    return true;
}

static void find_data(struct gguf *g, uint64_t at)
{
    const struct gguf_value *v = gguf_get(g, "general.alignment");
    uint64_t unit = v && v->number >= 1 && v->number <= 65536 ? (uint64_t)v->number : ALIGNMENT;
    g->data_start = (at + unit - 1) / unit * unit;
}

struct gguf *gguf_open(const char *path, struct err *err)
{
    struct bytes b;
    if (!bytes_open(&b, path, err))
        return NULL;
    struct gguf *g = xcalloc(1, sizeof *g);
    g->path = xstrdup(path);
    g->file_size = b.size;
    bool good = read_header(g, &b, err);
    if (good)
        find_data(g, b.at);
    bytes_close(&b);
    if (good)
        return g;
    gguf_close(g);
    return NULL;
}

void gguf_close(struct gguf *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->n_values; i++) {
        free(g->value[i].key);
        free(g->value[i].text);
        table_unref(g->value[i].list);
    }
    for (size_t i = 0; i < g->n_tensors; i++)
        free(g->tensor[i].name);
    free(g->value);
    free(g->tensor);
    free(g->path);
    free(g);
}

const struct gguf_value *gguf_get(const struct gguf *g, const char *key)
{
    for (size_t i = g->n_values; i-- > 0;)
        if (!strcmp(g->value[i].key, key))
            return &g->value[i];
    return NULL;
}

const struct gguf_tensor *gguf_find_tensor(const struct gguf *g, const char *name)
{
    for (size_t i = 0; i < g->n_tensors; i++)
        if (!strcmp(g->tensor[i].name, name))
            return &g->tensor[i];
    return NULL;
}

static bool float_of(uint32_t ggml_type, enum float_type *out)
{
    static const struct { uint32_t ggml; enum float_type type; } known[] = {{0, FLOAT_F32}, {1, FLOAT_F16}, {30, FLOAT_BF16}, {28, FLOAT_F64}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].ggml == ggml_type) {
            *out = known[i].type;
            return true;
        }
    }
    return false;
}

struct table *gguf_values(const struct gguf *g, const struct gguf_tensor *t, size_t max, struct err *err)
{
    enum float_type type;
    size_t n = 1, dim[GGUF_MAX_RANK];
    char name[80];
    utf8_sanitise(name, sizeof name, t->name);
    if (!float_of(t->type, &type))
        return err_set(err, N_("%s: tensor %s is quantised (type %u) and not read"), g->path, name, t->type), NULL;
    for (int r = 0; r < t->rank; r++) {
        if (!t->dim[r] || t->dim[r] > max / n)
            return err_set(err, N_("%s: tensor %s has more than %zu numbers, or none"), g->path, name, max), NULL;
        n *= (size_t)t->dim[r];
        dim[t->rank - 1 - r] = (size_t)t->dim[r];
    }
    uint64_t bytes = (uint64_t)n * float_size(type), at = g->data_start + t->offset;
    if (at < t->offset || at > g->file_size || g->file_size - at < bytes)
        return err_set(err, N_("%s: tensor %s lies outside the file"), g->path, name), NULL;
    struct bytes b;
    if (!bytes_open(&b, g->path, err))
        return NULL;
    unsigned char *raw = xmalloc((size_t)bytes);
    bytes_seek(&b, at);
    bytes_copy(&b, raw, (size_t)bytes);
    struct table *values = b.bad ? NULL : table_new(t->rank ? t->rank : 1, t->rank ? dim : (size_t[]){1});
    if (values) {
        float_read(values->v, raw, type, n);
        utf8_sanitise(values->name, sizeof values->name, t->name);
    } else {
        err_set(err, N_("%s: tensor %s cannot be read"), g->path, name);
    }
    free(raw);
    bytes_close(&b);
    return values;
}
