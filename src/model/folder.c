/* folder.c - a folder as one model: its config.json is the reading, weights beside it bring tables and are compared with it; without a
 * configuration the weights are read, if there is no choice among them. */
#include "model/folder.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "model/diff.h"
#include "model/reader.h"
#include "model/weights.h"

enum { COMPARED_MAX = 8 };

/* ---- weights beside a configuration ------------------------------------------------------------------------------------ */

/* The file that speaks for all safetensors of a folder; NULL if there are none. */
static char *weights_of(const char *folder)
{
    if (has_file(folder, "model.safetensors.index.json"))
        return in_folder(folder, "model.safetensors.index.json");
    if (has_file(folder, "model.safetensors"))
        return in_folder(folder, "model.safetensors");
    struct listing l = list_files(folder, ".safetensors", 0);
    keep_models(&l);
    char *path = l.n == 1 ? in_folder(folder, l.name[0]) : NULL;
    listing_done(&l);
    return path;
}

static void take_tables(struct reader *r, const char *folder)
{
    struct err err = {.lang = r->lang};
    char *path = weights_of(folder);
    struct weights *w = path ? weights_open(path, &err) : NULL;
    if (w)
        weights_enrich(r, w);
    else if (path)
        finding_add(r, "weights-unread", "", N_("%s. The configuration alone is shown."), err.text);
    weights_close(w);
    free(path);
}

static char *shown(const struct json *v, char *out, size_t size)
{
    char *text = json_print(v, false);
    utf8_sanitise(out, size, json_string(v) ? json_string(v) : text);
    free(text);
    return out;
}

/* One finding for each field in which a GGUF file disagrees with the configuration. */
static void compare(struct reader *r, const char *folder, const char *name)
{
    char *path = in_folder(folder, name), clean[120], a[80], b[80];
    struct facts *f = facts_examine(path, NULL, 0, r->lang);
    struct diff *d = f->unreadable ? NULL : diff_facts(r->f, f, 1e-6, r->lang);
    utf8_sanitise(clean, sizeof clean, name);
    for (size_t i = 0; d && i < d->n_differences; i++) {
        const struct difference *x = &d->difference[i];
        finding_add(r, "files-disagree", x->field, N_("%s: config.json says %s, %s says %s. `posviz diff` of the two shows what it does."), x->field, shown(x->a, a, sizeof a), clean,
                    shown(x->b, b, sizeof b));
    }
    if (d && !d->n_differences && d->n_pairs)
        finding_add(r, "files-disagree", "", N_("config.json and %s turn %zu of %zu pairs at different speeds. `posviz diff` of the two shows what it does."), clean, d->n_pairs,
                    d->n_rotated);
    if (f->unreadable)
        finding_add(r, "weights-unread", "", N_("%s: %s"), clean, f->n_findings ? f->finding[0].message : "");
    diff_free(d);
    facts_unref(f);
    free(path);
}

static void compare_all(struct reader *r, const char *folder)
{
    struct listing l = list_files(folder, ".gguf", 0);
    keep_models(&l);
    for (size_t i = 0; i < l.n && i < COMPARED_MAX; i++)
        compare(r, folder, l.name[i]);
    listing_done(&l);
}

/* ---- a folder of weights alone --------------------------------------------------------------------------------------------- */

static void several(struct reader *r, const struct listing *l)
{
    char names[600];
    finding_add(r, "several-files", "", N_("the folder has no config.json and %zu models: %s. Name one of them."), l->n, listing_text(l, names, sizeof names));
}

static bool read_as(struct reader *r, const struct format *format, const char *path)
{
    r->f->format = format->format;
    r->path = path;
    utf8_sanitise(r->f->path, sizeof r->f->path, path);
    return format->read(r);
}

static bool read_weights_alone(struct reader *r, const char *folder)
{
    char *weights = weights_of(folder), *path = weights;
    struct listing l = list_files(folder, ".gguf", 0);
    keep_models(&l);
    bool good = false;
    if (!path && l.n == 1)
        path = in_folder(folder, l.name[0]);
    if (path)
        good = read_as(r, weights ? &format_safetensors : &format_gguf, path);
    else if (l.n)
        several(r, &l);
    else if (is_odd(folder, "config.json"))
        finding_add(r, "no-model", "", N_("its config.json is a link to nothing or no regular file."));
    else
        finding_add(r, "no-model", "", N_("the folder holds no model file: no config.json, no .safetensors, no .gguf."));
    listing_done(&l);
    r->path = folder;
    free(path);
    return good;
}

/* ---- reading ------------------------------------------------------------------------------------------------------------------ */

static bool read_folder(struct reader *r)
{
    const char *folder = r->path;
    if (!has_file(folder, "config.json"))
        return read_weights_alone(r, folder);
    char *path = in_folder(folder, "config.json");
    bool good = read_as(r, &format_config, path);
    if (good) {
        take_tables(r, folder);
        if (!r->n_edits)                /* what was changed by hand is not what lies beside it */
            compare_all(r, folder);
    }
    r->path = folder;
    free(path);
    return good;
}

static bool sniff(const char *path, const unsigned char *head, size_t n)
{
    struct stat st;
    (void)head;
    (void)n;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

const struct format format_folder = {
    .name = "folder",
    .format = FORMAT_CONFIG,
    .sniff = sniff,
    .read = read_folder,
};
