/* bench_frame.c - from the start of the process to the first full picture on a terminal, and its peak of memory. */
#include <math.h>
#include <stddef.h>

#include "command/bench.h"
#include "command/pty.h"

enum { FRAMES = 9 };

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
    static const struct { const char *peer; struct peer_time (*time)(void); } peers[] = {
        {"import numpy", peer_import}, {"matplotlib", peer_image}};
    for (size_t i = 0; i < 2; i++) {
        struct bench_row *r = bench_add(b, "first frame");
        double seconds[FRAMES];
        for (int k = -1; k < FRAMES; k++)
            seconds[k < 0 ? 0 : k] = first_frame(&r->rss_bytes);
        r->own = peer_summary(seconds, NULL, FRAMES);
        r->peer_name = peers[i].peer;
        r->peer = peers[i].time();
    }
}

const struct bench_family bench_frame = {.name = "frame", .run = run};
