/* table.c - the encoding as a matrix, positions x channels.
 *
 *     +----------------------------+------------+
 *     |  positions x channels      |  row at    |
 *     |  heatmap                   |  cursor    |
 *     +----------------------------+------------+
 *     |  column at cursor          |  in numbers|
 *     +----------------------------+------------+
 *
 * Rows for encodings that add a vector (sinusoidal, learned); cosine, sine or angle for those that turn. Past the end of a
 * learned table there is no vector: those cells carry the mark of "no value", never a number. When several columns share a sample
 * the sines and the cosines are kept apart (matrix.h), so that nothing aliases. For the sinusoid the listing printed in the guide,
 * whose exponent is doubled, stands against the right one: how many pairs hardly turn. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "base/mem.h"
#include "core/matrix.h"
#include "core/measure.h"

enum { P_SHOW, P_ORDER, P_SLOW };
static const char *const shows[] = {"auto", "cos", "sin", "angle", NULL};
static const char *const show_titles[] = {N_("auto"), N_("cosine"), N_("sine"), N_("angle")};
static const char *const orders[] = {"auto", "held", "grouped", NULL};
static const char *const order_titles[] = {N_("auto"), N_("as held"), N_("sines apart")};
static const struct param params[] = {
    [P_SHOW] = {.name = "show", .title = N_("show"), .help = N_("rows where a vector is added; for rotations their cosine, sine or angle"),
                .type = PARAM_CHOICE, .def = 0, .choices = shows, .titles = show_titles},
    [P_ORDER] = {.name = "columns", .title = N_("columns"),
                 .help = N_("order of the channels: as held, or sines and cosines apart; auto groups them when several share a sample"),
                 .type = PARAM_CHOICE, .def = 0, .choices = orders, .titles = order_titles},
    [P_SLOW] = {.name = "slow_angle", .title = N_("slow below"), .unit = N_("rad"), .help = N_("a pair that turns less than this over the table counts as slow"),
                .type = PARAM_REAL, .def = 0.1, .min = 0.001, .max = 6.283185307179586, .step = 0},
};

enum { A_SHOW, A_ORDER };
static const struct action actions[] = {
    {A_SHOW, 'v', 0, "next-value", N_("rows, cosine, sine, angle"), true},
    {A_ORDER, 'o', 0, "next-order", N_("order of the columns"), true},
};

static bool input(struct scenario *s, int action)
{
    struct value *v = s->view_param[VIEW_table];
    if (action == A_SHOW)
        v[P_SHOW].x = fmod(v[P_SHOW].x + 1, 4);
    else if (action == A_ORDER)
        v[P_ORDER].x = fmod(v[P_ORDER].x + 1, 3);
    else
        return false;
    return true;
}

static const char *suits(const struct scenario *s)
{
    for (size_t i = 0; i < s->n_items; i++)
        if (s->item[i].kind->row || (s->item[i].kind->spectrum && s->item[i].kind->rotate))
            return NULL;
    return N_("This encoding is no matrix of positions x channels: nothing is added to the input and nothing is turned. Its numbers are biases; see "
              "the views `bias` and `similarity`.");
}

/* ---- what is shown ------------------------------------------------------------------------------- */

static const struct enc *subject(const struct layer *l)
{
    const struct enc *e = layer_row(l);
    return e ? e : layer_spectrum(l);
}

static enum matrix_kind kind_of(const struct scenario *s, const struct enc *e)
{
    int show = (int)view_num(s, VIEW_table, P_SHOW);
    if (!matrix_channels(e, MATRIX_COS))
        return MATRIX_ROW;
    if (show == 0)
        return e->kind->row ? MATRIX_ROW : MATRIX_COS;
    return (enum matrix_kind)(MATRIX_COS + show - 1);
}

/* Columns up to which every panel that shows the matrix has a sample for each, so that the order as held is safe. */
enum { FEW_COLUMNS = 32 };

