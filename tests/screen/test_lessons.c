/* Every lesson from its first step to its last in a real terminal, by keys alone, in both usual sizes. If this fails, a lecturer gets
 * stuck before the audience. */

#include "../support/files.h"
#include "session.h"

static const char *const lessons[] = {"keys", "order", "waves", "tables", "distance", "rotation", "longer", "lines", "grids", "choosing", "files"};
enum { N_LESSONS = sizeof lessons / sizeof *lessons, MOST_STEPS = 15 };

static struct vt *start(int rows, int cols, const char *lesson, const char *option, const char *value)
{
    const char *argv[] = {posviz, "tour", "--test-sync", "--test-clock", "--lang", "en", lesson, option, value, NULL};
    struct vt *vt = vt_start(rows, cols, argv, NULL);       /* the verb is the first word */
    assert_true(vt_settle(vt));
    return vt;
}

/* The number of steps, from "1/12  Title". */
static int count_steps(struct vt *vt)
{
    int rows, cols, n = 0;
    vt_size(vt, &rows, &cols);
    for (int y = 0; y < rows && n == 0; y++) {
        const char *found = strstr(vt_row(vt, y), "1/");
        if (found)
            n = atoi(found + 2);
    }
    assert_in_range(n, 8, MOST_STEPS);
    return n;
}

/* A step that asks: its answers are numbered, and digits answer. */
static void answer(struct vt *vt)
{
    if (!vt_contains(vt, "Question"))
        return;
    press(vt, "1");
    bool right = vt_contains(vt, "Right.");
    if (!right)
        must_show(vt, "Not quite.");
    press(vt, "2");
    must_show(vt, right ? "Not quite." : "Right.");
    press(vt, "Backspace");
}

static void play(int rows, int cols, const char *lesson)
{
    char place[32];
    struct vt *vt = start(rows, cols, lesson, NULL, NULL);
    int n = count_steps(vt);
    for (int i = 1; i <= n; i++) {
        snprintf(place, sizeof place, "%d/%d", i, n);
        must_show(vt, place);
        answer(vt);
        press(vt, "PageDown");
    }
    must_show(vt, "this is the last step");
    press(vt, "PageUp");
    snprintf(place, sizeof place, "%d/%d", n - 1, n);
    must_show(vt, place);
    quit(vt);
}

static void all_at_80x24(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_LESSONS; i++)
        play(24, 80, lessons[i]);
}

static void all_at_120x40(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_LESSONS; i++)
        play(40, 120, lessons[i]);
}

static void from_the_list_and_out_again(void **state)
{
    (void)state;
    struct vt *vt = start(24, 80, NULL, NULL, NULL);
    must_show(vt, "lessons: press a number");
    press(vt, "5");
    must_show(vt, "1/12");
    press(vt, "Tab");                           /* free exploration, and back to the same step */
    press(vt, "Backspace");
    must_show(vt, "1/12  One pair, one clock");
    press(vt, "q");
    must_show(vt, "lessons: press a number");
    quit(vt);
}

/* ---- the keys, by doing ------------------------------------------------------------------------------------- */

/* Letters and numbers; of a half block, ink and paper may be either way round. */
static char *screen_text(struct vt *vt)
{
    char *text = NULL;
    size_t size;
    int rows, cols;
    FILE *out = open_memstream(&text, &size);
    vt_size(vt, &rows, &cols);
    for (int y = 0; y < rows; y++)
        for (const char *p = vt_row(vt, y); *p; p++)
            if (*p > ' ')
                fputc(*p, out);
    fclose(out);
    return text;
}

/* What the lesson of the keys asks for, and what it says will be seen. */
static void do_what_it_says(int rows, int cols)
{
    struct vt *vt = start(rows, cols, "keys", NULL, NULL);
    press(vt, "PageDown");
    must_show(vt, "2/11  Move and read");
    must_show(vt, "query 40, key 20 = -10");
    for (int i = 0; i < 3; i++)
        press(vt, "Right");
    assert_false(vt_contains(vt, "key 20 = -10"));
    must_show(vt, "query 40, key 2");
    press(vt, "PageDown");
    must_show(vt, "3/11  Zoom");
    char *all = screen_text(vt);
    press(vt, "+");
    char *once = screen_text(vt);
    press(vt, "+");
    char *twice = screen_text(vt);
    assert_string_not_equal(all, once);
    assert_string_not_equal(once, twice);
    press(vt, "0");
    char *again = screen_text(vt);
    assert_string_equal(all, again);
    free(all), free(once), free(twice), free(again);
    press(vt, "PageDown");
    must_show(vt, "4/11  Change a parameter");
    must_show(vt, "bias of head 0 of 8");
    press(vt, ">");
    must_show(vt, "bias of head 1 of 8");
    press(vt, "PageDown");
    must_show(vt, "5/11  Take it back");
    must_show(vt, "bias of head 2 of 8");
    press(vt, ">");
    must_show(vt, "bias of head 3 of 8");
    press(vt, "u");
    must_show(vt, "bias of head 2 of 8");
    press(vt, "PageDown");
    must_show(vt, "6/11  Other views");
    press(vt, "/");
    vt_type(vt, "decay");
    press(vt, "Enter");
    must_show(vt, "change of the logit");
    press(vt, "Backspace");
    must_show(vt, "bias of head 0 of 8");
    press(vt, "PageDown");
    must_show(vt, "7/11  Compare");
    press(vt, "s");
    must_show(vt, "B  bias");
    press(vt, ">");
    press(vt, "d");
    must_show(vt, "A − B");
    press(vt, "PageDown");
    must_show(vt, "8/11  Copy and write");
    press(vt, "y");
    must_show(vt, "bytes");
    press(vt, "PageDown");
    must_show(vt, "9/11  Help");
    press(vt, "?");
    must_show(vt, "A bias is a number");
    press(vt, "Escape");
    must_show(vt, "9/11  Help");
    quit(vt);
}

