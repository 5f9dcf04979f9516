/* Every (encoding, output) pair of `posviz compute` against a second way to the same number: tests/support/twin.h, or the definition worked out
 * here, over corners of the parameters, several lengths, offsets and heads. A pair that the registry offers and `ways` does not list fails
 * the test: a new encoding or output must bring its second way. If these fail, a number in an answer, and on the screen, is wrong.
 *
 * Tolerance: 1e-13 of the value's size for sums of this length, plus what rounding does to angles (twin_slack), integers exactly. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "core/encoding.h"
#include "core/quantity.h"
#include "../support/twin.h"

/* ---- what is asked ------------------------------------------------------------------------------------- */

enum { TOKENS = 64, ARGS = 40 };

struct ask {
    struct twin t;
    const char *positions;          /* "0,1,5", one such row for each coordinate: "0,1;3,3", or NULL: counted */
    size_t n, axes;                 /* of the positions */
    double pos[TOKENS][TWIN_AXES];
};

static int whole(const struct ask *a, const char *name, int otherwise)
{
    return (int)twin_num(&a->t, name, otherwise);
}

static void read_positions(struct ask *a)
{
    const char *at = a->positions;
    a->n = (size_t)fminl(twin_length(&a->t), TOKENS);
    for (size_t i = 0; i < TOKENS; i++)
        for (size_t x = 0; x < TWIN_AXES; x++)
            a->pos[i][x] = (double)i;
    if (!at)
        return;
    for (a->axes = 0; *at; a->axes++, at += *at == ';')
        for (a->n = 0; *at && *at != ';'; a->n++) {
            char *end;
            a->pos[a->n][a->axes] = strtod(at, &end);
            at = end + (*end == ',');
        }
    for (size_t i = 0; a->axes == 1 && i < a->n; i++)       /* one row serves every axis */
        for (size_t x = 1; x < TWIN_AXES; x++)
            a->pos[i][x] = a->pos[i][0];
}

static size_t queries(const struct ask *a) { return a->positions ? a->n : (size_t)whole(a, "qlen", (int)a->n); }
static size_t keys(const struct ask *a) { return a->positions ? a->n : (size_t)whole(a, "klen", (int)a->n); }

static const double *query_at(const struct ask *a, size_t i)
{
    static double shifted[TWIN_AXES];
    for (size_t x = 0; x < TWIN_AXES; x++)
        shifted[x] = a->pos[i][x] + (a->positions ? 0 : whole(a, "query_start", 0));
    return shifted;
}

static size_t pairs(const struct ask *a)
{
    const struct twin_pair *p;
    return (size_t)twin_pairs(&a->t, &p);
}

/* A dimension by its letter. */
static size_t size_of(const struct ask *a, char letter)
{
    size_t H = (size_t)twin_heads(&a->t), d = (size_t)twin_d_head(&a->t), h = (size_t)twin_window(&a->t, 0), w = (size_t)twin_window(&a->t, 1);
    switch (letter) {
    case 'n': return a->n;
    case 'q': return queries(a);
    case 'k': return keys(a);
    case 'H': return H;
    case 'd': return d;
    case 'A': return H * d;
    case 'T': return 3 * H * d;
    case 'm': return (size_t)twin_d_model(&a->t);
    case 'p': return pairs(a);
    case 'r': return 2 * pairs(a);
    case 'b': return (size_t)whole(a, "batch", 2);
    case 'M': return (size_t)whole(a, "mem", 3);
    case 'K': return (size_t)whole(a, "mem", 3) + (size_t)whole(a, "now", 4);
    case 'Q': return (size_t)whole(a, "now", 4);
    case 'W': return h * w + twin_is(&a->t, "style", "swin", "beit");
    case 'Y': return 2 * h - 1;
    case 'X': return 2 * w - 1;
    case 'c': return (size_t)whole(a, "calls", 0);
    case 't': return (size_t)whole(a, "tokens", 0);
    case 'S': return (size_t)(twin_is(&a->t, "tensor", "q", "k") ? whole(a, "num_kv_heads", (int)H) : (int)H) * d;
    case 'G': return (size_t)whole(a, "patches", 0);
    case 'P': return a->n / 2;
    default:  return (size_t)(letter - '0');
    }
}

/* ---- inputs -------------------------------------------------------------------------------------------- */

static struct table *weights(const struct ask *a, const char *name, const char *letters)
{
    size_t dim[TABLE_MAX_RANK];
    int rank = 0;
    for (; letters[rank]; rank++)
        dim[rank] = size_of(a, letters[rank]);
    struct table *t = table_new(rank, dim);
    for (size_t i = 0; i < t->n; i++)
        t->v[i] = twin_weight(name, i);
    return t;
}

static struct table *sized(const char *name, size_t rows, size_t columns)
{
    struct table *t = table_new(columns ? 2 : 1, (size_t[]){rows, columns});
    for (size_t i = 0; i < t->n; i++)
        t->v[i] = twin_weight(name, i);
    return t;
}

struct inputs { struct arg arg[ARGS]; size_t n; };

static void add(struct inputs *in, const char *name, struct table *t)
{
    in->arg[in->n++] = (struct arg){.name = name, .number = NAN, .list = t};
}

static void add_deberta(const struct ask *a, struct inputs *in)
{
    size_t all = size_of(a, 'A'), D = size_of(a, 'm');
    static const char *const projections[] = {"query_proj_weight", "key_proj_weight", "pos_query_proj_weight", "pos_key_proj_weight",
                                              "pos_proj_weight", "pos_q_proj_weight"};
    static const char *const offsets[] = {"query_proj_bias", "key_proj_bias", "pos_query_proj_bias", "pos_key_proj_bias", "pos_q_proj_bias", "q_bias"};
    for (size_t i = 0; i < sizeof projections / sizeof *projections; i++) {
        add(in, projections[i], sized(projections[i], all, D));
        add(in, offsets[i], sized(offsets[i], all, 0));
    }
    add(in, "in_proj_weight", sized("in_proj_weight", 3 * all, D));
    size_t rows = 2 * (size_t)(twin_deberta_v1(&a->t) ? twin_deberta_M(&a->t) : twin_deberta_span(&a->t));
    if (rows <= 4096)
        add(in, "rel_embeddings", sized("rel_embeddings", rows, D));
}

/* The weights of the kind, where it has any. */
static void add_weights(const struct ask *a, struct inputs *in)
{
    const char *id = a->t.id;
    size_t H = size_of(a, 'H'), d = size_of(a, 'd'), D = size_of(a, 'm');
    bool v2 = twin_is(&a->t, "style", "swin", "swinv2");
    if (!strcmp(id, "learned"))
        add(in, "table", sized("table", (size_t)twin_learned_rows(&a->t), D));
    if (!strcmp(id, "t5_bias"))
        add(in, "table", sized("table", (size_t)whole(a, "num_buckets", 32), H));
    if (!strcmp(id, "cope"))
        add(in, "pos_emb", sized("pos_emb", d, (size_t)whole(a, "npos_max", 64)));
    if (!strcmp(id, "relpos_2d") && !v2)
        add(in, "table", sized("table", size_of(a, 'Y') * size_of(a, 'X') + (twin_is(&a->t, "style", "swin", "beit") ? 3 : 0), H));
    if (!strcmp(id, "relpos_2d") && v2) {
        add(in, "w1", sized("w1", 512, 2));
        add(in, "b1", sized("b1", 512, 0));
        add(in, "w2", sized("w2", H, 512));
    }
    if (!strcmp(id, "fire")) {
        size_t W = (size_t)whole(a, "mlp_width", 32);
        add(in, "w1", sized("w1", W, 1));
        add(in, "b1", sized("b1", W, 0));
        add(in, "w2", sized("w2", H, W));
        add(in, "b2", sized("b2", H, 0));
    }
    if (!strcmp(id, "shaw")) {
        add(in, "key_table", sized("key_table", (size_t)twin_shaw_rows(&a->t), d));
        add(in, "value_table", sized("value_table", (size_t)twin_shaw_rows(&a->t), d));
    }
    if (!strcmp(id, "transformer_xl")) {
        add(in, "r_weight", sized("r_weight", H * d, D));
        add(in, "u", sized("u", H, d));
        add(in, "v", sized("v", H, d));
    }
    if (!strcmp(id, "deberta"))
        add_deberta(a, in);
}

/* "x:nd q:d": tables by name with these dimensions. */
static void add_inputs(const struct ask *a, const char *spec, struct inputs *in)
{
    static char names[ARGS][24];
    for (size_t used = 0; *spec; used++) {
        char letters[8];
        int eaten = 0;
        assert_int_equal(sscanf(spec, "%23[^:]:%7s %n", names[used], letters, &eaten), 2);
        spec += eaten;
        add(in, names[used], weights(a, names[used], letters));
    }
}

static void release(struct inputs *in)
{
    for (size_t i = 0; i < in->n; i++)
        table_unref(in->arg[i].list);
}

static struct table *to_list(const char *text)
{
    double v[200];
    size_t n = 0;
    for (char *end; *text; text = end + (*end == ','))
        v[n++] = strtod(text, &end);
    return table_list(v, n);
}

/* The settings as arguments, copied into words. */
static size_t to_args(const char *settings, char *words, struct arg *args)
{
    size_t n = 0;
    strcpy(words, settings);
    for (char *save = NULL, *one = strtok_r(words, ";", &save); one; one = strtok_r(NULL, ";", &save), n++) {
        char *value = strchr(one, '='), *end;
        *value++ = '\0';
        args[n] = (struct arg){.name = one, .number = strtod(value, &end)};
        if (*end == ',' && end > value)
            args[n].list = to_list(value);
        if (*end || end == value)
            args[n].number = !strcmp(value, "true") ? 1 : !strcmp(value, "false") ? 0 : NAN;
        if (isnan(args[n].number) && !args[n].list)
            args[n].text = value;
    }
    return n;
}

static struct table *to_positions(const struct ask *a)
{
    if (!a->positions)
        return NULL;
    struct table *t = table_new(a->axes > 1 ? 2 : 1, a->axes > 1 ? (size_t[]){a->axes, a->n} : (size_t[]){a->n});
    for (size_t i = 0; i < a->n; i++)
        for (size_t x = 0; x < a->axes; x++)
            t->v[x * a->n + i] = a->pos[i][x];
    return t;
}

/* ---- general outputs ----------------------------------------------------------------------------------- */

typedef real want_fn(const struct ask *a, const size_t *i);

static real want_pe(const struct ask *a, const size_t *i)
{
    return twin_row(&a->t, a->pos[i[0]], (int)i[1]);
}

static int side(const struct ask *a)
{
    return twin_is(&a->t, "side", "query", "key") ? -1 : 1;
}

