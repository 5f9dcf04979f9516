/* config_scaling.c - rope_scaling (transformers 4) and rope_parameters (5): which object holds, of which kind it is, its numbers, and
 * everything that is known to go wrong with them. One row a kind. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/near.h"
#include "base/utf8.h"
#include "core/rotary.h"
#include "model/config_rope.h"

/* ---- finding the object -------------------------------------------------------------------------------------------- */

static const struct json *object_of(struct part *p, const char *key, char path[KEY_PATH_MAX])
{
    const struct json *v = key_find(p, key, path);
    if (!v || json_type(v) == JSON_NULL)
        return NULL;
    if (json_type(v) == JSON_OBJECT)
        return v;
    finding_add(p->r, "scaling-not-object", path,
                N_("%s must be an object, got %s. Write {\"rope_type\": \"linear\", \"factor\": 4.0} or another kind, or null for none."), path,
                lang_text(p->r->lang, json_type_name(v)));
    return NULL;
}

static const char *type_text(const struct json *object)
{
    const char *type = json_string(json_get(object, "rope_type"));
    return type ? type : json_string(json_get(object, "type"));
}

static bool same_scaling(const struct json *a, const struct json *b)
{
    const char *ta = type_text(a), *tb = type_text(b);
    double fa = json_number(json_get(a, "factor"), 1), fb = json_number(json_get(b, "factor"), 1);
    return !strcmp(ta ? ta : "default", tb ? tb : "default") && fa == fb;
}

/* Nested by layer type: {"full_attention": {...}, "sliding_attention": {...}}. */
static const struct json *nested(const struct json *object, const char *layer_type)
{
    const struct json *inner = json_get(object, layer_type);
    return json_type(inner) == JSON_OBJECT ? inner : NULL;
}

void scaling_init(struct scaling *s, const struct json *object, const char *path)
{
    *s = (struct scaling){
        .object = object, .shown = "default", .computed = "default", .partial = NAN, .factor = NAN, .original = NAN,
        .alpha = NAN, .attention_factor = NAN, .beta_fast = NAN, .beta_slow = NAN, .mscale = NAN, .mscale_all_dim = NAN,
        .truncate = NAN, .low_freq_factor = NAN, .high_freq_factor = NAN, .short_mscale = NAN, .long_mscale = NAN, .temperature_beta = NAN,
    };
    snprintf(s->path, sizeof s->path, "%s", path);
}

void scaling_find(struct part *p, struct scaling *full, struct scaling *local)
{
    char new_path[KEY_PATH_MAX] = "", old_path[KEY_PATH_MAX] = "", inner[KEY_PATH_MAX];
    const struct json *new = object_of(p, "rope_parameters", new_path), *old = object_of(p, "rope_scaling", old_path);
    const struct json *object = new ? new : old;
    const char *path = new ? new_path : old_path;
    /* DeepSeek-V4 names them by what they serve: main is the window's, compress that of the layers which see everything. */
    bool compressed = nested(object, "compress") && nested(object, "main");
    const char *full_name = compressed ? "compress" : "full_attention", *sliding_name = compressed ? "main" : "sliding_attention";
    const struct json *of_full = nested(object, full_name), *of_sliding = nested(object, sliding_name);
    bool by_type = of_full || of_sliding;
    const struct json *same = p->family && (p->family->rules & FAMILY_LOCAL_UNSCALED) ? NULL : object;
    if (new && old && !by_type && !nested(old, "full_attention") && !same_scaling(new, old))
        finding_add(p->r, "scaling-conflict", old_path,
                    N_("%s (%s) and %s (%s) disagree; %s is used, as transformers 5 does, while older loaders read the other. Keep one."), old_path,
                    type_text(old) ? type_text(old) : "?", new_path, type_text(new) ? type_text(new) : "default", new_path);
    if (!by_type) {
        scaling_init(full, object, path);
        scaling_init(local, same, path);
    } else {
        scaling_init(full, of_full, path_join(inner, sizeof inner, path, full_name));
        scaling_init(local, of_sliding, path_join(inner, sizeof inner, path, sliding_name));
    }
    local->sliding = true;
}

