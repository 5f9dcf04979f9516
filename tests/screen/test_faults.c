/* What goes wrong around a screen: sizes that no window has, libraries that talk, memory that ends, names that hold control characters, places
 * that cannot be written, terminals that nobody knows, a model file that comes and goes. If this fails: a crash, a torn or garbled picture, or a
 * terminal that a file name has taken over. */
#include "session.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../support/files.h"
#include "base/rng.h"

static const char *const alibi[] = {"--lang", "en", "similarity", "-e", "alibi", "-s", "n=64", NULL};

static bool sent(const struct vt *vt, const char *bytes)
{
    size_t n;
    const char *all = vt_bytes(vt, &n);
    return n && memmem(all, n, bytes, strlen(bytes)) != NULL;
}

/* ---- sizes -------------------------------------------------------------------------------------------------------- */

static void sizes_that_no_window_has(void **state)
{
    (void)state;
    static const struct { unsigned short rows, cols; } sizes[] = {{0, 0}, {1, 65535}, {65535, 1}, {1, 0}, {0, 1}, {65535, 65535}, {1, 1}, {2, 1}, {1, 2}};
    struct vt *vt = session_start(24, 100, alibi, NULL);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        assert_true(vt_tell_size(vt, sizes[i].rows, sizes[i].cols));
    vt_resize(vt, 24, 100);
    type(vt, ":redraw\r");
    press(vt, "C-l");
    must_show(vt, "▏similarity▕");
    must_show(vt, "parameters");
    quit(vt);
}

/* With each thing open, many sizes on their way at once. */
static void storms_of_sizes_with_anything_open(void **state)
{
    (void)state;
    static const struct { const char *keys, *shows; } cases[] = {
        {":n=12", ":n=12"}, {"/kerple", "/ kerple"}, {"?", "Each cell compares"}, {"\"", "keep this screen as"}, {":tour\r", "learn the keys"},
        {"1", "Why position at all"}, {":wizard\r", "▏wizard▕"}, {":guide\r", "▏guide▕"}, {":cost\r", "▏cost▕"},
    };
    struct vt *vt = session_start(24, 100, alibi, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        type(vt, cases[i].keys);
        for (uint64_t k = 0; k < 25; k++) {
            vt_resize(vt, 1 + (int)(rng_bits(3, 100 * i + 2 * k) % 50), 1 + (int)(rng_bits(3, 100 * i + 2 * k + 1) % 160));
            if (k % 6 == 0)
                assert_true(vt_settle(vt));
        }
        vt_resize(vt, 1, 1);
        assert_true(vt_settle(vt));
        vt_resize(vt, 24, 100);
        assert_true(vt_settle(vt));
        must_show(vt, cases[i].shows);
        press(vt, "Escape");
    }
    quit(vt);
}

/* ---- libraries ------------------------------------------------------------------------------------------------------ */

static void talk_into(const struct vt *vt, int fd, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", vt_pid(vt), fd);
    int out = open(path, O_WRONLY | O_APPEND);
    assert_true(out >= 0);
    assert_int_equal(write(out, text, strlen(text)), (ssize_t)strlen(text));
    close(out);
}

