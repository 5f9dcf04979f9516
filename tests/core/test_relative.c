/* Relative and two-dimensional encodings against numbers worked out here from the formulas, not by the code under test. If these
 * fail, a user reads a wrong bucket, a wrong term or a wrong bias off the screen, or a file's table is used row by wrong row. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/encoding.h"
#include "core/field.h"
#include "core/linear.h"
#include "core/logits.h"
#include "core/parallel.h"
#include "core/quantity.h"
#include "core/waves.h"

static const double far_away = 1e7;

/* ---- opening --------------------------------------------------------------------------------------- */

struct setting { const char *name; const char *text; struct table *table; };

/* Opens an encoding with typed settings and tables (whose references it takes); NULL with the message in err. */
static struct enc *try_open(const char *id, struct shape shape, const struct setting *s, struct err *err)
{
    const struct encoding *kind = encoding_find(id, err);
    assert_non_null(kind);
    struct value v[ENC_MAX_PARAMS];
    for (size_t i = 0; i < kind->n_params; i++)
        v[i] = (struct value){kind->params[i].def, NULL};
    bool fits = true;
    for (; s && s->name; s++) {
        int p = param_index(kind->params, kind->n_params, s->name);
        assert_true(p >= 0);
        if (s->table)
            v[p] = (struct value){NAN, s->table};
        else
            fits = fits && param_parse(&kind->params[p], s->text, &v[p], err);
    }
    struct enc *e = fits ? enc_open(kind, &shape, v, err) : NULL;
    for (size_t i = 0; i < kind->n_params; i++)
        table_unref(v[i].t);
    return e;
}

static struct enc *open_with(const char *id, struct shape shape, const struct setting *s)
{
    struct err err = {0};
    struct enc *e = try_open(id, shape, s, &err);
    if (!e)
        fail_msg("%s", err.text);
    return e;
}

#define SETTINGS(...) ((const struct setting[]){__VA_ARGS__, {NULL, NULL, NULL}})

static struct table *table2(size_t rows, size_t columns)
{
    return table_new(2, (size_t[]){rows, columns});
}

static struct table *column(size_t rows, double from, double step)
{
    struct table *t = table2(rows, 1);
    for (size_t i = 0; i < rows; i++)
        t->v[i] = from + step * (double)i;
    return t;
}

static double bias_at(const struct enc *e, int head, double query, double key)
{
    double out;
    e->kind->bias(e, head, &query, &key, 1, &out);
    return out;
}

static void assert_near(double got, double want, double tolerance)
{
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.17g, want %.17g", got, want);
}

static void assert_refused(const char *id, struct shape shape, const struct setting *s, const char *says)
{
    struct err err = {0};
    struct enc *e = try_open(id, shape, s, &err);
    if (e)
        fail_msg("%s was opened", id);
    if (!strstr(err.text, says))
        fail_msg("\"%s\" does not say \"%s\"", err.text, says);
}

static const struct shape small = {.length = 64, .n_heads = 1, .d_head = 4, .d_model = 4};

/* ---- T5 -------------------------------------------------------------------------------------------- */

/* A table whose entries are their row numbers makes the bias show the bucket. */
static struct enc *t5(const char *bidirectional, const char *buckets, const char *max)
{
    struct table *t = column((size_t)atoi(buckets), 0, 1);
    return open_with("t5_bias", small, SETTINGS({"bidirectional", bidirectional, NULL}, {"num_buckets", buckets, NULL},
                                                {"max_distance", max, NULL}, {"table", NULL, t}));
}

static void t5_buckets_are_those_of_t5_small(void **state)
{
    (void)state;
    static const double encoder[][2] = {{-200, 15}, {-128, 15}, {-127, 15}, {-16, 10}, {-8, 8}, {-7, 7}, {-1, 1}, {0, 0},
                                        {1, 17}, {7, 23}, {8, 24}, {16, 26}, {127, 31}, {200, 31}, {-1e7, 15}, {1e7, 31}};
    static const double decoder[][2] = {{-200, 31}, {-128, 31}, {-127, 31}, {-16, 16}, {-15, 15}, {-1, 1}, {0, 0},
                                        {5, 0}, {-1e7, 31}};
    struct enc *e = t5("true", "32", "128");
    assert_near(e->scale, 1, 0);
    for (size_t i = 0; i < sizeof encoder / sizeof *encoder; i++)
        assert_near(bias_at(e, 0, far_away, far_away + encoder[i][0]), encoder[i][1], 0);
    enc_close(e);
    e = t5("false", "32", "128");
    for (size_t i = 0; i < sizeof decoder / sizeof *decoder; i++)
        assert_near(bias_at(e, 0, far_away, far_away + decoder[i][0]), decoder[i][1], 0);
    enc_close(e);
}

static void t5_staircase_is_the_bias(void **state)
{
    (void)state;
    static const char *const settings[][3] = {{"true", "32", "128"}, {"false", "32", "128"}, {"true", "7", "20"},
                                              {"false", "2", "2"}, {"true", "4", "2"}, {"true", "320", "800"},
                                              {"false", "64", "33"}, {"true", "33", "1000000"},
                                              {"true", "6", "9"}, {"true", "6", "484"}, {"true", "18", "128"}};
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        struct enc *e = t5(settings[s][0], settings[s][1], settings[s][2]);
        struct profile p;
        assert_true(e->kind->distance(e, 0, &p));
        for (double d = -1500; d <= 1500; d++)
            assert_near(profile_at(&p, d), bias_at(e, 0, d, 0), 0);
        for (double d = 1500; d <= far_away; d = floor(d * 1.01)) {
            assert_near(profile_at(&p, d), bias_at(e, 0, d, 0), 0);
            assert_near(profile_at(&p, -d), bias_at(e, 0, 0, d), 0);
        }
        profile_done(&p);
        enc_close(e);
    }
}

