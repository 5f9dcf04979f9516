/* grid.c - encodings of two-dimensional positions: how alike one patch is to all others.
 *
 *     +------------------------+--------------------------+
 *     |  one patch to all      |  tiles: every patch to   |
 *     |  others, rows x columns|  all others              |
 *     +------------------------+--------------------------+
 *     |  which coordinate turns each pair                 |
 *     +---------------------------------------------------+
 *
 * Added vectors are compared by their cosine, rotations by the mean cosine of the turned pairs, biases by their value in one head.
 * A position is (row, column), or (time, row, column) with time 0; encodings of one coordinate see the patches in reading order. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "base/mem.h"

enum { MOST_NUMBERS = 1 << 26 };      /* of all patches together, half a gibibyte */
enum { P_ROWS, P_COLS, P_ROW, P_COL, P_HEAD, P_TILES };
static const struct param params[] = {
    [P_ROWS] = {.name = "rows", .title = N_("rows"), .help = N_("patches down; without it those of the encoding, else 14"), .type = PARAM_INT, .def = NAN,
                .min = 1, .max = 64, .step = 1},
    [P_COLS] = {.name = "cols", .title = N_("columns"), .help = N_("patches across; without it those of the encoding, else 14"), .type = PARAM_INT,
                .def = NAN, .min = 1, .max = 64, .step = 1},
    [P_ROW] = {.name = "row", .title = N_("row of the patch"), .help = N_("the patch that all others are compared with"), .type = PARAM_INT, .def = 5, .min = 0,
               .max = 63, .step = 1},
    [P_COL] = {.name = "col", .title = N_("column of the patch"), .help = N_("the patch that all others are compared with"), .type = PARAM_INT, .def = 5,
               .min = 0, .max = 63, .step = 1},
    [P_HEAD] = {.name = "head", .title = N_("head"), .help = N_("head whose bias is shown, from 0"), .type = PARAM_INT, .def = 0, .min = 0, .max = FACTS_MAX_HEADS - 1,
                .step = 1, .of_heads = true},
    [P_TILES] = {.name = "tiles", .title = N_("tiles"), .help = N_("pictures across and down in the tiles"), .type = PARAM_INT, .def = 3, .min = 1, .max = 64,
                 .step = 1},
};

enum { A_TAKE, A_HEAD_NEXT, A_DOWN, A_RIGHT };
static const struct action actions[] = {
    {A_TAKE, 'm', 0, "take-patch", N_("compare with the patch under the cursor"), true},
    {A_RIGHT, 'n', 0, "next-patch", N_("next patch in the row"), true},
    {A_DOWN, 'b', 0, "patch-below", N_("the patch below"), false},
    {A_HEAD_NEXT, 'v', 0, "next-head", N_("next head"), true},
};

static double num(const struct scenario *s, int param)
{
    return view_num(s, VIEW_grid, param);
}

struct sides { double rows, cols; };

/* As asked for, else those of the first encoding that has a picture of its own. */
static struct sides sides_of(const struct scenario *s, const struct layer *layer)
{
    enum { USUAL = 14, MOST = 64 };
    struct token_grid own, g = {USUAL, USUAL, 0};
    for (size_t i = layer ? layer->n : 0; i-- > 0;)
        if (layer->enc[i]->kind->grid && layer->enc[i]->kind->grid(layer->enc[i], &own))
            g = own;
    return (struct sides){isnan(num(s, P_ROWS)) ? fmin(g.rows, MOST) : num(s, P_ROWS), isnan(num(s, P_COLS)) ? fmin(g.columns, MOST) : num(s, P_COLS)};
}

static double derived(const struct scenario *s, int param)
{
    if (param != P_ROWS && param != P_COLS)
        return NAN;
    struct layer *layer = scenario_layer(s, NULL);
    struct sides sides = sides_of(s, layer);
    layer_close(layer);
    return param == P_ROWS ? sides.rows : sides.cols;
}

static bool input(struct scenario *s, int action)
{
    struct value *v = s->view_param[VIEW_grid];
    struct layer *layer = scenario_layer(s, NULL);
    struct sides sides = sides_of(s, layer);
    double rows = sides.rows, cols = sides.cols;
    layer_close(layer);
    struct spot here = scenario_spot(s, 0);
    switch (action) {
    case A_TAKE:
        if (s->focus != 0)
            return false;
        v[P_COL].x = fmin(fmax(floor(isnan(here.x) ? cols / 2 : here.x), 0), cols - 1);
        v[P_ROW].x = fmin(fmax(floor(isnan(here.y) ? rows / 2 : here.y), 0), rows - 1);
        return true;
    case ACTION_TICK:
    case A_RIGHT:
        v[P_COL].x = fmod(v[P_COL].x + 1, cols);
        v[P_ROW].x = v[P_COL].x == 0 && action == ACTION_TICK ? fmod(v[P_ROW].x + 1, rows) : v[P_ROW].x;
        return true;
    case A_DOWN:      v[P_ROW].x = fmod(v[P_ROW].x + 1, rows); return true;
    case A_HEAD_NEXT: v[P_HEAD].x = fmod(v[P_HEAD].x + 1, s->shape.n_heads); return true;
    }
    return false;
}

