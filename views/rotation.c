/* rotation.c - RoPE as dials, one a pair, turning with the position.
 *
 *     +--------------------------------------------+
 *     |  ( \ )   ( | )   ( / )  ...   one a pair    |   hands: the angle of position m (long) and n (short)
 *     +--------------------------------------------+
 *     |  wavelength against pair, log               |   lines: trained and target length
 *     +--------------------------------------------+
 *     |  q.k at (m, n), shifted, and badly mixed    |
 *     +--------------------------------------------+
 *
 * angle_k(m) = m w_k (Su et al. 2021, eq. 13-15). A pair whose wavelength exceeds the trained length never finishes a turn there:
 * beyond it the model meets angles that it has never seen. Those are flagged and counted. The last panel shows that q.k depends on
 * m - n alone: the same for both positions shifted; and what happens when a file's layout is read the other way round. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "base/mem.h"
#include "base/rng.h"
#include "core/measure.h"
#include "figure/draw.h"

enum { P_POSITION, P_OTHER, P_SHIFT, P_FIRST, P_STEP };
static const struct param params[] = {
    [P_POSITION] = {.name = "position", .title = N_("position m"), .unit = N_("tokens"), .help = N_("position of the query: the long hand"),
                    .type = PARAM_INT, .def = 4096, .min = 0, .max = 1e9, .step = 1},
    [P_OTHER] = {.name = "other", .title = N_("position n"), .unit = N_("tokens"), .help = N_("position of the key: the short hand"),
                 .type = PARAM_INT, .def = 4000, .min = 0, .max = 1e9, .step = 1},
    [P_SHIFT] = {.name = "shift", .title = N_("shift both by"), .unit = N_("tokens"), .help = N_("moves m and n together: q.k must not change"),
                 .type = PARAM_INT, .def = 1000, .min = 0, .max = 1e9, .step = 100},
    [P_FIRST] = {.name = "first", .title = N_("first pair"), .help = N_("first pair shown as a dial; absent: spread over all pairs"),
                 .type = PARAM_INT, .def = NAN, .min = 0, .max = 2047, .step = 1},
    [P_STEP] = {.name = "step", .title = N_("step"), .unit = N_("tokens"), .help = N_("positions that one step of the animation moves m"),
                .type = PARAM_INT, .def = 1, .min = 1, .max = 1e6, .step = 1},
};

enum { A_FORWARD, A_BACK, A_HOME, A_PAIR_NEXT, A_PAIR_BACK };
static const struct action actions[] = {
    {A_FORWARD, '.', 0, "step-forward", N_("m one step on"), true},
    {A_BACK, ',', 0, "step-back", N_("m one step back"), false},
    {A_HOME, 'z', 0, "position-zero", N_("m and n to 0"), false},
    {A_PAIR_NEXT, 'n', 0, "next-pair", N_("dials from the next pair on"), true},
    {A_PAIR_BACK, 'b', 0, "previous-pair", N_("dials from the pair before"), false},
};

static double num(const struct scenario *s, int param)
{
    return view_num(s, VIEW_rotation, param);
}

static void put(struct scenario *s, int param, double x)
{
    s->view_param[VIEW_rotation][param].x = fmin(fmax(x, params[param].min), params[param].max);
}

static bool input(struct scenario *s, int action)
{
    double first = isnan(num(s, P_FIRST)) ? -1 : num(s, P_FIRST);
    switch (action) {
    case ACTION_TICK:
    case A_FORWARD: put(s, P_POSITION, num(s, P_POSITION) + num(s, P_STEP)); return true;
    case A_BACK:    put(s, P_POSITION, num(s, P_POSITION) - num(s, P_STEP)); return true;
    case A_HOME:    put(s, P_POSITION, 0); put(s, P_OTHER, 0); return true;
    case A_PAIR_NEXT: put(s, P_FIRST, first + 1); return true;
    case A_PAIR_BACK:
        if (first <= 0)
            s->view_param[VIEW_rotation][P_FIRST].x = NAN;
        else
            put(s, P_FIRST, first - 1);
        return true;
    }
    return false;
}

static bool turns(const struct encoding *k)
{
    return k->rotate && k->spectrum;
}

static const char *suits(const struct scenario *s)
{
    for (size_t i = 0; i < s->n_items; i++)
        if (turns(s->item[i].kind))
            return NULL;
    return N_("This encoding turns nothing: dials are for the RoPE family. Choose one, for example with :encoding rope, or look at this one in "
              "`similarity` or `bias`.");
}

static const struct enc *turning(const struct layer *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (turns(l->enc[i]->kind))
            return l->enc[i];
    return NULL;
}

/* ---- plan ---------------------------------------------------------------------------------------- */

