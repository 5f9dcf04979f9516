/* picture.c - one figure, or two of them put into one: panels of A, then panels of B, so that drawing, cursor and export need to
 * know nothing of a comparison. */
#include "app/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/worker.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "figure/axis.h"
#include "scenario/tour.h"

struct scenario picture_other(const struct scenario *s)
{
    struct scenario b = *s->other;
    scenario_look_like(&b, s);
    b.other = NULL;
    b.compare = COMPARE_OFF;
    return b;
}

static enum compare mode(const struct scenario *s)
{
    return s->other && !views[s->view]->compares ? s->compare : COMPARE_OFF;
}

static void prefix(char *title, size_t size, const char *with)
{
    char *whole = xasprintf("%s%s", with, title);
    utf8_sanitise(title, size, whole);
    free(whole);
}

/* ---- caption ------------------------------------------------------------------------------------------ */

static void append(char *out, size_t size, const char *separator, const char *text)
{
    size_t at = strlen(out);
    snprintf(out + at, size - at, "%s%s", at ? separator : "", text);
}

/* Parameters of an encoding that are not at their default: "rope_theta 500 000". */
static void append_params(const struct item *item, char *out, size_t size)
{
    for (size_t i = 0; i < item->kind->n_params; i++) {
        const struct param *p = &item->kind->params[i];
        struct value v = item->param[i];
        char value[48], text[120];
        if (value_absent(v) || v.t || v.x == p->def)
            continue;
        if (p->type == PARAM_INT || (p->type == PARAM_REAL && v.x == floor(v.x)))
            format_number(value, sizeof value, v.x, 10);
        else
            param_format(p, v, value, sizeof value);
        snprintf(text, sizeof text, "%s %s", p->name, value);
        append(out, size, " · ", text);
    }
}

/* A figure over named things, the words of a sentence, has as many as they are, whatever the length n. */
static bool has_names(const struct figure *f)
{
    return f->n && f->panel[0].x.n_ticks > 0;
}

/* What is shown, where the view does not say it: title or encodings, what is special about them, and the shape. */
static void write_caption(const struct scenario *s, bool with_length, char *out, size_t size)
{
    char whole[512] = "", n[40], text[80];
    append(whole, sizeof whole, "", s->title);
    for (size_t i = 0; i < s->n_items; i++)
        append(whole, sizeof whole, i ? " + " : " · ", lang_text(s->lang, s->item[i].kind->title));
    for (size_t i = 0; i < s->n_items; i++)
        append_params(&s->item[i], whole, sizeof whole);
    snprintf(text, sizeof text, "head_dim %d", s->shape.d_head);
    append(whole, sizeof whole, " · ", text);
    if (with_length) {
        snprintf(text, sizeof text, "n %s", format_number(n, sizeof n, s->shape.length, 10));
        append(whole, sizeof whole, " · ", text);
    }
    utf8_sanitise(out, size, whole);
}

static const char difference_label[] = "A − B  ";

/* ---- plan -------------------------------------------------------------------------------------------- */

static struct figure *plan_one(const struct scenario *s, const struct picture_room *room, const char *label, struct err *err)
{
    struct figure *f = figure_new();
    if (!view_plan(s, f, err)) {
        figure_free(f);
        return NULL;
    }
    if (!*f->caption)
        write_caption(s, !has_names(f), f->caption, sizeof f->caption);
    for (size_t i = 0; i < f->n && label; i++)
        prefix(f->panel[i].title, sizeof f->panel[i].title, label);
    int only = room->only_panel >= 0 && f->n ? room->only_panel % (int)f->n : -1;      /* B's panels count on from A's */
    if (room->words)
        figure_layout_words(f);
    else
        figure_layout(f, room->rows, room->cols, room->heat_rows, only, s->large);
    return f;
}

/* Side by side, the cursor is at the same place of A and of B. */
static void share_cursor(struct figure *f)
{
    enum { OWN = 1000 };
    for (int i = 0; (size_t)i < f->n; i++) {
        struct panel *p = &f->panel[i];
        p->x.coord = p->x.coord ? p->x.coord : OWN + 2 * i;
        p->y.coord = p->y.coord ? p->y.coord : OWN + 2 * i + 1;
    }
}

static struct figure *plan_side(const struct scenario *s, const struct picture_room *room, struct err *err)
{
    struct scenario other = picture_other(s);
    struct picture_room half = *room;
    half.cols = (room->cols - 1) / 2;
    struct figure *a = plan_one(s, &half, "A  ", err), *b = a ? plan_one(&other, &half, "B  ", err) : NULL;
    if (!b) {
        figure_free(a);
        return NULL;
    }
    share_cursor(a);
    share_cursor(b);
    figure_append(a, b, 0, half.cols + 1);
    return a;
}

