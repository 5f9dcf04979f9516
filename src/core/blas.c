/* blas.c - the only door to OpenBLAS, and its twin in plain C. */
#include "core/blas.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

enum { LANES = 16 };        /* partial sums side by side, so that the compiler may use vectors without reordering one sum */

/* The twins differ in the type alone; both sum in double, being what the fast ones are measured by. */
#define PLAIN_GEMM_NT(name, type)                                                                              \
    static double name##_dot(const type *a, const type *b, size_t k)                                           \
    {                                                                                                          \
        double sum[LANES] = {0}, total = 0;                                                                    \
        size_t i = 0;                                                                                          \
        for (; i + LANES <= k; i += LANES)                                                                     \
            for (size_t l = 0; l < LANES; l++)                                                                 \
                sum[l] += (double)a[i + l] * b[i + l];                                                         \
        for (; i < k; i++)                                                                                     \
            total += (double)a[i] * b[i];                                                                      \
        for (size_t l = 0; l < LANES; l++)                                                                     \
            total += sum[l];                                                                                   \
        return total;                                                                                          \
    }                                                                                                          \
    void name(size_t m, size_t n, size_t k, type alpha, const type *a, size_t lda, const type *b, size_t ldb,  \
              int add, type *c, size_t ldc)                                                                    \
    {                                                                                                          \
        for (size_t i = 0; i < m; i++)                                                                         \
            for (size_t j = 0; j < n; j++)                                                                     \
                c[i * ldc + j] = (type)(alpha * name##_dot(a + i * lda, b + j * ldb, k)) + (add ? c[i * ldc + j] : 0); \
    }
PLAIN_GEMM_NT(plain_dgemm_nt, double)
PLAIN_GEMM_NT(plain_sgemm_nt, float)

#ifdef BLAS_PLAIN

void blas_dgemm_nt(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda, const double *b, size_t ldb,
                   int add, double *c, size_t ldc)
{
    plain_dgemm_nt(m, n, k, alpha, a, lda, b, ldb, add, c, ldc);
}

void blas_sgemm_nt(size_t m, size_t n, size_t k, float alpha, const float *a, size_t lda, const float *b, size_t ldb,
                   int add, float *c, size_t ldc)
{
    plain_sgemm_nt(m, n, k, alpha, a, lda, b, ldb, add, c, ldc);
}

void blas_alone(void)
{
}

void blas_warm_up(void)
{
}

const char *blas_name(void)
{
    return "plain C";
}

#else

#include <cblas.h>

/* Absent where the system's BLAS is another one. */
#pragma weak openblas_set_num_threads
#pragma weak openblas_get_config
#pragma weak blas_thread_shutdown_
int blas_thread_shutdown_(void);

static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Threads are ours (parallel.h): each runs products of its own. OpenBLAS has started some when it was loaded, which ask for work for
 * some twenty milliseconds before they sleep: all that time a processor is not there for the first picture. */
static void one_thread(void)
{
    if (openblas_set_num_threads)
        openblas_set_num_threads(1);
    if (blas_thread_shutdown_)
        blas_thread_shutdown_();        /* last: the one above would start them again */
}

void blas_alone(void)
{
    pthread_once(&once, one_thread);
}

/* OpenBLAS takes a buffer of 32 MiB a thread with its first product, and where there is no room asks for ever. So we ask before. */
static void begin(void)
{
    enum { ROOM = 64 << 20 };
    static _Thread_local bool has_room;
    blas_alone();
    if (!has_room)
        free(xmalloc(ROOM));
    has_room = true;
}

void blas_dgemm_nt(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda, const double *b, size_t ldb,
                   int add, double *c, size_t ldc)
{
    begin();
    if (m && n)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)k, alpha, a, (int)lda, b, (int)ldb,
                    add ? 1 : 0, c, (int)ldc);
}

void blas_sgemm_nt(size_t m, size_t n, size_t k, float alpha, const float *a, size_t lda, const float *b, size_t ldb,
                   int add, float *c, size_t ldc)
{
    begin();
    if (m && n)
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)k, alpha, a, (int)lda, b, (int)ldb,
                    add ? 1 : 0, c, (int)ldc);
}

/* Before the first large product small ones run at half speed; after it they are fast for good. */
void blas_warm_up(void)
{
    enum { N = 512 };
    float *a = xcalloc(2 * N * N, sizeof *a);
    blas_sgemm_nt(N, N, N, 1, a, N, a, N, 0, a + N * N, N);
    free(a);
}

const char *blas_name(void)
{
    return openblas_get_config ? openblas_get_config() : "BLAS";
}

#endif
