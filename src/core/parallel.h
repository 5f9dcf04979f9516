/* parallel.h - run a loop of independent pieces on some threads. BLAS itself stays on one thread each. */
#ifndef POSVIZ_CORE_PARALLEL_H
#define POSVIZ_CORE_PARALLEL_H
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
/* Calls piece(ctx, i, thread) for i in 0..n-1 on at most threads threads (the caller is one of them), each piece once; returns
 * false if a piece returned false, after which no new piece starts. */
bool parallel_for(size_t n, int threads, bool (*piece)(void *ctx, size_t i, int thread), void *ctx);
/* Signals belong to the main thread: what is started until the old mask is set again gets none but for its own faults, whose handlers give the
 * terminal back. */
void parallel_hold_signals(sigset_t *before);
#endif
