/* json.c - the whole figure as JSON: every panel with its axes, numbers and words. What is no number is null; masked samples are listed
 * apart, as [row, column]. */
#include <math.h>
#include <stdlib.h>

#include "export/export.h"
#include "json/json.h"

static struct json *numbers(const double *x, size_t n)
{
    struct json *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_push_number(list, x[i]);
    return list;
}

static void add_axis(struct json *panel, const char *key, const struct axis *a)
{
    struct json *j = json_set(panel, key, json_object());
    json_set_string(j, "label", a->label);
    json_set_string(j, "unit", a->unit);
    json_set_number(j, "from", a->from);
    json_set_number(j, "to", a->to);
    json_set_bool(j, "log", a->log);
    if (!a->n_ticks)
        return;
    struct json *words = json_set(j, "words", json_array());
    for (size_t i = 0; i < a->n_ticks; i++)
        json_push_string(words, a->tick[i]);
}

static void add_edges(struct json *panel, const char *key, const struct axis *a, int n)
{
    struct json *edges = json_set(panel, key, json_array());
    for (int i = 0; i <= n; i++)
        json_push_number(edges, axis_edge(a, n, i));
}

static void add_range(struct json *j, const struct panel *p)
{
    json_set_string(j, "value", p->unit);
    struct json *range = json_set(j, "range", json_array());
    json_push_number(range, p->lo);
    json_push_number(range, p->hi);
}

static void add_marks(struct json *j, const struct panel *p)
{
    struct json *marks = json_set(j, "marks", json_array());
    for (size_t i = 0; i < p->n_marks; i++) {
        struct json *m = json_push(marks, json_object());
        json_set_string(m, "label", p->mark[i].label);
        json_set_string(m, "axis", p->mark[i].vertical ? "x" : "y");
        json_set_number(m, "at", p->mark[i].at);
    }
}

static void add_heatmap(struct json *j, const struct panel *p)
{
    static const char *const names[REDUCE_COUNT] = {"none", "mean", "max", "nearest"};
    add_axis(j, "x", &p->x);
    add_axis(j, "y", &p->y);
    add_edges(j, "x_edges", &p->x, p->w);
    add_edges(j, "y_edges", &p->y, p->h);
    add_range(j, p);
    json_set_string(j, "reduction", names[p->reduce]);
    json_set_bool(j, "exact", p->exact);
    json_set_number(j, "error", p->exact ? 0 : p->error);
    struct json *rows = json_set(j, "values", json_array()), *masked = json_set(j, "masked", json_array());
    for (int r = 0; r < p->h && p->data; r++) {
        json_push(rows, numbers(p->data + (size_t)r * (size_t)p->w, (size_t)p->w));
        for (int c = 0; c < p->w; c++)
            if (isinf(p->data[(size_t)r * (size_t)p->w + (size_t)c]))
                json_push(masked, numbers((double[]){r, c}, 2));
    }
    add_marks(j, p);
}

static void add_curves(struct json *j, const struct panel *p)
{
    add_axis(j, "x", &p->x);
    add_axis(j, "y", &p->y);
    add_range(j, p);
    json_set(j, "xs", numbers(p->xs, p->n_xs));
    struct json *list = json_set(j, "series", json_array());
    for (size_t i = 0; i < p->n_series; i++) {
        struct json *s = json_push(list, json_object());
        json_set_string(s, "label", p->series[i].label);
        json_set_string(s, "drawn", p->series[i].points ? "points" : p->series[i].steps ? "steps" : "line");
        json_set(s, "values", numbers(p->series[i].y, p->n_xs));
    }
    add_marks(j, p);
}

static void add_bars(struct json *j, const struct panel *p)
{
    add_range(j, p);
    struct json *list = json_set(j, "bars", json_array());
    for (size_t i = 0; i < p->n_bars; i++) {
        struct json *b = json_push(list, json_object());
        json_set_string(b, "label", p->bar[i].label);
        json_set_number(b, "value", p->bar[i].value);
        json_set_string(b, "note", p->bar[i].note);
    }
}

static void add_dials(struct json *j, const struct panel *p)
{
    struct json *list = json_set(j, "dials", json_array());
    for (size_t i = 0; i < p->n_dials; i++) {
        struct json *d = json_push(list, json_object());
        json_set_string(d, "label", p->dial[i].label);
        json_set_string(d, "above", p->dial[i].above);
        json_set_string(d, "below", p->dial[i].below);
        json_set(d, "angles", numbers(p->dial[i].angle, 2));
        json_set(d, "lengths", numbers(p->dial[i].length, 2));
        json_set_bool(d, "flagged", p->dial[i].flagged);
    }
}

static void add_table(struct json *j, const struct panel *p)
{
    struct json *rows = json_set(j, "rows", json_array()), *row = NULL;
    for (size_t i = 0; i < p->table_rows * p->table_cols; i++) {
        if (i % p->table_cols == 0)
            row = json_push(rows, json_array());
        json_push_string(row, p->cell[i].text ? p->cell[i].text : "");
    }
}

static void add_text(struct json *j, const struct panel *p)
{
    json_set_string(j, "text", p->text);
}

static void add_panel(struct json *panels, const struct panel *p)
{
    static const struct {
        const char *name;
        void (*add)(struct json *, const struct panel *);
    } kind[PANEL_KIND_COUNT] = {
        [PANEL_HEATMAP] = {"heatmap", add_heatmap}, [PANEL_CURVES] = {"curves", add_curves}, [PANEL_BARS] = {"bars", add_bars},
        [PANEL_DIALS] = {"dials", add_dials},       [PANEL_TABLE] = {"table", add_table},    [PANEL_TEXT] = {"text", add_text},
    };
    struct json *j = json_push(panels, json_object());
    json_set_string(j, "kind", kind[p->kind].name);
    json_set_string(j, "title", p->title);
    json_set_string(j, "note", p->note);
    kind[p->kind].add(j, p);
}

static void add_model(struct json *root, const struct figure_model *m)
{
    struct json *j = json_set(root, "model", *m->name ? json_object() : json_new_null());
    if (!*m->name)
        return;
    json_set_string(j, "name", m->name);
    json_set_string(j, "revision", *m->revision ? m->revision : NULL);
    json_set_string(j, "reading", m->reading);
}

static bool write_json(const struct figure *f, const struct export_options *o, struct buf *out, struct err *err)
{
    (void)err;
    struct json *root = json_object();
    json_set_number(root, "schema", 1);
    json_set_string(root, "caption", f->caption);
    json_set_string(root, "source", f->source);
    json_set_string(root, "warning", f->warning);
    json_set_string(root, "version", POSVIZ_VERSION);
    json_set_string(root, "command", *o->command ? o->command : NULL);
    add_model(root, &o->model);
    struct json *panels = json_set(root, "panels", json_array());
    for (size_t i = 0; i < f->n; i++)
        if (f->panel[i].rows > 0)
            add_panel(panels, &f->panel[i]);
    char *text = json_print(root, false);
    buf_text(out, text);
    buf_text(out, "\n");
    free(text);
    json_free(root);
    return true;
}

const struct export_format export_json = {
    .extension = "json", .help = N_("the whole figure: axes, numbers, words"), .write = write_json,
};
