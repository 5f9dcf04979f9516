/* worker.c - the worker thread. Everything shared stands in struct worker under its lock; the three atomics are what job_tick may
 * read without it, because views call it every few thousand multiplications. A figure changes hands and is never written afterwards. */
#include "app/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "core/parallel.h"

struct probe {
    bool waiting;
    struct scenario scenario;
    int panel;
    double x, y;
};

struct worker {
    struct worker_hooks hooks;
    int threads;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t more;
    int signal[2];                  /* a pipe: one byte in it while there is news */

    bool stop;
    bool signalled;
    struct figure *plan;            /* the newest request, not yet begun; NULL: none */
    struct scenario scenario;       /* and its scenario */
    bool computing;                 /* the newest request is in work */
    struct probe probe;
    bool probing;
    struct worker_news news;

    atomic_ulong newest;            /* number of the newest request */
    atomic_bool probe_waiting;
    atomic_int permille;
};

/* ---- news: called with the lock held ------------------------------------------------------------------ */

static void announce(struct worker *w)
{
    if (w->signalled)
        return;
    w->signalled = write(w->signal[1], "!", 1) == 1;
}

static void deliver(struct worker *w, struct figure *figure, bool finished)
{
    figure_free(w->news.figure);
    w->news.figure = figure;
    w->news.finished = finished;
    announce(w);
}

/* ---- the worker's side ---------------------------------------------------------------------------------- */

/* Answers the newest probe, if there is one and no other thread of a computation is at it. Called without the lock. */
static void answer_probe(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    if (!w->probe.waiting || w->probing) {
        pthread_mutex_unlock(&w->lock);
        return;
    }
    struct probe probe = w->probe;
    w->probe.waiting = false;
    w->probing = true;
    atomic_store(&w->probe_waiting, false);
    pthread_mutex_unlock(&w->lock);

    struct readout readout = {.known = false};
    if (!w->hooks.probe(&probe.scenario, probe.panel, probe.x, probe.y, &readout))
        readout.known = false;
    scenario_done(&probe.scenario);

    pthread_mutex_lock(&w->lock);
    w->probing = false;
    if (!w->probe.waiting) {        /* else the cursor has moved on: a late answer must not be read as the new place's value */
        w->news.probed = true;
        w->news.readout = readout;
        announce(w);
    }
    pthread_mutex_unlock(&w->lock);
}

static void compute(struct worker *w, struct scenario *s, struct figure *figure, unsigned long number)
{
    struct job job = {.worker = w, .number = number, .threads = w->threads};
    struct err err = {.lang = s->lang};
    bool done = w->hooks.compute(s, figure, &job, &err);
    figure->progress = 1;
    scenario_done(s);

    pthread_mutex_lock(&w->lock);
    bool newest = atomic_load(&w->newest) == number;
    if (newest) {
        w->computing = false;
        w->news.failed = !done;
        w->news.err = err;
        deliver(w, done ? figure : NULL, true);
    }
    pthread_mutex_unlock(&w->lock);
    if (!newest || !done)
        figure_free(figure);
}

