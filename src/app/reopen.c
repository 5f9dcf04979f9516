#include "app/reopen.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/command_line.h"
#include "base/mem.h"
#include "base/shell.h"
#include "export/carried.h"
#include "scenario/tour.h"

/* fmt is one of our own messages or its checked translation (msgfmt --check-format). */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

enum { WORDS_MAX = 2 * OPTIONS_MAX_SETS + 32, PICTURE_ROWS = 32, SCREEN_ROWS_USUAL = 24 };

int drawn_rows(const struct export_format *format)
{
    return format && format->picture ? PICTURE_ROWS : SCREEN_ROWS_USUAL;
}

/* ---- writing -------------------------------------------------------------------------------------------------------------- */

static struct figure_model model_of(const struct scenario *s)
{
    struct figure_model m = {.name = ""};
    if (!scenario_model_file(s))
        return m;
    snprintf(m.name, sizeof m.name, "%s", s->model->file);
    snprintf(m.revision, sizeof m.revision, "%s", s->model->source.revision);
    snprintf(m.reading, sizeof m.reading, "%016" PRIx64, facts_fingerprint(s->model));
    return m;
}

static void put_details(struct buf *line, const struct drawn *d, const struct figure_model *m)
{
    struct buf out = {0};
    if (d->cols)
        buf_format(&out, " --size %dx%d", d->cols, d->rows);
    if (d->panel >= 0)
        buf_format(&out, " --panel %d", d->panel + 1);
    if (d->dpi > 0)
        buf_format(&out, " --dpi %g", d->dpi);
    if (*m->revision) {
        buf_text(&out, " revision=");
        shell_word(&out, m->revision);
    }
    if (*m->reading)
        buf_format(&out, " reading=%s", m->reading);
    if (out.n) {
        buf_text(line, " #");
        buf_put(line, out.data, out.n);
    }
    buf_done(&out);
}

void carried_write(struct export_options *o, const struct scenario *s, const struct drawn *d)
{
    bool exact;
    struct buf line = {0};
    char *command = command_line(s, &exact);
    o->model = model_of(s);
    buf_text(&line, command);
    put_details(&line, d, &o->model);
    free(command);
    command = buf_string(&line);
    /* A line cut short would show something else. */
    if (exact && strlen(command) < sizeof o->command && !strpbrk(command, "\r\n"))
        snprintf(o->command, sizeof o->command, "%s", command);
    free(command);
}

/* ---- reading ----------------------------------------------------------------------------------------------------------------- */

struct figure_line {
    struct carried carried;
    struct options options;             /* its strings stand in carried.command */
    struct drawn drawn;
    const char *revision, *reading;     /* "" not said */
};

static bool take_step(struct figure_line *l, const char *text, struct err *err)
{
    char *end;
    long step = strtol(text, &end, 10);
    l->options.step = (int)step - 1;
    return (*text && !*end && step >= 1 && step <= TOUR_MAX_STEPS) || err_set(err, N_("--step = %s: allowed is 1 to %d"), text, TOUR_MAX_STEPS);
}

/* The options that command_line writes. */
static bool take_option(struct figure_line *l, const char *name, const char *argument, struct err *err)
{
    static const struct { const char *name; int option; } shared[] = {
        {"-m", OPTION_MODEL}, {"-p", OPTION_PRESET}, {"-e", OPTION_ENCODING}, {"-s", OPTION_SET}, {"--theme", OPTION_THEME}, {"--colormap", OPTION_COLORMAP},
    };
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
        if (!strcmp(name, shared[i].name))
            return (strcmp(name, "-m") || strcmp(argument, "-") || err_set(err, N_("-m -: what came through a pipe is gone"))) &&
                   options_take(&l->options, shared[i].option, argument, err);
    if (!strcmp(name, "--lang"))
        return options_lang(argument, &l->options.lang, err);
    if (!strcmp(name, "--step"))
        return take_step(l, argument, err);
    return err_set(err, N_("%s: no figure has this option"), name);
}

static bool take_words(struct figure_line *l, char **word, int n, struct err *err)
{
    bool tour = n > 1 && !strcmp(word[1], "tour");
    for (int i = tour ? 2 : 1; i < n; i++) {
        bool good;
        if (*word[i] == '-')
            good = i + 1 < n ? take_option(l, word[i], word[i + 1], err) : err_set(err, N_("option %s needs a value"), word[i]);
        else if (tour)
            good = (l->options.lesson = word[i]) != NULL;
        else
            good = options_operand(&l->options, word[i], err);
        if (!good)
            return false;
        i += *word[i] == '-';
    }
    return true;
}

