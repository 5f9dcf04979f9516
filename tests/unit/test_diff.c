/* test_diff.c - two model files are told equal or different by what they compute. If it fails, a base lost by a converter or a scaling that
 * is ignored passes as equal, or a GGUF file is reported to differ from the very configuration it was made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../support/findings.h"
#include "../support/gguf_models.h"
#include "json/json.h"
#include "model/diff.h"

static struct facts *config(const char *text)
{
    struct facts *f = facts_from_config("config.json", text, strlen(text), NULL);
    assert_non_null(f);
    return f;
}

static struct diff *diff_of(struct facts *a, struct facts *b)
{
    struct diff *d = diff_facts(a, b, 1e-6, LANG_EN);
    facts_unref(a);
    facts_unref(b);
    return d;
}

static struct diff *diff_configs(const char *a, const char *b)
{
    return diff_of(config(a), config(b));
}

static const struct difference *field(const struct diff *d, const char *name)
{
    for (size_t i = 0; i < d->n_differences; i++)
        if (!strcmp(d->difference[i].field, name))
            return &d->difference[i];
    return NULL;
}

static bool says(const struct diff *d, const char *text)
{
    for (size_t i = 0; i < d->n_sentences; i++)
        if (strstr(d->sentence[i], text))
            return true;
    return false;
}

#define LLAMA "\"model_type\":\"llama\",\"hidden_size\":4096,\"num_attention_heads\":32,\"num_hidden_layers\":4,"

/* ---- equal ---------------------------------------------------------------------------------------------------------- */

static void a_gguf_equals_its_configuration(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_MODELS; i++) {
        struct diff *d = diff_of(facts_at(models[i].write()), model_config(&models[i]));
        for (size_t k = 0; k < d->n_differences; k++)
            print_message("model %zu: %s\n", i, d->difference[k].field);
        assert_true(d->equal);
        assert_int_equal(d->n_pairs, 0);
        diff_free(d);
    }
}

static void permuted_rows_are_said(void **state)
{
    (void)state;
    struct diff *d = diff_of(facts_at(write_llama31()), model_config(&models[0]));
    assert_true(says(d, "permuted"));
    diff_free(d);
    d = diff_of(facts_at(write_qwen()), model_config(&models[1]));      /* the same layout in both */
    assert_int_equal(d->n_sentences, 0);
    diff_free(d);
}

static void ways_to_write_the_same(void **state)
{
    (void)state;
    struct diff *d = diff_configs("{" LLAMA "\"max_position_embeddings\":4096,\"rope_theta\":10000}",
                                  "{" LLAMA "\"max_position_embeddings\":4096,\"head_dim\":128,\"rope_parameters\":{\"rope_type\":\"default\",\"rope_theta\":10000}}");
    assert_true(d->equal);
    diff_free(d);
    d = diff_configs("{" LLAMA "\"max_position_embeddings\":131072,\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":4,\"original_max_position_embeddings\":32768}}",
                     "{" LLAMA "\"max_position_embeddings\":131072,\"rope_scaling\":{\"type\":\"yarn\",\"factor\":4.0,\"beta_fast\":32,\"beta_slow\":1,"
                     "\"attention_factor\":1.1386294361119891,\"original_max_position_embeddings\":32768}}");
    assert_true(d->equal);
    diff_free(d);
}

static void tolerance_is_relative(void **state)
{
    (void)state;
    struct facts *a = config("{" LLAMA "\"max_position_embeddings\":4096,\"rope_theta\":1000000}");
    struct facts *b = config("{" LLAMA "\"max_position_embeddings\":4096,\"rope_theta\":1000500}");
    struct diff *loose = diff_facts(a, b, 1e-3, LANG_EN), *tight = diff_facts(a, b, 1e-6, LANG_EN);
    assert_true(loose->equal);
    assert_false(tight->equal);
    diff_free(loose);
    diff_free(tight);
    facts_unref(a);
    facts_unref(b);
}

/* ---- different ------------------------------------------------------------------------------------------------------------ */

