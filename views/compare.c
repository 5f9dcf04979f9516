/* compare.c - two scenarios in one view: A, B and A - B on one scale.
 *
 *     +-----------+-----------+-----------+
 *     |  A        |  B        |  A - B    |
 *     +-----------+-----------+-----------+
 *     |  how large the difference is       |
 *     +-----------------------------------+
 *
 * A is the present scenario, B the one set aside by the compare key (another encoding, other parameters, another model file). Without
 * one, B is a natural partner of A: the same rotation without scaling, else the next scheme that the view can show. The figures are those
 * of the view named by `of`, computed by that view at the same samples. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"

enum { P_OF };
static const char *const of[] = {"similarity", "bias", "attention", "table", "spectrum", "decay", "grid", NULL};
static const struct param params[] = {
    [P_OF] = {.name = "of", .title = N_("view"), .help = N_("view whose first picture is compared"), .type = PARAM_CHOICE, .def = 0, .choices = of, .titles = of},
};

enum { A_OF };
static const struct action actions[] = {{A_OF, 'v', 0, "next-view-compared", N_("compare in another view"), true}};

static bool input(struct scenario *s, int action)
{
    struct value *v = &s->view_param[VIEW_compare][P_OF];
    size_t n = 0;
    while (of[n])
        n++;
    v->x = action == A_OF ? fmod(v->x + 1, (double)n) : v->x;
    return action == A_OF;
}

/* ---- the two sides ------------------------------------------------------------------------------- */

static enum view_id inner_view(const struct scenario *s)
{
    const struct view *v = view_find(of[(int)view_num(s, VIEW_compare, P_OF)]);
    enum view_id id = 0;
    while (views[id] != v)
        id++;
    return id;
}

static bool shows(const struct scenario *s)
{
    struct layer *layer = scenario_layer(s, NULL);
    bool good = layer && !view_unsuited(s);
    layer_close(layer);
    return good;
}

static bool same_axes(const struct panel *a, const struct panel *b)
{
    return axis_same(&a->x, &b->x) && (a->kind != PANEL_HEATMAP || axis_same(&a->y, &b->y));
}

/* Do the pictures of both show the same quantity, and on the same axes where that is asked for? */
static bool comparable(const struct scenario *a, const struct scenario *b, bool axes)
{
    struct figure *f = figure_new(), *g = figure_new();
    bool good = view_plan(a, f, NULL) && view_plan(b, g, NULL) && f->n && g->n && panel_comparable(&f->panel[0], &g->panel[0]);
    good = good && (!axes || same_axes(&f->panel[0], &g->panel[0]));
    figure_free(f);
    figure_free(g);
    return good;
}

/* How near B must be to A: the same quantity on the same axes, the same quantity, or anything. */
enum nearness { SAME_AXES, SAME_QUANTITY, ANYTHING, NEARNESS_COUNT };

/* Makes b of another encoding; false: the view cannot show it, or it is not so near. */
static bool becomes(const struct scenario *a, struct scenario *b, const struct encoding *kind, enum nearness near)
{
    if (!scenario_set_encoding(b, kind->id, NULL))
        return false;
    b->view = a->view;
    return shows(b) && (near == ANYTHING || comparable(a, b, near == SAME_AXES));
}

static bool has_item(const struct scenario *s, const struct encoding *kind)
{
    for (size_t i = 0; i < s->n_items; i++)
        if (s->item[i].kind == kind)
            return true;
    return false;
}

/* B where none was set aside. */
static void partner(const struct scenario *a, struct scenario *b)
{
    const struct encoding *kind = a->n_items ? a->item[0].kind : NULL;
    int type = kind ? param_index(kind->params, kind->n_params, "rope_type") : -1;
    if (type >= 0 && a->item[0].param[type].x != 0) {
        b->item[0].param[type].x = 0;
        if (shows(b))
            return;
    }
    for (enum nearness near = SAME_AXES; near < NEARNESS_COUNT; near++)
        for (size_t i = 0; encodings[i]; i++)
            if (!has_item(a, encodings[i]) && becomes(a, b, encodings[i], near))
                return;
}

