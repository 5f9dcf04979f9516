#include "core/waves.h"

#include <math.h>
#include <stdbool.h>

enum { RUN = 64,        /* keys turned through before the wave is evaluated afresh */
       LANES = 4 };     /* waves turned side by side: a turn must wait for the one before it */

static bool equal_steps(const double *d, size_t n)
{
    for (size_t j = 2; j < n; j++)
        if (d[j] - d[j - 1] != d[1] - d[0])
            return false;
    return n > 2;
}

/* LANES waves along a run of equal steps: (x, y) = a(cos, sin), turned by w * step a key. */
static void turn(const double *w, const double *c, const double *s, const double *d, size_t n, double *out)
{
    double x[LANES], y[LANES], p[LANES], q[LANES];
    for (size_t l = 0; l < LANES; l++) {
        x[l] = cos(w[l] * d[0]), y[l] = sin(w[l] * d[0]);
        p[l] = cos(w[l] * (d[1] - d[0])), q[l] = sin(w[l] * (d[1] - d[0]));
    }
    for (size_t j = 0; j < n; j++) {
        double sum[LANES];
        for (size_t l = 0; l < LANES; l++) {
            sum[l] = c[l] * x[l] + s[l] * y[l];
            double next = x[l] * p[l] - y[l] * q[l];
            y[l] = x[l] * q[l] + y[l] * p[l];
            x[l] = next;
        }
        out[j] += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

static void evaluate(double w, double c, double s, const double *d, size_t n, double *out)
{
    for (size_t j = 0; j < n; j++)
        out[j] += c * cos(w * d[j]) + s * sin(w * d[j]);
}

void waves_add(const double *w, const double *c, const double *s, size_t n_waves, const double *d, size_t n, double *out)
{
    for (size_t j = 0; j < n; j += RUN) {
        size_t m = n - j < RUN ? n - j : RUN, k = 0;
        if (equal_steps(d + j, m))
            for (; k + LANES <= n_waves; k += LANES)
                turn(w + k, c + k, s + k, d + j, m, out + j);
        for (; k < n_waves; k++)
            evaluate(w[k], c[k], s[k], d + j, m, out + j);
    }
}
