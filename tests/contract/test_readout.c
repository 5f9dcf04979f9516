/* Two ways to every number on the screen: what a view draws comes from pooled, closed or streamed forms, what the cursor reads out is computed
 * for that place alone. Where a sample of the picture is one pair of positions the two must agree, in every view with every encoding. If
 * this fails, the colour under the cursor and the number beside it contradict each other. */
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
#include "app/view.h"

static int wrong, compared[VIEW_COUNT];

static bool near(double a, double b, double range)
{
    return fabs(a - b) <= 4e-6 * fmax(fmax(fabs(a), fabs(b)), range);          /* attention's products are float32 */
}

static void complain(const struct scenario *s, size_t panel, const char *title, double x, double y, double shown, const struct readout *read)
{
    if (++wrong <= 20)
        print_error("%s, %s, panel %zu (%s) at %g, %g: drawn %.12g, read out %.12g (%s: %s)\n", views[s->view]->id,
                    s->n_items ? s->item[0].kind->id : "none", panel, title, x, y, shown, read->value, read->name, read->formula);
}

static double at(const struct axis *axis, int i, int n)
{
    return axis->from + (i + 0.5) * (axis->to - axis->from) / n;
}

static double range_of(const struct panel *p)
{
    double most = 0;
    for (int i = 0; i < p->w * p->h; i++)
        most = isfinite(p->data[i]) ? fmax(most, fabs(p->data[i])) : most;
    return most;
}

enum { MOST = 500 } ;               /* samples looked at of one heatmap, evenly spread */

static bool reads(const struct scenario *s, size_t panel, double x, double y, struct readout *read)
{
    *read = (struct readout){.value = NAN};
    return views[s->view]->probe(s, (int)panel, x, y, read) && read->known && isfinite(read->value);
}

/* A sample of at most one pair; larger ones are means. */
static void heatmap(const struct scenario *s, const struct panel *p, size_t panel)
{
    double range = range_of(p);
    if (fabs(p->x.to - p->x.from) > p->w || fabs(p->y.to - p->y.from) > p->h || p->x.log || p->y.log)
        return;
    for (int i = 0, n = p->w * p->h, step = n / MOST + 1; i < n; i += step) {
        struct readout read;
        double x = at(&p->x, i % p->w, p->w), y = at(&p->y, i / p->w, p->h), shown = p->data[i];
        if (!isfinite(shown) || !reads(s, panel, x, y, &read) || *read.value_text)       /* words instead of the sample */
            continue;
        compared[s->view]++;
        if (!near(shown, read.value, range))
            complain(s, panel, p->title, x, y, shown, &read);
    }
}

/* The value read out is that of one of the curves there; a zero has no place on a logarithmic axis. */
static void curves(const struct scenario *s, const struct panel *p, size_t panel)
{
    for (size_t i = 0; i < p->n_xs; i++) {
        for (size_t k = 0; k < p->n_series; k++) {
            struct readout read;
            double y = p->series[k].y[i];
            if (!isfinite(y) || !reads(s, panel, p->xs[i], y, &read))
                continue;
            bool one = false;
            for (size_t j = 0; j < p->n_series; j++)
                one = one || near(p->series[j].y[i], read.value, 0) || (isnan(p->series[j].y[i]) && read.value == 0);
            compared[s->view]++;
            if (!one)
                complain(s, panel, p->title, p->xs[i], y, y, &read);
        }
    }
}

static void bars(const struct scenario *s, const struct panel *p, size_t panel)
{
    for (size_t i = 0; i < p->n_bars; i++) {
        struct readout read;
        if (!isfinite(p->bar[i].value) || !reads(s, panel, 0.5, (double)i + 0.5, &read))
            continue;
        compared[s->view]++;
        if (!near(p->bar[i].value, read.value, 0))
            complain(s, panel, p->title, 0.5, (double)i + 0.5, p->bar[i].value, &read);
    }
}

