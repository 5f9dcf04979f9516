/* attention_stream.h - what attention_prepare.c (all that is made once) and attention_pool.c (a group of rows after the other) share. */
#ifndef POSVIZ_CORE_ATTENTION_STREAM_H
#define POSVIZ_CORE_ATTENTION_STREAM_H

#include <pthread.h>

#include "core/attention_impl.h"
#include "core/field_impl.h"

enum { PRODUCTS = 2, FULL = PRODUCTS };

/* Logits of query parts `left` against keys of parts `right`. */
struct product {
    unsigned left, right;
    float *k;                           /* keys x d_head, turned */
    double longest;                     /* of the keys: |k|^2 */
};

/* A context term that is a product of the query or the key with a vector r of the distance. */
struct relative_term {
    const struct term *term;
    enum relative side;
    float *r;                           /* n_distances x d_head */
};

struct stream {
    const struct attention *a;
    size_t h, w;
    struct span *row, *col;
    double q0, rows;                    /* the window's queries */
    size_t visited;                     /* how many of them are computed */
    double first, keys;                 /* keys first .. first + keys - 1 are needed */
    double q_min, q_max;                /* of the visited queries */
    size_t *cell;                       /* where each of the w samples begins, then where each ends, counted from first */
    struct product product[PRODUCTS + 1];       /* [FULL]: all parts, where a context term asks for the content */
    size_t n_products;
    bool bias, bias_by_row;
    bool context, by_hook[TERMS_MAX];   /* context terms that the hook makes row by row */
    double *vec, *pos[TERMS_MAX];       /* for these: unturned keys, and their positions */
    struct relative_term relative[TERMS_MAX];
    size_t n_relative;
    float *plain;                       /* unturned keys, where a relative term has the key's side and they are not those of a product */
    float *by_key;                      /* terms that depend on the key alone, added up; or NULL */
    double lowest;                      /* tables by distance hold key - query = lowest, lowest + 1, ... */
    size_t n_distances;
    double *double_bias;                /* while it is made */
    float *by_distance;                 /* bias less top; NULL where there is none or it is made row by row */
    float *envelope;                    /* largest bias at that distance or beyond it */
    double top;
    size_t group, stride;               /* rows and row length of a buffer */
    struct space *space;                /* of each thread */
    double *sum, *count;                /* h x w, under the lock */
    bool *hidden;                       /* samples with pairs of key 0 alone, which is not shown */
    struct attention_facts facts;
    pthread_mutex_t lock;
    size_t done, total;                 /* pieces, for tick */
    bool (*tick)(void *ctx, double share);
    void *ctx;
};

static inline size_t stream_width(const struct stream *s)
{
    return (size_t)s->a->layer->shape.d_head;
}

/* Where tables by distance have distance 0. */
static inline size_t stream_own(const struct stream *s)
{
    return (size_t)-s->lowest;
}

static inline const float *stream_plain(const struct stream *s)
{
    return s->plain ? s->plain : s->product->k;
}

/* Which products, biases and context terms the wanted logits need. */
void stream_find(struct stream *s);
/* Pieces of work that stream_prepare does. */
size_t stream_pieces(const struct stream *s);
/* Makes keys and tables by distance; false if tick says so. */
bool stream_prepare(struct stream *s);
/* So many pieces more are done: false if it is time to end. Thread 0 asks. */
bool stream_tick(struct stream *s, size_t pieces, int thread);
/* The largest |x|^2 of n vectors; NAN if one is. */
double stream_longest(const float *x, size_t n, size_t d);

#endif