/* Where the inverse of the formula is rounded to the wrong side of a whole number a stair would begin one key early or late. */
static void t5_stairs_begin_where_the_formula_says(void **state)
{
    (void)state;
    for (int max = 3; max <= 400; max += 7)
        for (int buckets = 4; buckets <= 20; buckets += 2) {
            if (max <= buckets / 4)
                continue;
            char b[16], m[16];
            snprintf(b, sizeof b, "%d", buckets);
            snprintf(m, sizeof m, "%d", max);
            struct enc *e = t5("true", b, m);
            struct profile p;
            assert_true(e->kind->distance(e, 0, &p));
            for (double d = -max - 1; d <= max + 1; d++)
                assert_near(profile_at(&p, d), bias_at(e, 0, d, 0), 0);
            profile_done(&p);
            enc_close(e);
        }
}

static void t5_refuses_what_has_no_logarithm(void **state)
{
    (void)state;
    assert_refused("t5_bias", small, SETTINGS({"max_distance", "8", NULL}),
                   "max_distance = 8: must be larger than the exact part of the buckets, 8");
    assert_refused("t5_bias", small, SETTINGS({"bidirectional", "no", NULL}, {"max_distance", "16", NULL}), "16 here");
    assert_refused("t5_bias", small, SETTINGS({"num_buckets", "3", NULL}), "num_buckets = 3: must be at least 4");
    assert_refused("t5_bias", small, SETTINGS({"num_buckets", "1", NULL}), "allowed is 2 to");
    struct err err = {0};
    struct table *wrong = table2(31, 1);
    assert_null(try_open("t5_bias", small, SETTINGS({"table", NULL, wrong}), &err));
    assert_string_equal(err.text, "table is 31 x 1: must be 32 x 1 here");
}

/* ---- Shaw ------------------------------------------------------------------------------------------ */

/* Terms of one query against keys 0 ... n-1 of the same vector. */
static void term_row(const struct enc *e, int term, double query, const double *q, const double *k_pos, const double *k,
                     size_t n, double *out)
{
    double content[64] = {0};
    e->kind->context(e, term, 0, &(struct query){&query, q}, &(struct keys){n, k_pos, k, content}, out);
}

static void shaw_clips_key_minus_query(void **state)
{
    (void)state;
    const struct shape one = {.length = 8, .n_heads = 1, .d_head = 1, .d_model = 1};
    struct enc *e = open_with("shaw", one, SETTINGS({"clip_left", "3", NULL}, {"clip_right", "1", NULL},
                                                    {"key_table", NULL, column(5, 10, 1)}));
    double q = 2, pos[7], k[7] = {0}, out[7];
    for (int j = 0; j < 7; j++)
        pos[j] = far_away + j;
    static const double want[7] = {20, 20, 22, 24, 26, 28, 28};     /* 2 times row 0, 0, 1, 2, 3, 4, 4 */
    term_row(e, 0, far_away + 4, &q, pos, k, 7, out);
    for (int j = 0; j < 7; j++)
        assert_near(out[j], want[j], 0);
    enc_close(e);
}

static void bert_relative_key_has_the_opposite_sign_and_an_end(void **state)
{
    (void)state;
    const struct shape one = {.length = 8, .n_heads = 1, .d_head = 1, .d_model = 1};
    struct enc *e = open_with("shaw", one, SETTINGS({"position_embedding_type", "relative_key_query", NULL},
                                                    {"max_position_embeddings", "3", NULL},
                                                    {"key_table", NULL, column(5, 0, 1)}));
    double q = 1, pos[6] = {0, 1, 2, 3, 4, 5}, k[6] = {1, 10, 100, 1000, 10000, 0}, out[6];
    term_row(e, 0, 2, &q, pos, k, 6, out);              /* row i - j + 2 */
    for (int j = 0; j < 5; j++)
        assert_near(out[j], 2 - j + 2, 0);
    assert_true(isnan(out[5]));
    term_row(e, 1, 2, &q, pos, k, 6, out);
    assert_near(out[0], 4, 0);
    assert_near(out[3], 1000, 0);
    enc_close(e);
    e = open_with("shaw", one, NULL);
    term_row(e, 1, 2, &q, pos, k, 6, out);
    assert_near(out[0], 0, 0);
    enc_close(e);
}

/* ---- Transformer-XL -------------------------------------------------------------------------------- */

static const struct shape xl_shape = {.length = 8, .n_heads = 2, .d_head = 3, .d_model = 10};

/* a . Wr R(x) for one head, by the definition. */
static double against_sinusoid(const struct table *wr, int head, int d, int D, const double *a, double x)
{
    double sum = 0;
    for (int r = 0; r < d; r++) {
        for (int k = 0; k < D / 2; k++) {
            double w = pow(10000, -2.0 * k / D);
            sum += a[r] * wr->v[(head * d + r) * D + k] * sin(w * x) + a[r] * wr->v[(head * d + r) * D + D / 2 + k] * cos(w * x);
        }
    }
    return sum;
}

static struct table *some_numbers(size_t rows, size_t columns, double salt)
{
    struct table *t = table2(rows, columns);
    for (size_t i = 0; i < t->n; i++)
        t->v[i] = sin(salt + 1.7 * (double)i);
    return t;
}

