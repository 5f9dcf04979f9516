/* Figures as files. If this is wrong, NumPy reads other numbers than the screen showed, a spreadsheet shifts columns, a full disk leaves half
 * a file, or a file of the user's is gone. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#include "../support/files.h"
#include "base/file.h"
#include "export/export.h"
#include "json/json.h"

static struct export_options options(void)
{
    return (struct export_options){.theme = themes[0], .map = colormaps[0], .lang = LANG_EN, .depth = DEPTH_TRUECOLOR, .dpi = 150};
}

/* Samples that have no short decimal form, a masked one and one without a value. */
static struct figure *figure_of(double queries, double keys)
{
    struct figure *f = figure_new();
    snprintf(f->caption, sizeof f->caption, "a \"caption\", 位置");
    struct panel *p = figure_add(f, PANEL_HEATMAP, "similarity");
    axis_set(&p->x, "key, position", "", 0, keys, false);
    axis_set(&p->y, "query", "", 5, 5 + queries, false);
    snprintf(p->unit, sizeof p->unit, "cosine");
    struct panel *c = figure_add(f, PANEL_CURVES, "profile");
    axis_set(&c->x, "distance", "tokens", 0, 9, false);
    axis_set(&c->y, "logit", "", NAN, NAN, false);
    figure_layout(f, 30, 80, 2, -1, false);
    c = &f->panel[1];
    p = &f->panel[0];
    double *v = panel_heatmap(p);
    for (int i = 0; i < p->w * p->h; i++)
        v[i] = 1.0 / (3 + i);
    v[1] = -INFINITY;
    v[2] = NAN;
    panel_autorange(p);
    panel_spread_xs(c, 10, true);
    for (int k = 0; k < 2; k++) {
        double *y = panel_add_series(c, k ? "\"b\"" : "a")->y;
        for (int i = 0; i < 10; i++)
            y[i] = sqrt(2 + k) * i;
    }
    panel_autorange(c);
    return f;
}

static char *written(const struct export_format *format, const struct figure *f, size_t *n)
{
    struct buf out = {0};
    struct export_options o = options();
    assert_true(format->write(f, &o, &out, NULL));
    *n = out.n;
    return buf_string(&out);
}

/* ---- npy: read back by the rules of NEP 1 ------------------------------------------------------------------------ */

static const char *npy_data(const char *npy, size_t n, size_t rows, size_t cols)
{
    char shape[64];
    assert_memory_equal(npy, "\x93NUMPY\x01\x00", 8);
    size_t head = (unsigned char)npy[8] | (size_t)(unsigned char)npy[9] << 8;
    assert_int_equal((10 + head) % 64, 0);
    assert_int_equal(npy[10 + head - 1], '\n');
    snprintf(shape, sizeof shape, "'shape': (%zu, %zu), ", rows, cols);
    char *text = strndup(npy + 10, head);
    assert_non_null(strstr(text, "'descr': '<f8'"));
    assert_non_null(strstr(text, "'fortran_order': False"));
    assert_non_null(strstr(text, shape));
    free(text);
    assert_true(n > 10 + head + 8 * rows * cols);           /* the figure's words, an array of their own, are behind */
    assert_memory_equal(npy + 10 + head + 8 * rows * cols, "\x93NUMPY", 6);
    return npy + 10 + head;
}

