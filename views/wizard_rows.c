/* wizard_rows.c - the rows of the wizard's pages: what each page lists, the row under the cursor, and what is said of a row in more than one
 * place. */
#include "wizard_here.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add(struct rows *rows, enum row_kind kind, int a, int b)
{
    if (rows->n < MAX_ROWS)
        rows->row[rows->n++] = (struct row){kind, a, b, NULL};
}

static void add_heading(struct rows *rows, const char *text)
{
    add(rows, ROW_HEADING, 0, 0);
    rows->row[rows->n - 1].text = text;
}

static void add_question(const struct here *h, struct rows *rows)
{
    const struct question *q = &h->book->question[h->question];
    bool by_length = false, any = false;
    for (size_t a = 0; a < q->n_answers; a++) {
        add(rows, ROW_CHOICE, h->question, (int)a);
        by_length |= !isnan(q->answer[a].up_to);
    }
    if (by_length && h->s->trained >= 1 && h->s->target >= 1)
        add(rows, ROW_LENGTHS, h->question, 0);
    for (size_t i = 0; i < h->book->n_questions; i++)
        if (h->given[i] >= 0 && (int)i != h->question) {
            if (!any)
                add_heading(rows, N_("answered"));
            any = true;
            add(rows, ROW_ANSWERED, (int)i, 0);
        }
}

static void add_claims(const struct here *h, struct rows *rows, const struct claim *const *claim, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int id = (int)(claim[i] - h->book->claim);
        bool there = false;
        for (size_t k = 0; k < rows->n; k++)
            there |= rows->row[k].kind == ROW_CLAIM && rows->row[k].a == id;
        if (!there)
            add(rows, ROW_CLAIM, id, 0);
    }
}

static void add_changes(const struct here *h, struct rows *rows)
{
    struct change change[WIZARD_MAX_CHANGES];
    size_t n = wizard_changes(h->book, &h->w, change);
    add_heading(rows, n ? N_("what would change this (Enter takes it)") : N_("no single other answer would change this"));
    for (size_t i = 0; i < n; i++)
        add(rows, ROW_CHANGE, change[i].question, change[i].answer);
}

static void add_evidence(const struct here *h, struct rows *rows)
{
    int criterion[3], winner = h->ranking.n ? h->ranking.row[0].scheme : 0;
    size_t n = h->ranking.n ? ranking_reasons(h->book, &h->ranking, winner, criterion, 3) : 0;
    for (int i = 0; i < 2 && i < (int)h->ranking.n; i++)
        add(rows, ROW_SCHEME, i, 0);
    if (h->ranking.n && !strcmp(h->book->scheme[winner].id, "rope_scaled"))
        add(rows, ROW_EXTEND, 0, 0);
    add_heading(rows, N_("why: weight × score"));
    for (size_t i = 0; i < n; i++)
        add(rows, ROW_REASON, winner, criterion[i]);
    for (size_t i = 0; i < h->book->n_overrides; i++)
        if ((h->ranking.overrides >> i) & 1)
            add(rows, ROW_OVERRIDE, (int)i, 0);
    add_heading(rows, N_("what the guide says, and what was measured"));
    add_claims(h, rows, h->book->scheme[winner].claim, h->book->scheme[winner].n_claims);
    for (size_t q = 0; q < h->book->n_questions; q++)
        if (h->given[q] >= 0)
            add_claims(h, rows, h->book->question[q].claim, h->book->question[q].n_claims);
    add_heading(rows, N_("excluded"));
    for (size_t i = 0; i < h->book->n_constraints; i++)
        if (condition_holds(&h->book->constraint[i].when, h->given))
            add(rows, ROW_EXCLUDED, (int)i, 0);
    add_changes(h, rows);
    for (size_t q = 0; q < h->book->n_questions; q++)
        if (h->given[q] >= 0 && h->book->question[q].weightless)
            add(rows, ROW_UNCOUNTED, (int)q, 0);
}

