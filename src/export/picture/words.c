/* words.c - bars, dials, tables and text on the page. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "export/picture/pic.h"
#include "figure/wrap.h"

/* Formats of our own catalogue, checked by msgfmt. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static const struct words plain = {.size = 7.4, .rgb = INK};

/* ---- bars --------------------------------------------------------------------------------------------------------- */

static void value_text(char *out, size_t size, const struct panel *p, double v)
{
    char number[40], text[48];
    pic_number(text, sizeof text, format_number(number, sizeof number, v, 3));
    if (isnan(v))
        out[0] = '\0';
    else
        snprintf(out, size, "%s%s%s", text, p->unit[0] ? " " : "", p->unit);
}

void pic_bars(struct pic *pic, const struct panel *p, struct box b)
{
    struct axis scale = panel_bar_scale(p);
    struct words style = plain;
    double labels = 0, values = 0, notes = 0, step = fmin(16, b.h / fmax((double)p->n_bars, 1));
    char text[96];
    for (size_t i = 0; i < p->n_bars; i++) {
        value_text(text, sizeof text, p, p->bar[i].value);
        labels = fmax(labels, pic_width(pic, style, p->bar[i].label));
        values = fmax(values, pic_width(pic, style, text));
        notes = fmax(notes, p->bar[i].note[0] ? pic_width(pic, style, p->bar[i].note) + 8 : 0);
    }
    labels = fmin(labels, b.w / 2);
    double x = b.x + labels + 6, room = b.w - labels - 6 - values - 6 - notes;
    double zero = scale.log || scale.from >= 0 ? 0 : fmin(fmax(axis_share(&scale, 0), 0), 1);
    for (size_t i = 0; i < p->n_bars; i++) {
        const struct bar *bar = &p->bar[i];
        double y = b.y + ((double)i + 0.5) * step;
        style = plain;
        style.ay = 0.5;
        style.width = labels + 1;
        pic_words(pic, b.x, y, style, bar->label);
        style.width = 0;
        bool drawn = room > 4 && isfinite(bar->value) && scale.to > scale.from && !(scale.log && bar->value <= 0);
        double end = drawn ? fmin(fmax(axis_share(&scale, bar->value), 0), 1) : zero;
        pic_rect(pic, (struct box){x + fmin(zero, end) * room, y - step * 0.32, fabs(end - zero) * room, step * 0.64}, pic->paper->role[bar->role].fg);
        value_text(text, sizeof text, p, bar->value);
        style.ax = 1;
        pic_words(pic, x + fmax(room, 0) + 6 + values, y, style, text);
        style.ax = 0;
        style.rgb = GREY;
        pic_words(pic, x + fmax(room, 0) + 14 + values, y, style, bar->note);
    }
    if (room > 4 && p->n_bars)
        pic_line(pic, x + zero * room, b.y, x + zero * room, b.y + (double)p->n_bars * step, 0.6, LINE);
}

/* ---- dials -------------------------------------------------------------------------------------------------------- */

static void hand(struct pic *pic, double cx, double cy, double radius, const struct dial *d, int which)
{
    if (!isfinite(d->angle[which]))
        return;
    double r = radius * fmin(fmax(d->length[which], 0), 1);
    cairo_set_line_cap(pic->cr, CAIRO_LINE_CAP_ROUND);
    if (which == 1)
        cairo_set_dash(pic->cr, (double[]){0.5, 2}, 2, 0);
    pic_line(pic, cx, cy, cx + r * cos(d->angle[which]), cy - r * sin(d->angle[which]), 1.4, pic->paper->role[ROLE_SERIES_0 + which].fg);
    pic_dash(pic, 0);
    cairo_set_line_cap(pic->cr, CAIRO_LINE_CAP_BUTT);
}

static void draw_dial(struct pic *pic, const struct dial *d, struct box b)
{
    double lines = (d->label[0] ? ROW : 0) + (d->above[0] ? ROW : 0), below = d->below[0] ? ROW : 0;
    double radius = fmin(b.w - 6, b.h - lines - below - 4) / 2, cx = b.x + b.w / 2, cy = b.y + lines + radius + 2;
    struct words style = {.size = 7.4, .rgb = INK, .ax = 0.5, .width = b.w};
    if (radius < 3)
        return;
    pic_words(pic, cx, b.y, style, d->label);
    style.rgb = GREY;
    style.size = SMALL;
    pic_words(pic, cx, b.y + (d->label[0] ? ROW : 0), style, d->above);
    pic_rgb(pic, d->flagged ? pic->paper->role[ROLE_WARNING].fg : LINE);
    cairo_set_line_width(pic->cr, d->flagged ? 1 : 0.7);
    if (d->flagged)
        cairo_set_dash(pic->cr, (double[]){2, 2}, 2, 0);
    cairo_arc(pic->cr, cx, cy, radius, 0, 2 * M_PI);
    cairo_stroke(pic->cr);
    pic_dash(pic, 0);
    hand(pic, cx, cy, radius, d, 1);
    hand(pic, cx, cy, radius, d, 0);
    style.rgb = d->flagged ? pic->paper->role[ROLE_WARNING].fg : INK;
    pic_words(pic, cx, cy + radius + 2, style, d->below);
}

void pic_dials(struct pic *pic, const struct panel *p, struct box b)
{
    int across = p->w > 0 ? p->w : 1, down = p->h > 0 ? p->h : 1;
    for (int i = 0; i < (int)p->n_dials && i < across * down; i++)
        draw_dial(pic, &p->dial[i], (struct box){b.x + i % across * b.w / across, b.y + i / across * b.h / down, b.w / across, b.h / down - 3});
}

