/* What terminals say about themselves, and what others do to them. If this fails: dark colours on a white terminal, answers typed into the
 * program as keys, a torn screen where frames are two cells wide, garbage that no key removes, or a mouse that cannot be had back. */

#include "../support/files.h"
#include "canvas/canvas.h"
#include "session.h"

enum { ROWS = 32, COLS = 120 };
static const char white[] = "\033]11;rgb:ffff/ffff/ffff\033\\", black[] = "\033]11;rgb:0000/0000/0000\a";
static const char ask_background[] = "\033]11;?\a", ask_cursor[] = "\033[6n";

/* A view that is small enough for a settled picture at once; more: its own options, ending with NULL. */
static struct vt *begin(const char *const *more, const char *const *env)
{
    const char *words[24] = {"--lang", "en", "similarity", "-e", "alibi", "-s", "n=64"};
    for (int i = 7; more && *more; more++)
        words[i++] = *more;
    return session_open(ROWS, COLS, words, env);
}

static bool sent(const struct vt *vt, const char *bytes)
{
    size_t n;
    const char *all = vt_bytes(vt, &n);
    return memmem(all, n, bytes, strlen(bytes)) != NULL;
}

static const struct theme *theme_of(const struct vt *vt)
{
    for (size_t i = 0; themes[i]; i++)
        if (vt_cell(vt, ROWS - 1, 0).bg == (int32_t)themes[i]->role[ROLE_TEXT].bg)
            return themes[i];
    return NULL;
}

static void assert_theme(struct vt *vt, const char *id)
{
    assert_true(vt_settle(vt));
    assert_non_null(theme_of(vt));
    assert_string_equal(theme_of(vt)->id, id);
    assert_false(vt_contains(vt, "does nothing here"));
    assert_true(vt_contains(vt, "similarity"));
}

/* ---- light or dark ------------------------------------------------------------------------------------------ */

static void the_theme_is_that_of_the_terminal(void **state)
{
    (void)state;
    static const struct { const char *answer, *theme; } cases[] = {
        {white, "light"}, {black, "dark"}, {NULL, "dark"}, {"\033]11;rgb:oops\033\\", "dark"}, {"\033]11;\a", "dark"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vt *vt = begin(NULL, NULL);
        vt_background(vt, cases[i].answer);
        assert_true(vt_wait_bytes(vt, ask_background));
        assert_theme(vt, cases[i].theme);
        quit(vt);
    }
}

static void a_terminal_that_says_nothing_is_dark_and_answers_keys(void **state)
{
    (void)state;
    struct vt *vt = begin(NULL, NULL);
    vt_mute(vt);
    assert_theme(vt, "dark");
    type(vt, "\033");
    type(vt, ":lang zh\r");
    assert_true(vt_contains(vt, "参数"));
    quit(vt);
}

static void a_late_answer_changes_nothing(void **state)
{
    (void)state;
    struct vt *vt = begin(NULL, NULL);
    vt_mute(vt);
    assert_theme(vt, "dark");
    type(vt, white);
    assert_theme(vt, "dark");
    type(vt, "\033[2;9R");
    assert_true(vt_contains(vt, "│"));
    type(vt, ":abc");                          /* nor is it text */
    type(vt, white);
    assert_true(vt_contains(vt, ":abc"));
    assert_false(vt_contains(vt, "rgb"));
    type(vt, "\033");
    quit(vt);
}

static void an_answer_in_pieces_is_one_answer(void **state)
{
    (void)state;
    /* its first bytes in one: for how long an Escape alone is waited for is a matter of time (test_decode.c) */
    static const char *const pieces[] = {"\033]1", "1;rgb:ffff/ff", "ff/ffff", "\033", "\\"};
    const char *argv[] = {demo, "--test-sync", "--ask", NULL};
    struct vt *vt = vt_start(10, 40, argv, NULL);
    vt_mute(vt);
    assert_true(vt_wait_text(vt, "frame 0"));
    assert_true(vt_wait_bytes(vt, "\033[?2026l"));
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_true(vt_type_read(vt, pieces[i]));
    assert_true(vt_wait_text(vt, "background light"));
    assert_true(vt_settle(vt));
    assert_true(vt_contains(vt, "background light"));           /* no key came behind it */
    vt_stop(vt);
}

static void a_theme_that_was_asked_for_stays(void **state)
{
    (void)state;
    static const char *const more[] = {"--theme", "dark", NULL};
    struct vt *vt = begin(more, NULL);
    vt_background(vt, white);
    assert_theme(vt, "dark");
    assert_false(sent(vt, "\033]11"));
    quit(vt);
    char env[300];
    snprintf(env, sizeof env, "XDG_CONFIG_HOME=%s", scratch);
    scratch_text("posviz/config", "--theme dark\n");
    vt = begin(NULL, (const char *const[]){env, NULL});
    vt_background(vt, white);
    assert_theme(vt, "dark");
    quit(vt);
}

/* tmux and screen answer for a terminal that may be another tomorrow; the others know no questions. */
static void who_cannot_answer_is_not_asked(void **state)
{
    (void)state;
    static const char *const env[][4] = {{"TMUX=/x,1,0"}, {"TERM=screen-256color", "STY=1.pts"}, {"TERM=linux", "COLORTERM"},
                                         {"TERM=vt100", "COLORTERM"}, {"TERM=tmux-256color"}};
    for (size_t i = 0; i < sizeof env / sizeof *env; i++) {
        struct vt *vt = begin(NULL, env[i]);
        assert_true(vt_settle(vt));
        assert_false(sent(vt, "\033]11"));
        assert_false(sent(vt, ask_cursor));
        quit(vt);
    }
}

static void far_away_no_frame_is_drawn_in_the_wrong_colours(void **state)
{
    (void)state;
    struct vt *vt = begin(NULL, (const char *const[]){"SSH_CONNECTION=a b c d", NULL});
    char dark[32];
    uint32_t rgb = themes[0]->role[ROLE_TEXT].bg;
    snprintf(dark, sizeof dark, "48;2;%u;%u;%u", rgb >> 16, rgb >> 8 & 0xff, rgb & 0xff);
    vt_background(vt, white);
    assert_true(vt_wait_bytes(vt, ask_background));
    assert_theme(vt, "light");
    assert_false(sent(vt, dark));
    quit(vt);
}

/* ---- widths ------------------------------------------------------------------------------------------------- */

static void assert_nothing_ambiguous(const struct vt *vt)
{
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLS; x++)
            if (utf8_is_ambiguous(vt_cell(vt, y, x).ch))
                fail_msg("U+%04X at row %d, column %d", (unsigned)vt_cell(vt, y, x).ch, y, x);
}

