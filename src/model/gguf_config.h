/* gguf_config.h - a GGUF file as a configuration with Hugging Face's names, so that one reading serves both; and the way back, from
 * those names to the file's, in origins and findings.
 *
 * gguf_translate, then read_model on r->root, then gguf_names. */
#ifndef POSVIZ_MODEL_GGUF_CONFIG_H
#define POSVIZ_MODEL_GGUF_CONFIG_H

#include "model/gguf_translation.h"

/* Fills r->root and the translation, with findings about what the keys alone tell. */
void gguf_translate(struct translation *t, struct reader *r, const struct gguf *g);
void gguf_translation_done(struct translation *t);
/* "llama.rope.freq_base=1e6" or "rope.freq_base=1e6" with the name of the configuration; other edits as they are. The caller frees it. */
char *gguf_edit(const struct translation *t, const char *edit);
/* Names of the file in r->f's origins and findings. */
void gguf_names(const struct translation *t);

#endif
