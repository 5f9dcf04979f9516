/* config_rope.c - rotary position embedding in a configuration: how much of a head turns, the base, the lengths, what differs between
 * full and sliding layers. All frequencies and factors come from the encoding `rope`. */
#include "model/config_rope.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rotary.h"

static const char base_keys[] = "compress_rope_theta rope_theta rotary_emb_base rope_embedding_base rope_base rotary_base rope_freq_constant attn_config.rope_theta "
                                "global_rope_theta rotary_embedding_base rotary.base";
static const char local_base_keys[] = "rope_local_base_freq local_rope_theta swa_rope_theta";
static const char partial_keys[] = "partial_rotary_factor rotary_pct rope_pct rotary_emb_fraction";

/* The entry for the first layer of a kind, where the list may have one for each; the value itself where it is none. */
static struct number number_by_layer(struct part *p, const char *keys, enum want want, bool sliding)
{
    char path[KEY_PATH_MAX] = "", entry[KEY_PATH_MAX];
    const struct json *v = key_find(p, keys, path), *word = json_first(key_find(p, "layer_types", NULL));
    if (!p->family || !(p->family->rules & FAMILY_BY_LAYER) || json_type(v) != JSON_ARRAY)
        return key_number(p, keys, want);
    size_t i = 0;
    const struct json *x = json_first(v);
    for (; x && word && (json_string(word) && !strcmp(json_string(word), "sliding_attention")) != sliding; x = json_next(x), word = json_next(word))
        i++;
    if (!x)
        return (struct number){.x = NAN, .how = HOW_ABSENT};
    snprintf(entry, sizeof entry, "%.140s[%zu]", path, i);
    return number_at(p, x, entry, want);
}

/* ---- how much turns ------------------------------------------------------------------------------------------------ */

/* DeepSeek's latent attention: a block of qk_rope_head_dim channels turns, behind qk_nope_head_dim that do not. */
static bool latent_dims(struct part *p, struct rotation *r)
{
    struct number rope = key_number_or_default(p, "qk_rope_head_dim", WANT_WHOLE);
    if (isnan(rope.x) || rope.x == 0 || !key_flag(p, "use_mla", true))     /* small DeepSeek-VL2 models have plain heads */
        return false;
    if (rope.x < 0) {
        finding_add(p->r, "out-of-range", rope.path, N_("%s is %.10g, but it must be %s."), rope.path, rope.x, lang_text(p->r->lang, N_("a whole number from 1")));
        return true;
    }
    struct number nope = key_number_or_default(p, "qk_nope_head_dim", WANT_WHOLE);
    r->nope_dim = isnan(nope.x) ? 0 : fmax(nope.x, 0);
    r->rotary_dim = rope.x;
    r->head_dim = r->nope_dim + r->rotary_dim;
    p->f->head_dim = r->head_dim;
    part_origin(p, "head_dim", "qk_nope_head_dim + qk_rope_head_dim");
    part_origin(p, "rotary_dim", rope.from);
    return true;
}

static bool share_fits(struct part *p, const struct number *share, double head_dim)
{
    if (share->x > 0 && share->x <= 1)
        return true;
    if (share->x > 1)
        finding_add(p->r, "partial-out-of-range", share->path, N_("%s %.6g is above 1: a head has only %.10g dimensions to rotate. Write a share up to 1, or "
                                                                  "leave the key out for all of them."), share->path, share->x, head_dim);
    else
        finding_add(p->r, "partial-out-of-range", share->path, N_("%s %.6g must be above 0 and at most 1."), share->path, share->x);
    return false;
}

