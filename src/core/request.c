/* request.c - reads what a request of `posviz compute` says: arguments by any of their spellings, the instance that they open,
 * positions. */
#include "core/request.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/digits.h"
#include "base/mem.h"

static const double POSITIONS_MAX = 1 << 24, WHOLE_MAX = 9007199254740992.0;    /* 2^53: beyond, not every whole number is a double */

/* ---- arguments -------------------------------------------------------------------------------------- */

static bool arg_absent(const struct arg *a)
{
    return isnan(a->number) && !a->text && !a->list && !a->words;
}

static struct arg *find(struct arg *args, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(args[i].name, name))
            continue;
        args[i].used = true;
        return arg_absent(&args[i]) ? NULL : &args[i];
    }
    return NULL;
}

const struct arg *request_arg(const struct request *r, const char *name)
{
    return find(r->args, r->n_args, name);
}

/* An argument that a lookup has found, unless it is of another type. */
static const struct arg *of_type(struct arg *a, bool fits, const char *wanted)
{
    if (a && !fits)
        a->wrong = wanted;
    return a && fits ? a : NULL;
}

double request_number(const struct request *r, const char *name, double fallback)
{
    struct arg *found = find(r->args, r->n_args, name);
    const struct arg *a = of_type(found, found && !isnan(found->number), N_("must be a number"));
    return a ? a->number : fallback;
}

const char *request_text(const struct request *r, const char *name, const char *fallback)
{
    struct arg *found = find(r->args, r->n_args, name);
    const struct arg *a = of_type(found, found && found->text, N_("must be a text"));
    return a ? a->text : fallback;
}

static const struct table *list_of(struct arg *found)
{
    const struct arg *a = of_type(found, found && found->list, N_("must be a list of numbers"));
    return a ? a->list : NULL;
}

const struct table *request_list(const struct request *r, const char *name)
{
    return list_of(find(r->args, r->n_args, name));
}

const struct table *request_input(const struct request *r, const char *name)
{
    return list_of(find(r->inputs, r->n_inputs, name));
}

static bool fits(const struct arg *args, size_t n, struct err *err)
{
    for (size_t i = 0; i < n; i++)
        if (args[i].wrong)
            return err_set(err, N_("%s: %s"), args[i].name, err ? lang_text(err->lang, args[i].wrong) : "");
    return true;
}

bool request_types_fit(const struct request *r, struct err *err)
{
    return fits(r->args, r->n_args, err) && fits(r->inputs, r->n_inputs, err);
}

static void dims_text(char *out, size_t size, int rank, const size_t *dim)
{
    size_t at = 0;
    *out = '\0';
    for (int i = 0; i < rank && at < size; i++) {
        char one[24] = "any";
        if (dim[i])
            snprintf(one, sizeof one, "%zu", dim[i]);
        at += (size_t)snprintf(out + at, size - at, "%s%s", i ? " x " : "", one);
    }
}

const struct table *request_need(const struct request *r, const char *name, int rank, const size_t *dim, struct err *err)
{
    char want[120], got[120];
    const struct table *t = request_input(r, name);
    dims_text(want, sizeof want, rank, dim);
    if (!t) {
        err_set(err, N_("inputs.%s is needed: numbers of shape %s"), name, want);
        return NULL;
    }
    bool fits = t->rank == rank && t->n;
    for (int i = 0; fits && i < rank; i++)
        fits = !dim[i] || dim[i] == t->dim[i];
    if (fits)
        return t;
    dims_text(got, sizeof got, t->rank, t->dim);
    err_set(err, N_("inputs.%s has shape %s, must be %s"), name, got, want);
    return NULL;
}

/* ---- opening ----------------------------------------------------------------------------------------- */

static const char *const length_names[] = {"length", "seq_len", "seq_length", "n", "klen", NULL};
static const char *const heads_names[] = {"num_heads", "num_attention_heads", "n_heads", NULL};
static const char *const head_names[] = {"head_dim", "d_head", NULL};
static const char *const model_names[] = {"d_model", "hidden_size", NULL};