void scaling_done(struct scaling *s)
{
    table_unref(s->short_factor);
    table_unref(s->long_factor);
    table_unref(s->sections);
}

/* ---- its numbers ------------------------------------------------------------------------------------------------------ */

/* The scaling cannot be used: its kind stays on show, frequencies are shown unscaled. */
static void give_up(struct scaling *s)
{
    s->computed = "default";
}

static double member(struct part *p, struct scaling *s, const char *key, enum want want)
{
    struct number n = member_number(p, s->object, s->path, key, want);
    if (n.how == HOW_BAD)
        give_up(s);
    return n.x;
}

static void read_factor(struct part *p, struct scaling *s)
{
    char path[KEY_PATH_MAX];
    struct number n = member_number(p, s->object, s->path, "factor", WANT_FINITE);
    path_join(path, sizeof path, s->path, "factor");
    if (n.how == HOW_BAD)
        give_up(s);
    if (isnan(n.x))
        return;
    enum { LARGEST_USUAL = 1024 };
    if (n.x > LARGEST_USUAL)
        finding_add(p->r, "factor-huge", path, N_("factor %.10g is how many times the length is stretched, not a length: %.10g would be meant for %.10g positions."), n.x,
                    n.x / fmax(1, isnan(s->original) ? 4096 : s->original), n.x);
    if (n.x >= 1) {
        s->factor = n.x;
        snprintf(s->factor_from, sizeof s->factor_from, "%s", n.from);
        return;
    }
    give_up(s);
    if (n.x > 0)
        finding_add(p->r, "factor-below-one", path,
                    N_("factor %.6g is below 1: it would multiply every frequency by %.6g, so position 1000 would turn like position %.6g. 1/%.6g = %.6g may "
                       "be meant (rope-freq-scale of llama.cpp is the inverse). Shown unscaled."), n.x, 1 / n.x, 1000 / n.x, n.x, 1 / n.x);
    else
        finding_add(p->r, "factor-below-one", path, N_("factor %.6g must be at least 1. Shown unscaled."), n.x);
}

static bool need_factor(struct part *p, struct rotation *r)
{
    struct scaling *s = &r->scaling;
    bool stated = json_get(s->object, "factor") && json_type(json_get(s->object, "factor")) != JSON_NULL;
    if (isnan(s->factor) && !stated)
        finding_add(p->r, "factor-missing", s->path, N_("%s has no factor, which scaling %s needs: how many times the trained length is stretched. "
                                                        "Shown unscaled."), s->path, s->shown);
    if (isnan(s->factor))
        give_up(s);
    return !isnan(s->factor);
}

/* Inside the object, at the top level (Phi-3, which looks there first), or as gpt-oss spells it. */
static void read_original(struct part *p, struct scaling *s)
{
    struct number in = member_number(p, s->object, s->path, "original_max_position_embeddings", WANT_COUNT);
    struct number out = key_number(p, "original_max_position_embeddings initial_context_length max_trained_positions", WANT_COUNT);
    bool outer_first = p->family && (p->family->rules & FAMILY_OUTER_ORIGINAL);
    struct number *n = (outer_first && !isnan(out.x)) || isnan(in.x) ? &out : &in;
    if (!isnan(in.x) && !isnan(out.x) && in.x != out.x)
        finding_add(p->r, "original-conflict", in.path, N_("%s %.10g and %s %.10g disagree; %s is used, as this family's code does. Keep one."),
                    in.path, in.x, out.path, out.x, n->path);
    if (in.how == HOW_BAD && isnan(n->x))
        give_up(s);
    s->original = n->x;
    snprintf(s->original_from, sizeof s->original_from, "%s", n->from);
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
    give_up(&r->scaling);
    return false;
}

/* ---- the kinds ------------------------------------------------------------------------------------------------------------ */

