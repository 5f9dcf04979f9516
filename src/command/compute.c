/* compute.c - `posviz compute`: requests in, values out, one JSON object a line: the golden files without their answers.
 *
 *     {"id": 1, "encoding": "rope", "output": "inv_freq", "params": {"head_dim": 8, "rope_theta": 10000}}
 *     {"id":1,"shape":[4],"values":[1,0.1,0.01,0.001]}
 *
 * A line that cannot be answered gives {"id": ..., "error": ...}, and the next one is read. A file may also be one JSON array of
 * requests. Replies leave at once, so that a program may talk to us through two pipes. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/digits.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/near.h"
#include "command/command.h"
#include "command/request_json.h"
#include "core/quantity.h"
#include "json/json.h"

enum { LINE_MAX_BYTES = 1 << 26, FILE_MAX_BYTES = 1 << 28 };

/* Settings of the golden files that only say where a case comes from. */
static const char *const labels[] = {"model", "case", "style", "variant", "query", "arch", "layers", "terms", "source",
                                     "note", "delta", "not_a_target", NULL};

/* What a request may hold, and what a golden file knows of the answer. */
static const char *const keys[] = {"id", "encoding", "output", "params", "positions", "inputs", "shape", "dtype", "values", "values_f64",
                                   "values_f64_source", "max_abs_diff_vs_f64", NULL};

/* ---- answer to JSON ------------------------------------------------------------------------------------ */

/* Shortest of 15 to 17 digits that reads back equal. */
static void print_number(double x)
{
    char text[DIGITS_TEXT];
    if (!isfinite(x)) {
        fputs("null", stdout);
        return;
    }
    digits_write(text, x + 0.0, 15);        /* -0 becomes 0 */
    fputs(text, stdout);
}

static void print_values(const struct table *t, int axis, size_t *at)
{
    if (axis == t->rank) {
        print_number(t->v[(*at)++]);
        return;
    }
    putchar('[');
    for (size_t i = 0; i < t->dim[axis]; i++) {
        if (i)
            putchar(',');
        print_values(t, axis + 1, at);
    }
    putchar(']');
}

static void print_json(const char *key, struct json *value)
{
    char *text = json_print(value, false);
    printf("\"%s\":%s", key, text);
    free(text);
    json_free(value);
}

static bool is_label(const char *name)
{
    return name_among(name, labels);
}

static struct json *ignored(const struct json *json, const struct request *r)
{
    struct json *list = json_array();
    for (const struct json *m = json_first(json); m; m = json_next(m))
        if (!name_among(json_key(m), keys) && !is_label(json_key(m)))
            json_push_string(list, json_key(m));
    for (size_t i = 0; i < r->n_args; i++)
        if (!r->args[i].used && !is_label(r->args[i].name))
            json_push_string(list, r->args[i].name);
    for (size_t i = 0; i < r->n_inputs; i++)
        if (!r->inputs[i].used)
            json_push_string(list, r->inputs[i].name);
    return list;
}

static void print_answer(const struct json *json, const struct request *r, const struct answer *a)
{
    size_t at = 0;
    printf(",\"shape\":[");
    for (int i = 0; i < a->values->rank; i++)
        printf("%s%zu", i ? "," : "", a->values->dim[i]);
    printf("],\"values\":");
    print_values(a->values, 0, &at);
    struct json *rest = ignored(json, r);
    if (json_size(rest)) {
        putchar(',');
        print_json("ignored", rest);
    } else {
        json_free(rest);
    }
}

/* ---- requests in turn ---------------------------------------------------------------------------------- */

static bool answer(const struct json *json, struct request *r, struct answer *a, struct err *err)
{
    if (json_type(json) != JSON_OBJECT)
        return err_set(err, N_("a request must be an object, this is %s"), lang_text(err->lang, json_type_name(json)));
    const char *id = json_string(json_get(json, "encoding"));
    if (!id)
        return err_set(err, N_("encoding: must name an encoding"));
    const struct encoding *kind = encoding_find(id, err);
    return kind && request_read(json, r, err) && quantity_answer(kind, r, a, err);
}

