/* kernel.c - add, exponential and sums over a row of logits.
 *
 *     e^x = 2^k e^r,  k = round(x / ln 2),  r = x - k ln 2 in two parts, |r| <= ln 2 / 2
 *     e^r = 1 + r + r^2 (c2 + c3 r + c4 r^2 + c5 r^3), minimax, relative error 1.1e-7 before rounding
 *
 * Vectors are the compiler's own; kernel_body.h is compiled for each set of
 * instructions. Built with -ffp-contract=fast (mk/kernel.mk), so that products and sums fuse where the processor can. */
#include "core/kernel.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024 };      /* floats are summed over a chunk, chunks in double */

/* ---- one copy for each set of instructions ------------------------------------------------------------ */

#define NAME(x) x##_any
#define LANES 4
#define TARGET
#include "core/kernel_body.h"
#undef NAME
#undef TARGET
#undef LANES

#ifdef __x86_64__
#define NAME(x) x##_avx2
#define LANES 8
#define TARGET __attribute__((target("avx2,fma")))
#include "core/kernel_body.h"
#undef NAME
#undef TARGET
#undef LANES

#define NAME(x) x##_avx512
#define LANES 16
#define TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma")))
#include "core/kernel_body.h"

#endif

/* ---- which one runs ----------------------------------------------------------------------------------- */

static bool has_any(void)
{
    return true;
}

#ifdef __x86_64__
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#define SETS(X) X(any) X(avx2) X(avx512)
#else
#define SETS(X) X(any)
#endif

/* In ascending order of width. */
static const struct kernel {
    const char *name;
    bool (*runs)(void);
    float (*add)(float *z, size_t n, const float *bias);
    void (*exp)(float *z, size_t n, float max, float first, struct kernel_sums *sums);
    void (*pool)(const float *z, const size_t *begin, const size_t *end, size_t n, double factor, double *out);
    void (*dots)(const float *a, size_t step, const float *b, size_t n, size_t d, float *out);
} kernels[] = {
#define SET(set) {#set, has_##set, add_##set, exp_##set, pool_##set, dots_##set},
    SETS(SET)
#undef SET
};
#define SET(set) #set,
const char *const kernel_names[] = {SETS(SET) NULL};
#undef SET
enum { N_KERNELS = sizeof kernels / sizeof *kernels };

static const struct kernel *_Atomic chosen;

bool kernel_use(const char *name)
{
    const struct kernel *found = NULL;
    for (size_t i = 0; i < N_KERNELS; i++)
        if ((!name || !strcmp(kernels[i].name, name)) && kernels[i].runs())
            found = &kernels[i];
    if (found)
        atomic_store(&chosen, found);
    return found != NULL;
}

static const struct kernel *kernel(void)
{
    const struct kernel *k = atomic_load_explicit(&chosen, memory_order_acquire);
    if (k)
        return k;
    if (!kernel_use(getenv("POSVIZ_KERNEL")))
        kernel_use(NULL);
    return atomic_load(&chosen);
}

const char *kernel_name(void)
{
    return kernel()->name;
}

float kernel_add(float *z, size_t n, const float *bias)
{
    return kernel()->add(z, n, bias);
}

struct kernel_sums kernel_exp(float *z, size_t n, float max, float first)
{
    struct kernel_sums sums = {0};
    kernel()->exp(z, n, max, first, &sums);
    return sums;
}

void kernel_pool(const float *z, const size_t *begin, const size_t *end, size_t n, double factor, double *out)
{
    kernel()->pool(z, begin, end, n, factor, out);
}

void kernel_dots(const float *a, size_t step, const float *b, size_t n, size_t d, float *out)
{
    kernel()->dots(a, step, b, n, d, out);
}
