/* facts_read.c - a file becomes facts: which kind it is, who reads it, and what became of it as a message. */
#include "model/facts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "model/reader.h"

/* Asked in turn; the last one takes every text. */
static const struct format *const formats[] = {&format_folder, &format_gguf, &format_safetensors, &format_config};

static size_t first_bytes(const char *path, unsigned char head[SNIFF_BYTES])
{
    struct stat st;
    /* A pipe is not even opened: to close it again would end its writer. */
    bool regular = strcmp(path, "-") && stat(path, &st) == 0 && S_ISREG(st.st_mode);
    int fd = regular ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    ssize_t n = fd >= 0 ? read(fd, head, SNIFF_BYTES) : 0;
    if (fd >= 0)
        close(fd);
    return n > 0 ? (size_t)n : 0;
}

static const struct format *format_of(const char *path)
{
    unsigned char head[SNIFF_BYTES];
    size_t n = first_bytes(path, head), last = sizeof formats / sizeof *formats - 1;
    for (size_t i = 0; i < last; i++)
        if (formats[i]->sniff(path, head, n))
            return formats[i];
    return formats[last];
}

static struct facts *examine(struct reader *r, const struct format *format, const char *name)
{
    r->f = facts_new(name, format->format);
    if (r->path)
        utf8_sanitise(r->f->path, sizeof r->f->path, r->path);
    r->f->lang = r->lang;
    r->f->unreadable = !format->read(r);
    json_free(r->root);
    return r->f;
}

/* A name that no store can make a file of. */
static struct facts *refused(struct reader *r, const char *name, const char *why)
{
    r->f = facts_new(name, FORMAT_CONFIG);
    r->f->unreadable = true;
    finding_add(r, "not-in-stores", "", "%s", why);
    return r->f;
}

struct facts *facts_examine(const char *path, const char *const *edits, size_t n_edits, enum lang lang)
{
    struct store_hit hit;
    struct err err = {.lang = lang};
    enum store_answer answer = store_find(path, &hit, &err);
    struct reader r = {.lang = lang, .path = answer == STORE_FOUND ? hit.source.path : path, .edits = edits, .n_edits = n_edits};
    struct facts *f = answer == STORE_REFUSED ? refused(&r, path, err.text) : examine(&r, format_of(r.path), path);
    f->source = hit.source;
    for (size_t i = 0; i < hit.n_notes && !f->unreadable; i++)
        finding_add(&r, "store-note", "", "%s", hit.note[i]);
    return f;
}

/* Unreadable facts become the message of their finding. */
static struct facts *or_message(struct facts *f, struct err *err)
{
    if (!f->unreadable)
        return f;
    const char *message = f->n_findings ? f->finding[0].message : "";
    if (!strncmp(message, f->file, strlen(f->file)))        /* what cannot be opened is named already */
        err_set(err, "%s", message);
    else
        err_set(err, "%s: %s", f->file, message);
    facts_unref(f);
    return NULL;
}

static enum lang lang_of(const struct err *err)
{
    return err ? err->lang : LANG_EN;
}

struct facts *facts_read_edited(const char *path, const char *const *edits, size_t n_edits, struct err *err)
{
    return or_message(facts_examine(path, edits, n_edits, lang_of(err)), err);
}

struct facts *facts_read(const char *path, struct err *err)
{
    return facts_read_edited(path, NULL, 0, err);
}

struct facts *facts_from_config(const char *name, const char *text, size_t size, struct err *err)
{
    struct reader r = {.lang = lang_of(err), .text = text, .size = size};
    struct facts *f = or_message(examine(&r, &format_config, name), err);
    if (f) {
        f->config = xcalloc(size + 1, 1);
        memcpy(f->config, text, size);
    }
    return f;
}

static bool same_reading(const struct facts *a, const struct facts *b)
{
    char *x = json_print(a->reading, false), *y = json_print(b->reading, false);
    bool same = !strcmp(x, y);
    free(x);
    free(y);
    return same;
}

struct facts *facts_in_lang(const struct facts *f, const char *path, enum lang lang)
{
    struct err err = {.lang = lang};
    if (f->lang == lang)
        return facts_ref(f);
    struct facts *read = f->config ? facts_from_config(f->file, f->config, strlen(f->config), &err) : f->changed ? NULL : facts_read(path, &err);
    if (read && f->reading && read->reading && same_reading(f, read)) {
        memcpy(read->path, f->path, sizeof read->path);
        return read;
    }
    facts_unref(read);
    return NULL;
}