static bool comparable(const struct encoding *k)
{
    return k->row || (k->rotate && k->spectrum) || k->bias;
}

static const char *suits(const struct scenario *s)
{
    for (size_t i = 0; i < s->n_items; i++)
        if (comparable(s->item[i].kind))
            return NULL;
    return N_("There is nothing to compare patches by. Choose an encoding of two coordinates, for example with :encoding sinusoidal_2d, :encoding rope_2d or "
              ":encoding relpos_2d.");
}

/* ---- patches ------------------------------------------------------------------------------------- */

struct grid {
    int rows, cols;
    size_t n, width;            /* patches; features of each, 0: biases */
    double *pos;                /* n x axes */
    double *as_query, *as_key;  /* n x width each, the same one where the sides do not differ; NULL: biases */
    const struct enc *e;
    int head;
};

static void place_patches(struct grid *g, int axes)
{
    g->pos = xcalloc(g->n * (size_t)axes, sizeof *g->pos);
    for (size_t i = 0; i < g->n; i++) {
        double row = (double)(i / (size_t)g->cols), col = (double)(i % (size_t)g->cols), *p = g->pos + i * (size_t)axes;
        if (axes == 1)
            p[0] = (double)i;
        else
            p[axes == 2 ? 0 : 1] = row, p[axes == 2 ? 1 : 2] = col;
    }
}

/* For rotations a vector with equal energy in every pair, so that the product is the mean cosine; xPos grows one side and shrinks the other. */
static double *turned(const struct grid *g, enum side side)
{
    const struct spectrum *f = g->e->kind->spectrum(g->e);
    double *x = xcalloc(g->n * g->width, sizeof *x);
    for (size_t i = 0; i < g->n; i++)
        for (size_t k = 0; k < f->n; k++)
            x[i * g->width + (size_t)f->a[k]] = 1;
    g->e->kind->rotate(g->e, side, 0, g->pos, g->n, x);
    return x;
}

static void make_features(struct grid *g)
{
    if (!g->width)
        return;
    if (!g->e->kind->row) {
        g->as_query = turned(g, SIDE_QUERY);
        g->as_key = turned(g, SIDE_KEY);
        return;
    }
    g->as_query = g->as_key = xcalloc(g->n * g->width, sizeof *g->as_key);
    g->e->kind->row(g->e, g->pos, g->n, g->as_key);
}

/* Which encoding of which patches is compared: all that a picture's plan needs. */
static bool choose_grid(const struct scenario *s, const struct layer *layer, struct grid *g, struct err *err)
{
    struct sides sides = sides_of(s, layer);
    *g = (struct grid){.rows = (int)sides.rows, .cols = (int)sides.cols, .head = (int)fmin(num(s, P_HEAD), s->shape.n_heads - 1)};
    g->n = (size_t)g->rows * (size_t)g->cols;
    for (size_t i = 0; i < layer->n && !g->e; i++)
        if (comparable(layer->enc[i]->kind))
            g->e = layer->enc[i];
    if (!g->e)
        return false;
    const struct encoding *kind = g->e->kind;
    g->width = kind->row ? (size_t)g->e->shape.d_model : kind->rotate && kind->spectrum ? (size_t)g->e->shape.d_head : 0;
    double numbers = (double)g->n * (double)g->width;
    return numbers <= MOST_NUMBERS || err_set(err, N_("%d x %d patches of width %zu are %.0f numbers, allowed are %d: take fewer patches"), g->rows, g->cols, g->width,
                                              numbers, MOST_NUMBERS);
}

static bool open_grid(const struct scenario *s, const struct layer *layer, struct grid *g, struct err *err)
{
    if (!choose_grid(s, layer, g, err))
        return false;
    place_patches(g, g->e->axes);
    make_features(g);
    return true;
}

