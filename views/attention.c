/* attention.c - live attention patterns.
 *
 *     +-----------------------+------------------+
 *     |  queries x keys       |  other heads,    |
 *     |  of one head          |  small           |
 *     +-----------------------+------------------+
 *     |  head: entropy, mean distance | does it notice the order? |
 *     +-----------------------+------------------+
 *
 * The weights are softmax(scale q.k + context terms + bias) over the keys that the mask allows. Content is none, seeded by token
 * index, seeded by word (equal words have equal vectors), or q and k from .npy files. The proof panel is attention_proof.c's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/view.h"
#include "attention_scene.h"
#include "base/mem.h"
#include "figure/draw.h"

static const char *const shows[] = {"logit", "probability", "log", NULL};
static const char *const show_titles[] = {N_("logit"), N_("weight"), N_("log weight")};
static const char *const terms[] = {"all", "content", "position", "apart", "difference", NULL};
static const char *const term_titles[] = {N_("all"), N_("content"), N_("position"), N_("each apart"), N_("difference")};
static const char *const versus[] = {"swap", "guide", "zh", "en", NULL};
static const char *const versus_titles[] = {N_("two words swapped"), N_("the guide's"), N_("Chinese"), N_("English")};
static const struct param params[] = {
    [P_HEAD] = {.name = "head", .title = N_("head"), .help = N_("head of the large picture, from 0"), .type = PARAM_INT, .def = 0, .min = 0, .max = FACTS_MAX_HEADS - 1,
                .step = 1, .of_heads = true},
    [P_HEADS] = {.name = "heads", .title = N_("heads shown"), .help = N_("how many other heads stand beside it"), .type = PARAM_INT, .def = 3, .min = 0,
                 .max = 7, .step = 1},
    [P_SHOW] = {.name = "show", .title = N_("show"), .help = N_("logits, weights, or the logarithm of the weights"), .type = PARAM_CHOICE,
                .def = SHOW_PROBABILITY, .choices = shows, .titles = show_titles},
    [P_TERMS] = {.name = "terms", .title = N_("terms"),
                 .help = N_("all terms of the logit, content or position alone, each apart, or the difference that position makes"), .type = PARAM_CHOICE,
                 .def = TERMS_ALL, .choices = terms, .titles = term_titles},
    [P_SINK] = {.name = "hide_sink", .title = N_("hide the sink"), .help = N_("leave key 0 out of the colours' range"), .type = PARAM_BOOL, .def = 0},
    [P_VERSUS] = {.name = "versus", .title = N_("second sentence"),
                  .help = N_("two words swapped; the guide's own pair; a true reordering in Chinese; one in English"), .type = PARAM_CHOICE, .def = VERSUS_SWAP,
                  .choices = versus, .titles = versus_titles},
};

enum { A_HEAD_NEXT, A_HEAD_BACK, A_POSITION, A_DIFFERENCE, A_APART, A_SHOW, A_SWAP, A_VERSUS };
static const struct action actions[] = {
    {A_HEAD_NEXT, 'n', 0, "next-head", N_("next head"), true},
    {A_HEAD_BACK, 'b', 0, "previous-head", N_("head before"), false},
    {A_POSITION, 'e', 0, "position-only", N_("position only, and back"), true},
    {A_DIFFERENCE, 'r', 0, "position-difference", N_("what position changes"), true},
    {A_APART, 'a', 0, "terms-apart", N_("each term apart"), true},
    {A_SHOW, 'v', 0, "next-scale", N_("logit, weight, log weight"), false},
    {A_SWAP, 'w', 0, "swap-words", N_("swap two words"), true},
    {A_VERSUS, 'o', 0, "next-sentences", N_("another pair of sentences"), false},
};

static bool input(struct scenario *s, int action)
{
    struct value *v = s->view_param[VIEW_attention];
    struct sentence t;
    int H = s->shape.n_heads, now = (int)v[P_TERMS].x;
    switch (action) {
    case A_HEAD_NEXT:  v[P_HEAD].x = (scene_head(s) + 1) % H; return true;
    case A_HEAD_BACK:  v[P_HEAD].x = (scene_head(s) + H - 1) % H; return true;
    case A_POSITION:   v[P_TERMS].x = now == TERMS_POSITION ? TERMS_ALL : TERMS_POSITION; return true;
    case A_DIFFERENCE: v[P_TERMS].x = now == TERMS_DIFFERENCE ? TERMS_ALL : TERMS_DIFFERENCE; return true;
    case A_APART:      v[P_TERMS].x = now == TERMS_APART ? TERMS_ALL : TERMS_APART; return true;
    case A_SHOW:       v[P_SHOW].x = fmod(v[P_SHOW].x + 1, ATTENTION_SHOW_COUNT); return true;
    case A_SWAP:
        sentence_split(s->text, &t);
        sentence_swap(&t);
        sentence_join(&t, s->text, sizeof s->text);
        s->content = CONTENT_TOKENS;
        return true;
    case A_VERSUS:
        v[P_VERSUS].x = fmod(v[P_VERSUS].x + 1, 4);
        if (attention_proof_text(s))
            snprintf(s->text, sizeof s->text, "%s", attention_proof_text(s));
        s->content = CONTENT_TOKENS;
        return true;
    }
    return false;
}

/* ---- opening ------------------------------------------------------------------------------------- */

