/* facts.h - what a model file says about position, each fact with its origin, and what is wrong with it.
 *
 * facts_read on a config.json, GGUF, safetensors file or a directory; immutable afterwards and shared by counted references;
 * facts_unref. Files are untrusted: every length is bounded, no size field is believed, control characters never leave here. */
#ifndef POSVIZ_MODEL_FACTS_H
#define POSVIZ_MODEL_FACTS_H

#include <stdatomic.h>
#include <stdint.h>
#include "base/err.h"
#include "core/layer.h"
#include "json/json.h"
#include "model/store.h"

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };
extern const char *const severity_names[];      /* note, warning, error */

/* Every kind of finding, NULL code ends: what `posviz explain` lists. */
struct finding_kind {
    const char *code;           /* stable, e.g. "original-missing" */
    enum severity severity;
    const char *meaning;        /* N_(); one line: what it is and why it matters */
};
extern const struct finding_kind finding_kinds[];

struct finding {
    enum severity severity;
    const char *code;           /* one of finding_kinds */
    char field[96];             /* key path in the file */
    int line, column;           /* 0 in binary files or if not known */
    char *message;              /* what is wrong, the value, what it does to the model, what to write instead; in err's language */
};

enum file_format { FORMAT_CONFIG, FORMAT_GGUF, FORMAT_SAFETENSORS, FORMAT_COUNT };

/* One kind of attention layer; models with sliding and full layers have two or three. Other parts of a model (vision, encoder,
 * decoder, audio) follow behind those of the main part, without layers of their own in kind_of_layer. */
struct layer_facts {
    char name[24];              /* "global", "local", "nope", "vision", ... */
    size_t n_items;             /* 0: no position encoding, or unread */
    bool unread;                /* there is an encoding, but it cannot be computed: a finding says why */
    struct item item[LAYER_MAX];
    struct shape shape;         /* heads, d_head, d_model; length = context */
    struct mask mask;           /* window or chunk */
    size_t count;               /* layers of this kind */
};

/* Well above every model there is, and small enough that every view of a file with absurd numbers comes to its end. A scenario takes the same. */
enum { FACTS_MAX_KINDS = 16, FACTS_MAX_LAYERS = 4096, FACTS_MAX_HEADS = 4096, FACTS_MAX_HEAD_DIM = 16384, FACTS_MAX_WIDTH = 131072 };
#define FACTS_MAX_LENGTH 1e12           /* tokens; beyond int */

struct origin { char field[40]; char from[160]; };         /* "base", "vision.base"; key path, or a rule (translated) */

struct facts {
    atomic_int refs;
    char file[256];             /* as given, sanitised */
    char path[1100];            /* the file that lines and columns count in: of a folder its config.json, of a name what a store has; sanitised */
    enum file_format format;
    enum lang lang;             /* of origins and findings; facts_in_lang reads them again in another */
    char model_type[64];        /* sanitised, "" unknown */
    struct model_source source;       /* the store that the name was found in; store "": a plain path */

    char scheme[32];            /* learned_absolute, sinusoidal_absolute, t5_relative_bias, transformer_xl_relative,
                                   deberta_disentangled, alibi, rope, none, unknown */
    char layout[20];            /* half, interleaved, sin_then_cos, or "" */
    char scaling_type[20];      /* default, linear, ..., unknown, or "" */
    double rotary_dim, head_dim, num_heads, num_kv_heads, num_layers, hidden_size, base, factor, trained_context, context;
                                /* NAN: not said or without meaning */
    double softmax_scale;       /* NAN: 1/sqrt(head_dim), or what the encoding says */
    bool scale_by_layer;        /* layer l divides by l + 1 as well */
    struct json *reading;       /* the object "reading" of `posviz model --json`, complete with per_layer and checks */
    struct origin *origin; size_t n_origins;
    struct finding *finding; size_t n_findings;
    size_t n_left_out;          /* findings taken out of the answer as known or ignored */

    size_t n_kinds;             /* kind 0 is the main one (global, text) */
    struct layer_facts kind[FACTS_MAX_KINDS];
    size_t n_layers;            /* 0: not said */
    unsigned char *kind_of_layer;       /* n_layers */
    char *config;               /* its text, of facts_from_config or of a pipe: what a saved scenario writes where no file or preset names it */
    bool changed;               /* by what-if edits: shown as "changed by you" */
    bool unreadable;            /* no model file at all: one error finding says why (exit status 2) */
};

/* path: a file, a folder, or a name in a local store (store.h). NULL: unreadable (exit status 2). */
struct facts *facts_read(const char *path, struct err *err);
/* The same with KEY=VALUE edits applied to the configuration before it is read. */
struct facts *facts_read_edited(const char *path, const char *const *edits, size_t n_edits, struct err *err);
/* From the text of a config.json (presets, tests). */
struct facts *facts_from_config(const char *name, const char *text, size_t size, struct err *err);
/* The same file in another language, from its text or else from path; NULL where it cannot be read or now says something else. */
struct facts *facts_in_lang(const struct facts *f, const char *path, enum lang lang);
/* Never NULL: an unreadable file gives facts with `unreadable` and its finding. For reports that go on with the next file. */
struct facts *facts_examine(const char *path, const char *const *edits, size_t n_edits, enum lang lang);
struct facts *facts_ref(const struct facts *f);
void facts_unref(struct facts *f);
/* What `posviz model --json` prints (posviz schema model), and its "source" alone. The caller frees them. */
struct json *facts_to_json(const struct facts *f);
struct json *facts_source_json(const struct facts *f);
/* What a kind without items shows in their place, N_(). */
const char *layer_facts_without(const struct layer_facts *k);
const char *facts_origin(const struct facts *f, const char *field);            /* "" if none */
/* What the file says about positions as one number: another number, another reading or another table. */
uint64_t facts_fingerprint(const struct facts *f);
/* One sentence: scheme, what it turns or adds, scaling, lengths. Returns out. */
char *facts_summary(const struct facts *f, enum lang lang, char *out, size_t size);

#endif
