/* commands.c - the verbs of the command line, and what they share: options, help, messages. */
#include "command/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "command/commands.def"
#undef COMMAND
    NULL,
};

const struct command *command_find(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (!strcmp(commands[i]->name, name))
            return commands[i];
    return NULL;
}

/* brief: a line an option and no more. */
static void print_help(const struct command *c, bool brief, enum lang lang)
{
    printf("posviz%s%s %s\n", *c->name ? " " : "", c->name, c->usage);
    if (!brief)
        printf("\n%s\n", lang_text(lang, c->summary));
    if (!brief && c->help)
        printf("\n%s\n", lang_text(lang, c->help));
    printf("%s", brief ? "" : "\n");
    command_options(c->options, c->n_options, lang);
}

const struct command_option command_common[COMMAND_N_COMMON] = {
    {"--lang", "en|zh", N_("language of messages")},
    {"--help, -h", NULL, N_("this text; -h: the options alone")},
};

static void print_options(const struct command_option *options, size_t n, enum lang lang)
{
    char left[80];
    for (size_t i = 0; i < n; i++) {
        if (!options[i].help)
            continue;
        snprintf(left, sizeof left, "%s%s%s", options[i].name, options[i].argument ? " " : "",
                 options[i].argument ? options[i].argument : "");
        printf("  %-24s %s\n", left, lang_text(lang, options[i].help));
    }
}

void command_options(const struct command_option *options, size_t n, enum lang lang)
{
    print_options(options, n, lang);
    print_options(command_common, COMMAND_N_COMMON, lang);
}

/* The option that text names, up to its '='; -1 if there is none. */
static int find_option(const struct command *c, const char *text, size_t length)
{
    for (size_t i = 0; i < c->n_options; i++)
        if (strlen(c->options[i].name) == length && !strncmp(c->options[i].name, text, length))
            return (int)i;
    return -1;
}

static int refuse(const struct command *c, const struct err *err)
{
    command_fail(c, err->text);
    return COMMAND_WRONG;
}

static bool after_dashes(char **argv, int i)
{
    for (int k = 1; k < i; k++)
        if (!strcmp(argv[k], "--"))
            return true;
    return false;
}

int command_next(const struct command *command, int argc, char **argv, int *i, const char **argument, enum lang lang)
{
    *argument = NULL;
    if (!after_dashes(argv, *i) && !strcmp(argv[*i], "--") && ++*i >= argc)
        return COMMAND_OPERAND;
    const char *text = argv[(*i)++];
    if (text[0] != '-' || !text[1] || after_dashes(argv, *i - 1)) {
        *argument = text;
        return COMMAND_OPERAND;
    }
    if (!strcmp(text, "--help") || !strcmp(text, "-h")) {
        print_help(command, text[1] == 'h', lang);
        return command_print(command, "", STATUS_DONE, lang) == STATUS_DONE ? COMMAND_HELP : COMMAND_WRONG;
    }
    struct err err = {.lang = lang};
    size_t length = !strncmp(text, "--", 2) ? strcspn(text, "=") : strlen(text);
    int option = find_option(command, text, length);
    if (option < 0) {
        err_set(&err, N_("there is no option %s; --help lists them"), text);
        return refuse(command, &err);
    }
    if (!command->options[option].argument) {
        err_set(&err, N_("option %s takes no value"), text);
        return text[length] ? refuse(command, &err) : option;
    }
    *argument = text[length] ? text + length + 1 : *i < argc ? argv[(*i)++] : NULL;
    err_set(&err, N_("option %s needs a value"), text);
    return *argument ? option : refuse(command, &err);
}

bool command_single(const char **operand, const char *argument, struct err *err)
{
    if (argument && *operand)
        return err_set(err, N_("'%s': one at a time, '%s' is already given"), argument, *operand);
    *operand = argument ? argument : *operand;
    return true;
}

int command_fail(const struct command *command, const char *message)
{
    fprintf(stderr, "posviz%s%s: %s\n", *command->name ? " " : "", command->name, message);
    return STATUS_USAGE;
}

int command_print(const struct command *command, const char *text, int status, enum lang lang)
{
    if (fputs(text, stdout) >= 0 && fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "posviz%s%s: stdout: %s\n", *command->name ? " " : "", command->name, err_reason(&(struct err){.lang = lang}, errno));
    return STATUS_USAGE;
}
