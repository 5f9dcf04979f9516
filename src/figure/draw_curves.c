/* draw_curves.c - curves in braille dots over marks and axes. Without colours the curves differ by their dashes, and always by
 * a letter on the curve and in the legend. */
#include "figure/draw_panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "figure/legend.h"

enum { ACROSS = 2, DOWN = 4 };          /* dots of a cell */

int curves_col(const struct panel *p, double x)
{
    double share = axis_share(&p->x, x);
    return share >= -0.5 && share <= 1.5 ? (int)floor(floor(share * (ACROSS * p->area.cols - 1) + 0.5) / ACROSS) : -1000;
}

static double dot_x(const struct panel *p, double x)
{
    return axis_share(&p->x, x) * (ACROSS * p->area.cols - 1);
}

static double dot_y(const struct panel *p, double y)
{
    struct axis value = panel_y_axis(p);
    if (value.log && y <= 0)
        return NAN;
    return (1 - axis_share(&value, y)) * (DOWN * p->area.rows - 1);
}

static int curves_row(const struct panel *p, double y)
{
    double dot = floor(dot_y(p, y) + 0.5);
    return dot >= 0 && dot < DOWN * p->area.rows ? (int)dot / DOWN : -1;
}

/* ---- curves -------------------------------------------------------------------------------------------------- */

/* Dots drawn and left out in turn, without colours; the first curve is solid. */
static const char *const dashes[] = {"#", "######....", "#..", "########..#..", "####....", "#....", "############....", "###.#."};
enum { N_DASHES = sizeof dashes / sizeof *dashes };

struct pen { struct dots *dots; const char *dash; size_t at; };

/* A straight line in dots, with the pen's dashes going on from line to line. Cut to the rows of the plane before it is walked. */
static void pen_line(struct pen *pen, double y0, double x0, double y1, double x1, int rows)
{
    double low = -1, high = DOWN * rows, dy = y1 - y0, dx = x1 - x0, from = 0, to = 1;
    if (!isfinite(dy) || !isfinite(dx) || fmax(y0, y1) < low || fmin(y0, y1) > high)
        return;
    if (dy != 0) {
        from = fmax(0, fmin((low - y0) / dy, (high - y0) / dy));
        to = fmin(1, fmax((low - y0) / dy, (high - y0) / dy));
    }
    int steps = (int)ceil(fmax(fabs(dy), fabs(dx)) * (to - from));
    for (int i = 0; i <= steps; i++, pen->at++) {
        double t = steps ? from + (to - from) * i / steps : from;
        if (pen->dash[pen->at % strlen(pen->dash)] == '#')
            dots_set(pen->dots, (int)floor(y0 + t * dy + 0.5), (int)floor(x0 + t * dx + 0.5));
    }
    if (steps > 0)
        pen->at--;                      /* the last dot is the first of the next line */
}

static void point(struct dots *dots, double y, double x)
{
    if (!isfinite(y) || !isfinite(x) || fabs(y) > 1e6 || fabs(x) > 1e6)
        return;
    int row = (int)floor(y), col = (int)floor(x);
    for (int i = 0; i < 4; i++)
        dots_set(dots, row + i / 2, col + i % 2);
}

static void draw_series(struct drawing *d, const struct series *s, const char *dash)
{
    const struct panel *p = d->p;
    int rows = p->area.rows;
    struct pen pen = {dots_new(rows, p->area.cols), dash, 0};
    double x0 = NAN, y0 = NAN;
    for (size_t i = 0; i < p->n_xs; i++) {
        double x1 = dot_x(p, p->xs[i]), y1 = isfinite(s->y[i]) ? dot_y(p, s->y[i]) : NAN;
        if (s->points)
            point(pen.dots, y1, x1);
        else if (isnan(y0) || isnan(y1))
            pen_line(&pen, y1, x1, y1, x1, rows);
        else if (s->steps) {
            pen_line(&pen, y0, x0, y0, x1, rows);
            pen_line(&pen, y0, x1, y1, x1, rows);
        } else
            pen_line(&pen, y0, x0, y1, x1, rows);
        x0 = x1;
        y0 = y1;
    }
    dots_draw(pen.dots, d->c, p->area.row, p->area.col, d->c->theme->role[s->role].fg);
    dots_free(pen.dots);
}

static const char *dash_of(const struct drawing *d, size_t i)
{
    return d->c->depth <= DEPTH_16 ? dashes[i % N_DASHES] : dashes[0];
}

/* Letters stand at different places along the curves, so that curves that meet can be told apart. */
static void draw_letter(struct drawing *d, size_t i)
{
    const struct panel *p = d->p;
    const struct series *s = &p->series[i];
    size_t at = p->n_xs ? (2 * i + 1) * p->n_xs / (2 * p->n_series) : 0;
    for (size_t k = 0; k < p->n_xs; k++) {
        size_t j = (at + k) % p->n_xs;
        int row = isfinite(s->y[j]) ? curves_row(p, s->y[j]) : -1, col = curves_col(p, p->xs[j]);
        if (row < 0 || col < 0 || col >= p->area.cols)
            continue;
        canvas_put(d->c, p->area.row + row, p->area.col + col, (uint32_t)('a' + i % 26), s->role, ATTR_BOLD);
        return;
    }
}

