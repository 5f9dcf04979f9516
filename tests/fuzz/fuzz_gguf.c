/* fuzz_gguf.c - any bytes as a GGUF file: its header is given, so that all of them are keys and tensors. */
#include "../support/fuzz_facts.h"
#include "model/gguf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t magic[8] = {'G', 'G', 'U', 'F', 3};
    uint8_t *file = malloc(size + sizeof magic);
    memcpy(file, magic, sizeof magic);
    memcpy(file + sizeof magic, data, size);
    const char *path = fuzz_file(file, size + sizeof magic);
    free(file);
    struct gguf *g = gguf_open(path, NULL);
    for (size_t i = 0; g && i < g->n_tensors; i++)
        table_unref(gguf_values(g, &g->tensor[i], 65536, NULL));
    gguf_close(g);
    fuzz_facts(facts_examine(path, NULL, 0, LANG_EN));
    return 0;
}
