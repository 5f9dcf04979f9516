/* Numbers in the lessons. Each must be one that its step shows (settings, picture, read-out, words of the description), one that is worked out
 * here, one of a paper in the wizard's book of evidence, or a small one that counts things of the sentence. If this fails, a lecturer reads a
 * number aloud that the screen behind him does not bear out, or the two languages say different ones. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>

#include "../support/written.h"
#include "app/picture.h"
#include "app/view.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "core/encoding.h"
#include "figure/describe.h"
#include "json/json.h"
#include "scenario/tour.h"

enum { MANY = 4096, FEW = 64 };
static int wrong, checked;
static struct written cited[MANY];      /* numbers of the book */
static size_t n_cited;

/* ---- what a step shows ------------------------------------------------------------------------------------- */

static void say_settings(const struct scenario *s, struct buf *out)
{
    struct param_ref refs[200];
    char text[400];
    size_t n = scenario_params(s, refs, 200);
    for (size_t i = 0; i < n; i++) {
        struct value v = scenario_get(s, &refs[i]);
        buf_format(out, "%s\n", param_format(refs[i].param, v, text, sizeof text));
        buf_format(out, "%s\n", scenario_derived(s, &refs[i], text, sizeof text));
    }
    for (size_t i = 0; i < sizeof s->cursor / sizeof *s->cursor; i++)
        buf_format(out, "%.0f\n%.0f\n%.0f\n", floor(s->cursor[i].x), floor(s->cursor[i].y), fabs(floor(s->cursor[i].x) - floor(s->cursor[i].y)));
}

static void say_picture(const struct scenario *s, struct buf *out)
{
    struct err err = {.lang = LANG_EN};
    struct picture_room room = {.rows = 60, .cols = 160, .heat_rows = 2, .only_panel = -1, .words = true};
    struct figure *f = picture_plan(s, &room, &err);
    struct job *job = job_new_alone(1);
    if (!f || !picture_compute(s, f, job, &err))
        fail_msg("%s", err.text);
    describe_head(f, LANG_EN, out);
    for (size_t i = 0; i < f->n; i++) {
        const struct panel *p = &f->panel[i];
        describe_panel(p, NULL, LANG_EN, out);
        buf_format(out, "%s\n%s\n%s\n", p->title, p->note, p->text ? p->text : "");
        for (size_t c = 0; c < p->table_rows * p->table_cols; c++)
            buf_format(out, "%s\n", p->cell[c].text ? p->cell[c].text : "");
        struct readout r = {.known = false};
        if (i < sizeof s->cursor / sizeof *s->cursor && !isnan(s->cursor[i].x) && picture_probe(s, (int)i, s->cursor[i].x, s->cursor[i].y, &r))
            buf_format(out, "%s\n%s\n%.9g\n%s\n", r.name, r.value_text, r.value, r.formula);
    }
    figure_free(f);
    job_free_alone(job);
}

static size_t numbers_of_step(const struct scenario *s, struct written *out)
{
    struct buf all = {0};
    say_settings(s, &all);
    say_picture(s, &all);
    char *text = buf_string(&all);
    size_t n = read_numbers(text, out, MANY);
    free(text);
    return n;
}

/* ---- numbers of papers ------------------------------------------------------------------------------------- */

static void collect(const struct json *j)
{
    if (json_type(j) == JSON_NUMBER && n_cited < MANY)
        cited[n_cited++] = (struct written){.value = json_number(j, NAN)};
    if (json_type(j) == JSON_STRING)
        n_cited += read_numbers(json_string(j), cited + n_cited, MANY - n_cited);
    if (json_type(j) == JSON_ARRAY || json_type(j) == JSON_OBJECT)
        for (const struct json *v = json_first(j); v; v = json_next(v))
            collect(v);
}

/* ---- the rule ---------------------------------------------------------------------------------------------- */

static bool among(struct written w, const struct written *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!list[i].infinite && fabsl(fabsl(list[i].value) - fabsl(w.value)) <= w.unit / 2 * (1 + 1e-9L))
            return true;
    return false;
}

