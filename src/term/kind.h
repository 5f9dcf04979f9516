/* kind.h - what kind of terminal this is, from the environment alone. */
#ifndef POSVIZ_TERM_KIND_H
#define POSVIZ_TERM_KIND_H

#include <stdbool.h>
#include "canvas/palette.h"

struct kind {
    const char *name;               /* of the terminfo entry */
    const char *inline_entry;       /* one of ours (terminfo.h), or NULL: from the system's database */
    int depth;                      /* enum color_depth, or -1: as many colours as the entry says */
    bool forced;                    /* colours even if the entry says that there are none */
};

/* From TERM, COLORTERM, TMUX, STY, NO_COLOR, CLICOLOR_FORCE and CLICOLOR. */
struct kind kind_of_terminal(void);
/* What to try where curses does not know that one: ours for a likeness of xterm, the database's for ours. False: nothing. */
bool kind_fallback(struct kind *kind);
bool kind_answers(void);                        /* questions about itself: neither tmux nor screen, which answer for another */
bool kind_is_far(void);                         /* behind a slow line */
bool kind_is_linux_console(const struct kind *kind);

#endif
