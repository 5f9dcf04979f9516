/* version.c - `posviz --version`: the version, and what this program was built with and finds: the first lines of a report about a fault. */
#include <stdio.h>

#include "command/command.h"
#include "core/blas.h"
#include "export/export.h"
#include "term/term.h"

int command_version(enum lang lang)
{
    struct err err = {.lang = lang};
    bool pictures = export_pictures(&err);
    printf("posviz %s\n", POSVIZ_VERSION);
    printf("%-10s %s\n", lang_text(lang, N_("compiler")), __VERSION__);
    printf("%-10s %s\n", lang_text(lang, N_("BLAS")), blas_name());
    printf("%-10s %s\n", lang_text(lang, N_("terminal")), term_library());
    printf("%-10s %s\n", lang_text(lang, N_("pictures")), pictures ? "png svg pdf" : err.text);
    return command_print(&(struct command){.name = "--version"}, "", STATUS_DONE, lang);
}
