#include "app/screen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/keys.h"
#include "app/panel.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "figure/wrap.h"

enum { TINY_COLS = 30, TINY_ROWS = 8, BARE_COLS = 70, BARE_ROWS = 14, PANEL_FROM_COLS = 100, PANEL_MIN = 28, PANEL_WIDEST = 40,
       PROGRESS_AFTER = 300, PARAMETER_KEYS = 30,       /* PARAMETER_KEYS: cells kept for "[ ] parameter  < > change" */
       READOUT_ROWS = 2, TALL_ROWS = 24, ONE_READOUT_COLS = 200 };     /* most read-outs with their sources take under 200 cells */

/* ---- zones ---------------------------------------------------------------------------------------------- */

struct zones screen_zones(int rows, int cols, bool parameters)
{
    struct zones z = {.tiny = cols < TINY_COLS || rows < TINY_ROWS};
    if (z.tiny)
        return z;
    bool bare = cols < BARE_COLS || rows < BARE_ROWS, panel = parameters && !bare && cols >= PANEL_FROM_COLS;
    int top = 0, bottom = rows;
    if (!bare) {
        z.tabs = (struct rect){top++, 0, 1, cols};
        z.keys = (struct rect){--bottom, 0, 1, cols};
    }
    int readout = rows >= TALL_ROWS && cols < ONE_READOUT_COLS ? READOUT_ROWS : 1;
    bottom -= readout;
    z.readout = (struct rect){bottom, 0, readout, cols};
    if (!bare && !panel)
        z.folded = (struct rect){--bottom, 0, 1, cols};
    int width = cols / 4 < PANEL_MIN ? PANEL_MIN : cols / 4 > PANEL_WIDEST ? PANEL_WIDEST : cols / 4;
    if (panel)
        z.panel = (struct rect){top, cols - width, bottom - top, width};
    z.figure = (struct rect){top, 0, bottom - top, panel ? cols - width - 1 : cols};
    return z;
}

struct zones screen_zones_now(const struct app *app)
{
    bool none = panel_empty(app) && !app_in_lesson(app);
    struct zones z = screen_zones(app->rows, app->cols, !app_in_lesson(app) && !none);
    if (none) {
        z.figure.rows += z.folded.rows;
        z.folded.rows = 0;
    }
    return z;
}

struct rect screen_popup(const struct app *app, int cols, int rows)
{
    const struct canvas *c = app->canvas;
    int most_rows = c->rows - 3, most_cols = c->cols - 4;
    rows = rows < most_rows ? rows : most_rows;
    cols = cols < most_cols ? cols : most_cols;
    rows = rows > 1 ? rows : 1;
    cols = cols > 1 ? cols : 1;
    return (struct rect){c->rows > rows + 2 ? 1 : 0, (c->cols - cols) / 2, rows, cols};
}

void screen_hit(struct app *app, int y, int x, int cols, enum hit_kind kind, int index)
{
    if (app->n_hits < HITS_MAX && cols > 0)
        app->hit[app->n_hits++] = (struct hit){y, x, cols, kind, index};
}

/* ---- text ----------------------------------------------------------------------------------------------- */

void screen_line(struct app *app, int y, int x, int cells, const struct line *line, enum role role)
{
    char before[LINE_MAX_BYTES];
    memcpy(before, line->text, line->at);
    before[line->at] = '\0';
    const char *from = before;
    while (*from && utf8_width(from) > cells - 1)
        utf8_next(&from);
    canvas_text(app->canvas, y, x, cells, line->text + (from - before), role, 0);
    app->caret_y = y;
    app->caret_x = x + utf8_width(from);
}

int screen_paragraphs(struct app *app, struct rect r, const char *text, int first, enum role role)
{
    size_t n;
    struct text_line *line = wrap_text(text, r.cols, &n);
    for (int i = 0; i < r.rows && first + i < (int)n; i++) {
        const struct text_line *l = &line[first + i];
        char *copy = xasprintf("%.*s", (int)l->size, l->text);
        canvas_text(app->canvas, r.y + i, r.x + l->indent, r.cols - l->indent, copy, l->heading ? ROLE_ACCENT : role, l->heading ? ATTR_BOLD : 0);
        free(copy);
    }
    free(line);
    return (int)n;
}

