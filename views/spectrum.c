/* spectrum.c - the wavelength (or frequency) of every pair against trained and target length, and what each scaling type would
 * make of it.
 *
 *     +------------------------------------------+
 *     |  wavelength against pair, log            |   one curve a scaling type; lines: trained, target
 *     +--------------------+---------------------+
 *     |  bands             |  what it does       |   kept / blended / divided; attention factor; unseen angles
 *     +--------------------+---------------------+
 *
 * All curves come from the encoding itself opened with another rope_type (ENCODINGS of each type: see the encoding's help), never from
 * a formula of this file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "base/mem.h"
#include "core/measure.h"
#include "figure/draw.h"

enum { P_SHOW, P_OVERLAY, P_FACTOR };
enum { SHOW_WAVELENGTH, SHOW_FREQUENCY, SHOW_TURNS };
static const char *const shows[] = {"wavelength", "frequency", "turns", NULL};
static const char *const show_titles[] = {N_("wavelength"), N_("frequency"), N_("turns")};

static const struct param params[] = {
    [P_SHOW] = {.name = "show", .title = N_("show"), .help = N_("wavelength in tokens, frequency in radians a token, or turns within the trained length"),
                .type = PARAM_CHOICE, .def = SHOW_WAVELENGTH, .choices = shows, .titles = show_titles},
    [P_OVERLAY] = {.name = "overlay", .title = N_("overlay types"), .help = N_("draw the other scaling types beside the one in use"), .type = PARAM_BOOL,
                   .def = 1},
    [P_FACTOR] = {.name = "overlay_factor", .title = N_("overlay factor"), .help = N_("scaling factor of the overlaid types; absent: target over trained length"),
                  .type = PARAM_REAL, .def = NAN, .min = 1, .max = 1e6},
};

enum { A_SHOW, A_OVERLAY };
static const struct action actions[] = {
    {A_SHOW, 'v', 0, "next-unit", N_("wavelength, frequency, turns"), true},
    {A_OVERLAY, 'o', 0, "toggle-overlay", N_("other scaling types on and off"), true},
};

static struct value *slot(struct scenario *s, int param)
{
    return &s->view_param[VIEW_spectrum][param];
}

static bool input(struct scenario *s, int action)
{
    if (action == A_SHOW)
        slot(s, P_SHOW)->x = fmod(slot(s, P_SHOW)->x + 1, 3);
    else if (action == A_OVERLAY)
        slot(s, P_OVERLAY)->x = !slot(s, P_OVERLAY)->x;
    else
        return false;
    return true;
}

static const char *suits(const struct scenario *s)
{
    for (size_t i = 0; i < s->n_items; i++)
        if (s->item[i].kind->spectrum)
            return NULL;
    return N_("This encoding has no frequencies: a spectrum belongs to sinusoids and to the RoPE family. Choose one, for example with :encoding rope.");
}

static double target_length(const struct scenario *s, const struct spectrum *f)
{
    double trained = view_trained(s, f);
    return isnan(s->target) ? trained : fmax(s->target, 1);
}

/* Of the overlaid types: asked for, else what takes the trained length to the target; NAN: there is nothing to stretch. */
static double overlay_factor(const struct scenario *s, double trained, double target)
{
    double asked = view_num(s, VIEW_spectrum, P_FACTOR);
    return !isnan(asked) ? asked : target > trained ? target / trained : NAN;
}

static double derived(const struct scenario *s, int param)
{
    struct layer *layer = param == P_FACTOR ? scenario_layer(s, NULL) : NULL;
    const struct enc *e = layer ? layer_spectrum(layer) : NULL;
    const struct spectrum *f = e ? e->kind->spectrum(e) : NULL;
    double factor = f ? overlay_factor(s, view_trained(s, f), target_length(s, f)) : NAN;
    layer_close(layer);
    return factor;
}

/* ---- plan ---------------------------------------------------------------------------------------- */

