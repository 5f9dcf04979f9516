/* relpos_2d.c - a bias for each relative place of two patches in a window.
 *
 *     index = (dy + h - 1) (2w - 1) + dx + w - 1,  dy, dx = query minus key        bias[head, i, j] = table[index, head]
 *     Swin (Liu et al. 2021, arXiv 2103.14030): a learned table [(2h-1)(2w-1), H]
 *     BEiT (Bao et al. 2022, arXiv 2106.08254): the same and three rows, class token to patch, patch to class token, both class
 *     Swin v2 (Liu et al. 2022, arXiv 2111.09883): the table is 16 sigmoid(w2 . relu(w1 . (y, x) + b1)) of log coordinates
 *     sign(c) log2(1 + |c|) / 3,  c = 8 dy / (h - 1), 8 dx / (w - 1), or of pretrained_window where that is given
 *
 * Positions are (row, column); a class token has none. Pairs farther apart than the window have no value: Swin never lets them
 * attend. Seeded tables have variance 1, the network's layers with 1 and 1/512. */
#include <math.h>
#include <string.h>

#include "core/linear.h"
#include "core/quantity.h"

enum { STYLE, WINDOW, PRETRAINED_WINDOW, TABLE, W1, B1, W2, SEED };
enum { STYLE_SWIN, STYLE_SWINV2, STYLE_BEIT };
enum { HIDDEN = 512 };          /* width of Swin v2's network */

static const char *const styles[] = {"swin", "swinv2", "beit", NULL};
static const double usual_window[] = {7, 8, 14};
static const struct param params[] = {
    [STYLE] = {.name = "style", .help = N_("learned table, table from a small network, or learned table with a class token"),
               .type = PARAM_CHOICE, .def = STYLE_SWIN, .choices = styles},
    [WINDOW] = {.name = "window", .title = N_("patch window"), .unit = N_("patches"),
                .help = N_("rows and columns of the window; absent: 7 x 7, swinv2 8 x 8, beit 14 x 14"),
                .type = PARAM_LIST, .def = NAN, .min = 1, .max = 512},
    [PRETRAINED_WINDOW] = {.name = "pretrained_window", .unit = N_("patches"),
                           .help = N_("swinv2: the window that coordinates are measured by; 0, 0: window"),
                           .type = PARAM_LIST, .def = NAN, .min = 0, .max = 512,
                           .when = "style=swinv2"},
    [TABLE] = {.name = "table", .help = N_("bias of each relative place and head"), .type = PARAM_TABLE, .def = NAN},
    [W1] = {.name = "w1", .help = N_("swinv2: first layer, 512 x 2"), .type = PARAM_TABLE, .def = NAN,
            .when = "style=swinv2"},
    [B1] = {.name = "b1", .help = N_("swinv2: offsets of the first layer, 512"), .type = PARAM_TABLE, .def = NAN,
            .when = "style=swinv2"},
    [W2] = {.name = "w2", .help = N_("swinv2: second layer, num_heads x 512"), .type = PARAM_TABLE, .def = NAN,
            .when = "style=swinv2"},
    [SEED] = LINEAR_SEED,
};

struct state {
    double h, w;                /* window */
    double unit_y, unit_x;      /* swinv2: what coordinates are divided by */
    struct table *table;        /* [(2h-1)(2w-1) or 3 more, H]; not under swinv2 */
    struct table *w1, *b1, *w2; /* swinv2 */
    struct linear_heads heads;  /* swinv2: bias of each relative place */
};

static bool read_pair(const struct enc *e, int param, double fallback, double *y, double *x, struct err *err)
{
    const struct table *t = e->param[param].t;
    *y = t && t->n == 2 ? t->v[0] : fallback;
    *x = t && t->n == 2 ? t->v[1] : fallback;
    if ((t && t->n != 2) || *y != floor(*y) || *x != floor(*x))
        return err_set(err, N_("%s: must be two whole numbers from %g to %g, rows and columns"), params[param].name,
                       params[param].min, params[param].max);
    return true;
}

