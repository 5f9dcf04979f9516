/* diff_layers.c - layer against layer: what is computed there, and in which layers it differs. */
#include "model/diff_parts.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"

/* ---- one kind of layer against another -------------------------------------------------------------------------------- */

/* Parameters that the fields of the reading speak of already, or that only lead to frequencies, which are compared themselves. */
static bool is_covered(const char *name)
{
    static const char *const covered[] = {"layout", "rope_theta", "rotary_dim", "partial_rotary_factor", "rope_type", "factor", "original_max_position_embeddings",
                                          "max_position_embeddings", "attention_factor", "mscale", "mscale_all_dim", "seed", NULL};
    return name_among(name, covered);
}

static bool same_numbers(const struct table *a, const struct table *b, double tolerance)
{
    if (!a || !b || a->n != b->n)
        return a == b;
    for (size_t i = 0; i < a->n; i++)
        if (!diff_near(a->v[i], b->v[i], tolerance))
            return false;
    return true;
}

/* A value as the reports show it: a choice by its name, a list by its length. */
static struct json *shown(const struct sides *s, const struct param *p, struct value v)
{
    char text[64];
    if (value_absent(v))
        return json_new_null();
    if (p->type == PARAM_CHOICE)
        return json_new_string(p->choices[(size_t)v.x]);
    if (p->type == PARAM_BOOL)
        return json_new_bool(v.x != 0);
    if (!v.t)
        return json_new_number(v.x);
    snprintf(text, sizeof text, lang_text(s->lang, N_("numbers: %zu, first %.6g, last %.6g")), v.t->n, v.t->v[0], v.t->v[v.t->n - 1]);
    return json_new_string(text);
}

/* A table that only one file has (a configuration holds none) is no disagreement. */
static bool same_parameter(const struct param *p, struct value a, struct value b, double tolerance)
{
    if (p->type == PARAM_TABLE && (!a.t || !b.t))
        return true;
    if (a.t || b.t)
        return same_numbers(a.t, b.t, tolerance);
    return diff_near(a.x, b.x, tolerance);
}

static void compare_items(const struct sides *s, const struct item *x, const struct item *y, bool same_rotation)
{
    bool rotation = x->kind->spectrum && x->kind->rotate;
    for (size_t i = 0; i < x->kind->n_params; i++) {
        const struct param *p = &x->kind->params[i];
        if ((rotation && (same_rotation || is_covered(p->name))) || !strcmp(p->name, "seed") || !strcmp(p->name, "max_position_embeddings"))
            continue;
        if (!same_parameter(p, x->param[i], y->param[i], s->d->tolerance))
            diff_add(s->d, p->name, shown(s, p, x->param[i]), shown(s, p, y->param[i]));
    }
}

/* "rope + attn_temperature", "none". RoPE by llama.cpp's arguments is RoPE. */
static void encodings_of(const struct layer_facts *k, enum lang lang, char out[128])
{
    *out = '\0';
    for (size_t i = 0; i < k->n_items; i++) {
        const char *id = k->item[i].kind->id;
        size_t at = strlen(out);
        snprintf(out + at, 128 - at, "%s%s", i ? " + " : "", !strcmp(id, "ggml_rope") ? "rope" : id);
    }
    if (!k->n_items)
        snprintf(out, 128, "%s", lang_text(lang, k->unread ? N_("unknown") : N_("none")));
}

static void compare_masks(const struct sides *s, const struct layer_facts *x, const struct layer_facts *y)
{
    diff_text(s, "mask", mask_names[x->mask.type], mask_names[y->mask.type]);
    if (x->mask.type == y->mask.type && x->mask.type != MASK_NONE && x->mask.type != MASK_CAUSAL)
        diff_number(s, x->mask.type == MASK_CHUNKED ? "attention_chunk_size" : "sliding_window", x->mask.size, y->mask.size);
}

