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
#include <time.h>

#include "base/rng.h"
#include "term/decode.h"

/* Instead of the system's: time passes here when a test says so, and never because the machine is busy. */
static long now = 1000000;

int clock_gettime(clockid_t clock, struct timespec *t)
{
    (void)clock;
    *t = (struct timespec){.tv_sec = now / 1000, .tv_nsec = now % 1000 * 1000000};
    return 0;
}

static void pass(long ms)
{
    now += ms;
}

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
    pass(10000);
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
    pass(wait);
    assert_int_equal(decode_pause(&r.decoder), 0);
    keep_held(&r);
    assert_keys(&r, "\033");
    take(&r, "\033");
    decode_key(&r.decoder);                     /* another key comes behind it */
    keep_held(&r);
    assert_keys(&r, "\033\033");
}

/* ---- sequences in pieces ------------------------------------------------------------------------------------ */

static const struct { const char *bytes; uint32_t key; } cut_keys[] = {
    {"\033[A", KEY_CODE_UP}, {"\033OA", KEY_CODE_UP}, {"\033[D", KEY_CODE_LEFT}, {"\033[1;2C", KEY_CODE_SHIFT_RIGHT}, {"\033[H", KEY_CODE_HOME},
    {"\033[Z", KEY_CODE_SHIFT_TAB}, {"\033[5~", KEY_CODE_PAGE_UP}, {"\033[6~", KEY_CODE_PAGE_DOWN}, {"\033[3~", KEY_CODE_DELETE},
    {"\033[15~", KEY_CODE_F5}, {"\033[24~", KEY_CODE_F12}, {"\033OP", KEY_CODE_F1}, {"\033[4~", KEY_CODE_END},
};

static void take_cut(struct read *r, const char *bytes, size_t cut)
{
    char first[32];
    snprintf(first, sizeof first, "%.*s", (int)cut, bytes);
    take(r, first);
    pause(r);
    take(r, bytes + cut);
    pause(r);
}

/* From far each key may come in two pieces, and is one key. */
static void a_key_in_two_pieces_is_one_key(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cut_keys / sizeof *cut_keys; i++)
        for (size_t cut = 1; cut < strlen(cut_keys[i].bytes); cut++) {
            struct read r = {.decoder = {.far = true}};
            take_cut(&r, cut_keys[i].bytes, cut);
            assert_int_equal(r.n, 1);
            assert_int_equal(r.event[0].key, cut_keys[i].key);
        }
}

/* An Escape acts at once on this machine, and soon from far; what then comes of its sequence is the key, not a bracket and a letter. */
static void a_late_rest_is_no_bracket(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cut_keys / sizeof *cut_keys; i++)
        for (int far = 0; far < 2; far++) {
            struct read r = {.decoder = {.far = far}};
            take(&r, "\033");
            pass(far ? 100 : 0);
            pause(&r);
            assert_keys(&r, "\033");
            take(&r, cut_keys[i].bytes + 1);
            assert_int_equal(r.n, 2);
            assert_int_equal(r.event[1].key, cut_keys[i].key);
        }
    struct read r = {.n = 0};
    take_cut(&r, "\033[<35;10;20M", 1);
    assert_int_equal(r.n, 2);
    assert_int_equal(r.event[1].type, EVENT_MOUSE);
    assert_int_equal(r.event[1].x, 9);
}

/* Nor is the rest of an answer that was waited for: a bracket and digits would change a parameter. Who has asked nothing gets the keys. */
static void a_late_rest_of_an_answer_is_no_key(void **state)
{
    (void)state;
    static const char *const rests[] = {"]11;rgb:ffff/ffff/ffff\033\\", "]11;rgb:ffff/ffff/ffff\a"};
    for (size_t i = 0; i < 2; i++) {
        struct read r = asked(LONG_MAX, false);
        take(&r, "\033");
        pass(100);
        pause(&r);
        assert_keys(&r, "\033");
        take(&r, rests[i]);
        assert_int_equal(r.n, 2);
        assert_int_equal(r.event[1].type, EVENT_BACKGROUND);
    }
    struct read r = {.n = 0};
    take_cut(&r, "\033]1", 1);
    assert_keys(&r, "\033]1");
}

