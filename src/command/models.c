/* models.c - `posviz models`: the models that other programs keep on this machine, by the names that every verb takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "command/command.h"
#include "command/report.h"
#include "model/store.h"

enum { OPTION_JSON, OPTION_QUIET };
static const struct command_option options[] = {
    [OPTION_JSON] = {.name = "--json", .help = N_("one JSON object: name, store, id, revision and path of each")},
    [OPTION_QUIET] = {.name = "-q", .help = N_("names alone, one a line (for completion)")},
};

static void add_name(const struct store_entry *entry, void *context)
{
    char clean[1200];
    if (strcmp(utf8_sanitise(clean, sizeof clean, entry->name), entry->name))
        return;                             /* it could not be given back */
    buf_text(context, clean);
    buf_text(context, "\n");
}

static void add_row(const struct store_entry *entry, void *context)
{
    char start[16], revision[40], clean[400];
    snprintf(start, sizeof start, "%.12s", *entry->source.revision ? entry->source.revision : "-");
    utf8_sanitise(revision, sizeof revision, start);
    report_column(context, utf8_sanitise(clean, sizeof clean, entry->name), 56);
    report_column(context, entry->source.store, 14);
    buf_text(context, revision);
    buf_text(context, "\n");
}

static void looked_in(struct buf *out, enum lang lang)
{
    char *places = store_places(lang);
    buf_text(out, lang_text(lang, N_("No models in the local stores. Looked in\n")));
    buf_text(out, places);
    buf_text(out, "\n");
    free(places);
}

static void list_json(struct buf *out)
{
    struct json *json = store_list_json();
    char *text = json_print(json, false);
    buf_text(out, text);
    buf_text(out, "\n");
    free(text);
    json_free(json);
}

static int run_models(int argc, char **argv, enum lang lang)
{
    struct buf out = {0};
    bool as_json = false, quiet = false;
    for (int i = 1; i < argc;) {
        const char *argument;
        int option = command_next(&command_models, argc, argv, &i, &argument, lang);
        if (option == COMMAND_WRONG || option == COMMAND_HELP)
            return option == COMMAND_WRONG ? STATUS_USAGE : STATUS_DONE;
        as_json = as_json || option == OPTION_JSON;
        quiet = quiet || option == OPTION_QUIET;
        struct err err = {.lang = lang};
        if (option == COMMAND_OPERAND && argument) {
            err_set(&err, N_("takes no file: it lists what the local stores hold"));
            return command_fail(&command_models, err.text);
        }
    }
    if (as_json)
        list_json(&out);
    else
        store_list(quiet ? add_name : add_row, &out);
    if (!out.n && !quiet)
        looked_in(&out, lang);
    char *text = buf_string(&out);
    int status = command_print(&command_models, text, STATUS_DONE, lang);
    free(text);
    return status;
}

const struct command command_models = {
    .name = "models",
    .usage = "[--json] [-q]",
    .summary = N_("models in the local stores of other programs"),
    .help = N_("Lists what the caches of Hugging Face (transformers, vLLM, MLX, llama.cpp), ModelScope, Ollama and LM Studio hold, by names that `posviz model`, "
               "`posviz diff` and -m take. NAME@REVISION chooses a revision, NAME:PART or NAME/FILE one of several GGUF files; a prefix (hf:, modelscope:, ollama:, "
               "lmstudio:) one store. Nothing is ever downloaded. POSVIZ_MODEL_PATH names a folder like LM Studio's that lies elsewhere."),
    .options = options, .n_options = sizeof options / sizeof *options,
    .run = run_models,
};