/* A channel of the vector of this name and row, turned at pos. The whole vector is kept for its other channels. */
static real turned(const struct ask *a, int which, const double *pos, const char *name, size_t row, int channel)
{
    static struct kept { const struct ask *a; double pos[TWIN_AXES]; char name; size_t row; real out[TWIN_WIDTH], slack; } all[2];
    struct kept *k = &all[which > 0];
    if (channel == 0 || k->a != a || k->row != row || k->name != *name || memcmp(k->pos, pos, sizeof k->pos)) {
        double x[TWIN_WIDTH];
        real before = twin_slack;
        twin_slack = 0;
        twin_vector(name, (int)row, twin_d_head(&a->t), x);
        twin_turn(&a->t, which, pos, x, k->out);
        k->a = a;
        k->row = row;
        k->name = *name;
        memcpy(k->pos, pos, sizeof k->pos);
        k->slack = twin_slack;
        twin_slack = before;
    }
    twin_slack += k->slack;
    return k->out[channel];
}

static real want_rotated(const struct ask *a, const size_t *i)
{
    return turned(a, side(a), a->pos[i[0]], "x", i[0], (int)i[1]);
}

static real want_bias(const struct ask *a, const size_t *i)
{
    double q[TWIN_AXES];
    memcpy(q, query_at(a, i[1]), sizeof q);
    return twin_bias(&a->t, (int)i[0], q, a->pos[i[2]]);
}

static real want_spectrum(const struct ask *a, const size_t *i)
{
    const struct twin_pair *p;
    int n = twin_pairs(&a->t, &p);
    const struct twin_pair *k = &p[i[0]];
    bool base = k->band == -1;          /* the base changed: the slowest pair is divided by the whole factor, those between blended */
    bool whole_factor = base && (int)i[0] == n - 1 && !twin_is(&a->t, "rope_type", "default", "qwen_ntk") &&
                        (twin_has(&a->t, "alpha") || twin_length(&a->t) == 2 * twin_num(&a->t, "max_position_embeddings", 0)) &&
                        fabsl(k->w * (twin_has(&a->t, "alpha") ? twin_num(&a->t, "alpha", 0) : twin_factor(&a->t)) / k->unscaled - 1) < 1e-12L;
    const real row[] = {k->w, k->unscaled, k->a, k->b, k->axis, base ? whole_factor ? TWIN_DIVIDED : TWIN_BLENDED : k->band, k->growth};
    twin_slack += i[1] < 2 ? 16 * DBL_EPSILON * fabsl(k->w) : 0;
    return row[i[1]];
}

static bool adds_rows(const struct ask *a)
{
    return !strcmp(a->t.id, "sinusoidal") || !strcmp(a->t.id, "sinusoidal_2d") || !strcmp(a->t.id, "learned");
}

/* Of rows their product; of turns that of q and k if they are given, else the mean cosine of the pairs. */
static real score(const struct ask *a, const double *q, const double *k, bool given)
{
    const struct twin_pair *p;
    int n = twin_pairs(&a->t, &p), D = twin_d_model(&a->t), d = twin_d_head(&a->t);
    real sum = 0;
    for (int c = 0; adds_rows(a) && c < D; c++)
        sum += twin_row(&a->t, q, c) * twin_row(&a->t, k, c);
    for (int c = 0; !adds_rows(a) && given && c < d; c++)
        sum += turned(a, 1, q, "q", 0, c) * turned(a, -1, k, "k", 0, c);
    twin_slack *= 8;
    if (adds_rows(a) || given)
        return sum;
    for (int i = 0; i < n; i++) {
        real distance = isnan(q[0]) || isnan(k[0]) ? 0 : (real)q[p[i].axis] - k[p[i].axis], angle = p[i].w * distance;
        twin_slack += (4 * fabsl(angle) + 4 * fabsl(distance)) * DBL_EPSILON * fmaxl(1, powl(p[i].growth, distance)) / n;
        sum += cosl(angle) * powl(p[i].growth, distance) / n;
    }
    return sum;
}

static bool needs_vectors(const struct ask *a)
{
    return !strcmp(a->t.id, "attn_temperature");
}

static real want_similarity(const struct ask *a, const size_t *i)
{
    return score(a, a->pos[i[0]], a->pos[i[1]], needs_vectors(a));
}

static real want_similarity_of(const struct ask *a, const size_t *i)
{
    return score(a, a->pos[i[0]], a->pos[i[1]], true);
}

static const double origin[TWIN_AXES];

static real want_decay(const struct ask *a, const size_t *i)
{
    return score(a, a->pos[i[0]], origin, needs_vectors(a));
}

static real want_bias_decay(const struct ask *a, const size_t *i)
{
    return twin_bias(&a->t, (int)i[0], a->pos[i[1]], origin);
}

static bool allowed(const struct ask *a, size_t query, size_t key)
{
    double i = (double)query, j = (double)key, size = (double)twin_num(&a->t, "window", 1);
    const char *mask = twin_text(&a->t, "mask", "causal");
    if (!strcmp(mask, "none"))
        return true;
    if (!strcmp(mask, "window"))
        return fabs(i - j) <= size;
    if (!strcmp(mask, "sliding"))
        return j <= i && i - j < size;
    return j <= i && (strcmp(mask, "chunked") || floor(i / size) == floor(j / size));
}

/* q or k of a token and head: given, or W (x + p) where rows are added. */
static void vector_of(const struct ask *a, bool query, size_t head, size_t token, double *out)
{
    size_t d = size_of(a, 'd'), D = size_of(a, 'm');
    for (size_t c = 0; c < d; c++) {
        real sum = 0;
        for (size_t m = 0; adds_rows(a) && m < D; m++)
            sum += twin_weight(query ? "wq" : "wk", (head * d + c) * D + m) *
                   (twin_weight("x", token * D + m) + twin_row(&a->t, a->pos[token], (int)m));
        out[c] = adds_rows(a) ? (double)sum : twin_weight(query ? "q" : "k", (head * a->n + token) * d + c);
    }
}

static void logits(const struct ask *a, size_t head, size_t query, real *out)
{
    size_t d = size_of(a, 'd');
    double *q = xcalloc(d * (a->n + 1), sizeof *q), *k = q + d, k_pos[TOKENS];
    real content[TOKENS], u[TWIN_WIDTH], v[TWIN_WIDTH];
    vector_of(a, true, head, query, q);
    twin_turn(&a->t, 1, a->pos[query], q, u);
    for (size_t j = 0; j < a->n; j++) {
        vector_of(a, false, head, j, k + j * d);
        twin_turn(&a->t, -1, a->pos[j], k + j * d, v);
        content[j] = 0;
        for (size_t c = 0; c < d; c++)
            content[j] += twin_scale(&a->t) * u[c] * v[c];
        k_pos[j] = a->pos[j][0];
    }
    /* a row of attention holds the keys that the mask allows, and CoPE counts over those */
    for (size_t j = 0; j < a->n; j++) {
        struct twin_rows rows = {.q = q, .k = k, .q_pos = a->pos[query], .k_pos = k_pos, .n = (int)a->n, .content = content};
        out[j] = allowed(a, query, j)
                     ? content[j] + twin_terms(&a->t, (int)head, &rows, (int)j) + twin_bias(&a->t, (int)head, a->pos[query], a->pos[j]) : -INFINITY;
    }
    free(q);
}

static real softmax(const real *x, size_t n, size_t at)
{
    real most = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        most = fmaxl(most, x[i]);
    for (size_t i = 0; i < n; i++)
        sum += expl(x[i] - most);
    return expl(x[at] - most) / sum;
}

static real want_attention(const struct ask *a, const size_t *i)
{
    static real row[TOKENS], slack;
    if (i[2] == 0) {                            /* a row at a time */
        logits(a, i[0], i[1], row);
        slack = 1e-12L + 16 * twin_slack;
    }
    twin_slack = slack;
    return softmax(row, a->n, i[2]);
}

/* ---- outputs of one encoding --------------------------------------------------------------------------- */

static real want_slopes(const struct ask *a, const size_t *i)
{
    return twin_slope(&a->t, (int)i[0]);
}

/* By key alone, for a query at the last position. */
static real want_alibi_row(const struct ask *a, const size_t *i)
{
    const char *style = twin_text(&a->t, "style", "");
    return twin_alibi(&a->t, !strcmp(style, "ggml") ? "causal" : style, (int)i[0], a->pos[a->n - 1][0], a->pos[i[1]][0]);
}

static real want_alibi_full(const struct ask *a, const size_t *i)
{
    bool causal = twin_is(&a->t, "style", "", "neox causal");
    return twin_alibi(&a->t, causal ? "causal" : "symmetric", (int)i[0], a->pos[i[1]][0], a->pos[i[2]][0]);
}

/* BLOOM: m (cumsum(mask) - 1) mask, of weights that are all unequal to 0 and 1: they are taken as they are. */
static real want_bloom(const struct ask *a, const size_t *i)
{
    real count = 0;
    for (size_t j = 0; j <= i[2]; j++)
        count += twin_weight("attention_mask", i[0] * a->n + j);
    return twin_slope(&a->t, (int)i[1]) * (count - 1) * twin_weight("attention_mask", i[0] * a->n + i[2]);
}

static real want_alibi_probs(const struct ask *a, const size_t *i)
{
    real row[TOKENS];
    for (size_t j = 0; j < a->n; j++)
        row[j] = twin_alibi(&a->t, "causal", (int)i[0], a->pos[a->n - 1][0], a->pos[j][0]);
    return softmax(row, a->n, i[1]);
}

static real want_temperature(const struct ask *a, const size_t *i)
{
    return twin_temperature(&a->t, a->pos[i[0]][0]);
}

static real want_cope(const struct ask *a, const size_t *i, bool count)
{
    size_t d = size_of(a, 'd');
    double q[TWIN_WIDTH], *k = xcalloc(a->n * d, sizeof *k), k_pos[TOKENS];
    real content[TOKENS];
    twin_vector("q", (int)i[0], (int)d, q);
    for (size_t j = 0; j < a->n; j++) {
        twin_vector("k", (int)j, (int)d, k + j * d);
        content[j] = twin_scale(&a->t) * twin_dot(q, k + j * d, (int)d);
        k_pos[j] = (double)j;
    }
    struct twin_rows rows = {.q = q, .k = k, .q_pos = &(double){(double)i[0]}, .k_pos = k_pos, .n = (int)a->n, .content = content};
    real out = count ? twin_cope_count(&a->t, &rows, (int)i[1]) : twin_cope(&a->t, &rows, (int)i[1]);
    free(k);
    return out;
}

static real want_cope_count(const struct ask *a, const size_t *i) { return want_cope(a, i, true); }
static real want_cope_term(const struct ask *a, const size_t *i) { return want_cope(a, i, false); }

static real want_deberta_factor(const struct ask *a, const size_t *i)
{
    (void)i;
    return twin_deberta_factor(&a->t);
}

static real want_log_bucket(const struct ask *a, const size_t *i)
{
    real r = a->pos[i[0]][0], most = twin_deberta_M(&a->t) - 1;
    if (twin_is(&a->t, "impl", "", "microsoft"))
        r = fminl(fmaxl(r, -most), most);
    return twin_log_bucket(&a->t, r);
}

