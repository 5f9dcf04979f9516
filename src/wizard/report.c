/* report.c - a walk and its result as JSON (DESIGN 3.3) and as Markdown. Every figure of a paper stands with its source and with
 * how that was checked; "?" marks what was not read from a stored source. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "wizard/wizard.h"

enum { N_REASONS = 3 };

static const char *const languages[LANG_COUNT] = {"en", "zh"};

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void put_words(struct json *o, const char *key, struct words w)
{
    char name[48];
    for (size_t l = 0; l < LANG_COUNT; l++) {
        snprintf(name, sizeof name, "%s_%s", key, languages[l]);
        if (w.in[l])
            json_set_string(o, name, w.in[l]);
    }
}

static void put_evidence(struct json *o, const struct evidence *e)
{
    struct json *cite = json_set(o, "cite", json_array());
    for (size_t i = 0; i < e->n; i++) {
        struct json *source = json_push(cite, json_object());
        json_set_string(source, "id", e->source[i]->id);
        json_set_string(source, "source", e->source[i]->name);
        json_set_string(source, "locator", e->source[i]->locator);
        json_set_string(source, "verified_via", e->source[i]->via->id);
    }
    json_set_string(o, "verified_via", e->via ? e->via->id : NULL);
    json_set_bool(o, "unverified", e->unverified);
}

static void put_claims(struct json *o, const struct claim *const *claim, size_t n)
{
    struct json *list = json_set(o, "claims", json_array());
    for (size_t i = 0; i < n; i++) {
        struct json *c = json_push(list, json_object());
        json_set_string(c, "id", claim[i]->id);
        json_set_string(c, "section", claim[i]->section);
        json_set_string(c, "verdict", verdict_ids[claim[i]->verdict]);
        put_words(c, "claim", claim[i]->says);
        put_words(c, "evidence", claim[i]->found);
        put_evidence(c, &claim[i]->evidence);
    }
}

static void put_recommendation(struct json *o, const char *scheme, struct words label)
{
    struct json *r = json_set(o, "recommendation", json_object());
    json_set_string(r, "scheme", scheme);
    put_words(r, "label", label);
}

/* One decimal, halves to even, as the evidence data prints them. */
static double one_decimal(double x)
{
    return rint(x * 10) / 10;
}

static void put_ranking(struct json *o, const struct book *b, const struct ranking *r)
{
    struct json *list = json_set(o, "ranking", json_array());
    for (size_t i = 0; i < r->n; i++) {
        struct json *row = json_push(list, json_object());
        json_set_string(row, "scheme", b->scheme[r->row[i].scheme].id);
        json_set_number(row, "points", r->row[i].points);
        json_set_number(row, "percent", one_decimal(r->row[i].percent));
    }
    list = json_set(o, "excluded", json_array());
    for (size_t k = 0; k < b->n_constraints; k++)
        for (size_t s = 0; s < b->n_schemes; s++) {
            if (!((r->removed_by[s] >> k) & 1))
                continue;
            struct json *row = json_push(list, json_object());
            json_set_string(row, "scheme", b->scheme[s].id);
            json_set_string(row, "constraint", b->constraint[k].id);
            json_set_number(row, "points", ranking_points(b, r, (int)s));
            put_words(row, "reason", b->constraint[k].reason);
            put_evidence(row, &b->constraint[k].evidence);
        }
}

static void put_overrides(struct json *o, const struct book *b, const struct ranking *r)
{
    struct json *list = json_set(o, "overrides", json_array());
    for (size_t i = 0; i < b->n_overrides; i++) {
        if (!((r->overrides >> i) & 1))
            continue;
        struct json *row = json_push(list, json_object());
        json_set_string(row, "id", b->override[i].id);
        put_words(row, "reason", b->override[i].reason);
        put_evidence(row, &b->override[i].evidence);
    }
}

static void put_reasons(struct json *o, const struct book *b, const struct ranking *r)
{
    int criterion[N_REASONS], winner = r->row[0].scheme;
    size_t n = ranking_reasons(b, r, winner, criterion, N_REASONS);
    struct json *list = json_set(o, "reasons", json_array());
    for (size_t i = 0; i < n; i++) {
        const struct rating *cell = book_cell(b, winner, criterion[i]);
        struct json *row = json_push(list, json_object());
        json_set_string(row, "criterion", b->criterion[criterion[i]].id);
        put_words(row, "criterion", b->criterion[criterion[i]].name);
        json_set_number(row, "weight", r->weight[criterion[i]]);
        json_set_number(row, "score", r->score[winner][criterion[i]]);
        put_words(row, "reason", cell->reason);
        put_evidence(row, &cell->evidence);
    }
}

