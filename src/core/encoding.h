/* encoding.h - what a position encoding is: data plus hooks.
 *
 * Position can enter attention as a vector added to the input (row), a turn of q and k (rotate), a number
 * added to a logit from positions alone (bias), or from q, k and positions (context). A hook that does not
 * apply is NULL, and everybody asks for a hook, never for a name.
 *
 *     logit = scale * q.k + context terms + bias
 *
 * Order of use: enc_open checks the parameters and makes an instance; hooks may be called from any thread
 * (an instance never changes); enc_close. What depends on the length (dynamic NTK, LongRoPE's switch) is
 * another instance. All numbers are double.
 *
 * Adding an encoding: one file in src/encodings/ that ends with `const struct encoding encoding_NAME`, and one line
 * in encodings.def. */
#ifndef POSVIZ_CORE_ENCODING_H
#define POSVIZ_CORE_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include "base/err.h"
#include "core/table.h"

struct profile;     /* field.h */
struct request;     /* request.h */
struct answer;

/* ---- parameters ---------------------------------------------------------------------------------- */

enum param_type { PARAM_INT, PARAM_REAL, PARAM_BOOL, PARAM_CHOICE, PARAM_LIST, PARAM_TABLE, PARAM_TYPE_COUNT };

/* One row of a parameter table, for encodings and views alike: checks, sliders, --set, JSON, presets, help. */
struct param {
    const char *name;           /* as in Hugging Face configs */
    const char *title;          /* N_(); short label; NULL: the name */
    const char *unit;           /* N_() or NULL */
    const char *help;           /* N_(); one sentence */
    enum param_type type;
    double def;                 /* NAN: absent unless given, then derived and shown as derived. BOOL 0/1, CHOICE index */
    double min, max;            /* allowed range, both ends included (INT, REAL; entries of a LIST) */
    double step;                /* of one key press; 0: multiply by 2^(1/4) (INT: at least 1), for ranges over decades */
    const char *const *choices; /* CHOICE: NULL-terminated ids, for command lines and JSON */
    const char *const *titles;  /* CHOICE: N_(), what the choices are called on a screen; NULL: the ids are names */
    const char *when;           /* "name=id|id" of the same table, a choice or true, false: it changes something only then; NULL: always */
    bool of_heads;              /* INT: the number of a head, which is below num_heads */
};

/* A parameter's value. Absent: x is NAN and t is NULL. */
struct value {
    double x;                   /* INT, REAL, BOOL 0/1, CHOICE index */
    struct table *t;            /* LIST, TABLE */
};

enum { ENC_MAX_PARAMS = 32 };

static const struct value VALUE_ABSENT = {__builtin_nan(""), NULL};
bool value_absent(struct value v);

/* Is x allowed for p? Message: name, value, allowed. */
bool param_check(const struct param *p, struct value v, struct err *err);
/* Reads a typed value: a number ("1e6", "500k" is refused), true/false/on/off/yes/no, a choice's id, a list "1,2,3",
 * "" or "none": absent where allowed. The result holds a reference for LIST. */
bool param_parse(const struct param *p, const char *text, struct value *out, struct err *err);
/* The value as text that param_parse reads back; absent: "". Long lists are cut with "..." . Returns out. */
char *param_format(const struct param *p, struct value v, char *out, size_t size);
/* The next value steps presses up (or down, if negative), kept inside the range; an absent one starts at start. */
struct value param_step(const struct param *p, struct value v, int steps, double start);
int param_index(const struct param *params, size_t n, const char *name);        /* -1: no such name */
/* What a choice is called on a screen: msgid for lang_text. */
const char *param_choice_title(const struct param *p, size_t choice);
/* Does params[i] change anything at these values of its table? */
bool param_applies(const struct param *params, size_t n, size_t i, const struct value *values);

/* ---- kinds and instances ------------------------------------------------------------------------- */

struct shape {
    double length;              /* tokens in the sequence, keys included; up to 1e7 and beyond */
    int n_heads, d_head, d_model;
    double scale;               /* what q.k is multiplied by; 0: not said, 1/sqrt(d_head) unless the encoding knows better */
};

/* The shape's scale, or 1/sqrt(d_head). */
double shape_scale(const struct shape *s);

enum side { SIDE_QUERY, SIDE_KEY };

/* Per pair of a rotation or sinusoid, as data. Owned by the instance. */
struct spectrum {
    size_t n;                           /* pairs */
    const double *inv_freq;             /* n; angle = position * inv_freq, in radians */
    const double *unscaled;             /* n; the same before scaling, or NULL: equal */
    const int *a, *b;                   /* n; channels of each pair. Rows: sine and cosine; b = -1: a sine alone (odd width) */
    const int *axis;                    /* n; coordinate that turns the pair, or NULL: the first */
    const int *band;                    /* n; enum band, or NULL: all kept */
    const double *growth;               /* n; factor a position on the query side (xPos), or NULL: 1 */
    double attention_factor;            /* cos and sin are multiplied by it */
    double trained;                     /* length trained on, or NAN */
};
enum band { BAND_KEPT, BAND_BLENDED, BAND_DIVIDED, BAND_OFF };   /* OFF: frequency 0 */