/* The line beside the parameters stands in one column. */
static void assert_straight(struct vt *vt)
{
    int column = -1;
    for (int x = COLS / 2; x < COLS; x++)
        if (vt_cell(vt, 5, x).ch == '|')
            column = x;
    assert_true(column > 0);
    for (int y = 1; y < ROWS - 3; y++)              /* above the read-out and the line of keys */
        assert_int_equal(vt_cell(vt, y, column).ch, '|');
}

static void wide_glyphs_are_not_drawn(void **state)
{
    (void)state;
    struct vt *vt = begin(NULL, NULL);
    vt_wide(vt);
    assert_true(vt_wait_bytes(vt, ask_cursor));
    static const char *const keys[] = {"L", "\t", "\t", "\t", "\t", "\t", "\t", "?", "\033", "L", "/", "\033", ":similarity\r"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_true(vt_settle(vt));
        if (vt_cell(vt, ROWS - 1, 0).ch != ':')
            assert_nothing_ambiguous(vt);
        if (i < 2)
            assert_straight(vt);
        if (i == 1)
            assert_true(vt_contains(vt, "参数"));               /* of certain width */
        vt_type(vt, keys[i]);
    }
    assert_true(vt_settle(vt));
    int dots = 0;
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLS; x++)
            dots += vt_cell(vt, y, x).ch > 0x2800 && vt_cell(vt, y, x).ch < 0x2900;
    assert_true(dots > 20);
    quit(vt);
}

static void heat_stays_heat_where_glyphs_are_wide(void **state)
{
    (void)state;
    static const char *const two[] = {"--ambiguous", "2", NULL};
    struct vt *vt = begin(two, NULL);
    int heat = 0;
    assert_true(vt_settle(vt));
    assert_false(sent(vt, "▀"));
    for (int y = 2; y < ROWS - 3; y++)
        for (int x = 0; x < COLS; x++)
            heat += vt_cell(vt, y, x).ch == ' ' && vt_cell(vt, y, x).bg != (int32_t)themes[0]->role[ROLE_TEXT].bg;
    assert_true(heat > 300);
    assert_nothing_ambiguous(vt);
    quit(vt);
}

static void one_cell_is_believed(void **state)
{
    (void)state;
    static const char *const one[] = {"--ambiguous", "1", "--theme", "dark", NULL}, *const three[] = {"--ambiguous", "3", NULL};
    struct vt *vt = begin(one, NULL);
    assert_true(vt_settle(vt));
    assert_false(sent(vt, ask_cursor));
    assert_true(vt_contains(vt, "│"));
    quit(vt);
    vt = begin(NULL, NULL);                     /* asked: an ordinary terminal */
    assert_true(vt_wait_bytes(vt, ask_cursor));
    assert_true(vt_settle(vt));
    assert_true(vt_contains(vt, "│"));
    quit(vt);
    vt = begin(three, NULL);
    must_exit(vt, 2);
    assert_true(vt_contains(vt, "--ambiguous = 3: allowed are 1 and 2"));
    vt_stop(vt);
}

