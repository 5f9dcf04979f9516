#include "term/decode.h"

#include <string.h>

#include "base/utf8.h"

enum { ESCAPE_MS = 100,             /* for which an Escape may be the start of a sequence */
       LATE_MS = 1000,              /* after an Escape that was taken for a key: its sequence may still come */
       SILENCE_MS = 2000 };         /* after which the rest of a sequence or of a paste is lost: what comes then is typed */

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
    if (d->report[1] < 1 || d->report[2] < 1)
        return false;
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

static bool mouse_byte(struct decoder *d, int byte, struct event *event, bool *again)
{
    if (number_byte(d, byte))
        return false;
    d->sequence = PLAIN;
    *again = byte < ' ';
    return (byte == 'M' || byte == 'm') && d->field == 2 && mouse_event(d, byte == 'm', event);
}

/* The older form, of terminals that know no other: three bytes, each 32 more than its number. */
static bool old_mouse_byte(struct decoder *d, int byte, struct event *event, bool *again)
{
    *again = byte < ' ';
    if (!*again)
        d->report[d->field++] = byte - ' ';
    if (!*again && d->field < 3)
        return false;
    d->sequence = PLAIN;
    return !*again && mouse_event(d, false, event);
}

/* ---- keys ------------------------------------------------------------------------------------------------- */

/* The keys of ECMA-48 terminals, in the forms that they have whatever mode was asked for: ESC [ or ESC O and a letter, ESC [ number ~. */
static const struct { char letter; uint32_t key, shifted; } lettered[] = {
    {'A', KEY_CODE_UP, KEY_CODE_SHIFT_UP},       {'B', KEY_CODE_DOWN, KEY_CODE_SHIFT_DOWN}, {'C', KEY_CODE_RIGHT, KEY_CODE_SHIFT_RIGHT},
    {'D', KEY_CODE_LEFT, KEY_CODE_SHIFT_LEFT},   {'H', KEY_CODE_HOME, KEY_CODE_HOME},       {'F', KEY_CODE_END, KEY_CODE_END},
    {'Z', KEY_CODE_SHIFT_TAB, KEY_CODE_SHIFT_TAB}, {'P', KEY_CODE_F1, 0}, {'Q', KEY_CODE_F2, 0}, {'R', KEY_CODE_F3, 0}, {'S', KEY_CODE_F4, 0},
};
static const uint32_t numbered[] = {
    [1] = KEY_CODE_HOME, KEY_CODE_INSERT, KEY_CODE_DELETE, KEY_CODE_END, KEY_CODE_PAGE_UP, KEY_CODE_PAGE_DOWN, KEY_CODE_HOME, KEY_CODE_END,
    [11] = KEY_CODE_F1, KEY_CODE_F2, KEY_CODE_F3, KEY_CODE_F4, KEY_CODE_F5,
    [17] = KEY_CODE_F6, KEY_CODE_F7, KEY_CODE_F8, KEY_CODE_F9, KEY_CODE_F10, [23] = KEY_CODE_F11, KEY_CODE_F12,
};
enum { PASTE_BEGINS = 200, PASTE_ENDS = 201, PING = 7777 };

static bool lettered_key(int letter, bool shift, struct event *event)
{
    uint32_t key = 0;
    for (size_t i = 0; i < sizeof lettered / sizeof *lettered; i++)
        if (lettered[i].letter == letter)
            key = shift ? lettered[i].shifted : lettered[i].key;
    return key && key_event(key, event);
}

/* Tests know no clock: what is not answered when they ask is late. */
static bool ping_event(struct decoder *d, struct event *event)
{
    d->ask.until = 0;
    *event = (struct event){.type = EVENT_SYNC, .sync = ++d->pings};
    return true;
}

/* A paste begins with an event without a character. */
static bool numbered_key(struct decoder *d, struct event *event)
{
    size_t number = (size_t)d->report[0];
    if (number == PING && d->tested)
        return ping_event(d, event);
    if (number == PASTE_BEGINS || number == PASTE_ENDS) {
        d->pasting = number == PASTE_BEGINS;
        *event = (struct event){.type = EVENT_PASTE};
        return d->pasting;
    }
    return number < sizeof numbered / sizeof *numbered && numbered[number] && key_event(numbered[number], event);
}

/* ---- control sequences and answers --------------------------------------------------------------------------- */

