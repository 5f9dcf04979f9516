/* content.c - what tokens hold: seeded numbers, words, or tables. Every row can be made alone, so nothing is kept.
 *
 * Seeded entries are quantiles of the normal distribution at 4096 equally likely levels, five from one hash: of variance 1, and
 * fast enough to make the keys of a hundred thousand tokens while a picture is drawn. */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/rng.h"
#include "core/attention_impl.h"
#include "core/linear.h"

const char *const content_names[] = {"none", "seeded", "tokens", "tables", NULL};

enum { BITS = 12, LEVELS = 1 << BITS, A_HASH = 64 / BITS };

static double quantile[LEVELS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Newton on erfc for p < 1/2, from 0: convex there, so it cannot overshoot. */
static double normal_quantile(double p)
{
    double x = 0, step = 1;
    while (fabs(step) > 1e-13) {
        step = (erfc(-x / sqrt(2)) / 2 - p) * sqrt(2 * acos(-1)) * exp(x * x / 2);
        x -= step;
    }
    return x;
}

static void make_quantiles(void)
{
    double square = 0;
    for (size_t i = 0; i < LEVELS / 2; i++) {
        quantile[LEVELS - 1 - i] = -normal_quantile(((double)i + 0.5) / LEVELS);
        square += 2 * quantile[LEVELS - 1 - i] * quantile[LEVELS - 1 - i] / LEVELS;
    }
    for (size_t i = 0; i < LEVELS / 2; i++) {
        quantile[LEVELS - 1 - i] = (float)(quantile[LEVELS - 1 - i] / sqrt(square));       /* the same in both precisions */
        quantile[i] = -quantile[LEVELS - 1 - i];
    }
}

static void seeded_row(uint64_t stream, uint64_t token, size_t d, double *out)
{
    uint64_t at = token * (d / A_HASH + 1);
    for (size_t c = 0; c < d; at++) {
        uint64_t bits = rng_bits(stream, at);
        for (size_t i = 0; i < A_HASH && c < d; i++, bits >>= BITS)
            out[c++] = quantile[bits % LEVELS];
    }
}

/* Streams of numbers that have nothing to do with each other. */
enum { STREAM_INPUT = 2, STREAM_PROJECTION = 4 };

static uint64_t stream_of(const struct attention *a, unsigned what, int head)
{
    return rng_bits(a->options.content.seed, (uint64_t)head << 8 | what);
}

size_t content_width(const struct attention *a)
{
    return (size_t)(layer_row(a->layer) ? a->layer->shape.d_model : a->layer->shape.d_head);
}

static const struct table *table_of(const struct attention *a, enum side side)
{
    const struct content *c = &a->options.content;
    return side == SIDE_QUERY || (!c->k && layer_row(a->layer)) ? c->q : c->k;
}

static void table_rows(const struct attention *a, enum side side, double token, size_t n, double *out)
{
    const struct table *t = table_of(a, side);
    size_t d = content_width(a), rows = t->dim[t->rank - 2], head = t->rank == 3 && t->dim[0] > 1 ? (size_t)a->options.head : 0;
    double first = token + (side == SIDE_KEY || t == table_of(a, SIDE_KEY) ? a->options.memory : 0);
    memcpy(out, t->v + (head * rows + (size_t)first) * d, n * d * sizeof *out);
}

void content_rows(const struct attention *a, enum side side, double token, size_t n, double *out)
{
    const struct content *c = &a->options.content;
    size_t d = content_width(a);
    if (c->type == CONTENT_TABLES) {
        table_rows(a, side, token, n, out);
        return;
    }
    if (c->type == CONTENT_NONE) {
        memset(out, 0, n * d * sizeof *out);
        return;
    }
    pthread_once(&once, make_quantiles);
    uint64_t stream = layer_row(a->layer) ? stream_of(a, STREAM_INPUT, 0) : stream_of(a, (unsigned)side, a->options.head);
    for (size_t i = 0; i < n; i++) {
        uint64_t t = (uint64_t)(token + a->options.memory) + i;
        seeded_row(stream, c->type == CONTENT_TOKENS ? c->token[t] : t, d, out + i * d);
    }
}

/* ---- checks ------------------------------------------------------------------------------------------- */

static bool table_fits(const struct attention *a, const char *name, const struct table *t, double rows, struct err *err)
{
    size_t d = content_width(a);
    if (!t)
        return err_set(err, N_("%s: content tables needs a table"), name);
    if (t->rank < 2 || t->rank > 3)
        return err_set(err, N_("%s: must be [tokens, width] or [heads, tokens, width]"), name);
    if (t->dim[t->rank - 1] != d)
        return err_set(err, N_("%s has %zu columns: must have %zu"), name, t->dim[t->rank - 1], d);
    if ((double)t->dim[t->rank - 2] < rows)
        return err_set(err, N_("%s has %zu rows: %.0f tokens are asked for"), name, t->dim[t->rank - 2], rows);
    if (t->rank == 3 && t->dim[0] > 1 && t->dim[0] <= (size_t)a->options.head)
        return err_set(err, N_("%s has %zu heads: there is no head %d"), name, t->dim[0], a->options.head);
    return true;
}

static bool projection_fits(const struct attention *a, const char *name, const struct table *w, struct err *err)
{
    size_t d = (size_t)a->layer->shape.d_head, heads = (size_t)a->layer->shape.n_heads;
    if (!w)
        return !layer_row(a->layer) || linear_size_fits(name, (double)d * a->layer->shape.d_model, err);
    if (w->rank != 2 || w->dim[1] != (size_t)a->layer->shape.d_model || (w->dim[0] != d && w->dim[0] != d * heads))
        return err_set(err, N_("%s: must be [%zu or %zu, %d]"), name, d, d * heads, a->layer->shape.d_model);
    return true;
}

bool content_check(const struct attention *a, struct err *err)
{
    const struct content *c = &a->options.content;
    double keys = a->n + a->options.memory;
    if (c->type == CONTENT_TOKENS && (!c->token || a->options.memory > 0))
        return err_set(err, N_("content tokens needs the tokens, and no memory before them"));
    const struct table *k = table_of(a, SIDE_KEY);
    if (c->type == CONTENT_TABLES && !(table_fits(a, "q", c->q, k == c->q ? keys : a->n, err) && table_fits(a, "k", k, keys, err)))
        return false;
    return projection_fits(a, "wq", c->wq, err) && projection_fits(a, "wk", c->wk, err);
}

struct table *content_projection(const struct attention *a, enum side side)
{
    const struct table *w = side == SIDE_QUERY ? a->options.content.wq : a->options.content.wk;
    size_t d = (size_t)a->layer->shape.d_head, d_model = (size_t)a->layer->shape.d_model;
    struct table *out = table_new(2, (size_t[]){d, d_model});
    size_t head = w && w->dim[0] > d ? (size_t)a->options.head : 0;
    uint64_t stream = stream_of(a, STREAM_PROJECTION | (unsigned)side, a->options.head);
    if (!w)
        rng_normals(stream, out->n, out->v);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = w ? w->v[head * out->n + i] : out->v[i] / sqrt((double)d_model);
    return out;
}
