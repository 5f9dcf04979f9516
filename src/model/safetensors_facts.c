/* safetensors_facts.c - the facts of a safetensors file. The config.json beside it is the reading; the tensors bring the tables of learned
 * encodings, and frequencies to compare with. Without a configuration only what names and shapes tell is shown. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "model/reader.h"
#include "model/weights.h"

/* Names that published models give to tables of position, and the parameter that takes them. */
static const struct known { const char *ending, *encoding, *param; } known[] = {
    {"wpe.weight", "learned", "table"},
    {"position_embeddings.weight", "learned", "table"},
    {"embed_positions.weight", "learned", "table"},
    {"position_embedding.weight", "learned", "table"},
    {"positions_embed.weight", "learned", "table"},
    {"position_embeddings", "learned", "table"},
    {"position_embedding", "learned", "table"},
    {"positional_embedding", "learned", "table"},
    {"pos_embed", "learned", "table"},
    {"relative_attention_bias.weight", "t5_bias", "table"},
    {"rel_attn_embed.weight", "t5_bias", "table"},
    {"relative_position_bias_table", "relpos_2d", "table"},
    {"distance_embedding.weight", "shaw", "key_table"},
    {"r_w_bias", "transformer_xl", "u"},
    {"r_r_bias", "transformer_xl", "v"},
};
enum { N_KNOWN = sizeof known / sizeof *known };

static bool ends_in(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n >= m && !strcmp(name + n - m, ending) && (n == m || name[n - m - 1] == '.');
}

/* ---- which tensor is whose ---------------------------------------------------------------------------------------------- */

static bool is_of_picture(const char *name)
{
    return strstr(name, "vision") || strstr(name, "visual") || strstr(name, "image") || strstr(name, "audio");
}

/* To which parts of a model a tensor may belong. The main part takes what names no other part, else what is there: decoders alone have names
 * with "decoder", image models alone with "vision". */
enum of { OF_TEXT_ALONE, OF_TEXT, OF_ANY, OF_DECODER, OF_ENCODER, OF_PICTURE, OF_COUNT };

static bool is_of(const char *name, enum of of)
{
    switch (of) {
    case OF_TEXT_ALONE: return !is_of_picture(name) && !strstr(name, "decoder");
    case OF_TEXT:       return !is_of_picture(name);
    case OF_DECODER:    return strstr(name, "decoder") != NULL;
    case OF_ENCODER:    return strstr(name, "encoder") && !strstr(name, "decoder");
    case OF_PICTURE:    return is_of_picture(name);
    default:            return true;
    }
}

/* The first tensor of each known name in each part. One walk over names that may be a million. */
struct places { size_t none, first[N_KNOWN][OF_COUNT]; };

static void note_place(struct places *p, size_t k, size_t i, const char *name)
{
    for (size_t of = 0; of < OF_COUNT; of++)
        if (p->first[k][of] == p->none && is_of(name, (enum of)of))
            p->first[k][of] = i;
}

static void find_places(const struct weights *w, struct places *p)
{
    p->none = w->n;
    for (size_t k = 0; k < N_KNOWN; k++)
        for (size_t of = 0; of < OF_COUNT; of++)
            p->first[k][of] = p->none;
    for (size_t i = 0; i < w->n; i++)
        for (size_t k = 0; k < N_KNOWN; k++)
            if (ends_in(w->name[i], known[k].ending))
                note_place(p, k, i, w->name[i]);
}

/* The first tensor of a known name for the part of the model that a kind of layer stands for. */
static size_t find_for(const struct places *p, size_t k, const char *part)
{
    static const struct { const char *name; enum of of; } parts[] = {
        {"decoder", OF_DECODER}, {"encoder", OF_ENCODER}, {"vision", OF_PICTURE}, {"audio", OF_PICTURE},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strcmp(part, parts[i].name))
            return p->first[k][parts[i].of];
    for (size_t of = OF_TEXT_ALONE; of < OF_ANY; of++)
        if (p->first[k][of] != p->none)
            return p->first[k][of];
    return p->first[k][OF_ANY];
}