enum { PANEL_OF_DIALS, PANEL_OF_WAVES, PANEL_OF_PROOF };
enum { COORD_PAIR = 1 };

/* One pair or two, whose axis is too short for round numbers: each is named. */
static void name_few_pairs(struct axis *a, double pairs)
{
    char first[24], second[24];
    snprintf(first, sizeof first, "%.0f", a->from);
    snprintf(second, sizeof second, "%.0f", a->from + 1);
    if (a->to - a->from <= 1)
        axis_set_ticks(a, (const char *const[]){first, second}, pairs > a->from + 1 ? 2 : 1);
}

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    enum lang l = s->lang;
    struct layer *layer = scenario_layer(s, err);
    if (!layer)
        return false;
    const struct enc *e = turning(layer);
    double pairs = (double)e->kind->spectrum(e)->n;
    struct span shown = view_window(s->zoom.x0, s->zoom.x1, 0, fmax(1, pairs - 1), true);
    struct panel *p = figure_add(f, PANEL_DIALS, lang_text(l, N_("pairs turning")));
    p->weight = 3;
    p->x.coord = COORD_PAIR;
    p->min_w = DIAL_COLS;
    p->min_h = DIAL_ROWS;
    p = figure_add(f, PANEL_CURVES, lang_text(l, N_("wavelength of each pair")));
    axis_set(&p->x, lang_text(l, N_("pair")), "", shown.from, shown.to, false);
    name_few_pairs(&p->x, pairs);
    p->x.coord = COORD_PAIR;
    axis_set(&p->y, lang_text(l, N_("wavelength")), lang_text(l, N_("tokens")), NAN, NAN, true);
    p->weight = 2;
    p->min_w = 24;
    p->min_h = 6;
    p = figure_add(f, PANEL_TABLE, lang_text(l, N_("only the distance counts")));
    p->weight = 1;
    p->min_w = 40;
    p->min_h = 6;
    p->max_h = 7;
    snprintf(f->source, sizeof f->source, "%s", e->kind->cite);
    layer_close(layer);
    return true;
}

/* ---- dials --------------------------------------------------------------------------------------- */

/* Dial i of n: consecutive from `first`, or spread over all pairs. */
static size_t pair_of_dial(const struct scenario *s, size_t i, size_t n, size_t pairs)
{
    double first = num(s, P_FIRST);
    if (!isnan(first))
        return (size_t)fmin(first + (double)i, (double)pairs - 1);
    return n > 1 ? (size_t)round((double)i * (double)(pairs - 1) / (double)(n - 1)) : 0;
}

static size_t dial_count(const struct scenario *s, const struct panel *p, size_t pairs)
{
    size_t room = (size_t)(p->w > 0 ? p->w : 1) * (size_t)(p->h > 0 ? p->h : 1);
    double first = num(s, P_FIRST), left = (double)pairs - (isnan(first) ? 0 : fmin(first, (double)pairs - 1));
    return (size_t)fmin((double)room, left);
}

static void fill_dials(const struct scenario *s, const struct spectrum *f, struct panel *p)
{
    double m = num(s, P_POSITION), n = num(s, P_OTHER), trained = view_trained(s, f);
    size_t count = dial_count(s, p, f->n);
    double *pair = panel_xs(p, count);
    for (size_t i = 0; i < count; i++) {
        size_t k = pair_of_dial(s, i, count, f->n);
        struct dial *d = panel_add_dial(p);
        char wave[24];
        pair[i] = (double)k;
        d->angle[0] = fmod(m * f->inv_freq[k], 2 * M_PI);
        d->angle[1] = fmod(n * f->inv_freq[k], 2 * M_PI);
        d->length[0] = 1;
        d->length[1] = 0.6;
        d->flagged = measure_wavelength(measure_when_trained(f, k)) > trained;
        snprintf(d->label, sizeof d->label, lang_text(s->lang, N_("pair %zu")), k);
        format_number(wave, sizeof wave, measure_wavelength(f->inv_freq[k]), 3);
        snprintf(d->above, sizeof d->above, "λ %s", wave);
        format_number(wave, sizeof wave, measure_turns(f->inv_freq[k], m), measure_turns(f->inv_freq[k], m) < 0.01 ? 1 : 3);
        snprintf(d->below, sizeof d->below, lang_text(s->lang, N_("%s turns")), wave);
    }
    char length[24];
    format_number(length, sizeof length, trained, 6);
    snprintf(p->note, sizeof p->note, lang_text(s->lang, N_("%zu of %zu pairs never finished a turn within the trained %s tokens (marked)")),
             measure_unfinished(f, trained), f->n, length);
}

