/* The program as its users see it: in a terminal, with keys, a mouse and other sizes. If this fails: nothing on the screen on some
 * terminal, colours that no value has, torn text in the other language, a hang or a crash while resizing, or a shell left
 * without echo and cursor. What the terminal alone must do is tested with the demo (test_term.c). */
#include <signal.h>

#include "base/rng.h"
#include "base/utf8.h"
#include "canvas/canvas.h"
#include "session.h"

static struct vt *start(int rows, int cols, const char *view, const char *const *env)
{
    return session_start(rows, cols, (const char *const[]){"--lang", "en", view, NULL}, env);
}

/* Colours. */

static bool is_shown(const struct colormap *map, const struct theme *theme, int32_t rgb)
{
    if (rgb == (int32_t)theme->role[ROLE_MASKED].bg || rgb == (int32_t)theme->role[ROLE_NAN].bg ||
        rgb == (int32_t)theme->role[ROLE_TEXT].bg)
        return true;
    for (int i = 0; i < HEAT_LEVELS; i++)
        if ((int32_t)colormap_rgb(map, i / (HEAT_LEVELS - 1.0)) == rgb)
            return true;
    return false;
}

static void heatmaps_have_the_colours_of_their_map(void **state)
{
    (void)state;
    struct vt *vt = start(36, 120, "similarity", NULL);
    const struct theme *theme = themes[0];
    int heat = 0;
    for (int y = 0; y < 36; y++)
        for (int x = 0; x < 120; x++) {
            uint32_t ch = vt_cell(vt, y, x).ch;
            int32_t top, bottom;
            if (!(ch == 0x2580 || ch == 0x2584) || !vt_halves(vt, y, x, &top, &bottom))
                continue;
            heat++;
            assert_true((is_shown(colormap_diverging(theme), theme, top) && is_shown(colormap_diverging(theme), theme, bottom)) ||
                        (is_shown(colormaps[0], theme, top) && is_shown(colormaps[0], theme, bottom)));
        }
    assert_true(heat > 200);
    quit(vt);
}

static void each_terminal_gets_what_it_can_show(void **state)
{
    (void)state;
    static const struct { const char *env[3]; bool colour, direct, ascii; int max_index; } cases[] = {
        {{"COLORTERM", NULL}, true, false, false, 255},
        {{"TERM=xterm", "COLORTERM", NULL}, true, false, false, 7},
        {{"TERM=linux", "COLORTERM", NULL}, true, false, false, 7},
        {{"TERM=vt100", "COLORTERM", NULL}, false, false, true, -1},
        {{"NO_COLOR=1", NULL}, false, false, false, -1},
        {{"TERM=tmux-256color", "COLORTERM", NULL}, true, true, false, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vt *vt = start(30, 110, "bias", cases[i].env);
        bool coloured = false, direct = false;
        for (int y = 0; y < 30; y++)
            for (int x = 0; x < 110; x++) {
                struct vt_cell c = vt_cell(vt, y, x);
                assert_true(c.fg_index <= cases[i].max_index && c.bg_index <= cases[i].max_index);
                assert_true(!cases[i].ascii || (c.ch >= ' ' && c.ch <= '~'));
                coloured = coloured || c.fg != VT_DEFAULT || c.bg != VT_DEFAULT;
                direct = direct || (c.bg != VT_DEFAULT && c.bg_index < 0);
            }
        assert_int_equal(coloured, cases[i].colour);
        assert_int_equal(direct, cases[i].direct);
        assert_true(vt_contains(vt, "bias"));
        quit(vt);
    }
}

static void useless_terminals_are_refused(void **state)
{
    (void)state;
    static const char *const terms[] = {"TERM=dumb", "TERM=no-such-thing", "TERM"};
    for (int i = 0; i < 3; i++) {
        struct vt *vt = session_open(24, 100, NULL, (const char *const[]){terms[i], "COLORTERM", NULL});
        must_exit(vt, 2);
        assert_true(vt_contains(vt, "TERM"));
        vt_stop(vt);
    }
}

/* LINES and COLUMNS that nobody can mean, and terminals that say so of themselves. */
static void a_foolish_size_is_no_reason_to_refuse(void **state)
{
    (void)state;
    static const char *const envs[][3] = {{"LINES=99999", "COLUMNS=99999"}, {"LINES=-5", "COLUMNS=80"}, {"LINES=24", "COLUMNS=99999999999999999999"},
                                          {"LINES=many", "COLUMNS="}, {"LINES=1", "COLUMNS=1"}};
    for (size_t i = 0; i < sizeof envs / sizeof *envs; i++) {
        struct vt *vt = start(24, 80, "similarity", envs[i]);
        assert_true(vt_contains(vt, "similarity") && vt_contains(vt, "mean"));
        quit(vt);
    }
    static const char *const sizes[] = {"rows 65535 cols 65535", "rows 32767 cols 1", "rows 1 cols 32767", "rows 0 cols 0"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char words[4300];
        snprintf(words, sizeof words, "stty %s; exec '%s' --test-sync --lang en similarity", sizes[i], posviz);
        const char *argv[] = {"sh", "-c", words, NULL};
        struct vt *vt = vt_start(24, 80, argv, NULL);
        assert_true(vt_answers(vt));
        quit(vt);
    }
}

/* OpenBLAS' threads wait for memory for ever where there is none; the screen starts without it, or says what is short. */
static void a_limit_of_memory_is_a_screen_or_a_message(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip();                             /* they take terabytes */
#endif
    static const int limits[] = {9000, 14000, 18000, 30000, 60000, 100000, 150000, 200000, 300000, 500000, 1000000, 2000000};
    int shown = 0;
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        char words[4300];
        snprintf(words, sizeof words, "ulimit -v %d; exec '%s' --test-sync --lang en similarity", limits[i], posviz);
        const char *argv[] = {"sh", "-c", words, NULL}, *env[] = {"OPENBLAS_NUM_THREADS", NULL};
        struct vt *vt = vt_start(24, 80, argv, env);
        int status;
        if (vt_settle(vt))              /* a screen, whose picture may still turn out too large */
            vt_type(vt, "Q");
        assert_true(vt_wait_exit(vt, &status));
        assert_true(WIFEXITED(status));
        shown += WEXITSTATUS(status) == 0;
        if (WEXITSTATUS(status) != 0) {
            assert_int_equal(WEXITSTATUS(status), 2);
            assert_true(vt_contains(vt, "posviz: out of memory") || vt_contains(vt, "no thread can be started"));
        }
        assert_false(vt_alternate(vt));
        vt_stop(vt);
    }
    assert_true(shown >= 9);
}

