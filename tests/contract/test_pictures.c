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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
