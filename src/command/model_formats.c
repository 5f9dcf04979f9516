/* model_formats.c - the answers of `posviz model` for other programs: plain lines for diff, Markdown for a model card, GitHub's workflow
 * commands, SARIF 2.1.0 (code scanning) and JUnit XML (test reports). */
#include "command/model_formats.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/target.h"

bool finding_counts(const struct finding *x, bool strict)
{
    return x->severity == SEVERITY_ERROR || (strict && x->severity == SEVERITY_WARNING);
}

/* ---- json: facts as they are, one object a file ------------------------------------------------------------------ */

static void print_json(struct buf *out, const struct model_answer *a)
{
    for (size_t i = 0; i < a->n; i++) {
        struct json *json = facts_to_json(a->facts[i]);
        if (!isnan(a->target) && !a->facts[i]->unreadable)
            json_set(json, "target", facts_target(a->facts[i], a->target, a->lang));
        char *text = json_print(json, false);
        buf_text(out, text);
        buf_text(out, "\n");
        free(text);
        json_free(json);
    }
}

/* ---- plain: one fact a line, for diff and git's textconv ----------------------------------------------------------------- */

static void plain_value(struct buf *out, const char *name, const struct json *v)
{
    if (json_type(v) == JSON_OBJECT) {
        for (const struct json *m = json_first(v); m; m = json_next(m)) {
            char *inner = xasprintf("%s%s%s", name, *name ? "." : "", json_key(m));
            plain_value(out, inner, m);
            free(inner);
        }
        return;
    }
    char *printed = json_string(v) ? NULL : json_print(v, false);
    buf_format(out, "%s\t", name);
    buf_text(out, printed ? printed : json_string(v));
    buf_text(out, "\n");
    free(printed);
}

/* No name of the only file and no lines: git calls with a temporary name, and a moved key is no change of meaning. */
static void print_plain(struct buf *out, const struct model_answer *a)
{
    for (size_t i = 0; i < a->n; i++) {
        const struct facts *f = a->facts[i];
        if (f->unreadable)
            continue;
        if (a->n > 1)
            buf_format(out, "file\t%s\n", f->file);
        if (*f->source.store)
            buf_format(out, "source\t%s %s\n", f->source.store, *f->source.revision ? f->source.revision : "-");
        buf_format(out, "model_type\t%s\n", *f->model_type ? f->model_type : "null");
        plain_value(out, "", f->reading);
        for (size_t k = 0; k < f->n_findings; k++)
            buf_format(out, "finding\t%s %s %s\n", severity_names[f->finding[k].severity], f->finding[k].code, f->finding[k].field);
    }
}

/* ---- Markdown: a section of a model card --------------------------------------------------------------------------------- */

static const struct escape markdown_escapes[] = {{'|', "\\|"}, {'*', "\\*"}, {'_', "\\_"}, {'`', "\\`"}, {'<', "&lt;"}, {'\n', " "}, {0, NULL}};

static void markdown_cell(struct buf *out, const char *text)
{
    buf_text(out, "| ");
    buf_escaped(out, text, markdown_escapes);
    buf_text(out, " ");
}

static void markdown_row(struct buf *out, const char *const *cell, size_t n)
{
    for (size_t i = 0; i < n; i++)
        markdown_cell(out, cell[i]);
    buf_text(out, "|\n");
}

static void markdown_facts(struct buf *out, const struct facts *f, enum lang lang)
{
    const char *const head[] = {lang_text(lang, N_("fact")), lang_text(lang, N_("value")), lang_text(lang, N_("from"))};
    markdown_row(out, head, 3);
    buf_text(out, "|---|---|---|\n");
    for (const struct json *v = json_first(f->reading); v; v = json_next(v)) {
        char value[200];
        if (json_type(v) == JSON_OBJECT || json_type(v) == JSON_NULL)
            continue;
        const char *const row[] = {json_key(v), model_value_text(v, value, sizeof value), facts_origin(f, json_key(v))};
        markdown_row(out, row, 3);
    }
}

