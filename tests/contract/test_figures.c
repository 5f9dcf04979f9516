/* How numbers are written, wherever one is: in every view with every encoding, in the read-out at many places, the words of the description
 * (--accessible), cells, notes, legends, dials and axes. A zero has no minus, what is no number is called NaN, digits are not cut off. If
 * this fails, a screen says "-0", "-nan" or a number of which the end is missing. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/written.h"
#include "app/picture.h"
#include "app/view.h"
#include "base/mem.h"
#include "figure/describe.h"
#include "figure/legend.h"

static int wrong, looked_at;

static void complain(const struct scenario *s, const char *where, const char *text, const char *at)
{
    if (++wrong <= 300)
        print_error("%s, %s, %s: ...%.40s...\n", views[s->view]->id, s->n_items ? s->item[0].kind->id : "none", where, at - text > 20 ? at - 20 : text);
}

static bool is_word(const char *text, const char *at, const char *word)
{
    size_t n = strlen(word);
    return !strncmp(at, word, n) && !isalpha((unsigned char)at[n]) && (at == text || !isalpha((unsigned char)at[-1]));
}

/* The minus of "-0", but not that of "10-0" or "-0.5". */
static bool is_minus_zero(const char *text, const char *at)
{
    char *end;
    if (*at != '-' || !isdigit((unsigned char)at[1]) || (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '^')))
        return false;
    return strtod(at, &end) == 0 && end > at;
}

static void check(const struct scenario *s, const char *where, const char *text)
{
    for (const char *at = text ? text : ""; *at; at++) {
        looked_at++;
        if (is_word(text, at, "nan") || is_minus_zero(text, at))
            complain(s, where, text, at);
    }
}

/* A tick is a round number, and its label says all of it. */
static void check_tick(const struct scenario *s, const struct tick *t)
{
    struct written w[2];
    if (read_numbers(t->label, w, 2) != 1 || fabsl(w[0].value - t->at) > 1e-9L * fabsl(t->at) + 1e-12L * w[0].unit)
        complain(s, "tick", t->label, t->label);
}

static void check_panel(const struct scenario *s, const struct panel *p)
{
    char text[200];
    struct tick tick[TICKS_MAX];
    check(s, "title", p->title);
    check(s, "note", p->note);
    check(s, "text", p->text);
    for (size_t i = 0; i < p->table_rows * p->table_cols; i++)
        check(s, "cell", p->cell[i].text);
    for (size_t i = 0; i < p->n_dials; i++) {
        check(s, "dial", p->dial[i].above);
        check(s, "dial", p->dial[i].below);
    }
    for (size_t i = 0; i < p->n_bars; i++)
        check(s, "bar", p->bar[i].note);
    for (size_t i = 0; i < p->n_series; i++)
        check(s, "series", p->series[i].label);
    for (size_t i = 0; i < p->n_marks; i++)
        check(s, "mark", p->mark[i].label);
    if (p->kind == PANEL_HEATMAP)
        check(s, "legend", legend_reduction(text, sizeof text, p, LANG_EN));
    const struct axis y = panel_y_axis(p), *axes[] = {&p->x, &y};
    for (size_t a = 0; a < 2; a++)
        for (size_t i = 0, n = axis_ticks(axes[a], 8, true, true, tick); i < n; i++) {
            check(s, "tick", tick[i].label);
            if (!axes[a]->n_ticks)
                check_tick(s, &tick[i]);
        }
}

static void check_readout(const struct scenario *s, int panel, double x, double y)
{
    struct readout r = {.known = false};
    char value[40];
    if (!views[s->view]->probe || !views[s->view]->probe(s, panel, x, y, &r) || !r.known)
        return;
    check(s, "read-out, name", r.name);
    check(s, "read-out, value", *r.value_text ? r.value_text : format_number(value, sizeof value, r.value, 6));
    check(s, "read-out, formula", r.formula);
    if (strlen(r.formula) >= sizeof r.formula - 1 || strlen(r.value_text) >= sizeof r.value_text - 1 || strlen(r.name) >= sizeof r.name - 1)
        complain(s, "read-out, cut off", r.formula, r.formula);
}

enum { PLACES = 6 };