/* The mean of cos(p (w_k - v_k)) with bases B and C, by its definition. */
static double cosine_of_bases(double B, double C, double p)
{
    double sum = 0;
    for (int k = 0; k < 64; k++)
        sum += cos(p * (pow(B, -k / 64.0) - pow(C, -k / 64.0)));
    return sum / 64;
}

static void a_lost_base(void **state)
{
    (void)state;
    struct gguf_file g = gguf_model("qwen2", 4, 4096, 32, 32768);
    struct diff *d = diff_of(config("{\"model_type\":\"qwen2\",\"hidden_size\":4096,\"num_attention_heads\":32,\"num_hidden_layers\":4,\"rope_theta\":1000000,"
                                    "\"max_position_embeddings\":32768}"),
                             facts_at(gguf_write(&g, "lost.gguf")));
    assert_false(d->equal);
    assert_true(json_number(field(d, "base")->a, 0) == 1000000 && json_number(field(d, "base")->b, 0) == 10000);
    assert_int_equal(field(d, "base")->layer, -1);
    assert_true(says(d, "The base is lost: A has 1000000 (rope_theta), in B it is missing and 10000 is assumed"));
    assert_int_equal(d->n_pairs, 63);           /* the first pair does not depend on the base */
    assert_int_equal(d->n_rotated, 64);
    assert_int_equal(d->pair[0].pair, 1);
    assert_true(fabs(d->pair[0].a - pow(1e6, -1 / 64.0)) < 1e-12 && fabs(d->pair[0].b - pow(1e4, -1 / 64.0)) < 1e-12);
    assert_true(d->cosine[0].position == 1 && d->cosine[d->n_cosines - 1].position == 32768);
    assert_int_equal(d->n_cosines, 16);         /* 1, 2, 4, ... 32768 */
    for (size_t i = 0; i < d->n_cosines; i++)
        assert_true(fabs(d->cosine[i].value - cosine_of_bases(1e6, 1e4, d->cosine[i].position)) < 1e-9);
    diff_free(d);
}

/* Of two models nothing is lost: what one has and the other has not is said as a difference. */
static void two_models_lose_nothing(void **state)
{
    (void)state;
    struct diff *d = diff_configs("{" LLAMA "\"max_position_embeddings\":16384,\"rope_theta\":500000,\"num_key_value_heads\":8,\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":4}}",
                                  "{" LLAMA "\"max_position_embeddings\":4096}");
    assert_true(says(d, "A alone has a scaling, linear, factor 4; the frequencies of B are unscaled."));
    assert_true(says(d, "The bases differ, 500000 and 10000"));
    assert_false(says(d, "is lost"));
    diff_free(d);
}

static void an_ignored_scaling(void **state)
{
    (void)state;
    struct diff *d = diff_configs("{" LLAMA "\"max_position_embeddings\":16384,\"rope_scaling\":{\"rope_type\":\"linear\",\"factor\":4}}",
                                  "{" LLAMA "\"max_position_embeddings\":16384}");
    assert_false(d->equal);
    assert_true(says(d, "The scaling is lost: A has linear, factor 4, B has none"));
    assert_int_equal(d->n_pairs, 64);
    assert_true(d->pair[63].b / d->pair[63].a > 3.999 && d->pair[63].b / d->pair[63].a < 4.001);
    diff_free(d);
    /* One that acts beyond the trained length alone is seen too. */
    d = diff_configs("{" LLAMA "\"max_position_embeddings\":4096,\"rope_scaling\":{\"rope_type\":\"dynamic\",\"factor\":4}}", "{" LLAMA "\"max_position_embeddings\":4096}");
    assert_false(d->equal);
    assert_true(d->length == 16384 && d->n_pairs == 63);
    diff_free(d);
}

