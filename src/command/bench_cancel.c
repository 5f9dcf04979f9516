/* bench_cancel.c - how long a computation goes on when it is no longer wanted: the longest time of the processor between two
 * questions whether it is, in the first part of attention over 131 072 tokens, for every encoding. */
#include <stdio.h>

#include "command/bench.h"

static void run_one(struct bench *b, const char *id, const char *content)
{
    struct scenario s;
    struct bench_row *r = bench_add(b, "cancel");
    snprintf(r->name, sizeof r->name, "cancel %s %s", id, content);
    scenario_init(&s);
    if (scenario_set_view(&s, "attention", NULL) && scenario_set_encoding(&s, id, NULL) && scenario_set(&s, "n", "131072", NULL) &&
        scenario_set(&s, "content", content, NULL)) {
        struct bench_figure f = bench_figure(&s, 0.3);
        r->n = s.shape.length;
        r->d = s.shape.d_head;
        r->heads = s.shape.n_heads;
        r->own.seconds = r->own.cpu_seconds = f.longest;
    }
    scenario_done(&s);
}

static void run(struct bench *b)
{
    for (size_t i = 0; encodings[i]; i++) {
        run_one(b, encodings[i]->id, "seeded");
        run_one(b, encodings[i]->id, "none");
    }
}

const struct bench_family bench_cancel = {.name = "cancel", .run = run};
