/* What everything stands on: text widths and cutting, catalogue reader, random numbers, parameter parsing. If these are
 * wrong, screens shear, control characters reach the terminal, or values typed by a user are taken for others. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <locale.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/rng.h"
#include "base/shell.h"
#include "base/utf8.h"
#include "core/encoding.h"

static void widths_are_cells(void **state)
{
    (void)state;
    assert_int_equal(utf8_width("abc"), 3);
    assert_int_equal(utf8_width("位置编码"), 8);
    assert_int_equal(utf8_width("e\xcc\x81"), 1);
    assert_int_equal(utf8_fit("位置", 3), 3);           /* half a character never fits */
}

/* The table against the C library's, where it knows UTF-8. Another version of Unicode differs in the few hundred characters that are new in it. */
static void widths_are_those_of_the_system(void **state)
{
    (void)state;
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    int known = 0, differ = 0;
    if (!utf8)
        skip();
    locale_t before = uselocale(utf8);
    for (uint32_t c = ' '; c < 0x110000; c++) {
        int width = wcwidth((wchar_t)c);
        known += width >= 0;
        differ += width >= 0 && width != utf8_char_width(c);
    }
    uselocale(before);
    freelocale(utf8);
    assert_true(known > 100000);
    assert_in_range(differ, 0, 1000);
}

