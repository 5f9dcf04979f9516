/* The screen as a command, copies, marks. If these fail, a line pasted into a paper or a bug report shows another picture than the one it was taken
 * from, a copied number is not the one under the cursor, or a mark loses work. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/files.h"
#include "../support/headless.h"
#include "app/app.h"
#include "app/command_line.h"
#include "app/copy.h"

static void type(struct screen *s, const char *command)
{
    screen_type(s, ":");
    screen_type(s, command);
    screen_type(s, "\n");
    if (s->app.message_role == ROLE_ERROR && *s->app.message)
        fail_msg("%s: %s", command, s->app.message);
}

static char *output_of(const char *line)
{
    const char *posviz = getenv("POSVIZ");
    char *shell = xasprintf("%s%s", posviz ? posviz : "build/posviz", line + strlen("posviz"));
    FILE *pipe = popen(shell, "r");
    char *text = xcalloc(1, 1 << 20);
    assert_non_null(pipe);
    text[fread(text, 1, (1 << 20) - 1, pipe)] = '\0';
    if (pclose(pipe) != 0)
        fail_msg("%s failed", line);
    free(shell);
    return text;
}

/* Opens the view (NULL: none), types the commands, asks for the line, lets a shell run it, and compares cells. */
static void assert_same_cells(const char *view, enum lang lang, const char *const *typed)
{
    struct screen s;
    struct options o;
    struct err err = {.lang = LANG_EN};
    bool exact;
    options_init(&o, lang);
    o.view = view;
    screen_open(&s, 24, 80, DEPTH_TRUECOLOR, &o);
    for (; *typed; typed++)
        type(&s, *typed);
    char *line = command_line(&s.app.s, &exact);
    if (!exact)
        fail_msg("%s is not exact", line);
    char *want = app_report(&o, &s.app.s, &err), *got = output_of(line);
    if (strcmp(want, got))
        fail_msg("%s\nshows\n%s\nnot\n%s", line, got, want);
    free(line);
    free(want);
    free(got);
    screen_close(&s);
}

