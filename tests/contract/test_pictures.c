/* The numbers of the views grid, precision and decay, against tests/support/twin.h and number formats done once more in long double: titles,
 * read-outs, curves and cells. If this fails, a wrong number stands on the screen. */
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
#include "base/rng.h"

static void expect_double(const struct scenario *s, const char *where, double got, real want, real slack)
{
    compared[s->view]++;
    bool same = isnan(got) || isnan(want) ? isnan(got) && isnan(want) : fabsl(got - want) <= slack + 4 * DBL_EPSILON * fabsl(want);
    if (!same && ++wrong <= 30)
        print_error("%s, %s, %s: %.17g, want %.17Lg\n", views[s->view]->id, s->item[0].kind->id, where, got, want);
}

/* ---- grid: one patch against another ------------------------------------------------------------------------ */

enum { ROWS = 5, COLS = 6, TILES = 2 };

/* A table of the encoding, with the twin's weights. */
static void hand_table(struct scenario *s, const char *name, size_t rows, size_t width)
{
    struct item *item = &s->item[0];
    int at = param_index(item->kind->params, item->kind->n_params, name);
    assert_true(at >= 0);
    struct table *t = table_new(2, (size_t[]){rows, width});
    for (size_t i = 0; i < t->n; i++)
        t->v[i] = twin_weight(name, i);
    table_unref(item->param[at].t);
    item->param[at].t = t;
}

static void place(int axes, int row, int col, double out[TWIN_AXES])
{
    memset(out, 0, TWIN_AXES * sizeof *out);
    if (axes == 1)
        out[0] = row * COLS + col;
    else
        out[axes == 2 ? 0 : 1] = row, out[axes == 2 ? 1 : 2] = col;
}

static real cosine_of_rows(const struct twin *t, const double *q, const double *k)
{
    real qk = 0, qq = 0, kk = 0;
    for (int c = 0; c < twin_d_model(t); c++) {
        real a = twin_row(t, q, c), b = twin_row(t, k, c);
        qk += a * b;
        qq += a * a;
        kk += b * b;
    }
    return qk / sqrtl(qq * kk);
}

static real alike(const struct twin *t, int head, const double *q, const double *k)
{
    const struct twin_pair *p;
    int n = twin_pairs(t, &p);
    real sum = 0;
    if (!strncmp(t->id, "sinusoidal", 10) || !strcmp(t->id, "learned"))
        return cosine_of_rows(t, q, k);
    if (!n)
        return twin_bias(t, head, q, k);
    for (int i = 0; i < n; i++)
        sum += powl(p[i].growth, (real)q[p[i].axis] - k[p[i].axis]) * cosl(((real)q[p[i].axis] - k[p[i].axis]) * p[i].w);
    return sum / n;
}

/* A bare place of the tiles: the tile says the query, the place within it the key. */
static void tile(int tiles, int count, double at, int *query, int *key)
{
    int which = 0;
    while (which + 1 < tiles && at >= (which + 1) * (double)count / tiles)
        which++;
    *query = (2 * which + 1) * count / (2 * tiles);
    for (*key = 0; *key + 1 < count && at - which * (double)count / tiles >= (*key + 1) / (double)tiles;)
        ++*key;
}

static void check_patches(const struct scenario *s, const struct twin *t, int head, int axes)
{
    int row = (int)view_num(s, VIEW_grid, own_param(VIEW_grid, "row")), col = (int)view_num(s, VIEW_grid, own_param(VIEW_grid, "col"));
    double q[TWIN_AXES], k[TWIN_AXES];
    for (int i = 0; i < ROWS * COLS; i++) {
        struct readout one = probe(s, 0, i % COLS + 0.5, i / COLS + 0.5), other = probe(s, 1, i % COLS + 0.3, i / COLS + 0.7);
        int q_row, q_col, k_row, k_col;
        twin_slack = 1e-14L;
        place(axes, row, col, q);
        place(axes, i / COLS, i % COLS, k);
        real want = alike(t, head, q, k);
        if (isnan(want))
            continue;
        EXPECT(s, "name", one.name, 0, row, col, i / COLS, i % COLS);
        check_value(s, &one, want, twin_slack);
        tile(TILES, ROWS, i / COLS + 0.7, &q_row, &k_row);
        tile(TILES, COLS, i % COLS + 0.3, &q_col, &k_col);
        place(axes, q_row, q_col, q);
        place(axes, k_row, k_col, k);
        EXPECT(s, "name in the tiles", other.name, 0, q_row, q_col, k_row, k_col);
        want = alike(t, head, q, k);
        if (!isnan(want))
            check_value(s, &other, want, twin_slack);
    }
}

