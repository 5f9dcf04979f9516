/* test_actions.c - keys that change how a figure is looked at. If it fails, A and B trade places for good, a colour map cannot be reached or
 * left again, ten steps are another number of steps, or a page of help is never seen. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "../support/headless.h"
#include "app/words.h"
#include "json/json.h"

static void open_bias(struct screen *s, const char *view, int rows, int cols)
{
    struct options o;
    options_init(&o, LANG_EN);
    o.view = view;
    o.encoding = "alibi";
    o.set[o.n_sets++] = "n=100";
    screen_open(s, rows, cols, DEPTH_TRUECOLOR, &o);
}

static void run(struct screen *s, const char *words)
{
    struct err err = {.lang = LANG_EN};
    if (!words_run(&s->app, words, &err))
        fail_msg("%s", err.text);
    app_settle(&s->app);
}

/* The value of the parameter that is chosen. */
static double chosen(const struct screen *s)
{
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    assert_true((size_t)s->app.s.chosen < scenario_params(&s->app.s, refs, SCENARIO_MAX_PARAMS));
    return scenario_get(&s->app.s, &refs[s->app.s.chosen]).x;
}

static void a_and_b_trade_places(void **state)
{
    (void)state;
    struct screen s;
    open_bias(&s, "bias", 30, 100);
    screen_key(&s, 'S');
    assert_true(screen_has(&s, "nothing to swap"));
    screen_key(&s, 's');
    assert_non_null(s.app.s.other);
    run(&s, "set n=77");
    assert_true(s.app.s.shape.length == 77 && s.app.s.other->shape.length == 100);
    enum compare mode = s.app.s.compare;
    screen_key(&s, 'S');
    assert_true(s.app.s.shape.length == 100 && s.app.s.other->shape.length == 77);
    assert_true(s.app.s.compare == mode && !s.app.s.other->other && !strcmp(views[s.app.s.view]->id, "bias"));
    run(&s, "set n=50");                                        /* what was B is what parameters change now */
    assert_true(s.app.s.shape.length == 50 && s.app.s.other->shape.length == 77);
    screen_key(&s, 'S');
    assert_true(s.app.s.shape.length == 77 && s.app.s.other->shape.length == 50);
    struct scenario again;
    struct json *json = scenario_to_json(&s.app.s);             /* both are saved */
    scenario_init(&again);
    assert_true(scenario_from_json(&again, json, NULL));
    assert_true(again.other && again.compare == mode && again.shape.length == 77 && again.other->shape.length == 50);
    scenario_done(&again);
    json_free(json);
    screen_close(&s);
}

/* Each is reached once, named, and the first follows the last. */
static void colours_go_round(void **state)
{
    (void)state;
    struct screen s;
    size_t maps = 0, n_themes = 0;
    open_bias(&s, "bias", 30, 100);
    while (colormaps[maps])
        maps++;
    while (themes[n_themes])
        n_themes++;
    assert_ptr_equal(s.app.s.map, colormaps[0]);
    for (size_t i = 1; i <= maps; i++) {
        screen_key(&s, 'c');
        assert_ptr_equal(s.app.s.map, colormaps[i % maps]);
        assert_true(screen_has(&s, lang_text(LANG_EN, colormaps[i % maps]->title)));
    }
    assert_ptr_equal(s.app.s.theme, themes[0]);
    for (size_t i = 1; i <= n_themes; i++) {
        screen_key(&s, 't');
        assert_ptr_equal(s.app.s.theme, themes[i % n_themes]);
        assert_true(screen_has(&s, lang_text(LANG_EN, themes[i % n_themes]->title)));
    }
    screen_close(&s);
}

