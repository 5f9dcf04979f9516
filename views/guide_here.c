/* guide_here.c - which page, row and column of the guide a scenario shows. */
#include "guide_here.h"

#include <math.h>

size_t guide_trend_rows(const struct here *h, struct trend_row out[MAX_TREND_ROWS])
{
    size_t n = 0;
    for (size_t c = 0; c < h->book->n_claims; c++) {
        bool is_trend = false;
        for (size_t t = 0; t < h->book->n_trends; t++)
            is_trend |= h->book->trend[t].claim == &h->book->claim[c];
        if (is_trend && n < MAX_TREND_ROWS)
            out[n++] = (struct trend_row){&h->book->claim[c], -1};
        for (size_t t = 0; t < h->book->n_trends && n < MAX_TREND_ROWS; t++)
            if (h->book->trend[t].claim == &h->book->claim[c])
                out[n++] = (struct trend_row){&h->book->claim[c], (int)t};
    }
    return n;
}

size_t guide_count_rows(const struct here *h)
{
    struct trend_row rows[MAX_TREND_ROWS];
    const size_t n[PAGE_COUNT] = {h->book->n_guide_rows, h->book->n_claims, h->book->n_situations, guide_trend_rows(h, rows),
                                  h->book->n_measurements,
                                 h->book->n_models, h->book->n_gaps + h->book->n_checks};
    return n[h->page];
}

int guide_row_at(double x, int last)
{
    return x < 0 || isnan(x) ? 0 : x < last ? (int)x : last;
}

bool guide_here(const struct scenario *s, struct here *h, struct err *err)
{
    *h = (struct here){.s = s, .book = wizard_book(err), .lang = s->lang, .page = (enum page)view_num(s, VIEW_guide, P_PAGE)};
    if (!h->book)
        return false;
    int last = (int)guide_count_rows(h) - 1;
    if (h->page == PAGE_MEASURED)
        h->row = guide_row_at(view_num(s, VIEW_guide, P_MEASUREMENT) - 1, last);
    else
        h->row = guide_row_at(scenario_spot(s, 0).y - 1, last);
    h->column = guide_row_at(view_num(s, VIEW_guide, P_COLUMN) - 1,
                        (h->page == PAGE_MEASURED ? (int)h->book->measurement[h->row].n_columns : GUIDE_COLUMNS) - 1);
    return true;
}

const struct claim *guide_claim(const struct here *h)
{
    struct trend_row rows[MAX_TREND_ROWS];
    if (h->page == PAGE_TABLE)
        return h->book->guide_row[h->row].of[h->column];
    if (h->page == PAGE_CLAIMS)
        return &h->book->claim[h->row];
    guide_trend_rows(h, rows);
    return h->page == PAGE_TRENDS ? rows[h->row].claim : NULL;
}
