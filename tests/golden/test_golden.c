/* Every golden case through the same door as `posviz compute`: values made by the published implementations themselves, or by an
 * independent evaluation of the formula. If these fail, the numbers on the screen are not those of the models.
 *
 * Against values_f64, and values made in float64: 1e-9 absolute or relative, integers exactly. Against float32 values alone: the
 * stated difference from float64 + 2e-6. Frequencies and slopes span decades and are compared relatively. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "command/request_json.h"
#include "json/json.h"

enum { TARGETS = 322 };         /* cases that are not marked not_a_target */
static int answered, by_formula, numbers;

static bool is_relative(const char *output)
{
    return !strcmp(output, "inv_freq") || !strcmp(output, "inv_freq_per_call") || !strcmp(output, "slopes");
}

static bool is_target(const struct json *c)
{
    return !json_bool(json_get(json_get(c, "params"), "not_a_target"), false);
}

/* The allowed difference from a wanted value. */
static double tolerance(const struct json *c, double want)
{
    const char *dtype = json_string(json_get(c, "dtype"));
    bool exact = strstr(dtype, "int") != NULL, precise = json_get(c, "values_f64") || !strcmp(dtype, "float64");
    double relative = precise ? 1e-9 : 1e-6;
    if (exact)
        return 0;
    if (is_relative(json_string(json_get(c, "output"))))
        return relative * fabs(want) + 1e-30;
    return precise ? 1e-9 * fmax(1, fabs(want)) : json_number(json_get(c, "max_abs_diff_vs_f64"), 0) + 2e-6 * fmax(1, fabs(want));
}

/* Walks the wanted values, nested as they are, along the answer; the nesting must be the answer's dims. */
static bool agree(const struct json *c, const struct json *want, const struct table *got, int axis, size_t *at)
{
    if (axis == got->rank) {
        double w = json_number(want, NAN), g = got->v[(*at)++];
        if (fabs(g - w) <= tolerance(c, w))
            return true;
        print_error("%s: value %zu is %.17g, want %.17g\n", json_string(json_get(c, "id")), *at - 1, g, w);
        return false;
    }
    if (json_size(want) != got->dim[axis]) {
        print_error("%s: %zu entries on axis %d, want %zu\n", json_string(json_get(c, "id")), got->dim[axis], axis, json_size(want));
        return false;
    }
    for (const struct json *v = json_first(want); v; v = json_next(v))
        if (!agree(c, v, got, axis + 1, at))
            return false;
    return true;
}

static bool case_agrees(const struct json *c)
{
    struct err err = {0};
    struct request r = {0};
    struct answer a = {0};
    const struct encoding *kind = encoding_find(json_string(json_get(c, "encoding")), &err);
    bool done = kind && request_read(c, &r, &err) && quantity_answer(kind, &r, &a, &err);
    const struct json *precise = json_get(c, "values_f64");
    bool good = done && agree(c, precise ? precise : json_get(c, "values"), a.values, 0, &(size_t){0});
    if (!done)
        print_error("%s: %s\n", json_string(json_get(c, "id")), err.text);
    if (done && a.integer != (strstr(json_string(json_get(c, "dtype")), "int") != NULL)) {
        print_error("%s: integers are not marked as the case marks them\n", json_string(json_get(c, "id")));
        good = false;
    }
    table_unref(a.values);
    request_done(&r);
    return good;
}

static int count(const struct json *values)
{
    int n = json_type(values) != JSON_ARRAY;
    for (const struct json *v = json_type(values) == JSON_ARRAY ? json_first(values) : NULL; v; v = json_next(v))
        n += count(v);
    return n;
}

static void file_agrees(void **state)
{
    char path[100];
    struct err err = {0};
    int bad = 0;
    snprintf(path, sizeof path, "tests/golden/%s.json", (const char *)*state);
    struct json *cases = json_load(path, 1 << 22, &err);
    if (!cases)
        fail_msg("%s", err.text);
    for (const struct json *c = json_first(cases); c; c = json_next(c)) {
        if (!is_target(c))
            continue;
        answered++;
        by_formula += !strncmp(json_string(json_get(c, "source")), "formula", 7);
        numbers += count(json_get(c, "values"));
        bad += !case_agrees(c);
    }
    json_free(cases);
    assert_int_equal(bad, 0);
}

static void all_targets_were_asked(void **state)
{
    (void)state;
    assert_int_equal(answered, TARGETS);
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* What the READMEs say of these files. */
static void the_readme_counts_them_right(void **state)
{
    (void)state;
    static const char *const form[][2] = {{"README.md", "All %d reference cases in `tests/golden`, %d %03d numbers, are met to nine digits or as far as their "
                                                        "float32 reaches: %d were made by the published"},
                                          {"README.zh-CN.md", "%d 个参考算例（%d %03d 个数）全部吻合，精确到九位数字或其 float32 所及：%d 个由他人"}};
    for (size_t i = 0; i < 2; i++) {
        char said[300];
        size_t size;
        struct err err = {0};
        snprintf(said, sizeof said, form[i][1], answered, numbers / 1000, numbers % 1000, answered - by_formula);
        char *text = file_read(form[i][0], 1 << 22, &size, &err);
        if (!text || !strstr(text, said))
            fail_msg("%s does not say '%s'", form[i][0], said);
        snprintf(said, sizeof said, i ? "，%d 个只由公式算出" : ", %d by the formula alone", by_formula);
        if (!strstr(text, said))
            fail_msg("%s does not say '%s'", form[i][0], said);
        free(text);
    }
}

#define FILE_OF(name) {#name, file_agrees, NULL, NULL, (void *)#name}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILE_OF(sinusoidal), FILE_OF(sinusoidal_2d), FILE_OF(learned), FILE_OF(shaw), FILE_OF(transformer_xl), FILE_OF(t5_bias),
        FILE_OF(rope), FILE_OF(rope_2d), FILE_OF(rope_scaling), FILE_OF(rope_extra), FILE_OF(ggml_rope), FILE_OF(xpos), FILE_OF(alibi),
        FILE_OF(deberta), FILE_OF(kerple_fire_sandwich_cope), FILE_OF(relpos_2d), cmocka_unit_test(all_targets_were_asked),
        cmocka_unit_test(the_readme_counts_them_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