struct sides { struct scenario a, b; };

static void open_sides(const struct scenario *s, struct sides *x)
{
    scenario_copy(&x->a, s);
    scenario_copy(&x->b, s->other ? s->other : s);
    struct scenario *both[] = {&x->a, &x->b};
    for (size_t i = 0; i < 2; i++) {
        if (both[i]->other) {
            scenario_done(both[i]->other);
            free(both[i]->other);
            both[i]->other = NULL;
        }
        both[i]->compare = COMPARE_OFF;
        both[i]->view = inner_view(s);
        both[i]->zoom = s->zoom;
        both[i]->lang = s->lang;
        memcpy(both[i]->cursor, s->cursor, sizeof s->cursor);
    }
    if (!s->other)
        partner(&x->a, &x->b);
}

static void close_sides(struct sides *x)
{
    scenario_done(&x->a);
    scenario_done(&x->b);
}

static void side_name(const struct scenario *s, char *out, size_t size)
{
    struct buf titles = {0};
    const struct encoding *kind = s->n_items ? s->item[0].kind : NULL;
    int type = kind ? param_index(kind->params, kind->n_params, "rope_type") : -1;
    const char *scaling = type >= 0 ? kind->params[type].choices[(int)s->item[0].param[type].x] : "";
    for (size_t i = 0; i < s->n_items; i++)
        buf_format(&titles, "%s%s", i ? " + " : "", lang_text(s->lang, s->item[i].kind->title));
    if (!titles.n)
        buf_text(&titles, lang_text(s->lang, N_("no position encoding")));
    /* What tells two sides apart comes first: a narrow panel cuts the end. */
    char *title = buf_string(&titles), *text = xasprintf("%s%s%s%s%s", scaling, *scaling ? " · " : "", title, *s->title ? " · " : "", s->title);
    utf8_sanitise(out, size, text);
    free(title);
    free(text);
}

/* ---- plan ---------------------------------------------------------------------------------------- */

enum { COORD_X = 1, COORD_Y };       /* A, B and A − B have one cursor */

static bool plan_panel(struct figure *f, const struct scenario *side, const char *letter, struct err *err)
{
    struct figure *inner = figure_new();
    if (!view_plan(side, inner, err)) {
        figure_free(inner);
        return false;
    }
    char name[80], title[96];
    side_name(side, name, sizeof name);
    snprintf(title, sizeof title, "%.8s  %s", letter, name);
    const struct panel *from = &inner->panel[0];
    struct panel *p = figure_add(f, from->kind, title);
    axis_set(&p->x, from->x.label, from->x.unit, from->x.from, from->x.to, from->x.log);
    axis_set(&p->y, from->y.label, from->y.unit, from->y.from, from->y.to, from->y.log);
    p->x.coord = COORD_X;
    p->y.coord = COORD_Y;
    p->centred = from->centred;
    p->by_distance = from->by_distance;
    memcpy(p->unit, from->unit, sizeof p->unit);
    if (from->text)
        panel_text(p, "%s", from->text);
    p->weight = 3;
    p->beside = f->n > 1;
    if (!*f->source)
        memcpy(f->source, inner->source, sizeof f->source);
    if (!*f->warning)
        memcpy(f->warning, inner->warning, sizeof f->warning);
    figure_free(inner);
    return true;
}

static bool is_text(const struct figure *f, size_t panel)
{
    return f->panel[panel].kind == PANEL_TEXT;
}

static const char *quantity(const struct panel *p)
{
    return *p->unit ? p->unit : p->y.label;
}

