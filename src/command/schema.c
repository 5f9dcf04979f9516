/* schema.c - `posviz schema model`: a JSON Schema (draft 2020-12) of a line of `posviz model --json`. Codes, schemes and severities are filled
 * in from the tables that the readers use. Fields are added over time and never renamed, so unknown ones are allowed. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "command/command.h"
#include "command/schema.h"
#include "model/facts.h"
#include "model/families.h"

static const char model_schema[] =
    "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\","
    "\"title\": \"posviz model --json\","
    "\"description\": \"What a model file says about position: one object a file, one a line.\","
    "\"type\": \"object\","
    "\"required\": [\"schema\", \"file\", \"source\", \"format\", \"model_type\", \"reading\", \"origin\", \"findings\"],"
    "\"properties\": {"
    "  \"schema\": {\"const\": 1},"
    "  \"file\": {\"type\": \"string\", \"description\": \"the name as given, without control characters\"},"
    "  \"path\": {\"type\": \"string\", \"description\": \"the file that lines and columns of findings count in\"},"
    "  \"source\": {\"type\": [\"object\", \"null\"], \"description\": \"the store of models that the file was found in\","
    "    \"properties\": {\"store\": {\"$ref\": \"#/$defs/text\"}, \"id\": {\"$ref\": \"#/$defs/text\"},"
    "      \"revision\": {\"$ref\": \"#/$defs/text\"}, \"path\": {\"$ref\": \"#/$defs/text\"}}},"
    "  \"format\": {\"enum\": [\"config\", \"gguf\", \"safetensors\", \"npy\"]},"
    "  \"model_type\": {\"$ref\": \"#/$defs/text\"},"
    "  \"summary\": {\"$ref\": \"#/$defs/text\", \"description\": \"one sentence, in English\"},"
    "  \"reading\": {\"description\": \"null: nothing could be read\", \"anyOf\": [{\"type\": \"null\"}, {\"$ref\": \"#/$defs/reading\"}]},"
    "  \"origin\": {\"type\": \"object\", \"description\": \"the key or rule that each field of the reading came from\","
    "    \"additionalProperties\": {\"type\": \"string\"}},"
    "  \"changed\": {\"type\": \"boolean\", \"description\": \"true after edits by -s\"},"
    "  \"findings\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/finding\"}},"
    "  \"target\": {\"type\": \"object\", \"description\": \"what to write for the length of --target\","
    "    \"required\": [\"says\", \"proposals\"], \"properties\": {\"says\": {\"type\": \"string\"}, \"proposals\": {\"type\": \"array\","
    "      \"items\": {\"type\": \"object\", \"required\": [\"method\"], \"properties\": {\"method\": {\"type\": \"string\"}}}}}}"
    "},"
    "\"$defs\": {"
    "  \"number\": {\"type\": [\"number\", \"null\"], \"description\": \"null: not said, or without meaning here\"},"
    "  \"count\": {\"type\": [\"number\", \"null\"], \"minimum\": 0, \"description\": \"null: not said, or without meaning here\"},"
    "  \"text\": {\"type\": [\"string\", \"null\"]},"
    "  \"part\": {\"type\": \"object\", \"description\": \"another part of the model: the same fields, its checks among them\","
    "    \"properties\": {\"scheme\": {\"$ref\": \"#/$defs/scheme\"}, \"base\": {\"$ref\": \"#/$defs/number\"},"
    "      \"context\": {\"$ref\": \"#/$defs/count\"}}},"
    "  \"scheme\": {\"enum\": []},"
    "  \"reading\": {\"type\": \"object\","
    "    \"required\": [\"scheme\", \"layout\", \"rotary_dim\", \"head_dim\", \"num_heads\", \"num_layers\", \"base\", \"scaling_type\", \"factor\","
    "      \"trained_context\", \"context\", \"per_layer\", \"checks\"],"
    "    \"properties\": {"
    "      \"scheme\": {\"$ref\": \"#/$defs/scheme\"},"
    "      \"layout\": {\"enum\": [\"half\", \"interleaved\", \"sin_then_cos\", null],"
    "        \"description\": \"which dimensions form a rotated pair, or how sines and cosines are laid out\"},"
    "      \"rotary_dim\": {\"$ref\": \"#/$defs/count\"}, \"head_dim\": {\"$ref\": \"#/$defs/count\"}, \"softmax_scale\": {\"$ref\": \"#/$defs/number\"},"
    "      \"scale_by_layer\": {\"type\": \"boolean\", \"description\": \"layer l divides the logits by l + 1 as well\"},"
    "      \"num_heads\": {\"$ref\": \"#/$defs/count\"}, \"num_kv_heads\": {\"$ref\": \"#/$defs/count\"},"
    "      \"num_layers\": {\"$ref\": \"#/$defs/count\"}, \"hidden_size\": {\"$ref\": \"#/$defs/count\"},"
    "      \"base\": {\"$ref\": \"#/$defs/number\"}, \"scaling_type\": {\"$ref\": \"#/$defs/text\"}, \"factor\": {\"$ref\": \"#/$defs/number\"},"
    "      \"trained_context\": {\"$ref\": \"#/$defs/count\"}, \"context\": {\"$ref\": \"#/$defs/count\"},"
    "      \"per_layer\": {\"type\": [\"object\", \"null\"], \"description\": \"where layers differ: how many of each kind, windows, bases\"},"
    "      \"checks\": {\"type\": \"object\", \"description\": \"numbers computed from the facts\"},"
    "      \"vision\": {\"$ref\": \"#/$defs/part\"}, \"audio\": {\"$ref\": \"#/$defs/part\"},"
    "      \"encoder\": {\"$ref\": \"#/$defs/part\"}, \"decoder\": {\"$ref\": \"#/$defs/part\"}}},"
    "  \"finding\": {\"type\": \"object\", \"required\": [\"severity\", \"code\", \"field\", \"line\", \"column\", \"message\"],"
    "    \"properties\": {"
    "      \"severity\": {\"enum\": []}, \"code\": {\"enum\": []},"
    "      \"field\": {\"type\": \"string\", \"description\": \"key path in the file; empty: the whole\"},"
    "      \"line\": {\"$ref\": \"#/$defs/place\"}, \"column\": {\"$ref\": \"#/$defs/place\"},"
    "      \"message\": {\"type\": \"string\"}}},"
    "  \"place\": {\"type\": [\"integer\", \"null\"], \"minimum\": 1, \"description\": \"null in binary files\"}"
    "}}";

/* An object inside a tree that is being filled in. */
static struct json *inside(struct json *object, const char *key)
{
    return (struct json *)json_get(object, key);
}

