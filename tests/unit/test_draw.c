/* Figures on a canvas. If this is wrong, users read a colour at the wrong position, miss that cells are masked, or see labels jump while
 * values change. The golden texts in tests/golden/figure are looked at by people; POSVIZ_GOLDEN=write writes them anew. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "figure/draw.h"
#include "json/json.h"

static const struct draw_options plain = {.cursor = {-1, NAN, NAN}, .lang = LANG_EN};

static struct draw_options options(enum lang lang, int panel, double x, double y)
{
    return (struct draw_options){.map = colormaps[0], .cursor = {panel, x, y}, .lang = lang};
}

static struct figure *heatmap(double queries, double keys, int rows, int cols, int heat_rows)
{
    struct figure *f = figure_new();
    snprintf(f->caption, sizeof f->caption, "ALiBi · 8 heads · causal");
    snprintf(f->source, sizeof f->source, "Press et al. 2022");
    struct panel *p = figure_add(f, PANEL_HEATMAP, "bias of head 0");
    axis_set(&p->x, "key", "position", 0, keys, false);
    axis_set(&p->y, "query", "position", 0, queries, false);
    snprintf(p->unit, sizeof p->unit, "logit");
    p->reduce = REDUCE_MEAN;
    figure_layout(f, rows, cols, heat_rows, -1, false);
    return f;
}

static void fill_causal(struct panel *p)
{
    double *v = panel_heatmap(p);
    for (int r = 0; r < p->h; r++)
        for (int c = 0; c < p->w; c++) {
            double i = axis_edge(&p->y, p->h, r), j = axis_edge(&p->x, p->w, c);
            v[r * p->w + c] = j > i ? -INFINITY : -(i - j) / 2;
        }
    panel_autorange(p);
}

/* ---- golden texts --------------------------------------------------------------------------------------------- */

static void compare_with_golden(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "tests/golden/figure/%s.txt", name);
    const char *write = getenv("POSVIZ_GOLDEN");
    if (write && !strcmp(write, "write"))
        assert_true(file_write(path, text, strlen(text), true, NULL));
    size_t size;
    char *golden = file_read(path, 1 << 20, &size, NULL);
    assert_non_null(golden);
    assert_string_equal(text, golden);
    free(golden);
}

static void golden(const char *name, const struct figure *f, bool ascii, const struct draw_options *o)
{
    struct canvas *c = canvas_new(f->rows, f->cols, themes[0], DEPTH_MONO, ascii);
    figure_draw(f, c, 0, 0, o);
    char *text = canvas_to_text(c, false);
    compare_with_golden(name, text);
    free(text);
    canvas_free(c);
}

static void golden_heatmap(void **state)
{
    (void)state;
    struct figure *f = heatmap(512, 512, 20, 72, 1);
    fill_causal(&f->panel[0]);
    struct draw_options o = options(LANG_EN, 0, 130, 300);
    golden("heatmap", f, false, &o);
    golden("heatmap-ascii", f, true, &o);
    figure_free(f);
}

static void golden_tokens(void **state)
{
    (void)state;
    static const char *const words[] = {"the", "cat", "sat", "on", "the", "mat"};
    struct figure *f = heatmap(6, 6, 18, 72, 1);
    struct panel *p = &f->panel[0];
    axis_set_ticks(&p->x, words, 6);
    axis_set_ticks(&p->y, words, 6);
    p->y.unit[0] = p->x.unit[0] = '\0';
    figure_layout(f, 18, 72, 1, -1, false);
    fill_causal(p);
    p->data[7] = NAN;
    struct draw_options o = options(LANG_ZH, 0, 3.5, 4.5);
    golden("tokens", f, false, &o);
    figure_free(f);
}

