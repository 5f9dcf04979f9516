/* diff.c - two readings compared: fields of the models, then layer by layer what is computed there. Rotations are compared by their
 * frequencies at every length that the files name, so that scalings which act beyond the trained length are seen. */
#include "model/diff.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "core/measure.h"
#include "model/families.h"

/* fmt is one of our own messages or its checked translation (msgfmt --check-format). */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

struct sides {
    const struct facts *a, *b;
    struct diff *d;
    enum lang lang;
};

/* ---- collecting ---------------------------------------------------------------------------------------------------- */

static struct difference *differ(struct diff *d, const char *field, struct json *a, struct json *b)
{
    d->difference = xreallocarray(d->difference, d->n_differences + 1, sizeof *d->difference);
    struct difference *new = &d->difference[d->n_differences++];
    *new = (struct difference){.a = a, .b = b, .layer = -1};
    snprintf(new->field, sizeof new->field, "%s", field);
    return new;
}

static void say_so(const struct sides *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say_so(const struct sides *s, const char *fmt, ...)
{
    char raw[800], clean[800];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(raw, sizeof raw, lang_text(s->lang, fmt), ap);
    va_end(ap);
    struct diff *d = s->d;
    d->sentence = xreallocarray(d->sentence, d->n_sentences + 1, sizeof *d->sentence);
    d->sentence[d->n_sentences++] = xstrdup(utf8_sanitise(clean, sizeof clean, raw));
}

static bool near(double a, double b, double tolerance)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

static bool text_differs(const struct sides *s, const char *field, const char *a, const char *b)
{
    if (!strcmp(a, b))
        return false;
    differ(s->d, field, *a ? json_new_string(a) : json_new_null(), *b ? json_new_string(b) : json_new_null());
    return true;
}

static bool number_differs(const struct sides *s, const char *field, double a, double b)
{
    if (near(a, b, s->d->tolerance))
        return false;
    differ(s->d, field, json_new_number(a), json_new_number(b));
    return true;
}

/* A size that only one file states is no disagreement. */
static void size_differs(const struct sides *s, const char *field, double a, double b)
{
    if (!isnan(a) && !isnan(b))
        number_differs(s, field, a, b);
}

/* ---- rotations -------------------------------------------------------------------------------------------------------- */

static struct layer *open_at(const struct layer_facts *k, double length)
{
    struct shape shape = k->shape;
    shape.length = fmax(length, 1);
    return layer_open(k->item, k->n_items, &shape, NULL);
}

static const struct spectrum *spectrum_of(const struct layer *l)
{
    const struct enc *e = l ? layer_rotate(l) : NULL;
    return e && e->kind->spectrum ? e->kind->spectrum(e) : NULL;
}

/* Frequencies below what float32 can tell from zero at any position count as zero. */
static bool same_spectrum(const struct spectrum *x, const struct spectrum *y, double tolerance)
{
    if (!x || !y || x->n != y->n)
        return x == y;
    for (size_t k = 0; k < x->n; k++)
        if (!near(x->inv_freq[k], y->inv_freq[k], tolerance) || (x->axis ? x->axis[k] : 0) != (y->axis ? y->axis[k] : 0))
            return false;
    return true;
}

/* The lengths that the files name, ascending. */
static size_t lengths_of(const struct sides *s, double out[4])
{
    const double all[] = {s->a->trained_context, s->b->trained_context, s->a->context, s->b->context};
    size_t n = 0;
    for (size_t i = 0; i < 4; i++) {
        size_t at = n;
        if (isnan(all[i]))
            continue;
        while (at && out[at - 1] > all[i])
            at--;
        if (at && out[at - 1] == all[i])
            continue;
        memmove(out + at + 1, out + at, (n - at) * sizeof *out);
        out[at] = all[i];
        n++;
    }
    if (!n)
        out[n++] = 1;
    return n;
}

/* The first length at which two kinds of layer rotate differently; NAN: none. */
static double length_of_difference(const struct sides *s, const struct layer_facts *x, const struct layer_facts *y)
{
    double length[4], found = NAN;
    size_t n = lengths_of(s, length);
    for (size_t i = 0; i < n && isnan(found); i++) {
        struct layer *a = open_at(x, length[i]), *b = open_at(y, length[i]);
        if (!same_spectrum(spectrum_of(a), spectrum_of(b), s->d->tolerance))
            found = length[i];
        layer_close(a);
        layer_close(b);
    }
    return found;
}

static void list_pairs(struct diff *d, const struct spectrum *x, const struct spectrum *y)
{
    d->pair = xcalloc(x->n, sizeof *d->pair);
    for (size_t k = 0; k < x->n; k++)
        if (!near(x->inv_freq[k], y->inv_freq[k], d->tolerance))
            d->pair[d->n_pairs++] = (struct diff_pair){k, x->inv_freq[k], y->inv_freq[k]};
}

static void list_cosines(struct diff *d, const struct spectrum *x, const struct spectrum *y, double longest)
{
    enum { POWERS = 42 };
    d->cosine = xcalloc(POWERS, sizeof *d->cosine);
    for (double p = 1; p < longest && d->n_cosines < POWERS - 1; p *= 2)
        d->cosine[d->n_cosines++] = (struct diff_cosine){p, measure_rotation_cosine(x, y, p)};
    d->cosine[d->n_cosines++] = (struct diff_cosine){longest, measure_rotation_cosine(x, y, longest)};
}

/* Pairs and cosines of one kind of layer at one length. */
static void measure(const struct sides *s, const struct layer_facts *x, const struct layer_facts *y, int layer, double length)
{
    struct layer *a = open_at(x, length), *b = open_at(y, length);
    const struct spectrum *p = spectrum_of(a), *q = spectrum_of(b);
    double longest = fmax(fmax(s->a->context, s->b->context), fmax(s->a->trained_context, s->b->trained_context));
    s->d->layer = layer;
    s->d->length = length;
    if (p && q && p->n == q->n) {
        s->d->n_rotated = p->n;
        list_pairs(s->d, p, q);
        list_cosines(s->d, p, q, isnan(longest) ? 1 : longest);
    }
    layer_close(a);
    layer_close(b);
}

/* ---- one kind of layer against another -------------------------------------------------------------------------------- */

/* Parameters that the fields of the reading speak of already, or that only lead to frequencies, which are compared themselves. */
static bool is_covered(const struct item *item, const char *name)
{
    static const char *const covered[] = {"layout", "rope_theta", "rotary_dim", "partial_rotary_factor", "rope_type", "factor", "original_max_position_embeddings",
                                          "max_position_embeddings", "attention_factor", "mscale", "mscale_all_dim", "seed"};
    (void)item;
    for (size_t i = 0; i < sizeof covered / sizeof *covered; i++)
        if (!strcmp(name, covered[i]))
            return true;
    return false;
}

static bool same_numbers(const struct table *a, const struct table *b, double tolerance)
{
    if (!a || !b || a->n != b->n)
        return a == b;
    for (size_t i = 0; i < a->n; i++)
        if (!near(a->v[i], b->v[i], tolerance))
            return false;
    return true;
}

/* A value as the reports show it: a choice by its name, a list by its length. */
static struct json *shown(const struct param *p, struct value v)
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
    snprintf(text, sizeof text, "%zu numbers, first %.6g, last %.6g", v.t->n, v.t->v[0], v.t->v[v.t->n - 1]);
    return json_new_string(text);
}

