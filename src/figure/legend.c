#include "figure/legend.h"

#include <math.h>
#include <stdio.h>

#include "base/utf8.h"

/* Formats of our own catalogue, checked by msgfmt. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/* How many things a sample holds: "16", or "15-16" where blocks differ. */
static void block_size(char *out, size_t size, const struct axis *a, int n)
{
    double exact = fabs(a->to - a->from) / n;
    char least[40], most[40];
    format_fixed(least, sizeof least, floor(exact), 0);
    format_fixed(most, sizeof most, ceil(exact), 0);
    if (exact == floor(exact))
        snprintf(out, size, "%s", least);
    else
        snprintf(out, size, "%s-%s", least, most);
}

static bool one_each(const struct panel *p)
{
    return axis_count(&p->x) <= p->w && axis_count(&p->y) <= p->h;
}

/* One digit that is not below x: what "error below" promises. */
static char *bound(char *out, size_t size, double x)
{
    double unit = pow(10, floor(log10(x)));
    return format_number(out, size, x > 0 && isfinite(x) ? ceil(x / unit * (1 - 1e-12)) * unit : x, 1);
}

char *legend_reduction(char *out, size_t size, const struct panel *p, enum lang lang)
{
    static const char *const form[REDUCE_COUNT] = {
        [REDUCE_MEAN] = N_("mean of %s x %s"), [REDUCE_MAX] = N_("maximum of %s x %s"),
        [REDUCE_NEAREST] = N_("sampled, 1 of %s x %s"),
    };
    static const char *const uneven[REDUCE_COUNT] = {
        [REDUCE_MEAN] = N_("mean of each block"), [REDUCE_MAX] = N_("maximum of each block"), [REDUCE_NEAREST] = N_("sampled"),
    };
    if (p->w <= 0 || p->h <= 0 || !form[p->reduce] || one_each(p)) {
        snprintf(out, size, "%s", lang_text(lang, p->exact ? N_("exact") : N_("sampled")));
        return out;
    }
    char rows[96], cols[96], error[40], text[256];
    if (isfinite(axis_count(&p->x)) && isfinite(axis_count(&p->y))) {
        block_size(rows, sizeof rows, &p->y, p->h);
        block_size(cols, sizeof cols, &p->x, p->w);
        snprintf(text, sizeof text, lang_text(lang, form[p->reduce]), rows, cols);
    } else
        snprintf(text, sizeof text, "%s", lang_text(lang, uneven[p->reduce]));
    if (p->exact || p->reduce == REDUCE_NEAREST)
        snprintf(out, size, "%s", text);
    else if (isnan(p->error))
        snprintf(out, size, lang_text(lang, N_("%s, sampled")), text);
    else
        snprintf(out, size, lang_text(lang, N_("%s, error below %s")), text, bound(error, sizeof error, p->error));
    return out;
}

char *legend_reduction_short(char *out, size_t size, const struct panel *p, enum lang lang)
{
    static const char *const word[REDUCE_COUNT] = {
        [REDUCE_MEAN] = N_("mean"), [REDUCE_MAX] = N_("maximum"), [REDUCE_NEAREST] = N_("sampled"),
    };
    if (p->w <= 0 || p->h <= 0 || !word[p->reduce] || one_each(p))
        return legend_reduction(out, size, p, lang);
    snprintf(out, size, "%s", lang_text(lang, word[p->reduce]));
    return out;
}

static bool any(const struct panel *p, bool (*is)(double))
{
    for (size_t i = 0; p->data && i < (size_t)p->w * (size_t)p->h; i++)
        if (is(p->data[i]))
            return true;
    return false;
}

static bool is_masked(double x)
{
    return isinf(x);
}

static bool is_nan(double x)
{
    return isnan(x);
}

bool panel_has_masked(const struct panel *p)
{
    return any(p, is_masked);
}

bool panel_has_nan(const struct panel *p)
{
    return any(p, is_nan);
}

static bool ends_wide(const char *text)
{
    uint32_t last = 0;
    for (uint32_t c; (c = utf8_next(&text));)
        last = c;
    return utf8_char_width(last) == 2;
}

char *axis_title(char *out, size_t size, const struct axis *a)
{
    char text[80];
    const char *const form = !a->label[0] || !a->unit[0] ? "%s%s" : ends_wide(a->label) ? "%s（%s）" : "%s (%s)";
    snprintf(text, sizeof text, form, a->label, a->unit);
    return utf8_sanitise(out, size, text);
}

/* "a name b name", broken where a name would not fit. */
int legend_lines(const struct panel *p)
{
    enum { ROOMY = 8, MOST = 3, LETTER = 2, GAP = 1 };
    int lines = 1, x = 0;
    for (int i = 0; i < p->n_names; i++) {
        int w = LETTER + p->name_w[i];
        if (x > 0 && x + w > p->cols) {
            x = 0;
            lines++;
        }
        x += w + GAP;
    }
    return p->rows < ROOMY ? 1 : lines < MOST ? lines : MOST;
}
