/* figure.c - the life of a figure: panels, their data, their range. */
#include "figure/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

struct figure *figure_new(void)
{
    struct figure *f = xcalloc(1, sizeof *f);
    f->progress = 1;
    return f;
}

static void panel_done(struct panel *p)
{
    axis_done(&p->x);
    axis_done(&p->y);
    for (size_t i = 0; i < p->n_series; i++)
        free(p->series[i].y);
    for (size_t i = 0; i < p->table_rows * p->table_cols; i++)
        free(p->cell[i].text);
    free(p->data);
    free(p->xs);
    free(p->series);
    free(p->mark);
    free(p->bar);
    free(p->dial);
    free(p->cell);
    free(p->text);
}

void figure_free(struct figure *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->n; i++)
        panel_done(&f->panel[i]);
    free(f->panel);
    free(f);
}

struct panel *figure_add(struct figure *f, enum panel_kind kind, const char *title)
{
    f->panel = xreallocarray(f->panel, f->n + 1, sizeof *f->panel);
    struct panel *p = &f->panel[f->n++];
    *p = (struct panel){.kind = kind, .weight = 1, .lo = NAN, .hi = NAN, .exact = true};
    p->x.from = p->x.to = p->y.from = p->y.to = NAN;
    utf8_sanitise(p->title, sizeof p->title, title ? title : "");
    return p;
}

/* ---- copy ---------------------------------------------------------------------------------------------- */

static void *copy_of(const void *from, size_t count, size_t size)
{
    if (!from)
        return NULL;
    void *to = xcalloc(count, size);
    return count ? memcpy(to, from, count * size) : to;
}

static void panel_copy(struct panel *to, const struct panel *from)
{
    *to = *from;
    axis_copy(&to->x, &from->x);
    axis_copy(&to->y, &from->y);
    to->data = copy_of(from->data, (size_t)from->w * (size_t)from->h, sizeof *from->data);
    to->xs = copy_of(from->xs, from->n_xs, sizeof *from->xs);
    to->series = copy_of(from->series, from->n_series, sizeof *from->series);
    for (size_t i = 0; i < from->n_series; i++)
        to->series[i].y = copy_of(from->series[i].y, from->n_xs, sizeof(double));
    to->mark = copy_of(from->mark, from->n_marks, sizeof *from->mark);
    to->bar = copy_of(from->bar, from->n_bars, sizeof *from->bar);
    to->dial = copy_of(from->dial, from->n_dials, sizeof *from->dial);
    to->cell = copy_of(from->cell, from->table_rows * from->table_cols, sizeof *from->cell);
    for (size_t i = 0; i < from->table_rows * from->table_cols; i++)
        to->cell[i].text = xstrdup(from->cell[i].text);
    to->text = xstrdup(from->text);
}

struct figure *figure_copy(const struct figure *f)
{
    struct figure *copy = xmalloc(sizeof *copy);
    *copy = *f;
    copy->panel = xcalloc(f->n, sizeof *copy->panel);
    for (size_t i = 0; i < f->n; i++)
        panel_copy(&copy->panel[i], &f->panel[i]);
    return copy;
}

/* ---- data ---------------------------------------------------------------------------------------------- */

static double *nans(size_t n)
{
    double *x = xcalloc(n, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = NAN;
    return x;
}

double *panel_heatmap(struct panel *p)
{
    free(p->data);
    return p->data = nans((size_t)p->w * (size_t)p->h);
}

double *panel_xs(struct panel *p, size_t n)
{
    free(p->xs);
    p->n_xs = n;
    return p->xs = nans(n);
}

size_t panel_spread_xs(struct panel *p, size_t n, bool integers)
{
    double *xs = panel_xs(p, n);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        double x = n == 1 ? p->x.from : axis_at(&p->x, (double)i / (double)(n - 1));
        if (integers)
            x = round(x);
        if (!integers || kept == 0 || x != xs[kept - 1])
            xs[kept++] = x;
    }
    return p->n_xs = kept;
}

struct series *panel_add_series(struct panel *p, const char *label)
{
    p->series = xreallocarray(p->series, p->n_series + 1, sizeof *p->series);
    struct series *s = &p->series[p->n_series];
    *s = (struct series){.y = nans(p->n_xs), .role = ROLE_SERIES_0 + (int)(p->n_series % N_SERIES_ROLES)};
    utf8_sanitise(s->label, sizeof s->label, label ? label : "");
    p->n_series++;
    return s;
}

struct mark *panel_add_mark(struct panel *p, bool vertical, double at, const char *label, enum role role)
{
    p->mark = xreallocarray(p->mark, p->n_marks + 1, sizeof *p->mark);
    struct mark *m = &p->mark[p->n_marks++];
    *m = (struct mark){.vertical = vertical, .at = at, .role = role};
    utf8_sanitise(m->label, sizeof m->label, label ? label : "");
    return m;
}

struct bar *panel_add_bar(struct panel *p, const char *label, double value)
{
    p->bar = xreallocarray(p->bar, p->n_bars + 1, sizeof *p->bar);
    struct bar *b = &p->bar[p->n_bars++];
    *b = (struct bar){.value = value, .role = ROLE_SERIES_0};
    utf8_sanitise(b->label, sizeof b->label, label ? label : "");
    return b;
}

