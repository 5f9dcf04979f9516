/* parallel.c - threads that take the next piece until none is left. */
#include "core/parallel.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MAX_THREADS = 64 };

struct loop {
    size_t n;
    atomic_size_t next;
    atomic_bool failed;
    bool (*piece)(void *ctx, size_t i, int thread);
    void *ctx;
};
struct runner {
    struct loop *loop;
    int thread;
    pthread_t id;
};

void parallel_hold_signals(sigset_t *before)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
    sigset_t held;
    sigfillset(&held);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&held, faults[i]);
    pthread_sigmask(SIG_SETMASK, &held, before);
}

static void *run(void *arg)
{
    struct runner *r = arg;
    struct loop *l = r->loop;
    size_t i;
    while (!atomic_load(&l->failed) && (i = atomic_fetch_add(&l->next, 1)) < l->n)
        if (!l->piece(l->ctx, i, r->thread))
            atomic_store(&l->failed, true);
    return NULL;
}

bool parallel_for(size_t n, int threads, bool (*piece)(void *ctx, size_t i, int thread), void *ctx)
{
    struct loop loop = {.n = n, .piece = piece, .ctx = ctx};
    struct runner runner[MAX_THREADS];
    sigset_t before;
    int started = 1;
    if (threads > MAX_THREADS)
        threads = MAX_THREADS;
    parallel_hold_signals(&before);
    runner[0] = (struct runner){.loop = &loop};
    while (started < threads && (size_t)started < n) {
        runner[started] = (struct runner){.loop = &loop, .thread = started};
        if (pthread_create(&runner[started].id, NULL, run, &runner[started]))
            break;                                          /* fewer threads do the same work */
        started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    run(&runner[0]);
    for (int t = 1; t < started; t++)
        pthread_join(runner[t].id, NULL);
    return !atomic_load(&loop.failed);
}
