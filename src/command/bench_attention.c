/* bench_attention.c - attention, streamed and pooled: every row, a preview of some rows, and 131 072 tokens exactly. */
#include <math.h>
#include <stdio.h>

#include "command/bench.h"
#include "core/attention.h"
#include "core/blas.h"

enum { H = 64, W = 128, WIDTH = 64 };
struct attention_work {
    struct attention *attention;
    double n;
    int preview;
    double out[H * W];
};

static bool pool_attention(void *ctx)
{
    struct attention_work *w = ctx;
    struct pooled how;
    struct attention_facts facts;
    return attention_pool(w->attention, (struct window){0, w->n, 0, w->n}, H, W, w->preview, w->out, &how, &facts, NULL, NULL);
}

static const double slope = 0.125;          /* of head 2 of 8 */

/* Causal, one head, seeded content. Nobody can do without the products of the pairs that the rows see, half of n x n for all of them,
 * and without writing and reading the keys once. */
struct bench_row *bench_attention_of(struct bench *b, const char *name, const char *id, double n, int preview, int threads)
{
    struct bench_row *r = bench_add(b, name);
    struct layer *layer = bench_layer(id, n, WIDTH);
    struct attention_options o = {.head = BENCH_HEAD, .mask = {MASK_CAUSAL, 0}, .content = {.type = CONTENT_SEEDED, .seed = 1},
                                  .terms = ~0u, .show = SHOW_PROBABILITY, .threads = threads};
    struct attention_work work = {.attention = attention_open(layer, n, &o, NULL), .n = n, .preview = preview};
    double rows = preview ? fmin(preview, n) : n;
    r->n = n;
    r->d = WIDTH;
    r->heads = 1;
    r->threads = threads;
    r->once = !preview && n > 1e5;
    blas_warm_up();
    bench_measure(r, pool_attention, &work);
    bench_limit(b, r, 2.0 * WIDTH * rows * n / 2, 0, 2 * n * WIDTH * sizeof(float));
    attention_close(work.attention);
    layer_close(layer);
    return r;
}

static void beside_numpy(struct bench *b, const char *id, int threads)
{
    char name[64], kernel[32];
    snprintf(name, sizeof name, "attention %s", id);
    struct bench_row *r = bench_attention_of(b, name, id, 4096, 0, threads);
    r->peer = peer_attention(id, 4096, WIDTH, slope, threads, kernel, sizeof kernel);
    r->peer_name = "numpy";
    if (*kernel)
        snprintf(r->note, sizeof r->note, "(%s)", kernel);
}

static void run_attention(struct bench *b)
{
    for (int threads = 1; threads <= 2; threads++) {
        beside_numpy(b, "alibi", threads);
        beside_numpy(b, "rope", threads);
    }
}

static void run_preview(struct bench *b)
{
    bench_attention_of(b, "preview alibi", "alibi", 131072, BENCH_PREVIEW, 1);
    bench_attention_of(b, "preview rope", "rope", 131072, BENCH_PREVIEW, 1);
}

static void run_long(struct bench *b)
{
    bench_attention_of(b, "long alibi", "alibi", 131072, 0, 2);
    bench_attention_of(b, "long rope", "rope", 131072, 0, 2);
}

const struct bench_family bench_attention = {.name = "attention", .run = run_attention};
const struct bench_family bench_preview = {.name = "preview", .run = run_preview};
const struct bench_family bench_long = {.name = "long", .run = run_long, .named_only = true};