static real want_rel_index(const struct ask *a, const size_t *i)
{
    return twin_deberta_row(&a->t, (real)i[0] - (real)i[1]);
}

/* q (0) or k (1) of x: v1 groups the rows of in_proj by head, in each q, k, v, and offsets q alone. */
static void deberta_vector(const struct ask *a, int which, size_t head, size_t token, double *out)
{
    size_t d = size_of(a, 'd'), D = size_of(a, 'm');
    bool v1 = twin_deberta_v1(&a->t);
    for (size_t c = 0; c < d; c++) {
        real sum = v1 ? which ? 0 : twin_weight("q_bias", head * d + c) : twin_weight(which ? "key_proj_bias" : "query_proj_bias", head * d + c);
        for (size_t m = 0; m < D; m++)
            sum += (real)twin_weight("x", token * D + m) *
                   (v1 ? twin_weight("in_proj_weight", ((3 * head + (size_t)which) * d + c) * D + m)
                       : twin_weight(which ? "key_proj_weight" : "query_proj_weight", (head * d + c) * D + m));
        out[c] = (double)sum;
    }
}

static real want_deberta(const struct ask *a, const size_t *i, const char *parts)
{
    double q[TWIN_WIDTH], k[TWIN_WIDTH];
    deberta_vector(a, 0, i[0], i[1], q);
    deberta_vector(a, 1, i[0], i[2], k);
    int row = twin_deberta_row(&a->t, (real)i[1] - (real)i[2]), d = twin_d_head(&a->t);
    real sum = strstr(parts, "c2c") ? twin_dot(q, k, d) : 0;
    if (strstr(parts, "c2p") && twin_deberta_term(&a->t, "c2p"))
        sum += twin_deberta_product(&a->t, true, (int)i[0], q, row);
    if (strstr(parts, "p2c") && twin_deberta_term(&a->t, "p2c"))
        sum += twin_deberta_product(&a->t, false, (int)i[0], k, row);
    return twin_scale(&a->t) * sum;
}

static real want_c2c(const struct ask *a, const size_t *i) { return want_deberta(a, i, "c2c"); }
static real want_c2p(const struct ask *a, const size_t *i) { return want_deberta(a, i, "c2p"); }
static real want_p2c(const struct ask *a, const size_t *i) { return want_deberta(a, i, "p2c"); }
static real want_rel_bias(const struct ask *a, const size_t *i) { return want_deberta(a, i, "c2p p2c"); }
static real want_scores(const struct ask *a, const size_t *i) { return want_deberta(a, i, "c2c c2p p2c"); }

static real want_fire_x(const struct ask *a, const size_t *i)
{
    return i[1] > i[0] ? 0 : twin_fire_x(&a->t, i[0], (real)i[0] - (real)i[1]);
}

static real want_ggml_dims(const struct ask *a, const size_t *i)
{
    (void)i;
    return twin_is(&a->t, "mode", "normal", "vision") ? (real)pairs(a) : 2 * (real)pairs(a);
}

static real want_r1(const struct ask *a, const size_t *i) { return twin_kerple_r(&a->t, 1, (int)i[0]); }
static real want_r2(const struct ask *a, const size_t *i) { return twin_kerple_r(&a->t, 2, (int)i[0]); }

static real want_offset(const struct ask *a, const size_t *i)
{
    (void)i;
    return twin_first_row(&a->t);
}

static real want_padding(const struct ask *a, const size_t *i)
{
    (void)i;
    return twin_first_row(&a->t) - 1;
}

static real side_of(const struct ask *a, const char *name, const char *otherwise, size_t axis)
{
    return twin_entry(&a->t, twin_has(&a->t, name) ? name : otherwise, (int)axis);
}

static real want_table_grid(const struct ask *a, const size_t *i) { return side_of(a, "table_grid", "table_grid", i[0]); }
static real want_target_grid(const struct ask *a, const size_t *i) { return side_of(a, "target_grid", "table_grid", i[0]); }

static real want_row(const struct ask *a, const size_t *i)
{
    return a->pos[i[0]][0] + twin_first_row(&a->t);
}

/* Weights as token ids, none of which is padding: a running count from padding_idx + 1 on. OPT: a mask of ones. */
static real want_counted_row(const struct ask *a, const size_t *i)
{
    return twin_first_row(&a->t) + twin_num(&a->t, "past_key_values_length", 0) + (real)i[1];
}

/* The class row, then the patches row by row. */
static real want_vit(const struct ask *a, const size_t *i)
{
    size_t columns = (size_t)side_of(a, "target_grid", "table_grid", 1);
    double pos[2] = {NAN, NAN};
    if (i[0]) {
        pos[0] = (double)((i[0] - 1) / columns);
        pos[1] = (double)((i[0] - 1) % columns);
    }
    return twin_row(&a->t, pos, (int)i[1]);
}

static real want_window(const struct ask *a, const size_t *i) { return twin_window(&a->t, (int)i[0]); }

static void window_place(const struct ask *a, size_t token, double *pos)
{
    size_t w = (size_t)twin_window(&a->t, 1), cls = twin_is(&a->t, "style", "swin", "beit");
    pos[0] = token < cls ? (double)NAN : (double)((token - cls) / w);
    pos[1] = token < cls ? (double)NAN : (double)((token - cls) % w);
}

static real want_place(const struct ask *a, const size_t *i)
{
    double q[2], k[2];
    window_place(a, i[0], q);
    window_place(a, i[1], k);
    return twin_place(&a->t, q, k);
}

static real want_log_coords(const struct ask *a, const size_t *i)
{
    return twin_log_coordinate(&a->t, (int)i[2], (real)i[i[2]] - (twin_window(&a->t, (int)i[2]) - 1));
}

/* ---- rope ------------------------------------------------------------------------------------------------ */

static struct twin_pair pair_of(const struct ask *a, size_t k)
{
    const struct twin_pair *p;
    twin_pairs(&a->t, &p);
    twin_slack += 16 * DBL_EPSILON * fabsl(p[k].w);
    return p[k];
}

static real want_inv_freq(const struct ask *a, const size_t *i) { return pair_of(a, i[0]).w; }
static real want_axis(const struct ask *a, const size_t *i) { return pair_of(a, i[0]).axis; }

/* cos or sin of a channel as the layout's code holds it. */
static real wave(const struct ask *a, const size_t *i, bool twice, real (*f)(real))
{
    size_t n = pairs(a), k = twice ? i[1] / 2 : i[1] % n;
    struct twin_pair p = pair_of(a, k);
    return twin_magnitude(&a->t) * f(isnan(a->pos[i[0]][0]) ? 0 : twin_angle(&p, a->pos[i[0]]));
}

static bool interleaved(const struct ask *a) { return twin_is(&a->t, "layout", "half", "interleaved"); }
static real want_cos(const struct ask *a, const size_t *i) { return wave(a, i, interleaved(a), cosl); }
static real want_sin(const struct ask *a, const size_t *i) { return wave(a, i, interleaved(a), sinl); }

static real want_cos_sin(const struct ask *a, const size_t *i)
{
    return wave(a, (size_t[]){i[0], i[2]}, false, i[1] ? sinl : cosl);
}

/* Positions 0 and 1, 2 and 3, ... as query and key. The answer's own request is made in `answer`. */
static real want_dot(const struct ask *a, const size_t *i)
{
    return score(a, a->pos[2 * i[0]], a->pos[2 * i[0] + 1], true);
}

static real want_magnitude(const struct ask *a, const size_t *i)
{
    (void)i;
    return twin_magnitude(&a->t);
}

static real want_rotary_dim(const struct ask *a, const size_t *i)
{
    (void)i;
    return twin_rotary_dim(&a->t);
}

static real want_factor(const struct ask *a, const size_t *i)
{
    (void)i;
    return twin_factor(&a->t);
}

static real want_original(const struct ask *a, const size_t *i)
{
    (void)i;
    return twin_original(&a->t);
}

static real want_base(const struct ask *a, const size_t *i)
{
    (void)i;
    twin_slack = 64 * DBL_EPSILON * twin_base(&a->t);
    return twin_base(&a->t);
}

static real want_softmax_scale(const struct ask *a, const size_t *i)
{
    (void)i;
    return twin_scale(&a->t) * sqrtl(twin_d_head(&a->t)) / sqrtl(twin_num(&a->t, "qk_head_dim", twin_d_head(&a->t)));
}

/* Lengths of calls in turn; growing, a call shorter than the stated length forgets the longer ones before it. */
static real want_per_call(const struct ask *a, const size_t *i)
{
    real longest = 0;
    for (size_t c = 0; c <= i[0]; c++) {
        real length = twin_entry(&a->t, "call_lengths", (int)c);
        bool forgets = twin_is(&a->t, "state", "stateless rule", "stateless rule") || length < twin_num(&a->t, "max_position_embeddings", 0);
        longest = forgets ? length : fmaxl(longest, length);
    }
    char settings[300];
    snprintf(settings, sizeof settings, "%s;length=%.0Lf", a->t.settings, longest);
    struct ask call = *a;
    call.t.settings = settings;
    return want_inv_freq(&call, i + 1);
}

/* Text, then images of one frame or more: written out token by token. */
static real want_position_ids(const struct ask *a, const size_t *i)
{
    int merge = whole(a, "spatial_merge_size", 2), at = 0, next = 0, image = 0, ids[3][TOKENS] = {{0}};
    while (at < whole(a, "tokens", 0)) {
        if (twin_entry(&a->t, "token_types", at) == 0) {
            ids[0][at] = ids[1][at] = ids[2][at] = next++;
            at++;
            continue;
        }
        int T = (int)twin_entry(&a->t, "image_grid_thw", 3 * image), rows = (int)twin_entry(&a->t, "image_grid_thw", 3 * image + 1) / merge;
        int columns = (int)twin_entry(&a->t, "image_grid_thw", 3 * image + 2) / merge;
        for (int cell = 0; cell < T * rows * columns; cell++, at++) {
            ids[0][at] = next + cell / (rows * columns);
            ids[1][at] = next + cell / columns % rows;
            ids[2][at] = next + cell % columns;
        }
        next += rows > columns ? rows : columns;
        image++;
    }
    return ids[i[0]][i[1]];
}

/* Interleaved row 2k + c of a head is row k of half c. */
static real want_source_row(const struct ask *a, const size_t *i)
{
    size_t d = size_of(a, 'd'), head = i[0] / d, k = i[0] % d / 2, c = i[0] % 2;
    return (real)(head * d + c * (d / 2) + k);
}

/* ---- rope_2d ------------------------------------------------------------------------------------------- */

static real want_theta_2d(const struct ask *a, const size_t *i)
{
    (void)i;
    return twin_num(&a->t, "rope_theta", twin_is(&a->t, "style", "qwen2_vl", "dinov3") ? 100 : 10000);
}

