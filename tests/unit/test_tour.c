/* The lessons and their format. If this fails, a lecturer stands before a step that does not open, whose text is cut off, or that looks
 * different from yesterday's; or an author of a lesson is not told what is wrong with it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "app/screen.h"
#include "figure/wrap.h"
#include "scenario/tour.h"
#include "../support/files.h"
#include "../support/headless.h"

enum { LEAST_STEPS = 8, MOST_STEPS = 15, LONGEST_TEXT = 420 };

static size_t characters(const char *text)
{
    size_t n = 0;
    while (utf8_next(&text))
        n++;
    return n;
}

/* Calls fn for every built-in lesson; returns how many there are. */
static size_t each_lesson(void (*fn)(const char *id, const struct tour *t))
{
    size_t n = 0;
    for (const struct preset *p = presets; p->id; p++) {
        if (strncmp(p->id, "tours/", 6))
            continue;
        struct err err = {.lang = LANG_EN};
        struct tour *t = tour_load(p->id + 6, &err);
        if (!t)
            fail_msg("%s: %s", p->id, err.text);
        fn(p->id + 6, t);
        tour_free(t);
        n++;
    }
    return n;
}

static void whole(const char *id, const struct tour *t)
{
    struct err err = {.lang = LANG_EN};
    size_t questions = 0, notes = 0;
    if (!tour_check(t, &err))
        fail_msg("%s: %s", id, err.text);
    assert_in_range(t->n_steps, LEAST_STEPS, MOST_STEPS);
    assert_string_equal(id + 3, t->id);
    for (size_t i = 0; i < t->n_steps; i++) {
        if (characters(t->step[i].text[LANG_EN]) > LONGEST_TEXT)
            fail_msg("%s, step %zu: %zu characters", id, i + 1, characters(t->step[i].text[LANG_EN]));
        questions += t->step[i].n_answers > 0;
        notes += t->step[i].notes[LANG_EN] != NULL;
    }
    assert_true(questions >= 1);
    assert_true(2 * notes > t->n_steps);
}

static void all_lessons_are_whole(void **state)
{
    (void)state;
    assert_int_equal(each_lesson(whole), 11);        /* ten, and that of the keys */
}

/* ---- texts that fit ------------------------------------------------------------------------------------------ */

static size_t lines(const char *text, int cells)
{
    size_t n;
    free(wrap_text(text, cells, &n));
    return n;
}

/* The text panel is the last one: all of its lines must be in it, without scrolling. */
static void fits(const char *id, const struct scenario *s, int rows, int cols)
{
    struct rect r = screen_zones(rows, cols, false).figure;
    struct picture_room room = {.rows = r.rows, .cols = r.cols, .heat_rows = 2, .only_panel = -1};
    struct err err = {.lang = LANG_EN};
    struct figure *f = picture_plan(s, &room, &err);
    if (!f)
        fail_msg("%s, step %d: %s", id, s->lesson.step + 1, err.text);
    const struct panel *p = &f->panel[f->n - 1];
    int margin, cells = panel_text_cells(p, &margin);
    size_t needed = lines(p->text, cells);
    if (needed > (size_t)p->area.rows)
        fail_msg("%s, step %d, answer %d, %s, %dx%d: %zu lines of %d cells, there is room for %d", id, s->lesson.step + 1, s->lesson.answer,
                 lang_name(s->lang), cols, rows, needed, cells, p->area.rows);
    assert_true(cells <= 60);
    figure_free(f);
}

static void fits_everywhere(const char *id, const struct tour *t)
{
    struct scenario s;
    scenario_init(&s);
    for (int l = 0; l < LANG_COUNT; l++)
        for (size_t i = 0; i < t->n_steps; i++)
            for (int a = -1; a < (int)t->step[i].n_answers; a++) {
                s.lang = (enum lang)l;
                assert_true(tour_enter(&s, id, (int)i, a, NULL));
                for (int large = 0; large < 2; large++) {
                    s.large = large;
                    fits(id, &s, 24, 80);
                    fits(id, &s, 40, 120);
                }
                s.large = false;
            }
    scenario_done(&s);
}

