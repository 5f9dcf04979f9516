/* The numbers of the model report - wavelengths, bands, ramps, attention factors, bases in use, what reaches a target, how far two files agree -
 * against tests/support/twin.h, whose settings were read out of the files by hand, or stand in the proposal itself. If this fails, a report
 * or a CI job states a number that the file does not mean. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/twin.h"
#include "base/mem.h"
#include "json/json.h"
#include "model/diff.h"
#include "model/facts.h"
#include "model/target.h"

static int wrong, compared;

static void expect_within(const char *file, const char *what, double got, real want, real slack)
{
    compared++;
    if (fabsl(got - want) <= slack)
        return;
    if (++wrong <= 30)
        print_error("%s, %s: %.17g, want %.17Lg\n", file, what, got, want);
}

static void expect(const char *file, const char *what, double got, real want)
{
    expect_within(file, what, got, want, 2e-14L * fabsl(want) + 1e-15L);
}

static double number_in(const struct json *o, const char *key)
{
    return json_number(json_get(o, key), NAN);
}

/* A number that may be missing; if it is there it must be this one. */
static void expect_in(const char *file, const struct json *o, const char *key, real want)
{
    if (json_get(o, key))
        expect(file, key, number_in(o, key), want);
}

static struct twin longer(const struct twin *t, double length, char *text, size_t size)
{
    snprintf(text, size, "%s;length=%.0f", t->settings, length);
    return (struct twin){t->id, text};
}

static real longest_wave(const struct twin *t)
{
    const struct twin_pair *p;
    real w = INFINITY;
    for (int k = 0, n = twin_pairs(t, &p); k < n; k++)
        w = p[k].w > 0 ? fminl(w, p[k].w) : w;
    return 2 * twin_pi / w;
}

static int band_count(const struct twin *t, int band)
{
    const struct twin_pair *p;
    int count = 0;
    for (int k = 0, n = twin_pairs(t, &p); k < n; k++)
        count += p[k].band == band;
    return count;
}

/* ---- what a file says -------------------------------------------------------------------------------------- */

static const struct { const char *file, *edit, *settings; } readings[] = {
    {"baichuan2-7b", NULL, "head_dim=128"}, {"codellama-7b", NULL, "head_dim=128;rope_theta=1e6"}, {"falcon-7b", NULL, "head_dim=64"},
    {"gemma-2-2b", NULL, "head_dim=256"}, {"llama-2-7b", NULL, "head_dim=128"}, {"mistral-7b-v0.1", NULL, "head_dim=128"}, {"phi-2", NULL, "head_dim=80;rotary_dim=32"},
    {"pythia-14m", NULL, "head_dim=32;rotary_dim=8"}, {"qwen2-vl-2b", NULL, "head_dim=128;rope_theta=1e6"}, {"qwen2.5-7b", NULL, "head_dim=128;rope_theta=1e6"},
    {"qwen3-0.6b", NULL, "head_dim=128;rope_theta=1e6"}, {"stablelm-3b-4e1t", NULL, "head_dim=80;rotary_dim=20"},
    {"llama-3.1-8b", NULL, "head_dim=128;rope_theta=500000;rope_type=llama3;factor=8;original_max_position_embeddings=8192"},
    {"gpt-oss-20b", NULL, "head_dim=64;rope_theta=150000;rope_type=yarn;factor=32;original_max_position_embeddings=4096;truncate=false"},
    {"deepseek-v3", NULL, "head_dim=64;rope_type=yarn;factor=40;original_max_position_embeddings=4096;mscale=1;mscale_all_dim=1"},
    {"internlm2.5-7b", NULL, "head_dim=128;rope_theta=1e6;rope_type=dynamic;factor=2;max_position_embeddings=32768"},
    {"llama-2-7b", "rope_scaling={\"type\":\"linear\",\"factor\":8}", "head_dim=128;rope_type=linear;factor=8"},
    {"llama-2-7b", "rope_scaling={\"type\":\"dynamic\",\"factor\":3}", "head_dim=128;rope_type=dynamic;factor=3;max_position_embeddings=4096"},
    {"llama-2-7b", "rope_scaling={\"rope_type\":\"yarn\",\"factor\":16,\"original_max_position_embeddings\":4096}", "head_dim=128;rope_type=yarn;factor=16;original_max_position_embeddings=4096"},
    {"llama-2-7b", "rope_scaling={\"rope_type\":\"yarn\",\"factor\":1.5,\"original_max_position_embeddings\":4096,\"beta_fast\":20,\"beta_slow\":2}",
     "head_dim=128;rope_type=yarn;factor=1.5;original_max_position_embeddings=4096;beta_fast=20;beta_slow=2"},
    {"qwen3-0.6b", "rope_scaling={\"rope_type\":\"llama3\",\"factor\":32,\"low_freq_factor\":1,\"high_freq_factor\":8,\"original_max_position_embeddings\":40960}",
     "head_dim=128;rope_theta=1e6;rope_type=llama3;factor=32;high_freq_factor=8;original_max_position_embeddings=40960"},
    {"phi-2", "rope_scaling={\"type\":\"dynamic\",\"factor\":4}", "head_dim=80;rotary_dim=32;rope_type=dynamic;factor=4;max_position_embeddings=2048"},
    {"llama-2-7b", "rope_theta=1.0001", "head_dim=128;rope_theta=1.0001"}, {"llama-2-7b", "rope_theta=1e12", "head_dim=128;rope_theta=1e12"},
};

