/* guide_here.h - where the reader of the selection guide stands, and the parts of the view (guide.c) that show it: pages as lists with a
 * text below (guide_pages.c), what the program computes of a claim (guide_computed.c), measurements as charts (guide_charts.c). */
#ifndef POSVIZ_VIEWS_GUIDE_HERE_H
#define POSVIZ_VIEWS_GUIDE_HERE_H

#include "app/view.h"
#include "wizard/wizard.h"

enum { P_PAGE, P_COLUMN, P_MEASUREMENT };
enum page { PAGE_TABLE, PAGE_CLAIMS, PAGE_SITUATIONS, PAGE_TRENDS, PAGE_MEASURED, PAGE_MODELS, PAGE_LIMITS, PAGE_COUNT };

struct here {
    const struct scenario *s;
    const struct book *book;
    enum lang lang;
    enum page page;
    int row;                            /* under the cursor, from 0 */
    int column;                         /* from 0 */
};

static inline const char *say(const struct here *h, struct words w)
{
    return words_in(w, h->lang);
}

/* The list is panel 0. The measurement is a parameter, so that the cursor is free to read the chart. */
bool guide_here(const struct scenario *s, struct here *h, struct err *err);
size_t guide_count_rows(const struct here *h);                  /* of the page */
int guide_row_at(double x, int last);                           /* a row from a number that may be NAN or far out: 0 to last */
const struct claim *guide_claim(const struct here *h);          /* that the row stands for; NULL: none */

/* A trend of the guide is followed by what became of it: rows of both kinds, trend -1 for the guide's own. */
struct trend_row { const struct claim *claim; int trend; };
enum { MAX_TREND_ROWS = 64 };
/* Returns how many. */
size_t guide_trend_rows(const struct here *h, struct trend_row out[MAX_TREND_ROWS]);

/* ---- pages ----------------------------------------------------------------------------------------------------------- */

extern const char *const guide_pages[];                         /* N_() names, NULL at the end */
/* Title and legend of the marks, as long as the panel has room for; at plan, before its width is known, the long ones. */
void guide_title(const struct here *h, struct panel *p);
void guide_list(const struct here *h, struct panel *p);         /* the page's list into a table */
void guide_text(const struct here *h, struct panel *p);         /* the row in full */
bool guide_read(const struct here *h, struct readout *out);     /* the row in a line; false: there is nothing more to say */
/* Lines of what the encodings give at this moment, where the program can test the claim. */
void guide_compute(const struct here *h, const struct claim *claim, struct panel *p);

/* ---- charts ------------------------------------------------------------------------------------------------------------ */

/* The panel of the measurement shown, as curves or as bars of one column. */
void guide_plan_chart(const struct here *h, struct figure *f);
void guide_fill_chart(const struct here *h, struct panel *p);
/* The value nearest to a place of the chart; false: there is none. */
bool guide_probe_chart(const struct here *h, double x, double y, struct readout *out);

#endif