static const char *suits(const struct scenario *s)
{
    if (s->content == CONTENT_TABLES && !s->q)
        return N_("Queries and keys are to come from .npy files, but none is loaded: :set q=FILE, :set k=FILE, or :set content=tokens.");
    return NULL;
}

/* ---- plan ---------------------------------------------------------------------------------------- */

/* How many heatmaps: the large one, and either the terms apart, or the other heads. */
static size_t count_maps(const struct scenario *s, size_t n_terms)
{
    return (int)scene_num(s, P_TERMS) == TERMS_APART ? 1 + n_terms : 1 + (size_t)fmin(scene_num(s, P_HEADS), s->shape.n_heads - 1);
}

static const char *unit_of(const struct scenario *s)
{
    static const char *const units[] = {N_("logit"), N_("weight"), N_("log weight")};
    return lang_text(s->lang, units[(int)scene_num(s, P_SHOW)]);
}

/* Head of small picture i: the ones after the large one, round the ring. */
static int head_of_map(const struct scenario *s, size_t i)
{
    return (scene_head(s) + (int)i) % s->shape.n_heads;
}

static size_t terms_of(const struct scenario *s, const char *names[TERMS_MAX], struct err *err)
{
    struct layer *layer = scenario_layer(s, err);
    size_t n = layer ? attention_terms(layer, names) : 0;
    layer_close(layer);
    return n;
}

static double clamp(double x, double fallback, double lo, double hi)
{
    return fmin(fmax(isnan(x) ? fallback : x, lo), hi);
}

enum { COORD_KEY = 1, COORD_QUERY };

