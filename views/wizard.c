/* wizard.c - the selection wizard on the screen: one question at a time, the ranking as it stands, the result and what is behind
 * it. The place of the walk is in wizard_here.c, what is listed in wizard_rows.c, what is made of
 * a row in wizard_cells.c, wizard_text.c and wizard_choose.c.
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

#include "figure/draw.h"
#include "wizard_here.h"

static const char *const pages[] = {"question", "result", "scores", "sources", NULL};
static const char *const page_titles[] = {N_("question or result"), N_("result"), N_("scores"), N_("sources"), NULL};
static const struct param params[] = {
    [P_PAGE] = {.name = "page", .title = N_("page"), .help = N_("the open question, or the result once all are answered; the score table; the sources"), .type = PARAM_CHOICE,
                .choices = pages, .titles = page_titles},
    [P_QUESTION] = {.name = "question", .title = N_("question number"), .when = "page=question",
                    .help = N_("the question shown, by its number on this path; absent: the first open one"),
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

/* ---- input --------------------------------------------------------------------------------------------- */

static bool flip_page(struct scenario *s, const struct here *h, enum page page)
{
    here_show(s, h->page == page ? PAGE_QUESTION : page, NAN);
    return true;
}

static bool weigh(struct scenario *s, const struct here *h, const struct row *r, double step)
{
    struct walk w = h->w;
    if (h->page != PAGE_SCORES || !r)
        return false;
    double now = h->ranking.weight[r->a] + step;
    return walk_weight(h->book, &w, h->book->criterion[r->a].id, now, NULL) && here_keep(s, h, &w);
}

static bool reset_weights(struct scenario *s, const struct here *h)
{
    struct walk w = h->w, none;
    walk_init(&none);
    memcpy(w.weight, none.weight, sizeof w.weight);
    return !walk_same(&w, &h->w) && here_keep(s, h, &w);
}

static bool restart(struct scenario *s)
{
    bool changed = *s->walk || view_num(s, VIEW_wizard, P_PAGE) != PAGE_QUESTION;
    scenario_set_walk(s, "");
    here_show(s, PAGE_QUESTION, NAN);
    return changed;
}

static bool go_back(struct scenario *s, const struct here *h)
{
    int n = h->question >= 0 ? here_number(h, h->question) : 1 + BOOK_MAX_QUESTIONS;
    if (h->page == PAGE_RESULT)
        for (n = 1; here_question(h, n) >= 0;)
            n++;
    if (h->question < 0 && h->page != PAGE_RESULT)
        here_show(s, PAGE_QUESTION, NAN);
    else if (n <= 1)
        return false;
    else
        here_show(s, PAGE_QUESTION, n - 1);
    return true;
}

