/* The terminal, driven as a user's terminal drives it. If this fails: wrong colours or cut characters on the screen, a frozen or
 * torn display, keys that do something else, or a shell left without echo, cursor or mouse after the program ends. */
#include <signal.h>
#include <unistd.h>

#include "base/rng.h"
#include "canvas/canvas.h"
#include "session.h"

static struct vt *start(int rows, int cols, const char *const *env, const char *option, const char *value)
{
    const char *argv[] = {demo, "--test-sync", option, value, NULL};
    struct vt *vt = vt_start(rows, cols, argv, env);
    assert_true(vt_settle(vt));
    return vt;
}

static struct vt *start_plain(void)
{
    return start(10, 40, NULL, NULL, NULL);
}

static void leave(struct vt *vt)
{
    vt_type(vt, "q");
    must_exit(vt, 0);
    vt_stop(vt);
}

/* The value that the demo gives to a sample in the given row of samples. */
static int32_t expected(int sample_row, int col, int cols)
{
    double t = (double)(col - 2) / (cols - 3) + 0.25 * (sample_row & 1);
    t -= t >= 1 ? 1 : 0;
    int level = (int)(t * (HEAT_LEVELS - 1) + 0.5);
    return (int32_t)colormap_rgb(colormap_find("viridis"), (double)level / (HEAT_LEVELS - 1));
}

/* Colours. */

static void truecolor_halves_are_exact(void **state)
{
    (void)state;
    struct vt *vt = start_plain();
    for (int y = 3; y < 10; y++)
        for (int x = 2; x < 40; x++) {
            int32_t top, bottom;
            assert_true(vt_halves(vt, y, x, &top, &bottom));
            assert_int_equal(top, expected(2 * y, x, 40));
            assert_int_equal(bottom, expected(2 * y + 1, x, 40));
        }
    leave(vt);
}

static void text_has_the_colours_of_its_role(void **state)
{
    (void)state;
    struct vt *vt = start_plain();
    const struct theme *dark = themes[0];
    struct vt_cell c = vt_cell(vt, 0, 0);
    assert_int_equal(c.ch, 'd');
    assert_int_equal(c.fg, dark->role[ROLE_TITLE].fg);
    assert_int_equal(c.bg, dark->role[ROLE_TITLE].bg);
    assert_true(c.bold);
    c = vt_cell(vt, 1, 39);         /* nothing was written here: the theme's background */
    assert_int_equal(c.ch, ' ');
    assert_int_equal(c.bg, dark->role[ROLE_TEXT].bg);
    assert_false(vt_cell(vt, 1, 0).bold);
    leave(vt);
}

static void palette_colours_are_the_nearest(void **state)
{
    (void)state;
    const char *env[] = {"COLORTERM", NULL};
    struct vt *vt = start(10, 40, env, NULL, NULL);
    for (int x = 2; x < 40; x++) {
        int32_t top, bottom;
        assert_true(vt_halves(vt, 5, x, &top, &bottom));
        struct vt_cell c = vt_cell(vt, 5, x);
        assert_true(c.bg_index >= 16);
        int upper = c.ch == 0x2584 ? c.bg_index : c.ch == 0x2580 ? c.fg_index : c.bg_index;
        assert_int_equal(upper, color_to_256((uint32_t)expected(10, x, 40)));
    }
    leave(vt);
}

static void eight_colours_rise_in_shades(void **state)
{
    (void)state;
    const char *env[] = {"TERM=xterm", "COLORTERM", NULL};
    struct vt *vt = start(10, 40, env, NULL, NULL);
    static const uint32_t shades[] = {' ', 0x2591, 0x2592, 0x2593};
    for (int x = 2; x < 40; x++) {
        struct vt_cell c = vt_cell(vt, 4, x);
        bool shade = false;
        for (int i = 0; i < 4; i++)
            shade = shade || c.ch == shades[i];
        assert_true(shade);
        assert_in_range(c.bg_index, 0, 7);
    }
    assert_int_equal(vt_cell(vt, 1, 0).fg_index, 7);
    leave(vt);
}