/* A window of one row or column has the one coordinate 0. */
static double log_coordinate(double difference, double unit)
{
    double c = unit > 0 ? 8 * difference / unit : 0;
    return copysign(log2(1 + fabs(c)) / 3, c);
}

static size_t places(const struct enc *e)
{
    const struct state *s = e->state;
    return (size_t)(2 * s->h - 1) * (size_t)(2 * s->w - 1);
}

static bool read_network(struct enc *e, struct err *err)
{
    struct state *s = e->state;
    size_t hidden = HIDDEN;
    return (s->w1 = linear_weights(e, W1, SEED, 1, 2, (size_t[]){hidden, 2}, err)) != NULL &&
           (s->b1 = linear_weights(e, B1, SEED, 1, 1, &hidden, err)) != NULL &&
           (s->w2 = linear_weights(e, W2, SEED, 1 / sqrt(HIDDEN), 2, (size_t[]){(size_t)e->shape.n_heads, hidden},
                                   err)) != NULL &&
           linear_heads_init(&s->heads, e, "window", (double)places(e), err);
}

static bool init(struct enc *e, struct err *err)
{
    struct state *s = e->state;
    int style = (int)enc_num(e, STYLE);
    if (!read_pair(e, WINDOW, usual_window[style], &s->h, &s->w, err) ||
        !read_pair(e, PRETRAINED_WINDOW, 0, &s->unit_y, &s->unit_x, err))
        return false;
    s->unit_y = (s->unit_y > 0 ? s->unit_y : s->h) - 1;
    s->unit_x = (s->unit_x > 0 ? s->unit_x : s->w) - 1;
    if (style == STYLE_SWINV2)
        return read_network(e, err);
    size_t rows = places(e) + (style == STYLE_BEIT ? 3 : 0);
    s->table = linear_weights(e, TABLE, SEED, 1, 2, (size_t[]){rows, (size_t)e->shape.n_heads}, err);
    return s->table != NULL;
}

static void done(struct enc *e)
{
    struct state *s = e->state;
    table_unref(s->table);
    table_unref(s->w1);
    table_unref(s->b1);
    table_unref(s->w2);
    linear_heads_done(&s->heads);
}

/* 16 sigmoid(w2 . relu(w1 (y, x) + b1)) for every relative place. */
static void make_head(const struct enc *e, int head, double *out)
{
    const struct state *s = e->state;
    size_t columns = (size_t)(2 * s->w - 1), n = places(e);
    for (size_t i = 0; i < n; i++) {
        double y = log_coordinate((double)(i / columns) - (s->h - 1), s->unit_y);
        double x = log_coordinate((double)(i % columns) - (s->w - 1), s->unit_x), sum = 0;
        for (size_t u = 0; u < HIDDEN; u++) {
            double unit = s->w1->v[2 * u] * y + s->w1->v[2 * u + 1] * x + s->b1->v[u];
            sum += unit > 0 ? s->w2->v[(size_t)head * HIDDEN + u] * unit : 0;
        }
        out[i] = 16 / (1 + exp(-sum));
    }
}

/* Row of the table, or NAN: beyond the window, or a class token where the style has none. */
static double row_index(const struct enc *e, const double *query, const double *key)
{
    const struct state *s = e->state;
    if (isnan(*query) || isnan(*key)) {
        double n = (double)places(e);
        return enc_num(e, STYLE) != STYLE_BEIT ? NAN : !isnan(*key) ? n : !isnan(*query) ? n + 1 : n + 2;
    }
    double dy = query[0] - key[0], dx = query[1] - key[1];
    return fabs(dy) < s->h && fabs(dx) < s->w ? (dy + s->h - 1) * (2 * s->w - 1) + dx + s->w - 1 : NAN;
}