/* What cos and sin, and all logits, are multiplied by. */
static void compare_magnitudes(const struct sides *s, const struct layer_facts *x, const struct layer_facts *y, double length)
{
    struct layer *a = diff_open(x, length), *b = diff_open(y, length);
    const struct spectrum *p = diff_spectrum(a), *q = diff_spectrum(b);
    double tolerance = fmax(s->d->tolerance, 2 * FLT_EPSILON);      /* GGUF holds these as float32 */
    if (p && q && !diff_near(p->attention_factor, q->attention_factor, tolerance))
        diff_number(s, "attention_factor", p->attention_factor, q->attention_factor);
    if (a && b && x->shape.d_head == y->shape.d_head && !diff_near(a->scale, b->scale, tolerance))
        diff_number(s, "softmax_scale", a->scale, b->scale);
    layer_close(a);
    layer_close(b);
}

static void compare_kinds(const struct sides *s, const struct layer_facts *x, const struct layer_facts *y)
{
    char of_x[128], of_y[128];
    double length[4], at = diff_length(s, x, y);
    size_t n = diff_lengths(s, length);
    encodings_of(x, s->lang, of_x);
    encodings_of(y, s->lang, of_y);
    compare_masks(s, x, y);
    if (diff_text(s, "encodings", of_x, of_y))
        return;
    for (size_t i = 0; i < x->n_items; i++)
        if (x->item[i].kind == y->item[i].kind)
            compare_items(s, &x->item[i], &y->item[i], isnan(at));
    compare_magnitudes(s, x, y, length[n - 1]);
}

/* ---- layers ------------------------------------------------------------------------------------------------------------- */

static bool is_of(const struct sides *s, size_t l, size_t kind_a, size_t kind_b)
{
    return s->a->kind_of_layer[l] == kind_a && s->b->kind_of_layer[l] == kind_b;
}

static bool same_value(const struct json *a, const struct json *b)
{
    char *x = json_print(a, false), *y = json_print(b, false);
    bool same = !strcmp(x, y);
    free(x);
    free(y);
    return same;
}

/* An earlier difference of other layers that says the same. */
static struct difference *same_before(const struct diff *d, size_t i)
{
    const struct difference *x = &d->difference[i];
    for (size_t k = 0; k < i; k++) {
        struct difference *y = &d->difference[k];
        if (y->where && !strcmp(x->field, y->field) && same_value(x->a, y->a) && same_value(x->b, y->b))
            return y;
    }
    return NULL;
}

/* The layers of two kinds that meet join those where the same was found before. */
static void mark_layers(const struct sides *s, size_t layers, size_t kind_a, size_t kind_b, size_t before)
{
    struct diff *d = s->d;
    for (size_t i = before; i < d->n_differences;) {
        struct difference *x = &d->difference[i], *same = same_before(d, i), *to = same ? same : x;
        if (!to->where)
            to->where = xcalloc(layers, sizeof *to->where);
        for (size_t l = 0; l < layers; l++)
            to->where[l] = to->where[l] || is_of(s, l, kind_a, kind_b);
        if (!same) {
            i++;
            continue;
        }
        diff_difference_done(x);
        memmove(x, x + 1, (--d->n_differences - i) * sizeof *x);
    }
}

/* "0-4, 6-10, 12" of the layers marked. */
static void runs_of(const bool *where, size_t layers, char *out, size_t size)
{
    *out = '\0';
    for (size_t l = 0; l < layers; l++) {
        size_t end = l, at = strlen(out);
        if (!where[l])
            continue;
        while (end + 1 < layers && where[end + 1])
            end++;
        if (at + 24 > size) {
            snprintf(out + at, size - at, ", ...");
            return;
        }
        snprintf(out + at, size - at, end > l ? "%s%zu-%zu" : "%s%zu", at ? ", " : "", l, end);
        l = end;
    }
}

