/* fuzz_npy.c - any bytes as a .npy file. */
#include "../support/fuzz.h"
#include "model/npy.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_nowhere();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    int fd;
    fuzz_file(data, size, &fd, path);
    struct table *t = npy_load(path, NULL);
    double sum = 0;
    for (size_t i = 0; t && i < t->n; i++)
        sum += t->v[i];
    if (sum == 0.125)                   /* every number is read */
        fputc(' ', stderr);
    table_unref(t);
    close(fd);
    return 0;
}
