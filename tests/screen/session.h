/* session.h - one user's session with posviz in a terminal in memory (vt.h): started, typed to, looked at, quit. What every screen test does.
 *
 * main calls session_find(argv[0]) first. A test starts with session_start, acts with type and press, and ends with quit. */
#ifndef POSVIZ_TESTS_SESSION_H
#define POSVIZ_TESTS_SESSION_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/utf8.h"
#include "vt.h"

static char posviz[4096];           /* the program under test: $POSVIZ, or what is built beside the tests */
static char demo[4096];             /* the program that is a terminal's client and nothing else */

/* Absolute, so that a test may change its folder. */
static inline void session_find(const char *self)
{
    char here[4096], path[4200];
    const char *given = getenv("POSVIZ");
    snprintf(here, sizeof here, "%s", self);
    const char *folder = dirname(here);
    snprintf(path, sizeof path, given && *given ? "%s" : "%s/../../posviz", given && *given ? given : folder);
    if (!realpath(path, posviz)) {
        fprintf(stderr, "there is no %s\n", path);
        abort();
    }
    snprintf(path, sizeof path, "%s/demo/demo", folder);
    if (!realpath(path, demo))
        *demo = '\0';
}

/* A picture that takes many minutes on any machine: one thread, and each query against all keys before it. */
static const char *const session_heavy[] = {"--lang", "en", "attention", "-e", "rope", "-s", "n=400000", "-s", "content=seeded",
                                            "-s", "head_dim=128", "--threads", "1", NULL};

/* posviz --test-sync --test-clock and these words, ending with NULL; env as for vt_start. Nothing is waited for. */
static inline struct vt *session_open(int rows, int cols, const char *const *words, const char *const *env)
{
    const char *argv[32] = {posviz, "--test-sync", "--test-clock"};
    for (int i = 3; words && *words; words++) {
        assert_true(i < 31);
        argv[i++] = *words;
    }
    return vt_start(rows, cols, argv, env);
}

/* The same, up to its first settled picture. */
static inline struct vt *session_start(int rows, int cols, const char *const *words, const char *const *env)
{
    struct vt *vt = session_open(rows, cols, words, env);
    assert_true(vt_settle(vt));
    return vt;
}

/* Characters, and what they did. */
static inline void type(struct vt *vt, const char *text)
{
    vt_type(vt, text);
    assert_true(vt_settle(vt));
}

/* A key by its name (vt_key), and what it did. */
static inline void press(struct vt *vt, const char *key)
{
    assert_true(vt_key(vt, key));
    assert_true(vt_settle(vt));
}

/* Fails with the whole screen if the text is not in one of its rows. */
static inline void must_show(struct vt *vt, const char *text)
{
    int rows, cols;
    if (vt_contains(vt, text))
        return;
    vt_size(vt, &rows, &cols);
    for (int y = 0; y < rows; y++)
        print_error("%s\n", vt_row(vt, y));
    fail_msg("\"%s\" is not on the screen", text);
}

/* The cell in which a text begins that stands in this row. */
static inline int column_of(struct vt *vt, int y, const char *text)
{
    const char *row = vt_row(vt, y), *at = strstr(row, text);
    int x = 0;
    if (!at)
        fail_msg("\"%s\" is not in row %d: %s", text, y, row);
    for (const char *p = row; p < at; x += utf8_char_width(utf8_next(&p)))
        ;
    return x;
}

static inline void click(struct vt *vt, int y, int x)
{
    vt_mouse_move(vt, y, x);
    vt_mouse_button(vt, 1, true);
    vt_mouse_button(vt, 1, false);
    assert_true(vt_settle(vt));
}

/* Waits for the end of the program, which must be this exit status. */
static inline void must_exit(struct vt *vt, int code)
{
    int status;
    assert_true(vt_wait_exit(vt, &status));
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), code);
    assert_false(vt_alternate(vt));
}

static inline void quit(struct vt *vt)
{
    vt_type(vt, "Q");
    must_exit(vt, 0);
    vt_stop(vt);
}

/* What the shell does not get back as it gave it, or NULL. modes: those of the line as well. */
static inline const char *not_restored(const struct vt *vt, bool modes)
{
    int y, x;
    struct termios t;
    vt_termios(vt, &t);
    return vt_alternate(vt) ? "the screen" : vt_mouse_mode(vt) ? "the mouse" : !vt_cursor(vt, &y, &x) ? "the cursor" : !modes ? NULL
           : !(t.c_lflag & ICANON) ? "whole lines" : !(t.c_lflag & ECHO) ? "echo" : !(t.c_iflag & ICRNL) ? "Enter" : NULL;
}

/* After the end; or while the program is stopped under a shell, which has modes of its own. */
static inline void assert_restored(const struct vt *vt)
{
    const char *what = not_restored(vt, vt_pid(vt) == 0);
    if (what)
        fail_msg("not given back: %s", what);
}

/* An interactive shell, at its prompt. */
static inline struct vt *shell_start(int rows, int cols)
{
    const char *argv[] = {"bash", "--norc", "--noprofile", "-i", NULL}, *env[] = {"PS1=ready> ", "HISTFILE", NULL};
    struct vt *vt = vt_start(rows, cols, argv, env);
    assert_true(vt_wait_text(vt, "ready>"));
    return vt;
}

/* Ctrl-Z: the program in the shell stops, and the terminal is the shell's. */
static inline void shell_suspend(struct vt *vt)
{
    vt_type(vt, "\032");
    assert_true(vt_wait_text(vt, "Stopped"));
    assert_true(vt_wait_text(vt, "ready>"));
    assert_restored(vt);
}

#endif
