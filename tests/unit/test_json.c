/* test_json.c - texts that are no JSON, or JSON with a trap. If it fails, a file is read that every other reader refuses, one of two values
 * under one name is taken without a word, or a reply goes out under another id than the request's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "json/json.h"

struct text { const char *text; size_t size; };
#define TEXT(literal) {literal, sizeof literal - 1}

static void to_the_letter(void **state)
{
    (void)state;
    static const struct text good[] = {
        TEXT("0"), TEXT("-0"), TEXT("1.5e-3"), TEXT("1E+9"), TEXT("1e999"), TEXT(" [ ] "), TEXT("{}"), TEXT("[1,[2,{\"a\":[]}],true,false,null]\r\n"),
        TEXT("\"\\u0000\\ud83d\\ude00\\ufffd\""), TEXT("\"\xef\xbf\xbd\x7f\xf0\x9f\x98\x80\""), TEXT("\xef\xbb\xbf{\"a\":1}"), TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""),
    };
    static const struct text bad[] = {
        TEXT(""), TEXT(" "), TEXT("01"), TEXT("1."), TEXT(".5"), TEXT("+1"), TEXT("-"), TEXT("1e"), TEXT("1e+"), TEXT("0x10"), TEXT("NaN"), TEXT("-Infinity"),
        TEXT("nul"), TEXT("truex"), TEXT("[1,]"), TEXT("{\"a\":1,}"), TEXT("{\"a\"}"), TEXT("{a:1}"), TEXT("[1 2]"), TEXT("[1}"), TEXT("{\"a\":1]"), TEXT("1 2"),
        TEXT("\"a\tb\""), TEXT("\"a\nb\""), TEXT("\"a\0b\""), TEXT("{\"a\":\0001}"), TEXT("{}\0"), TEXT("\"\\x\""), TEXT("\"\\u12g4\""), TEXT("\"\\ud800\""),
        TEXT("\"\\udc00x\""), TEXT("\"\\ud800\\u0041\""), TEXT("\"\xff\""), TEXT("\"\xed\xa0\x80\""), TEXT("\"\xc0\x80\""), TEXT("\"\xe2\x82\""), TEXT("[\xc3\xa9]"),
        TEXT("'a'"), TEXT("// a\n1"), TEXT("\"a"), TEXT("1234567890123456789012345678901234567890123456789012345678901234567890"),
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        struct err err = {.lang = LANG_EN};
        struct json *json = json_parse(good[i].text, good[i].size, &err);
        if (!json)
            fail_msg("refused: %s: %s", good[i].text, err.text);
        json_free(json);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct err err = {.lang = LANG_EN};
        struct json *json = json_parse(bad[i].text, bad[i].size, &err);
        if (json || !strstr(err.text, "line 1, column "))
            fail_msg("row %zu taken, or a message without a place: %s: %s", i, bad[i].text, err.text);
        json_free(json);
    }
}

static void the_message_shows_where(void **state)
{
    (void)state;
    static const struct { struct text text; const char *message; } rows[] = {
        {TEXT("{\n \"a\": 01}"), "not valid JSON, line 2, column 8, at '1}'"},
        {TEXT("[1,\n2,\n]"), "not valid JSON, line 3, column 1: a comma stands before ']'"},
        {TEXT("{\"a\": [1, 2\n\n"), "not valid JSON, line 1, column 11: the text ends too early"},
        {TEXT("{\"\xc3\xa9\": \"a\n\"}"), "not valid JSON, line 1, column 9: the line ends inside a string"},
        {TEXT("[\"\xc3\xa9\xff\"]"), "not valid JSON, line 1, column 4: byte 0xff cannot stand there"},
        {TEXT("[NaN]"), "not valid JSON, line 1, column 2, at 'NaN]'"},
        {TEXT("[-Infinity]"), "not valid JSON, line 1, column 2, at '-Infinity]'"},
        {TEXT("[1234567890123456789012345678901234567890123456789012345678901234]"), "line 1, column 2: a number of more than 63 characters"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err = {.lang = LANG_EN};
        assert_null(json_parse(rows[i].text.text, rows[i].text.size, &err));
        assert_string_equal(err.text, rows[i].message);
    }
}

/* Depth is bounded without recursion: 100 000 levels fit in no stack. */
static void depth(void **state)
{
    (void)state;
    for (size_t n = JSON_MAX_DEPTH; n <= 100000; n += 100000 - JSON_MAX_DEPTH) {
        char *text = xmalloc(2 * n + 1);
        memset(text, '[', n);
        memset(text + n, ']', n);
        text[2 * n] = '\0';
        struct err err = {.lang = LANG_EN};
        struct json *json = json_parse(text, 2 * n, &err);
        assert_int_equal(json != NULL, n <= JSON_MAX_DEPTH);
        if (!json)
            assert_string_equal(err.text, "line 1, column 201: more than 200 levels deep");
        json_free(json);
        free(text);
    }
}