static double little_endian(const char *bytes)
{
    uint64_t bits = 0;
    double x;
    for (int i = 7; i >= 0; i--)
        bits = bits << 8 | (unsigned char)bytes[i];
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void npy_holds_every_sample(void **state)
{
    (void)state;
    size_t n;
    struct figure *f = figure_of(300, 500);
    const struct panel *p = &f->panel[0];
    char *npy = written(&export_npy, f, &n);
    const char *data = npy_data(npy, n, (size_t)p->h, (size_t)p->w);
    for (int i = 0; i < p->w * p->h; i++) {
        double x = little_endian(data + 8 * i);
        assert_true(x == p->data[i] || (isnan(x) && isnan(p->data[i])));
    }
    free(npy);
    figure_free(f);
}

static void npy_of_curves_starts_with_x(void **state)
{
    (void)state;
    size_t n;
    struct figure *f = figure_of(3, 3);
    figure_layout(f, 30, 80, 2, 1, false);                                /* the heatmap is not shown */
    char *npy = written(&export_npy, f, &n);
    const char *data = npy_data(npy, n, 10, 3);
    assert_true(little_endian(data + 8 * 3 * 4) == 4);
    assert_true(little_endian(data + 8 * (3 * 4 + 2)) == f->panel[1].series[1].y[4]);
    free(npy);
    figure_free(f);
}

/* ---- csv ----------------------------------------------------------------------------------------------------------- */

static void csv_has_headings_and_all_digits(void **state)
{
    (void)state;
    size_t n;
    struct figure *f = figure_of(2, 3);
    char *csv = written(&export_csv, f, &n), *line = csv;
    const char *head = "query,\"key, position\",cosine\n5,0,0.33333333333333331\n5,1,-inf\n5,2,nan\n6,0,";
    assert_memory_equal(csv, head, strlen(head));
    line += strlen(head);
    assert_true(strtod(line, NULL) == f->panel[0].data[3]);
    free(csv);
    f->panel[0].w = 2;                                                    /* blocks name both ends */
    csv = written(&export_csv, f, &n);
    head = "query,\"key, position from\",\"key, position to\",cosine\n5,0,1,";
    assert_memory_equal(csv, head, strlen(head));
    free(csv);
    struct buf out = {0};
    struct export_options o = options();
    o.lang = LANG_ZH;                       /* names of axes are in the language of the picture; what is added to them is too */
    assert_true(export_csv.write(f, &o, &out, NULL));
    head = "query,\"key, position 起\",\"key, position 止（不含）\",cosine\n";
    assert_memory_equal(out.data, head, strlen(head));
    buf_done(&out);
    figure_layout(f, 30, 80, 2, 1, false);
    csv = written(&export_csv, f, &n);
    head = "distance (tokens),a (logit),\"\"\"b\"\" (logit)\"\n0,0,0\n1,1.4142135623730951,1.7320508075688772\n";
    assert_memory_equal(csv, head, strlen(head));
    free(csv);
    figure_free(f);
}

/* ---- json ---------------------------------------------------------------------------------------------------------- */

static void json_holds_the_figure(void **state)
{
    (void)state;
    size_t n;
    struct err err = {.lang = LANG_EN};
    struct figure *f = figure_of(2, 3);
    char *text = written(&export_json, f, &n);
    struct json *root = json_parse(text, n, &err);
    assert_non_null(root);
    assert_true(json_number(json_get(root, "schema"), 0) == 1);
    assert_string_equal(json_string(json_get(root, "caption")), f->caption);
    const struct json *heat = json_at(json_get(root, "panels"), 0), *row = json_at(json_get(heat, "values"), 1);
    assert_true(json_number(json_at(row, 2), 0) == f->panel[0].data[5]);
    assert_int_equal(json_type(json_at(json_at(json_get(heat, "values"), 0), 1)), JSON_NULL);
    assert_int_equal(json_size(json_get(heat, "masked")), 1);
    assert_true(json_number(json_at(json_get(heat, "y_edges"), 2), 0) == 7);
    const struct json *curves = json_at(json_get(root, "panels"), 1), *b = json_at(json_get(curves, "series"), 1);
    assert_string_equal(json_string(json_get(b, "label")), "\"b\"");
    assert_true(json_number(json_at(json_get(b, "values"), 9), 0) == f->panel[1].series[1].y[9]);
    json_free(root);
    free(text);
    figure_free(f);
}

/* ---- text ----------------------------------------------------------------------------------------------------------- */

static void text_is_the_screen(void **state)
{
    (void)state;
    size_t n, lines = 0;
    struct figure *f = figure_of(30, 30);
    char *txt = written(&export_txt, f, &n), *ansi = written(&export_ansi, f, &n);
    for (const char *c = txt; *c; c++) {
        lines += *c == '\n';
        assert_true(*c != '\033');
    }
    assert_int_equal(lines, 30);
    assert_non_null(strstr(txt, "similarity"));
    assert_non_null(strstr(ansi, "\033[0;38;2;"));
    free(txt);
    free(ansi);
    figure_free(f);
}

/* ---- files ---------------------------------------------------------------------------------------------------------- */

static void formats_go_by_the_extension(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    assert_ptr_equal(export_format_of("a/b.c/figure.NPY", NULL), &export_npy);
    assert_null(export_format_of("a.png/figure", &err));
    assert_non_null(strstr(err.text, ".png .svg .pdf .txt .ansi .csv .npy .json"));
    assert_null(export_format_of("figure.gif", &err));
}

static void existing_files_are_kept(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    struct figure *f = figure_of(2, 2);
    struct export_options o = options();
    const char *path = scratch_path("kept.csv");
    assert_true(file_write(path, "mine", 4, false, NULL));
    assert_true(chmod(path, 0640) == 0);
    assert_false(export_figure(f, path, &o, &err));
    assert_non_null(strstr(err.text, "--force"));
    size_t size;
    char *text = file_read(path, 100, &size, NULL);
    assert_string_equal(text, "mine");
    free(text);
    o.force = true;
    assert_true(export_figure(f, path, &o, &err));
    text = file_read(path, 10000, &size, NULL);
    assert_memory_equal(text, "query,", 6);
    struct stat st;
    assert_true(stat(path, &st) == 0 && (st.st_mode & 0777) == 0640);
    free(text);
    assert_int_equal(scratch_count(), 1);
    figure_free(f);
}

static void links_stay_links(void **state)
{
    (void)state;
    const char *path = scratch_path("real"), *link_path = scratch_path("link");
    assert_true(file_write(path, "old", 3, false, NULL));
    assert_int_equal(symlink("real", link_path), 0);
    assert_true(file_write(link_path, "new", 3, true, NULL));
    struct stat st;
    assert_true(lstat(link_path, &st) == 0 && S_ISLNK(st.st_mode));
    size_t size;
    char *text = file_read(path, 10, &size, NULL);
    assert_string_equal(text, "new");
    free(text);
    assert_int_equal(scratch_count(), 2);
}

/* A limit on the size of files stands for a full disk: the write ends in the middle. */
static void a_full_disk_leaves_nothing(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    struct rlimit old, small = {4096, 4096};
    const char *path = scratch_path("big.npy");
    char *data = xcalloc(1, 100000);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool good = file_write(path, data, 100000, false, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_false(good);
    assert_non_null(strstr(err.text, "big.npy cannot be written"));
    assert_int_equal(scratch_count(), 0);
    assert_true(file_write(path, "old", 3, false, NULL));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    good = file_write(path, data, 100000, true, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_false(good);
    size_t size;
    char *text = file_read(path, 10, &size, NULL);
    assert_string_equal(text, "old");                                     /* what stood there stays */
    free(text);
    assert_int_equal(scratch_count(), 1);
    free(data);
}

static void unwritable_places_say_so(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    const char *path = scratch_path("no/such/folder.csv");
    assert_false(file_write(path, "x", 1, true, &err));
    assert_non_null(strstr(err.text, "there is no folder"));
    assert_false(file_write(scratch, "x", 1, true, &err));
    assert_non_null(strstr(err.text, "is a folder"));
    assert_false(file_write("/dev/full", "x", 1, true, &err));
    assert_non_null(strstr(err.text, "No space left"));
    assert_true(file_write("/dev/null", "x", 1, false, &err));
}

/* ---- bars, dials, tables --------------------------------------------------------------------------------------- */

static char *written_alone(const struct export_format *format, enum panel_kind kind, size_t *n)
{
    struct figure *f = figure_new();
    struct panel *p = figure_add(f, kind, "counts");
    snprintf(p->unit, sizeof p->unit, "pairs");
    if (kind == PANEL_BARS) {
        snprintf(panel_add_bar(p, "kept, whole", 29)->note, sizeof p->bar->note, "of 64");
        panel_add_bar(p, "divided", NAN);
    } else if (kind == PANEL_DIALS) {
        struct dial *d = panel_add_dial(p);
        *d = (struct dial){.label = "pair 3", .above = "q", .below = "k", .angle = {0.1, -2.5}, .length = {1, 0.5}, .flagged = true};
    } else {
        panel_table(p, 2, 2);
        panel_cell(p, 0, 0, ROLE_DIM, false, "way");
        panel_cell(p, 0, 1, ROLE_DIM, true, "error");
        panel_cell(p, 1, 0, ROLE_TEXT, false, "a \"b\"");
    }
    figure_layout(f, 24, 80, 2, -1, false);
    char *text = written(format, f, n);
    figure_free(f);
    return text;
}

static void bars_dials_and_tables_as_csv(void **state)
{
    (void)state;
    size_t n;
    static const struct { enum panel_kind kind; const char *csv; } cases[] = {
        {PANEL_BARS, "label,pairs,note\n\"kept, whole\",29,of 64\ndivided,nan,\n"},
        {PANEL_DIALS, "dial,above,below,angle 1 (rad),length 1,angle 2 (rad),length 2,flagged\npair 3,q,k,0.10000000000000001,1,-2.5,0.5,1\n"},
        {PANEL_TABLE, "way,error\n\"a \"\"b\"\"\",\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *csv = written_alone(&export_csv, cases[i].kind, &n);
        assert_string_equal(csv, cases[i].csv);
        free(csv);
    }
}

static void bars_and_dials_as_npy(void **state)
{
    (void)state;
    size_t n;
    char *npy = written_alone(&export_npy, PANEL_BARS, &n);
    const char *data = npy_data(npy, n, 2, 1);
    assert_true(little_endian(data) == 29 && isnan(little_endian(data + 8)));
    free(npy);
    npy = written_alone(&export_npy, PANEL_DIALS, &n);
    data = npy_data(npy, n, 1, 4);
    assert_true(little_endian(data) == 0.1 && little_endian(data + 8) == 1 && little_endian(data + 16) == -2.5 && little_endian(data + 24) == 0.5);
    free(npy);
}

static void bars_dials_and_tables_as_json(void **state)
{
    (void)state;
    static const enum panel_kind kinds[] = {PANEL_BARS, PANEL_DIALS, PANEL_TABLE};
    for (size_t i = 0; i < 3; i++) {
        size_t n;
        char *text = written_alone(&export_json, kinds[i], &n);
        struct json *root = json_parse(text, n, NULL);
        const struct json *p = json_at(json_get(root, "panels"), 0), *bar = json_at(json_get(p, "bars"), 0);
        const struct json *dial = json_at(json_get(p, "dials"), 0), *row = json_at(json_get(p, "rows"), 1);
        assert_non_null(root);
        if (bar)
            assert_true(json_number(json_get(bar, "value"), 0) == 29 && !strcmp(json_string(json_get(bar, "note")), "of 64"));
        if (dial)
            assert_true(json_number(json_at(json_get(dial, "angles"), 1), 0) == -2.5 && json_bool(json_get(dial, "flagged"), false));
        if (row)
            assert_string_equal(json_string(json_at(row, 0)), "a \"b\"");
        assert_int_equal((bar != NULL) + (dial != NULL) + (row != NULL), 1);
        json_free(root);
        free(text);
    }
}

static void words_are_no_array(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    struct export_options o = options();
    struct buf out = {0};
    struct figure *f = figure_new();
    panel_text(figure_add(f, PANEL_TEXT, "about"), "words");
    figure_layout(f, 24, 80, 2, -1, false);
    assert_false(export_npy.write(f, &o, &out, &err));
    assert_non_null(strstr(err.text, ".json"));
    assert_false(export_csv.write(f, &o, &out, &err));
    buf_done(&out);
    figure_free(f);
}

#define SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(npy_holds_every_sample),   cmocka_unit_test(npy_of_curves_starts_with_x),
        cmocka_unit_test(csv_has_headings_and_all_digits), cmocka_unit_test(json_holds_the_figure),
        cmocka_unit_test(text_is_the_screen),       cmocka_unit_test(formats_go_by_the_extension),
        SCRATCH(existing_files_are_kept),  SCRATCH(links_stay_links),
        SCRATCH(a_full_disk_leaves_nothing), SCRATCH(unwritable_places_say_so),
        cmocka_unit_test(bars_dials_and_tables_as_csv), cmocka_unit_test(bars_and_dials_as_npy),
        cmocka_unit_test(bars_dials_and_tables_as_json), cmocka_unit_test(words_are_no_array),
    };
    return cmocka_run_group_tests_name("export", tests, NULL, NULL);
}