/* rotary_dim if the file has it, else the share of head_dim, cut to a whole number; else all. */
static void partial_dims(struct part *p, struct rotation *r, bool sliding)
{
    struct number dims = key_number_or_default(p, "rotary_dim", WANT_COUNT);
    struct number share = member_number(p, r->scaling.object, r->scaling.path, "partial_rotary_factor", WANT_FINITE);
    struct number outside = key_number(p, "partial_rotary_factor", WANT_FINITE);
    if (share.how == HOW_STATED && outside.how == HOW_STATED && outside.x != share.x)
        finding_add(p->r, "partial-conflict", outside.path, N_("%s %.6g and %s %.6g disagree; %s is used, as transformers 5 does. Keep one."), outside.path, outside.x, share.path,
                    share.x, share.path);
    if (share.how == HOW_ABSENT)
        share = number_by_layer(p, "partial_rotary_factors", WANT_FINITE, sliding);
    if (share.how == HOW_ABSENT)
        share = key_number_or_default(p, partial_keys, WANT_FINITE);
    r->rotary_dim = NAN;
    if (isnan(r->head_dim) && !(dims.how == HOW_STATED))
        return;
    if (!isnan(share.x) && !share_fits(p, &share, r->head_dim))
        return;
    double of_share = trunc(r->head_dim * share.x);
    bool take_dims = dims.how == HOW_STATED || (dims.how == HOW_DEFAULT && share.how != HOW_STATED);
    if (dims.how == HOW_STATED && share.how == HOW_STATED && dims.x != of_share && !isnan(r->head_dim))
        finding_add(p->r, "partial-conflict", dims.path, N_("%s %.10g and %s %.6g disagree: the share is %.10g of %.10g dimensions. %s is used. Keep one."),
                    dims.path, dims.x, share.path, share.x, of_share, r->head_dim, dims.path);
    if (dims.how == HOW_BAD || share.how == HOW_BAD)
        return;
    r->rotary_dim = take_dims ? dims.x : isnan(share.x) ? r->head_dim : of_share;
    part_origin(p, "rotary_dim", take_dims ? dims.from : isnan(share.x) ? facts_origin(p->r->f, "head_dim") : share.from);
}

static void check_dims(struct part *p, struct rotation *r)
{
    double d = r->rotary_dim;
    if (d > r->head_dim) {
        finding_add(p->r, "partial-out-of-range", "rotary_dim", N_("rotary_dim %.10g is larger than the head size %.10g."), d, r->head_dim);
        r->rotary_dim = NAN;
    } else if (fmod(d, 2) != 0 || d < 2) {
        const char *field = d == r->head_dim ? "head_dim" : "rotary_dim";
        if (d == r->head_dim)
            finding_add(p->r, "odd-rotary-dim", key_find(p, field, NULL) ? field : "hidden_size",
                        N_("head size %.10g is odd, but RoPE rotates dimensions in pairs. Choose hidden_size and num_attention_heads, or head_dim, so that "
                           "it is even."), d);
        else
            finding_add(p->r, "odd-rotary-dim", field, N_("%.10g rotated dimensions: RoPE rotates them in pairs, so the number must be even and at least 2."), d);
        r->rotary_dim = NAN;
    }
}

/* Gemma 4's full layers have wider heads than its sliding ones; some families say so the other way round. */
static void read_head_dim(struct part *p, struct rotation *r, bool sliding)
{
    struct number own = key_number_or_default(p, sliding ? "swa_head_dim" : "global_head_dim", WANT_COUNT);
    r->head_dim = isnan(own.x) ? p->f->head_dim : own.x;
    if (!sliding && !isnan(own.x))
        part_origin(p, "head_dim", own.from);
}

/* Under proportional scaling all pairs exist, and the share says how many of them turn. */
static void read_dims(struct part *p, struct rotation *r, bool sliding)
{
    read_head_dim(p, r, sliding);
    if (scaling_is_proportional(p, &r->scaling)) {
        r->rotary_dim = r->head_dim;
        part_origin(p, "rotary_dim", facts_origin(p->r->f, "head_dim"));
    } else if (!latent_dims(p, r)) {
        partial_dims(p, r, sliding);
    }
    if (!isnan(r->rotary_dim))
        check_dims(p, r);
}

