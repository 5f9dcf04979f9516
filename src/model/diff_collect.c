/* diff_collect.c - what two readings differ in is put together: values of a field, and sentences. */
#include "model/diff_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/message.h"
#include "base/utf8.h"

/* fmt is one of our own messages or its checked translation (msgfmt --check-format). */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

struct difference *diff_add(struct diff *d, const char *field, struct json *a, struct json *b)
{
    d->difference = xreallocarray(d->difference, d->n_differences + 1, sizeof *d->difference);
    struct difference *new = &d->difference[d->n_differences++];
    *new = (struct difference){.a = a, .b = b, .layer = -1};
    snprintf(new->field, sizeof new->field, "%s", field);
    return new;
}

void diff_say(const struct sides *s, const char *fmt, ...)
{
    char raw[800], clean[800];
    va_list ap;
    va_start(ap, fmt);
    message_format(raw, sizeof raw, s->lang, fmt, ap);
    va_end(ap);
    struct diff *d = s->d;
    d->sentence = xreallocarray(d->sentence, d->n_sentences + 1, sizeof *d->sentence);
    d->sentence[d->n_sentences++] = xstrdup(utf8_sanitise(clean, sizeof clean, raw));
}

bool diff_near(double a, double b, double tolerance)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

bool diff_text(const struct sides *s, const char *field, const char *a, const char *b)
{
    if (!strcmp(a, b))
        return false;
    diff_add(s->d, field, *a ? json_new_string(a) : json_new_null(), *b ? json_new_string(b) : json_new_null());
    return true;
}

bool diff_number(const struct sides *s, const char *field, double a, double b)
{
    if (diff_near(a, b, s->d->tolerance))
        return false;
    diff_add(s->d, field, json_new_number(a), json_new_number(b));
    return true;
}

void diff_size(const struct sides *s, const char *field, double a, double b)
{
    if (!isnan(a) && !isnan(b))
        diff_number(s, field, a, b);
}

void diff_difference_done(struct difference *x)
{
    json_free(x->a);
    json_free(x->b);
    free(x->where);
}
