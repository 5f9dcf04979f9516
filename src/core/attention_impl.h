/* attention_impl.h - what attention.c (terms, one row in double), content.c (vectors of tokens) and attention_pool.c (all rows in
 * float32) share. Token t of a key stands at position memory + t, a query's too; memory is t < 0. */
#ifndef POSVIZ_CORE_ATTENTION_IMPL_H
#define POSVIZ_CORE_ATTENTION_IMPL_H

#include "core/attention.h"

/* What a query or key is made of: the content, and with a row encoding the projected row. */
enum { PART_CONTENT = 1, PART_POSITION = 2, PART_BOTH = 3 };

enum term_type { TERM_PRODUCT, TERM_CONTEXT, TERM_BIAS };
struct term {
    enum term_type type;
    const char *name;           /* N_() */
    unsigned left, right;       /* PRODUCT: parts of the query and of the key */
    const struct enc *enc;      /* CONTEXT */
    int index;
};
size_t attention_list(const struct layer *layer, struct term out[TERMS_MAX]);

struct attention {
    const struct layer *layer;
    double n;                           /* queries, tokens 0 .. n-1; keys are tokens -memory .. n-1 */
    struct attention_options options;
    struct term term[TERMS_MAX];
    size_t n_terms;
    struct table *projection[2];        /* by side, [d_head, d_model]; with a row encoding */
};
bool attention_wants(const struct attention *a, size_t term);

/* The keys a query attends to, as tokens [*from, *to). */
void attention_run(const struct attention *a, double query, double *from, double *to);

/* n consecutive tokens: positions for e, n x e->axes; vectors of the parts, n x d_head, before and after the turn. */
void attention_positions(const struct attention *a, const struct enc *e, double token, size_t n, double *out);
void attention_vectors(const struct attention *a, enum side side, unsigned parts, double token, size_t n, double *out);
/* The same of any queries, in ascending order. */
void attention_queries(const struct attention *a, unsigned parts, const double *query, size_t n, double *out);
void attention_turn(const struct attention *a, enum side side, double token, size_t n, double *x);

/* The bias of a query on the keys [from, from + n), all encodings added. */
void attention_biases(const struct attention *a, double query, double from, size_t n, double *out);

/* content.c */
bool content_check(const struct attention *a, struct err *err);
struct table *content_projection(const struct attention *a, enum side side);
/* n x width numbers of consecutive tokens: width is d_model with a row encoding (x), else d_head (q or k). */
void content_rows(const struct attention *a, enum side side, double token, size_t n, double *out);
size_t content_width(const struct attention *a);

#endif
