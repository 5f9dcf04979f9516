/* options.h - the options that `posviz` and `posviz render` share: what to show (-m, -p, -e, -s, the view) and how (language,
 * colours, size). A command puts OPTIONS_ROWS first into its table; command_next then gives numbers below OPTIONS_COUNT for them:
 *
 *     options_init; for each option: options_take; for the operand: options_operand; then options_scenario. */
#ifndef POSVIZ_APP_OPTIONS_H
#define POSVIZ_APP_OPTIONS_H

#include "command/command.h"
#include "scenario/scenario.h"

enum {
    OPTION_MODEL, OPTION_PRESET, OPTION_ENCODING, OPTION_SET, OPTION_COLOR, OPTION_ASCII, OPTION_THEME,
    OPTION_COLORMAP, OPTION_THREADS, OPTION_SIZE, OPTION_LARGE, OPTION_FROM, OPTIONS_COUNT
};
#define OPTIONS_ROWS \
    [OPTION_MODEL] = {"-m", "FILE|DIR", N_("show the position encoding of a model file")}, \
    [OPTION_PRESET] = {"-p", "PRESET", N_("start from a preset (posviz list presets)")}, \
    [OPTION_ENCODING] = {"-e", "ENCODING", N_("show an encoding (posviz list encodings), several with + between them")}, \
    [OPTION_SET] = {"-s", "KEY=VALUE", N_("set a parameter; may be given again")}, \
    [OPTION_COLOR] = {"--color", "DEPTH", N_("auto, truecolor, 256, 16 or mono")}, \
    [OPTION_ASCII] = {"--ascii", NULL, N_("draw with ASCII characters only")}, \
    [OPTION_THEME] = {"--theme", "NAME", N_("dark, light or contrast (high contrast)")}, \
    [OPTION_COLORMAP] = {"--colormap", "NAME", N_("colour map of heatmaps (posviz list colormaps)")}, \
    [OPTION_THREADS] = {"--threads", "N", N_("threads that compute; 1 unless given")}, \
    [OPTION_SIZE] = {"--size", "COLSxROWS", N_("cells of what is written without a terminal; 80x24 unless given, 80x32 for pictures")}, \
    [OPTION_LARGE] = {"--large", NULL, N_("large cells, for a lecture hall")}, \
    [OPTION_FROM] = {"--from", "FIGURE", N_("show again what a figure file of posviz shows (png, svg, pdf, json, npy, csv)")}

enum { OPTIONS_MAX_SETS = 64 };

struct options {
    const char *view, *model, *preset, *encoding;       /* NULL: not given */
    const char *set[OPTIONS_MAX_SETS];                  /* KEY=VALUE */
    size_t n_sets;
    enum lang lang;                                     /* --lang is taken by main */
    const struct theme *theme;                          /* NULL: not given */
    const struct colormap *map;
    int depth;                                          /* enum color_depth, or -1: find out */
    bool ascii;
    int threads;
    int cols, rows;                                     /* 0: not given */
    bool resume;                                        /* start where the program was left */
    bool large;
    const char *from;                                   /* a figure file (reopen.h), NULL: none */
    const char *lesson;                                 /* a lesson to stand in, NULL: none; step from 0 */
    int step;
};
void options_init(struct options *o, enum lang lang);
/* argument is borrowed. False with a message that names the option, its value and what is allowed. */
bool options_take(struct options *o, int option, const char *argument, struct err *err);
bool options_operand(struct options *o, const char *argument, struct err *err);
/* The same for words already split, as typed after `:`. */
bool options_parse(struct options *o, int argc, char **argv, struct err *err);
/* Edits s as the options ask: figure file, language, lesson, preset, model, encoding, view, parameters in the order given, colours. Options apply in
 * this order wherever they stood, so that -s may precede -e. Without a view on the command line, one that suits is taken. */
bool options_scenario(const struct options *o, struct scenario *s, struct err *err);

/* What kept chooses to show (options of the user's file, which o began as) does not hold where o chooses something itself. */
void options_prefer(struct options *o, const struct options *kept);

/* Keeps a scenario for --resume, and the one kept before as last-1.json, which -p opens; what prevents it is no reason to bother someone who leaves. */
void options_keep(const struct scenario *s);
/* By name; NULL or false with a message that lists them. */
bool options_lang(const char *name, enum lang *out, struct err *err);
const struct theme *options_theme(const char *name, struct err *err);
const struct colormap *options_colormap(const char *name, struct err *err);

#endif
