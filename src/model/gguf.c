#include "model/gguf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "model/bytes.h"
#include "model/floats.h"

enum { KEY_MAX = 65535, NAME_MAX_BYTES = 1024, NESTED_MAX = 4, LEAST_KEY = 8 + 4 + 1, LEAST_TENSOR = 8 + 4 + 4 + 8, ALIGNMENT = 32 };
/* A header with a vocabulary has some ten MiB; these bounds keep a file made to exhaust us cheap. */
enum { HEADER_MAX = 256 << 20, ENTRIES_MAX = 1 << 20, NUMBERS_MAX = 1 << 22 };

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

/* room: how many numbers may still be kept of all arrays together. */
static void array(struct bytes *b, struct gguf_value *v, int depth, size_t *room)
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
        } else if (v->n > GGUF_LIST_MAX || v->n > *room || v->n == 0) {
            bytes_skip(b, v->n * widths[v->item]);
        } else {
            *room -= (size_t)v->n;
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
            array(b, &inner, depth + 1, room);
            table_unref(inner.list);
        }
    }
}

static bool read_value(struct bytes *b, struct gguf_value *v, size_t *room)
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
        array(b, v, 0, room);
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
    return err_set(err, N_("%s: says it has %llu %s, more than a file of its size can hold"), path, (unsigned long long)n, what);
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
    size_t room = NUMBERS_MAX;
    if (n_values > bytes_left(b) / LEAST_KEY || n_values > ENTRIES_MAX)
        return bad_count(g->path, lang_text(err ? err->lang : LANG_EN, N_("keys")), n_values, err);
    if (n_tensors > bytes_left(b) / LEAST_TENSOR || n_tensors > ENTRIES_MAX)
        return bad_count(g->path, lang_text(err ? err->lang : LANG_EN, N_("tensors")), n_tensors, err);
    g->value = xcalloc((size_t)n_values, sizeof *g->value);
    for (uint64_t i = 0; i < n_values; i++) {
        if (read_value(b, &g->value[i], &room))
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

/* ---- by name ------------------------------------------------------------------------------------------------------- */

static void sort_names(struct gguf *g)
{
    g->by_key = xcalloc(g->n_values, sizeof *g->by_key);
    g->by_name = xcalloc(g->n_tensors, sizeof *g->by_name);
    for (size_t i = 0; i < g->n_values; i++)
        g->by_key[i] = (struct name_at){g->value[i].key, i};
    for (size_t i = 0; i < g->n_tensors; i++)
        g->by_name[i] = (struct name_at){g->tensor[i].name, i};
    names_sort(g->by_key, g->n_values);
    names_sort(g->by_name, g->n_tensors);
}

const struct gguf_value *gguf_get(const struct gguf *g, const char *key)
{
    const struct name_at *found = names_find_last(g->by_key, g->n_values, key);
    return found ? &g->value[found->index] : NULL;
}

const struct gguf_tensor *gguf_find_tensor(const struct gguf *g, const char *name)
{
    const struct name_at *found = names_find_last(g->by_name, g->n_tensors, name);
    return found ? &g->tensor[found->index] : NULL;
}

void gguf_duplicates(const struct gguf *g, void (*fn)(const char *key, size_t times, void *context), void *context)
{
    size_t run = 1;
    for (size_t i = 1; i <= g->n_values; i++, run++) {
        if (i < g->n_values && !strcmp(g->by_key[i].name, g->by_key[i - 1].name))
            continue;
        if (run > 1)
            fn(g->by_key[i - 1].name, run, context);
        run = 0;
    }
}

/* ---- opening ---------------------------------------------------------------------------------------------------------- */

static bool find_data(struct gguf *g, uint64_t at, struct err *err)
{
    const struct gguf_value *v = gguf_get(g, "general.alignment");
    double unit = v ? v->number : ALIGNMENT;
    if (!(unit >= 1 && unit <= 0x1p31) || ((uint64_t)unit & ((uint64_t)unit - 1)) || unit != floor(unit))
        return err_set(err, N_("%s: general.alignment is %.10g, which is no power of two: llama.cpp refuses such a file"), g->path, unit);
    g->alignment = (uint64_t)unit;
    g->data_start = (at + g->alignment - 1) / g->alignment * g->alignment;
    return true;
}

struct gguf *gguf_open(const char *path, struct err *err)
{
    struct bytes b;
    if (!bytes_open(&b, path, err))
        return NULL;
    struct gguf *g = xcalloc(1, sizeof *g);
    g->path = xstrdup(path);
    g->file_size = b.size;
    g->id = b.id;
    if (b.size > HEADER_MAX)
        b.size = HEADER_MAX;
    bool good = read_header(g, &b, err);
    sort_names(g);
    good = good && find_data(g, b.at, err);
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
    free(g->by_key);
    free(g->by_name);
    free(g->path);
    free(g);
}

/* ---- the numbers of a tensor ---------------------------------------------------------------------------------------- */

/* Numbers in a block and its bytes, by ggml_type; zero: a type of the past or none. */
static const struct { unsigned short numbers, bytes; } blocks[] = {
    [0] = {1, 4},   [1] = {1, 2},    [2] = {32, 18},   [3] = {32, 20},   [6] = {32, 22},   [7] = {32, 24},   [8] = {32, 34},
    [9] = {32, 36}, [10] = {256, 84}, [11] = {256, 110}, [12] = {256, 144}, [13] = {256, 176}, [14] = {256, 210}, [15] = {256, 292},
    [16] = {256, 66}, [17] = {256, 74}, [18] = {256, 98}, [19] = {256, 50}, [20] = {32, 18}, [21] = {256, 110}, [22] = {256, 82},
    [23] = {256, 136}, [24] = {1, 1}, [25] = {1, 2}, [26] = {1, 4}, [27] = {1, 8}, [28] = {1, 8}, [29] = {256, 56}, [30] = {1, 2},
    [34] = {256, 54}, [35] = {256, 66}, [39] = {32, 17},
};

uint64_t gguf_tensor_bytes(const struct gguf_tensor *t)
{
    uint64_t n = 1;
    if (t->type >= sizeof blocks / sizeof *blocks || !blocks[t->type].bytes)
        return 0;
    for (int r = 0; r < t->rank; r++) {
        if (t->dim[r] && n > UINT64_MAX / 512 / t->dim[r])
            return 0;
        n *= t->dim[r];
    }
    return (n + blocks[t->type].numbers - 1) / blocks[t->type].numbers * blocks[t->type].bytes;
}

bool gguf_tensor_inside(const struct gguf *g, const struct gguf_tensor *t)
{
    uint64_t bytes = gguf_tensor_bytes(t), at = g->data_start + t->offset;
    return at >= t->offset && at <= g->file_size && bytes <= g->file_size - at;
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
    if (!bytes_open_again(&b, g->path, &g->id, err))
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