/* Keys, mouse, language. */

/* The tab that is drawn as the chosen one. */
static bool chosen_tab(struct vt *vt, const char *title)
{
    return strstr(vt_row(vt, 0), title) && vt_cell(vt, 0, column_of(vt, 0, title)).fg == (int32_t)themes[0]->role[ROLE_ACCENT].fg;
}

static void tabs_change_by_key_and_by_mouse(void **state)
{
    (void)state;
    struct vt *vt = start(30, 120, "table", NULL);
    assert_true(chosen_tab(vt, "table"));
    press(vt, "Tab");
    assert_false(chosen_tab(vt, "table"));
    press(vt, "BackTab");
    assert_true(chosen_tab(vt, "table"));
    click(vt, 0, column_of(vt, 0, "spectrum") + 2);
    assert_true(chosen_tab(vt, "spectrum"));
    quit(vt);
}

/* The language changes at once, and the columns of the screen stay where they are. */
static void the_language_changes_at_once(void **state)
{
    (void)state;
    struct vt *vt = start(30, 120, "bias", NULL);
    int divider[30], chinese = 0;
    for (int y = 0; y < 30; y++)
        for (int x = divider[y] = 0; x < 120; x++)
            if (vt_cell(vt, y, x).ch == 0x2502 && x > 60)
                divider[y] = x;
    press(vt, "L");
    for (int y = 0; y < 30; y++)
        for (int x = 0; x < 120; x++) {
            struct vt_cell c = vt_cell(vt, y, x);
            chinese += c.width == 2;
            if (c.width == 2)
                assert_int_equal(vt_cell(vt, y, x + 1).ch, 0);
        }
    assert_true(chinese > 20);
    for (int y = 0; y < 30; y++)
        if (divider[y])
            assert_int_equal(vt_cell(vt, y, divider[y]).ch, 0x2502);
    press(vt, "L");
    for (int y = 0; y < 29; y++)            /* the line of keys offers the other language in its own name */
        for (int x = 0; x < 120; x++)
            assert_int_not_equal(vt_cell(vt, y, x).width, 2);
    quit(vt);
}

/* Sizes. */

static void every_view_survives_every_size(void **state)
{
    (void)state;
    static const struct { int rows, cols; } sizes[] = {{1, 1}, {5, 20}, {1, 200}, {60, 1}, {12, 50}, {40, 120}};
    struct vt *vt = start(40, 120, "table", NULL);
    int views = 0;
    do {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            vt_resize(vt, sizes[i].rows, sizes[i].cols);
            if (i == 0 || i == 4)           /* the other language while there is no room, and back */
                vt_key(vt, "L");
            assert_true(vt_settle(vt));
        }
        press(vt, "Tab");
        views++;
    } while (views < 50 && !chosen_tab(vt, "table"));
    assert_in_range(views, 8, 49);
    quit(vt);
}