static void transformer_xl_terms_are_the_direct_products(void **state)
{
    (void)state;
    static const char *const clamps[] = {"-1", "100"};
    for (size_t c = 0; c < 2; c++) {
        struct table *wr = some_numbers(6, 10, 1), *u = some_numbers(2, 3, 2), *v = some_numbers(2, 3, 3);
        struct enc *e = open_with("transformer_xl", xl_shape, SETTINGS({"clamp_len", clamps[c], NULL},
                                                                       {"r_weight", NULL, table_ref(wr)},
                                                                       {"u", NULL, table_ref(u)}, {"v", NULL, table_ref(v)}));
        double q[3] = {0.3, -1.2, 0.7}, k[150 * 3], pos[150], b[150], d[150], g[150];
        for (int j = 0; j < 150; j++) {
            pos[j] = far_away + j;
            for (int i = 0; i < 3; i++)
                k[3 * j + i] = cos(j + i);
        }
        double query = far_away + 120, most = c ? 100 : INFINITY;
        e->kind->context(e, 0, 1, &(struct query){&query, q}, &(struct keys){150, pos, k, NULL}, b);
        e->kind->context(e, 1, 1, &(struct query){&query, q}, &(struct keys){150, pos, k, NULL}, g);
        e->kind->bias(e, 1, &query, pos, 150, d);
        for (int j = 0; j < 150; j++) {
            double x = fmin(120 - j, most), scale = 1 / sqrt(3);
            assert_near(b[j], scale * against_sinusoid(wr, 1, 3, 10, q, x), 1e-12);
            assert_near(d[j], scale * against_sinusoid(wr, 1, 3, 10, v->v + 3, x), 1e-12);
            assert_near(g[j], scale * (u->v[3] * k[3 * j] + u->v[4] * k[3 * j + 1] + u->v[5] * k[3 * j + 2]), 1e-12);
        }
        enc_close(e);
        table_unref(wr);
        table_unref(u);
        table_unref(v);
    }
}

static struct answer ask(const struct encoding *kind, const char *output, struct arg *args, size_t n_args,
                         struct arg *inputs, size_t n_inputs,
                         struct table *positions)
{
    struct request r = {.output = output, .args = args, .n_args = n_args, .inputs = inputs, .n_inputs = n_inputs,
                        .positions = positions};
    struct answer a = {0};
    struct err err = {0};
    if (!quantity_answer(kind, &r, &a, &err))
        fail_msg("%s: %s", output, err.text);
    return a;
}

/* Column c of X holds distance klen-1-c; after the shift column j of row i must hold distance i + klen - qlen - j. */
static void the_shift_puts_each_distance_under_its_key(void **state)
{
    (void)state;
    const struct encoding *kind = encoding_find("transformer_xl", NULL);
    for (size_t qlen = 1; qlen <= 5; qlen++) {
        for (size_t klen = qlen; klen <= 9; klen++) {
            struct table *x = table2(qlen, klen), *both = table2(qlen, klen + qlen);
            for (size_t t = 0; t < x->n; t++)
                x->v[t] = 1000 * (double)(t / klen + 1) + (double)(klen - 1 - t % klen);
            for (size_t t = 0; t < both->n; t++)
                both->v[t] = 1000 * (double)(t / (klen + qlen) + 1) + (double)klen - (double)(t % (klen + qlen));
            struct arg in = {.name = "x", .number = NAN, .list = x}, in_both = {.name = "x", .number = NAN, .list = both};
            struct answer shifted = ask(kind, "rel_shift", NULL, 0, &in, 1, NULL);
            struct answer bi = ask(kind, "rel_shift_bidirectional", NULL, 0, &in_both, 1, NULL);
            for (size_t i = 0; i < qlen; i++) {
                for (size_t j = 0; j < klen; j++) {
                    double want = 1000 * (double)(i + 1) + (double)(i + klen - qlen) - (double)j;
                    if (j <= i + klen - qlen)
                        assert_near(shifted.values->v[i * klen + j], want, 0);
                    assert_near(bi.values->v[i * klen + j], want, 0);
                }
            }
            table_unref(shifted.values);
            table_unref(bi.values);
            table_unref(x);
            table_unref(both);
        }
    }
}

/* ---- DeBERTa --------------------------------------------------------------------------------------- */

static void deberta_buckets_are_those_of_v3(void **state)
{
    (void)state;
    static const double want[][2] = {{0, 0}, {1, 1}, {127, 127}, {128, 128}, {129, 129}, {200, 169}, {256, 192},
                                     {400, 233}, {511, 255}, {-1, -1}, {-128, -128}, {-129, -129}, {-511, -255}};
    enum { N = sizeof want / sizeof *want };
    double r[N];
    for (int i = 0; i < N; i++)
        r[i] = want[i][0];
    struct table *positions = table_list(r, N);
    struct answer a = ask(encoding_find("deberta", NULL), "log_bucket", NULL, 0, NULL, 0, positions);
    assert_true(a.integer);
    for (int i = 0; i < N; i++)
        assert_near(a.values->v[i], want[i][1], 0);
    table_unref(a.values);
    table_unref(positions);
}

static struct table *identity(size_t n)
{
    struct table *t = table2(n, n);
    for (size_t i = 0; i < n; i++)
        t->v[i * n + i] = 1;
    return t;
}

