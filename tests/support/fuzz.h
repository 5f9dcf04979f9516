/* fuzz.h - what the fuzz targets share: bytes as a file or as text. A target defines LLVMFuzzerTestOneInput; nowhere.c is linked to it.
 * `make fuzz` runs it for long under libFuzzer, tests/fuzz/replay.c in the suite. */
#ifndef POSVIZ_TESTS_FUZZ_H
#define POSVIZ_TESTS_FUZZ_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* The bytes as a file without a folder, until the next call. Its name has a dot, by which a preset's path is known. */
static inline char *fuzz_file(const uint8_t *data, size_t size)
{
    static char path[32];
    static int fd = -1;
    if (fd >= 0)
        close(fd);
    fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/./%d", fd);
    return path;
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