static void golden_curves(void **state)
{
    (void)state;
    static const char *const names[] = {"head 0", "head 1", "head 2"};
    struct figure *f = figure_new();
    figure_add(f, PANEL_CURVES, "bias against distance");
    struct panel *log = figure_add(f, PANEL_CURVES, "wavelength"), *p = &f->panel[0];
    axis_set(&p->x, "distance", "tokens", 0, 63, false);
    axis_set(&p->y, "logit", "", NAN, NAN, false);
    snprintf(p->note, sizeof p->note, "3 of 8 heads");
    axis_set(&log->x, "pair", "", 0, 63, false);
    axis_set(&log->y, "wavelength", "tokens", NAN, NAN, true);
    figure_layout(f, 30, 72, 2, -1, false);
    panel_spread_xs(p, 64, true);
    for (int k = 0; k < 3; k++) {
        struct series *s = panel_add_series(p, names[k]);
        s->steps = k == 2;
        for (int i = 0; i < 64; i++)
            s->y[i] = k == 2 ? 4 - 4 * (i / 16) : i / (2.0 + 2 * k) - 8;
    }
    p->series[1].y[20] = p->series[1].y[21] = p->series[1].y[22] = NAN;   /* a gap */
    panel_autorange(p);
    panel_spread_xs(log, 64, true);
    double *y = panel_add_series(log, "wavelength")->y;
    for (int i = 0; i < 64; i++)
        y[i] = 2 * M_PI * pow(500000, i / 64.0);
    panel_add_mark(log, false, 8192, "trained 8 192", ROLE_WARNING);
    panel_add_mark(log, true, 29, "pair 29", ROLE_DIM);
    panel_autorange(log);
    struct draw_options o = options(LANG_EN, 0, 40, NAN);
    golden("curves", f, false, &o);
    figure_free(f);
}

static void add_dials(struct panel *p, int n)
{
    for (int i = 0; i < n; i++) {
        struct dial *d = panel_add_dial(p);
        snprintf(d->label, sizeof d->label, "pair %d", 8 * i);
        snprintf(d->above, sizeof d->above, "wave %d", 6 << 2 * i);
        snprintf(d->below, sizeof d->below, "%d turns", 652 >> i);
        d->angle[0] = i;
        d->angle[1] = -i;
        d->length[1] = 0.6;
        d->flagged = i == n - 1;
    }
}

static void golden_words(void **state)
{
    (void)state;
    struct figure *f = figure_new();
    add_dials(figure_add(f, PANEL_DIALS, "pairs turning"), 4);
    struct panel *bars = figure_add(f, PANEL_BARS, "ranking");
    snprintf(bars->unit, sizeof bars->unit, "%%");
    panel_add_bar(bars, "RoPE+扩展", 78);
    panel_add_bar(bars, "ALiBi", 66.5);
    snprintf(panel_add_bar(bars, "混合", NAN)->note, 64, "excluded");
    panel_autorange(bars);
    struct panel *change = figure_add(f, PANEL_BARS, "change");
    change->beside = true;
    panel_add_bar(change, "a", -2);
    panel_add_bar(change, "b", 1);
    panel_autorange(change);
    struct panel *t = figure_add(f, PANEL_TABLE, "facts");
    panel_table(t, 4, 3);
    static const char *const head[] = {"fact", "value", "where it was read"};
    for (size_t i = 0; i < 3; i++)
        panel_cell(t, 0, i, ROLE_DIM, i == 1, "%s", head[i]);
    for (size_t r = 1; r < 4; r++) {
        panel_cell(t, r, 0, ROLE_TEXT, false, "base of layer %zu", r);
        panel_cell(t, r, 1, ROLE_TEXT, true, "%zu", 100 * r * r * r);
        panel_cell(t, r, 2, ROLE_DIM, false, "rope_parameters.full_attention.rope_theta of config.json");
    }
    panel_text(figure_add(f, PANEL_TEXT, "about"), "# What am I looking at\n旋转位置编码（RoPE）把查询与键的每一对通道按位置旋转。\n"
               "- Dotted rims never finish a turn within the trained context, so the model has not seen all of their angles.");
    figure_layout(f, 36, 72, 2, -1, false);
    struct draw_options o = options(LANG_EN, 0, 1.5, 0.5);
    golden("words", f, false, &o);
    figure_free(f);
}