/* ---- marks and the cursor -------------------------------------------------------------------------------------- */

static uint32_t cell_ch(const struct canvas *c, int y, int x)
{
    return y >= 0 && y < c->rows && x >= 0 && x < c->cols ? c->cell[y * c->cols + x].ch : 0;
}

static void mark_line(struct drawing *d, const struct mark *m)
{
    const struct panel *p = d->p;
    int row = m->vertical ? -1 : curves_row(p, m->at), col = m->vertical ? curves_col(p, m->at) : -1;
    if (row >= 0)
        for (int x = 0; x < p->area.cols; x++)
            canvas_put(d->c, p->area.row + row, p->area.col + x, 0x2508, m->role, 0);
    else if (col >= 0 && col < p->area.cols)
        draw_column(d, p->area.row, p->area.col + col, p->area.rows, 0x250a, m->role);
}

/* How many cells of a label would cover something other than blanks and the line itself. */
static int covered(const struct drawing *d, int y, int x, int w)
{
    int n = 0;
    for (int i = 0; i < w; i++) {
        uint32_t ch = cell_ch(d->c, y, x + i);
        n += ch != ' ' && ch != 0x2508 && ch != 0x250a && ch != glyph_ascii(0x2508) && ch != glyph_ascii(0x250a);
    }
    return n;
}

/* The place along the line where a label covers least, the first of equals: from the right for a horizontal line, from the top for
 * a vertical one. */
static void mark_label(struct drawing *d, const struct mark *m)
{
    const struct panel *p = d->p;
    int w = min_int(utf8_width(m->label), p->area.cols), row = m->vertical ? 0 : curves_row(p, m->at);
    int col = m->vertical ? curves_col(p, m->at) : 0;
    if (w == 0 || row < 0 || col < 0 || col >= p->area.cols)
        return;
    int right_of = col + 1 + w <= p->area.cols ? col + 1 : max_int(col - w, 0);
    int places = m->vertical ? p->area.rows : p->area.cols - w + 1, best = 1 << 20, y = row, x = right_of;
    for (int i = 0; i < places; i++) {
        int try_y = m->vertical ? i : row, try_x = m->vertical ? right_of : max_int(p->area.cols - w - 2 - i, 0);
        int n = covered(d, p->area.row + try_y, p->area.col + try_x - 1, w + 2);
        if (n < best) {
            best = n;
            y = try_y;
            x = try_x;
        }
    }
    canvas_text(d->c, p->area.row + y, p->area.col + x, w, m->label, m->role, 0);
}

static void zero_line(struct drawing *d)
{
    struct axis y = panel_y_axis(d->p);
    if (!y.log && fmin(y.from, y.to) < 0 && fmax(y.from, y.to) > 0)
        mark_line(d, &(struct mark){.at = 0, .role = ROLE_DIM});
}

static void draw_cursor(struct drawing *d)
{
    const struct panel *p = d->p;
    int col = (d->focused || d->linked) && !isnan(d->x) ? curves_col(p, d->x) : -1;
    if (col < 0 || col >= p->area.cols)
        return;
    for (int r = 0; r < p->area.rows; r++)
        if (cell_ch(d->c, p->area.row + r, p->area.col + col) == ' ')
            canvas_put(d->c, p->area.row + r, p->area.col + col, 0x2502, d->focused ? ROLE_ACCENT : ROLE_DIM, 0);
    size_t nearest = 0;
    for (size_t i = 1; i < p->n_xs; i++)
        if (fabs(p->xs[i] - d->x) < fabs(p->xs[nearest] - d->x))
            nearest = i;
    for (size_t k = 0; k < p->n_series && p->n_xs; k++) {
        int row = isfinite(p->series[k].y[nearest]) ? curves_row(p, p->series[k].y[nearest]) : -1;
        if (row >= 0)
            canvas_put(d->c, p->area.row + row, p->area.col + col, 0x25cf, p->series[k].role, ATTR_BOLD);
    }
}

/* ---- frame ----------------------------------------------------------------------------------------------------- */

static void x_axis_line(struct drawing *d, int y)
{
    const struct panel *p = d->p;
    canvas_put(d->c, y, p->area.col - 1, 0x2514, ROLE_DIM, 0);
    for (int x = 0; x < p->area.cols; x++)
        canvas_put(d->c, y, p->area.col + x, 0x2500, ROLE_DIM, 0);
}

