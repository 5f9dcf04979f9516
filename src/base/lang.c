#include "base/lang.h"

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

enum lang lang_from_environment(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (!value || !*value)
            continue;
        enum lang lang;
        return lang_from_name(value, &lang) ? lang : LANG_EN;
    }
    return LANG_EN;
}