/* ---- what must hold for every figure ------------------------------------------------------------------------------ */

static struct figure *everything(int rows, int cols, int heat_rows)
{
    struct figure *f = heatmap(300, 300, rows, cols, heat_rows);
    for (int kind = PANEL_CURVES; kind < PANEL_KIND_COUNT; kind++)
        axis_set(&figure_add(f, (enum panel_kind)kind, "panel 面板")->x, "distance", "tokens", 0, 99, false);
    figure_layout(f, rows, cols, heat_rows, -1, false);
    for (size_t i = 0; i < f->n; i++) {
        struct panel *p = &f->panel[i];
        if (!p->rows)
            continue;
        if (p->kind == PANEL_HEATMAP)
            fill_causal(p);
        if (p->kind == PANEL_CURVES && panel_spread_xs(p, (size_t)p->w, true))
            panel_add_series(p, "series")->y[0] = 1;
        if (p->kind == PANEL_BARS)
            panel_add_bar(p, "label 标签", 1e9);
        if (p->kind == PANEL_DIALS)
            add_dials(p, p->w * p->h);
        if (p->kind == PANEL_TABLE) {
            panel_table(p, 2, 2);
            panel_cell(p, 1, 1, ROLE_TEXT, true, "单元格 cell");
        }
        if (p->kind == PANEL_TEXT)
            panel_text(p, "words 与汉字 words");
        panel_autorange(p);
    }
    return f;
}

static void every_size_is_survived_and_repeats(void **state)
{
    (void)state;
    static const int sizes[][2] = {{1, 1}, {1, 3}, {3, 1}, {2, 9}, {5, 20}, {6, 6}, {24, 80}, {60, 200}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int depth = 0; depth < DEPTH_COUNT; depth++)
            for (int cursor = -1; cursor < PANEL_KIND_COUNT; cursor++) {
                struct canvas *c = canvas_new(sizes[k][0], sizes[k][1], themes[0], (enum color_depth)depth, depth == DEPTH_16);
                struct canvas *again = canvas_new(sizes[k][0], sizes[k][1], themes[0], (enum color_depth)depth, depth == DEPTH_16);
                struct figure *f = everything(sizes[k][0], sizes[k][1], canvas_heat_rows(c));
                struct draw_options o = options(LANG_EN, cursor, 1.5, 1.5);
                figure_draw(f, c, 0, 0, &o);
                figure_draw(f, again, 0, 0, &o);
                assert_memory_equal(c->cell, again->cell, sizeof *c->cell * (size_t)(c->rows * c->cols));
                canvas_free(c);
                canvas_free(again);
                figure_free(f);
            }
}

static void nothing_is_drawn_outside(void **state)
{
    (void)state;
    enum { ROWS = 30, COLS = 90, MARGIN = 7 };
    struct canvas *c = canvas_new(ROWS + 2 * MARGIN, COLS + 2 * MARGIN, themes[0], DEPTH_TRUECOLOR, false);
    struct figure *f = everything(ROWS, COLS, 2);
    struct draw_options o = options(LANG_EN, 0, 10, 10);
    figure_draw(f, c, MARGIN, MARGIN, &o);
    for (int y = 0; y < c->rows; y++)
        for (int x = 0; x < c->cols; x++)
            if (y < MARGIN || x < MARGIN || y >= MARGIN + ROWS || x >= MARGIN + COLS)
                assert_int_equal(c->cell[y * c->cols + x].ch, ' ');
    canvas_free(c);
    figure_free(f);
}

