/* schema.h - JSON Schemas of what verbs print. */
#ifndef POSVIZ_COMMAND_SCHEMA_H
#define POSVIZ_COMMAND_SCHEMA_H

#include "json/json.h"

/* Of a line of `posviz model --json`; the caller frees it. */
struct json *schema_model(void);

#endif