static struct figure *plan_mode(const struct scenario *s, const struct picture_room *room, struct err *err)
{
    struct scenario other;
    switch (mode(s)) {
    case COMPARE_SIDE:
        return plan_side(s, room, err);
    case COMPARE_B:
        other = picture_other(s);
        return plan_one(&other, room, "B  ", err);
    case COMPARE_DIFFERENCE:
        return plan_one(s, room, difference_label, err);
    case COMPARE_A:
        return plan_one(s, room, "A  ", err);
    case COMPARE_OFF:
        break;
    }
    return plan_one(s, room, NULL, err);
}

/* ---- lessons: the text of the step beside the picture, or below it where that is too narrow ---------------- */

enum { LESSON_TEXT_MAX = 4096, LESSON_WIDEST = 60, LESSON_LEAST = 36, LESSON_SPLIT_COLS = 76, LESSON_ROWS = 7 };

static struct figure *lesson_text(const struct tour *t, const struct scenario *s, const struct picture_room *room)
{
    struct figure *f = figure_new();
    char text[LESSON_TEXT_MAX] = "";
    tour_write(t, s, text, sizeof text);
    panel_text(figure_add(f, PANEL_TEXT, t->title[s->lang]), "%s", text);
    figure_layout(f, room->rows, room->cols, room->heat_rows, -1, s->large);
    return f;
}

static struct figure *plan_beside(const struct tour *t, const struct scenario *s, const struct picture_room *room, struct err *err)
{
    struct picture_room picture = *room, text = *room;
    bool beside = room->cols >= LESSON_SPLIT_COLS;
    if (beside) {
        text.cols = room->cols * 2 / 5;
        text.cols = text.cols < LESSON_LEAST ? LESSON_LEAST : text.cols > LESSON_WIDEST ? LESSON_WIDEST : text.cols;
        picture.cols = room->cols - text.cols - 1;
    } else {
        text.rows = room->rows / 3 > LESSON_ROWS ? room->rows / 3 : LESSON_ROWS;
        picture.rows = room->rows - text.rows;
    }
    if (picture.rows < 1 || picture.cols < 1)
        return lesson_text(t, s, room);
    if (s->large && picture.only_panel < 0)         /* one panel at a time, the one that the step is about */
        picture.only_panel = tour_step_of(t, s)->panel;
    struct figure *f = plan_mode(s, &picture, err);
    if (f)
        figure_append(f, lesson_text(t, s, &text), beside ? 0 : picture.rows, beside ? picture.cols + 1 : 0);
    return f;
}

static struct figure *plan_lesson(const struct scenario *s, const struct picture_room *room, struct err *err)
{
    struct tour *t = tour_load(s->lesson.id, err);
    struct figure *f = t ? plan_beside(t, s, room, err) : NULL;
    tour_free(t);
    return f;
}

static bool in_lesson(const struct scenario *s)
{
    return *s->lesson.id != '\0';
}

struct figure *picture_plan(const struct scenario *s, const struct picture_room *room, struct err *err)
{
    return in_lesson(s) ? plan_lesson(s, room, err) : plan_mode(s, room, err);
}

struct figure *picture_text(const struct scenario *s, const struct picture_room *room, const char *text)
{
    struct figure *f = figure_new();
    panel_text(figure_add(f, PANEL_TEXT, lang_text(s->lang, views[s->view]->title)), "%s", text);
    figure_layout(f, room->rows, room->cols, room->heat_rows, -1, s->large);
    f->progress = 1;
    return f;
}

/* ---- compute ------------------------------------------------------------------------------------------ */

static size_t n_panels(const struct scenario *s)
{
    struct figure *f = figure_new();
    size_t n = view_plan(s, f, NULL) ? f->n : 0;
    figure_free(f);
    return n;
}

/* Half of a job: what it publishes is the whole figure. */
static struct job half(const struct job *job, const struct figure *whole, int which)
{
    struct job part = *job;
    part.whole = whole;
    part.from = which / 2.0;
    part.part = 0.5;
    return part;
}

static bool compute_side(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    struct scenario other = picture_other(s);
    size_t n = n_panels(s);
    struct figure a = *f, b = *f;
    a.n = n < f->n ? n : f->n;
    b.panel += a.n;
    b.n -= a.n;
    struct job first = half(job, f, 0), second = half(job, f, 1);
    if (!view_compute(s, &a, &first, err) || !view_compute(&other, &b, &second, err))
        return false;
    figure_share_range((struct figure *[]){&a, &b}, 2);
    memcpy(f->caption, a.caption, sizeof f->caption);
    memcpy(f->source, a.source, sizeof f->source);
    return true;
}

