/* profile.c - a bias as a function of the distance d = i - j, and its exact sums.
 *
 * The mean over a block of (query, key) pairs is a sum over distances, weighted by how many pairs lie at each: a trapezoid,
 * linear on three runs. So everything here is one sum,
 *
 *     S = sum over integers d in [a, b) of (w0 + w1 (d - a)) f(d)
 *
 * With m = b - a, the middle x = a + (m-1)/2 and t = d - x the odd powers of t cancel, and no large numbers subtract:
 *     pieces   f linear: m (wx fx + w1 f1 (m^2 - 1)/12)
 *     waves    sum of cos(wt) = sin(mh)/sin(h), h = w/2; sum of t sin(wt) is minus its derivative by w, a power series
 *              where mw is small
 *     growing  e^(l d), l complex: geometric series from the end where it is largest
 *     smooth   Gauss and Legendre's quadrature on runs that double in length away from 0, plus Gauss' formula for the
 *              difference of a sum and an integral */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "core/field_impl.h"

/* ---- data ------------------------------------------------------------------------------------------- */

void profile_init(struct profile *p, enum profile_kind kind)
{
    *p = (struct profile){.kind = kind};
}

void profile_done(struct profile *p)
{
    double *const array[] = {p->w, p->c, p->s, p->grow, p->from, p->at, p->slope};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        free(array[i]);
    profile_init(p, p->kind);
}

static void reserve(struct profile *p, double **const array[], size_t n)
{
    if (p->n < p->capacity)
        return;
    p->capacity = p->capacity ? 2 * p->capacity : 16;
    for (size_t i = 0; i < n; i++)
        *array[i] = xreallocarray(*array[i], p->capacity, sizeof **array[i]);
}

void profile_add_growing_wave(struct profile *p, double w, double c, double s, double grow)
{
    reserve(p, (double **const[]){&p->w, &p->c, &p->s, &p->grow}, 4);
    p->w[p->n] = w;
    p->c[p->n] = c;
    p->s[p->n] = s;
    p->grow[p->n++] = grow;
}

void profile_add_wave(struct profile *p, double w, double c, double s)
{
    profile_add_growing_wave(p, w, c, s, 0);
}

void profile_add_piece(struct profile *p, double from, double at, double slope)
{
    reserve(p, (double **const[]){&p->from, &p->at, &p->slope}, 3);
    p->from[p->n] = from;
    p->at[p->n] = at;
    p->slope[p->n++] = slope;
}

/* ---- pieces ----------------------------------------------------------------------------------------- */

/* The last piece that starts at or before d. */
static size_t piece_of(const struct profile *p, double d)
{
    size_t low = 0, high = p->n;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        *(p->from[middle] <= d ? &low : &high) = middle;
    }
    return low;
}

static double piece_at(const struct profile *p, size_t k, double d)
{
    double anchor = isfinite(p->from[k]) ? p->from[k] : p->n > 1 ? p->from[1] : 0;
    return p->at[k] + p->slope[k] * (d - anchor);
}

static double piece_end(const struct profile *p, size_t k)
{
    return k + 1 < p->n ? ceil(p->from[k + 1]) : INFINITY;
}

static double sum_pieces(const struct profile *p, double a, double b, double w0, double w1)
{
    double sum = 0;
    for (size_t k = piece_of(p, a); a < b; k++) {
        double end = fmin(b, piece_end(p, k)), m = end - a, middle = (m - 1) / 2;
        if (m <= 0)
            continue;
        sum += m * ((w0 + w1 * middle) * piece_at(p, k, a + middle) + w1 * p->slope[k] * (m * m - 1) / 12);
        w0 += w1 * m;
        a = end;
    }
    return sum;
}

/* A linear piece is largest at one of its ends. */
static double max_pieces(const struct profile *p, double a, double b)
{
    double max = -INFINITY;
    for (size_t k = piece_of(p, a); a < b; k++) {
        double end = fmin(b, piece_end(p, k));
        if (end <= a)
            continue;
        max = fmax(max, fmax(piece_at(p, k, a), piece_at(p, k, end - 1)));
        a = end;
    }
    return max;
}

/* ---- waves ------------------------------------------------------------------------------------------ */

/* Sums of t^2, t^4, t^6, t^8 over m points a step apart, centred at 0. */
static void power_sums(double m, double sum[4])
{
    double m2 = m * m, p = m * (m2 - 1) / 12;
    sum[0] = p;
    sum[1] = p * (3 * m2 - 7) / 20;
    sum[2] = p * ((3 * m2 - 18) * m2 + 31) / 112;
    sum[3] = p * (((5 * m2 - 55) * m2 + 239) * m2 - 381) / 960;
}

