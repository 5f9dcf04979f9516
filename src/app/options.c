#include "app/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/reopen.h"
#include "app/userdir.h"
#include "app/view.h"
#include "base/file.h"
#include "scenario/tour.h"

enum { MAX_THREADS = 256, MAX_CELLS = 1000, STATE_MAX_BYTES = 1 << 20 };
static const char STATE_FILE[] = "last.json", STATE_BEFORE[] = "last-1.json";

void options_init(struct options *o, enum lang lang)
{
    *o = (struct options){.lang = lang, .depth = -1, .threads = 1};
}

/* ---- one option each ------------------------------------------------------------------------------------ */

static bool take_set(struct options *o, const char *text, struct err *err)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text)
        return err_set(err, N_("-s %s: must be KEY=VALUE"), text);
    if (o->n_sets == OPTIONS_MAX_SETS)
        return err_set(err, N_("-s %s: at most %d parameters can be given"), text, OPTIONS_MAX_SETS);
    o->set[o->n_sets++] = text;
    return true;
}

static bool take_color(struct options *o, const char *text, struct err *err)
{
    enum color_depth depth;
    o->depth = -1;
    if (!strcmp(text, "auto"))
        return true;
    if (!color_depth_from_name(text, &depth))
        return err_set(err, N_("--color = %s: allowed are auto, truecolor, 256, 16, mono"), text);
    o->depth = (int)depth;
    return true;
}

/* Whole number of text in 1..max, all of it read; 0 otherwise. */
static int whole_number(const char *text, char **end, int max)
{
    errno = 0;
    long n = strtol(text, end, 10);
    return *end != text && !errno && n >= 1 && n <= max ? (int)n : 0;
}

static bool take_threads(struct options *o, const char *text, struct err *err)
{
    char *end;
    o->threads = whole_number(text, &end, MAX_THREADS);
    return (o->threads && !*end) || err_set(err, N_("--threads = %s: allowed is 1 to %d"), text, MAX_THREADS);
}

static bool take_size(struct options *o, const char *text, struct err *err)
{
    char *end;
    o->cols = whole_number(text, &end, MAX_CELLS);
    if (o->cols && *end == 'x')
        o->rows = whole_number(end + 1, &end, MAX_CELLS);
    return (o->cols && o->rows && !*end) ||
           err_set(err, N_("--size = %s: must be COLSxROWS, each 1 to %d, for example 120x40"), text, MAX_CELLS);
}

/* "dark, light" */
static void append_name(char *list, size_t size, const char *id)
{
    size_t at = strlen(list);
    snprintf(list + at, size - at, "%s%s", at ? ", " : "", id);
}

const struct theme *options_theme(const char *name, struct err *err)
{
    char list[200] = "";
    for (size_t i = 0; themes[i]; i++)
        append_name(list, sizeof list, themes[i]->id);
    const struct theme *theme = theme_find(name);
    if (!theme)
        err_set(err, N_("there is no theme '%s'; there are %s"), name, list);
    return theme;
}

const struct colormap *options_colormap(const char *name, struct err *err)
{
    char list[200] = "";
    for (size_t i = 0; colormaps[i]; i++)
        append_name(list, sizeof list, colormaps[i]->id);
    const struct colormap *map = colormap_find(name);
    if (!map)
        err_set(err, N_("there is no colour map '%s'; there are %s"), name, list);
    return map;
}

bool options_lang(const char *name, enum lang *out, struct err *err)
{
    return lang_from_name(name, out) || err_set(err, N_("there is no language '%s'; there are en, zh"), name);
}

bool options_take(struct options *o, int option, const char *argument, struct err *err)
{
    switch (option) {
    case OPTION_MODEL:    o->model = argument; return true;
    case OPTION_PRESET:   o->preset = argument; return true;
    case OPTION_ENCODING: o->encoding = argument; return true;
    case OPTION_SET:      return take_set(o, argument, err);
    case OPTION_COLOR:    return take_color(o, argument, err);
    case OPTION_ASCII:    o->ascii = true; return true;
    case OPTION_THEME:    return (o->theme = options_theme(argument, err)) != NULL;
    case OPTION_COLORMAP: return (o->map = options_colormap(argument, err)) != NULL;
    case OPTION_THREADS:  return take_threads(o, argument, err);
    case OPTION_SIZE:     return take_size(o, argument, err);
    case OPTION_LARGE:    return o->large = true;
    case OPTION_FROM:     o->from = argument; return true;
    }
    return false;
}

