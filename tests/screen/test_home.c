/* The program at home in its user's terminal: what it hands to the clipboard, what it keeps between runs, what it prints on leaving. If this fails,
 * "copied" is said where nothing was, an hour's work is gone with a lost connection, or a wrong line in the user's options goes unsaid. */
#include <signal.h>

#include "../support/files.h"
#include "session.h"

static char config_home[600], state_home[600];

/* ---- helpers --------------------------------------------------------------------------------------------------------------- */

static struct vt *start_with(const char *const *more, const char *const *env)
{
    const char *words[24] = {"--lang", "en"}, *all[8] = {config_home, state_home};
    for (int i = 2; *more; more++)
        words[i++] = *more;
    for (int i = 2; env && *env; env++)
        all[i++] = *env;
    return session_open(24, 100, words, all);
}

static struct vt *start(const char *const *more, const char *const *env)
{
    struct vt *vt = start_with(more, env);
    assert_true(vt_settle(vt));
    return vt;
}

static void assert_file_holds(const char *name, const char *part)
{
    char *text = scratch_read(name);
    if (!text || !strstr(text, part))
        fail_msg("%s does not hold %s but %s", name, part, text ? text : "is not there");
    free(text);
}

/* ---- clipboard ----------------------------------------------------------------------------------------------------------------- */

static void a_copy_is_sent_as_osc_52(void **state)
{
    (void)state;
    const char *const more[] = {"bias", "-e", "alibi", NULL};
    struct vt *vt = start(more, NULL);
    vt_forget(vt);
    vt_type(vt, ":copy citation\r");
    assert_true(vt_wait_bytes(vt, "\033]52;c;UHJlc3MgZXQgYWwu"));        /* base64 of "Press et al." */
    assert_true(vt_settle(vt));
    assert_true(vt_contains(vt, "sent to the terminal (OSC 52); whether it takes them only it knows"));
    size_t n;
    const char *end = strstr(strstr(vt_bytes(vt, &n), "\033]52;c;"), "\007");
    assert_non_null(end);
    quit(vt);
}

static void inside_tmux_it_goes_to_tmux(void **state)
{
    (void)state;
    const char *const more[] = {"bias", "-e", "alibi", NULL};
    char *script = xasprintf("#!/bin/sh\necho \"$*\" >'%s/args'\ncat >'%s/got'\n", scratch, scratch), *search = xasprintf("PATH=%s:%s", scratch, getenv("PATH"));
    const char *const env[] = {"TMUX=/nowhere,1,0", search, NULL};
    chmod(scratch_text("tmux", script), 0755);
    struct vt *vt = start(more, env);
    vt_forget(vt);
    type(vt, ":copy citation\r");
    assert_true(vt_contains(vt, "given to `tmux load-buffer -w -`"));
    assert_file_holds("args", "load-buffer -w -");
    assert_file_holds("got", "Press et al.");
    size_t n;
    assert_null(strstr(vt_bytes(vt, &n), "\033]52"));
    scratch_text("tmux", "#!/bin/sh\nexit 1\n");
    type(vt, ":copy citation\r");
    assert_true(vt_contains(vt, "not copied: `tmux load-buffer -w -` ended with status 1"));
    quit(vt);
    free(script);
    free(search);
}

/* ---- the command ----------------------------------------------------------------------------------------------------------------- */

static void the_command_is_printed_on_leaving(void **state)
{
    (void)state;
    const char *const more[] = {"bias", "-e", "alibi", "--print-command", NULL};
    struct vt *vt = start(more, NULL);
    type(vt, ":num_heads=12\r");
    vt_type(vt, "Q");
    assert_true(vt_wait_bytes(vt, "posviz bias -e alibi --lang en -s num_heads=12"));
    must_exit(vt, 0);
    vt_stop(vt);
}

/* ---- what is kept ------------------------------------------------------------------------------------------------------------------ */

static void the_last_screen_is_resumed(void **state)
{
    (void)state;
    const char *const more[] = {"bias", "-e", "alibi", NULL}, *const resume[] = {"--resume", NULL};
    struct vt *vt = start(more, NULL);
    type(vt, ":num_heads=11\r");
    quit(vt);
    assert_file_holds("state/posviz/last.json", "\"alibi\"");
    vt = start(resume, NULL);
    type(vt, ":command\r");
    assert_true(vt_contains(vt, "posviz bias -e alibi --lang en -s num_heads=11"));
    quit(vt);
}

static void two_at_once_keep_both(void **state)
{
    (void)state;
    const char *before = scratch_path("state/posviz/last-1.json");
    const char *const more[] = {"bias", "-e", "alibi", NULL}, *const preset[] = {"-p", before, NULL};
    struct vt *one = start(more, NULL), *two = start(more, NULL);
    type(one, ":num_heads=31\r");
    type(two, ":num_heads=32\r");
    quit(two);
    quit(one);
    assert_file_holds("state/posviz/last.json", "\"num_heads\":\t31");
    one = start(preset, NULL);
    type(one, ":command\r");
    assert_true(vt_contains(one, "-s num_heads=32"));
    quit(one);
}

static void a_lost_terminal_loses_no_work(void **state)
{
    (void)state;
    const char *const more[] = {"bias", "-e", "alibi", NULL};
    for (int way = 0; way < 2; way++) {
        char *set = xasprintf(":num_heads=%d\r", 21 + way), *kept = xasprintf("\"num_heads\":\t%d", 21 + way);
        struct vt *vt = start(more, NULL);
        int status;
        type(vt, set);
        if (way)
            vt_signal(vt, SIGHUP);
        else
            vt_hang_up(vt);
        assert_true(vt_wait_exit(vt, &status));
        vt_stop(vt);
        assert_file_holds("state/posviz/last.json", kept);
        free(set);
        free(kept);
    }
}

