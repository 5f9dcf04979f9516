/* The scenario is the only state: if a preset does not load, if what is saved does not come back, or if a failed edit leaves something
 * behind, undo, lessons and presets show other pictures than they promise. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>

#include "../support/files.h"
#include "app/view.h"
#include "scenario/scenario.h"

static bool is_scenario(const struct preset *p)
{
    return !strncmp(p->id, "models/", 7) || !strncmp(p->id, "encodings/", 10);
}

static void every_preset_loads_and_suits_its_view(void **state)
{
    (void)state;
    int n = 0;
    for (const struct preset *p = presets; p->id; p++) {
        struct scenario s;
        struct err err = {0};
        if (!is_scenario(p))
            continue;
        scenario_init(&s);
        if (!scenario_load_preset(&s, p->id, &err))
            fail_msg("%s: %s", p->id, err.text);
        const char *why = views[s.view]->suits ? views[s.view]->suits(&s) : NULL;
        if (why)
            fail_msg("%s opens a view that does not suit it: %s", p->id, why);
        assert_true(*s.title);
        scenario_done(&s);
        n++;
    }
    assert_true(n >= 40);
}

/* L changes every word on the screen, the title of the preset too, and back. */
static void titles_follow_the_language(void **state)
{
    (void)state;
    static const char *const names[][3] = {
        {"encodings/sinusoidal-guide", "The guide's listing: exponent doubled", "指南中的代码：指数加倍"},
        {"models/bert-base-uncased", "BERT base", "BERT base"},
        {"alibi-attention", "ALiBi at work on a sentence", "ALiBi 作用于一句话"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct scenario s;
        scenario_init(&s);
        assert_true(scenario_load_preset(&s, names[i][0], NULL));
        assert_string_equal(s.title, names[i][1]);
        scenario_speak(&s, LANG_ZH);
        assert_int_equal(s.lang, LANG_ZH);
        assert_string_equal(s.title, names[i][2]);
        scenario_speak(&s, LANG_EN);
        assert_string_equal(s.title, names[i][1]);
        scenario_done(&s);
    }
}

static bool has_chinese(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0xe4 && (unsigned char)*text <= 0xe9)
            return true;
    return false;
}

/* Findings and origins of a file and of a preset are in the language of the screen, and turn back; what they speak of stays. */
static void words_of_a_model_follow_the_language(void **state)
{
    (void)state;
    for (int preset = 0; preset < 2; preset++) {
        struct scenario s;
        scenario_init(&s);
        assert_true(preset ? scenario_load_preset(&s, "models/phi-3-mini-128k", NULL) : scenario_load_model(&s, "tests/cases/configs/phi-3-mini-128k.json", NULL));
        double base = s.model->base;
        char *english = xstrdup(facts_origin(s.model, "layout"));
        assert_false(has_chinese(english));
        scenario_speak(&s, LANG_ZH);
        assert_true(has_chinese(facts_origin(s.model, "layout")));
        assert_true(s.model->n_findings > 0 && has_chinese(s.model->finding[0].message));
        assert_true(s.model->base == base);
        scenario_speak(&s, LANG_EN);
        assert_string_equal(facts_origin(s.model, "layout"), english);
        free(english);
        scenario_done(&s);
    }
}

static void every_encoding_has_a_preset(void **state)
{
    (void)state;
    for (size_t i = 0; encodings[i]; i++) {
        char id[80];
        struct scenario s;
        struct err err = {0};
        snprintf(id, sizeof id, "encodings/%s", encodings[i]->id);
        scenario_init(&s);
        if (!scenario_load_preset(&s, id, &err))
            fail_msg("%s: %s", id, err.text);
        scenario_done(&s);
    }
}

/* A configuration inside a lesson's step or a second scenario has no name by which it could be found again: it is saved whole. */
static void a_nameless_configuration_is_saved_whole(void **state)
{
    (void)state;
    static const char text[] = "{\"model\": {\"config\": {\"model_type\": \"llama\", \"hidden_size\": 64, \"num_attention_heads\": 4, "
                               "\"num_hidden_layers\": 2, \"max_position_embeddings\": 128, \"rope_theta\": 777.0}}}";
    struct err err = {0};
    struct scenario s, t;
    struct json *json = json_parse(text, sizeof text - 1, &err);
    scenario_init(&s);
    scenario_init(&t);
    assert_non_null(json);
    if (!scenario_from_json(&s, json, &err))
        fail_msg("%s", err.text);
    struct json *saved = scenario_to_json(&s);
    if (!scenario_from_json(&t, saved, &err))
        fail_msg("%s", err.text);
    assert_true(t.model && t.model->base == 777);
    json_free(json);
    json_free(saved);
    scenario_done(&s);
    scenario_done(&t);
}

