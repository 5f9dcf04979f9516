/* segments.c - Transformer-XL's recurrence: what the last token can reach through segments and memory.
 *
 *     +----------------------------------------------+
 *     |  layers x positions: layer from which on a     |
 *     |  position is reached                          |
 *     +-------------------------+--------------------+
 *     |  reach against layers   |  in numbers        |
 *     +-------------------------+--------------------+
 *
 * A query attends to its own segment up to itself and to `memory` hidden states before the segment (Dai et al. 2019, section 3.2).
 * Those states were computed with memory of their own, so each layer reaches further back: about layers x memory tokens. A sliding
 * window reaches layers x (window - 1). Streaming attention (Xiao et al. 2024) keeps a window and the first tokens. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "figure/axis.h"

enum { P_SEGMENT, P_MEMORY, P_LAYERS, P_SINKS, P_SCHEME };
enum { SCHEME_XL, SCHEME_WINDOW, SCHEME_STREAM, SCHEME_COUNT };
static const char *const schemes[] = {"recurrence", "window", "streaming", NULL};
static const char *const scheme_titles[] = {N_("segments with memory"), N_("sliding window"), N_("streaming with sinks")};
static const char *const scheme_words[] = {N_("segments"), N_("window"), N_("streaming")};       /* for the legend */
static const struct param params[] = {
    [P_SEGMENT] = {.name = "segment", .title = N_("segment"), .unit = N_("tokens"), .help = N_("tokens of one segment"), .type = PARAM_INT, .def = 128, .min = 1,
                   .max = 1e6},
    [P_MEMORY] = {.name = "mem_len", .title = N_("memory"), .unit = N_("tokens"), .help = N_("hidden states kept from before the segment"),
                  .type = PARAM_INT, .def = 128, .min = 0, .max = 1e6},
    [P_LAYERS] = {.name = "layers", .title = N_("layers"), .help = N_("number of layers"), .type = PARAM_INT, .def = 12, .min = 1, .max = 128, .step = 1},
    [P_SINKS] = {.name = "sinks", .title = N_("sinks"), .unit = N_("tokens"), .help = N_("first tokens that streaming attention keeps"), .type = PARAM_INT,
                 .def = 4, .min = 0, .max = 1024, .step = 1},
    [P_SCHEME] = {.name = "scheme", .title = N_("scheme"), .help = N_("which scheme the map shows"), .type = PARAM_CHOICE, .def = SCHEME_XL,
                  .choices = schemes, .titles = scheme_words},
};

enum { A_SCHEME, A_MORE, A_LESS };
static const struct action actions[] = {
    {A_SCHEME, 'v', 0, "next-scheme", N_("next scheme"), true},
    {A_MORE, 'n', 0, "more-layers", N_("one layer more"), true},
    {A_LESS, 'b', 0, "fewer-layers", N_("one layer less"), false},
};

static double num(const struct scenario *s, int param)
{
    return view_num(s, VIEW_segments, param);
}

static bool input(struct scenario *s, int action)
{
    struct value *v = s->view_param[VIEW_segments];
    double layers = v[P_LAYERS].x;
    if (action == A_SCHEME)
        v[P_SCHEME].x = fmod(v[P_SCHEME].x + 1, SCHEME_COUNT);
    else if (action == A_MORE || action == ACTION_TICK)
        v[P_LAYERS].x = action == ACTION_TICK && layers >= 24 ? 1 : fmin(layers + 1, 128);
    else if (action == A_LESS)
        v[P_LAYERS].x = fmax(layers - 1, 1);
    return true;
}

/* The last token of the sequence is the one whose reach is shown; it ends a segment. */
static double sequence_length(const struct scenario *s)
{
    double S = num(s, P_SEGMENT), farthest = num(s, P_LAYERS) * fmax(num(s, P_MEMORY) + S, 1);
    return S * ceil((farthest + S) / S);
}