enum { PANEL_OF_CURVES, PANEL_OF_BANDS, PANEL_OF_FACTS };

static const char *unit_label(const struct scenario *s)
{
    static const char *const labels[] = {N_("wavelength"), N_("frequency"), N_("turns in the trained length")};
    return lang_text(s->lang, labels[(int)view_num(s, VIEW_spectrum, P_SHOW)]);
}

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    enum lang l = s->lang;
    struct layer *layer = scenario_layer(s, err);
    if (!layer)
        return false;
    const struct enc *e = layer_spectrum(layer);
    double pairs = (double)e->kind->spectrum(e)->n, x0 = s->zoom.x0, x1 = s->zoom.x1;
    int show = (int)view_num(s, VIEW_spectrum, P_SHOW);
    struct panel *p = figure_add(f, PANEL_CURVES, unit_label(s));
    axis_set(&p->x, lang_text(l, N_("pair")), "", isnan(x0) ? 0 : fmax(0, x0), isnan(x1) ? fmax(1, pairs - 1) : fmin(x1, fmax(1, pairs - 1)), false);
    axis_set(&p->y, unit_label(s), show == SHOW_WAVELENGTH ? lang_text(l, N_("tokens")) : show == SHOW_FREQUENCY ? "rad" : "", NAN, NAN, true);
    p->weight = 4;
    p->min_w = 30;
    p->min_h = 8;
    p = figure_add(f, PANEL_BARS, lang_text(l, N_("pairs under scaling")));
    p->weight = 1;
    p->min_w = 30;
    p->min_h = 5;
    p->max_h = 6;
    p = figure_add(f, PANEL_TABLE, lang_text(l, N_("in numbers")));
    p->beside = true;
    p->weight = 2;
    p->min_w = 34;
    p->min_h = 6;
    p->max_h = 9;
    snprintf(f->source, sizeof f->source, "%s", e->kind->cite);
    layer_close(layer);
    return true;
}

/* ---- curves -------------------------------------------------------------------------------------- */

static double shown(const struct scenario *s, double inv_freq, double trained)
{
    if (inv_freq == 0)
        return NAN;
    switch ((int)view_num(s, VIEW_spectrum, P_SHOW)) {
    case SHOW_FREQUENCY: return inv_freq;
    case SHOW_TURNS:     return measure_turns(inv_freq, trained);
    default:             return measure_wavelength(inv_freq);
    }
}

static void add_curve(const struct scenario *s, struct panel *p, const struct spectrum *f, const char *label, double trained)
{
    struct series *y = panel_add_series(p, label);
    for (size_t i = 0; i < p->n_xs; i++) {
        size_t k = (size_t)p->xs[i];
        y->y[i] = k < f->n ? shown(s, f->inv_freq[k], trained) : NAN;
    }
}

static void give(const struct encoding *kind, struct value *given, const char *name, double x)
{
    int i = param_index(kind->params, kind->n_params, name);
    if (i >= 0)
        given[i] = (struct value){x, NULL};
}

/* The encoding with another scaling type and no parameter of the one in use left over; NULL where it needs what is not there
 * (longrope without its lists). */
static struct enc *with_type(const struct scenario *s, const struct enc *e, size_t type, double factor, double trained, double target)
{
    const struct encoding *kind = e->kind;
    struct value given[ENC_MAX_PARAMS];
    static const char *const kept[] = {"layout", "rotary_dim", "partial_rotary_factor", "rope_theta", "short_factor", "long_factor"};
    for (size_t i = 0; i < kind->n_params; i++)
        given[i] = (struct value){kind->params[i].def, NULL};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        int at = param_index(kind->params, kind->n_params, kept[i]);
        if (at >= 0)
            given[at] = e->param[at];
    }
    give(kind, given, "rope_type", (double)type);
    give(kind, given, "factor", factor);
    give(kind, given, "original_max_position_embeddings", trained);
    give(kind, given, "max_position_embeddings", trained);
    if (!strcmp(kind->params[param_index(kind->params, kind->n_params, "rope_type")].choices[type], "longrope"))
        give(kind, given, "factor", NAN), give(kind, given, "max_position_embeddings", target);
    struct shape shape = s->shape;
    shape.length = fmax(target, 1);
    return enc_open(kind, &shape, given, NULL);
}

