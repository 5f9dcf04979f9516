/* fuzz_config.c - any text as a config.json. */
#include "../support/fuzz_facts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_facts(facts_from_config("config.json", (const char *)data, size, NULL));
    return 0;
}
