#include "app/lecture.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/state.h"
#include "base/file.h"
#include "scenario/tour.h"

enum { NOTES_MAX = 4096, USUAL_SECONDS = 10 };

/* ---- notes ------------------------------------------------------------------------------------------------ */

/* Never waits: a pipe that nobody reads is tried again at the next step, and what a terminal does not take is dropped. */
static bool open_notes(struct lecture *l, struct err *err)
{
    l->notes_fd = open(l->notes, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (l->notes_fd >= 0 || errno == ENXIO)
        return true;
    return err_set(err, N_("%s cannot be written: %s"), l->notes, err_reason(err, errno));
}

/* A file holds the notes of one step. */
static bool begin_again(int fd)
{
    struct stat st;
    bool file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    return !file || (ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
}

static bool write_all(int fd, const char *text)
{
    ssize_t n = 0;
    for (size_t left = strlen(text); left && (n = write(fd, text, left)) >= 0; left -= (size_t)n)
        text += n;
    return n >= 0;
}

static void write_notes(struct lecture *l, const char *text)
{
    if (l->notes_fd < 0 && (!open_notes(l, NULL) || l->notes_fd < 0))
        return;
    if (isatty(l->notes_fd) && write(l->notes_fd, "\033[H\033[2J", 7) < 0)
        return;
    if (begin_again(l->notes_fd) && write_all(l->notes_fd, text))
        return;
    int error = errno;
    if (error == EPIPE || isatty(l->notes_fd)) {
        close(l->notes_fd);         /* the reader has gone; another may come */
        l->notes_fd = -1;
    } else if (error != EAGAIN && error != EINTR) {
        l->notes_error = error;
    }
}

/* ---- steps ------------------------------------------------------------------------------------------------ */

static double seconds_since(const struct lecture *l)
{
    return (double)(pace_now() - l->began) / 1000;
}

static bool same_step(const struct lesson_place *a, const struct lesson_place *b)
{
    return a->step == b->step && !strcmp(a->id, b->id);
}

/* A step that was entered, or the other language: the marker of the recording, the notes, and its time begins. */
static void enter(struct lecture *l, const struct scenario *s, double seconds)
{
    bool new = !l->entered || !same_step(&l->at, &s->lesson);
    struct tour *t = new || l->lang != s->lang ? tour_load(s->lesson.id, NULL) : NULL;
    if (!t)
        return;
    char notes[NOTES_MAX] = "", label[200];
    snprintf(label, sizeof label, "%d/%zu  %s", s->lesson.step + 1, t->n_steps, tour_step_of(t, s)->title[s->lang]);
    if (new && l->cast)
        cast_marker(l->cast, seconds, label);
    if (new && !isnan(l->seconds))
        l->due = pace_now() + lround(1000 * l->seconds);
    tour_notes(t, s, notes, sizeof notes);
    if (l->notes)
        write_notes(l, notes);
    tour_free(t);
    l->entered = true;
    l->at = s->lesson;
    l->lang = s->lang;
}

/* The next step; after the last one the end, or the first again. */
static void go_on(struct app *app)
{
    int before = app->s.lesson.step;
    lesson_step(app, 1);
    if (app->s.lesson.step == before && app->lecture->loop)
        lesson_step(app, -before);
    else if (app->s.lesson.step == before)
        app->quit = true;
    app->message[0] = '\0';
    app->dirty = true;
    app->lecture->due = pace_now() + lround(1000 * app->lecture->seconds);
}

void lecture_turn(struct app *app)
{
    struct lecture *l = app->lecture;
    if (!l || !app_in_lesson(app))
        return;
    enter(l, &app->s, seconds_since(l));
    if (lecture_due(app) >= 0 && pace_now() >= l->due)
        go_on(app);
}

long lecture_due(const struct app *app)
{
    const struct lecture *l = app->lecture;
    bool playing = l && !isnan(l->seconds) && l->entered && app_in_lesson(app);
    return playing ? l->due : -1;
}

void lecture_frame(struct app *app)
{
    struct lecture *l = app->lecture;
    if (l && l->cast)
        cast_frame(l->cast, seconds_since(l), app->canvas, app->caret_y, app->caret_x);
}

/* ---- the whole lesson at once ------------------------------------------------------------------------------- */

void lecture_record(struct app *app)
{
    struct lecture *l = app->lecture;
    double time = 0, seconds = isnan(l->seconds) ? USUAL_SECONDS : l->seconds;
    app->lecture = NULL;                /* its clock is ours here */
    for (int before = -1; app->s.lesson.step != before; time += seconds) {
        app_settle(app);
        enter(l, &app->s, time);
        if (l->cast)
            cast_frame(l->cast, time, app->canvas, app->caret_y, app->caret_x);
        before = app->s.lesson.step;
        lesson_step(app, 1);
        app->message[0] = '\0';
        app->dirty = true;
    }
    if (l->cast)
        cast_end(l->cast, time);
    app->lecture = l;
}

/* ---- open and close ----------------------------------------------------------------------------------------- */

bool lecture_open(struct lecture *l, const char *title, struct err *err)
{
    l->notes_fd = -1;
    l->began = pace_now();
    signal(SIGPIPE, SIG_IGN);           /* a reader of the notes may go at any time */
    if ((l->cast_path && !file_may_write(l->cast_path, l->force, err)) || (l->notes && !open_notes(l, err)))
        return false;
    l->cast = l->cast_path ? cast_new(title) : NULL;
    return true;
}

bool lecture_close(struct lecture *l, struct err *err)
{
    bool good = !l->cast || cast_write(l->cast, l->cast_path, l->force, err);
    cast_free(l->cast);
    l->cast = NULL;
    if (l->notes_fd >= 0)
        close(l->notes_fd);
    return good && (!l->notes_error || err_set(err, N_("%s cannot be written: %s"), l->notes, err_reason(err, l->notes_error)));
}
