/* model_text.c - the report of `posviz model` for people: one file in full, several as a table with their findings below. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "command/model_formats.h"
#include "command/report.h"
#include "model/target.h"

/* Formats are our own messages or their checked translations (msgfmt --check-format). */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* ---- values ---------------------------------------------------------------------------------------------------------- */

static char *number_text(double x, char out[40])
{
    snprintf(out, 40, "%.10g", x);
    return out;
}

/* A JSON value in one line: numbers short, lists with blanks, long lists cut. */
char *model_value_text(const struct json *v, char *out, size_t size)
{
    enum { SHOWN = 12 };
    *out = '\0';
    if (json_type(v) == JSON_NUMBER)
        snprintf(out, size, "%.10g", json_number(v, NAN));
    else if (json_type(v) == JSON_STRING)
        snprintf(out, size, "%s", json_string(v));
    else if (json_type(v) == JSON_BOOL)
        snprintf(out, size, "%s", json_bool(v, false) ? "true" : "false");
    size_t i = 0;
    if (json_type(v) == JSON_ARRAY)
        for (const struct json *one = json_first(v); one; one = json_next(one), i++) {
            size_t at = strlen(out);
            if (i == SHOWN) {
                snprintf(out + at, size - at, " ... (%zu)", json_size(v));
                break;
            }
            snprintf(out + at, size - at, "%s%.6g", i ? " " : "", json_number(one, NAN));
        }
    return out;
}

/* ---- the report of one file ---------------------------------------------------------------------------------------------- */

static void fact_line(struct buf *out, const char *name, const char *value, const char *origin)
{
    report_pad(out, 2);
    report_column(out, name, 22);
    if (*origin) {
        report_column(out, value, 26);
        report_flow(out, origin, 50, 50);
    } else {
        buf_text(out, value);
        buf_text(out, "\n");
    }
}

/* Another part of the model: vision, decoder, talker, ... */
static bool is_part(const struct json *v)
{
    return json_type(v) == JSON_OBJECT && strcmp(json_key(v), "per_layer") && strcmp(json_key(v), "checks");
}

static void facts_lines(struct buf *out, const struct facts *f, const struct json *reading, const char *part)
{
    for (const struct json *v = json_first(reading); v; v = json_next(v)) {
        char value[200], field[64];
        if (json_type(v) == JSON_OBJECT || json_type(v) == JSON_NULL)
            continue;
        snprintf(field, sizeof field, "%s%s%s", part, *part ? "." : "", json_key(v));
        fact_line(out, json_key(v), model_value_text(v, value, sizeof value), facts_origin(f, field));
    }
}

/* A map from distance to bucket: its keys are numbers. */
static bool is_map(const struct json *v)
{
    const struct json *first = json_first(v);
    return json_type(v) == JSON_OBJECT && first && strspn(json_key(first), "-0123456789") == strlen(json_key(first));
}

/* "-3: 3, -2: 2, 12 to 15: 25": distances that share a bucket together. */
static char *map_text(const struct json *map)
{
    struct buf out = {0};
    for (const struct json *v = json_first(map), *next; v; v = next) {
        const struct json *last = v;
        for (next = json_next(v); next && json_number(next, NAN) == json_number(v, NAN); next = json_next(next))
            last = next;
        buf_text(&out, json_key(v));
        if (last != v)
            buf_format(&out, "..%s", json_key(last));
        buf_format(&out, ": %.10g%s", json_number(v, NAN), next ? ", " : "");
    }
    return buf_string(&out);
}

static void check_line(struct buf *out, const char *name, const char *value)
{
    enum { VALUES_AT = 28 };
    report_pad(out, 2);
    report_column(out, name, VALUES_AT - 2);
    report_flow(out, value, VALUES_AT, utf8_width(name) > VALUES_AT - 4 ? utf8_width(name) + 4 : VALUES_AT);
}

static void checks_lines(struct buf *out, const struct json *checks, const char *prefix, enum lang lang)
{
    for (const struct json *v = json_first(checks); v; v = json_next(v)) {
        char value[400], name[64];
        snprintf(name, sizeof name, "%s%s%s", prefix, *prefix ? "." : "", json_key(v));
        if (is_map(v)) {
            char *text = map_text(v);
            check_line(out, name, text);
            free(text);
        } else if (json_type(v) == JSON_OBJECT) {
            checks_lines(out, v, json_key(v), lang);
        } else if (json_type(v) != JSON_NULL) {
            check_line(out, name, json_string(v) ? lang_text(lang, json_string(v)) : model_value_text(v, value, sizeof value));
        }
    }
}