bool options_operand(struct options *o, const char *argument, struct err *err)
{
    if (o->view)
        return err_set(err, N_("'%s': one view at a time, '%s' is already chosen"), argument, o->view);
    o->view = argument;
    return true;
}

static const struct command_option rows[OPTIONS_COUNT] = {OPTIONS_ROWS};

static int find_row(const char *name)
{
    for (int i = 0; i < OPTIONS_COUNT; i++)
        if (!strcmp(rows[i].name, name))
            return i;
    return -1;
}

bool options_parse(struct options *o, int argc, char **argv, struct err *err)
{
    for (int i = 0; i < argc; i++) {
        int row = find_row(argv[i]);
        if (row < 0 && *argv[i] == '-')
            return err_set(err, N_("there is no option %s; --help lists them"), argv[i]);
        if (row >= 0 && rows[row].argument && i + 1 == argc)
            return err_set(err, N_("option %s needs a value"), argv[i]);
        const char *argument = row >= 0 && rows[row].argument ? argv[++i] : argv[i];
        if (!(row < 0 ? options_operand(o, argument, err) : options_take(o, row, argument, err)))
            return false;
    }
    return true;
}

void options_prefer(struct options *o, const struct options *kept)
{
    const char **const mine[] = {&o->model, &o->preset, &o->encoding, &o->from, &o->lesson};
    const char *const theirs[] = {kept->model, kept->preset, kept->encoding, kept->from, kept->lesson};
    enum { N = sizeof theirs / sizeof *theirs };
    bool chosen = o->resume != kept->resume;
    for (size_t i = 0; i < N; i++)
        chosen = chosen || *mine[i] != theirs[i];
    if (!chosen)
        return;
    for (size_t i = 0; i < N; i++)
        *mine[i] = *mine[i] == theirs[i] ? NULL : *mine[i];
    o->resume = o->resume != kept->resume;
    o->n_sets -= kept->n_sets;
    memmove(o->set, o->set + kept->n_sets, o->n_sets * sizeof *o->set);
}

/* ---- the scenario ----------------------------------------------------------------------------------------- */

static bool suits(const struct scenario *s, enum view_id view)
{
    return !views[view]->suits || !views[view]->suits(s);
}

/* The view was not asked for: the present one if it has something to show, else the first that has. */
static void choose_view(struct scenario *s)
{
    for (int v = 0; v < VIEW_COUNT && !suits(s, s->view); v++)
        if (suits(s, (enum view_id)v))
            scenario_set_view(s, views[v]->id, NULL);
}

/* An encoding by itself is shown at plain lengths and widths, not at those of the model that the program starts with. */
static void general_defaults(struct scenario *s)
{
    struct param_ref refs[SCENARIO_MAX_PARAMS];
    size_t n = scenario_params(s, refs, SCENARIO_MAX_PARAMS);
    for (size_t i = 0; i < n; i++)
        if (refs[i].owner == OWNER_SCENARIO)
            scenario_put(s, &refs[i], (struct value){refs[i].param->def, NULL}, NULL);
}

static size_t key_length(const char *pair)
{
    return strcspn(pair, "=");
}

static bool set_pair(struct scenario *s, const char *pair, struct err *err)
{
    size_t key = key_length(pair);
    char name[128];
    if (key >= sizeof name)
        return err_set(err, N_("-s %s: the name is too long"), pair);
    memcpy(name, pair, key);
    name[key] = '\0';
    return scenario_set(s, name, pair + key + 1, err);
}

/* A later value of the same key stands already. */
static bool is_outdone(const struct options *o, const bool *done, size_t at)
{
    size_t n = key_length(o->set[at]) + 1;
    for (size_t i = at + 1; i < o->n_sets; i++)
        if (done[i] && !strncmp(o->set[i], o->set[at], n))
            return true;
    return false;
}

