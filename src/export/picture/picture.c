/* picture.c - a figure as png, svg or pdf, by one routine on a cairo surface. The page is as large as the figure's cells, 6.5 x 13 points
 * each: 80 x 24 cells give a figure of 7.2 by 4.3 inches with letters of 8 points, the width of a page of a paper.
 *
 * Same figure, same fonts, same bytes: there is no date but that of SOURCE_DATE_EPOCH, and no random name. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include "export/picture/pic.h"
#include "base/mem.h"
#include "base/utf8.h"

#define SEPARATOR " · "                 /* between the words of a caption */
static const double CELL_W = 6.5, CELL_H = 13, MARGIN = 10, POINTS_PER_INCH = 72;

/* ---- page ------------------------------------------------------------------------------------------------------ */

static double page_width(const struct figure *f)
{
    return f->cols * CELL_W + 2 * MARGIN;
}

/* Lines that the words below the headline may take; the page has its height before anything is measured, so a letter counts as a wide one. */
static int caption_lines(const char *words, double width)
{
    enum { MOST = 3 };
    const double letter = 5;
    double lines = ceil(utf8_width(words) * letter / fmax(width, letter));
    return (int)fmin(MOST, fmax(1, lines));
}

static double head_height(const struct figure *f)
{
    const char *rest = strstr(f->caption, SEPARATOR);
    return rest ? 20 + 10 * caption_lines(rest + strlen(SEPARATOR), page_width(f) - 2 * MARGIN) : f->caption[0] ? 20 : 4;
}

static double foot_height(const struct figure *f)
{
    return f->source[0] || f->warning[0] ? 16 : 4;
}

static double page_height(const struct figure *f)
{
    return (f->rows - figure_has_caption(f)) * CELL_H + head_height(f) + foot_height(f) + 2 * MARGIN;
}

/* What is shown, then how: the first words of the caption as a headline, the rest below it. */
static void draw_head(struct pic *pic)
{
    double w = page_width(pic->f) - 2 * MARGIN;
    char headline[sizeof pic->f->caption];
    const char *rest = strstr(pic->f->caption, SEPARATOR);
    snprintf(headline, sizeof headline, "%.*s", rest ? (int)(rest - pic->f->caption) : (int)sizeof headline, pic->f->caption);
    double used = pic_words(pic, MARGIN, MARGIN - 2, (struct words){.size = TITLE, .rgb = INK, .bold = true, .width = w}, headline);
    if (rest)
        pic_words(pic, MARGIN, MARGIN - 1 + used,
                  (struct words){.size = SMALL + 0.4, .rgb = GREY, .width = w, .wrap = caption_lines(rest + strlen(SEPARATOR), w) > 1}, rest + strlen(SEPARATOR));
}

static void draw_foot(struct pic *pic)
{
    const struct figure *f = pic->f;
    double y = page_height(f) - MARGIN, w = page_width(f) - 2 * MARGIN;
    struct words style = {.size = SMALL, .rgb = GREY, .ay = 1};
    double used = f->warning[0] ? pic_width(pic, style, f->warning) + 12 : 0;
    style.width = w - used;
    pic_words(pic, MARGIN, y, style, f->source);
    style.width = w;
    style.ax = 1;
    style.rgb = INK;
    if (f->warning[0])
        pic_words(pic, page_width(f) - MARGIN, y, style, f->warning);
}

/* Title and note on one line; the note goes below where both do not fit. Returns what is left of the box. */
static struct box draw_title(struct pic *pic, const struct panel *p, struct box b)
{
    struct words title = {.size = NORMAL, .rgb = INK, .bold = true, .width = b.w}, note = {.size = SMALL, .rgb = GREY, .width = b.w};
    double title_w = p->title[0] ? pic_width(pic, title, p->title) : 0, note_w = p->note[0] ? pic_width(pic, note, p->note) : 0;
    double used = 0;
    if (p->title[0])
        used = pic_words(pic, b.x, b.y, title, p->title) + 2;
    if (p->note[0] && title_w + note_w + 10 <= b.w) {
        note.ax = 1;
        note.ay = 1;
        pic_words(pic, b.x + b.w, b.y + used - 2, note, p->note);
    } else if (p->note[0])
        used += pic_words(pic, b.x, b.y + used, note, p->note) + 1;
    return (struct box){b.x, b.y + used, b.w, b.h - used};
}

static struct box box_of(const struct figure *f, const struct panel *p)
{
    double top = MARGIN + head_height(f) - figure_has_caption(f) * CELL_H;
    bool ends_right = p->col + p->cols >= f->cols;
    return (struct box){MARGIN + p->col * CELL_W, top + p->row * CELL_H, p->cols * CELL_W - (ends_right ? 0 : 6), p->rows * CELL_H - 6};
}