static void *work(void *context)
{
    struct worker *w = context;
    bool warm = !w->hooks.warm_up;
    pthread_mutex_lock(&w->lock);
    while (!w->stop) {
        struct figure *plan = w->plan;
        struct scenario scenario = w->scenario;
        unsigned long number = atomic_load(&w->newest);
        bool idle = !plan && !w->probe.waiting;
        if (idle && (warm || number == 0)) {
            pthread_cond_wait(&w->more, &w->lock);
            continue;
        }
        w->plan = NULL;
        pthread_mutex_unlock(&w->lock);
        if (plan)
            compute(w, &scenario, plan, number);
        answer_probe(w);
        if (idle) {
            w->hooks.warm_up();
            warm = true;
        }
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* ---- job: what views see ---------------------------------------------------------------------------------- */

bool job_tick(struct job *job, double share)
{
    if (!job || !job->worker)
        return !job || !job->watch || job->watch->tick(job->watch->ctx);
    struct worker *w = job->worker;
    if (atomic_load_explicit(&w->newest, memory_order_relaxed) != job->number)
        return false;
    double done = job->step > 0 ? job->step_from + job->step * share : share, whole = job->part > 0 ? job->from + job->part * done : done;
    atomic_store_explicit(&w->permille, (int)(1000 * whole), memory_order_relaxed);
    if (atomic_load_explicit(&w->probe_waiting, memory_order_relaxed))
        answer_probe(w);
    return true;
}

void job_step(struct job *job, double from, double to)
{
    if (job) {
        job->step_from = from;
        job->step = to - from;
    }
}

bool job_tick_fn(void *job, double share)
{
    return job_tick(job, share);
}

void job_publish(struct job *job, const struct figure *preview)
{
    struct worker *w = job ? job->worker : NULL;
    if (job && job->watch)
        job->watch->publish(job->watch->ctx);
    if (!w || job->silent || atomic_load(&w->newest) != job->number)
        return;
    struct figure *copy = figure_copy(job->whole ? job->whole : preview);
    copy->progress = worker_progress(w);
    pthread_mutex_lock(&w->lock);
    bool newest = atomic_load(&w->newest) == job->number;
    if (newest)
        deliver(w, copy, false);
    pthread_mutex_unlock(&w->lock);
    if (!newest)
        figure_free(copy);
}

int job_threads(const struct job *job)
{
    return job && job->threads > 0 ? job->threads : 1;
}

struct job *job_new_alone(int threads)
{
    struct job *job = xcalloc(1, sizeof *job);
    job->threads = threads;
    return job;
}

void job_free_alone(struct job *job)
{
    free(job);
}

/* ---- the main thread's side ---------------------------------------------------------------------------------- */

static bool start_thread(struct worker *w)
{
    sigset_t before;
    parallel_hold_signals(&before);
    int failed = pthread_create(&w->thread, NULL, work, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return !failed;
}

struct worker *worker_new(const struct worker_hooks *hooks, int threads)
{
    struct worker *w = xcalloc(1, sizeof *w);
    w->hooks = *hooks;
    w->threads = threads;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->more, NULL);
    if (pipe(w->signal) == 0) {
        for (int i = 0; i < 2; i++) {
            fcntl(w->signal[i], F_SETFL, O_NONBLOCK);
            fcntl(w->signal[i], F_SETFD, FD_CLOEXEC);
        }
        if (start_thread(w))
            return w;
        close(w->signal[0]);
        close(w->signal[1]);
    }
    pthread_cond_destroy(&w->more);
    pthread_mutex_destroy(&w->lock);
    free(w);
    return NULL;
}

/* With the lock held: drops a request that has not begun and makes one in work stale. */
static unsigned long supersede(struct worker *w)
{
    if (w->plan) {
        figure_free(w->plan);
        scenario_done(&w->scenario);
        w->plan = NULL;
    }
    figure_free(w->news.figure);
    w->news.figure = NULL;
    w->news.finished = w->news.failed = false;
    w->computing = false;
    atomic_store(&w->permille, 0);
    return atomic_fetch_add(&w->newest, 1) + 1;
}

void worker_free(struct worker *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    supersede(w);
    pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    if (w->probe.waiting)
        scenario_done(&w->probe.scenario);
    figure_free(w->news.figure);
    close(w->signal[0]);
    close(w->signal[1]);
    pthread_cond_destroy(&w->more);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

int worker_fd(const struct worker *w)
{
    return w->signal[0];
}

unsigned long worker_request(struct worker *w, const struct scenario *s, struct figure *planned)
{
    struct scenario copy;
    scenario_copy(&copy, s);
    pthread_mutex_lock(&w->lock);
    unsigned long number = supersede(w);
    w->plan = planned;
    w->scenario = copy;
    w->computing = true;
    pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
    return number;
}

void worker_probe(struct worker *w, const struct scenario *s, int panel, double x, double y)
{
    struct probe probe = {.waiting = true, .panel = panel, .x = x, .y = y};
    scenario_copy(&probe.scenario, s);
    pthread_mutex_lock(&w->lock);
    struct probe old = w->probe;
    w->probe = probe;
    w->news.probed = false;
    atomic_store(&w->probe_waiting, true);
    pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
    if (old.waiting)
        scenario_done(&old.scenario);
}

void worker_cancel(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    supersede(w);
    pthread_mutex_unlock(&w->lock);
}

struct worker_news worker_take(struct worker *w)
{
    char byte;
    pthread_mutex_lock(&w->lock);
    if (w->signalled && read(w->signal[0], &byte, 1) == 1)
        w->signalled = false;
    struct worker_news news = w->news;
    w->news = (struct worker_news){.figure = NULL};
    pthread_mutex_unlock(&w->lock);
    return news;
}

bool worker_computing(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    bool computing = w->computing;
    pthread_mutex_unlock(&w->lock);
    return computing;
}

bool worker_busy(struct worker *w)
{
    pthread_mutex_lock(&w->lock);
    bool busy = w->computing || w->probe.waiting || w->probing || w->signalled;
    pthread_mutex_unlock(&w->lock);
    return busy;
}

double worker_progress(const struct worker *w)
{
    return atomic_load(&w->permille) / 1000.0;
}
