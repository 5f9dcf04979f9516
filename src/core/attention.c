/* attention.c - the terms of a logit, and one row of attention exactly.
 *
 *     logit(i, j) = scale q_i.k_j + context terms + bias
 *
 * With a row encoding q = Wq (x + p) and k = Wk (x + p), and the product falls into four terms:
 *     content x.x,  content to position x.p,  position to content p.x,  position to position p.p */
#include "core/attention_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/blas.h"

enum { RUN = 64 };      /* keys whose vectors are made at once */

static const double keys_max = 268435456;       /* numbers in all keys, 1 GiB as float32 */

/* ---- terms -------------------------------------------------------------------------------------------- */

static void add_term(struct term *out, size_t *n, struct term term)
{
    if (*n < TERMS_MAX)
        out[(*n)++] = term;
}

size_t attention_list(const struct layer *layer, struct term out[TERMS_MAX])
{
    size_t n = 0;
    add_term(out, &n, (struct term){TERM_PRODUCT, N_("content"), PART_CONTENT, PART_CONTENT, NULL, 0});
    if (layer_row(layer)) {
        add_term(out, &n, (struct term){TERM_PRODUCT, N_("content to position"), PART_CONTENT, PART_POSITION, NULL, 0});
        add_term(out, &n, (struct term){TERM_PRODUCT, N_("position to content"), PART_POSITION, PART_CONTENT, NULL, 0});
        add_term(out, &n, (struct term){TERM_PRODUCT, N_("position to position"), PART_POSITION, PART_POSITION, NULL, 0});
    }
    for (size_t l = 0; l < layer->n; l++) {
        const struct enc *e = layer->enc[l];
        for (int t = 0; e->kind->context && e->kind->terms && e->kind->terms[t]; t++)
            add_term(out, &n, (struct term){TERM_CONTEXT, e->kind->terms[t], 0, 0, e, t});
    }
    if (layer_bias(layer))
        add_term(out, &n, (struct term){TERM_BIAS, N_("position"), 0, 0, NULL, 0});
    return n;
}

size_t attention_terms(const struct layer *layer, const char *names[TERMS_MAX])
{
    struct term term[TERMS_MAX];
    size_t n = attention_list(layer, term);
    for (size_t i = 0; i < n; i++)
        names[i] = term[i].name;
    return n;
}

bool attention_wants(const struct attention *a, size_t term)
{
    return a->options.terms >> term & 1;
}

/* ---- what the terms are made of ----------------------------------------------------------------------- */

/* Masks count from the first key, chunks from the first query. */
void attention_run(const struct attention *a, double query, double *from, double *to)
{
    double memory = a->options.mask.type == MASK_CHUNKED ? 0 : a->options.memory;
    mask_run(a->options.mask, query + memory, a->n + memory, from, to);
    *from = ceil(*from) - memory;
    *to = ceil(*to) - memory;
}

void attention_positions(const struct attention *a, const struct enc *e, double token, size_t n, double *out)
{
    const struct table *t = a->options.positions;
    size_t axes = (size_t)e->axes, given = t ? t->n / t->dim[0] : 0;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < axes; c++) {
            double p = token + (double)i + a->options.memory;
            if (t)
                out[i * axes + c] = t->v[(size_t)p * given + (given > 1 ? c : 0)];
            else if (c == 0)
                enc_places(e, &p, 1, out + i * axes);
        }
}

/* n x d_model: what the encodings add to the input. */
static void add_rows(const struct attention *a, double token, size_t n, double *x)
{
    size_t d = (size_t)a->layer->shape.d_model;
    double *one = xcalloc(n * d, sizeof *one), *pos = xcalloc(n * (size_t)a->layer->axes, sizeof *pos);
    for (size_t l = 0; l < a->layer->n; l++) {
        const struct enc *e = a->layer->enc[l];
        if (!e->kind->row)
            continue;
        attention_positions(a, e, token, n, pos);
        e->kind->row(e, pos, n, one);
        for (size_t i = 0; i < n * d; i++)
            x[i] += one[i];
    }
    free(one);
    free(pos);
}

/* n x width: the parts of the input, of n consecutive tokens. */
static void inputs(const struct attention *a, enum side side, unsigned parts, double token, size_t n, double *x)
{
    if (!(parts & PART_CONTENT))
        memset(x, 0, n * content_width(a) * sizeof *x);
    else
        content_rows(a, side, token, n, x);
    if (parts & PART_POSITION && a->projection[side])
        add_rows(a, token, n, x);
}

static void project(const struct attention *a, enum side side, const double *x, size_t n, double *out)
{
    const struct table *w = a->projection[side];
    size_t d = w->dim[0], d_model = w->dim[1];
    blas_dgemm_nt(n, d, d_model, 1, x, d_model, w->v, d_model, 0, out, d);
}

