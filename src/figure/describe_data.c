/* describe_data.c - what heatmaps and curves show, in words: where a heatmap is largest and smallest, what is masked, how it changes with the
 * distance or along its axes; for each curve where it starts and ends, its turning points, and where it crosses the marked lines and the others. */
#include "figure/describe_panel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "figure/legend.h"

/* Formats of our own catalogue, checked by msgfmt. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* Values equal up to so much of their range are one value. Blocks and rounding differ by far less than anything meant. */
static const double SAME = 1e-9;

/* ---- axes --------------------------------------------------------------------------------------------------- */

/* Things of a counting axis: positions from to to - 1. */
static bool counts(const struct axis *a)
{
    return isfinite(axis_count(a));
}

/* The word at sample i, with its number where another is the same. */
static void word_at(const struct axis *a, size_t i, char out[SAID_MAX])
{
    size_t same = 0;
    for (size_t k = 0; k < a->n_ticks; k++)
        same += !strcmp(a->tick[k], a->tick[i]);
    if (same > 1)
        snprintf(out, SAID_MAX, "%s (no. %zu)", a->tick[i], i + 1);
    else
        snprintf(out, SAID_MAX, "%s", a->tick[i]);
}

/* Where sample i of n lies: "12", "8 to 15", "cat". */
static char *place(const struct saying *s, const struct axis *a, int n, int i, char out[SAID_MAX])
{
    double from = axis_edge(a, n, i), to = axis_edge(a, n, i + 1);
    char low[40], high[40];
    if (a->n_ticks && (size_t)(from - a->from) < a->n_ticks && to - from == 1)
        word_at(a, (size_t)(from - a->from), out);
    else if (counts(a) && to - from == 1)
        snprintf(out, SAID_MAX, "%s", say_number(s, from, low));
    else
        snprintf(out, SAID_MAX, say_words(s, N_("%s to %s")), say_number(s, from, low), say_number(s, counts(a) ? to - 1 : to, high));
    return out;
}

/* "query (position), 0 to 511"; "key, 6 words: the, cat, ..." */
static void say_axis(struct saying *s, const char *fmt, const struct axis *a)
{
    enum { WORDS = 16 };
    char name[SAID_MAX], low[40], high[40], word[SAID_MAX];
    struct buf words = {0};
    for (size_t i = 0; i < a->n_ticks && i < WORDS; i++) {
        word_at(a, i, word);
        buf_format(&words, "%s%s%s", i ? ", " : "", word, i + 1 == WORDS && a->n_ticks > WORDS ? ", ..." : "");
    }
    char *text = buf_string(&words);
    if (a->n_ticks)
        say_this(s, fmt, *say_axis_name(a, name) ? name : "", text);
    else {
        char *range = xasprintf(say_words(s, a->log ? N_("%s to %s, logarithmic") : N_("%s to %s")), say_number(s, a->from, low),
                                say_number(s, counts(a) && s->p->kind == PANEL_HEATMAP ? a->to - 1 : a->to, high));
        say_this(s, fmt, say_axis_name(a, name), range);
        free(range);
    }
    free(text);
}

/* ---- heatmaps: values ----------------------------------------------------------------------------------------- */

static double at(const struct panel *p, int row, int col)
{
    return p->data[(size_t)row * (size_t)p->w + (size_t)col];
}

/* Rows and columns are the same things, so a sample's column less its row is a distance. */
static bool is_square(const struct panel *p)
{
    return p->by_distance && p->w == p->h && axis_same(&p->x, &p->y) && counts(&p->x);
}

struct spread {
    double lo, hi;
    size_t n, masked, absent, masked_before;    /* masked_before: those not after the diagonal */
};

static struct spread spread_of(const struct panel *p)
{
    struct spread v = {NAN, NAN, 0, 0, 0, 0};
    for (int r = 0; r < p->h; r++) {
        for (int c = 0; c < p->w; c++) {
            double x = at(p, r, c);
            v.masked += isinf(x) && x < 0;
            v.masked_before += isinf(x) && x < 0 && c <= r;
            v.absent += isnan(x);
            v.n++;
            if (!isfinite(x))
                continue;
            v.lo = isnan(v.lo) ? x : fmin(v.lo, x);
            v.hi = isnan(v.hi) ? x : fmax(v.hi, x);
        }
    }
    return v;
}

/* Where the samples equal to value are. */
struct places { size_t n; int row, col; bool one_row, one_col, one_diagonal; };

