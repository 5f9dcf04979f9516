/* config_shape.c - the sizes and lengths of one part of a configuration: heads, widths, layers, the declared length. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/reader.h"

/* ---- sizes -------------------------------------------------------------------------------------------------------- */

bool part_is_decoder(const struct part *p)
{
    return !strcmp(p->name, "decoder");
}

static const char *heads_keys(const struct part *p)
{
    return part_is_decoder(p)
               ? "decoder_attention_heads num_decoder_attention_heads decoder_num_attention_heads num_attention_heads n_head n_heads num_heads"
               : "num_attention_heads n_head n_heads num_heads encoder_attention_heads attention_heads num_query_heads num_encoder_attention_heads "
                 "encoder_num_attention_heads num_self_attention_heads heads decoder_attention_heads";
}

static const char *layers_keys(const struct part *p)
{
    return part_is_decoder(p) ? "decoder_layers num_decoder_layers decoder_num_hidden_layers num_hidden_layers n_layer n_layers num_layers"
                              : "encoder_layers num_encoder_layers encoder_num_hidden_layers num_hidden_layers n_layer n_layers num_layers "
                                "num_transformer_layers depth layers decoder_layers";
}

/* Image models name the width of a patch embed_dim; hidden_size may be that of the text beside them. */
static const char *width_keys(const struct part *p)
{
    return p->family && (p->family->rules & FAMILY_GRID) ? "embed_dim hidden_size d_model width"
                                                         : "hidden_size d_model n_embd n_embed dim embed_dim emb_dim model_dim width hidden_dim";
}

/* A count that is missing at the top level of a file is a guess; in a nested object it is how transformers saves a default. */
static struct number size_number(struct part *p, const char *keys, double most)
{
    struct number n = key_number_or_default(p, keys, WANT_COUNTS);
    if (n.x > most) {
        finding_add(p->r, "out-of-range", n.path, N_("%s is %.10g, but at most %.10g is possible here."), n.path, n.x, most);
        n.x = NAN;
        n.how = HOW_BAD;
    }
    if (n.how == HOW_DEFAULT && !p->nested && !*p->name)
        finding_add(p->r, "width-assumed", n.path, N_("%s is not in the file: %.10g is assumed (%s). Everything that depends on it is a guess."), n.path, n.x,
                    n.from);
    return n;
}

bool head_dim_fits(struct part *p, const char *field, const char *name, double x)
{
    if (!(x > FACTS_MAX_HEAD_DIM))
        return true;
    finding_add(p->r, "out-of-range", field, N_("%s is %.10g, but at most %.10g is possible here."), name, x, (double)FACTS_MAX_HEAD_DIM);
    return false;
}

static void read_head_dim(struct part *p, const struct number *heads, const struct number *width)
{
    struct facts *f = p->f;
    struct number stated = key_number_or_default(p, "head_dim kv_channels d_kv d_head attention_head_dim head_size attention_head_size", WANT_COUNT);
    if (!head_dim_fits(p, stated.path, stated.path, stated.x))
        return;
    if (!isnan(stated.x) || stated.how == HOW_BAD) {
        part_fact(p, &f->head_dim, "head_dim", &stated);
        return;
    }
    if (isnan(heads->x) || isnan(width->x))
        return;
    if (width->x / heads->x > FACTS_MAX_HEAD_DIM) {
        finding_add(p->r, "out-of-range", width->path, N_("%s / %s is %.10g, but at most %.10g is possible here."), width->path, heads->path, width->x / heads->x,
                    (double)FACTS_MAX_HEAD_DIM);
    } else if (fmod(width->x, heads->x) == 0) {
        char from[KEY_PATH_MAX];
        f->head_dim = width->x / heads->x;
        snprintf(from, sizeof from, "%.70s / %.70s", width->from, heads->from);
        part_origin(p, "head_dim", from);
    } else if (p->family && p->family->scheme != SCHEME_NONE && isnan(key_number_or_default(p, "qk_rope_head_dim", WANT_COUNT).x)) {
        finding_add(p->r, "heads-do-not-divide", width->path, N_("%s %.10g is no multiple of %s %.10g, and no head_dim says how wide a head is."), width->path,
                    width->x, heads->path, heads->x);
    }
}

static void read_kv_heads(struct part *p, const struct number *heads)
{
    struct number kv = key_number(p, "num_key_value_heads n_head_kv num_kv_heads multi_query_group_num attn_config.kv_n_heads n_kv_heads num_attention_groups", WANT_COUNTS);
    if (isnan(kv.x) && key_flag(p, "multi_query", false) && !key_flag(p, "new_decoder_architecture", false)) {
        kv.x = 1;
        snprintf(kv.from, sizeof kv.from, "multi_query");
    }
    part_fact(p, &p->f->num_kv_heads, "num_kv_heads", &kv);
    if (!isnan(kv.x) && !isnan(heads->x) && fmod(heads->x, kv.x) != 0 && kv.how == HOW_STATED)
        finding_add(p->r, "heads-do-not-divide", kv.path, N_("%s %.10g does not divide %s %.10g: query heads cannot be shared out among key heads."), kv.path,
                    kv.x, heads->path, heads->x);
}

