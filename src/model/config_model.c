/* config_model.c - what one part of a configuration describes: which family it is, which encoding that makes.
 * Each encoding is read by a config_*.c of its own; which parts there are is config_parts.c's. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "model/reader.h"

/* ---- which family ------------------------------------------------------------------------------------------------- */

static const struct family *by_architecture(const struct json *object)
{
    const struct json *list = json_get(object, "architectures");
    for (const struct json *v = json_first(list); v; v = json_next(v)) {
        const struct family *f = family_of_architecture(json_string(v));
        if (f)
            return f;
    }
    return NULL;
}

/* The family that the table names for a part of the model type: "qwen2_vl_vision". */
static const struct family *family_of_part(const char *model_type, const char *part)
{
    char name[128];
    if (!model_type || !*part)
        return NULL;
    snprintf(name, sizeof name, "%s_%s", model_type, part);
    return family_find(name);
}

/* The model type of this object, else its class, else what the object around it says. Sub-models of a composite are looked for under
 * TYPE_PART first, since Qwen2-VL names text and vision alike and MiniMax M3 calls its own tower clip_vision_model. */
const struct family *part_family(const struct json *object, const struct json *outer, const char *part, char *model_type, size_t size)
{
    const char *own = json_string(json_get(object, "model_type")), *around = json_string(json_get(outer, "model_type"));
    const char *type = own ? own : around;
    utf8_sanitise(model_type, size, type ? type : "");
    const struct family *f = family_of_part(around, part);
    if (!f)
        f = family_of_part(own, part);
    if (!f && (own || !*part))
        f = family_find(type);
    if (!f)
        f = by_architecture(object);
    if (!f && !own && outer && outer != object && !*part)
        f = by_architecture(outer);
    return f;
}

/* ---- which encoding -------------------------------------------------------------------------------------------------- */

/* What the values of position_embedding_type and position_embeddings_type mean. */
static const struct { const char *word; enum scheme scheme; } kind_words[] = {
    {"absolute", SCHEME_LEARNED}, {"learned", SCHEME_LEARNED}, {"learned_absolute", SCHEME_LEARNED}, {"relative_key", SCHEME_SHAW},
    {"relative_key_query", SCHEME_SHAW}, {"rotary", SCHEME_ROPE}, {"rope", SCHEME_ROPE}, {"alibi", SCHEME_ALIBI}, {"nope", SCHEME_NONE},
    {"none", SCHEME_NONE}, {"sine", SCHEME_SINUSOIDAL}, {"sinusoidal", SCHEME_SINUSOIDAL}, {"relative", SCHEME_TRANSFORMER_XL},
};
static const char kind_keys[] = "position_embedding_type position_embeddings_type pos_emb";

static bool kind_by_word(const char *word, enum scheme *out)
{
    for (size_t i = 0; i < sizeof kind_words / sizeof *kind_words; i++) {
        if (!strcmp(word, kind_words[i].word)) {
            *out = kind_words[i].scheme;
            return true;
        }
    }
    return false;
}

struct decision { enum scheme scheme; char from[KEY_PATH_MAX]; };

static void decide(struct decision *d, enum scheme scheme, const struct part *p, const char *path)
{
    d->scheme = scheme;
    origin_of(p, path, d->from);
}

/* A flag that is true and names a scheme. */
static bool by_flag(const struct part *p, struct decision *d, const char *keys, enum scheme scheme)
{
    struct number flag = key_number(p, keys, WANT_FLAG);
    if (flag.x == 1)
        decide(d, scheme, p, flag.path);
    return flag.x == 1;
}

static void by_kind_key(struct part *p, struct decision *d)
{
    char word[40], path[KEY_PATH_MAX];
    enum scheme scheme;
    const char *stated = key_text(p, kind_keys, word, sizeof word);
    if (!stated)
        return;
    key_find(p, kind_keys, path);
    bool keyed = !p->family || (p->family->rules & FAMILY_KEYED);
    if (!kind_by_word(stated, &scheme)) {
        if (keyed)
            finding_add(p->r, "encoding-key-unknown", path, N_("%s is \"%s\", which is not known here%s."), path, stated,
                        p->family ? lang_text(p->r->lang, N_("; the encoding of the family is shown")) : "");
    } else if (keyed) {
        if (p->family && p->family->scheme == SCHEME_RELATIVE_2D)
            return;
        decide(d, scheme, p, path);
    } else if (scheme != d->scheme) {
        finding_add(p->r, "encoding-key-unused", path, N_("%s \"%s\" is a leftover: the code of this family uses %s whatever it says."), path, stated,
                    scheme_names[d->scheme]);
    }
}

