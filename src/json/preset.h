/* preset.h - JSON files that are part of the binary, so that a binary copied alone still works (tools/embed). */
#ifndef POSVIZ_JSON_PRESET_H
#define POSVIZ_JSON_PRESET_H

#include <stddef.h>

struct preset {
    const char *id;             /* path below presets/ without .json: "models/llama-3.1-8b", "encodings/alibi", "wizard" */
    const char *text;
    size_t size;
};
extern const struct preset presets[];           /* ends with id NULL */

#endif
