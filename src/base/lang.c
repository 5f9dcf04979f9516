#include "base/lang.h"

#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Made by tools/embed from po/zh.po. */
extern const unsigned char catalogue_zh[];
extern const size_t catalogue_zh_size;

enum { MO_MAGIC_OFFSET = 0, MO_COUNT_OFFSET = 8, MO_ORIGINALS_OFFSET = 12, MO_TRANSLATIONS_OFFSET = 16 };

static bool word_at(const unsigned char *mo, size_t size, size_t at, size_t *out)
{
    if (at > size || size - at < 4)
        return false;
    *out = (size_t)mo[at] | (size_t)mo[at + 1] << 8 | (size_t)mo[at + 2] << 16 | (size_t)mo[at + 3] << 24;
    return true;
}

/* String i of the table at offset table: length and offset words, then a NUL-ended string in the file. */
static const char *string_at(const unsigned char *mo, size_t size, size_t table, size_t i)
{
    size_t length, at;
    if (!word_at(mo, size, table + 8 * i, &length) || !word_at(mo, size, table + 8 * i + 4, &at))
        return NULL;
    if (at >= size || length >= size - at || mo[at + length] != 0)
        return NULL;
    return (const char *)mo + at;
}

const char *mo_lookup(const unsigned char *mo, size_t size, const char *msgid)
{
    size_t magic, count, originals, translations;
    if (!word_at(mo, size, MO_MAGIC_OFFSET, &magic) || magic != 0x950412de ||
        !word_at(mo, size, MO_COUNT_OFFSET, &count) || count > size / 16 ||
        !word_at(mo, size, MO_ORIGINALS_OFFSET, &originals) || originals > size ||
        !word_at(mo, size, MO_TRANSLATIONS_OFFSET, &translations) || translations > size)
        return NULL;
    size_t lo = 0, hi = count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const char *original = string_at(mo, size, originals, mid);
        if (!original)
            return NULL;
        int order = strcmp(msgid, original);
        if (order == 0)
            return string_at(mo, size, translations, mid);
        if (order < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

const char *lang_text(enum lang lang, const char *msgid)
{
    if (lang != LANG_ZH || !msgid || !*msgid)
        return msgid;
    const char *text = mo_lookup(catalogue_zh, catalogue_zh_size, msgid);
    return text && *text ? text : msgid;
}

const char *lang_name(enum lang lang)
{
    return lang == LANG_ZH ? "zh" : "en";
}

bool lang_from_name(const char *name, enum lang *out)
{
    if (!name)
        return false;
    bool two = strlen(name) >= 2 && (name[2] == '\0' || strchr("_-.@", name[2]));
    if (!strcmp(name, "中文") || (two && !strncasecmp(name, "zh", 2)))
        *out = LANG_ZH;
    else if (!strcasecmp(name, "English") || (two && !strncasecmp(name, "en", 2)))
        *out = LANG_EN;
    else
        return false;
    return true;
}

static bool asked;

void lang_ask(void)
{
    asked = true;
}

bool lang_asked(void)
{
    return asked;
}

static const char *env(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

/* en_GB.UTF-8@euro; spelled in any way. */
static bool names_utf8(const char *codeset)
{
    return !strncasecmp(codeset, "utf-8", 5) || !strncasecmp(codeset, "utf8", 4);
}

/* The locale by which the user names the characters of the terminal (POSIX, 8.2). C and POSIX name no encoding, and nearly every terminal in use is
 * UTF-8. A locale that is not installed here (ssh hands its name on) still names the encoding of the terminal. */
bool lang_bytes_are_utf8(void)
{
    const char *name = *env("LC_ALL") ? env("LC_ALL") : *env("LC_CTYPE") ? env("LC_CTYPE") : env("LANG"), *dot = strchr(name, '.');
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (!locale)
        return !dot || names_utf8(dot + 1);
    const char *codeset = nl_langinfo_l(CODESET, locale);
    bool utf8 = names_utf8(codeset) || !strcmp(codeset, "ANSI_X3.4-1968") || !strcmp(codeset, "US-ASCII");
    freelocale(locale);
    return utf8;
}

enum lang lang_from_environment(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        enum lang lang;
        if (*env(names[i]))
            return lang_bytes_are_utf8() && lang_from_name(env(names[i]), &lang) ? lang : LANG_EN;
    }
    return LANG_EN;
}
