/* linear.h - the weights of an encoding and the little linear algebra done with them. Row-major. */
#ifndef POSVIZ_CORE_LINEAR_H
#define POSVIZ_CORE_LINEAR_H

#include "core/encoding.h"

/* The row of a parameter table for the seed of weights that are not given; "seed" alone is that of the content. */
#define LINEAR_SEED                                                                              \
    {.name = "table_seed", .help = N_("seed of the tables that are not given"), .type = PARAM_INT,      \
     .def = 1, .min = 0, .max = 4294967295.0, .step = 1}

/* The table given as parameter param, which must have these dims, or else seeded from parameter seed (its index). A new
 * reference, or NULL and a message; at most 2^26 numbers. */
struct table *linear_weights(const struct enc *e, int param, int seed, double deviation, int rank, const size_t *dim,
                             struct err *err);
/* As above, and NULL without a message where the parameter is absent: false only if it is wrong. */
bool linear_given(const struct enc *e, int param, int rank, const size_t *dim, struct table **out, struct err *err);

/* At most 2^26 numbers? The message begins with name. */
bool linear_size_fits(const char *name, double numbers, struct err *err);

/* n numbers of mean 0 and this deviation from number first on of a stream, of which a seed has many. Uniform, which is quick. */
void linear_seed(const struct enc *e, int seed, unsigned stream, double deviation, size_t first, size_t n, double *out);

/* A block of size numbers for each head, made when the head is first asked for, by whichever thread asks. So opening an encoding
 * costs nothing between two frames, and only heads that are looked at take memory. What make gives depends on e alone. */
struct linear_heads {
    size_t n, size;
    _Atomic(double *) *block;
};
bool linear_heads_init(struct linear_heads *h, const struct enc *e, const char *name, double size, struct err *err);
void linear_heads_done(struct linear_heads *h);
const double *linear_heads_get(const struct linear_heads *h, const struct enc *e, int head,
                               void (*make)(const struct enc *e, int head, double *out));

/* y[n][out] = x[n][in] W^T + b for W [out, in]; b may be NULL. */
void linear_apply(const struct table *w, const struct table *b, const double *x, size_t n, double *y);
/* The same for the outputs of one head alone: y[n][d_head]. */
void linear_apply_head(const struct enc *e, int head, const struct table *w, const struct table *b, const double *x,
                       size_t n, double *y);

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
