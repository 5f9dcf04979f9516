#include "app/cast.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/mem.h"
#include "json/json.h"
#include "term/frame.h"

struct cast {
    char *title;
    struct codes codes;
    struct frame *frame;            /* NULL before the first canvas */
    int rows, cols;                 /* of the first canvas, for the header */
    int rows_now, cols_now;
    struct buf events;
};

static const struct codes plainest = {
    .clear = "\033[H\033[2J", .plain = "\033[0m", .bold = "\033[1m", .dim = "\033[2m", .underline = "\033[4m", .reverse = "\033[7m",
    .hide_cursor = "\033[?25l", .show_cursor = "\033[?25h",
    .bright = true, .ansi = true,
};

struct cast *cast_new(const char *title)
{
    struct cast *cast = xcalloc(1, sizeof *cast);
    cast->title = xstrdup(title);
    cast->codes = plainest;
    for (int i = 0; i < 16; i++) {
        cast->codes.fore[i] = xasprintf("\033[%dm", i < 8 ? 30 + i : 82 + i);
        cast->codes.back[i] = xasprintf("\033[%dm", i < 8 ? 40 + i : 92 + i);
    }
    return cast;
}

void cast_free(struct cast *cast)
{
    if (!cast)
        return;
    for (int i = 0; i < 16; i++) {
        free(cast->codes.fore[i]);
        free(cast->codes.back[i]);
    }
    frame_free(cast->frame);
    buf_done(&cast->events);
    free(cast->title);
    free(cast);
}

/* One line: [seconds, "o", "text"]. */
static void put_event(struct cast *cast, double seconds, const char *kind, const char *text)
{
    struct json *string = json_new_string(text);
    char *quoted = json_print(string, false), *line = xasprintf("[%.3f, \"%s\", %s]\n", seconds, kind, quoted);
    buf_text(&cast->events, line);
    free(line);
    free(quoted);
    json_free(string);
}

static void take_size(struct cast *cast, double seconds, const struct canvas *c)
{
    char size[32];
    if (!cast->frame) {
        cast->codes.depth = c->depth;
        cast->frame = frame_new(&cast->codes);
        cast->rows = c->rows;
        cast->cols = c->cols;
    } else if (c->rows != cast->rows_now || c->cols != cast->cols_now) {
        snprintf(size, sizeof size, "%dx%d", c->cols, c->rows);
        put_event(cast, seconds, "r", size);
    }
    cast->rows_now = c->rows;
    cast->cols_now = c->cols;
}

void cast_frame(struct cast *cast, double seconds, const struct canvas *c, int cursor_y, int cursor_x)
{
    struct buf bytes = {0};
    take_size(cast, seconds, c);
    frame_compose(cast->frame, &bytes, c, c->rows, c->cols, cursor_y, cursor_x);
    char *text = buf_string(&bytes);
    if (*text)
        put_event(cast, seconds, "o", text);
    free(text);
}

void cast_marker(struct cast *cast, double seconds, const char *label)
{
    put_event(cast, seconds, "m", label);
}

void cast_end(struct cast *cast, double seconds)
{
    put_event(cast, seconds, "o", "");
}

bool cast_write(const struct cast *cast, const char *path, bool force, struct err *err)
{
    struct buf out = {0};
    struct json *header = json_object(), *env = json_object();
    json_set_number(header, "version", 2);
    json_set_number(header, "width", cast->cols);
    json_set_number(header, "height", cast->rows);
    json_set_string(header, "title", cast->title);
    json_set_string(json_set(header, "env", env), "TERM", "xterm-256color");
    char *text = json_print(header, false);
    buf_text(&out, text);
    buf_text(&out, "\n");
    buf_put(&out, cast->events.data, cast->events.n);
    bool good = file_write(path, out.data, out.n, force, err);
    free(text);
    json_free(header);
    buf_done(&out);
    return good;
}
