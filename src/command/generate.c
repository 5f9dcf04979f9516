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
                            "out of real model files and checks it, and helps to choose a scheme. It uses no network and sends nothing to anybody.")));
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
    buf_format(t, ".SH %s\n", lang_text(l, N_("EXIT STATUS")));
    roff(t, lang_text(l, N_("0: done. 1: the answer is no (an error in a model file, a difference, a compute line answered with an error). 2: wrong usage or "
                            "unreadable input.")));
    buf_format(t, "\n");
}

/* ---- completions --------------------------------------------------------------------------------- */

static void words(struct buf *t, const char *separator)
{
    for (size_t i = 0; commands[i]; i++)
        buf_format(t, "%s%s", i ? separator : "", commands[i]->name);
    for (int v = 0; v < VIEW_COUNT; v++)
        buf_format(t, "%s%s", separator, views[v]->id);
}

static void option_words(struct buf *t, const struct command_option *options, size_t n)
{
    for (size_t i = 0; i < n; i++)
        buf_format(t, "%s ", options[i].name);
    buf_format(t, "--lang --help");
}

static void complete_bash(struct buf *t, enum lang l)
{
    (void)l;
    buf_format(t, "# bash completion of posviz\n_posviz() {\n    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n    case $prev in\n");
    buf_format(t, "    -e) COMPREPLY=($(compgen -W \"");
    for (size_t i = 0; encodings[i]; i++)
        buf_format(t, "%s%s", i ? " " : "", encodings[i]->id);
    buf_format(t, "\" -- \"$cur\")); return ;;\n    -p) COMPREPLY=($(compgen -W \"$(posviz list presets 2>/dev/null | awk '{print $1}')\" -- \"$cur\")); return ;;\n");
    buf_format(t, "    -m) COMPREPLY=($(compgen -f -W \"$(posviz models -q 2>/dev/null)\" -- \"$cur\")); return ;;\n");
    buf_format(t, "    -o) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n    --lang) COMPREPLY=($(compgen -W \"en zh\" -- \"$cur\")); return ;;\n");
    buf_format(t, "    --color) COMPREPLY=($(compgen -W \"auto truecolor 256 16 mono\" -- \"$cur\")); return ;;\n    esac\n");
    buf_format(t, "    if [[ $COMP_CWORD -eq 1 && $cur != -* ]]; then\n        COMPREPLY=($(compgen -W \"");
    words(t, " ");
    buf_format(t, "\" -- \"$cur\"))\n        return\n    fi\n    if [[ $cur != -* && ${COMP_WORDS[1]} == @(model|diff) ]]; then\n"
           "        COMPREPLY=($(compgen -f -W \"$(posviz models -q 2>/dev/null)\" -- \"$cur\"))\n        return\n    fi\n"
           "    if [[ $cur != -* ]]; then\n        COMPREPLY=($(compgen -f -- \"$cur\"))\n        return\n    fi\n"
           "    case ${COMP_WORDS[1]} in\n");
    for (size_t i = 0; commands[i]; i++) {
        buf_format(t, "    %s) COMPREPLY=($(compgen -W \"", commands[i]->name);
        option_words(t, commands[i]->options, commands[i]->n_options);
        buf_format(t, "\" -- \"$cur\")) ;;\n");
    }
    buf_format(t, "    *) COMPREPLY=($(compgen -W \"");
    option_words(t, app_command.options, app_command.n_options);
    buf_format(t, " --version\" -- \"$cur\")) ;;\n    esac\n}\ncomplete -F _posviz posviz\n");
}

/* One line in single quotes for zsh and fish. */
static void quoted(struct buf *t, const char *text)
{
    for (; *text; text++) {
        if (*text == '\'')
            buf_format(t, "'\\''");
        else
            buf_format(t, "%c", *text == '\n' ? ' ' : *text == '[' || *text == ']' || *text == ':' ? ' ' : *text);
    }
}