/* default: a factor beside it is read by nothing. */
static void read_none(struct part *p, struct rotation *r)
{
    const struct scaling *s = &r->scaling;
    char path[KEY_PATH_MAX];
    if (s->factor > 1)
        finding_add(p->r, "factor-unused", path_join(path, sizeof path, s->path, "factor"),
                    N_("factor %.6g has no effect, since rope_type is %s: nothing is scaled. Write \"linear\", \"yarn\" or what the model was tuned with, or leave factor out."),
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
        give_up(s);
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
                    N_("mscale %.6g without mscale_all_dim has no effect: the attention factor in use is 0.1 ln(factor) + 1."), s->mscale);
}

/* A published misspelling: the value is ignored and the derived one is used. */
static void attn_factor(struct part *p, const struct scaling *s)
{
    char path[KEY_PATH_MAX];
    double given = json_number(json_get(s->object, "attn_factor"), NAN);
    if (isnan(given) || !isnan(s->attention_factor) || isnan(s->factor))
        return;
    finding_add(p->r, "scaling-key-unknown", path_join(path, sizeof path, s->path, "attn_factor"),
                N_("unknown key attn_factor (%.6g): it is ignored; attention_factor may be meant. The factor in use is %.6g (0.1 ln %.6g + 1)."), given,
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
        finding_add(p->r, "yarn-betas", s->path, N_("beta_fast %.6g is below beta_slow %.6g: the pairs to keep and the pairs to divide change places. "
                                                    "Perhaps they are swapped. Shown unscaled."), fast, slow);
        give_up(s);
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
        finding_add(p->r, "partial-out-of-range", path, N_("%s %.6g must be above 0 and at most 1."), path, s->partial);
        give_up(s);
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
        give_up(s);
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
            say(p->r, one, sizeof one, N_("entry %zu is %.6g"), i, t->v[i]);
        else
            say(p->r, one, sizeof one, N_("entry %zu is not a number"), i);
        size_t at = strlen(bad);
        snprintf(bad + at, sizeof bad - at, "%s%s", at ? ", " : "", one);
    }
    if (!n_bad)
        return t;
    finding_add(p->r, "longrope-entry", path, N_("%s: %s (counted from 0). Every entry divides a frequency, so it must be a number above 0. Shown unscaled."),
                path, bad);
    give_up(s);
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
    give_up(s);
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
        give_up(s);
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
            give_up(s);
        }
    }
    if (s->high_freq_factor < s->low_freq_factor) {
        finding_add(p->r, "llama3-bands", s->path, N_("high_freq_factor %.6g must be larger than low_freq_factor %.6g: the band between kept and divided "
                                                      "frequencies would end before it begins. Perhaps they are swapped. Shown unscaled."),
                    s->high_freq_factor, s->low_freq_factor);
        give_up(s);
    }
    original_larger(p, r);
}

/* A kind of scaling: its name in the reading, other names it goes by, the rope_type that computes it. */
static const struct kind {
    const char *name, *other_name, *computed;
    void (*read)(struct part *p, struct rotation *r);
} kinds[] = {
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

/* The kind whose name is near, or begins the text in other capitals ("YaRN", "llama3.1"); NULL: none. */
static const char *kind_meant(const char *type)
{
    enum { NEAR = 2 };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strncasecmp(type, kinds[i].name, strlen(kinds[i].name)) || edit_distance(type, kinds[i].name, true) <= NEAR)
            return kinds[i].name;
    return NULL;
}

static const struct kind *kind_named(const char *type)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(type, kinds[i].name) || (kinds[i].other_name && !strcmp(type, kinds[i].other_name)))
            return &kinds[i];
    return NULL;
}

/* ---- which kind ------------------------------------------------------------------------------------------------------------- */

/* Families that turn with three positions, and a file that does not say which pair with which. */
static void sections_missing(struct part *p, const struct scaling *s)
{
    if (family_default(p->family, "@sections") == 1 && !s->sliding && !p->nested)
        finding_add(p->r, "sections-missing", s->path, N_("no mrope_section: this family turns pairs with time, row and column, and its code stops without it. A scaling written "
                                                          "beside must keep it (for heads of 128: [16, 24, 24])."));
}