static void the_line_shows_the_same_cells(void **state)
{
    (void)state;
    static const char *const cases[][8] = {
        {NULL},
        {"rope_theta=123456.789012345", "n=777", NULL},
        {"similarity", "encoding sinusoidal", "d_model=96", "n=40", NULL},
        {"bias", "encoding alibi", "num_heads=12", "n=300", NULL},
        {"bias", "encoding t5_bias", "seed=7", "num_heads=4", NULL},
        {"attention", "encoding rope", "text=it's a \"test\" $HOME; `no` 位置", "mask=none", NULL},
        {"attention", "encoding rope+alibi", "head_dim=32", "n=64", "content=seeded", NULL},
        {"preset models/gemma-3-1b", "spectrum", NULL},
        {"preset models/gemma-3-1b", "layer=5", "rotation", "lang zh", NULL},
        {"model tests/cases/configs/gpt-oss-20b.json", "decay", NULL},
        {"model tests/cases/configs/gpt2.json", "table", NULL},
        {"similarity", "encoding rope", "n=4096", "zoom=10,20,,", NULL},
        {"similarity", "encoding none", NULL},
        {"similarity", "encoding rope", "colormap magma", NULL},
        {"table", "encoding sinusoidal", "cursor=0,20,5", NULL},
        {"spectrum", "preset models/phi-3-mini-128k", "original_max_position_embeddings=2048", NULL},
        {"spectrum", "encoding rope", "head_dim=16", "mrope_section=3,3,2", NULL},                      /* a list */
        {"similarity", "encoding rope+xpos", "head_dim=16", "n=64", "xpos.rope_theta=5000", NULL},      /* a key of two encodings */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_same_cells(NULL, LANG_EN, cases[i]);
}

static void every_view_can_be_said(void **state)
{
    (void)state;
    static const char *const nothing[] = {NULL};
    for (int v = 0; v < VIEW_COUNT; v++) {
        assert_same_cells(view_ids[v], LANG_EN, nothing);
        if (v != VIEW_model)            /* the facts of the model at the start were read in English */
            assert_same_cells(view_ids[v], LANG_ZH, nothing);
    }
}

static void what_cannot_be_said_is_not_claimed(void **state)
{
    (void)state;
    struct screen s;
    bool exact;
    screen_open(&s, 24, 80, DEPTH_TRUECOLOR, NULL);
    screen_type(&s, "s");
    screen_type(&s, ">");
    free(command_line(&s.app.s, &exact));
    assert_false(exact);
    screen_type(&s, ":command\n");
    assert_non_null(strstr(s.app.message, "not all"));
    screen_close(&s);
}

static void write_rows(const char *name, double first)
{
    struct buf b = {0};
    char header[119];
    snprintf(header, sizeof header, "%-117s\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (6, 2), }");
    buf_put(&b, "\x93NUMPY\x01\x00\x76\x00", 10);
    buf_put(&b, header, 118);
    for (double x = first; x < first + 12; x++)
        buf_put(&b, &x, sizeof x);
    scratch_write(name, b.data, b.n);
    buf_done(&b);
}

/* Queries and keys of files are named in the line. */
static void content_of_files_can_be_said(void **state)
{
    (void)state;
    struct screen s;
    bool exact;
    char set[2][700];
    write_rows("q.npy", 0);
    write_rows("k.npy", 5);
    screen_open(&s, 24, 80, DEPTH_TRUECOLOR, NULL);
    type(&s, "attention");
    type(&s, "encoding alibi");
    snprintf(set[0], sizeof set[0], "q=%s", scratch_path("q.npy"));
    snprintf(set[1], sizeof set[1], "k=%s", scratch_path("k.npy"));
    type(&s, set[0]);
    type(&s, set[1]);
    char *line = command_line(&s.app.s, &exact);
    if (!exact || !strstr(line, set[0]) || !strstr(line, set[1]))
        fail_msg("%s", line);
    free(line);
    screen_close(&s);
}

/* A step of a lesson is said as such, and a figure taken there is made again. */
static void a_step_of_a_lesson_can_be_said(void **state)
{
    (void)state;
    struct screen s;
    bool exact;
    char line[700];
    screen_open(&s, 30, 110, DEPTH_TRUECOLOR, NULL);
    type(&s, "lesson waves");
    screen_key(&s, KEY_CODE_PAGE_DOWN);
    char *said = command_line(&s.app.s, &exact);
    assert_true(exact);
    assert_string_equal(said, "posviz tour waves --step 2 --lang en");
    free(said);
    snprintf(line, sizeof line, "export %s", scratch_path("step.json"));
    type(&s, line);
    snprintf(line, sizeof line, "posviz render --from %s -o %s", scratch_path("step.json"), scratch_path("again.json"));
    free(output_of(line));
    char *a = scratch_read("step.json"), *b = scratch_read("again.json");
    assert_true(a && b);
    assert_string_equal(a, b);
    free(a);
    free(b);
    screen_close(&s);
}

/* :export keeps what is there, :export! does not. */
static void an_export_over_a_file_is_asked_for(void **state)
{
    (void)state;
    struct screen s;
    char line[700];
    const char *path = scratch_text("there.csv", "mine");
    screen_open(&s, 24, 80, DEPTH_TRUECOLOR, NULL);
    type(&s, "bias");
    type(&s, "encoding alibi");
    snprintf(line, sizeof line, ":export %s\n", path);
    screen_type(&s, line);
    assert_int_equal(s.app.message_role, ROLE_ERROR);
    char *kept = scratch_read("there.csv");
    assert_string_equal(kept, "mine");
    free(kept);
    screen_key(&s, KEY_ESCAPE);
    snprintf(line, sizeof line, "export! %s", path);
    type(&s, line);
    char *written = scratch_read("there.csv");
    assert_non_null(strstr(written, "query"));
    free(written);
    screen_close(&s);
}

static void a_figure_from_the_screen_is_made_again(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s, 30, 110, DEPTH_TRUECOLOR, NULL);
    type(&s, "table");
    type(&s, "encoding sinusoidal");
    for (int i = 0; i < 5; i++)
        screen_key(&s, KEY_CODE_DOWN);              /* the curves are those under the cursor */
    const char *one = scratch_path("a.json"), *two = scratch_path("b.json");
    char *export = xasprintf("export %s", one), *line = xasprintf("posviz render --from %s -o %s", one, two);
    type(&s, export);
    assert_non_null(strstr(s.app.message, "written"));
    free(output_of(line));
    char *a = scratch_read("a.json"), *b = scratch_read("b.json");
    assert_true(a && b);
    assert_string_equal(a, b);
    free(a);
    free(b);
    free(export);
    free(line);
    screen_close(&s);
}

/* What :command shows can be typed back behind the colon. */
static void the_prompt_takes_what_a_shell_takes(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s, 24, 80, DEPTH_TRUECOLOR, NULL);
    type(&s, "-e rope attention -s 'text=it'\\''s \"b\" \\ # c' # -s n=3");
    assert_string_equal(s.app.s.text, "it's \"b\" \\ # c");
    screen_type(&s, ":-s 'text=open\n");
    assert_int_equal(s.app.message_role, ROLE_ERROR);
    screen_close(&s);
}

