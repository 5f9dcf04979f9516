/* config_softmax.c - what the product of a query and a key is multiplied by before the softmax, where it is not 1/sqrt(head_dim): fixed by the
 * code of a family (T5, GPT-Neo: 1), or written under one of several keys. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "model/reader.h"

/* What a value means for a head of width d; NAN: 1/sqrt(d) after all. */
static double as_width(double x, double d)
{
    (void)d;
    return 1 / sqrt(x);
}

static double as_written(double x, double d)
{
    (void)d;
    return x;
}

static double one_if_off(double x, double d)
{
    (void)d;
    return x == 0 ? 1 : NAN;
}

static double inverse_width_if_on(double x, double d)
{
    return x == 1 ? 1 / d : NAN;
}

static double over_width(double x, double d)
{
    return x / d;
}

struct way {
    struct number n;
    bool read;                              /* by the code of this family */
    double (*scale)(double x, double d);
    const char *before, *after;             /* of the key, in the origin */
};

/* Keys that the code of other families leaves alone are known by their default. */
static bool reads(const struct part *p, const char *key)
{
    return !p->family || !isnan(family_default(p->family, key));
}

/* A key in the file comes before the family's default for another; null and values that are none leave 1/sqrt(head_dim). */
static double by_keys(const struct part *p, char from[KEY_PATH_MAX])
{
    const struct way ways[] = {
        {key_number(p, "softmax_scale attn_config.softmax_scale", WANT_POSITIVE), true, as_written, "", ""},
        {key_number_or_default(p, "query_pre_attn_scalar", WANT_POSITIVE), reads(p, "query_pre_attn_scalar"), as_width, "1 / sqrt(", ")"},
        {key_number_or_default(p, "attention_multiplier", WANT_POSITIVE), true, as_written, "", ""},
        {key_number_or_default(p, "scale_attn_weights", WANT_FLAG), reads(p, "scale_attn_weights"), one_if_off, "", ""},
        {key_number_or_default(p, "mup_scale_qk_dot_by_d scale_qk_dot_by_d", WANT_FLAG), reads(p, "mup_scale_qk_dot_by_d"), inverse_width_if_on,
         "1 / head_dim: ", ""},
        {key_number_or_default(p, "mup_attn_multiplier", WANT_POSITIVE), reads(p, "mup_attn_multiplier") && key_flag(p, "mup_use_scaling", true),
         over_width, "", " / head_dim"},
    };
    static const enum how stated_first[] = {HOW_STATED, HOW_DEFAULT};
    for (size_t turn = 0; turn < 2; turn++) {
        for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
            const struct way *w = &ways[i];
            bool none = w->n.how == HOW_NULL || w->n.how == HOW_BAD;
            if (w->read && none)
                return NAN;
            if (!w->read || w->n.how != stated_first[turn])
                continue;
            double scale = w->scale(w->n.x, p->f->head_dim);
            if (isnan(scale))
                continue;                   /* a switch that is as usual */
            snprintf(from, KEY_PATH_MAX, "%s%.100s%s", w->before, w->n.from, w->after);
            return scale;
        }
    }
    return NAN;
}

static double by_family(const struct part *p, char from[KEY_PATH_MAX])
{
    char name[40];
    double fixed = family_default(p->family, "@scale"), share = family_default(p->family, "@scale_share");
    if (isnan(fixed) && isnan(share))
        return NAN;
    say(p->r, from, KEY_PATH_MAX, N_("code of the family %s"), family_name(p->family, name, sizeof name));
    return isnan(fixed) ? 1 / sqrt(share * p->f->head_dim) : fixed;
}

/* GPT-2 as Mistral trained it. */
static void read_by_layer(struct part *p)
{
    struct number n = key_number(p, "scale_attn_by_inverse_layer_idx", WANT_FLAG);
    p->f->scale_by_layer = n.x == 1 && reads(p, "scale_attn_weights");
    if (p->f->scale_by_layer)
        part_origin(p, "scale_by_layer", n.from);
}

void read_softmax_scale(struct part *p)
{
    enum { LARGEST = 1000000 };             /* and its inverse: far beyond any model, and no view computes with infinities */
    char from[KEY_PATH_MAX] = "";
    double scale = by_family(p, from);
    read_by_layer(p);
    if (isnan(scale))
        scale = by_keys(p, from);
    if (isnan(scale) || fabs(scale * sqrt(p->f->head_dim) - 1) <= FLT_EPSILON)
        return;                             /* GGUF files hold it as float32 */
    if (scale > LARGEST || scale < 1.0 / LARGEST) {
        finding_add(p->r, "out-of-range", p->path, N_("the scale of the logits would be %.6g (%s): possible is %.6g to %.6g. 1/sqrt(head_dim) is taken."), scale, from,
                    1.0 / LARGEST, (double)LARGEST);
        return;
    }
    p->f->softmax_scale = scale;
    part_origin(p, "softmax_scale", from);
}
