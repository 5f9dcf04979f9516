/* tour.c - `posviz tour`: a lesson on the screen, or as text; the presenter's notes and a recording of it; the check of a lesson file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/config.h"
#include "app/lecture.h"
#include "app/state.h"
#include "base/file.h"
#include "base/mem.h"
#include "command/command.h"
#include "figure/wrap.h"
#include "scenario/tour.h"

extern const struct command command_tour;

enum { TOUR_STEP = SCREEN_COUNT, TOUR_PLAY, TOUR_LOOP, TOUR_CHECK, TOUR_CAST, TOUR_NOTES, TOUR_FORCE };
static const struct command_option options[] = {
    OPTIONS_ROWS,
    SCREEN_ROWS,
    [TOUR_STEP] = {"--step", "N", N_("begin at this step, from 1")},
    [TOUR_PLAY] = {"--play", "SECONDS", N_("go on by itself after so many seconds a step, and end")},
    [TOUR_LOOP] = {"--loop", NULL, N_("with --play: begin again after the last step")},
    [TOUR_CHECK] = {"--check", "FILE", N_("is this lesson file complete and right? 1 if not")},
    [TOUR_CAST] = {"--cast", "FILE", N_("record what is shown as asciicast v2; without a terminal the whole lesson")},
    [TOUR_NOTES] = {"--notes", "PATH", N_("write the presenter's notes of each step there: a file, a pipe, a second terminal")},
    [TOUR_FORCE] = {"--force", NULL, N_("replace an existing recording")},
};

struct request {
    struct start start;
    struct lecture lecture;
    const char *check, *step;
};

static bool take_seconds(struct request *r, const char *text, struct err *err)
{
    char *end;
    r->lecture.seconds = strtod(text, &end);
    return (*text && !*end && r->lecture.seconds > 0 && r->lecture.seconds <= 3600) ||
           err_set(err, N_("--play = %s: must be seconds, more than 0 and at most 3600"), text);
}

static bool take_name(struct request *r, const char *name, struct err *err)
{
    if (r->start.options.lesson)
        return err_set(err, N_("'%s': one lesson at a time, '%s' is already chosen"), name, r->start.options.lesson);
    r->start.options.lesson = name;
    return true;
}

static bool take(struct request *r, int option, const char *argument, struct err *err)
{
    switch (option) {
    case COMMAND_OPERAND: return !argument || take_name(r, argument, err);
    case TOUR_STEP:       r->step = argument; return true;
    case TOUR_PLAY:       return take_seconds(r, argument, err);
    case TOUR_LOOP:       return r->lecture.loop = true;
    case TOUR_CHECK:      r->check = argument; return true;
    case TOUR_CAST:       r->lecture.cast_path = argument; return true;
    case TOUR_NOTES:      r->lecture.notes = argument; return true;
    case TOUR_FORCE:      return r->lecture.force = true;
    }
    return start_take(&r->start, option, argument, err);
}

static int fail(const struct err *err)
{
    return command_fail(&command_tour, err->text);
}

/* ---- what needs no screen ---------------------------------------------------------------------------------- */

/* 2: cannot be read at all; 1: read, and wrong. */
static int check(const char *path, struct err *err)
{
    enum { MAX_BYTES = 1 << 20 };
    size_t size;
    char *text = file_read(path, MAX_BYTES, &size, err);
    if (!text)
        return fail(err);
    free(text);
    struct tour *t = tour_load(path, err);
    bool good = t && tour_check(t, err);
    if (!good)
        fail(err);
    else
        printf(lang_text(err->lang, N_("%s: lesson %s, %zu steps, in order\n")), path, t->id, t->n_steps);
    tour_free(t);
    return good ? command_print(&command_tour, "", STATUS_DONE, err->lang) : STATUS_NO;
}

static int list(struct err *err)
{
    for (const struct preset *p = presets; p->id; p++) {
        if (!tour_of(p))
            continue;
        struct tour *t = tour_load(tour_of(p), err);
        if (!t)
            return fail(err);
        printf(lang_text(err->lang, N_("%-12s %2zu steps  %s\n")), tour_of(p), t->n_steps, t->title[err->lang]);
        tour_free(t);
    }
    return command_print(&command_tour, "", STATUS_DONE, err->lang);
}

/* The step's text in lines as long as the picture is wide, but never longer than one reads well. */
static void print_text(const struct tour *t, const struct scenario *s, int cols)
{
    enum { WIDEST = 72, TEXT_MAX = 4096 };
    char text[TEXT_MAX] = "";
    size_t n;
    tour_write(t, s, text, sizeof text);
    struct text_line *line = wrap_text(text, cols < WIDEST ? cols : WIDEST, &n);
    for (size_t i = 0; i < n; i++)
        printf("%*s%.*s\n", line[i].indent, "", (int)line[i].size, line[i].text);
    free(line);
}

