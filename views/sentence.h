/* sentence.h - a text as tokens: words between spaces; a wide character (Chinese) is a token of its own. */
#ifndef POSVIZ_VIEWS_SENTENCE_H
#define POSVIZ_VIEWS_SENTENCE_H

#include <stdbool.h>
#include <stddef.h>

enum { MAX_TOKENS = 256, TOKEN_BYTES = 40 };
struct sentence {
    size_t n;                           /* at least 1 */
    char token[MAX_TOKENS][TOKEN_BYTES];
    unsigned id[MAX_TOKENS];            /* depends on the word alone */
};

/* What is beyond MAX_TOKENS is left out; without a word it is "?". */
void sentence_split(const char *text, struct sentence *t);
/* The second word (of two, the first) and the last trade places. */
void sentence_swap(struct sentence *t);
/* The text again, cut to size. */
void sentence_join(const struct sentence *t, char *out, size_t size);
/* place[i]: where token i of a stands in b, each place used once; false and the odd tokens (NULL: none) if b is no reordering of a. */
bool sentence_match(const struct sentence *a, const struct sentence *b, size_t *place, const char **only_a, const char **only_b);

#endif
