/* guide.c - the selection guide beside what measurements say: its table, claims, situations and trends, and the measurements as
 * charts.
 *
 *     +- the guide's table 4.1 ----------------------------------------------+
 *     |                  absolute      relative      RoPE        ALiBi       |
 *     |  Extrapolation   weak +        medium ~      strong !    v. strong ! |
 *     +- G17: contested -----------------------------------------------------+
 *     |  what was measured, in which setting, by whom, and how it was checked |
 *     +----------------------------------------------------------------------+
 *
 * Marks: + supported, ~ imprecise, ! contested, x wrong, ? unverified. Where the program can test a claim, it does so now:
 * the numbers under "computed now" come from the encodings at this moment, never from the data. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "base/mem.h"
#include "base/rng.h"
#include "core/measure.h"
#include "figure/draw.h"
#include "jump.h"
#include "wizard/wizard.h"

enum { P_PAGE, P_COLUMN, P_MEASUREMENT };
enum page { PAGE_TABLE, PAGE_CLAIMS, PAGE_SITUATIONS, PAGE_TRENDS, PAGE_MEASURED, PAGE_MODELS, PAGE_LIMITS, PAGE_COUNT };
static const char *const pages[] = {N_("ratings"), N_("claims"), N_("situations"), N_("trends"), N_("measurements"),
                                    N_("models"), N_("limits"), NULL};
static const struct param params[] = {
    [P_PAGE] = {.name = "page", .title = N_("page"), .help = N_("the guide's table, its claims, situations, trends; measurements, models, or the "
                                           "limits of it all"), .type = PARAM_CHOICE, .choices = pages, .titles = pages},
    [P_COLUMN] = {.name = "column", .title = N_("column"), .when = "page=ratings|measurements", .help = N_("column of the table or of a measurement, from 1"), .type = PARAM_INT, .def = 1,
                  .min = 1,
                  .max = BOOK_MAX_COLUMNS, .step = 1},
    [P_MEASUREMENT] = {.name = "measurement", .title = N_("measurement"), .when = "page=measurements", .help = N_("which measurement is drawn, from 1"), .type = PARAM_INT, .def = 1,
                       .min = 1, .max = 64, .step = 1},
};

enum { KEY_ENTER = 13 };
enum { A_SEE = PAGE_COUNT, A_NEXT, A_BACK, A_VALUE };
static const struct action actions[] = {
    {PAGE_TABLE, '1', 0, "guide-table", N_("the guide's table"), true},
    {PAGE_CLAIMS, '2', 0, "guide-claims", N_("its claims"), true},
    {PAGE_SITUATIONS, '3', 0, "guide-situations", N_("its situations"), true},
    {PAGE_TRENDS, '4', 0, "guide-trends", N_("its trends"), true},
    {PAGE_MEASURED, '5', 0, "guide-measurements", N_("the measurements"), true},
    {PAGE_MODELS, '6', 0, "guide-models", N_("released models"), false},
    {PAGE_LIMITS, '7', 0, "guide-limits", N_("what is not known, and what was computed"), false},
    {A_SEE, KEY_ENTER, 'v', "see-it", N_("see it: its view, the wizard, the chart"), true},
    {A_NEXT, 'n', 0, "guide-next", N_("next column of the table, next measurement"), true},
    {A_BACK, 'b', 0, "guide-back", N_("the one before"), false},
    {A_VALUE, 'm', 0, "next-value", N_("another column of the measurement"), false},
};

/* ---- what is shown ------------------------------------------------------------------------------------- */

struct here {
    const struct scenario *s;
    const struct book *book;
    enum lang lang;
    enum page page;
    int row;                            /* under the cursor, from 0 */
    int column;                         /* from 0 */
};

static const char *say(const struct here *h, struct words w)
{
    return words_in(w, h->lang);
}

/* A trend of the guide is followed by what became of it: rows of both kinds, trend -1 for the guide's own. */
struct trend_row { const struct claim *claim; int trend; };
enum { MAX_TREND_ROWS = 64 };

static size_t trend_rows(const struct here *h, struct trend_row *out)
{
    size_t n = 0;
    for (size_t c = 0; c < h->book->n_claims; c++) {
        bool is_trend = false;
        for (size_t t = 0; t < h->book->n_trends; t++)
            is_trend |= h->book->trend[t].claim == &h->book->claim[c];
        if (is_trend && n < MAX_TREND_ROWS)
            out[n++] = (struct trend_row){&h->book->claim[c], -1};
        for (size_t t = 0; t < h->book->n_trends && n < MAX_TREND_ROWS; t++)
            if (h->book->trend[t].claim == &h->book->claim[c])
                out[n++] = (struct trend_row){&h->book->claim[c], (int)t};
    }
    return n;
}

static size_t count_rows(const struct here *h)
{
    struct trend_row rows[MAX_TREND_ROWS];
    const size_t n[PAGE_COUNT] = {h->book->n_guide_rows, h->book->n_claims, h->book->n_situations, trend_rows(h, rows),
                                  h->book->n_measurements,
                                 h->book->n_models, h->book->n_gaps + h->book->n_checks};
    return n[h->page];
}

