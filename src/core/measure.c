/* measure.c - numbers about an encoding. */
#include "core/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/field.h"

static const double pi = 3.14159265358979323846;

/* ---- turns -------------------------------------------------------------------------------------------- */

double measure_when_trained(const struct spectrum *s, size_t k)
{
    bool off = s->band && s->band[k] == BAND_OFF;
    return off || !s->unscaled ? s->inv_freq[k] : s->unscaled[k];
}

double measure_turns(double inv_freq, double length)
{
    return length * inv_freq / (2 * pi);
}

double measure_wavelength(double inv_freq)
{
    return inv_freq == 0 ? INFINITY : 2 * pi / fabs(inv_freq);
}

size_t measure_unfinished(const struct spectrum *s, double length)
{
    size_t n = 0;
    for (size_t k = 0; k < s->n; k++)
        n += measure_wavelength(measure_when_trained(s, k)) > length;
    return n;
}

size_t measure_slow(const struct spectrum *s, double length, double angle)
{
    size_t n = 0;
    for (size_t k = 0; k < s->n; k++)
        n += fabs(s->inv_freq[k]) * (length - 1) < angle;
    return n;
}

/* Training turned the pairs without scaling, the target turns them with it. Interpolation by exactly target/trained lands on the
 * trained angle but for rounding. */
size_t measure_unseen(const struct spectrum *s, double trained, double target)
{
    size_t n = 0;
    for (size_t k = 0; k < s->n; k++) {
        double before = fabs(measure_when_trained(s, k)) * trained, after = fabs(s->inv_freq[k]) * target;
        n += before < 2 * pi && after > before * (1 + 1e-9);
    }
    return n;
}

double measure_rotation_cosine(const struct spectrum *a, const struct spectrum *b, double position)
{
    double sum = 0;
    for (size_t k = 0; k < a->n; k++)
        sum += cos(position * (a->inv_freq[k] - b->inv_freq[k]));
    return sum / (double)a->n;
}

/* ---- the window of a head with a bias ----------------------------------------------------------------- */

enum { RUN = 1024 };    /* distances whose bias is made at once */

struct head {
    const struct layer *layer;
    int head;
    double query, max;      /* the largest bias: weights are e^(bias - max) */
};

/* out[i] = bias at distance d + i, i < n. */
static void run_of_biases(const struct head *h, double d, size_t n, double *out)
{
    enum { AXES = 4 };
    double q_pos[AXES], k_pos[AXES * RUN], key[RUN], one[RUN];
    memset(out, 0, n * sizeof *out);
    for (size_t l = 0; l < h->layer->n; l++) {
        const struct enc *e = h->layer->enc[l];
        if (!e->kind->bias)
            continue;
        for (size_t i = 0; i < n; i++)
            key[i] = h->query - d - (double)i;
        enc_places(e, &h->query, 1, q_pos);
        enc_places(e, key, n, k_pos);
        e->kind->bias(e, h->head, q_pos, k_pos, n, one);
        for (size_t i = 0; i < n; i++)
            out[i] += one[i];
    }
}

/* The weights of RUN distances: their sum, in units of e^max. */
struct run { double max, sum; };

static struct run run_of_weights(const struct head *h, double d, size_t n)
{
    double bias[RUN];
    struct run r = {.max = -INFINITY};
    run_of_biases(h, d, n, bias);
    for (size_t i = 0; i < n; i++)
        r.max = fmax(r.max, bias[i]);
    for (size_t i = 0; i < n; i++)
        r.sum += exp(bias[i] - r.max);
    return r;
}

/* The distance in a run at which the weight, `before` up to the run, reaches stop. */
static double reach(const struct head *h, double d, size_t n, double before, double stop)
{
    double bias[RUN];
    run_of_biases(h, d, n, bias);
    for (size_t i = 0; i < n; i++)
        if ((before += exp(bias[i] - h->max)) >= stop)
            return d + (double)i;
    return d + (double)n - 1;
}

static size_t run_length(double n, size_t r)
{
    return (size_t)fmin(RUN, n - (double)r * RUN);
}

