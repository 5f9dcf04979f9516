/* bench_fields.c - pictures of scores over 10 000 000 tokens. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "command/bench.h"

struct layer *bench_layer(const char *id, double n, int d)
{
    struct item item;
    struct shape shape = {n, 8, d, d, 0};
    const struct encoding *kind = encoding_find(id, NULL);
    item_init(&item, kind);
    return layer_open(&item, 1, &shape, NULL);
}

enum { SAMPLES = 128, FIELD_WIDTH = 128 };
struct field_work {
    struct field *field;
    double n;
    double out[SAMPLES * SAMPLES];
};

static bool pool_field(void *ctx)
{
    struct field_work *w = ctx;
    struct pooled how;
    return field_pool(w->field, (struct window){0, w->n, 0, w->n}, REDUCE_MEAN, SAMPLES, SAMPLES, w->out, &how, NULL, NULL);
}

void bench_field(struct bench *b, const char *name, const char *id, enum field_kind kind, double n)
{
    struct bench_row *r = bench_add(b, name);
    struct layer *layer = bench_layer(id, n, FIELD_WIDTH);
    struct field_options o = {.kind = kind, .head = BENCH_HEAD, .mask = {MASK_CAUSAL, 0}};
    struct field_work *work = xcalloc(1, sizeof *work);
    *work = (struct field_work){.field = field_open(layer, &o, NULL), .n = n};
    r->n = n;
    r->d = FIELD_WIDTH;
    r->heads = 1;
    bench_measure(r, pool_field, work);
    bench_limit(b, r, 0, kind == FIELD_BIAS ? 0 : 2.0 * SAMPLES * SAMPLES * FIELD_WIDTH, SAMPLES * SAMPLES * sizeof(double));
    field_close(work->field);
    layer_close(layer);
    free(work);
}

/* A picture by features is at least one product of their means; a bias has none, its samples are only written. */
static void run(struct bench *b)
{
    static const struct { const char *id; enum field_kind kind; } fields[] = {
        {"rope", FIELD_ROTATION}, {"xpos", FIELD_ROTATION}, {"sinusoidal", FIELD_ROWS}, {"alibi", FIELD_BIAS},
        {"t5_bias", FIELD_BIAS}, {"sandwich", FIELD_BIAS}, {"kerple", FIELD_BIAS}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s %s", fields[i].kind == FIELD_BIAS ? "bias" : "similarity", fields[i].id);
        bench_field(b, name, fields[i].id, fields[i].kind, 1e7);
    }
}

const struct bench_family bench_fields = {.name = "fields", .run = run};
