/* wizard_rows.c - the rows of the wizard's pages: what is listed, the cells of each kind of row, its text below the list, and
 * what Enter does with it. One table at the end holds the kinds. */
#include "wizard_here.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "claims.h"
#include "jump.h"

/* ---- rows ---------------------------------------------------------------------------------------------- */


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

/* ---- cells of each kind of row ------------------------------------------------------------------------- */

struct cells { struct panel *p; size_t at; };

static void put(struct cells c, const char *mark, enum role role, const char *text, const char *note)
{
    panel_cell(c.p, c.at, 0, role, false, "%s", mark);
    panel_cell(c.p, c.at, 1, role == ROLE_DIM || role == ROLE_TITLE ? role : ROLE_TEXT, false, "%s", text);
    panel_cell(c.p, c.at, 2, ROLE_DIM, false, "%s", note);
}

/* Room for a third column of words; without it they stand only in the text below. */
bool row_has_room(const struct panel *p)
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
            at += (size_t)snprintf(out + at, size - at, "%s%s %+g", at ? ", " : "", say(h, h->book->criterion[c].brief), a->weight[c]);
    return out;
}

static void choice_cells(const struct here *h, const struct row *r, struct cells c)
{
    const struct choice *a = &h->book->question[r->a].answer[r->b];
    char number[16], note[120] = "";
    snprintf(number, sizeof number, "%d", r->b + 1);
    if (row_has_room(c.p))
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
    snprintf(number, sizeof number, "%d", here_number(h, r->a));
    const char *taken = say(h, h->book->question[r->a].answer[h->given[r->a]].label);
    put(c, number, ROLE_DIM, row_has_room(c.p) ? say(h, h->book->question[r->a].title) : taken, row_has_room(c.p) ? taken : "");
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
    snprintf(note, sizeof note, "%s · %s · %s · %s", say(h, g->value[0]), say(h, g->value[1]), say(h, g->value[2]),
             say(h, g->value[3]));
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
    put(c, mark, ROLE_ACCENT, say(h, h->book->criterion[r->b].name), row_has_room(c.p)
        ? say(h, book_cell(h->book, r->a, r->b)->reason) : "");
}

