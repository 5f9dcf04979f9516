/* npy.h - arrays in NumPy's .npy format (version 1 to 3): float16, float32, float64, little-endian, C or Fortran order, up to four
 * axes. The size of the file is checked against the header before anything is allocated. */
#ifndef POSVIZ_MODEL_NPY_H
#define POSVIZ_MODEL_NPY_H

#include "base/err.h"
#include "core/table.h"

/* NULL and a message that names the file and what is wrong. The caller owns the reference. */
struct table *npy_load(const char *path, struct err *err);

#endif
