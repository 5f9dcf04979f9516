/* pool.c - a window of a field reduced to h x w samples.
 *
 *     distance   sums over distances, weighted by the number of pairs at each (profile.c). For waves the mean of a whole block
 *                is a product: the mean of a turned vector over m consecutive positions is the vector turned to their middle,
 *                times sin(mw/2)/(m sin(w/2)), so that one matrix product serves all blocks
 *     product    (mean of the features of the rows) . (mean of the features of the columns)
 *     values     every pair of a block, or some of each block if the window holds too many
 *
 * Where the mask cuts a block, the mean is over its allowed pairs: by distance for the first form, by a running sum of the
 * keys' features for the second. */
#include "core/field_impl.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/blas.h"

enum {
    RUN = 64,               /* tokens at a time */
    SAMPLES = 16,           /* rows and columns of a block where not all are visited */
    FEATURE_SAMPLES = 256,  /* tokens of a span where not all features are made */
    DISTANCES_MAX = 65536   /* values by distance kept for a maximum */
};
static const double pairs_max = 4e6, features_max = 33554432, max_features = 8388608, sampled_features = 134217728;

struct pool {
    const struct field *f;
    size_t h, w;
    struct span *row, *col;             /* of each sample */
    struct window win;
    double *out;
    bool exact;
    bool (*tick)(void *ctx, double share);
    void *ctx;
};

struct span *span_split(double from, double to, size_t n)
{
    struct span *s = xcalloc(n, sizeof *s);
    for (size_t i = 0; i < n; i++) {
        s[i].a = from + floor((double)i * (to - from) / (double)n);
        s[i].b = fmax(from + floor((double)(i + 1) * (to - from) / (double)n), s[i].a + 1);
    }
    return s;
}

static double length(struct span s)
{
    return s.b - s.a;
}

static double centre(struct span s)
{
    return (s.a + s.b - 1) / 2;
}

static bool tick(const struct pool *p, double share)
{
    return !p->tick || p->tick(p->ctx, share);
}

static double clip(double x, double low, double high)
{
    return fmin(fmax(x, low), high);
}

/* ---- allowed pairs of a block ------------------------------------------------------------------------- */

/* The pairs of row x col with from <= i - j < to, met `times` times. */
struct region {
    struct span row, col;
    double from, to, times;
};

static struct region chunk_region(struct span row, struct span col, double start, double size, double times)
{
    struct span r = {fmax(row.a, start), fmin(row.b, start + size)}, c = {fmax(col.a, start), fmin(col.b, start + size)};
    return (struct region){r, c, 0, INFINITY, r.a < r.b && c.a < c.b ? times : 0};
}

/* The chunks between the first and the last are whole, and alike by distance. */
static size_t chunk_regions(double size, struct span row, struct span col, struct region out[3])
{
    double first = floor(fmax(row.a, col.a) / size), last = floor((fmin(row.b, col.b) - 1) / size);
    size_t n = 0;
    if (first <= last)
        out[n++] = chunk_region(row, col, first * size, size, 1);
    if (first < last)
        out[n++] = chunk_region(row, col, last * size, size, 1);
    if (first + 1 < last)
        out[n++] = chunk_region(row, col, (first + 1) * size, size, last - first - 1);
    return n;
}

static size_t regions(struct mask m, struct span row, struct span col, struct region out[3])
{
    if (m.type == MASK_CHUNKED && m.size >= 1)
        return chunk_regions(m.size, row, col, out);
    double size = floor(m.size);
    out[0] = (struct region){row, col, 0, INFINITY, 1};
    if (m.type == MASK_NONE || m.type == MASK_WINDOW)
        out[0].from = m.type == MASK_NONE ? -INFINITY : -size;
    if (m.type == MASK_SLIDING || m.type == MASK_WINDOW)
        out[0].to = m.type == MASK_SLIDING ? size : size + 1;
    return 1;
}

static double weights(double a, double b, double w0, double w1)
{
    double m = b - a;
    return m * (w0 + w1 * (m - 1) / 2);
}

/* Sum over the region's pairs of the profile; their number if it is NULL. The pairs at a distance rise from 1 to the shorter
 * side, stay, and fall. */