static void compare(const struct scenario *s)
{
    struct err err = {.lang = LANG_EN};
    struct figure *f = view_figure(s, 90, 260, 2, 1, &err);
    if (!f)
        fail_msg("%s: %s", views[s->view]->id, err.text);
    for (size_t i = 0; i < f->n; i++) {
        const struct panel *p = &f->panel[i];
        if (p->rows <= 0)
            continue;
        if (p->kind == PANEL_HEATMAP && p->data)
            heatmap(s, p, i);
        if (p->kind == PANEL_CURVES)
            curves(s, p, i);
        if (p->kind == PANEL_BARS)
            bars(s, p, i);
    }
    figure_free(f);
}

static void show(const char *encoding, int view)
{
    struct scenario s;
    struct err err = {.lang = LANG_EN};
    scenario_init(&s);
    if (!scenario_set_encoding(&s, encoding, &err) || !scenario_set_view(&s, views[view]->id, &err))
        fail_msg("%s", err.text);
    s.shape = (struct shape){.length = 24, .n_heads = 2, .d_head = 8, .d_model = 16};
    if (views[view]->probe && (!views[view]->suits || !views[view]->suits(&s)))
        compare(&s);
    scenario_done(&s);
}

static void show_preset(const char *preset, int view, double length)
{
    struct scenario s;
    struct err err = {.lang = LANG_EN};
    scenario_init(&s);
    if (!scenario_load_preset(&s, preset, &err) || !scenario_set_view(&s, views[view]->id, &err))
        fail_msg("%s", err.text);
    s.shape.length = length > 0 ? length : s.shape.length;
    if (views[view]->probe && (!views[view]->suits || !views[view]->suits(&s)))
        compare(&s);
    scenario_done(&s);
}

static void what_is_drawn_is_what_is_read_out(void **state)
{
    (void)state;
    for (int v = 0; v < VIEW_COUNT; v++)
        for (size_t e = 0; encodings[e]; e++)
            show(encodings[e]->id, v);
    assert_int_equal(wrong, 0);
}

/* Of models, each view at a length where a sample is one pair, and its own preset as it is. */
static void of_models_too(void **state)
{
    (void)state;
    static const char *const models[] = {"models/phi-3-mini-128k", "models/qwen2-vl-2b", "models/t5-small", "models/chatglm2-6b"};
    for (int v = 0; v < VIEW_COUNT; v++) {
        for (size_t m = 0; m < sizeof models / sizeof *models; m++)
            show_preset(models[m], v, 40);
        if (views[v]->preset)
            show_preset(views[v]->preset, v, 0);
    }
    assert_int_equal(wrong, 0);
}

/* The others read out words and numbers together, or show tables and dials; their numbers are in tests/unit. */
static void every_view_with_pictures_was_compared(void **state)
{
    (void)state;
    static const enum view_id pictures[] = {VIEW_table, VIEW_similarity, VIEW_spectrum, VIEW_bias, VIEW_decay, VIEW_attention,
                                            VIEW_precision, VIEW_grid, VIEW_compare};
    int few = 0;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++)
        if (compared[pictures[i]] < 300)
            print_error("%s: only %d values\n", views[pictures[i]]->id, compared[pictures[i]]), few++;
    assert_int_equal(few, 0);
}

/* ---- nothing is cut ------------------------------------------------------------------------------------------ */

/* A text that fills its room may have lost its end, and half a number is another number. */
static void whole(const struct scenario *s, const char *what, const char *text, size_t size)
{
    if (strlen(text) + 1 >= size && ++wrong <= 20)
        print_error("%s, %s, language %d: %s may be cut: %s\n", views[s->view]->id, s->n_items ? s->item[0].kind->id : "none", (int)s->lang, what, text);
}
#define WHOLE(s, owner, field) whole(s, #field, (owner)->field, sizeof (owner)->field)

static void whole_axis(const struct scenario *s, const struct axis *a)
{
    WHOLE(s, a, label);
    WHOLE(s, a, unit);
}

