/* Bytes from a terminal, in any pieces. If this fails: an answer of the terminal is typed into the program as keys, however late it comes, or
 * a key that the user has pressed is lost in one. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "term/decode.h"

enum { EVENTS_MAX = 64 };
struct read {
    struct decoder decoder;
    struct event event[EVENTS_MAX];
    size_t n;
};

static void keep(struct read *r, const struct event *event)
{
    if (r->n < EVENTS_MAX)
        r->event[r->n++] = *event;
}

static void keep_held(struct read *r)
{
    for (struct event e; decode_held(&r->decoder, &e);)
        keep(r, &e);
}

static void take(struct read *r, const char *bytes)
{
    struct event e;
    for (bool again = false; *bytes; bytes += !again) {
        if (decode_byte(&r->decoder, (unsigned char)*bytes, &e, &again))
            keep(r, &e);
        keep_held(r);
    }
}

static void pause(struct read *r)
{
    decode_pause(&r->decoder);
    keep_held(r);
}

/* A reader of what a terminal sends that has been asked; closed: it has answered all of it already. */
static struct read asked(long until, bool closed)
{
    struct read r = {.n = 0};
    struct buf out = {0};
    ask_begin(&r.decoder.ask, &out, true, true, until);
    if (closed)
        take(&r, "\033[2;5R");
    buf_done(&out);
    return r;
}

static void assert_keys(const struct read *r, const char *keys)
{
    assert_int_equal(r->n, strlen(keys));
    for (size_t i = 0; i < r->n; i++) {
        assert_int_equal(r->event[i].type, EVENT_KEY);
        assert_int_equal(r->event[i].key, keys[i]);
    }
}

/* ---- ------------------------------------------------------------------------------------------------------- */

