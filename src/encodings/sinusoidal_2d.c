/* sinusoidal_2d.c - a sinusoid for the row and one for the column of a patch.
 *
 * MAE (He et al. 2022, arXiv 2111.06377): d/2 channels an axis, w_k = base^(-k/(d/4)), k < d/4; the first half of the channels
 * holds the COLUMN x, the second the row y, although the published code names the first block emb_h; each half [sines | cosines].
 *
 * DETR (Carion et al. 2020, arXiv 2005.12872): d/2 channels an axis, row y first, then column x; sine and cosine in turn,
 * w = temperature^(-2 floor(c/2) / (d/2)). Coordinates count from 1, being cumulative sums of the valid cells; normalize
 * divides by the last coordinate (+ 1e-6) and multiplies by scale, 2 pi.
 *
 * Positions are (row, column) from 0; a class token has a row of zeros. d is divisible by 4. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/quantity.h"

enum { STYLE, BASE, NORMALIZE, SCALE, GRID };
enum { STYLE_MAE, STYLE_DETR };
enum { AXIS_Y, AXIS_X, AXES };

static const char *const styles[] = {"mae", "detr", NULL};
static const struct param params[] = {
    [STYLE] = {.name = "style", .help = N_("whose layout: MAE's, column first in halves, or DETR's, row first in turn"),
               .type = PARAM_CHOICE, .def = STYLE_MAE, .choices = styles},
    [BASE] = {.name = "temperature", .help = N_("base of the frequencies; 10000, or 20 in models like DINO's detector"),
              .type = PARAM_REAL, .def = 10000, .min = 1.001, .max = 1e9},
    [NORMALIZE] = {.name = "normalize", .help = N_("detr: coordinates run up to scale whatever the grid"),
                   .type = PARAM_BOOL, .def = 0},
    [SCALE] = {.name = "scale", .help = N_("detr: coordinate of the last row and column when normalized; 2 pi"),
               .type = PARAM_REAL, .def = 6.283185307179586, .min = 1e-3, .max = 1e6,
               .when = "normalize=true"},
    [GRID] = {.name = "grid", .unit = N_("patches"), .help = N_("rows and columns; absent: the square that holds the tokens"),
              .type = PARAM_LIST, .def = NAN, .min = 1, .max = 65536},
};

struct state {
    size_t quarter;             /* frequencies an axis */
    double rows, columns;
    double *w;                  /* [axis][quarter], normalisation included */
    double first;               /* coordinate of position 0 */
    int *a, *b, *axis;          /* channels of the sine and the cosine, axis of each pair */
    struct spectrum spectrum;
};

static bool find_grid(struct enc *e, struct err *err)
{
    struct state *s = e->state;
    const struct table *grid = e->param[GRID].t;
    if (grid && (grid->n != 2 || grid->v[0] != floor(grid->v[0]) || grid->v[1] != floor(grid->v[1])))
        return err_set(err, N_("grid: must be two whole numbers, rows and columns"));
    s->rows = grid ? grid->v[0] : ceil(sqrt(e->shape.length));
    s->columns = grid ? grid->v[1] : s->rows;
    return true;
}

/* First channel of an axis, and the channels of its k-th sine and cosine. */
static void place(const struct enc *e, int axis, size_t k, int *sine, int *cosine)
{
    const struct state *s = e->state;
    bool mae = enc_num(e, STYLE) == STYLE_MAE;
    size_t start = (mae == (axis == AXIS_X)) ? 0 : 2 * s->quarter;
    *sine = (int)(start + (mae ? k : 2 * k));
    *cosine = (int)(start + (mae ? s->quarter + k : 2 * k + 1));
}