static void sixteen_colours_when_asked(void **state)
{
    (void)state;
    struct vt *vt = start(10, 40, NULL, "--color", "16");
    assert_int_equal(vt_cell(vt, 2, 0).fg_index, 11);           /* the accent, a bright orange */
    assert_int_equal(vt_cell(vt, 2, 0).bg_index, 0);
    leave(vt);
}

static void assert_no_colour(const struct vt *vt, int rows, int cols)
{
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < cols; x++) {
            struct vt_cell c = vt_cell(vt, y, x);
            assert_int_equal(c.fg, VT_DEFAULT);
            assert_int_equal(c.bg, VT_DEFAULT);
        }
}

static void no_color_is_obeyed_with_all_glyphs(void **state)
{
    (void)state;
    const char *env[] = {"NO_COLOR=1", NULL};
    struct vt *vt = start(10, 40, env, NULL, NULL);
    assert_no_colour(vt, 10, 40);
    assert_int_equal(vt_cell(vt, 2, 0).ch, 0x4f4d);
    assert_non_null(strchr(" .:-=+*#%@", (int)vt_cell(vt, 5, 20).ch));
    leave(vt);
}

static void option_wins_over_no_color(void **state)
{
    (void)state;
    const char *env[] = {"NO_COLOR=1", NULL};
    struct vt *vt = start(10, 40, env, "--color", "truecolor");
    int32_t top, bottom;
    assert_true(vt_halves(vt, 5, 20, &top, &bottom));
    assert_int_equal(top, expected(10, 20, 40));
    leave(vt);
}

static void old_terminals_get_ascii(void **state)
{
    (void)state;
    const char *env[] = {"TERM=vt100", "COLORTERM", NULL};
    struct vt *vt = start(10, 40, env, NULL, NULL);
    assert_no_colour(vt, 10, 40);
    for (int y = 0; y < 10; y++)
        for (int x = 0; x < 40; x++)
            assert_in_range(vt_cell(vt, y, x).ch, ' ', '~');
    assert_int_equal(vt_cell(vt, 4, 0).ch, '/');                /* masked */
    assert_int_equal(vt_cell(vt, 4, 1).ch, '?');                /* no value */
    assert_int_equal(vt_mouse_mode(vt), 0);
    leave(vt);
}

static void linux_console_has_no_diagonals(void **state)
{
    (void)state;
    const char *env[] = {"TERM=linux", "COLORTERM", NULL};
    struct vt *vt = start(10, 40, env, NULL, NULL);
    assert_int_equal(vt_cell(vt, 4, 0).ch, '/');
    assert_in_range(vt_cell(vt, 4, 20).bg_index, 0, 7);
    leave(vt);
}

static void screen_gets_256_and_tmux_all(void **state)
{
    (void)state;
    const char *screen[] = {"TERM=screen-256color", "STY=1.pts", NULL}, *tmux[] = {"TERM=screen", "TMUX=/x,1,0", "COLORTERM", NULL};
    struct vt *vt = start(10, 40, screen, NULL, NULL);
    assert_true(vt_cell(vt, 5, 20).bg_index >= 16);
    leave(vt);
    vt = start(10, 40, tmux, NULL, NULL);
    int32_t top, bottom;
    assert_true(vt_halves(vt, 5, 20, &top, &bottom));
    assert_int_equal(top, expected(10, 20, 40));
    assert_int_equal(vt_cell(vt, 5, 20).bg_index, -1);
    leave(vt);
}

static void foreign_encoding_gets_ascii(void **state)
{
    (void)state;
    const char *env[] = {"LC_ALL=C", NULL};                     /* C names no encoding: UTF-8 is assumed */
    struct vt *vt = start(10, 40, env, NULL, NULL);
    assert_int_equal(vt_cell(vt, 2, 0).ch, 0x4f4d);
    leave(vt);
    vt = start(10, 40, NULL, "--ascii", NULL);
    assert_int_equal(vt_cell(vt, 2, 0).ch, '?');
    assert_int_equal(vt_cell(vt, 5, 20).ch, ' ');               /* heat is background alone */
    assert_true(vt_cell(vt, 5, 20).bg != VT_DEFAULT);
    leave(vt);
}

