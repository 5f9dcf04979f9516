/* model.c - `posviz model FILE...`: what model files say about position, with origin, layers and findings. One file is a report,
 * several are a table with their findings below, --json is one object a line. */
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/watch.h"
#include "command/command.h"
#include "command/model_formats.h"
#include "model/facts.h"

enum {
    OPTION_JSON, OPTION_STRICT, OPTION_SET, OPTION_TARGET, OPTION_FORMAT, OPTION_PLAIN, OPTION_MARKDOWN, OPTION_IGNORE, OPTION_BASELINE,
    OPTION_WRITE_BASELINE, OPTION_EXIT_ZERO, OPTION_QUIET, OPTION_WATCH
};
static const struct command_option options[] = {
    [OPTION_JSON] = {.name = "--json", .help = N_("one JSON object a file, one a line")},
    [OPTION_STRICT] = {.name = "--strict", .help = N_("warnings count as errors")},
    [OPTION_SET] = {.name = "-s", .argument = "KEY=VALUE", .help = N_("what if: read the file as if the key had this value; may be given again")},
    [OPTION_TARGET] = {.name = "--target", .argument = "N", .help = N_("what to write so that the model reaches N tokens, ready to paste")},
    [OPTION_FORMAT] = {.name = "--format", .argument = "NAME", .help = N_("text, json, plain, markdown, github, sarif or junit")},
    [OPTION_PLAIN] = {.name = "--plain", .help = N_("one fact a line, name and value with a tab between, for diff and git's textconv")},
    [OPTION_MARKDOWN] = {.name = "--markdown", .help = N_("a section for a model card")},
    [OPTION_IGNORE] = {.name = "--ignore", .argument = "CODE", .help = N_("leave this kind of finding out (posviz explain lists them); may be given again")},
    [OPTION_BASELINE] = {.name = "--baseline", .argument = "FILE", .help = N_("leave the findings out that this file knows already")},
    [OPTION_WRITE_BASELINE] = {.name = "--write-baseline", .argument = "FILE", .help = N_("write the findings of now as a baseline; they do not count then")},
    [OPTION_EXIT_ZERO] = {.name = "--exit-zero", .help = N_("exit status 0 whatever is found; a file that cannot be read is still 2")},
    [OPTION_QUIET] = {.name = "-q", .help = N_("print nothing; the exit status is the answer")},
    [OPTION_WATCH] = {.name = "--watch", .help = N_("answer again whenever a file changes, until interrupted")},
};

enum { MAX_EDITS = 64, MAX_IGNORED = 64 };

struct run {
    const struct model_format *format;
    bool strict, exit_zero, quiet, watch;
    double target;              /* NAN: none */
    const char *ignored[MAX_IGNORED]; size_t n_ignored;
    const char *baseline, *write_baseline;      /* paths, NULL: none */
    const char *edit[MAX_EDITS]; size_t n_edits;
    const char **file; size_t n_files;
    enum lang lang;
};

/* ---- the verb ------------------------------------------------------------------------------------------------------------------- */

static int status_of(const struct facts *f, const struct run *r)
{
    bool no = false;
    for (size_t i = 0; i < f->n_findings; i++)
        no = no || finding_counts(&f->finding[i], r->strict);
    return f->unreadable ? STATUS_USAGE : no && !r->exit_zero && !r->write_baseline ? STATUS_NO : STATUS_DONE;
}

/* A message for stderr, in the form of the others: "posviz model: FILE: what". */
static void complain(const struct facts *f)
{
    char text[1400];
    const char *message = f->n_findings ? f->finding[0].message : "";
    bool named = !strncmp(message, f->file, strlen(f->file));
    snprintf(text, sizeof text, "%s%s%s", named ? "" : f->file, named ? "" : ": ", message);
    command_fail(&command_model, text);
}

static int print_answer(const struct run *r, const struct model_answer *a)
{
    struct buf out = {0};
    int status = STATUS_DONE;
    for (size_t i = 0; i < a->n; i++) {
        int own = status_of(a->facts[i], r);
        status = own > status ? own : status;
        if (a->facts[i]->unreadable && r->format->complains)
            complain(a->facts[i]);
    }
    if (!r->quiet)
        r->format->print(&out, a);
    char *text = buf_string(&out);
    status = command_print(&command_model, text, status, r->lang);
    free(text);
    return status;
}

static int all_files(const struct run *r)
{
    struct err err = {.lang = r->lang};
    struct model_answer a = {.n = r->n_files, .strict = r->strict, .target = r->target, .lang = r->lang};
    struct json *baseline = r->baseline ? baseline_load(r->baseline, &err) : NULL;
    if (r->baseline && !baseline)
        return command_fail(&command_model, err.text);
    a.facts = xcalloc(a.n, sizeof *a.facts);
    for (size_t i = 0; i < a.n; i++) {
        a.facts[i] = facts_examine(r->file[i], r->edit, r->n_edits, r->lang);
        findings_leave_out(a.facts[i], r->ignored, r->n_ignored, baseline);
    }
    int status = print_answer(r, &a);
    if (r->write_baseline && !baseline_write(r->write_baseline, &a, &err))
        status = command_fail(&command_model, err.text);
    for (size_t i = 0; i < a.n; i++)
        facts_unref(a.facts[i]);
    free(a.facts);
    json_free(baseline);
    return status;
}