static void markdown_layers(struct buf *out, const struct facts *f, enum lang lang)
{
    buf_text(out, "\n");
    for (size_t k = 0; k < f->n_kinds; k++) {
        const struct layer_facts *kind = &f->kind[k];
        buf_format(out, "- %s: ", kind->name);
        if (kind->count)                        /* another stack's are not counted */
            buf_format(out, "%zu %s; ", kind->count, lang_text(lang, N_("layers")));
        for (size_t i = 0; i < kind->n_items; i++)
            buf_format(out, "%s%s", i ? " + " : "", kind->item[i].kind->id);
        buf_format(out, "%s; %s\n", kind->n_items ? "" : lang_text(lang, layer_facts_without(kind)), mask_names[kind->mask.type]);
    }
}

static void print_markdown(struct buf *out, const struct model_answer *a)
{
    for (size_t i = 0; i < a->n; i++) {
        const struct facts *f = a->facts[i];
        char summary[512];
        if (f->unreadable)
            continue;
        buf_format(out, "%s## %s%s", i ? "\n" : "", lang_text(a->lang, N_("Position encoding")), a->n > 1 ? ": " : "");
        buf_escaped(out, a->n > 1 ? f->file : "", markdown_escapes);
        buf_text(out, "\n\n");
        buf_escaped(out, facts_summary(f, a->lang, summary, sizeof summary), markdown_escapes);
        buf_text(out, ".\n\n");
        markdown_facts(out, f, a->lang);
        if (f->n_kinds > 1)
            markdown_layers(out, f, a->lang);
        if (f->n_findings)
            buf_format(out, "\n%s\n\n", lang_text(a->lang, N_("Findings:")));
        for (size_t k = 0; k < f->n_findings; k++) {
            buf_format(out, "- %s `%s`: ", lang_text(a->lang, severity_names[f->finding[k].severity]), f->finding[k].code);
            buf_escaped(out, f->finding[k].message, markdown_escapes);
            buf_text(out, "\n");
        }
        model_source_text(&f->source, a->lang, summary, sizeof summary);
        buf_format(out, "\n%s posviz " POSVIZ_VERSION "%s%s%s.\n", lang_text(a->lang, N_("Read by")), *summary ? " (" : "", summary, *summary ? ")" : "");
    }
}

/* "./a" as "a": GitHub finds a file of a pull request by the name that the repository has for it, and find(1) writes "./" before each. */
static const char *repository_path(const char *path)
{
    while (path[0] == '.' && path[1] == '/' && path[2])
        for (path += 2; path[0] == '/' && path[1]; path++)
            continue;
    return path;
}

/* ---- GitHub's workflow commands -------------------------------------------------------------------------------------------- */

static const struct escape github_data[] = {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}, {0, NULL}};
static const struct escape github_property[] = {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}, {':', "%3A"}, {',', "%2C"}, {0, NULL}};

static void print_github(struct buf *out, const struct model_answer *a)
{
    static const char *const commands[] = {"notice", "warning", "error"};
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < a->facts[i]->n_findings; k++) {
            const struct finding *x = &a->facts[i]->finding[k];
            char source[100];
            buf_format(out, "::%s file=", commands[x->severity]);
            buf_escaped(out, repository_path(a->facts[i]->path), github_property);
            if (x->line)
                buf_format(out, ",line=%d,col=%d", x->line, x->column);
            buf_format(out, ",title=posviz %s::", x->code);
            buf_escaped(out, x->message, github_data);
            model_source_text(&a->facts[i]->source, a->lang, source, sizeof source);
            buf_format(out, *source ? " (%s)\n" : "%s\n", source);
        }
}

/* ---- SARIF 2.1.0 ------------------------------------------------------------------------------------------------------------- */

