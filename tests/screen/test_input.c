/* Keys, pastes and the mouse as slow lines and foreign terminals mangle them. If this fails: Esc hangs, an arrow closes a dialogue and chooses a
 * parameter, a pasted sentence runs as commands, or a mouse types into the program. The decoder alone is tested in tests/unit/test_decode.c. */
#include "session.h"

#include <math.h>
#include <time.h>

static const char *const alibi[] = {"--lang", "en", "similarity", "-e", "alibi", "-s", "n=64", NULL};

static struct vt *demo_start(const char *const *env)
{
    const char *argv[] = {demo, "--test-sync", NULL};
    struct vt *vt = vt_start(12, 100, argv, env);
    assert_true(vt_settle(vt));
    return vt;
}

static void demo_quit(struct vt *vt)
{
    vt_type(vt, "q");
    must_exit(vt, 0);
    vt_stop(vt);
}

/* ---- Esc ---------------------------------------------------------------------------------------------------- */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Nothing follows, so only time can tell: curses would wait a second for each. A busy machine makes any of them late, but none early. */
static void a_lone_escape_acts_at_once(void **state)
{
    (void)state;
    static const char *const far[] = {"SSH_CONNECTION=a b c d", NULL}, *const *const env[] = {NULL, far};
    for (size_t i = 0; i < 2; i++) {
        struct vt *vt = demo_start(env[i]);
        double soonest = INFINITY;
        for (int k = 0; k < 40 && !(soonest < 0.9); k++) {
            double before = now();
            vt_type(vt, "\033");
            assert_true(vt_wait_text(vt, "key 1b"));
            soonest = fmin(soonest, now() - before);
            type(vt, "x");
            must_show(vt, "key 78");
        }
        assert_true(soonest < 0.9);
        demo_quit(vt);
    }
}

/* Whether the Escape was waited with or not: what follows it is the key. */
static void a_sequence_in_pieces_is_its_key(void **state)
{
    (void)state;
    static const char *const far[] = {"SSH_CONNECTION=a b c d", NULL}, *const *const env[] = {NULL, far};
    static const struct { const char *pieces[4], *shows; } cases[] = {
        {{"\033", "[A"}, "key 200001"}, {{"\033", "OA"}, "key 200001"}, {{"\033[", "B"}, "key 200002"}, {{"\033[1", ";2", "C"}, "key 200010"},
        {{"\033[6", "~"}, "key 200006"}, {{"\033", "[<0;3;2M"}, "mouse 1 at 1,2"}, {{"\033[<0;", "4;2M"}, "mouse 1 at 1,3"},
    };
    for (size_t e = 0; e < 2; e++) {
        struct vt *vt = demo_start(env[e]);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            type(vt, "x");
            for (int k = 0; cases[i].pieces[k]; k++)
                assert_true(vt_type_read(vt, cases[i].pieces[k]));
            type(vt, "");
            must_show(vt, cases[i].shows);
        }
        demo_quit(vt);
    }
}

/* In the program: the bracket would choose a parameter. */
static void an_arrow_behind_a_lone_escape_chooses_nothing(void **state)
{
    (void)state;
    struct vt *vt = session_start(24, 100, alibi, NULL);
    type(vt, "?");
    assert_true(vt_type_read(vt, "\033"));
    assert_true(vt_type_read(vt, "[A"));
    type(vt, "");
    press(vt, "Escape");                                /* if both were one key, the help is still open */
    assert_false(vt_contains(vt, "does nothing here"));
    must_show(vt, "▸score");                            /* still the first parameter */
    quit(vt);
}

/* ---- paste ---------------------------------------------------------------------------------------------------- */

static char *repeated(const char *text, size_t bytes)
{
    size_t n = strlen(text);
    char *all = malloc(bytes + n + 1), *to = all;
    while (to < all + bytes) {
        memcpy(to, text, n);
        to += n;
    }
    *to = '\0';
    return all;
}

static void what_is_pasted_is_never_a_key(void **state)
{
    (void)state;
    struct vt *vt = session_start(24, 100, alibi, NULL);
    assert_true(vt_wait_bytes(vt, "\033[?2004h"));
    type(vt, "\033[200~Q\r:n=8\r\002L\t\033[201~");
    must_show(vt, "what is pasted is not taken for keys");
    must_show(vt, "parameters");                        /* still English */
    type(vt, ":");
    type(vt, "\033[200~n=32\r\n:quit\t\001\177\302\233x\033[201~");
    assert_string_equal(vt_row(vt, 23), ":n=32  :quit  x");
    press(vt, "Escape");
    type(vt, "/");
    type(vt, "\033[200~ker\rple\033[201~");
    must_show(vt, "/ ker ple");
    press(vt, "Escape");
    vt_forget(vt);
    vt_type(vt, "Q");
    must_exit(vt, 0);
    size_t n;
    const char *bytes = vt_bytes(vt, &n);
    assert_non_null(memmem(bytes, n, "\033[?2004l", 8));
    vt_stop(vt);
}

