/* tour.c - the lessons to choose from. A lesson itself is a text beside other views: the scenario then stands in the lesson (its `lesson`
 * place), and the framework puts the text beside whatever view the step shows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "scenario/tour.h"

enum { LAST_NUMBER = 10 };
static const struct action actions[] = {
    {1, '1', 0, "lesson-1", N_("start the lesson with this number"), true}, {2, '2', 0, "lesson-2", N_("start lesson 2"), false},
    {3, '3', 0, "lesson-3", N_("start lesson 3"), false},                   {4, '4', 0, "lesson-4", N_("start lesson 4"), false},
    {5, '5', 0, "lesson-5", N_("start lesson 5"), false},                   {6, '6', 0, "lesson-6", N_("start lesson 6"), false},
    {7, '7', 0, "lesson-7", N_("start lesson 7"), false},                   {8, '8', 0, "lesson-8", N_("start lesson 8"), false},
    {9, '9', 0, "lesson-9", N_("start lesson 9"), false},                   {10, '0', 0, "lesson-10", N_("start lesson 10"), false},
    {0, 'K', 0, "lesson-keys", N_("learn the keys in two minutes"), true},
};

/* By the number in its name: 0 is that of the keys. */
static const char *lesson_id(int number)
{
    for (const struct preset *p = presets; p->id; p++)
        if (tour_of(p) && atoi(tour_of(p)) == number)
            return tour_of(p);
    return NULL;
}

static bool input(struct scenario *s, int action)
{
    const char *id = action >= 0 && action <= LAST_NUMBER ? lesson_id(action) : NULL;
    return id && tour_enter(s, id, 0, -1, NULL);
}

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    (void)err;
    figure_add(f, PANEL_TABLE, lang_text(s->lang, N_("lessons: press a number, K for the keys")));
    return true;
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    struct panel *p = &f->panel[0];
    panel_table(p, LAST_NUMBER + 2, 4);
    const char *const heads[] = {"", N_("lesson"), N_("steps"), N_("minutes")};
    for (size_t c = 0; c < 4; c++)
        panel_cell(p, 0, c, ROLE_DIM, c > 1, "%s", lang_text(s->lang, heads[c]));
    for (int number = 0; number <= LAST_NUMBER; number++) {
        struct tour *t = tour_load(lesson_id(number), err);
        size_t i = (size_t)number;
        if (!t)
            return false;
        panel_cell(p, i + 1, 0, ROLE_ACCENT, true, "%c", number ? '0' + number % 10 : 'K');
        panel_cell(p, i + 1, 1, ROLE_TEXT, false, "%s", t->title[s->lang]);
        panel_cell(p, i + 1, 2, ROLE_TEXT, true, "%zu", t->n_steps);
        panel_cell(p, i + 1, 3, ROLE_TEXT, true, "%.0f", t->minutes);
        tour_free(t);
    }
    return job_tick(job, 1);
}

const struct view view_tour = {
    .id = "tour",
    .title = N_("lessons"),
    .help = N_("Lessons of about ten minutes: a text beside a live picture, one idea a step. PageDown and PageUp, or a presenter's remote, go on and back. Every "
               "key works in a lesson as it does outside, so you can try things; PageDown comes back to the lesson."),
    .actions = actions, .n_actions = sizeof actions / sizeof *actions,
    .input = input,
    .plan = plan,
    .compute = compute,
};