static void plan_map(const struct scenario *s, struct figure *f, const struct sentence *t, const char *title)
{
    enum lang l = s->lang;
    double n = scene_length(s, t), m = scene_memory(s), x0 = clamp(floor(s->zoom.x0), -m, -m, n - 1), x1 = clamp(ceil(s->zoom.x1), n, x0 + 1, n),
           y0 = clamp(floor(s->zoom.y0), 0, 0, n - 1), y1 = clamp(ceil(s->zoom.y1), n, y0 + 1, n);
    struct panel *p = figure_add(f, PANEL_HEATMAP, title);
    bool small = f->n > 1;
    axis_set(&p->x, lang_text(l, N_("key")), "", x0, x1, false);
    axis_set(&p->y, lang_text(l, N_("query")), "", y0, y1, false);
    if (s->content == CONTENT_TOKENS) {
        const char *words[MAX_TOKENS];
        for (size_t i = 0; i < t->n; i++)
            words[i] = t->token[i];
        axis_set_ticks(&p->x, words + (size_t)x0, (size_t)(x1 - x0));
        axis_set_ticks(&p->y, words + (size_t)y0, (size_t)(y1 - y0));
    }
    p->x.coord = COORD_KEY;
    p->y.coord = COORD_QUERY;
    p->weight = small ? 1 : 3;
    p->min_w = small ? 16 : 20;
    p->beside = small;
    p->by_distance = true;
    p->centred = (int)scene_num(s, P_SHOW) == SHOW_LOGIT || (int)scene_num(s, P_TERMS) == TERMS_DIFFERENCE;
    snprintf(p->unit, sizeof p->unit, "%s", unit_of(s));
}

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    struct sentence t;
    const char *names[TERMS_MAX];
    struct err local = {.lang = s->lang};
    size_t n_terms = terms_of(s, names, &local);
    if (!n_terms) {
        if (err)
            *err = local;
        return false;
    }
    sentence_split(s->text, &t);
    for (size_t i = 0; i < count_maps(s, n_terms); i++) {
        char title[96];
        if (i && (int)scene_num(s, P_TERMS) == TERMS_APART)
            snprintf(title, sizeof title, "%s", lang_text(s->lang, names[i - 1]));
        else if (scene_length(s, &t) == LONGEST && s->shape.length > LONGEST)
            snprintf(title, sizeof title, lang_text(s->lang, N_("head %d of %d: the first %d tokens")), head_of_map(s, i), s->shape.n_heads, LONGEST);
        else if (i)
            snprintf(title, sizeof title, lang_text(s->lang, N_("head %d")), head_of_map(s, i));
        else
            snprintf(title, sizeof title, lang_text(s->lang, N_("head %d of %d")), head_of_map(s, i), s->shape.n_heads);
        plan_map(s, f, &t, title);
    }
    struct panel *p = figure_add(f, PANEL_TABLE, lang_text(s->lang, N_("attention heads")));
    p->weight = 1;
    p->max_h = 7;
    p = figure_add(f, PANEL_TEXT, lang_text(s->lang, N_("does it notice the order?")));
    p->weight = 1;
    p->max_h = 9;
    p->beside = true;
    view_sources(s, NULL, f->source, sizeof f->source);
    return true;
}

/* ---- compute ------------------------------------------------------------------------------------- */

enum { PREVIEW_ROWS = 64 };
static const double PREVIEW_PART = 0.05;        /* of the progress of all */

static bool pool(const struct attention *a, struct panel *p, double *out, bool preview, struct attention_facts *facts, struct job *job)
{
    struct window win = {p->y.from, p->y.to, p->x.from, p->x.to};
    struct pooled how;
    bool good = attention_pool(a, win, p->h, p->w, preview ? PREVIEW_ROWS : 0, out, &how, facts, job_tick_fn, job);
    p->reduce = how.reduce;
    p->exact = how.exact && !preview;
    p->error = how.error;
    return good;
}

/* Samples of which every pair is masked look masked, not like a weight of 0. The runs of allowed keys move on with the query, so those
 * of a block's first and last query span all of them. */
static void mark_masked(const struct scenario *s, struct panel *p)
{
    double rows = p->y.to - p->y.from, cols = p->x.to - p->x.from, from, to, ignored;
    for (int r = 0; r < p->h; r++) {
        double q0 = p->y.from + floor(r * rows / p->h), q1 = fmax(q0, p->y.from + floor((r + 1) * rows / p->h) - 1);
        mask_run(s->mask, q0, INFINITY, &from, &ignored);
        mask_run(s->mask, q1, INFINITY, &ignored, &to);
        for (int c = 0; c < p->w; c++) {
            double k0 = p->x.from + floor(c * cols / p->w), k1 = fmax(k0, p->x.from + floor((c + 1) * cols / p->w) - 1);
            if (k1 < from || k0 >= to)
                p->data[r * p->w + c] = -INFINITY;
        }
    }
}

static void colour_range(const struct scenario *s, struct panel *p)
{
    mark_masked(s, p);
    panel_autorange(p);
    if ((int)scene_num(s, P_SHOW) == SHOW_PROBABILITY)
        p->lo = 0;
    if (scene_num(s, P_SINK) == 0 || p->w < 2)
        return;
    double hi = 0;
    for (int r = 0; r < p->h; r++)
        for (int c = 1; c < p->w; c++)
            if (isfinite(p->data[r * p->w + c]))
                hi = fmax(hi, p->data[r * p->w + c]);
    if (hi > 0)
        p->hi = hi;
}

