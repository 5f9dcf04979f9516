#include "base/near.h"

#include <ctype.h>
#include <string.h>

bool name_among(const char *name, const char *const *list)
{
    while (*list && strcmp(*list, name))
        list++;
    return *list != NULL;
}

static bool same_letter(char a, char b, bool fold)
{
    return a == b || (fold && tolower((unsigned char)a) == tolower((unsigned char)b));
}

/* One row of the table of distances at a time: row[j] is that of a's first i letters to b's first j. */
size_t edit_distance(const char *a, const char *b, bool fold)
{
    enum { MAX = 100 };
    size_t n = strlen(a), m = strlen(b), row[MAX + 1];
    if (n > MAX || m > MAX)
        return MAX;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t least = diagonal + !same_letter(a[i - 1], b[j - 1], fold);
            diagonal = row[j];
            least = row[j] + 1 < least ? row[j] + 1 : least;
            row[j] = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
        }
    }
    return row[m];
}
