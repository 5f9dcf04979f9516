/* rope.c - rotary position embedding (Su et al. 2021, arXiv 2104.09864, section 3.2, equations 13 to 16).
 *
 *     w_k = B^(-2k/d),  k < d/2,  d = rotary_dim;  channels (a, b) of pair k turn by the angle p w_k, in queries and keys
 *
 * so that a score depends on i - j alone. Here are also the things that models add to it: three channel layouts, partial rotation
 * (the first rotary_dim channels after qk_nope_head_dim untouched ones), every scaling type of rope_scaling (core/rotary.h) and
 * M-RoPE: positions are triples (t, y, x), and mrope_section says which coordinate turns which pair.
 *
 * Chunked sections [nt, ny, nx] count pairs in turn. Interleaved ones give pair k to y if k mod 3 = 1 and k < 3 ny, to x if
 * k mod 3 = 2 and k < 3 nx, else to t. Frequencies do not restart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/quantity.h"
#include "core/rotary.h"

enum { LAYOUT, ROPE_THETA, ROTARY_DIM, PARTIAL, ROPE_TYPE, FACTOR, ORIGINAL, MAXIMUM, ALPHA, ATTENTION_FACTOR, BETA_FAST,
       BETA_SLOW, TRUNCATE, MSCALE, MSCALE_ALL_DIM, LOW_FREQ, HIGH_FREQ, SHORT_FACTOR, LONG_FACTOR, SHORT_MSCALE, LONG_MSCALE,
       MROPE_SECTION, MROPE_INTERLEAVED, NOPE_DIM };

static const struct param params[] = {
    [LAYOUT] = {.name = "layout", .help = N_("which channels form a pair: half is k and k + d/2, interleaved is 2k and 2k + 1"),
                .type = PARAM_CHOICE, .def = ROTARY_HALF, .choices = rotary_layouts,
                .titles = rotary_layout_titles},
    [ROPE_THETA] = {.name = "rope_theta",
                    .help = N_("base B of the frequencies; a larger one makes all pairs but the first turn slower"),
                    .type = PARAM_REAL, .def = 10000, .min = 1, .max = 1e12},
    [ROTARY_DIM] = {.name = "rotary_dim", .unit = N_("channels"),
                    .help = N_("channels of each head that turn; without it all of them, or the partial share"),
                    .type = PARAM_INT, .def = NAN, .min = 2, .max = 65536, .step = 2},
    [PARTIAL] = {.name = "partial_rotary_factor", .help = N_("share of the channels that turn"),
                 .type = PARAM_REAL, .def = NAN, .min = 0, .max = 1, .step = 0.0625},
    [ROPE_TYPE] = {.name = "rope_type", .help = N_("how the frequencies are changed to reach beyond the trained length"),
                   .type = PARAM_CHOICE, .def = ROPE_DEFAULT, .choices = rope_types},
    [FACTOR] = {.name = "factor", .help = N_("how many times the trained length is stretched"),
                .type = PARAM_REAL, .def = NAN, .min = 1, .max = 1e6,
                .when = "rope_type=linear|dynamic|yarn|longrope|llama3|proportional"},
    [ORIGINAL] = {.name = "original_max_position_embeddings", .unit = N_("tokens"),
                  .help = N_("length trained on before stretching"),
                  .type = PARAM_REAL, .def = NAN, .min = 1, .max = 1e12},
    [MAXIMUM] = {.name = "max_position_embeddings", .unit = N_("tokens"),
                 .help = N_("length that the model's configuration states"),
                 .type = PARAM_REAL, .def = NAN, .min = 1, .max = 1e12},
    [ALPHA] = {.name = "alpha", .help = N_("ntk: the base is multiplied by alpha^(d/(d-2)), at every length"),
               .type = PARAM_REAL, .def = NAN, .min = 1, .max = 1e9,
               .when = "rope_type=ntk|dynamic"},
    [ATTENTION_FACTOR] = {.name = "attention_factor",
                          .help = N_("yarn, longrope: cos and sin are multiplied by it; without it, derived from factor"),
                          .type = PARAM_REAL, .def = NAN, .min = 1e-3, .max = 100, .step = 0.05,
                          .when = "rope_type=yarn|longrope"},
    [BETA_FAST] = {.name = "beta_fast", .unit = N_("turns"),
                   .help = N_("yarn: pairs that turn more often within the trained length are kept"),
                   .type = PARAM_REAL, .def = 32, .min = 1e-3, .max = 1e6,
                   .when = "rope_type=yarn"},
    [BETA_SLOW] = {.name = "beta_slow", .unit = N_("turns"),
                   .help = N_("yarn: pairs that turn less often within the trained length are divided by factor"),
                   .type = PARAM_REAL, .def = 1, .min = 1e-3, .max = 1e6,
                   .when = "rope_type=yarn"},
    [TRUNCATE] = {.name = "truncate",
                  .help = N_("yarn: round the ends of the blending band to whole pairs"), .type = PARAM_BOOL, .def = 1,
                  .when = "rope_type=yarn"},
    [MSCALE] = {.name = "mscale",
                .help = N_("yarn: attention_factor is (0.1 mscale ln s + 1)/(0.1 mscale_all_dim ln s + 1) if both are given"),
                .type = PARAM_REAL, .def = NAN, .min = 0, .max = 100, .step = 0.1,
                .when = "rope_type=yarn"},
    [MSCALE_ALL_DIM] = {.name = "mscale_all_dim",
                        .help = N_("yarn: the scale of all logits is multiplied by (0.1 mscale_all_dim ln s + 1)^2 (DeepSeek)"),
                        .type = PARAM_REAL, .def = NAN, .min = 0, .max = 100, .step = 0.1,
                        .when = "rope_type=yarn"},
    [LOW_FREQ] = {.name = "low_freq_factor", .unit = N_("turns"),
                  .help = N_("llama3: pairs that turn less often within the trained length are divided by factor"),
                  .type = PARAM_REAL, .def = 1, .min = 1e-3, .max = 1e6,
                  .when = "rope_type=llama3"},
    [HIGH_FREQ] = {.name = "high_freq_factor", .unit = N_("turns"),
                   .help = N_("llama3: pairs that turn more often within the trained length are kept"),
                   .type = PARAM_REAL, .def = 4, .min = 1e-3, .max = 1e6,
                   .when = "rope_type=llama3"},
    [SHORT_FACTOR] = {.name = "short_factor", .help = N_("longrope: divisor of each pair's frequency up to the trained length"),
                      .type = PARAM_LIST, .def = NAN, .min = 1e-3, .max = 1e6,
                      .when = "rope_type=longrope"},
    [LONG_FACTOR] = {.name = "long_factor", .help = N_("longrope: divisor of each pair's frequency beyond the trained length"),
                     .type = PARAM_LIST, .def = NAN, .min = 1e-3, .max = 1e6,
                     .when = "rope_type=longrope"},
    [SHORT_MSCALE] = {.name = "short_mscale", .help = N_("longrope: attention factor up to the trained length"),
                      .type = PARAM_REAL, .def = NAN, .min = 1e-3, .max = 100, .step = 0.05,
                      .when = "rope_type=longrope"},
    [LONG_MSCALE] = {.name = "long_mscale", .help = N_("longrope: attention factor beyond the trained length"),
                     .type = PARAM_REAL, .def = NAN, .min = 1e-3, .max = 100, .step = 0.05,
                     .when = "rope_type=longrope"},
    [MROPE_SECTION] = {.name = "mrope_section", .unit = N_("pairs"),
                       .help = N_("M-RoPE: how many pairs turn with time, row and column"),
                       .type = PARAM_LIST, .def = NAN, .min = 0, .max = 32768},
    [MROPE_INTERLEAVED] = {.name = "mrope_interleaved",
                           .help = N_("M-RoPE: deal the pairs out in turn instead of in three blocks"),
                           .type = PARAM_BOOL, .def = 0},
    [NOPE_DIM] = {.name = "qk_nope_head_dim", .unit = N_("channels"),
                  .help = N_("channels without position before the ones that turn (DeepSeek's latent attention)"),
                  .type = PARAM_INT, .def = 0, .min = 0, .max = 65536, .step = 16},
};

/* ---- opening ----------------------------------------------------------------------------------------- */

