/* model.c - what a real file says about position: facts with their origin, findings, layers.
 *
 *     +------------------------------+-----------------------+
 *     |  fact, value, where from     |  findings             |
 *     +------------------------------+-----------------------+
 *     |  layer map: one column a layer, one row a kind       |
 *     +------------------------------------------------------+
 *
 * The layer under the cursor can be taken: every view then shows that layer's encoding. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "base/utf8.h"
#include "figure/draw.h"

enum { A_TAKE, A_NEXT, A_BACK, A_MAIN, A_EXTEND };
static const struct action actions[] = {
    {A_TAKE, 'm', 0, "take-layer", N_("show the layer under the cursor in all views"), true},
    {A_NEXT, 'n', 0, "next-layer", N_("next layer"), true},
    {A_BACK, 'b', 0, "previous-layer", N_("layer before"), false},
    {A_MAIN, 'v', 0, "main-layers", N_("back to the main kind of layer"), false},
    {A_EXTEND, 'w', 0, "extend-further", N_("ask the wizard how to extend it"), true},
};

static const char *suits(const struct scenario *s)
{
    return s->model ? NULL
                    : N_("No model file is loaded. Start with -m FILE, or choose one of the built-in models with :preset, for example :preset "
                         "llama-3.1-8b.");
}

enum { PANEL_OF_FACTS, PANEL_OF_FINDINGS, PANEL_OF_LAYERS };

/* The wizard's checkpoint branch, with what the file answers. */
static bool extend(struct scenario *s)
{
    static const struct { const char *scheme, *answer; } answers[] = {
        {"rope", "rope"}, {"learned_absolute", "absolute"}, {"sinusoidal_absolute", "absolute"}, {"t5_relative_bias", "bias"},
        {"deberta_disentangled", "bias"}, {"transformer_xl_relative", "bias"}, {"alibi", "alibi"}, {"none", "nope"},
    };
    char walk[64] = "start=checkpoint";
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (!strcmp(answers[i].scheme, s->model->scheme))
            snprintf(walk, sizeof walk, "start=checkpoint ck_scheme=%s", answers[i].answer);
    if (!scenario_set_view(s, "wizard", NULL))
        return false;
    scenario_set_walk(s, walk);
    return true;
}

static bool input(struct scenario *s, int action)
{
    const struct facts *f = s->model;
    if (f && action == A_EXTEND)
        return extend(s);
    if (!f || !f->n_layers)
        return false;
    int layer = s->model_layer, last = (int)f->n_layers - 1;
    struct spot here = scenario_spot(s, PANEL_OF_LAYERS);
    here.x = isnan(here.x) ? (double)f->n_layers / 2 : here.x;
    switch (action) {
    case A_TAKE:
        if (s->focus != PANEL_OF_LAYERS)
            return false;
        layer = (int)fmin(fmax(floor(here.x), 0), last);
        break;
    case A_NEXT: layer = layer < last ? layer + 1 : 0; break;
    case A_BACK: layer = layer > 0 ? layer - 1 : last; break;
    case A_MAIN: layer = -1; break;
    default:     return false;
    }
    struct zoom zoom = s->zoom;
    struct spot cursor[CURSOR_PANELS];
    int focus = s->focus;
    memcpy(cursor, s->cursor, sizeof cursor);
    bool good = scenario_set_model_layer(s, layer, NULL);
    s->zoom = zoom;
    memcpy(s->cursor, cursor, sizeof cursor);
    s->focus = focus;
    return good;
}

static bool offers(const struct scenario *s, int action)
{
    return action == A_EXTEND || (s->model && s->model->n_layers);
}

/* The name, and the version of the evidence. */
static void set_title(struct panel *p, const struct facts *f, enum lang lang)
{
    char source[80], text[200];
    model_source_text(&f->source, lang, source, sizeof source);
    snprintf(text, sizeof text, "%.48s%s%s%s", f->file, *source ? " (" : "", source, *source ? ")" : "");
    utf8_sanitise(p->title, sizeof p->title, *source ? text : f->file);
}

/* The kinds that the layers of the map are of: those of other parts, behind them, have no layers in it. */
static size_t mapped_kinds(const struct facts *f)
{
    size_t n = 0;
    for (size_t l = 0; l < f->n_layers; l++)
        n = f->kind_of_layer[l] >= n ? f->kind_of_layer[l] + 1u : n;
    return n;
}

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    (void)err;
    enum lang l = s->lang;
    struct panel *p = figure_add(f, PANEL_TABLE, "");
    set_title(p, s->model, l);
    bool findings = s->model->n_findings > 0;       /* without them the facts are worth the room */
    p->weight = findings ? 6 : 30;
    p->min_w = 40;
    p->min_h = 6;
    p = figure_add(f, PANEL_TEXT, lang_text(l, N_("findings")));
    p->weight = findings ? 4 : 1;
    p->beside = true;
    p->min_w = findings ? 30 : 26;
    if (s->model->n_layers) {
        p = figure_add(f, PANEL_HEATMAP, lang_text(l, N_("layers by kind")));
        struct span layers = view_window(s->zoom.x0, s->zoom.x1, 0, (double)s->model->n_layers, true);
        axis_set(&p->x, lang_text(l, N_("layer")), "", layers.from, layers.to, false);
        const char *names[FACTS_MAX_KINDS];
        size_t kinds = mapped_kinds(s->model);
        for (size_t k = 0; k < kinds; k++)
            names[k] = s->model->kind[k].name;
        axis_set(&p->y, lang_text(l, N_("kind")), "", 0, (double)kinds, false);
        axis_set_ticks(&p->y, names, kinds);
        p->weight = 1;
        p->min_h = kinds > 2 ? (int)kinds + 3 : 5;
        p->max_h = (int)kinds * 2 + 5;
    }
    return true;
}