static void close_grid(struct grid *g)
{
    free(g->pos);
    if (g->as_query != g->as_key)
        free(g->as_query);
    free(g->as_key);
}

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* 1 of a patch with itself. */
static double score(const struct grid *g, size_t query, size_t key)
{
    if (!g->width) {
        double out;
        g->e->kind->bias(g->e, g->head, g->pos + query * (size_t)g->e->axes, g->pos + key * (size_t)g->e->axes, 1, &out);
        return out;
    }
    size_t w = g->width, q = query * w, k = key * w;
    double itself = sqrt(product(g->as_query + q, g->as_key + q, w) * product(g->as_query + k, g->as_key + k, w));
    return itself > 0 ? product(g->as_query + q, g->as_key + k, w) / itself : NAN;
}

static size_t chosen(const struct scenario *s, const struct grid *g)
{
    double row = fmin(num(s, P_ROW), g->rows - 1), col = fmin(num(s, P_COL), g->cols - 1);
    return (size_t)row * (size_t)g->cols + (size_t)col;
}

/* ---- tiles: a picture for each of some patches, spread over the grid, at the patch's place ---------- */

static double tiles_along(const struct scenario *s, int count)
{
    return fmin(num(s, P_TILES), count);
}

/* Along one axis: the patch that the tile at a place belongs to, and the one that the place within the tile stands for. */
static int tile_patch(double tiles, int count, double at, int *other)
{
    double tile = fmin(floor(at * tiles / count), tiles - 1), within = at * tiles / count - tile;
    *other = (int)fmin(floor(within * count), count - 1);
    return (int)floor((tile + 0.5) * count / tiles);
}

struct tile_place { int q_row, q_col, k_row, k_col; };

static struct tile_place tile_place(const struct scenario *s, const struct grid *g, double x, double y)
{
    struct tile_place at;
    at.q_row = tile_patch(tiles_along(s, g->rows), g->rows, fmin(fmax(y, 0), g->rows), &at.k_row);
    at.q_col = tile_patch(tiles_along(s, g->cols), g->cols, fmin(fmax(x, 0), g->cols), &at.k_col);
    return at;
}

static double tile_score(const struct grid *g, struct tile_place at)
{
    return score(g, (size_t)(at.q_row * g->cols + at.q_col), (size_t)(at.k_row * g->cols + at.k_col));
}

/* ---- figure -------------------------------------------------------------------------------------- */

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    enum lang l = s->lang;
    struct layer *layer = scenario_layer(s, err);
    struct grid g;
    if (!layer)
        return false;
    if (!choose_grid(s, layer, &g, err)) {
        layer_close(layer);
        return false;
    }
    const char *unit = lang_text(l, g.width ? N_("cosine") : N_("logit"));
    struct panel *p = figure_add(f, PANEL_HEATMAP, "");
    snprintf(p->title, sizeof p->title, lang_text(l, N_("patch (%.0f, %.0f) to all")), fmin(num(s, P_ROW), g.rows - 1),
             fmin(num(s, P_COL), g.cols - 1));
    struct span columns = view_window(s->zoom.x0, s->zoom.x1, 0, g.cols, true), rows = view_window(s->zoom.y0, s->zoom.y1, 0, g.rows, true);
    axis_set(&p->x, lang_text(l, N_("column")), "", columns.from, columns.to, false);
    axis_set(&p->y, lang_text(l, N_("row")), "", rows.from, rows.to, false);
    p->weight = 2;
    p->centred = true;
    snprintf(p->unit, sizeof p->unit, "%s", unit);
    p = figure_add(f, PANEL_HEATMAP, lang_text(l, N_("tiles: patches to all others")));
    axis_set(&p->x, lang_text(l, N_("column of the patch")), "", 0, g.cols, false);
    axis_set(&p->y, lang_text(l, N_("row of the patch")), "", 0, g.rows, false);
    p->x.continuous = p->y.continuous = true;
    p->weight = 2;
    p->beside = true;
    p->centred = true;
    snprintf(p->unit, sizeof p->unit, "%s", unit);
    if (g.e->axes > 1 && g.e->kind->spectrum && g.e->kind->spectrum(g.e)->axis) {
        p = figure_add(f, PANEL_CURVES, lang_text(l, N_("coordinate that turns each pair")));
        axis_set(&p->x, lang_text(l, N_("pair")), "", 0, fmax(1, (double)g.e->kind->spectrum(g.e)->n - 1), false);
        axis_set(&p->y, lang_text(l, N_("coordinate")), "", 0, fmax(1, g.e->axes - 1), false);
        p->weight = 1;
        p->max_h = 9;
    }
    snprintf(f->source, sizeof f->source, "%s", g.e->kind->cite);
    layer_close(layer);
    return true;
}

/* Colours part at zero only where both signs occur: similarities that are all near 1 would look alike. */
static void set_range(struct panel *p)
{
    p->centred = false;
    panel_autorange(p);
    if (p->lo < 0) {
        p->centred = true;
        panel_autorange(p);
    }
}

