/* model_formats.h - what `posviz model` can answer with besides its report and --json: one row a format, each a function from the facts of all
 * files to text; and which findings are left out of the answer. Inside src/command only. */
#ifndef POSVIZ_COMMAND_MODEL_FORMATS_H
#define POSVIZ_COMMAND_MODEL_FORMATS_H

#include "base/buf.h"
#include "model/facts.h"

struct model_answer {
    struct facts **facts; size_t n;
    bool strict;                        /* warnings count as errors */
    double target;                      /* NAN: none */
    enum lang lang;
};
struct model_format {
    const char *name;                   /* as after --format */
    bool complains;                     /* what cannot be read is a message on stderr: the format has no place for it */
    void (*print)(struct buf *out, const struct model_answer *a);
};
extern const struct model_format model_formats[];       /* NULL name ends */
const struct model_format *model_format_find(const char *name, struct err *err);        /* NULL with a message that lists them */

/* The report for people (model_text.c), the largest of them. */
void model_print_text(struct buf *out, const struct model_answer *a);
/* A value of a reading in one line, long lists cut. Returns out. */
char *model_value_text(const struct json *v, char *out, size_t size);

/* Does the finding make the answer "no" (exit status 1)? */
bool finding_counts(const struct finding *x, bool strict);

/* ---- findings left out (model_filter.c) -------------------------------------------------------------------------------- */

/* A baseline is a file of findings that are known already: {"schema": 1, "baseline": [{"file", "code", "field"}...]}. Lines are not part of
 * it, so that a change elsewhere in the file brings nothing back. */
struct json *baseline_load(const char *path, struct err *err);
/* Writes the findings of all readable files. An existing file is replaced only if it is a baseline. */
bool baseline_write(const char *path, const struct model_answer *a, struct err *err);
bool finding_kind_exists(const char *code, struct err *err);
/* Takes the findings with these codes, and those of the baseline (NULL: none), out of f. */
void findings_leave_out(struct facts *f, const char *const *codes, size_t n_codes, const struct json *baseline);

#endif
