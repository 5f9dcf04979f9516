#include "core/encoding.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/digits.h"
#include "base/mem.h"

#define ENCODING(name) extern const struct encoding encoding_##name;
#include "encodings/encodings.def"
#undef ENCODING

const struct encoding *const encodings[] = {
#define ENCODING(name) &encoding_##name,
#include "encodings/encodings.def"
#undef ENCODING
    NULL,
};

/* ---- parameters ---------------------------------------------------------------------------------- */

bool value_absent(struct value v)
{
    return isnan(v.x) && !v.t;
}

static size_t n_choices(const struct param *p)
{
    size_t n = 0;
    while (p->choices[n])
        n++;
    return n;
}

static bool choice_error(const struct param *p, const char *text, struct err *err)
{
    char list[300] = "";
    for (size_t i = 0; p->choices[i]; i++) {
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", p->choices[i]);
    }
    return err_set(err, N_("%s = %s: allowed are %s"), p->name, text, list);
}

static bool check_number(const struct param *p, double x, struct err *err)
{
    if (!isfinite(x))
        return err_set(err, N_("%s = %g: must be a finite number"), p->name, x);
    if (p->type == PARAM_INT && x != floor(x))
        return err_set(err, N_("%s = %g: must be a whole number"), p->name, x);
    if (x < p->min || x > p->max)
        return err_set(err, N_("%s = %g: allowed is %g to %g"), p->name, x, p->min, p->max);
    return true;
}

bool param_check(const struct param *p, struct value v, struct err *err)
{
    if (value_absent(v))
        return isnan(p->def) || err_set(err, N_("%s: needs a value"), p->name);
    char text[DIGITS_TEXT];
    switch (p->type) {
    case PARAM_INT:
    case PARAM_REAL:
        return v.t ? err_set(err, N_("%s: must be a number, not a list"), p->name) : check_number(p, v.x, err);
    case PARAM_BOOL:
        return v.x == 0 || v.x == 1 || err_set(err, N_("%s = %g: must be true or false"), p->name, v.x);
    case PARAM_CHOICE:
        digits_write(text, v.x, 6);
        return (v.x >= 0 && v.x < (double)n_choices(p) && v.x == floor(v.x)) || choice_error(p, text, err);
    case PARAM_LIST:
        if (!v.t)
            return err_set(err, N_("%s: must be a list of numbers"), p->name);
        for (size_t i = 0; i < v.t->n; i++)
            if (!isfinite(v.t->v[i]) || v.t->v[i] < p->min || v.t->v[i] > p->max)
                return err_set(err, N_("%s: entry %zu is %g, allowed is %g to %g"), p->name, i, v.t->v[i], p->min, p->max);
        return true;
    case PARAM_TABLE:
        return v.t || err_set(err, N_("%s: must be a table"), p->name);
    case PARAM_TYPE_COUNT:
        break;
    }
    return false;
}

static bool parse_number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    while (isspace((unsigned char)*end))
        end++;
    return end != text && !*end;
}

static bool parse_bool(const char *text, double *out)
{
    static const char *const no[] = {"false", "off", "no", "0"}, *const yes[] = {"true", "on", "yes", "1"};
    for (size_t i = 0; i < 4; i++) {
        if (!strcasecmp(text, no[i]) || !strcasecmp(text, yes[i])) {
            *out = !strcasecmp(text, yes[i]);
            return true;
        }
    }
    return false;
}

static bool parse_list(const struct param *p, const char *text, struct value *out, struct err *err)
{
    double *v = NULL;
    size_t n = 0;
    for (const char *at = text; *at;) {
        char *end;
        double x = strtod(at, &end);
        if (end == at) {
            free(v);
            return err_set(err, N_("%s = %s: must be numbers with commas between them"), p->name, text);
        }
        v = xreallocarray(v, n + 1, sizeof *v);
        v[n++] = x;
        at = end + strspn(end, ", ");
    }
    out->x = NAN;
    out->t = table_list(v, n);
    free(v);
    return true;
}