/* The id as it was written, on one line: a number of any size and a text of any characters come back as they are. */
static void print_id(const char *id, size_t size)
{
    bool quoted = false;
    for (size_t i = 0; i < size; i++) {
        if (!quoted && strchr(" \t\r\n", id[i]))
            continue;
        if (id[i] == '"')
            quoted = !quoted;
        putchar(id[i]);
        if (quoted && id[i] == '\\')
            putchar(id[++i]);
    }
}

/* Prints the reply to a text; where json is NULL, it was no request, and err says why. */
static bool reply(const char *text, size_t size, const struct json *json, struct err *err)
{
    struct request r = {0};
    struct answer a = {0};
    bool done = json && answer(json, &r, &a, err);
    size_t id_size = 0;
    const char *id = json_salvage(text, size, "id", &id_size);
    printf("{\"id\":");
    print_id(id ? id : "null", id ? id_size : 4);
    if (done) {
        print_answer(json, &r, &a);
    } else {
        putchar(',');
        print_json("error", json_new_string(err->text));
    }
    puts("}");
    table_unref(a.values);
    request_done(&r);
    return done && fflush(stdout) == 0;
}

/* Replies to a text that is JSON. */
static bool reply_valid(const char *text, size_t size, enum lang lang)
{
    struct err err = {.lang = lang};
    struct json *json = json_unique(text, size, &err) ? json_parse(text, size, &err) : NULL;
    bool done = reply(text, size, json, &err);
    json_free(json);
    return done;
}

/* The same to any; lines: those before it in the file. */
static bool reply_text(const char *text, size_t size, int lines, enum lang lang)
{
    struct err err = {.lang = lang};
    struct json_check check = {.lines = lines};
    bool valid = json_check(&check, text, size, NULL, &err) == JSON_WHOLE;
    return valid ? reply_valid(text, size, lang) : reply(text, size, NULL, &err);
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

struct lines {
    FILE *file;
    char *text;                 /* the line with its newline, and a NUL */
    size_t size, capacity;
    int before;                 /* lines of the file before this one */
    int read;
    bool too_long;
};

/* Appends the next line to what is there; what goes beyond limit is skipped. False at the end. */
static bool add_line(struct lines *l, size_t limit)
{
    int c = 0;
    size_t from = l->size;
    l->too_long = false;
    while (c != '\n' && (c = getc_unlocked(l->file)) != EOF) {
        if (l->size + 2 >= l->capacity)
            l->text = xreallocarray(l->text, l->capacity = l->capacity ? 2 * l->capacity : 4096, 1);
        l->too_long = l->size >= limit;
        if (!l->too_long)
            l->text[l->size++] = (char)c;
    }
    if (l->text)
        l->text[l->size] = '\0';
    l->read += l->size > from;
    return l->size > from;
}

static bool is_blank(const struct lines *l)
{
    return !l->too_long && strspn(l->text, " \t\r\n") == l->size;
}

static void skip_mark(struct lines *l)
{
    if (l->size < 3 || memcmp(l->text, "\xef\xbb\xbf", 3))
        return;
    l->size -= 3;
    memmove(l->text, l->text + 3, l->size + 1);
}

/* The next line that is not blank. */
static bool next_line(struct lines *l, size_t limit)
{
    do {
        l->size = 0;
        l->before = l->read;
        if (!add_line(l, limit))
            return false;
        skip_mark(l);
    } while (is_blank(l));
    return true;
}

static bool reply_line(const struct lines *l, enum lang lang)
{
    struct err err = {.lang = lang};
    if (!l->too_long)
        return reply_text(l->text, l->size, l->before, lang);
    err_set(&err, N_("longer than the %d bytes that are allowed"), LINE_MAX_BYTES);
    return reply(l->text, l->size, NULL, &err);
}

/* ---- an array over any number of lines ----------------------------------------------------------------------- */

struct replies { enum lang lang; bool all; };

static bool reply_entry(const char *text, size_t size, void *context)
{
    struct replies *r = context;
    r->all = reply_valid(text, size, r->lang) && r->all;
    return !ferror(stdout);
}

/* Each line of what was thought to be an array, by itself. */
static bool reply_apart(struct lines *l, enum lang lang)
{
    bool all = true;
    int before = l->before;
    for (char *line = l->text, *end; *line; line = end, before++) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        if (strspn(line, " \t\r\n") < (size_t)(end - line))
            all = reply_text(line, (size_t)(end - line), before, lang) && all;
    }
    return all;
}