static void ascii_is_ascii(void **state)
{
    (void)state;
    struct canvas *c = canvas_new(60, 120, themes[0], DEPTH_MONO, true);
    struct figure *f = figure_new();
    figure_add(f, PANEL_CURVES, "wavelength");
    add_dials(figure_add(f, PANEL_DIALS, "dials"), 3);
    struct panel *p = &f->panel[0];
    axis_set(&p->x, "pair", "", 0, 63, false);
    axis_set(&p->y, "wavelength", "tokens", NAN, NAN, true);
    figure_layout(f, 60, 120, 1, -1, false);
    panel_spread_xs(p, 64, true);
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 64; i++)
            (k == 0 && i == 0 ? panel_add_series(p, "s") : &p->series[0])->y[i] = pow(10, i / 8.0 - 3);
    panel_add_mark(p, true, 20, "mark", ROLE_DIM);
    panel_add_mark(p, false, 20, "mark", ROLE_DIM);
    panel_autorange(p);
    struct draw_options o = options(LANG_EN, 0, 30, NAN);
    figure_draw(f, c, 0, 0, &o);
    for (int i = 0; i < c->rows * c->cols; i++)
        assert_true(c->cell[i].ch < 0x7f);
    canvas_free(c);
    figure_free(f);
}

/* A plane with its range of y given, and one line across it or down; with cells, it has none. */
static struct canvas *plane(double at, bool vertical, struct rect_cells *area)
{
    struct canvas *c = canvas_new(16, 60, themes[0], DEPTH_MONO, false);
    struct figure *f = figure_new();
    struct panel *p = figure_add(f, PANEL_CURVES, "plane");
    axis_set(&p->x, "distance", "", 0, 10, false);
    axis_set(&p->y, "logit", "", 0, 1, false);
    figure_layout(f, 16, 60, 2, -1, false);
    panel_spread_xs(p, 2, true);
    panel_add_series(p, "none")->y[0] = NAN;
    p->series[0].y[1] = NAN;
    panel_autorange(p);
    panel_add_mark(p, vertical, at, "", ROLE_DIM);
    struct draw_options o = options(LANG_EN, -1, NAN, NAN);
    figure_draw(f, c, 0, 0, &o);
    *area = p->area;
    figure_free(f);
    return c;
}

/* Rows or columns that the line fills: -1 none, -2 several or another cell of the canvas. */
static int line_at(double at, bool vertical)
{
    struct rect_cells area;
    struct canvas *bare = plane(NAN, vertical, &area), *c = plane(at, vertical, &area);
    int found = -1;
    for (int y = 0; y < c->rows; y++)
        for (int x = 0; x < c->cols; x++) {
            if (c->cell[y * c->cols + x].ch == bare->cell[y * c->cols + x].ch)
                continue;
            bool inside = y >= area.row && y < area.row + area.rows && x >= area.col && x < area.col + area.cols;
            int here = !inside ? -2 : vertical ? x - area.col : y - area.row;
            found = found == -1 || found == here ? here : -2;
        }
    canvas_free(bare);
    canvas_free(c);
    return found;
}

/* What lies outside of the range is not drawn, neither in the first and last cells nor on the axis. */
static void lines_stay_in_the_plane(void **state)
{
    (void)state;
    struct rect_cells area;
    canvas_free(plane(NAN, false, &area));
    double dot_y = 1 / (4.0 * area.rows - 1), dot_x = 10 / (2.0 * area.cols - 1);
    assert_int_equal(line_at(1, false), 0);
    assert_int_equal(line_at(0, false), area.rows - 1);
    assert_int_equal(line_at(1 + 0.8 * dot_y, false), -1);
    assert_int_equal(line_at(-0.8 * dot_y, false), -1);
    assert_int_equal(line_at(0, true), 0);
    assert_int_equal(line_at(10, true), area.cols - 1);
    assert_int_equal(line_at(-0.8 * dot_x, true), -1);
    assert_int_equal(line_at(10 + 0.8 * dot_x, true), -1);
}

