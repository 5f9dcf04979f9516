/* Attention: weights and logits of any length. If these fail, a pattern on the screen is not the pattern of the formula: a term is
 * missing, a mask leaks, a long row loses its digits, or memory grows with the square of the text. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "base/rng.h"
#include "core/attention.h"
#include "core/kernel.h"
#include "core/measure.h"

enum { N = 150, H = 4, D = 16, D_MODEL = 32 };
static const unsigned all_terms = (1u << TERMS_MAX) - 1;

static struct layer *layer_of(const char *a, const char *b, double length, const char *param, const char *value)
{
    struct item item[2];
    struct err err = {0};
    size_t n = b ? 2 : 1;
    item_init(&item[0], encoding_find(a, &err));
    if (b)
        item_init(&item[1], encoding_find(b, &err));
    if (param) {
        int p = param_index(item[0].kind->params, item[0].kind->n_params, param);
        assert_true(p >= 0 && param_parse(&item[0].kind->params[p], value, &item[0].param[p], &err));
    }
    struct layer *l = layer_open(item, n, &(struct shape){length, H, D, D_MODEL, 0}, &err);
    if (!l)
        fail_msg("%s", err.text);
    return l;
}

static struct attention *open_attention(const struct layer *l, double n, const struct attention_options *o)
{
    struct err err = {0};
    struct attention *a = attention_open(l, n, o, &err);
    if (!a)
        fail_msg("%s", err.text);
    return a;
}

/* Calls test with each set of instructions that this processor has. */
static void with_every_kernel(void (*test)(void))
{
    for (size_t i = 0; kernel_names[i]; i++)
        if (kernel_use(kernel_names[i])) {
            assert_string_equal(kernel_name(), kernel_names[i]);
            test();
        }
    assert_false(kernel_use("none"));
    assert_true(kernel_use(NULL));
}

/* ---- one row against the formula ------------------------------------------------------------------------ */

static struct table *random_table(uint64_t seed, size_t rows, size_t width)
{
    struct table *t = table_new(2, (size_t[]){rows, width});
    for (size_t i = 0; i < t->n; i++)
        t->v[i] = rng_normal(seed, i);
    return t;
}

/* scale q.k + context + bias of one pair, hook by hook. */
static double plain_logit(const struct layer *l, int head, const double *q, const double *k, double i, double j, size_t keys, const double *all_k)
{
    double tq[D], tk[D], sum = 0, extra;
    memcpy(tq, q, sizeof tq);
    memcpy(tk, k, sizeof tk);
    for (size_t e = 0; e < l->n; e++) {
        const struct encoding *kind = l->enc[e]->kind;
        if (kind->rotate) {
            kind->rotate(l->enc[e], SIDE_QUERY, head, &i, 1, tq);
            kind->rotate(l->enc[e], SIDE_KEY, head, &j, 1, tk);
        }
    }
    for (size_t c = 0; c < D; c++)
        sum += l->scale * tq[c] * tk[c];
    for (size_t e = 0; e < l->n; e++) {
        const struct encoding *kind = l->enc[e]->kind;
        if (kind->bias) {
            kind->bias(l->enc[e], head, &i, &j, 1, &extra);
            sum += extra;
        }
        for (int t = 0; kind->context && kind->terms[t]; t++) {
            double pos[N], content[N], out[N];
            for (size_t m = 0; m < keys; m++) {
                pos[m] = (double)m;
                content[m] = 0;
                for (size_t c = 0; c < D; c++)
                    content[m] += l->scale * q[c] * all_k[m * D + c];
            }
            kind->context(l->enc[e], t, head, &(struct query){&i, q}, &(struct keys){keys, pos, all_k, content}, out);
            sum += out[(size_t)j];
        }
    }
    return sum;
}

