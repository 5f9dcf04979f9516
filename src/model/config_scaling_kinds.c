/* config_scaling_kinds.c - the kinds of RoPE scaling, one row a kind: the numbers that each needs, and everything that is known to go wrong
 * with them. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/near.h"
#include "core/rotary.h"
#include "model/config_scaling.h"

void scaling_give_up(struct scaling *s)
{
    s->computed = "default";
}

static double member(struct part *p, struct scaling *s, const char *key, enum want want)
{
    struct number n = member_number(p, s->object, s->path, key, want);
    if (n.how == HOW_BAD)
        scaling_give_up(s);
    return n.x;
}

static bool need_factor(struct part *p, struct rotation *r)
{
    struct scaling *s = &r->scaling;
    bool stated = json_get(s->object, "factor") && json_type(json_get(s->object, "factor")) != JSON_NULL;
    if (isnan(s->factor) && !stated)
        finding_add(p->r, "factor-missing", s->path, N_("%s has no factor, which scaling %s needs: how many times the trained length is stretched. "
                                                        "Shown unscaled."), s->path, s->shown);
    if (isnan(s->factor))
        scaling_give_up(s);
    return !isnan(s->factor);
}

static void original_larger(struct part *p, const struct rotation *r)
{
    const struct scaling *s = &r->scaling;
    if (!isnan(s->original) && !isnan(r->declared) && s->original > r->declared)
        finding_add(p->r, "original-larger", s->path,
                    N_("original length %.10g is larger than the declared length %.10g: the file would shorten the context, while factor and "
                       "bands are computed from %.10g. Perhaps the two values are swapped."), s->original, r->declared, s->original);
}

/* Can the declared length stand in for a missing original one? */
static bool declared_for_original(struct part *p, struct rotation *r)
{
    if (!isnan(r->declared))
        return true;
    finding_add(p->r, "original-missing", r->scaling.path,
                N_("original_max_position_embeddings is missing and no declared length can stand in for it. Shown unscaled."));
    scaling_give_up(&r->scaling);
    return false;
}

/* default: a factor beside it is read by nothing. */
static void read_none(struct part *p, struct rotation *r)
{
    const struct scaling *s = &r->scaling;
    char path[KEY_PATH_MAX];
    if (s->factor > 1)
        finding_add(p->r, "factor-unused", path_join(path, sizeof path, s->path, "factor"),
                    N_("factor %g has no effect, since rope_type is %s: nothing is scaled. Write \"linear\", \"yarn\" or what the model was tuned with, or leave factor out."),
                    s->factor, s->shown);
}

/* The declared length may be the one before scaling or the one reached by it. */
static void two_readings(struct part *p, const struct rotation *r)
{
    const struct scaling *s = &r->scaling;
    if (!isnan(s->original) || isnan(r->declared) || s->factor == 1 || (p->family && (p->family->rules & FAMILY_DECLARED_EXTENDED)))
        return;
    finding_add(p->r, "factor-readings", s->path,
                N_("%s, factor %.6g, with declared length %.10g and no original length: two readings, trained %.10g scaled to %.10g, or trained %.10g scaled "
                   "to %.10g. original_max_position_embeddings would settle it."), s->shown, s->factor, r->declared, r->declared / s->factor, r->declared,
                r->declared, r->declared * s->factor);
}

static void read_linear(struct part *p, struct rotation *r)
{
    if (!need_factor(p, r))
        return;
    original_larger(p, r);
    two_readings(p, r);
}

static void read_dynamic(struct part *p, struct rotation *r)
{
    struct scaling *s = &r->scaling;
    s->alpha = member(p, s, "alpha", WANT_POSITIVE);
    if (isnan(s->alpha))
        need_factor(p, r);
}

static void read_ntk(struct part *p, struct rotation *r)
{
    struct scaling *s = &r->scaling;
    s->alpha = member(p, s, "alpha", WANT_POSITIVE);
    if (isnan(s->alpha) && need_factor(p, r))
        s->alpha = s->factor;
    if (p->family && (p->family->rules & FAMILY_NTK_OWN)) {
        finding_add(p->r, "scaling-not-computed", s->path,
                    N_("scaling ntk of this family uses a formula of its own, which is not computed here: frequencies are shown unscaled."));
        scaling_give_up(s);
    }
}

