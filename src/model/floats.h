/* floats.h - the number formats of model files, little-endian, to double. Exact: every value of these formats is a double. */
#ifndef POSVIZ_MODEL_FLOATS_H
#define POSVIZ_MODEL_FLOATS_H

#include <stddef.h>

enum float_type { FLOAT_F64, FLOAT_F32, FLOAT_F16, FLOAT_BF16 };

size_t float_size(enum float_type type);        /* bytes */
/* Reads n numbers at bytes, which need no alignment. */
void float_read(double *out, const unsigned char *bytes, enum float_type type, size_t n);

#endif
