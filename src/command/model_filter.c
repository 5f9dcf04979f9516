/* model_filter.c - which findings an answer leaves out: those with a code that the user ignores, and those of a baseline. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "command/model_formats.h"

enum { BASELINE_MAX_BYTES = 16 << 20 };

bool finding_kind_exists(const char *code, struct err *err)
{
    for (const struct finding_kind *k = finding_kinds; k->code; k++)
        if (!strcmp(k->code, code))
            return true;
    return err_set(err, N_("--ignore %s: there is no finding of this name; posviz explain lists them"), code);
}

struct json *baseline_load(const char *path, struct err *err)
{
    struct json *json = json_load_named(path, BASELINE_MAX_BYTES, err);
    if (!json || json_type(json_get(json, "baseline")) == JSON_ARRAY)
        return json;
    json_free(json);
    err_set(err, N_("%s: is no baseline, which is an object with a list named baseline; --write-baseline makes one"), path);
    return NULL;
}

bool baseline_write(const char *path, const struct model_answer *a, struct err *err)
{
    struct err unread = {.lang = err->lang};
    struct json *old = access(path, F_OK) == 0 ? baseline_load(path, &unread) : NULL;
    if (!old && access(path, F_OK) == 0)
        return err_set(err, N_("%s: exists and is no baseline, so it is kept"), path);
    json_free(old);
    struct json *json = json_object(), *list;
    json_set_number(json, "schema", 1);
    list = json_set(json, "baseline", json_array());
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < a->facts[i]->n_findings && !a->facts[i]->unreadable; k++) {
            struct json *o = json_push(list, json_object());
            json_set_string(o, "file", a->facts[i]->file);
            json_set_string(o, "code", a->facts[i]->finding[k].code);
            json_set_string(o, "field", a->facts[i]->finding[k].field);
        }
    char *text = json_print(json, true);
    bool good = file_write(path, text, strlen(text), true, err);
    free(text);
    json_free(json);
    return good;
}

static bool says(const struct json *o, const char *key, const char *text)
{
    const char *has = json_string(json_get(o, key));
    return has && !strcmp(has, text);
}

static bool in_baseline(const struct json *baseline, const char *file, const struct finding *x)
{
    for (const struct json *o = json_first(json_get(baseline, "baseline")); o; o = json_next(o))
        if (says(o, "file", file) && says(o, "code", x->code) && says(o, "field", x->field))
            return true;
    return false;
}

static bool is_one_of(const char *code, const char *const *codes, size_t n)
{
    while (n && strcmp(codes[n - 1], code))
        n--;
    return n > 0;
}

void findings_leave_out(struct facts *f, const char *const *codes, size_t n_codes, const struct json *baseline)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->n_findings && !f->unreadable; i++) {
        struct finding *x = &f->finding[i];
        if (is_one_of(x->code, codes, n_codes) || in_baseline(baseline, f->file, x))
            free(x->message);
        else
            f->finding[kept++] = *x;
    }
    f->n_left_out = f->unreadable ? 0 : f->n_findings - kept;
    f->n_findings = f->unreadable ? f->n_findings : kept;
}
