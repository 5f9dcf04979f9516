/* generate.c - `posviz generate WHAT`: the man page, shell completions and the tables of the README, made from the very tables that the
 * program works by, so that they cannot disagree with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/keys.h"
#include "app/view.h"
#include "base/buf.h"
#include "command/command.h"
#include "command/completion.h"

/* ---- README tables ------------------------------------------------------------------------------- */

static void readme_views(struct buf *t, enum lang l)
{
    buf_format(t, "| %s | %s |\n| --- | --- |\n", lang_text(l, N_("view")), lang_text(l, N_("what you are looking at")));
    for (int v = 0; v < VIEW_COUNT; v++)
        buf_format(t, "| `%s` | %s |\n", views[v]->id, lang_text(l, views[v]->help));
}

static void readme_encodings(struct buf *t, enum lang l)
{
    buf_format(t, "| id | %s | %s | %s |\n| --- | --- | --- | --- |\n", lang_text(l, N_("encoding")), lang_text(l, N_("how it enters")), lang_text(l, N_("source")));
    for (size_t i = 0; encodings[i]; i++) {
        const struct encoding *k = encodings[i];
        buf_format(t, "| `%s` | %s |%s%s%s%s | %s |\n", k->id, lang_text(l, k->title), k->row ? " row" : "", k->rotate ? " rotate" : "", k->bias ? " bias" : "",
            k->context ? " context" : "", k->cite);
    }
}

static void readme_keys(struct buf *t, enum lang l)
{
    char *table = keys_markdown(l);
    buf_format(t, "%s", table);
    free(table);
}

/* ---- man page ------------------------------------------------------------------------------------ */

/* Text for troff: backslashes, leading dots and hyphens escaped. */
static void roff(struct buf *t, const char *text)
{
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            buf_format(t, "\\&");
        if (*text == '\\' || *text == '-')
            buf_format(t, "\\");
        buf_format(t, "%c", *text);
        line_start = *text == '\n';
    }
}

static void man_options(struct buf *t, const struct command_option *options, size_t n, enum lang l)
{
    for (size_t i = 0; i < n; i++) {
        buf_format(t, ".TP\n.B ");
        roff(t, options[i].name);
        if (options[i].argument)
            buf_format(t, " \\fI%s\\fR", options[i].argument);
        buf_format(t, "\n");
        roff(t, lang_text(l, options[i].help));
        buf_format(t, "\n");
    }
}

static const struct command_option variables[] = {
    {"TERM, COLORTERM", NULL, N_("what the terminal is; COLORTERM=truecolor: it has 24-bit colours")},
    {"NO_COLOR", NULL, N_("if not empty, no colours; --color wins over it")},
    {"CLICOLOR_FORCE", NULL, N_("if neither empty nor 0, colours where there would be none, also in text that goes to no terminal; NO_COLOR wins over it")},
    {"CLICOLOR", NULL, N_("if 0, no colours, unless CLICOLOR_FORCE asks for them")},
    {"SSH_CONNECTION", NULL, N_("if set, animations play slower, and the mouse reports only what is pressed")},
    {"ACCESSIBLE", NULL, N_("if set, views, wizard and lessons are linear text with numbered questions")},
    {"XDG_CONFIG_HOME, XDG_STATE_HOME", NULL, N_("where options of yours are read, and where the last screen is kept")},
    {"POSVIZ_MODEL_PATH", NULL, N_("a folder of models, one folder a model, beside the stores of other programs")},
    {"SOURCE_DATE_EPOCH", NULL, N_("the date that figures carry, for the same bytes every time")},
};

