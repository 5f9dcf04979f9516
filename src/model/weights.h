/* weights.h - the tensors of a model in safetensors files: one file, or shards with an index that says which tensor lies where. Shards are
 * opened when a tensor of theirs is asked for.
 *
 * weights_open, then w->name[i], weights_tensor, weights_values, and weights_close. Names are as in the file: sanitise them before they
 * are shown. */
#ifndef POSVIZ_MODEL_WEIGHTS_H
#define POSVIZ_MODEL_WEIGHTS_H

#include "model/safetensors.h"

enum { WEIGHTS_SHARDS_MAX = 512 };

struct weights {
    char folder[4096];                  /* with a slash behind, or "" */
    size_t n_shards;
    struct { char name[256]; struct safetensors *file; char *trouble; } shard[WEIGHTS_SHARDS_MAX];      /* trouble: why it cannot be opened */
    char **name; size_t *shard_of;      /* every tensor, in the order of the index or of the one file */
    size_t n, room;
    bool alone;                         /* one file, whose i-th tensor is the i-th here */
};

/* A .safetensors file, one shard of several, or the index itself. NULL and a message that names the file and what is wrong. */
struct weights *weights_open(const char *path, struct err *err);
void weights_close(struct weights *w);                  /* NULL is allowed */

/* Type and shape of the i-th tensor; NULL and a message if the shard is missing or damaged. */
const struct safetensor *weights_tensor(struct weights *w, size_t i, struct err *err);
/* Its numbers, at most max, without axes of length 1 in front; NULL and a message otherwise. */
struct table *weights_values(struct weights *w, size_t i, size_t max, struct err *err);

struct reader;
/* Tables of the tensors into the items of r->f; stored frequencies compared with those computed (safetensors_facts.c). */
void weights_enrich(struct reader *r, struct weights *w);

#endif
