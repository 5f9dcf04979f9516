/* axis.c - scale, samples, ticks and numbers of an axis. Round numbers are 1, 2 or 5 times a power of ten; an axis that counts
 * a power of two of things (128 channels, 131 072 tokens) is divided in powers of two, as its readers do. */
#include "figure/axis.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"

void axis_set(struct axis *a, const char *label, const char *unit, double from, double to, bool log)
{
    utf8_sanitise(a->label, sizeof a->label, label ? label : "");
    utf8_sanitise(a->unit, sizeof a->unit, unit ? unit : "");
    a->from = from;
    a->to = to;
    a->log = log;
}

void axis_set_ticks(struct axis *a, const char *const *words, size_t n)
{
    axis_done(a);
    a->tick = xcalloc(n, sizeof *a->tick);
    a->n_ticks = n;
    for (size_t i = 0; i < n; i++) {
        char clean[128];
        a->tick[i] = xstrdup(utf8_sanitise(clean, sizeof clean, words[i]));
    }
}

void axis_done(struct axis *a)
{
    for (size_t i = 0; i < a->n_ticks; i++)
        free(a->tick[i]);
    free(a->tick);
    a->tick = NULL;
    a->n_ticks = 0;
}

void axis_copy(struct axis *to, const struct axis *from)
{
    *to = *from;
    to->tick = NULL;
    to->n_ticks = 0;
    if (from->tick)
        axis_set_ticks(to, (const char *const *)from->tick, from->n_ticks);
}

