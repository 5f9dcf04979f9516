/* precision.c - the same angles in narrower number formats.
 *
 *     +------------------------------+---------------------+
 *     |  error of cos and sin,       |  worst pair against |
 *     |  positions x pairs           |  position, a curve  |
 *     |                              |  a format           |
 *     +------------------------------+---------------------+
 *     |  format: first position that it cannot hold, first error beyond the limit |
 *     +-----------------------------------------------------+
 *
 * Frameworks multiply a stored inv_freq by the position, both in the format, and take cos and sin of the product; llama.cpp gets the
 * frequencies by repeated multiplication in float32. The error is the distance between the turned unit vectors, |e^ia - e^ib|, against
 * the angle in double (ENCODINGS 0.2: p w 2^-24 and more for float32). bfloat16 cannot hold position 257. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "base/mem.h"
#include "core/measure.h"
#include "core/rounding.h"
#include "figure/draw.h"

/* The ways to an angle: the formats, and float32 by a running product. */
enum { WAY_FLOAT32 = 0, WAY_RUNNING, WAY_FLOAT16, WAY_BFLOAT16, WAY_COUNT };
static const char *const ways[] = {"float32", "float32-running", "float16", "bfloat16", NULL};
static const char *const way_titles[] = {"float32", N_("float32, running"), "float16", "bfloat16"};
static const char *const way_words[] = {"fp32", N_("running"), "fp16", "bf16"};           /* for the legend */
static const enum number_format format_of[] = {FORMAT_FLOAT32, FORMAT_FLOAT32, FORMAT_FLOAT16, FORMAT_BFLOAT16};

enum { P_FORMAT, P_LIMIT, P_REACH };
static const struct param params[] = {
    [P_FORMAT] = {.name = "format", .title = N_("format"),
                  .help = N_("number format of positions, frequencies and angles; running: frequencies by repeated multiplication, as llama.cpp does"),
                  .type = PARAM_CHOICE, .def = WAY_BFLOAT16, .choices = ways, .titles = way_titles},
    [P_LIMIT] = {.name = "limit", .title = N_("limit"), .help = N_("an error beyond this counts as wrong; 2 is the opposite direction"), .type = PARAM_REAL,
                 .def = 0.01, .min = 1e-9, .max = 2},
    [P_REACH] = {.name = "reach", .title = N_("reach"), .unit = N_("tokens"), .help = N_("largest position; absent: the target or the length n"),
                 .type = PARAM_INT, .def = NAN, .min = 2, .max = 1e9},
};

enum { A_FORMAT };
static const struct action actions[] = {{A_FORMAT, 'v', 0, "next-format", N_("next number format"), true}};

static bool input(struct scenario *s, int action)
{
    struct value *v = &s->view_param[VIEW_precision][P_FORMAT];
    v->x = action == A_FORMAT ? fmod(v->x + 1, WAY_COUNT) : v->x;
    return action == A_FORMAT;
}

static const char *suits(const struct scenario *s)
{
    for (size_t i = 0; i < s->n_items; i++)
        if (s->item[i].kind->spectrum)
            return NULL;
    return N_("This encoding has no angles. Choose one that has, for example with :encoding rope.");
}

static double reach(const struct scenario *s)
{
    double asked = view_num(s, VIEW_precision, P_REACH);
    return fmax(2, !isnan(asked) ? asked : !isnan(s->target) ? s->target : s->shape.length);
}

static double derived(const struct scenario *s, int param)
{
    return param == P_REACH ? reach(s) : NAN;
}

/* ---- one angle ----------------------------------------------------------------------------------- */

/* Frequencies as a way holds them: rounded, or by the running product w_k = w_(k-1) * (w_1 / w_0) in float32. */
static void held_frequencies(const struct spectrum *f, int way, double *out)
{
    float product = (float)f->inv_freq[0], ratio = f->n > 1 ? (float)(f->inv_freq[1] / f->inv_freq[0]) : 1;
    bool geometric = !f->band && !f->unscaled;
    for (size_t k = 0; k < f->n; k++) {
        out[k] = way == WAY_RUNNING && geometric ? (double)product : round_to(format_of[way], f->inv_freq[k]);
        product *= ratio;
    }
}

/* |e^ia - e^ib| = 2 |sin((a - b) / 2)|. */
static double turn_error(double inv_freq, double held, int way, double position)
{
    double angle = round_to(format_of[way], round_to(format_of[way], position) * held);
    return isfinite(angle) ? 2 * fabs(sin((position * inv_freq - angle) / 2)) : 2;
}

static double worst_error(const struct spectrum *f, const double *held, int way, double position)
{
    double worst = 0;
    for (size_t k = 0; k < f->n; k++)
        worst = fmax(worst, turn_error(f->inv_freq[k], held[k], way, position));
    return worst;
}

/* ---- figure -------------------------------------------------------------------------------------- */