static void storms_of_sizes_and_keys_are_survived(void **state)
{
    (void)state;
    static const char *const keys[] = {"Tab", "Up", "Right", "+", "-", "L", "]", ">", "?", "Escape", "PageDown", "S-Left", "0"};
    struct vt *vt = start(24, 80, "attention", NULL);
    for (uint64_t i = 0; i < 150; i++) {
        vt_resize(vt, 1 + (int)(70 * rng_uniform(9, 3 * i)), 1 + (int)(220 * rng_uniform(9, 3 * i + 1)));
        vt_key(vt, keys[rng_bits(9, 3 * i + 2) % (sizeof keys / sizeof *keys)]);
        if (i % 10 == 0)
            assert_true(vt_settle(vt));
    }
    vt_resize(vt, 24, 80);
    assert_true(vt_settle(vt));
    for (int i = 0; i < 4; i++)
        vt_key(vt, "Escape");
    assert_true(vt_settle(vt));
    assert_true(vt_contains(vt, "posviz"));
    quit(vt);
}

/* Bytes. */

static void a_moved_cursor_costs_little(void **state)
{
    (void)state;
    struct vt *vt = start(36, 120, "similarity", NULL);
    size_t n;
    press(vt, "Down");
    vt_forget(vt);
    press(vt, "Down");
    vt_bytes(vt, &n);
    assert_true(n > 30 && n < 4000);
    vt_forget(vt);
    assert_true(vt_settle(vt));
    vt_bytes(vt, &n);
    assert_true(n < 40);                    /* nothing happened: the answer to the ping alone */
    quit(vt);
}

/* Ends. */

static void ends(int sig, const char *keys, bool by_signal)
{
    struct vt *vt = start(24, 80, "rotation", NULL);
    int status;
    if (keys)
        vt_type(vt, keys);
    else
        vt_signal(vt, sig);
    assert_true(vt_wait_exit(vt, &status));
    assert_int_equal(WIFSIGNALED(status), by_signal);
    if (by_signal)
        assert_int_equal(WTERMSIG(status), sig);
    assert_restored(vt);
    vt_stop(vt);
}

static void every_end_restores_the_terminal(void **state)
{
    (void)state;
    ends(0, "Q", false);
    ends(SIGTERM, NULL, false);
    ends(SIGHUP, NULL, false);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)         /* which end such a program in their own way */
    ends(SIGABRT, NULL, true);
    ends(SIGSEGV, NULL, true);
#endif
}

static void a_closed_terminal_ends_the_program(void **state)
{
    (void)state;
    struct vt *vt = start(24, 80, "table", NULL);
    vt_hang_up(vt);
    assert_true(vt_wait_exit(vt, &(int){0}));
    vt_stop(vt);
}

static void a_terminal_that_never_reads_does_not_hold_the_end(void **state)
{
    (void)state;
    struct vt *vt = start(50, 180, "similarity", NULL);
    int status;
    for (int i = 0; i < 12; i++)
        vt_key(vt, "Tab");
    vt_signal(vt, SIGTERM);
    assert_int_equal(waitid(P_PID, (id_t)vt_pid(vt), &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
    assert_true(vt_wait_exit(vt, &status));
    assert_true(WIFEXITED(status));
    vt_stop(vt);
}

static void stopped_and_continued_under_a_shell(void **state)
{
    (void)state;
    struct vt *vt = shell_start(24, 80);
    vt_type(vt, posviz);
    vt_type(vt, " --test-sync --lang en table\r");
    assert_true(vt_wait_text(vt, "table"));
    assert_true(vt_settle(vt));
    shell_suspend(vt);
    vt_type(vt, "fg\r");
    assert_true(vt_wait_bytes(vt, "\033[?1049l"));
    assert_true(vt_settle(vt));
    assert_true(vt_alternate(vt));
    assert_true(vt_contains(vt, "table"));
    vt_type(vt, "Q");
    assert_true(vt_wait_text(vt, "ready>"));
    assert_restored(vt);
    vt_stop(vt);
}

int main(int argc, char **argv)
{
    (void)argc;
    session_find(argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heatmaps_have_the_colours_of_their_map),
        cmocka_unit_test(each_terminal_gets_what_it_can_show),
        cmocka_unit_test(useless_terminals_are_refused),
        cmocka_unit_test(a_foolish_size_is_no_reason_to_refuse),
        cmocka_unit_test(a_limit_of_memory_is_a_screen_or_a_message),
        cmocka_unit_test(tabs_change_by_key_and_by_mouse),
        cmocka_unit_test(the_language_changes_at_once),
        cmocka_unit_test(every_view_survives_every_size),
        cmocka_unit_test(storms_of_sizes_and_keys_are_survived),
        cmocka_unit_test(a_moved_cursor_costs_little),
        cmocka_unit_test(every_end_restores_the_terminal),
        cmocka_unit_test(a_closed_terminal_ends_the_program),
        cmocka_unit_test(a_terminal_that_never_reads_does_not_hold_the_end),
        cmocka_unit_test(stopped_and_continued_under_a_shell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
