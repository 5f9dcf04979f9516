/* quantity.h - named outputs, for `posviz compute`: a request without JSON, an answer without JSON.
 *
 * An encoding's table of quantities holds what is particular to it (slopes, bucket, rel_shift, ...). What
 * every encoding with a hook can give (pe, rotated, bias, spectrum, similarity, decay, attention) is one table in
 * quantity.c. A request's settings are arguments by name; those that are parameters of the encoding have already gone
 * into the instance, the others (qlen, klen, style, n, ...) are read by the quantity. */
#ifndef POSVIZ_CORE_QUANTITY_H
#define POSVIZ_CORE_QUANTITY_H

#include "core/encoding.h"

struct arg {
    const char *name;
    double number;              /* NAN if the argument is no number (true is 1, false 0) */
    const char *text;           /* NULL if it is no text */
    struct table *list;         /* nested lists of numbers (NULL if none); null entries are NAN */
    const char *const *words;   /* list of texts, NULL-terminated, or NULL */
    bool used;                  /* set by the lookups below; compute names the others in its reply */
};
struct request {
    const char *output;
    struct arg *args; size_t n_args;            /* params */
    struct table *positions;                    /* or NULL */
    struct arg *inputs; size_t n_inputs;        /* tensors, in list */
    struct table *shape;                        /* asked for, or NULL */
};
struct answer {
    struct table *values;       /* rank and dims as the reply's nesting; the caller's reference */
    bool integer;               /* buckets and indices */
};

struct quantity {
    const char *name;
    const char *help;           /* N_() */
    /* Fills out->values. e may be NULL where needs_instance is false (rel_shift, position_ids). */
    bool (*compute)(const struct enc *e, const struct request *r, struct answer *out, struct err *err);
    bool no_instance;           /* true: called with e NULL, parameters are not checked */
};

/* Lookups; null counts as absent. request_number gives fallback where absent or no number. */
const struct arg *request_arg(const struct request *r, const char *name);
double request_number(const struct request *r, const char *name, double fallback);
const char *request_text(const struct request *r, const char *name, const char *fallback);
const struct table *request_list(const struct request *r, const char *name);        /* params */
const struct table *request_input(const struct request *r, const char *name);       /* inputs */
/* An input that must be there, not empty, with this rank and these dims (0: any); message if not. */
const struct table *request_need(const struct request *r, const char *name, int rank, const size_t *dim, struct err *err);

/* A new table in out with these dims; returns its values. At most 2^27 numbers, else NULL and a message. */
double *answer_new(struct answer *out, int rank, const size_t *dim, struct err *err);

/* A number (n 1) or a list of them: values in use, which a parameter of the same name leaves to be derived. */
bool answer_list(struct answer *out, const double *v, size_t n, struct err *err);

/* Opens the encoding as the request asks and computes the output: the encoding's own quantity, else the general one. */
bool quantity_answer(const struct encoding *kind, const struct request *r, struct answer *out, struct err *err);
/* General quantities, NULL name ends. */
extern const struct quantity general_quantities[];
/* One of them by name, for a quantity of an encoding that adds forms of its own to it. */
bool quantity_general(const char *name, const struct enc *e, const struct request *r, struct answer *out, struct err *err);
/* The request's positions as n x axes numbers, which the caller frees; NULL and a message where they are needed and absent (then
 * length, n or seq_len may say how many: 0, 1, ...), or do not fit. One row of positions serves every axis (text in M-RoPE). */
double *request_positions(const struct request *r, int axes, size_t *n, struct err *err);

#endif
