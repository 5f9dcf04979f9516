/* config_bias.c - relative encodings other than RoPE in a configuration: ALiBi, T5's buckets, Transformer-XL, DeBERTa, Shaw.
 * Slopes and buckets come from the encodings. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/quantity.h"
#include "model/reader.h"

/* A quantity of an item at positions (may be NULL); NULL after a finding where the encoding refuses. */
static struct table *ask(struct part *p, const struct item *item, const struct shape *shape, const char *quantity, struct table *positions)
{
    struct err err = {.lang = p->r->lang};
    struct enc *e = enc_open(item->kind, shape, item->param, &err);
    struct request request = {.output = quantity, .positions = positions};
    struct answer answer = {0};
    bool good = e != NULL;
    for (size_t i = 0; e && i < item->kind->n_quantities; i++)
        if (!strcmp(item->kind->quantities[i].name, quantity))
            good = item->kind->quantities[i].compute(e, &request, &answer, &err);
    if (!good)
        finding_add(p->r, "encoding-refuses", p->path, N_("%s."), err.text);
    enc_close(e);
    return answer.values;
}

/* Distances that tell the buckets of a file apart: the ends of the exact part and of the logarithmic one. */
static const double distances[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 15, 16, 24, 31, 32, 48, 63, 64, 79, 80, 96, 127, 128, 129, 200, 255, 256, 400, 511,
                                   512, 799, 800, 1000};
enum { N_DISTANCES = sizeof distances / sizeof *distances };

/* {"-16": 10, ...}: the bucket at each distance, with both signs. */
static void bucket_map(struct part *p, struct json *o, const char *name, const struct item *item, const struct shape *shape, const char *quantity)
{
    double both[2 * N_DISTANCES - 1];
    size_t n = 0;
    for (size_t i = N_DISTANCES; i-- > 1;)
        both[n++] = -distances[i];
    for (size_t i = 0; i < N_DISTANCES; i++)
        both[n++] = distances[i];
    struct table *positions = table_list(both, n), *values = ask(p, item, shape, quantity, positions);
    struct json *map = values ? json_set(o, name, json_object()) : NULL;
    for (size_t i = 0; map && i < n; i++) {
        char key[24];
        snprintf(key, sizeof key, "%.0f", both[i]);
        json_set_number(map, key, values->v[i]);
    }
    table_unref(values);
    table_unref(positions);
}

/* ---- ALiBi ------------------------------------------------------------------------------------------------------ */

/* The family's biases by distance: MPT, BLOOM and Falcon write them by key index, which is equal after a causal softmax. Falcon adds them
 * before it scales the dot products. */
static const char *alibi_form(const struct part *p)
{
    unsigned rules = p->family ? p->family->rules : 0;
    return rules & FAMILY_ENCODER ? "symmetric" : rules & FAMILY_ALIBI_SCALED ? "scaled" : "causal";
}

void read_alibi(struct part *p)
{
    struct number length = read_declared(p);
    take_lengths(p, &length);
    struct number max = key_number_or_default(p, "attn_config.alibi_bias_max alibi_bias_max", WANT_POSITIVE);
    struct content c = {.shape = part_shape(p)};
    struct item *item = content_add(&c, "alibi");
    item_choice(item, "form", alibi_form(p));
    item_number(item, "alibi_bias_max", max.x);
    struct table *slopes = isnan(p->f->num_heads) || !item ? NULL : ask(p, item, &c.shape, "slopes", NULL);
    if (slopes) {
        json_set_number(p->checks, "heads", (double)slopes->n);
        json_set_number(p->checks, "bias_max", isnan(max.x) ? 8 : max.x);
        json_set_number(p->checks, "slope_first", slopes->v[0]);
        json_set_number(p->checks, "slope_last", slopes->v[slopes->n - 1]);
        if (!strcmp(alibi_form(p), "scaled"))
            json_set_number(p->checks, "slope_scale", 1 / sqrt(c.shape.d_head));
        struct json *list = json_set(p->checks, "slopes", json_array());
        for (size_t h = 0; h < slopes->n; h++)
            json_push_number(list, slopes->v[h]);
    } else if (isnan(p->f->num_heads)) {
        finding_add(p->r, "head-dim-unknown", p->path, N_("the number of heads is not in the file, so the slopes of ALiBi cannot be told."));
        c.n = 0;
    }
    part_content(p, &c);
    table_unref(slopes);
    content_done(&c);
}

/* ---- T5 ----------------------------------------------------------------------------------------------------------- */

static const char bucket_keys[] = "relative_attention_num_buckets num_buckets position_bias_num_buckets";
static const char distance_keys[] = "relative_attention_max_distance max_bucket_distance position_bias_max_distance";

/* Exact buckets of one direction: half of them, and half of that in an encoder. */
static double exact_part(double buckets, bool both)
{
    return floor((both ? floor(buckets / 2) : buckets) / 2);
}

