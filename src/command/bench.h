/* bench.h - what the families of rows of `posviz bench` share. Adding a family: a file bench_NAME.c that ends with
 * `const struct bench_family bench_NAME`, and a line in benches.def. */
#ifndef POSVIZ_COMMAND_BENCH_H
#define POSVIZ_COMMAND_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "command/peer.h"
#include "core/field.h"
#include "scenario/scenario.h"

/* NAN: not measured, or it has no such number. */
struct bench_row {
    char name[64];
    double n, d, heads, threads;
    struct peer_time own, peer;
    const char *peer_name;      /* what peer timed */
    double rss_bytes;           /* peak of the process */
    double limit_share;         /* of the CPU time: what the machine needs for what nobody can do without (bench_limit) */
    const char *limit;          /* "products" or "memory": which of them binds */
    double rate;                /* in unit */
    const char *unit;
    double p99;                 /* seconds that one in a hundred takes longer than; own is the median then */
    double bytes, writes;       /* of a frame on a terminal */
    bool once;                  /* too long to be repeated */
    char note[512];             /* what else there is to say, or "" */
};

enum { BENCH_ROWS_MAX = 256 };
struct bench {
    struct bench_row row[BENCH_ROWS_MAX];
    size_t n;
    struct bench_machine {
        double flops, double_flops;     /* of large products, float32 and double, a second and thread; 0: not measured yet */
        double bandwidth;               /* bytes read and written in a second */
    } machine;
};

struct bench_family {
    const char *name;
    void (*run)(struct bench *b);
    bool named_only;            /* takes a minute or so: not among all */
};
#define BENCH(name) extern const struct bench_family bench_##name;
#include "command/benches.def"
#undef BENCH

/* A new row, one thread and nothing measured. */
struct bench_row *bench_add(struct bench *b, const char *name);
/* Once to warm up, then the median of at least 5 runs, of up to 32 in half a second; the peak of memory of all. */
void bench_measure(struct bench_row *r, bool (*work)(void *ctx), void *ctx);
/* The row's share of the machine's limit: operations of its products in float32 and double, and bytes that it must read and write. */
void bench_limit(struct bench *b, struct bench_row *r, double products, double double_products, double bytes);
/* The two halves of it, for work that is measured once. */
void bench_forget_peak(void);
double bench_peak(void);
/* The rates of this machine: measured once. (bench_machine.c) */
const struct bench_machine *bench_machine_of(struct bench *b);

/* A layer of the encoding at its defaults, 8 heads of width d. */
struct layer *bench_layer(const char *id, double n, int d);
/* Causal attention of one head of the encoding, seeded content, width 64, pooled to 64 x 128 samples. preview: so many rows spread
 * over all; 0: every row. (bench_attention.c) */
struct bench_row *bench_attention_of(struct bench *b, const char *name, const char *id, double n, int preview, int threads);
/* The picture of a field of 128 x 128 samples, width 128. (bench_fields.c) */
void bench_field(struct bench *b, const char *name, const char *id, enum field_kind kind, double n);

/* A view's figure on a screen of 80 x 24, without a screen. */
enum bench_end { BENCH_DONE, BENCH_STOPPED, BENCH_REFUSED };
struct bench_figure {
    enum bench_end end;
    double seconds, cpu_seconds;    /* until the end */
    double first;                   /* CPU seconds until there was a picture, a preview perhaps */
    double longest;                 /* CPU seconds between two ticks: how long a newer request may have to wait */
    struct err err;                 /* REFUSED */
};
/* Plans, lays out and computes on one thread; after so many CPU seconds it is told to stop, as by a newer request. (bench_figure.c) */
struct bench_figure bench_figure(const struct scenario *s, double most);


enum { BENCH_HEAD = 2,          /* of 8 */
       BENCH_PREVIEW = 64 };    /* rows of a preview */

#endif
