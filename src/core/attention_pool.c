/* attention_pool.c - all rows of attention, pooled into h x w samples by streaming.
 *
 * Keys are kept as float32 (n x d). A group of query rows against all the keys they may see is one matrix product into a buffer of
 * a few MiB; then each row is finished alone: context terms, bias, maximum, exponential, sums into the samples. Whole rows need no
 * running maximum and give CoPE the row it counts over. Groups run on several threads. The sums of floats are short, and everything
 * longer adds in double: a weight is good to about 1e-6 of itself.
 *
 * Keys that no float32 could tell from weight 0 are not computed: with a bias b by distance and |scale q.k| <= S = scale |q| |k|, a
 * key at distance d weighs less than e^-87 of the query's own if b(d) + S < b(0) - S - 87. A steep head of ALiBi sees some
 * hundreds of keys of any text. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/attention_stream.h"
#include "core/blas.h"
#include "core/kernel.h"
#include "core/parallel.h"

enum {
    GROUP = 64, GROUP_MIN = 8,  /* query rows of a product */
    PAIRS = 65536,              /* of a product: some milliseconds, the time to cancel */
    KEY_RUN = 128               /* keys of a run of products with the vectors of their distances */
};
static const double buffer_bytes = 8388608;
static const double hook_numbers = 4194304;     /* that hooks make for a product: some ten milliseconds, the time to cancel */

/* ---- a group of rows ---------------------------------------------------------------------------------- */

static double visited_query(const struct stream *s, size_t i)
{
    return s->q0 + ((double)s->visited == s->rows ? (double)i : floor(((double)i + 0.5) * s->rows / (double)s->visited));
}

/* Rows that are computed together. */
struct group {
    size_t rows;
    double query[GROUP], from[GROUP], to[GROUP];        /* the keys they see */
    double near[GROUP], end[GROUP];                     /* and those that are computed: within reach */
    bool run;                                           /* consecutive queries */
};

/* scale q of the parts, turned; or q itself, unturned. As float32. */
static void make_queries(const struct stream *s, const struct group *g, unsigned parts, bool turned, float *out)
{
    size_t d = stream_width(s), step = g->run ? g->rows : 1;
    double *x = xcalloc(g->rows * d, sizeof *x);
    attention_queries(s->a, parts, g->query, g->rows, x);
    for (size_t i = 0; i < g->rows && turned; i += step)
        attention_turn(s->a, SIDE_QUERY, g->query[i], step, x + i * d);
    for (size_t c = 0; c < g->rows * d; c++)
        out[c] = (float)(turned ? s->a->layer->scale * x[c] : x[c]);
    free(x);
}

/* z[rows][keys of the product from .. to) = q.k, or more by it. */
static void multiply(const struct stream *s, const struct product *p, const float *q, size_t rows, double from, double to, bool add,
                     float *z)
{
    size_t d = stream_width(s), n = (size_t)(to - from);
    const float *k = p->k + (size_t)(from - s->first) * d;
    if (rows > 1) {
        blas_sgemm_nt(rows, n, d, 1, q, d, k, d, add, z, s->stride);
        return;
    }
    if (!add)
        memset(z, 0, n * sizeof *z);
    kernel_dots(q, 0, k, n, d, z);
}

/* Adds the context terms of a query over the keys from .. from + n - 1 to z; content: scale q.k of all parts there. */
static void add_context(const struct stream *s, double query, double from, size_t n, const float *content, float *z)
{
    const struct attention *a = s->a;
    size_t d = stream_width(s), at = (size_t)(from - s->first);
    double *q = xcalloc(d + (size_t)a->layer->axes + 2 * n, sizeof *q);
    double *pos = q + d, *whole = pos + a->layer->axes, *out = whole + n;
    attention_vectors(a, SIDE_QUERY, PART_BOTH, query, 1, q);
    for (size_t j = 0; j < n && content; j++)
        whole[j] = (double)content[j];
    for (size_t t = 0; t < a->n_terms; t++) {
        if (!s->pos[t])
            continue;
        const struct enc *e = a->term[t].enc;
        attention_positions(a, e, query, 1, pos);
        struct query of_query = {pos, q};
        struct keys keys = {.n = n, .pos = s->pos[t] + at * (size_t)e->axes, .vec = s->vec + at * d, .content = whole};
        e->kind->context(e, a->term[t].index, a->options.head, &of_query, &keys, out);
        for (size_t j = 0; j < n; j++)
            z[j] += (float)out[j];
    }
    free(q);
}

