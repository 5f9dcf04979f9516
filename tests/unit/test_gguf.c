/* test_gguf.c - GGUF files are read as llama.cpp computes them. If it fails, a user sees the wrong base, layout, scaling or table of a GGUF
 * file, or a damaged file ends the program.
 *
 * The readings are held against the configuration of the same model, whose reading is tested with published numbers elsewhere; layouts
 * and layers against what llama.cpp's code says of each architecture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>

#include "../support/findings.h"
#include "../support/gguf_models.h"
#include "json/json.h"
#include "model/gguf.h"

static void near_or_fail(double got, double wanted, double tolerance, int line)
{
    if (!(fabs(got - wanted) <= tolerance))
        fail_msg("line %d: %.17g, wanted %.17g", line, got, wanted);
}
#define assert_near(got, wanted, tolerance) near_or_fail((got), (wanted), (tolerance), __LINE__)

static double check_number(const struct facts *f, const char *name)
{
    return json_number(json_get(json_get(f->reading, "checks"), name), NAN);
}

/* ---- the same model in both formats -------------------------------------------------------------------------- */

static void assert_same_layer(const struct layer_facts *a, const struct layer_facts *b, double length)
{
    struct shape sa = a->shape, sb = b->shape;
    sa.length = sb.length = length;
    struct layer *la = layer_open(a->item, a->n_items, &sa, NULL), *lb = layer_open(b->item, b->n_items, &sb, NULL);
    assert_non_null(la);
    assert_non_null(lb);
    assert_int_equal(la->n, lb->n);
    assert_near(la->scale, lb->scale, 1e-6 * lb->scale);
    const struct enc *ea = layer_spectrum(la), *eb = layer_spectrum(lb);
    assert_true(!ea == !eb);
    const struct spectrum *x = ea ? ea->kind->spectrum(ea) : NULL, *y = eb ? eb->kind->spectrum(eb) : NULL;
    for (size_t k = 0; x && k < y->n; k++) {
        assert_int_equal(x->n, y->n);
        assert_near(x->inv_freq[k], y->inv_freq[k], 2e-6 * y->inv_freq[k]);
        assert_int_equal(x->axis ? x->axis[k] : 0, y->axis ? y->axis[k] : 0);
    }
    if (x)
        assert_near(x->attention_factor, y->attention_factor, 1e-6);
    layer_close(la);
    layer_close(lb);
}

static void same_rotation_as_the_configuration(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_MODELS; i++) {
        struct facts *a = facts_at(models[i].write()), *b = model_config(&models[i]);
        assert_non_null(b);
        assert_string_equal(a->scheme, b->scheme);
        assert_string_equal(a->scaling_type, b->scaling_type);
        assert_true(a->base == b->base);
        assert_true(a->trained_context == b->trained_context && a->context == b->context);
        assert_true(a->head_dim == b->head_dim && a->rotary_dim == b->rotary_dim);
        assert_int_equal(a->n_layers, b->n_layers);
        for (size_t l = 0; l < a->n_layers; l++) {
            const struct layer_facts *x = &a->kind[a->kind_of_layer[l]], *y = &b->kind[b->kind_of_layer[l]];
            assert_int_equal(x->mask.type, y->mask.type);
            assert_true(x->mask.size == y->mask.size);
            if (l < 6) {
                assert_same_layer(x, y, a->trained_context);
                assert_same_layer(x, y, a->context);
            }
        }
        facts_unref(a);
        facts_unref(b);
    }
}

/* ---- what the code of each architecture does ------------------------------------------------------------------ */