/* Each character costs the same, however many there are; a megabyte goes through the decoder in tests/unit/test_decode.c. */
static void a_long_paste_is_cut(void **state)
{
    (void)state;
    char *text = repeated("0123456789 ~位置\r\n\t\001", 40000);
    struct vt *vt = session_start(24, 100, alibi, NULL);
    for (int where = 0; where < 3; where++) {           /* in a view, into a command, into the finder */
        vt_type(vt, where == 0 ? "" : where == 1 ? ":" : "/");
        vt_type(vt, "\033[200~");
        vt_type(vt, text);
        type(vt, "\033[201~");
        if (where == 1)
            must_show(vt, "~位置    0123456789 ~位置    0123");
        if (where)
            press(vt, "Escape");
    }
    must_show(vt, "similarity");
    assert_true(vt_memory(vt) < 400000);
    quit(vt);
    free(text);
}

/* From a terminal that makes no marks: keys, and each line a command. */
static void a_paste_without_marks_is_survived(void **state)
{
    (void)state;
    char *text = repeated("0123456789 abcdefg", 20000);
    struct vt *vt = session_start(24, 100, alibi, NULL);
    vt_type(vt, ":");
    vt_type(vt, text);
    type(vt, "\r");
    must_show(vt, "0123456789");
    quit(vt);
    free(text);
}

/* ---- mouse ------------------------------------------------------------------------------------------------------ */

/* Its entry knows the older form alone. */
static void a_terminal_of_the_older_form_types_no_keys(void **state)
{
    (void)state;
    static const char *const env[] = {"TERM=screen-256color", "COLORTERM", NULL}, *const *const envs[] = {env, NULL};
    for (int i = 0; i < 2; i++) {
        struct vt *vt = demo_start(envs[i]);
        type(vt, "\033[M !!");
        must_show(vt, "mouse 1 at 0,0 button 1");
        type(vt, "\033[M#\"#");
        must_show(vt, "mouse 2 at 2,1");
        type(vt, "\033[Ma\xff!");
        must_show(vt, "mouse 5 at 0,222");
        demo_quit(vt);
    }
}

static void assert_sane(struct vt *vt)
{
    must_show(vt, "similarity");
    assert_false(vt_contains(vt, "does nothing here"));
}

static void storms_of_the_mouse_are_survived(void **state)
{
    (void)state;
    struct vt *vt = session_start(24, 100, alibi, NULL);
    vt_mouse_move(vt, 8, 20);
    for (int i = 0; i < 3000; i++)
        vt_type(vt, i % 1000 < 600 ? "\033[<64;21;9M" : "\033[<65;21;9M");
    assert_true(vt_settle(vt));
    assert_sane(vt);
    vt_type(vt, "\033[<0;21;9M");                       /* pressed, dragged out on each side, and back */
    static const char *const away[] = {"\033[<32;9999;9M", "\033[<32;1;9999M", "\033[<32;21;1M", "\033[<32;99999999;99999999M", "\033[<32;1;1M", "\033[<32;50;12M"};
    for (int i = 0; i < 200; i++)
        vt_type(vt, away[i % 6]);
    type(vt, "\033[<0;9999;9999m");
    assert_sane(vt);
    for (int i = 0; i < 20; i++)
        vt_type(vt, "\033[<0;30;10m\033[<2;30;10m");     /* never pressed */
    vt_type(vt, "\033[<0;30;10M\033[<1;31;10M\033[<2;32;10M");      /* never released */
    press(vt, "Tab");
    vt_mouse_button(vt, 1, false);
    press(vt, "BackTab");
    assert_sane(vt);
    quit(vt);
}

static void every_corner_can_be_clicked(void **state)
{
    (void)state;
    struct vt *vt = session_start(24, 100, alibi, NULL);
    for (int button = 0; button < 3; button++)
        for (int corner = 0; corner < 8; corner++) {
            char report[64];
            int y = corner & 1 ? 24 + (corner >> 2) : 1, x = corner & 2 ? 100 + (corner >> 2) : 1;
            snprintf(report, sizeof report, "\033[<%d;%d;%dM\033[<%d;%d;%dm\033", button, x, y, button, x, y);
            type(vt, report);
        }
    type(vt, ":similarity\r");
    assert_sane(vt);
    quit(vt);
}

int main(int argc, char **argv)
{
    (void)argc;
    session_find(argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lone_escape_acts_at_once),
        cmocka_unit_test(a_sequence_in_pieces_is_its_key),
        cmocka_unit_test(an_arrow_behind_a_lone_escape_chooses_nothing),
        cmocka_unit_test(what_is_pasted_is_never_a_key),
        cmocka_unit_test(a_long_paste_is_cut),
        cmocka_unit_test(a_paste_without_marks_is_survived),
        cmocka_unit_test(a_terminal_of_the_older_form_types_no_keys),
        cmocka_unit_test(storms_of_the_mouse_are_survived),
        cmocka_unit_test(every_corner_can_be_clicked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
