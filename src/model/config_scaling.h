/* config_scaling.h - the kinds of scaling, for config_scaling.c, which finds out the kind. Inside src/model only. */
#ifndef POSVIZ_MODEL_CONFIG_SCALING_H
#define POSVIZ_MODEL_CONFIG_SCALING_H

#include "model/config_rope.h"

/* A kind of scaling: its name in the reading, other names it goes by, the rope_type that computes it. */
struct scaling_kind {
    const char *name, *other_name, *computed;
    /* Reads and checks what is the kind's own; factor and original length are read already. */
    void (*read)(struct part *p, struct rotation *r);
};
const struct scaling_kind *scaling_kind_named(const char *type);        /* NULL: none */
/* The kind whose name is near, or begins the text in other capitals ("YaRN", "llama3.1"); NULL: none. */
const char *scaling_kind_meant(const char *type);
/* The scaling cannot be used: its kind stays on show, frequencies are shown unscaled. */
void scaling_give_up(struct scaling *s);

#endif
