/* text.c - txt and ansi: the figure as the screen shows it, without and with colours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "export/export.h"
#include "figure/draw.h"

static bool write_canvas(const struct figure *f, const struct export_options *o, enum color_depth depth, struct buf *out)
{
    struct canvas *c = canvas_new(f->rows, f->cols, o->theme, depth, o->ascii);
    struct draw_options draw = {.map = o->map, .cursor = {-1, NAN, NAN}, .lang = o->lang};
    figure_draw(f, c, 0, 0, &draw);
    char *text = canvas_to_text(c, depth != DEPTH_MONO);
    buf_text(out, text);
    free(text);
    canvas_free(c);
    return true;
}

static bool write_txt(const struct figure *f, const struct export_options *o, struct buf *out, struct err *err)
{
    (void)err;
    return write_canvas(f, o, DEPTH_MONO, out);
}

static bool write_ansi(const struct figure *f, const struct export_options *o, struct buf *out, struct err *err)
{
    (void)err;
    return write_canvas(f, o, o->depth, out);
}

static int one_row(const struct export_options *o)
{
    (void)o;
    return 1;
}

static int rows_by_depth(const struct export_options *o)
{
    return o->depth >= DEPTH_256 && !o->ascii ? 2 : 1;
}

const struct export_format export_txt = {
    .extension = "txt", .help = N_("the screen as plain text"), .heat_rows = one_row, .write = write_txt,
};
const struct export_format export_ansi = {
    .extension = "ansi", .help = N_("the screen with colours, for cat"), .heat_rows = rows_by_depth, .write = write_ansi,
};
