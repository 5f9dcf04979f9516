/* fuzz_safetensors.c - any bytes as a safetensors file. Where the first is a brace, the length of the header is put in front, so that
 * mutations reach the header's text. */
#include "../support/fuzz_facts.h"
#include "model/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool raw = size > 0 && data[0] != '{';
    uint8_t *file = malloc(size + 8 + 64);
    for (int i = 0; i < 8; i++)
        file[i] = (uint8_t)(size >> 8 * i);
    memcpy(file + 8, data, size);
    memset(file + 8 + size, 0x3c, 64);          /* some numbers */
    const char *path = raw ? fuzz_file(data, size) : fuzz_file(file, size + 8 + 64);
    free(file);
    struct safetensors *s = safetensors_open(path, NULL);
    for (size_t i = 0; s && i < s->n_tensors; i++)
        table_unref(safetensors_values(s, &s->tensor[i], 65536, NULL));
    safetensors_close(s);
    fuzz_facts(facts_examine(path, NULL, 0, LANG_EN));
    return 0;
}
