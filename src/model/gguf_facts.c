/* gguf_facts.c - the facts of a GGUF file. Its keys are translated into a configuration and read by the code that reads those; here is
 * what only a GGUF has: tensors that hold frequencies and tables, rows permuted by the converter, what llama.cpp does without a key. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "model/folder.h"
#include "model/gguf_config.h"

/* ---- the file as a whole --------------------------------------------------------------------------------------------- */

static void duplicate(const char *key, size_t times, void *context)
{
    char clean[120];
    utf8_sanitise(clean, sizeof clean, key);
    finding_add(context, "duplicate-key", clean, N_("%s stands %zu times in the file: llama.cpp refuses such a file. The last value is shown."), clean, times);
}

/* Tensors whose data would lie beyond the end. */
static void check_tensors(struct reader *r, const struct gguf *g)
{
    size_t outside = 0;
    char first[80] = "";
    for (size_t i = 0; i < g->n_tensors; i++) {
        if (gguf_tensor_inside(g, &g->tensor[i]))
            continue;
        if (!outside++)
            utf8_sanitise(first, sizeof first, g->tensor[i].name);
    }
    if (outside)
        finding_add(r, "truncated", first, N_("the data of %zu of %zu tensors (%s first) lie beyond the end of the file: it is cut off, as after an interrupted "
                                              "download. Keys and the tensors before are shown."), outside, g->n_tensors, first);
}

/* llama.cpp wants every tensor where the one before it ends, and reads no other file. */
static void check_layout(struct reader *r, const struct gguf *g)
{
    uint64_t expected = 0, bytes;
    char name[80];
    for (size_t i = 0; i < g->n_tensors && (bytes = gguf_tensor_bytes(&g->tensor[i])) != 0; i++) {
        const struct gguf_tensor *t = &g->tensor[i];
        if (t->offset != expected) {
            utf8_sanitise(name, sizeof name, t->name);
            finding_add(r, "tensor-layout", name, N_("tensor %s begins at byte %llu of the data, but the one before it ends at %llu: llama.cpp refuses such a file, and the "
                                                     "numbers of its tensors may be wrong here."), name, (unsigned long long)t->offset, (unsigned long long)expected);
            return;
        }
        expected += (bytes + g->alignment - 1) / g->alignment * g->alignment;
    }
}

static double general_number(const struct gguf *g, const char *key)
{
    const struct gguf_value *v = gguf_get(g, key);
    return v ? v->number : NAN;
}

/* Every part but the first of a split file has tensors only. */
static bool is_later_part(struct reader *r, const struct gguf *g)
{
    double part = general_number(g, "split.no"), parts = general_number(g, "split.count");
    if (!(part > 0) || gguf_get(g, "general.architecture"))
        return false;
    finding_add(r, "part-of-file", "split.no", N_("this is part %.0f of %.0f of a split file and has no keys: read the first part (its name has 00001-of)."), part + 1,
                parts);
    return true;
}

static bool check_kind(struct reader *r, const struct gguf *g)
{
    const struct gguf_value *type = gguf_get(g, "general.type"), *name = gguf_get(g, "general.architecture");
    if (is_later_part(r, g))
        return false;
    if (!name || !name->text) {
        finding_add(r, "damaged", "general.architecture", N_("general.architecture is missing, so no key of the model can be told: this is no language model's file."));
        return false;
    }
    if (!strcmp(name->text, "clip")) {
        finding_add(r, "wrong-format", "general.architecture", N_("this is the part of a model for pictures or sound (mmproj): the language model is in another file."));
        return false;
    }
    if (type && type->text && !strcmp(type->text, "adapter")) {
        finding_add(r, "wrong-format", "general.type", N_("this is an adapter (LoRA), not a model: it has no position encoding of its own."));
        return false;
    }
    return true;
}

/* ---- what the keys leave to the code ---------------------------------------------------------------------------------- */

