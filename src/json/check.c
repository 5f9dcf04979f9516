/* check.c - is a text JSON to the letter (RFC 8259)? cJSON lets pass 010 and 1., control characters in strings, NUL between values, bytes
 * that are no UTF-8; other readers refuse them, and what they would be shown or sent as is anybody's guess. The automaton can be fed line by
 * line, and needs no recursion, so depth is bounded here too. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "json/impl.h"

enum { NUMBER_MAX_BYTES = 63 };         /* what every cJSON reads */
enum want { WANT_VALUE, WANT_ENTRY_OR_END, WANT_KEY, WANT_KEY_OR_END, WANT_COLON, WANT_COMMA_OR_END, WANT_NOTHING };

struct cursor { const char *at, *end; };

struct json_place json_place_of(const char *text, const char *at)
{
    struct json_place place = {1, 1};
    for (const char *p = text; p < at; p++) {
        if (*p == '\n') {
            place.line++;
            place.column = 1;
        } else if ((*p & 0xc0) != 0x80) {
            place.column++;
        }
    }
    return place;
}

/* ---- tokens: the cursor moves past one, or stays where it goes wrong ------------------------------------- */

static bool take(struct cursor *s, char c)
{
    if (s->at >= s->end || *s->at != c)
        return false;
    s->at++;
    return true;
}

static bool digits(struct cursor *s)
{
    const char *from = s->at;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
        s->at++;
    return s->at > from;
}

static size_t number_size(const struct cursor *s)
{
    size_t n = 0;
    while (s->at + n < s->end && s->at[n] && strchr("+-.0123456789eE", s->at[n]))
        n++;
    return n;
}

static bool number(struct cursor *s)
{
    if (number_size(s) > NUMBER_MAX_BYTES)
        return false;
    take(s, '-');
    if (!take(s, '0') && !digits(s))
        return false;
    if (take(s, '.') && !digits(s))
        return false;
    if (!take(s, 'e') && !take(s, 'E'))
        return true;
    if (!take(s, '-'))
        take(s, '+');
    return digits(s);
}

static bool word(struct cursor *s, const char *letters)
{
    size_t n = strlen(letters), left = (size_t)(s->end - s->at);
    if (strncmp(s->at, letters, n < left ? n : left))
        return false;
    s->at += n < left ? n : left;
    return n <= left;
}

static bool read_hex(const char *at, const char *end, uint32_t *out)
{
    *out = 0;
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u')
        return false;
    for (int i = 2; i < 6; i++) {
        const char *hex = "0123456789abcdef", *digit = at[i] ? strchr(hex, at[i] | 0x20) : NULL;
        if (!digit || (at[i] < 'A' && at[i] > '9'))
            return false;
        *out = *out << 4 | (uint32_t)(digit - hex);
    }
    return true;
}

bool json_escape(const char **at, const char *end, uint32_t *out)
{
    static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    const char *plain = end - *at >= 2 && (*at)[1] ? strchr(letters, (*at)[1]) : NULL;
    uint32_t low;
    if (plain) {
        *out = (uint32_t)meant[plain - letters];
        *at += 2;
        return true;
    }
    if (!read_hex(*at, end, out))
        return false;
    *at += 6;
    if (*out < 0xd800 || *out > 0xdfff)
        return true;
    bool pair = *out < 0xdc00 && read_hex(*at, end, &low) && low >= 0xdc00 && low <= 0xdfff;
    *out = pair ? 0x10000 + ((*out - 0xd800) << 10) + (low - 0xdc00) : JSON_NO_CHARACTER;
    *at += pair ? 6 : 0;
    return true;
}

/* Half of a pair of surrogates is no character either; U+FFFD itself is written \ufffd. */
static bool escape(struct cursor *s)
{
    uint32_t c, unit;
    const char *from = s->at;
    if (json_escape(&s->at, s->end, &c) && (c != JSON_NO_CHARACTER || (read_hex(from, s->end, &unit) && unit == c)))
        return true;
    s->at = from;
    return false;
}

static bool letter(struct cursor *s)
{
    const char *from = s->at;
    if ((unsigned char)*from < 0x20)
        return false;
    if (utf8_next(&s->at) != JSON_NO_CHARACTER || s->at - from == 3)
        return true;
    s->at = from;
    return false;
}

static bool string(struct cursor *s)
{
    for (s->at++; s->at < s->end && *s->at != '"';)
        if (!(*s->at == '\\' ? escape(s) : letter(s)))
            return false;
    return take(s, '"');
}

/* ---- the grammar ------------------------------------------------------------------------------------------- */

static bool inside_object(const struct json_check *c)
{
    return c->depth && c->object[c->depth - 1];
}

static void after_value(struct json_check *c)
{
    c->want = c->depth ? WANT_COMMA_OR_END : WANT_NOTHING;
}

