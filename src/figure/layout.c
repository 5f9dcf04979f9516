/* layout.c - where the panels of a figure go, and how many samples they can show.
 *
 * Panels stand in strips, one below the other; a panel that wishes so stands beside the one before it if the width allows. Rows are
 * shared among strips, and columns within a strip, so that everybody gets what it needs and the rest goes by weight. */
#include "figure/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "figure/ints.h"
#include "figure/legend.h"
#include "figure/table.h"

enum { GAP = 1, ANY = 1 << 20 };        /* blank columns between panels; no limit */

static const struct { int w, h; } usual[PANEL_KIND_COUNT] = {
    [PANEL_HEATMAP] = {20, 7}, [PANEL_CURVES] = {24, 7}, [PANEL_BARS] = {24, 4},
    [PANEL_DIALS] = {12, 6},   [PANEL_TABLE] = {20, 4},  [PANEL_TEXT] = {16, 3},
};

static int least_w(const struct panel *p)
{
    return p->min_w > 0 ? p->min_w : usual[p->kind].w;
}

static int least_h(const struct panel *p)
{
    return p->min_h > 0 ? p->min_h : usual[p->kind].h;
}

/* A table that is planned with its cells takes the rows that they need: at once if it is alone in its strip, which is as wide as the figure,
 * else once its width is known (used_rows). */
static int table_rows(const struct panel *p, int cols)
{
    enum { TITLE = 1 };
    return TITLE + table_height(p, cols);
}

static bool is_planned_table(const struct panel *p)
{
    return p->kind == PANEL_TABLE && p->cell;
}

static int most_h(const struct panel *p, bool alone, int cols)
{
    int most = p->max_h > 0 ? p->max_h : ANY;
    if (is_planned_table(p))
        most = alone ? table_rows(p, cols) : ANY;
    return max_int(most, least_h(p));
}

/* ---- sharing ------------------------------------------------------------------------------------------- */

struct claim { int least, most, weight, got; };

/* Everybody gets least; what is left goes cell by cell to whoever has least for its weight. */
static void share_out(struct claim *claim, size_t n, int total)
{
    for (size_t i = 0; i < n; i++) {
        claim[i].got = min_int(claim[i].least, total);
        total -= claim[i].got;
    }
    for (; total > 0; total--) {
        struct claim *next = NULL;
        for (size_t i = 0; i < n; i++)
            if (claim[i].got < claim[i].most &&
                (!next || (long)claim[i].got * next->weight < (long)next->got * claim[i].weight))
                next = &claim[i];
        if (!next)
            return;
        next->got++;
    }
}

/* ---- strips -------------------------------------------------------------------------------------------- */

struct strip { size_t first, n; };       /* of the list of panels that are shown */

/* Puts panels first..end side by side in strips of at most `most` panels; returns how many strips. */
static size_t break_run(struct panel *const *shown, size_t first, size_t end, int cols, size_t most, struct strip *strip)
{
    size_t n_strips = 0;
    int used = 0;
    for (size_t i = first; i < end; i++) {
        int w = least_w(shown[i]);
        if (n_strips && strip[n_strips - 1].n < most && used + GAP + w <= cols) {
            strip[n_strips - 1].n++;
            used += GAP + w;
        } else {
            strip[n_strips++] = (struct strip){i, 1};
            used = w;
        }
    }
    return n_strips;
}

/* A run of panels that wish to stand side by side but do not fit is broken into strips of equal length where that takes no more. */
static size_t make_strips(struct panel *const *shown, size_t n, int cols, struct strip *strip)
{
    size_t n_strips = 0;
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && shown[end]->beside;)
            end++;
        size_t needed = break_run(shown, first, end, cols, end - first, strip + n_strips);
        size_t even = (end - first + needed - 1) / needed;
        if (break_run(shown, first, end, cols, even, strip + n_strips) != needed)
            break_run(shown, first, end, cols, end - first, strip + n_strips);
        n_strips += needed;
    }
    return n_strips;
}

static struct claim strip_claim(struct panel *const *shown, struct strip strip, int cols)
{
    struct claim c = {.weight = 1};
    for (size_t i = strip.first; i < strip.first + strip.n; i++) {
        const struct panel *p = shown[i];
        c.least = max_int(c.least, least_h(p));
        c.most = max_int(c.most, most_h(p, strip.n == 1, cols));
        c.weight = max_int(c.weight, p->weight);
    }
    return c;
}

