/* numbers.c - csv and npy: the numbers of the figure's main panel with its coordinates.
 *
 * A heatmap in csv has one line a sample. Where a sample is one position, its coordinates are that position; where it is the mean of
 * a block, they are the block's first position and the one after its last. Numbers have 17 significant digits, masked is
 * -inf, no value nan. Headings are in the language of the picture, as the names of its axes are. npy is format version 1.0 (NEP 1): float64, little-endian, C order. Behind the numbers stands a second array, bytes
 * without an axis, of the lines that the figure carries: np.load reads the first, and called again on the same open file the second. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"

/* Formats of our own catalogue, checked by msgfmt. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* ---- csv (RFC 4180) ------------------------------------------------------------------------------------------ */

static void field(struct buf *out, const char *text, char end)
{
    bool quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (quoted)
        buf_text(out, "\"");
    for (; *text; text++)
        buf_put(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    if (quoted)
        buf_text(out, "\"");
    buf_put(out, &end, 1);
}

static void number(struct buf *out, double x, char end)
{
    char text[40];
    if (isnan(x))
        snprintf(text, sizeof text, "nan");
    else
        snprintf(text, sizeof text, "%.17g", x + 0.0);         /* never "-0" */
    field(out, text, end);
}

static const char *or_else(const char *text, const char *otherwise)
{
    return text[0] ? text : otherwise;
}

/* "distance (tokens)": a heading says what its numbers are counted in. */
static void named(struct buf *out, const char *name, const char *unit, char end)
{
    char text[192];
    snprintf(text, sizeof text, *unit ? "%.120s (%.60s)" : "%.120s", name, unit);
    field(out, text, end);
}

static bool one_a_sample(const struct axis *a, int n)
{
    return axis_count(a) <= n;
}

static void coordinate_head(struct buf *out, const struct axis *a, int n, const char *otherwise, enum lang lang)
{
    char text[192];
    const char *name = or_else(a->label, otherwise);
    if (one_a_sample(a, n)) {
        field(out, name, ',');
        return;
    }
    snprintf(text, sizeof text, lang_text(lang, N_("%s from")), name);
    field(out, text, ',');
    snprintf(text, sizeof text, lang_text(lang, N_("%s to")), name);
    field(out, text, ',');
}

static void coordinate(struct buf *out, const struct axis *a, int n, int i)
{
    bool one = one_a_sample(a, n);
    size_t word = one ? (size_t)(axis_edge(a, n, i) - a->from) : a->n_ticks;
    if (word < a->n_ticks)
        field(out, a->tick[word], ',');
    else
        number(out, axis_edge(a, n, i), ',');
    if (!one)
        number(out, axis_edge(a, n, i + 1), ',');
}

static void heatmap_csv(const struct panel *p, struct buf *out, enum lang lang)
{
    coordinate_head(out, &p->y, p->h, "y", lang);
    coordinate_head(out, &p->x, p->w, "x", lang);
    field(out, or_else(p->unit, lang_text(lang, N_("value"))), '\n');
    for (int r = 0; r < p->h && p->data; r++)
        for (int c = 0; c < p->w; c++) {
            coordinate(out, &p->y, p->h, r);
            coordinate(out, &p->x, p->w, c);
            number(out, p->data[(size_t)r * (size_t)p->w + (size_t)c], '\n');
        }
}

static void curves_csv(const struct panel *p, struct buf *out, enum lang lang)
{
    (void)lang;
    named(out, or_else(p->x.label, "x"), p->x.unit, p->n_series ? ',' : '\n');
    for (size_t k = 0; k < p->n_series; k++) {
        const char *label = or_else(p->series[k].label, or_else(p->y.label, "y"));
        named(out, label, *p->y.unit || !strcmp(label, p->y.label) ? p->y.unit : p->y.label, k + 1 < p->n_series ? ',' : '\n');
    }
    for (size_t i = 0; i < p->n_xs; i++) {
        number(out, p->xs[i], p->n_series ? ',' : '\n');
        for (size_t k = 0; k < p->n_series; k++)
            number(out, p->series[k].y[i], k + 1 < p->n_series ? ',' : '\n');
    }
}

static void bars_csv(const struct panel *p, struct buf *out, enum lang lang)
{
    field(out, or_else(p->y.label, lang_text(lang, N_("label"))), ',');
    field(out, or_else(p->unit, or_else(p->title, lang_text(lang, N_("value")))), ',');
    field(out, lang_text(lang, N_("note")), '\n');
    for (size_t i = 0; i < p->n_bars; i++) {
        field(out, p->bar[i].label, ',');
        number(out, p->bar[i].value, ',');
        field(out, p->bar[i].note, '\n');
    }
}

static void dials_csv(const struct panel *p, struct buf *out, enum lang lang)
{
    buf_format(out, "%s\n", lang_text(lang, N_("dial,above,below,angle 1 (rad),length 1,angle 2 (rad),length 2,flagged")));
    for (size_t i = 0; i < p->n_dials; i++) {
        const struct dial *d = &p->dial[i];
        field(out, d->label, ',');
        field(out, d->above, ',');
        field(out, d->below, ',');
        for (int hand = 0; hand < 2; hand++) {
            number(out, d->angle[hand], ',');
            number(out, d->length[hand], ',');
        }
        buf_text(out, d->flagged ? "1\n" : "0\n");
    }
}

static void table_csv(const struct panel *p, struct buf *out, enum lang lang)
{
    (void)lang;
    for (size_t i = 0; i < p->table_rows * p->table_cols; i++)
        field(out, p->cell[i].text ? p->cell[i].text : "", (i + 1) % p->table_cols ? ',' : '\n');
}

static void comment(struct buf *out, const char *text)
{
    if (*text)
        buf_format(out, "# %s\n", text);
}

/* RFC 4180 has no comments, so many readers take these lines for data; pandas (comment="#"), R, gnuplot and numpy.loadtxt leave them out. */
static void comments(const struct figure *f, const struct export_options *o, struct buf *out)
{
    comment(out, "by posviz " POSVIZ_VERSION);          /* in every language: it is read back */
    comment(out, o->command);
    comment(out, f->caption);
    comment(out, f->source);
}

static bool write_csv(const struct figure *f, const struct export_options *o, struct buf *out, struct err *err)
{
    static void (*const write[PANEL_KIND_COUNT])(const struct panel *, struct buf *, enum lang) = {
        [PANEL_HEATMAP] = heatmap_csv, [PANEL_CURVES] = curves_csv, [PANEL_BARS] = bars_csv,
        [PANEL_DIALS] = dials_csv,     [PANEL_TABLE] = table_csv,
    };
    const struct panel *p = figure_main_panel(f);
    if (!p)
        return err_set(err, N_("there are no numbers to write: this view shows text; use .txt or .json"));
    if (o->comment)
        comments(f, o, out);
    write[p->kind](p, out, o->lang);
    return true;
}

/* ---- npy ------------------------------------------------------------------------------------------------------- */

static void little_endian(struct buf *out, double x)
{
    uint64_t bits;
    unsigned char bytes[8];
    memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
    buf_put(out, bytes, sizeof bytes);
}

/* Magic, version, length of the text, text padded with spaces to a multiple of 64 bytes and ended by a newline. */
static void npy_dictionary(struct buf *out, const char *type, const char *shape)
{
    enum { FIXED = 10, ALIGN = 64 };
    char text[160];
    int n = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
    size_t padded = ((size_t)n + 1 + FIXED + ALIGN - 1) / ALIGN * ALIGN - FIXED;
    unsigned char fixed[FIXED] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(padded & 0xff), (unsigned char)(padded >> 8)};
    buf_put(out, fixed, FIXED);
    buf_put(out, text, (size_t)n);
    for (size_t i = (size_t)n; i + 1 < padded; i++)
        buf_text(out, " ");
    buf_text(out, "\n");
}

