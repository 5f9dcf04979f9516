/* `posviz compute`: any bytes as requests. */
#include "../support/fuzz.h"
#include "command/command.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char verb[] = "compute", *text = fuzz_text(data, size);
    bool slow = fuzz_is_slow(text);
    free(text);
    if (slow)
        return 0;
    command_compute.run(2, (char *[]){verb, fuzz_file(data, size), NULL}, LANG_EN);
    return 0;
}
