/* config_scaling.c - rope_scaling (transformers 4) and rope_parameters (5): which object holds, of which kind it is, and what
 * the kinds share: factor, original length, sections. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "base/utf8.h"
#include "model/config_scaling.h"

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

/* ---- its numbers ------------------------------------------------------------------------------------------------------ */

static void read_factor(struct part *p, struct scaling *s)
{
    char path[KEY_PATH_MAX];
    struct number n = member_number(p, s->object, s->path, "factor", WANT_FINITE);
    path_join(path, sizeof path, s->path, "factor");
    if (n.how == HOW_BAD)
        scaling_give_up(s);
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
    scaling_give_up(s);
    const double SMALLEST_INVERSE = 1e-6;       /* below, nobody meant its inverse */
    if (n.x >= SMALLEST_INVERSE)
        finding_add(p->r, "factor-below-one", path,
                    N_("factor %g is below 1: it would multiply every frequency by %.6g, so position 1000 would turn like position %.6g. 1/%g = %.6g may "
                       "be meant (rope-freq-scale of llama.cpp is the inverse). Shown unscaled."), n.x, 1 / n.x, 1000 / n.x, n.x, 1 / n.x);
    else
        finding_add(p->r, "factor-below-one", path, N_("factor %g must be at least 1. Shown unscaled."), n.x);
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
        scaling_give_up(s);
    s->original = n->x;
    snprintf(s->original_from, sizeof s->original_from, "%s", n->from);
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
    if (stated == new && json_string(old) && strcmp(out, json_string(old)) && scaling_kind_named(out) != scaling_kind_named(json_string(old)))
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
                       "what the model was tuned with. Shown unscaled.%s"), s->path, rotation_unseen(p, r, r->declared, unseen, sizeof unseen));
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
    const struct scaling_kind *kind = scaling_kind_named(stated);
    if (!kind) {
        const char *near = scaling_kind_meant(stated);
        char hint[80] = "";
        s->shown = "unknown";
        if (near)
            say(p->r, hint, sizeof hint, N_(" \"%s\" may be meant: names are read letter by letter."), near);
        if (*stated)
            finding_add(p->r, "scaling-type-unknown", s->path, N_("unknown scaling type %s: frequencies are shown unscaled, which is not what the model does.%s%s"),
                        stated, hint, rotation_unseen(p, r, isnan(s->original) ? r->declared : s->original, unseen, sizeof unseen));
        return;
    }
    s->shown = kind->name;
    s->computed = kind->computed;
    read_factor(p, s);
    kind->read(p, r);
}
