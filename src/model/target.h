/* target.h - which settings would carry a model to a longer context, with their factors computed and what each does to short text. */
#ifndef POSVIZ_MODEL_TARGET_H
#define POSVIZ_MODEL_TARGET_H

#include "model/facts.h"

/* {"target", "trained", "context", "factor", "says": text,
 *  "proposals": [{"method", "rope_parameters", "rope_scaling", "max_position_embeddings", "llama_cpp", "attention_factor", "base",
 *                 "pairs": {"kept", "blended", "divided"}, "agreement": {"1": ..., "16": ...}, "effect": text}]}
 * rope_parameters is for transformers 5, rope_scaling for 4. agreement at a distance d is the mean over pairs of cos(d (w - w')): 1 where
 * attention over that distance sees the angles of training. No proposals where nothing need, or nothing can, be written. The caller frees it. */
struct json *facts_target(const struct facts *f, double target, enum lang lang);

#endif