static void the_lines_of_the_bytes_are_base64(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {         /* RFC 4648, section 10 */
        {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *text = copy_base64(pairs[i][0], strlen(pairs[i][0]));
        assert_string_equal(text, pairs[i][1]);
        free(text);
    }
}

/* ---- copies, through a command of the user's own ------------------------------------------------------------------------- */

static char *copied(void)
{
    char *text = scratch_read("copied");
    assert_non_null(text);
    return text;
}

static void open_copying(struct screen *s, char **command)
{
    *command = xasprintf("cat > %s", scratch_path("copied"));
    screen_open(s, 24, 80, DEPTH_TRUECOLOR, NULL);
    s->app.copy_command = *command;
}

static void the_value_under_the_cursor_is_copied_with_all_digits(void **state)
{
    (void)state;
    struct screen s;
    char *command;
    open_copying(&s, &command);
    type(&s, "similarity");
    type(&s, "encoding rope");
    screen_key(&s, KEY_CODE_LEFT);
    screen_type(&s, "y");
    assert_non_null(strstr(s.app.message, "given to"));
    char *text = copied();
    assert_true(s.app.readout.known);
    assert_true(strtod(text, NULL) == s.app.readout.value);
    free(text);
    screen_close(&s);
    free(command);
}

/* A wavelength and a table's cell are shown in words or rounded; what is copied is their number, whole. */
static void a_value_shown_in_words_is_copied_with_all_digits_too(void **state)
{
    (void)state;
    struct screen s;
    char *command;
    open_copying(&s, &command);
    type(&s, "encoding rope");
    type(&s, "rotation");
    screen_key(&s, KEY_CODE_LEFT);
    assert_non_null(strstr(s.app.readout.value_text, "λ = "));
    screen_type(&s, "y");
    char *text = copied();
    assert_true(strtod(text, NULL) == s.app.readout.value && s.app.readout.value > 6);
    free(text);
    screen_close(&s);
    free(command);
}

/* The command is not to blame where its input cannot be written. */
static void a_full_disk_is_said_as_that(void **state)
{
    (void)state;
    struct screen s;
    char *command;
    struct rlimit none = {0, RLIM_INFINITY}, before;
    open_copying(&s, &command);
    type(&s, "similarity");
    screen_key(&s, KEY_CODE_LEFT);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    none.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    screen_type(&s, "y");
    setrlimit(RLIMIT_FSIZE, &before);
    assert_non_null(strstr(s.app.message, "no temporary file can be written: File too large"));
    screen_close(&s);
    free(command);
}

static void a_row_is_copied_as_csv(void **state)
{
    (void)state;
    struct screen s;
    char *command;
    open_copying(&s, &command);
    type(&s, "bias");
    type(&s, "encoding alibi");
    type(&s, "n=16");
    type(&s, "mask=none");
    screen_type(&s, "Y");
    char *text = copied(), *save = NULL;
    size_t lines = 0;
    double row = NAN;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save), lines++) {
        double y = strtod(line, NULL);
        assert_non_null(strchr(line, ','));
        if (lines == 1)
            row = y;
        assert_true(lines == 0 || y == row);            /* one row, all of its columns */
    }
    assert_int_equal(lines, 1 + s.app.figure->panel[0].w);
    free(text);
    screen_close(&s);
    free(command);
}

static void words_are_copied(void **state)
{
    (void)state;
    struct screen s;
    char *command;
    bool exact;
    open_copying(&s, &command);
    type(&s, "copy command");
    char *text = copied(), *line = command_line(&s.app.s, &exact);
    assert_string_equal(text, line);
    free(text);
    free(line);
    type(&s, "model tests/cases/bad/factor_below_one.json");
    type(&s, "copy finding");
    text = copied();
    assert_non_null(strstr(text, "factor_below_one.json:12:15: error [factor-below-one]"));
    free(text);
    type(&s, "encoding alibi");
    type(&s, "copy citation");
    text = copied();
    assert_non_null(strstr(text, "Press et al."));
    free(text);
    screen_type(&s, ":copy finding\n");
    assert_int_equal(s.app.message_role, ROLE_ERROR);
    s.app.copy_command = "exit 3";
    type(&s, "lang en");
    screen_type(&s, ":copy command\n");
    assert_non_null(strstr(s.app.message, "status 3"));
    screen_close(&s);
    free(command);
}

/* Types without waiting for what the keys began. */
static void type_on(struct screen *s, const char *text)
{
    for (; *text; text++) {
        term_feed(s->app.term, (struct event){.type = EVENT_KEY, .key = *text == '\n' ? KEY_RETURN : (uint32_t)*text});
        app_turn(&s->app);
    }
}