/* The cell that shows a sample is the cell where the cursor finds it. One sample is bright, all others dark. */
static void the_cursor_reads_what_is_drawn(void **state)
{
    (void)state;
    static const double sizes[] = {5, 23, 44, 500};
    for (size_t k = 0; k < 4; k++)
        for (int depth = DEPTH_16; depth < DEPTH_COUNT; depth += 2) {
            struct canvas *c = canvas_new(24, 80, themes[0], (enum color_depth)depth, false);
            struct figure *f = heatmap(sizes[k], sizes[3 - k], 24, 80, canvas_heat_rows(c));
            struct panel *p = &f->panel[0];
            double *v = panel_heatmap(p);
            for (int target = 0; target < p->w * p->h; target += 7) {
                for (int i = 0; i < p->w * p->h; i++)
                    v[i] = i == target;
                p->lo = 0;
                p->hi = 1;
                struct draw_options o = options(LANG_EN, -1, NAN, NAN);
                figure_draw(f, c, 0, 0, &o);
                int bright = 0;
                uint32_t dark = colormap_rgb(colormaps[0], 0), ansi = color_from_16(colormaps[0]->ansi[0]);
                for (int y = p->area.row; y < p->area.row + p->area.rows; y++)
                    for (int x = p->area.col; x < p->area.col + p->area.cols; x++) {
                        const struct cell *cell = &c->cell[y * c->cols + x];
                        bool upper = cell->ch == 0x2580 && cell->bg == themes[0]->role[ROLE_TEXT].bg;   /* half a row */
                        bool lit = depth == DEPTH_16 ? cell->bg != ansi : cell->fg != dark || (cell->bg != dark && !upper);
                        if (!lit || cell->ch >= '0')                      /* not the number written in a wide sample */
                            if (!(lit && cell->ch == 0x2580))
                                continue;
                        double at_x, at_y;
                        assert_int_equal(figure_locate(f, y, x, &at_x, &at_y), 0);
                        assert_int_equal(axis_sample(&p->x, p->w, at_x), target % p->w);
                        int row = axis_sample(&p->y, p->h, at_y), two = canvas_heat_rows(c) == 2;
                        assert_true(abs(row - target / p->w) <= two);     /* a cell holds two rows: the cursor takes one */
                        bright++;
                    }
                assert_true(bright >= 1);
            }
            canvas_free(c);
            figure_free(f);
        }
}

static char *legend_row(const struct figure *f)
{
    struct canvas *c = canvas_new(f->rows, f->cols, themes[0], DEPTH_MONO, false);
    struct draw_options o = plain;
    o.map = colormaps[0];
    figure_draw(f, c, 0, 0, &o);
    char *text = canvas_to_text(c, false), *last = text + strlen(text) - 1;
    while (last > text && last[-1] != '\n')
        last--;
    last = strdup(last);
    free(text);
    canvas_free(c);
    return last;
}

static void legends_name_what_is_there(void **state)
{
    (void)state;
    struct figure *f = heatmap(100, 100, 24, 90, 1);
    struct panel *p = &f->panel[0];
    fill_causal(p);
    char *row = legend_row(f);
    assert_non_null(strstr(row, "masked"));
    assert_null(strstr(row, "no value"));
    free(row);
    for (int i = 0; i < p->w * p->h; i++)
        p->data[i] = i ? 1 : NAN;
    p->hi = 1;
    p->lo = 0;
    row = legend_row(f);
    assert_null(strstr(row, "masked"));
    assert_non_null(strstr(row, "no value"));
    assert_non_null(strstr(row, "mean of"));
    free(row);
    figure_free(f);
}

/* More bars than rows, with a note beside the title: no value is covered by the words that say so. */
static void bars_below_hide_no_value(void **state)
{
    (void)state;
    enum { BARS = 12, ROWS = 8, COLS = 60 };
    struct figure *f = figure_new();
    snprintf(figure_add(f, PANEL_BARS, "work")->note, sizeof f->panel->note, "logarithmic");
    figure_layout(f, ROWS, COLS, 2, -1, false);
    struct panel *p = &f->panel[0];
    for (int i = 0; i < BARS; i++)
        panel_add_bar(p, "scheme", 1234567);
    panel_autorange(p);
    struct canvas *c = canvas_new(ROWS, COLS, themes[0], DEPTH_MONO, false);
    figure_draw(f, c, 0, 0, &plain);
    char *text = canvas_to_text(c, false);
    size_t shown = 0;
    for (const char *at = text; (at = strstr(at, "1 234 567")); at++)
        shown++;
    assert_int_equal(shown, p->area.rows);
    assert_non_null(strstr(text, "more below"));
    assert_non_null(strstr(text, "logarithmic"));
    free(text);
    canvas_free(c);
    figure_free(f);
}

