/* report_markdown.c - a walk and its result as Markdown. Every figure of a paper stands with its source and with how that was
 * checked; "?" marks what was not read from a stored source. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "base/mem.h"
#include "wizard/wizard.h"

struct page {
    FILE *out;
    const struct book *book;
    enum lang lang;
    bool cited[1024];           /* sources to list at the end */
};

static const char *say(const struct page *p, struct words w)
{
    return words_in(w, p->lang);
}

static void heading(const struct page *p, const char *title)
{
    fprintf(p->out, "\n## %s\n\n", lang_text(p->lang, title));
}

/* " (Press et al. 2022: paper; Heo et al. 2024: readme)", each source with how its figures were checked. */
static void cite(struct page *p, const struct evidence *e)
{
    fputs(" (", p->out);
    for (size_t i = 0; i < e->n; i++) {
        fprintf(p->out, "%s%s: %s", i ? "; " : "", e->source[i]->name, say(p, e->source[i]->via->brief));
        p->cited[(e->source[i] - p->book->source) % 1024] = true;
    }
    fprintf(p->out, "%s%s)\n", e->unverified ? "; " : "", e->unverified ? lang_text(p->lang, N_("partly unverified")) : "");
}

static void write_answers(struct page *p, const struct walk *w)
{
    signed char given[BOOK_MAX_QUESTIONS];
    walk_given(p->book, w, given, NULL);
    for (size_t q = 0; q < p->book->n_questions; q++) {
        const struct question *question = &p->book->question[q];
        if (given[q] < 0)
            continue;
        fprintf(p->out, "- %s %s (`%s=%s`)", say(p, question->title), say(p, question->answer[given[q]].label), question->id,
                question->answer[given[q]].id);
        fprintf(p->out, "%s%s\n", question->weightless ? ": " : "",
                question->weightless ? lang_text(p->lang, N_("did not count, no measurement separates the schemes by it")) : "");
    }
    char text[DIGITS_TEXT];
    for (size_t c = 0; c < p->book->n_criteria; c++)
        if (!isnan(w->weight[c])) {
            digits_write(text, w->weight[c], 6);
            fprintf(p->out, "- %s: %s = %s\n", lang_text(p->lang, N_("your weight")), say(p, p->book->criterion[c].name), text);
        }
}

static void write_claims(struct page *p, const struct claim *const *claim, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fprintf(p->out, "- %s **%s**. *%s* %s", claim[i]->id, lang_text(p->lang, verdict_titles[claim[i]->verdict]),
                say(p, claim[i]->says), say(p, claim[i]->found));
        cite(p, &claim[i]->evidence);
    }
}

static void write_ranking(const struct page *p, const struct ranking *r)
{
    fprintf(p->out, "| %s | %s | %% |\n| --- | ---: | ---: |\n", lang_text(p->lang, N_("scheme")),
            lang_text(p->lang, N_("points")));
    for (size_t i = 0; i < r->n; i++)
        fprintf(p->out, "| %s | %g | %.1f |\n", say(p, p->book->scheme[r->row[i].scheme].name), r->row[i].points,
                r->row[i].percent);
}

static void write_reasons(struct page *p, const struct ranking *r)
{
    int criterion[WIZARD_REASONS], winner = r->row[0].scheme;
    size_t n = ranking_reasons(p->book, r, winner, criterion, WIZARD_REASONS);
    for (size_t i = 0; i < n; i++) {
        const struct rating *cell = book_cell(p->book, winner, criterion[i]);
        fprintf(p->out, "- %s (%s %g, %s %g): %s", say(p, p->book->criterion[criterion[i]].name),
                lang_text(p->lang, N_("weight")),
                r->weight[criterion[i]], lang_text(p->lang, N_("score")), r->score[winner][criterion[i]], say(p, cell->reason));
        cite(p, &cell->evidence);
    }
    for (size_t i = 0; i < p->book->n_overrides; i++) {
        const struct score_override *o = &p->book->override[i];
        if (!((r->overrides >> i) & 1))
            continue;
        fprintf(p->out, "- %s: %s", o->id, say(p, o->reason));
        cite(p, &o->evidence);
    }
}

static void write_excluded(struct page *p, const struct ranking *r)
{
    for (size_t k = 0; k < p->book->n_constraints; k++) {
        const struct constraint *c = &p->book->constraint[k];
        const char *between = "";
        for (size_t s = 0; s < p->book->n_schemes; s++) {
            if (!((r->removed_by[s] >> k) & 1))
                continue;
            fprintf(p->out, "%s%s", *between ? between : "- ", say(p, p->book->scheme[s].name));
            between = p->lang == LANG_ZH ? "、" : ", ";
        }
        if (!*between)
            continue;
        fprintf(p->out, " (%s): %s", c->id, say(p, c->reason));
        cite(p, &c->evidence);
    }
}

