/* config_base.c - the base of rotary position embedding: which key states it, for full and for sliding layers, and what speaks against a
 * base that is assumed, written twice, or small for the length. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/config_rope.h"

static const char base_keys[] = "compress_rope_theta rope_theta rotary_emb_base rope_embedding_base rope_base rotary_base rope_freq_constant attn_config.rope_theta "
                                "global_rope_theta rotary_embedding_base rotary.base";
static const char local_base_keys[] = "rope_local_base_freq local_rope_theta swa_rope_theta";

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
    struct number n = key_number_by_layer(p, base_keys, WANT_POSITIVE, false), neox = key_number(p, "rotary_emb_base", WANT_POSITIVE);
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

struct number base_read(struct part *p, const struct scaling *s)
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
                    in.path, in.x, in.x, fmin(1e308, fmax(in.x, out.x) / fmin(in.x, out.x)));
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

struct number base_read_local(struct part *p, const struct scaling *local, const struct number *global)
{
    struct number in = local->object ? member_number(p, local->object, local->path, "rope_theta", WANT_POSITIVE) : (struct number){.x = NAN};
    struct number n = isnan(in.x) ? key_number_or_default(p, local_base_keys, WANT_POSITIVE) : in;
    if (isnan(n.x) && p->family && (p->family->rules & FAMILY_BY_LAYER))
        n = key_number_by_layer(p, base_keys, WANT_POSITIVE, true);
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

/* The 10000 of the family where the file has no base. A part may leave out what equals the default, so a plain short one says nothing; a
 * scaling, or a trained length that no model with 10000 had, means that the base was lost, and so does a family whose models all have
 * another. alpha makes its own base of 10000. */
static void base_assumed(struct part *p, const struct number *base, const struct rotation *r)
{
    enum { LONG_FOR_10000 = 8192, TOO_LONG_FOR_10000 = 32768 };
    double trained = shortest_trained(r), published = family_default(p->family, "@published");
    unsigned rules = p->family ? p->family->rules : 0;
    bool scaled = stretches(&r->scaling), long_or_scaled = scaled || trained > TOO_LONG_FOR_10000;
    char name[40];
    if (base->how != HOW_DEFAULT || base->x != 10000 || (rules & FAMILY_BASE_FIXED) || !isnan(r->scaling.alpha))
        return;
    if (!strcmp(r->scaling.shown, "llama3"))
        finding_add(p->r, "base-missing", base->path, N_("rope_theta is not in the file: 10000 is assumed (%s), while models with llama3 scaling have 500000. All pairs but the first "
                                                         "would turn at another speed. Write the base that the model was trained with."), base->from);
    else if (!isnan(published))
        finding_add(p->r, "base-missing", base->path, N_("rope_theta is not in the file: 10000 is assumed (%s), while the published models of the family %s have %.10g. All pairs but the "
                                                         "first would turn at another speed. Write the base that the model was trained with."), base->from,
                    family_name(p->family, name, sizeof name), published);
    else if (trained > LONG_FOR_10000 && (!p->nested || long_or_scaled))
        finding_add(p->r, long_or_scaled && !(rules & FAMILY_BASE_KEPT) ? "base-missing" : "base-assumed", base->path,
                    N_("rope_theta is not in the file: 10000 is assumed (%s), which is unusual for %.10g positions. If the model was tuned with a larger base, write it."),
                    base->from, trained);
}

/* A second value of the base around the object that is read (text_config beside keys at the top). */
static void check_outer_base(struct part *p, const struct number *base)
{
    double outer = json_number(json_get(p->outer, "rope_theta"), NAN);
    if (p->outer && base->how == HOW_STATED && !isnan(outer) && outer != base->x && strcmp(base->path, "rope_theta"))
        finding_add(p->r, "base-conflict", "rope_theta", N_("rope_theta %.10g at the top and %s %.10g disagree; %.10g is used, as the text model's code does. Keep one."), outer,
                    base->path, base->x, base->x);
}

/* A base of 10000 far beyond the lengths it is usual for, with nothing to stretch it: a lost rope_theta, or a declared length that was
 * only edited. */
static void check_small_base(struct part *p, const struct rotation *r, const struct number *base)
{
    enum { USUAL_FOR_10000 = 16384 };
    char unseen[200];
    if (base->how != HOW_STATED || base->x != 10000 || !(r->declared > USUAL_FOR_10000) || strcmp(r->scaling.shown, "default") || !isnan(r->scaling.original))
        return;
    if (isnan(key_number_or_default(p, "sliding_window", WANT_WHOLE).x))
        finding_add(p->r, "base-small", base->path, N_("base 10000 without a scaling is unusual for %.10g positions: if only the declared length was raised, it must be the trained one.%s"),
                    r->declared, rotation_unseen(p, r, USUAL_FOR_10000 / 4, unseen, sizeof unseen));
}

void base_check(struct part *p, const struct number *base, const struct rotation *r)
{
    base_assumed(p, base, r);
    check_outer_base(p, base);
    check_small_base(p, r, base);
}
