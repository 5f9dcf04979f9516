/* Every view in words: with every encoding and every preset, in both languages. If this fails, somebody who listens to the program hears control
 * characters, an empty line, nothing at all about a panel, or a number that is not in the figure. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/picture.h"
#include "base/utf8.h"
#include "figure/describe.h"
#include "json/preset.h"

static const char *where = "";

static void complain(const struct scenario *s, const char *what, const char *text)
{
    print_error("view %s, %s, %s: %s\n%.2000s\n", view_ids[s->view], where, lang_name(s->lang), what, text);
    fail();
}

/* ---- what must hold of every text ----------------------------------------------------------------------------- */

static bool is_drawn(uint32_t c)
{
    return (c < 0x20 && c != '\n') || (c >= 0x7f && c < 0xa0) || (c >= 0x2500 && c <= 0x25ff) || (c >= 0x2800 && c <= 0x28ff);
}

static bool has_content(const char *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)line[i] >= 0x80 || (line[i] >= '0' && line[i] <= '9') || ((line[i] | 32) >= 'a' && (line[i] | 32) <= 'z'))
            return true;
    return false;
}

static void check_lines(const struct scenario *s, const char *text)
{
    for (const char *p = text; *p;)
        if (is_drawn(utf8_next(&p)))
            complain(s, "a character that draws or controls", text);
    for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
        if (!has_content(line, strcspn(line, "\n")))
            complain(s, "a line without content", text);
        if (!strchr(line, '\n'))
            complain(s, "a line without its end", text);
    }
}

static void expect_number(const struct scenario *s, const char *what, double x, const char *text)
{
    char number[40];
    if (isfinite(x) && !strstr(text, describe_number(number, sizeof number, x, s->lang)))
        complain(s, what, text), print_error("%s\n", number);
}

/* ---- the figure's own numbers, found by another way than the describer's ------------------------------------------ */

static double extreme(const double *x, size_t n, double sign)
{
    double most = NAN;
    for (size_t i = 0; i < n; i++)
        if (isfinite(x[i]) && !(sign * x[i] <= sign * most))
            most = x[i];
    return most;
}

static size_t count_masked(const struct panel *p)
{
    size_t n = 0;
    for (size_t i = 0; i < (size_t)p->w * (size_t)p->h; i++)
        n += p->data[i] == -INFINITY;
    return n;
}

static void check_heatmap(const struct scenario *s, const struct panel *p, const char *text)
{
    char share[40];
    size_t n = (size_t)p->w * (size_t)p->h, masked = count_masked(p);
    expect_number(s, "the largest value is missing", extreme(p->data, n, 1), text);
    expect_number(s, "the smallest value is missing", extreme(p->data, n, -1), text);
    snprintf(share, sizeof share, "%.3g", 100 * (double)masked / (double)n);
    if (masked && !strstr(text, share))
        complain(s, "the masked share is missing", text);
}

static void check_curves(const struct scenario *s, const struct panel *p, const char *text)
{
    for (size_t i = 0; i < p->n_series; i++) {
        expect_number(s, "the largest value of a curve is missing", extreme(p->series[i].y, p->n_xs, 1), text);
        expect_number(s, "the smallest value of a curve is missing", extreme(p->series[i].y, p->n_xs, -1), text);
        if (!strstr(text, p->series[i].label))
            complain(s, "a curve is missing", text);
    }
}

static void check_bars(const struct scenario *s, const struct panel *p, const char *text)
{
    for (size_t i = 0; i < p->n_bars; i++)
        expect_number(s, "a bar is missing", p->bar[i].value, text);
}

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void check_rows(const struct scenario *s, const struct panel *p, const char *text)
{
    size_t rows = p->kind == PANEL_DIALS ? p->n_dials : p->table_rows > 0 ? p->table_rows - !p->facts : 0;
    if (count_lines(text) < rows)
        complain(s, "rows are missing", text);
}

