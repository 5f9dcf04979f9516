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
#include "core/attention_impl.h"
#include "core/blas.h"
#include "core/field_impl.h"
#include "core/kernel.h"
#include "core/parallel.h"

enum {
    GROUP = 64, GROUP_MIN = 8,  /* query rows of a product */
    PREPARE = 256,              /* keys made at once */
    PRODUCTS = 2, FULL = PRODUCTS
};
static const double buffer_bytes = 8388608;
static const double hook_numbers = 4194304;     /* that hooks make for a product: some ten milliseconds, the time to cancel */

/* Logits of query parts `left` against keys of parts `right`. */
struct product {
    unsigned left, right;
    float *k;                           /* keys x d_head, turned */
    double longest;                     /* of the keys: |k|^2 */
};

struct stream {
    const struct attention *a;
    size_t h, w;
    struct span *row, *col;
    double q0, rows;                    /* the window's queries */
    size_t visited;                     /* how many of them are computed */
    double first, keys;                 /* keys first .. first + keys - 1 are needed */
    size_t *cell;                       /* where each of the w samples begins, then where each ends, counted from first */
    struct product product[PRODUCTS + 1];       /* [FULL]: all parts, where a context term asks for the content */
    size_t n_products;
    bool context, bias, bias_by_row;
    double *vec, *pos[TERMS_MAX];       /* context terms: unturned keys, and their positions for each term */
    float *by_distance;                 /* bias of key - query = lowest, lowest + 1, ..., less top; unless made row by row */
    float *envelope;                    /* largest bias at that distance or beyond it */
    size_t n_distances;
    double lowest, top;
    size_t group, stride;               /* rows and row length of a buffer */
    struct space *space;                /* of each thread */
    double *sum, *count;                /* h x w, under the lock */
    bool *hidden;                       /* samples with pairs of key 0 alone, which is not shown */
    struct attention_facts facts;
    pthread_mutex_t lock;
    size_t done, total;                 /* pieces, for tick */
    bool (*tick)(void *ctx, double share);
    void *ctx;
};

static size_t width(const struct stream *s)
{
    return (size_t)s->a->layer->shape.d_head;
}

/* ---- which products ----------------------------------------------------------------------------------- */

/* Is the bias of the layer a function of the distance? */
static bool bias_by_distance(const struct attention *a)
{
    for (size_t l = 0; l < a->layer->n; l++) {
        const struct enc *e = a->layer->enc[l];
        struct profile p = {0};
        if (!e->kind->bias)
            continue;
        bool by_distance = !a->options.positions && e->kind->distance && e->kind->distance(e, a->options.head, &p);
        profile_done(&p);
        if (!by_distance)
            return false;
    }
    return true;
}

/* Products with the same keys become one: (x + p).(x + p) is one product, x.p + p.x is two. */
static void find_products(struct stream *s)
{
    unsigned right[PART_BOTH + 1] = {0};
    const struct attention *a = s->a;
    for (size_t t = 0; t < a->n_terms; t++) {
        if (attention_wants(a, t) && a->term[t].type == TERM_PRODUCT)
            right[a->term[t].left] |= a->term[t].right;
        s->context |= attention_wants(a, t) && a->term[t].type == TERM_CONTEXT;
        s->bias |= attention_wants(a, t) && a->term[t].type == TERM_BIAS;
    }
    s->bias_by_row = s->bias && !bias_by_distance(a);
    bool silent = a->options.content.type == CONTENT_NONE && !a->projection[0];
    if (right[PART_CONTENT] && right[PART_CONTENT] == right[PART_POSITION])
        s->product[s->n_products++] = (struct product){.left = PART_BOTH, .right = right[PART_CONTENT]};
    else
        for (unsigned left = PART_CONTENT; left <= PART_POSITION && !silent; left++)
            if (right[left])
                s->product[s->n_products++] = (struct product){.left = left, .right = right[left]};
    if (s->context && !silent)
        s->product[FULL] = (struct product){.left = PART_BOTH, .right = PART_BOTH};
}