static int at_most(double x, int last)
{
    return x < 0 || isnan(x) ? 0 : x < last ? (int)x : last;
}

/* The list is panel 0. The measurement is a parameter, so that the cursor is free to read the chart. */
static bool find_here(const struct scenario *s, struct here *h, struct err *err)
{
    *h = (struct here){.s = s, .book = wizard_book(err), .lang = s->lang, .page = (enum page)view_num(s, VIEW_guide, P_PAGE)};
    if (!h->book)
        return false;
    int last = (int)count_rows(h) - 1;
    if (h->page == PAGE_MEASURED)
        h->row = at_most(view_num(s, VIEW_guide, P_MEASUREMENT) - 1, last);
    else
        h->row = at_most(scenario_spot(s, 0).y - 1, last);
    h->column = at_most(view_num(s, VIEW_guide, P_COLUMN) - 1,
                        (h->page == PAGE_MEASURED ? (int)h->book->measurement[h->row].n_columns : GUIDE_COLUMNS) - 1);
    return true;
}

/* ---- marks --------------------------------------------------------------------------------------------- */

static const struct { const char *mark; enum role role; } verdict_looks[VERDICT_COUNT] = {
    [VERDICT_SUPPORTED] = {"+", ROLE_GOOD}, [VERDICT_CONTESTED] = {"!", ROLE_WARNING}, [VERDICT_WRONG] = {"x", ROLE_ERROR},
    [VERDICT_IMPRECISE] = {"~", ROLE_WARNING}, [VERDICT_UNVERIFIED] = {"?", ROLE_DIM},
};

static char *legend(const struct here *h, char *out, size_t size)
{
    size_t at = 0;
    for (size_t v = 0; v < VERDICT_COUNT && at < size; v++)
        at += (size_t)snprintf(out + at, size - at, "%s%s %s", v ? "  " : "", verdict_looks[v].mark,
                               lang_text(h->lang, verdict_titles[v]));
    return out;
}

/* ---- computed now -------------------------------------------------------------------------------------- */

struct given { const char *name, *value; };

static struct enc *open_with(const char *id, int d, double length, const struct given *given, size_t n)
{
    const struct encoding *kind = encoding_find(id, NULL);
    struct value values[ENC_MAX_PARAMS];
    for (size_t i = 0; kind && i < kind->n_params; i++)
        values[i] = (struct value){kind->params[i].def, NULL};
    for (size_t i = 0; kind && i < n; i++) {
        int at = param_index(kind->params, kind->n_params, given[i].name);
        if (at < 0 || !param_parse(&kind->params[at], given[i].value, &values[at], NULL))
            return NULL;
    }
    struct shape shape = {.length = length, .n_heads = 8, .d_head = d, .d_model = d};
    return kind ? enc_open(kind, &shape, values, NULL) : NULL;
}

static double longest_wave(const struct spectrum *s)
{
    double longest = 0;
    for (size_t k = 0; k < s->n; k++)
        longest = fmax(longest, measure_wavelength(s->inv_freq[k]));
    return longest;
}

/* The guide's own example, 50 x 128, with its exponent and with the right one. */
static bool test_exponent(const struct here *h, char *out, size_t size)
{
    struct enc *right = open_with("sinusoidal", 128, 50, NULL, 0);
    struct enc *guide = open_with("sinusoidal", 128, 50, (struct given[]){{"variant", "doubled_exponent"}}, 1);
    if (right && guide) {
        const struct spectrum *r = right->kind->spectrum(right), *g = guide->kind->spectrum(guide);
        snprintf(out, size, lang_text(h->lang, N_("50 x 128: %zu of %zu pairs turn less than 0.1 rad with the exponent as "
                                                  "printed, %zu with the right one; longest "
                                                  "wavelength %.4g against %.4g.")),
                 measure_slow(g, 50, 0.1), g->n, measure_slow(r, 50, 0.1), longest_wave(g), longest_wave(r));
    }
    bool good = right && guide;
    enc_close(right);
    enc_close(guide);
    return good;
}

/* Dot product of the rows at distance x, from the frequencies: the sum of their cosines. */
static double sinusoid_product(const struct spectrum *s, double x)
{
    double sum = 0;
    for (size_t k = 0; k < s->n; k++)
        sum += cos(s->inv_freq[k] * x);
    return sum;
}

static bool test_monotony(const struct here *h, char *out, size_t size)
{
    enum { STEPS = 1199 };
    struct enc *e = open_with("sinusoidal", 128, STEPS + 1, NULL, 0);
    if (!e)
        return false;
    const struct spectrum *s = e->kind->spectrum(e);
    int first = 0, rises = 0;
    double before = sinusoid_product(s, 0);
    for (int x = 1; x <= STEPS; x++) {
        double now = sinusoid_product(s, x);
        if (now > before) {
            first = first ? first : x;
            rises++;
        }
        before = now;
    }
    snprintf(out, size, lang_text(h->lang, N_("Without any projection, d = 128: the product of two rows first rises at "
                                              "distance %d, and in %.1f %% of the steps up to %d.")),
             first, 100.0 * rises / STEPS, STEPS);
    enc_close(e);
    return true;
}

