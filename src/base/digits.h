/* digits.h - a number in decimal, exactly: as few digits as read back as the same double, and at least so many as asked for. */
#ifndef POSVIZ_BASE_DIGITS_H
#define POSVIZ_BASE_DIGITS_H

enum { DIGITS_TEXT = 32, DIGITS_MOST = 17 };

/* Writes x as %g does, with the digits that it returns. */
int digits_write(char out[DIGITS_TEXT], double x, int fewest);

#endif
