#include "term/decode.h"

#include <string.h>

#include "base/utf8.h"

enum { ESCAPE_MS = 100,             /* for which an Escape may be the start of an answer */
       STRING_MS = 2000 };          /* after which the rest of a string is lost: what comes then is typed */

static bool key_event(uint32_t key, struct event *event)
{
    *event = (struct event){.type = EVENT_KEY, .key = key};
    return true;
}

/* ---- mouse ------------------------------------------------------------------------------------------------ */

/* A mouse report in SGR form is ESC [ < buttons ; x ; y, then M, or m for a release. Buttons: 0 to 2, 3 none, 32 moved, 64 wheel;
 * 4, 8, 16 are shift, meta, control. */
static bool mouse_event(const struct decoder *d, bool release, struct event *event)
{
    int buttons = d->report[0], button = buttons & 3;
    *event = (struct event){.type = EVENT_MOUSE, .x = d->report[1] - 1, .y = d->report[2] - 1, .button = button % 3 + 1};
    if (buttons & 64) {
        event->mouse = button == 0 ? MOUSE_WHEEL_UP : MOUSE_WHEEL_DOWN;
        event->button = 0;
        return button < 2;
    }
    if (buttons & 32) {
        event->mouse = button == 3 ? MOUSE_MOVE : MOUSE_DRAG;
        event->button = button == 3 ? 0 : event->button;
        return true;
    }
    event->mouse = release || button == 3 ? MOUSE_RELEASE : MOUSE_PRESS;
    return true;
}

static void begin_report(struct decoder *d, int sequence)
{
    d->sequence = sequence;
    d->field = d->report[0] = d->report[1] = d->report[2] = 0;
}

/* A digit or semicolon of a report's numbers. */
static bool number_byte(struct decoder *d, int byte)
{
    if (byte >= '0' && byte <= '9' && d->field >= 0) {
        if (d->report[d->field] < 10000)
            d->report[d->field] = 10 * d->report[d->field] + byte - '0';
        return true;
    }
    bool next = byte == ';' && d->field >= 0 && d->field < 2;
    d->field += next;
    return next;
}

static bool mouse_byte(struct decoder *d, int byte, struct event *event)
{
    if (number_byte(d, byte))
        return false;
    d->sequence = PLAIN;
    return (byte == 'M' || byte == 'm') && d->field == 2 && mouse_event(d, byte == 'm', event);
}

/* ---- answers ---------------------------------------------------------------------------------------------- */

/* A control sequence that no key has: a report of the cursor, or nothing; read to its end, so that its letters are not taken for keys. */
static bool control_byte(struct decoder *d, int byte, struct event *event)
{
    if (number_byte(d, byte))
        return false;
    if (byte >= 0x20 && byte <= 0x3f) {
        d->field = -1;
        return false;
    }
    d->sequence = PLAIN;
    return byte == 'R' && d->field == 1 && ask_cursor(&d->ask, d->report[0], d->report[1], event);
}

static bool end_string(struct decoder *d, struct event *event)
{
    d->sequence = PLAIN;
    d->text[d->n_text] = '\0';
    return ask_string(&d->ask, d->text, event);
}

/* Ends with BEL, or with ESC \; with Enter, should its end be lost. Of what is too long for an answer the rest is dropped. */
static bool string_byte(struct decoder *d, int byte, struct event *event)
{
    if (byte == '\a')
        return end_string(d, event);
    if (byte == KEY_ESCAPE)
        d->sequence = STRING_ESCAPE;
    else if (byte == '\r' || byte == '\n')
        d->sequence = PLAIN;
    else if (byte >= ' ' && d->n_text + 1 < sizeof d->text)
        d->text[d->n_text++] = (char)byte;
    return false;
}

/* ---- characters ------------------------------------------------------------------------------------------- */