/* Whatever is written to the program's standard output and error comes after the picture, not into it. */
static void what_libraries_write_is_kept(void **state)
{
    (void)state;
    struct vt *vt = session_start(24, 100, alibi, NULL);
    vt_forget(vt);
    talk_into(vt, 2, "OpenBLAS warning: GARBAGE\n");
    talk_into(vt, 1, "a library prints NOISE\n");
    type(vt, ":n=32\r");
    assert_false(sent(vt, "GARBAGE") || sent(vt, "NOISE"));
    vt_type(vt, "Q");
    must_exit(vt, 0);
    must_show(vt, "OpenBLAS warning: GARBAGE");
    must_show(vt, "a library prints NOISE");
    assert_restored(vt);
    vt_stop(vt);
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)             /* which need more than any limit */
static void memory_that_ends_is_said(void **state)
{
    (void)state;
    static const char *const big[] = {":attention\r:n=400000\r:content=seeded\r", ":table\r:n=10000000\r", ":export big.png\r"};
    for (size_t i = 0; i < sizeof big / sizeof *big; i++) {
        struct vt *vt = session_start(24, 100, alibi, NULL);
        struct rlimit limit = {.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
        int status;
        assert_int_equal(prlimit(vt_pid(vt), RLIMIT_AS, &limit, NULL), 0);
        vt_type(vt, big[i]);
        vt_type(vt, "++++");
        vt_resize(vt, 60, 250);
        vt_type(vt, "?");
        if (vt_settle(vt))                      /* it had what it needed, or said that a picture needs more */
            vt_type(vt, "Q");
        assert_true(vt_wait_exit(vt, &status));
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) != 0)
            must_show(vt, "out of memory");
        assert_restored(vt);
        vt_stop(vt);
    }
}
#endif

/* ---- names ------------------------------------------------------------------------------------------------------------ */

static void write_model(const char *name, const char *type)
{
    char text[1024];
    snprintf(text, sizeof text, "{\"model_type\": \"%s\", \"hidden_size\": 512, \"num_attention_heads\": 8, \"num_hidden_layers\": 4,"
                                " \"max_position_embeddings\": 2048, \"rope_theta\": 10000.0}", type);
    scratch_text(name, text);
}

/* Does a sequence stand there that only a name can have brought? */
static bool taken_over(const struct vt *vt)
{
    static const char *const raw[] = {"\033]0;", "\033]2;", "\033]52;c;!", "\033[31mX", "\a!", "\302\233", "\302\235", "\342\200\256", "\342\201\246", "\033P"};
    bool found = false;
    for (size_t i = 0; i < sizeof raw / sizeof *raw; i++)
        found = found || sent(vt, raw[i]);
    return found;
}

/* As the name of a file and as the text in it; on the screen, in the clipboard, in the command on leaving, and inside tmux. */
static void names_take_no_terminal_over(void **state)
{
    (void)state;
    static const char name[] = "a\033]0;T\a!\033]52;c;!\a\033[31mX\302\233\302\235\342\200\256\342\201\246\nb.json",
                      text[] = "a\\u001b]0;T\\u0007!\\u001b[31mX\\u009b\\u009d\\u202e\\u2066\\nb\\u001bPtmux;";
    static const char *const outside[] = {NULL}, *const inside[] = {"TMUX=/nowhere,1,0", "PATH=/nonexistent", NULL}, *const *const env[] = {outside, inside};
    write_model(name, text);
    for (size_t i = 0; i < 2; i++) {
        const char *const words[] = {"--lang", "en", "--print-command", "-m", scratch_path(name), NULL};
        struct vt *vt = session_start(30, 120, words, env[i]);
        static const char *const lines[] = {":copy command\r", ":copy finding\r", ":command\r", ":spectrum\r", ":copy command\r", "Y", "y", ":no such\r"};
        for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
            type(vt, lines[k]);
        vt_type(vt, "Q");
        must_exit(vt, 0);
        assert_false(taken_over(vt));
        must_show(vt, "posviz");
        vt_stop(vt);
    }
}

static size_t from_base64(const char *text, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = 0;
    unsigned bits = 0, have = 0;
    for (const char *at; *text && *text != '=' && (at = strchr(digits, *text)); text++) {
        bits = bits << 6 | (unsigned)(at - digits);
        have += 6;
        if (have >= 8)
            out[n++] = (char)(bits >> (have -= 8) & 0xff);
    }
    out[n] = '\0';
    return n;
}