static bool is_rope(const struct translation *t)
{
    return !strcmp(t->r->f->scheme, scheme_names[SCHEME_ROPE]);
}

static void check_base(const struct translation *t)
{
    enum { LONG_FOR_10000 = 8192 };
    char key[160];
    gguf_key_name(t, GGUF_BASE, key, sizeof key);
    if (!is_rope(t) || gguf_get(t->g, key) || edited(t->r, "rope_theta"))
        return;
    if (t->context > LONG_FOR_10000)
        finding_add(t->r, "base-missing", key, N_("%s is missing: 10000 assumed, as llama.cpp does. %.10g positions with base 10000 is unusual: if the model was tuned "
                                                  "with a larger base, the converter lost it and long texts come out wrong. Convert again, or give "
                                                  "--rope-freq-base."), key, t->context);
    else
        finding_add(t->r, "base-assumed", key, N_("%s is missing: 10000 assumed, as llama.cpp does."), key);
}

/* Llama 3.1 and later keep their scaling in a tensor, not in keys. */
static void check_llama3(const struct translation *t)
{
    enum { LLAMA3_BASE = 500000, LLAMA3_CONTEXT = 8192 };
    bool scaled = t->scaling && strcmp(t->r->f->scaling_type, "default");
    if (!is_rope(t) || strcmp(t->name, "llama") || t->base != LLAMA3_BASE || !(t->context > LLAMA3_CONTEXT) || scaled || t->factors ||
        gguf_find_tensor(t->g, "rope_freqs.weight"))
        return;
    finding_add(t->r, "llama3-factors-missing", "rope_freqs.weight",
                N_("no scaling key and no rope_freqs.weight tensor: base 500000 with %.10g positions is that of Llama 3.1, whose scaling lives in this tensor. Without it "
                   "the file is plain RoPE, shown here, and texts beyond %d tokens come out wrong if it is such a model. Convert again with a newer converter."),
                t->context, LLAMA3_CONTEXT);
}

static void check_rounding(const struct translation *t)
{
    if (!strcmp(t->name, "gpt-oss") && !strcmp(t->r->f->scaling_type, "yarn"))
        finding_add(t->r, "rounding-lost", "rope_scaling", N_("gpt-oss asks for a YaRN ramp whose ends are not rounded (truncate = false). GGUF has no key for it and llama.cpp "
                                                              "rounds, shown here: pairs inside the ramp turn at other speeds than in the published model."));
}

static void check_architecture(const struct translation *t)
{
    if (!t->arch && family_find(t->name))
        finding_add(t->r, "architecture-unknown", "general.architecture",
                    N_("architecture %s is not known here: it is read as the transformers family of this name. Which dimensions llama.cpp pairs may differ."), t->name);
}

/* ---- tensors ------------------------------------------------------------------------------------------------------------- */

static void attach(const struct translation *t, const char *tensor_name, const char *encoding, size_t kind)
{
    const struct gguf_tensor *tensor = gguf_find_tensor(t->g, tensor_name);
    if (!tensor || kind >= t->r->f->n_kinds)
        return;
    struct err err = {.lang = t->r->lang};
    struct table *values = gguf_values(t->g, tensor, TABLE_NUMBERS_MAX, &err);
    if (values)
        table_attach(t->r, kind, encoding, "table", values, tensor_name);
    else
        finding_add(t->r, "tensor-unread", tensor_name, N_("%s. Numbers of a random start are shown in its place."), err.text);
    table_unref(values);
}