/* Bytes above ASCII join until they are a character; what cannot become one is dropped. */
static bool character_byte(struct decoder *d, int byte, struct event *event)
{
    bool continues = (byte & 0xc0) == 0x80;
    if (!continues)
        d->n_character = 0;
    if (d->n_character == 4 || (continues && d->n_character == 0))
        return false;
    d->character[d->n_character++] = (char)byte;
    d->character[d->n_character] = '\0';
    const char *p = d->character;
    uint32_t c = utf8_next(&p);
    if (p - d->character < d->n_character || (c == 0xfffd && d->n_character == 1))
        return false;
    d->n_character = 0;
    return key_event(c, event);
}

static bool plain_byte(struct decoder *d, int byte, struct event *event)
{
    if (byte >= 0x80)
        return character_byte(d, byte, event);
    if (byte != KEY_ESCAPE)
        return key_event(byte == '\n' ? KEY_RETURN : byte == 0x7f || byte == '\b' ? KEY_CODE_BACKSPACE : (uint32_t)byte, event);
    d->sequence = AFTER_ESCAPE;
    d->escape_at = ask_clock();
    return false;
}

/* ---- sequences -------------------------------------------------------------------------------------------- */

/* What was begun is no sequence but keys: Escape, and a bracket. */
static void give_up(struct decoder *d)
{
    d->left = d->sequence == AFTER_ESCAPE ? "\033" : d->sequence == AFTER_BRACKET ? "\033]" : "";
    d->sequence = PLAIN;
}

bool decode_held(struct decoder *d, struct event *event)
{
    return d->left && *d->left && key_event((uint32_t)*d->left++, event);
}

static bool after_escape(struct decoder *d, int byte, struct event *event, bool *again)
{
    d->escape_at = ask_clock();
    if (byte == KEY_ESCAPE)
        return key_event(KEY_ESCAPE, event);            /* the one before; this one may begin a sequence */
    if (byte == '[')
        begin_report(d, IN_CONTROL);
    else if (byte == ']')
        d->sequence = AFTER_BRACKET;
    else
        give_up(d);
    *again = d->sequence == PLAIN;
    return false;
}

/* An answer goes on with a number; Alt and a bracket are typed without. */
static void after_bracket(struct decoder *d, int byte, bool *again)
{
    *again = byte < '0' || byte > '9';
    if (*again) {
        give_up(d);
        return;
    }
    d->sequence = IN_STRING;
    d->heard_at = ask_clock();
    d->text[0] = (char)byte;
    d->n_text = 1;
}

static bool after_string(struct decoder *d, int byte, struct event *event, bool *again)
{
    if (byte == '\\')
        return end_string(d, event);
    d->sequence = AFTER_ESCAPE;
    return after_escape(d, byte, event, again);
}

/* Does the byte belong to the string that was begun, or has its end been lost with a line that was cut? */
static bool goes_on(struct decoder *d)
{
    long before = d->heard_at;
    d->heard_at = ask_clock();
    if (d->heard_at - before > STRING_MS)
        d->sequence = PLAIN;
    return d->sequence == IN_STRING;
}

bool decode_byte(struct decoder *d, int byte, struct event *event, bool *again)
{
    *again = false;
    switch (d->sequence) {
    case PLAIN:         return plain_byte(d, byte, event);
    case AFTER_ESCAPE:  return after_escape(d, byte, event, again);
    case AFTER_BRACKET: after_bracket(d, byte, again); return false;
    case IN_MOUSE:      return mouse_byte(d, byte, event);
    case IN_CONTROL:    return control_byte(d, byte, event);
    case IN_STRING:     return goes_on(d) ? string_byte(d, byte, event) : plain_byte(d, byte, event);
    case STRING_ESCAPE: return after_string(d, byte, event, again);
    }
    return false;
}

void decode_mouse(struct decoder *d)
{
    begin_report(d, IN_MOUSE);
}

void decode_key(struct decoder *d)
{
    give_up(d);
}

int decode_pause(struct decoder *d)
{
    long left = d->escape_at + ESCAPE_MS - ask_clock();
    if (d->sequence != AFTER_ESCAPE && d->sequence != AFTER_BRACKET)
        return 0;
    if (ask_open(&d->ask) && left > 0)
        return (int)left;
    give_up(d);
    return 0;
}