/* The step between the layers of a kind if it is the same everywhere and above 1; else 0. */
static size_t layer_step(const struct facts *f, size_t kind)
{
    enum { FEWEST = 5 };
    size_t last = SIZE_MAX, step = 0, n = 0;
    for (size_t l = 0; l < f->n_layers; l++) {
        if (f->kind_of_layer[l] != kind)
            continue;
        if (n == 1)
            step = l - last;
        if (n > 1 && l - last != step)
            return 0;
        last = l;
        n++;
    }
    return n >= FEWEST && step > 1 ? step : 0;
}

/* The layers of a kind: "5, 11, ..., 41", or "0-4, 6-10, 12". */
static void layer_runs(const struct facts *f, size_t kind, struct buf *out)
{
    size_t l = 0, last = f->n_layers, step = layer_step(f, kind);
    while (l < f->n_layers && f->kind_of_layer[l] != kind)
        l++;
    while (step && f->kind_of_layer[--last] != kind)
        continue;
    if (step) {
        buf_format(out, "%zu, %zu, ..., %zu", l, l + step, last);
        return;
    }
    for (bool first = true; l < f->n_layers; l++) {
        size_t end = l;
        if (f->kind_of_layer[l] != kind)
            continue;
        while (end + 1 < f->n_layers && f->kind_of_layer[end + 1] == kind)
            end++;
        buf_format(out, end > l ? "%s%zu-%zu" : "%s%zu", first ? "" : ", ", l, end);
        first = false;
        l = end;
    }
}

static void kind_line(struct buf *out, const struct facts *f, size_t i, enum lang lang)
{
    const struct layer_facts *k = &f->kind[i];
    char what[200] = "", layers[40] = "";
    for (size_t n = 0; n < k->n_items; n++)
        snprintf(what + strlen(what), sizeof what - strlen(what), "%s%s", n ? " + " : "", k->item[n].kind->id);
    int theta = k->n_items ? param_index(k->item[0].kind->params, k->item[0].kind->n_params, "rope_theta") : -1;
    if (theta >= 0)
        snprintf(what + strlen(what), sizeof what - strlen(what), " %.10g", k->item[0].param[theta].x);
    if (!k->n_items)
        snprintf(what, sizeof what, "%s", lang_text(lang, layer_facts_without(k)));
    report_pad(out, 2);
    report_column(out, k->name, 14);
    if (k->count)
        snprintf(layers, sizeof layers, "%zu", k->count);
    report_column(out, layers, 6);
    report_column(out, what, 26);
    char size[40], mask[80];
    snprintf(size, sizeof size, "%.10g", k->mask.size);
    int used = snprintf(mask, sizeof mask, "%s", mask_names[k->mask.type]);
    if (k->mask.size > 0 || k->mask.type == MASK_WINDOW)
        snprintf(mask + used, sizeof mask - (size_t)used, k->mask.type == MASK_WINDOW ? lang_text(lang, N_(" %s a side")) : " %s", size);
    report_column(out, mask, 18);
    struct buf runs = {0};
    layer_runs(f, i, &runs);
    char *text = buf_string(&runs);
    report_flow(out, text, 68, 68);
    free(text);
}

static void finding_lines(struct buf *out, const struct facts *f, enum lang lang)
{
    for (size_t i = 0; i < f->n_findings; i++) {
        const struct finding *x = &f->finding[i];
        const char *severity = lang_text(lang, severity_names[x->severity]);
        if (x->line)
            buf_format(out, "%s:%d:%d: %s [%s]\n", f->path, x->line, x->column, severity, x->code);
        else
            buf_format(out, "%s: %s [%s]\n", f->file, severity, x->code);
        report_pad(out, 4);
        report_flow(out, x->message, 4, 4);
    }
}

/* The store that a name was found in, and the version of the evidence. */
static void source_line(struct buf *out, const struct facts *f, enum lang lang)
{
    char line[100];
    if (!*model_source_text(&f->source, lang, line, sizeof line))
        return;
    buf_format(out, "%s: %s\n", line, f->path);        /* a path that is wrapped is no path */
}

