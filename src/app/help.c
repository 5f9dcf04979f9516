#include "app/help.h"

#include <stdlib.h>
#include <string.h>

#include "app/keys.h"
#include "app/screen.h"
#include "app/state.h"
#include "base/buf.h"
#include "base/utf8.h"

/* ---- the text ------------------------------------------------------------------------------------------- */

/* Keys in a column of their own. */
static void add_key(struct buf *t, const char *keys, const char *what)
{
    int pad = 18 - utf8_width(keys);
    buf_format(t, "- %s%*s%s\n", keys, pad > 1 ? pad : 1, "", what);
}

static void add_view(const struct app *app, struct buf *t)
{
    const struct view *v = views[app->s.view];
    char keys[80];
    buf_format(t, "# %s\n%s\n\n", app_text(app, v->title), app_text(app, v->help));
    add_key(t, ":lesson keys", app_text(app, N_("learn the keys in two minutes, by doing")));
    for (size_t i = 0; i < v->n_actions; i++)
        add_key(t, keys_of_view(&v->actions[i], app->canvas->ascii, keys, sizeof keys), app_text(app, v->actions[i].help));
    buf_text(t, "\n");
}

static void add_encodings(const struct app *app, struct buf *t)
{
    for (size_t i = 0; i < app->s.n_items; i++) {
        const struct encoding *e = app->s.item[i].kind;
        buf_format(t, "# %s\n%s\n%s\n\n", app_text(app, e->title), app_text(app, e->help), e->cite ? e->cite : "");
    }
}

static void add_keys(const struct app *app, struct buf *t)
{
    const char *group = "";
    for (size_t i = 0; i < n_app_actions; i++) {
        const struct app_action *a = &app_actions[i];
        char keys[80];
        if (strcmp(group, a->group))
            buf_format(t, "%s# %s\n", *group ? "\n" : "", app_text(app, a->group));
        group = a->group;
        add_key(t, keys_of_framework(a, app->canvas->ascii, keys, sizeof keys), app_text(app, a->help));
        i += a->pair;
    }
}

char *help_text(const struct app *app)
{
    struct buf t = {0};
    add_view(app, &t);
    add_encodings(app, &t);
    add_keys(app, &t);
    return buf_string(&t);
}

/* ---- the popup ------------------------------------------------------------------------------------------- */

void help_open(struct app *app)
{
    app->help.first = 0;
    app->overlay = &help_overlay;
}

static void key(struct app *app, uint32_t key)
{
    int page = app->rows > 8 ? app->rows - 6 : 1;
    struct help *h = &app->help;
    switch (key) {
    case KEY_CODE_UP: case 'k':         h->first--; break;
    case KEY_CODE_DOWN: case 'j':       h->first++; break;
    case KEY_CODE_PAGE_UP:              h->first -= page; break;
    case KEY_CODE_PAGE_DOWN: case ' ':  h->first += page; break;
    case KEY_CODE_HOME:                 h->first = 0; break;
    case KEY_CODE_END:                  h->first = h->last; break;
    default:                            app->overlay = NULL; break;
    }
}

static void draw(struct app *app)
{
    struct canvas *c = app->canvas;
    struct help *h = &app->help;
    struct rect r = screen_popup(app, 84, c->rows);
    char *text = help_text(app);
    canvas_fill(c, r, ' ', ROLE_POPUP, 0);
    h->first = h->first < 0 ? 0 : h->first > h->last ? h->last : h->first;
    int n = screen_paragraphs(app, (struct rect){r.y, r.x + 2, r.rows, r.cols - 4}, text, h->first, ROLE_POPUP);
    h->last = n > r.rows ? n - r.rows : 0;
    if (h->first < h->last)
        canvas_text(c, r.y + r.rows - 1, r.x + r.cols - 2, 1, "↓", ROLE_ACCENT, 0);
    free(text);
}

const struct overlay help_overlay = {.key = key, .draw = draw};