/* Given line by line, it is the same text. */
static void in_pieces(void **state)
{
    (void)state;
    static const char *const lines[] = {"[\n", "{\"a\":\n", "1},\n", "[2,\n", "3]]\n", "\n"};
    struct json_check check = {0};
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(json_check(&check, lines[i], strlen(lines[i]), NULL, NULL), i < 4 ? JSON_OPEN : JSON_WHOLE);
    struct json_place bad;
    assert_int_equal(json_check(&check, "x", 1, &bad, NULL), JSON_BROKEN);
    assert_int_equal(bad.line, 7);
    assert_int_equal(bad.column, 1);
}

static void a_nul_cuts_no_text(void **state)
{
    (void)state;
    static const char text[] = "{\"a\\u0000b\":\"c\\u0000d\", \"e\":\"\\\\u0000\"}";
    struct json *json = json_parse(text, sizeof text - 1, NULL);
    assert_non_null(json);
    assert_null(json_get(json, "a"));
    assert_string_equal(json_string(json_get(json, "a\xef\xbf\xbd" "b")), "c\xef\xbf\xbd" "d");
    assert_string_equal(json_string(json_get(json, "e")), "\\u0000");
    json_free(json);
}

static void keys_that_stand_twice(void **state)
{
    (void)state;
    static const struct { const char *text, *path; } rows[] = {
        {"{\"a\":1,\"b\":{\"a\":2}}", NULL},
        {"{\"a\":1,\"a\":2}", "a"},
        {"{\"p\":{\"x\":[{\"k\":1,\"l\":2,\"k\":3}]}}", "p.x[0].k"},
        {"{\"num_heads\":1,\"num\\u005fheads\":2}", "num_heads"},
        {"{\"\xc3\xa9\":1,\"\\u00e9\":2}", "\xc3\xa9"},
        {"{\"\xf0\x9f\x98\x80\":1,\"\\ud83d\\ude00\":2}", "\xf0\x9f\x98\x80"},
        {"{\"\":1,\"\":2}", ""},
        {"{\"ab\":1,\"a\":2,\"abc\":3}", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err = {.lang = LANG_EN};
        bool unique = json_unique(rows[i].text, strlen(rows[i].text), &err);
        assert_int_equal(unique, rows[i].path == NULL);
        if (!unique) {
            char *message = xasprintf("\"%s\" stands there twice; write it once", rows[i].path);
            assert_string_equal(err.text, message);
            free(message);
        }
    }
}

/* The value of "id" out of a text that is broken, never a part of it and never another's. */
static void salvage(void **state)
{
    (void)state;
    static const struct { const char *text, *id; } rows[] = {
        {"{\"id\":5}", "5"}, {"{\"id\":5,", "5"}, {"{\"id\" : {\"a\": [1]} ,", "{\"a\": [1]}"}, {"{\"x\":nope,\"id\":\"a\"}", "\"a\""},
        {"{\"id\":5", NULL}, {"{\"id\":\"a", NULL}, {"{\"id\":", NULL}, {"{\"id\"", NULL}, {"{\"id\":05}", NULL}, {"{\"id\":\"\xff\"}", NULL},
        {"{\"id\":1,\"id\":2}", NULL}, {"{\"a\":{\"id\":1}}", NULL}, {"[{\"id\":1}]", NULL}, {"{\"\\u0069d\":7}", "7"}, {"", NULL}, {"id", NULL},
        {"{\"x\":\"\"id\":3}", NULL}, {"{\"id\":[1}", NULL}, {"{\"id\":NaN}", NULL}, {"{\"id\":1 2}", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = 0;
        const char *id = json_salvage(rows[i].text, strlen(rows[i].text), "id", &n);
        if (!id != !rows[i].id || (id && (n != strlen(rows[i].id) || memcmp(id, rows[i].id, n))))
            fail_msg("row %zu: %s gives %.*s", i, rows[i].text, id ? (int)n : 4, id ? id : "NULL");
    }
    static const char with_nul[] = "{\"a\0b\":1,\"id\":5,";           /* a line of requests may hold any byte */
    size_t n = 0;
    alarm(600);
    const char *id = json_salvage(with_nul, sizeof with_nul - 1, "id", &n);
    alarm(0);
    assert_true(id && n == 1 && *id == '5');
}

static bool join(const char *value, size_t size, void *context)
{
    strncat(context, value, size);
    strcat(context, ";");
    return true;
}

static void entries(void **state)
{
    (void)state;
    static const struct { const char *text, *seen; } rows[] = {
        {"[]", ""}, {" [ 1 ,{\"a\":[2,3]},\"],\" ]\n", "1 ;{\"a\":[2,3]};\"],\";"}, {"{\"a\":1}", ""}, {"[null]", "null;"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char seen[100] = "";
        json_entries(rows[i].text, strlen(rows[i].text), join, seen);
        assert_string_equal(seen, rows[i].seen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_the_letter),
        cmocka_unit_test(the_message_shows_where),
        cmocka_unit_test(depth),
        cmocka_unit_test(in_pieces),
        cmocka_unit_test(a_nul_cuts_no_text),
        cmocka_unit_test(keys_that_stand_twice),
        cmocka_unit_test(salvage),
        cmocka_unit_test(entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
