#include "app/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

#define VIEW(name) extern const struct view view_##name;
#include "views.def"
#undef VIEW

const struct view *const views[] = {
#define VIEW(name) &view_##name,
#include "views.def"
#undef VIEW
};

const struct view *view_find(const char *id)
{
    for (int v = 0; v < VIEW_COUNT; v++)
        if (!strcmp(views[v]->id, id))
            return views[v];
    return NULL;
}

void view_params(enum view_id view, const struct param **params, size_t *n)
{
    *params = views[view]->params;
    *n = views[view]->n_params;
}

/* Is a parameter in a list of "name" and "encoding.name"? */
static bool listed(const char *const *list, const char *encoding, const char *name)
{
    size_t head = strlen(encoding);
    for (size_t i = 0; list && list[i]; i++)
        if (!strcmp(list[i], name) || (!strncmp(list[i], encoding, head) && list[i][head] == '.' && !strcmp(list[i] + head + 1, name)))
            return true;
    return false;
}

/* Parameters of an encoding: by what the view says of them. */
static bool reaches(const struct view *v, const char *encoding, const char *name)
{
    return v->uses & USES_ENCODING && !listed(v->idle, encoding, name) && (!v->only || listed(v->only, encoding, name));
}

bool view_depends(const struct scenario *s, const struct param_ref *ref)
{
    const struct view *v = views[s->view];
    if (!scenario_param_applies(s, ref))
        return false;
    v = v->inner && ref->owner != OWNER_VIEW ? views[v->inner(s)] : v;
    switch (ref->owner) {
    case OWNER_VIEW:     return true;
    case OWNER_ENCODING: return reaches(v, s->item[ref->item].kind->id, ref->param->name);
    case OWNER_SCENARIO: break;
    }
    return v->uses & ~(v->spares ? v->spares(s) : 0) & 1u << ref->index;
}

double view_trained(const struct scenario *s, const struct spectrum *f)
{
    return !isnan(s->trained) ? s->trained : !isnan(f->trained) ? f->trained : s->shape.length;
}

double view_num(const struct scenario *s, enum view_id view, int param)
{
    return s->view_param[view][param].x;
}

void view_sources(const struct scenario *s, bool (*gives)(const struct encoding *), char *out, size_t size)
{
    struct buf all = {0};
    for (size_t i = 0; i < s->n_items; i++)
        if (s->item[i].kind->cite && (!gives || gives(s->item[i].kind)))
            buf_format(&all, "%s%s", all.n ? "; " : "", s->item[i].kind->cite);
    char *text = buf_string(&all);
    utf8_sanitise(out, size, text);
    free(text);
}

struct span view_window(double lo, double hi, double from, double to, bool counts)
{
    lo = isnan(lo) ? from : counts ? floor(lo) : lo;
    hi = isnan(hi) ? to : counts ? ceil(hi) : hi;
    double least = counts ? 1 : (to - from) / 1e6;
    lo = fmin(fmax(lo, from), fmax(to - least, from));
    return (struct span){lo, fmax(fmin(hi, to), fmin(lo + least, to))};
}

/* Is the encoding that the pictures are of one that the model's file has, but without usable values? */
static bool encoding_unread(const struct scenario *s)
{
    const struct facts *f = s->model;
    if (!f || !f->n_kinds || s->n_items)
        return false;
    return f->kind[s->model_layer < 0 ? 0 : f->kind_of_layer[s->model_layer]].unread;
}

const char *view_unsuited(const struct scenario *s)
{
    const struct view *v = views[s->view];
    if ((v->uses & USES_ENCODING) && encoding_unread(s))
        return N_("The encoding of this layer cannot be computed from the file: `posviz model` says why.");
    return v->suits ? v->suits(s) : NULL;
}

static bool diagonal(const struct item *item, const struct shape *shape)
{
    struct enc *e = item->kind->axes == 2 ? enc_open(item->kind, shape, item->param, NULL) : NULL;
    bool yes = e && enc_diagonal(e);
    enc_close(e);
    return yes;
}

static void warn_of_diagonal(const struct scenario *s, const struct view *v, struct figure *f)
{
    if (!(v->uses & USES_ENCODING) || v->placeless)
        return;
    for (size_t i = 0; i < s->n_items; i++)
        if (diagonal(&s->item[i], &s->shape))
            snprintf(f->warning, sizeof f->warning, "%s", lang_text(s->lang, N_("token p stands at row p, column p")));
}

bool view_plan(const struct scenario *s, struct figure *f, struct err *err)
{
    const struct view *v = views[s->view];
    const char *why = view_unsuited(s);
    if (!why) {
        warn_of_diagonal(s, v, f);
        return v->plan(s, f, err);
    }
    panel_text(figure_add(f, PANEL_TEXT, lang_text(s->lang, v->title)), "%s", lang_text(s->lang, why));
    return true;
}

bool view_compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    const struct view *v = views[s->view];
    if (!view_unsuited(s) && !v->compute(s, f, job, err))
        return false;
    f->progress = 1;
    return true;
}

struct figure *view_figure(const struct scenario *s, int rows, int cols, int heat_rows, int threads, struct err *err)
{
    struct figure *f = figure_new();
    struct job *job = job_new_alone(threads);
    bool good = view_plan(s, f, err);
    if (good) {
        figure_layout(f, rows, cols, heat_rows, -1, s->large);
        good = view_compute(s, f, job, err);
    }
    job_free_alone(job);
    if (good)
        return f;
    figure_free(f);
    return NULL;
}
