/* diff.c - `posviz diff A B`: do two model files mean the same positions? First in words, then field by field, pair by pair, and how far
 * the rotations part with the position. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "command/command.h"
#include "command/report.h"
#include "model/diff.h"

enum { OPTION_JSON, OPTION_TOLERANCE, OPTION_QUIET };
static const struct command_option options[] = {
    [OPTION_JSON] = {.name = "--json", .help = N_("one JSON object")},
    [OPTION_TOLERANCE] = {.name = "--tolerance", .argument = "X", .help = N_("numbers that differ by at most X, relative, are equal (1e-6)")},
    [OPTION_QUIET] = {.name = "-q", .help = N_("print nothing; the exit status is the answer")},
};

enum { FIELD_CELLS = 26, VALUE_CELLS = 24, NUMBER_CELLS = 14, BAR_CELLS = 40 };

static char *value_text(const struct json *v, char out[80])
{
    char *text = json_string(v) ? xstrdup(json_string(v)) : json_print(v, false);
    if (json_type(v) == JSON_NUMBER)
        snprintf(out, 80, "%.10g", json_number(v, NAN));
    else
        snprintf(out, 80, "%.*s", (int)utf8_fit(text, 70), json_type(v) == JSON_NULL ? "-" : text);
    free(text);
    return out;
}

static void number_column(struct buf *out, double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.6g", x);
    report_column(out, text, NUMBER_CELLS);
}

/* ---- the report ------------------------------------------------------------------------------------------------------- */

static void files(struct buf *out, const struct facts *a, const struct facts *b, enum lang lang)
{
    const struct facts *both[] = {a, b};
    char summary[512];
    for (size_t i = 0; i < 2; i++) {
        buf_text(out, i ? "B  " : "A  ");
        buf_text(out, both[i]->file);
        if (*both[i]->model_type) {
            buf_text(out, "  ");
            buf_text(out, both[i]->model_type);
        }
        model_source_text(&both[i]->source, lang, summary, sizeof summary);
        buf_text(out, *summary ? "  " : "");
        buf_text(out, summary);
        buf_text(out, "\n");
        report_paragraph(out, facts_summary(both[i], lang, summary, sizeof summary), 0, REPORT_WIDTH);
    }
}

static void fields(struct buf *out, const struct diff *d, enum lang lang)
{
    char text[80];
    if (!d->n_differences)
        return;
    report_heading(out, lang_text(lang, N_("Fields that differ")));
    for (size_t i = 0; i < d->n_differences; i++) {
        const struct difference *x = &d->difference[i];
        report_column(out, x->field, FIELD_CELLS);
        report_column(out, value_text(x->a, text), VALUE_CELLS);
        report_column(out, value_text(x->b, text), VALUE_CELLS);
        if (*x->layers) {
            buf_text(out, lang_text(lang, N_("layers ")));
            buf_text(out, x->layers);
        }
        report_end_line(out);
    }
}

/* The first pairs and the last ones; a wavelength is more telling than a frequency. */
static void pairs(struct buf *out, const struct diff *d, enum lang lang)
{
    enum { FIRST = 4, LAST = 4 };
    char text[160];
    if (!d->n_pairs)
        return;
    snprintf(text, sizeof text, lang_text(lang, N_("Pairs that differ: %zu of %zu (layer %d, in a text of %.10g tokens)")), d->n_pairs, d->n_rotated, d->layer, d->length);
    report_heading(out, text);
    report_column(out, lang_text(lang, N_("pair")), 8);
    report_column(out, lang_text(lang, N_("wavelength A")), NUMBER_CELLS);
    report_column(out, lang_text(lang, N_("wavelength B")), NUMBER_CELLS);
    buf_text(out, lang_text(lang, N_("speed of B / A")));
    buf_text(out, "\n");
    for (size_t i = 0; i < d->n_pairs; i++) {
        const struct diff_pair *p = &d->pair[i];
        if (i == FIRST && d->n_pairs > FIRST + LAST) {
            buf_text(out, "...\n");
            i = d->n_pairs - LAST - 1;
            continue;
        }
        snprintf(text, sizeof text, "%zu", p->pair);
        report_column(out, text, 8);
        number_column(out, 2 * M_PI / p->a);
        number_column(out, 2 * M_PI / p->b);
        number_column(out, p->b / p->a);
        report_end_line(out);
    }
}