/* T5 has one table in the first layer of each stack; a file of the encoder alone has no decoder. */
static void attach_buckets(const struct translation *t)
{
    struct facts *f = t->r->f;
    bool encoder_only = !strcmp(t->name, "t5encoder");
    if (encoder_only)
        json_free(json_detach((struct json *)json_get(f->reading, "checks"), "decoder_causal"));
    if (encoder_only && f->n_kinds > 1 && !strcmp(f->kind[f->n_kinds - 1].name, "decoder")) {
        struct layer_facts *last = &f->kind[--f->n_kinds];
        for (size_t i = 0; i < last->n_items; i++)
            item_done(&last->item[i]);
    }
    for (size_t k = 0; k < f->n_kinds; k++)
        attach(t, strcmp(f->kind[k].name, "decoder") ? "enc.blk.0.attn_rel_b.weight" : "dec.blk.0.attn_rel_b.weight", "t5_bias", k);
}

/* The longest wavelength that was computed without the factors. */
static void check_again(struct facts *f)
{
    struct err err = {0};
    struct layer *layer = f->n_kinds ? layer_open(f->kind[0].item, f->kind[0].n_items, &f->kind[0].shape, &err) : NULL;
    const struct enc *e = layer ? layer_spectrum(layer) : NULL;
    struct json *checks = (struct json *)json_get(f->reading, "checks");
    double slowest = INFINITY;
    const struct spectrum *s = e ? e->kind->spectrum(e) : NULL;
    for (size_t k = 0; s && k < s->n; k++)
        if (s->inv_freq[k] > 0)
            slowest = fmin(slowest, s->inv_freq[k]);
    json_free(json_detach(checks, "wavelength_longest"));
    if (isfinite(slowest))
        json_set_number(checks, "wavelength_longest", 2 * M_PI / slowest);
    layer_close(layer);
}

/* The rotation by llama.cpp's own arguments, with the factors of the file. */
static void use_factors(const struct translation *t)
{
    struct facts *f = t->r->f;
    for (size_t k = 0; k < f->n_kinds; k++) {
        for (size_t i = 0; i < f->kind[k].n_items; i++) {
            struct item *item = &f->kind[k].item[i];
            if (strcmp(item->kind->id, "rope"))
                continue;
            item_done(item);
            item_init(item, encoding_find("ggml_rope", NULL));
            item_choice(item, "mode", strcmp(f->layout, "half") ? "normal" : "neox");
            item_number(item, "n_dims", (double)t->factors->n * 2);
            item_number(item, "freq_base", f->base);
            item_number(item, "freq_scale", 1 / t->factors_scale);
            item_list(item, "freq_factors", t->factors);
        }
    }
    check_again(f);
    snprintf(f->scaling_type, sizeof f->scaling_type, "freq_factors");
    json_free(json_detach(f->reading, "scaling_type"));
    json_set_string(f->reading, "scaling_type", f->scaling_type);
    finding_add(t->r, "factors-unknown", "rope_freqs.weight", N_("the %zu factors in rope_freqs.weight are those of no scaling known here: they divide the frequencies "
                                                                 "as they are."), t->factors->n);
}

/* ---- more facts ------------------------------------------------------------------------------------------------------------ */

/* Encoders, and models that fill in masked text, see both sides. */
static void see_both_sides(const struct translation *t)
{
    struct facts *f = t->r->f;
    char key[160];
    const struct gguf_value *v = gguf_get(t->g, path_join(key, sizeof key, t->name, "attention.causal"));
    bool both = v ? v->number == 0 : t->arch && (t->arch->rules & GGUF_BOTH_SIDES);
    for (size_t k = 0; both && k < f->n_kinds; k++) {
        struct mask *m = &f->kind[k].mask;
        if (m->type == MASK_CAUSAL)
            *m = (struct mask){MASK_NONE, 0};
        else if (m->type == MASK_SLIDING)
            *m = (struct mask){MASK_WINDOW, floor(m->size / 2)};
    }
}

static void more_checks(const struct translation *t)
{
    static const char *const modes[] = {"none", "NORM", "NORM", "NEOX", "MROPE", "IMROPE"};
    struct facts *f = t->r->f;
    struct json *checks = (struct json *)json_get(f->reading, "checks");
    if (!t->arch || !is_rope(t) || !checks)
        return;
    json_set_string(checks, "rope_mode", modes[t->arch->rope]);
    if (t->arch->rope == GGUF_ROPE_PERMUTED)
        json_set_string(checks, "layout_before_conversion", "half");
}

