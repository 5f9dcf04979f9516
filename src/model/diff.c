/* diff.c - two readings compared: the fields of the models, then layer by layer what is computed there, and the same in words. */
#include "model/diff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/diff_parts.h"
#include "model/families.h"

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
        diff_say(s, N_("The layouts, %s and %s, are the same rotation here: the rows of q and k in the GGUF file are permuted to match."), a, b);
        return;
    }
    diff_text(s, "layout", a, b);
    if (*a && *b)
        diff_say(s, N_("Pairs are formed otherwise (%s, %s): unless the rows of q and k are permuted to match, every product of a query and a key is another."), a, b);
    else
        diff_say(s, N_("Which dimensions form a pair cannot be told of %s."), *a ? "B" : "A");
}

static double key_heads(const struct facts *f)
{
    return isnan(f->num_kv_heads) ? f->num_heads : f->num_kv_heads;
}

/* Heads for keys that are not written are as many as for queries; latent attention has none of its own. */
static void compare_sizes(const struct sides *s)
{
    const struct facts *a = s->a, *b = s->b;
    diff_size(s, "num_heads", a->num_heads, b->num_heads);
    if (!is_latent(a) && !is_latent(b))
        diff_size(s, "num_kv_heads", key_heads(a), key_heads(b));
    diff_size(s, "num_layers", a->num_layers, b->num_layers);
    diff_size(s, "hidden_size", a->hidden_size, b->hidden_size);
    diff_size(s, "head_dim", a->head_dim, b->head_dim);
    if (a->scale_by_layer != b->scale_by_layer)
        diff_add(s->d, "scale_by_layer", json_new_bool(a->scale_by_layer), json_new_bool(b->scale_by_layer));
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
    return s->a->n_kinds && s->b->n_kinds && isnan(diff_length(s, &s->a->kind[0], &s->b->kind[0]));
}

/* Taken by default, not written: its finding says so, or its origin is a rule in words. */
static bool base_is_assumed(const struct facts *f)
{
    for (size_t i = 0; i < f->n_findings; i++)
        if (!strcmp(f->finding[i].code, "base-missing") || !strcmp(f->finding[i].code, "base-assumed"))
            return true;
    return strchr(facts_origin(f, "base"), ' ') != NULL;
}

/* Two files of one model, of which one may have lost what the other says; of two models nothing is lost. */
static bool same_model(const struct facts *a, const struct facts *b)
{
    const double sizes[][2] = {{a->hidden_size, b->hidden_size}, {a->num_layers, b->num_layers}, {a->num_heads, b->num_heads}, {key_heads(a), key_heads(b)}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i][0] != sizes[i][1] && !isnan(sizes[i][0]) && !isnan(sizes[i][1]))
            return false;
    return true;
}

static void say_base(const struct sides *s)
{
    const struct facts *a = s->a, *b = s->b;
    bool lost_a = base_is_assumed(a), lost_b = base_is_assumed(b);
    double slowest = pow(fmax(a->base, b->base) / fmin(a->base, b->base), fmin(a->rotary_dim, b->rotary_dim) > 2 ? 1 - 2 / fmin(a->rotary_dim, b->rotary_dim) : 1);
    if (isnan(a->base) || isnan(b->base))
        diff_say(s, N_("The base is %.10g in one file and not known in the other."), isnan(a->base) ? b->base : a->base);
    else if (lost_a != lost_b && same_model(a, b))
        diff_say(s, N_("The base is lost: %s has %.10g (%s), in %s it is missing and %.10g is assumed. All pairs but the first turn at another speed, the slowest by a "
                     "factor of %.4g."), lost_a ? "B" : "A", lost_a ? b->base : a->base, facts_origin(lost_a ? b : a, "base"), lost_a ? "A" : "B",
               lost_a ? a->base : b->base, slowest);
    else
        diff_say(s, N_("The bases differ, %.10g and %.10g: all pairs but the first turn at another speed, the slowest by a factor of %.4g."), a->base, b->base, slowest);
}

