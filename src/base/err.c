#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* fmt is one of our own messages or its checked translation (msgfmt --check-format). */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* fmt with every "%s" and "%1$s" cut to at most so many bytes. */
static void limit_texts(char *out, size_t size, const char *fmt, int most)
{
    size_t at = 0;
    while (*fmt && at + 16 < size) {
        size_t n = 1;
        if (*fmt == '%') {
            n += strspn(fmt + 1, "0123456789$");
            bool text = fmt[n] == 's';
            memcpy(out + at, fmt, n);
            at += n;
            if (text)
                at += (size_t)snprintf(out + at, size - at, ".%d", most);
            fmt += n;
            n = *fmt != '\0';
        }
        memcpy(out + at, fmt, n);
        at += n;
        fmt += n;
    }
    out[at] = '\0';
}

/* Where a text would leave no room for what is said about it, texts are cut. */
static void format(char *out, size_t size, const char *fmt, va_list ap)
{
    char limited[1024];
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(out, size, fmt, ap);
    for (int most = 320; n >= (int)size && most >= 40; most -= 40) {
        va_list now;
        va_copy(now, again);
        limit_texts(limited, sizeof limited, fmt, most);
        n = vsnprintf(out, size, limited, now);
        va_end(now);
    }
    va_end(again);
}

bool err_set(struct err *err, const char *fmt, ...)
{
    if (!err)
        return false;
    char raw[sizeof err->text];
    va_list ap;
    va_start(ap, fmt);
    format(raw, sizeof raw, lang_text(err->lang, fmt), ap);
    va_end(ap);
    utf8_sanitise(err->text, sizeof err->text, raw);
    return false;
}

bool err_prefix(struct err *err, const char *fmt, ...)
{
    if (!err)
        return false;
    char context[sizeof err->text], raw[2 * sizeof err->text + 2];
    size_t used = strlen(err->text) + 2, room = sizeof err->text - (used < 400 ? used : 400);
    va_list ap;
    va_start(ap, fmt);
    format(context, room, lang_text(err->lang, fmt), ap);
    va_end(ap);
    snprintf(raw, sizeof raw, "%s: %s", context, err->text);
    utf8_sanitise(err->text, sizeof err->text, raw);
    return false;
}
