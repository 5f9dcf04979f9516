/* wizard.c - the selection wizard on the screen: one question at a time, the ranking as it stands, the result and what is behind it.
 *
 *     +- question 3 of 7 to 9 -----------------+- ranking now --------------+
 *     |  1  Never longer                       |  RoPE + scaling  =======   |
 *     |  2  Up to 2x             fluent +1     |  ALiBi           ======    |
 *     |  answered: kind of model, main task    |  excluded: learned (H1)    |
 *     +----------------------------------------+----------------------------+
 *     |  the row under the cursor in full: reason, source, how it was checked|
 *     +---------------------------------------------------------------------+
 *
 * Every page is a list of rows; a kind of row knows its cells, its text below, and what Enter does with it. The answers are the
 * scenario's `walk`; nothing else is kept but the page and the question shown. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "figure/draw.h"
#include "wizard/wizard.h"

enum { P_PAGE, P_QUESTION };
enum page { PAGE_QUESTION, PAGE_RESULT, PAGE_SCORES, PAGE_SOURCES };
static const char *const pages[] = {N_("question"), N_("result"), N_("scores"), N_("sources"), NULL};
static const struct param params[] = {
    [P_PAGE] = {.name = "page", .help = N_("the question, the result, the score table, or the sources"), .type = PARAM_CHOICE, .choices = pages},
    [P_QUESTION] = {.name = "question", .title = N_("question number"), .help = N_("the question shown, by its number on this path; absent: the first open one"),
                    .type = PARAM_INT, .def = NAN, .min = 1, .max = BOOK_MAX_QUESTIONS, .step = 1},
};

enum { KEY_ENTER = 13 };
enum { A_CHOOSE = BOOK_MAX_ANSWERS, A_BACK, A_RESTART, A_RESULT, A_SCORES, A_SOURCES, A_SEE, A_MORE, A_LESS, A_RESET };
static const struct action actions[] = {
    {0, '1', 0, "answer-1", N_("answer"), true},
    {1, '2', 0, "answer-2", N_("take answer 2"), false}, {2, '3', 0, "answer-3", N_("take answer 3"), false},
    {3, '4', 0, "answer-4", N_("take answer 4"), false}, {4, '5', 0, "answer-5", N_("take answer 5"), false},
    {5, '6', 0, "answer-6", N_("take answer 6"), false}, {6, '7', 0, "answer-7", N_("take answer 7"), false},
    {7, '8', 0, "answer-8", N_("take answer 8"), false}, {8, '9', 0, "answer-9", N_("take answer 9"), false},
    {A_CHOOSE, KEY_ENTER, 0, "choose", N_("choose or see the row"), true},
    {A_BACK, 'b', 0, "question-back", N_("question back"), true},
    {A_RESTART, 'r', 0, "restart", N_("start again"), false},
    {A_RESULT, 'o', 0, "show-result", N_("result"), true},
    {A_SCORES, 't', 0, "show-scores", N_("score table"), true},
    {A_SOURCES, 'e', 0, "show-sources", N_("sources"), true},
    {A_SEE, 'v', 0, "see-it", N_("see the row under the cursor in its view"), false},
    {A_MORE, 'w', 0, "weigh-more", N_("score table: one more for the weight of this criterion"), false},
    {A_LESS, 'W', 0, "weigh-less", N_("score table: one less"), false},
    {A_RESET, 'n', 0, "reset-weights", N_("weights from the answers again"), false},
};

enum { PANEL_ROWS, PANEL_RANKING };             /* the ranking only where there is one; the text below is the last panel */

/* ---- where the walk stands ------------------------------------------------------------------------------------------- */

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
    const struct walk *ranked;          /* the walk whose ranking is shown: this one, or the guide's situation as an evidence walk */
    const struct situation *situation;  /* of a finished document walk */
    struct ranking ranking;
};

static const char *say(const struct here *h, struct words w)
{
    return w.in[h->lang] ? w.in[h->lang] : "";
}

/* The n-th question asked on this path (from 1), -1: there are fewer. */
static int question_number(const struct here *h, int n)
{
    for (size_t q = 0; q < h->book->n_questions; q++)
        if (h->asked[q] && --n == 0)
            return (int)q;
    return -1;
}

static int number_of_question(const struct here *h, int question)
{
    int n = 0;
    for (int q = 0; q <= question; q++)
        n += h->asked[q];
    return n;
}

static const struct situation *situation_of(const struct here *h)
{
    const struct situation *found = NULL;
    for (size_t q = 0; q < h->book->n_questions; q++)
        if (h->given[q] >= 0 && book_situation(h->book, h->book->question[q].answer[h->given[q]].id))
            found = book_situation(h->book, h->book->question[q].answer[h->given[q]].id);
    return found;
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
    h->question = isnan(wanted) ? next : question_number(h, (int)wanted);
    if (h->question < 0)
        h->question = next;
    if (h->question == WIZARD_DONE)
        h->page = PAGE_RESULT;
}

static bool find_here(const struct scenario *s, struct here *h, struct err *err)
{
    *h = (struct here){.s = s, .book = wizard_book(err), .lang = s->lang};
    if (!h->book || !walk_from_text(h->book, &h->w, s->walk, err))
        return false;
    walk_given(h->book, &h->w, h->given, h->asked);
    h->branch = walk_branch(h->book, &h->w);
    if (walk_next(h->book, &h->w) == WIZARD_DONE && h->branch == BRANCH_DOCUMENT)
        h->situation = situation_of(h);
    h->ranked = h->branch == BRANCH_EVIDENCE ? &h->w : h->situation ? &h->situation->preset : NULL;
    choose_page(h);
    if (h->page == PAGE_SCORES && !h->ranked)
        h->ranked = &h->w;
    if (h->ranked)
        wizard_rank(h->book, h->ranked, &h->ranking);
    return true;
}

/* ---- edits ---------------------------------------------------------------------------------------------------------------- */

static void show(struct scenario *s, enum page page, double question)
{
    s->view_param[VIEW_wizard][P_PAGE].x = page;
    s->view_param[VIEW_wizard][P_QUESTION].x = question;
    s->focus = PANEL_ROWS;
    s->cursor_x = s->cursor_y = NAN;
}

static bool keep(struct scenario *s, const struct here *h, const struct walk *w)
{
    char text[SCENARIO_TEXT_MAX];
    scenario_set_walk(s, walk_to_text(h->book, w, text, sizeof text));
    return true;
}