static struct places places_of(const struct panel *p, double value, double range)
{
    struct places w = {.one_row = true, .one_col = true, .one_diagonal = is_square(p)};
    for (int r = 0; r < p->h; r++) {
        for (int c = 0; c < p->w; c++) {
            if (!(fabs(at(p, r, c) - value) <= SAME * range))
                continue;
            if (w.n++ == 0) {
                w.row = r;
                w.col = c;
            }
            w.one_row = w.one_row && r == w.row;
            w.one_col = w.one_col && c == w.col;
            w.one_diagonal = w.one_diagonal && r - c == w.row - w.col;
        }
    }
    return w;
}

static double block(const struct panel *p)
{
    return axis_count(&p->x) / p->w;
}

static void say_extreme(struct saying *s, const char *which, double value, double range)
{
    const struct panel *p = s->p;
    struct places w = places_of(p, value, range);
    char v[40], row[SAID_MAX], col[SAID_MAX], far[40];
    say_number(s, value, v);
    place(s, &p->y, p->h, w.row, row);
    place(s, &p->x, p->w, w.col, col);
    if (w.n > 1 && w.one_diagonal && w.row == w.col && block(p) > 1)
        say_this(s, N_("%s %s, in every block where %s and %s meet."), which, v, p->y.label, p->x.label);
    else if (w.n > 1 && w.one_diagonal && w.row == w.col)
        say_this(s, N_("%s %s, wherever %s and %s are the same."), which, v, p->y.label, p->x.label);
    else if (w.n > 1 && w.one_diagonal)
        say_this(s, N_("%s %s, wherever %s less %s is %s."), which, v, p->y.label, p->x.label, say_number(s, (w.row - w.col) * block(p), far));
    else if (w.n > 1 && w.one_row)
        say_this(s, N_("%s %s, at %zu places of %s %s, the first at %s %s."), which, v, w.n, p->y.label, row, p->x.label, col);
    else if (w.n > 1 && w.one_col)
        say_this(s, N_("%s %s, at %zu places of %s %s, the first at %s %s."), which, v, w.n, p->x.label, col, p->y.label, row);
    else if (w.n > 1)
        say_this(s, N_("%s %s, at %zu places, the first at %s %s, %s %s."), which, v, w.n, p->y.label, row, p->x.label, col);
    else
        say_this(s, N_("%s %s, at %s %s, %s %s."), which, v, p->y.label, row, p->x.label, col);
}

static void say_absent(struct saying *s, const struct spread *v)
{
    const struct panel *p = s->p;
    double all = (double)v->n;
    if (v->masked && is_square(p) && !v->masked_before)
        say_this(s, N_("%.3g percent of the samples are masked: every one has its %s after its %s."), 100 * (double)v->masked / all, p->x.label, p->y.label);
    else if (v->masked)
        say_this(s, N_("%.3g percent of the samples are masked."), 100 * (double)v->masked / all);
    if (v->absent)
        say_this(s, N_("%.3g percent of the samples have no value."), 100 * (double)v->absent / all);
}

/* ---- heatmaps: by distance -------------------------------------------------------------------------------------- */

struct diagonal { double mean, lo, hi; int n; };

/* The samples whose row less column is far. */
static struct diagonal diagonal_of(const struct panel *p, int far)
{
    struct diagonal d = {0, INFINITY, -INFINITY, 0};
    for (int r = 0; r < p->h; r++) {
        int c = r - far;
        if (c < 0 || c >= p->w || !isfinite(at(p, r, c)))
            continue;
        d.mean += at(p, r, c);
        d.lo = fmin(d.lo, at(p, r, c));
        d.hi = fmax(d.hi, at(p, r, c));
        d.n++;
    }
    d.mean = d.n ? d.mean / d.n : NAN;
    return d;
}

/* Mean at 0, 1, 2, 4, ... samples and at the last. direction -1: keys after the query. */
static void say_distances(struct saying *s, const char *fmt, int direction)
{
    const struct panel *p = s->p;
    struct buf list = {0};
    char far[40], v[40];
    for (int k = 0; k < p->w; k = k == p->w - 1 ? p->w : k ? (2 * k < p->w ? 2 * k : p->w - 1) : 1) {
        struct diagonal d = diagonal_of(p, direction * k);
        if (d.n)
            buf_format(&list, "%s%s: %s", list.n ? "; " : "", say_number(s, k * block(p), far), say_number(s, d.mean, v));
    }
    char *text = buf_string(&list);
    if (*text)
        say_this(s, fmt, p->y.label, p->x.label, text);
    free(text);
}

