/* bench_machine.c - what the machine can do, one thread: large products, copying memory, exponentials. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "command/bench.h"
#include "core/blas.h"
#include "core/kernel.h"

enum { EDGE = 1024, STREAM = 1 << 25, ROW = 4096 };
static const double product_flops = 2.0 * EDGE * EDGE * EDGE;

static bool multiply(void *ctx)
{
    float *a = ctx;
    blas_sgemm_nt(EDGE, EDGE, EDGE, 1, a, EDGE, a + EDGE * EDGE, EDGE, 0, a + 2 * EDGE * EDGE, EDGE);
    return true;
}

static bool multiply_double(void *ctx)
{
    double *a = ctx;
    blas_dgemm_nt(EDGE, EDGE, EDGE, 1, a, EDGE, a + EDGE * EDGE, EDGE, 0, a + 2 * EDGE * EDGE, EDGE);
    return true;
}

static bool copy(void *ctx)
{
    char *bytes = ctx;
    memcpy(bytes, bytes + STREAM, STREAM);
    return true;
}

static bool exponentials(void *ctx)
{
    float *z = ctx;
    for (int i = 0; i < 256; i++)
        kernel_exp(z, ROW, 1, 0);
    return true;
}

static struct bench_row *rate(struct bench *b, const char *name, double n, bool (*work)(void *ctx), size_t bytes, double amount, const char *unit)
{
    struct bench_row *r = bench_add(b, name);
    void *memory = xcalloc(1, bytes);
    memset(memory, 0, bytes);           /* its own pages, not one page of zeros */
    r->n = n;
    bench_measure(r, work, memory);
    r->rate = amount / r->own.cpu_seconds / 1e9;
    r->unit = unit;
    free(memory);
    return r;
}

static void run(struct bench *b)
{
    char name[64];
    b->machine.flops = rate(b, "sgemm", EDGE, multiply, 3 * EDGE * EDGE * sizeof(float), product_flops, "GFLOP/s")->rate * 1e9;
    b->machine.double_flops = rate(b, "dgemm", EDGE, multiply_double, 3 * EDGE * EDGE * sizeof(double), product_flops, "GFLOP/s")->rate * 1e9;
    b->machine.bandwidth = rate(b, "memory copy", STREAM, copy, 2 * (size_t)STREAM, 2.0 * STREAM, "GB/s")->rate * 1e9;
    snprintf(name, sizeof name, "exp %s", kernel_name());
    rate(b, name, ROW, exponentials, (ROW + KERNEL_PAD) * sizeof(float), 256.0 * ROW, "G/s");
}

const struct bench_machine *bench_machine_of(struct bench *b)
{
    static struct bench apart;          /* rows that nobody asked to see */
    if (b->machine.flops == 0) {
        apart.n = 0;
        run(&apart);
        b->machine = apart.machine;
    }
    return &b->machine;
}

const struct bench_family bench_machine = {.name = "machine", .run = run};