static void layouts_of_architectures(void **state)
{
    (void)state;
    static const struct { const char *arch, *layout, *published; } rows[] = {
        {"llama", "interleaved", "half"}, {"deci", "interleaved", "half"}, {"internlm2", "interleaved", "half"}, {"minicpm", "interleaved", "half"},
        {"xverse", "interleaved", "half"}, {"olmo", "interleaved", "half"}, {"granite", "interleaved", "half"}, {"smollm3", "interleaved", "half"},
        {"command-r", "interleaved", NULL}, {"chatglm", "interleaved", NULL}, {"glm4", "interleaved", NULL}, {"ernie4_5", "interleaved", NULL},
        {"falcon", "half", NULL}, {"qwen2", "half", NULL}, {"qwen3", "half", NULL}, {"gemma", "half", NULL}, {"phi3", "half", NULL}, {"stablelm", "half", NULL},
        {"gptneox", "half", NULL}, {"starcoder2", "half", NULL}, {"olmo2", "half", NULL}, {"exaone", "half", NULL}, {"glm4moe", "half", NULL},
        {"seed_oss", "half", NULL}, {"nomic-bert", "half", NULL}, {"minimax-m2", "half", NULL}, {"hunyuan-moe", "half", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char key[80];
        struct gguf_file g = gguf_model(rows[i].arch, 4, 256, 4, 4096);
        snprintf(key, sizeof key, "%s.rope.freq_base", rows[i].arch);
        gguf_float(&g, key, 20000);
        struct facts *f = facts_at(gguf_write(&g, "a.gguf"));
        assert_string_equal(f->layout, rows[i].layout);
        assert_string_equal(f->model_type, rows[i].arch);
        assert_true(f->base == 20000 && f->rotary_dim == 64);
        const char *published = json_string(json_get(json_get(f->reading, "checks"), "layout_before_conversion"));
        assert_true(!published == !rows[i].published);
        if (published)
            assert_string_equal(published, rows[i].published);
        facts_unref(f);
    }
}

/* Which layers slide (s), see all (f), have no rotation (n, N where they also slide or chunk: none does), or do not attend (-). */
static void assert_layers(const struct facts *f, const char *wanted)
{
    assert_int_equal(f->n_layers, strlen(wanted));
    for (size_t l = 0; l < f->n_layers; l++) {
        const struct layer_facts *k = &f->kind[f->kind_of_layer[l]];
        bool slides = k->mask.type == MASK_SLIDING || k->mask.type == MASK_WINDOW || k->mask.type == MASK_CHUNKED;
        bool rotated = k->n_items && (!strcmp(k->item[0].kind->id, "rope") || !strcmp(k->item[0].kind->id, "ggml_rope"));
        char got = !strcmp(k->name, "no attention") ? '-' : !rotated ? 'n' : slides ? 's' : 'f';
        assert_int_equal(got, wanted[l]);
    }
}

static void layers_of_architectures(void **state)
{
    (void)state;
    static const struct { const char *arch; unsigned window; const char *layers; } rows[] = {
        {"llama", 0, "ffff"}, {"gemma2", 0, "sfsfsf"}, {"gemma2", 64, "sfsf"}, {"cohere2", 64, "sssnsssn"}, {"olmo2", 64, "sssfsssf"}, {"olmo2", 0, "ffff"},
        {"exaone4", 0, "fffffff"}, {"exaone4", 64, "sssnsssn"}, {"gpt-oss", 64, "sfsf"}, {"smollm3", 0, "fffnfffn"}, {"smallthinker", 64, "nsssnsss"},
        {"smallthinker", 0, "ffffffff"}, {"modern-bert", 64, "fssfss"}, {"llama4", 0, "sssnsssn"}, {"mistral3", 64, "ssss"}, {"qwen3next", 0, "---f---f"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char key[80];
        struct gguf_file g = gguf_model(rows[i].arch, (unsigned)strlen(rows[i].layers), 256, 4, 16384);
        snprintf(key, sizeof key, "%s.attention.sliding_window", rows[i].arch);
        if (rows[i].window)
            gguf_uint(&g, key, rows[i].window);
        struct facts *f = facts_at(gguf_write(&g, "a.gguf"));
        assert_layers(f, rows[i].layers);
        facts_unref(f);
    }
}

/* What llama.cpp multiplies q.k by; 0: 1/sqrt(head_dim). Keys: embedding_length 256, 4 heads, key_length 32. */
static void scales_of_architectures(void **state)
{
    (void)state;
    static const struct { const char *arch; unsigned layers; double key, scale; } rows[] = {
        {"gemma2", 26, 0, 0}, {"gemma2", 46, 0, 1 / 8.0}, {"gemma3", 46, 0, 0}, {"gemma3", 62, 0, 1 / 8.0}, {"gemma-embedding", 62, 0, 0}, {"gemma3n", 4, 0, 1},
        {"granite", 4, 0.015625, 0.015625}, {"granitemoe", 4, 0.0078125, 0.0078125}, {"granitehybrid", 4, 0.015625, 0.015625}, {"granite", 4, 0, 0},
        {"llama", 4, 0.015625, 0}, {"jais", 4, 0, 1 / 32.0}, {"t5", 4, 0, 1}, {"gpt2", 4, 0, 0}, {"mpt", 4, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char key[80];
        struct gguf_file g = gguf_model(rows[i].arch, rows[i].layers, 256, 4, 4096);
        snprintf(key, sizeof key, "%s.attention.key_length", rows[i].arch);
        gguf_uint(&g, key, 32);
        snprintf(key, sizeof key, "%s.attention.scale", rows[i].arch);
        if (rows[i].key > 0)
            gguf_float(&g, key, rows[i].key);
        struct facts *f = facts_at(gguf_write(&g, "a.gguf"));
        assert_true(rows[i].scale > 0 ? fabs(f->softmax_scale - rows[i].scale) < 1e-12 : isnan(f->softmax_scale));
        if (rows[i].key > 0 && rows[i].scale > 0)
            assert_string_equal(facts_origin(f, "softmax_scale"), key);
        facts_unref(f);
    }
}

static void layers_by_lists(void **state)
{
    (void)state;
    struct gguf_file g = gguf_model("lfm2", 6, 256, 4, 4096);
    gguf_list(&g, "lfm2.attention.head_count_kv", FILE_I32, (int[]){0, 0, 2, 0, 0, 4}, 6);
    struct facts *f = facts_at(gguf_write(&g, "a.gguf"));
    assert_layers(f, "--f--f");
    assert_true(f->num_kv_heads == 4);
    assert_non_null(finding_of(f, "heads-by-layer"));
    facts_unref(f);

    g = gguf_model("mimo2", 4, 256, 4, 4096);
    gguf_uint(&g, "mimo2.attention.sliding_window", 128);
    gguf_list(&g, "mimo2.attention.sliding_window_pattern", FILE_BOOL, (int[]){0, 1, 1, 0}, 4);
    gguf_float(&g, "mimo2.rope.freq_base", 5000000);
    gguf_float(&g, "mimo2.rope.freq_base_swa", 10000);
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_layers(f, "fssf");
    int theta = param_index(f->kind[0].item[0].kind->params, f->kind[0].item[0].kind->n_params, "rope_theta");
    assert_true(f->kind[f->kind_of_layer[0]].item[0].param[theta].x == 5000000);
    assert_true(f->kind[f->kind_of_layer[1]].item[0].param[theta].x == 10000);
    facts_unref(f);

    g = gguf_model("glm4moe", 5, 256, 4, 4096);             /* one of the five predicts the token after next */
    gguf_uint(&g, "glm4moe.nextn_predict_layers", 1);
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_true(f->num_layers == 4);
    facts_unref(f);

    g = gguf_model("llama4", 4, 256, 4, 16384);             /* a window of 0: a small Llama 4 without chunks */
    gguf_uint(&g, "llama4.attention.sliding_window", 0);
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_layers(f, "ffff");
    facts_unref(f);
}

static void encoders_see_both_sides(void **state)
{
    (void)state;
    struct gguf_file g = gguf_model("nomic-bert", 2, 256, 4, 2048);
    struct facts *f = facts_at(gguf_write(&g, "a.gguf"));
    assert_int_equal(f->kind[0].mask.type, MASK_NONE);
    facts_unref(f);
    g = gguf_model("qwen2", 2, 256, 4, 2048);
    gguf_bool(&g, "qwen2.attention.causal", 0);
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_int_equal(f->kind[0].mask.type, MASK_NONE);
    facts_unref(f);
}

static void biases_of_architectures(void **state)
{
    (void)state;
    struct gguf_file g = gguf_model("bloom", 2, 256, 4, 2048);
    struct facts *f = facts_at(gguf_write(&g, "a.gguf"));
    assert_string_equal(f->scheme, "alibi");
    assert_true(check_number(f, "bias_max") == 8 && check_number(f, "slope_first") == 0.25);
    facts_unref(f);
    g = gguf_model("mpt", 2, 256, 4, 2048);
    gguf_float(&g, "mpt.attention.max_alibi_bias", 16);
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_string_equal(f->scheme, "alibi");
    assert_true(check_number(f, "slope_first") == 0.0625);      /* 2^(-16/4) */
    facts_unref(f);
    g = gguf_model("baichuan", 40, 256, 4, 2048);
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_string_equal(f->scheme, "alibi");
    facts_unref(f);
    g = gguf_model("baichuan", 32, 256, 4, 2048);
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_string_equal(f->scheme, "rope");
    facts_unref(f);
    g = gguf_model("mamba", 2, 256, 0, 2048);
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_string_equal(f->scheme, "none");
    assert_int_equal(f->n_findings, 0);
    facts_unref(f);
}

/* ---- tensors ---------------------------------------------------------------------------------------------------- */

static struct table *table_of(const struct facts *f, size_t kind)
{
    const struct item *item = &f->kind[kind].item[0];
    return item->param[param_index(item->kind->params, item->kind->n_params, "table")].t;
}

static void learned_rows_are_the_files(void **state)
{
    (void)state;
    double values[16 * 8];
    for (int i = 0; i < 16 * 8; i++)
        values[i] = i / 8.0;
    struct gguf_file g = gguf_model("gpt2", 2, 8, 2, 16);
    gguf_floats(&g, "token_embd.weight", 4, 8, NULL);
    gguf_floats(&g, "position_embd.weight", 16, 8, values);
    struct facts *f = facts_at(gguf_write(&g, "a.gguf"));
    assert_string_equal(f->scheme, "learned_absolute");
    assert_int_equal(f->n_findings, 0);
    const struct table *t = table_of(f, 0);
    assert_non_null(t);
    assert_int_equal(t->dim[0], 16);
    assert_memory_equal(t->v, values, sizeof values);
    facts_unref(f);
}

static void tables_that_do_not_fit(void **state)
{
    (void)state;
    struct gguf_file g = gguf_model("gpt2", 2, 8, 2, 16);
    gguf_floats(&g, "position_embd.weight", 16, 9, NULL);       /* rows of another width */
    struct facts *f = facts_at(gguf_write(&g, "a.gguf"));
    assert_non_null(finding_of(f, "table-shape"));
    assert_null(table_of(f, 0));
    facts_unref(f);
    g = gguf_model("gpt2", 2, 8, 2, 16);
    gguf_floats(&g, "position_embd.weight", 12, 8, NULL);       /* fewer rows than positions */
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_non_null(finding_of(f, "table-rows"));
    facts_unref(f);
    g = gguf_model("gpt2", 2, 32, 2, 16);
    gguf_typed(&g, "position_embd.weight", 8, 16, 32, NULL, 16 * 34);       /* Q8_0 */
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_non_null(strstr(finding_of(f, "tensor-unread")->message, "quantised"));
    assert_string_equal(f->scheme, "learned_absolute");
    facts_unref(f);
}

static void t5_tables_by_stack(void **state)
{
    (void)state;
    double values[32 * 4];
    for (int i = 0; i < 32 * 4; i++)
        values[i] = i;
    struct gguf_file g = gguf_model("t5", 2, 256, 4, 512);
    gguf_uint(&g, "t5.attention.relative_buckets_count", 32);
    gguf_floats(&g, "enc.blk.0.attn_rel_b.weight", 32, 4, values);
    gguf_floats(&g, "dec.blk.0.attn_rel_b.weight", 32, 4, NULL);
    struct facts *f = facts_at(gguf_write(&g, "a.gguf"));
    assert_string_equal(f->scheme, "t5_relative_bias");
    assert_true(check_number(f, "max_distance") == 128);
    assert_int_equal(f->n_kinds, 2);
    assert_memory_equal(table_of(f, 0)->v, values, sizeof values);
    assert_true(table_of(f, 1)->v[1] == 0);
    facts_unref(f);
    g = gguf_model("t5encoder", 2, 256, 4, 512);
    gguf_uint(&g, "t5encoder.attention.relative_buckets_count", 32);
    gguf_floats(&g, "enc.blk.0.attn_rel_b.weight", 32, 4, values);
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_int_equal(f->n_kinds, 1);
    facts_unref(f);
}

static void factors_of_no_known_scaling(void **state)
{
    (void)state;
    double factors[32];
    for (int k = 0; k < 32; k++)
        factors[k] = 1 + k / 8.0;
    struct gguf_file g = gguf_model("llama", 2, 256, 4, 8192);
    gguf_float(&g, "llama.rope.freq_base", 500000);
    gguf_floats(&g, "rope_freqs.weight", 1, 32, factors);
    struct facts *f = facts_at(gguf_write(&g, "a.gguf"));
    assert_non_null(finding_of(f, "factors-unknown"));
    assert_string_equal(f->scaling_type, "freq_factors");
    struct layer *layer = layer_open(f->kind[0].item, f->kind[0].n_items, &f->kind[0].shape, NULL);
    assert_non_null(layer);
    const struct spectrum *s = layer->enc[0]->kind->spectrum(layer->enc[0]);
    for (int k = 0; k < 32; k++)
        assert_near(s->inv_freq[k], pow(500000, -k / 32.0) / factors[k], 1e-12);
    assert_int_equal(s->b[0], 1);           /* pairs of neighbours, as in every file of this architecture */
    assert_near(check_number(f, "wavelength_longest"), 2 * M_PI * pow(500000, 31 / 32.0) * factors[31], 1);
    layer_close(layer);
    facts_unref(f);
}

/* ---- findings ----------------------------------------------------------------------------------------------------- */

static void base_missing(void **state)
{
    (void)state;
    struct gguf_file g = gguf_model("llama", 2, 256, 4, 16384);
    struct facts *f = facts_at(gguf_write(&g, "a.gguf"));
    const struct finding *x = finding_of(f, "base-missing");
    assert_non_null(x);
    assert_int_equal(x->severity, SEVERITY_WARNING);
    assert_non_null(strstr(x->message, "llama.rope.freq_base is missing: 10000 assumed"));
    assert_non_null(strstr(x->message, "16384 positions with base 10000 is unusual"));
    assert_non_null(strstr(facts_origin(f, "base"), "llama.rope.freq_base is absent"));
    facts_unref(f);
    g = gguf_model("qwen2", 2, 256, 4, 4096);
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_int_equal(finding_of(f, "base-assumed")->severity, SEVERITY_NOTE);
    assert_true(f->base == 10000);
    facts_unref(f);
}

static void llama31_without_its_tensor(void **state)
{
    (void)state;
    struct gguf_file g = gguf_model("llama", 2, 256, 4, 131072);
    gguf_float(&g, "llama.rope.freq_base", 500000);
    struct facts *f = facts_at(gguf_write(&g, "a.gguf"));
    assert_non_null(strstr(finding_of(f, "llama3-factors-missing")->message, "no scaling key and no rope_freqs.weight tensor"));
    facts_unref(f);
    g = gguf_model("llama", 2, 256, 4, 8192);           /* Llama 3 itself */
    gguf_float(&g, "llama.rope.freq_base", 500000);
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_int_equal(f->n_findings, 0);
    facts_unref(f);
}

static void values_that_cannot_be(void **state)
{
    (void)state;
    struct gguf_file g = gguf_model("llama", 2, 256, 4, 4096);
    gguf_text(&g, "llama.rope.freq_base", "large");
    struct facts *f = facts_at(gguf_write(&g, "a.gguf"));
    assert_non_null(strstr(finding_of(f, "wrong-type")->message, "llama.rope.freq_base must be a number"));
    facts_unref(f);
    g = gguf_model("llama", 2, 256, 4, 4096);
    gguf_float(&g, "llama.rope.freq_base", INFINITY);
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_string_equal(finding_of(f, "not-finite")->field, "llama.rope.freq_base");
    facts_unref(f);
    g = gguf_model("llama", 2, 256, 4, 4096);
    gguf_float(&g, "llama.rope.freq_base", 10000);
    gguf_float(&g, "llama.rope.freq_base", 20000);
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_string_equal(finding_of(f, "duplicate-key")->field, "llama.rope.freq_base");
    assert_true(f->base == 20000);
    facts_unref(f);
    g = gguf_model("qwen3vl", 2, 512, 4, 4096);
    gguf_list(&g, "qwen3vl.rope.dimension_sections", FILE_I32, (int[]){24, 20, 20, 0}, 4);
    gguf_uint(&g, "qwen3vl.rope.dimension_count", 128);
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_non_null(strstr(finding_of(f, "sections-left")->message, "2 of 64 pairs"));
    facts_unref(f);
    g = gguf_model("qwen3vl", 2, 512, 4, 4096);         /* two thousand million pairs are refused, not counted one by one */
    gguf_list(&g, "qwen3vl.rope.dimension_sections", FILE_I32, (int[]){24, 20, 20, 0}, 4);
    gguf_uint(&g, "qwen3vl.rope.dimension_count", 4000000000);
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_null(finding_of(f, "sections-left"));
    assert_non_null(finding_of(f, "partial-out-of-range"));
    facts_unref(f);
    g = gguf_model("qwen3vl", 2, 512, 0, 4096);         /* nor is a width that nobody states */
    gguf_list(&g, "qwen3vl.rope.dimension_sections", FILE_I32, (int[]){24, 20, 20, 0}, 4);
    f = facts_at(gguf_write(&g, "a.gguf"));
    assert_null(finding_of(f, "sections-left"));
    facts_unref(f);
}

static void other_things_than_a_model(void **state)
{
    (void)state;
    struct gguf_file g = {0};
    gguf_uint(&g, "split.no", 1);
    gguf_uint(&g, "split.count", 3);
    struct facts *f = facts_at(gguf_write(&g, "b.gguf"));
    assert_true(f->unreadable);
    assert_non_null(strstr(finding_of(f, "part-of-file")->message, "part 2 of 3"));
    facts_unref(f);
    static const struct { const char *text, *code, *says; } rows[] = {
        {"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "lfs-pointer", "git lfs pull"},
        {"<!DOCTYPE html><html></html>", "wrong-format", "web page"},
        {"PK\3\4 and more", "wrong-format", "zip"},
        {"neither this nor that", "wrong-format", "not a GGUF file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        f = facts_at(scratch_text("c.gguf", rows[i].text));
        assert_true(f->unreadable);
        assert_non_null(strstr(finding_of(f, rows[i].code)->message, rows[i].says));
        facts_unref(f);
    }
}

/* Llama 4 scales with Llama 3's rule without a band between: pairs are whole or divided by 16. */
static void llama4_has_no_band_between(void **state)
{
    (void)state;
    double factors[64];
    struct gguf_file g = gguf_model("llama4", 48, 5120, 40, 10485760);
    gguf_uint(&g, "llama4.attention.key_length", 128);
    gguf_float(&g, "llama4.rope.freq_base", 500000);
    for (int k = 0; k < 64; k++)
        factors[k] = 2 * M_PI * pow(500000, k / 64.0) > 8192 ? 16 : 1;
    gguf_floats(&g, "rope_freqs.weight", 1, 64, factors);
    struct facts *f = facts_at(gguf_write(&g, "llama4.gguf"));
    assert_string_equal(f->scaling_type, "llama3");
    assert_true(f->factor == 16 && f->trained_context == 8192);
    const struct item *rope = &f->kind[0].item[0];
    assert_true(rope->param[param_index(rope->kind->params, rope->kind->n_params, "low_freq_factor")].x == 1);
    assert_true(rope->param[param_index(rope->kind->params, rope->kind->n_params, "high_freq_factor")].x == 1);
    facts_unref(f);
}

static void what_is_not_the_language_model_says_what_it_is(void **state)
{
    (void)state;
    struct gguf_file g = {0};
    gguf_text(&g, "general.architecture", "clip");
    struct facts *f = facts_at(gguf_write(&g, "mmproj.gguf"));
    assert_true(f->unreadable);
    assert_non_null(strstr(finding_of(f, "wrong-format")->message, "mmproj"));
    facts_unref(f);
    g = gguf_model("llama", 2, 256, 4, 4096);               /* beside the language model it is passed over */
    gguf_write(&g, "folder/model-Q4_K_M.gguf");
    scratch_text("folder/mmproj-F16.gguf", "GGUF");
    f = facts_at(scratch_path("folder"));
    assert_true(!f->unreadable && f->format == FORMAT_GGUF && f->num_layers == 2);
    facts_unref(f);
    g = gguf_model("llama", 2, 256, 4, 4096);
    gguf_text(&g, "general.type", "adapter");
    f = facts_at(gguf_write(&g, "lora.gguf"));
    assert_true(f->unreadable);
    assert_non_null(strstr(finding_of(f, "wrong-format")->message, "LoRA"));
    facts_unref(f);
    g = gguf_model("llama", 2, 256, 4, 4096);
    struct buf b = gguf_bytes(&g);
    gguf_free(&g);
    memcpy(b.data + 4, "\0\0\0\3", 4);
    f = facts_at(scratch_write("big.gguf", b.data, b.n));
    assert_true(f->unreadable && finding_says(f, "is a big-endian GGUF file"));
    facts_unref(f);
    buf_done(&b);
}

/* Numbers of every width with their signs, and keys behind lists that are passed over. */
static void values_of_every_type(void **state)
{
    (void)state;
    static const struct { const char *key; unsigned type; unsigned long long bits; int bytes; double is; } cases[] = {
        {"u8", FILE_U8, 200, 1, 200},         {"i8", FILE_I8, 0xfe, 1, -2},         {"u16", FILE_U16, 65000, 2, 65000}, {"i16", FILE_I16, 0xfffd, 2, -3},
        {"u32", FILE_U32, 4000000000u, 4, 4e9}, {"i32", FILE_I32, 0xfffffffc, 4, -4}, {"bool", FILE_BOOL, 1, 1, 1},
        {"u64", FILE_U64, 1ull << 40, 8, 1099511627776.0}, {"i64", FILE_I64, ~0ull << 33, 8, -8589934592.0},
        {"f32", FILE_F32, 0xc0200000, 4, -2.5}, {"f64", FILE_F64, 0xbfd0000000000000, 8, -0.25},
    };
    struct gguf_file g = {0};
    gguf_key(&g, "words", FILE_ARRAY);
    put_uint(&g.keys, FILE_STRING, 4);
    put_uint(&g.keys, 2, 8);
    gguf_name(&g.keys, "one");
    gguf_name(&g.keys, "another");
    gguf_key(&g, "lists", FILE_ARRAY);
    put_uint(&g.keys, FILE_ARRAY, 4);
    put_uint(&g.keys, 1, 8);
    put_uint(&g.keys, FILE_U8, 4);
    put_uint(&g.keys, 3, 8);
    buf_put(&g.keys, "abc", 3);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gguf_key(&g, cases[i].key, cases[i].type);
        put_uint(&g.keys, cases[i].bits, cases[i].bytes);
    }
    struct gguf *file = gguf_open(gguf_write(&g, "types.gguf"), NULL);
    assert_non_null(file);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (gguf_get(file, cases[i].key)->number != cases[i].is)
            fail_msg("%s: %.17g, wanted %.17g", cases[i].key, gguf_get(file, cases[i].key)->number, cases[i].is);
    assert_int_equal(gguf_get(file, "words")->n, 2);
    gguf_close(file);
}

static void cut_anywhere(void **state)
{
    (void)state;
    double factors[32];
    llama3_factors(factors, 32, 500000, 8, 1, 4, 8192);
    struct gguf_file g = gguf_model("llama", 2, 256, 4, 131072);
    gguf_float(&g, "llama.rope.freq_base", 500000);
    gguf_list(&g, "llama.attention.head_count_kv", FILE_I32, (int[]){2, 2}, 2);
    gguf_floats(&g, "rope_freqs.weight", 1, 32, factors);
    struct buf b = gguf_bytes(&g);
    gguf_free(&g);
    for (size_t n = 0; n < b.n; n++) {
        struct facts *f = facts_at(scratch_write("cut.gguf", b.data, n));
        assert_true(f->n_findings > 0);
        assert_true(f->unreadable || finding_of(f, "truncated"));
        facts_unref(f);
    }
    buf_done(&b);
}

/* Counts and lengths that no file can hold must not be believed. */
static void sizes_that_lie(void **state)
{
    (void)state;
    struct gguf_file g = gguf_model("llama", 2, 256, 4, 4096);
    gguf_floats(&g, "rope_freqs.weight", 1, 32, NULL);
    struct buf b = gguf_bytes(&g);
    gguf_free(&g);
    for (size_t at = 4; at + 8 <= b.n && at < 400; at++) {
        char kept[8];
        memcpy(kept, b.data + at, 8);
        memset(b.data + at, 0xff, 8);
        facts_unref(facts_at(scratch_write("lie.gguf", b.data, b.n)));
        memset(b.data + at, 0x7f, 8);
        facts_unref(facts_at(scratch_write("lie.gguf", b.data, b.n)));
        memcpy(b.data + at, kept, 8);
    }
    buf_done(&b);
}

/* ---- names ---------------------------------------------------------------------------------------------------------- */

static void origins_are_names_of_the_file(void **state)
{
    (void)state;
    static const char *const foreign[] = {"rope_theta", "max_position_embeddings", "hidden_size", "num_attention_heads", "rope_scaling", "head_dim", "layer_types",
                                          "rotary_dim"};
    for (size_t i = 0; i < N_MODELS; i++) {
        struct facts *f = facts_at(models[i].write());
        for (size_t n = 0; n < f->n_origins; n++)
            for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++)
                assert_null(strstr(f->origin[n].from, foreign[k]));
        for (size_t n = 0; n < f->n_findings; n++)
            for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++)
                assert_null(strstr(f->finding[n].message, foreign[k]));
        facts_unref(f);
    }
}

static void edits_by_either_name(void **state)
{
    (void)state;
    static const char *const names[] = {"rope_theta=250000", "rope.freq_base=250000", "qwen2.rope.freq_base=250000"};
    for (size_t i = 0; i < 3; i++) {
        struct facts *f = facts_examine(write_qwen(), &names[i], 1, LANG_EN);
        assert_true(f->base == 250000 && f->changed);
        assert_string_equal(facts_origin(f, "base"), "qwen2.rope.freq_base (changed by you)");
        facts_unref(f);
    }
    const char *edit = "qwen2.rope.scaling.factor=8";
    struct facts *f = facts_examine(write_qwen(), &edit, 1, LANG_EN);
    assert_true(f->factor == 8);
    facts_unref(f);
}

/* ---- the parser -------------------------------------------------------------------------------------------------------- */

static void keys_are_found_among_many(void **state)
{
    (void)state;
    struct gguf_file g = {0};
    char key[40];
    for (unsigned i = 0; i < 100000; i++) {
        snprintf(key, sizeof key, "key.%u", i * 7919 % 100000);
        gguf_uint(&g, key, i);
    }
    gguf_uint(&g, "key.5", 77);
    struct gguf *file = gguf_open(gguf_write(&g, "many.gguf"), NULL);
    assert_non_null(file);
    assert_int_equal(file->n_values, 100001);
    assert_true(gguf_get(file, "key.5")->number == 77);         /* the last of two */
    for (unsigned i = 6; i < 100000; i += 997) {
        snprintf(key, sizeof key, "key.%u", i * 7919 % 100000);
        if (strcmp(key, "key.5"))
            assert_true(gguf_get(file, key)->number == i);
    }
    assert_null(gguf_get(file, "key.100000"));
    assert_null(gguf_get(file, ""));
    gguf_close(file);
}

/* ---- files that change, and data in the wrong place ----------------------------------------------------------------- */

static void changed_while_read(void **state)
{
    (void)state;
    for (int cut = 0; cut < 2; cut++) {
        struct err err = {.lang = LANG_EN};
        struct gguf *g = gguf_open(write_llama31(), &err);
        assert_non_null(g);
        if (cut)
            assert_int_equal(truncate(g->path, (off_t)g->data_start), 0);
        else
            assert_int_equal(rename(write_qwen(), g->path), 0);
        assert_null(gguf_values(g, &g->tensor[0], 65536, &err));
        assert_non_null(strstr(err.text, "was changed while it was read"));
        gguf_close(g);
    }
}

static void alignments(void **state)
{
    (void)state;
    static const unsigned refused[] = {0, 3, 33, 48, 65535};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct gguf_file g = gguf_model("llama", 2, 256, 4, 4096);
        gguf_uint(&g, "general.alignment", refused[i]);
        struct facts *f = facts_at(gguf_write(&g, "GGUF-a.gguf"));
        assert_true(f->unreadable);
        assert_non_null(strstr(finding_of(f, "damaged")->message, "no power of two"));
        facts_unref(f);
    }
    struct gguf_file g = gguf_model("llama", 2, 256, 4, 4096);
    gguf_uint(&g, "general.alignment", 64);
    struct facts *f = facts_at(gguf_write(&g, "a.gguf"));
    assert_null(finding_of(f, "damaged"));
    facts_unref(f);
}

static void tensors_that_overlap(void **state)
{
    (void)state;
    double one = 1;
    for (int shift = -32; shift <= 32; shift += 32) {
        struct gguf_file g = gguf_model("llama", 2, 256, 4, 4096);
        gguf_floats(&g, "a.weight", 1, 16, NULL);
        size_t before = g.tensors.n;
        gguf_floats(&g, "b.weight", 1, 1, &one);
        g.tensors.data[before + 8 + 8 + 4 + 8 + 4] += (char)shift;        /* the lowest byte of its offset, 64 */
        gguf_floats(&g, "c.weight", 1, 16, NULL);
        struct facts *f = facts_at(gguf_write(&g, "a.gguf"));
        const struct finding *x = finding_of(f, "tensor-layout");
        assert_true(!x == !shift);
        if (shift)
            assert_non_null(strstr(x->message, shift < 0 ? "b.weight begins at byte 32 of the data, but the one before it ends at 64"
                                                         : "b.weight begins at byte 96 of the data, but the one before it ends at 64"));
        facts_unref(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(same_rotation_as_the_configuration, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(layouts_of_architectures, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(layers_of_architectures, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(scales_of_architectures, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(layers_by_lists, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(encoders_see_both_sides, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(biases_of_architectures, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(learned_rows_are_the_files, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(tables_that_do_not_fit, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(t5_tables_by_stack, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(factors_of_no_known_scaling, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(base_missing, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(llama31_without_its_tensor, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(values_that_cannot_be, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(other_things_than_a_model, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(llama4_has_no_band_between, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(what_is_not_the_language_model_says_what_it_is, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(values_of_every_type, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(cut_anywhere, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(sizes_that_lie, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(origins_are_names_of_the_file, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(edits_by_either_name, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(keys_are_found_among_many, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(changed_while_read, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(alignments, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(tensors_that_overlap, scratch_open, scratch_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