/* A path as a URI reference: what RFC 3986 does not allow there, and ':' (a relative path must not look like a scheme), as %XX. */
static char *path_uri(const char *path)
{
    struct buf out = {0};
    buf_text(&out, *path == '/' ? "file://" : "");
    for (; *path; path++)
        if (isalnum((unsigned char)*path) || strchr("-._~/", *path))
            buf_put(&out, path, 1);
        else
            buf_format(&out, "%%%02X", (unsigned char)*path);
    return buf_string(&out);
}

static void set_message(struct json *o, const char *key, const char *text)
{
    json_set_string(json_set(o, key, json_object()), "text", text);
}

static struct json *sarif_rules(enum lang lang)
{
    struct json *rules = json_array();
    for (const struct finding_kind *k = finding_kinds; k->code; k++) {
        struct json *rule = json_push(rules, json_object());
        char *help = xasprintf("%s\n\nposviz explain %s", lang_text(lang, k->meaning), k->code);
        json_set_string(rule, "id", k->code);
        set_message(rule, "shortDescription", lang_text(lang, k->meaning));
        set_message(rule, "fullDescription", lang_text(lang, k->meaning));        /* GitHub asks for both */
        set_message(rule, "help", help);
        json_set_string(json_set(rule, "defaultConfiguration", json_object()), "level", severity_names[k->severity]);
        free(help);
    }
    return rules;
}

static double rule_index(const char *code)
{
    size_t i = 0;
    while (finding_kinds[i].code && strcmp(finding_kinds[i].code, code))
        i++;
    return (double)i;
}

static void sarif_result(struct json *results, const char *uri, const struct finding *x)
{
    struct json *result = json_push(results, json_object());
    char *print = xasprintf("%s %s", x->code, x->field);
    json_set_string(result, "ruleId", x->code);
    json_set_number(result, "ruleIndex", rule_index(x->code));
    json_set_string(result, "level", severity_names[x->severity]);
    set_message(result, "message", x->message);
    struct json *place = json_set(json_push(json_set(result, "locations", json_array()), json_object()), "physicalLocation", json_object());
    json_set_string(json_set(place, "artifactLocation", json_object()), "uri", uri);
    if (x->line) {
        struct json *region = json_set(place, "region", json_object());
        json_set_number(region, "startLine", x->line);
        json_set_number(region, "startColumn", x->column);
    }
    json_set_string(json_set(result, "partialFingerprints", json_object()), "codeAndField/v1", print);
    free(print);
}

/* The file, and what it is a version of. */
static void sarif_artifact(struct json *artifacts, const char *uri, const struct facts *f, enum lang lang)
{
    char source[100], *text;
    struct json *one = json_push(artifacts, json_object());
    json_set_string(json_set(one, "location", json_object()), "uri", uri);
    if (!*model_source_text(&f->source, lang, source, sizeof source))
        return;
    text = xasprintf("%s: %s", f->file, source);
    set_message(one, "description", text);
    free(text);
}

static void print_sarif(struct buf *out, const struct model_answer *a)
{
    struct json *log = json_object();
    json_set_string(log, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    json_set_string(log, "version", "2.1.0");
    struct json *run = json_push(json_set(log, "runs", json_array()), json_object());
    struct json *driver = json_set(json_set(run, "tool", json_object()), "driver", json_object());
    json_set_string(driver, "name", "posviz");
    json_set_string(driver, "semanticVersion", POSVIZ_VERSION);
    json_set(driver, "rules", sarif_rules(a->lang));
    json_set_string(run, "columnKind", "unicodeCodePoints");
    struct json *artifacts = json_set(run, "artifacts", json_array()), *results = json_set(run, "results", json_array());
    for (size_t i = 0; i < a->n; i++) {
        char *uri = path_uri(repository_path(a->facts[i]->path));
        sarif_artifact(artifacts, uri, a->facts[i], a->lang);
        for (size_t k = 0; k < a->facts[i]->n_findings; k++)
            sarif_result(results, uri, &a->facts[i]->finding[k]);
        free(uri);
    }
    char *text = json_print(log, true);
    buf_text(out, text);
    buf_text(out, "\n");
    free(text);
    json_free(log);
}

/* ---- JUnit XML ------------------------------------------------------------------------------------------------------------------ */

static const struct escape xml_escapes[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}, {'\n', "&#10;"},
                                            {'\t', "&#9;"}, {'\r', "&#13;"}, {0, NULL}};

