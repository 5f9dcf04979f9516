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
 * Marks: + supported, ~ imprecise, ! contested, x wrong, ? unverified. */
#include <math.h>
#include <stdio.h>

#include "figure/draw.h"
#include "guide_here.h"
#include "jump.h"

const char *const guide_pages[] = {N_("ratings"), N_("claims"), N_("situations"), N_("trends"), N_("measurements"), N_("models"), N_("limits"), NULL};
static const struct param params[] = {
    [P_PAGE] = {.name = "page", .title = N_("page"), .help = N_("the guide's table, its claims, situations, trends; measurements, models, or the "
                                           "limits of it all"), .type = PARAM_CHOICE, .choices = guide_pages, .titles = guide_pages},
    [P_COLUMN] = {.name = "column", .title = N_("column"), .when = "page=ratings|measurements", .help = N_("column of the table or of a measurement, from 1"), .type = PARAM_INT, .def = 1,
                  .min = 1, .max = BOOK_MAX_COLUMNS, .step = 1},
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

/* ---- the view ------------------------------------------------------------------------------------------ */

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    struct here h;
    if (!guide_here(s, &h, err))
        return false;
    snprintf(f->caption, sizeof f->caption, "%s · %s", lang_text(h.lang, N_("the selection guide")),
             lang_text(h.lang, guide_pages[h.page]));
    snprintf(f->source, sizeof f->source, lang_text(h.lang, N_("wizard data version %d (%s)")), h.book->version, h.book->date);
    struct panel *p = figure_add(f, PANEL_TABLE, "");
    guide_title(&h, p);
    p->weight = h.page == PAGE_TABLE ? 20 : 7;      /* the table is short and worth seeing whole */
    p->min_w = 36;
    p->max_h = (int)guide_count_rows(&h) + 2;
    guide_list(&h, p);
    if (h.page == PAGE_MEASURED)
        guide_plan_chart(&h, f);
    p = figure_add(f, PANEL_TEXT, "");
    p->weight = 4;
    p->min_h = 5;
    return true;
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    struct here h;
    if (!guide_here(s, &h, err))
        return false;
    struct panel *list = &f->panel[0], *text = &f->panel[f->n - 1];
    guide_title(&h, list);
    guide_list(&h, list);       /* again: now the width is known */
    double at = scenario_spot(s, 0).y;
    panel_follow(list, h.page == PAGE_MEASURED && s->focus == 0 && !isnan(at) ? at : h.row + 1.5);
    if (h.page == PAGE_MEASURED)
        guide_fill_chart(&h, &f->panel[1]);
    if (!job_tick(job, 0.5))
        return false;
    guide_text(&h, text);
    panel_follow(text, s->focus == (int)f->n - 1 ? scenario_spot(s, s->focus).y : NAN);
    return job_tick(job, 1);
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
    const struct claim *claim = guide_claim(h);
    if (h->page == PAGE_SITUATIONS)
        return open_wizard(s, h);
    if (h->page == PAGE_MEASURED) {
        s->view_param[VIEW_guide][P_MEASUREMENT].x = 1 + guide_row_at(scenario_spot(s, 0).y - 1, (int)guide_count_rows(h) - 1);
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
    if (!guide_here(s, &h, NULL))
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
    case A_BACK:       return measured ? turn(measurement, (int)guide_count_rows(&h), action == A_NEXT ? 1 : -1)
                                       : turn(column, GUIDE_COLUMNS, action == A_NEXT ? 1 : -1);
    case A_VALUE:      return measured && turn(column, (int)h.book->measurement[h.row].n_columns, 1);
    default:           return false;
    }
}

static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    struct here h;
    out->known = false;
    out->value = NAN;
    if (!guide_here(s, &h, NULL))
        return false;
    if (h.page == PAGE_MEASURED && panel == 1)
        out->known = guide_probe_chart(&h, x, y, out);
    else if (panel == 0)
        out->known = guide_read(&h, out);
    const struct claim *claim = guide_claim(&h);
    const struct evidence *e = h.page == PAGE_MEASURED ? &h.book->measurement[h.row].evidence
                             : h.page == PAGE_MODELS ? &h.book->model[h.row].evidence : claim ? &claim->evidence : NULL;
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