/* ---- facts --------------------------------------------------------------------------------------- */

static const char *origin_of(const struct facts *f, const char *field)
{
    for (size_t i = 0; i < f->n_origins; i++)
        if (!strcmp(f->origin[i].field, field))
            return f->origin[i].from;
    return "";
}

struct fact_row {
    const char *field, *label;      /* label N_() */
    const char *text;               /* or NULL: the number */
    double number;
};

static size_t collect(const struct facts *f, struct fact_row *rows)
{
    const struct fact_row all[] = {
        {"model_type", N_("family"), f->model_type, NAN},          {"scheme", N_("scheme"), f->scheme, NAN},
        {"layout", N_("layout"), f->layout, NAN},                  {"head_dim", N_("head width"), NULL, f->head_dim},
        {"rotary_dim", N_("turned width"), NULL, f->rotary_dim},   {"num_heads", N_("heads"), NULL, f->num_heads},
        {"num_kv_heads", N_("key heads"), NULL, f->num_kv_heads},  {"num_layers", N_("layers"), NULL, f->num_layers},
        {"base", N_("base"), NULL, f->base},                       {"scaling_type", N_("scaling"), f->scaling_type, NAN},
        {"factor", N_("factor"), NULL, f->factor},                 {"trained_context", N_("trained length"), NULL, f->trained_context},
        {"context", N_("allowed length"), NULL, f->context},       {"softmax_scale", N_("scale of the logits"), NULL, f->softmax_scale},
    };
    size_t n = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].text ? *all[i].text : !isnan(all[i].number))
            rows[n++] = all[i];
    return n;
}

static void fill_facts(const struct scenario *s, struct panel *p)
{
    struct fact_row rows[16];
    size_t n = collect(s->model, rows);
    panel_table(p, n + 1, 3);
    panel_cell(p, 0, 0, ROLE_DIM, false, "%s", lang_text(s->lang, N_("fact")));
    panel_cell(p, 0, 1, ROLE_DIM, true, "%s", lang_text(s->lang, N_("value")));
    panel_cell(p, 0, 2, ROLE_DIM, false, "%s", lang_text(s->lang, N_("where from")));
    for (size_t i = 0; i < n; i++) {
        char number[32];
        format_number(number, sizeof number, rows[i].number, 9);
        panel_cell(p, i + 1, 0, ROLE_TEXT, false, "%s", lang_text(s->lang, rows[i].label));
        panel_cell(p, i + 1, 1, ROLE_TITLE, true, "%s", rows[i].text ? rows[i].text : number);
        panel_cell(p, i + 1, 2, ROLE_DIM, false, "%s", origin_of(s->model, rows[i].field));
    }
    if (s->model->changed)
        snprintf(p->note, sizeof p->note, "%s", lang_text(s->lang, N_("changed by you: not what the file says")));
}

static void fill_findings(const struct scenario *s, struct panel *p)
{
    static const char *const names[] = {N_("note"), N_("warning"), N_("error")};
    const struct facts *f = s->model;
    if (!f->n_findings)
        panel_text(p, "%s\n", lang_text(s->lang, N_("Nothing to complain about.")));
    for (size_t i = 0; i < f->n_findings; i++) {
        const struct finding *x = &f->finding[i];
        char place[40] = "";
        if (x->line)
            snprintf(place, sizeof place, lang_text(s->lang, N_(", line %d")), x->line);
        panel_text(p, "# %s [%s]  %s%s\n%s\n", lang_text(s->lang, names[x->severity]), x->code, x->field, place, x->message);
    }
    if (f->n_findings)
        panel_text(p, lang_text(s->lang, N_("`posviz explain %s` says more.\n")), f->n_findings == 1 ? f->finding[0].code : lang_text(s->lang, N_("CODE")));
}