/* The bias of a query over n keys, less its largest, which is returned: a constant of the row, and large in BLOOM's form. */
static double row_bias(const struct stream *s, double query, double from, size_t n, float *out)
{
    double *bias = xcalloc(n, sizeof *bias), top = -INFINITY;
    attention_biases(s->a, query, from, n, bias);
    for (size_t j = 0; j < n; j++)
        top = fmax(top, bias[j]);
    for (size_t j = 0; j < n; j++)
        out[j] = (float)(bias[j] - top);
    free(bias);
    return top;
}

/* The keys of each sample among the n of a row that start at from: [begin, end). begin > end: it has the first key alone, and that
 * one is not shown. */
struct cells {
    size_t n;                   /* the first n samples; the others lie beyond the row's keys */
    size_t *begin, *end;
    double *value;              /* what is shown, added up */
};

static size_t within(double x, size_t n)
{
    return x < 0 ? 0 : x > (double)n ? n : (size_t)x;
}

static size_t cut(size_t x, size_t least, size_t n)
{
    x = x > least ? x - least : 0;
    return x < n ? x : n;
}

/* hide_sink leaves the first key out. */
static void find_cells(const struct stream *s, double from, size_t n, struct cells *k)
{
    size_t skipped = (size_t)(from - s->first), shown = s->a->options.hide_sink ? within(1 - s->a->options.memory - from, n) : 0;
    for (k->n = 0; k->n < s->w && s->cell[k->n] < skipped + n; k->n++) {
        k->begin[k->n] = cut(s->cell[k->n], skipped, n);
        k->end[k->n] = cut(s->cell[s->w + k->n], skipped, n);
        k->value[k->n] = 0;
    }
    for (size_t c = 0; c < k->n && shown; c++)
        if (k->begin[c] < shown)
            k->begin[c] = k->begin[c] < k->end[c] && k->end[c] <= shown ? k->end[c] + 1 : shown;
}

/* Finishes a row: what is shown of each sample to k, the row's entropy and distance to facts. */
static void finish_row(const struct stream *s, double query, double from, size_t n, float *z, const float *bias, double top,
                       struct cells *k, struct attention_facts *facts)
{
    enum attention_show show = s->a->options.show;
    float max = kernel_add(z, n, bias);
    if (show != SHOW_PROBABILITY)
        kernel_pool(z, k->begin, k->end, k->n, 1, k->value);
    struct kernel_sums sums = kernel_exp(z, n, max, (float)(from - query));
    double weight = isfinite(max) ? sums.weight : NAN, shift = show == SHOW_LOGIT ? top : -((double)max + log(weight));
    if (show == SHOW_PROBABILITY)
        kernel_pool(z, k->begin, k->end, k->n, 1 / weight, k->value);
    for (size_t c = 0; c < k->n && show != SHOW_PROBABILITY; c++)
        if (k->begin[c] < k->end[c])
            k->value[c] += shift * (double)(k->end[c] - k->begin[c]);
    facts->entropy += log(weight) - sums.weight_logit / weight;
    facts->mean_distance += sums.weight_distance / weight;
}

/* Does sample r show visited query number i? */
static bool shows(const struct stream *s, size_t r, size_t i, double query)
{
    if (s->visited < s->h && (double)s->visited < s->rows)
        return (size_t)(((double)r + 0.5) * (double)s->visited / (double)s->h) == i;
    return s->row[r].a <= query && query < s->row[r].b;
}

