/* config_rope.h - what a file says about rotation, and the parts that read it. config_rope.c reads the whole; none of the others knows it.
 * Inside src/model only. */
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

/* ---- as the encoding computes it (config_rotation.c) ------------------------------------------------------------------ */

/* Nothing read yet; object NULL: no scaling. */
void scaling_init(struct scaling *s, const struct json *object, const char *path);
void scaling_done(struct scaling *s);
/* The rotation as an item of the encoding `rope`, for the caller to end with item_done; false if there is none to make. */
bool rotation_item(const struct rotation *r, struct item *item);
/* That item opened for a length in tokens, for the caller to close; NULL if there is none, or after a finding where the encoding refuses. */
struct enc *rotation_open(struct part *p, const struct rotation *r, double length);
/* The longest wavelength among turning pairs, in positions. */
double rotation_longest_wave(const struct spectrum *s);
/* Text such as "Pairs 46 to 63 meet unseen angles beyond 4096", from the spectrum; "" where every pair has turned fully. */
char *rotation_unseen(struct part *p, const struct rotation *r, double trained, char *out, size_t size);
/* The numbers of one kind of layer into o (config_rotation_checks.c); none if the encoding cannot be opened. */
void rotation_check(struct part *p, struct json *o, const struct rotation *r);

/* ---- its scaling (config_scaling.c) -------------------------------------------------------------------------------------- */

/* Finds the scaling objects of full and sliding layers (equal unless they are nested by layer type), without reading them. */
void scaling_find(struct part *p, struct scaling *full, struct scaling *local);
/* Reads and checks the object; r's other fields are known already. */
void scaling_read(struct part *p, struct rotation *r);
/* Before it is read: will all pairs exist, and a share of them turn? */
bool scaling_is_proportional(const struct part *p, const struct scaling *s);

/* ---- its base (config_base.c) -------------------------------------------------------------------------------------------- */

/* That of full layers: inside the scaling object (transformers 5) before the top level. x is NAN after a finding. */
struct number base_read(struct part *p, const struct scaling *s);
/* That of sliding layers; global where they have none of their own. */
struct number base_read_local(struct part *p, const struct scaling *local, const struct number *global);
/* Findings about a base that is assumed, written twice, or small for the length. */
void base_check(struct part *p, const struct number *base, const struct rotation *r);

#endif
