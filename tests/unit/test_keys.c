/* Keys. If this fails, a key does two things, a view's key never reaches it, or help and line of keys name a key that does something
 * else. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <ctype.h>
#include <string.h>

#include "../support/headless.h"
#include "app/keys.h"

/* Digits, space, `.`, `,`, Enter, PageDown and PageUp may be claimed, and what the framework has no use for; nothing else. */
static bool may_claim(uint32_t key)
{
    const struct app_action *framework = keys_framework(key);
    return !framework || framework->yields;
}

static void no_view_takes_a_key_of_the_framework(void **state)
{
    (void)state;
    int bad = 0;
    for (int v = 0; v < VIEW_COUNT; v++) {
        for (size_t i = 0; i < views[v]->n_actions; i++) {
            const struct action *a = &views[v]->actions[i];
            char name[24];
            if (!may_claim(a->key) || (a->key2 && !may_claim(a->key2))) {
                bad++;
                print_error("view %s: action %s takes %s, which is the program's\n", views[v]->id, a->name,
                            key_name(may_claim(a->key) ? a->key2 : a->key, true, name, sizeof name));
            }
        }
    }
    assert_int_equal(bad, 0);
}

static void a_view_uses_each_key_once(void **state)
{
    (void)state;
    int bad = 0;
    for (int v = 0; v < VIEW_COUNT; v++) {
        const struct view *view = views[v];
        for (size_t i = 0; i < view->n_actions; i++) {
            const uint32_t keys[2] = {view->actions[i].key, view->actions[i].key2};
            for (int k = 0; k < 2; k++) {
                if (keys[k] && keys_view(view, keys[k]) != &view->actions[i]) {
                    bad++;
                    print_error("view %s: key of %s stands twice\n", view->id, view->actions[i].name);
                }
            }
        }
    }
    assert_int_equal(bad, 0);
}

static void the_framework_uses_each_key_once(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_app_actions; i++) {
        const struct app_action *a = &app_actions[i];
        assert_ptr_equal(keys_framework(a->key), a);
        if (a->key2)
            assert_ptr_equal(keys_framework(a->key2), a);
        for (uint32_t key = a->key; a->last && key <= a->last; key++)
            assert_ptr_equal(keys_framework(key), a);
        assert_ptr_equal(keys_by_name(a->name), a);
        assert_non_null(a->run);
        assert_true(!a->pair || i + 1 < n_app_actions);
    }
}

/* Names are words of `:`, so a view's action must not hide a view, a command or a key of the program. */
static void names_are_words(void **state)
{
    (void)state;
    int bad = 0;
    for (int v = 0; v < VIEW_COUNT; v++) {
        for (size_t i = 0; i < views[v]->n_actions; i++) {
            const char *name = views[v]->actions[i].name;
            if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(name) || keys_by_name(name) || view_find(name)) {
                bad++;
                print_error("view %s: '%s' is taken or no verb-noun\n", views[v]->id, name);
            }
            for (size_t k = 0; k < i; k++)
                assert_string_not_equal(name, views[v]->actions[k].name);
        }
    }
    assert_int_equal(bad, 0);
}

static void every_action_is_explained(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_app_actions; i++) {
        assert_true(strlen(app_actions[i].help) > 2);
        assert_string_not_equal(lang_text(LANG_ZH, app_actions[i].help), "");
    }
    for (int v = 0; v < VIEW_COUNT; v++)
        for (size_t i = 0; i < views[v]->n_actions; i++)
            assert_true(views[v]->actions[i].help && *views[v]->actions[i].help);
}

static void keys_have_names(void **state)
{
    (void)state;
    char out[24];
    assert_string_equal(key_name(KEY_CODE_PAGE_DOWN, false, out, sizeof out), "PageDown");
    assert_string_equal(key_name(KEY_CODE_LEFT, true, out, sizeof out), "Left");
    assert_string_equal(key_name(' ', false, out, sizeof out), "space");
    assert_string_equal(key_name(12, false, out, sizeof out), "Ctrl-L");
    assert_string_equal(key_name(KEY_CODE_F1 + 9, false, out, sizeof out), "F10");
    assert_string_equal(key_name(0x4e2d, false, out, sizeof out), "中");
}

static void the_help_lists_every_key(void **state)
{
    (void)state;
    struct screen s;
    screen_open(&s, 40, 120, DEPTH_TRUECOLOR, NULL);
    char *help = help_text(&s.app), keys[80];
    for (size_t i = 0; i < n_app_actions; i++) {
        assert_non_null(strstr(help, keys_of_framework(&app_actions[i], false, keys, sizeof keys)));
        i += app_actions[i].pair;
    }
    const struct view *v = views[s.app.s.view];
    for (size_t i = 0; i < v->n_actions; i++)
        assert_non_null(strstr(help, v->actions[i].help));
    free(help);
    char *table = keys_markdown(LANG_EN);
    assert_non_null(strstr(table, "| `Tab Shift-Tab` |"));
    free(table);
    screen_close(&s);
}

/* The keys stand where a user expects them. */
static void the_agreed_keys_do_what_was_agreed(void **state)
{
    (void)state;
    static const struct { uint32_t key; const char *name; } agreed[] = {
        {KEY_CODE_LEFT, "left"}, {'h', "left"}, {'j', "down"}, {'k', "up"}, {'l', "right"}, {'+', "zoom-in"}, {'-', "zoom-out"}, {'0', "fit"},
        {KEY_TAB, "next-view"}, {KEY_CODE_SHIFT_TAB, "previous-view"}, {'[', "param-previous"}, {']', "param-next"},
        {'<', "param-less"}, {'>', "param-more"}, {'{', "param-much-less"}, {'}', "param-much-more"}, {KEY_RETURN, "param-type"},
        {' ', "play"}, {'.', "time-step"}, {',', "time-back"}, {KEY_CODE_PAGE_DOWN, "next"}, {KEY_CODE_PAGE_UP, "previous"},
        {'s', "compare-copy"}, {'d', "difference"}, {'c', "next-colormap"}, {'t', "next-theme"}, {'L', "next-language"}, {'/', "find"},
        {':', "command"}, {'x', "export-figure"}, {'?', "help"}, {'u', "undo"}, {'U', "redo"}, {'q', "back"}, {'Q', "quit"}, {'3', "pick-view"},
    };
    for (size_t i = 0; i < sizeof agreed / sizeof *agreed; i++) {
        const struct app_action *a = keys_framework(agreed[i].key);
        assert_non_null(a);
        assert_string_equal(a->name, agreed[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_view_takes_a_key_of_the_framework),
        cmocka_unit_test(a_view_uses_each_key_once),
        cmocka_unit_test(the_framework_uses_each_key_once),
        cmocka_unit_test(names_are_words),
        cmocka_unit_test(every_action_is_explained),
        cmocka_unit_test(keys_have_names),
        cmocka_unit_test(the_help_lists_every_key),
        cmocka_unit_test(the_agreed_keys_do_what_was_agreed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
