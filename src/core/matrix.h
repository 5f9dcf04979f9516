/* matrix.h - an encoding as a matrix of positions x channels: the rows it adds, or the cosines, sines and angles it turns by.
 * One exact value (the cursor), or a window pooled into h x w samples, at any length. */
#ifndef POSVIZ_CORE_MATRIX_H
#define POSVIZ_CORE_MATRIX_H

#include "core/encoding.h"
#include "core/field.h"

enum matrix_kind {
    MATRIX_ROW,         /* the added vector: d_model channels */
    MATRIX_COS,         /* cos of the pair's angle, times attention_factor: one channel a pair */
    MATRIX_SIN,
    MATRIX_ANGLE,       /* the angle in turns, 0 to 1 */
    MATRIX_KIND_COUNT
};

/* Channels of the matrix; 0 if the encoding lacks the hook for it. */
size_t matrix_channels(const struct enc *e, enum matrix_kind kind);
/* The exact value; NAN beyond a table. */
double matrix_at(const struct enc *e, enum matrix_kind kind, double position, size_t channel);
/* The exact values of all channels at a position, at the cost of one of them. */
void matrix_row(const struct enc *e, enum matrix_kind kind, double position, double *out);

/* Order of the columns: as the encoding holds them, or all first channels of the pairs, then all second ones. The second keeps
 * sines and cosines apart when several columns share a sample: averaged in turn they would cancel, and one column in two, as a
 * plain sampling would show, would be sines alone. */
enum channel_order { ORDER_AS_HELD, ORDER_GROUPED };
/* order[column] = channel; n = matrix_channels. */
void matrix_order(const struct enc *e, enum matrix_kind kind, enum channel_order order, size_t *out);

/* Mean of each block of positions [win.q0, win.q1) and columns [win.k0, win.k1). The mean over positions is closed for spectra (the
 * mean of a turn over m consecutive positions is the turn of the middle times mean_turn), every row for tables; the angle, which
 * has no mean, is taken at the middle of the block (how->reduce = NEAREST). false: stopped by tick. */
bool matrix_pool(const struct enc *e, enum matrix_kind kind, const size_t *order, struct window win, int h, int w, double *out,
                 struct pooled *how, bool (*tick)(void *ctx, double share), void *ctx);

/* sin(m w / 2) / (m sin(w / 2)): the mean of cos(w x) over m consecutive positions centred at 0 (Dirichlet's kernel). */
double mean_turn(double w, double m);

#endif