static void a_users_model_comes_back(void **state)
{
    (void)state;
    static const char text[] = "{\"model\": {\"config\": {\"model_type\": \"llama\", \"hidden_size\": 64, \"num_attention_heads\": 4, "
                               "\"num_hidden_layers\": 2, \"max_position_embeddings\": 128, \"rope_theta\": 777.0}}}";
    const char *path = scratch_text("a.preset", text);
    struct err err = {0};
    struct scenario s, t;
    scenario_init(&s);
    scenario_init(&t);
    if (!scenario_load_preset(&s, path, &err))
        fail_msg("%s", err.text);
    struct json *saved = scenario_to_json(&s);
    if (!scenario_from_json(&t, saved, &err))
        fail_msg("%s", err.text);
    assert_true(t.model && t.model->base == 777);
    json_free(saved);
    scenario_done(&s);
    scenario_done(&t);
}

/* A folder by the longest of its names. */
static char *roundabout(const char *name, size_t bytes)
{
    struct buf path = {0};
    buf_text(&path, scratch);
    while (path.n < bytes)
        buf_text(&path, "/.");
    buf_format(&path, "/%s", name);
    return buf_string(&path);
}

/* What is cut short would be saved, copied and read again as another file. */
static void a_long_path_is_kept_whole_or_refused(void **state)
{
    (void)state;
    struct err err = {0};
    struct scenario s;
    scratch_text("a.json", "{\"model_type\": \"llama\", \"hidden_size\": 64, \"num_attention_heads\": 4}");
    char *longer = roundabout("a.json", 900), *too_long = roundabout("a.json", 1100);
    scenario_init(&s);
    assert_true(scenario_load_model(&s, longer, &err));
    assert_string_equal(s.model_from, longer);
    assert_false(scenario_load_model(&s, too_long, &err));
    assert_non_null(strstr(err.text, "1023"));
    assert_string_equal(s.model_from, longer);
    scenario_done(&s);
    free(longer);
    free(too_long);
}

static void a_layer_is_none_by_its_last_digits(void **state)
{
    (void)state;
    struct err err = {0};
    struct scenario s;
    scenario_init(&s);
    assert_true(scenario_load_preset(&s, "models/gemma-3-1b", &err));
    assert_true(scenario_set(&s, "layer", "1", &err));
    assert_false(scenario_set(&s, "layer", "4294967298", &err));
    assert_int_equal(s.model_layer, 1);
    scenario_done(&s);
}

static bool edit(struct scenario *s, const char *text, struct err *err)
{
    struct json *json = json_parse(text, strlen(text), err);
    bool good = json && scenario_from_json(s, json, err);
    json_free(json);
    return good;
}

/* A layer that the model does not have is refused, wherever the key stands; without a model in the file it is that of the scenario. */
static void a_preset_names_a_layer(void **state)
{
    (void)state;
    static const char *const refused[] = {"{\"model\":{\"preset\":\"models/gemma-3-1b\"},\"layer\":99}", "{\"layer\":26}", "{\"layer\":1e300}", "{\"layer\":\"5\"}"};
    struct scenario s;
    struct err err = {0};
    scenario_init(&s);
    assert_true(edit(&s, "{\"model\":{\"preset\":\"models/gemma-3-1b\"},\"layer\":5,\"large\":true}", &err));
    assert_int_equal(s.model_layer, 5);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_false(edit(&s, refused[i], &err));
        assert_non_null(strstr(err.text, "layer"));
        assert_int_equal(s.model_layer, 5);
    }
    assert_true(edit(&s, "{\"layer\":25}", &err));
    assert_int_equal(s.model_layer, 25);
    assert_false(scenario_set(&s, "layer", "4294967296", &err));
    assert_false(scenario_set(&s, "layer", "-2", &err));
    assert_int_equal(s.model_layer, 25);
    scenario_done(&s);
}

