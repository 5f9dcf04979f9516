#include "model/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/utf8.h"

enum { INDEX_MAX_BYTES = 64 << 20 };
static const char index_ending[] = ".index.json";

static bool has_ending(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n >= m && !strcmp(path + n - m, ending);
}

/* A name in an index leads nowhere but into its own folder. */
static bool is_plain_name(const char *name)
{
    return name && *name && *name != '.' && !strchr(name, '/') && strlen(name) < sizeof(((struct weights *)0)->shard->name);
}

static void add_tensor(struct weights *w, const char *name, size_t shard)
{
    if (!(w->n & (w->n - 1))) {
        size_t room = w->n ? 2 * w->n : 64;
        w->name = xreallocarray(w->name, room, sizeof *w->name);
        w->shard_of = xreallocarray(w->shard_of, room, sizeof *w->shard_of);
    }
    w->name[w->n] = xstrdup(name);
    w->shard_of[w->n++] = shard;
}

static bool find_shard(struct weights *w, const char *name, size_t *out)
{
    for (size_t i = w->n_shards; i-- > 0;) {        /* from the last: indices list tensors shard by shard */
        *out = i;
        if (!strcmp(w->shard[i].name, name))
            return true;
    }
    if (w->n_shards == WEIGHTS_SHARDS_MAX)
        return false;
    *out = w->n_shards++;
    snprintf(w->shard[*out].name, sizeof w->shard->name, "%s", name);
    return true;
}

static bool read_index(struct weights *w, const char *path, struct err *err)
{
    w->index = json_load(path, INDEX_MAX_BYTES, err);
    const struct json *map = json_get(w->index, "weight_map");
    if (!w->index)
        return false;
    if (json_type(map) != JSON_OBJECT)
        return err_set(err, N_("%s: has no weight_map that says which file holds which tensor"), path);
    for (const struct json *m = json_first(map); m; m = json_next(m)) {
        size_t shard;
        char name[80];
        utf8_sanitise(name, sizeof name, json_key(m));
        if (!is_plain_name(json_string(m)))
            return err_set(err, N_("%s: the file of tensor %s is not the name of a file in the same folder"), path, name);
        if (!find_shard(w, json_string(m), &shard))
            return err_set(err, N_("%s: names more than %d files"), path, WEIGHTS_SHARDS_MAX);
        add_tensor(w, json_key(m), shard);
    }
    return true;
}

static bool open_shard(struct weights *w, size_t i, struct err *err)
{
    char path[4400];
    if (w->shard[i].file)
        return true;
    snprintf(path, sizeof path, "%s%s", w->folder, w->shard[i].name);
    w->shard[i].file = safetensors_open(path, err);
    return w->shard[i].file != NULL;
}

/* The one file of a model, or a shard that nobody lists the others of. */
static bool read_alone(struct weights *w, const char *name, struct err *err)
{
    size_t shard;
    if (!find_shard(w, name, &shard) || !open_shard(w, shard, err))
        return false;
    for (size_t i = 0; i < w->shard[shard].file->n_tensors; i++)
        add_tensor(w, w->shard[shard].file->tensor[i].name, shard);
    return true;
}

/* "model-00001-of-00004.safetensors" has its index at "model.safetensors.index.json". */
static bool index_beside(const struct weights *w, const char *name, char *out, size_t size)
{
    const char *of = strstr(name, "-of-"), *dash = of;
    struct stat st;
    while (dash && dash > name && *--dash != '-')
        continue;
    if (!of || dash == name)
        return false;
    snprintf(out, size, "%s%.*s.safetensors%s", w->folder, (int)(dash - name), name, index_ending);
    return stat(out, &st) == 0 && S_ISREG(st.st_mode);
}

struct weights *weights_open(const char *path, struct err *err)
{
    struct weights *w = xcalloc(1, sizeof *w);
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char index[4600];
    bool good;
    snprintf(w->folder, sizeof w->folder, "%.*s", slash ? (int)(slash - path) + 1 : 0, path);
    if (strlen(name) >= sizeof w->shard->name)
        good = err_set(err, N_("%s: its name is too long"), path);
    else if (has_ending(name, index_ending))
        good = read_index(w, path, err);
    else if (index_beside(w, name, index, sizeof index))
        good = read_index(w, index, err);
    else
        good = read_alone(w, name, err);
    if (good)
        return w;
    weights_close(w);
    return NULL;
}

void weights_close(struct weights *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->n_shards; i++)
        safetensors_close(w->shard[i].file);
    for (size_t i = 0; i < w->n; i++)
        free(w->name[i]);
    free(w->name);
    free(w->shard_of);
    json_free(w->index);
    free(w);
}

const struct safetensor *weights_tensor(struct weights *w, size_t i, struct err *err)
{
    size_t shard = w->shard_of[i];
    if (!open_shard(w, shard, err))
        return NULL;
    const struct safetensors *file = w->shard[shard].file;
    for (size_t k = 0; k < file->n_tensors; k++)
        if (!strcmp(file->tensor[k].name, w->name[i]))
            return &file->tensor[k];
    char name[80];
    utf8_sanitise(name, sizeof name, w->name[i]);
    return err_set(err, N_("%s: tensor %s is not in it, though the index says so"), w->shard[shard].name, name), NULL;
}

struct table *weights_values(struct weights *w, size_t i, size_t max, struct err *err)
{
    const struct safetensor *t = weights_tensor(w, i, err);
    if (!t)
        return NULL;
    struct safetensor shape = *t;
    while (shape.rank > 1 && shape.dim[0] == 1)
        memmove(shape.dim, shape.dim + 1, (size_t)--shape.rank * sizeof *shape.dim);
    return safetensors_values(w->shard[w->shard_of[i]].file, &shape, max, err);
}