static bool input(struct scenario *s, int action)
{
    struct here h;
    struct rows rows;
    if (action == A_RESTART)
        return restart(s);
    if (!here_find(s, &h, NULL))
        return false;
    rows_list(&h, &rows);
    const struct row *r = rows_here(&h, &rows);
    if (action >= 0 && action < BOOK_MAX_ANSWERS)
        return h.question >= 0 && (size_t)action < h.book->question[h.question].n_answers
            && here_answer(s, &h, h.question, action);
    switch (action) {
    case ACTION_CLICK: return r && s->focus == PANEL_ROWS && row_choose(s, &h, r, CHOOSE_BY_CLICK);
    case A_CHOOSE:  return r && row_choose(s, &h, r, CHOOSE_BY_KEY);
    case A_SEE:     return r && row_choose(s, &h, r, CHOOSE_TO_SEE);
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

static double derived(const struct scenario *s, int param)
{
    struct here h;
    return param == P_QUESTION && here_find(s, &h, NULL) && h.question >= 0 ? here_number(&h, h.question) : NAN;
}

static bool offers(const struct scenario *s, int action)
{
    struct here h;
    if (!here_find(s, &h, NULL))
        return false;
    if (action < BOOK_MAX_ANSWERS)
        return h.question >= 0;
    return action != A_RESULT || (walk_next(h.book, &h.w) == WIZARD_DONE && h.page != PAGE_RESULT);
}

/* ---- titles -------------------------------------------------------------------------------------------- */

static const char *branch_title(enum branch branch)
{
    static const char *const titles[] = {N_("choosing a position encoding"), N_("what the guide recommends"),
                                         N_("ranking by evidence"),
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
                 here_number(h, h->question), least, most);
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

/* ---- the list ------------------------------------------------------------------------------------------ */

static void fill_rows(const struct here *h, const struct rows *rows, struct panel *p)
{
    panel_table(p, rows->n + 1, 3);
    static const char *const titles[][3] = {
        [PAGE_QUESTION] = {"", N_("answer"), ""}, [PAGE_RESULT] = {"", N_("Enter takes it"), ""},
            [PAGE_SOURCES] = {N_("checked"), N_("source"), N_("where")},
    };
    for (size_t c = 0; c < 3; c++)
        panel_cell(p, 0, c, ROLE_DIM, false, "%s", *titles[h->page][c] ? lang_text(h->lang, titles[h->page][c]) : "");
    if (h->question >= 0 && h->branch == BRANCH_EVIDENCE && row_has_room(p))
        panel_cell(p, 0, 2, ROLE_DIM, false, "%s", lang_text(h->lang, N_("adds to the weights")));
    for (size_t i = 0; i < rows->n; i++)
        row_cells(h, &rows->row[i], p, i + 1);
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
    enum { CRITERION = 30, WEIGHT = 8 };
    size_t fit = 0;
    if (cols == 0)                      /* before the layout: all */
        return n;
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
            panel_cell(p, n_criteria + 2, i + 2, ROLE_ERROR, true, "%s",
                       h->book->constraint[__builtin_ctz(h->ranking.removed_by[scheme[i]])].id);
        else
            panel_cell(p, n_criteria + 2, i + 2, ROLE_TITLE, true, "%.1f", h->ranking.row[i].percent);
    }
    for (size_t c = 0; c < n_criteria; c++)
        if (!isnan(h->w.weight[c]))
            snprintf(p->note, sizeof p->note, "%s", lang_text(h->lang, N_("* your weights; n takes the answers' again")));
    if (!*p->note && n < h->book->n_schemes)
        snprintf(p->note, sizeof p->note, lang_text(h->lang, N_("%zu of %zu schemes")), n, h->book->n_schemes);
}

static void fill_list(const struct here *h, const struct rows *rows, struct panel *p)
{
    if (h->page == PAGE_SCORES)
        fill_scores(h, p);
    else
        fill_rows(h, rows, p);
}

/* ---- plan ---------------------------------------------------------------------------------------------- */

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    struct here h;
    if (!here_find(s, &h, err))
        return false;
    caption(&h, f);
    struct rows rows;
    rows_list(&h, &rows);
    struct panel *p = figure_add(f, PANEL_TABLE, title_of(&h));
    p->weight = h.page == PAGE_SCORES ? 30 : 8;         /* lists are longer than the text about one of their rows; scores end with their sum */
    p->min_w = 40;
    p->min_h = 5;
    fill_list(&h, &rows, p);
    if (here_shows_ranking(&h)) {
        p = figure_add(f, PANEL_BARS, lang_text(h.lang, h.branch == BRANCH_DOCUMENT ? N_("the evidence ranks")
                                                : N_("ranking now")));
        axis_set(&p->x, "", "%", 0, 100, false);
        p->weight = 6;
        p->min_w = 34;
        p->max_h = (int)h.book->n_schemes + 1;
        p->beside = true;
    }
    p = figure_add(f, PANEL_TEXT, "");
    p->weight = 4;
    p->min_h = 5;
    return true;
}

/* ---- compute ------------------------------------------------------------------------------------------- */

static void fill_ranking(const struct here *h, struct panel *p)
{
    int scheme[BOOK_MAX_SCHEMES];
    size_t n = schemes_in_order(h, scheme);
    for (size_t i = 0; i < n; i++) {
        bool in = i < h->ranking.n;
        struct bar *bar = panel_add_bar(p, say(h, h->book->scheme[scheme[i]].brief), in ? h->ranking.row[i].percent : NAN);
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
    const struct row *r = rows_here(h, rows);
    double y = scenario_spot(h->s, PANEL_RANKING).y;
    int scheme[BOOK_MAX_SCHEMES], at = isnan(y) ? 0 : (int)y;
    panel_text(p, "%s", "");
    if (here_in_ranking(h) && at >= 0 && (size_t)at < schemes_in_order(h, scheme))
        row_describe_scheme(h, scheme[at], p);
    else if (r)
        row_text(h, r, p);
    bool here = h->s->focus != PANEL_ROWS && !here_in_ranking(h);
    panel_follow(p, here ? scenario_spot(h->s, h->s->focus).y : NAN);
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    struct here h;
    struct rows rows;
    if (!here_find(s, &h, err))
        return false;
    rows_list(&h, &rows);
    struct panel *p = &f->panel[PANEL_ROWS];
    fill_list(&h, &rows, p);
    panel_follow(p, rows_index(&h, &rows) + 1.5);
    if (here_shows_ranking(&h))
        fill_ranking(&h, &f->panel[PANEL_RANKING]);
    fill_text(&h, &rows, &f->panel[f->n - 1]);
    return job_tick(job, 1);
}

/* ---- read-out ------------------------------------------------------------------------------------------ */

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
    out->worded = true;
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
    panel_table(p, 1, 3);
    p->cols = 1 << 10;                                  /* with all their words */
    if (row_cells(h, &rows->row[at], p, 0)) {
        copy_cell(&p->cell[1], out->name, sizeof out->name);
        copy_cell(&p->cell[2], out->value_text, sizeof out->value_text);
        if (!*out->value_text) {
            copy_cell(&p->cell[1], out->value_text, sizeof out->value_text);
            snprintf(out->name, sizeof out->name, "%s", title_of(h));
        }
    } else {
        snprintf(out->name, sizeof out->name, "%s", say(h, h->book->criterion[rows->row[at].a].name));
        snprintf(out->value_text, sizeof out->value_text, "%s %g", lang_text(h->lang, N_("weight")),
                 h->ranking.weight[rows->row[at].a]);
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
    if (!here_find(s, &h, NULL))
        return false;
    rows_list(&h, &rows);
    snprintf(out->source, sizeof out->source, lang_text(s->lang, N_("wizard data version %d (%s)")), h.book->version,
             h.book->date);
    if (panel == PANEL_ROWS)
        out->known = probe_row(&h, &rows, y, out);
    else if (here_shows_ranking(&h) && panel == PANEL_RANKING)
        out->known = probe_ranking(&h, y, out);
    return out->known;
}

/* ---- report -------------------------------------------------------------------------------------------- */

static char *report(const struct scenario *s, const char *extension, struct err *err)
{
    struct here h;
    bool markdown = !strcmp(extension, "md");
    if ((!markdown && strcmp(extension, "json")) || !here_find(s, &h, err))
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
    .help = N_("Answer questions about your model and see which position encoding the evidence speaks for, what the selection "
               "guide recommends, or how to "
               "extend a checkpoint. Every score has a reason and a source, and every source says how it was checked; a "
               "question mark stands where a part was "
               "not. The row under the cursor is explained below; Enter takes it. Exported to .md or .json, the result is a "
               "report that can be loaded again."),
    .params = params, .n_params = sizeof params / sizeof *params,
    .uses = USES_TRAINED | USES_TARGET,
    .actions = actions, .n_actions = sizeof actions / sizeof *actions,
    .follows_cursor = true,
    .takes_clicks = true,
    .input = input,
    .offers = offers,
    .derived = derived,
    .plan = plan,
    .compute = compute,
    .probe = probe,
    .report = report,
};
