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
 * angle of a pair from that of the pair before it by multiplication in float32. The error is the distance between the turned unit vectors, |e^ia - e^ib|, against
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
                  .help = N_("number format of positions, frequencies and angles; running: each angle from the one before by multiplication, as llama.cpp does"),
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

/* Angles as a way holds them. share: what is left of the frequency beside its power of the ratio, all of it where there is no ratio. */
struct held {
    const struct spectrum *f;
    int way;
    float ratio;                /* of neighbouring frequencies; 1: none is used */
    size_t *from;               /* pair whose angle the ratio is multiplied to */
    double *share;
};

/* llama.cpp: the angle of the first pair is the position, each further one that before it times the ratio, in float32; scaling then takes its
 * share of each (ggml_rope_cache_init). Where an axis begins, or frequencies are no powers of one ratio, it starts again. */
static void hold_running(struct held *h)
{
    const double *w = h->f->unscaled ? h->f->unscaled : h->f->inv_freq;
    double ratio = h->f->n > 1 ? w[1] / w[0] : 1, power = 1;
    h->ratio = (float)ratio;
    for (size_t k = 0; k < h->f->n; k++) {
        bool goes_on = k > 0 && fabs(w[k] - w[k - 1] * ratio) <= 1e-9 * fabs(w[k]);
        power = goes_on ? power * ratio : 1;
        h->from[k] = goes_on ? h->from[k - 1] : k;
        h->share[k] = round_to(FORMAT_FLOAT32, h->f->inv_freq[k] / power);
    }
}

static struct held hold(const struct spectrum *f, int way)
{
    struct held h = {f, way, 1, xcalloc(f->n + 1, sizeof *h.from), xcalloc(f->n + 1, sizeof *h.share)};
    if (way == WAY_RUNNING)
        hold_running(&h);
    for (size_t k = 0; k < f->n && way != WAY_RUNNING; k++) {
        h.from[k] = k;
        h.share[k] = round_to(format_of[way], f->inv_freq[k]);
    }
    return h;
}

static void release(struct held *h)
{
    free(h->from);
    free(h->share);
}

static double held_angle(const struct held *h, size_t k, double position)
{
    float angle = (float)round_to(format_of[h->way], position);
    for (size_t i = h->from[k]; i < k; i++)
        angle *= h->ratio;
    return round_to(format_of[h->way], angle * h->share[k]);
}

/* |e^ia - e^ib| = 2 |sin((a - b) / 2)|. */
static double turn_error(const struct held *h, size_t k, double position)
{
    double angle = held_angle(h, k, position);
    return isfinite(angle) ? 2 * fabs(sin((position * h->f->inv_freq[k] - angle) / 2)) : 2;
}

static double worst_error(const struct held *h, double position)
{
    double worst = 0;
    for (size_t k = 0; k < h->f->n; k++)
        worst = fmax(worst, turn_error(h, k, position));
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
    struct held held = hold(f, way);
    double *data = panel_heatmap(p);
    bool good = true;
    for (int r = 0; r < p->h && good; r++) {
        double position = position_of_row(p, r);
        for (int c = 0; c < p->w; c++) {
            size_t k0 = (size_t)axis_edge(&p->x, p->w, c), k1 = (size_t)axis_edge(&p->x, p->w, c + 1);
            double worst = 0;
            for (size_t k = k0; k < f->n && k < (k1 > k0 ? k1 : k0 + 1); k++)
                worst = fmax(worst, turn_error(&held, k, position));
            data[r * p->w + c] = worst;
        }
        good = job_tick(job, (double)r / p->h);
    }
    release(&held);
    p->lo = 0;
    p->hi = 2;
    p->reduce = REDUCE_NEAREST;
    p->exact = true;
    return good;
}

static void fill_curves(const struct spectrum *f, struct panel *p, enum lang l)
{
    panel_spread_xs(p, (size_t)(p->w > 2 ? p->w : 2), true);
    for (int way = 0; way < WAY_COUNT; way++) {
        struct series *y = panel_add_series(p, lang_text(l, way_words[way]));
        struct held held = hold(f, way);
        for (size_t i = 0; i < p->n_xs; i++) {
            double error = worst_error(&held, p->xs[i]);
            y->y[i] = error > 0 ? error : NAN;
        }
        release(&held);
    }
    panel_autorange(p);
}

enum { SCAN = 262144, TURNS = 1 << 26, TURNS_A_TICK = 1 << 20 };     /* positions looked at one by one for the first error, and pairs at them */