static double window_of(const struct scenario *s)
{
    return num(s, P_MEMORY) + num(s, P_SEGMENT);        /* as many keys a query as the recurrence sees at most */
}

/* One layer down: the earliest position that the state at `from` was computed from. */
static double earlier(const struct scenario *s, int scheme, double from)
{
    double S = num(s, P_SEGMENT);
    double before = scheme == SCHEME_XL ? floor(from / S) * S - num(s, P_MEMORY) : from - window_of(s) + 1;
    return fmax(before, 0);
}

static double reach_after(const struct scenario *s, int scheme, int layers)
{
    double from = sequence_length(s) - 1;
    for (int l = 0; l < layers; l++)
        from = earlier(s, scheme, from);
    return from;
}

static bool is_sink(const struct scenario *s, int scheme, double position)
{
    return scheme == SCHEME_STREAM && position < num(s, P_SINKS);
}

enum { COORD_LAYERS = 1 };

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    (void)err;
    enum lang l = s->lang;
    struct span positions = view_window(s->zoom.x0, s->zoom.x1, 0, sequence_length(s), true);
    struct span layers = view_window(s->zoom.y0, s->zoom.y1, 1, num(s, P_LAYERS) + 1, true);
    struct panel *p = figure_add(f, PANEL_HEATMAP, lang_text(l, scheme_titles[(int)num(s, P_SCHEME)]));
    axis_set(&p->x, lang_text(l, N_("position")), lang_text(l, N_("tokens")), positions.from, positions.to, false);
    axis_set(&p->y, lang_text(l, N_("layers")), "", layers.from, layers.to, false);
    p->y.coord = COORD_LAYERS;
    p->weight = 3;
    snprintf(p->unit, sizeof p->unit, "%s", lang_text(l, N_("share reached")));
    p = figure_add(f, PANEL_CURVES, lang_text(l, N_("tokens within reach of the last one")));
    double first = layers.from > 1 ? layers.from : 0;
    axis_set(&p->x, lang_text(l, N_("layers")), "", first, fmax(first + 1, layers.to - 1), false);
    p->x.coord = COORD_LAYERS;
    axis_set(&p->y, lang_text(l, N_("tokens")), "", NAN, NAN, false);
    p->weight = 2;
    p = figure_add(f, PANEL_TABLE, lang_text(l, N_("in numbers")));
    p->beside = true;
    p->weight = 2;
    p->max_h = 8;
    snprintf(f->source, sizeof f->source, "%s", "Dai et al. 2019, section 3.2 (arXiv 1901.02860); Xiao et al. 2024 (arXiv 2309.17453)");
    return true;
}

static void fill_map(const struct scenario *s, struct panel *p)
{
    int scheme = (int)num(s, P_SCHEME);
    if (p->w < 1 || p->h < 1)
        return;
    double *data = panel_heatmap(p);
    for (int r = 0; r < p->h; r++) {
        double from = reach_after(s, scheme, (int)axis_edge(&p->y, p->h, r));
        for (int c = 0; c < p->w; c++) {
            double c0 = axis_edge(&p->x, p->w, c), c1 = fmax(c0 + 1, axis_edge(&p->x, p->w, c + 1)), reached = 0;
            reached = fmin(fmax(c1 - fmax(c0, from), 0), c1 - c0);
            if (is_sink(s, scheme, c0) && from > c0)
                reached = fmin(c1, num(s, P_SINKS)) - c0 + (from < c1 ? c1 - from : 0);
            data[r * p->w + c] = reached / (c1 - c0);
        }
    }
    p->lo = 0;
    p->hi = 1;
    p->exact = true;
    p->reduce = axis_count(&p->x) > p->w || axis_count(&p->y) > p->h ? REDUCE_MEAN : REDUCE_NONE;
}

static double tokens_reached(const struct scenario *s, int scheme, int layers)
{
    double from = reach_after(s, scheme, layers), sinks = scheme == SCHEME_STREAM && layers > 0 ? fmin(num(s, P_SINKS), from) : 0;
    return sequence_length(s) - from + sinks;
}

