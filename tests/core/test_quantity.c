/* Requests and answers without JSON: lookups, how a request opens an instance, and the quantities that every encoding
 * has. If these fail, `posviz compute` takes a setting for another, ignores one in silence, or answers what was not
 * asked. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/quantity.h"

enum { MAX = 8 };
struct asked {
    struct request r;
    struct arg args[MAX], inputs[MAX];
    struct answer a;
    struct err err;
};

static void ask_for(struct asked *q, const char *output)
{
    *q = (struct asked){.r.output = output};
    q->r.args = q->args;
    q->r.inputs = q->inputs;
}

static void set_number(struct asked *q, const char *name, double x)
{
    q->args[q->r.n_args++] = (struct arg){.name = name, .number = x};
}

static void set_text(struct asked *q, const char *name, const char *text)
{
    q->args[q->r.n_args++] = (struct arg){.name = name, .number = NAN, .text = text};
}

static void set_input(struct asked *q, const char *name, const double *v, size_t n)
{
    q->inputs[q->r.n_inputs++] = (struct arg){.name = name, .number = NAN, .list = table_list(v, n)};
}

static void set_positions(struct asked *q, const double *v, size_t n)
{
    q->r.positions = table_list(v, n);
}

static bool answer(struct asked *q, const char *encoding)
{
    return quantity_answer(encoding_find(encoding, NULL), &q->r, &q->a, &q->err);
}

static void done(struct asked *q)
{
    table_unref(q->a.values);
    table_unref(q->r.positions);
    for (size_t i = 0; i < q->r.n_args; i++)
        table_unref(q->args[i].list);
    for (size_t i = 0; i < q->r.n_inputs; i++)
        table_unref(q->inputs[i].list);
}

static void assert_values(const struct asked *q, const double *want, size_t n)
{
    assert_non_null(q->a.values);
    assert_int_equal(q->a.values->n, n);
    for (size_t i = 0; i < n; i++)
        assert_true(fabs(q->a.values->v[i] - want[i]) < 1e-12);
}

static void lookups_say_what_was_used(void **state)
{
    (void)state;
    struct asked q;
    ask_for(&q, "x");
    set_number(&q, "a", 3);
    set_text(&q, "b", "word");
    set_number(&q, "null", NAN);
    set_number(&q, "unknown", 1);
    assert_true(request_number(&q.r, "a", 7) == 3);
    assert_true(request_number(&q.r, "absent", 7) == 7);
    assert_true(request_number(&q.r, "b", 7) == 7);
    assert_string_equal(request_text(&q.r, "b", ""), "word");
    assert_null(request_arg(&q.r, "null"));
    assert_true(q.args[0].used && q.args[1].used && q.args[2].used && !q.args[3].used);
}

static void an_answer_has_a_limit(void **state)
{
    (void)state;
    struct answer a = {0};
    struct err err = {0};
    assert_null(answer_new(&a, 3, (size_t[]){1 << 10, 1 << 10, 1 << 10}, &err));
    assert_non_null(strstr(err.text, "134217728"));
    assert_null(answer_new(&a, 2, (size_t[]){SIZE_MAX, SIZE_MAX}, &err));
}

static void rows_at_positions(void **state)
{
    (void)state;
    struct asked q;
    ask_for(&q, "pe");
    set_number(&q, "d_model", 2);
    set_positions(&q, (double[]){0, 1, NAN}, 3);
    assert_true(answer(&q, "sinusoidal"));
    assert_values(&q, (double[]){0, 1, sin(1), cos(1), 0, 0}, 6);
    done(&q);
}

static void length_counts_positions(void **state)
{
    (void)state;
    struct asked q;
    ask_for(&q, "pe");
    set_number(&q, "d_model", 2);
    set_number(&q, "n", 2);
    assert_true(answer(&q, "sinusoidal"));
    assert_values(&q, (double[]){0, 1, sin(1), cos(1)}, 4);
    done(&q);
    ask_for(&q, "pe");
    set_number(&q, "d_model", 2);
    assert_false(answer(&q, "sinusoidal"));
    assert_non_null(strstr(q.err.text, "positions are needed"));
}

static void similarity_is_the_mean_cosine(void **state)
{
    (void)state;
    struct asked q;
    ask_for(&q, "similarity");
    set_number(&q, "head_dim", 4);
    set_positions(&q, (double[]){0, 5}, 2);
    assert_true(answer(&q, "rope"));
    double far = (cos(5) + cos(5 * 0.01)) / 2;
    assert_values(&q, (double[]){1, far, far, 1}, 4);
    done(&q);
}

/* q and k given: the product of the turned vectors. */
static void similarity_of_given_vectors(void **state)
{
    (void)state;
    struct asked q;
    ask_for(&q, "similarity");
    set_number(&q, "head_dim", 2);
    set_positions(&q, (double[]){0, 1}, 2);
    set_input(&q, "q", (double[]){1, 0}, 2);
    set_input(&q, "k", (double[]){0, 1}, 2);
    assert_true(answer(&q, "rope"));
    assert_values(&q, (double[]){0, -sin(1), sin(1), 0}, 4);
    done(&q);
}