/* l holds a line that begins with '[': reads on as long as this may become an array of requests. As soon as it cannot, each line is
 * answered by itself, so that a program that waits for a reply gets it. */
static bool reply_array(struct lines *l, enum lang lang)
{
    struct json_check check = {.lines = l->before};
    enum json_state state = json_check(&check, l->text, l->size, NULL, NULL);
    for (size_t from = l->size; state == JSON_OPEN && add_line(l, FILE_MAX_BYTES) && !l->too_long; from = l->size)
        state = json_check(&check, l->text + from, l->size - from, NULL, NULL);
    if (state != JSON_WHOLE)
        return reply_apart(l, lang);
    struct replies r = {.lang = lang, .all = true};
    json_entries(l->text, l->size, reply_entry, &r);
    return r.all;
}

static int reply_all(struct lines *l, enum lang lang)
{
    bool all = true;
    for (bool first = true; !ferror(stdout) && next_line(l, first ? FILE_MAX_BYTES : LINE_MAX_BYTES); first = false) {
        bool array = first && !l->too_long && l->text[strspn(l->text, " \t")] == '[';
        all = (array ? reply_array(l, lang) : reply_line(l, lang)) && all;
    }
    return all ? STATUS_DONE : STATUS_NO;
}

static int run(int argc, char **argv, enum lang lang)
{
    const char *argument, *path = NULL;
    struct err err = {.lang = lang};
    for (int i = 1; i < argc;) {
        int option = command_next(&command_compute, argc, argv, &i, &argument, lang);
        if (option == COMMAND_HELP)
            return STATUS_DONE;
        if (option == COMMAND_WRONG)
            return STATUS_USAGE;
        if (!command_single(&path, argument, &err))
            return command_fail(&command_compute, err.text);
    }
    path = path ? path : "-";
    int fd = strcmp(path, "-") ? file_open(path, true, &err) : STDIN_FILENO;
    struct lines l = {.file = fd == STDIN_FILENO ? stdin : fd >= 0 ? fdopen(fd, "r") : NULL};
    if (!l.file)
        return command_fail(&command_compute, err.text);
    int status = reply_all(&l, lang);
    if (ferror(l.file)) {
        err_set(&err, N_("%s: cannot be read: %s"), path, err_reason(&err, errno));
        status = command_fail(&command_compute, err.text);
    }
    if (l.file != stdin)
        fclose(l.file);
    free(l.text);
    return command_print(&command_compute, "", status, lang);
}

const struct command command_compute = {
    .name = "compute",
    .usage = "[FILE]",
    .summary = N_("answers requests for values, one JSON object a line"),
    .help = N_("A request names an encoding, an output and its settings: {\"id\": 1, \"encoding\": \"rope\", \"output\": "
               "\"inv_freq\", \"params\": {\"head_dim\": 8}}; positions, inputs and shape where needed. The reply repeats "
               "id and gives shape and values, or error; a bad line does not stop the next one. FILE may also be one JSON "
               "array of requests; - or nothing is standard input. The exit status is 1 if a reply was an error."),
    .run = run,
};