static bool print_step(const struct options *o, const struct tour *t, struct err *err)
{
    struct scenario s;
    scenario_init(&s);
    bool good = options_scenario(o, &s, err);
    if (good) {
        print_text(t, &s, o->cols ? o->cols : 80);
        memset(&s.lesson, 0, sizeof s.lesson);          /* the picture alone */
        char *picture = app_report(o, &s, err);
        good = picture != NULL;
        if (good)
            printf("%s", picture);
        free(picture);
    }
    scenario_done(&s);
    return good;
}

/* One step, or with --play those that follow too. */
static int print_lesson(const struct request *r, const struct tour *t, struct err *err)
{
    struct options o = r->start.options;
    bool good = print_step(&o, t, err);
    while (good && !isnan(r->lecture.seconds) && ++o.step < (int)t->n_steps) {
        printf("\n");
        good = print_step(&o, t, err);
    }
    return good ? command_print(&command_tour, "", STATUS_DONE, err->lang) : fail(err);
}

/* ---- the screen, real or in memory ----------------------------------------------------------------------------- */

static bool record(struct request *r, struct err *err)
{
    struct options *o = &r->start.options;
    enum color_depth depth = o->depth < 0 ? DEPTH_TRUECOLOR : (enum color_depth)o->depth;
    const struct theme *theme = o->theme ? o->theme : themes[0];
    struct app *app = xcalloc(1, sizeof *app);
    struct scenario s;
    scenario_init(&s);
    bool good = options_scenario(o, &s, err);
    if (!good)
        scenario_done(&s);
    good = good && app_open(app, term_open_headless(o->rows ? o->rows : 24, o->cols ? o->cols : 80, depth, o->ascii, theme), &s, o->threads, err);
    if (good) {
        app->test_clock = true;
        app->lecture = &r->lecture;
        lecture_record(app);
        app_close(app);
    }
    free(app);
    return good;
}

static bool take_step(struct request *r, const struct tour *t, struct err *err)
{
    const char *text = r->step ? r->step : "1";
    char *end;
    long step = strtol(text, &end, 10);
    r->start.options.step = (int)step - 1;
    return (*text && !*end && step >= 1 && step <= (long)t->n_steps) || err_set(err, N_("--step = %s: allowed is 1 to %d"), text, (int)t->n_steps);
}

static int run_lesson(struct request *r, struct err *err)
{
    struct tour *t = tour_load(r->start.options.lesson, err);
    bool screen = start_on_terminal() || start_accessible(&r->start), written = r->lecture.cast_path || r->lecture.notes;
    int status = STATUS_DONE;
    if (!t || !take_step(r, t, err) || !lecture_open(&r->lecture, t->title[err->lang], err)) {
        status = fail(err);
    } else {
        if (screen)
            status = app_screen(&r->start, &command_tour, err);
        else if (!written)
            status = print_lesson(r, t, err);
        else if (!record(r, err))
            status = fail(err);
        if (!lecture_close(&r->lecture, err))
            status = fail(err);
    }
    tour_free(t);
    return status;
}

static bool lectures(const struct lecture *l)
{
    return !isnan(l->seconds) || l->cast_path || l->notes;
}

static int run(int argc, char **argv, enum lang lang)
{
    struct request r = {.lecture = {.seconds = NAN}};
    struct err err = {.lang = lang};
    const char *argument;
    options_init(&r.start.options, lang);
    if (!config_options(&r.start, &err))
        return fail(&err);
    struct options kept = r.start.options;
    r.start.lecture = &r.lecture;
    for (int i = 1; i < argc;) {
        int option = command_next(&command_tour, argc, argv, &i, &argument, lang);
        if (option == COMMAND_HELP)
            return STATUS_DONE;
        if (option == COMMAND_WRONG)
            return STATUS_USAGE;
        if (!take(&r, option, argument, &err))
            return fail(&err);
    }
    options_prefer(&r.start.options, &kept);
    if (r.check)
        return check(r.check, &err);
    if (start_accessible(&r.start) && lectures(&r.lecture))
        return err_set(&err, N_("--accessible: a lesson read line by line has the reader's own pace; it goes without --play, --cast and --notes")), fail(&err);
    if (r.start.options.lesson)
        return run_lesson(&r, &err);
    if (!start_on_terminal() && !start_accessible(&r.start))
        return list(&err);
    r.start.options.view = "tour";
    r.start.lecture = NULL;
    return app_screen(&r.start, &command_tour, &err);
}

const struct command command_tour = {
    .name = "tour",
    .usage = "[NAME|FILE] [--step N] [--play SECONDS] [--cast FILE] [--notes PATH] | --check FILE",
    .summary = N_("lessons: a text beside a live picture, step by step"),
    .help = N_("Without a name the lessons are listed. Without a terminal the text of the step and its picture are printed, with --play all "
               "steps from there. PageDown and PageUp go on and back, digits answer a question, Backspace shows the step again as it was. "
               "A lesson of your own is a JSON file; its format is in docs/lessons.md, and --check FILE names what is wrong with it."),
    .options = options, .n_options = sizeof options / sizeof *options,
    .run = run,
};
