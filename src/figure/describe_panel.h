/* describe_panel.h - what the descriptions of the several kinds of panels share. For src/figure only. */
#ifndef POSVIZ_FIGURE_DESCRIBE_PANEL_H
#define POSVIZ_FIGURE_DESCRIBE_PANEL_H

#include "figure/describe.h"

/* A panel being said. */
struct saying {
    const struct panel *p;
    const struct panel *before;     /* or NULL */
    enum lang lang;
    struct buf *out;
    size_t n;                       /* lines so far */
    size_t message;                 /* of them the message; 0: not yet known, all */
};

void say_heatmap(struct saying *s);
void say_curves(struct saying *s);

/* A sentence; fmt is N_(). */
void say_this(struct saying *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* From here on details. */
void say_details(struct saying *s);
const char *say_words(const struct saying *s, const char *msgid) __attribute__((format_arg(2)));

enum { SAID_MAX = 160 };
/* "query (position)" */
char *say_axis_name(const struct axis *a, char out[SAID_MAX]);
char *say_number(const struct saying *s, double x, char out[40]);

#endif
