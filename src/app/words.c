#include "app/words.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/command_line.h"
#include "app/copy.h"
#include "app/keys.h"
#include "app/panel.h"
#include "app/state.h"
#include "app/userdir.h"
#include "base/file.h"
#include "base/mem.h"
#include "scenario/tour.h"
#include "base/shell.h"
#include "model/store.h"

/* ---- completion: lists of ids ------------------------------------------------------------------------- */

static void offer(struct completions *c, const char *start, const char *text, const char *help)
{
    if (c->n == COMPLETIONS_MAX || strncmp(text, start, strlen(start)))
        return;
    for (size_t i = 0; i < c->n; i++)
        if (!strcmp(c->at[i].text, text))
            return;
    snprintf(c->at[c->n].text, sizeof c->at[c->n].text, "%s", text);
    c->at[c->n++].help = help;
}

static void offer_views(const struct app *app, const char *start, struct completions *c)
{
    (void)app;
    for (int v = 0; v < VIEW_COUNT; v++)
        offer(c, start, views[v]->id, views[v]->title);
}

static void offer_encodings(const struct app *app, const char *start, struct completions *c)
{
    (void)app;
    const char *plus = strrchr(start, '+');
    size_t head = plus ? (size_t)(plus + 1 - start) : 0;
    c->from += head;
    for (size_t i = 0; encodings[i]; i++)
        offer(c, start + head, encodings[i]->id, encodings[i]->title);
    if (!head)
        offer(c, start, "none", NULL);
}

static void offer_presets(const struct app *app, const char *start, struct completions *c)
{
    (void)app;
    for (size_t i = 0; presets[i].id; i++)
        if (strchr(presets[i].id, '/'))
            offer(c, start, presets[i].id, NULL);
}

static void offer_lessons(const struct app *app, const char *start, struct completions *c)
{
    (void)app;
    for (const struct preset *p = presets; p->id; p++)
        if (tour_of(p))
            offer(c, start, tour_of(p) + strspn(tour_of(p), "0123456789-"), NULL);
}

static void offer_themes(const struct app *app, const char *start, struct completions *c)
{
    (void)app;
    for (size_t i = 0; themes[i]; i++)
        offer(c, start, themes[i]->id, themes[i]->title);
}

static void offer_colormaps(const struct app *app, const char *start, struct completions *c)
{
    (void)app;
    for (size_t i = 0; colormaps[i]; i++)
        offer(c, start, colormaps[i]->id, colormaps[i]->title);
}

static void offer_langs(const struct app *app, const char *start, struct completions *c)
{
    (void)app;
    for (int l = 0; l < LANG_COUNT; l++)
        offer(c, start, lang_name((enum lang)l), NULL);
}

static void offer_compares(const struct app *app, const char *start, struct completions *c)
{
    (void)app;
    for (size_t i = 0; scenario_compare_names[i]; i++)
        offer(c, start, scenario_compare_names[i], NULL);
}

/* KEY=, and after the sign the choices of KEY. */
static void offer_params(const struct app *app, const char *start, struct completions *c)
{
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    size_t n = scenario_params(&app->s, refs, SCENARIO_MAX_PARAMS), key = strcspn(start, "=");
    for (size_t i = 0; i < n; i++) {
        const struct param *p = refs[i].param;
        if (!start[key]) {
            char name[100];
            snprintf(name, sizeof name, "%s=", p->name);
            offer(c, start, name, p->help);
        } else if (strlen(p->name) == key && !strncmp(p->name, start, key) && c->n == 0) {
            c->from += key + 1;
            for (size_t k = 0; p->type == PARAM_CHOICE && p->choices[k]; k++)
                offer(c, start + key + 1, p->choices[k], NULL);
        }
    }
}

static void offer_paths(const struct app *app, const char *start, struct completions *c)
{
    (void)app;
    const char *slash = strrchr(start, '/'), *name = slash ? slash + 1 : start;
    char *folder = slash ? xasprintf("%.*s", (int)(slash + 1 - start), start) : xstrdup("./");
    DIR *dir = opendir(folder);
    c->from += (size_t)(name - start);
    for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        struct stat st;
        char *path = xasprintf("%s%s", folder, e->d_name);
        char *shown = xasprintf("%s%s", e->d_name, stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? "/" : "");
        if (*e->d_name != '.' || *name == '.')
            offer(c, name, shown, NULL);
        free(shown);
        free(path);
    }
    if (dir)
        closedir(dir);
    free(folder);
}

