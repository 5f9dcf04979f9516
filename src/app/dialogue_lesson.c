/* dialogue_lesson.c - a step of a lesson as text: its title, what it says, and its question with numbered answers. */
#include "app/dialogue.h"

#include <stdlib.h>
#include <string.h>

#include "app/keys.h"
#include "base/mem.h"
#include "scenario/tour.h"

static void say_text(const struct dialogue *d, const char *text)
{
    char *copy = xstrdup(text);
    for (char *line, *rest = copy; (line = strsep(&rest, "\n"));)
        dialogue_say(d, "%s", line);
    free(copy);
}

static void say_quiz(const struct dialogue *d, const struct tour_step *step)
{
    enum lang l = d->app->s.lang;
    int given = d->app->s.lesson.answer;
    for (size_t i = 0; i < step->n_answers; i++)
        dialogue_say(d, "%zu %s", i + 1, step->answer[i].text[l]);
    if (given < 0 || (size_t)given >= step->n_answers)
        return;
    const struct tour_answer *a = &step->answer[given];
    dialogue_say(d, N_("Your answer: %d. %s %s"), given + 1, dialogue_text(d, a->right ? N_("Right.") : N_("Not quite.")), a->why[l] ? a->why[l] : "");
}

/* What can be typed, and what the keys are that texts of the screen name. */
static void say_words(const struct dialogue *d, const struct tour *t)
{
    dialogue_say(d, N_("Lesson: %s. Words: next, back, repeat, leave; a number answers a question."), t->title[d->app->s.lang]);
    if (!d->talk)
        return;
    dialogue_say(d, N_("A key that the text names is typed as a line here, by itself or by its name: >, u, Space, Tab, PageDown."));
    dialogue_say(d, N_("Words do what the screen asks for: set NAME VALUE for [ ] < > and Enter; read PLACE for the cursor; find TEXT for the slash; "
                       "export FILE for x; any word of : as it is."));
}

void dialogue_lesson_page(struct dialogue *d)
{
    const struct scenario *s = &d->app->s;
    struct tour *t = tour_load(s->lesson.id, NULL);
    if (!t)
        return;
    const struct tour_step *step = tour_step_of(t, s);
    size_t number = (size_t)(step - t->step) + 1;
    if (number == 1 && s->lesson.answer < 0 && d->kind != PAGE_CHANGED)
        say_words(d, t);
    dialogue_say(d, N_("Step %zu of %zu: %s."), number, t->n_steps, step->title[s->lang]);
    say_text(d, step->text[s->lang]);
    say_quiz(d, step);
    tour_free(t);
}

/* An answer by its number. */
static void answer(struct dialogue *d, int number, bool *page)
{
    if (!lesson_answer(d->app, number - 1))
        dialogue_say(d, N_("This step asks no question; next goes on."));
    *page = d->app->s.lesson.answer == number - 1;
}

/* The number of the view whose title ends in the letter; NULL: none. */
static const struct param *param_of_letter(const struct dialogue *d, char letter)
{
    const struct param *params;
    size_t n;
    view_params(d->app->s.view, &params, &n);
    for (size_t i = 0; i < n; i++) {
        const char *title = params[i].title ? params[i].title : "", *last = strrchr(title, ' ');
        if (last && last[1] == letter && !last[2] && (params[i].type == PARAM_INT || params[i].type == PARAM_REAL))
            return &params[i];
    }
    return NULL;
}

void dialogue_lesson_symbol(const struct dialogue *d, char *line, size_t size)
{
    const char *set = dialogue_rest(line, "set"), *key = set ? set : line;
    bool alone = *key && (key[1] == '=' || (set && (key[1] == ' ' || !key[1])));
    const struct param *p = alone ? param_of_letter(d, *key) : NULL;
    if (!p)
        return;
    dialogue_say(d, N_("%c: %s, the parameter %s of the view."), *key, dialogue_text(d, p->title), p->name);
    char *named = xasprintf("set %s%s", p->name, key + 1);
    snprintf(line, size, "%s", named);
    free(named);
}

bool dialogue_lesson_line(struct dialogue *d, const char *line, bool *page)
{
    struct app *app = d->app;
    int number = dialogue_number(line);
    uint32_t key = keys_named(line);
    if (!number && lesson_claims(app, key))
        line = keys_framework(key)->name;
    app->message[0] = '\0';
    *page = true;
    if (!strcmp(line, "next"))
        lesson_step(app, 1);
    else if (!strcmp(line, "back") || !strcmp(line, "previous"))
        lesson_step(app, -1);
    else if (!strcmp(line, "leave"))
        lesson_leave(app);
    else if (!strcmp(line, "step-again"))
        lesson_step(app, 0);
    else if (number && number < 10 && !lesson_claims(app, (uint32_t)('0' + number)) && keys_view(views[app->s.view], (uint32_t)('0' + number)))
        return false;                   /* the view's own, as on the screen */
    else if (number)
        answer(d, number, page);
    else
        return false;
    if (*app->message)
        dialogue_say(d, "%s", app->message);
    return true;
}