/* ---- tabs ----------------------------------------------------------------------------------------------- */

static int tab_width(const struct app *app, int v)
{
    return utf8_width(app_text(app, views[v]->title)) + 2;
}

/* The first tab shown, so that the chosen one is in sight. */
static int first_tab(const struct app *app, int room)
{
    int first = 0, width = 0;
    for (int v = 0; v <= (int)app->s.view; v++)
        width += tab_width(app, v);
    while (width > room && first < (int)app->s.view)
        width -= tab_width(app, first++);
    return first;
}

static void draw_tabs(struct app *app, struct rect r)
{
    struct canvas *c = app->canvas;
    int x = r.x + 1 + canvas_text(c, r.y, r.x + 1, r.cols - 1, "posviz", ROLE_DIM, 0) + 1, end = r.x + r.cols - 5;
    int first = first_tab(app, end - x - 1);
    canvas_text(c, r.y, x, 1, first > 0 ? "‹" : " ", ROLE_DIM, 0);
    screen_hit(app, r.y, x++, first > 0, HIT_VIEW, first - 1);
    for (int v = first; v < VIEW_COUNT; v++) {
        bool chosen = v == (int)app->s.view;
        int width = tab_width(app, v);
        if (x + width > end) {
            canvas_text(c, r.y, end, 1, "›", ROLE_DIM, 0);
            screen_hit(app, r.y, x, end + 1 - x, HIT_VIEW, v);
            break;
        }
        canvas_text(c, r.y, x, 1, chosen ? c->ascii ? "[" : "▏" : " ", ROLE_ACCENT, 0);
        canvas_text(c, r.y, x + 1, width - 2, app_text(app, views[v]->title), chosen ? ROLE_ACCENT : ROLE_TEXT, chosen ? ATTR_BOLD : 0);
        canvas_text(c, r.y, x + width - 1, 1, chosen ? c->ascii ? "]" : "▕" : " ", ROLE_ACCENT, 0);
        screen_hit(app, r.y, x, width, HIT_VIEW, v);
        x += width;
    }
    canvas_text(c, r.y, r.x + r.cols - 2, 1, "?", ROLE_DIM, 0);
    screen_hit(app, r.y, r.x + r.cols - 3, 3, HIT_KEY, '?');
}

/* ---- figure --------------------------------------------------------------------------------------------- */

static void draw_figure(struct app *app, struct rect r)
{
    if (!app->figure)
        return;
    struct place at = navigate_pointer(app);
    if (at.panel >= 0)
        panel_follow(&app->figure->panel[at.panel], at.y);
    struct cursor linked[CURSOR_PANELS];
    struct draw_options options = {.map = app->s.map, .cursor = {at.panel, at.x, at.y}, .linked = linked, .lang = app->s.lang};
    options.n_linked = navigate_linked(app, linked, CURSOR_PANELS);
    figure_draw(app->figure, app->canvas, r.y, r.x, &options);
}

/* In the caption's line: that the picture was stopped before it was done. */
static void draw_incomplete(struct app *app, struct rect r)
{
    const char *text = app_text(app, N_(" not complete: Esc goes on "));
    int width = utf8_width(text), x = r.x + r.cols - width;
    if (app->complete || !app->asking || x < r.x)
        return;
    canvas_text(app->canvas, r.y, x, width, text, ROLE_WARNING, ATTR_BOLD);
    screen_hit(app, r.y, x, width, HIT_KEY, KEY_ESCAPE);
}

