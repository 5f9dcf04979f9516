#include "app/keys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "term/term.h"

static bool has_key(const struct app_action *a, uint32_t key)
{
    return key && (key == a->key || key == a->key2 || (key > a->key && key <= a->last));
}

const struct app_action *keys_framework(uint32_t key)
{
    for (size_t i = 0; i < n_app_actions; i++)
        if (has_key(&app_actions[i], key))
            return &app_actions[i];
    return NULL;
}

const struct action *keys_view(const struct view *v, uint32_t key)
{
    for (size_t i = 0; i < v->n_actions; i++)
        if (key && (v->actions[i].key == key || v->actions[i].key2 == key))
            return &v->actions[i];
    return NULL;
}

const struct app_action *keys_by_name(const char *name)
{
    for (size_t i = 0; i < n_app_actions; i++)
        if (!strcmp(app_actions[i].name, name))
            return &app_actions[i];
    return NULL;
}

/* ---- names -------------------------------------------------------------------------------------------- */

static const struct { uint32_t key; const char *name, *ascii; } named[] = {
    {KEY_CODE_UP, "↑", "Up"}, {KEY_CODE_DOWN, "↓", "Down"}, {KEY_CODE_LEFT, "←", "Left"}, {KEY_CODE_RIGHT, "→", "Right"},
    {KEY_CODE_SHIFT_UP, "Shift-↑", "Shift-Up"}, {KEY_CODE_SHIFT_DOWN, "Shift-↓", "Shift-Down"},
    {KEY_CODE_SHIFT_LEFT, "Shift-←", "Shift-Left"}, {KEY_CODE_SHIFT_RIGHT, "Shift-→", "Shift-Right"},
    {KEY_CODE_PAGE_UP, "PageUp", NULL}, {KEY_CODE_PAGE_DOWN, "PageDown", NULL}, {KEY_CODE_HOME, "Home", NULL},
    {KEY_CODE_END, "End", NULL}, {KEY_CODE_INSERT, "Insert", NULL}, {KEY_CODE_DELETE, "Delete", NULL},
    {KEY_CODE_BACKSPACE, "Backspace", NULL}, {KEY_CODE_SHIFT_TAB, "Shift-Tab", NULL}, {KEY_TAB, "Tab", NULL},
    {KEY_RETURN, "↵", "Enter"}, {KEY_ESCAPE, "Esc", NULL}, {' ', "space", NULL},
};

char *key_name(uint32_t key, bool ascii, char *out, size_t size)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (named[i].key == key) {
            snprintf(out, size, "%s", ascii && named[i].ascii ? named[i].ascii : named[i].name);
            return out;
        }
    }
    char character[5];
    if (key >= KEY_CODE_F1 && key <= KEY_CODE_F12)
        snprintf(out, size, "F%u", (unsigned)(key - KEY_CODE_F1 + 1));
    else if (key < ' ')
        snprintf(out, size, "Ctrl-%c", (char)(key + '@'));
    else
        snprintf(out, size, "%.*s", (int)utf8_encode(key, character), character);
    return out;
}

uint32_t keys_named(const char *name)
{
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (!strcasecmp(named[i].name, name) || (named[i].ascii && !strcasecmp(named[i].ascii, name)))
            return named[i].key;
    return *name && !name[1] ? (uint32_t)(unsigned char)*name : 0;
}

static void append(char *out, size_t size, const char *separator, uint32_t key, bool ascii)
{
    char name[24];
    size_t at = strlen(out);
    snprintf(out + at, size - at, "%s%s", at ? separator : "", key_name(key, ascii, name, sizeof name));
}

char *keys_of_framework(const struct app_action *a, bool ascii, char *out, size_t size)
{
    *out = '\0';
    append(out, size, " ", a->key, ascii);
    if (a->last)
        append(out, size, "-", a->last, ascii);
    if (a->pair)
        append(out, size, " ", a[1].key, ascii);
    else if (a->key2)
        append(out, size, " ", a->key2, ascii);
    return out;
}

char *keys_of_view(const struct action *a, bool ascii, char *out, size_t size)
{
    *out = '\0';
    if (a->key)
        append(out, size, " ", a->key, ascii);
    if (a->key2)
        append(out, size, " ", a->key2, ascii);
    return out;
}

char *keys_markdown(enum lang lang)
{
    char *text = xasprintf("| %s | %s |\n| --- | --- |\n", lang_text(lang, N_("keys")), lang_text(lang, N_("what they do")));
    for (size_t i = 0; i < n_app_actions; i++) {
        char keys[80];
        char *longer = xasprintf("%s| `%s` | %s |\n", text, keys_of_framework(&app_actions[i], false, keys, sizeof keys),
                                 lang_text(lang, app_actions[i].help));
        free(text);
        text = longer;
        i += app_actions[i].pair;
    }
    return text;
}
