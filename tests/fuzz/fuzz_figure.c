/* fuzz_figure.c - any bytes as a figure file that is opened again: the words it carries are found and read, nothing is shown. */
#include "../support/fuzz.h"
#include "app/reopen.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_nowhere();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    struct drawn d;
    struct err err = {.lang = LANG_EN};
    int fd;
    fuzz_file(data, size, &fd, path);
    if (reopen_drawn(path, &d, &err) && (d.cols < 0 || d.cols > 1000 || d.rows < 0 || d.rows > 1000 || d.panel < -1 || d.panel > 98))
        abort();
    close(fd);
    return 0;
}
