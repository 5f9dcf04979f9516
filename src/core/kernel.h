/* kernel.h - the inner loops of attention over one row of logits, in float32 on vectors. They are compiled for several sets of
 * instructions; the widest that the processor has is chosen when the program runs, or the one that POSVIZ_KERNEL names.
 *
 * Order: kernel_add, kernel_exp, then kernel_pool of any parts. A row may be read and written up to KERNEL_PAD numbers past its
 * end. */
#ifndef POSVIZ_CORE_KERNEL_H
#define POSVIZ_CORE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

enum { KERNEL_PAD = 16 };

extern const char *const kernel_names[];        /* "any", "avx2", ..., NULL: what this program was compiled for */
const char *kernel_name(void);                  /* what runs */
/* Chooses by name; false if there is none or the processor lacks the instructions. NULL: the widest. For tests and POSVIZ_KERNEL. */
bool kernel_use(const char *name);

/* z[j] += bias[j] (bias may be NULL). Returns the maximum, or NAN if any z[j] is NAN. Pads the row with -INFINITY. */
float kernel_add(float *z, size_t n, const float *bias);

/* z[j] = e^(z[j] - max), relative error below 3e-7; 0 where that is below e^-87. Sums in double, of w = the new z[j]:
 * w, w (z[j] - max), and w |first + j|. */
struct kernel_sums { double weight, weight_logit, weight_distance; };
struct kernel_sums kernel_exp(float *z, size_t n, float max, float first);

/* out[c] += factor * the sum of z[begin[c]] .. z[end[c] - 1], for c < n. */
void kernel_pool(const float *z, const size_t *begin, const size_t *end, size_t n, double factor, double *out);

/* out[i] += a_i.b_i for n vectors of width d; those of a lie step apart, 0: it is one. */
void kernel_dots(const float *a, size_t step, const float *b, size_t n, size_t d, float *out);

#endif