/* Factor and declared / original are two ways to say one thing; loaders have used either. */
static void factor_against_ratio(struct part *p, const struct rotation *r)
{
    enum { PERCENT = 10 };
    const struct scaling *s = &r->scaling;
    double ratio = r->declared / s->original;
    char path[KEY_PATH_MAX];
    if (isnan(ratio) || isnan(s->factor) || ratio <= 0 || s->original > r->declared || fabs(ratio / s->factor - 1) * 100 <= PERCENT)
        return;
    path_join(path, sizeof path, s->path, "factor");
    if (ratio == 1)
        finding_add(p->r, "factor-readings", path,
                    N_("factor %.6g with declared = original = %.10g: the scaling reaches %.6g x %.10g = %.10g, which is taken as the context; loaders that "
                       "go by the declared length stop at %.10g."), s->factor, s->original, s->factor, s->original, s->factor * s->original, r->declared);
    else
        finding_add(p->r, "factor-conflict", path,
                    N_("factor %.6g but declared/original is %.10g/%.10g = %.6g: the factor reaches %.6g x %.10g = %.10g. The factor is used here; a loader "
                       "that goes by the ratio scales by %.6g instead. Declare %.10g, or write factor %.6g."), s->factor, r->declared, s->original, ratio,
                    s->factor, s->original, s->factor * s->original, ratio, s->factor * s->original, ratio);
}

static void read_mscales(struct part *p, struct scaling *s)
{
    char path[KEY_PATH_MAX];
    s->mscale = member(p, s, "mscale", WANT_FINITE);
    s->mscale_all_dim = member(p, s, "mscale_all_dim", WANT_FINITE);
    if (!isnan(s->mscale) && isnan(s->mscale_all_dim) && s->mscale != 1)
        finding_add(p->r, "mscale-ignored", path_join(path, sizeof path, s->path, "mscale"),
                    N_("mscale %g without mscale_all_dim has no effect: the attention factor in use is 0.1 ln(factor) + 1."), s->mscale);
}

/* A published misspelling: the value is ignored and the derived one is used. */
static void attn_factor(struct part *p, const struct scaling *s)
{
    char path[KEY_PATH_MAX];
    double given = json_number(json_get(s->object, "attn_factor"), NAN);
    if (isnan(given) || !isnan(s->attention_factor) || isnan(s->factor))
        return;
    finding_add(p->r, "scaling-key-unknown", path_join(path, sizeof path, s->path, "attn_factor"),
                N_("unknown key attn_factor (%g): it is ignored; attention_factor may be meant. The factor in use is %.6g (0.1 ln %.6g + 1)."), given,
                rope_yarn_mscale(s->factor, 1), s->factor);
}

static void read_yarn(struct part *p, struct rotation *r)
{
    struct scaling *s = &r->scaling;
    s->attention_factor = member(p, s, "attention_factor", WANT_POSITIVE);
    s->beta_fast = member(p, s, "beta_fast", WANT_POSITIVE);
    s->beta_slow = member(p, s, "beta_slow", WANT_POSITIVE);
    s->truncate = member(p, s, "truncate", WANT_FLAG);
    read_mscales(p, s);
    if (isnan(s->attention_factor))
        s->attention_factor = family_default(p->family, "@attention_factor");
    double fast = isnan(s->beta_fast) ? 32 : s->beta_fast, slow = isnan(s->beta_slow) ? 1 : s->beta_slow;
    if (fast < slow) {
        finding_add(p->r, "yarn-betas", s->path, N_("beta_fast %g is below beta_slow %g: the pairs to keep and the pairs to divide change places. "
                                                    "Perhaps they are swapped. Shown unscaled."), fast, slow);
        scaling_give_up(s);
    }
    if (isnan(s->original)) {
        if (declared_for_original(p, r))
            finding_add(p->r, "original-missing", s->path,
                    N_("original_max_position_embeddings is missing: %.10g, the declared length, is taken for it, as transformers does; other loaders refuse "
                       "the file. The bands depend on it: write the length the model was trained on."), r->declared);
    } else if (isnan(s->factor) && !json_get(s->object, "factor")) {
        s->factor = fmax(r->declared / s->original, 1);
        say(p->r, s->factor_from, sizeof s->factor_from, N_("declared length / original length"));
    }
    if (!need_factor(p, r))
        return;
    attn_factor(p, s);
    original_larger(p, r);
    factor_against_ratio(p, r);
}