struct number read_layers(struct part *p, struct number n)
{
    if (n.x > FACTS_MAX_LAYERS) {
        finding_add(p->r, "out-of-range", n.path, N_("%s is %.10g, but at most %.10g is possible here."), n.path, n.x, (double)FACTS_MAX_LAYERS);
        n.x = NAN;
    }
    return n;
}

void read_shape(struct part *p)
{
    struct facts *f = p->f;
    struct number heads = size_number(p, heads_keys(p), FACTS_MAX_HEADS), width = size_number(p, width_keys(p), FACTS_MAX_WIDTH);
    struct number layers = read_layers(p, key_number_or_default(p, layers_keys(p), WANT_COUNTS));
    part_fact(p, &f->num_heads, "num_heads", &heads);
    part_fact(p, &f->hidden_size, "hidden_size", &width);
    part_fact(p, &f->num_layers, "num_layers", &layers);
    read_kv_heads(p, &heads);
    read_head_dim(p, &heads, &width);
}

int shape_number(double x)
{
    return (int)fmin(x, 1 << 24);
}

struct shape part_shape(const struct part *p)
{
    const struct facts *f = p->f;
    enum { STAND_IN_LENGTH = 2048, STAND_IN_HEAD_DIM = 64 };
    double length = !isnan(f->context) ? f->context : !isnan(f->trained_context) ? f->trained_context : STAND_IN_LENGTH;
    struct shape s = {.length = fmin(fmax(length, 1), FACTS_MAX_LENGTH), .n_heads = isnan(f->num_heads) ? 1 : shape_number(f->num_heads)};
    s.d_head = isnan(f->head_dim) ? STAND_IN_HEAD_DIM : shape_number(f->head_dim);
    double width = isnan(f->hidden_size) ? (double)s.d_head * s.n_heads : f->hidden_size;
    s.d_model = (int)fmin(width, FACTS_MAX_WIDTH);
    s.scale = isnan(f->softmax_scale) ? 0 : f->softmax_scale;
    return s;
}

/* ---- length -------------------------------------------------------------------------------------------------------- */

const char *length_keys(const struct part *p)
{
    return part_is_decoder(p)
               ? "max_target_positions max_decoder_position_embeddings max_position_embeddings n_positions"
               : "max_source_positions max_encoder_position_embeddings max_position_embeddings n_positions max_seq_len seq_length max_sequence_length "
                 "max_context_length max_seq_length model_max_length n_ctx seq_len max_target_positions";
}

static void length_conflict(struct part *p, const struct number *taken)
{
    static const char *const same[] = {"max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "max_sequence_length", "n_ctx", "model_max_length"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct number other = key_number(p, same[i], WANT_COUNT);
        if (!isnan(other.x) && other.x < 1e9 && other.x != taken->x && strcmp(other.path, taken->path) && strstr(length_keys(p), same[i]))
            finding_add(p->r, "context-conflict", other.path, N_("%s %.10g and %s %.10g differ; %s is taken."), taken->path, taken->x, other.path, other.x, taken->path);
    }
}

static void context_missing(struct part *p)
{
    char by_default[120] = "", name[40];
    double usual = family_default(p->family, length_keys(p));
    if (!isnan(usual))
        say(p->r, by_default, sizeof by_default, N_(" (transformers: %.10g for %s)"), usual, family_name(p->family, name, sizeof name));
    finding_add(p->r, "context-missing", p->path, N_("no context length in the file: none of max_position_embeddings, n_positions, max_seq_len, seq_length and other "
                                                     "spellings. It is shown as not stated; loaders take a default of their own%s, whatever the model was trained on. "
                                                     "Write max_position_embeddings."), by_default);
}

struct number read_declared(struct part *p)
{
    unsigned rules = p->family ? p->family->rules : 0;
    struct number n = key_number(p, length_keys(p), WANT_COUNT);
    if (n.x > FACTS_MAX_LENGTH) {
        finding_add(p->r, "out-of-range", n.path, N_("%s is %.10g, but at most %.10g is possible here."), n.path, n.x, FACTS_MAX_LENGTH);
        return (struct number){.x = NAN, .how = HOW_BAD};
    }
    if (!isnan(n.x) && !(rules & (FAMILY_QWEN1 | FAMILY_ENCODER)) && !*p->name)
        length_conflict(p, &n);
    if (!isnan(n.x) || n.how == HOW_BAD)
        return n;
    if (p->nested || *p->name || (rules & FAMILY_CONTEXT_FIXED)) {
        n = key_number_or_default(p, length_keys(p), WANT_COUNT);
        if (n.how == HOW_NULL && p->nested)
            n.x = NAN;
        if (!isnan(n.x) && !p->nested && !*p->name)
            finding_add(p->r, "context-implied", "", N_("the file has no key for the length; %.10g is the %s."), n.x, n.from);
    } else if (!(rules & FAMILY_NO_LIMIT)) {
        context_missing(p);
    }
    return n;
}

void take_lengths(struct part *p, const struct number *n)
{
    if (isnan(n->x))
        return;
    p->f->trained_context = p->f->context = n->x;
    part_origin(p, "trained_context", n->from);
    part_origin(p, "context", n->from);
}
