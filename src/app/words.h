/* words.h - the command language of `:`, the same words as on the command line: "encoding alibi", "set rope_theta=1e6" or simply
 * "rope_theta=1e6", "bias" for a view, "zoom-in" for an action, and "-e rope -s n=4096" as a shell would have it. */
#ifndef POSVIZ_APP_WORDS_H
#define POSVIZ_APP_WORDS_H

#include <stddef.h>
#include "base/err.h"

struct app;

/* Runs a line. False with a message that names the word, its value and what is allowed; then nothing has changed. */
bool words_run(struct app *app, const char *line, struct err *err);

struct completion {
    char text[160];
    const char *help;               /* N_() or NULL */
};
enum { COMPLETIONS_MAX = 100 };
struct completions {
    size_t from;                    /* byte of the line where the completed part starts */
    size_t n;
    struct completion at[COMPLETIONS_MAX];
};
/* What could stand at the end of line. */
void words_complete(const struct app *app, const char *line, struct completions *out);

#endif