/* Whole share of the channels, cut as the published code cuts it: int(width * factor). */
static double rotary_dim(const struct enc *e)
{
    double width = e->shape.d_head - enc_num(e, NOPE_DIM);
    if (enc_num(e, ROPE_TYPE) == ROPE_PROPORTIONAL)
        return width;
    if (enc_has(e, ROTARY_DIM))
        return enc_num(e, ROTARY_DIM);
    return enc_has(e, PARTIAL) ? trunc(width * enc_num(e, PARTIAL)) : width;
}

/* Share of the pairs that turn under the type proportional. */
static double share(const struct enc *e)
{
    if (enc_has(e, PARTIAL) || !enc_has(e, ROTARY_DIM))
        return enc_num(e, PARTIAL);
    return enc_num(e, ROTARY_DIM) / (e->shape.d_head - enc_num(e, NOPE_DIM));
}

static struct rope_scaling scaling(const struct enc *e)
{
    return (struct rope_scaling){
        .type = (enum rope_type)enc_num(e, ROPE_TYPE), .base = enc_num(e, ROPE_THETA), .width = rotary_dim(e),
        .length = e->shape.length,
        .factor = enc_num(e, FACTOR), .original = enc_num(e, ORIGINAL), .maximum = enc_num(e, MAXIMUM), .partial = share(e),
        .alpha = enc_num(e, ALPHA), .attention_factor = enc_num(e, ATTENTION_FACTOR), .beta_fast = enc_num(e, BETA_FAST),
        .beta_slow = enc_num(e, BETA_SLOW), .mscale = enc_num(e, MSCALE), .mscale_all_dim = enc_num(e, MSCALE_ALL_DIM),
        .low_freq_factor = enc_num(e, LOW_FREQ), .high_freq_factor = enc_num(e, HIGH_FREQ),
        .short_mscale = enc_num(e, SHORT_MSCALE), .long_mscale = enc_num(e, LONG_MSCALE),
        .short_factor = e->param[SHORT_FACTOR].t, .long_factor = e->param[LONG_FACTOR].t, .truncate = enc_num(e, TRUNCATE) == 1,
    };
}

