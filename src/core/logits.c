#include "core/logits.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/linear.h"

static void add(double *out, const double *x, size_t n)
{
    for (size_t j = 0; j < n; j++)
        out[j] += x[j];
}

void logits_compute(const struct enc *e, int head, unsigned parts, struct logits_side q, struct logits_side k, double *out)
{
    size_t d = (size_t)e->shape.d_head, axes = (size_t)e->axes;
    double *content = xcalloc(2 * k.n + 1, sizeof *content), *part = content + k.n;
    for (size_t i = 0; i < q.n; i++) {
        struct query query = {.pos = q.pos + i * axes, .vec = q.vec + i * d};
        struct keys keys = {.n = k.n, .pos = k.pos, .vec = k.vec, .content = content};
        double *row = out + i * k.n;
        for (size_t j = 0; j < k.n; j++) {
            content[j] = e->scale * linear_dot(query.vec, k.vec + j * d, d);
            row[j] = parts & LOGITS_CONTENT ? content[j] : 0;
        }
        for (int t = 0; e->kind->terms && e->kind->terms[t]; t++) {
            if (!(parts & (unsigned)LOGITS_TERM_0 << t))
                continue;
            e->kind->context(e, t, head, &query, &keys, part);
            add(row, part, k.n);
        }
        if (parts & LOGITS_BIAS && e->kind->bias) {
            e->kind->bias(e, head, query.pos, k.pos, k.n, part);
            add(row, part, k.n);
        }
    }
    free(content);
}

void logits_head(const struct enc *e, int head, const double *x, size_t n, double *out)
{
    size_t d = (size_t)e->shape.d_head, all = (size_t)e->shape.n_heads * d;
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * d, x + i * all + (size_t)head * d, d * sizeof *out);
}

double *logits_positions(double from, size_t n)
{
    double *pos = xcalloc(n + 1, sizeof *pos);
    for (size_t i = 0; i < n; i++)
        pos[i] = from + (double)i;
    return pos;
}