static double region_sum(const struct profile *p, const struct region *g)
{
    double m = fmin(length(g->row), length(g->col)), longer = fmax(length(g->row), length(g->col));
    double low = g->row.a - g->col.b + 1, end = g->row.b - g->col.a, sum = 0;
    const double from[] = {low, low + m, low + longer, end}, w0[] = {1, m, m - 1}, w1[] = {1, 0, -1};
    for (int i = 0; i < 3 && g->times > 0; i++) {
        double a = fmax(from[i], g->from), b = fmin(from[i + 1], g->to);
        if (a < b)
            sum += (p ? profile_sum(p, a, b, w0[i] + w1[i] * (a - from[i]), w1[i])
                      : weights(a, b, w0[i] + w1[i] * (a - from[i]), w1[i]));
    }
    return g->times * sum;
}

static double regions_sum(const struct profile *p, const struct region *g, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += region_sum(p, g + i);
    return sum;
}

static double allowed(const struct pool *p, size_t r, size_t c)
{
    struct region g[3];
    return regions_sum(NULL, g, regions(p->f->options.mask, p->row[r], p->col[c], g));
}

/* ---- distance ----------------------------------------------------------------------------------------- */

/* Adds waves of constant amplitude to all blocks. Positions count from origin: only differences matter, and smaller angles
 * are rounded less. */
static void add_waves(const struct pool *p, const struct profile *f, double origin)
{
    size_t d = 2 * f->n;
    double *x = xcalloc((p->h + p->w) * d, sizeof *x), *y = x + p->h * d;
    for (size_t r = 0; r < p->h; r++)
        for (size_t k = 0; k < f->n; k++) {
            double t = f->w[k] * (centre(p->row[r]) - origin), m = profile_mean_wave(f->w[k], length(p->row[r]));
            x[r * d + 2 * k] = m * cos(t);
            x[r * d + 2 * k + 1] = m * sin(t);
        }
    for (size_t c = 0; c < p->w; c++)
        for (size_t k = 0; k < f->n; k++) {
            double t = f->w[k] * (centre(p->col[c]) - origin), m = profile_mean_wave(f->w[k], length(p->col[c]));
            y[c * d + 2 * k] = m * (f->c[k] * cos(t) - f->s[k] * sin(t));
            y[c * d + 2 * k + 1] = m * (f->c[k] * sin(t) + f->s[k] * cos(t));
        }
    blas_dgemm_nt(p->h, p->w, d, 1, x, d, y, d, 1, p->out, p->w);
    free(x);
}

/* Mean of a growing wave over a span. Spans have two lengths at most, so the last one is kept. */
struct growing_mean {
    double complex l, of;
    double length;
};

static double complex mean_over(struct growing_mean *m, struct span s)
{
    if (m->length != length(s))
        *m = (struct growing_mean){m->l, profile_mean_growing(m->l, length(s)), length(s)};
    return m->of;
}

/* Adds waves whose amplitude grows or decays with the distance. Sums run from the corner of the block where they are largest,
 * so that nothing overflows on the way; there is no product, since e^(grow i) alone may have no double. */
static void add_growing(const struct pool *p, const struct profile *f, double origin)
{
    double complex *x = xcalloc(p->h + p->w, sizeof *x), *y = x + p->h;
    bool both_sides = p->f->options.mask.type == MASK_NONE || p->f->options.mask.type == MASK_WINDOW;
    for (size_t k = 0; k < f->n; k++) {
        size_t first = 0;               /* sample of the columns that is not too far from the row's for a value */
        double grow = f->grow[k], w = f->w[k];
        bool decays = grow <= 0;
        struct growing_mean mean = {.l = decays ? grow + I * w : -grow - I * w};
        for (size_t r = 0; r < p->h; r++)
            x[r] = cexp(I * w * ((decays ? p->row[r].a : p->row[r].b - 1) - origin)) * mean_over(&mean, p->row[r]);
        for (size_t c = 0; c < p->w; c++)
            y[c] = cexp(-I * w * ((decays ? p->col[c].b - 1 : p->col[c].a) - origin)) * mean_over(&mean, p->col[c]) *
                   (f->c[k] - I * f->s[k]);
        for (size_t r = 0; r < p->h; r++) {
            while (decays && first < p->w && grow * (p->row[r].a - p->col[first].b + 1) <= -745)
                first++;
            for (size_t c = first; c < p->w && (both_sides || p->col[c].a < p->row[r].b); c++) {
                double d = decays ? p->row[r].a - p->col[c].b + 1 : p->row[r].b - 1 - p->col[c].a;
                double real = creal(x[r]) * creal(y[c]) - cimag(x[r]) * cimag(y[c]);
                if (grow * d > -745)        /* below, e^ is 0; far above, it is no double */
                    p->out[r * p->w + c] += grow * d > 709 ? NAN : exp(grow * d) * real;
            }
        }
    }
    free(x);
}

