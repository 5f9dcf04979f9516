/* Rows added to the input: sinusoids at odd and tiny widths, learned tables at their ends. If these fail, a position
 * past a table shows a vector that no model has, or a table is shifted by a row. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/encoding.h"

extern const struct encoding encoding_sinusoidal, encoding_learned;

#define SET(...) (const char *const[][2]){__VA_ARGS__, {NULL, NULL}}

/* An instance with parameters by name, as typed, and a table [rows, d_model] whose entries count up; rows 0: no table. */
static struct enc *open_with(const struct encoding *kind, int d_model, const char *const (*set)[2], size_t rows, struct err *err)
{
    struct shape shape = {.length = 16, .n_heads = 1, .d_head = d_model, .d_model = d_model};
    struct value v[ENC_MAX_PARAMS];
    for (size_t i = 0; i < kind->n_params; i++)
        v[i] = (struct value){kind->params[i].def, NULL};
    for (; set && (*set)[0]; set++) {
        int p = param_index(kind->params, kind->n_params, (*set)[0]);
        assert_true(p >= 0);
        assert_true(param_parse(&kind->params[p], (*set)[1], &v[p], err));
    }
    if (rows) {
        struct table *t = table_new(2, (size_t[]){rows, (size_t)d_model});
        for (size_t i = 0; i < t->n; i++)
            t->v[i] = (double)i;
        v[param_index(kind->params, kind->n_params, "table")] = (struct value){NAN, t};
    }
    struct enc *e = enc_open(kind, &shape, v, err);
    for (size_t i = 0; i < kind->n_params; i++)
        table_unref(v[i].t);
    return e;
}

static void tensor2tensor_frequencies_need_width_4(void **state)
{
    (void)state;
    static const char *const set[][2] = {{"freq", "i/(d/2-1)"}, {NULL, NULL}};
    for (int d = 1; d < 4; d++) {
        struct err err = {0};
        assert_null(open_with(&encoding_sinusoidal, d, set, 0, &err));
        assert_non_null(strstr(err.text, "at least 4"));
    }
    struct enc *e = open_with(&encoding_sinusoidal, 4, set, 0, NULL);
    double row[4];
    encoding_sinusoidal.row(e, &(double){3}, 1, row);
    assert_true(fabs(row[0] - sin(3)) < 1e-15);
    assert_true(fabs(row[2] - sin(3e-4)) < 1e-15);      /* the last wavelength is exactly 2 pi B */
    enc_close(e);
}

/* Odd width: the last sine has no cosine, and the spectrum says so. */
static void a_lone_sine_is_in_the_spectrum(void **state)
{
    (void)state;
    struct enc *e = open_with(&encoding_sinusoidal, 5, NULL, 0, NULL);
    const struct spectrum *s = encoding_sinusoidal.spectrum(e);
    double row[5];
    encoding_sinusoidal.row(e, &(double){7}, 1, row);
    assert_int_equal(s->n, 3);
    assert_int_equal(s->a[2], 4);
    assert_int_equal(s->b[2], -1);
    assert_true(fabs(row[4] - sin(7 * pow(10000, -4.0 / 5))) < 1e-15);
    enc_close(e);
}

/* fairseq: the first token takes row padding_idx + 1, and padding is zero. */
static void padding_shifts_the_sinusoid(void **state)
{
    (void)state;
    struct enc *e = open_with(&encoding_sinusoidal, 2, SET({"padding_idx", "1"}), 0, NULL);
    double row[4];
    encoding_sinusoidal.row(e, (double[]){0, NAN}, 2, row);
    assert_true(fabs(row[0] - sin(2)) < 1e-15);
    assert_true(row[2] == 0 && row[3] == 0);
    enc_close(e);
}

static double first_entry(const struct enc *e, double position)
{
    double row[2];
    encoding_learned.row(e, &position, 1, row);
    return row[0] / 2;          /* the row's number: entries count up, two a row */
}

