/* start.c - the options that the screen is started with, from the command line and from the user's file. */
#include "app/start.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct command_option start_options[SCREEN_COUNT] = {OPTIONS_ROWS, SCREEN_ROWS};

static bool take_ambiguous(struct start *start, const char *text, struct err *err)
{
    start->ambiguous = !strcmp(text, "1") ? 1 : !strcmp(text, "2") ? 2 : 0;
    return start->ambiguous || err_set(err, N_("--ambiguous = %s: allowed are 1 and 2"), text);
}

bool start_take(struct start *start, int option, const char *argument, struct err *err)
{
    switch (option) {
    case SCREEN_RESUME:     return start->options.resume = true;
    case SCREEN_NO_MOUSE:   return start->no_mouse = true;
    case SCREEN_AMBIGUOUS:  return take_ambiguous(start, argument, err);
    case SCREEN_PRINT_COMMAND: return start->print_command = true;
    case SCREEN_ACCESSIBLE: return start->accessible = true;
    case SCREEN_COPY_COMMAND:
        start->copy_command = argument;
        return true;
    case SCREEN_TEST_SYNC:  return start->test_sync = true;
    case SCREEN_TEST_CLOCK: return start->test_clock = true;
    }
    return options_take(&start->options, option, argument, err);
}

bool start_on_terminal(void)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

bool start_accessible(const struct start *start)
{
    const char *wish = getenv("ACCESSIBLE");
    return start->accessible || (wish && *wish && strcmp(wish, "0"));
}