static int number_in(const char *text, int lo, int hi, int otherwise)
{
    long x = strtol(text, NULL, 10);
    return x >= lo && x <= hi ? (int)x : otherwise;
}

/* Of later versions there may be more words; those are passed over. */
static void take_details(struct figure_line *l, char **word, int n)
{
    struct err err = {.lang = LANG_EN};
    for (int i = 0; i < n; i++) {
        const char *next = i + 1 < n ? word[i + 1] : "";
        if (!strcmp(word[i], "--size") && options_take(&l->options, OPTION_SIZE, next, &err))
            l->drawn.cols = l->options.cols, l->drawn.rows = l->options.rows;
        else if (!strcmp(word[i], "--panel"))
            l->drawn.panel = number_in(next, 1, 99, 0) - 1;
        else if (!strcmp(word[i], "--dpi"))
            l->drawn.dpi = number_in(next, EXPORT_MIN_DPI, EXPORT_MAX_DPI, 0);
        else if (!strncmp(word[i], "revision=", 9))
            l->revision = word[i] + 9;
        else if (!strncmp(word[i], "reading=", 8))
            l->reading = word[i] + 8;
    }
}

static bool read_line(const char *figure, struct figure_line *l, struct err *err)
{
    char *word[WORDS_MAX], *rest = NULL;
    if (!carried_read(figure, &l->carried, err))
        return false;
    l->drawn = (struct drawn){.panel = -1};
    l->revision = l->reading = "";
    options_init(&l->options, LANG_EN);
    int n = shell_split(l->carried.command, word, WORDS_MAX, &rest);
    if (n < 0)
        return err_set(err, N_("%s: the command it carries is damaged"), figure);
    if (!take_words(l, word, n, err))
        return err_prefix(err, "%s", figure);
    n = rest ? shell_split(rest, word, WORDS_MAX, NULL) : 0;
    take_details(l, word, n > 0 ? n : 0);
    return true;
}

bool reopen_scenario(const char *figure, struct scenario *s, struct err *err)
{
    struct figure_line l;
    if (!read_line(figure, &l, err))
        return false;
    l.options.lang = lang_asked() ? s->lang : l.options.lang;
    struct err own = {.lang = l.options.lang};          /* a model's findings are words of the figure */
    return options_scenario(&l.options, s, &own) || err_set(err, "%s: %s", figure, own.text);
}

bool reopen_drawn(const char *figure, struct drawn *d, struct err *err)
{
    struct figure_line l;
    bool good = read_line(figure, &l, err);
    *d = good ? l.drawn : (struct drawn){.panel = -1};
    return good;
}

/* ---- then and now -------------------------------------------------------------------------------------------------------------- */

/* A sentence more. */
static const char *next(struct buf *out, enum lang lang, const char *fmt)
{
    buf_text(out, out->n ? " " : "");
    return lang_text(lang, fmt);
}

char *reopen_changes(const char *figure, const struct scenario *s)
{
    struct figure_line l;
    struct buf out = {0};
    struct figure_model now = model_of(s);
    if (!read_line(figure, &l, NULL))
        return NULL;
    bool other = *l.carried.version && strcmp(l.carried.version, POSVIZ_VERSION);
    if (other)
        buf_format(&out, next(&out, s->lang, N_("%s was made by posviz %s, this is %s.")), figure, l.carried.version, POSVIZ_VERSION);
    if (l.options.model && !strcmp(l.options.model, s->model_from)) {
        if (strcmp(l.revision, now.revision))
            buf_format(&out, next(&out, s->lang, N_("%s was made from revision %.12s of %s; revision %.12s is read now.")), figure, *l.revision ? l.revision : "?",
                       now.name, *now.revision ? now.revision : "?");
        if (strcmp(l.reading, now.reading))
            buf_format(&out, next(&out, s->lang, other ? N_("%s is read otherwise than for %s: the file has changed, or what this version reads in it.")
                                                       : N_("%s has changed since %s was made: it says something else about positions now.")), now.name, figure);
    }
    return out.n ? buf_string(&out) : NULL;
}
