/* start.h - what the screen is started with. */
#ifndef POSVIZ_APP_START_H
#define POSVIZ_APP_START_H

#include "app/options.h"

/* A verb that opens the screen puts OPTIONS_ROWS and SCREEN_ROWS first into its table. */
struct start {
    struct options options;
    bool no_mouse, print_command, test_sync, test_clock;
    int ambiguous;                      /* cells of an ambiguous character; 0: the terminal is asked */
    bool accessible;                    /* a dialogue instead of the screen (dialogue.h) */
    const char *copy_command;           /* NULL: none of their own */
    struct lecture *lecture;            /* NULL: nobody lectures (lecture.h) */
};
enum {
    SCREEN_RESUME = OPTIONS_COUNT, SCREEN_NO_MOUSE, SCREEN_AMBIGUOUS, SCREEN_PRINT_COMMAND, SCREEN_COPY_COMMAND, SCREEN_ACCESSIBLE, SCREEN_TEST_SYNC, SCREEN_TEST_CLOCK, SCREEN_COUNT
};
/* The last two are for tests: answer a ping once idle; play a frame for each Ctrl-T only. */
#define SCREEN_ROWS \
    [SCREEN_RESUME] = {"--resume", NULL, N_("start where the program was left")}, \
    [SCREEN_NO_MOUSE] = {"--no-mouse", NULL, N_("leave the mouse to the terminal")}, \
    [SCREEN_AMBIGUOUS] = {"--ambiguous", "1|2", N_("cells that this terminal gives to frames, blocks and Greek; found out unless given")}, \
    [SCREEN_PRINT_COMMAND] = {"--print-command", NULL, N_("on leaving, print the command line that shows the last screen again")}, \
    [SCREEN_COPY_COMMAND] = {"--copy-command", "COMMAND", N_("give what is copied to this command, not to tmux or the terminal")}, \
    [SCREEN_ACCESSIBLE] = {"--accessible", NULL, N_("a dialogue in plain lines of text, for screen readers; also with ACCESSIBLE=1")}, \
    [SCREEN_TEST_SYNC] = {"--test-sync", NULL, NULL}, \
    [SCREEN_TEST_CLOCK] = {"--test-clock", NULL, NULL}
extern const struct command_option start_options[SCREEN_COUNT];        /* without a verb */
/* Takes an option below SCREEN_COUNT; false and a message: its argument does not fit. argument is borrowed. */
bool start_take(struct start *start, int option, const char *argument, struct err *err);
bool start_on_terminal(void);                     /* both ends of this process are one */
/* Is the dialogue in lines wanted: by the option, or by ACCESSIBLE in the environment? */
bool start_accessible(const struct start *start);

#endif