static void marks_and_emoji_have_their_cells(void **state)
{
    (void)state;
    assert_int_equal(utf8_char_width(0x2ff), 1);
    assert_int_equal(utf8_char_width(0x300), 0);                /* the first combining mark */
    assert_int_equal(utf8_char_width(0x7f), 0);                 /* controls take none */
    assert_int_equal(utf8_char_width(0x9f), 0);
    assert_int_equal(utf8_char_width(0xa0), 1);
    static const struct { const char *text; int cells; } cases[] = {
        {"⭐", 2}, {"⚽", 2}, {"✨", 2}, {"🟢", 2}, {"🧠", 2}, {"🀄", 2}, {"❤", 1}, {"☎", 1}, {"é", 1}, {"นี้", 1}, {"वि", 2}, {"ক্ষ", 2},
        {"שָׁ", 1}, {"한", 2}, {"ᄒ", 2}, {"ｱ", 1}, {"ア", 2}, {"㎞", 2}, {"〹", 2}, {"ﷺ", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (utf8_width(cases[i].text) != cases[i].cells)
            fail_msg("%s: %d cells", cases[i].text, utf8_width(cases[i].text));
}

/* UAX #11, EastAsianWidth.txt */
static void widths_that_terminals_disagree_on_are_known(void **state)
{
    (void)state;
    static const uint32_t ambiguous[] = {0xb0, 0xb7, 0xd7, 0x3b1, 0x3c9, 0x2014, 0x2026, 0x201c, 0x2190, 0x2193, 0x2500, 0x254b, 0x2550, 0x2573, 0x2580,
                                         0x258f, 0x2592, 0x2595, 0x25b6, 0x25cf, 0x2460, 0xfffd},
                          certain[] = {'a', ' ', '~', 0xe9 + 0x200, 0x2039, 0x2212, 0x2591, 0x2596, 0x25b8, 0x25be, 0x2713, 0x2800, 0x28ff, 0x4e2d, 0xff0c, 0x1f600};
    for (size_t i = 0; i < sizeof ambiguous / sizeof *ambiguous; i++)
        assert_true(utf8_is_ambiguous(ambiguous[i]));
    for (size_t i = 0; i < sizeof certain / sizeof *certain; i++)
        assert_false(utf8_is_ambiguous(certain[i]));
}

static void control_characters_never_pass(void **state)
{
    (void)state;
    char out[32];
    utf8_sanitise(out, sizeof out, "a\x1b[2J\xc2\x9b\xff\x7f\xe2\x80\xae");
    assert_string_equal(out, "a?[2J????");
    utf8_sanitise(out, sizeof out, "a位\xe7\xbd");             /* cut to fit, within a character */
    assert_string_equal(out, "a位");
    utf8_sanitise(out, 4, "位置");
    assert_string_equal(out, "位");
}

static void malformed_utf8_moves_on(void **state)
{
    (void)state;
    const char *overlong = "\xc0\xaf", *p = overlong;
    assert_int_equal(utf8_next(&p), 0xfffd);
    assert_ptr_equal(p, overlong + 1);
    const char *surrogate = "\xed\xa0\x80";
    assert_int_equal(utf8_next(&surrogate), 0xfffd);
}

/* What is written for a shell is read back, and nothing is expanded. */
static void words_of_a_shell_come_back(void **state)
{
    (void)state;
    static const char *const words[] = {"posviz", "it's", "", "a b", "$HOME `x`", "\"q\" \\ #", "#", "n=1,2", "\xe4\xbd\x8d"};
    enum { N = sizeof words / sizeof *words };
    struct buf line = {0};
    char *got[N + 1], *rest;
    for (size_t i = 0; i < N; i++) {
        buf_text(&line, i ? " " : "");
        shell_word(&line, words[i]);
    }
    buf_text(&line, " # --size 3x4");
    char *text = buf_string(&line);
    assert_int_equal(shell_split(text, got, N + 1, &rest), N);
    for (size_t i = 0; i < N; i++)
        assert_string_equal(got[i], words[i]);
    assert_string_equal(rest, " --size 3x4");
    free(text);
    static const struct { const char *text; int n; const char *last; } cases[] = {
        {"", 0, NULL}, {"  a\tb\n", 2, "b"}, {"a\\ b", 1, "a b"}, {"\"a\\\"b\\c\"", 1, "a\"b\\c"}, {"a#b", 1, "a#b"}, {"'a", -1, NULL}, {"\"a\\\"", -1, NULL}, {"a b c d", -1, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char copy[40];
        snprintf(copy, sizeof copy, "%s", cases[i].text);
        assert_int_equal(shell_split(copy, got, 3, NULL), cases[i].n);
        if (cases[i].n > 0)
            assert_string_equal(got[cases[i].n - 1], cases[i].last);
    }
}

static void damaged_catalogue_finds_nothing(void **state)
{
    (void)state;
    unsigned char mo[64] = {0xde, 0x12, 0x04, 0x95, 0, 0, 0, 0, 2, 0, 0, 0, 28, 0, 0, 0, 44, 0, 0, 0};
    for (size_t size = 0; size <= sizeof mo; size++)
        assert_null(mo_lookup(mo, size, "x"));
    memset(mo + 8, 0xff, 56);
    assert_null(mo_lookup(mo, sizeof mo, "x"));
}

static void normal_numbers_have_unit_variance(void **state)
{
    (void)state;
    double sum = 0, square = 0, n = 100000;
    for (uint64_t i = 0; i < 100000; i++) {
        double x = rng_normal(7, i);
        sum += x;
        square += x * x;
    }
    assert_true(fabs(sum / n) < 0.02);
    assert_true(fabs(square / n - 1) < 0.02);
    assert_true(rng_normal(7, 5) != rng_normal(8, 5));
}

static const char *const colours[] = {"red", "green", NULL};
static const struct param p_real = {.name = "x", .type = PARAM_REAL, .def = 2, .min = 1, .max = 16};
static const struct param p_int = {.name = "n", .type = PARAM_INT, .def = NAN, .min = 1, .max = 9, .step = 1};
static const struct param p_choice = {.name = "c", .type = PARAM_CHOICE, .choices = colours};
static const struct param p_list = {.name = "l", .type = PARAM_LIST, .def = NAN, .min = 0, .max = 9};

static void typed_values_are_checked(void **state)
{
    (void)state;
    struct err err = {0};
    struct value v;
    assert_true(param_parse(&p_real, "4", &v, &err));
    assert_true(v.x == 4);
    assert_false(param_parse(&p_real, "17", &v, &err));
    assert_non_null(strstr(err.text, "x = 17"));
    assert_non_null(strstr(err.text, "1 to 16"));
    assert_false(param_parse(&p_real, "4x", &v, &err));
    assert_false(param_parse(&p_real, "nan", &v, &err));
    assert_false(param_parse(&p_real, "", &v, &err));       /* this one may not be absent */
    assert_true(param_parse(&p_int, "", &v, &err));
    assert_true(value_absent(v));
    assert_false(param_parse(&p_int, "2.5", &v, &err));
    assert_true(param_parse(&p_choice, "Green", &v, &err));
    assert_true(v.x == 1);
    assert_false(param_parse(&p_choice, "blue", &v, &err));
    assert_non_null(strstr(err.text, "red, green"));
    assert_true(param_parse(&p_list, "1, 2,3", &v, &err));
    assert_int_equal(v.t->n, 3);
    table_unref(v.t);
    assert_false(param_parse(&p_list, "1,2,30", &v, &err));
}

/* What is allowed stays in sight, however long the value is, and a message is never cut within a character. */
static void long_values_leave_room(void **state)
{
    (void)state;
    static char value[100001];
    memset(value, 'a', sizeof value - 1);
    struct err err = {.lang = LANG_EN};
    assert_null(encoding_find(value, &err));
    assert_non_null(strstr(err.text, "there is no encoding 'aaaa"));
    assert_non_null(strstr(err.text, "there are nope, sinusoidal"));
    assert_non_null(strstr(err.text, "cope"));
    for (size_t i = 0; i + 3 < sizeof value; i += 3)
        memcpy(value + i, "\xe4\xbd\x8d", 3);
    for (enum lang lang = 0; lang < LANG_COUNT; lang++) {
        err = (struct err){.lang = lang};
        err_set(&err, "%s: %s", value, "the end");
        assert_non_null(strstr(err.text, "the end"));
        assert_null(strchr(err.text, '?'));                         /* no half of a character */
        err_prefix(&err, "%s", value);
        assert_non_null(strstr(err.text, "the end"));
    }
}

/* A value stands in a message as it was given, whatever the order of the translation. */
static void messages_show_exact_numbers(void **state)
{
    (void)state;
    static const struct { double x; const char *shown; } cases[] = {
        {1048577, "1048577"}, {1000000, "1000000"}, {1e9, "1000000000"}, {1e300, "1e+300"}, {0.1, "0.1"}, {0.1 + 0.2, "0.30000000000000004"}, {-2.5, "-2.5"},
        {9007199254740994, "9007199254740994"}, {1e12 + 1, "1000000000001"}, {NAN, "nan"}, {INFINITY, "inf"}, {5e-324, "4.940656458e-324"}, {-0.0, "-0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {.lang = LANG_EN};
        char wanted[100];
        err_set(&err, "%s of %zu, %.*s%%: n = %g (%.3g), %d", "x", (size_t)7, 2, "abc", cases[i].x, 1048577.0, 3);
        snprintf(wanted, sizeof wanted, "x of 7, ab%%: n = %s (1.05e+06), 3", cases[i].shown);
        assert_string_equal(err.text, wanted);
    }
}

static void steps_stay_in_range(void **state)
{
    (void)state;
    struct value v = {2, NULL};
    for (int i = 0; i < 100; i++)
        v = param_step(&p_real, v, 1, 0);
    assert_true(v.x == 16);
    v = param_step(&p_int, VALUE_ABSENT, 1, 4);
    assert_true(v.x == 5);
    assert_true(param_step(&p_choice, (struct value){0, NULL}, -1, 0).x == 1);
}

/* What the panel shows of a value is that value, and what is typed over it is read the same way. */
static void values_are_written_as_they_are_read(void **state)
{
    (void)state;
    static const struct param p_bool = {.name = "b", .type = PARAM_BOOL}, p_table = {.name = "t", .type = PARAM_TABLE, .def = NAN},
                              p_signed = {.name = "l", .type = PARAM_LIST, .def = NAN, .min = -100, .max = 100};
    static const struct { const struct param *p; const char *text; } rows[] = {
        {&p_real, "4"}, {&p_real, "1.5"}, {&p_int, "9"}, {&p_int, ""}, {&p_bool, "true"}, {&p_bool, "false"}, {&p_choice, "red"}, {&p_choice, "green"},
        {&p_signed, "1,2.5,-3"}, {&p_signed, "7"}, {&p_signed, ""},
    };
    char text[40];
    struct err err = {0};
    struct value v;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(param_parse(rows[i].p, rows[i].text, &v, &err));
        assert_string_equal(param_format(rows[i].p, v, text, sizeof text), rows[i].text);
        table_unref(v.t);
    }
    assert_true(param_parse(&p_signed, "1,2,3,4,5,6,7,8,9,10", &v, &err));
    assert_string_equal(param_format(&p_signed, v, text, 14), "1,2,3,4,5...");
    table_unref(v.t);
    assert_false(param_parse(&p_signed, "1,x", &v, &err));
    assert_string_equal(err.text, "l = 1,x: must be numbers with commas between them");
    assert_false(param_parse(&p_signed, "1,101", &v, &err));
    assert_false(param_parse(&p_real, "inf", &v, &err));
    assert_string_equal(err.text, "x = inf: must be a finite number");
    assert_false(param_parse(&p_table, "3", &v, &err));
    assert_string_equal(err.text, "t: comes from a file and cannot be typed");
    v = (struct value){NAN, table_new(2, (size_t[]){2, 3})};
    assert_string_equal(param_format(&p_table, v, text, sizeof text), "2 x 3");
    assert_ptr_equal(param_step(&p_table, v, 1, 0).t, v.t);
    table_unref(v.t);
    assert_true(param_step(&p_bool, (struct value){0, NULL}, 1, 0).x == 1 && param_step(&p_bool, (struct value){1, NULL}, -1, 0).x == 0);
    assert_true(param_step(&p_bool, (struct value){1, NULL}, 10, 0).x == 1);
    assert_true(param_step(&p_int, VALUE_ABSENT, 1, NAN).x == 2);          /* from the least, where nothing is derived */
    static const struct param p_wide = {.name = "w", .type = PARAM_INT, .min = 1, .max = 1e6};
    assert_true(param_step(&p_wide, (struct value){1, NULL}, 1, 0).x == 2 && param_step(&p_wide, (struct value){2, NULL}, -1, 0).x == 1);
    assert_true(param_step(&p_wide, (struct value){1000, NULL}, 4, 0).x == 2000);
}

/* A known key that is not found in its list is reported as a slip; one that only begins like it must not pass. */
static void names_are_found_whole(void **state)
{
    (void)state;
    static const char *const list[] = {"a", "bc", NULL}, *const none[] = {NULL};
    assert_true(name_among("a", list) && name_among("bc", list));
    assert_false(name_among("b", list) || name_among("", list) || name_among("a", none));
}

/* "qwem3" must be told apart from a name that has nothing to do with it, or a message proposes nonsense. */
static void near_names_are_near(void **state)
{
    (void)state;
    char longest[150];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(edit_distance("rope_theta", "rope_theta", false), 0);
    assert_int_equal(edit_distance("kitten", "sitting", false), 3);
    assert_int_equal(edit_distance("", "abc", false), 3);
    assert_int_equal(edit_distance("beta_fast", "beat_fast", false), 2);
    assert_int_equal(edit_distance("Qwen", "qwem", false), 2);
    assert_int_equal(edit_distance("Qwen", "qwem", true), 1);
    assert_int_equal(edit_distance(longest, "a", true), 100);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)             /* which need more than any limit */
static __attribute__((noinline)) int deep(size_t from)
{
    volatile char room[MEM_STACK - 100000];
    room[from] = 3;
    return room[from];
}

/* Or SIGSEGV takes the place of the message that says what was too large. */
static void the_stack_is_there_when_memory_ends(void **state)
{
    (void)state;
    if (getenv("UNMEASURED"))                   /* valgrind asks for memory of its own at any time */
        skip();
    int status;
    pid_t child = fork();
    if (child == 0) {
        mem_keep_stack();
        setrlimit(RLIMIT_AS, &(struct rlimit){.rlim_cur = 1, .rlim_max = 1});
        _exit(deep(0));
    }
    assert_true(child > 0 && waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

/* It ends the program with its words, in the reader's language, and its status. */
static void memory_that_ends_is_said_in_the_readers_words(void **state)
{
    (void)state;
    static const char *const words[] = {NULL, "内存不足"}, *const said[] = {"posviz: out of memory\n", "posviz: 内存不足\n"};
    for (size_t i = 0; i < 2; i++) {
        int status, ends[2];
        char text[80] = "";
        assert_int_equal(pipe(ends), 0);
        pid_t child = fork();
        if (child == 0) {
            dup2(ends[1], STDERR_FILENO);
            if (words[i])
                mem_words(words[i]);
            xcalloc(SIZE_MAX, 2);
            _exit(3);
        }
        close(ends[1]);
        assert_true(child > 0 && waitpid(child, &status, 0) == child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
        assert_true(read(ends[0], text, sizeof text - 1) > 0);
        close(ends[0]);
        assert_string_equal(text, said[i]);
    }
}

/* Under these limits there is no room to keep. */
static void a_small_stack_is_left_alone(void **state)
{
    (void)state;
    if (getenv("UNMEASURED"))
        skip();
    static const struct { int what; rlim_t most; } cases[] = {{RLIMIT_STACK, 200000}, {RLIMIT_AS, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status;
        pid_t child = fork();
        if (child == 0) {
            setrlimit(cases[i].what, &(struct rlimit){.rlim_cur = cases[i].most, .rlim_max = cases[i].most});
            mem_keep_stack();
            _exit(3);
        }
        assert_true(child > 0 && waitpid(child, &status, 0) == child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(widths_are_cells),
        cmocka_unit_test(widths_are_those_of_the_system),
        cmocka_unit_test(marks_and_emoji_have_their_cells),
        cmocka_unit_test(widths_that_terminals_disagree_on_are_known),
        cmocka_unit_test(control_characters_never_pass),
        cmocka_unit_test(malformed_utf8_moves_on),
        cmocka_unit_test(words_of_a_shell_come_back),
        cmocka_unit_test(damaged_catalogue_finds_nothing),
        cmocka_unit_test(normal_numbers_have_unit_variance),
        cmocka_unit_test(typed_values_are_checked),
        cmocka_unit_test(long_values_leave_room),
        cmocka_unit_test(messages_show_exact_numbers), cmocka_unit_test(steps_stay_in_range),
        cmocka_unit_test(values_are_written_as_they_are_read),
        cmocka_unit_test(names_are_found_whole),
        cmocka_unit_test(near_names_are_near),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        cmocka_unit_test(memory_that_ends_is_said_in_the_readers_words),
        cmocka_unit_test(the_stack_is_there_when_memory_ends), cmocka_unit_test(a_small_stack_is_left_alone),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