static void check_sections(struct part *p, struct rotation *r)
{
    struct scaling *s = &r->scaling;
    char path[KEY_PATH_MAX];
    const struct json *list = json_get(s->object, "mrope_section");
    if (!list || json_type(list) == JSON_NULL) {
        sections_missing(p, s);
        return;
    }
    path_join(path, sizeof path, s->path, "mrope_section");
    size_t n = json_type(list) == JSON_ARRAY ? json_size(list) : 0;
    double sum = 0;
    bool whole = true;
    for (const struct json *v = json_first(list); v; v = json_next(v)) {
        double x = json_number(v, NAN);
        whole = whole && x >= 0 && x == floor(x);
        sum += x;
    }
    if (n != 3 || !whole) {
        finding_add(p->r, "sections", path, N_("%s must be three whole numbers: pairs that turn with time, row and column."), path);
        return;
    }
    if (!isnan(r->rotary_dim) && sum != r->rotary_dim / 2) {
        finding_add(p->r, "sections", path, N_("%s adds up to %.10g pairs, but %.10g pairs rotate (they are pairs, not dimensions)."), path, sum,
                    r->rotary_dim / 2);
        return;
    }
    double v[3];            /* time, row, column */
    for (size_t i = 0; i < 3; i++)
        v[i] = json_number(json_at(list, i), NAN);
    s->sections = table_list(v, 3);
    s->sections_interleaved = json_bool(json_get(s->object, "mrope_interleaved"), false);
    s->sections_own_order = p->family && p->family->style && !strcmp(p->family->style, "hwt");
}

static const char *const known_keys[] = {
    "rope_type", "type", "factor", "original_max_position_embeddings", "attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim",
    "truncate", "extrapolation_factor", "finetuned", "short_factor", "long_factor", "short_mscale", "long_mscale", "low_freq_factor",
    "high_freq_factor", "alpha", "mrope_section", "mrope_interleaved", "llama_4_scaling_beta", "rope_theta", "partial_rotary_factor",
    "xdrope_section", "max_position_embeddings", "attn_factor", "full_attention", "sliding_attention", "_name_or_path", NULL,
};

/* Keys that no loader reads: a misspelt one is silently without effect. */
static void check_keys(struct part *p, const struct scaling *s)
{
    enum { NEAR = 3, KEYS_SEEN = 64, SAID = 8 };
    size_t n = 0, said = 0;
    for (const struct json *m = json_first(s->object); m && n < KEYS_SEEN && said < SAID; m = json_next(m), n++) {
        const char *key = json_key(m), *near = NULL;
        size_t best = NEAR + 1;
        for (size_t i = 0; known_keys[i] && best; i++) {
            size_t d = edit_distance(key, known_keys[i], false);
            if (d < best) {
                best = d;
                near = known_keys[i];
            }
        }
        char path[KEY_PATH_MAX];
        if (best && json_type(m) == JSON_OBJECT && ++said) {
            finding_add(p->r, "scaling-key-unknown", path_join(path, sizeof path, s->path, key),
                        N_("%s holds an object under %s, which is no kind of layer that loaders know, so nothing in it is used. Names are full_attention and sliding_attention."), s->path,
                        key);
            continue;
        }
        if (best && near && ++said)
            finding_add(p->r, "scaling-key-unknown", path_join(path, sizeof path, s->path, key),
                        N_("unknown key %s: it is ignored; %s may be meant."), key, near);
    }
}

/* Where no object is written, full layers of Gemma 4 turn a share of their pairs. */
static void family_scaling(struct part *p, struct scaling *s)
{
    double share = family_default(p->family, "@proportional");
    if (isnan(share) || s->sliding)
        return;
    s->shown = s->computed = "proportional";
    s->partial = share;
}

