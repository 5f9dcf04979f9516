/* legend.h - what a legend says about a heatmap, in words: for the canvas and for pictures alike. */
#ifndef POSVIZ_FIGURE_LEGEND_H
#define POSVIZ_FIGURE_LEGEND_H

#include "base/lang.h"
#include "figure/figure.h"

/* "mean of 16 x 16", "mean of 15-16 x 8", "sampled, 1 of 16 x 16", "exact"; with the error where the mean is approximate. Blocks are
 * rows x columns; on a logarithmic axis they differ, so their size is not named. Returns out. */
char *legend_reduction(char *out, size_t size, const struct panel *p, enum lang lang);
/* In one word, where there is no room: "mean". */
char *legend_reduction_short(char *out, size_t size, const struct panel *p, enum lang lang);
/* Are there masked samples; samples without a value? */
bool panel_has_masked(const struct panel *p);
bool panel_has_nan(const struct panel *p);
/* "label (unit)", "标签（单位）". */
char *axis_title(char *out, size_t size, const struct axis *a);

/* Lines under curves that their names take. */
int legend_lines(const struct panel *p);

#endif
