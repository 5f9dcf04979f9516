/* config_rope.h - what a file says about rotation: read by config_rope.c and config_scaling.c, computed by the encoding `rope`. */
#ifndef POSVIZ_MODEL_CONFIG_ROPE_H
#define POSVIZ_MODEL_CONFIG_ROPE_H

#include "model/reader.h"

/* A scaling object. Numbers that are absent are NAN, lists NULL. */
struct scaling {
    const struct json *object;          /* NULL: none */
    char path[KEY_PATH_MAX];
    const char *shown;                  /* scaling_type of the reading */
    const char *computed;               /* rope_type of the encoding; "default" where the object cannot be used */
    double partial;                     /* proportional: share of the pairs that turn */
    double factor, original, alpha, attention_factor, beta_fast, beta_slow, mscale, mscale_all_dim, truncate;
    double low_freq_factor, high_freq_factor, short_mscale, long_mscale, temperature_beta;
    struct table *short_factor, *long_factor, *sections;
    bool sections_interleaved;
    bool sections_own_order;            /* rows, columns, time: shown, not computed (text has one position, so nothing changes for it) */
    bool sliding;                       /* that of the sliding layers */
    char original_from[KEY_PATH_MAX], factor_from[KEY_PATH_MAX];
};

/* How one kind of layer turns. */
struct rotation {
    double head_dim, nope_dim, rotary_dim, base;
    const char *layout;                 /* "" unknown */
    double declared;                    /* max_position_embeddings, or another key for it; NAN */
    struct scaling scaling;
};

/* Nothing read yet; object NULL: no scaling. */
void scaling_init(struct scaling *s, const struct json *object, const char *path);
/* Finds the scaling objects of full and sliding layers (equal unless they are nested by layer type), without reading them. */
void scaling_find(struct part *p, struct scaling *full, struct scaling *local);
/* Reads and checks the object; r's other fields are known already. */
void scaling_read(struct part *p, struct rotation *r);
void scaling_done(struct scaling *s);
/* Before it is read: will all pairs exist, and a share of them turn? */
bool scaling_is_proportional(const struct part *p, const struct scaling *s);
/* Text such as "pairs 46 to 63 meet unseen angles beyond 4096", from the spectrum; "" where every pair has turned fully. */
char *unseen_pairs(struct part *p, const struct rotation *r, double trained, char *out, size_t size);
/* Findings about a base that is written twice, or small for the length (config_checks.c). */
void check_outer_base(struct part *p, const struct number *base);
void check_small_base(struct part *p, const struct rotation *r, const struct number *base);
/* The rotation as an item of the encoding `rope`; false if there is none to make. */
bool rotation_item(const struct rotation *r, struct item *item);

#endif
