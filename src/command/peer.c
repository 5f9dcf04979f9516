/* peer.c - other programs, timed. */
#include "command/peer.h"

#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { REPEATS = 5 };

static double read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double peer_clock(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double peer_cpu_clock(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double peer_peak(int pid)
{
    char path[40], line[128];
    double kilobytes = NAN;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "VmHWM:", 6))
            kilobytes = strtod(line + 6, NULL);
    if (f)
        fclose(f);
    return kilobytes * 1024;
}

/* ---- programs that print ------------------------------------------------------------------------------- */

extern char **environ;

/* Runs argv to its end; its standard output, cut to size, as a string. False if it cannot be run or ends badly. */
static bool run_program(const char *const *argv, char *out, size_t size)
{
    int pipe_fd[2], status = -1;
    size_t n = 0;
    pid_t pid;
    if (pipe(pipe_fd))
        return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe_fd[1], 1);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclose(&actions, pipe_fd[0]);
    posix_spawn_file_actions_addclose(&actions, pipe_fd[1]);
    bool started = !posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(pipe_fd[1]);
    for (ssize_t got; started && n + 1 < size && (got = read(pipe_fd[0], out + n, size - 1 - n)) > 0;)
        n += (size_t)got;
    out[n] = '\0';
    close(pipe_fd[0]);
    return started && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

const char *peer_python(const char *module)
{
    static const char *const names[] = {"python3", "/usr/bin/python3", "/usr/local/bin/python3"};
    char script[80], out[8];
    snprintf(script, sizeof script, "import %s", module);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (run_program((const char *const[]){names[i], "-c", script, NULL}, out, sizeof out))
            return names[i];
    return NULL;
}

/* ---- numpy and matplotlib -------------------------------------------------------------------------------- */

/* One picture from q and k, as one would write it with care: float32, in place where numpy can. */
static const char attention_script[] =
    "import sys, time, numpy as np\n"
    "n, d, slope, repeats = int(sys.argv[1]), int(sys.argv[2]), np.float32(sys.argv[3]), int(sys.argv[4])\n"
    "rng = np.random.default_rng(1)\n"
    "q = rng.standard_normal((n, d), dtype=np.float32)\n"
    "k = rng.standard_normal((n, d), dtype=np.float32)\n"
    "def picture():\n"
    "    z = q @ k.T\n"
    "    z *= np.float32(d ** -0.5)\n"
    "    i = np.arange(n, dtype=np.float32)\n"
    "    distance = i[:, None] - i\n"
    "    masked = distance < 0\n"
    "    distance *= slope\n"
    "    z -= distance\n"
    "    z[masked] = -np.inf\n"
    "    z -= z.max(axis=1, keepdims=True)\n"
    "    np.exp(z, out=z)\n"
    "    z /= z.sum(axis=1, keepdims=True)\n"
    "    return z.reshape(64, n // 64, 128, n // 128).mean(axis=(1, 3))\n"
    "best = cpu = 1e9\n"
    "for _ in range(repeats):\n"
    "    start, cpu_start = time.perf_counter(), time.process_time()\n"
    "    picture()\n"
    "    best = min(best, time.perf_counter() - start)\n"
    "    cpu = min(cpu, time.process_time() - cpu_start)\n"
    "print(best, cpu)\n";

static const char image_script[] =
    "import io, matplotlib\n"
    "matplotlib.use('Agg')\n"
    "import matplotlib.pyplot as plt, numpy as np\n"
    "p = np.arange(64)\n"
    "plt.imshow(np.sin(p[:, None] / 10000 ** (p / 64)))\n"
    "plt.savefig(io.BytesIO(), format='png')\n";

struct peer_time peer_attention(int n, int d, double slope, int threads)
{
    struct peer_time t = {NAN, NAN};
    char n_text[16], d_text[16], slope_text[32], repeats[16], openblas[40], openmp[40], out[64];
    const char *python = peer_python("numpy");
    snprintf(n_text, sizeof n_text, "%d", n);
    snprintf(d_text, sizeof d_text, "%d", d);
    snprintf(slope_text, sizeof slope_text, "%.9g", slope);
    snprintf(repeats, sizeof repeats, "%d", REPEATS);
    snprintf(openblas, sizeof openblas, "OPENBLAS_NUM_THREADS=%d", threads);
    snprintf(openmp, sizeof openmp, "OMP_NUM_THREADS=%d", threads);
    const char *const argv[] = {"env", openblas, openmp, python, "-c", attention_script, n_text, d_text, slope_text, repeats, NULL};
    if (!python || !run_program(argv, out, sizeof out) || sscanf(out, "%lf %lf", &t.seconds, &t.cpu_seconds) != 2)
        return (struct peer_time){NAN, NAN};
    return t;
}

/* Best time of a script, from start to end of the process. */
static double time_script(const char *module, const char *script)
{
    char out[8];
    const char *python = peer_python(module);
    double best = NAN;
    for (int i = 0; i < REPEATS && python; i++) {
        double start = peer_clock();
        if (!run_program((const char *const[]){python, "-c", script, NULL}, out, sizeof out))
            return NAN;
        best = fmin(best, peer_clock() - start);
    }
    return best;
}

double peer_import(void)
{
    return time_script("numpy", "import numpy");
}

double peer_image(void)
{
    return time_script("matplotlib", image_script);
}