static void ten_steps_are_ten(void **state)
{
    (void)state;
    struct screen s;
    open_bias(&s, "bias", 30, 100);
    run(&s, "set num_heads=20");
    run(&s, "set head=3");
    for (int i = 0; i < 40 && chosen(&s) != 3; i++)
        screen_key(&s, ']');
    assert_true(chosen(&s) == 3);
    screen_key(&s, '}');
    assert_true(chosen(&s) == 13);
    screen_key(&s, '{');
    assert_true(chosen(&s) == 3);
    screen_key(&s, '>');
    assert_true(chosen(&s) == 4);
    screen_key(&s, '{');                                        /* never below its range */
    assert_true(chosen(&s) == 0);
    screen_key(&s, '<');
    assert_true(screen_has(&s, "the end of its range, 0 to 19"));
    screen_close(&s);
}

static void time_steps_where_there_is_any(void **state)
{
    (void)state;
    struct screen s;
    open_bias(&s, "bias", 30, 100);
    screen_key(&s, '.');
    assert_true(screen_has(&s, "this view has no steps in that direction"));
    run(&s, "view rotation");
    run(&s, "-e rope");
    double before = chosen(&s);                                 /* position m */
    screen_key(&s, '.');
    assert_true(chosen(&s) == before + 1);
    screen_key(&s, ',');
    assert_true(chosen(&s) == before);
    screen_close(&s);
}

static void keys_of_the_dials(void **state)
{
    (void)state;
    enum { POSITION, OTHER, FIRST = 3 };                        /* as on the screen */
    struct screen s;
    open_bias(&s, "rotation", 30, 100);
    run(&s, "-e rope");
    const struct value *v = s.app.s.view_param[VIEW_rotation];
    assert_true(isnan(v[FIRST].x));
    screen_key(&s, 'n');
    assert_true(v[FIRST].x == 0);
    screen_key(&s, 'n');
    assert_true(v[FIRST].x == 1);
    screen_key(&s, 'b');
    assert_true(v[FIRST].x == 0);
    screen_key(&s, 'b');
    assert_true(isnan(v[FIRST].x) && v[POSITION].x > 0 && v[OTHER].x > 0);
    screen_key(&s, 'z');
    assert_true(v[POSITION].x == 0 && v[OTHER].x == 0);
    screen_key(&s, ',');                                        /* no position before the first */
    assert_true(v[POSITION].x == 0);
    screen_close(&s);
}

/* Patches are walked row by row, and round from the last to the first. */
static void keys_of_the_grid(void **state)
{
    (void)state;
    enum { ROW = 2, COL, HEAD };
    struct screen s;
    open_bias(&s, "bias", 30, 100);
    run(&s, "-e relpos_2d");
    run(&s, "view grid");
    run(&s, "set rows=3");
    run(&s, "set cols=4");
    run(&s, "set row=1");
    run(&s, "set col=2");
    const struct value *v = s.app.s.view_param[VIEW_grid];
    screen_key(&s, 'n');
    assert_true(v[ROW].x == 1 && v[COL].x == 3);
    screen_key(&s, 'n');
    assert_true(v[ROW].x == 1 && v[COL].x == 0);
    screen_key(&s, 'b');
    assert_true(v[ROW].x == 2 && v[COL].x == 0);
    screen_key(&s, 'b');
    assert_true(v[ROW].x == 0 && v[COL].x == 0);
    screen_key(&s, 'v');
    assert_true(v[HEAD].x == 1);
    run(&s, "set head=7");
    screen_key(&s, 'v');
    assert_true(v[HEAD].x == 0);
    screen_key(&s, KEY_CODE_HOME);
    screen_key(&s, KEY_CODE_RIGHT);
    screen_key(&s, 'm');                                        /* the patch under the cursor */
    assert_true(v[COL].x == floor(navigate_pointer(&s.app).x) && v[ROW].x == floor(navigate_pointer(&s.app).y));
    screen_close(&s);
}

