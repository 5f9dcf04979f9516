/* The command line of the screen, its completion and history, and the finder. If these fail, a typed command edits the wrong thing or
 * leaves half an edit behind, and a wrong word is not explained. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "../support/files.h"
#include "../support/headless.h"
#include "app/words.h"

static int setup(void **state)
{
    static struct screen s;
    struct options o;
    options_init(&o, LANG_EN);
    o.view = "similarity";
    o.encoding = "sinusoidal";
    screen_open(&s, 24, 80, DEPTH_TRUECOLOR, &o);
    *state = &s;
    return 0;
}

static int teardown(void **state)
{
    screen_close(*state);
    return 0;
}

static double number(const struct screen *s, const char *key)
{
    struct param_ref refs[200];
    size_t n = scenario_params(&s->app.s, refs, 200);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(refs[i].param->name, key))
            return scenario_get(&s->app.s, &refs[i]).x;
    fail_msg("no parameter %s", key);
    return 0;
}

/* ---- editing ------------------------------------------------------------------------------------------ */

static void a_line_is_edited_by_characters(void **state)
{
    (void)state;
    struct line l;
    line_set(&l, "位置 编码");
    line_key(&l, KEY_CODE_BACKSPACE);
    assert_string_equal(l.text, "位置 编");
    line_key(&l, KEY_CODE_LEFT);
    line_key(&l, KEY_CODE_LEFT);
    line_key(&l, KEY_CODE_DELETE);
    assert_string_equal(l.text, "位置编");
    line_key(&l, 0x7684);
    assert_string_equal(l.text, "位置的编");
    line_key(&l, KEY_CODE_HOME);
    line_key(&l, KEY_CODE_BACKSPACE);
    assert_string_equal(l.text, "位置的编");
    line_key(&l, 11);                           /* Ctrl-K */
    assert_string_equal(l.text, "");
    line_set(&l, "set rope_theta=5e5");
    line_key(&l, 23);                           /* Ctrl-W: a word or a value */
    assert_string_equal(l.text, "set rope_theta=");
    assert_false(line_key(&l, KEY_CODE_F1));
    assert_false(line_key(&l, 27));
}

static void a_full_line_takes_no_more(void **state)
{
    (void)state;
    struct line l;
    char many[2 * LINE_MAX_BYTES];
    memset(many, 'a', sizeof many);
    many[sizeof many - 1] = '\0';
    line_set(&l, many);
    assert_int_equal(strlen(l.text), LINE_MAX_BYTES - 1);
    line_key(&l, 0x4f4d);
    assert_int_equal(strlen(l.text), LINE_MAX_BYTES - 1);
    for (size_t i = 0; i + 3 < sizeof many; i += 3)
        memcpy(many + i, "位", 3);
    line_set(&l, many);
    assert_int_equal(strlen(l.text) % 3, 0);    /* never half a character */
}

/* ---- commands ----------------------------------------------------------------------------------------- */

static void words_edit_the_scenario(void **state)
{
    struct screen *s = *state;
    screen_type(s, ":set n=300\n");
    assert_true(number(s, "n") == 300);
    screen_type(s, ":n=301\n");
    assert_true(number(s, "n") == 301);
    screen_type(s, ":-e alibi -s n=77 -s num_heads=4\n");
    assert_string_equal(s->app.s.item[0].kind->id, "alibi");
    assert_true(number(s, "n") == 77 && number(s, "num_heads") == 4);
    screen_type(s, ":lang zh\n");
    assert_int_equal(s->app.s.lang, LANG_ZH);
    screen_type(s, ":colormap magma\n");
    assert_string_equal(s->app.s.map->id, "magma");
    screen_type(s, ":bias\n");
    assert_string_equal(view_ids[s->app.s.view], "bias");
    screen_type(s, "q");                        /* a typed view is a jump */
    assert_string_equal(view_ids[s->app.s.view], "similarity");
}