static bool equal(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool axis_same(const struct axis *a, const struct axis *b)
{
    return equal(a->from, b->from) && equal(a->to, b->to) && a->log == b->log;
}

/* ---- scale and samples --------------------------------------------------------------------------------- */

double axis_share(const struct axis *a, double value)
{
    if (a->log)
        return log(value / a->from) / log(a->to / a->from);
    return (value - a->from) / (a->to - a->from);
}

double axis_at(const struct axis *a, double share)
{
    if (a->log)
        return a->from * pow(a->to / a->from, share);
    return a->from + (a->to - a->from) * share;
}

static bool whole(double x)
{
    return isfinite(x) && x == floor(x);
}

double axis_count(const struct axis *a)
{
    bool counts = !a->log && !a->continuous && whole(a->from) && whole(a->to) && a->to > a->from;
    return counts ? a->to - a->from : INFINITY;
}

double axis_edge(const struct axis *a, int n, int i)
{
    double count = axis_count(a);
    return isfinite(count) ? a->from + floor(i * count / n) : axis_at(a, (double)i / n);
}

int axis_sample(const struct axis *a, int n, double value)
{
    double share = axis_share(a, value) * n;
    int i = share > 0 ? share < n ? (int)share : n - 1 : 0;
    while (i + 1 < n && axis_edge(a, n, i + 1) <= value)
        i++;
    while (i > 0 && axis_edge(a, n, i) > value)
        i--;
    return i;
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

/* Puts a space before every third digit of the whole part, counted from its end. */
static void set_thousands_apart(char *out, size_t size, const char *digits)
{
    size_t sign = *digits == '-', whole_part = strspn(digits + sign, "0123456789"), at = 0;
    for (size_t i = 0; digits[i] && at + 2 < size; i++) {
        size_t left = sign + whole_part - i;
        if (i > sign && i < sign + whole_part && left % 3 == 0)
            out[at++] = ' ';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

static bool all_zero(const char *digits)
{
    return !digits[strspn(digits, "-0.")];
}

/* NaN and the infinities; false: x is a number. */
static bool format_no_number(char *out, size_t size, double x)
{
    if (isfinite(x))
        return false;
    snprintf(out, size, "%s", isnan(x) ? "NaN" : x < 0 ? "-inf" : "inf");
    return true;
}

/* "1.50e-07" becomes "1.50e-7". */
static void format_scientific(char *out, size_t size, double x, int digits)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", digits - 1, x);
    char *e = strchr(text, 'e');
    int exponent = atoi(e + 1);
    *e = '\0';
    snprintf(out, size, "%se%d", text, exponent);
}

enum { FIXED_DIGITS = 40 };     /* before the point: more are written as 1.00000e40 */

char *format_fixed(char *out, size_t size, double x, int decimals)
{
    char digits[FIXED_DIGITS + 24];
    if (format_no_number(out, size, x))
        return out;
    if (fabs(x) >= pow(10, FIXED_DIGITS)) {
        format_scientific(out, size, x, 6);
        return out;
    }
    snprintf(digits, sizeof digits, "%.*f", decimals, x);
    set_thousands_apart(out, size, *digits == '-' && all_zero(digits) ? digits + 1 : digits);
    return out;
}

char *format_number(char *out, size_t size, double x, int digits)
{
    if (format_no_number(out, size, x))
        return out;
    if (x == floor(x) && fabs(x) < 1e15)
        return format_fixed(out, size, x, 0);
    char text[64];
    snprintf(text, sizeof text, "%.*e", digits - 1, x);
    int exponent = atoi(strchr(text, 'e') + 1);
    if (exponent < -4 || exponent >= 9)
        format_scientific(out, size, x, digits);
    else
        format_fixed(out, size, x, exponent < digits - 1 ? digits - 1 - exponent : 0);
    return out;
}

char *format_term(char *out, size_t size, double x, int digits)
{
    if (!format_no_number(out, size, x))
        snprintf(out, size, "%.*g", digits, x + 0.0);
    return out;
}

#define DIGITS "0123456789"

static bool is_exponent(const char *text)
{
    return *text == 'e' && (text[1] == '+' || text[1] == '-');
}

/* The number that text begins with, as format_number writes it; returns the bytes read. */
static size_t add_number(struct buf *out, const char *text)
{
    enum { GROUPED_FROM = 5 };              /* "4096" reads well as it is */
    size_t n = strspn(text, DIGITS), exponent;
    char whole[40], grouped[56];
    if (n >= GROUPED_FROM && n < sizeof whole) {
        snprintf(whole, sizeof whole, "%.*s", (int)n, text);
        set_thousands_apart(grouped, sizeof grouped, whole);
        buf_text(out, grouped);
    } else
        buf_put(out, text, n);
    if (text[n] == '.' && (exponent = strspn(text + n + 1, DIGITS)) > 0) {
        buf_put(out, text + n, 1 + exponent);
        n += 1 + exponent;
    }
    if (is_exponent(text + n) && (exponent = strspn(text + n + 2, DIGITS)) > 0) {
        buf_format(out, "e%d", atoi(text + n + 1));
        n += 2 + exponent;
    }
    return n;
}

char *format_sentence(const char *text)
{
    struct buf out = {0};
    bool in_word = false;                   /* also in a path, a version, an identifier */
    while (*text) {
        const char *after = text + strspn(text, DIGITS);
        if (after > text && !in_word && (!isalpha((unsigned char)*after) || is_exponent(after)))
            text += add_number(&out, text);
        else
            buf_put(&out, text++, 1);
        in_word = isalnum((unsigned char)text[-1]) || strchr("_./#:", text[-1]);
    }
    return buf_string(&out);
}

/* ---- ticks --------------------------------------------------------------------------------------------- */

static void format_power(char *out, size_t size, int exponent, bool ascii)
{
    static const char *const superscript[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    if (ascii) {
        snprintf(out, size, "1e%d", exponent);
        return;
    }
    char digits[16];
    snprintf(digits, sizeof digits, "%d", abs(exponent));
    size_t at = (size_t)snprintf(out, size, "10%s", exponent < 0 ? "⁻" : "");
    for (const char *d = digits; *d && at < size; d++)
        at += (size_t)snprintf(out + at, size - at, "%s", superscript[*d - '0']);
}

static size_t word_ticks(const struct axis *a, size_t max, struct tick *out)
{
    size_t stride = (a->n_ticks + max - 1) / max, n = 0;
    for (size_t i = 0; i < a->n_ticks; i += stride) {
        out[n].at = a->from + (double)i + (isfinite(axis_count(a)) ? 0 : 0.5);
        size_t fits = utf8_fit(a->tick[i], (int)sizeof out->label / 4);
        snprintf(out[n].label, sizeof out->label, "%.*s", (int)fits, a->tick[i]);
        n++;
    }
    return n;
}

/* 1, 2 or 5 times a power of ten, such that at most max steps fill the span. */
static double decimal_step(double span, size_t max)
{
    static const double round_number[] = {1, 2, 5, 10};
    double decade = pow(10, floor(log10(span / (double)max)));
    for (size_t i = 0; i < sizeof round_number / sizeof *round_number; i++)
        if (round_number[i] * decade * (double)max >= span * (1 - 1e-9))
            return round_number[i] * decade;
    return 10 * decade;
}

static bool round_in_twos(double count)
{
    int exponent;
    return frexp(count, &exponent) == 0.5 || (count <= 1024 && fmod(count, 32) == 0 && fmod(count, 50) != 0);
}

/* Things, or numbers from the first to the last of them. */
static bool divides_in_twos(const struct axis *a)
{
    double count = axis_count(a);
    return isfinite(count) && count >= 8 && count < 0x1p52 && (round_in_twos(count) || round_in_twos(count + 1));
}

static double linear_step(const struct axis *a, size_t max)
{
    double span = fabs(a->to - a->from), step = 1;
    if (divides_in_twos(a)) {
        while (step * (double)max < span)
            step *= 2;
        return step;
    }
    step = decimal_step(span, max);
    return isfinite(axis_count(a)) && span >= 2 && step < 1 ? 1 : step;
}

static double decade_of(double x)
{
    return floor(log10(x) + 1e-9);
}

/* Digits down to the step's own: 1.5e19 between 1.0e19 and 2.0e19, though the step, 5e18, goes only four times into the largest. */
static void format_tick(char *out, size_t size, double x, double step, double largest)
{
    double leading = step / pow(10, decade_of(step));
    bool has_one_digit = fabs(leading - round(leading)) < 1e-6;             /* and not a power of two, which is written in full */
    if ((largest >= 1e9 && (has_one_digit || largest >= 1e15)) || step < 1e-4)
        format_scientific(out, size, fabs(x) < step / 2 ? 0 : x, 1 + (int)fmax(0, decade_of(largest) - decade_of(step)));
    else
        format_fixed(out, size, x, step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0);
}

static size_t linear_ticks(const struct axis *a, size_t max, bool with_end, struct tick *out)
{
    double lo = fmin(a->from, a->to), hi = fmax(a->from, a->to), step = linear_step(a, max), slack = step * 1e-6;
    double largest = fmax(fabs(lo), fabs(hi));
    size_t n = 0;
    for (double k = ceil((lo - slack) / step); n < TICKS_MAX; k++) {
        double at = k * step;
        if (at > hi + slack || (!with_end && at >= hi - slack))
            break;
        out[n].at = at;
        format_tick(out[n].label, sizeof out->label, at, step, largest);
        n++;
    }
    return n;
}

static size_t log_ticks(const struct axis *a, size_t max, bool ascii, struct tick *out)
{
    static const double within[] = {1, 2, 5};
    double lo = fmin(a->from, a->to), hi = fmax(a->from, a->to);
    bool fine = log10(hi / lo) < 2;
    int first = (int)(fine ? floor(log10(lo)) : ceil(log10(lo) - 1e-9)), last = (int)floor(log10(hi) + 1e-9);
    int stride = fine ? 1 : 1 + (last - first) / (int)max;
    size_t n = 0;
    for (int k = first; k <= last; k += stride) {
        for (size_t i = 0; i < (fine ? 3 : 1) && n < TICKS_MAX; i++) {
            double at = within[i] * pow(10, k);
            if (at < lo * (1 - 1e-9) || at > hi * (1 + 1e-9))
                continue;
            out[n].at = at;
            if (fine)
                format_number(out[n].label, sizeof out->label, at, 1);
            else
                format_power(out[n].label, sizeof out->label, k, ascii);
            n++;
        }
    }
    return n;
}

size_t axis_ticks(const struct axis *a, size_t max, bool with_end, bool ascii, struct tick *out)
{
    if (max == 0)
        return 0;
    if (max > TICKS_MAX)
        max = TICKS_MAX;
    if (a->n_ticks)
        return word_ticks(a, max, out);
    if (!isfinite(a->from) || !isfinite(a->to) || a->from == a->to || (a->log && fmin(a->from, a->to) <= 0))
        return 0;
    return a->log ? log_ticks(a, max, ascii, out) : linear_ticks(a, max, with_end, out);
}