struct json *schema_model(void)
{
    struct err err = {.lang = LANG_EN};
    struct json *schema = json_parse(model_schema, sizeof model_schema - 1, &err), *defs = inside(schema, "$defs");
    struct json *properties = inside(inside(defs, "finding"), "properties");
    struct json *schemes = inside(inside(defs, "scheme"), "enum"), *codes = inside(inside(properties, "code"), "enum");
    for (int i = 0; i < SCHEME_COUNT; i++)
        json_push_string(schemes, scheme_names[i]);
    for (enum severity s = SEVERITY_NOTE; s <= SEVERITY_ERROR; s++)
        json_push_string(inside(inside(properties, "severity"), "enum"), severity_names[s]);
    for (const struct finding_kind *k = finding_kinds; k->code; k++)
        json_push_string(codes, k->code);
    return schema;
}

static int run(int argc, char **argv, enum lang lang)
{
    struct err err = {.lang = lang};
    const char *argument, *name = NULL;
    for (int i = 1; i < argc;) {
        int option = command_next(&command_schema, argc, argv, &i, &argument, lang);
        if (option == COMMAND_HELP)
            return STATUS_DONE;
        if (option == COMMAND_WRONG)
            return STATUS_USAGE;
        if (!command_single(&name, argument, &err))
            return command_fail(&command_schema, err.text);
    }
    name = name ? name : "";
    if (strcmp(name, "model")) {
        if (*name)
            err_set(&err, N_("there is no schema '%s'; there is model"), name);
        else
            err_set(&err, N_("needs one of %s"), "model");
        return command_fail(&command_schema, err.text);
    }
    struct json *schema = schema_model();
    char *printed = json_print(schema, true), *text = xasprintf("%s\n", printed);
    int status = command_print(&command_schema, text, STATUS_DONE, lang);
    free(text);
    free(printed);
    json_free(schema);
    return status;
}

const struct command command_schema = {
    .name = "schema",
    .usage = "model",
    .summary = N_("the JSON Schema of what a verb prints"),
    .help = N_("Prints a JSON Schema (draft 2020-12) of a line of `posviz model --json`, for those who read it by program."),
    .run = run,
};