struct offering { const char *start; struct completions *out; };

static void offer_name(const struct store_entry *entry, void *context)
{
    const struct offering *o = context;
    offer(o->out, o->start, entry->name, NULL);
}

/* Names in the local stores, else files. */
static void offer_models(const struct app *app, const char *start, struct completions *c)
{
    store_list(offer_name, &(struct offering){start, c});
    if (!c->n)
        offer_paths(app, start, c);
}

/* ---- the words ----------------------------------------------------------------------------------------- */

static bool run_set(struct app *app, const char *rest, struct err *err)
{
    char key[128];
    size_t n = strcspn(rest, "= ");
    if (!n || !rest[n] || n >= sizeof key)
        return err_set(err, N_("set %s: must be KEY=VALUE"), rest);
    memcpy(key, rest, n);
    key[n] = '\0';
    return scenario_set(&app->s, key, rest + n + 1, err);
}

static bool run_view(struct app *app, const char *rest, struct err *err)
{
    return scenario_set_view(&app->s, rest, err);
}

static bool run_encoding(struct app *app, const char *rest, struct err *err)
{
    return scenario_set_encoding(&app->s, rest, err);
}

/* Nobody may ever write to it, and the standard input is the keyboard. */
static bool may_read(const char *path, struct err *err)
{
    return !path || !file_is_stream(path) || err_set(err, N_("%s: a pipe can be read only when posviz starts"), path);
}

static bool run_preset(struct app *app, const char *rest, struct err *err)
{
    return may_read(rest, err) && scenario_load_preset(&app->s, rest, err);
}

static bool run_model(struct app *app, const char *rest, struct err *err)
{
    return may_read(rest, err) && scenario_load_model(&app->s, rest, err);
}

static bool run_theme(struct app *app, const char *rest, struct err *err)
{
    const struct theme *theme = options_theme(rest, err);
    app->s.theme = theme ? theme : app->s.theme;
    return theme;
}

static bool run_colormap(struct app *app, const char *rest, struct err *err)
{
    const struct colormap *map = options_colormap(rest, err);
    app->s.map = map ? map : app->s.map;
    return map;
}

static bool run_lang(struct app *app, const char *rest, struct err *err)
{
    enum lang lang;
    if (!options_lang(rest, &lang, err))
        return false;
    scenario_speak(&app->s, lang);
    return true;
}

static bool run_lesson(struct app *app, const char *rest, struct err *err)
{
    return tour_enter(&app->s, rest, 0, -1, err);
}

static bool run_param(struct app *app, const char *rest, struct err *err)
{
    return panel_choose_name(app, rest, err);
}

static bool run_compare(struct app *app, const char *rest, struct err *err)
{
    for (int m = 0; scenario_compare_names[m]; m++)
        if (!strcmp(rest, scenario_compare_names[m]))
            return app_compare(app, (enum compare)m), true;
    return err_set(err, N_("compare %s: allowed are off, a, b, side, difference"), rest);
}

/* Presets of one's own: a bare name goes to their folder, where -p and :preset find it; a path gets its ".json". */
static char *preset_path(const char *name)
{
    const char *slash = strrchr(name, '/');
    char *file = xasprintf("presets/%s.json", name), *own = strpbrk(name, "/.") ? NULL : userdir_file(USERDIR_CONFIG, file, true);
    free(file);
    return own ? own : xasprintf("%s%s", name, strchr(slash ? slash : name, '.') ? "" : ".json");
}

/* Over an old file only with the word's `!`. */
static bool may_write(const char *word, const char *path, bool force, struct err *err)
{
    if (file_is_stream(path))
        return err_set(err, N_("%s: is not a regular file"), path);
    return force || access(path, F_OK) != 0 || err_set(err, N_("%s exists; %s! replaces it"), path, word);
}

static bool save(struct app *app, const char *rest, bool force, struct err *err)
{
    char *path = preset_path(rest);
    struct json *json = scenario_to_json(&app->s);
    char *text = json_print(json, true);
    bool good = may_write("save", path, force, err) && file_write(path, text, strlen(text), force, err);
    if (good)
        app_say(app, ROLE_GOOD, N_("saved as %s"), path);
    free(text);
    json_free(json);
    free(path);
    return good;
}

