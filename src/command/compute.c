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

#include "base/file.h"
#include "base/mem.h"
#include "command/command.h"
#include "command/request_json.h"
#include "core/quantity.h"
#include "json/json.h"

enum { LINE_MAX_BYTES = 1 << 26, FILE_MAX_BYTES = 1 << 28 };

/* Settings of the golden files that only say where a case comes from. */
static const char *const labels[] = {"model", "case", "style", "variant", "query", "arch", "layers", "terms", "source",
                                     "note", "delta", "not_a_target", NULL};

/* ---- answer to JSON ------------------------------------------------------------------------------------ */

/* Shortest of 15 to 17 digits that reads back equal. */
static void print_number(double x)
{
    char text[32];
    int digits = 15;
    if (!isfinite(x)) {
        fputs("null", stdout);
        return;
    }
    x += 0.0;                               /* -0 becomes 0 */
    do
        snprintf(text, sizeof text, "%.*g", digits, x);
    while (strtod(text, NULL) != x && ++digits <= 17);
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
    for (size_t i = 0; labels[i]; i++)
        if (!strcmp(labels[i], name))
            return true;
    return false;
}

static struct json *ignored(const struct request *r)
{
    struct json *list = json_array();
    for (size_t i = 0; i < r->n_args; i++)
        if (!r->args[i].used && !is_label(r->args[i].name))
            json_push_string(list, r->args[i].name);
    for (size_t i = 0; i < r->n_inputs; i++)
        if (!r->inputs[i].used)
            json_push_string(list, r->inputs[i].name);
    return list;
}

static void print_answer(const struct request *r, const struct answer *a)
{
    size_t at = 0;
    printf(",\"shape\":[");
    for (int i = 0; i < a->values->rank; i++)
        printf("%s%zu", i ? "," : "", a->values->dim[i]);
    printf("],\"values\":");
    print_values(a->values, 0, &at);
    struct json *rest = ignored(r);
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

/* Prints the reply; json is NULL where the line was none, and err says why. */
static bool reply(const struct json *json, struct err *err)
{
    struct request r = {0};
    struct answer a = {0};
    bool done = json && answer(json, &r, &a, err);
    const struct json *id = json ? json_get(json, "id") : NULL;
    putchar('{');
    print_json("id", id ? json_copy(id) : json_new_null());
    if (done) {
        print_answer(&r, &a);
    } else {
        putchar(',');
        print_json("error", json_new_string(err->text));
    }
    puts("}");
    table_unref(a.values);
    request_done(&r);
    return done && fflush(stdout) == 0;
}

static bool reply_text(const char *text, size_t size, enum lang lang)
{
    struct err err = {.lang = lang};
    struct json *json = json_parse(text, size, &err);
    bool done = reply(json, &err);
    json_free(json);
    return done;
}

struct lines {
    FILE *file;
    char *text;
    size_t size, capacity;
    bool too_long;
};

/* The next line without its newline; what goes beyond limit is skipped. False at the end. */
static bool next_line(struct lines *l, size_t limit, bool to_end)
{
    int c;
    l->size = 0;
    l->too_long = false;
    while ((c = getc_unlocked(l->file)) != EOF && (c != '\n' || to_end)) {
        if (l->size + 1 >= l->capacity)
            l->text = xreallocarray(l->text, l->capacity = l->capacity ? 2 * l->capacity : 4096, 1);
        l->too_long = l->size >= limit;
        if (!l->too_long)
            l->text[l->size++] = (char)c;
    }
    return c != EOF || l->size;
}

/* The first character that is no blank; left in the file. */
static int peek(FILE *file)
{
    int c;
    do
        c = getc(file);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r');
    ungetc(c, file);
    return c;
}

static int answer_array(struct lines *l, enum lang lang)
{
    struct err err = {.lang = lang};
    next_line(l, FILE_MAX_BYTES, true);
    if (l->too_long) {
        err_set(&err, N_("longer than the %d bytes that are allowed"), FILE_MAX_BYTES);
        return command_fail(&command_compute, err.text);
    }
    struct json *list = json_parse(l->text, l->size, &err);
    if (!list)
        return command_fail(&command_compute, err.text);
    int status = STATUS_DONE;
    for (const struct json *v = json_first(list); v && !ferror(stdout); v = json_next(v))
        if (!reply(v, &err))
            status = STATUS_NO;
    json_free(list);
    return status;
}

static int answer_lines(struct lines *l, enum lang lang)
{
    int status = STATUS_DONE;
    while (!ferror(stdout) && next_line(l, LINE_MAX_BYTES, false)) {
        struct err err = {.lang = lang};
        if (!l->too_long && strspn(l->text, " \t\r") >= l->size)
            continue;
        if (l->too_long)
            err_set(&err, N_("longer than the %d bytes that are allowed"), LINE_MAX_BYTES);
        if (l->too_long ? !reply(NULL, &err) : !reply_text(l->text, l->size, lang))
            status = STATUS_NO;
    }
    return status;
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
    int status = peek(l.file) == '[' ? answer_array(&l, lang) : answer_lines(&l, lang);
    if (ferror(l.file)) {
        err_set(&err, N_("%s: cannot be read: %s"), path, strerror(errno));
        status = command_fail(&command_compute, err.text);
    }
    if (l.file != stdin)
        fclose(l.file);
    free(l.text);
    return command_print(&command_compute, "", status);
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