static void a_row_is_the_formula(void **state)
{
    (void)state;
    static const char *const ids[] = {"nope", "alibi", "rope", "t5_bias", "fire", "shaw", "transformer_xl", "deberta", "cope", "xpos"};
    struct table *q = random_table(1, N, D), *k = random_table(2, N, D);
    for (size_t t = 0; t < sizeof ids / sizeof *ids; t++) {
        struct layer *l = layer_of(ids[t], NULL, N, NULL, NULL);
        struct attention_options o = {.head = 1, .mask = {MASK_CAUSAL, 0}, .terms = all_terms, .show = SHOW_LOGIT,
                                      .content = {.type = CONTENT_TABLES, .q = q, .k = k}};
        struct attention *a = open_attention(l, N, &o);
        double row[N];
        for (size_t i = 0; i < N; i += 37) {
            attention_row(a, (double)i, row, NULL);
            for (size_t j = 0; j <= i; j++) {
                double plain = plain_logit(l, 1, q->v + i * D, k->v + j * D, (double)i, (double)j, i + 1, k->v);
                if (!(fabs(row[j] - plain) <= 1e-12 * fmax(1, fabs(plain))))
                    fail_msg("%s, query %zu key %zu: %.17g, formula %.17g", ids[t], i, j, row[j], plain);
            }
            for (size_t j = i + 1; j < N; j++)
                assert_true(row[j] == -INFINITY);
        }
        attention_close(a);
        layer_close(l);
    }
    table_unref(q);
    table_unref(k);
}

/* ---- the picture against its rows ------------------------------------------------------------------------ */

static void assert_near(double got, double expected, double tolerance, double least, const char *what, int r, int c)
{
    if (got == expected || (isnan(got) && isnan(expected)))
        return;
    if (!(fabs(got - expected) <= tolerance * fmax(least, fabs(expected))))
        fail_msg("%s, sample %d %d: %.9g, rows give %.17g", what, r, c, got, expected);
}

/* Mean of the shown value over the allowed pairs, from rows in double. */
static void compare(const struct attention *a, const struct attention_options *o, double n, struct window win, int h, int w, const char *what)
{
    size_t keys = (size_t)(n + o->memory);
    double out[20 * 20], sum[20 * 20] = {0}, count[20 * 20] = {0}, *row = xcalloc(2 * keys, sizeof *row), *weight = row + keys;
    struct pooled how;
    struct attention_facts facts;
    double entropy = 0, distance = 0;
    assert_true(attention_pool(a, win, h, w, 0, out, &how, &facts, NULL, NULL));
    for (double i = win.q0; i < win.q1; i++) {
        attention_row(a, i, row, NULL);
        double total = 0, max = -INFINITY;
        for (size_t j = 0; j < keys; j++)
            max = fmax(max, row[j]);
        for (size_t j = 0; j < keys; j++)
            total += weight[j] = o->show == SHOW_PROBABILITY ? row[j] : exp(row[j] - max);
        for (size_t j = 0; j < keys; j++)
            weight[j] /= total;
        for (size_t j = 0; j < keys; j++) {
            entropy -= weight[j] > 0 ? weight[j] * log(weight[j]) : 0;
            distance += weight[j] * fabs(i + o->memory - (double)j);
        }
        int r = (int)floor(((i - win.q0 + 1) * h - 1) / (win.q1 - win.q0));
        for (double j = win.k0; j < win.k1; j++) {
            int c = (int)floor(((j - win.k0 + 1) * w - 1) / (win.k1 - win.k0));
            double from = -o->memory, to = n, memory = o->mask.type == MASK_CHUNKED ? 0 : o->memory;
            mask_run(o->mask, i + memory, n + memory, &from, &to);
            if (j + memory < from || j + memory >= to || (o->hide_sink && j == -o->memory))
                continue;
            sum[r * w + c] += row[(size_t)(j + o->memory)];
            count[r * w + c]++;
        }
    }
    for (int r = 0; r < h; r++)
        for (int c = 0; c < w; c++)
            if (count[r * w + c] > 0)
                assert_near(out[r * w + c], sum[r * w + c] / count[r * w + c], 2e-6, o->show == SHOW_PROBABILITY ? 1e-3 : 1, what, r, c);
            else
                assert_true(out[r * w + c] == -INFINITY || (o->hide_sink && isnan(out[r * w + c])));
    double rows = win.q1 - win.q0;
    assert_near(facts.entropy, entropy / rows, 1e-5, 1, "entropy", 0, 0);
    assert_near(facts.mean_distance, distance / rows, 1e-5, 1, "mean distance", 0, 0);
    free(row);
}

