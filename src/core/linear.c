#include "core/linear.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

struct table *linear_seeded(const struct enc *e, const char *name, int seed, unsigned stream, double deviation, int rank,
                            const size_t *dim, struct err *err)
{
    double numbers = 1;
    for (int i = 0; i < rank; i++)
        numbers *= (double)dim[i];
    if (numbers > max_numbers) {
        err_set(err, N_("%s: would be %g numbers, allowed are %g: take fewer heads or a smaller table"), name, numbers,
                max_numbers);
        return NULL;
    }
    struct table *t = table_new(rank, dim);
    snprintf(t->name, sizeof t->name, "seed %.0f", enc_num(e, seed));
    for (size_t i = 0; i < t->n; i++)
        t->v[i] = deviation * sqrt(12) * (rng_uniform((uint64_t)enc_num(e, seed) | (uint64_t)stream << 32, i) - 0.5);
    return t;
}

struct table *linear_weights(const struct enc *e, int param, int seed, double deviation, int rank, const size_t *dim,
                             struct err *err)
{
    struct table *t;
    if (!linear_given(e, param, rank, dim, &t, err) || t)
        return t;
    return linear_seeded(e, e->kind->params[param].name, seed, (unsigned)param, deviation, rank, dim, err);
}

void linear_apply(const struct table *w, const struct table *b, const double *x, size_t n, double *y)
{
    size_t outs = w->dim[0], ins = w->dim[1];
    for (size_t i = 0; b && i < n; i++)
        memcpy(y + i * outs, b->v, outs * sizeof *y);
    blas_dgemm_nt(n, outs, ins, 1, x, ins, w->v, ins, b != NULL, y, outs);
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
