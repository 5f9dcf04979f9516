#include "base/utf8.h"

#include <string.h>

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

struct range { uint32_t from, to; };

static int inside(const struct range *r, size_t n, uint32_t c)
{
    for (size_t i = 0; i < n; i++)
        if (c >= r[i].from && c <= r[i].to)
            return 1;
    return 0;
}

/* East Asian wide and emoji blocks, and combining marks, of the Unicode character database; coarse where a
 * whole block agrees. */
static const struct range wide[] = {
    {0x1100, 0x115f}, {0x231a, 0x231b}, {0x2329, 0x232a}, {0x23e9, 0x23ec}, {0x25fd, 0x25fe}, {0x2614, 0x2615},
    {0x2648, 0x2653}, {0x26a1, 0x26a1}, {0x2705, 0x2705}, {0x274c, 0x274c}, {0x2753, 0x2755}, {0x2e80, 0x303e},
    {0x3041, 0x33ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xa000, 0xa4cf}, {0xa960, 0xa97f}, {0xac00, 0xd7a3},
    {0xf900, 0xfaff}, {0xfe10, 0xfe19}, {0xfe30, 0xfe6f}, {0xff01, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x2fffd}, {0x30000, 0x3fffd},
};
static const struct range zero[] = {
    {0x0300, 0x036f}, {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x0610, 0x061a}, {0x064b, 0x065f}, {0x06d6, 0x06dc},
    {0x0900, 0x0902}, {0x093c, 0x093c}, {0x0941, 0x0948}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f},
    {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0000, 0xe01ef},
};

int utf8_char_width(uint32_t c)
{
    if (c < 0x20 || (c >= 0x7f && c < 0xa0))
        return 0;
    if (c < 0x300)
        return 1;
    if (inside(zero, sizeof zero / sizeof *zero, c))
        return 0;
    return inside(wide, sizeof wide / sizeof *wide, c) ? 2 : 1;
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

char *utf8_sanitise(char *out, size_t size, const char *text)
{
    size_t at = 0;
    while (*text) {
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
