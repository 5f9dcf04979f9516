#include "core/quantity.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/attention.h"

enum { ANSWER_MAX = 1 << 27 };

double *answer_new(struct answer *out, int rank, const size_t *dim, struct err *err)
{
    double n = 1;
    for (int i = 0; i < rank; i++)
        n *= (double)dim[i];
    if (n > ANSWER_MAX) {
        err_set(err, N_("the answer would hold %g numbers; allowed are %d"), n, ANSWER_MAX);
        return NULL;
    }
    out->values = table_new(rank, dim);
    return out->values->v;
}

bool answer_list(struct answer *out, const double *v, size_t n, struct err *err)
{
    double *to = answer_new(out, n > 1, &n, err);
    if (to)
        memcpy(to, v, n * sizeof *to);
    return to != NULL;
}

/* ---- general quantities -------------------------------------------------------------------------------- */

static bool lacks(const struct enc *e, const char *what, struct err *err)
{
    return err_set(err, N_("%s has no hook %s, which this output needs"), e->kind->id, what);
}

static bool q_pe(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    if (!e->kind->row)
        return lacks(e, "row", err);
    size_t n, d = (size_t)e->shape.d_model;
    double *pos = request_positions(r, e->axes, &n, err);
    double *v = pos ? answer_new(out, 2, (size_t[]){n, d}, err) : NULL;
    if (v)
        e->kind->row(e, pos, n, v);
    free(pos);
    return v != NULL;
}

static bool read_side(const struct request *r, enum side *side, struct err *err)
{
    const char *text = request_text(r, "side", "query");
    *side = !strcmp(text, "key") ? SIDE_KEY : SIDE_QUERY;
    return *side == SIDE_KEY || !strcmp(text, "query") || err_set(err, N_("side = %s: allowed are query, key"), text);
}

static bool read_head(const struct enc *e, const struct request *r, int *head, struct err *err)
{
    double h = request_number(r, "head", 0);
    if (h != floor(h) || h < 0 || h >= e->shape.n_heads)
        return err_set(err, N_("head = %g: allowed is 0 to %d"), h, e->shape.n_heads - 1);
    *head = (int)h;
    return true;
}

static bool q_rotated(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    enum side side = SIDE_QUERY;
    int head = 0;
    if (!e->kind->rotate)
        return lacks(e, "rotate", err);
    if (!read_side(r, &side, err) || !read_head(e, r, &head, err))
        return false;
    size_t n, d = (size_t)e->shape.d_head;
    double *pos = request_positions(r, e->axes, &n, err);
    const struct table *x = pos ? request_need(r, "x", 2, (size_t[]){n, d}, err) : NULL;
    double *v = x ? answer_new(out, 2, (size_t[]){n, d}, err) : NULL;
    if (v) {
        memcpy(v, x->v, x->n * sizeof *v);
        e->kind->rotate(e, side, head, pos, n, v);
    }
    free(pos);
    return v != NULL;
}

static bool q_bias(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    if (!e->kind->bias)
        return lacks(e, "bias", err);
    size_t nq = 0, nk = 0, H = (size_t)e->shape.n_heads, axes = (size_t)e->axes;
    double *q = request_query_positions(r, e->axes, &nq, err), *k = q ? request_key_positions(r, e->axes, &nk, err) : NULL;
    double *v = k ? answer_new(out, 3, (size_t[]){H, nq, nk}, err) : NULL;
    for (size_t h = 0; v && h < H; h++)
        for (size_t i = 0; i < nq; i++)
            e->kind->bias(e, (int)h, q + i * axes, k, nk, v + (h * nq + i) * nk);
    free(q);
    free(k);
    return v != NULL;
}

