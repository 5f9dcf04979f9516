/* field.h - a score as a function of (query position, key position), of any size.
 *
 * Views never hold n x n numbers. A field gives one exact value (the cursor) and pools a window of positions into
 * h x w samples. Three forms, nothing else:
 *     product   f(i).g(j): rows, rotations, waves. Features are pooled over rows and over columns, then ONE product.
 *     pieces    linear in the distance between knots: ALiBi, T5, clips. Sums over the trapezoid of pair counts.
 *     other     every value if the window holds at most 4 million pairs, else quadrature with a stated error, or sampled.
 *
 * Order: field_open, field_at / field_pool (any thread), field_close. */
#ifndef POSVIZ_CORE_FIELD_H
#define POSVIZ_CORE_FIELD_H

#include "core/encoding.h"
#include "core/layer.h"

/* ---- the bias as a function of the distance d = i - j, as data (the hook `distance`) ---------------- */

enum profile_kind { PROFILE_WAVES, PROFILE_PIECES, PROFILE_SMOOTH };
struct profile {
    enum profile_kind kind;
    size_t n, capacity;
    double *w, *c, *s, *grow;   /* WAVES: sum of e^(grow d) (c cos(w d) + s sin(w d)); |w| < 2 pi */
    double *from, *at, *slope;  /* PIECES: at[k] + slope[k] (d - from[k]) for from[k] <= d < from[k+1]. from[0] = -INFINITY: the
                                   first piece is anchored at from[1], at 0 if it is the only one */
    double (*smooth)(const struct enc *e, int head, double d);
    const struct enc *enc; int head;    /* SMOOTH: passed to smooth, which has no kink but at 0 */
};
void profile_init(struct profile *p, enum profile_kind kind);
void profile_done(struct profile *p);
void profile_add_wave(struct profile *p, double w, double c, double s);
void profile_add_growing_wave(struct profile *p, double w, double c, double s, double grow);
void profile_add_piece(struct profile *p, double from, double at, double slope);     /* in ascending order of from */
double profile_at(const struct profile *p, double distance);
/* Sum over the integers d in [a, b) of (w0 + w1 (d - a)) f(d): closed forms, or quadrature for SMOOTH. */
double profile_sum(const struct profile *p, double a, double b, double w0, double w1);
double profile_max(const struct profile *p, double a, double b);       /* over the integers of [a, b); visits each unless PIECES */
/* Bound of the error of a mean of SMOOTH within |d| <= reach; 0 for the closed forms. */
double profile_error(const struct profile *p, double reach);

/* ---- fields ------------------------------------------------------------------------------------------ */

enum field_kind {
    FIELD_ROWS,         /* row(i) . row(j), summed over the layer */
    FIELD_ROWS_COSINE,  /* the same divided by both lengths */
    FIELD_ROTATION,     /* rotate(q, i) . rotate(k, j); without q, k: equal energy in every pair, 1 at distance 0 */
    FIELD_BIAS,         /* the layer's bias at (i, j) */
    FIELD_PROJECTED,    /* (Wq row(i)) . (Wk row(j)): with projections [d_out, d_model] */
    FIELD_KIND_COUNT
};
struct field_options {
    enum field_kind kind;
    int head;
    const double *q, *k;                /* ROTATION: d_head each, borrowed for the field's life, or NULL */
    const struct table *wq, *wk;        /* PROJECTED */
    struct mask mask;                   /* pairs outside are masked: -INFINITY; cut blocks average the allowed pairs only */
    const struct table *positions;      /* token -> position [n, axes], or NULL: those of enc_places */
};
struct field;
/* The layer must outlive the field. NULL and a message if the layer lacks the hook. */
struct field *field_open(const struct layer *layer, const struct field_options *options, struct err *err);
void field_close(struct field *f);

/* The exact value at one pair of token positions; -INFINITY masked; NAN beyond a table. */
double field_at(const struct field *f, double query, double key);

/* Half-open, integers; rows are queries. */
struct window { double q0, q1, k0, k1; };
enum reduce { REDUCE_NONE, REDUCE_MEAN, REDUCE_MAX, REDUCE_NEAREST, REDUCE_COUNT };
struct pooled {
    enum reduce reduce;         /* what was done: NONE where a sample is one pair */
    bool exact;                 /* false: see error */
    double error;               /* stated bound of the absolute error, NAN if only sampled */
};
/* Fills out[h][w] with the reduction of each block; blocks are floor(r * rows / h) .. floor((r+1) * rows / h). tick (may be
 * NULL) is asked now and then with the share done; false ends at once with false. */
bool field_pool(const struct field *f, struct window win, enum reduce wanted, int h, int w, double *out,
                struct pooled *how, bool (*tick)(void *ctx, double share), void *ctx);

/* Score against distance: out[i] = field value at (query = origin + d[i], key = origin), exact, n values. */
void field_profile(const struct field *f, double origin, const double *distance, size_t n, double *out);

#endif