static void put_open(struct json *o, const struct book *b, struct walk w, int question, int answer)
{
    w.answer[question] = (signed char)answer;
    struct json *asks = json_set(o, "asks", json_array());
    for (int next; (next = walk_next(b, &w)) != WIZARD_DONE; w.answer[next] = 0)
        json_push_string(asks, b->question[next].id);
}

static void put_changes(struct json *o, const struct book *b, const struct walk *w)
{
    struct change change[WIZARD_MAX_CHANGES];
    size_t n = wizard_changes(b, w, change);
    bool checkpoint = walk_branch(b, w) == BRANCH_CHECKPOINT;
    struct json *list = json_set(o, "changes", json_array());
    for (size_t i = 0; i < n; i++) {
        const struct change *c = &change[i];
        struct json *row = json_push(list, json_object());
        json_set_string(row, "question", b->question[c->question].id);
        json_set_string(row, "answer", b->question[c->question].answer[c->answer].id);
        const char *winner = c->winner < 0 ? NULL : checkpoint ? b->rule[c->winner].result : b->scheme[c->winner].id;
        json_set_string(row, "winner", winner);
        if (checkpoint)
            json_set_string(row, "rule", c->winner < 0 ? NULL : b->rule[c->winner].id);
        if (c->asks_more)
            put_open(row, b, *w, c->question, c->answer);
    }
}

/* Claims of the guide about the winner and about the answered questions, each once. */
static size_t gather_claims(const struct book *b, const struct walk *w, int scheme, const struct claim **out, size_t max)
{
    size_t n = 0;
    signed char given[BOOK_MAX_QUESTIONS];
    bool seen[1024] = {false};
    walk_given(b, w, given, NULL);
    for (size_t i = 0; i < b->scheme[scheme].n_claims && n < max; i++) {
        out[n++] = b->scheme[scheme].claim[i];
        seen[out[n - 1] - b->claim] = true;
    }
    for (size_t q = 0; q < b->n_questions; q++)
        for (size_t i = 0; given[q] >= 0 && i < b->question[q].n_claims && n < max; i++) {
            const struct claim *c = b->question[q].claim[i];
            if (!seen[c - b->claim])
                out[n++] = c;
            seen[c - b->claim] = true;
        }
    return n;
}
enum { MAX_GATHERED = 64 };

static void put_uncounted(struct json *o, const struct book *b, const struct walk *w)
{
    signed char given[BOOK_MAX_QUESTIONS];
    walk_given(b, w, given, NULL);
    struct json *list = json_set(o, "not_counted", json_array());
    for (size_t q = 0; q < b->n_questions; q++)
        if (given[q] >= 0 && b->question[q].weightless)
            json_push_string(list, b->question[q].id);
}

/* Everything about an evidence walk but its answers. */
static void put_evidence_result(struct json *o, const struct book *b, const struct walk *w)
{
    struct ranking r;
    const struct claim *claim[MAX_GATHERED];
    wizard_rank(b, w, &r);
    if (!r.n) {
        json_set_null(o, "recommendation");
    } else {
        const struct scheme *winner = &b->scheme[r.row[0].scheme];
        put_recommendation(o, winner->id, winner->name);
    }
    json_set_bool(o, "close_call", r.close);
    if (r.tie_rule)
        json_set_number(o, "tie_rule", r.tie_rule);
    put_ranking(o, b, &r);
    put_overrides(o, b, &r);
    if (r.n) {
        put_reasons(o, b, &r);
        put_claims(o, claim, gather_claims(b, w, r.row[0].scheme, claim, MAX_GATHERED));
    }
    put_changes(o, b, w);
    put_uncounted(o, b, w);
    struct json *weights = json_set(o, "weights", json_object());
    for (size_t c = 0; c < b->n_criteria; c++)
        json_set_number(weights, b->criterion[c].id, r.weight[c]);
}