static void draw_page(struct pic *pic)
{
    static void (*const draw[PANEL_KIND_COUNT])(struct pic *, const struct panel *, struct box) = {
        [PANEL_HEATMAP] = pic_heatmap, [PANEL_CURVES] = pic_curves, [PANEL_BARS] = pic_bars,
        [PANEL_DIALS] = pic_dials,     [PANEL_TABLE] = pic_table,   [PANEL_TEXT] = pic_text,
    };
    const struct figure *f = pic->f;
    pic_rgb(pic, PAPER);
    cairo_paint(pic->cr);
    draw_head(pic);
    for (size_t i = 0; i < f->n; i++) {
        const struct panel *p = &f->panel[i];
        if (p->rows == 0)
            continue;
        struct box b = draw_title(pic, p, box_of(f, p));
        if (b.w > 4 && b.h > 4)
            draw[p->kind](pic, p, b);
    }
    draw_foot(pic);
}

static void draw_on(cairo_surface_t *surface, double scale, const struct figure *f, const struct export_options *o)
{
    struct pic pic = {.cr = cairo_create(surface), .f = f, .o = o, .paper = theme_find("light")};
    cairo_font_options_t *fonts = cairo_font_options_create();
    cairo_font_options_set_antialias(fonts, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(fonts, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(fonts, CAIRO_HINT_METRICS_OFF);
    cairo_scale(pic.cr, scale, scale);
    pic.pango = pango_cairo_create_context(pic.cr);
    pango_cairo_context_set_font_options(pic.pango, fonts);
    pango_cairo_context_set_resolution(pic.pango, POINTS_PER_INCH);
    pango_context_set_round_glyph_positions(pic.pango, FALSE);
    pango_context_set_language(pic.pango, pango_language_from_string(o->lang == LANG_ZH ? "zh-cn" : "en"));
    draw_page(&pic);
    g_object_unref(pic.pango);
    cairo_font_options_destroy(fonts);
    cairo_destroy(pic.cr);
}

/* ---- the three formats ------------------------------------------------------------------------------------------- */

static cairo_status_t append(void *out, const unsigned char *data, unsigned n)
{
    buf_put(out, data, n);
    return CAIRO_STATUS_SUCCESS;
}

static uint32_t crc32(const unsigned char *data, size_t n)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < n; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? 0xedb88320 ^ crc >> 1 : crc >> 1;
    }
    return ~crc;
}

static void big_endian(unsigned char *out, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(x >> 8 * (3 - i));
}

static void add_chunk(struct buf *out, const char *type, const void *data, size_t n)
{
    unsigned char number[4];
    size_t start = out->n + sizeof number;
    big_endian(number, (uint32_t)n);
    buf_put(out, number, sizeof number);
    buf_put(out, type, 4);
    buf_put(out, data, n);
    big_endian(number, crc32((const unsigned char *)out->data + start, 4 + n));
    buf_put(out, number, sizeof number);
}

/* The size on paper, pixels a metre. */
static void add_dpi(struct buf *out, double dpi)
{
    unsigned char data[9] = {0};
    uint32_t per_metre = (uint32_t)lround(dpi / 0.0254);
    big_endian(data, per_metre);
    big_endian(data + 4, per_metre);
    data[8] = 1;
    add_chunk(out, "pHYs", data, sizeof data);
}

/* UTF-8, not compressed, of no language. */
static void add_text(struct buf *out, const char *keyword, const char *text)
{
    struct buf data = {0};
    if (!*text)
        return;
    buf_put(&data, keyword, strlen(keyword) + 1);
    buf_put(&data, "\0\0\0\0", 4);
    buf_text(&data, text);
    add_chunk(out, "iTXt", data.data, data.n);
    buf_done(&data);
}

/* What cairo leaves out, after the header, which ends at byte 33: the size on paper, and where the picture comes from. */
static void describe_png(struct buf *png, const struct figure *f, const struct export_options *o)
{
    enum { HEADER = 33 };
    struct buf whole = {0};
    buf_put(&whole, png->data, HEADER);
    add_dpi(&whole, o->dpi);
    add_text(&whole, "Title", f->caption);
    add_text(&whole, "Source", f->source);
    add_text(&whole, "Software", "posviz " POSVIZ_VERSION);
    add_text(&whole, "Comment", o->command);
    buf_put(&whole, png->data + HEADER, png->n - HEADER);
    buf_done(png);
    *png = whole;
}