/* A table that only one file has (a configuration holds none) is no disagreement. */
static bool same_parameter(const struct param *p, struct value a, struct value b, double tolerance)
{
    if (p->type == PARAM_TABLE && (!a.t || !b.t))
        return true;
    if (a.t || b.t)
        return same_numbers(a.t, b.t, tolerance);
    return near(a.x, b.x, tolerance);
}

static void compare_items(const struct sides *s, const struct item *x, const struct item *y, bool same_rotation)
{
    bool rotation = x->kind->spectrum && x->kind->rotate;
    for (size_t i = 0; i < x->kind->n_params; i++) {
        const struct param *p = &x->kind->params[i];
        if ((rotation && (same_rotation || is_covered(x, p->name))) || !strcmp(p->name, "seed") || !strcmp(p->name, "max_position_embeddings"))
            continue;
        if (!same_parameter(p, x->param[i], y->param[i], s->d->tolerance))
            differ(s->d, p->name, shown(p, x->param[i]), shown(p, y->param[i]));
    }
}

/* "rope + attn_temperature", "none". RoPE by llama.cpp's arguments is RoPE. */
static void encodings_of(const struct layer_facts *k, char out[128])
{
    *out = '\0';
    for (size_t i = 0; i < k->n_items; i++) {
        const char *id = k->item[i].kind->id;
        size_t at = strlen(out);
        snprintf(out + at, 128 - at, "%s%s", i ? " + " : "", !strcmp(id, "ggml_rope") ? "rope" : id);
    }
    if (!k->n_items)
        snprintf(out, 128, "%s", k->unread ? "unknown" : "none");
}