/* The situation that a document walk ends with. */
static const struct situation *situation_of(const struct book *b, const struct walk *w)
{
    signed char given[BOOK_MAX_QUESTIONS];
    const struct situation *found = NULL;
    walk_given(b, w, given, NULL);
    for (size_t q = 0; q < b->n_questions; q++)
        if (given[q] >= 0 && book_situation(b, b->question[q].answer[given[q]].id))
            found = book_situation(b, b->question[q].answer[given[q]].id);
    return found;
}

static const char *const guide_columns[GUIDE_COLUMNS] = {"absolute", "relative", "rope", "alibi"};

/* The guide's table 4.1: its words, and its ratings as numbers for display. */
static void put_guide_table(struct json *o, const struct book *b)
{
    struct json *list = json_set(o, "guide_table", json_array());
    for (size_t i = 0; i < b->n_guide_rows; i++) {
        struct json *row = json_push(list, json_object());
        json_set_string(row, "id", b->guide_row[i].id);
        put_words(row, "name", b->guide_row[i].name);
        for (size_t c = 0; c < GUIDE_COLUMNS; c++) {
            struct json *cell = json_set(row, guide_columns[c], json_object());
            put_words(cell, "value", b->guide_row[i].value[c]);
            json_set_number(cell, "score", b->guide_row[i].score[c]);
            if (b->guide_row[i].of[c])
                json_set_string(cell, "verdict", verdict_ids[b->guide_row[i].of[c]->verdict]);
        }
    }
}

static void put_document_result(struct json *o, const struct book *b, const struct walk *w)
{
    const struct situation *s = situation_of(b, w);
    put_recommendation(o, b->scheme[s->scheme].id, s->label);
    json_set_bool(o, "close_call", false);
    json_set(o, "ranking", json_array());
    json_set(o, "excluded", json_array());
    struct json *reason = json_push(json_set(o, "reasons", json_array()), json_object());
    json_set_string(reason, "situation", s->id);
    json_set_string(reason, "section", s->section);
    put_words(reason, "situation", s->name);
    put_words(reason, "reason", s->reason);
    put_claims(o, s->claim, s->n_claims);
    json_set(o, "changes", json_array());
    put_guide_table(o, b);
    struct json *evidence = json_set(o, "evidence", json_object());
    json_set_bool(evidence, "agrees", s->agrees);
    put_words(evidence, "note", s->note);
    put_evidence(evidence, &s->evidence);
    walk_to_json(b, &s->preset, evidence);
    put_evidence_result(evidence, b, &s->preset);
}

static bool put_method(struct json *o, const struct book *b, const struct walk *w, const struct rule *rule, struct err *err)
{
    const struct method *m = rule->method;
    struct factors f;
    if (!wizard_factors(b, w, &f, err))
        return false;
    struct json *j = json_set(o, "method", json_object());
    json_set_string(j, "id", rule->result);
    json_set_string(j, "rule", rule->id);
    put_words(j, "text", rule->text);
    put_evidence(j, &rule->evidence);
    put_words(j, "name", rule->name);
    if (m) {
        put_words(j, "formula", m->formula);
        put_words(j, "params", m->params);
        put_words(j, "use", m->use);
        put_words(j, "measured", m->measured);
        put_words(j, "note", m->note);
        put_evidence(json_set(j, "measured_in", json_object()), &m->evidence);
    }
    struct json *computed = json_set(j, "computed", json_object());
    for (size_t i = 0; i < f.n; i++)
        json_set_number(computed, f.factor[i].id, f.factor[i].value);
    if (f.n > 1) {
        json_set_number(j, "base", f.base);
        json_set_number(j, "rotary_dim", f.rotary_dim);
        json_set_string(j, "assumed_from", f.assumed_from);
    }
    if (f.write[0])
        json_set(j, "rope_scaling", json_parse(f.write, strlen(f.write), NULL));
    if (wizard_short_rule(b, w)) {
        struct json *s = json_set(j, "short_inputs", json_object());
        put_words(s, "text", b->short_rule.text);
        put_words(s, "measured", b->short_rule.measured);
        put_evidence(s, &b->short_rule.evidence);
    }
    return true;
}

