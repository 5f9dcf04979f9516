/* diff_parts.h - what the parts of a comparison share. diff.c compares the models and asks diff_layers.c for the layers; both find what
 * rotates differently through diff_rotations.c and report through diff_collect.c. Inside src/model only. */
#ifndef POSVIZ_MODEL_DIFF_PARTS_H
#define POSVIZ_MODEL_DIFF_PARTS_H

#include "model/diff.h"

struct sides {
    const struct facts *a, *b;
    struct diff *d;             /* under construction */
    enum lang lang;
};

/* ---- collecting (diff_collect.c) ----------------------------------------------------------------------------------- */

/* A further difference of the whole model; takes a and b. Valid until the next one. */
struct difference *diff_add(struct diff *d, const char *field, struct json *a, struct json *b);
void diff_difference_done(struct difference *x);
/* A further sentence: the translation of fmt, formatted and sanitised. */
void diff_say(const struct sides *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool diff_near(double a, double b, double tolerance);      /* tolerance is relative; NAN is near NAN */
/* A difference is added where the values are not the same; true then. */
bool diff_text(const struct sides *s, const char *field, const char *a, const char *b);
bool diff_number(const struct sides *s, const char *field, double a, double b);
/* A size that only one file states is no disagreement. */
void diff_size(const struct sides *s, const char *field, double a, double b);

/* ---- rotations (diff_rotations.c) ---------------------------------------------------------------------------------- */

/* The layer at a length in tokens, for the caller to close; NULL: it cannot be opened. */
struct layer *diff_open(const struct layer_facts *k, double length);
/* The frequencies it turns with, borrowed; NULL: it does not rotate. */
const struct spectrum *diff_spectrum(const struct layer *l);
/* The lengths that the files name, ascending; returns how many, at least 1. */
size_t diff_lengths(const struct sides *s, double out[4]);
/* The first length at which two kinds of layer rotate differently; NAN: none. */
double diff_length(const struct sides *s, const struct layer_facts *x, const struct layer_facts *y);
/* Pairs and cosines of one kind of layer at one length, into s->d. */
void diff_measure(const struct sides *s, const struct layer_facts *x, const struct layer_facts *y, int layer, double length);

/* ---- layers (diff_layers.c) ------------------------------------------------------------------------------------------ */

/* Everything that is computed in layers, with the layers where it differs. */
void diff_layers(const struct sides *s);

#endif