/* ---- colours that are asked for ------------------------------------------------------------------------------ */

static bool is_coloured(const struct vt *vt)
{
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < COLS; x++)
            if (vt_cell(vt, y, x).fg != VT_DEFAULT || vt_cell(vt, y, x).bg != VT_DEFAULT)
                return true;
    return false;
}

static void clicolor_stands_below_no_color(void **state)
{
    (void)state;
    static const struct { const char *env[4]; bool coloured; } cases[] = {
        {{"CLICOLOR=0"}, false}, {{"CLICOLOR=1"}, true}, {{"CLICOLOR_FORCE=1", "CLICOLOR=0"}, true}, {{"CLICOLOR_FORCE=0", "CLICOLOR=0"}, false},
        {{"CLICOLOR_FORCE=1", "NO_COLOR=1"}, false}, {{"CLICOLOR_FORCE=1", "TERM=vt100", "COLORTERM"}, true}, {{"TERM=vt100", "COLORTERM"}, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vt *vt = begin(NULL, cases[i].env);
        assert_true(vt_settle(vt));
        assert_int_equal(is_coloured(vt), cases[i].coloured);
        quit(vt);
    }
}

/* ---- painting anew ------------------------------------------------------------------------------------------- */

/* A half block can be drawn in two ways, and the colour of a blank is not seen. */
static struct vt_cell look(const struct vt *vt, int i)
{
    struct vt_cell c = vt_cell(vt, i / COLS, i % COLS);
    if (c.ch == 0x2584)
        c = (struct vt_cell){.ch = 0x2580, .fg = c.bg, .bg = c.fg};
    return (struct vt_cell){.ch = c.ch, .fg = c.ch == ' ' ? 0 : c.fg, .bg = c.bg, .bold = c.ch != ' ' && c.bold};
}

static void copy_screen(const struct vt *vt, struct vt_cell *out)
{
    for (int i = 0; i < ROWS * COLS; i++)
        out[i] = look(vt, i);
}

static bool same_screen(const struct vt *vt, const struct vt_cell *as)
{
    bool same = true;
    for (int i = 0; i < ROWS * COLS; i++) {
        struct vt_cell c = look(vt, i);
        same = same && c.ch == as[i].ch && c.fg == as[i].fg && c.bg == as[i].bg && c.bold == as[i].bold;
    }
    return same;
}

static void ctrl_l_removes_what_others_have_written(void **state)
{
    (void)state;
    static const char *const garbage[] = {
        "\033[3;9Hsomebody has logged in\r\n\033[41m\033[K\033[7mand says a lot\r\n\r\n", "\033[5;9r\033[?6h\033[4h\033[2J\033[?25hmore", "\033(0\016lqqqk"};
    static const char *const open[] = {"", "?", ":abc"};
    struct vt_cell *before = calloc(ROWS * COLS, sizeof *before);
    struct vt *vt = begin(NULL, NULL);
    assert_true(vt_settle(vt));
    for (size_t i = 0; i < 3; i++) {
        int y, x;
        type(vt, open[i]);
        copy_screen(vt, before);
        bool cursor = vt_cursor(vt, &y, &x);
        vt_scribble(vt, garbage[i]);
        assert_false(same_screen(vt, before));
        type(vt, "\014");
        assert_true(same_screen(vt, before));
        assert_int_equal(vt_cursor(vt, &y, &x), cursor);
        assert_true(!cursor || y == ROWS - 1);
        type(vt, "\033");
    }
    type(vt, "L");                             /* and the next frames stand where they should */
    type(vt, "L");
    vt_scribble(vt, garbage[0]);
    type(vt, ":redraw\r");
    assert_true(vt_contains(vt, "parameters"));
    assert_false(vt_contains(vt, "somebody"));
    quit(vt);
    free(before);
}

/* ---- mouse --------------------------------------------------------------------------------------------------- */

static void the_mouse_is_given_away_and_taken_back(void **state)
{
    (void)state;
    static const char *const without[] = {"--no-mouse", NULL};
    struct vt *vt = begin(without, NULL);
    assert_true(vt_settle(vt));
    assert_int_equal(vt_mouse_mode(vt), 0);
    type(vt, "M");
    assert_int_equal(vt_mouse_mode(vt), 3);
    assert_true(vt_contains(vt, "the mouse works in the program again"));
    type(vt, ":mouse\r");
    assert_int_equal(vt_mouse_mode(vt), 0);
    assert_true(vt_contains(vt, "M takes it back"));
    type(vt, "\014");                          /* a screen painted anew does not take it */
    assert_int_equal(vt_mouse_mode(vt), 0);
    type(vt, "M");
    quit(vt);
    vt = begin(NULL, (const char *const[]){"TERM=vt100", "COLORTERM", NULL});
    type(vt, "M");
    assert_true(vt_contains(vt, "reports no mouse"));
    quit(vt);
}

static char *chosen_parameter(struct vt *vt)
{
    for (int y = 0; y < ROWS; y++)
        if (strstr(vt_row(vt, y), "▸"))
            return strdup(strstr(vt_row(vt, y), "▸"));
    return strdup("");
}

/* Each word of the line of keys does what its key does. */
static void the_line_of_keys_can_be_clicked(void **state)
{
    (void)state;
    struct vt *vt = begin(NULL, NULL);
    assert_true(vt_settle(vt));
    static const struct { const char *word, *shows; } words[] = {
        {"help", "Each cell compares"}, {": command", "\033"}, {"/ find", "encoding"}, {"中文", "参数"}, {"English", "parameters"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        int y, x;
        click(vt, ROWS - 1, column_of(vt, ROWS - 1, words[i].word));
        if (*words[i].shows == '\033')
            assert_true(vt_cursor(vt, &y, &x));
        else
            assert_true(vt_contains(vt, words[i].shows));
        type(vt, "\033");
    }
    char *first = chosen_parameter(vt);
    click(vt, ROWS - 1, column_of(vt, ROWS - 1, "[ ]") + 2);
    char *next = chosen_parameter(vt);
    assert_string_not_equal(first, next);
    free(next);
    click(vt, ROWS - 1, column_of(vt, ROWS - 1, "[ ]"));
    next = chosen_parameter(vt);
    assert_string_equal(first, next);
    free(first);
    free(next);
    quit(vt);
}

static void what_the_finder_finds_can_be_clicked(void **state)
{
    (void)state;
    struct vt *vt = begin(NULL, NULL);
    assert_true(vt_settle(vt));
    type(vt, "/kerple");
    int y = 0;
    while (y < ROWS && !strstr(vt_row(vt, y), "encoding   kerple"))
        y++;
    assert_in_range(y, 2, ROWS - 3);
    click(vt, y, column_of(vt, y, "kerple"));
    assert_false(vt_contains(vt, "/ kerple"));
    assert_true(vt_contains(vt, "KERPLE"));
    type(vt, "/");
    click(vt, ROWS - 3, 2);                     /* beside it: closed, and nothing else happens */
    assert_true(vt_contains(vt, "KERPLE"));
    assert_true(vt_contains(vt, "▏similarity▕"));
    quit(vt);
}

/* Tabs that have no room are reached by the arrow at the end, one after the other, and back. */
static void tabs_out_of_sight_can_be_clicked(void **state)
{
    (void)state;
    struct vt *vt = session_start(24, 80, (const char *const[]){"--lang", "en", "table", NULL}, NULL);
    int clicks = 0;
    for (; strstr(vt_row(vt, 0), "›") && clicks < 30; clicks++)
        click(vt, 0, column_of(vt, 0, "›"));
    assert_in_range(clicks, 2, 29);
    assert_true(vt_contains(vt, "▏"));
    for (clicks = 0; strstr(vt_row(vt, 0), "‹") && clicks < 30; clicks++)
        click(vt, 0, column_of(vt, 0, "‹"));
    assert_in_range(clicks, 2, 29);
    quit(vt);
}

int main(int argc, char **argv)
{
    (void)argc;
    session_find(argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_theme_is_that_of_the_terminal),
        cmocka_unit_test(a_terminal_that_says_nothing_is_dark_and_answers_keys),
        cmocka_unit_test(a_late_answer_changes_nothing),
        cmocka_unit_test(an_answer_in_pieces_is_one_answer),
        cmocka_unit_test(a_theme_that_was_asked_for_stays),
        cmocka_unit_test(who_cannot_answer_is_not_asked),
        cmocka_unit_test(far_away_no_frame_is_drawn_in_the_wrong_colours),
        cmocka_unit_test(wide_glyphs_are_not_drawn),
        cmocka_unit_test(heat_stays_heat_where_glyphs_are_wide),
        cmocka_unit_test(one_cell_is_believed),
        cmocka_unit_test(clicolor_stands_below_no_color),
        cmocka_unit_test(ctrl_l_removes_what_others_have_written),
        cmocka_unit_test(the_mouse_is_given_away_and_taken_back),
        cmocka_unit_test(the_line_of_keys_can_be_clicked),
        cmocka_unit_test(what_the_finder_finds_can_be_clicked),
        cmocka_unit_test(tabs_out_of_sight_can_be_clicked),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
