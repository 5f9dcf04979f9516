/* bench.c - `posviz bench`: times the program's own work, beside numpy and matplotlib where they are installed, and against what
 * the machine can do. Every row is measured in this run; what cannot be measured is null. The rows are made in bench_*.c. */
#include "command/bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "core/blas.h"
#include "json/json.h"

enum { OPTION_JSON };
static const struct command_option options[] = {
    [OPTION_JSON] = {.name = "--json", .help = N_("one JSON value in place of a table")},
};

static const struct bench_family *const families[] = {
#define BENCH(name) &bench_##name,
#include "command/benches.def"
#undef BENCH
};
enum { N_FAMILIES = sizeof families / sizeof *families };

static char *json_row(const struct bench_row *r)
{
    struct json *o = json_object();
    json_set_string(o, "name", r->name);
    json_set_number(o, "n", r->n);
    json_set_number(o, "d", r->d);
    json_set_number(o, "heads", r->heads);
    json_set_number(o, "threads", r->threads);
    json_set_number(o, "seconds", r->own.seconds);
    json_set_number(o, "peer_seconds", r->peer.seconds);
    json_set_number(o, "ratio", r->peer.seconds / r->own.seconds);
    json_set_number(o, "rss_bytes", r->rss_bytes);
    json_set_number(o, "limit_share", r->limit_share);
    json_set_string(o, "limit", isnan(r->limit_share) ? NULL : r->limit);
    json_set_number(o, "least_seconds", r->own.least);
    json_set_number(o, "most_seconds", r->own.most);
    json_set_number(o, "peer_least_seconds", r->peer.least);
    json_set_number(o, "peer_most_seconds", r->peer.most);
    json_set_string(o, "peer", isnan(r->peer.seconds) ? NULL : r->peer_name);
    json_set_number(o, "cpu_seconds", r->own.cpu_seconds);
    json_set_number(o, "peer_cpu_seconds", r->peer.cpu_seconds);
    json_set_number(o, "rate", r->rate);
    json_set_string(o, "unit", r->unit);
    json_set_number(o, "p99_seconds", r->p99);
    json_set_number(o, "bytes_a_frame", r->bytes);
    json_set_number(o, "writes_a_frame", r->writes);
    json_set_string(o, "note", *r->note ? r->note : NULL);
    char *text = json_print(o, false);
    json_free(o);
    return text;
}

/* A number, or a dash for what has none. */
static void print_cell(int width, int decimals, double x)
{
    if (isnan(x))
        printf(" %*s", width, "-");
    else
        printf(" %*.*f", width, decimals, x);
}

static void print_row(const struct bench_row *r, enum lang lang)
{
    printf("%-22s", r->name);
    print_cell(9, 0, r->n);
    print_cell(5, 0, r->d);
    print_cell(3, 0, r->threads);
    print_cell(11, 3, r->own.seconds * 1e3);
    print_cell(11, 3, r->own.cpu_seconds * 1e3);
    print_cell(9, 1, r->rss_bytes / 1048576);
    print_cell(7, r->limit_share < 0.095, r->limit_share * 100);
    printf("%c", isnan(r->limit_share) ? ' ' : *r->limit);
    if (r->unit)
        printf("  %.1f %s", r->rate, r->unit);
    if (!isnan(r->p99))
        printf("  p99 %.2f ms", r->p99 * 1e3);
    if (!isnan(r->bytes))
        printf(lang_text(lang, N_(", %.0f bytes and %.2f writes a frame")), r->bytes, r->writes);
    if (r->peer_name && isnan(r->peer.seconds))
        printf("  %s: %s", r->peer_name, lang_text(lang, N_("not measured")));
    else if (r->peer_name)
        printf("  %s: %.1f ms, %.1fx", r->peer_name, r->peer.seconds * 1e3, r->peer.seconds / r->own.seconds);
    if (r->peer.cpu_seconds > 0)
        printf(", CPU %.1f ms, %.1fx", r->peer.cpu_seconds * 1e3, r->peer.cpu_seconds / r->own.cpu_seconds);
    printf("%s%s\n", *r->note ? "  " : "", r->note);
}

