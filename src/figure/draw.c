/* draw.c - a figure on a canvas: caption, titles, axes; the kinds of panels draw themselves (draw_heatmap.c and its sisters).
 *
 *     - caption ---------------------- source -
 *     - title - query v ------- note -  - title - logit ^ ---
 *       0|                              10^2|      ..--
 *      10|  samples                         | ..--
 *      20|                              10^0|-
 *         0    10    20    key (position)    0    8    16   pair
 *         -1.000 ######## 1.000 cosine ...   a-- yarn  b-- ntk
 *
 * Data gets the colour; frame, labels and text use two greys and one accent. */
#include "figure/draw_panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "figure/legend.h"

/* Formats of our own catalogue, checked by msgfmt. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

int rows_below(const struct drawing *d)
{
    return d->p->row + d->p->rows - d->p->area.row - d->p->area.rows;
}

void draw_column(struct drawing *d, int y, int x, int rows, uint32_t ch, enum role role)
{
    for (int i = 0; i < rows; i++)
        canvas_put(d->c, y + i, x, ch, role, 0);
}

/* ---- rules: a line with words on it -------------------------------------------------------------------------- */

/* Writes " text " on a rule; returns the cells used. */
static int on_rule(struct canvas *c, int y, int x, int cells, const char *text, enum role role, int attr)
{
    if (!*text || cells < 3)
        return 0;
    canvas_put(c, y, x, ' ', role, 0);
    int used = canvas_text(c, y, x + 1, cells - 2, text, role, attr);
    canvas_put(c, y, x + 1 + used, ' ', role, 0);
    return used + 2;
}

/* The same at the right end, if it fits whole. */
static int on_rule_right(struct canvas *c, int y, int x, int cells, const char *text, enum role role)
{
    int w = utf8_width(text) + 2;
    return *text && w <= cells ? on_rule(c, y, x + cells - w, w, text, role, 0) : 0;
}

static void draw_caption(const struct figure *f, struct canvas *c, int y, int x, const struct draw_options *o)
{
    char dropped[128] = "";
    if (f->dropped)
        snprintf(dropped, sizeof dropped, lang_text(o->lang, N_("a larger window shows %zu more")), f->dropped);
    canvas_rule(c, y, x, f->cols, NULL, ROLE_DIM);
    int room = f->cols - 2 - on_rule_right(c, y, x + 1, f->cols - 2, f->warning, ROLE_WARNING);      /* the words that may be cut are the caption's */
    int used = 1 + on_rule(c, y, x + 1, room, f->caption, ROLE_TEXT, 0);
    room -= used;
    room -= on_rule_right(c, y, x + used, room + 1, dropped, ROLE_WARNING);
    on_rule_right(c, y, x + used, room + 1, f->source, ROLE_DIM);
}

static bool has_axes(const struct panel *p)
{
    return p->kind == PANEL_HEATMAP || p->kind == PANEL_CURVES;
}

/* "query (position) ↓", or without a label that only repeats the title. */
static void y_name(char *out, size_t size, const struct panel *p)
{
    char name[96];
    struct axis y = p->y;
    if (strcmp(y.label, p->title) == 0)
        y.label[0] = '\0';
    axis_title(name, sizeof name, &y);
    snprintf(out, size, "%.90s%s", name, !name[0] ? "" : p->kind == PANEL_HEATMAP ? " ↓" : " ↑");
}

/* Title, names of the axes with the way they grow, note. The x axis carries its name itself if it can. */
static void draw_title(struct drawing *d, bool others)
{
    const struct panel *p = d->p;
    char y[128] = "", x[128] = "";
    if (has_axes(p))
        y_name(y, sizeof y, p);
    if (has_axes(p) && p->x.label[0] && rows_below(d) > 0 && !*x_axis_name(d, x, sizeof x))
        snprintf(x, sizeof x, "%.47s →", p->x.label);
    else
        x[0] = '\0';
    canvas_rule(d->c, p->row, p->col, p->cols, NULL, ROLE_DIM);
    int used = 1 + on_rule(d->c, p->row, p->col + 1, p->cols - 2, p->title, d->focused && others ? ROLE_ACCENT : ROLE_TITLE, ATTR_BOLD);
    int room = p->cols - 1 - used, note = on_rule_right(d->c, p->row, p->col + used, room, p->note, ROLE_TEXT);
    d->note_shown = note > 0;
    room -= note;
    const char *const names[] = {y, x};
    for (int i = 0; i < 2; i++) {
        int w = utf8_width(names[i]) + 3;
        if (!*names[i] || w > room)
            continue;
        on_rule(d->c, p->row, p->col + used + 1, w - 1, names[i], ROLE_DIM, 0);
        used += w;
        room -= w;
    }
}