void attention_vectors(const struct attention *a, enum side side, unsigned parts, double token, size_t n, double *out)
{
    size_t d = (size_t)a->layer->shape.d_head;
    if (!a->projection[side]) {
        content_rows(a, side, token, n, out);
        return;
    }
    double *x = xmalloc((n < RUN ? n : RUN) * content_width(a) * sizeof *x);
    for (size_t i = 0; i < n; i += RUN) {
        size_t m = n - i < RUN ? n - i : RUN;
        inputs(a, side, parts, token + (double)i, m, x);
        project(a, side, x, m, out + i * d);
    }
    free(x);
}

void attention_queries(const struct attention *a, unsigned parts, const double *query, size_t n, double *out)
{
    size_t width = content_width(a);
    bool projects = a->projection[SIDE_QUERY] != NULL;
    double *x = projects ? xmalloc(n * width * sizeof *x) : out;
    for (size_t i = 0, run; i < n; i += run) {
        for (run = 1; i + run < n && query[i + run] == query[i] + (double)run;)
            run++;
        inputs(a, SIDE_QUERY, parts | (projects ? 0 : PART_CONTENT), query[i], run, x + i * width);
    }
    if (projects) {
        project(a, SIDE_QUERY, x, n, out);
        free(x);
    }
}

void attention_turn(const struct attention *a, enum side side, double token, size_t n, double *x)
{
    double *pos = xcalloc(n * (size_t)a->layer->axes, sizeof *pos);
    for (size_t l = 0; l < a->layer->n; l++) {
        const struct enc *e = a->layer->enc[l];
        if (!e->kind->rotate)
            continue;
        attention_positions(a, e, token, n, pos);
        e->kind->rotate(e, side, a->options.head, pos, n, x);
    }
    free(pos);
}

void attention_biases(const struct attention *a, double query, double from, size_t n, double *out)
{
    size_t axes = (size_t)a->layer->axes;
    double *one = xcalloc(n + (n + 1) * axes, sizeof *one), *q_pos = one + n, *k_pos = q_pos + axes;
    memset(out, 0, n * sizeof *out);
    for (size_t l = 0; l < a->layer->n; l++) {
        const struct enc *e = a->layer->enc[l];
        if (!e->kind->bias)
            continue;
        attention_positions(a, e, query, 1, q_pos);
        attention_positions(a, e, from, n, k_pos);
        e->kind->bias(e, a->options.head, q_pos, k_pos, n, one);
        for (size_t j = 0; j < n; j++)
            out[j] += one[j];
    }
    free(one);
}

/* ---- one row ------------------------------------------------------------------------------------------ */

struct row {
    const struct attention *a;
    double query, from;         /* keys from .. from + n - 1 */
    size_t n;
};

/* out[j] = scale q.k of the parts. */
static void product_row(const struct row *r, unsigned left, unsigned right, double *out)
{
    const struct attention *a = r->a;
    size_t d = (size_t)a->layer->shape.d_head;
    double *q = xcalloc((RUN + 1) * d, sizeof *q), *k = q + d;
    attention_vectors(a, SIDE_QUERY, left, r->query, 1, q);
    attention_turn(a, SIDE_QUERY, r->query, 1, q);
    for (size_t j = 0; j < r->n; j += RUN) {
        size_t m = r->n - j < RUN ? r->n - j : RUN;
        attention_vectors(a, SIDE_KEY, right, r->from + (double)j, m, k);
        attention_turn(a, SIDE_KEY, r->from + (double)j, m, k);
        plain_dgemm_nt(1, m, d, a->layer->scale, q, d, k, d, 0, out + j, m);
    }
    free(q);
}

static void context_row(const struct row *r, const struct term *t, double *out)
{
    const struct attention *a = r->a;
    size_t d = (size_t)a->layer->shape.d_head, axes = (size_t)t->enc->axes;
    double *vec = xcalloc((r->n + 1) * (d + axes) + r->n, sizeof *vec);
    double *q = vec + r->n * d, *pos = q + d, *content = pos + (r->n + 1) * axes;
    attention_vectors(a, SIDE_QUERY, PART_BOTH, r->query, 1, q);
    attention_vectors(a, SIDE_KEY, PART_BOTH, r->from, r->n, vec);
    attention_positions(a, t->enc, r->query, 1, pos);
    attention_positions(a, t->enc, r->from, r->n, pos + axes);
    product_row(r, PART_BOTH, PART_BOTH, content);
    struct query query = {pos, q};
    struct keys keys = {.n = r->n, .pos = pos + axes, .vec = vec, .content = content};
    t->enc->kind->context(t->enc, t->index, a->options.head, &query, &keys, out);
    free(vec);
}

