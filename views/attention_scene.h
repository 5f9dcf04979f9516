/* attention_scene.h - what the attention view computes of a scenario: its parameters, the words, a layer and one head of it. */
#ifndef POSVIZ_VIEWS_ATTENTION_SCENE_H
#define POSVIZ_VIEWS_ATTENTION_SCENE_H

#include "core/attention.h"
#include "figure/figure.h"
#include "scenario/scenario.h"
#include "sentence.h"

enum { P_HEAD, P_HEADS, P_SHOW, P_TERMS, P_SINK, P_VERSUS };
enum { TERMS_ALL, TERMS_CONTENT, TERMS_POSITION, TERMS_APART, TERMS_DIFFERENCE };
enum { VERSUS_SWAP, VERSUS_GUIDE, VERSUS_ZH, VERSUS_EN };

enum { LONGEST = 131072 };              /* tokens of seeded content that are computed */

double scene_num(const struct scenario *s, int param);                                 /* of the view */
int scene_head(const struct scenario *s);                                              /* of the large picture */
double scene_length(const struct scenario *s, const struct sentence *t);               /* queries */
double scene_memory(const struct scenario *s);                                         /* keys before the first query; a sentence has none */
/* The layer without what turns q and k: content on its own. A rotation is no term beside the content but changes it. Borrows from s: not
 * for scenario_done. */
struct scenario scene_without_turns(const struct scenario *s);

struct scene {
    struct layer *layer;
    struct attention *attention;
};
/* wanted: a set of terms, 0: those that the view's parameter asks for. o is for scene_close even after false. */
bool scene_open(const struct scenario *s, const struct sentence *t, int head, unsigned wanted, int threads, struct scene *o, struct err *err);
void scene_close(struct scene *o);

/* ---- does a head notice the order? (attention_proof.c) ----------------------------------------------------------------------- */

/* The same head for a second sentence with the same words in another order. */
void attention_proof(const struct scenario *s, struct panel *p);
/* The first sentence of the pair that the view's parameter names; NULL: the scenario's own text. */
const char *attention_proof_text(const struct scenario *s);

#endif