/* A table of row numbers, projected by the identity, makes both terms show the row they take. */
static struct enc *deberta_by_row(double length, size_t rows, struct setting first, struct setting second)
{
    const struct shape one = {.length = length, .n_heads = 1, .d_head = 1, .d_model = 1};
    return open_with("deberta", one, SETTINGS(first, second, {"rel_embeddings", NULL, column(rows, 0, 1)},
                                              {"key_proj_weight", NULL, identity(1)},
                                              {"query_proj_weight", NULL, identity(1)}, {"pos_proj_weight", NULL, identity(1)},
                                              {"pos_q_proj_weight", NULL, identity(1)}));
}

static void deberta_terms_take_the_same_row(void **state)
{
    (void)state;
    struct enc *e = deberta_by_row(64, 16, (struct setting){"position_buckets", "-1", NULL},
                                   (struct setting){"max_relative_positions", "8", NULL});
    assert_near(e->scale, 1 / sqrt(3), 1e-15);
    double one = 1, ones[4] = {1, 1, 1, 1}, pos[4] = {far_away, far_away + 3, far_away + 100, 0}, a[4], b[4];
    static const double row[4] = {10, 7, 0, 15};        /* query at +2: differences 2, -1, -98, far */
    term_row(e, 0, far_away + 2, &one, pos, ones, 4, a);
    term_row(e, 1, far_away + 2, &one, pos, ones, 4, b);
    for (int j = 0; j < 4; j++) {
        assert_near(a[j], row[j] / sqrt(3), 1e-14);
        assert_near(b[j], row[j] / sqrt(3), 1e-14);
    }
    enc_close(e);
    e = deberta_by_row(64, 16, (struct setting){"max_relative_positions", "32", NULL},
                       (struct setting){"position_buckets", "8", NULL});
    term_row(e, 0, 100, &one, (double[]){100, 96, 95, 0}, ones, 4, a);      /* exact to 4, then logarithmic: 0, 4, 5, 7 */
    static const double bucket[4] = {8, 12, 13, 15};
    for (int j = 0; j < 4; j++)
        assert_near(a[j], bucket[j] / sqrt(3), 1e-14);
    enc_close(e);
}

static void deberta_leaves_out_the_terms_not_asked_for(void **state)
{
    (void)state;
    struct enc *e = deberta_by_row(64, 512, (struct setting){"pos_att_type", "p2c", NULL},
                                   (struct setting){"version", "v2", NULL});
    double one = 1, pos = 0, a, b;
    assert_near(e->scale, 1 / sqrt(2), 1e-15);
    term_row(e, 0, 1, &one, &pos, &one, 1, &a);
    term_row(e, 1, 1, &one, &pos, &one, 1, &b);
    assert_near(a, 0, 0);
    assert_near(b, 257 / sqrt(2), 1e-12);
    enc_close(e);
}

static void deberta_v1_uses_the_middle_of_its_table(void **state)
{
    (void)state;
    struct enc *e = deberta_by_row(4, 16, (struct setting){"version", "v1", NULL},
                                   (struct setting){"max_relative_positions", "8", NULL});
    double one = 1, ones[2] = {1, 1}, pos[2] = {0, 3}, a[2];
    term_row(e, 0, 3, &one, pos, ones, 2, a);           /* span 4 of 8: row clip(delta + 4) of rows 4 to 11 */
    assert_near(a[0], 11 / sqrt(3), 1e-14);
    assert_near(a[1], 8 / sqrt(3), 1e-14);
    enc_close(e);
}

static void deberta_refuses_spans_without_room(void **state)
{
    (void)state;
    assert_refused("deberta", small, SETTINGS({"max_relative_positions", "129", NULL}),
                   "max_relative_positions = 129: must be at least 130");
    assert_refused("deberta", small, SETTINGS({"position_buckets", "1", NULL}), "must be at least 2");
    assert_refused("deberta", small, SETTINGS({"rel_embeddings", NULL, table2(100, 4)}),
                   "rel_embeddings is 100 x 4: must be 512 x 4");
    assert_refused("deberta", small, SETTINGS({"rel_embeddings", NULL, table2(512, 4)}), "key_proj_weight: is needed");
    assert_refused("deberta", small, SETTINGS({"position_buckets", "-1", NULL}, {"max_relative_positions", "1e9", NULL}),
                   "allowed are");
}

/* ---- biases by formula ----------------------------------------------------------------------------- */

static void kerple_power_one_is_alibi(void **state)
{
    (void)state;
    const struct shape heads = {.length = 64, .n_heads = 4, .d_head = 4, .d_model = 16};
    struct enc *alibi = open_with("alibi", heads, NULL);
    struct enc *e = open_with("kerple", heads, SETTINGS({"kernel", "power", NULL},
                                                        {"r1", "0.25,0.0625,0.015625,0.01", NULL}, {"r2", "1", NULL}));
    for (int h = 0; h < 3; h++)
        for (double d = -3; d <= far_away; d = d * 7 + 30)
            assert_near(bias_at(e, h, d, 0), bias_at(alibi, h, d, 0), 1e-9 * fabs(d));
    enc_close(alibi);
    enc_close(e);
}

/* (q.k - m d) / sqrt(d_head): Falcon scales the bias with the dot product. */
static void falcon_scales_its_bias(void **state)
{
    (void)state;
    const struct shape heads = {.length = 64, .n_heads = 8, .d_head = 64, .d_model = 512};
    struct enc *e = open_with("alibi", heads, SETTINGS({"form", "scaled", NULL}));
    struct profile p;
    assert_true(e->kind->distance(e, 1, &p));           /* slope 1/4 */
    for (double d = 0; d <= far_away; d = d * 7 + 3) {
        assert_near(bias_at(e, 1, d, 0), -d / 4 / 8, 1e-12 * d);
        assert_near(profile_at(&p, d), -d / 4 / 8, 1e-12 * d);
    }
    assert_near(bias_at(e, 1, 0, 5), 0, 0);
    profile_done(&p);
    enc_close(e);
}