/* Keys that a user types after Escape are those keys: one by one, or in one piece that is no sequence, or long after. */
static void what_is_typed_after_escape_is_typed(void **state)
{
    (void)state;
    static const char *const typed[] = {"[", "[>", "[<", "[[", "O", "Ox", "[]", "x[A", "[<x"};
    for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
        struct read r = {.n = 0};
        char all[8];
        take_cut(&r, "\033", 1);
        take(&r, typed[i]);
        pause(&r);
        snprintf(all, sizeof all, "\033%s", typed[i]);
        assert_keys(&r, all);
    }
    struct read r = {.n = 0};
    take_cut(&r, "\033", 1);
    take(&r, "[");
    pause(&r);
    take(&r, "A");
    pause(&r);
    assert_keys(&r, "\033[A");
    r = (struct read){.n = 0};
    take_cut(&r, "\033", 1);
    pass(1000);
    take(&r, "[A");
    assert_keys(&r, "\033[A");
}

/* A paste that ends within a sequence still ends, and the key after a sequence that breaks off is a key. */
static void what_breaks_off_hides_nothing(void **state)
{
    (void)state;
    static const char *const broken[] = {"\033[", "\033[1", "\033[1;", "\033[?1", "\033[<", "\033[<3;4", "\033[M", "\033]1"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct read r = {.n = 0};
        take(&r, broken[i]);
        take(&r, "\033[A");
        assert_int_equal(r.n, 1);
        assert_int_equal(r.event[0].key, KEY_CODE_UP);
        r = (struct read){.n = 0};
        take(&r, "\033[200~");
        take(&r, broken[i]);
        take(&r, "\033[201~q");
        assert_int_equal(r.event[r.n - 1].type, EVENT_KEY);
        assert_int_equal(r.event[r.n - 1].key, 'q');
    }
}

static void escape_acts_at_once_where_nothing_is_asked(void **state)
{
    (void)state;
    struct read r = {.n = 0};
    take(&r, "\033");
    assert_int_equal(decode_pause(&r.decoder), 0);
    keep_held(&r);
    assert_keys(&r, "\033");
    r = (struct read){.decoder = {.far = true}};
    take(&r, "\033");
    assert_in_range(decode_pause(&r.decoder), 1, 100);
}

/* A sequence whose end was lost takes one key at most, and none after a while. */
static void a_sequence_without_end_is_given_up(void **state)
{
    (void)state;
    static const char *const begun[] = {"\033[", "\033[1;", "\033[<35;1", "\033[M!", "\033[200~"};
    for (size_t i = 0; i < sizeof begun / sizeof *begun; i++) {
        struct read r = {.n = 0};
        take(&r, begun[i]);
        pause(&r);
        r.n = 0;
        pass(2001);
        take(&r, "QQ");
        assert_keys(&r, "QQ");
    }
}

/* A busy machine cuts what a test sends: its pings come in pieces too, and what it has begun is not lost by the clock. */
static void tests_know_no_clock(void **state)
{
    (void)state;
    static const char ping[] = "\033[7777~";
    for (size_t cut = 1; cut < strlen(ping); cut++) {
        struct read r = {.decoder = {.tested = true}};
        char first[sizeof ping];
        snprintf(first, sizeof first, "%.*s", (int)cut, ping);
        take(&r, first);
        pause(&r);
        pass(60000);
        take(&r, ping + cut);
        assert_int_equal(r.n, cut == 1 ? 2 : 1);        /* an Escape alone is a key */
        assert_int_equal(r.event[r.n - 1].type, EVENT_SYNC);
        assert_int_equal(r.event[r.n - 1].sync, 1);
        take(&r, "\033[200~");
        pass(60000);
        take(&r, "x\033[201~");
        assert_int_equal(r.event[r.n - 1].type, EVENT_PASTE);
    }
    struct read r = {.n = 0};
    take(&r, ping);                             /* who is not tested answers nothing */
    assert_int_equal(r.n, 0);
}

/* ---- mouse ---------------------------------------------------------------------------------------------------- */

static void assert_mouse(const struct event *e, enum mouse_action action, int y, int x, int button)
{
    assert_int_equal(e->type, EVENT_MOUSE);
    assert_int_equal(e->mouse, action);
    assert_int_equal(e->y, y);
    assert_int_equal(e->x, x);
    assert_int_equal(e->button, button);
}

/* Terminals that do not know the form which we ask for send the older one; its bytes are no keys. */
static void old_mouse_reports_are_understood(void **state)
{
    (void)state;
    struct read r = {.n = 0};
    take(&r, "\033[M !!");
    take(&r, "\033[M@\xff\x7f");
    take(&r, "\033[M#!!");
    take(&r, "\033[M`$%");
    take(&r, "\033[Ma$%");
    assert_int_equal(r.n, 5);
    assert_mouse(&r.event[0], MOUSE_PRESS, 0, 0, 1);
    assert_mouse(&r.event[1], MOUSE_DRAG, 94, 222, 1);
    assert_mouse(&r.event[2], MOUSE_RELEASE, 0, 0, 1);
    assert_mouse(&r.event[3], MOUSE_WHEEL_UP, 4, 3, 0);
    assert_mouse(&r.event[4], MOUSE_WHEEL_DOWN, 4, 3, 0);
}