/* A narrow table whose title leaves no room for "more below": the number that these words reach into is not shown in part, with a value of
 * fewer digits, but gives way to a mark. */
static void words_below_cut_no_number(void **state)
{
    (void)state;
    enum { ROWS = 5, TABLE_ROWS = 12 };
    for (int cols = 24; cols < 48; cols++) {
        struct figure *f = figure_new();
        figure_add(f, PANEL_TABLE, "a title that takes the rule alone, to its end");
        figure_layout(f, ROWS, cols, 2, -1, false);
        struct panel *p = &f->panel[0];
        panel_table(p, TABLE_ROWS, 3);
        for (size_t r = 0; r < TABLE_ROWS; r++) {
            panel_cell(p, r, 0, ROLE_TEXT, true, "%s", r ? "12 345" : "head");
            panel_cell(p, r, 1, ROLE_TEXT, true, "%s", r ? "0.8104" : "entropy");
            panel_cell(p, r, 2, ROLE_TEXT, true, "%s", r ? "70 369 281" : "distance");
        }
        struct canvas *c = canvas_new(ROWS, cols, themes[0], DEPTH_MONO, false);
        figure_draw(f, c, 0, 0, &plain);
        char *text = canvas_to_text(c, false), *last = strstr(text, "more below");
        assert_non_null(last);
        while (last > text && last[-1] != '\n')
            last--;
        const char *whole[] = {"12 345", "0.8104", "70 369 281"};
        char row[400], *note = strstr(strcpy(row, last), "more below") - 1;
        while (note > row && note[-1] != ' ')
            note--;
        *note = '\0';
        for (size_t i = 0; i < 3; i++) {
            char *at = strstr(row, whole[i]);
            if (at)
                memset(at, ' ', strlen(whole[i]));
        }
        assert_int_equal(strcspn(row, "0123456789"), strlen(row));
        free(text);
        canvas_free(c);
        figure_free(f);
    }
}

/* Four curves whose names do not fit: the short ones stay whole. */
static void long_names_are_cut_first(void **state)
{
    (void)state;
    static const char *const names[] = {"float32", "float32-running", "float16", "bfloat16"};
    struct figure *f = figure_new();
    struct panel *p = figure_add(f, PANEL_CURVES, "worst pair");
    axis_set(&p->x, "position", "", 0, 9, false);
    axis_set(&p->y, "error", "", NAN, NAN, false);
    figure_layout(f, 12, 44, 2, -1, false);
    p = &f->panel[0];
    panel_xs(p, 2)[1] = 9;
    for (size_t i = 0; i < 4; i++)
        panel_add_series(p, names[i])->y[0] = (double)i;
    panel_autorange(p);
    char *row = legend_row(f);
    assert_non_null(strstr(row, "a float32 "));
    assert_non_null(strstr(row, "c float16 "));
    assert_non_null(strstr(row, "d bfloat16"));
    free(row);
    figure_free(f);
}

static int legend_starts_at(const struct figure *f)
{
    struct canvas *c = canvas_new(f->rows, f->cols, themes[0], DEPTH_TRUECOLOR, false);
    struct draw_options o = options(LANG_EN, -1, NAN, NAN);
    figure_draw(f, c, 0, 0, &o);
    int x = 0;
    while (x < c->cols && !(c->cell[(c->rows - 1) * c->cols + x].attr & ATTR_HEAT))
        x++;
    canvas_free(c);
    return x;
}

