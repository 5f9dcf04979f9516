/* dialogue.h - the program without a screen, for a screen reader or a Braille line (--accessible): a page of text, a question, a line typed, the
 * next page. Nothing is drawn and the cursor is never moved, so it works on any terminal and through a pipe.
 *
 * It is the same program: the scenario, the words of `:` with undo, lessons and the wizard's engine. A page is the figure described
 * (figure/describe.h); lessons (dialogue_lesson.c) and the wizard (dialogue_wizard.c) bring pages of their own. */
#ifndef POSVIZ_APP_DIALOGUE_H
#define POSVIZ_APP_DIALOGUE_H

#include <stdio.h>
#include "app/state.h"
#include "base/buf.h"

/* Runs on an app that was opened on a terminal in memory, until the user leaves or the input ends. talk false: one whole page, no questions. */
void dialogue_run(struct app *app, int threads, bool talk);

/* ---- between the files of the dialogue ---------------------------------------------------------------------- */

/* Text whose first lines are the message and have been said; more says the rest. */
struct part { char *text; size_t said; };
enum page_kind { PAGE_NEW, PAGE_AGAIN, PAGE_CHANGED };         /* changed: what is as it was is not said again */
enum { PARTS_MAX = 96, LINE_TYPED_MAX = 4096 };

struct dialogue {
    struct app *app;
    int threads;
    bool talk;
    bool echo;                      /* nobody else shows what was typed */
    char typed[LINE_TYPED_MAX];
    struct part part[PARTS_MAX], before[PARTS_MAX]; size_t n_parts, n_before;       /* of the page, and of the page before */
    enum page_kind kind;
    size_t unchanged;               /* parts of the page that are as they were */
    int view;                       /* of the page before; -1: none */
    int question;                   /* wizard: number of the one shown, 0: the first that is open */
};

/* ---- talking (dialogue_talk.c) ------------------------------------------------------------------------------- */

/* The translation; borrowed. */
const char *dialogue_text(const struct dialogue *d, const char *msgid) __attribute__((format_arg(2)));
/* A line of output; fmt is N_(). */
void dialogue_say(const struct dialogue *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A line of any text, numbers without spaces between their digits. */
void dialogue_say_numbers(const char *text);
/* Asks and reads a line, without the blanks around it; NULL: the input has ended. */
const char *dialogue_ask(struct dialogue *d, const char *prompt);
/* The number that a line is, or 0. */
int dialogue_number(const char *line);
/* Says the message of a text, unless the page before had the same, and keeps the rest for more. Takes text over. */
void dialogue_part(struct dialogue *d, char *text, size_t message);
void dialogue_new_page(struct dialogue *d);             /* the parts become those of the page before */
/* How many lines more would say, and that some are as they were. */
void dialogue_say_left(const struct dialogue *d);
/* The next lines of what was kept. */
void dialogue_say_more(struct dialogue *d);
/* The rest of a line that begins with word; NULL: it does not. */
const char *dialogue_rest(const char *line, const char *word);

/* ---- pages and lines ------------------------------------------------------------------------------------------ */

/* The figure described, with what the view is for unless the page is a changed one. (dialogue_figure.c) */
void dialogue_figure(struct dialogue *d);
/* "position m 4096 tokens" */
void dialogue_append_param(const struct dialogue *d, const struct param_ref *ref, const char *between, struct buf *out);
/* "PLACE", "COLUMN ROW" or "": moves there, and says the value. */
void dialogue_read(struct dialogue *d, const char *rest);
void dialogue_export(struct dialogue *d, const char *path, bool force);

/* Asks for what a line lacks and puts it in, or what was typed instead; false: nothing was. (dialogue_ask.c) */
bool dialogue_complete(struct dialogue *d, char *line, size_t size);

/* Text of a step, and its quiz. */
void dialogue_lesson_page(struct dialogue *d);
/* A line in a lesson: next, back, leave, an answer. False: not one of these. *page: the page is to be said again. */
bool dialogue_lesson_line(struct dialogue *d, const char *line, bool *page);

/* "set m 7" of a letter that the picture gives a parameter of the view: becomes a line with the parameter's name, which is said. */
void dialogue_lesson_symbol(const struct dialogue *d, char *line, size_t size);

void dialogue_wizard_page(struct dialogue *d);
/* The words that dialogue_wizard_line knows. */
void dialogue_wizard_help(const struct dialogue *d);
bool dialogue_wizard_line(struct dialogue *d, const char *line);

#endif
