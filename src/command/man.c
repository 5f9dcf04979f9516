#include "command/man.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/app.h"
#include "app/keys.h"
#include "app/view.h"
#include "command/command.h"

#ifndef POSVIZ_EPOCH
#define POSVIZ_EPOCH ""         /* seconds since 1970 of the commit */
#endif

/* Text for troff: what it would read as a command, or set as another character, is escaped. */
static void roff(struct buf *t, const char *text)
{
    static const struct { char c; const char *name; } named[] = {{'"', "\\(dq"}, {'~', "\\(ti"}, {'^', "\\(ha"}, {'`', "\\(ga"}, {'\'', "\\(aq"}};
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            buf_format(t, "\\&");
        if (*text == '\\' || *text == '-')
            buf_format(t, "\\");
        size_t k = 0;
        while (k < sizeof named / sizeof *named && named[k].c != *text)
            k++;
        if (k < sizeof named / sizeof *named)
            buf_text(t, named[k].name);
        else
            buf_put(t, text, 1);
        line_start = *text == '\n';
    }
}

static void man_options(struct buf *t, const struct command_option *options, size_t n, enum lang l)
{
    for (size_t i = 0; i < n; i++) {
        if (!options[i].help)
            continue;
        buf_format(t, ".TP\n.B ");
        roff(t, options[i].name);
        if (options[i].argument)
            buf_format(t, " \\fI%s\\fR", options[i].argument);
        buf_format(t, "\n");
        roff(t, lang_text(l, options[i].help));
        buf_format(t, "\n");
    }
}

static const struct command_option version = {"--version", NULL, N_("the version and what it is built of; without a command")};

static const struct command_option variables[] = {
    {"TERM, COLORTERM", NULL, N_("what the terminal is; COLORTERM=truecolor: it has 24-bit colours")},
    {"NO_COLOR", NULL, N_("if not empty, no colours; --color wins over it")},
    {"CLICOLOR_FORCE", NULL, N_("if neither empty nor 0, colours where there would be none, also in text that goes to no terminal; NO_COLOR wins over it")},
    {"CLICOLOR", NULL, N_("if 0, no colours, unless CLICOLOR_FORCE asks for them")},
    {"SSH_CONNECTION", NULL, N_("if set, animations play slower, and the mouse reports only what is pressed")},
    {"ACCESSIBLE", NULL, N_("if set, views, wizard and lessons are linear text with numbered questions")},
    {"LC_ALL, LC_MESSAGES, LANG", NULL, N_("the language, by the first that is set; --lang wins over them")},
    {"TMUX", NULL, N_("if set, what is copied goes to tmux, unless --copy-command takes it")},
    {"HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE, HF_HOME, XDG_CACHE_HOME", NULL, N_("where the cache of Hugging Face is, by the first that is set; else ~/.cache/huggingface/hub")},
    {"LLAMA_CACHE", NULL, N_("the cache of llama.cpp, looked into as well")},
    {"MODELSCOPE_CACHE, MS_CACHE_HOME", NULL, N_("where the cache of ModelScope is; else ~/.cache/modelscope/hub")},
    {"OLLAMA_MODELS", NULL, N_("a folder of models of Ollama, beside ~/.ollama/models and that of its service")},
    {"POSVIZ_KERNEL", NULL, N_("any, avx2 or avx512: the instructions of the inner loops; the best that the processor has unless given")},
    {"XDG_CONFIG_HOME, XDG_STATE_HOME", NULL, N_("where options of yours are read, and where the last screen is kept")},
    {"POSVIZ_MODEL_PATH", NULL, N_("a folder of models, one folder a model, beside the stores of other programs")},
    {"SOURCE_DATE_EPOCH", NULL, N_("the date that figures carry, for the same bytes every time")},
};

static const struct command_option files[] = {
    {"~/.config/posviz/config", NULL, N_("options of yours for the screen, one a line, as on the command line, # before a comment; a wrong line is an error. "
                                         "What the command line chooses wins over them")},
    {"~/.config/posviz/presets/NAME.json", NULL, N_("presets of yours: :save NAME writes them, -p NAME opens them")},
    {"~/.local/state/posviz/last.json", NULL, N_("the last screen, for --resume")},
    {"~/.local/state/posviz/last-1.json", NULL, N_("the screen left before it; -p opens it by its path")},
};

static void man_keys(struct buf *t, enum lang l)
{
    char keys[80];
    for (size_t i = 0; i < n_app_actions; i += app_actions[i].pair ? 2 : 1) {
        buf_format(t, ".TP\n.B ");
        roff(t, keys_of_framework(&app_actions[i], true, keys, sizeof keys));
        buf_format(t, "\n");
        roff(t, lang_text(l, app_actions[i].help));
        buf_format(t, "\n");
    }
}

/* "2026-01-31". */
static char *date(char *out, size_t size)
{
    const char *given = getenv("SOURCE_DATE_EPOCH"), *epoch = given && *given ? given : POSVIZ_EPOCH;
    char *end;
    time_t when = (time_t)strtoll(epoch, &end, 10);
    struct tm utc;
    *out = '\0';
    if (end != epoch && !*end && gmtime_r(&when, &utc))
        strftime(out, size, "%Y-%m-%d", &utc);
    return out;
}

void man_page(struct buf *t, enum lang l)
{
    char day[40];
    buf_format(t, ".TH POSVIZ 1 \"%s\" \"posviz %s\" \"%s\"\n.SH NAME\nposviz \\- ", date(day, sizeof day), POSVIZ_VERSION, lang_text(l, N_("User commands")));
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
    buf_format(t, ".PP\n");
    roff(t, lang_text(l, N_("These every command has:")));
    buf_format(t, "\n");
    man_options(t, command_common, COMMAND_N_COMMON, l);
    man_options(t, &version, 1, l);
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
    buf_format(t, ".SH %s\n", lang_text(l, N_("KEYS")));
    roff(t, lang_text(l, N_("These hold in all views; ? lists those of a view too.")));
    buf_format(t, "\n");
    man_keys(t, l);
    buf_format(t, ".SH %s\n", lang_text(l, N_("ACCESSIBILITY")));
    roff(t, lang_text(l, N_("With --accessible, or ACCESSIBLE=1 in the environment, views, wizard and lessons are a dialogue in plain lines for a screen reader or a "
                            "Braille line, on any terminal and through a pipe: figures are told in words, questions have numbered answers, and help lists what can "
                            "be typed. The variable alone describes a view that goes elsewhere than to a terminal as a whole, and asks nothing.")));
    buf_format(t, "\n");
    buf_format(t, ".SH %s\n", lang_text(l, N_("ENVIRONMENT")));
    man_options(t, variables, sizeof variables / sizeof *variables, l);
    buf_format(t, ".SH %s\n", lang_text(l, N_("FILES")));
    man_options(t, files, sizeof files / sizeof *files, l);
    buf_format(t, ".SH %s\n", lang_text(l, N_("EXIT STATUS")));
    roff(t, lang_text(l, N_("0: done. 1: the answer is no (an error in a model file, a difference, a compute line answered with an error). 2: wrong usage or "
                            "unreadable input.")));
    buf_format(t, "\n");
}
