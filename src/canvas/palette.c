/* palette.c - themes, colour maps, and what a colour becomes on a terminal with fewer of them.
 *
 * viridis and magma (van der Walt and Smith 2015) and cividis (Nunez, Anderton and Renslow 2018) are given by 18 of
 * their published 256 colours, every 15th; between them a straight line stays within 5 of 255 of the original. The
 * diverging map is ColorBrewer's RdBu turned round: blue below zero, red above (Harrower and Brewer 2003). On a dark background its
 * white middle would shout that there is nothing, so there the middle is dark: lightness rises evenly (OKLCH 0.17 to 0.90) from
 * black to light blue below zero and to light orange above. */
#include "canvas/palette.h"

#include <math.h>
#include <string.h>

#include "base/lang.h"

/* Okabe and Ito's order of hues (2008), lightened or darkened for the background; each another one of sixteen colours. */
#define DARK_SERIES(bg) \
    [ROLE_SERIES_0] = {0x56b4e9, bg}, [ROLE_SERIES_1] = {0xe69f00, bg}, [ROLE_SERIES_2] = {0x35c27a, bg}, \
    [ROLE_SERIES_3] = {0xe28fc0, bg}, [ROLE_SERIES_4] = {0xf0e442, bg}, [ROLE_SERIES_5] = {0xff7043, bg}, \
    [ROLE_SERIES_6] = {0x8f9dff, bg}, [ROLE_SERIES_7] = {0xc8ccd2, bg}

static const struct theme dark = {
    .id = "dark",
    .title = N_("Dark"),
    .role = {
        [ROLE_TEXT] = {0xd5d9e0, 0x12151b}, [ROLE_DIM] = {0x828a97, 0x12151b}, [ROLE_TITLE] = {0xf2f4f7, 0x12151b},
        [ROLE_ACCENT] = {0xffb454, 0x12151b}, [ROLE_SELECTED] = {0x12151b, 0xffb454},
        [ROLE_GOOD] = {0x7fd18b, 0x12151b}, [ROLE_WARNING] = {0xf5d76e, 0x12151b}, [ROLE_ERROR] = {0xff7b72, 0x12151b},
        [ROLE_MASKED] = {0x343b47, 0x1b1f27}, [ROLE_NAN] = {0xb08a5a, 0x2b2119}, [ROLE_POPUP] = {0xe3e6eb, 0x252b36},
        DARK_SERIES(0x12151b),
    },
};

static const struct theme light = {
    .id = "light",
    .title = N_("Light"),
    .light = true,
    .role = {
        [ROLE_TEXT] = {0x24292f, 0xfbfaf7}, [ROLE_DIM] = {0x686e76, 0xfbfaf7}, [ROLE_TITLE] = {0x050607, 0xfbfaf7},
        [ROLE_ACCENT] = {0xa84300, 0xfbfaf7}, [ROLE_SELECTED] = {0xfbfaf7, 0xa84300},
        [ROLE_GOOD] = {0x1a7f37, 0xfbfaf7}, [ROLE_WARNING] = {0x8a6100, 0xfbfaf7}, [ROLE_ERROR] = {0xb5201d, 0xfbfaf7},
        [ROLE_MASKED] = {0xc9c8c3, 0xe9e8e3}, [ROLE_NAN] = {0x8a6a3c, 0xf3e3cd}, [ROLE_POPUP] = {0x1b1f24, 0xe4e7ec},
        [ROLE_SERIES_0] = {0x0072b2, 0xfbfaf7}, [ROLE_SERIES_1] = {0xb87400, 0xfbfaf7},
        [ROLE_SERIES_2] = {0x0a8040, 0xfbfaf7}, [ROLE_SERIES_3] = {0xa64d86, 0xfbfaf7},
        [ROLE_SERIES_4] = {0x7a7000, 0xfbfaf7}, [ROLE_SERIES_5] = {0xd04a00, 0xfbfaf7},
        [ROLE_SERIES_6] = {0x4b50c8, 0xfbfaf7}, [ROLE_SERIES_7] = {0x4a4f57, 0xfbfaf7},
    },
};

