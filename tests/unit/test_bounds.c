/* test_bounds.c - absurd sizes in model files. If it fails, a file with a few large numbers keeps a view busy for minutes, or a size that no
 * model has passes as a fact.
 *
 * Each row is a right configuration with one key changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/facts.h"

static const char *const sizes[] = {"hidden_size", "num_attention_heads", "head_dim", "num_hidden_layers", "max_position_embeddings"};
static const double usual[] = {4096, 32, 128, 32, 8192};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

static struct facts *with(size_t changed, double x)
{
    char text[400] = "{\"model_type\":\"llama\",\"rope_theta\":10000.0";
    for (size_t i = 0; i < N_SIZES; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), ",\"%s\":%.17g", sizes[i], i == changed ? x : usual[i]);
    snprintf(text + strlen(text), sizeof text - strlen(text), "}");
    struct facts *f = facts_from_config("config.json", text, strlen(text), NULL);
    assert_non_null(f);
    return f;
}

static const struct finding *out_of_range(const struct facts *f, const char *field)
{
    for (size_t i = 0; i < f->n_findings; i++)
        if (!strcmp(f->finding[i].code, "out-of-range") && !strcmp(f->finding[i].field, field))
            return &f->finding[i];
    return NULL;
}

static void absurd_sizes_are_refused(void **state)
{
    (void)state;
    static const double absurd[N_SIZES][3] = {
        {131073, 2147483648.0, 1e15}, {4097, 65536, 1e15}, {16385, 65536, 1e15}, {4097, 1e9, 1e15}, {2e12, 1e15, 9e15},
    };
    for (size_t i = 0; i < N_SIZES; i++) {
        for (size_t k = 0; k < 3; k++) {
            struct facts *f = with(i, absurd[i][k]);
            const double facts[N_SIZES] = {f->hidden_size, f->num_heads, f->head_dim, f->num_layers, f->context};
            if (!out_of_range(f, sizes[i]) || facts[i] == absurd[i][k])
                fail_msg("%s %g is taken", sizes[i], absurd[i][k]);
            for (size_t n = 0; n < f->n_kinds; n++)
                assert_true(f->kind[n].shape.d_model <= 131072 && f->kind[n].shape.n_heads <= 4096 && f->kind[n].shape.d_head <= 16384);
            facts_unref(f);
        }
    }
}

/* The largest of published models, and some room above them. */
static void large_sizes_are_not(void **state)
{
    (void)state;
    static const double large[N_SIZES][2] = {{18432, 131072}, {256, 4096}, {576, 16384}, {126, 4096}, {10485760, 1e9}};
    for (size_t i = 0; i < N_SIZES; i++) {
        for (size_t k = 0; k < 2; k++) {
            struct facts *f = with(i, large[i][k]);
            assert_null(out_of_range(f, sizes[i]));
            facts_unref(f);
        }
    }
}

/* One head as wide as the model. */
static void a_width_that_is_derived(void **state)
{
    (void)state;
    static const char text[] = "{\"model_type\":\"llama\",\"hidden_size\":131072,\"num_attention_heads\":1,\"num_hidden_layers\":1,\"max_position_embeddings\":64}";
    struct facts *f = facts_from_config("config.json", text, strlen(text), NULL);
    assert_non_null(out_of_range(f, "hidden_size"));
    assert_true(isnan(f->head_dim));
    facts_unref(f);
}

/* Latent attention adds two widths, some layers have heads of their own width. */
static void widths_by_other_names(void **state)
{
    (void)state;
    static const struct { const char *model, *keys, *field; } cases[] = {
        {"deepseek_v3", "\"qk_nope_head_dim\":64000,\"qk_rope_head_dim\":64", "qk_nope_head_dim"},
        {"deepseek_v3", "\"qk_nope_head_dim\":64,\"qk_rope_head_dim\":16384", "qk_rope_head_dim"},
        {"gemma4_text", "\"head_dim\":64,\"global_head_dim\":40000", "global_head_dim"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, "{\"model_type\":\"%s\",\"hidden_size\":512,\"num_attention_heads\":8,\"num_hidden_layers\":6,\"rope_theta\":10000,%s}", cases[i].model,
                 cases[i].keys);
        struct facts *f = facts_from_config("config.json", text, strlen(text), NULL);
        assert_non_null(f);
        if (!out_of_range(f, cases[i].field))
            fail_msg("%s is taken", cases[i].keys);
        for (size_t k = 0; k < f->n_kinds; k++)
            assert_true(f->kind[k].shape.d_head <= 16384);
        facts_unref(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absurd_sizes_are_refused),
        cmocka_unit_test(large_sizes_are_not),
        cmocka_unit_test(a_width_that_is_derived),
        cmocka_unit_test(widths_by_other_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
