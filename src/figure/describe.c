/* describe.c - figures in words: lines, the head of a figure, and the panels that hold words or single numbers already. Heatmaps and curves are
 * in describe_data.c. */
#include "figure/describe_panel.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "figure/table.h"

/* Formats of our own catalogue, checked by msgfmt. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* Rows and dials that belong to the message. */
enum { FEW = 4 };

/* ---- lines ------------------------------------------------------------------------------------------------ */

/* Characters that draw and say nothing: boxes, blocks, shapes, dots of pictures. */
static bool draws(uint32_t c)
{
    return (c >= 0x2500 && c <= 0x25ff) || (c >= 0x2800 && c <= 0x28ff);
}

static bool says(uint32_t c)
{
    return c >= 0x80 ? c != 0xb7 && c != 0x2026 && c != 0x3000 : isalnum((int)c);
}

/* Does text end like a sentence, so that it needs no full stop? An ellipsis does not count. */
static bool ends_already(const char *text, size_t n)
{
    return strchr("?!:", text[n - 1]) || (text[n - 1] == '.' && !(n > 1 && text[n - 2] == '.')) || (n >= 3 && !memcmp(text + n - 3, "。", 3));
}

static bool add_line(struct buf *out, const char *text)
{
    char *clean = xmalloc(strlen(text) * 3 + 1);        /* a byte of no character becomes one of three */
    utf8_sanitise(clean, strlen(text) * 3 + 1, text);
    struct buf line = {0};
    bool any = false, space = true;
    for (const char *p = clean; *p;) {
        uint32_t c = utf8_next(&p);
        bool blank = c == ' ' || draws(c);
        any = any || (!blank && says(c));
        if (!blank)
            buf_utf8(&line, c);
        else if (!space)
            buf_text(&line, " ");
        space = blank;
    }
    while (line.n && line.data[line.n - 1] == ' ')
        line.n--;
    if (line.n > 1 && line.data[line.n - 1] == '.' && ends_already(line.data, line.n - 1))
        line.n--;
    if (any) {
        buf_put(out, line.data, line.n);
        buf_text(out, "\n");
    }
    buf_done(&line);
    free(clean);
    return any;
}

bool describe_line(struct buf *out, const char *text)
{
    return add_line(out, text);
}

/* Length of a number whose digits stand in threes, "131 072"; 0: there is none at text. */
static size_t apart(const char *text)
{
    size_t n = strspn(text, "0123456789"), groups = 0;
    if (n < 1 || n > 3 || *text == '0')
        return 0;
    while (text[n] == ' ' && strspn(text + n + 1, "0123456789") == 3) {
        n += 4;
        groups++;
    }
    return groups ? n : 0;
}

bool describe_numbers_line(struct buf *out, const char *text)
{
    char *joined = xstrdup(text), *to = joined;
    for (const char *p = text, *before = ""; *p;) {
        size_t n = isalnum((unsigned char)*before) || *before == '.' ? 0 : apart(p);
        before = p;
        if (!n)
            *to++ = *p++;
        for (const char *end = p + n; p < end; p++)
            if (*(before = p) != ' ')
                *to++ = *p;
    }
    *to = '\0';
    bool any = add_line(out, joined);
    free(joined);
    return any;
}

char *describe_number(char *out, size_t size, double x, enum lang lang)
{
    if (isnan(x))
        snprintf(out, size, "%s", lang_text(lang, N_("no value")));
    else if (isinf(x))
        snprintf(out, size, "%s", lang_text(lang, x < 0 ? N_("minus infinity") : N_("infinity")));
    else if ((x == floor(x) || fabs(x) >= 999999.5) && fabs(x) < 1e15)
        snprintf(out, size, "%.0f", x + 0.0);           /* never "-0" */
    else
        snprintf(out, size, "%.6g", x);
    return out;
}

/* ---- sentences --------------------------------------------------------------------------------------------- */

const char *say_words(const struct saying *s, const char *msgid)
{
    return lang_text(s->lang, msgid);
}