static void override_cells(const struct here *h, const struct row *r, struct cells c)
{
    put(c, h->book->override[r->a].id, ROLE_WARNING, say(h, h->book->override[r->a].reason), "");
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
    put(c, x->id, ROLE_ERROR, excluded_names(h, x, names, sizeof names), row_has_room(c.p) ? say(h, x->reason) : "");
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
    snprintf(number, sizeof number, "%d", here_number(h, r->a));
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

/* ---- the text below ------------------------------------------------------------------------------------ */

static void choice_text(const struct here *h, const struct row *r, struct panel *p)
{
    const struct question *q = &h->book->question[r->a];
    char weights[200];
    panel_text(p, "%s\n", say(h, q->why));
    if (*weights_text(h, &q->answer[r->b], weights, sizeof weights))
        panel_text(p, "%s: %s\n", lang_text(h->lang, N_("adds to the weights")), weights);
    else if (q->weightless)
        panel_text(p, "%s\n", lang_text(h->lang, N_("No answer to this question counts: no measurement separates the schemes "
                                                    "by it.")));
    for (size_t i = 0; i < h->book->n_constraints; i++) {
        signed char given[BOOK_MAX_QUESTIONS];
        memcpy(given, h->given, sizeof given);
        given[r->a] = (signed char)r->b;
        const struct constraint *x = &h->book->constraint[i];
        char names[300];
        if (h->branch == BRANCH_EVIDENCE && condition_holds(&x->when, given) && strstr(x->when.text, q->id))
            panel_text(p, "%s (%s): %s. %s\n", lang_text(h->lang, N_("excludes")), x->id,
                       excluded_names(h, x, names, sizeof names), say(h, x->reason));
    }
}

static void lengths_text(const struct here *h, const struct row *r, struct panel *p)
{
    (void)r;
    panel_text(p, "%s\n", lang_text(h->lang, N_("Set the general parameters `trained` and `target`, for example with :set "
                                                "target=131072; a loaded model brings its own. The result then "
                                                "shows the factors computed for these lengths.")));
}

static void answered_text(const struct here *h, const struct row *r, struct panel *p)
{
    panel_text(p, "%s\n%s\n", say(h, h->book->question[r->a].title), lang_text(h->lang, N_("Enter goes back to this question.")));
}

void row_describe_scheme(const struct here *h, int scheme, struct panel *p)
{
    const struct scheme *s = &h->book->scheme[scheme];
    panel_text(p, "# %s\n%s\n", say(h, s->name), say(h, s->summary));
    for (size_t i = 0; i < h->book->n_constraints; i++)
        if ((h->ranking.removed_by[scheme] >> i) & 1) {
            panel_text(p, "%s (%s): %s\n", lang_text(h->lang, N_("excluded")), h->book->constraint[i].id,
                       say(h, h->book->constraint[i].reason));
            cite(p, &h->book->constraint[i].evidence, h->lang);
        }
}

static void scheme_text(const struct here *h, const struct row *r, struct panel *p)
{
    row_describe_scheme(h, h->ranking.row[r->a].scheme, p);
    panel_text(p, lang_text(h->lang, N_("%g points of %g possible.\n")), h->ranking.row[r->a].points,
               WIZARD_MAX_SCORE * h->ranking.weight_sum);
    if (h->ranking.close)
        panel_text(p, lang_text(h->lang, N_("A close call: less than %g percentage points between the first two.\n")),
                   h->book->close_percent);
    if (h->ranking.tie_rule)
        panel_text(p, "%s: %s\n", lang_text(h->lang, N_("a tie, decided by")),
                   say(h, h->book->tie_rule[h->ranking.tie_rule - 1]));
}

static void situation_text(const struct here *h, const struct row *r, struct panel *p)
{
    (void)r;
    panel_text(p, "# %s\n%s\n%s\n", say(h, h->situation->name), say(h, h->situation->reason),
               say(h, h->book->scheme[h->situation->scheme].summary));
}

static void note_text(const struct here *h, const struct row *r, struct panel *p)
{
    (void)r;
    panel_text(p, "%s\n", say(h, h->situation->note));
    cite(p, &h->situation->evidence, h->lang);
}

static void preset_text(const struct here *h, const struct row *r, struct panel *p)
{
    (void)r;
    row_describe_scheme(h, h->ranking.row[0].scheme, p);
    panel_text(p, "%.1f %%%s%s\n", h->ranking.row[0].percent, h->ranking.close ? ", " : "",
               h->ranking.close ? lang_text(h->lang, N_("close call")) : "");
}

static void claim_text(const struct here *h, const struct claim *claim, struct panel *p)
{
    claim_head(p, claim, h->lang);
    claim_found(p, claim, h->lang);
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
    cite(p, &h->book->rule[r->a].evidence, h->lang);
    if (wizard_factors(h->book, &h->w, &f, NULL) && f.write[0])
        panel_text(p, "\"rope_scaling\": %s\n", f.write);
}

static void method_text(const struct here *h, const struct row *r, struct panel *p)
{
    const struct method *m = h->book->rule[r->a].method;
    panel_text(p, "%s\n%s\n%s\n%s: %s\n", say(h, m->formula), say(h, m->params), say(h, m->use),
               lang_text(h->lang, N_("measured")), say(h, m->measured));
    cite(p, &m->evidence, h->lang);
    panel_text(p, "%s\n", say(h, m->note));
}

static void short_text(const struct here *h, const struct row *r, struct panel *p)
{
    (void)r;
    panel_text(p, "%s\n%s\n", say(h, h->book->short_rule.text), say(h, h->book->short_rule.measured));
    cite(p, &h->book->short_rule.evidence, h->lang);
}

static void factor_text(const struct here *h, const struct row *r, struct panel *p)
{
    struct factors f;
    if (!wizard_factors(h->book, &h->w, &f, NULL) || (size_t)r->a >= f.n)
        return;
    panel_text(p, "%s = %.10g\n= %s\n", lang_text(h->lang, f.factor[r->a].name), f.factor[r->a].value, f.factor[r->a].formula);
    if (f.n > 1)
        panel_text(p, "rope_theta %g, rotary_dim %g%s%s\n", f.base, f.rotary_dim,
                   f.assumed_from ? lang_text(h->lang, N_(", where not given as in ")) : "", f.assumed_from ? f.assumed_from
                       : "");
}

static void reason_text(const struct here *h, const struct row *r, struct panel *p)
{
    const struct rating *cell = book_cell(h->book, r->a, r->b);
    panel_text(p, "# %s: %s %g\n%s\n", say(h, h->book->criterion[r->b].name), lang_text(h->lang, N_("score")),
               h->ranking.score[r->a][r->b],
               say(h, cell->reason));
    cite(p, &cell->evidence, h->lang);
}

static void override_text(const struct here *h, const struct row *r, struct panel *p)
{
    const struct score_override *o = &h->book->override[r->a];
    for (size_t i = 0; i < o->n; i++)
        panel_text(p, "%s: %s = %g\n", say(h, h->book->scheme[o->set[i].scheme].name),
                   say(h, h->book->criterion[o->set[i].criterion].name), o->set[i].score);
    panel_text(p, "%s\n", say(h, o->reason));
    cite(p, &o->evidence, h->lang);
}

static void claim_row_text(const struct here *h, const struct row *r, struct panel *p)
{
    claim_text(h, &h->book->claim[r->a], p);
}

static void excluded_text(const struct here *h, const struct row *r, struct panel *p)
{
    const struct constraint *x = &h->book->constraint[r->a];
    panel_text(p, "# %s: %s\n%s\n", x->id, x->when.text, say(h, x->reason));
    cite(p, &x->evidence, h->lang);
    for (size_t s = 0; s < h->book->n_schemes; s++)
        if ((x->schemes >> s) & 1)
            panel_text(p, lang_text(h->lang, N_("- %s would have %g points\n")), say(h, h->book->scheme[s].name),
                       ranking_points(h->book, &h->ranking, (int)s));
}

static void change_text(const struct here *h, const struct row *r, struct panel *p)
{
    bool more;
    panel_text(p, "%s %s → %s\n", say(h, h->book->question[r->a].title), say(h, h->book->question[r->a].answer[r->b].label),
               outcome(h, r, &more));
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
        panel_text(p, "- %g%s%s %s: %s %s\n", h->ranking.score[scheme][r->a], cell->evidence.unverified ? "?" : "", changed ? "!"
                   : "",
                   say(h, h->book->scheme[scheme].name), say(h, cell->reason),
                       evidence_text(sources, sizeof sources, &cell->evidence, h->lang));
    }
}