static int rows_needed(struct panel *const *shown, const struct strip *strip, size_t n_strips, int cols)
{
    int rows = 0;
    for (size_t i = 0; i < n_strips; i++)
        rows += strip_claim(shown, strip[i], cols).least;
    return rows;
}

/* Takes the panel of the lowest weight out of the list, the last of equals. */
static size_t drop_one(struct panel **shown, size_t n)
{
    size_t least = 0;
    for (size_t i = 1; i < n; i++)
        if (shown[i]->weight <= shown[least]->weight)
            least = i;
    for (size_t i = least; i + 1 < n; i++)
        shown[i] = shown[i + 1];
    return n - 1;
}

/* ---- one panel ----------------------------------------------------------------------------------------- */

static int widest_word(const struct axis *a)
{
    int widest = 0;
    for (size_t i = 0; i < a->n_ticks; i++)
        widest = max_int(widest, utf8_width(a->tick[i]));
    return widest;
}

/* Columns for the labels of the y axis and its line. A range that comes from the data gets room for any number, so that nothing
 * moves when the data changes. */
static int gutter(const struct panel *p)
{
    enum { ANY_NUMBER = 8, LONGEST_WORD = 12 };
    if (p->y.n_ticks)
        return min_int(widest_word(&p->y), min_int(LONGEST_WORD, p->cols / 4)) + 1;
    if (isnan(p->y.from) || isnan(p->y.to))
        return ANY_NUMBER + 1;
    struct tick tick[TICKS_MAX];
    size_t n = axis_ticks(&p->y, (size_t)max_int(p->rows / 2, 1), true, false, tick);
    int widest = 1;
    for (size_t i = 0; i < n; i++)
        widest = max_int(widest, utf8_width(tick[i].label));
    return widest + 1;
}

/* Title above; tick labels and legend below; y labels on the left: each as soon as there is room for it. */
static struct rect_cells area_of(const struct panel *p)
{
    struct rect_cells a = {p->row, p->col, p->rows, p->cols};
    int top = p->title[0] && p->rows >= 4 ? 1 : 0, below = 0, left = 0;
    if (panel_has_axes(p)) {
        below = p->rows >= 14 && p->kind == PANEL_CURVES ? 3 : p->rows >= 6 ? 2 : p->rows >= 5 ? 1 : 0;
        below += below >= 2 && p->kind == PANEL_CURVES ? legend_lines(p) - 1 : 0;
        left = p->cols >= 20 ? gutter(p) : 0;
    }
    a.row += top;
    a.rows -= top + below;
    a.col += left;
    a.cols = max_int(a.cols - left, 1);
    return a;
}

/* Samples along one axis of a heatmap on so many pixels: one for each thing if there is room, a whole number of pixels each (at
 * least `least`, but what has a name of its own is not put together for that); otherwise as many as fit. *pixel is the size of a sample. */
static int samples(const struct axis *axis, int pixels, int least, int *pixel)
{
    double count = axis_count(axis);
    if (axis->n_ticks && count <= pixels)
        least = min_int(least, pixels / (int)count);
    least = max_int(min_int(least, pixels), 1);
    if (count * least <= pixels)
        *pixel = pixels / (int)count;
    else
        *pixel = least;
    return (int)fmin(count, pixels / *pixel);
}

/* Pixels are square: a cell is as high as two of its width. Few things on both axes make squares, not stripes. */
static void fit_heatmap(struct panel *p, int heat_rows, bool large)
{
    int per_row = heat_rows, per_col = max_int(heat_rows / 2, 1), x, y;
    p->w = samples(&p->x, p->area.cols * per_col, large ? 4 * per_col : 1, &x);
    p->h = samples(&p->y, p->area.rows * per_row, large ? 2 * per_row : 1, &y);
    int aspect = per_row == 1 ? 2 : 1;
    int word = (widest_word(&p->x) + 1) * per_col;
    if (x > per_col && y > per_row) {
        x = min_int(x, max_int(max_int(2 * aspect * y, word), large ? 4 * per_col : 1));
        y = min_int(y, max_int(2 * x / aspect, per_row));
    }
    if (y > per_row)
        y -= y % per_row;
    p->area.cols = (p->w * x + per_col - 1) / per_col;
    p->area.rows = (p->h * y + per_row - 1) / per_row;
}

/* A dial is a circle twice as wide as high (in cells, so round) with three lines of text. The largest circles that show all
 * dials; where their number is not known yet, circles of the usual size. */
