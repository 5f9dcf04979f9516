/* The door to OpenBLAS, its twin in plain C, and the loop over threads. If these fail, a machine without OpenBLAS shows other numbers
 * than one with it, or work is done twice or not at all. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/rng.h"
#include "core/blas.h"
#include "core/parallel.h"

enum { M = 9, N = 21, K = 70, SPARE = 3 };

static double a[M * (K + SPARE)], b[N * (K + SPARE)], c[2][M * (N + SPARE)];
static float fa[M * (K + SPARE)], fb[N * (K + SPARE)], fc[2][M * (N + SPARE)];

static void fill(void)
{
    for (size_t i = 0; i < sizeof a / sizeof *a; i++)
        fa[i] = (float)(a[i] = rng_normal(1, i));
    for (size_t i = 0; i < sizeof b / sizeof *b; i++)
        fb[i] = (float)(b[i] = rng_normal(2, i));
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; i < sizeof c[0] / sizeof c[0][0]; i++)
            fc[t][i] = (float)(c[t][i] = rng_normal(3, i));
}

/* Odd sizes, rows further apart than they are long: both against the sum written out. */
static void products_are_products(void **state)
{
    (void)state;
    for (size_t k = 1; k <= K; k += 23)
        for (int add = 0; add <= 1; add++) {
            fill();
            blas_dgemm_nt(M, N, k, 0.7, a, K + SPARE, b, K + SPARE, add, c[0], N + SPARE);
            plain_dgemm_nt(M, N, k, 0.7, a, K + SPARE, b, K + SPARE, add, c[1], N + SPARE);
            blas_sgemm_nt(M, N, k, 0.7f, fa, K + SPARE, fb, K + SPARE, add, fc[0], N + SPARE);
            plain_sgemm_nt(M, N, k, 0.7f, fa, K + SPARE, fb, K + SPARE, add, fc[1], N + SPARE);
            for (size_t i = 0; i < M; i++)
                for (size_t j = 0; j < N + SPARE; j++) {
                    size_t at = i * (N + SPARE) + j;
                    double sum = add || j >= N ? rng_normal(3, at) : 0;
                    for (size_t t = 0; t < k && j < N; t++)
                        sum += 0.7 * a[i * (K + SPARE) + t] * b[j * (K + SPARE) + t];
                    for (int t = 0; t < 2; t++) {
                        assert_true(fabs(c[t][at] - sum) < 1e-13 * (double)K);
                        assert_true(fabs((double)fc[t][at] - sum) < 1e-6 * (double)K);
                    }
                }
        }
}

static void empty_products_touch_nothing(void **state)
{
    (void)state;
    fill();
    blas_dgemm_nt(0, N, K, 1, a, K, b, K, 0, c[0], N);
    blas_dgemm_nt(M, 0, K, 1, a, K, b, K, 0, c[0], N);
    assert_true(c[0][0] == c[1][0]);
}

struct counts {
    atomic_int met[1000];
    atomic_int pieces;
    int stop_at;
};

static bool meet(void *ctx, size_t i, int thread)
{
    struct counts *t = ctx;
    assert_true(thread >= 0 && thread < 3);
    atomic_fetch_add(&t->met[i], 1);
    atomic_fetch_add(&t->pieces, 1);
    return (int)i != t->stop_at;
}

static void every_piece_runs_once(void **state)
{
    (void)state;
    for (int threads = 0; threads <= 3; threads++) {
        struct counts t = {.stop_at = -1};
        assert_true(parallel_for(1000, threads, meet, &t));
        for (size_t i = 0; i < 1000; i++)
            assert_int_equal(atomic_load(&t.met[i]), 1);
    }
    struct counts none = {.stop_at = -1};
    assert_true(parallel_for(0, 3, meet, &none));
    assert_int_equal(atomic_load(&none.pieces), 0);
}

static void a_failed_piece_ends_the_loop(void **state)
{
    (void)state;
    struct counts t = {.stop_at = 10};
    assert_false(parallel_for(1000, 1, meet, &t));
    assert_int_equal(atomic_load(&t.pieces), 11);
    struct counts u = {.stop_at = 0};
    assert_false(parallel_for(1000, 3, meet, &u));
}

/* OpenBLAS starts threads when it is opened, which take a processor until they sleep, and wait for memory for ever. */
static void no_thread_of_the_library_is_left(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    skip();                             /* it has a thread of its own */
#endif
    size_t n = 0;
    unsetenv("OPENBLAS_NUM_THREADS");
    blas_alone();
    blas_warm_up();
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks)
        skip();                         /* not Linux */
    for (struct dirent *t; (t = readdir(tasks)) != NULL;)
        n += t->d_name[0] != '.';
    closedir(tasks);
    assert_int_equal(n, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_thread_of_the_library_is_left),
        cmocka_unit_test(products_are_products),
        cmocka_unit_test(empty_products_touch_nothing),
        cmocka_unit_test(every_piece_runs_once),
        cmocka_unit_test(a_failed_piece_ends_the_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