#define SCALED(scaling) "{" LLAMA "\"max_position_embeddings\":16384,\"rope_scaling\":{" scaling "}}"
static void scalings_that_differ(void **state)
{
    (void)state;
    struct diff *d = diff_configs(SCALED("\"rope_type\":\"linear\",\"factor\":2"), SCALED("\"rope_type\":\"linear\",\"factor\":4"));
    assert_false(d->equal);
    assert_true(says(d, "The factors of the scaling linear differ, 2 and 4."));
    assert_int_equal(d->n_pairs, 64);
    diff_free(d);
    d = diff_configs(SCALED("\"rope_type\":\"linear\",\"factor\":4"),
                     SCALED("\"rope_type\":\"yarn\",\"factor\":4,\"original_max_position_embeddings\":4096"));
    assert_false(d->equal);
    assert_true(says(d, "The scalings are of two kinds, linear and yarn."));
    assert_string_equal(json_string(field(d, "scaling_type")->b), "yarn");
    diff_free(d);
    d = diff_configs("{" LLAMA "\"max_position_embeddings\":4096}", "{" LLAMA "\"max_position_embeddings\":8192}");
    assert_true(says(d, "The declared contexts differ, 4096 and 8192."));
    diff_free(d);
}

/* DeepSeek scales the logits with the square of an mscale that no speed shows. */
static void a_scale_of_the_logits_that_differs(void **state)
{
    (void)state;
#define DEEPSEEK(mscale) "{\"model_type\":\"deepseek_v3\",\"hidden_size\":7168,\"num_attention_heads\":128,\"num_hidden_layers\":4,\"qk_nope_head_dim\":128," \
                         "\"qk_rope_head_dim\":64,\"max_position_embeddings\":163840,\"rope_theta\":10000,\"rope_scaling\":{\"type\":\"yarn\",\"factor\":40," \
                         "\"mscale\":" mscale ",\"mscale_all_dim\":" mscale ",\"original_max_position_embeddings\":4096}}"
    struct diff *d = diff_configs(DEEPSEEK("1"), DEEPSEEK("0.5"));
    assert_false(d->equal);
    const struct difference *x = field(d, "softmax_scale");
    assert_non_null(x);
    double ratio = (1 + 0.1 * log(40)) / (1 + 0.05 * log(40));
    assert_true(fabs(json_number(x->a, 0) / json_number(x->b, 0) - ratio * ratio) < 1e-9);
    assert_int_equal(d->n_pairs, 0);
    diff_free(d);
}

/* Gemma 2 27B divides by the root of 144, not of its heads' 128. */
static void a_scale_that_one_key_says(void **state)
{
    (void)state;
#define GEMMA2(width) "{\"model_type\":\"gemma2\",\"hidden_size\":4608,\"num_attention_heads\":32,\"head_dim\":128,\"num_hidden_layers\":46," \
                      "\"max_position_embeddings\":8192,\"sliding_window\":4096,\"query_pre_attn_scalar\":" width "}"
    struct diff *d = diff_configs(GEMMA2("144"), GEMMA2("128"));
    assert_false(d->equal);
    assert_int_equal(d->n_differences, 1);
    const struct difference *x = field(d, "softmax_scale");
    assert_non_null(x);
    assert_true(fabs(json_number(x->a, 0) - 1 / 12.0) < 1e-15 && fabs(json_number(x->b, 0) - 1 / sqrt(128)) < 1e-15);
    assert_true(says(d, "q.k is multiplied by 0.0833333 in A and by 0.0883883 in B"));
    diff_free(d);
    d = diff_configs(GEMMA2("144"), GEMMA2("144"));
    assert_true(d->equal);
    diff_free(d);
}

static void a_scale_that_falls_with_the_layer(void **state)
{
    (void)state;
#define GPT2(flag) "{\"model_type\":\"gpt2\",\"n_embd\":768,\"n_head\":12,\"n_layer\":12,\"n_positions\":1024,\"scale_attn_by_inverse_layer_idx\":" flag "}"
    struct diff *d = diff_configs(GPT2("true"), GPT2("false"));
    assert_false(d->equal);
    assert_non_null(field(d, "scale_by_layer"));
    diff_free(d);
}

