#include "term/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One of each kind that the screen is drawn with, for a terminal may make exceptions. */
static const char glyphs[] = "─▀·λ";
enum { GLYPHS = 4, ROW = 2 };       /* in the first row a report of the cursor could be a function key */

long ask_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000L + t.tv_nsec / 1000000;
}

void ask_begin(struct ask *a, struct buf *out, bool background, bool width, long until)
{
    *a = (struct ask){.until = until, .background = background, .cursor = true};
    if (background)
        buf_text(out, "\033]11;?\a");
    buf_text(out, "\033[2;1H\033[8m");
    buf_text(out, width ? glyphs : "");
    buf_text(out, "\033[6n\033[2;1H\033[K\033[m");
}

int ask_patience(const struct ask *a)
{
    long left = a->until - ask_clock();
    return !ask_open(a) || left <= 0 ? 0 : left < ASK_MS ? (int)left : ASK_MS;
}

bool ask_open(const struct ask *a)
{
    return a->background || a->cursor;
}

/* "rgb:RR/GG/BB" with 1 to 4 hexadecimal digits each, "rgba:...", or "#RRGGBB": brightness in 0..1; below 0 if it is none of these. */
static double brightness(const char *color)
{
    static const double weight[] = {0.299, 0.587, 0.114};
    const char *p = strchr(color, ':');
    double sum = 0;
    unsigned rgb;
    if (*color == '#' && strlen(color) == 7 && sscanf(color + 1, "%6x", &rgb) == 1)
        return (weight[0] * (rgb >> 16) + weight[1] * (rgb >> 8 & 0xff) + weight[2] * (rgb & 0xff)) / 255;
    if (strncmp(color, "rgb", 3) || !p)
        return -1;
    for (int i = 0; i < 3; i++) {
        size_t n = strspn(++p, "0123456789abcdefABCDEF");
        if (n < 1 || n > 4 || (i < 2 && p[n] != '/'))
            return -1;
        sum += weight[i] * (double)strtoul(p, NULL, 16) / (double)((1 << 4 * n) - 1);
        p += n;
    }
    return sum;
}

bool ask_string(struct ask *a, const char *text, struct event *event)
{
    if (strncmp(text, "11;", 3))
        return false;
    double light = brightness(text + 3);
    a->background = false;
    *event = (struct event){.type = EVENT_BACKGROUND, .light = light > 0.5};
    return light >= 0 && ask_clock() <= a->until;
}

bool ask_cursor(struct ask *a, int row, int col, struct event *event)
{
    bool wide = a->cursor && ask_clock() <= a->until && row == ROW && col > GLYPHS + 1;
    a->background = a->cursor = false;
    *event = (struct event){.type = EVENT_GLYPHS};
    return wide;
}