static void source_text(const struct here *h, const struct row *r, struct panel *p)
{
    const struct source *s = &h->book->source[r->a];
    panel_text(p, "# %s\n%s. %s. %s\n%s\n%s: %s\n", s->name, s->title, s->venue, s->locator, say(h, s->fact),
               lang_text(h->lang, N_("checked")),
               say(h, s->via->name));
}

/* ---- what Enter does ----------------------------------------------------------------------------------- */

static bool choose_choice(struct scenario *s, const struct here *h, const struct row *r)
{
    return here_answer(s, h, r->a, r->b);
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
    here_show(s, PAGE_QUESTION, NAN);
    return here_keep(s, h, &w);
}

static bool choose_answered(struct scenario *s, const struct here *h, const struct row *r)
{
    here_show(s, PAGE_QUESTION, here_number(h, r->a));
    return true;
}

static bool choose_preset(struct scenario *s, const struct here *h, const struct row *r)
{
    (void)r;
    here_show(s, PAGE_RESULT, NAN);
    return here_keep(s, h, &h->situation->preset);
}

static bool choose_change(struct scenario *s, const struct here *h, const struct row *r)
{
    return here_answer(s, h, r->a, r->b);
}

static bool choose_extend(struct scenario *s, const struct here *h, const struct row *r)
{
    (void)r;
    struct walk w = h->w;
    walk_answer(h->book, &w, "start", "checkpoint", NULL);
    walk_answer(h->book, &w, "ck_scheme", "rope", NULL);
    here_show(s, PAGE_QUESTION, NAN);
    return here_keep(s, h, &w);
}

