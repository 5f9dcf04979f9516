/* bench_frame.c - from the start of the process to the first picture. */
#include <math.h>
#include <stddef.h>

#include "command/bench.h"

static void run(struct bench *b)
{
    static const char *const args[] = {"posviz", "similarity", "-e", "rope", "--test-sync", NULL};
    static const struct { const char *peer; double (*seconds)(void); } peers[] = {
        {"import numpy", peer_import}, {"matplotlib", peer_image}};
    for (size_t i = 0; i < 2; i++) {
        struct bench_row *r = bench_add(b, "first frame");
        for (int k = 0; k < 7; k++)
            r->own.seconds = fmin(r->own.seconds, peer_first_frame(args, &r->rss_bytes));
        r->peer_name = peers[i].peer;
        r->peer.seconds = peers[i].seconds();
    }
}

const struct bench_family bench_frame = {.name = "frame", .run = run};
