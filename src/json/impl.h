/* impl.h - what the files of json/ share: blanks, places in a text, and escapes. */
#ifndef POSVIZ_JSON_IMPL_H
#define POSVIZ_JSON_IMPL_H

#include <stdbool.h>
#include <stdint.h>

#include "json/json.h"

enum { JSON_NO_CHARACTER = 0xfffd };

/* What may stand between tokens. */
static inline bool json_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Line and column of at, which stands in text. */
struct json_place json_place_of(const char *text, const char *at);

/* Decodes the escape at *at, which is a backslash, and moves past it: a pair of surrogates is one character, half of one is U+FFFD.
 * False, and *at as it was, if it is none, or cut by end. */
bool json_escape(const char **at, const char *end, uint32_t *out);

#endif