/* Until interrupted, or nobody reads any more. The files are followed before they are read, so that no change is missed. */
static int watch_files(const struct run *r)
{
    struct err err = {.lang = r->lang};
    struct watch **watch = xcalloc(r->n_files, sizeof *watch);
    struct pollfd *fd = xcalloc(r->n_files + 1, sizeof *fd);
    int status = STATUS_DONE;
    for (size_t i = 0; i < r->n_files && status == STATUS_DONE; i++) {
        char *path = store_path(r->file[i]);
        watch[i] = watch_new(path, &err);
        free(path);
        if (watch[i])
            fd[i] = (struct pollfd){.fd = watch_fd(watch[i]), .events = POLLIN};
        else
            status = command_fail(&command_model, err.text);
    }
    fd[r->n_files].fd = STDOUT_FILENO;          /* its reader's end is always told */
    bool changed = status == STATUS_DONE;
    while (changed || (status != STATUS_USAGE && poll(fd, (nfds_t)r->n_files + 1, -1) > 0 && !fd[r->n_files].revents)) {
        if (changed)
            status = all_files(r) == STATUS_NO ? STATUS_NO : STATUS_DONE;
        changed = false;
        for (size_t i = 0; i < r->n_files; i++)
            changed = watch_changed(watch[i]) || changed;
    }
    for (size_t i = 0; i < r->n_files; i++)
        watch_free(watch[i]);
    free(watch);
    free(fd);
    return status;
}

static bool take_format(struct run *r, const char *name, struct err *err)
{
    return (r->format = model_format_find(name, err)) != NULL;
}

static bool take_ignored(struct run *r, const char *code, struct err *err)
{
    if (r->n_ignored == MAX_IGNORED)
        return err_set(err, N_("--ignore can be given at most %d times"), MAX_IGNORED);
    r->ignored[r->n_ignored++] = code;
    return finding_kind_exists(code, err);
}

static bool take_option(struct run *r, int option, const char *argument, struct err *err)
{
    char *end;
    switch (option) {
    case OPTION_JSON:
        return take_format(r, "json", err);
    case OPTION_PLAIN:
        return take_format(r, "plain", err);
    case OPTION_MARKDOWN:
        return take_format(r, "markdown", err);
    case OPTION_FORMAT:
        return take_format(r, argument, err);
    case OPTION_IGNORE:
        return take_ignored(r, argument, err);
    case OPTION_BASELINE:
        r->baseline = argument;
        return true;
    case OPTION_WRITE_BASELINE:
        r->write_baseline = argument;
        return true;
    case OPTION_QUIET:
        return r->quiet = true;
    case OPTION_WATCH:
        return r->watch = true;
    case OPTION_EXIT_ZERO:
        return r->exit_zero = true;
    case OPTION_STRICT:
        r->strict = true;
        return true;
    case OPTION_TARGET:
        r->target = strtod(argument, &end);
        return (end != argument && !*end && r->target >= 1 && r->target <= 1e12) ||
               err_set(err, N_("--target %s: must be a number of tokens from 1 to 1e12"), argument);
    default:
        if (r->n_edits == MAX_EDITS)
            return err_set(err, N_("-s can be given at most %d times"), MAX_EDITS);
        r->edit[r->n_edits++] = argument;
        return true;
    }
}

static int run_model(int argc, char **argv, enum lang lang)
{
    struct run r = {.format = model_formats, .target = NAN, .lang = lang, .file = xcalloc((size_t)argc + 1, sizeof *r.file)};
    struct err err = {.lang = lang};
    int status = STATUS_DONE;
    for (int i = 1; i < argc && status == STATUS_DONE;) {
        const char *argument;
        int option = command_next(&command_model, argc, argv, &i, &argument, lang);
        if (option == COMMAND_WRONG || option == COMMAND_HELP) {
            free(r.file);
            return option == COMMAND_WRONG ? STATUS_USAGE : STATUS_DONE;
        }
        if (option != COMMAND_OPERAND && !take_option(&r, option, argument, &err))
            status = command_fail(&command_model, err.text);
        else if (option == COMMAND_OPERAND && argument)
            r.file[r.n_files++] = argument;
    }
    if (status == STATUS_DONE && !r.n_files) {
        err_set(&err, N_("needs a model: a config.json, GGUF or safetensors file, a folder, or a name that `posviz models` lists"));
        status = command_fail(&command_model, err.text);
    } else if (status == STATUS_DONE) {
        status = r.watch ? watch_files(&r) : all_files(&r);
    }
    free(r.file);
    return status;
}

const struct command command_model = {
    .name = "model",
    .usage = "FILE... [--json | --format NAME] [--strict] [--target N] [-s KEY=VALUE]...",
    .summary = N_("what model files say about position, and what is wrong with it"),
    .help = N_("Reads the position encoding out of model files: a config.json, a GGUF file, safetensors (one file or the index of several), a folder (its config.json, "
               "with the weights beside it), - for standard input, or a name in a local store of models (posviz models lists them): scheme, base, scaling, lengths, "
               "layers, what q.k is multiplied by where it is not 1/sqrt(head_dim), each fact with the key or rule it comes from; and says what is wrong, what it does to the model, and what to write instead. Exit status: 0, 1 after an "
               "error finding (with --strict also after a warning), 2 if a file cannot be read.\n"
               "With -m FILE or -p PRESET, and the options of the screen, it opens the view of that name: posviz model -m FILE --theme light."),
    .options = options, .n_options = sizeof options / sizeof *options,
    .run = run_model,
};
