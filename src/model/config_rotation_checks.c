/* config_rotation_checks.c - the numbers that a reading gives of a rotation for others to check it by: frequencies, bands, ramps, bases
 * in use, sections. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/quantity.h"
#include "core/rotary.h"
#include "model/config_rope.h"

static void check_bands(struct json *o, const struct spectrum *s)
{
    double count[BAND_OFF + 1] = {0};
    for (size_t k = 0; k < s->n; k++)
        count[s->band ? s->band[k] : BAND_KEPT]++;
    json_set_number(o, "kept", count[BAND_KEPT]);
    json_set_number(o, "blended", count[BAND_BLENDED]);
    json_set_number(o, "divided", count[BAND_DIVIDED]);
}

static void check_ramp(struct json *o, const struct rotation *r)
{
    const struct scaling *s = &r->scaling;
    double low, high;
    rope_yarn_ramp(&(struct rope_scaling){.type = ROPE_YARN, .base = r->base, .width = r->rotary_dim, .original = s->original, .maximum = r->declared,
                                          .beta_fast = isnan(s->beta_fast) ? 32 : s->beta_fast, .beta_slow = isnan(s->beta_slow) ? 1 : s->beta_slow,
                                          .truncate = isnan(s->truncate) || s->truncate != 0}, &low, &high);
    json_set_number(o, "ramp_low", low);
    json_set_number(o, "ramp_high", high);
}

/* The base in use at lengths. */
static void check_bases(struct part *p, struct json *o, const struct rotation *r)
{
    double trained = p->f->trained_context, lengths[] = {trained, p->f->context, trained * (isnan(r->scaling.factor) ? 1 : r->scaling.factor)};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char name[40];
        snprintf(name, sizeof name, "base_at_%.10g", lengths[i]);
        struct enc *e = isnan(lengths[i]) || json_get(o, name) ? NULL : rotation_open(p, r, lengths[i]);
        if (!e)
            continue;
        json_set_number(o, name, quantity_number(e, "base"));
        enc_close(e);
    }
}

static void check_lists(struct part *p, struct json *o, const struct rotation *r)
{
    const struct scaling *s = &r->scaling;
    double L = isnan(s->original) ? r->declared : s->original;
    json_set_number(o, "array_length", (double)s->long_factor->n);
    if (!isnan(r->declared))
        json_set_number(o, "factor_derived", r->declared / L);
    struct enc *shorter = rotation_open(p, r, L), *longer = rotation_open(p, r, L + 1);
    if (shorter && longer) {
        const struct spectrum *a = shorter->kind->spectrum(shorter), *b = longer->kind->spectrum(longer);
        json_set_number(o, "wavelength_longest_short", rotation_longest_wave(a));
        json_set_number(o, "wavelength_longest_long", rotation_longest_wave(b));
        json_set_number(o, "attention_factor", b->attention_factor);
        if (a->attention_factor != b->attention_factor)
            json_set_number(o, "attention_factor_short", a->attention_factor);
    }
    enc_close(shorter);
    enc_close(longer);
}

static void check_sections_read(struct json *o, const struct scaling *s)
{
    double sum = 0;
    struct json *list = json_set(o, "sections", json_array());
    for (size_t i = 0; i < s->sections->n; i++) {
        json_push_number(list, s->sections->v[i]);
        sum += s->sections->v[i];
    }
    json_set_number(o, "section_sum", sum);
    json_set_bool(o, "sections_interleaved", s->sections_interleaved);
    if (s->sections_own_order)
        json_set_string(o, "section_order", N_("rows and columns in turn, then time"));
}

static void check_proportional(struct json *o, const struct spectrum *s)
{
    double active = 0;
    for (size_t k = 0; k < s->n; k++)
        active += s->inv_freq[k] > 0;
    json_set_number(o, "active_pairs", active);
}

void rotation_check(struct part *p, struct json *o, const struct rotation *r)
{
    const struct scaling *s = &r->scaling;
    struct enc *e = rotation_open(p, r, isnan(p->f->trained_context) ? 1 : p->f->trained_context);
    if (!e)
        return;
    const struct spectrum *spectrum = e->kind->spectrum(e);
    json_set_number(o, "n_freq", (double)spectrum->n);
    if (strcmp(s->computed, "longrope"))
        json_set_number(o, "wavelength_longest", rotation_longest_wave(spectrum));
    if (!strcmp(s->computed, "llama3"))
        check_bands(o, spectrum);
    if (!strcmp(s->computed, "yarn")) {
        check_ramp(o, r);
        json_set_number(o, "attention_factor", spectrum->attention_factor);
        if (r->nope_dim > 0)
            json_set_number(o, "softmax_scale_multiplier", e->scale * sqrt(r->head_dim));
    }
    if (!strcmp(s->computed, "dynamic") || !strcmp(s->computed, "qwen_ntk") || !strcmp(s->computed, "ntk"))
        check_bases(p, o, r);
    if (!strcmp(s->computed, "longrope"))
        check_lists(p, o, r);
    if (!strcmp(s->computed, "proportional"))
        check_proportional(o, spectrum);
    if (s->sections)
        check_sections_read(o, s);
    enc_close(e);
}
