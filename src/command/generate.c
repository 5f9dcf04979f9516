/* generate.c - `posviz generate WHAT`: the man page, shell completions and the tables of the README, made from the very tables that the
 * program works by, so that they cannot disagree with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/keys.h"
#include "app/view.h"
#include "base/buf.h"
#include "command/command.h"
#include "command/completion.h"
#include "command/man.h"

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

/* ---- the verb ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    void (*write)(struct buf *t, enum lang l);
} kinds[] = {
    {"man", man_page}, {"complete-bash", completion_bash}, {"complete-zsh", completion_zsh}, {"complete-fish", completion_fish},
    {"readme-views", readme_views}, {"readme-encodings", readme_encodings}, {"readme-keys", readme_keys},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* What the scripts for shells ask. */
static int print_words(const char *behind, enum lang lang)
{
    struct buf t = {0};
    completion_words(&t, behind);
    char *text = buf_string(&t);
    int status = command_print(&command_generate, text, STATUS_DONE, lang);
    free(text);
    return status;
}

static int run(int argc, char **argv, enum lang lang)
{
    const char *argument, *what = NULL, *behind = NULL;
    struct err err = {.lang = lang};
    for (int i = 1; i < argc;) {
        int option = command_next(&command_generate, argc, argv, &i, &argument, lang);
        if (option == COMMAND_HELP)
            return STATUS_DONE;
        if (option == COMMAND_WRONG)
            return STATUS_USAGE;
        bool words = what && !strcmp(what, "words");            /* of one option or verb */
        if (!command_single(words ? &behind : &what, argument, &err))
            return command_fail(&command_generate, err.text);
    }
    if (what && !strcmp(what, "words"))
        return print_words(behind ? behind : "", lang);
    for (size_t k = 0; what && k < N_KINDS; k++) {
        if (strcmp(kinds[k].name, what))
            continue;
        struct buf t = {0};
        kinds[k].write(&t, lang);
        char *text = buf_string(&t);
        int status = command_print(&command_generate, text, STATUS_DONE, lang);
        free(text);
        return status;
    }
    char names[200] = "";
    for (size_t k = 0; k < N_KINDS; k++) {
        size_t at = strlen(names);
        snprintf(names + at, sizeof names - at, "%s%s", k ? ", " : "", kinds[k].name);
    }
    if (what)
        err_set(&err, N_("'%s': allowed are %s"), what, names);
    else
        err_set(&err, N_("needs one of %s"), names);
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
