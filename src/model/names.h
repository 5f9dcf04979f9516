/* names.h - names of tensors or keys, sorted to be found among a million. Of equal names the places in the file decide. */
#ifndef POSVIZ_MODEL_NAMES_H
#define POSVIZ_MODEL_NAMES_H

#include <stddef.h>

struct name_at { const char *name; size_t index; };

void names_sort(struct name_at *names, size_t n);
/* The last entry with this name; NULL if there is none. */
const struct name_at *names_find_last(const struct name_at *sorted, size_t n, const char *name);

#endif
