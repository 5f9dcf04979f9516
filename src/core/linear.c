#include "core/linear.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "core/blas.h"

static const double max_numbers = 67108864;       /* 2^26, half a gibibyte */

static const char *dims_text(char *out, size_t size, int rank, const size_t *dim)
{
    size_t at = 0;
    *out = '\0';
    for (int i = 0; i < rank && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%zu", i ? " x " : "", dim[i]);
    return out;
}

static bool check_dims(const char *name, const struct table *t, int rank, const size_t *dim, struct err *err)
{
    char is[100], needs[100];
    if (t->rank == rank && !memcmp(t->dim, dim, (size_t)rank * sizeof *dim))
        return true;
    return err_set(err, N_("%s is %s: must be %s here"), name, dims_text(is, sizeof is, t->rank, t->dim),
                   dims_text(needs, sizeof needs, rank, dim));
}

bool linear_given(const struct enc *e, int param, int rank, const size_t *dim, struct table **out, struct err *err)
{
    *out = NULL;
    if (!enc_has(e, param))
        return true;
    if (!check_dims(e->kind->params[param].name, e->param[param].t, rank, dim, err))
        return false;
    *out = table_ref(e->param[param].t);
    return true;
}

bool linear_size_fits(const char *name, double numbers, struct err *err)
{
    return numbers <= max_numbers ||
           err_set(err, N_("%s: would be %g numbers, allowed are %g: take fewer heads or a smaller table"), name,
                   numbers, max_numbers);
}

void linear_seed(const struct enc *e, int seed, unsigned stream, double deviation, size_t first, size_t n, double *out)
{
    uint64_t key = (uint64_t)enc_num(e, seed) | (uint64_t)stream << 32;
    double width = deviation * sqrt(12);
    for (size_t i = 0; i < n; i++)
        out[i] = width * (rng_uniform(key, first + i) - 0.5);
}

struct table *linear_weights(const struct enc *e, int param, int seed, double deviation, int rank, const size_t *dim,
                             struct err *err)
{
    struct table *t;
    double numbers = 1;
    for (int i = 0; i < rank; i++)
        numbers *= (double)dim[i];
    if (!linear_given(e, param, rank, dim, &t, err) || t)
        return t;
    if (!linear_size_fits(e->kind->params[param].name, numbers, err))
        return NULL;
    t = table_new(rank, dim);
    snprintf(t->name, sizeof t->name, "seed %.0f", enc_num(e, seed));
    linear_seed(e, seed, (unsigned)param, deviation, 0, t->n, t->v);
    return t;
}

/* ---- blocks of heads ------------------------------------------------------------------------------- */

bool linear_heads_init(struct linear_heads *h, const struct enc *e, const char *name, double size, struct err *err)
{
    if (!linear_size_fits(name, size, err))
        return false;
    h->n = (size_t)e->shape.n_heads;
    h->size = (size_t)size;
    h->block = xcalloc(h->n, sizeof *h->block);
    return true;
}

void linear_heads_done(struct linear_heads *h)
{
    for (size_t i = 0; h->block && i < h->n; i++)
        free(h->block[i]);
    free(h->block);
}

const double *linear_heads_get(const struct linear_heads *h, const struct enc *e, int head,
                               void (*make)(const struct enc *e, int head, double *out))
{
    double *block = atomic_load(&h->block[head]), *made;
    if (block)
        return block;
    made = xcalloc(h->size, sizeof *made);
    make(e, head, made);
    if (atomic_compare_exchange_strong(&h->block[head], &block, made))
        return made;
    free(made);             /* another thread was sooner, with the same numbers */
    return block;
}

/* ---- products -------------------------------------------------------------------------------------- */

/* Outputs from .. from + outs - 1 of W. */
static void apply(const struct table *w, const struct table *b, size_t from, size_t outs, const double *x, size_t n, double *y)
{
    size_t ins = w->dim[1];
    for (size_t i = 0; b && i < n; i++)
        memcpy(y + i * outs, b->v + from, outs * sizeof *y);
    blas_dgemm_nt(n, outs, ins, 1, x, ins, w->v + from * ins, ins, b != NULL, y, outs);
}

void linear_apply(const struct table *w, const struct table *b, const double *x, size_t n, double *y)
{
    apply(w, b, 0, w->dim[0], x, n, y);
}

void linear_apply_head(const struct enc *e, int head, const struct table *w, const struct table *b, const double *x,
                       size_t n, double *y)
{
    size_t d = (size_t)e->shape.d_head;
    apply(w, b, (size_t)head * d, d, x, n, y);
}

void linear_softmax(double *x, size_t n)
{
    double max = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; i++)
        max = fmax(max, x[i]);
    for (size_t i = 0; i < n; i++)
        sum += x[i] = exp(x[i] - max);
    for (size_t i = 0; i < n; i++)
        x[i] /= sum;
}