/* Terminals that cannot be used. */

static void refused(const char *term, const char *message)
{
    const char *argv[] = {demo, NULL}, *env[] = {term, "COLORTERM", NULL};
    struct vt *vt = vt_start(24, 120, argv, env);
    int status;
    assert_true(vt_wait_exit(vt, &status));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 2);
    assert_non_null(strstr(vt_row(vt, 0), message));
    assert_false(vt_alternate(vt));
    vt_stop(vt);
}

static void useless_terminals_are_named(void **state)
{
    (void)state;
    refused("TERM=dumb", "TERM = dumb: this terminal cannot move its cursor");
    refused("TERM=no-such-thing", "TERM = no-such-thing: no such terminal");
    refused("TERM", "TERM is not set");
}

static void likenesses_of_xterm_need_no_entry(void **state)
{
    (void)state;
    const char *env[] = {"TERM=foot-extra-unknown", "COLORTERM", NULL};
    struct vt *vt = start(10, 40, env, NULL, NULL);
    assert_true(vt_cell(vt, 5, 20).bg_index >= 16);
    leave(vt);
}

/* Keys and mouse. */

static void press_and_read(struct vt *vt, const char *key, const char *text)
{
    assert_true(vt_key(vt, key));
    assert_true(vt_settle(vt));
    assert_string_equal(vt_row(vt, 1), text);
}

static void keys_arrive_as_what_they_are(void **state)
{
    (void)state;
    static const struct { const char *key; unsigned code; } cases[] = {
        {"Up", 0x200001}, {"Left", 0x200003}, {"PageDown", 0x200006}, {"Home", 0x200007}, {"End", 0x200008},
        {"Backspace", 0x20000b}, {"BackTab", 0x20000c}, {"S-Up", 0x20000d}, {"S-Right", 0x200010}, {"F1", 0x200011},
        {"F5", 0x200015}, {"F12", 0x20001c}, {"Enter", 13}, {"Tab", 9}, {"Escape", 27}, {"C-a", 1}, {"x", 'x'}, {"你", 0x4f60},
        {"😀", 0x1f600},
    };
    struct vt *vt = start_plain();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        snprintf(text, sizeof text, "key %x", cases[i].code);
        press_and_read(vt, cases[i].key, text);
    }
    leave(vt);
}

static void character_in_two_pieces_arrives_whole(void **state)
{
    (void)state;
    struct vt *vt = start_plain();
    vt_type(vt, "\xe4");
    assert_true(vt_wait_text(vt, "none"));
    vt_type(vt, "\xbd\xa0");
    assert_true(vt_settle(vt));
    assert_string_equal(vt_row(vt, 1), "key 4f60");
    vt_type(vt, "\xff\xe4x");
    assert_true(vt_settle(vt));
    assert_string_equal(vt_row(vt, 1), "key 78");
    leave(vt);
}

static void unknown_sequences_are_no_keys(void **state)
{
    (void)state;
    struct vt *vt = start_plain();
    vt_type(vt, "\033[97;5u\033[?62;22c");          /* a key of an unknown protocol, an answer nobody asked for */
    assert_true(vt_settle(vt));
    assert_string_equal(vt_row(vt, 1), "none");
    vt_type(vt, "\033x");                           /* Alt-x is Escape, x */
    assert_true(vt_settle(vt));
    assert_string_equal(vt_row(vt, 1), "key 78");
    leave(vt);
}

