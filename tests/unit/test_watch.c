/* test_watch.c - a file on the screen follows its changes, however an editor, git or a download makes them. If it fails, the screen shows what the file
 * said before, or is read in the middle of a write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../support/files.h"
#include "base/watch.h"

#ifdef __linux__

static struct watch *w;

static void watch(const char *name)
{
    struct err err = {.lang = LANG_EN};
    w = watch_new(scratch_path(name), &err);
    if (!w)
        fail_msg("%s", err.text);
    assert_false(watch_changed(w));
}

static void move(const char *from, const char *to)
{
    char *old = strdup(scratch_path(from));
    assert_int_equal(rename(old, scratch_path(to)), 0);
    free(old);
}

static void link_to(const char *name, const char *target)
{
    assert_int_equal(symlink(target, scratch_path(name)), 0);
}

static void told(void)
{
    assert_true(watch_changed(w));
    assert_false(watch_changed(w));         /* once */
}

static void done(void)
{
    watch_free(w);
}

static void a_file_written_in_place(void **state)
{
    (void)state;
    scratch_text("a.json", "{}");
    scratch_text("b.json", "{}");
    watch("a.json");
    FILE *f = fopen(scratch_path("a.json"), "w");
    fputs("{", f);
    fflush(f);
    assert_false(watch_changed(w));         /* not yet done */
    fclose(f);
    told();
    scratch_text("b.json", "[]");           /* another file of the folder */
    assert_false(watch_changed(w));
    done();
}

static void a_file_that_editors_replace(void **state)
{
    (void)state;
    scratch_text("a.json", "{}");
    watch("a.json");
    for (int i = 0; i < 2; i++) {
        scratch_text("a.json.new", "[]");   /* written beside it and moved over it */
        assert_false(watch_changed(w));
        move("a.json.new", "a.json");
        told();
    }
    move("a.json", "a.json~");              /* the old one kept, a new one written: vim */
    assert_false(watch_changed(w));
    scratch_text("a.json", "{ }");
    told();
    unlink(scratch_path("a.json"));         /* gone, and back: git checkout */
    assert_false(watch_changed(w));
    scratch_text("a.json", "{  }");
    told();
    done();
}

static void a_link_and_its_target(void **state)
{
    (void)state;
    scratch_text("real/one.json", "{}");
    scratch_text("real/two.json", "{}");
    link_to("a.json", "real/one.json");
    watch("a.json");
    scratch_text("real/one.json", "[]");
    told();
    scratch_text("real/new.json", "[]");
    move("real/new.json", "real/one.json");
    told();
    link_to("b.json", "real/two.json");     /* ln -sfn */
    assert_false(watch_changed(w));
    move("b.json", "a.json");
    told();
    scratch_text("real/one.json", "{}");    /* no longer meant */
    assert_false(watch_changed(w));
    scratch_text("real/two.json", "[]");
    told();
    unlink(scratch_path("a.json"));         /* ln -sf */
    link_to("a.json", "real/one.json");
    told();
    scratch_text("real/one.json", "[]");
    told();
    done();
}

static void a_file_of_a_snapshot(void **state)
{
    (void)state;
    scratch_text("blobs/aa/bb", "{}");
    scratch_text("model/blobs/x", "");
    scratch_text("model/snapshots/1/x", "");
    link_to("model/blobs/bb", "../../blobs/aa/bb");
    link_to("model/snapshots/1/config.json", "../../blobs/bb");
    watch("model/snapshots/1/config.json");
    scratch_text("blobs/aa/bb", "[]");
    told();
    done();
}

static void a_folder(void **state)
{
    (void)state;
    scratch_text("model/config.json", "{}");
    watch("model");
    scratch_text("model/config.json", "[]");
    told();
    scratch_text("model/x.gguf", "GGUF");
    told();
    scratch_text("other", "");
    assert_false(watch_changed(w));
    move("model", "model.old");
    assert_false(watch_changed(w));
    scratch_text("model/config.json", "{}");    /* another folder of this name */
    told();
    scratch_text("model/config.json", "[]");
    told();
    scratch_text("new/config.json", "{}");
    move("model", "model.older");
    move("new", "model");
    told();
    done();
}

static void what_is_not_there_yet(void **state)
{
    (void)state;
    struct err err = {.lang = LANG_EN};
    watch("later.json");
    scratch_text("later.json", "{}");
    told();
    done();
    assert_null(watch_new(scratch_path("no/such/folder/a.json"), &err));
    assert_non_null(strstr(err.text, "its changes cannot be followed"));
}

/* Root reads everything, so it looks as nobody does, who must be able to come here. */
static void look_as(uid_t user)
{
    assert_true(getuid() != 0 || seteuid(user) == 0);
}

static void a_file_that_may_not_be_read_for_a_while(void **state)
{
    (void)state;
    enum { NOBODY = 65534 };
    static const mode_t modes[] = {0, 0644};
    scratch_text("a.json", "{}");
    assert_int_equal(chmod(scratch_path(""), 0777), 0);
    look_as(NOBODY);
    bool reached = faccessat(AT_FDCWD, scratch_path(""), X_OK, AT_EACCESS) == 0;
    if (reached)
        watch("a.json");
    look_as(0);
    if (!reached)
        skip();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(chmod(scratch_path("a.json"), modes[i]), 0);
        look_as(NOBODY);
        told();
        look_as(0);
    }
    assert_int_equal(chmod(scratch_path("a.json"), 0600 | 0044), 0);       /* touched, and as readable as before */
    assert_false(watch_changed(w));
    done();
}

static void a_file_that_becomes_a_folder(void **state)
{
    (void)state;
    scratch_text("a", "{}");
    watch("a");
    unlink(scratch_path("a"));
    assert_false(watch_changed(w));
    assert_int_equal(mkdir(scratch_path("a"), 0755), 0);
    told();
    scratch_text("a/config.json", "{}");
    told();
    unlink(scratch_path("a/config.json"));
    assert_int_equal(rmdir(scratch_path("a")), 0);
    scratch_text("a", "{}");
    told();
    done();
}

#endif

int main(void)
{
#ifdef __linux__
#define SCRATCH(test) cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)
    const struct CMUnitTest tests[] = {
        SCRATCH(a_file_written_in_place), SCRATCH(a_file_that_editors_replace), SCRATCH(a_link_and_its_target),
        SCRATCH(a_file_of_a_snapshot),    SCRATCH(a_folder),                    SCRATCH(what_is_not_there_yet),
        SCRATCH(a_file_that_may_not_be_read_for_a_while), SCRATCH(a_file_that_becomes_a_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
#endif
}