/* In the place of the difference. */
static void tell_quantities(const struct scenario *s, struct figure *f)
{
    struct panel *p = figure_add(f, PANEL_TEXT, "A − B");
    p->weight = 3;
    p->beside = true;
    if (panel_comparable(&f->panel[0], &f->panel[1]))
        panel_text(p, "%s", lang_text(s->lang, N_("A and B show the same quantity on different axes, so they have no difference.")));
    else
        panel_text(p, lang_text(s->lang, N_("A shows %s, B %s. These are different quantities: they have no difference, and each has a scale of its own.")),
                   quantity(&f->panel[0]), quantity(&f->panel[1]));
}

static bool plan(const struct scenario *s, struct figure *f, struct err *err)
{
    struct sides x;
    open_sides(s, &x);
    bool good = plan_panel(f, &x.a, "A", err) && plan_panel(f, &x.b, "B", err), text = good && (is_text(f, 0) || is_text(f, 1));
    bool differ = good && !text && !(panel_comparable(&f->panel[0], &f->panel[1]) && same_axes(&f->panel[0], &f->panel[1]));
    if (differ)
        tell_quantities(s, f);
    else
        good = good && plan_panel(f, &x.a, "A − B", err);
    close_sides(&x);
    if (!good || differ)
        return good;
    snprintf(f->panel[2].title, sizeof f->panel[2].title, "A − B");
    struct panel *p = figure_add(f, PANEL_TABLE, lang_text(s->lang, N_("how large the difference is")));
    p->weight = 1;
    p->max_h = 6;
    return true;
}

/* ---- compute ------------------------------------------------------------------------------------- */

/* The side's own figure with its first panel at the samples of ours and the others without room. */
static struct figure *side_figure(const struct scenario *side, const struct panel *like, struct job *job, struct err *err)
{
    struct figure *inner = figure_new();
    bool good = view_plan(side, inner, err);
    for (size_t i = 0; good && i < inner->n; i++) {
        inner->panel[i].w = i ? 0 : like->w;
        inner->panel[i].h = i ? 0 : like->h;
        inner->panel[i].rows = i ? 0 : like->rows;
        inner->panel[i].cols = i ? 0 : like->cols;
    }
    if (good && view_compute(side, inner, job, err))
        return inner;
    figure_free(inner);
    return NULL;
}

/* Moves the numbers of a panel into ours; title, axes and places stay. */
static void take_numbers(struct panel *to, struct panel *from)
{
    double *data = to->data, *xs = to->xs;
    struct series *series = to->series;
    size_t n_xs = to->n_xs, n_series = to->n_series;
    to->data = from->data;
    to->xs = from->xs;
    to->n_xs = from->n_xs;
    to->series = from->series;
    to->n_series = from->n_series;
    to->lo = from->lo;
    to->hi = from->hi;
    to->reduce = from->reduce;
    to->exact = from->exact;
    to->error = from->error;
    from->data = data;
    from->xs = xs;
    from->series = series;
    from->n_xs = n_xs;
    from->n_series = n_series;
}

static void fill_table(const struct scenario *s, struct panel *p, const struct panel *d)
{
    double largest = 0, square = 0;
    size_t n = 0, total = d->kind == PANEL_HEATMAP && d->data ? (size_t)d->w * (size_t)d->h : 0;
    for (size_t i = 0; i < total; i++)
        if (isfinite(d->data[i]))
            largest = fmax(largest, fabs(d->data[i])), square += d->data[i] * d->data[i], n++;
    for (size_t j = 0; d->kind == PANEL_CURVES && j < d->n_series; j++)
        for (size_t i = 0; i < d->n_xs; i++)
            if (isfinite(d->series[j].y[i]))
                largest = fmax(largest, fabs(d->series[j].y[i])), square += d->series[j].y[i] * d->series[j].y[i], n++;
    panel_facts(p, 2, lang_text(s->lang, N_("quantity")), lang_text(s->lang, N_("value")));
    char most[32], mean[32];
    snprintf(most, sizeof most, "%.6g", largest);
    snprintf(mean, sizeof mean, "%.6g", sqrt(square / (double)n));
    panel_fact(p, 0, lang_text(s->lang, N_("largest difference of a sample")), "%s", n ? most : lang_text(s->lang, N_("none")));
    panel_fact(p, 1, lang_text(s->lang, N_("root mean square")), "%s", n ? mean : lang_text(s->lang, N_("none")));
}

