/* linear.h - the weights of an encoding and the little linear algebra done with them. Row-major. */
#ifndef POSVIZ_CORE_LINEAR_H
#define POSVIZ_CORE_LINEAR_H

#include "core/encoding.h"

/* The row of a parameter table for the seed of weights that are not given; "seed" alone is that of the content. */
#define LINEAR_SEED                                                                              \
    {.name = "table_seed", .help = N_("seed of the tables that are not given"), .type = PARAM_INT,      \
     .def = 1, .min = 0, .max = 4294967295.0, .step = 1}

/* The table given as parameter param, which must have these dims, or else numbers of mean 0 and this deviation made from
 * parameter seed (its index): uniform, since a table of half a million must open between two frames. A new reference, or NULL and a message; at most 2^26 numbers. */
struct table *linear_weights(const struct enc *e, int param, int seed, double deviation, int rank, const size_t *dim,
                             struct err *err);
/* The seeded part of it: numbers of stream, one of several that a seed has; name is for the message. */
struct table *linear_seeded(const struct enc *e, const char *name, int seed, unsigned stream, double deviation, int rank,
                            const size_t *dim, struct err *err);
/* As the first, and NULL without a message where the parameter is absent: false only if it is wrong. */
bool linear_given(const struct enc *e, int param, int rank, const size_t *dim, struct table **out, struct err *err);

/* y[n][out] = x[n][in] W^T + b for W [out, in]; b may be NULL. */
void linear_apply(const struct table *w, const struct table *b, const double *x, size_t n, double *y);

/* Softmax in place; -INFINITY is masked and gets weight 0. At least one entry is finite. */
void linear_softmax(double *x, size_t n);

/* Four partial sums, so that the additions need not wait for each other. */
static inline double linear_dot(const double *a, const double *b, size_t n)
{
    double s[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t l = 0; l < 4; l++)
            s[l] += a[i + l] * b[i + l];
    for (; i < n; i++)
        s[0] += a[i] * b[i];
    return (s[0] + s[1]) + (s[2] + s[3]);
}

#endif
