/* bench.c - `posviz bench`: times the program's own work, beside numpy and matplotlib where they are installed, and against what
 * the machine can do. Every row is measured in this run; what cannot be measured is null. */
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "command/command.h"
#include "command/peer.h"
#include "core/attention.h"
#include "core/blas.h"
#include "core/field.h"
#include "json/json.h"

enum { OPTION_JSON };
static const struct command_option options[] = {
    [OPTION_JSON] = {.name = "--json", .help = N_("one JSON value in place of a table")},
};

enum { ROWS_MAX = 64, H = 64, W = 128 };        /* samples of attention pictures */

/* NAN: not measured, or it has no such number. */
struct row {
    char name[64];
    double n, d, heads, threads;
    struct peer_time own, peer;
    const char *peer_name;      /* what peer timed */
    double rss_bytes;           /* peak of the process */
    double limit_share;         /* of the CPU time, what the products alone take at the measured rate of large ones */
    double rate;                /* in unit */
    const char *unit;
};

struct bench {
    struct row row[ROWS_MAX];
    size_t n;
    double flops;               /* of large products, a second and thread; 0: not measured yet */
};

static struct row *add_row(struct bench *b, const char *name)
{
    struct row *r = &b->row[b->n < ROWS_MAX ? b->n++ : ROWS_MAX - 1];
    *r = (struct row){.n = NAN, .d = NAN, .heads = NAN, .threads = 1, .own = {NAN, NAN}, .peer = {NAN, NAN},
                      .rss_bytes = NAN, .limit_share = NAN, .rate = NAN};
    snprintf(r->name, sizeof r->name, "%s", name);
    return r;
}

/* ---- measuring ------------------------------------------------------------------------------------------ */

/* Linux lets a process forget its peak of memory. */
static void forget_peak(void)
{
#ifdef __GLIBC__
    malloc_trim(0);                 /* what earlier rows have freed is not this one's */
#endif
    int fd = open("/proc/self/clear_refs", O_WRONLY);
    if (fd < 0)
        return;
    if (write(fd, "5", 1) != 1)
        fprintf(stderr, "posviz bench: rss_bytes is the peak since the start\n");
    close(fd);
}

static double peak(void)
{
    struct rusage usage;
    double bytes = peer_peak(getpid());
    getrusage(RUSAGE_SELF, &usage);
    return isnan(bytes) ? (double)usage.ru_maxrss * 1024 : bytes;
}

/* The best of at least 3 runs, of up to 30 in a second; the peak of memory of all. */
static void measure(struct row *r, bool (*work)(void *ctx), void *ctx)
{
    double start = peer_clock();
    forget_peak();
    for (int i = 0; i < 30 && (i < 3 || peer_clock() - start < 1); i++) {
        double before = peer_clock(), cpu_before = peer_cpu_clock();
        if (!work(ctx))
            return;
        r->own.seconds = fmin(r->own.seconds, peer_clock() - before);
        r->own.cpu_seconds = fmin(r->own.cpu_seconds, peer_cpu_clock() - cpu_before);
        if (peer_clock() - start > 30)
            break;
    }
    r->rss_bytes = peak();
}

/* ---- the machine ---------------------------------------------------------------------------------------- */

enum { EDGE = 1024, STREAM = 1 << 25 };

static bool multiply(void *ctx)
{
    float *a = ctx;
    blas_sgemm_nt(EDGE, EDGE, EDGE, 1, a, EDGE, a + EDGE * EDGE, EDGE, 0, a + 2 * EDGE * EDGE, EDGE);
    return true;
}

static bool copy(void *ctx)
{
    char *bytes = ctx;
    memcpy(bytes, bytes + STREAM, STREAM);
    return true;
}

static double product_rate(struct bench *b)
{
    struct row r = {.own = {NAN, NAN}};
    float *a = xcalloc(3 * EDGE * EDGE, sizeof *a);
    if (b->flops == 0) {
        measure(&r, multiply, a);
        b->flops = 2.0 * EDGE * EDGE * EDGE / r.own.cpu_seconds;
    }
    free(a);
    return b->flops;
}

static void bench_machine(struct bench *b)
{
    struct row *r = add_row(b, "sgemm");
    float *a = xcalloc(3 * EDGE * EDGE, sizeof *a);
    r->n = r->d = EDGE;
    measure(r, multiply, a);
    free(a);
    b->flops = 2.0 * EDGE * EDGE * EDGE / r->own.cpu_seconds;
    r->rate = b->flops / 1e9;
    r->unit = "GFLOP/s";
    r = add_row(b, "memory copy");
    char *bytes = xcalloc(2, STREAM);
    memset(bytes, 1, 2 * (size_t)STREAM);
    r->n = STREAM;
    measure(r, copy, bytes);
    free(bytes);
    r->rate = 2.0 * STREAM / r->own.cpu_seconds / 1e9;      /* read and written */
    r->unit = "GB/s";
}

/* ---- attention ------------------------------------------------------------------------------------------ */