static void complete_zsh(struct buf *t, enum lang l)
{
    buf_format(t, "#compdef posviz\n# zsh completion of posviz\n_posviz() {\n    local -a first\n    first=(\n");
    for (size_t i = 0; commands[i]; i++) {
        buf_format(t, "        '%s:", commands[i]->name);
        quoted(t, lang_text(l, commands[i]->summary));
        buf_format(t, "'\n");
    }
    for (int v = 0; v < VIEW_COUNT; v++) {
        buf_format(t, "        '%s:", views[v]->id);
        quoted(t, lang_text(l, views[v]->title));
        buf_format(t, "'\n");
    }
    buf_format(t, "    )\n    if (( CURRENT == 2 )); then\n        _describe 'command or view' first\n        return\n    fi\n    case $words[2] in\n");
    for (size_t i = 0; commands[i]; i++) {
        buf_format(t, "    %s) _arguments", commands[i]->name);
        for (size_t k = 0; k < commands[i]->n_options; k++) {
            buf_format(t, " '%s[", commands[i]->options[k].name);
            quoted(t, lang_text(l, commands[i]->options[k].help));
            buf_format(t, "]%s'", commands[i]->options[k].argument ? ":value:_files" : "");
        }
        bool reads = !strcmp(commands[i]->name, "model") || !strcmp(commands[i]->name, "diff");
        buf_format(t, reads ? " '*:model:{_files; compadd -- ${(f)\"$(posviz models -q 2>/dev/null)\"}}' ;;\n" : " '*:file:_files' ;;\n");
    }
    buf_format(t, "    *) _arguments");
    for (size_t k = 0; k < app_command.n_options; k++) {
        buf_format(t, " '%s[", app_command.options[k].name);
        quoted(t, lang_text(l, app_command.options[k].help));
        buf_format(t, "]%s'", app_command.options[k].argument ? ":value:_files" : "");
    }
    buf_format(t, " '*:file:_files' ;;\n    esac\n}\n_posviz \"$@\"\n");
}

static void fish_option(struct buf *t, const char *condition, const struct command_option *o, enum lang l)
{
    bool long_name = !strncmp(o->name, "--", 2);
    buf_format(t, "complete -c posviz -n '%s' %s %s%s -d '", condition, long_name ? "-l" : "-s", o->name + (long_name ? 2 : 1), o->argument ? " -r" : "");
    quoted(t, lang_text(l, o->help));
    buf_format(t, "'\n");
}

static void complete_fish(struct buf *t, enum lang l)
{
    buf_format(t, "# fish completion of posviz\n");
    buf_format(t, "complete -c posviz -n '__fish_seen_subcommand_from model diff' -a '(posviz models -q 2>/dev/null)'\n");
    for (size_t i = 0; commands[i]; i++) {
        char condition[80];
        buf_format(t, "complete -c posviz -n __fish_use_subcommand -a %s -d '", commands[i]->name);
        quoted(t, lang_text(l, commands[i]->summary));
        buf_format(t, "'\n");
        snprintf(condition, sizeof condition, "__fish_seen_subcommand_from %s", commands[i]->name);
        for (size_t k = 0; k < commands[i]->n_options; k++)
            fish_option(t, condition, &commands[i]->options[k], l);
    }
    for (int v = 0; v < VIEW_COUNT; v++) {
        buf_format(t, "complete -c posviz -n __fish_use_subcommand -a %s -d '", views[v]->id);
        quoted(t, lang_text(l, views[v]->title));
        buf_format(t, "'\n");
    }
    for (size_t k = 0; k < app_command.n_options; k++)
        fish_option(t, "__fish_use_subcommand", &app_command.options[k], l);
}

/* ---- the verb ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    void (*write)(struct buf *t, enum lang l);
} kinds[] = {
    {"man", man}, {"complete-bash", complete_bash}, {"complete-zsh", complete_zsh}, {"complete-fish", complete_fish},
    {"readme-views", readme_views}, {"readme-encodings", readme_encodings}, {"readme-keys", readme_keys},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static int run(int argc, char **argv, enum lang lang)
{
    const char *argument, *what = NULL;
    for (int i = 1; i < argc;) {
        int option = command_next(&command_generate, argc, argv, &i, &argument, lang);
        if (option == COMMAND_HELP)
            return STATUS_DONE;
        if (option == COMMAND_WRONG)
            return STATUS_USAGE;
        what = argument ? argument : what;
    }
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