static void kerple_clamps_as_published(void **state)
{
    (void)state;
    struct enc *e = open_with("kerple", small, SETTINGS({"r1", "0.001", NULL}, {"r2", "1", NULL}));
    assert_near(bias_at(e, 0, 4, 0), -0.01 * log(5), 1e-15);
    assert_near(bias_at(e, 0, 0, 4), 0, 0);
    enc_close(e);
    e = open_with("kerple", small, SETTINGS({"kernel", "power", NULL}, {"r1", "0.5", NULL}, {"r2", "3", NULL},
                                            {"bidirectional", "yes", NULL}));
    assert_near(bias_at(e, 0, 0, 5), -12.5, 1e-12);
    struct profile p;
    assert_true(e->kind->distance(e, 0, &p));
    assert_near(profile_at(&p, -5), -12.5, 1e-12);
    profile_done(&p);
    enc_close(e);
    assert_refused("kerple", (struct shape){64, 4, 4, 16, 0}, SETTINGS({"r1", "1,2", NULL}),
                   "r1 has 2 entries: must be 1 or num_heads = 4");
}

static void fire_measures_distance_by_the_query(void **state)
{
    (void)state;
    /* A network of one unit that passes its input through. */
    struct table *b1 = table_list((double[]){0}, 1), *b2 = table_list((double[]){0}, 1);
    struct enc *e = open_with("fire", small, SETTINGS({"mlp_width", "1", NULL}, {"w1", NULL, identity(1)},
                                                      {"b1", NULL, b1}, {"w2", NULL, identity(1)},
                                                      {"b2", NULL, b2}));
    assert_near(bias_at(e, 0, far_away, 0), 1, 1e-6);                   /* the whole way, however long */
    assert_near(bias_at(e, 0, 512, 0), 1, 1e-6);
    assert_near(bias_at(e, 0, 100, 0), log(11) / (log(52.2) + 1e-6), 1e-14);       /* before L = 512 by L */
    assert_near(bias_at(e, 0, 2000, 1990), log(2) / (log(201) + 1e-6), 1e-14);
    assert_near(bias_at(e, 0, 5, 6), 0, 0);
    enc_close(e);
}

static void sandwich_is_the_product_of_two_sinusoidal_rows(void **state)
{
    (void)state;
    const struct shape heads = {.length = 64, .n_heads = 4, .d_head = 4, .d_model = 16};
    struct enc *e = open_with("sandwich", heads, SETTINGS({"bar_d", "16", NULL}, {"index_start", "0", NULL}));
    double pos[100], out[100];
    for (int j = 0; j < 100; j++)
        pos[j] = far_away + j;
    double i = far_away + 50;
    e->kind->bias(e, 2, &i, pos, 100, out);
    struct profile p;
    assert_true(e->kind->distance(e, 2, &p));
    for (int j = 0; j < 100; j++) {
        double dot = 0;
        for (int k = 0; k < 8; k++) {
            double w = pow(10000, -2.0 * k / 16);
            dot += sin(50 * w) * sin(j * w) + cos(50 * w) * cos(j * w);
        }
        assert_near(out[j], dot / 6, 1e-12);            /* head 3 of 4: 3 * 8 / 4 */
        assert_near(profile_at(&p, 50 - j), out[j], 1e-12);
    }
    profile_done(&p);
    enc_close(e);
    assert_refused("sandwich", small, SETTINGS({"bar_d", "7", NULL}), "bar_d = 7: must be even");
}

static void turned_waves_are_waves(void **state)
{
    (void)state;
    double w[7], c[7], s[7], d[300], out[300];
    for (int k = 0; k < 7; k++)
        w[k] = pow(10000, -k / 7.0), c[k] = cos(k), s[k] = sin(3 * k);
    for (int way = 0; way < 3; way++) {
        for (int j = 0; j < 300; j++)
            d[j] = way == 0 ? far_away - j : way == 1 ? 3 * j - 200 : fmin(j, 150);
        memset(out, 0, sizeof out);
        waves_add(w, c, s, 7, d, 300, out);
        for (int j = 0; j < 300; j++) {
            double want = 0;
            for (int k = 0; k < 7; k++)
                want += c[k] * cos(w[k] * d[j]) + s[k] * sin(w[k] * d[j]);
            assert_near(out[j], want, way == 0 ? 5e-9 : 1e-12);       /* 1e7 itself is known to 2e-9 */
        }
    }
}

/* Several runs of them, in equal steps and not. */
static void rows_of_waves_are_their_sines_and_cosines(void **state)
{
    (void)state;
    enum { N = 600, WAVES = 5 };
    static const double w[WAVES] = {0, 1, 0.5, 1e-3, 0.25};
    static double d[N], out[N * 2 * WAVES];
    for (int way = 0; way < 2; way++) {
        for (int j = 0; j < N; j++)
            d[j] = way ? fmin(j, 301) : 40 - j;
        waves_rows(w, WAVES, d, N, out);
        for (int j = 0; j < N; j++)
            for (int k = 0; k < WAVES; k++) {
                assert_near(out[2 * j * WAVES + k], sin(w[k] * d[j]), 1e-12);
                assert_near(out[(2 * j + 1) * WAVES + k], cos(w[k] * d[j]), 1e-12);
            }
    }
}