static bool see_scheme(struct scenario *s, const struct here *h, const struct row *r)
{
    const char *encoding = h->book->scheme[h->ranking.row[r->a].scheme].encoding;
    return jump_to(s, encoding ? "similarity" : NULL, encoding);
}

static bool see_reason(struct scenario *s, const struct here *h, const struct row *r)
{
    return jump_to(s, h->book->criterion[r->b].view, h->book->scheme[r->a].encoding);
}

static bool see_claim(struct scenario *s, const struct here *h, const struct row *r)
{
    return jump_to(s, h->book->claim[r->a].view, h->book->claim[r->a].encoding);
}

static bool see_guide(struct scenario *s, const struct here *h, const struct row *r)
{
    (void)h;
    (void)r;
    return jump_to(s, "guide", NULL);
}

static bool see_situation(struct scenario *s, const struct here *h, const struct row *r)
{
    (void)r;
    const char *encoding = h->book->scheme[h->situation->scheme].encoding;
    return jump_to(s, encoding ? "similarity" : NULL, encoding);
}

/* "name = value" where the present encoding has such a parameter and takes the value. */
static void set_number(struct scenario *s, const char *name, double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", x);
    scenario_set(s, name, text, NULL);
}

/* What checkpoints of a family ship. */
static void set_all(struct scenario *s, const struct json *settings)
{
    for (const struct json *j = json_first(settings); j; j = json_next(j))
        if (strcmp(json_key(j), "rotary_dim"))
            set_number(s, json_key(j), json_number(j, NAN));
}

/* The spectrum of the checkpoint as the method scales it, at the walk's lengths. */
static bool see_spectrum(struct scenario *s, const struct here *h, const struct row *r)
{
    (void)r;
    static const struct { const char *method, *rope_type; } types[] = {{"yarn", "yarn"}, {"dynamic_ntk", "dynamic"}, {"llama3", "llama3"}};
    struct factors f;
    int rule = wizard_rule(h->book, &h->w);
    if (rule < 0 || !wizard_factors(h->book, &h->w, &f, NULL) || !jump_to(s, "spectrum", "rope"))
        return false;
    if (f.n < 2)
        return true;
    s->trained = f.trained;
    s->target = f.target;
    set_number(s, "head_dim", f.rotary_dim);
    set_number(s, "original_max_position_embeddings", f.trained);
    set_number(s, "max_position_embeddings", f.trained);
    for (size_t q = 0; q < h->book->n_questions; q++)
        if (h->given[q] >= 0)
            set_all(s, h->book->question[q].answer[h->given[q]].settings);
    set_number(s, "rope_theta", f.base);
    set_number(s, "factor", f.factor[1].value);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].method, h->book->rule[rule].result))
            scenario_set(s, "rope_type", types[i].rope_type, NULL);
    return true;
}

static bool see_criterion(struct scenario *s, const struct here *h, const struct row *r)
{
    return jump_to(s, h->book->criterion[r->a].view, h->ranking.n ? h->book->scheme[h->ranking.row[0].scheme].encoding : NULL);
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

bool row_cells(const struct here *h, const struct row *r, struct panel *p, size_t at)
{
    if (rules[r->kind].cells)
        rules[r->kind].cells(h, r, (struct cells){p, at});
    return rules[r->kind].cells != NULL;
}

void row_text(const struct here *h, const struct row *r, struct panel *p)
{
    if (rules[r->kind].text)
        rules[r->kind].text(h, r, p);
}

bool row_choose(struct scenario *s, const struct here *h, const struct row *r, enum choose how)
{
    const struct row_rules *rule = &rules[r->kind];
    bool wanted = how == CHOOSE_BY_KEY || rule->on_click == (how == CHOOSE_BY_CLICK);
    return rule->choose && wanted && rule->choose(s, h, r);
}