/* An answer by hand outweighs one from lengths, so lengths that say otherwise are forgotten. */
static bool answer(struct scenario *s, const struct here *h, int question, int a)
{
    struct walk w = h->w;
    bool from_lengths = !isnan(h->book->question[question].answer[a].up_to);
    w.answer[question] = (signed char)a;
    if (from_lengths)
        w.trained = w.target = NAN;
    show(s, PAGE_QUESTION, NAN);
    return keep(s, h, &w);
}

static bool go_back(struct scenario *s, const struct here *h)
{
    int n = h->question >= 0 ? number_of_question(h, h->question) : 1 + BOOK_MAX_QUESTIONS;
    if (h->page == PAGE_RESULT)
        for (n = 1; question_number(h, n) >= 0;)
            n++;
    if (h->question < 0 && h->page != PAGE_RESULT)
        show(s, PAGE_QUESTION, NAN);
    else if (n <= 1)
        return false;
    else
        show(s, PAGE_QUESTION, n - 1);
    return true;
}

static bool see(struct scenario *s, const char *view, const char *encoding)
{
    struct scenario t;
    if (!view)
        return false;
    scenario_copy(&t, s);
    if ((encoding && !scenario_set_encoding(&t, encoding, NULL)) || !scenario_set_view(&t, view, NULL)) {
        scenario_done(&t);
        return false;
    }
    scenario_done(s);
    memcpy(s, &t, sizeof t);
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------------------------------------ */

enum row_kind { ROW_HEADING, ROW_CHOICE, ROW_LENGTHS, ROW_ANSWERED, ROW_SCHEME, ROW_SITUATION, ROW_NOTE, ROW_PRESET, ROW_TABLE, ROW_RULE,
                ROW_METHOD, ROW_SHORT, ROW_FACTOR, ROW_REASON, ROW_OVERRIDE, ROW_CLAIM, ROW_EXCLUDED, ROW_CHANGE, ROW_UNCOUNTED,
                ROW_EXTEND, ROW_CRITERION, ROW_SOURCE, ROW_KIND_COUNT };
struct row { enum row_kind kind; int a, b; const char *text; };         /* a, b: indices; text: N_() of a heading */
enum { MAX_ROWS = 256 };
struct rows { size_t n; struct row row[MAX_ROWS]; };

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
    add_heading(rows, N_("why"));
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

static void list_rows(const struct here *h, struct rows *rows)
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

static bool shows_ranking(const struct here *h)
{
    return h->ranked && (h->page == PAGE_QUESTION || h->page == PAGE_RESULT);
}

static bool in_ranking(const struct here *h)
{
    return shows_ranking(h) && h->s->focus == PANEL_RANKING;
}

/* Index of the row that the cursor is in. From the text below, it is the last one: that is how the cursor gets there. */
static int index_here(const struct here *h, const struct rows *rows)
{
    int last = (int)rows->n - 1, at = isnan(h->s->cursor_y) ? 0 : (int)h->s->cursor_y - 1;
    if (h->s->focus != PANEL_ROWS)
        return in_ranking(h) ? 0 : last;
    return at < 0 ? 0 : at < last ? at : last;
}

static const struct row *row_here(const struct here *h, const struct rows *rows)
{
    return rows->n && !in_ranking(h) ? &rows->row[index_here(h, rows)] : NULL;
}

/* ---- cells of each kind of row ---------------------------------------------------------------------------------------------- */

struct cells { struct panel *p; size_t at; };

static void put(struct cells c, const char *mark, enum role role, const char *text, const char *note)
{
    panel_cell(c.p, c.at, 0, role, false, "%s", mark);
    panel_cell(c.p, c.at, 1, role == ROLE_DIM || role == ROLE_TITLE ? role : ROLE_TEXT, false, "%s", text);
    panel_cell(c.p, c.at, 2, ROLE_DIM, false, "%s", note);
}

/* Room for a third column of words; without it they stand only in the text below. */
static bool has_room(const struct panel *p)
{
    return p->cols >= 60;
}

static void heading_cells(const struct here *h, const struct row *r, struct cells c)
{
    put(c, "", ROLE_TITLE, lang_text(h->lang, r->text), "");
}

static char *weights_text(const struct here *h, const struct choice *a, char *out, size_t size)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t c = 0; c < h->book->n_criteria && at < size; c++)
        if (a->weight[c] != 0)
            at += (size_t)snprintf(out + at, size - at, "%s%s %+g", at ? ", " : "", h->book->criterion[c].id, a->weight[c]);
    return out;
}

static void choice_cells(const struct here *h, const struct row *r, struct cells c)
{
    const struct choice *a = &h->book->question[r->a].answer[r->b];
    char number[16], note[120] = "";
    snprintf(number, sizeof number, "%d", r->b + 1);
    if (has_room(c.p))
        weights_text(h, a, note, sizeof note);
    put(c, number, ROLE_ACCENT, say(h, a->label), note);
    if (h->given[r->a] == r->b)
        panel_cell(c.p, c.at, 1, ROLE_GOOD, false, "%s", say(h, a->label));
}

static void lengths_cells(const struct here *h, const struct row *r, struct cells c)
{
    (void)r;
    char trained[32], target[32], note[96];
    snprintf(note, sizeof note, "%s / %s = %.4g", format_number(target, sizeof target, h->s->target, 9),
             format_number(trained, sizeof trained, h->s->trained, 9), h->s->target / h->s->trained);
    put(c, "=", ROLE_ACCENT, lang_text(h->lang, N_("from the lengths `target` and `trained`")), note);
}

static void answered_cells(const struct here *h, const struct row *r, struct cells c)
{
    char number[16];
    snprintf(number, sizeof number, "%d", number_of_question(h, r->a));
    const char *taken = say(h, h->book->question[r->a].answer[h->given[r->a]].label);
    put(c, number, ROLE_DIM, has_room(c.p) ? say(h, h->book->question[r->a].title) : taken, has_room(c.p) ? taken : "");
}

static void scheme_cells(const struct here *h, const struct row *r, struct cells c)
{
    const struct ranked *row = &h->ranking.row[r->a];
    char note[96];
    snprintf(note, sizeof note, "%.1f %%", row->percent);
    put(c, r->a ? "2" : "1", r->a ? ROLE_DIM : ROLE_GOOD, say(h, h->book->scheme[row->scheme].name), note);
}

static void situation_cells(const struct here *h, const struct row *r, struct cells c)
{
    (void)r;
    char note[64];
    snprintf(note, sizeof note, lang_text(h->lang, N_("the guide, %s")), h->situation->section);
    put(c, "→", ROLE_GOOD, say(h, h->situation->label), note);
}

