/* ints.h - the larger and the smaller of two numbers of cells. */
#ifndef POSVIZ_FIGURE_INTS_H
#define POSVIZ_FIGURE_INTS_H

static inline int max_int(int a, int b)
{
    return a > b ? a : b;
}

static inline int min_int(int a, int b)
{
    return a < b ? a : b;
}

#endif
