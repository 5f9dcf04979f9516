#include "app/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void history_push(struct history *h, const struct scenario *s)
{
    if (!h->at)
        h->at = xcalloc(HISTORY_MAX, sizeof *h->at);
    if (h->n == HISTORY_MAX) {
        scenario_done(&h->at[0]);
        memmove(&h->at[0], &h->at[1], (HISTORY_MAX - 1) * sizeof *h->at);
        h->n--;
    }
    scenario_copy(&h->at[h->n++], s);
}

bool history_pop(struct history *h, struct scenario *out)
{
    if (!h->n)
        return false;
    memcpy(out, &h->at[--h->n], sizeof *out);
    return true;
}

void history_clear(struct history *h)
{
    for (size_t i = 0; i < h->n; i++)
        scenario_done(&h->at[i]);
    free(h->at);
    *h = (struct history){NULL, 0};
}
