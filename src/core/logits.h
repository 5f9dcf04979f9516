/* logits.h - the logits of a few queries against a few keys through the hooks context and bias, in double and by part: what
 * the quantities of relative schemes are made of. For whole pictures of attention see attention.h, which streams. */
#ifndef POSVIZ_CORE_LOGITS_H
#define POSVIZ_CORE_LOGITS_H

#include "core/encoding.h"

enum {
    LOGITS_CONTENT = 1,                     /* scale * q.k */
    LOGITS_BIAS = 2,
    LOGITS_TERM_0 = 4, LOGITS_TERM_1 = 8,   /* context terms in the encoding's order */
    LOGITS_ALL = 15
};

struct logits_side {
    size_t n;
    const double *pos, *vec;                /* n x axes, n x d_head */
};

/* out[q.n][k.n] = sum of the parts asked for. */
void logits_compute(const struct enc *e, int head, unsigned parts, struct logits_side q, struct logits_side k, double *out);

/* The columns of one head of x[n][H * d_head], as out[n][d_head]. */
void logits_head(const struct enc *e, int head, const double *x, size_t n, double *out);

/* Positions from, from + 1, ... as n x 1 numbers; the caller frees them. */
double *logits_positions(double from, size_t n);

#endif