/* Does the distance alone decide, in both directions alike? */
static void say_what_counts(struct saying *s, double range)
{
    const struct panel *p = s->p;
    double most = 0, unlike = 0;
    int where = 0;
    bool both = false;
    for (int k = 1 - p->w; k < p->w; k++) {
        struct diagonal d = diagonal_of(p, k), back = diagonal_of(p, -k);
        if (d.n && d.hi - d.lo > most) {
            most = d.hi - d.lo;
            where = k;
        }
        both = both || (k && d.n && back.n);
        unlike = d.n && back.n ? fmax(unlike, fabs(d.mean - back.mean)) : unlike;
    }
    char v[40], far[40];
    bool even = fmod(axis_count(&p->x), p->w) == 0;     /* blocks of unequal length differ by their lengths */
    if (even && most <= SAME * range)
        say_this(s, N_("The distance alone decides: samples at the same distance have the same value."));
    else if (most > 0.01 * range)
        say_this(s, N_("Samples at the same distance differ by up to %s (distance %s)."), say_number(s, most, v), say_number(s, where * block(p), far));
    if (both && unlike <= SAME * range)
        say_this(s, N_("It is the same in both directions."));
    else if (both)
        say_distances(s, N_("With %2$s after %1$s: %3$s."), -1);
}

/* ---- heatmaps: rows and columns ----------------------------------------------------------------------------------- */

/* Row r, all of it or five places: "the: 0.66, cat: 0.34". along_x false: column r. */
static void say_line(struct saying *s, int r, bool along_x, int places)
{
    const struct panel *p = s->p;
    const struct axis *along = along_x ? &p->x : &p->y, *across = along_x ? &p->y : &p->x;
    int n = along_x ? p->w : p->h, n_across = along_x ? p->h : p->w;
    struct buf list = {0};
    char here[SAID_MAX], where[SAID_MAX], v[40];
    for (int k = 0, before = -1; k < places; k++) {
        int i = places > 1 ? (int)((long)k * (n - 1) / (places - 1)) : 0;
        double x = along_x ? at(p, r, i) : at(p, i, r);
        if (i != before && !isinf(x))
            buf_format(&list, "%s%s: %s", list.n ? "; " : "", place(s, along, n, i, where), say_number(s, x, v));
        before = i;
    }
    char *text = buf_string(&list);
    say_this(s, N_("At %s %s, along %s: %s."), across->label, place(s, across, n_across, r, here), along->label,
        *text ? text : say_words(s, N_("all masked")));
    free(text);
}

/* First column from c on that is of row r's kind, or of none when is is false; the width if there is none. */
static int next_of_kind(const struct panel *p, int r, int c, bool is)
{
    while (c < p->w && (at(p, r, c) > 0) != is)
        c++;
    return c;
}

/* "kind sliding: layer 0 to 4, 6 to 10" */
static void say_map_row(struct saying *s, int r)
{
    const struct panel *p = s->p;
    struct buf runs = {0};
    char first[SAID_MAX], last[SAID_MAX], kind[SAID_MAX];
    for (int end, c = next_of_kind(p, r, 0, true); c < p->w; c = next_of_kind(p, r, end, true)) {
        end = next_of_kind(p, r, c, false);
        buf_text(&runs, runs.n ? ", " : "");
        place(s, &p->x, p->w, c, first);
        if (end - c > 1)
            buf_format(&runs, say_words(s, N_("%s to %s")), first, place(s, &p->x, p->w, end - 1, last));
        else
            buf_text(&runs, first);
    }
    char *text = buf_string(&runs);
    say_this(s, N_("%s %s: %s %s."), p->y.label, place(s, &p->y, p->h, r, kind), p->x.label, *text ? text : say_words(s, N_("none")));
    free(text);
}

static void say_map(struct saying *s)
{
    const struct panel *p = s->p;
    char column[SAID_MAX];
    for (int r = 0; r < p->h; r++)
        if (!r || axis_edge(&p->y, p->h, r) >= floor(axis_edge(&p->y, p->h, r - 1)) + 1)     /* a kind may have several rows of samples */
            say_map_row(s, r);
    for (int i = 0; i < p->w * p->h; i++)
        if (p->data[i] >= p->hi) {
            say_this(s, N_("Chosen: %s %s."), p->x.label, place(s, &p->x, p->w, i % p->w, column));
            return;
        }
}