static enum channel_order order_of(const struct scenario *s, const struct enc *e)
{
    double n = (double)matrix_channels(e, kind_of(s, e)), x0 = s->zoom.x0, x1 = s->zoom.x1;
    int wanted = (int)view_num(s, VIEW_table, P_ORDER);
    double columns = (isnan(x1) ? n : x1) - (isnan(x0) ? 0 : x0);
    return wanted ? (enum channel_order)(wanted - 1) : columns > FEW_COLUMNS ? ORDER_GROUPED : ORDER_AS_HELD;
}

static double between(double x, double fallback, double lo, double hi)
{
    return fmin(fmax(isnan(x) ? fallback : x, lo), hi);
}

enum { PANEL_OF_MATRIX, PANEL_OF_ROW, PANEL_OF_COLUMN, PANEL_OF_FACTS };
enum { COORD_COLUMN = 1, COORD_POSITION };

/* The part of the matrix that is shown. */
struct part { double x0, x1, y0, y1; };

static struct part part_of(const struct scenario *s, double channels)
{
    double n = s->shape.length;
    struct part p = {.x0 = between(floor(s->zoom.x0), 0, 0, channels - 1), .y0 = between(floor(s->zoom.y0), 0, 0, n - 1)};
    p.x1 = between(ceil(s->zoom.x1), channels, p.x0 + 1, channels);
    p.y1 = between(ceil(s->zoom.y1), n, p.y0 + 1, n);
    return p;
}

/* The column and the position whose profiles are drawn: the cursor's in the matrix, wherever it is now. */
static struct spot spot_of(const struct scenario *s, double channels)
{
    struct part part = part_of(s, channels);
    struct spot at = scenario_spot(s, PANEL_OF_MATRIX);
    return (struct spot){between(floor(at.x), floor((part.x0 + part.x1) / 2), part.x0, part.x1 - 1),
                         between(floor(at.y), floor((part.y0 + part.y1) / 2), part.y0, part.y1 - 1)};
}

/* The channel that stands in a column. */
static size_t channel_in(const struct scenario *s, const struct enc *e, enum matrix_kind kind, double column)
{
    size_t n = matrix_channels(e, kind), *order = xcalloc(n, sizeof *order);
    matrix_order(e, kind, order_of(s, e), order);
    size_t channel = order[(size_t)between(floor(column), 0, 0, (double)n - 1)];
    free(order);
    return channel;
}

/* ---- plan ---------------------------------------------------------------------------------------- */

static const char *sides_of(enum matrix_kind kind)
{
    return kind == MATRIX_ROW ? N_("positions × channels") : N_("positions × pairs");
}