/* Score of two random vectors turned at m and n. */
static double turned_score(const struct enc *e, double m, double n)
{
    enum { D = 128 };
    double q[D], k[D], sum = 0;
    for (uint64_t i = 0; i < D; i++) {
        q[i] = rng_normal(1, i);
        k[i] = rng_normal(2, i);
    }
    e->kind->rotate(e, SIDE_QUERY, 0, &m, 1, q);
    e->kind->rotate(e, SIDE_KEY, 0, &n, 1, k);
    for (int i = 0; i < D; i++)
        sum += q[i] * k[i];
    return sum;
}

static bool test_shift(const struct here *h, char *out, size_t size)
{
    struct enc *e = open_with("rope", 128, 4096, (struct given[]){{"layout", "interleaved"}}, 1);
    if (!e)
        return false;
    double score = turned_score(e, 17, 5), most = 0;
    for (int shift = 1; shift <= 1000; shift += 37)
        most = fmax(most, fabs(turned_score(e, 17 + shift, 5 + shift) - score));
    snprintf(out, size, lang_text(h->lang, N_("Shifting both positions by up to 1 000 changes the score %.6g by at most %.1e.")),
             score, most);
    enc_close(e);
    return true;
}

static bool test_unfinished(const struct here *h, char *out, size_t size)
{
    struct enc *e = open_with("rope", 128, 4096, NULL, 0);
    if (!e)
        return false;
    const struct spectrum *s = e->kind->spectrum(e);
    snprintf(out, size, lang_text(h->lang, N_("Base 10 000, d = 128, trained at 2 048: %zu of %zu pairs never finish a turn, "
                                              "so that unscaled RoPE meets angles there at "
                                              "4 096 that it has never seen.")),
             measure_unfinished(s, 2048), s->n);
    enc_close(e);
    return true;
}

/* How far heads see when all content is equal: what ALiBi keeps and forgets. */
static bool test_window(const struct here *h, char *out, size_t size)
{
    struct item item;
    const struct encoding *kind = encoding_find("alibi", NULL);
    struct shape shape = {.length = 16384, .n_heads = 8, .d_head = 64, .d_model = 512};
    if (!kind)
        return false;
    item_init(&item, kind);
    struct layer *layer = layer_open(&item, 1, &shape, NULL);
    if (layer)
        snprintf(out, size, lang_text(h->lang, N_("8 heads, 16 384 tokens, all content equal: the steepest head gives 99 %% "
                                                  "of its weight to the last %.0f keys, the gentlest to "
                                                  "the last %.0f.")),
                 measure_window(layer, 0, 16384, 0.99) + 1, measure_window(layer, 7, 16384, 0.99) + 1);
    bool good = layer != NULL;
    layer_close(layer);
    item_done(&item);
    return good;
}

/* Additions and multiplications of one token in one layer: 6 a pair of q and of k against four projections. */
static bool test_work(const struct here *h, char *out, size_t size)
{
    const double width = 4096, rotary = 2 * 6 * width / 2, projections = 4 * 2 * width * width;
    snprintf(out, size, lang_text(h->lang, N_("Width %g, one token, one layer: RoPE takes %.0f operations, the four "
                                              "projections %.0f: %.3f %%.")), width, rotary, projections,
             100 * rotary / projections);
    return true;
}

static bool test_copies(const struct here *h, char *out, size_t size)
{
    const double heads = 32, positions = 4096, d = 128, bytes = 4, mib = 1024 * 1024;
    snprintf(out, size, lang_text(h->lang, N_("32 heads, 4 096 positions, d = 128, float32: the listing's table takes %g MiB "
                                              "for each batch item, shared it takes %g MiB.")),
             heads * positions * d * bytes / mib, positions * d * bytes / mib);
    return true;
}

/* T5: every distance past 128 shares a bucket, so its bias is one number. */
static bool test_buckets(const struct here *h, char *out, size_t size)
{
    struct enc *e = open_with("t5_bias", 64, 1024, NULL, 0);
    if (!e)
        return false;
    double q = 1000, k[] = {1000 - 127, 1000 - 128, 1000 - 999}, bias[3];
    e->kind->bias(e, 0, &q, k, 3, bias);
    snprintf(out, size, lang_text(h->lang, N_("T5's bias at distances 127, 128 and 999 (seeded table): %.4f, %.4f, %.4f.")),
             bias[0], bias[1], bias[2]);
    enc_close(e);
    return true;
}