static void compare_masks(const struct sides *s, const struct layer_facts *x, const struct layer_facts *y)
{
    text_differs(s, "mask", mask_names[x->mask.type], mask_names[y->mask.type]);
    if (x->mask.type == y->mask.type && x->mask.type != MASK_NONE && x->mask.type != MASK_CAUSAL)
        number_differs(s, x->mask.type == MASK_CHUNKED ? "attention_chunk_size" : "sliding_window", x->mask.size, y->mask.size);
}

/* What cos and sin, and all logits, are multiplied by. */
static void compare_magnitudes(const struct sides *s, const struct layer_facts *x, const struct layer_facts *y, double length)
{
    struct layer *a = open_at(x, length), *b = open_at(y, length);
    const struct spectrum *p = spectrum_of(a), *q = spectrum_of(b);
    double tolerance = fmax(s->d->tolerance, 2 * FLT_EPSILON);      /* GGUF holds these as float32 */
    if (p && q && !near(p->attention_factor, q->attention_factor, tolerance))
        number_differs(s, "attention_factor", p->attention_factor, q->attention_factor);
    if (a && b && x->shape.d_head == y->shape.d_head && !near(a->scale, b->scale, tolerance))
        number_differs(s, "softmax_scale", a->scale, b->scale);
    layer_close(a);
    layer_close(b);
}

static void compare_kinds(const struct sides *s, const struct layer_facts *x, const struct layer_facts *y)
{
    char of_x[128], of_y[128];
    double length[4], at = length_of_difference(s, x, y);
    size_t n = lengths_of(s, length);
    encodings_of(x, of_x);
    encodings_of(y, of_y);
    compare_masks(s, x, y);
    if (text_differs(s, "encodings", of_x, of_y))
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

static void difference_done(struct difference *x)
{
    json_free(x->a);
    json_free(x->b);
    free(x->where);
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
        difference_done(x);
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
    double at = length_of_difference(s, x, y);
    if (!s->d->n_cosines && !isnan(at))
        measure(s, x, y, (int)first, at);
}

/* Kinds of other parts (decoder, vision) stand behind those of the layers; they are compared by name. */
static void compare_parts(const struct sides *s)
{
    for (size_t i = 0; i < s->a->n_kinds; i++) {
        const struct layer_facts *x = &s->a->kind[i];
        for (size_t j = 0; j < s->b->n_kinds; j++) {
            const struct layer_facts *y = &s->b->kind[j];
            size_t before = s->d->n_differences;
            if (x->count || y->count || strcmp(x->name, y->name) || (!i && !j))
                continue;
            compare_kinds(s, x, y);
            for (size_t k = before; k < s->d->n_differences; k++) {
                char field[sizeof s->d->difference->field];
                snprintf(field, sizeof field, "%.16s.%.30s", x->name, s->d->difference[k].field);
                memcpy(s->d->difference[k].field, field, sizeof field);
            }
        }
    }
}

static void compare_layers(const struct sides *s)
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
        double at = length_of_difference(s, &s->a->kind[0], &s->b->kind[0]);
        if (!isnan(at))
            measure(s, &s->a->kind[0], &s->b->kind[0], 0, at);
    }
    compare_parts(s);
    double length[4];
    lengths_of(s, length);
    if (!s->d->n_cosines)
        measure(s, &s->a->kind[0], &s->b->kind[0], 0, length[0]);
}

