/* A monkey at the keyboard: thousands of random keys, clicks, wheels, resizes and typed lines through all views. If this fails, some
 * sequence of keys crashes the program, leaves it stuck, or puts the scenario into a state that cannot be drawn. The sequence follows from
 * a seed: POSVIZ_MONKEY=SEED repeats one, POSVIZ_MONKEY_EVENTS=N makes it longer. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <limits.h>

#include "../support/files.h"
#include "../support/headless.h"
#include "app/keys.h"
#include "base/rng.h"

static uint64_t seed, step;
static char began_in[PATH_MAX];

static unsigned roll(unsigned n)
{
    return (unsigned)(rng_bits(seed, step++) % n);
}

static const uint32_t special[] = {
    KEY_CODE_UP, KEY_CODE_DOWN, KEY_CODE_LEFT, KEY_CODE_RIGHT, KEY_CODE_PAGE_UP, KEY_CODE_PAGE_DOWN, KEY_CODE_HOME, KEY_CODE_END, KEY_CODE_DELETE,
    KEY_CODE_BACKSPACE, KEY_CODE_SHIFT_TAB, KEY_CODE_SHIFT_LEFT, KEY_CODE_SHIFT_UP, KEY_CODE_F1, KEY_TAB, KEY_RETURN, KEY_ESCAPE, TICK_KEY,
    0x4f4d, 0x1f600, 0x301, 0x7f, 1, 21, 0x9b, 0x10ffff,
};

static const char *const line[] = {
    ":encoding rope\n", ":encoding none\n", ":encoding alibi+rope\n", ":encoding sinusoidal_2d\n", ":encoding t5\n", ":n=17\n", ":n=1\n", ":n=100000\n",
    ":head_dim=2\n", ":head_dim=3\n", ":num_heads=1\n", ":mask=sliding\n", ":content=seeded\n", ":text=猫 追 狗\n", ":text=\n", ":compare b\n",
    ":compare difference\n", ":large\n", ":preset models/llama-3.1-8b\n", ":preset gpt2\n", ":preset encodings/alibi\n", ":lang zh\n", ":seed=0\n",
    ":theme light\n", ":-e kerple -s n=9\n", ":set\n", ":=\n", ":\x01\x02\n", ":view\n", ":window=1\n", ":d_model=1\n", ":layer=0\n", ":trained=1\n",
};

static void press(struct screen *s, uint32_t key)
{
    term_feed(s->app.term, (struct event){.type = EVENT_KEY, .key = key});
}

static void random_event(struct screen *s)
{
    const struct view *v = views[s->app.s.view];
    unsigned what = roll(20);
    if (what < 5)
        press(s, ' ' + roll(95));
    else if (what < 9)
        press(s, special[roll(sizeof special / sizeof *special)]);
    else if (what < 12)
        press(s, app_actions[roll((unsigned)n_app_actions)].key);
    else if (what < 15 && v->n_actions)
        press(s, v->actions[roll((unsigned)v->n_actions)].key);
    else if (what == 15)
        term_feed(s->app.term, (struct event){.type = EVENT_RESIZE, .rows = 1 + (int)roll(60), .cols = 1 + (int)roll(200)});
    else if (what < 18)
        term_feed(s->app.term, (struct event){.type = EVENT_MOUSE, .mouse = (enum mouse_action)roll(6), .button = 1,
                                              .y = (int)roll((unsigned)s->app.rows), .x = (int)roll((unsigned)s->app.cols)});
    else
        for (const char *c = line[roll(sizeof line / sizeof *line)]; *c;) {
            uint32_t key = utf8_next(&c);
            press(s, key == '\n' ? KEY_RETURN : key);
        }
}

/* Back to a known place: nothing open, nothing computed, nothing playing. */
static void calm(struct screen *s)
{
    for (int i = 0; i < 3; i++)
        press(s, KEY_ESCAPE);
    app_turn(&s->app);
    worker_cancel(s->app.worker);
}

static void check(const struct app *app)
{
    const struct canvas *c = app->canvas;
    assert_int_equal(c->rows, app->rows);
    assert_int_equal(c->cols, app->cols);
    assert_true(app->dirty || app->caret_y < 0 || (app->overlay && app->caret_y < c->rows && app->caret_x <= c->cols));
}

static void it_still_works(struct screen *s)
{
    calm(s);
    screen_type(s, ":-e alibi -s n=64\n");
    scenario_set_view(&s->app.s, "similarity", NULL);
    app_compare(&s->app, COMPARE_OFF);
    screen_resize(s, 40, 120);
    assert_true(s->app.readout.known);
    screen_close(s);
}

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

/* So many random events, the sequence chosen by what is added to the seed. wait: for every picture, so that the run follows from the seed
 * alone; otherwise computations of any size are replaced and cancelled all the time. */
static void play(struct screen *s, uint64_t sequence, uint64_t events, bool wait)
{
    seed = number_from("POSVIZ_MONKEY", 1) + sequence;
    step = 0;
    for (uint64_t i = 0; i < events; i++) {
        random_event(s);
        app_turn(&s->app);
        s->app.quit = false;
        if (wait) {
            screen_keep_small(s);
            app_settle(&s->app);
        }
        check(&s->app);
        if (!wait && i % 50 == 49)
            calm(s);
    }
    it_still_works(s);
}

static void thousands_of_events_do_no_harm(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s, 24, 80, DEPTH_TRUECOLOR, NULL);
    play(&s, 0, number_from("POSVIZ_MONKEY_EVENTS", 3000), true);
}

static void a_storm_of_events_does_no_harm(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s, 24, 80, DEPTH_TRUECOLOR, NULL);
    play(&s, 1000000, number_from("POSVIZ_MONKEY_EVENTS", 3000), false);
}

/* From where people start: a model's file, a lesson, the wizard, the other language, each on another kind of terminal. */
static void from_every_start(void **state)
{
    (void)state;
    static char model[PATH_MAX + 80];
    static const struct { enum color_depth depth; const char *lines[3]; } starts[] = {
        {DEPTH_MONO, {model, ":view rotation\n"}},        {DEPTH_16, {":view tour\n", "\n"}},
        {DEPTH_256, {":view wizard\n", ":lang zh\n"}},    {DEPTH_TRUECOLOR, {":lang zh\n", model, ":view model\n"}},
        {DEPTH_256, {":view tour\n", ":lang zh\n", "\n"}},      {DEPTH_16, {":large\n", ":compare b\n", model}},
    };
    enum { STARTS = sizeof starts / sizeof *starts };
    snprintf(model, sizeof model, ":model %s/tests/cases/configs/gemma-3-1b.json\n", began_in);
    for (size_t k = 0; k < STARTS; k++) {
        struct screen s;
        screen_open(&s, 24, 80, starts[k].depth, NULL);
        for (int i = 0; i < 3 && starts[k].lines[i]; i++)
            screen_type(&s, starts[k].lines[i]);
        play(&s, 2000000 + k, number_from("POSVIZ_MONKEY_EVENTS", 3000) / STARTS, true);
    }
}

/* What a random `x` and Enter write goes to a folder of its own. */
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thousands_of_events_do_no_harm),
        cmocka_unit_test(a_storm_of_events_does_no_harm),
        cmocka_unit_test(from_every_start),
    };
    if (!getcwd(began_in, sizeof began_in) || scratch_open(NULL) != 0 || chdir(scratch) != 0 || setenv("XDG_CONFIG_HOME", scratch, 1) != 0)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_close(NULL);
    return failed;
}
