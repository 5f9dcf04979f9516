/* scenario.h - the state of the program as plain data. Everything on the screen is a function of (scenario, size): undo is a list
 * of scenarios, a preset is a saved one, a lesson is a list of them with text, options and `:` are edits.
 *
 * scenario_init, edits, scenario_done. A scenario may be copied with scenario_copy only (it counts references). */
#ifndef POSVIZ_SCENARIO_SCENARIO_H
#define POSVIZ_SCENARIO_SCENARIO_H

#include "canvas/palette.h"
#include "core/attention.h"
#include "core/encoding.h"
#include "core/layer.h"
#include "json/json.h"
#include "json/preset.h"
#include "model/facts.h"

/* The views by number, from the same list that the registry of views is made from. */
enum view_id {
#define VIEW(name) VIEW_##name,
#include "views.def"
#undef VIEW
    VIEW_COUNT
};
extern const char *const view_ids[];            /* "table", "similarity", ...; VIEW_COUNT entries */

enum { VIEW_MAX_PARAMS = 16, SCENARIO_TEXT_MAX = 512, SCENARIO_TITLE_MAX = 160, SCENARIO_PATH_MAX = 1024, CURSOR_PANELS = 32 };

struct lesson_place {           /* where in a lesson (tour.h) the scenario stands; id empty: in none */
    char id[64];
    int step;                   /* from 0 */
    int answer;                 /* given to the step's quiz; -1: none */
};

struct zoom { double x0, x1, y0, y1; };         /* part of the axes shown; NAN: all */
struct spot { double x, y; };                   /* real coordinates; NAN: the middle */
enum compare { COMPARE_OFF, COMPARE_A, COMPARE_B, COMPARE_SIDE, COMPARE_DIFFERENCE };
extern const char *const scenario_compare_names[];      /* by enum compare: "off", ...; ends with NULL */

struct scenario {
    enum view_id view;
    struct value view_param[VIEW_COUNT][VIEW_MAX_PARAMS];       /* kept while other views are shown */
    struct zoom zoom;
    int focus;                                  /* panel that the cursor is in */
    struct spot cursor[CURSOR_PANELS];          /* of each panel; those that share an axis' coordinate move together (navigate.h) */
    int chosen;                                 /* parameter chosen in the panel: index into scenario_params */

    size_t n_items;
    struct item item[LAYER_MAX];
    struct shape shape;
    struct mask mask;
    double memory;                              /* keys before the first query */

    enum content_type content;
    unsigned long seed;
    char text[SCENARIO_TEXT_MAX];               /* the sentence of content "tokens" */
    char q_path[SCENARIO_PATH_MAX], k_path[SCENARIO_PATH_MAX];             /* content "tables" */
    struct table *q, *k;

    struct facts *model;                        /* a real file's facts, or NULL */
    char model_from[SCENARIO_PATH_MAX];         /* its path, or "preset:ID"; for saving and compare */
    int model_layer;                            /* layer whose encoding is shown; -1: the main layers */
    double trained, target;                     /* lengths, NAN: not said */
    char walk[SCENARIO_TEXT_MAX];               /* answers to the wizard, as walk_to_text of wizard.h writes them */

    enum lang lang;
    const struct colormap *map;
    const struct theme *theme;
    bool large;                                 /* lecture hall */
    char title[SCENARIO_TITLE_MAX];             /* of the preset it came from, or "" */

    struct lesson_place lesson;
    struct scenario *other;                     /* B of a comparison, owned; NULL: none */
    enum compare compare;
};

void scenario_init(struct scenario *s);         /* rotation of a real model's facts from a built-in preset */
void scenario_done(struct scenario *s);
void scenario_copy(struct scenario *to, const struct scenario *from);   /* to is uninitialised storage */
bool scenario_same(const struct scenario *a, const struct scenario *b);
/* Shows to as from is shown: the same view, part, cursor, language and colours; what is shown stays. */
void scenario_look_like(struct scenario *to, const struct scenario *from);

/* The encodings opened for the scenario's shape. Free with layer_close. NULL and a message if a parameter does not fit. */
struct layer *scenario_layer(const struct scenario *s, struct err *err);

/* ---- edits ------------------------------------------------------------------------------------------- */

bool scenario_set_view(struct scenario *s, const char *id, struct err *err);
/* Replaces the layer by one encoding with its defaults (alias too); the shape and the lengths stay. "a+b": two in turn. "none": empty. */
bool scenario_set_encoding(struct scenario *s, const char *ids, struct err *err);
/* Takes scheme, shape, lengths and window of a model's layer (-1: the main kind). Takes over the reference to facts, also when it
 * fails (no such layer, no readable scheme), which leaves the scenario as it was. from: path or "preset:ID". */
