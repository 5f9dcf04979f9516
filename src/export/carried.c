/* carried.c - the command that a figure file carries, found where each format keeps it. */
#include "export/carried.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/utf8.h"
#include "json/json.h"

enum { MAX_BYTES = 64 << 20 };
static const char program[] = "posviz ";

/* The bytes of the file, a NUL behind them. */
struct bytes { const char *at; size_t n; };

static bool begins(struct bytes b, const char *head)
{
    return b.n >= strlen(head) && !memcmp(b.at, head, strlen(head));
}

static const char *find(struct bytes b, const char *word)
{
    return memmem(b.at, b.n, word, strlen(word));
}

static struct bytes from(struct bytes b, const char *at)
{
    return (struct bytes){at, b.n - (size_t)(at - b.at)};
}

/* "posviz " and a digit is the program, "posviz " and a word a command. */
static void take(struct carried *out, const char *text)
{
    if (strncmp(text, program, strlen(program)) || strlen(text) >= sizeof out->command)
        return;
    const char *word = text + strlen(program);
    if (*word >= '0' && *word <= '9')
        utf8_sanitise(out->version, sizeof out->version, word);
    else if (!*out->command)
        utf8_sanitise(out->command, sizeof out->command, text);
}

static void take_buf(struct carried *out, struct buf *text)
{
    char *string = buf_string(text);
    take(out, string);
    free(string);
}

/* ---- png: chunks of length, name, data, checksum ---------------------------------------------------------------------- */

