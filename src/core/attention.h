/* attention.h - q, k, positions -> logits by term -> weights, pooled by streaming: a block of query rows against all
 * allowed keys, softmax over the whole row, sums into cells. Nothing grows with n x n. */
#ifndef POSVIZ_CORE_ATTENTION_H
#define POSVIZ_CORE_ATTENTION_H

#include "core/field.h"
#include "core/layer.h"

/* Where q and k come from. Any row can be made alone. */
enum content_type {
    CONTENT_NONE,       /* q.k = 0: position only */
    CONTENT_SEEDED,     /* normal entries of variance 1 by (seed, side, head, token) */
    CONTENT_TOKENS,     /* seeded by the token's word, so equal words have equal vectors */
    CONTENT_TABLES,     /* q, k tables [n, d] or [heads, n, d]; k has the rows of the memory first */
    CONTENT_TYPE_COUNT
};
extern const char *const content_names[];       /* none, seeded, tokens, tables, NULL */
struct content {
    enum content_type type;
    unsigned long seed;
    const unsigned *token;              /* TOKENS: n word ids */
    const struct table *q, *k;          /* TABLES */
    const struct table *wq, *wk;        /* with a row encoding: x is the content (q is a table of x, k too or NULL), q = Wq (x + p);
                                           [d_head or heads * d_head, d_model], NULL: seeded projections */
};

/* content; with a row encoding content to position, position to content, position to position; each context term by the
 * encoding's name; position (the bias). */
enum { TERMS_MAX = 8 };
enum attention_show { SHOW_LOGIT, SHOW_PROBABILITY, SHOW_LOG_PROBABILITY, ATTENTION_SHOW_COUNT };
struct attention_options {
    int head;
    struct mask mask;
    struct content content;
    unsigned terms;                     /* bit set of the terms to add (attention_terms gives their order); 0: none, all logits 0 */
    enum attention_show show;
    bool hide_sink;                     /* key 0 left out of the pooled picture, not of the softmax */
    double memory;                      /* keys before the first query (Transformer-XL): tokens -memory .. -1 */
    const struct table *positions;      /* token + memory -> position [memory + n, axes], or NULL: token + memory, on every axis */
    int threads;
};
struct attention;
/* n queries, tokens 0 .. n-1; keys are tokens -memory .. n-1. The layer must outlive it. NULL and a message if something does
 * not fit. */
struct attention *attention_open(const struct layer *layer, double n, const struct attention_options *options, struct err *err);
void attention_close(struct attention *a);
/* Names of the terms, N_(); returns how many. */
size_t attention_terms(const struct layer *layer, const char *names[TERMS_MAX]);

/* One row exactly, in double: weights (or what show asks) of query over its memory + n keys, first the memory; -INFINITY (logit)
 * or 0 (probability) where masked. terms, if not NULL: [attention_terms][memory + n] logits by term, -INFINITY where masked. */
void attention_row(const struct attention *a, double query, double *out, double *terms);

struct attention_facts { double entropy, mean_distance; };      /* means over the query rows visited, in nats and tokens */
/* Mean over the allowed pairs of each block of the window of what show asks, in float32 but for sums (a weight is good to 1e-6 of
 * itself); -INFINITY where the mask allows none, NAN where hide_sink hides all. rows_preview > 0: only as many rows, spread over
 * the window, and how->exact is false. Memory: keys as float32 and some MiB a thread; context terms keep the keys in double. */
bool attention_pool(const struct attention *a, struct window win, int h, int w, int rows_preview, double *out,
                    struct pooled *how, struct attention_facts *facts,
                    bool (*tick)(void *ctx, double share), void *ctx);

#endif