static void npy_head(struct buf *out, size_t rows, size_t cols)
{
    char shape[64];
    snprintf(shape, sizeof shape, "%zu, %zu", rows, cols);
    npy_dictionary(out, "<f8", shape);
}

/* Bytes, "|Sn" in NumPy's words, and no axis. */
static void npy_words(struct buf *out, const char *text)
{
    char type[32];
    snprintf(type, sizeof type, "|S%zu", strlen(text));
    npy_dictionary(out, type, "");
    buf_text(out, text);
}

/* h x w samples. */
static void heatmap_npy(const struct panel *p, struct buf *out)
{
    npy_head(out, (size_t)p->h, (size_t)p->w);
    for (size_t i = 0; i < (size_t)p->h * (size_t)p->w; i++)
        little_endian(out, p->data ? p->data[i] : NAN);
}

/* A row for each x: x, then every curve. */
static void curves_npy(const struct panel *p, struct buf *out)
{
    npy_head(out, p->n_xs, 1 + p->n_series);
    for (size_t i = 0; i < p->n_xs; i++) {
        little_endian(out, p->xs[i]);
        for (size_t k = 0; k < p->n_series; k++)
            little_endian(out, p->series[k].y[i]);
    }
}

static void bars_npy(const struct panel *p, struct buf *out)
{
    npy_head(out, p->n_bars, 1);
    for (size_t i = 0; i < p->n_bars; i++)
        little_endian(out, p->bar[i].value);
}

/* A row for each dial: angle and length of both hands. */
static void dials_npy(const struct panel *p, struct buf *out)
{
    npy_head(out, p->n_dials, 4);
    for (size_t i = 0; i < p->n_dials; i++)
        for (int hand = 0; hand < 2; hand++) {
            little_endian(out, p->dial[i].angle[hand]);
            little_endian(out, p->dial[i].length[hand]);
        }
}

static bool write_npy(const struct figure *f, const struct export_options *o, struct buf *out, struct err *err)
{
    static void (*const write[PANEL_KIND_COUNT])(const struct panel *, struct buf *) = {
        [PANEL_HEATMAP] = heatmap_npy, [PANEL_CURVES] = curves_npy, [PANEL_BARS] = bars_npy, [PANEL_DIALS] = dials_npy,
    };
    const struct panel *p = figure_main_panel(f);
    if (!p || !write[p->kind])
        return err_set(err, N_("there is no array of numbers to write: this view shows words; use .csv or .json"));
    write[p->kind](p, out);
    struct buf words = {0};
    comments(f, o, &words);
    char *text = buf_string(&words);
    npy_words(out, text);
    free(text);
    return true;
}

const struct export_format export_csv = {
    .extension = "csv", .help = N_("the numbers of the main panel, with headings"), .write = write_csv,
};
const struct export_format export_npy = {
    .extension = "npy", .help = N_("the numbers of the main panel for NumPy"), .write = write_npy,
};
