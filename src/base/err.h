/* err.h - what went wrong, in the user's language.
 *
 * A function that a user can make fail returns false (or NULL) and fills a struct err:
 *     return err_set(err, N_("rope_theta = %g: must be greater than 0"), theta);
 * The message names the thing, its value and what is allowed. The caller puts the language in before the
 * call (struct err err = {.lang = lang}); err may be NULL where nobody wants the text. */
#ifndef POSVIZ_BASE_ERR_H
#define POSVIZ_BASE_ERR_H

#include <stdbool.h>
#include "base/lang.h"

struct err {
    enum lang lang;
    char text[512];
};

/* Formats the translation of fmt into err->text as message_format does (a plain %g is a number as it was given), control characters
 * replaced. Returns false, so that it can be returned. fmt is marked for translation by N_(). */
bool err_set(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts "context: " before the text of an error already set. Returns false. */
bool err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What errno says, in the language of err. */
const char *err_reason(const struct err *err, int error);

#endif