static real want_grid_2d(const struct ask *a, const size_t *i)
{
    real otherwise = twin_is(&a->t, "style", "qwen2_vl", "eva") ? twin_num(&a->t, "ft_seq_len", 16) : 16;
    return twin_has(&a->t, "grid") ? twin_entry(&a->t, "grid", (int)i[0]) : otherwise;
}

static bool pairs_lie_together(const struct ask *a)
{
    return twin_is(&a->t, "style", "qwen2_vl", "llama4") || twin_is(&a->t, "style", "qwen2_vl", "eva");
}

/* The patches in the order of the code: Qwen by blocks of merge x merge, Llama 4 with its class token last. */
static struct ask with_tokens(const struct ask *a)
{
    struct ask out = *a;
    if (a->positions)
        return out;
    int rows = (int)want_grid_2d(a, (size_t[]){0}), columns = (int)want_grid_2d(a, (size_t[]){1}), at = 0;
    int merge = twin_is(&a->t, "style", "qwen2_vl", "qwen2_vl") ? whole(a, "spatial_merge_size", 2) : 1;
    for (int block = 0; block < rows * columns / (merge * merge); block++)
        for (int cell = 0; cell < merge * merge; cell++, at++) {
            out.pos[at][0] = block / (columns / merge) * merge + cell / merge;
            out.pos[at][1] = block % (columns / merge) * merge + cell % merge;
        }
    if (twin_is(&a->t, "style", "qwen2_vl", "llama4"))
        out.pos[at][0] = out.pos[at][1] = (double)NAN;
    return out;
}

static real angle_itself(real x) { return x; }

static real want_angles(const struct ask *a, const size_t *i)
{
    struct ask b = with_tokens(a);
    return wave(&b, i, pairs_lie_together(a), angle_itself);
}

static real want_cos_2d(const struct ask *a, const size_t *i)
{
    struct ask b = with_tokens(a);
    return wave(&b, i, pairs_lie_together(a), cosl);
}

static real want_sin_2d(const struct ask *a, const size_t *i)
{
    struct ask b = with_tokens(a);
    return wave(&b, i, pairs_lie_together(a), sinl);
}

static real want_cos_sin_2d(const struct ask *a, const size_t *i)
{
    struct ask b = with_tokens(a);
    return wave(&b, i, false, i[2] ? sinl : cosl);
}

static real want_rotated_2d(const struct ask *a, const size_t *i)
{
    struct ask b = with_tokens(a);
    return want_rotated(&b, i);
}

static real want_rotated_at(const struct ask *a, const size_t *i)       /* inputs row and col */
{
    double pos[TWIN_AXES] = {twin_weight("row", i[0]), twin_weight("col", i[0])};
    return turned(a, 1, pos, "x", i[0], (int)i[1]);
}

/* ---- the others ---------------------------------------------------------------------------------------- */

static real want_sum_cos(const struct ask *a, const size_t *i)
{
    return twin_sandwich_sum(&a->t, (real)i[0] - (real)i[1]);
}

static real want_clip_left(const struct ask *a, const size_t *i)
{
    (void)i;
    if (!twin_is(&a->t, "position_embedding_type", "shaw", "shaw"))
        return twin_num(&a->t, "max_position_embeddings", 512) - 1;
    return twin_num(&a->t, "clip_left", twin_num(&a->t, "clip", 16));
}

static real want_clip_right(const struct ask *a, const size_t *i)
{
    if (!twin_is(&a->t, "position_embedding_type", "shaw", "shaw"))
        return want_clip_left(a, i);
    return twin_num(&a->t, "clip_right", twin_num(&a->t, "clip", 16));
}

static real want_shaw_row(const struct ask *a, const size_t *i)
{
    return twin_shaw_row(&a->t, (real)i[0], (real)i[1]);
}

/* Row i of vectors named q against row j of vectors named k: entry (row, head) starts at (row stride + head) d. */
static real shaw_score(const struct ask *a, const char *q, const char *k, size_t query, size_t key, size_t stride, size_t head)
{
    int d = twin_d_head(&a->t);
    double x[TWIN_WIDTH], y[TWIN_WIDTH];
    twin_vector(q, (int)(query * stride + head), d, x);
    twin_vector(k, (int)(key * stride + head), d, y);
    struct twin_rows rows = {.q = x, .k = y, .q_pos = &(double){(double)query}, .k_pos = &(double){(double)key}, .n = 1};
    return twin_scale(&a->t) * twin_dot(x, y, d) + twin_terms(&a->t, (int)head, &rows, 0);
}

static real want_shaw_scores(const struct ask *a, const size_t *i)
{
    return shaw_score(a, "q", "k", i[0], i[1], 1, 0);
}

static real want_shaw_output(const struct ask *a, const size_t *i)
{
    real row[TOKENS], sum = 0;
    size_t d = size_of(a, 'd');
    for (size_t j = 0; j < a->n; j++)
        row[j] = shaw_score(a, "q", "k", i[0], j, 1, 0);
    for (size_t j = 0; j < a->n; j++)
        sum += softmax(row, a->n, j) * (twin_weight("v", j * d + i[1]) +
                                        twin_weight("value_table", (size_t)twin_shaw_row(&a->t, (real)i[0], (real)j) * d + i[1]));
    return sum;
}

static real want_shaw_probs(const struct ask *a, const size_t *i)
{
    real row[TOKENS];
    for (size_t j = 0; j < a->n; j++)
        row[j] = shaw_score(a, "x", "x", i[1], j, size_of(a, 'H'), i[0]);
    return softmax(row, a->n, i[2]);
}

/* Rows by number: padding_idx has zeros, the others no offset. */
static real want_sinusoid_table(const struct ask *a, const size_t *i)
{
    const struct twin_pair *p;
    int n = twin_pairs(&a->t, &p);
    if (a->pos[i[0]][0] == (double)twin_num(&a->t, "padding_idx", NAN))
        return 0;
    for (int k = 0; k < n; k++) {
        struct twin_pair plain = p[k];
        plain.origin = 0;
        if ((int)i[1] == plain.a || (int)i[1] == plain.b)
            return (int)i[1] == plain.a ? sinl(twin_angle(&plain, a->pos[i[0]])) : cosl(twin_angle(&plain, a->pos[i[0]]));
    }
    return 0;
}

static real want_sinusoid_grid(const struct ask *a, const size_t *i)
{
    return twin_has(&a->t, "grid") ? twin_entry(&a->t, "grid", (int)i[0]) : ceill(sqrtl(twin_length(&a->t)));
}

static real want_patches(const struct ask *a, const size_t *i)
{
    size_t cls = (size_t)whole(a, "cls_token", 0), columns = (size_t)want_sinusoid_grid(a, (size_t[]){1});
    double pos[TWIN_AXES] = {NAN, NAN};
    if (i[0] >= cls) {
        pos[0] = (double)((i[0] - cls) / columns);
        pos[1] = (double)((i[0] - cls) % columns);
    }
    return twin_row(&a->t, pos, (int)i[1]);
}

static real want_bucket(const struct ask *a, const size_t *i)
{
    return twin_t5_bucket(&a->t, a->pos[i[0]][0]);
}

/* ---- transformer_xl -------------------------------------------------------------------------------------- */

static real want_R(const struct ask *a, const size_t *i)
{
    real x = a->positions ? (real)a->pos[i[0]][0] : (real)(a->n - 1 - i[0]);
    return twin_xl_R(&a->t, x, (int)i[1]);
}

/* q (0) or k (1): the memory stands before the layer's input w. */
static void xl_vector(const struct ask *a, size_t which, size_t head, size_t token, double *out)
{
    size_t d = size_of(a, 'd'), D = size_of(a, 'm'), all = size_of(a, 'A'), mem = size_of(a, 'M');
    for (size_t c = 0; c < d; c++) {
        real sum = 0;
        for (size_t m = 0; m < D; m++)
            sum += (real)(token < mem ? twin_weight("mems", token * D + m) : twin_weight("w", (token - mem) * D + m)) *
                   twin_weight("qkv_weight", (which * all + head * d + c) * D + m);
        out[c] = (double)sum;
    }
}

static real xl_matrix(const struct ask *a, size_t query, size_t key, size_t head, real distance, bool content)
{
    double q[TWIN_WIDTH], k[TWIN_WIDTH], u[TWIN_WIDTH];
    int d = twin_d_head(&a->t);
    xl_vector(a, 0, head, size_of(a, 'M') + query, q);
    xl_vector(a, 1, head, key, k);
    twin_vector(content ? "u" : "v", (int)head, d, u);
    if (content)
        return twin_dot(q, k, d) + twin_dot(u, k, d);
    twin_slack *= 100;
    return twin_xl_product(&a->t, (int)head, q, distance) + twin_xl_product(&a->t, (int)head, u, distance);
}

static real behind(const struct ask *a, size_t query, size_t key)
{
    return (real)(size_of(a, 'M') + query) - (real)key;
}

static real want_AC(const struct ask *a, const size_t *i)
{
    return xl_matrix(a, i[0], i[1], i[2], 0, true);
}

static real want_BD_before(const struct ask *a, const size_t *i)
{
    return xl_matrix(a, i[0], i[1], i[2], (real)(size_of(a, 'K') - 1 - i[1]), false);
}

static real want_BD(const struct ask *a, const size_t *i)
{
    return behind(a, i[0], i[1]) < 0 ? 0 : xl_matrix(a, i[0], i[1], i[2], behind(a, i[0], i[1]), false);
}

static real want_xl_probs(const struct ask *a, const size_t *i)
{
    real row[TOKENS];
    for (size_t j = 0; j < size_of(a, 'K'); j++) {
        real far = behind(a, i[0], j);
        row[j] = far < 0 ? -INFINITY : twin_scale(&a->t) * (xl_matrix(a, i[0], j, i[2], 0, true) + xl_matrix(a, i[0], j, i[2], far, false));
    }
    return softmax(row, size_of(a, 'K'), i[1]);
}

/* The reshaping itself: a zero column in front, the first row of the other shape dropped. */
static real want_rel_shift(const struct ask *a, const size_t *i)
{
    size_t q = size_of(a, 'Q'), k = size_of(a, 'K'), at = 0;
    real flat[TOKENS * TOKENS];
    for (size_t r = 0; r < q; r++)
        for (size_t c = 0; c <= k; c++)
            flat[at++] = c ? twin_weight("x", r * k + c - 1) : 0;
    return flat[q + i[0] * k + i[1]];
}

static real want_rel_shift_bi(const struct ask *a, const size_t *i)
{
    size_t q = size_of(a, 'M'), columns = size_of(a, 'K');      /* qlen mem, klen + qlen columns */
    return twin_weight("x", q + i[0] * (columns - 1) + i[1]);
}

/* ---- ways ------------------------------------------------------------------------------------------------ */

/* How each pair is checked. kind "*": of every kind that offers it. when: only for settings that hold this text (a ! in front: that do not);
 * the first that fits is taken. dims, inputs: letters of size_of. */