/* One picture: a head with the wanted terms; the difference subtracts content alone. from, to: of the progress of all. */
static bool fill_map(const struct scenario *s, const struct sentence *t, struct panel *p, int head, unsigned wanted, bool preview, double from,
                     double to, struct attention_facts *facts, struct job *job, struct err *err)
{
    struct scene o, content;
    bool subtracts = !wanted && (int)scene_num(s, P_TERMS) == TERMS_DIFFERENCE;
    if (p->w < 1 || p->h < 1)
        return true;
    job_step(job, from, subtracts ? (from + to) / 2 : to);
    double *data = p->data ? p->data : panel_heatmap(p);
    bool good = scene_open(s, t, head, wanted, job_threads(job), &o, err) && pool(o.attention, p, data, preview, facts, job);
    scene_close(&o);
    if (!good || !subtracts)
        return good ? colour_range(s, p), true : false;
    job_step(job, (from + to) / 2, to);
    double *base = xcalloc((size_t)p->w * (size_t)p->h, sizeof *base);
    struct scenario plain = scene_without_turns(s);
    good = scene_open(&plain, t, head, 1u, job_threads(job), &content, err) && pool(content.attention, p, base, preview, NULL, job);
    scene_close(&content);
    for (size_t i = 0; good && i < (size_t)p->w * (size_t)p->h; i++)
        data[i] = isfinite(data[i]) ? data[i] - base[i] : data[i];
    free(base);
    if (good) {
        mark_masked(s, p);
        panel_autorange(p);
    }
    return good;
}