static void fill_one(const struct scenario *s, const struct grid *g, struct panel *p)
{
    if (p->w < 1 || p->h < 1)
        return;
    double *data = panel_heatmap(p);
    size_t query = chosen(s, g);
    for (int r = 0; r < p->h; r++)
        for (int c = 0; c < p->w; c++)
            data[r * p->w + c] = score(g, query, (size_t)axis_edge(&p->y, p->h, r) * (size_t)g->cols + (size_t)axis_edge(&p->x, p->w, c));
    p->exact = true;
    p->reduce = p->h < axis_count(&p->y) || p->w < axis_count(&p->x) ? REDUCE_NEAREST : REDUCE_NONE;
    set_range(p);
}

static bool fill_tiles(const struct scenario *s, const struct grid *g, struct panel *p, struct job *job)
{
    if (p->w < 1 || p->h < 1)
        return true;
    double *data = panel_heatmap(p);
    for (int r = 0; r < p->h; r++) {
        for (int c = 0; c < p->w; c++)
            data[r * p->w + c] = tile_score(g, tile_place(s, g, (c + 0.5) * g->cols / p->w, (r + 0.5) * g->rows / p->h));
        if (!job_tick(job, (double)r / p->h))
            return false;
    }
    bool whole = p->h >= tiles_along(s, g->rows) * g->rows && p->w >= tiles_along(s, g->cols) * g->cols;
    p->exact = whole;
    p->reduce = whole ? REDUCE_NONE : REDUCE_NEAREST;
    set_range(p);
    return true;
}

static void fill_axes(const struct grid *g, struct panel *p, enum lang l)
{
    const struct spectrum *f = g->e->kind->spectrum(g->e);
    double *x = panel_xs(p, f->n);
    struct series *y = panel_add_series(p, lang_text(l, g->e->axes == 2 ? N_("0 row, 1 column") : N_("0 time, 1 row, 2 column")));
    y->steps = true;
    for (size_t k = 0; k < f->n; k++) {
        x[k] = (double)k;
        y->y[k] = f->axis[k];
    }
    panel_autorange(p);
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    struct layer *layer = scenario_layer(s, err);
    struct grid g;
    if (!layer)
        return false;
    bool good = open_grid(s, layer, &g, err);
    if (good) {
        fill_one(s, &g, &f->panel[0]);
        good = fill_tiles(s, &g, &f->panel[1], job);
        if (good && f->n > 2)
            fill_axes(&g, &f->panel[2], s->lang);
    }
    close_grid(&g);
    layer_close(layer);
    return good;
}

static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    struct layer *layer = panel <= 1 ? scenario_layer(s, NULL) : NULL;
    struct grid g;
    out->known = layer && open_grid(s, layer, &g, NULL);
    if (out->known) {
        struct tile_place at = tile_place(s, &g, x, y);
        if (panel == 0) {
            size_t query = chosen(s, &g);
            at = (struct tile_place){(int)query / g.cols, (int)query % g.cols, (int)fmin(fmax(floor(y), 0), g.rows - 1), (int)fmin(fmax(floor(x), 0), g.cols - 1)};
        }
        out->value = tile_score(&g, at);
        snprintf(out->name, sizeof out->name, lang_text(s->lang, N_("patch (%d, %d) to (%d, %d)")), at.q_row, at.q_col, at.k_row, at.k_col);
        snprintf(out->formula, sizeof out->formula, "%s",
                 lang_text(s->lang, !g.width ? N_("bias of the head") : g.e->kind->row ? N_("cosine of the two added vectors")
                                                                                        : N_("mean cosine of the pairs turned between them")));
        snprintf(out->source, sizeof out->source, "%s", g.e->kind->cite);
        close_grid(&g);
    }
    layer_close(layer);
    return out->known;
}

const struct view view_grid = {
    .id = "grid",
    .title = N_("grid"),
    .help = N_("Images have two coordinates. The first picture compares one patch with all others; press the key of `take-patch` to choose it under the "
               "cursor. The tiles show the same for some patches at their places. Encodings made for two axes give crosses or blobs around the patch; an encoding "
               "of the reading order alone gives stripes."),
    .params = params, .n_params = sizeof params / sizeof *params,
    .uses = USES_SHAPE | USES_ENCODING,
    .actions = actions, .n_actions = sizeof actions / sizeof *actions,
    .plays = 20,
    .placeless = true,
    .preset = "encodings/sinusoidal_2d",
    .suits = suits,
    .input = input,
    .derived = derived,
    .plan = plan,
    .compute = compute,
    .probe = probe,
};
