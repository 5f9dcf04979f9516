/* command.h - the verbs of the command line. Adding one: a file in src/command/ that ends with
 * `const struct command command_NAME`, and a line in commands.def.
 *
 * Exit status: 0 done; 1 the answer is no; 2 wrong usage or unreadable input. Data goes to stdout, messages to stderr. */
#ifndef POSVIZ_COMMAND_COMMAND_H
#define POSVIZ_COMMAND_COMMAND_H

#include <stddef.h>
#include "base/err.h"
#include "base/lang.h"

enum { STATUS_DONE, STATUS_NO, STATUS_USAGE };

struct command_option {
    const char *name;           /* "--json"; "-s" and the like too */
    const char *argument;       /* "KEY=VALUE", or NULL: a flag */
    const char *help;           /* N_() */
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

/* Reads one option at argv[*i], moving *i past it and its argument. Returns its index in command->options, -1 for an operand (then
 * argv[*i] is the operand and *i is moved past it), -2 after a message for an unknown option or a missing argument, -3 for --help
 * (printed). Takes --name=value, --name value, -x value; "--" ends options (*i jumps past it and later calls give -1). */
int command_next(const struct command *command, int argc, char **argv, int *i, const char **argument, enum lang lang);
/* Prints "posviz VERB: message" to stderr; returns STATUS_USAGE. */
int command_fail(const struct command *command, const char *message);
/* Writes text to stdout; when stdout is closed or full, a message and STATUS_USAGE, else status. */
int command_print(const struct command *command, const char *text, int status);

#endif