/* Of those that are not done yet, what can be set as things stand. only: its beginning, or NULL. */
static bool set_some(const struct options *o, const char *only, struct scenario *s, bool *done)
{
    bool some = false;
    for (size_t i = 0; i < o->n_sets; i++) {
        bool wanted = !done[i] && (!only || !strncmp(o->set[i], only, strlen(only))) && !is_outdone(o, done, i);
        done[i] = done[i] || (wanted && set_pair(s, o->set[i], NULL));
        some = some || (wanted && done[i]);
    }
    return some;
}

/* In any order: a type may be refused until its factor is there, so what was refused is tried again after the others. How many heads there
 * are says which head can be asked for, so that is set before the rest. */
static bool set_pairs(const struct options *o, struct scenario *s, struct err *err)
{
    bool done[OPTIONS_MAX_SETS] = {false};
    set_some(o, "num_heads=", s, done);
    while (set_some(o, NULL, s, done))
        continue;
    for (size_t i = 0; i < o->n_sets; i++)
        if (!done[i] && !is_outdone(o, done, i))
            return set_pair(s, o->set[i], err);
    return true;
}

/* What options_keep wrote. */
static bool resume(struct scenario *s, struct err *err)
{
    char *path = userdir_file(USERDIR_STATE, STATE_FILE, false);
    struct json *json = path ? json_load(path, STATE_MAX_BYTES, err) : NULL;
    bool good = json && scenario_from_json(s, json, err);
    json_free(json);
    free(path);
    return good || err_prefix(err, N_("--resume"));
}

static void make_absolute(struct json *object, const char *key)
{
    const char *path = json_string(json_get(object, key));
    char *whole = path ? realpath(path, NULL) : NULL;
    if (whole) {
        json_free(json_detach(object, key));
        json_set_string(object, key, whole);
    }
    free(whole);
}

/* The screen may be resumed in another folder, with what it is compared with. */
static void make_paths_absolute(struct json *scenario)
{
    for (; scenario; scenario = (struct json *)json_get(scenario, "other")) {
        make_absolute((struct json *)json_get(scenario, "model"), "file");
        make_absolute(scenario, "q");
        make_absolute(scenario, "k");
    }
}

void options_keep(const struct scenario *s)
{
    char *path = userdir_file(USERDIR_STATE, STATE_FILE, true);
    struct json *json = scenario_to_json(s);
    make_paths_absolute(json);
    char *text = json_print(json, true), *before = userdir_file(USERDIR_STATE, STATE_BEFORE, true);
    if (path) {
        unlink(before);             /* what another posviz left in the meantime is not lost */
        link(path, before);
        file_write(path, text, strlen(text), true, NULL);
    }
    free(before);
    free(text);
    json_free(json);
    free(path);
}

bool options_scenario(const struct options *o, struct scenario *s, struct err *err)
{
    bool content = o->model || o->preset || o->encoding || o->resume || o->from;
    if (o->resume && !resume(s, err))
        return false;
    scenario_speak(s, o->lang);
    if (o->from && !reopen_scenario(o->from, s, err))
        return false;
    enum lang lang = s->lang;
    s->large = s->large || o->large;
    if (o->lesson && !tour_enter(s, o->lesson, o->step, -1, err))
        return false;
    if (o->preset && !scenario_load_preset(s, o->preset, err))
        return false;
    s->lang = lang;
    if (o->model && !scenario_load_model(s, o->model, err))
        return false;
    if (o->encoding && !scenario_set_encoding(s, o->encoding, err))
        return false;
    if (o->encoding && !o->preset && !o->model)
        general_defaults(s);
    if (o->view && !scenario_set_view(s, o->view, err))
        return false;
    if (o->view && !content && !suits(s, s->view) && views[s->view]->preset) {
        if (!scenario_load_preset(s, views[s->view]->preset, err) || !scenario_set_view(s, o->view, err))
            return false;
        s->lang = lang;
    }
    if (!o->view && o->model && view_find("model"))
        scenario_set_view(s, "model", NULL);
    if (!o->view && o->encoding)
        choose_view(s);
    if (!set_pairs(o, s, err))
        return false;
    s->theme = o->theme ? o->theme : s->theme;
    s->map = o->map ? o->map : s->map;
    return true;
}
