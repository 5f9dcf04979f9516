/* read_guide.c - the part of the wizard's data that is shown: the selection guide, its models and trends, measurements, gaps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "wizard/reader.h"

/* ---- the guide --------------------------------------------------------------------------------------- */

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

/* ---- notes ------------------------------------------------------------------------------------------- */

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

const struct part guide_parts[] = {
    LIST(NULL, "scenarios", BOOK_MAX_RULES, situation, n_situations, read_situation),
    LIST("guide_table", "rows", BOOK_MAX_RULES, guide_row, n_guide_rows, read_guide_row),
    LIST(NULL, "measurements", BOOK_MAX_RULES, measurement, n_measurements, read_measurement),
    LIST(NULL, "models", 1000, model, n_models, read_model),
    LIST(NULL, "trends", BOOK_MAX_RULES, trend, n_trends, read_trend),
    LIST(NULL, "computed_checks", BOOK_MAX_RULES, check, n_checks, read_check),
    STEP(NULL, read_notes),
    {0},
};