static const struct theme contrast = {
    .id = "contrast",
    .title = N_("High contrast"),
    .role = {
        [ROLE_TEXT] = {0xffffff, 0x000000}, [ROLE_DIM] = {0xc0c0c0, 0x000000}, [ROLE_TITLE] = {0xffffff, 0x000000},
        [ROLE_ACCENT] = {0xffff00, 0x000000}, [ROLE_SELECTED] = {0x000000, 0xffff00},
        [ROLE_GOOD] = {0x00ff66, 0x000000}, [ROLE_WARNING] = {0xffc000, 0x000000}, [ROLE_ERROR] = {0xff6060, 0x000000},
        [ROLE_MASKED] = {0x707070, 0x101010}, [ROLE_NAN] = {0xffffff, 0x5a3a00}, [ROLE_POPUP] = {0xffffff, 0x303030},
        DARK_SERIES(0x000000),
    },
};

const struct theme *const themes[] = {&dark, &light, &contrast, NULL};

const struct theme *theme_find(const char *id)
{
    for (size_t i = 0; themes[i]; i++)
        if (!strcmp(themes[i]->id, id))
            return themes[i];
    return NULL;
}

static const uint32_t viridis_stop[] = {
    0x440154, 0x481769, 0x472a7a, 0x433d84, 0x3d4e8a, 0x355e8d, 0x2e6d8e, 0x297b8e, 0x23898e,
    0x1f978b, 0x21a585, 0x2eb37c, 0x46c06f, 0x65cb5e, 0x89d548, 0xb0dd2f, 0xd8e219, 0xfde725,
};
static const uint32_t magma_stop[] = {
    0x000004, 0x090720, 0x1a1042, 0x311165, 0x4a1079, 0x621980, 0x792282, 0x912b81, 0xaa337d,
    0xc23b75, 0xd9466b, 0xec5860, 0xf7725c, 0xfc8e64, 0xfeaa74, 0xfec68a, 0xfde2a3, 0xfcfdbf,
};
static const uint32_t cividis_stop[] = {
    0x002051, 0x002b64, 0x0f356c, 0x23406e, 0x374a6e, 0x4b556d, 0x5c606e, 0x6c6b70, 0x797673,
    0x858176, 0x928d78, 0x9f9978, 0xaea575, 0xbfb26f, 0xd2bf66, 0xe4cd5a, 0xf4db4e, 0xfdea45,
};
static const uint32_t grey_stop[] = {0x000000, 0xffffff};
static const uint32_t diverging_stop[] = {
    0x053061, 0x2166ac, 0x4393c3, 0x92c5de, 0xd1e5f0, 0xf7f7f7, 0xfddbc7, 0xf4a582, 0xd6604d, 0xb2182b, 0x67001f,
};
static const uint32_t diverging_dark_stop[] = {
    0xb9e5ff, 0x7bcaff, 0x46acf7, 0x218ce2, 0x0a6ec5, 0x0951a0, 0x0e3876, 0x0e2348, 0x0f0f0f,
    0x421211, 0x6b1915, 0x922915, 0xb54317, 0xd36325, 0xe98843, 0xf7af6f, 0xffd6a7,
};

#define STOPS(name) .stop = name##_stop, .n_stops = sizeof name##_stop / sizeof *name##_stop

/* The ANSI colours rise in brightness as the map does, so that their order is the order of the values. */
static const struct colormap viridis = {"viridis", N_("Viridis"), STOPS(viridis), .ansi = {0, 4, 2, 3}, .n_ansi = 4};
static const struct colormap magma = {"magma", N_("Magma"), STOPS(magma), .ansi = {0, 5, 7}, .n_ansi = 3};
static const struct colormap cividis = {"cividis", N_("Cividis"), STOPS(cividis), .ansi = {0, 4, 3}, .n_ansi = 3};
static const struct colormap grey = {"grey", N_("Grey"), STOPS(grey), .ansi = {0, 7}, .n_ansi = 2};
static const struct colormap diverging = {"diverging", N_("Blue to red"), STOPS(diverging), .diverging = true,
                                          .ansi = {4, 7, 1}, .n_ansi = 3};
