/* store_shared.c - what every store needs: paths that the environment names, the form of ids, and which of a model's files to read. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/message.h"
#include "base/utf8.h"
#include "model/store_impl.h"

/* ---- where stores are ------------------------------------------------------------------------------------------------ */

char *home_path(const char *rest)
{
    const char *home = getenv("HOME");
    return home && *home ? in_folder(home, rest) : NULL;
}

char *expanded_variable(const char *name)
{
    const char *at = getenv(name);
    struct buf out = {0};
    if (!at || !*at)
        return NULL;
    if (*at == '~' && (at[1] == '/' || !at[1]) && getenv("HOME"))
        buf_text(&out, getenv("HOME")), at++;
    while (*at) {
        char variable[64];
        size_t brace = at[0] == '$' && at[1] == '{', from = 1 + brace, n = 0;
        while (*at == '$' && (isalnum((unsigned char)at[from + n]) || at[from + n] == '_'))
            n++;
        if (!n || n >= sizeof variable || (brace && at[from + n] != '}')) {
            buf_put(&out, at++, 1);
            continue;
        }
        snprintf(variable, sizeof variable, "%.*s", (int)n, at + from);
        buf_text(&out, getenv(variable) ? getenv(variable) : "");
        at += from + n + brace;
    }
    return buf_string(&out);
}

void roots_add(struct roots *r, char *path)
{
    bool known = !path || r->n == ROOTS_MAX;
    for (size_t i = 0; i < r->n && !known; i++)
        known = !strcmp(r->path[i], path);
    if (known)
        free(path);
    else
        r->path[r->n++] = path;
}

void roots_done(struct roots *r)
{
    for (size_t i = 0; i < r->n; i++)
        free(r->path[i]);
}

/* ---- what is found there ---------------------------------------------------------------------------------------------- */

bool is_plain_id(const char *id, int slashes)
{
    int found = 0;
    bool begin = true;
    for (const char *c = id; *c; c++) {
        bool word = isalnum((unsigned char)*c) || *c == '_' || *c == '-' || *c == '.' || (unsigned char)*c >= 0x80;
        if (*c == '/') {
            if (begin || ++found > slashes)
                return false;
            begin = true;
            continue;
        }
        if (!word || (begin && *c == '.'))
            return false;
        begin = false;
    }
    return !begin && found == slashes;
}

void hit_note(struct store_hit *hit, enum lang lang, const char *fmt, ...)
{
    char raw[400];
    va_list ap;
    va_start(ap, fmt);
    message_format(raw, sizeof raw, lang, fmt, ap);
    va_end(ap);
    if (hit->n_notes < STORE_NOTES)
        utf8_sanitise(hit->note[hit->n_notes++], sizeof *hit->note, raw);
}

enum found hit_path(struct store_hit *hit, char *path, struct err *err)
{
    struct stat st;
    bool fits = strlen(path) < sizeof hit->source.path;
    bool odd = stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);    /* nobody writes into a pipe here */
    if (!fits)
        err_set(err, N_("%s: the path is too long"), path);
    else if (odd)
        err_set(err, N_("%s: is not a regular file"), path);
    snprintf(hit->source.path, sizeof hit->source.path, "%s", fits ? path : "");
    free(path);
    return fits && !odd ? FOUND_ONE : FOUND_TROUBLE;
}

/* Files of weights whose name holds what was asked for ("Q4_K_M"); with "" all of them. */
static struct listing weights_with(const char *folder, const char *part)
{
    struct listing l = list_files(folder, ".gguf", 1), kept = {0};
    keep_models(&l);
    for (size_t i = 0; i < l.n; i++) {
        if (strcasestr(l.name[i], part)) {
            kept.name = xreallocarray(kept.name, kept.n + 1, sizeof *kept.name);
            kept.name[kept.n++] = xstrdup(l.name[i]);
        }
    }
    listing_done(&l);
    return kept;
}

static enum found pick_asked(const char *folder, const struct wanted *w, struct store_hit *hit, struct err *err)
{
    char names[300];
    if (is_dangling(folder, w->pick))
        return err_set(err, N_("%s: %s is a link to a file that is not there: its download was interrupted"), w->id, w->pick), FOUND_TROUBLE;
    if (has_file(folder, w->pick))
        return hit_path(hit, in_folder(folder, w->pick), err);
    struct listing l = weights_with(folder, w->pick);
    enum found found = l.n == 1 ? hit_path(hit, in_folder(folder, l.name[0]), err) : FOUND_TROUBLE;
    if (l.n > 1)
        err_set(err, N_("%s:%s fits %zu files: %s. Name one of them: %s/FILE"), w->id, w->pick, l.n, listing_text(&l, names, sizeof names), w->id);
    listing_done(&l);
    if (found == FOUND_ONE || (err && *err->text))
        return found;
    l = list_files(folder, "", 1);
    err_set(err, N_("%s: no file here is called %s or has it in its name; there are: %s"), w->id, w->pick, listing_text(&l, names, sizeof names));
    listing_done(&l);
    return FOUND_TROUBLE;
}

enum found pick_in(const char *folder, const struct wanted *w, struct store_hit *hit, struct err *err)
{
    char names[300];
    if (*w->pick)
        return pick_asked(folder, w, hit, err);
    if (is_dangling(folder, "config.json"))
        return err_set(err, N_("%s: config.json is a link to a file that is not there: its download was interrupted"), w->id), FOUND_TROUBLE;
    if (has_file(folder, "config.json"))
        return hit_path(hit, xstrdup(folder), err);
    struct listing tensors = list_files(folder, ".safetensors", 0), l = weights_with(folder, "");
    enum found found = FOUND_TROUBLE;
    if (tensors.n)
        found = hit_path(hit, xstrdup(folder), err);
    else if (l.n == 1)
        found = hit_path(hit, in_folder(folder, l.name[0]), err);
    else if (l.n)
        err_set(err, N_("%s has %zu models: %s. Name one of them: %s/FILE, or a part of its name: %s:PART"), w->id, l.n, listing_text(&l, names, sizeof names), w->id, w->id);
    else
        err_set(err, N_("%s: its folder %s holds no model file"), w->id, folder);
    listing_done(&tensors);
    listing_done(&l);
    return found;
}