static bool test_table(const struct here *h, char *out, size_t size)
{
    int rated = 0, at_least = 0;
    for (size_t i = 0; i < h->book->n_guide_rows; i++)
        if (!isnan(h->book->guide_row[i].score[2])) {
            rated++;
            at_least += h->book->guide_row[i].score[2] >= h->book->guide_row[i].score[1];
        }
    snprintf(out, size, lang_text(h->lang, N_("In %d of the %d rated rows of the guide's table RoPE is at least equal to "
                                              "relative.")), at_least, rated);
    return true;
}

static const struct { const char *claim; bool (*compute)(const struct here *h, char *out, size_t size); } tests[] = {
    {"G04", test_exponent}, {"G05", test_monotony}, {"G07", test_buckets}, {"G11", test_shift}, {"G12", test_copies},
    {"G14", test_window},
    {"G17", test_unfinished}, {"G18", test_window}, {"G19", test_work}, {"G34", test_work}, {"G43", test_table},
};

static void add_test(const struct here *h, const struct claim *claim, struct panel *p)
{
    char text[400];
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
        if (!strcmp(tests[i].claim, claim->id) && tests[i].compute(h, text, sizeof text))
            panel_text(p, "%s: %s\n", lang_text(h->lang, N_("computed now")), text);
}

/* ---- text below ---------------------------------------------------------------------------------------- */

static void cite(const struct here *h, struct panel *p, const struct evidence *e)
{
    char text[400];
    panel_text(p, "- %s\n", evidence_text(text, sizeof text, e, h->lang));
}

static void claim_text(const struct here *h, const struct claim *claim, struct panel *p)
{
    panel_text(p, "# %s %s: %s\n", claim->id, claim->section, lang_text(h->lang, verdict_titles[claim->verdict]));
    panel_text(p, "%s: %s\n", lang_text(h->lang, N_("the guide says")), say(h, claim->says));
    add_test(h, claim, p);
    panel_text(p, "%s: %s\n", lang_text(h->lang, N_("measured or read")), say(h, claim->found));
    cite(h, p, &claim->evidence);
}

static void table_text(const struct here *h, struct panel *p)
{
    const struct guide_row *row = &h->book->guide_row[h->row];
    const struct claim *claim = row->of[h->column];
    panel_text(p, "%s: %s\n", say(h, row->name), say(h, row->value[h->column]));
    if (claim)
        claim_text(h, claim, p);
    else
        panel_text(p, "%s\n", lang_text(h->lang, N_("This cell says what the scheme is; it claims nothing to measure.")));
}

static void claims_text(const struct here *h, struct panel *p)
{
    claim_text(h, &h->book->claim[h->row], p);
}

static void situation_text(const struct here *h, struct panel *p)
{
    const struct situation *x = &h->book->situation[h->row];
    panel_text(p, "# %s %s: %s\n%s\n", x->section, say(h, x->name), say(h, x->label), say(h, x->reason));
    panel_text(p, "%s: %s\n", lang_text(h->lang, N_("measured")), say(h, x->note));
    cite(h, p, &x->evidence);
    for (size_t i = 0; i < x->n_claims; i++)
        claim_text(h, x->claim[i], p);
}

static void trend_text(const struct here *h, struct panel *p)
{
    struct trend_row rows[MAX_TREND_ROWS];
    trend_rows(h, rows);
    if (rows[h->row].trend < 0) {
        claim_text(h, rows[h->row].claim, p);
        return;
    }
    const struct trend *t = &h->book->trend[rows[h->row].trend];
    panel_text(p, "# %s\n%s\n", say(h, t->text), say(h, t->measured));
    cite(h, p, &t->evidence);
    for (size_t i = 0; i < t->n_models; i++)
        panel_text(p, "- %s (%d): %s\n", t->model[i]->name, t->model[i]->year, say(h, t->model[i]->detail));
    if (!t->n_models)
        panel_text(p, "%s\n", lang_text(h->lang, N_("No released model of the list uses it.")));
}

static void measured_text(const struct here *h, struct panel *p)
{
    const struct measurement *m = &h->book->measurement[h->row];
    panel_text(p, "# %s\n%s%s%s\n", say(h, m->title), m->locator, *say(h, m->note) ? ". " : "", say(h, m->note));
    cite(h, p, &m->evidence);
}

static void model_text(const struct here *h, struct panel *p)
{
    const struct model *m = &h->book->model[h->row];
    panel_text(p, "# %s (%d)\n%s: %s\n%s\n", m->name, m->year, say(h, m->kind), say(h, h->book->scheme[m->scheme].name),
               say(h, m->detail));
    cite(h, p, &m->evidence);
}

/* The gaps first, then the checks. */
static struct words limit(const struct here *h, size_t i)
{
    return i < h->book->n_gaps ? h->book->gap[i] : h->book->check[i - h->book->n_gaps];
}

static void limit_text(const struct here *h, struct panel *p)
{
    panel_text(p, "%s\n", say(h, limit(h, (size_t)h->row)));
}

/* ---- lists --------------------------------------------------------------------------------------------- */

static void heads(const struct here *h, struct panel *p, const char *const *titles, size_t n)
{
    for (size_t c = 0; c < n; c++)
        panel_cell(p, 0, c, ROLE_DIM, false, "%s", *titles[c] ? lang_text(h->lang, titles[c]) : "");
}

