/* The numbers beside the pictures - tables, titles, labels, names - of spectrum, bias, attention, table, similarity and model, against tests/support/twin.h
 * and sums done here one by one. If this fails, a picture is right and what is written beside it is not. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/values.h"

static const char *cell(const struct panel *p, size_t row, size_t col)
{
    const char *text = p->cell[row * p->table_cols + col].text;
    return text ? text : "";
}

static const struct panel *first_of(const struct figure *f, enum panel_kind kind)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->panel[i].kind == kind)
            return &f->panel[i];
    fail_msg("no such panel");
    return NULL;
}

static void expect_double(const struct scenario *s, const char *where, double got, real want, real slack)
{
    compared[s->view]++;
    if (!(fabsl(got - want) <= slack + 4 * DBL_EPSILON * fabsl(want)) && ++wrong <= 30)
        print_error("%s, %s, %s: %.17g, want %.17Lg\n", views[s->view]->id, s->item[0].kind->id, where, got, want);
}

/* ---- spectrum ------------------------------------------------------------------------------------------------- */

static const struct { struct twin t; double trained, target; } spectra[] = {
    {{"rope", "head_dim=128;num_heads=1;length=64"}, 2048, 8192}, {{"rope", "head_dim=64;num_heads=1;length=64;factor=4;rope_type=linear"}, 1000, 4000},
    {{"rope", "head_dim=128;num_heads=1;length=64;rope_theta=500000;factor=8;original_max_position_embeddings=8192;rope_type=llama3"}, 8192, 131072},
    {{"rope", "head_dim=64;num_heads=1;length=64;factor=16;original_max_position_embeddings=4096;rope_type=yarn"}, 4096, 65536},
    {{"rope", "head_dim=32;num_heads=1;length=64;rope_type=proportional;partial_rotary_factor=0.25"}, 512, 700},
    {{"sinusoidal", "d_model=16;num_heads=1;head_dim=16;length=64"}, 100, 1000},
};

static real before_scaling(const struct twin_pair *p)
{
    return p->band == TWIN_OFF ? p->w : p->unscaled;
}

static void check_spectrum(const struct scenario *s, const struct twin *t, real trained, real target)
{
    const struct twin_pair *p;
    int n = twin_pairs(t, &p), unfinished = 0, unseen = 0, band[4] = {0};
    real longest = 0, m = twin_magnitude(t);
    for (int k = 0; k < n; k++) {
        unfinished += wavelength(before_scaling(&p[k])) > trained;
        unseen += before_scaling(&p[k]) * trained < 2 * twin_pi && p[k].w * target > before_scaling(&p[k]) * trained * (1 + 1e-9L);
        longest = p[k].w > 0 ? fmaxl(longest, wavelength(p[k].w)) : longest;
        band[p[k].band]++;
    }
    struct figure *f = draw(s);
    const struct panel *bars = first_of(f, PANEL_BARS), *facts = first_of(f, PANEL_TABLE);
    static const char *const names[] = {"kept", "blended", "divided", "not turning"};
    for (size_t i = 0; i < bars->n_bars; i++) {
        assert_string_equal(bars->bar[i].label, names[i]);
        expect_double(s, names[i], bars->bar[i].value, band[i], 0);
        EXPECT(s, names[i], bars->bar[i].note, 0, n);
    }
    EXPECT(s, "lengths", cell(facts, 1, 1), 0, trained, target);
    EXPECT(s, "attention factor", cell(facts, 2, 1), 0, m);
    EXPECT(s, "its square", cell(facts, 3, 1), 0, m * m);
    EXPECT(s, "unfinished", cell(facts, 4, 1), 0, unfinished, n);
    EXPECT(s, "unseen", cell(facts, 5, 1), 0, unseen, n);
    EXPECT(s, "longest", cell(facts, 6, 1), 0, longest);
    figure_free(f);
}