static bool sections_fit(const struct table *s, size_t pairs, struct err *err)
{
    double sum = 0;
    if (s->n != 3)
        return err_set(err, N_("mrope_section has %zu entries, must be 3: time, row, column"), s->n);
    for (size_t i = 0; i < 3; i++) {
        if (s->v[i] != floor(s->v[i]))
            return err_set(err, N_("mrope_section: %g is no whole number of pairs"), s->v[i]);
        sum += s->v[i];
    }
    return sum == (double)pairs ||
           err_set(err, N_("mrope_section counts %g pairs, must be %zu, half of the channels that turn"), sum, pairs);
}

static int axis_of_pair(const double *section, bool interleaved, size_t k)
{
    double y = section[1], x = section[2];
    if (interleaved)
        return k % 3 == 1 && (double)k < 3 * y ? 1 : k % 3 == 2 && (double)k < 3 * x ? 2 : 0;
    return (double)k < section[0] ? 0 : (double)k < section[0] + y ? 1 : 2;
}

static bool init_axes(struct enc *e, struct rotary *r, struct err *err)
{
    const struct table *section = e->param[MROPE_SECTION].t;
    if (!section)
        return enc_num(e, ROPE_TYPE) != ROPE_MROPE || err_set(err, N_("rope_type mrope needs mrope_section"));
    if (!sections_fit(section, r->n, err))
        return false;
    e->axes = 3;
    for (size_t k = 0; k < r->n; k++)
        r->axis[k] = axis_of_pair(section->v, enc_num(e, MROPE_INTERLEAVED) == 1, k);
    return true;
}

/* The number of channels that turn; a message names the parameter that it comes from. */
static bool width_fits(const struct enc *e, double width, struct err *err)
{
    int head = e->shape.d_head;
    double nope = enc_num(e, NOPE_DIM), room = head - nope;
    bool whole = enc_num(e, ROPE_TYPE) == ROPE_PROPORTIONAL || !(enc_has(e, ROTARY_DIM) || enc_has(e, PARTIAL));
    if (room >= 2 && width >= 2 && width <= room && fmod(width, 2) == 0)
        return true;
    if (room >= 2 && !whole && enc_has(e, ROTARY_DIM))
        return err_set(err, N_("rotary_dim = %g: must be an even number from 2 to %g, what head_dim = %d and qk_nope_head_dim = %g leave"), width,
                       room, head, nope);
    if (room >= 2 && !whole)
        return err_set(err, N_("partial_rotary_factor = %g: %g of %g channels would turn, must be an even number from 2 (head_dim = %d, qk_nope_head_dim = %g)"),
                       enc_num(e, PARTIAL), width, room, head, nope);
    if (nope != 0)
        return err_set(err, N_("qk_nope_head_dim = %g: leaves %g of head_dim = %d channels to turn, must be an even number from 2"), nope, room, head);
    return err_set(err, N_("head_dim = %d: must be an even number from 2, for pairs of channels to turn"), head);
}