static void by_family_flags(struct part *p, struct decision *d)
{
    unsigned rules = p->family->rules;
    struct number width = key_number(p, "hidden_size", WANT_COUNT);
    enum { BAICHUAN_13B_WIDTH = 5120 };
    if ((rules & FAMILY_ALIBI_BY_SIZE) && width.x >= BAICHUAN_13B_WIDTH) {
        d->scheme = SCHEME_ALIBI;
        say(p->r, d->from, sizeof d->from, N_("rule of the family: %s %.10g is the 13B model, which has ALiBi"), width.path, width.x);
    }
    if (rules & FAMILY_ALIBI_FLAG) {
        struct number learned = key_number(p, "learned_pos_emb", WANT_FLAG);
        if (by_flag(p, d, "alibi use_alibi attn_config.alibi", SCHEME_ALIBI) || by_flag(p, d, "attn_config.rope", SCHEME_ROPE)) {
            if (learned.x == 1)
                finding_add(p->r, "encoding-key-unused", learned.path, N_("%s is true but has no effect while %s is on."), learned.path, d->from);
        } else if (d->scheme == SCHEME_LEARNED && learned.x == 0) {
            decide(d, SCHEME_NONE, p, learned.path);
        }
    }
    if ((rules & FAMILY_NONE_IF_KEYLESS) && json_type(key_find(p, "rope_parameters rope_scaling rope_theta", NULL)) == JSON_NULL) {
        d->scheme = SCHEME_NONE;
        say(p->r, d->from, sizeof d->from, N_("rule of the family: no rope_theta and no rope_parameters"));
    }
    if (rules & FAMILY_KEYED) {
        by_flag(p, d, "sinusoidal_pos_embds sinusoidal_embeddings", SCHEME_SINUSOIDAL);
        by_flag(p, d, "use_mem_rope", SCHEME_ROPE);
    }
    if (d->scheme == SCHEME_DEBERTA) {
        struct number relative = key_number(p, "relative_attention", WANT_FLAG);
        if (relative.x == 0 || relative.how == HOW_ABSENT) {
            d->scheme = SCHEME_LEARNED;
            snprintf(d->from, sizeof d->from, "%s", relative.x == 0 ? relative.from : lang_text(p->r->lang, N_("relative_attention is off by default")));
        }
    }
}

/* An unknown family: only keys that can mean one encoding and nothing else. */
static size_t by_keys(struct part *p, struct decision *d)
{
    static const struct { const char *keys; enum scheme scheme; } signs[] = {
        {"rope_theta rope_scaling rope_parameters rotary_dim rotary_pct rotary_emb_base rotary_emb_fraction partial_rotary_factor qk_rope_head_dim "
         "rope_ratio rope_local_base_freq rope_base rotary_base rope_pct rope_interleave", SCHEME_ROPE},
        {"relative_attention_num_buckets", SCHEME_T5},
        {"position_buckets pos_att_type", SCHEME_DEBERTA},
        {"clamp_len", SCHEME_TRANSFORMER_XL},
        {"max_relative_position", SCHEME_SHAW},
    };
    size_t found = 0;
    char path[KEY_PATH_MAX], first[KEY_PATH_MAX] = "";
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const struct json *v = key_find(p, signs[i].keys, path);
        if (!v || (json_type(v) == JSON_NULL && signs[i].scheme != SCHEME_ROPE))
            continue;
        if (!found++) {
            decide(d, signs[i].scheme, p, path);
            snprintf(first, sizeof first, "%s", path);
        } else {
            finding_add(p->r, "encoding-conflict", path, N_("%s and %s belong to two different encodings; %s is shown."), first, path, scheme_names[d->scheme]);
        }
    }
    struct decision alibi = {0};
    if (by_flag(p, &alibi, "alibi use_alibi attn_config.alibi", SCHEME_ALIBI)) {
        if (found)
            finding_add(p->r, "encoding-conflict", alibi.from, N_("%s and %s belong to two different encodings; %s is shown."), first, alibi.from,
                        scheme_names[d->scheme]);
        else
            *d = alibi;
        found++;
    }
    return found;
}

