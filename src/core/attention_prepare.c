/* attention_prepare.c - what a streamed picture of attention makes once: keys as float32, and tables by distance.
 *
 * A bias that is a function of the distance is one number a distance. A context term that is a product with a vector r of the
 * distance, q_i.r(i - j) or k_j.r(i - j), needs r once a distance; then a group of queries against all distances is one matrix
 * product, of which each row is read from its own distance on (Transformer-XL's shift). So such terms cost what the content costs. */
#include "core/attention_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/kernel.h"
#include "core/linear.h"
#include "core/parallel.h"

enum { PIECE = 256, PIECE_MIN = 16 };           /* keys or distances made at once */
static const double piece_numbers = 131072;     /* inputs that they may have: some milliseconds, the time to cancel */

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

/* A term by distance, or by its hook row by row. */
static void find_context(struct stream *s, size_t t)
{
    const struct term *term = &s->a->term[t];
    const struct encoding *kind = term->enc->kind;
    enum relative side = RELATIVE_NO;
    if (!s->a->options.positions && kind->relative)
        side = kind->relative(term->enc, term->index, s->a->options.head, NULL, 0, NULL);
    if (side == RELATIVE_NO)
        s->context = s->by_hook[t] = true;
    else if (side != RELATIVE_ZERO)
        s->relative[s->n_relative++] = (struct relative_term){term, side, NULL};
}

