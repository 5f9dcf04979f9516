/* Queries and keys of the user's own, from .npy files: the weights on the screen are the softmax of their products, worked out here in the
 * plainest way, and files that do not fit are refused with what is allowed. If this fails, somebody looks at his model's attention and sees
 * another one. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "../support/files.h"
#include "app/view.h"
#include "base/rng.h"

enum { HEADS = 2, N = 6, D = 4 };

/* As NEP 1 has it: float32 numbers drawn from a seed, kept in out as well. */
static const char *npy(const char *name, int heads, int n, int d, uint64_t seed, double *out)
{
    static char path[2][400];
    static int turn;
    char text[128], *where = path[turn ^= 1];
    snprintf(where, sizeof path[0], "%s/%s", scratch, name);
    int shape = heads ? snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, %d), }", heads, n, d)
                      : snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", n, d);
    FILE *f = fopen(where, "wb");
    assert_non_null(f);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f);
    fprintf(f, "%-117s\n", text);
    assert_true(shape < 117);
    for (int i = 0; i < (heads ? heads : 1) * n * d; i++) {
        float x = (float)(2 * rng_uniform(seed, (uint64_t)i) - 1);
        fwrite(&x, sizeof x, 1, f);
        if (out)
            out[i] = (double)x;
    }
    fclose(f);
    return where;
}

/* Press et al. 2022: the slopes of two heads are 2^-4 and 2^-8. */
static double weight(const double *q, const double *k, int head, int i, int j)
{
    double logit[N], sum = 0;
    for (int m = 0; m <= i; m++) {
        logit[m] = -ldexp(1, -4 * (head + 1)) * (i - m);
        for (int c = 0; c < D; c++)
            logit[m] += q[(head * N + i) * D + c] * k[(head * N + m) * D + c] / sqrt(D);
        sum += exp(logit[m]);
    }
    return exp(logit[j]) / sum;
}

static void weights_are_those_of_the_files(void **state)
{
    (void)state;
    static double q[HEADS * N * D], k[HEADS * N * D];
    struct scenario s;
    struct err err = {.lang = LANG_EN};
    const char *q_path = npy("q.npy", HEADS, N, D, 1, q), *k_path = npy("k.npy", HEADS, N, D, 2, k);
    scenario_init(&s);
    assert_true(scenario_set_encoding(&s, "alibi", &err));
    if (!scenario_load_content(&s, q_path, k_path, &err))
        fail_msg("%s", err.text);
    assert_int_equal(s.shape.length, N);
    assert_int_equal(s.shape.n_heads, HEADS);
    assert_int_equal(s.shape.d_head, D);
    assert_true(scenario_set_view(&s, "attention", &err));
    int compared = 0;
    for (int head = 0; head < HEADS; head++) {
        assert_true(scenario_set(&s, "head", head ? "1" : "0", &err));
        for (int i = 0; i < N; i++)
            for (int j = 0; j <= i; j++) {
                struct readout read = {.known = false};
                assert_true(views[s.view]->probe(&s, 0, j + 0.5, i + 0.5, &read) && read.known);
                if (fabs(read.value - weight(q, k, head, i, j)) > 2e-6)
                    fail_msg("head %d, %d -> %d: %.9g, not %.9g (%s)", head, i, j, read.value, weight(q, k, head, i, j), read.name);
                compared++;
            }
    }
    assert_int_equal(compared, HEADS * N * (N + 1) / 2);
    scenario_done(&s);
}

static void without_heads_one_serves_all(void **state)
{
    (void)state;
    struct scenario s;
    struct err err = {.lang = LANG_EN};
    const char *q_path = npy("q.npy", 0, N, D, 1, NULL), *k_path = npy("k.npy", 0, N, D, 2, NULL);
    scenario_init(&s);
    int heads = s.shape.n_heads;
    assert_true(scenario_load_content(&s, q_path, k_path, &err));
    assert_int_equal(s.shape.n_heads, heads);
    assert_int_equal(s.shape.length, N);
    scenario_done(&s);
}

static void refuses(const char *q_path, const char *k_path, const char *says)
{
    struct scenario s;
    struct err err = {.lang = LANG_EN};
    scenario_init(&s);
    double length = s.shape.length;
    assert_false(scenario_load_content(&s, q_path, k_path, &err));
    if (!strstr(err.text, says))
        fail_msg("'%s' does not say '%s'", err.text, says);
    assert_true(s.shape.length == length && !s.q && !s.k);
    scenario_done(&s);
}

static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    const char *q_path = npy("q.npy", 0, N, D, 1, NULL);
    refuses(q_path, npy("wider.npy", 0, N, D + 2, 2, NULL), "with the same d");
    refuses(npy("q.npy", 0, N, D, 1, NULL), npy("heads.npy", HEADS, N, D, 2, NULL), "with the same d");
    refuses(npy("q.npy", 0, N, D, 1, NULL), "nowhere.npy", "nowhere.npy");
    refuses("nowhere.npy", npy("k.npy", 0, N, D, 1, NULL), "nowhere.npy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(weights_are_those_of_the_files, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(without_heads_one_serves_all, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, scratch_open, scratch_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
