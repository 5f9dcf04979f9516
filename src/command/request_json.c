#include "command/request_json.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* Do all lists at a depth have dim[depth] entries, and are the innermost ones numbers? Asked before memory is taken for them. */
static bool regular(const struct json *json, const char *name, int rank, const size_t *dim, struct err *err)
{
    enum json_type type = json_type(json);
    if (rank == 0) {
        if (type != JSON_NUMBER && type != JSON_BOOL && type != JSON_NULL)
            return err_set(err, N_("%s: holds %s where a number must be"), name, lang_text(err->lang, json_type_name(json)));
        return !isinf(json_number(json, 0)) || err_set(err, N_("%s: holds a number that is too large"), name);
    }
    if (type != JSON_ARRAY || json_size(json) != *dim)
        return err_set(err, N_("%s: its lists must all be of the same length"), name);
    for (const struct json *v = json_first(json); v; v = json_next(v))
        if (!regular(v, name, rank - 1, dim + 1, err))
            return false;
    return true;
}

static double *fill(const struct json *json, double *at)
{
    if (json_type(json) != JSON_ARRAY) {
        *at = json_type(json) == JSON_BOOL ? json_bool(json, false) : json_number(json, NAN);
        return at + 1;
    }
    for (const struct json *v = json_first(json); v; v = json_next(v))
        at = fill(v, at);
    return at;
}

static struct table *to_table(const struct json *json, const char *name, struct err *err)
{
    size_t dim[TABLE_MAX_RANK];
    int rank = 0;
    for (const struct json *v = json; json_type(v) == JSON_ARRAY; v = json_first(v)) {
        if (rank == TABLE_MAX_RANK) {
            err_set(err, N_("%s: lists may be nested %d deep"), name, TABLE_MAX_RANK);
            return NULL;
        }
        dim[rank++] = json_size(v);
    }
    if (!regular(json, name, rank, dim, err))
        return NULL;
    struct table *t = table_new(rank, dim);
    fill(json, t->v);
    return t;
}

static bool to_arg(const struct json *json, struct arg *a, struct err *err)
{
    *a = (struct arg){.name = json_key(json), .number = json_number(json, NAN), .text = json_string(json)};
    if (json_type(json) == JSON_BOOL)
        a->number = json_bool(json, false);
    a->truth = json_type(json) == JSON_BOOL;
    if (isinf(a->number))
        return err_set(err, N_("%s: is too large for a number"), a->name);
    if (json_type(json) == JSON_OBJECT)
        return err_set(err, N_("%s: must be a number, a text or a list"), a->name);
    if (json_type(json) != JSON_ARRAY)
        return true;
    if (!json_string(json_first(json)))
        return (a->list = to_table(json, a->name, err)) != NULL;
    const char **words = xcalloc(json_size(json) + 1, sizeof *words);
    size_t n = 0;
    a->words = words;
    for (const struct json *v = json_first(json); v; v = json_next(v))
        if (!(words[n++] = json_string(v)))
            return err_set(err, N_("%s: must hold texts or numbers, not both"), a->name);
    return true;
}

static bool to_args(const struct json *object, const char *what, struct arg **args, size_t *n, struct err *err)
{
    if (object && json_type(object) != JSON_OBJECT && json_type(object) != JSON_NULL)
        return err_set(err, N_("%s: must be an object"), what);
    *args = xcalloc(json_size(object) + 1, sizeof **args);
    for (const struct json *v = json_first(object); v; v = json_next(v))
        if (!to_arg(v, &(*args)[(*n)++], err))
            return err_prefix(err, "%s", what);
    return true;
}

static bool to_list(const struct json *json, const char *name, struct table **out, struct err *err)
{
    if (json_type(json) == JSON_NULL)
        return true;
    if (json_type(json) != JSON_ARRAY)
        return err_set(err, N_("%s: must be a list"), name);
    *out = to_table(json, name, err);
    return *out != NULL;
}

bool request_read(const struct json *json, struct request *r, struct err *err)
{
    r->output = json_string(json_get(json, "output"));
    if (!r->output)
        return err_set(err, N_("output: must name what to compute"));
    return to_args(json_get(json, "params"), "params", &r->args, &r->n_args, err) &&
           to_args(json_get(json, "inputs"), "inputs", &r->inputs, &r->n_inputs, err) &&
           to_list(json_get(json, "positions"), "positions", &r->positions, err) &&
           to_list(json_get(json, "shape"), "shape", &r->shape, err);
}

static void args_free(struct arg *args, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        table_unref(args[i].list);
        free((void *)args[i].words);
    }
    free(args);
}

void request_done(struct request *r)
{
    args_free(r->args, r->n_args);
    args_free(r->inputs, r->n_inputs);
    table_unref(r->positions);
    table_unref(r->shape);
}