static void say_scaling(const struct sides *s)
{
    const struct facts *a = s->a, *b = s->b;
    const struct facts *with = is_scaled(a) ? a : b;
    const char *having = is_scaled(a) ? "A" : "B", *lacking = is_scaled(a) ? "B" : "A";
    char factor[40] = "";
    if (!isnan(with->factor))
        snprintf(factor, sizeof factor, lang_text(s->lang, N_(", factor %.6g")), with->factor);
    if (is_scaled(a) != is_scaled(b) && !same_model(a, b))
        diff_say(s, N_("%s alone has a scaling, %s%s; the frequencies of %s are unscaled."), having, scaling_of(with), factor, lacking);
    else if (is_scaled(a) != is_scaled(b))
        diff_say(s, N_("The scaling is lost: %s has %s%s, %s has none, so its frequencies are unscaled and positions meet angles that the model was not tuned for."), having,
               scaling_of(with), factor, lacking);
    else if (strcmp(scaling_of(a), scaling_of(b)))
        diff_say(s, N_("The scalings are of two kinds, %s and %s."), scaling_of(a), scaling_of(b));
    else if (!diff_near(a->factor, b->factor, s->d->tolerance))
        diff_say(s, N_("The factors of the scaling %s differ, %.6g and %.6g."), scaling_of(a), a->factor, b->factor);
}

static void compare_rotations(const struct sides *s)
{
    const struct facts *a = s->a, *b = s->b;
    bool same = same_main_rotation(s);
    compare_layouts(s);
    diff_number(s, "rotary_dim", a->rotary_dim, b->rotary_dim);
    if (diff_number(s, "base", a->base, b->base))
        say_base(s);
    if (same)
        return;
    bool kinds = diff_text(s, "scaling_type", scaling_of(a), scaling_of(b)), factors = diff_number(s, "factor", a->factor, b->factor);
    if (kinds || factors)
        say_scaling(s);
}

static void compare_models(const struct sides *s)
{
    const struct facts *a = s->a, *b = s->b;
    if (!strcmp(a->scheme, scheme_names[SCHEME_UNKNOWN]) && !strcmp(b->scheme, scheme_names[SCHEME_UNKNOWN])) {
        diff_add(s->d, "scheme", json_new_null(), json_new_null());
        diff_say(s, N_("The position encoding can be told of neither file, so they cannot be compared."));
    }
    if (diff_text(s, "scheme", a->scheme, b->scheme))
        diff_say(s, N_("The files have different position encodings: %s and %s."), a->scheme, b->scheme);
    compare_sizes(s);
    if (is_rope(a) && is_rope(b))
        compare_rotations(s);
    diff_number(s, "trained_context", a->trained_context, b->trained_context);
    diff_number(s, "context", a->context, b->context);
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
    diff_say(s, N_("%zu of %zu pairs turn at other speeds. The rotations agree (cosine at least 0.99) up to position %.10g; at %.10g it is %.3f."), d->n_pairs, d->n_rotated, until,
           last->position, last->value);
}

static void say_lengths(const struct sides *s)
{
    const struct facts *a = s->a, *b = s->b;
    if (!diff_near(a->context, b->context, s->d->tolerance) && !isnan(a->context) && !isnan(b->context))
        diff_say(s, N_("The declared contexts differ, %.10g and %.10g."), a->context, b->context);
}

/* The first layers whose scales differ stand for all. */
static void say_scale(const struct sides *s)
{
    for (size_t i = 0; i < s->d->n_differences; i++) {
        const struct difference *x = &s->d->difference[i];
        if (!strcmp(x->field, "softmax_scale")) {
            double a = json_number(x->a, NAN), b = json_number(x->b, NAN);
            diff_say(s, N_("q.k is multiplied by %.6g in A and by %.6g in B before the softmax: the logits of one are %.4g times those of the other, so its attention is "
                           "sharper."), a, b, fmax(a, b) / fmin(a, b));
            return;
        }
    }
}

static void say_other(const struct sides *s)
{
    for (size_t i = 0; i < s->d->n_differences; i++) {
        const struct difference *x = &s->d->difference[i];
        if (!strcmp(x->field, "mask") || !strcmp(x->field, "sliding_window") || !strcmp(x->field, "encodings")) {
            diff_say(s, N_("Layers differ in which keys they see or in their encoding; see the list."));
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
        diff_layers(&s);
    say_lengths(&s);
    say_scale(&s);
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
        diff_difference_done(&d->difference[i]);
    for (size_t i = 0; i < d->n_sentences; i++)
        free(d->sentence[i]);
    free(d->difference);
    free(d->sentence);
    free(d->pair);
    free(d->cosine);
    free(d);
}
