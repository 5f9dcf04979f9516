/* cope.c - contextual position: keys are counted by gates, not by tokens (Golovneva et al. 2024, arXiv 2405.18719).
 *
 *     gate g_j = sigmoid(q_i . k_j) for j <= i
 *     position p_j = min(sum over t = j..i of g_t, npos_max - 1)        p_i = g_i, not 0
 *     term = (1 - f) q_i . e[floor p] + f q_i . e[floor p + 1],  f = p - floor p
 *
 * e has one column a counted position, [d_head, npos_max], shared by the heads. The term is in logit units as it stands, without
 * 1/sqrt(d_head). The paper's gate has no 1/sqrt(d_head) either, listings usually pass scaled logits: gate_logits chooses.
 * Seeded columns have variance 1/d_head, so that the term has the size of scaled content. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"
#include "core/linear.h"
#include "core/logits.h"
#include "core/quantity.h"

enum { NPOS_MAX, GATE_LOGITS, POS_EMB, SEED };
enum { GATE_PLAIN, GATE_SCALED };

static const char *const gates[] = {"q.k", "q.k/sqrt(d)", NULL};
static const struct param params[] = {
    [NPOS_MAX] = {.name = "npos_max", .help = N_("columns of the table; counts are capped at the last"),
                  .type = PARAM_INT, .def = 64, .min = 1, .max = 65536},
    [GATE_LOGITS] = {.name = "gate_logits",
                     .help = N_("what the gate's sigmoid is given: as in the paper, or scaled as in listings"),
                     .type = PARAM_CHOICE, .def = GATE_PLAIN, .choices = gates},
    [POS_EMB] = {.name = "pos_emb", .help = N_("a column for each count, d_head x npos_max"), .type = PARAM_TABLE, .def = NAN},
    [SEED] = LINEAR_SEED,
};

struct state { double *e; };        /* [npos_max, d_head]: the table turned, so that a count's vector lies together */

static bool init(struct enc *e, struct err *err)
{
    struct state *s = e->state;
    size_t d = (size_t)e->shape.d_head, n = (size_t)enc_num(e, NPOS_MAX);
    struct table *t = linear_weights(e, POS_EMB, SEED, 1 / sqrt((double)d), 2, (size_t[]){d, n}, err);
    if (!t)
        return false;
    s->e = xmalloc(t->n * sizeof *s->e);
    for (size_t c = 0; c < d; c++)
        for (size_t p = 0; p < n; p++)
            s->e[p * d + c] = t->v[c * n + p];
    table_unref(t);
    return true;
}

static void done(struct enc *e)
{
    struct state *s = e->state;
    free(s->e);
}

/* Counts of all keys, from the query backwards: out[j] = p_j, 0 for keys after the query. Keys stand in the order of the
 * sequence and content is scale * q.k. */
static void count(const struct enc *e, double q_pos, const struct keys *k, double *out)
{
    double unscale = enc_num(e, GATE_LOGITS) == GATE_PLAIN ? 1 / e->scale : 1, sum = 0, last = enc_num(e, NPOS_MAX) - 1;
    for (size_t j = k->n; j-- > 0;) {
        bool allowed = k->pos[j] <= q_pos;
        if (allowed)
            sum += 1 / (1 + exp(-k->content[j] * unscale));
        out[j] = allowed ? fmin(sum, last) : 0;
    }
}

static void context(const struct enc *e, int term, int head, const struct query *q, const struct keys *k, double *out)
{
    (void)term, (void)head;
    const struct state *s = e->state;
    size_t d = (size_t)e->shape.d_head, last = (size_t)enc_num(e, NPOS_MAX) - 1, known = SIZE_MAX;
    double low = 0, high = 0;           /* q.e of the columns around the count, until it passes a whole number */
    count(e, *q->pos, k, out);
    for (size_t j = k->n; j-- > 0;) {
        if (k->pos[j] > *q->pos)
            continue;
        size_t p = (size_t)out[j];
        if (p != known) {
            low = linear_dot(q->vec, s->e + p * d, d);
            high = linear_dot(q->vec, s->e + (p < last ? p + 1 : last) * d, d);
            known = p;
        }
        double f = out[j] - (double)p;
        out[j] = (1 - f) * low + f * high;
    }
}

/* The inputs q and k, [n, d_head] each; an answer of n x n. */
static double *read_rows(const struct enc *e, const struct request *r, struct logits_side *q, struct logits_side *k,
                         struct answer *out, struct err *err)
{
    size_t d = (size_t)e->shape.d_head;
    const struct table *tq = request_need(r, "q", 2, (size_t[]){0, d}, err);
    const struct table *tk = tq ? request_need(r, "k", 2, (size_t[]){tq->dim[0], d}, err) : NULL;
    double *v = tk ? answer_new(out, 2, (size_t[]){tq->dim[0], tq->dim[0]}, err) : NULL;
    if (!v)
        return NULL;
    double *pos = logits_positions(0, tq->dim[0]);
    *q = (struct logits_side){.n = tq->dim[0], .pos = pos, .vec = tq->v};
    *k = (struct logits_side){.n = tk->dim[0], .pos = pos, .vec = tk->v};
    return v;
}

static bool q_positions(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    struct logits_side q, k;
    double *v = read_rows(e, r, &q, &k, out, err);
    if (!v)
        return false;
    double *content = xcalloc(q.n * k.n + 1, sizeof *content);
    logits_compute(e, 0, LOGITS_CONTENT, q, k, content);
    for (size_t i = 0; i < q.n; i++)
        count(e, q.pos[i], &(struct keys){.n = k.n, .pos = k.pos, .vec = k.vec, .content = content + i * k.n}, v + i * k.n);
    free(content);
    free((double *)q.pos);
    return true;
}

static bool q_bias(const struct enc *e, const struct request *r, struct answer *out, struct err *err)
{
    struct logits_side q, k;
    double *v = read_rows(e, r, &q, &k, out, err);
    if (!v)
        return false;
    logits_compute(e, 0, LOGITS_TERM_0, q, k, v);
    free((double *)q.pos);
    return true;
}

static const struct quantity quantities[] = {
    {.name = "positions", .help = N_("count of each key as the query sees it, from inputs q and k"), .compute = q_positions},
    {.name = "bias", .help = N_("the term of each pair, from inputs q and k"), .compute = q_bias},
};

static const char *const terms[] = {N_("query to counted position"), NULL};

static double weights(const struct enc *e)
{
    return enc_num(e, NPOS_MAX) * e->shape.d_head;
}

const struct encoding encoding_cope = {
    .id = "cope",
    .title = N_("CoPE"),
    .help = N_("Position is counted by content: each key opens a gate for the query, and a key's position is the sum of "
               "the gates from it up to the query. A head can so address the third word or the last sentence instead of "
               "the token 17 back."),
    .year = 2024,
    .cite = "Golovneva et al. 2024 (arXiv 2405.18719)",
    .params = params, .n_params = sizeof params / sizeof *params,
    .quantities = quantities, .n_quantities = sizeof quantities / sizeof *quantities,
    .terms = terms,
    .axes = 1,
    .state_size = sizeof(struct state),
    .promises = PROMISE_NEEDS_TABLE,
    .init = init,
    .done = done,
    .context = context,
    .weights = weights,
};