/* ---- axes ---------------------------------------------------------------------------------------------------- */

/* The cursor's place on an axis: its word, or the number of the sample. */
static void place_label(char *out, size_t size, const struct axis *a, double at)
{
    size_t word = at >= a->from ? (size_t)(at - a->from) : 0;
    if (a->n_ticks)
        snprintf(out, size, "%s", word < a->n_ticks ? a->tick[word] : "");
    else if (isfinite(axis_count(a)))
        format_fixed(out, size, floor(at), 0);
    else
        format_number(out, size, at, 3);
}

static int labels_start(int center, int w, const struct panel *p)
{
    int last = p->col + p->cols - w;
    return max_int(p->col, min_int(center - (w - 1) / 2, last));
}

/* Do n labels, centred on their cells, leave gap cells between them? */
static bool labels_fit(const struct panel *p, const struct tick *tick, size_t n, cell_fn *column, int gap)
{
    int free_from = p->col;
    for (size_t i = 0; i < n; i++) {
        int w = utf8_width(tick[i].label), x = labels_start(p->area.col + column(p, tick[i].at), w, p);
        if (x < free_from)
            return false;
        free_from = x + w + gap;
    }
    return true;
}

/* As many ticks as fit side by side. */
static size_t fitting_ticks(struct drawing *d, bool with_end, cell_fn *column, struct tick *tick)
{
    const struct panel *p = d->p;
    int gap = p->x.n_ticks ? 1 : 3;
    for (size_t max = (size_t)max_int(p->area.cols / 2, 1); max > 0; max = max > 12 ? max * 3 / 4 : max - 1) {
        size_t n = axis_ticks(&p->x, max, with_end, d->c->ascii, tick);
        if (labels_fit(p, tick, n, column, gap))
            return n;
    }
    return 0;
}

/* How many of n labels stay whole left of limit? */
static size_t labels_before(const struct panel *p, const struct tick *tick, size_t n, cell_fn *column, int limit)
{
    size_t kept = 0;
    while (kept < n) {
        int w = utf8_width(tick[kept].label), x = labels_start(p->area.col + column(p, tick[kept].at), w, p);
        if (x + w > limit)
            break;
        kept++;
    }
    return kept;
}

static cell_fn *column_of(const struct panel *p)
{
    return p->kind == PANEL_HEATMAP ? heatmap_col : curves_col;
}

/* The name at the right end of the axis: with its unit, or without, or none, so that most of the ticks stay. */
const char *x_axis_name(struct drawing *d, char *out, size_t size)
{
    const struct panel *p = d->p;
    struct tick tick[TICKS_MAX];
    size_t n = fitting_ticks(d, p->kind == PANEL_CURVES, column_of(p), tick);
    struct axis bare = p->x;
    for (int i = 0; i < 2; i++) {
        axis_title(out, size, &bare);
        int limit = p->col + p->cols - utf8_width(out) - 2;
        size_t kept = labels_before(p, tick, n, column_of(p), limit);
        if (kept == n || (!p->x.n_ticks && kept >= 2 && 3 * kept >= 2 * n))
            return out;
        bare.unit[0] = '\0';
    }
    out[0] = '\0';
    return out;
}