static void every_text_fits_beside_its_picture(void **state)
{
    (void)state;
    each_lesson(fits_everywhere);
}

/* ---- the same every time ---------------------------------------------------------------------------------------- */

static void play_into(const char *id, struct buf *out)
{
    struct screen s;
    struct options o;
    options_init(&o, LANG_EN);
    o.lesson = id;
    screen_open(&s, 24, 80, DEPTH_256, &o);
    for (int before = -1; s.app.s.lesson.step != before; screen_key(&s, KEY_CODE_PAGE_DOWN)) {
        buf_text(out, screen_text(&s));
        before = s.app.s.lesson.step;
    }
    screen_close(&s);
}

static void same_twice(const char *id, const struct tour *t)
{
    (void)t;
    struct buf first = {0}, second = {0};
    play_into(id, &first);
    play_into(id, &second);
    assert_int_equal(first.n, second.n);
    assert_memory_equal(first.data, second.data, first.n);
    buf_done(&first);
    buf_done(&second);
}

static void two_runs_show_the_same_screens(void **state)
{
    (void)state;
    each_lesson(same_twice);
}

/* ---- at the keyboard ---------------------------------------------------------------------------------------------- */

static void open_at(struct screen *s, const char *lesson, int step)
{
    struct options o;
    options_init(&o, LANG_EN);
    o.lesson = lesson;
    o.step = step;
    screen_open(s, 24, 80, DEPTH_256, &o);
}

/* The first step that asks, and one of its wrong answers. */
static int question(const char *lesson, int *wrong, int *right)
{
    struct tour *t = tour_load(lesson, NULL);
    int at = 0;
    while (!t->step[at].n_answers)
        at++;
    for (int a = 0; a < (int)t->step[at].n_answers; a++)
        *(t->step[at].answer[a].right ? right : wrong) = a;
    tour_free(t);
    return at;
}

static void answers_are_digits_in_any_view(void **state)
{
    (void)state;
    struct screen s;
    int wrong = 0, right = 0, at = question("order", &wrong, &right);   /* in the attention view, which takes digits for its heads */
    open_at(&s, "order", at);
    screen_key(&s, '1' + (uint32_t)wrong);
    assert_true(screen_has(&s, "Not quite."));
    screen_key(&s, '1' + (uint32_t)right);
    assert_true(screen_has(&s, "Right."));
    screen_key(&s, '9');
    assert_true(screen_has(&s, "there is no answer 9"));
    screen_close(&s);
}

static void one_leaves_to_try_and_comes_back(void **state)
{
    (void)state;
    struct screen s;
    open_at(&s, "02-waves", 1);
    char *before = xstrdup(screen_text(&s));
    screen_key(&s, KEY_TAB);
    screen_type(&s, ":n=77\n");
    assert_string_not_equal(screen_text(&s), before);
    screen_key(&s, KEY_CODE_BACKSPACE);
    assert_string_equal(screen_text(&s), before);
    screen_key(&s, KEY_CODE_PAGE_UP);
    assert_true(screen_has(&s, "1/"));
    screen_key(&s, KEY_CODE_PAGE_UP);
    assert_true(screen_has(&s, "this is the first step"));
    free(before);
    screen_close(&s);
}

static void large_shows_one_panel(void **state)
{
    (void)state;
    struct screen s;
    open_at(&s, "order", 1);
    assert_true(s.app.figure->n > 2);
    screen_type(&s, ":large=true\n");
    size_t shown = 0;
    for (size_t i = 0; i < s.app.figure->n; i++)
        shown += s.app.figure->panel[i].rows > 0;
    assert_int_equal(shown, 2);                 /* the step's, and the text */
    screen_type(&s, ":large=maybe\n");
    assert_true(screen_has(&s, "large = maybe: allowed are true, false"));
    screen_close(&s);
}