static void note_cells(const struct here *h, const struct row *r, struct cells c)
{
    (void)r;
    put(c, h->situation->agrees ? "=" : "≠", h->situation->agrees ? ROLE_GOOD : ROLE_WARNING, say(h, h->situation->note), "");
}

static void preset_cells(const struct here *h, const struct row *r, struct cells c)
{
    (void)r;
    char note[80];
    snprintf(note, sizeof note, "%.1f %%", h->ranking.row[0].percent);
    put(c, "→", ROLE_ACCENT, lang_text(h->lang, N_("the same case in the evidence branch (Enter opens it)")), note);
}

static void table_cells(const struct here *h, const struct row *r, struct cells c)
{
    const struct guide_row *g = &h->book->guide_row[r->a];
    char note[200];
    snprintf(note, sizeof note, "%s · %s · %s · %s", say(h, g->value[0]), say(h, g->value[1]), say(h, g->value[2]), say(h, g->value[3]));
    put(c, "", ROLE_DIM, say(h, g->name), note);
}

static void rule_cells(const struct here *h, const struct row *r, struct cells c)
{
    const struct rule *rule = &h->book->rule[r->a];
    put(c, rule->id, ROLE_GOOD, say(h, rule->name), "");
}

static void method_cells(const struct here *h, const struct row *r, struct cells c)
{
    put(c, "", ROLE_DIM, lang_text(h->lang, N_("formula and what was measured")), say(h, h->book->rule[r->a].method->params));
}

static void short_cells(const struct here *h, const struct row *r, struct cells c)
{
    (void)r;
    put(c, "!", ROLE_WARNING, lang_text(h->lang, N_("short inputs must not suffer")), "");
}

static void factor_cells(const struct here *h, const struct row *r, struct cells c)
{
    struct factors f;
    char value[48];
    if (!wizard_factors(h->book, &h->w, &f, NULL) || (size_t)r->a >= f.n)
        return;
    format_number(value, sizeof value, f.factor[r->a].value, 8);
    put(c, "", ROLE_DIM, lang_text(h->lang, f.factor[r->a].name), value);
    panel_cell(c.p, c.at, 1, ROLE_TEXT, false, "%s", lang_text(h->lang, f.factor[r->a].name));
    panel_cell(c.p, c.at, 2, ROLE_TITLE, false, "%s", value);
}

static void reason_cells(const struct here *h, const struct row *r, struct cells c)
{
    char mark[32];
    bool changed = (h->ranking.overridden[r->a] >> r->b) & 1;
    snprintf(mark, sizeof mark, "%g×%g%s", h->ranking.weight[r->b], h->ranking.score[r->a][r->b],
             book_cell(h->book, r->a, r->b)->evidence.unverified ? "?" : changed ? "!" : "");
    put(c, mark, ROLE_ACCENT, say(h, h->book->criterion[r->b].name), has_room(c.p) ? say(h, book_cell(h->book, r->a, r->b)->reason) : "");
}

static void override_cells(const struct here *h, const struct row *r, struct cells c)
{
    put(c, h->book->override[r->a].id, ROLE_WARNING, say(h, h->book->override[r->a].reason), "");
}

static enum role verdict_role(enum verdict v)
{
    static const enum role roles[] = {ROLE_GOOD, ROLE_WARNING, ROLE_ERROR, ROLE_WARNING, ROLE_DIM};
    return roles[v];
}

static void claim_cells(const struct here *h, const struct row *r, struct cells c)
{
    const struct claim *claim = &h->book->claim[r->a];
    put(c, claim->id, verdict_role(claim->verdict), say(h, claim->says), lang_text(h->lang, verdict_titles[claim->verdict]));
    panel_cell(c.p, c.at, 2, verdict_role(claim->verdict), false, "%s", lang_text(h->lang, verdict_titles[claim->verdict]));
}

static char *excluded_names(const struct here *h, const struct constraint *x, char *out, size_t size)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t s = 0; s < h->book->n_schemes && at < size; s++)
        if ((x->schemes >> s) & 1)
            at += (size_t)snprintf(out + at, size - at, "%s%s", at ? ", " : "", say(h, h->book->scheme[s].name));
    return out;
}

static void excluded_cells(const struct here *h, const struct row *r, struct cells c)
{
    char names[300];
    const struct constraint *x = &h->book->constraint[r->a];
    put(c, x->id, ROLE_ERROR, excluded_names(h, x, names, sizeof names), has_room(c.p) ? say(h, x->reason) : "");
}

/* What one other answer leads to; "" where more questions must be answered first. */
static const char *outcome(const struct here *h, const struct row *r, bool *asks_more)
{
    struct walk other = h->w;
    other.answer[r->a] = (signed char)r->b;
    *asks_more = walk_next(h->book, &other) != WIZARD_DONE;
    if (h->branch == BRANCH_CHECKPOINT) {
        int rule = wizard_rule(h->book, &other);
        return rule < 0 ? "?" : say(h, h->book->rule[rule].name);
    }
    struct ranking ranking;
    wizard_rank(h->book, &other, &ranking);
    return ranking.n ? say(h, h->book->scheme[ranking.row[0].scheme].name) : "?";
}

static void change_cells(const struct here *h, const struct row *r, struct cells c)
{
    bool more;
    char number[16], note[160];
    const char *winner = outcome(h, r, &more);
    snprintf(note, sizeof note, "→ %s%s", winner, more ? " …" : "");
    snprintf(number, sizeof number, "%d", number_of_question(h, r->a));
    put(c, number, ROLE_DIM, say(h, h->book->question[r->a].answer[r->b].label), note);
    panel_cell(c.p, c.at, 1, ROLE_TEXT, false, "%s", say(h, h->book->question[r->a].answer[r->b].label));
}

static void uncounted_cells(const struct here *h, const struct row *r, struct cells c)
{
    put(c, "0", ROLE_DIM, say(h, h->book->question[r->a].title), lang_text(h->lang, N_("did not count")));
}

static void extend_cells(const struct here *h, const struct row *r, struct cells c)
{
    (void)r;
    put(c, "→", ROLE_ACCENT, lang_text(h->lang, N_("compute the factors in the checkpoint branch (Enter opens it)")), "");
}

static void source_cells(const struct here *h, const struct row *r, struct cells c)
{
    const struct source *s = &h->book->source[r->a];
    put(c, say(h, s->via->brief), strcmp(s->via->id, "unverified") ? ROLE_DIM : ROLE_WARNING, s->name, s->locator);
    panel_cell(c.p, c.at, 1, ROLE_TEXT, false, "%s", s->name);
}