void draw_x_ticks(struct drawing *d, int row)
{
    struct tick tick[TICKS_MAX];
    const struct panel *p = d->p;
    cell_fn *column = column_of(p);
    char name[96];
    int name_w = utf8_width(x_axis_name(d, name, sizeof name)), right = p->col + p->cols;
    size_t n = fitting_ticks(d, p->kind == PANEL_CURVES, column, tick);
    n = labels_before(p, tick, n, column, name_w ? right - name_w - 2 : right);
    char place[64] = "";
    if (d->focused && !isnan(d->x))
        place_label(place, sizeof place, &p->x, d->x);
    int place_w = *place ? utf8_width(place) + 2 : 0, place_x = labels_start(p->area.col + column(p, d->x), place_w, p);
    for (size_t i = 0; i < n; i++) {
        int w = utf8_width(tick[i].label), x = labels_start(p->area.col + column(p, tick[i].at), w, p);
        if (!place_w || x + w <= place_x || x >= place_x + place_w)        /* no half of a label beside the cursor's */
            canvas_text(d->c, row, x, w, tick[i].label, ROLE_DIM, 0);
    }
    canvas_text_right(d->c, row, right - name_w, name_w, name, ROLE_DIM, 0);
    if (place_w)
        canvas_textf(d->c, row, place_x, place_w, ROLE_SELECTED, 0, " %s ", place);
}

void draw_y_ticks(struct drawing *d, const struct axis *y, bool with_end, cell_fn *row)
{
    struct tick tick[TICKS_MAX];
    const struct panel *p = d->p;
    int gutter = p->area.col - p->col;
    if (gutter < 1)
        return;
    draw_column(d, p->area.row, p->area.col - 1, p->area.rows, 0x2502, ROLE_DIM);
    size_t most = (size_t)max_int(y->n_ticks ? p->area.rows : min_int(p->area.rows / 2, 8), 2);
    size_t n = axis_ticks(y, most, with_end, d->c->ascii, tick);
    int last = -1;
    for (size_t i = 0; i < n; i++) {
        int at = row(p, tick[i].at);
        if (at == last || at < 0 || at >= p->area.rows)
            continue;
        last = at;
        canvas_put(d->c, p->area.row + at, p->area.col - 1, 0x2524, ROLE_DIM, 0);
        if (y->n_ticks || utf8_width(tick[i].label) < gutter)
            canvas_text_right(d->c, p->area.row + at, p->col, gutter - 1, tick[i].label, ROLE_DIM, 0);
    }
    if (!d->focused || isnan(d->y))
        return;
    char place[64];
    place_label(place, sizeof place, y, d->y);
    if (utf8_width(place) < gutter || y->n_ticks)
        canvas_text_right(d->c, p->area.row + row(p, d->y), p->col, gutter - 1, place, ROLE_SELECTED, 0);
}

/* ---- the figure ---------------------------------------------------------------------------------------------- */

static void (*const draw_kind[PANEL_KIND_COUNT])(struct drawing *) = {
    [PANEL_HEATMAP] = draw_heatmap, [PANEL_CURVES] = draw_curves, [PANEL_BARS] = draw_bars,
    [PANEL_DIALS] = draw_dials,     [PANEL_TABLE] = draw_table,   [PANEL_TEXT] = draw_text,
};

static size_t panels_shown(const struct figure *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++)
        n += f->panel[i].rows > 0;
    return n;
}

void figure_draw(const struct figure *f, struct canvas *c, int y, int x, const struct draw_options *options)
{
    if (figure_has_caption(f))
        draw_caption(f, c, y, x, options);
    bool others = panels_shown(f) > 1;
    for (size_t i = 0; i < f->n; i++) {
        struct panel moved = f->panel[i];
        if (moved.rows == 0)
            continue;
        moved.row += y;
        moved.col += x;
        moved.area.row += y;
        moved.area.col += x;
        struct drawing d = {.c = c, .p = &moved, .o = options, .x = options->cursor.x, .y = options->cursor.y};
        d.focused = options->cursor.panel == (int)i;
        for (size_t k = 0; k < options->n_linked && !d.focused && !d.linked; k++)
            if (options->linked[k].panel == (int)i) {
                d.linked = true;
                d.x = options->linked[k].x;
                d.y = options->linked[k].y;
            }
        if (moved.area.row > moved.row)
            draw_title(&d, others);
        draw_kind[moved.kind](&d);
    }
}