static void report(struct buf *out, const struct facts *f, enum lang lang)
{
    char summary[512];
    buf_format(out, "%s%s%s\n", f->file, *f->model_type ? "  " : "", f->model_type);
    source_line(out, f, lang);
    if (f->reading) {
        report_flow(out, facts_summary(f, lang, summary, sizeof summary), 0, 0);
        report_heading(out, lang_text(lang, N_("Facts, and where they come from")));
        facts_lines(out, f, f->reading, "");
        report_heading(out, lang_text(lang, N_("Computed")));
        checks_lines(out, json_get(f->reading, "checks"), "", lang);
        if (f->n_kinds) {
            report_heading(out, lang_text(lang, N_("Layers")));
            for (size_t i = 0; i < f->n_kinds; i++)
                kind_line(out, f, i, lang);
        }
        for (const struct json *part = json_first(f->reading); part; part = json_next(part)) {
            if (!is_part(part))
                continue;
            report_heading(out, json_key(part));
            facts_lines(out, f, part, json_key(part));
        }
    }
    report_heading(out, lang_text(lang, f->n_findings ? N_("Findings") : f->n_left_out ? N_("No further findings.") : N_("No findings.")));
    finding_lines(out, f, lang);
    if (f->n_left_out) {
        snprintf(summary, sizeof summary, lang_text(lang, N_("Left out as known or ignored (--baseline, --ignore): %zu")), f->n_left_out);
        report_flow(out, summary, 0, 0);
    }
}

/* ---- a longer context ------------------------------------------------------------------------------------------------------ */

static void paste_line(struct buf *out, const char *name, const struct json *value)
{
    if (!value || json_type(value) == JSON_NULL)
        return;
    char *text = json_string(value) ? NULL : json_print(value, false);
    report_pad(out, 4);
    if (!text) {
        report_column(out, name, 26);
        buf_text(out, json_string(value));
    } else {
        buf_format(out, "\"%s\": %s", name, text);
    }
    buf_text(out, "\n");
    free(text);
}

static void effect_line(struct buf *out, const struct json *p, enum lang lang)
{
    char text[900] = "", one[80];
    const struct json *pairs = json_get(p, "pairs");
    if (pairs)
        snprintf(text, sizeof text, lang_text(lang, N_("Pairs: %g kept, %g blended, %g divided; attention factor %.6g.")), json_number(json_get(pairs, "kept"), 0),
                 json_number(json_get(pairs, "blended"), 0), json_number(json_get(pairs, "divided"), 0), json_number(json_get(p, "attention_factor"), 1));
    else
        snprintf(text, sizeof text, lang_text(lang, N_("Base at the target: %.10g.")), json_number(json_get(p, "base_at_target"), NAN));
    snprintf(text + strlen(text), sizeof text - strlen(text), " %s", lang_text(lang, N_("Agreement with training in short text:")));
    for (const struct json *a = json_first(json_get(p, "agreement")); a; a = json_next(a)) {
        snprintf(one, sizeof one, lang_text(lang, N_(" %.4f at distance %s;")), json_number(a, NAN), json_key(a));
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s", one);
    }
    text[strlen(text) - 1] = '.';
    snprintf(text + strlen(text), sizeof text - strlen(text), " %s", json_string(json_get(p, "effect")));
    report_pad(out, 4);
    report_flow(out, text, 4, 4);
}

static void target_lines(struct buf *out, const struct facts *f, double target, enum lang lang)
{
    char title[400];
    struct json *t = facts_target(f, target, lang);
    snprintf(title, sizeof title, lang_text(lang, N_("%s: to reach %.10g tokens")), f->file, target);
    report_heading(out, title);
    report_flow(out, json_string(json_get(t, "says")), 0, 0);
    for (const struct json *p = json_first(json_get(t, "proposals")); p; p = json_next(p)) {
        report_heading(out, json_string(json_get(p, "method")));
        effect_line(out, p, lang);
        buf_text(out, "    transformers 5\n");
        paste_line(out, "rope_parameters", json_get(p, "rope_parameters"));
        paste_line(out, "max_position_embeddings", json_get(p, "max_position_embeddings"));
        buf_text(out, "    transformers 4\n");
        paste_line(out, "rope_scaling", json_get(p, "rope_scaling"));
        paste_line(out, "rope_theta", json_get(p, "rope_theta"));
        paste_line(out, "max_position_embeddings", json_get(p, "max_position_embeddings"));
        if (json_string(json_get(p, "llama_cpp")))
            paste_line(out, "llama.cpp", json_get(p, "llama_cpp"));
        else {
            report_pad(out, 4);
            report_column(out, "llama.cpp", 26);
            buf_text(out, lang_text(lang, N_("convert the changed config.json again: the factors become a tensor\n")));
        }
    }
    json_free(t);
}