/* Read to its end, so that its letters are not taken for keys, whatever it is. One that breaks off (a paste may end so) hides nothing that follows. */
static bool control_byte(struct decoder *d, int byte, struct event *event, bool *again)
{
    bool begins = d->field == 0 && d->report[0] == 0;
    if (number_byte(d, byte))
        return false;
    if (begins && (byte == '<' || byte == 'M')) {
        begin_report(d, byte == '<' ? IN_MOUSE : IN_OLD_MOUSE);
        return false;
    }
    if (byte >= 0x20 && byte <= 0x3f) {
        d->field = -1;
        return false;
    }
    d->sequence = PLAIN;
    *again = byte < ' ';
    bool shift = d->field == 1 && d->report[1] == 2, plain = d->field == 0 || shift;
    if (byte == 'R')
        return d->field == 1 && ask_cursor(&d->ask, d->report[0], d->report[1], event);
    if (byte == '~')
        return plain && numbered_key(d, event);
    return plain && lettered_key(byte, shift, event);
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

/* What was begun is no sequence but keys. */
static void give_up(struct decoder *d)
{
    d->left = d->sequence == AFTER_ESCAPE    ? "\033"
              : d->sequence == AFTER_BRACKET ? "\033]"
              : d->sequence == AFTER_O       ? "\033O"
              : d->sequence == LATE          ? d->late
                                             : "";
    d->sequence = PLAIN;
    d->alone_at = 0;
}

/* In a paste all characters are text, and keys are nothing. */
static bool taken(const struct decoder *d, struct event *event)
{
    if (d->pasting && event->type == EVENT_KEY)
        event->type = event->key < KEY_CODE_BASE ? EVENT_PASTE : EVENT_NONE;
    return event->type != EVENT_NONE;
}

bool decode_held(struct decoder *d, struct event *event)
{
    return d->left && *d->left && key_event((uint32_t)*d->left++, event) && taken(d, event);
}

static bool after_escape(struct decoder *d, int byte, struct event *event, bool *again)
{
    d->escape_at = ask_clock();
    if (byte == KEY_ESCAPE)
        return key_event(KEY_ESCAPE, event);            /* the one before; this one may begin a sequence */
    if (byte == '[')
        begin_report(d, IN_CONTROL);
    else if (byte == ']' || byte == 'O')
        d->sequence = byte == 'O' ? AFTER_O : AFTER_BRACKET;
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
    d->text[0] = (char)byte;
    d->n_text = 1;
}

static bool after_o(struct decoder *d, int byte, struct event *event, bool *again)
{
    bool known = lettered_key(byte, false, event);
    *again = !known;
    if (known)
        d->sequence = PLAIN;
    else
        give_up(d);
    return known;
}

static bool after_string(struct decoder *d, int byte, struct event *event, bool *again)
{
    if (byte == '\\')
        return end_string(d, event);
    d->sequence = AFTER_ESCAPE;
    return after_escape(d, byte, event, again);
}

/* A line that is slow, or a program that was busy, has cut a sequence behind its Escape, which was taken for a key. What comes soon after it, and
 * in one piece, is the rest if it looks like one: nobody types so fast. */
static bool may_be_late(const struct decoder *d, int byte)
{
    bool begins = byte == '[' || byte == 'O' || (byte == ']' && ask_open(&d->ask));
    return d->alone_at && begins && (d->tested || ask_clock() - d->alone_at < LATE_MS);
}

static void late_byte(struct decoder *d, int byte, bool *again)
{
    struct event unused;
    bool digit = byte >= '0' && byte <= '9', letter = lettered_key(byte, false, &unused), bare = !d->late[1];
    *again = true;
    if (bare && d->late[0] == 'O' && letter) {
        d->sequence = AFTER_O;
    } else if (bare && d->late[0] == '[' && (digit || letter)) {
        begin_report(d, IN_CONTROL);
    } else if (bare && d->late[0] == ']' && digit) {
        d->sequence = AFTER_BRACKET;
    } else if (bare && d->late[0] == '[' && byte == '<') {
        d->late[1] = '<';
        *again = false;
    } else if (!bare && digit) {
        begin_report(d, IN_MOUSE);
    } else {
        give_up(d);
    }
}

static bool first_byte(struct decoder *d, int byte, struct event *event)
{
    if (!may_be_late(d, byte)) {
        d->alone_at = 0;
        return plain_byte(d, byte, event);
    }
    d->sequence = LATE;
    memcpy(d->late, (char[sizeof d->late]){(char)byte}, sizeof d->late);
    return false;
}

static bool next_byte(struct decoder *d, int byte, struct event *event, bool *again)
{
    switch (d->sequence) {
    case PLAIN:         return first_byte(d, byte, event);
    case AFTER_ESCAPE:  return after_escape(d, byte, event, again);
    case AFTER_BRACKET: after_bracket(d, byte, again); return false;
    case AFTER_O:       return after_o(d, byte, event, again);
    case LATE:          late_byte(d, byte, again); return false;
    case IN_MOUSE:      return mouse_byte(d, byte, event, again);
    case IN_OLD_MOUSE:  return old_mouse_byte(d, byte, event, again);
    case IN_CONTROL:    return control_byte(d, byte, event, again);
    case IN_STRING:     return string_byte(d, byte, event);
    case STRING_ESCAPE: return after_string(d, byte, event, again);
    }
    return false;
}

/* Has the end of what was begun been lost with a line that was cut? */
static bool is_lost(struct decoder *d)
{
    long before = d->heard_at;
    d->heard_at = ask_clock();
    return (d->sequence != PLAIN || d->pasting) && d->heard_at - before > SILENCE_MS && !d->tested;
}

bool decode_byte(struct decoder *d, int byte, struct event *event, bool *again)
{
    *again = is_lost(d);
    if (*again) {
        give_up(d);
        d->pasting = false;
        return false;
    }
    return next_byte(d, byte, event, again) && taken(d, event);
}

void decode_mouse(struct decoder *d)
{
    begin_report(d, IN_MOUSE);
}

void decode_key(struct decoder *d)
{
    give_up(d);
    d->pasting = d->pasting && !is_lost(d);
}

int decode_pause(struct decoder *d)
{
    long left = d->escape_at + ESCAPE_MS - ask_clock();
    bool escape = d->sequence == AFTER_ESCAPE || d->sequence == AFTER_BRACKET, alone = d->sequence == AFTER_ESCAPE;
    if (!escape && d->sequence != AFTER_O && d->sequence != LATE)
        return 0;
    if (left > 0 && (d->sequence == AFTER_O || (escape && (d->far || ask_open(&d->ask)))))
        return (int)left;
    give_up(d);
    d->alone_at = alone ? ask_clock() : 0;
    return 0;
}