static void check_coordinates(const struct scenario *s, const struct twin *t, const struct figure *f)
{
    const struct twin_pair *p;
    int n = twin_pairs(t, &p);
    assert_int_equal(f->panel[2].n_xs, n);
    for (int i = 0; i < n; i++) {
        expect_double(s, "pair", f->panel[2].xs[i], i, 0);
        expect_double(s, "coordinate", f->panel[2].series[0].y[i], p[i].axis, 0);
    }
}

static void patches(void **state)
{
    (void)state;
    static const struct { struct twin t; int axes, head; bool coordinates; } cases[] = {
        {{"sinusoidal_2d", "d_model=16;num_heads=2;head_dim=8;length=30;grid=5,6"}, 2, 0, true},
        {{"sinusoidal_2d", "d_model=16;num_heads=2;head_dim=8;length=30;grid=5,6;style=detr;normalize=true"}, 2, 0, true},
        {{"rope_2d", "head_dim=16;num_heads=2;length=30"}, 2, 0, true}, {{"rope_2d", "head_dim=16;num_heads=2;length=30;style=pixtral"}, 2, 0, true},
        {{"rope_2d", "head_dim=16;num_heads=2;length=30;style=llama4"}, 2, 0, true}, {{"rope_2d", "head_dim=16;num_heads=2;length=30;style=dinov3;grid=5,6"}, 2, 0, true},
        {{"rope", "head_dim=16;num_heads=2;length=30;mrope_section=2,3,3"}, 3, 0, true}, {{"rope", "head_dim=16;num_heads=2;length=30;factor=4;rope_type=linear"}, 1, 0, false},
        {{"rope", "head_dim=16;num_heads=2;length=30;factor=4;original_max_position_embeddings=16;rotary_dim=8;rope_type=yarn"}, 1, 0, false},
        {{"xpos", "head_dim=8;num_heads=2;length=30"}, 1, 0, false}, {{"sinusoidal", "d_model=12;num_heads=2;head_dim=6;length=30"}, 1, 0, false},
        {{"alibi", "num_heads=4;head_dim=4;length=30"}, 1, 3, false}, {{"kerple", "num_heads=2;head_dim=4;length=30;r1=1.5,0.25;r2=0.5,2"}, 1, 1, false},
        {{"relpos_2d", "num_heads=2;head_dim=4;length=30;window=5,6"}, 2, 1, false},
        {{"learned", "d_model=12;num_heads=2;head_dim=6;length=30;table_grid=5,6;style=vit"}, 2, 0, false},
    };
    wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char more[100];
        snprintf(more, sizeof more, "rows=%d;cols=%d;row=3;col=4;tiles=%d", ROWS, COLS, TILES);
        struct scenario s = open(&cases[i].t, "grid", more);
        s.view_param[VIEW_grid][own_param(VIEW_grid, "head")].x = cases[i].head;
        if (!strcmp(cases[i].t.id, "relpos_2d"))
            hand_table(&s, "table", 9 * 11, 2);
        if (!strcmp(cases[i].t.id, "learned"))
            hand_table(&s, "table", 31, 12);
        struct figure *f = draw(&s);
        EXPECT(&s, "title", f->panel[0].title, 0, 3, 4);
        assert_int_equal(f->n, cases[i].coordinates ? 3 : 2);
        if (cases[i].coordinates)
            check_coordinates(&s, &cases[i].t, f);
        check_patches(&s, &cases[i].t, cases[i].head, cases[i].axes);
        figure_free(f);
        scenario_done(&s);
    }
    assert_int_equal(wrong, 0);
    assert_true(compared[VIEW_grid] > 3000);
}

/* ---- precision: number formats once more --------------------------------------------------------------------- */

/* The nearest number of so many significant bits, ties to even; below 2^least the spacing stays. Infinite beyond the largest. */
static real nearest(int bits, int least, real most, real x)
{
    int e;
    if (x == 0 || !isfinite((double)x))
        return x;
    frexpl(x, &e);
    int unit = e - bits > least - bits + 1 ? e - bits : least - bits + 1;
    real out = ldexpl(rintl(ldexpl(x, -unit)), unit);
    return fabsl(out) > most ? copysignl(INFINITY, x) : out;
}