static const struct colormap diverging_dark = {"diverging-dark", N_("Blue to orange"), STOPS(diverging_dark), .diverging = true,
                                               .ansi = {6, 4, 0, 1, 3}, .n_ansi = 5};

const struct colormap *const colormaps[] = {&viridis, &magma, &cividis, &grey, &diverging, &diverging_dark, NULL};

const struct colormap *colormap_diverging(const struct theme *theme)
{
    return theme->light ? &diverging : &diverging_dark;
}

const struct colormap *colormap_find(const char *id)
{
    for (size_t i = 0; colormaps[i]; i++)
        if (!strcmp(colormaps[i]->id, id))
            return colormaps[i];
    return NULL;
}

uint32_t color_mix(uint32_t a, uint32_t b, double share)
{
    uint32_t rgb = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double from = a >> shift & 0xff, to = b >> shift & 0xff;
        rgb |= (uint32_t)lround(from + share * (to - from)) << shift;
    }
    return rgb;
}

uint32_t colormap_rgb(const struct colormap *map, double t)
{
    double at = fmin(fmax(t, 0), 1) * (double)(map->n_stops - 1);
    size_t i = (size_t)at;
    if (i >= map->n_stops - 1)
        return map->stop[map->n_stops - 1];
    return color_mix(map->stop[i], map->stop[i + 1], at - (double)i);
}

static const char *const depth_names[DEPTH_COUNT] = {"mono", "16", "256", "truecolor"};

bool color_depth_from_name(const char *name, enum color_depth *out)
{
    for (int i = 0; i < DEPTH_COUNT; i++)
        if (!strcmp(name, depth_names[i])) {
            *out = (enum color_depth)i;
            return true;
        }
    return false;
}

static int distance(uint32_t a, uint32_t b)
{
    int sum = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        int d = (int)(a >> shift & 0xff) - (int)(b >> shift & 0xff);
        sum += d * d;
    }
    return sum;
}

/* The palette is a cube with the steps 0, 95, 135, 175, 215, 255 a channel (16 to 231) and the greys 8, 18, ... 238. */
int color_to_256(uint32_t rgb)
{
    static const int step[] = {0, 95, 135, 175, 215, 255};
    int index = 16, weight = 36, sum = 0;
    uint32_t in_cube = 0;
    for (int shift = 16; shift >= 0; shift -= 8, weight /= 6) {
        int channel = rgb >> shift & 0xff, k = channel < 48 ? 0 : channel < 115 ? 1 : (channel - 35) / 40;
        index += k * weight;
        in_cube |= (uint32_t)step[k] << shift;
        sum += channel;
    }
    int k = (sum / 3 - 3) / 10;
    k = k < 0 ? 0 : k > 23 ? 23 : k;
    uint32_t grey_rgb = (uint32_t)(8 + 10 * k) * 0x010101;
    return distance(rgb, grey_rgb) < distance(rgb, in_cube) ? 232 + k : index;
}

/* xterm's own sixteen; other terminals differ a little. */
static const uint32_t ansi_rgb[16] = {
    0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
    0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
};

uint32_t color_from_16(int index)
{
    return ansi_rgb[index & 15];
}

/* By hue and brightness, not by distance: a pale green is nearest to grey, but it was chosen for being green. */
int color_to_16(uint32_t rgb)
{
    int r = rgb >> 16 & 0xff, g = rgb >> 8 & 0xff, b = rgb & 0xff;
    int max = r > g ? (r > b ? r : b) : (g > b ? g : b), min = r < g ? (r < b ? r : b) : (g < b ? g : b);
    if (max < 64)
        return 0;
    if (max - min < 48)
        return max < 96 ? 0 : max < 184 ? 8 : max < 240 ? 7 : 15;
    int middle = (max + min) / 2;               /* a channel above it takes part: red 1, green 2, blue 4 */
    return (r > middle) | (g > middle) << 1 | (b > middle) << 2 | (max >= 240 ? 8 : 0);
}

uint32_t color_readable_on(uint32_t rgb)
{
    double luminance = 0.299 * (rgb >> 16 & 0xff) + 0.587 * (rgb >> 8 & 0xff) + 0.114 * (rgb & 0xff);
    return luminance > 140 ? 0x101010 : 0xf8f8f8;
}
