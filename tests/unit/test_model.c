/* test_model.c - model configurations are read as their models compute. If it fails, a user is shown a wrong base, length or scaling for
 * a real file, or a broken file passes without a word.
 *
 * tests/cases/EXPECTED.json holds real and broken files with the right readings (its _about defines the names); tests/cases/more.json
 * holds further ones, with numbers worked out from the published formulas: {name, config | text, reading, severity, codes, not_codes,
 * says, unreadable}. A name of a reading is looked for at any depth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../support/files.h"
#include "../support/findings.h"
#include "base/file.h"
#include "json/json.h"
#include "model/target.h"

enum { FILE_MAX = 4 << 20 };

/* ---- comparing ------------------------------------------------------------------------------------------------ */

/* Numbers with six digits in the expectations. */
static bool is_rounded(const char *key, double w)
{
    return w != floor(w) || !strncmp(key, "wavelength", 10) || !strncmp(key, "base_at", 7);
}

/* Whole numbers exactly, rounded ones to 1 in 10000; an object needs the members that are wanted. */
static bool same(const char *key, const struct json *want, const struct json *got)
{
    enum json_type type = json_type(want);
    if (type != json_type(got) || (!got && want))
        return type == JSON_NULL && !got;
    switch (type) {
    case JSON_NUMBER: {
        double w = json_number(want, NAN), g = json_number(got, NAN);
        return is_rounded(key, w) ? fabs(w - g) <= 1e-4 * fabs(w) : w == g;
    }
    case JSON_STRING:
        return !strcmp(json_string(want), json_string(got));
    case JSON_BOOL:
        return json_bool(want, false) == json_bool(got, true);
    case JSON_ARRAY: {
        const struct json *g = json_first(got);
        for (const struct json *w = json_first(want); w; w = json_next(w), g = g ? json_next(g) : NULL)
            if (!g || !same(key, w, g))
                return false;
        return !g;
    }
    case JSON_OBJECT:
        for (const struct json *w = json_first(want); w; w = json_next(w))
            if (!json_get(got, json_key(w)) || !same(json_key(w), w, json_get(got, json_key(w))))
                return false;
        return true;
    case JSON_NULL:
        break;
    }
    return true;
}

/* Is the value stored under the key anywhere below? */
static bool found(const char *key, const struct json *want, const struct json *tree)
{
    for (const struct json *m = json_first(tree); m; m = json_next(m))
        if ((json_type(tree) == JSON_OBJECT && !strcmp(json_key(m), key) && same(key, want, m)) || found(key, want, m))
            return true;
    return false;
}

static bool one_of(const char *key, const struct json *list, const struct json *got)
{
    for (const struct json *w = json_first(list); w; w = json_next(w))
        if (same(key, w, got))
            return true;
    return false;
}

static int mistakes;

static void mistake(const char *name, const char *what, const struct json *want)
{
    char *text = want ? json_print(want, false) : xstrdup("");
    if (mistakes < 20)
        print_message("%.300s: %s %.200s\n", name, what, text);
    free(text);
    mistakes++;
}

static const char *const severities[] = {"none", "note", "warning", "error"};

/* The worst finding: 0 none ... 3 error. */
static int worst(const struct facts *f)
{
    int most = 0;
    for (size_t i = 0; i < f->n_findings; i++)
        if (1 + (int)f->finding[i].severity > most)
            most = 1 + (int)f->finding[i].severity;
    return most;
}

static bool severity_fits(const char *wanted, int worst_found)
{
    return !strcmp(wanted, "accept") ? worst_found <= 1 : !strcmp(wanted, severities[worst_found]);
}

/* "nan" or "inf" as a number, not in a word like nanochat or inform. */
static bool shows_word(const char *text, const char *word)
{
    for (const char *at = text; (at = strstr(at, word)); at += 3)
        if (!isalpha((unsigned char)at[3]) && (at == text || !isalpha((unsigned char)at[-1])))
            return true;
    return false;
}

/* No number that is none, and nothing that moves a terminal, in what is printed. */
static void check_output(const char *name, const struct facts *f)
{
    char summary[512];
    for (size_t i = 0; i < f->n_findings; i++) {
        const char *m = f->finding[i].message;
        if (shows_word(m, "nan") || shows_word(m, "inf") || strchr(m, 27))
            mistake(name, m, NULL);
    }
    facts_summary(f, LANG_EN, summary, sizeof summary);
    if (shows_word(summary, "nan") || shows_word(summary, "inf"))
        mistake(name, summary, NULL);
}

