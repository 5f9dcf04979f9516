/* read_engine.c - the part of the wizard's data that decides: sources, claims, questions, schemes with their scores, rules. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "wizard/reader.h"

/* ---- sources and claims -------------------------------------------------------------------------------- */

static void read_vias(struct reader *r, const struct json *meta)
{
    struct place before = enter(r, "meta", 0);
    const struct json *en = member(r, meta, "verified_via", JSON_OBJECT);
    const struct json *zh = member(r, meta, "verified_via_zh", JSON_OBJECT);
    const struct json *brief = member(r, meta, "verified_via_short_zh", JSON_OBJECT);
    const struct json *order = member(r, meta, "verified_via_weakness", JSON_ARRAY);
    r->book->via = xcalloc(json_size(order) + 1, sizeof *r->book->via);
    for (const struct json *j = json_first(order); j && !r->failed; j = json_next(j)) {
        const char *id = json_string(j) ? json_string(j) : "";
        size_t i = r->book->n_vias++;
        r->book->via[i] = (struct via){id, {{text_of(r, en, id), text_of(r, zh, id)}}, {{id, text_of(r, brief, id)}}, (int)i};
    }
    leave(r, before);
}

static void read_meta(struct reader *r, const struct json *root)
{
    const struct json *meta = member(r, root, "meta", JSON_OBJECT);
    read_vias(r, meta);
    struct place before = enter(r, "meta", 0);
    r->book->version = (int)number_of(r, meta, "version", 1, 1e6);
    r->book->date = text_of(r, meta, "date");
    leave(r, before);
}

static void read_source(struct reader *r, const struct json *j, void *out)
{
    struct source *s = out;
    s->id = text_of(r, j, "id");
    s->name = text_of(r, j, "short");
    s->title = text_of(r, j, "title");
    s->venue = text_of(r, j, "venue");
    s->locator = text_of(r, j, "locator");
    s->year = (int)number_of(r, j, "year", 1900, 2100);
    s->via = via_named(r, j);
    s->fact = words_of(r, j, "fact", false);
}

static void read_claim(struct reader *r, const struct json *j, void *out)
{
    struct claim *c = out;
    c->id = text_of(r, j, "id");
    c->section = text_of(r, j, "section");
    c->says = words_of(r, j, "claim", false);
    c->found = words_of(r, j, "evidence", false);
    const char *verdict = text_of(r, j, "verdict");
    c->verdict = (enum verdict)known(r, "verdict", verdict, FIND(verdict_ids, (size_t)VERDICT_COUNT, verdict));
    c->evidence = evidence_of(r, j, "cite");
    c->view = optional_text(j, "view");
    c->encoding = optional_text(j, "encoding");
}

/* ---- questions and conditions -------------------------------------------------------------------------- */

/* The answers of question q in "a" or "{a,b}"; false if one is unknown. */
static bool parse_answers(const struct question *q, const char *text, size_t length, unsigned *answers)
{
    *answers = 0;
    while (length) {
        size_t n = strcspn(text, ",");
        if (n > length)
            n = length;
        bool found = false;
        for (size_t a = 0; a < q->n_answers; a++)
            if (strlen(q->answer[a].id) == n && strncmp(q->answer[a].id, text, n) == 0) {
                *answers |= 1u << a;
                found = true;
            }
        if (!found)
            return false;
        n += n < length;                        /* the comma */
        text += n;
        length -= n;
    }
    return *answers != 0;
}

/* One of `q=a`, `q!=a`, `q in {a,b}`; false if it is none or names something unknown. */
static bool parse_term(const struct book *b, const char *text, size_t length, struct clause *out)
{
    char name[32];
    size_t n = strcspn(text, "!= ");
    if (n >= sizeof name || n > length)
        return false;
    memcpy(name, text, n);
    name[n] = '\0';
    out->question = book_question(b, name);
    if (out->question < 0)
        return false;
    const struct question *q = &b->question[out->question];
    const char *rest = text + n, *end = text + length;
    out->is = *rest != '!';
    if (strncmp(rest, " in {", 5) == 0 && end[-1] == '}')
        return parse_answers(q, rest + 5, (size_t)(end - 1 - (rest + 5)), &out->answers);
    rest += *rest == '!';
    return *rest == '=' && parse_answers(q, rest + 1, (size_t)(end - (rest + 1)), &out->answers);
}

