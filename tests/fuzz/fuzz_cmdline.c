/* The command line: each line an argument, the first the verb. bench runs other programs, so it is left out. */
#include "../support/fuzz.h"
#include "app/app.h"
#include "command/command.h"

enum { ARGS_MAX = 24 };

static const struct command *verb(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (!strcmp(commands[i]->name, name))
            return commands[i];
    return &app_command;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *argv[ARGS_MAX + 1] = {0}, *rest = text;
    int argc = 0;
    for (char *arg; argc < ARGS_MAX && (arg = strsep(&rest, "\n")) != NULL;)
        argv[argc++] = arg;
    bool slow = strchr(text, '/') != NULL;      /* files of this machine */
    for (int i = 0; i < argc; i++)
        slow = slow || fuzz_is_slow(argv[i]);
    if (!slow && strcmp(argv[0], "bench") != 0)
        verb(argv[0])->run(argc, argv, LANG_EN);
    free(text);
    return 0;
}