static void xml_attribute(struct buf *out, const char *name, const char *value)
{
    buf_format(out, " %s=\"", name);
    buf_escaped(out, value, xml_escapes);
    buf_text(out, "\"");
}

static void junit_case(struct buf *out, const struct facts *f, const char *name)
{
    buf_text(out, "    <testcase");
    xml_attribute(out, "classname", f->file);
    xml_attribute(out, "name", name);
}

/* A finding that makes the answer "no" is a failed test; another is a passed one with something to say. */
static void junit_finding(struct buf *out, const struct facts *f, const struct finding *x, bool strict)
{
    bool fails = f->unreadable || finding_counts(x, strict);
    const char *element = f->unreadable ? "error" : fails ? "failure" : "system-out";
    char place[160];
    snprintf(place, sizeof place, x->line ? "%s %s (%d:%d)" : "%s %s", x->code, x->field, x->line, x->column);
    junit_case(out, f, place);
    buf_format(out, ">\n      <%s", element);
    if (fails) {
        xml_attribute(out, "type", x->code);
        xml_attribute(out, "message", x->message);
    }
    buf_text(out, ">");
    buf_format(out, "%s: ", severity_names[x->severity]);
    buf_escaped(out, x->message, xml_escapes);
    buf_format(out, "</%s>\n    </testcase>\n", element);
}

static void junit_file(struct buf *out, const struct facts *f, bool strict)
{
    size_t failures = 0;
    for (size_t k = 0; k < f->n_findings && !f->unreadable; k++)
        failures += finding_counts(&f->finding[k], strict);
    buf_text(out, "  <testsuite");
    xml_attribute(out, "name", f->file);
    buf_format(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n", f->n_findings ? f->n_findings : 1, failures, f->unreadable ? f->n_findings : 0);
    if (*f->source.store) {
        buf_text(out, "    <properties>\n      <property name=\"revision\"");
        xml_attribute(out, "value", *f->source.revision ? f->source.revision : f->source.store);
        buf_text(out, "/>\n    </properties>\n");
    }
    for (size_t k = 0; k < f->n_findings; k++)
        junit_finding(out, f, &f->finding[k], strict);
    if (!f->n_findings) {
        junit_case(out, f, "no findings");
        buf_text(out, "/>\n");
    }
    buf_text(out, "  </testsuite>\n");
}

static void print_junit(struct buf *out, const struct model_answer *a)
{
    buf_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"posviz model\">\n");
    for (size_t i = 0; i < a->n; i++)
        junit_file(out, a->facts[i], a->strict);
    buf_text(out, "</testsuites>\n");
}

/* ---- the table -------------------------------------------------------------------------------------------------------------------- */

const struct model_format model_formats[] = {
    {"text", .complains = true, .print = model_print_text},
    {"json", .print = print_json},
    {"plain", .complains = true, .print = print_plain},
    {"markdown", .complains = true, .print = print_markdown},
    {"github", .print = print_github},
    {"sarif", .print = print_sarif},
    {"junit", .print = print_junit},
    {NULL, false, NULL},
};

const struct model_format *model_format_find(const char *name, struct err *err)
{
    char list[120] = "";
    for (const struct model_format *f = model_formats; f->name; f++) {
        if (!strcmp(f->name, name))
            return f;
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", f->name);
    }
    err_set(err, N_("--format %s: allowed are %s"), name, list);
    return NULL;
}
