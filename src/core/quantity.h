/* quantity.h - named outputs, for `posviz compute`: a request (request.h) and an answer without JSON.
 *
 * An encoding's table of quantities holds what is particular to it (slopes, bucket, rel_shift, ...). What
 * every encoding with a hook can give (pe, rotated, bias, spectrum, similarity, decay, attention) is one table in
 * quantity.c. */
#ifndef POSVIZ_CORE_QUANTITY_H
#define POSVIZ_CORE_QUANTITY_H

#include "core/encoding.h"
#include "core/request.h"

struct answer {
    struct table *values;       /* rank and dims as the reply's nesting; the caller's reference */
    bool integer;               /* buckets and indices */
};

struct quantity {
    const char *name;
    const char *help;           /* N_() */
    /* Fills out->values. e is NULL where no_instance is true (rel_shift, position_ids). */
    bool (*compute)(const struct enc *e, const struct request *r, struct answer *out, struct err *err);
    bool no_instance;           /* true: called with e NULL, parameters are not checked */
};

/* A new table in out with these dims; returns its values. At most 2^27 numbers, else NULL and a message. */
double *answer_new(struct answer *out, int rank, const size_t *dim, struct err *err);

/* A number (n 1) or a list of them: values in use, which a parameter of the same name leaves to be derived. */
bool answer_list(struct answer *out, const double *v, size_t n, struct err *err);

/* Opens the encoding as the request asks and computes the output: the encoding's own quantity, else the general one. */
bool quantity_answer(const struct encoding *kind, const struct request *r, struct answer *out, struct err *err);
/* A quantity of the encoding itself that is one number and asks for nothing more: what a derived parameter comes to. NAN if there is none. */
double quantity_number(const struct enc *e, const char *name);
/* General quantities, NULL name ends. */
extern const struct quantity general_quantities[];
/* One of them by name, for a quantity of an encoding that adds forms of its own to it. */
bool quantity_general(const char *name, const struct enc *e, const struct request *r, struct answer *out, struct err *err);

#endif
