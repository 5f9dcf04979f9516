/* lang.h - the message catalogues. Messages are written in English in the source, marked with N_(), and
 * translated in po/zh.po. The compiled catalogues (gettext's .mo format) are part of the binary and are
 * read by our own reader, since libc's gettext cannot switch language while running without an installed
 * locale. Nothing here changes after the start, so any thread may translate. */
#ifndef POSVIZ_BASE_LANG_H
#define POSVIZ_BASE_LANG_H

#include <stdbool.h>
#include <stddef.h>

enum lang { LANG_EN, LANG_ZH, LANG_COUNT };

/* Marks a message for xgettext where it is stored; lang_text translates it where it is used. */
#define N_(text) text

/* The translation of msgid, or msgid itself where there is none. Never NULL unless msgid is. */
const char *lang_text(enum lang lang, const char *msgid) __attribute__((format_arg(2)));

/* "en" or "zh", and back (also "zh_CN.UTF-8", "en-US", "中文"); false if the name is no language of ours. */
const char *lang_name(enum lang lang);
bool lang_from_name(const char *name, enum lang *out);

/* Keeps that the language was asked for by --lang, which then wins over that of a file; main alone calls it, before anything else. */
void lang_ask(void);
bool lang_asked(void);

/* The language that LC_ALL, LC_MESSAGES, LANG ask for; English if none of ours, or if the terminal could not show it. */
enum lang lang_from_environment(void);
/* Is the terminal one that shows UTF-8, as far as the locale says? */
bool lang_bytes_are_utf8(void);

/* Looks msgid up in a catalogue in .mo format of size bytes; NULL if absent or the catalogue is damaged.
 * Every offset is checked against size. Exposed for tests. */
const char *mo_lookup(const unsigned char *mo, size_t size, const char *msgid);

#endif
