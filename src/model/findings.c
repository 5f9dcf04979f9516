/* findings.c - what can be wrong with a model file: one table of kinds, and the making of a finding. A message says what is
 * wrong, the value, what it does to the model and what to write instead. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/message.h"
#include "base/utf8.h"
#include "model/reader.h"

/* fmt is one of our own messages or its checked translation (msgfmt --check-format). */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

const char *const severity_names[] = {N_("note"), N_("warning"), N_("error")};

#define NOTE SEVERITY_NOTE
#define WARNING SEVERITY_WARNING
#define ERROR SEVERITY_ERROR

const struct finding_kind finding_kinds[] = {
    /* the file itself */
    {"cannot-open", ERROR, N_("the file cannot be opened or read")},
    {"empty-file", ERROR, N_("the file has no content, as after an interrupted download")},
    {"lfs-pointer", ERROR, N_("a Git LFS pointer stands where the file should be")},
    {"wrong-format", ERROR, N_("the content is of another kind than a model description")},
    {"not-json", ERROR, N_("the text breaks the rules of JSON")},
    {"not-an-object", ERROR, N_("the outermost value is not an object with keys")},
    {"too-many-keys", ERROR, N_("an object has more keys than any configuration")},
    {"duplicate-key", WARNING, N_("a key stands twice in one object; readers differ in which one they take")},
    {"truncated", ERROR, N_("the file ends before its data does")},
    {"damaged", ERROR, N_("the file breaks the rules of its format")},
    {"part-of-file", ERROR, N_("a part of a split file that holds none of its keys")},
    {"config-missing", WARNING, N_("no configuration lies beside the weights, so only their names and shapes speak")},
    {"config-unread", WARNING, N_("the configuration beside the weights cannot be read")},
    {"weights-unread", NOTE, N_("weights beside the configuration cannot be read, so their tables are not shown")},
    {"files-disagree", WARNING, N_("two files of one model mean different positions")},
    {"not-in-stores", ERROR, N_("a name is neither a file nor, without doubt, one model of a local store")},
    {"store-note", NOTE, N_("something about the local store that the model was found in")},
    {"several-files", ERROR, N_("a folder holds several models, and none is chosen by guessing")},
    {"no-model", ERROR, N_("a folder holds no model file")},
    {"control-characters", NOTE, N_("a name or text in the file holds control characters, which are shown as '?'")},
    {"changed-by-you", NOTE, N_("values were changed on the command line before reading")},
    {"edit-refused", ERROR, N_("a change asked for on the command line does not fit the file")},
    /* values */
    {"wrong-type", ERROR, N_("a value has a type that its key cannot have")},
    {"not-finite", ERROR, N_("a number is too large to be one")},
    {"out-of-range", ERROR, N_("a value lies outside what its key can mean")},
    {"key-misspelt", WARNING, N_("a key that no loader reads looks like one that is missing")},
    {"key-unread", NOTE, N_("a key speaks of rotation but is read by no loader known here")},
    /* family and scheme */
    {"family-unknown", WARNING, N_("the model type is not known here, so only what keys say is shown")},
    {"part-unknown", NOTE, N_("the family of a part (vision, sound, ...) is not known here, so its encoding is not shown")},
    {"not-computed", NOTE, N_("the encoding is named, but the family's form of it is not computed here")},
    {"encoding-unknown", WARNING, N_("nothing in the file says which position encoding the model has")},
    {"encoding-conflict", WARNING, N_("keys of two different position encodings stand in the file")},
    {"encoding-key-unknown", WARNING, N_("the key that names the position encoding has an unknown value")},
    {"encoding-key-unused", NOTE, N_("a key names a position encoding that the family's code does not use")},
    {"layout-unknown", WARNING, N_("which dimensions form a rotated pair cannot be told")},
    {"not-covered", WARNING, N_("a form of the encoding that is not computed here")},
    {"encoding-refuses", ERROR, N_("the values do not fit the encoding")},
    {"architecture-unknown", WARNING, N_("the architecture is not known here, so what its code does is a guess")},
    /* sizes */
    {"width-assumed", WARNING, N_("a width or head count is missing, so the default of the family is taken")},
    {"head-dim-unknown", WARNING, N_("the width of a head cannot be told, so frequencies cannot be shown")},
    {"heads-by-layer", NOTE, N_("the number of heads differs from layer to layer")},
    {"heads-do-not-divide", ERROR, N_("the hidden width is no multiple of the number of heads")},
    {"odd-rotary-dim", ERROR, N_("an odd number of dimensions cannot be turned in pairs")},
    {"partial-out-of-range", ERROR, N_("the rotated part of a head is not between nothing and all of it")},
    {"partial-conflict", WARNING, N_("two keys give different numbers of rotated dimensions")},
    /* length */
    {"context-missing", WARNING, N_("no key says how long the context is")},
    {"context-implied", NOTE, N_("the length is the default of the family, not a value of the file")},
    {"context-conflict", NOTE, N_("two length keys differ")},
    {"table-offset", NOTE, N_("some rows of the learned table are not for tokens, so fewer positions than rows can be used")},
    {"table-too-short", ERROR, N_("the learned table has no row left for a token")},
    {"beyond-original", WARNING, N_("the declared length is beyond the original one and no scaling covers the difference")},
    /* rotary base */
    {"base-assumed", NOTE, N_("the base is not in the file and the default is small for the length")},
    {"base-missing", WARNING, N_("the base is not in the file and a smaller default takes its place")},
    {"base-small", NOTE, N_("the usual base of short models beside a long declared length, without a scaling")},
    {"base-conflict", WARNING, N_("two keys give different bases")},
    /* rotary scaling */
    {"scaling-not-object", ERROR, N_("the scaling must be an object with keys")},
    {"scaling-empty", WARNING, N_("the scaling is an empty object, on which some loaders fail")},
    {"scaling-type-missing", ERROR, N_("the scaling does not say of which kind it is")},
    {"scaling-type-legacy", NOTE, N_("the kind of scaling stands under its old name")},
    {"scaling-type-conflict", WARNING, N_("type and rope_type name two kinds of scaling")},
    {"scaling-type-unknown", WARNING, N_("a kind of scaling that is not known here; frequencies are shown unscaled")},
    {"scaling-not-computed", WARNING, N_("a kind of scaling whose formula belongs to the family and is not computed here")},
    {"scaling-conflict", WARNING, N_("rope_parameters and rope_scaling disagree")},
    {"scaling-key-unknown", WARNING, N_("a key of the scaling is read by no loader, perhaps misspelt")},
    {"factor-missing", ERROR, N_("the scaling has no factor")},
    {"factor-below-one", ERROR, N_("a factor below 1 would shorten the context; often the inverse is meant")},
    {"factor-unused", WARNING, N_("a factor beside rope_type default, which scales nothing")},
    {"factor-huge", WARNING, N_("a factor so large that a length may be meant")},
    {"factor-conflict", WARNING, N_("factor and the ratio of the lengths disagree; loaders differ in which one they use")},
    {"factor-readings", NOTE, N_("the declared length may be the one before or after scaling")},
    {"original-missing", WARNING, N_("the original length is missing and the declared one is taken for it")},
    {"original-larger", WARNING, N_("the original length is larger than the declared one")},
    {"original-conflict", WARNING, N_("two keys give different original lengths")},
    {"yarn-betas", WARNING, N_("beta_fast below beta_slow turns the ramp of YaRN around")},
    {"mscale-ignored", NOTE, N_("mscale alone has no effect; it needs mscale_all_dim beside it")},
    {"longrope-lists-missing", ERROR, N_("longrope without its lists of factors")},
    {"longrope-length", ERROR, N_("a list of factors has another length than there are frequencies")},
    {"longrope-entry", ERROR, N_("an entry of a list of factors is not a positive number")},
    {"llama3-incomplete", ERROR, N_("a value that llama3 scaling needs is missing")},
    {"llama3-bands", ERROR, N_("the bands of llama3 scaling are in the wrong order")},
    {"llama3-factors-missing", NOTE, N_("a file that looks like Llama 3.1 has neither its scaling nor the tensor that holds it")},
    {"factors-unknown", NOTE, N_("the factors in the file are those of no scaling known here; they are used as they are")},
    {"rounding-lost", NOTE, N_("the file format cannot say that the ramp of YaRN is not rounded")},
    {"sections-left", NOTE, N_("pairs that no section covers turn otherwise in llama.cpp than in transformers")},
    {"sections-missing", WARNING, N_("multi-axis RoPE without the list that says which pairs turn with which axis")},
    {"sections", ERROR, N_("the sections of multi-axis RoPE do not add up to the rotated pairs")},
    /* layers */
    {"layer-types-length", WARNING, N_("a list by layer has another length than there are layers")},
    {"layer-type-unknown", WARNING, N_("an unknown kind of layer")},
    {"no-rope-layers", WARNING, N_("the flags of layers without RoPE are layer numbers, or turned round")},
    {"window-missing", WARNING, N_("layers are said to slide, but no window says how far they see")},
    {"window-unused", NOTE, N_("the sliding window is at least as long as the context, so it never cuts")},
    /* tensors */
    {"tensor-unread", WARNING, N_("a tensor that the encoding needs is quantised or damaged, so its numbers are not shown")},
    {"tensor-layout", WARNING, N_("tensors do not lie one behind the other, so loaders refuse the file")},
    {"inv-freq", WARNING, N_("the frequencies stored in the file are not those that its configuration asks for")},
    {"table-rows", WARNING, N_("a table has another number of rows than the length asks for")},
    {"table-shape", WARNING, N_("a table has another shape than the encoding needs, so its numbers are not shown")},
    /* biases */
    {"buckets-too-few", ERROR, N_("too few buckets for distances in both directions")},
    {"distance-too-small", ERROR, N_("the largest distance lies inside the exact buckets, so the logarithm has no room")},
    {NULL, NOTE, NULL},
};

