/* config_layers.c - which layer attends how: full, sliding, in chunks or not at all, with or without an encoding. Configurations
 * say it by a list of names, a list of flags, an interval, a letter pattern, or not at all (then the family's rule holds). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "model/reader.h"

/* ---- lists by layer ------------------------------------------------------------------------------------------------ */

static const struct { const char *name; enum attends attends; } layer_words[] = {
    {"full_attention", ATTENDS_FULL}, {"attention", ATTENDS_FULL}, {"full", ATTENDS_FULL}, {"global", ATTENDS_FULL},
    {"hybrid", ATTENDS_FULL}, {"sliding_attention", ATTENDS_SLIDING}, {"sliding_window", ATTENDS_SLIDING}, {"sliding", ATTENDS_SLIDING},
    {"local", ATTENDS_SLIDING}, {"chunked_attention", ATTENDS_CHUNKED}, {"linear_attention", ATTENDS_NOT}, {"mamba", ATTENDS_NOT},
    {"mamba2", ATTENDS_NOT}, {"recurrent", ATTENDS_NOT}, {"conv", ATTENDS_NOT}, {"linear", ATTENDS_NOT}, {"mlp", ATTENDS_NOT},
    {"moe", ATTENDS_NOT}, {"deepseek_sparse_attention", ATTENDS_FULL}, {"compressed_sparse_attention", ATTENDS_FULL},
    {"heavily_compressed_attention", ATTENDS_FULL}, {"minimax_m3_sparse", ATTENDS_FULL}, {"lightning", ATTENDS_NOT},
};

static bool word_attends(const char *word, enum attends *out)
{
    for (size_t i = 0; i < sizeof layer_words / sizeof *layer_words; i++) {
        if (!strcmp(word, layer_words[i].name)) {
            *out = layer_words[i].attends;
            return true;
        }
    }
    return false;
}

/* Layers that guess further tokens ahead stand behind the others in some lists. */
static size_t predicted_layers(struct part *p)
{
    double n = key_number(p, "num_nextn_predict_layers num_mtp_layers", WANT_WHOLE).x;
    return n > 0 && n < FACTS_MAX_LAYERS ? (size_t)n : 0;
}

static void check_length(struct part *p, const char *path, size_t has, size_t layers)
{
    if (has < layers)
        finding_add(p->r, "layer-types-length", path, N_("%s has %zu entries for %zu layers; layers without an entry are shown with the rule of the others. "
                                                         "Write one entry for each layer."), path, has, layers);
    else if (has > layers && has != layers + predicted_layers(p))
        finding_add(p->r, "layer-types-length", path, N_("%s has %zu entries for %zu layers; the last %zu are not read. Write one entry for each layer, or correct "
                                                         "the number of layers."), path, has, layers, has - layers);
}

/* A list of words, one a layer. A repeated pattern (block_types of recurrent Gemma) goes round. */
static bool by_words(struct part *p, struct layer_map *map, const char *keys, bool repeats)
{
    char path[KEY_PATH_MAX];
    const struct json *list = key_find(p, keys, path);
    if (!list || json_type(list) == JSON_NULL)
        return false;
    size_t has = json_size(list);
    if (json_type(list) != JSON_ARRAY) {
        finding_add(p->r, "wrong-type", path, N_("%s must be %s, got %s."), path, lang_text(p->r->lang, N_("a list")),
                    lang_text(p->r->lang, json_type_name(list)));
        return false;
    }
    if (!has)
        return false;
    if (!repeats)
        check_length(p, path, has, map->n);
    const struct json *v = json_first(list);
    char word[40], unknown[40] = "";
    size_t n_unknown = 0, first_unknown = 0;
    for (size_t l = 0; l < map->n && (v || repeats); l++, v = v ? json_next(v) : NULL) {
        if (!v)
            v = json_first(list);
        utf8_sanitise(word, sizeof word, json_string(v) ? json_string(v) : "?");
        if (word_attends(word, &map->layer[l].attends) || n_unknown++)
            continue;
        first_unknown = l;
        memcpy(unknown, word, sizeof unknown);
    }
    if (n_unknown)
        finding_add(p->r, "layer-type-unknown", path, N_("%s: layer %zu is \"%s\", which is not known here (%zu such layers); they are shown as full attention."), path,
                    first_unknown, unknown, n_unknown);
    return true;
}

