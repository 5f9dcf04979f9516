/* How soon a computation can end, and what memory it takes at any length. If this fails, a key waits for a picture that nobody wants any
 * more, or a long text fills the memory. Times are those of the processor, and twice what is promised is allowed: other work on the
 * machine makes it slower. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/view.h"
#include "command/bench.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
static bool measures = false;         /* sanitizers and builds for coverage take time and memory of their own */
#else
static bool measures = true;
#endif
static const double wait_most = 2 * 0.05, mebibyte = 1048576;

static void set(struct scenario *s, const char *key, const char *value)
{
    struct err err = {0};
    if (!scenario_set(s, key, value, &err))
        fail_msg("%s = %s: %s", key, value, err.text);
}

static void set_length(struct scenario *s, double n)
{
    char text[32];
    snprintf(text, sizeof text, "%.0f", n);
    set(s, "n", text);
}

/* Attention over n tokens of an encoding, heads of width 64. */
static void attention_of(struct scenario *s, const char *id, double n)
{
    scenario_init(s);
    assert_true(scenario_set_view(s, "attention", NULL) && scenario_set_encoding(s, id, NULL));
    set(s, "num_heads", "8");
    set(s, "head_dim", "64");
    set(s, "d_model", "512");
    set(s, "content", "seeded");
    set_length(s, n);
}

/* The longest time without asking; of several runs the shortest, for what else the machine does makes it longer and never shorter. */
static void asks_soon(const struct scenario *s, const char *what, double n, bool may_end)
{
    enum { RUNS = 10 };
    double longest = INFINITY;
    for (int i = 0; i < RUNS && !(longest < wait_most); i += measures ? 1 : RUNS) {
        struct bench_figure f = bench_figure(s, 0.2);
        assert_true(f.end == BENCH_STOPPED || (may_end && f.end == BENCH_DONE));
        assert_true(f.longest > 0);
        longest = fmin(longest, f.longest);
    }
    if (measures && !(longest < wait_most))
        fail_msg("%s, %.0f tokens: %.0f ms without asking", what, n, longest * 1e3);
}

static void attention_of_any_encoding_ends_soon(void **state)
{
    (void)state;
    for (size_t i = 0; encodings[i]; i++) {
        struct scenario s;
        attention_of(&s, encodings[i]->id, 131072);
        asks_soon(&s, encodings[i]->id, 131072, false);
        scenario_done(&s);
    }
}

/* Peak of memory of a figure beyond what is there already. */
static double bytes_of(const struct scenario *s, double most)
{
    bench_forget_peak();
    double before = bench_peak();
    struct bench_figure f = bench_figure(s, most);
    assert_true(f.end != BENCH_REFUSED);
    return bench_peak() - before;
}

/* Ten times the tokens, ten times the keys: n x n would be a hundred times. */
static void attention_takes_memory_by_the_token(void **state)
{
    (void)state;
    for (size_t i = 0; encodings[i] && measures; i++) {
        struct scenario s;
        attention_of(&s, encodings[i]->id, 12000);
        double few = bytes_of(&s, 0.1);
        set_length(&s, 120000);
        double many = bytes_of(&s, 0.1);
        if (!(many <= 10 * few + 32 * mebibyte))
            fail_msg("%s: %.0f MiB for 12 000 tokens, %.0f for 120 000", encodings[i]->id, few / mebibyte, many / mebibyte);
        scenario_done(&s);
    }
}

/* Any other picture takes the same memory at any length, and every one asks in time. */
static void every_view_at_every_length(void **state)
{
    (void)state;
    for (int v = 0; v < VIEW_COUNT; v++) {
        struct scenario s;
        scenario_init(&s);
        if (views[v]->preset)
            assert_true(scenario_load_preset(&s, views[v]->preset, NULL));
        assert_true(scenario_set_view(&s, views[v]->id, NULL));
        for (double n = 1e3, before = NAN; n <= 1e7; n *= 100) {
            set_length(&s, n);
            asks_soon(&s, views[v]->id, n, true);
            double bytes = bytes_of(&s, 0.2);
            if (measures && bytes > before + 4 * mebibyte)
                fail_msg("%s: %.1f MiB, and %.1f for %.0f tokens", views[v]->id, before / mebibyte, bytes / mebibyte, n);
            before = bytes;
        }
        scenario_done(&s);
    }
}

int main(void)
{
    measures = measures && !getenv("UNMEASURED");        /* nor under valgrind */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attention_of_any_encoding_ends_soon),
        cmocka_unit_test(attention_takes_memory_by_the_token),
        cmocka_unit_test(every_view_at_every_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
