#include "core/matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { MAX_NUMBERS = 1 << 24 };     /* rows computed one by one: at most this many numbers a picture */

double mean_turn(double w, double m)
{
    double s = sin(w / 2);
    return fabs(s) < 1e-12 ? cos(m * w / 2) / cos(w / 2) : sin(m * w / 2) / (m * s);
}

size_t matrix_channels(const struct enc *e, enum matrix_kind kind)
{
    if (kind == MATRIX_ROW)
        return e->kind->row ? (size_t)e->shape.d_model : 0;
    return e->kind->spectrum ? e->kind->spectrum(e)->n : 0;
}

static double turn_value(const struct spectrum *f, enum matrix_kind kind, double position, size_t k)
{
    double t = position * f->inv_freq[k];
    switch (kind) {
    case MATRIX_COS: return f->attention_factor * cos(t);
    case MATRIX_SIN: return f->attention_factor * sin(t);
    default:         return t / (2 * M_PI) - floor(t / (2 * M_PI));
    }
}

void matrix_row(const struct enc *e, enum matrix_kind kind, double position, double *out)
{
    double pos[TABLE_MAX_RANK];
    enc_places(e, &position, 1, pos);
    if (kind == MATRIX_ROW)
        e->kind->row(e, pos, 1, out);
    for (size_t k = 0; kind != MATRIX_ROW && k < matrix_channels(e, kind); k++)
        out[k] = turn_value(e->kind->spectrum(e), kind, position, k);
}

double matrix_at(const struct enc *e, enum matrix_kind kind, double position, size_t channel)
{
    if (kind != MATRIX_ROW)
        return turn_value(e->kind->spectrum(e), kind, position, channel);
    double *row = xmalloc((size_t)e->shape.d_model * sizeof *row);
    matrix_row(e, kind, position, row);
    double value = row[channel];
    free(row);
    return value;
}

void matrix_order(const struct enc *e, enum matrix_kind kind, enum channel_order order, size_t *out)
{
    size_t n = matrix_channels(e, kind), at = 0;
    const struct spectrum *f = e->kind->spectrum ? e->kind->spectrum(e) : NULL;
    for (size_t i = 0; i < n; i++)
        out[i] = i;
    if (order == ORDER_AS_HELD || kind != MATRIX_ROW || !f || 2 * f->n > n)
        return;
    char *seen = xcalloc(n, 1);
    for (int second = 0; second < 2; second++) {
        for (size_t k = 0; k < f->n; k++) {
            size_t channel = (size_t)(second ? f->b[k] : f->a[k]);
            if (channel < n && !seen[channel])
                out[at++] = channel, seen[channel] = 1;
        }
    }
    for (size_t i = 0; i < n; i++)
        if (!seen[i])
            out[at++] = i;
    free(seen);
}

/* Mean of the rows from..to-1 by computing each. */
static bool mean_of_rows(const struct enc *e, double from, double to, double *mean)
{
    size_t d = (size_t)e->shape.d_model;
    double *row = xmalloc(d * sizeof *row), pos[TABLE_MAX_RANK];
    memset(mean, 0, d * sizeof *mean);
    for (double p = from; p < to; p++) {
        enc_places(e, &p, 1, pos);
        e->kind->row(e, pos, 1, row);
        for (size_t c = 0; c < d; c++)
            mean[c] += row[c] / (to - from);
    }
    free(row);
    return true;
}

/* One block of positions: the mean of each channel. A row whose pairs are in the spectrum is, at consecutive positions, its row at
 * the middle with each pair shortened by mean_turn; the middle may lie between two positions, which a sinusoid allows. */
static void block_of_row(const struct enc *e, double from, double to, bool closed, double *mean)
{
    double m = to - from, pos[TABLE_MAX_RANK];
    if (!closed) {
        mean_of_rows(e, from, to, mean);
        return;
    }
    const struct spectrum *f = e->kind->spectrum(e);
    double middle = from + (m - 1) / 2;
    enc_places(e, &middle, 1, pos);
    e->kind->row(e, pos, 1, mean);
    for (size_t k = 0; k < f->n; k++) {
        double shorter = mean_turn(f->inv_freq[k], m);
        if (f->a[k] >= 0)
            mean[f->a[k]] *= shorter;
        if (f->b[k] >= 0)
            mean[f->b[k]] *= shorter;
    }
}

static void block_of_turns(const struct enc *e, enum matrix_kind kind, double from, double to, double *mean)
{
    const struct spectrum *f = e->kind->spectrum(e);
    double m = to - from, middle = from + (m - 1) / 2;
    for (size_t k = 0; k < f->n; k++)
        mean[k] = kind == MATRIX_ANGLE ? turn_value(f, kind, floor(middle), k) : turn_value(f, kind, middle, k) * mean_turn(f->inv_freq[k], m);
}

bool matrix_pool(const struct enc *e, enum matrix_kind kind, const size_t *order, struct window win, int h, int w, double *out,
                 struct pooled *how, bool (*tick)(void *ctx, double share), void *ctx)
{
    size_t n = matrix_channels(e, kind);
    double rows = win.q1 - win.q0, cols = win.k1 - win.k0;
    bool closed = e->kind->spectrum && e->axes == 1;
    double *mean = xmalloc(n * sizeof *mean);
    bool sampled = kind == MATRIX_ROW && !closed && rows * (double)n > MAX_NUMBERS, good = true;
    for (int r = 0; r < h && good; r++) {
        double from = win.q0 + floor(r * rows / h), to = fmax(from + 1, win.q0 + floor((r + 1) * rows / h));
        if (sampled)
            from = floor((from + to - 1) / 2), to = from + 1;
        if (kind == MATRIX_ROW)
            block_of_row(e, from, to, closed, mean);
        else
            block_of_turns(e, kind, from, to, mean);
        for (int c = 0; c < w; c++) {
            size_t c0 = (size_t)(win.k0 + floor(c * cols / w)), c1 = (size_t)fmax((double)c0 + 1, win.k0 + floor((c + 1) * cols / w));
            double sum = 0;
            for (size_t i = c0; i < c1 && i < n; i++)
                sum += mean[order[i]];
            out[(size_t)r * (size_t)w + (size_t)c] = sum / (double)(c1 - c0);
        }
        good = !tick || tick(ctx, (double)(r + 1) / h);
    }
    free(mean);
    bool one = rows <= h && cols <= w;
    *how = (struct pooled){.reduce = one ? REDUCE_NONE : kind == MATRIX_ANGLE || sampled ? REDUCE_NEAREST : REDUCE_MEAN,
                           .exact = !sampled, .error = sampled ? NAN : 0};
    return good;
}
