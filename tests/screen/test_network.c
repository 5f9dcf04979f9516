/* test_network.c - the program never touches the network. It runs here under a filter of the kernel (seccomp) that ends a process at the first system
 * call of a network: socket, connect and what follows them. If this fails, the README's promise is broken, and a run inside a closed network hangs. */
#include <signal.h>

#include "../support/files.h"
#include "session.h"

static char self[4096];

#ifdef __linux__
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

static const unsigned forbidden[] = {
#ifdef SYS_socketcall
    SYS_socketcall,
#endif
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept4, SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_recvfrom, SYS_recvmsg,
};
enum { N_FORBIDDEN = sizeof forbidden / sizeof *forbidden };

/* Holds for this process, its threads and its children, whatever they execute. */
static bool forbid_network(void)
{
    struct sock_filter code[2 * N_FORBIDDEN + 2] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    size_t n = 1;
    for (size_t i = 0; i < N_FORBIDDEN; i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, forbidden[i], 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = (unsigned short)n, .filter = code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* How a child ends that calls f under the filter. */
static int status_of(void (*f)(const char *const *), const char *const *argv)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_RDWR);
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
        if (!forbid_network())
            _exit(99);
        f(argv);
        _exit(98);
    }
    waitpid(child, &status, 0);
    return status;
}

static void open_socket(const char *const *argv)
{
    (void)argv;
    socket(AF_INET, SOCK_STREAM, 0);
}

static void execute(const char *const *argv)
{
    execv(posviz, (char *const *)argv);
}

static bool filtered;           /* the kernel does as asked */

static void the_filter_ends_who_opens_a_socket(void **state)
{
    (void)state;
    int status = status_of(open_socket, NULL);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 99) {
        fprintf(stderr, "# the kernel takes no filter here\n");
        skip();
    }
    filtered = true;
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
}

static void every_verb_runs_without(void **state)
{
    (void)state;
    static const char *const runs[][8] = {
        {"model", "tests/cases/configs/gpt2.json"},
        {"model", "Some/Model-nowhere"},
        {"diff", "tests/cases/configs/gpt2.json", "tests/cases/configs/llama-3.1-8b.json"},
        {"models"},
        {"compute"},
        {"render", "similarity", "-o", "a.png"},
        {"render", "attention", "--lang", "zh", "-o", "a.svg"},
        {"render", "attention", "--lang", "en", "-o", "a.pdf"},
        {"render", "--from", "a.png", "-o", "b.svg"},
        {"wizard", "--json"},
        {"tour", "waves", "--cast", "a.cast"},
        {"explain"},
        {"schema", "model"},
        {"generate", "man"},
        {"list", "presets"},
        {"--version"},
        {"bias"},
    };
    char here[4096];
    if (!filtered)
        skip();
    assert_non_null(getcwd(here, sizeof here));
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const char *argv[10] = {posviz};
        char whole[2][4200];
        for (size_t k = 0, files = 0; k < 8 && runs[i][k]; k++) {
            argv[k + 1] = runs[i][k];
            if (!strncmp(runs[i][k], "tests/", 6)) {
                snprintf(whole[files], sizeof whole[0], "%s/%s", here, runs[i][k]);
                argv[k + 1] = whole[files++];
            }
        }
        assert_int_equal(chdir(scratch), 0);
        int status = status_of(execute, argv);
        assert_int_equal(chdir(here), 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) > 2)
            fail_msg("posviz %s ended with %x", runs[i][0], (unsigned)status);
    }
}

/* On a terminal the filter is set by this very program, which then becomes posviz. */
static void so_does_the_screen(void **state)
{
    (void)state;
    const char *const argv[] = {self, "--run", posviz, "--test-sync", "--test-clock", "--lang", "en", "-e", "alibi", "bias", NULL};
    char config[300], kept[300], keys[400];
    if (!filtered)
        skip();
    snprintf(config, sizeof config, "XDG_CONFIG_HOME=%s/config", scratch);
    snprintf(kept, sizeof kept, "XDG_STATE_HOME=%s/state", scratch);
    const char *const env[] = {config, kept, NULL};
    struct vt *vt = vt_start(24, 100, argv, env);
    assert_true(vt_settle(vt));
    snprintf(keys, sizeof keys, "\t:export %s/a.csv\r:model Some/Model-nowhere\r:copy citation\r", scratch);
    type(vt, keys);
    quit(vt);
}

static int tests(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(the_filter_ends_who_opens_a_socket),
        cmocka_unit_test(every_verb_runs_without),
        cmocka_unit_test(so_does_the_screen),
    };
    return cmocka_run_group_tests(all, scratch_open, scratch_close);
}
#else
static bool forbid_network(void)
{
    return false;
}

static int tests(void)
{
    printf("ok 1 - the network: this system has no seccomp # SKIP\n");
    return 0;
}
#endif

int main(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "--run")) {
        if (forbid_network())
            execv(argv[2], argv + 2);
        return 99;
    }
    session_find(argv[0]);
    if (!realpath(argv[0], self))
        return 1;
    return tests();
}