static void check_layers(const char *name, const struct facts *f)
{
    size_t counted[FACTS_MAX_KINDS] = {0};
    for (size_t l = 0; l < f->n_layers; l++)
        counted[f->kind_of_layer[l]]++;
    for (size_t k = 0; k < f->n_kinds; k++) {
        struct err err = {0};
        struct layer *layer = layer_open(f->kind[k].item, f->kind[k].n_items, &f->kind[k].shape, &err);
        if (counted[k] && f->kind[k].count != counted[k])
            mistake(name, "layers are counted wrongly", NULL);
        if (!layer && worst(f) < 3)             /* after an error nothing need open */
            mistake(name, err.text, NULL);
        layer_close(layer);
    }
}

/* ---- running --------------------------------------------------------------------------------------------------------- */

static struct json *load(const char *path)
{
    struct err err = {0};
    struct json *json = json_load(path, FILE_MAX, &err);
    if (!json)
        fail_msg("%s", err.text);
    return json;
}

static struct facts *examine_text(const char *text, size_t size)
{
    return facts_at(scratch_write("model", text, size));
}

static void check_real(const char *name, const struct json *want, const struct json *reading)
{
    static const char *const fields[] = {"scheme", "layout", "rotary_dim", "base", "scaling_type", "factor", "trained_context", "context"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char accept[64];
        snprintf(accept, sizeof accept, "%s_accept", fields[i]);
        const struct json *got = json_get(reading, fields[i]);
        if (!same(fields[i], json_get(want, fields[i]), got) && !one_of(fields[i], json_get(want, accept), got))
            mistake(name, fields[i], got);
    }
    static const char *const parts[] = {"checks", "per_layer"};
    for (size_t i = 0; i < 2; i++)
        for (const struct json *c = json_first(json_get(want, parts[i])); c; c = json_next(c))
            if (!found(json_key(c), c, reading))
                mistake(name, json_key(c), c);
}

static void check_broken(const char *name, const struct json *want, const struct facts *f)
{
    const char *severity = json_string(json_get(want, "severity"));
    bool fits = severity_fits(severity, worst(f));
    for (const struct json *s = json_first(json_get(want, "severity_accept")); s; s = json_next(s))
        fits = fits || severity_fits(json_string(s), worst(f));
    if (!fits)
        mistake(name, severities[worst(f)], json_get(want, "severity"));
    for (const struct json *c = json_first(json_get(want, "reading")); c; c = json_next(c))
        if (!found(json_key(c), c, f->reading))
            mistake(name, json_key(c), c);
}

static void expected_readings(void **state)
{
    (void)state;
    struct json *all = load("tests/cases/EXPECTED.json");
    int n = 0;
    mistakes = 0;
    for (const struct json *want = json_first(all); want; want = json_next(want)) {
        const char *container = json_string(json_get(want, "container")), *name = json_key(want);
        char path[256];
        if (name[0] == '_' || (container && strcmp(container, "config")))
            continue;
        snprintf(path, sizeof path, "tests/cases/%s", name);
        struct facts *f = facts_at(path);
        if (container)
            check_broken(name, want, f);
        else
            check_real(name, want, f->reading);
        if (!container && worst(f) == 3)
            mistake(name, "an error on a real file", NULL);
        check_output(name, f);
        check_layers(name, f);
        facts_unref(f);
        n++;
    }
    json_free(all);
    assert_true(n >= 70);
    assert_int_equal(mistakes, 0);
}