static void the_keys_do_what_their_lesson_says(void **state)
{
    (void)state;
    do_what_it_says(24, 80);
    do_what_it_says(40, 120);
}

/* From the list, from the command line of the program, and back from it. */
static void the_lesson_of_the_keys_is_found(void **state)
{
    (void)state;
    struct vt *vt = start(24, 80, NULL, NULL, NULL);
    press(vt, "K");
    must_show(vt, "1/11  On and back");
    press(vt, "q");
    must_show(vt, "lessons: press a number");
    press(vt, "?");
    must_show(vt, ":lesson keys");
    press(vt, "Escape");
    vt_type(vt, ":lesson keys");
    press(vt, "Enter");
    must_show(vt, "1/11  On and back");
    press(vt, "q");
    must_show(vt, "lessons: press a number");
    quit(vt);
}

static void by_itself_to_the_end(void **state)
{
    (void)state;
    const char *argv[] = {posviz, "tour", "--lang", "en", "order", "--step", "10", "--play", "0.05", NULL};
    struct vt *vt = vt_start(24, 80, argv, NULL);
    must_exit(vt, 0);
    vt_stop(vt);
}

/* ---- recordings -------------------------------------------------------------------------------------------- */

/* What a player would write: the text of all "o" events, its JSON escapes undone. */
static void play_events(FILE *cast, FILE *out)
{
    static char line[1 << 20];
    while (fgets(line, sizeof line, cast)) {
        char *p = strstr(line, "\"o\", \"");
        for (p = p ? p + 6 : line + strlen(line); *p && *p != '"'; p++) {
            unsigned code;
            if (*p != '\\') {
                fputc(*p, out);
            } else if (*++p == 'u') {
                assert_int_equal(sscanf(p + 1, "%4x", &code), 1);
                assert_true(code < 0x80);
                fputc((int)code, out);
                p += 4;
            } else {
                fputc(*p == 'n' ? '\n' : *p == 'r' ? '\r' : *p == 't' ? '\t' : *p == 'b' ? '\b' : *p, out);
            }
        }
    }
}

static void same_cells(const struct vt *a, const struct vt *b, int rows, int cols)
{
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < cols; x++) {
            struct vt_cell p = vt_cell(a, y, x), q = vt_cell(b, y, x);
            if (p.ch != q.ch || p.bg != q.bg || (p.ch != ' ' && (p.fg != q.fg || p.bold != q.bold)))
                fail_msg("row %d, column %d: U+%04X %06X on %06X, the screen has U+%04X %06X on %06X", y, x, p.ch, (unsigned)p.fg, (unsigned)p.bg,
                         q.ch, (unsigned)q.fg, (unsigned)q.bg);
        }
}

/* A recording made without a terminal, replayed, ends with the very cells that a terminal shows at the last step. */
static void a_recording_replays_equal(void **state)
{
    (void)state;
    const char *cast = scratch_path("waves.cast"), *bytes = scratch_path("bytes");
    const char *record[] = {"/bin/sh", "-c", "\"$0\" tour waves --lang en --cast \"$1\" </dev/null", posviz, cast, NULL};
    struct vt *recorder = vt_start(24, 80, record, NULL);
    must_exit(recorder, 0);
    vt_stop(recorder);
    FILE *in = fopen(cast, "r"), *out = fopen(bytes, "w");
    assert_true(in && out);
    play_events(in, out);
    fclose(in);
    fclose(out);
    const char *replay[] = {"cat", bytes, NULL};
    struct vt *player = vt_start(24, 80, replay, NULL), *live = start(24, 80, "waves", "--step", "11");
    assert_true(vt_wait_exit(player, &(int){0}));
    must_show(player, "11/11");
    same_cells(player, live, 24, 80);
    vt_stop(player);
    quit(live);
}

int main(int argc, char **argv)
{
    (void)argc;
    session_find(argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_at_80x24), cmocka_unit_test(all_at_120x40), cmocka_unit_test(from_the_list_and_out_again),
        cmocka_unit_test(the_keys_do_what_their_lesson_says), cmocka_unit_test(the_lesson_of_the_keys_is_found),
        cmocka_unit_test(by_itself_to_the_end),
        cmocka_unit_test(a_recording_replays_equal),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