/* The first of some spellings that is given, checked to be a whole number in 1..most. */
static bool read_size(const struct request *r, const char *const *names, double most, double *out, struct err *err)
{
    for (; *names; names++) {
        const struct arg *a = request_arg(r, *names);
        if (!a)
            continue;
        if (isnan(a->number) || a->truth)
            return err_set(err, N_("%s: must be a number"), *names);
        if (a->number != floor(a->number) || a->number < 1 || a->number > most)
            return err_set(err, N_("%s = %g: must be a whole number from 1 to %g"), *names, a->number, most);
        *out = a->number;
        return true;
    }
    return true;
}

/* Widths that are not given follow from those that are; the last resort is 8 heads of 64. */
static bool read_shape(const struct request *r, struct shape *s, struct err *err)
{
    double heads = NAN, head = NAN, model = NAN;
    *s = (struct shape){.length = 1};
    if (!read_size(r, length_names, 1e12, &s->length, err) || !read_size(r, heads_names, 65536, &heads, err) ||
        !read_size(r, head_names, 65536, &head, err) || !read_size(r, model_names, 1048576, &model, err))
        return false;
    if (isnan(heads))
        heads = 8;
    if (isnan(head))
        head = isnan(model) ? 64 : fmax(1, floor(model / heads));
    if (isnan(model))
        model = fmin(heads * head, 1048576);
    s->n_heads = (int)heads;
    s->d_head = (int)head;
    s->d_model = (int)model;
    return true;
}

/* A choice may be followed by words that explain it: "llama4 (NoPE layers)"; of choices that begin alike the longest is meant. */
static bool read_choice(const struct param *p, const char *text, struct value *out, struct err *err)
{
    const char *meant = text;
    size_t longest = 0;
    for (size_t i = 0; p->type == PARAM_CHOICE && p->choices[i]; i++) {
        size_t n = strlen(p->choices[i]);
        if (n <= longest || strncasecmp(text, p->choices[i], n) || !strchr(" ,/(", text[n]))
            continue;
        meant = p->choices[i];
        longest = n;
    }
    return param_parse(p, meant, out, err);
}

static bool read_words(const struct param *p, const char *const *words, struct value *out, struct err *err)
{
    char joined[200] = "";
    for (; *words; words++) {
        size_t at = strlen(joined);
        snprintf(joined + at, sizeof joined - at, "%s%s", at ? "|" : "", *words);
    }
    return read_choice(p, joined, out, err);
}

/* The result holds no reference of its own. */
static bool read_param(const struct param *p, const struct arg *a, struct value *out, struct err *err)
{
    bool text_allowed = p->type == PARAM_CHOICE || p->type == PARAM_BOOL;
    if (a->words && p->type == PARAM_CHOICE)
        return read_words(p, a->words, out, err);
    if (a->text && text_allowed)
        return read_choice(p, a->text, out, err);
    if (a->text || a->words)
        return err_set(err, p->type < PARAM_BOOL ? N_("%s = \"%s\": must be a number")
                                                 : N_("%s = \"%s\": must be a list of numbers"),
                       p->name, a->text ? a->text : a->words[0] ? a->words[0] : "");
    if (p->type == PARAM_CHOICE && !a->list) {
        char number[DIGITS_TEXT];
        digits_write(number, a->number, 6);
        return param_parse(p, number, out, err);
    }
    if (a->truth && p->type < PARAM_BOOL)
        return err_set(err, N_("%s: must be a number"), p->name);
    *out = (struct value){a->number, a->list};
    return param_check(p, *out, err);
}

static bool read_params(const struct encoding *kind, const struct request *r, struct value *v, struct err *err)
{
    for (size_t i = 0; i < kind->n_params; i++) {
        const struct param *p = &kind->params[i];
        const struct arg *a = request_arg(r, p->name);
        if (!a && (p->type == PARAM_LIST || p->type == PARAM_TABLE))
            a = find(r->inputs, r->n_inputs, p->name);
        v[i] = (struct value){p->def, NULL};
        if (a && !read_param(p, a, &v[i], err))
            return false;
    }
    return true;
}