/* ---- CoPE ------------------------------------------------------------------------------------------ */

static void cope_counts_what_the_gates_let_in(void **state)
{
    (void)state;
    const struct shape one = {.length = 8, .n_heads = 1, .d_head = 1, .d_model = 1};
    struct table *e_row = table2(1, 6);                 /* column p holds 10 p */
    for (int p = 0; p < 6; p++)
        e_row->v[p] = 10 * p;
    struct enc *e = open_with("cope", one, SETTINGS({"npos_max", "6", NULL}, {"pos_emb", NULL, e_row}));
    double q = 1, query = 6, pos[8] = {0, 1, 2, 3, 4, 5, 6, 7}, k[8] = {0}, out[8];
    double closed[8] = {0}, open[8] = {99, 99, 99, 99, 99, 99, 99, 99};
    struct keys keys = {.n = 8, .pos = pos, .vec = k, .content = closed};
    e->kind->context(e, 0, 0, &(struct query){&query, &q}, &keys, out);
    for (int j = 0; j <= 6; j++)
        assert_near(out[j], 10 * 0.5 * (7 - j), 1e-12);               /* half a gate each, from the query backwards */
    assert_near(out[7], 0, 0);
    keys.content = open;
    e->kind->context(e, 0, 0, &(struct query){&query, &q}, &keys, out);
    for (int j = 0; j <= 6; j++)
        assert_near(out[j], 10 * fmin(7 - j, 5), 1e-12);
    enc_close(e);
}

static void cope_gate_sees_scaled_or_plain_logits(void **state)
{
    (void)state;
    const struct shape wide = {.length = 2, .n_heads = 1, .d_head = 4, .d_model = 4};
    double q[4] = {1, 0, 0, 0}, query = 0, pos = 0, content = 1, out;     /* content 1 is q.k = 2 at scale 1/2 */
    for (int scaled = 0; scaled < 2; scaled++) {
        struct table *t = table2(4, 3);
        t->v[1] = 1;                                    /* e[1] along the query, e[0] = e[2] = 0 */
        struct enc *e = open_with("cope", wide, SETTINGS({"npos_max", "3", NULL},
                                                         {"gate_logits", scaled ? "q.k/sqrt(d)" : "q.k", NULL},
                                                         {"pos_emb", NULL, t}));
        e->kind->context(e, 0, 0, &(struct query){&query, q}, &(struct keys){1, &pos, q, &content}, &out);
        assert_near(out, 1 / (1 + exp(scaled ? -1 : -2)), 1e-15);
        enc_close(e);
    }
}

/* ---- two dimensions -------------------------------------------------------------------------------- */

static void mae_has_the_column_first(void **state)
{
    (void)state;
    const struct shape d8 = {.length = 9, .n_heads = 1, .d_head = 8, .d_model = 8};
    struct enc *e = open_with("sinusoidal_2d", d8, NULL);
    double pos[6] = {5, 2, far_away, 2, NAN, NAN}, out[24];
    e->kind->row(e, pos, 3, out);
    static const double w[2] = {1, 0.01};
    for (int k = 0; k < 2; k++) {
        assert_near(out[k], sin(2 * w[k]), 1e-15);
        assert_near(out[2 + k], cos(2 * w[k]), 1e-15);
        assert_near(out[4 + k], sin(5 * w[k]), 1e-15);
        assert_near(out[8 + 4 + k], sin(far_away * w[k]), 1e-9);
        assert_near(out[8 + k], out[k], 0);
    }
    for (int c = 0; c < 8; c++)
        assert_near(out[16 + c], 0, 0);
    enc_close(e);
}

static void detr_has_the_row_first_and_counts_from_one(void **state)
{
    (void)state;
    const struct shape d8 = {.length = 6, .n_heads = 1, .d_head = 8, .d_model = 8};
    struct enc *e = open_with("sinusoidal_2d", d8, SETTINGS({"style", "detr", NULL}, {"temperature", "20", NULL}));
    double pos[2] = {0, 2}, out[8];
    e->kind->row(e, pos, 1, out);
    assert_near(out[0], sin(1), 1e-15);
    assert_near(out[3], cos(1 / sqrt(20)), 1e-15);
    assert_near(out[4], sin(3), 1e-15);
    enc_close(e);
    e = open_with("sinusoidal_2d", d8, SETTINGS({"style", "detr", NULL}, {"normalize", "yes", NULL}, {"grid", "2,3", NULL}));
    e->kind->row(e, pos, 1, out);
    assert_near(out[0], sin(1 / (2 + 1e-6) * 2 * acos(-1)), 1e-12);
    assert_near(out[5], cos(3 / (3 + 1e-6) * 2 * acos(-1)), 1e-12);
    const struct spectrum *s = e->kind->spectrum(e);
    assert_int_equal(s->n, 4);
    assert_near(s->inv_freq[0], 2 * acos(-1) / (2 + 1e-6), 1e-12);
    enc_close(e);
    assert_refused("sinusoidal_2d", (struct shape){9, 1, 6, 6, 0}, NULL, "d_model = 6: must be divisible by 4");
    assert_refused("sinusoidal_2d", d8, SETTINGS({"grid", "2.5,3", NULL}), "grid: must be two whole numbers");
}