static bool buckets_fit(struct part *p, const struct number *buckets, const struct number *max, bool decoder)
{
    double encoder_exact = exact_part(buckets->x, true), decoder_exact = exact_part(buckets->x, false);
    if (encoder_exact < 1) {
        finding_add(p->r, "buckets-too-few", buckets->path, N_("%s %.10g is too few: at least 4 are needed for both directions (32 is usual)."), buckets->path, buckets->x);
        return false;
    }
    if (max->x > (decoder ? decoder_exact : encoder_exact))
        return true;
    if (decoder)
        finding_add(p->r, "distance-too-small", max->path,
                    N_("%s %.10g must be larger than the exact part (%.10g in the encoder, %.10g in the decoder) of %.10g buckets: no distance is left for the "
                       "logarithmic buckets, and their formula has no value. 128 is usual."), max->path, max->x, encoder_exact, decoder_exact, buckets->x);
    else
        finding_add(p->r, "distance-too-small", max->path,
                    N_("%s %.10g must be larger than the exact part (%.10g) of %.10g buckets: no distance is left for the logarithmic buckets, and their "
                       "formula has no value. 128 is usual."), max->path, max->x, encoder_exact, buckets->x);
    return false;
}

static bool add_t5(struct content *c, bool bidirectional, double buckets, double max)
{
    struct item *item = content_add(c, "t5_bias");
    c->shape.scale = shape_scale(&c->shape);        /* T5's own 1 is its family's; WavLM and MPNet scale as others do */
    item_number(item, "bidirectional", bidirectional);
    item_number(item, "num_buckets", buckets);
    item_number(item, "max_distance", max);
    return item != NULL;
}

/* The bias of T5 into c and the checks; WavLM and MPNet use the function under other keys, in encoders alone. */
static void t5_content(struct part *p, struct content *encoder, struct content *decoder)
{
    bool encoder_only = p->family && (p->family->rules & FAMILY_ENCODER);
    struct number buckets = key_number_or_default(p, bucket_keys, WANT_COUNT), max = key_number_or_default(p, distance_keys, WANT_COUNT);
    if (max.how == HOW_ABSENT) {
        max.x = 128;
        snprintf(max.path, sizeof max.path, "%.*s", (int)strcspn(distance_keys, " "), distance_keys);
        snprintf(max.from, sizeof max.from, "%s", lang_text(p->r->lang, N_("the usual default")));
    }
    if (isnan(buckets.x) || isnan(max.x))
        return;
    json_set_number(p->checks, "buckets", buckets.x);
    json_set_number(p->checks, "max_distance", max.x);
    part_origin(p, "buckets", buckets.from);
    part_origin(p, "max_distance", max.from);
    if (!buckets_fit(p, &buckets, &max, !encoder_only))
        return;
    if (add_t5(encoder, true, buckets.x, max.x))
        bucket_map(p, p->checks, "encoder_bidirectional", &encoder->item[encoder->n - 1], &encoder->shape, "bucket");
    if (!encoder_only && add_t5(decoder, false, buckets.x, max.x))
        bucket_map(p, p->checks, "decoder_causal", &decoder->item[decoder->n - 1], &decoder->shape, "bucket");
}

void read_t5_beside(struct part *p, struct content *c)
{
    t5_content(p, c, c);
}

/* As many as the encoder has unless the file says otherwise: T5's code. */
static double decoder_layers(struct part *p)
{
    struct number n = read_layers(p, key_number(p, "decoder_layers num_decoder_layers", WANT_COUNT));
    if (isnan(n.x))
        n.x = p->f->num_layers;
    json_set_number(p->checks, "decoder_layers", n.x);
    return n.x;
}

void read_t5(struct part *p)
{
    struct number length = read_declared(p);
    p->f->trained_context = length.x;           /* no table and no limit: a length is what it was trained on, at most */
    if (!isnan(length.x))
        part_origin(p, "trained_context", length.from);
    struct content encoder = {.shape = part_shape(p)}, decoder = encoder;
    t5_content(p, &encoder, &decoder);
    part_content(p, &encoder);
    if (p->f->n_kinds)
        p->f->kind[0].mask.type = MASK_NONE;
    if (decoder.n)
        part_add_kind(p, "decoder", &decoder, (struct mask){MASK_CAUSAL, 0}, decoder_layers(p));
    content_done(&encoder);
    content_done(&decoder);
}

/* ---- Transformer-XL, XLNet ------------------------------------------------------------------------------------------ */

/* XLNet's attn_type bi sees both sides; so do the encoders of speech models. */
static bool both_sides(struct part *p)
{
    char type[16];
    const char *stated = key_text(p, "attn_type", type, sizeof type);
    return stated ? !strcmp(stated, "bi") : p->family && (p->family->rules & FAMILY_ENCODER);
}

