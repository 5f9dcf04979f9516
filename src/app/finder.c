#include "app/finder.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/keys.h"
#include "app/panel.h"
#include "app/screen.h"
#include "app/state.h"
#include "base/mem.h"
#include "scenario/tour.h"

/* ---- matching ------------------------------------------------------------------------------------------ */

enum { SCORE_LETTER = 1, SCORE_RUN = 4, SCORE_WORD_START = 6, SCORE_BEGINNING = 8 };

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static bool starts_word(const char *text, size_t i)
{
    return i == 0 || strchr(" -_/.(=", text[i - 1]) != NULL;
}

/* The best of greedy matches that begin at each place of the first letter. */
int finder_score(const char *query, const char *text)
{
    int best = 0;
    for (size_t start = 0; text[start] && *query; start++) {
        if (!same_letter(text[start], *query))
            continue;
        int score = start == 0 ? SCORE_BEGINNING : 1;
        const char *q = query;
        bool run = false;
        for (size_t i = start; text[i] && *q; i++) {
            if (!same_letter(text[i], *q)) {
                run = false;
                continue;
            }
            score += SCORE_LETTER + (run ? SCORE_RUN : 0) + (starts_word(text, i) ? SCORE_WORD_START : 0);
            run = true;
            q++;
        }
        if (!*q && score > best)
            best = score;
    }
    return best;
}

/* Every word of the query must match somewhere; the name counts double. */
static int score_entry(const struct find *e, const char *kind, const char *query)
{
    char copy[LINE_MAX_BYTES], *save = NULL;
    snprintf(copy, sizeof copy, "%s", query);
    int sum = 0;
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        int name = 2 * finder_score(word, e->name), help = strstr(e->help, word) ? SCORE_BEGINNING : 0;
        int group = strncmp(kind, word, strlen(word)) ? 0 : SCORE_BEGINNING;
        int most = name > help ? name : help;
        most = most > group ? most : group;
        if (!most)
            return 0;
        sum += most;
    }
    return sum + 1;
}

static int by_score(const void *a, const void *b)
{
    const struct match *x = a, *y = b;
    return x->score != y->score ? y->score - x->score : (x->entry > y->entry) - (x->entry < y->entry);
}

static void narrow(struct app *app)
{
    struct finder *f = &app->finder;
    f->n_match = f->chosen = 0;
    for (size_t i = 0; i < f->n; i++) {
        int score = score_entry(&f->entry[i], app_text(app, f->entry[i].kind), f->query.text);
        if (score)
            f->match[f->n_match++] = (struct match){score, i};
    }
    qsort(f->match, f->n_match, sizeof *f->match, by_score);
}

void finder_narrow(struct app *app, const char *text)
{
    line_set(&app->finder.query, text);
    narrow(app);
}

/* ---- the entries --------------------------------------------------------------------------------------- */

static void add(struct app *app, const char *kind, const char *name, const char *help, const char *word)
{
    struct finder *f = &app->finder;
    f->entry = xreallocarray(f->entry, f->n + 1, sizeof *f->entry);
    struct find *e = &f->entry[f->n++];
    *e = (struct find){.kind = kind};
    snprintf(e->name, sizeof e->name, "%s", name);
    snprintf(e->help, sizeof e->help, "%s", help ? app_text(app, help) : "");
    snprintf(e->command, sizeof e->command, "%s%s%s", word, *word ? " " : "", name);
}

/* A preset's title in the language of the screen. */
static void add_presets(struct app *app)
{
    for (size_t i = 0; presets[i].id; i++) {
        bool model = !strncmp(presets[i].id, "models/", 7), encoding = !strncmp(presets[i].id, "encodings/", 10);
        struct json *preset = model || encoding ? json_parse(presets[i].text, presets[i].size, NULL) : NULL;
        const char *title = json_string(json_get(json_get(preset, "title"), lang_name(app->s.lang)));
        if (preset)
            add(app, model ? N_("model") : N_("preset"), presets[i].id, title, "preset");
        json_free(preset);
    }
}

static void add_lessons(struct app *app)
{
    for (size_t i = 0; presets[i].id; i++) {
        struct tour *t = tour_of(&presets[i]) ? tour_load(tour_of(&presets[i]), NULL) : NULL;
        if (t)
            add(app, N_("lesson"), t->id, t->title[app->s.lang], "lesson");
        tour_free(t);
    }
}

static void add_actions(struct app *app)
{
    const struct view *v = views[app->s.view];
    for (size_t i = 0; i < v->n_actions; i++)
        add(app, N_("action"), v->actions[i].name, v->actions[i].help, "");
    for (size_t i = 0; i < n_app_actions; i++)
        add(app, N_("action"), app_actions[i].name, app_actions[i].help, "");
}