static void swin_rows_mirror_around_the_middle(void **state)
{
    (void)state;
    const struct shape heads = {.length = 6, .n_heads = 1, .d_head = 4, .d_model = 4};
    struct enc *e = open_with("relpos_2d", heads, SETTINGS({"window", "2,3", NULL}, {"table", NULL, column(15, 0, 1)}));
    double a[2] = {1, 0}, b[4] = {0, 2, 1, 0}, out[2], back[1];
    e->kind->bias(e, 0, a, b, 2, out);
    assert_near(out[0], (1 + 1) * 5 + (-2 + 2), 0);                    /* dy = 1, dx = -2 */
    assert_near(out[1], 7, 0);
    e->kind->bias(e, 0, b, a, 1, back);
    assert_near(out[0] + back[0], 14, 0);
    double outside[4] = {3, 0, 1, 3};
    e->kind->bias(e, 0, a, outside, 2, out);
    assert_true(isnan(out[0]) && isnan(out[1]));
    enc_close(e);
    assert_refused("relpos_2d", heads, SETTINGS({"window", "7", NULL}), "window: must be two whole numbers from 1 to 512");
    assert_refused("relpos_2d", heads, SETTINGS({"window", "0,7", NULL}), "allowed is 1 to 512");
}

static void beit_has_three_rows_for_the_class_token(void **state)
{
    (void)state;
    const struct shape heads = {.length = 5, .n_heads = 1, .d_head = 4, .d_model = 4};
    struct enc *e = open_with("relpos_2d", heads, SETTINGS({"style", "beit", NULL}, {"window", "2,2", NULL},
                                                           {"table", NULL, column(12, 0, 1)}));
    double cls[2] = {NAN, NAN}, patch[2] = {1, 1}, out;
    e->kind->bias(e, 0, cls, patch, 1, &out);
    assert_near(out, 9, 0);
    e->kind->bias(e, 0, patch, cls, 1, &out);
    assert_near(out, 10, 0);
    e->kind->bias(e, 0, cls, cls, 1, &out);
    assert_near(out, 11, 0);
    enc_close(e);
}

static void swin_v2_takes_logarithms_of_the_offset(void **state)
{
    (void)state;
    const struct shape heads = {.length = 64, .n_heads = 1, .d_head = 4, .d_model = 4};
    struct table *w1 = table2(512, 2), *b1 = table_new(1, (size_t[]){512}), *w2 = table2(1, 512);
    w1->v[0] = 1;                                       /* unit 0 passes y, unit 1 passes x where positive */
    w1->v[3] = 1;
    w2->v[0] = 1;
    w2->v[1] = 10;
    struct enc *e = open_with("relpos_2d", heads, SETTINGS({"style", "swinv2", NULL}, {"window", "8,1", NULL},
                                                           {"w1", NULL, w1}, {"b1", NULL, b1}, {"w2", NULL, w2}));
    double a[2] = {7, 0}, b[4] = {0, 0, 6, 0}, out[2];
    e->kind->bias(e, 0, a, b, 2, out);
    assert_near(out[0], 16 / (1 + exp(-log2(9) / 3)), 1e-12);          /* 8 * 7 / 7 = 8 */
    assert_near(out[1], 16 / (1 + exp(-log2(1 + 8.0 / 7) / 3)), 1e-12);
    enc_close(e);
}

/* ---- all of them ----------------------------------------------------------------------------------- */

static const char *const all[] = {"shaw", "transformer_xl", "t5_bias", "deberta", "kerple", "sandwich", "fire", "cope",
                                  "sinusoidal_2d", "relpos_2d"};

/* 10^12 tokens: anything held a token would be terabytes. */
static void nothing_is_held_for_each_token(void **state)
{
    (void)state;
    const struct shape endless = {.length = 1e12, .n_heads = 2, .d_head = 4, .d_model = 8};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        enc_close(open_with(all[i], endless, NULL));
    enc_close(open_with("deberta", endless, SETTINGS({"version", "v1", NULL})));
    enc_close(open_with("sinusoidal_2d", endless, SETTINGS({"style", "detr", NULL}, {"normalize", "yes", NULL})));
}

static void a_seed_makes_the_same_table_again(void **state)
{
    (void)state;
    struct enc *a = open_with("t5_bias", small, SETTINGS({"table_seed", "5", NULL})),
        *b = open_with("t5_bias", small, SETTINGS({"table_seed", "5", NULL}));
    struct enc *c = open_with("t5_bias", small, SETTINGS({"table_seed", "6", NULL}));
    assert_near(bias_at(a, 0, 9, 2), bias_at(b, 0, 9, 2), 0);
    assert_true(bias_at(a, 0, 9, 2) != bias_at(c, 0, 9, 2));
    enc_close(a);
    enc_close(b);
    enc_close(c);
}

struct race { const struct enc *e; double got[64]; };

static bool ask_head(void *ctx, size_t i, int thread)
{
    (void)thread;
    struct race *r = ctx;
    r->got[i] = bias_at(r->e, (int)(i % 4), 9, 2);
    return true;
}

/* Blocks of heads are made by whoever asks first. */
static void threads_that_ask_at_once_get_the_same(void **state)
{
    (void)state;
    const struct shape heads = {.length = 64, .n_heads = 4, .d_head = 8, .d_model = 32};
    for (int round = 0; round < 20; round++) {
        struct enc *e = open_with("transformer_xl", heads, NULL), *alone = open_with("transformer_xl", heads, NULL);
        struct race r = {.e = e};
        assert_true(parallel_for(64, 4, ask_head, &r));
        for (int i = 0; i < 64; i++)
            assert_near(r.got[i], bias_at(alone, i % 4, 9, 2), 0);
        enc_close(e);
        enc_close(alone);
    }
}