double profile_mean_wave(double w, double m)
{
    double h = w / 2, s = sin(h);
    return s == 0 ? 1 : sin(m * h) / (m * s);       /* w a multiple of 2 pi does not occur: pi is no double */
}

/* *even: sum of cos(wt), *odd: sum of t sin(wt). */
static void centred_wave(double w, double m, double *even, double *odd)
{
    double h = w / 2, s = sin(h), c = cos(h), sm = sin(m * h), cm = cos(m * h), p[4], x = w * w;
    *even = s == 0 ? m : sm / s;
    if (m * fabs(w) > 0.2) {
        *odd = (sm * c - m * cm * s) / (2 * s * s);
        return;
    }
    power_sums(m, p);
    *odd = w * (p[0] - x / 6 * (p[1] - x / 20 * (p[2] - x / 42 * p[3])));
}

static double sum_wave(const struct profile *p, size_t k, double a, double m, double w0, double w1)
{
    double middle = (m - 1) / 2, turn = p->w[k] * (a + middle), c = cos(turn), s = sin(turn), even, odd;
    centred_wave(p->w[k], m, &even, &odd);
    return (w0 + w1 * middle) * even * (p->c[k] * c + p->s[k] * s) + w1 * odd * (p->s[k] * c - p->c[k] * s);
}

/* e^l - 1 without cancellation. */
static double complex expm1_complex(double complex l)
{
    double g = creal(l), w = cimag(l), s = sin(w / 2);
    return expm1(g) * cos(w) - 2 * s * s + I * exp(g) * sin(w);
}

/* sum[0]: of e^(l t), sum[1]: of t e^(l t), t = 0 .. m-1; the real part of l is not positive. */
static void geometric(double complex l, double m, double complex sum[2])
{
    if (m * cabs(l) > 0.2) {
        double complex one = expm1_complex(l), all = expm1_complex(m * l);
        sum[0] = all / one;
        sum[1] = (m * cexp(m * l) - (1 + one) * sum[0]) / one;
        return;
    }
    double p[4], middle = (m - 1) / 2;
    double complex x = l * l, turn = cexp(l * middle);
    power_sums(m, p);
    double complex even = m + x / 2 * (p[0] + x / 12 * (p[1] + x / 30 * (p[2] + x / 56 * p[3])));
    double complex odd = l * (p[0] + x / 6 * (p[1] + x / 20 * (p[2] + x / 42 * p[3])));
    sum[0] = turn * even;
    sum[1] = turn * (odd + middle * even);
}

double complex profile_mean_growing(double complex l, double m)
{
    double complex sum[2];
    geometric(l, m, sum);
    return sum[0] / m;
}

static double sum_growing(const struct profile *p, size_t k, double a, double m, double w0, double w1)
{
    double complex l = p->grow[k] + I * p->w[k], sum[2];
    if (p->grow[k] > 0) {           /* from the other end */
        a += m - 1;
        w0 += w1 * (m - 1);
        w1 = -w1;
        l = -l;
    }
    geometric(l, m, sum);
    double complex turn = cexp(I * p->w[k] * a) * (w0 * sum[0] + w1 * sum[1]);
    return exp(p->grow[k] * a) * (p->c[k] * creal(turn) + p->s[k] * cimag(turn));
}

static double sum_waves(const struct profile *p, double a, double b, double w0, double w1)
{
    double sum = 0;
    for (size_t k = 0; k < p->n; k++)
        sum += (p->grow[k] != 0 ? sum_growing : sum_wave)(p, k, a, b - a, w0, w1);
    return sum;
}

/* ---- smooth ----------------------------------------------------------------------------------------- */

enum {
    NEAR = 32,          /* distances summed one by one: nearer ones are too close to the kink at 0, fewer are not worth a rule */
    FAR = 16384,        /* beyond it the third difference is below rounding */
    NODES = 10
};

/* f on one side of 0 with its weight, as a function of u = |d|. */
struct ray {
    const struct profile *p;
    double sign, w0, w1;        /* weight w0 + w1 u */
};

static double ray_at(const struct ray *r, double u)
{
    return (r->w0 + r->w1 * u) * r->p->smooth(r->p->enc, r->p->head, r->sign * u);
}

