/* values.h - what a reader sees of a view - read-outs, cells, notes - beside what twin.h says of it. Each number in a text must be the right one, rounded
 * as correctly as its digits claim: "6.28319" claims half a unit of its last digit. Included after cmocka.h. */
#ifndef POSVIZ_TESTS_VALUES_H
#define POSVIZ_TESTS_VALUES_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "twin.h"
#include "written.h"
#include "app/picture.h"
#include "app/view.h"

enum { NUMBERS = 24 };

static int wrong, compared[VIEW_COUNT];

static inline void expect_number(const struct scenario *s, const char *where, const char *text, struct written got, real want, real slack)
{
    compared[s->view]++;
    real off = fabsl(got.value - want), allowed = got.unit / 2 * (1 + 1e-12L) + slack + 1e-15L * fabsl(want);
    if (got.infinite ? isinf(want) : off <= allowed)
        return;
    if (++wrong <= 30)
        print_error("%s, %s, %s: \"%s\" shows %.17Lg, want %.17Lg\n", views[s->view]->id, s->n_items ? s->item[0].kind->id : "none", where, text, got.value, want);
}

/* The text holds just these numbers, in this order. */
static inline void expect(const struct scenario *s, const char *where, const char *text, const real *want, size_t n, real slack)
{
    struct written got[NUMBERS];
    size_t has = read_numbers(text, got, NUMBERS);
    if (has != n) {
        if (++wrong <= 30)
            print_error("%s, %s: \"%s\" holds %zu numbers, want %zu\n", views[s->view]->id, where, text, has, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        expect_number(s, where, text, got[i], want[i], slack);
}
#define EXPECT(s, where, text, slack, ...) \
    expect(s, where, text, (const real[]){__VA_ARGS__}, sizeof((const real[]){__VA_ARGS__}) / sizeof(real), slack)

static inline const char *shown_value(const struct readout *r)
{
    static char text[64];
    return *r->value_text ? r->value_text : format_number(text, sizeof text, r->value, 6);
}

/* ---- scenarios ----------------------------------------------------------------------------------------- */

static inline void give(struct scenario *s, const char *settings)
{
    char copy[500], *save = NULL;
    struct err err = {.lang = LANG_EN};
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *one = strtok_r(copy, ";", &save); one; one = strtok_r(NULL, ";", &save)) {
        *strchr(one, '=') = '\0';
        const char *name = !strcmp(one, "length") ? "n" : one;
        if (!scenario_set(s, name, one + strlen(one) + 1, &err))
            fail_msg("%s", err.text);
    }
}

/* The settings of a twin in a view, and more that only the view knows. */
static inline struct scenario open(const struct twin *t, const char *view, const char *more)
{
    struct scenario s;
    struct err err = {.lang = LANG_EN};
    scenario_init(&s);
    if (!scenario_set_encoding(&s, t->id, &err) || !scenario_set_view(&s, view, &err))
        fail_msg("%s", err.text);
    give(&s, t->settings);
    give(&s, more);
    return s;
}

static inline struct figure *draw(const struct scenario *s)
{
    struct err err = {.lang = LANG_EN};
    struct figure *f = view_figure(s, 60, 160, 2, 1, &err);
    if (!f)
        fail_msg("%s: %s", views[s->view]->id, err.text);
    return f;
}

static inline struct readout probe(const struct scenario *s, int panel, double x, double y)
{
    struct readout r = {.known = false};
    if (!picture_probe(s, panel, x, y, &r))
        fail_msg("%s, panel %d at %g, %g: nothing is read out", views[s->view]->id, panel, x, y);
    return r;
}

static inline int own_param(int view, const char *name)
{
    int i = param_index(views[view]->params, views[view]->n_params, name);
    assert_true(i >= 0);
    return i;
}

static inline real wavelength(real w) { return w == 0 ? INFINITY : 2 * twin_pi / fabsl(w); }

/* One number, as its digits and its rounding say. */
static inline void check_value(const struct scenario *s, const struct readout *r, real want, real slack)
{
    EXPECT(s, r->name, shown_value(r), slack, want);
}

#endif