/* With a row encoding the content is x, and q = Wq (x + p): here with the same Wq for every head, and one Wk for each. */
static void projected_rows_are_the_formula(void **state)
{
    (void)state;
    struct layer *l = layer_of("sinusoidal", NULL, N, NULL, NULL);
    struct table *x = random_table(1, N, D_MODEL), *wq = random_table(2, D, D_MODEL), *wk = random_table(3, H * D, D_MODEL);
    struct attention_options o = {.head = 2, .mask = {MASK_CAUSAL, 0}, .terms = all_terms, .show = SHOW_LOGIT,
                                  .content = {.type = CONTENT_TABLES, .q = x, .wq = wq, .wk = wk}};
    struct attention *a = open_attention(l, N, &o);
    double row[N], terms[TERMS_MAX * N], in[2][D_MODEL], pos[] = {100, 30}, parts[2][2][D];
    attention_row(a, 100, row, terms);
    for (size_t side = 0; side < 2; side++) {
        l->enc[0]->kind->row(l->enc[0], &pos[side], 1, in[1]);
        memcpy(in[0], x->v + (size_t)pos[side] * D_MODEL, sizeof in[0]);
        for (size_t part = 0; part < 2; part++)
            for (size_t c = 0; c < D; c++) {
                const double *w = side ? wk->v + (2 * D + c) * D_MODEL : wq->v + c * D_MODEL;
                parts[side][part][c] = 0;
                for (size_t m = 0; m < D_MODEL; m++)
                    parts[side][part][c] += w[m] * in[part][m];
            }
    }
    double all = 0;
    for (size_t t = 0; t < 4; t++) {        /* x.x, x.p, p.x, p.p */
        double sum = 0;
        for (size_t c = 0; c < D; c++)
            sum += l->scale * parts[0][t / 2][c] * parts[1][t % 2][c];
        assert_true(fabs(terms[t * N + 30] - sum) < 1e-11);
        all += sum;
    }
    assert_true(fabs(row[30] - all) < 1e-11);
    compare(a, &o, N, (struct window){0, N, 0, N}, 5, 5, "tables of x");
    attention_close(a);
    layer_close(l);
    table_unref(x);
    table_unref(wq);
    table_unref(wk);
}

static const struct mask masks[] = {{MASK_CAUSAL, 0}, {MASK_NONE, 0}, {MASK_SLIDING, 21}, {MASK_CHUNKED, 32}, {MASK_WINDOW, 9}};

static void check_pictures(void)
{
    static const struct { const char *a, *b, *param, *value; } layers[] = {
        {.a = "nope"}, {.a = "alibi"}, {.a = "alibi", .param = "form", .value = "symmetric"},
        {.a = "alibi", .param = "form", .value = "bloom"}, {.a = "alibi", .param = "form", .value = "scaled"}, {.a = "rope"},
        {.a = "rope", .b = "alibi"}, {.a = "t5_bias"}, {.a = "kerple"},
        {.a = "fire"}, {.a = "sandwich"}, {.a = "sinusoidal"}, {.a = "sinusoidal", .b = "rope"}, {.a = "shaw"},
        {.a = "transformer_xl"}, {.a = "deberta"}, {.a = "cope"}, {.a = "rope", .b = "attn_temperature"},
        {.a = "shaw", .param = "position_embedding_type", .value = "relative_key_query"}, {.a = "deberta", .param = "pos_att_type", .value = "p2c"},
        {.a = "deberta", .param = "position_buckets", .value = "-1"}, {.a = "transformer_xl", .param = "clamp_len", .value = "40"},
        {.a = "cope", .b = "shaw"}, {.a = "rope", .b = "deberta"}};
    for (size_t t = 0; t < sizeof layers / sizeof *layers; t++)
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
            struct layer *l = layer_of(layers[t].a, layers[t].b, N, layers[t].param, layers[t].value);
            struct attention_options o = {.head = (int)(m % H), .mask = masks[m], .terms = all_terms,
                                          .show = (enum attention_show)(m % 3), .hide_sink = t % 2, .threads = 1 + (int)(m % 2),
                                          .content = {.type = m % 2 ? CONTENT_SEEDED : CONTENT_NONE, .seed = 5}};
            if (masks[m].type == MASK_CAUSAL)
                o.content.type = CONTENT_SEEDED, o.show = SHOW_PROBABILITY;
            struct attention *a = open_attention(l, N, &o);
            compare(a, &o, N, (struct window){0, N, 0, N}, 9, 14, layers[t].a);
            compare(a, &o, N, (struct window){60, 103, 40, 90}, 7, 20, layers[t].a);
            attention_close(a);
            layer_close(l);
        }
}