/* What is not given is derived, and a quantity of the parameter's name says what is in use. */
static void derived_values_can_be_asked_for(void **state)
{
    (void)state;
    static const struct { const char *encoding, *output; double want; } cases[] = {
        {"rope", "rotary_dim", 12}, {"rope", "factor", 8}, {"rope", "original_max_position_embeddings", 4096},
        {"rope", "base", 10000}, {"learned", "offset", 0}, {"rope_2d", "rope_theta", 10000}, {"ggml_rope", "n_dims", 24},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct asked q;
        ask_for(&q, cases[i].output);
        set_number(&q, "head_dim", 24);
        set_number(&q, "partial_rotary_factor", 0.5);
        set_text(&q, "rope_type", "yarn");
        set_number(&q, "max_position_embeddings", 32768);
        set_number(&q, "original_max_position_embeddings", 4096);
        assert_true(answer(&q, cases[i].encoding));
        assert_values(&q, &cases[i].want, 1);
        done(&q);
    }
}

static void decay_of_a_bias_by_head(void **state)
{
    (void)state;
    struct asked q;
    ask_for(&q, "decay");
    set_number(&q, "num_heads", 2);
    set_positions(&q, (double[]){0, 1, 10}, 3);
    assert_true(answer(&q, "alibi"));
    assert_values(&q, (double[]){0, -1.0 / 16, -10.0 / 16, 0, -1.0 / 256, -10.0 / 256}, 6);
    done(&q);
}

static void queries_may_start_later(void **state)
{
    (void)state;
    struct asked q;
    ask_for(&q, "bias");
    set_number(&q, "num_heads", 1);
    set_number(&q, "qlen", 1);
    set_number(&q, "klen", 3);
    set_number(&q, "query_start", 2);
    assert_true(answer(&q, "alibi"));
    assert_values(&q, (double[]){-2.0 / 256, -1.0 / 256, 0}, 3);
    done(&q);
}

static void spectrum_has_a_row_a_pair(void **state)
{
    (void)state;
    struct asked q;
    ask_for(&q, "spectrum");
    set_number(&q, "head_dim", 4);
    set_text(&q, "rope_type", "linear");
    set_number(&q, "factor", 2);
    assert_true(answer(&q, "rope"));
    assert_values(&q, (double[]){0.5, 1, 0, 2, 0, BAND_DIVIDED, 1, 0.005, 0.01, 1, 3, 0, BAND_DIVIDED, 1}, 14);
    done(&q);
}

static void set_rows(struct asked *q, const char *name, const double *v, size_t rows, size_t columns)
{
    struct table *t = table_new(2, (size_t[]){rows, columns});
    memcpy(t->v, v, t->n * sizeof *v);
    q->inputs[q->r.n_inputs++] = (struct arg){.name = name, .number = NAN, .list = t};
}

static void attention_of_biases_alone(void **state)
{
    (void)state;
    struct asked q;
    ask_for(&q, "attention");
    set_number(&q, "num_heads", 1);
    set_number(&q, "head_dim", 2);
    set_rows(&q, "q", (double[]){0, 0, 0, 0}, 2, 2);
    set_rows(&q, "k", (double[]){1, 2, 3, 4}, 2, 2);
    assert_true(answer(&q, "alibi"));
    double far = exp(-1.0 / 256);
    assert_values(&q, (double[]){1, 0, far / (1 + far), 1 / (1 + far)}, 4);
    done(&q);
}