static void read_layout(struct part *p, struct rotation *r)
{
    struct number pairs = key_number(p, "rope_interleave rotary_emb_interleaved", WANT_FLAG);
    char name[40], from[96];
    r->layout = p->family && p->family->layout ? p->family->layout : "";
    if (!isnan(pairs.x)) {
        r->layout = pairs.x != 0 ? "interleaved" : "half";
        part_origin(p, "layout", pairs.from);
    } else if (*r->layout) {
        part_origin(p, "layout", say(p->r, from, sizeof from, N_("code of the family %s"), family_name(p->family, name, sizeof name)));
    }
    snprintf(p->f->layout, sizeof p->f->layout, "%s", r->layout);
}

/* ---- the base --------------------------------------------------------------------------------------------------------- */

static bool base_fits(struct part *p, const struct number *n)
{
    if (n->x > 1 && n->x <= 1e12)
        return true;
    finding_add(p->r, "out-of-range", n->path, N_("%s is %.10g: the base must be above 1 and at most 1e12, or frequencies do not fall from pair to pair."),
                n->path, n->x);
    return false;
}

/* Two spellings with two values: the one that the family's code reads is used. */
static struct number read_stated_base(struct part *p)
{
    struct number n = number_by_layer(p, base_keys, WANT_POSITIVE, false), neox = key_number(p, "rotary_emb_base", WANT_POSITIVE);
    if (isnan(neox.x) || isnan(n.x) || !strcmp(neox.path, n.path) || neox.x == n.x)
        return n;
    struct number other = n;
    if (!isnan(family_default(p->family, "rotary_emb_base")))
        n = neox;
    else
        other = neox;
    finding_add(p->r, "base-conflict", other.path, N_("%s %.10g and %s %.10g disagree; %s is used, as this family's code does. Keep one."), n.path, n.x, other.path, other.x, n.path);
    return n;
}

/* The base of full layers: inside the scaling object (transformers 5) before the top level. */
static struct number read_base(struct part *p, const struct scaling *s)
{
    struct number in = s->object ? member_number(p, s->object, s->path, "rope_theta", WANT_POSITIVE) : (struct number){.x = NAN};
    struct number out = read_stated_base(p);
    struct number ratio = key_number_or_default(p, "rope_ratio", WANT_POSITIVE);
    if (out.how == HOW_ABSENT && !isnan(ratio.x)) {
        out = ratio;
        out.x *= 10000;
        say(p->r, out.from, sizeof out.from, N_("10000 x rope_ratio (%s)"), ratio.from);
    }
    if (!isnan(in.x) && out.how == HOW_STATED && in.x != out.x)
        finding_add(p->r, "base-conflict", out.path, N_("%s %.10g and %s %.10g disagree; %.10g is used, as transformers 5 does, while older loaders read the other. With the wrong "
                                                        "one all pairs but the first turn at another speed, the slowest by a factor near %.4g. Keep one."), out.path, out.x,
                    in.path, in.x, in.x, fmax(in.x, out.x) / fmin(in.x, out.x));
    struct number *n = !isnan(in.x) ? &in : &out;
    if (in.how == HOW_BAD || (n->how == HOW_BAD && isnan(n->x)))
        return (struct number){.x = NAN, .how = HOW_BAD};
    if (isnan(n->x))
        *n = key_number_or_default(p, base_keys, WANT_POSITIVE);
    if (isnan(n->x) && n->how != HOW_BAD) {         /* null, or a family without a default */
        *n = (struct number){.x = 10000, .how = HOW_DEFAULT};
        snprintf(n->path, sizeof n->path, "rope_theta");
        say(p->r, n->from, sizeof n->from, N_("the usual default"));
    }
    if (!isnan(n->x) && !base_fits(p, n))
        return (struct number){.x = NAN, .how = HOW_BAD};
    return *n;
}

