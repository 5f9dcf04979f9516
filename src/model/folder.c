/* folder.c - a folder as one model: its config.json is the reading, weights beside it bring tables and are compared with it; without a
 * configuration the weights are read, if there is no choice among them. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "model/diff.h"
#include "model/reader.h"
#include "model/weights.h"

enum { FILES_MAX = 4096, COMPARED_MAX = 8, SHOWN = 12 };

struct listing { char **name; size_t n; };

static bool has_ending(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n > m && !strcasecmp(name + n - m, ending);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names with an ending, sorted; hidden ones are left out. */
static struct listing list_files(const char *folder, const char *ending)
{
    struct listing l = {0};
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && l.n < FILES_MAX && (e = readdir(dir));) {
        if (*e->d_name == '.' || !has_ending(e->d_name, ending))
            continue;
        l.name = xreallocarray(l.name, l.n + 1, sizeof *l.name);
        l.name[l.n++] = xstrdup(e->d_name);
    }
    if (dir)
        closedir(dir);
    if (l.n)
        qsort(l.name, l.n, sizeof *l.name, by_name);
    return l;
}

static void listing_done(struct listing *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->name[i]);
    free(l->name);
}

/* "model-00002-of-00004.gguf": a part that is none of its own. */
static bool is_later_part(const char *name)
{
    const char *of = strstr(name, "-of-");
    return of && of - name >= 5 && strncmp(of - 5, "00001", 5) != 0;
}

/* Leaves out later parts, and what belongs to pictures. */
static void keep_models(struct listing *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (is_later_part(l->name[i]) || strcasestr(l->name[i], "mmproj") || has_ending(l->name[i], ".imatrix.gguf"))
            free(l->name[i]);
        else
            l->name[kept++] = l->name[i];
    }
    l->n = kept;
}

static char *in_folder(const char *folder, const char *name)
{
    size_t n = strlen(folder);
    return xasprintf("%s%s%s", folder, n && folder[n - 1] == '/' ? "" : "/", name);
}

static bool exists(const char *folder, const char *name)
{
    struct stat st;
    char *path = in_folder(folder, name);
    bool there = stat(path, &st) == 0 && S_ISREG(st.st_mode);
    free(path);
    return there;
}

/* ---- weights beside a configuration ------------------------------------------------------------------------------------ */

/* The file that speaks for all safetensors of a folder; NULL if there are none. */
static char *weights_of(const char *folder)
{
    if (exists(folder, "model.safetensors.index.json"))
        return in_folder(folder, "model.safetensors.index.json");
    if (exists(folder, "model.safetensors"))
        return in_folder(folder, "model.safetensors");
    struct listing l = list_files(folder, ".safetensors");
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
    struct listing l = list_files(folder, ".gguf");
    keep_models(&l);
    for (size_t i = 0; i < l.n && i < COMPARED_MAX; i++)
        compare(r, folder, l.name[i]);
    listing_done(&l);
}

/* ---- a folder of weights alone --------------------------------------------------------------------------------------------- */

static void several(struct reader *r, const struct listing *l)
{
    char names[600] = "";
    for (size_t i = 0; i < l->n && i < SHOWN; i++) {
        size_t at = strlen(names);
        snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "", l->name[i]);
    }
    finding_add(r, "several-files", "", N_("the folder has no config.json and %zu models: %s%s. Name one of them."), l->n, names, l->n > SHOWN ? ", ..." : "");
}

static bool read_as(struct reader *r, const struct format *format, const char *path)
{
    r->f->format = format->format;
    r->path = path;
    return format->read(r);
}

static bool read_weights_alone(struct reader *r, const char *folder)
{
    char *weights = weights_of(folder), *path = weights;
    struct listing l = list_files(folder, ".gguf");
    keep_models(&l);
    bool good = false;
    if (!path && l.n == 1)
        path = in_folder(folder, l.name[0]);
    if (path)
        good = read_as(r, weights ? &format_safetensors : &format_gguf, path);
    else if (l.n)
        several(r, &l);
    else
        finding_add(r, "no-model", "", N_("the folder holds no model file: no config.json, no .safetensors, no .gguf."));
    listing_done(&l);
    free(path);
    return good;
}

/* ---- reading ------------------------------------------------------------------------------------------------------------------ */

static bool read_folder(struct reader *r)
{
    const char *folder = r->path;
    if (!exists(folder, "config.json"))
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