/* The curve of what is set, in the three units, and its read-out. */
static void check_pairs(struct scenario *s, const struct twin *t, real trained)
{
    const struct twin_pair *p;
    int n = twin_pairs(t, &p);
    for (int show = 0; show < 3; show++) {
        static const char *const titles[] = {"wavelength", "frequency", "turns in the trained length"};
        s->view_param[VIEW_spectrum][own_param(VIEW_spectrum, "show")].x = show;
        struct figure *f = draw(s);
        assert_string_equal(f->panel[0].title, titles[show]);
        for (int k = 0; k < n; k += 3) {
            real want = show == 0 ? wavelength(p[k].w) : show == 1 ? p[k].w : trained * p[k].w / (2 * twin_pi);
            struct readout r = probe(s, 0, k, 0);
            struct written got[NUMBERS];
            assert_true(read_numbers(r.name, got, NUMBERS) == 1 && strstr(r.name, titles[show]));
            expect_number(s, "name", r.name, got[0], k, 0);
            if (p[k].w == 0)
                continue;
            expect_double(s, "value", r.value, want, 1e-12L * want);
            for (size_t x = 0; x < f->panel[0].n_xs; x++)
                if (f->panel[0].xs[x] == k)
                    expect_double(s, "curve", f->panel[0].series[0].y[x], want, 1e-12L * want);
        }
        figure_free(f);
    }
}

static void spectra_in_numbers(void **state)
{
    (void)state;
    wrong = 0;
    for (size_t i = 0; i < sizeof spectra / sizeof *spectra; i++) {
        char more[80];
        snprintf(more, sizeof more, "trained=%.0f;target=%.0f", spectra[i].trained, spectra[i].target);
        struct scenario s = open(&spectra[i].t, "spectrum", more);
        check_spectrum(&s, &spectra[i].t, spectra[i].trained, spectra[i].target);
        check_pairs(&s, &spectra[i].t, spectra[i].trained);
        scenario_done(&s);
    }
    assert_int_equal(wrong, 0);
    assert_true(compared[VIEW_spectrum] > 200);
}

/* ---- bias: what is written of each head --------------------------------------------------------------------------- */

/* Smallest distance up to which the last of n queries has given a share of its weight, all content equal. */
static int window(const struct twin *t, int head, int n, real share)
{
    real all = 0, sum = 0;
    double q[TWIN_AXES] = {n - 1}, k[TWIN_AXES] = {0};
    for (int d = 0; d < n; d++) {
        k[0] = n - 1 - d;
        all += expl(twin_bias(t, head, q, k));
    }
    for (int d = 0; d < n; d++) {
        k[0] = n - 1 - d;
        sum += expl(twin_bias(t, head, q, k));
        if (sum >= share * all)
            return d;
    }
    return n - 1;
}

static void heads_of_biases(void **state)
{
    (void)state;
    static const struct twin cases[] = {
        {"alibi", "num_heads=8;head_dim=4;length=300"}, {"alibi", "num_heads=3;head_dim=4;length=2000"}, {"kerple", "num_heads=2;head_dim=4;length=500;r1=1.5,0.25;r2=0.5,2"},
        {"sandwich", "num_heads=4;head_dim=4;length=400;bar_d=32"},
    };
    wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct twin *t = &cases[i];
        struct scenario s = open(t, "bias", "mask=causal;head=1");
        struct figure *f = draw(&s);
        const struct panel *table = first_of(f, PANEL_TABLE), *curves = first_of(f, PANEL_CURVES);
        int n = (int)twin_length(t), heads = twin_heads(t);
        double last[TWIN_AXES] = {n - 1}, near[TWIN_AXES] = {n - 2}, far[TWIN_AXES] = {0};
        EXPECT(&s, "title", f->panel[0].title, 0, 1, heads);
        assert_int_equal(table->table_rows, heads + 1);
        EXPECT(&s, "heading", cell(table, 0, 1), 0, 1);
        for (int h = 0; h < heads; h++) {
            static const double shares[] = {0.5, 0.9, 0.99};
            twin_slack = 0;
            real want[] = {twin_bias(t, h, last, near), twin_bias(t, h, last, far)}, slack = twin_slack;
            EXPECT(&s, "head", cell(table, (size_t)h + 1, 0), 0, h);
            EXPECT(&s, "at distance 1", cell(table, (size_t)h + 1, 1), slack, want[0]);
            EXPECT(&s, "at n - 1", cell(table, (size_t)h + 1, 2), slack, want[1]);
            for (size_t w = 0; w < 3; w++) {
                EXPECT(&s, "share", cell(table, 0, 3 + w), 0, shares[w] * 100);
                EXPECT(&s, "window", cell(table, (size_t)h + 1, 3 + w), 0, window(t, h, n, shares[w]));
            }
        }
        for (size_t c = 0; c < curves->n_series; c++) {
            int head = -1;
            assert_int_equal(sscanf(curves->series[c].label, "head %d", &head), 1);
            for (size_t x = 0; x < curves->n_xs; x += 5) {
                double k[TWIN_AXES] = {n - 1 - curves->xs[x]};
                twin_slack = 1e-13L;
                real want = twin_bias(t, head, last, k);
                expect_double(&s, "curve", curves->series[c].y[x], want, twin_slack);
            }
        }
        figure_free(f);
        scenario_done(&s);
    }
    assert_int_equal(wrong, 0);
    assert_true(compared[VIEW_bias] > 300);
}

