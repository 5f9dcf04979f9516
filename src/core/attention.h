/* attention.h - q, k, positions -> logits by term -> weights, pooled by streaming: a block of query rows against all
 * allowed keys, softmax over the whole row, sums into cells. Nothing grows with n x n (DESIGN 2.3). */
#ifndef POSVIZ_CORE_ATTENTION_H
#define POSVIZ_CORE_ATTENTION_H

#include "core/field.h"
#include "core/layer.h"

/* Where q and k come from. Any row can be made alone. */
enum content_type {
    CONTENT_NONE,       /* q.k = 0: position only */
    CONTENT_SEEDED,     /* unit normal entries by (seed, side, head, token) */
    CONTENT_TOKENS,     /* seeded by the token's word, so equal words have equal vectors */
    CONTENT_TABLES,     /* q, k tables [n, d] or [heads, n, d] */
    CONTENT_TYPE_COUNT
};
extern const char *const content_names[];       /* none, seeded, tokens, tables, NULL */
struct content {
    enum content_type type;
    unsigned long seed;
    const unsigned *token;              /* TOKENS: n word ids */
    const struct table *q, *k;          /* TABLES */
    const struct table *wq, *wk;        /* with a row encoding: x is the content, q = Wq (x + p); NULL: seeded projections */
};

enum { TERMS_MAX = 8 };                 /* content, then each context term by the encoding's name, then "position" (bias) */
enum attention_show { SHOW_LOGIT, SHOW_PROBABILITY, SHOW_LOG_PROBABILITY, ATTENTION_SHOW_COUNT };
struct attention_options {
    int head;
    struct mask mask;
    struct content content;
    unsigned terms;                     /* bit set of the terms to add (attention_terms gives their order) */
    enum attention_show show;
    bool hide_sink;                     /* key 0 left out of the picture's range, not of the softmax */
    double memory;                      /* keys before the first query (Transformer-XL) */
    const struct table *positions;      /* token -> position, or NULL */
    int threads;
};
struct attention;
struct attention *attention_open(const struct layer *layer, double n, const struct attention_options *options, struct err *err);
void attention_close(struct attention *a);
/* Names of the terms, N_(); returns how many. */
size_t attention_terms(const struct layer *layer, const char *names[TERMS_MAX]);

/* One row exactly, in double: weights (or what show asks) of query over keys 0..n-1, -INFINITY (logit) or 0 (probability) where
 * masked. terms, if not NULL: [attention_terms][n] logits by term. */
void attention_row(const struct attention *a, double query, double *out, double *terms);

struct attention_facts { double entropy, mean_distance; };      /* means over the query rows visited, in nats and tokens */
/* Mean weight of each block of the window; preview: only rows spread over n. */
bool attention_pool(const struct attention *a, struct window win, int h, int w, int rows_preview, double *out,
                    struct pooled *how, struct attention_facts *facts,
                    bool (*tick)(void *ctx, double share), void *ctx);

#endif
