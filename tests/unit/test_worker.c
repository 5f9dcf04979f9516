/* The worker thread. If it is wrong, the screen shows the picture of an older parameter, a value that belongs to another place of the
 * cursor, or it hangs. Run it under SAN=thread as well. Every wait is for an event, never for a time. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/worker.h"
#include "core/parallel.h"

/* A computation that a test leads by the hand: it says that it has begun, and ticks until it is let go or replaced. */
static sem_t begun, warm;
static atomic_bool let_go;
static atomic_int stale, warmed;

/* Work in two steps, half of a picture of two: what the progress is at the end of the first and in the middle of the second. */
static double after_first, in_second;

static void compute_in_steps(struct job *job)
{
    struct job half = *job;
    half.from = half.part = 0.5;
    job_step(&half, 0, 0.2);
    job_tick(&half, 1);
    after_first = worker_progress(job->worker);
    job_step(&half, 0.2, 1);
    job_tick(&half, 0.5);
    in_second = worker_progress(job->worker);
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    if (s->seed == 21)
        compute_in_steps(job);
    sem_post(&begun);
    f->panel[0].data[0] = s->shape.length;
    if (s->seed == 13)
        return err_set(err, "seed = 13: not allowed");
    if (s->seed == 7)
        job_publish(job, f);
    while (!atomic_load(&let_go)) {
        if (!job_tick(job, 0.25)) {
            atomic_fetch_add(&stale, 1);
            return false;
        }
    }
    f->panel[0].data[0] = 2 * s->shape.length;
    return true;
}

static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    out->known = true;
    out->value = s->shape.length + panel + x + y;
    return true;
}

static void warm_up(void)
{
    atomic_fetch_add(&warmed, 1);
    sem_post(&warm);
}

static const struct worker_hooks hooks = {.compute = compute, .probe = probe, .warm_up = warm_up};

struct bench {
    struct worker *worker;
    struct scenario s;
};

static int setup(void **state)
{
    static struct bench b;
    sem_init(&begun, 0, 0);
    sem_init(&warm, 0, 0);
    atomic_store(&let_go, false);
    atomic_store(&stale, 0);
    atomic_store(&warmed, 0);
    scenario_init(&b.s);
    b.s.seed = 1;
    b.worker = worker_new(&hooks, 1);
    *state = &b;
    return b.worker ? 0 : -1;
}

static int teardown(void **state)
{
    struct bench *b = *state;
    worker_free(b->worker);
    scenario_done(&b->s);
    sem_destroy(&begun);
    sem_destroy(&warm);
    return 0;
}

static void request(struct bench *b, double length)
{
    struct figure *f = figure_new();
    struct panel *p = figure_add(f, PANEL_HEATMAP, "test");
    p->w = p->h = 1;
    panel_heatmap(p);
    b->s.shape.length = length;
    worker_request(b->worker, &b->s, f);
}

static struct worker_news wait_for_news(struct bench *b)
{
    struct pollfd fd = {.fd = worker_fd(b->worker), .events = POLLIN};
    assert_int_equal(poll(&fd, 1, 60000), 1);
    return worker_take(b->worker);
}

static void the_newest_request_wins(void **state)
{
    struct bench *b = *state;
    for (int n = 1; n <= 50; n++)
        request(b, n);
    sem_wait(&begun);
    request(b, 1000);
    atomic_store(&let_go, true);
    struct worker_news news = wait_for_news(b);
    assert_non_null(news.figure);
    assert_true(news.finished && !news.failed);
    assert_true(news.figure->panel[0].data[0] == 2000);
    assert_true(news.figure->progress == 1);
    assert_false(worker_computing(b->worker));
    figure_free(news.figure);
}

static void a_replaced_computation_ends_at_its_tick(void **state)
{
    struct bench *b = *state;
    request(b, 1);
    sem_wait(&begun);
    request(b, 2);
    sem_wait(&begun);               /* the second can only begin when the first has ended */
    assert_int_equal(atomic_load(&stale), 1);
}

static void cancelling_leaves_nothing(void **state)
{
    struct bench *b = *state;
    request(b, 1);
    sem_wait(&begun);
    worker_cancel(b->worker);
    assert_false(worker_computing(b->worker));
    worker_probe(b->worker, &b->s, 0, 0, 0);        /* answered after the computation has ended */
    struct worker_news news = wait_for_news(b);
    assert_null(news.figure);
    assert_true(news.probed);
    assert_false(news.finished);
}

static void a_preview_comes_before_the_picture(void **state)
{
    struct bench *b = *state;
    b->s.seed = 7;
    request(b, 5);
    struct worker_news news = wait_for_news(b);
    assert_non_null(news.figure);
    assert_false(news.finished);
    assert_true(news.figure->panel[0].data[0] == 5);
    assert_true(news.figure->progress < 1);
    figure_free(news.figure);
    assert_true(worker_computing(b->worker));
    atomic_store(&let_go, true);
    news = wait_for_news(b);
    assert_true(news.finished);
    assert_true(news.figure->panel[0].data[0] == 10);
    figure_free(news.figure);
}

static void a_probe_is_answered_while_a_picture_is_computed(void **state)
{
    struct bench *b = *state;
    request(b, 100);
    sem_wait(&begun);
    worker_probe(b->worker, &b->s, 1, 20, 3);
    struct worker_news news = wait_for_news(b);
    assert_true(news.probed && news.readout.known);
    assert_true(news.readout.value == 124);
    assert_null(news.figure);
    assert_true(worker_computing(b->worker));
    assert_true(worker_progress(b->worker) == 0.25);
}

