/* bench_measure.c - times some work, its processor time and its peak of memory. */
#include "command/bench.h"

#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

struct bench_row *bench_add(struct bench *b, const char *name)
{
    struct bench_row *r = &b->row[b->n < BENCH_ROWS_MAX ? b->n++ : BENCH_ROWS_MAX - 1];
    *r = (struct bench_row){.n = NAN, .d = NAN, .heads = NAN, .threads = 1, .own = peer_unmeasured, .peer = peer_unmeasured,
                            .rss_bytes = NAN, .limit_share = NAN, .rate = NAN, .p99 = NAN, .bytes = NAN, .writes = NAN};
    snprintf(r->name, sizeof r->name, "%s", name);
    return r;
}

/* Linux lets a process forget its peak of memory. */
void bench_forget_peak(void)
{
#ifdef __GLIBC__
    malloc_trim(0);                 /* what earlier rows have freed is not this one's */
#endif
    int fd = open("/proc/self/clear_refs", O_WRONLY);
    if (fd < 0)
        return;
    if (write(fd, "5", 1) != 1)
        fprintf(stderr, "posviz bench: rss_bytes is the peak since the start\n");
    close(fd);
}

double bench_peak(void)
{
    struct rusage usage;
    double bytes = peer_peak(getpid());
    getrusage(RUSAGE_SELF, &usage);
    return isnan(bytes) ? (double)usage.ru_maxrss * 1024 : bytes;
}

void bench_measure(struct bench_row *r, bool (*work)(void *ctx), void *ctx)
{
    double seconds[PEER_RUNS_MAX], cpu[PEER_RUNS_MAX], start = peer_clock();
    size_t n = 0;
    bench_forget_peak();
    bool warm = r->once || work(ctx);
    while (warm && n < PEER_RUNS_MAX && !(r->once && n) && (n < 5 || peer_clock() - start < 0.5)) {
        double before = peer_clock(), cpu_before = peer_cpu_clock();
        if (!work(ctx))
            return;
        seconds[n] = peer_clock() - before;
        cpu[n++] = peer_cpu_clock() - cpu_before;
    }
    r->own = peer_summary(seconds, cpu, n);
    r->rss_bytes = bench_peak();
}

/* What it would take at the measured rates of the machine, the larger of the two. */
void bench_limit(struct bench *b, struct bench_row *r, double products, double double_products, double bytes)
{
    const struct bench_machine *m = bench_machine_of(b);
    double by_products = products / m->flops + double_products / m->double_flops, by_memory = bytes / m->bandwidth;
    r->limit_share = fmax(by_products, by_memory) / r->own.cpu_seconds;
    r->limit = by_products > by_memory ? "products" : "memory";
}