static struct condition condition_from(struct reader *r, const char *key, const char *text)
{
    struct condition c = {.text = text};
    if (strcmp(text, "always") == 0)
        return c;
    for (const char *at = text; at; ) {
        const char *next = strstr(at, " & ");
        size_t length = next ? (size_t)(next - at) : strlen(at);
        if (c.n == BOOK_MAX_TERMS || !parse_term(r->book, at, length, &c.term[c.n])) {
            fault(r, key, N_("\"%.*s\" is no condition on a known question and its answers"), (int)length, at);
            return c;
        }
        c.n++;
        at = next ? next + 3 : NULL;
    }
    return c;
}

static struct condition condition_of(struct reader *r, const struct json *j, const char *key)
{
    const char *text = text_of(r, j, key);
    return text[0] ? condition_from(r, key, text) : (struct condition){.text = text};
}

static void read_weights(struct reader *r, const struct json *j, double *weight)
{
    const struct json *weights = member(r, j, "weights", JSON_OBJECT);
    struct place before = enter(r, "weights", 0);
    for (const struct json *w = json_first(weights); w; w = json_next(w)) {
        int c = known(r, json_key(w), json_key(w), book_criterion(r->book, json_key(w)));
        weight[c] = number_of(r, weights, json_key(w), -100, 100);
    }
    leave(r, before);
}

static enum branch branch_of(struct reader *r, const struct json *j, const char *key)
{
    const char *name = optional_text(j, key);
    if (!name)
        return BRANCH_NONE;
    return (enum branch)known(r, key, name, FIND(branch_names, (size_t)BRANCH_COUNT, name));
}

static void read_answer(struct reader *r, const struct json *j, void *out)
{
    struct choice *a = out;
    a->id = text_of(r, j, "id");
    a->label = words_of(r, j, "label", false);
    read_weights(r, j, a->weight);
    a->leads_to = branch_of(r, j, "goto");
    a->settings = json_get(j, "settings") ? member(r, j, "settings", JSON_OBJECT) : NULL;
    a->settings_of = a->settings ? text_of(r, j, "settings_of") : NULL;
    a->up_to = json_get(j, "up_to") ? number_of(r, j, "up_to", 0, 1e9) : NAN;
}

static void read_question(struct reader *r, const struct json *j, void *out)
{
    struct question *q = out;
    q->id = text_of(r, j, "id");
    q->branch = branch_of(r, j, "mode");
    q->order = (int)number_of(r, j, "order", 1, 99);
    q->title = words_of(r, j, "title", false);
    q->why = words_of(r, j, "why", false);
    if (count_of(r, j, "answers", 2, BOOK_MAX_ANSWERS))
        fill(r, j, "answers", q->answer, sizeof *q->answer, &q->n_answers, read_answer);
}

/* Conditions name questions by number, so the order must stand first. Stable: equal orders are never asked together. */
static void sort_questions(struct book *b)
{
    for (size_t i = 1; i < b->n_questions; i++)
        for (size_t k = i; k && b->question[k - 1].order > b->question[k].order; k--) {
            struct question swap = b->question[k];
            b->question[k] = b->question[k - 1];
            b->question[k - 1] = swap;
        }
}

static void read_ask_if(struct reader *r, const struct json *j, struct question *q)
{
    const struct json *ask = json_get(j, "ask_if");
    if (json_type(ask) != JSON_ARRAY)
        q->ask[q->n_ask++] = condition_of(r, j, "ask_if");
    else if (count_of(r, j, "ask_if", 1, BOOK_MAX_ALTERNATIVES))
        for (const struct json *a = json_first(ask); a; a = json_next(a))
            q->ask[q->n_ask++] = condition_from(r, "ask_if", json_string(a) ? json_string(a) : "");
    for (size_t i = 0; i < q->n_ask; i++)
        for (size_t t = 0; t < q->ask[i].n; t++)
            if (r->book->question[q->ask[i].term[t].question].order >= q->order)
                fault(r, "ask_if", N_("\"%s\" asks about a question that comes later"), q->ask[i].text);
}

static void read_asking(struct reader *r, const struct json *root)
{
    sort_questions(r->book);
    struct place before = enter(r, "questions", 0);
    long i = 0;
    for (const struct json *j = json_first(json_get(root, "questions")); j && !r->failed; j = json_next(j), i++) {
        struct place list = enter(r, NULL, i);
        read_ask_if(r, j, &r->book->question[book_question(r->book, optional_text(j, "id"))]);
        leave(r, list);
    }
    leave(r, before);
    const struct json *claims = member(r, root, "claims_by_question", JSON_OBJECT);
    before = enter(r, "claims_by_question", 0);
    for (const struct json *c = json_first(claims); c && !r->failed; c = json_next(c)) {
        struct question *q = &r->book->question[known(r, json_key(c), json_key(c), book_question(r->book, json_key(c)))];
        q->n_claims = claims_of(r, claims, json_key(c), q->claim);
    }
    leave(r, before);
}