static const struct way {
    const char *kind, *output, *when, *inputs, *dims;
    want_fn *want;
    const char *how;
} ways[] = {
    {"alibi", "slopes", "", "", "H", want_slopes, "closed form"},
    {"alibi", "bias", "attention_mask=", "attention_mask:bn", "bHn", want_bloom, "closed form, counted key by key"},
    {"alibi", "bias", "style=mpt full", "", "Hnn", want_alibi_full, "closed form"},
    {"alibi", "bias", "style=neox", "", "Hnn", want_alibi_full, "closed form"},
    {"alibi", "bias", "style=", "", "Hn", want_alibi_row, "closed form"},
    {"alibi", "probs", "", "", "Hn", want_alibi_probs, "softmax of the closed form"},
    {"attn_temperature", "query_scale", "", "", "n", want_temperature, "closed form"},
    {"cope", "positions", "", "q:nd k:nd", "nn", want_cope_count, "gates summed one by one"},
    {"cope", "bias", "", "q:nd k:nd", "nn", want_cope_term, "gates summed, columns on both sides of the count"},
    {"deberta", "scale_factor", "", "", "", want_deberta_factor, "closed form"},
    {"deberta", "log_bucket", "", "", "n", want_log_bucket, "closed form"},
    {"deberta", "rel_index", "", "", "nn", want_rel_index, "closed form"},
    {"deberta", "c2c", "", "x:nm", "Hnn", want_c2c, "products entry by entry"},
    {"deberta", "c2p", "", "x:nm", "Hnn", want_c2p, "products entry by entry"},
    {"deberta", "p2c", "", "x:nm", "Hnn", want_p2c, "products entry by entry"},
    {"deberta", "rel_bias", "", "x:nm", "Hnn", want_rel_bias, "products entry by entry"},
    {"deberta", "scores", "", "x:nm", "Hnn", want_scores, "products entry by entry"},
    {"fire", "normalized_distance", "", "", "nn", want_fire_x, "closed form"},
    {"ggml_rope", "n_dims", "", "", "", want_ggml_dims, "counted pairs"},
    {"kerple", "r1", "", "", "H", want_r1, "clamped by hand"},
    {"kerple", "r2", "", "", "H", want_r2, "clamped by hand"},
    {"learned", "offset", "", "", "", want_offset, "closed form"},
    {"learned", "padding_idx", "", "", "", want_padding, "closed form"},
    {"learned", "table_grid", "", "", "2", want_table_grid, "as given"},
    {"learned", "target_grid", "", "", "2", want_target_grid, "as given"},
    {"learned", "row_index", "style=roberta", "input_ids:2n", "2n", want_counted_row, "counted token by token"},
    {"learned", "row_index", "style=fairseq", "input_ids:2n", "2n", want_counted_row, "counted token by token"},
    {"learned", "row_index", "", "", "n", want_row, "closed form"},
    {"learned", "pe", "patches=", "", "Gm", want_vit, "bicubic sum over every cell of the table"},
    {"relpos_2d", "window", "", "", "2", want_window, "as given"},
    {"relpos_2d", "index", "", "", "WW", want_place, "closed form"},
    {"relpos_2d", "log_coords", "", "", "YX2", want_log_coords, "closed form"},
    {"rope", "inv_freq", "", "", "p", want_inv_freq, "closed form"},
    {"rope", "cos", "", "", "nr", want_cos, "closed form"},
    {"rope", "sin", "", "", "nr", want_sin, "closed form"},
    {"rope", "cos_sin", "", "", "n2p", want_cos_sin, "closed form"},
    {"rope", "dot", "", "q:d k:d", "P", want_dot, "both vectors turned pair by pair"},
    {"rope", "attention_factor", "", "", "", want_magnitude, "closed form"},
    {"rope", "rotary_dim", "", "", "", want_rotary_dim, "closed form"},
    {"rope", "factor", "", "", "", want_factor, "closed form"},
    {"rope", "original_max_position_embeddings", "", "", "", want_original, "closed form"},
    {"rope", "base", "", "", "", want_base, "closed form"},
    {"rope", "softmax_scale", "", "", "", want_softmax_scale, "closed form"},
    {"rope", "inv_freq_per_call", "", "", "cp", want_per_call, "closed form, call by call"},
    {"rope", "axis_of_pair", "", "", "p", want_axis, "counted pair by pair"},
    {"rope", "position_ids", "", "", "3t", want_position_ids, "written out token by token"},
    {"rope", "source_row", "", "", "S", want_source_row, "closed form"},
    {"rope_2d", "rope_theta", "", "", "", want_theta_2d, "as given"},
    {"rope_2d", "grid", "", "", "2", want_grid_2d, "as given"},
    {"rope_2d", "angles", "style=qwen2_vl", "", "np", want_angles, "closed form"},
    {"rope_2d", "angles", "", "", "nr", want_angles, "closed form"},
    {"rope_2d", "cos", "", "", "nr", want_cos_2d, "closed form"},
    {"rope_2d", "sin", "", "", "nr", want_sin_2d, "closed form"},
    {"rope_2d", "cos_sin", "", "", "np2", want_cos_sin_2d, "closed form"},
    {"rope_2d", "rotated", "by_hand=", "x:nd row:n col:n", "nd", want_rotated_at, "turned pair by pair"},
    {"rope_2d", "rotated", "", "x:nd", "nd", want_rotated_2d, "turned pair by pair"},
    {"sandwich", "sum_cos", "", "", "nn", want_sum_cos, "summed cosine by cosine"},
    {"shaw", "clip_left", "", "", "", want_clip_left, "as given"},
    {"shaw", "clip_right", "", "", "", want_clip_right, "as given"},
    {"shaw", "index", "", "", "nn", want_shaw_row, "closed form"},
    {"shaw", "scores", "", "q:nd k:nd", "nn", want_shaw_scores, "products entry by entry"},
    {"shaw", "output", "", "q:nd k:nd v:nd", "nd", want_shaw_output, "weights and values entry by entry"},
    {"shaw", "probs", "", "x:nA", "Hnn", want_shaw_probs, "products entry by entry"},
    {"sinusoidal", "table", "", "", "nm", want_sinusoid_table, "closed form"},
    {"sinusoidal_2d", "grid", "", "", "2", want_sinusoid_grid, "as given"},
    {"sinusoidal_2d", "pe", "patches=", "", "Gm", want_patches, "closed form"},
    {"t5_bias", "bucket", "", "", "n", want_bucket, "closed form"},
    {"transformer_xl", "R", "", "", "nm", want_R, "closed form"},
    {"transformer_xl", "AC", "", "w:Qm mems:Mm qkv_weight:Tm", "QKH", want_AC, "products entry by entry"},
    {"transformer_xl", "BD_before_shift", "", "w:Qm mems:Mm qkv_weight:Tm", "QKH", want_BD_before, "products entry by entry, no shift"},
    {"transformer_xl", "BD", "", "w:Qm mems:Mm qkv_weight:Tm", "QKH", want_BD, "products entry by entry, no shift"},
    {"transformer_xl", "probs", "", "w:Qm mems:Mm qkv_weight:Tm", "QKH", want_xl_probs, "products entry by entry, no shift"},
    {"transformer_xl", "rel_shift", "", "x:QK", "QK", want_rel_shift, "the reshaping itself"},
    {"transformer_xl", "rel_shift_bidirectional", "", "x:MK", "MQ", want_rel_shift_bi, "the reshaping itself"},
    {"xpos", "rotated", "by_hand=", "x:nd", "nd", want_rotated, "turned pair by pair"},

    {"*", "pe", "", "", "nm", want_pe, "closed form, or the entry of the table"},
    {"*", "rotated", "", "x:nd", "nd", want_rotated, "turned pair by pair"},
    {"*", "bias", "", "", "Hqk", want_bias, "closed form"},
    {"*", "spectrum", "", "", "p7", want_spectrum, "closed form"},
    {"*", "similarity", "vectors=", "q:d k:d", "nn", want_similarity_of, "both vectors turned pair by pair"},
    {"attn_temperature", "similarity", "", "q:d k:d", "nn", want_similarity, "scaled product"},
    {"*", "similarity", "", "", "nn", want_similarity, "product of rows, or mean of the cosines"},
    {"attn_temperature", "decay", "", "q:d k:d", "n", want_decay, "scaled product"},
    {"*", "decay", "bias only", "", "Hn", want_bias_decay, "closed form"},
    {"*", "decay", "", "", "n", want_decay, "product of rows, or mean of the cosines"},
    {"*", "attention", "rows", "x:nm wq:Am wk:Am", "Hnn", want_attention, "softmax of products entry by entry"},
    {"*", "attention", "", "q:Hnd k:Hnd", "Hnn", want_attention, "softmax of products entry by entry"},
};
enum { N_WAYS = sizeof ways / sizeof *ways };
enum { KINDS = 64 };
static int compared[KINDS][N_WAYS];         /* values, of each kind */

static size_t number_of(const char *kind)
{
    size_t e = 0;
    while (strcmp(encodings[e]->id, kind))
        e++;
    assert_true(e < KINDS);
    return e;
}

static bool fits(const struct way *w, const struct ask *a, bool only_bias)
{
    if (!strcmp(w->when, "bias only"))
        return only_bias;
    if (!strcmp(w->when, "rows"))
        return adds_rows(a);
    return !*w->when || strstr(a->t.settings, w->when);
}

static const struct way *way_of(const char *kind, const char *output, const struct ask *a, bool only_bias)
{
    for (size_t i = 0; i < N_WAYS; i++)
        if ((!strcmp(ways[i].kind, kind) || !strcmp(ways[i].kind, "*")) && !strcmp(ways[i].output, output) && (!a || fits(&ways[i], a, only_bias)))
            return &ways[i];
    return NULL;
}

/* ---- cases ----------------------------------------------------------------------------------------------- */

#define NEAR "0,1,2,5,11,30"
#define RUN "100000,100001,100002,100003"
#define FAR "0,1e7,2147483648,4294967295,9007199254740,1e12"
#define EVERY ""

