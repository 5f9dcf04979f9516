#include "scenario/tour.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/message.h"
#include "base/utf8.h"

enum { TOUR_MAX_BYTES = 1 << 20 };

/* ---- reading ------------------------------------------------------------------------------------- */

static bool known_keys(const struct json *object, const char *path, const char *const *keys, struct err *err)
{
    if (json_type(object) != JSON_OBJECT)
        return err_set(err, N_("%s: must be an object"), path);
    for (const struct json *m = json_first(object); m; m = json_next(m)) {
        size_t i = 0;
        while (keys[i] && strcmp(keys[i], json_key(m)))
            i++;
        if (!keys[i])
            return err_set(err, N_("%s.%s: unknown key"), path, json_key(m));
    }
    return true;
}

/* A text in both languages. needed: absent is an error. */
static bool read_text(const struct json *object, const char *path, const char *key, bool needed, const char *out[LANG_COUNT], struct err *err)
{
    const struct json *v = json_get(object, key);
    if (!v && !needed)
        return true;
    for (int l = 0; l < LANG_COUNT; l++) {
        out[l] = json_string(json_get(v, lang_name((enum lang)l)));
        if (!out[l] || !*out[l])
            return err_set(err, N_("%s.%s.%s: a text is missing"), path, key, lang_name((enum lang)l));
    }
    return true;
}

static bool read_answer(struct tour_answer *a, const struct json *v, const char *path, struct err *err)
{
    static const char *const keys[] = {"text", "why", "right", "set", NULL};
    a->right = json_bool(json_get(v, "right"), false);
    a->set = json_get(v, "set");
    return known_keys(v, path, keys, err) && read_text(v, path, "text", true, a->text, err) && read_text(v, path, "why", !a->right, a->why, err);
}

static bool read_quiz(struct tour_step *s, const struct json *v, const char *path, struct err *err)
{
    static const char *const keys[] = {"answers", NULL};
    int right = 0;
    if (!v)
        return true;
    if (!known_keys(v, path, keys, err))
        return false;
    const struct json *answers = json_get(v, "answers");
    if (json_size(answers) < 2 || json_size(answers) > TOUR_MAX_ANSWERS)
        return err_set(err, N_("%s.answers: must be a list of 2 to %d answers"), path, TOUR_MAX_ANSWERS);
    for (const struct json *a = json_first(answers); a; a = json_next(a)) {
        char where[96];
        snprintf(where, sizeof where, "%s.answers[%zu]", path, s->n_answers);
        if (!read_answer(&s->answer[s->n_answers], a, where, err))
            return false;
        right += s->answer[s->n_answers++].right;
    }
    return right == 1 || err_set(err, N_("%s: %d answers are right, must be one"), path, right);
}

static bool read_step(struct tour_step *s, const struct json *v, size_t i, struct err *err)
{
    static const char *const keys[] = {"title", "text", "notes", "set", "panel", "quiz", NULL};
    char path[64], quiz[80];
    snprintf(path, sizeof path, "steps[%zu]", i);
    snprintf(quiz, sizeof quiz, "%s.quiz", path);
    s->set = json_get(v, "set");
    s->panel = (int)fmin(fmax(json_number(json_get(v, "panel"), 0), 0), 63);
    return known_keys(v, path, keys, err) && read_text(v, path, "title", true, s->title, err) && read_text(v, path, "text", true, s->text, err) &&
           read_text(v, path, "notes", false, s->notes, err) && read_quiz(s, json_get(v, "quiz"), quiz, err);
}

