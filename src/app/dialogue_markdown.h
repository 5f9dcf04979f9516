/* dialogue_markdown.h - a report in Markdown (the little of it that our reports use) as lines of words: headings without marks, tables row by row. */
#ifndef POSVIZ_APP_DIALOGUE_MARKDOWN_H
#define POSVIZ_APP_DIALOGUE_MARKDOWN_H

#include <stddef.h>

/* What stands below a heading "## "; chapter 0 is what comes before the first. Borrowed from the text. */
struct chapter { const char *title; size_t title_size; const char *text; size_t size; };
enum { CHAPTERS_MAX = 24, A_MESSAGE = 12 };
size_t markdown_chapters(const char *text, struct chapter out[CHAPTERS_MAX]);
/* The caller frees it. */
char *markdown_words(const struct chapter *c);

#endif
