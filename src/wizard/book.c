/* book.c - reads and checks the wizard's data (reader.h). */
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/preset.h"
#include "wizard/reader.h"

const char *const branch_names[] = {"", "document", "evidence", "checkpoint"};
const char *const verdict_ids[] = {"supported", "contested", "wrong", "imprecise", "unverified"};
const char *const verdict_titles[] = {N_("supported"), N_("contested"), N_("wrong"), N_("imprecise"), N_("unverified")};
static const char *const guide_columns[GUIDE_COLUMNS] = {"absolute", "relative", "rope", "alibi"};

/* ---- finding by id ------------------------------------------------------------------------------------- */

int book_scheme(const struct book *b, const char *id) { return FIND(b->scheme, b->n_schemes, id); }
int book_question(const struct book *b, const char *id) { return FIND(b->question, b->n_questions, id); }
int book_criterion(const struct book *b, const char *id) { return FIND(b->criterion, b->n_criteria, id); }

const struct situation *book_situation(const struct book *b, const char *id)
{
    int i = FIND(b->situation, b->n_situations, id);
    return i < 0 ? NULL : &b->situation[i];
}

const struct claim *book_claim(const struct book *b, const char *id)
{
    int i = FIND(b->claim, b->n_claims, id);
    return i < 0 ? NULL : &b->claim[i];
}

const struct rating *book_cell(const struct book *b, int scheme, int criterion)
{
    return &b->cell[(size_t)scheme * b->n_criteria + (size_t)criterion];
}

static int scheme_of(struct reader *r, const struct json *j, const char *key)
{
    const char *id = text_of(r, j, key);
    return known(r, key, id, book_scheme(r->book, id));
}
/* ---- evidence ------------------------------------------------------------------------------------------ */

static const struct via *via_named(struct reader *r, const struct json *j)
{
    const char *id = text_of(r, j, "verified_via");
    int i = known(r, "verified_via", id, FIND(r->book->via, r->book->n_vias, id));
    return r->book->n_vias ? &r->book->via[i] : NULL;
}

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

/* Sources at key; their state of verification is stated beside them or that of the weakest. */
static struct evidence evidence_of(struct reader *r, const struct json *j, const char *key)
{
    struct evidence e = {0};
    count_of(r, j, key, 1, BOOK_MAX_CITES);
    for (const struct json *c = json_first(json_get(j, key)); c && !r->failed; c = json_next(c)) {
        const char *id = json_string(c) ? json_string(c) : "";
        int i = known(r, key, id, FIND(r->book->source, r->book->n_sources, id));
        if (r->failed)
            break;
        const struct source *s = e.source[e.n++] = &r->book->source[i];
        if (!e.via || s->via->weakness > e.via->weakness)
            e.via = s->via;
    }
    if (json_get(j, "verified_via"))
        e.via = via_named(r, j);
    e.unverified = json_bool(json_get(j, "unverified"), false) || (e.via && strcmp(e.via->id, "unverified") == 0);
    return e;
}