/* A list of numbers, one a layer: the entry `sliding` or `none` means so. */
static bool by_flags(struct part *p, struct layer_map *map, const char *keys, double value, enum attends attends)
{
    char path[KEY_PATH_MAX];
    const struct json *list = key_find(p, keys, path);
    if (!list || json_type(list) != JSON_ARRAY || !json_size(list))
        return false;
    check_length(p, path, json_size(list), map->n);
    size_t l = 0;
    for (const struct json *v = json_first(list); v && l < map->n; v = json_next(v), l++)
        if (json_number(v, NAN) == value)
            map->layer[l].attends = attends;
    return true;
}

/* The layer that an entry of a list of layers means, counted from 0; first is the number of the first one there. False if there is none. */
static bool entry_layer(const struct json *entry, size_t first, const struct layer_map *map, size_t *out)
{
    double l = json_number(entry, -1) - (double)first;
    bool good = l >= 0 && l < (double)map->n && l == floor(l);
    *out = good ? (size_t)l : 0;
    return good;
}

/* A list of the layers that attend (or that do not, if rest is FULL); first is the number of the first layer. */
static bool by_indices(struct part *p, struct layer_map *map, const char *keys, size_t first, enum attends listed, enum attends rest)
{
    const struct json *list = key_find(p, keys, NULL);
    if (!list || json_type(list) != JSON_ARRAY)
        return false;
    for (size_t l = 0; l < map->n; l++)
        map->layer[l].attends = rest;
    size_t l;
    for (const struct json *v = json_first(list); v; v = json_next(v))
        if (entry_layer(v, first, map, &l))
            map->layer[l].attends = listed;
    return true;
}

/* Nemotron-H writes a letter a layer: M Mamba, * attention, - feed-forward. */
static bool by_letters(struct part *p, struct layer_map *map)
{
    char path[KEY_PATH_MAX];
    const char *letters = json_string(key_find(p, "hybrid_override_pattern", path));
    if (!letters)
        return false;
    check_length(p, path, strlen(letters), map->n);
    for (size_t l = 0; l < map->n && letters[l]; l++)
        map->layer[l].attends = letters[l] == '*' ? ATTENDS_FULL : ATTENDS_NOT;
    return true;
}

/* GPT-Neo: [[["global", "local"], 12]]. */
static bool by_repeats(struct part *p, struct layer_map *map)
{
    char path[KEY_PATH_MAX];
    const struct json *groups = key_find(p, "attention_types", path);
    size_t l = 0;
    for (const struct json *g = json_first(groups); g && l < FACTS_MAX_LAYERS; g = json_next(g)) {
        double times = json_number(json_at(g, 1), 0);
        for (double t = 0; t < times && l < FACTS_MAX_LAYERS && json_size(json_at(g, 0)); t++)
            for (const struct json *w = json_first(json_at(g, 0)); w; w = json_next(w), l++)
                if (json_string(w) && l < map->n)
                    word_attends(json_string(w), &map->layer[l].attends);
    }
    if (l)
        check_length(p, path, l, map->n);
    return l > 0;
}

/* Every n-th layer attends, the rest does not: Jamba's period and offset, Qwen3-Next's interval. */
static bool by_interval(struct part *p, struct layer_map *map)
{
    struct number period = key_number_or_default(p, "attn_layer_period full_attention_interval layer_group_size", WANT_COUNT);
    if (isnan(period.x))
        return false;
    struct number offset = key_number_or_default(p, "attn_layer_offset", WANT_WHOLE);
    double at = isnan(offset.x) ? period.x - 1 : offset.x;
    for (size_t l = 0; l < map->n; l++)
        map->layer[l].attends = fmod((double)l, period.x) == at ? ATTENDS_FULL : ATTENDS_NOT;
    return true;
}

