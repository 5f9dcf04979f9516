#include "app/line.h"

#include <string.h>

#include "base/utf8.h"
#include "term/term.h"

enum { CTRL_A = 1, CTRL_B = 2, CTRL_D = 4, CTRL_E = 5, CTRL_F = 6, CTRL_H = 8, CTRL_K = 11, CTRL_U = 21, CTRL_W = 23, DELETE = 127 };

static bool inside(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static size_t before(const struct line *l, size_t at)
{
    if (at)
        do
            at--;
        while (at && inside(l->text[at]));
    return at;
}

static size_t after(const struct line *l, size_t at)
{
    if (l->text[at])
        do
            at++;
        while (inside(l->text[at]));
    return at;
}

static void cut(struct line *l, size_t from, size_t to)
{
    memmove(l->text + from, l->text + to, strlen(l->text + to) + 1);
    l->at = from;
}

static size_t word_before(const struct line *l)
{
    size_t at = l->at;
    while (at && l->text[at - 1] == ' ')
        at--;
    while (at && !strchr(" =/", l->text[at - 1]))
        at--;
    return at < l->at ? at : before(l, l->at);
}

void line_set(struct line *l, const char *text)
{
    l->text[0] = '\0';
    l->at = 0;
    line_replace(l, 0, text);
}

void line_replace(struct line *l, size_t from, const char *text)
{
    cut(l, from, l->at);
    size_t room = sizeof l->text - 1 - strlen(l->text), n = strlen(text);
    if (n > room) {
        n = room;
        while (n && inside(text[n]))
            n--;
    }
    memmove(l->text + l->at + n, l->text + l->at, strlen(l->text + l->at) + 1);
    memcpy(l->text + l->at, text, n);
    l->at += n;
}

bool line_types(uint32_t key)
{
    return key >= ' ' && key != DELETE && (key < 0x80 || key >= 0xa0) && key < KEY_CODE_BASE;
}

bool line_key(struct line *l, uint32_t key)
{
    char character[5];
    size_t n;
    switch (key) {
    case KEY_CODE_LEFT:
    case CTRL_B:
        l->at = before(l, l->at);
        return true;
    case KEY_CODE_RIGHT:
    case CTRL_F:
        l->at = after(l, l->at);
        return true;
    case KEY_CODE_HOME:
    case CTRL_A:
        l->at = 0;
        return true;
    case KEY_CODE_END:
    case CTRL_E:
        l->at = strlen(l->text);
        return true;
    case KEY_CODE_BACKSPACE:
    case CTRL_H:
    case DELETE:
        cut(l, before(l, l->at), l->at);
        return true;
    case KEY_CODE_DELETE:
    case CTRL_D:
        cut(l, l->at, after(l, l->at));
        return true;
    case CTRL_K:
        l->text[l->at] = '\0';
        return true;
    case CTRL_U:
        cut(l, 0, l->at);
        return true;
    case CTRL_W:
        cut(l, word_before(l), l->at);
        return true;
    }
    if (!line_types(key))
        return false;
    n = utf8_encode(key, character);
    if (strlen(l->text) + n >= sizeof l->text)
        return false;
    line_replace(l, l->at, character);
    return true;
}