static void backgrounds_are_understood(void **state)
{
    (void)state;
    static const struct { const char *answer; int light; } cases[] = {
        {"\033]11;rgb:ffff/ffff/ffff\a", 1}, {"\033]11;rgb:0000/0000/0000\033\\", 0}, {"\033]11;rgb:fd/f6/e3\a", 1}, {"\033]11;rgb:0/2b/36\a", 0},
        {"\033]11;rgba:ffff/ffff/dddd/ffff\a", 1}, {"\033]11;#fdf6e3\a", 1}, {"\033]11;#002b36\a", 0}, {"\033]11;rgb:8000/0000/0000\a", 0},
        {"\033]11;rgb:0000/ffff/0000\a", 1}, {"\033]11;rgb:ffff/ffff\a", -1}, {"\033]11;rgb:fffff/0/0\a", -1}, {"\033]11;rgb:x/y/z\a", -1},
        {"\033]11;\a", -1}, {"\033]11;red\a", -1}, {"\033]11;#12345\a", -1}, {"\033]10;rgb:ffff/ffff/ffff\a", -1}, {"\033]11;rgb://\a", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct read r = asked(LONG_MAX, false);
        take(&r, cases[i].answer);
        assert_int_equal(r.n, cases[i].light >= 0);
        if (r.n) {
            assert_int_equal(r.event[0].type, EVENT_BACKGROUND);
            assert_int_equal(r.event[0].light, cases[i].light);
        }
    }
}

static void a_late_answer_is_nothing(void **state)
{
    (void)state;
    struct read r = asked(0, false);
    take(&r, "\033]11;rgb:ffff/ffff/ffff\a\033[2;9R");
    assert_int_equal(r.n, 0);
    assert_false(ask_open(&r.decoder.ask));
}

static void a_wide_cursor_means_wide_glyphs(void **state)
{
    (void)state;
    static const struct { const char *report; bool wide; } cases[] = {
        {"\033[2;5R", false}, {"\033[2;9R", true}, {"\033[2;7R", true}, {"\033[1;9R", false}, {"\033[2;9;9R", false}, {"\033[?2;9R", false}, {"\033[9R", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct read r = asked(LONG_MAX, false);
        take(&r, cases[i].report);
        assert_int_equal(r.n, cases[i].wide);
        assert_true(!r.n || r.event[0].type == EVENT_GLYPHS);
    }
}

/* Cut in every place, with a pause there. */
static void an_answer_in_two_pieces_is_no_key(void **state)
{
    (void)state;
    static const char *const answers[] = {"\033]11;rgb:ffff/ffff/ffff\033\\", "\033]11;rgb:ffff/ffff/ffff\a", "\033[2;9R"};
    for (size_t i = 0; i < 3; i++)
        for (size_t cut = 1; cut < strlen(answers[i]); cut++)
            for (int late = 0; late < 2; late++) {
                struct read r = asked(late ? 0 : LONG_MAX, false);
                char first[64];
                snprintf(first, sizeof first, "%.*s", (int)cut, answers[i]);
                take(&r, first);
                pause(&r);
                take(&r, answers[i] + cut);
                assert_int_equal(r.n, !late);
                take(&r, "x");
                assert_int_equal(r.event[r.n - 1].key, 'x');
            }
}

/* Behind the answer that every terminal gives, none is waited for; if one comes all the same, it is no key. */
static void an_answer_nobody_waits_for_is_no_key(void **state)
{
    (void)state;
    struct read r = asked(0, true);
    take(&r, "\033]11;rgb:ffff/ffff/ffff\a\033]4;1;rgb:0/0/0\033\\a");
    assert_keys(&r, "a");
}

static void garbage_is_no_key(void **state)
{
    (void)state;
    static const char *const garbage[] = {
        "\033]11;hello\001\a", "\033]11;what is this, that is longer than any answer has a right to be, and does not end here either\a",
        "\033]11;rgb:ffff/ffff/ffff and more\033[", "\033]52;c;AAAA\033\\", "\033[?62;22c", "\033[1;2;3;4;5R", "\033]11;rgb:ffff/ffff/ffff\r",
    };
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        struct read r = asked(LONG_MAX, false);
        take(&r, garbage[i]);
        assert_int_equal(r.n, 0);
        take(&r, "Ax");
        assert_int_equal(r.event[r.n - 1].key, 'x');
    }
}

/* A line that was cut in the middle of an answer takes no keys that are typed long after. */
static void a_string_without_end_is_given_up(void **state)
{
    (void)state;
    struct read r = asked(0, false);
    take(&r, "\033]11;rgb:ff");
    pause(&r);
    r.decoder.heard_at -= 10000;
    take(&r, "QQ");
    assert_keys(&r, "QQ");
}

static void escape_stays_a_key(void **state)
{
    (void)state;
    struct read r = asked(0, true);
    take(&r, "\033");
    pause(&r);
    assert_keys(&r, "\033");
    take(&r, "\033\033x\033]a");
    assert_keys(&r, "\033\033\033x\033]a");
    r.n = 0;
    take(&r, "\033]");
    pause(&r);
    assert_keys(&r, "\033]");
}

/* While an answer is open, Escape waits for what may follow, and no longer than its time. */
static void escape_waits_for_an_open_answer(void **state)
{
    (void)state;
    struct read r = asked(LONG_MAX, false);
    take(&r, "\033");
    int wait = decode_pause(&r.decoder);
    assert_in_range(wait, 1, 100);
    r.decoder.escape_at -= wait;
    assert_int_equal(decode_pause(&r.decoder), 0);
    keep_held(&r);
    assert_keys(&r, "\033");
    take(&r, "\033");
    decode_key(&r.decoder);                     /* another key comes behind it */
    keep_held(&r);
    assert_keys(&r, "\033\033");
}

static void any_bytes_are_survived(void **state)
{
    (void)state;
    static const char structure[] = "\033\033]11;rgb:/\\[<0;2RMm\a~\302\344\360";
    struct read r = asked(LONG_MAX, false);
    for (uint64_t i = 0; i < 20000; i++) {
        uint64_t random = rng_bits(7, i);
        char byte[2] = {random & 3 ? structure[random / 4 % (sizeof structure - 1)] : (char)(1 + random / 4 % 255), '\0'};
        r.n = 0;
        take(&r, byte);
        if (random % 11 == 0)
            pause(&r);
        assert_true(r.n <= 4);
    }
    take(&r, "\a\aq");
    assert_int_equal(r.event[r.n - 1].key, 'q');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backgrounds_are_understood),
        cmocka_unit_test(a_late_answer_is_nothing),
        cmocka_unit_test(a_wide_cursor_means_wide_glyphs),
        cmocka_unit_test(an_answer_in_two_pieces_is_no_key),
        cmocka_unit_test(an_answer_nobody_waits_for_is_no_key),
        cmocka_unit_test(garbage_is_no_key),
        cmocka_unit_test(a_string_without_end_is_given_up),
        cmocka_unit_test(escape_stays_a_key),
        cmocka_unit_test(escape_waits_for_an_open_answer),
        cmocka_unit_test(any_bytes_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