/* ---- schemes and scores -------------------------------------------------------------------------------- */

static void read_scheme(struct reader *r, const struct json *j, void *out)
{
    struct scheme *s = out;
    s->id = text_of(r, j, "id");
    s->family = text_of(r, j, "family");
    s->name = words_of(r, j, "name", false);
    s->brief = words_of(r, j, "short", false);
    s->summary = words_of(r, j, "summary", false);
    s->encoding = optional_text(j, "encoding");
    s->tie_rank = -1;
}

static void read_criterion(struct reader *r, const struct json *j, void *out)
{
    struct criterion *c = out;
    c->id = text_of(r, j, "id");
    c->name = words_of(r, j, "name", false);
    c->brief = words_of(r, j, "short", false);
    c->view = optional_text(j, "view");
}

static double score_of(struct reader *r, const struct json *j)
{
    double score = number_of(r, j, "score", 0, WIZARD_MAX_SCORE);
    if (score != floor(score))
        fault(r, "score", N_("%g: must be a whole number"), score);
    return score;
}

static void read_matrix(struct reader *r, const struct json *root)
{
    struct book *b = r->book;
    b->cell = xcalloc(b->n_schemes * b->n_criteria + 1, sizeof *b->cell);
    struct place before = enter(r, "matrix", 0);
    long i = 0;
    for (const struct json *j = json_first(member(r, root, "matrix", JSON_ARRAY)); j && !r->failed; j = json_next(j), i++) {
        struct place list = enter(r, NULL, i);
        int s = scheme_of(r, j, "scheme");
        const char *id = text_of(r, j, "criterion");
        int c = known(r, "criterion", id, book_criterion(b, id));
        if (!r->failed) {
            struct rating *cell = &b->cell[(size_t)s * b->n_criteria + (size_t)c];
            if (cell->reason.in[0])
                fault(r, NULL, N_("%s %s stands twice"), b->scheme[s].id, id);
            *cell = (struct rating){score_of(r, j), words_of(r, j, "reason", false), evidence_of(r, j, "cite")};
        }
        leave(r, list);
    }
    for (size_t k = 0; k < b->n_schemes * b->n_criteria; k++)
        if (!b->cell[k].reason.in[0])
            fault(r, NULL, N_("%s %s is missing"), b->scheme[k / b->n_criteria].id, b->criterion[k % b->n_criteria].id);
    leave(r, before);
}

static void read_scoring(struct reader *r, const struct json *root)
{
    struct book *b = r->book;
    const struct json *scoring = member(r, root, "scoring", JSON_OBJECT);
    struct place before = enter(r, "scoring", 0);
    b->floor = number_of(r, scoring, "weights_floor", 0, 100);
    b->close_percent = number_of(r, scoring, "close_call_percent", 0, 100);
    const struct json *base = member(r, scoring, "base_weights", JSON_OBJECT);
    struct place inner = enter(r, "base_weights", 0);
    for (const struct json *w = json_first(base); w && !r->failed; w = json_next(w))
        b->criterion[known(r, json_key(w), json_key(w), book_criterion(b, json_key(w)))].base =
            number_of(r, base, json_key(w), 0, 100);
    leave(r, inner);
    leave(r, before);
}

static void read_ties(struct reader *r, const struct json *root)
{
    struct book *b = r->book;
    int rank = 0;
    for (const struct json *j = json_first(member(r, root, "tie_order", JSON_ARRAY)); j && !r->failed; j = json_next(j)) {
        const char *id = json_string(j) ? json_string(j) : "";
        struct scheme *s = &b->scheme[known(r, "tie_order", id, book_scheme(b, id))];
        if (s->tie_rank >= 0)
            fault(r, "tie_order", N_("\"%s\" stands twice"), id);
        s->tie_rank = rank++;
    }
    if ((size_t)rank != b->n_schemes)
        fault(r, "tie_order", N_("%d schemes: must name all %zu"), rank, b->n_schemes);
    /* The rules below the largest weight; the program implements them, the data words them. */
    if (book_criterion(b, "adopt") < 0 || book_criterion(b, "simple") < 0)
        fault(r, "criteria", N_("the tie rules need \"adopt\" and \"simple\""));
    const struct json *claims = member(r, root, "claims_by_scheme", JSON_OBJECT);
    struct place before = enter(r, "claims_by_scheme", 0);
    for (const struct json *c = json_first(claims); c && !r->failed; c = json_next(c)) {
        struct scheme *s = &b->scheme[known(r, json_key(c), json_key(c), book_scheme(b, json_key(c)))];
        s->n_claims = claims_of(r, claims, json_key(c), s->claim);
    }
    leave(r, before);
}