/* ---- the models ------------------------------------------------------------------------------------------------------------ */

static const char *check_text(const struct facts *f, const char *name)
{
    const char *text = json_string(json_get(json_get(f->reading, "checks"), name));
    return text ? text : "";
}

static bool is_rope(const struct facts *f)
{
    return !strcmp(f->scheme, scheme_names[SCHEME_ROPE]);
}

static bool is_latent(const struct facts *f)
{
    const struct item *item = f->n_kinds && f->kind[0].n_items ? &f->kind[0].item[0] : NULL;
    int i = item ? param_index(item->kind->params, item->kind->n_params, "qk_nope_head_dim") : -1;
    return i >= 0 && item->param[i].x > 0;
}

/* Layouts agree as they stand, or as they were before a converter permuted the rows of q and k. */
static void compare_layouts(const struct sides *s)
{
    const char *a = s->a->layout, *b = s->b->layout, *before_a = check_text(s->a, "layout_before_conversion");
    const char *before_b = check_text(s->b, "layout_before_conversion");
    if (!strcmp(a, b))
        return;
    if (!strcmp(before_a, b) || !strcmp(a, before_b)) {
        say_so(s, N_("The layouts, %s and %s, are the same rotation here: the rows of q and k in the GGUF file are permuted to match."), a, b);
        return;
    }
    text_differs(s, "layout", a, b);
    if (*a && *b)
        say_so(s, N_("Pairs are formed otherwise (%s, %s): unless the rows of q and k are permuted to match, every product of a query and a key is another."), a, b);
    else
        say_so(s, N_("Which dimensions form a pair cannot be told of %s."), *a ? "B" : "A");
}

/* Heads for keys that are not written are as many as for queries; latent attention has none of its own. */
static void compare_sizes(const struct sides *s)
{
    const struct facts *a = s->a, *b = s->b;
    size_differs(s, "num_heads", a->num_heads, b->num_heads);
    if (!is_latent(a) && !is_latent(b))
        size_differs(s, "num_kv_heads", isnan(a->num_kv_heads) ? a->num_heads : a->num_kv_heads, isnan(b->num_kv_heads) ? b->num_heads : b->num_kv_heads);
    size_differs(s, "num_layers", a->num_layers, b->num_layers);
    size_differs(s, "hidden_size", a->hidden_size, b->hidden_size);
    size_differs(s, "head_dim", a->head_dim, b->head_dim);
}

/* Multi-axis positions are no scaling, and a kind that leads to the same frequencies under another name is none either. */
static const char *scaling_of(const struct facts *f)
{
    return !strcmp(f->scaling_type, "mrope") ? "default" : f->scaling_type;
}

static bool is_scaled(const struct facts *f)
{
    return *f->scaling_type && strcmp(scaling_of(f), "default");
}

static bool same_main_rotation(const struct sides *s)
{
    return s->a->n_kinds && s->b->n_kinds && isnan(length_of_difference(s, &s->a->kind[0], &s->b->kind[0]));
}

/* Taken by default, not written: its finding says so, or its origin is a rule in words. */
static bool base_is_assumed(const struct facts *f)
{
    for (size_t i = 0; i < f->n_findings; i++)
        if (!strcmp(f->finding[i].code, "base-missing") || !strcmp(f->finding[i].code, "base-assumed"))
            return true;
    return strchr(facts_origin(f, "base"), ' ') != NULL;
}