static void pictures_are_the_mean_of_their_rows(void **state)
{
    (void)state;
    with_every_kernel(check_pictures);
}

/* Every subset of the terms: the product of x + p falls into parts that must not be mixed up. */
static void subsets_of_terms(void **state)
{
    (void)state;
    static const char *const ids[][2] = {{"sinusoidal", NULL}, {"transformer_xl", NULL}, {"sinusoidal", "shaw"}, {"cope", NULL}};
    for (size_t t = 0; t < 4; t++) {
        struct layer *l = layer_of(ids[t][0], ids[t][1], N, NULL, NULL);
        const char *names[TERMS_MAX];
        size_t n = attention_terms(l, names);
        for (unsigned terms = 0; terms < 1u << n; terms++) {
            struct attention_options o = {.mask = {MASK_CAUSAL, 0}, .terms = terms, .show = SHOW_LOGIT,
                                          .content = {.type = CONTENT_SEEDED, .seed = 5}};
            struct attention *a = open_attention(l, N, &o);
            compare(a, &o, N, (struct window){0, N, 0, N}, 4, 5, ids[t][0]);
            attention_close(a);
        }
        layer_close(l);
    }
}

static void terms_add_up(void **state)
{
    (void)state;
    static const char *const ids[] = {"alibi", "sinusoidal", "transformer_xl", "deberta", "shaw", "cope"};
    static const size_t counts[] = {2, 4, 4, 3, 3, 2};
    for (size_t t = 0; t < sizeof ids / sizeof *ids; t++) {
        struct layer *l = layer_of(ids[t], NULL, N, NULL, NULL);
        const char *names[TERMS_MAX];
        size_t n = attention_terms(l, names);
        if (n != counts[t])
            fail_msg("%s has %zu terms", ids[t], n);
        assert_string_equal(names[0], "content");
        struct attention_options o = {.mask = {MASK_CAUSAL, 0}, .terms = all_terms, .content = {.type = CONTENT_SEEDED}};
        struct attention *a = open_attention(l, N, &o);
        double row[N], terms[TERMS_MAX * N];
        attention_row(a, 100, row, terms);
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++)
                sum += terms[i * N + j];
            assert_true(row[j] == sum || fabs(row[j] - sum) < 1e-12);
        }
        attention_close(a);
        layer_close(l);
    }
}

/* ---- what must hold for any pattern ------------------------------------------------------------------------ */

static void weights_of_a_row_sum_to_one(void **state)
{
    (void)state;
    for (size_t i = 0; encodings[i]; i++) {
        if (encodings[i]->axes != 1)
            continue;
        struct layer *l = layer_of(encodings[i]->id, NULL, N, NULL, NULL);
        if (l->axes == 1) {
            struct attention_options o = {.mask = {MASK_CAUSAL, 0}, .terms = all_terms, .show = SHOW_PROBABILITY,
                                          .content = {.type = CONTENT_SEEDED}};
            struct attention *a = open_attention(l, N, &o);
            double row[N], sum = 0;
            attention_row(a, N - 1, row, NULL);
            for (size_t j = 0; j < N; j++)
                sum += row[j];
            if (!(fabs(sum - 1) < 1e-12))
                fail_msg("%s: weights sum to %.17g", encodings[i]->id, sum);
            attention_close(a);
        }
        layer_close(l);
    }
}

/* Without encoding and mask attention is a permutation of its keys: swapping words swaps their weights, and nothing else. */
static void swapped_words_swap_their_weights(void **state)
{
    (void)state;
    static const unsigned first[] = {7, 1, 9, 4}, swapped[] = {4, 1, 9, 7};
    struct layer *bare = layer_of("nope", NULL, 4, NULL, NULL), *turning = layer_of("rope", NULL, 4, NULL, NULL);
    for (int t = 0; t < 2; t++) {
        struct attention_options o = {.terms = all_terms, .show = SHOW_PROBABILITY, .content = {.type = CONTENT_TOKENS, .token = first}};
        struct attention *a = open_attention(t ? turning : bare, 4, &o);
        o.content.token = swapped;
        struct attention *b = open_attention(t ? turning : bare, 4, &o);
        double x[4], y[4];
        attention_row(a, 1, x, NULL);
        attention_row(b, 1, y, NULL);
        assert_int_equal(x[0] == y[3] && x[1] == y[1] && x[2] == y[2] && x[3] == y[0], !t);
        attention_close(a);
        attention_close(b);
    }
    layer_close(bare);
    layer_close(turning);
}