static bool init(struct enc *e, struct err *err)
{
    struct state *s = e->state;
    if (e->shape.d_model % 4)
        return err_set(err, N_("d_model = %d: must be divisible by 4, sines and cosines of two axes"), e->shape.d_model);
    if (!find_grid(e, err))
        return false;
    size_t n = s->quarter = (size_t)e->shape.d_model / 4;
    bool detr = enc_num(e, STYLE) == STYLE_DETR;
    s->first = detr ? 1 : 0;
    s->w = xcalloc(AXES * n, sizeof *s->w);
    s->a = xcalloc(3 * AXES * n, sizeof *s->a);
    s->b = s->a + AXES * n;
    s->axis = s->b + AXES * n;
    for (size_t i = 0; i < AXES * n; i++) {
        int axis = i < n ? AXIS_Y : AXIS_X;
        double last = axis == AXIS_Y ? s->rows : s->columns;
        double unit = detr && enc_num(e, NORMALIZE) != 0 ? enc_num(e, SCALE) / (last + 1e-6) : 1;
        s->w[i] = unit * pow(enc_num(e, BASE), -(double)(i % n) / (double)n);
        s->axis[i] = axis;
        place(e, axis, i % n, &s->a[i], &s->b[i]);
    }
    s->spectrum = (struct spectrum){.n = AXES * n, .inv_freq = s->w, .a = s->a, .b = s->b, .axis = s->axis,
                                    .attention_factor = 1, .trained = NAN};
    return true;
}

static void done(struct enc *e)
{
    struct state *s = e->state;
    free(s->w);
    free(s->a);
}

static void row(const struct enc *e, const double *pos, size_t n, double *out)
{
    const struct state *s = e->state;
    size_t d = (size_t)e->shape.d_model;
    for (size_t r = 0; r < n; r++, pos += AXES, out += d) {
        if (isnan(*pos)) {
            memset(out, 0, d * sizeof *out);
            continue;
        }
        for (size_t i = 0; i < s->spectrum.n; i++) {
            double angle = (pos[s->axis[i]] + s->first) * s->w[i];
            out[s->a[i]] = sin(angle);
            out[s->b[i]] = cos(angle);
        }
    }
}

/* Angles are those of position + 1 under detr: products of rows depend on differences alone. */
static const struct spectrum *spectrum(const struct enc *e)
{
    const struct state *s = e->state;
    return &s->spectrum;
}

/* All patches of the grid, row by row, with the class token first if asked. */
static bool grid_rows(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    const struct state *s = e->state;
    size_t cls = request_number(r, "cls_token", 0) != 0, d = (size_t)e->shape.d_model, columns = (size_t)s->columns;
    size_t n = cls + (size_t)s->rows * columns;
    double *v = answer_new(out, 2, (size_t[]){n, d}, err);
    for (size_t i = 0; v && i < n; i++) {
        double pos[AXES] = {NAN, NAN};
        if (i >= cls) {
            pos[AXIS_Y] = (double)((i - cls) / columns);
            pos[AXIS_X] = (double)((i - cls) % columns);
        }
        row(e, pos, 1, v + i * d);
    }
    return v != NULL;
}

/* By positions where they are given, else over the grid. num_pos_feats is DETR's word for half of d_model, base another for the
 * temperature. */
static bool q_pe(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    if (r->positions)
        return quantity_general("pe", e, r, out, err);
    struct shape shape = e->shape;
    struct value values[ENC_MAX_PARAMS];
    memcpy(values, e->param, sizeof values);
    values[BASE].x = request_number(r, "base", values[BASE].x);
    double half = request_number(r, "num_pos_feats", shape.d_model / 2.0);
    if (!(half >= 1 && half <= 65536))
        return err_set(err, N_("num_pos_feats = %g: allowed is 1 to 65536"), half);
    shape.d_model = (int)(2 * half);
    struct enc *asked = enc_open(e->kind, &shape, values, err);
    bool fits = asked && grid_rows(asked, r, out, err);
    enc_close(asked);
    return fits;
}

static bool q_grid(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    const struct state *s = e->state;
    return answer_list(out, (double[]){s->rows, s->columns}, 2, err);
}

static const struct quantity quantities[] = {
    {.name = "grid", .help = N_("rows and columns in use"), .compute = q_grid},
    {.name = "pe", .help = N_("rows of the whole grid, or of positions: [patch, channel]"), .compute = q_pe},
};

const struct encoding encoding_sinusoidal_2d = {
    .id = "sinusoidal_2d",
    .title = N_("2-D sinusoidal"),
    .help = N_("Half of the channels hold sines and cosines of a patch's row, the other half those of its column, and "
               "the sum is added to the patch. Nothing is learned, so any grid has an encoding."),
    .year = 2020,
    .cite = "Carion et al. 2020 (arXiv 2005.12872); He et al. 2022 (arXiv 2111.06377)",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .axes = AXES,
    .state_size = sizeof(struct state),
    .promises = PROMISE_RELATIVE | PROMISE_SYMMETRIC,
    .init = init,
    .done = done,
    .row = row,
    .spectrum = spectrum,
};
