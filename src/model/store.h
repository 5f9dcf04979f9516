/* store.h - models that other programs keep on this machine, found by their names: the Hugging Face cache (transformers, vLLM, MLX, llama.cpp),
 * ModelScope, Ollama, LM Studio. Reading only, and never a download.
 *
 *     Qwen/Qwen3-8B        Qwen/Qwen3-8B@refs/pr/1        bartowski/X-GGUF:Q4_K_M        org/name/file.gguf        ollama:qwen3:8b
 *
 * A path that exists is that file. Otherwise a prefix (hf:, modelscope:, ollama:, lmstudio:) names a store, else all are asked in this
 * order. Names are untrusted, and so is what the stores hold: no part of a path leads out of its store. */
#ifndef POSVIZ_MODEL_STORE_H
#define POSVIZ_MODEL_STORE_H

#include <stdbool.h>
#include "base/err.h"
#include "json/json.h"

struct model_source {                 /* where a model came from */
    char store[16];             /* huggingface, modelscope, ollama, lmstudio, folder; "" a plain path */
    char id[256];
    char revision[72];          /* commit, tag; "" not said */
    char path[1024];
};

enum store_answer {
    STORE_PATH,                 /* no name of a store: a path, whether it exists or not */
    STORE_FOUND,
    STORE_REFUSED               /* err says why: not there, several that fit, not to be read */
};
enum { STORE_NOTES = 3 };
struct store_hit {
    struct model_source source;
    char note[STORE_NOTES][400]; size_t n_notes;        /* what is worth saying about it, translated */
};

/* What a name stands for. A path inside a store gets its source too. */
enum store_answer store_find(const char *name, struct store_hit *hit, struct err *err);

/* The file or folder that a name stands for, which is where its changes happen; the name itself where no store has it. The caller frees it. */
char *store_path(const char *name);

/* "huggingface, revision 0123456789ab", "" for a plain path. Returns out. */
char *model_source_text(const struct model_source *s, enum lang lang, char *out, size_t size);

struct store_entry { struct model_source source; const char *name; /* to give to store_find */ };
/* Calls fn for every model of every store. */
void store_list(void (*fn)(const struct store_entry *entry, void *context), void *context);
/* {"schema":1, "models":[{"name","store","id","revision","path"}...], "looked":[...]}. The caller frees it. */
struct json *store_list_json(void);
/* The folders looked in, one a line with its store; the caller frees it. */
char *store_places(enum lang lang);

#endif
