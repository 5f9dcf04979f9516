/* help.h - `?`: what this view shows, its keys, the encodings in it, and the keys of the program; made from the tables. */
#ifndef POSVIZ_APP_HELP_H
#define POSVIZ_APP_HELP_H

struct app;
struct overlay;

struct help {
    int first, last;                /* first line shown; the last that may be the first */
};
extern const struct overlay help_overlay;

void help_open(struct app *app);
/* The whole text; lines that start with "# " are headings, "- " items. The caller frees it. */
char *help_text(const struct app *app);

#endif
