/* config_checks.c - what stands in a configuration without effect: keys that are misspelt, keys no code reads, a scaling or a base beside
 * an encoding that has none. Such files load without a word and compute something else. */
#include <math.h>
#include <string.h>

#include "base/near.h"
#include "model/reader.h"

/* ---- spelling ---------------------------------------------------------------------------------------------------------- */

/* Keys whose loss changes every frequency or the length, and that no other key resembles. */
static const char *const weighty[] = {
    "rope_theta", "rope_scaling", "rope_parameters", "max_position_embeddings", "original_max_position_embeddings", "partial_rotary_factor", "rotary_emb_base",
    "rope_local_base_freq", "sliding_window", "num_key_value_heads", "num_attention_heads", "relative_attention_num_buckets", "relative_attention_max_distance",
    NULL,
};

/* Other keys that begin with rope_ or rotary_ and are read here or by the code of a family. */
static const char *const known[] = {
    "rope_embedding_base", "rope_base", "rope_freq_constant", "rope_pct", "rope_ratio", "rope_interleave", "rope_interleaved", "rope_position_scale", "rope_3d",
    "rope_is_neox_style", "rope_type", "rope_full_precision", "rope_dim", "rope_head_dim", "rope_traditional", "rope_fused", "rope_precision", "rope_impl",
    "rotary_pct", "rotary_dim", "rotary_emb_fraction", "rotary_emb_interleaved", "rotary_emb_scale_base", "rotary_scaling_factor", "rotary_embedding_base",
    "rotary_base", "rotary_percent", "rotary_value", "rope_local_theta", "rope_axis_dim", "rope_max_timescale", "rope_min_timescale", "partial_rotary_factors",
    NULL,
};

/* The weighty key that was meant, if it stands nowhere itself. */
static const char *meant(const struct part *p, const char *key)
{
    enum { NEAR = 2 };
    for (size_t i = 0; weighty[i]; i++)
        if (edit_distance(key, weighty[i], true) <= NEAR && !key_find(p, weighty[i], NULL))
            return weighty[i];
    return NULL;
}

/* rope_scaling_factor, rope_freq_base and the like: the words of a scaling or a base in a key that nothing reads. */
static bool speaks_of_rotation(const char *key)
{
    static const char *const words[] = {"scal", "factor", "theta", "base", "freq", NULL};
    if (strncmp(key, "rope_", 5) && strncmp(key, "rotary_", 7))
        return false;
    for (size_t i = 0; words[i]; i++)
        if (strstr(key, words[i]))
            return true;
    return false;
}

void check_spelling(struct part *p)
{
    enum { SAID = 6 };
    size_t said = 0;
    char path[KEY_PATH_MAX];
    for (const struct json *m = json_first(p->object); m && said < SAID; m = json_next(m)) {
        const char *key = json_key(m);
        if (name_among(key, weighty) || name_among(key, known) || json_type(m) == JSON_NULL)
            continue;
        path_join(path, sizeof path, p->path, key);
        const char *word = meant(p, key);
        if (word && ++said)
            finding_add(p->r, "key-misspelt", path, N_("%s is read by no loader, so its value has no effect; %s may be meant, which the file does not have."), path, word);
        else if (!word && speaks_of_rotation(key) && ++said)
            finding_add(p->r, "key-unread", path, N_("%s is read by no loader known here. A scaling belongs into rope_scaling (transformers 5: rope_parameters), a base into rope_theta."),
                        path);
    }
}

/* ---- without effect -------------------------------------------------------------------------------------------------------- */

/* A scaling in a file whose family does not rotate. */
void check_unused_scaling(struct part *p)
{
    char path[KEY_PATH_MAX];
    const struct json *v = key_find(p, "rope_parameters rope_scaling", path), *factor = json_get(v, "factor");
    if (p->family && json_number(factor, 1) > 1)
        finding_add(p->r, "encoding-key-unused", path, N_("%s has no effect: the encoding here is %s, which turns nothing. The context stays as it is."), path, p->f->scheme);
}