enum { COORD_POSITION = 1, COORD_PAIR };

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    enum lang l = s->lang;
    struct layer *layer = scenario_layer(s, err);
    if (!layer)
        return false;
    const struct enc *e = layer_spectrum(layer);
    struct span pairs = view_window(s->zoom.x0, s->zoom.x1, 0, (double)e->kind->spectrum(e)->n, true);
    struct span positions = view_window(s->zoom.y0, s->zoom.y1, 1, reach(s), false);
    struct panel *p = figure_add(f, PANEL_HEATMAP, "");
    p->x.coord = COORD_PAIR;
    snprintf(p->title, sizeof p->title, lang_text(l, N_("error in %s")), lang_text(l, way_titles[(int)view_num(s, VIEW_precision, P_FORMAT)]));
    axis_set(&p->x, lang_text(l, N_("pair")), "", pairs.from, pairs.to, false);
    axis_set(&p->y, lang_text(l, N_("position")), lang_text(l, N_("tokens")), positions.from, positions.to, true);
    p->y.coord = COORD_POSITION;
    p->weight = 2;
    snprintf(p->unit, sizeof p->unit, "%s", lang_text(l, N_("error of the turn")));
    p = figure_add(f, PANEL_CURVES, lang_text(l, N_("worst pair")));
    axis_set(&p->x, lang_text(l, N_("position")), lang_text(l, N_("tokens")), positions.from, positions.to, true);
    p->x.coord = COORD_POSITION;
    axis_set(&p->y, lang_text(l, N_("error of the turn")), "", NAN, NAN, true);
    p->weight = 2;
    p->beside = true;
    p = figure_add(f, PANEL_TABLE, lang_text(l, N_("where it breaks")));
    p->weight = 1;
    p->max_h = 7;
    snprintf(f->source, sizeof f->source, "%s", e->kind->cite);
    layer_close(layer);
    return true;
}

/* The whole position in the middle of row r. */
static double position_of_row(const struct panel *p, int r)
{
    return fmax(1, round(axis_at(&p->y, (r + 0.5) / p->h)));
}

static bool fill_heatmap(const struct scenario *s, const struct spectrum *f, struct panel *p, struct job *job)
{
    int way = (int)view_num(s, VIEW_precision, P_FORMAT);
    if (p->w < 1 || p->h < 1)
        return true;
    double *held = xmalloc(f->n * sizeof *held), *data = panel_heatmap(p);
    held_frequencies(f, way, held);
    bool good = true;
    for (int r = 0; r < p->h && good; r++) {
        double position = position_of_row(p, r);
        for (int c = 0; c < p->w; c++) {
            size_t k0 = (size_t)axis_edge(&p->x, p->w, c), k1 = (size_t)axis_edge(&p->x, p->w, c + 1);
            double worst = 0;
            for (size_t k = k0; k < f->n && k < (k1 > k0 ? k1 : k0 + 1); k++)
                worst = fmax(worst, turn_error(f->inv_freq[k], held[k], way, position));
            data[r * p->w + c] = worst;
        }
        good = job_tick(job, (double)r / p->h);
    }
    free(held);
    p->lo = 0;
    p->hi = 2;
    p->reduce = REDUCE_NEAREST;
    p->exact = true;
    return good;
}

static void fill_curves(const struct spectrum *f, struct panel *p, enum lang l)
{
    double *held = xmalloc(f->n * sizeof *held);
    panel_spread_xs(p, (size_t)(p->w > 2 ? p->w : 2), true);
    for (int way = 0; way < WAY_COUNT; way++) {
        struct series *y = panel_add_series(p, lang_text(l, way_words[way]));
        held_frequencies(f, way, held);
        for (size_t i = 0; i < p->n_xs; i++) {
            double error = worst_error(f, held, way, p->xs[i]);
            y->y[i] = error > 0 ? error : NAN;
        }
    }
    panel_autorange(p);
    free(held);
}

enum { SCAN = 262144, TURNS = 1 << 26, TURNS_A_TICK = 1 << 20 };     /* positions looked at one by one for the first error, and pairs at them */

/* No position up to here can err by more than limit at a pair: the angle is off by at most p |w - held| and two roundings of p held. */
static double surely_within(double inv_freq, double held, int way, double limit)
{
    double unit = 1 / (first_unheld(format_of[way]) - 1), rate = fabs(inv_freq - held) + 2.1 * unit * fabs(held);
    return rate > 0 ? floor(limit / rate) : INFINITY;
}

/* Each position is looked at, at the pairs that can err there by more than limit. -1: cancelled; NAN: none up to last. */
static double first_beyond(const struct spectrum *f, const double *held, int way, double limit, double last, struct job *job)
{
    double *sure = xmalloc(f->n * sizeof *sure), first = INFINITY, found = NAN;
    for (size_t k = 0; k < f->n; k++)
        first = fmin(first, sure[k] = surely_within(f->inv_freq[k], held[k], way, limit));
    for (double position = fmax(1, first); position <= last && isnan(found); position++) {
        for (size_t k = 0; k < f->n && isnan(found); k++)
            if (sure[k] <= position && turn_error(f->inv_freq[k], held[k], way, position) > limit)
                found = position;
        if (fmod(position, fmax(TURNS_A_TICK / (double)f->n, 1)) < 1 && !job_tick(job, 0.5))
            found = -1;
    }
    free(sure);
    return found;
}