static const char *mark_of(const struct panel *p, const struct here *h, enum verdict verdict)
{
    return p->words ? lang_text(h->lang, verdict_titles[verdict]) : verdict_looks[verdict].mark;
}

static void fill_table(const struct here *h, struct panel *p)
{
    static const char *const titles[] = {N_("property"), N_("absolute"), N_("relative"), N_("RoPE"), N_("ALiBi")};
    panel_table(p, h->book->n_guide_rows + 1, GUIDE_COLUMNS + 1);
    heads(h, p, titles, GUIDE_COLUMNS + 1);
    for (size_t i = 0; i < h->book->n_guide_rows; i++) {
        const struct guide_row *row = &h->book->guide_row[i];
        panel_cell(p, i + 1, 0, ROLE_TEXT, false, "%s", say(h, row->name));
        for (size_t c = 0; c < GUIDE_COLUMNS; c++) {
            const struct claim *claim = row->of[c];
            bool chosen = (int)c == h->column && (int)i == h->row;
            enum role role = claim ? verdict_looks[claim->verdict].role : ROLE_TEXT;
            if (p->words)
                panel_cell(p, i + 1, c + 1, role, false, "%s%s%s", say(h, row->value[c]), claim ? ", " : "",
                           claim ? lang_text(h->lang, verdict_titles[claim->verdict]) : "");
            else
                panel_cell(p, i + 1, c + 1, role, false, "%s%s %s%s", chosen ? "[" : "",
                           claim ? verdict_looks[claim->verdict].mark : " ", say(h, row->value[c]), chosen ? "]" : "");
        }
    }
}

static void fill_claims(const struct here *h, struct panel *p)
{
    static const char *const titles[] = {"", "", N_("section"), N_("the guide says"), N_("verdict")};
    panel_table(p, h->book->n_claims + 1, 5);
    heads(h, p, titles, 5);
    for (size_t i = 0; i < h->book->n_claims; i++) {
        const struct claim *c = &h->book->claim[i];
        enum role role = verdict_looks[c->verdict].role;
        panel_cell(p, i + 1, 0, role, false, "%s", p->words ? "" : verdict_looks[c->verdict].mark);
        panel_cell(p, i + 1, 1, ROLE_DIM, false, "%s", c->id);
        panel_cell(p, i + 1, 2, ROLE_DIM, false, "%s", c->section);
        panel_cell(p, i + 1, 3, ROLE_TEXT, false, "%s", say(h, c->says));
        panel_cell(p, i + 1, 4, role, false, "%s", lang_text(h->lang, verdict_titles[c->verdict]));
    }
}

static void fill_situations(const struct here *h, struct panel *p)
{
    static const char *const titles[] = {"", N_("section"), N_("situation"), N_("the guide recommends"),
                                         N_("the evidence ranks first"), N_("percent")};
    panel_table(p, h->book->n_situations + 1, 6);
    heads(h, p, titles, 6);
    for (size_t i = 0; i < h->book->n_situations; i++) {
        const struct situation *x = &h->book->situation[i];
        struct ranking r;
        wizard_rank(h->book, &x->preset, &r);
        panel_cell(p, i + 1, 0, ROLE_ACCENT, false, "%s", x->id);
        panel_cell(p, i + 1, 1, ROLE_DIM, false, "%s", x->section);
        panel_cell(p, i + 1, 2, ROLE_TEXT, false, "%s", say(h, x->name));
        panel_cell(p, i + 1, 3, ROLE_TITLE, false, "%s", say(h, x->label));
        panel_cell(p, i + 1, 4, x->agrees ? ROLE_GOOD : ROLE_WARNING, false, "%s%s", x->agrees ? "" : "≠ ",
                   say(h, h->book->scheme[r.row[0].scheme].name));
        panel_cell(p, i + 1, 5, ROLE_DIM, true, "%.1f%s", r.row[0].percent, r.close ? "~" : "");
    }
    snprintf(p->note, sizeof p->note, "%s", lang_text(h->lang, N_("~ close call")));
}

static void fill_trends(const struct here *h, struct panel *p)
{
    struct trend_row rows[MAX_TREND_ROWS];
    size_t n = trend_rows(h, rows);
    static const char *const titles[] = {"", N_("trend"), N_("models")};
    panel_table(p, n + 1, 3);
    heads(h, p, titles, 3);
    for (size_t i = 0; i < n; i++) {
        const struct claim *c = rows[i].claim;
        if (rows[i].trend < 0) {
            panel_cell(p, i + 1, 0, verdict_looks[c->verdict].role, false, "%s %s", mark_of(p, h, c->verdict), c->section);
            panel_cell(p, i + 1, 1, ROLE_TITLE, false, "%s", say(h, c->says));
            continue;
        }
        const struct trend *t = &h->book->trend[rows[i].trend];
        char models[200] = "";
        for (size_t k = 0, at = 0; k < t->n_models && at < sizeof models; k++)
            at += (size_t)snprintf(models + at, sizeof models - at, "%s%s", k ? ", " : "", t->model[k]->name);
        panel_cell(p, i + 1, 1, ROLE_TEXT, false, "%s", say(h, t->text));
        panel_cell(p, i + 1, 2, ROLE_DIM, false, "%s", models);
    }
}

