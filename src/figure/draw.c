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

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "figure/legend.h"

/* Formats of our own catalogue, checked by msgfmt. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

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

/* A caption or title that is too long loses whole parts at its end, and says so. */
static void fit_parts(char *out, size_t size, const char *text, int cells)
{
    static const char joint[] = " · ", more[] = " · …";
    size_t kept = 0;
    snprintf(out, size, "%s", text);
    if (utf8_width(out) <= cells)
        return;
    for (const char *at = text; (at = strstr(at, joint)); at += strlen(joint)) {
        snprintf(out, size, "%.*s", (int)(at - text), text);
        if (utf8_width(out) + utf8_width(more) <= cells)
            kept = (size_t)(at - text);
    }
    if (kept)
        snprintf(out, size, "%.*s%s", (int)kept, text, more);
    else
        snprintf(out, size, "%s", text);
}

static void draw_caption(const struct figure *f, struct canvas *c, int y, int x, const struct draw_options *o)
{
    char dropped[128] = "";
    if (f->dropped)
        snprintf(dropped, sizeof dropped, lang_text(o->lang, N_("a larger window shows %zu more")), f->dropped);
    canvas_rule(c, y, x, f->cols, NULL, ROLE_DIM);
    int room = f->cols - 2 - on_rule_right(c, y, x + 1, f->cols - 2, f->warning, ROLE_WARNING);      /* the words that may be cut are the caption's */
    char caption[sizeof f->caption + 8];
    fit_parts(caption, sizeof caption, f->caption, room - 2);
    int used = 1 + on_rule(c, y, x + 1, room, caption, ROLE_TEXT, 0);
    room -= used;
    room -= on_rule_right(c, y, x + used, room + 1, dropped, ROLE_WARNING);
    on_rule_right(c, y, x + used, room + 1, f->source, ROLE_DIM);
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

static cell_fn *column_of(const struct panel *p)
{
    return p->kind == PANEL_HEATMAP ? heatmap_col : curves_col;
}

/* Title, names of the axes with the way they grow, note. The x axis carries its name itself if it can. */
static void draw_title(struct drawing *d, bool others)
{
    const struct panel *p = d->p;
    char y[128] = "", x[128] = "";
    if (panel_has_axes(p))
        y_name(y, sizeof y, p);
    if (panel_has_axes(p) && p->x.label[0] && rows_below(d) > 0 && !*x_axis_name(d, column_of(p), x, sizeof x))
        snprintf(x, sizeof x, "%.47s →", p->x.label);
    else
        x[0] = '\0';
    canvas_rule(d->c, p->row, p->col, p->cols, NULL, ROLE_DIM);
    char title[sizeof p->title + 8];
    fit_parts(title, sizeof title, p->title, p->cols - 4);
    int used = 1 + on_rule(d->c, p->row, p->col + 1, p->cols - 2, title, d->focused && others ? ROLE_ACCENT : ROLE_TITLE, ATTR_BOLD);
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
