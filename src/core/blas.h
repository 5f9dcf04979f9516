/* blas.h - matrix products, the only door to OpenBLAS; `make BLAS=plain` uses the C twin alone. Row-major. */
#ifndef POSVIZ_CORE_BLAS_H
#define POSVIZ_CORE_BLAS_H
#include <stddef.h>
/* c[m][n] = alpha * a[m][k] . b[n][k]^T (+ c if add). Leading dimensions in elements. */
void blas_dgemm_nt(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda, const double *b, size_t ldb,
                   int add, double *c, size_t ldc);
void blas_sgemm_nt(size_t m, size_t n, size_t k, float alpha, const float *a, size_t lda, const float *b, size_t ldb,
                   int add, float *c, size_t ldc);
/* The plain C twins, always there: the reference of the tests. */
void plain_dgemm_nt(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda, const double *b, size_t ldb,
                    int add, double *c, size_t ldc);
void plain_sgemm_nt(size_t m, size_t n, size_t k, float alpha, const float *a, size_t lda, const float *b, size_t ldb,
                    int add, float *c, size_t ldc);
/* Has OpenBLAS start no threads when the first product opens it. At the start of the program, since it writes into the environment. */
void blas_alone(void);
/* The product that makes later ones fast (TERMINAL 5). Call once from the worker. */
void blas_warm_up(void);
const char *blas_name(void);            /* for --version and bench */
#endif