static bool run_save(struct app *app, const char *rest, struct err *err)
{
    return save(app, rest, false, err);
}

static bool run_save_over(struct app *app, const char *rest, struct err *err)
{
    return save(app, rest, true, err);
}

static bool run_export(struct app *app, const char *rest, struct err *err)
{
    return may_write("export", rest, false, err) && app_export(app, rest, false, err);
}

static bool run_export_over(struct app *app, const char *rest, struct err *err)
{
    return app_export(app, rest, true, err);
}

static bool run_large(struct app *app, const char *rest, struct err *err)
{
    (void)rest, (void)err;
    app->s.large = !app->s.large;
    return true;
}

static void offer_copies(const struct app *app, const char *start, struct completions *c)
{
    (void)app;
    for (size_t i = 0; copy_whats[i]; i++)
        offer(c, start, copy_whats[i], NULL);
}

static bool run_copy(struct app *app, const char *rest, struct err *err)
{
    return copy_what(app, rest, err);
}

static bool run_command(struct app *app, const char *rest, struct err *err)
{
    bool exact;
    char *line = command_line(&app->s, &exact);
    (void)rest, (void)err;
    if (exact)
        app_say(app, ROLE_GOOD, "%s", line);
    else
        app_say(app, ROLE_WARNING, N_("not all of this screen can be said on a command line: %s"), line);
    free(line);
    return true;
}

static bool run_mark(struct app *app, const char *rest, struct err *err)
{
    return marks_set(app, rest, err);
}

static bool run_goto(struct app *app, const char *rest, struct err *err)
{
    return marks_go(app, rest, err);
}

static const struct word {
    const char *name;
    const char *argument;           /* NULL: none */
    const char *help;               /* N_() */
    void (*offer)(const struct app *app, const char *start, struct completions *c);
    bool (*run)(struct app *app, const char *rest, struct err *err);
} words[] = {
    {"set", "KEY=VALUE", N_("set a parameter"), offer_params, run_set},
    {"view", "VIEW", N_("show a view"), offer_views, run_view},
    {"encoding", "ENCODING", N_("show an encoding, several with + between them"), offer_encodings, run_encoding},
    {"model", "FILE", N_("read a model file"), offer_models, run_model},
    {"preset", "PRESET", N_("start from a preset"), offer_presets, run_preset},
    {"lesson", "NAME", N_("begin a lesson"), offer_lessons, run_lesson},
    {"param", "KEY", N_("choose a parameter"), offer_params, run_param},
    {"export", "FILE", N_("write the figure: png svg pdf txt ansi csv npy json"), offer_paths, run_export},
    {"export!", "FILE", N_("the same, over an old file"), offer_paths, run_export_over},
    {"save", "NAME", N_("save all this as a preset"), offer_paths, run_save},
    {"save!", "NAME", N_("the same, over an old file"), offer_paths, run_save_over},
    {"theme", "NAME", N_("dark, light or high-contrast colours"), offer_themes, run_theme},
    {"colormap", "NAME", N_("colour map of heatmaps"), offer_colormaps, run_colormap},
    {"lang", "en|zh", N_("language"), offer_langs, run_lang},
    {"compare", "MODE", N_("compare with a copy"), offer_compares, run_compare},
    {"command", NULL, N_("the command line that shows this screen again"), NULL, run_command},
    {"copy", "WHAT", N_("copy the command line, the citation or the findings"), offer_copies, run_copy},
    {"mark", "LETTER", N_("keep this screen under a letter"), NULL, run_mark},
    {"goto", "LETTER", N_("go to the screen kept under a letter"), NULL, run_goto},
    {"large", NULL, N_("large cells for a lecture hall, and back"), NULL, run_large},
};
enum { N_WORDS = sizeof words / sizeof *words };

static const struct word *find_word(const char *text, size_t n)
{
    for (size_t i = 0; i < N_WORDS; i++)
        if (strlen(words[i].name) == n && !strncmp(words[i].name, text, n))
            return &words[i];
    return NULL;
}

/* ---- options as a shell would have them ----------------------------------------------------------------- */

