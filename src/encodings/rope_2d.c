/* rope_2d.c - RoPE over a grid: half of the pairs turn with the row, half with the column, of patches of an image.
 *
 *     style      frequencies                       pairs                                    coordinate
 *     qwen2_vl   B^(-2k/(d/2)), d/4 for each axis  half-split, [rows | columns]             index
 *     pixtral    B^(-2k/d): even k rows, odd k columns   half-split, [rows | columns]       index
 *     llama4     B^(-2k/(d/2))                     interleaved, [columns | rows]            index + 1
 *     dinov3     B^(-4k/d), B = 100                half-split, [rows | columns]             2 pi (2 (index + 0.5)/n - 1)
 *     eva        B^(-2k/(d/2))                     interleaved, [rows | columns]            index / ft_seq_len * pt_seq_len
 *
 * Positions are (row, column) from 0; NAN is a class or register token, which is not turned. Qwen2-VL (Wang et al. 2024, arXiv
 * 2409.12191) lists the patches block by block of spatial_merge_size; Llama 4 puts the class token last; EVA-02: Fang et al. 2023
 * (arXiv 2303.11331). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/quantity.h"
#include "core/rotary.h"

enum { STYLE, ROPE_THETA, GRID, PT_SEQ_LEN, FT_SEQ_LEN };
enum { QWEN2_VL, PIXTRAL, LLAMA4, DINOV3, EVA };

static const char *const styles[] = {"qwen2_vl", "pixtral", "llama4", "dinov3", "eva", NULL};
static const struct param params[] = {
    [STYLE] = {.name = "style",
               .help = N_("whose frequencies, pairs and coordinates"), .type = PARAM_CHOICE, .def = QWEN2_VL, .choices = styles},
    [ROPE_THETA] = {.name = "rope_theta", .help = N_("base B of the frequencies; without it 10000, for dinov3 100"),
                    .type = PARAM_REAL, .def = NAN, .min = 1, .max = 1e12},
    [GRID] = {.name = "grid", .unit = N_("patches"), .help = N_("rows and columns of the image; without it 16 x 16"),
              .type = PARAM_LIST, .def = NAN, .min = 1, .max = 65536},
    [PT_SEQ_LEN] = {.name = "pt_seq_len", .unit = N_("patches"), .help = N_("eva: side of the grid in pre-training"),
                    .type = PARAM_INT, .def = 16, .min = 1, .max = 65536,
                    .when = "style=eva"},
    [FT_SEQ_LEN] = {.name = "ft_seq_len", .unit = N_("patches"), .help = N_("eva: side of the grid now"),
                    .type = PARAM_INT, .def = 16, .min = 1, .max = 65536,
                    .when = "style=eva"},
};

struct state {
    struct rotary rotary;           /* angle = (index + origin of its axis) * inv_freq */
    double grid[2], origin[2];
};

static const struct state *state_of(const struct enc *e)
{
    return e->state;
}

static int style(const struct enc *e)
{
    return (int)enc_num(e, STYLE);
}

static double base(const struct enc *e)
{
    return enc_has(e, ROPE_THETA) ? enc_num(e, ROPE_THETA) : style(e) == DINOV3 ? 100 : 10000;
}

static bool read_grid(const struct enc *e, double grid[2], struct err *err)
{
    const struct table *t = e->param[GRID].t;
    if (t && (t->n != 2 || t->v[0] != floor(t->v[0]) || t->v[1] != floor(t->v[1])))
        return err_set(err, N_("grid: must be two whole numbers, rows and columns"));
    for (size_t a = 0; a < 2; a++)
        grid[a] = t ? t->v[a] : style(e) == EVA ? enc_num(e, FT_SEQ_LEN) : 16;
    return true;
}

/* Frequency of the k-th of the d/4 pairs of an axis, for a step of one patch. */
static double frequency(const struct enc *e, int axis, size_t k, const double grid[2])
{
    double d = e->shape.d_head, i = (double)k;
    switch (style(e)) {
    case PIXTRAL: return pow(base(e), -2 * (2 * i + axis) / d);
    case DINOV3:  return 4 * M_PI / grid[axis] * pow(base(e), -4 * i / d);
    case EVA:     return enc_num(e, PT_SEQ_LEN) / enc_num(e, FT_SEQ_LEN) * pow(base(e), -4 * i / d);
    default:      return pow(base(e), -4 * i / d);
    }
}