enum { WAY_FLOAT32, WAY_RUNNING, WAY_FLOAT16, WAY_BFLOAT16, WAYS };
static const char *const way_names[WAYS] = {"float32", "float32-running", "float16", "bfloat16"};
static const char *const way_titles[WAYS] = {"float32", "float32, running", "float16", "bfloat16"};

static real rounded(int way, real x)
{
    if (way == WAY_FLOAT16)
        return nearest(11, -14, 65504, x);
    return way == WAY_BFLOAT16 ? nearest(8, -126, 0x1.fep127L, x) : nearest(24, -126, 0x1.fffffep127L, x);
}

/* As frameworks do: position and frequency held, their product held. Running: the position times the ratio again and again. */
static real angle_held(int way, const struct twin_pair *p, int k, real position)
{
    real angle = rounded(way, position), ratio = rounded(WAY_FLOAT32, (double)(p[1].unscaled / p[0].unscaled)), power = 1;
    if (way != WAY_RUNNING)
        return rounded(way, angle * rounded(way, (double)p[k].w));
    for (int i = 0; i < k; i++) {
        angle = rounded(WAY_FLOAT32, angle * ratio);
        power *= p[1].unscaled / p[0].unscaled;
    }
    return rounded(WAY_FLOAT32, angle * rounded(WAY_FLOAT32, (double)(p[k].w / power)));
}

static real error_of(int way, const struct twin_pair *p, int k, real position)
{
    real held = angle_held(way, p, k, position), is = position * p[k].w;
    return isfinite((double)held) ? hypotl(cosl(held) - cosl(is), sinl(held) - sinl(is)) : 2;
}

static real worst_of(int way, const struct twin_pair *p, int n, real position)
{
    real worst = 0;
    for (int k = 0; k < n; k++)
        worst = fmaxl(worst, error_of(way, p, k, position));
    return worst;
}

static real first_not_held(int way)
{
    real x = 1;
    while (rounded(way, x + 1) == x + 1)        /* the power of two behind which it is, then one by one */
        x *= 2;
    for (x -= fminl(x, 100); rounded(way, x) == x;)
        x++;
    return x;
}

static void check_formats(const struct scenario *s, const struct figure *f, const struct twin_pair *p, int n, real limit, real last)
{
    const struct panel *table = &f->panel[2];
    for (int way = 0; way < WAYS; way++) {
        const struct text_cell *row = &table->cell[(size_t)(way + 1) * table->table_cols];
        real first = 1, near = 0;
        for (real worst; first <= last && (worst = worst_of(way, p, n, first)) <= limit; first++)
            near = fmaxl(near, worst);
        assert_string_equal(row[0].text, way_titles[way]);
        EXPECT(s, "not held", row[1].text, 0, first_not_held(way));
        EXPECT(s, "over the limit", row[2].text, 0, first > last ? last : first);
        assert_int_equal(strncmp(row[2].text, "none", 4) == 0, first > last);
        EXPECT(s, "error at the end", row[3].text, 1e-10L, worst_of(way, p, n, last));
        assert_true(near < limit - 1e-9L);      /* no limit so near an error that rounding decides */
        assert_int_equal(f->panel[1].n_series, WAYS);
        for (size_t i = 0; i < f->panel[1].n_xs; i += 7) {
            real want = worst_of(way, p, n, f->panel[1].xs[i]);
            expect_double(s, way_titles[way], f->panel[1].series[way].y[i], want > 1e-13L ? want : f->panel[1].series[way].y[i], 1e-12L + 4e-16L * f->panel[1].xs[i]);
        }
    }
}

static void check_errors(const struct scenario *s, int way, const struct twin_pair *p, int n, real last)
{
    for (real position = 1; position <= last; position = position * 4 + 1)
        for (int k = 0; k < n; k += n > 8 ? 5 : 1) {
            struct readout one = probe(s, 0, k + 0.5, (double)position), all = probe(s, 1, (double)position, 0);
            real slack = 4e-16L * position, is = position * p[k].w;
            check_value(s, &one, error_of(way, p, k, position), slack);
            check_value(s, &all, worst_of(way, p, n, position), slack);
            struct written got[NUMBERS];            /* "float32" is no number of its own; the names end with it */
            size_t n_got = read_numbers(one.name, got, NUMBERS);
            assert_true(n_got == 2 && strstr(one.name, way_titles[way]));
            expect_number(s, "name", one.name, got[0], position, 0);
            expect_number(s, "name", one.name, got[1], k, 0);
            n_got = read_numbers(all.name, got, NUMBERS);
            assert_true(n_got == 1 && strstr(all.name, way_titles[way]));
            expect_number(s, "name", all.name, got[0], position, 0);
            real held = angle_held(way, p, k, position);
            if (isfinite((double)held))
                EXPECT(s, "formula", one.formula, slack, rounded(way, position), angle_held(way, p, k, 1), held, is);
        }
}