char *say_number(const struct saying *s, double x, char out[40])
{
    return describe_number(out, 40, x, s->lang);
}

void say_this(struct saying *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = xvasprintf(say_words(s, fmt), ap);
    va_end(ap);
    s->n += describe_numbers_line(s->out, text);
    free(text);
}

void say_details(struct saying *s)
{
    if (!s->message)
        s->message = s->n;
}

char *say_axis_name(const struct axis *a, char out[SAID_MAX])
{
    snprintf(out, SAID_MAX, "%s%s%s%s", a->label, *a->unit ? " (" : "", a->unit, *a->unit ? ")" : "");
    return out;
}

/* ---- bars --------------------------------------------------------------------------------------------------- */

static void say_bars(struct saying *s)
{
    const struct panel *p = s->p;
    const struct bar *least = NULL, *most = NULL;
    char low[40], high[40];
    for (size_t i = 0; i < p->n_bars; i++) {
        const struct bar *b = &p->bar[i];
        if (isnan(b->value))
            continue;
        least = !least || b->value < least->value ? b : least;
        most = !most || b->value > most->value ? b : most;
    }
    if (most && p->n_bars > 2)
        say_this(s, N_("%zu bars%s%s. Largest: %s, %s. Smallest: %s, %s."), p->n_bars, *p->unit ? ", " : "", p->unit, most->label, say_number(s, most->value, high),
            least->label, say_number(s, least->value, low));
    for (size_t i = 0; i < p->n_bars; i++) {
        const struct bar *b = &p->bar[i];
        if (i == FEW)
            say_details(s);
        say_this(s, N_("%s: %s%s%s."), b->label, say_number(s, b->value, high), *b->note ? "; " : "", b->note);
    }
}

/* ---- dials -------------------------------------------------------------------------------------------------- */

static double degrees(double angle)
{
    const double turn = 360;
    double d = fmod(angle * turn / (2 * acos(-1)), turn);
    return round(d < 0 ? d + turn : d);
}

static void say_dial(struct saying *s, const struct dial *d)
{
    const char *marked = d->flagged ? say_words(s, N_("; marked")) : "";
    if (isnan(d->angle[0]))
        say_this(s, N_("%s: %s; %s; no hand%s."), d->label, d->above, d->below, marked);
    else if (isnan(d->angle[1]))
        say_this(s, N_("%s: %s; %s; hand at %.0f degrees%s."), d->label, d->above, d->below, degrees(d->angle[0]), marked);
    else
        say_this(s, N_("%s: %s; %s; long hand at %.0f degrees, short hand at %.0f%s."), d->label, d->above, d->below, degrees(d->angle[0]),
            degrees(d->angle[1]), marked);
}

static void say_dials(struct saying *s)
{
    const struct panel *p = s->p;
    size_t marked = 0, first = 0, last = 0;
    for (size_t i = 0; i < p->n_dials; i++) {
        if (!p->dial[i].flagged)
            continue;
        first = marked++ ? first : i;
        last = i;
    }
    if (marked)
        say_this(s, marked == last - first + 1 ? N_("%zu dials; %zu of them marked, %s to %s.") : N_("%zu dials; %zu of them marked, between %s and %s."),
            p->n_dials, marked, p->dial[first].label, p->dial[last].label);
    else
        say_this(s, N_("%zu dials, none marked."), p->n_dials);
    say_this(s, N_("Angles are counted from the right, against the clock."));
    for (size_t i = 0; i < p->n_dials; i++) {
        if (i == FEW)
            say_details(s);
        say_dial(s, &p->dial[i]);
    }
}

/* ---- tables ------------------------------------------------------------------------------------------------- */

/* "head 0. bias at distance 1: -0.5; at n - 1: -255.5; ..." A row's first cell is its name; a mere number gets its column's. */
static void say_row(struct saying *s, size_t row)
{
    const struct panel *p = s->p;
    struct buf line = {0};
    for (size_t c = 0; c < p->table_cols; c++) {
        const char *heading = p->facts ? "" : table_text(p, 0, c), *text = table_text(p, row, c);
        bool name = c == 0 && !isdigit((unsigned char)*text);
        if (*text)
            buf_format(&line, "%s%s%s%s", line.n == 0 ? "" : c == 1 ? (p->facts ? ": " : say_words(s, N_(". "))) : "; ", name ? "" : heading,
                       name || !*heading ? "" : c ? ": " : " ", text);
    }
    char *text = buf_string(&line);
    say_this(s, N_("%s."), text);
    free(text);
}

