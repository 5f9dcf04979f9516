#include "model/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "json/json.h"

enum { INDEX_MAX_BYTES = SAFETENSORS_HEADER_MAX };
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

/* Takes the name over. */
static void add_tensor(struct weights *w, char *name, size_t shard)
{
    if (w->n == w->room) {
        w->room = w->room ? 2 * w->room : 64;
        w->name = xreallocarray(w->name, w->room, sizeof *w->name);
        w->shard_of = xreallocarray(w->shard_of, w->room, sizeof *w->shard_of);
    }
    w->name[w->n] = name;
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

struct reading { struct weights *w; const char *path; struct err *err; bool mapped, refused; };

/* "TENSOR": "FILE" */
static bool read_place(const char *key, const char *value, size_t size, void *context)
{
    enum { FILE_NAME_MAX = 1024 };
    struct reading *r = context;
    struct json *v = size <= FILE_NAME_MAX ? json_parse(value, size, NULL) : NULL;
    const char *file = json_string(v);
    size_t shard = 0;
    char name[80];
    if (!is_plain_name(file))
        r->refused = !err_set(r->err, N_("%s: the file of tensor %s is not the name of a file in the same folder"), r->path,
                              utf8_sanitise(name, sizeof name, key));
    else if (!find_shard(r->w, file, &shard))
        r->refused = !err_set(r->err, N_("%s: names more than %d files"), r->path, WEIGHTS_SHARDS_MAX);
    else
        add_tensor(r->w, xstrdup(key), shard);
    json_free(v);
    return !r->refused;
}

static bool read_member(const char *key, const char *value, size_t size, void *context)
{
    struct reading *r = context;
    if (strcmp(key, "weight_map") != 0 || *value != '{')
        return true;
    r->mapped = true;
    if (json_members(value, size, read_place, r, r->err))
        return true;
    if (!r->refused)
        err_prefix(r->err, "%s, weight_map", r->path);
    return !(r->refused = true);
}

static bool read_index(struct weights *w, const char *path, struct err *err)
{
    size_t size;
    char *text = file_read(path, INDEX_MAX_BYTES, &size, err);
    struct reading r = {.w = w, .path = path, .err = err};
    bool good = text && json_members(text, size, read_member, &r, err);
    if (text && !good && !r.refused)
        err_prefix(err, "%s", path);
    free(text);
    if (good && !r.mapped)
        return err_set(err, N_("%s: has no weight_map that says which file holds which tensor"), path);
    return good;
}

static bool open_shard(struct weights *w, size_t i, struct err *err)
{
    char path[4400];
    struct err why = {.lang = err ? err->lang : LANG_EN};
    if (!w->shard[i].file && !w->shard[i].trouble) {
        snprintf(path, sizeof path, "%s%s", w->folder, w->shard[i].name);
        w->shard[i].file = safetensors_open(path, &why);
        w->shard[i].trouble = w->shard[i].file ? NULL : xstrdup(why.text);
    }
    return w->shard[i].file || err_set(err, "%s", w->shard[i].trouble);
}

/* The one file of a model, or a shard that nobody lists the others of. */
static bool read_alone(struct weights *w, const char *name, struct err *err)
{
    size_t shard;
    w->alone = true;
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
    for (size_t i = 0; i < w->n && !w->alone; i++)
        free(w->name[i]);
    for (size_t i = 0; i < w->n_shards; i++) {
        safetensors_close(w->shard[i].file);
        free(w->shard[i].trouble);
    }
    free(w->name);
    free(w->shard_of);
    free(w);
}

const struct safetensor *weights_tensor(struct weights *w, size_t i, struct err *err)
{
    size_t shard = w->shard_of[i];
    if (!open_shard(w, shard, err))
        return NULL;
    struct safetensors *file = w->shard[shard].file;
    const struct safetensor *found = w->alone ? &file->tensor[i] : safetensors_find(file, w->name[i]);
    char name[80];
    utf8_sanitise(name, sizeof name, w->name[i]);
    if (!found)
        err_set(err, N_("%s: tensor %s is not in it, though the index says so"), w->shard[shard].name, name);
    return found;
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