static void cosines(struct buf *out, const struct diff *d, enum lang lang)
{
    if (!d->n_pairs || !d->n_cosines)
        return;
    report_heading(out, lang_text(lang, N_("Cosine of the two rotations, by position")));
    for (size_t i = 0; i < d->n_cosines; i++) {
        char position[40], value[40];
        snprintf(position, sizeof position, "%.10g", d->cosine[i].position);
        snprintf(value, sizeof value, "%.4f", d->cosine[i].value);
        report_column(out, position, NUMBER_CELLS);
        report_column(out, value, NUMBER_CELLS);
        for (int n = (int)lround(fmax(d->cosine[i].value, 0) * BAR_CELLS); n > 0; n--)
            buf_text(out, "#");
        report_end_line(out);
    }
}

static void report(struct buf *out, const struct facts *a, const struct facts *b, const struct diff *d, enum lang lang)
{
    files(out, a, b, lang);
    report_heading(out, lang_text(lang, d->equal ? N_("Equal: both mean the same positions.") : N_("Different.")));
    for (size_t i = 0; i < d->n_sentences; i++)
        report_paragraph(out, d->sentence[i], 0, REPORT_WIDTH);
    fields(out, d, lang);
    pairs(out, d, lang);
    cosines(out, d, lang);
}

/* ---- the verb ------------------------------------------------------------------------------------------------------------ */

struct run { bool json, quiet; double tolerance; const char *file[2]; size_t n_files; };

static int compare(const struct run *r, enum lang lang)
{
    struct err err = {.lang = lang};
    struct facts *a = facts_read(r->file[0], &err), *b = a ? facts_read(r->file[1], &err) : NULL;
    if (!b) {
        facts_unref(a);
        return command_fail(&command_diff, err.text);
    }
    struct diff *d = diff_facts(a, b, r->tolerance, r->json ? LANG_EN : lang);
    struct buf out = {0};
    struct json *json = r->json && !r->quiet ? diff_to_json(d) : NULL;
    if (json) {
        json_set(json, "a_source", facts_source_json(a));
        json_set(json, "b_source", facts_source_json(b));
        char *text = json_print(json, false);
        buf_text(&out, text);
        buf_text(&out, "\n");
        free(text);
        json_free(json);
    } else if (!r->quiet) {
        report(&out, a, b, d, lang);
    }
    char *text = buf_string(&out);
    int status = command_print(&command_diff, text, d->equal ? STATUS_DONE : STATUS_NO, lang);
    free(text);
    diff_free(d);
    facts_unref(a);
    facts_unref(b);
    return status;
}

static bool take_tolerance(struct run *r, const char *argument, struct err *err)
{
    char *end;
    r->tolerance = strtod(argument, &end);
    return (end != argument && !*end && r->tolerance >= 0 && r->tolerance <= 1) || err_set(err, N_("--tolerance %s: must be a number from 0 to 1"), argument);
}

static int run_diff(int argc, char **argv, enum lang lang)
{
    struct run r = {.tolerance = 1e-6};
    struct err err = {.lang = lang};
    for (int i = 1; i < argc;) {
        const char *argument;
        int option = command_next(&command_diff, argc, argv, &i, &argument, lang);
        if (option == COMMAND_WRONG || option == COMMAND_HELP)
            return option == COMMAND_WRONG ? STATUS_USAGE : STATUS_DONE;
        r.json = r.json || option == OPTION_JSON;
        r.quiet = r.quiet || option == OPTION_QUIET;
        if (option == OPTION_TOLERANCE && !take_tolerance(&r, argument, &err))
            return command_fail(&command_diff, err.text);
        if (option == COMMAND_OPERAND && argument && r.n_files++ < 2)
            r.file[r.n_files - 1] = argument;
    }
    if (r.n_files == 2)
        return compare(&r, lang);
    err_set(&err, N_("needs two files, has %zu"), r.n_files);
    return command_fail(&command_diff, err.text);
}

const struct command command_diff = {
    .name = "diff",
    .usage = "A B [--json | -q] [--tolerance X]",
    .summary = N_("whether two model files mean the same positions, and what differs"),
    .help = N_("Compares the position encodings of two files of any kind: configurations, GGUF, safetensors. What is compared is what the models compute: "
               "frequencies of every pair at the lengths that the files name, layouts (rows permuted by a converter are taken into account), windows, biases, layer by "
               "layer. The cosine is that of the two rotations at a position: 1 where they agree. Exit status: 0 equal, 1 different, 2 if a file cannot be read."),
    .options = options, .n_options = sizeof options / sizeof *options,
    .run = run_diff,
};
