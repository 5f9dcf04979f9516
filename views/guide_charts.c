/* guide_charts.c - measurements as charts, with the paper's own numbers. */
#include "guide_here.h"

#include <math.h>
#include <stdio.h>

#include "figure/draw.h"

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
    for (size_t r = 0; r < m->n_rows; r++)
        panel_will_name(p, say(h, m->row[r].name));
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
    if (m->curves)      /* the list and the text below name the measurement */
        snprintf(out, size, "%s", lang_text(h->lang, N_("perplexity")));
    else
        snprintf(out, size, "%s (%d/%zu)", m->column[h->column].in[h->lang], h->column + 1, m->n_columns);
}

void guide_plan_chart(const struct here *h, struct figure *f)
{
    const struct measurement *m = &h->book->measurement[h->row];
    char title[96];
    chart_title(h, m, title, sizeof title);
    struct panel *p = figure_add(f, m->curves ? PANEL_CURVES : PANEL_BARS, title);
    p->weight = 5;
    p->min_w = 40;
    p->beside = true;
    if (m->curves)
        plan_curves(h, m, p);
    else
        axis_set(&p->x, "", "", NAN, NAN, false);
}

void guide_fill_chart(const struct here *h, struct panel *p)
{
    const struct measurement *m = &h->book->measurement[h->row];
    (m->curves ? fill_curves : fill_bars)(h, m, p);
}

bool guide_probe_chart(const struct here *h, double x, double y, struct readout *out)
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
    for (size_t r = 0; r < m->n_rows && used < sizeof out->value_text; r++) {
        if (isnan(m->row[r].value[at]))                     /* not measured there */
            snprintf(number, sizeof number, "–");
        else
            snprintf(number, sizeof number, "%.6g", m->row[r].value[at]);
        used += (size_t)snprintf(out->value_text + used, sizeof out->value_text - used, "%s%s %s", r ? ", " : "", say(h, m->row[r].name), number);
    }
    return true;
}
