/* The contract of views: each of them with each encoding, at each size and colour depth, in both languages, with every one of its
 * actions. If this fails, a user sees an empty frame, a screen that changes by itself, no value under the cursor, or no program at
 * all. The clock jumps, as it does for a program on a busy machine. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "../support/headless.h"
#include "base/rng.h"

/* Instead of the system's: every look at it is later than the last, mostly by little, at times by half a second. */
int clock_gettime(clockid_t clock, struct timespec *t)
{
    static long ms, looks;
    unsigned long chance = rng_bits(1, (uint64_t)looks++) % 16;
    (void)clock;
    ms += chance == 0 ? 500 : chance < 4 ? 30 : chance < 6 ? 6 : 0;
    *t = (struct timespec){.tv_sec = 1000 + ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    return 0;
}

static void shape(struct scenario *s, enum lang lang)
{
    s->lang = lang;
    s->shape.length = 96;
    s->shape.n_heads = 4;
    s->shape.d_head = 16;
    s->shape.d_model = 64;
}

static void complain(const struct screen *s, const char *what)
{
    print_error("view %s, encoding %s, %s, %d x %d: %s\n", view_ids[s->app.s.view], s->app.s.n_items ? s->app.s.item[0].kind->id : "none",
                lang_name(s->app.s.lang), s->app.cols, s->app.rows, what);
}

/* ---- what must hold on every screen ----------------------------------------------------------------------- */

static bool same_cells(const struct canvas *a, const struct canvas *b)
{
    if (a->rows != b->rows || a->cols != b->cols)
        return false;
    for (int i = 0; i < a->rows * a->cols; i++) {
        const struct cell *x = &a->cell[i], *y = &b->cell[i];
        if (x->ch != y->ch || x->fg != y->fg || x->bg != y->bg || x->attr != y->attr || x->width != y->width)
            return false;
    }
    return true;
}

/* Drawing again without an event gives the same cells. */
static int draws_the_same_twice(struct screen *s)
{
    const struct canvas *first = term_shown(s->app.term);
    struct canvas *kept = canvas_new(first->rows, first->cols, first->theme, first->depth, first->ascii);
    memcpy(kept->cell, first->cell, (size_t)first->rows * (size_t)first->cols * sizeof *first->cell);
    s->app.dirty = true;
    app_settle(&s->app);
    bool same = same_cells(kept, term_shown(s->app.term));
    canvas_free(kept);
    if (!same)
        complain(s, "a second drawing differs");
    return !same;
}

static bool suits(const struct screen *s)
{
    const struct view *v = views[s->app.s.view];
    return !v->suits || !v->suits(&s->app.s);
}

/* Where numbers are shown, the cursor reads one out: in one of the panels, somewhere on the way to an edge. */
static int reads_out(struct screen *s)
{
    static const uint32_t way[] = {KEY_CODE_RIGHT, KEY_CODE_DOWN, KEY_CODE_DOWN, KEY_CODE_LEFT, KEY_CODE_END, KEY_CODE_HOME, ';'};
    bool known = s->app.readout.known || !views[s->app.s.view]->probe;
    for (int i = 0; i < 4 * (int)(sizeof way / sizeof *way) && !known; i++) {
        screen_key(s, way[i % (int)(sizeof way / sizeof *way)]);
        known = s->app.readout.known;
    }
    if (!known)
        complain(s, "nothing is read out");
    return !known;
}

/* A view with something to show has a panel that computing filled; one that has not says why. */
static int shows_something(struct screen *s)
{
    const struct figure *f = s->app.figure;
    bool room = false;
    for (size_t i = 0; f && i < f->n; i++)
        room = room || f->panel[i].rows > 0;
    if (!room)
        complain(s, "no panel has room");
    return !room;
}

static const char *cell_text(const struct panel *p, size_t row, size_t col)
{
    const char *text = p->cell[row * p->table_cols + col].text;
    return text ? text : "";
}

/* A table names its columns of numbers, no two alike, and a column with a name holds something; the wizard's fill as it is answered. */
static int has_whole_tables(struct screen *s)
{
    const struct figure *f = s->app.figure;
    int bad = 0;
    for (size_t i = 0; f && i < f->n; i++) {
        const struct panel *p = &f->panel[i];
        for (size_t c = 0; p->kind == PANEL_TABLE && p->cell && c < p->table_cols; c++) {
            bool numbers = false, filled = s->app.s.view == VIEW_wizard, named = *cell_text(p, 0, c), twice = false;
            for (size_t r = 1; r < p->table_rows; r++) {
                numbers = numbers || !isnan(p->cell[r * p->table_cols + c].number);
                filled = filled || *cell_text(p, r, c);
            }
            for (size_t other = 0; named && other < c; other++)
                twice = twice || !strcmp(cell_text(p, 0, c), cell_text(p, 0, other));
            bad += twice || (numbers && !named) || (named && !filled);
        }
    }
    if (bad)
        complain(s, "a table is not whole");
    return bad;
}

static void check_screen(struct screen *s, int *bad)
{
    *bad += draws_the_same_twice(s);
    if (s->app.rows >= 24 && s->app.cols >= 80)
        *bad += shows_something(s) + has_whole_tables(s);
}

/* ---- the walks -------------------------------------------------------------------------------------------- */

static void set(struct screen *s, int view, const struct encoding *e, enum lang lang)
{
    scenario_set_view(&s->app.s, views[view]->id, NULL);
    scenario_set_encoding(&s->app.s, e->id, NULL);
    shape(&s->app.s, lang);
    s->app.dirty = true;
    app_settle(&s->app);
}

static void every_view_with_every_encoding(void **state)
{
    (void)state;
    struct screen s;
    int bad = 0;
    screen_open(&s, 24, 80, DEPTH_TRUECOLOR, NULL);
    for (int v = 0; v < VIEW_COUNT; v++) {
        for (size_t e = 0; encodings[e]; e++) {
            set(&s, v, encodings[e], e % 2 ? LANG_ZH : LANG_EN);
            check_screen(&s, &bad);
        }
    }
    screen_close(&s);
    assert_int_equal(bad, 0);
}

static void every_view_at_every_size_and_depth(void **state)
{
    (void)state;
    static const struct { int rows, cols; } size[] = {{24, 80}, {40, 120}, {60, 200}, {5, 20}, {1, 1}, {3, 300}, {100, 4}};
    int bad = 0;
    for (int depth = 0; depth < DEPTH_COUNT; depth++) {
        struct screen s;
        screen_open(&s, 24, 80, (enum color_depth)depth, NULL);
        for (int v = 0; v < VIEW_COUNT; v++) {
            struct err err = {.lang = LANG_EN};
            if (views[v]->preset && !scenario_load_preset(&s.app.s, views[v]->preset, &err)) {
                print_error("view %s: %s\n", views[v]->id, err.text);
                bad++;
            }
            scenario_set_view(&s.app.s, views[v]->id, NULL);
            if (!suits(&s)) {
                complain(&s, "its own preset does not suit it");
                bad++;
            }
            s.app.s.lang = (enum lang)(v % 2);
            for (size_t i = 0; i < sizeof size / sizeof *size && (i < 1 || depth == DEPTH_TRUECOLOR); i++) {
                screen_resize(&s, size[i].rows, size[i].cols);
                check_screen(&s, &bad);
            }
            screen_resize(&s, 24, 80);
            bad += reads_out(&s);
        }
        screen_close(&s);
    }
    assert_int_equal(bad, 0);
}

/* Pages of the guide, kinds of a curve: each choice of a view, with what the view is best shown with. */
static void every_choice_of_a_view(void **state)
{
    (void)state;
    struct screen s;
    int bad = 0;
    screen_open(&s, 40, 120, DEPTH_TRUECOLOR, NULL);
    for (int v = 0; v < VIEW_COUNT; v++)
        for (size_t p = 0; p < views[v]->n_params; p++)
            for (size_t c = 0; views[v]->params[p].type == PARAM_CHOICE && views[v]->params[p].choices[c]; c++) {
                if (views[v]->preset)
                    scenario_load_preset(&s.app.s, views[v]->preset, NULL);
                scenario_set_view(&s.app.s, views[v]->id, NULL);
                screen_keep_small(&s);
                s.app.s.view_param[v][p].x = (double)c;
                s.app.dirty = true;
                app_settle(&s.app);
                check_screen(&s, &bad);
            }
    screen_close(&s);
    assert_int_equal(bad, 0);
}

/* Both languages name everything; what is on the screen changes at once and changes back. */
static void every_action_and_the_language(void **state)
{
    (void)state;
    struct screen s;
    int bad = 0;
    screen_open(&s, 40, 120, DEPTH_TRUECOLOR, NULL);
    for (int v = 0; v < VIEW_COUNT; v++) {
        const struct view *view = views[v];
        if (view->preset)
            scenario_load_preset(&s.app.s, view->preset, NULL);
        scenario_set_view(&s.app.s, view->id, NULL);
        s.app.s.lang = LANG_EN;
        s.app.dirty = true;
        app_settle(&s.app);
        char *english = xstrdup(screen_text(&s));
        screen_key(&s, 'L');
        if (!strcmp(english, screen_text(&s)))
            complain(&s, "Chinese looks like English"), bad++;
        screen_key(&s, 'L');
        if (strcmp(english, screen_text(&s)))
            complain(&s, "English is not as before"), bad++;
        free(english);
        for (size_t a = 0; a < view->n_actions && s.app.s.view == (enum view_id)v; a++) {
            screen_key(&s, view->actions[a].key);
            bad += draws_the_same_twice(&s);
            screen_key(&s, KEY_ESCAPE);
            scenario_set_view(&s.app.s, view->id, NULL);
        }
        for (int i = 0; i < 3 && view->plays; i++) {
            screen_key(&s, i ? TICK_KEY : ' ');
            bad += draws_the_same_twice(&s);
        }
    }
    screen_close(&s);
    assert_int_equal(bad, 0);
}

/* ---- tables ------------------------------------------------------------------------------------------------ */

static void views_and_folder_agree(void **state)
{
    (void)state;
    for (int v = 0; v < VIEW_COUNT; v++) {
        const struct view *view = views[v];
        assert_string_equal(view->id, view_ids[v]);
        assert_ptr_equal(view_find(view->id), view);
        assert_true(view->title && *view->title && view->help && strlen(view->help) > 40);
        assert_true(view->n_params <= VIEW_MAX_PARAMS);
        assert_true(!view->n_actions || view->input);
        assert_true(view->plan && view->compute);
        for (size_t i = 0; i < view->n_params; i++) {
            struct value v0 = {view->params[i].def, NULL};
            struct err err = {.lang = LANG_EN};
            if (!param_check(&view->params[i], v0, &err))
                fail_msg("view %s: the default of %s: %s", view->id, view->params[i].name, err.text);
            for (size_t k = 0; k < i; k++)
                assert_string_not_equal(view->params[i].name, view->params[k].name);
        }
    }
}

/* A view's parameter of a general parameter's name would hide it from `:set`, -s and presets. */
static void no_view_hides_a_general_parameter(void **state)
{
    (void)state;
    struct scenario s;
    int bad = 0;
    scenario_init(&s);
    for (int v = 0; v < VIEW_COUNT; v++) {
        struct param_ref refs[200];
        scenario_set_view(&s, views[v]->id, NULL);
        size_t n = scenario_params(&s, refs, 200);
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < i; k++) {
                if (refs[i].owner == OWNER_SCENARIO && refs[k].owner == OWNER_VIEW && !strcmp(refs[i].param->name, refs[k].param->name)) {
                    print_error("view %s: parameter %s hides the general one\n", views[v]->id, refs[k].param->name);
                    bad++;
                }
            }
        }
    }
    scenario_done(&s);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_and_folder_agree),
        cmocka_unit_test(no_view_hides_a_general_parameter),
        cmocka_unit_test(every_view_with_every_encoding),
        cmocka_unit_test(every_view_at_every_size_and_depth),
        cmocka_unit_test(every_choice_of_a_view),
        cmocka_unit_test(every_action_and_the_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
