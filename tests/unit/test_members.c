/* test_members.c - the members of a large JSON object, one after another. If it fails, a tensor of a safetensors file is missed or gets
 * another name, or a damaged header passes as a right one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "json/json.h"

struct seen { char text[400]; int until; };

static bool note(const char *key, const char *value, size_t size, void *context)
{
    struct seen *s = context;
    size_t at = strlen(s->text);
    snprintf(s->text + at, sizeof s->text - at, "%s=%.*s;", key, (int)size, value);
    return --s->until != 0;
}

static void every_member_in_order(void **state)
{
    (void)state;
    static const struct { const char *text, *seen; } rows[] = {
        {"{}", ""},
        {" { } \n", ""},
        {"\xef\xbb\xbf{\"a\":1}", "a=1;"},
        {"{\"a\": {\"b\": [1, 2, \"]}\"]}, \"c\" : \"x,y\" ,\"d\":null}", "a={\"b\": [1, 2, \"]}\"]};c=\"x,y\";d=null;"},
        {"{\"a\":1,\"a\":2}", "a=1;a=2;"},
        {"{\"\\u00e9\\n\\\"\\\\\":[]}", "\xc3\xa9\n\"\\=[];"},
        {"{\"\":\"\\\\\"}", "=\"\\\\\";"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct seen s = {.until = -1};
        assert_true(json_members(rows[i].text, strlen(rows[i].text), note, &s, NULL));
        assert_string_equal(s.text, rows[i].seen);
    }
}

static void what_is_no_object(void **state)
{
    (void)state;
    static const char *const texts[] = {"", " ", "[]", "1", "\"a\"", "{", "{\"a\"", "{\"a\":", "{\"a\":}", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{a:1}",
                                        "{\"a\":1]", "{\"a\":1}x", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\":[1}", "{\"a\":\"x}", "{\"\\u12\":1}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct seen s = {.until = -1};
        struct err err = {.lang = LANG_EN};
        if (json_members(texts[i], strlen(texts[i]), note, &s, &err))
            fail_msg("taken: %s", texts[i]);
        assert_non_null(strstr(err.text, "not valid JSON, line 1, column"));
    }
    struct err err = {.lang = LANG_EN};
    struct seen s = {.until = -1};
    assert_false(json_members("{\n \"a\": 1\n \"b\": 2}", 19, note, &s, &err));
    assert_string_equal(err.text, "not valid JSON, line 3, column 5, at ': 2}'");
}

static void it_stops_where_it_is_told_to(void **state)
{
    (void)state;
    struct seen s = {.until = 2};
    struct err err = {.lang = LANG_EN};
    assert_false(json_members("{\"a\":1,\"b\":2,\"c\":3}", 19, note, &s, &err));
    assert_string_equal(s.text, "a=1;b=2;");
    assert_string_equal(err.text, "");
}

/* What cuts a text short never makes it a right one. */
static void cut_anywhere(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":{\"b\":[1,{\"c\":\"\\\"\"}]},\"\\\\\":null}";
    for (size_t n = 0; n < sizeof text - 1; n++) {
        struct seen s = {.until = -1};
        assert_false(json_members(text, n, note, &s, NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_member_in_order),
        cmocka_unit_test(what_is_no_object),
        cmocka_unit_test(it_stops_where_it_is_told_to),
        cmocka_unit_test(cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