static void check_panel(const struct scenario *s, const struct panel *p)
{
    struct buf out = {0};
    size_t message = describe_panel(p, NULL, s->lang, &out);
    char *text = buf_string(&out);
    check_lines(s, text);
    if (message > count_lines(text))
        complain(s, "more lines are promised than there are", text);
    if (p->kind == PANEL_HEATMAP && p->data && (!p->map || p->difference))      /* a map has no values to be read */
        check_heatmap(s, p, text);
    if (p->kind == PANEL_CURVES)
        check_curves(s, p, text);
    if (p->kind == PANEL_BARS)
        check_bars(s, p, text);
    if (p->kind == PANEL_DIALS || p->kind == PANEL_TABLE)
        check_rows(s, p, text);
    if (p->kind == PANEL_TEXT && p->text && has_content(p->text, strlen(p->text)) && !*text)
        complain(s, "a text is missing", p->text);
    free(text);
}

static void check_view(const struct scenario *s)
{
    struct err err = {.lang = s->lang};
    struct picture_room room = {.only_panel = -1, .words = true};
    struct figure *f = picture_plan(s, &room, &err);
    struct job *job = job_new_alone(1);
    if (!f || !picture_compute(s, f, job, &err))
        complain(s, "no figure", err.text);
    job_free_alone(job);
    struct buf head = {0};
    describe_head(f, s->lang, &head);
    char *text = buf_string(&head);
    check_lines(s, text);
    if (!*text || f->n == 0)
        complain(s, "nothing is said", "");
    free(text);
    for (size_t i = 0; i < f->n; i++)
        check_panel(s, &f->panel[i]);
    figure_free(f);
}

static void check_views(struct scenario *s, enum lang lang, bool slow_too)
{
    scenario_speak(s, lang);
    for (int v = 0; v < VIEW_COUNT; v++) {
        if (v == VIEW_precision && !slow_too)           /* rounds every angle in four formats */
            continue;
        scenario_set_view(s, views[v]->id, NULL);
        check_view(s);
    }
}

/* ---- with everything ------------------------------------------------------------------------------------------------ */

static void shape(struct scenario *s)
{
    s->shape.length = 96;
    s->shape.n_heads = 4;
    s->shape.d_head = 16;
    s->shape.d_model = 64;
}

static void every_view_of_every_encoding(void **state)
{
    (void)state;
    for (size_t i = 0; encodings[i]; i++) {
        struct scenario s;
        scenario_init(&s);
        assert_true(scenario_set_encoding(&s, where = encodings[i]->id, NULL));
        shape(&s);
        for (int l = 0; l < LANG_COUNT; l++)
            check_views(&s, (enum lang)l, l == LANG_EN);
        scenario_done(&s);
    }
}

/* Models at 256 tokens, in one language each: the words do not depend on the length, the time does. */
static void every_view_of_every_preset(void **state)
{
    (void)state;
    for (const struct preset *p = presets; p->id; p++) {
        struct scenario s;
        if (!strncmp(p->id, "tours/", 6) || !strcmp(p->id, "wizard"))
            continue;
        scenario_init(&s);
        assert_true(scenario_load_preset(&s, where = p->id, NULL));
        s.shape.length = fmin(s.shape.length, 256);
        check_views(&s, (enum lang)((p - presets) % LANG_COUNT), false);
        scenario_done(&s);
    }
}

static void comparisons_too(void **state)
{
    (void)state;
    for (enum compare mode = COMPARE_A; mode <= COMPARE_DIFFERENCE; mode++) {
        struct scenario s;
        scenario_init(&s);
        where = "compared";
        scenario_set_encoding(&s, "alibi", NULL);
        shape(&s);
        struct scenario *other = malloc(sizeof *other);
        scenario_copy(other, &s);
        s.other = other;
        s.compare = mode;
        for (int v = 0; v < VIEW_COUNT; v++) {
            scenario_set_view(&s, views[v]->id, NULL);
            struct figure *f = picture_plan(&s, &(struct picture_room){.only_panel = -1, .words = true}, NULL);
            struct job *job = job_new_alone(1);
            if (f && picture_compute(&s, f, job, NULL))
                for (size_t i = 0; i < f->n; i++)
                    check_panel(&s, &f->panel[i]);
            job_free_alone(job);
            figure_free(f);
        }
        scenario_done(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_view_of_every_encoding), cmocka_unit_test(every_view_of_every_preset), cmocka_unit_test(comparisons_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