/* A program that ends when a line is written to the gate, with that status. */
static char *gated(const char *name, char **gate)
{
    *gate = xasprintf("%s", scratch_path(name));
    assert_int_equal(mkfifo(*gate, 0600), 0);
    return xasprintf("read status < '%s'; exit $status", *gate);
}

/* Opens the gate, and waits for the program's end and what the screen makes of it. */
static void let_end(struct screen *s, const char *gate, const char *status)
{
    FILE *go = fopen(gate, "w");
    assert_non_null(go);
    assert_true(fputs(status, go) >= 0 && fclose(go) == 0);
    app_settle(&s->app);
}

/* A program that goes on, as xclip does, holds up nothing; its end completes the message, and it leaves the list of processes. */
static void a_program_that_takes_long_holds_up_nothing(void **state)
{
    (void)state;
    struct screen s;
    siginfo_t info;
    screen_open(&s, 24, 80, DEPTH_TRUECOLOR, NULL);
    char *gate, *command = gated("gate", &gate);
    s.app.copy_command = command;
    screen_type(&s, ":lang en\n");
    type_on(&s, ":copy command\n");
    assert_non_null(strstr(s.app.message, "which still runs"));
    let_end(&s, gate, "0\n");
    assert_non_null(strstr(s.app.message, "bytes given to"));
    assert_null(strstr(s.app.message, "still runs"));
    assert_int_equal(s.app.message_role, ROLE_GOOD);
    assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOWAIT | WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    screen_close(&s);
    unlink(gate);
    free(gate);
    free(command);
}

/* Whatever is read meanwhile stays when all went well; that it did not go well is said in any case. */
static void only_a_failure_breaks_in(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s, 24, 80, DEPTH_TRUECOLOR, NULL);
    char *gate, *command = gated("gate2", &gate);
    s.app.copy_command = command;
    screen_type(&s, ":lang en\n");
    type_on(&s, ":copy command\n:no such\n");
    char *before = xstrdup(s.app.message);
    let_end(&s, gate, "0\n");
    assert_string_equal(s.app.message, before);
    type_on(&s, ":copy command\n:no such\n");
    let_end(&s, gate, "3\n");
    assert_non_null(strstr(s.app.message, "ended with status 3"));
    assert_int_equal(s.app.message_role, ROLE_ERROR);
    screen_close(&s);
    unlink(gate);
    free(before);
    free(gate);
    free(command);
}

/* ---- marks ----------------------------------------------------------------------------------------------------------------- */

static void a_mark_brings_back_the_screen(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s, 24, 80, DEPTH_TRUECOLOR, NULL);
    type(&s, "bias");
    type(&s, "encoding alibi");
    type(&s, "n=100");
    screen_type(&s, "\"a");
    type(&s, "encoding rope");
    type(&s, "similarity");
    screen_type(&s, "'a");
    assert_string_equal(view_ids[s.app.s.view], "bias");
    assert_string_equal(s.app.s.item[0].kind->id, "alibi");
    assert_true(s.app.s.shape.length == 100);
    screen_type(&s, "q");                               /* a mark is a jump */
    assert_string_equal(view_ids[s.app.s.view], "similarity");
    screen_type(&s, "'b");
    assert_int_equal(s.app.message_role, ROLE_ERROR);
    screen_type(&s, "\"");
    screen_key(&s, KEY_ESCAPE);
    assert_null(s.app.overlay);
    type(&s, "mark b");
    type(&s, "bias");
    type(&s, "goto b");
    assert_string_equal(view_ids[s.app.s.view], "similarity");
    screen_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_shows_the_same_cells),
        cmocka_unit_test(every_view_can_be_said),
        cmocka_unit_test(what_cannot_be_said_is_not_claimed),
        cmocka_unit_test(a_step_of_a_lesson_can_be_said), cmocka_unit_test(content_of_files_can_be_said), cmocka_unit_test(an_export_over_a_file_is_asked_for),
        cmocka_unit_test(a_figure_from_the_screen_is_made_again),
        cmocka_unit_test(the_prompt_takes_what_a_shell_takes),
        cmocka_unit_test(the_lines_of_the_bytes_are_base64),
        cmocka_unit_test(the_value_under_the_cursor_is_copied_with_all_digits), cmocka_unit_test(a_value_shown_in_words_is_copied_with_all_digits_too),
        cmocka_unit_test(a_row_is_copied_as_csv), cmocka_unit_test(a_full_disk_is_said_as_that),
        cmocka_unit_test(words_are_copied),
        cmocka_unit_test(a_program_that_takes_long_holds_up_nothing), cmocka_unit_test(only_a_failure_breaks_in),
        cmocka_unit_test(a_mark_brings_back_the_screen),
    };
    return cmocka_run_group_tests(tests, scratch_open, scratch_close);
}
