/* params.c - every parameter of a scenario in one list, whoever owns it: the view, an encoding, or the scenario itself. */
#include "scenario/scenario.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/quantity.h"

static const char *const mask_titles[] = {N_("none"), N_("causal"), N_("sliding"), N_("in chunks"), N_("window, both ways")};
static const char *const content_titles[] = {N_("none"), N_("random"), N_("the sentence"), N_("from files")};
static const struct param general[GENERAL_COUNT] = {
    [GENERAL_N] = {.name = "n", .title = N_("length n"), .unit = N_("tokens"), .help = N_("number of tokens in the sequence"),
                   .type = PARAM_INT, .def = 512, .min = 1, .max = FACTS_MAX_LENGTH},
    [GENERAL_HEADS] = {.name = "num_heads", .title = N_("heads"), .help = N_("number of attention heads"), .type = PARAM_INT, .def = 8,
                       .min = 1, .max = FACTS_MAX_HEADS, .step = 1},
    [GENERAL_HEAD_DIM] = {.name = "head_dim", .title = N_("head width"), .help = N_("width of a head's queries and keys"),
                          .type = PARAM_INT, .def = 64, .min = 1, .max = FACTS_MAX_HEAD_DIM, .step = 2},
    [GENERAL_D_MODEL] = {.name = "d_model", .title = N_("model width"), .help = N_("width of the input vectors"), .type = PARAM_INT,
                         .def = 512, .min = 1, .max = FACTS_MAX_WIDTH, .step = 4},
    [GENERAL_MASK] = {.name = "mask", .title = N_("mask"), .help = N_("which keys a query may attend to"), .type = PARAM_CHOICE,
                      .def = MASK_CAUSAL, .choices = mask_names, .titles = mask_titles},
    [GENERAL_WINDOW] = {.name = "window", .title = N_("window"), .unit = N_("tokens"), .help = N_("length of the sliding window or of a chunk"),
                        .type = PARAM_INT, .def = 256, .min = 1, .max = FACTS_MAX_LENGTH, .when = "mask=sliding|chunked|window"},
    [GENERAL_MEMORY] = {.name = "memory", .title = N_("memory"), .unit = N_("tokens"),
                        .help = N_("keys kept from earlier segments, before the first query"), .type = PARAM_INT, .def = 0, .min = 0,
                        .max = 1e6, .step = 1},
    [GENERAL_CONTENT] = {.name = "content", .title = N_("content"), .help = N_("where queries and keys come from"), .type = PARAM_CHOICE,
                         .def = CONTENT_TOKENS, .choices = content_names, .titles = content_titles},
    [GENERAL_SEED] = {.name = "seed", .title = N_("seed"), .help = N_("seed of random queries, keys and tables"), .type = PARAM_INT,
                      .def = 1, .min = 0, .max = 1e9, .step = 1},
    [GENERAL_TRAINED] = {.name = "trained", .title = N_("trained length"), .unit = N_("tokens"), .help = N_("length the model was trained on"),
                         .type = PARAM_INT, .def = NAN, .min = 1, .max = FACTS_MAX_LENGTH},
    [GENERAL_TARGET] = {.name = "target", .title = N_("target length"), .unit = N_("tokens"), .help = N_("length the model is wanted for"),
                        .type = PARAM_INT, .def = NAN, .min = 1, .max = FACTS_MAX_LENGTH},
};

static double general_get(const struct scenario *s, int index)
{
    const double all[GENERAL_COUNT] = {
        [GENERAL_N] = s->shape.length, [GENERAL_HEADS] = s->shape.n_heads, [GENERAL_HEAD_DIM] = s->shape.d_head,
        [GENERAL_D_MODEL] = s->shape.d_model, [GENERAL_MASK] = s->mask.type, [GENERAL_WINDOW] = s->mask.size,
        [GENERAL_MEMORY] = s->memory, [GENERAL_CONTENT] = s->content, [GENERAL_SEED] = (double)s->seed,
        [GENERAL_TRAINED] = s->trained, [GENERAL_TARGET] = s->target,
    };
    return all[index];
}

static void general_put(struct scenario *s, int index, double x)
{
    switch (index) {
    case GENERAL_N:        s->shape.length = x; break;
    case GENERAL_HEADS:    s->shape.n_heads = (int)x; break;
    case GENERAL_HEAD_DIM: s->shape.d_head = (int)x; break;
    case GENERAL_D_MODEL:  s->shape.d_model = (int)x; break;
    case GENERAL_MASK:     s->mask.type = (enum mask_type)x; break;
    case GENERAL_WINDOW:   s->mask.size = x; break;
    case GENERAL_MEMORY:   s->memory = x; break;
    case GENERAL_CONTENT:  s->content = (enum content_type)x; break;
    case GENERAL_SEED:     s->seed = (unsigned long)x; break;
    case GENERAL_TRAINED:  s->trained = x; break;
    case GENERAL_TARGET:   s->target = x; break;
    }
}

static size_t add_refs(struct param_ref *out, size_t at, size_t max, const struct param *params, size_t n, enum param_owner owner, int item)
{
    for (size_t i = 0; i < n && at < max; i++)
        out[at++] = (struct param_ref){&params[i], owner, item, (int)i};
    return at;
}

