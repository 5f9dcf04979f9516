/* blas.c - the only door to OpenBLAS, and its twin in plain C. */
#include "core/blas.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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
#include <dlfcn.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

/* The library is opened with the first product, not linked: what is loaded before main has started threads by then, which wait for memory
 * for ever where there is none, and are waited for at the end. It also costs more than the rest of a start. Where it cannot be opened, or
 * finds no memory for its buffers, the twins do its work. */
static struct {
    __typeof__(cblas_dgemm) *dgemm;
    __typeof__(cblas_sgemm) *sgemm;
    char name[200];
    sem_t buffers;                      /* no more products at a time than it has buffers */
} library;
static pthread_once_t opened = PTHREAD_ONCE_INIT, alone = PTHREAD_ONCE_INIT;

/* Threads are ours (parallel.h): each runs products of its own. */
static void one_thread(void)
{
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
}

void blas_alone(void)
{
    pthread_once(&alone, one_thread);
}

/* dlsym gives a pointer to an object, which ISO C does not turn into one to a function. */
static void find(void *handle, const char *name, void *function)
{
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol);
}

/* OpenBLAS takes a buffer of 32 or 128 MiB for every product that runs, keeps it for the next, and where there is no room asks for ever. So it
 * takes all of them now, one for each processor while there is room for it and for everything else. Returns how many. */
static unsigned take_buffers(void *handle)
{
    enum { MOST = 64, ROOM = 512 << 20 };
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    void *(*take)(int), (*give)(void *), *held[MOST];
    unsigned n = 0;
    find(handle, "blas_memory_alloc", &take);
    find(handle, "blas_memory_free", &give);
    if (!take || !give)
        return MOST;                    /* another library's business */
    while (n < MOST && (long)n < (processors > 0 ? processors : 1) && mem_has_room(ROOM))
        held[n++] = take(0);
    for (unsigned i = 0; i < n; i++)
        give(held[i]);
    return n;
}

static void open_library(void)
{
    blas_alone();
    void *handle = dlopen(BLAS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        snprintf(library.name, sizeof library.name, "plain C (%s)", dlerror());
        return;
    }
    int (*threads)(void);
    void (*set_threads)(int);
    char *(*config)(void);
    find(handle, "openblas_get_num_threads", &threads);
    find(handle, "openblas_set_num_threads", &set_threads);
    find(handle, "openblas_get_config", &config);
    if (threads && set_threads && threads() > 1)
        set_threads(1);                 /* a build with OpenMP asks another variable */
    unsigned buffers = take_buffers(handle);
    sem_init(&library.buffers, 0, buffers);
    snprintf(library.name, sizeof library.name, "%s", !buffers ? "plain C (no memory for " BLAS_LIBRARY ")" : config ? config() : BLAS_LIBRARY);
    if (buffers) {
        find(handle, "cblas_dgemm", &library.dgemm);
        find(handle, "cblas_sgemm", &library.sgemm);
    }
}

static void begin(void)
{
    while (sem_wait(&library.buffers) != 0)
        ;                               /* a signal came */
}

void blas_dgemm_nt(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda, const double *b, size_t ldb,
                   int add, double *c, size_t ldc)
{
    pthread_once(&opened, open_library);
    if (!library.dgemm) {
        plain_dgemm_nt(m, n, k, alpha, a, lda, b, ldb, add, c, ldc);
    } else if (m && n) {
        begin();
        library.dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)k, alpha, a, (int)lda, b, (int)ldb,
                      add ? 1 : 0, c, (int)ldc);
        sem_post(&library.buffers);
    }
}

void blas_sgemm_nt(size_t m, size_t n, size_t k, float alpha, const float *a, size_t lda, const float *b, size_t ldb,
                   int add, float *c, size_t ldc)
{
    pthread_once(&opened, open_library);
    if (!library.sgemm) {
        plain_sgemm_nt(m, n, k, alpha, a, lda, b, ldb, add, c, ldc);
    } else if (m && n) {
        begin();
        library.sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)k, alpha, a, (int)lda, b, (int)ldb,
                      add ? 1 : 0, c, (int)ldc);
        sem_post(&library.buffers);
    }
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
    pthread_once(&opened, open_library);
    return library.name;
}

#endif