/* outputs: "" all that need nothing else; else a list of names. */
static const struct { const char *kind, *outputs, *settings, *positions; } cases[] = {
    {"nope", EVERY, "num_heads=2;head_dim=3", "0,1,2,3,4"}, {"nope", EVERY, "num_heads=1;head_dim=1;mask=none", "0,1,2"},
    {"nope", EVERY, "num_heads=3;head_dim=8;mask=sliding;window=2", "0,1,2,3,4,5,6"}, {"nope", EVERY, "head_dim=4;num_heads=1;mask=chunked;window=3", "0,1,2,3,4,5,6"},
    {"nope", EVERY, "head_dim=4;num_heads=1;mask=window;window=1", "0,1,2,3,4,5,6"}, {"nope", EVERY, "head_dim=4;num_heads=1;length=1", NULL},

    {"sinusoidal", EVERY, "d_model=8;num_heads=2;head_dim=4", NEAR}, {"sinusoidal", EVERY, "d_model=2;num_heads=1;head_dim=2;base=1.0001", NEAR},
    {"sinusoidal", EVERY, "d_model=1;num_heads=1;head_dim=1", NEAR}, {"sinusoidal", EVERY, "d_model=7;num_heads=1;head_dim=7;layout=half", NEAR},
    {"sinusoidal", EVERY, "d_model=9;num_heads=3;head_dim=3;freq=i/(d/2-1)", NEAR}, {"sinusoidal", EVERY, "d_model=4;num_heads=1;head_dim=4;freq=i/(d/2-1);base=1e12;layout=half", FAR},
    {"sinusoidal", EVERY, "d_model=12;num_heads=2;head_dim=6;variant=doubled_exponent", NEAR}, {"sinusoidal", EVERY, "d_model=8;num_heads=1;head_dim=8;padding_idx=1", "0,1,2,3,7"},
    {"sinusoidal", "pe table similarity decay", "d_model=1024;base=1e12;head_dim=64;num_heads=16", FAR}, {"sinusoidal", EVERY, "d_model=8;base=1;num_heads=1;head_dim=8;length=1", NULL},

    {"learned", EVERY, "d_model=4;num_heads=2;head_dim=2;max_position_embeddings=16", "0,1,2,15"},
    {"learned", EVERY, "style=gpt2;d_model=3;num_heads=1;head_dim=3;max_position_embeddings=1;length=1", NULL},
    {"learned", EVERY, "style=opt;d_model=4;num_heads=1;head_dim=4;max_position_embeddings=8", "0,1,7"},
    {"learned", EVERY, "style=opt;offset=0;d_model=4;num_heads=1;head_dim=4;max_position_embeddings=8", "0,1,7"},
    {"learned", EVERY, "style=roberta;d_model=4;num_heads=1;head_dim=4;max_position_embeddings=8;padding_idx=9", "0,1,7"},
    {"learned", EVERY, "style=fairseq;d_model=4;num_heads=1;head_dim=4;max_position_embeddings=8;past_key_values_length=2;padding_idx=5", "0,1,4"},
    {"learned", "table_grid target_grid", "style=vit;d_model=4;num_heads=1;head_dim=4;table_grid=3,4", "0,1;0,1"},
    {"learned", "pe similarity decay attention table_grid target_grid", "style=vit;d_model=3;num_heads=1;head_dim=3;table_grid=3,4;target_grid=5,2", "0,1,4;0,1,1"},
    {"learned", "pe", "style=vit;d_model=2;num_heads=1;head_dim=2;table_grid=3,4;target_grid=5,7;patches=36", NULL},
    {"learned", "pe", "style=vit;d_model=2;num_heads=1;head_dim=2;table_grid=3,3;target_grid=1,1;patches=2", NULL},

    {"rope", EVERY, "head_dim=8;num_heads=2", NEAR}, {"rope", EVERY, "head_dim=2;num_heads=1;rope_theta=1.0001", NEAR},
    {"rope", EVERY, "head_dim=8;num_heads=1;layout=interleaved;side=key", RUN}, {"rope", EVERY, "head_dim=8;num_heads=1;layout=interleaved_in_half_out;vectors=1", NEAR},
    {"rope", EVERY, "head_dim=9;num_heads=1;rotary_dim=4", NEAR}, {"rope", EVERY, "head_dim=10;partial_rotary_factor=0.4;num_heads=1", NEAR},
    {"rope", EVERY, "head_dim=12;qk_nope_head_dim=4;num_heads=1;layout=interleaved", NEAR}, {"rope", "inv_freq cos sin cos_sin dot spectrum similarity decay rotated", "head_dim=1024;rope_theta=1e12;num_heads=1", FAR},
    {"rope", EVERY, "head_dim=16;num_heads=1;rope_theta=1", NEAR}, {"rope", EVERY, "head_dim=16;num_heads=1;rope_type=linear;factor=1", NEAR},
    {"rope", EVERY, "head_dim=16;num_heads=1;rope_type=linear;factor=1e6;original_max_position_embeddings=4096", FAR},
    {"rope", EVERY, "head_dim=16;num_heads=1;rope_type=dynamic;factor=4;max_position_embeddings=2048;length=4096", NEAR},
    {"rope", EVERY, "head_dim=16;num_heads=1;rope_type=dynamic;factor=1e6;max_position_embeddings=2048;length=1e12", NEAR},
    {"rope", EVERY, "head_dim=16;num_heads=1;rope_type=dynamic;factor=2;max_position_embeddings=2048;length=100", NEAR},
    {"rope", EVERY, "head_dim=4;num_heads=1;rope_type=ntk;alpha=8", NEAR}, {"rope", EVERY, "head_dim=16;num_heads=1;rope_type=dynamic;alpha=1000", NEAR},
    {"rope", EVERY, "head_dim=16;num_heads=1;rope_type=qwen_ntk;max_position_embeddings=2048;length=2049", NEAR},
    {"rope", EVERY, "head_dim=16;num_heads=1;rope_type=qwen_ntk;max_position_embeddings=2048;length=8192", NEAR},
    {"rope", EVERY, "head_dim=16;num_heads=1;rope_type=qwen_ntk;max_position_embeddings=2048;length=1024", NEAR},
    {"rope", EVERY, "head_dim=64;num_heads=1;rope_type=yarn;factor=32;original_max_position_embeddings=4096;rope_theta=150000;truncate=false", NEAR},
    {"rope", EVERY, "head_dim=64;num_heads=1;rope_type=yarn;factor=4;original_max_position_embeddings=32768;rope_theta=1e6", NEAR},
    {"rope", EVERY, "head_dim=64;num_heads=1;rope_type=yarn;factor=40;original_max_position_embeddings=4096;mscale=1;mscale_all_dim=1;qk_head_dim=192", NEAR},
    {"rope", EVERY, "head_dim=64;num_heads=1;rope_type=yarn;factor=40;original_max_position_embeddings=4096;mscale=0.707;mscale_all_dim=0.5", NEAR},
    {"rope", EVERY, "head_dim=64;num_heads=1;rope_type=yarn;factor=32;original_max_position_embeddings=4096;beta_fast=1;beta_slow=1;rope_theta=50000", NEAR},
    {"rope", EVERY, "head_dim=8;num_heads=1;rope_type=yarn;factor=1;original_max_position_embeddings=4096", NEAR},
    {"rope", EVERY, "head_dim=8;num_heads=1;rope_type=yarn;max_position_embeddings=1e6;original_max_position_embeddings=100;rope_theta=10", NEAR},
    {"rope", EVERY, "head_dim=8;num_heads=1;rope_type=yarn;factor=16;original_max_position_embeddings=2;attention_factor=1.25", NEAR},
    {"rope", EVERY, "head_dim=8;num_heads=1;rope_type=longrope;short_factor=1,1,2,4;long_factor=1,3,9,32;original_max_position_embeddings=4096;max_position_embeddings=131072;length=4096", NEAR},
    {"rope", EVERY, "head_dim=8;num_heads=1;rope_type=longrope;short_factor=1,1,2,4;long_factor=1,3,9,32;original_max_position_embeddings=4096;max_position_embeddings=131072;length=4097", NEAR},
    {"rope", EVERY, "head_dim=8;num_heads=1;rope_type=longrope;short_factor=1,1,1,1;long_factor=1,3,9,32;original_max_position_embeddings=4096;factor=8;short_mscale=1.1;long_mscale=1.3;length=5000", NEAR},
    {"rope", EVERY, "head_dim=8;num_heads=1;rope_type=longrope;short_factor=1,1,1,1;long_factor=1,3,9,32;original_max_position_embeddings=4096;factor=1;length=50", NEAR},
    {"rope", EVERY, "head_dim=128;num_heads=1;rope_type=llama3;factor=8;original_max_position_embeddings=8192;rope_theta=500000", NEAR},
    {"rope", EVERY, "head_dim=64;num_heads=1;rope_type=llama3;factor=32;low_freq_factor=1;high_freq_factor=1.5;original_max_position_embeddings=8192;rope_theta=500000", NEAR},
    {"rope", EVERY, "head_dim=32;num_heads=1;rope_type=proportional;partial_rotary_factor=0.25;rope_theta=1e6", NEAR},
    {"rope", EVERY, "head_dim=32;num_heads=1;rope_type=proportional;partial_rotary_factor=0.3;factor=8", NEAR},
    {"rope", EVERY, "head_dim=16;num_heads=1;rope_type=mrope;mrope_section=2,3,3;rope_theta=1e6", "0,1,2,2,5;0,1,2,3,5;0,1,3,2,5"},
    {"rope", "rotated spectrum axis_of_pair similarity attention", "head_dim=16;num_heads=2;mrope_section=4,2,2;mrope_interleaved=true", "0,1,2,2,5;0,1,2,3,5;0,1,3,2,5"},
    {"rope", "inv_freq_per_call", "head_dim=8;num_heads=1;rope_type=dynamic;factor=4;max_position_embeddings=32;calls=5;call_lengths=10,60,50,20,33;state=grow and reset", NULL},
    {"rope", "inv_freq_per_call", "head_dim=8;num_heads=1;rope_type=dynamic;factor=4;max_position_embeddings=32;calls=4;call_lengths=10,60,50,20", NULL},
    {"rope", "position_ids", "tokens=9;token_types=0,0,0,1,1,1,1,0,0;image_grid_thw=1,4,4", NULL},
    {"rope", "position_ids", "tokens=15;token_types=0,1,1,1,1,1,1,1,1,0,1,1,1,0,0;image_grid_thw=2,2,2,1,1,3;spatial_merge_size=1", NULL},
    {"rope", "source_row", "tensor=q;num_heads=4;num_kv_heads=2;head_dim=6", NULL}, {"rope", "source_row", "tensor=k;num_heads=4;num_kv_heads=2;head_dim=6", NULL},

    {"rope_2d", EVERY, "head_dim=16;num_heads=2;style=qwen2_vl", "0,1,3,7;2,2,0,15"}, {"rope_2d", EVERY, "head_dim=8;num_heads=1;style=pixtral;rope_theta=1e12;vectors=1", "0,1,3,7;2,2,0,15"},
    {"rope_2d", EVERY, "head_dim=8;num_heads=1;style=llama4;side=key", "0,1,3,nan;2,2,0,nan"}, {"rope_2d", EVERY, "head_dim=12;num_heads=1;style=dinov3;grid=3,5", "0,1,2,2;2,4,0,1"},
    {"rope_2d", EVERY, "head_dim=8;num_heads=1;style=eva;pt_seq_len=16;ft_seq_len=24", "0,1,2,2;2,4,0,1"}, {"rope_2d", EVERY, "head_dim=4;num_heads=1;style=eva", "0,1,2,2;2,4,0,1"},
    {"rope_2d", "rotated", "head_dim=8;num_heads=1;style=qwen2_vl;by_hand=1;length=5", NULL},
    {"rope_2d", "angles cos sin cos_sin rotated grid", "head_dim=8;num_heads=1;style=qwen2_vl;grid=4,6;length=24", NULL},
    {"rope_2d", "angles cos sin cos_sin rotated grid", "head_dim=8;num_heads=1;style=qwen2_vl;grid=3,6;spatial_merge_size=3;length=18", NULL},
    {"rope_2d", "angles cos sin cos_sin rotated grid", "head_dim=8;num_heads=1;style=llama4;grid=2,3;length=7", NULL},
    {"rope_2d", "angles cos sin cos_sin rotated grid", "head_dim=8;num_heads=1;style=dinov3;grid=2,3;length=6", NULL},

    {"xpos", EVERY, "head_dim=8;num_heads=2;length=16", "0,1,2,5,11,15"}, {"xpos", EVERY, "head_dim=2;num_heads=1;length=9;scale_base=4;gamma=0.01", "0,1,2,8"},
    {"xpos", EVERY, "head_dim=8;num_heads=1;length=16;layout=half;side=key;vectors=1", "0,1,2,3,4,15"}, {"xpos", "rotated", "head_dim=8;num_heads=1;length=6;by_hand=1", NULL},
    {"xpos", EVERY, "head_dim=8;num_heads=1;length=2147483648;scale_base=1e9;gamma=100;rope_theta=1e12", "0,1,1e7,2147483647"},

    {"ggml_rope", EVERY, "head_dim=8;num_heads=2", NEAR}, {"ggml_rope", EVERY, "head_dim=8;num_heads=1;mode=neox;n_dims=4;vectors=1", NEAR},
    {"ggml_rope", EVERY, "head_dim=128;num_heads=1;mode=neox;freq_base=1e6;freq_scale=0.25;ext_factor=1;n_ctx_orig=32768;attn_factor=0.8", NEAR},
    {"ggml_rope", EVERY, "head_dim=16;num_heads=1;freq_scale=0.125;ext_factor=0.5;n_ctx_orig=4096;beta_fast=8;beta_slow=2", NEAR},
    {"ggml_rope", EVERY, "head_dim=8;num_heads=1;freq_factors=1,2,8,1e30", FAR}, {"ggml_rope", EVERY, "head_dim=8;num_heads=1;freq_scale=1e-6;freq_base=1.0001", NEAR},
    {"ggml_rope", EVERY, "head_dim=16;num_heads=1;mode=mrope;sections=2,3,3,0", "0,1,2;0,1,3;0,2,2;0,0,9"}, {"ggml_rope", EVERY, "head_dim=16;num_heads=1;mode=imrope;sections=3,2,2,1", "0,1,2;0,1,3;0,2,2;0,0,9"},
    {"ggml_rope", EVERY, "head_dim=16;num_heads=1;mode=vision;sections=4,4,0,0", "0,1,2;0,1,3;0,2,2;0,0,9"}, {"ggml_rope", EVERY, "head_dim=128;num_heads=1;mode=imrope;sections=24,20,20,0", "0,1,2;0,1,3;0,2,2;0,0,9"},

    {"attn_temperature", EVERY, "head_dim=4;num_heads=2", "0,16383,16384,32767,32768,1e12"}, {"attn_temperature", EVERY, "head_dim=4;num_heads=1;style=llama4;side=key", "0,8190,8191,8192,16383,1e12"},
    {"attn_temperature", EVERY, "head_dim=4;num_heads=1;style=qwen_logn;original_max_position_embeddings=1000", "0,999,1000,1001,1e12"},

    {"alibi", EVERY, "num_heads=8;head_dim=2", NEAR}, {"alibi", EVERY, "num_heads=1;head_dim=2", FAR}, {"alibi", EVERY, "num_heads=12;head_dim=2", NEAR},
    {"alibi", "slopes bias decay", "num_heads=112", "0,1,2048,1e12"}, {"alibi", "slopes", "num_heads=65535;length=1", NULL}, {"alibi", EVERY, "num_heads=3;head_dim=2;alibi_bias_max=0.125;form=symmetric;mask=none", NEAR},
    {"alibi", "bias decay attention", "num_heads=6;head_dim=2;form=bloom", NEAR}, {"alibi", "bias decay", "num_heads=6;form=falcon", NEAR}, {"alibi", "bias decay", "num_heads=6;form=mpt;length=31", NEAR},
    {"alibi", "bias", "num_heads=6;style=bloom", NEAR}, {"alibi", "bias", "num_heads=6;style=falcon", NEAR}, {"alibi", "bias", "num_heads=6;style=mpt;length=31", NEAR},
    {"alibi", "bias", "num_heads=6;style=ggml", NEAR}, {"alibi", "bias", "num_heads=6;style=mpt full (symmetric)", NEAR}, {"alibi", "bias", "num_heads=6;style=neox causal", NEAR},
    {"alibi", "bias", "num_heads=3;style=bloom;attention_mask=here;length=5;batch=2", NULL}, {"alibi", "bias", "num_heads=5;qlen=3;klen=7;query_start=4;length=7", NULL},

    {"shaw", EVERY, "head_dim=4;num_heads=2;clip=2;length=6", NULL}, {"shaw", EVERY, "head_dim=1;num_heads=1;clip=0;length=3", NULL}, {"shaw", EVERY, "head_dim=3;num_heads=1;clip_left=1;clip_right=4;length=7;mask=none", NULL},
    {"shaw", EVERY, "head_dim=4;num_heads=1;position_embedding_type=relative_key;max_position_embeddings=8;length=6;mask=none", NULL},
    {"shaw", EVERY, "head_dim=4;num_heads=1;position_embedding_type=relative_key_query;max_position_embeddings=8;length=6", NULL},
    {"shaw", EVERY, "head_dim=2;num_heads=1;clip=16;length=1", NULL},

    {"transformer_xl", EVERY, "head_dim=3;num_heads=2;d_model=8;length=6", NULL}, {"transformer_xl", EVERY, "head_dim=2;num_heads=1;d_model=2;length=5;clamp_len=2;mem=1;now=3", NULL},
    {"transformer_xl", "R bias decay", "head_dim=2;num_heads=1;d_model=6;clamp_len=1000", "0,999,1000,1001,1e9"}, {"transformer_xl", "R bias decay", "head_dim=2;num_heads=2;d_model=64", FAR},
    {"transformer_xl", "AC BD BD_before_shift probs rel_shift rel_shift_bidirectional", "head_dim=2;num_heads=2;d_model=4;mem=5;now=2", NULL},

    {"t5_bias", EVERY, "num_heads=2;head_dim=2", "0,1,7,8,15,16,127,128,200"}, {"t5_bias", EVERY, "num_heads=1;head_dim=2;bidirectional=false;mask=none", "0,15,16,17,127,128,1e12"},
    {"t5_bias", "bucket", "num_heads=1", "-1e12,-129,-128,-127,-64,-16,-8,-7,-1,0,1,7,8,16,63,64,127,128,1e12"}, {"t5_bias", "bucket", "num_heads=1;num_buckets=4;max_distance=2", "-3,-2,-1,0,1,2,3"},
    {"t5_bias", "bucket", "num_heads=1;num_buckets=33;max_distance=52488", "-8,-24,-72,-216,-648,-1944,-5832,-17496,-23,-71,-215,-647,-1943,-5831,-17495,-52487,-52488,8,24"},
    {"t5_bias", "bucket", "num_heads=1;num_buckets=40;max_distance=100000000;bidirectional=true", "-10,-50,-100,-1000,-10000,-100000,-1000000,-99,-999,-9999,-99999"},
    {"t5_bias", "bucket", "num_heads=1;num_buckets=12;max_distance=729;bidirectional=true", "-3,-9,-27,-81,-243,-8,-26,-80,-242"},
    {"t5_bias", "bucket", "num_heads=1;num_buckets=320;max_distance=800", "-800,-799,-400,-161,-160,-80,-79,80,81,799"}, {"t5_bias", "bias decay", "num_heads=3;num_buckets=64;max_distance=33", NEAR},
    {"t5_bias", "bias", "num_heads=2;qlen=2;klen=9;query_start=5;length=9", NULL},

    {"deberta", EVERY, "head_dim=2;num_heads=2;d_model=4;length=7;position_buckets=4;max_relative_positions=16", NULL}, {"deberta", EVERY, "head_dim=2;num_heads=1;d_model=2;length=5;position_buckets=-1;max_relative_positions=3;pos_att_type=c2p", NULL},
    {"deberta", EVERY, "head_dim=3;num_heads=1;d_model=5;length=6;position_buckets=8;max_position_embeddings=64;pos_att_type=p2c;share_att_key=false", NULL},
    {"deberta", EVERY, "head_dim=2;num_heads=2;d_model=3;length=5;version=v1;max_relative_positions=4", NULL}, {"deberta", EVERY, "head_dim=2;num_heads=1;d_model=3;length=3;version=v1;max_relative_positions=8", NULL},
    {"deberta", EVERY, "head_dim=2;num_heads=1;d_model=2;length=4;position_buckets=4;max_relative_positions=9;pos_att_type=none;scale_factor=3", NULL},
    {"deberta", "log_bucket", "head_dim=2;num_heads=1", "-511,-256,-129,-128,-127,-1,0,1,127,128,129,200,256,400,510,511,600"}, {"deberta", "log_bucket", "head_dim=2;num_heads=1;impl=microsoft", "-600,-512,-511,0,511,512,100000"},
    {"deberta", "log_bucket", "head_dim=2;num_heads=1;position_buckets=8;max_relative_positions=2917", "-4,-36,-324,-2916,-37,-35,4,36,324,2916,323,325"}, {"deberta", "log_bucket", "head_dim=2;num_heads=1;position_buckets=14;max_relative_positions=448", "7,14,28,56,112,224,447,13,15,27,29"},
    {"deberta", "log_bucket", "head_dim=2;num_heads=1;position_buckets=20;max_relative_positions=1000000000", "10,100,1000,10000,99,101,1e9"},
    {"deberta", "log_bucket", "head_dim=2;num_heads=1;position_buckets=14;max_relative_positions=5104", "21,63,189,567,1701,5103,20,22,62,64,188,190"},

    {"kerple", EVERY, "num_heads=2;head_dim=2;r1=1.5,0.25;r2=0.5,2", NEAR}, {"kerple", EVERY, "num_heads=3;head_dim=2;r1=0.001,3,0.5;r2=0,0.01,1;mask=none;bidirectional=true", "0,1,2,5,1e12"}, {"kerple", EVERY, "num_heads=2;head_dim=2;kernel=power;r1=0,1;r2=5,0", "0,1,2,5,1e6"},
    {"kerple", EVERY, "num_heads=2;head_dim=2;kernel=power;r1=0.5,0.1;r2=1,1.5;bidirectional=true", NEAR}, {"kerple", "bias decay r1 r2", "num_heads=2;r1=2,3;r2=1e-9,1e6;clamp_min=1e-9", FAR},

    {"sandwich", EVERY, "num_heads=3;head_dim=2;length=7", NULL}, {"sandwich", EVERY, "num_heads=1;head_dim=2;bar_d=2;index_start=0;length=4;mask=none", NULL}, {"sandwich", "bias decay", "num_heads=5;bar_d=6;variant=(sum - D/2)/(h*8/H)", FAR}, {"sandwich", "bias decay", "num_heads=2;bar_d=1024;index_start=0", FAR},

    {"fire", EVERY, "num_heads=2;head_dim=2;length=7;L=4;mlp_width=4", NULL}, {"fire", EVERY, "num_heads=1;head_dim=2;length=5;mlp_width=1;c=1e-6;L=1e-3;eps=1e-12", NULL}, {"fire", "bias decay", "num_heads=3;mlp_width=32", FAR}, {"fire", "bias decay", "num_heads=1;mlp_width=7;c=1e6;L=1e9;eps=1", FAR},

    {"cope", EVERY, "head_dim=4;num_heads=2;npos_max=4;length=8", NULL}, {"cope", EVERY, "head_dim=3;num_heads=1;npos_max=1;length=5", NULL}, {"cope", EVERY, "head_dim=4;num_heads=1;npos_max=64;gate_logits=q.k/sqrt(d);length=9", NULL}, {"cope", EVERY, "head_dim=2;num_heads=1;length=1", NULL},

    {"sinusoidal_2d", EVERY, "d_model=8;num_heads=2;head_dim=4;grid=4,5", "0,1,3,nan;0,4,2,nan"}, {"sinusoidal_2d", EVERY, "d_model=4;num_heads=1;head_dim=4;style=detr;length=10;temperature=20", "0,1,3;0,2,2"}, {"sinusoidal_2d", EVERY, "d_model=12;num_heads=1;head_dim=12;style=detr;normalize=true;grid=3,7;scale=5", "0,1,2;0,6,2"},
    {"sinusoidal_2d", "pe", "d_model=8;grid=2,3;cls_token=1;patches=7", NULL}, {"sinusoidal_2d", "pe", "d_model=8;style=detr;normalize=true;grid=3,2;patches=6", NULL}, {"sinusoidal_2d", "pe grid", "d_model=8;length=5;patches=9", NULL},

    {"relpos_2d", EVERY, "num_heads=2;head_dim=2;window=2,3", "0,1,1,0;0,2,1,2"}, {"relpos_2d", EVERY, "num_heads=1;head_dim=2;window=1,1;length=1", "0;0"}, {"relpos_2d", EVERY, "num_heads=2;head_dim=2;style=beit;window=3,2;mask=none", "nan,0,1,2;nan,0,1,1"},
    {"relpos_2d", EVERY, "num_heads=2;head_dim=2;style=swinv2;window=3,4;mask=none", "0,1,2,2;0,3,1,2"}, {"relpos_2d", EVERY, "num_heads=1;head_dim=2;style=swinv2;window=4,4;pretrained_window=8,12", "0,1,2,3;0,3,1,2"}, {"relpos_2d", "bias window", "num_heads=1;window=2,2", "0,1,5;0,1,1"},
    {"relpos_2d", "window", "num_heads=1;style=swin;head_dim=2", NULL}, {"relpos_2d", "window", "num_heads=1;style=swinv2;head_dim=2", NULL}, {"relpos_2d", "window", "num_heads=1;style=beit;head_dim=2", NULL},
};
enum { N_CASES = sizeof cases / sizeof *cases };