static void write_changes(const struct page *p, const struct walk *w)
{
    struct change change[WIZARD_MAX_CHANGES];
    size_t n = wizard_changes(p->book, w, change);
    bool checkpoint = walk_branch(p->book, w) == BRANCH_CHECKPOINT;
    for (size_t i = 0; i < n; i++) {
        const struct question *q = &p->book->question[change[i].question];
        const struct rule *rule = checkpoint && change[i].winner >= 0 ? &p->book->rule[change[i].winner] : NULL;
        const char *winner = rule ? say(p, rule->name) : change[i].winner < 0 ? "?"
            : say(p, p->book->scheme[change[i].winner].name);
        fprintf(p->out, "- %s **%s** → %s%s%s%s", say(p, q->title), say(p, q->answer[change[i].answer].label), winner,
                rule ? " (" : "", rule ? rule->id : "", rule ? ")" : "");
        fprintf(p->out, "%s%s\n", change[i].asks_more ? ", " : "",
                change[i].asks_more ? lang_text(p->lang, N_("more questions follow and may decide otherwise")) : "");
    }
    if (!n)
        fprintf(p->out, "%s\n", lang_text(p->lang, N_("No single other answer.")));
}

static void write_evidence_result(struct page *p, const struct walk *w)
{
    struct ranking r;
    const struct claim *claim[WIZARD_MAX_CLAIMS];
    wizard_rank(p->book, w, &r);
    if (!r.n) {
        fprintf(p->out, "%s\n", lang_text(p->lang, N_("Every scheme is excluded.")));
        return;
    }
    const struct scheme *winner = &p->book->scheme[r.row[0].scheme];
    fprintf(p->out, "**%s** (`%s`): %s\n\n", say(p, winner->name), winner->id, say(p, winner->summary));
    if (r.close)
        fprintf(p->out, "**%s**: %s\n\n", lang_text(p->lang, N_("close call")), say(p, p->book->scheme[r.row[1].scheme].name));
    if (r.tie_rule)
        fprintf(p->out, "%s: %s\n\n", lang_text(p->lang, N_("a tie, decided by")), say(p, p->book->tie_rule[r.tie_rule - 1]));
    write_ranking(p, &r);
    heading(p, N_("Why"));
    write_reasons(p, &r);
    heading(p, N_("Excluded"));
    write_excluded(p, &r);
    heading(p, N_("What would change this"));
    write_changes(p, w);
    heading(p, N_("What the guide says, and what was measured"));
    write_claims(p, claim, walk_claims(p->book, w, winner - p->book->scheme, claim, WIZARD_MAX_CLAIMS));
}

static void write_guide_table(const struct page *p)
{
    fprintf(p->out, "| | %s | %s | RoPE | ALiBi |\n| --- | --- | --- | --- | --- |\n", lang_text(p->lang, N_("absolute")),
            lang_text(p->lang, N_("relative")));
    for (size_t i = 0; i < p->book->n_guide_rows; i++) {
        const struct guide_row *row = &p->book->guide_row[i];
        fprintf(p->out, "| %s |", say(p, row->name));
        for (size_t c = 0; c < GUIDE_COLUMNS; c++)
            fprintf(p->out, " %s%s%s%s |", say(p, row->value[c]), row->of[c] ? " (" : "",
                    row->of[c] ? lang_text(p->lang, verdict_titles[row->of[c]->verdict]) : "", row->of[c] ? ")" : "");
        fputs("\n", p->out);
    }
}

static void write_document_result(struct page *p, const struct walk *w)
{
    const struct situation *s = walk_situation(p->book, w);
    fprintf(p->out, "**%s** (`%s`)\n\n%s (%s %s)\n", say(p, s->label), p->book->scheme[s->scheme].id, say(p, s->reason),
            lang_text(p->lang, N_("the guide, section")), s->section);
    heading(p, N_("What the measurements say"));
    fputs(say(p, s->note), p->out);
    cite(p, &s->evidence);
    fputs("\n", p->out);
    write_claims(p, s->claim, s->n_claims);
    heading(p, N_("The guide's table 4.1, with verdicts"));
    write_guide_table(p);
    heading(p, N_("The same case in the evidence branch"));
    write_answers(p, &s->preset);
    fputs("\n", p->out);
    write_evidence_result(p, &s->preset);
}

