#include "app/dialogue_markdown.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "figure/describe.h"

size_t markdown_chapters(const char *text, struct chapter out[CHAPTERS_MAX])
{
    size_t n = 1;
    out[0] = (struct chapter){"", 0, text, 0};
    for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        if (strncmp(line, "## ", 3) || n == CHAPTERS_MAX)
            continue;
        out[n - 1].size = (size_t)(line - out[n - 1].text);
        out[n].title = line + 3;
        out[n].title_size = strcspn(out[n].title, "\n");
        out[n].text = out[n].title + out[n].title_size;
        n++;
    }
    out[n - 1].size = strlen(out[n - 1].text);
    return n;
}

/* Without the marks of emphasis. What stands between backquotes is kept as it is. */
static char *plain(const char *line)
{
    char *out = xmalloc(strlen(line) + 1), *to = out;
    bool code = false;
    for (const char *p = line; *p; p++) {
        bool spaced = p > line && p[-1] == ' ' && p[1] == ' ';
        if (*p == '`')
            code = !code;
        else if (code || *p != '*' || spaced)
            *to++ = *p;
    }
    *to = '\0';
    return out;
}

/* "| RoPE | 83 | 92.1 |" with the headings of its table: "RoPE; points 83; % 92.1". */
static void add_row(struct buf *out, char *row, const char *headings)
{
    struct buf line = {0};
    char *copy = xstrdup(headings), *rest = copy + 1;
    for (char *cell = strtok(row, "|"); cell; cell = strtok(NULL, "|")) {
        char *heading = strsep(&rest, "|");
        cell += strspn(cell, " ");
        heading = heading ? heading + strspn(heading, " ") : heading;
        size_t n = heading ? strcspn(heading, "|") : 0;
        while (n && heading[n - 1] == ' ')
            n--;
        if (*cell)
            buf_format(&line, "%s%.*s%s%s", line.n ? "; " : "", line.n ? (int)n : 0, heading ? heading : "", line.n && n ? ": " : "", cell);
        while (line.n && line.data[line.n - 1] == ' ')
            line.n--;
    }
    char *text = buf_string(&line);
    describe_line(out, text);
    free(text);
    free(copy);
}

static void add_line(struct buf *out, char *line, char **headings)
{
    size_t marks = strspn(line, "# ");
    if (*line != '|') {
        free(*headings);
        *headings = NULL;
    }
    if (!strncmp(line, "```", 3) || !strncmp(line, "| ---", 5))
        return;
    if (*line == '|' && !*headings)
        *headings = xstrdup(line);
    else if (*line == '|')
        add_row(out, line, *headings);
    else
        describe_line(out, !strncmp(line, "- ", 2) ? line + 2 : line + marks);
}

char *markdown_words(const struct chapter *c)
{
    struct buf out = {0};
    char *headings = NULL, *text = xasprintf("%.*s\n%.*s", (int)c->title_size, c->title, (int)c->size, c->text);
    for (char *line, *rest = text; (line = strsep(&rest, "\n"));) {
        char *words = plain(line);
        add_line(&out, words, &headings);
        free(words);
    }
    free(headings);
    free(text);
    return buf_string(&out);
}