static bool init(struct enc *e, struct err *err)
{
    struct state *s = e->state;
    size_t quarter = (size_t)e->shape.d_head / 4;
    bool interleaved = style(e) == LLAMA4 || style(e) == EVA;
    if (e->shape.d_head % 4)
        return err_set(err, N_("head_dim = %d: must be a multiple of 4, two channels a pair on two axes"), e->shape.d_head);
    if (!read_grid(e, s->grid, err))
        return false;
    rotary_init(&s->rotary, 2 * quarter);
    rotary_set_layout(&s->rotary, interleaved ? ROTARY_INTERLEAVED : ROTARY_HALF, 0);
    for (size_t k = 0; k < 2 * quarter; k++) {
        int axis = (k >= quarter) != (style(e) == LLAMA4);
        s->rotary.axis[k] = axis;
        s->rotary.inv_freq[k] = s->rotary.unscaled[k] = frequency(e, axis, k % quarter, s->grid);
    }
    for (size_t a = 0; a < 2; a++)
        s->origin[a] = style(e) == LLAMA4 ? 1 : style(e) == DINOV3 ? 0.5 - s->grid[a] / 2 : 0;
    rotary_spectrum(&s->rotary);
    return true;
}

static void done(struct enc *e)
{
    rotary_done(&((struct state *)e->state)->rotary);
}

static void rotate(const struct enc *e, enum side side, int head, const double *pos, size_t n, double *x)
{
    (void)side;
    (void)head;
    const struct state *s = state_of(e);
    double *at = xmalloc((2 * n + 1) * sizeof *at);
    for (size_t i = 0; i < 2 * n; i++)
        at[i] = pos[i] + s->origin[i % 2];
    rotary_turn(&s->rotary, 2, at, n, (size_t)e->shape.d_head, x);
    free(at);
}

static const struct spectrum *spectrum(const struct enc *e)
{
    return &state_of(e)->rotary.spectrum;
}

/* ---- quantities ---------------------------------------------------------------------------------------- */

/* The grid that a request asks for: grid_thw (frames, rows, columns), a square image in patches, or the instance's. */
static bool asked_grid(const struct enc *e, const struct request *r, double thw[3], struct err *err)
{
    const struct table *t = request_list(r, "grid_thw");
    double image = request_number(r, "image_size", NAN), patch = request_number(r, "patch_size", NAN);
    bool square = !enc_has(e, GRID) && !isnan(image) && !isnan(patch);
    if (t && t->n != 3)
        return err_set(err, N_("grid_thw: must be [frames, rows, columns]"));
    for (size_t i = 0; i < 3; i++) {
        thw[i] = t ? t->v[i] : i == 0 ? 1 : square ? image / patch : state_of(e)->grid[i - 1];
        if (!(thw[i] >= 1 && thw[i] <= 65536) || thw[i] != floor(thw[i]))
            return err_set(err, N_("a grid with a side of %g patches: must be a whole number from 1 to 65536"), thw[i]);
    }
    double patches = thw[0] * thw[1] * thw[2];
    return patches <= 1 << 24 || err_set(err, N_("a grid of %g patches: allowed are %d"), patches, 1 << 24);
}

/* Patches row by row; with merge > 1 block by block of merge x merge, row by row within. */
static void list_patches(const double thw[3], double merge, double *pos)
{
    for (double f = 0; f < thw[0]; f++)
        for (double y = 0; y < thw[1]; y += merge)
            for (double x = 0; x < thw[2]; x += merge)
                for (double dy = 0; dy < merge; dy++)
                    for (double dx = 0; dx < merge; dx++) {
                        *pos++ = y + dy;
                        *pos++ = x + dx;
                    }
}

/* (row, column) of each token, in the order that the style's code lists them. The caller frees it. */
static double *tokens(const struct enc *e, const struct request *r, size_t *n, struct err *err)
{
    double thw[3], merge = style(e) == QWEN2_VL ? request_number(r, "spatial_merge_size", 2) : 1;
    if (r->positions)
        return request_positions(r, 2, n, err);
    if (!asked_grid(e, r, thw, err))
        return NULL;
    if (!(merge >= 1) || merge != floor(merge) || fmod(thw[1], merge) != 0 || fmod(thw[2], merge) != 0) {
        err_set(err, N_("spatial_merge_size = %g: must divide the grid of %g x %g patches"), merge, thw[1], thw[2]);
        return NULL;
    }
    bool class_token = style(e) == LLAMA4;
    *n = (size_t)(thw[0] * thw[1] * thw[2]) + class_token;
    double *pos = xcalloc(2 * *n, sizeof *pos);
    list_patches(thw, merge, pos);
    if (class_token)
        pos[2 * *n - 2] = pos[2 * *n - 1] = NAN;
    return pos;
}

static double angle(const struct state *s, const double *pos, size_t k)
{
    int a = s->rotary.axis[k];
    return isnan(pos[0]) ? 0 : (pos[a] + s->origin[a]) * s->rotary.inv_freq[k];
}

static double same(double x)
{
    return x;
}

