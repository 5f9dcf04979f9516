/* field.c - a score as a function of (query, key): what form it has, and its exact values.
 *
 * A closed form by distance is taken only if it agrees with the hooks at a few pairs: the hooks are the definition. */
#include "core/field_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/blas.h"

enum { RUN = 64 };      /* tokens whose features are made at once */

/* ---- positions and features --------------------------------------------------------------------------- */

static bool has_position(const struct field *f, double token)
{
    const struct table *t = f->options.positions;
    return !t || (token >= 0 && token < (double)t->dim[0]);
}

/* n x e->axes. A table with one coordinate serves every axis. */
static void positions(const struct field *f, const struct enc *e, const double *token, size_t n, double *out)
{
    const struct table *t = f->options.positions;
    size_t axes = (size_t)e->axes, given = t ? t->n / t->dim[0] : 0;
    if (!t)
        enc_places(e, token, n, out);
    for (size_t i = 0; t && i < n; i++)
        for (size_t a = 0; a < axes; a++)
            out[i * axes + a] = has_position(f, token[i]) ? t->v[(size_t)token[i] * given + (given > 1 ? a : 0)] : NAN;
}

/* n x d_model: what the layer adds to the input. */
static void rows(const struct field *f, const double *token, size_t n, double *out)
{
    size_t d = (size_t)f->layer->shape.d_model;
    double *one = xcalloc(n * d, sizeof *one), *pos = xcalloc(n * (size_t)f->layer->axes, sizeof *pos);
    memset(out, 0, n * d * sizeof *out);
    for (size_t l = 0; l < f->layer->n; l++) {
        const struct enc *e = f->layer->enc[l];
        if (!e->kind->row)
            continue;
        positions(f, e, token, n, pos);
        e->kind->row(e, pos, n, one);
        for (size_t i = 0; i < n * d; i++)
            out[i] += one[i];
    }
    free(one);
    free(pos);
}

static void normalise(double *x, size_t n, size_t d)
{
    for (size_t i = 0; i < n; i++, x += d) {
        double square = 0;
        for (size_t c = 0; c < d; c++)
            square += x[c] * x[c];
        for (size_t c = 0; c < d; c++)
            x[c] /= sqrt(square);
    }
}

static void projected(const struct field *f, enum side side, const double *token, size_t n, double *out)
{
    const struct table *w = side == SIDE_QUERY ? f->options.wq : f->options.wk;
    size_t d = w->dim[1];
    double *x = xcalloc(n * d, sizeof *x);
    rows(f, token, n, x);
    blas_dgemm_nt(n, f->width, d, 1, x, d, w->v, d, 0, out, f->width);
    free(x);
}

static void rotated(const struct field *f, enum side side, const double *token, size_t n, double *out)
{
    double *pos = xcalloc(n * (size_t)f->layer->axes, sizeof *pos);
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * f->width, f->vector[side], f->width * sizeof *out);
    for (size_t l = 0; l < f->layer->n; l++) {
        const struct enc *e = f->layer->enc[l];
        if (!e->kind->rotate)
            continue;
        positions(f, e, token, n, pos);
        e->kind->rotate(e, side, f->options.head, pos, n, out);
    }
    free(pos);
}

void field_features(const struct field *f, enum side side, const double *token, size_t n, double *out)
{
    switch (f->options.kind) {
    case FIELD_ROWS_COSINE:
        rows(f, token, n, out);
        normalise(out, n, f->width);
        break;
    case FIELD_PROJECTED:
        projected(f, side, token, n, out);
        break;
    case FIELD_ROTATION:
        rotated(f, side, token, n, out);
        break;
    default:
        rows(f, token, n, out);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < f->width && !has_position(f, token[i]); c++)
            out[i * f->width + c] = NAN;
}

/* ---- values ------------------------------------------------------------------------------------------- */

/* The layer's bias of one query against n keys. */
static void biases(const struct field *f, double query, const double *key, size_t n, double *out)
{
    size_t axes = (size_t)f->layer->axes;
    double *one = xcalloc(n * (axes + 1), sizeof *one), *k_pos = one + n, q_pos[axes];
    memset(out, 0, n * sizeof *out);
    for (size_t l = 0; l < f->layer->n; l++) {
        const struct enc *e = f->layer->enc[l];
        if (!e->kind->bias)
            continue;
        positions(f, e, &query, 1, q_pos);
        positions(f, e, key, n, k_pos);
        e->kind->bias(e, f->options.head, q_pos, k_pos, n, one);
        for (size_t j = 0; j < n; j++)
            out[j] += one[j];
    }
    for (size_t j = 0; j < n; j++)
        if (!has_position(f, query) || !has_position(f, key[j]))
            out[j] = NAN;
    free(one);
}

static double by_distance(const struct field *f, double d)
{
    double sum = 0;
    for (size_t i = 0; i < f->n_parts; i++)
        sum += profile_at(&f->part[i], d);
    return sum;
}