static void fill_curves(const struct scenario *s, struct panel *p)
{
    size_t n = (size_t)(p->x.to - p->x.from) + 1;
    double *x = panel_xs(p, n);
    for (size_t i = 0; i < n; i++)
        x[i] = p->x.from + (double)i;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        struct series *y = panel_add_series(p, lang_text(s->lang, scheme_words[scheme]));
        y->steps = true;
        for (size_t i = 0; i < n; i++)
            y->y[i] = tokens_reached(s, scheme, (int)x[i]);
    }
    panel_autorange(p);
}

static void fill_table(const struct scenario *s, struct panel *p)
{
    enum lang l = s->lang;
    int layers = (int)num(s, P_LAYERS);
    const char *const heads[] = {N_("scheme"), N_("keys a query"), N_("tokens within reach")};
    panel_table(p, SCHEME_COUNT + 1, 3);
    for (size_t c = 0; c < 3; c++)
        panel_cell(p, 0, c, ROLE_DIM, c > 0, "%s", lang_text(l, heads[c]));
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        size_t r = (size_t)scheme + 1;
        panel_cell(p, r, 0, scheme == (int)num(s, P_SCHEME) ? ROLE_ACCENT : ROLE_TEXT, false, "%s", lang_text(l, scheme_titles[scheme]));
        char number[32];
        double keys = window_of(s) + (scheme == SCHEME_STREAM ? num(s, P_SINKS) : 0);
        panel_cell(p, r, 1, ROLE_TEXT, true, "%s", format_number(number, sizeof number, keys, 10));
        panel_cell(p, r, 2, ROLE_TEXT, true, "%s", format_number(number, sizeof number, tokens_reached(s, scheme, layers), 10));
    }
    snprintf(p->note, sizeof p->note, lang_text(l, N_("layers × memory = %.0f")), layers * num(s, P_MEMORY));
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    (void)err;
    fill_map(s, &f->panel[0]);
    fill_curves(s, &f->panel[1]);
    fill_table(s, &f->panel[2]);
    return job_tick(job, 1);
}

static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    int scheme = (int)num(s, P_SCHEME), layers = (int)fmax(panel == 0 ? floor(y) : round(x), 0);
    out->known = panel <= 1 && layers <= 128;
    if (out->known) {
        double from = reach_after(s, scheme, layers);
        out->value = tokens_reached(s, scheme, layers);
        snprintf(out->name, sizeof out->name, lang_text(s->lang, N_("%s, %d layers")), lang_text(s->lang, scheme_titles[scheme]), layers);
        snprintf(out->value_text, sizeof out->value_text, lang_text(s->lang, N_("%.0f tokens")), out->value);
        out->worded = true;
        if (panel == 0)
            snprintf(out->formula, sizeof out->formula, lang_text(s->lang, N_("position %.0f: %s; the earliest one reached is %.0f")), floor(x),
                     lang_text(s->lang, floor(x) >= from || is_sink(s, scheme, floor(x)) ? N_("reached") : N_("not reached")), from);
        snprintf(out->source, sizeof out->source, "Dai et al. 2019, section 3.2");
    }
    return out->known;
}

const struct view view_segments = {
    .id = "segments",
    .title = N_("segments"),
    .help = N_("A long text is read in segments, and each layer also sees hidden states that it kept from before. Those were computed from even earlier ones, "
               "so every layer reaches further back. The map shows which positions the last token can know of after how many layers; the curves compare "
               "this with a plain window and with streaming attention."),
    .params = params, .n_params = sizeof params / sizeof *params,
    .actions = actions, .n_actions = sizeof actions / sizeof *actions,
    .plays = 4,
    .preset = "encodings/transformer_xl",
    .input = input,
    .plan = plan,
    .compute = compute,
    .probe = probe,
};