static void bias(const struct enc *e, int head, const double *q_pos, const double *k_pos, size_t n, double *out)
{
    const struct state *s = e->state;
    const double *column = s->table ? s->table->v + head : linear_heads_get(&s->heads, e, head, make_head);
    size_t step = s->table ? s->table->dim[1] : 1;
    for (size_t j = 0; j < n; j++) {
        double row = row_index(e, q_pos, k_pos + 2 * j);
        out[j] = isnan(row) ? NAN : column[(size_t)row * step];
    }
}

static bool cls(const struct enc *e)
{
    return enc_num(e, STYLE) == STYLE_BEIT;
}

static bool grid(const struct enc *e, struct token_grid *out)
{
    const struct state *s = e->state;
    *out = (struct token_grid){s->h, s->w, cls(e)};
    return enc_has(e, WINDOW);
}

/* Place of token t of a window, row by row; with a class token that comes first. */
static void token_place(const struct enc *e, size_t t, double *pos)
{
    size_t columns = (size_t)((const struct state *)e->state)->w, patch = t - cls(e);
    pos[0] = cls(e) && t == 0 ? NAN : (double)(patch / columns);
    pos[1] = cls(e) && t == 0 ? NAN : (double)(patch % columns);
}

static bool q_index(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    const struct state *s = e->state;
    size_t n = (size_t)(s->h * s->w) + cls(e);
    double *v = answer_new(out, 2, (size_t[]){n, n}, err);
    for (size_t i = 0; v && i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double query[2], key[2];
            token_place(e, i, query);
            token_place(e, j, key);
            v[i * n + j] = row_index(e, query, key);
        }
    }
    out->integer = true;
    return v != NULL;
}

static bool q_log_coords(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    const struct state *s = e->state;
    size_t rows = (size_t)(2 * s->h - 1), columns = (size_t)(2 * s->w - 1);
    double *v = answer_new(out, 3, (size_t[]){rows, columns, 2}, err);
    for (size_t i = 0; v && i < rows * columns; i++) {
        v[2 * i] = log_coordinate((double)(i / columns) - (s->h - 1), s->unit_y);
        v[2 * i + 1] = log_coordinate((double)(i % columns) - (s->w - 1), s->unit_x);
    }
    return v != NULL;
}

static bool q_window(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    const struct state *s = e->state;
    return answer_list(out, (double[]){s->h, s->w}, 2, err);
}

static const struct quantity quantities[] = {
    {.name = "window", .help = N_("rows and columns of the window in use"), .compute = q_window},
    {.name = "index", .help = N_("row of the table for each pair of tokens of a window; beit: class token first"),
     .compute = q_index},
    {.name = "log_coords", .help = N_("swinv2: what the network is given for each relative place: [dy, dx, (y, x)]"),
     .compute = q_log_coords},
};

static double weights(const struct enc *e)
{
    const struct state *s = e->state;
    if (enc_num(e, STYLE) == STYLE_SWINV2)
        return HIDDEN * (2.0 + 1 + e->shape.n_heads);       /* the network: [H, 2] and its bias, [heads, H] */
    return (double)s->table->n;
}

const struct encoding encoding_relpos_2d = {
    .id = "relpos_2d",
    .title = N_("2-D relative bias"),
    .help = N_("Within a window of an image, each relative place of two patches has a learned number for each head that "
               "is added to the logit. Swin v2 computes the numbers by a small network from logarithmic coordinates, so "
               "that windows may change size."),
    .year = 2021,
    .cite = "Liu et al. 2021 (arXiv 2103.14030), 2022 (arXiv 2111.09883); Bao et al. 2022 (arXiv 2106.08254)",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .axes = 2,
    .grid = grid,
    .state_size = sizeof(struct state),
    .promises = PROMISE_RELATIVE | PROMISE_NEEDS_TABLE,
    .init = init,
    .done = done,
    .bias = bias,
    .weights = weights,
};
