/* field_impl.h - what field.c (values) and pool.c (blocks of them) share. */
#ifndef POSVIZ_CORE_FIELD_IMPL_H
#define POSVIZ_CORE_FIELD_IMPL_H

#include <complex.h>

#include "core/field.h"

enum field_form {
    FORM_DISTANCE,      /* a function of the distance: the sum of the parts */
    FORM_PRODUCT,       /* features(i) . features(j) */
    FORM_VALUES         /* neither */
};
struct field {
    const struct layer *layer;
    struct field_options options;
    enum field_form form;
    size_t width;                       /* PRODUCT: features of a token; 0 for a bias */
    struct profile part[LAYER_MAX];     /* DISTANCE */
    size_t n_parts;
    const double *vector[2];            /* ROTATION: q and k by side */
    double *unit;                       /* the vector with equal energy in every pair, where no q and k are given */
};

struct span { double a, b; };           /* tokens, half-open */
/* The n samples of a window's side, each at least one token wide; the caller frees them. */
struct span *span_split(double from, double to, size_t n);

/* n x width; rows of tokens that have no position are NAN. */
void field_features(const struct field *f, enum side side, const double *token, size_t n, double *out);
/* out[nq][nk]: exact values by the hooks themselves, no mask. */
void field_values(const struct field *f, const double *q, size_t nq, const double *k, size_t nk, double *out);

/* Means over m points a step apart: of cos(wt), centred at 0; of e^(l t) from 0, the real part of l not positive. */
double profile_mean_wave(double w, double m);
double complex profile_mean_growing(double complex l, double m);

#endif