/* Scores of vectors turned at their positions, scaled by 1/sqrt(head_dim), no mask. */
static void attention_of_turned_vectors(void **state)
{
    (void)state;
    struct asked q;
    ask_for(&q, "attention");
    set_number(&q, "num_heads", 1);
    set_number(&q, "head_dim", 2);
    set_text(&q, "mask", "none");
    set_positions(&q, (double[]){3, 10}, 2);
    set_rows(&q, "q", (double[]){1, 0, 1, 0}, 2, 2);
    set_rows(&q, "k", (double[]){1, 0, 1, 0}, 2, 2);
    assert_true(answer(&q, "rope"));
    double own = exp(1 / sqrt(2)), other = exp(cos(7) / sqrt(2)), sum = own + other;
    assert_values(&q, (double[]){own / sum, other / sum, other / sum, own / sum}, 4);
    done(&q);
}

/* Lists without entries: a dim of 0 in what is wanted means any, so they must not come that far. */
static void empty_lists_are_refused(void **state)
{
    (void)state;
    struct asked q;
    ask_for(&q, "rotated");
    set_number(&q, "head_dim", 2);
    set_positions(&q, (double[]){0}, 0);
    set_input(&q, "x", (double[]){1, 2}, 2);
    assert_false(answer(&q, "rope"));
    assert_non_null(strstr(q.err.text, "holds no position"));
    assert_null(request_need(&q.r, "y", 1, (size_t[]){0}, &q.err));
    set_input(&q, "y", (double[]){0}, 0);
    assert_null(request_need(&q.r, "y", 1, (size_t[]){0}, &q.err));
    done(&q);
}

/* A request that cannot be answered says which setting is wrong and what is allowed. */
static void wrong_requests_say_why(void **state)
{
    (void)state;
    static const struct { const char *encoding, *output, *name; double number; const char *text, *says; } cases[] = {
        {"rope", "inv_freq", "head_dim", 2.5, NULL, "head_dim = 2.5: must be a whole number"},
        {"rope", "inv_freq", "head_dim", 1e300, NULL, "head_dim = 1e+300: must be a whole number"},
        {"rope", "inv_freq", "head_dim", NAN, "eight", "head_dim: must be a number"},
        {"rope", "inv_freq", "rope_theta", 0, NULL, "rope_theta = 0: allowed is 1 to"},
        {"rope", "inv_freq", "rope_theta", NAN, "1e6", "rope_theta = \"1e6\": must be a number"},
        {"rope", "inv_freq", "rope_type", NAN, "yam", "rope_type = yam: allowed are default, linear"},
        {"rope", "inv_freq", "rope_type", 1, NULL, "rope_type = 1: allowed are default, linear"},
        {"rope", "nothing", NULL, NAN, NULL, "its own are: inv_freq"},
        {"rope", "bias", NULL, NAN, NULL, "rope has no hook bias"},
        {"alibi", "rotated", NULL, NAN, NULL, "alibi has no hook rotate"},
        {"nope", "decay", NULL, NAN, NULL, "nope has none of the hooks row, rotate and bias"},
        {"rope", "rotated", "n", 3, NULL, "inputs.x is needed: numbers of shape 3 x 64"},
        {"rope", "attention", "mask", NAN, "triangle", "mask = triangle: allowed are none, causal"},
        {"rope", "attention", NULL, NAN, NULL, "positions are needed"},
        {"learned", "pe", "n", 513, NULL, "row 512 is not in the table"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct asked q;
        ask_for(&q, cases[i].output);
        if (cases[i].name)
            q.args[q.r.n_args++] = (struct arg){.name = cases[i].name, .number = cases[i].number, .text = cases[i].text};
        if (answer(&q, cases[i].encoding) || !strstr(q.err.text, cases[i].says))
            fail_msg("case %zu says '%s', not '%s'", i, q.err.text, cases[i].says);
        assert_null(q.a.values);
        done(&q);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lookups_say_what_was_used),
        cmocka_unit_test(an_answer_has_a_limit),
        cmocka_unit_test(rows_at_positions),
        cmocka_unit_test(length_counts_positions),
        cmocka_unit_test(similarity_is_the_mean_cosine),
        cmocka_unit_test(similarity_of_given_vectors),
        cmocka_unit_test(derived_values_can_be_asked_for),
        cmocka_unit_test(decay_of_a_bias_by_head),
        cmocka_unit_test(queries_may_start_later),
        cmocka_unit_test(spectrum_has_a_row_a_pair),
        cmocka_unit_test(attention_of_biases_alone),
        cmocka_unit_test(attention_of_turned_vectors),
        cmocka_unit_test(empty_lists_are_refused),
        cmocka_unit_test(wrong_requests_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