static void say_columns(struct saying *s)
{
    struct buf line = {0};
    for (size_t c = 0; c < s->p->table_cols; c++)
        if (*table_text(s->p, 0, c))
            buf_format(&line, "%s%s", line.n ? "; " : "", table_text(s->p, 0, c));
    char *text = buf_string(&line);
    if (*text)
        say_this(s, N_("%zu rows. Columns: %s."), s->p->table_rows - 1, text);
    free(text);
}

static void say_table(struct saying *s)
{
    size_t first = 1;
    if (s->p->table_rows > first && !s->p->facts)
        say_columns(s);
    for (size_t r = first; r < s->p->table_rows; r++) {
        if (r == first + FEW && s->p->table_rows > first + FEW + 1)
            say_details(s);
        say_row(s, r);
    }
}

/* ---- text --------------------------------------------------------------------------------------------------- */

static void say_text(struct saying *s)
{
    for (const char *line = s->p->text ? s->p->text : ""; *line;) {
        size_t n = strcspn(line, "\n"), mark = !strncmp(line, "# ", 2) || !strncmp(line, "- ", 2) ? 2 : 0;
        char *text = xasprintf("%.*s", (int)(n - mark), line + mark);
        s->n += describe_line(s->out, text);
        free(text);
        line += n + (line[n] == '\n');
    }
}

/* ---- panels and figures -------------------------------------------------------------------------------------- */

static const struct {
    const char *name;               /* N_() */
    void (*say)(struct saying *);
} kinds[PANEL_KIND_COUNT] = {
    [PANEL_HEATMAP] = {N_("heatmap"), say_heatmap}, [PANEL_CURVES] = {N_("curves"), say_curves}, [PANEL_BARS] = {N_("bars"), say_bars},
    [PANEL_DIALS] = {N_("dials"), say_dials},       [PANEL_TABLE] = {N_("data table"), say_table},    [PANEL_TEXT] = {N_("text"), say_text},
};

/* What stands beside each other is told with commas. */
static void say_list(struct saying *s, const char *fmt, const char *text)
{
    static const char dot[] = " · ";
    const char *at;
    struct buf out = {0};
    for (; (at = strstr(text, dot)); text = at + strlen(dot)) {
        buf_put(&out, text, (size_t)(at - text));
        buf_text(&out, say_words(s, N_(", ")));
    }
    buf_text(&out, text);
    char *list = buf_string(&out);
    say_this(s, fmt, list);
    free(list);
}

size_t describe_panel(const struct panel *p, const struct panel *before, enum lang lang, struct buf *out)
{
    struct saying s = {.p = p, .before = before, .lang = lang, .out = out};
    if (*p->title)
        say_this(&s, N_("%s: %s."), say_words(&s, kinds[p->kind].name), p->title);
    if (*p->note)
        say_list(&s, N_("%s."), p->note);
    kinds[p->kind].say(&s);
    return s.message ? s.message : s.n;
}

bool describe_row(const struct panel *p, size_t row, enum lang lang, struct buf *out)
{
    struct saying s = {.p = p, .lang = lang, .out = out};
    if (p->kind != PANEL_TABLE || row < 1 || row >= p->table_rows)
        return false;
    say_row(&s, row);
    return s.n > 0;
}

void describe_head(const struct figure *f, enum lang lang, struct buf *out)
{
    struct saying s = {.lang = lang, .out = out};
    if (*f->caption)
        say_list(&s, N_("Shown: %s."), f->caption);
    if (*f->warning)
        say_this(&s, N_("Note: %s."), f->warning);
    if (*f->source)
        say_this(&s, N_("Source: %s."), f->source);
}