static bool q_spectrum(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    (void)r;
    const struct spectrum *s = e->kind->spectrum ? e->kind->spectrum(e) : NULL;
    if (!s)
        return lacks(e, "spectrum", err);
    double *v = answer_new(out, 2, (size_t[]){s->n, 7}, err);
    for (size_t k = 0; v && k < s->n; k++) {
        double row[7] = {s->inv_freq[k], s->unscaled ? s->unscaled[k] : s->inv_freq[k], s->a[k], s->b[k],
                         s->axis ? s->axis[k] : 0, s->band ? s->band[k] : BAND_KEPT, s->growth ? s->growth[k] : 1};
        memcpy(v + 7 * k, row, sizeof row);
    }
    return v != NULL;
}

/* Mean over the pairs of cos(angle between two positions): what is left of q.k when every pair holds equal energy. xPos
 * multiplies each by its growth to the power of the distance. */
static double mean_cosine(const struct spectrum *s, const double *i, const double *j)
{
    double sum = 0;
    for (size_t k = 0; k < s->n; k++) {
        int a = s->axis ? s->axis[k] : 0;
        double d = isnan(*i) || isnan(*j) ? 0 : i[a] - j[a];
        sum += cos(s->inv_freq[k] * d) * (s->growth ? pow(s->growth[k], d) : 1);
    }
    return s->n ? sum / (double)s->n : 1;
}

static double dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* One vector at each of n positions, turned there. */
static double *turned(const struct enc *e, enum side side, const struct table *x, const double *pos, size_t n)
{
    size_t d = (size_t)e->shape.d_head;
    double *v = xcalloc(n * d + 1, sizeof *v);
    for (size_t i = 0; i < n; i++)
        memcpy(v + i * d, x->v, d * sizeof *v);
    e->kind->rotate(e, side, 0, pos, n, v);
    return v;
}

/* out[i][j] = a_i . b_j; frees both. */
static void products(double *a, double *b, size_t n_a, size_t n_b, size_t d, double *out)
{
    for (size_t i = 0; i < n_a; i++)
        for (size_t j = 0; j < n_b; j++)
            out[i * n_b + j] = dot(a + i * d, b + j * d, d);
    free(a);
    free(b);
}

/* The score without content: of rows their product, of turns that of two given vectors, else the mean cosine. */
static bool score(const struct enc *e, const struct request *r, const double *q, size_t n_q, const double *k, size_t n_k,
                  double *out, struct err *err)
{
    size_t d = (size_t)(e->kind->row ? e->shape.d_model : e->shape.d_head);
    if (e->kind->row) {
        double *a = xcalloc(n_q * d + 1, sizeof *a), *b = xcalloc(n_k * d + 1, sizeof *b);
        e->kind->row(e, q, n_q, a);
        e->kind->row(e, k, n_k, b);
        products(a, b, n_q, n_k, d, out);
        return true;
    }
    if (request_input(r, "q") || request_input(r, "k") || !e->kind->spectrum) {
        const struct table *vq = request_need(r, "q", 1, &d, err), *vk = vq ? request_need(r, "k", 1, &d, err) : NULL;
        if (vk)
            products(turned(e, SIDE_QUERY, vq, q, n_q), turned(e, SIDE_KEY, vk, k, n_k), n_q, n_k, d, out);
        return vk != NULL;
    }
    size_t axes = (size_t)e->axes;
    for (size_t i = 0; i < n_q; i++)
        for (size_t j = 0; j < n_k; j++)
            out[i * n_k + j] = mean_cosine(e->kind->spectrum(e), q + i * axes, k + j * axes);
    return true;
}

static bool q_similarity(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    if (!e->kind->row && !e->kind->rotate)
        return err_set(err, N_("%s has neither of the hooks row and rotate, one of which this output needs"), e->kind->id);
    size_t n;
    double *pos = request_positions(r, e->axes, &n, err);
    double *v = pos ? answer_new(out, 2, (size_t[]){n, n}, err) : NULL;
    bool done = v && score(e, r, pos, n, pos, n, v, err);
    free(pos);
    return done;
}