static void assert_round_trip(const struct scenario *s, const char *id)
{
    struct scenario back;
    struct err err = {0};
    struct json *a = scenario_to_json(s);
    char *text_a = json_print(a, false);
    scenario_init(&back);
    if (!scenario_from_json(&back, a, &err))
        fail_msg("%s, saved and loaded: %s", id, err.text);
    struct json *b = scenario_to_json(&back);
    char *text_b = json_print(b, false);
    assert_string_equal(text_a, text_b);
    free(text_a);
    free(text_b);
    json_free(a);
    json_free(b);
    scenario_done(&back);
}

static void what_is_saved_comes_back(void **state)
{
    (void)state;
    for (const struct preset *p = presets; p->id; p++) {
        struct scenario s;
        if (!is_scenario(p))
            continue;
        scenario_init(&s);
        assert_true(scenario_load_preset(&s, p->id, NULL));
        assert_round_trip(&s, p->id);
        scenario_done(&s);
    }
}

static void broken_presets_name_the_path(void **state)
{
    (void)state;
    static const struct { const char *text, *says; } cases[] = {
        {"{\"view\": \"nowhere\"}", "nowhere"},
        {"{\"surprise\": 1}", "surprise"},
        {"{\"encodings\": [{\"id\": \"rope\", \"rope_thta\": 1}]}", "encodings[0].rope_thta"},
        {"{\"encodings\": [{\"id\": \"rope\", \"rope_theta\": \"x\"}]}", "rope_theta"},
        {"{\"encodings\": [{\"name\": \"rope\"}]}", "encodings[0]"},
        {"{\"encodings\": {}}", "encodings"},
        {"{\"n\": 0}", "n = 0"},
        {"{\"views\": {\"table\": {\"nothing\": 1}}}", "views.table.nothing"},
        {"{\"zoom\": [1]}", "zoom"},
        {"{\"theme\": \"plaid\"}", "plaid"},
        {"[]", "object"},
        {"{\"view\": 3}", "view: must be a string, got a number"},
        {"{\"text\": 3}", "text: must be a string, got a number"},
        {"{\"walk\": []}", "walk: must be a string, got a list"},
        {"{\"q\": 3}", "q: must be a string, got a number"},
        {"{\"q\": \"/nowhere/q.npy\"}", "/nowhere/q.npy"},
        {"{\"lang\": \"fr\"}", "lang: must be en or zh"},
        {"{\"colormap\": \"plaid\"}", "there is no colour map 'plaid'"},
        {"{\"large\": 1}", "large: must be true or false, got a number"},
        {"{\"cursor\": [0, 1]}", "cursor: must be a list of panel, x, y"},
        {"{\"cursor\": 0}", "cursor: must be a list of panel, x, y"},
        {"{\"compare\": \"twice\"}", "compare: 'twice' is none of the allowed words"},
        {"{\"compare\": 1}", "compare: must be a string, got a number"},
        {"{\"lesson\": {\"step\": 2}}", "lesson.id: a name is missing"},
        {"{\"encodings\": [\"nope\", \"nope\", \"nope\", \"nope\", \"nope\"]}", "encodings: 5 entries, a layer takes at most 4"},
        {"{\"encodings\": [{\"id\": \"rope\", \"rope_theta\": {}}]}", "rope_theta: must be a value, got an object"},
        {"{\"encodings\": [{\"id\": \"rope\", \"mrope_section\": [1, \"2\"]}]}", "mrope_section: must be a number, got a string"},
        {"{\"model\": {}}", "model: needs \"config\", \"file\" or \"preset\""},
        {"{\"model\": {\"file\": \"/nowhere/config.json\"}}", "/nowhere/config.json"},
        {"{\"model\": {\"preset\": \"encodings/alibi\"}}", "there is no preset 'encodings/alibi' with a model"},
        {"{\"views\": {\"nowhere\": {}}}", "views.nowhere: there is no such view"},
        {"{\"other\": {\"surprise\": 1}}", "other: surprise: unknown key"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scenario s, before;
        struct err err = {0};
        scenario_init(&s);
        scenario_copy(&before, &s);
        struct json *json = json_parse(cases[i].text, strlen(cases[i].text), &err);
        assert_non_null(json);
        assert_false(scenario_from_json(&s, json, &err));
        if (!strstr(err.text, cases[i].says))
            fail_msg("%s: says '%s', not '%s'", cases[i].text, err.text, cases[i].says);
        assert_true(scenario_same(&s, &before));        /* nothing of a broken preset stays */
        json_free(json);
        scenario_done(&s);
        scenario_done(&before);
    }
}

static void a_refused_edit_changes_nothing(void **state)
{
    (void)state;
    struct scenario s, before;
    struct err err = {0};
    scenario_init(&s);
    assert_true(scenario_set_encoding(&s, "rope", NULL));
    scenario_copy(&before, &s);
    assert_false(scenario_set(&s, "head_dim", "7", &err));      /* RoPE needs an even width */
    assert_non_null(strstr(err.text, "7"));
    assert_false(scenario_set(&s, "rope_theta", "-1", &err));
    assert_false(scenario_set(&s, "rope_thet", "1", &err));
    assert_non_null(strstr(err.text, "rope_theta"));
    assert_false(scenario_set(&s, "mask", "diagonal", &err));
    assert_true(scenario_same(&s, &before));
    assert_true(scenario_set(&s, "rope_theta", "500000", &err));
    assert_false(scenario_same(&s, &before));
    scenario_done(&s);
    scenario_done(&before);
}

static void layers_take_several_encodings(void **state)
{
    (void)state;
    struct scenario s;
    scenario_init(&s);
    assert_true(scenario_set_encoding(&s, "rope+attn_temperature", NULL));
    assert_int_equal(s.n_items, 2);
    assert_true(scenario_set_encoding(&s, "none", NULL));
    assert_int_equal(s.n_items, 0);
    struct layer *layer = scenario_layer(&s, NULL);
    assert_non_null(layer);
    layer_close(layer);
    assert_false(scenario_set_encoding(&s, "rope+nonsense", NULL));
    assert_false(scenario_set_encoding(&s, "rope+rope+rope+rope+rope", NULL));
    scenario_done(&s);
}

/* Another encoding is looked at under the same lengths, and a step of a lesson that names encodings keeps the lengths that were set. */
static void lengths_stay_with_another_encoding(void **state)
{
    (void)state;
    struct scenario s;
    struct err err = {0};
    scenario_init(&s);
    double trained = s.trained;
    assert_true(trained > 0);
    assert_true(scenario_set(&s, "target", "65536", &err));
    assert_true(scenario_set_encoding(&s, "alibi", &err));
    assert_true(s.trained == trained && s.target == 65536);
    static const char step[] = "{\"encodings\": [{\"id\": \"rope\"}]}";
    struct json *json = json_parse(step, strlen(step), &err);
    assert_non_null(json);
    assert_true(scenario_from_json(&s, json, &err));
    assert_true(s.trained == trained && s.target == 65536);
    scenario_done(&s);
    scenario_init(&s);
    assert_true(scenario_set(&s, "target", "65536", &err) && scenario_from_json(&s, json, &err));
    assert_true(isnan(s.trained) && s.target == 65536);             /* the model's own length goes with the model */
    json_free(json);
    scenario_done(&s);
}

static void a_copy_shares_nothing_that_changes(void **state)
{
    (void)state;
    struct scenario a, b;
    scenario_init(&a);
    assert_true(scenario_load_preset(&a, "encodings/mrope", NULL));
    scenario_copy(&b, &a);
    assert_true(scenario_same(&a, &b));
    assert_true(scenario_set(&b, "n", "77", NULL));
    assert_false(scenario_same(&a, &b));
    scenario_done(&a);
    assert_true(b.shape.length == 77);
    scenario_done(&b);
}

/* A table of T5 biases as NumPy writes it: 4 x 2 float64. */
static void write_npy(const char *path)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    char header[119];
    snprintf(header, sizeof header, "%-117s\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2), }");
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f);
    fwrite(header, 1, 118, f);
    for (double x = 0; x < 8; x++)
        fwrite(&x, sizeof x, 1, f);
    assert_int_equal(fclose(f), 0);
}