/* Does the wanted product hold all of the content already? */
static bool full_is_wanted(const struct stream *s)
{
    unsigned all = s->a->projection[0] ? PART_BOTH : PART_CONTENT;
    return s->n_products == 1 && s->product->left == all && s->product->right == all;
}

/* ---- preparing keys ----------------------------------------------------------------------------------- */

static bool share_done(struct stream *s, int thread)
{
    pthread_mutex_lock(&s->lock);
    double share = fmin((double)s->done++ / (double)s->total, 1);
    pthread_mutex_unlock(&s->lock);
    return thread > 0 || !s->tick || s->tick(s->ctx, share);
}

/* NAN if one is. */
static double larger(double x, double y)
{
    return isnan(x) || x >= y ? x : y;
}

/* The largest |x|^2 of n vectors. */
static double longest_of(const float *x, size_t n, size_t d)
{
    double longest = 0;
    for (size_t i = 0; i < n; i++) {
        float square = 0;
        for (size_t c = 0; c < d; c++)
            square += x[i * d + c] * x[i * d + c];
        longest = larger(longest, (double)square);
    }
    return longest;
}

static bool prepare_keys(void *ctx, size_t piece, int thread)
{
    struct stream *s = ctx;
    size_t d = width(s), from = piece * PREPARE, n = (size_t)fmin(PREPARE, s->keys - (double)from);
    double token = s->first + (double)from, *x = xcalloc(n * d, sizeof *x);
    for (size_t p = 0; p <= FULL; p++) {
        if (!s->product[p].k)
            continue;
        attention_vectors(s->a, SIDE_KEY, s->product[p].right, token, n, x);
        attention_turn(s->a, SIDE_KEY, token, n, x);
        float *k = s->product[p].k + from * d;
        for (size_t i = 0; i < n * d; i++)
            k[i] = (float)x[i];
        double longest = s->by_distance ? longest_of(k, n, d) : 0;
        pthread_mutex_lock(&s->lock);
        s->product[p].longest = larger(s->product[p].longest, longest);
        pthread_mutex_unlock(&s->lock);
    }
    if (s->vec)
        attention_vectors(s->a, SIDE_KEY, PART_BOTH, token, n, s->vec + from * d);
    for (size_t t = 0; t < s->a->n_terms; t++)
        if (s->pos[t])
            attention_positions(s->a, s->a->term[t].enc, token, n, s->pos[t] + from * (size_t)s->a->term[t].enc->axes);
    free(x);
    return share_done(s, thread);
}

/* Where by_distance has distance 0. */
static size_t own(const struct stream *s)
{
    return (size_t)-s->lowest;
}

static void make_envelope(struct stream *s)
{
    size_t n = s->n_distances;
    s->envelope = xmalloc(n * sizeof *s->envelope);
    memcpy(s->envelope, s->by_distance, n * sizeof *s->envelope);
    for (size_t i = 1; i < own(s); i++)
        s->envelope[i] = fmaxf(s->envelope[i], s->envelope[i - 1]);
    for (size_t i = n - 1; i-- > own(s) + 1;)
        s->envelope[i] = fmaxf(s->envelope[i], s->envelope[i + 1]);
    s->envelope[own(s)] = INFINITY;
}

/* The bias once for every distance that a visited query sees. */
static void prepare_bias(struct stream *s, double q_min, double q_max, double key_end)
{
    double before = q_max - s->first + 1, after = fmax(key_end - 1 - q_min, 0);
    size_t n = (size_t)(before + after);
    double *bias = xcalloc(n, sizeof *bias);
    attention_biases(s->a, q_max, s->first, (size_t)before, bias);
    if (after > 0)
        attention_biases(s->a, q_min, q_min + 1, (size_t)after, bias + (size_t)before);
    s->top = -INFINITY;
    for (size_t i = 0; i < n; i++)
        s->top = fmax(s->top, bias[i]);
    s->by_distance = xcalloc(n, sizeof *s->by_distance);
    for (size_t i = 0; i < n; i++)
        s->by_distance[i] = (float)(bias[i] - s->top);
    s->lowest = s->first - q_max;
    s->n_distances = n;
    make_envelope(s);
    free(bias);
}