static void term_row(const struct row *r, const struct term *t, double *out)
{
    if (t->type == TERM_PRODUCT)
        product_row(r, t->left, t->right, out);
    else if (t->type == TERM_CONTEXT)
        context_row(r, t, out);
    else
        attention_biases(r->a, r->query, r->from, r->n, out);
}

/* Logits to what is shown. */
static void show_row(enum attention_show show, double *z, size_t n)
{
    double max = -INFINITY, sum = 0;
    for (size_t j = 0; j < n; j++)
        max = z[j] > max || isnan(z[j]) ? z[j] : max;
    for (size_t j = 0; j < n; j++)
        sum += exp(z[j] - max);
    for (size_t j = 0; j < n && show != SHOW_LOGIT; j++)
        z[j] = show == SHOW_PROBABILITY ? exp(z[j] - max) / sum : z[j] - max - log(sum);
}

void attention_row(const struct attention *a, double query, double *out, double *terms)
{
    size_t all = (size_t)(a->n + a->options.memory);
    double to;
    struct row r = {.a = a, .query = query};
    attention_run(a, query, &r.from, &to);
    r.n = (size_t)fmax(to - r.from, 0);
    size_t first = (size_t)(r.from + a->options.memory);
    double *one = xcalloc(r.n, sizeof *one);
    for (size_t j = 0; j < all; j++)
        out[j] = j >= first && j < first + r.n ? 0 : a->options.show == SHOW_PROBABILITY ? 0 : -INFINITY;
    for (size_t t = 0; t < a->n_terms; t++) {
        if (!terms && !attention_wants(a, t))
            continue;
        term_row(&r, &a->term[t], one);
        for (size_t j = 0; j < r.n && attention_wants(a, t); j++)
            out[first + j] += one[j];
        for (size_t j = 0; terms && j < all; j++)
            terms[t * all + j] = j >= first && j < first + r.n ? one[j - first] : -INFINITY;
    }
    show_row(a->options.show, out + first, r.n);
    free(one);
}

/* ---- opening ------------------------------------------------------------------------------------------ */

static bool positions_fit(const struct attention *a, struct err *err)
{
    const struct table *t = a->options.positions;
    size_t given = t && t->dim[0] ? t->n / t->dim[0] : 0;
    if (!t)
        return true;
    if (t->rank > 2 || given == 0 || (given > 1 && given < (size_t)a->layer->axes))
        return err_set(err, N_("positions: %zu coordinates a token, this layer needs 1 or %d"), given, a->layer->axes);
    if ((double)t->dim[0] < a->n + a->options.memory)
        return err_set(err, N_("positions: %zu tokens, %.0f are asked for"), t->dim[0], a->n + a->options.memory);
    return true;
}

static bool check(const struct attention *a, struct err *err)
{
    const struct attention_options *o = &a->options;
    double d = a->layer->shape.d_head, keys = a->n + o->memory;
    if (o->head < 0 || o->head >= a->layer->shape.n_heads)
        return err_set(err, N_("head = %d: allowed is 0 to %d"), o->head, a->layer->shape.n_heads - 1);
    if (!(a->n >= 1 && o->memory >= 0 && keys * d <= keys_max))
        return err_set(err, N_("%.0f tokens: attention keeps the keys of all, allowed are 1 to %.0f here"), keys,
                       floor(keys_max / d));
    return positions_fit(a, err) && content_check(a, err);
}

struct attention *attention_open(const struct layer *layer, double n, const struct attention_options *options, struct err *err)
{
    struct attention *a = xcalloc(1, sizeof *a);
    a->layer = layer;
    a->n = floor(n);
    a->options = *options;
    a->options.memory = floor(options->memory);
    a->options.threads = options->threads > 1 ? options->threads : 1;
    a->n_terms = attention_list(layer, a->term);
    table_ref(options->content.q);
    table_ref(options->content.k);
    table_ref(options->content.wq);
    table_ref(options->content.wk);
    table_ref(options->positions);
    if (!check(a, err)) {
        attention_close(a);
        return NULL;
    }
    for (int side = 0; layer_row(layer) && side < 2; side++)
        a->projection[side] = content_projection(a, (enum side)side);
    return a;
}

void attention_close(struct attention *a)
{
    if (!a)
        return;
    const struct table *const tables[] = {a->options.content.q, a->options.content.k, a->options.content.wq, a->options.content.wk,
                                          a->options.positions, a->projection[0], a->projection[1]};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        table_unref((struct table *)tables[i]);
    free(a);
}