/* What is pasted from the clipboard does nothing to the terminal where it is pasted, and is no longer than terminals take. */
static void the_clipboard_is_harmless(void **state)
{
    (void)state;
    static char text[100000];
    write_model("c\033[2J\a\302\233d.json", "llama\\u001b[2J");
    const char *const words[] = {"--lang", "en", "-m", scratch_path("c\033[2J\a\302\233d.json"), NULL};
    struct vt *vt = session_start(30, 120, words, NULL);
    static const char *const what[] = {":copy command\r", ":copy finding\r"};
    for (size_t i = 0; i < 2; i++) {
        size_t n;
        vt_forget(vt);
        type(vt, what[i]);
        vt_bytes(vt, &n);
        char *bytes = calloc(n + 1, 1);
        memcpy(bytes, vt_bytes(vt, &n), n);
        char *start = strstr(bytes, "\033]52;c;"), *end = start ? strchr(start, '\a') : NULL;
        if (!end)
            must_show(vt, "OSC");
        assert_in_range(end - start, 1, 74994 / 3 * 4 + 16);
        from_base64(start + 7, text);
        assert_non_null(strstr(text, "c?[2J??d.json"));
        for (const char *p = text; *p; p++)
            assert_true(*p == '\n' || *p == '\t' || (unsigned char)*p >= ' ');
        free(bytes);
    }
    quit(vt);
}

/* Names of wide characters, marks and joined emoji, cut at each column: the border of the panel stays straight. */
static void names_of_any_width_are_cut_cleanly(void **state)
{
    (void)state;
    static const char name[] = "位置编码e\xcc\x81\xcc\x81한국어👨\xe2\x80\x8d👩\xe2\x80\x8d👧ｱ位置编码位置编码位置编码位置编码";
    char file[300];
    snprintf(file, sizeof file, "%s.json", name);
    write_model(file, name);
    const char *const words[] = {"--lang", "zh", "spectrum", "-m", scratch_path(file), NULL};
    struct vt *vt = session_start(24, 100, words, NULL);
    for (int cols = 100; cols < 112; cols++) {
        vt_resize(vt, 24, cols);
        assert_true(vt_settle(vt));
        int border = column_of(vt, 2, "│ 频谱");
        for (int y = 1; y < 21; y++)
            if (vt_cell(vt, y, border).ch != 0x2502)
                fail_msg("%d columns, row %d: %s", cols, y, vt_row(vt, y));
    }
    quit(vt);
}

/* ---- places ----------------------------------------------------------------------------------------------------------- */