/* Integral of f minus its sum over the integers below x + 1/2, from central differences at the half-integer x. */
static double end_term(const struct ray *r, double x)
{
    double f[6];
    if (x > FAR)
        return (ray_at(r, x + 0.5) - ray_at(r, x - 0.5)) / 24;
    for (int i = 0; i < 6; i++)
        f[i] = ray_at(r, x - 2.5 + i);
    double d1 = f[3] - f[2], d3 = f[4] - 3 * f[3] + 3 * f[2] - f[1];
    double d5 = f[5] - 5 * f[4] + 10 * f[3] - 10 * f[2] + 5 * f[1] - f[0];
    return d1 / 24 - 17 * d3 / 5760 + 367 * d5 / 967680;
}

/* Sum over u in [a, b), NEAR <= a, b <= 2a: the nearest singularity is as far as the run is long. Half of the nodes do where it is
 * eight times as far. */
static double sum_run(const struct ray *r, double a, double b)
{
    static const double node[2][NODES / 2] = {
        {0.1488743389816312, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845, 0.9739065285171717},
        {0, 0.5384693101056831, 0.9061798459386640}};
    static const double weight[2][NODES / 2] = {
        {0.2955242247147529, 0.2692667193099963, 0.2190863625159820, 0.1494513491505806, 0.0666713443086881},
        {0.2844444444444445, 0.4786286704993665, 0.2369268850561891}};
    double half = (b - a) / 2, middle = (a + b - 1) / 2, sum = 0;
    int few = 8 * (b - a) <= a;
    for (int i = 0; i < (few ? 3 : 5); i++)
        sum += weight[few][i] * (ray_at(r, middle - half * node[few][i]) + ray_at(r, middle + half * node[few][i]));
    return half * sum - end_term(r, b - 0.5) + end_term(r, a - 0.5);
}

static double sum_ray(const struct ray *r, double a, double b)
{
    double sum = 0;
    while (a < b) {
        double end = fmin(b, a < NEAR ? NEAR : 2 * a);
        if (end - a <= NEAR)
            for (double u = a; u < end; u++)
                sum += ray_at(r, u);
        else
            sum += sum_run(r, a, end);
        a = end;
    }
    return sum;
}

static double sum_smooth(const struct profile *p, double a, double b, double w0, double w1)
{
    struct ray right = {p, 1, w0 - w1 * a, w1}, left = {p, -1, w0 - w1 * a, -w1};
    double sum = b > 0 ? sum_ray(&right, fmax(a, 0), b) : 0;
    return sum + (a < 0 ? sum_ray(&left, fmax(1 - b, 1), 1 - a) : 0);
}

/* How much a run's mean changes if each run is cut in two: what the rule leaves out, with a factor to spare. */
double profile_error(const struct profile *p, double reach)
{
    double worst = 0;
    for (double a = NEAR; p->kind == PROFILE_SMOOTH && a < reach; a *= 2) {
        for (double sign = -1; sign <= 1; sign += 2) {
            struct ray r = {p, sign, 1, 0};
            double whole = sum_ray(&r, a, 2 * a), halves = sum_ray(&r, a, 1.5 * a) + sum_ray(&r, 1.5 * a, 2 * a);
            worst = fmax(worst, 4 * fabs(whole - halves) / a + 1e-15 * fabs(whole) / a);
        }
    }
    return worst;
}

/* ---- all kinds -------------------------------------------------------------------------------------- */

double profile_at(const struct profile *p, double d)
{
    double sum = 0;
    if (p->kind == PROFILE_SMOOTH)
        return p->smooth(p->enc, p->head, d);
    if (p->kind == PROFILE_PIECES)
        return piece_at(p, piece_of(p, d), d);
    for (size_t k = 0; k < p->n; k++)
        sum += (p->c[k] * cos(p->w[k] * d) + p->s[k] * sin(p->w[k] * d)) * (p->grow[k] != 0 ? exp(p->grow[k] * d) : 1);
    return sum;
}

double profile_sum(const struct profile *p, double a, double b, double w0, double w1)
{
    if (a >= b)
        return 0;
    return (p->kind == PROFILE_WAVES ? sum_waves : p->kind == PROFILE_PIECES ? sum_pieces : sum_smooth)(p, a, b, w0, w1);
}

double profile_max(const struct profile *p, double a, double b)
{
    if (p->kind == PROFILE_PIECES)
        return max_pieces(p, a, b);
    double max = -INFINITY;
    for (double d = a; d < b; d++)
        max = fmax(max, profile_at(p, d));
    return max;
}