static void a_wrong_word_is_explained_and_changes_nothing(void **state)
{
    struct screen *s = *state;
    static const struct { const char *line, *says; } wrong[] = {
        {":set n=-3\n", "n = -3: allowed is 1 to"},       {":nn=3\n", "there is no parameter 'nn' here"},
        {":encoding rop\n", "there is no encoding 'rop'"}, {":frobnicate\n", "there is no command 'frobnicate'"},
        {":theme pink\n", "there is no theme 'pink'; there are"}, {":encoding\n", "encoding: give ENCODING"},
        {":-e alibi -s n=0\n", "n = 0"},                   {":preset nothing\n", "nothing"},
        {":-q\n", "there is no option -q"},                {":compare c\n", "allowed are off, a, b, side, difference"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct scenario before;
        scenario_copy(&before, &s->app.s);
        screen_type(s, wrong[i].line);
        assert_true(screen_has(s, wrong[i].says));
        assert_true(scenario_same(&before, &s->app.s));
        assert_int_equal(s->app.message_role, ROLE_ERROR);
        scenario_done(&before);
    }
}

static void enter_types_the_chosen_parameter(void **state)
{
    struct screen *s = *state;
    screen_type(s, ":param n\n");
    screen_key(s, KEY_RETURN);
    assert_string_equal(s->app.prompt.label, "n = ");
    screen_type(s, "123\n");
    assert_true(number(s, "n") == 123);
    screen_key(s, KEY_RETURN);
    screen_key(s, KEY_ESCAPE);
    assert_true(number(s, "n") == 123);
}

static void undo_goes_back_edit_by_edit(void **state)
{
    struct screen *s = *state;
    double start = number(s, "n");
    screen_type(s, ":n=100\n:n=200\n");
    screen_key(s, KEY_CODE_RIGHT);              /* looking elsewhere is no edit */
    screen_key(s, 'L');
    screen_key(s, 'u');
    assert_true(number(s, "n") == 100);
    assert_int_equal(s->app.s.lang, LANG_ZH);   /* nor is the language */
    screen_key(s, 'U');
    assert_true(number(s, "n") == 200);
    screen_type(s, "uu");
    assert_true(number(s, "n") == start);
    screen_key(s, 'u');
    assert_true(number(s, "n") == start);
}

static void saving_and_loading_gives_the_same(void **state)
{
    struct screen *s = *state;
    const char *path = scratch_text("there.json", "");
    char line[700];
    screen_type(s, ":n=333\n");
    snprintf(line, sizeof line, ":save %s\n", path);
    screen_type(s, line);
    assert_int_equal(s->app.message_role, ROLE_ERROR);          /* there is such a file already */
    snprintf(line, sizeof line, ":save! %s\n", path);
    screen_type(s, line);
    assert_int_equal(s->app.message_role, ROLE_GOOD);
    screen_type(s, ":-e alibi -s n=5\n");
    snprintf(line, sizeof line, ":preset %s\n", path);
    screen_type(s, line);
    assert_true(number(s, "n") == 333);
    assert_string_equal(s->app.s.item[0].kind->id, "sinusoidal");
}

/* ---- completion and history ----------------------------------------------------------------------------- */

static bool offers(const struct completions *c, const char *text)
{
    for (size_t i = 0; i < c->n; i++)
        if (!strcmp(c->at[i].text, text))
            return true;
    return false;
}

static void completion_knows_words_and_values(void **state)
{
    struct screen *s = *state;
    struct completions c;
    words_complete(&s->app, "enc", &c);
    assert_true(c.n == 1 && offers(&c, "encoding"));
    words_complete(&s->app, "encoding ro", &c);
    assert_true(offers(&c, "rope") && c.from == 9);
    words_complete(&s->app, "encoding rope+te", &c);
    assert_int_equal(c.from, 14);
    words_complete(&s->app, "set mask=", &c);
    assert_true(offers(&c, "causal") && offers(&c, "none") && c.from == 9);
    words_complete(&s->app, "theme ", &c);
    assert_true(offers(&c, "dark") && offers(&c, "light"));
    words_complete(&s->app, "num_h", &c);
    assert_true(offers(&c, "num_heads="));
    words_complete(&s->app, "lesson w", &c);
    assert_true(c.n == 1 && offers(&c, "waves"));
    words_complete(&s->app, "colormap vi", &c);
    assert_true(offers(&c, "viridis"));
    words_complete(&s->app, "copy ", &c);
    assert_true(offers(&c, "command") && offers(&c, "citation"));
    scratch_text("models/one.json", "{}");
    char path[700];
    snprintf(path, sizeof path, "save %s", scratch_path("models/o"));
    words_complete(&s->app, path, &c);
    assert_true(c.n == 1 && strstr(c.at[0].text, "one.json"));
    words_complete(&s->app, "no such word ", &c);
    assert_int_equal(c.n, 0);
}

static void tab_completes_and_goes_through_choices(void **state)
{
    struct screen *s = *state;
    struct line *line = &s->app.prompt.line;
    screen_type(s, ":encod\t");
    assert_string_equal(line->text, "encoding ");
    screen_type(s, "sinus\t");
    assert_non_null(strstr(line->text, "sinusoidal"));
    screen_key(s, KEY_ESCAPE);
    screen_type(s, ":theme \t");
    assert_string_equal(line->text, "theme dark");
    screen_type(s, "\t");
    assert_string_equal(line->text, "theme light");
    screen_key(s, KEY_CODE_SHIFT_TAB);
    assert_string_equal(line->text, "theme dark");
    screen_key(s, KEY_ESCAPE);
}

static void history_recalls_lines(void **state)
{
    struct screen *s = *state;
    struct line *line = &s->app.prompt.line;
    screen_type(s, ":n=100\n:n=200\n:");
    screen_key(s, KEY_CODE_UP);
    screen_key(s, KEY_CODE_UP);
    assert_string_equal(line->text, "n=100");
    screen_key(s, KEY_CODE_UP);
    assert_string_equal(line->text, "n=100");
    screen_key(s, KEY_CODE_DOWN);
    assert_string_equal(line->text, "n=200");
    screen_key(s, KEY_CODE_DOWN);
    assert_string_equal(line->text, "");
    screen_key(s, KEY_ESCAPE);
}

/* ---- finder ------------------------------------------------------------------------------------------- */

static void letters_in_order_match(void **state)
{
    (void)state;
    assert_true(finder_score("rpt", "rope_theta") > 0);
    assert_int_equal(finder_score("xyz", "rope_theta"), 0);
    assert_int_equal(finder_score("tr", "rt"), 0);
    assert_true(finder_score("theta", "rope_theta") > finder_score("theta", "the attention"));
    assert_true(finder_score("sim", "similarity") > finder_score("sim", "asim"));
}

static void the_finder_goes_where_it_says(void **state)
{
    struct screen *s = *state;
    screen_type(s, "/view bias");
    assert_true(screen_has(s, "bias"));
    screen_key(s, KEY_RETURN);
    assert_string_equal(view_ids[s->app.s.view], "bias");
    screen_type(s, "/encoding alibi\n");
    assert_string_equal(s->app.s.item[0].kind->id, "alibi");
    screen_type(s, "/zzzzzz");
    assert_true(screen_has(s, "nothing matches"));
    screen_key(s, KEY_RETURN);
    assert_null(s->app.overlay);
}

/* What is wrong stands behind the name of the file, which is cut in its middle where both have no room. */
static void a_message_keeps_its_end(void **state)
{
    (void)state;
    static const int cols[] = {40, 60, 80, 120};
    for (size_t i = 0; i < sizeof cols / sizeof *cols; i++) {
        struct screen s;
        char line[600] = "-m /nowhere/";
        screen_open(&s, 24, cols[i], DEPTH_256, NULL);
        for (int n = 0; n < 300; n += 6)
            strcat(line, n % 12 ? "模型" : "models");
        strcat(line, "/config.json");
        struct err err = {.lang = LANG_EN};
        assert_false(words_run(&s.app, line, &err));
        app_fail(&s.app, &err);
        s.app.dirty = true;
        app_settle(&s.app);
        assert_true(screen_has(&s, "/nowhere/mo"));
        assert_true(screen_has(&s, "directory"));
        screen_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_edited_by_characters),
        cmocka_unit_test(a_full_line_takes_no_more),
        cmocka_unit_test_setup_teardown(words_edit_the_scenario, setup, teardown),
        cmocka_unit_test_setup_teardown(a_wrong_word_is_explained_and_changes_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(enter_types_the_chosen_parameter, setup, teardown),
        cmocka_unit_test_setup_teardown(undo_goes_back_edit_by_edit, setup, teardown),
        cmocka_unit_test_setup_teardown(saving_and_loading_gives_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(completion_knows_words_and_values, setup, teardown),
        cmocka_unit_test_setup_teardown(tab_completes_and_goes_through_choices, setup, teardown),
        cmocka_unit_test_setup_teardown(history_recalls_lines, setup, teardown),
        cmocka_unit_test(letters_in_order_match),
        cmocka_unit_test_setup_teardown(the_finder_goes_where_it_says, setup, teardown),
        cmocka_unit_test(a_message_keeps_its_end),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
