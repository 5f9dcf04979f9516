/* attention_scene.c - a layer and one head of it, opened for the words, tokens or tables of a scenario. */
#include "attention_scene.h"

#include <math.h>

#include "app/view.h"

double scene_num(const struct scenario *s, int param)
{
    return view_num(s, VIEW_attention, param);
}

int scene_head(const struct scenario *s)
{
    return (int)fmin(scene_num(s, P_HEAD), s->shape.n_heads - 1);
}

double scene_length(const struct scenario *s, const struct sentence *t)
{
    if (s->content == CONTENT_TOKENS)
        return (double)t->n;
    double n = fmin(s->shape.length, LONGEST);
    return s->content == CONTENT_TABLES && s->q ? fmin(n, (double)s->q->dim[s->q->rank - 2]) : n;
}

double scene_memory(const struct scenario *s)
{
    return s->content == CONTENT_TOKENS ? 0 : s->memory;
}

static unsigned mask_of_terms(const struct layer *layer, int which)
{
    const char *names[TERMS_MAX];
    unsigned all = (1u << attention_terms(layer, names)) - 1;
    return which == TERMS_CONTENT ? 1u : which == TERMS_POSITION ? all & ~1u : all;
}

struct scenario scene_without_turns(const struct scenario *s)
{
    struct scenario plain = *s;
    plain.n_items = 0;
    for (size_t i = 0; i < s->n_items; i++)
        if (!s->item[i].kind->rotate)
            plain.item[plain.n_items++] = s->item[i];
    return plain;
}

bool scene_open(const struct scenario *s, const struct sentence *t, int head, unsigned wanted, int threads, struct scene *o, struct err *err)
{
    struct shape shape = s->shape;
    shape.length = scene_length(s, t) + scene_memory(s);
    struct scenario plain = scene_without_turns(s);
    const struct scenario *shown = !wanted && (int)scene_num(s, P_TERMS) == TERMS_CONTENT ? &plain : s;
    *o = (struct scene){.layer = layer_open(shown->item, shown->n_items, &shape, err)};
    if (!o->layer)
        return false;
    struct attention_options options = {
        .head = head,
        .mask = s->mask,
        .content = {.type = s->content, .seed = s->seed, .token = t->id, .q = s->q, .k = s->k},
        .terms = wanted ? wanted : mask_of_terms(o->layer, (int)scene_num(s, P_TERMS)),
        .show = (enum attention_show)scene_num(s, P_SHOW),
        .hide_sink = scene_num(s, P_SINK) != 0,
        .memory = scene_memory(s),
        .threads = threads,
    };
    o->attention = attention_open(o->layer, scene_length(s, t), &options, err);
    return o->attention != NULL;
}

void scene_close(struct scene *o)
{
    attention_close(o->attention);
    layer_close(o->layer);
}
