/* Lessons: any bytes as a lesson file. What loads is checked, which makes every step; the first steps and the last are written. */
#include "../support/fuzz.h"
#include "scenario/tour.h"

static void write_step(const struct tour *t, size_t step)
{
    struct err err = {.lang = LANG_ZH};
    struct scenario like, s;
    char text[1024];
    scenario_init(&like);
    for (int answer = -1; answer < (int)t->step[step].n_answers; answer++)
        if (tour_scenario(t, step, answer, &like, &s, &err)) {
            tour_write(t, &s, text, sizeof text);
            scenario_done(&s);
        }
    scenario_done(&like);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { FIRST_STEPS = 2 };
    struct err err = {.lang = LANG_EN};
    struct tour *t = tour_load(fuzz_file(data, size), &err);
    if (t) {
        tour_check(t, &err);
        for (size_t i = 0; i < t->n_steps; i++)
            if (i < FIRST_STEPS || i + 1 == t->n_steps)         /* a step is made by all those before it */
                write_step(t, i);
        tour_free(t);
    }
    return 0;
}
