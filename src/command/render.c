/* render.c - `posviz render`: the figure of a view as a file, without a screen. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/options.h"
#include "app/save.h"
#include "command/command.h"

enum { OPTION_OUT = OPTIONS_COUNT, OPTION_DPI, OPTION_PANEL, OPTION_COMMENT, OPTION_FORCE };
static const struct command_option options[] = {
    OPTIONS_ROWS,
    [OPTION_OUT] = {"-o", "FILE", N_("where to write; the extension chooses the format: png svg pdf txt ansi csv npy json")},
    [OPTION_DPI] = {"--dpi", "N", N_("png: dots an inch; 150 unless given, 300 for papers")},
    [OPTION_PANEL] = {"--panel", "N", N_("only this panel of the view, from 1")},
    [OPTION_COMMENT] = {"--comment", NULL, N_("csv: first the command, caption and source, in lines that begin with #")},
    [OPTION_FORCE] = {"--force", NULL, N_("replace an existing file")},
};

struct request {
    struct options common;
    const char *out;
    double dpi;                 /* 0: not given */
    int panel;                  /* from 0; -1: all */
    bool comment, force;
};

/* A whole number of lo..hi, all of text. */
static bool take_number(const char *option, const char *text, long lo, long hi, long *out, struct err *err)
{
    char *end;
    *out = strtol(text, &end, 10);
    return (end != text && !*end && *out >= lo && *out <= hi) || err_set(err, N_("%s = %s: allowed is %ld to %ld"), option, text, lo, hi);
}

static bool take(struct request *r, int option, const char *argument, struct err *err)
{
    long number = 0;
    bool good = true;
    switch (option) {
    case OPTION_OUT:
        r->out = argument;
        return true;
    case OPTION_DPI:
        good = take_number("--dpi", argument, EXPORT_MIN_DPI, EXPORT_MAX_DPI, &number, err);
        r->dpi = (double)number;
        return good;
    case OPTION_PANEL:
        good = take_number("--panel", argument, 1, 99, &number, err);
        r->panel = (int)number - 1;
        return good;
    case OPTION_COMMENT:
        return r->comment = true;
    case OPTION_FORCE:
        r->force = true;
        return true;
    case COMMAND_OPERAND:
        return !argument || options_operand(&r->common, argument, err);
    default:
        return options_take(&r->common, option, argument, err);
    }
}

/* What the figure that is opened again had, where nothing else is asked for. */
static bool drawn_as(const struct request *r, struct drawn *d, struct err *err)
{
    *d = (struct drawn){.panel = -1};
    if (r->common.from && !reopen_drawn(r->common.from, d, err))
        return false;
    d->cols = r->common.cols ? r->common.cols : d->cols;
    d->rows = r->common.rows ? r->common.rows : d->rows;
    d->panel = r->panel >= 0 ? r->panel : d->panel;
    d->dpi = r->dpi > 0 ? r->dpi : d->dpi;
    return true;
}

static void say_changes(const char *figure, const struct scenario *s)
{
    char *changes = figure ? reopen_changes(figure, s) : NULL;
    if (changes)
        command_fail(&command_render, changes);
    free(changes);
}

static bool write_figure(const struct request *r, const struct scenario *s, const struct drawn *d, struct err *err)
{
    struct export_options o = save_options(s, d);
    const struct export_format *format = export_format_of(r->out, NULL);
    struct picture_room room = {.rows = d->rows ? d->rows : drawn_rows(format), .cols = d->cols ? d->cols : DRAWN_COLS, .only_panel = d->panel};
    o.depth = r->common.depth >= 0 ? (enum color_depth)r->common.depth : o.depth;
    o.ascii = r->common.ascii;
    o.comment = r->comment;
    o.force = r->force;
    return save_figure(s, &room, r->out, &o, r->common.threads, err);
}

static bool render(const struct request *r, struct err *err)
{
    struct scenario s;
    struct drawn d;
    if (!r->out)
        return err_set(err, N_("-o FILE says where to write, for example -o figure.png"));
    if (!r->common.view && !r->common.from)
        return err_set(err, N_("which view? `posviz list views` names them"));
    scenario_init(&s);
    bool good = drawn_as(r, &d, err) && options_scenario(&r->common, &s, err);
    if (good) {
        say_changes(r->common.from, &s);
        good = write_figure(r, &s, &d, err);
    }
    scenario_done(&s);
    return good;
}

static int run(int argc, char **argv, enum lang lang)
{
    struct request r = {.panel = -1};
    struct err err = {.lang = lang};
    const char *argument;
    options_init(&r.common, lang);
    for (int i = 1; i < argc;) {
        int option = command_next(&command_render, argc, argv, &i, &argument, lang);
        if (option == COMMAND_HELP)
            return STATUS_DONE;
        if (option == COMMAND_WRONG)
            return STATUS_USAGE;
        if (!take(&r, option, argument, &err))
            return command_fail(&command_render, err.text);
    }
    return render(&r, &err) ? STATUS_DONE : command_fail(&command_render, err.text);
}

const struct command command_render = {
    .name = "render",
    .usage = "VIEW|--from FIGURE -o FILE [-m FILE|DIR] [-p PRESET] [-e ENCODING] [-s KEY=VALUE]... [--size COLSxROWS]",
    .summary = N_("writes the figure of a view to a file"),
    .help = N_("Pictures (png, svg, pdf) have axes, legend, caption and source, for papers and slides; their 80x32 cells, unless --size says otherwise, make 7.5 by 6.5 inches; each further line of a long caption adds to that. txt and "
               "ansi are the screen as text. csv and npy hold the numbers of the main panel (the heatmap, else the curves), json the whole figure. "
               "The file is written whole or not at all, and an existing one is kept unless --force is given. "
               "Figures carry the command that shows them again, the version, the model file with its revision, and the source; --from FIGURE reads it back, and other options change "
               "what they say. txt and ansi carry nothing, csv only with --comment, because many readers take such lines for data."),
    .options = options, .n_options = sizeof options / sizeof *options,
    .run = run,
};