static bool put_checkpoint_result(struct json *o, const struct book *b, const struct walk *w, struct err *err)
{
    int rule = wizard_rule(b, w), q = book_question(b, "ck_scheme");
    if (rule < 0 || q < 0)
        return err_set(err, N_("no rule of the wizard's data fits these answers"));
    const struct choice *scheme = &b->question[q].answer[w->answer[q]];
    put_recommendation(o, scheme->id, scheme->label);
    json_set_bool(o, "close_call", false);
    json_set(o, "ranking", json_array());
    json_set(o, "excluded", json_array());
    struct json *reason = json_push(json_set(o, "reasons", json_array()), json_object());
    json_set_string(reason, "rule", b->rule[rule].id);
    put_words(reason, "reason", b->rule[rule].text);
    put_evidence(reason, &b->rule[rule].evidence);
    json_set(o, "claims", json_array());
    put_changes(o, b, w);
    return put_method(o, b, w, &b->rule[rule], err);
}

static void put_next(struct json *o, const struct book *b, const struct walk *w, int next)
{
    const struct question *q = &b->question[next];
    struct json *j = json_set(o, "next", json_object());
    int least, most;
    walk_span(b, w, &least, &most);
    json_set_string(j, "question", q->id);
    put_words(j, "title", q->title);
    put_words(j, "why", q->why);
    struct json *answers = json_set(j, "answers", json_array());
    for (size_t a = 0; a < q->n_answers; a++) {
        struct json *answer = json_push(answers, json_object());
        json_set_string(answer, "answer", q->answer[a].id);
        put_words(answer, "label", q->answer[a].label);
    }
    json_set_number(j, "questions_least", least);
    json_set_number(j, "questions_most", most);
    json_set_null(o, "recommendation");
    if (walk_branch(b, w) == BRANCH_EVIDENCE) {
        struct ranking r;
        wizard_rank(b, w, &r);
        put_ranking(o, b, &r);
    }
}

struct json *wizard_json(const struct book *b, const struct walk *w, struct err *err)
{
    struct json *o = json_object();
    bool done = true;
    int next = walk_next(b, w);
    json_set_number(o, "schema", 1);
    json_set_string(o, "branch", walk_branch(b, w) ? branch_names[walk_branch(b, w)] : NULL);
    walk_to_json(b, w, o);
    if (next != WIZARD_DONE)
        put_next(o, b, w, next);
    else if (walk_branch(b, w) == BRANCH_DOCUMENT)
        put_document_result(o, b, w);
    else if (walk_branch(b, w) == BRANCH_EVIDENCE)
        put_evidence_result(o, b, w);
    else
        done = put_checkpoint_result(o, b, w, err);
    struct json *data = json_set(o, "data", json_object());
    json_set_number(data, "version", b->version);
    json_set_string(data, "date", b->date);
    json_set_string(o, "program", "posviz " POSVIZ_VERSION);
    if (done)
        return o;
    json_free(o);
    return NULL;
}

/* ---- Markdown ------------------------------------------------------------------------------------------ */

struct page {
    FILE *out;
    const struct book *book;
    enum lang lang;
    bool cited[1024];           /* sources to list at the end */
};

static const char *say(const struct page *p, struct words w)
{
    return w.in[p->lang] ? w.in[p->lang] : "";
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
    for (size_t c = 0; c < p->book->n_criteria; c++)
        if (!isnan(w->weight[c]))
            fprintf(p->out, "- %s: %s = %g\n", lang_text(p->lang, N_("your weight")), say(p, p->book->criterion[c].name),
                    w->weight[c]);
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
    int criterion[N_REASONS], winner = r->row[0].scheme;
    size_t n = ranking_reasons(p->book, r, winner, criterion, N_REASONS);
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
    const struct claim *claim[MAX_GATHERED];
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
    write_claims(p, claim, gather_claims(p->book, w, winner - p->book->scheme, claim, MAX_GATHERED));
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
    const struct situation *s = situation_of(p->book, w);
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
        fprintf(p->out, "- %s: %.10g (%s)\n", lang_text(p->lang, f.factor[i].name), f.factor[i].value, f.factor[i].formula);
    if (f.n > 1)
        fprintf(p->out, "- rope_theta %g, rotary_dim %g%s%s\n", f.base, f.rotary_dim,
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
        if (m->note.in[p->lang])
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