static const struct finding_kind *kind_of(const char *code)
{
    const struct finding_kind *k = finding_kinds;
    while (k->code && strcmp(k->code, code))
        k++;
    assert(k->code);
    return k;
}

static void add(struct reader *r, const char *code, const char *field, struct json_place at, const char *fmt, va_list ap)
{
    enum { MESSAGE_MAX = 1024 };
    const struct finding_kind *kind = kind_of(code);
    char raw[MESSAGE_MAX], clean[MESSAGE_MAX];
    message_format(raw, sizeof raw, r->lang, fmt, ap);
    utf8_sanitise(clean, sizeof clean, raw);
    struct facts *f = r->f;
    for (size_t i = 0; i < f->n_findings; i++)          /* parts and layer kinds may meet the same key */
        if (!strcmp(f->finding[i].code, code) && !strcmp(f->finding[i].message, clean))
            return;
    f->finding = xreallocarray(f->finding, f->n_findings + 1, sizeof *f->finding);
    struct finding *new = &f->finding[f->n_findings++];
    *new = (struct finding){.severity = kind->severity, .code = kind->code, .line = at.line, .column = at.column};
    utf8_sanitise(new->field, sizeof new->field, field);
    new->message = xstrdup(clean);
}

/* The key itself, else the object around it, else the whole. */
static struct json_place place_of(const struct reader *r, const char *field)
{
    struct json_place at = {0, 0};
    char path[KEY_PATH_MAX];
    if (!r->text)
        return at;
    for (snprintf(path, sizeof path, "%s", field); *path; ) {
        if (json_locate(r->text, r->size, path, &at))
            return at;
        char *cut = strrchr(path, '.'), *index = strrchr(path, '[');
        cut = index > cut ? index : cut;
        *(cut ? cut : path) = '\0';
    }
    json_locate(r->text, r->size, "", &at);
    return at;
}

void finding_add(struct reader *r, const char *code, const char *field, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add(r, code, field, place_of(r, field), fmt, ap);
    va_end(ap);
}

void finding_add_at(struct reader *r, const char *code, const char *field, struct json_place at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add(r, code, field, at, fmt, ap);
    va_end(ap);
}

char *say(const struct reader *r, char *out, size_t size, const char *fmt, ...)
{
    char raw[1024];
    va_list ap;
    va_start(ap, fmt);
    message_format(raw, sizeof raw, r->lang, fmt, ap);
    va_end(ap);
    return utf8_sanitise(out, size, raw);
}