static void any_bytes_are_survived(void **state)
{
    (void)state;
    struct vt *vt = start_plain();
    for (uint64_t i = 0; i < 60; i++) {
        char bytes[80];
        size_t n = 1 + rng_bits(11, 100 * i) % 78;
        for (uint64_t k = 0; k < n; k++) {
            static const char structure[] = "\033[<;:M~0O\302\344\360\277";
            uint64_t r = rng_bits(11, 100 * i + k + 1);
            bytes[k] = r & 1 ? structure[r / 2 % (sizeof structure - 1)] : (char)(1 + r / 2 % 255);
            if (strchr("\003\032\034qaf", bytes[k]))          /* which end the demo */
                bytes[k] = 'x';
        }
        bytes[n] = '\0';
        vt_type(vt, bytes);
        if (i % 5 == 0)
            assert_true(vt_settle(vt));
    }
    press_and_read(vt, "F5", "key 200015");
    leave(vt);
}

static void mouse_is_reported_in_cells(void **state)
{
    (void)state;
    struct vt *vt = start(10, 300, NULL, NULL, NULL);
    assert_int_equal(vt_mouse_mode(vt), 3);
    vt_mouse_move(vt, 4, 250);
    assert_true(vt_settle(vt));
    assert_string_equal(vt_row(vt, 1), "mouse 0 at 4,250 button 0");
    vt_mouse_button(vt, 1, true);
    assert_true(vt_settle(vt));
    assert_string_equal(vt_row(vt, 1), "mouse 1 at 4,250 button 1");
    vt_mouse_move(vt, 5, 260);
    assert_true(vt_settle(vt));
    assert_string_equal(vt_row(vt, 1), "mouse 3 at 5,260 button 1");
    vt_mouse_button(vt, 1, false);
    assert_true(vt_settle(vt));
    assert_string_equal(vt_row(vt, 1), "mouse 2 at 5,260 button 1");
    vt_mouse_button(vt, 5, true);
    assert_true(vt_settle(vt));
    assert_string_equal(vt_row(vt, 1), "mouse 5 at 5,260 button 0");
    vt_type(vt, "\033[<0;;M\033[<99999999999;1;1M\033[<1;2M\033[<");       /* damaged reports are nothing */
    vt_type(vt, "0;3;2M");
    assert_true(vt_settle(vt));
    assert_string_equal(vt_row(vt, 1), "mouse 1 at 1,2 button 1");
    leave(vt);
}

static void far_away_the_mouse_reports_less(void **state)
{
    (void)state;
    const char *env[] = {"SSH_CONNECTION=a b c d", NULL};
    struct vt *vt = start(10, 40, env, NULL, NULL);
    assert_int_equal(vt_mouse_mode(vt), 2);
    leave(vt);
}

/* Cells. */

static void wide_characters_stop_at_the_edge(void **state)
{
    (void)state;
    struct vt *vt = start(10, 41, NULL, NULL, NULL);
    assert_int_equal(vt_cell(vt, 2, 38).ch, 0x4f4d);
    assert_int_equal(vt_cell(vt, 2, 40).ch, ' ');               /* half a character has no room */
    vt_type(vt, "n");                                           /* the row moves by half a character */
    assert_true(vt_settle(vt));
    assert_int_equal(vt_cell(vt, 2, 0).ch, ' ');
    assert_int_equal(vt_cell(vt, 2, 1).ch, 0x4f4d);
    assert_int_equal(vt_cell(vt, 2, 39).ch, 0x4f4d);
    leave(vt);
}

static void frames_after_the_first_show_the_same_as_a_first_one(void **state)
{
    (void)state;
    struct vt *vt = start_plain(), *fresh;
    for (int i = 0; i < 7; i++)
        vt_type(vt, "n");
    assert_true(vt_settle(vt));
    fresh = start_plain();
    vt_type(fresh, "nnnnnnn");
    vt_resize(fresh, 11, 41);                                   /* repaints everything */
    assert_true(vt_settle(fresh));
    vt_resize(fresh, 10, 40);
    assert_true(vt_settle(fresh));
    for (int y = 0; y < 10; y++)
        for (int x = 0; x < 40; x++) {
            struct vt_cell a = vt_cell(vt, y, x), b = vt_cell(fresh, y, x);
            int32_t top[2], bottom[2];
            if (vt_halves(vt, y, x, &top[0], &bottom[0])) {
                assert_true(vt_halves(fresh, y, x, &top[1], &bottom[1]));
                assert_int_equal(top[0], top[1]);
                assert_int_equal(bottom[0], bottom[1]);
            } else if (a.ch || b.ch) {
                assert_int_equal(a.ch, b.ch);
                assert_int_equal(a.fg, b.fg);
                assert_int_equal(a.bg, b.bg);
            }
        }
    leave(vt);
    leave(fresh);
}

