/* palette.h - colours by meaning. Code asks for a role or for a value of a colour map, never for a colour
 * number. A theme is a row of data. Colour maps are perceptual and safe for colour-blind readers; the
 * diverging one is for signed values and is centred at zero by whoever scales the values. */
#ifndef POSVIZ_CANVAS_PALETTE_H
#define POSVIZ_CANVAS_PALETTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum color_depth { DEPTH_MONO, DEPTH_16, DEPTH_256, DEPTH_TRUECOLOR, DEPTH_COUNT };

enum role {
    ROLE_TEXT,          /* ordinary text on the background */
    ROLE_DIM,           /* labels, rules, axes */
    ROLE_TITLE,         /* panel titles */
    ROLE_ACCENT,        /* the selected tab, the chosen parameter, the cursor */
    ROLE_SELECTED,      /* text on the accent as background */
    ROLE_GOOD, ROLE_WARNING, ROLE_ERROR,
    ROLE_MASKED,        /* cells that a mask excludes */
    ROLE_NAN,           /* cells without a value */
    ROLE_POPUP,         /* text in a popup, on its own background */
    ROLE_SERIES_0, ROLE_SERIES_1, ROLE_SERIES_2, ROLE_SERIES_3, ROLE_SERIES_4, ROLE_SERIES_5,
    ROLE_SERIES_6, ROLE_SERIES_7,                        /* curves, distinguishable without colour by order */
    ROLE_COUNT
};
enum { N_SERIES_ROLES = 8 };

struct theme {
    const char *id, *title;
    bool light;
    struct { uint32_t fg, bg; } role[ROLE_COUNT];       /* most share the background of ROLE_TEXT */
};
extern const struct theme *const themes[];              /* NULL-terminated: dark (the default), light, contrast */
const struct theme *theme_find(const char *id);         /* NULL if unknown */

struct colormap {
    const char *id, *title;
    bool diverging;
    const uint32_t *stop;                               /* n_stops colours at equal steps from 0 to 1 */
    size_t n_stops;
    uint8_t ansi[5];                                    /* the same in n_ansi of the first eight colours of every terminal */
    size_t n_ansi;
};
extern const struct colormap *const colormaps[];        /* NULL-terminated: viridis, magma, cividis, grey, diverging, diverging-dark */
const struct colormap *colormap_find(const char *id);
/* The map for signed values on this background: its middle, zero, is near the background. */
const struct colormap *colormap_diverging(const struct theme *theme);
/* The colour at t in 0..1 (cut), interpolated linearly between stops. */
uint32_t colormap_rgb(const struct colormap *map, double t);

/* truecolor, 256, 16, mono; false: none of them. */
bool color_depth_from_name(const char *name, enum color_depth *out);
/* a and b mixed; share 0 is a, 1 is b. */
uint32_t color_mix(uint32_t a, uint32_t b, double share);
/* Nearly black or nearly white: what can be read on a coloured ground. */
uint32_t color_readable_on(uint32_t rgb);
/* The nearest entry of the xterm 256 palette (16..255), and the one of the 16 (0..15) that has its hue and brightness. */
int color_to_256(uint32_t rgb);
int color_to_16(uint32_t rgb);
uint32_t color_from_16(int index);

#endif
