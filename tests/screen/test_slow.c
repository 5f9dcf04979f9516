/* Terminals that read slowly, and terminals that never read: a lost line, a stopped multiplexer, Ctrl-S. If this fails: the program hangs or
 * burns a processor, keys are lost, memory grows with every frame nobody sees, or it can only be killed. */
#include <poll.h>
#include <signal.h>

#include "session.h"

/* 200 x 60 cells, nearly all of them heat: a frame of some 60 kB, where the kernel keeps 8 to 20. */
static struct vt *start(void)
{
    return session_start(60, 200, (const char *const[]){"--lang", "en", "table", "-e", "sinusoidal", "-s", "n=4096", NULL}, NULL);
}

/* Each pair of keys paints nearly every cell anew. */
static void nobody_reads(struct vt *vt, int pairs)
{
    for (int i = 0; i < pairs / 2; i++)
        vt_type(vt, "++00");
    assert_true(vt_wait_quiet(vt));
}

static void keys_work_though_nobody_reads(void **state)
{
    (void)state;
    struct vt *vt = start();
    nobody_reads(vt, 20);
    vt_type(vt, ":lang zh\r");
    assert_true(vt_wait_quiet(vt));
    vt_type(vt, ":n=777\r");
    vt_resize(vt, 40, 150);
    assert_true(vt_wait_quiet(vt));
    assert_true(vt_settle(vt));                 /* read again */
    assert_true(vt_contains(vt, "参数"));
    assert_true(vt_contains(vt, "777"));
    quit(vt);
}

static void frames_that_nobody_reads_take_no_memory(void **state)
{
    (void)state;
    struct vt *vt = start();
    nobody_reads(vt, 20);
    long before = vt_memory(vt);
    nobody_reads(vt, 400);
    assert_true(before > 0);
#if !defined(__SANITIZE_ADDRESS__)                      /* which keeps what is freed */
    assert_true(vt_memory(vt) - before < 4096);         /* 400 frames are 24 MB */
#endif
    size_t n;
    vt_forget(vt);
    assert_true(vt_settle(vt));
    vt_bytes(vt, &n);
    assert_true(n < 400000);                            /* what was on its way, and the newest */
    quit(vt);
}

static void it_leaves_though_nobody_reads(void **state)
{
    (void)state;
    static const char *const ways[] = {"Q", NULL};
    for (int i = 0; i < 2; i++) {
        struct vt *vt = start();
        nobody_reads(vt, 20);
        if (ways[i])
            vt_type(vt, ways[i]);
        else
            vt_signal(vt, SIGTERM);
        assert_int_equal(waitid(P_PID, (id_t)vt_pid(vt), &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
        must_exit(vt, 0);
        vt_stop(vt);
    }
}

/* An animation in front of nobody stands still and costs nothing; when someone reads, it goes on. */
static void an_animation_waits_for_its_reader(void **state)
{
    (void)state;
    const char *argv[] = {posviz, "--test-sync", "--lang", "en", "grid", NULL};
    struct vt *vt = vt_start(60, 200, argv, NULL);
    assert_true(vt_settle(vt));
    vt_type(vt, " ");
    assert_true(vt_wait_quiet(vt));
    vt_forget(vt);
    size_t n = 0;
    while (n < 100000 && (vt_read(vt, 65536) || poll(NULL, 0, 5) == 0))
        vt_bytes(vt, &n);
    type(vt, " ");                                      /* it would never be idle if it still played */
    quit(vt);
}

/* A reader of a few kilobytes a second: fewer frames, which the line of keys says, and each key still has its effect. */
static void a_slow_line_gets_fewer_frames(void **state)
{
    (void)state;
    const char *argv[] = {posviz, "--test-sync", "--lang", "en", "rotation", "-e", "rope", NULL};
    struct vt *vt = vt_start(60, 200, argv, NULL);
    assert_true(vt_settle(vt));
    vt_type(vt, " ");
    int turns = 0;
    for (; !vt_contains(vt, "/s") && turns < 6000; turns++) {
        vt_read(vt, 100);
        poll(NULL, 0, 5);
    }
    assert_in_range(turns, 1, 5999);
    type(vt, " ");
    type(vt, ":lang zh\r");
    assert_true(vt_contains(vt, "参数"));
    quit(vt);
}

static void a_slow_reader_sees_the_last_state(void **state)
{
    (void)state;
    struct vt *vt = start();
    size_t n;
    vt_forget(vt);
    for (int i = 0; i < 200; i++) {
        vt_type(vt, i % 2 ? "0" : "++");
        vt_read(vt, 500);
    }
    type(vt, ":n=777\r");
    assert_true(vt_contains(vt, "777"));
    vt_bytes(vt, &n);
    assert_true(n < 100 * 60000);                       /* far from every frame was sent */
    quit(vt);
}

int main(int argc, char **argv)
{
    (void)argc;
    session_find(argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_work_though_nobody_reads),
        cmocka_unit_test(frames_that_nobody_reads_take_no_memory),
        cmocka_unit_test(it_leaves_though_nobody_reads),
        cmocka_unit_test(an_animation_waits_for_its_reader),
        cmocka_unit_test(a_slow_line_gets_fewer_frames),
        cmocka_unit_test(a_slow_reader_sees_the_last_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