static struct facts *read_config(const char *file, const char *edit)
{
    char path[96];
    struct err err = {.lang = LANG_EN};
    snprintf(path, sizeof path, "tests/cases/configs/%s.json", file);
    struct facts *f = facts_read_edited(path, &edit, edit != NULL, &err);
    if (!f)
        fail_msg("%s", err.text);
    return f;
}

static void check_ramp(const char *file, const struct twin *t, const struct json *checks)
{
    real d = twin_rotary_dim(t), B = twin_num(t, "rope_theta", 10000), L = twin_original(t);
    real low = d * logl(L / (2 * twin_pi * twin_num(t, "beta_fast", 32))) / (2 * logl(B)), high = d * logl(L / (2 * twin_pi * twin_num(t, "beta_slow", 1))) / (2 * logl(B));
    bool whole = twin_num(t, "truncate", 1) != 0;
    expect_in(file, checks, "ramp_low", fmaxl(whole ? floorl(low) : low, 0));
    expect_in(file, checks, "ramp_high", fminl(whole ? ceill(high) : high, d - 1));
}

static void check_reading(const char *file, const char *edit, const struct twin *t)
{
    struct facts *f = read_config(file, edit);
    const struct json *checks = json_get(f->reading, "checks");
    const struct twin_pair *p;
    char text[300];
    struct twin trained = longer(t, f->trained_context, text, sizeof text);
    expect(file, "n_freq", number_in(checks, "n_freq"), twin_pairs(t, &p));
    expect(file, "wavelength_longest", number_in(checks, "wavelength_longest"), longest_wave(&trained));
    expect_in(file, checks, "kept", band_count(t, TWIN_KEPT));
    expect_in(file, checks, "blended", band_count(t, TWIN_BLENDED));
    expect_in(file, checks, "divided", band_count(t, TWIN_DIVIDED));
    expect_in(file, checks, "attention_factor", twin_magnitude(t));
    if (json_get(checks, "softmax_scale_multiplier"))
        expect(file, "softmax_scale_multiplier", number_in(checks, "softmax_scale_multiplier"), powl(twin_yarn_g(twin_factor(t), twin_num(t, "mscale_all_dim", 0)), 2));
    check_ramp(file, t, checks);
    for (const struct json *v = json_first(checks); v; v = json_next(v)) {
        double at;
        if (sscanf(json_key(v), "base_at_%lf", &at) != 1)
            continue;
        struct twin there = longer(t, at, text, sizeof text);
        expect(file, json_key(v), json_number(v, NAN), twin_base(&there));
    }
    facts_unref(f);
}

static void readings_of_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++)
        check_reading(readings[i].file, readings[i].edit, &(struct twin){"rope", readings[i].settings});
    assert_int_equal(wrong, 0);
    assert_true(compared > 60);
}

/* Phi-3: 48 factors each, and an attention factor from declared / original. */
static void two_lists_of_factors(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    struct facts *f = read_config("phi-3-mini-128k", NULL);
    struct json *config = json_load("tests/cases/configs/phi-3-mini-128k.json", 1 << 20, &err);
    assert_non_null(config);
    const struct json *checks = json_get(f->reading, "checks"), *scaling = json_get(config, "rope_scaling");
    static const char *const lists[][2] = {{"short_factor", "wavelength_longest_short"}, {"long_factor", "wavelength_longest_long"}};
    for (size_t i = 0; i < 2; i++) {
        real longest = 0;
        int k = 0;
        for (const struct json *v = json_first(json_get(scaling, lists[i][0])); v; v = json_next(v), k++)
            longest = fmaxl(longest, 2 * twin_pi * powl(10000, k / 48.0L) * json_number(v, NAN));
        assert_int_equal(k, 48);
        expect("phi-3", lists[i][1], number_in(checks, lists[i][1]), longest);
    }
    expect("phi-3", "factor_derived", number_in(checks, "factor_derived"), 131072 / 4096.0L);
    expect("phi-3", "attention_factor", number_in(checks, "attention_factor"), sqrtl(1 + logl(32) / logl(4096)));
    json_free(config);
    facts_unref(f);
    assert_int_equal(wrong, 0);
}

