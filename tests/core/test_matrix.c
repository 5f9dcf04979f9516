/* The matrix of an encoding, positions x channels, pooled into samples. If this fails, the view of tables shows colours that are not the means
 * of the numbers they stand for, and says that they are exact. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "core/encoding.h"
#include "core/matrix.h"

static struct enc *open_with(const char *id, int d_model, const char *const (*set)[2])
{
    const struct encoding *kind = encoding_find(id, NULL);
    struct shape shape = {.length = 5000, .n_heads = 1, .d_head = d_model, .d_model = d_model};
    struct value v[ENC_MAX_PARAMS];
    for (size_t i = 0; i < kind->n_params; i++)
        v[i] = (struct value){kind->params[i].def, NULL};
    for (; set && (*set)[0]; set++) {
        int p = param_index(kind->params, kind->n_params, (*set)[0]);
        assert_true(p >= 0 && param_parse(&kind->params[p], (*set)[1], &v[p], NULL));
    }
    struct enc *e = enc_open(kind, &shape, v, NULL);
    assert_non_null(e);
    for (size_t i = 0; i < kind->n_params; i++)
        table_unref(v[i].t);
    return e;
}

/* ---- one picture against the plain sums -------------------------------------------------------------------- */

static double plain_mean(const struct enc *e, enum matrix_kind kind, const size_t *order, double q0, double q1, double k0, double k1)
{
    double sum = 0;
    for (double q = q0; q < q1; q++)
        for (double k = k0; k < k1; k++)
            sum += matrix_at(e, kind, q, order[(size_t)k]);
    return sum / ((q1 - q0) * (k1 - k0));
}

static void compare(const struct enc *e, enum matrix_kind kind, struct window win, int h, int w, double tolerance)
{
    size_t n = matrix_channels(e, kind), *order = calloc(n, sizeof *order);
    double *out = calloc((size_t)h * (size_t)w, sizeof *out), rows = win.q1 - win.q0, cols = win.k1 - win.k0;
    assert_true(order && out && win.k1 <= (double)n);
    for (int o = ORDER_AS_HELD; o <= ORDER_GROUPED; o++) {
        struct pooled how;
        matrix_order(e, kind, (enum channel_order)o, order);
        assert_true(matrix_pool(e, kind, order, win, h, w, out, &how, NULL, NULL));
        assert_true(how.exact && how.error == 0 && how.reduce == (rows <= h && cols <= w ? REDUCE_NONE : REDUCE_MEAN));
        for (int r = 0; r < h; r++)
            for (int c = 0; c < w; c++) {
                double q0 = win.q0 + floor(r * rows / h), q1 = fmax(q0 + 1, win.q0 + floor((r + 1) * rows / h));
                double k0 = win.k0 + floor(c * cols / w), k1 = fmax(k0 + 1, win.k0 + floor((c + 1) * cols / w));
                double want = plain_mean(e, kind, order, q0, q1, k0, k1), got = out[r * w + c];
                if (!(fabs(got - want) <= tolerance))
                    fail_msg("%s, kind %d, row %d, column %d: %.17g, the mean is %.17g", e->kind->id, kind, r, c, got, want);
            }
    }
    free(order);
    free(out);
}

static void compare_windows(struct enc *e, enum matrix_kind kind)
{
    double n = (double)matrix_channels(e, kind);
    compare(e, kind, (struct window){0, 5, 0, fmin(n, 6)}, 5, 6, 1e-12);        /* one pair a sample */
    compare(e, kind, (struct window){0, 1000, 0, n}, 7, 3, 1e-12);
    compare(e, kind, (struct window){13, 214, 1, n}, 10, (int)n - 1, 1e-12);    /* odd and even numbers of positions */
    compare(e, kind, (struct window){0, 3, 0, 2}, 9, 8, 1e-12);                 /* magnified */
    compare(e, kind, (struct window){4000, 5000, 2, 3}, 2, 1, 1e-12);
    enc_close(e);
}

#define SET(...) (const char *const[][2]){__VA_ARGS__, {NULL, NULL}}

static void samples_are_means(void **state)
{
    (void)state;
    compare_windows(open_with("sinusoidal", 8, NULL), MATRIX_ROW);
    compare_windows(open_with("sinusoidal", 9, SET({"layout", "half"})), MATRIX_ROW);
    compare_windows(open_with("learned", 8, SET({"max_position_embeddings", "5000"})), MATRIX_ROW);
    for (int kind = MATRIX_COS; kind <= MATRIX_SIN; kind++) {
        compare_windows(open_with("rope", 16, NULL), (enum matrix_kind)kind);
        compare_windows(open_with("rope", 16, SET({"rope_type", "yarn"}, {"factor", "8"}, {"original_max_position_embeddings", "1024"})),
                        (enum matrix_kind)kind);
    }
}

/* The mean of cos(w x) over m positions with their middle at 0; also where w is nothing or a whole turn. */
static void means_of_a_turn(void **state)
{
    (void)state;
    static const double w[] = {0, 1e-14, 1e-7, 0.01, 0.5, 1, 3, M_PI, 2 * M_PI, 2 * M_PI - 1e-14, 4 * M_PI};
    static const int m[] = {1, 2, 3, 8, 501};
    for (size_t i = 0; i < sizeof w / sizeof *w; i++)
        for (size_t k = 0; k < sizeof m / sizeof *m; k++) {
            double sum = 0;
            for (int j = 0; j < m[k]; j++)
                sum += cos(w[i] * (j - (m[k] - 1) / 2.0));
            if (!(fabs(mean_turn(w[i], m[k]) - sum / m[k]) < 1e-11))
                fail_msg("w %.17g, m %d: %.17g, the mean is %.17g", w[i], m[k], mean_turn(w[i], m[k]), sum / m[k]);
        }
}

/* Angles have no mean: that of the middle is shown, and said to be one of many. */
static void angles_are_those_of_the_middle(void **state)
{
    (void)state;
    struct enc *e = open_with("rope", 8, NULL);
    size_t order[4];
    double out[3];
    struct pooled how;
    matrix_order(e, MATRIX_ANGLE, ORDER_AS_HELD, order);
    assert_true(matrix_pool(e, MATRIX_ANGLE, order, (struct window){0, 300, 1, 2}, 3, 1, out, &how, NULL, NULL));
    assert_true(how.reduce == REDUCE_NEAREST && how.exact);
    for (int r = 0; r < 3; r++)
        assert_true(out[r] == matrix_at(e, MATRIX_ANGLE, 100 * r + 49, 1));
    assert_true(matrix_pool(e, MATRIX_ANGLE, order, (struct window){7, 10, 1, 2}, 3, 1, out, &how, NULL, NULL));
    assert_true(how.reduce == REDUCE_NONE && out[0] == matrix_at(e, MATRIX_ANGLE, 7, 1));
    enc_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_means),
        cmocka_unit_test(means_of_a_turn),
        cmocka_unit_test(angles_are_those_of_the_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
