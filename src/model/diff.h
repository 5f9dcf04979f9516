/* diff.h - do two model files mean the same positions? Compared is what is computed, not how it is written: a GGUF whose rows are
 * permuted equals the configuration it came from, and a factor that is derived equals one that is written.
 *
 * diff_facts, then read or diff_to_json, diff_free. */
#ifndef POSVIZ_MODEL_DIFF_H
#define POSVIZ_MODEL_DIFF_H

#include "model/facts.h"

struct difference {
    char field[48];             /* of the reading, or a parameter of the encoding */
    struct json *a, *b;         /* the values; null: not said */
    int layer;                  /* the first where it is so; -1: in all, or a matter of the whole model */
    char layers[80];            /* "3, 7-9"; "" all */
    bool *where;                /* by layer, while comparing; NULL: the whole model */
};
struct diff_pair { size_t pair; double a, b; };             /* frequencies, radians a position */
struct diff_cosine { double position, value; };

struct diff {
    char a[256], b[256];        /* the files */
    double tolerance;
    bool equal;
    struct difference *difference; size_t n_differences;
    /* Where rotations are compared: the first layer and text length at which they differ, else the main layers at the trained length. */
    int layer; double length;
    size_t n_rotated;           /* pairs; 0: no two rotations of as many pairs */
    struct diff_pair *pair; size_t n_pairs;         /* those that differ */
    struct diff_cosine *cosine; size_t n_cosines;   /* at 1, 2, 4, ... and the longest context */
    char **sentence; size_t n_sentences;            /* the same in words, in the language asked for; the files are called A and B */
};

/* Numbers that differ by at most tolerance, relative, are equal. */
struct diff *diff_facts(const struct facts *a, const struct facts *b, double tolerance, enum lang lang);
void diff_free(struct diff *d);                     /* NULL is allowed */
/* What `posviz diff --json` prints. The caller frees it. */
struct json *diff_to_json(const struct diff *d);

#endif
