/* config_parts.c - the parts of a configuration: which object holds the text model, which others describe vision, sound, an encoder,
 * a decoder, at any depth. A part whose family is not known is named, so that none is left out in silence. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "model/reader.h"

enum { NEST_MAX = 6 };          /* objects inside objects that are looked into */

/* ---- the main part ------------------------------------------------------------------------------------------------- */

static const struct json *first_object(const struct json *object, const char *const *keys, const char **key)
{
    for (; *keys; keys++) {
        const struct json *v = json_get(object, *keys);
        if (json_type(v) == JSON_OBJECT && json_size(v)) {
            *key = *keys;
            return v;
        }
    }
    return NULL;
}

static const char layer_keys[] = "num_hidden_layers n_layer n_layers num_layers encoder_layers decoder_layers encoder_num_hidden_layers depth layers";

/* The object inside that holds the text model, or leads to it; NULL: this one holds it. A tower counts where the object around it has
 * no layers of its own (depth, pose and segmentation models). */
static const struct json *inner_main(const struct json *object, const char **key)
{
    static const char *const texts[] = {"text_config", "language_config", "llm_config", "text_model_config", "thinker_config", "vlm_config",
                                        "generator", "decoder", "decoder_config", "text_encoder", NULL};
    static const char *const towers[] = {"backbone_config", "vision_config", "encoder_config", "semantic_config", NULL};
    const struct json *inner = first_object(object, texts, key);
    if (!inner && !key_find(&(struct part){.object = object}, layer_keys, NULL))
        inner = first_object(object, towers, key);
    return inner;
}

const struct json *config_main(const struct json *root, char *path, size_t size)
{
    const struct json *at = root;
    *path = '\0';
    for (int depth = 0; depth < NEST_MAX; depth++) {
        const char *key;
        const struct json *inner = inner_main(at, &key);
        if (!inner)
            break;
        char outer[KEY_PATH_MAX];
        snprintf(outer, sizeof outer, "%s", path);
        path_join(path, size, outer, key);
        at = inner;
    }
    return at;
}

/* ---- the others ------------------------------------------------------------------------------------------------------ */

/* Moves the kinds of a part behind those of the main one. */
static void take_kinds(struct facts *to, struct facts *from)
{
    size_t i = 0;
    for (; i < from->n_kinds && to->n_kinds < FACTS_MAX_KINDS; i++)
        to->kind[to->n_kinds++] = from->kind[i];
    for (; i < from->n_kinds; i++)
        for (size_t k = 0; k < from->kind[i].n_items; k++)
            item_done(&from->kind[i].item[k]);
    from->n_kinds = 0;
}

static struct facts *read_other_part(struct reader *r, const char *name, const struct json *object, const char *path, const struct family *family)
{
    struct part p = {.r = r, .name = name, .object = object, .family = family, .nested = *path != '\0', .f = facts_new("", FORMAT_CONFIG)};
    snprintf(p.path, sizeof p.path, "%s", path);
    read_part(&p);
    reading_flatten(p.f->reading);
    json_set(r->f->reading, name, p.f->reading);
    p.f->reading = NULL;
    return p.f;
}

/* Does the object describe a model: with a type, or with layers and heads or a width? */
static bool describes_model(const struct json *o)
{
    static const char heads[] = "num_attention_heads n_head n_heads num_heads encoder_attention_heads heads hidden_size d_model embed_dim width";
    const struct part p = {.object = o};
    return json_type(o) == JSON_OBJECT && (family_find(json_string(json_get(o, "model_type"))) || (key_find(&p, layer_keys, NULL) && key_find(&p, heads, NULL)));
}

/* "vision" for vision_config, visual, vit_config; "talker" for talker_config. */
static void part_name(const char *key, char *out, size_t size)
{
    static const struct { const char *in, *name; } usual[] = {
        {"vision", "vision"}, {"visual", "vision"}, {"vit", "vision"}, {"image", "vision"}, {"audio", "audio"}, {"speech", "audio"}, {"sound", "audio"},
        {"question_encoder", "encoder"}, {"backbone", "backbone"},
    };
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
        if (strstr(key, usual[i].in)) {
            snprintf(out, size, "%s", usual[i].name);
            return;
        }
    }
    utf8_sanitise(out, size, key);
    char *end = strstr(out, "_config");
    if (end && end != out)
        *end = '\0';
}

/* The walk through a configuration for its other parts. */
struct search {
    struct reader *r;
    const struct json *main_object;
    const struct json *outer;           /* whose model type a part without one belongs to */
};

