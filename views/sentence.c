/* sentence.c - words, their numbers, and their order. */
#include "sentence.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* A number that depends on the word alone (FNV-1a), so that one word has one vector in every sentence. */
static unsigned word_id(const char *word)
{
    unsigned h = 2166136261u;
    for (; *word; word++)
        h = (h ^ (unsigned char)*word) * 16777619u;
    return h;
}

static void add_token(struct sentence *t, const char *from, size_t bytes)
{
    if (t->n == MAX_TOKENS || !bytes)
        return;
    snprintf(t->token[t->n], TOKEN_BYTES, "%.*s", (int)(bytes < TOKEN_BYTES ? bytes : TOKEN_BYTES - 1), from);
    t->id[t->n] = word_id(t->token[t->n]);
    t->n++;
}

void sentence_split(const char *text, struct sentence *t)
{
    const char *word = text;
    t->n = 0;
    for (const char *p = text; *p;) {
        const char *at = p;
        uint32_t c = utf8_next(&p);
        bool wide = utf8_char_width(c) == 2;
        if (c != ' ' && !wide)
            continue;
        add_token(t, word, (size_t)(at - word));
        if (wide)
            add_token(t, at, (size_t)(p - at));
        word = p;
    }
    add_token(t, word, strlen(word));
    if (!t->n)
        add_token(t, "?", 1);
}

void sentence_swap(struct sentence *t)
{
    size_t i = t->n > 2 ? 1 : 0, j = t->n - 1;
    char word[TOKEN_BYTES];
    unsigned id = t->id[i];
    memcpy(word, t->token[i], TOKEN_BYTES);
    memcpy(t->token[i], t->token[j], TOKEN_BYTES);
    memcpy(t->token[j], word, TOKEN_BYTES);
    t->id[i] = t->id[j];
    t->id[j] = id;
}

void sentence_join(const struct sentence *t, char *out, size_t size)
{
    *out = '\0';
    for (size_t i = 0; i < t->n; i++) {
        size_t at = strlen(out);
        bool space = i && !(utf8_width(t->token[i]) == 2 && utf8_width(t->token[i - 1]) == 2 && strlen(t->token[i]) > 2);
        snprintf(out + at, size - at, "%s%s", space ? " " : "", t->token[i]);
    }
}

bool sentence_match(const struct sentence *a, const struct sentence *b, size_t *place, const char **only_a, const char **only_b)
{
    bool used[MAX_TOKENS] = {false};
    *only_a = *only_b = NULL;
    for (size_t i = 0; i < a->n; i++) {
        size_t j = 0;
        while (j < b->n && (used[j] || strcmp(a->token[i], b->token[j])))
            j++;
        if (j == b->n) {
            *only_a = a->token[i];
            continue;
        }
        used[j] = true;
        place[i] = j;
    }
    for (size_t j = 0; j < b->n; j++)
        if (!used[j])
            *only_b = b->token[j];
    return !*only_a && !*only_b;
}