static void fit_dials(struct panel *p, bool large)
{
    enum { LINES = 3, SMALLEST = 3, USUAL = DIAL_ROWS - LINES, WIDEST = (DIAL_COLS - 2) / 2, LARGE = 7, LARGEST = 12 };
    int least = large ? LARGE : SMALLEST, circle = p->n_dials ? LARGEST : max_int(least, USUAL);
    for (; circle > least && p->n_dials; circle--) {
        int w = max_int(2 * circle + 2, DIAL_COLS), h = circle + LINES;
        if ((size_t)(p->area.cols / w) * (size_t)(p->area.rows / h) >= p->n_dials)
            break;
    }
    if (!p->n_dials && circle < WIDEST)         /* a row more of room, if there is one in every row of dials */
        circle = max_int(circle, min_int(WIDEST, p->area.rows / max_int(p->area.rows / (circle + LINES), 1) - LINES));
    p->item_rows = min_int(circle + LINES, p->area.rows);
    p->w = max_int(p->area.cols / max_int(2 * circle + 2, DIAL_COLS), 1);
    p->h = max_int(p->area.rows / p->item_rows, 1);
    if (p->n_dials)
        p->w = min_int(p->w, (int)p->n_dials);
    p->item_cols = p->area.cols / p->w;
}

static void place(struct panel *p, struct rect_cells r, int heat_rows, bool large)
{
    p->row = r.row;
    p->col = r.col;
    p->rows = r.rows;
    p->cols = r.cols;
    p->large = large;
    p->area = area_of(p);
    p->w = p->area.cols;
    p->h = p->area.rows;
    if (p->kind == PANEL_HEATMAP)
        fit_heatmap(p, heat_rows, large);
    else if (p->kind == PANEL_DIALS)
        fit_dials(p, large);
    else if (p->kind == PANEL_CURVES) {
        p->w *= max_int(heat_rows, 2);
        p->h *= max_int(2 * heat_rows, 4);
    }
}

/* Cells that a placed panel makes use of: samples and dials that are whole numbers of cells may leave some over. */
static int used_rows(const struct panel *p)
{
    return p->kind == PANEL_HEATMAP ? p->rows - (area_of(p).rows - p->area.rows)
         : p->kind == PANEL_DIALS ? p->rows - (p->area.rows - p->h * p->item_rows)
         : is_planned_table(p) ? min_int(p->rows, table_rows(p, p->area.cols))
         : p->max_h > 0 ? min_int(p->rows, p->max_h) : p->rows;
}

static int used_cols(const struct panel *p)
{
    return p->kind == PANEL_HEATMAP ? p->cols - (area_of(p).cols - p->area.cols) : p->cols;
}

static void place_strip(struct panel **shown, struct strip strip, struct rect_cells r, int heat_rows, bool large)
{
    struct claim *claim = xcalloc(strip.n, sizeof *claim);
    for (size_t i = 0; i < strip.n; i++)
        claim[i] = (struct claim){least_w(shown[strip.first + i]), ANY, max_int(shown[strip.first + i]->weight, 1), 0};
    for (int pass = 0; pass < 2; pass++) {      /* again: what a panel leaves over goes to those beside it */
        share_out(claim, strip.n, r.cols - GAP * (int)(strip.n - 1));
        for (size_t i = 0, col = (size_t)r.col; i < strip.n; col += (size_t)(claim[i++].got + GAP)) {
            struct panel *p = shown[strip.first + i];
            place(p, (struct rect_cells){r.row, (int)col, r.rows, claim[i].got}, heat_rows, large);
            if (p->kind == PANEL_HEATMAP && strip.n > 1)
                claim[i].most = max_int(used_cols(p), claim[i].least);
        }
    }
    free(claim);
}

static int most_used_rows(struct panel *const *shown, struct strip strip)
{
    int rows = 0;
    for (size_t i = strip.first; i < strip.first + strip.n; i++)
        rows = max_int(rows, used_rows(shown[i]));
    return rows;
}

static void place_strips(struct panel **shown, const struct strip *strip, size_t n, struct rect_cells r, int heat_rows, bool large)
{
    struct claim *claim = xcalloc(n, sizeof *claim);
    for (size_t i = 0; i < n; i++)
        claim[i] = strip_claim(shown, strip[i], r.cols);
    for (int pass = 0; pass < 2; pass++) {
        share_out(claim, n, r.rows);
        for (size_t i = 0, row = (size_t)r.row; i < n; row += (size_t)claim[i++].got) {
            place_strip(shown, strip[i], (struct rect_cells){(int)row, r.col, claim[i].got, r.cols}, heat_rows, large);
            int used = most_used_rows(shown, strip[i]);
            if (used < claim[i].got)
                claim[i].most = max_int(used, claim[i].least);
        }
    }
    free(claim);
}