/* Layer normalisation leaves rows of mean 0 and variance 1: seen through the key's term with an identity projection. */
static void deberta_normalises_the_table_if_asked(void **state)
{
    (void)state;
    struct table *rows = some_numbers(4, 4, 5);
    double mean = 0, variance = 0;
    for (int c = 0; c < 4; c++)
        mean += rows->v[8 + c] / 4;
    for (int c = 0; c < 4; c++)
        variance += (rows->v[8 + c] - mean) * (rows->v[8 + c] - mean) / 4;
    double want = (rows->v[8] - mean) / sqrt(variance + 1e-7);
    struct enc *e = open_with("deberta", small, SETTINGS({"position_buckets", "-1", NULL},
                                                         {"max_relative_positions", "2", NULL},
                                                         {"norm_rel_ebd", "layer_norm", NULL},
                                                         {"rel_embeddings", NULL, rows}, {"key_proj_weight", NULL, identity(4)},
                                                         {"query_proj_weight", NULL, identity(4)}));
    double q[4] = {1, 0, 0, 0}, pos = 3, out;
    term_row(e, 0, 3, q, &pos, q, 1, &out);             /* distance 0 is row 2 */
    assert_near(out, want / sqrt(12), 1e-12);
    enc_close(e);
}

/* The view of costs shows them. Two heads of 8, width 16; a linear map from width to width has 256 numbers, and 16 offsets where it has any. */
static void trained_numbers_follow_the_settings(void **state)
{
    (void)state;
    static const struct shape two = {.length = 64, .n_heads = 2, .d_head = 8, .d_model = 16};
    static const struct { const char *id; struct setting set[4]; double want; } counted[] = {
        {"deberta", {{"position_buckets", "32", NULL}}, 64 * 16},
        {"deberta", {{"position_buckets", "32", NULL}, {"norm_rel_ebd", "layer_norm", NULL}}, 64 * 16 + 2 * 16},
        {"deberta", {{"position_buckets", "32", NULL}, {"share_att_key", "no", NULL}}, 64 * 16 + 2 * (256 + 16)},
        {"deberta", {{"position_buckets", "32", NULL}, {"share_att_key", "no", NULL}, {"pos_att_type", "c2p", NULL}}, 64 * 16 + 256 + 16},
        {"deberta", {{"version", "v1", NULL}, {"max_relative_positions", "40", NULL}}, 80 * 16 + 256 + 256 + 16},
        {"deberta", {{"version", "v1", NULL}, {"max_relative_positions", "40", NULL}, {"pos_att_type", "c2p", NULL}}, 80 * 16 + 256},
        {"deberta", {{"version", "v1", NULL}, {"max_relative_positions", "40", NULL}, {"pos_att_type", "p2c", NULL}}, 80 * 16 + 256 + 16},
        {"relpos_2d", {{"style", "swinv2", NULL}}, 512 * 2 + 512 + 2 * 512},
        {"relpos_2d", {{"style", "beit", NULL}, {"window", "3,3", NULL}}, (5 * 5 + 3) * 2},
    };
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        struct enc *e = open_with(counted[i].id, two, counted[i].set);
        assert_near(e->kind->weights(e), counted[i].want, 0);
        enc_close(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t5_buckets_are_those_of_t5_small),
        cmocka_unit_test(t5_staircase_is_the_bias),
        cmocka_unit_test(t5_stairs_begin_where_the_formula_says),
        cmocka_unit_test(t5_refuses_what_has_no_logarithm),
        cmocka_unit_test(shaw_clips_key_minus_query),
        cmocka_unit_test(bert_relative_key_has_the_opposite_sign_and_an_end),
        cmocka_unit_test(transformer_xl_terms_are_the_direct_products),
        cmocka_unit_test(the_shift_puts_each_distance_under_its_key),
        cmocka_unit_test(deberta_buckets_are_those_of_v3),
        cmocka_unit_test(deberta_terms_take_the_same_row),
        cmocka_unit_test(deberta_leaves_out_the_terms_not_asked_for),
        cmocka_unit_test(deberta_v1_uses_the_middle_of_its_table),
        cmocka_unit_test(deberta_refuses_spans_without_room),
        cmocka_unit_test(deberta_normalises_the_table_if_asked),
        cmocka_unit_test(kerple_power_one_is_alibi),
        cmocka_unit_test(falcon_scales_its_bias),
        cmocka_unit_test(kerple_clamps_as_published),
        cmocka_unit_test(fire_measures_distance_by_the_query),
        cmocka_unit_test(sandwich_is_the_product_of_two_sinusoidal_rows),
        cmocka_unit_test(turned_waves_are_waves),
        cmocka_unit_test(cope_counts_what_the_gates_let_in),
        cmocka_unit_test(cope_gate_sees_scaled_or_plain_logits),
        cmocka_unit_test(mae_has_the_column_first),
        cmocka_unit_test(detr_has_the_row_first_and_counts_from_one),
        cmocka_unit_test(swin_rows_mirror_around_the_middle),
        cmocka_unit_test(beit_has_three_rows_for_the_class_token),
        cmocka_unit_test(swin_v2_takes_logarithms_of_the_offset),
        cmocka_unit_test(nothing_is_held_for_each_token),
        cmocka_unit_test(a_seed_makes_the_same_table_again),
        cmocka_unit_test(threads_that_ask_at_once_get_the_same),
        cmocka_unit_test(rows_of_waves_are_their_sines_and_cosines),
        cmocka_unit_test(trained_numbers_follow_the_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