/* In the caption's line: what is being computed, once it takes long. */
static void draw_progress(struct app *app, struct rect r)
{
    if (!worker_computing(app->worker)) {
        draw_incomplete(app, r);
        return;
    }
    if (pace_now() - app->asked_at < PROGRESS_AFTER)
        return;
    struct canvas *c = app->canvas;
    double share = worker_progress(app->worker);
    char text[80];
    snprintf(text, sizeof text, app_text(app, N_(" %3.0f %%  Esc stops ")), 100 * share);
    int width = utf8_width(text), bar = 12, x = r.x + r.cols - width - bar - 1;
    if (x < r.x)
        return;
    canvas_fill(c, (struct rect){r.y, x, 1, width + bar + 1}, ' ', ROLE_TEXT, 0);
    canvas_fill(c, (struct rect){r.y, x + 1, 1, bar}, '.', ROLE_DIM, 0);
    canvas_bar(c, r.y, x + 1, bar, share * bar, app->s.theme->role[ROLE_ACCENT].fg);
    canvas_text(c, r.y, x + 1 + bar, width, text, ROLE_ACCENT, 0);
    screen_hit(app, r.y, x, width + bar + 1, HIT_KEY, KEY_ESCAPE);
}

static void draw_panel(struct app *app, struct rect r)
{
    struct canvas *c = app->canvas;
    for (int y = r.y; y < r.y + r.rows; y++)
        canvas_put(c, y, r.x - 1, c->ascii ? '|' : 0x2502, ROLE_DIM, 0);
    canvas_rule(c, r.y, r.x, r.cols, app_text(app, N_("parameters")), ROLE_DIM);
    panel_draw(app, (struct rect){r.y + 1, r.x, r.rows - 1, r.cols});
}

static void draw_panel_popup(struct app *app)
{
    struct rect r = screen_popup(app, 44, app->canvas->rows);
    canvas_fill(app->canvas, r, ' ', ROLE_POPUP, 0);
    panel_draw(app, (struct rect){r.y, r.x + 1, r.rows, r.cols - 2});
}

/* ---- read-out ------------------------------------------------------------------------------------------- */

static char *value_of(const struct readout *o)
{
    char number[64];
    return *o->value_text ? format_sentence(o->value_text) : xstrdup(format_number(number, sizeof number, o->value, 6));
}

struct segment { const char *text; enum role role; unsigned attr; };

/* The part from..to of the segments put together, at a row's cell x; returns where it ends. */
static int draw_part(struct canvas *c, int y, int x, int end, const struct segment *part, size_t n, size_t from, size_t to)
{
    size_t at = 0;
    for (size_t i = 0; i < n && at < to; i++) {
        size_t size = strlen(part[i].text), first = from > at ? from - at : 0, last = to - at < size ? to - at : size;
        if (first < last && x < end) {
            char *run = xasprintf("%.*s", (int)(last - first), part[i].text + first);
            x += canvas_text(c, y, x, end - x, run, part[i].role, part[i].attr);
            free(run);
        }
        at += size;
    }
    return x;
}

/* One text of several looks, broken at spaces into the rows of r; what the last row cannot hold is cut. Returns where it ends there. */
static int draw_flow(struct canvas *c, struct rect r, const struct segment *part, size_t n)
{
    struct buf text = {0};
    buf_text(&text, " ");                   /* what begins with "- " or "# " is no list here */
    for (size_t i = 0; i < n; i++)
        buf_text(&text, part[i].text);
    char *whole = buf_string(&text);
    size_t lines;
    struct text_line *line = wrap_text(whole, r.cols - 1, &lines);
    int x = r.x + 1, end = r.x + r.cols - 1;
    for (int i = 0; i < r.rows; i++) {
        x = r.x + 1;
        if ((size_t)i >= lines)
            continue;
        size_t from = (size_t)(line[i].text - whole), to = i + 1 < r.rows ? from + line[i].size : strlen(whole);
        x = draw_part(c, r.y + i, x, end, part, n, from > 0 ? from - 1 : 0, to - 1);
    }
    free(line);
    free(whole);
    return x;
}

static size_t rows_of(const char *text, int cols)
{
    size_t n;
    free(wrap_text(text, cols, &n));
    return n;
}

