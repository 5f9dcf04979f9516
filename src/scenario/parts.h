/* parts.h - what reading, writing and finding presets share. Inside src/scenario only. */
#ifndef POSVIZ_SCENARIO_PARTS_H
#define POSVIZ_SCENARIO_PARTS_H

#include "scenario/scenario.h"

/* A preset by its whole name ("models/gpt2") or the last part of it: the user's own, a file, or a built-in one. False: there is none (err
 * is left alone). *json, for the caller to free, is NULL after a message where it cannot be read. *id: the whole name; borrowed. */
bool preset_find(const char *name, struct json **json, const char **id, struct err *err);

/* scenario_from_json of the preset of that id, by which a model in it is named again. */
bool scenario_from_preset(struct scenario *s, const struct json *json, const char *id, struct err *err);
/* The title in the scenario's language, of {"en": ..., "zh": ...} or one text. True. */
bool scenario_load_title(struct scenario *s, const struct json *v);

#endif