/* ---- asking ---------------------------------------------------------------------------------------------- */

static int wrong;

static bool near(real got, real want, bool integer)
{
    if (isnan(want) || isinf(want))
        return isnan(want) ? isnan(got) : got == want;
    return fabsl(got - want) <= (integer ? 0 : 1e-13L * fmaxl(fabsl(want), 1) + twin_slack);
}

static void complain(const struct ask *a, const char *output, const char *what, const size_t *i, int rank, real got, real want)
{
    char at[80] = "";
    for (int r = 0; r < rank; r++)
        snprintf(at + strlen(at), sizeof at - strlen(at), "%s%zu", r ? ", " : "", i[r]);
    if (++wrong <= 40)
        print_error("%s %s (%s; positions %s) %s [%s]: %.17Lg, want %.17Lg\n", a->t.id, output, a->t.settings, a->positions ? a->positions : "none", what, at, got, want);
}

static void compare(const struct ask *a, const struct way *w, const struct answer *got)
{
    const struct table *t = got->values;
    int rank = (int)strlen(w->dims);
    size_t i[TABLE_MAX_RANK] = {0};
    for (int r = 0; r < rank; r++)
        if (t->rank != rank || t->dim[r] != size_of(a, w->dims[r])) {
            complain(a, w->output, "size", (size_t[]){(size_t)r}, 1, t->rank == rank ? (real)t->dim[r] : -1, (real)size_of(a, w->dims[r]));
            return;
        }
    for (size_t at = 0; at < t->n; at++) {
        twin_slack = 0;
        real want = w->want(a, i);
        if (!near(t->v[at], want, got->integer))
            complain(a, w->output, "value", i, rank, t->v[at], want);
        compared[number_of(a->t.id)][w - ways]++;
        for (int r = rank - 1; r >= 0 && ++i[r] == t->dim[r]; r--)
            i[r] = 0;
    }
}