/* ---- what reaches a target ------------------------------------------------------------------------------------ */

/* "rope_type=yarn;factor=4;..." from the object that is proposed. */
static void settings_of(const struct json *parameters, const char *head, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "%s", head);
    for (const struct json *v = json_first(parameters); v; v = json_next(v)) {
        if (json_type(v) == JSON_STRING)
            at += (size_t)snprintf(out + at, size - at, ";%s=%s", json_key(v), json_string(v));
        else if (json_type(v) == JSON_NUMBER && strcmp(json_key(v), "partial_rotary_factor"))
            at += (size_t)snprintf(out + at, size - at, ";%s=%.17g", json_key(v), json_number(v, NAN));
    }
}

static real agreement(const struct twin *now, const struct twin *before, double distance)
{
    const struct twin_pair *p;
    real w[TWIN_PAIRS], sum = 0;
    int n = twin_pairs(before, &p);
    for (int k = 0; k < n; k++)
        w[k] = p[k].w;
    twin_pairs(now, &p);
    for (int k = 0; k < n; k++)
        sum += cosl(distance * (p[k].w - w[k])) / n;
    return sum;
}

/* What stands behind a word of the command line. */
static double after(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    return at ? strtod(at + strlen(word), NULL) : NAN;
}

static void check_proposal(const char *file, const struct json *p, const char *head, double trained, double target)
{
    char text[500], far[560], near[560];
    const char *method = json_string(json_get(p, "method")), *line = json_string(json_get(p, "llama_cpp"));
    real B = twin_num(&(struct twin){"rope", head}, "rope_theta", 10000), factor = (real)target / trained;
    settings_of(json_get(p, "rope_parameters"), head, text, sizeof text);
    if (!strcmp(method, "dynamic"))
        snprintf(text + strlen(text), sizeof text - strlen(text), ";max_position_embeddings=%.0f", trained);
    /* the proposal's own settings come after those of the file, whose names they repeat */
    char *own = strstr(text + strlen(head), ";rope_theta=");
    if (own && strstr(head, ";rope_theta="))
        memmove(strstr(text, ";rope_theta="), strstr(text, ";rope_theta=") + strcspn(strstr(text, ";rope_theta=") + 1, ";") + 1,
                strlen(strstr(text, ";rope_theta=") + strcspn(strstr(text, ";rope_theta=") + 1, ";") + 1) + 1);
    struct twin t = {"rope", text}, at_target = longer(&t, target, far, sizeof far), at_trained = longer(&t, trained, near, sizeof near);
    struct twin before = {"rope", head};
    if (json_get(json_get(p, "rope_parameters"), "factor"))
        expect(file, "factor", number_in(json_get(p, "rope_parameters"), "factor"), factor);
    expect(file, "attention_factor", number_in(p, "attention_factor"), twin_magnitude(&at_target));
    if (json_get(p, "pairs")) {
        expect(file, "kept", number_in(json_get(p, "pairs"), "kept"), band_count(&t, TWIN_KEPT));
        expect(file, "blended", number_in(json_get(p, "pairs"), "blended"), band_count(&t, TWIN_BLENDED));
        expect(file, "divided", number_in(json_get(p, "pairs"), "divided"), band_count(&t, TWIN_DIVIDED));
    }
    real d = twin_rotary_dim(&t), ntk = B * powl(factor, d / (d - 2));
    if (!strcmp(method, "rope_theta"))
        expect(file, "rope_theta", number_in(p, "rope_theta"), ntk);
    if (!strcmp(method, "dynamic"))
        expect(file, "base_at_target", number_in(p, "base_at_target"), twin_base(&at_target));
    for (const struct json *v = json_first(json_get(p, "agreement")); v; v = json_next(v)) {
        double distance = strtod(json_key(v), NULL);
        expect_within(file, method, json_number(v, NAN), agreement(&at_trained, &before, distance), 1e-14L + 1e-15L * distance);
    }
    if (!line)
        return;
    expect(file, "-c", after(line, "-c "), target);
    const double said[] = {after(line, "--rope-scale "), after(line, "--rope-freq-base "), after(line, "--yarn-orig-ctx ")};
    const real want[] = {factor, !strcmp(method, "dynamic") ? twin_base(&at_target) : ntk, trained};
    for (size_t i = 0; i < 3; i++)
        if (!isnan(said[i]) && fabsl(said[i] - want[i]) > 5e-10L * want[i] && ++wrong <= 30)
            print_error("%s, %s: \"%s\", want %.12Lg\n", file, method, line, want[i]);
}

