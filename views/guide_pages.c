/* guide_pages.c - the pages of the guide: each a list, and the text of the row under the cursor. One row a page in the table at the end. */
#include "guide_here.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "claims.h"

/* ---- text below ---------------------------------------------------------------------------------------- */

static void claim_text(const struct here *h, const struct claim *claim, struct panel *p)
{
    claim_head(p, claim, h->lang);
    guide_compute(h, claim, p);
    claim_found(p, claim, h->lang);
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
    cite(p, &x->evidence, h->lang);
    for (size_t i = 0; i < x->n_claims; i++)
        claim_text(h, x->claim[i], p);
}

static void trend_text(const struct here *h, struct panel *p)
{
    struct trend_row rows[MAX_TREND_ROWS];
    guide_trend_rows(h, rows);
    if (rows[h->row].trend < 0) {
        claim_text(h, rows[h->row].claim, p);
        return;
    }
    const struct trend *t = &h->book->trend[rows[h->row].trend];
    panel_text(p, "# %s\n%s\n", say(h, t->text), say(h, t->measured));
    cite(p, &t->evidence, h->lang);
    for (size_t i = 0; i < t->n_models; i++)
        panel_text(p, "- %s (%d): %s\n", t->model[i]->name, t->model[i]->year, say(h, t->model[i]->detail));
    if (!t->n_models)
        panel_text(p, "%s\n", lang_text(h->lang, N_("No released model of the list uses it.")));
}

static void measured_text(const struct here *h, struct panel *p)
{
    const struct measurement *m = &h->book->measurement[h->row];
    panel_text(p, "# %s\n%s%s%s\n", say(h, m->title), m->locator, *say(h, m->note) ? ". " : "", say(h, m->note));
    cite(p, &m->evidence, h->lang);
}

