#include "core/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct table *table_new(int rank, const size_t *dim)
{
    size_t n = 1;
    for (int i = 0; i < rank; i++)
        n *= dim[i];
    struct table *t = xcalloc(1, sizeof *t + n * sizeof *t->v);
    atomic_init(&t->refs, 1);
    t->rank = rank;
    t->n = n;
    for (int i = 0; i < rank; i++)          /* a single number has rank 0 and no dims */
        t->dim[i] = dim[i];
    return t;
}

struct table *table_list(const double *v, size_t n)
{
    struct table *t = table_new(1, &n);
    memcpy(t->v, v, n * sizeof *v);
    return t;
}

struct table *table_ref(const struct table *t)
{
    struct table *shared = (struct table *)t;       /* the count is the only thing that changes */
    if (shared)
        atomic_fetch_add(&shared->refs, 1);
    return shared;
}

void table_unref(struct table *t)
{
    if (t && atomic_fetch_sub(&t->refs, 1) == 1)
        free(t);
}
