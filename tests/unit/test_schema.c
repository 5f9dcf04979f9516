/* test_schema.c - what `posviz model --json` prints is what `posviz schema model` promises. If it fails, a program that trusts the schema breaks on a
 * real file. The small validator here knows only the keywords that the schema uses, and refuses others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/findings.h"
#include "base/mem.h"
#include "command/schema.h"
#include "model/target.h"

static struct json *root;

/* ---- the validator --------------------------------------------------------------------------------------------------------- */

static bool valid(const struct json *schema, const struct json *v);

static bool is_type(const char *type, const struct json *v)
{
    double x = json_number(v, NAN);
    static const char *const names[] = {"null", "boolean", "number", "string", "array", "object"};
    return !strcmp(type, "integer") ? json_type(v) == JSON_NUMBER && x == floor(x) : !strcmp(type, names[json_type(v)]);
}

static bool is_typed(const struct json *type, const struct json *v)
{
    if (json_string(type))
        return is_type(json_string(type), v);
    for (const struct json *t = json_first(type); t; t = json_next(t))
        if (is_type(json_string(t), v))
            return true;
    return false;
}

static bool is_equal(const struct json *a, const struct json *b)
{
    char *x = json_print(a, false), *y = json_print(b, false);
    bool equal = !strcmp(x, y);
    free(x);
    free(y);
    return equal;
}

static bool is_one_of(const struct json *list, const struct json *v)
{
    for (const struct json *one = json_first(list); one; one = json_next(one))
        if (is_equal(one, v))
            return true;
    return false;
}

static bool has_all(const struct json *names, const struct json *v)
{
    for (const struct json *n = json_first(names); n && json_type(v) == JSON_OBJECT; n = json_next(n))
        if (!json_get(v, json_string(n)))
            return false;
    return true;
}

static bool members_fit(const struct json *schema, const struct json *v)
{
    const struct json *properties = json_get(schema, "properties"), *others = json_get(schema, "additionalProperties");
    for (const struct json *m = json_first(v); m && json_type(v) == JSON_OBJECT; m = json_next(m)) {
        const struct json *own = json_get(properties, json_key(m));
        if (!valid(own ? own : others, m))
            return false;
    }
    return true;
}

static bool items_fit(const struct json *schema, const struct json *v)
{
    for (const struct json *m = json_first(v); m && json_type(v) == JSON_ARRAY; m = json_next(m))
        if (!valid(schema, m))
            return false;
    return true;
}

static bool fits_any(const struct json *list, const struct json *v)
{
    for (const struct json *one = json_first(list); one; one = json_next(one))
        if (valid(one, v))
            return true;
    return false;
}

static bool keyword(const struct json *schema, const struct json *word, const struct json *v)
{
    const char *name = json_key(word);
    if (!strcmp(name, "type"))
        return is_typed(word, v);
    if (!strcmp(name, "const"))
        return is_equal(word, v);
    if (!strcmp(name, "enum"))
        return is_one_of(word, v);
    if (!strcmp(name, "required"))
        return has_all(word, v);
    if (!strcmp(name, "properties") || !strcmp(name, "additionalProperties"))
        return members_fit(schema, v);
    if (!strcmp(name, "items"))
        return items_fit(word, v);
    if (!strcmp(name, "anyOf"))
        return fits_any(word, v);
    if (!strcmp(name, "minimum"))
        return json_type(v) != JSON_NUMBER || json_number(v, NAN) >= json_number(word, NAN);
    if (!strcmp(name, "$ref")) {
        assert_memory_equal(json_string(word), "#/$defs/", 8);
        const struct json *target = json_get(json_get(root, "$defs"), json_string(word) + 8);
        assert_non_null(target);
        return valid(target, v);
    }
    if (strcmp(name, "description") && strcmp(name, "title") && strcmp(name, "$schema") && strcmp(name, "$defs"))
        fail_msg("the schema uses %s, which this test does not know", name);
    return true;
}