static bool parse_by_type(const struct param *p, const char *text, struct value *out, struct err *err)
{
    switch (p->type) {
    case PARAM_INT:
    case PARAM_REAL:
        if (!parse_number(text, &out->x))
            return err_set(err, N_("%s = %s: must be a number"), p->name, text);
        return isfinite(out->x) || err_set(err, N_("%s = %s: must be a finite number"), p->name, text);
    case PARAM_BOOL:
        return parse_bool(text, &out->x) || err_set(err, N_("%s = %s: must be true or false"), p->name, text);
    case PARAM_CHOICE:
        for (size_t i = 0; p->choices[i]; i++) {
            if (!strcasecmp(text, p->choices[i])) {
                out->x = (double)i;
                return true;
            }
        }
        return choice_error(p, text, err);
    case PARAM_LIST:
        return parse_list(p, text, out, err);
    case PARAM_TABLE:
    case PARAM_TYPE_COUNT:
        break;
    }
    return err_set(err, N_("%s: comes from a file and cannot be typed"), p->name);
}

bool param_parse(const struct param *p, const char *text, struct value *out, struct err *err)
{
    struct value v = VALUE_ABSENT;
    bool none = !*text || !strcasecmp(text, "none");
    for (size_t i = 0; none && p->type == PARAM_CHOICE && p->choices[i]; i++)
        none = strcasecmp(text, p->choices[i]) != 0;
    if (!none && !parse_by_type(p, text, &v, err))
        return false;
    if (!param_check(p, v, err)) {
        table_unref(v.t);
        return false;
    }
    *out = v;
    return true;
}

char *param_format(const struct param *p, struct value v, char *out, size_t size)
{
    if (!size)
        return out;
    *out = '\0';
    if (value_absent(v))
        return out;
    if (v.t) {
        for (size_t i = 0, at = 0; i < v.t->n && v.t->rank == 1; i++) {
            int n = snprintf(out + at, size - at, "%s%.10g", i ? "," : "", v.t->v[i]);
            if (n < 0 || at + (size_t)n + 4 >= size) {
                snprintf(out + at, size - at, "...");
                break;
            }
            at += (size_t)n;
        }
        if (v.t->rank > 1)
            snprintf(out, size, "%zu x %zu", v.t->dim[0], v.t->dim[1]);
    } else if (p->type == PARAM_CHOICE) {
        snprintf(out, size, "%s", v.x >= 0 && v.x < (double)n_choices(p) ? p->choices[(size_t)v.x] : "?");
    } else if (p->type == PARAM_BOOL) {
        snprintf(out, size, "%s", v.x != 0 ? "true" : "false");
    } else {
        snprintf(out, size, "%.10g", v.x);
    }
    return out;
}

static double step_number(const struct param *p, double x, int steps)
{
    if (p->step > 0)
        return x + steps * p->step;
    double y = x * exp2(steps / 4.0);
    if (p->type != PARAM_INT)
        return y;
    y = round(y);
    return y == x ? x + (steps > 0) - (steps < 0) : y;
}

struct value param_step(const struct param *p, struct value v, int steps, double start)
{
    if (p->type == PARAM_LIST || p->type == PARAM_TABLE)
        return v;
    double x = isnan(v.x) ? start : v.x;
    if (isnan(x))
        x = p->min;
    if (p->type == PARAM_BOOL) {
        x = steps % 2 ? !x : x;
    } else if (p->type == PARAM_CHOICE) {
        long n = (long)n_choices(p);
        x = (double)((((long)x + steps) % n + n) % n);
    } else {
        x = fmin(fmax(step_number(p, x, steps), p->min), p->max);
    }
    return (struct value){x, NULL};
}

const char *param_choice_title(const struct param *p, size_t choice)
{
    return p->titles ? p->titles[choice] : p->choices[choice];
}

