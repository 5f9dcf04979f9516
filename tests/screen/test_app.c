/* The whole program in a real pseudo-terminal. If this fails: keys do not reach the picture, numbers do not change with parameters, the
 * language or a resize leaves rubbish behind, or the shell is left in ruins. */

#include "base/mem.h"
#include "../support/files.h"
#include "session.h"

/* The two rows of the read-out, above the last. */
static char *readout(struct vt *vt)
{
    int rows, cols;
    vt_size(vt, &rows, &cols);
    char *first = strdup(vt_row(vt, rows - 3)), *both = xasprintf("%s%s", first, vt_row(vt, rows - 2));
    free(first);
    return both;
}

static const char *const alibi[] = {"similarity", "-e", "alibi", "-s", "n=64", "-s", "num_heads=8", NULL};

/* ---- ------------------------------------------------------------------------------------------------------- */

static void it_opens_on_real_values(void **state)
{
    (void)state;
    struct vt *vt = session_start(32, 120, NULL, NULL);
    assert_true(vt_alternate(vt));
    assert_true(vt_contains(vt, "rotation"));
    assert_true(vt_contains(vt, "parameters"));
    assert_true(vt_contains(vt, "rope_theta") && vt_contains(vt, "500 000"));       /* Llama 3.1's */
    quit(vt);
}

static void moving_reads_out_exact_values(void **state)
{
    (void)state;
    struct vt *vt = session_start(24, 80, alibi, NULL);
    type(vt, ":n=8\r");
    press(vt, "Home");
    /* head 0 of 8 has slope 1/2: bias(i, j) = -(i - j) / 2 */
    char *text = readout(vt);
    int query, key_at;
    double value;
    assert_int_equal(sscanf(text, " query %d, key %d (distance %*d) = %lf", &query, &key_at, &value), 3);
    assert_true(value == -0.5 * (query - key_at));
    free(text);
    press(vt, "Right");
    text = readout(vt);
    int moved;
    assert_int_equal(sscanf(text, " query %*d, key %d", &moved), 1);
    assert_int_equal(moved, key_at + 1);
    free(text);
    quit(vt);
}

/* The formula with its numbers is the lesson of a read-out: where one row cannot hold it, it goes on in the next. */
static void a_read_out_goes_on_in_the_next_row(void **state)
{
    (void)state;
    static const char *const rope[] = {"spectrum", "-p", "llama-3.1-8b", NULL};
    struct vt *vt = session_start(24, 80, rope, NULL);
    press(vt, "Right");
    char *text = readout(vt);
    assert_non_null(strstr(text, ", wavelength = "));
    assert_non_null(strstr(text, "unscaled"));
    assert_non_null(strstr(text, " turns when trained"));
    assert_null(strstr(text, "…"));
    free(text);
    vt_resize(vt, 24, 200);
    assert_true(vt_settle(vt));
    assert_non_null(strstr(vt_row(vt, 22), ", wavelength = "));       /* a wide terminal needs one */
    assert_non_null(strstr(vt_row(vt, 22), "arXiv 2104.09864"));
    quit(vt);
}

static void a_key_changes_the_numbers_on_the_screen(void **state)
{
    (void)state;
    struct vt *vt = session_start(32, 120, alibi, NULL);
    type(vt, ":param head\r");
    char *before = readout(vt);
    type(vt, ">");
    char *after = readout(vt);
    assert_string_not_equal(before, after);
    type(vt, "u");
    free(after);
    after = readout(vt);
    assert_string_equal(before, after);
    free(before);
    free(after);
    quit(vt);
}

static void tabs_go_round(void **state)
{
    (void)state;
    struct vt *vt = session_start(24, 80, alibi, NULL);
    char *first = strdup(vt_row(vt, 0));
    press(vt, "Tab");
    assert_string_not_equal(first, vt_row(vt, 0));
    press(vt, "BackTab");
    assert_string_equal(first, vt_row(vt, 0));
    free(first);
    quit(vt);
}

static void the_language_changes_at_once_and_back(void **state)
{
    (void)state;
    struct vt *vt = session_start(32, 120, alibi, NULL);
    type(vt, "L");
    assert_true(vt_contains(vt, "参数"));
    assert_false(vt_contains(vt, "parameters"));
    type(vt, "L");
    assert_true(vt_contains(vt, "parameters"));
    assert_false(vt_contains(vt, "参数"));
    quit(vt);
}