/* ---- the text below ----------------------------------------------------------------------------------------------------------- */

static void cite(const struct here *h, struct panel *p, const struct evidence *e)
{
    char text[400];
    panel_text(p, "- %s\n", evidence_text(text, sizeof text, e, h->lang));
}

static void choice_text(const struct here *h, const struct row *r, struct panel *p)
{
    const struct question *q = &h->book->question[r->a];
    char weights[200];
    panel_text(p, "%s\n", say(h, q->why));
    if (*weights_text(h, &q->answer[r->b], weights, sizeof weights))
        panel_text(p, "%s: %s\n", lang_text(h->lang, N_("adds to the weights")), weights);
    else if (q->weightless)
        panel_text(p, "%s\n", lang_text(h->lang, N_("No answer to this question counts: no measurement separates the schemes by it.")));
    for (size_t i = 0; i < h->book->n_constraints; i++) {
        signed char given[BOOK_MAX_QUESTIONS];
        memcpy(given, h->given, sizeof given);
        given[r->a] = (signed char)r->b;
        const struct constraint *x = &h->book->constraint[i];
        char names[300];
        if (h->branch == BRANCH_EVIDENCE && condition_holds(&x->when, given) && strstr(x->when.text, q->id))
            panel_text(p, "%s (%s): %s. %s\n", lang_text(h->lang, N_("excludes")), x->id, excluded_names(h, x, names, sizeof names), say(h, x->reason));
    }
}

static void lengths_text(const struct here *h, const struct row *r, struct panel *p)
{
    (void)r;
    panel_text(p, "%s\n", lang_text(h->lang, N_("Set the general parameters `trained` and `target`, for example with :set target=131072; a loaded model brings its own. The result then "
                                                "shows the factors computed for these lengths.")));
}

static void answered_text(const struct here *h, const struct row *r, struct panel *p)
{
    panel_text(p, "%s\n%s\n", say(h, h->book->question[r->a].title), lang_text(h->lang, N_("Enter goes back to this question.")));
}

static void describe_scheme(const struct here *h, int scheme, struct panel *p)
{
    const struct scheme *s = &h->book->scheme[scheme];
    panel_text(p, "# %s\n%s\n", say(h, s->name), say(h, s->summary));
    for (size_t i = 0; i < h->book->n_constraints; i++)
        if ((h->ranking.removed_by[scheme] >> i) & 1) {
            panel_text(p, "%s (%s): %s\n", lang_text(h->lang, N_("excluded")), h->book->constraint[i].id, say(h, h->book->constraint[i].reason));
            cite(h, p, &h->book->constraint[i].evidence);
        }
}

static void scheme_text(const struct here *h, const struct row *r, struct panel *p)
{
    describe_scheme(h, h->ranking.row[r->a].scheme, p);
    panel_text(p, lang_text(h->lang, N_("%g points of %g possible.\n")), h->ranking.row[r->a].points, WIZARD_MAX_SCORE * h->ranking.weight_sum);
    if (h->ranking.close)
        panel_text(p, lang_text(h->lang, N_("A close call: less than %g percentage points between the first two.\n")), h->book->close_percent);
    if (h->ranking.tie_rule)
        panel_text(p, "%s: %s\n", lang_text(h->lang, N_("a tie, decided by")), say(h, h->book->tie_rule[h->ranking.tie_rule - 1]));
}

static void situation_text(const struct here *h, const struct row *r, struct panel *p)
{
    (void)r;
    panel_text(p, "# %s\n%s\n%s\n", say(h, h->situation->name), say(h, h->situation->reason), say(h, h->book->scheme[h->situation->scheme].summary));
}

static void note_text(const struct here *h, const struct row *r, struct panel *p)
{
    (void)r;
    panel_text(p, "%s\n", say(h, h->situation->note));
    cite(h, p, &h->situation->evidence);
}

static void preset_text(const struct here *h, const struct row *r, struct panel *p)
{
    (void)r;
    describe_scheme(h, h->ranking.row[0].scheme, p);
    panel_text(p, "%.1f %%%s%s\n", h->ranking.row[0].percent, h->ranking.close ? ", " : "",
               h->ranking.close ? lang_text(h->lang, N_("close call")) : "");
}

static void claim_text(const struct here *h, const struct claim *claim, struct panel *p)
{
    panel_text(p, "# %s %s: %s\n%s: %s\n", claim->id, claim->section, lang_text(h->lang, verdict_titles[claim->verdict]),
               lang_text(h->lang, N_("the guide says")), say(h, claim->says));
    panel_text(p, "%s: %s\n", lang_text(h->lang, N_("measured or read")), say(h, claim->found));
    cite(h, p, &claim->evidence);
}

static void table_text(const struct here *h, const struct row *r, struct panel *p)
{
    for (size_t i = 0; i < h->book->guide_row[r->a].n_claims; i++)
        claim_text(h, h->book->guide_row[r->a].claim[i], p);
}

static void rule_text(const struct here *h, const struct row *r, struct panel *p)
{
    struct factors f;
    panel_text(p, "%s\n", say(h, h->book->rule[r->a].text));
    cite(h, p, &h->book->rule[r->a].evidence);
    if (wizard_factors(h->book, &h->w, &f, NULL) && f.write[0])
        panel_text(p, "\"rope_scaling\": %s\n", f.write);
}

static void method_text(const struct here *h, const struct row *r, struct panel *p)
{
    const struct method *m = h->book->rule[r->a].method;
    panel_text(p, "%s\n%s\n%s\n%s: %s\n", say(h, m->formula), say(h, m->params), say(h, m->use), lang_text(h->lang, N_("measured")), say(h, m->measured));
    cite(h, p, &m->evidence);
    panel_text(p, "%s\n", say(h, m->note));
}

static void short_text(const struct here *h, const struct row *r, struct panel *p)
{
    (void)r;
    panel_text(p, "%s\n%s\n", say(h, h->book->short_rule.text), say(h, h->book->short_rule.measured));
    cite(h, p, &h->book->short_rule.evidence);
}

