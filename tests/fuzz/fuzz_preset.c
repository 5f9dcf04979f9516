/* Presets: any bytes as a scenario. What loads is opened, saved and loaded again, and must be the same. */
#include "../support/fuzz.h"
#include "scenario/scenario.h"

static struct json *again(const struct json *json, struct err *err)
{
    char *text = json_print(json, true);
    struct json *copy = json_parse(text, strlen(text), err);
    free(text);
    return copy;
}

static void must_come_back(const struct json *saved, struct err *err)
{
    struct scenario t;
    scenario_init(&t);
    if (!scenario_from_json(&t, saved, err)) {
        fprintf(stderr, "saved, and refused: %s\n", err->text);
        abort();
    }
    struct json *json = scenario_to_json(&t);
    char *a = json_print(saved, true), *b = json_print(json, true);
    if (strcmp(a, b) != 0) {
        fprintf(stderr, "saved:\n%s\nsaved again:\n%s\n", a, b);
        abort();
    }
    free(a);
    free(b);
    json_free(json);
    scenario_done(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct err err = {.lang = LANG_EN};
    struct scenario s;
    scenario_init(&s);
    if (scenario_load_preset(&s, fuzz_file(data, size), &err)) {
        struct json *saved = scenario_to_json(&s), *parsed = again(saved, &err);
        if (!parsed)
            abort();
        must_come_back(parsed, &err);
        json_free(parsed);
        json_free(saved);
        if (s.shape.length <= 4096 && s.shape.d_head <= 256 && s.shape.d_model <= 1024 && s.shape.n_heads <= 64)
            layer_close(scenario_layer(&s, &err));
    }
    scenario_done(&s);
    return 0;
}