static bool prepare(struct stream *s, double q_min, double q_max)
{
    size_t d = width(s), n = (size_t)s->keys;
    for (size_t p = 0; p <= FULL; p++)
        if (s->product[p].left && !(p == FULL && full_is_wanted(s)))
            s->product[p].k = xmalloc(n * d * sizeof(float));
    if (s->context)
        s->vec = xcalloc(n * d, sizeof *s->vec);
    for (size_t t = 0; t < s->a->n_terms; t++)
        if (attention_wants(s->a, t) && s->a->term[t].type == TERM_CONTEXT)
            s->pos[t] = xcalloc(n * (size_t)s->a->term[t].enc->axes, sizeof(double));
    if (s->bias && !s->bias_by_row)
        prepare_bias(s, q_min, q_max, s->first + s->keys);
    return parallel_for((n + PREPARE - 1) / PREPARE, s->a->options.threads, prepare_keys, s);
}

/* ---- a group of rows ---------------------------------------------------------------------------------- */

static double visited_query(const struct stream *s, size_t i)
{
    return s->q0 + ((double)s->visited == s->rows ? (double)i : floor(((double)i + 0.5) * s->rows / (double)s->visited));
}

/* Turned query vectors of the rows; one by one where they are no run. */
static void make_queries(const struct attention *a, unsigned parts, const double *query, size_t rows, double *q)
{
    size_t d = (size_t)a->layer->shape.d_head, step = query[rows - 1] - query[0] == (double)(rows - 1) ? rows : 1;
    for (size_t i = 0; i < rows; i += step) {
        attention_vectors(a, SIDE_QUERY, parts, query[i], step, q + i * d);
        attention_turn(a, SIDE_QUERY, query[i], step, q + i * d);
    }
}

static void make_float_queries(const struct stream *s, const struct product *p, const double *query, size_t rows, float *q)
{
    size_t n = rows * width(s);
    double *x = xcalloc(n, sizeof *x);
    make_queries(s->a, p->left, query, rows, x);
    for (size_t i = 0; i < n; i++)
        q[i] = (float)x[i];
    free(x);
}

/* z[rows][keys from .. to) = scale q.k. */
static void multiply(const struct stream *s, const struct product *p, const float *q, size_t rows, double from, double to, bool add,
                     float *z)
{
    size_t d = width(s);
    const float *k = p->k + (size_t)(from - s->first) * d;
    blas_sgemm_nt(rows, (size_t)fmax(to - from, 0), d, (float)s->a->layer->scale, q, d, k, d, add, z, s->stride);
}