static void attach(struct reader *r, struct weights *w, size_t kind, const struct known *k, size_t i)
{
    struct err err = {.lang = r->lang};
    char name[80];
    struct table *t = weights_values(w, i, TABLE_NUMBERS_MAX, &err);
    utf8_sanitise(name, sizeof name, w->name[i]);
    if (t)
        table_attach(r, kind, k->encoding, k->param, t, name);
    else
        finding_add(r, "tensor-unread", name, N_("%s. Numbers of a random start are shown in its place."), err.text);
    table_unref(t);
}

static bool same_parameter(const struct known *a, const struct known *b)
{
    return !strcmp(a->encoding, b->encoding) && !strcmp(a->param, b->param);
}

static void attach_tables(struct reader *r, struct weights *w)
{
    struct places places;
    find_places(w, &places);
    for (size_t kind = 0; kind < r->f->n_kinds; kind++) {
        const struct known *done = NULL;        /* one tensor a parameter, whatever other names would fit */
        for (const struct known *k = known; k < known + N_KNOWN; k++) {
            bool wanted = kind_has(r->f, kind, k->encoding) && !(done && same_parameter(k, done));
            size_t i = wanted ? find_for(&places, (size_t)(k - known), r->f->kind[kind].name) : w->n;
            if (i == w->n)
                continue;
            attach(r, w, kind, k, i);
            done = k;
        }
    }
}

/* ---- frequencies --------------------------------------------------------------------------------------------------------- */

/* The first stored inv_freq of a text model; NULL if there is none. */
static struct table *stored_frequencies(struct weights *w, char name[80], double *tolerance)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct safetensor *t = ends_in(w->name[i], "inv_freq") && !is_of_picture(w->name[i]) ? weights_tensor(w, i, NULL) : NULL;
        if (!t)
            continue;
        utf8_sanitise(name, 80, w->name[i]);
        *tolerance = !strcmp(t->dtype, "F32") || !strcmp(t->dtype, "F64") ? 1e-5 : !strcmp(t->dtype, "BF16") ? 8e-3 : 2e-3;
        return weights_values(w, i, 65536, NULL);
    }
    return NULL;
}

static void compare_frequencies(struct reader *r, struct weights *w)
{
    char name[80];
    double tolerance;
    struct table *stored = r->f->n_kinds && kind_has(r->f, 0, "rope") ? stored_frequencies(w, name, &tolerance) : NULL;
    struct layer *layer = stored ? layer_open(r->f->kind[0].item, r->f->kind[0].n_items, &r->f->kind[0].shape, NULL) : NULL;
    const struct enc *e = layer ? layer_spectrum(layer) : NULL;
    const struct spectrum *s = e ? e->kind->spectrum(e) : NULL;
    const double *computed = s ? s->inv_freq : NULL;
    if (s && s->n != stored->n)
        finding_add(r, "inv-freq", name, N_("%s holds %zu frequencies, the configuration asks for %zu."), name, stored->n, s->n);
    for (size_t k = 0; s && s->n == stored->n && k < s->n; k++) {
        double unscaled = s->unscaled ? s->unscaled[k] : computed[k];       /* buffers are often those before scaling */
        if (fabs(stored->v[k] - computed[k]) <= tolerance * computed[k] + 1e-7 || fabs(stored->v[k] - unscaled) <= tolerance * unscaled + 1e-7)
            continue;
        finding_add(r, "inv-freq", name, N_("%s: pair %zu turns at %.6g there, but the configuration asks for %.6g. Loaders compute frequencies from the configuration "
                                            "and ignore this tensor; perhaps one of the two was changed afterwards."), name, k, stored->v[k], computed[k]);
        break;
    }
    layer_close(layer);
    table_unref(stored);
}

/* ---- without a configuration ---------------------------------------------------------------------------------------------- */

/* What was put into the configuration that stands in, and from where. */
struct guess {
    struct weights *w;
    struct json *config;
    struct { const char *key; char from[120]; } origin[8];
    size_t n;
};

