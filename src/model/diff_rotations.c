/* diff_rotations.c - rotations are compared by their frequencies at every length that the files name, so that scalings which act beyond the
 * trained length are seen. */
#include "model/diff_parts.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "core/measure.h"

struct layer *diff_open(const struct layer_facts *k, double length)
{
    struct shape shape = k->shape;
    shape.length = fmax(length, 1);
    return layer_open(k->item, k->n_items, &shape, NULL);
}

const struct spectrum *diff_spectrum(const struct layer *l)
{
    const struct enc *e = l ? layer_rotate(l) : NULL;
    return e && e->kind->spectrum ? e->kind->spectrum(e) : NULL;
}

/* Pair by pair the same speed, with the same coordinate of the position. */
static bool same_spectrum(const struct spectrum *x, const struct spectrum *y, double tolerance)
{
    if (!x || !y || x->n != y->n)
        return x == y;
    for (size_t k = 0; k < x->n; k++)
        if (!diff_near(x->inv_freq[k], y->inv_freq[k], tolerance) || (x->axis ? x->axis[k] : 0) != (y->axis ? y->axis[k] : 0))
            return false;
    return true;
}

size_t diff_lengths(const struct sides *s, double out[4])
{
    const double all[] = {s->a->trained_context, s->b->trained_context, s->a->context, s->b->context};
    size_t n = 0;
    for (size_t i = 0; i < 4; i++) {
        size_t at = n;
        if (isnan(all[i]))
            continue;
        while (at && out[at - 1] > all[i])
            at--;
        if (at && out[at - 1] == all[i])
            continue;
        memmove(out + at + 1, out + at, (n - at) * sizeof *out);
        out[at] = all[i];
        n++;
    }
    if (!n)
        out[n++] = 1;
    return n;
}

double diff_length(const struct sides *s, const struct layer_facts *x, const struct layer_facts *y)
{
    double length[4], found = NAN;
    size_t n = diff_lengths(s, length);
    for (size_t i = 0; i < n && isnan(found); i++) {
        struct layer *a = diff_open(x, length[i]), *b = diff_open(y, length[i]);
        if (!same_spectrum(diff_spectrum(a), diff_spectrum(b), s->d->tolerance))
            found = length[i];
        layer_close(a);
        layer_close(b);
    }
    return found;
}

static void list_pairs(struct diff *d, const struct spectrum *x, const struct spectrum *y)
{
    d->pair = xcalloc(x->n, sizeof *d->pair);
    for (size_t k = 0; k < x->n; k++)
        if (!diff_near(x->inv_freq[k], y->inv_freq[k], d->tolerance))
            d->pair[d->n_pairs++] = (struct diff_pair){k, x->inv_freq[k], y->inv_freq[k]};
}

static void list_cosines(struct diff *d, const struct spectrum *x, const struct spectrum *y, double longest)
{
    enum { POWERS = 42 };
    d->cosine = xcalloc(POWERS, sizeof *d->cosine);
    for (double p = 1; p < longest && d->n_cosines < POWERS - 1; p *= 2)
        d->cosine[d->n_cosines++] = (struct diff_cosine){p, measure_rotation_cosine(x, y, p)};
    d->cosine[d->n_cosines++] = (struct diff_cosine){longest, measure_rotation_cosine(x, y, longest)};
}

void diff_measure(const struct sides *s, const struct layer_facts *x, const struct layer_facts *y, int layer, double length)
{
    struct layer *a = diff_open(x, length), *b = diff_open(y, length);
    const struct spectrum *p = diff_spectrum(a), *q = diff_spectrum(b);
    double longest = fmax(fmax(s->a->context, s->b->context), fmax(s->a->trained_context, s->b->trained_context));
    s->d->layer = layer;
    s->d->length = length;
    if (p && q && p->n == q->n) {
        s->d->n_rotated = p->n;
        list_pairs(s->d, p, q);
        list_cosines(s->d, p, q, isnan(longest) ? 1 : longest);
    }
    layer_close(a);
    layer_close(b);
}