static void fill_heads(const struct scenario *s, struct panel *p, const struct attention_facts *facts, size_t n)
{
    panel_table(p, n + 1, 3);
    const char *const heads[] = {N_("head"), N_("entropy (nat)"), N_("mean distance (tokens)")};
    for (size_t c = 0; c < 3; c++)
        panel_cell(p, 0, c, ROLE_DIM, true, "%s", lang_text(s->lang, heads[c]));
    for (size_t i = 0; i < n; i++) {
        char number[64];
        panel_cell(p, i + 1, 0, i ? ROLE_TEXT : ROLE_ACCENT, true, "%d", head_of_map(s, i));
        panel_cell(p, i + 1, 1, ROLE_TEXT, true, "%s", format_fixed(number, sizeof number, facts[i].entropy, 4));
        panel_number(p, i + 1, 1, facts[i].entropy);
        panel_cell(p, i + 1, 2, ROLE_TEXT, true, "%s", format_fixed(number, sizeof number, facts[i].mean_distance, 3));
        panel_number(p, i + 1, 2, facts[i].mean_distance);
    }
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static bool fill_maps(const struct scenario *s, const struct sentence *t, struct figure *f, size_t maps, bool preview, struct attention_facts *facts,
                      struct job *job, struct err *err)
{
    bool apart = (int)scene_num(s, P_TERMS) == TERMS_APART;
    double from = preview ? 0 : PREVIEW_PART, part = ((preview ? PREVIEW_PART : 1) - from) / (double)maps;
    for (size_t i = 0; i < maps; i++) {
        unsigned wanted = i && apart ? 1u << (i - 1) : 0;
        if (!fill_map(s, t, &f->panel[i], apart ? scene_head(s) : head_of_map(s, i), wanted, preview, from + part * (double)i, from + part * (double)(i + 1),
                      &facts[i], job, err))
            return false;
        if (preview)
            job_publish(job, f);
    }
    return true;
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    struct sentence t;
    struct attention_facts facts[1 + TERMS_MAX + 8] = {{0}};
    size_t maps = f->n - 2;
    sentence_split(s->text, &t);
    if (scene_length(s, &t) > 1024 && !fill_maps(s, &t, f, maps, true, facts, job, err))
        return false;
    if (!fill_maps(s, &t, f, maps, false, facts, job, err))
        return false;
    fill_heads(s, &f->panel[maps], facts, (int)scene_num(s, P_TERMS) == TERMS_APART ? 1 : maps);
    attention_proof(s, &f->panel[maps + 1]);
    return true;
}

/* ---- read-out ------------------------------------------------------------------------------------ */

static void write_formula(const struct scenario *s, const struct layer *layer, const double *term, size_t n, size_t key, struct readout *out)
{
    const char *names[TERMS_MAX];
    size_t n_terms = attention_terms(layer, names), at = 0;
    const char *open = (int)scene_num(s, P_SHOW) == SHOW_LOGIT ? "" : "softmax( ";
    at += (size_t)snprintf(out->formula, sizeof out->formula, "%s", open);
    char number[32];
    for (size_t i = 0; i < n_terms && at < sizeof out->formula; i++)
        at += (size_t)snprintf(out->formula + at, sizeof out->formula - at, "%s%s %s", i ? " + " : "", lang_text(s->lang, names[i]),
                               format_term(number, sizeof number, term[i * n + key], 4));
    if (*open && at < sizeof out->formula)
        snprintf(out->formula + at, sizeof out->formula - at, " )");
}

/* What content alone gives at one place, key counted with the memory: the difference shown is against it. */
static double content_alone(const struct scenario *s, const struct sentence *t, int head, size_t query, size_t key)
{
    struct scene o;
    double value = NAN;
    struct scenario plain = scene_without_turns(s);
    if (scene_open(&plain, t, head, 1u, 1, &o, NULL)) {
        double *row = xmalloc((size_t)(scene_length(s, t) + scene_memory(s)) * sizeof *row);
        attention_row(o.attention, (double)query, row, NULL);
        value = row[key];
        free(row);
    }
    scene_close(&o);
    return value;
}

static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    struct sentence t;
    struct scene o = {0};
    const char *names[TERMS_MAX];
    sentence_split(s->text, &t);
    double memory = scene_memory(s);
    size_t n_terms = terms_of(s, names, NULL), n = (size_t)(scene_length(s, &t) + memory);        /* keys */
    bool apart = (int)scene_num(s, P_TERMS) == TERMS_APART;
    out->known = n_terms && (size_t)panel < count_maps(s, n_terms) && x >= -memory && y >= 0 &&
                 x < scene_length(s, &t) && y < scene_length(s, &t) &&
                 scene_open(s, &t, apart ? scene_head(s) : head_of_map(s, (size_t)panel), 0, 1, &o, NULL);
    if (out->known) {
        size_t query = (size_t)y, key = (size_t)(floor(x) + memory);
        double *row = xmalloc((n_terms + 1) * n * sizeof *row);
        attention_row(o.attention, (double)query, row, row + n);
        out->value = apart && panel ? row[n + ((size_t)panel - 1) * n + key] : row[key];
        if ((int)scene_num(s, P_TERMS) == TERMS_DIFFERENCE)
            out->value -= content_alone(s, &t, head_of_map(s, (size_t)panel), query, key);
        out->quotes = s->content == CONTENT_TOKENS;
        if (out->quotes)
            snprintf(out->name, sizeof out->name, "%s → %s", t.token[query], t.token[key]);
        else
            snprintf(out->name, sizeof out->name, lang_text(s->lang, N_("query %zu, key %.0f")), query, floor(x));
        write_formula(s, o.layer, row + n, n, key, out);
        view_sources(s, NULL, out->source, sizeof out->source);
        free(row);
    }
    scene_close(&o);
    return out->known;
}

/* A sentence is as long as its words, and has nothing before it. */
static unsigned spares(const struct scenario *s)
{
    return s->content == CONTENT_TOKENS ? USES_N | USES_MEMORY : 0;
}

static const char *const idle[] = {"mrope_section", "mrope_interleaved", NULL};

const struct view view_attention = {
    .id = "attention",
    .title = N_("attention"),
    .help = N_("Each row is a query and shows where its attention goes. Type a sentence, or let tokens be seeded, and turn the parameters of the encoding: "
               "the heads change at once. Terms can be shown apart, so you see what content and what position contribute. The last panel swaps words and "
               "measures whether the head notices."),
    .params = params, .n_params = sizeof params / sizeof *params,
    .uses = USES_SHAPE | USES_MASK | USES_MEMORY | USES_CONTENT | USES_SEED | USES_ENCODING,
    .spares = spares,
    .idle = idle,
    .actions = actions, .n_actions = sizeof actions / sizeof *actions,
    .preset = "encodings/alibi-attention",
    .suits = suits,
    .input = input,
    .plan = plan,
    .compute = compute,
    .probe = probe,
};
