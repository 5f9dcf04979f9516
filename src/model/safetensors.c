#include "model/safetensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "json/json.h"
#include "model/bytes.h"
#include "model/floats.h"

enum { HEADER_MAX = SAFETENSORS_HEADER_MAX };

/* What the first bytes say when they are no header length. */
static const struct { const char *magic; size_t n; const char *what; } others[] = {
    {"PK\3\4", 4, N_("starts like a zip: probably a PyTorch .bin or .pt file")},
    {"\x80\2", 2, N_("starts like a Python pickle: probably an old PyTorch file")},
    {"version https://git-lfs", 23, N_("is a Git LFS pointer, not the file itself: fetch it with git lfs pull")},
    {"GGUF", 4, N_("is a GGUF file under another name")},
    {"\x89HDF", 4, N_("is an HDF5 file")},
    {"{", 1, N_("starts like JSON text")},
    {"<", 1, N_("starts like a web page: the download gave an error page")},
};

static bool wrong_length(const char *path, const unsigned char *head, size_t n, uint64_t length, uint64_t size, struct err *err)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (n >= others[i].n && !memcmp(head, others[i].magic, others[i].n))
            return err_set(err, N_("%s: %s (its header length would be %llu, the file has %llu bytes)"), path,
                           lang_text(err ? err->lang : LANG_EN, others[i].what), (unsigned long long)length, (unsigned long long)size);
    if (length > size)
        return err_set(err, N_("%s: header length %llu is larger than the file (%llu bytes): cut off, or another format"), path,
                       (unsigned long long)length, (unsigned long long)size);
    return err_set(err, N_("%s: header length %llu: allowed is 2 to %d"), path, (unsigned long long)length, HEADER_MAX);
}

static char *read_header_text(struct safetensors *s, size_t *size, struct err *err)
{
    struct bytes b;
    if (!bytes_open(&b, s->path, err))
        return NULL;
    unsigned char head[32] = {0};
    s->file_size = b.size;
    s->id = b.id;
    size_t seen = b.size < sizeof head ? (size_t)b.size : sizeof head;
    bytes_copy(&b, head, seen);
    bytes_seek(&b, 0);
    uint64_t length = bytes_number(&b, 8);
    char *text = NULL;
    if (b.size < 8) {
        err_set(err, N_("%s: has %llu bytes, too few for a safetensors file"), s->path, (unsigned long long)b.size);
    } else if (length < 2 || length > HEADER_MAX || length > b.size - 8) {
        wrong_length(s->path, head, seen, length, b.size, err);
    } else {
        text = xmalloc((size_t)length);
        bytes_copy(&b, text, (size_t)length);
        *size = (size_t)length;
        s->data_start = 8 + length;
        if (b.bad) {
            free(text);
            text = NULL;
            err_set(err, N_("%s: cannot be read to the end of its header"), s->path);
        }
    }
    bytes_close(&b);
    return text;
}

static bool whole(const struct json *v, uint64_t *out)
{
    double x = json_number(v, -1);
    *out = x >= 0 && x <= 0x1p53 ? (uint64_t)x : 0;
    return x >= 0 && x <= 0x1p53 && x == floor(x);
}

static bool take_fields(const struct json *v, struct safetensor *t)
{
    const struct json *shape = json_get(v, "shape"), *place = json_get(v, "data_offsets");
    const char *dtype = json_string(json_get(v, "dtype"));
    bool good = dtype && json_type(shape) == JSON_ARRAY && json_size(shape) <= SAFETENSORS_MAX_RANK && json_size(place) == 2;
    for (const struct json *d = json_first(shape); good && d; d = json_next(d))
        good = whole(d, &t->dim[t->rank++]);
    snprintf(t->dtype, sizeof t->dtype, "%s", dtype ? dtype : "");
    return good && whole(json_at(place, 0), &t->begin) && whole(json_at(place, 1), &t->end) && t->begin <= t->end;
}

struct reading { struct safetensors *s; struct err *err; bool refused; size_t room; };

/* A member of the header: a tensor. Entries have some hundred bytes, and are parsed one by one. */
static bool read_tensor(const char *key, const char *value, size_t size, void *context)
{
    enum { ENTRY_MAX = 4096 };
    struct reading *r = context;
    struct safetensors *s = r->s;
    struct safetensor t = {0};
    char name[80];
    if (!strcmp(key, "__metadata__"))
        return true;
    struct json *v = size <= ENTRY_MAX ? json_parse(value, size, NULL) : NULL;
    bool good = take_fields(v, &t);
    json_free(v);
    r->refused = !good || t.end > s->file_size - s->data_start;
    if (r->refused)
        utf8_sanitise(name, sizeof name, key);
    if (!good)
        return err_set(r->err, N_("%s: the entry of tensor %s is damaged"), s->path, name);
    if (r->refused)
        return err_set(r->err, N_("%s: tensor %s ends at byte %llu of the data, which has %llu: the file is cut off"), s->path, name,
                       (unsigned long long)t.end, (unsigned long long)(s->file_size - s->data_start));
    if (s->n_tensors == r->room) {
        r->room = r->room ? 2 * r->room : 64;
        s->tensor = xreallocarray(s->tensor, r->room, sizeof *s->tensor);
    }
    t.name = xstrdup(key);
    s->tensor[s->n_tensors++] = t;
    return true;
}