static bool by_lists(struct part *p, struct layer_map *map)
{
    return by_words(p, map, "layer_types layers_block_type", false) || by_words(p, map, "block_types", true) ||
           by_letters(p, map) || by_repeats(p, map) ||
           by_flags(p, map, "attn_type_list", 0, ATTENDS_NOT) || by_flags(p, map, "hybrid_layer_pattern", 1, ATTENDS_SLIDING) ||
           by_flags(p, map, "compress_ratios", 0, ATTENDS_SLIDING) ||
           by_indices(p, map, "full_attn_idxs attn_layer_indices", 0, ATTENDS_FULL, ATTENDS_NOT) ||
           by_indices(p, map, "linear_attn_config.full_attn_layers", 1, ATTENDS_FULL, ATTENDS_NOT) ||
           by_interval(p, map);
}

/* ---- windows --------------------------------------------------------------------------------------------------------- */

static double read_window(struct part *p)
{
    if (!key_flag(p, "use_sliding_window", true))
        return NAN;
    struct number n = key_number_or_default(p, "sliding_window local_attention sliding_window_size attention_window_size", WANT_WHOLE);
    if (n.how == HOW_ABSENT && p->family && p->family->scheme == SCHEME_LEARNED)
        n = key_number(p, "window_size", WANT_WHOLE);           /* GPT-Neo */
    if (n.how == HOW_ABSENT)
        n = key_number(p, "attention_window", WANT_COUNTS);     /* Longformer: one a layer */
    if (!isnan(n.x) && n.x < 1)
        return NAN;                                             /* 0 and -1 stand for none */
    return n.x;
}

/* Every n-th layer is full, as a number, or as EXAONE's letters "LLLG" whose last one is the global layer. */
static double read_pattern(struct part *p)
{
    const struct json *v = key_find(p, "sliding_window_pattern _sliding_window_pattern", NULL);
    if (json_string(v))
        return (double)strlen(json_string(v));
    struct number n = key_number_or_default(p, "sliding_window_pattern _sliding_window_pattern global_attn_every_n_layers", WANT_COUNT);
    return isnan(n.x) ? family_default(p->family, "@pattern") : n.x;
}

static void slide(struct part *p, struct layer_map *map)
{
    double pattern = read_pattern(p);
    bool first = family_default(p->family, "@global_first") == 1;
    struct number from = key_number_or_default(p, "max_window_layers", WANT_WHOLE);
    for (size_t l = 0; l < map->n; l++) {
        bool full = !isnan(pattern) && fmod((double)l + (first ? 0 : 1), pattern) == 0;
        if (isnan(pattern) && !isnan(from.x))
            full = (double)l < from.x;
        map->layer[l].attends = full ? ATTENDS_FULL : ATTENDS_SLIDING;
    }
}

/* ---- layers without encoding --------------------------------------------------------------------------------------------- */

static bool flags_only(const struct json *list)
{
    for (const struct json *v = json_first(list); v; v = json_next(v))
        if (json_number(v, NAN) != 0 && json_number(v, NAN) != 1 && json_type(v) != JSON_BOOL)
            return false;
    return true;
}