struct dial *panel_add_dial(struct panel *p)
{
    p->dial = xreallocarray(p->dial, p->n_dials + 1, sizeof *p->dial);
    struct dial *d = &p->dial[p->n_dials++];
    *d = (struct dial){.angle = {NAN, NAN}, .length = {1, 1}};
    return d;
}

void panel_will_name(struct panel *p, const char *label)
{
    if (p->n_names < NAMES_MAX)
        p->name_w[p->n_names++] = utf8_width(label);
}

void panel_table(struct panel *p, size_t rows, size_t cols)
{
    for (size_t i = 0; i < p->table_rows * p->table_cols; i++)
        free(p->cell[i].text);
    free(p->cell);
    p->cell = xcalloc(rows * cols, sizeof *p->cell);
    p->table_rows = rows;
    p->table_cols = cols;
    for (size_t i = 0; i < rows * cols; i++)
        p->cell[i].number = NAN;
}

/* fmt comes from the callers, whose formats the compiler checks. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

void panel_cell(struct panel *p, size_t row, size_t col, enum role role, bool right, const char *fmt, ...)
{
    if (row >= p->table_rows || col >= p->table_cols)
        return;
    char raw[512], clean[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(raw, sizeof raw, fmt, ap);
    va_end(ap);
    struct text_cell *cell = &p->cell[row * p->table_cols + col];
    free(cell->text);
    *cell = (struct text_cell){xstrdup(utf8_sanitise(clean, sizeof clean, raw)), role, right, NAN};
}

void panel_number(struct panel *p, size_t row, size_t col, double number)
{
    if (row < p->table_rows && col < p->table_cols)
        p->cell[row * p->table_cols + col].number = number;
}

void panel_facts(struct panel *p, size_t n, const char *what, const char *value)
{
    panel_table(p, n + 1, 2);
    panel_cell(p, 0, 0, ROLE_DIM, false, "%s", what);
    panel_cell(p, 0, 1, ROLE_DIM, true, "%s", value);
    p->facts = true;
}

void panel_fact(struct panel *p, size_t fact, const char *what, const char *fmt, ...)
{
    char text[120];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    panel_cell(p, fact + 1, 0, ROLE_DIM, false, "%s", what);
    panel_cell(p, fact + 1, 1, ROLE_TEXT, true, "%s", text);
}

void panel_text(struct panel *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *more = xvasprintf(fmt, ap);
    va_end(ap);
    size_t had = p->text ? strlen(p->text) : 0, n = strlen(more);
    p->text = xreallocarray(p->text, had + n + 1, 1);
    memcpy(p->text + had, more, n + 1);
    free(more);
}

bool panel_has_axes(const struct panel *p)
{
    return p->kind == PANEL_HEATMAP || p->kind == PANEL_CURVES;
}

struct axis panel_bar_scale(const struct panel *p)
{
    struct axis a = p->x;
    if (isnan(a.from) || isnan(a.to)) {
        a.from = p->lo;
        a.to = p->hi;
    }
    return a;
}

/* ---- range --------------------------------------------------------------------------------------------- */

static void widen_to(struct panel *p, const double *x, size_t n, bool positive)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i]) || (positive && x[i] <= 0))
            continue;
        p->lo = isnan(p->lo) ? x[i] : fmin(p->lo, x[i]);
        p->hi = isnan(p->hi) ? x[i] : fmax(p->hi, x[i]);
    }
}

void panel_autorange(struct panel *p)
{
    p->lo = p->hi = NAN;
    bool log = p->kind == PANEL_CURVES && p->y.log;
    if (p->data)
        widen_to(p, p->data, (size_t)p->w * (size_t)p->h, false);
    for (size_t i = 0; i < p->n_series; i++)
        widen_to(p, p->series[i].y, p->n_xs, log);
    for (size_t i = 0; i < p->n_bars; i++)
        widen_to(p, &p->bar[i].value, 1, false);
    if (p->n_bars) {
        p->lo = fmin(p->lo, 0);
        p->hi = fmax(p->hi, 0);
    }
    if (isnan(p->lo))
        return;
    if (p->centred) {
        p->hi = fmax(fabs(p->lo), fabs(p->hi));
        p->lo = -p->hi;
    }
    if (p->lo == p->hi) {
        double room = log ? 0 : p->lo == 0 ? 1 : fabs(p->lo) / 2;
        p->lo = log ? p->lo / 2 : p->lo - room;
        p->hi = log ? p->hi * 2 : p->hi + room;
    }
}

struct axis panel_y_axis(const struct panel *p)
{
    struct axis y = p->y;
    if (isnan(y.from))
        y.from = p->lo;
    if (isnan(y.to))
        y.to = p->hi;
    y.continuous = y.continuous || isnan(p->y.from) || isnan(p->y.to);
    return y;
}

const struct panel *figure_main_panel(const struct figure *f)
{
    const struct panel *best = NULL;
    for (size_t i = 0; i < f->n; i++) {
        const struct panel *p = &f->panel[i];
        if (p->kind == PANEL_TEXT || p->rows == 0)
            continue;
        if (!best || p->kind < best->kind || (p->kind == best->kind && p->weight > best->weight))
            best = p;
    }
    return best;
}