static bool open_bracket(struct json_check *c, struct cursor *s)
{
    if (c->depth == JSON_MAX_DEPTH)
        return false;
    bool object = *s->at++ == '{';
    c->object[c->depth++] = object;
    c->want = object ? WANT_KEY_OR_END : WANT_ENTRY_OR_END;
    return true;
}

static bool close_bracket(struct json_check *c, struct cursor *s)
{
    if (!take(s, inside_object(c) ? '}' : ']'))
        return false;
    c->depth--;
    after_value(c);
    return true;
}

static bool value(struct json_check *c, struct cursor *s)
{
    char first = *s->at;
    if (first == '{' || first == '[')
        return open_bracket(c, s);
    const char *from = s->at;
    bool good = first == '"'   ? string(s)
                : first == 't' ? word(s, "true")
                : first == 'f' ? word(s, "false")
                : first == 'n' ? word(s, "null")
                               : number(s);
    if (good)
        after_value(c);
    else if (first != '"' && s->at < s->end)
        s->at = from;
    return good;
}

/* The next token. */
static bool step(struct json_check *c, struct cursor *s)
{
    switch ((enum want)c->want) {
    case WANT_ENTRY_OR_END:
        return *s->at == ']' ? close_bracket(c, s) : value(c, s);
    case WANT_VALUE:
        return value(c, s);
    case WANT_KEY_OR_END:
        if (*s->at == '}')
            return close_bracket(c, s);
        /* fall through */
    case WANT_KEY:
        c->want = WANT_KEY;
        if (*s->at != '"' || !string(s))
            return false;
        c->want = WANT_COLON;
        return true;
    case WANT_COLON:
        c->want = *s->at == ':' ? WANT_VALUE : WANT_COLON;
        return take(s, ':');
    case WANT_COMMA_OR_END:
        if (*s->at != ',')
            return close_bracket(c, s);
        c->want = inside_object(c) ? WANT_KEY : WANT_VALUE;
        return take(s, ',');
    case WANT_NOTHING:
        break;
    }
    return false;
}

static void skip_blanks(struct cursor *s)
{
    while (s->at < s->end && json_blank(*s->at))
        s->at++;
}

/* What is wrong at s; in_string: within a string that began before. */
static bool refuse(const struct json_check *c, const struct cursor *s, bool in_string, struct json_place place, struct err *err)
{
    unsigned char byte = (unsigned char)*s->at;
    char line[24], near[24];
    bool comma = (byte == ']' && c->want == WANT_VALUE && c->depth && !inside_object(c)) || (byte == '}' && c->want == WANT_KEY);
    if (comma)
        return err_set(err, N_("not valid JSON, line %d, column %d: a comma stands before '%c'"), place.line, place.column, byte);
    if (c->depth == JSON_MAX_DEPTH && !in_string && (byte == '[' || byte == '{'))
        return err_set(err, N_("line %d, column %d: more than %d levels deep"), place.line, place.column, JSON_MAX_DEPTH);
    if (!in_string && number_size(s) > NUMBER_MAX_BYTES)
        return err_set(err, N_("line %d, column %d: a number of more than %d characters"), place.line, place.column, NUMBER_MAX_BYTES);
    if (in_string && byte == '\n')
        return err_set(err, N_("not valid JSON, line %d, column %d: the line ends inside a string"), place.line, place.column);
    if (byte < 0x20 || byte >= 0x7f)
        return err_set(err, N_("not valid JSON, line %d, column %d: byte 0x%02x cannot stand there"), place.line, place.column, byte);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(s->at, "\n"), s->at);
    return err_set(err, N_("not valid JSON, line %d, column %d, at '%s'"), place.line, place.column, utf8_sanitise(near, sizeof near, line));
}

/* The last character that can be seen. */
static const char *last_seen(const char *text, const char *end)
{
    while (end > text && json_blank(end[-1]))
        end--;
    return end > text ? end - 1 : text;
}

enum json_state json_check(struct json_check *c, const char *text, size_t size, struct json_place *bad, struct err *err)
{
    struct cursor s = {text, text + size};
    const char *token = text;
    for (skip_blanks(&s); s.at < s.end; skip_blanks(&s)) {
        token = s.at;
        if (!step(c, &s))
            break;
    }
    bool open = s.at >= s.end;
    struct json_place place = json_place_of(text, open ? last_seen(text, s.end) : s.at);
    place.line += c->lines;
    c->lines += json_place_of(text, s.end).line - 1;
    if (open && c->want == WANT_NOTHING)
        return JSON_WHOLE;
    if (bad)
        *bad = place;
    if (open)
        err_set(err, N_("not valid JSON, line %d, column %d: the text ends too early"), place.line, place.column);
    else
        refuse(c, &s, *token == '"' && s.at > token, place, err);
    return open ? JSON_OPEN : JSON_BROKEN;
}