void say_heatmap(struct saying *s)
{
    enum { SMALL = 12, FIVE = 5 };
    const struct panel *p = s->p;
    char reduction[256];
    if (!p->data)
        return;
    if (p->map && !p->difference) {
        say_map(s);
        return;
    }
    struct spread v = spread_of(p);
    double range = v.hi - v.lo;
    say_this(s, N_("Values: %s%s%s."), p->unit, *p->unit ? ", " : "", legend_reduction(reduction, sizeof reduction, p, s->lang));
    if (isnan(v.lo))
        say_this(s, N_("There is no value in it."));
    else if (range == 0) {
        char one[40];
        say_this(s, N_("Every value is %s."), say_number(s, v.lo, one));
    } else {
        say_extreme(s, say_words(s, N_("Largest:")), v.hi, range);
        say_extreme(s, say_words(s, N_("Smallest:")), v.lo, range);
    }
    bool square = is_square(p);
    say_absent(s, &v);
    if (square && range > 0) {
        say_distances(s, block(p) > 1 ? N_("By distance of the blocks (%s less %s), mean of the samples: %s.") : N_("By distance (%s less %s), mean of the samples: %s."), 1);
        say_what_counts(s, range);
    }
    if (s->before && s->before->kind == p->kind && axis_same(&s->before->x, &p->x) && axis_same(&s->before->y, &p->y))
        say_details(s);
    say_axis(s, N_("Rows, downwards: %s, %s."), &p->y);
    say_axis(s, N_("Columns: %s, %s."), &p->x);
    bool small = p->w <= SMALL && p->h <= SMALL;
    if (square || small)
        say_details(s);
    for (int r = 0; r < p->h && small; r++)
        say_line(s, r, true, p->w);
    for (int k = 1; k < 4 && !small; k++) {             /* at the middle, the last and the first of the other axis */
        say_line(s, k % 3 * (p->h - 1) / 2, true, FIVE);
        say_line(s, k % 3 * (p->w - 1) / 2, false, FIVE);
        say_details(s);
    }
}

/* ---- curves --------------------------------------------------------------------------------------------------------- */

static bool has(const struct series *c, size_t i)
{
    return isfinite(c->y[i]);
}

/* What a curve does from end to end. */
struct course { size_t n, first, last, least, most; bool rises, falls; };

static struct course course_of(const struct panel *p, const struct series *c)
{
    struct course w = {.rises = true, .falls = true};
    for (size_t i = 0; i < p->n_xs; i++) {
        if (!has(c, i))
            continue;
        if (w.n == 0)
            w.first = w.least = w.most = i;
        w.rises = w.rises && (!w.n || c->y[i] >= c->y[w.last]);
        w.falls = w.falls && (!w.n || c->y[i] <= c->y[w.last]);
        w.least = c->y[i] < c->y[w.least] ? i : w.least;
        w.most = c->y[i] > c->y[w.most] ? i : w.most;
        w.last = i;
        w.n++;
    }
    return w;
}

/* The place of point i: its number, or its word. */
static char *x_of(const struct saying *s, size_t i, char out[40])
{
    const struct axis *x = &s->p->x;
    double word = floor(s->p->xs[i] - x->from);
    if (!(word >= 0 && word < (double)x->n_ticks))
        return say_number(s, s->p->xs[i], out);
    snprintf(out, 40, "%.39s", x->tick[(size_t)word]);
    return out;
}

/* Values at the first place, the last, and three between; of few all. */
static void add_values(struct saying *s, const struct series *c, const struct course *w, struct buf *out)
{
    enum { FIVE = 5, FEW = 9 };
    char x[40], y[40];
    size_t before = (size_t)-1, places = w->last - w->first < FEW ? w->last - w->first + 1 : FIVE;
    for (size_t k = 0; k < places; k++) {
        size_t i = w->first + (places > 1 ? k * (w->last - w->first) / (places - 1) : 0);
        while (!has(c, i))
            i++;
        if (i != before)
            buf_format(out, "%s%s: %s", before == (size_t)-1 ? "" : "; ", x_of(s, i, x), say_number(s, c->y[i], y));
        before = i;
    }
}

static void add_turning_points(struct saying *s, const struct series *c, const struct course *w, struct buf *out)
{
    char low[40], high[40], x0[40], x1[40];
    if (w->rises && w->falls)
        buf_text(out, say_words(s, N_("; the same everywhere")));
    else if (w->rises || w->falls)
        buf_text(out, say_words(s, w->rises ? N_("; never falling") : N_("; never rising")));
    else
        buf_format(out, say_words(s, N_("; smallest %s at %s, largest %s at %s")), say_number(s, c->y[w->least], low), x_of(s, w->least, x0),
                   say_number(s, c->y[w->most], high), x_of(s, w->most, x1));
}