/* ---- tables: three rules, as in books ------------------------------------------------------------------------------- */

static const double COLUMN_GAP = 12, ROOMY = 12.5, TIGHT = 9.6;      /* heights of a row */

static const char *cell_text(const struct panel *p, size_t row, size_t col)
{
    const char *text = p->cell[row * p->table_cols + col].text;
    return text ? text : "";
}

static bool number_column(const struct panel *p, size_t col)
{
    return p->table_rows > 1 && p->cell[p->table_cols + col].right;
}

/* Natural widths; if they do not fit, what is too much is taken from the widest columns. */
static void column_widths(struct pic *pic, const struct panel *p, double room, double *width)
{
    double total = COLUMN_GAP * ((double)p->table_cols - 1);
    for (size_t c = 0; c < p->table_cols; c++) {
        for (size_t r = 0; r < p->table_rows; r++)
            width[c] = fmax(width[c], pic_width(pic, (struct words){.size = plain.size, .bold = r == 0}, cell_text(p, r, c)) + 0.5);
        total += width[c];
    }
    for (double step = 2; total > room; total -= step) {
        double *widest = width;
        for (size_t c = 1; c < p->table_cols; c++)
            if (width[c] > *widest)
                widest = &width[c];
        if (*widest < 24)
            break;
        *widest -= step;
    }
    for (size_t c = 0; c + 1 < p->table_cols; c++)
        width[c] += COLUMN_GAP;
}

static struct words cell_style(struct pic *pic, const struct panel *p, size_t row, size_t col, double width, bool wrap)
{
    const struct text_cell *cell = &p->cell[row * p->table_cols + col];
    unsigned rgb = row == 0 || cell->role == ROLE_TEXT ? INK : pic->paper->role[cell->role].fg;
    return (struct words){.size = plain.size, .rgb = rgb, .bold = row == 0, .wrap = wrap, .width = width - (col + 1 < p->table_cols ? COLUMN_GAP : 0)};
}

static double row_height(struct pic *pic, const struct panel *p, size_t row, const double *width, bool wrap, double least)
{
    double tallest = least;
    for (size_t c = 0; c < p->table_cols && wrap; c++) {
        double w, h;
        pic_measure(pic, cell_style(pic, p, row, c, width[c], true), cell_text(p, row, c), &w, &h);
        tallest = fmax(tallest, h + 3);
    }
    return tallest;
}

/* Cells are wrapped if all rows find room then. */
static bool wraps(struct pic *pic, const struct panel *p, const double *width, double room)
{
    double total = 6;
    for (size_t r = 0; r < p->table_rows; r++)
        total += row_height(pic, p, r, width, true, ROOMY);
    return total <= room;
}

static void draw_cells(struct pic *pic, const struct panel *p, size_t row, double x, double y, const double *width, bool wrap, double step)
{
    for (size_t c = 0; c < p->table_cols; x += width[c++]) {
        struct words style = cell_style(pic, p, row, c, width[c], wrap);
        bool right = p->cell[row * p->table_cols + c].right || (row == 0 && number_column(p, c));
        double w = right ? pic_width(pic, style, cell_text(p, row, c)) : 0;
        pic_words(pic, right ? x + style.width - fmin(w, style.width) : x, y + (step - TIGHT) / 2, style, cell_text(p, row, c));
    }
}

void pic_table(struct pic *pic, const struct panel *p, struct box b)
{
    if (!p->cell || !p->table_cols || !p->table_rows)
        return;
    double *width = xcalloc(p->table_cols, sizeof *width), total = 0, y = b.y + 3;
    column_widths(pic, p, b.w, width);
    for (size_t c = 0; c < p->table_cols; c++)
        total += width[c];
    bool wrap = wraps(pic, p, width, b.h);
    double step = fmin(fmax((b.h - 5) / (double)p->table_rows, TIGHT), ROOMY);
    pic_line(pic, b.x, y, b.x + total, y, 0.8, INK);
    for (size_t r = 0; r < p->table_rows; r++) {
        double h = row_height(pic, p, r, width, wrap, step), left = b.y + b.h - y;
        if (h > left || (left < 2 * step && r + 1 < p->table_rows)) {
            char more[64];
            snprintf(more, sizeof more, lang_text(pic->o->lang, N_("%zu more in a larger picture (--size)")), p->table_rows - r);
            y += pic_words(pic, b.x, y, (struct words){.size = SMALL, .rgb = GREY, .italic = true}, more);
            break;
        }
        draw_cells(pic, p, r, b.x, y, width, wrap, step);
        y += h;
        if (r == 0)
            pic_line(pic, b.x, y, b.x + total, y, 0.5, INK);
    }
    pic_line(pic, b.x, y + 1, b.x + total, y + 1, 0.8, INK);
    free(width);
}

/* ---- text ----------------------------------------------------------------------------------------------------------- */

void pic_text(struct pic *pic, const struct panel *p, struct box b)
{
    double y = b.y + 2;
    char *text = xstrdup(p->text ? p->text : ""), *next = text;
    for (char *line; (line = strsep(&next, "\n")) && y < b.y + b.h;) {
        bool heading = !strncmp(line, "# ", 2), item = !strncmp(line, "- ", 2);
        double indent = item ? 9 : 0;
        if (item)
            pic_words(pic, b.x, y, plain, "•");
        struct words style = {.size = heading ? NORMAL : plain.size, .rgb = INK, .bold = heading, .wrap = true, .width = fmin(b.w, 440) - indent};
        y += pic_words(pic, b.x + indent, y, style, heading || item ? line + 2 : *line ? line : " ") + 1;
    }
    free(text);
}
