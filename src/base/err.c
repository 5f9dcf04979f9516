#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "base/utf8.h"

bool err_set(struct err *err, const char *fmt, ...)
{
    if (!err)
        return false;
    char raw[sizeof err->text];
    va_list ap;
    va_start(ap, fmt);
    message_format(raw, sizeof raw, err->lang, fmt, ap);
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
    message_format(context, room, err->lang, fmt, ap);
    va_end(ap);
    snprintf(raw, sizeof raw, "%s: %s", context, err->text);
    utf8_sanitise(err->text, sizeof err->text, raw);
    return false;
}
