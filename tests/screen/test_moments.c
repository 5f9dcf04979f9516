/* Signals at every moment: the program is stepped from system call to system call, and at each of them one run gets its signal. If this
 * fails, a kill, a closed window or Ctrl-Z at the wrong moment leaves a shell without echo, without cursor or on the wrong screen. The
 * test starts itself again as the one who counts the steps (ptrace). */
#include <signal.h>
#include <sys/ptrace.h>

#include "../support/files.h"
#include "session.h"

enum { CRASHED = 90, NOT_ALLOWED = 98, ENDED_BEFORE = 99 };
static const char stopped[] = "\033]7778\a";    /* what the stepper writes when the program has stopped */

static char self[4096];

/* ---- the stepper ------------------------------------------------------------------------------------------- */

/* In a process group of its own in front of the terminal, as a shell starts it; alone it could not be stopped. */
static void become(char **argv)
{
    setpgid(0, 0);
    signal(SIGTTOU, SIG_IGN);
    tcsetpgrp(STDIN_FILENO, getpid());
    signal(SIGTTOU, SIG_DFL);
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(NOT_ALLOWED);
    raise(SIGSTOP);
    execv(argv[0], argv);
    _exit(127);
}

/* Passes on what the program gets by itself. */
static int signal_of(int status)
{
    int sig = WSTOPSIG(status);
    return sig == SIGTRAP || sig == SIGSTOP ? 0 : sig;
}

static int verdict(int status)
{
    return WIFSIGNALED(status) && WTERMSIG(status) != SIGTERM && WTERMSIG(status) != SIGHUP && WTERMSIG(status) != SIGINT ? CRASHED
           : WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

/* To the given system call, a signal there, then on its own; stopped, it goes on when SIGUSR1 says so. */
static int step(int calls, int sig, char **argv)
{
    int status;
    sigset_t go_on;
    sigemptyset(&go_on);
    sigaddset(&go_on, SIGUSR1);
    pid_t traced = fork();
    if (traced == 0)
        become(argv);
    sigprocmask(SIG_BLOCK, &go_on, NULL);       /* no handler: the thread sanitizer runs it only when waitpid is over */
    waitpid(traced, &status, 0);
    for (int i = 0; i < calls; i++) {
        if (WIFEXITED(status) || WIFSIGNALED(status))
            return WIFEXITED(status) && WEXITSTATUS(status) == NOT_ALLOWED ? NOT_ALLOWED : ENDED_BEFORE;
        ptrace(PTRACE_SYSCALL, traced, NULL, (void *)(intptr_t)signal_of(status));
        waitpid(traced, &status, 0);
    }
    if (WIFEXITED(status) || WIFSIGNALED(status))
        return ENDED_BEFORE;
    kill(traced, sig);
    ptrace(PTRACE_DETACH, traced, NULL, NULL);
    while (waitpid(traced, &status, WUNTRACED) == traced && WIFSTOPPED(status)) {
        if (write(STDOUT_FILENO, stopped, sizeof stopped - 1) < 0)
            return CRASHED;
        sigwait(&go_on, &sig);
        kill(traced, SIGCONT);
    }
    return verdict(status);
}

/* ---- the tests ----------------------------------------------------------------------------------------------- */

/* The program up to its end, with a signal at this system call. */
static struct vt *start(int calls, int sig, const char *const *words)
{
    char at[16], number[16];
    snprintf(at, sizeof at, "%d", calls);
    snprintf(number, sizeof number, "%d", sig);
    const char *argv[20] = {self, "--step", at, number, posviz};
    const char *env[] = {"ASAN_OPTIONS=detect_leaks=0", NULL};          /* which cannot be traced */
    for (int i = 0; words[i]; i++)
        argv[5 + i] = words[i];
    return vt_start(24, 80, argv, env);
}

/* False when the program had ended before. */
static bool reached(struct vt *vt, int calls)
{
    int status;
    assert_true(vt_wait_exit(vt, &status));
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == NOT_ALLOWED)
        skip();
    if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != ENDED_BEFORE)
        fail_msg("system call %d: status %d", calls, WEXITSTATUS(status));
    return WEXITSTATUS(status) != ENDED_BEFORE;
}

static void assert_given_back(const struct vt *vt, int calls, const char *when)
{
    const char *what = not_restored(vt, true);
    if (what)
        fail_msg("system call %d, %s: not given back: %s", calls, when, what);
}

static bool survives(int calls, int sig)
{
    const char *words[] = {"--lang", "en", "table", NULL};
    struct vt *vt = start(calls, sig, words);
    vt_type(vt, "Q");                           /* what ends it is there from the start */
    if (sig == SIGTSTP && vt_wait_bytes(vt, stopped)) {
        assert_given_back(vt, calls, "stopped");
        vt_signal(vt, SIGUSR1);
        vt_type(vt, "Q");                       /* the first may have gone with what was typed before the stop */
    }
    bool more = reached(vt, calls);
    assert_given_back(vt, calls, "ended");
    vt_stop(vt);
    return more;
}

static void at_every_moment(int sig, int stride)
{
    int calls = 3;
    while (survives(calls, sig))
        calls += stride;
    assert_true(calls > 100);
}

static void killed_at_any_moment(void **state)
{
    (void)state;
    at_every_moment(SIGTERM, 4);
}

static void hung_up_at_any_moment(void **state)
{
    (void)state;
    at_every_moment(SIGHUP, 11);
}

static void interrupted_at_any_moment(void **state)
{
    (void)state;
    at_every_moment(SIGINT, 11);
}

static void stopped_at_any_moment(void **state)
{
    (void)state;
    at_every_moment(SIGTSTP, 7);
}

/* ---- files --------------------------------------------------------------------------------------------------- */

/* The old figure or the whole new one, and nothing beside it. */
static void a_figure_is_whole_or_not_there(void **state)
{
    (void)state;
    char path[600], *whole = NULL;
    snprintf(path, sizeof path, "%s", scratch_path("a.csv"));
    const char *words[] = {"render", "similarity", "-s", "n=16", "--size", "40x12", "-o", path, "--force", NULL};
    bool more = true;
    int old = 0, done = 0;
    for (int calls = 1000000; more; calls = calls == 1000000 ? 3 : calls + 4) {       /* the first run makes the whole one */
        scratch_text("a.csv", "old");
        struct vt *vt = start(calls, SIGTERM, words);
        more = reached(vt, calls) || calls == 1000000;
        vt_stop(vt);
        if (!whole)
            whole = scratch_read("a.csv");
        char *now = scratch_read("a.csv");
        assert_true(now && whole);
        bool is_old = !strcmp(now, "old"), is_new = !strcmp(now, whole);
        if (!is_old && !is_new)
            fail_msg("system call %d: %zu bytes of %zu", calls, strlen(now), strlen(whole));
        free(now);
        if (scratch_count() != 1)
            fail_msg("system call %d: something is left beside the figure", calls);
        old += is_old;
        done += is_new;
    }
    assert_true(strlen(whole) > 100 && old > 20 && done > 1);
    free(whole);
}

int main(int argc, char **argv)
{
    if (argc > 4 && !strcmp(argv[1], "--step"))
        return step(atoi(argv[2]), atoi(argv[3]), argv + 4);
    snprintf(self, sizeof self, "%s", argv[0]);
    session_find(self);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_at_any_moment),
        cmocka_unit_test(hung_up_at_any_moment),
        cmocka_unit_test(interrupted_at_any_moment),
        cmocka_unit_test(stopped_at_any_moment),
        cmocka_unit_test(a_figure_is_whole_or_not_there),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