/* Query at each distance from a key at 0: [distance], or [head, distance] of a bias. */
static bool q_decay(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    bool bias = e->kind->bias && !e->kind->row && !e->kind->rotate;
    if (!bias && !e->kind->row && !e->kind->rotate)
        return err_set(err, N_("%s has none of the hooks row, rotate and bias, one of which this output needs"), e->kind->id);
    size_t n, H = (size_t)e->shape.n_heads, axes = (size_t)e->axes;
    double *pos = request_positions(r, e->axes, &n, err), *zero = xcalloc(axes, sizeof *zero);
    double *v = !pos ? NULL : bias ? answer_new(out, 2, (size_t[]){H, n}, err) : answer_new(out, 1, &n, err);
    bool done = v && (bias || score(e, r, pos, n, zero, 1, v, err));
    for (size_t h = 0; done && bias && h < H; h++)
        for (size_t i = 0; i < n; i++)
            e->kind->bias(e, (int)h, pos + i * axes, zero, 1, v + h * n + i);
    free(pos);
    free(zero);
    return done;
}

/* window is the length of a mask, unless it is a parameter of the encoding itself (the sides of a picture's window). */
static bool read_mask(const struct enc *e, const struct request *r, struct mask *mask, struct err *err)
{
    const char *name = request_text(r, "mask", "causal");
    bool own = param_index(e->kind->params, e->kind->n_params, "window") >= 0;
    mask->size = own ? 1 : request_number(r, "window", 1);
    for (mask->type = 0; mask_names[mask->type]; mask->type++) {
        if (strcmp(mask_names[mask->type], name))
            continue;
        if (own && mask->type > MASK_CAUSAL)
            return err_set(err, N_("mask = %s: window is %s's own here, so that no length can be given; allowed are none, causal"), name, e->kind->id);
        return mask->size >= 1 || err_set(err, N_("window = %g: must be at least 1"), mask->size);
    }
    return err_set(err, N_("mask = %s: allowed are none, causal, sliding, chunked, window"), name);
}

/* q and k as given, or for rows the input x before projection; else seeded. */
static bool read_content(const struct request *r, struct content *c, struct err *err)
{
    const double seed = request_number(r, "seed", 1), most = 1e9;
    if (seed < 0 || seed > most || seed != floor(seed))
        return err_set(err, N_("%s = %g: must be a whole number from %g to %g"), "seed", seed, 0.0, most);
    const struct table *x = request_input(r, "x"), *q = request_input(r, "q");
    *c = (struct content){
        .type = x || q ? CONTENT_TABLES : CONTENT_SEEDED, .seed = (unsigned long)seed,
        .q = x ? x : q, .k = x ? NULL : request_input(r, "k"), .wq = request_input(r, "wq"), .wk = request_input(r, "wk"),
    };
    return true;
}

/* How many tokens attend: as many as positions, else as there are rows of q or x, else length. */
static bool read_tokens(const struct enc *e, const struct request *r, struct attention_options *o, struct table **positions,
                        size_t *n, struct err *err)
{
    const struct table *q = o->content.q;
    if (!r->positions && (!q || q->rank < 2))
        return request_length(r, n, err);
    if (!r->positions) {
        *n = q->dim[q->rank - 2];
        return q->n || err_set(err, N_("inputs: q or x holds no row"));
    }
    double *pos = request_positions(r, e->axes, n, err);
    if (pos) {
        o->positions = *positions = table_new(2, (size_t[]){*n, (size_t)e->axes});
        memcpy((*positions)->v, pos, (*positions)->n * sizeof *pos);
        free(pos);
    }
    return pos != NULL;
}

/* Weights of every head by the same code that the screen shows. */
static bool attend(const struct enc *e, struct attention_options *o, size_t n, double *out, struct err *err)
{
    struct layer layer = {.n = 1, .enc = {(struct enc *)e}, .shape = e->shape, .scale = e->scale, .axes = e->axes};
    for (o->head = 0; o->head < e->shape.n_heads; o->head++) {
        struct attention *a = attention_open(&layer, (double)n, o, err);
        for (size_t i = 0; a && i < n; i++)
            attention_row(a, (double)i, out + ((size_t)o->head * n + i) * n, NULL);
        if (!a)
            return false;
        attention_close(a);
    }
    return true;
}