static bool read_tour(struct tour *t, struct err *err)
{
    static const char *const keys[] = {"id", "title", "minutes", "start", "steps", "about", NULL};
    const char *id = json_string(json_get(t->root, "id"));
    const struct json *steps = json_get(t->root, "steps");
    if (!known_keys(t->root, "lesson", keys, err))
        return false;
    if (!id || !*id)
        return err_set(err, N_("id: a name is missing"));
    utf8_sanitise(t->id, sizeof t->id, id);
    if (!read_text(t->root, "lesson", "title", true, t->title, err))
        return false;
    t->minutes = json_number(json_get(t->root, "minutes"), 10);
    t->start = json_get(t->root, "start");
    if (json_size(steps) < 1 || json_size(steps) > TOUR_MAX_STEPS)
        return err_set(err, N_("steps: must be a list of 1 to %d steps"), TOUR_MAX_STEPS);
    t->step = xcalloc(json_size(steps), sizeof *t->step);
    for (const struct json *s = json_first(steps); s; s = json_next(s), t->n_steps++)
        if (!read_step(&t->step[t->n_steps], s, t->n_steps, err))
            return false;
    return true;
}

/* ---- scenarios of steps -------------------------------------------------------------------------- */

static bool edit(struct scenario *s, const struct json *set, struct err *err)
{
    return !set || scenario_from_json(s, set, err);
}

static void take_display(struct scenario *s, const struct scenario *like)
{
    s->lang = like->lang;
    s->map = like->map;
    s->theme = like->theme;
    s->large = like->large;
}

bool tour_scenario(const struct tour *t, size_t step, int answer, const struct scenario *like, struct scenario *out, struct err *err)
{
    struct scenario s;
    scenario_init(&s);
    take_display(&s, like);
    bool good = edit(&s, t->start, err) || err_prefix(err, N_("lesson %s, start"), t->id);
    for (size_t i = 0; good && i <= step && i < t->n_steps; i++)
        good = edit(&s, t->step[i].set, err) || err_prefix(err, N_("lesson %s, steps[%zu].set"), t->id, i);
    if (good && step < t->n_steps && answer >= 0 && (size_t)answer < t->step[step].n_answers)
        good = edit(&s, t->step[step].answer[answer].set, err) || err_prefix(err, N_("lesson %s, steps[%zu].quiz.answers[%d].set"), t->id, step, answer);
    take_display(&s, like);
    if (good)
        memcpy(out, &s, sizeof s);
    else
        scenario_done(&s);
    return good;
}

bool tour_check(const struct tour *t, struct err *err)
{
    struct scenario like, s;
    scenario_init(&like);
    like.lang = err ? err->lang : LANG_EN;
    bool good = true;
    for (size_t i = 0; good && i < t->n_steps; i++) {
        for (int a = -1; good && a < (int)t->step[i].n_answers; a++) {
            good = tour_scenario(t, i, a, &like, &s, err);
            if (good)
                scenario_done(&s);
        }
    }
    scenario_done(&like);
    return good;
}

/* ---- loading ------------------------------------------------------------------------------------- */

/* Is name all of digits, and the number that id begins with: "5" and "05" of "05-rotation"? */
static bool numbers(const char *id, const char *name)
{
    size_t digits = strspn(name, "0123456789");
    return digits && digits < 4 && !name[digits] && atoi(id) == atoi(name);
}

/* Is name the id of a lesson, with its number, without, or the number: "02-waves", "waves", "2"? */
static bool names(const char *id, const char *name)
{
    size_t number = strspn(id, "0123456789");
    return !strcmp(id, name) || (number && id[number] == '-' && (!strcmp(id + number + 1, name) || numbers(id, name)));
}

const char *tour_of(const struct preset *p)
{
    static const char folder[] = "tours/";
    return strncmp(p->id, folder, sizeof folder - 1) ? NULL : p->id + sizeof folder - 1;
}

const struct preset *tour_find(const char *name)
{
    for (const struct preset *p = presets; p->id; p++)
        if (tour_of(p) && names(tour_of(p), name))
            return p;
    return NULL;
}

static struct json *load_text(const char *name, struct err *err)
{
    const struct preset *p = tour_find(name);
    if (p)
        return json_parse(p->text, p->size, err);
    if (strchr(name, '/') || strchr(name, '.'))
        return json_load_named(name, TOUR_MAX_BYTES, err);
    err_set(err, N_("there is no lesson '%s'; `posviz list tours` names them"), name);
    return NULL;
}