static void a_table_is_set_by_its_file(void **state)
{
    (void)state;
    const char *path = scratch_path("table.npy");
    write_npy(path);
    struct scenario s;
    struct err err = {0};
    scenario_init(&s);
    assert_true(scenario_set_encoding(&s, "t5_bias", NULL));
    assert_true(scenario_set(&s, "num_heads", "2", NULL));
    assert_false(scenario_set(&s, "table", path, &err));             /* 4 rows do not fit 32 buckets */
    assert_non_null(strstr(err.text, "table is 4 x 2: must be 32 x 2"));
    assert_true(scenario_set(&s, "num_buckets", "4", NULL));
    assert_true(scenario_set(&s, "table", path, NULL));
    struct layer *layer = scenario_layer(&s, NULL);
    double query = 0, key = 1, bias;
    layer->enc[0]->kind->bias(layer->enc[0], 1, &query, &key, 1, &bias);
    assert_true(bias == 7);                             /* bucket 3 of head 1: exact part 1, a key after the query */
    layer_close(layer);
    assert_round_trip(&s, path);
    assert_false(scenario_set(&s, "table", "/nowhere/x.npy", &err));
    assert_non_null(strstr(err.text, "/nowhere/x.npy"));
    assert_true(scenario_set(&s, "table", "none", NULL));
    scenario_done(&s);
}