/* ---- lessons that are wrong ----------------------------------------------------------------------------------------- */

#define TEXT "{\"en\": \"a\", \"zh\": \"b\"}"
#define STEP(more) "{\"title\": " TEXT ", \"text\": " TEXT more "}"
#define LESSON(steps) "{\"id\": \"x\", \"title\": " TEXT ", \"steps\": [" steps "]}"

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    static const struct { const char *file, *message; } bad[] = {
        {"[]", "must be an object"},
        {"{\"title\": 3}", "id: a name is missing"},
        {LESSON(""), "steps: must be a list of 1 to 64 steps"},
        {LESSON("{\"title\": " TEXT "}"), "steps[0].text.en: a text is missing"},
        {LESSON(STEP("") ", {\"title\": {\"en\": \"a\"}, \"text\": " TEXT "}"), "steps[1].title.zh: a text is missing"},
        {LESSON(STEP(", \"colour\": 1")), "steps[0].colour: unknown key"},
        {LESSON(STEP(", \"quiz\": {\"answers\": []}")), "steps[0].quiz.answers: must be a list of 2 to 6"},
        {LESSON(STEP(", \"quiz\": {\"answers\": [{\"text\": " TEXT ", \"right\": true}, {\"text\": " TEXT "}]}")),
         "steps[0].quiz.answers[1].why.en: a text is missing"},
        {LESSON(STEP(", \"quiz\": {\"answers\": [{\"text\": " TEXT ", \"right\": true}, {\"text\": " TEXT ", \"right\": true}]}")),
         "2 answers are right"},
        {LESSON(STEP("") ", " STEP(", \"set\": {\"view\": \"nowhere\"}")), "steps[1].set: there is no view 'nowhere'"},
        {LESSON(STEP(", \"set\": {\"views\": {\"rotation\": {\"speed\": 1}}}")), "steps[0].set: views.rotation.speed: is no parameter"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err err = {.lang = LANG_EN};
        struct tour *t = tour_load(scratch_text("tour.json", bad[i].file), &err);
        bool good = t && tour_check(t, &err);
        tour_free(t);
        if (good || !strstr(err.text, bad[i].message))
            fail_msg("%s: %s, not: %s", bad[i].file, err.text, bad[i].message);
    }
}

static void control_characters_do_not_get_through(void **state)
{
    (void)state;
    static const char file[] = "{\"id\": \"x\", \"title\": " TEXT ", \"steps\": [{\"title\": " TEXT ", \"text\": {\"en\": "
                               "\"red\\u001b[31m\\nnext\\u009b2J\", \"zh\": \"b\"}, \"notes\": {\"en\": \"\\u001b]0;x\\u0007\", \"zh\": \"b\"}}]}";
    char out[1000] = "";
    struct tour *t = tour_load(scratch_text("tour.json", file), NULL);
    struct scenario s;
    scenario_init(&s);
    assert_non_null(t);
    tour_write(t, &s, out, sizeof out);
    tour_notes(t, &s, out, sizeof out);
    assert_null(strchr(out, '\033'));
    assert_null(strchr(out, '\a'));
    assert_null(strstr(out, "\xc2\x9b"));
    assert_non_null(strstr(out, "red?[31m\nnext"));
    scenario_done(&s);
    tour_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_lessons_are_whole), cmocka_unit_test(every_text_fits_beside_its_picture),
        cmocka_unit_test(two_runs_show_the_same_screens), cmocka_unit_test(answers_are_digits_in_any_view),
        cmocka_unit_test(one_leaves_to_try_and_comes_back), cmocka_unit_test(large_shows_one_panel),
        cmocka_unit_test(what_is_wrong_is_named), cmocka_unit_test(control_characters_do_not_get_through),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
