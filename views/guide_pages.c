/* guide_pages.c - the pages of the guide: each a list, and the text of the row under the cursor. One row a page in the table at the end. */
#include "guide_here.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "claims.h"

char *guide_legend(const struct here *h, char *out, size_t size)
{
    size_t at = 0;
    for (size_t v = 0; v < VERDICT_COUNT && at < size; v++)
        at += (size_t)snprintf(out + at, size - at, "%s%s %s", v ? "  " : "", verdict_mark(v),
                               lang_text(h->lang, verdict_titles[v]));
    return out;
}

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

/* ---- lists --------------------------------------------------------------------------------------------- */

static void heads(const struct here *h, struct panel *p, const char *const *titles, size_t n)
{
    for (size_t c = 0; c < n; c++)
        panel_cell(p, 0, c, ROLE_DIM, false, "%s", *titles[c] ? lang_text(h->lang, titles[c]) : "");
}

static const char *mark_of(const struct panel *p, const struct here *h, enum verdict verdict)
{
    return p->words ? lang_text(h->lang, verdict_titles[verdict]) : verdict_mark(verdict);
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
            enum role role = claim ? verdict_role(claim->verdict) : ROLE_TEXT;
            if (p->words)
                panel_cell(p, i + 1, c + 1, role, false, "%s%s%s", say(h, row->value[c]), claim ? ", " : "",
                           claim ? lang_text(h->lang, verdict_titles[claim->verdict]) : "");
            else
                panel_cell(p, i + 1, c + 1, role, false, "%s%s %s%s", chosen ? "[" : "",
                           claim ? verdict_mark(claim->verdict) : " ", say(h, row->value[c]), chosen ? "]" : "");
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
        enum role role = verdict_role(c->verdict);
        panel_cell(p, i + 1, 0, role, false, "%s", p->words ? "" : verdict_mark(c->verdict));
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
    size_t n = guide_trend_rows(h, rows);
    static const char *const titles[] = {"", N_("trend"), N_("models")};
    panel_table(p, n + 1, 3);
    heads(h, p, titles, 3);
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

const char *guide_page_title(const struct here *h)
{
    return lang_text(h->lang, rules[h->page].title);
}

void guide_list(const struct here *h, struct panel *p)
{
    rules[h->page].fill(h, p);
}

void guide_text(const struct here *h, struct panel *p)
{
    rules[h->page].text(h, p);
}
