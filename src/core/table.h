/* table.h - an immutable array of numbers, shared by counted references: weights from a file, factor
 * lists, typed vectors. Row-major, up to four axes. The count is atomic, so copies of a scenario on two
 * threads may share one. */
#ifndef POSVIZ_CORE_TABLE_H
#define POSVIZ_CORE_TABLE_H

#include <stdatomic.h>
#include <stddef.h>

enum { TABLE_MAX_RANK = 4 };

struct table {
    atomic_int refs;
    int rank;
    size_t dim[TABLE_MAX_RANK];
    size_t n;                           /* product of dim */
    char name[256];                     /* where it comes from, for read-outs; may be empty; the path of a .npy file */
    double v[];
};

/* A new table with one reference, its values zero; fill v before sharing it. */
struct table *table_new(int rank, const size_t *dim);
struct table *table_list(const double *v, size_t n);    /* rank 1 copy */
struct table *table_ref(const struct table *t);         /* NULL gives NULL */
void table_unref(struct table *t);                      /* NULL is allowed */

#endif