static bool grows(const struct profile *f)
{
    for (size_t k = 0; f->kind == PROFILE_WAVES && k < f->n; k++)
        if (f->grow[k] != 0)
            return true;
    return false;
}

/* The allowed pairs' mean of the parts that no product has added yet, for a whole block; of all of them for a cut one. */
static double block_mean(const struct pool *p, const struct region *g, size_t n, double pairs, bool whole)
{
    double mean = 0;
    for (size_t i = 0; i < p->f->n_parts; i++) {
        const struct profile *f = &p->f->part[i];
        if (!whole || f->kind != PROFILE_WAVES)
            mean += regions_sum(f, g, n) / pairs;
    }
    return mean;
}

static bool mean_distance(struct pool *p)
{
    struct mask mask = p->f->options.mask;
    double origin = floor((p->win.q0 + p->win.k0) / 2);
    for (size_t i = 0; i < p->f->n_parts; i++)
        if (p->f->part[i].kind == PROFILE_WAVES)
            (grows(&p->f->part[i]) ? add_growing : add_waves)(p, &p->f->part[i], origin);
    for (size_t r = 0; r < p->h; r++) {
        for (size_t c = 0; c < p->w; c++) {
            struct region g[3];
            size_t n = regions(mask, p->row[r], p->col[c], g);
            double pairs = regions_sum(NULL, g, n), all = length(p->row[r]) * length(p->col[c]), *out = p->out + r * p->w + c;
            double value = (pairs == all ? *out : 0) + block_mean(p, g, n, pairs, pairs == all);
            *out = pairs == 0 ? -INFINITY : isfinite(value) ? value : NAN;
        }
        if (!tick(p, (double)(r + 1) / (double)p->h))
            return false;
    }
    return true;
}

static double range_max(const struct pool *p, const double *value, double low, double a, double b)
{
    double max = -INFINITY;
    if (!value)
        return profile_max(p->f->part, a, b);
    for (double d = a; d < b; d++)
        max = fmax(max, value[(size_t)(d - low)]);
    return max;
}

static bool max_distance(struct pool *p)
{
    const struct field *f = p->f;
    double low = p->win.q0 - p->win.k1 + 1, n = p->win.q1 - p->win.k0 - low, *value = NULL;
    bool going = true;
    if (f->n_parts > 1 || f->part->kind != PROFILE_PIECES) {
        value = xcalloc((size_t)n, sizeof *value);
        for (size_t i = 0; i < (size_t)n; i++)
            for (size_t k = 0; k < f->n_parts; k++)
                value[i] += profile_at(&f->part[k], low + (double)i);
    }
    for (size_t r = 0; r < p->h && going; r++) {
        for (size_t c = 0; c < p->w; c++) {
            struct region g[3];
            size_t m = regions(f->options.mask, p->row[r], p->col[c], g);
            double max = -INFINITY;
            for (size_t i = 0; i < m; i++) {
                double a = fmax(g[i].row.a - g[i].col.b + 1, g[i].from), b = fmin(g[i].row.b - g[i].col.a, g[i].to);
                if (g[i].times > 0 && a < b)
                    max = fmax(max, range_max(p, value, low, a, b));
            }
            p->out[r * p->w + c] = max;
        }
        going = tick(p, (double)(r + 1) / (double)p->h);
    }
    free(value);
    return going;
}

/* ---- product ------------------------------------------------------------------------------------------ */

/* The i-th of m tokens that stand for a span: all of them, or evenly spread ones. */
static double sample(struct span s, size_t i, size_t m)
{
    return (double)m == length(s) ? s.a + (double)i : s.a + floor(((double)i + 0.5) * length(s) / (double)m);
}

static bool any_nan(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(x[i]))
            return true;
    return false;
}

/* Mean of the features of m tokens of a span. One undefined row makes the mean undefined, so it ends there. */
static void mean_features(const struct field *f, enum side side, struct span s, size_t m, double *buffer, double *out)
{
    double token[RUN];
    memset(out, 0, f->width * sizeof *out);
    for (size_t i = 0; i < m && !any_nan(out, f->width); i += RUN) {
        size_t n = m - i < RUN ? m - i : RUN;
        for (size_t j = 0; j < n; j++)
            token[j] = sample(s, i + j, m);
        field_features(f, side, token, n, buffer);
        for (size_t j = 0; j < n; j++)
            for (size_t c = 0; c < f->width; c++)
                out[c] += buffer[j * f->width + c] / (double)m;
    }
}