static void name_architecture(const struct translation *t)
{
    struct facts *f = t->r->f;
    char from[160];
    snprintf(f->model_type, sizeof f->model_type, "%s", t->name);
    if (t->arch && strcmp(f->scheme, scheme_names[SCHEME_UNKNOWN]))
        origin_set(f, "scheme", say(t->r, from, sizeof from, N_("llama.cpp's code for the architecture %s"), t->name));
}

static void read_tensors(const struct translation *t)
{
    const char *scheme = t->r->f->scheme;
    for (size_t kind = 0; kind < t->r->f->n_kinds; kind++)
        if (kind_has(t->r->f, kind, "learned"))
            attach(t, "position_embd.weight", "learned", kind);
    if (!strcmp(scheme, scheme_names[SCHEME_T5]))
        attach_buckets(t);
    if (t->factors && is_rope(t))
        use_factors(t);
}

/* ---- reading --------------------------------------------------------------------------------------------------------------- */

static bool read_keys(struct reader *r, const struct gguf *g)
{
    struct translation t;
    const char *const *edits = r->edits;
    char *own[EDITS_MAX];
    size_t n = r->n_edits < EDITS_MAX ? r->n_edits : EDITS_MAX;
    gguf_translate(&t, r, g);
    for (size_t i = 0; i < n; i++)
        own[i] = gguf_edit(&t, edits[i]);
    r->edits = (const char *const *)own;
    r->n_edits = n;
    bool good = read_edits(r);
    if (good) {
        read_model(r);
        gguf_names(&t);
        check_architecture(&t);
        check_base(&t);
        check_llama3(&t);
        check_rounding(&t);
        read_tensors(&t);
        see_both_sides(&t);
        more_checks(&t);
        name_architecture(&t);
    }
    r->edits = edits;
    for (size_t i = 0; i < n; i++)
        free(own[i]);
    gguf_translation_done(&t);
    return good;
}

static bool sniff(const char *path, const unsigned char *head, size_t n)
{
    return (n >= 4 && !memcmp(head, "GGUF", 4)) || (n && has_ending(path, ".gguf"));
}

/* What cannot be opened as GGUF may be a thing that is met in its place. */
static void say_what_it_is(struct reader *r, const struct err *err)
{
    char head[SNIFF_BYTES];
    struct bytes b;
    if (!bytes_open(&b, r->path, NULL)) {
        finding_add(r, "cannot-open", "", "%s", err->text);
        return;
    }
    size_t n = b.size < sizeof head ? (size_t)b.size : sizeof head;
    bytes_copy(&b, head, n);
    bytes_close(&b);
    size_t path = strncmp(err->text, r->path, strlen(r->path)) ? 0 : strlen(r->path);       /* which may have the word in it */
    if (n >= 4 && !memcmp(head, "GGUF", 4))
        finding_add(r, strstr(err->text + path, "GGUF") ? "wrong-format" : "damaged", "", "%s", err->text);
    else if (!recognise_alien(r, head, n))
        finding_add(r, "wrong-format", "", "%s", err->text);
}

static bool read_gguf(struct reader *r)
{
    struct err err = {.lang = r->lang};
    struct gguf *g = gguf_open(r->path, &err);
    if (!g) {
        say_what_it_is(r, &err);
        return false;
    }
    bool good = check_kind(r, g);
    if (good) {
        gguf_duplicates(g, duplicate, r);
        check_tensors(r, g);
        check_layout(r, g);
        good = read_keys(r, g);
    }
    gguf_close(g);
    return good;
}

const struct format format_gguf = {
    .name = "gguf",
    .format = FORMAT_GGUF,
    .sniff = sniff,
    .read = read_gguf,
};
