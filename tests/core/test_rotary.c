/* The turning that the RoPE family shares: angles far out, layouts, scaling types at their edges, refusals. If these fail, a user
 * sees wrong angles at long positions, or a configuration that cannot work is shown as if it did. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "core/rotary.h"

extern const struct encoding encoding_rope;

#define SET(...) (const char *const[][2]){__VA_ARGS__, {NULL, NULL}}

/* An instance of rope with some parameters by name, as typed. */
static struct enc *rope(double length, int d_head, const char *const (*set)[2], struct err *err)
{
    struct shape shape = {.length = length, .n_heads = 2, .d_head = d_head, .d_model = 2 * d_head};
    struct value v[ENC_MAX_PARAMS];
    struct enc *e = NULL;
    for (size_t i = 0; i < encoding_rope.n_params; i++)
        v[i] = (struct value){encoding_rope.params[i].def, NULL};
    bool good = true;
    for (; set && (*set)[0] && good; set++) {
        int p = param_index(encoding_rope.params, encoding_rope.n_params, (*set)[0]);
        assert_true(p >= 0);
        good = param_parse(&encoding_rope.params[p], (*set)[1], &v[p], err);
    }
    if (good)
        e = enc_open(&encoding_rope, &shape, v, err);
    for (size_t i = 0; i < encoding_rope.n_params; i++)
        table_unref(v[i].t);
    return e;
}

static const struct spectrum *spectrum(const struct enc *e)
{
    return e->kind->spectrum(e);
}

static size_t in_band(const struct enc *e, enum band band)
{
    size_t n = 0;
    for (size_t k = 0; k < spectrum(e)->n; k++)
        n += spectrum(e)->band[k] == (int)band;
    return n;
}

static void far_angles_equal_those_of_a_wider_float(void **state)
{
    (void)state;
    static const double positions[] = {1, 4095, 131071, 1048575, 9999999, 1e7};
    static const char *const bases[] = {"10000", "500000", "1000000", "150000"};
    for (size_t b = 0; b < 4; b++) {
        struct enc *e = rope(1, 128, SET({"rope_theta", bases[b]}), NULL);
        long double base = e->param[1].x;
        for (size_t i = 0; i < 6; i++) {
            double x[128];
            for (size_t c = 0; c < 128; c++)
                x[c] = c < 64;                          /* each pair is (1, 0), so it becomes (cos, sin) */
            encoding_rope.rotate(e, SIDE_QUERY, 0, &positions[i], 1, x);
            for (size_t k = 0; k < 64; k++) {
                long double t = positions[i] * powl(base, -2 * (long double)k / 128);
                assert_true(fabs(x[k] - (double)cosl(t)) < 1e-6);
                assert_true(fabs(x[k + 64] - (double)sinl(t)) < 1e-6);
            }
        }
        enc_close(e);
    }
}

static double score(const char *layout, const double *q, const double *k)
{
    struct enc *e = rope(1, 16, SET({"layout", layout}, {"rotary_dim", "12"}), NULL);
    double a[16], b[16], sum = 0;
    memcpy(a, q, sizeof a);
    memcpy(b, k, sizeof b);
    encoding_rope.rotate(e, SIDE_QUERY, 0, &(double){17}, 1, a);
    encoding_rope.rotate(e, SIDE_KEY, 0, &(double){5}, 1, b);
    for (size_t c = 0; c < 16; c++)
        sum += a[c] * b[c];
    enc_close(e);
    return sum;
}

static void writing_interleaved_pairs_as_halves_keeps_scores(void **state)
{
    (void)state;
    double q[16], k[16];
    for (size_t c = 0; c < 16; c++) {
        q[c] = rng_normal(1, c);
        k[c] = rng_normal(2, c);
    }
    assert_true(fabs(score("interleaved", q, k) - score("interleaved_in_half_out", q, k)) < 1e-12);
    assert_true(fabs(score("interleaved", q, k) - score("half", q, k)) > 1e-3);
}

static void a_token_outside_the_text_is_not_turned(void **state)
{
    (void)state;
    struct enc *e = rope(1, 4, NULL, NULL);
    double x[8] = {1, 2, 3, 4, 1, 2, 3, 4};
    encoding_rope.rotate(e, SIDE_QUERY, 0, (double[]){NAN, 3}, 2, x);
    assert_memory_equal(x, ((double[]){1, 2, 3, 4}), 4 * sizeof *x);
    assert_true(x[4] != 1);
    enc_close(e);
}

/* Llama 4 Scout: low_freq_factor = high_freq_factor = 1, so no pair is blended and nothing is divided by zero. */
static void llama3_without_a_blending_band(void **state)
{
    (void)state;
    struct enc *e = rope(1, 128, SET({"rope_theta", "500000"}, {"rope_type", "llama3"}, {"factor", "16"},
        {"low_freq_factor", "1"}, {"high_freq_factor", "1"}, {"original_max_position_embeddings", "8192"}), NULL);
    assert_int_equal(in_band(e, BAND_KEPT), 35);
    assert_int_equal(in_band(e, BAND_BLENDED), 0);
    assert_int_equal(in_band(e, BAND_DIVIDED), 29);
    assert_true(fabs(2 * M_PI / spectrum(e)->inv_freq[63] / 40947100 - 1) < 1e-5);
    enc_close(e);
}

