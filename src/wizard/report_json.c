/* report_json.c - a walk and its result as JSON. Every figure of a paper stands with its source and with how
 * that was checked. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "wizard/wizard.h"

static const char *const languages[LANG_COUNT] = {"en", "zh"};

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
    int criterion[WIZARD_REASONS], winner = r->row[0].scheme;
    size_t n = ranking_reasons(b, r, winner, criterion, WIZARD_REASONS);
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
    const struct claim *claim[WIZARD_MAX_CLAIMS];
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
        put_claims(o, claim, walk_claims(b, w, r.row[0].scheme, claim, WIZARD_MAX_CLAIMS));
    }
    put_changes(o, b, w);
    put_uncounted(o, b, w);
    struct json *weights = json_set(o, "weights", json_object());
    for (size_t c = 0; c < b->n_criteria; c++)
        json_set_number(weights, b->criterion[c].id, r.weight[c]);
}

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
    const struct situation *s = walk_situation(b, w);
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