static bool nope_by_flags(struct part *p, struct layer_map *map)
{
    char path[KEY_PATH_MAX];
    const struct json *list = key_find(p, "no_rope_layers", path);
    if (!list || json_type(list) != JSON_ARRAY || !json_size(list))
        return false;
    if (!flags_only(list)) {
        finding_add(p->r, "no-rope-layers", path,
                    N_("%s looks like layer numbers, but flags 0/1 are expected, one for each of the %zu layers: 1 means RoPE, 0 means none. "
                       "Read as flags every number but 0 means RoPE. Shown is the default pattern instead."), path, map->n);
        return false;
    }
    check_length(p, path, json_size(list), map->n);
    size_t l = 0;
    for (const struct json *v = json_first(list); v && l < map->n; v = json_next(v), l++)
        map->layer[l].nope = json_type(v) == JSON_BOOL ? !json_bool(v, true) : json_number(v, 1) == 0;
    size_t without = 0;
    for (l = 0; l < map->n; l++)
        without += map->layer[l].nope;
    if (2 * without > map->n)
        finding_add(p->r, "no-rope-layers", path, N_("%s leaves %zu of %zu layers without RoPE. 1 means RoPE and 0 means none, although the name says the opposite: perhaps the flags are "
                                                     "turned round (published models leave out one layer in four)."), path, without, map->n);
    return true;
}

/* Layers that attend to pictures (Llama 3.2 vision) turn nothing. */
static bool nope_across(struct part *p, struct layer_map *map)
{
    const struct json *list = key_find(p, "cross_attention_layers", NULL);
    if (!list || json_type(list) != JSON_ARRAY)
        return false;
    size_t l;
    for (const struct json *v = json_first(list); v; v = json_next(v))
        if (entry_layer(v, 0, map, &l))
            map->layer[l].nope = true;
    return true;
}

static void read_nope(struct part *p, struct layer_map *map)
{
    if (nope_by_flags(p, map) || nope_across(p, map))
        return;
    struct number interval = key_number_or_default(p, "no_rope_layer_interval nope_layer_interval", WANT_COUNT);
    for (size_t l = 0; !isnan(interval.x) && l < map->n; l++)
        map->layer[l].nope = fmod((double)l + 1, interval.x) == 0;
    if (!p->family || !(p->family->rules & FAMILY_NOPE_FULL) || !map->count[ATTENDS_SLIDING])
        return;
    for (size_t l = 0; l < map->n; l++)
        map->layer[l].nope = map->layer[l].attends == ATTENDS_FULL;
}

/* ---- the map ---------------------------------------------------------------------------------------------------------------- */

static void count(struct layer_map *map)
{
    memset(map->count, 0, sizeof map->count);
    map->nope = 0;
    map->mixed = false;
    for (size_t l = 0; l < map->n; l++) {
        map->count[map->layer[l].attends]++;
        map->nope += map->layer[l].nope;
        map->mixed = map->mixed || map->layer[l].attends != map->layer[0].attends || map->layer[l].nope != map->layer[0].nope;
    }
}

static void see_all(struct layer_map *map, enum attends which)
{
    for (size_t l = 0; l < map->n; l++)
        if (map->layer[l].attends == which)
            map->layer[l].attends = ATTENDS_FULL;
}

static void slide_no_more(struct layer_map *map)
{
    see_all(map, ATTENDS_SLIDING);
    map->window = NAN;
}

static void drop_missing_chunk(struct part *p, struct layer_map *map)
{
    if (!isnan(map->chunk) || !map->count[ATTENDS_CHUNKED])
        return;
    finding_add(p->r, "window-missing", "attention_chunk_size", N_("layers that see chunks: %zu, but no attention_chunk_size says how long these are: they are shown as full. Write attention_chunk_size."),
                map->count[ATTENDS_CHUNKED]);
    see_all(map, ATTENDS_CHUNKED);
}

static void drop_useless_window(struct part *p, struct layer_map *map)
{
    if (isnan(map->window) && map->count[ATTENDS_SLIDING]) {
        char path[KEY_PATH_MAX];
        bool off = !key_flag(p, "use_sliding_window", true) && key_find(p, "use_sliding_window", path);
        if (off)
            finding_add(p->r, "window-missing", path, N_("sliding layers: %zu, but %s is false: they see everything. Write true, or full_attention for these layers."),
                        map->count[ATTENDS_SLIDING], path);
        else
            finding_add(p->r, "window-missing", "sliding_window", N_("sliding layers: %zu, but no window says how far they see: they are shown as full. Write sliding_window."),
                    map->count[ATTENDS_SLIDING]);
        slide_no_more(map);
    }
    if (isnan(map->window) || isnan(p->f->context) || map->window < p->f->context)
        return;
    char path[KEY_PATH_MAX] = "sliding_window";
    key_find(p, "sliding_window local_attention", path);
    if (map->window > p->f->context)
        finding_add(p->r, "window-unused", path, N_("%s %.10g is longer than the context %.10g and never cuts: every layer sees the whole context."),
                    path, map->window, p->f->context);
    slide_no_more(map);
}

