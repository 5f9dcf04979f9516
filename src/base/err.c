#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* fmt is one of our own messages or its checked translation (msgfmt --check-format). */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

bool err_set(struct err *err, const char *fmt, ...)
{
    if (!err)
        return false;
    char raw[sizeof err->text];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(raw, sizeof raw, lang_text(err->lang, fmt), ap);
    va_end(ap);
    utf8_sanitise(err->text, sizeof err->text, raw);
    return false;
}

bool err_prefix(struct err *err, const char *fmt, ...)
{
    if (!err)
        return false;
    char context[sizeof err->text], raw[2 * sizeof err->text + 2];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(context, sizeof context, lang_text(err->lang, fmt), ap);
    va_end(ap);
    snprintf(raw, sizeof raw, "%s: %s", context, err->text);
    utf8_sanitise(err->text, sizeof err->text, raw);
    return false;
}