static void cursor_is_shown_where_asked(void **state)
{
    (void)state;
    struct vt *vt = start_plain();
    int y, x;
    assert_false(vt_cursor(vt, &y, &x));
    vt_type(vt, "c");
    assert_true(vt_settle(vt));
    assert_true(vt_cursor(vt, &y, &x));
    assert_int_equal(y, 0);
    assert_int_equal(x, 5);
    vt_type(vt, "n");
    assert_true(vt_settle(vt));
    assert_true(vt_cursor(vt, &y, &x));
    assert_int_equal(x, 5);
    leave(vt);
}

/* Frames. */

static size_t count(const char *bytes, size_t n, const char *what)
{
    size_t found = 0;
    for (size_t i = 0; i + strlen(what) <= n; i++)
        found += memcmp(bytes + i, what, strlen(what)) == 0;
    return found;
}

static void a_frame_is_one_write_between_marks(void **state)
{
    (void)state;
    struct vt *vt = start(6, 30, NULL, NULL, NULL);             /* far below the 8 KiB that the kernel takes at once */
    size_t n;
    long before = vt_writes(vt);
    vt_forget(vt);
    for (int i = 0; i < 10; i++) {
        vt_type(vt, "n");
        assert_true(vt_settle(vt));
    }
    const char *bytes = vt_bytes(vt, &n);
    assert_memory_equal(bytes, "\033[?2026h", 8);
    assert_int_equal(count(bytes, n, "\033[?2026h"), 10);
    assert_int_equal(count(bytes, n, "\033[?2026l"), 10);
    if (before >= 0)                                            /* frames and answers; one may be counted late */
        assert_in_range(vt_writes(vt) - before, 19, 21);
    leave(vt);
}

static void an_unchanged_picture_costs_nothing(void **state)
{
    (void)state;
    struct vt *vt = start_plain();
    size_t n;
    vt_type(vt, "x");
    assert_true(vt_settle(vt));
    vt_forget(vt);
    vt_type(vt, "x");
    assert_true(vt_settle(vt));
    vt_bytes(vt, &n);
    assert_true(n < 40);                                        /* the answer to the ping alone */
    leave(vt);
}

static void a_changed_word_costs_little(void **state)
{
    (void)state;
    struct vt *vt = start(60, 200, NULL, NULL, NULL);
    size_t n;
    vt_type(vt, "x");
    assert_true(vt_settle(vt));
    vt_forget(vt);
    vt_type(vt, "y");                                           /* key 78 -> key 79 */
    assert_true(vt_settle(vt));
    vt_bytes(vt, &n);
    assert_true(n < 100);
    leave(vt);
}

static void a_frame_of_noise_stays_within_its_bytes(void **state)
{
    (void)state;
    struct vt *vt = start(60, 200, NULL, "--noise", NULL);
    size_t n;
    vt_forget(vt);
    vt_type(vt, "n");
    assert_true(vt_settle(vt));
    vt_bytes(vt, &n);
    assert_true(n > 300000);                                    /* it is noise */
    assert_true(n < 460000);
    for (int x = 0; x < 200; x += 37) {
        int32_t top, bottom;
        double t = rng_uniform(1, (uint64_t)(2 * 30 * 200 + x));
        assert_true(vt_halves(vt, 30, x, &top, &bottom));
        assert_int_equal(top, colormap_rgb(colormap_find("viridis"), (double)(int)(t * 63 + 0.5) / 63));
    }
    leave(vt);
}

