#include "app/prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/screen.h"
#include "app/state.h"
#include "base/mem.h"
#include "base/utf8.h"

void prompt_open(struct app *app, const char *label, const char *before, const char *text)
{
    struct prompt *p = &app->prompt;
    snprintf(p->label, sizeof p->label, "%s", label);
    snprintf(p->before, sizeof p->before, "%s", before);
    line_set(&p->line, text);
    p->suggested = 0;
    p->past_at = p->n_past;
    p->completing = -1;
    p->completions.n = 0;
    app->overlay = &prompt_overlay;
}

void prompt_done(struct prompt *p)
{
    for (size_t i = 0; i < p->n_past; i++)
        free(p->past[i]);
    p->n_past = 0;
}

/* ---- history ------------------------------------------------------------------------------------------- */

static void remember(struct prompt *p, const char *line)
{
    if (!*line || (p->n_past && !strcmp(p->past[p->n_past - 1], line)))
        return;
    if (p->n_past == PROMPT_PAST_MAX) {
        free(p->past[0]);
        memmove(&p->past[0], &p->past[1], (PROMPT_PAST_MAX - 1) * sizeof *p->past);
        p->n_past--;
    }
    p->past[p->n_past++] = xstrdup(line);
}

static void recall(struct prompt *p, int step)
{
    if ((step < 0 && p->past_at == 0) || (step > 0 && p->past_at >= p->n_past))
        return;
    p->past_at += (size_t)step;
    line_set(&p->line, p->past_at < p->n_past ? p->past[p->past_at] : "");
}

/* ---- completion ---------------------------------------------------------------------------------------- */

/* The longest beginning that all completions share. */
static size_t common(const struct completions *c)
{
    size_t n = strlen(c->at[0].text);
    for (size_t i = 1; i < c->n; i++) {
        size_t k = 0;
        while (k < n && c->at[i].text[k] == c->at[0].text[k])
            k++;
        n = k;
    }
    while (n && ((unsigned char)c->at[0].text[n] & 0xc0) == 0x80)
        n--;
    return n;
}

/* The first Tab completes what is certain, further ones go through the choices. */
static void complete(struct app *app, int step)
{
    struct prompt *p = &app->prompt;
    struct completions *c = &p->completions;
    if (p->completing < 0) {
        char line[LINE_MAX_BYTES + sizeof p->before];
        size_t before = strlen(p->before);
        snprintf(line, sizeof line, "%s%.*s", p->before, (int)p->line.at, p->line.text);
        words_complete(app, line, c);
        if (!c->n || c->from < before) {
            c->n = 0;
            return;
        }
        c->from -= before;
        size_t n = common(c);
        if (c->n == 1 || n > p->line.at - c->from) {
            char text[sizeof c->at[0].text + 1];
            snprintf(text, sizeof text, "%.*s%s", (int)n, c->at[0].text, c->n == 1 && !strchr("=/", c->at[0].text[n - 1]) ? " " : "");
            line_replace(&p->line, c->from, text);
            c->n = c->n == 1 ? 0 : c->n;
            return;
        }
        p->completing = step > 0 ? -1 : 0;
    }
    int n = (int)c->n;
    p->completing = ((p->completing + step) % n + n) % n;
    line_replace(&p->line, c->from, c->at[p->completing].text);
}

/* ---- keys ---------------------------------------------------------------------------------------------- */

static void run(struct app *app)
{
    struct prompt *p = &app->prompt;
    char *line = xasprintf("%s%s", p->before, p->line.text);
    struct err err = {.lang = app->s.lang};
    if (!*p->before)
        remember(p, line);
    app->overlay = NULL;
    if (*p->line.text && !words_run(app, line, &err))
        app_fail(app, &err);
    free(line);
}

static void key(struct app *app, uint32_t key)
{
    struct prompt *p = &app->prompt;
    if (p->suggested && line_types(key))
        line_replace(&p->line, p->suggested, "");
    p->suggested = 0;
    if (key == KEY_TAB || key == KEY_CODE_SHIFT_TAB) {
        complete(app, key == KEY_TAB ? 1 : -1);
        return;
    }
    p->completing = -1;
    p->completions.n = 0;
    if (key == KEY_RETURN)
        run(app);
    else if (key == KEY_ESCAPE || (key == KEY_CODE_BACKSPACE && !*p->line.text))
        app->overlay = NULL;
    else if (key == KEY_CODE_UP || key == KEY_CODE_DOWN)
        recall(p, key == KEY_CODE_UP ? -1 : 1);
    else
        line_key(&p->line, key);
}

/* ---- drawing ------------------------------------------------------------------------------------------- */

static void draw_completions(struct app *app, int y)
{
    const struct prompt *p = &app->prompt;
    const struct completions *c = &p->completions;
    struct canvas *canvas = app->canvas;
    canvas_fill(canvas, (struct rect){y, 0, 1, canvas->cols}, ' ', ROLE_POPUP, 0);
    int x = 1, first = p->completing > 0 ? p->completing : 0;
    for (int i = first; i < (int)c->n && x < canvas->cols; i++) {
        x += canvas_text(canvas, y, x, canvas->cols - x, c->at[i].text, i == p->completing ? ROLE_SELECTED : ROLE_POPUP, 0);
        if (i == p->completing && c->at[i].help)
            x += 1 + canvas_text(canvas, y, x + 1, canvas->cols - x - 1, app_text(app, c->at[i].help), ROLE_POPUP, ATTR_DIM);
        x += 2;
    }
}

static void draw(struct app *app)
{
    const struct prompt *p = &app->prompt;
    struct canvas *canvas = app->canvas;
    int y = canvas->rows - 1;
    canvas_fill(canvas, (struct rect){y, 0, 1, canvas->cols}, ' ', ROLE_TEXT, 0);
    int x = canvas_text(canvas, y, 0, canvas->cols, p->label, ROLE_ACCENT, ATTR_BOLD);
    screen_line(app, y, x, canvas->cols - x, &p->line, ROLE_TEXT);
    if (p->suggested) {
        const char *rest = p->line.text + p->suggested;
        x = app->caret_x - utf8_width(rest);
        canvas_text(canvas, y, x, canvas->cols - x, rest, ROLE_SELECTED, 0);
    }
    if (p->completions.n && y > 0)
        draw_completions(app, y - 1);
}

const struct overlay prompt_overlay = {.key = key, .draw = draw, .typing = true};