/* So many samples that a picture of wide features stays bounded: n of them cost `numbers` each. */
static size_t bounded(double n, double numbers, size_t least, size_t most)
{
    return (size_t)fmin(fmax(sampled_features / (n * numbers), (double)least), (double)most);
}

static bool all_means(struct pool *p, enum side side, double *buffer, double *out)
{
    size_t n = side == SIDE_QUERY ? p->h : p->w;
    double tokens = p->win.q1 - p->win.q0 + p->win.k1 - p->win.k0;
    bool all = tokens * (double)p->f->width <= features_max;
    size_t most = bounded((double)(p->h + p->w), (double)p->f->width, 8, FEATURE_SAMPLES);
    for (size_t i = 0; i < n; i++) {
        struct span s = side == SIDE_QUERY ? p->row[i] : p->col[i];
        bool whole = all || length(s) <= (double)most;
        p->exact = p->exact && whole;
        mean_features(p->f, side, s, whole ? (size_t)length(s) : most, buffer, out + i * p->f->width);
        if (!tick(p, ((double)i / (double)n + (side == SIDE_KEY)) / 3))
            return false;
    }
    return true;
}

/* Features of tokens asked for in ascending order. */
struct reader {
    const struct field *f;
    enum side side;
    double first;               /* of the RUN tokens in row */
    double *row;
};

static const double *reader_row(struct reader *r, double token)
{
    if (!(token >= r->first && token < r->first + RUN)) {
        double tokens[RUN];
        for (size_t i = 0; i < RUN; i++)
            tokens[i] = token + (double)i;
        field_features(r->f, r->side, tokens, RUN, r->row);
        r->first = token;
    }
    return r->row + (size_t)(token - r->first) * r->f->width;
}

static void add(double *sum, const double *x, double factor, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum[i] += factor * x[i];
}

/* Mean over the allowed pairs of a block: the sum of the allowed keys moves with the query. */
static double cut_mean(const struct field *f, struct span row, struct span col, double pairs, double *buffer)
{
    size_t d = f->width;
    struct reader query = {f, SIDE_QUERY, NAN, buffer}, enter = {f, SIDE_KEY, NAN, buffer + RUN * d},
                  leave = {f, SIDE_KEY, NAN, buffer + 2 * RUN * d};
    double *keys = buffer + 3 * RUN * d, sum = 0, in = col.a, out = col.a;       /* keys of [out, in) are in the sum */
    memset(keys, 0, d * sizeof *keys);
    for (double i = row.a; i < row.b && !isnan(sum); i++) {
        double from, to;
        mask_run(f->options.mask, i, INFINITY, &from, &to);
        from = clip(ceil(from), col.a, col.b);
        to = clip(ceil(to), col.a, col.b);
        if (from >= in) {
            memset(keys, 0, d * sizeof *keys);
            in = out = from;
        }
        for (; in < to; in++)
            add(keys, reader_row(&enter, in), 1, d);
        for (; out < from; out++)
            add(keys, reader_row(&leave, out), -1, d);
        const double *x = from < to ? reader_row(&query, i) : NULL;
        for (size_t c = 0; x && c < d; c++)
            sum += x[c] * keys[c] / pairs;
    }
    return sum;
}

/* ---- values ------------------------------------------------------------------------------------------- */

/* Queries of a block that see a key of it: runs move forward with the query, so they are a span. */
static struct span seeing(struct mask m, struct span row, struct span col)
{
    struct span s = {row.b, row.b};
    double from, to, low = row.a, high = row.b;
    while (low < high) {                            /* first whose run ends beyond col.a */
        double middle = floor((low + high) / 2);
        mask_run(m, middle, INFINITY, &from, &to);
        *(to > col.a ? &high : &low) = middle + (to > col.a ? 0 : 1);
    }
    s.a = low;
    for (high = row.b; low < high;) {               /* first whose run begins at or beyond col.b */
        double middle = floor((low + high) / 2);
        mask_run(m, middle, INFINITY, &from, &to);
        *(from >= col.b ? &high : &low) = middle + (from >= col.b ? 0 : 1);
    }
    s.b = low;
    return s;
}

