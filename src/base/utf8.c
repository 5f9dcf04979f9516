#include "base/utf8.h"

#include <string.h>

#include "base/mem.h"

enum { REPLACEMENT = 0xfffd };

/* Sequence length and payload of a leading byte; 0 for a byte that leads nothing. */
static int lead(unsigned char byte, uint32_t *payload)
{
    if (byte < 0x80) {
        *payload = byte;
        return 1;
    }
    if (byte >= 0xc2 && byte <= 0xdf) {
        *payload = byte & 0x1f;
        return 2;
    }
    if ((byte & 0xf0) == 0xe0) {
        *payload = byte & 0x0f;
        return 3;
    }
    if (byte >= 0xf0 && byte <= 0xf4) {
        *payload = byte & 0x07;
        return 4;
    }
    return 0;
}

uint32_t utf8_next(const char **text)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)*text;
    if (!*s)
        return 0;
    uint32_t c;
    int n = lead(*s, &c);
    for (int i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            n = 0;
            break;
        }
        c = c << 6 | (s[i] & 0x3f);
    }
    if (n == 0 || c < smallest[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) {
        *text += 1;
        return REPLACEMENT;
    }
    *text += n;
    return c;
}

size_t utf8_encode(uint32_t c, char out[5])
{
    size_t n;
    if (c < 0x80) {
        out[0] = (char)c;
        n = 1;
    } else if (c < 0x800) {
        out[0] = (char)(0xc0 | c >> 6);
        n = 2;
    } else if (c < 0x10000) {
        out[0] = (char)(0xe0 | c >> 12);
        n = 3;
    } else {
        out[0] = (char)(0xf0 | c >> 18);
        n = 4;
    }
    for (size_t i = 1; i < n; i++)
        out[i] = (char)(0x80 | (c >> 6 * (n - 1 - i) & 0x3f));
    out[n] = '\0';
    return n;
}

int utf8_width(const char *text)
{
    int width = 0;
    for (uint32_t c; (c = utf8_next(&text));)
        width += utf8_char_width(c);
    return width;
}

size_t utf8_fit(const char *text, int cells)
{
    const char *end = text;
    for (const char *p = text; *p; end = p) {
        cells -= utf8_char_width(utf8_next(&p));
        if (cells < 0)
            break;
    }
    return (size_t)(end - text);
}

static int unsafe(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == REPLACEMENT || c == 0x061c || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff;
}

/* Is all that is left the beginning of a character? So ends what was cut to fit. */
static bool is_cut(const char *text)
{
    uint32_t payload;
    int n = lead((unsigned char)*text, &payload), have = 1;
    while (have < n && (text[have] & 0xc0) == 0x80)
        have++;
    return have < n && !text[have];
}

char *utf8_sanitise(char *out, size_t size, const char *text)
{
    size_t at = 0;
    while (*text && !is_cut(text)) {
        uint32_t c = utf8_next(&text);
        char bytes[5];
        size_t n = utf8_encode(unsafe(c) ? '?' : c, bytes);
        if (at + n + 1 > size)
            break;
        memcpy(out + at, bytes, n);
        at += n;
    }
    if (size)
        out[at] = '\0';
    return out;
}

char *utf8_harmless(const char *text)
{
    size_t size = 4 * strlen(text) + 1, at = 0;
    char *out = xmalloc(size);
    while (*text) {
        uint32_t c = utf8_next(&text);
        char bytes[5];
        size_t n = utf8_encode(unsafe(c) && c != '\n' && c != '\t' ? '?' : c, bytes);
        memcpy(out + at, bytes, n);
        at += n;
    }
    out[at] = '\0';
    return out;
}