static void say_base(const struct sides *s)
{
    const struct facts *a = s->a, *b = s->b;
    bool lost_a = base_is_assumed(a), lost_b = base_is_assumed(b);
    double slowest = pow(fmax(a->base, b->base) / fmin(a->base, b->base), fmin(a->rotary_dim, b->rotary_dim) > 2 ? 1 - 2 / fmin(a->rotary_dim, b->rotary_dim) : 1);
    if (isnan(a->base) || isnan(b->base))
        say_so(s, N_("The base is %.10g in one file and not known in the other."), isnan(a->base) ? b->base : a->base);
    else if (lost_a != lost_b)
        say_so(s, N_("The base is lost: %s has %.10g (%s), in %s it is missing and %.10g is assumed. All pairs but the first turn at another speed, the slowest by a "
                     "factor of %.4g."), lost_a ? "B" : "A", lost_a ? b->base : a->base, facts_origin(lost_a ? b : a, "base"), lost_a ? "A" : "B",
               lost_a ? a->base : b->base, slowest);
    else
        say_so(s, N_("The bases differ, %.10g and %.10g: all pairs but the first turn at another speed, the slowest by a factor of %.4g."), a->base, b->base, slowest);
}

static void say_scaling(const struct sides *s)
{
    const struct facts *a = s->a, *b = s->b;
    const struct facts *with = is_scaled(a) ? a : b;
    const char *having = is_scaled(a) ? "A" : "B", *lacking = is_scaled(a) ? "B" : "A";
    char factor[40] = "";
    if (!isnan(with->factor))
        snprintf(factor, sizeof factor, lang_text(s->lang, N_(", factor %.6g")), with->factor);
    if (is_scaled(a) != is_scaled(b))
        say_so(s, N_("The scaling is lost: %s has %s%s, %s has none, so its frequencies are unscaled and positions meet angles that the model was not tuned for."), having,
               scaling_of(with), factor, lacking);
    else if (strcmp(scaling_of(a), scaling_of(b)))
        say_so(s, N_("The scalings are of two kinds, %s and %s."), scaling_of(a), scaling_of(b));
    else if (!near(a->factor, b->factor, s->d->tolerance))
        say_so(s, N_("The factors of the scaling %s differ, %.6g and %.6g."), scaling_of(a), a->factor, b->factor);
}

static void compare_rotations(const struct sides *s)
{
    const struct facts *a = s->a, *b = s->b;
    bool same = same_main_rotation(s);
    compare_layouts(s);
    number_differs(s, "rotary_dim", a->rotary_dim, b->rotary_dim);
    if (number_differs(s, "base", a->base, b->base))
        say_base(s);
    if (same)
        return;
    bool kinds = text_differs(s, "scaling_type", scaling_of(a), scaling_of(b)), factors = number_differs(s, "factor", a->factor, b->factor);
    if (kinds || factors)
        say_scaling(s);
}

static void compare_models(const struct sides *s)
{
    const struct facts *a = s->a, *b = s->b;
    if (!strcmp(a->scheme, scheme_names[SCHEME_UNKNOWN]) && !strcmp(b->scheme, scheme_names[SCHEME_UNKNOWN])) {
        differ(s->d, "scheme", json_new_null(), json_new_null());
        say_so(s, N_("The position encoding can be told of neither file, so they cannot be compared."));
    }
    if (text_differs(s, "scheme", a->scheme, b->scheme))
        say_so(s, N_("The files have different position encodings: %s and %s."), a->scheme, b->scheme);
    compare_sizes(s);
    if (is_rope(a) && is_rope(b))
        compare_rotations(s);
    number_differs(s, "trained_context", a->trained_context, b->trained_context);
    number_differs(s, "context", a->context, b->context);
}

/* ---- in words --------------------------------------------------------------------------------------------------------------- */

/* Where the rotations part: the last position listed at which they still agree, and the end. */
static void say_cosine(const struct sides *s)
{
    const struct diff *d = s->d;
    const double AGREE = 0.99;
    double until = 0;
    if (!d->n_pairs || !d->n_cosines)
        return;
    for (size_t i = 0; i < d->n_cosines && d->cosine[i].value >= AGREE; i++)
        until = d->cosine[i].position;
    const struct diff_cosine *last = &d->cosine[d->n_cosines - 1];
    say_so(s, N_("%zu of %zu pairs turn at other speeds. The rotations agree (cosine at least 0.99) up to position %.10g; at %.10g it is %.3f."), d->n_pairs, d->n_rotated, until,
           last->position, last->value);
}