void layer_map_read(struct part *p, struct layer_map *map)
{
    *map = (struct layer_map){.window = read_window(p), .chunk = NAN};
    map->n = isnan(p->f->num_layers) ? 0 : (size_t)p->f->num_layers;
    map->layer = xcalloc(map->n + 1, sizeof *map->layer);
    map->both_sides = p->family && (p->family->rules & FAMILY_ENCODER);
    struct number chunk = key_number_or_default(p, "attention_chunk_size", WANT_COUNT);
    bool listed = by_lists(p, map);
    if (!listed && !isnan(map->window) && family_default(p->family, "@all_full") != 1)
        slide(p, map);
    for (size_t l = 0; listed && p->family && (p->family->rules & FAMILY_LOCAL_ONLY) && l < map->n; l++)
        if (map->layer[l].attends == ATTENDS_FULL)
            map->layer[l].attends = ATTENDS_SLIDING;
    count(map);
    read_nope(p, map);
    if (map->n && family_default(p->family, "@last_full") == 1)
        map->layer[map->n - 1].attends = ATTENDS_FULL;
    if (map->n && !listed && family_default(p->family, "@first_full") == 1)
        map->layer[0].attends = ATTENDS_FULL;
    for (size_t l = 0; !listed && !isnan(chunk.x) && l < map->n; l++)
        if (!map->layer[l].nope)
            map->layer[l].attends = ATTENDS_CHUNKED;
    drop_useless_window(p, map);
    count(map);
    map->chunk = map->count[ATTENDS_CHUNKED] ? chunk.x : NAN;
    drop_missing_chunk(p, map);
    count(map);
    if (map->n && !map->count[ATTENDS_SLIDING])
        map->window = NAN;
    double further = family_default(p->family, "@reach");
    map->reach = isnan(further) ? floor(map->window / 2) : map->window + further;
}

void layer_map_done(struct layer_map *map)
{
    free(map->layer);
    map->layer = NULL;
}

/* ---- the report ---------------------------------------------------------------------------------------------------------------- */

static void set_list(struct json *o, const char *name, const struct layer_map *map, bool nope)
{
    struct json *list = json_set(o, name, json_array());
    for (size_t l = 0; l < map->n; l++)
        if (nope ? map->layer[l].nope : map->layer[l].attends == ATTENDS_FULL)
            json_push_number(list, (double)l);
}

static void report(struct part *p, const struct layer_map *map)
{
    static const char *const counts[] = {"full_layers", "sliding_layers", "chunked_layers", "attention_free_layers"};
    if (!isnan(map->window) && !map->mixed)
        json_set_number(p->checks, "sliding_window", map->window);
    if (!map->mixed)
        return;
    struct json *o = p->per_layer ? p->per_layer : (p->per_layer = json_object());
    for (size_t a = 0; a <= ATTENDS_NOT; a++)
        if (map->count[a])
            json_set_number(o, counts[a], (double)map->count[a]);
    if (map->count[ATTENDS_FULL] && map->count[ATTENDS_FULL] < map->n)
        set_list(o, "global_layers", map, false);
    if (map->nope)
        set_list(o, "nope_layers", map, true);
    if (!isnan(map->window) && map->both_sides) {
        json_set_number(o, "window_total", map->reach > map->window / 2 ? 2 * map->reach + 1 : map->window);
        json_set_number(o, "window_each_side", map->reach);
    } else if (!isnan(map->window)) {
        json_set_number(o, "window", map->window);
    }
    if (!isnan(map->chunk))
        json_set_number(o, "chunk", map->chunk);
}