static void factor_text(const struct here *h, const struct row *r, struct panel *p)
{
    struct factors f;
    if (!wizard_factors(h->book, &h->w, &f, NULL) || (size_t)r->a >= f.n)
        return;
    panel_text(p, "%s = %.10g\n= %s\n", lang_text(h->lang, f.factor[r->a].name), f.factor[r->a].value, f.factor[r->a].formula);
    if (f.n > 1)
        panel_text(p, "rope_theta %g, rotary_dim %g%s%s\n", f.base, f.rotary_dim,
                   f.assumed_from ? lang_text(h->lang, N_(", where not given as in ")) : "", f.assumed_from ? f.assumed_from : "");
}

static void reason_text(const struct here *h, const struct row *r, struct panel *p)
{
    const struct rating *cell = book_cell(h->book, r->a, r->b);
    panel_text(p, "# %s: %s %g\n%s\n", say(h, h->book->criterion[r->b].name), lang_text(h->lang, N_("score")), h->ranking.score[r->a][r->b],
               say(h, cell->reason));
    cite(h, p, &cell->evidence);
}

static void override_text(const struct here *h, const struct row *r, struct panel *p)
{
    const struct score_override *o = &h->book->override[r->a];
    for (size_t i = 0; i < o->n; i++)
        panel_text(p, "%s: %s = %g\n", say(h, h->book->scheme[o->set[i].scheme].name), say(h, h->book->criterion[o->set[i].criterion].name), o->set[i].score);
    panel_text(p, "%s\n", say(h, o->reason));
    cite(h, p, &o->evidence);
}

static void claim_row_text(const struct here *h, const struct row *r, struct panel *p)
{
    claim_text(h, &h->book->claim[r->a], p);
}

static void excluded_text(const struct here *h, const struct row *r, struct panel *p)
{
    const struct constraint *x = &h->book->constraint[r->a];
    panel_text(p, "# %s: %s\n%s\n", x->id, x->when.text, say(h, x->reason));
    cite(h, p, &x->evidence);
    for (size_t s = 0; s < h->book->n_schemes; s++)
        if ((x->schemes >> s) & 1)
            panel_text(p, lang_text(h->lang, N_("- %s would have %g points\n")), say(h, h->book->scheme[s].name), ranking_points(h->book, &h->ranking, (int)s));
}

static void change_text(const struct here *h, const struct row *r, struct panel *p)
{
    bool more;
    panel_text(p, "%s %s → %s\n", say(h, h->book->question[r->a].title), say(h, h->book->question[r->a].answer[r->b].label), outcome(h, r, &more));
    if (more)
        panel_text(p, "%s\n", lang_text(h->lang, N_("more questions follow and may decide otherwise")));
}

static void uncounted_text(const struct here *h, const struct row *r, struct panel *p)
{
    panel_text(p, "%s\n", say(h, h->book->question[r->a].why));
}

/* Every scheme's score for the criterion, best first as ranked, with its reason. */
static void criterion_text(const struct here *h, const struct row *r, struct panel *p)
{
    panel_text(p, "# %s\n", say(h, h->book->criterion[r->a].name));
    for (size_t k = 0; k < h->ranking.n + h->book->n_schemes; k++) {
        int scheme = k < h->ranking.n ? h->ranking.row[k].scheme : (int)(k - h->ranking.n);
        char sources[300];
        if (k >= h->ranking.n && !h->ranking.removed_by[scheme])
            continue;
        const struct rating *cell = book_cell(h->book, scheme, r->a);
        bool changed = (h->ranking.overridden[scheme] >> r->a) & 1;
        panel_text(p, "- %g%s%s %s: %s %s\n", h->ranking.score[scheme][r->a], cell->evidence.unverified ? "?" : "", changed ? "!" : "",
                   say(h, h->book->scheme[scheme].name), say(h, cell->reason), evidence_text(sources, sizeof sources, &cell->evidence, h->lang));
    }
}

static void source_text(const struct here *h, const struct row *r, struct panel *p)
{
    const struct source *s = &h->book->source[r->a];
    panel_text(p, "# %s\n%s. %s. %s\n%s\n%s: %s\n", s->name, s->title, s->venue, s->locator, say(h, s->fact), lang_text(h->lang, N_("checked")),
               say(h, s->via->name));
}

/* ---- what Enter does ------------------------------------------------------------------------------------------------------------ */

static bool choose_choice(struct scenario *s, const struct here *h, const struct row *r)
{
    return answer(s, h, r->a, r->b);
}

static bool choose_lengths(struct scenario *s, const struct here *h, const struct row *r)
{
    (void)r;
    struct walk w = h->w;
    if (!walk_lengths(h->book, &w, s->trained, s->target, NULL))
        return false;
    if (s->model && s->model->base > 1)
        w.base = s->model->base;
    if (s->model && s->model->rotary_dim >= 4 && fmod(s->model->rotary_dim, 2) == 0)
        w.rotary_dim = s->model->rotary_dim;
    show(s, PAGE_QUESTION, NAN);
    return keep(s, h, &w);
}

static bool choose_answered(struct scenario *s, const struct here *h, const struct row *r)
{
    show(s, PAGE_QUESTION, number_of_question(h, r->a));
    return true;
}

static bool choose_preset(struct scenario *s, const struct here *h, const struct row *r)
{
    (void)r;
    show(s, PAGE_RESULT, NAN);
    return keep(s, h, &h->situation->preset);
}

static bool choose_change(struct scenario *s, const struct here *h, const struct row *r)
{
    return answer(s, h, r->a, r->b);
}

static bool choose_extend(struct scenario *s, const struct here *h, const struct row *r)
{
    (void)r;
    struct walk w = h->w;
    walk_answer(h->book, &w, "start", "checkpoint", NULL);
    walk_answer(h->book, &w, "ck_scheme", "rope", NULL);
    show(s, PAGE_QUESTION, NAN);
    return keep(s, h, &w);
}

static bool see_scheme(struct scenario *s, const struct here *h, const struct row *r)
{
    const char *encoding = h->book->scheme[h->ranking.row[r->a].scheme].encoding;
    return see(s, encoding ? "similarity" : NULL, encoding);
}

static bool see_reason(struct scenario *s, const struct here *h, const struct row *r)
{
    return see(s, h->book->criterion[r->b].view, h->book->scheme[r->a].encoding);
}

static bool see_claim(struct scenario *s, const struct here *h, const struct row *r)
{
    return see(s, h->book->claim[r->a].view, h->book->claim[r->a].encoding);
}

static bool see_guide(struct scenario *s, const struct here *h, const struct row *r)
{
    (void)h;
    (void)r;
    return see(s, "guide", NULL);
}

static bool see_situation(struct scenario *s, const struct here *h, const struct row *r)
{
    (void)r;
    const char *encoding = h->book->scheme[h->situation->scheme].encoding;
    return see(s, encoding ? "similarity" : NULL, encoding);
}