/* rope_type before type; phi-3's old "yarn" with lists is longrope. */
static const char *decide_type(struct part *p, const struct scaling *s, char *out, size_t size)
{
    const struct json *new = json_get(s->object, "rope_type"), *old = json_get(s->object, "type");
    const struct json *stated = new && json_type(new) != JSON_NULL ? new : old;
    char path[KEY_PATH_MAX];
    path_join(path, sizeof path, s->path, stated == new ? "rope_type" : "type");
    if (!stated || json_type(stated) == JSON_NULL)
        return NULL;
    if (!json_string(stated)) {
        finding_add(p->r, "wrong-type", path, N_("%s must be %s, got %s."), path, lang_text(p->r->lang, N_("a string")),
                    lang_text(p->r->lang, json_type_name(stated)));
        return "";
    }
    utf8_sanitise(out, size, json_string(stated));
    if (stated == new && json_string(old) && strcmp(out, json_string(old)) && kind_named(out) != kind_named(json_string(old)))
        finding_add(p->r, "scaling-type-conflict", path, N_("type says %s and rope_type says %s; %s is used, since loaders read rope_type first. Keep one."),
                    json_string(old), out, out);
    if (stated == old)
        finding_add(p->r, "scaling-type-legacy", path, N_("%s %s: type is the legacy name of rope_type; both are read."), path, out);
    bool lists = json_get(s->object, "long_factor") || json_get(s->object, "short_factor");
    if (!strcmp(out, "yarn") && lists)
        snprintf(out, size, "longrope");
    return out;
}

static void no_type(struct part *p, struct rotation *r)
{
    struct scaling *s = &r->scaling;
    bool parameters = strstr(s->path, "rope_parameters") != NULL;
    bool speaks = json_get(s->object, "factor") || json_get(s->object, "original_max_position_embeddings") || json_get(s->object, "short_factor");
    char unseen[200];
    if (!json_size(s->object)) {
        finding_add(p->r, "scaling-empty", s->path, N_("%s is an empty object: some loaders fail on it. Write null."), s->path);
    } else if (speaks) {
        s->shown = "unknown";
        finding_add(p->r, "scaling-type-missing", s->path,
                    N_("%s has no rope_type (or type): the kind of scaling is not said, so loaders stop or guess. Write \"rope_type\": \"linear\", \"yarn\" or "
                       "what the model was tuned with. Shown unscaled.%s"), s->path, unseen_pairs(p, r, r->declared, unseen, sizeof unseen));
    } else if (!parameters && !json_get(s->object, "mrope_section")) {
        finding_add(p->r, "scaling-type-missing", s->path, N_("%s has no rope_type (or type), so it says nothing. Write null for no scaling."), s->path);
    }
}

bool scaling_is_proportional(const struct part *p, const struct scaling *s)
{
    const char *type = type_text(s->object);
    return s->object ? type && !strcmp(type, "proportional") : !s->sliding && !isnan(family_default(p->family, "@proportional"));
}

void scaling_read(struct part *p, struct rotation *r)
{
    struct scaling *s = &r->scaling;
    char type[48], unseen[200];
    read_original(p, s);
    if (!s->object) {
        family_scaling(p, s);
        sections_missing(p, s);
        return;
    }
    check_sections(p, r);
    check_keys(p, s);
    const char *stated = decide_type(p, s, type, sizeof type);
    if (!stated) {
        no_type(p, r);
        return;
    }
    const struct kind *kind = kind_named(stated);
    if (!kind) {
        const char *near = kind_meant(stated);
        char hint[80] = "";
        s->shown = "unknown";
        if (near)
            say(p->r, hint, sizeof hint, N_(" \"%s\" may be meant: names are read letter by letter."), near);
        if (*stated)
            finding_add(p->r, "scaling-type-unknown", s->path, N_("unknown scaling type %s: frequencies are shown unscaled, which is not what the model does.%s%s"),
                        stated, hint, unseen_pairs(p, r, isnan(s->original) ? r->declared : s->original, unseen, sizeof unseen));
        return;
    }
    s->shown = kind->name;
    s->computed = kind->computed;
    read_factor(p, s);
    kind->read(p, r);
}