static uint32_t big_endian(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/* Keyword, NUL, in an iTXt chunk two bytes on compression and two words each with a NUL, text. */
static void png_text(struct bytes data, bool international, struct carried *out)
{
    struct buf text = {0};
    const char *end = data.at + data.n, *at = memchr(data.at, '\0', data.n);
    if (!at || (international && (end - at < 3 || at[1])))      /* compressed: not by us */
        return;
    at += international ? 3 : 1;
    for (int i = 0; i < 2 && international && at; i++) {
        at = memchr(at, '\0', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    if (!at)
        return;
    buf_put(&text, at, (size_t)(end - at));
    take_buf(out, &text);
}

static void read_png(struct bytes file, struct carried *out)
{
    enum { SIGNATURE = 8, AROUND = 12 };
    for (size_t at = SIGNATURE; at + AROUND <= file.n;) {
        size_t length = big_endian(file.at + at);
        const char *name = file.at + at + 4;
        if (length > file.n - at - AROUND)
            return;
        if (!memcmp(name, "iTXt", 4) || !memcmp(name, "tEXt", 4))
            png_text((struct bytes){name + 4, length}, *name == 'i', out);
        at += AROUND + length;
    }
}

/* ---- svg: text between tags ---------------------------------------------------------------------------------------------- */

static void put_unescaped(struct buf *out, struct bytes text)
{
    static const char *const entity[][2] = {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}};
    for (size_t i = 0; i < text.n;) {
        struct bytes rest = from(text, text.at + i);
        size_t k = 0;
        while (k < 5 && !begins(rest, entity[k][0]))
            k++;
        buf_put(out, k < 5 ? entity[k][1] : rest.at, 1);
        i += k < 5 ? strlen(entity[k][0]) : 1;
    }
}

/* Programs that write the picture again may put other names around the words, so these are looked for, not a tag. */
static void read_svg(struct bytes file, struct carried *out)
{
    for (const char *at; (at = find(file, ">posviz ")); file = from(file, at + 1)) {
        const char *end = memchr(at, '<', file.n - (size_t)(at - file.at));
        struct buf text = {0};
        if (!end)
            return;
        put_unescaped(&text, (struct bytes){at + 1, (size_t)(end - at - 1)});
        take_buf(out, &text);
        at = end;
    }
}

/* ---- pdf: strings of the document information ---------------------------------------------------------------------------- */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* <FEFF...>; returns its length. */
static size_t hex_string(struct bytes text, struct buf *out)
{
    int half = -1;
    size_t i = 1;
    for (; i < text.n && text.at[i] != '>'; i++) {
        int digit = hex_digit(text.at[i]);
        if (digit < 0)
            continue;
        if (half >= 0)
            buf_put(out, &(char){(char)(half << 4 | digit)}, 1);
        half = half < 0 ? digit : -1;
    }
    return i;
}

/* ( ... ) with \ before what would end it, and \ddd; returns its length. */
static size_t literal_string(struct bytes text, struct buf *out)
{
    static const char letters[] = "nrtbf", meant[] = "\n\r\t\b\f";
    int depth = 1;
    size_t i = 1;
    for (; i < text.n; i++) {
        char c = text.at[i];
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (!depth)
            return i;
        if (c == '\\' && i + 1 < text.n) {
            c = text.at[++i];
            const char *letter = c ? strchr(letters, c) : NULL;
            int octal = 0, digits = 0;
            while (digits < 3 && i + (size_t)digits < text.n && text.at[i + (size_t)digits] >= '0' && text.at[i + (size_t)digits] <= '7')
                octal = octal * 8 + text.at[i + (size_t)digits++] - '0';
            i += digits ? (size_t)digits - 1 : 0;
            c = digits ? (char)octal : letter ? meant[letter - letters] : c;
        }
        buf_put(out, &c, 1);
    }
    return text.n;
}

/* UTF-16, big end first, behind its mark. */
static void from_utf16(struct buf *text)
{
    struct buf out = {0};
    const unsigned char *b = (const unsigned char *)text->data;
    for (size_t i = 2; i + 1 < text->n; i += 2) {
        uint32_t unit = (uint32_t)b[i] << 8 | b[i + 1];
        uint32_t low = i + 3 < text->n ? (uint32_t)b[i + 2] << 8 | b[i + 3] : 0;
        bool pair = unit >> 10 == 0x36 && low >> 10 == 0x37;
        buf_utf8(&out, pair ? 0x10000 + ((unit & 0x3ff) << 10 | (low & 0x3ff)) : unit >> 11 == 0x1b ? 0xfffd : unit);
        i += pair ? 2 : 0;
    }
    buf_done(text);
    *text = out;
}

static void read_pdf(struct bytes file, struct carried *out)
{
    static const char *const keys[] = {"/Keywords", "/Creator"};
    for (size_t k = 0; k < 2; k++) {
        struct bytes rest = file;
        for (const char *at; (at = find(rest, keys[k]));) {
            struct buf text = {0};
            rest = from(rest, at + strlen(keys[k]));
            size_t blank = 0;
            while (blank < rest.n && strchr(" \r\n\t", rest.at[blank]))
                blank++;
            rest = from(rest, rest.at + blank);
            size_t read = begins(rest, "(") ? literal_string(rest, &text) : begins(rest, "<") ? hex_string(rest, &text) : 0;
            rest = from(rest, rest.at + read);
            if (text.n >= 2 && !memcmp(text.data, "\xfe\xff", 2))
                from_utf16(&text);
            take_buf(out, &text);
        }
    }
}

/* ---- json, npy, csv -------------------------------------------------------------------------------------------------------- */

static void read_json(struct bytes file, struct carried *out)
{
    struct json *json = json_parse(file.at, file.n, NULL);
    const char *command = json_string(json_get(json, "command")), *version = json_string(json_get(json, "version"));
    take(out, command ? command : "");
    utf8_sanitise(out->version, sizeof out->version, version ? version : "");
    json_free(json);
}

/* "# posviz ..." at the beginning of lines. */
static void read_comments(struct bytes file, struct carried *out)
{
    static const char by[] = "# by ";
    while (begins(file, "# ")) {
        const char *end = memchr(file.at, '\n', file.n);
        struct buf line = {0};
        size_t n = end ? (size_t)(end - file.at) : file.n, head = begins(file, by) ? strlen(by) : 2;
        buf_put(&line, file.at + head, n - head);
        take_buf(out, &line);
        file = from(file, file.at + n + (end ? 1 : 0));
    }
}

/* The second array of the file is what follows the last magic. */
static void read_npy(struct bytes file, struct carried *out)
{
    enum { FIXED = 10 };
    static const char magic[] = "\x93NUMPY\x01";
    struct bytes last = file;
    for (const char *at; last.n > 1 && (at = find(from(last, last.at + 1), magic));)
        last = from(last, at);
    if (last.at == file.at || last.n < FIXED)
        return;
    size_t head = (unsigned char)last.at[8] | (size_t)(unsigned char)last.at[9] << 8;
    if (head <= last.n - FIXED)
        read_comments(from(last, last.at + FIXED + head), out);
}

/* ---- the formats ------------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *magic;
    void (*read)(struct bytes file, struct carried *out);
} formats[] = {
    {"\x89PNG\r\n\x1a\n", read_png}, {"%PDF-", read_pdf}, {"\x93NUMPY", read_npy}, {"{", read_json}, {"<", read_svg}, {"# ", read_comments},
};
enum { N_FORMATS = sizeof formats / sizeof *formats };

bool carried_read(const char *path, struct carried *out, struct err *err)
{
    size_t size, i = 0;
    char *text = file_read_named(path, MAX_BYTES, &size, err);
    *out = (struct carried){.version = ""};
    if (!text)
        return false;
    while (i < N_FORMATS && !begins((struct bytes){text, size}, formats[i].magic))
        i++;
    if (i < N_FORMATS)
        formats[i].read((struct bytes){text, size}, out);
    free(text);
    return *out->command || err_set(err, N_("%s carries no command of posviz. Its png, svg, pdf, json and npy do, and csv written with --comment, unless the screen could not be said on "
                                            "a line or another program has dropped it"), path);
}