static void whole_panel(const struct scenario *s, const struct panel *p)
{
    WHOLE(s, p, title);
    WHOLE(s, p, note);
    WHOLE(s, p, unit);
    whole_axis(s, &p->x);
    whole_axis(s, &p->y);
    for (size_t i = 0; i < p->n_series; i++)
        WHOLE(s, &p->series[i], label);
    for (size_t i = 0; i < p->n_bars; i++) {
        WHOLE(s, &p->bar[i], label);
        WHOLE(s, &p->bar[i], note);
    }
    for (size_t i = 0; i < p->n_dials; i++) {
        WHOLE(s, &p->dial[i], label);
        WHOLE(s, &p->dial[i], above);
        WHOLE(s, &p->dial[i], below);
    }
}

static void whole_readouts(const struct scenario *s, const struct figure *f)
{
    for (size_t i = 0; i < f->n; i++)
        for (int k = 0; k < 9; k++) {
            const struct panel *p = &f->panel[i];
            bool axes = p->kind == PANEL_HEATMAP || p->kind == PANEL_CURVES;
            struct readout r = {.value = NAN};
            double x = axes ? at(&p->x, k % 3, 3) : k % 3 + 0.5, y = axes && p->kind == PANEL_HEATMAP ? at(&p->y, k / 3, 3) : k + 0.5;
            if (!picture_probe(s, (int)i, x, y, &r))
                continue;
            WHOLE(s, &r, name);
            WHOLE(s, &r, value_text);
            WHOLE(s, &r, formula);
            WHOLE(s, &r, source);
        }
}

static void whole_figure(struct scenario *s)
{
    for (int lang = 0; lang < LANG_COUNT; lang++) {
        struct err err = {.lang = s->lang};
        scenario_speak(s, (enum lang)lang);
        struct figure *f = view_figure(s, 40, 160, 2, 1, &err);
        if (!f)
            fail_msg("%s: %s", views[s->view]->id, err.text);
        WHOLE(s, f, caption);
        WHOLE(s, f, source);
        for (size_t i = 0; i < f->n; i++)
            whole_panel(s, &f->panel[i]);
        whole_readouts(s, f);
        figure_free(f);
    }
}

static void whole_scenario(struct scenario *s, const char *view)
{
    struct err err = {.lang = LANG_EN};
    if (scenario_set_view(s, view, &err) && views[s->view]->probe && (!views[s->view]->suits || !views[s->view]->suits(s)))
        whole_figure(s);
}

/* The largest numbers that can be set have the most digits. */
static void no_text_is_cut(void **state)
{
    (void)state;
    wrong = 0;
    for (int v = 0; v < VIEW_COUNT; v++)
        for (size_t e = 0; encodings[e]; e++)
            for (int large = 0; large < 2; large++) {
                struct scenario s;
                scenario_init(&s);
                if (!scenario_set_encoding(&s, encodings[e]->id, NULL))
                    fail_msg("%s", encodings[e]->id);
                s.shape = (struct shape){.length = large ? 1e12 : 24, .n_heads = 2, .d_head = 8, .d_model = 16};
                if (large)
                    s.trained = s.target = 123456789012.0, s.memory = 1e6, s.mask = (struct mask){MASK_SLIDING, 123456789.0};
                whole_scenario(&s, views[v]->id);
                scenario_done(&s);
            }
    static const char *const of_models[] = {"model", "rotation", "spectrum"};
    for (const struct preset *p = presets; p->id; p++)
        for (size_t v = 0; v < sizeof of_models / sizeof *of_models && !strncmp(p->id, "models/", 7); v++) {
            struct scenario s;
            scenario_init(&s);
            assert_true(scenario_load_preset(&s, p->id, NULL));
            whole_scenario(&s, of_models[v]);
            scenario_done(&s);
        }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_drawn_is_what_is_read_out),
        cmocka_unit_test(of_models_too),
        cmocka_unit_test(every_view_with_pictures_was_compared),
        cmocka_unit_test(no_text_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
