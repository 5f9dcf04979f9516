/* peer.h - what a benchmark compares with: python3 with numpy and matplotlib, if they are there, and programs timed from start to
 * end. Everything runs in the same benchmark as what it is compared with. */
#ifndef POSVIZ_COMMAND_PEER_H
#define POSVIZ_COMMAND_PEER_H

#include <stdbool.h>
#include <stddef.h>

/* A python3 that has the module: that of the path, else the system's own. NULL: none has, or the path has no python3. */
const char *peer_python(const char *module);

enum { PEER_RUNS_MAX = 32 };
/* Medians of some runs, by the clock and of all threads; the least and the most by the clock. NAN: not measured. */
struct peer_time { double seconds, cpu_seconds, least, most; };
extern const struct peer_time peer_unmeasured;
/* Of n runs, whose order changes; cpu may be NULL. */
struct peer_time peer_summary(double *seconds, double *cpu_seconds, size_t n);

/* Causal attention in numpy, n tokens of width d, pooled to 64 x 128. scheme: "alibi" with this slope, "rope". kernel: which code of
 * OpenBLAS ran, or "". */
struct peer_time peer_attention(const char *scheme, int n, int d, double slope, int threads, char *kernel, size_t size);
/* Whole process: importing numpy; a first image of matplotlib. */
struct peer_time peer_import(void);
struct peer_time peer_image(void);

/* Peak of memory of a process in bytes; NAN if it cannot be read. */
double peer_peak(int pid);

double peer_clock(void);        /* seconds */
double peer_cpu_clock(void);    /* of all threads of this process */

#endif