static struct layer *layer_of(const char *id, double n, int d)
{
    struct item item;
    struct shape shape = {n, 8, d, d};
    const struct encoding *kind = encoding_find(id, NULL);
    item_init(&item, kind);
    return layer_open(&item, 1, &shape, NULL);
}

struct attention_work {
    struct attention *attention;
    double n;
    int preview;
    double out[H * W];
};

static bool pool_attention(void *ctx)
{
    struct attention_work *w = ctx;
    struct pooled how;
    struct attention_facts facts;
    return attention_pool(w->attention, (struct window){0, w->n, 0, w->n}, H, W, w->preview, w->out, &how, &facts, NULL, NULL);
}

enum { HEAD = 2, WIDTH = 64, PREVIEW = 64 };
static const double slope = 0.125;          /* of head 2 of 8 */

/* Causal, one head, seeded content. Its products: half of n x n, or the rows of a preview against half of the keys. */
static struct row *bench_attention_of(struct bench *b, const char *name, const char *id, double n, int preview, int threads)
{
    struct row *r = add_row(b, name);
    struct layer *layer = layer_of(id, n, WIDTH);
    struct attention_options o = {.head = HEAD, .mask = {MASK_CAUSAL, 0}, .content = {.type = CONTENT_SEEDED, .seed = 1},
                                  .terms = ~0u, .show = SHOW_PROBABILITY, .threads = threads};
    struct attention_work work = {.attention = attention_open(layer, n, &o, NULL), .n = n, .preview = preview};
    double rows = preview ? fmin(preview, n) : n, flops = 2.0 * WIDTH * rows * n / 2;
    r->n = n;
    r->d = WIDTH;
    r->heads = 1;
    r->threads = threads;
    blas_warm_up();
    measure(r, pool_attention, &work);
    r->limit_share = flops / product_rate(b) / r->own.cpu_seconds;
    attention_close(work.attention);
    layer_close(layer);
    return r;
}

static void bench_attention(struct bench *b)
{
    for (int threads = 1; threads <= 2; threads++) {
        struct row *r = bench_attention_of(b, "attention", "alibi", 4096, 0, threads);
        r->peer = peer_attention(4096, WIDTH, slope, threads);
        r->peer_name = "numpy";
    }
    bench_attention_of(b, "attention rope", "rope", 4096, 0, 1);
}

static void bench_preview(struct bench *b)
{
    bench_attention_of(b, "attention preview", "alibi", 131072, PREVIEW, 1);
    bench_attention_of(b, "rope preview", "rope", 131072, PREVIEW, 1);
}

static void bench_long(struct bench *b)
{
    bench_attention_of(b, "attention long", "alibi", 131072, 0, 2);
    bench_attention_of(b, "rope long", "rope", 131072, 0, 2);
}

/* ---- fields --------------------------------------------------------------------------------------------- */

enum { SAMPLES = 128, FIELD_WIDTH = 128 };
struct field_work {
    struct field *field;
    double n;
    double out[SAMPLES * SAMPLES];
};

static bool pool_field(void *ctx)
{
    struct field_work *w = ctx;
    struct pooled how;
    return field_pool(w->field, (struct window){0, w->n, 0, w->n}, REDUCE_MEAN, SAMPLES, SAMPLES, w->out, &how, NULL, NULL);
}

static void bench_field(struct bench *b, const char *name, const char *id, enum field_kind kind, double n)
{
    struct row *r = add_row(b, name);
    struct layer *layer = layer_of(id, n, FIELD_WIDTH);
    struct field_options o = {.kind = kind, .head = HEAD, .mask = {MASK_CAUSAL, 0}};
    struct field_work *work = xcalloc(1, sizeof *work);
    *work = (struct field_work){.field = field_open(layer, &o, NULL), .n = n};
    r->n = n;
    r->d = FIELD_WIDTH;
    r->heads = 1;
    measure(r, pool_field, work);
    field_close(work->field);
    layer_close(layer);
    free(work);
}

static void bench_fields(struct bench *b)
{
    static const struct { const char *id; enum field_kind kind; } fields[] = {
        {"rope", FIELD_ROTATION}, {"xpos", FIELD_ROTATION}, {"sinusoidal", FIELD_ROWS}, {"alibi", FIELD_BIAS},
        {"t5_bias", FIELD_BIAS}, {"sandwich", FIELD_BIAS}, {"kerple", FIELD_BIAS}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s %s", fields[i].kind == FIELD_BIAS ? "bias" : "similarity", fields[i].id);
        bench_field(b, name, fields[i].id, fields[i].kind, 1e7);
    }
}

static void bench_scaling(struct bench *b)
{
    for (double n = 1e3; n <= 1e7; n *= 10)
        bench_field(b, "scaling similarity", "rope", FIELD_ROTATION, n);
    for (double n = 1e3; n <= 1e6; n *= 10)
        bench_attention_of(b, "scaling preview", "alibi", n, PREVIEW, 1);
    for (double n = 1e3; n <= 1e4; n *= 10)
        bench_attention_of(b, "scaling attention", "rope", n, 0, 1);
}