static bool read_header(struct safetensors *s, const char *text, size_t size, struct err *err)
{
    struct reading r = {.s = s, .err = err};
    if (*text != '{')
        return err_set(err, N_("%s: its header is no JSON object"), s->path);
    return json_members(text, size, read_tensor, &r, err) || (!r.refused && err_prefix(err, N_("%s, header"), s->path));
}

struct safetensors *safetensors_open(const char *path, struct err *err)
{
    struct safetensors *s = xcalloc(1, sizeof *s);
    size_t size = 0;
    s->path = xstrdup(path);
    char *text = read_header_text(s, &size, err);
    bool good = text && read_header(s, text, size, err);
    free(text);
    if (good)
        return s;
    safetensors_close(s);
    return NULL;
}

void safetensors_close(struct safetensors *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n_tensors; i++)
        free(s->tensor[i].name);
    free(s->tensor);
    free(s->by_name);
    free(s->path);
    free(s);
}

const struct safetensor *safetensors_find(struct safetensors *s, const char *name)
{
    if (!s->by_name) {
        s->by_name = xcalloc(s->n_tensors, sizeof *s->by_name);
        for (size_t i = 0; i < s->n_tensors; i++)
            s->by_name[i] = (struct name_at){s->tensor[i].name, i};
        names_sort(s->by_name, s->n_tensors);
    }
    const struct name_at *found = names_find_last(s->by_name, s->n_tensors, name);
    return found ? &s->tensor[found->index] : NULL;
}

/* ---- the data ---------------------------------------------------------------------------------------------------------- */

struct span { uint64_t begin, end; size_t index; };

static int by_place(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->begin != y->begin ? (x->begin < y->begin ? -1 : 1) : x->end != y->end ? (x->end < y->end ? -1 : 1) : 0;
}

bool safetensors_has_gaps(const struct safetensors *s, struct gap *gap)
{
    struct span *span = xcalloc(s->n_tensors, sizeof *span);
    uint64_t end = 0;
    size_t i = 0;
    for (size_t k = 0; k < s->n_tensors; k++)
        span[k] = (struct span){s->tensor[k].begin, s->tensor[k].end, k};
    if (s->n_tensors)
        qsort(span, s->n_tensors, sizeof *span, by_place);
    for (; i < s->n_tensors && span[i].begin == end; i++)
        end = span[i].end;
    uint64_t begin = i < s->n_tensors ? span[i].begin : s->file_size - s->data_start;
    *gap = (struct gap){i < s->n_tensors ? s->tensor[span[i].index].name : NULL, end, begin};
    free(span);
    return begin != end;
}

static bool float_of(const char *dtype, enum float_type *out)
{
    static const struct { const char *name; enum float_type type; } known[] = {{"F64", FLOAT_F64}, {"F32", FLOAT_F32}, {"F16", FLOAT_F16}, {"BF16", FLOAT_BF16}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!strcmp(known[i].name, dtype)) {
            *out = known[i].type;
            return true;
        }
    }
    return false;
}

struct table *safetensors_values(const struct safetensors *s, const struct safetensor *t, size_t max, struct err *err)
{
    enum float_type type;
    size_t n = 1, dim[TABLE_MAX_RANK];
    char name[80], dtype[16];
    utf8_sanitise(name, sizeof name, t->name);
    utf8_sanitise(dtype, sizeof dtype, t->dtype);
    if (!float_of(t->dtype, &type))
        return err_set(err, N_("%s: tensor %s holds %s; F64, F32, F16 and BF16 can be read"), s->path, name, dtype), NULL;
    if (t->rank > TABLE_MAX_RANK)
        return err_set(err, N_("%s: tensor %s has %d axes, at most %d can be read"), s->path, name, t->rank, TABLE_MAX_RANK), NULL;
    for (int r = 0; r < t->rank; r++) {
        if (!t->dim[r] || t->dim[r] > max / n)
            return err_set(err, N_("%s: tensor %s has more than %zu numbers, or none"), s->path, name, max), NULL;
        n *= (size_t)t->dim[r];
        dim[r] = (size_t)t->dim[r];
    }
    if (t->end - t->begin != (uint64_t)n * float_size(type))
        return err_set(err, N_("%s: tensor %s has %llu bytes, its shape needs %llu"), s->path, name, (unsigned long long)(t->end - t->begin),
                       (unsigned long long)n * float_size(type)), NULL;
    struct bytes b;
    if (!bytes_open_again(&b, s->path, &s->id, err))
        return NULL;
    unsigned char *raw = xmalloc(n * float_size(type));
    bytes_seek(&b, s->data_start + t->begin);
    bytes_copy(&b, raw, n * float_size(type));
    struct table *values = b.bad ? NULL : table_new(t->rank ? t->rank : 1, t->rank ? dim : (size_t[]){1});
    if (values) {
        float_read(values->v, raw, type, n);
        utf8_sanitise(values->name, sizeof values->name, t->name);
    } else {
        err_set(err, N_("%s: tensor %s cannot be read"), s->path, name);
    }
    free(raw);
    bytes_close(&b);
    return values;
}
