/* learned.c - a learned row of a table for each position, added to the input (Devlin et al. 2019, arXiv 1810.04805;
 * Radford et al. 2019).
 *
 *     x_p = E[row(p)],  E: [rows, d_model]
 *     bert, gpt2           row = p,  max_position_embeddings rows
 *     opt                  row = p + offset (2; BART too): a padded token takes row offset - 1
 *     roberta, fairseq     row = padding_idx + (running count of tokens that are no padding); padding takes row padding_idx
 *     vit                  row 0 is the class token, then the patches row by row (Dosovitskiy et al. 2021, arXiv 2010.11929)
 *
 * A position past the table has no row: an error, never a wrap. ViT's table is resampled to another grid bicubically
 * (a = -0.75, pixel centres, edges clamped). Without a table its entries are seeded with deviation 0.02, as models
 * start. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "core/linear.h"
#include "core/quantity.h"

enum { STYLE, MAXIMUM, OFFSET, PADDING_IDX, TABLE, SEED, TABLE_GRID, TARGET_GRID };
enum { BERT, GPT2, OPT, ROBERTA, FAIRSEQ, VIT };

static const char *const styles[] = {"bert", "gpt2", "opt", "roberta", "fairseq", "vit", NULL};
static const struct param params[] = {
    [STYLE] = {.name = "style", .help = N_("whose numbering of the rows"), .type = PARAM_CHOICE, .def = BERT, .choices = styles},
    [MAXIMUM] = {.name = "max_position_embeddings", .unit = N_("tokens"),
                 .help = N_("positions that the table has; a longer text has no rows there"),
                 .type = PARAM_INT, .def = 512, .min = 1, .max = 16777216},
    [OFFSET] = {.name = "offset", .unit = N_("rows"), .help = N_("opt: rows before the first token's; without it 2"),
                .type = PARAM_INT, .def = NAN, .min = 0, .max = 65536, .step = 1,
                .when = "style=opt"},
    [PADDING_IDX] = {.name = "padding_idx",
                     .help = N_("roberta, fairseq: row of padding, the first token takes the next one; without it 1"),
                     .type = PARAM_INT, .def = NAN, .min = 0, .max = 1e6, .step = 1,
                     .when = "style=roberta|fairseq"},
    [TABLE] = {.name = "table",
               .help = N_("the learned table, rows x d_model; without it seeded"), .type = PARAM_TABLE, .def = NAN},
    [SEED] = LINEAR_SEED,
    [TABLE_GRID] = {.name = "table_grid", .unit = N_("patches"),
                    .help = N_("vit: rows and columns the table was learned for; without it a square, or 14 x 14"),
                    .type = PARAM_LIST, .def = NAN, .min = 1, .max = 4096,
                    .when = "style=vit"},
    [TARGET_GRID] = {.name = "target_grid", .unit = N_("patches"),
                     .help = N_("vit: rows and columns it is resampled to; without it the same"),
                     .type = PARAM_LIST, .def = NAN, .min = 1, .max = 4096,
                     .when = "style=vit"},
};

struct state {
    double rows;                            /* of the table */
    double first;                           /* row of the first token */
    double table_grid[2], target_grid[2];   /* vit */
};

static const struct state *state_of(const struct enc *e)
{
    return e->state;
}

static int style(const struct enc *e)
{
    return (int)enc_num(e, STYLE);
}

static double given(const struct enc *e, int param, double fallback)
{
    return enc_has(e, param) ? enc_num(e, param) : fallback;
}

static double first_row(const struct enc *e)
{
    if (style(e) == OPT)
        return given(e, OFFSET, 2);
    return style(e) == ROBERTA || style(e) == FAIRSEQ ? given(e, PADDING_IDX, 1) + 1 : 0;
}

static bool read_grid(const struct enc *e, int param, const double fallback[2], double grid[2], struct err *err)
{
    const struct table *t = e->param[param].t;
    if (t && (t->n != 2 || t->v[0] != floor(t->v[0]) || t->v[1] != floor(t->v[1])))
        return err_set(err, N_("%s: must be two whole numbers, rows and columns"), params[param].name);
    memcpy(grid, t ? t->v : fallback, 2 * sizeof *grid);
    return true;
}

static bool init_grids(struct enc *e, struct state *s, struct err *err)
{
    const struct table *t = e->param[TABLE].t;
    double side = t ? floor(sqrt((double)t->dim[0] - 1)) : 14;
    if (!read_grid(e, TABLE_GRID, (double[]){side, side}, s->table_grid, err) ||
        !read_grid(e, TARGET_GRID, s->table_grid, s->target_grid, err))
        return false;
    double rows = 1 + s->table_grid[0] * s->table_grid[1];
    if (t && rows != (double)t->dim[0])
        return err_set(err, N_("table has %zu rows, must be 1 + %g x %g for table_grid"), t->dim[0], s->table_grid[0],
                       s->table_grid[1]);
    s->rows = rows;
    e->axes = 2;
    return true;
}