static void fill_layers(const struct scenario *s, struct panel *p)
{
    const struct facts *f = s->model;
    if (p->w < 1 || p->h < 1)
        return;
    double *data = panel_heatmap(p);
    for (int r = 0; r < p->h; r++) {
        size_t kind = (size_t)r * p->y.n_ticks / (size_t)p->h;
        for (int c = 0; c < p->w; c++) {
            size_t layer = (size_t)axis_edge(&p->x, p->w, c);
            bool here = f->kind_of_layer[layer] == kind;
            data[r * p->w + c] = here ? ((int)layer == s->model_layer ? 1 : 0.6) : 0;
        }
    }
    p->lo = 0;
    p->hi = 1;
    p->map = true;
    p->exact = true;
    p->reduce = p->w < axis_count(&p->x) ? REDUCE_NEAREST : REDUCE_NONE;
    size_t at = 0;
    for (size_t k = 0; k < f->n_kinds && at < sizeof p->note; k++) {
        const struct layer_facts *kind = &f->kind[k];
        at += (size_t)snprintf(p->note + at, sizeof p->note - at, "%s%zu × %s", k ? " · " : "", kind->count, kind->name);
        if (kind->mask.type >= MASK_SLIDING && at < sizeof p->note)
            at += (size_t)snprintf(p->note + at, sizeof p->note - at, lang_text(s->lang, kind->mask.type == MASK_WINDOW ? N_(" (window %.0f a side)") : N_(" (window %.0f)")),
                                   kind->mask.size);
    }
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    (void)err;
    fill_facts(s, &f->panel[PANEL_OF_FACTS]);
    fill_findings(s, &f->panel[PANEL_OF_FINDINGS]);
    if (f->n > PANEL_OF_LAYERS)
        fill_layers(s, &f->panel[PANEL_OF_LAYERS]);
    return job_tick(job, 1);
}

static void read_fact(const struct scenario *s, double y, struct readout *out)
{
    struct fact_row rows[16];
    size_t n = collect(s->model, rows), i = y >= 1 ? (size_t)y - 1 : 0;
    out->known = i < n;
    if (!out->known)
        return;
    const char *from = origin_of(s->model, rows[i].field);
    snprintf(out->name, sizeof out->name, "%s (%s)", lang_text(s->lang, rows[i].label), rows[i].field);
    out->value = rows[i].number;
    snprintf(out->value_text, sizeof out->value_text, "%s", rows[i].text ? rows[i].text : "");
    if (*from)
        snprintf(out->formula, sizeof out->formula, lang_text(s->lang, N_("from %s")), from);
    utf8_sanitise(out->source, sizeof out->source, s->model->file);
}

/* "RoPE, rope_theta 10 000; mask sliding 512" */
static void describe_kind(enum lang l, const struct layer_facts *kind, char *out, size_t size)
{
    const struct item *item = kind->n_items ? &kind->item[0] : NULL;
    int base = item ? param_index(item->kind->params, item->kind->n_params, "rope_theta") : -1;
    char number[32], theta[64] = "", window[40] = "";
    if (base >= 0)
        snprintf(theta, sizeof theta, ", rope_theta %s", format_number(number, sizeof number, item->param[base].x, 9));
    if (kind->mask.type >= MASK_SLIDING)
        snprintf(window, sizeof window, kind->mask.type == MASK_WINDOW ? lang_text(l, N_(" %s a side")) : " %s", format_number(number, sizeof number, kind->mask.size, 9));
    snprintf(out, size, lang_text(l, N_("%s%s; mask %s%s")), lang_text(l, item ? item->kind->title : layer_facts_without(kind)), theta,
             mask_names[kind->mask.type], window);
}

static void read_layer(const struct scenario *s, double x, struct readout *out)
{
    const struct facts *f = s->model;
    out->known = f->n_layers > 0;
    if (!out->known)
        return;
    size_t layer = (size_t)fmin(fmax(floor(x), 0), (double)f->n_layers - 1);
    const struct layer_facts *kind = &f->kind[f->kind_of_layer[layer]];
    snprintf(out->name, sizeof out->name, lang_text(s->lang, N_("layer %zu")), layer);
    snprintf(out->value_text, sizeof out->value_text, "%s", kind->name);
    out->value = (double)f->kind_of_layer[layer];
    describe_kind(s->lang, kind, out->formula, sizeof out->formula);
    utf8_sanitise(out->source, sizeof out->source, f->file);
}

static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    out->known = false;
    if (s->model && panel == PANEL_OF_FACTS)
        read_fact(s, y, out);
    else if (s->model && panel == PANEL_OF_LAYERS)
        read_layer(s, x, out);
    return out->known;
}

const struct view view_model = {
    .id = "model",
    .title = N_("model"),
    .help = N_("What a model's file says about position, with the key or rule that each fact comes from, and what is doubtful or wrong in it. Models with "
               "several kinds of layers show which layer is of which kind; take one, and every other view shows that layer's encoding."),
    .actions = actions, .n_actions = sizeof actions / sizeof *actions,
    .preset = "models/gemma-3-1b",
    .suits = suits,
    .input = input,
    .offers = offers,
    .plan = plan,
    .compute = compute,
    .probe = probe,
};
