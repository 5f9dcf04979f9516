/* wizard.c - the selection wizard without its screen: answers in, a report out. On a terminal it opens the screen at these
 * answers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/config.h"
#include "base/mem.h"
#include "command/command.h"
#include "scenario/scenario.h"
#include "wizard/wizard.h"

extern const struct command command_wizard;

enum { WIZARD_ANSWER = SCREEN_COUNT, WIZARD_TRAINED, WIZARD_TARGET, WIZARD_BASE, WIZARD_ROTARY_DIM, WIZARD_WEIGHT, WIZARD_LOAD, WIZARD_DATA,
       WIZARD_JSON, WIZARD_MARKDOWN, WIZARD_COUNT };
static const struct command_option options[] = {
    OPTIONS_ROWS,
    SCREEN_ROWS,
    [WIZARD_ANSWER] = {"--answer", "QUESTION=ANSWER", N_("answer a question; may be given again")},
    [WIZARD_TRAINED] = {"--trained", "N", N_("length the model was trained on, in tokens (with --target: answers the ratio)")},
    [WIZARD_TARGET] = {"--target", "N", N_("length it is to be used at, in tokens")},
    [WIZARD_BASE] = {"--base", "B", N_("rope_theta of the checkpoint, for the computed factors")},
    [WIZARD_ROTARY_DIM] = {"--rotary-dim", "D", N_("rotated channels a head, for the computed factors")},
    [WIZARD_WEIGHT] = {"--weight", "CRITERION=W", N_("your own weight of a criterion instead of the answers'; may be given "
                                                     "again")},
    [WIZARD_LOAD] = {"--load", "FILE", N_("start from a report saved with --json")},
    [WIZARD_DATA] = {"--data", "FILE", N_("another evidence file instead of the built-in one (a report only, no screen)")},
    [WIZARD_JSON] = {"--json", NULL, N_("print the report as JSON")},
    [WIZARD_MARKDOWN] = {"--markdown", NULL, N_("print the report as Markdown")},
};

enum { MAX_GIVEN = 64, MAX_FILE = 16 << 20 };
struct request {
    struct start start;
    const char *answer[MAX_GIVEN], *weight[MAX_GIVEN];
    size_t n_answers, n_weights;
    const char *text[WIZARD_COUNT];             /* the last argument of each option */
    bool flag[WIZARD_COUNT];
};

static bool push(const char **list, size_t *n, const char *argument, struct err *err)
{
    if (*n == MAX_GIVEN)
        return err_set(err, N_("%s: at most %d of these can be given"), argument, MAX_GIVEN);
    list[(*n)++] = argument;
    return true;
}

static bool take(struct request *r, int option, const char *argument, struct err *err)
{
    if (option < SCREEN_COUNT)
        return start_take(&r->start, option, argument, err);
    r->flag[option] = true;
    r->text[option] = argument;
    if (option == WIZARD_ANSWER)
        return push(r->answer, &r->n_answers, argument, err);
    return option != WIZARD_WEIGHT || push(r->weight, &r->n_weights, argument, err);
}

/* "name=value" in two. */
static bool split(const char *text, char name[64], const char **value, struct err *err)
{
    size_t n = strcspn(text, "=");
    if (!text[n] || n == 0 || n >= 64)
        return err_set(err, N_("\"%s\": must be NAME=VALUE"), text);
    snprintf(name, 64, "%.*s", (int)n, text);
    *value = text + n + 1;
    return true;
}

static double parse_number(const char *text)
{
    char *end;
    double x = strtod(text, &end);
    return *text && !*end ? x : NAN;
}

static bool take_numbers(const struct request *r, struct walk *w, struct err *err)
{
    const struct { int option; double *to; } numbers[] = {
        {WIZARD_TRAINED, &w->trained}, {WIZARD_TARGET, &w->target}, {WIZARD_BASE, &w->base}, {WIZARD_ROTARY_DIM, &w->rotary_dim},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!r->flag[numbers[i].option])
            continue;
        *numbers[i].to = parse_number(r->text[numbers[i].option]);
        if (isnan(*numbers[i].to))
            return err_set(err, N_("%s = \"%s\": must be a number"), options[numbers[i].option].name, r->text[numbers[i].option]);
    }
    return true;
}

static bool load(const struct book *book, const char *path, struct walk *w, struct err *err)
{
    struct json *json = json_load_named(path, MAX_FILE, err);
    bool good = json && walk_from_json(book, w, json, err);
    json_free(json);
    return good || (json && err_prefix(err, "%s", path));
}