static bool fill_table(const struct scenario *s, const struct spectrum *f, struct panel *p, struct job *job)
{
    enum lang l = s->lang;
    double limit = view_num(s, VIEW_precision, P_LIMIT), last = fmin(reach(s), fmin(SCAN, floor(TURNS / (double)f->n))), *held = xmalloc(f->n * sizeof *held);
    enum { NARROW = 56 };               /* cells in which "float32" and "float32, running" would both be cut to "flo…" */
    const char *const *names = p->area.cols < NARROW && !p->words ? way_words : way_titles;
    panel_table(p, WAY_COUNT + 1, 4);
    const char *const heads[] = {N_("format"), N_("position not held"), N_("first over the limit"), N_("error at the end")};
    for (size_t c = 0; c < 4; c++)
        panel_cell(p, 0, c, ROLE_DIM, c > 0, "%s", lang_text(l, heads[c]));
    bool good = true;
    for (int way = 0; way < WAY_COUNT && good; way++) {
        char a[24], b[24];
        held_frequencies(f, way, held);
        double first = first_beyond(f, held, way, limit, last, job);
        good = first != -1;
        format_number(a, sizeof a, first_unheld(format_of[way]), 9);
        format_number(b, sizeof b, isnan(first) ? last : first, 9);
        size_t r = (size_t)way + 1;
        panel_cell(p, r, 0, ROLE_TEXT, false, "%s", lang_text(l, names[way]));
        panel_cell(p, r, 1, ROLE_TEXT, true, "%s", a);
        panel_cell(p, r, 2, isnan(first) ? ROLE_GOOD : ROLE_WARNING, true, isnan(first) ? lang_text(l, N_("none up to %s")) : "%s", b);
        panel_cell(p, r, 3, ROLE_TEXT, true, "%.3g", worst_error(f, held, way, reach(s)));
    }
    free(held);
    return good;
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    struct layer *layer = scenario_layer(s, err);
    if (!layer)
        return false;
    const struct spectrum *spectrum = layer_spectrum(layer)->kind->spectrum(layer_spectrum(layer));
    bool good = fill_heatmap(s, spectrum, &f->panel[0], job);
    if (good)
        fill_curves(spectrum, &f->panel[1], s->lang);
    good = good && fill_table(s, spectrum, &f->panel[2], job);
    layer_close(layer);
    return good;
}

static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    struct layer *layer = panel <= 1 ? scenario_layer(s, NULL) : NULL;
    out->known = layer != NULL;
    if (layer) {
        const struct spectrum *f = layer_spectrum(layer)->kind->spectrum(layer_spectrum(layer));
        int way = (int)view_num(s, VIEW_precision, P_FORMAT);
        double position = fmax(1, round(panel == 0 ? y : x)), *held = xmalloc(f->n * sizeof *held);
        size_t k = (size_t)fmin(fmax(floor(x), 0), (double)f->n - 1);
        held_frequencies(f, way, held);
        if (panel == 1) {
            out->value = worst_error(f, held, way, position);
            snprintf(out->name, sizeof out->name, lang_text(s->lang, N_("position %.0f, worst pair, %s")), position,
                     lang_text(s->lang, way_titles[way]));
        } else {
            out->value = turn_error(f->inv_freq[k], held[k], way, position);
            snprintf(out->name, sizeof out->name, lang_text(s->lang, N_("position %.0f, pair %zu, %s")), position, k,
                     lang_text(s->lang, way_titles[way]));
            snprintf(out->formula, sizeof out->formula, lang_text(s->lang, N_("position held as %.9g, ω as %.9g; angle %.9g against %.9g rad")),
                     round_to(format_of[way], position), held[k], round_to(format_of[way], round_to(format_of[way], position) * held[k]),
                     position * f->inv_freq[k]);
        }
        snprintf(out->source, sizeof out->source, "|e^ia − e^ib| = 2 |sin((a − b)/2)|");
        free(held);
    }
    layer_close(layer);
    return out->known;
}

static const char *const idle[] = {"layout", "padding_idx", "ggml_rope.mode", "attn_factor", "attention_factor", "mscale",
    "mscale_all_dim", "short_mscale", "long_mscale", "xpos.scale_base", "xpos.gamma", "xpos.offset", "sinusoidal_2d.style",
    "mrope_section", "mrope_interleaved", NULL};

const struct view view_precision = {
    .id = "precision",
    .title = N_("precision"),
    .help = N_("Angles grow with the position, and narrow number formats lose them: float32 keeps about seven digits, bfloat16 fewer than three and cannot "
               "even hold position 257. The picture shows how far a turned vector is off, by position and pair, when a framework keeps positions, "
               "frequencies and angles in that format."),
    .params = params, .n_params = sizeof params / sizeof *params,
    .uses = USES_N | USES_HEAD_DIM | USES_D_MODEL | USES_TARGET | USES_ENCODING,
    .idle = idle,
    .actions = actions, .n_actions = sizeof actions / sizeof *actions,
    .preset = "models/llama-3.1-8b",
    .suits = suits,
    .input = input,
    .derived = derived,
    .plan = plan,
    .compute = compute,
    .probe = probe,
};
