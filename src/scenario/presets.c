/* presets.c - a scenario taken from a preset by name, and what came from presets and models said in another language. */
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "scenario/parts.h"

/* An encoding without a preset of its own has its defaults for one. */
static bool load_plain_encoding(struct scenario *s, const char *name)
{
    const char *id = strncmp(name, "encodings/", 10) ? name : name + 10;
    const struct encoding *kind = encoding_find(id, NULL);
    if (!kind || strcmp(kind->id, id) || !scenario_set_encoding(s, id, NULL))
        return false;
    snprintf(s->title, sizeof s->title, "%s", lang_text(s->lang, kind->title));
    return true;
}

bool scenario_load_preset(struct scenario *s, const char *name, struct err *err)
{
    struct json *json;
    const char *id;
    if (!preset_find(name, &json, &id, err))
        return load_plain_encoding(s, name) || err_set(err, N_("there is no preset '%s'; `posviz list presets` names them"), name);
    bool good = json && scenario_from_preset(s, json, id, err);
    if (json && !good)
        err_prefix(err, N_("preset %s"), name);
    json_free(json);
    return good;
}

/* ---- another language ---------------------------------------------------------------------------- */

static bool title_is(const struct json *titles, const char *text)
{
    const struct json *one = json_first(titles);
    while (one && !(json_string(one) && !strcmp(json_string(one), text)))
        one = json_next(one);
    return one != NULL;
}

/* The built-in preset that gave a scenario its title says it in the other language; an encoding by itself has its own. */
static void translate_title(struct scenario *s)
{
    const char *only = s->n_items == 1 ? s->item[0].kind->title : NULL;
    for (enum lang l = LANG_EN; only && l < LANG_COUNT; l++)
        if (!strcmp(s->title, lang_text(l, only))) {
            utf8_sanitise(s->title, sizeof s->title, lang_text(s->lang, only));
            return;
        }
    bool found = false;
    for (size_t i = 0; presets[i].id && !found; i++) {
        struct json *json = json_parse(presets[i].text, presets[i].size, NULL);
        found = title_is(json_get(json, "title"), s->title) && scenario_load_title(s, json_get(json, "title"));
        json_free(json);
    }
}

/* The words of a model were made when it was read. */
static void translate_model(struct scenario *s)
{
    struct facts *facts = s->model ? facts_in_lang(s->model, s->model_from, s->lang) : NULL;
    if (!facts)
        return;
    facts_unref(s->model);
    s->model = facts;
}

void scenario_speak(struct scenario *s, enum lang lang)
{
    bool other = s->lang != lang && *s->title;
    s->lang = lang;
    if (other)
        translate_title(s);
    translate_model(s);
    if (s->other)
        scenario_speak(s->other, lang);
}