static bool init(struct enc *e, struct err *err)
{
    struct rope_scaling s = scaling(e);
    if (!width_fits(e, s.width, err))
        return false;
    rotary_init(e->state, (size_t)s.width / 2);
    rotary_set_layout(e->state, (enum rotary_layout)enc_num(e, LAYOUT), (int)enc_num(e, NOPE_DIM));
    if (!rope_frequencies(&s, e->state, err) || !init_axes(e, e->state, err))
        return false;
    rotary_spectrum(e->state);
    if (s.type == ROPE_YARN && !isnan(s.mscale_all_dim))
        e->scale *= pow(rope_yarn_mscale(rope_factor(&s), s.mscale_all_dim), 2);
    return true;
}

/* ---- quantities ---------------------------------------------------------------------------------------- */

static bool q_inv_freq(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    double *v = answer_new(out, 1, &rotary_of(e)->n, err);
    if (v)
        memcpy(v, rotary_of(e)->inv_freq, rotary_of(e)->n * sizeof *v);
    return v != NULL;
}

static bool q_attention_factor(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    return answer_list(out, &rotary_of(e)->magnitude, 1, err);
}

static bool q_softmax_scale(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    double d = e->shape.d_head, width = request_number(r, "qk_head_dim", d);
    return width >= 1 ? answer_list(out, &(double){e->scale * sqrt(d / width)}, 1, err)
                      : err_set(err, N_("qk_head_dim = %g: must be at least 1"), width);
}

/* Values in use of parameters that are derived where they are not given. */
static bool q_rotary_dim(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    return answer_list(out, &(double){rotary_dim(e)}, 1, err);
}

static bool q_factor(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    struct rope_scaling s = scaling(e);
    return answer_list(out, &(double){rope_factor(&s)}, 1, err);
}

static bool q_original(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    return answer_list(out, &rotary_of(e)->trained, 1, err);
}

/* The base that dynamic and ntk scaling make of rope_theta at this length. */
static bool q_base(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    struct rope_scaling s = scaling(e);
    return answer_list(out, &(double){rope_base(&s)}, 1, err);
}

/* cos and sin as the layout's code holds them, one a channel: half has the pairs twice in a row, interleaved each pair twice. */
static bool waves(const struct enc *e, const struct request *r, double (*wave)(double), struct answer *out, struct err *err)
{
    const struct rotary *t = rotary_of(e);
    size_t n, pairs = t->n;
    bool twice = enc_num(e, LAYOUT) == ROTARY_INTERLEAVED;
    double *pos = request_positions(r, e->axes, &n, err);
    double *v = pos ? answer_new(out, 2, (size_t[]){n, 2 * pairs}, err) : NULL;
    for (size_t i = 0; v && i < n; i++) {
        for (size_t c = 0; c < 2 * pairs; c++) {
            size_t k = twice ? c / 2 : c % pairs;
            v[i * 2 * pairs + c] = t->magnitude * wave(pos[i * (size_t)e->axes + (size_t)t->axis[k]] * t->inv_freq[k]);
        }
    }
    free(pos);
    return v != NULL;
}

static bool q_cos(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    return waves(e, r, cos, out, err);
}

static bool q_sin(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    return waves(e, r, sin, out, err);
}

/* [position, 2, pair]: cos, then sin, of the pairs asked for. */
static bool q_cos_sin(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    const struct rotary *t = rotary_of(e);
    const struct table *pairs = request_list(r, "pairs");
    size_t n, kept = pairs ? pairs->n : t->n;
    for (size_t i = 0; pairs && i < kept; i++)
        if (!(pairs->v[i] >= 0 && pairs->v[i] < (double)t->n) || pairs->v[i] != floor(pairs->v[i]))
            return err_set(err, N_("pairs: entry %zu is %g, allowed is 0 to %zu"), i, pairs->v[i], t->n - 1);
    double *pos = request_positions(r, e->axes, &n, err);
    double *v = pos ? answer_new(out, 3, (size_t[]){n, 2, kept}, err) : NULL;
    for (size_t i = 0; v && i < n; i++) {
        for (size_t c = 0; c < kept; c++) {
            size_t k = pairs ? (size_t)pairs->v[c] : c;
            double angle = pos[i * (size_t)e->axes + (size_t)t->axis[k]] * t->inv_freq[k];
            v[2 * i * kept + c] = t->magnitude * cos(angle);
            v[(2 * i + 1) * kept + c] = t->magnitude * sin(angle);
        }
    }
    free(pos);
    return v != NULL;
}

