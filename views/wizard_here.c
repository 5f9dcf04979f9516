/* wizard_here.c - where a walk stands: its page, its question, its ranking; and the edits of it. */
#include "wizard_here.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int here_question(const struct here *h, int n)
{
    for (size_t q = 0; q < h->book->n_questions; q++)
        if (h->asked[q] && --n == 0)
            return (int)q;
    return -1;
}

int here_number(const struct here *h, int question)
{
    int n = 0;
    for (int q = 0; q <= question; q++)
        n += h->asked[q];
    return n;
}

static void choose_page(struct here *h)
{
    int next = walk_next(h->book, &h->w);
    double wanted = view_num(h->s, VIEW_wizard, P_QUESTION);
    h->page = (enum page)view_num(h->s, VIEW_wizard, P_PAGE);
    h->question = -1;
    if (h->page == PAGE_RESULT && next != WIZARD_DONE)
        h->page = PAGE_QUESTION;
    if (h->page != PAGE_QUESTION)
        return;
    h->question = isnan(wanted) ? next : here_question(h, (int)wanted);
    if (h->question < 0)
        h->question = next;
    if (h->question == WIZARD_DONE)
        h->page = PAGE_RESULT;
}

bool here_find(const struct scenario *s, struct here *h, struct err *err)
{
    *h = (struct here){.s = s, .book = wizard_book(err), .lang = s->lang};
    if (!h->book || !walk_from_text(h->book, &h->w, s->walk, err))
        return false;
    walk_given(h->book, &h->w, h->given, h->asked);
    h->branch = walk_branch(h->book, &h->w);
    if (walk_next(h->book, &h->w) == WIZARD_DONE && h->branch == BRANCH_DOCUMENT)
        h->situation = walk_situation(h->book, &h->w);
    h->ranked = h->branch == BRANCH_EVIDENCE ? &h->w : h->situation ? &h->situation->preset : NULL;
    choose_page(h);
    if (h->page == PAGE_SCORES && !h->ranked)
        h->ranked = &h->w;
    if (h->ranked)
        wizard_rank(h->book, h->ranked, &h->ranking);
    return true;
}

bool here_shows_ranking(const struct here *h)
{
    return h->ranked && (h->page == PAGE_QUESTION || h->page == PAGE_RESULT);
}

bool here_in_ranking(const struct here *h)
{
    return here_shows_ranking(h) && h->s->focus == PANEL_RANKING;
}

/* ---- edits --------------------------------------------------------------------------------------------- */

void here_show(struct scenario *s, enum page page, double question)
{
    s->view_param[VIEW_wizard][P_PAGE].x = page;
    s->view_param[VIEW_wizard][P_QUESTION].x = question;
    scenario_reset_cursor(s);
}

bool here_keep(struct scenario *s, const struct here *h, const struct walk *w)
{
    char text[SCENARIO_TEXT_MAX];
    scenario_set_walk(s, walk_to_text(h->book, w, text, sizeof text));
    return true;
}

/* An answer by hand outweighs one from lengths, so lengths that say otherwise are forgotten. */
bool here_answer(struct scenario *s, const struct here *h, int question, int a)
{
    struct walk w = h->w;
    bool from_lengths = !isnan(h->book->question[question].answer[a].up_to);
    w.answer[question] = (signed char)a;
    if (from_lengths)
        w.trained = w.target = NAN;
    here_show(s, PAGE_QUESTION, NAN);
    return here_keep(s, h, &w);
}

