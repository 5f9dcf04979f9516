/* gguf_names.c - the way back: what speaks of the configuration's keys, origins and findings, speaks of the file's; and edits of the
 * file's keys become edits of the configuration's. */
#include "model/gguf_config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* A name of the configuration, whole ("rope_scaling.factor") or as its last part where that is no plain word ("beta_fast"). */
static int key_of(const char *word, size_t n)
{
    for (int whole = 1; whole >= 0; whole--) {
        for (int key = 0; key < GGUF_KEY_COUNT; key++) {
            const char *last = strrchr(gguf_key_names[key].hf, '.'), *name = whole || !last ? gguf_key_names[key].hf : last + 1;
            if (strlen(name) == n && !strncmp(word, name, n) && (whole || strchr(name, '_')))
                return key;
        }
    }
    return -1;
}

/* Every such name in a text, replaced. The caller frees it. */
static char *renamed(const struct translation *t, const char *text)
{
    struct buf out = {0};
    while (*text) {
        size_t n = 0;
        while (in_name(text[n]))
            n++;
        size_t dots = n;
        while (dots && text[dots - 1] == '.')           /* the end of a sentence */
            dots--;
        char name[160];
        int key = dots ? key_of(text, dots) : -1;
        if (key >= 0)
            buf_text(&out, gguf_key_name(t, (enum gguf_key)key, name, sizeof name));
        else
            buf_put(&out, text, dots);
        text += dots;
        if (*text)
            buf_put(&out, text++, 1);
    }
    return buf_string(&out);
}

static char *origin_renamed(const struct translation *t, const char *from)
{
    if (!strcmp(from, "qk_nope_head_dim + qk_rope_head_dim")) {
        const char *own = gguf_value_of(t, "attention.key_length_mla") ? "key_length_mla" : "key_length";
        return xasprintf("%s.attention.%s", t->name, own);
    }
    int key = key_of(from, strlen(from));
    return key >= 0 && *t->from[key] ? xstrdup(t->from[key]) : renamed(t, from);
}

char *gguf_edit(const struct translation *t, const char *edit)
{
    size_t n = strcspn(edit, "="), prefix = strlen(t->name);
    const char *name = edit;
    if (n > prefix && !strncmp(name, t->name, prefix) && name[prefix] == '.') {
        name += prefix + 1;
        n -= prefix + 1;
    }
    for (int key = 0; key < GGUF_KEY_COUNT; key++)
        if (strlen(gguf_key_names[key].gguf) == n && !strncmp(name, gguf_key_names[key].gguf, n))
            return xasprintf("%s%s", gguf_key_names[key].hf, name + n);
    return xstrdup(edit);
}

void gguf_names(const struct translation *t)
{
    struct facts *f = t->r->f;
    for (size_t i = 0; i < f->n_origins; i++) {
        char *from = origin_renamed(t, f->origin[i].from);
        utf8_sanitise(f->origin[i].from, sizeof f->origin[i].from, from);
        free(from);
    }
    for (size_t i = 0; i < f->n_findings; i++) {
        char *field = renamed(t, f->finding[i].field), *message = renamed(t, f->finding[i].message);
        utf8_sanitise(f->finding[i].field, sizeof f->finding[i].field, field);
        free(f->finding[i].message);
        f->finding[i].message = message;
        free(field);
    }
}