static void broken_mouse_reports_are_nothing(void **state)
{
    (void)state;
    static const char *const broken[] = {"\033[<M", "\033[<0;;M", "\033[<0;0;0M", "\033[<0;1;0M", "\033[<0;1M", "\033[<0;1;1;1M", "\033[<-1;1;1M",
                                         "\033[<0;1;1x", "\033[M  !", "\033[M! \177", "\033[<67;1;1M", "\033[<0;1;1\001"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct read r = {.n = 0};
        take(&r, broken[i]);
        for (size_t k = 0; k < r.n; k++)
            assert_int_not_equal(r.event[k].type, EVENT_MOUSE);
        r.n = 0;
        take(&r, "\033\033[A");                 /* the next key is a key */
        assert_int_equal(r.event[r.n - 1].key, KEY_CODE_UP);
    }
    struct read r = {.n = 0};
    take(&r, "\033[M\033[A");                   /* cut by another sequence */
    assert_int_equal(r.n, 1);
    assert_int_equal(r.event[0].key, KEY_CODE_UP);
    take(&r, "\033[<0;99999999999999999999;1M"); /* far outside, and no other number */
    assert_int_equal(r.n, 2);
    assert_in_range(r.event[1].x, 9999, 99999);
}

/* ---- paste ---------------------------------------------------------------------------------------------------- */

static void what_is_pasted_is_text(void **state)
{
    (void)state;
    static const char text[] = "Q:\r\n\t\001x\033y[A]";
    struct read r = {.n = 0};
    take(&r, "a\033[200~");
    take(&r, text);
    take(&r, "\033[A\177\033OP");               /* keys are no text */
    take(&r, "\344\275\240\033[201~b");
    assert_int_equal(r.event[0].type, EVENT_KEY);
    assert_int_equal(r.event[1].type, EVENT_PASTE);
    assert_int_equal(r.event[1].key, 0);
    assert_int_equal(r.n, 2 + strlen(text) + 2);
    for (size_t i = 0; i < strlen(text); i++) {
        assert_int_equal(r.event[2 + i].type, EVENT_PASTE);
        assert_int_equal(r.event[2 + i].key, text[i] == '\n' ? '\r' : text[i]);
    }
    assert_int_equal(r.event[r.n - 2].key, 0x4f60);
    assert_int_equal(r.event[r.n - 1].type, EVENT_KEY);
    assert_int_equal(r.event[r.n - 1].key, 'b');
}

static void a_megabyte_is_pasted(void **state)
{
    (void)state;
    struct read r = {.n = 0};
    take(&r, "\033[200~");
    for (int i = 0; i < 1 << 16; i++) {
        r.n = 0;
        take(&r, "Q:0123\033[A位置\r\n");
        assert_int_equal(r.n, 10);
        assert_int_equal(r.event[0].type, EVENT_PASTE);
    }
    r.n = 0;
    take(&r, "\033[201~Q");
    assert_keys(&r, "Q");
}

static void any_bytes_are_survived(void **state)
{
    (void)state;
    static const char structure[] = "\033\033]11;rgb:/\\[<0;2RMmOA\a~\302\344\360";
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
    pass(10000);                                /* whatever was begun */
    take(&r, "q");
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
        cmocka_unit_test(a_key_in_two_pieces_is_one_key),
        cmocka_unit_test(a_late_rest_is_no_bracket),
        cmocka_unit_test(a_late_rest_of_an_answer_is_no_key),
        cmocka_unit_test(what_is_typed_after_escape_is_typed),
        cmocka_unit_test(what_breaks_off_hides_nothing),
        cmocka_unit_test(escape_acts_at_once_where_nothing_is_asked),
        cmocka_unit_test(a_sequence_without_end_is_given_up),
        cmocka_unit_test(tests_know_no_clock),
        cmocka_unit_test(old_mouse_reports_are_understood),
        cmocka_unit_test(broken_mouse_reports_are_nothing),
        cmocka_unit_test(what_is_pasted_is_text),
        cmocka_unit_test(a_megabyte_is_pasted),
        cmocka_unit_test(any_bytes_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
