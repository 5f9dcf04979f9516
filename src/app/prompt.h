/* prompt.h - the line at the bottom where commands and values are typed: editing, history, completion by Tab. */
#ifndef POSVIZ_APP_PROMPT_H
#define POSVIZ_APP_PROMPT_H

#include "app/line.h"
#include "app/words.h"

struct app;
struct overlay;

enum { PROMPT_PAST_MAX = 50 };
struct prompt {
    char label[96];                 /* ":", or "rope_theta = " */
    char before[128];               /* put in front of the text when it is run: "", or "set rope_theta=" */
    struct line line;
    size_t suggested;               /* the text from there is only a suggestion: what is typed at once replaces it; 0: none */
    char *past[PROMPT_PAST_MAX];    /* lines run, the newest last */
    size_t n_past, past_at;         /* past_at = n_past: the line being typed */
    struct completions completions;
    int completing;                 /* the completion put in, or -1 */
};
extern const struct overlay prompt_overlay;

/* Opens it with a label and text to start from. */
void prompt_open(struct app *app, const char *label, const char *before, const char *text);
void prompt_done(struct prompt *p);

#endif