static void buckets_of_distances(void **state)
{
    (void)state;
    static const struct twin t = {"t5_bias", "num_heads=2;head_dim=4;length=300;num_buckets=16;max_distance=64"};
    wrong = 0;
    struct scenario s = open(&t, "bias", "");
    for (double d = 0; d < 300; d = d * 1.5 + 1) {
        struct readout r = probe(&s, 3, floor(d), 0);
        EXPECT(&s, "name", r.name, 0, floor(d));
        check_value(&s, &r, twin_t5_bucket(&t, -floor(d)), 0);
    }
    scenario_done(&s);
    assert_int_equal(wrong, 0);
}

/* ---- attention: positions alone -------------------------------------------------------------------------------------- */

enum { TOKENS = 12 };

static void attention_of_positions(void **state)
{
    (void)state;
    static const struct twin t = {"alibi", "num_heads=4;head_dim=4;length=12"};
    wrong = 0;
    struct scenario s = open(&t, "attention", "content=none;mask=causal;head=2;show=probability");
    struct figure *f = draw(&s);
    const struct panel *table = first_of(f, PANEL_TABLE);
    EXPECT(&s, "title", f->panel[0].title, 0, 2, 4);
    for (size_t r = 1; r < table->table_rows; r++) {
        real entropy = 0, distance = 0;
        int head = (int)strtol(cell(table, r, 0), NULL, 10);
        if (r > 1)
            EXPECT(&s, "title", f->panel[r - 1].title, 0, head);
        for (int i = 0; i < TOKENS; i++) {
            real sum = 0;
            for (int j = 0; j <= i; j++)
                sum += expl(twin_bias(&t, head, (double[]){i}, (double[]){j}));
            for (int j = 0; j <= i; j++) {
                real w = expl(twin_bias(&t, head, (double[]){i}, (double[]){j})) / sum;
                entropy -= w * logl(w) / TOKENS;
                distance += w * (i - j) / TOKENS;
                struct readout v = probe(&s, (int)r - 1, j + 0.5, i + 0.5);
                check_value(&s, &v, w, 1e-9L);
                EXPECT(&s, "name", v.name, 0, i, j);
            }
        }
        EXPECT(&s, "entropy", cell(table, r, 1), 1e-6L, entropy);
        EXPECT(&s, "mean distance", cell(table, r, 2), 1e-5L, distance);
    }
    figure_free(f);
    scenario_done(&s);
    assert_int_equal(wrong, 0);
    assert_true(compared[VIEW_attention] > 500);
}

/* ---- table ------------------------------------------------------------------------------------------------------------- */

static int slow(const struct twin *t, real length, real angle)
{
    const struct twin_pair *p;
    int count = 0;
    for (int k = 0, n = twin_pairs(t, &p); k < n; k++)
        count += p[k].w * (length - 1) < angle;
    return count;
}

static void facts_of_tables(void **state)
{
    (void)state;
    static const struct twin plain = {"sinusoidal", "d_model=32;num_heads=1;head_dim=32;length=77"}, doubled = {"sinusoidal", "d_model=32;num_heads=1;head_dim=32;length=77;variant=doubled_exponent"},
                             turned = {"rope", "head_dim=64;num_heads=1;length=200"};
    const struct twin *const cases[] = {&plain, &doubled, &turned};
    wrong = 0;
    for (size_t i = 0; i < 3; i++) {
        struct scenario s = open(cases[i], "table", i == 0 ? "slow_angle=0.755" : "");
        s.cursor[0] = (struct spot){3.5, 41.5};
        struct figure *f = draw(&s);
        const struct panel *facts = first_of(f, PANEL_TABLE);
        const struct twin_pair *p;
        int n = twin_pairs(cases[i], &p);
        real angle = view_num(&s, VIEW_table, own_param(VIEW_table, "slow_angle"));
        EXPECT(&s, "sides", cell(facts, 1, 1), 0, twin_length(cases[i]), i < 2 ? 32 : n);
        EXPECT(&s, "slow pairs", cell(facts, 2, 1), 0, slow(cases[i], twin_length(cases[i]), angle), n);
        if (i < 2)
            EXPECT(&s, "slow pairs of the other", cell(facts, 3, 1), 0, slow(i ? &plain : &doubled, twin_length(cases[i]), angle), n);
        EXPECT(&s, "row", f->panel[1].series[0].label, 0, 41);
        figure_free(f);
        scenario_done(&s);
    }
    static const struct twin longer = {"sinusoidal", "d_model=8;num_heads=1;head_dim=8;length=100000"};
    struct scenario s = open(&longer, "table", "");
    struct figure *f = draw(&s);
    EXPECT(&s, "drawn", f->panel[2].note, 0, f->panel[2].n_xs, 100000);
    figure_free(f);
    scenario_done(&s);
    assert_int_equal(wrong, 0);
}

