/* decode.h - the bytes from a terminal that are no key of curses: characters, mouse reports, answers, what is pasted, and sequences that mean
 * nothing here. They may come in any pieces, the sequence of a key too: then curses has given it up. Knows neither curses nor a file descriptor.
 *
 * decode_held first, then decode_byte for a byte, decode_key before a key of curses, decode_pause when no byte is there. */
#ifndef POSVIZ_TERM_DECODE_H
#define POSVIZ_TERM_DECODE_H

#include "term/ask.h"

enum { ANSWER_MAX = 64 };

struct decoder {
    struct ask ask;
    enum { PLAIN, AFTER_ESCAPE, AFTER_BRACKET, AFTER_O, LATE, IN_MOUSE, IN_OLD_MOUSE, IN_CONTROL, IN_STRING, STRING_ESCAPE } sequence;
    bool far;                       /* the line may cut sequences in pieces: an Escape waits for what may follow */
    bool tested;                    /* a test is at the other end: its pings are answered, and nothing is lost or too late by the clock */
    unsigned pings;                 /* that came */
    bool pasting;                   /* characters are no keys but text: EVENT_PASTE */
    const char *left;               /* of a sequence that was none: keys that are to come */
    char late[4];                   /* what may be the rest of a sequence whose Escape was taken for a key */
    long escape_at;                 /* ms of ask_clock */
    long alone_at;                  /* when an Escape was taken for a key because nothing followed; 0: it no longer matters */
    long heard_at;                  /* the last byte */
    int field, report[3];           /* numbers of a mouse or cursor report; field < 0: it is none */
    char text[ANSWER_MAX];          /* of a string */
    size_t n_text;
    char character[5];              /* bytes of a UTF-8 character that is not complete */
    int n_character;
};

/* True with an event as long as keys are left over from a sequence that was none. */
bool decode_held(struct decoder *d, struct event *event);
/* True with an event; *again: the byte comes after what is held, so it must be given once more. */
bool decode_byte(struct decoder *d, int byte, struct event *event, bool *again);
void decode_mouse(struct decoder *d);               /* the start of a mouse report, which curses knows as a key, has come */
void decode_key(struct decoder *d);                 /* a whole key has come: what was begun is given up */
/* No byte is there. A lone Escape is a key then; from far, and while answers are open, it may be the first byte of a sequence, and waits for
 * the ms that are returned; 0: nothing waits. */
int decode_pause(struct decoder *d);

#endif