static struct number read_local_base(struct part *p, const struct scaling *local, const struct number *global)
{
    struct number in = local->object ? member_number(p, local->object, local->path, "rope_theta", WANT_POSITIVE) : (struct number){.x = NAN};
    struct number n = isnan(in.x) ? key_number_or_default(p, local_base_keys, WANT_POSITIVE) : in;
    if (isnan(n.x) && p->family && (p->family->rules & FAMILY_BY_LAYER))
        n = number_by_layer(p, base_keys, WANT_POSITIVE, true);
    if (isnan(n.x) && !isnan(key_number_or_default(p, "compress_rope_theta", WANT_POSITIVE).x))      /* rope_theta is the window's then */
        n = key_number_or_default(p, "rope_theta", WANT_POSITIVE);
    return isnan(n.x) || !base_fits(p, &n) ? *global : n;
}

/* The shortest length that the weights can have been trained on: where the file does not say which length it declares, that before the scaling. */
static double shortest_trained(const struct rotation *r)
{
    const struct scaling *s = &r->scaling;
    return !isnan(s->original) ? s->original : r->declared / (s->factor > 1 ? s->factor : 1);
}

/* Is the scaling one of those that stretch, so that its base was chosen for the trained length alone? */
static bool stretches(const struct scaling *s)
{
    return strcmp(s->shown, "default") && strcmp(s->shown, "mrope");
}

/* The 10000 of the family where the file has no base. A part may leave out what equals the default, so a plain one says nothing; a scaling
 * beside a trained length that no model with 10000 had means that the base was lost. alpha makes its own base of 10000. */
static void base_assumed(struct part *p, const struct number *base, const struct rotation *r)
{
    enum { LONG_FOR_10000 = 8192, TOO_LONG_FOR_10000 = 32768 };
    double trained = shortest_trained(r);
    unsigned rules = p->family ? p->family->rules : 0;
    bool scaled = stretches(&r->scaling), certain = (scaled || trained > TOO_LONG_FOR_10000) && !(rules & FAMILY_BASE_KEPT);
    if (base->how != HOW_DEFAULT || base->x != 10000 || (rules & FAMILY_BASE_FIXED) || (p->nested && !scaled) || !isnan(r->scaling.alpha))
        return;
    if (!strcmp(r->scaling.shown, "llama3"))
        finding_add(p->r, "base-missing", base->path, N_("rope_theta is not in the file: 10000 is assumed (%s), while models with llama3 scaling have 500000. All pairs but the first "
                                                         "would turn at another speed. Write the base that the model was trained with."), base->from);
    else if (trained > LONG_FOR_10000)
        finding_add(p->r, certain ? "base-missing" : "base-assumed", base->path,
                    N_("rope_theta is not in the file: 10000 is assumed (%s), which is unusual for %.10g positions. If the model was tuned with a larger base, write it."),
                    base->from, trained);
}

/* ---- lengths ---------------------------------------------------------------------------------------------------------- */

static void set_context(struct part *p, double value, const char *fmt_origin)
{
    p->f->context = value;
    part_origin(p, "context", fmt_origin);
}

static bool extends(const struct rotation *r, const char *type)
{
    return !strcmp(r->scaling.shown, type) && strcmp(r->scaling.computed, "default");
}

/* What the mechanism makes of the declared length. */
static void read_lengths(struct part *p, const struct rotation *r, const struct number *declared)
{
    enum { SHORTEST_TRAINING = 2048 };
    struct facts *f = p->f;
    const struct scaling *s = &r->scaling;
    double M = r->declared, L = s->original, factor = s->factor;
    char by_factor[KEY_PATH_MAX];
    f->trained_context = isnan(L) ? M : L;
    part_origin(p, "trained_context", isnan(L) ? declared->from : s->original_from);
    set_context(p, declared->x, declared->from);
    if (isnan(M) || isnan(factor))
        return;
    say(p->r, by_factor, sizeof by_factor, N_("%s x %s"), isnan(L) ? declared->from : s->original_from, s->factor_from);
    bool pre_scaling = isnan(L) && M / factor < SHORTEST_TRAINING && !(p->family && (p->family->rules & FAMILY_DECLARED_EXTENDED));
    if ((extends(r, "linear") && pre_scaling) || (extends(r, "dynamic") && isnan(s->alpha)))
        set_context(p, f->trained_context * factor, by_factor);
    else if (!isnan(L) && M == L && (extends(r, "yarn") || extends(r, "linear")))
        set_context(p, L * factor, by_factor);
}

