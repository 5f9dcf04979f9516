/* config_table.c - absolute encodings in a configuration: learned tables, sinusoids, and what image models do with patches. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/reader.h"

/* ---- patches ------------------------------------------------------------------------------------------------------ */

/* A number, or a list or object of two: rows and columns. */
static bool read_pair(struct part *p, const char *keys, double out[2])
{
    char path[KEY_PATH_MAX];
    const struct json *v = key_find(p, keys, path);
    out[0] = out[1] = NAN;
    if (json_type(v) == JSON_ARRAY && json_size(v) != 2)
        return false;                   /* frames, rows and columns of a video, or a width a stage */
    if (json_type(v) == JSON_ARRAY) {
        out[0] = json_number(json_at(v, 0), NAN);
        out[1] = json_number(json_at(v, 1), NAN);
    } else if (json_type(v) == JSON_OBJECT) {
        out[0] = json_number(json_get(v, "height"), NAN);
        out[1] = json_number(json_get(v, "width"), NAN);
    } else {
        out[0] = out[1] = key_number_or_default(p, keys, WANT_COUNT).x;
    }
    return out[0] >= 1 && out[1] >= 1;
}

/* Rows and columns of patches; false if the file does not say. */
static bool read_grid(struct part *p, double grid[2])
{
    double image[2], patch[2];
    if (!read_pair(p, "image_size", image) || !read_pair(p, "patch_size", patch))
        return false;
    grid[0] = floor(image[0] / patch[0]);
    grid[1] = floor(image[1] / patch[1]);
    if (!(grid[0] >= 1 && grid[1] >= 1 && grid[0] <= 4096 && grid[1] <= 4096))
        return false;
    struct json *list = json_set(p->checks, "grid", json_array());
    json_push_number(list, grid[0]);
    json_push_number(list, grid[1]);
    return true;
}

static struct table *pair_table(const double pair[2])
{
    return table_list(pair, 2);
}

/* ---- learned ---------------------------------------------------------------------------------------------------------- */

static const char narrow_keys[] = "embedding_size input_embedding_size";

/* ALBERT and its like have embeddings narrower than the layers. */
static double table_width(struct part *p)
{
    return isnan(family_default(p->family, narrow_keys)) ? p->f->hidden_size : key_number_or_default(p, narrow_keys, WANT_COUNT).x;
}

static void table_checks(struct part *p, double rows, double offset)
{
    json_set_number(p->checks, "table_rows", rows);
    json_set_number(p->checks, "table_cols", table_width(p));
    json_set_number(p->checks, "position_offset", offset);
}

/* ViT and its like: class and other tokens first, then the patches row by row. */
static void learned_patches(struct part *p, struct content *c)
{
    struct facts *f = p->f;
    double grid[2], extra = family_default(p->family, "@extra");
    struct number rows = key_number_or_default(p, "num_patches", WANT_COUNT);
    extra = isnan(extra) ? 0 : extra;
    bool has_grid = read_grid(p, grid);
    double n = has_grid ? extra + grid[0] * grid[1] : rows.x;
    if (isnan(n))
        return;
    f->trained_context = f->context = n;
    const char *from = has_grid ? "image_size, patch_size" : rows.from;
    part_origin(p, "context", from);
    part_origin(p, "trained_context", from);
    table_checks(p, n, 0);
    if (extra != 1)             /* the encoding's grid form has one class token */
        item_number(content_add(c, "learned"), "max_position_embeddings", n);
    else if (has_grid) {
        struct item *item = content_add(c, "learned");
        struct table *t = pair_table(grid);
        item_choice(item, "style", "vit");
        item_list(item, "table_grid", t);
        table_unref(t);
    }
}

/* The row of the first token, and how many rows there are for a stated length. */
static double first_row(struct part *p, const struct number *length, double *rows)
{
    unsigned rules = p->family ? p->family->rules : 0;
    double offset = family_default(p->family, "@offset");
    *rows = length->x;
    if (rules & FAMILY_PAD_OFFSET) {
        struct number pad = key_number_or_default(p, "pad_token_id", WANT_WHOLE);
        if (pad.how == HOW_NULL || pad.how == HOW_BAD)
            pad.x = family_default(p->family, "pad_token_id");
        part_origin(p, "position_offset", pad.from);
        return fmax(pad.x, -1) + 1;
    }
    if (rules & FAMILY_EXTRA_ROWS)
        *rows += offset;
    return isnan(offset) ? 0 : offset;
}

static void learned_rows(struct part *p, struct content *c)
{
    struct facts *f = p->f;
    double rows;
    struct number length = read_declared(p);
    double offset = first_row(p, &length, &rows);
    if (isnan(rows))
        return;
    double usable = rows - offset;
    if (usable < 1) {
        finding_add(p->r, "table-too-short", length.path, N_("%s %.10g with the first token in row %.10g: the table has no row left for a token."), length.path,
                    length.x, offset);
        return;
    }
    if (usable < length.x)
        finding_add(p->r, "table-offset", length.path, N_("%s %.10g counts the rows of the table; tokens start in row %.10g (padding index + 1), so the usable "
                                                          "length is %.10g."), length.path, length.x, offset, usable);
    f->trained_context = f->context = usable;
    part_origin(p, "context", length.from);
    part_origin(p, "trained_context", length.from);
    table_checks(p, rows, offset);
    struct item *item = content_add(c, "learned");
    item_choice(item, "style", usable < length.x ? "roberta" : offset ? "opt" : "bert");
    item_number(item, "max_position_embeddings", usable);
    item_number(item, usable < length.x ? "padding_idx" : "offset", usable < length.x ? offset - 1 : offset ? offset : NAN);
}