static void guess_origin(struct guess *g, const char *key, const char *tensor)
{
    if (g->n == sizeof g->origin / sizeof *g->origin)
        return;
    g->origin[g->n].key = key;
    utf8_sanitise(g->origin[g->n++].from, sizeof g->origin->from, tensor);
}

static void guess_number(struct guess *g, const char *key, double x, const char *tensor)
{
    json_set_number(g->config, key, x);
    guess_origin(g, key, tensor);
}

/* 1 more than the largest number behind "layers.", "h.", "layer.", "block." or "blocks."; 0: no such names. */
static size_t count_layers(const struct weights *w)
{
    static const char *const words[] = {"layers.", "layer.", "h.", "block.", "blocks."};
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        for (size_t k = 0; k < sizeof words / sizeof *words && !is_of_picture(w->name[i]); k++) {
            const char *at = strstr(w->name[i], words[k]), *digits = at ? at + strlen(words[k]) : NULL;
            if (!at || (at > w->name[i] && at[-1] != '.') || !isdigit((unsigned char)*digits))
                continue;
            unsigned long l = strtoul(digits, NULL, 10);
            if (l < FACTS_MAX_LAYERS && l + 1 > n)
                n = l + 1;
            break;
        }
    }
    return n;
}

/* Rows and columns of the i-th tensor, without axes of length 1 in front. */
static bool shape_of(struct weights *w, size_t i, double shape[2])
{
    const struct safetensor *t = i < w->n ? weights_tensor(w, i, NULL) : NULL;
    int from = 0;
    while (t && from + 2 < t->rank && t->dim[from] == 1)
        from++;
    if (!t || t->rank - from != 2)
        return false;
    shape[0] = (double)t->dim[from];
    shape[1] = (double)t->dim[from + 1];
    return shape[0] >= 1 && shape[1] >= 1;
}

/* Dot products of heads of a known width say how many heads there are. */
static void guess_heads(struct guess *g)
{
    static const char *const norms[] = {"q_norm.weight", "q_layernorm.weight"}, *const widths[] = {"embed_tokens.weight", "wte.weight", "word_embeddings.weight"};
    double head_dim = 0, shape[2];
    for (size_t i = 0; i < g->w->n; i++) {
        const struct safetensor *t = NULL;
        for (size_t k = 0; k < 2 && !t && !head_dim; k++)
            t = ends_in(g->w->name[i], norms[k]) && !is_of_picture(g->w->name[i]) ? weights_tensor(g->w, i, NULL) : NULL;
        if (t && t->rank == 1) {
            head_dim = (double)t->dim[0];
            guess_number(g, "head_dim", head_dim, g->w->name[i]);
        }
    }
    for (size_t i = 0; i < g->w->n; i++) {
        for (size_t k = 0; k < 3; k++)
            if (ends_in(g->w->name[i], widths[k]) && !json_get(g->config, "hidden_size") && shape_of(g->w, i, shape))
                guess_number(g, "hidden_size", shape[1], g->w->name[i]);
        if (head_dim > 0 && ends_in(g->w->name[i], "q_proj.weight") && !json_get(g->config, "num_attention_heads") && shape_of(g->w, i, shape) &&
            fmod(shape[0], head_dim) == 0)
            guess_number(g, "num_attention_heads", shape[0] / head_dim, g->w->name[i]);
    }
}

static bool guess_learned(struct guess *g, size_t i)
{
    double shape[2];
    if (!shape_of(g->w, i, shape))
        return false;
    json_set_string(g->config, "position_embedding_type", "absolute");
    guess_origin(g, "position_embedding_type", g->w->name[i]);
    guess_number(g, "max_position_embeddings", shape[0], g->w->name[i]);
    guess_number(g, "hidden_size", shape[1], g->w->name[i]);
    return true;
}

static bool guess_t5(struct guess *g, size_t i)
{
    double shape[2];
    if (!shape_of(g->w, i, shape))
        return false;
    guess_number(g, "relative_attention_num_buckets", shape[0], g->w->name[i]);
    guess_number(g, "num_heads", shape[1], g->w->name[i]);
    return true;
}

