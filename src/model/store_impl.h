/* store_impl.h - a store, and what all of them share (store_shared.c). Inside src/model/store*.c only. */
#ifndef POSVIZ_MODEL_STORE_IMPL_H
#define POSVIZ_MODEL_STORE_IMPL_H

#include "model/folder.h"
#include "model/store.h"

/* A name, taken apart. */
struct wanted {
    char id[256];               /* without prefix, revision and file */
    char revision[72];          /* behind '@'; "" not asked for */
    char pick[200];             /* behind ':' or a file name at the end; "" none */
    bool store_named;           /* by a prefix: the user knows where it is */
};

enum found { FOUND_NOTHING, FOUND_ONE, FOUND_TROUBLE /* err is set */ };
enum { ROOTS_MAX = 6 };
struct roots { char *path[ROOTS_MAX]; size_t n; };
typedef void (*store_list_fn)(const struct store_entry *entry, void *context);

struct store_kind {
    const char *prefix, *name;                          /* "hf", "huggingface" */
    void (*roots)(struct roots *r);                     /* where it may be, first choice first */
    enum found (*find)(const char *root, const struct wanted *w, struct store_hit *hit, struct err *err);
    void (*list)(const char *root, store_list_fn fn, void *context);
};
extern const struct store_kind store_hf, store_modelscope, store_ollama, store_lmstudio;

/* "~" and "$VAR" in a value of an environment variable, which may be absent; NULL if it is absent or empty. The caller frees it. */
char *expanded_variable(const char *name);
/* Adds a path (taken over; NULL is allowed). */
void roots_add(struct roots *r, char *path);
void roots_done(struct roots *r);
/* "HOME/rest"; NULL without a home. */
char *home_path(const char *rest);

/* Word characters, '-', '.', and `slashes` slashes between parts that are neither empty nor begin with '.'. */
bool is_plain_id(const char *id, int slashes);
/* The file or folder to read in a folder of one model: what w asks for, else its configuration, else the only weights. */
enum found pick_in(const char *folder, const struct wanted *w, struct store_hit *hit, struct err *err);
/* Takes the path over. */
enum found hit_path(struct store_hit *hit, char *path, struct err *err);
void hit_note(struct store_hit *hit, enum lang lang, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