/* Numbers that their step does not show but that follow from what it says: worked out here. */
static bool worked_out(const char *tour, size_t step, struct written w)
{
    const real pi = 3.14159265358979323846L;
    const struct { const char *tour; size_t step; real value; } worked[] = {
        {"00-keys", 8, 52},                                     /* the name of a terminal's sequence */
        {"02-waves", 3, 128 - 2},                               /* exponent of the last of 64 pairs, 2 x 63 / 128 */
        {"02-waves", 9, 400}, {"02-waves", 9, 0.12L}, {"02-waves", 9, 0.02L}, {"02-waves", 9, 0.44L},   /* measured: tests/unit/test_view_numbers.c */
        {"03-tables", 2, 300},                                  /* any position but 7 and 8 */
        {"03-tables", 4, 512 + 1},                              /* one token more than rows */
        {"03-tables", 6, 2048 + 2},                             /* OPT's rows: positions and its offset */
        {"03-tables", 7, 1024 * 768},                           /* rows x width */
        {"04-distance", 5, 200}, {"04-distance", 5, 5000},      /* distances beyond max_distance, 128 */
        {"04-distance", 11, 256 / 2},                           /* buckets of one side that hold one distance each */
        {"04-distance", 8, 256 - 1},                            /* how far back a window of 256 keys reaches */
        {"05-rotation", 5, 128 - 2}, {"05-rotation", 11, 8 / 32.0L},    /* Pythia 14M: 8 of 32 channels */
        {"06-longer", 5, 128 - 2}, {"06-longer", 5, 10000 * powl(4, 128 / 126.0L)}, {"07-lines", 6, 4 * 256},
        {"08-grids", 10, 64}, {"08-grids", 10, 64 - 24 - 24},   /* the chunked sections 16, 24, 24 of the step before */
        {"08-grids", 10, 2 * pi * powl(10000, 16 / 64.0L)},
        {"10-files", 5, 10000},                                 /* rope_local_base_freq of the file, shown by layer in the next step */
        {"10-files", 8, 128 - 2}, {"10-files", 11, 131072},     /* an example of a target */
    };
    for (size_t i = 0; i < sizeof worked / sizeof *worked; i++)
        if (!strcmp(worked[i].tour, tour) && worked[i].step == step + 1 && fabsl(worked[i].value - w.value) <= w.unit / 2 * (1 + 1e-9L))
            return true;
    return false;
}

/* A paper, a claim of the guide with its verdict, or a place in them. */
static bool names_a_source(const struct tour_step *step)
{
    const char *texts[] = {step->text[LANG_EN], step->notes[LANG_EN]};
    for (size_t i = 0; i < 2; i++)
        for (const char *at = texts[i]; at && *at; at++)
            if (!strncmp(at, "et al.", 6) || !strncmp(at, "laim", 4) || !strncmp(at, "table ", 6) || !strncmp(at, "section ", 8) || !strncmp(at, "guide", 5) || !strncmp(at, "the paper", 9) ||
                (!strncmp(at, "20", 2) && isdigit((unsigned char)at[2]) && isdigit((unsigned char)at[3])) || !strncmp(at, "wizard", 6))
                return true;
    return false;
}

static void check_step(const char *tour, const struct tour *t, size_t i)
{
    const struct tour_step *step = &t->step[i];
    static struct written shown[MANY];
    struct written said[FEW];
    struct scenario plain, s;
    struct err err = {.lang = LANG_EN};
    scenario_init(&plain);
    if (!tour_scenario(t, i, -1, &plain, &s, &err))
        fail_msg("%s", err.text);
    size_t n_shown = numbers_of_step(&s, shown);
    scenario_done(&s);
    scenario_done(&plain);
    const char *texts[] = {step->text[LANG_EN], step->notes[LANG_EN], step->title[LANG_EN]};
    for (size_t x = 0; x < 3; x++)
        for (size_t k = 0, n = texts[x] ? read_numbers(texts[x], said, FEW) : 0; k < n; k++) {
            checked++;
            bool small = said[k].unit == 1 && said[k].value <= 12, year = said[k].unit == 1 && said[k].value >= 1900 && said[k].value <= 2030;
            if (small || year || among(said[k], shown, n_shown) || worked_out(tour, i, said[k]) || (names_a_source(step) && among(said[k], cited, n_cited)))
                continue;
            if (++wrong <= 200)
                print_error("%s, step %zu: %.10Lg stands nowhere: %s\n", tour, i + 1, said[k].value, texts[x]);
        }
}

