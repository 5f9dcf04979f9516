/* subtract.c - two figures compared: their difference, and one range for both. */
#include "figure/figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

static bool same_samples(const struct panel *a, const struct panel *b)
{
    return a->kind == b->kind && a->w == b->w && a->h == b->h && axis_same(&a->x, &b->x) && axis_same(&a->y, &b->y);
}

/* Values that differ by less than so much of themselves are told apart by rounding alone. */
static const double ROUNDING = 1e-12;

static double difference(double a, double b, double scale)
{
    if (!isfinite(a) || !isfinite(b))
        return a == b ? a : NAN;
    return fabs(a - b) <= ROUNDING * scale ? 0 : a - b;
}

double figure_difference(double a, double b)
{
    return difference(a, b, fmax(fabs(a), fabs(b)));
}

bool panel_comparable(const struct panel *a, const struct panel *b)
{
    return a->kind == b->kind && !strcmp(a->unit, b->unit) && !strcmp(a->y.label, b->y.label);
}

static double largest(const double *v, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = isfinite(v[i]) ? fmax(most, fabs(v[i])) : most;
    return most;
}

static bool subtract_heatmap(struct panel *a, const struct panel *b)
{
    if (!a->data || !b->data || !same_samples(a, b))
        return false;
    size_t n = (size_t)a->w * (size_t)a->h;
    double scale = fmax(largest(a->data, n), largest(b->data, n));
    for (size_t i = 0; i < n; i++)
        a->data[i] = difference(a->data[i], b->data[i], scale);
    return true;
}

/* The curve of b that is taken from curve k: the first from the first, which are what A and B are, the others by their names. */
static const struct series *counterpart(const struct panel *b, const struct series *of, size_t k)
{
    for (size_t i = 0; i < b->n_series; i++)
        if (k == 0 || !strcmp(b->series[i].label, of->label))
            return &b->series[i];
    return NULL;
}

static void subtract_series(struct series *a, const struct series *b, size_t n)
{
    char label[2 * sizeof a->label + 8];
    for (size_t i = 0; i < n; i++)
        a->y[i] = figure_difference(a->y[i], b->y[i]);
    snprintf(label, sizeof label, "%s − %s", a->label, b->label);
    if (strcmp(a->label, b->label))
        utf8_sanitise(a->label, sizeof a->label, label);
}

/* A level of values is none of their differences. */
static void drop_levels(struct panel *p)
{
    size_t kept = 0;
    for (size_t i = 0; i < p->n_marks; i++)
        if (p->mark[i].vertical)
            p->mark[kept++] = p->mark[i];
    p->n_marks = kept;
}

static bool subtract_curves(struct panel *a, const struct panel *b)
{
    size_t kept = 0;
    if (a->n_xs != b->n_xs || !axis_same(&a->x, &b->x) || memcmp(a->xs, b->xs, a->n_xs * sizeof *a->xs) != 0)
        return false;
    for (size_t k = 0; k < a->n_series; k++) {
        const struct series *other = counterpart(b, &a->series[k], k);
        if (other)
            subtract_series(&a->series[k], other, a->n_xs);
        else
            free(a->series[k].y);
        if (other)
            a->series[kept++] = a->series[k];
    }
    a->n_series = kept;
    a->y.from = a->y.to = NAN;
    a->y.log = false;
    drop_levels(a);
    return kept > 0;
}

/* ---- tables: what has a number on both sides is subtracted, what is named alike stays ------------------------------------ */

static bool same_text(const struct text_cell *a, const struct text_cell *b)
{
    return !strcmp(a->text ? a->text : "", b->text ? b->text : "");
}

static bool both_numbers(const struct text_cell *a, const struct text_cell *b)
{
    return !isnan(a->number) && !isnan(b->number);
}

static bool tables_match(const struct panel *a, const struct panel *b)
{
    size_t numbers = 0;
    if (a->table_rows != b->table_rows || a->table_cols != b->table_cols)
        return false;
    for (size_t i = 0; i < a->table_rows * a->table_cols; i++) {
        bool subtracts = both_numbers(&a->cell[i], &b->cell[i]);
        numbers += subtracts;
        if (!subtracts && !same_text(&a->cell[i], &b->cell[i]))
            return false;
    }
    return numbers > 0;
}

static bool subtract_table(struct panel *a, const struct panel *b)
{
    if (!tables_match(a, b))
        return false;
    for (size_t i = 0; i < a->table_rows * a->table_cols; i++) {
        char text[32];
        struct text_cell *cell = &a->cell[i];
        if (!both_numbers(cell, &b->cell[i]))
            continue;
        cell->number = isfinite(cell->number) && isfinite(b->cell[i].number) ? figure_difference(cell->number, b->cell[i].number) : NAN;
        free(cell->text);
        cell->text = xstrdup(isnan(cell->number) ? "–" : format_number(text, sizeof text, cell->number, 6));
    }
    return true;
}

static bool subtract_panel(struct panel *a, const struct panel *b)
{
    bool done = !panel_comparable(a, b) ? false
              : a->kind == PANEL_TABLE ? subtract_table(a, b)
              : a->kind == PANEL_HEATMAP ? subtract_heatmap(a, b)
              : a->kind == PANEL_CURVES && a->n_xs > 0 && subtract_curves(a, b);
    a->difference = done;
    if (!done || a->kind == PANEL_TABLE)
        return done;
    a->centred = true;
    a->exact = a->exact && b->exact;
    a->error = a->error + b->error;
    panel_autorange(a);
    return true;
}

struct figure *figure_subtract(const struct figure *a, const struct figure *b, struct err *err)
{
    struct figure *d = figure_copy(a);
    if (!*d->warning)
        memcpy(d->warning, b->warning, sizeof d->warning);
    size_t done = 0;
    for (size_t i = 0; i < a->n && i < b->n; i++)
        done += subtract_panel(&d->panel[i], &b->panel[i]);
    if (done)
        return d;
    figure_free(d);
    err_set(err, N_("A and B have no picture of the same quantity with the same axes, so there is no difference to show"));
    return NULL;
}

/* ---- one range ------------------------------------------------------------------------------------------- */

static bool has_range(const struct panel *p)
{
    return panel_has_axes(p) && isfinite(p->lo) && isfinite(p->hi);
}

static void share_panel_range(struct figure *const *f, size_t n, size_t panel)
{
    double lo = INFINITY, hi = -INFINITY;
    bool centred = false;
    for (size_t i = 0; i < n; i++) {
        const struct panel *p = panel < f[i]->n ? &f[i]->panel[panel] : NULL;
        if (!p || !has_range(p) || !panel_comparable(p, &f[0]->panel[panel]))
            continue;
        lo = fmin(lo, p->lo);
        hi = fmax(hi, p->hi);
        centred = centred || p->centred;
    }
    if (centred) {
        hi = fmax(fabs(lo), fabs(hi));
        lo = -hi;
    }
    for (size_t i = 0; i < n; i++) {
        struct panel *p = panel < f[i]->n ? &f[i]->panel[panel] : NULL;
        if (!p || !has_range(p) || !panel_comparable(p, &f[0]->panel[panel]))
            continue;
        p->lo = lo;
        p->hi = hi;
        p->centred = centred;
    }
}

void figure_share_range(struct figure *const *f, size_t n)
{
    for (size_t panel = 0; n && panel < f[0]->n; panel++)
        share_panel_range(f, n, panel);
}
