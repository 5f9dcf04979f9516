/* config_content.c - what a layer applies: encodings, with parameters set by their names. */
#include <math.h>
#include <string.h>

#include "model/reader.h"

struct item *content_add(struct content *c, const char *encoding)
{
    const struct encoding *kind = encoding_find(encoding, NULL);
    if (!kind || c->n == LAYER_MAX)
        return NULL;
    item_init(&c->item[c->n], kind);
    return &c->item[c->n++];
}

void content_done(struct content *c)
{
    for (size_t i = 0; i < c->n; i++)
        item_done(&c->item[i]);
    c->n = 0;
}

static struct value *item_value(struct item *item, const char *name)
{
    int i = item ? param_index(item->kind->params, item->kind->n_params, name) : -1;
    return i < 0 ? NULL : &item->param[i];
}

bool item_number(struct item *item, const char *name, double x)
{
    struct value *v = item_value(item, name);
    if (v && !isnan(x))
        v->x = x;
    return v != NULL;
}

bool item_choice(struct item *item, const char *name, const char *choice)
{
    int i = item ? param_index(item->kind->params, item->kind->n_params, name) : -1;
    for (size_t k = 0; i >= 0 && item->kind->params[i].choices[k]; k++) {
        if (!strcmp(item->kind->params[i].choices[k], choice)) {
            item->param[i].x = (double)k;
            return true;
        }
    }
    return false;
}

bool item_list(struct item *item, const char *name, struct table *t)
{
    struct value *v = item_value(item, name);
    if (v && t)
        v->t = table_ref(t);
    return v != NULL;
}