/* BLOOM adds m * key index, which at a long text is a large constant of the row: float32 must not pay for it. */
static void bloom_equals_causal_after_softmax(void **state)
{
    (void)state;
    enum { LONG = 20000 };
    struct layer *l[] = {layer_of("alibi", NULL, LONG, NULL, NULL), layer_of("alibi", NULL, LONG, "form", "bloom")};
    double out[2][16];
    for (int t = 0; t < 2; t++) {
        struct attention_options o = {.head = 1, .mask = {MASK_CAUSAL, 0}, .terms = all_terms, .show = SHOW_PROBABILITY,
                                      .content = {.type = CONTENT_SEEDED}};
        struct attention *a = open_attention(l[t], LONG, &o);
        struct pooled how;
        assert_true(attention_pool(a, (struct window){LONG - 64, LONG, LONG - 64, LONG}, 4, 4, 0, out[t], &how, NULL, NULL, NULL));
        attention_close(a);
        layer_close(l[t]);
    }
    for (size_t i = 0; i < 16; i++)
        assert_true(out[0][i] == out[1][i] || fabs(out[0][i] / out[1][i] - 1) < 2e-6);
}

/* A steep head gives far keys no weight that float32 could hold: they are not computed, and nothing else may change. */
static void far_keys_without_weight(void **state)
{
    (void)state;
    enum { LONG = 2600 };
    static const struct { const char *form; struct mask mask; int head; } cases[] = {
        {"causal", {MASK_CAUSAL, 0}, 0}, {"symmetric", {MASK_NONE, 0}, 0}, {"symmetric", {MASK_NONE, 0}, 3}, {"symmetric", {MASK_WINDOW, 700}, 0},
        {"causal", {MASK_SLIDING, 900}, 0}, {"causal", {MASK_NONE, 0}, 1}};
    for (size_t t = 0; t < sizeof cases / sizeof *cases; t++) {
        struct layer *l = layer_of("alibi", NULL, LONG, "form", cases[t].form);
        struct attention_options o = {.head = cases[t].head, .mask = cases[t].mask, .terms = all_terms, .show = SHOW_PROBABILITY,
                                      .content = {.type = CONTENT_SEEDED}, .hide_sink = t == 1};
        struct attention *a = open_attention(l, LONG, &o);
        compare(a, &o, LONG, (struct window){LONG - 90, LONG, 0, LONG}, 4, 19, "last rows");
        compare(a, &o, LONG, (struct window){1200, 1290, 900, 1700}, 5, 20, "middle rows");
        attention_close(a);
        layer_close(l);
    }
}

/* Keys of a memory are positions before the first query: the same rows as those of the longer text. */
static void memory_is_a_longer_text(void **state)
{
    (void)state;
    static const char *const ids[] = {"transformer_xl", "alibi", "rope"};
    for (size_t t = 0; t < 3; t++)
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
            struct layer *l = layer_of(ids[t], NULL, N, NULL, NULL);
            struct attention_options o = {.mask = masks[m], .terms = all_terms, .show = SHOW_PROBABILITY, .content = {.type = CONTENT_SEEDED}};
            struct attention *whole = open_attention(l, N, &o);
            o.memory = 50;
            struct attention *split = open_attention(l, N - 50, &o);
            double x[N], y[N];
            attention_row(whole, 120, x, NULL);
            attention_row(split, 70, y, NULL);
            for (size_t j = 0; j < N && masks[m].type != MASK_CHUNKED; j++)
                assert_true(fabs(x[j] - y[j]) < 1e-15);
            compare(split, &o, N - 50, (struct window){0, N - 50, -50, N - 50}, 6, 11, ids[t]);
            attention_close(whole);
            attention_close(split);
            layer_close(l);
        }
}