static void add_document(const struct here *h, struct rows *rows)
{
    add(rows, ROW_SITUATION, 0, 0);
    add_heading(rows, N_("what the measurements say"));
    add(rows, ROW_NOTE, 0, 0);
    add_claims(h, rows, h->situation->claim, h->situation->n_claims);
    add(rows, ROW_PRESET, 0, 0);
    add_heading(rows, N_("the guide's table 4.1: absolute, relative, RoPE, ALiBi"));
    for (size_t i = 0; i < h->book->n_guide_rows; i++)
        add(rows, ROW_TABLE, (int)i, 0);
}

static void add_checkpoint(const struct here *h, struct rows *rows)
{
    struct factors f;
    int rule = wizard_rule(h->book, &h->w);
    if (rule < 0)
        return;
    add(rows, ROW_RULE, rule, 0);
    if (h->book->rule[rule].method)
        add(rows, ROW_METHOD, rule, 0);
    if (wizard_short_rule(h->book, &h->w))
        add(rows, ROW_SHORT, 0, 0);
    if (wizard_factors(h->book, &h->w, &f, NULL) && f.n) {
        add_heading(rows, N_("computed for your lengths"));
        for (size_t i = 0; i < f.n; i++)
            add(rows, ROW_FACTOR, (int)i, 0);
    }
    add_changes(h, rows);
}

void rows_list(const struct here *h, struct rows *rows)
{
    rows->n = 0;
    if (h->page == PAGE_QUESTION) {
        add_question(h, rows);
    } else if (h->page == PAGE_SCORES) {
        for (size_t c = 0; c < h->book->n_criteria; c++)
            add(rows, ROW_CRITERION, (int)c, 0);
    } else if (h->page == PAGE_SOURCES) {
        for (size_t i = 0; i < h->book->n_sources; i++)
            add(rows, ROW_SOURCE, (int)i, 0);
    } else if (h->branch == BRANCH_DOCUMENT) {
        add_document(h, rows);
    } else if (h->branch == BRANCH_EVIDENCE) {
        add_evidence(h, rows);
    } else {
        add_checkpoint(h, rows);
    }
}

int rows_index(const struct here *h, const struct rows *rows)
{
    double y = scenario_spot(h->s, PANEL_ROWS).y;
    int last = (int)rows->n - 1, at = isnan(y) ? 0 : (int)y - 1;
    return at < 0 ? 0 : at < last ? at : last;
}

const struct row *rows_here(const struct here *h, const struct rows *rows)
{
    return rows->n && !here_in_ranking(h) ? &rows->row[rows_index(h, rows)] : NULL;
}

/* ---- said in more than one place -------------------------------------------------------------------- */

char *row_weights(const struct here *h, const struct choice *a, char *out, size_t size)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t c = 0; c < h->book->n_criteria && at < size; c++)
        if (a->weight[c] != 0)
            at += (size_t)snprintf(out + at, size - at, "%s%s %+g", at ? ", " : "", say(h, h->book->criterion[c].brief), a->weight[c]);
    return out;
}

char *row_excluded(const struct here *h, const struct constraint *x, char *out, size_t size)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t s = 0; s < h->book->n_schemes && at < size; s++)
        if ((x->schemes >> s) & 1)
            at += (size_t)snprintf(out + at, size - at, "%s%s", at ? ", " : "", say(h, h->book->scheme[s].name));
    return out;
}

const char *row_outcome(const struct here *h, const struct row *r, bool *asks_more)
{
    struct walk other = h->w;
    other.answer[r->a] = (signed char)r->b;
    *asks_more = walk_next(h->book, &other) != WIZARD_DONE;
    if (h->branch == BRANCH_CHECKPOINT) {
        int rule = wizard_rule(h->book, &other);
        return rule < 0 ? "" : say(h, h->book->rule[rule].name);
    }
    struct ranking ranking;
    wizard_rank(h->book, &other, &ranking);
    return ranking.n ? say(h, h->book->scheme[ranking.row[0].scheme].name) : "";
}

bool row_has_room(const struct panel *p)
{
    return p->cols == 0 || p->cols >= 60;
}