bool param_applies(const struct param *params, size_t n, size_t i, const struct value *values)
{
    const char *when = params[i].when;
    if (!when)
        return true;
    char name[48];
    size_t length = strcspn(when, "=");
    snprintf(name, sizeof name, "%.*s", (int)length, when);
    int at = param_index(params, n, name);
    const char *now = "";
    if (at >= 0 && !value_absent(values[at]))
        now = params[at].type == PARAM_BOOL ? (values[at].x != 0 ? "true" : "false") : params[at].choices[(size_t)values[at].x];
    for (const char *id = when + length; *id; id += strcspn(id, "|")) {
        id++;
        if (strlen(now) == strcspn(id, "|") && !strncmp(now, id, strlen(now)))
            return true;
    }
    return false;
}

int param_index(const struct param *params, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(params[i].name, name))
            return (int)i;
    return -1;
}

/* ---- kinds and instances ------------------------------------------------------------------------- */

static bool has_name(const struct encoding *kind, const char *name)
{
    if (!strcmp(kind->id, name))
        return true;
    for (size_t i = 0; kind->aliases && kind->aliases[i]; i++)
        if (!strcmp(kind->aliases[i], name))
            return true;
    return false;
}

const struct encoding *encoding_find(const char *id, struct err *err)
{
    char list[300] = "";
    for (size_t i = 0; encodings[i]; i++) {
        if (has_name(encodings[i], id))
            return encodings[i];
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", encodings[i]->id);
    }
    err_set(err, N_("there is no encoding '%s'; there are %s"), id, list);
    return NULL;
}

double shape_scale(const struct shape *s)
{
    return s->scale > 0 ? s->scale : 1 / sqrt(s->d_head);
}

static bool shape_check(const struct shape *s, struct err *err)
{
    if (!(s->length >= 1 && s->length <= 1e12))
        return err_set(err, N_("length = %g: allowed is 1 to 1e12"), s->length);
    if (s->n_heads < 1 || s->n_heads > 65536)
        return err_set(err, N_("num_heads = %d: allowed is 1 to 65536"), s->n_heads);
    if (s->d_head < 1 || s->d_head > 65536)
        return err_set(err, N_("head_dim = %d: allowed is 1 to 65536"), s->d_head);
    if (s->d_model < 1 || s->d_model > 1048576)
        return err_set(err, N_("d_model = %d: allowed is 1 to 1048576"), s->d_model);
    return true;
}

struct enc *enc_open(const struct encoding *kind, const struct shape *shape, const struct value *given, struct err *err)
{
    if (!shape_check(shape, err))
        return NULL;
    struct enc *e = xcalloc(1, sizeof *e);
    e->kind = kind;
    e->shape = *shape;
    e->axes = kind->axes;
    e->scale = shape_scale(shape);
    e->state = xcalloc(1, kind->state_size + 1);
    bool fits = true;
    for (size_t i = 0; i < kind->n_params; i++) {
        e->param[i] = given ? given[i] : (struct value){kind->params[i].def, NULL};
        table_ref(e->param[i].t);
        fits = fits && param_check(&kind->params[i], e->param[i], err);
    }
    if (fits && (!kind->init || kind->init(e, err)))
        return e;
    enc_close(e);
    return NULL;
}

void enc_close(struct enc *e)
{
    if (!e)
        return;
    if (e->kind->done)
        e->kind->done(e);
    for (size_t i = 0; i < e->kind->n_params; i++)
        table_unref(e->param[i].t);
    free(e->state);
    free(e);
}

static bool picture_of(const struct enc *e, struct token_grid *out)
{
    return e->axes == 2 && e->kind->grid && e->kind->grid(e, out);
}

bool enc_diagonal(const struct enc *e)
{
    struct token_grid g;
    return e->axes == 2 && !picture_of(e, &g);
}

void enc_places(const struct enc *e, const double *token, size_t n, double *out)
{
    struct token_grid g;
    bool picture = picture_of(e, &g);
    for (size_t i = 0; i < n; i++, out += e->axes) {
        double patch = picture ? token[i] - g.class_tokens : NAN;
        for (int a = 0; a < e->axes; a++)
            out[a] = !picture                                          ? token[i]
                     : token[i] < 0 || !(patch < g.rows * g.columns) ? INFINITY
                     : patch < 0                                     ? NAN
                     : a == 0                                        ? floor(patch / g.columns)
                                                                     : fmod(patch, g.columns);
    }
}