/* Is an output that a case does not name asked all the same? Those that need settings of their own are not. */
static bool is_particular(const char *output)
{
    static const char *const names[] = {"inv_freq_per_call", "position_ids", "source_row", "table_grid", "target_grid", "log_bucket", "dot",
                                        "axis_of_pair", "base", "factor", "row_index", "padding_idx", "offset"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], output))
            return true;
    return false;
}

static bool named(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return true;
    return false;
}

static bool asked(size_t c, const char *output)
{
    bool rope_fact = !strcmp(output, "axis_of_pair") || !strcmp(output, "base") || !strcmp(output, "factor"), learned = !strcmp(cases[c].kind, "learned");
    bool row = learned && (!strcmp(output, "row_index") || !strcmp(output, "padding_idx") || !strcmp(output, "offset"));
    if (*cases[c].outputs)
        return named(cases[c].outputs, output);
    return !is_particular(output) || rope_fact || row || (!strcmp(output, "dot") && !strstr(cases[c].settings, "mrope"));
}

static bool answer(const struct ask *a, const struct encoding *kind, const struct way *w, struct answer *out, struct err *err)
{
    struct inputs in = {.n = 0};
    struct arg args[ARGS];
    char words[400];
    size_t n_args = to_args(a->t.settings, words, args);
    add_weights(a, &in);
    add_inputs(a, w->inputs, &in);
    struct request r = {.output = w->output, .args = args, .n_args = n_args, .inputs = in.arg, .n_inputs = in.n, .positions = to_positions(a)};
    if (!strcmp(w->output, "dot")) {            /* pairs of positions */
        table_unref(r.positions);
        r.positions = table_new(2, (size_t[]){a->n / 2, 2});
        for (size_t i = 0; i < r.positions->n; i++)
            r.positions->v[i] = a->pos[i][0];
    }
    bool done = quantity_answer(kind, &r, out, err);
    table_unref(r.positions);
    for (size_t i = 0; i < n_args; i++)
        table_unref(args[i].list);
    release(&in);
    return done;
}

static bool only_bias(const struct encoding *k)
{
    return k->bias && !k->row && !k->rotate;
}

static void ask(size_t c, const struct encoding *kind, const char *output)
{
    struct ask a = {.t = {kind->id, cases[c].settings}, .positions = cases[c].positions};
    struct answer got = {0};
    struct err err = {0};
    read_positions(&a);
    const struct way *w = way_of(kind->id, output, &a, only_bias(kind));
    if (!w)
        return;                                 /* no_pair_is_left_out fails */
    if (answer(&a, kind, w, &got, &err))
        compare(&a, w, &got);
    else if (++wrong <= 40)
        print_error("%s %s (%s): %s\n", kind->id, output, a.t.settings, err.text);
    table_unref(got.values);
}

/* What a kind offers: its own outputs, then the general ones whose hook it has. */
static bool offers(const struct encoding *k, const char *general)
{
    bool score = k->row || k->rotate;
    return !strcmp(general, "pe") ? k->row != NULL : !strcmp(general, "rotated") ? k->rotate != NULL : !strcmp(general, "bias") ? k->bias != NULL
         : !strcmp(general, "spectrum") ? k->spectrum != NULL : !strcmp(general, "similarity") ? score : !strcmp(general, "decay") ? score || k->bias : true;
}

static void each_output(const struct encoding *k, void (*f)(const struct encoding *, const char *, size_t), size_t c)
{
    for (size_t q = 0; q < k->n_quantities; q++)
        f(k, k->quantities[q].name, c);
    for (const struct quantity *g = general_quantities; g->name; g++) {
        bool own = false;
        for (size_t q = 0; q < k->n_quantities; q++)
            own = own || !strcmp(k->quantities[q].name, g->name);
        if (!own && offers(k, g->name))
            f(k, g->name, c);
    }
}

static void ask_if_asked(const struct encoding *k, const char *output, size_t c)
{
    if (asked(c, output))
        ask(c, k, output);
}

static void every_answer_has_a_second_way(void **state)
{
    (void)state;
    for (size_t c = 0; c < N_CASES; c++) {
        const struct encoding *kind = encoding_find(cases[c].kind, NULL);
        assert_non_null(kind);
        each_output(kind, ask_if_asked, c);
    }
    assert_int_equal(wrong, 0);
}

static int missing;

static void look_for_a_way(const struct encoding *k, const char *output, size_t c)
{
    (void)c;
    int values = 0;
    for (size_t i = 0; i < N_WAYS; i++)
        if (!strcmp(ways[i].output, output) && (!strcmp(ways[i].kind, k->id) || !strcmp(ways[i].kind, "*")))
            values += compared[number_of(k->id)][i];
    if (values == 0 && ++missing)
        print_error("%s offers %s: this test knows no second way to it, or compared no value\n", k->id, output);
}

/* For each kind by itself: that a general way exists does not do, a case of the kind must have taken it. */
static void no_pair_is_left_out(void **state)
{
    (void)state;
    for (size_t e = 0; encodings[e]; e++) {
        size_t of_kind = 0;
        for (size_t c = 0; c < N_CASES; c++)
            of_kind += !strcmp(cases[c].kind, encodings[e]->id) && !*cases[c].outputs;
        if (!of_kind && ++missing)
            print_error("%s: no case asks for all its outputs\n", encodings[e]->id);
        each_output(encodings[e], look_for_a_way, 0);
    }
    assert_int_equal(missing, 0);
    for (size_t i = 0; i < N_WAYS; i++) {
        int values = 0;
        for (size_t e = 0; e < KINDS; e++)
            values += compared[e][i];
        if (!values)
            fail_msg("the way to %s %s (%s) was never taken", ways[i].kind, ways[i].output, ways[i].when);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_answer_has_a_second_way),
        cmocka_unit_test(no_pair_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
