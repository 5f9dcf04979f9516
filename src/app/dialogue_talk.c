/* dialogue_talk.c - saying lines and asking for one; the parts of a page, of which the first lines are said and the rest on `more`. */
#include "app/dialogue.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "figure/describe.h"

/* Formats of our own catalogue, checked by msgfmt. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* Lines that `more` says at a time. */
enum { A_BREATH = 12 };

/* ---- talking ------------------------------------------------------------------------------------------------ */

const char *dialogue_text(const struct dialogue *d, const char *msgid)
{
    return lang_text(d->app->s.lang, msgid);
}

static void print_line(bool (*add)(struct buf *, const char *), const char *text)
{
    struct buf out = {0};
    if (add(&out, text))
        fwrite(out.data, 1, out.n, stdout);
    buf_done(&out);
}

void dialogue_say_numbers(const char *text)
{
    print_line(describe_numbers_line, text);
}

void dialogue_say(const struct dialogue *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = xvasprintf(dialogue_text(d, fmt), ap);
    va_end(ap);
    print_line(describe_line, text);
    free(text);
}

/* Without the blanks around it and the ":" of the screen's prompt, and with nothing that controls a terminal. */
static void take_words(struct dialogue *d, char *raw)
{
    for (size_t n = strlen(raw); n && isspace((unsigned char)raw[n - 1]); n--)
        raw[n - 1] = '\0';
    utf8_sanitise(d->typed, sizeof d->typed, raw + strspn(raw, " \t:"));
}

enum typed { TYPED_LINE, TYPED_TOO_MUCH, TYPED_END };

/* Bytes of value 0 are dropped. */
static enum typed read_line(char *line, size_t size)
{
    size_t n = 0;
    bool ended = false;
    for (int c; !ended && (c = getchar()) != EOF;) {
        ended = c == '\n';
        if (!ended && c && ++n < size)
            line[n - 1] = (char)c;
    }
    line[n < size ? n : 0] = '\0';
    return n >= size ? TYPED_TOO_MUCH : ended || n ? TYPED_LINE : TYPED_END;
}

const char *dialogue_ask(struct dialogue *d, const char *prompt)
{
    char raw[LINE_TYPED_MAX];
    enum typed typed = TYPED_TOO_MUCH;
    while (typed == TYPED_TOO_MUCH) {
        printf("%s> ", prompt);
        fflush(stdout);
        typed = read_line(raw, sizeof raw);
        if (typed == TYPED_TOO_MUCH)
            dialogue_say(d, N_("The line is longer than the %d bytes that are allowed; nothing was done."), LINE_TYPED_MAX - 1);
    }
    if (typed == TYPED_END) {
        printf("%s\n", dialogue_text(d, N_("end of input")));
        d->app->quit = true;
        return NULL;
    }
    take_words(d, raw);
    if (d->echo)
        printf("%s\n", d->typed);
    return d->typed;
}

int dialogue_number(const char *line)
{
    size_t n = strspn(line, "0123456789");
    return n && n < 7 && !line[n] ? atoi(line) : 0;
}

/* ---- the page ------------------------------------------------------------------------------------------------ */

/* The present page becomes the one before. */
void dialogue_new_page(struct dialogue *d)
{
    for (size_t i = 0; i < d->n_before; i++)
        free(d->before[i].text);
    memcpy(d->before, d->part, sizeof d->before);
    d->n_before = d->n_parts;
    d->n_parts = d->unchanged = 0;
}

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* Start of line i. */
static const char *line_of(const char *text, size_t i)
{
    for (; i && *text; text++)
        i -= *text == '\n';
    return text;
}

static void say_on(struct part *p, size_t lines)
{
    const char *from = line_of(p->text, p->said), *to = line_of(from, lines);
    printf("%.*s", (int)(to - from), from);
    p->said += count_lines(from) < lines ? count_lines(from) : lines;
}

static size_t lines_left(const struct part *p)
{
    return count_lines(line_of(p->text, p->said));
}

void dialogue_part(struct dialogue *d, char *text, size_t message)
{
    if (d->n_parts == PARTS_MAX) {
        free(text);
        return;
    }
    size_t i = d->n_parts++;
    d->part[i] = (struct part){text, 0};
    if (d->kind == PAGE_CHANGED && i < d->n_before && !strcmp(text, d->before[i].text)) {
        d->part[i].said = d->before[i].said;
        d->unchanged++;
    } else {
        say_on(&d->part[i], d->talk ? message : count_lines(text));
    }
}

void dialogue_say_left(const struct dialogue *d)
{
    size_t left = 0;
    for (size_t i = 0; i < d->n_parts; i++)
        left += lines_left(&d->part[i]);
    if (d->unchanged)
        dialogue_say(d, N_("The rest is unchanged; `repeat` says all."));
    if (left)
        dialogue_say(d, left > 1 ? N_("%zu more lines: more.") : N_("%zu more line: more."), left);
}

/* The rest of the first part that has one. */
void dialogue_say_more(struct dialogue *d)
{
    for (size_t i = 0; i < d->n_parts; i++) {
        if (!lines_left(&d->part[i]))
            continue;
        say_on(&d->part[i], A_BREATH);
        d->unchanged = 0;
        dialogue_say_left(d);
        return;
    }
    dialogue_say(d, N_("That was all. `repeat` says it again."));
}

const char *dialogue_rest(const char *line, const char *word)
{
    size_t n = strlen(word);
    return !strncmp(line, word, n) && (line[n] == ' ' || !line[n]) ? line + n + strspn(line + n, " ") : NULL;
}