/* A window of w x w has (2w - 1)^2 relative places; BEiT's, which is the whole picture, has three more for its class token. */
static bool guess_window(struct guess *g, size_t i)
{
    double shape[2];
    if (!shape_of(g->w, i, shape))
        return false;
    double swin = (sqrt(shape[0]) + 1) / 2, beit = (sqrt(shape[0] - 3) + 1) / 2;
    bool class_token = swin != floor(swin);
    if (class_token && beit != floor(beit))
        return false;
    json_set_string(g->config, "model_type", class_token ? "beit" : "swin");
    json_set_null(g->config, "embed_dim");              /* no tensor tells the width, and the usual one of the family is none of this file */
    if (class_token) {
        json_set_bool(g->config, "use_relative_position_bias", true);
        json_set_number(g->config, "patch_size", 1);
        guess_number(g, "image_size", beit, g->w->name[i]);
        guess_number(g, "num_attention_heads", shape[1], g->w->name[i]);
    } else {
        guess_number(g, "window_size", swin, g->w->name[i]);
        guess_number(g, "num_heads", shape[1], g->w->name[i]);
    }
    return true;
}

/* The base of frequencies w_k = B^(-k/n), if they are such. */
static bool guess_base(struct guess *g)
{
    char name[80];
    double tolerance, base;
    struct table *stored = stored_frequencies(g->w, name, &tolerance);
    size_t n = stored ? stored->n : 0;
    bool fits = n >= 2 && fabs(stored->v[0] - 1) <= tolerance && stored->v[1] > 0 && stored->v[n - 1] > 0;
    base = fits ? pow(stored->v[n - 1], -(double)n / ((double)n - 1)) : NAN;
    for (size_t k = 0; fits && k < n; k++)
        fits = fabs(stored->v[k] * pow(base, (double)k / (double)n) - 1) <= 4 * tolerance;
    if (fits) {
        guess_number(g, "rope_theta", base >= 1000 ? round(base) : base, name);
        guess_number(g, "rotary_dim", 2 * (double)n, name);
    }
    table_unref(stored);
    return fits;
}

static void guess_scheme(struct guess *g)
{
    static const struct { const char *encoding; bool (*guess)(struct guess *g, size_t i); } guesses[] = {
        {"learned", guess_learned}, {"t5_bias", guess_t5}, {"relpos_2d", guess_window},
    };
    struct places places;
    find_places(g->w, &places);
    for (size_t n = 0; n < sizeof guesses / sizeof *guesses; n++) {
        for (size_t k = 0; k < N_KNOWN; k++) {
            size_t i = strcmp(known[k].encoding, guesses[n].encoding) ? g->w->n : find_for(&places, k, "");
            if (i < g->w->n && guesses[n].guess(g, i))
                return;
        }
    }
    guess_base(g);
}

/* Findings that speak of the configuration that stands in say nothing about the file. */
static void drop_findings(struct facts *f)
{
    static const char *const dropped[] = {"family-unknown", "layout-unknown", "encoding-unknown", "context-missing", "encoding-conflict", "head-dim-unknown",
                                          "width-assumed", "base-assumed"};
    size_t kept = 0;
    for (size_t i = 0; i < f->n_findings; i++) {
        bool drop = false;
        for (size_t k = 0; k < sizeof dropped / sizeof *dropped; k++)
            drop = drop || !strcmp(f->finding[i].code, dropped[k]);
        if (drop)
            free(f->finding[i].message);
        else
            f->finding[kept++] = f->finding[i];
    }
    f->n_findings = kept;
}

static void name_origins(struct facts *f, const struct guess *g)
{
    for (size_t i = 0; i < f->n_origins; i++)
        for (size_t k = 0; k < g->n; k++)
            if (!strcmp(f->origin[i].from, g->origin[k].key))
                utf8_sanitise(f->origin[i].from, sizeof f->origin[i].from, g->origin[k].from);
}