/* (q turned at m) . (k turned at n) for each (m, n) of positions. */
static bool q_dot(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    size_t d = (size_t)e->shape.d_head;
    const struct table *pairs = r->positions, *q = request_need(r, "q", 1, &d, err);
    const struct table *k = q ? request_need(r, "k", 1, &d, err) : NULL;
    if (!k)
        return false;
    if (e->axes != 1 || !pairs || pairs->rank != 2 || pairs->dim[1] != 2)
        return err_set(err, N_("positions: must be a list of pairs [query, key]"));
    double *v = answer_new(out, 1, pairs->dim, err), *x = xmalloc(2 * d * sizeof *x);
    for (size_t i = 0; v && i < pairs->dim[0]; i++) {
        memcpy(x, q->v, d * sizeof *x);
        memcpy(x + d, k->v, d * sizeof *x);
        rotary_hook_rotate(e, SIDE_QUERY, 0, pairs->v + 2 * i, 1, x);
        rotary_hook_rotate(e, SIDE_KEY, 0, pairs->v + 2 * i + 1, 1, x + d);
        for (size_t c = 0; c < d; c++)
            v[i] += x[c] * x[d + c];
    }
    free(x);
    return v != NULL;
}

/* Calls of one module in turn. "grow and reset": a call shorter than M forgets, else the longest length since then counts. */
static bool q_inv_freq_per_call(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    const struct table *calls = request_list(r, "call_lengths");
    bool grows = !strcmp(request_text(r, "state", "stateless rule"), "grow and reset");
    size_t pairs = rotary_of(e)->n;
    double longest = 0;
    if (!calls)
        return err_set(err, N_("call_lengths: must be a list of numbers"));
    double *v = answer_new(out, 2, (size_t[]){calls->n, pairs}, err);
    for (size_t i = 0; v && i < calls->n; i++) {
        struct shape shape = e->shape;
        longest = grows && calls->v[i] >= enc_num(e, MAXIMUM) ? fmax(longest, calls->v[i]) : calls->v[i];
        shape.length = longest;
        struct enc *call = enc_open(e->kind, &shape, e->param, err);
        if (!call)
            return false;
        memcpy(v + i * pairs, rotary_of(call)->inv_freq, pairs * sizeof *v);
        enc_close(call);
    }
    return v != NULL;
}

static bool q_axis_of_pair(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    out->integer = true;
    double *v = answer_new(out, 1, &rotary_of(e)->n, err);
    for (size_t k = 0; v && k < rotary_of(e)->n; k++)
        v[k] = rotary_of(e)->axis[k];
    return v != NULL;
}

/* Row r of an interleaved (GGUF) tensor is this row of the half-split (Hugging Face) one, head by head. */
static bool q_source_row(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    bool keys = !strcmp(request_text(r, "tensor", "q"), "k");
    double heads = keys ? request_number(r, "num_kv_heads", e->shape.n_heads) : e->shape.n_heads;
    size_t d = (size_t)e->shape.d_head;
    if (!(heads >= 1 && heads <= 65536) || heads != floor(heads))
        return err_set(err, N_("num_kv_heads = %g: must be a whole number from 1 to 65536"), heads);
    if (d % 2)
        return err_set(err, N_("head_dim = %d: must be even"), e->shape.d_head);
    out->integer = true;
    double *v = answer_new(out, 1, (size_t[]){(size_t)heads * d}, err);
    for (size_t row = 0; v && row < (size_t)heads * d; row++) {
        size_t c = row % d;
        v[row] = (double)(row - c + c % 2 * (d / 2) + c / 2);
    }
    return v != NULL;
}

/* One image of grid (t, h, w) merged cells from position s on; returns how many tokens it takes. */
static size_t place_image(const double *grid, double s, size_t n, size_t at, double *v)
{
    size_t i = at;
    for (double f = 0; f < grid[0]; f++)
        for (double y = 0; y < grid[1]; y++)
            for (double x = 0; x < grid[2]; x++, i++)
                if (i < n) {
                    v[i] = s + f;
                    v[n + i] = s + y;
                    v[2 * n + i] = s + x;
                }
    return i - at;
}