/* Mean or maximum over at most `most` queries of the block and as many of the allowed keys of each. */
static double visit(const struct field *f, struct span row, struct span col, size_t most, enum reduce reduce, double *buffer)
{
    struct span s = seeing(f->options.mask, row, col);
    size_t m = (size_t)fmin(length(s), (double)most);
    double sum = 0, pairs = 0, max = -INFINITY, *key = buffer, *value = buffer + most;
    for (size_t i = 0; i < m; i++) {
        double q = sample(s, i, m), from, to;
        mask_run(f->options.mask, q, INFINITY, &from, &to);
        struct span run = {clip(ceil(from), col.a, col.b), clip(ceil(to), col.a, col.b)};
        size_t n = (size_t)fmin(length(run), (double)most);
        if (!n)
            continue;
        for (size_t j = 0; j < n; j++)
            key[j] = sample(run, j, n);
        field_values(f, &q, 1, key, n, value);
        double of_row = 0;
        for (size_t j = 0; j < n; j++) {
            of_row += value[j];
            max = isnan(value[j]) || isnan(max) ? NAN : fmax(max, value[j]);
        }
        sum += of_row / (double)n * length(run);
        pairs += length(run);
    }
    return !(pairs > 0) ? -INFINITY : reduce == REDUCE_MAX ? max : sum / pairs;
}

static double pairs_of(const struct pool *p)
{
    return (p->win.q1 - p->win.q0) * (p->win.k1 - p->win.k0);
}

static bool visit_all(struct pool *p, enum reduce reduce)
{
    double longest = 0;
    bool all = pairs_of(p) <= pairs_max, going = true;
    for (size_t r = 0; r < p->h; r++)
        longest = fmax(longest, length(p->row[r]));
    for (size_t c = 0; c < p->w; c++)
        longest = fmax(longest, length(p->col[c]));
    size_t most = all ? (size_t)longest : SAMPLES;
    double *buffer = xcalloc(2 * most, sizeof *buffer);
    p->exact = p->exact && (all || longest <= SAMPLES);
    for (size_t r = 0; r < p->h && going; r++) {
        for (size_t c = 0; c < p->w; c++)
            p->out[r * p->w + c] = visit(p->f, p->row[r], p->col[c], most, reduce, buffer);
        going = tick(p, (double)(r + 1) / (double)p->h);
    }
    free(buffer);
    return going;
}

static bool mean_product(struct pool *p)
{
    size_t d = p->f->width;
    double *x = xcalloc((p->h + p->w + 3 * RUN + 1) * d, sizeof *x), *y = x + p->h * d, *buffer = y + p->w * d;
    bool going = all_means(p, SIDE_QUERY, buffer, x) && all_means(p, SIDE_KEY, buffer, y);
    if (going)
        blas_dgemm_nt(p->h, p->w, d, 1, x, d, y, d, 0, p->out, p->w);
    double sampled[2 * SAMPLES];
    size_t most = bounded((double)p->h * SAMPLES, (double)d, 4, SAMPLES);       /* a cut block a row, so many queries and keys of it */
    for (size_t r = 0; r < p->h && going; r++) {
        for (size_t c = 0; c < p->w; c++) {
            double pairs = allowed(p, r, c), all = length(p->row[r]) * length(p->col[c]), *out = p->out + r * p->w + c;
            if (pairs == 0)
                *out = -INFINITY;
            else if (pairs < all)
                *out = p->exact ? cut_mean(p->f, p->row[r], p->col[c], pairs, buffer)
                                : visit(p->f, p->row[r], p->col[c], most, REDUCE_MEAN, sampled);
        }
        going = tick(p, (2 + (double)(r + 1) / (double)p->h) / 3);
    }
    free(x);
    return going;
}

static void all_features(const struct field *f, enum side side, double from, double to, double *out)
{
    double token[RUN];
    for (double t = from; t < to; t += RUN) {
        size_t n = (size_t)fmin(RUN, to - t);
        for (size_t j = 0; j < n; j++)
            token[j] = t + (double)j;
        field_features(f, side, token, n, out + (size_t)(t - from) * f->width);
    }
}

static void max_of_row(const struct pool *p, size_t r, double query, const double *value)
{
    double from, to;
    mask_run(p->f->options.mask, query, INFINITY, &from, &to);
    for (size_t c = 0; c < p->w; c++) {
        double *max = p->out + r * p->w + c, end = clip(ceil(to), p->col[c].a, p->col[c].b);
        for (double j = clip(ceil(from), p->col[c].a, p->col[c].b); j < end; j++) {
            double v = value[(size_t)(j - p->win.k0)];
            *max = isnan(v) || isnan(*max) ? NAN : fmax(v, *max);
        }
    }
}