static double head_shown(const struct scenario *s)
{
    return s->view_param[VIEW_bias][0].x;
}

/* A head is one of num_heads: no other can be asked for, and fewer heads leave the last one. */
static void content_from_files_comes_back(void **state)
{
    (void)state;
    const char *q = scratch_path("q.npy"), *k = scratch_path("k.npy");
    struct scenario s, t;
    struct err err = {0};
    write_npy(q);
    write_npy(k);
    scenario_init(&s);
    scenario_init(&t);
    assert_true(scenario_set_view(&s, "attention", NULL) && scenario_set_encoding(&s, "alibi", NULL));
    assert_true(scenario_set(&s, "q", q, NULL));                        /* alone it gives the keys too */
    assert_string_equal(s.k_path, q);
    assert_true(scenario_set(&s, "k", k, NULL));
    assert_true(s.content == CONTENT_TABLES && s.shape.d_head == 2);
    assert_string_equal(s.q_path, q);
    assert_round_trip(&s, "content of files");
    struct json *saved = scenario_to_json(&s);
    assert_true(scenario_from_json(&t, saved, &err));
    assert_string_equal(t.k_path, k);
    assert_true(t.q && t.q->v[7] == 7);
    json_free(saved);
    assert_false(scenario_set(&t, "k", "/nowhere/k.npy", &err));
    assert_string_equal(t.k_path, k);                                   /* nothing of it stays */
    scenario_done(&s);
    scenario_done(&t);
}

static void a_model_of_a_file_comes_back(void **state)
{
    (void)state;
    const char *path = scratch_text("config.json", "{\"model_type\": \"llama\", \"hidden_size\": 64, \"num_attention_heads\": 4, \"num_hidden_layers\": 2, "
                                                   "\"max_position_embeddings\": 128, \"rope_theta\": 777.0}");
    char *text = xasprintf("{\"model\": {\"file\": \"%s\"}}", path);
    struct scenario s;
    struct err err = {0};
    scenario_init(&s);
    assert_true(edit(&s, text, &err));
    assert_true(s.model && s.model->base == 777);
    assert_string_equal(s.model_from, path);
    assert_round_trip(&s, "a model of a file");
    scenario_done(&s);
    free(text);
}

/* Where two encodings of a layer have a parameter of one name, the encoding says which. */
static void a_parameter_is_named_by_its_encoding(void **state)
{
    (void)state;
    struct scenario s;
    struct err err = {0};
    scenario_init(&s);
    assert_true(scenario_set_encoding(&s, "rope+xpos", &err));
    assert_true(scenario_set(&s, "xpos.rope_theta", "5000", &err));
    assert_true(s.item[1].param[param_index(s.item[1].kind->params, s.item[1].kind->n_params, "rope_theta")].x == 5000);
    assert_true(s.item[0].param[param_index(s.item[0].kind->params, s.item[0].kind->n_params, "rope_theta")].x != 5000);
    assert_false(scenario_set(&s, "alibi.rope_theta", "5000", &err));
    scenario_done(&s);
}