static void options_come_from_a_file(void **state)
{
    (void)state;
    const char *const none[] = {NULL}, *const more[] = {"-s", "num_heads=5", NULL};
    scratch_text("config/posviz/config", "# mine\n-e alibi\n\n  -s num_heads=9   \r\n--theme=light\n");
    struct vt *vt = start(none, NULL);
    type(vt, ":command\r");
    assert_true(vt_contains(vt, "-e alibi --lang en --theme light -s num_heads=9"));
    quit(vt);
    vt = start(more, NULL);                             /* the command line is later */
    type(vt, ":command\r");
    assert_true(vt_contains(vt, "-s num_heads=5"));
    quit(vt);
    const char *const other[] = {"-e", "rope", "rotation", NULL};     /* what is chosen there is chosen whole */
    vt = start(other, NULL);
    type(vt, ":command\r");
    assert_true(vt_contains(vt, "posviz rotation -e rope --lang en --theme light"));
    assert_false(vt_contains(vt, "num_heads=9"));
    quit(vt);
    scratch_text("config/posviz/config", "--theme light\n--no-such\n");
    vt = start_with(none, NULL);
    assert_true(vt_wait_bytes(vt, "posviz/config:2: there is no option --no-such"));
    must_exit(vt, 2);
    vt_stop(vt);
    scratch_text("config/posviz/config", "");
}

/* ---- a file that changes ------------------------------------------------------------------------------------------------------ */

static const char model[] = "{\"model_type\": \"llama\", \"hidden_size\": 512, \"num_attention_heads\": 8, \"num_hidden_layers\": 4,"
                            " \"max_position_embeddings\": 2048, \"rope_theta\": %d.0}";

static void write_model(const char *name, int base)
{
    char *text = xasprintf(model, base);
    scratch_text(name, text);
    free(text);
}

static void the_screen_follows_the_model_file(void **state)
{
    (void)state;
    const char *file = scratch_path("model.json"), *new = scratch_path("new.json");
    const char *const more[] = {"spectrum", "-m", file, NULL};
    write_model("model.json", 10000);
    struct vt *vt = start(more, NULL);
    assert_true(vt_contains(vt, "10000") || vt_contains(vt, "10 000"));
    write_model("model.json", 54321);
    assert_true(vt_wait_text(vt, "has changed: read again"));
    type(vt, ":param rope_theta\r");
    assert_true(vt_contains(vt, "spectrum") && (vt_contains(vt, "54321") || vt_contains(vt, "54 321")));
    write_model("new.json", 77777);
    assert_int_equal(rename(new, file), 0);
    assert_true(vt_wait_text(vt, "has changed: read again"));
    assert_true(vt_settle(vt));
    assert_true(vt_contains(vt, "77777") || vt_contains(vt, "77 777"));
    type(vt, "u");                                      /* what it said before */
    assert_true(vt_contains(vt, "54321") || vt_contains(vt, "54 321"));
    scratch_text("model.json", "{");
    assert_true(vt_wait_text(vt, "not valid JSON"));
    assert_true(vt_settle(vt));
    assert_true(vt_contains(vt, "54321") || vt_contains(vt, "54 321"));
    type(vt, ":rope_theta=123\r");
    write_model("model.json", 54321);                   /* as it was read: nothing is new, and what the user set stays */
    assert_int_equal(unlink(file), 0);
    write_model("model.json", 99999);                   /* gone, and back */
    assert_true(vt_wait_text(vt, "has changed: read again"));
    assert_true(vt_settle(vt));
    assert_true(vt_contains(vt, "99999") || vt_contains(vt, "99 999"));
    type(vt, "u");
    assert_true(vt_contains(vt, "123"));
    quit(vt);
}

static void a_name_in_a_store_is_followed_too(void **state)
{
    (void)state;
    char *hub = xasprintf("HF_HUB_CACHE=%s/hub", scratch);
    const char *const more[] = {"spectrum", "-m", "o/m", NULL}, *const env[] = {hub, NULL};
    write_model("hub/models--o--m/snapshots/1111111111111111111111111111111111111111/config.json", 10000);
    struct vt *vt = start(more, env);
    write_model("hub/models--o--m/snapshots/1111111111111111111111111111111111111111/config.json", 54321);
    assert_true(vt_wait_text(vt, "o/m has changed: read again"));
    assert_true(vt_settle(vt));
    type(vt, ":param rope_theta\r");
    assert_true(vt_contains(vt, "54321") || vt_contains(vt, "54 321"));
    quit(vt);
    free(hub);
}

/* ---- set up ------------------------------------------------------------------------------------------------------------------------ */

static int make_folder(void **state)
{
    snprintf(config_home, sizeof config_home, "XDG_CONFIG_HOME=%s", scratch_open(state) == 0 ? scratch_path("config") : "");
    snprintf(state_home, sizeof state_home, "XDG_STATE_HOME=%s", scratch_path("state"));
    return *scratch && mkdir(scratch_path("state"), 0700) == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    (void)argc;
    session_find(argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_is_sent_as_osc_52),
        cmocka_unit_test(inside_tmux_it_goes_to_tmux),
        cmocka_unit_test(the_command_is_printed_on_leaving),
        cmocka_unit_test(the_last_screen_is_resumed),
        cmocka_unit_test(two_at_once_keep_both),
        cmocka_unit_test(a_lost_terminal_loses_no_work),
        cmocka_unit_test(options_come_from_a_file),
        cmocka_unit_test(the_screen_follows_the_model_file),
        cmocka_unit_test(a_name_in_a_store_is_followed_too),
    };
    return cmocka_run_group_tests(tests, make_folder, scratch_close);
}