/* ---- wavelengths --------------------------------------------------------------------------------- */

static size_t count_band(const struct spectrum *f, enum band band)
{
    size_t n = 0;
    for (size_t k = 0; k < f->n; k++)
        n += (f->band ? f->band[k] : BAND_KEPT) == (int)band;
    return n;
}

static void fill_waves(const struct scenario *s, const struct spectrum *f, struct panel *p)
{
    size_t first = (size_t)p->x.from, last = (size_t)fmin(p->x.to, (double)f->n - 1);
    double *x = panel_xs(p, last - first + 1);
    struct series *now = panel_add_series(p, lang_text(s->lang, N_("wavelength")));
    for (size_t k = first; k <= last; k++) {
        double w = measure_wavelength(f->inv_freq[k]);
        x[k - first] = (double)k;
        now->y[k - first] = isfinite(w) ? w : NAN;
    }
    if (f->unscaled) {
        struct series *before = panel_add_series(p, lang_text(s->lang, N_("unscaled")));
        for (size_t k = first; k <= last; k++)
            before->y[k - first] = measure_wavelength(f->unscaled[k]);
    }
    panel_add_mark(p, false, view_trained(s, f), lang_text(s->lang, N_("trained")), ROLE_WARNING);
    if (!isnan(s->target) && s->target != view_trained(s, f))
        panel_add_mark(p, false, s->target, lang_text(s->lang, N_("target")), ROLE_ACCENT);
    if (f->band)
        snprintf(p->note, sizeof p->note, lang_text(s->lang, N_("kept %zu · blended %zu · divided %zu")), count_band(f, BAND_KEPT),
                 count_band(f, BAND_BLENDED), count_band(f, BAND_DIVIDED));
    panel_autorange(p);
}

/* ---- the proof ----------------------------------------------------------------------------------- */