static void legends_do_not_move(void **state)
{
    (void)state;
    static const double range[][2] = {{0, 1}, {-0.123456, 0.5}, {-99999, 12345}, {1e-7, 2e-7}};
    struct figure *f = heatmap(100, 100, 24, 90, 2);
    struct panel *p = &f->panel[0];
    fill_causal(p);
    for (size_t i = 0; i < sizeof range / sizeof *range; i++) {
        p->lo = range[i][0];
        p->hi = range[i][1];
        assert_int_equal(legend_starts_at(f), p->area.col + 8);
    }
    figure_free(f);
}

static void dropped_panels_are_told(void **state)
{
    (void)state;
    struct figure *f = everything(14, 70, 1);
    struct canvas *c = canvas_new(14, 70, themes[0], DEPTH_MONO, false);
    struct draw_options o = options(LANG_EN, -1, NAN, NAN);
    assert_true(f->dropped > 0);
    figure_draw(f, c, 0, 0, &o);
    char *text = canvas_to_text(c, false), wanted[80];
    snprintf(wanted, sizeof wanted, "a larger window shows %zu more", f->dropped);
    assert_non_null(strstr(text, wanted));
    free(text);
    canvas_free(c);
    figure_free(f);
}

/* What a picture assumes is said whole even where the caption alone would fill its line. */
static void a_warning_goes_before_a_long_caption(void **state)
{
    (void)state;
    struct figure *f = heatmap(8, 8, 12, 60, 1);
    fill_causal(&f->panel[0]);
    memset(f->caption, 'c', 70);
    f->caption[70] = '\0';
    snprintf(f->warning, sizeof f->warning, "token p stands at row p, column p");
    struct canvas *c = canvas_new(f->rows, f->cols, themes[0], DEPTH_MONO, false);
    figure_draw(f, c, 0, 0, &plain);
    char *text = canvas_to_text(c, false);
    assert_non_null(strstr(text, "token p stands at row p, column p ─"));
    assert_non_null(strstr(text, "ccc"));
    free(text);
    canvas_free(c);
    figure_free(f);
}

/* Long cells are wrapped and the table is scrolled: row by row every word can be read whole, with the cursor's row in sight. */
static void every_word_of_a_table_can_be_read(void **state)
{
    (void)state;
    enum { ROWS = 9, COLS = 34, N = 12 };
    struct figure *f = figure_new();
    figure_add(f, PANEL_TABLE, "schemes");
    figure_layout(f, ROWS, COLS, 2, -1, false);
    struct panel *p = &f->panel[0];
    panel_table(p, N + 1, 3);
    for (size_t r = 0; r <= N; r++) {
        panel_cell(p, r, 0, ROLE_TEXT, false, "row%02zu", r);
        panel_cell(p, r, 1, ROLE_TEXT, false, r % 3 ? "relative position encoding number %zu" : "short", r);
        panel_cell(p, r, 2, ROLE_TEXT, false, "%s", r % 4 == 1 ? "" : "supported by measurement");
    }
    for (size_t r = 1; r <= N; r++) {
        struct draw_options o = options(LANG_EN, 0, 0.5, (double)r + 0.5);
        panel_follow(p, (double)r + 0.5);
        struct canvas *c = canvas_new(ROWS, COLS, themes[0], DEPTH_MONO, false);
        figure_draw(f, c, 0, 0, &o);
        char *text = canvas_to_text(c, false), name[16];
        snprintf(name, sizeof name, "row%02zu", r);
        assert_non_null(strstr(text, name));
        assert_null(strstr(text, "…"));
        for (int y = 0; y < ROWS; y++) {            /* a click on what is shown of the row finds it */
            double x = NAN, at = NAN;
            const struct cell *cell = &c->cell[y * COLS];
            if (cell[0].ch == 'r' && cell[3].ch == (uint32_t)name[3] && cell[4].ch == (uint32_t)name[4])
                assert_true(figure_locate(f, y, 0, &x, &at) == 0 && at == (double)r + 0.5);
        }
        free(text);
        canvas_free(c);
    }
    figure_free(f);
}

