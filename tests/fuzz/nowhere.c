/* nowhere.c - where every fuzz target runs: the working folder is gone and so is home, so that no input can leave a file behind; what is
 * printed goes nowhere. */
#include <fcntl.h>

#include "../support/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    char folder[] = "/tmp/posviz-fuzz-XX" "XX" "XX";
    int nothing = open("/dev/null", O_RDWR);
    if (!mkdtemp(folder) || chdir(folder) != 0 || rmdir(folder) != 0 || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(nothing, STDOUT_FILENO) < 0)
        abort();
    close(nothing);
    setenv("HOME", "/dev/null", 1);
    setenv("XDG_CONFIG_HOME", "/dev/null", 1);
    return 0;
}