static bool max_product(struct pool *p)
{
    size_t d = p->f->width, rows = (size_t)(p->win.q1 - p->win.q0), cols = (size_t)(p->win.k1 - p->win.k0);
    double *x = xcalloc((rows + cols) * d + cols, sizeof *x), *y = x + rows * d, *value = y + cols * d;
    bool going = true;
    all_features(p->f, SIDE_QUERY, p->win.q0, p->win.q1, x);
    all_features(p->f, SIDE_KEY, p->win.k0, p->win.k1, y);
    for (size_t i = 0; i < p->h * p->w; i++)
        p->out[i] = -INFINITY;
    for (size_t r = 0; r < p->h && going; r++) {
        for (double i = p->row[r].a; i < p->row[r].b; i++) {
            blas_dgemm_nt(1, cols, d, 1, x + (size_t)(i - p->win.q0) * d, d, y, d, 0, value, cols);
            max_of_row(p, r, i, value);
        }
        going = tick(p, (double)(r + 1) / (double)p->h);
    }
    free(x);
    return going;
}

/* ---- one pair a sample -------------------------------------------------------------------------------- */

static double middle(struct span s)
{
    return s.a + floor((length(s) - 1) / 2);
}

static bool nearest(struct pool *p)
{
    double *q = xcalloc(p->h + p->w, sizeof *q), *k = q + p->h;
    for (size_t r = 0; r < p->h; r++)
        q[r] = middle(p->row[r]);
    for (size_t c = 0; c < p->w; c++)
        k[c] = middle(p->col[c]);
    field_values(p->f, q, p->h, k, p->w, p->out);
    for (size_t r = 0; r < p->h; r++)
        for (size_t c = 0; c < p->w; c++)
            if (!mask_allows(p->f->options.mask, q[r], k[c]))
                p->out[r * p->w + c] = -INFINITY;
    free(q);
    return tick(p, 1);
}

/* ---- choosing ----------------------------------------------------------------------------------------- */

static bool can_max(const struct pool *p)
{
    const struct field *f = p->f;
    double tokens = p->win.q1 - p->win.q0 + p->win.k1 - p->win.k0;
    if (f->form == FORM_DISTANCE)
        return (f->n_parts == 1 && f->part->kind == PROFILE_PIECES) || tokens <= DISTANCES_MAX;
    return pairs_of(p) <= pairs_max && tokens * (double)f->width <= max_features;
}

static bool mean(struct pool *p)
{
    return p->f->form == FORM_DISTANCE ? mean_distance(p) : p->f->form == FORM_PRODUCT ? mean_product(p)
                                                                                       : visit_all(p, REDUCE_MEAN);
}

static double stated_error(const struct pool *p)
{
    double error = 0, reach = fmax(fabs(p->win.q1 - p->win.k0), fabs(p->win.q0 - p->win.k1));
    for (size_t i = 0; p->f->form == FORM_DISTANCE && i < p->f->n_parts; i++)
        error += profile_error(&p->f->part[i], reach);
    return error;
}

bool field_pool(const struct field *f, struct window win, enum reduce wanted, int h, int w, double *out,
                struct pooled *how, bool (*tick_fn)(void *ctx, double share), void *ctx)
{
    struct pool p = {.f = f, .h = (size_t)h, .w = (size_t)w, .row = span_split(win.q0, win.q1, (size_t)h),
                     .col = span_split(win.k0, win.k1, (size_t)w), .win = win, .out = out, .exact = true,
                     .tick = tick_fn, .ctx = ctx};
    bool single = win.q1 - win.q0 <= h && win.k1 - win.k0 <= w, going;
    *how = (struct pooled){.reduce = single ? REDUCE_NONE : wanted == REDUCE_MAX && can_max(&p) ? REDUCE_MAX
                                                        : wanted == REDUCE_NEAREST            ? REDUCE_NEAREST
                                                                                              : REDUCE_MEAN};
    memset(out, 0, p.h * p.w * sizeof *out);
    if (how->reduce == REDUCE_NONE || how->reduce == REDUCE_NEAREST)
        going = nearest(&p);
    else if (how->reduce == REDUCE_MEAN)
        going = mean(&p);
    else
        going = f->form == FORM_DISTANCE ? max_distance(&p) : f->form == FORM_PRODUCT ? max_product(&p) : visit_all(&p, REDUCE_MAX);
    how->error = !p.exact ? NAN : how->reduce == REDUCE_MEAN ? stated_error(&p) : 0;
    how->exact = how->error == 0;
    free(p.row);
    free(p.col);
    return going;
}