static void rows_beyond_a_table_have_no_value(void **state)
{
    (void)state;
    struct layer *l = layer_of("learned", NULL, N, "max_position_embeddings", "100");
    struct attention_options o = {.mask = {MASK_CAUSAL, 0}, .terms = all_terms, .show = SHOW_PROBABILITY, .content = {.type = CONTENT_SEEDED}};
    struct attention *a = open_attention(l, N, &o);
    double out[9];
    struct pooled how;
    assert_true(attention_pool(a, (struct window){0, N, 0, N}, 3, 3, 0, out, &how, NULL, NULL, NULL));
    assert_false(isnan(out[0]));
    assert_true(isnan(out[6]));
    assert_true(out[2] == -INFINITY);
    attention_close(a);
    layer_close(l);
}

static void misfits_are_told(void **state)
{
    (void)state;
    struct layer *l = layer_of("rope", NULL, N, NULL, NULL);
    struct err err = {0};
    struct table *narrow = random_table(1, N, D - 1), *few = random_table(1, N - 1, D);
    assert_null(attention_open(l, N, &(struct attention_options){.head = H}, &err));
    assert_null(attention_open(l, 1e9, &(struct attention_options){.head = 0}, &err));
    assert_null(attention_open(l, N, &(struct attention_options){.content = {.type = CONTENT_TABLES}}, &err));
    assert_null(attention_open(l, N, &(struct attention_options){.content = {.type = CONTENT_TABLES, .q = narrow, .k = narrow}}, &err));
    assert_non_null(strstr(err.text, "15"));
    assert_null(attention_open(l, N, &(struct attention_options){.content = {.type = CONTENT_TABLES, .q = few, .k = few}}, &err));
    assert_null(attention_open(l, N, &(struct attention_options){.content = {.type = CONTENT_TOKENS}}, &err));
    assert_null(attention_open(l, N, &(struct attention_options){.positions = few}, &err));
    table_unref(narrow);
    table_unref(few);
    layer_close(l);
}

/* ---- streaming ----------------------------------------------------------------------------------------------- */

struct asked {
    int times, allowed;
    double last;
};

static bool count(void *ctx, double share)
{
    struct asked *t = ctx;
    assert_true(share >= t->last && share <= 1);
    t->last = share;
    return ++t->times <= t->allowed;
}

/* Asked after every piece of a few milliseconds, and it ends there. */
static void a_tick_ends_it(void **state)
{
    (void)state;
    enum { LONG = 4096 };
    struct layer *l = layer_of("alibi", NULL, LONG, NULL, NULL);
    struct attention_options o = {.mask = {MASK_CAUSAL, 0}, .terms = all_terms, .show = SHOW_PROBABILITY, .content = {.type = CONTENT_SEEDED}};
    struct attention *a = open_attention(l, LONG, &o);
    double out[64];
    struct pooled how;
    struct asked all = {.allowed = 10000}, few = {.allowed = 20};
    assert_true(attention_pool(a, (struct window){0, LONG, 0, LONG}, 8, 8, 0, out, &how, NULL, count, &all));
    assert_int_equal(all.times, LONG / 256 + LONG / 256 + LONG / 64 + LONG);        /* keys, distances, products, rows */
    assert_false(attention_pool(a, (struct window){0, LONG, 0, LONG}, 8, 8, 0, out, &how, NULL, count, &few));
    assert_int_equal(few.times, 21);
    attention_close(a);
    layer_close(l);
}

/* Its rows lie apart, so they share no product with all distances. */
static void a_preview_shows_rows_of_the_picture(void **state)
{
    (void)state;
    static const char *const ids[] = {"rope", "alibi", "fire", "shaw", "transformer_xl", "deberta", "cope"};
    enum { ROWS = 9, COLS = 12 };
    double out[ROWS * COLS], row[N];
    for (size_t t = 0; t < sizeof ids / sizeof *ids; t++)
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
            struct layer *l = layer_of(ids[t], NULL, N, NULL, NULL);
            struct attention_options o = {.head = 1, .mask = masks[m], .terms = all_terms, .show = SHOW_PROBABILITY,
                                          .content = {.type = CONTENT_SEEDED}};
            struct attention *a = open_attention(l, N, &o);
            struct pooled how;
            assert_true(attention_pool(a, (struct window){0, N, 0, N}, ROWS, COLS, ROWS, out, &how, NULL, NULL, NULL));
            for (int r = 0; r < ROWS; r++) {
                double query = floor((r + 0.5) * N / ROWS);
                attention_row(a, query, row, NULL);
                for (int c = 0; c < COLS; c++) {
                    double sum = 0, count = 0;
                    for (int j = c * N / COLS; j < (c + 1) * N / COLS; j++)
                        if (mask_allows(masks[m], query, j))
                            sum += row[j], count++;
                    if (count > 0)
                        assert_near(out[r * COLS + c], sum / count, 2e-6, 1e-3, ids[t], r, c);
                }
            }
            attention_close(a);
            layer_close(l);
        }
}