/* ---- the table of several files -------------------------------------------------------------------------------------------- */

static const struct { const char *title; int cells; } columns[] = {
    {N_("file"), 0}, {N_("model"), 16}, {N_("scheme"), 26}, {N_("base"), 11}, {N_("scaling"), 13}, {N_("trained"), 11}, {N_("context"), 11},
    {N_("findings"), 0},
};

enum { TABLE_FILE_MAX = 60 };

/* The name of a file; of one too long the end, which says more than its beginning, behind a mark. */
static const char *table_file(const struct facts *f, char *out, size_t size)
{
    const char *from = f->file;
    bool whole = utf8_width(from) <= TABLE_FILE_MAX;
    while (!whole && utf8_width(from) > TABLE_FILE_MAX - 3)
        utf8_next(&from);
    snprintf(out, size, "%s%s", whole ? "" : "...", from);
    return out;
}

static int table_file_cells(const struct model_answer *a)
{
    char name[400];
    int cells = 0;
    for (size_t i = 0; i < a->n; i++)
        if (!a->facts[i]->unreadable && utf8_width(table_file(a->facts[i], name, sizeof name)) > cells)
            cells = utf8_width(name);
    return cells + 2;
}

static void table_row(struct buf *out, const struct facts *f, int file_cells)
{
    char base[40], trained[40], context[40], findings[80] = "", scaling[60], name[400];
    size_t count[3] = {0};
    for (size_t i = 0; i < f->n_findings; i++)
        count[f->finding[i].severity]++;
    for (size_t s = 3; s-- > 0;)
        if (count[s])
            snprintf(findings + strlen(findings), sizeof findings - strlen(findings), "%s%zu %c", *findings ? ", " : "", count[s], severity_names[s][0]);
    snprintf(scaling, sizeof scaling, isnan(f->factor) ? "%s" : "%s %.6g", *f->scaling_type ? f->scaling_type : "-", f->factor);
    const char *cells[] = {table_file(f, name, sizeof name), *f->model_type ? f->model_type : "-", f->scheme, isnan(f->base) ? "-" : number_text(f->base, base),
                           scaling, isnan(f->trained_context) ? "-" : number_text(f->trained_context, trained),
                           isnan(f->context) ? "-" : number_text(f->context, context), *findings ? findings : "-"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        report_column(out, cells[i], i ? columns[i].cells : file_cells);
    report_end_line(out);
}

static void table_head(struct buf *out, int file_cells, enum lang lang)
{
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        report_column(out, lang_text(lang, columns[i].title), i ? columns[i].cells : file_cells);
    report_end_line(out);
}

static void table_source(struct buf *out, const struct facts *f, enum lang lang)
{
    char text[100];
    if (*model_source_text(&f->source, lang, text, sizeof text))
        buf_format(out, "%s: %s\n", f->file, text);
}

/* ---- the format ------------------------------------------------------------------------------------------------------ */

/* The report of one file, or a table of several with what there is to say about each below. */
void model_print_text(struct buf *out, const struct model_answer *a)
{
    struct buf below = {0}, sources = {0};
    bool table = a->n > 1;
    int file_cells = table ? table_file_cells(a) : 0;
    if (table)
        table_head(out, file_cells, a->lang);
    for (size_t i = 0; i < a->n; i++) {
        const struct facts *f = a->facts[i];
        if (f->unreadable)
            continue;
        if (table) {
            table_row(out, f, file_cells);
            table_source(&sources, f, a->lang);
            finding_lines(&below, f, a->lang);
        } else {
            report(out, f, a->lang);
        }
        if (!isnan(a->target))
            target_lines(table ? &below : out, f, a->target, a->lang);
    }
    if (sources.n) {
        buf_text(out, "\n");
        buf_put(out, sources.data, sources.n);
    }
    buf_done(&sources);
    if (below.n) {
        buf_text(out, "\n");
        buf_put(out, below.data, below.n);
    }
    buf_done(&below);
}