bool scenario_set_model(struct scenario *s, struct facts *facts, const char *from, int layer, struct err *err);
/* The same layer choice for the model already there. */
bool scenario_set_model_layer(struct scenario *s, int layer, struct err *err);
/* Keeps the answers of a walk through the wizard, unread: the wizard's own code does that. */
void scenario_set_walk(struct scenario *s, const char *walk);
/* The file that the model can be read from again. NULL: there is none, since its content came with a preset or a request, or once, through a pipe. */
const char *scenario_model_file(const struct scenario *s);
/* Reads a model file (path, directory or name in a local store) and takes it. */
bool scenario_load_model(struct scenario *s, const char *path, struct err *err);
/* The vectors of content "tables" from .npy files. */
bool scenario_load_content(struct scenario *s, const char *q_path, const char *k_path, struct err *err);

/* Where the cursor of a panel stands; NAN where it has not been. And back to that for all of them. */
struct spot scenario_spot(const struct scenario *s, int panel);
void scenario_reset_cursor(struct scenario *s);

/* ---- parameters (params.c, set.c) --------------------------------------------------------------------- */

/* Every parameter of the scenario in one list: the view's, the encodings', then the general ones (n, num_heads, head_dim, d_model,
 * mask, window, memory, content, seed, trained, target). The panel, `:set`, -s and presets use it; scenario_set also takes the
 * words "text", "walk", "q", "k" (paths), "layer", "zoom", "cursor", "large". */
enum general { GENERAL_N, GENERAL_HEADS, GENERAL_HEAD_DIM, GENERAL_D_MODEL, GENERAL_MASK, GENERAL_WINDOW, GENERAL_MEMORY,
               GENERAL_CONTENT, GENERAL_SEED, GENERAL_TRAINED, GENERAL_TARGET, GENERAL_COUNT };
enum param_owner { OWNER_VIEW, OWNER_ENCODING, OWNER_SCENARIO };
struct param_ref {
    const struct param *param;
    enum param_owner owner;
    int item;                                   /* which encoding of the layer */
    int index;                                  /* in its owner's table */
};
enum { SCENARIO_MAX_PARAMS = VIEW_MAX_PARAMS + LAYER_MAX * ENC_MAX_PARAMS + GENERAL_COUNT };
/* Fills out, in that order, as far as max goes; returns how many. */
size_t scenario_params(const struct scenario *s, struct param_ref *out, size_t max);
/* Does it change anything at the present values of the parameters beside it (the type of scaling, the mask)? */
bool scenario_param_applies(const struct scenario *s, const struct param_ref *ref);
struct value scenario_get(const struct scenario *s, const struct param_ref *ref);      /* borrowed */
/* The parameter with the range that it has here: a head is below num_heads. */
struct param scenario_bounds(const struct scenario *s, const struct param_ref *ref);
/* After num_heads has changed: heads that are no longer there become the last one. */
void scenario_keep_heads(struct scenario *s);
/* Checks and sets; on failure the scenario is as before. */
bool scenario_put(struct scenario *s, const struct param_ref *ref, struct value v, struct err *err);
/* KEY=VALUE by name: the view's own first, then encodings, then general; "encoding.key" chooses the owner. Unknown names
 * are an error that lists near ones. */
bool scenario_set(struct scenario *s, const char *key, const char *value, struct err *err);
/* A typed value as param_parse reads it; a table is given by the path of a .npy file. */
bool scenario_read_value(const struct param *p, const char *text, struct value *out, struct err *err);
/* What a derived (absent) parameter stands for now, as text: the encoding's quantity of the same name; "" if it is simply absent. */
char *scenario_derived(const struct scenario *s, const struct param_ref *ref, char *out, size_t size);

/* The parameter table of a view; defined with the registry of views. */
void view_params(enum view_id view, const struct param **params, size_t *n);

/* ---- presets (from_json.c, to_json.c, presets.c) --------------------------------------------------------- */

/* A scenario in JSON: keys are ids and parameter names; unknown keys are errors with their path. Loading what was saved gives
 * the same scenario. */
bool scenario_from_json(struct scenario *s, const struct json *json, struct err *err);  /* edits s */
struct json *scenario_to_json(const struct scenario *s);

/* By id, or by its last part, or a path to a file; user presets in $XDG_CONFIG_HOME/posviz/presets win. */
bool scenario_load_preset(struct scenario *s, const char *name, struct err *err);

/* Another language for everything the scenario says, the title that a preset gave it included. */
void scenario_speak(struct scenario *s, enum lang lang);

#endif