static struct mask mask_of(const struct layer_map *map, enum attends attends)
{
    if (attends == ATTENDS_SLIDING && map->both_sides)
        return (struct mask){MASK_WINDOW, map->reach};
    if (attends == ATTENDS_SLIDING)
        return (struct mask){MASK_SLIDING, map->window};
    if (attends == ATTENDS_CHUNKED)
        return (struct mask){MASK_CHUNKED, map->chunk};
    return (struct mask){map->both_sides ? MASK_NONE : MASK_CAUSAL, 0};
}

static const char *kind_name(enum attends attends, bool nope, bool mixed)
{
    static const char *const names[2][ATTENDS_NOT + 1] = {{"global", "local", "chunked", "no attention"},
                                                          {"nope", "nope local", "nope chunked", "no attention"}};
    return mixed ? names[nope][attends] : "all";
}

static struct layer_facts *add_kind(struct part *p, const char *name, const struct content *c)
{
    struct facts *f = p->f;
    if (f->n_kinds == FACTS_MAX_KINDS)
        return NULL;
    struct layer_facts *k = &f->kind[f->n_kinds++];
    snprintf(k->name, sizeof k->name, "%s", *p->name ? p->name : name);
    k->shape = c->shape;
    k->unread = !c->n && strcmp(f->scheme, scheme_names[SCHEME_NONE]);
    for (size_t i = 0; i < c->n; i++)
        item_copy(&k->item[k->n_items++], &c->item[i]);
    return k;
}

void layer_map_apply(struct part *p, const struct layer_map *map, const struct content *global, const struct content *local,
                     const struct content *nope_content)
{
    const struct content empty = {.shape = global->shape};
    struct facts *f = p->f;
    report(p, map);
    f->n_layers = map->n;
    f->kind_of_layer = xcalloc(map->n + 1, 1);
    /* With an encoding first, full before sliding: kind 0 is the main one. Layers that do not attend come last. */
    for (int combination = 0; combination < 2 * ATTENDS_NOT + 1; combination++) {
        bool nope = combination >= ATTENDS_NOT && combination < 2 * ATTENDS_NOT;
        enum attends attends = combination == 2 * ATTENDS_NOT ? ATTENDS_NOT : (enum attends)(combination % ATTENDS_NOT);
        size_t layers = 0;
        for (size_t l = 0; l < map->n; l++)
            if (map->layer[l].attends == attends && (attends == ATTENDS_NOT || map->layer[l].nope == nope))
                f->kind_of_layer[l] = (unsigned char)f->n_kinds, layers++;
        if (!layers)
            continue;
        const struct content *c = attends == ATTENDS_NOT ? &empty : nope ? nope_content : attends == ATTENDS_SLIDING ? local : global;
        struct layer_facts *k = add_kind(p, kind_name(attends, nope, map->mixed), c);
        if (k) {
            k->count = layers;
            k->unread = k->unread && !nope && attends != ATTENDS_NOT;
            k->mask = mask_of(map, attends);
        }
    }
    if (map->n)
        return;
    struct layer_facts *k = add_kind(p, "all", isnan(map->window) ? global : local);        /* number of layers not said */
    if (k)
        k->mask = mask_of(map, isnan(map->window) ? ATTENDS_FULL : ATTENDS_SLIDING);
}

void part_content(struct part *p, const struct content *c)
{
    struct layer_map map;
    layer_map_read(p, &map);
    for (size_t l = 0; l < map.n; l++)
        map.layer[l].nope = false;          /* these lists speak of RoPE */
    count(&map);
    layer_map_apply(p, &map, c, c, c);
    layer_map_done(&map);
}

void part_add_kind(struct part *p, const char *name, const struct content *c, struct mask mask, double layers)
{
    struct layer_facts *k = add_kind(p, name, c);
    if (!k)
        return;
    k->mask = mask;
    k->count = isnan(layers) ? 0 : (size_t)layers;
}
