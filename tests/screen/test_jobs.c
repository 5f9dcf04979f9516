/* Job control: Ctrl-Z with anything open, `bg`, `fg`, `kill`, nohup, and a terminal that goes away. If this fails: the program paints over the
 * shell, cannot be stopped, continued or killed, shows a picture of the old size, or runs on and burns a processor after its terminal has gone. */
#include "session.h"

#include <signal.h>
#include <unistd.h>

static const char *const plain[] = {"--lang", "en", "similarity", "-e", "alibi", "-s", "n=64", NULL};
static char state_home[] = "/tmp/posviz-jobs-XXXXXX";

/* posviz in a shell; keeps: where it keeps its last screen. */
static struct vt *begin(const char *const *words, const char *shows)
{
    struct vt *vt = shell_start(24, 100);
    char line[9000];
    int n = snprintf(line, sizeof line, "XDG_STATE_HOME=%s %s --test-sync", state_home, posviz);
    for (; *words; words++)
        n += snprintf(line + n, sizeof line - (size_t)n, " %s", *words);
    vt_type(vt, line);
    vt_type(vt, "\r");
    assert_true(vt_wait_bytes(vt, "\033[?1049h"));
    assert_true(vt_wait_text(vt, shows));
    return vt;
}

static void type_line(struct vt *vt, const char *line, const char *shows)
{
    vt_type(vt, line);
    vt_type(vt, "\r");
    if (!vt_wait_text(vt, shows))
        must_show(vt, shows);
}

/* Types what brings the shell back, and waits for its prompt: for the newest, and not for one that still stands on its screen. */
static void to_shell(struct vt *vt, const char *keys, const char *first)
{
    vt_forget(vt);
    vt_type(vt, keys);
    assert_true(vt_wait_bytes(vt, first));
    assert_true(vt_wait_bytes(vt, "ready>"));
    assert_restored(vt);
    vt_forget(vt);
}

/* The shell itself ends, and with it nothing is left. */
static void leave_shell(struct vt *vt)
{
    vt_type(vt, "exit\r");
    int status;
    assert_true(vt_wait_exit(vt, &status));
    vt_stop(vt);
}

static bool sent(const struct vt *vt, const char *bytes)
{
    size_t n;
    const char *all = vt_bytes(vt, &n);
    return n && memmem(all, n, bytes, strlen(bytes)) != NULL;
}

/* ---- Ctrl-Z ----------------------------------------------------------------------------------------------------- */

/* With each thing open the program is stopped, the window made another, and all is there again in its new size. */
static void stopped_with_anything_open(void **state)
{
    (void)state;
    static const struct { const char *keys, *shows; } cases[] = {
        {"", "▏similarity▕"}, {":n=12", ":n=12"}, {"/kerple", "/ kerple"}, {"?", "Each cell compares"}, {":tour\r", "learn the keys in two minutes"}, {"1", "Why position at all"},
        {":wizard\r", "▏wizard▕"},
        {"\"", "keep this screen as"}, {"s", "A − B"},
    };
    struct vt *vt = begin(plain, "▏similarity▕");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        type(vt, cases[i].keys);
        must_show(vt, cases[i].shows);
        to_shell(vt, "\032", "Stopped");
        vt_resize(vt, 24 + (int)i % 3, 100 + (int)i % 2 * 20);
        vt_type(vt, "fg\r");
        assert_true(vt_wait_bytes(vt, "\033[?1049h"));
        assert_true(vt_settle(vt));
        must_show(vt, cases[i].shows);
        assert_true(vt_alternate(vt));
        assert_int_equal(vt_mouse_mode(vt), 3);
        vt_forget(vt);
        press(vt, "Escape");
    }
    to_shell(vt, "Q", "\033[?1049l");
    leave_shell(vt);
}

/* A figure that takes many minutes. The line of keys is back when the command has been read: what is unread is thrown away by a stop. */
static char *begin_export(struct vt *vt)
{
    char line[128], *path = line + strlen(":export ");
    snprintf(line, sizeof line, ":export %s/never.csv", state_home);
    vt_type(vt, line);
    assert_true(vt_wait_text(vt, line));
    vt_type(vt, "\r");
    assert_true(vt_wait_text(vt, "? help"));
    return strdup(path);
}

static void stopped_while_computing(void **state)
{
    (void)state;
    for (int export = 0; export < 2; export++) {
        struct vt *vt = begin(session_heavy, "Esc stops");
        char *path = export ? begin_export(vt) : NULL;
        to_shell(vt, "\032", "Stopped");
        vt_resize(vt, 30, 110);
        vt_type(vt, "fg\r");
        assert_true(vt_wait_text(vt, "Esc stops"));
        vt_type(vt, "\033");
        assert_true(vt_wait_text(vt, "stopped"));
        assert_true(vt_settle(vt));
        assert_true(!path || access(path, F_OK) != 0);
        free(path);
        to_shell(vt, "Q", "\033[?1049l");
        leave_shell(vt);
    }
}

/* ---- in the background -------------------------------------------------------------------------------------------- */

/* posviz, the only child of the shell. */
static void stop_child(const struct vt *vt)
{
    char path[64];
    int child = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", vt_pid(vt), vt_pid(vt));
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, "%d", &child) != 1)
        fail_msg("%s names no child", path);
    fclose(f);
    kill(child, SIGSTOP);
}

