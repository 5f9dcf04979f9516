/* `posviz compute`: any bytes as requests. */
#include "../support/fuzz.h"
#include "command/command.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_nowhere();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32], verb[] = "compute";
    char *argv[] = {verb, path, NULL}, *text = fuzz_text(data, size);
    bool slow = fuzz_is_slow(text);
    int fd;
    free(text);
    if (slow)
        return 0;
    fuzz_file(data, size, &fd, path);
    command_compute.run(2, argv, LANG_EN);
    close(fd);
    return 0;
}