char *evidence_text(char *out, size_t size, const struct evidence *e, enum lang lang)
{
    size_t at = 0;
    out[0] = '\0';
    for (size_t i = 0; i < e->n && at < size; i++)
        at += (size_t)snprintf(out + at, size - at, "%s%s, %s (%s)", i ? "; " : "", e->source[i]->name, e->source[i]->locator,
                               e->source[i]->via->brief.in[lang]);
    if (e->unverified && at < size)
        snprintf(out + at, size - at, "; %s", lang_text(lang, N_("partly unverified")));
    return out;
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

/* Claims named by a list. */
static size_t claims_of(struct reader *r, const struct json *object, const char *key, const struct claim **out)
{
    size_t n = 0;
    count_of(r, object, key, 0, BOOK_MAX_CLAIMS);
    for (const struct json *j = json_first(json_get(object, key)); j && !r->failed; j = json_next(j)) {
        const char *id = json_string(j) ? json_string(j) : "";
        out[n] = book_claim(r->book, id);
        known(r, key, id, out[n++] ? 0 : -1);
    }
    return n;
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

bool condition_holds(const struct condition *c, const signed char *given)
{
    for (size_t i = 0; i < c->n; i++) {
        int a = given[c->term[i].question];
        if (a < 0 || ((c->term[i].answers >> a) & 1) != c->term[i].is)
            return false;
    }
    return true;
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
    s->summary = words_of(r, j, "summary", false);
    s->encoding = optional_text(j, "encoding");
    s->tie_rank = -1;
}

static void read_criterion(struct reader *r, const struct json *j, void *out)
{
    struct criterion *c = out;
    c->id = text_of(r, j, "id");
    c->name = words_of(r, j, "name", false);
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

/* ---- the guide: situations, table, trends, measurements ------------------------------------------------ */

static void read_situation(struct reader *r, const struct json *j, void *out)
{
    struct situation *s = out;
    s->id = text_of(r, j, "id");
    s->section = text_of(r, j, "section");
    s->name = words_of(r, j, "name", false);
    s->scheme = scheme_of(r, j, "document");
    s->label = words_of(r, j, "document_label", false);
    s->reason = words_of(r, j, "reason", false);
    s->note = words_of(r, j, "evidence_note", false);
    s->evidence = evidence_of(r, j, "evidence_cite");
    s->n_claims = claims_of(r, j, "claims", s->claim);
    s->agrees = json_bool(member(r, j, "agrees", JSON_BOOL), false);
    walk_init(&s->preset);
    const struct json *preset = member(r, j, "evidence_preset", JSON_OBJECT);
    struct place before = enter(r, "evidence_preset", 0);
    for (const struct json *a = json_first(preset); a && !r->failed; a = json_next(a)) {
        struct err inner = {.lang = r->err ? r->err->lang : LANG_EN};
        if (!walk_answer(r->book, &s->preset, json_key(a), json_string(a) ? json_string(a) : "", &inner))
            fault(r, json_key(a), N_("%s"), inner.text);
    }
    walk_infer(r->book, &s->preset);
    if (!r->failed && walk_next(r->book, &s->preset) != WIZARD_DONE)
        fault(r, NULL, N_("leaves question \"%s\" open"), r->book->question[walk_next(r->book, &s->preset)].id);
    leave(r, before);
}

static void read_guide_row(struct reader *r, const struct json *j, void *out)
{
    struct guide_row *row = out;
    row->id = text_of(r, j, "id");
    row->name = words_of(r, j, "name", false);
    const struct json *zh = member(r, j, "values", JSON_OBJECT), *en = member(r, j, "values_en", JSON_OBJECT);
    const struct json *scores = json_get(j, "scores"), *claims = member(r, j, "column_claims", JSON_OBJECT);
    for (size_t c = 0; c < GUIDE_COLUMNS; c++) {
        const char *claim = optional_text(claims, guide_columns[c]);
        row->of[c] = claim ? book_claim(r->book, claim) : NULL;
        if (claim)
            known(r, "column_claims", claim, row->of[c] ? 0 : -1);
        row->value[c] = (struct words){{text_of(r, en, guide_columns[c]), text_of(r, zh, guide_columns[c])}};
        row->score[c] = json_number(json_get(scores, guide_columns[c]), NAN);
    }
    row->n_claims = claims_of(r, j, "claims", row->claim);
}

static void read_model(struct reader *r, const struct json *j, void *out)
{
    struct model *m = out;
    m->name = text_of(r, j, "name");
    m->year = (int)number_of(r, j, "year", 2000, 2100);
    m->scheme = scheme_of(r, j, "scheme");
    m->kind = words_of(r, j, "kind", false);
    m->detail = words_of(r, j, "detail", true);
    m->evidence = evidence_of(r, j, "cite");
}

static void read_trend(struct reader *r, const struct json *j, void *out)
{
    struct trend *t = out;
    t->id = text_of(r, j, "id");
    t->text = words_of(r, j, "text", false);
    t->measured = words_of(r, j, "measured", false);
    t->evidence = evidence_of(r, j, "cite");
    const char *claim = text_of(r, j, "claim");
    t->claim = book_claim(r->book, claim);
    known(r, "claim", claim, t->claim ? 0 : -1);
    count_of(r, j, "models", 0, BOOK_MAX_CLAIMS);
    for (const struct json *m = json_first(json_get(j, "models")); m && !r->failed; m = json_next(m)) {
        const char *name = json_string(m) ? json_string(m) : "";
        /* Models have no id; their name stands first. */
        t->model[t->n_models++] = &r->book->model[known(r, "models", name, FIND(r->book->model, r->book->n_models, name))];
    }
}

/* A value of a measurement is a number, a text such as ">1e4", or null: not measured. */
static void read_value(struct reader *r, const struct json *j, const char *key, struct measured_row *row, size_t column)
{
    row->value[column] = json_number(j, NAN);
    row->text[column] = json_string(j);
    if (json_type(j) != JSON_NUMBER && json_type(j) != JSON_STRING && json_type(j) != JSON_NULL)
        wrong_type(r, key, j, N_("a number, a text or null"));
}

static void read_measured_rows(struct reader *r, const struct json *j, struct measurement *m)
{
    const char *key = m->curves ? "series" : "rows";
    const struct json *rows = member(r, j, key, JSON_OBJECT), *zh = json_get(j, "rows_zh");
    m->row = xcalloc(json_size(rows) + 1, sizeof *m->row);
    struct place before = enter(r, key, 0);
    for (const struct json *row = json_first(rows); row && !r->failed; row = json_next(row)) {
        struct measured_row *out = &m->row[m->n_rows++];
        const char *name = json_key(row), *chinese = optional_text(zh, name);
        int scheme = book_scheme(r->book, name);
        out->name = scheme >= 0 ? r->book->scheme[scheme].name : (struct words){{name, chinese ? chinese : name}};
        if (json_size(row) != m->n_columns)
            fault(r, name, N_("%zu values for %zu columns"), json_size(row), m->n_columns);
        size_t c = 0;
        for (const struct json *v = json_first(row); v && !r->failed; v = json_next(v))
            read_value(r, v, name, out, c++);
    }
    leave(r, before);
}

static void read_columns(struct reader *r, const struct json *j, struct measurement *m)
{
    const char *key = m->curves ? "x" : "columns";
    const struct json *zh = json_first(json_get(j, "columns_zh"));
    count_of(r, j, key, 1, BOOK_MAX_COLUMNS);
    for (const struct json *c = json_first(json_get(j, key)); c && !r->failed; c = json_next(c), zh = zh ? json_next(zh) : NULL) {
        size_t i = m->n_columns++;
        const char *en = json_string(c);
        m->x[i] = json_number(c, NAN);
        m->column[i] = (struct words){{en, zh ? json_string(zh) : en}};
        if (!en && isnan(m->x[i]))
            wrong_type(r, key, c, N_("a number"));
    }
}

static void read_measurement(struct reader *r, const struct json *j, void *out)
{
    struct measurement *m = out;
    m->id = text_of(r, j, "id");
    m->locator = text_of(r, j, "locator");
    m->title = words_of(r, j, "title", false);
    m->note = optional_words(r, j, "note");
    m->evidence = evidence_of(r, j, "cite");
    m->curves = json_get(j, "series") != NULL;
    read_columns(r, j, m);
    read_measured_rows(r, j, m);
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

/* ---- the whole ----------------------------------------------------------------------------------------- */

/* Two lists of texts beside each other, KEY and KEY_zh. */
static struct words *word_list(struct reader *r, const struct json *root, const char *key, size_t *n)
{
    char zh_key[48];
    snprintf(zh_key, sizeof zh_key, "%s_zh", key);
    const struct json *en = member(r, root, key, JSON_ARRAY), *zh = member(r, root, zh_key, JSON_ARRAY);
    *n = json_size(en);
    if (json_size(zh) != *n)
        fault(r, zh_key, N_("%zu entries, but %s has %zu"), json_size(zh), key, *n);
    struct words *out = xcalloc(*n + 1, sizeof *out);
    const struct json *e = json_first(en), *z = json_first(zh);
    for (size_t i = 0; e && z && !r->failed; e = json_next(e), z = json_next(z), i++) {
        out[i] = (struct words){{json_string(e), json_string(z)}};
        if (!out[i].in[LANG_EN] || !out[i].in[LANG_ZH])
            wrong_type(r, out[i].in[LANG_EN] ? zh_key : key, out[i].in[LANG_EN] ? z : e, N_("a text"));
    }
    return out;
}

static void read_notes(struct reader *r, const struct json *root)
{
    r->book->gap = word_list(r, root, "gaps", &r->book->n_gaps);
    r->book->tie_rule = word_list(r, root, "tie_rules", &r->book->n_tie_rules);
}

static void read_check(struct reader *r, const struct json *j, void *out)
{
    *(struct words *)out = words_of(r, j, "what", false);
}

/* A question whose answers change nothing: the result must say that it did not count. */
static bool weightless(const struct book *b, size_t question)
{
    const struct question *q = &b->question[question];
    if (q->branch != BRANCH_EVIDENCE)
        return false;
    for (size_t a = 0; a < q->n_answers; a++)
        for (size_t c = 0; c < b->n_criteria; c++)
            if (q->answer[a].weight[c] != 0)
                return false;
    const struct condition *all[2 * BOOK_MAX_RULES];
    size_t n = 0;
    for (size_t i = 0; i < b->n_constraints; i++)
        all[n++] = &b->constraint[i].when;
    for (size_t i = 0; i < b->n_overrides; i++)
        all[n++] = &b->override[i].when;
    for (size_t i = 0; i < n; i++)
        for (size_t t = 0; t < all[i]->n; t++)
            if ((size_t)all[i]->term[t].question == question)
                return false;
    return true;
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

/* The parts in the order of reading: later ones name things of earlier ones. A part is a list in the data that becomes an array
 * of the book, or a step of its own. */
struct part {
    const char *parent, *key;
    size_t max, size, array, n;                 /* offsets in struct book */
    void (*element)(struct reader *r, const struct json *j, void *out);
    void (*step)(struct reader *r, const struct json *parent);
};
#define LIST(parent, key, max, array, n, element) \
    {parent, key, max, sizeof *((struct book *)0)->array, offsetof(struct book, array), offsetof(struct book, n), element, NULL}
#define STEP(parent, step) {parent, NULL, 0, 0, 0, 0, NULL, step}
static const struct part parts[] = {
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
    LIST(NULL, "scenarios", BOOK_MAX_RULES, situation, n_situations, read_situation),
    LIST("checkpoint", "methods", BOOK_MAX_RULES, method, n_methods, read_method),
    LIST("checkpoint", "rules", BOOK_MAX_RULES, rule, n_rules, read_rule),
    STEP("checkpoint", read_short_rule),
    LIST("guide_table", "rows", BOOK_MAX_RULES, guide_row, n_guide_rows, read_guide_row),
    LIST(NULL, "measurements", BOOK_MAX_RULES, measurement, n_measurements, read_measurement),
    LIST(NULL, "models", 1000, model, n_models, read_model),
    LIST(NULL, "trends", BOOK_MAX_RULES, trend, n_trends, read_trend),
    LIST(NULL, "computed_checks", BOOK_MAX_RULES, check, n_checks, read_check),
    STEP(NULL, read_notes),
};

static void read_part(struct reader *r, const struct json *root, const struct part *p)
{
    const struct json *parent = p->parent ? member(r, root, p->parent, JSON_OBJECT) : root;
    struct place before = {strlen(r->path)};
    if (p->parent)
        before = enter(r, p->parent, 0);
    if (p->step) {
        p->step(r, parent);
    } else {
        char *book = (char *)r->book;
        void *array = xcalloc(count_of(r, parent, p->key, 1, p->max) + 1, p->size);
        memcpy(book + p->array, &array, sizeof array);
        fill(r, parent, p->key, array, p->size, (size_t *)(void *)(book + p->n), p->element);
    }
    leave(r, before);
}

struct book *wizard_load(struct json *json, struct err *err)
{
    struct book *b = xcalloc(1, sizeof *b);
    b->json = json;
    struct reader r = {.book = b, .err = err};
    if (json_type(json) != JSON_OBJECT)
        wrong_type(&r, NULL, json, N_("an object"));
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !r.failed; i++)
        read_part(&r, json, &parts[i]);
    if (!r.failed) {
        for (size_t q = 0; q < b->n_questions; q++)
            b->question[q].weightless = weightless(b, q);
        return b;
    }
    wizard_free(b);
    return NULL;
}

void wizard_free(struct book *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->n_measurements; i++)
        free(b->measurement[i].row);
    void *const owned[] = {b->via, b->source, b->claim, b->criterion, b->scheme, b->cell, b->question, b->constraint, b->override,
                           b->situation, b->method, b->rule, b->guide_row, b->measurement, b->model, b->trend, b->check, b->gap,
                           b->tie_rule};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    json_free(b->json);
    free(b);
}

static struct book *built_in;
static struct err built_in_err;

static void load_built_in(void)
{
    const struct preset *p = presets;
    while (p->id && strcmp(p->id, "wizard") != 0)
        p++;
    struct json *json = p->id ? json_parse(p->text, p->size, &built_in_err) : NULL;
    if (json)
        built_in = wizard_load(json, &built_in_err);
}

const struct book *wizard_book(struct err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_built_in);
    if (!built_in)
        err_set(err, "%s", built_in_err.text);
    return built_in;
}
