/* codes.c - the codes of a terminal from its entry in terminfo, which curses has loaded. */
#include "term/codes.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Without its padding: no terminal in use needs it, and it must never make the program wait. */
char *codes_capability(const char *name)
{
    const char *code = tigetstr(name);
    if (!code || code == (char *)-1)
        return NULL;
    struct buf clean = {0};
    while (*code) {
        const char *end = code[0] == '$' && code[1] == '<' ? strchr(code, '>') : NULL;
        if (end)
            code = end + 1;
        else
            buf_put(&clean, code++, 1);
    }
    return buf_string(&clean);
}

static char *cursor_address;                    /* for codes_move, which has no other way to know it */

bool codes_can_move(void)
{
    cursor_address = codes_capability("cup");
    return cursor_address;
}

void codes_move(struct buf *out, int y, int x)
{
    buf_text(out, tparm(cursor_address, (long)y, (long)x, 0L, 0L, 0L, 0L, 0L, 0L, 0L));
}

/* The sixteen colours as the entry writes them; ours write 24 bits there, so for them as ECMA-48 does. */
static void read_colors(struct codes *codes, bool ours)
{
    char *set[2] = {ours ? NULL : codes_capability("setaf"), ours ? NULL : codes_capability("setab")};
    codes->bright = !set[0] || tigetnum("colors") >= 16;
    for (int i = 0; i < 16; i++)
        for (int back = 0; back < 2; back++) {
            char **code = back ? &codes->back[i] : &codes->fore[i];
            int sgr = (i < 8 ? 30 + i : 82 + i) + 10 * back;
            *code = set[back] ? xstrdup(tparm(set[back], (long)i, 0L, 0L, 0L, 0L, 0L, 0L, 0L, 0L)) : xasprintf("\033[%dm", sgr);
        }
    free(set[0]);
    free(set[1]);
}

/* no_color_video: bits of attributes that colours would overwrite. */
static int not_with_color(void)
{
    int bits = tigetnum("ncv");
    return bits <= 0 ? 0 : (bits & 2 ? ATTR_UNDERLINE : 0) | (bits & 16 ? ATTR_DIM : 0) | (bits & 32 ? ATTR_BOLD : 0);
}

void codes_read(struct codes *codes, enum color_depth depth, const struct kind *kind)
{
    *codes = (struct codes){
        .depth = depth,
        .clear = codes_capability("clear"),
        .plain = codes_capability("sgr0"),
        .bold = codes_capability("bold"),
        .dim = codes_capability("dim"),
        .underline = codes_capability("smul"),
        .reverse = codes_capability("rev"),
        .hide_cursor = codes_capability("civis"),
        .show_cursor = codes_capability("cnorm"),
        .not_with_color = not_with_color(),
        .ansi = strcmp(cursor_address, "\033[%i%p1%d;%p2%dH") == 0,
        .move = codes_move,
        .clears_in_color = tigetflag("bce") == 1,
        .scrolls_at_end = tigetflag("am") == 1 && tigetflag("xenl") != 1,
        .synchronized = tigetnum("colors") >= 256,
        .console_font = kind_is_linux_console(kind),
    };
    read_colors(codes, kind->inline_entry != NULL);
}

void codes_done(struct codes *codes)
{
    const char *const all[] = {codes->clear, codes->plain, codes->bold, codes->dim, codes->underline, codes->reverse,
                               codes->hide_cursor, codes->show_cursor};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free((char *)all[i]);
    for (int i = 0; i < 16; i++) {
        free(codes->fore[i]);
        free(codes->back[i]);
    }
    free(cursor_address);
    cursor_address = NULL;
}