/* near: the samples' values, from the keys that were computed; all: how many keys they have. */
static void publish_row(struct stream *s, size_t i, double query, const struct cells *all, const struct cells *near)
{
    pthread_mutex_lock(&s->lock);
    for (size_t r = 0; r < s->h; r++) {
        double *sum = s->sum + r * s->w, *count = s->count + r * s->w;
        if (!shows(s, r, i, query))
            continue;
        for (size_t c = 0; c < all->n; c++) {
            s->hidden[r * s->w + c] |= all->begin[c] > all->end[c];
            if (all->begin[c] < all->end[c])
                count[c] += (double)(all->end[c] - all->begin[c]);
        }
        for (size_t c = 0; c < near->n; c++)
            sum[c] += near->value[c];
    }
    pthread_mutex_unlock(&s->lock);
}

/* Entry of tables by distance. */
static size_t at_distance(const struct stream *s, double query, double key)
{
    return (size_t)(key - query - s->lowest);
}

/* Logits of one row, at z: the context terms added. Returns the bias to add, *top less, or NULL. */
static const float *row_terms(const struct stream *s, double query, double from, size_t n, const float *content, float *z,
                              float *scratch, double *top)
{
    *top = 0;
    if (s->context)
        add_context(s, query, from, n, content, z);
    if (s->by_key)
        kernel_add(z, n, s->by_key + (size_t)(from - s->first));
    if (!s->bias)
        return NULL;
    *top = s->bias_by_row ? row_bias(s, query, from, n, scratch) : s->top;
    return s->bias_by_row ? scratch : s->by_distance + at_distance(s, query, from);
}

/* Keys further left or right of a query than this weigh nothing: see the head of the file. */
struct reach {
    double left, right;
};

static struct reach reach_of(const struct stream *s, const float *q, size_t rows)
{
    struct reach all = {INFINITY, INFINITY};
    double bound = 0;
    if (!s->by_distance || s->context || s->n_relative || s->a->options.show != SHOW_PROBABILITY || s->n_products > 1)
        return all;
    if (s->n_products)
        bound = sqrt(stream_longest(q, rows, stream_width(s)) * s->product->longest);
    double least = (double)s->by_distance[stream_own(s)] - 2 * bound - 88;
    if (!(least > -1e30))
        return all;
    size_t low = 0, high = stream_own(s), last = s->n_distances - 1;
    while (low < high) {                    /* first distance of weight; the envelope rises up to distance 0 */
        size_t middle = (low + high) / 2;
        *((double)s->envelope[middle] >= least ? &high : &low) = middle + ((double)s->envelope[middle] >= least ? 0 : 1);
    }
    all.left = (double)(stream_own(s) - low);
    for (low = stream_own(s), high = last; low < high;) {          /* and falls after it */
        size_t middle = (low + high + 1) / 2;
        *((double)s->envelope[middle] >= least ? &low : &high) = middle - ((double)s->envelope[middle] >= least ? 0 : 1);
    }
    all.right = (double)(low - stream_own(s));
    return all;
}

/* What a thread works in: the queries of a group, unturned ones for terms by distance, the logits, the content of all parts if that
 * is another product, a product with all distances, a bias. */
struct space {
    float *q, *full_q, *plain_q, *z, *full, *shifted, *scratch;
    struct cells all, near;
};

static struct cells new_cells(size_t w)
{
    size_t *edges = xcalloc(2 * w, sizeof *edges);
    return (struct cells){0, edges, edges + w, xcalloc(w, sizeof(double))};
}

static void open_space(const struct stream *s, struct space *m)
{
    size_t q = s->group * stream_width(s), z = s->group * s->stride, shifted = PAIRS + s->group * (GROUP + KERNEL_PAD);
    bool apart = s->product[FULL].k != NULL;
    m->q = xmalloc((PRODUCTS * q + z + s->stride) * sizeof *m->q);
    m->z = m->q + PRODUCTS * q;
    m->scratch = m->z + z;
    m->full_q = apart ? xmalloc((q + z) * sizeof *m->full_q) : NULL;
    m->full = apart ? m->full_q + q : m->z;
    m->plain_q = s->n_relative ? xmalloc((q + shifted) * sizeof *m->plain_q) : NULL;
    m->shifted = s->n_relative ? m->plain_q + q : NULL;
    m->all = new_cells(s->w);
    m->near = new_cells(s->w);
}

static void close_space(struct space *m)
{
    free(m->q);
    free(m->full_q);
    free(m->plain_q);
    free(m->all.begin);
    free(m->all.value);
    free(m->near.begin);
    free(m->near.value);
}

