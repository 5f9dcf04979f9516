/* shell.c - the quoting rules of POSIX (Shell Command Language, 2.2) and its comments (2.3), nothing more. */
#include "base/shell.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool is_plain(const char *word)
{
    if (!*word)
        return false;
    for (; *word; word++)
        if (!isalnum((unsigned char)*word) && !strchr("_./=,:+%@-", *word))
            return false;
    return true;
}

void shell_word(struct buf *out, const char *word)
{
    if (is_plain(word)) {
        buf_text(out, word);
        return;
    }
    buf_text(out, "'");
    for (; *word; word++)
        if (*word == '\'')
            buf_text(out, "'\\''");
        else
            buf_put(out, word, 1);
    buf_text(out, "'");
}

/* One word from *text to *to, both moved on; false if a quote stays open. */
static bool read_word(char **text, char **to)
{
    char quote = 0;
    for (; **text && (quote || !strchr(" \t\n", **text)); ++*text) {
        char c = **text, next = (*text)[1];
        if (quote ? c == quote : c == '"' || c == '\'')
            quote = quote ? 0 : c;
        else if (c == '\\' && next && quote != '\'' && (!quote || strchr("\"\\$`", next)))
            *(*to)++ = *++*text;
        else
            *(*to)++ = c;
    }
    return !quote;
}

int shell_split(char *text, char **words, int max, char **rest)
{
    int n = 0;
    char *to = text;
    for (text += strspn(text, " \t\n"); *text && *text != '#'; text += strspn(text, " \t\n")) {
        if (n == max)
            return -1;
        words[n++] = to;
        if (!read_word(&text, &to))
            return -1;
        text += *text != '\0';
        *to++ = '\0';
    }
    if (rest)
        *rest = *text ? text + 1 : NULL;
    return n;
}