static double dot(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* q.k after turning a seeded q to position m and a seeded k to n. */
static double turned_product(const struct scenario *s, const struct enc *query_side, const struct enc *key_side, double m, double n)
{
    int d = s->shape.d_head;
    double *q = xmalloc(2 * (size_t)d * sizeof *q), *k = q + d, pos_q[4] = {m, m, m, m}, pos_k[4] = {n, n, n, n};
    for (int i = 0; i < d; i++) {
        q[i] = rng_normal(s->seed, 2 * (uint64_t)i);
        k[i] = rng_normal(s->seed + 1, 2 * (uint64_t)i);
    }
    query_side->kind->rotate(query_side, SIDE_QUERY, 0, pos_q, 1, q);
    key_side->kind->rotate(key_side, SIDE_KEY, 0, pos_k, 1, k);
    double product = dot(q, k, d);
    free(q);
    return product;
}

/* The same encoding with the other layout, or NULL where it has none. */
static struct enc *other_layout(const struct scenario *s, const struct enc *e)
{
    int i = param_index(e->kind->params, e->kind->n_params, "layout");
    if (i < 0)
        return NULL;
    struct value given[ENC_MAX_PARAMS];
    memcpy(given, e->param, sizeof given);
    given[i].x = given[i].x == 0 ? 1 : 0;
    return enc_open(e->kind, &s->shape, given, NULL);
}

/* How far q.k may be off by the rounding of angles: m w is good to m 2^-53, of d unit products. */
static double rounding_of(const struct scenario *s, double m, double n, double product)
{
    return fmax(1e-9, DBL_EPSILON * fmax(m, n) * s->shape.d_head) * fmax(1, fabs(product) / s->shape.d_head);
}

/* As many decimals as are right, at most 9. */
static void write_product(char *out, size_t size, double product, double rounding)
{
    char number[48];
    int decimals = (int)fmin(fmax(floor(-log10(rounding) + 1e-9), 0), 9);
    format_fixed(number, sizeof number, product, decimals);
    snprintf(out, size, "%s%s", *number == '-' ? "" : " ", isnan(product) ? "NaN" : number);
}

static void proof_row(const struct scenario *s, struct panel *p, size_t row, const char *what, double m, double n, double product, double wanted)
{
    enum lang l = s->lang;
    double rounding = rounding_of(s, m, n, wanted);
    bool none = isnan(product) || isnan(wanted), same = fabs(product - wanted) <= fmax(rounding, 1e-9 * fabs(wanted));
    panel_cell(p, row, 0, ROLE_TEXT, false, "%s", what);
    char number[64];
    panel_cell(p, row, 1, ROLE_TEXT, true, "%s", format_number(number, sizeof number, m, 10));
    panel_cell(p, row, 2, ROLE_TEXT, true, "%s", format_number(number, sizeof number, n, 10));
    write_product(number, sizeof number, product, rounding);
    panel_cell(p, row, 3, ROLE_TEXT, true, "%s", number);
    panel_cell(p, row, 4, none ? ROLE_DIM : same ? ROLE_GOOD : ROLE_ERROR, false, "%s",
               lang_text(l, none ? N_("no value") : same ? N_("equal") : N_("different")));
}

static void fill_proof(const struct scenario *s, const struct enc *e, struct panel *p)
{
    enum lang l = s->lang;
    double m = num(s, P_POSITION), n = num(s, P_OTHER), by = num(s, P_SHIFT), here = turned_product(s, e, e, m, n);
    struct enc *other = other_layout(s, e);
    panel_table(p, other ? 5 : 3, 5);
    const char *const heads[] = {N_("q · k after turning"), "m", "n", "q · k", ""};
    for (size_t i = 0; i < 5; i++)
        panel_cell(p, 0, i, ROLE_DIM, i > 0 && i < 4, "%s", lang_text(l, heads[i]));
    proof_row(s, p, 1, lang_text(l, N_("as it is")), m, n, here, here);
    proof_row(s, p, 2, lang_text(l, N_("both shifted")), m + by, n + by, turned_product(s, e, e, m + by, n + by), here);
    if (!other)
        return;
    proof_row(s, p, 3, lang_text(l, N_("other layout on both sides")), m, n, turned_product(s, other, other, m, n), here);
    proof_row(s, p, 4, lang_text(l, N_("layouts mixed")), m, n, turned_product(s, e, other, m, n), here);
    enc_close(other);
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    (void)job;
    struct layer *layer = scenario_layer(s, err);
    if (!layer)
        return false;
    const struct enc *e = turning(layer);
    const struct spectrum *spectrum = e->kind->spectrum(e);
    fill_dials(s, spectrum, &f->panel[PANEL_OF_DIALS]);
    fill_waves(s, spectrum, &f->panel[PANEL_OF_WAVES]);
    fill_proof(s, e, &f->panel[PANEL_OF_PROOF]);
    layer_close(layer);
    return true;
}

/* ---- read-out ------------------------------------------------------------------------------------ */

/* The pair under the cursor: x is the pair in both panels. */
static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    (void)y;
    struct layer *layer = scenario_layer(s, NULL);
    out->known = layer && panel != PANEL_OF_PROOF;
    if (out->known) {
        const struct enc *e = turning(layer);
        const struct spectrum *f = e->kind->spectrum(e);
        size_t k = (size_t)fmin(fmax(round(x), 0), (double)f->n - 1);
        double m = num(s, P_POSITION), w = f->inv_freq[k];
        snprintf(out->name, sizeof out->name, lang_text(s->lang, N_("pair %zu (channels %d and %d)")), k, f->a[k], f->b[k]);
        out->value = measure_wavelength(w);
        snprintf(out->value_text, sizeof out->value_text, "λ = %.6g", out->value);
        out->worded = true;
        int at = snprintf(out->formula, sizeof out->formula, lang_text(s->lang, N_("2π / ω, ω = %.6g; m ω = %.0f × ω = %.6g rad, %.4g turns")), w, m,
                          m * w, measure_turns(w, m));
        if (f->unscaled && f->unscaled[k] != w && at > 0 && (size_t)at < sizeof out->formula)
            snprintf(out->formula + at, sizeof out->formula - (size_t)at, lang_text(s->lang, N_("; unscaled λ = %.6g")),
                     measure_wavelength(f->unscaled[k]));
        snprintf(out->source, sizeof out->source, "%s", e->kind->cite);
    }
    layer_close(layer);
    return out->known;
}

static const char *const idle[] = {"mrope_section", "mrope_interleaved", NULL};

const struct view view_rotation = {
    .id = "rotation",
    .title = N_("rotation"),
    .help = N_("RoPE turns each pair of channels of a query and a key by an angle that grows with the position, fast in the first pairs and slowly "
               "in the last. The long hand is position m, the short one n; their angle depends on m − n alone, and so does q · k. Marked dials never "
               "finish a turn within the trained length: beyond it the model meets angles it has never seen."),
    .params = params, .n_params = sizeof params / sizeof *params,
    .uses = USES_N | USES_HEAD_DIM | USES_SEED | USES_TRAINED | USES_TARGET | USES_ENCODING,
    .idle = idle,
    .actions = actions, .n_actions = sizeof actions / sizeof *actions,
    .plays = 60,
    .preset = "models/llama-3.1-8b",
    .suits = suits,
    .input = input,
    .plan = plan,
    .compute = compute,
    .probe = probe,
};
