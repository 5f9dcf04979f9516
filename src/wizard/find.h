/* find.h - an element of the book by its id: every indexed struct of the book begins with it. */
#ifndef POSVIZ_WIZARD_FIND_H
#define POSVIZ_WIZARD_FIND_H

#include <stddef.h>

/* Index in an array of n structs of a size that begin with their id; -1: none has it. */
int find_id(const void *array, size_t n, size_t size, const char *id);
#define FIND(array, n, id) find_id(array, n, sizeof *(array), id)

#endif
