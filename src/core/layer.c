#include "core/layer.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

void item_init(struct item *item, const struct encoding *kind)
{
    *item = (struct item){.kind = kind};
    for (size_t i = 0; i < ENC_MAX_PARAMS; i++)
        item->param[i] = i < kind->n_params ? (struct value){kind->params[i].def, NULL} : VALUE_ABSENT;
}

void item_copy(struct item *to, const struct item *from)
{
    *to = *from;
    for (size_t i = 0; i < ENC_MAX_PARAMS; i++)
        table_ref(to->param[i].t);
}

void item_done(struct item *item)
{
    for (size_t i = 0; i < ENC_MAX_PARAMS; i++) {
        table_unref(item->param[i].t);
        item->param[i] = VALUE_ABSENT;
    }
}

struct layer *layer_open(const struct item *items, size_t n, const struct shape *shape, struct err *err)
{
    struct layer *l = xcalloc(1, sizeof *l);
    double usual = shape_scale(shape);
    l->shape = *shape;
    l->scale = usual;
    l->axes = 1;
    for (size_t i = 0; i < n; i++) {
        struct enc *e = enc_open(items[i].kind, shape, items[i].param, err);
        if (!e) {
            layer_close(l);
            return NULL;
        }
        l->enc[l->n++] = e;
        if (e->scale != usual)
            l->scale = e->scale;
        if (e->axes > l->axes)
            l->axes = e->axes;
    }
    return l;
}

void layer_close(struct layer *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->n; i++)
        enc_close(l->enc[i]);
    free(l);
}

/* The accessors differ in the hook alone. */
#define FIRST_WITH(hook)                                                                          \
    const struct enc *layer_##hook(const struct layer *l)                                         \
    {                                                                                             \
        for (size_t i = 0; i < l->n; i++)                                                         \
            if (l->enc[i]->kind->hook)                                                            \
                return l->enc[i];                                                                 \
        return NULL;                                                                              \
    }
FIRST_WITH(row)
FIRST_WITH(rotate)
FIRST_WITH(bias)
FIRST_WITH(spectrum)

const char *const mask_names[] = {"none", "causal", "sliding", "chunked", "window", NULL};

bool mask_allows(struct mask m, double query, double key)
{
    double from, to;
    mask_run(m, query, INFINITY, &from, &to);
    return key >= from && key < to;
}

void mask_run(struct mask m, double query, double n, double *from, double *to)
{
    *from = 0;
    *to = m.type == MASK_NONE ? n : fmin(query + 1, n);
    if (m.type == MASK_SLIDING)
        *from = fmax(query - m.size + 1, 0);
    if (m.type == MASK_WINDOW) {
        *from = fmax(query - m.size, 0);
        *to = fmin(query + m.size + 1, n);
    }
    if (m.type == MASK_CHUNKED && m.size >= 1)
        *from = floor(query / m.size) * m.size;
}

double mask_keys_back(struct mask m, double n)
{
    bool cut = m.type == MASK_SLIDING || m.type == MASK_CHUNKED;
    return fmin(cut ? fmax(m.size, 1) : m.type == MASK_WINDOW ? m.size + 1 : n, n);
}

double mask_pairs(struct mask m, double n)
{
    double size = fmin(fmax(m.size, 1), n), rest = fmod(n, size), side = fmin(fmax(m.size, 0), n - 1);
    switch (m.type) {
    case MASK_CAUSAL:  return n * (n + 1) / 2;
    case MASK_SLIDING: return size * (size + 1) / 2 + (n - size) * size;
    case MASK_CHUNKED: return floor(n / size) * size * (size + 1) / 2 + rest * (rest + 1) / 2;
    case MASK_WINDOW:  return n * (2 * side + 1) - side * (side + 1);
    default:           return n * n;
    }
}
