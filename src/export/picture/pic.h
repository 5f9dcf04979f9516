/* pic.h - what the files of the picture module share: a page in points, words by pango, axes. */
#ifndef POSVIZ_EXPORT_PICTURE_PIC_H
#define POSVIZ_EXPORT_PICTURE_PIC_H

#include <pango/pangocairo.h>

#include "export/picture.h"
#include "figure/legend.h"

struct pic {
    cairo_t *cr;
    PangoContext *pango;
    const struct figure *f;
    const struct export_options *o;
    const struct theme *paper;          /* the light theme: its series colours; the page is white */
};

struct box { double x, y, w, h; };      /* points, y downwards */

enum { INK = 0x1b1f24, GREY = 0x6a7077, LINE = 0x8a9098, GRID = 0xe7e9ec, PAPER = 0xffffff };
extern const double SMALL, NORMAL, TITLE;       /* sizes of letters in points */
enum { ROW = 11 };                      /* a line of words */

/* Words at (x, y); the reference point is at share ax of their width and ay of their height. */
struct words {
    double size;
    unsigned rgb;
    double ax, ay;
    bool bold, italic;
    double turn;                        /* radians, about the reference point */
    double width;                       /* 0: as long as they are; else cut with an ellipsis, or wrapped */
    bool wrap;
    bool halo;                          /* a white rim, for words over data */
};
/* Returns the height. */
double pic_words(struct pic *pic, double x, double y, struct words style, const char *text);
void pic_measure(struct pic *pic, struct words style, const char *text, double *w, double *h);
double pic_width(struct pic *pic, struct words style, const char *text);

void pic_rgb(struct pic *pic, unsigned rgb);
void pic_line(struct pic *pic, double x0, double y0, double x1, double y1, double width, unsigned rgb);
void pic_rect(struct pic *pic, struct box b, unsigned rgb);
void pic_dash(struct pic *pic, size_t series);  /* dashes that tell series apart without colour; 0: solid */
/* Grey with diagonal strokes: what is masked. */
void pic_hatch(struct pic *pic, struct box b);

/* A number with a true minus sign. */
char *pic_number(char *out, size_t size, const char *plain);

typedef double pic_place_fn(const struct panel *p, const struct axis *a, int n, double at);
/* Ticks with labels below a box, and the name of the axis; place gives the share 0..1 of the box. Returns the height used. */
double pic_x_axis(struct pic *pic, const struct panel *p, struct box b, bool with_end, bool grid, pic_place_fn *place);
/* The same on the left; y_share turns a share into a share from the top. */
void pic_y_axis(struct pic *pic, const struct panel *p, const struct axis *y, struct box b, bool with_end, bool grid, pic_place_fn *place);
/* Room that the y axis needs to the left of the box. */
double pic_y_axis_width(struct pic *pic, const struct axis *y, double height, bool with_end);
double pic_x_axis_height(struct pic *pic, const struct panel *p, double width);

void pic_heatmap(struct pic *pic, const struct panel *p, struct box b);
void pic_curves(struct pic *pic, const struct panel *p, struct box b);
void pic_bars(struct pic *pic, const struct panel *p, struct box b);
void pic_dials(struct pic *pic, const struct panel *p, struct box b);
void pic_table(struct pic *pic, const struct panel *p, struct box b);
void pic_text(struct pic *pic, const struct panel *p, struct box b);

#endif