static void formats(void **state)
{
    (void)state;
    static const struct { struct twin t; const char *limit; double reach; } cases[] = {
        {{"rope", "head_dim=16;num_heads=1;length=64"}, "0.0123", 5000}, {{"rope", "head_dim=64;num_heads=1;length=64;rope_theta=500000"}, "0.0137", 900},
        {{"rope", "head_dim=16;num_heads=1;length=64;factor=8;rope_type=linear"}, "0.3", 3000}, {{"rope", "head_dim=8;num_heads=1;length=64;rope_theta=100"}, "0.00123", 20000},
        {{"rope", "head_dim=32;num_heads=1;length=64;factor=4;original_max_position_embeddings=1024;rope_type=yarn"}, "1.9", 2500},
        {{"sinusoidal", "d_model=12;num_heads=1;head_dim=12;length=64"}, "0.05", 2000},
    };
    wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int way = 0; way < WAYS; way++) {
            char more[100], title[60];
            snprintf(more, sizeof more, "reach=%.0f;format=%s;limit=%s", cases[i].reach, way_names[way], cases[i].limit);
            struct scenario s = open(&cases[i].t, "precision", more);
            const struct twin_pair *p;
            int n = twin_pairs(&cases[i].t, &p);
            struct figure *f = draw(&s);
            snprintf(title, sizeof title, "error in %s", way_titles[way]);
            assert_string_equal(f->panel[0].title, title);
            if (way == 0)
                check_formats(&s, f, p, n, strtod(cases[i].limit, NULL), cases[i].reach);
            check_errors(&s, way, p, n, cases[i].reach);
            figure_free(f);
            scenario_done(&s);
        }
    assert_int_equal(wrong, 0);
    assert_true(compared[VIEW_precision] > 2000);
}

/* ---- decay: of turns and of added rows ------------------------------------------------------------------------ */

static void make_vectors(const struct scenario *s, const char *how, int d, double *q, double *k)
{
    for (int i = 0; i < d; i++) {
        double a = rng_normal(s->seed, 2 * (uint64_t)i), b = rng_normal(s->seed + 1, 2 * (uint64_t)i);
        q[i] = !strcmp(how, "even") ? 1 : a;
        k[i] = !strcmp(how, "even") ? 1 : !strcmp(how, "equal") ? a : !strcmp(how, "random") ? b : 0.5 * a + sqrt(3) / 2 * b;
    }
}

/* The logit of a query `far` behind its key. */
static real logit_at(const struct scenario *s, const struct twin *t, const char *how, double far)
{
    double q[TWIN_WIDTH], k[TWIN_WIDTH], at[TWIN_AXES] = {far, far, far, far}, from[TWIN_AXES] = {0};
    real u[TWIN_WIDTH], v[TWIN_WIDTH], sum = 0;
    if (twin_has_bias(t))
        return twin_bias(t, 0, at, from);
    make_vectors(s, how, twin_d_head(t), q, k);
    twin_turn(t, 1, at, q, u);
    twin_turn(t, -1, from, k, v);
    for (int c = 0; c < twin_d_head(t); c++)
        sum += u[c] * v[c];
    if (!strcmp(t->id, "sinusoidal"))
        for (int c = sum = 0; c < twin_d_model(t); c++)
            sum += twin_row(t, at, c) * twin_row(t, from, c);
    return sum * twin_scale(t);
}

static real change_at(const struct scenario *s, const struct twin *t, const char *how, double far)
{
    return logit_at(s, t, how, far) - logit_at(s, t, how, 0);
}

