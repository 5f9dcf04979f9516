/* worker.h - the one thread that computes figures and exact values while the main thread keeps the keys and the screen.
 *
 * worker_new, then worker_request and worker_probe as often as wanted: a newer one replaces an older one, which ends at its next
 * job_tick. worker_fd becomes readable when there is news; worker_take fetches it. A probe is answered inside job_tick, so the
 * read-out is exact while a long picture is still coming. */
#ifndef POSVIZ_APP_WORKER_H
#define POSVIZ_APP_WORKER_H

#include "app/view.h"

/* Who follows a computation without a worker: benchmarks and tests of how soon it can end. */
struct job_watch {
    bool (*tick)(void *ctx);        /* false: end */
    void (*publish)(void *ctx);
    void *ctx;
};

/* The handle of one computation; worker NULL: nobody waits for it (job_new_alone). */
struct job {
    struct worker *worker;
    const struct job_watch *watch;  /* asked where there is no worker; or NULL */
    unsigned long number;
    int threads;
    const struct figure *whole;     /* what a publication copies, when the view computes a part of it; NULL: what the view gives */
    bool silent;                    /* publishes nothing */
    double from, part;              /* this part's share of the whole: progress = from + part * share; part 0: all of it */
    double step_from, step;         /* the same of the view's step within this part */
};

/* What the worker calls: the picture's functions, or a test's. */
struct worker_hooks {
    bool (*compute)(const struct scenario *s, struct figure *f, struct job *job, struct err *err);
    bool (*probe)(const struct scenario *s, int panel, double x, double y, struct readout *out);
    void (*warm_up)(void);          /* run once, when the first figure is out; or NULL */
};

struct worker *worker_new(const struct worker_hooks *hooks, int threads);
void worker_free(struct worker *w);                     /* ends a computation at its next tick; NULL is allowed */
int worker_fd(const struct worker *w);                  /* to poll for reading */

/* Takes over the planned and laid out figure; copies the scenario. Returns the request's number. */
unsigned long worker_request(struct worker *w, const struct scenario *s, struct figure *planned);
void worker_probe(struct worker *w, const struct scenario *s, int panel, double x, double y);
void worker_cancel(struct worker *w);                   /* the figure in work; probes stay */

struct worker_news {
    struct figure *figure;          /* a preview or the finished figure of the newest request, now the caller's; or NULL */
    bool finished;                  /* the newest request has ended: with a figure, or failed */
    bool failed;
    struct err err;
    bool probed;
    struct readout readout;         /* of the newest probe */
};
struct worker_news worker_take(struct worker *w);
bool worker_computing(struct worker *w);                /* a figure is in work or waiting */
bool worker_busy(struct worker *w);                     /* or a probe, or news not yet taken */
double worker_progress(const struct worker *w);         /* 0..1 of the newest request */

#endif
