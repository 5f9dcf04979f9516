/* reader.h - what the readers of model files share: the facts under construction, findings, typed access to keys.
 * Inside src/model only. */
#ifndef POSVIZ_MODEL_READER_H
#define POSVIZ_MODEL_READER_H

#include "model/facts.h"
#include "model/families.h"

enum { CONFIG_MAX_BYTES = 16 << 20, EDITS_MAX = 64, KEY_PATH_MAX = 160 };

/* One file being read. */
struct reader {
    struct facts *f;
    enum lang lang;
    const char *path;                   /* to open; "-": standard input */
    const char *text; size_t size;      /* of a configuration, for lines and columns; NULL: binary */
    struct json *root;
    const char *const *edits; size_t n_edits;
    char edited[EDITS_MAX][KEY_PATH_MAX]; size_t n_edited;      /* paths that what-if edits changed */
};

/* A kind of file. Adding one: a row in facts_read.c. sniff sees the first bytes (at most SNIFF_BYTES) and the name; read fills r->f and
 * adds findings; it returns false after an error finding when nothing can be read. */
enum { SNIFF_BYTES = 512 };
struct format {
    const char *name;
    enum file_format format;
    bool (*sniff)(const char *path, const unsigned char *head, size_t n);
    bool (*read)(struct reader *r);
};
extern const struct format format_config, format_gguf, format_safetensors, format_folder;

/* ---- findings (findings.c) ----------------------------------------------------------------------------------- */

