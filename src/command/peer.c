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

const struct peer_time peer_unmeasured = {NAN, NAN, NAN, NAN};

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct peer_time peer_summary(double *seconds, double *cpu_seconds, size_t n)
{
    if (!n)
        return peer_unmeasured;
    qsort(seconds, n, sizeof *seconds, by_size);
    if (cpu_seconds)
        qsort(cpu_seconds, n, sizeof *cpu_seconds, by_size);
    return (struct peer_time){seconds[n / 2], cpu_seconds ? cpu_seconds[n / 2] : NAN, seconds[0], seconds[n - 1]};
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
    if (!run_program((const char *const[]){"python3", "-c", "", NULL}, out, sizeof out))
        return NULL;                                /* none on the path: none is meant to be used */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (run_program((const char *const[]){names[i], "-c", script, NULL}, out, sizeof out))
            return names[i];
    return NULL;
}

/* ---- numpy and matplotlib -------------------------------------------------------------------------------- */

/* One picture from q and k, as one would write it with care: float32, in place where numpy can. Once to warm up, then timed. */
static const char attention_script[] =
    "import sys, time, ctypes, numpy as np\n"
    "scheme, n, d, slope, repeats = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), np.float32(sys.argv[4]), int(sys.argv[5])\n"
    "rng = np.random.default_rng(1)\n"
    "q = rng.standard_normal((n, d), dtype=np.float32)\n"
    "k = rng.standard_normal((n, d), dtype=np.float32)\n"
    "i = np.arange(n, dtype=np.float32)\n"
    "def turn(x):\n"
    "    a = i[:, None] * np.float32(10000) ** (-np.arange(0, d, 2, dtype=np.float32) / d)\n"
    "    c, s = np.cos(a), np.sin(a)\n"
    "    y = np.empty_like(x)\n"
    "    y[:, 0::2] = x[:, 0::2] * c - x[:, 1::2] * s\n"
    "    y[:, 1::2] = x[:, 0::2] * s + x[:, 1::2] * c\n"
    "    return y\n"
    "def picture():\n"
    "    z = turn(q) @ turn(k).T if scheme == 'rope' else q @ k.T\n"
    "    z *= np.float32(d ** -0.5)\n"
    "    distance = i[:, None] - i\n"
    "    masked = distance < 0\n"
    "    if scheme == 'alibi':\n"
    "        distance *= slope\n"
    "        z -= distance\n"
    "    z[masked] = -np.inf\n"
    "    z -= z.max(axis=1, keepdims=True)\n"
    "    np.exp(z, out=z)\n"
    "    z /= z.sum(axis=1, keepdims=True)\n"
    "    return z.reshape(64, n // 64, 128, n // 128).mean(axis=(1, 3))\n"
    "def kernel():\n"
    "    for path in {line.split()[-1] for line in open('/proc/self/maps') if 'blas' in line}:\n"
    "        for name in ('openblas_get_corename', 'openblas_get_corename64_', 'scipy_openblas_get_corename64_'):\n"
    "            try:\n"
    "                f = ctypes.CDLL(path)[name]\n"
    "            except (OSError, AttributeError):\n"
    "                continue\n"
    "            f.restype = ctypes.c_char_p\n"
    "            return f().decode()\n"
    "    return '?'\n"
    "picture()\n"
    "print(kernel())\n"
    "for _ in range(repeats):\n"
    "    start, cpu_start = time.perf_counter(), time.process_time()\n"
    "    picture()\n"
    "    print(time.perf_counter() - start, time.process_time() - cpu_start)\n";

static const char image_script[] =
    "import io, matplotlib\n"
    "matplotlib.use('Agg')\n"
    "import matplotlib.pyplot as plt, numpy as np\n"
    "p = np.arange(64)\n"
    "plt.imshow(np.sin(p[:, None] / 10000 ** (p / 64)))\n"
    "plt.savefig(io.BytesIO(), format='png')\n";

/* Reads the kernel's name and a line of two numbers for each run. */
static struct peer_time read_runs(char *text, char *kernel, size_t size)
{
    double seconds[PEER_RUNS_MAX], cpu[PEER_RUNS_MAX];
    size_t n = 0;
    char *line = strtok(text, "\n");
    snprintf(kernel, size, "%s", line ? line : "");
    while (n < PEER_RUNS_MAX && (line = strtok(NULL, "\n")) != NULL && sscanf(line, "%lf %lf", &seconds[n], &cpu[n]) == 2)
        n++;
    return peer_summary(seconds, cpu, n);
}

struct peer_time peer_attention(const char *scheme, int n, int d, double slope, int threads, char *kernel, size_t size)
{
    char n_text[16], d_text[16], slope_text[32], repeats[16], openblas[40], openmp[40], out[1024];
    const char *python = peer_python("numpy");
    snprintf(n_text, sizeof n_text, "%d", n);
    snprintf(d_text, sizeof d_text, "%d", d);
    snprintf(slope_text, sizeof slope_text, "%.9g", slope);
    snprintf(repeats, sizeof repeats, "%d", REPEATS);
    snprintf(openblas, sizeof openblas, "OPENBLAS_NUM_THREADS=%d", threads);
    snprintf(openmp, sizeof openmp, "OMP_NUM_THREADS=%d", threads);
    const char *const argv[] = {"/usr/bin/env", openblas, openmp, python, "-c", attention_script, scheme, n_text, d_text, slope_text, repeats,
                                NULL};
    *kernel = '\0';
    return python && run_program(argv, out, sizeof out) ? read_runs(out, kernel, size) : peer_unmeasured;
}

/* Times of a script, from start to end of the process. */
static struct peer_time time_script(const char *module, const char *script)
{
    char out[8];
    double seconds[REPEATS];
    const char *python = peer_python(module);
    for (int i = 0; i < REPEATS && python; i++) {
        double start = peer_clock();
        if (!run_program((const char *const[]){python, "-c", script, NULL}, out, sizeof out))
            return peer_unmeasured;
        seconds[i] = peer_clock() - start;
    }
    return python ? peer_summary(seconds, NULL, REPEATS) : peer_unmeasured;
}

struct peer_time peer_import(void)
{
    return time_script("numpy", "import numpy");
}

struct peer_time peer_image(void)
{
    return time_script("matplotlib", image_script);
}