static void wrong_words_say_what_is_allowed(void **state)
{
    (void)state;
    static const struct { const char *key, *value, *says; } cases[] = {
        {"zoom", "1,2,3", "zoom = 1,2,3: must be x0,x1,y0,y1"},     {"zoom", "1,2,x,4", "zoom = 1,2,x,4"},
        {"zoom", "1,2,3,4,5", "zoom = 1,2,3,4,5"},                  {"zoom", "1,2,inf,4", "zoom = 1,2,inf,4"},
        {"cursor", "0,1", "cursor = 0,1: must be PANEL,X,Y"},       {"cursor", "99,0,0", "cursor = 99,0,0"},
        {"cursor", "-1,0,0", "cursor = -1,0,0"},                    {"large", "yes", "large = yes: allowed are true, false"},
        {"layer", "first", "layer = first: must be a layer's number, or main"}, {"layer", "99999", "layer = 99999: allowed is 0 to"},
        {"q", "/nowhere/q.npy", "/nowhere/q.npy"},
    };
    struct scenario s, before;
    scenario_init(&s);
    scenario_copy(&before, &s);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};
        if (scenario_set(&s, cases[i].key, cases[i].value, &err) || !strstr(err.text, cases[i].says))
            fail_msg("%s=%s: says '%s', not '%s'", cases[i].key, cases[i].value, err.text, cases[i].says);
        assert_true(scenario_same(&s, &before));
    }
    assert_true(scenario_set(&s, "zoom", ",10,2,", NULL));
    assert_true(isnan(s.zoom.x0) && s.zoom.x1 == 10 && s.zoom.y0 == 2 && isnan(s.zoom.y1));
    scenario_done(&s);
    scenario_done(&before);
}

static void a_head_is_one_of_the_heads(void **state)
{
    (void)state;
    struct scenario s;
    struct err err = {0};
    scenario_init(&s);
    assert_true(scenario_set_view(&s, "bias", NULL) && scenario_set_encoding(&s, "alibi", NULL));
    assert_true(scenario_set(&s, "num_heads", "8", NULL) && scenario_set(&s, "head", "7", NULL));
    assert_false(scenario_set(&s, "head", "8", &err));
    assert_string_equal(err.text, "head = 8: allowed is 0 to 7");
    assert_true(head_shown(&s) == 7);
    assert_true(scenario_set(&s, "num_heads", "12", NULL) && scenario_set(&s, "head", "9", NULL));
    assert_true(scenario_set(&s, "num_heads", "4", NULL) && head_shown(&s) == 3);
    assert_false(scenario_set(&s, "num_heads", "0", NULL));
    assert_true(head_shown(&s) == 3);
    scenario_done(&s);
}

#define DIFFERS(change) do { \
        struct scenario b, kept; \
        scenario_copy(&b, &a); \
        memcpy(&kept, &b, sizeof b); \
        assert_true(scenario_same(&a, &b)); \
        change; \
        if (scenario_same(&a, &b)) \
            fail_msg("not seen: %s", #change); \
        memcpy(&b, &kept, sizeof b);            /* with the references it holds */ \
        scenario_done(&b); \
    } while (0)

/* A change that is not seen is not drawn and not undone. */
static void every_part_counts_in_a_comparison(void **state)
{
    (void)state;
    struct scenario a;
    static struct table *const other = (struct table *)&other;      /* never looked into */
    scenario_init(&a);
    DIFFERS(b.view++);
    DIFFERS(b.view_param[VIEW_COUNT - 1][VIEW_MAX_PARAMS - 1].x = 7);
    DIFFERS(b.view_param[0][0].t = other);
    DIFFERS(b.zoom.x0 = 1);
    DIFFERS(b.zoom.x1 = 1);
    DIFFERS(b.zoom.y0 = 1);
    DIFFERS(b.zoom.y1 = 1);
    DIFFERS(b.focus++);
    DIFFERS(b.cursor[0].x = 1);
    DIFFERS(b.cursor[CURSOR_PANELS - 1].y = 1);
    DIFFERS(b.chosen++);
    DIFFERS(b.n_items--);
    DIFFERS(b.item[0].kind = encodings[0]);
    DIFFERS(b.item[0].param[a.item[0].kind->n_params - 1].x = 12345);
    DIFFERS(b.shape.length++);
    DIFFERS(b.shape.n_heads++);
    DIFFERS(b.shape.d_head++);
    DIFFERS(b.shape.d_model++);
    DIFFERS(b.mask.type++);
    DIFFERS(b.mask.size = 12345);
    DIFFERS(b.memory++);
    DIFFERS(b.content++);
    DIFFERS(b.seed++);
    DIFFERS(strcpy(b.text, "other"));
    DIFFERS(strcpy(b.q_path, "other"));
    DIFFERS(strcpy(b.k_path, "other"));
    DIFFERS(b.q = other);
    DIFFERS(b.k = other);
    DIFFERS(b.model = NULL);
    DIFFERS(strcpy(b.model_from, "other"));
    DIFFERS(b.model_layer++);
    DIFFERS(b.trained++);
    DIFFERS(b.target++);
    DIFFERS(strcpy(b.walk, "other"));
    DIFFERS(b.lang = LANG_ZH);
    DIFFERS(b.map = NULL);
    DIFFERS(b.theme = NULL);
    DIFFERS(b.large = !b.large);
    DIFFERS(strcpy(b.title, "other"));
    DIFFERS(strcpy(b.lesson.id, "other"));
    DIFFERS(b.lesson.step++);
    DIFFERS(b.lesson.answer++);
    DIFFERS(b.other = &a);
    DIFFERS(b.compare++);
    scenario_done(&a);
}