static void each_style_numbers_its_rows(void **state)
{
    (void)state;
    static const struct { const char *style; double first; double padding; } cases[] = {
        {"bert", 0, 0}, {"gpt2", 0, 0}, {"opt", 2, 1}, {"roberta", 2, 1}, {"fairseq", 2, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct enc *e = open_with(&encoding_learned, 2, SET({"style", cases[i].style}), 10, NULL);
        assert_true(first_entry(e, 0) == cases[i].first);
        assert_true(first_entry(e, 3) == cases[i].first + 3);
        assert_true(first_entry(e, NAN) == cases[i].padding);
        assert_true(first_entry(e, 9 - cases[i].first) == 9);
        assert_true(isnan(first_entry(e, 10 - cases[i].first)));        /* past the table: no wrap, no clamp */
        assert_true(isnan(first_entry(e, -10)));
        assert_true(isnan(first_entry(e, 0.5)));
        enc_close(e);
    }
}

static void a_seeded_table_has_rows_for_every_token_it_promises(void **state)
{
    (void)state;
    static const char *const styles[] = {"bert", "opt", "roberta"};
    for (size_t i = 0; i < 3; i++) {
        struct enc *e = open_with(&encoding_learned, 2, SET({"style", styles[i]}, {"max_position_embeddings", "8"}),
                                  0, NULL);
        assert_true(isfinite(first_entry(e, 7)));
        assert_true(isnan(first_entry(e, 8)));
        enc_close(e);
    }
}

/* ViT on the grid it was learned for: the rows themselves; class row first; nothing outside the grid. */
static void a_grid_of_its_own_size_is_not_resampled(void **state)
{
    (void)state;
    struct enc *e = open_with(&encoding_learned, 2, SET({"style", "vit"}, {"table_grid", "2,3"}), 7, NULL);
    double row[2], places[][3] = {{NAN, NAN, 0}, {0, 0, 1}, {0, 2, 3}, {1, 0, 4}, {1, 2, 6}};
    for (size_t i = 0; i < 5; i++) {
        encoding_learned.row(e, places[i], 1, row);
        assert_true(fabs(row[0] / 2 - places[i][2]) < 1e-12);
    }
    encoding_learned.row(e, (double[]){2, 0}, 1, row);
    assert_true(isnan(row[0]) && isnan(row[1]));
    enc_close(e);
}

static void tables_of_the_wrong_shape_are_refused(void **state)
{
    (void)state;
    struct err err = {0};
    assert_null(open_with(&encoding_learned, 2, SET({"style", "vit"}, {"table_grid", "2,2"}), 7, &err));
    assert_non_null(strstr(err.text, "must be 1 + 2 x 2"));
}

/* A text counts on; a stated picture has its class token, then its patches row by row, and no more. */
static void tokens_stand_in_their_picture(void **state)
{
    (void)state;
    struct err err = {0};
    struct enc *text = open_with(&encoding_sinusoidal, 4, NULL, 0, &err), *open = open_with(encoding_find("sinusoidal_2d", &err), 4, NULL, 0, &err),
               *beit = open_with(encoding_find("relpos_2d", &err), 4, SET({"style", "beit"}, {"window", "2,3"}), 0, &err);
    static const double token[] = {-1, 0, 1, 3, 4, 6, 7}, row[] = {INFINITY, NAN, 0, 0, 1, 1, INFINITY}, column[] = {INFINITY, NAN, 0, 2, 0, 2, INFINITY};
    double at[14];
    enc_places(text, token, 7, at);
    assert_memory_equal(at, token, sizeof token);
    assert_false(enc_diagonal(text));
    enc_places(open, token, 7, at);
    for (int i = 0; i < 7; i++)
        assert_true(at[2 * i] == token[i] && at[2 * i + 1] == token[i]);
    assert_true(enc_diagonal(open));
    enc_places(beit, token, 7, at);
    for (int i = 0; i < 7; i++)
        assert_true(isnan(row[i]) ? isnan(at[2 * i]) && isnan(at[2 * i + 1]) : at[2 * i] == row[i] && at[2 * i + 1] == column[i]);
    assert_false(enc_diagonal(beit));
    enc_close(text);
    enc_close(open);
    enc_close(beit);
}

static void shapes_have_bounds(void **state)
{
    (void)state;
    static const struct { struct shape shape; const char *says; } rows[] = {
        {{.length = 4, .n_heads = 1, .d_head = 4, .d_model = 1048576}, NULL},
        {{.length = 4, .n_heads = 1, .d_head = 4, .d_model = 1048577}, "d_model = 1048577: allowed is 1 to 1048576"},
        {{.length = 4, .n_heads = 1, .d_head = 4, .d_model = 0}, "d_model = 0: "},
        {{.length = 4, .n_heads = 65536, .d_head = 65536, .d_model = 4}, NULL},
        {{.length = 4, .n_heads = 65537, .d_head = 4, .d_model = 4}, "num_heads = 65537: allowed is 1 to 65536"},
        {{.length = 4, .n_heads = 0, .d_head = 4, .d_model = 4}, "num_heads = 0: "},
        {{.length = 4, .n_heads = 1, .d_head = 65537, .d_model = 4}, "head_dim = 65537: allowed is 1 to 65536"},
        {{.length = 4, .n_heads = 1, .d_head = 0, .d_model = 4}, "head_dim = 0: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err = {0};
        struct enc *e = enc_open(&encoding_sinusoidal, &rows[i].shape, NULL, &err);
        assert_int_equal(e == NULL, rows[i].says != NULL);
        assert_true(!rows[i].says || strstr(err.text, rows[i].says));
        enc_close(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensor2tensor_frequencies_need_width_4),
        cmocka_unit_test(a_lone_sine_is_in_the_spectrum),
        cmocka_unit_test(padding_shifts_the_sinusoid),
        cmocka_unit_test(each_style_numbers_its_rows),
        cmocka_unit_test(a_seeded_table_has_rows_for_every_token_it_promises),
        cmocka_unit_test(a_grid_of_its_own_size_is_not_resampled),
        cmocka_unit_test(tables_of_the_wrong_shape_are_refused),
        cmocka_unit_test(tokens_stand_in_their_picture),
        cmocka_unit_test(shapes_have_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
