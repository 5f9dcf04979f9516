/* command.h - the verbs of the command line. Adding one: a file in src/command/ that ends with
 * `const struct command command_NAME`, and a line in commands.def.
 *
 * Exit status: 0 done; 1 the answer is no; 2 wrong usage or unreadable input. Data goes to stdout, messages to stderr. */
#ifndef POSVIZ_COMMAND_COMMAND_H
#define POSVIZ_COMMAND_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"
#include "base/lang.h"

enum { STATUS_DONE, STATUS_NO, STATUS_USAGE };

struct command_option {
    const char *name;           /* "--json"; "-s" and the like too */
    const char *argument;       /* "KEY=VALUE", or NULL: a flag */
    const char *help;           /* N_(); NULL: known to tests alone, and not listed */
};
struct command {
    const char *name;
    const char *usage;          /* "[FILE]" */
    const char *summary;        /* N_(): one line */
    const char *help;           /* N_(): paragraphs */
    const struct command_option *options; size_t n_options;
    /* argv[0] is the verb. */
    int (*run)(int argc, char **argv, enum lang lang);
};
extern const struct command *const commands[];          /* NULL-terminated */
const struct command *command_find(const char *name);   /* NULL: no verb */
#define COMMAND(name) extern const struct command command_##name;
#include "command/commands.def"
#undef COMMAND

/* Reads what stands at argv[*i] and moves *i past it and its argument. Returns the option's index in command->options, or one of
 * these. Takes --name=value, --name value, -x value; after "--" everything is an operand.
 *     for (int i = 1; i < argc;)
 *         switch (command_next(&command_foo, argc, argv, &i, &argument, lang)) { ... } */
enum {
    COMMAND_OPERAND = -1,       /* *argument is the operand; NULL where "--" came last and there is none */
    COMMAND_WRONG = -2,         /* unknown option or missing argument; the message is printed: return STATUS_USAGE */
    COMMAND_HELP = -3           /* --help, or -h in short, is printed: return STATUS_DONE */
};
int command_next(const struct command *command, int argc, char **argv, int *i, const char **argument, enum lang lang);
/* Takes the only operand that a verb has (NULL is passed over); false and a message if there is one already. */
bool command_single(const char **operand, const char *argument, struct err *err);
/* --lang and --help, which all have. */
enum { COMMAND_N_COMMON = 2 };
extern const struct command_option command_common[COMMAND_N_COMMON];
/* Prints a table of options, with those. */
void command_options(const struct command_option *options, size_t n, enum lang lang);
/* Prints "posviz VERB: message" to stderr; returns STATUS_USAGE. */
int command_fail(const struct command *command, const char *message);
/* Writes text to stdout; when stdout is closed or full, a message and STATUS_USAGE, else status. */
int command_print(const struct command *command, const char *text, int status, enum lang lang);
/* `posviz --version` (version.c). Returns the exit status. */
int command_version(enum lang lang);

#endif