static bool see_spectrum(struct scenario *s, const struct here *h, const struct row *r)
{
    (void)r;
    if (!isnan(h->w.trained)) {
        s->trained = h->w.trained;
        s->target = h->w.target;
    }
    return see(s, "spectrum", "rope");
}

static bool see_criterion(struct scenario *s, const struct here *h, const struct row *r)
{
    return see(s, h->book->criterion[r->a].view, h->ranking.n ? h->book->scheme[h->ranking.row[0].scheme].encoding : NULL);
}

static const struct row_rules {
    void (*cells)(const struct here *h, const struct row *r, struct cells c);
    void (*text)(const struct here *h, const struct row *r, struct panel *p);
    bool (*choose)(struct scenario *s, const struct here *h, const struct row *r);          /* NULL: nothing to do */
    bool on_click;                      /* a click chooses */
} rules[ROW_KIND_COUNT] = {
    [ROW_HEADING] = {heading_cells, NULL, NULL, false},
    [ROW_CHOICE] = {choice_cells, choice_text, choose_choice, true},
    [ROW_LENGTHS] = {lengths_cells, lengths_text, choose_lengths, true},
    [ROW_ANSWERED] = {answered_cells, answered_text, choose_answered, true},
    [ROW_SCHEME] = {scheme_cells, scheme_text, see_scheme, false},
    [ROW_SITUATION] = {situation_cells, situation_text, see_situation, false},
    [ROW_NOTE] = {note_cells, note_text, NULL, false},
    [ROW_PRESET] = {preset_cells, preset_text, choose_preset, false},
    [ROW_TABLE] = {table_cells, table_text, see_guide, false},
    [ROW_RULE] = {rule_cells, rule_text, see_spectrum, false},
    [ROW_METHOD] = {method_cells, method_text, see_spectrum, false},
    [ROW_SHORT] = {short_cells, short_text, NULL, false},
    [ROW_FACTOR] = {factor_cells, factor_text, see_spectrum, false},
    [ROW_REASON] = {reason_cells, reason_text, see_reason, false},
    [ROW_OVERRIDE] = {override_cells, override_text, NULL, false},
    [ROW_CLAIM] = {claim_cells, claim_row_text, see_claim, false},
    [ROW_EXCLUDED] = {excluded_cells, excluded_text, NULL, false},
    [ROW_CHANGE] = {change_cells, change_text, choose_change, false},
    [ROW_UNCOUNTED] = {uncounted_cells, uncounted_text, NULL, false},
    [ROW_EXTEND] = {extend_cells, NULL, choose_extend, false},
    [ROW_CRITERION] = {NULL, criterion_text, see_criterion, false},
    [ROW_SOURCE] = {source_cells, source_text, NULL, false},
};

/* ---- input --------------------------------------------------------------------------------------------------------------------------- */

static bool flip_page(struct scenario *s, const struct here *h, enum page page)
{
    show(s, h->page == page ? PAGE_QUESTION : page, NAN);
    return true;
}

static bool weigh(struct scenario *s, const struct here *h, const struct row *r, double step)
{
    struct walk w = h->w;
    if (h->page != PAGE_SCORES || !r)
        return false;
    double now = h->ranking.weight[r->a] + step;
    return walk_weight(h->book, &w, h->book->criterion[r->a].id, now, NULL) && keep(s, h, &w);
}

static bool reset_weights(struct scenario *s, const struct here *h)
{
    struct walk w = h->w, none;
    walk_init(&none);
    memcpy(w.weight, none.weight, sizeof w.weight);
    return !walk_same(&w, &h->w) && keep(s, h, &w);
}

static bool restart(struct scenario *s)
{
    bool changed = *s->walk || view_num(s, VIEW_wizard, P_PAGE) != PAGE_QUESTION;
    scenario_set_walk(s, "");
    show(s, PAGE_QUESTION, NAN);
    return changed;
}

static bool choose(struct scenario *s, const struct here *h, const struct row *r, bool by_click)
{
    if (!r || !rules[r->kind].choose || (by_click && (!rules[r->kind].on_click || s->focus != PANEL_ROWS)))
        return false;
    return rules[r->kind].choose(s, h, r);
}

static bool input(struct scenario *s, int action)
{
    struct here h;
    struct rows rows;
    if (action == A_RESTART)
        return restart(s);
    if (!find_here(s, &h, NULL))
        return false;
    list_rows(&h, &rows);
    const struct row *r = row_here(&h, &rows);
    if (action >= 0 && action < BOOK_MAX_ANSWERS)
        return h.question >= 0 && (size_t)action < h.book->question[h.question].n_answers && answer(s, &h, h.question, action);
    switch (action) {
    case ACTION_CLICK:
    case A_CHOOSE:  return choose(s, &h, r, action == ACTION_CLICK);
    case A_SEE:     return r && rules[r->kind].choose && !rules[r->kind].on_click && choose(s, &h, r, false);
    case A_BACK:    return go_back(s, &h);
    case A_RESULT:  return walk_next(h.book, &h.w) == WIZARD_DONE && flip_page(s, &h, PAGE_RESULT);
    case A_SCORES:  return flip_page(s, &h, PAGE_SCORES);
    case A_SOURCES: return flip_page(s, &h, PAGE_SOURCES);
    case A_MORE:    return weigh(s, &h, r, 1);
    case A_LESS:    return weigh(s, &h, r, -1);
    case A_RESET:   return reset_weights(s, &h);
    default:        return false;
    }
}

/* ---- plan ---------------------------------------------------------------------------------------------------------------------------- */

static const char *branch_title(enum branch branch)
{
    static const char *const titles[] = {N_("choosing a position encoding"), N_("what the guide recommends"), N_("ranking by evidence"),
                                         N_("extending a checkpoint")};
    return titles[branch];
}

static void caption(const struct here *h, struct figure *f)
{
    char where[96] = "";
    int least, most;
    if (h->question >= 0) {
        walk_span(h->book, &h->w, &least, &most);
        snprintf(where, sizeof where, lang_text(h->lang, least == most ? N_("question %d of %d") : N_("question %d of %d to %d")),
                 number_of_question(h, h->question), least, most);
    } else {
        snprintf(where, sizeof where, "%s", lang_text(h->lang, pages[h->page]));
    }
    snprintf(f->caption, sizeof f->caption, "%s · %s", lang_text(h->lang, branch_title(h->branch)), where);
    snprintf(f->source, sizeof f->source, lang_text(h->lang, N_("wizard data version %d (%s)")), h->book->version, h->book->date);
}

