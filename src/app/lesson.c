/* lesson.c - going through a lesson: PageDown and PageUp, answers to a quiz, back to the step after trying things, out of it. */
#include <string.h>

#include "app/state.h"
#include "scenario/tour.h"

/* The scenario of a step in the present one's place; one looks and colours stay as the user has them. */
static void go(struct app *app, int step, int answer)
{
    struct err err = {.lang = app->s.lang};
    char id[sizeof app->s.lesson.id];
    memcpy(id, app->s.lesson.id, sizeof id);
    app_play(app, false);
    if (!tour_enter(&app->s, id, step, answer, &err))
        app_fail(app, &err);
    app->only_panel = -1;
}

void lesson_step(struct app *app, int by)
{
    int before = app->s.lesson.step;
    if (before + by < 0) {
        app_say(app, ROLE_WARNING, N_("this is the first step of the lesson"));
        return;
    }
    go(app, before + by, -1);
    if (by > 0 && app->s.lesson.step == before)
        app_say(app, ROLE_TEXT, N_("this is the last step of the lesson; q leaves it"));
}

/* How many answers the step offers; 0: it asks nothing. */
static size_t count_answers(const struct app *app)
{
    struct tour *t = tour_load(app->s.lesson.id, NULL);
    size_t answers = t ? tour_step_of(t, &app->s)->n_answers : 0;
    tour_free(t);
    return answers;
}

bool lesson_claims(const struct app *app, uint32_t key)
{
    if (!app_in_lesson(app))
        return false;
    return key == KEY_CODE_PAGE_DOWN || key == KEY_CODE_PAGE_UP || key == KEY_CODE_BACKSPACE ||
           (key >= '1' && key <= '9' && count_answers(app));
}

bool lesson_answer(struct app *app, int answer)
{
    size_t answers = count_answers(app);
    if (!answers)
        return false;
    if ((size_t)answer < answers)
        go(app, app->s.lesson.step, answer);
    else
        app_say(app, ROLE_WARNING, N_("there is no answer %d; there are %zu"), answer + 1, answers);
    return true;
}

void lesson_leave(struct app *app)
{
    memset(&app->s.lesson, 0, sizeof app->s.lesson);
    app->s.lesson.answer = -1;
}
