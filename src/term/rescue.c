#include "term/rescue.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "term/term.h"

struct rescue rescue = {.signals = -1};

/* Putting back. Only what POSIX allows in a signal handler. */

enum { WAIT_MS = 300 };

static bool takes_bytes(void)
{
    struct pollfd writable = {.fd = rescue.out, .events = POLLOUT};
    return poll(&writable, 1, WAIT_MS) > 0;
}

/* Sends all of it if the terminal takes it within the time; a terminal that does not read is not waited for. */
static void send_now(const char *bytes, size_t n)
{
    while (n > 0 && takes_bytes()) {
        ssize_t sent = write(rescue.out, bytes, n);
        if (sent <= 0)
            return;
        bytes += sent;
        n -= (size_t)sent;
    }
}

/* Libraries complain on standard error, and some print, where the screen is. While it is ours, what they say goes to a file without a name; it
 * follows when the terminal has been put back. What is no terminal stays as it is. */

static FILE *said;
static struct { int fd, saved; } mouths[] = {{STDERR_FILENO, -1}, {STDOUT_FILENO, -1}};
enum { N_MOUTHS = sizeof mouths / sizeof *mouths };

/* Without a place for temporary files it is lost. */
static FILE *open_said(void)
{
    FILE *file = tmpfile();
    if (!file)
        file = fopen("/dev/null", "r+");
    if (file)
        fcntl(fileno(file), F_SETFD, FD_CLOEXEC);
    return file;
}

void rescue_hush(void)
{
    bool first = !said;
    if (first)
        said = open_said();
    for (int i = 0; said && i < N_MOUTHS; i++) {
        if (first && isatty(mouths[i].fd))
            mouths[i].saved = fcntl(mouths[i].fd, F_DUPFD_CLOEXEC, 3);
        if (mouths[i].saved >= 0)
            dup2(fileno(said), mouths[i].fd);
    }
}

static void tell(void)
{
    char bytes[4096];
    for (int i = 0; i < N_MOUTHS; i++)
        if (mouths[i].saved >= 0)
            dup2(mouths[i].saved, mouths[i].fd);
    if (!said)
        return;
    ssize_t n = pread(fileno(said), bytes, sizeof bytes, 0);
    if (n > 0)
        send_now(bytes, (size_t)n);
    if (ftruncate(fileno(said), 0) == 0)
        lseek(fileno(said), 0, SEEK_SET);
}

static void forget_said(void)
{
    if (said)
        fclose(said);
    said = NULL;
    for (int i = 0; i < N_MOUTHS; i++) {
        if (mouths[i].saved >= 0)
            close(mouths[i].saved);
        mouths[i].saved = -1;
    }
}

/* In the background the terminal is the shell's: its modes are not ours, and who changes them is stopped. */
static bool in_background(void)
{
    pid_t front = tcgetpgrp(rescue.in);
    return front > 0 && front != getpgrp();
}

void term_restore(void)
{
    if (!rescue.taken)
        return;
    int error = errno;
    rescue.taken = 0;
    bool ours = !in_background();
    if (ours && !takes_bytes())
        tcflush(rescue.out, TCOFLUSH);          /* stopped or not reading: what waits is lost, the end is not */
    if (rescue.cut)
        send_now("\030", 1);                    /* CAN ends a sequence that was cut in its middle */
    rescue.cut = 0;
    send_now(rescue.bytes, strlen(rescue.bytes));
    if (ours) {
        tcflush(rescue.in, TCIFLUSH);           /* mouse reports on their way are not for the shell */
        tcsetattr(rescue.in, TCSANOW, &rescue.original);
    }
    tell();
    errno = error;
}

/* Signals. */

static int signal_writer = -1;
static const int noted[] = {SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH, SIGCONT};      /* the first end the program */
static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGQUIT, SIGSYS};
enum { N_ENDING = 3, N_NOTED = sizeof noted / sizeof *noted, N_CRASHES = sizeof crashes / sizeof *crashes };
static struct sigaction old_action[NSIG];

/* Out of a wait in the background, which no flag could end without a gap between looking at it and waiting. */
static sigjmp_buf way_out;
static volatile sig_atomic_t waits;

static void note_signal(int sig)
{
    int error = errno;
    unsigned char byte = (unsigned char)sig;
    bool ends = false;
    for (int i = 0; i < N_ENDING; i++)
        ends = ends || sig == noted[i];
    rescue.ended = rescue.ended || ends;
    ssize_t ignored = write(signal_writer, &byte, 1);
    (void)ignored;
    errno = error;
    if (ends && waits)
        siglongjmp(way_out, 1);
}

static void crash(int sig)
{
    term_restore();
    sigaction(sig, &old_action[sig], NULL);
    raise(sig);
}

static void handle(int sig, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(sig, &action, NULL);
}

/* What whoever started the program wants ignored (nohup) stays so, but the size of the terminal and being continued concern it always. */
static void note(int sig)
{
    if (old_action[sig].sa_handler != SIG_IGN || sig == SIGWINCH || sig == SIGCONT)
        handle(sig, note_signal, SA_RESTART);
}

bool rescue_open(int in)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    }
    rescue = (struct rescue){.in = in, .out = -1, .signals = ends[0]};
    signal_writer = ends[1];
    tcgetattr(in, &rescue.original);
    for (int i = 0; i < N_NOTED; i++)
        sigaction(noted[i], NULL, &old_action[noted[i]]);
    for (int i = 0; i < N_CRASHES; i++)
        sigaction(crashes[i], NULL, &old_action[crashes[i]]);
    return true;
}

void rescue_signals(void)
{
    static char crash_stack[65536];             /* the ordinary one may be what overflowed */
    sigaltstack(&(stack_t){.ss_sp = crash_stack, .ss_size = sizeof crash_stack}, NULL);
    for (int i = 0; i < N_NOTED; i++)
        note(noted[i]);
    for (int i = 0; i < N_CRASHES; i++)
        handle(crashes[i], crash, SA_ONSTACK | SA_NODEFER);
}

void rescue_close(void)
{
    term_restore();
    for (int i = 0; i < N_NOTED; i++)
        sigaction(noted[i], &old_action[noted[i]], NULL);
    for (int i = 0; i < N_CRASHES; i++)
        sigaction(crashes[i], &old_action[crashes[i]], NULL);
    if (!in_background())
        tcsetattr(rescue.in, TCSANOW, &rescue.original);
    forget_said();
    close(rescue.signals);
    close(signal_writer);
    rescue.signals = signal_writer = -1;
}

bool rescue_modes(const struct termios *modes)
{
    volatile bool good = false;
    if (sigsetjmp(way_out, 1) == 0) {
        waits = 1;
        good = !rescue.ended && tcsetattr(rescue.in, TCSANOW, modes) == 0;
    }
    waits = 0;
    return good;
}

/* An orphaned process group is not stopped and goes on at once. */
void rescue_stop(void)
{
    term_restore();
    handle(SIGTSTP, SIG_DFL, 0);
    handle(SIGCONT, SIG_DFL, 0);
    raise(SIGTSTP);
    note(SIGTSTP);
    note(SIGCONT);
}