/* Rows first .. first + rows - 1 of a group, and a stretch of the keys that any of them sees: low is where their logits begin. */
struct tile {
    const struct group *g;
    size_t first, rows;
    double low, from, to;
};

static float *tile_row(const struct stream *s, const struct space *m, const struct tile *t, size_t i, double key)
{
    return m->z + i * s->stride + (size_t)(key - t->low);
}

/* z += q_i.r(i - j) for a run of rows: the products with all distances that they see, read by each row from its own on. */
static void add_shifted(const struct stream *s, const struct space *m, const float *r, const struct tile *t)
{
    const double *query = t->g->query + t->first;
    size_t d = stream_width(s), stride = PAIRS / t->rows + GROUP, least = at_distance(s, query[t->rows - 1], t->from);
    size_t n = at_distance(s, query[0], t->to) - least;
    blas_sgemm_nt(t->rows, n, d, 1, m->plain_q + t->first * d, d, r + least * d, d, false, m->shifted, stride);
    for (size_t i = 0; i < t->rows; i++)
        kernel_add(tile_row(s, m, t, t->first + i, t->from), (size_t)(t->to - t->from),
                   m->shifted + i * stride + at_distance(s, query[i], t->from) - least);
}

/* z += x.r(i - j), x the query or the key of each pair. A run of keys at a time, so that they and their distances stay at hand for
 * all rows. */
static void add_pairs(const struct stream *s, const struct space *m, const struct relative_term *term, const struct tile *t)
{
    size_t d = stream_width(s);
    for (double run = t->from; run < t->to; run += KEY_RUN)
        for (size_t i = t->first; i < t->first + t->rows; i++) {
            double key = fmax(run, t->g->near[i]), end = fmin(fmin(run + KEY_RUN, t->to), t->g->end[i]);
            if (key >= end)
                continue;
            const float *r = term->r + at_distance(s, t->g->query[i], key) * d;
            if (term->side == RELATIVE_QUERY)
                kernel_dots(m->plain_q + i * d, 0, r, (size_t)(end - key), d, tile_row(s, m, t, i, key));
            else
                kernel_dots(stream_plain(s) + (size_t)(key - s->first) * d, d, r, (size_t)(end - key), d, tile_row(s, m, t, i, key));
        }
}

static void tile_products(const struct stream *s, const struct space *m, const struct tile *t)
{
    size_t q = t->first * stream_width(s);
    float *z = tile_row(s, m, t, t->first, t->from);
    for (size_t i = 0; i < t->rows && !s->n_products; i++)
        memset(z + i * s->stride, 0, (size_t)(t->to - t->from) * sizeof *z);
    for (size_t p = 0; p < s->n_products; p++)
        multiply(s, &s->product[p], m->q + p * s->group * stream_width(s) + q, t->rows, t->from, t->to, p > 0, z);
    if (s->product[FULL].k)
        multiply(s, &s->product[FULL], m->full_q + q, t->rows, t->from, t->to, false, m->full + (z - m->z));
    for (size_t i = 0; i < s->n_relative; i++)
        if (s->relative[i].side == RELATIVE_QUERY && t->g->run && t->rows > 1)
            add_shifted(s, m, s->relative[i].r, t);
        else if (s->relative[i].r)
            add_pairs(s, m, &s->relative[i], t);
}

/* Logits of rows first .. first + rows - 1 against the keys that any of them sees. */
static bool group_products(struct stream *s, const struct space *m, const struct group *g, size_t first, size_t rows, int thread)
{
    double low = g->near[first], high = g->end[first + rows - 1];
    bool going = true;
    size_t keys = PAIRS / rows;
    for (double from = low; from < high && going; from += (double)keys) {
        tile_products(s, m, &(struct tile){g, first, rows, low, from, fmin(from + (double)keys, high)});
        going = stream_tick(s, 0, thread);
    }
    return going;
}

static void group_queries(const struct stream *s, const struct space *m, const struct group *g)
{
    for (size_t p = 0; p < s->n_products; p++)
        make_queries(s, g, s->product[p].left, true, m->q + p * s->group * stream_width(s));
    if (s->product[FULL].k)
        make_queries(s, g, s->product[FULL].left, true, m->full_q);
    if (s->n_relative)
        make_queries(s, g, PART_BOTH, false, m->plain_q);
}