static bool same_spectrum(const struct spectrum *a, const struct spectrum *b)
{
    bool same = a->n == b->n;
    for (size_t k = 0; same && k < a->n; k++)
        same = fabs(a->inv_freq[k] - b->inv_freq[k]) <= 1e-9 * fabs(a->inv_freq[k]);
    return same;
}

static void overlay_types(const struct scenario *s, struct panel *p, const struct enc *e, double trained, double target)
{
    int at = param_index(e->kind->params, e->kind->n_params, "rope_type");
    if (at < 0 || !view_num(s, VIEW_spectrum, P_OVERLAY))
        return;
    double factor = overlay_factor(s, trained, target);
    const char *const *types = e->kind->params[at].choices;
    for (size_t type = 0; types[type] && p->n_series < N_SERIES_ROLES; type++) {
        if (enc_num(e, at) == (double)type || (type > 0 && isnan(factor)))
            continue;
        struct enc *other = with_type(s, e, type, type ? factor : NAN, trained, target);
        if (other && (type == 0 || !same_spectrum(other->kind->spectrum(other), e->kind->spectrum(e))))
            add_curve(s, p, other->kind->spectrum(other), types[type], trained);
        enc_close(other);
    }
}

static void fill_curves(const struct scenario *s, struct panel *p, const struct enc *e)
{
    const struct spectrum *f = e->kind->spectrum(e);
    double trained = view_trained(s, f), target = target_length(s, f);
    int at = param_index(e->kind->params, e->kind->n_params, "rope_type");
    panel_spread_xs(p, f->n, true);
    add_curve(s, p, f, at >= 0 ? e->kind->params[at].choices[(size_t)enc_num(e, at)] : lang_text(s->lang, e->kind->title), trained);
    overlay_types(s, p, e, trained, target);
    if (view_num(s, VIEW_spectrum, P_SHOW) == SHOW_WAVELENGTH) {
        panel_add_mark(p, false, trained, lang_text(s->lang, N_("trained")), ROLE_WARNING);
        if (target != trained)
            panel_add_mark(p, false, target, lang_text(s->lang, N_("target")), ROLE_ACCENT);
    } else if (view_num(s, VIEW_spectrum, P_SHOW) == SHOW_TURNS) {
        panel_add_mark(p, false, 1, lang_text(s->lang, N_("one turn")), ROLE_WARNING);
    }
    panel_autorange(p);
}

/* ---- bands and numbers --------------------------------------------------------------------------- */

static void fill_bands(const struct scenario *s, struct panel *p, const struct spectrum *f)
{
    static const char *const names[] = {N_("kept"), N_("blended"), N_("divided"), N_("not turning")};
    static const enum role roles[] = {ROLE_GOOD, ROLE_WARNING, ROLE_ACCENT, ROLE_DIM};
    size_t count[4] = {0};
    for (size_t k = 0; k < f->n; k++)
        count[f->band ? f->band[k] : BAND_KEPT]++;
    for (size_t b = 0; b < 4; b++) {
        if (!count[b] && b == BAND_OFF)
            continue;
        struct bar *bar = panel_add_bar(p, lang_text(s->lang, names[b]), (double)count[b]);
        bar->role = roles[b];
        snprintf(bar->note, sizeof bar->note, lang_text(s->lang, N_("of %zu")), f->n);
    }
    p->lo = 0;
    p->hi = (double)f->n;
}

