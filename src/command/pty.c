#include "command/pty.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command/peer.h"

enum { SECONDS_MAX = 60, CHUNK = 65536 };

/* ---- starting and ending ---------------------------------------------------------------------------------- */

static int open_terminal(int rows, int cols, char *slave, size_t size)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    struct winsize window = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
    if (master < 0)
        return -1;
    if (grantpt(master) || unlockpt(master) || ioctl(master, TIOCSWINSZ, &window) || !ptsname(master) ||
        snprintf(slave, size, "%s", ptsname(master)) >= (int)size) {
        close(master);
        return -1;
    }
    return master;
}

static pid_t start_on(const char *slave, const char *const *args)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    setsid();
    int fd = open(slave, O_RDWR);
    for (int i = 0; i < 3; i++)
        dup2(fd, i);
    setenv("TERM", "xterm-256color", 1);
    setenv("COLORTERM", "truecolor", 1);
    unsetenv("TMUX");
    unsetenv("STY");
    unsetenv("NO_COLOR");
    unsetenv("SSH_CONNECTION");
    execv("/proc/self/exe", (char *const *)args);
    _exit(127);
}

bool pty_start(struct pty *p, int rows, int cols, const char *const *args)
{
    char slave[64];
    *p = (struct pty){.master = open_terminal(rows, cols, slave, sizeof slave), .pid = -1};
    p->pid = p->master < 0 ? -1 : start_on(slave, args);
    return p->pid > 0;
}

void pty_stop(struct pty *p)
{
    int status;
    if (p->master >= 0)
        close(p->master);
    if (p->pid > 0)
        waitpid(p->pid, &status, 0);
}

/* ---- talking ---------------------------------------------------------------------------------------------- */

static long count(const char *bytes, size_t n, const char *what)
{
    long found = 0;
    size_t size = strlen(what);
    for (const char *at = bytes; (at = memmem(at, n - (size_t)(at - bytes), what, size)); at += size)
        found++;
    return found;
}

/* Counts what a mark begins or ends, and answers for the cursor as every terminal does. A mark cut in two is found with the tail. */
static void look_at(struct pty *p, const char *bytes, size_t n, size_t old)
{
    static const char frame[] = "\033[?2026h", answer[] = "\033]7777;", where[] = "\033[6n";
    p->bytes += (long)(n - old);
    p->frames += count(bytes, n, frame) - count(bytes, old, frame);
    p->answers += count(bytes, n, answer) - count(bytes, old, answer);
    if (count(bytes, n, where) > count(bytes, old, where))
        pty_type(p, "\033[2;5R");
}

void pty_type(struct pty *p, const char *bytes)
{
    for (size_t n = strlen(bytes); n > 0;) {
        ssize_t sent = write(p->master, bytes, n);
        if (sent <= 0)
            return;
        bytes += sent;
        n -= (size_t)sent;
    }
}

bool pty_wait(struct pty *p, double seconds)
{
    struct pollfd in = {.fd = p->master, .events = POLLIN};
    struct timespec time = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    char bytes[sizeof p->tail + CHUNK];
    if (ppoll(&in, 1, &time, NULL) != 1)
        return true;
    memcpy(bytes, p->tail, (size_t)p->n_tail);
    ssize_t got = read(p->master, bytes + p->n_tail, CHUNK);
    if (got <= 0)
        return false;
    size_t n = (size_t)(p->n_tail + got);
    look_at(p, bytes, n, (size_t)p->n_tail);
    p->n_tail = n < sizeof p->tail ? (int)n : (int)sizeof p->tail;
    memcpy(p->tail, bytes + n - (size_t)p->n_tail, (size_t)p->n_tail);
    return true;
}

bool pty_read(struct pty *p, double seconds)
{
    double end = peer_clock() + seconds;
    for (double left = seconds; left > 0; left = end - peer_clock())
        if (!pty_wait(p, left))
            return false;
    return true;
}

void pty_ping(struct pty *p)
{
    p->pings++;
    pty_type(p, "\033[7777~");
}

bool pty_settle(struct pty *p)
{
    double end = peer_clock() + SECONDS_MAX;
    if (p->bytes == 0 && !pty_wait(p, SECONDS_MAX))         /* it must have taken the terminal */
        return false;
    pty_ping(p);
    while (p->answers < p->pings && peer_clock() < end)
        if (!pty_wait(p, SECONDS_MAX))
            return false;
    return p->answers == p->pings;
}

/* ---- what the kernel counts -------------------------------------------------------------------------------- */

double pty_cpu_seconds(const struct pty *p)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(p->pid, &clock) || clock_gettime(clock, &t))
        return NAN;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The number behind a name in a file of /proc; NAN if it is not there. */
static double number_in(const char *path, const char *name)
{
    char line[128];
    double number = NAN;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, name, strlen(name)))
            number = strtod(line + strlen(name), NULL);
    if (f)
        fclose(f);
    return number;
}

/* Of all that the program has written, what did not come here are its worker's wake-up calls, one byte each. */
double pty_writes(const struct pty *p)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/io", (int)p->pid);
    return number_in(path, "syscw:") - (number_in(path, "wchar:") - (double)p->bytes);
}

double pty_wakeups(const struct pty *p)
{
    char folder[40], path[320];
    double n = 0;
    snprintf(folder, sizeof folder, "/proc/%d/task", (int)p->pid);
    DIR *tasks = opendir(folder);
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        if (task->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s/status", folder, task->d_name);
        n += number_in(path, "voluntary_ctxt_switches:") + number_in(path, "nonvoluntary_ctxt_switches:");
    }
    if (tasks)
        closedir(tasks);
    return tasks ? n : NAN;
}