static void collect(struct app *app)
{
    for (int v = 0; v < VIEW_COUNT; v++)
        add(app, N_("view"), views[v]->id, views[v]->title, "view");
    for (size_t i = 0; encodings[i]; i++)
        add(app, N_("encoding"), encodings[i]->id, encodings[i]->title, "encoding");
    add_presets(app);
    add_lessons(app);
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    size_t n = scenario_params(&app->s, refs, SCENARIO_MAX_PARAMS);
    for (size_t i = 0; i < n; i++)
        add(app, N_("parameter"), refs[i].param->name, refs[i].param->help, "param");
    add_actions(app);
    app->finder.match = xcalloc(app->finder.n + 1, sizeof *app->finder.match);
}

void finder_open(struct app *app)
{
    finder_done(&app->finder);
    collect(app);
    narrow(app);
    app->overlay = &finder_overlay;
}

void finder_done(struct finder *f)
{
    free(f->entry);
    free(f->match);
    *f = (struct finder){.n = 0};
}

enum { FINDER_ROWS = 20 };

/* ---- keys and drawing ------------------------------------------------------------------------------------ */

static void run(struct app *app)
{
    const struct finder *f = &app->finder;
    struct err err = {.lang = app->s.lang};
    app->overlay = NULL;
    if (f->chosen < f->n_match && !words_run(app, f->entry[f->match[f->chosen].entry].command, &err))
        app_fail(app, &err);
}

static void pick(struct app *app, int index)
{
    app->finder.chosen = (size_t)index;
    run(app);
}

static void key(struct app *app, uint32_t key)
{
    struct finder *f = &app->finder;
    size_t last = f->n_match ? f->n_match - 1 : 0, page = 10;
    if (key == KEY_ESCAPE || (key == KEY_CODE_BACKSPACE && !*f->query.text))
        app->overlay = NULL;
    else if (key == KEY_RETURN)
        run(app);
    else if (key == KEY_CODE_UP || key == KEY_CODE_SHIFT_TAB)
        f->chosen -= f->chosen > 0;
    else if (key == KEY_CODE_DOWN || key == KEY_TAB)
        f->chosen += f->chosen < last;
    else if (key == KEY_CODE_PAGE_UP)
        f->chosen -= f->chosen < page ? f->chosen : page;
    else if (key == KEY_CODE_PAGE_DOWN)
        f->chosen = f->chosen + page < last ? f->chosen + page : last;
    else if (line_key(&f->query, key))
        narrow(app);
}

static void draw_entry(struct app *app, struct rect r, const struct find *e, bool chosen)
{
    struct canvas *c = app->canvas;
    enum role role = chosen ? ROLE_SELECTED : ROLE_POPUP;
    canvas_fill(c, r, ' ', role, 0);
    int kind = 10, name = r.cols - kind - 3 < 28 ? r.cols - kind - 3 : 28, x = r.x + 1;
    canvas_text(c, r.y, x, kind, app_text(app, e->kind), role, chosen ? 0 : ATTR_DIM);
    canvas_text(c, r.y, x + kind + 1, name, e->name, role, chosen ? ATTR_BOLD : 0);
    int left = r.x + r.cols - (x + kind + name + 2);
    if (left > 4)
        canvas_text(c, r.y, x + kind + name + 2, left - 1, e->help, role, chosen ? 0 : ATTR_DIM);
}

static void draw(struct app *app)
{
    const struct finder *f = &app->finder;
    struct rect r = screen_popup(app, 90, FINDER_ROWS);
    int rows = r.rows - 1, first = (int)f->chosen < rows ? 0 : (int)f->chosen - rows + 1;
    canvas_fill(app->canvas, r, ' ', ROLE_POPUP, 0);
    int x = r.x + 1 + canvas_text(app->canvas, r.y, r.x + 1, r.cols - 2, "/ ", ROLE_POPUP, ATTR_BOLD);
    screen_line(app, r.y, x, r.x + r.cols - 1 - x, &f->query, ROLE_POPUP);
    for (int i = 0; i < rows && first + i < (int)f->n_match; i++) {
        draw_entry(app, (struct rect){r.y + 1 + i, r.x, 1, r.cols}, &f->entry[f->match[first + i].entry], first + i == (int)f->chosen);
        screen_hit(app, r.y + 1 + i, r.x, r.cols, HIT_ENTRY, first + i);
    }
    if (!f->n_match && rows > 0)
        canvas_text(app->canvas, r.y + 1, r.x + 3, r.cols - 4, app_text(app, N_("nothing matches; fewer letters find more")), ROLE_POPUP, 0);
}

const struct overlay finder_overlay = {.key = key, .draw = draw, .pick = pick, .typing = true};