static void read_constraint(struct reader *r, const struct json *j, void *out)
{
    struct constraint *c = out;
    c->id = text_of(r, j, "id");
    c->when = condition_of(r, j, "when");
    const struct json *list = member(r, j, "exclude", JSON_ARRAY);
    for (const struct json *s = json_first(list); s && !r->failed; s = json_next(s)) {
        const char *id = json_string(s) ? json_string(s) : "";
        c->schemes |= 1u << known(r, "exclude", id, book_scheme(r->book, id));
    }
    c->reason = words_of(r, j, "reason", false);
    c->evidence = evidence_of(r, j, "cite");
}

static void read_override(struct reader *r, const struct json *j, void *out)
{
    struct score_override *o = out;
    o->id = text_of(r, j, "id");
    o->when = condition_of(r, j, "when");
    count_of(r, j, "set", 1, BOOK_MAX_CITES);
    struct place before = enter(r, "set", 0);
    for (const struct json *s = json_first(json_get(j, "set")); s && !r->failed; s = json_next(s)) {
        struct place inner = enter(r, NULL, (long)o->n);
        const char *id = text_of(r, s, "criterion");
        int c = known(r, "criterion", id, book_criterion(r->book, id));
        o->set[o->n++] = (struct setting){scheme_of(r, s, "scheme"), c, score_of(r, s)};
        leave(r, inner);
    }
    leave(r, before);
    o->reason = words_of(r, j, "reason", false);
    o->evidence = evidence_of(r, j, "cite");
}

/* ---- the checkpoint branch ----------------------------------------------------------------------------- */

static void read_method(struct reader *r, const struct json *j, void *out)
{
    struct method *m = out;
    m->id = text_of(r, j, "id");
    m->name = words_of(r, j, "name", true);
    m->formula = words_of(r, j, "formula", true);
    m->params = words_of(r, j, "params", true);
    m->use = words_of(r, j, "use", false);
    m->measured = words_of(r, j, "measured", false);
    m->note = optional_words(r, j, "note");
    m->evidence = evidence_of(r, j, "cite");
}

static void read_rule(struct reader *r, const struct json *j, void *out)
{
    struct rule *rule = out;
    rule->id = text_of(r, j, "id");
    rule->when = condition_of(r, j, "when");
    rule->result = text_of(r, j, "result");
    int m = FIND(r->book->method, r->book->n_methods, rule->result);
    rule->method = m < 0 ? NULL : &r->book->method[m];
    rule->name = rule->method ? rule->method->name : words_of(r, j, "result", false);
    rule->text = words_of(r, j, "text", false);
    rule->evidence = evidence_of(r, j, "cite");
}

static void read_short_rule(struct reader *r, const struct json *checkpoint)
{
    const struct json *j = member(r, checkpoint, "short_quality_rule", JSON_OBJECT);
    struct place before = enter(r, "short_quality_rule", 0);
    r->book->short_rule = (struct short_rule){condition_of(r, j, "when"), words_of(r, j, "text", false),
                                              words_of(r, j, "measured", false), evidence_of(r, j, "cite")};
    leave(r, before);
}

/* ---- the order of reading: later ones name things of earlier ones ------------------------------------- */

const struct part engine_parts[] = {
    STEP(NULL, read_meta),
    LIST(NULL, "citations", 1000, source, n_sources, read_source),
    LIST(NULL, "guide_claims", 1000, claim, n_claims, read_claim),
    LIST(NULL, "criteria", BOOK_MAX_CRITERIA, criterion, n_criteria, read_criterion),
    LIST(NULL, "schemes", BOOK_MAX_SCHEMES, scheme, n_schemes, read_scheme),
    LIST(NULL, "questions", BOOK_MAX_QUESTIONS, question, n_questions, read_question),
    STEP(NULL, read_asking),
    STEP(NULL, read_matrix),
    STEP(NULL, read_scoring),
    STEP(NULL, read_ties),
    LIST(NULL, "hard_constraints", 32, constraint, n_constraints, read_constraint),
    LIST(NULL, "score_overrides", 32, override, n_overrides, read_override),
    LIST("checkpoint", "methods", BOOK_MAX_RULES, method, n_methods, read_method),
    LIST("checkpoint", "rules", BOOK_MAX_RULES, rule, n_rules, read_rule),
    STEP("checkpoint", read_short_rule),
    {0},
};
