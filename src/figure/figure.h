/* figure.h - what a view shows, as data: panels with axes in real coordinates. One place draws figures on a canvas (draw.h), one
 * writes pictures, one writes numbers (export/); cursor, zoom, legend and compare work on the figure.
 *
 * Life of a figure: plan makes the panels with axes and wishes (figure_add), figure_layout answers in samples (w, h),
 * compute fills the data, then it is never written again. figure_free frees everything in it. All text is the figure's own. */
#ifndef POSVIZ_FIGURE_FIGURE_H
#define POSVIZ_FIGURE_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include "canvas/palette.h"
#include "core/field.h"
#include "figure/axis.h"

enum panel_kind { PANEL_HEATMAP, PANEL_CURVES, PANEL_BARS, PANEL_DIALS, PANEL_TABLE, PANEL_TEXT, PANEL_KIND_COUNT };

struct series {                 /* CURVES */
    char label[64];
    double *y;                  /* n values at the panel's x; NAN: gap */
    enum role role;             /* ROLE_SERIES_0 + i */
    bool steps;                 /* staircase rather than a line */
    bool points;                /* dots rather than a line */
};
struct mark {                   /* CURVES, HEATMAP: a labelled line at a value */
    bool vertical;
    double at;
    char label[48];
    enum role role;
};
struct bar {                    /* BARS */
    char label[64], note[64];
    double value;               /* NAN: no bar */
    enum role role;
};
/* Cells of a dial with its three lines of text, unless the panel was planned with its dials: then they are as large as the room
 * allows. The panel's w x h say how many there is room for. */
enum { DIAL_COLS = 14, DIAL_ROWS = 8 };
struct dial {                   /* DIALS */
    char label[32], above[32], below[32];
    double angle[2];            /* radians, counter-clockwise from the right; NAN: no hand */
    double length[2];           /* 0..1 */
    bool flagged;               /* drawn in the warning role */
};
struct text_cell {              /* TABLE */
    char *text;
    enum role role;
    bool right;                 /* right-aligned */
    double number;              /* that the text stands for; NAN: a word, or a name of its row */
};

enum { NAMES_MAX = 16 };        /* names of curves that the layout looks at */
struct rect_cells { int row, col, rows, cols; };

struct panel {
    enum panel_kind kind;
    char title[96];
    struct axis x, y;           /* HEATMAP: y grows downwards (queries); CURVES: y grows upwards, NAN range: from the data;
                                 * TABLE, TEXT: y.from is the first row or line shown */
    int weight;                 /* share of the room, at least 1 */
    int min_w, min_h;           /* cells it needs to make sense, with title and axes; 0: usual for its kind */
    int max_h;                  /* cells beyond which it gains nothing; 0: none */
    bool beside;                /* wishes to stand right of the panel before it */
    int name_w[NAMES_MAX], n_names;     /* CURVES: cells of the names that they will have (panel_will_name); none: one line of them */
    bool map;                   /* HEATMAP of yes and no: 0 no, above 0 the column is of the row's kind, hi the chosen one; no values to be read */
    bool by_distance;           /* HEATMAP: rows are queries and columns keys, so that query - key has a meaning */

    /* The layout's answer, before compute: cells of the whole panel on the canvas (rows 0: no room), of its data area, and how
     * much fits in there: HEATMAP samples, CURVES dots, DIALS dials, BARS bars (h), TABLE rows (h), TEXT lines (h). */
    int row, col, rows, cols;
    struct rect_cells area;
    int w, h;
    int item_rows, item_cols;   /* DIALS: cells of one dial */

    /* What compute fills in. */
    double *data;               /* HEATMAP: h x w; NAN no value, -INFINITY masked */
    double lo, hi;              /* range of the colour map or y axis; panel_autorange sets it from data */
    bool difference;            /* what it shows is A − B (figure_subtract) */
    bool centred;               /* diverging map, range symmetric about 0 */
    enum reduce reduce; bool exact; double error;
    char unit[32];              /* of the values: "cosine", "logit", ... (translated) */
    double *xs; size_t n_xs;    /* CURVES: x of every series' values; DIALS, BARS: real x of each (NULL: its number), what figure_locate gives */
    struct series *series; size_t n_series;
    struct mark *mark; size_t n_marks;
    struct bar *bar; size_t n_bars;
    struct dial *dial; size_t n_dials;
    struct text_cell *cell; size_t table_rows, table_cols;      /* TABLE, row-major, first row is the heading */
    bool facts;                 /* TABLE of names and values: the heading is there for files and readers, but not drawn */
    char *text;                 /* TEXT: paragraphs; lines starting with "# " are headings, "- " items */
    bool words;                 /* laid out to be described: words stand for marks */
    bool large;                 /* lecture hall: a sample at least 4 x 2 cells */
    char note[160];             /* one line under the panel, e.g. "kept 29 · blended 6 · divided 29" */
};

struct figure {
    size_t n;
    struct panel *panel;
    char caption[256];          /* the line under the tabs: what is shown, with its parameters */
    char source[320];           /* citation */
    double progress;            /* previews: share done; 1 when finished */
    char warning[200];          /* what the picture assumes, shown whole at the end of the caption; empty: none */
    int rows, cols;             /* the layout's answer: cells of the whole figure, */
    int heat_rows;              /* samples of a heatmap in a cell, vertically, */
    size_t dropped;             /* and panels left out for want of room */
};