static void the_newest_probe_wins(void **state)
{
    struct bench *b = *state;
    for (int x = 0; x <= 1000; x++)
        worker_probe(b->worker, &b->s, 0, x, 0);
    struct worker_news news = {.probed = false};
    while (worker_busy(b->worker)) {
        struct worker_news now = wait_for_news(b);
        news = now.probed ? now : news;
    }
    assert_true(news.probed);
    assert_true(news.readout.value == b->s.shape.length + 1000);
}

static void a_failure_brings_its_message(void **state)
{
    struct bench *b = *state;
    b->s.seed = 13;
    request(b, 1);
    struct worker_news news = wait_for_news(b);
    assert_true(news.finished && news.failed);
    assert_null(news.figure);
    assert_string_equal(news.err.text, "seed = 13: not allowed");
}

static void it_warms_up_once_and_after_the_first_figure(void **state)
{
    struct bench *b = *state;
    atomic_store(&let_go, true);
    assert_int_equal(atomic_load(&warmed), 0);
    for (int i = 0; i < 3; i++) {
        request(b, 1);
        figure_free(wait_for_news(b).figure);
    }
    sem_wait(&warm);
    request(b, 1);
    figure_free(wait_for_news(b).figure);
    worker_free(b->worker);         /* joins the thread */
    b->worker = NULL;
    assert_int_equal(atomic_load(&warmed), 1);
}

static void it_ends_while_computing(void **state)
{
    struct bench *b = *state;
    request(b, 1);
    sem_wait(&begun);
    worker_probe(b->worker, &b->s, 0, 0, 0);
    worker_free(b->worker);
    b->worker = NULL;
    assert_int_equal(atomic_load(&stale), 1);
}

/* As fast as they come: thousands of requests, probes and takes against each other. */
static void a_storm_ends_with_the_last_request(void **state)
{
    struct bench *b = *state;
    atomic_store(&let_go, true);
    for (int i = 1; i <= 3000; i++) {
        request(b, i);
        if (i % 3 == 0)
            worker_probe(b->worker, &b->s, 0, i, 0);
        if (i % 5 == 0)
            figure_free(worker_take(b->worker).figure);
        if (i % 101 == 0)
            worker_cancel(b->worker);
    }
    request(b, 4000);
    for (;;) {
        struct worker_news news = wait_for_news(b);
        bool last = news.finished;
        if (last)
            assert_true(news.figure->panel[0].data[0] == 8000);
        figure_free(news.figure);
        if (last)
            break;
    }
}

static void steps_are_parts_of_one_progress(void **state)
{
    struct bench *b = *state;
    atomic_store(&let_go, true);
    b->s.seed = 21;
    request(b, 1);
    figure_free(wait_for_news(b).figure);
    assert_true(after_first == 0.6);
    assert_true(in_second == 0.8);
}

/* ---- without a worker -------------------------------------------------------------------------------- */

static void a_job_alone_never_stops(void **state)
{
    (void)state;
    struct job *job = job_new_alone(3);
    assert_true(job_tick(job, 0.5));
    assert_true(job_tick_fn(job, 1));
    assert_int_equal(job_threads(job), 3);
    job_publish(job, NULL);
    job_free_alone(job);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

enum { HANDLED = 7 };

static void handled(int sig)
{
    (void)sig;
    _exit(HANDLED);
}

static bool fault(void *ctx, size_t i, int thread)
{
    (void)ctx;
    (void)i;
    if (thread > 0)
        raise(SIGSEGV);
    return thread == 0;
}

static bool compute_a_fault(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    (void)s;
    (void)f;
    (void)job;
    (void)err;
    return fault(NULL, 0, 1);
}

static void in_the_worker(void)
{
    static const struct worker_hooks faulty = {.compute = compute_a_fault, .probe = probe};
    struct bench b = {.worker = worker_new(&faulty, 1)};
    scenario_init(&b.s);
    request(&b, 1);
    wait_for_news(&b);
}

static void in_a_loop(void)
{
    parallel_for(SIZE_MAX, 2, fault, NULL);
}

/* What gives the terminal back runs for a fault of any thread, though signals from outside are the main thread's. */
static void a_fault_of_any_thread_is_handled(void **state)
{
    (void)state;
    static void (*const where[])(void) = {in_the_worker, in_a_loop};
    for (size_t i = 0; i < sizeof where / sizeof *where; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            signal(SIGSEGV, handled);
            where[i]();
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), HANDLED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_newest_request_wins, setup, teardown),
        cmocka_unit_test_setup_teardown(a_replaced_computation_ends_at_its_tick, setup, teardown),
        cmocka_unit_test_setup_teardown(cancelling_leaves_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(steps_are_parts_of_one_progress, setup, teardown),
        cmocka_unit_test_setup_teardown(a_preview_comes_before_the_picture, setup, teardown),
        cmocka_unit_test_setup_teardown(a_probe_is_answered_while_a_picture_is_computed, setup, teardown),
        cmocka_unit_test_setup_teardown(the_newest_probe_wins, setup, teardown),
        cmocka_unit_test_setup_teardown(a_failure_brings_its_message, setup, teardown),
        cmocka_unit_test_setup_teardown(it_warms_up_once_and_after_the_first_figure, setup, teardown),
        cmocka_unit_test_setup_teardown(it_ends_while_computing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_storm_ends_with_the_last_request, setup, teardown),
        cmocka_unit_test(a_job_alone_never_stops),
        cmocka_unit_test(a_fault_of_any_thread_is_handled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
