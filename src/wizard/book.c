/* book.c - looks things up in the wizard's data. */
#include <stdio.h>
#include <stdlib.h>

#include "wizard/find.h"
#include "wizard/wizard.h"

const char *const branch_names[] = {"", "document", "evidence", "checkpoint"};
const char *const guide_columns[GUIDE_COLUMNS] = {"absolute", "relative", "rope", "alibi"};
const char *const verdict_ids[] = {"supported", "contested", "wrong", "imprecise", "unverified"};
const char *const verdict_titles[] = {N_("supported"), N_("contested"), N_("wrong"), N_("imprecise"), N_("unverified")};

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

const char *words_in(struct words w, enum lang lang)
{
    return w.in[lang] ? w.in[lang] : "";
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

bool condition_holds(const struct condition *c, const signed char *given)
{
    for (size_t i = 0; i < c->n; i++) {
        int a = given[c->term[i].question];
        if (a < 0 || ((c->term[i].answers >> a) & 1) != c->term[i].is)
            return false;
    }
    return true;
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