static void yarn_ramp_of_gpt_oss(void **state)
{
    (void)state;
    struct rope_scaling s = {.base = 150000, .width = 64, .original = 4096, .beta_fast = 32, .beta_slow = 1};
    double low, high;
    rope_yarn_ramp(&s, &low, &high);
    assert_true(fabs(low - 8.0928) < 1e-4 && fabs(high - 17.3980) < 1e-4);
    s.truncate = true;
    rope_yarn_ramp(&s, &low, &high);
    assert_true(low == 8 && high == 18);
}

/* Kimi-K2 has both at 1: a ramp of one step; equal whole ends would divide by zero without the 0.001. */
static void yarn_with_equal_betas_is_finite(void **state)
{
    (void)state;
    static const char *const lengths[] = {"4096", "1", "64", "1e9"};
    for (size_t i = 0; i < 4; i++) {
        struct enc *e = rope(1, 64, SET({"rope_theta", "50000"}, {"rope_type", "yarn"}, {"factor", "32"},
            {"beta_fast", "1"}, {"original_max_position_embeddings", lengths[i]}), NULL);
        assert_non_null(e);
        for (size_t k = 0; k < 32; k++)
            assert_true(isfinite(spectrum(e)->inv_freq[k]) && spectrum(e)->inv_freq[k] > 0);
        enc_close(e);
    }
}

static void qwen_ntk_grows_in_steps(void **state)
{
    (void)state;
    static const double lengths[] = {2048, 8192, 8193, 16384, 16385}, alphas[] = {1, 1, 3, 3, 7};
    for (size_t i = 0; i < 5; i++) {
        struct rope_scaling s = {.type = ROPE_QWEN_NTK, .base = 10000, .width = 128, .maximum = 8192,
                                 .length = lengths[i], .alpha = NAN};
        assert_true(fabs(rope_base(&s) / (10000 * pow(alphas[i], 128.0 / 126)) - 1) < 1e-12);
    }
}

/* Each setting is refused, and the message holds what is allowed. */
static void settings_that_cannot_work_are_refused(void **state)
{
    (void)state;
    static const struct { int d_head; const char *set[6][2]; const char *says; } cases[] = {
        {15, {{NULL, NULL}}, "head_dim = 15: must be an even number from 2"},
        {16, {{"rotary_dim", "7"}}, "must be an even number from 2 to 16"},
        {16, {{"rotary_dim", "18"}}, "must be an even number from 2 to 16"},
        {16, {{"partial_rotary_factor", "1.5"}}, "0 to 1"},
        {16, {{"partial_rotary_factor", "0.05"}}, "partial_rotary_factor = 0.05: 0 of 16 channels would turn, must be an even number from 2"},
        {16, {{"qk_nope_head_dim", "15"}}, "leaves 1 of head_dim = 16 channels to turn, must be an even number from 2"},
        {2, {{"rope_type", "dynamic"}, {"factor", "2"}, {"max_position_embeddings", "32"}}, "must be at least 4"},
        {2, {{"rope_type", "ntk"}, {"alpha", "2"}}, "must be at least 4"},
        {16, {{"rope_type", "ntk"}}, "needs alpha"},
        {16, {{"rope_type", "linear"}}, "needs factor"},
        {16, {{"rope_type", "linear"}, {"factor", "0.25"}}, "1 to"},
        {16, {{"rope_type", "dynamic"}, {"factor", "2"}}, "needs max_position_embeddings"},
        {16, {{"rope_type", "yarn"}, {"factor", "2"}}, "needs original_max_position_embeddings"},
        {16, {{"rope_type", "yarn"}, {"factor", "2"}, {"original_max_position_embeddings", "64"},
              {"beta_fast", "1"}, {"beta_slow", "32"}},
         "must be at least beta_slow = 32"},
        {16, {{"rope_type", "yarn"}, {"factor", "2"}, {"original_max_position_embeddings", "64"},
              {"rope_theta", "1"}}, "more than 1"},
        {16, {{"rope_type", "llama3"}, {"factor", "2"}, {"original_max_position_embeddings", "64"},
              {"low_freq_factor", "4"}, {"high_freq_factor", "1"}},
         "must be at least low_freq_factor = 4"},
        {16, {{"rope_type", "llama3"}, {"factor", "2"}}, "needs original_max_position_embeddings"},
        {16, {{"rope_type", "longrope"}, {"factor", "2"}, {"max_position_embeddings", "64"}}, "needs short_factor"},
        {16, {{"rope_type", "longrope"}, {"factor", "2"}, {"max_position_embeddings", "64"}, {"short_factor", "1,1,1"}},
         "has 3 entries, must be 8"},
        {16, {{"rope_type", "mrope"}}, "needs mrope_section"},
        {16, {{"mrope_section", "2,2,2"}}, "counts 6 pairs, must be 8"},
        {16, {{"mrope_section", "4,4"}}, "must be 3"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};
        struct enc *e = rope(64, cases[i].d_head, cases[i].set, &err);
        if (e || !strstr(err.text, cases[i].says))
            fail_msg("case %zu says '%s', not '%s'", i, e ? "nothing" : err.text, cases[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_angles_equal_those_of_a_wider_float),
        cmocka_unit_test(writing_interleaved_pairs_as_halves_keeps_scores),
        cmocka_unit_test(a_token_outside_the_text_is_not_turned),
        cmocka_unit_test(llama3_without_a_blending_band),
        cmocka_unit_test(yarn_ramp_of_gpt_oss),
        cmocka_unit_test(yarn_with_equal_betas_is_finite),
        cmocka_unit_test(qwen_ntk_grows_in_steps),
        cmocka_unit_test(settings_that_cannot_work_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
