/* rounding.h - doubles as narrower formats would hold them, ties to even, with their own overflow and subnormals. */
#ifndef POSVIZ_CORE_ROUNDING_H
#define POSVIZ_CORE_ROUNDING_H

enum number_format { FORMAT_DOUBLE, FORMAT_FLOAT32, FORMAT_FLOAT16, FORMAT_BFLOAT16, NUMBER_FORMAT_COUNT };

double round_to(enum number_format format, double x);
/* The smallest whole number from 0 that the format cannot hold: 257 for bfloat16, 2049 for float16. */
double first_unheld(enum number_format format);

/* Where a ratio lies among n steps of equal ratio, of which log_range is the logarithm of all together: ln(ratio) / log_range n. A ratio that
 * is a whole number of steps gives just that number, which the rounding of logarithms would miss on either side. */
double settled_steps(double ratio, double log_range, double n);

#endif
