/* near.h - names: one in a list, and how far one is from another, for messages that say what may be meant. */
#ifndef POSVIZ_BASE_NEAR_H
#define POSVIZ_BASE_NEAR_H

#include <stdbool.h>
#include <stddef.h>

/* Is the name one of a NULL-terminated list? */
bool name_among(const char *name, const char *const *list);

/* How many single changes of bytes lead from one name to the other (Levenshtein 1966); fold: upper and lower case are the same. Names
 * of more than 100 bytes are as far as can be. */
size_t edit_distance(const char *a, const char *b, bool fold);

#endif