static void fill_measured(const struct here *h, struct panel *p)
{
    static const char *const titles[] = {N_("measurement"), N_("source")};
    panel_table(p, h->book->n_measurements + 1, 2);
    heads(h, p, titles, 2);
    for (size_t i = 0; i < h->book->n_measurements; i++) {
        panel_cell(p, i + 1, 0, (int)i == h->row ? ROLE_ACCENT : ROLE_TEXT, false, "%s", say(h, h->book->measurement[i].title));
        panel_cell(p, i + 1, 1, ROLE_DIM, false, "%s", h->book->measurement[i].evidence.source[0]->name);
    }
}

static void fill_models(const struct here *h, struct panel *p)
{
    static const char *const titles[] = {"", N_("model"), N_("scheme"), ""};
    panel_table(p, h->book->n_models + 1, 4);
    heads(h, p, titles, 4);
    for (size_t i = 0; i < h->book->n_models; i++) {
        const struct model *m = &h->book->model[i];
        panel_cell(p, i + 1, 0, ROLE_DIM, false, "%d", m->year);
        panel_cell(p, i + 1, 1, ROLE_TITLE, false, "%s", m->name);
        panel_cell(p, i + 1, 2, ROLE_TEXT, false, "%s", say(h, h->book->scheme[m->scheme].name));
        panel_cell(p, i + 1, 3, ROLE_DIM, false, "%s", say(h, m->detail));
    }
}

static void fill_limits(const struct here *h, struct panel *p)
{
    size_t n = count_rows(h);
    static const char *const titles[] = {"", N_("what is not known, and what was computed")};
    panel_table(p, n + 1, 2);
    heads(h, p, titles, 2);
    for (size_t i = 0; i < n; i++) {
        bool gap = i < h->book->n_gaps;
        panel_cell(p, i + 1, 0, gap ? ROLE_WARNING : ROLE_GOOD, false, "%s", gap ? "?" : "=");
        panel_cell(p, i + 1, 1, ROLE_TEXT, false, "%s", say(h, limit(h, i)));
    }
}

static const struct page_rules {
    const char *title;
    void (*fill)(const struct here *h, struct panel *p);
    void (*text)(const struct here *h, struct panel *p);
} rules[PAGE_COUNT] = {
    [PAGE_TABLE] = {N_("the guide's table 4.1, and what measurements say"), fill_table, table_text},
    [PAGE_CLAIMS] = {N_("the guide's claims"), fill_claims, claims_text},
    [PAGE_SITUATIONS] = {N_("the guide's scenarios, cases and considerations"), fill_situations, situation_text},
    [PAGE_TRENDS] = {N_("the guide's trends (section 7), and what came of them"), fill_trends, trend_text},
    [PAGE_MEASURED] = {N_("measurements"), fill_measured, measured_text},
    [PAGE_MODELS] = {N_("released models and their schemes"), fill_models, model_text},
    [PAGE_LIMITS] = {N_("limits"), fill_limits, limit_text},
};

/* ---- charts -------------------------------------------------------------------------------------------- */

/* Largest over smallest value: more than this is drawn on a log axis. */
enum { WIDE = 12 };

static bool is_wide(const struct measurement *m)
{
    double lo = INFINITY, hi = 0;
    for (size_t r = 0; r < m->n_rows; r++)
        for (size_t c = 0; c < m->n_columns; c++) {
            lo = fmin(lo, m->row[r].value[c]);
            hi = fmax(hi, m->row[r].value[c]);
        }
    return lo > 0 && hi > WIDE * lo;
}

static void plan_curves(const struct here *h, const struct measurement *m, struct panel *p)
{
    bool words = isnan(m->x[0]);
    const char *names[BOOK_MAX_COLUMNS];
    axis_set(&p->x, lang_text(h->lang, words ? N_("model size") : N_("length")), words ? "" : lang_text(h->lang, N_("tokens")),
             words ? 0 : m->x[0],
             words ? (double)m->n_columns : m->x[m->n_columns - 1], !words);
    axis_set(&p->y, lang_text(h->lang, N_("perplexity")), "", NAN, NAN, is_wide(m));
    p->x.continuous = p->y.continuous = true;
    for (size_t c = 0; words && c < m->n_columns; c++)
        names[c] = m->column[c].in[h->lang];
    if (words)
        axis_set_ticks(&p->x, names, m->n_columns);
}

static void fill_curves(const struct here *h, const struct measurement *m, struct panel *p)
{
    double *x = panel_xs(p, m->n_columns);
    for (size_t c = 0; c < m->n_columns; c++)
        x[c] = isnan(m->x[c]) ? (double)c + 0.5 : m->x[c];
    for (size_t r = 0; r < m->n_rows; r++) {
        struct series *y = panel_add_series(p, say(h, m->row[r].name));
        for (size_t c = 0; c < m->n_columns; c++)
            y->y[c] = m->row[r].value[c];
    }
    panel_autorange(p);
}

