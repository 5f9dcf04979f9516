/* facts_summary.c - facts in one sentence. */
#include "model/facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "model/reader.h"

static const char *const scheme_titles[SCHEME_COUNT] = {
    [SCHEME_UNKNOWN] = N_("position encoding unknown"),
    [SCHEME_NONE] = N_("no position encoding"),
    [SCHEME_ROPE] = N_("RoPE"),
    [SCHEME_ALIBI] = N_("ALiBi"),
    [SCHEME_LEARNED] = N_("learned absolute table"),
    [SCHEME_SINUSOIDAL] = N_("fixed sinusoids"),
    [SCHEME_T5] = N_("T5 relative bias"),
    [SCHEME_TRANSFORMER_XL] = N_("Transformer-XL relative encoding"),
    [SCHEME_DEBERTA] = N_("DeBERTa disentangled attention"),
    [SCHEME_SHAW] = N_("relative vectors (Shaw)"),
    [SCHEME_RELATIVE_2D] = N_("two-dimensional relative bias"),
    [SCHEME_CONVOLUTIONAL] = N_("convolution as position encoding"),
};

static const char *scheme_title(const char *scheme, enum lang lang)
{
    for (size_t i = 0; i < SCHEME_COUNT; i++)
        if (!strcmp(scheme, scheme_names[i]))
            return lang_text(lang, scheme_titles[i]);
    return scheme;
}

static void sum_up_rope(const struct facts *f, enum lang lang, char *out, size_t size)
{
    if (*f->layout)
        message_append(out, size, ", %s", f->layout);
    if (!isnan(f->rotary_dim) && !isnan(f->head_dim))
        message_append(out, size, lang_text(lang, N_(", %.10g of %.10g dimensions of a head")), f->rotary_dim, f->head_dim);
    if (!isnan(f->base))
        message_append(out, size, lang_text(lang, N_(", base %.10g")), f->base);
    if (*f->scaling_type && strcmp(f->scaling_type, "default")) {
        message_append(out, size, lang_text(lang, N_("; scaling %s")), f->scaling_type);
        if (!isnan(f->factor))
            message_append(out, size, lang_text(lang, N_(", factor %.6g")), f->factor);
        if (!strcmp(f->scaling_type, "dynamic") && !isnan(f->trained_context) && f->context > f->trained_context)
            message_append(out, size, lang_text(lang, N_(" (up to %.10g as without scaling, beyond it the base grows)")), f->trained_context);
    }
    const struct json *sections = json_get(json_get(f->reading, "checks"), "sections");
    if (sections) {
        message_append(out, size, "%s", lang_text(lang, N_("; multi-axis, sections")));
        for (const struct json *v = json_first(sections); v; v = json_next(v))
            message_append(out, size, " %g", json_number(v, NAN));
    }
}

static void sum_up_layers(const struct facts *f, enum lang lang, char *out, size_t size)
{
    for (size_t k = 0; k < f->n_kinds; k++) {
        const struct layer_facts *kind = &f->kind[k];
        if (!kind->count || kind->count == f->n_layers)
            continue;
        if (!strncmp(kind->name, "nope", 4))
            message_append(out, size, lang_text(lang, N_("; %zu of %zu layers without RoPE")), kind->count, f->n_layers);
        else if (kind->mask.type == MASK_SLIDING || kind->mask.type == MASK_WINDOW)
            message_append(out, size, lang_text(lang, N_("; %zu of %zu layers with a window of %.10g")), kind->count, f->n_layers,
                 kind->mask.type == MASK_WINDOW ? 2 * kind->mask.size : kind->mask.size);
        else if (kind->mask.type == MASK_CHUNKED)
            message_append(out, size, lang_text(lang, N_("; %zu of %zu layers in chunks of %.10g")), kind->count, f->n_layers, kind->mask.size);
    }
}

const char *layer_facts_without(const struct layer_facts *k)
{
    return k->unread ? N_("not computed") : N_("no position encoding");
}

char *facts_summary(const struct facts *f, enum lang lang, char *out, size_t size)
{
    *out = '\0';
    if (f->unreadable)
        return out;
    message_append(out, size, "%s", scheme_title(f->scheme, lang));
    if (!strcmp(f->scheme, scheme_names[SCHEME_ROPE]))
        sum_up_rope(f, lang, out, size);
    else if (!strcmp(f->scheme, scheme_names[SCHEME_ALIBI]) && !isnan(f->num_heads))
        message_append(out, size, lang_text(lang, N_(", %.10g heads")), f->num_heads);
    if (!isnan(f->trained_context) && f->trained_context != f->context)
        message_append(out, size, lang_text(lang, N_("; original length %.10g")), f->trained_context);
    if (!isnan(f->context))
        message_append(out, size, lang_text(lang, N_("; context %.10g")), f->context);
    sum_up_layers(f, lang, out, size);
    return out;
}