static bool write_factors(struct page *p, const struct walk *w, struct err *err)
{
    struct factors f;
    if (!wizard_factors(p->book, w, &f, err))
        return false;
    heading(p, N_("Computed for your lengths"));
    if (!f.n) {
        fprintf(p->out, "%s\n", lang_text(p->lang, N_("Give --trained and --target to have the factors computed.")));
        return true;
    }
    for (size_t i = 0; i < f.n; i++)
        fprintf(p->out, "- %s: %.10g (%s)\n", lang_text(p->lang, f.factor[i].name), f.factor[i].value, lang_text(p->lang, f.factor[i].formula));
    if (f.n > 1)
        fprintf(p->out, "- rope_theta %.10g, rotary_dim %g%s%s\n", f.base, f.rotary_dim,
                f.assumed_from ? lang_text(p->lang, N_(", where not given as in ")) : "", f.assumed_from ? f.assumed_from : "");
    if (f.write[0])
        fprintf(p->out, "\n```json\n\"rope_scaling\": %s\n```\n", f.write);
    return true;
}

static bool write_checkpoint_result(struct page *p, const struct walk *w, struct err *err)
{
    int i = wizard_rule(p->book, w);
    if (i < 0)
        return err_set(err, N_("no rule of the wizard's data fits these answers"));
    const struct rule *rule = &p->book->rule[i];
    const struct method *m = rule->method;
    fprintf(p->out, "**%s** (%s): %s", say(p, rule->name), rule->id, say(p, rule->text));
    cite(p, &rule->evidence);
    if (m) {
        fprintf(p->out, "\n- %s: `%s`\n- %s\n- %s\n- %s: %s", lang_text(p->lang, N_("formula")), say(p, m->formula),
                say(p, m->params),
                say(p, m->use), lang_text(p->lang, N_("measured")), say(p, m->measured));
        cite(p, &m->evidence);
        if (*say(p, m->note))
            fprintf(p->out, "- %s\n", say(p, m->note));
    }
    if (wizard_short_rule(p->book, w)) {
        fprintf(p->out, "\n%s %s", say(p, p->book->short_rule.text), say(p, p->book->short_rule.measured));
        cite(p, &p->book->short_rule.evidence);
    }
    if (!write_factors(p, w, err))
        return false;
    heading(p, N_("What would change this"));
    write_changes(p, w);
    return true;
}

static void write_next(struct page *p, const struct walk *w, int next)
{
    const struct question *q = &p->book->question[next];
    heading(p, N_("Next question"));
    fprintf(p->out, "%s\n\n%s\n\n", say(p, q->title), say(p, q->why));
    for (size_t a = 0; a < q->n_answers; a++)
        fprintf(p->out, "- `--answer %s=%s`  %s\n", q->id, q->answer[a].id, say(p, q->answer[a].label));
    if (walk_branch(p->book, w) == BRANCH_EVIDENCE) {
        struct ranking r;
        wizard_rank(p->book, w, &r);
        heading(p, N_("Ranking so far"));
        write_ranking(p, &r);
    }
}

static void write_sources(const struct page *p)
{
    bool any = false;
    for (size_t i = 0; i < p->book->n_sources; i++) {
        const struct source *s = &p->book->source[i];
        if (!p->cited[i % 1024])
            continue;
        if (!any)
            heading(p, N_("Sources"));
        any = true;
        fprintf(p->out, "- %s. *%s*. %s. %s. [%s]\n", s->name, s->title, s->venue, s->locator, say(p, s->via->name));
    }
}

char *wizard_markdown(const struct book *b, const struct walk *w, enum lang lang, struct err *err)
{
    char *text = NULL;
    size_t size;
    struct page p = {.out = open_memstream(&text, &size), .book = b, .lang = lang};
    int next = walk_next(b, w);
    bool done = true;
    fprintf(p.out, "# %s\n\n", lang_text(lang, N_("Choosing a position encoding")));
    write_answers(&p, w);
    if (next == WIZARD_DONE)
        heading(&p, N_("Recommendation"));
    if (next != WIZARD_DONE)
        write_next(&p, w, next);
    else if (walk_branch(b, w) == BRANCH_DOCUMENT)
        write_document_result(&p, w);
    else if (walk_branch(b, w) == BRANCH_EVIDENCE)
        write_evidence_result(&p, w);
    else
        done = write_checkpoint_result(&p, w, err);
    write_sources(&p);
    fprintf(p.out, "\n---\nposviz %s, %s %d (%s)\n", POSVIZ_VERSION, lang_text(lang, N_("wizard data version")), b->version,
            b->date);
    fclose(p.out);
    if (done)
        return text;
    free(text);
    return NULL;
}