/* The biases are made once, and once more in the runs where a share is reached. */
static bool visit_runs(struct head *h, double n, const double *share, size_t n_shares, double *at, bool (*tick)(void *, double), void *ctx)
{
    size_t n_runs = (size_t)ceil(n / RUN);
    struct run *run = xcalloc(n_runs, sizeof *run);
    double all = 0;
    bool going = true;
    h->max = -INFINITY;
    for (size_t r = 0; r < n_runs && going; r++) {
        run[r] = run_of_weights(h, (double)r * RUN, run_length(n, r));
        h->max = fmax(h->max, run[r].max);
        going = !tick || tick(ctx, (double)(r + 1) / (double)n_runs);
    }
    for (size_t r = 0; r < n_runs; r++)
        all += run[r].sum *= exp(run[r].max - h->max);
    for (size_t k = 0; k < n_shares && going; k++) {
        double stop = share[k] * all, before = 0;
        size_t r = 0;
        while (r + 1 < n_runs && before + run[r].sum < stop)
            before += run[r++].sum;
        at[k] = isnan(all) ? NAN : reach(h, (double)r * RUN, run_length(n, r), before, stop);  /* a key without a bias, beyond a table, has no share */
    }
    free(run);
    return going;
}

/* Weight of the distances below n, or, where it reaches stop first, the distance that does in *at: a geometric series a piece. */
static double visit_pieces(const struct profile *p, double max, double n, double stop, double *at)
{
    double sum = 0;
    for (size_t k = 0; k < p->n; k++) {
        double a = fmax(ceil(p->from[k]), 0), b = fmin(k + 1 < p->n ? ceil(p->from[k + 1]) : INFINITY, n);
        if (a >= b)
            continue;
        double first = exp(profile_at(p, a) - max), slope = p->slope[k], step = expm1(slope);
        double all = first * (step == 0 ? b - a : expm1(slope * (b - a)) / step);
        if (sum + all >= stop) {
            double rest = fmax(stop - sum, 0) / first, count = step == 0 ? rest : log1p(rest * step) / slope;
            *at = fmin(a + fmax(ceil(count * (1 - 1e-15)) - 1, 0), b - 1);
            return stop;
        }
        sum += all;
    }
    return sum;
}

static bool only_pieces(const struct layer *layer, int head, struct profile *p)
{
    const struct enc *e = layer_bias(layer);
    for (size_t l = 0; l < layer->n; l++)
        if (layer->enc[l] != e && layer->enc[l]->kind->bias)
            return false;
    return e->kind->distance && e->kind->distance(e, head, p) && p->kind == PROFILE_PIECES;
}

bool measure_windows(const struct layer *layer, int head, double n, const double *share, size_t n_shares, double *at, bool (*tick)(void *, double),
                     void *ctx)
{
    struct profile p = {0};
    struct head h = {.layer = layer, .head = head, .query = n - 1};
    bool going = true;
    for (size_t k = 0; k < n_shares; k++)
        at[k] = layer_bias(layer) ? n - 1 : NAN;
    if (!layer_bias(layer))
        return true;
    if (only_pieces(layer, head, &p)) {
        double max = profile_max(&p, 0, n), all = visit_pieces(&p, max, n, INFINITY, at);
        for (size_t k = 0; k < n_shares; k++)
            visit_pieces(&p, max, n, share[k] * all, &at[k]);
    } else {
        going = visit_runs(&h, n, share, n_shares, at, tick, ctx);
    }
    profile_done(&p);
    return going;
}

double measure_window_keys(const struct layer *layer, int head, double n)
{
    enum { KEYS = 1000000, WAVES = 1 << 28 };
    struct profile p = {0};
    const struct enc *e = layer_bias(layer);
    bool waves = e && e->kind->distance && e->kind->distance(e, head, &p) && p.kind == PROFILE_WAVES;
    double most = waves ? floor(WAVES / fmax((double)p.n, 1)) : KEYS;
    profile_done(&p);
    return fmin(n, fmin(KEYS, most));
}

double measure_window(const struct layer *layer, int head, double n, double share)
{
    double at;
    measure_windows(layer, head, n, &share, 1, &at, NULL, NULL);
    return at;
}

/* ---- matrices and rows -------------------------------------------------------------------------------- */

/* Variance within the diagonals against all of it, over the entries that have a value. */
double measure_distance_share(const double *x, size_t n)
{
    double *sum = xcalloc(4 * n, sizeof *sum), *count = sum + 2 * n, all = 0, total = 0, between = 0, entries = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double v = x[i * n + j];
            if (!isfinite(v))
                continue;
            sum[i + n - j] += v;
            count[i + n - j]++;
            all += v;
            entries++;
        }
    double mean = all / entries;
    for (size_t i = 0; i < n * n; i++)
        total += isfinite(x[i]) ? (x[i] - mean) * (x[i] - mean) : 0;
    for (size_t d = 0; d < 2 * n; d++)
        if (count[d] > 0)
            between += count[d] * (sum[d] / count[d] - mean) * (sum[d] / count[d] - mean);
    free(sum);
    double rounding = entries * pow(1e-14 * mean, 2);       /* of equal values */
    return total > rounding ? between / total : NAN;
}