/* ---- first frame ---------------------------------------------------------------------------------------- */

static void bench_frame(struct bench *b)
{
    static const char *const args[] = {"posviz", "similarity", "-e", "rope", "--test-sync", NULL};
    static const struct { const char *peer; double (*seconds)(void); } peers[] = {
        {"import numpy", peer_import}, {"matplotlib", peer_image}};
    for (size_t i = 0; i < 2; i++) {
        struct row *r = add_row(b, "first frame");
        for (int k = 0; k < 7; k++)
            r->own.seconds = fmin(r->own.seconds, peer_first_frame(args, &r->rss_bytes));
        r->peer_name = peers[i].peer;
        r->peer.seconds = peers[i].seconds();
    }
}

/* ---- output --------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(struct bench *b);
    bool named_only;            /* takes a minute or so: not among all */
} benches[] = {
    {"machine", bench_machine, false}, {"attention", bench_attention, false}, {"preview", bench_preview, false},
    {"fields", bench_fields, false}, {"scaling", bench_scaling, false}, {"frame", bench_frame, false}, {"long", bench_long, true},
};
enum { N_BENCHES = sizeof benches / sizeof *benches };

static char *json_row(const struct row *r)
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
    json_set_string(o, "peer", isnan(r->peer.seconds) ? NULL : r->peer_name);
    json_set_number(o, "cpu_seconds", r->own.cpu_seconds);
    json_set_number(o, "peer_cpu_seconds", r->peer.cpu_seconds);
    json_set_number(o, "rate", r->rate);
    json_set_string(o, "unit", r->unit);
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

static void print_row(const struct row *r, enum lang lang)
{
    printf("%-22s", r->name);
    print_cell(9, 0, r->n);
    print_cell(5, 0, r->d);
    print_cell(3, 0, r->threads);
    print_cell(11, 3, r->own.seconds * 1e3);
    print_cell(11, 3, r->own.cpu_seconds * 1e3);
    print_cell(9, 1, r->rss_bytes / 1048576);
    print_cell(8, 0, r->limit_share * 100);
    if (r->unit)
        printf("  %.1f %s", r->rate, r->unit);
    if (r->peer_name && isnan(r->peer.seconds))
        printf("  %s: %s", r->peer_name, lang_text(lang, N_("not measured")));
    else if (r->peer_name)
        printf("  %s: %.1f ms, %.1fx", r->peer_name, r->peer.seconds * 1e3, r->peer.seconds / r->own.seconds);
    if (r->peer.cpu_seconds > 0)
        printf(", CPU %.1f ms, %.1fx", r->peer.cpu_seconds * 1e3, r->peer.cpu_seconds / r->own.cpu_seconds);
    printf("\n");
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
    for (size_t i = 0; i < N_BENCHES; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", benches[i].name);
    err_set(&err, N_("there is no benchmark '%s'; there are %s"), name, list);
    return command_fail(command, err.text);
}

static int run(int argc, char **argv, enum lang lang)
{
    static struct bench b;
    const char *argument, *name = NULL;
    bool json = false, found = false;
    for (int i = 1; i < argc;)
        switch (command_next(&command_bench, argc, argv, &i, &argument, lang)) {
        case OPTION_JSON:     json = true; break;
        case COMMAND_OPERAND: name = argument; break;
        case COMMAND_HELP:    return STATUS_DONE;
        default:              return STATUS_USAGE;
        }
    for (size_t i = 0; i < N_BENCHES; i++)
        found |= name && !strcmp(benches[i].name, name);
    if (name && !found)
        return unknown(&command_bench, name, lang);
    for (size_t i = 0; i < N_BENCHES; i++)
        if (name ? !strcmp(benches[i].name, name) : !benches[i].named_only)
            benches[i].run(&b);
    print_all(&b, json, lang);
    return command_print(&command_bench, "", STATUS_DONE);
}

const struct command command_bench = {
    .name = "bench",
    .usage = "[NAME] [--json]",
    .summary = N_("measure this program, beside numpy and matplotlib where they are installed"),
    .help = N_("NAME is machine, attention, preview, fields, scaling, frame, or long (131 072 tokens exactly, minutes; only when named).\n"
               "attention: one causal head, 4 096 tokens, pooled to 64 x 128; with ALiBi against the same in numpy with as many threads.\n"
               "fields: pictures of 128 x 128 samples over 10 000 000 tokens, exact means. frame: from the start of the process to\n"
               "the first full picture on a terminal of 120 x 40. Times are the best of several runs, all made now: by the clock,\n"
               "and of the processor, which a busy machine changes less. limit is the share of the CPU time that the products\n"
               "of all allowed pairs would take at the rate of large ones (row sgemm): above 100 where keys were left out because\n"
               "their weight is below e^-87 of the largest, as far keys of a steep ALiBi head are."),
    .options = options, .n_options = sizeof options / sizeof *options,
    .run = run,
};