/* code is one of finding_kinds (asserted). field is a key path, located in the text, or its nearest parent there; "" is the whole. */
void finding_add(struct reader *r, const char *code, const char *field, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The same at a place that is known already. */
void finding_add_at(struct reader *r, const char *code, const char *field, struct json_place at, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
/* The translation of fmt, formatted and sanitised; returns out. */
char *say(const struct reader *r, char *out, size_t size, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* ---- facts under construction (facts.c) ------------------------------------------------------------------------ */

struct facts *facts_new(const char *file, enum file_format format);
void origin_set(struct facts *f, const char *field, const char *from);
/* Puts the fields of f, its checks and per_layer together as the object "reading", which owns them from then on. */
void reading_finish(struct facts *f, struct json *checks, struct json *per_layer);
/* Lifts the checks to the other fields: the form in which other parts (vision, decoder, ...) are shown. */
void reading_flatten(struct json *reading);

/* ---- one part of a configuration, and its keys (keys.c) --------------------------------------------------------- */

struct part {
    struct reader *r;
    const char *name;                   /* "" the main part, "vision", "encoder", ... */
    const struct json *object;          /* where its keys stand */
    char path[64];                      /* of object, "" the root */
    const struct json *outer;           /* looked in after object: the objects around a text part; NULL: none */
    const struct family *family;        /* NULL: unknown */
    char model_type[64];
    bool nested;                        /* saved without the values that equal the class defaults, so these are no guess */
    struct facts *f;                    /* its reading */
    struct json *checks, *per_layer;    /* under construction */
};

enum how { HOW_ABSENT, HOW_NULL, HOW_BAD, HOW_STATED, HOW_DEFAULT };
struct number {
    double x;                           /* NAN unless stated or default */
    enum how how;
    char path[KEY_PATH_MAX];            /* of the key found */
    char from[KEY_PATH_MAX];            /* the origin: path, "PATH (changed by you)", "default of the family NAME" */
};
enum want {
    WANT_COUNT,         /* a whole number from 1 */
    WANT_WHOLE,         /* any whole number */
    WANT_POSITIVE,      /* a finite number above 0 */
    WANT_FINITE,
    WANT_FLAG,          /* true or false (also 0, 1): x is 1 or 0 */
    WANT_COUNTS         /* a count, or a list of counts of which the first is taken */
};

/* The first of the keys ("a b c.d"; blanks between spellings, dots into objects) that the part has. path may be NULL. */
const struct json *key_find(const struct part *p, const char *keys, char path[KEY_PATH_MAX]);
/* The same as a number of the kind wanted; a value of a wrong type or outside its range is a finding, and HOW_BAD. */
struct number key_number(const struct part *p, const char *keys, enum want want);
/* Not stated at all: the family's default. null stays HOW_NULL. */
struct number key_number_or_default(const struct part *p, const char *keys, enum want want);
/* The entry for the first layer of a kind (sliding or full) in families whose lists have one for each layer; the value itself where it is
 * no list. */
struct number key_number_by_layer(struct part *p, const char *keys, enum want want, bool sliding);
/* A value that was found already, at path; NULL: absent. */
struct number number_at(const struct part *p, const struct json *value, const char *path, enum want want);
bool key_flag(const struct part *p, const char *keys, bool fallback);
/* NULL: absent; a value that is no string is a finding. Sanitised into out. */
const char *key_text(const struct part *p, const char *keys, char *out, size_t size);
/* A member of an object that is not the part itself (a scaling object), with path in front. */
struct number member_number(const struct part *p, const struct json *object, const char *path, const char *key, enum want want);
/* "PATH.key" or "key". */
char *path_join(char *out, size_t size, const char *path, const char *key);
/* Did an edit set what stands at path? */
bool edited(const struct reader *r, const char *path);
/* The path with "(changed by you)" where one did. */
void origin_of(const struct part *p, const char *path, char out[KEY_PATH_MAX]);
void part_origin(const struct part *p, const char *field, const char *from);
const char *part_origin_of(const struct part *p, const char *field);     /* "" if none */
/* Takes a number as a fact: *fact = n.x, and its origin. */
void part_fact(struct part *p, double *fact, const char *field, const struct number *n);

/* Applies r->edits ("KEY=VALUE") to r->root; false and a message for one that does not fit (config_edits.c). */
bool edits_apply(struct reader *r, struct err *err);
/* The object that holds the text model, and its path (config_parts.c). */
const struct json *config_main(const struct json *root, char *path, size_t size);

/* ---- what every format ends with (config_json.c) ------------------------------------------------------------------ */

/* Findings about what stands in the file without effect (config_checks.c). */
void check_spelling(struct part *p);
void check_unused_scaling(struct part *p);
/* The family of an object (outer: the one around it; part: "" the main one) and its model type (config_model.c). NULL: not known. */
const struct family *part_family(const struct json *object, const struct json *outer, const char *part, char *model_type, size_t size);
/* Reads p, of which object, family and names are set, into p->f. */
void read_part(struct part *p);

/* Applies the edits to r->root and says so; false after a finding if one does not fit. */
bool read_edits(struct reader *r);
/* Reads r->root, a configuration, into r->f. */
void read_model(struct reader *r);
/* Says what the bytes are if they are no model file at all (an LFS pointer, a zip, a web page); false if they may be one. */
bool recognise_alien(struct reader *r, const char *text, size_t n);

/* ---- tables of the file (tables.c) ---------------------------------------------------------------------------------- */

enum { TABLE_NUMBERS_MAX = 64 << 20 };
bool kind_has(const struct facts *f, size_t kind, const char *encoding);
/* Makes a table of the file a parameter of the encoding in one kind of layer; a finding where the encoding does not take it. name is the
 * tensor's. Takes no reference. */
void table_attach(struct reader *r, size_t kind, const char *encoding, const char *param, struct table *t, const char *name);

/* ---- the schemes (config_*.c) ----------------------------------------------------------------------------------- */

/* A finding at field if heads so wide are more than can be shown; NAN fits. name is for the message (config_shape.c). */
bool head_dim_fits(struct part *p, const char *field, const char *name, double x);
/* Heads, widths, layers into p->f (config_shape.c). */
void read_shape(struct part *p);
/* A count of layers, or NAN after a finding if it is more than there can be. */
struct number read_layers(struct part *p, struct number n);
/* What multiplies q.k, where it is not 1/sqrt(head_dim), into p->f (config_softmax.c). */
void read_softmax_scale(struct part *p);
/* p->f's shape, as far as known, for encodings; length is the context, the trained one, or a stand-in. */
struct shape part_shape(const struct part *p);
/* A number of the file as one of a shape; what is absurd stays too large for every encoding. */
int shape_number(double x);
/* The declared length, with the finding if there is none; NAN then. */
struct number read_declared(struct part *p);
/* The spellings of its key in this part, for key_number; static. */
const char *length_keys(const struct part *p);
/* Both lengths are n: no extension. */
void take_lengths(struct part *p, const struct number *n);
bool part_is_decoder(const struct part *p);
void read_rope(struct part *p);
void read_alibi(struct part *p);
void read_learned(struct part *p);
void read_sinusoidal(struct part *p);
void read_t5(struct part *p);
void read_transformer_xl(struct part *p);
void read_deberta(struct part *p);
void read_shaw(struct part *p);
void read_relative_2d(struct part *p);
void read_rope_grid(struct part *p);

/* ---- layers (config_layers.c) ------------------------------------------------------------------------------------- */

enum attends { ATTENDS_FULL, ATTENDS_SLIDING, ATTENDS_CHUNKED, ATTENDS_NOT /* recurrent, convolution, linear */ };
struct layer_rule { enum attends attends; bool nope; };
struct layer_map {
    size_t n;                           /* layers; 0: not said, or none */
    struct layer_rule *layer;
    double window;                      /* of sliding layers, NAN: none */
    bool both_sides; double reach;      /* of the window to each side then; NAN: none */
    double chunk;                       /* NAN: none */
    size_t count[ATTENDS_NOT + 1], nope;
    bool mixed;                         /* more than one kind */
};
void layer_map_read(struct part *p, struct layer_map *map);
void layer_map_done(struct layer_map *map);
/* What a layer of one kind applies (config_content.c). */
struct content { struct item item[LAYER_MAX]; size_t n; struct shape shape; };
struct item *content_add(struct content *c, const char *encoding);      /* with its defaults */
void content_done(struct content *c);
/* A parameter by name; false if the encoding has none of this name. */
bool item_number(struct item *item, const char *name, double x);
bool item_choice(struct item *item, const char *name, const char *choice);
bool item_list(struct item *item, const char *name, struct table *t);  /* takes a reference */
/* Makes the kinds of p->f: local is for sliding layers, nope for those without an encoding (which may still scale their queries),
 * global for the others; per_layer and the windows in p's JSON. */
void layer_map_apply(struct part *p, const struct layer_map *map, const struct content *global, const struct content *local,
                     const struct content *nope);
/* The kinds where all layers have the same content. */
void part_content(struct part *p, const struct content *c);
/* A further kind beside those of the layers; layers: NAN if not said. */
void part_add_kind(struct part *p, const char *name, const struct content *c, struct mask mask, double layers);
/* T5's buckets added to another encoding. */
void read_t5_beside(struct part *p, struct content *c);

#endif