/* A cell whose neighbours on the right are all empty may use their room. */
static void words_reach_over_empty_cells(void **state)
{
    (void)state;
    struct figure *f = figure_new();
    figure_add(f, PANEL_TABLE, "");
    figure_layout(f, 6, 30, 2, -1, false);
    struct panel *p = &f->panel[0];
    panel_table(p, 3, 2);
    panel_cell(p, 0, 0, ROLE_DIM, false, "what");
    panel_cell(p, 1, 0, ROLE_TEXT, false, "a heading over both columns");
    panel_cell(p, 2, 0, ROLE_TEXT, false, "name");
    panel_cell(p, 2, 1, ROLE_TEXT, false, "its long value");
    struct canvas *c = canvas_new(6, 30, themes[0], DEPTH_MONO, false);
    figure_draw(f, c, 0, 0, &plain);
    char *text = canvas_to_text(c, false);
    assert_non_null(strstr(text, "a heading over both columns"));
    assert_non_null(strstr(text, "name"));
    assert_non_null(strstr(text, "its long value"));
    free(text);
    canvas_free(c);
    figure_free(f);
}

/* A caption that is too long loses its last parts, not half a word. */
static void a_long_caption_loses_whole_parts(void **state)
{
    (void)state;
    struct figure *f = heatmap(8, 8, 12, 40, 2);
    snprintf(f->caption, sizeof f->caption, "Llama 3.1 8B · RoPE · rope_theta 500 000 · rotary_dim 128");
    fill_causal(&f->panel[0]);
    struct canvas *c = canvas_new(12, 40, themes[0], DEPTH_MONO, false);
    figure_draw(f, c, 0, 0, &plain);
    char *text = canvas_to_text(c, false);
    assert_non_null(strstr(text, " Llama 3.1 8B · RoPE · … "));
    free(text);
    canvas_free(c);
    figure_free(f);
}

/* Names of curves that are too many for one line get a second one, if the view has announced them. */
static void names_of_curves_take_two_lines(void **state)
{
    (void)state;
    static const char *const names[] = {"Sinusoidal absolute", "RoPE (unscaled)", "T5-style relative bias", "ALiBi"};
    struct figure *f = figure_new();
    struct panel *p = figure_add(f, PANEL_CURVES, "perplexity");
    axis_set(&p->x, "length", "tokens", 0, 9, false);
    axis_set(&p->y, "", "", 0, 1, false);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        panel_will_name(p, names[i]);
    figure_layout(f, 14, 42, 2, -1, false);
    panel_spread_xs(p, 10, true);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        panel_add_series(p, names[i]);
    struct canvas *c = canvas_new(14, 42, themes[0], DEPTH_MONO, false);
    figure_draw(f, c, 0, 0, &plain);
    char *text = canvas_to_text(c, false);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_non_null(strstr(text, names[i]));
    free(text);
    canvas_free(c);
    figure_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warning_goes_before_a_long_caption),
        cmocka_unit_test(every_word_of_a_table_can_be_read), cmocka_unit_test(words_reach_over_empty_cells),
        cmocka_unit_test(a_long_caption_loses_whole_parts), cmocka_unit_test(names_of_curves_take_two_lines),
        cmocka_unit_test(golden_heatmap),           cmocka_unit_test(golden_tokens),
        cmocka_unit_test(golden_curves),            cmocka_unit_test(golden_words),
        cmocka_unit_test(every_size_is_survived_and_repeats), cmocka_unit_test(nothing_is_drawn_outside),
        cmocka_unit_test(ascii_is_ascii),           cmocka_unit_test(lines_stay_in_the_plane),
        cmocka_unit_test(the_cursor_reads_what_is_drawn),
        cmocka_unit_test(long_names_are_cut_first), cmocka_unit_test(bars_below_hide_no_value), cmocka_unit_test(words_below_cut_no_number),
        cmocka_unit_test(legends_name_what_is_there), cmocka_unit_test(legends_do_not_move),
        cmocka_unit_test(dropped_panels_are_told),
    };
    return cmocka_run_group_tests_name("draw", tests, NULL, NULL);
}