static void keys_of_the_spectrum(void **state)
{
    (void)state;
    struct screen s;
    open_bias(&s, "spectrum", 30, 100);
    run(&s, "-e rope");
    const struct param *params = views[VIEW_spectrum]->params;
    const struct value *v = s.app.s.view_param[VIEW_spectrum];
    int show = param_index(params, views[VIEW_spectrum]->n_params, "show"), overlay = param_index(params, views[VIEW_spectrum]->n_params, "overlay");
    double first = v[show].x;
    for (int i = 1; i <= 3; i++) {
        screen_key(&s, 'v');
        assert_true(v[show].x == fmod(first + i, 3) && v[overlay].x == 1);
    }
    screen_key(&s, 'o');
    assert_true(v[overlay].x == 0 && v[show].x == first);
    screen_key(&s, 'o');
    assert_true(v[overlay].x == 1);
    screen_close(&s);
}

/* The lengths that its numbers of turns and of unseen angles are counted by. */
static void the_spectrum_names_its_lengths(void **state)
{
    (void)state;
    struct screen s;
    open_bias(&s, "spectrum", 36, 130);
    run(&s, "-e rope");
    run(&s, "set trained=3456");
    run(&s, "set target=65432");
    assert_true(screen_has(&s, "3 456 → 65 432"));
    screen_close(&s);
}

/* Where layers are zoomed, the curve beside shows the same ones. */
static void segments_share_their_layers(void **state)
{
    (void)state;
    struct screen s;
    open_bias(&s, "segments", 36, 130);
    assert_true(s.app.figure->panel[1].x.from == 0);
    s.app.s.zoom = (struct zoom){NAN, NAN, 3, 6};
    s.app.dirty = true;
    app_settle(&s.app);
    assert_true(s.app.figure->panel[0].y.from == 3 && s.app.figure->panel[0].y.to == 6);
    assert_true(s.app.figure->panel[1].x.from == 3 && s.app.figure->panel[1].x.to == 5);
    screen_close(&s);
}

/* Every row of the help is seen on a small screen, and its end is an end. */
static void help_is_paged(void **state)
{
    (void)state;
    struct screen s;
    open_bias(&s, "bias", 24, 80);
    screen_key(&s, '?');
    char *first = xstrdup(screen_text(&s));
    screen_key(&s, KEY_CODE_DOWN);
    assert_string_not_equal(screen_text(&s), first);
    screen_key(&s, 'k');
    assert_string_equal(screen_text(&s), first);
    screen_key(&s, KEY_CODE_UP);
    assert_string_equal(screen_text(&s), first);
    screen_key(&s, KEY_CODE_END);
    char *last = xstrdup(screen_text(&s));
    assert_string_not_equal(last, first);
    screen_key(&s, KEY_CODE_PAGE_DOWN);
    assert_string_equal(screen_text(&s), last);
    screen_key(&s, KEY_CODE_HOME);
    assert_string_equal(screen_text(&s), first);
    int pages = 0;
    for (; pages < 40 && strcmp(screen_text(&s), last); pages++)
        screen_key(&s, KEY_CODE_PAGE_DOWN);
    assert_true(pages > 1 && pages < 40);
    while (pages-- > 0)
        screen_key(&s, KEY_CODE_PAGE_UP);
    assert_string_equal(screen_text(&s), first);
    free(first);
    free(last);
    screen_close(&s);
}

/* On a narrow screen the parameters are a key away. */
static void parameters_open_on_a_narrow_screen(void **state)
{
    (void)state;
    struct screen s;
    open_bias(&s, "bias", 24, 70);
    assert_null(strstr(screen_text(&s), "head width"));
    screen_key(&s, 'P');
    assert_true(screen_has(&s, "head width"));
    screen_key(&s, 'P');
    assert_null(strstr(screen_text(&s), "head width"));
    screen_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_and_b_trade_places),  cmocka_unit_test(colours_go_round), cmocka_unit_test(ten_steps_are_ten),
        cmocka_unit_test(time_steps_where_there_is_any), cmocka_unit_test(keys_of_the_dials), cmocka_unit_test(keys_of_the_grid),
        cmocka_unit_test(segments_share_their_layers), cmocka_unit_test(keys_of_the_spectrum), cmocka_unit_test(the_spectrum_names_its_lengths),
        cmocka_unit_test(help_is_paged), cmocka_unit_test(parameters_open_on_a_narrow_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