static void further_readings(void **state)
{
    (void)state;
    struct json *all = load("tests/cases/more.json");
    mistakes = 0;
    for (const struct json *c = json_first(all); c; c = json_next(c)) {
        const char *name = json_string(json_get(c, "name")), *given = json_string(json_get(c, "text"));
        char *text = given ? xstrdup(given) : json_print(json_get(c, "config"), true);
        struct facts *f = examine_text(text, strlen(text));
        bool fits = false;
        for (const struct json *s = json_first(json_get(c, "severity")); s; s = json_next(s))
            fits = fits || severity_fits(json_string(s), worst(f));
        if (!fits)
            mistake(name, f->n_findings ? f->finding[f->n_findings - 1].message : "no finding", json_get(c, "severity"));
        for (const struct json *r = json_first(json_get(c, "reading")); r; r = json_next(r))
            if (!found(json_key(r), r, f->reading))
                mistake(name, json_key(r), r);
        for (const struct json *code = json_first(json_get(c, "codes")); code; code = json_next(code))
            if (!finding_of(f, json_string(code)))
                mistake(name, "lacks the finding", code);
        for (const struct json *code = json_first(json_get(c, "not_codes")); code; code = json_next(code))
            if (finding_of(f, json_string(code)))
                mistake(name, "has the finding", code);
        for (const struct json *t = json_first(json_get(c, "says")); t; t = json_next(t))
            if (!finding_says(f, json_string(t)))
                mistake(name, "does not say", t);
        if (f->unreadable != json_bool(json_get(c, "unreadable"), false))
            mistake(name, "readable or not", NULL);
        check_output(name, f);
        check_layers(name, f);
        facts_unref(f);
        free(text);
    }
    json_free(all);
    assert_int_equal(mistakes, 0);
}

static const char *const odd_values[] = {"null", "true", "\"x\"", "\"\\u001b[2J\"", "[]", "{}", "0", "-1", "1e999", "1e300", "-1e308", "1e-320", "2.5", "[1, \"a\"]",
                                         "{\"rope_type\": []}", "3"};

/* The configuration with the value at config.outer.key (outer may be NULL) replaced. */
static void try_odd(const struct json *config, const char *outer, const char *key)
{
    static size_t turn;
    size_t every = getenv("UNMEASURED") ? 7 : 1;            /* under valgrind, which needs an hour for all of them */
    for (size_t v = 0; v < sizeof odd_values / sizeof *odd_values; v++) {
        if (turn++ % every != 0)
            continue;
        struct json *copy = json_copy(config), *at = outer ? (struct json *)json_get(copy, outer) : copy;
        json_free(json_detach(at, key));
        json_set(at, key, json_parse(odd_values[v], strlen(odd_values[v]), NULL));
        char *text = json_print(copy, false);
        struct facts *f = facts_from_config("x", text, strlen(text), NULL);
        assert_non_null(f);
        check_output(text, f);
        check_layers(text, f);
        facts_unref(f);
        free(text);
        json_free(copy);
    }
}

/* Every key of every configuration in turn, and of the objects inside, takes every kind of value: nothing crashes, and what is
 * printed stays clean. */
static void wrong_values(void **state)
{
    (void)state;
    struct json *all = load("tests/cases/more.json");
    mistakes = 0;
    for (const struct json *c = json_first(all); c; c = json_next(c)) {
        const struct json *config = json_get(c, "config");
        for (const struct json *key = json_first(config); key; key = json_next(key)) {
            try_odd(config, NULL, json_key(key));
            if (json_type(key) == JSON_OBJECT)
                for (const struct json *inner = json_first(key); inner; inner = json_next(inner))
                    try_odd(config, json_key(key), json_key(inner));
        }
    }
    json_free(all);
    assert_int_equal(mistakes, 0);
}

