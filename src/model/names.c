/* names.c - names sorted, and looked for by halves. */
#include "model/names.h"

#include <stdlib.h>
#include <string.h>

static int in_order(const void *a, const void *b)
{
    const struct name_at *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->index < y->index ? -1 : x->index > y->index;
}

void names_sort(struct name_at *names, size_t n)
{
    if (n)
        qsort(names, n, sizeof *names, in_order);
}

/* The entry before the first that comes behind the name. */
const struct name_at *names_find_last(const struct name_at *sorted, size_t n, const char *name)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(sorted[middle].name, name) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low && !strcmp(sorted[low - 1].name, name) ? &sorted[low - 1] : NULL;
}