static void any_home_is_good_enough(void **state)
{
    (void)state;
    char file[700], folder[700], cut[700], missing[700], homeless[700];
    scratch_text("file", "");
    scratch_text("folder/posviz/last.json/x", "");
    scratch_text("cut/posviz/last.json", "{\"schema\": 1, \"vi");
    snprintf(file, sizeof file, "XDG_STATE_HOME=%s", scratch_path("file"));
    snprintf(folder, sizeof folder, "XDG_STATE_HOME=%s", scratch_path("folder"));
    snprintf(cut, sizeof cut, "XDG_STATE_HOME=%s", scratch_path("cut"));
    snprintf(missing, sizeof missing, "XDG_STATE_HOME=%s", scratch_path("no/such/folder"));
    snprintf(homeless, sizeof homeless, "HOME=%s", scratch_path("homeless"));
    const char *const cases[][4] = {{file}, {folder}, {cut}, {missing}, {"HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"},
                                    {"HOME=/proc", "XDG_STATE_HOME", "XDG_CONFIG_HOME"}, {homeless, "XDG_STATE_HOME"}, {"TMPDIR=/nonexistent"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vt *vt = session_start(24, 100, alibi, cases[i]);
        must_show(vt, "▏similarity▕");
        quit(vt);
    }
    assert_int_equal(access(scratch_path("folder/posviz/last.json/x"), F_OK), 0);
    assert_int_equal(access(scratch_path("no/such/folder/posviz/last.json"), F_OK), 0);
    assert_int_equal(access(scratch_path("homeless"), F_OK), -1);       /* who has no home gets none */
    const char *const resume[] = {"--lang", "en", "--resume", NULL}, *const env[] = {cut, NULL};
    struct vt *vt = session_start(24, 100, resume, env);                 /* what was cut has been replaced */
    must_show(vt, "▏similarity▕");
    quit(vt);
}

/* Through a shell, which closes what it is told to; those that still have a screen quit by a key. */
/* As on a disk that is full: nothing that is written finds room. Says what the screen must show for each. */
static void write_all_to_a_full_disk(struct vt *vt, const char *const paths[3], const char *why)
{
    static const char *const words[] = {"export!", "export!", "save!"};
    for (size_t i = 0; i < 3; i++) {
        char line[700], said[700];
        snprintf(line, sizeof line, ":%s %s\r", words[i], paths[i]);
        snprintf(said, sizeof said, "cannot be written: %s", why);
        type(vt, line);
        must_show(vt, said);
        press(vt, "Escape");
    }
}

static bool holds(const char *path, const char *text)
{
    char was[100] = "";
    FILE *in = fopen(path, "r");
    bool same = in && fgets(was, sizeof was, in) && !strcmp(was, text);
    if (in)
        fclose(in);
    return same;
}

/* A limit of the size of files stands for a disk that fills up; what stood there stays, also the screen kept by the session before. */
static void a_full_disk_is_said_and_loses_nothing(void **state)
{
    (void)state;
    static const char *const names[] = {"a.csv", "b.json", "c.json"};
    char home[700], *path[3];
    for (size_t i = 0; i < 3; i++) {
        scratch_text(names[i], "old");
        path[i] = strdup(scratch_path(names[i]));
    }
    scratch_text("state/posviz/last.json", "old");
    snprintf(home, sizeof home, "XDG_STATE_HOME=%s", scratch_path("state"));
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){64, before.rlim_max};
    void (*was)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    struct vt *vt = session_start(24, 160, alibi, (const char *const []){home, NULL});
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, was);
    write_all_to_a_full_disk(vt, (const char *const *)path, "File too large");
    quit(vt);
    for (size_t i = 0; i < 3; i++) {
        assert_true(holds(path[i], "old"));
        free(path[i]);
    }
    assert_true(holds(scratch_path("state/posviz/last.json"), "old"));
}

/* A folder that nobody may write into, not even root. */
static void a_folder_without_room_is_said(void **state)
{
    (void)state;
    struct vt *vt = session_start(24, 160, alibi, (const char *const []){"XDG_STATE_HOME=/proc/1", NULL});
    static const char *const words[] = {":export /proc/a.csv\r", ":save /proc/b.json\r"};
    for (size_t i = 0; i < 2; i++) {
        type(vt, words[i]);
        must_show(vt, "cannot be written: ");
        press(vt, "Escape");
    }
    quit(vt);
}