static void plan_panels(const struct scenario *s, struct figure *f, const struct enc *e, double channels)
{
    static const char *const units[] = {N_("value"), N_("cosine"), N_("sine"), N_("turns")};
    enum lang l = s->lang;
    enum matrix_kind kind = kind_of(s, e);
    const char *unit = lang_text(l, units[kind]), *across = lang_text(l, kind == MATRIX_ROW ? N_("channel") : N_("pair"));
    struct part part = part_of(s, channels);
    bool regrouped = kind == MATRIX_ROW && e->kind->spectrum && channels > 1 && channel_in(s, e, kind, 1) != 1;
    struct panel *p = figure_add(f, PANEL_HEATMAP, lang_text(l, sides_of(kind)));
    axis_set(&p->x, regrouped ? lang_text(l, N_("column")) : across, "", part.x0, part.x1, false);
    axis_set(&p->y, lang_text(l, N_("position")), lang_text(l, N_("tokens")), part.y0, part.y1, false);
    p->x.coord = COORD_COLUMN;
    p->y.coord = COORD_POSITION;
    p->weight = 3;
    p->min_w = 24;
    p->min_h = 6;
    p->centred = kind != MATRIX_ANGLE;
    snprintf(p->unit, sizeof p->unit, "%s", unit);
    p = figure_add(f, PANEL_CURVES, lang_text(l, N_("row at the cursor")));
    axis_set(&p->x, across, "", part.x0, fmax(part.x0 + 1, part.x1 - 1), false);
    p->x.coord = regrouped ? 0 : COORD_COLUMN;
    axis_set(&p->y, unit, "", NAN, NAN, false);
    p->weight = 2;
    p->min_w = 24;
    p->min_h = 5;
    p->beside = true;
    p = figure_add(f, PANEL_CURVES, lang_text(l, N_("column at the cursor")));
    axis_set(&p->x, lang_text(l, N_("position")), lang_text(l, N_("tokens")), part.y0, fmax(part.y0 + 1, part.y1 - 1), false);
    p->x.coord = COORD_POSITION;
    axis_set(&p->y, unit, "", NAN, NAN, false);
    p->weight = 1;
    p->min_w = 24;
    p->min_h = 5;
    p = figure_add(f, PANEL_TABLE, lang_text(l, N_("in numbers")));
    p->weight = 1;
    p->min_w = 34;
    p->min_h = 4;
    p->max_h = 7;
    p->beside = true;
    snprintf(f->source, sizeof f->source, "%s", e->kind->cite);
}

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    struct layer *layer = scenario_layer(s, err);
    if (!layer)
        return false;
    const struct enc *e = subject(layer);
    plan_panels(s, f, e, (double)matrix_channels(e, kind_of(s, e)));
    layer_close(layer);
    return true;
}

/* ---- compute ------------------------------------------------------------------------------------- */

static bool fill_matrix(const struct scenario *s, const struct enc *e, struct panel *p, struct job *job)
{
    enum matrix_kind kind = kind_of(s, e);
    size_t n = matrix_channels(e, kind), *order = xcalloc(n, sizeof *order);
    enum channel_order by = order_of(s, e);
    struct window win = {p->y.from, p->y.to, p->x.from, p->x.to};
    struct pooled how;
    matrix_order(e, kind, by, order);
    bool good = p->w < 1 || p->h < 1 || matrix_pool(e, kind, order, win, p->h, p->w, panel_heatmap(p), &how, job_tick_fn, job);
    if (good && p->data) {
        p->reduce = how.reduce;
        p->exact = how.exact;
        p->error = how.error;
        panel_autorange(p);
        if (by == ORDER_GROUPED && kind == MATRIX_ROW && e->kind->spectrum)
            snprintf(p->note, sizeof p->note, "%s", lang_text(s->lang, N_("sines, then cosines")));
    }
    free(order);
    return good;
}

static void fill_row(const struct scenario *s, const struct enc *e, double m, struct panel *p)
{
    enum matrix_kind kind = kind_of(s, e);
    panel_spread_xs(p, (size_t)fmax(2, p->x.to - p->x.from + 1), true);
    char label[48];
    snprintf(label, sizeof label, lang_text(s->lang, N_("position %.0f")), m);
    struct series *y = panel_add_series(p, label);
    size_t n = matrix_channels(e, kind);
    double *row = xcalloc(n, sizeof *row);
    matrix_row(e, kind, m, row);
    for (size_t i = 0; i < p->n_xs; i++)
        y->y[i] = p->xs[i] < (double)n ? row[(size_t)p->xs[i]] : NAN;
    free(row);
    panel_autorange(p);
}