static void help_and_prompt_open_and_close(void **state)
{
    (void)state;
    struct vt *vt = session_start(32, 120, alibi, NULL);
    type(vt, "?");
    assert_true(vt_contains(vt, "Each cell compares a query's position"));
    press(vt, "Escape");
    assert_false(vt_contains(vt, "Each cell compares a query's position"));
    type(vt, ":enco\t");
    assert_true(vt_contains(vt, ":encoding"));
    int y, x;
    assert_true(vt_cursor(vt, &y, &x));
    assert_int_equal(y, 31);
    assert_int_equal(x, strlen(":encoding "));
    type(vt, "sinusoidal\r");
    assert_true(vt_contains(vt, "Vaswani"));
    assert_false(vt_cursor(vt, &y, &x));
    quit(vt);
}

static void a_mistake_is_explained(void **state)
{
    (void)state;
    struct vt *vt = session_start(24, 80, alibi, NULL);
    type(vt, ":n=0\r");
    assert_true(vt_contains(vt, "n = 0: allowed is 1 to"));
    type(vt, "W");
    assert_true(vt_contains(vt, "W does nothing here; ? lists the keys"));
    quit(vt);
}

static void the_finder_goes_there(void **state)
{
    (void)state;
    struct vt *vt = session_start(32, 120, alibi, NULL);
    type(vt, "/kerple");
    assert_true(vt_contains(vt, "encoding"));
    type(vt, "\r");
    assert_true(vt_contains(vt, "KERPLE"));
    quit(vt);
}

/* A picture that takes minutes: keys still answer, the read-out is exact, a resize is drawn, and Esc stops it. */
static void it_answers_while_computing(void **state)
{
    (void)state;
    struct vt *vt = session_open(32, 120, session_heavy, NULL);
    assert_true(vt_wait_text(vt, "Esc"));                   /* progress is shown */
    vt_type(vt, ":something");
    assert_true(vt_wait_text(vt, ":something"));
    vt_type(vt, "\x1b");
    vt_resize(vt, 24, 80);
    vt_type(vt, ":lang zh\r");
    assert_true(vt_wait_text(vt, "帮助"));
    vt_type(vt, ":lang en\r");
    assert_true(vt_wait_text(vt, "Esc stops"));
    vt_type(vt, "\x1b");
    assert_true(vt_wait_text(vt, "stopped"));
    assert_true(vt_settle(vt));                             /* it is idle now */
    type(vt, "]");
    assert_true(vt_contains(vt, "not complete"));           /* and says so for as long as it is so */
    quit(vt);
}

static void every_size_is_survived(void **state)
{
    (void)state;
    static const int size[][2] = {{1, 1}, {2, 5}, {5, 20}, {8, 30}, {60, 200}, {3, 200}, {24, 80}};
    struct vt *vt = session_start(24, 80, alibi, NULL);
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        vt_resize(vt, size[i][0], size[i][1]);
        assert_true(vt_settle(vt));
        if (size[i][0] == 5)
            assert_true(vt_contains(vt, "needs 30 x 8 cells"));
    }
    assert_true(vt_contains(vt, "similarity"));
    quit(vt);
}

static void the_mouse_chooses_and_reads_out(void **state)
{
    (void)state;
    struct vt *vt = session_start(32, 120, alibi, NULL);
    char *before = readout(vt);
    click(vt, 8, 20);
    char *after = readout(vt);
    assert_string_not_equal(before, after);
    free(before);
    free(after);
    click(vt, 0, column_of(vt, 0, "table"));
    assert_true(vt_contains(vt, "▏table▕"));
    quit(vt);
}

static void an_animation_is_led_by_its_clock(void **state)
{
    (void)state;
    static const char *const rope[] = {"rotation", "-e", "rope", NULL};
    struct vt *vt = session_start(32, 120, rope, NULL);
    assert_true(vt_contains(vt, "4 096"));
    type(vt, " ");
    type(vt, "\x14\x14\x14");
    assert_true(vt_contains(vt, "4 099"));
    type(vt, " \x14");
    assert_true(vt_contains(vt, "4 099"));
    quit(vt);
}

static void fewer_colours_lose_no_words(void **state)
{
    (void)state;
    static const char *const mono[] = {"NO_COLOR=1", NULL}, *const vt100[] = {"TERM=vt100", "COLORTERM", NULL},
                             *const eight[] = {"TERM=xterm", "COLORTERM", NULL}, *const latin[] = {"LC_ALL=C", NULL};
    const char *const *const env[] = {mono, vt100, eight, latin};
    for (size_t i = 0; i < sizeof env / sizeof *env; i++) {
        struct vt *vt = session_start(24, 80, alibi, env[i]);
        assert_true(vt_contains(vt, "similarity"));
        assert_true(vt_contains(vt, "query"));
        type(vt, "L");
        type(vt, "L?");
        assert_true(vt_contains(vt, "Each cell compares"));
        quit(vt);
    }
}

