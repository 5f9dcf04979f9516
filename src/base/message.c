#include "base/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/utf8.h"

/* The format is one of our own messages or its checked translation (msgfmt --check-format). */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

enum { ARGUMENTS_MAX = 16, SHORTEST = 10 };

static int digits_of(double x)
{
    char text[DIGITS_TEXT];
    return digits_write(text, x, SHORTEST);
}

/* Takes one argument off ap as a conversion asks for it: the digits of a number, 0 for anything else. */
static int take(va_list *ap, const char *length, char conversion)
{
    if (strchr("gfe", conversion))
        return digits_of(va_arg(*ap, double));
    if (conversion == 's')
        (void)va_arg(*ap, const char *);
    else if (*length == 'z' || *length == 'l')
        (void)va_arg(*ap, size_t);
    else
        (void)va_arg(*ap, int);
    return 0;
}

/* The digits of every argument, in the order of msgid, which names none by its place. */
static void measure(int digits[ARGUMENTS_MAX], const char *msgid, va_list ap)
{
    va_list at;
    va_copy(at, ap);
    size_t n = 0;
    for (const char *c = strchr(msgid, '%'); c; c = strchr(c + 1, '%')) {
        for (c++; strchr("0123456789.-+ #*", *c) && *c; c++)
            if (*c == '*' && n < ARGUMENTS_MAX)
                digits[n++] = take(&at, "", 'd');
        const char *length = c;
        c += strspn(c, "hlz");
        if (!*c)
            break;
        if (*c != '%' && n < ARGUMENTS_MAX)
            digits[n++] = take(&at, length, *c);
    }
    va_end(at);
}

/* fmt with every plain "%g" and "%1$g" given its digits, and every plain "%s" cut to at most so many bytes, unless most is 0. */
static void complete(char *out, size_t size, const char *fmt, const int digits[ARGUMENTS_MAX], int most)
{
    size_t at = 0, n = 0;
    while (*fmt && at + 16 < size) {
        if (*fmt != '%') {
            out[at++] = *fmt++;
            continue;
        }
        size_t number = strspn(fmt + 1, "0123456789"), before = fmt[number + 1] == '$' ? number + 2 : 1;
        size_t length = before + strcspn(fmt + before, "diuxXcsgfep%");
        if (!fmt[length])
            break;
        size_t which = before > 1 ? strtoul(fmt + 1, NULL, 10) - 1 : n;
        memcpy(out + at, fmt, before);
        at += before;
        if (fmt[before] == 'g' && which < ARGUMENTS_MAX)
            at += (size_t)snprintf(out + at, size - at, ".%d", digits[which]);
        else if (fmt[before] == 's' && most)
            at += (size_t)snprintf(out + at, size - at, ".%d", most);
        n += fmt[length] != '%';
        for (fmt += before; before <= length && at + 1 < size; before++) {
            n += *fmt == '*';
            out[at++] = *fmt++;
        }
    }
    out[at] = '\0';
}

/* Texts are cut by bytes: the halves of characters go. */
static void drop_halves(char *text)
{
    char *to = text;
    for (const char *at = text, *from = at; utf8_next(&at); from = at) {
        size_t bytes = at - from == 1 && (unsigned char)*from >= 0x80 ? 0 : (size_t)(at - from);
        memmove(to, from, bytes);
        to += bytes;
    }
    *to = '\0';
}

void message_format(char *out, size_t size, enum lang lang, const char *msgid, va_list ap)
{
    char completed[2048];
    int digits[ARGUMENTS_MAX] = {0}, n = (int)size;
    measure(digits, msgid, ap);
    for (int most = 0; n >= (int)size && (!most || most >= 40); most = most ? most - 40 : 320) {
        va_list now;
        va_copy(now, ap);
        complete(completed, sizeof completed, lang_text(lang, msgid), digits, most);
        n = vsnprintf(out, size, completed, now);
        va_end(now);
        if (most)
            drop_halves(out);
    }
}

void message_append(char *out, size_t size, const char *fmt, ...)
{
    size_t at = strlen(out);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(out + at, size - at, fmt, ap);
    va_end(ap);
}
