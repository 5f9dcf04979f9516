/* fuzz_facts.h - what every caller does with the facts of a model file, for fuzz targets that make them. */
#ifndef POSVIZ_TESTS_FUZZ_FACTS_H
#define POSVIZ_TESTS_FUZZ_FACTS_H

#include "fuzz.h"
#include "json/json.h"
#include "model/diff.h"
#include "model/facts.h"
#include "model/target.h"

/* What we print must be JSON, kinds of layers must exist, a file must equal itself. Takes the facts. */
static inline void fuzz_facts(struct facts *f)
{
    char summary[512];
    if (!f)
        return;
    struct json *json = facts_to_json(f);
    char *text = json_print(json, false);
    struct json *back = json_parse(text, strlen(text), NULL);
    if (!back)
        abort();
    json_free(back);
    free(text);
    json_free(json);
    facts_summary(f, LANG_ZH, summary, sizeof summary);
    for (size_t l = 0; l < f->n_layers; l++)
        if (f->n_kinds && f->kind_of_layer[l] >= f->n_kinds)
            abort();
    if (!f->unreadable) {
        struct diff *d = diff_facts(f, f, 1e-6, LANG_EN);
        if (!d->equal && strcmp(f->scheme, "unknown") != 0)
            abort();
        diff_free(d);
        json_free(facts_target(f, 100000, LANG_EN));
    }
    facts_unref(f);
}

#endif
