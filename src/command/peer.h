/* peer.h - what a benchmark compares with: python3 with numpy and matplotlib, if they are there, and programs timed from start to
 * end. Everything runs in the same benchmark as what it is compared with. */
#ifndef POSVIZ_COMMAND_PEER_H
#define POSVIZ_COMMAND_PEER_H

#include <stdbool.h>

/* A python3 that has the module, or NULL: looked for once. */
const char *peer_python(const char *module);

struct peer_time { double seconds, cpu_seconds; };      /* by the clock, and of all threads; best runs. NAN: not measured */

/* Causal ALiBi attention in numpy, n tokens of width d, pooled to 64 x 128. */
struct peer_time peer_attention(int n, int d, double slope, int threads);
/* Whole process: importing numpy; a first image of matplotlib. NAN if it cannot be measured. */
double peer_import(void);
double peer_image(void);

/* Peak of memory of a process in bytes; NAN if it cannot be read. */
double peer_peak(int pid);

double peer_clock(void);        /* seconds */
double peer_cpu_clock(void);    /* of all threads of this process */

#endif