static bool valid(const struct json *schema, const struct json *v)
{
    for (const struct json *word = json_first(schema); word; word = json_next(word))
        if (!keyword(schema, word, v))
            return false;
    return true;
}

/* ---- the cases ----------------------------------------------------------------------------------------------------------------- */

static void each_file(const char *folder, void (*fn)(const char *path))
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir));) {
        char *path = xasprintf("%s/%s", folder, e->d_name);
        if (*e->d_name != '.')
            fn(path);
        free(path);
    }
    closedir(dir);
}

/* A schema that names nothing accepts everything: so it must name what is printed. */
static void assert_described(const struct json *properties, const struct json *v, const char *path)
{
    for (const struct json *m = json_first(v); m; m = json_next(m))
        if (!json_get(properties, json_key(m)))
            fail_msg("%s: %s is not in the schema", path, json_key(m));
}

static void check_file(const char *path)
{
    struct facts *f = facts_at(path);
    struct json *v = facts_to_json(f);
    const struct json *defs = json_get(root, "$defs");
    if (!f->unreadable)
        json_set(v, "target", facts_target(f, 100000, LANG_EN));
    if (!valid(root, v)) {
        char *text = json_print(v, true);
        fail_msg("%s does not fit the schema: %s", path, text);
    }
    assert_described(json_get(root, "properties"), v, path);
    assert_described(json_get(json_get(defs, "reading"), "properties"), json_get(v, "reading"), path);
    for (const struct json *x = json_first(json_get(v, "findings")); x; x = json_next(x))
        assert_described(json_get(json_get(defs, "finding"), "properties"), x, path);
    json_free(v);
    facts_unref(f);
}

static void test_real_outputs(void **state)
{
    (void)state;
    each_file("tests/cases/configs", check_file);
    each_file("tests/cases/bad", check_file);
}

static void test_wrong_outputs_are_refused(void **state)
{
    (void)state;
    static const struct { const char *object, *key, *value; } wrong[] = {
        {NULL, "schema", "2"}, {NULL, "format", "\"pickle\""}, {NULL, "file", "null"}, {NULL, "findings", "{}"}, {NULL, "origin", "{\"base\": 1}"},
        {"reading", "scheme", "\"ropes\""}, {"reading", "base", "\"10000\""}, {"reading", "num_heads", "-1"}, {"reading", "layout", "\"neox\""},
        {"reading", "vision", "3"}, {"finding", "severity", "\"fatal\""}, {"finding", "code", "\"nothing\""}, {"finding", "line", "0"},
        {"finding", "column", "1.5"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct facts *f = facts_at("tests/cases/bad/factor_below_one.json");
        struct json *v = facts_to_json(f), *object = v;
        if (wrong[i].object)
            object = (struct json *)(*wrong[i].object == 'r' ? json_get(v, "reading") : json_first(json_get(v, "findings")));
        assert_true(valid(root, v));
        json_free(json_detach(object, wrong[i].key));
        json_set(object, wrong[i].key, json_parse(wrong[i].value, strlen(wrong[i].value), NULL));
        if (valid(root, v))
            fail_msg("%s = %s passes", wrong[i].key, wrong[i].value);
        json_free(v);
        facts_unref(f);
    }
}

static void test_missing_fields_are_refused(void **state)
{
    (void)state;
    static const char *const fields[] = {"schema", "file", "source", "format", "model_type", "reading", "origin", "findings"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        struct facts *f = facts_at("tests/cases/configs/gpt2.json");
        struct json *v = facts_to_json(f);
        json_free(json_detach(v, fields[i]));
        assert_false(valid(root, v));
        json_free(v);
        facts_unref(f);
    }
}

static int make_schema(void **state)
{
    (void)state;
    root = schema_model();
    return root ? 0 : -1;
}

static int drop_schema(void **state)
{
    (void)state;
    json_free(root);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_real_outputs),
        cmocka_unit_test(test_wrong_outputs_are_refused),
        cmocka_unit_test(test_missing_fields_are_refused),
    };
    return cmocka_run_group_tests(tests, make_schema, drop_schema);
}