/* What is left of a longer text, and bytes between fields, are no change: undo would have a step that does nothing. */
static void what_says_nothing_does_not_count(void **state)
{
    (void)state;
    struct scenario a, b;
    scenario_init(&a);
    scenario_copy(&b, &a);
    strcpy(b.text + strlen(b.text) + 1, "left over");
    b.zoom.x0 = -NAN;
    memset((char *)&b.mask.type + sizeof b.mask.type, 0x55, offsetof(struct mask, size) - sizeof b.mask.type);
    assert_true(scenario_same(&a, &b));
    scenario_done(&b);
    scenario_done(&a);
}

/* GPT-2 as CodeParrot was trained divides by the layer's number as well; another encoding in its place leaves the model's scale behind. */
static void the_scale_of_a_layer(void **state)
{
    (void)state;
    static const char gpt2[] = "{\"model_type\":\"gpt2\",\"n_embd\":768,\"n_head\":12,\"n_layer\":12,\"n_positions\":1024,\"scale_attn_by_inverse_layer_idx\":true}";
    const struct { int layer; double scale; } rows[] = {{-1, 1 / 8.0}, {0, 1 / 8.0}, {1, 1 / 16.0}, {11, 1 / 96.0}};
    struct scenario s;
    scenario_init(&s);
    assert_true(scenario_set_model(&s, facts_from_config("x", gpt2, strlen(gpt2), NULL), "config", -1, NULL));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(scenario_set_model_layer(&s, rows[i].layer, NULL));
        struct layer *layer = scenario_layer(&s, NULL);
        assert_true(fabs(layer->scale - rows[i].scale) < 1e-15);
        layer_close(layer);
    }
    assert_true(scenario_set_encoding(&s, "rope", NULL));
    struct layer *layer = scenario_layer(&s, NULL);
    assert_true(fabs(layer->scale - 1 / 8.0) < 1e-15);
    layer_close(layer);
    scenario_done(&s);
}

/* What a model file may say, a saved state may say too: sizes beyond every published model, but not beyond what is read. */
static void large_sizes_come_back(void **state)
{
    (void)state;
    static const char *const sizes[] = {
        "\"num_attention_heads\":4096,\"head_dim\":64,\"hidden_size\":131072,\"max_position_embeddings\":4096",
        "\"num_attention_heads\":8,\"head_dim\":16384,\"hidden_size\":4096,\"max_position_embeddings\":4096",
        "\"num_attention_heads\":8,\"head_dim\":64,\"hidden_size\":512,\"max_position_embeddings\":1000000000000",
        "\"num_attention_heads\":8,\"head_dim\":64,\"hidden_size\":512,\"max_position_embeddings\":4096,\"sliding_window\":5000000000000",
        "\"num_attention_heads\":8,\"head_dim\":64,\"hidden_size\":512,\"max_position_embeddings\":4096,"
        "\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":2,\"original_max_position_embeddings\":1000000000000}",
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct scenario s;
        struct err err = {0};
        char text[400];
        snprintf(text, sizeof text, "{\"model_type\":\"mistral\",\"num_hidden_layers\":2,\"rope_theta\":10000,%s}", sizes[i]);
        scenario_init(&s);
        assert_true(scenario_set_model(&s, facts_from_config("x", text, strlen(text), &err), "config", -1, &err));
        assert_round_trip(&s, sizes[i]);
        scenario_done(&s);
    }
}