size_t scenario_params(const struct scenario *s, struct param_ref *out, size_t max)
{
    const struct param *params;
    size_t n, at;
    view_params(s->view, &params, &n);
    at = add_refs(out, 0, max, params, n, OWNER_VIEW, 0);
    for (size_t i = 0; i < s->n_items; i++)
        at = add_refs(out, at, max, s->item[i].kind->params, s->item[i].kind->n_params, OWNER_ENCODING, (int)i);
    return add_refs(out, at, max, general, GENERAL_COUNT, OWNER_SCENARIO, 0);
}

struct value scenario_get(const struct scenario *s, const struct param_ref *ref)
{
    switch (ref->owner) {
    case OWNER_VIEW:     return s->view_param[s->view][ref->index];
    case OWNER_ENCODING: return s->item[ref->item].param[ref->index];
    case OWNER_SCENARIO: break;
    }
    return (struct value){general_get(s, ref->index), NULL};
}

bool scenario_param_applies(const struct scenario *s, const struct param_ref *ref)
{
    const struct param *params;
    size_t n;
    struct value values[GENERAL_COUNT];
    switch (ref->owner) {
    case OWNER_VIEW:
        view_params(s->view, &params, &n);
        return param_applies(params, n, (size_t)ref->index, s->view_param[s->view]);
    case OWNER_ENCODING:
        return param_applies(s->item[ref->item].kind->params, s->item[ref->item].kind->n_params, (size_t)ref->index, s->item[ref->item].param);
    case OWNER_SCENARIO:
        break;
    }
    for (int i = 0; i < GENERAL_COUNT; i++)
        values[i] = (struct value){general_get(s, i), NULL};
    return param_applies(general, GENERAL_COUNT, (size_t)ref->index, values);
}

static void replace(struct value *slot, struct value v)
{
    table_ref(v.t);
    table_unref(slot->t);
    *slot = v;
}

/* Sets and returns the value before, holding its reference. */
static struct value exchange(struct scenario *s, const struct param_ref *ref, struct value v)
{
    struct value old = scenario_get(s, ref);
    table_ref(old.t);
    if (ref->owner == OWNER_VIEW)
        replace(&s->view_param[s->view][ref->index], v);
    else if (ref->owner == OWNER_ENCODING)
        replace(&s->item[ref->item].param[ref->index], v);
    else
        general_put(s, ref->index, v.x);
    return old;
}

struct param scenario_bounds(const struct scenario *s, const struct param_ref *ref)
{
    struct param p = *ref->param;
    if (p.of_heads)
        p.max = fmin(p.max, s->shape.n_heads - 1);
    return p;
}

void scenario_keep_heads(struct scenario *s)
{
    for (int view = 0; view < VIEW_COUNT; view++) {
        const struct param *params;
        size_t n;
        view_params((enum view_id)view, &params, &n);
        for (size_t i = 0; i < n; i++)
            if (params[i].of_heads)
                s->view_param[view][i].x = fmin(s->view_param[view][i].x, s->shape.n_heads - 1);
    }
}

bool scenario_put(struct scenario *s, const struct param_ref *ref, struct value v, struct err *err)
{
    struct param bounds = scenario_bounds(s, ref);
    if (!param_check(&bounds, v, err))
        return false;
    struct value old = exchange(s, ref, v);
    bool opens = true;
    if (ref->owner != OWNER_VIEW) {
        struct layer *layer = scenario_layer(s, err);
        opens = layer != NULL;
        layer_close(layer);
    }
    if (!opens) {
        /* A scenario that did not open before may be edited further: only a step from good to bad is refused. */
        struct value refused = exchange(s, ref, old);
        struct layer *before = scenario_layer(s, NULL);
        if (!before) {
            opens = true;
            table_unref(exchange(s, ref, refused).t);
            if (err)
                *err->text = '\0';
        }
        layer_close(before);
        table_unref(refused.t);
    }
    table_unref(old.t);
    scenario_keep_heads(s);
    return opens;
}

/* The quantity of an encoding that has a parameter's name, or NULL. */
static const struct quantity *quantity_of(const struct encoding *kind, const char *name)
{
    for (size_t i = 0; i < kind->n_quantities; i++)
        if (!strcmp(kind->quantities[i].name, name) && !kind->quantities[i].no_instance)
            return &kind->quantities[i];
    return NULL;
}

char *scenario_derived(const struct scenario *s, const struct param_ref *ref, char *out, size_t size)
{
    *out = '\0';
    if (ref->owner != OWNER_ENCODING || !value_absent(scenario_get(s, ref)))
        return out;
    const struct item *item = &s->item[ref->item];
    const struct quantity *q = quantity_of(item->kind, ref->param->name);
    const struct request nothing = {.output = ref->param->name};
    struct enc *e = q ? enc_open(item->kind, &s->shape, item->param, NULL) : NULL;
    struct answer answer = {0};
    if (e && q->compute(e, &nothing, &answer, NULL) && answer.values->n == 1 && isfinite(answer.values->v[0]))
        snprintf(out, size, "%.10g", answer.values->v[0]);
    else if (answer.values)
        param_format(ref->param, (struct value){NAN, answer.values}, out, size);
    table_unref(answer.values);
    enc_close(e);
    return out;
}