static void beyond_original(struct part *p, const struct rotation *r)
{
    const struct scaling *s = &r->scaling;
    char unseen[200];
    if (isnan(s->original) || !(r->declared > s->original) || strcmp(s->shown, "default"))
        return;
    if (*unseen_pairs(p, r, s->original, unseen, sizeof unseen))
        finding_add(p->r, "beyond-original", s->original_from, N_("the declared length %.10g is beyond the original %.10g and no scaling covers the difference.%s Add a "
                                                                  "scaling, or declare %.10g."), r->declared, s->original, unseen, s->original);
}

/* ---- from the encoding --------------------------------------------------------------------------------------------------- */

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

/* The item opened for a length; NULL after a finding where the encoding refuses (or silently without one if !p). */
static struct enc *open_at(struct part *p, const struct rotation *r, double length)
{
    struct item item;
    if (!rotation_item(r, &item))
        return NULL;
    struct err err = {.lang = p->r->lang};
    struct shape shape = part_shape(p);
    shape.d_head = (int)r->head_dim;
    shape.length = fmax(length, 1);
    struct enc *e = enc_open(item.kind, &shape, item.param, &err);
    if (!e)
        finding_add(p->r, "encoding-refuses", r->scaling.path, N_("%s. Frequencies cannot be shown."), err.text);
    item_done(&item);
    return e;
}

/* The longest wavelength among turning pairs, in positions. */
static double longest_wave(const struct spectrum *s)
{
    double slowest = INFINITY;
    for (size_t k = 0; k < s->n; k++)
        if (s->inv_freq[k] > 0)
            slowest = fmin(slowest, s->inv_freq[k]);
    return 2 * M_PI / slowest;
}

