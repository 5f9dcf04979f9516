#include "command/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "figure/wrap.h"

void report_pad(struct buf *out, int cells)
{
    while (cells-- > 0)
        buf_text(out, " ");
}

void report_column(struct buf *out, const char *text, int cells)
{
    buf_text(out, text);
    int width = utf8_width(text);
    report_pad(out, cells - width > 2 ? cells - width : 2);
}

void report_end_line(struct buf *out)
{
    while (out->n && out->data[out->n - 1] == ' ')
        out->n--;
    buf_text(out, "\n");
}

void report_heading(struct buf *out, const char *text)
{
    buf_format(out, "\n%s\n", text);
}

void report_paragraph(struct buf *out, const char *text, int indent, int right)
{
    size_t n;
    struct text_line *line = wrap_text(text, right - indent, &n);
    for (size_t i = 0; i < n; i++) {
        report_pad(out, line[i].size ? indent : 0);
        buf_put(out, line[i].text, line[i].size);
        buf_text(out, "\n");
    }
    free(line);
}

static void new_line(struct buf *out, int indent)
{
    report_end_line(out);
    report_pad(out, indent);
}

void report_flow(struct buf *out, const char *text, int indent, int at)
{
    while (*text) {
        size_t word = strcspn(text, " ");
        char one[256];
        size_t fits = word < sizeof one ? word : sizeof one - 1;
        snprintf(one, sizeof one, "%.*s", (int)fits, text);
        int width = utf8_width(one);
        if (at + width > REPORT_WIDTH && at > indent && width <= REPORT_WIDTH - indent) {
            new_line(out, indent);
            at = indent;
        } else if (at + width > REPORT_WIDTH) {        /* text without blanks, as Chinese is: cut by cells */
            fits = utf8_fit(one, REPORT_WIDTH - at);
            if (!fits) {
                new_line(out, indent);
                at = indent;
                continue;
            }
            one[fits] = '\0';
            width = utf8_width(one);
        }
        buf_text(out, one);
        at += width;
        text += fits;
        if (*text == ' ') {
            text += strspn(text, " ");
            if (*text && at < REPORT_WIDTH) {
                buf_text(out, " ");
                at++;
            }
        }
    }
    report_end_line(out);
}
