/* bench_terminal.c - the program on a terminal, from outside: how soon it answers a key, what a frame costs, and what it does
 * when nothing happens.
 *
 * A pseudo-terminal of Linux takes 11 776 bytes in one call of write, and 15 360 in all, until its reader reads (measured), and
 * the program waits for no terminal: frames up to there are one call, larger ones as many as the reader makes of them. To choose
 * between the two ways of drawing each half block so that a whole row costs least would save 5 % of a heatmap's bytes (measured). */
#include <math.h>
#include <stdlib.h>

#include "command/bench.h"
#include "command/pty.h"

enum { ROWS = 60, COLS = 200, KEYS = 200, FRAMES = 120 };

/* ---- keys ------------------------------------------------------------------------------------------------ */

/* Keys that each change the screen, at pauses that fall together with nothing the program does by its clock. */
static bool time_keys(struct pty *p, double *seconds)
{
    static const char *const key[] = {"\033[C", "\033[D", "\033[B", "\033[A", "]", "["};
    for (int i = 0; i < KEYS; i++) {
        if (!pty_read(p, 0.015 + 0.0007 * (i % 13)))
            return false;
        double start = peer_clock();
        pty_type(p, key[i % 6]);
        if (!pty_wait(p, 10))
            return false;
        seconds[i] = peer_clock() - start;
    }
    return true;
}

static void keys(struct bench *b, const char *name, const char *const *args, bool computing)
{
    struct bench_row *r = bench_add(b, name);
    struct pty p;
    double seconds[KEYS];
    bool good = pty_start(&p, ROWS, COLS, args);
    if (good && computing) {
        good = pty_read(&p, 0.5);
        pty_ping(&p);                           /* which is answered when all is computed */
    } else if (good) {
        good = pty_settle(&p);
    }
    double cpu = pty_cpu_seconds(&p);
    if (good && time_keys(&p, seconds) && (p.answers < p.pings) == computing) {
        r->own.cpu_seconds = computing ? NAN : (pty_cpu_seconds(&p) - cpu) / KEYS;
        r->own.seconds = peer_summary(seconds, NULL, KEYS).seconds;
        r->p99 = seconds[KEYS * 99 / 100 - 1];
    }
    pty_stop(&p);
}

/* ---- frames ---------------------------------------------------------------------------------------------- */

struct count { double seconds, cpu, writes, bytes, frames; };

static struct count count_now(const struct pty *p)
{
    return (struct count){peer_clock(), pty_cpu_seconds(p), pty_writes(p), (double)p->bytes, (double)p->frames};
}

static void fill_row(struct bench_row *r, struct count from, struct count to)
{
    double frames = to.frames - from.frames;
    r->rate = frames / (to.seconds - from.seconds);
    r->unit = "frames/s";
    r->own.cpu_seconds = (to.cpu - from.cpu) / frames;
    r->bytes = (to.bytes - from.bytes) / frames;
    r->writes = (to.writes - from.writes) / frames;
}

/* As it plays by itself, for three seconds. */
static void animation(struct bench *b)
{
    static const char *const args[] = {"posviz", "rotation", "-e", "rope", "--test-sync", NULL};
    struct bench_row *r = bench_add(b, "rope playing");
    struct pty p;
    if (pty_start(&p, ROWS, COLS, args) && pty_settle(&p)) {
        pty_type(&p, " ");
        pty_read(&p, 0.5);
        struct count from = count_now(&p);
        if (pty_read(&p, 3)) {
            struct count to = count_now(&p);
            fill_row(r, from, to);
        }
    }
    pty_stop(&p);
}

/* Another width of the vectors as soon as one is drawn. */
static void heatmap(struct bench *b)
{
    static const char *const args[] = {"posviz", "table", "-e", "sinusoidal", "-s", "n=100000", "--test-sync", NULL};
    struct bench_row *r = bench_add(b, "heatmap, all cells");
    struct pty p;
    if (pty_start(&p, ROWS, COLS, args) && pty_settle(&p)) {
        struct count from = count_now(&p);
        bool good = true;
        for (int i = 0; good && i < FRAMES; i++) {
            pty_type(&p, ">");
            good = pty_settle(&p);
        }
        if (good)
            fill_row(r, from, count_now(&p));
    }
    pty_stop(&p);
}

/* ---- nothing --------------------------------------------------------------------------------------------- */

static void nothing(struct bench *b)
{
    static const char *const args[] = {"posviz", "similarity", "-e", "rope", "--test-sync", NULL};
    struct bench_row *r = bench_add(b, "idle");
    struct pty p;
    if (pty_start(&p, ROWS, COLS, args) && pty_settle(&p) && pty_read(&p, 0.5)) {
        double from = pty_wakeups(&p), cpu = pty_cpu_seconds(&p);
        pty_read(&p, 1);
        r->rate = pty_wakeups(&p) - from;
        r->own.cpu_seconds = pty_cpu_seconds(&p) - cpu;
        r->unit = "wake-ups/s";
    }
    pty_stop(&p);
}

static void run(struct bench *b)
{
    static const char *const idle[] = {"posviz", "similarity", "-e", "rope", "--test-sync", NULL};
    static const char *const busy[] = {"posviz", "attention", "-e", "alibi", "-s", "n=400000", "-s", "content=seeded", "--test-sync", NULL};
    keys(b, "key, idle", idle, false);
    keys(b, "key, while computing", busy, true);
    animation(b);
    heatmap(b);
    nothing(b);
}

const struct bench_family bench_terminal = {.name = "terminal", .run = run};