static void say_lengths(const struct sides *s)
{
    const struct facts *a = s->a, *b = s->b;
    if (!near(a->context, b->context, s->d->tolerance) && !isnan(a->context) && !isnan(b->context))
        say_so(s, N_("The declared contexts differ, %.10g and %.10g."), a->context, b->context);
}

static void say_other(const struct sides *s)
{
    for (size_t i = 0; i < s->d->n_differences; i++) {
        const struct difference *x = &s->d->difference[i];
        if (!strcmp(x->field, "mask") || !strcmp(x->field, "sliding_window") || !strcmp(x->field, "encodings")) {
            say_so(s, N_("Layers differ in which keys they see or in their encoding; see the list."));
            return;
        }
    }
}

struct diff *diff_facts(const struct facts *a, const struct facts *b, double tolerance, enum lang lang)
{
    struct diff *d = xcalloc(1, sizeof *d);
    struct sides s = {.a = a, .b = b, .d = d, .lang = lang};
    snprintf(d->a, sizeof d->a, "%s", a->file);
    snprintf(d->b, sizeof d->b, "%s", b->file);
    d->tolerance = tolerance;
    d->length = NAN;
    compare_models(&s);
    if (!strcmp(a->scheme, b->scheme))
        compare_layers(&s);
    say_lengths(&s);
    say_other(&s);
    say_cosine(&s);
    d->equal = d->n_differences == 0 && d->n_pairs == 0;
    return d;
}

void diff_free(struct diff *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->n_differences; i++)
        difference_done(&d->difference[i]);
    for (size_t i = 0; i < d->n_sentences; i++)
        free(d->sentence[i]);
    free(d->difference);
    free(d->sentence);
    free(d->pair);
    free(d->cosine);
    free(d);
}

/* ---- JSON --------------------------------------------------------------------------------------------------------------------- */

static void differences_json(const struct diff *d, struct json *o)
{
    struct json *list = json_set(o, "differences", json_array());
    for (size_t i = 0; i < d->n_differences; i++) {
        const struct difference *x = &d->difference[i];
        struct json *one = json_push(list, json_object());
        json_set_string(one, "field", x->field);
        json_set(one, "a", json_copy(x->a));
        json_set(one, "b", json_copy(x->b));
        json_set_number(one, "layer", x->layer < 0 ? NAN : x->layer);
        if (*x->layers)
            json_set_string(one, "layers", x->layers);
    }
}

static void rotations_json(const struct diff *d, struct json *o)
{
    struct json *pairs = json_set(o, "pairs", json_array()), *cosines = json_set(o, "cosine", json_array());
    for (size_t i = 0; i < d->n_pairs; i++) {
        struct json *one = json_push(pairs, json_object());
        json_set_number(one, "pair", (double)d->pair[i].pair);
        json_set_number(one, "a", d->pair[i].a);
        json_set_number(one, "b", d->pair[i].b);
    }
    for (size_t i = 0; i < d->n_cosines; i++) {
        struct json *one = json_push(cosines, json_object());
        json_set_number(one, "position", d->cosine[i].position);
        json_set_number(one, "value", d->cosine[i].value);
    }
}

struct json *diff_to_json(const struct diff *d)
{
    struct json *o = json_object();
    json_set_number(o, "schema", 1);
    json_set_string(o, "a", d->a);
    json_set_string(o, "b", d->b);
    json_set_bool(o, "equal", d->equal);
    differences_json(d, o);
    if (d->n_cosines) {
        json_set_number(o, "layer", d->layer);
        json_set_number(o, "length", d->length);
    }
    rotations_json(d, o);
    struct json *words = json_set(o, "summary", json_array());
    for (size_t i = 0; i < d->n_sentences; i++)
        json_push_string(words, d->sentence[i]);
    return o;
}
