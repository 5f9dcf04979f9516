/* attention_pool.c - all rows of attention, pooled into h x w samples by streaming.
 *
 * Keys are kept as float32 (n x d). A group of query rows against all the keys they may see is one matrix product into a buffer of
 * a few MiB; then each row is finished alone: context terms, bias, maximum, exponential, sums into the samples. Whole rows need no
 * running maximum and give CoPE the row it counts over. Groups run on several threads. The sums of floats are short, and everything
 * longer adds in double: a weight is good to about 1e-6 of itself. */
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
    double lowest, top;
    size_t group, stride;               /* rows and row length of a buffer */
    float **buffer;                     /* of each thread */
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
        for (size_t i = 0; i < n * d; i++)
            s->product[p].k[from * d + i] = (float)x[i];
    }
    if (s->vec)
        attention_vectors(s->a, SIDE_KEY, PART_BOTH, token, n, s->vec + from * d);
    for (size_t t = 0; t < s->a->n_terms; t++)
        if (s->pos[t])
            attention_positions(s->a, s->a->term[t].enc, token, n, s->pos[t] + from * (size_t)s->a->term[t].enc->axes);
    free(x);
    return share_done(s, thread);
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

/* z[rows][keys from .. to) = scale q.k. */
static void multiply(const struct stream *s, const struct product *p, const double *query, size_t rows, double from, double to,
                     bool add, float *z)
{
    size_t d = width(s), n = rows * d;
    double *q = xcalloc(n + n / 2 + 1, sizeof *q);
    float *qf = (float *)(q + n);
    make_queries(s->a, p->left, query, rows, q);
    for (size_t i = 0; i < n; i++)
        qf[i] = (float)q[i];
    blas_sgemm_nt(rows, (size_t)(to - from), d, (float)s->a->layer->scale, qf, d, p->k + (size_t)(from - s->first) * d, d, add,
                  z, s->stride);
    free(q);
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

static void publish_row(struct stream *s, size_t i, double query, const struct cells *k)
{
    pthread_mutex_lock(&s->lock);
    for (size_t r = 0; r < s->h; r++) {
        double *sum = s->sum + r * s->w, *count = s->count + r * s->w;
        if (!shows(s, r, i, query))
            continue;
        for (size_t c = 0; c < k->n; c++) {
            s->hidden[r * s->w + c] |= k->begin[c] > k->end[c];
            if (k->begin[c] < k->end[c]) {
                sum[c] += k->value[c];
                count[c] += (double)(k->end[c] - k->begin[c]);
            }
        }
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

/* Buffer of a thread: the logits of a group, the content of all parts if that is another product, a bias. */
static size_t buffer_size(const struct stream *s)
{
    return (s->product[FULL].k ? 2 : 1) * s->group * s->stride + s->stride;
}

static void group_products(struct stream *s, const double *query, size_t rows, double low, double high, float *z, float *full)
{
    if (!s->n_products)
        memset(z, 0, rows * s->stride * sizeof *z);
    for (size_t p = 0; p < s->n_products; p++)
        multiply(s, &s->product[p], query, rows, low, high, p > 0, z);
    if (full != z)
        multiply(s, &s->product[FULL], query, rows, low, high, false, full);
}

static bool group_rows(void *ctx, size_t piece, int thread)
{
    struct stream *s = ctx;
    size_t first = ((s->visited - 1) / s->group - piece) * s->group;        /* the longest rows first */
    size_t rows = s->visited - first < s->group ? s->visited - first : s->group;
    float *z = s->buffer[thread], *full = s->product[FULL].k ? z + s->group * s->stride : z, *scratch = full + s->group * s->stride;
    double query[GROUP], from[GROUP], to[GROUP], *value = xcalloc(s->w, sizeof *value);
    size_t *edges = xcalloc(2 * s->w, sizeof *edges);
    struct cells k = {0, edges, edges + s->w, value};
    struct attention_facts facts = {0};
    for (size_t i = 0; i < rows; i++) {
        query[i] = visited_query(s, first + i);
        attention_run(s->a, query[i], &from[i], &to[i]);
    }
    group_products(s, query, rows, from[0], to[rows - 1], z, full);     /* runs move forward with the query */
    for (size_t i = 0; i < rows; i++) {
        size_t n = (size_t)fmax(to[i] - from[i], 0), at = i * s->stride + (size_t)(from[i] - from[0]);
        double top;
        const float *bias = row_terms(s, query[i], from[i], n, s->product[FULL].left ? full + at : NULL, z + at, scratch, &top);
        find_cells(s, from[i], n, &k);
        finish_row(s, query[i], from[i], n, z + at, bias, top, &k, &facts);
        publish_row(s, first + i, query[i], &k);
    }
    pthread_mutex_lock(&s->lock);
    s->facts.entropy += facts.entropy;
    s->facts.mean_distance += facts.mean_distance;
    pthread_mutex_unlock(&s->lock);
    free(edges);
    free(value);
    return share_done(s, thread);
}

/* ---- the picture -------------------------------------------------------------------------------------- */

static void close_stream(struct stream *s)
{
    void *const owned[] = {s->row, s->col, s->vec, s->by_distance, s->cell, s->sum, s->count, s->hidden};
    for (int t = 0; s->buffer && t < s->a->options.threads; t++)
        free(s->buffer[t]);
    free(s->buffer);
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
    s->buffer = xcalloc(threads, sizeof *s->buffer);
    for (size_t t = 0; t < threads; t++)
        s->buffer[t] = xmalloc(buffer_size(s) * sizeof(float));
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
