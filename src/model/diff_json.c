/* diff_json.c - what `posviz diff --json` prints. */
#include "model/diff.h"

#include <math.h>

static void differences_json(const struct diff *d, struct json *o)
{
    struct json *list = json_set(o, "differences", json_array());
    for (size_t i = 0; i < d->n_differences; i++) {
        const struct difference *x = &d->difference[i];
        struct json *one = json_push(list, json_object());
        json_set_string(one, "field", x->field);
        json_set(one, "a", json_copy(x->a));
        json_set(one, "b", json_copy(x->b));
        json_set_number(one, "layer", x->layer < 0 ? NAN : x->layer);
        if (*x->layers)
            json_set_string(one, "layers", x->layers);
    }
}

static void rotations_json(const struct diff *d, struct json *o)
{
    struct json *pairs = json_set(o, "pairs", json_array()), *cosines = json_set(o, "cosine", json_array());
    for (size_t i = 0; i < d->n_pairs; i++) {
        struct json *one = json_push(pairs, json_object());
        json_set_number(one, "pair", (double)d->pair[i].pair);
        json_set_number(one, "a", d->pair[i].a);
        json_set_number(one, "b", d->pair[i].b);
    }
    for (size_t i = 0; i < d->n_cosines; i++) {
        struct json *one = json_push(cosines, json_object());
        json_set_number(one, "position", d->cosine[i].position);
        json_set_number(one, "value", d->cosine[i].value);
    }
}

struct json *diff_to_json(const struct diff *d)
{
    struct json *o = json_object();
    json_set_number(o, "schema", 1);
    json_set_string(o, "a", d->a);
    json_set_string(o, "b", d->b);
    json_set_bool(o, "equal", d->equal);
    differences_json(d, o);
    if (d->n_cosines) {
        json_set_number(o, "layer", d->layer);
        json_set_number(o, "length", d->length);
    }
    rotations_json(d, o);
    struct json *words = json_set(o, "summary", json_array());
    for (size_t i = 0; i < d->n_sentences; i++)
        json_push_string(words, d->sentence[i]);
    return o;
}