static void fill_bars(const struct here *h, const struct measurement *m, struct panel *p)
{
    for (size_t r = 0; r < m->n_rows; r++) {
        struct bar *bar = panel_add_bar(p, say(h, m->row[r].name), m->row[r].value[h->column]);
        bar->role = ROLE_SERIES_0;
        if (m->row[r].text[h->column])
            snprintf(bar->note, sizeof bar->note, "%s", m->row[r].text[h->column]);
        p->hi = fmax(p->hi, isnan(bar->value) ? 0 : bar->value);
    }
    p->lo = 0;
}

static void chart_title(const struct here *h, const struct measurement *m, char *out, size_t size)
{
    if (m->curves)
        snprintf(out, size, "%s", say(h, m->title));
    else
        snprintf(out, size, "%s (%d/%zu)", m->column[h->column].in[h->lang], h->column + 1, m->n_columns);
}

/* ---- the view ------------------------------------------------------------------------------------------ */

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    struct here h;
    char title[96];
    if (!find_here(s, &h, err))
        return false;
    snprintf(f->caption, sizeof f->caption, "%s · %s", lang_text(h.lang, N_("the selection guide")),
             lang_text(h.lang, pages[h.page]));
    snprintf(f->source, sizeof f->source, lang_text(h.lang, N_("wizard data version %d (%s)")), h.book->version, h.book->date);
    struct panel *p = figure_add(f, PANEL_TABLE, lang_text(h.lang, rules[h.page].title));
    p->weight = 7;
    p->min_w = 36;
    p->max_h = (int)count_rows(&h) + 2;
    rules[h.page].fill(&h, p);
    if (h.page == PAGE_MEASURED) {
        const struct measurement *m = &h.book->measurement[h.row];
        chart_title(&h, m, title, sizeof title);
        p = figure_add(f, m->curves ? PANEL_CURVES : PANEL_BARS, title);
        p->weight = 5;
        p->min_w = 40;
        p->beside = true;
        if (m->curves)
            plan_curves(&h, m, p);
        else
            axis_set(&p->x, "", "", NAN, NAN, false);
    }
    p = figure_add(f, PANEL_TEXT, "");
    p->weight = 4;
    p->min_h = 5;
    return true;
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    struct here h;
    if (!find_here(s, &h, err))
        return false;
    struct panel *list = &f->panel[0], *text = &f->panel[f->n - 1];
    if (h.page == PAGE_TABLE || h.page == PAGE_CLAIMS)
        if (!list->words)
            legend(&h, list->note, sizeof list->note);
    double at = scenario_spot(s, 0).y;
    panel_follow(list, h.page == PAGE_MEASURED && s->focus == 0 && !isnan(at) ? at : h.row + 1.5);
    if (h.page == PAGE_MEASURED) {
        const struct measurement *m = &h.book->measurement[h.row];
        (m->curves ? fill_curves : fill_bars)(&h, m, &f->panel[1]);
    }
    if (!job_tick(job, 0.5))
        return false;
    rules[h.page].text(&h, text);
    panel_follow(text, s->focus == (int)f->n - 1 ? scenario_spot(s, s->focus).y : NAN);
    return job_tick(job, 1);
}

/* The claim that a row stands for; NULL: none. */
static const struct claim *claim_here(const struct here *h)
{
    struct trend_row rows[MAX_TREND_ROWS];
    if (h->page == PAGE_TABLE)
        return h->book->guide_row[h->row].of[h->column];
    if (h->page == PAGE_CLAIMS)
        return &h->book->claim[h->row];
    trend_rows(h, rows);
    return h->page == PAGE_TRENDS ? rows[h->row].claim : NULL;
}

/* A situation opens in the wizard, answered up to it. */
static bool open_wizard(struct scenario *s, const struct here *h)
{
    struct walk w;
    char text[SCENARIO_TEXT_MAX];
    walk_init(&w);
    for (size_t q = 0; q < h->book->n_questions; q++)
        walk_answer(h->book, &w, h->book->question[q].id, h->book->situation[h->row].id, NULL);
    walk_infer(h->book, &w);
    if (!scenario_set_view(s, "wizard", NULL))
        return false;
    scenario_set_walk(s, walk_to_text(h->book, &w, text, sizeof text));
    return true;
}

static bool see(struct scenario *s, const struct here *h)
{
    const struct claim *claim = claim_here(h);
    if (h->page == PAGE_SITUATIONS)
        return open_wizard(s, h);
    if (h->page == PAGE_MEASURED) {
        s->view_param[VIEW_guide][P_MEASUREMENT].x = 1 + at_most(scenario_spot(s, 0).y - 1, (int)count_rows(h) - 1);
        return s->focus == 0;
    }
    return claim && jump_to(s, claim->view, claim->encoding);
}