static void check_decay(const struct twin *t, const char *how, bool factor)
{
    char more[100];
    snprintf(more, sizeof more, "vectors=%s;show=%s;schemes=this", how, factor ? "factor" : "logit");
    struct scenario s = open(t, "decay", more);
    struct figure *f = draw(&s);
    double last = (double)twin_length(t) - 1;
    const struct panel *table = &f->panel[1];
    assert_string_equal(f->panel[0].title, factor ? "factor on the weight" : "change of the logit");
    for (double far = 0; far <= last; far = far * 3 + 1) {
        struct readout r = probe(&s, 0, far, 0);
        twin_slack = 1e-14L;
        real want = change_at(&s, t, how, far), slack = 40 * twin_slack;
        check_value(&s, &r, factor ? expl(want) : want, factor ? slack * expl(want) : slack);
        EXPECT(&s, "name", r.name, 0, far);
        EXPECT(&s, "formula", r.formula, slack * fmaxl(1, expl(want)), far, 0, want, expl(want));
    }
    for (size_t i = 0; i < f->panel[0].n_xs; i += 3) {
        real want = change_at(&s, t, how, f->panel[0].xs[i]);
        expect_double(&s, "curve", f->panel[0].series[0].y[i], factor ? expl(want) : want, (1e-12L + 1e-15L * f->panel[0].xs[i]) * 40);
    }
    for (size_t c = 1; c < table->table_cols; c++) {
        real far = roundl(powl(last, (real)c / 5)), want = change_at(&s, t, how, (double)far);
        EXPECT(&s, "head", table->cell[c].text, 0, fmaxl(1, far));
        EXPECT(&s, "cell", table->cell[table->table_cols + c].text, 1e-9L, factor ? expl(want) : want);
    }
    figure_free(f);
    scenario_done(&s);
}

static void decays(void **state)
{
    (void)state;
    static const struct twin cases[] = {
        {"rope", "head_dim=64;num_heads=1;length=100001"}, {"rope", "head_dim=16;num_heads=1;length=4096;layout=interleaved;rotary_dim=8"},
        {"rope", "head_dim=32;num_heads=2;length=65536;factor=16;original_max_position_embeddings=4096;rope_type=yarn"},
        {"rope", "head_dim=32;num_heads=2;length=65536;rope_theta=500000;factor=8;original_max_position_embeddings=8192;rope_type=llama3"},
        {"xpos", "head_dim=16;num_heads=1;length=2048"}, {"sinusoidal", "d_model=16;num_heads=2;head_dim=8;length=5000"},
    };
    static const char *const how[] = {"even", "equal", "similar", "random"};
    wrong = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t h = 0; h < sizeof how / sizeof *how; h++)
            for (int factor = 0; factor < 2; factor++)
                check_decay(&cases[i], how[h], factor != 0);
    assert_int_equal(wrong, 0);
    assert_true(compared[VIEW_decay] > 1000);
}

/* Each curve and each row is that of the scheme it names, with its defaults. */
static void schemes_beside_each_other(void **state)
{
    (void)state;
    static const struct { const char *title; struct twin t; } schemes[] = {
#define SHAPE "d_model=64;num_heads=4;head_dim=16;length=3000"
        {"RoPE", {"rope", SHAPE}}, {"Sinusoidal", {"sinusoidal", SHAPE}}, {"xPos", {"xpos", SHAPE}}, {"ALiBi", {"alibi", SHAPE}}, {"Sandwich", {"sandwich", SHAPE}},
#undef SHAPE
    };
    struct scenario s = open(&schemes[0].t, "decay", "schemes=classic;show=logit;vectors=even");
    struct figure *f = draw(&s);
    const struct panel *table = &f->panel[1];
    wrong = 0;
    assert_int_equal(f->panel[0].n_series, 7);          /* T5's table and KERPLE's numbers are seeded */
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t at = 0, row = 1;
        while (at < f->panel[0].n_series && strcmp(f->panel[0].series[at].label, schemes[i].title))
            at++;
        while (row < table->table_rows && strcmp(table->cell[row * table->table_cols].text, schemes[i].title))
            row++;
        assert_true(at < f->panel[0].n_series && row < table->table_rows);
        for (size_t x = 0; x < f->panel[0].n_xs; x += 5)
            expect_double(&s, schemes[i].title, f->panel[0].series[at].y[x], change_at(&s, &schemes[i].t, "even", f->panel[0].xs[x]), 1e-9L);
        for (size_t c = 1; c < table->table_cols; c++)
            EXPECT(&s, schemes[i].title, table->cell[row * table->table_cols + c].text, 1e-9L, change_at(&s, &schemes[i].t, "even", (double)fmaxl(1, roundl(powl(2999, (real)c / 5)))));
    }
    figure_free(f);
    scenario_done(&s);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches), cmocka_unit_test(formats), cmocka_unit_test(decays), cmocka_unit_test(schemes_beside_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