void read_transformer_xl(struct part *p)
{
    struct number clamp = key_number_or_default(p, "clamp_len", WANT_WHOLE), memory = key_number_or_default(p, "mem_len", WANT_WHOLE);
    struct number length = read_declared(p);
    take_lengths(p, &length);
    snprintf(p->f->layout, sizeof p->f->layout, "sin_then_cos");
    p->f->base = 10000;
    part_origin(p, "base", lang_text(p->r->lang, N_("rule of the scheme")));
    json_set_number(p->checks, "clamp_len", clamp.x);
    json_set_number(p->checks, "mem_len", memory.x);
    struct content c = {.shape = part_shape(p)};
    item_number(content_add(&c, "transformer_xl"), "clamp_len", isnan(clamp.x) ? -1 : fmax(clamp.x, -1));
    part_content(p, &c);
    if (p->f->n_kinds)
        p->f->kind[0].mask.type = both_sides(p) ? MASK_NONE : MASK_CAUSAL;
    content_done(&c);
}

/* ---- DeBERTa ------------------------------------------------------------------------------------------------------------ */

/* A list ["p2c", "c2p"] or a string "p2c|c2p"; absent: none. */
static const char *attention_terms_of(struct part *p)
{
    char path[KEY_PATH_MAX];
    const struct json *v = key_find(p, "pos_att_type", path);
    bool c2p = false, p2c = false;
    const char *text = json_string(v);
    if (text) {
        c2p = strstr(text, "c2p") != NULL;
        p2c = strstr(text, "p2c") != NULL;
    }
    for (const struct json *one = json_first(v); one; one = json_next(one)) {
        c2p = c2p || (json_string(one) && !strcmp(json_string(one), "c2p"));
        p2c = p2c || (json_string(one) && !strcmp(json_string(one), "p2c"));
    }
    return c2p && p2c ? "c2p|p2c" : c2p ? "c2p" : p2c ? "p2c" : "none";
}

static void deberta_content(struct part *p, struct content *c, const struct number *length)
{
    struct number buckets = key_number_or_default(p, "position_buckets", WANT_WHOLE);
    struct number most = key_number_or_default(p, "max_relative_positions", WANT_WHOLE);
    double largest = isnan(most.x) || most.x < 1 ? length->x : most.x, span = buckets.x > 0 ? buckets.x : largest;
    struct item *item = content_add(c, "deberta");
    item_choice(item, "version", p->family && p->family->style ? p->family->style : "v2");
    item_number(item, "position_buckets", buckets.x > 0 ? buckets.x : -1);
    item_number(item, "max_relative_positions", isnan(most.x) || most.x < 1 ? -1 : most.x);
    item_number(item, "max_position_embeddings", length->x);
    item_choice(item, "pos_att_type", attention_terms_of(p));
    json_set_string(p->checks, "pos_att_type", attention_terms_of(p));
    if (!isnan(span))
        json_set_number(p->checks, "relative_table_rows", 2 * span);
    if (buckets.x > 0) {
        part_origin(p, "position_buckets", buckets.from);
        json_set_number(p->checks, "position_buckets", buckets.x);
        if (item)
            bucket_map(p, p->checks, "log_bucket", item, &c->shape, "log_bucket");
    }
    if (!isnan(largest))
        part_origin(p, "max_relative_positions", most.x >= 1 ? most.from : length->from);
}

void read_deberta(struct part *p)
{
    struct number length = read_declared(p);
    take_lengths(p, &length);
    struct content c = {.shape = part_shape(p)};
    deberta_content(p, &c, &length);
    bool absolute = key_flag(p, "position_biased_input", true);
    json_set_bool(p->checks, "absolute_table_too", absolute);
    if (absolute && !isnan(length.x))
        item_number(content_add(&c, "learned"), "max_position_embeddings", length.x);
    part_content(p, &c);
    content_done(&c);
}

/* ---- Shaw, BERT's relative_key -------------------------------------------------------------------------------------------- */

void read_shaw(struct part *p)
{
    char type[40] = "";
    const char *stated = key_text(p, "position_embedding_type position_embeddings_type", type, sizeof type);
    struct number length = read_declared(p);
    struct number clip = key_number_or_default(p, "max_relative_position encoder_max_relative_position max_pos_emb", WANT_COUNT);
    struct number left = key_number_or_default(p, "left_max_position_embeddings", WANT_COUNT);
    struct number right = key_number_or_default(p, "right_max_position_embeddings", WANT_COUNT);
    take_lengths(p, &length);
    if (family_default(p->family, "@even_clip") == 1 && !isnan(clip.x)) {
        left.x = clip.x - 1;
        right.x = clip.x;
    }
    struct content c = {.shape = part_shape(p)};
    struct item *item = content_add(&c, "shaw");
    bool clipped = !isnan(clip.x) || !isnan(left.x);
    item_choice(item, "position_embedding_type", clipped || !stated ? "shaw" : type);
    item_number(item, "max_position_embeddings", clipped ? NAN : length.x);
    item_number(item, "clip", clip.x);
    item_number(item, "clip_left", left.x);
    item_number(item, "clip_right", right.x);
    double rows = !isnan(left.x) ? left.x + right.x + 1 : !isnan(clip.x) ? 2 * clip.x + 1 : 2 * length.x - 1;
    json_set_number(p->checks, "relative_table_rows", rows);
    part_content(p, &c);
    content_done(&c);
}
