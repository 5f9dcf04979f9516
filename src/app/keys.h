/* keys.h - what keys do. The framework's actions stand in one table (actions.c), a view's in its own; the line of keys, the help and
 * the README's table are made from them. */
#ifndef POSVIZ_APP_KEYS_H
#define POSVIZ_APP_KEYS_H

#include <stddef.h>
#include "app/view.h"

struct app;
struct app_action {
    uint32_t key, last;             /* the key, or keys from key to last */
    uint32_t key2;                  /* another key for the same; 0: none */
    const char *name;               /* verb-noun, for `:` and the finder */
    const char *help;               /* N_() */
    const char *group;              /* N_(): heading in the help */
    const char *footer;             /* N_(): its word in the line of keys; NULL: not there */
    bool needs_clock;               /* only where the view plays */
    bool needs_parameter;           /* only where a parameter changes the view */
    bool pair;                      /* the line of keys and the help show it together with the next one */
    bool yields;                    /* a view may claim its keys */
    void (*run)(struct app *app, uint32_t key);
};
extern const struct app_action app_actions[];
extern const size_t n_app_actions;

/* The framework's action of a key, or NULL; the view's, or NULL. */
const struct app_action *keys_framework(uint32_t key);
const struct action *keys_view(const struct view *v, uint32_t key);
const struct app_action *keys_by_name(const char *name);

/* "←", "PageDown", "space", "Ctrl-L", "x". Returns out. */
char *key_name(uint32_t key, bool ascii, char *out, size_t size);
/* The key that key_name calls so in one of its two ways, whatever the case of its letters; 0: none. */
uint32_t keys_named(const char *name);
/* All keys of an action: "← h", "1-9", and of a pair "[ ]". Returns out. */
char *keys_of_framework(const struct app_action *a, bool ascii, char *out, size_t size);
char *keys_of_view(const struct action *a, bool ascii, char *out, size_t size);

/* The table of the framework's keys in Markdown; the caller frees it. */
char *keys_markdown(enum lang lang);

#endif