/* The sign of a difference where both are there; 0 too where they are not. */
static int side(double d)
{
    return d > 0 ? 1 : d < 0 ? -1 : 0;
}

/* First change of sign of c - other (NULL: c - level): the points around it; returns how many changes there are. */
static size_t crossings(const struct panel *p, const struct series *c, const struct series *other, double level, size_t *from, size_t *to)
{
    size_t n = 0, last = 0;
    int before = 0;
    for (size_t i = 0; i < p->n_xs; i++) {
        double with = other ? other->y[i] : level;
        int now = has(c, i) && isfinite(with) ? side(c->y[i] - with) : 0;
        if (!now)
            continue;
        if (before && now != before && n++ == 0) {
            *from = last;
            *to = i;
        }
        before = now;
        last = i;
    }
    return n;
}

/* "; crosses trained (8192) between 28 and 29" */
static void add_marks(struct saying *s, const struct series *c, struct buf *out)
{
    const struct panel *p = s->p;
    for (size_t m = 0; m < p->n_marks; m++) {
        size_t from, to;
        char level[40], x0[40], x1[40];
        if (p->mark[m].vertical || !isfinite(p->mark[m].at))
            continue;
        size_t n = crossings(p, c, NULL, p->mark[m].at, &from, &to);
        say_number(s, p->mark[m].at, level);
        if (n)
            buf_format(out, say_words(s, n > 1 ? N_("; crosses %s (%s) between %s and %s, the first of %zu times") : N_("; crosses %s (%s) between %s and %s")),
                       p->mark[m].label, level, x_of(s, from, x0), x_of(s, to, x1), n);
        else
            buf_format(out, say_words(s, N_("; never crosses %s (%s)")), p->mark[m].label, level);
    }
}

static void say_series(struct saying *s, const struct series *c)
{
    struct course w = course_of(s->p, c);
    struct buf line = {0};
    if (w.n == 0) {
        say_this(s, N_("%s: no value."), c->label);
        return;
    }
    add_values(s, c, &w, &line);
    add_turning_points(s, c, &w, &line);
    if (w.n < s->p->n_xs)
        buf_format(&line, say_words(s, N_("; no value at %zu of %zu places")), s->p->n_xs - w.n, s->p->n_xs);
    add_marks(s, c, &line);
    char *text = buf_string(&line);
    say_this(s, *c->label ? N_("%s. %s.") : N_("%s%s."), c->label, text);
    free(text);
}

static bool same_curve(const struct panel *p, const struct series *a, const struct series *b)
{
    for (size_t i = 0; i < p->n_xs; i++)
        if (has(a, i) != has(b, i) || (has(a, i) && fabs(a->y[i] - b->y[i]) > SAME * fmax(fabs(a->y[i]), fabs(b->y[i]))))
            return false;
    return true;
}

static void say_pairs_of_curves(struct saying *s)
{
    const struct panel *p = s->p;
    char x0[40], x1[40];
    for (size_t a = 0; a < p->n_series; a++) {
        for (size_t b = a + 1; b < p->n_series; b++) {
            const struct series *one = &p->series[a], *other = &p->series[b];
            size_t from, to, n = crossings(p, one, other, 0, &from, &to);
            if (same_curve(p, one, other))
                say_this(s, N_("%s and %s are the same."), one->label, other->label);
            else if (n)
                say_this(s, n > 1 ? N_("%s and %s cross between %s and %s, the first of %zu times.") : N_("%s and %s cross between %s and %s."), one->label,
                    other->label, x_of(s, from, x0), x_of(s, to, x1), n);
        }
    }
}

void say_curves(struct saying *s)
{
    enum { FEW = 4 };
    const struct panel *p = s->p;
    char name[SAID_MAX], v[40];
    if (!p->n_series)
        return;
    say_axis(s, N_("Along %s, %s."), &p->x);
    if (*say_axis_name(&p->y, name) || *p->unit)
        say_this(s, N_("Values: %s."), *name ? name : p->unit);
    for (size_t i = 0; i < p->n_series; i++) {
        if (i == FEW)
            say_details(s);
        say_series(s, &p->series[i]);
    }
    for (size_t m = 0; m < p->n_marks; m++)
        if (p->mark[m].vertical)
            say_this(s, N_("Marked at %s: %s."), say_number(s, p->mark[m].at, v), p->mark[m].label);
    if (p->n_series > 2)
        say_details(s);
    say_pairs_of_curves(s);
}
