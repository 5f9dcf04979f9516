/* finder.h - `/`: one list of everything there is (views, encodings, presets and models, parameters, actions), narrowed by a few
 * letters in order. An entry is a line for `:`, so that finding and typing do the same. */
#ifndef POSVIZ_APP_FINDER_H
#define POSVIZ_APP_FINDER_H

#include "app/line.h"

struct app;
struct overlay;

struct find {
    const char *kind;               /* N_(): "view", "encoding", ... */
    char name[96], help[200];       /* help is translated */
    char command[128];
};
struct match { int score; size_t entry; };
struct finder {
    struct line query;
    struct find *entry;
    size_t n;
    struct match *match;            /* entries that match, the best first */
    size_t n_match, chosen;
};
extern const struct overlay finder_overlay;

void finder_open(struct app *app);
/* What matches text, for who shows the list elsewhere. */
void finder_narrow(struct app *app, const char *text);
void finder_done(struct finder *f);
/* How well text matches the letters of query in order: 0 not at all; word starts and runs count more, case does not matter. */
int finder_score(const char *query, const char *text);

#endif
