/* kernel.c - add, exponential and sums over a row of logits.
 *
 *     e^x = 2^k e^r,  k = round(x / ln 2),  r = x - k ln 2 in two parts, |r| <= ln 2 / 2
 *     e^r = 1 + r + r^2 (c2 + c3 r + c4 r^2 + c5 r^3), minimax, relative error 1.1e-7 before rounding
 *
 * Vectors are the compiler's own; kernel_body.h is compiled for each set of
 * instructions. Built with -ffp-contract=fast (mk/kernel.mk), so that products and sums fuse where the processor can. */
#include "core/kernel.h"

#include <math.h>
#include <stdbool.h>

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

static int widest(void)
{
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return 2;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 1 : 0;
}
#define CHOOSE(what) (widest() == 2 ? what##_avx512 : widest() == 1 ? what##_avx2 : what##_any)
#else
#define CHOOSE(what) what##_any
#endif

float kernel_add(float *z, size_t n, const float *bias)
{
    return CHOOSE(add)(z, n, bias);
}

struct kernel_sums kernel_exp(float *z, size_t n, float max, float first)
{
    struct kernel_sums sums = {0};
    CHOOSE(exp)(z, n, max, first, &sums);
    return sums;
}

void kernel_pool(const float *z, const size_t *begin, const size_t *end, size_t n, double factor, double *out)
{
    CHOOSE(pool)(z, begin, end, n, factor, out);
}

void kernel_dots(const float *a, size_t step, const float *b, size_t n, size_t d, float *out)
{
    CHOOSE(dots)(a, step, b, n, d, out);
}