/* What a file says is shown as it stands there, and the last of many heads can be chosen, by key as by name. */
static void large_sizes_are_shown(void **state)
{
    (void)state;
    static const char text[] = "{\"model_type\":\"llama\",\"num_attention_heads\":4096,\"head_dim\":64,\"hidden_size\":4096,\"max_position_embeddings\":4000000000}";
    struct scenario s;
    struct err err = {0};
    scenario_init(&s);
    assert_true(scenario_set_model(&s, facts_from_config("x", text, strlen(text), &err), "config", -1, &err));
    assert_true(s.shape.length == 4e9 && s.target == 4e9);
    for (int v = 0; v < VIEW_COUNT; v++) {
        struct param_ref refs[SCENARIO_MAX_PARAMS];
        scenario_set_view(&s, views[v]->id, &err);
        size_t n = scenario_params(&s, refs, SCENARIO_MAX_PARAMS);
        for (size_t i = 0; i < n; i++)
            if (refs[i].param->of_heads && !scenario_set(&s, refs[i].param->name, "4095", &err))
                fail_msg("%s: %s", views[v]->id, err.text);
        assert_round_trip(&s, views[v]->id);
    }
    scenario_done(&s);
}

/* A table that would not fit into memory is refused by name, before a byte of it is made. */
static void tables_too_large_are_refused(void **state)
{
    (void)state;
    static const struct { const char *view, *settings, *says; } cases[] = {
        {"attention", "content=seeded;n=64", "wq: would be"}, {"similarity", "projection=random", "projection: would be"}, {"grid", "rows=64;cols=64", "64 x 64 patches"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scenario s;
        struct err err = {.lang = LANG_EN};
        scenario_init(&s);
        assert_true(scenario_set_encoding(&s, "sinusoidal", &err) && scenario_set_view(&s, cases[i].view, &err));
        s.shape.d_head = 16384;
        s.shape.d_model = 131072;
        char copy[40], *save = NULL;
        snprintf(copy, sizeof copy, "%s", cases[i].settings);
        for (char *one = strtok_r(copy, ";", &save); one; one = strtok_r(NULL, ";", &save)) {
            char *value = strchr(one, '=');
            *value = '\0';
            assert_true(scenario_set(&s, one, value + 1, &err));
        }
        assert_null(view_figure(&s, 24, 80, 2, 1, &err));
        if (!strstr(err.text, cases[i].says))
            fail_msg("%s: %s", cases[i].view, err.text);
        scenario_done(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_sizes_come_back), cmocka_unit_test(large_sizes_are_shown), cmocka_unit_test(tables_too_large_are_refused),
        cmocka_unit_test(every_part_counts_in_a_comparison), cmocka_unit_test(what_says_nothing_does_not_count),
        cmocka_unit_test(every_preset_loads_and_suits_its_view), cmocka_unit_test(titles_follow_the_language),
        cmocka_unit_test(words_of_a_model_follow_the_language), cmocka_unit_test(every_encoding_has_a_preset),
        cmocka_unit_test(a_nameless_configuration_is_saved_whole), cmocka_unit_test(a_users_model_comes_back),
        cmocka_unit_test(what_is_saved_comes_back),              cmocka_unit_test(broken_presets_name_the_path),
        cmocka_unit_test(a_preset_names_a_layer), cmocka_unit_test(a_refused_edit_changes_nothing),        cmocka_unit_test(layers_take_several_encodings),
        cmocka_unit_test(lengths_stay_with_another_encoding),
        cmocka_unit_test(a_copy_shares_nothing_that_changes),    cmocka_unit_test(a_table_is_set_by_its_file),
        cmocka_unit_test(a_head_is_one_of_the_heads),            cmocka_unit_test(a_layer_is_none_by_its_last_digits),
        cmocka_unit_test(content_from_files_comes_back), cmocka_unit_test(a_model_of_a_file_comes_back),
        cmocka_unit_test(a_parameter_is_named_by_its_encoding), cmocka_unit_test(wrong_words_say_what_is_allowed),
        cmocka_unit_test(a_long_path_is_kept_whole_or_refused), cmocka_unit_test(the_scale_of_a_layer),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