static bool q_attention(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    size_t n = 0;
    struct table *positions = NULL;
    struct attention_options o = {.terms = ~0u, .show = SHOW_PROBABILITY, .threads = 1};
    bool good = read_content(r, &o.content, err) && read_mask(e, r, &o.mask, err) && read_tokens(e, r, &o, &positions, &n, err);
    double *v = good ? answer_new(out, 3, (size_t[]){(size_t)e->shape.n_heads, n, n}, err) : NULL;
    good = v && attend(e, &o, n, v, err);
    table_unref(positions);
    return good;
}

const struct quantity general_quantities[] = {
    {.name = "pe", .help = N_("the vector added at each position: [position, channel]"), .compute = q_pe},
    {.name = "rotated",
     .help = N_("x turned at each position, as a query or (side = key) as a key: [row, channel]"), .compute = q_rotated},
    {.name = "bias", .help = N_("the number added to each logit: [head, query, key]"), .compute = q_bias},
    {.name = "spectrum", .compute = q_spectrum,
     .help = N_("for each pair: inv_freq, the same before scaling, its two channels, axis, band (0 kept, 1 blended, 2 "
                "divided, 3 off), growth")},
    {.name = "similarity",
     .help = N_("positions against positions: product of the rows, or mean cosine of the turns"), .compute = q_similarity},
    {.name = "decay", .help = N_("similarity or bias at each distance from a key at position 0"), .compute = q_decay},
    {.name = "attention", .compute = q_attention,
     .help = N_("weights under mask (causal unless said) of q and k, of x and wq, wk for rows, or seeded: [head, query, key]")},
    {.name = NULL},
};

/* ---- answering ---------------------------------------------------------------------------------- */

static const struct quantity *by_name(const struct quantity *q, size_t n, const char *name)
{
    for (size_t i = 0; i < n && q[i].name; i++)
        if (!strcmp(q[i].name, name))
            return &q[i];
    return NULL;
}

static void list_names(char *out, size_t size, const struct quantity *q, size_t n)
{
    snprintf(out, size, "-");
    for (size_t i = 0, at = 0; i < n && q[i].name && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%s", i ? ", " : "", q[i].name);
}

static bool no_such_output(const struct encoding *kind, const char *output, struct err *err)
{
    char own[200], general[120];
    list_names(own, sizeof own, kind->quantities, kind->n_quantities);
    list_names(general, sizeof general, general_quantities, SIZE_MAX);
    return err_set(err, N_("%s has no output '%s'; its own are: %s; general ones: %s"), kind->id, output, own, general);
}

bool quantity_answer(const struct encoding *kind, const struct request *r, struct answer *out, struct err *err)
{
    const struct quantity *q = by_name(kind->quantities, kind->n_quantities, r->output);
    if (!q)
        q = by_name(general_quantities, SIZE_MAX, r->output);
    if (!q)
        return no_such_output(kind, r->output, err);
    *out = (struct answer){0};
    struct enc *e = NULL;
    if (!q->no_instance && !(e = request_open(kind, r, err)))
        return false;
    bool done = q->compute(e, r, out, err);
    done = request_types_fit(r, err) && done;
    enc_close(e);
    if (!done) {
        table_unref(out->values);
        out->values = NULL;
    }
    return done;
}

bool quantity_general(const char *name, const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    return by_name(general_quantities, SIZE_MAX, name)->compute(e, r, out, err);
}

double quantity_number(const struct enc *e, const char *name)
{
    const struct quantity *q = by_name(e->kind->quantities, e->kind->n_quantities, name);
    const struct request nothing = {.output = name};
    struct answer answer = {0};
    bool one = q && !q->no_instance && q->compute(e, &nothing, &answer, NULL) && answer.values->n == 1;
    double number = one ? answer.values->v[0] : NAN;
    table_unref(answer.values);
    return number;
}