static void a_slow_reader_sees_the_newest_frame(void **state)
{
    (void)state;
    struct vt *vt = start(60, 200, NULL, "--noise", NULL);
    size_t n;
    vt_forget(vt);
    for (int i = 0; i < 50; i++)
        vt_type(vt, "n");                                       /* nothing is read meanwhile */
    assert_true(vt_settle(vt));
    assert_non_null(strstr(vt_row(vt, 0), "frame 50"));
    vt_bytes(vt, &n);
    assert_true(n < 25 * 440000);                               /* far from fifty frames were sent */
    leave(vt);
}

static void a_terminal_that_never_reads_does_not_hold_the_end(void **state)
{
    (void)state;
    struct vt *vt = start(60, 200, NULL, "--noise", NULL);
    int status;
    for (int i = 0; i < 20; i++)
        vt_type(vt, "n");
    vt_type(vt, "q");
    /* Waits for the end without reading a byte. */
    pid_t pid = vt_pid(vt);
    assert_int_equal(waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
    assert_true(vt_wait_exit(vt, &status));
    assert_true(WIFEXITED(status));
    assert_false(vt_alternate(vt));
    vt_stop(vt);
}

/* Sizes. */

static void one_cell_is_survived(void **state)
{
    (void)state;
    struct vt *vt = start(1, 1, NULL, NULL, NULL);
    assert_int_equal(vt_cell(vt, 0, 0).ch, 0x2026);
    vt_resize(vt, 24, 80);
    assert_true(vt_settle(vt));
    assert_string_equal(vt_row(vt, 0), "demo 80x24 frame 0");
    leave(vt);
}

static void storms_of_sizes_end_in_the_right_picture(void **state)
{
    (void)state;
    struct vt *vt = start_plain();
    for (uint64_t i = 0; i < 60; i++) {
        int rows = 1 + (int)(120 * rng_uniform(5, 2 * i)), cols = 1 + (int)(400 * rng_uniform(5, 2 * i + 1));
        vt_resize(vt, rows, cols);
        if (i % 3 == 0)
            vt_type(vt, "n");
        if (i % 7)
            continue;                                           /* several on the way at once */
        assert_true(vt_settle(vt));
        for (int x = 2; x < cols && rows > 5; x += 13) {
            int32_t top, bottom;
            assert_true(vt_halves(vt, 4, x, &top, &bottom));
            assert_true(top != VT_DEFAULT);
        }
    }
    vt_resize(vt, 7, 33);
    assert_true(vt_settle(vt));
    assert_string_equal(vt_row(vt, 0), "demo 33x7 frame 20");
    leave(vt);
}

/* Ends. */

static void ends(const char *keys, int sig, bool by_signal, int code)
{
    struct vt *vt = start_plain();
    int status;
    assert_true(vt_alternate(vt));
    if (keys)
        vt_type(vt, keys);
    if (sig)
        vt_signal(vt, sig);
    assert_true(vt_wait_exit(vt, &status));
    assert_int_equal(WIFSIGNALED(status), by_signal);
    assert_int_equal(by_signal ? WTERMSIG(status) : WEXITSTATUS(status), code);
    assert_restored(vt);
    vt_stop(vt);
}

static void every_end_restores_the_terminal(void **state)
{
    (void)state;
    ends("q", 0, false, 0);
    ends("\003", 0, false, 0);                                  /* Ctrl-C */
    ends(NULL, SIGTERM, false, 0);
    ends(NULL, SIGHUP, false, 0);
    ends("a", 0, true, SIGABRT);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)          /* which catch faults themselves */
    ends("f", 0, true, SIGSEGV);
#endif
}

static void a_closed_terminal_ends_the_program(void **state)
{
    (void)state;
    struct vt *vt = start_plain();
    int status;
    vt_hang_up(vt);
    assert_true(vt_wait_exit(vt, &status));
    assert_true(WIFEXITED(status) || WTERMSIG(status) == SIGHUP);
    vt_stop(vt);
}

