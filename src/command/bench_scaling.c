/* bench_scaling.c - time and memory against the number of tokens. */
#include "command/bench.h"

static void run(struct bench *b)
{
    for (double n = 1e3; n <= 1e7; n *= 10)
        bench_field(b, "scaling similarity", "rope", FIELD_ROTATION, n);
    for (double n = 1e3; n <= 1e6; n *= 10)
        bench_attention_of(b, "scaling preview", "alibi", n, BENCH_PREVIEW, 1);
    for (double n = 1e3; n <= 1e4; n *= 10)
        bench_attention_of(b, "scaling attention", "rope", n, 0, 1);
}

const struct bench_family bench_scaling = {.name = "scaling", .run = run};
