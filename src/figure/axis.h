/* axis.h - real coordinates: the scale of an axis, its samples, its ticks, and how numbers are written. Used alike by the drawing
 * on a canvas, by pictures and by the export of numbers. */
#ifndef POSVIZ_FIGURE_AXIS_H
#define POSVIZ_FIGURE_AXIS_H

#include <stdbool.h>
#include <stddef.h>

struct axis {
    char label[48];             /* translated */
    char unit[16];
    double from, to;            /* real coordinates of the outer edges: heatmap samples cover [from, to) evenly */
    bool log;
    int coord;                  /* what the figure calls this coordinate, from 1: axes that share it share the cursor; 0: its own */
    bool continuous;            /* any real number; otherwise whole from and to count things (positions, heads, channels) */
    char **tick; size_t n_ticks;        /* words at from + 0.5, 1.5, ... (tokens, heads); NULL: round numbers */
};

void axis_set(struct axis *a, const char *label, const char *unit, double from, double to, bool log);
void axis_set_ticks(struct axis *a, const char *const *words, size_t n);
void axis_done(struct axis *a);
void axis_copy(struct axis *to, const struct axis *from);
bool axis_same(const struct axis *a, const struct axis *b);

/* Where a value lies: 0 at from, 1 at to (not cut); and back. */
double axis_share(const struct axis *a, double value);
double axis_at(const struct axis *a, double share);

/* How many things a counting axis holds; INFINITY for a continuous or logarithmic one. */
double axis_count(const struct axis *a);
/* Heatmaps: sample i of n covers [edge(i), edge(i + 1)): of a counting axis the floors of i count / n, as field_pool has them. */
double axis_edge(const struct axis *a, int n, int i);
int axis_sample(const struct axis *a, int n, double value);             /* the one that holds value, cut to 0..n-1 */

struct tick { double at; char label[40]; };
enum { TICKS_MAX = 64 };
/* At most max ticks at round numbers (words: every one, or every k-th), in ascending order of position. Logarithmic: powers of ten
 * written "10⁷" (ASCII: "1e7"), or 1-2-5 within less than two decades. Counting axes have whole ticks, in powers of two where
 * the length is one. with_end: false for heatmaps, which have no position at `to`. Returns how many. */
size_t axis_ticks(const struct axis *a, size_t max, bool with_end, bool ascii, struct tick *out);

/* A number as read-outs and axes write it: digits significant digits (whole numbers below 10^15 in full), thousands apart
 * ("12 800"), very large and very small ones as 1.5e-7, "-inf" for masked, "NaN". Right-align it, so that nothing moves with the
 * sign. Returns out. */
char *format_number(char *out, size_t size, double x, int digits);
/* A sentence with its numbers written so ("query 75173" becomes "query 75 173", "2e+07" "2e7"; four digits stay together); those within words,
 * paths and identifiers stay. The caller frees it. */
char *format_sentence(const char *text);
/* The same with a fixed number of decimals. */
char *format_fixed(char *out, size_t size, double x, int decimals);
/* The same in a formula, which holds other numbers beside it: as "%.*g" writes it, but "NaN", and never "-0". */
char *format_term(char *out, size_t size, double x, int digits);

#endif
