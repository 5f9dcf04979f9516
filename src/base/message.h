/* message.h - a sentence of ours with its values, in the user's language.
 *
 * A plain %g stands for a number as it was given: the fewest digits, at least ten, that read back as the same number (1048577, not
 * 1.04858e+06). With a precision (%.6g) it is rounded, as a computed number is. */
#ifndef POSVIZ_BASE_MESSAGE_H
#define POSVIZ_BASE_MESSAGE_H

#include <stdarg.h>
#include <stddef.h>
#include "base/lang.h"

/* Formats the translation of msgid. Texts that would leave no room for the rest of the message are cut. */
void message_format(char *out, size_t size, enum lang lang, const char *msgid, va_list ap) __attribute__((format(printf, 4, 0)));
/* Adds to the text that stands in out; fmt is as it shall be, translated where it must be. */
void message_append(char *out, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
