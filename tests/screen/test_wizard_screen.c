/* One full walk of each branch of the wizard, typed and clicked in a terminal. If this fails, a user cannot get through the
 * questions, or reads a result that does not follow from the answers. */

#include "session.h"

static struct vt *start(int rows, int cols, const char *lang)
{
    return session_start(rows, cols, (const char *const[]){"--lang", lang, "wizard", NULL}, NULL);
}

static void evidence_by_digits(void **state)
{
    (void)state;
    struct vt *vt = start(32, 120, "en");
    must_show(vt, "Where do you start?");
    must_show(vt, "1  Show what the guide recommends");
    type(vt, "2");
    must_show(vt, "What kind of model is it?");
    must_show(vt, "ranking now");
    type(vt, "1");
    type(vt, "1");
    must_show(vt, "question 4 of 7 to 9");
    type(vt, "4");                                      /* more than 8x */
    must_show(vt, "question 5 of 9");
    must_show(vt, "H: excluded");
    must_show(vt, "H1");
    type(vt, "2");                                      /* find and use distant content */
    type(vt, "1");                                      /* no further training */
    type(vt, "3");
    type(vt, "2");
    type(vt, "1");
    must_show(vt, "ranking by evidence");
    must_show(vt, "Hybrid: RoPE local");
    must_show(vt, "67.9 %");
    must_show(vt, "question or result");
    assert_false(vt_contains(vt, "1 answer"));          /* at a result there is nothing to answer */
    must_show(vt, "close call");
    type(vt, "t");
    must_show(vt, "scores 0 to 4");
    must_show(vt, "57");
    type(vt, "t");
    type(vt, "b");
    must_show(vt, "How many languages?");
    type(vt, "u");                                      /* undo leads back as well */
    quit(vt);
}

static void document_by_cursor_in_chinese(void **state)
{
    (void)state;
    struct vt *vt = start(32, 120, "zh");
    must_show(vt, "从哪里开始？");
    press(vt, "Enter");
    must_show(vt, "按场景还是按案例选择？");
    type(vt, "\r");
    must_show(vt, "哪个场景最接近？");
    assert_true(vt_key(vt, "Down") && vt_key(vt, "Down") && vt_key(vt, "Down"));
    type(vt, "\r");                                     /* the fourth: multimodal */
    must_show(vt, "T5");
    must_show(vt, "4.2-4");
    must_show(vt, "G28");
    must_show(vt, "91.7 %");
    quit(vt);
}

static void checkpoint_by_mouse(void **state)
{
    (void)state;
    struct vt *vt = start(32, 120, "en");
    static const char *const answers[] = {"I continue from a checkpoint", "1  RoPE", "More than 8, up to 32", "5  Other",
                                          "200 to 1,000 steps", "1  No"};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        int rows, cols, y = 0;
        vt_size(vt, &rows, &cols);
        must_show(vt, answers[i]);
        while (y < rows && !strstr(vt_row(vt, y), answers[i]))
            y++;
        click(vt, y, 4);
    }
    must_show(vt, "extending a checkpoint");
    must_show(vt, "YaRN");
    must_show(vt, "R8");
    quit(vt);
}

static void it_works_in_the_smallest_usual_terminal(void **state)
{
    (void)state;
    struct vt *vt = start(24, 80, "en");
    type(vt, "2");
    must_show(vt, "4  Vision, or vision plus text");
    type(vt, "4");
    type(vt, "2");
    type(vt, "1");
    type(vt, "2");
    type(vt, "2");
    type(vt, "1");
    must_show(vt, "2-D / multim");
    must_show(vt, "91.7 %");
    quit(vt);
}

static void the_verb_opens_the_screen_at_its_answers(void **state)
{
    (void)state;
    const char *argv[] = {posviz, "wizard", "--lang", "en", "--answer", "doc_scenario=S5", NULL};
    struct vt *vt = vt_start(24, 100, argv, NULL);
    assert_true(vt_wait_text(vt, "Transformer-XL"));
    assert_true(vt_wait_text(vt, "4.2-5"));
    quit(vt);
}

int main(int argc, char **argv)
{
    (void)argc;
    session_find(argv[0]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_by_digits), cmocka_unit_test(document_by_cursor_in_chinese),
        cmocka_unit_test(checkpoint_by_mouse),
        cmocka_unit_test(it_works_in_the_smallest_usual_terminal), cmocka_unit_test(the_verb_opens_the_screen_at_its_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
