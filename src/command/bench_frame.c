/* bench_frame.c - from the start of the process to the first full picture on a terminal, and its peak of memory. */
#include <math.h>
#include <stddef.h>

#include "command/bench.h"
#include "command/pty.h"

static double first_frame(double *rss_bytes)
{
    static const char *const args[] = {"posviz", "similarity", "-e", "rope", "--test-sync", NULL};
    struct pty p;
    double start = peer_clock(), seconds = NAN;
    if (pty_start(&p, 40, 120, args) && pty_settle(&p)) {
        seconds = peer_clock() - start;
        *rss_bytes = peer_peak(p.pid);
    }
    pty_stop(&p);
    return seconds;
}

static void run(struct bench *b)
{
    static const struct { const char *peer; double (*seconds)(void); } peers[] = {
        {"import numpy", peer_import}, {"matplotlib", peer_image}};
    for (size_t i = 0; i < 2; i++) {
        struct bench_row *r = bench_add(b, "first frame");
        for (int k = 0; k < 7; k++)
            r->own.seconds = fmin(r->own.seconds, first_frame(&r->rss_bytes));
        r->peer_name = peers[i].peer;
        r->peer.seconds = peers[i].seconds();
    }
}

const struct bench_family bench_frame = {.name = "frame", .run = run};