char *unseen_pairs(struct part *p, const struct rotation *r, double trained, char *out, size_t size)
{
    struct rotation plain = *r;
    *out = '\0';
    scaling_init(&plain.scaling, NULL, "");
    struct enc *e = isnan(trained) ? NULL : open_at(p, &plain, trained);
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

/* ---- checks ------------------------------------------------------------------------------------------------------------------ */

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

/* The base in use at lengths, read back from the second pair: w_1 = B'^(-2/d). */
static void check_bases(struct part *p, struct json *o, const struct rotation *r)
{
    double trained = p->f->trained_context, lengths[] = {trained, p->f->context, trained * (isnan(r->scaling.factor) ? 1 : r->scaling.factor)};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char name[40];
        snprintf(name, sizeof name, "base_at_%.10g", lengths[i]);
        struct enc *e = isnan(lengths[i]) || json_get(o, name) ? NULL : open_at(p, r, lengths[i]);
        if (!e)
            continue;
        const struct spectrum *s = e->kind->spectrum(e);
        if (s->n > 1)
            json_set_number(o, name, pow(s->inv_freq[1], -r->rotary_dim / 2));
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
    struct enc *shorter = open_at(p, r, L), *longer = open_at(p, r, L + 1);
    if (shorter && longer) {
        const struct spectrum *a = shorter->kind->spectrum(shorter), *b = longer->kind->spectrum(longer);
        json_set_number(o, "wavelength_longest_short", longest_wave(a));
        json_set_number(o, "wavelength_longest_long", longest_wave(b));
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
        json_set_string(o, "section_order", "rows and columns in turn, then time");
}

static void check_proportional(struct json *o, const struct spectrum *s)
{
    double active = 0;
    for (size_t k = 0; k < s->n; k++)
        active += s->inv_freq[k] > 0;
    json_set_number(o, "active_pairs", active);
}

/* The numbers of one kind of layer; false if the encoding cannot be opened. */
static bool check(struct part *p, struct json *o, const struct rotation *r)
{
    const struct scaling *s = &r->scaling;
    struct enc *e = open_at(p, r, isnan(p->f->trained_context) ? 1 : p->f->trained_context);
    if (!e)
        return false;
    const struct spectrum *spectrum = e->kind->spectrum(e);
    json_set_number(o, "n_freq", (double)spectrum->n);
    if (strcmp(s->computed, "longrope"))
        json_set_number(o, "wavelength_longest", longest_wave(spectrum));
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
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------------------------------------------ */

/* Qwen-1 has flags in place of a scaling object, and seq_length for the length it was trained on. */
static void read_qwen1(struct part *p, struct rotation *r, struct number *declared)
{
    struct number trained = key_number_or_default(p, "seq_length", WANT_COUNT), longest = key_number(p, "max_position_embeddings", WANT_COUNT);
    *declared = !isnan(longest.x) ? longest : trained;
    r->declared = declared->x;
    r->scaling.original = trained.x;
    snprintf(r->scaling.original_from, sizeof r->scaling.original_from, "%s", trained.from);
    if (key_flag(p, "use_dynamic_ntk", false)) {
        r->scaling.shown = "dynamic";
        r->scaling.computed = "qwen_ntk";
        r->declared = trained.x;                /* the rule counts from the trained length */
    }
}

/* A query that grows with its position beside RoPE: Llama 4's layers without RoPE, Ministral 3, Qwen-1. */
static void add_temperature(struct part *p, const struct rotation *r, struct content *nope, struct content *c)
{
    struct number beta = r->scaling.object ? member_number(p, r->scaling.object, r->scaling.path, "llama_4_scaling_beta", WANT_FINITE) : (struct number){.x = NAN};
    if (beta.x > 0 && !isnan(r->scaling.original)) {
        struct item *item = content_add(c, "attn_temperature");
        item_choice(item, "style", "ministral3");
        item_number(item, "llama_4_scaling_beta", beta.x);
        item_number(item, "original_max_position_embeddings", r->scaling.original);
        json_set_number(p->checks, "temperature_beta", beta.x);
    }
    if (p->family && (p->family->rules & FAMILY_QWEN1) && key_flag(p, "use_logn_attn", false)) {
        struct item *item = content_add(c, "attn_temperature");
        item_choice(item, "style", "qwen_logn");
        item_number(item, "original_max_position_embeddings", r->scaling.original);
    }
    if (key_flag(p, "attn_temperature_tuning", false)) {
        struct number floor_scale = key_number_or_default(p, "floor_scale", WANT_POSITIVE), attn_scale = key_number_or_default(p, "attn_scale", WANT_FINITE);
        struct item *item = content_add(nope, "attn_temperature");
        item_choice(item, "style", "llama4");
        item_number(item, "floor_scale", floor_scale.x);
        item_number(item, "attn_scale", attn_scale.x);
        json_set_number(p->checks, "temperature_floor_scale", floor_scale.x);
        json_set_number(p->checks, "temperature_attn_scale", attn_scale.x);
    }
}

static struct content content_of(struct part *p, const struct rotation *r)
{
    struct content c = {.shape = part_shape(p)};
    struct item item;
    if (!isnan(r->head_dim))
        c.shape.d_head = (int)r->head_dim;
    if (rotation_item(r, &item))
        c.item[c.n++] = item;
    return c;
}

/* Full or sliding layers of p: everything but what they share. */
static struct number read_rotation(struct part *p, struct rotation *r, bool sliding, const struct number *base_of_full)
{
    read_dims(p, r, sliding);
    read_layout(p, r);
    struct number base = sliding ? read_local_base(p, &r->scaling, base_of_full) : read_base(p, &r->scaling);
    r->base = base.x;
    scaling_read(p, r);
    return base;
}

static bool rotations_differ(const struct rotation *a, const struct rotation *b)
{
    return a->base != b->base || a->head_dim != b->head_dim || a->rotary_dim != b->rotary_dim || strcmp(a->scaling.computed, b->scaling.computed);
}

/* per_layer and checks of two kinds that differ. */
static void report_two(struct part *p, const struct rotation *global, const struct rotation *local)
{
    if (!p->per_layer)
        p->per_layer = json_object();
    json_set_number(p->per_layer, "global_base", global->base);
    json_set_number(p->per_layer, "local_base", local->base);
    check(p, json_set(p->checks, "global", json_object()), global);
    check(p, json_set(p->checks, "local", json_object()), local);
}

static void main_facts(struct part *p, const struct rotation *r, const struct number *base)
{
    struct facts *f = p->f;
    f->head_dim = r->head_dim;
    f->rotary_dim = r->rotary_dim;
    part_fact(p, &f->base, "base", base);
    snprintf(f->scaling_type, sizeof f->scaling_type, "%s", r->scaling.shown);
    part_origin(p, "scaling_type", r->scaling.object ? r->scaling.path : lang_text(p->r->lang, N_("no scaling in the file")));
    if (!strcmp(r->scaling.shown, "default") || isnan(r->scaling.factor))
        return;
    f->factor = r->scaling.factor;
    part_origin(p, "factor", r->scaling.factor_from);
}

static void read_kinds(struct part *p, const struct rotation *global, const struct rotation *local)
{
    struct layer_map map;
    layer_map_read(p, &map);
    check(p, p->checks, global);
    if (map.mixed && map.count[ATTENDS_SLIDING] && rotations_differ(global, local))
        report_two(p, global, local);
    struct content of_global = content_of(p, global), of_local = content_of(p, local), of_nope = {.shape = part_shape(p)};
    add_temperature(p, global, &of_nope, &of_global);
    layer_map_apply(p, &map, &of_global, &of_local, &of_nope);
    content_done(&of_global);
    content_done(&of_local);
    content_done(&of_nope);
    layer_map_done(&map);
}

/* ChatGLM-6B of 2023 turns each half of a head with a position of its own. */
static bool two_positions(struct part *p)
{
    char path[KEY_PATH_MAX];
    if (!key_flag(p, "position_encoding_2d", false))
        return false;
    key_find(p, "position_encoding_2d", path);
    struct number declared = read_declared(p);
    take_lengths(p, &declared);
    snprintf(p->f->scaling_type, sizeof p->f->scaling_type, "default");
    finding_add(p->r, "not-covered", path, N_("%s: each half of a head turns with a position of its own (place in the text, place in the answer), which is not "
                                              "computed here."), path);
    return true;
}

void read_rope(struct part *p)
{
    struct rotation global, local;
    if (two_positions(p))
        return;
    scaling_find(p, &global.scaling, &local.scaling);
    struct number declared = read_declared(p);
    global.declared = local.declared = declared.x;
    global.nope_dim = local.nope_dim = 0;
    struct number base = read_rotation(p, &global, false, NULL);
    read_rotation(p, &local, true, &base);
    if (p->family && (p->family->rules & FAMILY_QWEN1))
        read_qwen1(p, &global, &declared);
    if (isnan(global.head_dim) && isnan(global.rotary_dim))
        finding_add(p->r, "head-dim-unknown", p->path, N_("the width of a head cannot be told: head_dim is missing, and so is hidden_size or the number of heads. "
                                                          "Frequencies depend on it and are not shown."));
    main_facts(p, &global, &base);
    read_lengths(p, &global, &declared);
    base_assumed(p, &base, &global);
    check_outer_base(p, &base);
    check_small_base(p, &global, &base);
    beyond_original(p, &global);
    read_kinds(p, &global, &local);
    scaling_done(&global.scaling);
    scaling_done(&local.scaling);
}