static const char *title_of(const struct here *h)
{
    if (h->question >= 0)
        return say(h, h->book->question[h->question].title);
    if (h->page == PAGE_SCORES)
        return lang_text(h->lang, N_("scores 0 to 4, ? partly unverified, ! set by an override"));
    return lang_text(h->lang, h->page == PAGE_SOURCES ? N_("sources") : N_("recommendation"));
}

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    struct here h;
    if (!find_here(s, &h, err))
        return false;
    caption(&h, f);
    struct rows rows;
    list_rows(&h, &rows);
    struct panel *p = figure_add(f, PANEL_TABLE, title_of(&h));
    p->weight = 5;
    p->min_w = 40;
    p->min_h = 5;
    p->max_h = (int)rows.n + (h.page == PAGE_SCORES ? 4 : 2);
    if (shows_ranking(&h)) {
        p = figure_add(f, PANEL_BARS, lang_text(h.lang, h.branch == BRANCH_DOCUMENT ? N_("the evidence ranks") : N_("ranking now")));
        axis_set(&p->x, "", "%", 0, 100, false);
        p->weight = 4;
        p->min_w = 34;
        p->max_h = (int)h.book->n_schemes + 1;
        p->beside = true;
    }
    p = figure_add(f, PANEL_TEXT, "");
    p->weight = 4;
    p->min_h = 5;
    return true;
}

/* ---- compute -------------------------------------------------------------------------------------------------------------------------- */

static void fill_rows(const struct here *h, const struct rows *rows, struct panel *p)
{
    panel_table(p, rows->n + 1, 3);
    static const char *const titles[][3] = {
        [PAGE_QUESTION] = {"", N_("answer"), ""}, [PAGE_RESULT] = {"", N_("Enter takes it"), ""}, [PAGE_SOURCES] = {N_("checked"), N_("source"), N_("where")},
    };
    for (size_t c = 0; c < 3; c++)
        panel_cell(p, 0, c, ROLE_DIM, false, "%s", *titles[h->page][c] ? lang_text(h->lang, titles[h->page][c]) : "");
    if (h->question >= 0 && h->branch == BRANCH_EVIDENCE && has_room(p))
        panel_cell(p, 0, 2, ROLE_DIM, false, "%s", lang_text(h->lang, N_("adds to the weights")));
    for (size_t i = 0; i < rows->n; i++)
        rules[rows->row[i].kind].cells(h, &rows->row[i], (struct cells){p, i + 1});
}

/* Schemes in the order of the table: as ranked, then the removed ones. */
static size_t schemes_in_order(const struct here *h, int *scheme)
{
    size_t n = 0;
    for (size_t i = 0; i < h->ranking.n; i++)
        scheme[n++] = h->ranking.row[i].scheme;
    for (size_t i = 0; i < h->book->n_schemes; i++)
        if (h->ranking.removed_by[i])
            scheme[n++] = (int)i;
    return n;
}

/* As many schemes as the width has room for beside the criteria. */
static size_t schemes_that_fit(const struct here *h, const int *scheme, size_t n, int cols)
{
    enum { CRITERION = 22, WEIGHT = 8 };
    size_t fit = 0;
    for (int used = CRITERION + WEIGHT; fit < n; fit++) {
        used += (int)strlen(h->book->scheme[scheme[fit]].id) + 2;
        if (used > cols)
            break;
    }
    return fit ? fit : 1;
}

static void fill_score(const struct here *h, struct panel *p, size_t criterion, size_t col, int scheme)
{
    bool unverified = book_cell(h->book, scheme, (int)criterion)->evidence.unverified, removed = h->ranking.removed_by[scheme];
    bool changed = (h->ranking.overridden[scheme] >> criterion) & 1;
    panel_cell(p, criterion + 1, col, removed ? ROLE_DIM : changed ? ROLE_WARNING : ROLE_TEXT, true, "%g%s%s",
               h->ranking.score[scheme][criterion], unverified ? "?" : "", changed ? "!" : "");
}

static void fill_scores(const struct here *h, struct panel *p)
{
    int scheme[BOOK_MAX_SCHEMES];
    size_t n_criteria = h->book->n_criteria, n = schemes_that_fit(h, scheme, schemes_in_order(h, scheme), p->cols);
    panel_table(p, n_criteria + 3, n + 2);
    panel_cell(p, 0, 0, ROLE_DIM, false, "%s", lang_text(h->lang, N_("criterion")));
    panel_cell(p, 0, 1, ROLE_DIM, true, "%s", lang_text(h->lang, N_("weight")));
    for (size_t c = 0; c < n_criteria; c++) {
        bool yours = !isnan(h->w.weight[c]);
        panel_cell(p, c + 1, 0, ROLE_TEXT, false, "%s", say(h, h->book->criterion[c].name));
        panel_cell(p, c + 1, 1, yours ? ROLE_ACCENT : ROLE_TITLE, true, "%g%s", h->ranking.weight[c], yours ? "*" : "");
    }
    panel_cell(p, n_criteria + 1, 0, ROLE_TITLE, false, "%s", lang_text(h->lang, N_("points")));
    panel_cell(p, n_criteria + 2, 0, ROLE_TITLE, false, "%%");
    for (size_t i = 0; i < n; i++) {
        double points = ranking_points(h->book, &h->ranking, scheme[i]);
        panel_cell(p, 0, i + 2, ROLE_DIM, true, "%s", h->book->scheme[scheme[i]].id);
        for (size_t c = 0; c < n_criteria; c++)
            fill_score(h, p, c, i + 2, scheme[i]);
        panel_cell(p, n_criteria + 1, i + 2, ROLE_TITLE, true, "%g", points);
        if (h->ranking.removed_by[scheme[i]])
            panel_cell(p, n_criteria + 2, i + 2, ROLE_ERROR, true, "%s", h->book->constraint[__builtin_ctz(h->ranking.removed_by[scheme[i]])].id);
        else
            panel_cell(p, n_criteria + 2, i + 2, ROLE_TITLE, true, "%.1f", h->ranking.row[i].percent);
    }
    for (size_t c = 0; c < n_criteria; c++)
        if (!isnan(h->w.weight[c]))
            snprintf(p->note, sizeof p->note, "%s", lang_text(h->lang, N_("* your weights; n takes the answers' again")));
}

