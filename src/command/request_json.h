/* request_json.h - a request for values (core/quantity.h) from JSON: the object of a line of `posviz compute`, which is
 * also a golden case. request_read, quantity_answer, request_done. */
#ifndef POSVIZ_COMMAND_REQUEST_JSON_H
#define POSVIZ_COMMAND_REQUEST_JSON_H

#include "core/quantity.h"
#include "json/json.h"

/* Texts are borrowed from json. On failure too, r is to be given to request_done; it was zeroed before. */
bool request_read(const struct json *json, struct request *r, struct err *err);
void request_done(struct request *r);

#endif
