/* request.h - what `posviz compute` is asked, without JSON.
 *
 * A request's settings are arguments by name. Those that are parameters of the encoding go into the instance (request_open), the
 * others (qlen, klen, style, n, ...) are read by the quantity (quantity.h). */
#ifndef POSVIZ_CORE_REQUEST_H
#define POSVIZ_CORE_REQUEST_H

#include "core/encoding.h"

struct arg {
    const char *name;
    double number;              /* NAN if the argument is no number (true is 1, false 0) */
    const char *text;           /* NULL if it is no text */
    struct table *list;         /* nested lists of numbers (NULL if none); null entries are NAN */
    const char *const *words;   /* list of texts, NULL-terminated, or NULL */
    bool truth;                 /* true or false, which is no number where a parameter counts or measures */
    const char *wrong;          /* N_(): what a lookup wanted it to be and it is not; quantity_answer then refuses. NULL: nothing */
    bool used;                  /* set by the lookups below; compute names the others in its reply */
};
struct request {
    const char *output;
    struct arg *args; size_t n_args;            /* params */
    struct table *positions;                    /* or NULL */
    struct arg *inputs; size_t n_inputs;        /* tensors, in list */
    struct table *shape;                        /* asked for, or NULL */
};

/* Lookups; null counts as absent. Where the argument is of another type they give what they give where it is absent, and it is marked wrong. */
const struct arg *request_arg(const struct request *r, const char *name);
double request_number(const struct request *r, const char *name, double fallback);
const char *request_text(const struct request *r, const char *name, const char *fallback);
const struct table *request_list(const struct request *r, const char *name);        /* params */
const struct table *request_input(const struct request *r, const char *name);       /* inputs */
/* An input that must be there, not empty, with this rank and these dims (0: any); message if not. */
const struct table *request_need(const struct request *r, const char *name, int rank, const size_t *dim, struct err *err);

/* Has no argument been marked wrong by a lookup? Else a message about the first. */
bool request_types_fit(const struct request *r, struct err *err);

/* The instance that the request describes: lengths, widths and heads by any of their spellings, and the parameters of kind. */
struct enc *request_open(const struct encoding *kind, const struct request *r, struct err *err);

/* How many positions a request without positions asks for: length, seq_len, n, ... */
bool request_length(const struct request *r, size_t *n, struct err *err);
/* The request's positions as n x axes numbers, which the caller frees; NULL and a message where they are needed and absent (then
 * length, n or seq_len may say how many: 0, 1, ...), or do not fit. One row of positions serves every axis (text in M-RoPE). */
double *request_positions(const struct request *r, int axes, size_t *n, struct err *err);
/* The same for one side: the given ones, else those of queries count from query_start, qlen of them, those of keys from 0, klen. */
double *request_query_positions(const struct request *r, int axes, size_t *n, struct err *err);
double *request_key_positions(const struct request *r, int axes, size_t *n, struct err *err);

#endif