/* Visited queries first .. first + rows - 1, their vectors and their runs of keys; returns how many pairs these are. */
static double open_group(const struct stream *s, const struct space *m, size_t first, size_t rows, struct group *g)
{
    double keys = 0;
    g->rows = rows;
    for (size_t i = 0; i < rows; i++)
        g->query[i] = visited_query(s, first + i);
    g->run = g->query[rows - 1] - g->query[0] == (double)(rows - 1);
    group_queries(s, m, g);
    struct reach reach = reach_of(s, m->q, rows);
    for (size_t i = 0; i < rows; i++) {
        attention_run(s->a, g->query[i], &g->from[i], &g->to[i]);
        g->near[i] = fmax(g->from[i], g->query[i] - reach.left);
        g->end[i] = fmin(g->to[i], g->query[i] + reach.right + 1);
        keys += fmax(g->end[i] - g->near[i], 0);
    }
    return keys;
}

static void add_facts(struct stream *s, const struct attention_facts *facts)
{
    pthread_mutex_lock(&s->lock);
    s->facts.entropy += facts->entropy;
    s->facts.mean_distance += facts->mean_distance;
    pthread_mutex_unlock(&s->lock);
}

static bool group_rows(void *ctx, size_t piece, int thread)
{
    struct stream *s = ctx;
    struct space *m = &s->space[thread];
    struct group g;
    struct attention_facts facts = {0};
    size_t first = ((s->visited - 1) / s->group - piece) * s->group;        /* the longest rows first */
    size_t rows = s->visited - first < s->group ? s->visited - first : s->group;
    double keys = open_group(s, m, first, rows, &g);
    bool spread = g.end[rows - 1] - g.near[0] > keys, going = true;     /* rows of a preview that share no keys; else runs move with the query */
    for (size_t i = 0; i < (spread ? rows : 1) && going; i++)
        going = group_products(s, m, &g, i, spread ? 1 : rows, thread);
    for (size_t i = 0; i < rows && going; i++) {
        size_t n = (size_t)fmax(g.end[i] - g.near[i], 0), at = i * s->stride + (spread ? 0 : (size_t)(g.near[i] - g.near[0]));
        double top;
        const float *content = s->product[FULL].left ? m->full + at : NULL;
        const float *bias = row_terms(s, g.query[i], g.near[i], n, content, m->z + at, m->scratch, &top);
        find_cells(s, g.from[i], (size_t)fmax(g.to[i] - g.from[i], 0), &m->all);
        find_cells(s, g.near[i], n, &m->near);
        finish_row(s, g.query[i], g.near[i], n, m->z + at, bias, top, &m->near, &facts);
        publish_row(s, first + i, g.query[i], &m->all, &m->near);
        going = stream_tick(s, 1, thread);
    }
    add_facts(s, &facts);
    return going;
}

/* ---- the picture -------------------------------------------------------------------------------------- */

static void close_stream(struct stream *s)
{
    void *const owned[] = {s->row, s->col, s->vec, s->plain, s->by_key, s->by_distance, s->envelope, s->cell, s->sum, s->count, s->hidden};
    for (int t = 0; s->space && t < s->a->options.threads; t++)
        close_space(&s->space[t]);
    free(s->space);
    for (size_t p = 0; p <= FULL; p++)
        free(s->product[p].k);
    for (size_t t = 0; t < TERMS_MAX; t++) {
        free(s->pos[t]);
        free(s->relative[t].r);
    }
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    pthread_mutex_destroy(&s->lock);
}

/* Longest row of logits that a group of rows needs. */
static double group_keys(const struct stream *s, size_t group)
{
    double longest = 0;
    for (size_t i = 0; i < s->visited; i += group) {
        double low, high, end;
        attention_run(s->a, visited_query(s, i), &low, &end);
        attention_run(s->a, visited_query(s, i + group < s->visited ? i + group - 1 : s->visited - 1), &end, &high);
        longest = fmax(longest, high - low);
    }
    return longest;
}

