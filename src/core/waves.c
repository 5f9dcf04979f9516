#include "core/waves.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { RUN = 256,       /* keys turned through before the waves are evaluated afresh */
       LANES = 8 };     /* waves turned side by side, since a turn must wait for the one before it */

/* Arithmetic goes lane by lane (a vector of gcc and clang). */
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

static bool equal_steps(const double *d, size_t n)
{
    for (size_t j = 2; j < n; j++)
        if (d[j] - d[j - 1] != d[1] - d[0])
            return false;
    return n > 2;
}

/* LANES waves along n distances in equal steps: (x, y) = (cos, sin), turned by w * step a key. */
static void turn(const double *w, const double *c, const double *s, const double *d, size_t n, lanes *sum)
{
    lanes x, y, p, q, a, b;
    for (size_t l = 0; l < LANES; l++) {
        x[l] = cos(w[l] * d[0]), y[l] = sin(w[l] * d[0]);
        p[l] = cos(w[l] * (d[1] - d[0])), q[l] = sin(w[l] * (d[1] - d[0]));
        a[l] = c[l], b[l] = s[l];
    }
    for (size_t j = 0; j < n; j++) {
        sum[j] += a * x + b * y;
        lanes next = x * p - y * q;
        y = x * q + y * p;
        x = next;
    }
}

/* As many waves as fill the lanes; returns how many are done. */
static size_t turn_all(const double *w, const double *c, const double *s, size_t n_waves, const double *d, size_t n, double *out)
{
    lanes sum[RUN];
    size_t k = 0;
    memset(sum, 0, n * sizeof *sum);
    for (; k + LANES <= n_waves; k += LANES)
        turn(w + k, c + k, s + k, d, n, sum);
    for (size_t j = 0; j < n; j++)
        for (size_t l = 0; l < LANES; l++)
            out[j] += sum[j][l];
    return k;
}

static void evaluate(double w, double c, double s, const double *d, size_t n, double *out)
{
    for (size_t j = 0; j < n; j++)
        out[j] += c * cos(w * d[j]) + s * sin(w * d[j]);
}

void waves_add(const double *w, const double *c, const double *s, size_t n_waves, const double *d, size_t n, double *out)
{
    for (size_t j = 0; j < n; j += RUN) {
        size_t m = n - j < RUN ? n - j : RUN;
        size_t k = equal_steps(d + j, m) ? turn_all(w, c, s, n_waves, d + j, m, out + j) : 0;
        for (; k < n_waves; k++)
            evaluate(w[k], c[k], s[k], d + j, m, out + j);
    }
}

/* LANES waves turned as above, each row from the one before. */
static void turn_rows(const double *w, const double *d, size_t n, double *out, size_t n_waves)
{
    lanes x, y, p, q;
    for (size_t l = 0; l < LANES; l++) {
        x[l] = cos(w[l] * d[0]), y[l] = sin(w[l] * d[0]);
        p[l] = cos(w[l] * (d[1] - d[0])), q[l] = sin(w[l] * (d[1] - d[0]));
    }
    for (size_t j = 0; j < n; j++) {
        memcpy(out + 2 * j * n_waves, &y, sizeof y);
        memcpy(out + (2 * j + 1) * n_waves, &x, sizeof x);
        lanes next = x * p - y * q;
        y = x * q + y * p;
        x = next;
    }
}

void waves_rows(const double *w, size_t n_waves, const double *d, size_t n, double *out)
{
    for (size_t from = 0; from < n; from += RUN) {
        size_t m = n - from < RUN ? n - from : RUN, k = 0;
        double *rows = out + 2 * from * n_waves;
        for (bool equal = equal_steps(d + from, m); equal && k + LANES <= n_waves; k += LANES)
            turn_rows(w + k, d + from, m, rows + k, n_waves);
        for (; k < n_waves; k++)
            for (size_t j = 0; j < m; j++) {
                rows[2 * j * n_waves + k] = sin(w[k] * d[from + j]);
                rows[(2 * j + 1) * n_waves + k] = cos(w[k] * d[from + j]);
            }
    }
}
