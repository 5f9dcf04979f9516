/* reader.h - values of the wizard's data with their path for messages. Reading goes on after the first fault with harmless
 * values, so that what reads needs no error paths; the first fault's message, with its path in the data, is the one kept. */
#ifndef POSVIZ_WIZARD_READER_H
#define POSVIZ_WIZARD_READER_H

#include "wizard/find.h"
#include "wizard/wizard.h"

struct reader {
    struct book *book;
    struct err *err;
    bool failed;
    char path[200];
};

/* Where in the data a value stands; leave takes the reader back there. key NULL: the index-th of a list. */
struct place { size_t length; };
struct place enter(struct reader *r, const char *key, long index);
void leave(struct reader *r, struct place before);

/* The first one is kept. key: of the value in the present place, or NULL. */
void fault(struct reader *r, const char *key, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void wrong_type(struct reader *r, const char *key, const struct json *found, const char *wanted);

const struct json *member(struct reader *r, const struct json *object, const char *key, enum json_type type);
const char *text_of(struct reader *r, const struct json *object, const char *key);             /* not empty */
const char *optional_text(const struct json *object, const char *key);
double number_of(struct reader *r, const struct json *object, const char *key, double min, double max);
/* KEY_en or KEY, and KEY_zh; same_in_chinese: KEY_zh may be left out. */
struct words words_of(struct reader *r, const struct json *object, const char *key, bool same_in_chinese);
struct words optional_words(struct reader *r, const struct json *object, const char *key);

/* The index, or a fault if it is none. */
int known(struct reader *r, const char *key, const char *id, int index);
/* Entries of the list at key, which must be min to max; 0 after a fault. */
size_t count_of(struct reader *r, const struct json *object, const char *key, size_t min, size_t max);
/* Reads every element of the list at key into array; each element begins with its id or another text that stands once. */
void fill(struct reader *r, const struct json *object, const char *key, void *array, size_t size, size_t *n,
          void (*read)(struct reader *r, const struct json *element, void *out));

/* ---- what many parts have ------------------------------------------------------------------------------ */

int scheme_of(struct reader *r, const struct json *object, const char *key);
const struct via *via_named(struct reader *r, const struct json *object);                       /* at "verified_via" */
/* Sources named at key; their state of verification is stated beside them or that of the weakest. */
struct evidence evidence_of(struct reader *r, const struct json *object, const char *key);
/* Claims named by the list at key, at most BOOK_MAX_CLAIMS; returns how many. */
size_t claims_of(struct reader *r, const struct json *object, const char *key, const struct claim **out);

/* ---- parts --------------------------------------------------------------------------------------------- */

/* A part is a list in the data that becomes an array of the book, or a step of its own. */
struct part {
    const char *parent, *key;                   /* parent NULL: the whole */
    size_t max, size, array, n;                 /* offsets in struct book */
    void (*element)(struct reader *r, const struct json *j, void *out);
    void (*step)(struct reader *r, const struct json *parent);
};
#define LIST(parent, key, max, array, n, element) \
    {parent, key, max, sizeof *((struct book *)0)->array, offsetof(struct book, array), offsetof(struct book, n), element, NULL}
#define STEP(parent, step) {parent, NULL, 0, 0, 0, 0, NULL, step}
/* In the order of reading, ended by zeros; the guide names things of the engine. */
extern const struct part engine_parts[], guide_parts[];

#endif