static bool fill_column(const struct scenario *s, const struct enc *e, double column, struct panel *p, struct job *job)
{
    enum matrix_kind kind = kind_of(s, e);
    size_t channel = channel_in(s, e, kind, column);
    panel_spread_xs(p, (size_t)(p->w > 2 ? p->w : 2), true);
    char label[64];
    snprintf(label, sizeof label, lang_text(s->lang, kind == MATRIX_ROW ? N_("channel %zu") : N_("pair %zu")), channel);
    struct series *y = panel_add_series(p, label);
    for (size_t i = 0; i < p->n_xs; i++) {
        y->y[i] = matrix_at(e, kind, p->xs[i], channel);
        if (!job_tick(job, 1))
            return false;
    }
    if ((double)p->n_xs < p->x.to - p->x.from)
        snprintf(p->note, sizeof p->note, lang_text(s->lang, N_("%zu of %.0f positions drawn")), p->n_xs, p->x.to - p->x.from + 1);
    panel_autorange(p);
    return true;
}

/* The encoding with its exponent doubled, or right if it is doubled; NULL where there is no such choice. */
static struct enc *other_exponent(const struct scenario *s, const struct enc *e, bool *doubled)
{
    struct value v, given[ENC_MAX_PARAMS];
    int at = param_index(e->kind->params, e->kind->n_params, "variant");
    if (at < 0 || !param_parse(&e->kind->params[at], "doubled_exponent", &v, NULL))
        return NULL;
    *doubled = e->param[at].x == v.x;
    memcpy(given, e->param, sizeof given);
    given[at].x = *doubled ? e->kind->params[at].def : v.x;
    return enc_open(e->kind, &s->shape, given, NULL);
}

static void fill_facts(const struct scenario *s, const struct enc *e, struct panel *p)
{
    enum lang l = s->lang;
    double n = s->shape.length, angle = view_num(s, VIEW_table, P_SLOW);
    const struct spectrum *f = e->kind->spectrum ? e->kind->spectrum(e) : NULL;
    bool doubled = false;
    struct enc *other = f ? other_exponent(s, e, &doubled) : NULL;
    panel_facts(p, (size_t)(1 + (f != NULL) + (other != NULL)), lang_text(l, N_("quantity")), lang_text(l, N_("value")));
    panel_fact(p, 0, lang_text(l, sides_of(kind_of(s, e))), "%.0f × %zu", n, matrix_channels(e, kind_of(s, e)));
    if (f)
        panel_fact(p, 1, lang_text(l, N_("pairs turning less than the angle")), lang_text(l, N_("%zu of %zu")), measure_slow(f, n, angle), f->n);
    if (other) {
        const struct spectrum *g = other->kind->spectrum(other);
        panel_fact(p, 2, lang_text(l, doubled ? N_("with the right exponent") : N_("with the guide's doubled exponent")), lang_text(l, N_("%zu of %zu")),
             measure_slow(g, n, angle), g->n);
    }
    enc_close(other);
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    struct layer *layer = scenario_layer(s, err);
    if (!layer)
        return false;
    const struct enc *e = subject(layer);
    bool good = fill_matrix(s, e, &f->panel[PANEL_OF_MATRIX], job);
    if (good) {
        struct spot at = spot_of(s, (double)matrix_channels(e, kind_of(s, e)));
        fill_row(s, e, at.y, &f->panel[PANEL_OF_ROW]);
        good = fill_column(s, e, at.x, &f->panel[PANEL_OF_COLUMN], job);
        fill_facts(s, e, &f->panel[PANEL_OF_FACTS]);
    }
    layer_close(layer);
    return good;
}

/* ---- read-out ------------------------------------------------------------------------------------ */

/* The pair that a channel belongs to, and whether it is the second of it; the number of pairs: none. */
static size_t pair_of(const struct spectrum *f, enum matrix_kind kind, size_t channel, bool *second)
{
    size_t pair = kind == MATRIX_ROW ? f->n : channel;
    *second = false;
    for (size_t i = 0; kind == MATRIX_ROW && i < f->n; i++)
        if ((size_t)f->a[i] == channel || (size_t)f->b[i] == channel)
            pair = i, *second = (size_t)f->b[i] == channel;
    return pair;
}