/* Products with the same keys become one: (x + p).(x + p) is one product, x.p + p.x is two. */
void stream_find(struct stream *s)
{
    unsigned right[PART_BOTH + 1] = {0};
    const struct attention *a = s->a;
    for (size_t t = 0; t < a->n_terms; t++) {
        if (attention_wants(a, t) && a->term[t].type == TERM_PRODUCT)
            right[a->term[t].left] |= a->term[t].right;
        if (attention_wants(a, t) && a->term[t].type == TERM_CONTEXT)
            find_context(s, t);
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

/* Are the keys of the wanted product all parts of them? */
static bool keys_are_whole(const struct stream *s)
{
    return s->n_products == 1 && s->product->right == (s->a->projection[0] ? PART_BOTH : PART_CONTENT);
}

/* Does the wanted product hold all of the content already, and nothing beside it? */
static bool full_is_wanted(const struct stream *s)
{
    return !s->n_relative && keys_are_whole(s) && s->product->left == s->product->right;
}

/* ---- preparing ---------------------------------------------------------------------------------------- */

bool stream_tick(struct stream *s, size_t pieces, int thread)
{
    pthread_mutex_lock(&s->lock);
    double share = fmin((double)s->done / (double)s->total, 1);
    s->done += pieces;
    pthread_mutex_unlock(&s->lock);
    return thread > 0 || !s->tick || s->tick(s->ctx, share);
}

/* NAN if one is. */
static double larger(double x, double y)
{
    return isnan(x) || x >= y ? x : y;
}

double stream_longest(const float *x, size_t n, size_t d)
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

/* Unturned keys as float32, for terms by distance, and what depends on them alone. */
static void prepare_plain(struct stream *s, size_t from, size_t n, const double *x)
{
    size_t d = stream_width(s);
    double distance = 0, *r = xcalloc(d, sizeof *r);
    for (size_t i = 0; s->plain && i < n * d; i++)
        s->plain[from * d + i] = (float)x[i];
    for (size_t t = 0; t < s->n_relative; t++) {
        const struct term *term = s->relative[t].term;
        if (s->relative[t].side != RELATIVE_KEY_ALONE)
            continue;
        term->enc->kind->relative(term->enc, term->index, s->a->options.head, &distance, 1, r);
        for (size_t i = 0; i < n; i++)
            s->by_key[from + i] += (float)linear_dot(x + i * d, r, d);
    }
    free(r);
}

static void prepare_keys(struct stream *s, size_t from, size_t n)
{
    size_t d = stream_width(s);
    double token = s->first + (double)from, *x = xcalloc(n * d, sizeof *x);
    for (size_t p = 0; p <= FULL; p++) {
        if (!s->product[p].k)
            continue;
        attention_vectors(s->a, SIDE_KEY, s->product[p].right, token, n, x);
        attention_turn(s->a, SIDE_KEY, token, n, x);
        float *k = s->product[p].k + from * d;
        for (size_t i = 0; i < n * d; i++)
            k[i] = (float)x[i];
        double longest = s->by_distance ? stream_longest(k, n, d) : 0;
        pthread_mutex_lock(&s->lock);
        s->product[p].longest = larger(s->product[p].longest, longest);
        pthread_mutex_unlock(&s->lock);
    }
    if (s->plain || s->by_key) {
        attention_vectors(s->a, SIDE_KEY, PART_BOTH, token, n, x);
        prepare_plain(s, from, n, x);
    }
    if (s->vec)
        attention_vectors(s->a, SIDE_KEY, PART_BOTH, token, n, s->vec + from * d);
    for (size_t t = 0; t < s->a->n_terms; t++)
        if (s->pos[t])
            attention_positions(s->a, s->a->term[t].enc, token, n, s->pos[t] + from * (size_t)s->a->term[t].enc->axes);
    free(x);
}

/* Distances from .. from + n - 1 of the tables. Their bias is that of the last query, or of the first for keys after it. */
static void prepare_distances(struct stream *s, size_t from, size_t n)
{
    size_t d = stream_width(s), before = (size_t)fmin(fmax((double)stream_own(s) + 1 - (double)from, 0), (double)n);
    double *bias = xcalloc(n * (d + 2), sizeof *bias), *distance = bias + n, *r = distance + n;
    if (s->by_distance && before)
        attention_biases(s->a, s->q_max, s->q_max + s->lowest + (double)from, before, bias);
    if (s->by_distance && before < n)
        attention_biases(s->a, s->q_min, s->q_min + s->lowest + (double)(from + before), n - before, bias + before);
    for (size_t i = 0; s->by_distance && i < n; i++)
        s->double_bias[from + i] = bias[i];
    for (size_t i = 0; i < n; i++)
        distance[i] = -(s->lowest + (double)(from + i));
    for (size_t t = 0; t < s->n_relative; t++) {
        const struct term *term = s->relative[t].term;
        if (!s->relative[t].r)
            continue;
        term->enc->kind->relative(term->enc, term->index, s->a->options.head, distance, n, r);
        for (size_t i = 0; i < n * d; i++)
            s->relative[t].r[from * d + i] = (float)r[i];
    }
    free(bias);
}
static void make_envelope(struct stream *s)
{
    size_t n = s->n_distances;
    s->envelope = xmalloc(n * sizeof *s->envelope);
    memcpy(s->envelope, s->by_distance, n * sizeof *s->envelope);
    for (size_t i = 1; i < stream_own(s); i++)
        s->envelope[i] = fmaxf(s->envelope[i], s->envelope[i - 1]);
    for (size_t i = n - 1; i-- > stream_own(s) + 1;)
        s->envelope[i] = fmaxf(s->envelope[i], s->envelope[i + 1]);
    s->envelope[stream_own(s)] = INFINITY;
}

/* From double, less the largest. */
static void finish_bias(struct stream *s)
{
    s->top = -INFINITY;
    for (size_t i = 0; i < s->n_distances; i++)
        s->top = fmax(s->top, s->double_bias[i]);
    for (size_t i = 0; i < s->n_distances; i++)
        s->by_distance[i] = (float)(s->double_bias[i] - s->top);
    free(s->double_bias);
    make_envelope(s);
}

/* Wide inputs go a few at a time. */
static size_t piece_size(const struct stream *s)
{
    const struct shape *shape = &s->a->layer->shape;
    double width = s->a->projection[0] || s->n_relative ? shape->d_model : shape->d_head;
    return (size_t)fmax(fmin(PIECE, floor(piece_numbers / width)), PIECE_MIN);
}

static size_t pieces_of(const struct stream *s, size_t n)
{
    return (n + piece_size(s) - 1) / piece_size(s);
}

size_t stream_pieces(const struct stream *s)
{
    return pieces_of(s, (size_t)s->keys) + pieces_of(s, s->n_distances);
}

static bool prepare_piece(void *ctx, size_t piece, int thread)
{
    struct stream *s = ctx;
    size_t of_keys = pieces_of(s, (size_t)s->keys), size = piece_size(s);
    bool keys = piece < of_keys;
    size_t from = (keys ? piece : piece - of_keys) * size, n = (keys ? (size_t)s->keys : s->n_distances) - from;
    (keys ? prepare_keys : prepare_distances)(s, from, n < size ? n : size);
    return stream_tick(s, 1, thread);
}

static void open_tables(struct stream *s)
{
    size_t d = stream_width(s), n = (size_t)s->keys, distances = s->n_distances;
    for (size_t p = 0; p <= FULL; p++)
        if (s->product[p].left && !(p == FULL && full_is_wanted(s)))
            s->product[p].k = xmalloc(n * d * sizeof(float));
    if (s->context)
        s->vec = xcalloc(n * d, sizeof *s->vec);
    for (size_t t = 0; t < s->a->n_terms; t++)
        if (s->by_hook[t])
            s->pos[t] = xcalloc(n * (size_t)s->a->term[t].enc->axes, sizeof(double));
    for (size_t t = 0; t < s->n_relative; t++) {
        enum relative side = s->relative[t].side;
        if (side != RELATIVE_KEY_ALONE)
            s->relative[t].r = xmalloc(distances * d * sizeof(float));
        if (side == RELATIVE_KEY && !s->plain && (layer_rotate(s->a->layer) || !keys_are_whole(s)))
            s->plain = xmalloc(n * d * sizeof(float));
        if (side == RELATIVE_KEY_ALONE && !s->by_key)
            s->by_key = xcalloc(n + KERNEL_PAD, sizeof(float));
    }
    if (s->bias && !s->bias_by_row) {
        s->by_distance = xcalloc(distances + KERNEL_PAD, sizeof *s->by_distance);
        s->double_bias = xcalloc(distances, sizeof *s->double_bias);
    }
}

bool stream_prepare(struct stream *s)
{
    open_tables(s);
    bool going = parallel_for(stream_pieces(s), s->a->options.threads, prepare_piece, s);
    if (s->by_distance)
        finish_bias(s);
    return going;
}