static void a_preview_says_so(void **state)
{
    (void)state;
    enum { LONG = 3000 };
    struct layer *l = layer_of("alibi", NULL, LONG, NULL, NULL);
    struct attention_options o = {.head = 3, .mask = {MASK_CAUSAL, 0}, .terms = all_terms, .show = SHOW_PROBABILITY,
                                  .content = {.type = CONTENT_NONE}};
    struct attention *a = open_attention(l, LONG, &o);
    double exact[100], preview[100];
    struct pooled how;
    assert_true(attention_pool(a, (struct window){0, LONG, 0, LONG}, 10, 10, 0, exact, &how, NULL, NULL, NULL));
    assert_true(how.exact && how.reduce == REDUCE_MEAN);
    for (int rows = 3; rows <= 64; rows += 61) {
        assert_true(attention_pool(a, (struct window){0, LONG, 0, LONG}, 10, 10, rows, preview, &how, NULL, NULL, NULL));
        assert_true(!how.exact && isnan(how.error));
        for (size_t r = 0; r < 10; r++)
            assert_true(preview[r * 10] >= 0);          /* every line of the picture shows some row */
    }
    assert_true(fabs(preview[55] / exact[55] - 1) < 0.3);
    attention_close(a);
    layer_close(l);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static const double most_mebibytes = 1024;      /* sanitizers keep memory of their own */
#else
static const double most_mebibytes = 64;
#endif

static double resident(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss * 1024;
}

/* 131 072 tokens: the keys are 32 MiB of float32; n x n would be 64 GiB. */
static void memory_grows_with_the_keys_alone(void **state)
{
    (void)state;
    enum { LONG = 131072 };
    struct item item;
    struct err err = {0};
    item_init(&item, encoding_find("alibi", &err));
    struct layer *l = layer_open(&item, 1, &(struct shape){LONG, 8, 64, 512, 0}, &err);
    struct attention_options o = {.mask = {MASK_CAUSAL, 0}, .terms = all_terms, .show = SHOW_PROBABILITY, .content = {.type = CONTENT_SEEDED}};
    struct attention *a = open_attention(l, LONG, &o);
    static double out[64 * 128];
    struct pooled how;
    double before = resident();
    assert_true(attention_pool(a, (struct window){0, LONG, 0, LONG}, 64, 128, 64, out, &how, NULL, NULL, NULL));
    double more = (resident() - before) / 1048576;
    if (more > most_mebibytes && !getenv("UNMEASURED"))             /* under valgrind, which keeps memory of its own too */
        fail_msg("%.0f MiB more", more);
    attention_close(a);
    layer_close(l);
}

/* ---- the kernel ------------------------------------------------------------------------------------------------ */

/* Floats of all sizes from -2^-26, above which e^x is 1 to half a unit, to -87, below which it is taken for 0: one of seven. */
static void check_exponential(void)
{
    enum { RUN = 4096, STEP = 7 };
    static float x[RUN], z[RUN + KERNEL_PAD];
    union { float value; uint32_t bits; } from = {.value = 0x1p-26f}, to = {.value = 87};
    double worst = 0;
    for (uint32_t bits = from.bits; bits < to.bits;) {
        for (size_t i = 0; i < RUN; i++, bits += STEP) {
            union { uint32_t bits; float value; } f = {bits < to.bits ? bits : from.bits};
            x[i] = z[i] = -f.value;
        }
        kernel_exp(z, RUN, 0, 0);
        for (size_t i = 0; i < RUN; i++)
            worst = fmax(worst, fabs((double)z[i] / exp((double)x[i]) - 1));
    }
    if (!(worst < 3e-7))
        fail_msg("%s: relative error %g", kernel_name(), worst);
    z[0] = -87.5f;
    z[1] = -INFINITY;
    z[2] = 0;
    kernel_exp(z, 3, 0, 0);
    assert_true(z[0] == 0 && z[1] == 0 && z[2] == 1);
}

static void exponential_is_within_its_bound(void **state)
{
    (void)state;
    with_every_kernel(check_exponential);
}

static void check_dots(void)
{
    float a[9 * 40], b[9 * 40], out[9];
    for (size_t d = 1; d <= 40; d++)
        for (size_t step = 0; step <= d; step += d) {
            for (size_t i = 0; i < 9 * d; i++) {
                a[i] = (float)rng_normal(3, i);
                b[i] = (float)rng_normal(4, i);
            }
            for (size_t i = 0; i < 9; i++)
                out[i] = (float)i;
            kernel_dots(a, step, b, 9, d, out);
            for (size_t i = 0; i < 9; i++) {
                double sum = (double)i;
                for (size_t c = 0; c < d; c++)
                    sum += (double)a[i * step + c] * (double)b[i * d + c];
                assert_true(fabs((double)out[i] - sum) < 1e-5);
            }
        }
}

static void check_rows(void)
{
    float z[300 + KERNEL_PAD], bias[300];
    for (size_t n = 1; n <= 300; n += n < 40 ? 1 : 37) {
        double sum = 0, logit = 0, distance = 0, max = -INFINITY, x[300];
        for (size_t i = 0; i < n; i++) {
            z[i] = (float)rng_normal(1, i);
            bias[i] = i % 7 == 3 ? -200 : (float)rng_normal(2, i);
            x[i] = (double)(z[i] + bias[i]);
            max = fmax(max, x[i]);
        }
        assert_true((double)kernel_add(z, n, bias) == max);
        struct kernel_sums s = kernel_exp(z, n, (float)max, -20);
        for (size_t i = 0; i < n; i++) {
            double w = exp(x[i] - max);
            sum += w;
            logit += w * (x[i] - max);
            distance += w * fabs((double)i - 20);
            assert_true(fabs((double)z[i] - w) <= (3e-7 + 1.2e-7 * (max - x[i])) * w + 1e-37);      /* z - max is rounded */
        }
        assert_true(fabs(s.weight - sum) < 1e-6 * sum);
        assert_true(fabs(s.weight_logit - logit) <= 1e-6 * fabs(logit));
        assert_true(fabs(s.weight_distance - distance) <= 1e-6 * distance);
        size_t begin[] = {0, n / 3, n}, end[] = {n / 3, n, n - 1};
        double pool[3] = {0, 0, 5};
        kernel_pool(z, begin, end, 3, 2, pool);
        assert_true(fabs(pool[0] + pool[1] - 2 * sum) < 1e-6 * sum);
        assert_true(pool[2] == 5);
    }
    z[5] = NAN;
    assert_true(isnan(kernel_add(z, 37, NULL)));
    z[5] = 0;
    assert_false(isnan(kernel_add(z, 37, NULL)));
    z[36] = NAN;
    assert_true(isnan(kernel_add(z, 37, NULL)));
}

static void rows_and_products_of_any_length(void **state)
{
    (void)state;
    with_every_kernel(check_rows);
    with_every_kernel(check_dots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_grows_with_the_keys_alone),
        cmocka_unit_test(exponential_is_within_its_bound),
        cmocka_unit_test(rows_and_products_of_any_length),
        cmocka_unit_test(a_row_is_the_formula),
        cmocka_unit_test(projected_rows_are_the_formula),
        cmocka_unit_test(pictures_are_the_mean_of_their_rows),
        cmocka_unit_test(subsets_of_terms),
        cmocka_unit_test(terms_add_up),
        cmocka_unit_test(weights_of_a_row_sum_to_one),
        cmocka_unit_test(swapped_words_swap_their_weights),
        cmocka_unit_test(bloom_equals_causal_after_softmax),
        cmocka_unit_test(far_keys_without_weight),
        cmocka_unit_test(memory_is_a_longer_text),
        cmocka_unit_test(rows_beyond_a_table_have_no_value),
        cmocka_unit_test(misfits_are_told),
        cmocka_unit_test(a_tick_ends_it),
        cmocka_unit_test(a_preview_shows_rows_of_the_picture),
        cmocka_unit_test(a_preview_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