enum { MAX_ARGUMENTS = 2 * OPTIONS_MAX_SETS + 16 };

static bool run_options(struct app *app, const char *line, struct err *err)
{
    char *copy = xstrdup(line), *argv[MAX_ARGUMENTS];
    struct options o;
    options_init(&o, app->s.lang);
    int n = shell_split(copy, argv, MAX_ARGUMENTS, NULL);
    bool good = n >= 0 ? options_parse(&o, n, argv, err) : err_set(err, N_("a quote is not closed, or there are more than %d words"), MAX_ARGUMENTS);
    good = good && may_read(o.model, err) && may_read(o.preset, err) && may_read(o.from, err) && options_scenario(&o, &app->s, err);
    free(copy);
    return good;
}

/* ---- running --------------------------------------------------------------------------------------------- */

static const struct action *view_action(const struct view *v, const char *name)
{
    for (size_t i = 0; i < v->n_actions; i++)
        if (!strcmp(v->actions[i].name, name))
            return &v->actions[i];
    return NULL;
}

/* The name of an action, the view's or the framework's. */
static bool run_action(struct app *app, const char *name)
{
    const struct action *action = view_action(views[app->s.view], name);
    const struct app_action *framework = keys_by_name(name);
    if (action)
        app_input(app, action->id);
    else if (framework)
        framework->run(app, framework->key);
    return action || framework;
}

static bool run_word(struct app *app, const char *line, struct err *err)
{
    size_t n = strcspn(line, " ");
    const char *rest = line + n + strspn(line + n, " ");
    const struct word *word = find_word(line, n);
    if (word && word->argument && !*rest)
        return err_set(err, N_("%s: give %s"), word->name, word->argument);
    if (word)
        return word->run(app, rest, err);
    if (strchr(line, '='))
        return run_set(app, line, err);
    if (view_find(line))
        return run_view(app, line, err);
    char first[64];
    snprintf(first, sizeof first, "%.*s", (int)(n < sizeof first ? n : 0), line);
    if (*rest && (view_action(views[app->s.view], first) || keys_by_name(first)))
        return err_set(err, N_("%s takes nothing after it; '%s' is too much"), first, rest);
    return err_set(err, N_("there is no command '%s'; help shows what there is"), line);
}

/* An edit: on failure the scenario is as before; a change of the view is a jump, and `q` comes back from it. */
static bool run_edit(struct app *app, const char *line, struct err *err)
{
    struct scenario before;
    scenario_copy(&before, &app->s);
    bool good = *line == '-' ? run_options(app, line, err) : run_word(app, line, err);
    if (good && (before.view != app->s.view || strcmp(before.lesson.id, app->s.lesson.id)))
        history_push(&app->jumps, &before);
    struct scenario drop = good ? before : app->s;
    if (!good)
        app->s = before;
    scenario_done(&drop);
    return good;
}

bool words_run(struct app *app, const char *line, struct err *err)
{
    char *text = xstrdup(line + strspn(line, " :"));
    for (size_t n = strlen(text); n && text[n - 1] == ' '; n--)
        text[n - 1] = '\0';
    bool good = !*text || (!find_word(text, strcspn(text, " ")) && run_action(app, text)) || run_edit(app, text, err);
    free(text);
    return good;
}

void words_complete(const struct app *app, const char *line, struct completions *out)
{
    *out = (struct completions){.from = strspn(line, " :")};
    const char *start = line + out->from;
    size_t n = strcspn(start, " ");
    if (start[n]) {
        const struct word *word = find_word(start, n);
        out->from += n + strspn(start + n, " ");
        if (word && word->offer)
            word->offer(app, line + out->from, out);
        return;
    }
    if (strchr(start, '=')) {
        offer_params(app, start, out);
        return;
    }
    for (size_t i = 0; i < N_WORDS; i++)
        offer(out, start, words[i].name, words[i].help);
    offer_views(app, start, out);
    for (size_t i = 0; i < views[app->s.view]->n_actions; i++)
        offer(out, start, views[app->s.view]->actions[i].name, views[app->s.view]->actions[i].help);
    if (*start)
        offer_params(app, start, out);
    for (size_t i = 0; i < n_app_actions && *start; i++)
        offer(out, start, app_actions[i].name, app_actions[i].help);
}