static void decide_unknown(struct part *p, struct decision *d)
{
    struct decision kind = {0};
    size_t found = by_keys(p, d);
    by_kind_key(p, &kind);
    if (kind.scheme && !found)
        *d = kind;
    else if (kind.scheme && kind.scheme != d->scheme)
        finding_add(p->r, "encoding-conflict", kind.from, N_("%s names %s, but other keys belong to %s, which is shown."), kind.from, scheme_names[kind.scheme],
                    scheme_names[d->scheme]);
    if (*p->name)
        return;
    if (d->scheme == SCHEME_UNKNOWN)
        finding_add(p->r, "encoding-unknown", "", N_("position encoding cannot be told from this file: model type \"%s\" is not known here and no key names an encoding."),
                    p->model_type);
    else if (d->scheme == SCHEME_ROPE && !key_find(p, "rope_interleave rotary_emb_interleaved", NULL))
        finding_add(p->r, "layout-unknown", "model_type", N_("model type \"%s\" is not known here: RoPE is read from the keys alone, and which dimensions form a pair (half or "
                                                             "interleaved) cannot be told."), p->model_type);
    else
        finding_add(p->r, "family-unknown", "model_type", N_("model type \"%s\" is not known here: only what the keys say is shown."), p->model_type);
}

static struct decision decide_scheme(struct part *p)
{
    struct decision d = {.scheme = SCHEME_UNKNOWN};
    char name[40];
    if (!p->family) {
        decide_unknown(p, &d);
        return d;
    }
    d.scheme = part_is_decoder(p) && p->family->decoder ? p->family->decoder : p->family->scheme;
    say(p->r, d.from, sizeof d.from, N_("code of the family %s"), family_name(p->family, name, sizeof name));
    by_family_flags(p, &d);
    by_kind_key(p, &d);
    if ((p->family->rules & FAMILY_KEYED) && key_find(p, "alibi_starting_size", NULL))
        decide(&d, SCHEME_ALIBI, p, "alibi_starting_size");         /* BERT as MosaicML and DNABERT-2 changed it */
    return d;
}

static void read_none(struct part *p)
{
    struct content c = {.shape = part_shape(p)};
    struct number length = p->family && (p->family->rules & FAMILY_NO_LIMIT) ? key_number(p, length_keys(p), WANT_COUNT) : read_declared(p);
    take_lengths(p, &length);
    part_content(p, &c);
    content_done(&c);
}

static void read_unknown(struct part *p)
{
    struct number length = key_number(p, length_keys(p), WANT_COUNT);
    take_lengths(p, &length);
}

static void read_rope_any(struct part *p)
{
    (p->family && (p->family->rules & FAMILY_GRID) ? read_rope_grid : read_rope)(p);
}

static void (*const readers[SCHEME_COUNT])(struct part *) = {
    [SCHEME_UNKNOWN] = read_unknown, [SCHEME_NONE] = read_none, [SCHEME_ROPE] = read_rope_any, [SCHEME_ALIBI] = read_alibi,
    [SCHEME_LEARNED] = read_learned, [SCHEME_SINUSOIDAL] = read_sinusoidal, [SCHEME_T5] = read_t5,
    [SCHEME_TRANSFORMER_XL] = read_transformer_xl, [SCHEME_DEBERTA] = read_deberta, [SCHEME_SHAW] = read_shaw,
    [SCHEME_RELATIVE_2D] = read_relative_2d, [SCHEME_CONVOLUTIONAL] = read_none,
};

/* ---- one part ----------------------------------------------------------------------------------------------------------------- */

/* The scheme and the lengths, where the family's form of the scheme is none of those computed here. */
static void read_named(struct part *p)
{
    struct number length = read_declared(p);
    char name[40];
    take_lengths(p, &length);
    snprintf(p->f->layout, sizeof p->f->layout, "%s", p->family->layout ? p->family->layout : "");
    finding_add(p->r, "not-computed", p->path, N_("%s: the encoding of the family %s is named here (%s), but its own form of it is not computed, so there are no pictures "
                                                  "and no numbers of it."), *p->name ? p->name : p->model_type, family_name(p->family, name, sizeof name), p->f->scheme);
}

void read_part(struct part *p)
{
    struct decision d;
    p->checks = json_object();
    d = decide_scheme(p);
    snprintf(p->f->scheme, sizeof p->f->scheme, "%s", scheme_names[d.scheme]);
    if (d.scheme != SCHEME_UNKNOWN)
        part_origin(p, "scheme", d.from);
    read_shape(p);
    read_softmax_scale(p);
    bool computed = !p->family || !(p->family->rules & FAMILY_NOT_COMPUTED);
    (computed ? readers[d.scheme] : read_named)(p);
    if (!*p->name)
        check_spelling(p);
    if (!*p->name && d.scheme != SCHEME_ROPE && d.scheme != SCHEME_UNKNOWN && d.scheme != SCHEME_NONE)
        check_unused_scaling(p);
    reading_finish(p->f, p->checks, p->per_layer);
}
