/* findings.h - what posviz finds in a model file, for tests. */
#ifndef POSVIZ_TESTS_FINDINGS_H
#define POSVIZ_TESTS_FINDINGS_H

#include <string.h>

#include "model/facts.h"

/* The file or model of this name as it is read without edits; the caller gives it up with facts_unref. */
static inline struct facts *facts_at(const char *name)
{
    return facts_examine(name, NULL, 0, LANG_EN);
}

/* The first finding with this code, or NULL. */
static inline const struct finding *finding_of(const struct facts *f, const char *code)
{
    for (size_t i = 0; i < f->n_findings; i++)
        if (!strcmp(f->finding[i].code, code))
            return &f->finding[i];
    return NULL;
}

/* Whether any finding contains this text. */
static inline bool finding_says(const struct facts *f, const char *text)
{
    for (size_t i = 0; i < f->n_findings; i++)
        if (strstr(f->finding[i].message, text))
            return true;
    return false;
}

#endif
