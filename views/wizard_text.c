/* wizard_text.c - a row of the wizard in full, for the panel below the list: reasons, numbers, sources. One function a kind of row. */
#include "wizard_here.h"

#include <stdio.h>
#include <string.h>

#include "claims.h"

static void choice_text(const struct here *h, const struct row *r, struct panel *p)
{
    const struct question *q = &h->book->question[r->a];
    char weights[200];
    panel_text(p, "%s\n", say(h, q->why));
    if (*row_weights(h, &q->answer[r->b], weights, sizeof weights))
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
                       row_excluded(h, x, names, sizeof names), say(h, x->reason));
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
    panel_text(p, "%s = %.10g\n(%s)\n", lang_text(h->lang, f.factor[r->a].name), f.factor[r->a].value, lang_text(h->lang, f.factor[r->a].formula));
    if (f.n > 1)
        panel_text(p, "rope_theta %.10g, rotary_dim %g%s%s\n", f.base, f.rotary_dim,
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
    const char *winner = row_outcome(h, r, &more);
    panel_text(p, "%s %s%s%s\n", say(h, h->book->question[r->a].title), say(h, h->book->question[r->a].answer[r->b].label), *winner ? " → " : "", winner);
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

static void (*const text_of[ROW_KIND_COUNT])(const struct here *h, const struct row *r, struct panel *p) = {
    [ROW_CHOICE] = choice_text,
    [ROW_LENGTHS] = lengths_text,
    [ROW_ANSWERED] = answered_text,
    [ROW_SCHEME] = scheme_text,
    [ROW_SITUATION] = situation_text,
    [ROW_NOTE] = note_text,
    [ROW_PRESET] = preset_text,
    [ROW_TABLE] = table_text,
    [ROW_RULE] = rule_text,
    [ROW_METHOD] = method_text,
    [ROW_SHORT] = short_text,
    [ROW_FACTOR] = factor_text,
    [ROW_REASON] = reason_text,
    [ROW_OVERRIDE] = override_text,
    [ROW_CLAIM] = claim_row_text,
    [ROW_EXCLUDED] = excluded_text,
    [ROW_CHANGE] = change_text,
    [ROW_UNCOUNTED] = uncounted_text,
    [ROW_CRITERION] = criterion_text,
    [ROW_SOURCE] = source_text,
};

void row_text(const struct here *h, const struct row *r, struct panel *p)
{
    if (text_of[r->kind])
        text_of[r->kind](h, r, p);
}