/* A message without room loses the middle of its longest word, which is a path, so that what is said of it stays. The caller frees it. */
static char *fit_message(const char *text, struct rect r)
{
    enum { LEAST = 16 };
    const char *word = text, *from = text;
    for (const char *at = text; *at; from = at + strspn(at, " ")) {
        at = from + strcspn(from, " ");
        word = at - from > (long)strcspn(word, " ") ? from : word;
    }
    size_t size = strcspn(word, " "), whole = (size_t)r.rows;
    char *longest = xasprintf("%.*s", (int)size, word), *fitted = xstrdup(text);
    for (int keep = utf8_width(longest) - 1; keep >= LEAST && rows_of(fitted, r.cols - 2) > whole; keep--) {
        const char *end = longest + utf8_fit(longest, keep / 2);
        while (utf8_width(end) > keep - keep / 2)
            utf8_next(&end);
        free(fitted);
        fitted = xasprintf("%.*s%.*s…%s%s", (int)(word - text), text, (int)utf8_fit(longest, keep / 2), longest, end, word + size);
    }
    free(longest);
    return fitted;
}

/* "pair 29 = 0.0021   formula with its numbers                      source" */
static void draw_readout(struct app *app, struct rect r)
{
    struct canvas *c = app->canvas;
    const struct readout *o = &app->readout;
    if (*app->message) {
        char *message = fit_message(app->message, r);
        draw_flow(c, r, &(struct segment){message, app->message_role, ATTR_BOLD}, 1);
        free(message);
        return;
    }
    if (!o->known)
        return;
    bool old = app->probe_waiting;          /* still that of the place or parameter before */
    char *name = o->quotes ? xstrdup(o->name) : format_sentence(o->name), *value = value_of(o), *formula = format_sentence(o->formula);
    struct segment part[] = {{name, ROLE_TEXT, 0}, {*o->value_text ? "  " : " = ", ROLE_DIM, 0},
                             {value, old ? ROLE_DIM : ROLE_ACCENT, old ? 0 : ATTR_BOLD}, {"  ", ROLE_TEXT, 0}, {formula, ROLE_TEXT, 0}};
    int x = draw_flow(c, r, part, sizeof part / sizeof *part) + 2, end = r.x + r.cols - 1;
    free(name);
    free(value);
    free(formula);
    if (x + utf8_width(o->source) <= end)
        canvas_text_right(c, r.y + r.rows - 1, x, end - x, o->source, ROLE_DIM, 0);
}

/* ---- keys ----------------------------------------------------------------------------------------------- */

/* "space play": returns where the next may start: at x still, if this one did not fit. */
static int draw_key(struct app *app, int y, int x, int end, const char *keys, const char *label, uint32_t key)
{
    int width = utf8_width(keys) + 1 + utf8_width(label);
    if (x + width > end)
        return x;
    int at = x + canvas_text(app->canvas, y, x, end - x, keys, ROLE_ACCENT, 0) + 1;
    canvas_text(app->canvas, y, at, end - at, label, ROLE_DIM, 0);
    screen_hit(app, y, x, width, HIT_KEY, (int)key);
    return x + width + 2;
}

static int draw_view_keys(struct app *app, int y, int x, int end)
{
    const struct view *v = views[app->s.view];
    char keys[80];
    bool ascii = app->canvas->ascii;
    if (app_in_lesson(app))
        x = draw_key(app, y, x, end, key_name(KEY_CODE_PAGE_DOWN, ascii, keys, sizeof keys), app_text(app, N_("next step")), KEY_CODE_PAGE_DOWN);
    if (v->suits && v->suits(&app->s) && v->preset)
        return draw_key(app, y, x, end, key_name(KEY_RETURN, ascii, keys, sizeof keys), app_text(app, N_("show it at its best")), KEY_RETURN);
    for (size_t i = 0; i < v->n_actions; i++)
        if (v->actions[i].footer && (!v->offers || v->offers(&app->s, v->actions[i].id)))
            x = draw_key(app, y, x, end, keys_of_view(&v->actions[i], ascii, keys, sizeof keys), app_text(app, v->actions[i].help),
                         v->actions[i].key);
    return x;
}