/* ---- leaving ------------------------------------------------------------------------------------------------ */

static void quitting_restores_the_terminal(void **state)
{
    (void)state;
    struct vt *vt = session_start(24, 80, alibi, NULL);
    type(vt, ":bias\r");
    type(vt, "q");                                          /* back from the jump */
    vt_type(vt, "q");                                       /* out at the first screen */
    must_exit(vt, 0);
    assert_restored(vt);
    vt_stop(vt);
}

/* Without a configuration of fonts fontconfig complains on standard error: not on the screen, but afterwards. */
static void what_libraries_say_waits_for_the_end(void **state)
{
    (void)state;
    char line[700];
    const char *env[] = {"FONTCONFIG_FILE=/nonexistent", NULL};
    struct vt *vt = session_start(24, 80, alibi, env);
    snprintf(line, sizeof line, ":export %s\r", scratch_path("a.png"));
    type(vt, line);
    bool pictures = vt_contains(vt, "written");
    for (int y = 0; y < 24; y++)
        assert_null(strstr(vt_row(vt, y), "Fontconfig"));
    vt_type(vt, "Q");
    must_exit(vt, 0);
    assert_int_equal(vt_contains(vt, "Fontconfig error"), pictures);
    vt_stop(vt);
}

/* The name that x offers gives way to a path typed at once, and stays where it is edited. */
static void an_offered_name_gives_way_to_a_typed_one(void **state)
{
    (void)state;
    struct vt *vt = session_start(24, 100, alibi, NULL);
    type(vt, "x");
    assert_non_null(strstr(vt_row(vt, 23), ":export similarity.png"));
    type(vt, "/nowhere/a.csv");
    assert_non_null(strstr(vt_row(vt, 23), ":export /nowhere/a.csv"));
    assert_null(strstr(vt_row(vt, 23), ".png"));
    type(vt, "\r");
    assert_true(vt_contains(vt, "/nowhere/a.csv cannot be written: there is no folder /nowhere"));
    type(vt, "x");
    press(vt, "Left");
    type(vt, "i");
    assert_non_null(strstr(vt_row(vt, 23), ":export similarity.pnig"));
    press(vt, "Escape");
    quit(vt);
}

/* Nothing is offered that does nothing, and findings can be looked up. */
static void a_view_without_parameters_has_the_whole_width(void **state)
{
    (void)state;
    const char *const options[] = {"--lang", "en", "-m", "tests/cases/bad/yarn_factor_vs_ratio.json", NULL};
    struct vt *vt = session_start(30, 120, options, NULL);
    assert_false(vt_contains(vt, "parameter"));
    assert_false(vt_contains(vt, "< >"));
    assert_true(vt_contains(vt, "warning [factor-conflict]"));
    assert_true(vt_contains(vt, "line 13"));
    assert_true(vt_contains(vt, "posviz explain factor-conflict"));
    type(vt, ":view bias\r");
    assert_true(vt_contains(vt, "< > change"));
    quit(vt);
}

static void a_wrong_option_is_said_before_the_screen(void **state)
{
    (void)state;
    struct vt *vt = session_open(24, 80, (const char *const[]){"-e", "rop", NULL}, NULL);
    must_exit(vt, 2);
    assert_true(vt_contains(vt, "there is no encoding 'rop'"));
    vt_stop(vt);
}

int main(int argc, char **argv)
{
    (void)argc;
    session_find(argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_opens_on_real_values),
        cmocka_unit_test(moving_reads_out_exact_values), cmocka_unit_test(a_read_out_goes_on_in_the_next_row),
        cmocka_unit_test(a_key_changes_the_numbers_on_the_screen),
        cmocka_unit_test(tabs_go_round),
        cmocka_unit_test(the_language_changes_at_once_and_back),
        cmocka_unit_test(help_and_prompt_open_and_close),
        cmocka_unit_test(a_mistake_is_explained),
        cmocka_unit_test(the_finder_goes_there),
        cmocka_unit_test(it_answers_while_computing),
        cmocka_unit_test(every_size_is_survived),
        cmocka_unit_test(the_mouse_chooses_and_reads_out),
        cmocka_unit_test(an_animation_is_led_by_its_clock),
        cmocka_unit_test(fewer_colours_lose_no_words),
        cmocka_unit_test(quitting_restores_the_terminal),
        cmocka_unit_test(what_libraries_say_waits_for_the_end),
        cmocka_unit_test(an_offered_name_gives_way_to_a_typed_one),
        cmocka_unit_test(a_view_without_parameters_has_the_whole_width),
        cmocka_unit_test(a_wrong_option_is_said_before_the_screen),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
