/* gguf_translation.c - what the parts of a translation share: the values of the file, and the configuration that they are put into. */
#include "model/gguf_translation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Indexed by enum gguf_key. */
const struct gguf_key_names gguf_key_names[GGUF_KEY_COUNT] = {
#define GGUF_KEY(key, gguf, hf) [GGUF_##key] = {gguf, hf},
#include "model/gguf_keys.def"
#undef GGUF_KEY
};

char *gguf_key_name(const struct translation *t, enum gguf_key key, char *out, size_t size)
{
    const char *name = gguf_key_names[key].gguf;
    if (*name == '=')
        snprintf(out, size, "%s", name + 1);
    else
        snprintf(out, size, "%s.%s", t->name, name);
    return out;
}

/* ---- values of the file -------------------------------------------------------------------------------------------- */

const struct gguf_value *gguf_value_of(const struct translation *t, const char *key)
{
    char full[160];
    snprintf(full, sizeof full, "%s.%s", t->name, key);
    return gguf_get(t->g, full);
}

double gguf_number_of(const struct translation *t, const char *key)
{
    const struct gguf_value *v = gguf_value_of(t, key);
    return v && isfinite(v->number) ? v->number : NAN;
}

double gguf_at_layer(const struct gguf_value *v, size_t l)
{
    if (!v)
        return NAN;
    return !v->list ? v->number : l < v->list->n ? v->list->v[l] : NAN;
}

double gguf_largest(const struct gguf_value *v)
{
    double most = v ? v->number : NAN;
    for (size_t i = 0; v && v->list && i < v->list->n; i++)
        most = fmax(most, v->list->v[i]);       /* fmax passes over NAN */
    return most;
}

bool gguf_rule(const struct translation *t, unsigned rules)
{
    return t->arch && (t->arch->rules & rules) != 0;
}

enum gguf_rope gguf_rope_type(const struct translation *t)
{
    const struct gguf_value *sections = gguf_value_of(t, "rope.dimension_sections");
    if (gguf_rule(t, GGUF_SECTIONS) && gguf_largest(sections) > 0)
        return GGUF_ROPE_MROPE;
    return t->arch ? t->arch->rope : GGUF_ROPE_NONE;
}

/* ---- the configuration ----------------------------------------------------------------------------------------------- */

struct json *gguf_scaling_object(struct translation *t)
{
    if (!t->scaling)
        t->scaling = json_set(t->config, "rope_scaling", json_object());
    return t->scaling;
}

void gguf_put(struct translation *t, enum gguf_key key, struct json *value)
{
    const char *name = gguf_key_names[key].hf, *inner = strchr(name, '.');
    if (inner)
        json_set(gguf_scaling_object(t), inner + 1, value);
    else
        json_set(t->config, name, value);
}

void gguf_put_number(struct translation *t, enum gguf_key key, double x, const char *from)
{
    gguf_put(t, key, isnan(x) ? json_new_null() : json_new_number(x));
    snprintf(t->from[key], sizeof t->from[key], "%s", from ? from : "");
}

const char *gguf_without(const struct translation *t, const char *key, char out[160])
{
    return say(t->r, out, 160, N_("llama.cpp's code where %s.%s is absent"), t->name, key);
}

void gguf_copy(struct translation *t, enum gguf_key key)
{
    const struct gguf_value *v = gguf_value_of(t, gguf_key_names[key].gguf);
    char name[160];
    if (v && !v->text && !v->list && v->type != GGUF_ARRAY && !isfinite(v->number))
        finding_add(t->r, "not-finite", gguf_key_name(t, key, name, sizeof name), N_("%s is not a finite number: nothing can be computed with it."), name);
    if (v && v->text)
        gguf_put(t, key, json_new_string(v->text));
    else if (v && v->type == GGUF_BOOL)
        gguf_put(t, key, json_new_bool(v->number != 0));
    else if (v && isfinite(gguf_largest(v)))
        gguf_put(t, key, json_new_number(gguf_largest(v)));
    else if (!strchr(gguf_key_names[key].hf, '.'))
        gguf_put(t, key, json_new_null());
}
