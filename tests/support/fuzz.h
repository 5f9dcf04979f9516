/* fuzz.h - what the fuzz targets share: a place where nothing can be written, and bytes as a file. A target defines LLVMFuzzerTestOneInput;
 * `make fuzz` runs it for long under libFuzzer, tests/fuzz/replay.c in the suite. */
#ifndef POSVIZ_TESTS_FUZZ_H
#define POSVIZ_TESTS_FUZZ_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* The working folder is gone and so is home, so that no input can leave a file behind; what is printed goes nowhere. */
static inline void fuzz_nowhere(void)
{
    char folder[] = "/tmp/posviz-fuzz-XX" "XX" "XX";
    int nothing = open("/dev/null", O_RDWR);
    if (!mkdtemp(folder) || chdir(folder) != 0 || rmdir(folder) != 0 || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
        dup2(nothing, STDOUT_FILENO) < 0)
        abort();
    close(nothing);
    setenv("HOME", "/dev/null", 1);
    setenv("XDG_CONFIG_HOME", "/dev/null", 1);
}

/* The bytes as a file without a folder; close *fd after use. */
static inline void fuzz_file(const uint8_t *data, size_t size, int *fd, char path[static 32])
{
    *fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (*fd < 0 || write(*fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, 32, "/proc/self/fd/%d", *fd);
}

/* The bytes as a string; the caller frees it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* Numbers of many digits or with an exponent ask for much work, which is allowed and slow: such inputs are not tried. */
static inline int fuzz_is_slow(const char *text)
{
    for (int digits = 0; *text; text++) {
        digits = *text >= '0' && *text <= '9' ? digits + 1 : 0;
        if (digits > 3 || (digits && (text[1] | 32) == 'e'))
            return 1;
    }
    return 0;
}

#endif