static void what_reaches_a_target(void **state)
{
    (void)state;
    static const struct { const char *file, *head; double trained; } files[] = {
        {"llama-2-7b", "head_dim=128;rope_theta=10000", 4096}, {"codellama-7b", "head_dim=128;rope_theta=1e6", 16384}, {"phi-2", "head_dim=80;rotary_dim=32;rope_theta=10000", 2048},
        {"qwen3-0.6b", "head_dim=128;rope_theta=1e6", 40960}, {"pythia-14m", "head_dim=32;rotary_dim=8;rope_theta=10000", 2048}, {"mistral-7b-v0.1", "head_dim=128;rope_theta=10000", 32768},
    };
    static const double targets[] = {100000, 131072, 1048576, 1e9};
    wrong = compared = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        for (size_t k = 0; k < sizeof targets / sizeof *targets; k++) {
            struct facts *f = read_config(files[i].file, NULL);
            struct json *t = facts_target(f, targets[k], LANG_EN);
            expect(files[i].file, "factor", number_in(t, "factor"), (real)targets[k] / files[i].trained);
            for (const struct json *p = json_first(json_get(t, "proposals")); p; p = json_next(p))
                check_proposal(files[i].file, p, files[i].head, files[i].trained, targets[k]);
            json_free(t);
            facts_unref(f);
        }
    assert_int_equal(wrong, 0);
    assert_true(compared > 500);
}

/* ---- how far two files agree ------------------------------------------------------------------------------------ */

static void differences_of_files(void **state)
{
    (void)state;
    static const struct { const char *a, *b, *a_settings, *b_settings; } files[] = {
        {"llama-2-7b", "codellama-7b", "head_dim=128", "head_dim=128;rope_theta=1e6"},
        {"llama-3.1-8b", "qwen2.5-7b", "head_dim=128;rope_theta=500000;rope_type=llama3;factor=8;original_max_position_embeddings=8192", "head_dim=128;rope_theta=1e6"},
        {"mistral-7b-v0.1", "qwen3-0.6b", "head_dim=128", "head_dim=128;rope_theta=1e6"},
    };
    wrong = compared = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct facts *a = read_config(files[i].a, NULL), *b = read_config(files[i].b, NULL);
        struct diff *d = diff_facts(a, b, 1e-6, LANG_EN);
        struct twin ta = {"rope", files[i].a_settings}, tb = {"rope", files[i].b_settings};
        const struct twin_pair *p;
        real w[TWIN_PAIRS], v[TWIN_PAIRS];
        int n = twin_pairs(&ta, &p), differ = 0;
        for (int k = 0; k < n; k++)
            w[k] = p[k].w;
        twin_pairs(&tb, &p);
        for (int k = 0; k < n; k++) {
            v[k] = p[k].w;
            differ += fabsl(v[k] - w[k]) > 1e-6L * fmaxl(w[k], v[k]);
        }
        expect(files[i].a, "pairs compared", (double)d->n_rotated, n);
        expect(files[i].a, "pairs that differ", (double)d->n_pairs, differ);
        for (size_t k = 0; k < d->n_pairs; k++) {
            expect(files[i].a, "pair of A", d->pair[k].a, w[d->pair[k].pair]);
            expect(files[i].a, "pair of B", d->pair[k].b, v[d->pair[k].pair]);
        }
        for (size_t k = 0; k < d->n_cosines; k++) {
            real sum = 0, far = d->cosine[k].position;
            for (int c = 0; c < n; c++)
                sum += cosl(far * (w[c] - v[c])) / n;
            if (fabsl(sum - d->cosine[k].value) > 1e-14L + far * 1e-15L && ++wrong <= 30)
                print_error("%s: cosine at %Lg is %.15g, want %.15Lg\n", files[i].a, far, d->cosine[k].value, sum);
            compared++;
        }
        diff_free(d);
        facts_unref(a);
        facts_unref(b);
    }
    assert_int_equal(wrong, 0);
    assert_true(compared > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readings_of_files), cmocka_unit_test(two_lists_of_factors), cmocka_unit_test(what_reaches_a_target), cmocka_unit_test(differences_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