static bool make_walk(const struct book *book, const struct request *r, struct walk *w, struct err *err)
{
    char name[64];
    const char *value;
    walk_init(w);
    if (r->flag[WIZARD_LOAD] && !load(book, r->text[WIZARD_LOAD], w, err))
        return false;
    for (size_t i = 0; i < r->n_answers; i++)
        if (!split(r->answer[i], name, &value, err) || !walk_answer(book, w, name, value, err))
            return false;
    for (size_t i = 0; i < r->n_weights; i++)
        if (!split(r->weight[i], name, &value, err) || !walk_weight(book, w, name, parse_number(value), err))
            return false;
    return take_numbers(r, w, err) && walk_settle(book, w, err);
}

static int print_report(const struct book *book, const struct walk *w, bool as_json, struct err *err)
{
    struct json *json = as_json ? wizard_json(book, w, err) : NULL;
    char *text = json ? json_print(json, true) : as_json ? NULL : wizard_markdown(book, w, err->lang, err);
    char *line = text && as_json ? xasprintf("%s\n", text) : NULL;
    int status = text ? command_print(&command_wizard, line ? line : text, STATUS_DONE, err->lang)
        : command_fail(&command_wizard, err->text);
    free(line);
    free(text);
    json_free(json);
    return status;
}

/* Does an option say something about the answers? Else those of -s walk=... or --resume stand. */
static bool answers(const struct request *r)
{
    bool given = false;
    for (int option = WIZARD_ANSWER; option <= WIZARD_LOAD; option++)
        given = given || r->flag[option];
    return given;
}

static int open_screen(const struct book *book, const struct walk *w, struct request *r, struct err *err)
{
    char set[SCENARIO_TEXT_MAX + 8] = "walk=";
    walk_to_text(book, w, set + 5, SCENARIO_TEXT_MAX);
    r->start.options.view = "wizard";
    if (answers(r) && !options_take(&r->start.options, OPTION_SET, set, err))
        return command_fail(&command_wizard, err->text);
    return app_screen(&r->start, &command_wizard, err);
}

static struct book *load_data(const char *path, struct err *err)
{
    struct json *json = json_load_named(path, MAX_FILE, err);
    struct book *book = json ? wizard_load(json, err) : NULL;
    if (json && !book)
        err_prefix(err, "%s", path);
    return book;
}

/* The screen, or the dialogue in its place; else a report. */
static bool wants_screen(const struct request *r)
{
    bool report = r->flag[WIZARD_JSON] || r->flag[WIZARD_MARKDOWN] || r->flag[WIZARD_DATA];
    return !report && (start_on_terminal() || start_accessible(&r->start));
}

static int run(int argc, char **argv, enum lang lang)
{
    struct request r = {.n_answers = 0};
    struct err err = {.lang = lang};
    const char *argument;
    options_init(&r.start.options, lang);
    if (!config_options(&r.start, &err))
        return command_fail(&command_wizard, err.text);
    struct options kept = r.start.options;
    for (int i = 1; i < argc;) {
        int option = command_next(&command_wizard, argc, argv, &i, &argument, lang);
        if (option == COMMAND_HELP)
            return STATUS_DONE;
        if (option == COMMAND_WRONG)
            return STATUS_USAGE;
        if (option == COMMAND_OPERAND && argument)
            return err_set(&err, N_("\"%s\": not expected; answers are given with --answer"), argument),
                command_fail(&command_wizard, err.text);
        if (option >= 0 && !take(&r, option, argument, &err))
            return command_fail(&command_wizard, err.text);
    }
    options_prefer(&r.start.options, &kept);
    struct book *own = r.flag[WIZARD_DATA] ? load_data(r.text[WIZARD_DATA], &err) : NULL;
    const struct book *book = r.flag[WIZARD_DATA] ? own : wizard_book(&err);
    struct walk w;
    int status;
    if (!book || !make_walk(book, &r, &w, &err))
        status = command_fail(&command_wizard, err.text);
    else if (wants_screen(&r))
        status = open_screen(book, &w, &r, &err);
    else
        status = print_report(book, &w, r.flag[WIZARD_JSON], &err);
    wizard_free(own);
    return status;
}

const struct command command_wizard = {
    .name = "wizard",
    .usage = "[--answer QUESTION=ANSWER]... [--json | --markdown]",
    .summary = N_("chooses a position encoding, or a context extension, from your answers"),
    .help = N_("Three branches: what the selection guide recommends (start=guide), a ranking by measured evidence "
               "(start=new), and how to "
               "extend a checkpoint (start=checkpoint). Answers that presuppose others imply them: doc_scenario=S4 is enough.\n"
               "While questions are open, the report names the next one with its answers (\"next\" in JSON) and the exit "
               "status is 0; "
               "a question or answer that does not exist, or is not asked after the others, is an error. Without a terminal "
               "the report "
               "is Markdown. The other options are those of every view on the screen."),
    .options = options, .n_options = sizeof options / sizeof *options,
    .run = run,
};
