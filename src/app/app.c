/* app.c - `posviz [VIEW]`: the screen, or the view as text where there is no terminal. */
#include "app/app.h"

#include <stdlib.h>
#include <unistd.h>

#include "app/state.h"
#include "base/mem.h"

enum { SCREEN_NO_MOUSE = OPTIONS_COUNT, SCREEN_TEST_SYNC, SCREEN_TEST_CLOCK };
static const struct command_option rows[] = {
    OPTIONS_ROWS,
    [SCREEN_NO_MOUSE] = {"--no-mouse", NULL, N_("leave the mouse to the terminal")},
    [SCREEN_TEST_SYNC] = {"--test-sync", NULL, N_("answer a test's ping once idle")},
    [SCREEN_TEST_CLOCK] = {"--test-clock", NULL, N_("play a frame for each Ctrl-T only")},
};

struct start {
    struct options options;
    bool no_mouse, test_sync, test_clock;
};

static bool take(struct start *start, int option, const char *argument, struct err *err)
{
    switch (option) {
    case COMMAND_OPERAND:   return !argument || options_operand(&start->options, argument, err);
    case SCREEN_NO_MOUSE:   return start->no_mouse = true;
    case SCREEN_TEST_SYNC:  return start->test_sync = true;
    case SCREEN_TEST_CLOCK: return start->test_clock = true;
    }
    return options_take(&start->options, option, argument, err);
}

static struct term *open_term(const struct start *start, const struct scenario *s, struct err *err)
{
    const struct theme *theme = start->options.theme ? start->options.theme : s->theme;
    struct term_options options = {.depth = start->options.depth, .ascii = start->options.ascii, .mouse = !start->no_mouse,
                                   .test_sync = start->test_sync, .theme = theme};
    return term_open(&options, err);
}

static int run_screen(const struct start *start, struct err *err)
{
    struct scenario s;
    struct app *app = xcalloc(1, sizeof *app);
    scenario_init(&s);
    bool good = options_scenario(&start->options, &s, err);         /* a wrong option is said before the screen is taken */
    struct term *term = good ? open_term(start, &s, err) : NULL;
    scenario_done(&s);
    good = term && app_open(app, term, &start->options, err);
    if (good) {
        app->test_clock = start->test_clock;
        mem_before_exit(term_restore);
        app_run(app);
        app_close(app);
    }
    free(app);
    return good ? STATUS_DONE : command_fail(&app_command, err->text);
}

/* Without a terminal: the figure as text, and its caption and source. */
static int print_report(const struct start *start, struct err *err)
{
    const struct options *o = &start->options;
    struct scenario s;
    int rows_wanted = o->rows ? o->rows : 24, cols = o->cols ? o->cols : 80, status = STATUS_USAGE;
    scenario_init(&s);
    struct picture_room room = {.rows = rows_wanted, .cols = cols, .only_panel = -1};
    enum color_depth depth = o->depth < 0 ? DEPTH_MONO : (enum color_depth)o->depth;
    struct figure *f = NULL;
    struct canvas *c = canvas_new(room.rows, room.cols, themes[0], depth, o->ascii);
    room.heat_rows = canvas_heat_rows(c);
    if (options_scenario(o, &s, err))
        f = view_figure(&s, room.rows, room.cols, room.heat_rows, o->threads, err);
    if (f) {
        struct draw_options draw = {.map = s.map, .cursor = {.panel = -1}, .lang = s.lang};
        figure_draw(f, c, 0, 0, &draw);
        char *text = canvas_to_text(c, depth != DEPTH_MONO);
        status = command_print(&app_command, text, STATUS_DONE);
        free(text);
    } else {
        command_fail(&app_command, err->text);
    }
    figure_free(f);
    canvas_free(c);
    scenario_done(&s);
    return status;
}

const struct command app_command = {
    .name = "screen",
    .usage = "[VIEW]",
    .summary = N_("opens the screen"),
    .options = rows, .n_options = sizeof rows / sizeof *rows,
    .run = app_main,
};

int app_main(int argc, char **argv, enum lang lang)
{
    struct start start = {.no_mouse = false};
    struct err err = {.lang = lang};
    const char *argument;
    options_init(&start.options, lang);
    for (int i = 1; i < argc;) {
        int option = command_next(&app_command, argc, argv, &i, &argument, lang);
        if (option == COMMAND_HELP)
            return STATUS_DONE;
        if (option == COMMAND_WRONG)
            return STATUS_USAGE;
        if (!take(&start, option, argument, &err))
            return command_fail(&app_command, err.text);
    }
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) ? run_screen(&start, &err) : print_report(&start, &err);
}