static void read_proportional(struct part *p, struct rotation *r)
{
    struct scaling *s = &r->scaling;
    s->partial = member(p, s, "partial_rotary_factor", WANT_POSITIVE);
    if (s->partial > 1) {
        char path[KEY_PATH_MAX];
        path_join(path, sizeof path, s->path, "partial_rotary_factor");
        finding_add(p->r, "partial-out-of-range", path, N_("%s %g must be above 0 and at most 1."), path, s->partial);
        scaling_give_up(s);
    }
}

/* A list of positive numbers, or NULL after saying which entries are none. */
static struct table *factor_list(struct part *p, struct scaling *s, const char *key)
{
    enum { SHOWN = 6 };
    char path[KEY_PATH_MAX], bad[256] = "";
    const struct json *list = json_get(s->object, key);
    path_join(path, sizeof path, s->path, key);
    if (!list || json_type(list) == JSON_NULL)
        return NULL;
    if (json_type(list) != JSON_ARRAY) {
        finding_add(p->r, "wrong-type", path, N_("%s must be %s, got %s."), path, lang_text(p->r->lang, N_("a list of numbers")),
                    lang_text(p->r->lang, json_type_name(list)));
        scaling_give_up(s);
        return NULL;
    }
    size_t n = json_size(list), i = 0, n_bad = 0;
    struct table *t = table_new(1, &n);
    for (const struct json *v = json_first(list); v; v = json_next(v), i++) {
        t->v[i] = json_number(v, NAN);
        if ((t->v[i] > 0 && isfinite(t->v[i])) || n_bad++ >= SHOWN)
            continue;
        char one[96];
        if (json_type(v) == JSON_NUMBER && isfinite(t->v[i]))
            say(p->r, one, sizeof one, N_("entry %zu is %g"), i, t->v[i]);
        else
            say(p->r, one, sizeof one, N_("entry %zu is not a number"), i);
        size_t at = strlen(bad);
        snprintf(bad + at, sizeof bad - at, "%s%s", at ? ", " : "", one);
    }
    if (!n_bad)
        return t;
    finding_add(p->r, "longrope-entry", path, N_("%s: %s (counted from 0). Every entry divides a frequency, so it must be a number above 0. Shown unscaled."),
                path, bad);
    scaling_give_up(s);
    table_unref(t);
    return NULL;
}

static void wrong_list_length(struct part *p, const struct rotation *r, const char *which, size_t has)
{
    const struct scaling *s = &r->scaling;
    double need = r->rotary_dim / 2, share = 2 * (double)has / r->head_dim;
    char hint[160] = "", path[KEY_PATH_MAX];
    if (share <= 1)
        say(p->r, hint, sizeof hint, N_(" A missing partial_rotary_factor %.6g would explain %zu."), share, has);
    finding_add(p->r, "longrope-length", path_join(path, sizeof path, s->path, which),
                N_("%s: %zu entries, but %.10g are needed, one for each rotated pair of a head (%.10g of %.10g dimensions rotate).%s Shown unscaled."),
                which, has, need, r->rotary_dim, r->head_dim, hint);
}

static void check_list_lengths(struct part *p, struct rotation *r)
{
    struct scaling *s = &r->scaling;
    if (isnan(r->rotary_dim))
        return;
    size_t need = (size_t)(r->rotary_dim / 2);
    bool bad_short = s->short_factor && s->short_factor->n != need, bad_long = s->long_factor && s->long_factor->n != need;
    if (!bad_short && !bad_long)
        return;
    if (bad_short && bad_long && s->short_factor->n == s->long_factor->n)
        wrong_list_length(p, r, "short_factor, long_factor", s->long_factor->n);
    else if (bad_short)
        wrong_list_length(p, r, "short_factor", s->short_factor->n);
    if (bad_long && !(bad_short && s->short_factor->n == s->long_factor->n))
        wrong_list_length(p, r, "long_factor", s->long_factor->n);
    scaling_give_up(s);
}

