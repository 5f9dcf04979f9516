/* written.h - the numbers in a text, as a reader sees them: value and the unit of the last digit, which says how exact they claim to be. */
#ifndef POSVIZ_TESTS_WRITTEN_H
#define POSVIZ_TESTS_WRITTEN_H

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;
struct written { real value, unit; bool infinite; };       /* unit: of its last digit */

static inline bool starts_number(const char *text, const char *at)
{
    bool minus = *at == '-';
    return isdigit((unsigned char)at[minus]) && (at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '.' && at[-1] != '_'));
}

/* "-131 072.50", "1.5e-07"; a space between digits only before groups of three. Returns where it ends. */
static inline const char *read_number(const char *at, struct written *out)
{
    char digits[80];
    size_t n = 0;
    int decimals = 0;
    bool point = false;
    for (digits[n++] = *at++; n < sizeof digits - 1; at++) {
        bool group = *at == ' ' && !point && isdigit((unsigned char)at[1]) && isdigit((unsigned char)at[2]) && isdigit((unsigned char)at[3]) &&
                     !isdigit((unsigned char)at[4]);
        if (group)
            continue;
        if (*at == '.' && !point && isdigit((unsigned char)at[1]))
            point = true;
        else if (isdigit((unsigned char)*at))
            decimals += point;
        else
            break;
        digits[n++] = *at;
    }
    digits[n] = '\0';
    long exponent = 0;
    if (*at == 'e' && (isdigit((unsigned char)at[1]) || ((at[1] == '-' || at[1] == '+') && isdigit((unsigned char)at[2])))) {
        char *end;
        exponent = strtol(at + 1, &end, 10);
        at = end;
    }
    *out = (struct written){.value = strtold(digits, NULL) * powl(10, exponent), .unit = powl(10, (real)(exponent - decimals))};
    return at;
}

static inline size_t read_numbers(const char *text, struct written *out, size_t most)
{
    size_t n = 0;
    for (const char *at = text; *at && n < most;) {
        if (!strncmp(at, "inf", 3) && !isalpha((unsigned char)at[3]) && (at == text || !isalpha((unsigned char)at[-1]))) {
            out[n++] = (struct written){.infinite = true};
            at += 3;
        } else if (starts_number(text, at))
            at = read_number(at, &out[n++]);
        else
            at++;
    }
    return n;
}

#endif
