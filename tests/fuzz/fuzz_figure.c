/* fuzz_figure.c - any bytes as a figure file that is opened again: the words it carries are found and read, nothing is shown. */
#include "../support/fuzz.h"
#include "app/reopen.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct drawn d;
    struct err err = {.lang = LANG_EN};
    if (reopen_drawn(fuzz_file(data, size), &d, &err) &&
        (d.cols < 0 || d.cols > 1000 || d.rows < 0 || d.rows > 1000 || d.panel < -1 || d.panel > 98))
        abort();
    return 0;
}