static void read_found(const struct search *s, const char *key, const struct json *object, const char *path)
{
    char name[24], type[64];
    part_name(key, name, sizeof name);
    const struct family *family = part_family(object, s->outer, name, type, sizeof type);
    if (json_get(s->r->f->reading, name))
        path_join(name, sizeof name, "", key);          /* a second one keeps its own name */
    if (json_get(s->r->f->reading, name))
        return;
    if (!family) {
        finding_add(s->r, "part-unknown", path, N_("%s (model type \"%s\"): the position encoding of this part is not known here, so it is not shown."), path, type);
        return;
    }
    struct facts *f = read_other_part(s->r, name, object, path, family);
    take_kinds(s->r->f, f);
    facts_unref(f);
}

/* Looks into an object that is no part itself, or leads to the main one. */
static void search_in(struct search s, const struct json *object, const char *path, int depth)
{
    if (json_get(object, "model_type"))
        s.outer = object;
    for (const struct json *m = json_first(object); m && depth < NEST_MAX; m = json_next(m)) {
        char inner[KEY_PATH_MAX], rest[KEY_PATH_MAX];
        if (json_type(m) != JSON_OBJECT || m == s.main_object || strstr(json_key(m), "_dict"))      /* *_config_dict: CLIP's leftovers */
            continue;
        path_join(inner, sizeof inner, path, json_key(m));
        const struct json *deepest = config_main(m, rest, sizeof rest);
        if (deepest == s.main_object) {
            search_in(s, m, inner, depth + 1);
        } else if (describes_model(deepest)) {
            char whole[KEY_PATH_MAX];
            read_found(&s, json_key(m), deepest, *rest ? path_join(whole, sizeof whole, inner, rest) : inner);
            if (deepest != m)
                search_in((struct search){.r = s.r, .main_object = deepest, .outer = s.outer}, m, inner, depth + 1);
        }
    }
}

/* Encoder and decoder written in one flat object (BART, Whisper, Marian, Moonshine). */
static bool flat_encoder_decoder(const struct part *p)
{
    const char *both[] = {"encoder_layers num_encoder_layers encoder_num_hidden_layers", "decoder_layers num_decoder_layers decoder_num_hidden_layers"};
    bool either = p->family && (p->family->scheme == SCHEME_LEARNED || p->family->scheme == SCHEME_SINUSOIDAL || p->family->scheme == SCHEME_ROPE);
    return either && !(p->family->rules & FAMILY_GRID) && key_number_or_default(p, both[0], WANT_COUNT).x >= 1 &&
           key_number_or_default(p, both[1], WANT_COUNT).x >= 1 && key_number_or_default(p, both[1], WANT_COUNT).how == HOW_STATED;
}

/* The main reading is that of the encoder; the decoder has tables, and so kinds, of its own. */
static void read_encoder_decoder(struct reader *r, const struct part *p)
{
    if (r->f->n_kinds) {
        r->f->kind[0].mask.type = MASK_NONE;
        snprintf(r->f->kind[0].name, sizeof r->f->kind[0].name, "encoder");
    }
    facts_unref(read_other_part(r, "encoder", p->object, p->path, p->family));
    struct facts *decoder = read_other_part(r, "decoder", p->object, p->path, p->family);
    if (decoder->n_kinds && decoder->kind[0].mask.type == MASK_NONE)
        decoder->kind[0].mask.type = MASK_CAUSAL;
    take_kinds(r->f, decoder);
    facts_unref(decoder);
}

/* What the views will open must open: values that each fit their key may still not fit together. */
static void verify_kinds(struct reader *r)
{
    struct facts *f = r->f;
    for (size_t k = 0; k < f->n_kinds; k++) {
        struct err err = {.lang = r->lang};
        struct layer *layer = layer_open(f->kind[k].item, f->kind[k].n_items, &f->kind[k].shape, &err);
        if (!layer)
            finding_add(r, "encoding-refuses", "", N_("%s. This layer cannot be shown."), err.text);
        layer_close(layer);
    }
}

void read_model(struct reader *r)
{
    struct part p = {.r = r, .name = "", .f = r->f, .object = r->root};
    char stated[64];
    const char *type = key_text(&p, "model_type", stated, sizeof stated);
    p.object = config_main(r->root, p.path, sizeof p.path);
    p.nested = *p.path != '\0';
    p.outer = p.nested ? r->root : NULL;
    p.family = part_family(p.object, p.outer, "", p.model_type, sizeof p.model_type);
    utf8_sanitise(r->f->model_type, sizeof r->f->model_type, type ? type : p.model_type);
    read_part(&p);
    if (flat_encoder_decoder(&p))
        read_encoder_decoder(r, &p);
    search_in((struct search){.r = r, .main_object = p.object, .outer = r->root}, r->root, "", 0);
    verify_kinds(r);
}
