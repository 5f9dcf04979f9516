/* config_rotation.c - a rotation as it was read, made an item of the encoding `rope`: all frequencies and factors come from there. */
#include "model/config_rope.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/rotary.h"

void scaling_init(struct scaling *s, const struct json *object, const char *path)
{
    *s = (struct scaling){
        .object = object, .shown = "default", .computed = "default", .partial = NAN, .factor = NAN, .original = NAN,
        .alpha = NAN, .attention_factor = NAN, .beta_fast = NAN, .beta_slow = NAN, .mscale = NAN, .mscale_all_dim = NAN,
        .truncate = NAN, .low_freq_factor = NAN, .high_freq_factor = NAN, .short_mscale = NAN, .long_mscale = NAN, .temperature_beta = NAN,
    };
    snprintf(s->path, sizeof s->path, "%s", path);
}

void scaling_done(struct scaling *s)
{
    table_unref(s->short_factor);
    table_unref(s->long_factor);
    table_unref(s->sections);
}

bool rotation_item(const struct rotation *r, struct item *item)
{
    const struct scaling *s = &r->scaling;
    const struct encoding *kind = encoding_find("rope", NULL);
    if (!kind || isnan(r->rotary_dim) || isnan(r->head_dim) || isnan(r->base))
        return false;
    item_init(item, kind);
    bool latent = r->nope_dim > 0, proportional = !strcmp(s->computed, "proportional");
    item_choice(item, "layout", *r->layout ? r->layout : "half");
    item_choice(item, "rope_type", s->computed);
    item_number(item, "rope_theta", r->base);
    item_number(item, "rotary_dim", proportional ? NAN : r->rotary_dim);
    item_number(item, "partial_rotary_factor", proportional ? s->partial : NAN);
    item_number(item, "qk_nope_head_dim", r->nope_dim);
    item_number(item, "max_position_embeddings", r->declared);
    item_number(item, "original_max_position_embeddings", s->original);
    item_number(item, "factor", s->factor);
    item_number(item, "alpha", s->alpha);
    item_number(item, "attention_factor", s->attention_factor);
    item_number(item, "beta_fast", s->beta_fast);
    item_number(item, "beta_slow", s->beta_slow);
    item_number(item, "truncate", s->truncate);
    item_number(item, "low_freq_factor", s->low_freq_factor);
    item_number(item, "high_freq_factor", s->high_freq_factor);
    item_number(item, "short_mscale", s->short_mscale);
    item_number(item, "long_mscale", s->long_mscale);
    item_list(item, "short_factor", s->short_factor);
    item_list(item, "long_factor", s->long_factor);
    item_list(item, "mrope_section", s->sections_own_order ? NULL : s->sections);
    item_number(item, "mrope_interleaved", s->sections_interleaved);
    if (latent || isnan(s->mscale) || isnan(s->mscale_all_dim) || s->mscale == 0 || s->mscale_all_dim == 0) {
        item_number(item, "mscale", s->mscale);
        item_number(item, "mscale_all_dim", latent ? s->mscale_all_dim : NAN);
    } else if (isnan(s->attention_factor)) {        /* only latent attention scales its logits by mscale_all_dim as well */
        item_number(item, "attention_factor", rope_yarn_mscale(s->factor, s->mscale) / rope_yarn_mscale(s->factor, s->mscale_all_dim));
    }
    return true;
}

struct enc *rotation_open(struct part *p, const struct rotation *r, double length)
{
    struct item item;
    if (!rotation_item(r, &item))
        return NULL;
    struct err err = {.lang = p->r->lang};
    struct shape shape = part_shape(p);
    shape.d_head = shape_number(r->head_dim);
    shape.length = fmax(length, 1);
    struct enc *e = enc_open(item.kind, &shape, item.param, &err);
    if (!e)
        finding_add(p->r, "encoding-refuses", r->scaling.path, N_("%s. Frequencies cannot be shown."), err.text);
    item_done(&item);
    return e;
}

double rotation_longest_wave(const struct spectrum *s)
{
    double slowest = INFINITY;
    for (size_t k = 0; k < s->n; k++)
        if (s->inv_freq[k] > 0)
            slowest = fmin(slowest, s->inv_freq[k]);
    return 2 * M_PI / slowest;
}

char *rotation_unseen(struct part *p, const struct rotation *r, double trained, char *out, size_t size)
{
    struct rotation plain = *r;
    *out = '\0';
    scaling_init(&plain.scaling, NULL, "");
    struct enc *e = isnan(trained) ? NULL : rotation_open(p, &plain, trained);
    if (!e)
        return out;
    const struct spectrum *s = e->kind->spectrum(e);
    size_t first = s->n;
    while (first > 0 && 2 * M_PI / s->inv_freq[first - 1] > trained)
        first--;
    if (first < s->n)
        say(p->r, out, size, N_(" Pairs %zu to %zu meet unseen angles beyond %.10g: they have not turned once within it."), first, s->n - 1, trained);
    enc_close(e);
    return out;
}