/* The next of n, from 1, round and round. */
static bool turn(double *x, int n, int step)
{
    *x = 1 + ((int)*x - 1 + step + n) % n;
    return n > 1;
}

static bool input(struct scenario *s, int action)
{
    struct here h;
    double *page = &s->view_param[VIEW_guide][P_PAGE].x, *column = &s->view_param[VIEW_guide][P_COLUMN].x;
    double *measurement = &s->view_param[VIEW_guide][P_MEASUREMENT].x;
    if (!find_here(s, &h, NULL))
        return false;
    if (action >= 0 && action < PAGE_COUNT) {
        bool changed = *page != action;
        *page = action;
        *column = 1;
        scenario_reset_cursor(s);
        return changed;
    }
    bool measured = h.page == PAGE_MEASURED;
    switch (action) {
    case ACTION_CLICK: return measured && see(s, &h);
    case A_SEE:        return see(s, &h);
    case A_NEXT:
    case A_BACK:       return measured ? turn(measurement, (int)count_rows(&h), action == A_NEXT ? 1 : -1)
                                       : turn(column, GUIDE_COLUMNS, action == A_NEXT ? 1 : -1);
    case A_VALUE:      return measured && turn(column, (int)h.book->measurement[h.row].n_columns, 1);
    default:           return false;
    }
}

static bool probe_chart(const struct here *h, double x, double y, struct readout *out)
{
    const struct measurement *m = &h->book->measurement[h->row];
    char number[32];
    size_t at = 0;
    if (!m->curves) {
        size_t row = isnan(y) ? 0 : (size_t)fmax(y, 0);
        if (row >= m->n_rows)
            return false;
        snprintf(out->name, sizeof out->name, "%s, %s", say(h, m->row[row].name), m->column[h->column].in[h->lang]);
        out->value = m->row[row].value[h->column];
        snprintf(out->value_text, sizeof out->value_text, "%s",
                 m->row[row].text[h->column] ? m->row[row].text[h->column] : format_number(number, sizeof number, out->value, 8));
        out->worded = !m->row[row].text[h->column];
        return true;
    }
    for (size_t c = 1; c < m->n_columns; c++) {
        double here = isnan(m->x[c]) ? (double)c + 0.5 : m->x[c], best = isnan(m->x[at]) ? (double)at + 0.5 : m->x[at];
        at = fabs(here - x) < fabs(best - x) ? c : at;
    }
    snprintf(out->name, sizeof out->name, "%s", isnan(m->x[at]) ? m->column[at].in[h->lang]
             : format_number(number, sizeof number, m->x[at], 9));
    size_t used = 0;
    for (size_t r = 0; r < m->n_rows && used < sizeof out->value_text; r++)
        used += (size_t)snprintf(out->value_text + used, sizeof out->value_text - used, "%s%s %.6g", r ? ", " : "",
                                 say(h, m->row[r].name), m->row[r].value[at]);
    return true;
}

static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    struct here h;
    out->known = false;
    out->value = NAN;
    if (!find_here(s, &h, NULL))
        return false;
    if (h.page == PAGE_MEASURED && panel == 1)
        out->known = probe_chart(&h, x, y, out);
    const struct evidence *e = h.page == PAGE_MEASURED ? &h.book->measurement[h.row].evidence : h.page == PAGE_MODELS
        ? &h.book->model[h.row].evidence
                             : claim_here(&h) ? &claim_here(&h)->evidence : NULL;
    if (!out->known && panel == 0 && claim_here(&h)) {
        const struct claim *claim = claim_here(&h);
        snprintf(out->name, sizeof out->name, "%s, %s", claim->id, claim->section);
        snprintf(out->value_text, sizeof out->value_text, "%s", lang_text(s->lang, verdict_titles[claim->verdict]));
        out->known = true;
    }
    if (!out->known && panel == 0 && h.page == PAGE_TABLE) {
        const struct guide_row *row = &h.book->guide_row[h.row];
        snprintf(out->name, sizeof out->name, "%s", say(&h, row->name));
        snprintf(out->value_text, sizeof out->value_text, "%s", say(&h, row->value[h.column]));
        out->known = true;
    }
    if (e)
        evidence_text(out->source, sizeof out->source, e, s->lang);
    return out->known;
}

const struct view view_guide = {
    .id = "guide",
    .title = N_("guide"),
    .help = N_("The selection guide beside what measurements say. Every cell of its table and every claim has a verdict with "
               "the setting and the source that it rests "
               "on; where the program can test a claim, it computes the answer on the spot. Its situations open in the "
               "wizard, and its claims in the view that shows "
               "them. The measurements are drawn as charts, with the paper's own numbers."),
    .params = params, .n_params = sizeof params / sizeof *params,
    .actions = actions, .n_actions = sizeof actions / sizeof *actions,
    .follows_cursor = true,
    .takes_clicks = true,
    .input = input,
    .plan = plan,
    .compute = compute,
    .probe = probe,
};