/* Adds the context terms of a query over the keys from .. from + n - 1 to z; content: scale q.k of all parts there. */
static void add_context(const struct stream *s, double query, double from, size_t n, const float *content, float *z)
{
    const struct attention *a = s->a;
    size_t d = width(s), at = (size_t)(from - s->first);
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

/* Logits of one row, at z: the context terms added. Returns the bias to add, *top less, or NULL. */
static const float *row_terms(const struct stream *s, double query, double from, size_t n, const float *content, float *z,
                              float *scratch, double *top)
{
    *top = 0;
    if (s->context)
        add_context(s, query, from, n, content, z);
    if (!s->bias)
        return NULL;
    *top = s->bias_by_row ? row_bias(s, query, from, n, scratch) : s->top;
    return s->bias_by_row ? scratch : s->by_distance + (size_t)(from - query - s->lowest);
}

/* Keys further left or right of a query than this weigh nothing: see the head of the file. */
struct reach {
    double left, right;
};

static struct reach reach_of(const struct stream *s, const float *q, size_t rows)
{
    struct reach all = {INFINITY, INFINITY};
    double bound = 0;
    if (!s->by_distance || s->context || s->a->options.show != SHOW_PROBABILITY || s->n_products > 1)
        return all;
    if (s->n_products)
        bound = fabs(s->a->layer->scale) * sqrt(longest_of(q, rows, width(s)) * s->product->longest);
    double least = (double)s->by_distance[own(s)] - 2 * bound - 88;
    if (!(least > -1e30))
        return all;
    size_t low = 0, high = own(s), last = s->n_distances - 1;
    while (low < high) {                    /* first distance of weight; the envelope rises up to distance 0 */
        size_t middle = (low + high) / 2;
        *((double)s->envelope[middle] >= least ? &high : &low) = middle + ((double)s->envelope[middle] >= least ? 0 : 1);
    }
    all.left = (double)(own(s) - low);
    for (low = own(s), high = last; low < high;) {          /* and falls after it */
        size_t middle = (low + high + 1) / 2;
        *((double)s->envelope[middle] >= least ? &low : &high) = middle - ((double)s->envelope[middle] >= least ? 0 : 1);
    }
    all.right = (double)(low - own(s));
    return all;
}

/* What a thread works in: the queries of a group, the logits, the content of all parts if that is another product, a bias. */
struct space {
    float *q, *full_q, *z, *full, *scratch;
    struct cells all, near;
};

static struct cells new_cells(size_t w)
{
    size_t *edges = xcalloc(2 * w, sizeof *edges);
    return (struct cells){0, edges, edges + w, xcalloc(w, sizeof(double))};
}

static void open_space(const struct stream *s, struct space *m)
{
    size_t q = s->group * width(s), z = s->group * s->stride;
    bool apart = s->product[FULL].k != NULL;
    m->q = xmalloc((PRODUCTS * q + (apart ? q + z : 0) + z + s->stride) * sizeof *m->q);
    m->z = m->q + PRODUCTS * q;
    m->scratch = m->z + z;
    m->full_q = m->scratch + s->stride;
    m->full = apart ? m->full_q + q : m->z;
    m->all = new_cells(s->w);
    m->near = new_cells(s->w);
}

static void close_space(struct space *m)
{
    free(m->q);
    free(m->all.begin);
    free(m->all.value);
    free(m->near.begin);
    free(m->near.value);
}

/* Logits of rows first .. first + rows - 1 of a group against the keys from low to high. */
static void group_products(const struct stream *s, const struct space *m, size_t first, size_t rows, double low, double high)
{
    size_t q = first * width(s), z = first * s->stride;
    if (!s->n_products)
        memset(m->z + z, 0, rows * s->stride * sizeof *m->z);
    for (size_t p = 0; p < s->n_products; p++)
        multiply(s, &s->product[p], m->q + p * s->group * width(s) + q, rows, low, high, p > 0, m->z + z);
    if (s->product[FULL].k)
        multiply(s, &s->product[FULL], m->full_q + q, rows, low, high, false, m->full + z);
}

static void group_queries(const struct stream *s, const struct space *m, const double *query, size_t rows)
{
    for (size_t p = 0; p < s->n_products; p++)
        make_float_queries(s, &s->product[p], query, rows, m->q + p * s->group * width(s));
    if (s->product[FULL].k)
        make_float_queries(s, &s->product[FULL], query, rows, m->full_q);
}

static bool group_rows(void *ctx, size_t piece, int thread)
{
    struct stream *s = ctx;
    struct space *m = &s->space[thread];
    size_t first = ((s->visited - 1) / s->group - piece) * s->group;        /* the longest rows first */
    size_t rows = s->visited - first < s->group ? s->visited - first : s->group;
    double query[GROUP], from[GROUP], to[GROUP], near[GROUP], end[GROUP], keys = 0;
    struct attention_facts facts = {0};
    for (size_t i = 0; i < rows; i++)
        query[i] = visited_query(s, first + i);
    group_queries(s, m, query, rows);
    struct reach reach = reach_of(s, m->q, rows);
    for (size_t i = 0; i < rows; i++) {
        attention_run(s->a, query[i], &from[i], &to[i]);
        near[i] = fmax(from[i], query[i] - reach.left);
        end[i] = fmin(to[i], query[i] + reach.right + 1);
        keys += fmax(end[i] - near[i], 0);
    }
    bool spread = end[rows - 1] - near[0] > keys;       /* rows of a preview that share no keys; else runs move with the query */
    for (size_t i = 0; i < (spread ? rows : 1); i++)
        group_products(s, m, i, spread ? 1 : rows, near[i], end[spread ? i : rows - 1]);
    for (size_t i = 0; i < rows; i++) {
        size_t n = (size_t)fmax(end[i] - near[i], 0), at = i * s->stride + (spread ? 0 : (size_t)(near[i] - near[0]));
        double top;
        const float *content = s->product[FULL].left ? m->full + at : NULL;
        const float *bias = row_terms(s, query[i], near[i], n, content, m->z + at, m->scratch, &top);
        find_cells(s, from[i], (size_t)fmax(to[i] - from[i], 0), &m->all);
        find_cells(s, near[i], n, &m->near);
        finish_row(s, query[i], near[i], n, m->z + at, bias, top, &m->near, &facts);
        publish_row(s, first + i, query[i], &m->all, &m->near);
    }
    pthread_mutex_lock(&s->lock);
    s->facts.entropy += facts.entropy;
    s->facts.mean_distance += facts.mean_distance;
    pthread_mutex_unlock(&s->lock);
    return share_done(s, thread);
}

/* ---- the picture -------------------------------------------------------------------------------------- */

static void close_stream(struct stream *s)
{
    void *const owned[] = {s->row, s->col, s->vec, s->by_distance, s->envelope, s->cell, s->sum, s->count, s->hidden};
    for (int t = 0; s->space && t < s->a->options.threads; t++)
        close_space(&s->space[t]);
    free(s->space);
    for (size_t p = 0; p <= FULL; p++)
        free(s->product[p].k);
    for (size_t t = 0; t < TERMS_MAX; t++)
        free(s->pos[t]);
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
    double keys = group_keys(s, GROUP), by_hooks = s->context ? keys * (double)width(s) : s->bias_by_row ? keys * 16 : 0;
    double rows = fmax(floor(buffer_bytes / sizeof(float) / (keys + KERNEL_PAD)), GROUP_MIN);
    if (by_hooks > 0)
        rows = fmin(rows, fmax(floor(hook_numbers / by_hooks), 1));
    return (size_t)fmin(rows, GROUP);
}

static bool run_stream(struct stream *s)
{
    double q_min = visited_query(s, 0), q_max = visited_query(s, s->visited - 1), end;
    size_t threads = (size_t)s->a->options.threads;
    attention_run(s->a, q_min, &s->first, &end);
    attention_run(s->a, q_max, &end, &s->keys);
    s->keys -= s->first;
    s->cell = xcalloc(2 * s->w, sizeof *s->cell);
    for (size_t c = 0; c < s->w; c++) {
        s->cell[c] = within(s->col[c].a - s->first, (size_t)s->keys);
        s->cell[s->w + c] = within(s->col[c].b - s->first, (size_t)s->keys);
    }
    s->group = group_size(s);
    s->stride = (size_t)group_keys(s, s->group) + KERNEL_PAD;
    size_t groups = (s->visited + s->group - 1) / s->group;
    s->total = groups + (size_t)ceil(s->keys / PREPARE);
    if (!prepare(s, q_min, q_max))
        return false;
    s->space = xcalloc(threads, sizeof *s->space);
    for (size_t t = 0; t < threads; t++)
        open_space(s, &s->space[t]);
    return parallel_for(groups, (int)threads, group_rows, s);
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
    find_products(&s);
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