/* The picture that an encoding is for: its class tokens, then its patches row by row. */
struct token_grid { double rows, columns, class_tokens; };

struct query { const double *pos, *vec; };      /* pos (axes), vec (d_head), not rotated */
struct keys {
    size_t n;
    const double *pos;                  /* n x axes */
    const double *vec;                  /* n x d_head, not rotated */
    const double *content;              /* n; scale * q.k with the rotation applied: the whole allowed row (CoPE counts over it) */
};

enum relative { RELATIVE_NO, RELATIVE_ZERO, RELATIVE_QUERY, RELATIVE_KEY,
                RELATIVE_KEY_ALONE };   /* r is the same at every distance */

struct enc;
struct quantity;

enum promise {          /* claims about the kind at its default settings, which the contract test measures */
    PROMISE_RELATIVE = 1,       /* scores depend on the difference of positions alone */
    PROMISE_ISOMETRIC = 2,      /* rotate keeps lengths */
    PROMISE_SYMMETRIC = 4,      /* score(i, j) = score(j, i) */
    PROMISE_DECAYS = 8,         /* bias never grows with distance */
    PROMISE_NEEDS_TABLE = 16    /* means nothing without a table: seeded if none is given */
};

struct encoding {
    const char *id;
    const char *title;                          /* N_() */
    const char *help;                           /* N_(); one paragraph: what it does, for a newcomer */
    int year;
    const char *cite;                           /* "Press et al. 2022, section 3 (arXiv 2108.12409)" */
    const char *const *aliases;                 /* NULL-terminated names that compute and -e also take, or NULL */
    const char *scheme;                         /* id in wizard data and model readings, or NULL */
    const struct param *params; size_t n_params;
    const struct quantity *quantities; size_t n_quantities;
    const char *const *terms;                   /* names of the context terms (N_()), NULL-terminated, or NULL */
    int axes;                                   /* coordinates of a position: 1 text, 2 grid, 3 M-RoPE, 4 ggml */
    size_t state_size;
    unsigned promises;
    bool (*init)(struct enc *e, struct err *err);       /* checks what the table cannot, fills state; may change scale, axes */
    void (*done)(struct enc *e);                        /* also after a failed init: state may be partly filled */

    /* n x d_model rows, for positions n x axes. A position beyond a table gives a row of NAN. */
    void (*row)(const struct enc *e, const double *pos, size_t n, double *out);
    /* x: n x d_head, turned in place. NAN as first coordinate: no turn. */
    void (*rotate)(const struct enc *e, enum side side, int head, const double *pos, size_t n, double *x);
    /* n biases of one query position (axes) against n key positions (n x axes); 0 where a causal scheme defines none. */
    void (*bias)(const struct enc *e, int head, const double *q_pos, const double *k_pos, size_t n, double *out);
    /* n values of one context term, in logit units. */
    void (*context)(const struct enc *e, int term, int head, const struct query *q, const struct keys *k, double *out);
    /* The same for a term that is 0, or a product of the unturned query or key with a vector r(i - j), in logit units: says which,
     * and unless out is NULL gives r at n distances, n x d_head. NULL: no term is. */
    enum relative (*relative)(const struct enc *e, int term, int head, const double *distance, size_t n, double *out);
    const struct spectrum *(*spectrum)(const struct enc *e);
    /* The bias as a function of distance i - j, exact: builds it with profile_add_*; false if it is none. */
    bool (*distance)(const struct enc *e, int head, struct profile *out);
    /* The picture that is stated; false if none is. */
    bool (*grid)(const struct enc *e, struct token_grid *out);
    /* How many trained numbers the scheme adds (to the model for rows, to a layer for the rest); NULL: none. */
    double (*weights)(const struct enc *e);
};

struct enc {
    const struct encoding *kind;
    struct shape shape;
    struct value param[ENC_MAX_PARAMS];         /* as given or default; absent ones stay absent */
    double scale;                               /* the shape's, or 1/sqrt(d_head), unless init says otherwise */
    int axes;
    void *state;                                /* state_size zeroed bytes */
};

/* All kinds in the order of encodings.def, NULL-terminated. */
extern const struct encoding *const encodings[];
/* By id or alias; NULL and a message that lists the ids if there is none. */
const struct encoding *encoding_find(const char *id, struct err *err);

/* Opens an instance. given: n_params values in the table's order, or NULL for defaults (references are taken). */
struct enc *enc_open(const struct encoding *kind, const struct shape *shape, const struct value *given, struct err *err);
void enc_close(struct enc *e);

/* Where tokens stand, n x e->axes: in the encoding's picture (NAN: a class token, INFINITY: none of its tokens), else at their index on every
 * axis, as a text does. */
void enc_places(const struct enc *e, const double *token, size_t n, double *out);
/* Are those places row p, column p for token p: two coordinates, and no picture is stated? */
bool enc_diagonal(const struct enc *e);

/* The value of a parameter of an instance: a shorthand for hooks. */
static inline double enc_num(const struct enc *e, int param)
{
    return e->param[param].x;
}
static inline bool enc_has(const struct enc *e, int param)
{
    return !value_absent(e->param[param]);
}

#endif
