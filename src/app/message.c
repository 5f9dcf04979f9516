/* message.c - what the program says in the line of the read-out, in the language of the scenario. */
#include "app/state.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/message.h"
#include "base/utf8.h"

const char *app_text(const struct app *app, const char *msgid)
{
    return lang_text(app->s.lang, msgid);
}

void app_say(struct app *app, enum role role, const char *fmt, ...)
{
    char raw[MESSAGE_MAX];
    va_list ap;
    va_start(ap, fmt);
    message_format(raw, sizeof raw, app->s.lang, fmt, ap);
    va_end(ap);
    utf8_sanitise(app->message, sizeof app->message, raw);
    app->message_role = role;
}

void app_fail(struct app *app, const struct err *err)
{
    snprintf(app->message, sizeof app->message, "%s", err->text);
    app->message_role = ROLE_ERROR;
}