static void every_number_of_a_lesson_is_borne_out(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    struct json *book = json_load("presets/wizard.json", 1 << 24, &err);
    assert_non_null(book);
    collect(book);
    json_free(book);
    for (const struct preset *p = presets; p->id; p++) {
        struct tour *t = strncmp(p->id, "tours/", 6) ? NULL : tour_load(p->id + 6, &err);
        for (size_t i = 0; t && i < t->n_steps; i++)
            check_step(p->id + 6, t, i);
        tour_free(t);
    }
    assert_int_equal(wrong, 0);
    assert_true(checked > 300);
}

/* ---- both languages --------------------------------------------------------------------------------------- */

/* printf directives hold no number that is said. */
static char *without_directives(const char *text)
{
    char *out = xstrdup(text), *to = out;
    for (const char *at = text; *at;) {
        size_t n = 0;
        if (*at == '%' && at[1] != '%' && at[1] != ' ') {
            n = 1 + strspn(at + 1, "0123456789$.*-+# lz");
            n += at[n] && strchr("dufgeEsxc", at[n]) ? 1 : 0;
            *to++ = '\x01';
        }
        if (at[0] == '\\' && at[1] == 'n') {             /* a new line, as the catalogue writes it */
            *to++ = '\n';
            n = 2;
        }
        if (n == 0)
            *to++ = *at, n = 1;
        at += n;
    }
    *to = '\0';
    return out;
}

static int by_value(const void *a, const void *b)
{
    real x = ((const struct written *)a)->value, y = ((const struct written *)b)->value;
    return (x > y) - (x < y);
}

/* Keeps the numbers that a language does not write as words, without their signs. */
static size_t large_ones(struct written *w, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        w[i].value = fabsl(w[i].value);
        if (w[i].unit != 1 || w[i].value > 12)
            w[kept++] = w[i];
    }
    return kept;
}

static void same_numbers(const char *where, const char *en, const char *zh)
{
    struct written a[FEW], b[FEW];
    char *en_plain = without_directives(en), *zh_plain = without_directives(zh);
    size_t n = large_ones(a, read_numbers(en_plain, a, FEW)), m = large_ones(b, read_numbers(zh_plain, b, FEW));
    qsort(a, n, sizeof *a, by_value);
    qsort(b, m, sizeof *b, by_value);
    bool same = n == m;
    for (size_t i = 0; same && i < n; i++)
        same = a[i].value == b[i].value && a[i].infinite == b[i].infinite;
    checked++;
    if (!same && ++wrong <= 60) {
        print_error("%s: the languages hold other numbers:\n  %s\n  %s\n ", where, en, zh);
        for (size_t i = 0; i < n || i < m; i++)
            print_error(" %Lg %Lg;", i < n ? a[i].value : NAN, i < m ? b[i].value : NAN);
    }
    free(en_plain);
    free(zh_plain);
}

static void lessons_say_the_same_numbers(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    wrong = checked = 0;
    for (const struct preset *p = presets; p->id; p++) {
        struct tour *t = strncmp(p->id, "tours/", 6) ? NULL : tour_load(p->id + 6, &err);
        for (size_t i = 0; t && i < t->n_steps; i++) {
            same_numbers(p->id, t->step[i].title[LANG_EN], t->step[i].title[LANG_ZH]);
            same_numbers(p->id, t->step[i].text[LANG_EN], t->step[i].text[LANG_ZH]);
            if (t->step[i].notes[LANG_EN] && t->step[i].notes[LANG_ZH])
                same_numbers(p->id, t->step[i].notes[LANG_EN], t->step[i].notes[LANG_ZH]);
        }
        tour_free(t);
    }
    assert_int_equal(wrong, 0);
    assert_true(checked > 300);
}

/* ---- what the book says that this project computed -------------------------------------------------------- */

