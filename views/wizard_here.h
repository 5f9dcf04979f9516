/* wizard_here.h - where a walk through the wizard stands on the screen, and the rows of the page shown: shared by the files of
 * the view (wizard.c). here_find reads it out of a scenario; rows_list says what the page lists; cells, text and choice of a row are one
 * table each over its kind. A further kind of row: a name in row_kind, who lists it, and its entries in those tables. */
#ifndef POSVIZ_VIEWS_WIZARD_HERE_H
#define POSVIZ_VIEWS_WIZARD_HERE_H

#include "app/view.h"
#include "wizard/wizard.h"

enum { P_PAGE, P_QUESTION };                    /* the view's parameters */
enum page { PAGE_QUESTION, PAGE_RESULT, PAGE_SCORES, PAGE_SOURCES };
enum { PANEL_ROWS, PANEL_RANKING };             /* the ranking only where there is one; the text below is the last panel */

struct here {
    const struct scenario *s;
    const struct book *book;
    enum lang lang;
    struct walk w;
    signed char given[BOOK_MAX_QUESTIONS];
    bool asked[BOOK_MAX_QUESTIONS];
    enum branch branch;
    enum page page;
    int question;                       /* shown; -1 on the other pages */
    const struct walk *ranked;          /* what the ranking is of: this walk, or the guide's situation as an evidence walk */
    const struct situation *situation;  /* of a finished document walk */
    struct ranking ranking;
};

static inline const char *say(const struct here *h, struct words w)
{
    return words_in(w, h->lang);
}

/* False and a message if the book cannot be had. Points into the scenario and the book. */
bool here_find(const struct scenario *s, struct here *h, struct err *err);
/* The n-th question asked on this path (from 1), -1: there are fewer; and back. */
int here_question(const struct here *h, int n);
int here_number(const struct here *h, int question);
bool here_shows_ranking(const struct here *h);  /* has this page a ranking beside its list? */
bool here_in_ranking(const struct here *h);     /* is the cursor there? */

/* ---- edits --------------------------------------------------------------------------------------------- */

/* Another page; question: its number on the path, from 1, NAN: the first open one. */
void here_show(struct scenario *s, enum page page, double question);
/* The walk becomes the scenario's. True: something changed, as for every edit. */
bool here_keep(struct scenario *s, const struct here *h, const struct walk *w);
bool here_answer(struct scenario *s, const struct here *h, int question, int answer);      /* indices in the book */

/* ---- rows (wizard_rows.c) ------------------------------------------------------------------------------ */

enum row_kind { ROW_HEADING, ROW_CHOICE, ROW_LENGTHS, ROW_ANSWERED, ROW_SCHEME, ROW_SITUATION, ROW_NOTE, ROW_PRESET, ROW_TABLE,
                ROW_RULE, ROW_METHOD, ROW_SHORT, ROW_FACTOR, ROW_REASON, ROW_OVERRIDE, ROW_CLAIM, ROW_EXCLUDED, ROW_CHANGE, ROW_UNCOUNTED,
                ROW_EXTEND, ROW_CRITERION, ROW_SOURCE, ROW_KIND_COUNT };
struct row { enum row_kind kind; int a, b; const char *text; };         /* a, b: indices; text: N_() of a heading */
enum { MAX_ROWS = 256 };
struct rows { size_t n; struct row row[MAX_ROWS]; };

void rows_list(const struct here *h, struct rows *rows);
/* The row that the cursor is in, or was when it left the list. */
int rows_index(const struct here *h, const struct rows *rows);
const struct row *rows_here(const struct here *h, const struct rows *rows);     /* NULL: the cursor is in the ranking */
/* For a third column of words? Without it they stand only in the text below. Assumed before the layout has said. */
bool row_has_room(const struct panel *p);
/* What an answer adds to the weights, the names of the schemes that a constraint excludes: "a, b"; "" none. Return out. */
char *row_weights(const struct here *h, const struct choice *a, char *out, size_t size);
char *row_excluded(const struct here *h, const struct constraint *x, char *out, size_t size);
/* The winner if question r->a had answer r->b, "" while it is open; asks_more: further questions would come first and may decide otherwise. */
const char *row_outcome(const struct here *h, const struct row *r, bool *asks_more);

/* ---- what is made of a row ----------------------------------------------------------------------------- */

/* Fills three cells of a table's row; false: the kind has none of its own (the score table). wizard_cells.c */
bool row_cells(const struct here *h, const struct row *r, struct panel *p, size_t at);
/* The row in full, into a text panel. wizard_text.c */
void row_text(const struct here *h, const struct row *r, struct panel *p);
void row_describe_scheme(const struct here *h, int scheme, struct panel *p);               /* summary, and why it is excluded */
enum choose { CHOOSE_BY_KEY, CHOOSE_BY_CLICK, CHOOSE_TO_SEE };
/* What Enter does; a click and "see" do it for some kinds of rows alone. wizard_choose.c */
bool row_choose(struct scenario *s, const struct here *h, const struct row *r, enum choose how);

#endif