static bool read_without(struct reader *r, struct weights *w)
{
    struct guess g = {.w = w, .config = json_object()};
    size_t layers = count_layers(w);
    if (layers)
        json_set_number(g.config, "num_hidden_layers", (double)layers);
    guess_heads(&g);
    guess_scheme(&g);
    r->root = g.config;
    if (!read_edits(r))
        return false;
    read_model(r);
    drop_findings(r->f);
    name_origins(r->f, &g);
    json_free(json_detach((struct json *)json_get(r->f->reading, "checks"), "position_offset"));        /* no tensor tells */
    if (layers)
        origin_set(r->f, "num_layers", lang_text(r->lang, N_("names of the tensors")));
    finding_add(r, "config-missing", "", N_("no config.json beside it: only what names and shapes of the %zu tensors tell is shown. Put the model's config.json into the "
                                            "same folder."), w->n);
    return true;
}

/* ---- reading ----------------------------------------------------------------------------------------------------------------- */

static void check_layout(struct reader *r, const struct weights *w)
{
    struct gap gap;
    char name[80];
    for (size_t i = 0; i < w->n_shards; i++) {
        if (!w->shard[i].file || !safetensors_has_gaps(w->shard[i].file, &gap))
            continue;
        utf8_sanitise(name, sizeof name, gap.name ? gap.name : "");
        if (gap.name)
            finding_add(r, "tensor-layout", name, N_("tensor %s begins at byte %llu of the data, but the one before it ends at %llu: the safetensors library refuses such a "
                                                     "file."), name, (unsigned long long)gap.begin, (unsigned long long)gap.end);
        else
            finding_add(r, "tensor-layout", "", N_("the tensors end at byte %llu of the data, which has %llu: the safetensors library refuses such a file."),
                        (unsigned long long)gap.end, (unsigned long long)gap.begin);
    }
}

void weights_enrich(struct reader *r, struct weights *w)
{
    attach_tables(r, w);
    compare_frequencies(r, w);
    check_layout(r, w);
}

/* The configuration beside the weights, as the root to read. */
static bool load_config(struct reader *r, const struct weights *w)
{
    char path[4200];
    struct stat st;
    struct err err = {.lang = r->lang};
    snprintf(path, sizeof path, "%sconfig.json", w->folder);
    if (stat(path, &st) != 0)
        return false;
    r->root = json_load(path, CONFIG_MAX_BYTES, &err);
    if (json_type(r->root) == JSON_OBJECT)
        return true;
    finding_add(r, "config-unread", "", N_("config.json beside it cannot be read: %s."), r->root ? lang_text(r->lang, N_("it holds no object")) : err.text);
    json_free(r->root);
    r->root = NULL;
    return false;
}

static bool read_weights(struct reader *r)
{
    struct err err = {.lang = r->lang};
    struct weights *w = weights_open(r->path, &err);
    if (!w) {
        if (strstr(err.text, "git lfs"))
            finding_add(r, "lfs-pointer", "", "%s", err.text);
        else
            finding_add(r, "damaged", "", "%s", err.text);
        return false;
    }
    bool with = load_config(r, w), good = with ? read_edits(r) : read_without(r, w);
    if (good && with)
        read_model(r);
    if (good)
        weights_enrich(r, w);
    weights_close(w);
    return good;
}

static bool sniff(const char *path, const unsigned char *head, size_t n)
{
    const char *dot = strstr(path, ".safetensors");
    if (dot && (!strcmp(dot, ".safetensors") || !strcmp(dot, ".safetensors.index.json")))
        return n > 0;
    uint64_t header = 0;
    for (size_t i = 0; i < 8 && i < n; i++)
        header |= (uint64_t)head[i] << 8 * i;
    return n > 9 && header >= 2 && header <= SAFETENSORS_HEADER_MAX && head[8] == '{' && (head[9] == '"' || head[9] == '}' || head[9] == ' ');
}

const struct format format_safetensors = {
    .name = "safetensors",
    .format = FORMAT_SAFETENSORS,
    .sniff = sniff,
    .read = read_weights,
};
