#include "base/err.h"

#include <errno.h>
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

/* What files meet; the C library would say it in the language of LC_MESSAGES, not in that of --lang. */
static const struct { int error; const char *text; } reasons[] = {
    {ENOENT, N_("No such file or directory")},
    {EACCES, N_("Permission denied")},
    {EPERM, N_("Operation not permitted")},
    {ENOSPC, N_("No space left on device")},
    {EFBIG, N_("File too large")},
    {EDQUOT, N_("Disk quota exceeded")},
    {EROFS, N_("Read-only file system")},
    {EISDIR, N_("Is a directory")},
    {ENOTDIR, N_("Not a directory")},
    {EEXIST, N_("File exists")},
    {ENAMETOOLONG, N_("File name too long")},
    {ELOOP, N_("Too many levels of symbolic links")},
    {EMFILE, N_("Too many open files")},
    {ENFILE, N_("Too many open files in system")},
    {EIO, N_("Input/output error")},
    {EBADF, N_("Bad file descriptor")},
    {EPIPE, N_("Broken pipe")},
    {ENXIO, N_("No such device or address")},
    {EBUSY, N_("Device or resource busy")},
    {ETXTBSY, N_("Text file busy")},
    {ENOMEM, N_("Cannot allocate memory")},
    {EINVAL, N_("Invalid argument")},
    {ENOTSUP, N_("Operation not supported")},
};

const char *err_reason(const struct err *err, int error)
{
    for (size_t i = 0; err && i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].error == error)
            return lang_text(err->lang, reasons[i].text);
    return strerror(error);
}