/* Grid number `image` in merged cells; images are rows of image_grid_thw, or it is one row. */
static bool merged_grid(const struct table *grids, size_t image, double merge, double grid[3], struct err *err)
{
    if (!grids || grids->n % 3 || image >= grids->n / 3)
        return err_set(err, N_("image_grid_thw: must hold [frames, rows, columns] for image %zu"), image + 1);
    for (size_t i = 0; i < 3; i++) {
        grid[i] = grids->v[3 * image + i] / (i ? merge : 1);
        if (!(grid[i] >= 1 && grid[i] <= 1e6) || grid[i] != floor(grid[i]) || merge != floor(merge))
            return err_set(err, N_("image_grid_thw: %g patches do not divide into cells of %g"), grids->v[3 * image + i], merge);
    }
    return true;
}

/* Text advances all three coordinates together; after an image the next token continues at its start + the longer side. */
static bool q_position_ids(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)e;
    const struct table *types = request_list(r, "token_types"), *grids = request_list(r, "image_grid_thw");
    double merge = request_number(r, "spatial_merge_size", 2), next = 0, grid[3];
    if (!types || !types->n)
        return err_set(err, N_("token_types: must be a list, 0 for text and 1 for a cell of an image"));
    size_t n = types->n, images = 0;
    double *v = answer_new(out, 2, (size_t[]){3, n}, err);
    out->integer = true;
    for (size_t i = 0; v && i < n;) {
        if (types->v[i] == 0) {
            v[i] = v[n + i] = v[2 * n + i] = next++;
            i++;
            continue;
        }
        if (!merged_grid(grids, images++, merge, grid, err))
            return false;
        if (grid[0] * grid[1] * grid[2] > (double)(n - i))
            return err_set(err, N_("image %zu has %g cells, token_types holds fewer"), images, grid[0] * grid[1] * grid[2]);
        i += place_image(grid, next, n, i, v);
        next += fmax(grid[1], grid[2]);
    }
    return v != NULL;
}

static const struct quantity quantities[] = {
    {.name = "inv_freq", .help = N_("frequency of each pair, radians a position"), .compute = q_inv_freq},
    {.name = "cos", .help = N_("cosines as the layout holds them: [position, channel]"), .compute = q_cos},
    {.name = "sin", .help = N_("sines as the layout holds them: [position, channel]"), .compute = q_sin},
    {.name = "cos_sin", .help = N_("cosines, then sines: [position, 2, pair]"), .compute = q_cos_sin},
    {.name = "dot", .help = N_("turned q . turned k for each pair of positions"), .compute = q_dot},
    {.name = "attention_factor", .help = N_("what cos and sin are multiplied by"), .compute = q_attention_factor},
    {.name = "rotary_dim", .help = N_("the channels that turn"), .compute = q_rotary_dim},
    {.name = "factor", .help = N_("the stretch in use"), .compute = q_factor},
    {.name = "original_max_position_embeddings", .help = N_("the trained length in use"), .compute = q_original},
    {.name = "base", .help = N_("the base in use at this length"), .compute = q_base},
    {.name = "softmax_scale", .help = N_("what the logits are multiplied by"), .compute = q_softmax_scale},
    {.name = "inv_freq_per_call",
     .help = N_("frequencies of calls of call_lengths tokens, one after the other"), .compute = q_inv_freq_per_call},
    {.name = "axis_of_pair", .help = N_("coordinate that turns each pair: 0 time, 1 row, 2 column"), .compute = q_axis_of_pair},
    {.name = "position_ids",
     .help = N_("M-RoPE positions of text and images: [3, token]"), .compute = q_position_ids, .no_instance = true},
    {.name = "source_row",
     .help = N_("for each row of a GGUF tensor, the row of the half-split tensor it comes from"), .compute = q_source_row},
};

static const char *const aliases[] = {"rope_scaling", "mrope", "gguf_permute", NULL};

const struct encoding encoding_rope = {
    .id = "rope",
    .title = N_("RoPE"),
    .help = N_("Rotary position embedding: each pair of channels of a query or key is turned by an angle proportional to "
               "its position, fast in the first pairs and slowly in the last. A dot product then depends on the distance "
               "alone. Longer texts than trained on bring angles that the slow pairs never met; the scaling types change "
               "the frequencies so that they do not."),
    .year = 2021,
    .cite = "Su et al. 2021, section 3.2 (arXiv 2104.09864)",
    .aliases = aliases,
    .scheme = "rope",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .axes = 1,
    .state_size = sizeof(struct rotary),
    .promises = PROMISE_RELATIVE | PROMISE_ISOMETRIC,
    .init = init,
    .done = rotary_hook_done,
    .rotate = rotary_hook_rotate,
    .spectrum = rotary_hook_spectrum,
};
