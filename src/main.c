/* main.c - the command line: which command, nothing else. A first word that is a verb runs it; everything else opens
 * the screen. */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "app/config.h"
#include "app/view.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/near.h"
#include "command/command.h"
#include "core/blas.h"
#include "scenario/scenario.h"

/* The verb or view that is one or two letters from a word, NULL if none is. */
static const char *near_word(const char *word)
{
    enum { NEAR = 2 };
    const char *best = NULL;
    size_t least = strlen(word) > NEAR ? NEAR + 1 : 0;
    for (size_t i = 0, d; commands[i]; i++)
        if ((d = edit_distance(word, commands[i]->name, true)) < least) {
            least = d;
            best = commands[i]->name;
        }
    for (size_t v = 0, d; v < VIEW_COUNT; v++)
        if ((d = edit_distance(word, view_ids[v], true)) < least) {
            least = d;
            best = view_ids[v];
        }
    return best;
}

/* A first word that is neither: a slip of the finger, or a file without -m. */
static int refuse_word(const char *word, struct err *err)
{
    const char *near = near_word(word);
    if (near)
        err_set(err, N_("there is no verb or view '%s'; '%s' may be meant"), word, near);
    else if (access(word, F_OK) == 0)
        err_set(err, N_("'%s' is a file, no verb or view; `posviz -m FILE` shows a model file, `posviz model FILE` says what is in it"), word);
    else
        err_set(err, N_("there is no verb or view '%s'; `posviz --help` lists the verbs, `posviz list views` the views"), word);
    fprintf(stderr, "posviz: %s\n", err->text);
    return STATUS_USAGE;
}

/* `posviz model -m FILE` and the like show the view of that name; the verb takes its files without an option. */
static bool shows_model(int argc, char **argv)
{
    static const char *const chooses[] = {"-m", "-p", "--from", "--resume"};
    bool shows = false;
    for (int i = 2; i < argc && strcmp(argv[i], "--"); i++)
        for (size_t k = 0, n = strcspn(argv[i], "="); k < sizeof chooses / sizeof *chooses; k++)
            shows = shows || (strlen(chooses[k]) == n && !strncmp(argv[i], chooses[k], n));
    return shows;
}

/* brief: a line a verb and a line an option. */
static int print_help(bool brief, enum lang lang)
{
    printf(brief ? "posviz %s\n" : "posviz %s\n    %s\n", app_command.usage, lang_text(lang, app_command.summary));
    for (size_t i = 0; commands[i]; i++)
        if (brief)
            printf("posviz %-9s %s\n", commands[i]->name, lang_text(lang, commands[i]->summary));
        else
            printf("posviz %s %s\n    %s\n", commands[i]->name, commands[i]->usage, lang_text(lang, commands[i]->summary));
    printf("posviz --version\n%s", brief ? "" : "\n");
    command_options(app_command.options, app_command.n_options, lang);
    if (!brief)
        printf("\n%s\n", lang_text(lang, N_("`posviz VERB --help` explains a verb, `posviz list views` names the views.")));
    return command_print(&app_command, "", STATUS_DONE, lang);
}

/* Takes --lang NAME and --lang=NAME out of argv, wherever they stand before "--". */
static bool take_lang(int *argc, char **argv, enum lang *lang, struct err *err)
{
    int kept = 1;
    for (int i = 1; i < *argc; i++) {
        const char *name = !strncmp(argv[i], "--lang=", 7) ? argv[i] + 7 : NULL;
        if (!strcmp(argv[i], "--")) {
            while (i < *argc)
                argv[kept++] = argv[i++];
            break;
        }
        if (!strcmp(argv[i], "--lang") && !(name = argv[++i]))
            return err_set(err, N_("option %s needs a value"), "--lang");
        if (!name)
            argv[kept++] = argv[i];
        else if (!options_lang(name, lang, err))
            return false;
        else
            lang_ask();
    }
    argv[kept] = NULL;
    *argc = kept;
    return true;
}

/* A standard descriptor that is closed would be given to the next file that is opened, and messages would be written into it. In its place
 * comes one that cannot be used for what it is there for, so that the program still notices. */
static void keep_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static enum lang language = LANG_EN;

/* A pipe that nobody writes to or reads keeps the program; without a word it would seem to hang. */
static void say_waiting(const char *path)
{
    struct err err = {.lang = language};
    err_set(&err, N_("waiting for the other end of the pipe %s"), path);
    fprintf(stderr, "posviz: %s\n", err.text);
}

int main(int argc, char **argv)
{
    mem_keep_stack();
    keep_standard_descriptors();
    blas_alone();
    signal(SIGXFSZ, SIG_IGN);       /* a limit of file sizes is a message, like a full disk */
    setlocale(LC_CTYPE, "");
    enum lang lang = lang_from_environment();
    config_lang(&lang);
    struct err err = {.lang = lang};
    if (!take_lang(&argc, argv, &lang, &err)) {
        fprintf(stderr, "posviz: %s\n", err.text);
        return STATUS_USAGE;
    }
    language = err.lang = lang;
    mem_words(lang_text(lang, N_("out of memory")));
    file_on_wait(say_waiting);
    if (argv[1] && !strncmp(argv[1], "--generate=", 11)) {
        argv[1] += 11;
        return command_generate.run(argc, argv, lang);
    }
    if (argv[1] && !strcmp(argv[1], "--generate"))          /* as other programs spell the verb */
        return command_generate.run(argc - 1, argv + 1, lang);
    const struct command *command = argv[1] ? command_find(argv[1]) : NULL;
    if (command && !(command == &command_model && shows_model(argc, argv)))
        return command->run(argc - 1, argv + 1, lang);
    if (argv[1] && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
        return print_help(argv[1][1] == 'h', lang);
    if (argv[1] && !strcmp(argv[1], "--version"))
        return command_version(lang);
    if (argv[1] && *argv[1] != '-' && !view_find(argv[1]))
        return refuse_word(argv[1], &err);
    return app_main(argc, argv, lang);
}