struct tour *tour_load(const char *name, struct err *err)
{
    struct json *root = load_text(name, err);
    if (!root)
        return NULL;
    struct tour *t = xcalloc(1, sizeof *t);
    t->root = root;
    if (read_tour(t, err))
        return t;
    if (strchr(name, '/') || strchr(name, '.'))
        err_prefix(err, N_("%s"), name);
    tour_free(t);
    return NULL;
}

void tour_free(struct tour *t)
{
    if (!t)
        return;
    json_free(t->root);
    free(t->step);
    free(t);
}

/* ---- in a lesson --------------------------------------------------------------------------------- */

bool tour_enter(struct scenario *s, const char *name, int step, int answer, struct err *err)
{
    struct tour *t = tour_load(name, err);
    struct scenario next;
    if (!t)
        return false;
    int last = (int)t->n_steps - 1;
    step = step < 0 ? 0 : step > last ? last : step;
    bool good = tour_scenario(t, (size_t)step, answer, s, &next, err);
    if (good) {
        snprintf(next.lesson.id, sizeof next.lesson.id, "%.63s", name);
        next.lesson.step = step;
        next.lesson.answer = answer;
        scenario_done(s);
        memcpy(s, &next, sizeof next);
    }
    tour_free(t);
    return good;
}

static void write_quiz(const struct tour_step *step, const struct scenario *s, char *out, size_t size)
{
    enum lang l = s->lang;
    int given = s->lesson.answer;
    for (size_t i = 0; i < step->n_answers; i++)
        message_append(out, size, "%s%zu  %s\n", given == (int)i ? "# " : "", i + 1, step->answer[i].text[l]);
    if (given < 0 || (size_t)given >= step->n_answers)
        return;
    const struct tour_answer *a = &step->answer[given];
    message_append(out, size, "\n# %s\n", lang_text(l, a->right ? N_("Right.") : N_("Not quite.")));
    if (a->why[l])
        message_append(out, size, "%s\n", a->why[l]);
}

const struct tour_step *tour_step_of(const struct tour *t, const struct scenario *s)
{
    size_t i = (size_t)s->lesson.step;
    return &t->step[i < t->n_steps ? i : t->n_steps - 1];
}

/* Lessons are files of anybody: no control character reaches a screen or another terminal. */
static void sanitise_lines(char *text)
{
    for (char *line = text; line; ) {
        char *end = strchr(line, '\n'), *copy;
        if (end)
            *end = '\0';
        copy = xstrdup(line);
        utf8_sanitise(line, strlen(copy) + 1, copy);
        size_t n = strlen(line), gap = strlen(copy) - n;
        free(copy);
        if (!end)
            return;
        memmove(line + n + 1, end + 1, strlen(end + 1) + 1);
        line[n] = '\n';
        line = end - gap + 1;
    }
}

void tour_write(const struct tour *t, const struct scenario *s, char *out, size_t size)
{
    enum lang l = s->lang;
    const struct tour_step *step = tour_step_of(t, s);
    message_append(out, size, "# %d/%zu  %s\n\n%s\n\n", (int)(step - t->step) + 1, t->n_steps, step->title[l], step->text[l]);
    write_quiz(step, s, out, size);
    sanitise_lines(out);
}

void tour_notes(const struct tour *t, const struct scenario *s, char *out, size_t size)
{
    enum lang l = s->lang;
    const struct tour_step *step = tour_step_of(t, s), *next = step + 1 < t->step + t->n_steps ? step + 1 : NULL;
    message_append(out, size, "%s  %d/%zu\n%s\n", t->title[l], (int)(step - t->step) + 1, t->n_steps, step->title[l]);
    if (step->notes[l])
        message_append(out, size, "\n%s\n", step->notes[l]);
    for (size_t i = 0; i < step->n_answers; i++)
        if (step->answer[i].right)
            message_append(out, size, lang_text(l, N_("\nThe right answer is %zu.\n")), i + 1);
    if (next)
        message_append(out, size, lang_text(l, N_("\nNext: %s\n")), next->title[l]);
    sanitise_lines(out);
}
