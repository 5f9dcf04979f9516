/* find.c - an element of the book by its id. */
#include "wizard/find.h"

#include <string.h>

int find_id(const void *array, size_t n, size_t size, const char *id)
{
    for (size_t i = 0; id && i < n; i++)
        if (strcmp(*(const char *const *)((const char *)array + i * size), id) == 0)
            return (int)i;
    return -1;
}
