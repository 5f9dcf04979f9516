/* list.c - `posviz list`: what there is, from the registries. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "canvas/palette.h"
#include "command/command.h"
#include "core/quantity.h"
#include "json/json.h"
#include "scenario/scenario.h"
#include "scenario/tour.h"

enum { OPTION_JSON };
static const struct command_option options[] = {
    [OPTION_JSON] = {.name = "--json", .help = N_("one JSON value in place of a table")},
};

/* One list: as an array of objects that have at least id and title {en, zh}. */
struct listing {
    const char *name;
    struct json *(*build)(void);
};

static void set_both(struct json *object, const char *key, const char *msgid)
{
    struct json *both = json_set(object, key, json_object());
    for (enum lang lang = LANG_EN; lang < LANG_COUNT; lang++)
        json_set_string(both, lang_name(lang), lang_text(lang, msgid));
}

static struct json *titled(struct json *list, const char *id, const char *title)
{
    struct json *object = json_push(list, json_object());
    json_set_string(object, "id", id);
    set_both(object, "title", title);
    return object;
}

/* ---- encodings ----------------------------------------------------------------------------------------- */

static struct json *strings(const char *const *text)
{
    struct json *list = json_array();
    for (; text && *text; text++)
        json_push_string(list, *text);
    return list;
}

static struct json *param_json(const struct param *p)
{
    static const char *const types[] = {"int", "real", "bool", "choice", "list", "table"};
    struct json *o = json_object();
    json_set_string(o, "name", p->name);
    json_set_string(o, "type", types[p->type]);
    if (p->help)
        set_both(o, "help", p->help);
    if (p->unit)
        json_set_string(o, "unit", p->unit);
    if (p->type == PARAM_CHOICE) {
        json_set_string(o, "default", isnan(p->def) ? NULL : p->choices[(size_t)p->def]);
        json_set(o, "choices", strings(p->choices));
    } else if (p->type == PARAM_BOOL) {
        json_set_bool(o, "default", p->def == 1);
    } else {
        json_set_number(o, "default", p->def);
    }
    if (p->type <= PARAM_REAL || p->type == PARAM_LIST) {
        json_set_number(o, "min", p->min);
        json_set_number(o, "max", p->max);
    }
    return o;
}

static struct json *params_json(const struct param *params, size_t n)
{
    struct json *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_push(list, param_json(&params[i]));
    return list;
}

static struct json *hooks(const struct encoding *k)
{
    const char *names[] = {k->row ? "row" : NULL, k->rotate ? "rotate" : NULL, k->bias ? "bias" : NULL,
                           k->context ? "context" : NULL, k->spectrum ? "spectrum" : NULL, k->distance ? "distance" : NULL};
    struct json *list = json_array();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i])
            json_push_string(list, names[i]);
    return list;
}

static struct json *promises(const struct encoding *k)
{
    static const char *const names[] = {"relative", "isometric", "symmetric", "decays", "needs_table"};
    struct json *list = json_array();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (k->promises & 1u << i)
            json_push_string(list, names[i]);
    return list;
}

static struct json *list_encodings(void)
{
    struct json *list = json_array();
    for (size_t i = 0; encodings[i]; i++) {
        const struct encoding *k = encodings[i];
        struct json *o = titled(list, k->id, k->title);
        set_both(o, "help", k->help);
        json_set_number(o, "year", k->year);
        json_set_string(o, "paper", k->cite);
        json_set_string(o, "scheme", k->scheme);
        json_set(o, "params", params_json(k->params, k->n_params));
        struct json *outputs = json_set(o, "outputs", json_array());
        for (size_t q = 0; q < k->n_quantities; q++)
            json_push_string(outputs, k->quantities[q].name);
        json_set(o, "hooks", hooks(k));
        json_set(o, "promises", promises(k));
        json_set(o, "aliases", strings(k->aliases));
    }
    return list;
}

/* ---- views and colour maps ----------------------------------------------------------------------------- */

static struct json *list_views(void)
{
    struct json *list = json_array();
    for (size_t i = 0; i < VIEW_COUNT; i++) {
        struct json *o = titled(list, views[i]->id, views[i]->title);
        set_both(o, "help", views[i]->help);
        json_set(o, "params", params_json(views[i]->params, views[i]->n_params));
    }
    return list;
}

static struct json *list_colormaps(void)
{
    struct json *list = json_array();
    for (size_t i = 0; colormaps[i]; i++)
        json_set_bool(titled(list, colormaps[i]->id, colormaps[i]->title), "diverging", colormaps[i]->diverging);
    return list;
}

/* ---- presets and lessons ------------------------------------------------------------------------------- */

static struct json *list_under(bool lessons)
{
    struct json *list = json_array();
    for (size_t i = 0; presets[i].id; i++) {
        if (lessons != (tour_of(&presets[i]) != NULL) || !strcmp(presets[i].id, "wizard"))
            continue;
        struct json *preset = json_parse(presets[i].text, presets[i].size, NULL);
        struct json *o = json_push(list, json_object()), *title = json_detach(preset, "title");
        json_set_string(o, "id", presets[i].id);
        json_set(o, "title", title ? title : json_new_string(presets[i].id));
        json_free(preset);
    }
    return list;
}

static struct json *list_presets(void)
{
    return list_under(false);
}

static struct json *list_tours(void)
{
    return list_under(true);
}

/* ---- the verb ------------------------------------------------------------------------------------------ */

static const struct listing listings[] = {
    {"encodings", list_encodings}, {"views", list_views}, {"presets", list_presets}, {"tours", list_tours},
    {"colormaps", list_colormaps},
};
enum { N_LISTINGS = sizeof listings / sizeof *listings };

static int print_list(const struct json *list, enum lang lang)
{
    for (const struct json *o = json_first(list); o; o = json_next(o)) {
        const struct json *title = json_get(o, "title"), *mine = json_get(title, lang_name(lang));
        const char *text = json_string(mine ? mine : title);
        printf("%-28s %s\n", json_string(json_get(o, "id")), text ? text : "");
    }
    return STATUS_DONE;
}

static int run(int argc, char **argv, enum lang lang)
{
    const char *argument, *name = NULL;
    struct err err = {.lang = lang};
    bool json = false;
    for (int i = 1; i < argc;) {
        int option = command_next(&command_list, argc, argv, &i, &argument, lang);
        if (option == COMMAND_HELP)
            return STATUS_DONE;
        if (option == COMMAND_WRONG)
            return STATUS_USAGE;
        if (option == OPTION_JSON)
            json = true;
        else if (!command_single(&name, argument, &err))
            return command_fail(&command_list, err.text);
    }
    name = name ? name : "";
    for (size_t i = 0; i < N_LISTINGS; i++) {
        if (strcmp(listings[i].name, name))
            continue;
        struct json *list = listings[i].build();
        char *text = json ? json_print(list, true) : NULL;
        if (text)
            puts(text);
        else
            print_list(list, lang);
        free(text);
        json_free(list);
        return command_print(&command_list, "", STATUS_DONE, lang);
    }
    if (*name)
        err_set(&err, N_("there is no list '%s'; there are encodings, views, presets, tours, colormaps"), name);
    else
        err_set(&err, N_("needs one of %s"), "encodings, views, presets, tours, colormaps");
    return command_fail(&command_list, err.text);
}

const struct command command_list = {
    .name = "list",
    .usage = "encodings|views|presets|tours|colormaps [--json]",
    .summary = N_("names what there is"),
    .help = N_("Encodings with their parameters, ranges, hooks and papers; views; presets; lessons; colour maps."),
    .options = options, .n_options = sizeof options / sizeof *options,
    .run = run,
};