/* Layers and lengths of a decoder are its own. */
static void a_decoder_that_differs(void **state)
{
    (void)state;
#define BYT5(layers) "{\"model_type\":\"t5\",\"d_model\":1472,\"d_kv\":64,\"num_heads\":6,\"num_layers\":12" layers "}"
#define WHISPER(layers, length) "{\"model_type\":\"whisper\",\"d_model\":1280,\"encoder_layers\":32,\"encoder_attention_heads\":20,\"decoder_layers\":" layers \
                                ",\"decoder_attention_heads\":20,\"max_source_positions\":1500,\"max_target_positions\":" length "}"
    static const struct { const char *a, *b, *field; } rows[] = {
        {BYT5(",\"num_decoder_layers\":4"), BYT5(",\"num_decoder_layers\":6"), "decoder.num_layers"},
        {BYT5(",\"num_decoder_layers\":4"), BYT5(""), "decoder.num_layers"},
        {BYT5(",\"num_decoder_layers\":12"), BYT5(",\"num_decoder_layers\":null"), NULL},
        {WHISPER("32", "448"), WHISPER("4", "448"), "decoder.num_layers"},
        {WHISPER("4", "448"), WHISPER("4", "224"), "decoder.context"},
        {WHISPER("4", "448"), WHISPER("4", "448"), NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct diff *d = diff_configs(rows[i].a, rows[i].b);
        assert_int_equal(d->equal, rows[i].field == NULL);
        assert_int_equal(d->n_differences, rows[i].field != NULL);
        if (rows[i].field)
            assert_non_null(field(d, rows[i].field));
        diff_free(d);
    }
}

static void a_switch_that_no_field_shows(void **state)
{
    (void)state;
    const char *with = "{" LLAMA "\"max_position_embeddings\":131072,\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":32,\"original_max_position_embeddings\":4096,"
                       "\"truncate\":false}}";
    const char *without = "{" LLAMA "\"max_position_embeddings\":131072,\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":32,\"original_max_position_embeddings\":4096}}";
    struct diff *d = diff_configs(with, without);
    assert_false(d->equal);
    assert_non_null(field(d, "truncate"));
    assert_true(d->n_pairs > 0);
    diff_free(d);
    const char *factor = "{" LLAMA "\"max_position_embeddings\":131072,\"rope_scaling\":{\"rope_type\":\"yarn\",\"factor\":32,\"original_max_position_embeddings\":4096,"
                         "\"attention_factor\":1}}";
    d = diff_configs(factor, without);
    assert_false(d->equal);
    assert_non_null(field(d, "attention_factor"));
    assert_int_equal(d->n_pairs, 0);            /* the speeds are the same */
    diff_free(d);
}

static void layouts_that_differ(void **state)
{
    (void)state;
    struct diff *d = diff_configs("{" LLAMA "\"max_position_embeddings\":4096}", "{" LLAMA "\"max_position_embeddings\":4096,\"rope_interleave\":true}");
    assert_false(d->equal);
    assert_string_equal(json_string(field(d, "layout")->a), "half");
    assert_true(says(d, "Pairs are formed otherwise"));
    diff_free(d);
}

static void differences_by_layer(void **state)
{
    (void)state;
#define LAYERED "{\"model_type\":\"gemma3_text\",\"hidden_size\":1152,\"num_attention_heads\":4,\"head_dim\":256,\"num_hidden_layers\":8,\"max_position_embeddings\":32768,"
    struct diff *d = diff_configs(LAYERED "\"sliding_window\":512,\"sliding_window_pattern\":6}", LAYERED "\"sliding_window\":1024,\"sliding_window_pattern\":4}");
    assert_false(d->equal);
    assert_string_equal(field(d, "sliding_window")->layers, "0-2, 4, 6");
    assert_int_equal(field(d, "sliding_window")->layer, 0);
    const struct difference *mask = field(d, "mask");           /* layers 3, 5 and 7 are full in one file alone */
    assert_non_null(mask);
    assert_true(d->n_pairs > 0);                                /* and turn with another base */
    diff_free(d);
    d = diff_configs(LAYERED "\"sliding_window\":512,\"rope_local_base_freq\":10000}", LAYERED "\"sliding_window\":512,\"rope_local_base_freq\":20000}");
    assert_false(d->equal);
    assert_int_equal(d->layer, 0);
    assert_true(d->n_pairs == 127);
    diff_free(d);
}

static void biases_that_differ(void **state)
{
    (void)state;
    struct diff *d = diff_configs("{\"model_type\":\"t5\",\"d_model\":512,\"num_heads\":8,\"num_layers\":6,\"relative_attention_num_buckets\":32,"
                                  "\"relative_attention_max_distance\":128}",
                                  "{\"model_type\":\"t5\",\"d_model\":512,\"num_heads\":8,\"num_layers\":6,\"relative_attention_num_buckets\":32,"
                                  "\"relative_attention_max_distance\":256}");
    assert_false(d->equal);
    assert_true(json_number(field(d, "max_distance")->b, 0) == 256);
    assert_non_null(field(d, "decoder.max_distance"));
    diff_free(d);
    d = diff_configs("{\"model_type\":\"bloom\",\"hidden_size\":1024,\"n_head\":16,\"n_layer\":4}", "{" LLAMA "\"max_position_embeddings\":4096}");
    assert_string_equal(json_string(field(d, "scheme")->a), "alibi");
    assert_true(says(d, "different position encodings: alibi and rope"));
    diff_free(d);
}

static void what_cannot_be_told_is_not_equal(void **state)
{
    (void)state;
    struct diff *d = diff_configs("{\"model_type\":\"nobody-knows\"}", "{\"model_type\":\"nobody-knows\"}");
    assert_false(d->equal);
    diff_free(d);
}

/* ---- JSON --------------------------------------------------------------------------------------------------------------- */

static void json_has_the_agreed_fields(void **state)
{
    (void)state;
    struct diff *d = diff_configs("{" LLAMA "\"max_position_embeddings\":4096,\"rope_theta\":10000}", "{" LLAMA "\"max_position_embeddings\":4096,\"rope_theta\":500000}");
    struct json *o = diff_to_json(d);
    assert_true(json_number(json_get(o, "schema"), 0) == 1);
    assert_false(json_bool(json_get(o, "equal"), true));
    const struct json *one = json_first(json_get(o, "differences"));
    assert_string_equal(json_string(json_get(one, "field")), "base");
    assert_true(json_number(json_get(one, "b"), 0) == 500000);
    assert_int_equal(json_type(json_get(one, "layer")), JSON_NULL);
    assert_int_equal(json_size(json_get(o, "pairs")), 63);
    assert_true(json_number(json_get(json_first(json_get(o, "cosine")), "position"), 0) == 1);
    assert_int_equal(json_size(json_get(o, "cosine")), 13);
    json_free(o);
    diff_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_gguf_equals_its_configuration, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(permuted_rows_are_said, scratch_open, scratch_close),
        cmocka_unit_test(ways_to_write_the_same),
        cmocka_unit_test(tolerance_is_relative),
        cmocka_unit_test_setup_teardown(a_lost_base, scratch_open, scratch_close),
        cmocka_unit_test(two_models_lose_nothing), cmocka_unit_test(an_ignored_scaling),
        cmocka_unit_test(scalings_that_differ),
        cmocka_unit_test(a_scale_of_the_logits_that_differs),
        cmocka_unit_test(a_scale_that_one_key_says),
        cmocka_unit_test(a_scale_that_falls_with_the_layer),
        cmocka_unit_test(a_decoder_that_differs),
        cmocka_unit_test(a_switch_that_no_field_shows),
        cmocka_unit_test(layouts_that_differ),
        cmocka_unit_test(differences_by_layer),
        cmocka_unit_test(biases_that_differ),
        cmocka_unit_test(what_cannot_be_told_is_not_equal),
        cmocka_unit_test(json_has_the_agreed_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