static void man(struct buf *t, enum lang l)
{
    buf_format(t, ".TH POSVIZ 1 \"\" \"posviz %s\" \"%s\"\n.SH NAME\nposviz \\- ", POSVIZ_VERSION, lang_text(l, N_("User commands")));
    roff(t, lang_text(l, N_("position encodings of Transformers, live in the terminal")));
    buf_format(t, "\n.SH SYNOPSIS\n.B posviz\n\\fI%s\\fR\n", app_command.usage);
    for (size_t i = 0; commands[i]; i++) {
        buf_format(t, ".br\n.B posviz %s\n", commands[i]->name);
        roff(t, commands[i]->usage);
        buf_format(t, "\n");
    }
    buf_format(t, ".SH %s\n", lang_text(l, N_("DESCRIPTION")));
    roff(t, lang_text(l, N_("posviz computes encoding matrices and attention patterns and shows them as heatmaps, dials and curves, reads the position encoding "
                            "out of real model files and checks it, and helps to choose a scheme. It uses no network: no telemetry, nothing is sent to anybody.")));
    buf_format(t, "\n.SH %s\n", lang_text(l, N_("OPTIONS")));
    man_options(t, app_command.options, app_command.n_options, l);
    buf_format(t, ".SH %s\n", lang_text(l, N_("COMMANDS")));
    for (size_t i = 0; commands[i]; i++) {
        buf_format(t, ".SS posviz %s\n", commands[i]->name);
        roff(t, lang_text(l, commands[i]->summary));
        buf_format(t, "\n");
        if (commands[i]->help) {
            buf_format(t, ".PP\n");
            roff(t, lang_text(l, commands[i]->help));
            buf_format(t, "\n");
        }
        man_options(t, commands[i]->options, commands[i]->n_options, l);
    }
    buf_format(t, ".SH %s\n", lang_text(l, N_("VIEWS")));
    for (int v = 0; v < VIEW_COUNT; v++) {
        buf_format(t, ".TP\n.B %s\n", views[v]->id);
        roff(t, lang_text(l, views[v]->help));
        buf_format(t, "\n");
    }
    buf_format(t, ".SH %s\n", lang_text(l, N_("ACCESSIBILITY")));
    roff(t, lang_text(l, N_("With --accessible, or ACCESSIBLE=1 in the environment, views, wizard and lessons are a dialogue in plain lines for a screen reader or a "
                            "Braille line, on any terminal and through a pipe: figures are told in words, questions have numbered answers, and help lists what can "
                            "be typed. The variable alone describes a view that goes elsewhere than to a terminal as a whole, and asks nothing.")));
    buf_format(t, "\n");
    buf_format(t, ".SH %s\n", lang_text(l, N_("ENVIRONMENT")));
    man_options(t, variables, sizeof variables / sizeof *variables, l);
    buf_format(t, ".SH %s\n", lang_text(l, N_("EXIT STATUS")));
    roff(t, lang_text(l, N_("0: done. 1: the answer is no (an error in a model file, a difference, a compute line answered with an error). 2: wrong usage or "
                            "unreadable input.")));
    buf_format(t, "\n");
}

/* ---- the verb ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    void (*write)(struct buf *t, enum lang l);
} kinds[] = {
    {"man", man}, {"complete-bash", completion_bash}, {"complete-zsh", completion_zsh}, {"complete-fish", completion_fish},
    {"readme-views", readme_views}, {"readme-encodings", readme_encodings}, {"readme-keys", readme_keys},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* What the scripts for shells ask. */
static int print_words(const char *behind)
{
    struct buf t = {0};
    completion_words(&t, behind);
    char *text = buf_string(&t);
    int status = command_print(&command_generate, text, STATUS_DONE);
    free(text);
    return status;
}

static int run(int argc, char **argv, enum lang lang)
{
    const char *argument, *what = NULL, *behind = NULL;
    for (int i = 1; i < argc;) {
        int option = command_next(&command_generate, argc, argv, &i, &argument, lang);
        if (option == COMMAND_HELP)
            return STATUS_DONE;
        if (option == COMMAND_WRONG)
            return STATUS_USAGE;
        behind = what && argument ? argument : behind;
        what = what ? what : argument;
    }
    if (what && !strcmp(what, "words"))
        return print_words(behind ? behind : "");
    for (size_t k = 0; what && k < N_KINDS; k++) {
        if (strcmp(kinds[k].name, what))
            continue;
        struct buf t = {0};
        kinds[k].write(&t, lang);
        char *text = buf_string(&t);
        int status = command_print(&command_generate, text, STATUS_DONE);
        free(text);
        return status;
    }
    struct err err = {.lang = lang};
    char names[200] = "";
    for (size_t k = 0; k < N_KINDS; k++) {
        size_t at = strlen(names);
        snprintf(names + at, sizeof names - at, "%s%s", k ? ", " : "", kinds[k].name);
    }
    err_set(&err, N_("'%s': allowed are %s"), what ? what : "", names);
    return command_fail(&command_generate, err.text);
}

const struct command command_generate = {
    .name = "generate",
    .usage = "WHAT",
    .summary = N_("writes the man page, shell completions and README tables"),
    .help = N_("WHAT is man, complete-bash, complete-zsh, complete-fish, readme-views, readme-encodings or readme-keys. All are made from the tables that the "
               "program itself works by."),
    .run = run,
};