/* How the request spells it; NULL: it does not. */
static const char *spelling(const struct request *r, const char *const *names)
{
    while (*names && !request_arg(r, *names))
        names++;
    return *names;
}

/* A refusal that names a width which is not given: says before it which given ones it follows from. */
static void explain_width(const struct request *r, const struct shape *s, struct err *err)
{
    const char *heads = spelling(r, heads_names), *head = spelling(r, head_names), *model = spelling(r, model_names);
    heads = heads ? heads : heads_names[0];
    if (err && head && !model && strstr(err->text, model_names[0]))
        err_prefix(err, "%s = %d, %s = %d", heads, s->n_heads, head, s->d_head);
    else if (err && model && !head && strstr(err->text, head_names[0]))
        err_prefix(err, "%s = %d, %s = %d", model, s->d_model, heads, s->n_heads);
}

struct enc *request_open(const struct encoding *kind, const struct request *r, struct err *err)
{
    struct shape shape;
    struct value v[ENC_MAX_PARAMS];
    if (!read_shape(r, &shape, err) || !read_params(kind, r, v, err))
        return NULL;
    struct enc *e = enc_open(kind, &shape, v, err);
    if (!e)
        explain_width(r, &shape, err);
    return e;
}

/* ---- positions ----------------------------------------------------------------------------------------- */

static double *counted(size_t n, int axes, double start)
{
    double *pos = xcalloc(n * (size_t)axes, sizeof *pos);
    for (size_t i = 0; i < n * (size_t)axes; i++)
        pos[i] = start + (double)(i / (size_t)axes);
    return pos;
}

/* How many positions a request without positions asks for, by the first of these names that it has. */
static bool read_count(const struct request *r, const char *const *names, size_t *n, struct err *err)
{
    double count = NAN;
    if (!read_size(r, names, POSITIONS_MAX, &count, err))
        return false;
    if (isnan(count))
        return err_set(err, N_("positions are needed, or %s to count them from 0"), names[0]);
    *n = (size_t)count;
    return true;
}

bool request_length(const struct request *r, size_t *n, struct err *err)
{
    return read_count(r, length_names, n, err);
}

double *request_positions(const struct request *r, int axes, size_t *n, struct err *err)
{
    const struct table *t = r->positions;
    if (!t)
        return request_length(r, n, err) ? counted(*n, axes, 0) : NULL;
    bool rows = t->rank == 2 && t->dim[0] == (size_t)axes;
    if (!t->n) {
        err_set(err, N_("positions: holds no position"));
        return NULL;
    }
    if (t->rank != 1 && !rows) {
        err_set(err, N_("positions: must be a list of numbers, or %d lists, one for each coordinate"), axes);
        return NULL;
    }
    for (size_t i = 0; i < t->n; i++) {
        if (fabs(t->v[i]) >= WHOLE_MAX) {
            err_set(err, N_("positions: %g is beyond 2^53, where not every whole number can be told from the next"), t->v[i]);
            return NULL;
        }
    }
    *n = t->dim[t->rank - 1];
    double *pos = xcalloc(*n * (size_t)axes + 1, sizeof *pos);
    for (size_t i = 0; i < *n; i++)
        for (size_t a = 0; a < (size_t)axes; a++)
            pos[i * (size_t)axes + a] = t->v[rows ? a * *n + i : i];
    return pos;
}

double *request_query_positions(const struct request *r, int axes, size_t *n, struct err *err)
{
    static const char *const names[] = {"qlen", "length", "seq_len", "n", "klen", NULL};
    if (r->positions)
        return request_positions(r, axes, n, err);
    return read_count(r, names, n, err) ? counted(*n, axes, request_number(r, "query_start", 0)) : NULL;
}

double *request_key_positions(const struct request *r, int axes, size_t *n, struct err *err)
{
    static const char *const names[] = {"klen", "length", "seq_len", "n", "qlen", NULL};
    if (r->positions)
        return request_positions(r, axes, n, err);
    return read_count(r, names, n, err) ? counted(*n, axes, 0) : NULL;
}
