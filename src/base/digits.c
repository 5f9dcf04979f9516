#include "base/digits.h"

#include <stdio.h>
#include <stdlib.h>

int digits_write(char out[DIGITS_TEXT], double x, int fewest)
{
    int digits = fewest;
    while (snprintf(out, DIGITS_TEXT, "%.*g", digits, x), strtod(out, NULL) != x && digits < DIGITS_MOST)
        digits++;
    return digits;
}