/* ---- similarity, model: numbers put into formulas and names -------------------------------------------------------------- */

static void numbers_in_formulas(void **state)
{
    (void)state;
    static const struct { struct twin t; const char *more; bool head; } cases[] = {
        {{"sinusoidal", "d_model=16;num_heads=2;head_dim=8;length=64"}, "score=dot", false}, {{"sinusoidal", "d_model=16;num_heads=2;head_dim=8;length=64"}, "score=cosine", false},
        {{"sinusoidal", "d_model=16;num_heads=2;head_dim=8;length=64"}, "score=dot;projection=random", false}, {{"rope", "head_dim=16;num_heads=1;length=64"}, "", false},
        {{"alibi", "num_heads=4;head_dim=4;length=64"}, "head=3", true},
    };
    wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scenario s = open(&cases[i].t, "similarity", cases[i].more);
        struct readout r = probe(&s, 0, 17.5, 42.5);
        struct written got[NUMBERS];
        size_t n = 0;                       /* "p_42" is a number too */
        for (const char *at = r.formula; *at && n < NUMBERS; at++)
            if (strchr("0123456789", *at) && (at == r.formula || !strchr("0123456789", at[-1])))
                read_numbers(at, &got[n++], 1);
        assert_int_equal(n, cases[i].head ? 3 : 2);
        expect_number(&s, "query", r.formula, got[0], 42, 0);
        expect_number(&s, "key", r.formula, got[1], 17, 0);
        if (cases[i].head)
            expect_number(&s, "head", r.formula, got[2], 3, 0);
        scenario_done(&s);
    }
    struct scenario s;
    scenario_init(&s);
    assert_true(scenario_load_preset(&s, "models/gemma-3-1b", NULL) && scenario_set_view(&s, "model", NULL));
    for (int layer = 0; layer < 26; layer++) {
        struct readout r = probe(&s, 2, layer + 0.5, 0.5);
        EXPECT(&s, "layer", r.name, 0, layer);
        assert_string_equal(r.value_text, layer % 6 == 5 ? "global" : "local");
    }
    scenario_done(&s);
    assert_int_equal(wrong, 0);
}

/* ---- the line above every picture --------------------------------------------------------------------------------------- */

static void captions(void **state)
{
    (void)state;
    static const struct { struct twin t; const char *says; } cases[] = {
        {{"rope", "head_dim=48;num_heads=2;length=777"}, "head_dim 48 · n 777"}, {{"rope", "head_dim=32;num_heads=2;length=131072;rope_theta=123"}, "rope_theta 123 · head_dim 32 · n 131 072"},
        {{"alibi", "head_dim=4;num_heads=2;length=1000000000000"}, "head_dim 4 · n 1 000 000 000 000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {.lang = LANG_EN};
        struct scenario s = open(&cases[i].t, "similarity", "");
        struct picture_room room = {.rows = 40, .cols = 160, .heat_rows = 2, .only_panel = -1};
        struct figure *f = picture_plan(&s, &room, &err);
        assert_non_null(f);
        if (!strstr(f->caption, cases[i].says))
            fail_msg("\"%s\" does not say %s", f->caption, cases[i].says);
        figure_free(f);
        scenario_done(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spectra_in_numbers), cmocka_unit_test(heads_of_biases), cmocka_unit_test(buckets_of_distances), cmocka_unit_test(attention_of_positions),
        cmocka_unit_test(facts_of_tables), cmocka_unit_test(numbers_in_formulas), cmocka_unit_test(captions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