/* No position up to here can err by more than limit at pair k: the angle is off by what its frequency is, and by a rounding of the
 * position, of each product and of the angle. */
static double surely_within(const struct held *h, size_t k, double limit)
{
    double unit = 1 / (first_unheld(format_of[h->way]) - 1), w = h->share[k] * pow(h->ratio, (double)(k - h->from[k]));
    double rate = fabs(h->f->inv_freq[k] - w) + (2.1 + (double)(k - h->from[k])) * unit * fabs(w);
    return rate > 0 ? floor(limit / rate) : INFINITY;
}

/* Each position is looked at, at the pairs that can err there by more than limit. -1: cancelled; NAN: none up to last. */
static double first_beyond(const struct held *h, double limit, double last, struct job *job)
{
    size_t n = h->f->n;
    double *sure = xmalloc(n * sizeof *sure), first = INFINITY, found = NAN;
    for (size_t k = 0; k < n; k++)
        first = fmin(first, sure[k] = surely_within(h, k, limit));
    for (double position = fmax(1, first); position <= last && isnan(found); position++) {
        for (size_t k = 0; k < n && isnan(found); k++)
            if (sure[k] <= position && turn_error(h, k, position) > limit)
                found = position;
        if (fmod(position, fmax(TURNS_A_TICK / (double)n, 1)) < 1 && !job_tick(job, 0.5))
            found = -1;
    }
    free(sure);
    return found;
}

static bool fill_table(const struct scenario *s, const struct spectrum *f, struct panel *p, struct job *job)
{
    enum lang l = s->lang;
    double limit = view_num(s, VIEW_precision, P_LIMIT), last = fmin(reach(s), fmin(SCAN, floor(TURNS / (double)f->n)));
    enum { NARROW = 56 };               /* cells in which "float32" and "float32, running" would both be cut to "flo…" */
    const char *const *names = p->area.cols < NARROW && !p->words ? way_words : way_titles;
    panel_table(p, WAY_COUNT + 1, 4);
    const char *const heads[] = {N_("format"), N_("position not held"), N_("first over the limit"), N_("error at the end")};
    for (size_t c = 0; c < 4; c++)
        panel_cell(p, 0, c, ROLE_DIM, c > 0, "%s", lang_text(l, heads[c]));
    bool good = true;
    for (int way = 0; way < WAY_COUNT && good; way++) {
        char a[24], b[24];
        struct held held = hold(f, way);
        double first = first_beyond(&held, limit, last, job), at_end = worst_error(&held, reach(s));
        release(&held);
        good = first != -1;
        format_number(a, sizeof a, first_unheld(format_of[way]), 9);
        format_number(b, sizeof b, isnan(first) ? last : first, 9);
        size_t r = (size_t)way + 1;
        panel_cell(p, r, 0, ROLE_TEXT, false, "%s", lang_text(l, names[way]));
        panel_cell(p, r, 1, ROLE_TEXT, true, "%s", a);
        panel_cell(p, r, 2, isnan(first) ? ROLE_GOOD : ROLE_WARNING, true, isnan(first) ? lang_text(l, N_("none up to %s")) : "%s", b);
        panel_cell(p, r, 3, ROLE_TEXT, true, "%.3g", at_end);
    }
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
        double position = fmax(1, round(panel == 0 ? y : x));
        size_t k = (size_t)fmin(fmax(floor(x), 0), (double)f->n - 1);
        struct held held = hold(f, way);
        if (panel == 1) {
            out->value = worst_error(&held, position);
            snprintf(out->name, sizeof out->name, lang_text(s->lang, N_("position %.0f, worst pair, %s")), position,
                     lang_text(s->lang, way_titles[way]));
        } else {
            out->value = turn_error(&held, k, position);
            snprintf(out->name, sizeof out->name, lang_text(s->lang, N_("position %.0f, pair %zu, %s")), position, k,
                     lang_text(s->lang, way_titles[way]));
            snprintf(out->formula, sizeof out->formula, lang_text(s->lang, N_("position held as %.9g, ω as %.9g; angle %.9g against %.9g rad")),
                     round_to(format_of[way], position), held_angle(&held, k, 1), held_angle(&held, k, position), position * f->inv_freq[k]);
        }
        snprintf(out->source, sizeof out->source, "|e^ia − e^ib| = 2 |sin((a − b)/2)|");
        release(&held);
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