struct figure *figure_new(void);
void figure_free(struct figure *f);                             /* NULL is allowed */
struct figure *figure_copy(const struct figure *f);             /* deep; for previews */
struct panel *figure_add(struct figure *f, enum panel_kind kind, const char *title);   /* pointers to earlier panels become invalid */

/* For compute: allocate what the panel's w, h or counts ask, NAN-filled. */
double *panel_heatmap(struct panel *p);                                         /* h x w */
double *panel_xs(struct panel *p, size_t n);                                    /* CURVES */
/* n evenly (or, log, geometrically) spaced x over the x axis; integers: rounded, duplicates dropped. Returns the count. */
size_t panel_spread_xs(struct panel *p, size_t n, bool integers);
struct series *panel_add_series(struct panel *p, const char *label);            /* y: n_xs, NAN */
struct mark *panel_add_mark(struct panel *p, bool vertical, double at, const char *label, enum role role);
struct bar *panel_add_bar(struct panel *p, const char *label, double value);
struct dial *panel_add_dial(struct panel *p);
void panel_table(struct panel *p, size_t rows, size_t cols);
void panel_cell(struct panel *p, size_t row, size_t col, enum role role, bool right, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* The number that a cell's text, written before, stands for: only numbers are subtracted. */
void panel_number(struct panel *p, size_t row, size_t col, double number);
/* A table of n facts, what and value; fact 0 is the first. */
void panel_facts(struct panel *p, size_t n, const char *what, const char *value);
void panel_fact(struct panel *p, size_t fact, const char *what, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void panel_text(struct panel *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));   /* appends */
/* lo, hi from finite data; centred: symmetric; constant data: widened. */
void panel_autorange(struct panel *p);

/* For plan: one of the curves will have this name. Names that are too many for a line get up to three. */
void panel_will_name(struct panel *p, const char *label);

/* Places the panels in rows x cols cells, the first row for the caption, and sets their samples: a heatmap shows heat_rows samples
 * in a cell vertically and half as many horizontally (at least one). Panels that do not fit, those of the lowest weight first, are
 * given rows = 0 and counted in dropped. zoom_panel >= 0: only that panel. large: a sample is at least 4 x 2 cells. */
void figure_layout(struct figure *f, int rows, int cols, int heat_rows, int zoom_panel, bool large);

/* The layout for words instead of cells (describe.h): every panel has all the room it asks for, heatmaps at most WORDS_SAMPLES samples
 * along an axis, of equal length where that divides it. */
enum { WORDS_SAMPLES = 64 };
void figure_layout_words(struct figure *f);

/* Is there room for the caption in the first row? */
bool figure_has_caption(const struct figure *f);
/* Gives a figure, not yet computed, the layout of another with the same panels, so that both have the same samples; false if the
 * panels differ. */
bool figure_layout_like(struct figure *f, const struct figure *model);
/* Appends the panels of b, laid out on their own, to a, moved down by rows and right by cols, and its warning if a has none; b is gone. */
void figure_append(struct figure *a, struct figure *b, int rows, int cols);

/* Do the values of two panels measure the same, so that they can be subtracted and share a range? */
bool panel_comparable(const struct panel *a, const struct panel *b);
/* a - b; 0 where only rounding tells them apart. Masked on both sides stays masked; masked on one side has no difference: NAN. */
double figure_difference(double a, double b);
/* a - b, panel by panel: heatmaps and curves of the same quantity, axes and samples, tables of equal headings and rows; others are taken from a
 * and are not marked as a difference. The first curve is taken from the first, whatever they are called, the others by their names; those that b lacks
 * are left out.
 * NULL and a message if nothing can be subtracted. */
struct figure *figure_subtract(const struct figure *a, const struct figure *b, struct err *err);
/* Gives the heatmaps and curves of several figures, where they show the same quantity, one range, so that colours compare. */
void figure_share_range(struct figure *const *f, size_t n);

bool panel_has_axes(const struct panel *p);
/* The axis that bars are drawn along: the panel's own x, or as far as their values reach. */
struct axis panel_bar_scale(const struct panel *p);
/* From a canvas cell to real coordinates of the panel there; panel index or -1. HEATMAP: the middle of the sample; CURVES: x is the
 * nearest of xs; BARS: y is bar + 0.5; DIALS: x is xs[dial] if compute gave them, else dial + 0.5; TABLE: y is row + 0.5 (the heading
 * is row 0); TEXT: y is line + 0.5. */
int figure_locate(const struct figure *f, int row, int col, double *x, double *y);
/* TABLE: rows below the heading; TEXT: lines that it takes in its area. */
int panel_lines(const struct panel *p);
/* TABLE, TEXT: shows the part that row or line y of the cursor is in. For compute, once the content is there. */
void panel_follow(struct panel *p, double y);
/* The dial that x stands for. */
int panel_dial(const struct panel *p, double x);
/* Moves such a place by whole samples (dots, bars, dials, rows), kept inside; NAN starts in the middle. */
void panel_step(const struct panel *p, int right, int down, double *x, double *y);

/* The y axis of CURVES with its range filled in from lo, hi where the view left it to the data; else a plain copy. Borrowed words. */
struct axis panel_y_axis(const struct panel *p);
/* The panel that numbers are exported from: the first heatmap, else curves, bars, dials, a table, of the greatest weight; NULL: none. */
const struct panel *figure_main_panel(const struct figure *f);

#endif
