/* config_rope.c - rotary position embedding in a configuration: how much of a head turns, the lengths, what differs between full and
 * sliding layers. */
#include "model/config_rope.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char partial_keys[] = "partial_rotary_factor rotary_pct rope_pct rotary_emb_fraction";

/* ---- how much turns ------------------------------------------------------------------------------------------------ */

/* DeepSeek's latent attention: a block of qk_rope_head_dim channels turns, behind qk_nope_head_dim that do not. */
static bool latent_dims(struct part *p, struct rotation *r)
{
    struct number rope = key_number_or_default(p, "qk_rope_head_dim", WANT_WHOLE);
    if (isnan(rope.x) || rope.x == 0 || !key_flag(p, "use_mla", true))     /* small DeepSeek-VL2 models have plain heads */
        return false;
    if (rope.x < 0) {
        finding_add(p->r, "out-of-range", rope.path, N_("%s is %g, but it must be %s."), rope.path, rope.x, lang_text(p->r->lang, N_("a whole number from 1")));
        return true;
    }
    struct number nope = key_number_or_default(p, "qk_nope_head_dim", WANT_WHOLE);
    static const char width[] = "qk_nope_head_dim + qk_rope_head_dim";
    if (!head_dim_fits(p, nope.x > rope.x ? nope.path : rope.path, width, rope.x + fmax(nope.x, 0)))
        return true;
    r->nope_dim = fmax(nope.x, 0);
    r->rotary_dim = rope.x;
    r->head_dim = r->nope_dim + r->rotary_dim;
    p->f->head_dim = r->head_dim;
    part_origin(p, "head_dim", width);
    part_origin(p, "rotary_dim", rope.from);
    return true;
}

static bool share_fits(struct part *p, const struct number *share, double head_dim)
{
    if (share->x > 0 && share->x <= 1)
        return true;
    if (share->x > 1)
        finding_add(p->r, "partial-out-of-range", share->path, N_("%s %g is above 1: a head has only %.10g dimensions to rotate. Write a share up to 1, or "
                                                                  "leave the key out for all of them."), share->path, share->x, head_dim);
    else
        finding_add(p->r, "partial-out-of-range", share->path, N_("%s %g must be above 0 and at most 1."), share->path, share->x);
    return false;
}

/* rotary_dim if the file has it, else the share of head_dim, cut to a whole number; else all. */
static void partial_dims(struct part *p, struct rotation *r, bool sliding)
{
    struct number dims = key_number_or_default(p, "rotary_dim", WANT_COUNT);
    struct number share = member_number(p, r->scaling.object, r->scaling.path, "partial_rotary_factor", WANT_FINITE);
    struct number outside = key_number(p, "partial_rotary_factor", WANT_FINITE);
    if (share.how == HOW_STATED && outside.how == HOW_STATED && outside.x != share.x)
        finding_add(p->r, "partial-conflict", outside.path, N_("%s %g and %s %g disagree; %s is used, as transformers 5 does. Keep one."), outside.path, outside.x, share.path,
                    share.x, share.path);
    if (share.how == HOW_ABSENT)
        share = key_number_by_layer(p, "partial_rotary_factors", WANT_FINITE, sliding);
    if (share.how == HOW_ABSENT)
        share = key_number_or_default(p, partial_keys, WANT_FINITE);
    if (isnan(r->head_dim) && !(dims.how == HOW_STATED))
        return;
    if (!isnan(share.x) && !share_fits(p, &share, r->head_dim))
        return;
    double of_share = trunc(r->head_dim * share.x);
    bool take_dims = dims.how == HOW_STATED || (dims.how == HOW_DEFAULT && share.how != HOW_STATED);
    if (dims.how == HOW_STATED && share.how == HOW_STATED && dims.x != of_share && !isnan(r->head_dim))
        finding_add(p->r, "partial-conflict", dims.path, N_("%s %g and %s %g disagree: the share is %.10g of %.10g dimensions. %s is used. Keep one."),
                    dims.path, dims.x, share.path, share.x, of_share, r->head_dim, dims.path);
    if (dims.how == HOW_BAD || share.how == HOW_BAD)
        return;
    r->rotary_dim = take_dims ? dims.x : isnan(share.x) ? r->head_dim : of_share;
    part_origin(p, "rotary_dim", take_dims ? dims.from : isnan(share.x) ? part_origin_of(p, "head_dim") : share.from);
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

static const char *own_head_keys(bool sliding)
{
    return sliding ? "swa_head_dim" : "global_head_dim";
}

/* Gemma 4's full layers have wider heads than its sliding ones; some families say so the other way round. */
static void read_head_dim(struct part *p, struct rotation *r, bool sliding)
{
    struct number own = key_number_or_default(p, own_head_keys(sliding), WANT_COUNT);
    bool fits = head_dim_fits(p, own.path, own.path, own.x);
    r->head_dim = isnan(own.x) ? p->f->head_dim : fits ? own.x : NAN;
    if (!sliding && !isnan(own.x))
        part_origin(p, "head_dim", own.from);
}

/* Under proportional scaling all pairs exist, and the share says how many of them turn. */
static void read_dims(struct part *p, struct rotation *r, bool sliding)
{
    r->rotary_dim = NAN;                /* unless the file tells it, without a fault */
    read_head_dim(p, r, sliding);
    if (scaling_is_proportional(p, &r->scaling)) {
        r->rotary_dim = r->head_dim;
        part_origin(p, "rotary_dim", part_origin_of(p, "head_dim"));
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
    if (*rotation_unseen(p, r, s->original, unseen, sizeof unseen))
        finding_add(p->r, "beyond-original", s->original_from, N_("the declared length %.10g is beyond the original %.10g and no scaling covers the difference.%s Add a "
                                                                  "scaling, or declare %.10g."), r->declared, s->original, unseen, s->original);
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
        c.shape.d_head = shape_number(r->head_dim);
    if (rotation_item(r, &item))
        c.item[c.n++] = item;
    return c;
}

/* Full or sliding layers of p: everything but what they share. */
static struct number read_rotation(struct part *p, struct rotation *r, bool sliding, const struct number *base_of_full)
{
    read_dims(p, r, sliding);
    read_layout(p, r);
    struct number base = sliding ? base_read_local(p, &r->scaling, base_of_full) : base_read(p, &r->scaling);
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
    rotation_check(p, json_set(p->checks, "global", json_object()), global);
    rotation_check(p, json_set(p->checks, "local", json_object()), local);
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
    rotation_check(p, p->checks, global);
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
    base_check(p, &base, &global);
    beyond_original(p, &global);
    read_kinds(p, &global, &local);
    scaling_done(&global.scaling);
    scaling_done(&local.scaling);
}