static void descriptors_that_are_missing(void **state)
{
    (void)state;
    static const struct { const char *how; bool screen; int status; } cases[] = {
        {"2>&-", true, 0}, {"2>/dev/null", true, 0}, {"<&-", false, 0}, {"</dev/null", false, 0}, {">&-", false, 2}, {">/dev/full", false, 2},
        {">/dev/null", false, 0}, {"<&- 2>&-", false, 0}, {">&- 2>&-", false, 2}, {"<&- >&- 2>&-", false, 2}, {"< /dev/full > /dev/null 2>&-", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[200];
        snprintf(line, sizeof line, "exec \"$0\" --test-sync --test-clock --lang en similarity -e alibi -s n=64 %s", cases[i].how);
        const char *argv[] = {"/bin/sh", "-c", line, posviz, NULL};
        struct vt *vt = vt_start(24, 100, argv, NULL);
        if (cases[i].screen) {
            assert_true(vt_settle(vt));
            must_show(vt, "▏similarity▕");
            vt_type(vt, "Q");
        }
        must_exit(vt, cases[i].status);
        assert_restored(vt);
        vt_stop(vt);
    }
}

static void terminals_of_any_name(void **state)
{
    (void)state;
    static char longest[60000], like[60000];
    memset(longest, 'x', sizeof longest - 1);
    memcpy(longest, "TERM=", 5);
    memset(like, 'x', sizeof like - 1);
    memcpy(like, "TERM=xterm-", 11);
    const struct { const char *term; int status; } cases[] = {
        {"TERM=", 2}, {longest, 2}, {"TERM=../../etc/passwd", 2}, {"TERM=%s%n%s", 2}, {"TERM=/", 2}, {"TERM=.", 2}, {"TERM=a\033]0;T\a", 2}, {"TERM=dumb", 2},
        {"TERM=unknown", 2}, {like, 0}, {"TERM=xterm-\033]0;T\a", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const env[] = {cases[i].term, "COLORTERM", NULL};
        struct vt *vt = session_open(24, 100, alibi, env);
        if (cases[i].status == 0) {
            assert_true(vt_settle(vt));
            vt_type(vt, "Q");
        }
        must_exit(vt, cases[i].status);
        if (cases[i].status)
            must_show(vt, "TERM");
        assert_false(sent(vt, "\033]0;T"));
        vt_stop(vt);
    }
}

static void terminals_of_another_encoding_get_ascii(void **state)
{
    (void)state;
    static const char *const locales[] = {"LC_ALL=zh_CN.GB18030", "LC_ALL=de_DE.ISO-8859-1", "LC_ALL=ja_JP.eucJP"};
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        const char *const env[] = {locales[i], NULL};
        struct vt *vt = session_start(24, 100, alibi, env);
        size_t n;
        const char *bytes = vt_bytes(vt, &n);
        for (size_t k = 0; k < n; k++)
            assert_false(bytes[k] & 0x80);
        must_show(vt, "similarity");
        quit(vt);
    }
    const char *const utf8[] = {"LC_ALL=xx_YY.UTF-8", NULL};
    struct vt *vt = session_start(24, 100, alibi, utf8);                 /* not installed, but its name says enough */
    must_show(vt, "▏similarity▕");
    quit(vt);
}

/* ---- the file on the screen ---------------------------------------------------------------------------------------------- */

/* Cut, deleted, made a folder: the screen keeps what it showed and says why; when the file is back, it is read again. */
static void a_model_file_that_comes_and_goes(void **state)
{
    (void)state;
    write_model("m.json", "llama");
    const char *const words[] = {"--lang", "en", "model", "-m", scratch_path("m.json"), NULL};
    char *path = strdup(scratch_path("m.json"));
    struct vt *vt = session_start(30, 110, words, NULL);
    must_show(vt, "llama");
    scratch_text("m.json", "");
    assert_true(vt_wait_text(vt, "the file is empty"));
    must_show(vt, "llama");
    unlink(path);
    assert_int_equal(mkdir(path, 0755), 0);
    if (!vt_wait_text(vt, "config.json"))
        must_show(vt, "config.json");
    type(vt, ":spectrum\r");
    type(vt, ":view model\r");
    must_show(vt, "llama");
    assert_int_equal(rmdir(path), 0);
    write_model("new.json", "mistral");
    assert_int_equal(rename(scratch_path("new.json"), path), 0);
    assert_true(vt_wait_text(vt, "mistral"));
    assert_true(vt_wait_text(vt, "has changed: read again"));
    quit(vt);
    free(path);
}

int main(int argc, char **argv)
{
    (void)argc;
    session_find(argv[0]);
#define SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_no_window_has),
        cmocka_unit_test(storms_of_sizes_with_anything_open),
        cmocka_unit_test(what_libraries_write_is_kept),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        SCRATCH(memory_that_ends_is_said),
#endif
        SCRATCH(names_take_no_terminal_over),
        SCRATCH(the_clipboard_is_harmless),
        SCRATCH(names_of_any_width_are_cut_cleanly),
        SCRATCH(any_home_is_good_enough),
        SCRATCH(a_full_disk_is_said_and_loses_nothing),
        cmocka_unit_test(a_folder_without_room_is_said),
        cmocka_unit_test(descriptors_that_are_missing),
        cmocka_unit_test(terminals_of_any_name),
        cmocka_unit_test(terminals_of_another_encoding_get_ascii),
        SCRATCH(a_model_file_that_comes_and_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