/* What cannot be subtracted shows A, and says so. */
static void name_what_is_of_a(struct figure *f)
{
    for (size_t i = 0; i < f->n; i++) {
        char *title = f->panel[i].title;
        if (f->panel[i].difference || strncmp(title, difference_label, strlen(difference_label)) != 0)
            continue;
        memmove(title, title + strlen(difference_label), strlen(title + strlen(difference_label)) + 1);
        prefix(title, sizeof f->panel[i].title, "A  ");
    }
}

static bool compute_difference(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    struct scenario other = picture_other(s);
    struct figure *b = figure_new(), *difference = NULL;
    struct job first = half(job, NULL, 0), second = half(job, NULL, 1);
    first.silent = second.silent = true;        /* A alone is no difference */
    bool good = view_plan(&other, b, err);
    if (good && !figure_layout_like(b, f))      /* sampled exactly as A */
        good = err_set(err, N_("A and B do not show the same panels here, so they have no difference"));
    if (good && view_compute(s, f, &first, err) && view_compute(&other, b, &second, err))
        difference = figure_subtract(f, b, err);
    figure_free(b);
    if (!difference)
        return false;
    name_what_is_of_a(difference);
    struct figure a = *f;
    *f = *difference;
    *difference = a;
    figure_free(difference);
    return true;
}

static bool compute_mode(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    struct scenario other;
    switch (mode(s)) {
    case COMPARE_SIDE:
        return compute_side(s, f, job, err);
    case COMPARE_DIFFERENCE:
        return compute_difference(s, f, job, err);
    case COMPARE_B:
        other = picture_other(s);
        return view_compute(&other, f, job, err);
    case COMPARE_OFF:
    case COMPARE_A:
        break;
    }
    return view_compute(s, f, job, err);
}

/* In a lesson the last panel is its text, which is there already: the views compute the others. */
bool picture_compute(const struct scenario *s, struct figure *f, struct job *job, struct err *err)
{
    if (!in_lesson(s))
        return compute_mode(s, f, job, err);
    struct figure rest = *f;
    struct panel words = f->panel[f->n - 1];
    struct job whole = *job;
    rest.n--;
    whole.whole = f;
    whole.part = 1;
    if (rest.n > 0 && !compute_mode(s, &rest, &whole, err))
        return false;
    rest.panel = xreallocarray(rest.panel, rest.n + 1, sizeof *rest.panel);     /* a difference brings panels of its own */
    rest.panel[rest.n++] = words;
    *f = rest;
    return true;
}

/* ---- probe -------------------------------------------------------------------------------------------- */

static bool probe_one(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    const struct view *v = views[s->view];
    if (!v->probe || view_unsuited(s))
        return false;
    return v->probe(s, panel, x, y, out) && out->known;
}

/* Do A and B show the same quantity in a panel? */
static bool comparable(const struct scenario *s, const struct scenario *other, int panel)
{
    struct figure *a = figure_new(), *b = figure_new();
    bool good = view_plan(s, a, NULL) && view_plan(other, b, NULL) && panel < (int)a->n && panel < (int)b->n && panel_comparable(&a->panel[panel], &b->panel[panel]);
    figure_free(a);
    figure_free(b);
    return good;
}

static bool probe_difference(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    struct scenario other = picture_other(s);
    struct readout b = {.known = false};
    if (!comparable(s, &other, panel) || !probe_one(s, panel, x, y, out) || !probe_one(&other, panel, x, y, &b))
        return false;
    char one[32], two[32];
    snprintf(out->formula, sizeof out->formula, "A %s − B %s", format_term(one, sizeof one, out->value, 6), format_term(two, sizeof two, b.value, 6));
    out->value = figure_difference(out->value, b.value);
    return !*out->value_text;
}

bool picture_probe(const struct scenario *s, int panel, double x, double y, struct readout *out)
{
    if (mode(s) == COMPARE_OFF || mode(s) == COMPARE_A)
        return probe_one(s, panel, x, y, out);
    if (mode(s) == COMPARE_DIFFERENCE)
        return probe_difference(s, panel, x, y, out);
    struct scenario other = picture_other(s);
    int n = mode(s) == COMPARE_SIDE ? (int)n_panels(s) : 0;
    return panel < n ? probe_one(s, panel, x, y, out) : probe_one(&other, panel - n, x, y, out);
}