static cairo_status_t write_png(const struct figure *f, const struct export_options *o, struct buf *out)
{
    double scale = o->dpi / POINTS_PER_INCH;
    cairo_surface_t *s = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(page_width(f) * scale), (int)ceil(page_height(f) * scale));
    cairo_status_t status = cairo_surface_status(s);
    if (status == CAIRO_STATUS_SUCCESS) {
        draw_on(s, scale, f, o);
        status = cairo_surface_write_to_png_stream(s, append, out);
    }
    cairo_surface_destroy(s);
    if (status == CAIRO_STATUS_SUCCESS)
        describe_png(out, f, o);
    return status;
}

static cairo_status_t finish(cairo_surface_t *s, const struct figure *f, const struct export_options *o)
{
    draw_on(s, 1, f, o);
    cairo_surface_finish(s);
    cairo_status_t status = cairo_surface_status(s);
    cairo_surface_destroy(s);
    return status;
}

/* Tells viewers not to smooth between the samples of a heatmap. */
static void keep_samples_sharp(struct buf *svg)
{
    static const char TAG[] = "<image ";
    struct buf sharp = {0};
    char *text = buf_string(svg), *from = text;
    for (char *at; (at = strstr(from, TAG)); from = at + strlen(TAG)) {
        buf_put(&sharp, from, (size_t)(at - from));
        buf_text(&sharp, "<image style=\"image-rendering:pixelated\" ");
    }
    buf_text(&sharp, from);
    free(text);
    *svg = sharp;
}

static void add_element(struct buf *out, const char *name, const char *text)
{
    static const struct escape escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {0, NULL}};
    if (!*text)
        return;
    buf_format(out, "<%s xmlns=\"http://purl.org/dc/elements/1.1/\">", name);
    buf_escaped(out, text, escapes);
    buf_format(out, "</%s>", name);
}

/* Where the picture comes from, in the words of Dublin Core, behind the opening tag. */
static void describe_svg(struct buf *svg, const struct figure *f, const struct export_options *o)
{
    struct buf whole = {0};
    char *text = buf_string(svg), *tag = strstr(text, "<svg "), *end = tag ? strchr(tag, '>') : NULL;
    size_t head = end ? (size_t)(end + 1 - text) : 0;
    buf_put(&whole, text, head);
    if (head) {
        buf_text(&whole, "\n<metadata>");
        add_element(&whole, "title", f->caption);
        add_element(&whole, "source", f->source);
        add_element(&whole, "creator", "posviz " POSVIZ_VERSION);
        add_element(&whole, "description", o->command);
        buf_text(&whole, "</metadata>");
    }
    buf_text(&whole, text + head);
    free(text);
    *svg = whole;
}

static cairo_status_t write_svg(const struct figure *f, const struct export_options *o, struct buf *out)
{
    cairo_status_t status = finish(cairo_svg_surface_create_for_stream(append, out, page_width(f), page_height(f)), f, o);
    keep_samples_sharp(out);
    describe_svg(out, f, o);
    return status;
}

static void fixed_date(char *out, size_t size)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    time_t when = epoch ? (time_t)strtoll(epoch, NULL, 10) : 0;
    struct tm utc;
    strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&when, &utc));
}

static cairo_status_t write_pdf(const struct figure *f, const struct export_options *o, struct buf *out)
{
    char date[40];
    cairo_surface_t *s = cairo_pdf_surface_create_for_stream(append, out, page_width(f), page_height(f));
    fixed_date(date, sizeof date);
    cairo_pdf_surface_restrict_to_version(s, CAIRO_PDF_VERSION_1_4);       /* later ones may compress what the file says about itself */
    cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_TITLE, f->caption);
    cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_SUBJECT, f->source);
    cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_KEYWORDS, o->command);
    cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATOR, "posviz " POSVIZ_VERSION);
    cairo_pdf_surface_set_metadata(s, CAIRO_PDF_METADATA_CREATE_DATE, date);
    return finish(s, f, o);
}

static bool picture_write(const struct figure *f, enum picture_format format, const struct export_options *o, struct buf *out, struct err *err)
{
    static cairo_status_t (*const write[])(const struct figure *, const struct export_options *, struct buf *) = {
        [PICTURE_PNG] = write_png, [PICTURE_SVG] = write_svg, [PICTURE_PDF] = write_pdf,
    };
    cairo_status_t status = write[format](f, o, out);
    return status == CAIRO_STATUS_SUCCESS || err_set(err, N_("the picture cannot be drawn: %s"), cairo_status_to_string(status));
}

__attribute__((visibility("default"))) const struct picture_module posviz_picture = {
    .version = POSVIZ_VERSION,
    .figure_size = sizeof(struct figure),
    .panel_size = sizeof(struct panel),
    .write = picture_write,
};