/* As under a shell: Ctrl-Z stops the program, fg brings it back. */
static void stopped_and_continued_under_a_shell(void **state)
{
    (void)state;
    struct vt *vt = shell_start(12, 60);
    struct termios modes;
    vt_type(vt, demo);
    vt_type(vt, " --test-sync\r");
    assert_true(vt_wait_text(vt, "demo 60x12 frame 0"));
    vt_type(vt, "n");
    assert_true(vt_settle(vt));
    shell_suspend(vt);
    vt_type(vt, "fg\r");
    assert_true(vt_wait_text(vt, "demo 60x12 frame 1"));
    assert_true(vt_settle(vt));
    assert_true(vt_alternate(vt));
    assert_int_equal(vt_mouse_mode(vt), 3);
    int32_t top, bottom;
    assert_true(vt_halves(vt, 8, 30, &top, &bottom));
    assert_true(top != VT_DEFAULT);
    vt_termios(vt, &modes);
    assert_false(modes.c_lflag & ICANON);
    vt_type(vt, "q");
    assert_true(vt_wait_text(vt, "demo: over"));
    assert_restored(vt);
    vt_stop(vt);
}

/* Nobody can continue what its shell has left behind, so the kernel does not stop it. */
static void an_orphan_is_not_stopped(void **state)
{
    (void)state;
    struct vt *vt = start_plain();
    vt_forget(vt);
    vt_type(vt, "\032");
    assert_true(vt_wait_bytes(vt, "\033[?1049h"));              /* left, and taken again */
    assert_true(vt_settle(vt));
    assert_true(vt_alternate(vt));
    assert_string_equal(vt_row(vt, 0), "demo 40x10 frame 0");
    leave(vt);
}

int main(int argc, char **argv)
{
    (void)argc;
    session_find(argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truecolor_halves_are_exact),
        cmocka_unit_test(text_has_the_colours_of_its_role),
        cmocka_unit_test(palette_colours_are_the_nearest),
        cmocka_unit_test(eight_colours_rise_in_shades),
        cmocka_unit_test(sixteen_colours_when_asked),
        cmocka_unit_test(no_color_is_obeyed_with_all_glyphs),
        cmocka_unit_test(option_wins_over_no_color),
        cmocka_unit_test(old_terminals_get_ascii),
        cmocka_unit_test(linux_console_has_no_diagonals),
        cmocka_unit_test(screen_gets_256_and_tmux_all),
        cmocka_unit_test(foreign_encoding_gets_ascii),
        cmocka_unit_test(useless_terminals_are_named),
        cmocka_unit_test(likenesses_of_xterm_need_no_entry),
        cmocka_unit_test(keys_arrive_as_what_they_are),
        cmocka_unit_test(character_in_two_pieces_arrives_whole),
        cmocka_unit_test(unknown_sequences_are_no_keys),
        cmocka_unit_test(any_bytes_are_survived),
        cmocka_unit_test(mouse_is_reported_in_cells),
        cmocka_unit_test(far_away_the_mouse_reports_less),
        cmocka_unit_test(wide_characters_stop_at_the_edge),
        cmocka_unit_test(frames_after_the_first_show_the_same_as_a_first_one),
        cmocka_unit_test(cursor_is_shown_where_asked),
        cmocka_unit_test(a_frame_is_one_write_between_marks),
        cmocka_unit_test(an_unchanged_picture_costs_nothing),
        cmocka_unit_test(a_changed_word_costs_little),
        cmocka_unit_test(a_frame_of_noise_stays_within_its_bytes),
        cmocka_unit_test(a_slow_reader_sees_the_newest_frame),
        cmocka_unit_test(a_terminal_that_never_reads_does_not_hold_the_end),
        cmocka_unit_test(one_cell_is_survived),
        cmocka_unit_test(storms_of_sizes_end_in_the_right_picture),
        cmocka_unit_test(every_end_restores_the_terminal),
        cmocka_unit_test(a_closed_terminal_ends_the_program),
        cmocka_unit_test(stopped_and_continued_under_a_shell),
        cmocka_unit_test(an_orphan_is_not_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