static void fill_ranking(const struct here *h, struct panel *p)
{
    int scheme[BOOK_MAX_SCHEMES];
    size_t n = schemes_in_order(h, scheme);
    for (size_t i = 0; i < n; i++) {
        bool in = i < h->ranking.n;
        struct bar *bar = panel_add_bar(p, say(h, h->book->scheme[scheme[i]].name), in ? h->ranking.row[i].percent : NAN);
        bar->role = i == 0 ? ROLE_GOOD : ROLE_SERIES_0;
        if (!in)
            snprintf(bar->note, sizeof bar->note, "%s", h->book->constraint[__builtin_ctz(h->ranking.removed_by[scheme[i]])].id);
    }
    snprintf(p->unit, sizeof p->unit, "%%");
    p->lo = 0;
    p->hi = 100;
    if (h->ranking.close || n > h->ranking.n)
        snprintf(p->note, sizeof p->note, "%s", lang_text(h->lang, h->ranking.close ? N_("close call") : N_("H: excluded")));
}

static void fill_text(const struct here *h, const struct rows *rows, struct panel *p)
{
    const struct row *r = row_here(h, rows);
    int scheme[BOOK_MAX_SCHEMES], at = isnan(h->s->cursor_y) ? 0 : (int)h->s->cursor_y;
    panel_text(p, "%s", "");
    if (in_ranking(h) && at >= 0 && (size_t)at < schemes_in_order(h, scheme))
        describe_scheme(h, scheme[at], p);
    else if (r && rules[r->kind].text)
        rules[r->kind].text(h, r, p);
    bool here = h->s->focus != PANEL_ROWS && !in_ranking(h);
    panel_follow(p, here ? h->s->cursor_y : NAN);
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    struct here h;
    struct rows rows;
    if (!find_here(s, &h, err))
        return false;
    list_rows(&h, &rows);
    struct panel *p = &f->panel[PANEL_ROWS];
    if (h.page == PAGE_SCORES)
        fill_scores(&h, p);
    else
        fill_rows(&h, &rows, p);
    panel_follow(p, index_here(&h, &rows) + 1.5);
    if (shows_ranking(&h))
        fill_ranking(&h, &f->panel[PANEL_RANKING]);
    fill_text(&h, &rows, &f->panel[f->n - 1]);
    return job_tick(job, 1);
}

/* ---- read-out -------------------------------------------------------------------------------------------------------------------------- */

static bool probe_ranking(const struct here *h, double y, struct readout *out)
{
    int scheme[BOOK_MAX_SCHEMES], at = isnan(y) ? 0 : (int)y;
    size_t n = schemes_in_order(h, scheme);
    if (at < 0 || (size_t)at >= n)
        return false;
    double points = ranking_points(h->book, &h->ranking, scheme[at]), most = WIZARD_MAX_SCORE * h->ranking.weight_sum;
    snprintf(out->name, sizeof out->name, "%s", say(h, h->book->scheme[scheme[at]].name));
    out->value = most > 0 ? 100 * points / most : 0;
    snprintf(out->value_text, sizeof out->value_text, "%.1f %%", out->value);
    snprintf(out->formula, sizeof out->formula, "100 × %g / (4 × %g)", points, h->ranking.weight_sum);
    return true;
}

static void copy_cell(const struct text_cell *cell, char *out, size_t size)
{
    snprintf(out, size, "%s", cell->text ? cell->text : "");
}

/* The row's own cells, so that what is cut in the table can be read in full. */
static bool probe_row(const struct here *h, const struct rows *rows, double y, struct readout *out)
{
    int at = isnan(y) ? 0 : (int)y - 1;
    if (at < 0 || (size_t)at >= rows->n)
        return false;
    struct figure *f = figure_new();
    struct panel *p = figure_add(f, PANEL_TABLE, "");
    if (rules[rows->row[at].kind].cells) {
        panel_table(p, 1, 3);
        p->cols = 1 << 10;                              /* with all their words */
        rules[rows->row[at].kind].cells(h, &rows->row[at], (struct cells){p, 0});
        copy_cell(&p->cell[1], out->name, sizeof out->name);
        copy_cell(&p->cell[2], out->value_text, sizeof out->value_text);
        if (!*out->value_text) {
            copy_cell(&p->cell[1], out->value_text, sizeof out->value_text);
            snprintf(out->name, sizeof out->name, "%s", title_of(h));
        }
    } else {
        snprintf(out->name, sizeof out->name, "%s", say(h, h->book->criterion[rows->row[at].a].name));
        snprintf(out->value_text, sizeof out->value_text, "%s %g", lang_text(h->lang, N_("weight")), h->ranking.weight[rows->row[at].a]);
    }
    out->value = NAN;
    figure_free(f);
    return *out->value_text != '\0';
}

static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    (void)x;
    struct here h;
    struct rows rows;
    out->known = false;
    if (!find_here(s, &h, NULL))
        return false;
    list_rows(&h, &rows);
    snprintf(out->source, sizeof out->source, lang_text(s->lang, N_("wizard data version %d (%s)")), h.book->version, h.book->date);
    if (panel == PANEL_ROWS)
        out->known = probe_row(&h, &rows, y, out);
    else if (shows_ranking(&h) && panel == PANEL_RANKING)
        out->known = probe_ranking(&h, y, out);
    return out->known;
}

/* ---- report ------------------------------------------------------------------------------------------------------------------------------ */

static char *report(const struct scenario *s, const char *extension, struct err *err)
{
    struct here h;
    bool markdown = !strcmp(extension, "md");
    if ((!markdown && strcmp(extension, "json")) || !find_here(s, &h, err))
        return NULL;
    if (markdown)
        return wizard_markdown(h.book, &h.w, s->lang, err);
    struct json *json = wizard_json(h.book, &h.w, err);
    char *text = json ? json_print(json, true) : NULL;
    json_free(json);
    return text;
}

const struct view view_wizard = {
    .id = "wizard",
    .title = N_("wizard"),
    .help = N_("Answer questions about your model and see which position encoding the evidence speaks for, what the selection guide recommends, or how to "
               "extend a checkpoint. Every score has a reason and a source, and every source says how it was checked; a question mark stands where a part was "
               "not. The row under the cursor is explained below; Enter takes it. Exported to .md or .json, the result is a report that can be loaded again."),
    .params = params, .n_params = sizeof params / sizeof *params,
    .actions = actions, .n_actions = sizeof actions / sizeof *actions,
    .follows_cursor = true,
    .takes_clicks = true,
    .input = input,
    .plan = plan,
    .compute = compute,
    .probe = probe,
    .report = report,
};