/* [token, column]: f of each pair's angle; with columns = 2 pairs each twice, as the layout's code holds them. */
static bool angles(const struct enc *e, const struct request *r, bool twice, double (*f)(double), struct answer *out,
                   struct err *err)
{
    const struct state *s = state_of(e);
    size_t n, pairs = s->rotary.n, columns = twice ? 2 * pairs : pairs;
    bool neighbours = s->rotary.b[0] == 1;
    double *pos = tokens(e, r, &n, err), *v = pos ? answer_new(out, 2, (size_t[]){n, columns}, err) : NULL;
    for (size_t i = 0; v && i < n; i++)
        for (size_t c = 0; c < columns; c++)
            v[i * columns + c] = f(angle(s, pos + 2 * i, !twice ? c : neighbours ? c / 2 : c % pairs));
    free(pos);
    return v != NULL;
}

/* Qwen2-VL keeps one column a pair, the others two. */
static bool q_angles(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    return angles(e, r, style(e) != QWEN2_VL, same, out, err);
}

static bool q_cos(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    return angles(e, r, true, cos, out, err);
}

static bool q_sin(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    return angles(e, r, true, sin, out, err);
}

static bool q_cos_sin(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    const struct state *s = state_of(e);
    size_t n, pairs = s->rotary.n;
    double *pos = tokens(e, r, &n, err), *v = pos ? answer_new(out, 3, (size_t[]){n, pairs, 2}, err) : NULL;
    for (size_t i = 0; v && i < n; i++) {
        for (size_t k = 0; k < pairs; k++) {
            v[2 * (i * pairs + k)] = cos(angle(s, pos + 2 * i, k));
            v[2 * (i * pairs + k) + 1] = sin(angle(s, pos + 2 * i, k));
        }
    }
    free(pos);
    return v != NULL;
}

/* x at the rows and columns of the inputs row and col, or at the style's own tokens. */
static bool q_rotated(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    size_t d = (size_t)e->shape.d_head, n;
    const struct table *x = request_need(r, "x", 2, (size_t[]){0, d}, err), *y = x ? request_input(r, "row") : NULL, *col = NULL;
    if (y && (!request_need(r, "row", 1, x->dim, err) || !(col = request_need(r, "col", 1, x->dim, err))))
        return false;
    double *pos = !x ? NULL : y ? xcalloc(2 * (n = x->dim[0]) + 1, sizeof *pos) : tokens(e, r, &n, err);
    for (size_t i = 0; y && i < n; i++) {
        pos[2 * i] = y->v[i];
        pos[2 * i + 1] = col->v[i];
    }
    if (pos && n != x->dim[0])
        err_set(err, N_("inputs.x has %zu rows for %zu tokens"), x->dim[0], n);
    double *v = pos && n == x->dim[0] ? answer_new(out, 2, x->dim, err) : NULL;
    if (v) {
        memcpy(v, x->v, x->n * sizeof *v);
        rotate(e, SIDE_QUERY, 0, pos, n, v);
    }
    free(pos);
    return v != NULL;
}

/* Values in use of parameters that are derived where they are not given. */
static bool q_rope_theta(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    return answer_list(out, &(double){base(e)}, 1, err);
}

static bool q_grid(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    return answer_list(out, state_of(e)->grid, 2, err);
}

static const struct quantity quantities[] = {
    {.name = "rope_theta", .help = N_("the base in use"), .compute = q_rope_theta},
    {.name = "grid", .help = N_("rows and columns in use"), .compute = q_grid},
    {.name = "angles", .help = N_("angle of each pair at each token"), .compute = q_angles},
    {.name = "cos", .help = N_("cosines as the layout holds them: [token, channel]"), .compute = q_cos},
    {.name = "sin", .help = N_("sines as the layout holds them: [token, channel]"), .compute = q_sin},
    {.name = "cos_sin", .help = N_("cosine and sine of each pair: [token, pair, 2]"), .compute = q_cos_sin},
    {.name = "rotated", .help = N_("x turned at its rows and columns: [token, channel]"), .compute = q_rotated},
};

const struct encoding encoding_rope_2d = {
    .id = "rope_2d",
    .title = N_("2-D RoPE"),
    .help = N_("RoPE for the patches of an image: some pairs of channels turn with the row and some with the column, so "
               "that a score depends on how far two patches are apart in both directions. Vision models disagree on "
               "frequencies, order and origin; five of them are here."),
    .year = 2024,
    .cite = "Wang et al. 2024 (arXiv 2409.12191); Fang et al. 2023 (arXiv 2303.11331)",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .axes = 2,
    .state_size = sizeof(struct state),
    .promises = PROMISE_RELATIVE | PROMISE_ISOMETRIC,
    .init = init,
    .done = done,
    .rotate = rotate,
    .spectrum = spectrum,
};
