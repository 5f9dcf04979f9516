#include "figure/wrap.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

static bool contains(const char *set, uint32_t c)
{
    for (uint32_t m; (m = utf8_next(&set));)
        if (m == c)
            return true;
    return false;
}

/* May a line end between a and b (neither is a space)? */
static bool breaks_between(uint32_t a, uint32_t b)
{
    if (utf8_char_width(a) < 2 && utf8_char_width(b) < 2)
        return false;
    return !contains("（「『《〈【〔“‘([", a) && !contains("）」』》〉】〕”’)]。，、；：？！….,;:?!%", b);
}

static bool is_digit(const char *p, const char *from, const char *end)
{
    return p >= from && p < end && *p >= '0' && *p <= '9';
}

/* Is the space at p one between the digits of a number, as in 131 072? */
static bool in_number(const char *p, const char *text, const char *end)
{
    int after = 1;
    while (after <= 4 && is_digit(p + after, text, end))
        after++;
    return after == 4 && is_digit(p - 1, text, end);
}

int wrap_longest_word(const char *text)
{
    const char *start = text, *end = text + strlen(text), *here = text;
    int longest = 0, cells = 0;
    uint32_t before = ' ';
    for (uint32_t c; (c = utf8_next(&text)); here = text) {
        bool inside = c == ' ' && in_number(here, start, end);
        if (c == ' ' && !inside)
            cells = 0;
        else
            cells = (!inside && breaks_between(before, c) ? 0 : cells) + utf8_char_width(c);
        before = inside ? '0' : c;
        longest = cells > longest ? cells : longest;
    }
    return longest;
}

/* Bytes of the first line of text (which has no newline before size) in cells, and of it with the spaces that follow. */
static size_t one_line(const char *text, size_t size, int cells, size_t *with_spaces)
{
    const char *p = text, *end = text + size;
    size_t good = 0, at = 0, joint = 0;
    uint32_t before = ' ';
    int used = 0;
    while (p < end) {
        const char *here = p;
        uint32_t c = utf8_next(&p);
        used += utf8_char_width(c);
        if (c == ' ' ? before != ' ' && !in_number(here, text, end) : before != ' ' && breaks_between(before, c))
            good = at;
        if (used > cells && c != ' ')
            break;
        at = (size_t)(p - text);
        before = c;
        if (c == '_' || c == '.' || c == '/')
            joint = at;
        if (at == size)
            good = before == ' ' ? good : at;
    }
    if (good == 0 && joint > 0)         /* one long word: parted at its joints, as in rope_scaling.factor, */
        good = joint;
    if (good == 0)                      /* or anywhere, but never stand still */
        good = at > 0 && before != ' ' ? at : at > 0 ? at : (size_t)(p - text);
    *with_spaces = good;
    while (*with_spaces < size && text[*with_spaces] == ' ')
        ++*with_spaces;
    return good;
}

struct lines { struct text_line *line; size_t n, room; };

static void add_line(struct lines *l, struct text_line line)
{
    if (l->n == l->room) {
        l->room = l->room ? 2 * l->room : 32;
        l->line = xreallocarray(l->line, l->room, sizeof *l->line);
    }
    l->line[l->n++] = line;
}

static void wrap_paragraph(struct lines *l, const char *text, size_t size, int cells)
{
    bool heading = size >= 2 && !memcmp(text, "# ", 2), item = size >= 2 && !memcmp(text, "- ", 2);
    int indent = item && cells > 4 ? 2 : 0;
    if (heading || item) {
        text += 2;
        size -= 2;
    }
    if (size == 0)
        add_line(l, (struct text_line){text, 0, 0, false, false});
    for (bool first = true; size > 0; first = false) {
        size_t taken, n = one_line(text, size, cells - indent, &taken);
        add_line(l, (struct text_line){text, n, indent, heading, item && first});
        text += taken;
        size -= taken;
    }
}

struct text_line *wrap_text(const char *text, int cells, size_t *n)
{
    struct lines l = {NULL, 0, 0};
    while (*text) {
        size_t size = strcspn(text, "\n");
        wrap_paragraph(&l, text, size, cells < 1 ? 1 : cells);
        text += size + (text[size] == '\n');
    }
    *n = l.n;
    return l.line ? l.line : xcalloc(1, sizeof *l.line);
}
