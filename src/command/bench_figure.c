/* bench_figure.c - a view's figure, timed as the worker sees it: how long until something can be shown, how long until it is done,
 * and how long it goes on without asking whether it is still wanted. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "app/worker.h"
#include "command/bench.h"

enum { ROWS = 20, COLS = 80 };          /* what tabs, read-out and keys leave of 80 x 24 */

struct watched {
    double start, last, most;           /* of the thread's clock */
    struct bench_figure *out;
};

static double thread_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool tick(void *ctx)
{
    struct watched *w = ctx;
    double now = thread_clock();
    w->out->longest = fmax(w->out->longest, now - w->last);
    w->last = now;
    return now - w->start < w->most;
}

static void publish(void *ctx)
{
    struct watched *w = ctx;
    w->out->first = fmin(w->out->first, thread_clock() - w->start);
}

static bool make(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    if (!view_plan(s, f, err))
        return false;
    figure_layout(f, ROWS, COLS, 2, -1, s->large);
    return view_compute(s, f, job, err);
}

struct bench_figure bench_figure(const struct scenario *s, double most)
{
    struct bench_figure out = {.first = NAN, .err = {.lang = s->lang}};
    struct watched w = {.start = thread_clock(), .most = most, .out = &out};
    struct job_watch watch = {tick, publish, &w};
    struct job *job = job_new_alone(1);
    struct figure *f = figure_new();
    double start = peer_clock();
    job->watch = &watch;
    w.last = w.start;
    bool done = make(s, f, job, &out.err), going = tick(&w);
    publish(&w);
    out.seconds = peer_clock() - start;
    out.cpu_seconds = w.last - w.start;
    out.end = done ? BENCH_DONE : going ? BENCH_REFUSED : BENCH_STOPPED;
    figure_free(f);
    job_free_alone(job);
    return out;
}