/* The terminal is the shell's: nothing is painted there, and the shell is told that the program waits. */
static void in_the_background_nothing_is_painted(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {         /* Ctrl-Z, or a stop that cannot be noticed */
        struct vt *vt = begin(plain, "▏similarity▕");
        assert_true(vt_settle(vt));
        if (way == 0) {
            to_shell(vt, "\032", "Stopped");
        } else {
            vt_forget(vt);
            stop_child(vt);
            assert_true(vt_wait_bytes(vt, "Stopped"));
            assert_true(vt_wait_bytes(vt, "ready>"));
            vt_forget(vt);
        }
        type_line(vt, "bg; echo by''now", "bynow");
        type_line(vt, "wait %1; jobs; echo all''jobs", "alljobs");      /* wait: until it has stopped again */
        assert_false(sent(vt, "\033[?1049h"));
        assert_false(sent(vt, "\033[?1003h"));
        assert_false(sent(vt, "\033[?2026h"));
        vt_type(vt, "fg\r");
        assert_true(vt_wait_bytes(vt, "\033[?1049h"));
        assert_true(vt_settle(vt));
        must_show(vt, "▏similarity▕");
        to_shell(vt, "Q", "\033[?1049l");
        leave_shell(vt);
    }
}

/* Ended while stopped or in the background: it ends, keeps its work, and leaves the shell's line alone. */
static void killed_where_it_cannot_be_seen(void **state)
{
    (void)state;
    /* wait: bash continues what it kills only if it knows that it is stopped */
    static const char *const ways[] = {
        "kill %1", "kill -HUP %1",
#ifndef __SANITIZE_THREAD__                     /* which runs no handler in tcsetattr, where such a program is stopped */
        "bg; wait %1; kill %1",
#endif
    };
    char path[64];
    snprintf(path, sizeof path, "%s/posviz/last.json", state_home);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char line[64];
        unlink(path);
        struct vt *vt = begin(plain, "▏similarity▕");
        assert_true(vt_settle(vt));
        to_shell(vt, "\032", "Stopped");
        snprintf(line, sizeof line, "%s; wait -f %%1; echo all''over", ways[i]);
        type_line(vt, line, "allover");
        assert_false(sent(vt, "\033[?1049"));
        assert_int_equal(access(path, F_OK), 0);
        type_line(vt, "echo still''here", "stillhere");
        leave_shell(vt);
    }
}

/* ---- the terminal goes ----------------------------------------------------------------------------------------------- */

static void what_is_ignored_stays_ignored(void **state)
{
    (void)state;
    char line[4200];
    snprintf(line, sizeof line, "trap '' HUP INT TSTP; exec \"$0\" --test-sync --lang en similarity -e alibi -s n=64");
    const char *argv[] = {"/bin/sh", "-c", line, posviz, NULL};
    struct vt *vt = vt_start(24, 100, argv, NULL);
    assert_true(vt_settle(vt));
    static const int sigs[] = {SIGHUP, SIGINT, SIGTSTP};
    for (int i = 0; i < 3; i++)
        vt_signal(vt, sigs[i]);
    type(vt, ":n=32\r");
    must_show(vt, "n 32");
    vt_hang_up(vt);                             /* as under nohup: no signal tells, and yet it ends */
    int status;
    assert_true(vt_wait_exit(vt, &status));
    assert_true(WIFEXITED(status));
    vt_stop(vt);
}

/* The line is cut while much is going on. */
static void hung_up_while_busy(void **state)
{
    (void)state;
    static const char *const rotation[] = {"--lang", "en", "rotation", NULL};
    for (int way = 0; way < 4; way++) {
        struct vt *vt = session_open(60, 200, way & 1 ? session_heavy : rotation, NULL);
        assert_true(vt_wait_text(vt, way & 1 ? "Esc stops" : "rotation"));
        char *path = way & 1 ? begin_export(vt) : NULL;
        if (!path)
            vt_type(vt, " ");
        if (way & 2)
            vt_signal(vt, SIGHUP);
        else
            vt_hang_up(vt);
        int status;
        assert_true(vt_wait_exit(vt, &status));
        assert_true(WIFEXITED(status) || WTERMSIG(status) == SIGHUP);
        vt_stop(vt);
        assert_true(!path || access(path, F_OK) != 0);
        free(path);
    }
}

/* Nobody reads, much is on its way, and each signal that asks it to end is obeyed. */
static void it_ends_though_nobody_reads(void **state)
{
    (void)state;
    static const int sigs[] = {SIGHUP, SIGTERM, SIGINT};
    for (int i = 0; i < 3; i++) {
        struct vt *vt = session_start(60, 200, (const char *const[]){"--lang", "en", "table", "-e", "sinusoidal", "-s", "n=4096", NULL}, NULL);
        for (int k = 0; k < 20; k++)
            vt_type(vt, "++00:copy command\r");
        vt_signal(vt, sigs[i]);
        assert_int_equal(waitid(P_PID, (id_t)vt_pid(vt), &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
        must_exit(vt, 0);
        vt_stop(vt);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(state_home) ? 0 : -1;
}

static int drop_folder(void **state)
{
    (void)state;
    char line[64];
    snprintf(line, sizeof line, "rm -r %s", state_home);
    return system(line);
}

int main(int argc, char **argv)
{
    (void)argc;
    session_find(argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_with_anything_open),
        cmocka_unit_test(stopped_while_computing),
        cmocka_unit_test(in_the_background_nothing_is_painted),
        cmocka_unit_test(killed_where_it_cannot_be_seen),
        cmocka_unit_test(what_is_ignored_stays_ignored),
        cmocka_unit_test(hung_up_while_busy),
        cmocka_unit_test(it_ends_though_nobody_reads),
    };
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
