/* canvas.h - a rectangle of terminal cells in memory. Everything that is shown is drawn here first; a
 * terminal (term/), a text file or a PNG renderer shows it. Nothing here knows curses.
 *
 * Colours are 24 bit and already chosen: code that draws asks the palette for a role or a colour map's
 * value (palette.h). What a colour becomes on a terminal with fewer colours is the terminal's business,
 * except for heatmaps: canvas_heat knows the depth, because with eight colours or none it must draw
 * another glyph. Coordinates are (y, x) from 0; drawing outside is cut, never an error. */
#ifndef POSVIZ_CANVAS_CANVAS_H
#define POSVIZ_CANVAS_CANVAS_H

#include <stdbool.h>
#include <stdint.h>
#include "canvas/palette.h"

enum attr { ATTR_BOLD = 1, ATTR_REVERSE = 2, ATTR_UNDERLINE = 4, ATTR_DIM = 8, ATTR_HEAT = 16 };
/* ATTR_HEAT marks a cell of a heatmap: the curses terminal writes those itself, past curses, because
 * curses needs 1 to 3 microseconds a coloured cell. */

struct cell {
    uint32_t ch;            /* one Unicode character; 0 in the right half of a wide one */
    uint32_t fg, bg;        /* 0xRRGGBB */
    uint8_t attr;           /* of enum attr */
    uint8_t width;          /* 1, 2, or 0 in the right half of a wide character */
};

struct canvas {
    int rows, cols;
    struct cell *cell;                  /* rows x cols */
    const struct theme *theme;
    enum color_depth depth;
    bool ascii;                         /* only ASCII glyphs */
    bool certain;                       /* with ascii: but also those whose width no terminal doubts, as Chinese and braille */
};

struct rect { int y, x, rows, cols; };

/* Makes a canvas filled with spaces in the theme's text role. rows, cols at least 1. */
struct canvas *canvas_new(int rows, int cols, const struct theme *theme, enum color_depth depth, bool ascii);
struct canvas *canvas_copy(const struct canvas *c);
void canvas_free(struct canvas *c);
void canvas_clear(struct canvas *c);

/* Writes one character in a role; a wide character cut by an edge becomes a space; overwriting half of a
 * wide character blanks its other half. A role on the theme's plain background keeps the background that is there
 * (of a popup, of a selection); canvas_fill lays the role's own. With ascii every glyph becomes its glyph_ascii. */
void canvas_put(struct canvas *c, int y, int x, uint32_t ch, enum role role, int attr);
/* Writes UTF-8 text, sanitised, at most cells wide (cut with "…" or "~" in ASCII). Returns the cells written. */
int canvas_text(struct canvas *c, int y, int x, int cells, const char *text, enum role role, int attr);
int canvas_textf(struct canvas *c, int y, int x, int cells, enum role role, int attr, const char *fmt, ...)
    __attribute__((format(printf, 7, 8)));
/* Right-aligned in cells. */
void canvas_text_right(struct canvas *c, int y, int x, int cells, const char *text, enum role role, int attr);
void canvas_fill(struct canvas *c, struct rect r, uint32_t ch, enum role role, int attr);
void canvas_rule(struct canvas *c, int y, int x, int cells, const char *title, enum role role);  /* ─ title ────, or NULL */
/* The ASCII character that stands for a glyph: lines + - |, arrows < > ^ v, braille . : ', and ? for what has none. */
uint32_t glyph_ascii(uint32_t ch);

/* One heatmap cell that carries two samples, the upper and the lower half. value: 0..1 of the map's
 * range, NAN for "no value", -INFINITY for "masked". Truecolour and 256: half blocks (ASCII: the mean as
 * background); 16 colours: the mean in shades from one ANSI colour of the map to the next; mono: the ramp " .:-=+*#%@".
 * Colours are quantised to HEAT_LEVELS so that a terminal needs few changes between cells. A cell without any value is
 * hatched (masked) or marked x, without colours ? (no value). */
enum { HEAT_LEVELS = 64 };
void canvas_heat(struct canvas *c, int y, int x, const struct colormap *map, double top, double bottom);
/* Samples a heatmap cell can show vertically: 2 with half blocks, 1 in 16 colours, mono and ASCII. */
int canvas_heat_rows(const struct canvas *c);

/* Braille (2 x 4 dots a cell; ASCII: one of . : ' a cell). A dot plane is drawn at once, so that curves
 * may cross: dots_new, dots_set, dots_draw, dots_free. */
struct dots;
struct dots *dots_new(int rows, int cols);                        /* cells */
void dots_free(struct dots *d);
void dots_set(struct dots *d, int y, int x);                      /* dots: rows * 4, cols * 2 */
void dots_draw(const struct dots *d, struct canvas *c, int y, int x, uint32_t color);   /* only cells with a dot; others' dots stay */

/* A horizontal bar of length cells (in eighths) in a colour, at most cells long. */
void canvas_bar(struct canvas *c, int y, int x, int cells, double length, uint32_t color);

/* The colours a cell shows in: dimmed and reversed as its attributes say. */
void cell_colors(const struct cell *cell, uint32_t *fg, uint32_t *bg);

/* The canvas as text, rows ended by newlines. Plain: without colours and trailing spaces. ansi: whole rows with SGR
 * sequences as depth asks. The caller frees it. */
char *canvas_to_text(const struct canvas *c, bool ansi);

#endif