/* Is the value that function of position times frequency? Rows need not be counted as tokens are: padding, the sides of a picture. */
static bool is_of_position(enum matrix_kind kind, bool second, double angle, double value)
{
    double wave = second ? cos(angle) : sin(angle);
    return kind != MATRIX_ROW || fabs(wave - value) <= 1e-9 * fmax(1, fabs(angle));
}

static void name_value(const struct scenario *s, const struct enc *e, enum matrix_kind kind, double m, size_t channel, struct readout *out)
{
    const struct spectrum *f = e->kind->spectrum ? e->kind->spectrum(e) : NULL;
    bool second = false;
    size_t k = f ? pair_of(f, kind, channel, &second) : 0;
    const char *wave = kind == MATRIX_SIN || (kind == MATRIX_ROW && !second) ? "sin" : "cos";
    snprintf(out->name, sizeof out->name, lang_text(s->lang, kind == MATRIX_ROW ? N_("position %.0f, channel %zu") : N_("position %.0f, pair %zu")), m, channel);
    if (f && k < f->n && !is_of_position(kind, second, m * f->inv_freq[k], out->value)) {
        snprintf(out->formula, sizeof out->formula, lang_text(s->lang, N_("pair %zu, λ = %.6g tokens")), k, measure_wavelength(f->inv_freq[k]));
    } else if (f && k < f->n) {
        snprintf(out->formula, sizeof out->formula, lang_text(s->lang, N_("%s(%.0f × %.6g), pair %zu, λ = %.6g tokens")),
                 kind == MATRIX_ANGLE ? lang_text(s->lang, N_("turns")) : wave, m, f->inv_freq[k], k, measure_wavelength(f->inv_freq[k]));
    } else if (isnan(out->value)) {
        snprintf(out->formula, sizeof out->formula, "%s", lang_text(s->lang, N_("past the end of the table: there is no vector for this position")));
    } else {
        snprintf(out->formula, sizeof out->formula, lang_text(s->lang, N_("entry [%.0f, %zu] of the table")), m, channel);
    }
}

static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    struct layer *layer = panel == PANEL_OF_FACTS ? NULL : scenario_layer(s, NULL);
    out->known = layer != NULL;
    if (layer) {
        const struct enc *e = subject(layer);
        enum matrix_kind kind = kind_of(s, e);
        double channels = (double)matrix_channels(e, kind);
        struct spot at = spot_of(s, channels);
        size_t channel = panel == PANEL_OF_ROW ? (size_t)between(round(x), 0, 0, channels - 1)
                                               : channel_in(s, e, kind, panel == PANEL_OF_COLUMN ? at.x : x);
        double m = panel == PANEL_OF_MATRIX ? floor(y) : panel == PANEL_OF_COLUMN ? round(x) : at.y;
        out->value = matrix_at(e, kind, m, channel);
        name_value(s, e, kind, m, channel, out);
        snprintf(out->source, sizeof out->source, "%s", e->kind->cite);
    }
    layer_close(layer);
    return out->known;
}

static const char *const idle[] = {"rope.layout", "xpos.layout", "ggml_rope.mode", "xpos.scale_base", "xpos.gamma",
    "xpos.offset", "mrope_section", "mrope_interleaved", NULL};

const struct view view_table = {
    .id = "table",
    .title = N_("table"),
    .help = N_("The encoding itself: a row a position, a column a channel. Sinusoids run from fast waves on one side to slow ones on the other; a learned "
               "table ends where its rows end. For rotations the cosines, sines or angles of the pairs stand in their place."),
    .params = params, .n_params = sizeof params / sizeof *params,
    .uses = USES_N | USES_HEAD_DIM | USES_D_MODEL | USES_ENCODING,
    .idle = idle,
    .actions = actions, .n_actions = sizeof actions / sizeof *actions,
    .preset = "encodings/sinusoidal",
    .follows_cursor = true,
    .suits = suits,
    .input = input,
    .plan = plan,
    .compute = compute,
    .probe = probe,
};