/* A file cut anywhere is either read or refused with a place. */
static void cut_anywhere(void **state)
{
    (void)state;
    size_t size;
    char *text = file_read("tests/cases/configs/gpt-oss-20b.json", FILE_MAX, &size, NULL);
    assert_non_null(text);
    for (size_t n = 0; n + 2 < size; n++) {
        struct err err = {0};
        assert_null(facts_from_config("cut", text, n, &err));
        assert_true(*err.text != '\0');
    }
    free(text);
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Reading costs a few times what parsing costs, whatever the text is made of: no square of the keys, of the findings, of the depth. */
static void costs_no_more_than_parsing(const char *what, const char *unit, size_t times, bool list)
{
    char *text = xmalloc(400 + times * (strlen(unit) + 24)), *at = text;
    at += sprintf(at, "{\"model_type\": \"llama\", \"hidden_size\": 64, \"num_attention_heads\": 4, \"rope_theta\": \"x\", \"head_dim\": \"x\", "
                      "\"partial_rotary_factor\": \"x\", \"sliding_window\": \"x\", \"num_hidden_layers\": \"x\", \"x\": %c", list ? '[' : '{');
    for (size_t i = 0; i < times; i++)
        at += list ? sprintf(at, "%s%s", i ? "," : "", unit) : sprintf(at, "%s\"%s%zu\":%zu", i ? "," : "", unit, i / 2, i);
    at += sprintf(at, "%c}", list ? ']' : '}');
    size_t size = (size_t)(at - text);
    double parsing = INFINITY, reading = INFINITY;
    for (int i = 0; i < 3 && !(reading <= 12 * parsing + 0.1); i++) {        /* the best of three: a busy machine slows either */
        double start = cpu_seconds();
        json_free(json_parse(text, size, NULL));
        parsing = fmin(parsing, cpu_seconds() - start);
        start = cpu_seconds();
        facts_unref(facts_from_config("x", text, size, NULL));
        reading = fmin(reading, cpu_seconds() - start);
    }
    if (reading > 12 * parsing + 0.1)
        fail_msg("%s: %zu bytes are parsed in %g s and read in %g s", what, size, parsing, reading);
    free(text);
}

static void work_grows_with_the_text(void **state)
{
    (void)state;
    costs_no_more_than_parsing("a list of numbers", "1", 1000000, true);
    costs_no_more_than_parsing("a key twice in many objects", "{\"a\":1,\"a\":2}", 100000, true);
    costs_no_more_than_parsing("keys that stand twice", "k", 4000, false);
    char *wide = xmalloc(4000 * 12), *at = wide;
    for (int i = 0; i < 4000; i++)
        at += sprintf(at, "%s\"k%d\":1", i ? "," : "{", i);
    strcpy(at, "}");
    costs_no_more_than_parsing("many objects of many keys", wide, 100, true);
    free(wide);
    costs_no_more_than_parsing("more keys than are read", "k", 300000, false);
    costs_no_more_than_parsing("deep lists", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]", 20000, true);
    costs_no_more_than_parsing("control characters", "\"\\u001b\"", 200000, true);
}

/* ---- what multiplies q.k ----------------------------------------------------------------------------------------------------- */

/* What the views multiply by, in the first kind of layer; heads of 64 throughout. */
static void the_scale_of_the_logits_reaches_the_layers(void **state)
{
    (void)state;
    const double root = 1 / 8.0;
    const struct { const char *config; double scale; const char *origin; } rows[] = {
        {"\"model_type\":\"llama\",\"attention_bias\":false", root, ""},
        {"\"model_type\":\"llama\",\"query_pre_attn_scalar\":144", root, ""},                      /* which this code does not read */
        {"\"model_type\":\"gemma2\",\"head_dim\":64,\"query_pre_attn_scalar\":144", 1 / 12.0, "1 / sqrt(query_pre_attn_scalar)"},
        {"\"model_type\":\"gemma2\",\"head_dim\":64", 1 / 16.0, "1 / sqrt(default of the family gemma2)"},
        {"\"model_type\":\"gemma2\",\"head_dim\":64,\"query_pre_attn_scalar\":64", root, ""},
        {"\"model_type\":\"gemma2\",\"head_dim\":64,\"query_pre_attn_scalar\":-1", root, ""},
        {"\"model_type\":\"gemma2\",\"head_dim\":64,\"query_pre_attn_scalar\":1e300", root, ""},
        {"\"model_type\":\"new_one\",\"rope_theta\":10000,\"query_pre_attn_scalar\":144", 1 / 12.0, "1 / sqrt(query_pre_attn_scalar)"},
        {"\"model_type\":\"granite\",\"attention_multiplier\":0.015625", 1 / 64.0, "attention_multiplier"},
        {"\"model_type\":\"granite\"", 1, "default of the family granite"},
        {"\"model_type\":\"mpt\",\"attn_config\":{\"alibi\":true,\"softmax_scale\":0.25}", 0.25, "attn_config.softmax_scale"},
        {"\"model_type\":\"mpt\",\"attn_config\":{\"alibi\":true,\"softmax_scale\":null}", root, ""},
        {"\"model_type\":\"gpt2\",\"scale_attn_weights\":false", 1, "scale_attn_weights"},
        {"\"model_type\":\"gpt2\",\"scale_attn_weights\":true", root, ""},
        {"\"model_type\":\"jais\",\"position_embedding_type\":\"alibi\",\"scale_attn_weights\":true,\"mup_scale_qk_dot_by_d\":true", 1 / 64.0,
         "1 / head_dim: mup_scale_qk_dot_by_d"},
        {"\"model_type\":\"phi3small\",\"mup_attn_multiplier\":2", 1 / 32.0, "mup_attn_multiplier / head_dim"},
        {"\"model_type\":\"phi3small\",\"mup_attn_multiplier\":2,\"mup_use_scaling\":false", root, ""},
        {"\"model_type\":\"zamba2\",\"use_mem_rope\":true", 1 / sqrt(32), "code of the family zamba2"},
        {"\"model_type\":\"gpt_neo\"", 1, "code of the family gpt_neo"},
        {"\"model_type\":\"t5\",\"d_kv\":64", 1, "code of the family t5"},
        {"\"model_type\":\"wavlm\"", root, ""},                     /* T5's buckets, but scaled as usual */
        {"\"model_type\":\"mpnet\"", root, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];
        snprintf(text, sizeof text, "{\"hidden_size\":256,\"num_attention_heads\":4,\"num_hidden_layers\":2,\"max_position_embeddings\":512,%s}", rows[i].config);
        struct facts *f = facts_from_config("x", text, strlen(text), NULL);
        struct layer *layer = layer_open(f->kind[0].item, f->kind[0].n_items, &f->kind[0].shape, NULL);
        assert_non_null(layer);
        if (!(fabs(layer->scale - rows[i].scale) < 1e-15) || strcmp(facts_origin(f, "softmax_scale"), rows[i].origin))
            fail_msg("%s: %.10g, %s", rows[i].config, layer->scale, facts_origin(f, "softmax_scale"));
        layer_close(layer);
        facts_unref(f);
    }
}

/* ---- two stacks ------------------------------------------------------------------------------------------------------------ */

static void each_stack_has_its_layers(void **state)
{
    (void)state;
    static const struct { const char *config; size_t encoder, decoder; } rows[] = {
        {"{\"model_type\":\"t5\",\"d_model\":1472,\"d_kv\":64,\"num_heads\":6,\"num_layers\":12,\"num_decoder_layers\":4}", 12, 4},   /* ByT5 small */
        {"{\"model_type\":\"t5\",\"d_model\":512,\"d_kv\":64,\"num_heads\":8,\"num_layers\":6}", 6, 6},
        {"{\"model_type\":\"t5\",\"d_model\":512,\"d_kv\":64,\"num_heads\":8,\"num_layers\":6,\"num_decoder_layers\":1000000000}", 6, 6},
        {"{\"model_type\":\"bart\",\"d_model\":1024,\"encoder_layers\":12,\"decoder_layers\":6,\"num_hidden_layers\":6,\"max_position_embeddings\":1024}", 12, 6},
        {"{\"model_type\":\"moonshine\",\"hidden_size\":288,\"encoder_num_hidden_layers\":6,\"decoder_num_hidden_layers\":4,\"encoder_num_attention_heads\":8,"
         "\"decoder_num_attention_heads\":8,\"max_position_embeddings\":194}", 6, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct facts *f = facts_from_config("x", rows[i].config, strlen(rows[i].config), NULL);
        assert_int_equal(f->n_kinds, 2);
        assert_int_equal(f->kind[0].count, rows[i].encoder);
        assert_int_equal(f->kind[0].mask.type, MASK_NONE);
        assert_string_equal(f->kind[1].name, "decoder");
        assert_int_equal(f->kind[1].count, rows[i].decoder);
        assert_int_equal(f->kind[1].mask.type, MASK_CAUSAL);
        facts_unref(f);
    }
}

/* ---- origins, places, edits ------------------------------------------------------------------------------------------------ */

static const char config[] = "{\n  \"model_type\": \"llama\",\n  \"hidden_size\": 4096,\n  \"num_attention_heads\": 32,\n"
                             "  \"num_hidden_layers\": 32,\n  \"max_position_embeddings\": 8192,\n  \"rope_theta\": 10000,\n"
                             "  \"rope_scaling\": {\"type\": \"linear\",\n                   \"factor\": 0.5}\n}\n";

static void every_fact_has_an_origin(void **state)
{
    (void)state;
    struct facts *f = facts_from_config("x", config, strlen(config), NULL);
    assert_string_equal(facts_origin(f, "base"), "rope_theta");
    assert_string_equal(facts_origin(f, "head_dim"), "hidden_size / num_attention_heads");
    assert_string_equal(facts_origin(f, "layout"), "code of the family llama");
    assert_string_equal(facts_origin(f, "context"), "max_position_embeddings");
    assert_string_equal(facts_origin(f, "scaling_type"), "rope_scaling");
    facts_unref(f);
    f = facts_read("tests/cases/configs/falcon-7b.json", NULL);
    assert_string_equal(facts_origin(f, "context"), "default of the family falcon");
    facts_unref(f);
}

static void findings_name_line_and_column(void **state)
{
    (void)state;
    struct facts *f = facts_from_config("x", config, strlen(config), NULL);
    const struct finding *x = finding_of(f, "factor-below-one");
    assert_non_null(x);
    assert_int_equal(x->line, 9);
    assert_int_equal(x->column, 30);
    assert_string_equal(x->field, "rope_scaling.factor");
    assert_non_null(strstr(x->message, "1/0.5 = 2"));
    facts_unref(f);
}

static struct facts *edited(const char *edit, const char *path)
{
    return facts_read_edited(path, &edit, 1, NULL);
}

static void edits_are_marked(void **state)
{
    (void)state;
    struct facts *f = edited("rope_theta=500000", "tests/cases/configs/llama-2-7b.json");
    assert_true(f->changed && f->base == 500000);
    assert_string_equal(facts_origin(f, "base"), "rope_theta (changed by you)");
    facts_unref(f);
    f = edited("factor=16", "tests/cases/configs/llama-3.1-8b.json");           /* where the key stands: inside rope_scaling */
    assert_true(f->factor == 16);
    assert_string_equal(facts_origin(f, "factor"), "rope_scaling.factor (changed by you)");
    facts_unref(f);
    f = edited("rope_theta=1e6", "tests/cases/configs/llama-4-scout.json");     /* inside text_config */
    assert_true(f->base == 1e6);
    assert_string_equal(facts_origin(f, "base"), "text_config.rope_theta (changed by you)");
    facts_unref(f);
    f = edited("rope_scaling={\"rope_type\": \"yarn\", \"factor\": 2, \"original_max_position_embeddings\": 4096}", "tests/cases/configs/llama-2-7b.json");
    assert_string_equal(f->scaling_type, "yarn");
    facts_unref(f);
    struct err err = {0};
    const char *edit = "rope_theta";
    assert_null(facts_read_edited("tests/cases/configs/llama-2-7b.json", &edit, 1, &err));
    assert_non_null(strstr(err.text, "KEY=VALUE"));
}

/* What the views and scenarios take: kinds that open, the main one first. */
static void kinds_serve_views(void **state)
{
    (void)state;
    struct facts *f = facts_read("tests/cases/configs/gemma-3-1b.json", NULL);
    assert_int_equal(f->n_kinds, 2);
    assert_string_equal(f->kind[0].name, "global");
    assert_int_equal(f->kind[0].count, 4);
    assert_int_equal(f->kind[1].mask.type, MASK_SLIDING);
    assert_true(f->kind[1].mask.size == 512);
    assert_int_equal(f->kind_of_layer[5], 0);
    assert_int_equal(f->kind_of_layer[4], 1);
    facts_unref(f);
    f = facts_read("tests/cases/configs/modernbert-base.json", NULL);
    assert_int_equal(f->kind[0].mask.type, MASK_NONE);
    assert_int_equal(f->kind[1].mask.type, MASK_WINDOW);
    assert_true(f->kind[1].mask.size == 64);
    facts_unref(f);
    f = facts_read("tests/cases/configs/t5-small.json", NULL);
    assert_int_equal(f->kind[0].mask.type, MASK_NONE);
    assert_string_equal(f->kind[1].name, "decoder");
    assert_int_equal(f->kind[1].mask.type, MASK_CAUSAL);
    facts_unref(f);
}

static double number_in(const struct json *o, const char *key)
{
    return json_number(json_get(o, key), NAN);
}

static const struct json *proposal(const struct json *target, const char *method)
{
    const struct json *p = json_first(json_get(target, "proposals"));
    while (p && strcmp(json_string(json_get(p, "method")), method))
        p = json_next(p);
    assert_non_null(p);
    return p;
}

static void target_gives_the_published_factors(void **state)
{
    (void)state;
    struct facts *f = facts_read("tests/cases/configs/qwen3-0.6b.json", NULL);
    struct json *t = facts_target(f, 163840, LANG_EN);
    assert_true(number_in(t, "factor") == 4);
    assert_float_equal(number_in(proposal(t, "yarn"), "attention_factor"), 0.1 * log(4) + 1, 1e-9);
    assert_float_equal(number_in(proposal(t, "rope_theta"), "rope_theta") / 1e6, pow(4, 128.0 / 126), 1e-6);
    assert_float_equal(number_in(proposal(t, "dynamic"), "base_at_target") / 1e6, pow(13, 128.0 / 126), 1e-6);
    const struct json *dynamic = json_get(proposal(t, "dynamic"), "agreement"), *linear = json_get(proposal(t, "linear"), "agreement");
    assert_true(number_in(dynamic, "4096") == 1);                               /* short text is untouched */
    double sum = 0;
    for (int k = 0; k < 64; k++)
        sum += cos(16 * pow(1e6, -k / 64.0) * 0.75) / 64;
    assert_float_equal(number_in(linear, "16"), sum, 1e-9);
    json_free(t);
    facts_unref(f);
}

/* What is proposed, written into the file, reaches the length without an error. */
static void proposals_reach_the_target(void **state)
{
    (void)state;
    static const char *const files[] = {"llama-2-7b", "qwen3-0.6b", "phi-2", "deepseek-v3", "gpt-oss-20b", "llama-3.1-8b", "internlm2.5-7b", "qwen2-vl-2b"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[96];
        snprintf(path, sizeof path, "tests/cases/configs/%s.json", files[i]);
        struct facts *f = facts_read(path, NULL);
        double target = 8 * (isnan(f->context) ? 0 : f->context);
        struct json *t = facts_target(f, target, LANG_EN);
        size_t n = 0;
        for (const struct json *p = json_first(json_get(t, "proposals")); p; p = json_next(p), n++) {
            char *parameters = json_print(json_get(p, "rope_parameters"), false), *edit[3];
            edit[0] = xasprintf("rope_parameters=%s", parameters);
            edit[1] = xasprintf("max_position_embeddings=%.0f", number_in(p, "max_position_embeddings"));
            edit[2] = xasprintf("rope_scaling=null");
            struct facts *after = facts_read_edited(path, (const char *const *)edit, 3, NULL);
            if (worst(after) == 3 || !(after->context >= target))
                fail_msg("%s: %s gives context %g, wanted %g", files[i], parameters, after->context, target);
            facts_unref(after);
            for (size_t k = 0; k < 3; k++)
                free(edit[k]);
            free(parameters);
        }
        assert_int_equal(n, 5);
        json_free(t);
        facts_unref(f);
    }
}

static void target_where_nothing_helps(void **state)
{
    (void)state;
    static const char *const files[] = {"gpt2", "bloom-560m", "t5-small", "mamba-130m", "xlnet-base-cased", "llama-4-scout"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[96];
        snprintf(path, sizeof path, "tests/cases/configs/%s.json", files[i]);
        struct facts *f = facts_read(path, NULL);
        struct json *t = facts_target(f, 1e6, LANG_EN);
        assert_int_equal(json_size(json_get(t, "proposals")), 0);
        assert_true(strlen(json_string(json_get(t, "says"))) > 10);
        assert_null(strstr(json_string(json_get(t, "says")), "nan"));
        json_free(t);
        facts_unref(f);
    }
    static const char *const without_length[] = {"{\"model_type\":\"gpt2\",\"n_embd\":64,\"n_head\":2}", "{\"model_type\":\"bloom\",\"n_embed\":64,\"n_head\":2}"};
    for (size_t i = 0; i < 2; i++) {
        struct facts *f = facts_from_config("f", without_length[i], strlen(without_length[i]), NULL);
        struct json *t = facts_target(f, 1e6, LANG_EN);
        assert_null(strstr(json_string(json_get(t, "says")), "nan"));
        json_free(t);
        facts_unref(f);
    }
}

static void finding_codes_are_unique(void **state)
{
    (void)state;
    for (size_t i = 0; finding_kinds[i].code; i++) {
        assert_non_null(finding_kinds[i].meaning);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(finding_kinds[i].code, finding_kinds[k].code);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expected_readings),
        cmocka_unit_test(further_readings),
        cmocka_unit_test(wrong_values),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(work_grows_with_the_text),
        cmocka_unit_test(every_fact_has_an_origin),
        cmocka_unit_test(findings_name_line_and_column),
        cmocka_unit_test(the_scale_of_the_logits_reaches_the_layers),
        cmocka_unit_test(each_stack_has_its_layers),
        cmocka_unit_test(edits_are_marked),
        cmocka_unit_test(kinds_serve_views),
        cmocka_unit_test(target_gives_the_published_factors),
        cmocka_unit_test(proposals_reach_the_target),
        cmocka_unit_test(target_where_nothing_helps),
        cmocka_unit_test(finding_codes_are_unique),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