/* A and B each at the samples of its own panel, and once more both at those of the difference, if there is one. */
static bool compute_panels(const struct scenario *s, const struct sides *x, struct figure *f, struct job *job, struct err *err)
{
    struct figure *part[4] = {NULL}, *difference = NULL;
    size_t n = is_text(f, 2) ? 2 : 4, done = 0;
    while (done < n && (part[done] = side_figure(done % 2 ? &x->b : &x->a, &f->panel[done < 2 ? done : 2], job, err)))
        done++;
    if (done == 4)
        difference = figure_subtract(part[2], part[3], err);
    bool good = done == n && (n == 2 || difference);
    if (good) {
        figure_share_range(part, 2);
        take_numbers(&f->panel[0], &part[0]->panel[0]);
        take_numbers(&f->panel[1], &part[1]->panel[0]);
    }
    if (difference) {
        take_numbers(&f->panel[2], &difference->panel[0]);
        fill_table(s, &f->panel[3], &f->panel[2]);
    }
    for (size_t i = 0; i < 4; i++)
        figure_free(part[i]);
    figure_free(difference);
    return good;
}

static bool compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    struct sides x;
    if (is_text(f, 0) || is_text(f, 1))
        return true;                                /* a side that the view cannot show says why */
    open_sides(s, &x);
    bool good = compute_panels(s, &x, f, job, err);
    close_sides(&x);
    return good;
}

/* A and B at one place, and their difference where they are of one quantity. */
static bool probe_sides(const struct sides *sides, int panel, double x, double y, struct readout *out)
{
    struct readout a = {.known = false}, b = {.known = false};
    bool (*ask)(const struct scenario *, int, double, double, struct readout *) = views[sides->a.view]->probe;
    bool differ = !comparable(&sides->a, &sides->b, true);
    if (panel > (differ ? 1 : 2) || !ask(&sides->a, 0, x, y, &a) || !ask(&sides->b, 0, x, y, &b) || !a.known || !b.known)
        return false;
    double less = figure_difference(a.value, b.value);
    *out = panel == 1 ? b : a;
    out->value = panel == 2 ? less : out->value;
    *out->value_text = '\0';
    char one[32], two[32], difference[32];
    int at = snprintf(out->formula, sizeof out->formula, "A %s, B %s", format_term(one, sizeof one, a.value, 9), format_term(two, sizeof two, b.value, 9));
    if (!differ)
        snprintf(out->formula + at, sizeof out->formula - (size_t)at, ", A − B %s", format_term(difference, sizeof difference, less, 9));
    return true;
}

static bool probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    struct sides sides;
    open_sides(s, &sides);
    out->known = shows(&sides.a) && shows(&sides.b) && probe_sides(&sides, panel, x, y, out);
    close_sides(&sides);
    return out->known;
}

const struct view view_compare = {
    .id = "compare",
    .title = N_("compare"),
    .help = N_("Two encodings, two settings or two model files in the same picture, on one scale of colours, and their difference. Set one scenario aside as B "
               "with the compare key in any view, change what you like, and come here. Without a B, a natural partner is taken: the same rotation without "
               "its scaling, or the next scheme that this view can show."),
    .params = params, .n_params = sizeof params / sizeof *params,
    .inner = inner_view,
    .actions = actions, .n_actions = sizeof actions / sizeof *actions,
    .compares = true,
    .preset = "models/llama-3.1-8b",
    .input = input,
    .plan = plan,
    .compute = compute,
    .probe = probe,
};
