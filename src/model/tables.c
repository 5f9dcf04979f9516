/* tables.c - learned numbers of a file put into the encodings that a reading made, so that views show the model's own table. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "model/reader.h"

/* Opens the item with the table; false and a message where the encoding does not take it. */
static bool takes(const struct layer_facts *k, const struct item *item, const char *param, struct table *t, struct err *err)
{
    struct item with;
    item_copy(&with, item);
    item_list(&with, param, t);
    struct enc *e = enc_open(with.kind, &k->shape, with.param, err);
    item_done(&with);
    enc_close(e);
    return e != NULL;
}

static void check_rows(struct reader *r, const struct table *t, const char *name)
{
    double rows = json_number(json_get(json_get(r->f->reading, "checks"), "table_rows"), NAN);
    if (!isnan(rows) && rows != (double)t->dim[0])
        finding_add(r, "table-rows", name, N_("%s has %zu rows, but the length and its offset ask for %.10g. The rows of the file are shown; positions beyond "
                                              "them have none."), name, t->dim[0], rows);
}

bool kind_has(const struct facts *f, size_t kind, const char *encoding)
{
    for (size_t n = 0; n < f->kind[kind].n_items; n++)
        if (!strcmp(f->kind[kind].item[n].kind->id, encoding))
            return true;
    return false;
}

void table_attach(struct reader *r, size_t kind, const char *encoding, const char *param, struct table *t, const char *name)
{
    struct layer_facts *k = &r->f->kind[kind];
    char clean[80];
    utf8_sanitise(clean, sizeof clean, name);
    for (size_t n = 0; n < k->n_items; n++) {
        struct item *item = &k->item[n];
        struct err err = {.lang = r->lang};
        if (strcmp(item->kind->id, encoding))
            continue;
        if (takes(k, item, param, t, &err))
            item_list(item, param, t);
        else
            finding_add(r, "table-shape", clean, N_("%s: %s. Numbers of a random start are shown in its place."), clean, err.text);
        if (!kind && !strcmp(encoding, "learned"))
            check_rows(r, t, clean);
    }
}