static bool init(struct enc *e, struct err *err)
{
    struct state *s = e->state;
    const struct table *t = e->param[TABLE].t;
    if (t && (t->rank != 2 || t->dim[1] != (size_t)e->shape.d_model || !t->dim[0]))
        return err_set(err, N_("table: must have rows of d_model = %d numbers"), e->shape.d_model);
    s->first = first_row(e);
    s->rows = t ? (double)t->dim[0] : enc_num(e, MAXIMUM) + s->first;
    return style(e) != VIT || init_grids(e, s, err);
}

/* Entry c of table row r. */
static double entry(const struct enc *e, double r, size_t c)
{
    size_t at = (size_t)r * (size_t)e->shape.d_model + c;
    const struct table *t = e->param[TABLE].t;
    return t ? t->v[at] : 0.02 * sqrt(12) * (rng_uniform((uint64_t)enc_num(e, SEED), at) - 0.5);
}

/* ---- ViT: rows between the patches --------------------------------------------------------------------- */

/* Weights of four neighbours at a fraction t past the second (Keys 1981, a = -0.75). */
static void cubic(double t, double w[4])
{
    const double a = -0.75;
    for (int i = 0; i < 4; i++) {
        double x = fabs(t + 1 - i);
        w[i] = x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : ((x - 5) * x + 8) * x * a - 4 * a;
    }
}

/* The four neighbours of a target index on one axis, and their weights. */
static void neighbours(const struct state *s, int axis, double index, double at[4], double w[4])
{
    double n = s->table_grid[axis], x = (index + 0.5) * n / s->target_grid[axis] - 0.5;
    for (int i = 0; i < 4; i++)
        at[i] = fmin(fmax(floor(x) - 1 + i, 0), n - 1);
    cubic(x - floor(x), w);
}

