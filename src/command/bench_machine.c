/* bench_machine.c - what the machine can do: products of float32 and copying memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "command/bench.h"
#include "core/blas.h"

enum { EDGE = 1024, STREAM = 1 << 25 };

static bool multiply(void *ctx)
{
    float *a = ctx;
    blas_sgemm_nt(EDGE, EDGE, EDGE, 1, a, EDGE, a + EDGE * EDGE, EDGE, 0, a + 2 * EDGE * EDGE, EDGE);
    return true;
}

static bool copy(void *ctx)
{
    char *bytes = ctx;
    memcpy(bytes, bytes + STREAM, STREAM);
    return true;
}

double bench_flops(struct bench *b)
{
    struct bench_row r = {.own = {NAN, NAN}};
    float *a = xcalloc(3 * EDGE * EDGE, sizeof *a);
    if (b->flops == 0) {
        bench_measure(&r, multiply, a);
        b->flops = 2.0 * EDGE * EDGE * EDGE / r.own.cpu_seconds;
    }
    free(a);
    return b->flops;
}

static void run(struct bench *b)
{
    struct bench_row *r = bench_add(b, "sgemm");
    float *a = xcalloc(3 * EDGE * EDGE, sizeof *a);
    r->n = r->d = EDGE;
    bench_measure(r, multiply, a);
    free(a);
    b->flops = 2.0 * EDGE * EDGE * EDGE / r->own.cpu_seconds;
    r->rate = b->flops / 1e9;
    r->unit = "GFLOP/s";
    r = bench_add(b, "memory copy");
    char *bytes = xcalloc(2, STREAM);
    memset(bytes, 1, 2 * (size_t)STREAM);
    r->n = STREAM;
    bench_measure(r, copy, bytes);
    free(bytes);
    r->rate = 2.0 * STREAM / r->own.cpu_seconds / 1e9;      /* read and written */
    r->unit = "GB/s";
}

const struct bench_family bench_machine = {.name = "machine", .run = run};
