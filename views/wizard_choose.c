/* wizard_choose.c - what Enter does with a row of the wizard: an answer, another page, the view that shows what the row speaks of. */
#include "wizard_here.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "jump.h"

static bool choose_answer(struct scenario *s, const struct here *h, const struct row *r)
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

static const struct {
    bool (*choose)(struct scenario *s, const struct here *h, const struct row *r);          /* NULL: nothing to do */
    bool on_click;                      /* a click chooses */
} rules[ROW_KIND_COUNT] = {
    [ROW_CHOICE] = {choose_answer, true},
    [ROW_LENGTHS] = {choose_lengths, true},
    [ROW_ANSWERED] = {choose_answered, true},
    [ROW_SCHEME] = {see_scheme, false},
    [ROW_SITUATION] = {see_situation, false},
    [ROW_PRESET] = {choose_preset, false},
    [ROW_TABLE] = {see_guide, false},
    [ROW_RULE] = {see_spectrum, false},
    [ROW_METHOD] = {see_spectrum, false},
    [ROW_FACTOR] = {see_spectrum, false},
    [ROW_REASON] = {see_reason, false},
    [ROW_CLAIM] = {see_claim, false},
    [ROW_CHANGE] = {choose_answer, false},
    [ROW_EXTEND] = {choose_extend, false},
    [ROW_CRITERION] = {see_criterion, false},
};

bool row_choose(struct scenario *s, const struct here *h, const struct row *r, enum choose how)
{
    bool wanted = how == CHOOSE_BY_KEY || rules[r->kind].on_click == (how == CHOOSE_BY_CLICK);
    return rules[r->kind].choose && wanted && rules[r->kind].choose(s, h, r);
}