void field_values(const struct field *f, const double *q, size_t nq, const double *k, size_t nk, double *out)
{
    size_t d = f->width;
    if (f->options.kind == FIELD_BIAS) {
        for (size_t i = 0; i < nq; i++)
            biases(f, q[i], k, nk, out + i * nk);
        return;
    }
    double *x = xcalloc((nq + nk) * d, sizeof *x), *y = x + nq * d;
    field_features(f, SIDE_QUERY, q, nq, x);
    field_features(f, SIDE_KEY, k, nk, y);
    blas_dgemm_nt(nq, nk, d, 1, x, d, y, d, 0, out, nk);
    for (size_t i = 0; i < nq * nk && f->form == FORM_DISTANCE; i++)
        if (!isfinite(out[i]))                  /* q and k apart have overflowed, their product need not (xPos) */
            out[i] = by_distance(f, q[i / nk] - k[i % nk]);
    free(x);
}

double field_at(const struct field *f, double query, double key)
{
    double value;
    if (!mask_allows(f->options.mask, query, key))
        return -INFINITY;
    field_values(f, &query, 1, &key, 1, &value);
    return value;
}

void field_profile(const struct field *f, double origin, const double *distance, size_t n, double *out)
{
    double query[RUN];
    for (size_t i = 0; i < n; i += RUN) {
        size_t m = n - i < RUN ? n - i : RUN;
        for (size_t j = 0; j < m; j++)
            query[j] = origin + distance[i + j];
        field_values(f, query, m, &origin, 1, out + i);
        for (size_t j = 0; j < m; j++)
            if (!mask_allows(f->options.mask, query[j], origin))
                out[i + j] = -INFINITY;
    }
}

/* ---- closed forms by distance ------------------------------------------------------------------------- */

/* The only encoding of the layer with the hook (rotate or row), if it states its frequencies. */
static const struct spectrum *only_spectrum(const struct field *f, const struct enc **owner)
{
    size_t n = 0;
    for (size_t l = 0; l < f->layer->n; l++) {
        const struct enc *e = f->layer->enc[l];
        if (f->options.kind == FIELD_ROTATION ? e->kind->rotate != NULL : e->kind->row != NULL) {
            *owner = e;
            n++;
        }
    }
    return n == 1 && (*owner)->kind->spectrum ? (*owner)->kind->spectrum(*owner) : NULL;
}

/* q.k of vectors whose pairs (a, b) are turned by w a position: pairs give waves, other channels a constant. */
static void add_pairs(struct profile *p, const struct spectrum *s, const double *q, const double *k, size_t d, double scale)
{
    double constant = 0;
    bool *paired = xcalloc(d, sizeof *paired);
    for (size_t i = 0; i < s->n; i++) {
        size_t a = (size_t)s->a[i], b = (size_t)s->b[i];
        paired[a] = paired[b] = true;
        profile_add_growing_wave(p, s->inv_freq[i], scale * (q[a] * k[a] + q[b] * k[b]), scale * (q[a] * k[b] - q[b] * k[a]),
                                 s->growth ? log(s->growth[i]) : 0);
    }
    for (size_t c = 0; c < d; c++)
        constant += paired[c] ? 0 : q[c] * k[c];
    profile_add_wave(p, 0, constant, 0);
    free(paired);
}

static bool channels_fit(const struct spectrum *s, size_t d)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->a[i] < 0 || s->b[i] < 0 || (size_t)s->a[i] >= d || (size_t)s->b[i] >= d)
            return false;
    return true;
}

static bool rotation_by_distance(struct field *f)
{
    const struct enc *e;
    const struct spectrum *s = only_spectrum(f, &e);
    if (!s || !channels_fit(s, f->width))
        return false;
    profile_init(&f->part[f->n_parts++], PROFILE_WAVES);
    add_pairs(f->part, s, f->vector[SIDE_QUERY], f->vector[SIDE_KEY], f->width, s->attention_factor * s->attention_factor);
    return true;
}

static bool rows_by_distance(struct field *f)
{
    const struct enc *e;
    const struct spectrum *s = only_spectrum(f, &e);
    if (!s || !channels_fit(s, f->width))
        return false;
    double *origin = xcalloc(f->width, sizeof *origin), zero = 0;
    field_features(f, SIDE_QUERY, &zero, 1, origin);
    profile_init(&f->part[f->n_parts++], PROFILE_WAVES);
    add_pairs(f->part, s, origin, origin, f->width, 1);
    free(origin);
    return true;
}

static bool bias_by_distance(struct field *f)
{
    for (size_t l = 0; l < f->layer->n; l++) {
        const struct enc *e = f->layer->enc[l];
        if (!e->kind->bias)
            continue;
        if (!e->kind->distance || !e->kind->distance(e, f->options.head, &f->part[f->n_parts]))
            return false;
        f->n_parts++;
    }
    return true;
}

