#include "app/app.h"

#include <stdio.h>

#include "command/command.h"

int app_main(int argc, char **argv, enum lang lang)
{
    (void)argc;
    (void)argv;
    fprintf(stderr, "posviz: %s\n", lang_text(lang, N_("the screen needs a terminal")));
    return STATUS_USAGE;
}
