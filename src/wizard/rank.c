/* rank.c - the evidence branch: weights from the answers, scores with overrides, constraints, order, ties, and what one other
 * answer would change (wizard.h holds the formula). */
#include <math.h>
#include <string.h>

#include "wizard/wizard.h"

static void add_weights(const struct book *b, const struct walk *w, const signed char *given, struct ranking *out)
{
    out->weight_sum = 0;
    for (size_t c = 0; c < b->n_criteria; c++) {
        double weight = b->criterion[c].base;
        for (size_t q = 0; q < b->n_questions; q++)
            if (given[q] >= 0)
                weight += b->question[q].answer[given[q]].weight[c];
        out->weight[c] = isnan(w->weight[c]) ? fmax(b->floor, weight) : w->weight[c];
        out->weight_sum += out->weight[c];
    }
}

static void set_scores(const struct book *b, const signed char *given, struct ranking *out)
{
    for (size_t s = 0; s < b->n_schemes; s++)
        for (size_t c = 0; c < b->n_criteria; c++)
            out->score[s][c] = book_cell(b, (int)s, (int)c)->score;
    for (size_t i = 0; i < b->n_overrides; i++) {
        const struct score_override *o = &b->override[i];
        if (!condition_holds(&o->when, given))
            continue;
        out->overrides |= 1u << i;
        for (size_t k = 0; k < o->n; k++) {
            out->score[o->set[k].scheme][o->set[k].criterion] = o->set[k].score;
            out->overridden[o->set[k].scheme] |= 1u << o->set[k].criterion;
        }
    }
}

static void remove_schemes(const struct book *b, const signed char *given, struct ranking *out)
{
    for (size_t i = 0; i < b->n_constraints; i++)
        for (size_t s = 0; s < b->n_schemes; s++)
            if (((b->constraint[i].schemes >> s) & 1) && condition_holds(&b->constraint[i].when, given))
                out->removed_by[s] |= 1u << i;
}

double ranking_points(const struct book *b, const struct ranking *r, int scheme)
{
    double points = 0;
    for (size_t c = 0; c < b->n_criteria; c++)
        points += r->weight[c] * r->score[scheme][c];
    return points;
}

static int heaviest_criterion(const struct book *b, const struct ranking *r)
{
    size_t best = 0;
    for (size_t c = 1; c < b->n_criteria; c++)
        if (r->weight[c] > r->weight[best])
            best = c;
    return (int)best;
}

/* The tie rule that puts one of two schemes of equal points first; *first is which. The fixed order always decides. */
static int tie_break(const struct book *b, const struct ranking *r, int one, int two, int *first)
{
    const int criterion[] = {heaviest_criterion(b, r), book_criterion(b, "adopt"), book_criterion(b, "simple")};
    for (int rule = 0; rule < 3; rule++) {
        double difference = r->score[one][criterion[rule]] - r->score[two][criterion[rule]];
        if (difference != 0) {
            *first = difference > 0 ? one : two;
            return rule + 1;
        }
    }
    *first = b->scheme[one].tie_rank < b->scheme[two].tie_rank ? one : two;
    return 4;
}

static bool goes_before(const struct book *b, const struct ranking *r, const struct ranked *one, const struct ranked *two)
{
    int first;
    if (one->points != two->points)
        return one->points > two->points;
    tie_break(b, r, one->scheme, two->scheme, &first);
    return first == one->scheme;
}

static void insert(const struct book *b, struct ranking *r, struct ranked row)
{
    size_t i = r->n++;
    for (; i && goes_before(b, r, &row, &r->row[i - 1]); i--)
        r->row[i] = r->row[i - 1];
    r->row[i] = row;
}

void wizard_rank(const struct book *b, const struct walk *w, struct ranking *out)
{
    signed char given[BOOK_MAX_QUESTIONS];
    memset(out, 0, sizeof *out);
    walk_given(b, w, given, NULL);
    add_weights(b, w, given, out);
    set_scores(b, given, out);
    remove_schemes(b, given, out);
    for (size_t s = 0; s < b->n_schemes; s++) {
        double points = ranking_points(b, out, (int)s);
        double percent = out->weight_sum > 0 ? 100 * points / (WIZARD_MAX_SCORE * out->weight_sum) : 0;
        if (!out->removed_by[s])
            insert(b, out, (struct ranked){(int)s, points, percent});
    }
    if (out->n < 2)
        return;
    int first;
    out->close = out->row[0].percent - out->row[1].percent < b->close_percent;
    if (out->row[0].points == out->row[1].points)
        out->tie_rule = tie_break(b, out, out->row[0].scheme, out->row[1].scheme, &first);
}

size_t ranking_reasons(const struct book *b, const struct ranking *r, int scheme, int *criterion, size_t max)
{
    size_t n = 0;
    for (size_t c = 0; c < b->n_criteria; c++) {
        double share = r->weight[c] * r->score[scheme][c];
        if (share <= 0)
            continue;
        size_t i = n;
        for (; i && share > r->weight[criterion[i - 1]] * r->score[scheme][criterion[i - 1]]; i--)
            if (i < max)
                criterion[i] = criterion[i - 1];
        if (i < max)
            criterion[i] = (int)c;
        n += n < max;
    }
    return n;
}

/* ---- what would change it ------------------------------------------------------------------------------ */

static int winner(const struct book *b, const struct walk *w)
{
    if (walk_branch(b, w) == BRANCH_CHECKPOINT)
        return wizard_rule(b, w);
    struct ranking r;
    wizard_rank(b, w, &r);
    return r.n ? r.row[0].scheme : -1;
}

size_t wizard_changes(const struct book *b, const struct walk *w, struct change out[WIZARD_MAX_CHANGES])
{
    size_t n = 0;
    signed char given[BOOK_MAX_QUESTIONS];
    int now = winner(b, w);
    walk_given(b, w, given, NULL);
    for (size_t q = 0; q < b->n_questions; q++) {
        if (given[q] < 0 || b->question[q].branch == BRANCH_NONE)
            continue;
        for (size_t a = 0; a < b->question[q].n_answers; a++) {
            struct walk other = *w;
            other.answer[q] = (signed char)a;
            int then = winner(b, &other);
            if (then != now)
                out[n++] = (struct change){(int)q, (int)a, then, walk_next(b, &other) != WIZARD_DONE};
        }
    }
    return n;
}