static void model_text(const struct here *h, struct panel *p)
{
    const struct model *m = &h->book->model[h->row];
    panel_text(p, "# %s (%d)\n%s: %s\n%s\n", m->name, m->year, say(h, m->kind), say(h, h->book->scheme[m->scheme].name),
               say(h, m->detail));
    cite(p, &m->evidence, h->lang);
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

/* ---- read-out ------------------------------------------------------------------------------------------- */

static void read_claim(const struct claim *claim, enum lang lang, struct readout *out)
{
    snprintf(out->name, sizeof out->name, "%s, %s", claim->id, claim->section);
    snprintf(out->value_text, sizeof out->value_text, "%s", lang_text(lang, verdict_titles[claim->verdict]));
}

static void table_read(const struct here *h, struct readout *out)
{
    const struct guide_row *row = &h->book->guide_row[h->row];
    if (row->of[h->column]) {
        read_claim(row->of[h->column], h->lang, out);
        return;
    }
    snprintf(out->name, sizeof out->name, "%s", say(h, row->name));
    snprintf(out->value_text, sizeof out->value_text, "%s", say(h, row->value[h->column]));
}

static void claims_read(const struct here *h, struct readout *out)
{
    read_claim(&h->book->claim[h->row], h->lang, out);
}

static void situation_read(const struct here *h, struct readout *out)
{
    const struct situation *x = &h->book->situation[h->row];
    struct ranking r;
    wizard_rank(h->book, &x->preset, &r);
    snprintf(out->name, sizeof out->name, "%s %s", x->id, say(h, x->name));
    snprintf(out->value_text, sizeof out->value_text, "%s", say(h, x->label));
    snprintf(out->formula, sizeof out->formula, lang_text(h->lang, N_("the evidence: %s, %.1f %%")), say(h, h->book->scheme[r.row[0].scheme].name),
             r.row[0].percent);
}

static void trend_read(const struct here *h, struct readout *out)
{
    struct trend_row rows[MAX_TREND_ROWS];
    guide_trend_rows(h, rows);
    read_claim(rows[h->row].claim, h->lang, out);
}

static void measured_read(const struct here *h, struct readout *out)
{
    const struct measurement *m = &h->book->measurement[h->row];
    snprintf(out->name, sizeof out->name, "%s", say(h, m->title));
    snprintf(out->value_text, sizeof out->value_text, "%s", m->evidence.source[0]->name);
}

static void model_read(const struct here *h, struct readout *out)
{
    const struct model *m = &h->book->model[h->row];
    snprintf(out->name, sizeof out->name, "%s (%d)", m->name, m->year);
    snprintf(out->value_text, sizeof out->value_text, "%s", say(h, h->book->scheme[m->scheme].name));
    snprintf(out->formula, sizeof out->formula, "%s", say(h, m->detail));
}

static void limit_read(const struct here *h, struct readout *out)
{
    snprintf(out->name, sizeof out->name, "%s", lang_text(h->lang, (size_t)h->row < h->book->n_gaps ? N_("not known") : N_("computed")));
    snprintf(out->value_text, sizeof out->value_text, "%d/%zu", h->row + 1, guide_count_rows(h));
}

/* ---- lists --------------------------------------------------------------------------------------------- */

static void heads(const struct here *h, struct panel *p, const char *const *titles, size_t n)
{
    for (size_t c = 0; c < n; c++)
        panel_cell(p, 0, c, ROLE_DIM, false, "%s", *titles[c] ? lang_text(h->lang, titles[c]) : "");
}

/* Too narrow for all columns? Then what the marks mean stands in words, and the rest in the read-out. Not known before the layout. */
static bool is_narrow(const struct panel *p)
{
    return p->cols > 0 && p->cols < 60;
}

static const char *mark_of(const struct panel *p, const struct here *h, enum verdict verdict)
{
    return p->words ? lang_text(h->lang, verdict_titles[verdict]) : verdict_mark(verdict);
}

static void fill_cell(const struct here *h, struct panel *p, size_t row, size_t col, size_t guide_col)
{
    const struct claim *claim = h->book->guide_row[row].of[guide_col];
    const char *value = say(h, h->book->guide_row[row].value[guide_col]);
    bool in_words = p->words || is_narrow(p), chosen = (int)guide_col == h->column && (int)row == h->row && !in_words;
    enum role role = claim ? verdict_role(claim->verdict) : ROLE_TEXT;
    if (claim && in_words)
        panel_cell(p, row + 1, col, role, false, "%s, %s", value, lang_text(h->lang, verdict_titles[claim->verdict]));
    else
        panel_cell(p, row + 1, col, role, false, "%s%s%s%s%s", chosen ? "[" : "", claim ? verdict_mark(claim->verdict) : "", claim ? " " : "", value,
                   chosen ? "]" : "");
}

/* In a narrow panel the chosen column alone. */
static void fill_table(const struct here *h, struct panel *p)
{
    static const char *const titles[] = {N_("property"), N_("absolute"), N_("relative"), N_("RoPE"), N_("ALiBi")};
    size_t n = is_narrow(p) ? 1 : GUIDE_COLUMNS, first = is_narrow(p) ? (size_t)h->column : 0;
    panel_table(p, h->book->n_guide_rows + 1, n + 1);
    heads(h, p, titles, n + 1);
    if (is_narrow(p))
        panel_cell(p, 0, 1, ROLE_DIM, false, "%s", lang_text(h->lang, titles[1 + first]));
    for (size_t i = 0; i < h->book->n_guide_rows; i++) {
        panel_cell(p, i + 1, 0, ROLE_TEXT, false, "%s", say(h, h->book->guide_row[i].name));
        for (size_t c = 0; c < n; c++)
            fill_cell(h, p, i, c + 1, first + c);
    }
}

static void fill_claims(const struct here *h, struct panel *p)
{
    static const char *const titles[] = {"", N_("the guide says"), N_("verdict"), N_("section")};
    size_t n = is_narrow(p) ? 2 : 4;
    panel_table(p, h->book->n_claims + 1, n);
    heads(h, p, titles, n);
    for (size_t i = 0; i < h->book->n_claims; i++) {
        const struct claim *c = &h->book->claim[i];
        panel_cell(p, i + 1, 0, ROLE_DIM, false, "%s", c->id);
        panel_cell(p, i + 1, 1, ROLE_TEXT, false, "%s", say(h, c->says));
        if (n < 3)
            continue;
        panel_cell(p, i + 1, 2, verdict_role(c->verdict), false, "%s", lang_text(h->lang, verdict_titles[c->verdict]));
        panel_cell(p, i + 1, 3, ROLE_DIM, false, "%s", c->section);
    }
}

static void fill_situations(const struct here *h, struct panel *p)
{
    static const char *const titles[] = {"", N_("section"), N_("situation"), N_("the guide recommends"), N_("the evidence ranks first"), N_("percent")};
    static const char *const fewer[] = {"", N_("situation"), N_("the evidence")};
    bool narrow = is_narrow(p);
    panel_table(p, h->book->n_situations + 1, narrow ? 3 : 6);
    heads(h, p, narrow ? fewer : titles, narrow ? 3 : 6);
    for (size_t i = 0; i < h->book->n_situations; i++) {
        const struct situation *x = &h->book->situation[i];
        struct ranking r;
        wizard_rank(h->book, &x->preset, &r);
        size_t c = 0;
        panel_cell(p, i + 1, c++, ROLE_ACCENT, false, "%s", x->id);
        if (!narrow)
            panel_cell(p, i + 1, c++, ROLE_DIM, false, "%s", x->section);
        panel_cell(p, i + 1, c++, ROLE_TEXT, false, "%s", say(h, x->name));
        if (!narrow)
            panel_cell(p, i + 1, c++, ROLE_TITLE, false, "%s", say(h, x->label));
        panel_cell(p, i + 1, c++, x->agrees ? ROLE_GOOD : ROLE_WARNING, false, "%s%s", x->agrees ? "" : "≠ ",
                   say(h, h->book->scheme[r.row[0].scheme].name));
        if (!narrow)
            panel_cell(p, i + 1, c++, ROLE_DIM, true, "%.1f%s", r.row[0].percent, r.close ? "~" : "");
    }
}

static void fill_trends(const struct here *h, struct panel *p)
{
    struct trend_row rows[MAX_TREND_ROWS];
    size_t n = guide_trend_rows(h, rows);
    static const char *const titles[] = {"", N_("trend"), N_("models")};
    size_t cols = is_narrow(p) ? 2 : 3;
    panel_table(p, n + 1, cols);
    heads(h, p, titles, cols);
    for (size_t i = 0; i < n; i++) {
        const struct claim *c = rows[i].claim;
        if (rows[i].trend < 0) {
            panel_cell(p, i + 1, 0, verdict_role(c->verdict), false, "%s %s", mark_of(p, h, c->verdict), c->section);
            panel_cell(p, i + 1, 1, ROLE_TITLE, false, "%s", say(h, c->says));
            continue;
        }
        const struct trend *t = &h->book->trend[rows[i].trend];
        char models[200] = "";
        for (size_t k = 0, at = 0; k < t->n_models && at < sizeof models; k++)
            at += (size_t)snprintf(models + at, sizeof models - at, "%s%s", k ? ", " : "", t->model[k]->name);
        panel_cell(p, i + 1, 1, ROLE_TEXT, false, "%s", say(h, t->text));
        if (cols > 2)
            panel_cell(p, i + 1, 2, ROLE_DIM, false, "%s", models);
    }
}

static void fill_measured(const struct here *h, struct panel *p)
{
    static const char *const titles[] = {N_("measurement"), N_("source")};
    size_t cols = is_narrow(p) ? 1 : 2;
    panel_table(p, h->book->n_measurements + 1, cols);
    heads(h, p, titles, cols);
    for (size_t i = 0; i < h->book->n_measurements; i++) {
        panel_cell(p, i + 1, 0, (int)i == h->row ? ROLE_ACCENT : ROLE_TEXT, false, "%s", say(h, h->book->measurement[i].title));
        if (cols > 1)
            panel_cell(p, i + 1, 1, ROLE_DIM, false, "%s", h->book->measurement[i].evidence.source[0]->name);
    }
}

static void fill_models(const struct here *h, struct panel *p)
{
    static const char *const titles[] = {N_("model"), N_("scheme"), "", ""};
    size_t cols = is_narrow(p) ? 2 : 4;
    panel_table(p, h->book->n_models + 1, cols);
    heads(h, p, titles, cols);
    for (size_t i = 0; i < h->book->n_models; i++) {
        const struct model *m = &h->book->model[i];
        panel_cell(p, i + 1, 0, ROLE_TITLE, false, "%s", m->name);
        panel_cell(p, i + 1, 1, ROLE_TEXT, false, "%s", say(h, h->book->scheme[m->scheme].name));
        if (cols < 3)
            continue;
        panel_cell(p, i + 1, 2, ROLE_DIM, false, "%s", say(h, m->detail));
        panel_cell(p, i + 1, 3, ROLE_DIM, true, "%d", m->year);
    }
}

static void fill_limits(const struct here *h, struct panel *p)
{
    size_t n = guide_count_rows(h);
    static const char *const titles[] = {"", N_("what is not known, and what was computed")};
    panel_table(p, n + 1, 2);
    heads(h, p, titles, 2);
    for (size_t i = 0; i < n; i++) {
        bool gap = i < h->book->n_gaps;
        panel_cell(p, i + 1, 0, gap ? ROLE_WARNING : ROLE_GOOD, false, "%s", gap ? "?" : "=");
        panel_cell(p, i + 1, 1, ROLE_TEXT, false, "%s", say(h, limit(h, i)));
    }
}

/* ---- legends ------------------------------------------------------------------------------------------- */

static void verdict_legend(const struct here *h, char *out, size_t size)
{
    size_t at = 0;
    for (size_t v = 0; v < VERDICT_COUNT && at < size; v++)
        at += (size_t)snprintf(out + at, size - at, "%s%s %s", v ? "  " : "", verdict_mark(v), lang_text(h->lang, verdict_titles[v]));
}

static void situation_legend(const struct here *h, char *out, size_t size)
{
    snprintf(out, size, "%s", lang_text(h->lang, N_("≠ not what the guide recommends  ~ close call")));
}

static void limit_legend(const struct here *h, char *out, size_t size)
{
    snprintf(out, size, "%s", lang_text(h->lang, N_("? not known  = computed")));
}

static const struct page_rules {
    const char *title;
    void (*fill)(const struct here *h, struct panel *p);
    void (*text)(const struct here *h, struct panel *p);
    void (*legend)(const struct here *h, char *out, size_t size);       /* of the marks; NULL: there are none */
    void (*read)(const struct here *h, struct readout *out);            /* NULL: the text says it all */
} rules[PAGE_COUNT] = {
    [PAGE_TABLE] = {N_("the guide's table 4.1, and what measurements say"), fill_table, table_text, verdict_legend, table_read},
    [PAGE_CLAIMS] = {N_("the guide's claims"), fill_claims, claims_text, NULL, claims_read},
    [PAGE_SITUATIONS] = {N_("the guide's scenarios, cases and considerations"), fill_situations, situation_text, situation_legend, situation_read},
    [PAGE_TRENDS] = {N_("the guide's trends (section 7), and what came of them"), fill_trends, trend_text, verdict_legend, trend_read},
    [PAGE_MEASURED] = {N_("measurements"), fill_measured, measured_text, NULL, measured_read},
    [PAGE_MODELS] = {N_("released models and their schemes"), fill_models, model_text, NULL, model_read},
    [PAGE_LIMITS] = {N_("limits"), fill_limits, limit_text, limit_legend, limit_read},
};

/* The title is long where there is room for it beside the legend, else the page's name. */
void guide_title(const struct here *h, struct panel *p)
{
    enum { RULE = 6 };
    const struct page_rules *r = &rules[h->page];
    p->note[0] = '\0';
    if (r->legend && !p->words && !(h->page == PAGE_TABLE && is_narrow(p)))
        r->legend(h, p->note, sizeof p->note);
    const char *title = lang_text(h->lang, r->title);
    bool fits = p->cols == 0 || utf8_width(title) + (*p->note ? utf8_width(p->note) + RULE : RULE - 2) <= p->cols;
    snprintf(p->title, sizeof p->title, "%s", fits ? title : lang_text(h->lang, guide_pages[h->page]));
}

void guide_list(const struct here *h, struct panel *p)
{
    rules[h->page].fill(h, p);
}

void guide_text(const struct here *h, struct panel *p)
{
    rules[h->page].text(h, p);
}

bool guide_read(const struct here *h, struct readout *out)
{
    if (rules[h->page].read)
        rules[h->page].read(h, out);
    return rules[h->page].read != NULL;
}