static const char heading[] = N_("name                           n     d thr          ms      CPU ms  peak MiB  limit %");

static void print_all(const struct bench *b, bool json, enum lang lang)
{
    if (!json)
        printf("%s\n%s\n", blas_name(), lang_text(lang, heading));
    for (size_t i = 0; i < b->n; i++) {
        if (!json) {
            print_row(&b->row[i], lang);
            continue;
        }
        char *text = json_row(&b->row[i]);
        printf("%s%s%s", i ? ",\n" : "[", text, i + 1 == b->n ? "]\n" : "");
        free(text);
    }
}

static int unknown(const struct command *command, const char *name, enum lang lang)
{
    struct err err = {.lang = lang};
    char list[200] = "";
    for (size_t i = 0; i < N_FAMILIES; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", families[i]->name);
    err_set(&err, N_("there is no benchmark '%s'; there are %s"), name, list);
    return command_fail(command, err.text);
}

static int run(int argc, char **argv, enum lang lang)
{
    static struct bench b;
    const char *argument, *name = NULL;
    struct err err = {.lang = lang};
    bool json = false, found = false;
    for (int i = 1; i < argc;)
        switch (command_next(&command_bench, argc, argv, &i, &argument, lang)) {
        case OPTION_JSON:     json = true; break;
        case COMMAND_OPERAND:
            if (!command_single(&name, argument, &err))
                return command_fail(&command_bench, err.text);
            break;
        case COMMAND_HELP:    return STATUS_DONE;
        default:              return STATUS_USAGE;
        }
    for (size_t i = 0; i < N_FAMILIES; i++)
        found |= name && !strcmp(families[i]->name, name);
    if (name && !found)
        return unknown(&command_bench, name, lang);
    for (size_t i = 0; i < N_FAMILIES; i++)
        if (name ? !strcmp(families[i]->name, name) : !families[i]->named_only)
            families[i]->run(&b);
    print_all(&b, json, lang);
    return command_print(&command_bench, "", STATUS_DONE, lang);
}

const struct command command_bench = {
    .name = "bench",
    .usage = "[NAME] [--json]",
    .summary = N_("measure this program, beside numpy and matplotlib where they are installed"),
    .help = N_("NAME is machine, attention, preview, fields, scaling, cancel, frame, terminal, or long (131 072 tokens, a minute; only when named).\n"
               "machine: large products, copying memory, exponentials: the rates that limits are reckoned by. attention: one causal head, 4 096\n"
               "tokens, pooled to 64 x 128, beside the same in numpy with as many threads; the kernel of numpy's OpenBLAS in brackets. ALiBi\n"
               "leaves out keys whose weight is below e^-87 of the largest, as far keys of a steep head are; rope computes every pair. preview:\n"
               "64 rows of 131 072. fields: pictures of 128 x 128 samples over 10 000 000 tokens. scaling: what each view computes for a screen of\n"
               "80 x 24, at 1 000 to 10 000 000 tokens; who needs more than 2 s is told to stop. cancel: the longest time of the processor until\n"
               "attention asks whether it is still wanted. frame: from the start of the process to the first full picture on a terminal of\n"
               "120 x 40. terminal: on a terminal of 200 x 60 in 24-bit colours that reads all it is sent: from a key to the first byte that\n"
               "follows (median, and p99), idle and while a long attention is computed; what a frame costs, of RoPE playing and of a heatmap whose\n"
               "cells all change, as fast as keys come; how often an idle program wakes up in a second.\n"
               "Times are medians of several runs made now, after one to warm up: by the clock, and of the processor, which a busy machine changes\n"
               "less. limit is the share of the CPU time that the machine needs at its best for what nobody can do without: the products of all\n"
               "allowed pairs, or of the pooled features, at the rate of large ones (p), or writing and reading keys and samples once at the rate\n"
               "of copying (m), whichever takes longer; above 100 where pairs were left out."),
    .options = options, .n_options = sizeof options / sizeof *options,
    .run = run,
};