static void fill_facts(const struct scenario *s, struct panel *p, const struct spectrum *f)
{
    enum lang l = s->lang;
    double trained = view_trained(s, f), target = target_length(s, f);
    char a[24], b[24];
    format_number(a, sizeof a, trained, 8);
    format_number(b, sizeof b, target, 8);
    panel_facts(p, 6, lang_text(l, N_("quantity")), lang_text(l, N_("value")));
    panel_fact(p, 0, lang_text(l, N_("trained → target (tokens)")), "%s → %s", a, b);
    panel_fact(p, 1, lang_text(l, N_("attention factor")), "%.6g", f->attention_factor);
    panel_fact(p, 2, lang_text(l, N_("logits times its square")), "%.6g", f->attention_factor * f->attention_factor);
    panel_fact(p, 3, lang_text(l, N_("never finished a turn in training")), lang_text(l, N_("%zu of %zu")), measure_unfinished(f, trained), f->n);
    panel_fact(p, 4, lang_text(l, N_("meet unseen angles at the target")), lang_text(l, N_("%zu of %zu")), measure_unseen(f, trained, target), f->n);
    double longest = 0;
    for (size_t k = 0; k < f->n; k++)
        if (f->inv_freq[k] > 0)
            longest = fmax(longest, measure_wavelength(f->inv_freq[k]));
    format_number(a, sizeof a, longest, 7);
    panel_fact(p, 5, lang_text(l, N_("longest wavelength (tokens)")), "%s", a);
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    (void)job;
    struct layer *layer = scenario_layer(s, err);
    if (!layer)
        return false;
    const struct enc *e = layer_spectrum(layer);
    fill_curves(s, &f->panel[PANEL_OF_CURVES], e);
    fill_bands(s, &f->panel[PANEL_OF_BANDS], e->kind->spectrum(e));
    fill_facts(s, &f->panel[PANEL_OF_FACTS], e->kind->spectrum(e));
    layer_close(layer);
    return true;
}

static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    (void)y;
    struct layer *layer = panel == PANEL_OF_CURVES ? scenario_layer(s, NULL) : NULL;
    out->known = layer != NULL;
    if (layer) {
        static const char *const bands[] = {N_("kept"), N_("blended"), N_("divided"), N_("not turning")};
        const struct enc *e = layer_spectrum(layer);
        const struct spectrum *f = e->kind->spectrum(e);
        size_t k = (size_t)fmin(fmax(round(x), 0), (double)f->n - 1);
        double trained = view_trained(s, f);
        out->value = shown(s, f->inv_freq[k], trained);
        snprintf(out->name, sizeof out->name, lang_text(s->lang, N_("pair %zu, %s")), k, unit_label(s));
        snprintf(out->formula, sizeof out->formula, lang_text(s->lang, N_("ω = %.6g, λ = 2π/ω = %.6g; unscaled λ = %.6g; %s; %.4g turns when trained")),
                 f->inv_freq[k], measure_wavelength(f->inv_freq[k]), measure_wavelength(f->unscaled ? f->unscaled[k] : f->inv_freq[k]),
                 lang_text(s->lang, bands[f->band ? f->band[k] : BAND_KEPT]), measure_turns(measure_when_trained(f, k), trained));
        snprintf(out->source, sizeof out->source, "%s", e->kind->cite);
    }
    layer_close(layer);
    return out->known;
}

static const char *const idle[] = {"layout", "padding_idx", "ggml_rope.mode", "xpos.scale_base", "xpos.gamma",
    "xpos.offset", "sinusoidal_2d.style", "mrope_section", "mrope_interleaved", NULL};

const struct view view_spectrum = {
    .id = "spectrum",
    .title = N_("spectrum"),
    .help = N_("Every pair of channels turns with a wavelength of its own. Pairs below the line of the trained length have seen whole turns; those above "
               "have only seen a part. Scaling for longer inputs keeps fast pairs, divides slow ones and blends between: the curves show what each "
               "scaling type does to these very pairs."),
    .params = params, .n_params = sizeof params / sizeof *params,
    .uses = USES_N | USES_HEAD_DIM | USES_D_MODEL | USES_TRAINED | USES_TARGET | USES_ENCODING,
    .placeless = true,
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