/* A framework's action with its keys and word; of a pair both keys, if they are short. */
static int draw_framework_key(struct app *app, int y, int x, int end, const struct app_action *a)
{
    char first[24], second[24], keys[60];
    key_name(a->key, app->canvas->ascii, first, sizeof first);
    bool both = a->pair && utf8_width(key_name(a[1].key, app->canvas->ascii, second, sizeof second)) <= 2;
    snprintf(keys, sizeof keys, "%s%s%s", first, both ? " " : "", both ? second : "");
    int next = draw_key(app, y, x, end, keys, app_text(app, a->footer), both ? a[1].key : a->key);
    if (both && next > x)
        screen_hit(app, y, x, utf8_width(first), HIT_KEY, (int)a->key);
    return next;
}

/* "▶", with the frames a second where the terminal cannot take all of them. Returns the cells it takes before end. */
static int draw_playing(struct app *app, int y, int end)
{
    char text[24];
    const char *sign = app->canvas->ascii ? ">" : "▶";
    if (app->pace.fps < app->pace.most)
        snprintf(text, sizeof text, "%s %d/s", sign, app->pace.fps);
    else
        snprintf(text, sizeof text, "%s", sign);
    int width = utf8_width(text) + 1;
    canvas_text(app->canvas, y, end - width, width, text, ROLE_GOOD, ATTR_BOLD);
    screen_hit(app, y, end - width, width, HIT_KEY, ' ');
    return width;
}

/* The view's keys, the framework's as far as there is room, and at the right end what must always be there: help and language. */
static void draw_keys(struct app *app, struct rect r)
{
    const struct view *v = views[app->s.view];
    const struct app_action *help = keys_framework('?');
    const struct canvas *c = app->canvas;
    const char *other = app->s.lang != LANG_EN ? "English" : c->ascii && !c->certain ? "Chinese" : "中文";
    int language = r.x + r.cols - 3 - utf8_width(other), end = language - 4 - utf8_width(app_text(app, help->footer));
    draw_framework_key(app, r.y, end, language, help);
    draw_key(app, r.y, language, r.x + r.cols, "L", other, 'L');
    if (app->playing)
        end -= draw_playing(app, r.y, end);
    bool parameters = !panel_empty(app);
    int x = draw_view_keys(app, r.y, r.x + 1, end - (parameters ? PARAMETER_KEYS : 0));
    for (size_t i = 0; i < n_app_actions; i++) {
        const struct app_action *a = &app_actions[i];
        if (a->footer && a != help && !keys_view(v, a->key) && (v->plays || !a->needs_clock) && (parameters || !a->needs_parameter))
            x = draw_framework_key(app, r.y, x, end - 2, a);
    }
}

/* ---- all ------------------------------------------------------------------------------------------------ */

static void draw_tiny(struct app *app)
{
    canvas_textf(app->canvas, 0, 0, app->canvas->cols, ROLE_WARNING, 0, app_text(app, N_("needs %d x %d cells")), TINY_COLS, TINY_ROWS);
}

void screen_draw(struct app *app)
{
    struct zones z = screen_zones_now(app);
    canvas_clear(app->canvas);
    app->n_hits = 0;
    app->caret_y = -1;
    if (z.tiny) {
        draw_tiny(app);
        return;
    }
    draw_figure(app, z.figure);
    draw_progress(app, z.figure);
    if (z.tabs.rows)
        draw_tabs(app, z.tabs);
    if (z.panel.rows)
        draw_panel(app, z.panel);
    if (z.folded.rows)
        panel_draw_folded(app, z.folded);
    draw_readout(app, z.readout);
    if (z.keys.rows)
        draw_keys(app, z.keys);
    if (app->panel_open && !z.panel.rows)
        draw_panel_popup(app);
    if (app->overlay)
        app->overlay->draw(app);
}
