/* fuzz_npy.c - any bytes as a .npy file. */
#include "../support/fuzz.h"
#include "model/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct table *t = npy_load(fuzz_file(data, size), NULL);
    double sum = 0;
    for (size_t i = 0; t && i < t->n; i++)
        sum += t->v[i];
    if (sum == 0.125)                   /* every number is read */
        fputc(' ', stderr);
    table_unref(t);
    return 0;
}