/* As many rows as the buffer holds and the hooks make in time. */
static size_t group_size(const struct stream *s)
{
    double keys = group_keys(s, GROUP), by_hooks = s->context ? keys * (double)stream_width(s) : s->bias_by_row ? keys * 16 : 0;
    double rows = fmax(floor(buffer_bytes / sizeof(float) / (keys + KERNEL_PAD)), GROUP_MIN);
    if (by_hooks > 0)
        rows = fmin(rows, fmax(floor(hook_numbers / by_hooks), 1));
    return (size_t)fmin(rows, GROUP);
}

/* Which keys the visited queries see, and at which distances. Groups of terms by distance reach somewhat further. */
static void find_keys(struct stream *s)
{
    double from, to, lowest = 0, highest = 0, further = s->n_relative ? GROUP : 0;
    s->q_min = visited_query(s, 0);
    s->q_max = visited_query(s, s->visited - 1);
    attention_run(s->a, s->q_min, &s->first, &to);
    attention_run(s->a, s->q_max, &from, &to);
    s->keys = to - s->first;
    if (!s->n_relative && (!s->bias || s->bias_by_row))
        return;
    for (size_t i = 0; i < s->visited; i++) {
        attention_run(s->a, visited_query(s, i), &from, &to);
        lowest = fmin(lowest, from - visited_query(s, i));
        highest = fmax(highest, to - 1 - visited_query(s, i));
    }
    s->lowest = lowest - further;
    s->n_distances = (size_t)(1 + highest + further - s->lowest);
}

static bool run_stream(struct stream *s)
{
    size_t threads = (size_t)s->a->options.threads;
    find_keys(s);
    s->cell = xcalloc(2 * s->w, sizeof *s->cell);
    for (size_t c = 0; c < s->w; c++) {
        s->cell[c] = within(s->col[c].a - s->first, (size_t)s->keys);
        s->cell[s->w + c] = within(s->col[c].b - s->first, (size_t)s->keys);
    }
    s->group = group_size(s);
    s->stride = (size_t)group_keys(s, s->group) + KERNEL_PAD;
    s->total = stream_pieces(s) + s->visited;
    if (!stream_prepare(s))
        return false;
    s->space = xcalloc(threads, sizeof *s->space);
    for (size_t t = 0; t < threads; t++)
        open_space(s, &s->space[t]);
    return parallel_for((s->visited + s->group - 1) / s->group, (int)threads, group_rows, s);
}

bool attention_pool(const struct attention *a, struct window win, int h, int w, int rows_preview, double *out,
                    struct pooled *how, struct attention_facts *facts,
                    bool (*tick)(void *ctx, double share), void *ctx)
{
    size_t n = (size_t)h * (size_t)w;
    struct stream s = {.a = a, .h = (size_t)h, .w = (size_t)w, .row = span_split(win.q0, win.q1, (size_t)h),
                       .col = span_split(win.k0, win.k1, (size_t)w), .q0 = fmax(win.q0, 0), .tick = tick, .ctx = ctx};
    s.rows = fmin(win.q1, a->n) - s.q0;
    s.visited = (size_t)fmax(rows_preview > 0 ? fmin(rows_preview, s.rows) : s.rows, 0);
    s.sum = xcalloc(n, sizeof *s.sum);
    s.count = xcalloc(n, sizeof *s.count);
    s.hidden = xcalloc(n, sizeof *s.hidden);
    pthread_mutex_init(&s.lock, NULL);
    stream_find(&s);
    bool all = (double)s.visited == s.rows, going = !s.visited || run_stream(&s);
    for (size_t i = 0; i < n; i++)
        out[i] = s.count[i] > 0 ? s.sum[i] / s.count[i] : s.hidden[i] ? NAN : -INFINITY;
    *how = (struct pooled){.reduce = all && s.rows <= h && win.k1 - win.k0 <= w ? REDUCE_NONE : REDUCE_MEAN,
                           .exact = all, .error = all ? 0 : NAN};
    if (facts)
        *facts = (struct attention_facts){s.facts.entropy / (double)s.visited, s.facts.mean_distance / (double)s.visited};
    close_stream(&s);
    return going;
}