static double value_of(const struct json *book, const char *id, size_t i)
{
    for (const struct json *c = json_first(json_get(book, "computed_checks")); c; c = json_next(c))
        if (!strcmp(json_string(json_get(c, "id")), id)) {
            const struct json *v = json_first(json_get(c, "value"));
            while (i-- > 0)
                v = json_next(v);
            return json_number(v, NAN);
        }
    return NAN;
}

/* Pairs of a sinusoid of width d whose angle stays below 0.1 rad over n positions; times 2 with the exponent doubled. */
static int slow_pairs(int d, int n, int times)
{
    int slow = 0;
    for (int k = 0; k < d / 2; k++)
        slow += (n - 1) * powl(10000, -times * 2.0L * k / d) < 0.1L;
    return slow;
}

static real similarity(int distance)
{
    real sum = 0;
    for (int k = 0; k < 64; k++)
        sum += cosl(distance * powl(10000, -k / 64.0L));
    return sum;
}

static void what_the_book_calls_computed(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    struct json *book = json_load("presets/wizard.json", 1 << 24, &err);
    const real pi = 3.14159265358979323846L;
    int rises = 0, first = 0;
    for (int d = 1199; d >= 1; d--)
        if (similarity(d) > similarity(d - 1)) {
            rises++;
            first = d;
        }
    const struct { const char *id; size_t at; real want, share; } checks[] = {
        {"calc1", 0, 2 * pi * powl(10000, 4 * 63 / 128.0L), 1e-3L}, {"calc1", 1, 2 * pi * powl(10000, 2 * 63 / 128.0L), 1e-4L},
        {"calc2", 0, slow_pairs(128, 50, 2), 0}, {"calc2", 1, slow_pairs(128, 50, 1), 0}, {"calc2", 2, slow_pairs(512, 512, 2), 0}, {"calc2", 3, slow_pairs(512, 512, 1), 0},
        {"calc3", 0, first, 0}, {"calc3", 1, rises / 1199.0L, 1e-3L},
        {"calc6", 0, 2 * 6 * 4096 / 2, 0}, {"calc6", 1, 2 * 4 * 4096.0L * 4096, 0},         /* 6 a pair of q and of k; 4 products, a multiply and an add each */
        {"calc7", 0, 32 * 4096 * 128 * 4 / 1048576.0L, 0}, {"calc7", 1, 4096 * 128 * 4 / 1048576.0L, 0},
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        double said = value_of(book, checks[i].id, checks[i].at);
        if (!(fabsl(said - checks[i].want) <= checks[i].share * checks[i].want))
            fail_msg("%s, value %zu: %.10g, want %.10Lg", checks[i].id, checks[i].at, said, checks[i].want);
    }
    json_free(book);
}

/* A line's words between its quotation marks, as they stand there. */
static void add_quoted(struct buf *to, const char *line)
{
    const char *open = strchr(line, '"'), *close = strrchr(line, '"');
    if (open && close > open)
        buf_put(to, open + 1, (size_t)(close - open - 1));
}

static void messages_say_the_same_numbers(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    size_t size;
    char *po = file_read("po/zh.po", 1 << 24, &size, &err), *rest = po;
    struct buf en = {0}, zh = {0};
    bool second = false;
    wrong = checked = 0;
    for (char *line; po && (line = strsep(&rest, "\n"));) {
        if (!strncmp(line, "msgid ", 6) || !*line) {
            char *a = buf_string(&en), *b = buf_string(&zh);
            if (*a && *b)
                same_numbers("po/zh.po", a, b);
            free(a);
            free(b);
        }
        second = strncmp(line, "msgid ", 6) ? second || !strncmp(line, "msgstr ", 7) : false;
        if (*line == '"' || !strncmp(line, "msg", 3))
            add_quoted(second ? &zh : &en, line);
    }
    buf_done(&en);
    buf_done(&zh);
    free(po);
    assert_int_equal(wrong, 0);
    assert_true(checked > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_a_lesson_is_borne_out), cmocka_unit_test(lessons_say_the_same_numbers),
        cmocka_unit_test(messages_say_the_same_numbers), cmocka_unit_test(what_the_book_calls_computed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