/* ---- the figure ---------------------------------------------------------------------------------------- */

bool figure_has_caption(const struct figure *f)
{
    return f->rows >= 6;
}

void figure_layout(struct figure *f, int rows, int cols, int heat_rows, int zoom_panel, bool large)
{
    struct panel **shown = xcalloc(f->n, sizeof *shown);
    struct strip *strip = xcalloc(f->n, sizeof *strip);
    size_t n = 0, n_strips;
    f->rows = rows = max_int(rows, 1);
    f->cols = cols = max_int(cols, 1);
    f->heat_rows = heat_rows = max_int(heat_rows, 1);
    f->dropped = 0;
    for (size_t i = 0; i < f->n; i++) {
        f->panel[i].rows = f->panel[i].w = f->panel[i].h = 0;
        if (zoom_panel < 0 || zoom_panel == (int)i)
            shown[n++] = &f->panel[i];
    }
    int top = figure_has_caption(f) ? 1 : 0;
    while ((n_strips = make_strips(shown, n, cols, strip)), n > 1 && rows_needed(shown, strip, n_strips, cols) > rows - top) {
        n = drop_one(shown, n);
        f->dropped++;
    }
    place_strips(shown, strip, n_strips, (struct rect_cells){top, 0, rows - top, cols}, heat_rows, large);
    free(strip);
    free(shown);
}

/* Samples of an axis of count things: one each, else the greatest number of blocks of equal length, unless that is very few. */
static int word_samples(const struct axis *a)
{
    double count = axis_count(a);
    if (!(count > WORDS_SAMPLES))
        return max_int((int)count, 1);
    for (int n = WORDS_SAMPLES; n >= WORDS_SAMPLES / 2; n--)
        if (fmod(count, n) == 0)
            return n;
    return WORDS_SAMPLES;
}

void figure_layout_words(struct figure *f)
{
    enum { ROWS = 400, COLS = 400, XS = 512 };
    f->rows = ROWS;
    f->cols = COLS;
    f->heat_rows = 1;
    f->dropped = 0;
    for (size_t i = 0; i < f->n; i++) {
        struct panel *p = &f->panel[i];
        p->row = p->col = 0;
        p->rows = p->h = ROWS;
        p->cols = p->w = COLS;
        p->area = (struct rect_cells){0, 0, ROWS, COLS};
        p->words = true;
        if (p->kind == PANEL_HEATMAP) {
            p->w = word_samples(&p->x);
            p->h = word_samples(&p->y);
        } else if (p->kind == PANEL_CURVES) {
            p->w = XS;
        } else if (p->kind == PANEL_DIALS) {
            p->w = WORDS_SAMPLES;
            p->h = 1;
            p->item_rows = ROWS;
            p->item_cols = COLS / p->w;
        }
    }
}

bool figure_layout_like(struct figure *f, const struct figure *model)
{
    if (f->n != model->n)
        return false;
    for (size_t i = 0; i < f->n; i++) {
        const struct panel *from = &model->panel[i];
        struct panel *to = &f->panel[i];
        if (to->kind != from->kind)
            return false;
        to->row = from->row;
        to->col = from->col;
        to->rows = from->rows;
        to->cols = from->cols;
        to->area = from->area;
        to->w = from->w;
        to->h = from->h;
        to->item_rows = from->item_rows;
        to->item_cols = from->item_cols;
        to->words = from->words;
    }
    f->rows = model->rows;
    f->cols = model->cols;
    f->heat_rows = model->heat_rows;
    f->dropped = model->dropped;
    return true;
}

void figure_append(struct figure *a, struct figure *b, int rows, int cols)
{
    a->panel = xreallocarray(a->panel, a->n + b->n, sizeof *a->panel);
    for (size_t i = 0; i < b->n; i++) {
        struct panel *p = &a->panel[a->n + i];
        *p = b->panel[i];
        p->row += rows;
        p->col += cols;
        p->area.row += rows;
        p->area.col += cols;
    }
    a->n += b->n;
    a->cols = max_int(a->cols, b->cols + cols);
    a->rows = max_int(a->rows, b->rows + rows);
    a->dropped += b->dropped;
    if (!*a->warning)
        memcpy(a->warning, b->warning, sizeof a->warning);
    b->n = 0;
    figure_free(b);
}
