/* export.h - a figure as a file: text, numbers or a picture. The extension of the name chooses the format.
 *
 * export_format_of, lay the figure out with export_heat_rows, compute it, export_figure. */
#ifndef POSVIZ_EXPORT_EXPORT_H
#define POSVIZ_EXPORT_EXPORT_H

#include "base/buf.h"
#include "base/err.h"
#include "canvas/palette.h"
#include "figure/figure.h"

enum { EXPORT_MIN_DPI = 30, EXPORT_MAX_DPI = 1200 };

struct export_options {
    const struct theme *theme;          /* txt, ansi; pictures are always on white */
    const struct colormap *map;
    enum lang lang;
    enum color_depth depth;             /* ansi */
    bool ascii;                         /* txt, ansi */
    double dpi;                         /* png */
    bool force;                         /* replace an existing file */
    bool comment;                       /* csv: what the figure carries as lines that begin with '#' */
    char command[4096];                 /* that shows the figure again, for it to carry (carried.h); empty: none can */
    struct figure_model { char name[256], revision[72], reading[17]; } model;      /* a model file that it shows; name "": none */
};
struct export_format {
    const char *extension;              /* "png" */
    const char *help;                   /* N_() */
    bool picture;                       /* drawn in points, not in cells */
    int (*heat_rows)(const struct export_options *o);   /* samples of a heatmap in a cell vertically; NULL: as on the screen */
    bool (*write)(const struct figure *f, const struct export_options *o, struct buf *out, struct err *err);
};
extern const struct export_format *const export_formats[];      /* NULL-terminated */
extern const struct export_format export_txt, export_ansi, export_csv, export_npy, export_json, export_png, export_svg, export_pdf;

/* The format of a file name; NULL with a message that lists them. */
const struct export_format *export_format_of(const char *path, struct err *err);
int export_heat_rows(const struct export_format *format, const struct export_options *o);
/* Is the module of pictures there? False with a message that names what to install. */
bool export_pictures(struct err *err);
/* Writes the file whole or not at all (file.h). */
bool export_figure(const struct figure *f, const char *path, const struct export_options *o, struct err *err);

#endif