static void vit_row(const struct enc *e, const double *pos, double *out)
{
    const struct state *s = state_of(e);
    double y[4], x[4], wy[4], wx[4];
    size_t d = (size_t)e->shape.d_model;
    if (isnan(pos[0])) {
        for (size_t c = 0; c < d; c++)
            out[c] = entry(e, 0, c);
        return;
    }
    neighbours(s, 0, pos[0], y, wy);
    neighbours(s, 1, pos[1], x, wx);
    for (size_t c = 0; c < d; c++) {
        out[c] = 0;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                out[c] += wy[i] * wx[j] * entry(e, 1 + y[i] * s->table_grid[1] + x[j], c);
    }
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static bool in_grid(const struct state *s, const double *pos)
{
    return isnan(pos[0]) || (pos[0] >= 0 && pos[0] < s->target_grid[0] && pos[1] >= 0 && pos[1] < s->target_grid[1]);
}

static bool in_table(const struct enc *e, double row)
{
    return row >= 0 && row < state_of(e)->rows && row == floor(row);
}

/* Padding, NAN, takes its own row where there is one. */
static double row_of(const struct enc *e, double p)
{
    return isnan(p) ? state_of(e)->first - 1 : p + state_of(e)->first;
}

static void row(const struct enc *e, const double *pos, size_t n, double *out)
{
    size_t d = (size_t)e->shape.d_model;
    for (size_t i = 0; i < n; i++, out += d) {
        const double *p = pos + i * (size_t)e->axes;
        bool vit = style(e) == VIT, there = vit ? in_grid(state_of(e), p) : in_table(e, row_of(e, *p));
        if (there && vit)
            vit_row(e, p, out);
        for (size_t c = 0; c < d && !(there && vit); c++)
            out[c] = there ? entry(e, row_of(e, *p), c) : isnan(*p) ? 0 : NAN;
    }
}

/* ---- quantities ---------------------------------------------------------------------------------------- */

static bool row_fits(const struct enc *e, const struct request *r, double row, struct err *err)
{
    double rows = request_number(r, "table_rows", state_of(e)->rows);
    return (row >= 0 && row < rows && row == floor(row)) ||
           err_set(err, N_("row %g is not in the table, whose rows are 0 to %g"), row, rows - 1);
}

/* Row numbers of a batch of tokens, of which used[i] says whether it is no padding. Tokens before `past` are counted,
 * not returned. */
static bool number_rows(const struct enc *e, const struct request *r, const struct table *tokens, double padding, double counted,
                        size_t past, struct answer *out, struct err *err)
{
    size_t batch = tokens->dim[0], n = tokens->dim[1], kept = n - past;
    double *v = answer_new(out, 2, (size_t[]){batch, kept}, err);
    out->integer = true;
    for (size_t b = 0; v && b < batch; b++) {
        double count = counted;
        for (size_t i = 0; i < n; i++) {
            bool used = tokens->v[b * n + i] != padding;
            count += used;
            double row = state_of(e)->first - 1 + (used ? count : 0);
            if (i >= past && !row_fits(e, r, row, err))
                return false;
            if (i >= past)
                v[b * kept + i - past] = row;
        }
    }
    return v != NULL;
}

static bool q_row_index(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    double past = request_number(r, "past_key_values_length", 0);
    if (!(past >= 0 && past <= 1e9) || past != floor(past))
        return err_set(err, N_("past_key_values_length = %g: must be a whole number from 0 to 1e9"), past);
    if (style(e) == ROBERTA || style(e) == FAIRSEQ) {
        const struct table *ids = request_need(r, "input_ids", 2, (size_t[]){0, 0}, err);
        return ids && number_rows(e, r, ids, given(e, PADDING_IDX, 1), past, 0, out, err);
    }
    if (style(e) == OPT && request_input(r, "attention_mask")) {
        const struct table *mask = request_need(r, "attention_mask", 2, (size_t[]){0, 0}, err);
        if (mask && (double)mask->dim[1] < past)
            return err_set(err, N_("past_key_values_length = %g: attention_mask has only %zu tokens"), past, mask->dim[1]);
        return mask && number_rows(e, r, mask, 0, 0, (size_t)past, out, err);
    }
    size_t n;
    double *pos = request_positions(r, 1, &n, err), *v = pos ? answer_new(out, 1, &n, err) : NULL;
    bool fits = v != NULL;
    out->integer = true;
    for (size_t i = 0; fits && i < n; i++)
        fits = row_fits(e, r, v[i] = row_of(e, pos[i]), err);
    free(pos);
    return fits;
}

static bool grid(const struct enc *e, struct token_grid *out)
{
    const double *side = state_of(e)->target_grid;
    *out = (struct token_grid){side[0], side[1], 1};
    return style(e) == VIT && (enc_has(e, TABLE_GRID) || enc_has(e, TARGET_GRID));
}

/* The class token's row and those of all patches of the target grid. */
static bool vit_table(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    if (strcmp(request_text(r, "mode", "bicubic"), "bicubic") || request_number(r, "align_corners", 0) != 0)
        return err_set(err, N_("mode, align_corners: a table is resampled bicubically between pixel centres, nothing else"));
    const struct state *s = state_of(e);
    size_t d = (size_t)e->shape.d_model, columns = (size_t)s->target_grid[1], n = 1 + (size_t)s->target_grid[0] * columns;
    double *v = answer_new(out, 2, (size_t[]){n, d}, err);
    for (size_t i = 0; v && i < n; i++)
        vit_row(e, i ? (double[]){(double)((i - 1) / columns), (double)((i - 1) % columns)} : (double[]){NAN, NAN}, v + i * d);
    return v != NULL;
}

static bool q_pe(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    if (style(e) == VIT && !r->positions)
        return vit_table(e, r, out, err);
    size_t n;
    double *pos = request_positions(r, e->axes, &n, err);
    bool fits = pos != NULL;
    const double *grid = state_of(e)->target_grid;
    for (size_t i = 0; fits && i < n; i++) {
        const double *p = pos + i * (size_t)e->axes;
        if (style(e) == VIT && !in_grid(state_of(e), p))
            fits = err_set(err, N_("patch (%g, %g) is not in the grid of %g x %g"), p[0], p[1], grid[0], grid[1]);
        else if (style(e) != VIT && !isnan(*p))
            fits = row_fits(e, r, row_of(e, *p), err);
    }
    free(pos);
    return fits && quantity_general("pe", e, r, out, err);
}

/* Values in use of parameters that are derived where they are not given. */
static bool q_offset(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    return answer_list(out, &state_of(e)->first, 1, err);
}

static bool q_padding_idx(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    return answer_list(out, &(double){state_of(e)->first - 1}, 1, err);
}

static bool q_table_grid(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    return answer_list(out, state_of(e)->table_grid, 2, err);
}

static bool q_target_grid(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    return answer_list(out, state_of(e)->target_grid, 2, err);
}

static const struct quantity quantities[] = {
    {.name = "offset", .help = N_("row of the first token"), .compute = q_offset},
    {.name = "padding_idx", .help = N_("row of padding"), .compute = q_padding_idx},
    {.name = "table_grid", .help = N_("rows and columns of the table in use"), .compute = q_table_grid},
    {.name = "target_grid", .help = N_("rows and columns that it is resampled to"), .compute = q_target_grid},
    {.name = "row_index", .help = N_("row of the table that each token takes: [batch, token]"), .compute = q_row_index},
    {.name = "pe", .help = N_("the rows at the positions; of vit the class row and all patches"), .compute = q_pe},
};

static double weights(const struct enc *e)
{
    return state_of(e)->rows * e->shape.d_model;
}

const struct encoding encoding_learned = {
    .id = "learned",
    .title = N_("Learned"),
    .help = N_("A table holds one learned vector for each position, and it is added to the token's vector. Simple and "
               "flexible, but a position past the end of the table has no vector at all, and nothing ties neighbouring "
               "rows together except training."),
    .year = 2018,
    .cite = "Devlin et al. 2019 (arXiv 1810.04805); Dosovitskiy et al. 2021 (arXiv 2010.11929)",
    .scheme = "learned_absolute",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .axes = 1,
    .grid = grid,
    .state_size = sizeof(struct state),
    .promises = PROMISE_NEEDS_TABLE,
    .init = init,
    .row = row,
    .weights = weights,
};