static void check_readouts(const struct scenario *s, const struct panel *p, int panel)
{
    const struct axis y = panel_y_axis(p);
    bool list = p->kind == PANEL_TABLE || p->kind == PANEL_BARS || p->kind == PANEL_DIALS || p->kind == PANEL_TEXT;
    for (int i = 0; i < PLACES; i++)
        for (int j = 0; j < PLACES; j++) {
            double u = (double)i / (PLACES - 1), v = (double)j / (PLACES - 1);
            double at_x = list ? 0.5 + (double)p->n_dials * u : axis_at(&p->x, u), at_y = list ? 0.5 + 24 * v : axis_at(&y, v);
            check_readout(s, panel, at_x, at_y);
        }
}

static void look(const struct scenario *s)
{
    struct err err = {.lang = LANG_EN};
    struct picture_room room = {.rows = 60, .cols = 160, .heat_rows = 2, .only_panel = -1};
    if (view_unsuited(s))
        return;
    struct figure *plan = picture_plan(s, &room, &err), *f = view_figure(s, 60, 160, 2, 1, &err);
    if (!f || !plan)
        fail_msg("%s: %s", views[s->view]->id, err.text);
    check(s, "caption", plan->caption);
    check(s, "warning", f->warning);
    for (size_t i = 0; i < f->n; i++) {
        check_panel(s, &f->panel[i]);
        check_readouts(s, &f->panel[i], (int)i);
    }
    struct buf words = {0};
    describe_head(f, LANG_EN, &words);
    for (size_t i = 0; i < f->n; i++)
        describe_panel(&f->panel[i], NULL, LANG_EN, &words);
    char *text = buf_string(&words);
    check(s, "description", text);
    free(text);
    figure_free(f);
    figure_free(plan);
}

static void give(struct scenario *s, const char *settings)
{
    char copy[400], *save = NULL;
    struct err err = {.lang = LANG_EN};
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *one = strtok_r(copy, " ", &save); one; one = strtok_r(NULL, " ", &save)) {
        *strchr(one, '=') = '\0';
        if (!scenario_set(s, one, one + strlen(one) + 1, &err))
            fail_msg("%s", err.text);
    }
}

/* Settings under which zeros, absent and masked values come up. */
static const char *const settings[] = {
    "n=24 num_heads=2 head_dim=8 d_model=16", "n=24 num_heads=3 head_dim=8 d_model=24 mask=none content=seeded", "n=1 num_heads=1 head_dim=4 d_model=4",
    "n=24 num_heads=1 head_dim=8 d_model=8 mask=sliding", "n=1000000000 num_heads=2 head_dim=8 d_model=16",
};

static void zeros_have_no_sign_and_nan_a_name(void **state)
{
    (void)state;
    for (size_t e = 0; encodings[e]; e++)
        for (int v = 0; v < VIEW_COUNT; v++)
            for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
                struct scenario s;
                struct err err = {.lang = LANG_EN};
                bool large = strstr(settings[i], "1000000000") != NULL;
                if ((large && (v == VIEW_attention || v == VIEW_compare)) || v == VIEW_guide || v == VIEW_wizard || v == VIEW_tour || v == VIEW_model)
                    continue;
                scenario_init(&s);
                if (!scenario_set_encoding(&s, encodings[e]->id, &err) || !scenario_set_view(&s, views[v]->id, &err))
                    fail_msg("%s", err.text);
                give(&s, settings[i]);
                s.mask.size = 3;
                look(&s);
                scenario_done(&s);
            }
    assert_int_equal(wrong, 0);
    assert_true(looked_at > 100000);
}

/* Each preset as it opens, then in a part of its picture, and at a length beyond what float32 counts. */
static void of_presets_and_parts_of_them(void **state)
{
    (void)state;
    wrong = 0;
    for (const struct preset *p = presets; p->id; p++) {
        struct scenario s;
        struct err err = {.lang = LANG_EN};
        if (strncmp(p->id, "encodings/", 10) && strncmp(p->id, "models/", 7))
            continue;
        scenario_init(&s);
        if (!scenario_load_preset(&s, p->id, &err))
            fail_msg("%s", err.text);
        if (views[s.view]->id && s.view != VIEW_attention && s.shape.length > 1e5)
            s.shape.length = 1e5;
        look(&s);
        s.zoom = (struct zoom){3, 9, 2, 7};
        look(&s);
        if (s.view != VIEW_attention && s.view != VIEW_precision && s.view != VIEW_grid) {
            s.shape.length = 20000001;
            s.zoom = (struct zoom){16777210, 16777230, 16777215, 16777231};
            look(&s);
        }
        scenario_done(&s);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeros_have_no_sign_and_nan_a_name), cmocka_unit_test(of_presets_and_parts_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