/* Bytes of the words that all labels begin with, with the space: "head " of "head 0", "head 1". */
static size_t common_words(const struct panel *p)
{
    size_t n = p->n_series > 1 ? strlen(p->series[0].label) : 0;
    for (size_t i = 1; i < p->n_series; i++)
        while (n > 0 && strncmp(p->series[i].label, p->series[0].label, n) != 0)
            n--;
    while (n > 0 && p->series[0].label[n - 1] != ' ')
        n--;
    return n;
}

/* One way to write the legend: with a sample of the line or without, without the words that all have in common, cells between. */
struct key_style { bool sample; size_t skip; int gap; };

static int key_width(const struct panel *p, size_t i, struct key_style style)
{
    const char *label = p->series[i].label;
    return *label ? (p->n_series > 1) + (style.sample ? 2 : 0) + 1 + utf8_width(label + style.skip) : 0;
}

/* Do the names, none wider than limit, find room in so many lines? */
static bool keys_fit(const struct panel *p, struct key_style style, int limit, int room, int lines)
{
    int x = 0;
    for (size_t i = 0; i < p->n_series; i++) {
        int w = min_int(key_width(p, i, style), limit);
        if (x > 0 && w > 0 && x + w > room) {
            x = 0;
            lines--;
        }
        x += w > 0 ? w + style.gap : 0;
        if (w > room)
            return false;
    }
    return lines >= 1;
}

/* "a── label", "a label" */
static void draw_key(struct drawing *d, int y, int x, int cells, size_t i, struct key_style style)
{
    static const uint32_t sample[][2] = {{0x2500, 0x2500}, {0x2500, ' '}, {0xb7, 0xb7}, {0x2500, 0xb7}};
    const struct series *s = &d->p->series[i];
    const uint32_t *line = s->points ? sample[2] : d->c->depth <= DEPTH_16 ? sample[i % 4] : sample[0];
    int used = 0;
    if (d->p->n_series > 1)
        canvas_put(d->c, y, x + used++, (uint32_t)('a' + i % 26), s->role, ATTR_BOLD);
    for (int k = 0; k < 2 && style.sample; k++)
        canvas_put(d->c, y, x + used++, line[k], s->role, 0);
    canvas_text(d->c, y, x + used + 1, cells - used - 1, s->label + style.skip, ROLE_TEXT, 0);
}

/* The names of the curves, in the fullest style that fits; if none does, short names stay whole, and long ones are cut alike. What is left
 * takes the note. */
static void draw_legend(struct drawing *d, int y, int lines)
{
    const struct panel *p = d->p;
    size_t skip = common_words(p), k = 0;
    const struct key_style style[] = {{true, 0, 2}, {false, 0, 2}, {false, skip, 2}, {false, skip, 1}};
    enum { STYLES = sizeof style / sizeof *style };
    int right = p->col + p->cols, room = right - p->area.col, from = keys_fit(p, style[0], room, room, lines) ? p->area.col : p->col;
    room = right - from;
    while (k + 1 < STYLES && !keys_fit(p, style[k], room + 1, room, lines))
        k++;
    int limit = room + 1, x = from;
    while (limit > 1 && !keys_fit(p, style[k], limit, room, lines))
        limit--;
    for (size_t i = 0; i < p->n_series; i++) {
        int w = min_int(key_width(p, i, style[k]), limit);
        if (w == 0)
            continue;
        if (x > from && x + w > right) {
            x = from;
            y++;
        }
        draw_key(d, y, x, w, i, style[k]);
        x += w + style[k].gap;
    }
    if (p->note[0] && !d->note_shown && right - x > 12)
        canvas_text(d->c, y, x, right - x, p->note, ROLE_TEXT, 0);
}

void draw_curves(struct drawing *d)
{
    const struct panel *p = d->p;
    struct axis y = panel_y_axis(p);
    if (p->area.rows < 1)
        return;
    bool drawable = isfinite(y.from) && isfinite(y.to) && y.from != y.to;
    if (drawable) {
        zero_line(d);
        for (size_t i = 0; i < p->n_marks; i++)
            mark_line(d, &p->mark[i]);
        for (size_t i = 0; i < p->n_series; i++)
            draw_series(d, &p->series[i], dash_of(d, i));
        for (size_t i = 0; i < p->n_series && p->n_series > 1; i++)
            draw_letter(d, i);
        for (size_t i = 0; i < p->n_marks; i++)
            mark_label(d, &p->mark[i]);
        draw_cursor(d);
    }
    struct drawing without_level = *d;
    without_level.y = NAN;              /* the cursor of curves is a place on the x axis */
    draw_y_ticks(&without_level, &y, curves_row);
    int below = rows_below(d), names = below >= 2 ? legend_lines(p) : 0, at = p->area.row + p->area.rows;
    if (below - names >= 2)
        x_axis_line(d, at++);
    if (below >= 1)
        draw_x_ticks(d, at, curves_col);
    if (names > 0)
        draw_legend(d, at + 1, names);
}