static void read_longrope(struct part *p, struct rotation *r)
{
    struct scaling *s = &r->scaling;
    s->attention_factor = member(p, s, "attention_factor", WANT_POSITIVE);
    s->short_mscale = member(p, s, "short_mscale", WANT_POSITIVE);
    s->long_mscale = member(p, s, "long_mscale", WANT_POSITIVE);
    bool missing = json_type(json_get(s->object, "short_factor")) == JSON_NULL || json_type(json_get(s->object, "long_factor")) == JSON_NULL;
    s->short_factor = factor_list(p, s, "short_factor");
    s->long_factor = factor_list(p, s, "long_factor");
    if (missing) {
        finding_add(p->r, "longrope-lists-missing", s->path, N_("%s is longrope but lacks short_factor or long_factor, the divisors of each pair. Shown unscaled."),
                    s->path);
        scaling_give_up(s);
    }
    check_list_lengths(p, r);
    factor_against_ratio(p, r);
    if (isnan(s->original) && declared_for_original(p, r)) {
        finding_add(p->r, "original-missing", s->path,
                        N_("original_max_position_embeddings not found, neither inside nor at the top level: the declared length %.10g is taken for it, so "
                           "the attention factor becomes 1 and the long list is never used. Write the length the model was trained on (Phi-3: 4096)."), r->declared);
    }
    original_larger(p, r);
}

static void read_llama3(struct part *p, struct rotation *r)
{
    struct scaling *s = &r->scaling;
    s->low_freq_factor = member(p, s, "low_freq_factor", WANT_POSITIVE);
    s->high_freq_factor = member(p, s, "high_freq_factor", WANT_POSITIVE);
    need_factor(p, r);
    static const char *const needed[] = {"low_freq_factor", "high_freq_factor", "original_max_position_embeddings"};
    const double values[] = {s->low_freq_factor, s->high_freq_factor, s->original};
    for (size_t i = 0; i < 3; i++) {
        if (isnan(values[i]) && json_type(json_get(s->object, needed[i])) == JSON_NULL) {
            finding_add(p->r, "llama3-incomplete", s->path, N_("%s has no %s, which llama3 scaling needs (Llama 3.1: low_freq_factor 1, high_freq_factor 4, "
                                                               "original_max_position_embeddings 8192). Shown unscaled."), s->path, needed[i]);
            scaling_give_up(s);
        }
    }
    if (s->high_freq_factor < s->low_freq_factor) {
        finding_add(p->r, "llama3-bands", s->path, N_("high_freq_factor %g must be larger than low_freq_factor %g: the band between kept and divided "
                                                      "frequencies would end before it begins. Perhaps they are swapped. Shown unscaled."),
                    s->high_freq_factor, s->low_freq_factor);
        scaling_give_up(s);
    }
    original_larger(p, r);
}

static const struct scaling_kind kinds[] = {
    {"default", "none", "default", read_none},
    {"linear", NULL, "linear", read_linear},
    {"dynamic", "xdrope", "dynamic", read_dynamic},
    {"ntk", NULL, "ntk", read_ntk},
    {"yarn", "deepseek_yarn", "yarn", read_yarn},
    {"longrope", "su", "longrope", read_longrope},
    {"llama3", NULL, "llama3", read_llama3},
    {"proportional", NULL, "proportional", read_proportional},
    {"mrope", NULL, "default", read_none},
};

const char *scaling_kind_meant(const char *type)
{
    enum { NEAR = 2 };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strncasecmp(type, kinds[i].name, strlen(kinds[i].name)) || edit_distance(type, kinds[i].name, true) <= NEAR)
            return kinds[i].name;
    return NULL;
}

const struct scaling_kind *scaling_kind_named(const char *type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(type, kinds[i].name) || (kinds[i].other_name && !strcmp(type, kinds[i].other_name)))
            return &kinds[i];
    return NULL;
}
