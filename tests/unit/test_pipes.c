/* test_pipes.c - configurations that come through pipes. If it fails, `posviz model <(command)`, a named pipe or a slow command before
 * `posviz model -` now and then seems to be empty, or a pipe that nobody writes to stops the program where a file was expected.
 *
 * Writer and reader are two processes. The writer goes on when the reader has opened the pipe (opening for writing then succeeds), and
 * when it has emptied it (FIONREAD is 0): each of its parts arrives alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "../support/findings.h"
#include "../support/headless.h"
#include "../support/safetensors_file.h"
#include "app/command_line.h"
#include "app/words.h"
#include "base/file.h"
#include "json/json.h"

static const char text[] = "{\"model_type\": \"llama\", \"num_attention_heads\": 4, \"hidden_size\": 256, \"max_position_embeddings\": 4096, \"rope_theta\": 500000.0}";

static bool is_alive(pid_t reader)
{
    return waitpid(reader, NULL, WNOHANG) == 0;
}

static void write_part(pid_t reader, int fd, size_t from, size_t to)
{
    int left = 1;
    if (write(fd, text + from, to - from) != (ssize_t)(to - from))
        return;
    while (left && ioctl(fd, FIONREAD, &left) == 0 && is_alive(reader))
        sched_yield();
}

/* Runs read in another process; its answer. */
static pid_t start(bool (*read)(const char *path), const char *path)
{
    pid_t reader = fork();
    if (reader == 0)
        _exit(read(path) ? 0 : 1);
    assert_true(reader > 0);
    return reader;
}

static void assert_yes(pid_t reader)
{
    int status = -1;
    assert_int_equal(waitpid(reader, &status, 0), reader);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static bool reads_the_text(const char *path)
{
    size_t n;
    char *got = file_read_named(path, 4096, &n, NULL);
    bool same = got && n == strlen(text) && !strcmp(got, text);
    free(got);
    return same;
}

static bool reads_the_model(const char *path)
{
    struct facts *f = facts_at(path);
    bool right = !f->unreadable && f->base == 500000 && f->context == 4096;
    facts_unref(f);
    return right;
}

static void through_a_named_pipe(bool (*read)(const char *path))
{
    const char *path = scratch_path("pipe");
    int fd, half = strlen(text) / 2;
    siginfo_t ended = {0};
    assert_int_equal(mkfifo(path, 0600), 0);
    pid_t reader = start(read, path);
    while ((fd = open(path, O_WRONLY | O_NONBLOCK)) < 0 && waitid(P_PID, (id_t)reader, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && !ended.si_pid)
        sched_yield();
    if (fd >= 0) {
        write_part(reader, fd, 0, (size_t)half);
        write_part(reader, fd, (size_t)half, strlen(text));
        close(fd);
    }
    assert_yes(reader);
    unlink(path);
}

static void a_named_pipe_is_waited_for(void **state)
{
    (void)state;
    through_a_named_pipe(reads_the_text);
    through_a_named_pipe(reads_the_model);
}

/* As behind ssh and some shells. */
static void a_standard_input_that_does_not_block(void **state)
{
    (void)state;
    int ends[2];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
    pid_t reader = fork();
    if (reader == 0) {
        dup2(ends[0], STDIN_FILENO);
        close(ends[1]);
        _exit(reads_the_model("-") ? 0 : 1);
    }
    close(ends[0]);
    write_part(reader, ends[1], 0, 10);
    write_part(reader, ends[1], 10, 40);
    write_part(reader, ends[1], 40, strlen(text));
    close(ends[1]);
    assert_yes(reader);
}

/* Nobody writes here: to open these pipes would be to stay. */
static void pipes_in_place_of_files(void **state)
{
    (void)state;
    struct tensors t = {0};
    tensors_add(&t, "wpe.weight", "F32", "[2,4]", 8, NULL);
    const char *path = tensors_write(&t, "m/model-00001-of-00002.safetensors");
    assert_int_equal(mkfifo(scratch_path("m/config.json"), 0600), 0);
    assert_int_equal(mkfifo(scratch_path("m/model.safetensors.index.json"), 0600), 0);
    struct facts *f = facts_at(path);
    assert_false(f->unreadable);
    facts_unref(f);
    f = facts_at(scratch_path("m"));
    assert_false(f->unreadable);
    facts_unref(f);
    scratch_write("g/ignored", "", 0);
    assert_int_equal(mkfifo(scratch_path("g/model.gguf"), 0600), 0);
    f = facts_at(scratch_path("g"));
    assert_true(f->unreadable);
    assert_string_equal(f->finding[0].code, "cannot-open");
    facts_unref(f);
}

static void a_running_screen_reads_no_pipe(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    struct screen s;
    const char *path = scratch_path("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    screen_open(&s, 24, 80, DEPTH_256, NULL);
    char line[700];
    static const char *const words[] = {"model ", "-m ", "-p ", "-s q=", "--from ", "preset ", "set q="};
    alarm(600);                                  /* what waits for a writer waits for ever */
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        snprintf(line, sizeof line, "%s%s", words[i], path);
        assert_false(words_run(&s.app, line, &err));
        assert_non_null(strstr(err.text, path));
    }
    assert_false(words_run(&s.app, "model -", &err));
    assert_non_null(strstr(err.text, "pipe"));
    assert_false(words_run(&s.app, "-m -", &err));
    assert_non_null(strstr(err.text, "pipe"));
    alarm(0);
    snprintf(line, sizeof line, "{\"model\": {\"file\": \"%s\"}}", path);
    const char *preset = scratch_write("p.json", line, strlen(line));
    assert_false(scenario_load_preset(&s.app.s, preset, &err));
    assert_non_null(strstr(err.text, "pipe"));
    screen_close(&s);
}

static pid_t write_once(const char *path)
{
    pid_t writer = fork();
    if (writer == 0) {
        int fd = open(path, O_WRONLY);
        _exit(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : 1);
    }
    assert_true(writer > 0);
    return writer;
}

/* It is read once, and nobody writes again: another language, a line of commands and --resume do without. */
static void what_came_through_a_pipe_is_kept(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    struct options options;
    struct screen s;
    struct scenario again;
    bool exact;
    const char *path = scratch_path("once");
    assert_int_equal(mkfifo(path, 0600), 0);
    options_init(&options, LANG_EN);
    options.model = path;
    alarm(600);
    pid_t writer = write_once(path);
    screen_open(&s, 24, 80, DEPTH_256, &options);
    assert_yes(writer);
    screen_key(&s, 'L');
    assert_int_equal(s.app.s.model->lang, LANG_ZH);
    char *line = command_line(&s.app.s, &exact);
    assert_false(exact);
    assert_non_null(strstr(line, " -m - "));
    free(line);
    struct json *json = scenario_to_json(&s.app.s);
    scenario_init(&again);
    assert_true(scenario_from_json(&again, json, &err));
    alarm(0);
    assert_true(again.model->base == 500000 && again.model->context == 4096);
    scenario_done(&again);
    json_free(json);
    screen_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_named_pipe_is_waited_for, scratch_open, scratch_close),
        cmocka_unit_test(a_standard_input_that_does_not_block),
        cmocka_unit_test_setup_teardown(pipes_in_place_of_files, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(a_running_screen_reads_no_pipe, scratch_open, scratch_close),
        cmocka_unit_test_setup_teardown(what_came_through_a_pipe_is_kept, scratch_open, scratch_close),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