/* Does the sum of the parts give what the hooks give, where they give a number? */
static bool agrees(const struct field *f)
{
    double last = floor(f->layer->shape.length) - 1;
    double q[] = {0, 1, 2, 7, floor(last / 3), floor(last / 2), last}, k[] = {0, 1, 5, floor(last / 4), last}, v[7 * 5];
    field_values(f, q, 7, k, 5, v);
    for (size_t i = 0; i < 7 * 5; i++) {
        double sum = by_distance(f, q[i / 5] - k[i % 5]);
        if (isfinite(v[i]) && !(fabs(sum - v[i]) <= 1e-7 * fmax(1, fabs(sum))))
            return false;
    }
    return true;
}

static void find_form(struct field *f)
{
    bool bias = f->options.kind == FIELD_BIAS;
    bool found = !f->options.positions && f->options.kind != FIELD_PROJECTED &&
                 (bias ? bias_by_distance : f->options.kind == FIELD_ROTATION ? rotation_by_distance : rows_by_distance)(f);
    f->form = found && agrees(f) ? FORM_DISTANCE : bias ? FORM_VALUES : FORM_PRODUCT;
}

/* ---- opening ------------------------------------------------------------------------------------------ */

static bool check_projection(const char *name, const struct table *w, int d_model, struct err *err)
{
    if (!w)
        return err_set(err, N_("%s: this field needs a projection [width, d_model]"), name);
    if (w->rank != 2 || w->dim[1] != (size_t)d_model)
        return err_set(err, N_("%s: must have %d columns, as many as d_model"), name, d_model);
    return true;
}

static bool check_positions(const struct layer *l, const struct table *t, struct err *err)
{
    if (!t)
        return true;
    size_t given = t->dim[0] ? t->n / t->dim[0] : 0;
    if (t->rank > 2 || given == 0 || (given > 1 && given < (size_t)l->axes))
        return err_set(err, N_("positions: %zu coordinates a token, this layer needs 1 or %d"), given, l->axes);
    return true;
}

static bool check(const struct layer *l, const struct field_options *o, struct err *err)
{
    if (o->head < 0 || o->head >= l->shape.n_heads)
        return err_set(err, N_("head = %d: allowed is 0 to %d"), o->head, l->shape.n_heads - 1);
    if (!check_positions(l, o->positions, err))
        return false;
    switch (o->kind) {
    case FIELD_PROJECTED:
        if (!check_projection("wq", o->wq, l->shape.d_model, err) || !check_projection("wk", o->wk, l->shape.d_model, err))
            return false;
        if (o->wq->dim[0] != o->wk->dim[0])
            return err_set(err, N_("wq has %zu rows and wk %zu: must be equal"), o->wq->dim[0], o->wk->dim[0]);
        return layer_row(l) || err_set(err, N_("this layer adds no vector to the input"));
    case FIELD_ROTATION:
        return layer_rotate(l) || err_set(err, N_("this layer turns no queries and keys"));
    case FIELD_BIAS:
        return layer_bias(l) || err_set(err, N_("this layer adds no bias to the logits"));
    default:
        return layer_row(l) || err_set(err, N_("this layer adds no vector to the input"));
    }
}

/* Equal energy in every pair, 1 in all once turned; where no pairs are stated, in every channel. */
static double *unit_vector(const struct field *f)
{
    const struct enc *e;
    const struct spectrum *s = only_spectrum(f, &e);
    double *unit = xcalloc(f->width, sizeof *unit);
    bool pairs = s && s->n && channels_fit(s, f->width) && s->attention_factor > 0;
    for (size_t c = 0; c < f->width && !pairs; c++)
        unit[c] = 1 / sqrt((double)f->width);
    for (size_t i = 0; pairs && i < s->n; i++)
        unit[s->a[i]] = 1 / (sqrt((double)s->n) * s->attention_factor);
    return unit;
}

struct field *field_open(const struct layer *layer, const struct field_options *options, struct err *err)
{
    if (!check(layer, options, err))
        return NULL;
    struct field *f = xcalloc(1, sizeof *f);
    f->layer = layer;
    f->options = *options;
    table_ref(f->options.wq);
    table_ref(f->options.wk);
    table_ref(f->options.positions);
    if (options->kind == FIELD_ROTATION) {
        f->width = (size_t)layer->shape.d_head;
        f->unit = options->q && options->k ? NULL : unit_vector(f);
        f->vector[SIDE_QUERY] = f->unit ? f->unit : options->q;
        f->vector[SIDE_KEY] = f->unit ? f->unit : options->k;
    } else if (options->kind == FIELD_PROJECTED) {
        f->width = options->wq->dim[0];
    } else if (options->kind != FIELD_BIAS) {
        f->width = (size_t)layer->shape.d_model;
    }
    f->form = FORM_VALUES;
    find_form(f);
    return f;
}

void field_close(struct field *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < LAYER_MAX; i++)
        profile_done(&f->part[i]);
    table_unref((struct table *)f->options.wq);
    table_unref((struct table *)f->options.wk);
    table_unref((struct table *)f->options.positions);
    free(f->unit);
    free(f);
}