static void name_layers(struct diff *d, size_t layers)
{
    for (size_t i = 0; i < d->n_differences; i++) {
        struct difference *x = &d->difference[i];
        size_t n = 0;
        for (size_t l = layers; x->where && l-- > 0;)
            if (x->where[l])
                x->layer = (int)l, n++;
        if (n == layers)
            x->layer = -1;
        else if (n)
            runs_of(x->where, layers, x->layers, sizeof x->layers);
    }
}

/* Two kinds where they meet; measures the first rotation that differs. */
static void compare_where(const struct sides *s, size_t layers, size_t kind_a, size_t kind_b)
{
    size_t first = layers, before = s->d->n_differences;
    const struct layer_facts *x = &s->a->kind[kind_a], *y = &s->b->kind[kind_b];
    for (size_t l = layers; l-- > 0;)
        if (is_of(s, l, kind_a, kind_b))
            first = l;
    if (first == layers)
        return;
    compare_kinds(s, x, y);
    mark_layers(s, layers, kind_a, kind_b, before);
    double at = diff_length(s, x, y);
    if (!s->d->n_cosines && !isnan(at))
        diff_measure(s, x, y, (int)first, at);
}

/* Kinds of other parts (decoder, vision) stand behind those of the layers, and no layer is of them. */
static bool is_part(const struct facts *f, size_t kind)
{
    for (size_t l = 0; l < f->n_layers; l++)
        if (f->kind_of_layer[l] == kind)
            return false;
    return kind > 0;
}

/* The kind of b's parts that stands where kind i of a stands among those of its name; n_kinds: none. */
static size_t part_like(const struct sides *s, size_t i)
{
    size_t before = 0, j = 0;
    for (size_t k = 0; k < i; k++)
        before += is_part(s->a, k) && !strcmp(s->a->kind[k].name, s->a->kind[i].name);
    for (; j < s->b->n_kinds; j++)
        if (is_part(s->b, j) && !strcmp(s->b->kind[j].name, s->a->kind[i].name) && !before--)
            break;
    return j;
}

static double part_context(const struct facts *f, const char *part)
{
    return json_number(json_get(json_get(f->reading, part), "context"), NAN);
}

static void compare_parts(const struct sides *s)
{
    for (size_t i = 0; i < s->a->n_kinds; i++) {
        const struct layer_facts *x = &s->a->kind[i];
        size_t j = is_part(s->a, i) ? part_like(s, i) : s->b->n_kinds, before = s->d->n_differences;
        if (j == s->b->n_kinds)
            continue;
        const struct layer_facts *y = &s->b->kind[j];
        if (i == 0 || strcmp(s->a->kind[i - 1].name, x->name))
            diff_size(s, "context", part_context(s->a, x->name), part_context(s->b, x->name));
        diff_size(s, "num_layers", x->count ? (double)x->count : NAN, y->count ? (double)y->count : NAN);
        compare_kinds(s, x, y);
        for (size_t k = before; k < s->d->n_differences; k++) {
            char field[sizeof s->d->difference->field];
            snprintf(field, sizeof field, "%.16s.%.30s", x->name, s->d->difference[k].field);
            memcpy(s->d->difference[k].field, field, sizeof field);
        }
    }
}

void diff_layers(const struct sides *s)
{
    size_t layers = s->a->n_layers < s->b->n_layers ? s->a->n_layers : s->b->n_layers;
    if (!s->a->n_kinds || !s->b->n_kinds)
        return;
    for (size_t i = 0; i < s->a->n_kinds; i++)
        for (size_t j = 0; j < s->b->n_kinds; j++)
            compare_where(s, layers, i, j);
    name_layers(s->d, layers);
    if (!layers) {
        compare_kinds(s, &s->a->kind[0], &s->b->kind[0]);
        double at = diff_length(s, &s->a->kind[0], &s->b->kind[0]);
        if (!isnan(at))
            diff_measure(s, &s->a->kind[0], &s->b->kind[0], 0, at);
    }
    compare_parts(s);
    double length[4];
    diff_lengths(s, length);
    if (!s->d->n_cosines)
        diff_measure(s, &s->a->kind[0], &s->b->kind[0], 0, length[0]);
}