void read_learned(struct part *p)
{
    struct content c = {.shape = part_shape(p)};
    if (p->family && (p->family->rules & FAMILY_GRID))
        learned_patches(p, &c);
    else
        learned_rows(p, &c);
    c.shape = part_shape(p);
    if (!isnan(table_width(p)))
        c.shape.d_model = (int)fmin(table_width(p), c.shape.d_model);
    if (!isnan(key_number_or_default(p, "relative_attention_num_buckets", WANT_COUNT).x))
        read_t5_beside(p, &c);          /* MPNet has both */
    part_content(p, &c);
    content_done(&c);
}

/* ---- sinusoids ------------------------------------------------------------------------------------------------------------ */

static void sinusoidal_patches(struct part *p, struct content *c)
{
    double grid[2];
    bool has_grid = read_grid(p, grid);
    struct item *item = content_add(c, "sinusoidal_2d");
    item_choice(item, "style", p->family->style);
    if (!has_grid)
        return;
    struct table *t = pair_table(grid);
    item_list(item, "grid", t);
    table_unref(t);
    double extra = family_default(p->family, "@extra");
    p->f->trained_context = p->f->context = grid[0] * grid[1] + (isnan(extra) ? 0 : extra);
    part_origin(p, "context", "image_size, patch_size");
}

void read_sinusoidal(struct part *p)
{
    unsigned rules = p->family ? p->family->rules : 0;
    const char *layout = p->family && p->family->layout ? p->family->layout : "";
    struct content c = {.shape = part_shape(p)};
    snprintf(p->f->layout, sizeof p->f->layout, "%s", layout);
    if (*layout)
        part_origin(p, "layout", lang_text(p->r->lang, N_("rule of the scheme")));
    p->f->base = 10000;
    part_origin(p, "base", lang_text(p->r->lang, N_("rule of the scheme")));
    if (rules & FAMILY_GRID) {
        sinusoidal_patches(p, &c);
    } else {
        struct number length = read_declared(p);
        take_lengths(p, &length);
        struct item *item = content_add(&c, "sinusoidal");
        item_choice(item, "layout", strcmp(layout, "sin_then_cos") ? "interleaved" : "half");
        item_choice(item, "freq", rules & FAMILY_T2T ? "i/(d/2-1)" : "2i/d");
        double offset = family_default(p->family, "@offset");
        if (!isnan(offset)) {
            item_number(item, "padding_idx", offset - 1);
            json_set_number(p->checks, "position_offset", offset);
        }
        json_set_string(p->checks, "exponent", rules & FAMILY_T2T ? "i/(d/2-1)" : "2i/d");
    }
    c.shape = part_shape(p);
    part_content(p, &c);
    content_done(&c);
}

/* ---- pictures: rotation in a grid, biases in a window ------------------------------------------------------------------------- */

void read_rope_grid(struct part *p)
{
    struct facts *f = p->f;
    struct number base = key_number_or_default(p, "rope_theta rope_parameters.rope_theta", WANT_POSITIVE);
    double grid[2];
    struct content c = {.shape = part_shape(p)};
    part_fact(p, &f->base, "base", &base);
    snprintf(f->layout, sizeof f->layout, "%s", p->family->layout);
    snprintf(f->scaling_type, sizeof f->scaling_type, "default");
    f->rotary_dim = f->head_dim;
    json_set_number(p->checks, "axes", 2);
    struct number rows = key_number_or_default(p, "num_position_embeddings", WANT_COUNT);      /* Qwen3-VL adds a learned table as well */
    if (!isnan(rows.x))
        json_set_number(p->checks, "learned_table_rows", rows.x);
    struct item *item = isnan(f->head_dim) ? NULL : content_add(&c, "rope_2d");
    item_choice(item, "style", p->family->style);
    item_number(item, "rope_theta", base.x);
    if (read_grid(p, grid)) {
        struct table *t = pair_table(grid);
        item_list(item, "grid", t);
        table_unref(t);
    }
    part_content(p, &c);
    content_done(&c);
}

void read_relative_2d(struct part *p)
{
    double window[2];
    bool beit = !strcmp(p->family->style, "beit");
    struct content c = {.shape = part_shape(p)};
    if (beit && !key_flag(p, "use_relative_position_bias", false) && !key_flag(p, "use_shared_relative_position_bias", false)) {
        bool learned = key_flag(p, "use_absolute_position_embeddings", false);
        snprintf(p->f->scheme, sizeof p->f->scheme, "%s", scheme_names[learned ? SCHEME_LEARNED : SCHEME_NONE]);
        if (learned)
            learned_patches(p, &c);
    } else {
        struct item *item = content_add(&c, "relpos_2d");
        bool has = beit ? read_grid(p, window) : read_pair(p, "window_size", window);
        item_choice(item, "style", p->family->style);
        if (has) {
            struct table *t = pair_table(window);
            item_list(item, "window", t);
            table_unref(t);
            json_set_number(p->checks, "table_rows", (2 * window[0] - 1) * (2 * window[1] - 1) + (beit ? 3 : 0));
            json_set_number(p->checks, "window", window[0]);
            c.shape.length = window[0] * window[1] + (beit ? 1 : 0);
        }
        if (beit && key_flag(p, "use_absolute_position_embeddings", false))
            learned_patches(p, &c);
    }
    part_content(p, &c);
    content_done(&c);
}
