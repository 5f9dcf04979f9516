/* app.c - `posviz [VIEW]`: the screen, or the view as text where there is no terminal. */
#include "app/app.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/command_line.h"
#include "app/config.h"
#include "app/dialogue.h"
#include "app/reopen.h"
#include "app/state.h"
#include "base/mem.h"
#include "base/utf8.h"

static struct term *open_term(const struct start *start, const struct scenario *s, struct err *err)
{
    const struct theme *theme = start->options.theme ? start->options.theme : s->theme;
    if (start_accessible(start))
        return term_open_headless(24, 80, DEPTH_MONO, start->options.ascii, theme);
    struct term_options options = {.depth = start->options.depth, .ascii = start->options.ascii, .mouse = !start->no_mouse,
                                   .ambiguous = start->ambiguous, .test_sync = start->test_sync, .theme = theme,
                                   .ask_background = !start->options.theme && !start->options.resume};
    return term_open(&options, err);
}

/* The last screen, kept for --resume and, if asked for, printed as a command. */
static char *leave(const struct start *start, const struct scenario *s)
{
    bool exact;
    options_keep(s);
    if (!start->print_command)
        return NULL;
    char *line = command_line(s, &exact), *harmless = utf8_harmless(line);
    free(line);
    return harmless;
}

/* The screen shows a figure's settings on the model file of today. */
static void say_changes(struct app *app, const struct options *o)
{
    char *changes = o->from ? reopen_changes(o->from, &app->s) : NULL;
    if (changes)
        app_say(app, ROLE_WARNING, "%s", changes);
    free(changes);
}

/* The wish of the environment alone never reads the input of a program whose output goes elsewhere. */
static bool talks(const struct start *start)
{
    return start->accessible || start_on_terminal();
}

int app_screen(const struct start *start, const struct command *command, struct err *err)
{
    struct scenario s;
    struct app *app = xcalloc(1, sizeof *app);
    scenario_init(&s);
    bool good = options_scenario(&start->options, &s, err);         /* a wrong option is said before the screen is taken */
    struct term *term = good ? open_term(start, &s, err) : NULL;
    if (!term)
        scenario_done(&s);
    good = term && app_open(app, term, &s, start->options.threads, err);
    if (good) {
        app->test_clock = start->test_clock;
        app->lecture = start->lecture;
        app->copy_command = start->copy_command;
        say_changes(app, &start->options);
        if (start_accessible(start))
            dialogue_run(app, start->options.threads, talks(start));
        else
            app_run(app);
        char *line = leave(start, &app->s);
        app_close(app);
        if (line)
            printf("%s\n", line);
        free(line);
    }
    free(app);
    return good ? command_print(command, "", STATUS_DONE, err->lang) : command_fail(command, err->text);
}

char *app_report(const struct options *o, const struct scenario *s, struct err *err)
{
    enum color_depth depth = o->depth < 0 ? term_depth_of_text() : (enum color_depth)o->depth;
    struct canvas *c = canvas_new(o->rows ? o->rows : 24, o->cols ? o->cols : 80, themes[0], depth, o->ascii || !lang_bytes_are_utf8());
    struct picture_room room = {.rows = c->rows, .cols = c->cols, .heat_rows = canvas_heat_rows(c), .only_panel = -1};
    struct job *job = job_new_alone(o->threads);
    struct figure *f = picture_plan(s, &room, err);
    char *text = NULL;
    if (f && picture_compute(s, f, job, err)) {
        struct draw_options draw = {.map = s->map, .cursor = {.panel = -1}, .lang = s->lang};
        figure_draw(f, c, 0, 0, &draw);
        text = canvas_to_text(c, depth != DEPTH_MONO);
    }
    job_free_alone(job);
    figure_free(f);
    canvas_free(c);
    return text;
}

/* Without a terminal: the figure as text, and its caption and source. */
static int print_report(const struct start *start, struct err *err)
{
    struct scenario s;
    scenario_init(&s);
    char *text = options_scenario(&start->options, &s, err) ? app_report(&start->options, &s, err) : NULL;
    char *changes = text && start->options.from ? reopen_changes(start->options.from, &s) : NULL;
    if (changes)
        command_fail(&app_command, changes);
    free(changes);
    int status = text ? command_print(&app_command, text, STATUS_DONE, err->lang) : command_fail(&app_command, err->text);
    free(text);
    scenario_done(&s);
    return status;
}

const struct command app_command = {
    .name = "",                 /* no verb */
    .usage = "[VIEW]",
    .summary = N_("opens the screen"),
    .options = start_options, .n_options = SCREEN_COUNT,
    .run = app_main,
};

int app_main(int argc, char **argv, enum lang lang)
{
    struct start start = {.no_mouse = false};
    struct err err = {.lang = lang};
    const char *argument;
    options_init(&start.options, lang);
    if (!config_options(&start, &err))
        return command_fail(&app_command, err.text);
    struct options kept = start.options;
    for (int i = 1; i < argc;) {
        int option = command_next(&app_command, argc, argv, &i, &argument, lang);
        if (option == COMMAND_HELP)
            return STATUS_DONE;
        if (option == COMMAND_WRONG)
            return STATUS_USAGE;
        bool good = option == COMMAND_OPERAND ? !argument || options_operand(&start.options, argument, &err)
                                              : start_take(&start, option, argument, &err);
        if (!good)
            return command_fail(&app_command, err.text);
    }
    options_prefer(&start.options, &kept);
    return start_on_terminal() || start_accessible(&start) ? app_screen(&start, &app_command, &err) : print_report(&start, &err);
}
